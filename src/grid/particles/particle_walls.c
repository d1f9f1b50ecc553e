/* Particle level set, walls: particles, drops and what particles claim stay on the side of a wall
 * that they come from (visibility.h). */
#include "grid/particles/particle_parts.h"
#include "grid/visibility.h"

#include <math.h>

/* The image of a place that is nearest to another, across periodic sides. */
static Vec3 nearest_image(const ParticlePlan *plan, Vec3 place, Vec3 to) {
    double x[3], y[3];
    vec3_store(x, place);
    vec3_store(y, to);
    for (int axis = 0; axis < plan->dim; axis++)
        if (plan->sides[axis][0] == SIDE_PERIODIC)
            x[axis] += plan->size[axis] * floor((y[axis] - x[axis]) / plan->size[axis] + 0.5);
    return vec3_load(x);
}

bool particle_is_parted(const ParticleLevelSet *set, const ParticlePlan *plan, Vec3 from, Vec3 to) {
    if (!set->walls) return false;
    const Grid *grid = &set->phi->grid;
    from = nearest_image(plan, from, to);
    double away = visibility_distance(grid, set->walls, from);
    if (away < 0 || away > vec3_length(vec3_sub(to, from))) return false;
    return visibility_line_is_parted(grid, set->walls, from, to);
}

/* The last place outside solids on the way between two. */
static Vec3 place_before_wall(const ParticleLevelSet *set, Vec3 from, Vec3 to) {
    const Grid *grid = &set->phi->grid;
    Vec3 way = vec3_sub(to, from), last = from;
    int pieces = (int)fmin(ceil(8 * vec3_length(way) / grid->spacing), 64);
    for (int i = 1; i <= pieces; i++) {
        Vec3 next = vec3_add_scaled(from, (double)i / pieces, way);
        if (visibility_distance(grid, set->walls, next) < 0) break;
        last = next;
    }
    return last;
}

/* Along a wall that it comes to: what is left of its way, less what leads into the wall. */
static Vec3 slide(const ParticleLevelSet *set, const ParticlePlan *plan, Vec3 stop, Vec3 to,
                  Vec3 *normal) {
    Vec3 rest = vec3_sub(to, stop);
    *normal = visibility_way_out(&set->phi->grid, set->walls, stop);
    double into = vec3_dot(rest, *normal);
    if (into < 0) rest = vec3_add_scaled(rest, -into, *normal);
    Vec3 end = vec3_add(stop, rest);
    unsigned held;
    return particle_stay_inside(plan, &end, &held) ? end : stop;
}

/* Out of a solid, if that leads to where it is seen from `from`. */
static bool leave_toward(const ParticleLevelSet *set, const ParticlePlan *plan, Vec3 from,
                         double distance, Vec3 *point, Vec3 *normal) {
    Vec3 out = *point, way = *normal;
    if (!particle_leave_solid(plan, distance, &out, &way)) return false;
    if (particle_is_parted(set, plan, from, out)) return false;
    *point = out;
    *normal = way;
    return true;
}

bool particle_keep_side(const ParticleLevelSet *set, const ParticlePlan *plan, Vec3 from,
                        double distance, Vec3 *point, Vec3 *normal) {
    if (!set->walls) return particle_leave_solid(plan, distance, point, normal);
    bool parted = particle_is_parted(set, plan, from, *point);
    if (!parted && leave_toward(set, plan, from, distance, point, normal)) return true;
    from = nearest_image(plan, from, *point);
    /* A wall that has moved over it: there is no side to keep to. */
    if (visibility_distance(&set->phi->grid, set->walls, from) < 0)
        return particle_leave_solid(plan, distance, point, normal);
    Vec3 stop = place_before_wall(set, from, *point), end = slide(set, plan, stop, *point, normal);
    if (!particle_is_parted(set, plan, stop, end) &&
        leave_toward(set, plan, stop, distance, &end, normal)) {
        *point = end;
        return true;
    }
    unsigned held;
    *point = stop;
    return particle_stay_inside(plan, point, &held) &&
           leave_toward(set, plan, stop, distance, point, normal);
}
