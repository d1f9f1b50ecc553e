/* Figures of the fluid for stats.csv and probes. */
#include "fluid/measure.h"
#include "fluid/boundary.h"
#include "fluid/internal.h"

/* Work on all values is cut into this many parts, whatever the number of threads: their results are
 * put together in order, so the bits are the same. */
enum { PARTS = 64 };

typedef struct GreatestJob {
    const double *values;
    const double *open; /* NULL: all count */
    size_t count;
    double greatest[PARTS];
} GreatestJob;

static void find_greatest(void *user, size_t begin, size_t end) {
    GreatestJob *job = user;
    for (size_t part = begin; part < end; part++) {
        double greatest = 0;
        size_t last = job->count * (part + 1) / PARTS;
        for (size_t i = job->count * part / PARTS; i < last; i++) {
            double size = fabs(job->values[i]);
            if (job->open && !(job->open[i] > FLUID_CARRIES)) continue;
            greatest = size > greatest ? size : greatest;
        }
        job->greatest[part] = greatest;
    }
}

double fluid_greatest_velocity(const Fluid *fluid) {
    double greatest = 0;
    for (int axis = 0; axis < fluid->grid.dim; axis++) {
        GreatestJob job = {.values = fluid_velocity(fluid, axis),
                           .open = fluid_has_surface(fluid) ? fluid->cut.open[axis] : NULL,
                           .count = fluid->sizes[FLUID_GROUP_FACES_X + axis].count};
        parallel_for(fluid->context->threads, PARTS, 4, find_greatest, &job);
        for (int part = 0; part < PARTS; part++) greatest = fmax(greatest, job.greatest[part]);
    }
    return greatest;
}

/* The faces below and above a cell along an axis. */
static void faces_of(const Fluid *fluid, const int cell[3], int axis, size_t faces[2]) {
    int at[3] = {cell[0], cell[1], cell[2]};
    faces[0] = grid_face_index(&fluid->grid, axis, at[0], at[1], at[2]);
    at[axis]++;
    faces[1] = grid_face_index(&fluid->grid, axis, at[0], at[1], at[2]);
}

/* Adds up a quantity of fluid cells or finds its greatest, in the order of the cells. */
typedef double (*CellQuantity)(const Fluid *fluid, const int cell[3]);

typedef struct CellSum {
    double sum, greatest;
} CellSum;

typedef struct CellJob {
    const Fluid *fluid;
    CellQuantity quantity;
    CellSum parts[PARTS];
} CellJob;

static CellSum over_row(const Fluid *fluid, CellQuantity quantity, size_t row) {
    const Grid *grid = &fluid->grid;
    int j = (int)(row % (size_t)grid->n[1]), k = (int)(row / (size_t)grid->n[1]);
    CellSum sum = {0, 0};
    for (int i = 0; i < grid->n[0]; i++) {
        if (fluid->cut.kind[grid_cell_index(grid, i, j, k)] != CELL_FLUID) continue;
        double value = quantity(fluid, (int[3]){i, j, k});
        sum.sum += value;
        if (value > sum.greatest) sum.greatest = value;
    }
    return sum;
}

static void over_parts(void *user, size_t begin, size_t end) {
    CellJob *job = user;
    size_t rows = (size_t)job->fluid->grid.n[1] * (size_t)job->fluid->grid.n[2];
    for (size_t part = begin; part < end; part++)
        for (size_t row = rows * part / PARTS; row < rows * (part + 1) / PARTS; row++) {
            CellSum sum = over_row(job->fluid, job->quantity, row);
            job->parts[part].sum += sum.sum;
            job->parts[part].greatest = fmax(job->parts[part].greatest, sum.greatest);
        }
}

static CellSum over_cells(const Fluid *fluid, CellQuantity quantity) {
    CellJob job = {.fluid = fluid, .quantity = quantity};
    parallel_for(fluid->context->threads, PARTS, 4, over_parts, &job);
    CellSum all = {0, 0};
    for (int part = 0; part < PARTS; part++) {
        all.sum += job.parts[part].sum;
        all.greatest = fmax(all.greatest, job.parts[part].greatest);
    }
    return all;
}

