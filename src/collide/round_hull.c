/* Narrow phase of cylinders and cones: what meets is put into common axes. */
#include "collide/round_hull_data.h"

RoundHull round_hull_of(const RoundCore *core, const Frame *frame) {
    RoundHull hull = {.axis = mat3_column(frame->axes, 1),
                      .across = {mat3_column(frame->axes, 0), mat3_column(frame->axes, 2)}};
    Vec3 center = frame_to_world(frame, core->center);
    hull.rims[0] = (HullRim){vec3_add_scaled(center, -0.5 * core->length, hull.axis), core->radius};
    hull.rims[1] = (HullRim){vec3_add_scaled(center, 0.5 * core->length, hull.axis),
                             core->kind == ROUND_CONE ? 0.0 : core->radius};
    double narrows = hull.rims[0].radius - hull.rims[1].radius;
    hull.rise = narrows / sqrt(narrows * narrows + core->length * core->length);
    return hull;
}

static double size_of(const RoundCore *core) {
    return fmin(core->length, 2.0 * core->radius);
}

/* In the axes of b's frame. */
static HullPair make_pair(const RoundCore *a, const Frame *a_in_b, const HullPartner *b,
                          double margin) {
    HullPair pair = {.a = round_hull_of(a, a_in_b), .size = size_of(a), .margin = margin};
    if (b->half_space) {
        const Solid *solid = b->half_space;
        pair.endless = true;
        pair.plane.normal = quat_rotate(solid->orientation, vec3(0, 1, 0));
        pair.plane.offset = vec3_dot(pair.plane.normal, solid->position);
    } else if (b->polyhedron) {
        pair.polyhedron = b->polyhedron;
        pair.size = fmin(pair.size, b->polyhedron->size);
    } else {
        Frame in_place = {mat3_identity(), {0, 0, 0}};
        pair.b = round_hull_of(b->core, &in_place);
        pair.size = fmin(pair.size, size_of(b->core));
    }
    return pair;
}

/* Balls around both; a half space has none. */
static bool are_far(const RoundCore *a, const Frame *a_in_b, const HullPartner *b, double margin) {
    if (b->half_space) return false;
    double reach = margin + hypot(0.5 * a->length, a->radius);
    Vec3 center = vec3(0, 0, 0);
    if (b->polyhedron) {
        center = b->polyhedron->center;
        reach += b->polyhedron->radius;
    } else {
        center = b->core->center;
        reach += hypot(0.5 * b->core->length, b->core->radius);
    }
    Vec3 apart = vec3_sub(frame_to_world(a_in_b, a->center), center);
    return vec3_dot(apart, apart) > reach * reach;
}

void round_hull_contact(const RoundCore *a, const Frame *at_a, const HullPartner *b,
                        const Frame *at_b, double margin, bool flip, ContactPoints *points) {
    Frame a_in_b = {mat3_multiply(mat3_transpose(at_b->axes), at_a->axes),
                    frame_to_own(at_b, at_a->origin)};
    if (are_far(a, &a_in_b, b, margin)) return;
    HullPair pair = make_pair(a, &a_in_b, b, margin);
    HullAxis axis;
    if (!round_hull_find_axis(&pair, &axis)) return;
    ContactPoints found = {.count = 0};
    round_hull_add_points(&pair, &axis, &found);
    for (size_t i = 0; i < found.count; i++) {
        ContactPoint point = found.at[i];
        point.position = frame_to_world(at_b, point.position);
        point.normal = mat3_apply(at_b->axes, vec3_scale(flip ? -1.0 : 1.0, point.normal));
        contact_points_add(points, point);
    }
}
