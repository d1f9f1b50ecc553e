/* Divergence-free extension of a liquid's velocity into the air, cell by cell in order of
 * distance. */
#include "grid/extend_divergence_free.h"

#include <math.h>
#include <string.h>

typedef struct Balance {
    GridField *const *faces;
    const GridField *distance;
    unsigned char *const *fixed;
    double *const *open;
    const Grid *grid;
} Balance;

/* A cell of the band; `key` sorts like its distance. */
typedef struct BandCell {
    uint32_t key;
    int32_t cell;
} BandCell;

static uint32_t key_of(double distance) {
    float value = (float)distance;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits); /* of positive numbers: in the order of the numbers */
    return bits;
}

/* By key; cells of equal ones stay in their order. */
static void sort_cells(BandCell *cells, BandCell *other, size_t count) {
    enum { BITS = 8, VALUES = 1 << BITS };
    for (int shift = 0; shift < 32; shift += BITS) {
        size_t start[VALUES + 1] = {0};
        for (size_t i = 0; i < count; i++) start[(cells[i].key >> shift & (VALUES - 1)) + 1]++;
        for (int v = 0; v < VALUES; v++) start[v + 1] += start[v];
        for (size_t i = 0; i < count; i++)
            other[start[cells[i].key >> shift & (VALUES - 1)]++] = cells[i];
        BandCell *swap = cells;
        cells = other;
        other = swap;
    }
}

/* A face of a cell: where its velocity is, whether it may change, and how much farther from the
 * liquid the cell beyond it lies, m. */
typedef struct CellFace {
    double *velocity;
    bool fixed, whole;
    double farther;
} CellFace;

static CellFace face_of(const Balance *balance, const int cell[3], int axis, int end) {
    const GridField *field = balance->faces[axis], *distance = balance->distance;
    int at[3] = {cell[0], cell[1], cell[2]};
    at[axis] += end;
    size_t index = field_index(field, at[0], at[1], at[2]);
    size_t compact = grid_face_index(balance->grid, axis, at[0], at[1], at[2]);
    size_t here = field_index(distance, cell[0], cell[1], cell[2]);
    size_t stride = distance->stride[axis];
    double beyond = distance->data[end ? here + stride : here - stride];
    return (CellFace){.velocity = field->data + index,
                      .fixed = balance->fixed[axis][compact] != 0,
                      .whole = !balance->open[axis] || balance->open[axis][compact] == 1,
                      .farther = beyond - distance->data[here]};
}

/* The two layers of faces of a periodic axis are one. */
static void mirror(const Balance *balance, const int cell[3], int axis, int end) {
    const GridField *field = balance->faces[axis];
    int n = balance->grid->n[axis], at[3] = {cell[0], cell[1], cell[2]};
    if (!grid_is_periodic(balance->grid, axis)) return;
    at[axis] += end;
    if (at[axis] != 0 && at[axis] != n) return;
    int other[3] = {at[0], at[1], at[2]};
    other[axis] = n - at[axis];
    field->data[field_index(field, other[0], other[1], other[2])] =
        field->data[field_index(field, at[0], at[1], at[2])];
}

static void balance_cell(const Balance *balance, const int cell[3]) {
    CellFace faces[3][2];
    double outflow = 0, shares = 0, fastest = 0;
    for (int axis = 0; axis < balance->grid->dim; axis++)
        for (int end = 0; end < 2; end++) {
            CellFace *face = &faces[axis][end];
            *face = face_of(balance, cell, axis, end);
            if (!face->whole) return;
            outflow += end ? *face->velocity : -*face->velocity;
            fastest = fmax(fastest, fabs(*face->velocity));
            if (!face->fixed && face->farther > 0) shares += face->farther * face->farther;
        }
    if (!(shares > 0)) return;
    for (int axis = 0; axis < balance->grid->dim; axis++)
        for (int end = 0; end < 2; end++) {
            const CellFace *face = &faces[axis][end];
            if (face->fixed || !(face->farther > 0)) continue;
            double change = outflow * face->farther * face->farther / shares;
            double velocity = *face->velocity + (end ? -change : change);
            *face->velocity = fmin(fmax(velocity, -fastest), fastest);
            mirror(balance, cell, axis, end);
        }
}

/* Cells of the band, in the order of the grid; only counted when `cells` is NULL. */
static size_t find_cells(const Balance *balance, double band, BandCell *cells) {
    const Grid *grid = balance->grid;
    size_t cell = 0, count = 0;
    for (int k = 0; k < grid->n[2]; k++)
        for (int j = 0; j < grid->n[1]; j++)
            for (int i = 0; i < grid->n[0]; i++, cell++) {
                double d = balance->distance->data[field_index(balance->distance, i, j, k)];
                if (!(d >= 0 && d < band)) continue;
                if (cells) cells[count] = (BandCell){key_of(d), (int32_t)cell};
                count++;
            }
    return count;
}

PlimStatus fields_extend_divergence_free(GridField *const faces[3], const GridField *distance,
                                         unsigned char *const fixed[3], double *const open[3],
                                         double band, Scratch *scratch) {
    Balance balance = {faces, distance, fixed, open, &faces[0]->grid};
    size_t count = find_cells(&balance, band, NULL), mark = scratch_mark(scratch);
    BandCell *cells = scratch_take(scratch, 2 * count + 1, sizeof *cells);
    if (!cells) return PLIM_OUT_OF_MEMORY;
    find_cells(&balance, band, cells);
    sort_cells(cells, cells + count, count);
    for (size_t i = 0; i < count; i++) {
        int at[3];
        grid_cell_place(balance.grid, (size_t)cells[i].cell, at);
        balance_cell(&balance, at);
    }
    scratch_release(scratch, mark);
    return PLIM_OK;
}
