/* Push-out, overlaps out of positions level by level, a rising part of them at a time (000 section
 * 2.10, 002 section 4.6.1). Velocities and momenta stay. Gaps follow the shifts to first order, so
 * that surfaces are looked at once. */
#include "rigid/contact/push_out.h"

#include "rigid/contact/contact_stages.h"

#include <stdlib.h>

enum { PUSH_ROUNDS = 4, MOST_OUTERS = 64 };

/* Overlaps below this part of the size of the smaller body stay: pushing them would only make
 * contacts flicker. */
static const double tolerated_overlap = 1e-3;

/* The same in a heap, where a body touches many others. Shallow overlaps cannot all come out there
 * at once: what is pushed out of one neighbour is pushed into the next, comes back, and shakes what
 * lies around. Two thousand boxes crept on for ever at mm/s, and some fell off the heap. */
static const double tolerated_in_heap = 1e-2;
enum { TOUCHED_IN_HEAP = 4 };

/* The same of two thin shells, of the mean of their walls. Walls that lie in each other touch all
 * around, and what is pushed out at one place goes in at the next: twenty nested bowls rose, fell
 * back and turned by 1.5% of their width a second. Half of the wall is left before they could
 * cross. A quarter was too little for walls of 2 mm. */
static const double tolerated_in_wall = 0.5;

/* The part of an overlap that one step takes out. All of it at once heaves a deep pile up, and it
 * falls back into itself. */
static const double part_a_step = 0.1;

/* The same in a deep overlap, where a pair that is looked at stands for many. */
static const double part_in_deep_overlap = 0.5;

/* Of the size of a body alone on the ground: what it sinks in deeper comes out in the same step. */
static const double deepest_alone = 1.9e-3;

/* A pair that overlaps, seen from one of its bodies. */
typedef struct Overlap {
    int32_t level, body, pair;
} Overlap;

typedef struct PushOut {
    RigidBodies *bodies;
    Shift *shifts;    /* one a partner */
    int32_t *touched; /* one a partner: how many others that forces move it touches */
    const Overlap *overlaps;
} PushOut;

static int compare_overlaps(const void *x, const void *y) {
    const Overlap *a = x, *b = y;
    if (a->level != b->level) return a->level < b->level ? -1 : 1;
    if (a->body != b->body) return a->body < b->body ? -1 : 1;
    return (a->pair > b->pair) - (a->pair < b->pair);
}

static double shifted_gap(const PushOut *push, const ContactPair *pair, const ContactRow *row) {
    const Shift *a = &push->shifts[pair->a], *b = &push->shifts[pair->b];
    Vec3 moved = vec3_sub(vec3_add(a->move, vec3_cross(a->turn, row->arm_a)),
                          vec3_add(b->move, vec3_cross(b->turn, row->arm_b)));
    return row->gap + vec3_dot(row->normal, moved);
}

static const ContactRow *deepest_of(const PushOut *push, const ContactPair *pair, double *gap) {
    const ContactRow *rows = push->bodies->contacts.rows.data + pair->first, *deepest = rows;
    *gap = HUGE_VAL;
    for (int32_t k = 0; k < pair->rows; k++) {
        double here = shifted_gap(push, pair, &rows[k]);
        if (here >= *gap) continue;
        *gap = here;
        deepest = &rows[k];
    }
    return deepest;
}

/* Immovable: not moved by forces, held by a pin, asleep, or of a level that is done. */
static bool stays(const PushOut *push, int32_t body, int32_t level) {
    const RigidBodies *b = push->bodies;
    return !rigid_is_dynamic(b, (size_t)body) || (b->held[body] & RIGID_PINNED) ||
           b->asleep[body] || b->contacts.levels.data[body] < level;
}

/* Of a body that forces do not move, that of a heavy one: its limit is all that counts. */
static Mat3 response_at(const RigidBodies *b, int32_t body, Vec3 arm, double mass) {
    if (!rigid_is_dynamic(b, (size_t)body)) return mat3_scale(1.0 / mass, mat3_identity());
    const SolverBody *solver_body = &b->contacts.solver_bodies.data[body];
    SolverBody lone = {.center = solver_body->center,
                       .inverse_mass = 1.0 / b->mass[body],
                       .inverse_inertia = solver_body->inverse_inertia,
                       .moves = true};
    SolverBody ground = {0};
    ContactRow row = {.point = vec3_add(solver_body->center, arm), .normal = vec3(0, 1, 0)};
    row_prepare(&row, &lone, &ground);
    return row.response;
}

