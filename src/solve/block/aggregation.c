/* Smoothed aggregation multigrid: its levels are made once for a mesh, and filled for each matrix.
 */
#include "solve/block/aggregation.h"

#include "base/assert.h"
#include "base/parallel.h"
#include "math/cholesky.h"
#include "solve/block/aggregation_internal.h"

#include <math.h>
#include <string.h>

/* A level of so few unknowns is solved directly: its factor takes about a millisecond. */
enum { DENSE_UNKNOWNS = 192 };

AggregationDesc aggregation_desc_default(int dim, int threads) {
    return (AggregationDesc){.dim = dim, .threads = threads, .degree = 2, .jacobi_above = 0.015};
}

void *aggregation_take(Aggregation *aggregation, size_t count, size_t item_size) {
    if (!array_reserve(aggregation->context, &aggregation->owned, 1)) return NULL;
    count += PAST_END;
    void *block = context_allocate(aggregation->context, count, item_size);
    if (block)
        aggregation->owned.data[aggregation->owned.count++] = (Owned){block, count, item_size};
    return block;
}

void aggregation_destroy(Aggregation *aggregation) {
    if (!aggregation) return;
    PlimContext *context = aggregation->context;
    for (size_t i = 0; i < aggregation->owned.count; i++) {
        Owned *owned = &aggregation->owned.data[i];
        context_free(context, owned->block, owned->count, owned->item_size);
    }
    array_free(context, &aggregation->owned);
    scratch_free(&aggregation->scratch);
    context_free(context, aggregation, 1, sizeof *aggregation);
}

