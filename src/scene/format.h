/* What a scene file says, as structs; format.c, format_rigid.c, format_fluid.c and format_splash.c
 * have the tables that fill them. */
#ifndef SCENE_FORMAT_H
#define SCENE_FORMAT_H

#include "plimsoll/rigid.h"
#include "scene/table.h"

typedef struct SceneTimeStep {
    double max_dt;
} SceneTimeStep;

/* Negative: not given; without `kinetic` it is that at rest. */
typedef struct SceneFriction {
    double at_rest, kinetic;
} SceneFriction;

/* For pictures alone. */
typedef struct SceneGlass {
    double index; /* of refraction */
    double absorption[3];
} SceneGlass;

typedef struct SceneMaterial {
    const char *name;
    SceneGlass glass;
    bool is_glass;
    double density;
    SceneFriction friction;
    double restitution, rolling_friction, spinning_friction;
    double color[3];
} SceneMaterial;

/* How two materials meet; negative: as without it. */
typedef struct SceneMaterialPair {
    SceneNames materials;
    SceneFriction friction;
    double restitution, rolling_friction, spinning_friction;
} SceneMaterialPair;

typedef struct SceneBox {
    double size[3];
} SceneBox;

typedef struct SceneBall {
    double radius;
    int64_t subdivisions;
} SceneBall;

typedef struct SceneRound { /* cylinder, capsule, torus, cone */
    double radius, tube, height;
    int64_t segments, sides;
} SceneRound;

typedef struct SceneRotation {
    double axis[3];
    SceneMotion angle; /* degrees */
} SceneRotation;

typedef struct SceneOrientation {
    SceneRotation first;
    SceneItems then; /* rotations that follow, about axes of the world */
} SceneOrientation;

typedef struct SceneFile {
    const char *path;    /* absolute once the scene was checked */
    const char *content; /* hash of the file, in hexadecimal */
    double scale;
    int64_t cells; /* of its distance field; 0: chosen by its mesh */
    double shell;  /* thickness of an open surface; 0: a solid */
    bool repair;
} SceneFile;

typedef struct SceneHalfSpace {
    double size[2]; /* of what is drawn, along x and z */
} SceneHalfSpace;

typedef struct ScenePrism {
    SceneItems points;
    double depth;
    int64_t cells; /* of its distance field; 0: chosen by its mesh */
} ScenePrism;

typedef struct SceneCombination { /* union, intersection, difference */
    SceneItems of;
    int64_t cells;
} SceneCombination;

typedef struct ScenePlace {
    const char *name, *material; /* of an obstacle; NULL: none */
    SceneItems shape;
    double position[3];
    SceneOrientation orientation;
    double scale;
} ScenePlace;

/* Which key of a shape was given. The first are those of PlimShapeKind, in its order. */
enum {
    SCENE_SHAPE_FILE = PLIM_SHAPE_MESH,
    SCENE_SHAPE_HALF_SPACE = PLIM_SHAPE_HALF_SPACE,
    SCENE_SHAPE_UNION,
    SCENE_SHAPE_INTERSECTION,
    SCENE_SHAPE_DIFFERENCE,
    SCENE_SHAPE_PLACE,
    SCENE_SHAPE_PRISM
};

typedef struct SceneShape {
    int kind;
    SceneBox box;
    SceneBall ball;
    SceneRound round;
    SceneFile file;
    SceneHalfSpace half_space;
    SceneCombination combination;
    ScenePlace place;
    ScenePrism prism;
} SceneShape;

typedef struct SceneRepeat {
    double grid[3];
    int64_t count;
    double spacing[3], jitter[3];
    double tilt; /* degrees */
} SceneRepeat;

/* Where a kinematic body is at one time; what is left out is as in the one before. */
typedef struct SceneKeyframe {
    double time; /* s */
    double position[3];
    SceneOrientation orientation;
} SceneKeyframe;

/* What acts on a body. */
typedef struct SceneForce {
    SceneMotion force[3], torque[3];
    int axes;     /* 1: the body's */
    double at[3]; /* m, in the shape's own axes; NAN: the centre of mass */
} SceneForce;

