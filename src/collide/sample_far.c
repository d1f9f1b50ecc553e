/* Signed distance beyond the grid of a level set. There level_set_value is the value at the nearest
 * point of the grid plus the distance to it, up to sqrt(2) times too much: the middle of a ball
 * that touches would be too far away. */
#include "collide/sample_field.h"

enum { FAR_ROUNDS = 10 };

Box3 level_set_grid_box(const LevelSet *field) {
    const NodeGrid *grid = level_set_grid(field);
    return (Box3){grid->origin,
                  node_grid_position(grid, grid->n[0] - 1, grid->n[1] - 1, grid->n[2] - 1)};
}

/* The way from p over x to the surface, and how it changes with x. */
typedef struct FarWay {
    Vec3 x, slope;
    double length, value; /* m: in all, and of it from x on */
} FarWay;

static FarWay way_over(const LevelSet *field, Vec3 p, Vec3 x) {
    Vec3 back = vec3_sub(x, p);
    double value = level_set_value(field, x), length = vec3_length(back);
    Vec3 slope = vec3_add(vec3_normalize(back), vec3_normalize(level_set_gradient(field, x)));
    return (FarWay){x, slope, length + value, value};
}

/* The shortest way is straight. Steps down the slope, with the length that the last two suggest
 * (Barzilai and Borwein 1988); the first is safe, as the value curves no more than 1 / value. */
static FarWay shortest_way(const LevelSet *field, Vec3 p) {
    Box3 box = level_set_grid_box(field);
    FarWay way = way_over(field, p, vec3_min(vec3_max(p, box.low), box.high)), best = way;
    double near = fmax(way.value, 0.0), far = way.length - way.value;
    double step = near * far / fmax(near + far, 1e-300), longest = 2.0 * far;
    double precision = 1e-5 * level_set_grid(field)->spacing;
    for (int round = 0; round < FAR_ROUNDS; round++) {
        Vec3 x = vec3_add_scaled(way.x, -step, way.slope);
        FarWay next = way_over(field, p, vec3_min(vec3_max(x, box.low), box.high));
        Vec3 moved = vec3_sub(next.x, way.x), turned = vec3_sub(next.slope, way.slope);
        double bend = vec3_dot(moved, turned), way_squared = vec3_dot(moved, moved);
        bool settled = fabs(next.length - way.length) <= precision;
        if (next.length < best.length) best = next;
        if (settled || way_squared <= precision * precision) break;
        if (bend > 0.0) step = fmin(way_squared / bend, longest);
        way = next;
    }
    return best;
}

bool level_set_is_beyond(const LevelSet *field, Vec3 p) {
    return !box3_contains(level_set_grid_box(field), p);
}

double level_set_far_value(const LevelSet *field, Vec3 p) {
    return shortest_way(field, p).length;
}

Vec3 level_set_far_direction(const LevelSet *field, Vec3 p) {
    FarWay way = shortest_way(field, p);
    Vec3 out = vec3_normalize(level_set_gradient(field, way.x));
    return vec3_sub(p, vec3_add_scaled(way.x, -way.value, out));
}

/* The way is at least the root of the sum of squares, because the grid's box is convex and holds
 * the surface. Within the grid, interpolation may overestimate by a part of a cell. */
double level_set_least_value(const LevelSet *field, Vec3 p) {
    double value = level_set_value(field, p);
    double beyond = sqrt(box3_distance_squared(level_set_grid_box(field), p));
    if (beyond > 0.0) value = hypot(beyond, fmax(value - beyond, 0.0));
    return value - 0.5 * level_set_grid(field)->spacing;
}
