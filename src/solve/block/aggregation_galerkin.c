/* Smoothed prolongator P = (I - w D^-1 A) T and Galerkin product P^T A P of blocks. */
#include "base/parallel.h"
#include "solve/block/aggregation_internal.h"

#include <string.h>

typedef struct GalerkinJob {
    const Level *level;
    Level *next;
    const double *tentative;
    double *ap;
    double weight; /* w; zero for the tentative prolongator itself */
} GalerkinJob;

/* out += left right, of rows x inner and inner x columns. A row at a time stays in registers. */
ALWAYS_INLINE void add_product(const double *restrict left, const double *restrict right,
                               size_t rows, size_t inner, size_t columns, double *restrict out) {
    for (size_t i = 0; i < rows; i++) {
        double sum[BLOCK_SIZE_MAX];
        for (size_t k = 0; k < columns; k++) sum[k] = out[i * columns + k];
        for (size_t j = 0; j < inner; j++)
            for (size_t k = 0; k < columns; k++)
                sum[k] += left[i * inner + j] * right[j * columns + k];
        for (size_t k = 0; k < columns; k++) out[i * columns + k] = sum[k];
    }
}

/* Rows of P: T_i at the node's own aggregate, less w D_i^-1 A_ij T_j at those of its neighbours. */
ALWAYS_INLINE void prolongator_rows(const GalerkinJob *job, size_t begin, size_t end, size_t size,
                                    size_t modes) {
    const Level *level = job->level;
    const Pattern *a = &level->a, *p = &level->p;
    for (size_t row = begin; row < end; row++) {
        const double *inverse = level->inverse + row * size * size;
        const double *own = job->tentative + row * size * modes;
        for (size_t slot = p->start[row]; slot < p->start[row + 1]; slot++) {
            double sum[BLOCK_VALUES] = {0.0}, scaled[BLOCK_VALUES] = {0.0};
            int32_t aggregate = p->column[slot];
            for (size_t e = a->start[row]; e < a->start[row + 1] && job->weight != 0.0; e++) {
                size_t other = (size_t)a->column[e];
                if (level->aggregate[other] != aggregate) continue;
                add_product(level->value + e * size * size, job->tentative + other * size * modes,
                            size, size, modes, sum);
            }
            add_product(inverse, sum, size, size, modes, scaled);
            bool is_own = level->aggregate[row] == aggregate;
            float *out = level->p_value + slot * size * modes;
            for (size_t k = 0; k < size * modes; k++)
                out[k] = (float)((is_own ? own[k] : 0.0) - job->weight * scaled[k]);
        }
    }
}

static void prolongator_range(void *user, size_t begin, size_t end) {
    const GalerkinJob *job = user;
    WITH_SIZES(job->level->size, job->level->modes, prolongator_rows(job, begin, end, size, modes));
}

/* Rows of A P. Columns of both ascend: the place of each is found by walking along. */
ALWAYS_INLINE void product_rows(const GalerkinJob *job, size_t begin, size_t end, size_t size,
                                size_t modes) {
    const Level *level = job->level;
    const Pattern *a = &level->a, *p = &level->p, *ap = &level->ap;
    for (size_t row = begin; row < end; row++) {
        double *out = job->ap + ap->start[row] * size * modes;
        memset(out, 0, (ap->start[row + 1] - ap->start[row]) * size * modes * sizeof *out);
        for (size_t e = a->start[row]; e < a->start[row + 1]; e++) {
            size_t other = (size_t)a->column[e], slot = ap->start[row];
            for (size_t q = p->start[other]; q < p->start[other + 1]; q++) {
                double block[BLOCK_VALUES];
                for (size_t k = 0; k < size * modes; k++)
                    block[k] = (double)level->p_value[q * size * modes + k];
                while (ap->column[slot] != p->column[q]) slot++;
                add_product(level->value + e * size * size, block, size, size, modes,
                            job->ap + slot * size * modes);
            }
        }
    }
}

