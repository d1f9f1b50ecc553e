/* What a scene says of deformable solids, as structs; format_deform.c has the tables. */
#ifndef SCENE_FORMAT_DEFORM_H
#define SCENE_FORMAT_DEFORM_H

#include "geom/tri/tri_mesh.h"
#include "scene/format.h"

/* Which nodes of a body, at rest and in its own axes: exactly one of the three. */
typedef struct SceneNodes {
    SceneItems in;
    double near_to[3]; /* m; NAN: not given */
    const char *group; /* of the OBJ file that the body is from; NULL: not given */
} SceneNodes;

typedef struct ScenePin {
    const char *name;
    SceneNodes nodes;
    const char *axes;
    SceneMotion move[3]; /* m */
    SceneRotation turn;
    double about[3];    /* m, in the world */
    const char *with;   /* a rigid body; NULL: none */
    double from, until; /* s; until 0: to the end */
} ScenePin;

typedef struct SceneLoad {
    const char *name;
    SceneNodes nodes;
    SceneMotion force[3]; /* N */
    SceneMotion pressure; /* Pa */
} SceneLoad;

typedef struct ScenePoint {
    const char *name;
    double near_to[3]; /* m */
    const char *group; /* among whose nodes; NULL: all */
} ScenePoint;

typedef struct SceneTetFile {
    const char *path;    /* absolute once the scene was checked */
    const char *content; /* hash of the file, in hexadecimal */
    double scale;
} SceneTetFile;

/* A surface that the elements carry. */
typedef struct SceneSkin {
    const char *path;    /* absolute once the scene was checked */
    const char *content; /* hash of the file, in hexadecimal */
    double scale;
} SceneSkin;

/* Nodes at the corners of cells, linked with all their neighbours (004 section 2.2). */
typedef struct SceneLattice {
    double size[3];            /* m */
    double cells[3];           /* along each axis */
    double stiffness, damping; /* N/m, N s/m */
} SceneLattice;

/* A sheet of triangles: a rectangle in own x and z, or a surface from a file. */
typedef struct SceneSheet {
    double size[2];      /* m */
    double cells[2];     /* along each side */
    int cut;             /* TriPattern, or SCENE_CUT_IRREGULAR */
    const char *path;    /* NULL: a rectangle; absolute once the scene was checked */
    const char *content; /* hash of the file, in hexadecimal */
    double scale;
} SceneSheet;
enum { SCENE_CUT_IRREGULAR = TRI_MIRRORED + 1 };

/* Segments along own x, in two dimensions. */
typedef struct SceneChain {
    double length; /* m */
    int64_t segments;
} SceneChain;

typedef struct SceneParticle {
    double radius; /* m, of what is drawn */
} SceneParticle;

typedef struct SceneSprings {
    double edges, altitudes; /* N */
    int which;               /* 1: the shortest altitude alone */
    double damping;          /* overdamping fraction */
} SceneSprings;

typedef struct SceneWind {
    SceneField velocity[3];
    double density, drag;
} SceneWind;

typedef struct SceneSoftBody {
    const char *name;
    const char *material;
    /* Counts when its key is there; likewise mesh, sheet, chain, lattice, particle, springs, skin.
     */
    SceneShape shape;
    SceneTetFile mesh;
    SceneSheet sheet;
    SceneChain chain;
    SceneLattice lattice;
    SceneParticle particle;
    double cells[3]; /* of a box; 0: by the spacing */
    double spacing;  /* m */
    int cut;         /* TriPattern */
    SceneField map[3], start[3];
    double scramble; /* m */
    double position[3];
    SceneOrientation orientation;
    SceneField velocity[3];
    double angular_velocity[3];
    double density, mass;
    int model;                     /* LawModel */
    double young, poisson;         /* Pa, 1 */
    int plane;                     /* 1: stress */
    double least_stretch, damping; /* 1, s */
    int damping_form;              /* DampingForm */
    double yield_stretch;          /* 0: not given */
    SceneSprings springs;
    int fabric;                   /* 0: none */
    double area_density, stretch; /* kg/m^2, N/m; 0: not given */
    int bending, rest_angles;     /* BendingModel; 1: flat */
    double bending_stiffness;     /* N m; negative: not given */
    double bending_damping;       /* s */
    double strain_limit;          /* 1 */
    double checkered;             /* m; 0: plain */
    SceneWind wind;
    SceneSkin skin;
    SceneItems pins, loads, points;
    SceneFriction friction;
    bool collisions, self_collision;
    double thickness; /* m; 0: by the edges */
    double color[3];
    SceneRepeat repeat;
} SceneSoftBody;

#endif
