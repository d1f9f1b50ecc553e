/* Body separation guard: bodies in the coupled solve are kept a cell apart from one another, from
 * obstacles and from walls, so that there is fluid between them for the solve to see: a plain
 * guard, without friction or bounce, until contact takes its place.
 *
 * A body that its own momentum presses against something that does not give way is solved for
 * without the motion towards it (fluid_blocked). After a solve bodies that come nearer than the gap
 * allows lose that part of their velocity, by an inelastic impulse at their nearest points. Neither
 * raises kinetic energy, but for bodies that overlap already: those move apart by a tenth of what
 * they lack in a step. */
#include "fluid/keep_apart.h"
#include "fluid/internal.h"

/* A pair that is near: a free body and another, or something that does not give way. */
typedef struct NearPair {
    size_t a, b;       /* colliders; b may be NO_COLLIDER: a side */
    Vec3 normal;       /* from b to a */
    double gap;        /* m */
    Vec3 arm_a, arm_b; /* from the centres to the nearest points */
} NearPair;

#define NO_COLLIDER SIZE_MAX

/* ---- nearest points ---- */

static Vec3 outward(const Fluid *fluid, const Collider *collider, Vec3 x) {
    double h = 1e-3 * fluid->grid.spacing, slope[3] = {0, 0, 0};
    for (int axis = 0; axis < fluid->grid.dim; axis++) {
        Vec3 d = vec3_scale(h, vec3_axis(axis));
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
    Vec3 x = onto(fluid, a, fluid_in_plane(fluid, b->position)), y = x;
    for (int round = 0; round < ROUNDS; round++) {
        y = onto(fluid, b, x);
        x = onto(fluid, a, y);
    }
    double depth = collider_distance(b, x);
    pair->gap = depth < 0 ? depth : vec3_length(vec3_sub(x, y));
    pair->normal = outward(fluid, b, x);
    pair->arm_a = vec3_sub(x, fluid_in_plane(fluid, a->position));
    pair->arm_b = vec3_sub(y, fluid_in_plane(fluid, b->position));
    return isfinite(pair->gap);
}

/* The pair of a body and a wall or an inflow, if it is near. */
static bool find_side(const Fluid *fluid, size_t a, int axis, int end, double reach,
                      NearPair *pair) {
    SideKind kind = fluid->grid.sides[axis][end];
    const Collider *own = &fluid->colliders.list.data[a].now;
    double plane = vec3_component(fluid->grid.origin, axis) +
                   (end ? fluid->grid.n[axis] * fluid->grid.spacing : 0);
    double sign = end ? -1 : 1, height = sign * (vec3_component(own->position, axis) - plane);
    double extent = fluid_reach(fluid, own);
    if ((kind != SIDE_WALL && kind != SIDE_INFLOW) || height > extent + reach) return false;
    /* From far below the plane the nearest point of a convex body is the lowest. */
    Vec3 normal = vec3_scale(sign, vec3_axis(axis));
    Vec3 center = fluid_in_plane(fluid, own->position);
    Vec3 lowest = onto(fluid, own, vec3_add_scaled(center, -1e3 * extent, normal));
    *pair = (NearPair){.a = a, .b = NO_COLLIDER, .normal = normal};
    pair->gap = sign * (vec3_component(lowest, axis) - plane);
    pair->arm_a = vec3_sub(lowest, center);
    return isfinite(pair->gap);
}

static bool find_bodies(const Fluid *fluid, size_t a, size_t b, int image, double reach,
                        NearPair *pair) {
    Collider other = fluid->colliders.list.data[b].now;
    const Collider *own = &fluid->colliders.list.data[a].now;
    other.position = vec3_add(other.position, fluid_image_offset(&fluid->grid, image));
    double apart = vec3_length(fluid_in_plane(fluid, vec3_sub(own->position, other.position)));
    if (apart > fluid_reach(fluid, own) + fluid_reach(fluid, &other) + reach) return false;
    *pair = (NearPair){.a = a, .b = b};
    return find_gap(fluid, own, &other, pair);
}

/* Calls `visit` for all near pairs of a free body with others; each pair of free bodies once. */
typedef void (*PairVisit)(void *user, const NearPair *pair);
static void for_pairs(const Fluid *fluid, size_t a, double reach, PairVisit visit, void *user) {
    NearPair pair;
    int images = fluid_image_count(&fluid->grid);
    for (size_t b = 0; b < fluid->colliders.list.count; b++) {
        if (b == a || (b < a && fluid_solves_for(fluid, b))) continue;
        for (int image = 0; image < images; image++)
            if (find_bodies(fluid, a, b, image, reach, &pair)) visit(user, &pair);
    }
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        for (int end = 0; end < 2; end++)
            if (find_side(fluid, a, axis, end, reach, &pair)) visit(user, &pair);
}

/* ---- what stands in the way of a body ---- */

typedef struct BlockedJob {
    const Fluid *fluid;
    Vec3 momentum;
    Vec3 *normals;
    int count;
} BlockedJob;

static void add_blocked(void *user, const NearPair *pair) {
    BlockedJob *job = user;
    bool gives = pair->b != NO_COLLIDER && fluid_solves_for(job->fluid, pair->b);
    /* In a liquid contact holds bodies, and they touch; elsewhere they are kept a cell apart. */
    double touch = fluid_has_surface(job->fluid) ? 0.05 : 1 + 1e-6;
    bool near = pair->gap <= touch * job->fluid->grid.spacing;
    if (gives || !near || job->count == 3) return;
    if (vec3_dot(job->momentum, pair->normal) < 0) job->normals[job->count++] = pair->normal;
}

int fluid_blocked(const Fluid *fluid, size_t collider, Vec3 momentum, Vec3 normals[3]) {
    BlockedJob job = {fluid, momentum, normals, 0};
    for_pairs(fluid, collider, 2 * fluid->grid.spacing, add_blocked, &job);
    return job.count;
}

/* ---- response ---- */

typedef struct Guard {
    Fluid *fluid;
    double dt, least; /* s; m, the gap that is kept */
    SolidWhen when;
    bool pushed; /* some pair was */
} Guard;

/* One side of a pair: how it moves at the point, and what an impulse of 1 N s along the normal
 * does there; `give` is 0 for what does not give way. */
typedef struct Partner {
    SolidMotion motion;
    Vec3 velocity, turn; /* m/s at the point; rad/s for 1 N s */
    double give;         /* m/s for 1 N s */
} Partner;

static Partner partner_of(const Guard *guard, size_t i, Vec3 arm, Vec3 normal) {
    Partner partner = {.give = 0};
    if (i == NO_COLLIDER) return partner;
    const FluidCollider *collider = &guard->fluid->colliders.list.data[i];
    const SolidView *view = &guard->fluid->desc.bodies_view;
    if (!fluid_solves_for(guard->fluid, i)) {
        partner.velocity =
            vec3_add(collider->now.velocity, vec3_cross(collider->now.angular_velocity, arm));
        return partner;
    }
    SolidMotion *motion = &partner.motion;
    view->read_motion(view->system, collider->body, guard->when, motion);
    partner.velocity = vec3_add(motion->velocity, vec3_cross(motion->angular_velocity, arm));
    if (motion->pinned) return partner;
    partner.give = 1 / motion->mass;
    if (motion->turn_locked) return partner;
    partner.turn = mat3_apply(mat3_inverse(motion->inertia), vec3_cross(arm, normal));
    partner.give += vec3_dot(vec3_cross(partner.turn, arm), normal);
    return partner;
}

static void push(const Guard *guard, size_t i, const Partner *partner, Vec3 normal,
                 double impulse) {
    const SolidView *view = &guard->fluid->desc.bodies_view;
    if (!(partner->give > 0)) return;
    const SolidMotion *motion = &partner->motion;
    view->accept(view->system, guard->fluid->colliders.list.data[i].body, guard->when,
                 vec3_add_scaled(motion->velocity, impulse / motion->mass, normal),
                 vec3_add_scaled(motion->angular_velocity, impulse, partner->turn));
}

/* Makes the two come no nearer than they may in dt. */
static void separate(void *user, const NearPair *pair) {
    Guard *guard = user;
    Partner a = partner_of(guard, pair->a, pair->arm_a, pair->normal);
    Partner b = partner_of(guard, pair->b, pair->arm_b, pair->normal);
    double parting = vec3_dot(vec3_sub(a.velocity, b.velocity), pair->normal);
    double missing = guard->least - pair->gap, wanted = missing > 0 ? 0 : missing / guard->dt;
    if (guard->when == SOLID_HALF_STEP && pair->gap < 0) wanted = 0.1 * missing / guard->dt;
    if (!(parting < wanted) || !(a.give + b.give > 0)) return;
    double impulse = (wanted - parting) / (a.give + b.give);
    guard->pushed = true;
    push(guard, pair->a, &a, pair->normal, impulse);
    push(guard, pair->b, &b, pair->normal, -impulse);
}

void fluid_keep_apart(Fluid *fluid, const StepInfo *step, SolidWhen when) {
    enum { ROUNDS = 8 }; /* one pair's impulse may push a body at another */
    Guard guard = {fluid, step->dt, fluid->grid.spacing, when, false};
    for (int round = 0; round < ROUNDS; round++) {
        guard.pushed = false;
        for (size_t a = 0; a < fluid->colliders.list.count; a++)
            if (fluid_solves_for(fluid, a)) for_pairs(fluid, a, 2 * guard.least, separate, &guard);
        if (!guard.pushed) return;
    }
}

/* ---- a word about bodies that overlap at the start ---- */

static void warn_of_pair(void *user, const NearPair *pair) {
    const Fluid *fluid = user;
    const SolidView *view = &fluid->desc.bodies_view;
    if (!(pair->gap < 0)) return;
    size_t other =
        pair->b == NO_COLLIDER ? FLUID_OBSTACLES : fluid->colliders.list.data[pair->b].body;
    context_log(fluid->context, PLIM_LOG_WARNING,
                "rigid body '%s' and %s%s%s overlap; they are moved apart slowly",
                view->name(view->system, fluid->colliders.list.data[pair->a].body),
                other == FLUID_OBSTACLES ? "an obstacle or wall" : "'",
                other == FLUID_OBSTACLES ? "" : view->name(view->system, other),
                other == FLUID_OBSTACLES ? "" : "'");
}

void fluid_warn_of_overlaps(Fluid *fluid) {
    for (size_t a = 0; a < fluid->colliders.list.count; a++)
        if (fluid_solves_for(fluid, a)) for_pairs(fluid, a, 0, warn_of_pair, fluid);
}