static void product_range(void *user, size_t begin, size_t end) {
    const GalerkinJob *job = user;
    WITH_SIZES(job->level->size, job->level->modes, product_rows(job, begin, end, size, modes));
}

/* Rows of P^T (A P), the diagonal and what is right of it. */
ALWAYS_INLINE void coarse_rows(const GalerkinJob *job, size_t begin, size_t end, size_t size,
                               size_t modes) {
    const Level *level = job->level;
    const Pattern *ap = &level->ap, *c = &job->next->a;
    for (size_t row = begin; row < end; row++) {
        double *out = job->next->own_value + c->start[row] * modes * modes;
        memset(out, 0, (c->start[row + 1] - c->start[row]) * modes * modes * sizeof *out);
        for (size_t t = level->pt_start[row]; t < level->pt_start[row + 1]; t++) {
            size_t fine = (size_t)level->pt_row[t], slot = c->start[row];
            const float *p = level->p_value + (size_t)level->pt_entry[t] * size * modes;
            double transposed[BLOCK_VALUES];
            for (size_t i = 0; i < size; i++)
                for (size_t k = 0; k < modes; k++)
                    transposed[k * size + i] = (double)p[i * modes + k];
            for (size_t q = ap->start[fine]; q < ap->start[fine + 1]; q++) {
                if ((size_t)ap->column[q] < row) continue;
                while (c->column[slot] != ap->column[q]) slot++;
                add_product(transposed, job->ap + q * size * modes, modes, size, modes,
                            job->next->own_value + slot * modes * modes);
            }
        }
    }
}

static void coarse_range(void *user, size_t begin, size_t end) {
    const GalerkinJob *job = user;
    WITH_SIZES(job->level->size, job->level->modes, coarse_rows(job, begin, end, size, modes));
}

static size_t find_entry(const Pattern *a, size_t row, size_t column) {
    size_t low = a->start[row], high = a->start[row + 1];
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if ((size_t)a->column[middle] <= column)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* What is left of the diagonal is what is right of it, to the bit; 1 at modes that do not exist. */
static void mirror_range(void *user, size_t begin, size_t end) {
    const GalerkinJob *job = user;
    const Pattern *c = &job->next->a;
    size_t modes = (size_t)job->next->size, block = modes * modes;
    double *value = job->next->own_value;
    for (size_t row = begin; row < end; row++)
        for (size_t e = c->start[row]; (size_t)c->column[e] <= row; e++) {
            size_t column = (size_t)c->column[e], other = find_entry(c, column, row);
            for (size_t i = 0; i < modes; i++) {
                size_t count = column < row ? modes : i;
                for (size_t k = 0; k < count; k++)
                    value[e * block + i * modes + k] = value[other * block + k * modes + i];
                if (column == row && !(job->level->kept[row] >> i & 1))
                    value[e * block + i * modes + i] = 1.0;
            }
            if (column == row) break;
        }
}

PlimStatus aggregation_galerkin(Aggregation *aggregation, Level *level, const double *tentative,
                                Level *next) {
    Scratch *scratch = &aggregation->scratch;
    int threads = aggregation->desc.threads;
    size_t mark = scratch_mark(scratch), block = (size_t)(level->size * level->modes);
    GalerkinJob job = {.level = level, .next = next, .tentative = tentative};
    job.weight = level->is_smoothed ? 4.0 / 3.0 / level->largest : 0.0;
    job.ap = scratch_take(scratch, level->ap.entries * block + 1, sizeof *job.ap);
    if (!job.ap) return PLIM_OUT_OF_MEMORY;
    parallel_for(threads, level->a.rows, LEVEL_GRAIN, prolongator_range, &job);
    parallel_for(threads, level->a.rows, LEVEL_GRAIN, product_range, &job);
    parallel_for(threads, next->a.rows, 16, coarse_range, &job);
    parallel_for(threads, next->a.rows, 64, mirror_range, &job);
    scratch_release(scratch, mark);
    return PLIM_OK;
}
