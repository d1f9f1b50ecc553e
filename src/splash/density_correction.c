/* Density correction of particles (001 eq. 3.9, Narain et al. 2010): particles are moved apart
 * until no cell holds more than it can. y >= 0 is to places what pressure is to velocities: with b
 * = rho_max - rho_c and A y = -div(v_f grad y), the mass that a face lets through is -v_f grad y,
 * so particles there move by -v_f grad y / rho_f. That is linear in places that are not: passes
 * follow until the greatest density is right. */
#include "splash/faces.h"
#include "splash/kernel.h"

#include <string.h>

/* What an excess counts in the first pass and in those after it. An excess of one cell alone is
 * spread by the kernel as it is moved: it goes down by about a quarter of what is asked for.
 * Measured on dam breaks: 1 and 1 take 12 passes and more from 25% to 1%, these 4 to 6. */
#define STRESS_FIRST 1.5
#define STRESS_LATER 3.0

typedef struct CorrectJob {
    Splash *splash;
    Kernel kernel;
    int axis;
    double stress;        /* what an excess counts */
    double *worst;        /* of each layer */
    unsigned char *moved; /* of each particle */
    double *y;            /* of each cell: the sum of the multipliers of all passes */
} CorrectJob;

static void measure_layers(void *user, size_t begin, size_t end) {
    const CorrectJob *job = user;
    Splash *splash = job->splash;
    const Grid *grid = &splash->padded;
    double density = splash->desc.density, least = splash->desc.air * density;
    for (size_t layer = begin; layer < end; layer++) {
        double worst = 0;
        FOR_CELLS(grid, layer, layer + 1, i, j, k, c) {
            double room = splash->most[c] - splash->density[c];
            bool active = splash->density[c] > 0 && splash->most[c] > 0 &&
                          (room < 0 || splash->density[c] >= least);
            splash->kind[c] = active ? CELL_FLUID : CELL_AIR;
            splash->right[c] = grid_cell_volume(grid) * (room < 0 ? job->stress * room : room);
            splash->multiplier[c] = 0;
            worst = fmax(worst, -room / density);
        }
        job->worst[layer] = worst;
    }
}

/* How far the worst cell is above what it can hold, in parts of the liquid's density. */
static PlimStatus measure(Splash *splash, const StepInfo *step, double *worst) {
    size_t layers = face_layers(&splash->padded), mark = scratch_mark(step->scratch);
    CorrectJob job = {.splash = splash,
                      .stress = splash->correction_passes > 0 ? STRESS_LATER : STRESS_FIRST};
    job.worst = scratch_take(step->scratch, layers, sizeof *job.worst);
    if (!job.worst) return PLIM_OUT_OF_MEMORY;
    parallel_for(step->threads, layers, 1, measure_layers, &job);
    *worst = 0;
    for (size_t layer = 0; layer < layers; layer++) *worst = fmax(*worst, job.worst[layer]);
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}

/* Into `change`: by how much particles at a face are moved, m. */
static void find_offsets(void *user, size_t begin, size_t end) {
    const CorrectJob *job = user;
    Splash *splash = job->splash;
    const Grid *grid = &splash->padded;
    int axis = job->axis;
    FOR_INNER_FACES(grid, axis, begin, end, i, j, k, f) {
        CellPair cells = cells_of(grid, axis, i, j, k);
        double rise = splash->multiplier[cells.high] - splash->multiplier[cells.low];
        bool carries = splash->weight[axis][f] > 0 && rise != 0;
        splash->change[axis][f] = carries ? -splash->fraction[axis][f] * rise /
                                                (grid->spacing * splash->face_density[axis][f])
                                          : 0;
    }
}

/* Cells in which a particle's stencil meets a face that moves it: those with y > 0 and all around
 * them. */
static void stir_layers(void *user, size_t begin, size_t end) {
    const CorrectJob *job = user;
    Splash *splash = job->splash;
    const Grid *grid = &splash->padded;
    FOR_CELLS(grid, begin, end, i, j, k, c) {
        int low[3], high[3], at[3] = {i, j, k};
        for (int a = 0; a < 3; a++) {
            low[a] = at[a] > 0 ? at[a] - 1 : 0;
            high[a] = at[a] + 1 < grid->n[a] ? at[a] + 1 : grid->n[a] - 1;
        }
        bool stirred = false;
        for (int z = low[2]; z <= high[2] && !stirred; z++)
            for (int y = low[1]; y <= high[1] && !stirred; y++) {
                const double *row = splash->multiplier + grid_cell_index(grid, 0, y, z);
                for (int x = low[0]; x <= high[0]; x++) stirred |= row[x] > 0;
            }
        splash->stirred[c] = stirred;
    }
}

