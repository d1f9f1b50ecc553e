/* The pressure equation as a block of larger systems: its layout, one multigrid cycle as a
 * preconditioner, and its nullspace, between the layouts of others and the finest level's. */
#include "solve/pressure/poisson_operator.h"

#include "solve/pressure/poisson_internal.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 16 }; /* rows */

PoissonLayout poisson_layout(const Poisson *poisson) {
    const MgLevel *level = &poisson->mg.levels[0];
    return (PoissonLayout){.stride = {level->stride[0], level->stride[1], level->stride[2]},
                           .origin = mg_index(level, 0, 0, 0),
                           .size = level->size};
}

const float *poisson_inverse_diagonal(const Poisson *poisson) {
    return poisson->mg.levels[0].inverse;
}

int poisson_precondition_applications(const Poisson *poisson) {
    if (poisson->method == POISSON_MULTIGRID) return mg_applications(&poisson->mg);
    return poisson->method == POISSON_MIC0 ? 1 : 0;
}

/* ---- one cycle ---- */

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

PlimStatus poisson_precondition(Poisson *poisson, int threads, const size_t stride[3],
                                const double *r, double *z) {
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

/* ---- the nullspace ---- */

typedef struct CopyJob {
    Poisson *poisson;
    double *v;
    const size_t *stride;
} CopyJob;

/* v into the solver's p, and back. */
static void copy_in(void *user, size_t begin, size_t end) {
    const CopyJob *job = user;
    const Grid *grid = &job->poisson->grid;
    for (size_t row = begin; row < end; row++) {
        size_t j = row % (size_t)grid->n[1], k = row / (size_t)grid->n[1];
        const double *v = job->v + j * job->stride[1] + k * job->stride[2];
        double *p = job->poisson->p + mg_index(&job->poisson->mg.levels[0], 0, (int)j, (int)k);
        memcpy(p, v, (size_t)grid->n[0] * sizeof *p);
    }
}

static void copy_out(void *user, size_t begin, size_t end) {
    const CopyJob *job = user;
    const Grid *grid = &job->poisson->grid;
    const MgLevel *level = &job->poisson->mg.levels[0];
    for (size_t row = begin; row < end; row++) {
        size_t j = row % (size_t)grid->n[1], k = row / (size_t)grid->n[1];
        double *v = job->v + j * job->stride[1] + k * job->stride[2];
        size_t c = mg_index(level, 0, (int)j, (int)k);
        for (size_t i = 0; i < (size_t)grid->n[0]; i++, c++)
            v[i] = level->inverse[c] > 0.0f ? job->poisson->p[c] : 0.0;
    }
}

size_t poisson_closed_count(const Poisson *poisson) {
    return poisson->closed_count;
}

size_t poisson_closed_region(const Poisson *poisson, int i, int j, int k) {
    if (poisson->closed_count == 0) return 0;
    const PoissonLayout layout = poisson_layout(poisson);
    return poisson->region[poisson_index(&layout, i, j, k)];
}

PlimStatus poisson_remove_means_at(Poisson *poisson, int threads, const size_t stride[3], double *v,
                                   double *largest) {
    *largest = 0.0;
    if (poisson->closed_count == 0) return PLIM_OK;
    size_t rows = (size_t)poisson->grid.n[1] * (size_t)poisson->grid.n[2];
    CopyJob job = {poisson, v, stride};
    parallel_for(threads, rows, GRAIN, copy_in, &job);
    TRY(poisson_remove_means(poisson, threads, poisson->p, largest));
    parallel_for(threads, rows, GRAIN, copy_out, &job);
    return PLIM_OK;
}
