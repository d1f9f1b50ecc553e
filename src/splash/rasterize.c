/* Particles to grid, rasterisation (001 section 3.2.1, eqs. 3.10 to 3.12). All particles have the
 * same mass: shares are added up and scaled at the end. Slabs of layers are worked on at the same
 * time, every second one first, then the others: what two slabs of one pass write never meets. */
#include "splash/kernel.h"

#include <string.h>

typedef enum RasterWhat { RASTER_MASSES, RASTER_MOMENTA, RASTER_PREDICTED } RasterWhat;

typedef struct RasterJob {
    Splash *splash;
    Kernel kernel;
    RasterWhat what;
    double dt;                       /* s, of the prediction */
    double *const *velocity;         /* of faces, of the prediction */
    size_t thickness, slabs, parity; /* layers of a slab */
} RasterJob;

int splash_longest_way(const Splash *splash) {
    return (int)ceil(SPLASH_SPRAY_REACH * splash->desc.cfl) + 1;
}

int splash_reach(const Splash *splash) {
    int passes = splash->desc.correct_density ? splash->desc.corrections : 0;
    int first = passes < SPLASH_FIRST_PASSES ? passes : SPLASH_FIRST_PASSES;
    double corrected = SPLASH_OFFSET_MOST * first + SPLASH_OFFSET_LATE * (passes - first);
    return splash_longest_way(splash) + (int)ceil(corrected);
}

static size_t layer_count(const Splash *splash) {
    return (size_t)splash->padded.n[splash->padded.dim - 1];
}

/* ---- one particle ---- */

static inline void add_masses(Splash *splash, const Kernel *kernel, int dim,
                              const KernelPlace *place) {
    double share[8];
    size_t at = kernel_cell_shares(kernel, dim, place, share);
    kernel_scatter(&kernel->cells, dim, splash->density + at, share, 1.0);
    for (int axis = 0; axis < dim; axis++) {
        at = kernel_face_shares(kernel, dim, place, axis, share);
        kernel_scatter(&kernel->faces[axis], dim, splash->face_density[axis] + at, share, 1.0);
    }
}

static inline void add_momenta(Splash *splash, const Kernel *kernel, int dim,
                               const KernelPlace *place, const double v[3]) {
    double share[8];
    for (int axis = 0; axis < dim; axis++) {
        size_t at = kernel_face_shares(kernel, dim, place, axis, share);
        kernel_scatter(&kernel->faces[axis], dim, splash->velocity[axis] + at, share, v[axis]);
    }
}

/* What the gradient of velocity that an APIC particle carries adds at each face. */
static inline void add_affine(Splash *splash, const Kernel *kernel, int dim,
                              const KernelPlace *place, const double *gradient) {
    double h = splash->padded.spacing, share[8];
    for (int axis = 0; axis < dim; axis++) {
        size_t at = kernel_face_shares(kernel, dim, place, axis, share);
        for (int c = 0; c < (1 << dim); c++) {
            double sum = 0;
            for (int a = 0; a < dim; a++) {
                double part = a == axis ? place->face_part[a] : place->cell_part[a];
                sum += gradient[3 * axis + a] * ((c >> a & 1) - part) * h;
            }
            splash->velocity[axis][at + kernel_corner(&kernel->faces[axis], c)] += share[c] * sum;
        }
    }
}

/* Where the particle will be if nothing stops it: one step through the velocity of the job. */
static inline KernelPlace predict_place(const RasterJob *job, int dim, const KernelPlace *place,
                                        const double x[3]) {
    const Splash *splash = job->splash;
    const Grid *grid = &splash->grid;
    double at[3] = {0}, share[8], most = splash_longest_way(splash) * grid->spacing;
    for (int axis = 0; axis < dim; axis++) {
        size_t first = kernel_face_shares(&job->kernel, dim, place, axis, share);
        double u = kernel_gather(&job->kernel.faces[axis], dim, job->velocity[axis] + first, share);
        double low = vec3_component(grid->origin, axis);
        double high = low + grid->n[axis] * grid->spacing;
        double to = x[axis] + kernel_clamp(job->dt * u, -most, most);
        at[axis] = kernel_clamp(to, low, high);
    }
    return kernel_place(&job->kernel, dim, at[0], at[1], at[2]);
}

static inline void add_predicted(const RasterJob *job, int dim, const KernelPlace *place,
                                 const double x[3]) {
    double share[8];
    KernelPlace next = predict_place(job, dim, place, x);
    size_t at = kernel_cell_shares(&job->kernel, dim, &next, share);
    kernel_scatter(&job->kernel.cells, dim, job->splash->predicted + at, share, 1.0);
}

/* ---- slabs ---- */

static inline void scatter_range(const RasterJob *job, int dim, size_t first, size_t last) {
    Splash *splash = job->splash;
    const Kernel *kernel = &job->kernel;
    bool affine = splash->desc.transfer == SPLASH_APIC;
    for (size_t p = first; p < last; p++) {
        const double x[3] = {splash->position_x[p], splash->position_y[p], splash->position_z[p]};
        KernelPlace place = kernel_place(kernel, dim, x[0], x[1], x[2]);
        if (job->what == RASTER_MASSES) add_masses(splash, kernel, dim, &place);
        if (job->what == RASTER_PREDICTED) add_predicted(job, dim, &place, x);
        if (job->what != RASTER_MOMENTA) continue;
        const double v[3] = {splash->velocity_x[p], splash->velocity_y[p], splash->velocity_z[p]};
        add_momenta(splash, kernel, dim, &place, v);
        if (affine) add_affine(splash, kernel, dim, &place, splash->affine + 9 * p);
    }
}

