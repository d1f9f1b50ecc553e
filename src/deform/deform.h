/* Deformable solids: masses at nodes, finite elements and springs between them, pins, loads, wind,
 * contact with rigid surfaces (000 section 3; 002 sections 4.2 to 4.7, 5.3, 5.5.1; 004 section
 * 2.2). Tetrahedra in three dimensions, triangles of 1 m depth in two. */
#ifndef DEFORM_DEFORM_H
#define DEFORM_DEFORM_H

#include "deform/damping.h"
#include "deform/law.h"
#include "geom/mesh/mesh.h"
#include "grid/field_function.h"
#include "system/surface.h"
#include "system/system.h"

typedef struct Deform Deform;

typedef enum DeformIntegrator {
    DEFORM_NEWMARK,        /* elastic forces explicit, damping implicit (002 sections 4.2, 5.3) */
    DEFORM_MIDPOINT,       /* 002 section 4.3's implicit variant, then 4.7 with the same force */
    DEFORM_BACKWARD_EULER, /* 002 equation 5.5, solved to the end */
    DEFORM_STATIC          /* equilibrium at the end of each step */
} DeformIntegrator;

/* Elastic force over a step of DEFORM_NEWMARK. */
typedef enum DeformElastic {
    DEFORM_MEAN,   /* of the forces at both ends: keeps angular momentum */
    DEFORM_MIDDLE, /* at the middle of the ends (002 section 4.7) */
    DEFORM_LAST    /* at the end (002 section 5.4) */
} DeformElastic;

typedef struct DeformOptions {
    int dim;
    DeformIntegrator integrator;
    DeformElastic elastic;
    double step_fraction; /* newmark: of the longest stable step; default 0.7 */
    double tolerance;     /* implicit: forces left over by all forces; default 1e-6 */
    int iterations;       /* of Newton's method in a solve at most; default 100 */
    bool contact;         /* default true */
    bool frame_elements;  /* frames hold elements beside surfaces; default true */
    bool collisions;      /* of meshes with each other; default true */
    bool affine_zones;    /* default false */
    bool meets_exact;     /* other systems have meshes in the way; default false */
    double preroll,
        drag; /* s, 1/s: before this time a force of -m drag v on all nodes; default 0 */
} DeformOptions;

DeformOptions deform_options_default(int dim);

PlimStatus deform_create(PlimContext *context, const DeformOptions *options, Deform **out);

/* Springs of a mesh: E of edges and altitudes, N; 0: none. */
typedef struct DeformSprings {
    double edges, altitudes;
    bool shortest;   /* of the altitudes of an element the shortest alone acts */
    double fraction; /* overdamping fraction; 1: critical */
    double seconds;  /* in place of it: damping as this times the stiffness */
} DeformSprings;

typedef struct DeformWind {
    bool blows;
    FieldFunction velocity[3]; /* m/s */
    double density, drag;      /* kg/m^3, 1 */
} DeformWind;

typedef enum BendingModel {
    BENDING_SHELL, /* mean curvature tensors of rings and triangles: nearly the same on any mesh */
    BENDING_HINGE, /* every edge for itself (000 section 3.2.2): depends on the mesh */
    BENDING_NONE
} BendingModel;

/* Of sheets. */
typedef struct BendingDesc {
    BendingModel model;
    double stiffness; /* B, N m: moment a length over curvature; at least 0 */
    double damping;   /* s: moment of this times B times the rate of curvature */
    bool is_flat;     /* angles at rest are 0; else those of the mesh at rest */
} BendingDesc;

