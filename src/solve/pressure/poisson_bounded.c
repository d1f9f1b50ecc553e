/* Bound-constrained pressure by MPRGP (001 section 3.1) on the padded vectors of the pressure
 * solve. What preconditions it is made for the free cells alone, again for each new set of them:
 * cells at their bound are like air, a fixed value. */
#include "solve/pressure/poisson_bounded.h"

#include "solve/pressure/poisson_internal.h"

#include <math.h>
#include <string.h>

BoundedOptions bounded_options_default(int threads) {
    return (BoundedOptions){.tolerance = 0.0, .max_iterations = 1000, .threads = threads};
}

enum { GRAIN = 1 << 14, ROW_GRAIN = 64 };

typedef struct Bounded {
    Poisson *poisson;
    Poisson *face; /* its mark: the cells that its levels were made for */
    bool face_ready;
    int threads;
    double scale; /* gradients times this go into single precision */
    int setups;
    double incompatible;
    double *b, *low, *x, *eigenvector; /* padded */
    const BoundedColumns *columns;     /* NULL: none */
    size_t *place;                     /* of each entry: its padded cell; SIZE_MAX: no unknown */
    double *motion;                    /* C^T x */
    /* of one pass */
    const unsigned char *is_free;
    const double *r;
    double *z;
} Bounded;

/* The solver for free cells: the same grid and method. Made by the first bounded solve. */
static PlimStatus ensure_face(Poisson *poisson) {
    if (poisson->face) return PLIM_OK;
    TRY(poisson_create(poisson->context, &poisson->grid, poisson->method, &poisson->face));
    Multigrid *mg = &poisson->face->mg;
    for (int l = 0; l < mg->level_count; l++) mg->levels[l].joins_held = true;
    return PLIM_OK;
}

static void copy_conductances(void *user, size_t begin, size_t end) {
    const Bounded *bounded = user;
    float *const *to = bounded->face->mg.levels[0].g;
    float *const *from = bounded->poisson->mg.levels[0].g;
    for (int a = 0; a < 3; a++)
        memcpy(to[a] + begin, from[a] + begin, (end - begin) * sizeof(float));
}

typedef struct ApplyJob {
    const Poisson *poisson;
    const double *x;
    double *y;
} ApplyJob;

/* With conductances of double precision: with single ones the slack A x + b of the problem as given
 * is off by their rounding, 1e-8 of its terms, however well the rounded problem is solved. */
static void apply_layer(void *user, int layer, double partial[4]) {
    const ApplyJob *job = user;
    const MgLevel *level = &job->poisson->mg.levels[0];
    size_t sx = level->stride[1], sxy = level->stride[2];
    (void)partial;
    FOR_RUNS(level, layer, run) {
        const float *inverse = level->inverse + run->start;
        const double *gx = job->poisson->exact[0] + run->start,
                     *gy = job->poisson->exact[1] + run->start;
        const double *gz = job->poisson->exact[2] + run->start, *gn = gy + sx, *ga = gz + sxy;
        const double *here = job->x + run->start, *south = here - sx, *north = here + sx;
        const double *below = here - sxy, *above = here + sxy;
        double *restrict out = job->y + run->start;
        for (int i = 0; i < run->length; i++) {
            double xi = here[i];
            double sum = ((gx[i] * (xi - here[i - 1]) + gx[i + 1] * (xi - here[i + 1])) +
                          (gy[i] * (xi - south[i]) + gn[i] * (xi - north[i]))) +
                         (gz[i] * (xi - below[i]) + ga[i] * (xi - above[i]));
            out[i] = inverse[i] > 0.0f ? sum : 0.0;
        }
    }
}

