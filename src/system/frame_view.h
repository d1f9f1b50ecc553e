/* What a system shows of itself in a frame: meshes of many objects, points, finite elements and
 * values on grids, in single precision. */
#ifndef SYSTEM_FRAME_VIEW_H
#define SYSTEM_FRAME_VIEW_H

#include "base/context.h"

#include "system/naming.h"

/* What an object of a mesh is. */
typedef enum FrameKind { FRAME_FREE, FRAME_PRESCRIBED, FRAME_STILL, FRAME_UNBOUNDED } FrameKind;

enum { FRAME_NAME_CAPACITY = 64 }; /* longer names are cut; 0 fills the rest, one at least */

/* Stores a name, cut where no letter is parted. */
void frame_name_store(char to[FRAME_NAME_CAPACITY], const char *name);

/* One mesh that holds all surfaces of a system, each triangle marked with its object. */
typedef struct FrameMesh {
    const char *name; /* group in the frame file */
    size_t vertex_count, triangle_count, object_count;
    const float *vertices;   /* m, 3 a vertex */
    const float *velocities; /* m/s, 3 a vertex */
    const float *stretch;    /* greatest stretch beside a vertex, 1 at rest; NULL: a rigid one */
    const float *stress;     /* Pa, von Mises's; NULL likewise */
    /* 2 a vertex: where it is on a checkerboard of unit squares; no number: it has one colour;
     * NULL: none has. The same in every frame, too. */
    const float *checks;
    /* Of each object; NULL: they are not rigid. Centre of mass (m) and orientation w, x, y, z; its
     * velocity (m/s) and angular velocity (rad/s), in the world's axes. */
    const double *poses;
    const double *motions;
    /* Points where objects touch, others in every frame; NULL: not asked for. Place (m), normal out
     * of the second object, force on the first (N); the two objects, -1: the wall of a domain. */
    size_t contact_count;
    const double *contact_points, *contact_normals, *contact_forces;
    const int32_t *contact_objects;
    /* The arrays below are the same in every frame of a run and are stored once, unless `changes`.
     */
    const char *names;    /* FRAME_NAME_CAPACITY an object; NULL: they have none */
    const int32_t *kinds; /* FrameKind of each object; NULL: not known */
    const double *masses; /* kg, of each object, infinite where forces do not move it; or NULL */
    const int32_t *triangles; /* 3 vertices a triangle */
    const int32_t *objects;   /* the object of each triangle */
    const float *colors;      /* sRGB 0..1, 3 an object */
    bool smooth;              /* shade with interpolated normals */
    /* 4 an object: index of refraction, 0 where it is opaque; absorption (1/m) of red, green and
     * blue light; NULL: none is of glass. */
    const float *glass;
    bool changes;        /* the surface of a liquid: another mesh in every frame */
    bool still;          /* nothing of it moves, ever: all arrays are stored once */
    bool is_clear;       /* light passes through it: water */
    float absorption[3]; /* 1/m for red, green, blue, of what is inside a clear one */
} FrameMesh;

/* Where frames do not tell, as of deformable solids, it is free. */
static inline FrameKind frame_mesh_kind(const FrameMesh *mesh, int32_t object) {
    return mesh->kinds ? (FrameKind)mesh->kinds[object] : FRAME_FREE;
}

/* Small drops, each a sphere. */
typedef struct FramePoints {
    const char *name;        /* group in the frame file */
    size_t count;            /* may be 0, and another in every frame */
    const float *positions;  /* m, 3 each */
    const float *velocities; /* m/s, 3 each */
    const float *radii;      /* m */
    float absorption[3];     /* as above */
} FramePoints;

/* Finite elements of bodies of a system, all of one kind: tetrahedra, or triangles, which are
 * solids in two dimensions and sheets in three. */
typedef struct FrameElements {
    const char *name; /* group in the frame file */
    size_t node_count, element_count;
    const float *nodes;      /* m, 3 a node */
    const float *velocities; /* m/s, 3 a node */
    const float *stretch;    /* greatest of each element, 1 at rest */
    const float *stress;     /* Pa, von Mises's, of each element; of sheets N/m */
    /* The arrays below are the same in every frame of a run and are stored once. One of the first
     * two is NULL. */
    const int32_t *tetrahedra; /* 4 nodes an element */
    const int32_t *triangles;  /* 3 nodes an element */
    const int32_t *objects;    /* the body of each element */
} FrameElements;

/* Values at the cells of a regular grid, x running fastest. */
typedef struct FrameVolume {
    const char *name;         /* group in the frame file */
    int dim;                  /* 2 or 3 */
    int n[3];                 /* cells along each axis; n[2] == 1 in two dimensions */
    double spacing;           /* m, edge of a cell */
    double origin[3];         /* m, lowest corner */
    const float *velocity;    /* m/s, 3 a cell, at its centre */
    const float *pressure;    /* Pa */
    const float *smoke;       /* density of smoke, 1 = thick; NULL where there is none */
    const float *temperature; /* in the degrees of the scene; NULL where there is none */
    const float *level;       /* m, distance from a liquid's surface, negative in it; NULL: fills */
    /* 1 in obstacles, else 0. Stored once for the run unless obstacles move. */
    const int32_t *solid;
    bool solid_moves; /* obstacles move; true or false for all frames of a run */
} FrameVolume;

enum { FRAME_VIEW_CAPACITY = 16 };

typedef struct FrameView {
    FrameMesh meshes[FRAME_VIEW_CAPACITY];
    size_t mesh_count;
    FrameVolume volumes[FRAME_VIEW_CAPACITY];
    size_t volume_count;
    FramePoints points[FRAME_VIEW_CAPACITY];
    size_t points_count;
    FrameElements elements[FRAME_VIEW_CAPACITY];
    size_t elements_count;
    const char *instance; /* of the system that adds to it now; NULL: alone, without a name */
} FrameView;

/* Each adds one; PLIM_FAILED, naming it, when FRAME_VIEW_CAPACITY are there. */
PlimStatus frame_view_add_mesh(PlimContext *context, FrameView *view, const FrameMesh *mesh);
PlimStatus frame_view_add_volume(PlimContext *context, FrameView *view, const FrameVolume *volume);
PlimStatus frame_view_add_points(PlimContext *context, FrameView *view, const FramePoints *points);
PlimStatus frame_view_add_elements(PlimContext *context, FrameView *view,
                                   const FrameElements *elements);

#endif