static void apply_shift(const PushOut *push, int32_t body, Vec3 move, Vec3 turn) {
    const RigidBodies *b = push->bodies;
    Shift *shift = &push->shifts[body];
    if (b->held[body] & RIGID_TURN_LOCKED) turn = vec3(0, 0, 0);
    if (b->options.plane) {
        move.z = 0.0;
        turn = vec3(0, 0, turn.z);
    }
    shift->move = vec3_add(shift->move, move);
    shift->turn = vec3_add(shift->turn, turn);
}

/* Pushes one body out of all those it overlaps, and them out of it. */
static void push_body(const PushOut *push, const Overlap *list, size_t count, double fraction) {
    RigidBodies *b = push->bodies;
    int32_t center = list->body, others[MOST_OUTERS];
    Vec3 arms[MOST_OUTERS];
    Outer outers[MOST_OUTERS];
    size_t used = 0;
    for (size_t k = 0; k < count && used < MOST_OUTERS; k++) {
        const ContactPair *pair = &b->contacts.pairs.data[list[k].pair];
        double gap;
        const ContactRow *row = deepest_of(push, pair, &gap);
        if (gap >= pair->push_to) continue;
        bool is_a = pair->a == center;
        int32_t other = is_a ? pair->b : pair->a;
        double depth = fraction * (pair->push_to - gap);
        others[used] = other;
        arms[used] = is_a ? row->arm_b : row->arm_a;
        outers[used] = (Outer){.arm = is_a ? row->arm_a : row->arm_b,
                               .wanted = vec3_scale(is_a ? depth : -depth, row->normal),
                               .response = response_at(b, other, arms[used], b->mass[center]),
                               .is_static = stays(push, other, list->level)};
        used++;
    }
    if (used == 0) return;
    Central central = {b->mass[center], rigid_world_inertia(b, (size_t)center)};
    if (b->held[center] & RIGID_TURN_LOCKED) central.inertia = mat3_scale(1e6, central.inertia);
    Shift shift = push_out_central(&central, outers, used);
    apply_shift(push, center, shift.move, shift.turn);
    for (size_t o = 0; o < used; o++) {
        if (outers[o].is_static) continue;
        Vec3 turn = mat3_apply(b->contacts.solver_bodies.data[others[o]].inverse_inertia,
                               vec3_cross(arms[o], outers[o].impulse));
        apply_shift(push, others[o], vec3_scale(1.0 / b->mass[others[o]], outers[o].impulse), turn);
    }
}

/* Level by level; within each, all bodies in turn, several times. */
static void push_levels(const PushOut *push, size_t count) {
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin; end < count && push->overlaps[end].level == push->overlaps[begin].level;)
            end++;
        for (int round = 1; round <= PUSH_ROUNDS; round++)
            for (size_t k = begin, next; k < end; k = next) {
                for (next = k; next < end && push->overlaps[next].body == push->overlaps[k].body;)
                    next++;
                push_body(push, push->overlaps + k, next - k, (double)round / PUSH_ROUNDS);
            }
    }
}

static void count_touched(const PushOut *push) {
    const RigidBodies *b = push->bodies;
    for (size_t i = 0; i < rigid_partner_count(b); i++) push->touched[i] = 0;
    for (size_t p = 0; p < b->contacts.pairs.count; p++) {
        const ContactPair *pair = &b->contacts.pairs.data[p];
        if (!rigid_is_dynamic(b, (size_t)pair->a) || !rigid_is_dynamic(b, (size_t)pair->b))
            continue;
        double gap;
        deepest_of(push, pair, &gap);
        if (!pair->found && !(gap < 0.0)) continue;
        push->touched[pair->a]++;
        push->touched[pair->b]++;
    }
}

static bool is_alone(const PushOut *push, int32_t body) {
    return rigid_is_dynamic(push->bodies, (size_t)body) && push->touched[body] == 0;
}

/* m, the mean of two thin walls; 0 where one of them has an inside. */
static double walls_of(const RigidBodies *b, const ContactPair *pair) {
    double one = rigid_wall(b, (size_t)pair->a), other = rigid_wall(b, (size_t)pair->b);
    return one > 0.0 && other > 0.0 ? 0.5 * (one + other) : 0.0;
}

/* m, the overlap that a pair may keep. */
static double tolerated_by(const PushOut *push, const ContactPair *pair) {
    bool in_heap =
        push->touched[pair->a] >= TOUCHED_IN_HEAP || push->touched[pair->b] >= TOUCHED_IN_HEAP;
    double of_size = (in_heap ? tolerated_in_heap : tolerated_overlap) * pair->size;
    return fmax(of_size, tolerated_in_wall * walls_of(push->bodies, pair));
}