static PlimStatus take_level(Aggregation *aggregation, Level *level) {
    size_t rows = level->a.rows, size = (size_t)level->size, modes = (size_t)level->modes;
    level->inverse = aggregation_take(aggregation, rows * size * size, sizeof(double));
    level->rigid = aggregation_take(aggregation, rows * size * modes, sizeof(double));
    double **vectors[5] = {&level->x, &level->b, &level->r, &level->d, &level->e};
    for (int i = 0; i < 5; i++) {
        *vectors[i] = aggregation_take(aggregation, rows * size, sizeof(double));
        if (!*vectors[i]) return PLIM_OUT_OF_MEMORY;
    }
    return level->inverse && level->rigid ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

static PlimStatus take_transfer(Aggregation *aggregation, Level *level, Level *next) {
    size_t modes = (size_t)level->modes;
    level->p_value = aggregation_take(aggregation, level->p.entries * (size_t)level->size * modes,
                                      sizeof *level->p_value);
    next->own_value =
        aggregation_take(aggregation, next->a.entries * modes * modes, sizeof *next->own_value);
    next->value = next->own_value;
    next->size = next->modes = level->modes;
    return level->p_value && next->own_value ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

static PlimStatus make_levels(Aggregation *aggregation, const BlockCsr *matrix) {
    Level *level = aggregation->level;
    level->size = aggregation->desc.dim;
    level->modes = level->size == 3 ? 6 : 3;
    level->a = (Pattern){matrix->rows, matrix->entries, matrix->row_start, matrix->column};
    for (aggregation->level_count = 1;; aggregation->level_count++, level++) {
        TRY(take_level(aggregation, level));
        size_t unknowns = level->a.rows * (size_t)level->size;
        if (unknowns <= DENSE_UNKNOWNS) {
            aggregation->dense = aggregation_take(aggregation, unknowns * unknowns, sizeof(double));
            return aggregation->dense ? PLIM_OK : PLIM_OUT_OF_MEMORY;
        }
        if (aggregation->level_count == LEVEL_MAX) return PLIM_OK;
        level->is_smoothed = aggregation->level_count > 1;
        TRY(aggregation_coarsen(aggregation, level, level + 1));
        if (level->coarse_rows == 0) return PLIM_OK;
        TRY(take_transfer(aggregation, level, level + 1));
    }
}

PlimStatus aggregation_create(PlimContext *context, const AggregationDesc *desc,
                              const BlockCsr *matrix, Aggregation **out) {
    *out = NULL;
    if (desc->dim != matrix->size || (desc->dim != 2 && desc->dim != 3))
        return context_fail(context, PLIM_BAD_INPUT,
                            "aggregation in %d dimensions of a matrix with blocks of size %d: "
                            "both must be 2, or 3",
                            desc->dim, matrix->size);
    if (desc->degree < 1 || desc->degree > 3)
        return context_fail(context, PLIM_BAD_INPUT, "a smoother of degree %d: it must be 1 to 3",
                            desc->degree);
    Aggregation *aggregation = context_allocate(context, 1, sizeof *aggregation);
    if (!aggregation) return PLIM_OUT_OF_MEMORY;
    aggregation->context = context;
    aggregation->desc = *desc;
    scratch_init(&aggregation->scratch, context);
    PlimStatus status = make_levels(aggregation, matrix);
    if (status == PLIM_OK)
        *out = aggregation;
    else
        aggregation_destroy(aggregation);
    return status;
}

/* The last level, dense. A body that nothing holds makes it singular: a shift, small beside what
 * matters to a preconditioner, grows until the factor exists. Without one, rounding errors along
 * motions that cost nothing would come back larger than the solution. */
static PlimStatus factor_dense(Aggregation *aggregation, const Level *level) {
    size_t size = (size_t)level->size, n = level->a.rows * size;
    double *dense = aggregation->dense, shift = 1e-10;
    for (int attempt = 0; attempt < 6; attempt++, shift *= 100.0) {
        memset(dense, 0, n * n * sizeof *dense);
        for (size_t row = 0; row < level->a.rows; row++)
            for (size_t e = level->a.start[row]; e < level->a.start[row + 1]; e++) {
                const double *block = level->value + e * size * size;
                double *place = dense + row * size * n + (size_t)level->a.column[e] * size;
                for (size_t i = 0; i < size; i++)
                    for (size_t j = 0; j < size; j++) place[i * n + j] = block[i * size + j];
            }
        for (size_t i = 0; i < n; i++) {
            double *diagonal = &dense[i * n + i];
            *diagonal += *diagonal > 0.0 ? shift * *diagonal : 1.0;
        }
        if (cholesky_factor(dense, n)) return PLIM_OK;
    }
    return context_fail(aggregation->context, PLIM_FAILED,
                        "the matrix is not positive definite, or not finite");
}

static PlimStatus update_level(Aggregation *aggregation, int index) {
    Level *level = &aggregation->level[index];
    bool is_last = index + 1 == aggregation->level_count;
    if (index > 0) level_invert_diagonal(aggregation, level);
    if (is_last) return aggregation->dense ? factor_dense(aggregation, level) : PLIM_OK;
    TRY(level_prepare_smoother(aggregation, level));
    Scratch *scratch = &aggregation->scratch;
    size_t mark = scratch_mark(scratch);
    double *tentative = scratch_take(
        scratch, level->a.rows * (size_t)(level->size * level->modes) + 1, sizeof *tentative);
    if (!tentative) return PLIM_OUT_OF_MEMORY;
    aggregation_modes(aggregation, level, tentative, level[1].rigid);
    TRY(aggregation_galerkin(aggregation, level, tentative, level + 1));
    scratch_release(scratch, mark);
    return PLIM_OK;
}

PlimStatus aggregation_update(Aggregation *aggregation, const BlockCsr *matrix,
                              const double *position, const double *filter) {
    Level *first = aggregation->level;
    PLIM_ASSERT(matrix->rows == first->a.rows && matrix->entries == first->a.entries);
    TRY(scratch_reset(&aggregation->scratch)); /* of what an update that failed left there */
    first->a.start = matrix->row_start;
    first->a.column = matrix->column;
    first->value = matrix->value;
    level_invert_diagonal(aggregation, first);
    aggregation_set_rigid(aggregation, first, position, filter);
    TRY(aggregation_choose_jacobi(aggregation));
    for (int i = 0; i < aggregation->level_count && !aggregation->is_jacobi; i++)
        TRY(update_level(aggregation, i));
    return scratch_reset(&aggregation->scratch);
}

int aggregation_level_count(const Aggregation *aggregation) {
    return aggregation->level_count;
}

bool aggregation_is_jacobi(const Aggregation *aggregation) {
    return aggregation->is_jacobi;
}
