/* Contact normals: gradients of signed distances, in closed form where the distance is. */
#include "collide/sample_field.h"

/* From the y axis. */
static double axis_distance(Vec3 p) {
    return sqrt(p.x * p.x + p.z * p.z);
}

/* The direction away from the y axis, `across` from it; x on it. */
static Vec3 away_from_axis(Vec3 p, double across) {
    return across > 0.0 ? vec3(p.x / across, 0, p.z / across) : vec3(1, 0, 0);
}

static Vec3 with_sign(double x, Vec3 axis) {
    return vec3_scale(x < 0.0 ? -1.0 : 1.0, axis);
}

/* ---- faces, in a solid's own axes ---- */

static int box_sides(const Solid *solid, Vec3 p, FieldSide *sides) {
    for (int axis = 0; axis < 3; axis++) {
        double x = vec3_component(p, axis);
        sides[axis] = (FieldSide){fabs(x) - 0.5 * solid->size[axis], with_sign(x, vec3_axis(axis))};
    }
    return 3;
}

static int cylinder_sides(const Solid *solid, Vec3 p, FieldSide *sides) {
    double across = axis_distance(p);
    sides[0] = (FieldSide){across - solid->radius, away_from_axis(p, across)};
    sides[1] = (FieldSide){fabs(p.y) - 0.5 * solid->height, with_sign(p.y, vec3(0, 1, 0))};
    return 2;
}

static int cone_sides(const Solid *solid, Vec3 p, FieldSide *sides) {
    double half = 0.5 * solid->height, across = axis_distance(p);
    double slant = sqrt(solid->radius * solid->radius + solid->height * solid->height);
    double out = solid->height / slant, up = solid->radius / slant;
    sides[0] = (FieldSide){across * out + (p.y - half) * up,
                           vec3_add_scaled(vec3(0, up, 0), out, away_from_axis(p, across))};
    sides[1] = (FieldSide){-half - p.y, vec3(0, -1, 0)};
    return 2;
}

static int own_sides(const Solid *solid, Vec3 p, FieldSide *sides) {
    switch (solid->kind) {
    case SOLID_BOX:
        return box_sides(solid, p, sides);
    case SOLID_CYLINDER:
        return cylinder_sides(solid, p, sides);
    case SOLID_CONE:
        return cone_sides(solid, p, sides);
    default:
        return 0;
    }
}

int distance_sides(const Solid *solid, Vec3 p, FieldSide sides[FIELD_MOST_SIDES]) {
    Vec3 own = quat_rotate_inverse(solid->orientation, vec3_sub(p, solid->position));
    int count = own_sides(solid, vec3_scale(1.0 / solid->scale, own), sides);
    for (int i = 0; i < count; i++) {
        sides[i].distance *= solid->scale;
        sides[i].normal = quat_rotate(solid->orientation, sides[i].normal);
    }
    return count;
}

/* ---- distances and directions, in a solid's own axes; zero where there is none ---- */

/* From a core's nearest point: `out` from it, the surface `radius` around it. */
static FieldSide from_core(Vec3 out, double radius) {
    double length = vec3_length(out);
    return (FieldSide){length - radius, length > 0.0 ? vec3_scale(1.0 / length, out) : out};
}

/* Box and cylinder have faces at right angles: outside, how far the point is beyond each of them is
 * the way to it; inside, the nearest face. */
static FieldSide from_faces(const FieldSide *sides, int count) {
    Vec3 beyond = vec3(0, 0, 0);
    int nearest = 0;
    for (int i = 0; i < count; i++) {
        if (sides[i].distance > 0.0)
            beyond = vec3_add_scaled(beyond, sides[i].distance, sides[i].normal);
        if (sides[i].distance > sides[nearest].distance) nearest = i;
    }
    return vec3_dot(beyond, beyond) > 0.0 ? from_core(beyond, 0.0) : sides[nearest];
}

static FieldSide from_capsule(const Solid *solid, Vec3 p) {
    double half = 0.5 * solid->height;
    FieldSide side = from_core(vec3(p.x, p.y - fmin(fmax(p.y, -half), half), p.z), solid->radius);
    if (vec3_dot(side.normal, side.normal) == 0.0) side.normal = vec3(1, 0, 0);
    return side;
}

static FieldSide from_torus(const Solid *solid, Vec3 p) {
    double across = axis_distance(p);
    Vec3 out = vec3_add_scaled(vec3(0, p.y, 0), across - solid->radius, away_from_axis(p, across));
    return from_core(out, solid->tube);
}

