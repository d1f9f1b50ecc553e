/* Directions out of solids, in closed form where the distance is. */
#include "collide/sample_field.h"

/* The direction away from the y axis; x on it. */
static Vec3 away_from_axis(Vec3 p) {
    double across = hypot(p.x, p.z);
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
    sides[0] = (FieldSide){hypot(p.x, p.z) - solid->radius, away_from_axis(p)};
    sides[1] = (FieldSide){fabs(p.y) - 0.5 * solid->height, with_sign(p.y, vec3(0, 1, 0))};
    return 2;
}

static int cone_sides(const Solid *solid, Vec3 p, FieldSide *sides) {
    double half = 0.5 * solid->height, slant = hypot(solid->radius, solid->height);
    double out = solid->height / slant, up = solid->radius / slant;
    sides[0] = (FieldSide){hypot(p.x, p.z) * out + (p.y - half) * up,
                           vec3_add_scaled(vec3(0, up, 0), out, away_from_axis(p))};
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

/* ---- directions, in a solid's own axes; zero where there is none ---- */

/* Box and cylinder have faces at right angles: outside, how far the point is beyond each of them is
 * the way to it; inside, the nearest face. */
static Vec3 faces_direction(const FieldSide *sides, int count) {
    Vec3 beyond = vec3(0, 0, 0);
    int nearest = 0;
    for (int i = 0; i < count; i++) {
        if (sides[i].distance > 0.0)
            beyond = vec3_add_scaled(beyond, sides[i].distance, sides[i].normal);
        if (sides[i].distance > sides[nearest].distance) nearest = i;
    }
    return vec3_dot(beyond, beyond) > 0.0 ? beyond : sides[nearest].normal;
}

static Vec3 capsule_direction(const Solid *solid, Vec3 p) {
    double half = 0.5 * solid->height;
    Vec3 out = vec3(p.x, p.y - fmin(fmax(p.y, -half), half), p.z);
    return vec3_dot(out, out) > 0.0 ? out : vec3(1, 0, 0);
}

static Vec3 torus_direction(const Solid *solid, Vec3 p) {
    double across = hypot(p.x, p.z) - solid->radius;
    return vec3_add_scaled(vec3(0, p.y, 0), across, away_from_axis(p));
}

/* From the nearest of the rim, the apex and the two faces. */
static Vec3 cone_direction(const Solid *solid, Vec3 p) {
    FieldSide sides[2];
    cone_sides(solid, p, sides);
    double x = hypot(p.x, p.z), half = 0.5 * solid->height;
    /* How far along the slant from the rim to the apex, 0..1. */
    double along = ((x - solid->radius) * -solid->radius + (p.y + half) * solid->height) /
                   (solid->radius * solid->radius + solid->height * solid->height);
    bool inside = sides[0].distance <= 0.0 && sides[1].distance <= 0.0;
    if (inside) return sides[sides[1].distance > sides[0].distance].normal;
    Vec3 from_rim = vec3_add_scaled(vec3(0, p.y + half, 0), x - solid->radius, away_from_axis(p));
    if (sides[1].distance > 0.0 && x <= solid->radius) return sides[1].normal;
    Vec3 out = along > 1.0 ? vec3(p.x, p.y - half, p.z) : along < 0.0 ? from_rim : sides[0].normal;
    return vec3_dot(out, out) > 0.0 ? out : sides[0].normal;
}

/* Of the child whose distance it is. Children's axes are within this solid's own. */
static Vec3 combined_direction(const Solid *solid, Vec3 p) {
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
    Vec3 out;
    if (!distance_direction(&solid->children[active], p, &out)) return vec3(0, 0, 0);
    return vec3_scale(turned ? -1.0 : 1.0, out);
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

static Vec3 own_direction(const Solid *solid, Vec3 p) {
    FieldSide sides[FIELD_MOST_SIDES];
    switch (solid->kind) {
    case SOLID_BOX:
    case SOLID_CYLINDER:
        return faces_direction(sides, own_sides(solid, p, sides));
    case SOLID_BALL:
        return p;
    case SOLID_CAPSULE:
        return capsule_direction(solid, p);
    case SOLID_TORUS:
        return torus_direction(solid, p);
    case SOLID_CONE:
        return cone_direction(solid, p);
    case SOLID_HALF_SPACE:
        return vec3(0, 1, 0);
    case SOLID_FIELD:
        return level_set_direction(solid->field, p);
    default:
        return combined_direction(solid, p);
    }
}

bool distance_direction(const Solid *solid, Vec3 p, Vec3 *direction) {
    Vec3 own = quat_rotate_inverse(solid->orientation, vec3_sub(p, solid->position));
    own = vec3_normalize(own_direction(solid, vec3_scale(1.0 / solid->scale, own)));
    *direction = quat_rotate(solid->orientation, own);
    return vec3_dot(own, own) > 0.0;
}

Vec3 distance_normal(const Solid *solid, Vec3 p) {
    Vec3 direction;
    return distance_direction(solid, p, &direction) ? direction : vec3(0, 1, 0);
}
