/* Values in a slice: speed, vorticity, pressure and others. */
#include "render/slice_parts.h"

#include <stdlib.h>

const char *slice_show_name(SliceShow show) {
    static const char *const names[SLICE_SHOW_COUNT] = {"speed",    "vorticity",   "smoke",
                                                        "pressure", "temperature", "liquid"};
    return names[show];
}

const char *slice_show_unit(SliceShow show) {
    static const char *const units[SLICE_SHOW_COUNT] = {"m/s", "1/s", "", "Pa", "", ""};
    return units[show];
}

bool slice_can_show(const FrameVolume *volume, SliceShow show) {
    if (show == SLICE_SMOKE) return volume->smoke != NULL;
    if (show == SLICE_TEMPERATURE) return volume->temperature != NULL;
    if (show == SLICE_LIQUID) return volume->level != NULL;
    return true;
}

/* ---- values ---- */

typedef struct Cut {
    int nx, ny;
    size_t cells;
    const float *velocity;
    const int32_t *solid;
    const float *level; /* NULL: all is fluid */
    double spacing;
    unsigned char *known; /* of each cell: its value is the flow's own */
    unsigned char *other; /* as large, for what is next */
} Cut;

static Cut cut_of(const FrameVolume *volume) {
    size_t first = slice_first_cell(volume);
    return (Cut){.nx = volume->n[0],
                 .ny = volume->n[1],
                 .cells = (size_t)volume->n[0] * (size_t)volume->n[1],
                 .velocity = volume->velocity + 3 * first,
                 .solid = volume->solid + first,
                 .level = volume->level ? volume->level + first : NULL,
                 .spacing = volume->spacing};
}

/* An obstacle, or air above a liquid. */
static bool is_empty(const Cut *cut, size_t cell) {
    return cut->solid[cell] || (cut->level && !(cut->level[cell] <= 0.0f));
}

/* Known cells among the nine around a cell, and the sum of their values. */
static int count_known(const Cut *cut, size_t cell, const double *values, double *sum) {
    int i = (int)(cell % (size_t)cut->nx), j = (int)(cell / (size_t)cut->nx), count = 0;
    *sum = 0;
    for (int y = j > 0 ? j - 1 : j; y <= j + 1 && y < cut->ny; y++)
        for (int x = i > 0 ? i - 1 : i; x <= i + 1 && x < cut->nx; x++) {
            size_t at = (size_t)y * (size_t)cut->nx + (size_t)x;
            if (!cut->known[at]) continue;
            *sum += values[at];
            count++;
        }
    return count;
}

static void swap_known(Cut *cut) {
    unsigned char *known = cut->known;
    cut->known = cut->other;
    cut->other = known;
}

static bool touches_solid(const Cut *cut, size_t cell) {
    int i = (int)(cell % (size_t)cut->nx), j = (int)(cell / (size_t)cut->nx);
    for (int y = j > 0 ? j - 1 : j; y <= j + 1 && y < cut->ny; y++)
        for (int x = i > 0 ? i - 1 : i; x <= i + 1 && x < cut->nx; x++)
            if (cut->solid[(size_t)y * (size_t)cut->nx + (size_t)x]) return true;
    return false;
}

/* Cells of the fluid. Obstacles cut through those that touch them: slopes taken there are wild, and
 * the next cell's stand in for them, except in gaps where there is no next cell. */
static void mark_known(Cut *cut, bool slopes, const double *values) {
    for (size_t i = 0; i < cut->cells; i++)
        cut->known[i] = !is_empty(cut, i) && !(slopes && touches_solid(cut, i));
    double sum;
    for (size_t i = 0; i < cut->cells; i++)
        cut->other[i] =
            cut->known[i] || (!is_empty(cut, i) && count_known(cut, i, values, &sum) == 0);
    swap_known(cut);
}

static double component(const Cut *cut, int i, int j, int axis) {
    return (double)cut->velocity[3 * ((size_t)j * (size_t)cut->nx + (size_t)i) + (size_t)axis];
}

static bool is_known(const Cut *cut, int i, int j) {
    return i >= 0 && j >= 0 && i < cut->nx && j < cut->ny &&
           cut->known[(size_t)j * (size_t)cut->nx + (size_t)i];
}

/* Slope of a component of velocity along x or y, 1/s: central, one-sided beside what is not known.
 */
static double slope(const Cut *cut, int i, int j, int axis, int along) {
    int di = along == 0, dj = along == 1;
    bool ahead = is_known(cut, i + di, j + dj), behind = is_known(cut, i - di, j - dj);
    if (!ahead && !behind) return 0;
    double high = component(cut, i + ahead * di, j + ahead * dj, axis);
    double low = component(cut, i - behind * di, j - behind * dj, axis);
    return (high - low) / ((ahead + behind) * cut->spacing);
}