static void find_stirred(Splash *splash, const StepInfo *step) {
    CorrectJob job = {.splash = splash};
    parallel_for(step->threads, face_layers(&splash->padded), 1, stir_layers, &job);
}

/* What a correction did in all: the sum of ways, m. */
enum { WAY_SUMS = 3 };

static void offset_range(void *user, size_t begin, size_t end, double *ways) {
    const CorrectJob *job = user;
    Splash *splash = job->splash;
    int dim = splash->padded.dim;
    bool late = splash->correction_passes >= SPLASH_FIRST_PASSES;
    double most = (late ? SPLASH_OFFSET_LATE : SPLASH_OFFSET_MOST) * splash->padded.spacing;
    double share[8];
    for (size_t p = begin; p < end; p++) {
        Vec3 from = vec3(splash->position_x[p], splash->position_y[p], splash->position_z[p]);
        if (!splash->stirred[kernel_cell(&job->kernel, dim, from.x, from.y, from.z)]) continue;
        KernelPlace place = kernel_place(&job->kernel, dim, from.x, from.y, from.z);
        double by[3] = {0};
        for (int axis = 0; axis < dim; axis++) {
            size_t at = kernel_face_shares(&job->kernel, dim, &place, axis, share);
            by[axis] =
                kernel_gather(&job->kernel.faces[axis], dim, splash->change[axis] + at, share);
            by[axis] = kernel_clamp(by[axis], -most, most);
        }
        if (by[0] == 0 && by[1] == 0 && by[2] == 0) continue;
        Vec3 to = vec3_add(from, vec3_load(by));
        SplashHit hit;
        splash_collide(splash, from, &to, &hit);
        vec3_store(ways, vec3_add(vec3_load(ways), vec3_sub(to, from)));
        job->moved[p] = 1;
        splash->position_x[p] = to.x;
        splash->position_y[p] = to.y;
        splash->position_z[p] = to.z;
    }
}

/* ---- the energy of what was lifted ---- */

enum { SUM_COUNT, SUM_VELOCITY, SUM_SQUARE = 4, SUMS };

static void add_moved(void *user, size_t begin, size_t end, double *sum) {
    const CorrectJob *job = user;
    const Splash *splash = job->splash;
    for (size_t p = begin; p < end; p++) {
        if (!job->moved[p]) continue;
        double x = splash->velocity_x[p], y = splash->velocity_y[p], z = splash->velocity_z[p];
        sum[SUM_COUNT]++;
        sum[SUM_VELOCITY] += x;
        sum[SUM_VELOCITY + 1] += y;
        sum[SUM_VELOCITY + 2] += z;
        sum[SUM_SQUARE] += x * x + y * y + z * z;
    }
}

typedef struct SlowJob {
    const CorrectJob *moved;
    Vec3 mean, new_mean;
    double part; /* that velocities about the mean keep */
} SlowJob;

static void slow_range(void *user, size_t begin, size_t end) {
    const SlowJob *job = user;
    Splash *splash = job->moved->splash;
    for (size_t p = begin; p < end; p++) {
        if (!job->moved->moved[p]) continue;
        splash->velocity_x[p] = job->new_mean.x + job->part * (splash->velocity_x[p] - job->mean.x);
        splash->velocity_y[p] = job->new_mean.y + job->part * (splash->velocity_y[p] - job->mean.y);
        splash->velocity_z[p] = job->new_mean.z + job->part * (splash->velocity_z[p] - job->mean.z);
    }
}

/* Of the energy of motion: what is lifted in a step of lively flow, where it does no harm and
 * paying for it would be a drag. */
#define PAY_ABOVE 0.02

/* Where ways do not add up to nothing, walls were pushed against: what moves towards them on the
 * whole is stopped, as far as the correction went. */
static Vec3 stopped_mean(Vec3 mean, Vec3 way, double dt) {
    double length = vec3_length(way);
    if (!(length > 0)) return mean;
    Vec3 along = vec3_scale(1 / length, way);
    double against = -vec3_dot(mean, along);
    if (against <= 0) return mean;
    return vec3_add(mean, vec3_scale(fmin(against, length / dt), along));
}

