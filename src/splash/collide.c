/* Particle collisions with walls and obstacles (001 section 3.2.4): clipped to the domain, brought
 * out of obstacles by steps along the gradient of the distance, and where that fails, back along
 * the path to a place outside. */
#include "grid/difference.h"
#include "splash/obstacle.h"

/* In cells: how far inside walls, and outside obstacles, a particle is put; what rounding could
 * move it is far less. */
static const double wall_gap = 1e-9, obstacle_gap = 1e-6;
/* In cells, from the surface: near enough for a place found by bisection. */
static const double close_enough = 1e-3;

typedef struct Hit {
    Vec3 push;                /* m, sum of what brought the particle out */
    const Collider *collider; /* the last body; NULL: something at rest */
    bool any, is_solid;       /* something; an obstacle or body, not only a wall */
} Hit;

/* Number of the padded cell along an axis; beyond the grid, that at its end. */
static inline int cell_along(double origin, double inverse, int n, double x) {
    double at = (x - origin) * inverse;
    return at > 0 ? at < n ? (int)at : n - 1 : 0;
}

/* Whether a particle here has nothing in its way. */
static inline bool is_far(const Splash *splash, Vec3 x) {
    const Grid *grid = &splash->padded;
    double inverse = 1 / grid->spacing;
    int i = cell_along(grid->origin.x, inverse, grid->n[0], x.x);
    int j = cell_along(grid->origin.y, inverse, grid->n[1], x.y);
    int k = grid->dim == 3 ? cell_along(grid->origin.z, inverse, grid->n[2], x.z) : 0;
    return !splash->near[grid_cell_index(grid, i, j, k)];
}

static void clip_to_walls(const Splash *splash, Vec3 *x, Hit *hit) {
    const Grid *grid = &splash->grid;
    double at[3], push[3];
    vec3_store(at, *x);
    vec3_store(push, hit->push);
    for (int axis = 0; axis < grid->dim; axis++) {
        double low = vec3_component(grid->origin, axis);
        double high = low + grid->n[axis] * grid->spacing;
        double size = fabs(low) > fabs(high) ? fabs(low) : fabs(high);
        double gap = wall_gap * grid->spacing + 1e-15 * size, inside = at[axis];
        if (grid->sides[axis][0] == SIDE_WALL && inside < low + gap) inside = low + gap;
        if (grid->sides[axis][1] == SIDE_WALL && inside > high - gap) inside = high - gap;
        if (inside == at[axis]) continue;
        push[axis] += inside - at[axis];
        at[axis] = inside;
        hit->any = true;
    }
    *x = vec3_load(at);
    hit->push = vec3_load(push);
}

static double distance_to(const void *nearest, Vec3 x) {
    return obstacle_distance(nearest, x);
}

/* Away from the nearest thing; zero where there is no such direction. */
static Vec3 away_from(const Splash *splash, const ObstacleNearest *nearest, Vec3 x) {
    double step = 1e-4 * splash->grid.spacing;
    Vec3 away = central_differences(distance_to, nearest, x, step, splash->grid.dim);
    return vec3_length(away) > 1e-3 * step ? vec3_normalize(away) : vec3(0, 0, 0);
}

/* Along the gradient; walls and other obstacles may push it back, so several times. True when it
 * is outside. */
static bool step_out(const Splash *splash, Vec3 *x, ObstacleNearest *nearest, Hit *hit) {
    enum { STEPS = 8 };
    for (int step = 0; step < STEPS; step++) {
        if (nearest->distance >= 0) return true;
        Vec3 away = away_from(splash, nearest, *x);
        double way = obstacle_gap * splash->grid.spacing - nearest->distance;
        *x = vec3_add_scaled(*x, way, away);
        hit->push = vec3_add_scaled(hit->push, way, away);
        hit->collider = nearest->collider;
        hit->any = hit->is_solid = true;
        clip_to_walls(splash, x, hit);
        *nearest = obstacle_nearest(splash, *x);
    }
    return nearest->distance >= 0;
}