/* y += C C^T x. Entries are few beside the cells: one thread, in their order. */
static void apply_columns(const Bounded *bounded, const double *x, double *y) {
    const BoundedColumns *columns = bounded->columns;
    memset(bounded->motion, 0, columns->block_count * BOUNDED_BLOCK_SIZE * sizeof(double));
    for (size_t e = 0; e < columns->entry_count; e++) {
        const BoundedEntry *entry = &columns->entries[e];
        if (bounded->place[e] == SIZE_MAX) continue;
        double *motion = bounded->motion + entry->block * BOUNDED_BLOCK_SIZE;
        for (int i = 0; i < BOUNDED_BLOCK_SIZE; i++)
            motion[i] += entry->value[i] * x[bounded->place[e]];
    }
    for (size_t e = 0; e < columns->entry_count; e++) {
        const BoundedEntry *entry = &columns->entries[e];
        if (bounded->place[e] == SIZE_MAX) continue;
        const double *motion = bounded->motion + entry->block * BOUNDED_BLOCK_SIZE;
        double sum = 0.0;
        for (int i = 0; i < BOUNDED_BLOCK_SIZE; i++) sum += entry->value[i] * motion[i];
        y[bounded->place[e]] += sum;
    }
}

static PlimStatus apply(void *object, double *x, double *y) {
    Bounded *bounded = object;
    ApplyJob job = {bounded->poisson, x, y};
    double sum[4];
    poisson_fill_halo(bounded->poisson, x);
    TRY(poisson_layers(bounded->poisson, bounded->threads, apply_layer, &job, sum));
    if (bounded->columns) apply_columns(bounded, x, y);
    return PLIM_OK;
}

static PlimStatus set_up_face(Bounded *bounded) {
    Poisson *face = bounded->face;
    size_t size = face->mg.levels[0].size;
    if (bounded->face_ready && memcmp(face->mark, bounded->is_free, size) == 0) return PLIM_OK;
    memcpy(face->mark, bounded->is_free, size);
    TRY(mg_setup(&face->mg, &bounded->poisson->scratch, bounded->threads, face->mark));
    if (face->method == POISSON_MIC0) mic_setup(face, bounded->threads);
    bounded->face_ready = true;
    bounded->setups++;
    return PLIM_OK;
}

static void lower(void *user, size_t begin, size_t end) {
    const Bounded *bounded = user;
    float *b = bounded->face->mg.levels[0].b;
    const unsigned char *is_free = bounded->is_free;
    const double *r = bounded->r, scale = bounded->scale;
    for (size_t c = begin; c < end; c++) b[c] = is_free[c] ? (float)(r[c] * scale) : 0.0f;
}

static void raise(void *user, size_t begin, size_t end) {
    const Bounded *bounded = user;
    const float *x = bounded->face->mg.levels[0].x;
    const unsigned char *is_free = bounded->is_free;
    double unscale = 1.0 / bounded->scale, *z = bounded->z;
    for (size_t c = begin; c < end; c++) z[c] = is_free[c] ? (double)x[c] * unscale : 0.0;
}

static PlimStatus precondition(void *object, const unsigned char *is_free, bool changed,
                               const double *r, double *z) {
    Bounded *bounded = object;
    Poisson *face = bounded->face;
    size_t size = face->mg.levels[0].size;
    bounded->is_free = is_free;
    bounded->r = r;
    bounded->z = z;
    if (changed) TRY(set_up_face(bounded));
    if (face->method == POISSON_MULTIGRID) {
        parallel_for(bounded->threads, size, GRAIN, lower, bounded);
        mg_cycle(&face->mg, bounded->threads);
    } else {
        mic_apply(face, bounded->threads, r, face->mg.levels[0].x);
    }
    parallel_for(bounded->threads, size, GRAIN, raise, bounded);
    return PLIM_OK;
}

typedef struct RowJob {
    Bounded *bounded;
    const double *b, *low;
    double *p, *eigenvector;
    double *largest; /* of each row: |b|, |eigenvector|, -b of a cell with all faces closed */
} RowJob;

