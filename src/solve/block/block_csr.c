/* Block compressed sparse rows (BSR): pattern of a mesh, and the product with a vector. */
#include "solve/block/block_csr.h"

#include "base/assert.h"
#include "base/parallel.h"

#include <stdlib.h>
#include <string.h>

/* Rows a thread takes at once. */
enum { ROW_GRAIN = 512 };

typedef struct Elements {
    const size_t *start;
    const int32_t *node;
    size_t count;
    size_t *use_start; /* rows + 1 */
    size_t *use;       /* elements of each node */
} Elements;

static PlimStatus check_nodes(PlimContext *context, const Elements *elements, size_t rows) {
    for (size_t i = 0; i < elements->start[elements->count]; i++)
        if (elements->node[i] < 0 || (size_t)elements->node[i] >= rows)
            return context_fail(context, PLIM_BAD_INPUT,
                                "an element has the node %d; there are %zu nodes",
                                (int)elements->node[i], rows);
    return PLIM_OK;
}

/* Which elements each node belongs to. */
static void list_uses(const Elements *elements, size_t rows) {
    size_t *start = elements->use_start;
    for (size_t i = 0; i < elements->start[elements->count]; i++) start[elements->node[i] + 1]++;
    for (size_t row = 0; row < rows; row++) start[row + 1] += start[row];
    for (size_t e = 0; e < elements->count; e++)
        for (size_t i = elements->start[e]; i < elements->start[e + 1]; i++)
            elements->use[start[elements->node[i]]++] = e;
    for (size_t row = rows; row > 0; row--) start[row] = start[row - 1];
    start[0] = 0;
}

static int compare_columns(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* The columns of a row, each once; with `column` NULL they are only counted. `seen` holds for each
 * node the last row, plus one, that met it. */
static size_t row_columns(const Elements *elements, size_t row, size_t *seen, int32_t *column) {
    size_t count = 1;
    seen[row] = row + 1;
    if (column) column[0] = (int32_t)row;
    for (size_t use = elements->use_start[row]; use < elements->use_start[row + 1]; use++) {
        size_t e = elements->use[use];
        for (size_t i = elements->start[e]; i < elements->start[e + 1]; i++) {
            int32_t other = elements->node[i];
            if (seen[other] == row + 1) continue;
            seen[other] = row + 1;
            if (column) column[count] = other;
            count++;
        }
    }
    if (column) qsort(column, count, sizeof *column, compare_columns);
    return count;
}

static PlimStatus make_pattern(const Elements *elements, size_t *seen, BlockCsr *out) {
    list_uses(elements, out->rows);
    for (size_t row = 0; row < out->rows; row++)
        out->row_start[row + 1] = out->row_start[row] + row_columns(elements, row, seen, NULL);
    out->entries = out->row_start[out->rows];
    memset(seen, 0, out->rows * sizeof *seen);
    size_t block = (size_t)(out->size * out->size);
    out->column = context_allocate(out->context, out->entries + 1, sizeof *out->column);
    out->value = context_allocate(out->context, out->entries * block + 1, sizeof *out->value);
    if (!out->column || !out->value) return PLIM_OUT_OF_MEMORY;
    for (size_t row = 0; row < out->rows; row++)
        row_columns(elements, row, seen, out->column + out->row_start[row]);
    return PLIM_OK;
}

PlimStatus block_csr_create(PlimContext *context, int size, size_t rows, const size_t *start,
                            const int32_t *node, size_t elements, BlockCsr *out) {
    *out = (BlockCsr){.context = context, .size = size, .threads = context->threads, .rows = rows};
    if (size < 1 || size > BLOCK_SIZE_MAX || rows >= INT32_MAX)
        return context_fail(context, PLIM_BAD_INPUT,
                            "a matrix of %zu rows of blocks of size %d: blocks have 1 to %d rows",
                            rows, size, BLOCK_SIZE_MAX);
    Elements list = {.start = start, .node = node, .count = elements};
    TRY(check_nodes(context, &list, rows));
    size_t uses = start[elements] + 1;
    list.use_start = context_allocate(context, rows + 1, sizeof *list.use_start);
    list.use = context_allocate(context, uses, sizeof *list.use);
    size_t *seen = context_allocate(context, rows + 1, sizeof *seen);
    out->row_start = context_allocate(context, rows + 1, sizeof *out->row_start);
    PlimStatus status = list.use_start && list.use && seen && out->row_start
                            ? make_pattern(&list, seen, out)
                            : PLIM_OUT_OF_MEMORY;
    if (list.use_start) context_free(context, list.use_start, rows + 1, sizeof *list.use_start);
    if (list.use) context_free(context, list.use, uses, sizeof *list.use);
    if (seen) context_free(context, seen, rows + 1, sizeof *seen);
    if (status != PLIM_OK) block_csr_free(out);
    return status;
}

void block_csr_free(BlockCsr *matrix) {
    PlimContext *context = matrix->context;
    size_t block = (size_t)(matrix->size * matrix->size);
    if (matrix->row_start)
        context_free(context, matrix->row_start, matrix->rows + 1, sizeof *matrix->row_start);
    if (matrix->column)
        context_free(context, matrix->column, matrix->entries + 1, sizeof *matrix->column);
    if (matrix->value)
        context_free(context, matrix->value, matrix->entries * block + 1, sizeof *matrix->value);
    *matrix = (BlockCsr){.context = context};
}

size_t block_csr_find(const BlockCsr *matrix, size_t row, size_t column) {
    size_t low = matrix->row_start[row], high = matrix->row_start[row + 1];
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if ((size_t)matrix->column[middle] <= column)
            low = middle;
        else
            high = middle;
    }
    PLIM_ASSERT((size_t)matrix->column[low] == column);
    return low;
}

