/* Initial conditions: velocity, smoke and temperature by functions, or smooth noise, one component
 * of the velocity independent of the others, so that it is full of sources and sinks. */
#include "fluid/initial.h"
#include "base/hash.h"
#include "base/random.h"
#include "fluid/internal.h"
#include "grid/interpolate.h"

/* A lattice over the domain, about `length` from node to node, in its own units: one from node to
 * node, never finer than the cells. */
static Grid make_lattice(const Grid *grid, double length) {
    Grid lattice = *grid;
    lattice.spacing = 1.0;
    lattice.origin = vec3(0, 0, 0);
    for (int axis = 0; axis < grid->dim; axis++) {
        double nodes = round(grid->n[axis] * grid->spacing / length);
        lattice.n[axis] = (int)fmin(fmax(nodes, 1.0), grid->n[axis]);
    }
    return lattice;
}

/* One component: a random number for each node of the lattice, keyed by the node. */
static PlimStatus make_noise(PlimContext *context, const Grid *lattice, const FluidDesc *desc,
                             int axis, GridField *noise) {
    TRY(field_create(context, lattice, PLACE_NODES, 2, noise));
    uint64_t stream = hash_text(HASH_START, "fluid velocity") + (uint64_t)axis, node = 0;
    for (int k = 0; k < noise->n[2]; k++)
        for (int j = 0; j < noise->n[1]; j++)
            for (int i = 0; i < noise->n[0]; i++)
                noise->data[field_index(noise, i, j, k)] =
                    desc->amplitude * random_normal(desc->seed, stream, node++);
    field_fill_halo(noise, context->threads);
    return PLIM_OK;
}

typedef struct StartJob {
    Fluid *fluid;
    const GridField *noise;
    int axis;
} StartJob;

/* The last layer of faces of a periodic axis is the first: same place, same bits. */
static double noise_at(const StartJob *job, const int face[3]) {
    const Grid *grid = &job->fluid->grid;
    int at[3] = {face[0], face[1], face[2]};
    if (grid_is_periodic(grid, job->axis) && at[job->axis] == grid->n[job->axis]) at[job->axis] = 0;
    Vec3 p = vec3_sub(grid_face_center(grid, job->axis, at[0], at[1], at[2]), grid->origin);
    const int *nodes = job->noise->grid.n;
    double h = grid->spacing;
    return field_sample_cubic(
        job->noise, vec3(p.x / (grid->n[0] * h) * nodes[0], p.y / (grid->n[1] * h) * nodes[1],
                         grid->dim == 3 ? p.z / (grid->n[2] * h) * nodes[2] : 0.0));
}

static void noise_row(void *user, int j, int k) {
    const StartJob *job = user;
    const Grid *grid = &job->fluid->grid;
    int nx = grid_place_size(grid, grid_place_faces(job->axis), 0);
    double *velocity = fluid_velocity(job->fluid, job->axis);
    for (int i = 0; i < nx; i++)
        velocity[grid_face_index(grid, job->axis, i, j, k)] = noise_at(job, (int[3]){i, j, k});
}

static PlimStatus start_random(Fluid *fluid, const FluidDesc *desc, int axis) {
    PlimContext *context = fluid->context;
    if (!(desc->length > 0) || !isfinite(desc->amplitude))
        return context_fail(context, PLIM_BAD_INPUT,
                            "a random start of %g m/s over %g m: the length must be above 0",
                            desc->amplitude, desc->length);
    Grid lattice = make_lattice(&fluid->grid, desc->length);
    GridField noise;
    PlimStatus status = make_noise(context, &lattice, desc, axis, &noise);
    StartJob job = {fluid, &noise, axis};
    if (status == PLIM_OK)
        grid_for_rows(&fluid->grid, grid_place_faces(axis), context->threads, noise_row, &job);
    field_free(context, &noise);
    return status;
}

/* ---- functions ---- */

typedef struct FunctionJob {
    const Grid *grid;
    GridPlace place;
    const FieldFunction *function;
    double t;
    double *values;
} FunctionJob;

