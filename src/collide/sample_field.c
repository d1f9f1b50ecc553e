/* The signed distance field of one body, seen by points of another. */
#include "collide/sample_field.h"

static Frame relative_frame(const Frame *at_a, const Frame *at_b) {
    return (Frame){mat3_multiply(mat3_transpose(at_b->axes), at_a->axes),
                   frame_to_own(at_b, at_a->origin)};
}

static double least_size(Box3 box) {
    Vec3 size = vec3_sub(box.high, box.low);
    return fmin(size.x, fmin(size.y, size.z));
}

FieldView field_view(const Frame *at_a, const DistanceField *b, const Frame *at_b, double margin,
                     double round, bool flip, ContactPoints *points) {
    FieldView view = {.solid = b->solid,
                      .box = box3_grow(b->box, margin + round),
                      .bounded = isfinite(least_size(b->box)),
                      .at = at_b,
                      .own_to_b = relative_frame(at_a, at_b),
                      .fallback = vec3(0, 1, 0),
                      .margin = margin,
                      .flip = flip,
                      .points = points};
    if (view.bounded) {
        Vec3 apart = vec3_sub(view.own_to_b.origin, box3_center(b->box));
        if (vec3_dot(apart, apart) > 0.0) view.fallback = vec3_normalize(apart);
        view.near_face = 1e-6 * least_size(b->box);
        view.next_face = least_size(b->box) / 16.0;
    }
    return view;
}

static Vec3 to_own(const Solid *solid, Vec3 p) {
    Vec3 own = quat_rotate_inverse(solid->orientation, vec3_sub(p, solid->position));
    return vec3_scale(1.0 / solid->scale, own);
}

double distance_bound(const Solid *solid, Vec3 p) {
    if (solid->kind != SOLID_FIELD) return solid_distance(solid, p);
    return solid->scale * level_set_least_value(solid->field, to_own(solid, p));
}

double distance_within(const Solid *solid, Vec3 p, double limit) {
    if (solid->kind == SOLID_FIELD) {
        Vec3 own = to_own(solid, p);
        if (level_set_is_beyond(solid->field, own) &&
            solid->scale * level_set_least_value(solid->field, own) <= limit)
            return solid->scale * level_set_far_value(solid->field, own);
    }
    return solid_distance(solid, p);
}

bool field_view_clip(const FieldView *view, Vec3 from, Vec3 along, double length, double part[2]) {
    part[0] = 0.0;
    part[1] = length;
    if (!view->bounded) return true;
    for (int axis = 0; axis < 3; axis++) {
        double start = vec3_component(from, axis), slope = vec3_component(along, axis);
        double low = vec3_component(view->box.low, axis) - start;
        double high = vec3_component(view->box.high, axis) - start;
        if (fabs(slope) < 1e-12) {
            if (low > 0.0 || high < 0.0) return false;
            continue;
        }
        double a = low / slope, b = high / slope;
        part[0] = fmax(part[0], fmin(a, b));
        part[1] = fmin(part[1], fmax(a, b));
    }
    return part[0] <= part[1];
}

Vec3 field_view_normal(const FieldView *view, Vec3 p) {
    Vec3 direction = distance_direction(view->solid, p);
    return vec3_dot(direction, direction) > 0.0 ? direction : view->fallback;
}

void field_view_add(const FieldView *view, Vec3 core, double radius, double gap, Vec3 normal) {
    Vec3 middle = vec3_add_scaled(core, -(radius + 0.5 * gap), normal);
    Vec3 out = mat3_apply(view->at->axes, normal);
    contact_points_add(view->points,
                       (ContactPoint){.position = frame_to_world(view->at, middle),
                                      .normal = view->flip ? vec3_scale(-1.0, out) : out,
                                      .gap = gap,
                                      .radius = radius > 0.0 ? radius : HUGE_VAL});
}
