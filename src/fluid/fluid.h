/* Incompressible flow on a staggered grid, the system of a fluid: velocities on faces, pressure at
 * cell centres, colliders that it flows around. It fills the grid, with smoke and its temperature
 * carried along, or it is a liquid with a free surface. The step is that of 000 section 4.6 with
 * viscosity (002 section 5.7) between forces and projection. */
#ifndef FLUID_FLUID_H
#define FLUID_FLUID_H

#include "base/array.h"
#include "geom/query/room.h"
#include "grid/advect.h"
#include "grid/field_function.h"
#include "grid/particles/particle_level_set.h"
#include "solve/coupled/coupled_flow.h"
#include "solve/pressure/poisson.h"
#include "solve/viscosity/viscosity.h"
#include "system/flow.h"
#include "system/immersed.h"
#include "system/system.h"

/* What the velocities are at t = 0. */
typedef enum FluidStart {
    FLUID_AT_REST,
    FLUID_RANDOM,  /* smooth noise, full of sources and sinks for the pressure solve to remove */
    FLUID_FUNCTION /* `velocity`, on faces */
} FluidStart;

/* Where velocity, smoke and temperature are while they are carried (000 section 4.4.1). Faces keep
 * the velocity from step to step in both. */
typedef enum FluidStorage { FLUID_ON_FACES, FLUID_ON_NODES } FluidStorage;

/* One side of the domain; its kind is in the grid. */
typedef struct FluidSide {
    FieldFunction velocity[3];        /* m/s; of a wall (along it) or of what flows in */
    double slip;                      /* m, slip length of a wall; HUGE_VAL: slips freely */
    FieldFunction smoke, temperature; /* of what comes in */
    FieldFunction level; /* m, of what comes in with a free surface: negative is liquid */
} FluidSide;

/* What a source does to the surface of a liquid. */
typedef enum FluidPouring {
    FLUID_LEAVES, /* nothing */
    FLUID_FILLS,  /* all inside it is liquid */
    FLUID_DRAINS  /* none is */
} FluidPouring;

/* Inside a shape: values that are set in every step. */
typedef struct FluidSource {
    const char *name; /* must outlive the fluid */
    Solid solid; /* in the world; kept by reference: what it points to must outlive the fluid */
    /* NULL: it stands still. Else the name of one of `bodies`, which it follows: its solid, the
     * places that its functions are read at and its velocity are then in the axes of that body's
     * shape. */
    const char *body;
    SurfaceRef ref; /* that body, and where the shape's own origin is: found by the fluid */
    Collider place;
    bool sets_smoke, sets_temperature, sets_velocity;
    FieldFunction smoke, temperature, velocity[3];
    FieldFunction expansion; /* 1/s, volume made in a volume; negative: a sink */
    FluidPouring pouring;
    FieldFunction runs; /* pours where this is above 0: a function of time */
    bool has_rate;      /* of what fills: it pours `rate`, m^3/s, a function of time, exactly */
    FieldFunction rate;
} FluidSource;

/* Smoke and its temperature, carried along. */
typedef struct FluidSmoke {
    bool is_there;
    FieldFunction amount, temperature; /* at t = 0 */
    double weight;   /* m/s^2 downwards for a unit of smoke: alpha of 000 section 4.4.3 */
    double buoyancy; /* m/s^2 upwards for a degree above ambient: beta there */
    double ambient;  /* temperature of the surroundings */
    double cooling;  /* 1/s, rate at which the difference from ambient goes down */
    double fading;   /* 1/s, rate at which smoke goes away */
} FluidSmoke;

/* A liquid with a free surface (000 section 4.5): a level set, negative in liquid, with particles.
 * Air has no weight and pressure 0. */
typedef struct FluidLiquid {
    bool is_there;
    const Solid *shape;  /* liquid at t = 0; NULL: `level`; must outlive the fluid */
    FieldFunction level; /* m, at t = 0, negative in liquid; need not be a distance */
    bool first_order;    /* the air's pressure is at the centres of its cells, not at the surface */
    bool has_particles;
    ParticleOptions particles;
    AdvectionScheme scheme; /* of the level set */
    bool corrects_twice;    /* by particles: after the level set was carried, and after distances */
    int reseed;             /* steps from one look for places that lack particles to the next */
    int extension;          /* cells that velocities go on into the air, 3 to 5 */
    double rise;            /* m/s, of bubbles */
    bool lets_go;           /* of walls that pull at it, where air gets to them */
    bool keeps_volume;      /* the surface is shifted where its motion lost or made volume */
    bool control;           /* a small divergence brings the volume back to what it should be */
    float absorption[3];    /* 1/m, of light */
} FluidLiquid;

