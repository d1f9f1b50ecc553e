/* Sparse matrices in compressed rows (CSR). */
#include "solve/linear_map.h"

#include "base/assert.h"

#include <math.h>
#include <string.h>

PlimStatus csr_create(PlimContext *context, size_t rows, size_t columns, size_t entries, Csr *out) {
    *out = (Csr){.rows = rows, .columns = columns, .entries = entries};
    if (columns > INT32_MAX)
        return context_fail(context, PLIM_BAD_INPUT, "a matrix of %zu columns is beyond 32 bits",
                            columns);
    out->row_start = context_allocate(context, rows + 1, sizeof *out->row_start);
    out->column = context_allocate(context, entries + 1, sizeof *out->column);
    out->value = context_allocate(context, entries + 1, sizeof *out->value);
    if (out->row_start && out->column && out->value) return PLIM_OK;
    csr_free(context, out);
    return PLIM_OUT_OF_MEMORY;
}

void csr_free(PlimContext *context, Csr *matrix) {
    if (matrix->row_start)
        context_free(context, matrix->row_start, matrix->rows + 1, sizeof *matrix->row_start);
    if (matrix->column)
        context_free(context, matrix->column, matrix->entries + 1, sizeof *matrix->column);
    if (matrix->value)
        context_free(context, matrix->value, matrix->entries + 1, sizeof *matrix->value);
    *matrix = (Csr){.rows = 0};
}

/* Applies the map to every unit vector. With `out` NULL the entries that are not zero are counted;
 * otherwise they are written, row_start[row] being where the next one of a row goes. */
static size_t visit_columns(const LinearMap *map, double *x, double *y, Csr *out,
                            size_t *row_count) {
    size_t entries = 0;
    memset(x, 0, map->columns * sizeof *x);
    for (size_t column = 0; column < map->columns; column++) {
        x[column] = 1.0;
        map->apply(map->object, x, y);
        x[column] = 0.0;
        for (size_t row = 0; row < map->rows; row++) {
            if (y[row] == 0.0) continue;
            entries++;
            if (row_count) row_count[row]++;
            if (!out) continue;
            out->column[out->row_start[row]] = (int32_t)column;
            out->value[out->row_start[row]++] = y[row];
        }
    }
    return entries;
}

PlimStatus csr_from_map(PlimContext *context, const LinearMap *map, Csr *out) {
    *out = (Csr){.rows = 0};
    double *x = context_allocate(context, map->columns + 1, sizeof *x);
    double *y = context_allocate(context, map->rows + 1, sizeof *y);
    size_t *count = context_allocate(context, map->rows + 1, sizeof *count);
    PlimStatus status = x && y && count ? PLIM_OK : PLIM_OUT_OF_MEMORY;
    if (status == PLIM_OK) {
        size_t entries = visit_columns(map, x, y, NULL, count);
        status = csr_create(context, map->rows, map->columns, entries, out);
    }
    if (status == PLIM_OK) {
        for (size_t row = 0; row < map->rows; row++)
            out->row_start[row + 1] = out->row_start[row] + count[row];
        visit_columns(map, x, y, out, NULL);
        for (size_t row = map->rows; row > 0; row--) out->row_start[row] = out->row_start[row - 1];
        out->row_start[0] = 0;
    }
    if (x) context_free(context, x, map->columns + 1, sizeof *x);
    if (y) context_free(context, y, map->rows + 1, sizeof *y);
    if (count) context_free(context, count, map->rows + 1, sizeof *count);
    return status;
}

const char *csr_problem(const Csr *matrix) {
    const size_t *start = matrix->row_start;
    if (start[0] != 0) return "the first row does not start with the first entry";
    for (size_t row = 0; row < matrix->rows; row++) {
        if (start[row + 1] < start[row]) return "a row ends before it starts";
        if (start[row + 1] > matrix->entries) return "a row ends beyond the entries";
        for (size_t i = start[row]; i < start[row + 1]; i++) {
            if (matrix->column[i] < 0 || (size_t)matrix->column[i] >= matrix->columns)
                return "an entry is in a column that does not exist";
            if (i > start[row] && matrix->column[i] <= matrix->column[i - 1])
                return "the columns of a row do not ascend";
            if (!isfinite(matrix->value[i])) return "an entry is not finite";
        }
    }
    return start[matrix->rows] == matrix->entries ? NULL : "the rows do not hold all entries";
}

static void csr_apply(const void *object, const double *x, double *y) {
    const Csr *matrix = object;
    for (size_t row = 0; row < matrix->rows; row++) {
        double sum = 0.0;
        for (size_t i = matrix->row_start[row]; i < matrix->row_start[row + 1]; i++)
            sum += matrix->value[i] * x[matrix->column[i]];
        y[row] = sum;
    }
}

static void csr_apply_transpose(const void *object, const double *x, double *y) {
    const Csr *matrix = object;
    memset(y, 0, matrix->columns * sizeof *y);
    for (size_t row = 0; row < matrix->rows; row++)
        for (size_t i = matrix->row_start[row]; i < matrix->row_start[row + 1]; i++)
            y[matrix->column[i]] += matrix->value[i] * x[row];
}

LinearMap csr_map(const Csr *matrix) {
    PLIM_ASSERT_VALID(csr_problem(matrix));
    return (LinearMap){matrix, matrix->rows, matrix->columns, csr_apply, csr_apply_transpose};
}

/* ---- written row by row ---- */

void csr_builder_clear(CsrBuilder *builder) {
    builder->row_start.count = builder->column.count = builder->value.count = 0;
}

void csr_builder_free(PlimContext *context, CsrBuilder *builder) {
    array_free(context, &builder->row_start);
    array_free(context, &builder->column);
    array_free(context, &builder->value);
}

size_t csr_builder_bytes(const CsrBuilder *builder) {
    return builder->row_start.capacity * sizeof(size_t) +
           builder->column.capacity * sizeof(int32_t) + builder->value.capacity * sizeof(double);
}

static bool begin_rows(PlimContext *context, CsrBuilder *builder) {
    return builder->row_start.count > 0 || array_push(context, &builder->row_start, 0);
}

bool csr_builder_add(PlimContext *context, CsrBuilder *builder, size_t column, double value) {
    return array_push(context, &builder->column, (int32_t)column) &&
           array_push(context, &builder->value, value);
}

void csr_builder_sort_row(CsrBuilder *rows) {
    size_t begin = rows->row_start.count > 0 ? rows->row_start.data[rows->row_start.count - 1] : 0;
    int32_t *column = rows->column.data;
    double *value = rows->value.data;
    for (size_t i = begin + 1; i < rows->column.count; i++)
        for (size_t j = i; j > begin && column[j - 1] > column[j]; j--) {
            int32_t c = column[j];
            double v = value[j];
            column[j] = column[j - 1];
            value[j] = value[j - 1];
            column[j - 1] = c;
            value[j - 1] = v;
        }
}

bool csr_builder_end_row(PlimContext *context, CsrBuilder *builder) {
    return begin_rows(context, builder) &&
           array_push(context, &builder->row_start, builder->column.count);
}

bool csr_builder_view(PlimContext *context, CsrBuilder *builder, size_t columns, Csr *out) {
    if (!begin_rows(context, builder)) return false;
    *out = (Csr){.rows = builder->row_start.count - 1,
                 .columns = columns,
                 .entries = builder->column.count,
                 .row_start = builder->row_start.data,
                 .column = builder->column.data,
                 .value = builder->value.data};
    return true;
}
