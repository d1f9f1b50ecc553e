/* Pressure projection of face velocities (000 equations 4.5 and 4.6). */
#include "solve/pressure/poisson_internal.h"

#include <math.h>

typedef struct ProjectJob {
    const Poisson *poisson;
    double **velocity;
    const double *pressure;
    double *b,
        *worst; /* net inflow of each cell, m^3/s; the largest outflow a volume of each row */
} ProjectJob;

/* Net outflow of a cell less what is made in it, m^3/s. */
static double outflow(const ProjectJob *job, int i, int j, int k) {
    const PoissonProblem *problem = &job->poisson->problem;
    const Grid *grid = &job->poisson->grid;
    double sum = 0.0;
    for (int a = 0; a < grid->dim; a++) {
        const double *u = job->velocity[a], *open = problem->open[a];
        size_t low = grid_face_index(grid, a, i, j, k);
        size_t high = grid_face_index(grid, a, i + (a == 0), j + (a == 1), k + (a == 2));
        sum += open ? open[high] * u[high] - open[low] * u[low] : u[high] - u[low];
    }
    double made = problem->source ? problem->source[grid_cell_index(grid, i, j, k)] : 0.0;
    return sum * grid_face_area(grid) - made;
}

static void build_rows(void *user, size_t begin, size_t end) {
    ProjectJob *job = user;
    const Grid *grid = &job->poisson->grid;
    double volume = grid_cell_volume(grid);
    for (size_t row = begin; row < end; row++) {
        int j = (int)(row % (size_t)grid->n[1]), k = (int)(row / (size_t)grid->n[1]);
        size_t cell = grid_cell_index(grid, 0, j, k);
        double worst = 0.0;
        for (int i = 0; i < grid->n[0]; i++, cell++) {
            bool fluid = job->poisson->problem.kind[cell] == CELL_FLUID;
            double out = fluid ? outflow(job, i, j, k) : 0.0;
            if (job->b) job->b[cell] = -out;
            if (!(fabs(out) <= worst)) worst = fabs(out);
        }
        if (job->worst) job->worst[row] = worst / volume;
    }
}

/* u -= g / (open area) (p above the face - p below it), for the faces of one row of cells below and
 * above. */
static void correct_row(ProjectJob *job, int a, int j, int k) {
    const Poisson *poisson = job->poisson;
    const Grid *grid = &poisson->grid;
    const MgLevel *level = &poisson->mg.levels[0];
    double scale = 1.0 / grid_face_area(grid), outside = poisson->problem.outside_pressure;
    const float *g = level->g[a] + mg_index(level, 0, j, k);
    size_t first = grid_face_index(grid, a, 0, j, k);
    double *u = job->velocity[a] + first;
    const double *open = poisson->problem.open[a] ? poisson->problem.open[a] + first : NULL;
    int count = grid->n[0] + (a == 0), across = a == 1 ? j : k, n = grid->n[a];
    size_t step = a == 0   ? 1
                  : a == 1 ? (size_t)grid->n[0]
                           : (size_t)grid->n[0] * (size_t)grid->n[1];
    size_t cell = ((size_t)k * (size_t)grid->n[1] + (size_t)j) * (size_t)grid->n[0];
    for (int i = 0; i < count; i++) {
        if (!(g[i] > 0.0f)) continue;
        int at = a == 0 ? i : across;
        size_t up = cell + (size_t)i, down = up - step;
        bool at_side = (at == 0 || at == n) && !level->periodic[a];
        if (at == 0) down = up + (size_t)(n - 1) * step;
        if (at == n) up -= (size_t)n * step;
        double high = at_side && at == n ? outside : job->pressure[up];
        double low = at_side && at == 0 ? outside : job->pressure[down];
        u[i] -= (double)g[i] * scale / (open ? open[i] : 1.0) * (high - low);
    }
}

static void correct_rows(void *user, size_t begin, size_t end) {
    ProjectJob *job = user;
    const Grid *grid = &job->poisson->grid;
    size_t ny = (size_t)grid->n[1] + 1;
    for (size_t row = begin; row < end; row++) {
        int j = (int)(row % ny), k = (int)(row / ny);
        bool in_y = j < grid->n[1], in_z = k < grid->n[2];
        if (in_y && in_z) correct_row(job, 0, j, k);
        if (in_z) correct_row(job, 1, j, k);
        if (in_y && grid->dim == 3) correct_row(job, 2, j, k);
    }
}

PlimStatus poisson_begin_project(Poisson *poisson, const PoissonProblem *problem, int threads,
                                 double *velocity[3], double *b) {
    const Grid *grid = &poisson->grid;
    TRY(poisson_setup_inside(poisson, problem));
    ProjectJob job = {.poisson = poisson, .velocity = velocity, .b = b};
    parallel_for(threads, (size_t)grid->n[1] * (size_t)grid->n[2], 16, build_rows, &job);
    return PLIM_OK;
}

void poisson_correct(Poisson *poisson, int threads, double *velocity[3], const double *pressure) {
    const Grid *grid = &poisson->grid;
    ProjectJob job = {.poisson = poisson, .velocity = velocity, .pressure = pressure};
    size_t rows = ((size_t)grid->n[1] + 1) * ((size_t)grid->n[2] + 1);
    parallel_for(threads, rows, 16, correct_rows, &job);
}

PlimStatus poisson_end_project(Poisson *poisson) {
    return scratch_reset(&poisson->scratch);
}

PlimStatus poisson_worst_outflow(Poisson *poisson, int threads, double *velocity[3],
                                 double *worst) {
    const Grid *grid = &poisson->grid;
    size_t rows = (size_t)grid->n[1] * (size_t)grid->n[2], mark = scratch_mark(&poisson->scratch);
    ProjectJob job = {.poisson = poisson, .velocity = velocity};
    job.worst = scratch_take(&poisson->scratch, rows, sizeof *job.worst);
    if (!job.worst) return PLIM_OUT_OF_MEMORY;
    parallel_for(threads, rows, 16, build_rows, &job);
    *worst = 0.0;
    for (size_t row = 0; row < rows; row++)
        if (!(job.worst[row] <= *worst)) *worst = job.worst[row];
    scratch_release(&poisson->scratch, mark);
    return PLIM_OK;
}

static PlimStatus project(Poisson *poisson, const PoissonProblem *problem,
                          const KrylovOptions *options, double *velocity[3], double *pressure,
                          ProjectResult *result) {
    double *b = scratch_take(&poisson->scratch, grid_cell_count(&poisson->grid), sizeof *b);
    if (!b) return PLIM_OUT_OF_MEMORY;
    TRY(poisson_begin_project(poisson, problem, options->threads, velocity, b));
    TRY(poisson_solve_inside(poisson, options, b, pressure, &result->solved,
                             &result->incompatible));
    poisson_correct(poisson, options->threads, velocity, pressure);
    return poisson_worst_outflow(poisson, options->threads, velocity, &result->divergence);
}

PlimStatus poisson_project(Poisson *poisson, const PoissonProblem *problem,
                           const KrylovOptions *options, double *velocity[3], double *pressure,
                           ProjectResult *result) {
    PlimStatus status = project(poisson, problem, options, velocity, pressure, result);
    PlimStatus reset = scratch_reset(&poisson->scratch);
    return status != PLIM_OK ? status : reset;
}