/* Half of the fluid between the middles of two cells belongs to each: a face on an open side moves
 * half a cell of it, and the two layers of a periodic side one together. */
static double velocity_squared(const Fluid *fluid, const int cell[3]) {
    double sum = 0;
    for (int axis = 0; axis < fluid->grid.dim; axis++) {
        size_t faces[2];
        faces_of(fluid, cell, axis, faces);
        const double *u = fluid_velocity(fluid, axis);
        /* Of a liquid what passes a slit is fast, and little. */
        const double *open = fluid_has_surface(fluid) ? fluid->cut.open[axis] : NULL;
        for (int end = 0; end < 2; end++)
            sum += (open ? open[faces[end]] : 1) * u[faces[end]] * u[faces[end]];
    }
    size_t index = grid_cell_index(&fluid->grid, cell[0], cell[1], cell[2]);
    return 0.5 * sum * (fluid_has_surface(fluid) ? fluid->liquid.fraction[index] : 1);
}

double fluid_kinetic_energy(const Fluid *fluid) {
    return 0.5 * fluid->desc.density * grid_cell_volume(&fluid->grid) *
           over_cells(fluid, velocity_squared).sum;
}

/* Net outflow less what is made in the cell, m^3/s. */
static double outflow(const Fluid *fluid, const int cell[3]) {
    double sum = 0;
    for (int axis = 0; axis < fluid->grid.dim; axis++) {
        size_t faces[2];
        faces_of(fluid, cell, axis, faces);
        const double *u = fluid_velocity(fluid, axis), *open = fluid->cut.open[axis];
        sum += open ? open[faces[1]] * u[faces[1]] - open[faces[0]] * u[faces[0]]
                    : u[faces[1]] - u[faces[0]];
    }
    sum *= grid_face_area(&fluid->grid);
    if (fluid->sources.rate)
        sum -= fluid->sources.rate[grid_cell_index(&fluid->grid, cell[0], cell[1], cell[2])];
    return fabs(sum);
}

double fluid_greatest_divergence(const Fluid *fluid) {
    return over_cells(fluid, outflow).greatest / grid_cell_volume(&fluid->grid);
}

/* A velocity component at the middle of a cell; the nearest inside a side that is not periodic. */
static double at_center(const Fluid *fluid, int axis, const int cell[3]) {
    int at[3];
    for (int a = 0; a < 3; a++) {
        int n = fluid->grid.n[a];
        at[a] = cell[a] < 0 ? (grid_is_periodic(&fluid->grid, a) ? n - 1 : 0) : cell[a];
        if (at[a] >= n) at[a] = grid_is_periodic(&fluid->grid, a) ? 0 : n - 1;
    }
    size_t faces[2];
    faces_of(fluid, at, axis, faces);
    const double *u = fluid_velocity(fluid, axis);
    return 0.5 * (u[faces[0]] + u[faces[1]]);
}

/* Over two cells, next to a side that is not periodic over one. */
static double slope(const Fluid *fluid, int component, int axis, const int cell[3]) {
    int low[3] = {cell[0], cell[1], cell[2]}, high[3] = {cell[0], cell[1], cell[2]};
    bool wraps = grid_is_periodic(&fluid->grid, axis);
    if (wraps || low[axis] > 0) low[axis]--;
    if (wraps || high[axis] < fluid->grid.n[axis] - 1) high[axis]++;
    int cells = high[axis] - low[axis];
    if (cells == 0) return 0;
    return (at_center(fluid, component, high) - at_center(fluid, component, low)) /
           (cells * fluid->grid.spacing);
}

static double vorticity_squared(const Fluid *fluid, const int cell[3]) {
    double z = slope(fluid, 1, 0, cell) - slope(fluid, 0, 1, cell), x = 0, y = 0;
    if (fluid->grid.dim == 3) {
        x = slope(fluid, 2, 1, cell) - slope(fluid, 1, 2, cell);
        y = slope(fluid, 0, 2, cell) - slope(fluid, 2, 0, cell);
    }
    return x * x + y * y + z * z;
}

