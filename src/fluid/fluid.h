/* The system of a fluid that fills a staggered grid: velocities on faces, pressure at cell centres,
 * smoke and its temperature carried along, colliders that it flows around. The step is that of 000
 * section 4.6 with viscosity (002 section 5.7) between forces and projection. */
#ifndef FLUID_FLUID_H
#define FLUID_FLUID_H

#include "base/array.h"
#include "grid/advect.h"
#include "grid/field_function.h"
#include "solve/coupled_flow.h"
#include "solve/poisson.h"
#include "solve/viscosity.h"
#include "system/solid_view.h"
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
} FluidSide;

/* Inside a shape: values that are set in every step. */
typedef struct FluidSource {
    const char *name; /* must outlive the fluid */
    Solid solid; /* in the world; kept by reference: what it points to must outlive the fluid */
    bool sets_smoke, sets_temperature, sets_velocity;
    FieldFunction smoke, temperature, velocity[3];
    FieldFunction expansion; /* 1/s, volume made in a volume; negative: a sink */
} FluidSource;

/* How a collider's surface lies in the grid. */
typedef enum FluidSurface {
    FLUID_SURFACE_CUT,  /* where it is: faces are open in part */
    FLUID_SURFACE_FACES /* on whole faces, first order (002 section 5.4.1) */
} FluidSurface;

/* A body of the solid view that the fluid flows around. */
typedef struct FluidBody {
    size_t body;        /* number in the view */
    const Solid *solid; /* its shape about its centre of mass; must outlive the fluid */
    bool passive;       /* a free body that is carried by the fluid and does not act on it */
    Vec3 through;       /* m/s, own axes: fluid passes through its surface at this velocity */
} FluidBody;

typedef struct FluidDesc {
    Grid grid;
    double density;                   /* kg/m^3; above 0, default 1000 */
    double viscosity;                 /* Pa s, default 0 */
    FieldFunction viscosity_of_place; /* in place of `viscosity` where set, read at t = 0 */
    double tolerance; /* of the pressure solve: what is left of the divergence, root mean square, in
                         units of the greatest velocity over a cell; above 0, default 1e-6 */
    FluidSide sides[3][2];
    const Solid *obstacles; /* at rest; NULL: none; must outlive the fluid */
    FluidSurface surface;
    double slip; /* m, slip length of obstacles and bodies */
    SolidView bodies_view;
    const FluidBody *bodies; /* borrowed during creation */
    size_t body_count;
    bool monolithic;  /* viscosity, pressure and free bodies in one solve (002 section 5.8) */
    bool one_way;     /* free bodies do not feel the fluid */
    bool hold_bodies; /* free bodies keep their places while velocities develop */
    const FluidSource *sources; /* borrowed during creation */
    size_t source_count;

    FluidStart start;
    double amplitude; /* m/s, standard deviation of each component of a random start */
    double length;    /* m, distance over which it changes */
    uint64_t seed;
    FieldFunction velocity[3], smoke, temperature; /* at t = 0 */

    bool carries_velocity; /* false: Stokes flow, without inertia */
    AdvectionScheme advection;
    int trace_order;
    int time_order; /* of the flow in time, 1 or 2 (default); 2 with MacCormack on faces only */
    FluidStorage storage;
    double cfl; /* cells that anything moves in a step, at most; above 0 */

    FieldFunction force[3]; /* m/s^2, beside gravity */
    bool has_smoke;         /* smoke and temperature are there at all */
    double weight;          /* m/s^2 downwards for a unit of smoke: alpha of 000 section 4.4.3 */
    double buoyancy;        /* m/s^2 upwards for a degree above ambient: beta there */
    double ambient;         /* temperature of the surroundings */
    double cooling;         /* 1/s, rate at which the difference from ambient goes down */
    double fading;          /* 1/s, rate at which smoke goes away */
    double confinement;     /* of vortices, epsilon of 000 section 4.4.3 */
} FluidDesc;

FluidDesc fluid_desc_default(void);

enum { FLUID_GROUP_CELLS, FLUID_GROUP_FACES_X, FLUID_GROUP_FACES_Y, FLUID_GROUP_FACES_Z };
enum { FLUID_GROUP_SMOKE = 4, FLUID_GROUP_GAIN_X, FLUID_GROUP_GAIN_Y, FLUID_GROUP_GAIN_Z };
enum { FLUID_GROUP_COUNT = 8 };

typedef struct Fluid Fluid;

extern const SystemClass fluid_class;

PlimStatus fluid_create(PlimContext *context, const FluidDesc *desc, Fluid **out);

/* Memory a cell takes, about, with the solvers and while a frame is written. */
double fluid_bytes_per_cell(const FluidDesc *desc);

/* Things to probe beside "fluid" itself, the bodies and the sides (left, right, bottom, top, back,
 * front): a point, and a rectangle across an axis. `low` and `high` bound the rectangle; its own
 * axis does not count. PLIM_BAD_INPUT when outside the domain or when the name is taken. */
PlimStatus fluid_add_point(Fluid *fluid, const char *name, Vec3 point);
PlimStatus fluid_add_section(Fluid *fluid, const char *name, int axis, double at, Vec3 low,
                             Vec3 high);

#endif
