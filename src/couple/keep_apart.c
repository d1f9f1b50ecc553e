/* Body separation guard: bodies in the coupled solve are kept a cell apart from one another, from
 * obstacles and from walls, so that there is fluid between them for the solve to see: a plain
 * guard, without friction or bounce, until contact takes its place.
 *
 * A body that its own momentum presses against something that does not give way is solved for
 * without the motion towards it (couple_blocked). After a solve bodies that come nearer than the
 * gap allows lose that part of their velocity, by an inelastic impulse at their nearest points.
 * Neither raises kinetic energy, but for bodies that overlap already: those move apart by a tenth
 * of what they lack in a step. */
#include "couple/internal.h"

#include "grid/difference.h"
#include "grid/periodic.h"

/* A pair that is near: a free body and another, or something that does not give way. */
typedef struct NearPair {
    size_t a, b;       /* surfaces; b may be NO_SURFACE: a side */
    Vec3 normal;       /* from b to a */
    double gap;        /* m */
    Vec3 arm_a, arm_b; /* from the centres to the nearest points */
} NearPair;

#define NO_SURFACE SIZE_MAX

/* ---- nearest points ---- */

static double distance_to(const void *collider, Vec3 x) {
    return collider_distance(collider, x);
}

static Vec3 outward(const Grid *grid, const Collider *collider, Vec3 x) {
    Vec3 normal = central_differences(distance_to, collider, x, 1e-3 * grid->spacing, grid->dim);
    double length = vec3_length(normal);
    return length > 0 ? vec3_scale(1 / length, normal) : vec3(0, 1, 0);
}

/* The point of the surface nearest to x, about. */
static Vec3 onto(const Grid *grid, const Collider *collider, Vec3 x) {
    return vec3_add_scaled(x, -collider_distance(collider, x), outward(grid, collider, x));
}

/* Nearest points by going back and forth between the surfaces: exact for convex bodies. */
static bool find_gap(const Grid *grid, const Collider *a, const Collider *b, NearPair *pair) {
    enum { ROUNDS = 12 };
    Vec3 x = onto(grid, a, grid_in_plane(grid, b->position)), y = x;
    for (int round = 0; round < ROUNDS; round++) {
        y = onto(grid, b, x);
        x = onto(grid, a, y);
    }
    double depth = collider_distance(b, x);
    pair->gap = depth < 0 ? depth : vec3_length(vec3_sub(x, y));
    pair->normal = outward(grid, b, x);
    pair->arm_a = vec3_sub(x, grid_in_plane(grid, a->position));
    pair->arm_b = vec3_sub(y, grid_in_plane(grid, b->position));
    return isfinite(pair->gap);
}

/* The pair of a body and a wall or an inflow, if it is near. */
static bool find_side(const FlowOffer *offer, size_t a, int axis, int end, double reach,
                      NearPair *pair) {
    const Grid *grid = offer->problem.grid;
    SideKind kind = grid->sides[axis][end];
    const Collider *own = &offer->surfaces[a].now;
    double plane = vec3_component(grid->origin, axis) + (end ? grid->n[axis] * grid->spacing : 0);
    double sign = end ? -1 : 1, height = sign * (vec3_component(own->position, axis) - plane);
    double extent = collider_reach(own, grid->dim);
    if ((kind != SIDE_WALL && kind != SIDE_INFLOW) || height > extent + reach) return false;
    /* From far below the plane the nearest point of a convex body is the lowest. */
    Vec3 normal = vec3_scale(sign, vec3_axis(axis));
    Vec3 center = grid_in_plane(grid, own->position);
    Vec3 lowest = onto(grid, own, vec3_add_scaled(center, -1e3 * extent, normal));
    *pair = (NearPair){.a = a, .b = NO_SURFACE, .normal = normal};
    pair->gap = sign * (vec3_component(lowest, axis) - plane);
    pair->arm_a = vec3_sub(lowest, center);
    return isfinite(pair->gap);
}