static void load_rows(void *user, size_t begin, size_t end) {
    const RowJob *job = user;
    const Bounded *bounded = job->bounded;
    const Grid *grid = &bounded->poisson->grid;
    const MgLevel *level = &bounded->poisson->mg.levels[0];
    for (size_t row = begin; row < end; row++) {
        int j = (int)(row % (size_t)grid->n[1]), k = (int)(row / (size_t)grid->n[1]);
        size_t cell = grid_cell_index(grid, 0, j, k), c = mg_index(level, 0, j, k);
        double most[3] = {0.0, 0.0, 0.0};
        for (int i = 0; i < grid->n[0]; i++, cell++, c++) {
            bool unknown = level->inverse[c] > 0.0f;
            bounded->b[c] = unknown ? job->b[cell] : 0.0;
            bounded->x[c] = unknown ? job->p[cell] : 0.0;
            bounded->eigenvector[c] = unknown ? job->eigenvector[cell] : 0.0;
            if (job->low) bounded->low[c] = unknown ? job->low[cell] : 0.0;
            most[0] = fmax(most[0], fabs(bounded->b[c]));
            most[1] = fmax(most[1], fabs(bounded->eigenvector[c]));
            if (!unknown && bounded->poisson->mark[c] & MARK_FLUID)
                most[2] = fmax(most[2], -job->b[cell]);
        }
        memcpy(job->largest + 3 * row, most, sizeof most);
    }
}

/* Signs as on a chessboard: near the eigenvector where coefficients are alike. */
static void start_eigenvector(void *user, size_t begin, size_t end) {
    const RowJob *job = user;
    const Bounded *bounded = job->bounded;
    const Grid *grid = &bounded->poisson->grid;
    const MgLevel *level = &bounded->poisson->mg.levels[0];
    for (size_t row = begin; row < end; row++) {
        int j = (int)(row % (size_t)grid->n[1]), k = (int)(row / (size_t)grid->n[1]);
        size_t c = mg_index(level, 0, j, k);
        for (int i = 0; i < grid->n[0]; i++, c++)
            if (level->inverse[c] > 0.0f)
                bounded->eigenvector[c] = (i + j + k) % 2 == 0 ? 1.0 : -1.0;
    }
}

static void store_rows(void *user, size_t begin, size_t end) {
    const RowJob *job = user;
    const Bounded *bounded = job->bounded;
    const Grid *grid = &bounded->poisson->grid;
    const MgLevel *level = &bounded->poisson->mg.levels[0];
    for (size_t row = begin; row < end; row++) {
        int j = (int)(row % (size_t)grid->n[1]), k = (int)(row / (size_t)grid->n[1]);
        size_t cell = grid_cell_index(grid, 0, j, k), c = mg_index(level, 0, j, k);
        for (int i = 0; i < grid->n[0]; i++, cell++, c++) {
            bool unknown = level->inverse[c] > 0.0f;
            bool fluid = bounded->poisson->mark[c] & MARK_FLUID;
            job->p[cell] = unknown ? bounded->x[c] : fluid && job->low ? job->low[cell] : 0.0;
            job->eigenvector[cell] = unknown ? bounded->eigenvector[c] : 0.0;
        }
    }
}

/* Takes the mean of b from closed regions where it is negative: the sum of A p is zero there for
 * any p, so that of b must not be. */
