/* Camera and ground: the scene's, a preset, or fitted to what moves. */
#include "render/studio.h"

#include <math.h>

const char *camera_preset_name(CameraPreset preset) {
    static const char *const names[CAMERA_PRESET_COUNT] = {"scene", "front", "top", "side",
                                                           "orbit"};
    return names[preset];
}

/* What moves by itself, or what there is. */
static const Extent *interesting(const Bounds *bounds) {
    for (int i = 0; i < INTEREST_COUNT; i++)
        if (bounds->extents[i].low.x <= bounds->extents[i].high.x) return &bounds->extents[i];
    return NULL;
}

/* Behind a half-space's surface nothing would be seen but that. */
static bool is_buried(const Bounds *bounds, Vec3 eye) {
    for (size_t i = 0; i < bounds->plane_count; i++)
        if (vec3_dot(vec3_sub(eye, bounds->plane_points[i]), bounds->normals[i]) < 0) return true;
    return false;
}

static Direction choose_direction(const Studio *studio, const Bounds *bounds,
                                  const Extent *extent) {
    static const Direction presets[CAMERA_PRESET_COUNT] = {
        [CAMERA_FRONT] = LOOK_FRONT, [CAMERA_TOP] = LOOK_TOP, [CAMERA_SIDE] = LOOK_SIDE};
    static const Direction choices[] = {LOOK_FROM_RIGHT, LOOK_FROM_LEFT, LOOK_FROM_HIGH, LOOK_TOP};
    if (studio->request->preset != CAMERA_OF_SCENE) return presets[studio->request->preset];
    if (bounds->has_flat && !bounds->bulges) return LOOK_FRONT;
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (!is_buried(bounds, camera_fit_end(&extent->fits[choices[i]]).position))
            return choices[i];
    return LOOK_FROM_RIGHT;
}

static void place_ground(Studio *studio, const SceneCamera *wanted, const Bounds *bounds) {
    RenderOptions *options = &studio->options;
    double extent = vec3_length(vec3_sub(studio->high, studio->low)), lowest = bounds->floor;
    /* Water stands on the floor: it would show the air between. */
    bool stands = studio->fluid == VIEW_WATER && studio->low.y > lowest - 1e-4 * extent;
    if (!stands) lowest = fmin(lowest, studio->low.y - 0.02 * extent);
    studio->least_ground = wanted->ground_height;
    options->ground = wanted->ground;
    options->ground_height = isfinite(wanted->ground_height) ? wanted->ground_height : lowest;
    /* Squares of a round size, about a tenth of what there is to see. */
    double size = pow(10, floor(log10(fmax(extent, 1e-9) / 4)));
    options->checker = isfinite(wanted->checker) ? wanted->checker : size;
}

void studio_place_camera(Studio *studio, const Bounds *bounds) {
    const SceneCamera *wanted = &studio->scene->document.camera;
    const Extent *extent = interesting(bounds);
    if (!extent) extent = &bounds->extents[MOVES]; /* nothing at all */
    studio->low = extent->low;
    studio->high = extent->high;
    if (!(studio->low.x <= studio->high.x)) {
        studio->low = vec3(-1, 0, -1);
        studio->high = vec3(1, 1, 1);
    }
    Direction direction = choose_direction(studio, bounds, extent);
    studio->camera = camera_fit_end(&extent->fits[direction]);
    /* Else the sun would graze the plane. */
    if (direction == LOOK_FRONT) studio->options.sun = vec3(0.35, 0.6, 1.0);
    if (studio->request->preset == CAMERA_OF_SCENE) {
        bool stands = isfinite(wanted->position[0]);
        if (stands) studio->camera.position = vec3_load(wanted->position);
        if (isfinite(wanted->target[0])) studio->camera.target = vec3_load(wanted->target);
        if (wanted->field_of_view > 0 && stands)
            studio->camera.field_of_view = wanted->field_of_view;
    }
    place_ground(studio, wanted, bounds);
}