static void function_row(void *user, int j, int k) {
    const FunctionJob *job = user;
    size_t nx = (size_t)grid_place_size(job->grid, job->place, 0);
    size_t ny = (size_t)grid_place_size(job->grid, job->place, 1);
    double *row = job->values + ((size_t)k * ny + (size_t)j) * nx;
    for (size_t i = 0; i < nx; i++)
        row[i] = field_function_at(job->function,
                                   grid_position(job->grid, job->place, (int)i, j, k), job->t);
}

PlimStatus fluid_fill_by_function(const Fluid *fluid, GridPlace place,
                                  const FieldFunction *function, double t, double *values,
                                  const char *what) {
    FunctionJob job = {&fluid->grid, place, function, t, values};
    grid_for_rows(&fluid->grid, place, fluid->context->threads, function_row, &job);
    size_t count = grid_place_count(&fluid->grid, place);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i])) {
            int nx = grid_place_size(&fluid->grid, place, 0),
                ny = grid_place_size(&fluid->grid, place, 1);
            Vec3 x = grid_position(&fluid->grid, place, (int)(i % (size_t)nx),
                                   (int)(i / (size_t)nx % (size_t)ny),
                                   (int)(i / (size_t)nx / (size_t)ny));
            return context_fail(fluid->context, t > 0 ? PLIM_FAILED : PLIM_BAD_INPUT,
                                "%s of the fluid has no value at (%g, %g, %g), t = %g; mend its "
                                "expression",
                                what, x.x, x.y, x.z, t);
        }
    return PLIM_OK;
}

static PlimStatus start_by_function(const Fluid *fluid, GridPlace place,
                                    const FieldFunction *function, double *values,
                                    const char *what) {
    return fluid_fill_by_function(fluid, place, function, 0, values, what);
}

/* ---- the surface of a liquid ---- */

static double distance_of_shape(const void *user, Vec3 x, double t) {
    (void)t;
    return solid_distance(user, x);
}

static PlimStatus start_surface(Fluid *fluid, const FluidDesc *desc) {
    enum { MARGIN = 2 }; /* cells: what a step may carry in from farther away */
    const FluidLiquid *liquid = &desc->liquid;
    FieldFunction shape = {.evaluate = distance_of_shape, .user = liquid->shape};
    double cells = fmax(liquid->particles.band, liquid->extension) + MARGIN;
    fluid->liquid.phi_band = cells * fluid->grid.spacing;
    return start_by_function(fluid, fluid_smoke_place(fluid),
                             liquid->shape ? &shape : &liquid->level, fluid->liquid.level,
                             "the initial level");
}

PlimStatus fluid_start(Fluid *fluid, const FluidDesc *desc) {
    GridPlace smoke = fluid_smoke_place(fluid);
    for (int axis = 0; axis < fluid->grid.dim; axis++) /* only to see that it has values */
        if (desc->force[axis].evaluate)
            TRY(start_by_function(fluid, grid_place_faces(axis), &desc->force[axis],
                                  fluid_velocity(fluid, axis), "the force"));
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        if (desc->start == FLUID_RANDOM)
            TRY(start_random(fluid, desc, axis));
        else
            TRY(start_by_function(fluid, grid_place_faces(axis), &desc->velocity[axis],
                                  fluid_velocity(fluid, axis), "the initial velocity"));
    if (fluid->viscous.of_cell)
        TRY(start_by_function(fluid, PLACE_CELLS, &desc->viscosity_of_place, fluid->viscous.of_cell,
                              "the viscosity"));
    if (desc->liquid.is_there) TRY(start_surface(fluid, desc));
    if (!desc->smoke.is_there) return PLIM_OK;
    TRY(start_by_function(fluid, smoke, &desc->smoke.amount, fluid->smoke, "the initial smoke"));
    return start_by_function(fluid, smoke, &desc->smoke.temperature, fluid->temperature,
                             "the initial temperature");
}
