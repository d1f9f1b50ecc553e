/* Rigid bodies of a world. A body's position is its centre of mass; its axes are those of its
 * shape. */
#ifndef PLIMSOLL_RIGID_H
#define PLIMSOLL_RIGID_H

#include "plimsoll/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum PlimShapeKind {
    PLIM_SHAPE_BOX,
    PLIM_SHAPE_BALL,
    PLIM_SHAPE_CYLINDER,  /* axis along y */
    PLIM_SHAPE_CAPSULE,   /* axis along y */
    PLIM_SHAPE_TORUS,     /* hole along y */
    PLIM_SHAPE_CONE,      /* apex on +y, base on -y, middle of the axis at the origin */
    PLIM_SHAPE_MESH,      /* triangles of your own */
    PLIM_SHAPE_HALF_SPACE /* everything below y = 0; for bodies that forces do not move */
} PlimShapeKind;

/* A closed surface; corners counter-clockwise seen from outside. Copied. */
typedef struct PlimMeshDesc {
    const double *vertices; /* m, 3 a vertex */
    size_t vertex_count;
    const int32_t *triangles; /* 3 vertices a triangle */
    size_t triangle_count;
} PlimMeshDesc;

/* A solid, and the triangles that show it; lengths in metres. Mass, centre and inertia are those of
 * the true ball, box, cylinder, capsule, torus or cone however coarse its triangles are, and those
 * that the triangles of a mesh enclose. */
typedef struct PlimShapeDesc {
    PlimShapeKind kind;
    double size[3];   /* box: full edge lengths, default 1; half space: of what is drawn of its
                         surface, x and z */
    double radius;    /* ball, cylinder, capsule, cone; torus: from the centre to the tube's middle;
                         0.5 */
    double tube;      /* torus: radius of the tube, default 0.2 */
    double height;    /* cylinder, cone, and the straight part of a capsule, default 1 */
    int subdivisions; /* ball: times an icosahedron is split, 0..7, default 3 */
    int segments;     /* around the axis, 3 or more, default 32 */
    int sides;        /* torus: around the tube; capsule: bands in each half ball; default 12 */
    const PlimMeshDesc *mesh; /* mesh only */
    double shell; /* mesh only: thickness in metres of an open surface, which then need not enclose
                     anything; its mass is density times area times this; 0 (default): a solid */
    int cells;    /* mesh only: of its distance field along the longest side; 0 (default): chosen by
                     the size of its triangles */
} PlimShapeDesc;

typedef enum PlimMotion {
    PLIM_DYNAMIC,  /* moved by forces */
    PLIM_STATIC,   /* never moves */
    PLIM_KINEMATIC /* moved by `motion_path` */
} PlimMotion;

/* Where a kinematic body is at time t, and how fast it moves there. */
typedef struct PlimPose {
    double position[3];         /* m, of the centre of mass */
    double orientation[4];      /* unit quaternion w, x, y, z */
    double velocity[3];         /* m/s */
    double angular_velocity[3]; /* rad/s, world axes */
} PlimPose;

/* Fills `pose` for time t; anything but PLIM_OK stops the run. Must depend on nothing but t. */
typedef PlimStatus (*PlimMotionFn)(void *user, PlimContext *context, double t, PlimPose *pose);

/* A force and a torque on a body at time t. */
typedef struct PlimForce {
    double force[3];  /* N */
    double torque[3]; /* N m, beside the moment that the force has about the centre of mass */
} PlimForce;

/* Fills `force` for time t; anything but PLIM_OK stops the run. Must depend on nothing but t. */
typedef PlimStatus (*PlimForceFn)(void *user, PlimContext *context, double t, PlimForce *force);

/* What acts on a dynamic body beside gravity, contact and fluids. All 0 by default: no force, at
 * the centre of mass, along the world's axes. */
typedef struct PlimForceDesc {
    PlimForce force;  /* constant; not used with `path` */
    PlimForceFn path; /* NULL (default): constant. A body whose force changes does not sleep */
    void *path_user;
    int body_axes; /* 1: force and torque are along the body's axes and turn with it */
    int has_at;    /* 1: the force acts at `at`, a point of the body; default 0: at its centre */
    double at[3];  /* m, in the shape's own axes */
} PlimForceDesc;

/* Bits of groups of bodies: who collides with whom. */
enum { PLIM_GROUP_COUNT = 64 };

