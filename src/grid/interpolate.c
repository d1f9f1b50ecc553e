/* Linear and monotone cubic interpolation on the staggered grid. */
#include "grid/interpolate.h"

#include "base/parallel.h"

#include <string.h>

/* ---- where a point lies among the values ---- */

typedef struct AxisPlace {
    int base;        /* the value below the point */
    double fraction; /* of the way to the next, 0..1 */
} AxisPlace;

static AxisPlace locate_along(const Grid *grid, GridPlace place, int axis, double from_origin) {
    int n = grid_place_size(grid, place, axis);
    double s = from_origin / grid->spacing - (grid_place_on_ends(grid, place, axis) ? 0.0 : 0.5);
    if (grid_is_periodic(grid, axis)) {
        double period = grid->n[axis];
        s -= period * floor(s / period);
        if (!(s >= 0 && s < period)) s = 0; /* rounded up to the period, or not a number */
        return (AxisPlace){(int)s, s - floor(s)};
    }
    s = fmin(fmax(s, 0.0), n - 1.0);
    int base = (int)s < n - 2 ? (int)s : n - 2; /* the last value is the upper end of an interval */
    if (base < 0) base = 0;
    return (AxisPlace){base, s - base};
}

static void locate(const Grid *grid, GridPlace place, Vec3 p, AxisPlace at[3]) {
    at[0] = locate_along(grid, place, 0, p.x - grid->origin.x);
    at[1] = locate_along(grid, place, 1, p.y - grid->origin.y);
    at[2] =
        grid->dim == 3 ? locate_along(grid, place, 2, p.z - grid->origin.z) : (AxisPlace){0, 0.0};
}

/* ---- linear ---- */

/* The value after `base`, wrapped; itself where there is no other. */
static int next_value(const Grid *grid, GridPlace place, int axis, int base) {
    if (grid_is_periodic(grid, axis)) return base + 1 < grid->n[axis] ? base + 1 : 0;
    return base + 1 < grid_place_size(grid, place, axis) ? base + 1 : base;
}

LinearStencil linear_stencil(const Grid *grid, GridPlace place, Vec3 point) {
    AxisPlace at[3];
    locate(grid, place, point, at);
    size_t nx = (size_t)grid_place_size(grid, place, 0);
    size_t ny = (size_t)grid_place_size(grid, place, 1);
    int layer[3][2];
    double share[3][2];
    for (int axis = 0; axis < 3; axis++) {
        layer[axis][0] = at[axis].base;
        layer[axis][1] = axis < grid->dim ? next_value(grid, place, axis, at[axis].base) : 0;
        share[axis][0] = 1.0 - at[axis].fraction;
        share[axis][1] = at[axis].fraction;
    }
    LinearStencil stencil = {.count = 1 << grid->dim};
    for (int corner = 0; corner < stencil.count; corner++) {
        int a = corner & 1, b = corner >> 1 & 1, c = corner >> 2;
        stencil.index[corner] =
            ((size_t)layer[2][c] * ny + (size_t)layer[1][b]) * nx + (size_t)layer[0][a];
        stencil.weight[corner] = share[0][a] * share[1][b] * share[2][c];
    }
    return stencil;
}

static double mix(double a, double b, double t) {
    return (1.0 - t) * a + t * b;
}

double field_sample_linear(const GridField *field, Vec3 point) {
    AxisPlace at[3];
    locate(&field->grid, field->place, point, at);
    const double *corner = field->data + field_index(field, at[0].base, at[1].base, at[2].base);
    double slab[2] = {0, 0};
    for (int k = 0; k < field->grid.dim - 1; k++) { /* one slab in 2D, two in 3D */
        const double *low = corner + (size_t)k * field->stride[2], *high = low + field->stride[1];
        slab[k] = mix(mix(low[0], low[1], at[0].fraction), mix(high[0], high[1], at[0].fraction),
                      at[1].fraction);
    }
    return field->grid.dim == 3 ? mix(slab[0], slab[1], at[2].fraction) : slab[0];
}

/* ---- monotone cubic ---- */

static double limit_slope(double slope, double difference) {
    if ((slope > 0) != (difference > 0)) return 0.0;
    return fabs(slope) > 3.0 * fabs(difference) ? 3.0 * difference : slope;
}

/* Between f[1] and f[2]. */
static double monotone_cubic(const double f[4], double t) {
    double difference = f[2] - f[1];
    double low = limit_slope(0.5 * (f[2] - f[0]), difference);
    double high = limit_slope(0.5 * (f[3] - f[1]), difference);
    double value =
        f[1] +
        t * (low + t * (3.0 * difference - 2.0 * low - high + t * (low + high - 2.0 * difference)));
    /* Monotone but for rounding: the last bit is cut here. */
    return fmin(fmax(value, fmin(f[1], f[2])), fmax(f[1], f[2]));
}

