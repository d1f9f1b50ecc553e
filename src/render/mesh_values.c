/* Stress and stretch on surfaces: which values, their range over a run, the legend. */
#include "render/mesh_values.h"

#include <math.h>
#include <stdlib.h>

const char *mesh_show_name(MeshShow show) {
    static const char *const names[MESH_SHOW_COUNT] = {"stress", "stretch"};
    return names[show];
}

const float *mesh_values(const FrameMesh *mesh, MeshShow show) {
    return show == SHOW_STRESS ? mesh->stress : mesh->stretch;
}

PlimStatus mesh_values_collect(PlimContext *context, const FrameView *view, MeshShow show,
                               MeshSample *sample) {
    for (size_t i = 0; i < view->mesh_count; i++) {
        const FrameMesh *mesh = &view->meshes[i];
        const float *values = mesh_values(mesh, show);
        if (!values) continue;
        if (!array_reserve(context, sample, mesh->vertex_count)) return PLIM_OUT_OF_MEMORY;
        for (size_t v = 0; v < mesh->vertex_count; v++)
            if (isfinite(values[v])) sample->data[sample->count++] = values[v];
    }
    return PLIM_OK;
}

static int compare_values(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static double quantile(const MeshSample *sample, double share) {
    return (double)sample->data[(size_t)(share * (double)(sample->count - 1))];
}

RenderScale mesh_values_scale(MeshShow show, MeshSample *sample) {
    const double most = 0.99;
    RenderScale scale = {.low = show == SHOW_STRETCH ? 1.0 : 0.0};
    scale.high = scale.low;
    color_table_fill(&scale.table, show == SHOW_STRESS ? COLOR_HEAT : COLOR_SPEED);
    if (sample->count > 0) {
        qsort(sample->data, sample->count, sizeof *sample->data, compare_values);
        scale.low = fmin(scale.low, quantile(sample, 1.0 - most));
        scale.high = fmax(scale.high, quantile(sample, most));
    }
    /* What rests has a hair's breadth of noise. */
    double least = show == SHOW_STRETCH ? 1e-4 : 1e-6;
    if (!(scale.high > scale.low + least)) scale.high = scale.low + least;
    return scale;
}

const char *mesh_values_unit(MeshShow show, const RenderScale *scale, double *factor) {
    static const char *const units[] = {"Pa", "kPa", "MPa", "GPa"};
    enum { UNITS = sizeof units / sizeof *units };
    double size = fmax(fabs(scale->low), fabs(scale->high));
    int unit = 0;
    *factor = 1.0;
    if (show != SHOW_STRESS) return "";
    for (; unit + 1 < UNITS && size * *factor >= 1000.0; unit++) *factor *= 1e-3;
    return units[unit];
}

void mesh_values_legend(Image *image, MeshShow show, const RenderScale *scale) {
    double factor;
    const char *unit = mesh_values_unit(show, scale, &factor);
    Legend legend = {.table = &scale->table,
                     .low = factor * scale->low,
                     .high = factor * scale->high,
                     .title = mesh_show_name(show),
                     .unit = unit,
                     .plate = true};
    legend_draw(image, &legend);
}