static double value_of(const Cut *cut, SliceShow show, const float *stored, size_t cell) {
    int i = (int)(cell % (size_t)cut->nx), j = (int)(cell / (size_t)cut->nx);
    if (!cut->known[cell]) return 0;
    double value = stored                ? (double)stored[cell]
                   : show == SLICE_SPEED ? hypot(component(cut, i, j, 0), component(cut, i, j, 1))
                                         : slope(cut, i, j, 1, 0) - slope(cut, i, j, 0, 1);
    return isfinite(value) ? value : 0;
}

/* Each pass carries the values one cell on, by the mean of the known ones around. */
static void extend(Cut *cut, double *values) {
    enum { PASSES = 4 };
    for (int pass = 0; pass < PASSES; pass++) {
        for (size_t i = 0; i < cut->cells; i++) {
            double sum;
            int count = cut->known[i] ? 0 : count_known(cut, i, values, &sum);
            if (count > 0) values[i] = sum / count;
            cut->other[i] = cut->known[i] || count > 0;
        }
        swap_known(cut);
    }
}

PlimStatus slice_values(PlimContext *context, const FrameVolume *volume, SliceShow show,
                        double *values) {
    Cut cut = cut_of(volume);
    const float *stored = show == SLICE_SMOKE         ? volume->smoke
                          : show == SLICE_PRESSURE    ? volume->pressure
                          : show == SLICE_TEMPERATURE ? volume->temperature
                          : show == SLICE_LIQUID      ? volume->level
                                                      : NULL;
    if (stored) stored += slice_first_cell(volume);
    cut.known = context_allocate(context, cut.cells, 1);
    cut.other = context_allocate(context, cut.cells, 1);
    PlimStatus status = cut.known && cut.other ? PLIM_OK : PLIM_OUT_OF_MEMORY;
    if (status == PLIM_OK) {
        for (size_t i = 0; i < cut.cells; i++) values[i] = 0;
        mark_known(&cut, show == SLICE_VORTICITY, values);
        for (size_t i = 0; i < cut.cells; i++) values[i] = value_of(&cut, show, stored, i);
        extend(&cut, values);
    }
    context_free(context, cut.known, cut.cells, 1);
    context_free(context, cut.other, cut.cells, 1);
    return status;
}

/* ---- ranges ---- */

static int compare_numbers(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double at_share(const double *sorted, size_t count, double share) {
    return sorted[(size_t)(share * (double)(count - 1) + 0.5)];
}

/* The values of the fluid's cells, ascending; by magnitude for vorticity. */
static size_t sort_fluid_values(const FrameVolume *volume, SliceShow show, double *values) {
    Cut cut = cut_of(volume);
    size_t count = 0;
    for (size_t i = 0; i < cut.cells; i++)
        if (!is_empty(&cut, i))
            values[count++] = show == SLICE_VORTICITY ? fabs(values[i]) : values[i];
    qsort(values, count, sizeof *values, compare_numbers);
    return count;
}

PlimStatus slice_measure(PlimContext *context, const FrameVolume *volume, SliceShow show,
                         SliceRange *out) {
    static const double rare = 0.005;
    size_t cells = (size_t)volume->n[0] * (size_t)volume->n[1];
    *out = (SliceRange){0, 0};
    double *values = context_allocate(context, cells, sizeof *values);
    if (!values) return PLIM_OUT_OF_MEMORY;
    PlimStatus status = slice_values(context, volume, show, values);
    size_t count = status == PLIM_OK ? sort_fluid_values(volume, show, values) : 0;
    if (count > 0) {
        bool robust = show != SLICE_SMOKE && show != SLICE_TEMPERATURE;
        out->high = at_share(values, count, robust ? 1 - rare : 1);
        out->low = at_share(values, count, robust ? rare : 0);
        if (show == SLICE_SPEED || show == SLICE_SMOKE) out->low = 0;
        if (show == SLICE_VORTICITY) out->low = -out->high;
    }
    context_free(context, values, cells, sizeof *values);
    return status;
}

static int compare_lows(const void *a, const void *b) {
    return compare_numbers(&((const SliceRange *)a)->low, &((const SliceRange *)b)->low);
}

static int compare_highs(const void *a, const void *b) {
    return compare_numbers(&((const SliceRange *)a)->high, &((const SliceRange *)b)->high);
}

SliceRange slice_range_of_run(SliceShow show, SliceRange *frames, size_t count) {
    SliceRange range = {0, 0};
    double share = show == SLICE_VORTICITY || show == SLICE_PRESSURE ? 0.9 : 1.0;
    if (count > 0) {
        qsort(frames, count, sizeof *frames, compare_lows);
        range.low = frames[(size_t)((1 - share) * (double)(count - 1) + 0.5)].low;
        qsort(frames, count, sizeof *frames, compare_highs);
        range.high = frames[(size_t)(share * (double)(count - 1) + 0.5)].high;
    }
    if (range.high > range.low) return range;
    return (SliceRange){show == SLICE_VORTICITY ? -1 : range.low, range.low + 1};
}
