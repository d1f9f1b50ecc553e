/* Perspective cameras: rays, tight fit along a direction, orbit. */
#include "render/camera.h"

#include <math.h>

static const double pi = 3.14159265358979323846;
static const double fitted_fov = 35.0; /* degrees */
static const double margin = 0.06;     /* share of the picture that stays free on each side */

/* Axes of a view along `forward`: y is up, unless the view is straight up or down. */
static void view_axes(Vec3 forward, Vec3 *right, Vec3 *up) {
    Vec3 across = vec3_cross(forward, vec3(0, 1, 0));
    *right = vec3_length(across) > 1e-6 ? vec3_normalize(across) : vec3(1, 0, 0);
    *up = vec3_cross(*right, forward);
}

CameraView camera_view(const RenderCamera *camera, int width, int height) {
    CameraView view = {.eye = camera->position, .width = width, .height = height};
    double slope = tan(camera->field_of_view * pi / 360.0);
    view.forward = vec3_normalize(vec3_sub(camera->target, camera->position));
    view_axes(view.forward, &view.right, &view.up);
    view.right = vec3_scale(slope * width / height, view.right);
    view.up = vec3_scale(slope, view.up);
    view.pixel_angle = 2.0 * slope / height;
    return view;
}

Vec3 camera_ray(const CameraView *view, double across, double down) {
    double right = 2.0 * across / view->width - 1.0;
    double up = 1.0 - 2.0 * down / view->height;
    Vec3 direction = vec3_add_scaled(view->forward, right, view->right);
    return vec3_normalize(vec3_add_scaled(direction, up, view->up));
}

CameraFit camera_fit_begin(Vec3 forward, double aspect, double bottom, double top) {
    double slope = tan(fitted_fov * pi / 360.0);
    CameraFit fit = {.forward = vec3_normalize(forward), .near = HUGE_VAL, .far = -HUGE_VAL};
    view_axes(fit.forward, &fit.right, &fit.up);
    fit.slopes[0] = fit.slopes[1] = (1.0 - 2.0 * margin) * slope * aspect;
    fit.slopes[2] = (1.0 - 2.0 * (margin + top)) * slope;
    fit.slopes[3] = (1.0 - 2.0 * (margin + bottom)) * slope;
    for (int side = 0; side < 4; side++) fit.sides[side] = -HUGE_VAL;
    return fit;
}

/* The ball is within the edge of slope s, seen from e, if its distance a across and f along the
 * view have (a - e_a) + r sqrt(1 + s^2) <= s (f - e_f): that bounds e_a - s e_f from below. */
void camera_fit_add(CameraFit *fit, Vec3 centre, double radius) {
    double along = vec3_dot(centre, fit->forward);
    double across = vec3_dot(centre, fit->right), up = vec3_dot(centre, fit->up);
    const double reach[4] = {across, -across, up, -up};
    for (int side = 0; side < 4; side++) {
        double slope = fit->slopes[side];
        fit->sides[side] = fmax(fit->sides[side],
                                reach[side] - slope * along + radius * sqrt(1.0 + slope * slope));
    }
    fit->near = fmin(fit->near, along - radius);
    fit->far = fmax(fit->far, along + radius);
}

/* How far along the view the eye may be for two opposite edges. */
static double farthest(const CameraFit *fit, int side) {
    return -(fit->sides[side] + fit->sides[side + 1]) / (fit->slopes[side] + fit->slopes[side + 1]);
}

/* Across the view, in the middle of what two opposite edges leave. */
static double middle(const CameraFit *fit, int side, double along) {
    double low = fit->sides[side] + fit->slopes[side] * along;
    double high = -fit->sides[side + 1] - fit->slopes[side + 1] * along;
    return 0.5 * (low + high);
}

RenderCamera camera_fit_end(const CameraFit *fit) {
    CameraFit found = *fit;
    if (!(found.near <= found.far)) camera_fit_add(&found, vec3(0, 0, 0), 0.0);
    double along = fmin(farthest(&found, 0), farthest(&found, 2));
    /* A point is seen from one metre. */
    if (!(found.near - along > 1e-9 * (1.0 + fabs(along)))) along = found.near - 1.0;
    Vec3 eye = vec3_scale(along, found.forward);
    eye = vec3_add_scaled(eye, middle(&found, 0, along), found.right);
    eye = vec3_add_scaled(eye, middle(&found, 2, along), found.up);
    double depth = 0.5 * (found.near + found.far) - along;
    return (RenderCamera){eye, vec3_add_scaled(eye, depth, found.forward), fitted_fov};
}

RenderCamera camera_orbit(Vec3 low, Vec3 high, double aspect, double turn) {
    enum { AROUND = 16 };
    static const double start = 0.4, height = 0.36; /* as the default camera stands */
    Vec3 centre = vec3_scale(0.5, vec3_add(low, high));
    Vec3 half = vec3_scale(0.5, vec3_sub(high, low));
    double distance = 0.0;
    Vec3 chosen = vec3(0, 0, -1);
    for (int i = 0; i <= AROUND; i++) {
        double angle = start + 2.0 * pi * (i < AROUND ? (double)i / AROUND : turn);
        Vec3 forward = vec3_normalize(vec3(-sin(angle), -height, -cos(angle)));
        CameraFit fit = camera_fit_begin(forward, aspect, 0.0, 0.0);
        for (int corner = 0; corner < 8; corner++)
            camera_fit_add(&fit,
                           vec3(corner & 1 ? half.x : -half.x, corner & 2 ? half.y : -half.y,
                                corner & 4 ? half.z : -half.z),
                           0.0);
        RenderCamera camera = camera_fit_end(&fit);
        distance = fmax(distance, vec3_length(camera.position));
        chosen = forward; /* the last one is that of `turn` */
    }
    return (RenderCamera){vec3_add_scaled(centre, -distance, chosen), centre, fitted_fov};
}
