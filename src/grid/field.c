/* Padded grid fields: memory, copies, halo exchange with sides and periodic ends. */
#include "grid/field.h"

#include "base/parallel.h"

#include <math.h>
#include <string.h>

enum { ROW_GRAIN = 64, SLAB_GRAIN = 1 };

static int halo_along(const GridField *field, int axis) {
    return axis < field->grid.dim ? field->halo : 0;
}

PlimStatus field_create(PlimContext *context, const Grid *grid, GridPlace place, int halo,
                        GridField *out) {
    *out = (GridField){.grid = *grid, .place = place, .halo = halo, .count = 1};
    for (int axis = 0; axis < 3; axis++) {
        out->n[axis] = grid_place_size(grid, place, axis);
        out->stride[axis] = out->count;
        out->count *= (size_t)(out->n[axis] + 2 * halo_along(out, axis));
    }
    out->data = context_allocate(context, out->count, sizeof *out->data);
    return out->data ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

void field_free(PlimContext *context, GridField *field) {
    if (field->data) context_free(context, field->data, field->count, sizeof *field->data);
    *field = (GridField){0};
}

/* ---- compact arrays ---- */

typedef struct CopyJob {
    const GridField *field;
    double *to;         /* compact; NULL: into the field */
    const double *from; /* compact */
} CopyJob;

static void copy_rows(void *user, size_t begin, size_t end) {
    const CopyJob *job = user;
    const GridField *field = job->field;
    size_t nx = (size_t)field->n[0], ny = (size_t)field->n[1];
    for (size_t row = begin; row < end; row++) {
        double *padded = field->data + field_index(field, 0, (int)(row % ny), (int)(row / ny));
        if (job->to)
            memcpy(job->to + row * nx, padded, nx * sizeof *padded);
        else
            memcpy(padded, job->from + row * nx, nx * sizeof *padded);
    }
}

void field_load(GridField *field, int threads, const double *compact) {
    CopyJob job = {.field = field, .from = compact};
    parallel_for(threads, (size_t)field->n[1] * (size_t)field->n[2], ROW_GRAIN, copy_rows, &job);
}

void field_store(const GridField *field, int threads, double *compact) {
    CopyJob job = {.field = field, .to = compact};
    parallel_for(threads, (size_t)field->n[1] * (size_t)field->n[2], ROW_GRAIN, copy_rows, &job);
}

/* ---- the halo ---- */

/* What a layer beyond the ends is made of: w[0] layer[0] + w[1] layer[1]. */
typedef struct HaloRule {
    int layer[2];
    double weight[2];
} HaloRule;

typedef struct HaloJob {
    GridField *field;
    bool linear;     /* the last two values continued in a straight line; else the last one */
    double steepest; /* most that the line changes by from one layer to the next */
} HaloJob;

static HaloRule halo_rule(const HaloJob *job, int axis, int layer) {
    const GridField *field = job->field;
    int n = field->n[axis], period = field->grid.n[axis];
    if (grid_is_periodic(&field->grid, axis)) {
        int inside = layer % period;
        if (inside < 0) inside += period;
        return (HaloRule){{inside, inside}, {1, 0}};
    }
    int end = layer < 0 ? 0 : n - 1, next = layer < 0 ? 1 : n - 2;
    if (n == 1 || !job->linear) return (HaloRule){{end, end}, {1, 0}};
    double away = layer < 0 ? -layer : layer - end;
    return (HaloRule){{end, next}, {1 + away, -away}};
}

/* The layers to fill along an axis in turn: those below, then those above; `step` from 0. The
 * double last layer of a periodic axis is one of them. Returns false past the last. */
static bool halo_layer(const GridField *field, int axis, int step, int *layer) {
    int halo = halo_along(field, axis);
    bool doubled = grid_is_periodic(&field->grid, axis) &&
                   grid_place_on_ends(&field->grid, field->place, axis);
    int first_above = field->n[axis] - (doubled ? 1 : 0);
    *layer = step < halo ? step - halo : first_above + step - halo;
    return *layer < field->n[axis] + halo;
}

/* Fills `count` values that lie beside each other along x in the layers of another axis. */
static void fill_layers(const HaloJob *job, int axis, size_t origin, size_t count) {
    const GridField *field = job->field;
    int layer;
    for (int step = 0; halo_layer(field, axis, step, &layer); step++) {
        HaloRule rule = halo_rule(job, axis, layer);
        ptrdiff_t stride = (ptrdiff_t)field->stride[axis];
        double *to = field->data + ((ptrdiff_t)origin + layer * stride);
        const double *a = field->data + ((ptrdiff_t)origin + rule.layer[0] * stride);
        const double *b = field->data + ((ptrdiff_t)origin + rule.layer[1] * stride);
        if (rule.weight[1] == 0) {
            memcpy(to, a, count * sizeof *to);
            continue;
        }
        for (size_t i = 0; i < count; i++) {
            double rise = a[i] - b[i], away = -rule.weight[1];
            to[i] = fabs(rise) <= job->steepest ? rule.weight[0] * a[i] + rule.weight[1] * b[i]
                                                : a[i] + away * copysign(job->steepest, rise);
        }
    }
}

/* Slabs of constant z: first along x, then whole rows along y, so that edges come out of both. */
static void fill_slabs(void *user, size_t begin, size_t end) {
    const HaloJob *job = user;
    const GridField *field = job->field;
    size_t padded_row = (size_t)(field->n[0] + 2 * field->halo);
    for (size_t k = begin; k < end; k++) {
        for (int j = 0; j < field->n[1]; j++)
            fill_layers(job, 0, field_index(field, 0, j, (int)k), 1);
        fill_layers(job, 1, field_index(field, -field->halo, 0, (int)k), padded_row);
    }
}

/* Along z, rows of constant y with their halos. */
static void fill_between_slabs(void *user, size_t begin, size_t end) {
    const HaloJob *job = user;
    const GridField *field = job->field;
    size_t padded_row = (size_t)(field->n[0] + 2 * field->halo);
    for (size_t row = begin; row < end; row++) {
        int j = (int)row - field->halo;
        fill_layers(job, 2, field_index(field, -field->halo, j, 0), padded_row);
    }
}

static void fill_halo(HaloJob job, int threads) {
    const GridField *field = job.field;
    parallel_for(threads, (size_t)field->n[2], SLAB_GRAIN, fill_slabs, &job);
    if (field->grid.dim == 3)
        parallel_for(threads, (size_t)(field->n[1] + 2 * field->halo), ROW_GRAIN,
                     fill_between_slabs, &job);
}

void field_fill_halo(GridField *field, int threads) {
    fill_halo((HaloJob){field, true, HUGE_VAL}, threads);
}

void field_fill_halo_distance(GridField *field, int threads) {
    fill_halo((HaloJob){field, true, field->grid.spacing}, threads);
}

void field_fill_halo_constant(GridField *field, int threads) {
    fill_halo((HaloJob){field, false, 0}, threads);
}
