/* Flat pictures: primary rays through the middles of pixels, colours without light. */
#include "base/parallel.h"
#include "render/smoke.h"
#include "render/surface.h"

typedef struct FlatJob {
    const RenderScene *scene;
    Look look;
    CameraView view;
    const RenderSmoke *from; /* NULL: no smoke */
    Smoke smoke;
    Image *image;
} FlatJob;

/* Linear light, as the scene holds it. */
static const float *color_of_hit(const RenderScene *scene, const RayHit *hit) {
    size_t primitive = hit->primitive;
    if (hit->geometry == GEOMETRY_SPHERES) return scene->sphere_colors + 3 * primitive;
    if (hit->geometry == GEOMETRY_DROPS) return scene->drops[primitive].color;
    return scene->bodies.colors + 3 * primitive;
}

static bool is_in_smoke(const FlatJob *job, Vec3 direction, double far) {
    if (!job->from) return false;
    SmokePath path = smoke_along(&job->smoke, job->view.eye, direction, far, 0.5);
    return 1.0 - path.through > (double)RENDER_SMOKE_VISIBLE;
}

static void draw_rows(void *user, size_t begin, size_t end) {
    const FlatJob *job = user;
    const Image *image = job->image;
    Vec3 smoke = vec3(0, 0, 0);
    if (job->from)
        smoke = vec3((double)job->from->flat_color[0], (double)job->from->flat_color[1],
                     (double)job->from->flat_color[2]);
    for (size_t row = begin; row < end; row++)
        for (int column = 0; column < image->width; column++) {
            Vec3 direction = camera_ray(&job->view, column + 0.5, (double)row + 0.5);
            double ground = shade_ground_distance(&job->look, job->view.eye, direction);
            RayHit hit = surface_find(job->scene->scene, job->view.eye, direction, ground);
            unsigned char *rgb = image->rgb + 3 * (row * (size_t)image->width + (size_t)column);
            Vec3 color = vec3(0, 0, 0);
            if (hit.distance < ground) {
                const float *linear = color_of_hit(job->scene, &hit);
                color =
                    vec3(srgb_from_linear((double)linear[0]), srgb_from_linear((double)linear[1]),
                         srgb_from_linear((double)linear[2]));
            } else if (is_in_smoke(job, direction, ground)) {
                color = smoke;
            }
            color_store(rgb, color);
        }
}

PlimStatus render_scene_draw_flat(const RenderScene *scene, const RenderCamera *camera,
                                  const RenderOptions *options, Image *image) {
    FlatJob job = {.scene = scene,
                   .look = shade_look(camera, options),
                   .view = camera_view(camera, options->width, options->height),
                   .from = options->smoke,
                   .image = image};
    TRY(render_check_request(scene->context, camera, options, image));
    if (job.from) TRY(smoke_create(scene->context, job.from, scene, job.look.sun, &job.smoke));
    parallel_for(scene->context->threads, (size_t)image->height, 4, draw_rows, &job);
    smoke_free(scene->context, &job.smoke);
    return PLIM_OK;
}
