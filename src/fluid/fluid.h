/* The system of a fluid on a staggered grid: velocities on faces, pressure at cell centres,
 * obstacles at rest. A step makes the velocities divergence-free (000 section 4.4.4). */
#ifndef FLUID_FLUID_H
#define FLUID_FLUID_H

#include "geom/solid.h"
#include "solve/poisson.h"
#include "system/system.h"

/* What the velocities are at t = 0. */
typedef enum FluidStart {
    FLUID_AT_REST,
    FLUID_RANDOM /* smooth noise, full of sources and sinks for the pressure solve to remove */
} FluidStart;

typedef struct FluidDesc {
    Grid grid;
    double density;   /* kg/m^3; above 0, default 1000 */
    double tolerance; /* of the pressure solve: what is left of the divergence, root mean square, in
                         units of the greatest velocity over a cell; above 0, default 1e-6 */
    const Solid *obstacles; /* cells with their centre inside are solid; NULL: none; not kept */
    FluidStart start;
    double amplitude; /* m/s, standard deviation of each component of a random start */
    double length;    /* m, distance over which it changes */
    uint64_t seed;
} FluidDesc;

enum { FLUID_GROUP_CELLS, FLUID_GROUP_FACES_X, FLUID_GROUP_FACES_Y, FLUID_GROUP_FACES_Z };
enum { FLUID_GROUP_COUNT = 4 };

/* Arrays are listed, with units, in the schema of fluid.c. */
typedef struct Fluid {
    PlimContext *context;
    Grid grid;
    double density, tolerance;
    StateSize sizes[FLUID_GROUP_COUNT]; /* no faces across z in two dimensions */

    double *velocity_x, *velocity_y, *velocity_z, *pressure;

    unsigned char *kind; /* CellKind of each cell; constant */
    size_t fluid_cells;
    Poisson *poisson;
    SolveResult solved; /* the last pressure solve */
} Fluid;

extern const SystemClass fluid_class;

PlimStatus fluid_create(PlimContext *context, const FluidDesc *desc, Fluid **out);

/* Memory a cell takes, about, with the solver and while a frame is written. */
double fluid_bytes_per_cell(void);

static inline double *fluid_velocity(const Fluid *fluid, int axis) {
    return axis == 0 ? fluid->velocity_x : axis == 1 ? fluid->velocity_y : fluid->velocity_z;
}

/* True when fluid can pass the face across `axis` on the low side of cell (i, j, k): there is fluid
 * on both sides, or on one and the other is beyond an open side. Other faces have velocity 0. */
bool fluid_face_is_open(const Fluid *fluid, int axis, int i, int j, int k);

/* In start.c: velocities at t = 0. */
PlimStatus fluid_start_random(Fluid *fluid, const FluidDesc *desc);

/* In measure.c and view.c. */
double fluid_greatest_velocity(const Fluid *fluid);
PlimStatus fluid_diagnose(const void *system, const StepInfo *step, Diagnostics *diagnostics);
PlimStatus fluid_view_frame(const void *system, const StepInfo *step, FrameView *view);

#endif