/* How a collider's surface lies in the grid. */
typedef enum FluidSurface {
    FLUID_SURFACE_CUT,  /* where it is: faces are open in part */
    FLUID_SURFACE_FACES /* on whole faces, first order (002 section 5.4.1) */
} FluidSurface;

typedef struct FluidDesc {
    const char *name; /* to probe it by; must outlive the fluid; default "fluid" */
    Grid grid;
    double density;                   /* kg/m^3; above 0, default 1000 */
    double viscosity;                 /* Pa s, default 0 */
    FieldFunction viscosity_of_place; /* in place of `viscosity` where set, read at t = 0 */
    double tolerance; /* of the pressure solve: what is left of the divergence, root mean square, in
                         units of the greatest velocity over a cell; above 0, default 1e-6 */
    FluidSide sides[3][2];
    const Solid *obstacles;         /* at rest; NULL: none; must outlive the fluid */
    const FrameMesh *obstacle_mesh; /* what is drawn of them; NULL: their cells; likewise */
    FluidSurface surface;
    double slip; /* m, slip length of obstacles and bodies */
    Room room;   /* of several domains: the bodies that reach into it are this fluid's */
    const ImmersedSurface *bodies; /* borrowed during creation */
    size_t body_count;
    bool monolithic;  /* viscosity, pressure and free bodies in one solve (002 section 5.8) */
    bool one_way;     /* free bodies do not feel the fluid */
    double roughness; /* of bodies, over their radius of curvature, for lubrication; 0: none */
    bool hold_bodies; /* free bodies keep their places while velocities develop */
    const FluidSource *sources; /* borrowed during creation */
    size_t source_count;

    FluidStart start;
    double amplitude; /* m/s, standard deviation of each component of a random start */
    double length;    /* m, distance over which it changes */
    uint64_t seed;
    FieldFunction velocity[3]; /* at t = 0 */

    bool carries_velocity; /* false: Stokes flow, without inertia */
    AdvectionScheme advection;
    bool conserves_momentum; /* velocity is carried by finite volumes; only on faces, and without a
                                free surface; `advection` is then of smoke */
    int trace_order;
    int time_order; /* of the flow in time, 1 or 2 (default); 2 with MacCormack on faces only */
    FluidStorage storage;
    double cfl; /* cells that anything moves in a step, at most; above 0 */

    FieldFunction force[3]; /* m/s^2, beside gravity */
    double confinement;     /* of vortices, epsilon of 000 section 4.4.3 */

    FluidSmoke smoke;
    FluidLiquid liquid;
    bool is_given; /* `velocity` is the flow at all times; nothing is solved for */
} FluidDesc;

FluidDesc fluid_desc_default(void);

enum { FLUID_GROUP_CELLS, FLUID_GROUP_FACES_X, FLUID_GROUP_FACES_Y, FLUID_GROUP_FACES_Z };
enum { FLUID_GROUP_SMOKE = 4, FLUID_GROUP_GAIN_X, FLUID_GROUP_GAIN_Y, FLUID_GROUP_GAIN_Z };
enum { FLUID_GROUP_LEVEL = 8, FLUID_GROUP_PARTICLES, FLUID_GROUP_DROPS, FLUID_GROUP_TALLY };
enum { FLUID_GROUP_ACCOUNT = 12, FLUID_GROUP_LIQUID, FLUID_GROUP_SEPARATED };
enum { FLUID_GROUP_CLOCK = 15, FLUID_GROUP_COUNT };

typedef struct Fluid Fluid;

extern const SystemClass fluid_class;

PlimStatus fluid_create(PlimContext *context, const FluidDesc *desc, Fluid **out);

/* Memory a cell takes, about, with the solvers and while a frame is written. */
double fluid_bytes_per_cell(const FluidDesc *desc);

/* Things to probe beside the fluid itself, the bodies and the sides (left, right, bottom, top,
 * back, front): a point, and a rectangle across an axis. `low` and `high` bound the rectangle; its
 * own axis does not count. PLIM_BAD_INPUT when outside the domain or when the name is taken. */
PlimStatus fluid_add_point(Fluid *fluid, const char *name, Vec3 point);
PlimStatus fluid_add_section(Fluid *fluid, const char *name, int axis, double at, Vec3 low,
                             Vec3 high);

#endif
