/* Bodies in the coupled solve are kept a cell apart from one another, from obstacles and from
 * walls, so that there is fluid between them for the solve to see: a plain guard, without friction
 * or bounce, until contact takes its place.
 *
 * Before a solve bodies that are too near lose the part of their momentum that brings them nearer
 * (an inelastic impulse along the line between their nearest points); after the half step their
 * velocity is limited to what the gap allows. Neither raises kinetic energy, but for bodies that
 * overlap already: those move apart by a tenth of what they lack in a step. */
#include "fluid/internal.h"

/* A pair that is near: a free body and another, or something that does not give way. */
typedef struct NearPair {
    size_t a, b; /* colliders; b may be NO_COLLIDER: a side */
    Vec3 normal; /* from b to a */
    double gap;  /* m */
} NearPair;

#define NO_COLLIDER SIZE_MAX

/* ---- nearest points ---- */

static Vec3 in_plane(const Fluid *fluid, Vec3 x) {
    if (fluid->grid.dim == 2) x.z = 0;
    return x;
}

static Vec3 outward(const Fluid *fluid, const Collider *collider, Vec3 x) {
    double h = 1e-3 * fluid->grid.spacing, slope[3] = {0, 0, 0};
    for (int axis = 0; axis < fluid->grid.dim; axis++) {
        Vec3 d = vec3(axis == 0 ? h : 0, axis == 1 ? h : 0, axis == 2 ? h : 0);
        slope[axis] = collider_distance(collider, vec3_add(x, d)) -
                      collider_distance(collider, vec3_sub(x, d));
    }
    Vec3 normal = vec3_load(slope);
    double length = vec3_length(normal);
    return length > 0 ? vec3_scale(1 / length, normal) : vec3(0, 1, 0);
}

/* The point of the surface nearest to x, about. */
static Vec3 onto(const Fluid *fluid, const Collider *collider, Vec3 x) {
    return vec3_add_scaled(x, -collider_distance(collider, x), outward(fluid, collider, x));
}

/* Nearest points by going back and forth between the surfaces: exact for convex bodies. */
static bool find_gap(const Fluid *fluid, const Collider *a, const Collider *b, NearPair *pair) {
    enum { ROUNDS = 12 };
    Vec3 x = onto(fluid, a, in_plane(fluid, b->position)), y = x;
    for (int round = 0; round < ROUNDS; round++) {
        y = onto(fluid, b, x);
        x = onto(fluid, a, y);
    }
    double depth = collider_distance(b, x);
    pair->gap = depth < 0 ? depth : vec3_length(vec3_sub(x, y));
    pair->normal = outward(fluid, b, x);
    return isfinite(pair->gap);
}

static double extent_of(const Collider *collider) {
    Box3 box = solid_bounds(collider->solid);
    return fmax(vec3_length(box.low), vec3_length(box.high));
}

/* ---- response ---- */

typedef struct Guard {
    Fluid *fluid;
    double dt, least; /* s; m, the gap that is kept */
    SolidWhen when;
} Guard;

static SolidMotion motion_of(const Guard *guard, size_t collider) {
    const SolidView *view = &guard->fluid->desc.bodies_view;
    SolidMotion motion;
    view->read_motion(view->system, guard->fluid->colliders.data[collider].body, guard->when,
                      &motion);
    return motion;
}

static Vec3 velocity_of(const Guard *guard, size_t collider) {
    if (collider == NO_COLLIDER) return vec3(0, 0, 0);
    if (fluid_solves_for(guard->fluid, collider)) return motion_of(guard, collider).velocity;
    return guard->fluid->colliders.data[collider].now.velocity;
}

static double give_of(const Guard *guard, size_t collider) {
    if (collider == NO_COLLIDER || !fluid_solves_for(guard->fluid, collider)) return 0;
    SolidMotion motion = motion_of(guard, collider);
    return motion.pinned ? 0 : 1 / motion.mass;
}