static bool find_bodies(const FlowOffer *offer, size_t a, size_t b, int image, double reach,
                        NearPair *pair) {
    const Grid *grid = offer->problem.grid;
    Collider other = offer->surfaces[b].now;
    const Collider *own = &offer->surfaces[a].now;
    other.position = vec3_add(other.position, grid_image_offset(grid, image));
    double apart = vec3_length(grid_in_plane(grid, vec3_sub(own->position, other.position)));
    if (apart > collider_reach(own, grid->dim) + collider_reach(&other, grid->dim) + reach)
        return false;
    *pair = (NearPair){.a = a, .b = b};
    return find_gap(grid, own, &other, pair);
}

/* Calls `visit` for all near pairs of a free body with others; each pair of free bodies once. */
typedef void (*PairVisit)(void *user, const NearPair *pair);
static void for_pairs(const FlowOffer *offer, size_t a, double reach, PairVisit visit, void *user) {
    NearPair pair;
    const Grid *grid = offer->problem.grid;
    int images = grid_image_count(grid);
    for (size_t b = 0; b < offer->surface_count; b++) {
        if (b == a || (b < a && offer->surfaces[b].is_solved_for)) continue;
        for (int image = 0; image < images; image++)
            if (find_bodies(offer, a, b, image, reach, &pair)) visit(user, &pair);
    }
    for (int axis = 0; axis < grid->dim; axis++)
        for (int end = 0; end < 2; end++)
            if (find_side(offer, a, axis, end, reach, &pair)) visit(user, &pair);
}

/* ---- what stands in the way of a body ---- */

typedef struct BlockedJob {
    const FlowOffer *offer;
    Vec3 momentum;
    Vec3 *normals;
    int count;
} BlockedJob;

static void add_blocked(void *user, const NearPair *pair) {
    BlockedJob *job = user;
    bool gives = pair->b != NO_SURFACE && job->offer->surfaces[pair->b].is_solved_for;
    /* Where contact holds bodies they touch; elsewhere they are kept a cell apart. */
    double touch = job->offer->has_contact ? 0.05 : 1 + 1e-6;
    bool near = pair->gap <= touch * job->offer->problem.grid->spacing;
    if (gives || !near || job->count == 3) return;
    if (vec3_dot(job->momentum, pair->normal) < 0) job->normals[job->count++] = pair->normal;
}

int couple_blocked(const FlowOffer *offer, size_t surface, Vec3 momentum, Vec3 normals[3]) {
    BlockedJob job = {offer, momentum, normals, 0};
    for_pairs(offer, surface, 2 * offer->problem.grid->spacing, add_blocked, &job);
    return job.count;
}

/* ---- what rows hold a body ---- */

typedef struct HoldJob {
    const Gathered *gathered;
    size_t block;
    int points, turns;
} HoldJob;

static void add_hold(void *user, const GatheredRow *row) {
    HoldJob *job = user;
    bool moves = false;
    for (size_t e = 0; e < row->count; e++) {
        size_t column = row->offset + (size_t)row->column[e];
        if (job->gathered->block_of.data[column] != job->block) return;
        moves = moves ||
                (column - job->gathered->blocks.data[job->block].first < 3 && row->value[e] != 0);
    }
    job->points += moves;
    job->turns += !moves;
}

BlockHold couple_block_hold(const Gathered *gathered, size_t block) {
    HoldJob job = {.gathered = gathered, .block = block};
    if (gathered->blocks.data[block].is_rowed) gathered_rows(gathered, ROWS_HELD, add_hold, &job);
    return (BlockHold){.is_pinned = job.points > 0, .is_turn_locked = job.turns == 3};
}

/* ---- response ---- */

typedef struct Guard {
    const FlowAssembly *assembly;
    Gathered *gathered;
    double dt, least; /* s; m, the gap that is kept */
    SolveWhen when;
    bool pushed; /* some pair was */
} Guard;

/* One side of a pair: how it moves at the point, and what an impulse of 1 N s along the normal
 * does there; `give` is 0 for what does not give way. */
typedef struct Partner {
    double *motion;      /* its six velocities */
    double mass;         /* kg */
    Vec3 velocity, turn; /* m/s at the point; rad/s for 1 N s */
    double give;         /* m/s for 1 N s */
} Partner;

static Vec3 velocity_at(const double motion[6], Vec3 arm) {
    return vec3_add(vec3_load(motion), vec3_cross(vec3_load(motion + 3), arm));
}