double fluid_enstrophy(const Fluid *fluid) {
    return 0.5 * grid_cell_volume(&fluid->grid) * over_cells(fluid, vorticity_squared).sum;
}

/* The part of a cell that a value of smoke stands for: a node on a side owns half, and so does each
 * of the two layers of a periodic axis. */
static double owned_part(const Fluid *fluid, GridPlace place, const int at[3]) {
    double part = 1;
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        if (grid_place_on_ends(&fluid->grid, place, axis) &&
            (at[axis] == 0 || at[axis] == fluid->grid.n[axis]))
            part *= 0.5;
    return part;
}

double fluid_total_smoke(const Fluid *fluid) {
    GridPlace place = fluid_smoke_place(fluid);
    const Grid *grid = &fluid->grid;
    double sum = 0;
    size_t value = 0;
    for (int k = 0; k < grid_place_size(grid, place, 2); k++)
        for (int j = 0; j < grid_place_size(grid, place, 1); j++)
            for (int i = 0; i < grid_place_size(grid, place, 0); i++, value++)
                if (fluid_is_at(fluid, value))
                    sum += owned_part(fluid, place, (int[3]){i, j, k}) * fluid->smoke[value];
    return sum * grid_cell_volume(grid);
}

static void diagnose_split(const Fluid *fluid, Diagnostics *diagnostics) {
    diagnostics_add_own(diagnostics, "solve.pressure.iterations|solve.*.iterations",
                        fluid->projected.solved.iterations);
    diagnostics_add_own(diagnostics, "solve.pressure.residual|solve.*.residual",
                        fluid->projected.solved.last_residual);
    if (!fluid->viscous.solver) return;
    diagnostics_add_own(diagnostics, "solve.viscosity.iterations|solve.*.viscosity.iterations",
                        fluid->viscous.result.iterations);
    diagnostics_add_own(diagnostics, "solve.viscosity.residual|solve.*.viscosity.residual",
                        fluid->viscous.result.last_residual);
}

static void diagnose_coupled(const FluidCoupled *coupled, Diagnostics *diagnostics) {
    const FlowResult *found = &coupled->result;
    diagnostics_add_own(diagnostics, "solve.coupled.iterations|solve.*.iterations",
                        found->iterations);
    diagnostics_add_own(diagnostics, "solve.coupled.half_iterations|solve.*.half_iterations",
                        coupled->half_iterations);
    diagnostics_add_own(diagnostics, "solve.coupled.impact_iterations|solve.*.impact_iterations",
                        coupled->impact_iterations);
    diagnostics_add_own(diagnostics, "solve.coupled.residual|solve.*.residual",
                        found->residual[FLOW_DIVERGENCE]);
    diagnostics_add_own(diagnostics, "solve.coupled.residual_momentum|solve.*.residual_momentum",
                        found->residual[FLOW_MOMENTUM]);
    diagnostics_add_own(diagnostics, "solve.coupled.residual_bodies|solve.*.residual_bodies",
                        found->residual[FLOW_BODIES]);
    diagnostics_add_own(diagnostics, "solve.coupled.energy_before|solve.*.energy_before",
                        found->energy_before);
    diagnostics_add_own(diagnostics, "solve.coupled.energy_after|solve.*.energy_after",
                        found->energy_after);
    diagnostics_add_own(diagnostics, "divergence.left_over|divergence.*.left_over",
                        found->left_over);
}

/* The mass that belongs to a face, over density V: the open part, half of it on an open side. */
static double part_of_face(const Fluid *fluid, int axis, const int at[3]) {
    const Grid *grid = &fluid->grid;
    size_t face = grid_face_index(grid, axis, at[0], at[1], at[2]);
    double open = fluid->cut.open[axis] ? fluid->cut.open[axis][face] : 1;
    bool side = at[axis] == 0 || at[axis] == grid->n[axis];
    if (!side || grid_is_periodic(grid, axis)) return open;
    return grid->sides[axis][at[axis] > 0] == SIDE_OPEN ? 0.5 * open : 0;
}