typedef struct Product {
    const BlockCsr *matrix;
    const double *x;
    double *y;
} Product;

static void product_2(void *user, size_t begin, size_t end) {
    const Product *job = user;
    const BlockCsr *matrix = job->matrix;
    for (size_t row = begin; row < end; row++) {
        double y0 = 0.0, y1 = 0.0;
        for (size_t e = matrix->row_start[row]; e < matrix->row_start[row + 1]; e++) {
            const double *a = matrix->value + 4 * e;
            const double *x = job->x + 2 * (size_t)matrix->column[e];
            y0 += a[0] * x[0] + a[1] * x[1];
            y1 += a[2] * x[0] + a[3] * x[1];
        }
        job->y[2 * row] = y0;
        job->y[2 * row + 1] = y1;
    }
}

static void product_3(void *user, size_t begin, size_t end) {
    const Product *job = user;
    const BlockCsr *matrix = job->matrix;
    for (size_t row = begin; row < end; row++) {
        double y0 = 0.0, y1 = 0.0, y2 = 0.0;
        for (size_t e = matrix->row_start[row]; e < matrix->row_start[row + 1]; e++) {
            const double *a = matrix->value + 9 * e;
            const double *x = job->x + 3 * (size_t)matrix->column[e];
            y0 += a[0] * x[0] + a[1] * x[1] + a[2] * x[2];
            y1 += a[3] * x[0] + a[4] * x[1] + a[5] * x[2];
            y2 += a[6] * x[0] + a[7] * x[1] + a[8] * x[2];
        }
        job->y[3 * row] = y0;
        job->y[3 * row + 1] = y1;
        job->y[3 * row + 2] = y2;
    }
}

static void product_any(void *user, size_t begin, size_t end) {
    const Product *job = user;
    const BlockCsr *matrix = job->matrix;
    size_t size = (size_t)matrix->size;
    for (size_t row = begin; row < end; row++) {
        double *y = job->y + size * row;
        for (size_t i = 0; i < size; i++) y[i] = 0.0;
        for (size_t e = matrix->row_start[row]; e < matrix->row_start[row + 1]; e++) {
            const double *a = matrix->value + size * size * e;
            const double *x = job->x + size * (size_t)matrix->column[e];
            for (size_t i = 0; i < size; i++)
                for (size_t j = 0; j < size; j++) y[i] += a[i * size + j] * x[j];
        }
    }
}

static void apply(const void *object, const double *x, double *y) {
    const BlockCsr *matrix = object;
    Product job = {matrix, x, y};
    ParallelBody body = matrix->size == 3 ? product_3 : matrix->size == 2 ? product_2 : product_any;
    parallel_for(matrix->threads, matrix->rows, ROW_GRAIN, body, &job);
}

LinearMap block_csr_map(const BlockCsr *matrix) {
    size_t n = matrix->rows * (size_t)matrix->size;
    return (LinearMap){matrix, n, n, apply, apply};
}
