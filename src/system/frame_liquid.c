/* The surface of a liquid in a frame, and its drops. */
#include "system/frame_liquid.h"

const char *frame_group_name(const FrameView *view, const StepInfo *step, const char *pattern) {
    char *name = scratch_take(step->scratch, SYSTEM_NAME_CAPACITY, 1);
    if (name) system_name(pattern, view->instance, name);
    return name;
}

PlimStatus frame_add_liquid(FrameView *view, const StepInfo *step, const TriangleMesh *mesh,
                            const float *velocities, const float absorption[3]) {
    size_t vertices = mesh->vertex_count, triangles = mesh->triangle_count;
    float *x = scratch_take(step->scratch, 3 * vertices + 1, sizeof(float));
    int32_t *corners = scratch_take(step->scratch, 3 * triangles + 1, sizeof(int32_t));
    int32_t *objects = scratch_take(step->scratch, triangles + 1, sizeof(int32_t));
    float *color = scratch_take(step->scratch, 3, sizeof(float));
    const char *name = frame_group_name(view, step, "liquid|*.liquid");
    if (!x || !corners || !objects || !color || !name) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < vertices; i++)
        for (int c = 0; c < 3; c++)
            x[3 * i + (size_t)c] = (float)vec3_component(mesh->vertices[i], c);
    for (size_t i = 0; i < triangles; i++) {
        for (int c = 0; c < 3; c++) corners[3 * i + (size_t)c] = mesh->triangles[i][c];
        objects[i] = 0;
    }
    for (int c = 0; c < 3; c++) color[c] = 0.35f + 0.2f * (float)c;
    FrameMesh out = {.name = name,
                     .vertex_count = vertices,
                     .triangle_count = triangles,
                     .object_count = 1,
                     .vertices = x,
                     .velocities = velocities,
                     .triangles = corners,
                     .objects = objects,
                     .colors = color,
                     .smooth = true,
                     .changes = true,
                     .is_clear = true};
    for (int c = 0; c < 3; c++) out.absorption[c] = absorption[c];
    return frame_view_add_mesh(step->context, view, &out);
}

PlimStatus frame_add_drops(FrameView *view, const StepInfo *step, const char *pattern, size_t count,
                           const float absorption[3], FrameDropArrays *out) {
    out->positions = scratch_take(step->scratch, 3 * count + 1, sizeof(float));
    out->velocities = scratch_take(step->scratch, 3 * count + 1, sizeof(float));
    out->radii = scratch_take(step->scratch, count + 1, sizeof(float));
    FramePoints points = {.name = frame_group_name(view, step, pattern),
                          .count = count,
                          .positions = out->positions,
                          .velocities = out->velocities,
                          .radii = out->radii};
    if (!out->positions || !out->velocities || !out->radii || !points.name)
        return PLIM_OUT_OF_MEMORY;
    for (int c = 0; c < 3; c++) points.absorption[c] = absorption[c];
    return frame_view_add_points(step->context, view, &points);
}