static Mat3 inertia_of(const MassBlock *mass) {
    double inertia[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) inertia[3 * i + j] = mass->mass[3 + i][3 + j];
    return mat3_load(inertia);
}

static Partner partner_of(const Guard *guard, size_t i, Vec3 arm, Vec3 normal) {
    Partner partner = {.give = 0};
    if (i == NO_SURFACE) return partner;
    const Collider *now = &guard->assembly->offer->surfaces[i].now;
    size_t block = guard->assembly->source.data[i];
    if (block == NO_BLOCK) {
        partner.velocity = vec3_add(now->velocity, vec3_cross(now->angular_velocity, arm));
        return partner;
    }
    const MassBlock *mass = gathered_mass(guard->gathered, block);
    BlockHold hold = couple_block_hold(guard->gathered, block);
    partner.motion = guard->gathered->velocity.data + guard->gathered->blocks.data[block].first;
    partner.velocity = velocity_at(partner.motion, arm);
    partner.mass = mass->mass[0][0];
    if (hold.is_pinned) return partner;
    partner.give = 1 / partner.mass;
    if (hold.is_turn_locked) return partner;
    partner.turn = mat3_apply(mat3_inverse(inertia_of(mass)), vec3_cross(arm, normal));
    partner.give += vec3_dot(vec3_cross(partner.turn, arm), normal);
    return partner;
}

static void push(const Partner *partner, Vec3 normal, double impulse) {
    if (!(partner->give > 0)) return;
    double *motion = partner->motion;
    vec3_store(motion, vec3_add_scaled(vec3_load(motion), impulse / partner->mass, normal));
    vec3_store(motion + 3, vec3_add_scaled(vec3_load(motion + 3), impulse, partner->turn));
}

/* Makes the two come no nearer than they may in dt. */
static void separate(void *user, const NearPair *pair) {
    Guard *guard = user;
    Partner a = partner_of(guard, pair->a, pair->arm_a, pair->normal);
    Partner b = partner_of(guard, pair->b, pair->arm_b, pair->normal);
    double parting = vec3_dot(vec3_sub(a.velocity, b.velocity), pair->normal);
    double missing = guard->least - pair->gap, wanted = missing > 0 ? 0 : missing / guard->dt;
    if (guard->when == SOLVE_HALF_STEP && pair->gap < 0) wanted = 0.1 * missing / guard->dt;
    if (!(parting < wanted) || !(a.give + b.give > 0)) return;
    double impulse = (wanted - parting) / (a.give + b.give);
    guard->pushed = true;
    push(&a, pair->normal, impulse);
    push(&b, pair->normal, -impulse);
}

void couple_keep_apart(const FlowAssembly *assembly, Gathered *gathered, double dt,
                       SolveWhen when) {
    enum { ROUNDS = 8 }; /* one pair's impulse may push a body at another */
    const FlowOffer *offer = assembly->offer;
    Guard guard = {assembly, gathered, dt, offer->problem.grid->spacing, when, false};
    for (int round = 0; round < ROUNDS; round++) {
        guard.pushed = false;
        for (size_t a = 0; a < offer->surface_count; a++)
            if (assembly->source.data[a] != NO_BLOCK)
                for_pairs(offer, a, 2 * guard.least, separate, &guard);
        if (!guard.pushed) return;
    }
}

/* ---- a word about bodies that overlap at the start ---- */

static void warn_of_pair(void *user, const NearPair *pair) {
    const FlowOffer *offer = user;
    if (!(pair->gap < -1e-6 * offer->problem.grid->spacing)) return; /* who touches does not */
    const SurfaceRef *other = pair->b == NO_SURFACE ? NULL : &offer->surfaces[pair->b].ref;
    bool is_named = other && other->class;
    context_log(offer->step.context, PLIM_LOG_WARNING,
                "rigid body '%s' and %s%s%s overlap; they are moved apart slowly",
                surface_describe(&offer->surfaces[pair->a].ref).name,
                is_named ? "'" : "an obstacle or wall",
                is_named ? surface_describe(other).name : "", is_named ? "'" : "");
}

void couple_warn_of_overlaps(FlowOffer *offer) {
    for (size_t a = 0; a < offer->surface_count; a++)
        if (offer->surfaces[a].is_solved_for) for_pairs(offer, a, 0, warn_of_pair, offer);
}