/* Moving particles apart lifts some, and what was lifted falls again: a pool at rest would come to
 * a boil. The particles that were moved pay for it with their velocities, where no wall was pushed
 * with those about their mean, which keeps momentum. */
static PlimStatus pay_for_lift(CorrectJob *job, const StepInfo *step, Vec3 ways) {
    Splash *splash = job->splash;
    double sum[SUMS], lifted = -vec3_dot(splash->gravity, ways) + fmin(splash->gained, 0);
    TRY(parallel_sum(step->threads, splash_count(splash), SUMS, add_moved, job, step->scratch,
                     sum));
    double count = sum[SUM_COUNT];
    lifted -= PAY_ABOVE * 0.5 * sum[SUM_SQUARE];
    if (!(lifted > 0)) return PLIM_OK;
    SlowJob slow = {.moved = job};
    slow.mean = vec3_scale(1 / count, vec3_load(sum + SUM_VELOCITY));
    slow.new_mean = stopped_mean(slow.mean, vec3_scale(1 / count, ways), step->dt);
    double of_mean = 0.5 * count * vec3_dot(slow.mean, slow.mean);
    lifted -= of_mean - 0.5 * count * vec3_dot(slow.new_mean, slow.new_mean);
    double energy = 0.5 * sum[SUM_SQUARE] - of_mean;
    slow.part = lifted <= 0 ? 1 : lifted < energy ? sqrt(1 - lifted / energy) : 0;
    parallel_for(step->threads, splash_count(splash), 16384, slow_range, &slow);
    Vec3 stopped = vec3_sub(slow.mean, slow.new_mean);
    return splash_share_impulse(splash, step, job->y,
                                vec3_scale(splash->particle_mass * count, stopped));
}

/* Adds the ways of particles to *ways. */
static PlimStatus correct_once(CorrectJob *job, const StepInfo *step, Vec3 *ways) {
    Splash *splash = job->splash;
    const Grid *grid = &splash->padded;
    splash_weigh_faces(splash, step, false);
    /* A hundredth of what is asked for: with a tenth a still tank has 5% of noise in its pressure.
     */
    double unit = splash->desc.density * grid_cell_volume(grid);
    BoundedSolve solve = {.what = "density correction",
                          .tolerance =
                              fmax(splash->desc.tolerance, 0.01 * splash->desc.crowding) * unit,
                          .x = splash->multiplier,
                          .may_stop_short = true};
    bool first = splash->correction_passes == 0;
    TRY(splash_solve_bounded(splash, first ? splash->poisson : splash->local, step, &solve,
                             &splash->corrected));
    find_stirred(splash, step);
    for (job->axis = 0; job->axis < grid->dim; job->axis++)
        parallel_for(step->threads, face_layers(grid), 1, find_offsets, job);
    for (size_t c = 0; c < grid_cell_count(grid); c++) job->y[c] += splash->multiplier[c];
    double more[WAY_SUMS];
    TRY(parallel_sum(step->threads, splash_count(splash), WAY_SUMS, offset_range, job,
                     step->scratch, more));
    *ways = vec3_add(*ways, vec3_load(more));
    return PLIM_OK;
}

PlimStatus splash_correct_density(Splash *splash, const StepInfo *step) {
    size_t mark = scratch_mark(step->scratch), count = splash_count(splash);
    CorrectJob job = {.splash = splash, .kernel = kernel_of(splash)};
    Vec3 ways = vec3(0, 0, 0);
    job.moved = scratch_take(step->scratch, count + 1, 1);
    job.y = scratch_take(step->scratch, grid_cell_count(&splash->padded), sizeof *job.y);
    if (!job.moved || !job.y) return PLIM_OUT_OF_MEMORY;
    memset(job.moved, 0, count);
    memset(job.y, 0, grid_cell_count(&splash->padded) * sizeof *job.y);
    splash->correction_passes = 0;
    splash->corrected = (BoundedResult){0};
    splash_rasterize_mass(splash, step);
    TRY(measure(splash, step, &splash->density_excess));
    while (splash->density_excess > splash->desc.crowding &&
           splash->correction_passes < splash->desc.corrections) {
        TRY(correct_once(&job, step, &ways));
        splash->correction_passes++;
        splash_rasterize_mass(splash, step);
        TRY(measure(splash, step, &splash->density_excess));
    }
    TRY(pay_for_lift(&job, step, ways));
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}