/* From the nearest of the rim, the apex and the two faces. */
static FieldSide from_cone(const Solid *solid, Vec3 p) {
    FieldSide sides[2];
    cone_sides(solid, p, sides);
    double across = axis_distance(p), half = 0.5 * solid->height;
    /* How far along the slant from the rim to the apex, 0..1. */
    double along = ((across - solid->radius) * -solid->radius + (p.y + half) * solid->height) /
                   (solid->radius * solid->radius + solid->height * solid->height);
    bool inside = sides[0].distance <= 0.0 && sides[1].distance <= 0.0;
    if (inside) return sides[sides[1].distance > sides[0].distance];
    if (sides[1].distance > 0.0 && across <= solid->radius) return sides[1];
    if (along >= 0.0 && along <= 1.0) return sides[0];
    Vec3 from_rim =
        vec3_add_scaled(vec3(0, p.y + half, 0), across - solid->radius, away_from_axis(p, across));
    FieldSide side = from_core(along > 1.0 ? vec3(p.x, p.y - half, p.z) : from_rim, 0.0);
    return side.distance > 0.0 ? side : sides[0];
}

/* Of the child whose distance it is. Children's axes are within this solid's own. */
static FieldSide from_combined(const Solid *solid, Vec3 p) {
    size_t active = 0;
    double value = solid_distance(&solid->children[0], p);
    bool less = solid->kind == SOLID_DIFFERENCE, turned = false;
    for (size_t i = 1; i < solid->child_count; i++) {
        double other = solid_distance(&solid->children[i], p) * (less ? -1.0 : 1.0);
        if (solid->kind == SOLID_UNION ? other < value : other > value) {
            active = i;
            value = other;
            turned = less;
        }
    }
    FieldSide side = distance_and_direction(&solid->children[active], p);
    return (FieldSide){value, vec3_scale(turned ? -1.0 : 1.0, side.normal)};
}

/* Differences over a cell: continuous and of second order, while the gradient of the interpolant
 * jumps from cell to cell, which a rolling ball would feel. */
static Vec3 level_set_direction(const LevelSet *field, Vec3 p) {
    if (level_set_is_beyond(field, p)) return level_set_far_direction(field, p);
    double half = 0.5 * level_set_grid(field)->spacing, difference[3];
    Box3 inner = box3_grow(level_set_grid_box(field), -half); /* whose neighbours are in the grid */
    p = vec3_min(vec3_max(p, inner.low), inner.high);
    for (int axis = 0; axis < 3; axis++)
        difference[axis] = level_set_value(field, vec3_add_scaled(p, half, vec3_axis(axis))) -
                           level_set_value(field, vec3_add_scaled(p, -half, vec3_axis(axis)));
    return vec3_load(difference);
}

static FieldSide own_distance_and_direction(const Solid *solid, Vec3 p) {
    FieldSide sides[FIELD_MOST_SIDES];
    switch (solid->kind) {
    case SOLID_BOX:
    case SOLID_CYLINDER:
        return from_faces(sides, own_sides(solid, p, sides));
    case SOLID_BALL:
        return from_core(p, solid->radius);
    case SOLID_CAPSULE:
        return from_capsule(solid, p);
    case SOLID_TORUS:
        return from_torus(solid, p);
    case SOLID_CONE:
        return from_cone(solid, p);
    case SOLID_HALF_SPACE:
        return (FieldSide){p.y, vec3(0, 1, 0)};
    case SOLID_FIELD:
        return (FieldSide){level_set_value(solid->field, p),
                           vec3_normalize(level_set_direction(solid->field, p))};
    case SOLID_CONVEX: {
        FieldSide side;
        side.distance = solid->convex->distance(solid->convex->polyhedron, p, &side.normal);
        return side;
    }
    default:
        return from_combined(solid, p);
    }
}

FieldSide distance_and_direction(const Solid *solid, Vec3 p) {
    Vec3 own = quat_rotate_inverse(solid->orientation, vec3_sub(p, solid->position));
    FieldSide side = own_distance_and_direction(solid, vec3_scale(1.0 / solid->scale, own));
    return (FieldSide){solid->scale * side.distance, quat_rotate(solid->orientation, side.normal)};
}

Vec3 distance_direction(const Solid *solid, Vec3 p) {
    if (solid->kind != SOLID_FIELD) return distance_and_direction(solid, p).normal;
    Vec3 own = quat_rotate_inverse(solid->orientation, vec3_sub(p, solid->position));
    Vec3 out = level_set_direction(solid->field, vec3_scale(1.0 / solid->scale, own));
    return quat_rotate(solid->orientation, vec3_normalize(out));
}

Vec3 distance_normal(const Solid *solid, Vec3 p) {
    Vec3 direction = distance_direction(solid, p);
    return vec3_dot(direction, direction) > 0.0 ? direction : vec3(0, 1, 0);
}
