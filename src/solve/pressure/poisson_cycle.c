/* One multigrid cycle of the pressure equation, as a preconditioner of larger systems. */
#include "solve/pressure/poisson_internal.h"

#include <math.h>

typedef struct CycleJob {
    Poisson *poisson;
    const double *r;
    double *z;
    const size_t *stride;
    double *largest; /* of each row */
    double scale;
} CycleJob;

static void find_largest(void *user, size_t begin, size_t end) {
    const CycleJob *job = user;
    const Grid *grid = &job->poisson->grid;
    for (size_t row = begin; row < end; row++) {
        size_t j = row % (size_t)grid->n[1], k = row / (size_t)grid->n[1];
        const double *r = job->r + j * job->stride[1] + k * job->stride[2];
        double largest = 0.0;
        for (size_t i = 0; i < (size_t)grid->n[0]; i++) largest = fmax(largest, fabs(r[i]));
        job->largest[row] = largest;
    }
}

static void lower_rows(void *user, size_t begin, size_t end) {
    const CycleJob *job = user;
    const Grid *grid = &job->poisson->grid;
    const MgLevel *level = &job->poisson->mg.levels[0];
    for (size_t row = begin; row < end; row++) {
        size_t j = row % (size_t)grid->n[1], k = row / (size_t)grid->n[1];
        const double *r = job->r + j * job->stride[1] + k * job->stride[2];
        size_t c = mg_index(level, 0, (int)j, (int)k);
        for (size_t i = 0; i < (size_t)grid->n[0]; i++, c++)
            level->b[c] = level->inverse[c] > 0.0f ? (float)(r[i] * job->scale) : 0.0f;
    }
}

static void raise_rows(void *user, size_t begin, size_t end) {
    const CycleJob *job = user;
    const Grid *grid = &job->poisson->grid;
    const MgLevel *level = &job->poisson->mg.levels[0];
    for (size_t row = begin; row < end; row++) {
        size_t j = row % (size_t)grid->n[1], k = row / (size_t)grid->n[1];
        double *z = job->z + j * job->stride[1] + k * job->stride[2];
        size_t c = mg_index(level, 0, (int)j, (int)k);
        for (size_t i = 0; i < (size_t)grid->n[0]; i++, c++)
            z[i] = level->inverse[c] > 0.0f ? (double)level->x[c] * job->scale : 0.0;
    }
}

PlimStatus poisson_cycle(Poisson *poisson, int threads, const size_t stride[3], const double *r,
                         double *z) {
    enum { GRAIN = 16 };
    const Grid *grid = &poisson->grid;
    size_t rows = (size_t)grid->n[1] * (size_t)grid->n[2], mark = scratch_mark(&poisson->scratch);
    CycleJob job = {.poisson = poisson, .r = r, .z = z, .stride = stride};
    job.largest = scratch_take(&poisson->scratch, rows, sizeof *job.largest);
    if (!job.largest) return PLIM_OUT_OF_MEMORY;
    parallel_for(threads, rows, GRAIN, find_largest, &job);
    double largest = 0.0;
    for (size_t row = 0; row < rows; row++) largest = fmax(largest, job.largest[row]);
    scratch_release(&poisson->scratch, mark);
    int exponent = 0;
    frexp(largest, &exponent);
    job.scale = ldexp(1.0, exponent < -1000 ? 1000 : -exponent);
    parallel_for(threads, rows, GRAIN, lower_rows, &job);
    mg_cycle(&poisson->mg, threads);
    job.scale = 1.0 / job.scale;
    parallel_for(threads, rows, GRAIN, raise_rows, &job);
    return PLIM_OK;
}