static void push(const Guard *guard, size_t collider, Vec3 by) {
    const SolidView *view = &guard->fluid->desc.bodies_view;
    SolidMotion motion = motion_of(guard, collider);
    view->accept(view->system, guard->fluid->colliders.data[collider].body, guard->when,
                 vec3_add(motion.velocity, by), motion.angular_velocity);
}

/* Makes the two part at `wanted` m/s at least. */
static void separate(const Guard *guard, const NearPair *pair) {
    double give_a = give_of(guard, pair->a), give_b = give_of(guard, pair->b);
    Vec3 relative = vec3_sub(velocity_of(guard, pair->a), velocity_of(guard, pair->b));
    double parting = vec3_dot(relative, pair->normal), missing = guard->least - pair->gap;
    double wanted = missing > 0 ? 0 : missing / guard->dt;
    if (guard->when == SOLID_HALF_STEP && pair->gap < 0) wanted = 0.1 * missing / guard->dt;
    if (!(parting < wanted) || !(give_a + give_b > 0)) return;
    double impulse = (wanted - parting) / (give_a + give_b);
    if (give_a > 0) push(guard, pair->a, vec3_scale(impulse * give_a, pair->normal));
    if (give_b > 0) push(guard, pair->b, vec3_scale(-impulse * give_b, pair->normal));
}

static void guard_pair(const Guard *guard, size_t a, size_t b) {
    const Fluid *fluid = guard->fluid;
    int images = fluid_image_count(&fluid->grid);
    for (int image = 0; image < images; image++) {
        Collider other = fluid->colliders.data[b].now;
        const Collider *own = &fluid->colliders.data[a].now;
        other.position = vec3_add(other.position, fluid_image_offset(&fluid->grid, image));
        double apart = vec3_length(vec3_sub(own->position, other.position));
        if (apart > extent_of(own) + extent_of(&other) + 2 * guard->least) continue;
        NearPair pair = {.a = a, .b = b};
        if (find_gap(fluid, own, &other, &pair)) separate(guard, &pair);
    }
}

/* A side that is a wall or an inflow. */
static void guard_side(const Guard *guard, size_t a, int axis, int end) {
    const Fluid *fluid = guard->fluid;
    const Collider *own = &fluid->colliders.data[a].now;
    double origin[3], position[3];
    vec3_store(origin, fluid->grid.origin);
    vec3_store(position, own->position);
    double plane = origin[axis] + (end ? fluid->grid.n[axis] * fluid->grid.spacing : 0);
    double sign = end ? -1 : 1, height = sign * (position[axis] - plane);
    if (height > extent_of(own) + 2 * guard->least) return;
    Vec3 normal = vec3(axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0);
    /* From far below the plane the nearest point of a convex body is the lowest. */
    Vec3 below = in_plane(fluid, vec3_add_scaled(own->position, -1e3 * extent_of(own), normal));
    double lowest[3];
    vec3_store(lowest, onto(fluid, own, below));
    NearPair pair = {a, NO_COLLIDER, normal, sign * (lowest[axis] - plane)};
    separate(guard, &pair);
}

void fluid_keep_apart(Fluid *fluid, const StepInfo *step, SolidWhen when) {
    Guard guard = {fluid, step->dt, fluid->grid.spacing, when};
    for (size_t a = 0; a < fluid->colliders.count; a++) {
        if (!fluid_solves_for(fluid, a)) continue;
        for (size_t b = 0; b < fluid->colliders.count; b++)
            if (b > a || (b < a && !fluid_solves_for(fluid, b))) guard_pair(&guard, a, b);
        for (int axis = 0; axis < fluid->grid.dim; axis++)
            for (int end = 0; end < 2; end++) {
                SideKind kind = fluid->grid.sides[axis][end];
                if (kind == SIDE_WALL || kind == SIDE_INFLOW) guard_side(&guard, a, axis, end);
            }
    }
}