/* The gap that this step aims at. Contact sees the motion of a step to first order, so that what
 * leans and turns, as a ring that wobbles on its edge, sinks in by the second order in every step.
 * A tenth a step would leave it ten times as deep. A body alone on the ground has nothing above it
 * to heave: from where that shows it gets back all that it sank in. Not where steps are not
 * limited: in one of them it may turn by radians, and what touches now says little about the way
 * back. */
static double wanted_gap(const PushOut *push, const ContactPair *pair, double gap) {
    bool alone = is_alone(push, pair->a) || is_alone(push, pair->b);
    bool at_once = alone && push->bodies->options.travel > 0.0;
    double part = pair->overlaps_deeply ? part_in_deep_overlap : part_a_step;
    double kept = fmin(pair->gap_before, -deepest_alone * pair->size);
    double left = at_once ? fmax(gap, kept) : gap;
    return fmin(-0.5 * tolerated_by(push, pair), (1.0 - part) * left);
}

/* Each overlapping pair once for each of its bodies that may be pushed against the other. */
static size_t list_overlaps(const PushOut *push, Overlap *list) {
    RigidContacts *contacts = &push->bodies->contacts;
    size_t count = 0;
    for (size_t p = 0; p < contacts->pairs.count; p++) {
        ContactPair *pair = &contacts->pairs.data[p];
        double gap;
        deepest_of(push, pair, &gap);
        if (gap > -tolerated_by(push, pair)) continue;
        pair->push_to = wanted_gap(push, pair, gap);
        for (int side = 0; side < 2; side++) {
            int32_t body = side ? pair->b : pair->a, other = side ? pair->a : pair->b;
            int32_t level = contacts->levels.data[body];
            if (stays(push, body, level) || contacts->levels.data[other] > level) continue;
            list[count++] = (Overlap){level, body, (int32_t)p};
        }
    }
    if (count > 1) qsort(list, count, sizeof *list, compare_overlaps);
    return count;
}

static void move_bodies(const PushOut *push, const StepInfo *step) {
    RigidBodies *b = push->bodies;
    for (size_t i = 0; i < rigid_count(b); i++) {
        Vec3 move = push->shifts[i].move, turn = push->shifts[i].turn;
        if (vec3_dot(move, move) + vec3_dot(turn, turn) == 0.0) continue;
        Vec3 x = vec3_load(b->position + 3 * i);
        double kinetic = rigid_kinetic_energy(b, i); /* of the same momentum, turned otherwise */
        vec3_store(b->position + 3 * i, vec3_add(x, move));
        Quat q = quat_multiply(quat_exp(turn), quat_load(b->orientation + 4 * i));
        quat_store(b->orientation + 4 * i, quat_normalize(q));
        b->contacts.figures.push_out_energy -= b->mass[i] * vec3_dot(step->gravity, move);
        b->contacts.figures.push_out_energy += rigid_kinetic_energy(b, i) - kinetic;
    }
    double deepest = 0.0;
    for (size_t p = 0; p < b->contacts.pairs.count; p++) {
        const ContactPair *pair = &b->contacts.pairs.data[p];
        for (int32_t k = 0; k < pair->rows; k++) {
            ContactRow *row = &b->contacts.rows.data[pair->first + k];
            row->gap = shifted_gap(push, pair, row);
            deepest = fmax(deepest, -row->gap);
        }
    }
    b->contacts.figures.penetration = deepest;
}

PlimStatus contacts_push_out(RigidBodies *bodies, const StepInfo *step) {
    size_t mark = scratch_mark(step->scratch), pairs = bodies->contacts.pairs.count;
    size_t partners = rigid_partner_count(bodies);
    Shift *shifts = scratch_take(step->scratch, partners, sizeof *shifts);
    Overlap *overlaps = scratch_take(step->scratch, 2 * pairs, sizeof *overlaps);
    int32_t *touched = scratch_take(step->scratch, partners, sizeof *touched);
    if (!shifts || !overlaps || !touched) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < partners; i++) shifts[i] = (Shift){{0, 0, 0}, {0, 0, 0}};
    PushOut push = {bodies, shifts, touched, overlaps};
    count_touched(&push);
    if (bodies->options.push_out) push_levels(&push, list_overlaps(&push, overlaps));
    move_bodies(&push, step);
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}
