/* Pictures of scenes, and what is in them. */
#ifndef TESTS_PICTURE_H
#define TESTS_PICTURE_H

#include "check.h"

#include "render/raytrace.h"

static inline const unsigned char *pixel(const Image *image, int x, int y) {
    return image->rgb + ((size_t)y * (size_t)image->width + (size_t)x) * 3;
}

static inline size_t image_bytes(const Image *image) {
    return (size_t)image->width * (size_t)image->height * 3;
}

/* A camera that sees the box low..high along a direction. */
static inline RenderCamera fit_box(Vec3 forward, Vec3 low, Vec3 high, double aspect) {
    CameraFit fit = camera_fit_begin(forward, aspect, 0.0, 0.0);
    for (int corner = 0; corner < 8; corner++)
        camera_fit_add(&fit,
                       vec3(corner & 1 ? high.x : low.x, corner & 2 ? high.y : low.y,
                            corner & 4 ? high.z : low.z),
                       0.0);
    return camera_fit_end(&fit);
}

static inline Image draw_scene(PlimContext *context, const RenderMesh *meshes, size_t mesh_count,
                               const RenderSpheres *spheres, size_t sphere_count,
                               const RenderCamera *camera, const RenderOptions *options) {
    RenderScene *scene;
    Image image;
    assert_int_equal(
        render_scene_create(context, meshes, mesh_count, spheres, sphere_count, &scene), PLIM_OK);
    assert_int_equal(image_create(context, options->width, options->height, &image), PLIM_OK);
    assert_int_equal(render_scene_draw(scene, camera, options, &image), PLIM_OK);
    render_scene_destroy(scene);
    return image;
}

/* Draws a mesh while memory may run out; keeps nothing. */
static inline PlimStatus try_to_draw(PlimContext *context, const RenderMesh *mesh,
                                     const RenderCamera *camera, const RenderOptions *options) {
    RenderScene *scene = NULL;
    Image image = {0};
    PlimStatus status = image_create(context, options->width, options->height, &image);
    if (status == PLIM_OK) status = render_scene_create(context, mesh, 1, NULL, 0, &scene);
    if (status == PLIM_OK) status = render_scene_draw(scene, camera, options, &image);
    render_scene_destroy(scene);
    image_destroy(context, &image);
    return status;
}

#endif