typedef struct SceneBody {
    const char *name;
    const char *material;
    const char *group; /* NULL: none */
    SceneNames collides_with;
    SceneItems forces;
    double linear_damping, angular_damping;
    double surface_velocity[3];
    SceneShape shape;
    int motion; /* PlimMotion */
    SceneMotion position[3];
    SceneOrientation orientation;
    SceneItems keyframes;
    double velocity[3], angular_velocity[3];
    double mass, density;
    /* Negative: the material's, or the default. */
    SceneFriction friction;
    double restitution, rolling_friction, spinning_friction;
    double inertia[3];
    double shell;     /* m, wall of a hollow body; 0: solid */
    double center[3]; /* m, of mass, in the shape's own axes; NAN: that of the shape */
    double pin[3];    /* NAN: none */
    bool lock_rotation, passive, exact;
    double through_flow[3];
    double color[3];
    SceneRepeat repeat;
} SceneBody;

/* A joint. NAN in places and lengths: left out. */
typedef struct SceneBreak {
    double force, torque; /* 0: none */
} SceneBreak;

typedef struct SceneSpring {
    double stiffness, damping, rest;
} SceneSpring;

/* A motor or control; counts when its map is there. */
typedef struct SceneDrive {
    SceneMotion value; /* speed, or target */
    double strength, max_torque;
} SceneDrive;

typedef struct SceneJoint {
    const char *name;
    int kind; /* PlimJointKind */
    SceneNames bodies;
    double copies[2];
    double at[3], to[3], axis[3], second_axis[3];
    double length;
    bool collide;
    SceneBreak breaks;
    double limits[2], twist[2], swing;
    SceneSpring spring;
    SceneDrive motor, control;
    SceneRepeat repeat;
} SceneJoint;

typedef struct SceneContact {
    bool enabled;
    int64_t collision_iterations, contact_iterations, level_iterations, shock_iterations;
    bool push_out, clamp, sleep;
    double travel;
    int pairs;       /* PlimPairs */
    int sequence;    /* PlimSequence */
    int restitution; /* PlimRestitution */
} SceneContact;

typedef struct SceneRigid {
    int64_t orientation_order;
    bool energy_correction;
    int joint_impulse; /* PlimJointImpulse */
    SceneContact contact;
    SceneItems bodies;
} SceneRigid;

typedef struct SceneDeformable {
    int integrator, elastic; /* DeformIntegrator, DeformElastic */
    double step_fraction, tolerance;
    int64_t iterations;
    bool contact, frame_elements, collisions;
    int zones;            /* 1: affine */
    double preroll, drag; /* s, 1/s */
    SceneItems bodies;
} SceneDeformable;

typedef struct SceneDomain {
    double low[3], high[3];
} SceneDomain;

enum { SCENE_SIDE_WALL, SCENE_SIDE_OPEN, SCENE_SIDE_PERIODIC, SCENE_SIDE_INFLOW };

/* Of a wall, as bodies meet it; negative: not given. */
typedef struct SceneWall {
    SceneFriction friction;
    double restitution;
} SceneWall;

typedef struct SceneSide {
    int kind;
    SceneWall wall;
    SceneField velocity[3];
    double slip;
    SceneField smoke, temperature;
    SceneField level;
} SceneSide;

/* Of each axis: low, high. */
typedef struct SceneSides {
    SceneSide of[3][2];
} SceneSides;

typedef struct SceneRandom {
    double amplitude, length;
} SceneRandom;

typedef struct SceneStart {
    SceneField velocity[3];
    SceneRandom random; /* counts when its map is there */
    SceneField smoke, temperature;
} SceneStart;

typedef struct SceneSmoke {
    double weight, buoyancy, ambient, cooling, fading;
} SceneSmoke;

typedef struct SceneSource {
    const char *name;
    const char *body; /* that it follows; NULL: none */
    ScenePlace place;
    SceneField smoke, temperature, velocity[3], expansion;
    int liquid; /* FluidPouring */
    SceneField runs, rate;
} SceneSource;

typedef struct SceneLiquid {
    SceneItems shapes;
    SceneField level;
    int surface; /* 1: first order */
    int scheme;  /* 1: maccormack */
    double escape;
    int64_t corrections;
    int64_t particles, reseed, extension;
    bool drops, bubbles, volume_keeping, volume_control, separation;
    double rise;
    double absorption[3];
} SceneLiquid;

enum { SCENE_SEMI_LAGRANGIAN, SCENE_MACCORMACK, SCENE_NO_ADVECTION, SCENE_CONSERVATIVE };

typedef struct SceneFluid {
    const char *name;
    SceneDomain domain;
    int64_t cells;
    SceneSides sides;
    SceneItems obstacles, sources;
    double density, tolerance;
    SceneField viscosity;
    double slip;
    int advection;
    int64_t trace_order, time_order;
    int storage; /* FluidStorage */
    double cfl;
    SceneField force[3];
    double confinement;
    SceneSmoke smoke;   /* counts when its map is there */
    SceneLiquid liquid; /* the same */
    int flow;           /* 1: given */
    SceneStart initial;
} SceneFluid;