/* Arrays are copied. Positions in two dimensions have z = 0. */
typedef struct DeformBodyDesc {
    const char *name;
    size_t node_count, element_count, face_count, link_count;
    const Vec3 *rest;                /* m, without stress, turned as it starts */
    const Vec3 *position, *velocity; /* m, m/s, at the start, in the world */
    /* Corners: four, three in two dimensions; of a sheet one less. */
    const int32_t (*elements)[4];
    bool is_sheet; /* faces are the elements; density is kg/m^2, moduli of the law are N/m */
    const int32_t (*faces)[3];           /* of the surface, outward; edges in 2D */
    const int32_t (*links)[2];           /* 004's: k and z below */
    double link_stiffness, link_damping; /* N/m, N s/m */
    double density;                      /* kg/m^3 */
    double mass;                         /* kg, in place of it; 0: not given */
    bool has_law;                        /* elements are elastic */
    ElementLaw law;
    double damping; /* s: a of 002 section 5.5.1, alpha = a lambda, beta = a mu */
    DampingForm damping_form;
    double yield_stretch; /* above 1: elements of a solid keep what is beyond; 0: never */
    DeformSprings springs;
    BendingDesc bending;
    double strain_limit; /* of edges of a sheet, and of their change in a step; 0: none */
    DeformWind wind;
    double friction, kinetic_friction;
    bool collides;     /* with other bodies of nodes and faces */
    bool meets_itself; /* a solid; sheets do */
    double thickness;  /* m, that its surface keeps from others; 0: a quarter of its mean edge */
    double radius;     /* m, of a body without faces: what is drawn of its nodes */
    float color[3];
    const double (
        *checks)[2]; /* of its nodes, on a checkerboard of unit squares; NULL: one colour */
} DeformBodyDesc;

/* PLIM_BAD_INPUT, naming the body and the fix, for flat elements, indices out of range, values that
 * are not finite, a mass that is not positive. */
PlimStatus deform_add_body(Deform *deform, const DeformBodyDesc *desc, size_t *out);

/* Where pinned nodes are at a time: turned about a point, then moved, from where they started. */
typedef struct DeformPath {
    Quat turn;
    Vec3 about, move; /* m */
    Vec3 spin, rate;  /* rad/s, m/s: their derivatives in time */
} DeformPath;
typedef PlimStatus (*DeformPathFn)(void *user, PlimContext *context, double t, DeformPath *path);

typedef struct DeformPinDesc {
    const char *name;
    size_t body;
    const int32_t *nodes; /* of the body */
    size_t node_count;
    bool axes[3];      /* of the world, that they are held along */
    DeformPathFn path; /* NULL: they stay */
    void *path_user;
    SurfaceRef with;    /* a rigid surface that they move with; without class: none */
    double from, until; /* s: when it holds; until 0: to the end */
} DeformPinDesc;

PlimStatus deform_add_pin(Deform *deform, const DeformPinDesc *desc);

typedef struct DeformForce {
    Vec3 force;      /* N, on all nodes together */
    double pressure; /* Pa, on the faces between them, inward */
} DeformForce;
typedef PlimStatus (*DeformForceFn)(void *user, PlimContext *context, double t, DeformForce *force);

typedef struct DeformLoadDesc {
    const char *name;
    size_t body;
    const int32_t *nodes; /* of the body */
    size_t node_count;
    DeformForce force; /* if it does not change */
    bool needs_faces;  /* it presses: refused where no face lies between the nodes */
    DeformForceFn at;  /* NULL: it does not */
    void *at_user;
} DeformLoadDesc;

PlimStatus deform_add_load(Deform *deform, const DeformLoadDesc *desc);

/* A surface that is drawn in place of that of the body's tetrahedra, which carry it: places at
 * rest, as those of its nodes; copied. It has no part in the motion. PLIM_BAD_INPUT, naming the
 * body, when it reaches far out of them. */
PlimStatus deform_add_skin(Deform *deform, size_t body, const TriangleMesh *mesh);

/* A node with a name, for probes. */
PlimStatus deform_add_point(Deform *deform, const char *name, size_t body, int32_t node);

/* A rigid surface in the way. Free ones are pushed back where deform_pushes_bodies. */
PlimStatus deform_add_collider(Deform *deform, const SurfaceRef *ref, double friction,
                               double kinetic_friction);

/* Not by `newmark`, and not in statics. */
bool deform_pushes_bodies(const Deform *deform);

/* When all are there: patterns of matrices, forces at the start. */
PlimStatus deform_finish(Deform *deform);

size_t deform_bytes(size_t nodes, size_t elements); /* about, of a run */
size_t deform_bending_bytes(size_t nodes);          /* what BENDING_SHELL adds to that */

extern const SystemClass deform_class;

#endif
