/* A look at the whole run: where what moves is, how far values go. */
#include "render/studio.h"

#include "math/quat.h"
#include "render/legend.h"
#include "render/text.h"

#include <math.h>

static Extent empty_extent(const Studio *studio) {
    static const Vec3 along[DIRECTION_COUNT] = {[LOOK_FROM_RIGHT] = {-0.42, -0.35, -1},
                                                [LOOK_FROM_LEFT] = {0.42, -0.35, -1},
                                                [LOOK_FROM_HIGH] = {-0.42, -1.2, -1},
                                                [LOOK_FRONT] = {0, 0, -1},
                                                [LOOK_TOP] = {0, -1, 0},
                                                [LOOK_SIDE] = {-1, 0, 0}};
    const RenderOptions *options = &studio->options;
    Image image = {.width = options->width, .height = options->height};
    double aspect = (double)options->width / options->height;
    double top = studio->caption ? (double)caption_height(&image) / options->height : 0.0;
    double bottom = studio->shows_values ? (double)legend_height(&image) / options->height : 0.0;
    Extent extent = {.low = vec3(HUGE_VAL, HUGE_VAL, HUGE_VAL),
                     .high = vec3(-HUGE_VAL, -HUGE_VAL, -HUGE_VAL)};
    for (int i = 0; i < DIRECTION_COUNT; i++)
        extent.fits[i] = camera_fit_begin(along[i], aspect, bottom, top);
    return extent;
}

static void grow(Bounds *bounds, Interest interest, Vec3 point, double radius) {
    Extent *extent = &bounds->extents[interest];
    Vec3 reach = vec3(radius, radius, radius);
    if (!isfinite(point.x + point.y + point.z + radius)) return;
    extent->low = vec3_min(extent->low, vec3_sub(point, reach));
    extent->high = vec3_max(extent->high, vec3_add(point, reach));
    for (int i = 0; i < DIRECTION_COUNT; i++) camera_fit_add(&extent->fits[i], point, radius);
    bounds->floor = fmin(bounds->floor, point.y - radius);
}

static void grow_by_mesh(Bounds *bounds, const FrameMesh *mesh) {
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        FrameKind kind = frame_mesh_kind(mesh, mesh->objects[t]);
        if (kind == FRAME_UNBOUNDED) continue;
        Interest interest = kind == FRAME_STILL        ? STANDS
                            : kind == FRAME_PRESCRIBED ? IS_MOVED
                                                       : MOVES;
        for (size_t c = 0; c < 3; c++) {
            const float *v = mesh->vertices + 3 * (size_t)mesh->triangles[3 * t + c];
            grow(bounds, interest, vec3((double)v[0], (double)v[1], (double)v[2]), 0.0);
        }
    }
}

static void grow_by_points(Bounds *bounds, const FramePoints *points) {
    for (size_t i = 0; i < points->count; i++) {
        const float *p = points->positions + 3 * i;
        grow(bounds, MOVES, vec3((double)p[0], (double)p[1], (double)p[2]),
             (double)points->radii[i]);
    }
}

/* By smoke that can be seen, and obstacles. */
static void grow_by_smoke(Bounds *bounds, const FrameVolume *volume) {
    size_t cell = 0;
    for (int k = 0; k < volume->n[2]; k++)
        for (int j = 0; j < volume->n[1]; j++)
            for (int i = 0; i < volume->n[0]; i++, cell++) {
                if (!(volume->smoke[cell] > RENDER_SMOKE_VISIBLE) && !volume->solid[cell]) continue;
                Vec3 at = vec3_add_scaled(vec3_load(volume->origin), volume->spacing,
                                          vec3(i + 0.5, j + 0.5, k + 0.5));
                grow(bounds, volume->solid[cell] ? STANDS : MOVES, at, 0.5 * volume->spacing);
            }
}

/* Those that deform; in two dimensions they lie in the plane. */
static void note_flatness(Bounds *bounds, const FrameMesh *mesh) {
    if (!mesh->stretch) return;
    for (size_t i = 0; i < mesh->vertex_count; i++)
        if (mesh->vertices[3 * i + 2] != 0.0f) bounds->bulges = true;
    bounds->has_flat = bounds->has_flat || mesh->vertex_count > 0;
}

static void note_planes(Bounds *bounds, const FrameMesh *mesh) {
    for (size_t i = 0; mesh->poses && i < mesh->object_count; i++) {
        if (frame_mesh_kind(mesh, (int32_t)i) != FRAME_UNBOUNDED) continue;
        if (bounds->plane_count == PLANES_KEPT) return;
        const double *pose = mesh->poses + 7 * i;
        bounds->plane_points[bounds->plane_count] = vec3_load(pose);
        bounds->normals[bounds->plane_count++] = quat_rotate(quat_load(pose + 3), vec3(0, 1, 0));
    }
}

/* Drops fly wide; where there is a surface of a liquid, that is what to look at. */
static bool has_liquid(const FrameView *view) {
    for (size_t i = 0; i < view->mesh_count; i++)
        if (view->meshes[i].is_clear && view->meshes[i].triangle_count > 0) return true;
    return false;
}

static PlimStatus measure_frame(const Studio *studio, const FrameView *view, Bounds *bounds) {
    PlimContext *context = studio->folder->context;
    for (size_t k = 0; k < view->mesh_count; k++) {
        grow_by_mesh(bounds, &view->meshes[k]);
        note_flatness(bounds, &view->meshes[k]);
    }
    if (studio->shows_values)
        TRY(mesh_values_collect(context, view, studio->values, &bounds->values));
    for (size_t k = 0; k < view->points_count && !has_liquid(view); k++)
        grow_by_points(bounds, &view->points[k]);
    const FrameVolume *volume = studio_shown_volume(studio, view);
    if (studio->fluid == VIEW_SMOKE && volume && volume->smoke) grow_by_smoke(bounds, volume);
    if (studio->fluid == VIEW_SMOKE || studio->fluid == VIEW_WATER)
        for (size_t k = 0; k < view->volume_count; k++)
            bounds->floor = fmin(bounds->floor, view->volumes[k].origin[1]);
    if (studio->fluid != VIEW_SLICE || !volume) return PLIM_OK;
    return slice_measure(context, volume, studio->slice.show,
                         &bounds->ranges[bounds->range_count++]);
}

PlimStatus studio_measure(const Studio *studio, const FrameList *frames, Bounds *bounds) {
    *bounds = (Bounds){.floor = HUGE_VAL};
    for (int i = 0; i < INTEREST_COUNT; i++) bounds->extents[i] = empty_extent(studio);
    size_t count = frames->numbers.count, stride = count / SAMPLED_FRAMES + 1;
    for (size_t i = 0; i < count; i += stride) {
        FrameData data;
        TRY(run_folder_load_frame(studio->folder, frames->numbers.data[i], &data));
        for (size_t k = 0; i == 0 && k < data.view.mesh_count; k++)
            note_planes(bounds, &data.view.meshes[k]);
        PlimStatus status = measure_frame(studio, &data.view, bounds);
        frame_data_free(studio->folder->context, &data);
        TRY(status);
    }
    return PLIM_OK;
}