typedef struct PlimRigidDesc {
    const char *name;    /* unique in the world; copied */
    PlimShapeDesc shape; /* shapes of equal description share their triangles */
    PlimMotion motion;   /* default PLIM_DYNAMIC */
    double density;      /* kg/m^3, default 1000; ignored when mass > 0 */
    double mass;         /* kg; 0 (default): from density and volume */
    double volume;       /* m^3, what it displaces in a fluid; 0 (default): the shape's */
    double shell;        /* m, thickness of the wall of a hollow body: its mass is that of the wall,
                            what it displaces stays that of the shape; 0 (default): solid. Not of
                            meshes and half spaces: give those a mass and an inertia */
    double inertia[3];   /* kg m^2 about the shape's axes; all 0 (default): the shape's */
    int has_center;      /* 1: the centre of mass is `center`; default 0: that of the shape */
    double center[3];    /* m, in the shape's own axes. Without `inertia` that about the shape's own
                            centre is as it would be with the mass spread evenly, and about
                            `center` less by the parallel axis theorem */
    PlimPose pose;       /* at t = 0; default: at rest at the origin. With `plane` it says how the
                            shape lies, its centre at `position`; a dynamic body is its cut with
                            z = 0, 1 m deep, in mass and inertia too, and its position from then
                            on the centre of the cut */
    int has_pin;         /* 1: the point of the body that is at `pin` at t = 0 stays there. A body
                            that turns and has no velocity starts with the one that fits */
    double pin[3];       /* m, in the world; dynamic bodies only, as is the next */
    int lock_rotation;   /* 1: the body does not turn; default 0 */
    double friction;     /* coefficient, default 0.5; of a pair the greater one counts */
    double kinetic_friction;  /* the same while the surfaces slide, at most `friction`; negative
                                 (default): `friction` */
    double restitution;       /* 0 (default) to 1; of a pair the lesser one counts, or what
                                 PlimRigidOptions.restitution says */
    double rolling_friction;  /* m, lever arm of the torque that resists rolling, where the surface
                                 is as round as a ball of the body's volume, and in proportion to
                                 the radius of curvature elsewhere; default 0; of a pair the greater
                                 one counts, as of the next */
    double spinning_friction; /* m, the same for turning about the normal */
    double surface_velocity[3]; /* m/s, body axes, default 0: its surface runs at this velocity,
                                   as that of a belt; of it counts what is along the surface */
    int material;           /* number of its material, from 1, for PlimMaterialPair; default 0 */
    double linear_damping;  /* 1/s, default 0: velocity goes as exp(-t linear_damping); of
                               dynamic bodies, as is the next. A pinned body turns, and has the
                               next alone */
    double angular_damping; /* 1/s, the same of turning */
    uint64_t groups;        /* bits of the groups it is in, default 1 */
    uint64_t collides_with; /* of the groups whose bodies it meets, if they meet its own too;
                               default all. Walls of a domain hold every body */
    int exact; /* 1: its triangles are in the way of sheets and deformable bodies, which never
                  cross them; default 0: its inside is, by its distance. Not of half spaces, nor
                  with `plane`. Like all rigid bodies it does not feel them */
    const PlimForceDesc *forces; /* dynamic bodies only; copied */
    size_t force_count;
    PlimMotionFn motion_path; /* kinematic bodies only */
    void *motion_user;
    float color[3]; /* sRGB 0..1, default 0.7 */
    /* In pictures light goes through it: index of refraction, and absorption of red, green and blue
       light, 1/m. An index of 0, the default: it is opaque. */
    float glass[4];
} PlimRigidDesc;

/* How a pair of bodies that interferes at several points is resolved (000 section 2.6). */
typedef enum PlimPairs {
    PLIM_PAIRS_REEVOLVE, /* the deepest point first; after each impulse look where it leads */
    PLIM_PAIRS_LAGGED    /* every point found at first, until each was separating once */
} PlimPairs;

/* When collisions are treated (000 section 2.5). */
typedef enum PlimSequence {
    PLIM_SEQUENCE_COLLIDE_FIRST, /* with the velocity before forces: what rests does not bounce */
    PLIM_SEQUENCE_STANDARD       /* with the velocity after forces: to show why not */
} PlimSequence;