static void scatter_slabs(void *user, size_t begin, size_t end) {
    const RasterJob *job = user;
    const Splash *splash = job->splash;
    size_t layers = layer_count(splash);
    for (size_t i = begin; i < end; i++) {
        size_t low = (2 * i + job->parity) * job->thickness, high = low + job->thickness;
        size_t first = splash->layer_start[low],
               last = splash->layer_start[high < layers ? high : layers];
        if (splash->padded.dim == 3)
            scatter_range(job, 3, first, last);
        else
            scatter_range(job, 2, first, last);
    }
}

/* A particle writes one layer beyond its own, and may have moved by the reach since it was sorted:
 * two slabs of one parity are a slab apart, so that is how thick one must be. */
static void scatter_all(RasterJob *job, const StepInfo *step) {
    size_t layers = layer_count(job->splash);
    job->thickness = 2 * (size_t)splash_reach(job->splash) + 2;
    job->slabs = (layers + job->thickness - 1) / job->thickness;
    for (job->parity = 0; job->parity < 2; job->parity++) {
        if (job->slabs <= job->parity) break;
        parallel_for(step->threads, (job->slabs - job->parity + 1) / 2, 1, scatter_slabs, job);
    }
}

/* ---- sums to densities and velocities ---- */

typedef struct ClearJob {
    double *values;
} ClearJob;

static void clear_range(void *user, size_t begin, size_t end) {
    const ClearJob *job = user;
    memset(job->values + begin, 0, (end - begin) * sizeof *job->values);
}

enum { GRAIN = 32768 };

static void clear(const StepInfo *step, double *values, size_t count) {
    ClearJob job = {values};
    parallel_for(step->threads, count, GRAIN, clear_range, &job);
}

typedef struct ScaleJob {
    double *density, *velocity, *change;
    unsigned char *known;
    double mass; /* of a particle over the volume of a cell */
} ScaleJob;

static void scale_masses(void *user, size_t begin, size_t end) {
    const ScaleJob *job = user;
    for (size_t i = begin; i < end; i++) job->density[i] *= job->mass;
}

static void scale_momenta(void *user, size_t begin, size_t end) {
    const ScaleJob *job = user;
    for (size_t i = begin; i < end; i++) {
        bool known = job->density[i] > 0;
        job->velocity[i] = known ? job->velocity[i] * job->mass / job->density[i] : 0;
        job->change[i] = -job->velocity[i];
        job->known[i] = known;
    }
}

static RasterJob raster_job(Splash *splash, RasterWhat what) {
    return (RasterJob){.splash = splash, .kernel = kernel_of(splash), .what = what};
}

static ScaleJob scale_job(const Splash *splash) {
    return (ScaleJob){.mass = splash->particle_mass / grid_cell_volume(&splash->padded)};
}

void splash_rasterize_mass(Splash *splash, const StepInfo *step) {
    const Grid *grid = &splash->padded;
    RasterJob job = raster_job(splash, RASTER_MASSES);
    clear(step, splash->density, grid_cell_count(grid));
    for (int axis = 0; axis < grid->dim; axis++)
        clear(step, splash->face_density[axis], grid_face_count(grid, axis));
    scatter_all(&job, step);
    ScaleJob scale = scale_job(splash);
    scale.density = splash->density;
    parallel_for(step->threads, grid_cell_count(grid), GRAIN, scale_masses, &scale);
    for (int axis = 0; axis < grid->dim; axis++) {
        scale.density = splash->face_density[axis];
        parallel_for(step->threads, grid_face_count(grid, axis), GRAIN, scale_masses, &scale);
    }
}

void splash_rasterize_velocity(Splash *splash, const StepInfo *step) {
    const Grid *grid = &splash->padded;
    RasterJob job = raster_job(splash, RASTER_MOMENTA);
    for (int axis = 0; axis < grid->dim; axis++)
        clear(step, splash->velocity[axis], grid_face_count(grid, axis));
    scatter_all(&job, step);
    ScaleJob scale = scale_job(splash);
    for (int axis = 0; axis < grid->dim; axis++) {
        scale.density = splash->face_density[axis];
        scale.velocity = splash->velocity[axis];
        scale.change = splash->change[axis];
        scale.known = splash->known[axis];
        parallel_for(step->threads, grid_face_count(grid, axis), GRAIN, scale_momenta, &scale);
    }
}

void splash_predict(Splash *splash, const StepInfo *step, double *const velocity[3]) {
    const Grid *grid = &splash->padded;
    RasterJob job = raster_job(splash, RASTER_PREDICTED);
    job.dt = step->dt;
    job.velocity = velocity;
    clear(step, splash->predicted, grid_cell_count(grid));
    scatter_all(&job, step);
    ScaleJob scale = scale_job(splash);
    scale.density = splash->predicted;
    parallel_for(step->threads, grid_cell_count(grid), GRAIN, scale_masses, &scale);
}