static PlimStatus relax_closed(Bounded *bounded) {
    Poisson *poisson = bounded->poisson;
    const uint32_t *region = poisson->region;
    const MgLevel *level = &poisson->mg.levels[0];
    size_t count = poisson->closed_count, mark = scratch_mark(&poisson->scratch);
    if (count == 0) return PLIM_OK;
    double *sums = scratch_take(&poisson->scratch, 2 * count, sizeof *sums);
    if (!sums) return PLIM_OUT_OF_MEMORY;
    memset(sums, 0, 2 * count * sizeof *sums);
    for (int layer = 0; layer < level->layers; layer++) FOR_RUNS(level, layer, run)
    for (size_t c = run->start; c < run->start + run->length; c++)
        if (level->inverse[c] > 0.0f && region[c]) {
            sums[2 * region[c] - 2] += bounded->b[c];
            sums[2 * region[c] - 1] += 1.0;
        }
    for (size_t i = 0; i < count; i++) {
        sums[2 * i] = fmin(sums[2 * i] / sums[2 * i + 1], 0.0);
        bounded->incompatible = fmax(bounded->incompatible, -sums[2 * i]);
    }
    for (int layer = 0; layer < level->layers; layer++) FOR_RUNS(level, layer, run)
    for (size_t c = run->start; c < run->start + run->length; c++)
        if (level->inverse[c] > 0.0f && region[c]) bounded->b[c] -= sums[2 * region[c] - 2];
    scratch_release(&poisson->scratch, mark);
    return PLIM_OK;
}

static PlimStatus load(RowJob *job) {
    Bounded *bounded = job->bounded;
    Poisson *poisson = bounded->poisson, *face = bounded->face;
    size_t rows = (size_t)poisson->grid.n[1] * (size_t)poisson->grid.n[2];
    size_t size = poisson->mg.levels[0].size;
    bounded->b = face->r;
    bounded->x = face->p;
    bounded->eigenvector = face->q;
    job->largest = scratch_take(&poisson->scratch, 3 * rows, sizeof *job->largest);
    if (job->low) bounded->low = scratch_take(&poisson->scratch, size, sizeof(double));
    if (!job->largest || (job->low && !bounded->low)) return PLIM_OUT_OF_MEMORY;
    parallel_for(bounded->threads, rows, ROW_GRAIN, load_rows, job);
    parallel_for(bounded->threads, size, GRAIN, copy_conductances, bounded);
    double most[3] = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < 3 * rows; i++) most[i % 3] = fmax(most[i % 3], job->largest[i]);
    int exponent;
    frexp(most[0], &exponent);
    bounded->scale = ldexp(1.0, exponent < -1000 ? 1000 : -exponent);
    bounded->incompatible = most[2];
    if (most[1] == 0.0) parallel_for(bounded->threads, rows, ROW_GRAIN, start_eigenvector, job);
    return relax_closed(bounded);
}

static PlimStatus place_columns(Bounded *bounded) {
    Poisson *poisson = bounded->poisson;
    const BoundedColumns *columns = bounded->columns;
    const Grid *grid = &poisson->grid;
    const MgLevel *level = &poisson->mg.levels[0];
    if (!columns) return PLIM_OK;
    bounded->place = scratch_take(&poisson->scratch, columns->entry_count + 1, sizeof(size_t));
    bounded->motion = scratch_take(&poisson->scratch, columns->block_count * BOUNDED_BLOCK_SIZE + 1,
                                   sizeof(double));
    if (!bounded->place || !bounded->motion) return PLIM_OUT_OF_MEMORY;
    size_t nx = (size_t)grid->n[0], ny = (size_t)grid->n[1];
    for (size_t e = 0; e < columns->entry_count; e++) {
        size_t cell = columns->entries[e].cell;
        size_t c = mg_index(level, (int)(cell % nx), (int)(cell / nx % ny), (int)(cell / nx / ny));
        bounded->place[e] = level->inverse[c] > 0.0f ? c : SIZE_MAX;
    }
    return PLIM_OK;
}