/* A place outside, close to the surface, between one outside and one inside. */
static Vec3 bisect(const Splash *splash, Vec3 outside, Vec3 inside) {
    enum { HALVINGS = 30 };
    for (int i = 0; i < HALVINGS; i++) {
        Vec3 middle = vec3_scale(0.5, vec3_add(outside, inside));
        double distance = splash_distance_to_obstacles(splash, middle);
        if (distance >= 0)
            outside = middle;
        else
            inside = middle;
        if (distance >= 0 && distance < close_enough * splash->grid.spacing) break;
    }
    return outside;
}

/* Whether the way between two places outside goes through something thin to its other side, and
 * where it is inside. A way that cuts a corner does not count. */
static bool goes_through(const Splash *splash, Vec3 from, Vec3 to, const ObstacleNearest *at_end,
                         Vec3 *inside) {
    Vec3 way = vec3_sub(to, from);
    double length = vec3_length(way);
    if (at_end->distance >= length) return false;
    int pieces = (int)ceil(2 * length / splash->grid.spacing);
    for (int i = 1; i < pieces; i++) {
        *inside = vec3_add_scaled(from, (double)i / pieces, way);
        if (!(splash_distance_to_obstacles(splash, *inside) < 0)) continue;
        ObstacleNearest at_start = obstacle_nearest(splash, from);
        return vec3_dot(away_from(splash, &at_start, from), away_from(splash, at_end, to)) < 0;
    }
    return false;
}

/* Something came over the particle and nothing else helps: the first place outside, in the domain,
 * in rings of growing radius. */
static bool search_outward(const Splash *splash, Vec3 *x) {
    enum { RINGS = 9 };
    double radius = 0.25 * splash->grid.spacing;
    int layers = splash->grid.dim == 3 ? 1 : 0;
    for (int ring = 0; ring < RINGS; ring++, radius *= 2)
        for (int k = -layers; k <= layers; k++)
            for (int j = -1; j <= 1; j++)
                for (int i = -1; i <= 1; i++) {
                    Vec3 way = vec3_scale(radius, vec3_normalize(vec3(i, j, k)));
                    Vec3 there = vec3_add(*x, way);
                    if (!grid_contains(&splash->grid, there)) continue;
                    if (splash_distance_to_obstacles(splash, there) < 0) continue;
                    *x = bisect(splash, there, *x);
                    return true;
                }
    return false;
}

/* Back along the path from a place that is inside, or to any place outside. */
static void retreat(const Splash *splash, Vec3 from, Vec3 inside, Vec3 *to, Hit *hit) {
    Hit ignored = {.any = false};
    clip_to_walls(splash, &from, &ignored);
    if (splash_distance_to_obstacles(splash, from) >= 0) {
        *to = bisect(splash, from, inside);
    } else {
        *to = inside;
        search_outward(splash, to);
        clip_to_walls(splash, to, &ignored);
    }
    ObstacleNearest nearest = obstacle_nearest(splash, *to);
    hit->push = away_from(splash, &nearest, *to);
    hit->collider = nearest.collider;
    hit->any = hit->is_solid = true;
}

/* The collider that was hit; obstacles at rest come first. */
static int32_t target_of(const Splash *splash, const Hit *hit) {
    if (!hit->is_solid) return -1;
    if (!hit->collider) return 0;
    return (int32_t)obstacle_collider(splash, hit->collider);
}

bool splash_collide(const Splash *splash, Vec3 from, Vec3 *to, SplashHit *found) {
    if (is_far(splash, from) && is_far(splash, *to)) return false;
    Hit hit = {.any = false};
    clip_to_walls(splash, to, &hit);
    if (grid_contains(&splash->grid, *to) && splash->colliders.list.count > 0) {
        Vec3 wanted = *to, inside;
        ObstacleNearest nearest = obstacle_nearest(splash, wanted);
        if (!step_out(splash, to, &nearest, &hit) || !grid_contains(&splash->grid, *to))
            retreat(splash, from, wanted, to, &hit);
        else if (goes_through(splash, from, *to, &nearest, &inside) &&
                 splash_distance_to_obstacles(splash, from) >= 0)
            retreat(splash, from, inside, to, &hit);
    }
    if (!hit.any) return false;
    found->normal = vec3_normalize(hit.push);
    found->velocity = hit.collider ? collider_velocity(hit.collider, *to) : vec3(0, 0, 0);
    found->target = target_of(splash, &hit);
    return true;
}