/* What is open of a face that moves with a collider counts too. */
static double momentum_along(const Fluid *fluid, int axis) {
    const Grid *grid = &fluid->grid;
    const double *u = fluid_velocity(fluid, axis);
    double sum = 0;
    int last[3] = {grid->n[0], grid->n[1], grid->n[2]};
    if (!grid_is_periodic(grid, axis)) last[axis]++;
    for (int k = 0; k < last[2]; k++)
        for (int j = 0; j < last[1]; j++)
            for (int i = 0; i < last[0]; i++)
                sum += part_of_face(fluid, axis, (int[3]){i, j, k}) *
                       u[grid_face_index(grid, axis, i, j, k)];
    double tied = 0;
    for (size_t i = 0; i < fluid->coupled.faces.count; i++) {
        const FlowFace *face = &fluid->coupled.faces.data[i];
        size_t at = grid_face_index(grid, axis, face->at[0], face->at[1], face->at[2]);
        if (face->axis == axis) tied += face->mass * u[at];
    }
    return sum * fluid->desc.density * grid_cell_volume(grid) + tied;
}

Vec3 fluid_momentum(const Fluid *fluid) {
    return vec3(momentum_along(fluid, 0), momentum_along(fluid, 1),
                fluid->grid.dim == 3 ? momentum_along(fluid, 2) : 0);
}

double fluid_dissipation(const Fluid *fluid) {
    if (!fluid->viscous.solver) return 0;
    double *const velocity[3] = {fluid->velocity_x, fluid->velocity_y, fluid->velocity_z};
    ViscosityProblem problem = fluid_viscosity_problem(fluid);
    problem.wall_velocity = fluid_wall_velocity;
    return viscosity_dissipation(fluid->viscous.solver, &problem, velocity);
}

/* Along axes that are not periodic fluid sinks only as bodies rise. */
double fluid_gravity_power(const Fluid *fluid) {
    double power = 0, gravity[3], momentum[3];
    vec3_store(gravity, fluid->gravity);
    vec3_store(momentum, fluid_momentum(fluid));
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        if (!fluid_carries_weight(fluid, axis)) power += gravity[axis] * momentum[axis];
    for (size_t i = 0; i < fluid->colliders.list.count; i++) {
        const ImmersedCollider *collider = &fluid->colliders.list.data[i];
        power += vec3_dot(fluid_load(fluid, collider)->weight, collider->now.velocity);
    }
    return power;
}

PlimStatus fluid_diagnose(const void *system, const StepInfo *step, Diagnostics *diagnostics) {
    const Fluid *fluid = system;
    if (fluid->coupled.solver) {
        Vec3 momentum = fluid_momentum(fluid);
        diagnostics_add(diagnostics, "momentum.x", momentum.x);
        diagnostics_add(diagnostics, "momentum.y", momentum.y);
        diagnostics_add(diagnostics, "momentum.z", momentum.z);
    }
    diagnostics_add(diagnostics, "energy.kinetic", fluid_kinetic_energy(fluid));
    diagnostics_add_own(diagnostics, "divergence.max|divergence.*.max",
                        fluid_greatest_divergence(fluid));
    diagnostics_add_own(diagnostics, "divergence.unbalanced|divergence.*.unbalanced",
                        fluid->projected.incompatible / grid_cell_volume(&fluid->grid));
    diagnostics_add_own(diagnostics, "speed.max|speed.*.max", fluid_greatest_velocity(fluid));
    if (fluid->coupled.solver)
        diagnose_coupled(&fluid->coupled, diagnostics);
    else
        diagnose_split(fluid, diagnostics);
    if (fluid->desc.smoke.is_there)
        diagnostics_add_own(diagnostics, "smoke.total|smoke.*.total", fluid_total_smoke(fluid));
    if (fluid_has_surface(fluid)) fluid_diagnose_surface(fluid, step, diagnostics);
    return PLIM_OK;
}