/* About the largest eigenvalue of D^-1 C C^T: the greatest trace of a block of C^T D^-1 C. */
static double norm_of_columns(const Bounded *bounded) {
    const BoundedColumns *columns = bounded->columns;
    const float *inverse = bounded->poisson->mg.levels[0].inverse;
    double most = 0.0;
    memset(bounded->motion, 0, columns->block_count * BOUNDED_BLOCK_SIZE * sizeof(double));
    for (size_t e = 0; e < columns->entry_count; e++) {
        const BoundedEntry *entry = &columns->entries[e];
        if (bounded->place[e] == SIZE_MAX) continue;
        double *trace = bounded->motion + entry->block * BOUNDED_BLOCK_SIZE;
        for (int i = 0; i < BOUNDED_BLOCK_SIZE; i++)
            *trace += entry->value[i] * entry->value[i] * (double)inverse[bounded->place[e]];
        most = fmax(most, *trace);
    }
    return most;
}

static PlimStatus solve(Bounded *bounded, const BoundedOptions *options, RowJob *job,
                        MprgpResult *solved) {
    Poisson *poisson = bounded->poisson;
    TRY(load(job));
    TRY(place_columns(bounded));
    bool plain = poisson->method == POISSON_PLAIN;
    int inside = poisson->method == POISSON_MULTIGRID ? mg_applications(&bounded->face->mg) : 1;
    MprgpSystem system = {.object = bounded,
                          .n = poisson->mg.levels[0].size,
                          .apply = apply,
                          .precondition = plain ? NULL : precondition,
                          .precondition_applications = plain ? 0 : inside,
                          .scale = poisson->mg.levels[0].inverse,
                          .b = bounded->b,
                          .low = bounded->low,
                          .least_norm = bounded->columns ? 2.0 + norm_of_columns(bounded) : 0.0};
    MprgpOptions inner = {options->tolerance, options->max_iterations, options->threads};
    TRY(mprgp_solve(&poisson->scratch, &system, &inner, bounded->x, bounded->eigenvector, solved));
    size_t rows = (size_t)poisson->grid.n[1] * (size_t)poisson->grid.n[2];
    parallel_for(bounded->threads, rows, ROW_GRAIN, store_rows, job);
    return PLIM_OK;
}

static BoundedResult result_of(const Bounded *bounded, const MprgpResult *solved) {
    bool none = solved->reason == SOLVE_CONVERGED && bounded->incompatible > 0.0;
    return (BoundedResult){.reason = none ? SOLVE_STAGNATED : solved->reason,
                           .iterations = solved->iterations,
                           .cg_steps = solved->cg_steps,
                           .expansions = solved->expansions,
                           .proportionings = solved->proportionings,
                           .setups = bounded->setups,
                           .applications = solved->applications,
                           .norm = solved->norm,
                           .violation = solved->violation,
                           .least_slack = solved->least_slack,
                           .complementarity = solved->complementarity,
                           .free_count = solved->free_count,
                           .incompatible = bounded->incompatible};
}

PlimStatus poisson_solve_bounded(Poisson *poisson, const BoundedOptions *options, const double *b,
                                 const double *low, double *p, double *eigenvector,
                                 BoundedResult *result) {
    *result = (BoundedResult){.reason = SOLVE_BREAKDOWN};
    if (!poisson->problem.bounded)
        return context_fail(poisson->context, PLIM_BAD_INPUT,
                            "a pressure solve with bounds was set up as one without");
    if (poisson->problem.air_pressure || poisson->problem.outside_pressure != 0.0)
        return context_fail(
            poisson->context, PLIM_BAD_INPUT,
            "a pressure solve with bounds wants a pressure of 0 in air and outside");
    TRY(ensure_face(poisson));
    Bounded bounded = {.poisson = poisson,
                       .face = poisson->face,
                       .threads = options->threads,
                       .columns = options->columns};
    RowJob job = {.bounded = &bounded, .b = b, .low = low, .p = p, .eigenvector = eigenvector};
    MprgpResult solved = {.reason = SOLVE_BREAKDOWN};
    PlimStatus status = solve(&bounded, options, &job, &solved);
    PlimStatus reset = scratch_reset(&poisson->scratch);
    *result = result_of(&bounded, &solved);
    return status != PLIM_OK ? status : reset;
}
