/* Bilateral pressure projection on the same particles, for comparison (001 section 3.4): a cell
 * that holds a particle (the box filter) is full of liquid, flow in it is free of divergence, and
 * obstacles are sharp. */
#include "splash/faces.h"
#include "splash/kernel.h"

#include <string.h>

typedef struct ClassicJob {
    Splash *splash;
    int axis;
    double time; /* s, over which pressure acts */
} ClassicJob;

static void label_cells(Splash *splash) {
    const Grid *grid = &splash->padded;
    Kernel kernel = kernel_of(splash);
    for (size_t c = 0; c < grid_cell_count(grid); c++)
        splash->kind[c] = splash->closed[c] ? CELL_SOLID : CELL_AIR;
    for (size_t p = 0; p < splash_count(splash); p++) {
        size_t c = kernel_cell(&kernel, grid->dim, splash->position_x[p], splash->position_y[p],
                               splash->position_z[p]);
        if (splash->kind[c] == CELL_AIR) splash->kind[c] = CELL_FLUID;
    }
}

/* Closed faces move with what closes them; pressure works on the open part. */
static void close_faces(void *user, size_t begin, size_t end) {
    const ClassicJob *job = user;
    Splash *splash = job->splash;
    for (size_t f = begin; f < end; f++) {
        splash->weight[job->axis][f] = splash->open[job->axis][f] / splash->desc.density;
        if (splash->open[job->axis][f] > 0) continue;
        splash->velocity[job->axis][f] = 0;
        splash->known[job->axis][f] = 1;
    }
}

static void scale_pressure(Splash *splash, double factor) {
    for (size_t c = 0; c < grid_cell_count(&splash->padded); c++) {
        if (splash->kind[c] != CELL_FLUID) splash->pressure[c] = 0;
        splash->pressure[c] *= factor;
    }
}

PlimStatus splash_project_bilateral(Splash *splash, const StepInfo *step) {
    const Grid *grid = &splash->padded;
    ClassicJob job = {.splash = splash, .time = splash_kick(splash, step->dt)};
    label_cells(splash);
    PoissonProblem problem = {.grid = grid, .kind = splash->kind};
    for (job.axis = 0; job.axis < grid->dim; job.axis++) {
        parallel_for(step->threads, grid_face_count(grid, job.axis), FACE_GRAIN, close_faces, &job);
        problem.coefficient[job.axis] = splash->weight[job.axis];
        problem.open[job.axis] = splash->open[job.axis];
    }
    scale_pressure(splash, job.time);
    KrylovOptions options = krylov_options_default(step->threads);
    options.relative = 1e-5;
    /* The flow that a part `tolerance` of a cell makes in a step. */
    options.absolute = splash->desc.tolerance * grid_cell_volume(grid) / step->dt;
    TRY(poisson_project(splash->poisson, &problem, &options, splash->velocity, splash->pressure,
                        &splash->projected));
    scale_pressure(splash, 1 / job.time);
    if (splash->projected.solved.reason != SOLVE_CONVERGED)
        return context_fail(splash->context, PLIM_FAILED,
                            "t = %g s: the pressure of the splashing liquid did not converge (%s)",
                            step->time, solve_reason_name(splash->projected.solved.reason));
    return PLIM_OK;
}
