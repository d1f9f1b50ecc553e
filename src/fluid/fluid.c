#include "fluid/fluid.h"

#include "base/parallel.h"
#include "grid/field.h"

#include <string.h>

#define FLUID_FIELD(name, unit, group)                                                             \
    { #name, unit, FIELD_F64, FIELD_STATE, 1, group, offsetof(Fluid, name) }

static const StateField fluid_fields[] = {
    FLUID_FIELD(velocity_x, "m/s", FLUID_GROUP_FACES_X),
    FLUID_FIELD(velocity_y, "m/s", FLUID_GROUP_FACES_Y),
    FLUID_FIELD(velocity_z, "m/s", FLUID_GROUP_FACES_Z),
    FLUID_FIELD(pressure, "Pa", FLUID_GROUP_CELLS), /* state: the next solve starts from it */
};

static const char *const fluid_groups[FLUID_GROUP_COUNT] = {"cells", "x faces", "y faces",
                                                            "z faces"};

static const StateSchema fluid_schema = {
    .fields = fluid_fields,
    .field_count = sizeof fluid_fields / sizeof *fluid_fields,
    .groups = fluid_groups,
    .group_count = FLUID_GROUP_COUNT,
    .sizes_offset = offsetof(Fluid, sizes),
};

double fluid_bytes_per_cell(void) {
    enum { SOLVER = 100, FRAME = 3 * 5 * sizeof(float) }; /* a frame is encoded, then copied once */
    double bytes = SOLVER + FRAME + sizeof(unsigned char);
    for (int group = 0; group < FLUID_GROUP_COUNT; group++)
        bytes += (double)state_bytes_per_item(&fluid_schema, group);
    return bytes;
}

/* ---- the stages ---- */

/* Pressure times dt over density and back: what poisson.h calls the pressure is the former. */
static void scale_pressure(Fluid *fluid, double factor) {
    for (size_t i = 0; i < fluid->sizes[FLUID_GROUP_CELLS].count; i++) fluid->pressure[i] *= factor;
}

/* u^{n+1} = u* - dt/density grad p with div u^{n+1} = 0. The solve stops at an absolute residual,
 * for velocities that are divergence-free already stay what they are. */
static PlimStatus fluid_project(void *system, const StepInfo *step) {
    Fluid *fluid = system;
    PoissonProblem problem = {.grid = &fluid->grid, .kind = fluid->kind};
    double *velocity[3] = {fluid->velocity_x, fluid->velocity_y, fluid->velocity_z};
    KrylovOptions options = krylov_options_default(step->threads);
    options.relative = 0;
    options.absolute = fluid->tolerance * fluid_greatest_velocity(fluid) *
                       grid_face_area(&fluid->grid) * sqrt((double)fluid->fluid_cells);
    double divergence;
    scale_pressure(fluid, step->dt / fluid->density);
    TRY(poisson_project(fluid->poisson, &problem, &options, velocity, fluid->pressure,
                        &fluid->solved, &divergence));
    scale_pressure(fluid, fluid->density / step->dt);
    if (fluid->solved.reason != SOLVE_CONVERGED)
        return context_fail(
            step->context, PLIM_FAILED,
            "t = %g s: the pressure solve stopped after %d iterations: %s; residual "
            "%g, wanted %g",
            step->time, fluid->solved.iterations, solve_reason_name(fluid->solved.reason),
            fluid->solved.last_residual, options.absolute);
    return PLIM_OK;
}

/* ---- creation ---- */

typedef struct KindJob {
    Fluid *fluid;
    const Solid *obstacles;
} KindJob;

static void mark_slabs(void *user, size_t begin, size_t end) {
    const KindJob *job = user;
    const Grid *grid = &job->fluid->grid;
    for (int k = (int)begin; k < (int)end; k++)
        for (int j = 0; j < grid->n[1]; j++)
            for (int i = 0; i < grid->n[0]; i++)
                job->fluid->kind[grid_cell_index(grid, i, j, k)] =
                    solid_distance(job->obstacles, grid_cell_center(grid, i, j, k)) < 0
                        ? CELL_SOLID
                        : CELL_FLUID;
}

static void mark_cells(Fluid *fluid, const Solid *obstacles) {
    KindJob job = {fluid, obstacles};
    size_t cells = grid_cell_count(&fluid->grid);
    memset(fluid->kind, CELL_FLUID, cells);
    if (obstacles)
        parallel_for(fluid->context->threads, (size_t)fluid->grid.n[2], 1, mark_slabs, &job);
    fluid->fluid_cells = 0;
    for (size_t i = 0; i < cells; i++) fluid->fluid_cells += fluid->kind[i] == CELL_FLUID;
}

bool fluid_face_is_open(const Fluid *fluid, int axis, int i, int j, int k) {
    const Grid *grid = &fluid->grid;
    int cell[2][3] = {{i, j, k}, {i, j, k}}; /* below and above */
    cell[0][axis]--;
    bool open = true;
    for (int side = 0; side < 2; side++) {
        int *at = &cell[side][axis];
        if (*at < 0 || *at >= grid->n[axis]) {
            SideKind kind = grid->sides[axis][*at < 0 ? 0 : 1];
            if (kind == SIDE_OPEN) continue;
            if (kind != SIDE_PERIODIC) return false;
            *at = *at < 0 ? grid->n[axis] - 1 : 0;
        }
        size_t index = grid_cell_index(grid, cell[side][0], cell[side][1], cell[side][2]);
        open = open && fluid->kind[index] == CELL_FLUID;
    }
    return open;
}

static void fluid_destroy(void *system) {
    Fluid *fluid = system;
    PlimContext *context = fluid->context;
    if (fluid->poisson) poisson_destroy(fluid->poisson);
    context_free(context, fluid->kind, grid_cell_count(&fluid->grid), 1);
    state_free(context, &fluid_schema, fluid);
    context_free(context, fluid, 1, sizeof *fluid);
}

static PlimStatus fill_fluid(Fluid *fluid, const FluidDesc *desc) {
    const Grid *grid = &fluid->grid;
    PlimContext *context = fluid->context;
    size_t cells = grid_cell_count(grid);
    TRY(state_resize(context, &fluid_schema, fluid, FLUID_GROUP_CELLS, cells));
    for (int axis = 0; axis < grid->dim; axis++)
        TRY(state_resize(context, &fluid_schema, fluid, FLUID_GROUP_FACES_X + axis,
                         grid_face_count(grid, axis)));
    fluid->kind = context_allocate(context, cells, 1);
    if (!fluid->kind) return PLIM_OUT_OF_MEMORY;
    mark_cells(fluid, desc->obstacles);
    TRY(poisson_create(context, grid, POISSON_MULTIGRID, &fluid->poisson));
    return desc->start == FLUID_RANDOM ? fluid_start_random(fluid, desc) : PLIM_OK;
}

PlimStatus fluid_create(PlimContext *context, const FluidDesc *desc, Fluid **out) {
    *out = NULL;
    if (!(desc->density > 0) || !(desc->tolerance > 0))
        return context_fail(context, PLIM_BAD_INPUT,
                            "a fluid of density %g, solved to %g: both must be above 0",
                            desc->density, desc->tolerance);
    Fluid *fluid = context_allocate(context, 1, sizeof *fluid);
    if (!fluid) return PLIM_OUT_OF_MEMORY;
    fluid->context = context;
    fluid->grid = desc->grid;
    fluid->density = desc->density;
    fluid->tolerance = desc->tolerance;
    PlimStatus status = fill_fluid(fluid, desc);
    if (status != PLIM_OK) {
        fluid_destroy(fluid);
        return status;
    }
    *out = fluid;
    return PLIM_OK;
}

const SystemClass fluid_class = {
    .name = "fluid",
    .schema = &fluid_schema,
    .stage = {[STAGE_SOLVE_VELOCITIES] = fluid_project},
    .destroy = fluid_destroy,
    .diagnose = fluid_diagnose,
    .view_frame = fluid_view_frame,
};