double field_sample_cubic(const GridField *field, Vec3 point) {
    AxisPlace at[3];
    locate(&field->grid, field->place, point, at);
    bool deep = field->grid.dim == 3;
    const double *corner = field->data + field_index(field, at[0].base - 1, at[1].base - 1,
                                                     at[2].base - (deep ? 1 : 0));
    double slabs[4] = {0};
    for (int k = 0; k < (deep ? 4 : 1); k++) {
        double rows[4];
        for (int j = 0; j < 4; j++)
            rows[j] =
                monotone_cubic(corner + (size_t)k * field->stride[2] + (size_t)j * field->stride[1],
                               at[0].fraction);
        slabs[k] = monotone_cubic(rows, at[1].fraction);
    }
    return deep ? monotone_cubic(slabs, at[2].fraction) : slabs[0];
}

/* ---- many points ---- */

enum { POINT_GRAIN = 4096, VALUE_GRAIN = 16384 };

/* Sorts the entries by value, keeping the order of the points: by counting. */
static void sort_entries(Interpolation *map) {
    size_t entries = map->points * (size_t)map->corners;
    for (size_t e = 0; e < entries; e++) map->start[map->index[e] + 1]++;
    for (size_t v = 0; v < map->values; v++) map->start[v + 1] += map->start[v];
    for (size_t e = 0; e < entries; e++) map->entry[map->start[map->index[e]]++] = e;
    /* Each start has moved to where the next one was. */
    memmove(map->start + 1, map->start, map->values * sizeof *map->start);
    map->start[0] = 0;
}

PlimStatus interpolation_create(PlimContext *context, const Grid *grid, GridPlace place,
                                const Vec3 *points, size_t count, Interpolation **out) {
    *out = NULL;
    Interpolation *map = context_allocate(context, 1, sizeof *map);
    if (!map) return PLIM_OUT_OF_MEMORY;
    *map = (Interpolation){.context = context,
                           .points = count,
                           .values = grid_place_count(grid, place),
                           .corners = 1 << grid->dim};
    size_t corners = (size_t)map->corners, entries = count * corners;
    map->index = context_allocate(context, entries, sizeof *map->index);
    map->weight = context_allocate(context, entries, sizeof *map->weight);
    map->start = context_allocate(context, map->values + 1, sizeof *map->start);
    map->entry = context_allocate(context, entries, sizeof *map->entry);
    if (!map->index || !map->weight || !map->start || !map->entry) {
        interpolation_destroy(map);
        return PLIM_OUT_OF_MEMORY;
    }
    for (size_t p = 0; p < count; p++) {
        LinearStencil stencil = linear_stencil(grid, place, points[p]);
        memcpy(map->index + p * corners, stencil.index, corners * sizeof *map->index);
        memcpy(map->weight + p * corners, stencil.weight, corners * sizeof *map->weight);
    }
    sort_entries(map);
    *out = map;
    return PLIM_OK;
}

void interpolation_destroy(Interpolation *map) {
    if (!map) return;
    PlimContext *context = map->context;
    size_t entries = map->points * (size_t)map->corners;
    if (map->index) context_free(context, map->index, entries, sizeof *map->index);
    if (map->weight) context_free(context, map->weight, entries, sizeof *map->weight);
    if (map->start) context_free(context, map->start, map->values + 1, sizeof *map->start);
    if (map->entry) context_free(context, map->entry, entries, sizeof *map->entry);
    context_free(context, map, 1, sizeof *map);
}

typedef struct MapJob {
    const Interpolation *map;
    const double *x;
    double *y;
} MapJob;

static void gather_points(void *user, size_t begin, size_t end) {
    const MapJob *job = user;
    size_t corners = (size_t)job->map->corners;
    for (size_t p = begin; p < end; p++) {
        double sum = 0;
        for (size_t e = p * corners; e < (p + 1) * corners; e++)
            sum += job->map->weight[e] * job->x[job->map->index[e]];
        job->y[p] = sum;
    }
}

static void gather_values(void *user, size_t begin, size_t end) {
    const MapJob *job = user;
    const Interpolation *map = job->map;
    for (size_t v = begin; v < end; v++) {
        double sum = 0;
        for (size_t i = map->start[v]; i < map->start[v + 1]; i++)
            sum += map->weight[map->entry[i]] * job->x[map->entry[i] / (size_t)map->corners];
        job->y[v] = sum;
    }
}

void interpolation_apply(const Interpolation *map, const double *values, double *samples) {
    MapJob job = {map, values, samples};
    parallel_for(map->context->threads, map->points, POINT_GRAIN, gather_points, &job);
}

void interpolation_apply_transpose(const Interpolation *map, const double *samples,
                                   double *values) {
    MapJob job = {map, samples, values};
    parallel_for(map->context->threads, map->values, VALUE_GRAIN, gather_values, &job);
}
