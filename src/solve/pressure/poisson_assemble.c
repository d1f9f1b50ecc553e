/* Pressure Poisson matrix written out, for tests, direct solves and other libraries. */
#include "solve/pressure/poisson_internal.h"

/* One row: the cell's neighbours that are unknowns, and the diagonal. Two faces may lead to the
 * same neighbour (two cells round a periodic axis). Columns ascend. */
typedef struct Row {
    int count;
    int32_t column[7];
    double value[7];
} Row;

static void row_add(Row *row, int32_t column, double value) {
    int at = 0;
    while (at < row->count && row->column[at] < column) at++;
    if (at == row->count || row->column[at] != column) {
        for (int i = row->count++; i > at; i--) {
            row->column[i] = row->column[i - 1];
            row->value[i] = row->value[i - 1];
        }
        row->column[at] = column;
        row->value[at] = 0.0;
    }
    row->value[at] += value;
}

/* row_of: 1 + row of each padded cell, 0 for none. */
static Row build_row(const Poisson *poisson, const uint32_t *row_of, const int at[3]) {
    const MgLevel *level = &poisson->mg.levels[0];
    Row row = {.count = 0};
    size_t c = mg_index(level, at[0], at[1], at[2]);
    int32_t self = (int32_t)row_of[c] - 1;
    for (int a = 0; a < 3; a++)
        for (int s = 0; s < 2; s++) {
            size_t stride = level->stride[a];
            size_t face = s ? c + stride : c;
            double g = poisson->problem.bounded ? poisson->exact[a][face] : level->g[a][face];
            if (!(g > 0.0)) continue;
            bool seam = level->periodic[a] && at[a] == (s ? level->n[a] - 1 : 0);
            size_t other = s ? c + stride : c - stride;
            if (seam)
                other = s ? c - (size_t)at[a] * stride : c + (size_t)(level->n[a] - 1) * stride;
            row_add(&row, self, g);
            if (row_of[other] > 0) row_add(&row, (int32_t)row_of[other] - 1, -g);
        }
    return row;
}

static void write_rows(const Poisson *poisson, const uint32_t *row_of, Csr *matrix) {
    const MgLevel *level = &poisson->mg.levels[0];
    size_t entries = 0;
    for (int k = 0; k < level->n[2]; k++)
        for (int j = 0; j < level->n[1]; j++)
            for (int i = 0; i < level->n[0]; i++) {
                uint32_t row_number = row_of[mg_index(level, i, j, k)];
                if (row_number == 0) continue;
                Row row = build_row(poisson, row_of, (int[3]){i, j, k});
                for (int e = 0; e < row.count; e++, entries++) {
                    matrix->column[entries] = row.column[e];
                    matrix->value[entries] = row.value[e];
                }
                matrix->row_start[row_number] = entries;
            }
}

/* Numbers the rows, lists their cells, and returns how many there are. */
static size_t number_rows(const Poisson *poisson, uint32_t *row_of, size_t *cells) {
    const MgLevel *level = &poisson->mg.levels[0];
    size_t rows = 0;
    for (int k = 0; k < level->n[2]; k++)
        for (int j = 0; j < level->n[1]; j++)
            for (int i = 0; i < level->n[0]; i++) {
                size_t c = mg_index(level, i, j, k);
                if (level->inverse[c] == 0.0f) continue;
                if (cells) cells[rows] = grid_cell_index(&poisson->grid, i, j, k);
                row_of[c] = (uint32_t)++rows;
            }
    return rows;
}

static size_t count_entries(const Poisson *poisson, const uint32_t *row_of) {
    const MgLevel *level = &poisson->mg.levels[0];
    size_t entries = 0;
    for (int k = 0; k < level->n[2]; k++)
        for (int j = 0; j < level->n[1]; j++)
            for (int i = 0; i < level->n[0]; i++)
                if (row_of[mg_index(level, i, j, k)] > 0)
                    entries += (size_t)build_row(poisson, row_of, (int[3]){i, j, k}).count;
    return entries;
}

PlimStatus poisson_assemble(Poisson *poisson, Csr *matrix, size_t **cell_of_row) {
    const MgLevel *level = &poisson->mg.levels[0];
    PlimContext *context = poisson->context;
    *cell_of_row = NULL;
    *matrix = (Csr){.rows = 0};
    uint32_t *row_of = context_allocate(context, level->size, sizeof *row_of);
    if (!row_of) return PLIM_OUT_OF_MEMORY;
    size_t rows = number_rows(poisson, row_of, NULL);
    size_t *cells = context_allocate(context, rows + 1, sizeof *cells);
    PlimStatus status = cells ? PLIM_OK : PLIM_OUT_OF_MEMORY;
    if (status == PLIM_OK) {
        number_rows(poisson, row_of, cells);
        status = csr_create(context, rows, rows, count_entries(poisson, row_of), matrix);
    }
    if (status == PLIM_OK) {
        write_rows(poisson, row_of, matrix);
        *cell_of_row = cells;
    } else if (cells) {
        context_free(context, cells, rows + 1, sizeof *cells);
    }
    context_free(context, row_of, level->size, sizeof *row_of);
    return status;
}