/* A shape in its place, with a name: a liquid, source or sink of a splash. */
typedef struct ScenePlaced {
    const char *name;
    ScenePlace place;
} ScenePlaced;

typedef struct SceneSplashLiquid {
    ScenePlaced at;
    SceneField velocity[3];
} SceneSplashLiquid;

typedef struct SceneSplashSource {
    ScenePlaced at;
    double velocity[3];
    double rate; /* 0: as much as the mouth lets through */
    SceneField runs;
} SceneSplashSource;

typedef struct SceneBlast {
    const char *name;
    double time;
    double center[3];
    double radius, speed;
} SceneBlast;

typedef struct SceneSplashSurface {
    bool mesh, particles;
    double radius;
    int64_t smoothing;
    double absorption[3];
} SceneSplashSurface;

typedef struct SceneSplashSide {
    int kind; /* SCENE_SIDE_WALL or SCENE_SIDE_OPEN */
    SceneWall wall;
} SceneSplashSide;

/* Words are counted as the enums of splash.h count them. */
typedef struct SceneSplash {
    const char *name;
    SceneDomain domain;
    int64_t cells;
    SceneSplashSide sides[3][2];
    double density;
    int64_t particles; /* along an edge of a cell */
    double jitter;
    int incompressibility, transfer, path, densities, fractions;
    double flip;
    double air, settling;
    double viscosity, slip;
    bool sealed, correct_density;
    double crowding;
    int64_t corrections;
    double tolerance;
    int preconditioner; /* PoissonMethod */
    double cfl;
    int64_t samples, extrapolation;
    SceneItems liquids, obstacles, sources, sinks, blasts;
    SceneSplashSurface surface;
} SceneSplash;

typedef struct SceneSection {
    int axis;
    double at, low[3], high[3];
} SceneSection;

typedef struct SceneProbe {
    const char *name;
    const char *object;
    const char *domain;
    double point[3];
    SceneSection section;
    SceneNames quantities;
} SceneProbe;

typedef struct SceneCamera {
    double position[3], target[3];
    double field_of_view; /* degrees; 0: no camera in the scene */
    bool ground;
    double ground_height;
    double checker;
    bool caption, glass;
} SceneCamera;

enum { SCENE_SOLVER_AUTO, SCENE_SOLVER_MONOLITHIC, SCENE_SOLVER_SPLIT };

typedef struct SceneCoupling {
    int fluid; /* 1: one way */
    int solver;
    int positions; /* 1: held */
    int surface;   /* FluidSurface */
    bool lubrication;
    double roughness;
} SceneCoupling;

/* What frames hold beside what they always do. */
typedef struct SceneOutput {
    bool contacts;
} SceneOutput;

typedef struct SceneDocument {
    int64_t version;
    const char *name;
    double duration, fps;
    double gravity[3];
    int64_t dim;
    int64_t seed;
    SceneTimeStep time_step;
    SceneItems material_pairs;
    SceneItems materials;
    SceneRigid rigid;
    SceneItems joints;
    SceneDeformable deformable;
    SceneItems fluid, splash; /* a map, or a list of them: systems.c */
    SceneCoupling coupling;
    SceneItems probes;
    SceneOutput output;
    SceneCamera camera;
    SceneNames resumed_from;
} SceneDocument;

enum { SCENE_VERSION = 1 };

extern const SceneTable scene_table;
extern const SceneTable scene_orientation_table;
extern const SceneTable scene_rotation_table, scene_force_table, scene_friction_table;
extern const SceneTable scene_material_pair_table;
extern const SceneTable scene_domain_table;
extern const SceneTable scene_fluid_table;
extern const SceneTable scene_source_table;
extern const SceneTable scene_splash_table;
extern const SceneTable scene_splash_liquid_table;
extern const SceneTable scene_splash_source_table;
extern const SceneTable scene_splash_sink_table;
extern const SceneTable scene_blast_table;
extern const SceneTable scene_material_table;
extern const SceneTable scene_shape_table;
extern const SceneTable scene_body_table;
extern const SceneTable scene_keyframe_table;
extern const SceneTable scene_joint_table;
extern const SceneTable scene_rigid_table;
extern const SceneTable scene_repeat_table;
extern const SceneTable scene_deformable_table, scene_soft_body_table;
extern const SceneTable scene_pin_table, scene_load_table, scene_point_table;
extern const SceneTable scene_probe_table;

#endif