/* What the restitution of a pair is made of. */
typedef enum PlimRestitution {
    PLIM_RESTITUTION_MIN, /* the lesser of both: who bounces must be met by what bounces */
    PLIM_RESTITUTION_MAX,
    PLIM_RESTITUTION_PRODUCT
} PlimRestitution;

/* What becomes of the impulse by which joints stay closed in a step (docs/joints.md). */
typedef enum PlimJointImpulse {
    PLIM_JOINT_IMPULSE_KEPT,   /* velocities get it too: swings keep their energy */
    PLIM_JOINT_IMPULSE_DROPPED /* it moves bodies alone, as in 002 sections 4.6 and 4.7 */
} PlimJointImpulse;

/* How two materials meet, in place of what their bodies say. */
typedef struct PlimMaterialPair {
    int a, b;                /* numbers of materials, in any order, or twice the same */
    double friction;         /* negative (default), here and below: as without this pair */
    double kinetic_friction; /* without it: `friction`, if that is given */
    double restitution;      /* at most 1 */
    double rolling_friction, spinning_friction; /* m */
} PlimMaterialPair;

/* How bodies are moved, and how they meet. */
typedef struct PlimRigidOptions {
    int orientation_order;    /* 1, 2 (default) or 3: order in dt of the update of orientations */
    int energy_correction;    /* 1 (default): turn each body to where its kinetic energy is kept */
    int hold_positions;       /* 1: dynamic bodies keep their places, velocities alone develop;
                                 default 0 */
    int plane;                /* 1: bodies of the plane z = 0, turning about z alone; default 0;
                                 to be chosen before the first body */
    int contact;              /* 0: bodies pass through one another; default 1 */
    int collision_iterations; /* default 5 */
    int contact_iterations;   /* sweeps over the levels of the contact graph, default 10 */
    int level_iterations;     /* most passes over a level before the next, default 2 */
    int shock_iterations;     /* sweeps of shock propagation, 0 or 1 (default) */
    int push_out;             /* 1 (default): overlaps are taken out of positions */
    int clamp;                /* 1 (default): no impulse may raise the kinetic energy */
    int sleep;                /* 1 (default): bodies at an exact standstill are left alone */
    int frame_contacts; /* 1: frames hold where bodies touch, and with what force; default 0 */
    double travel;      /* largest part of its size that a body moves in a step, default 0.5;
                           0: no limit */
    PlimPairs pairs;
    PlimSequence sequence;
    PlimRestitution restitution;    /* default PLIM_RESTITUTION_MIN */
    PlimJointImpulse joint_impulse; /* default PLIM_JOINT_IMPULSE_KEPT */
    uint64_t seed;                  /* of the order in which pairs are treated */
} PlimRigidOptions;

PLIM_API PlimRigidOptions plim_rigid_options_default(void);
PLIM_API PlimStatus plim_rigid_configure(PlimWorld *world, const PlimRigidOptions *options);

PLIM_API PlimRigidDesc plim_rigid_desc_default(void);

/* Adds a body; `id` counts up from 0. Bodies are added before the first step. */
PLIM_API PlimStatus plim_rigid_add(PlimWorld *world, const PlimRigidDesc *desc, size_t *id);

PLIM_API PlimMaterialPair plim_material_pair_default(void);
/* Says how two materials meet; before the first step, each pair once. */
PLIM_API PlimStatus plim_rigid_add_material_pair(PlimWorld *world, const PlimMaterialPair *pair);

PLIM_API size_t plim_rigid_count(const PlimWorld *world);
/* The body's id, or -1 when there is none of that name. */
PLIM_API ptrdiff_t plim_rigid_find(const PlimWorld *world, const char *name);
/* Where the body is. PLIM_BAD_INPUT, and `pose` as it was, when there is none with that id. */
PLIM_API PlimStatus plim_rigid_pose(const PlimWorld *world, size_t id, PlimPose *pose);
PLIM_API double plim_rigid_mass(const PlimWorld *world, size_t id); /* kg; NaN: no such body */
/* A new position, orientation and velocity; refused for a body that is not dynamic. A body that is
 * held keeps its pin, and what it is held from of the motion is taken away. */
PLIM_API PlimStatus plim_rigid_set_pose(PlimWorld *world, size_t id, const PlimPose *pose);

#ifdef __cplusplus
}
#endif
#endif
