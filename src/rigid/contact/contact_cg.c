/* Conjugate gradients for contact (000 section 2.8). Sweeps pass a load on from point to point;
 * where it goes through many, as in an arch, or where a thin foot carries a long card, they take
 * thousands. Conjugate gradients on the points that are held at present take no more iterations
 * than the bodies have motions (sweeps and subspace in turn: Silcowitz-Hansen, Niebe and Erleben
 * 2010). */
#include "rigid/contact/contact_solve.h"

enum { MOST_ITERATIONS = 200, PATIENCE = 3 };

/* What is a thousand times heavier on lighter is solved for to the end: it needs three times the
 * directions that bodies have motions, for rounding, and up to nine refinements. */

typedef struct ContactCg {
    const ContactSolve *solve;
    const ContactIsland *island;
    CgPoint *points; /* those of the island that are held */
    size_t count;
    double value; /* of what the visits add up */
} ContactCg;

static ContactCg begin(const ContactSolve *solve, const ContactIsland *island) {
    return (ContactCg){
        .solve = solve, .island = island, .points = solve->points + island->first_row};
}

typedef void (*RowVisit)(ContactCg *cg, const ContactPair *pair, ContactRow *row, SolverBody *a,
                         SolverBody *b);

static double for_each_row(ContactCg *cg, RowVisit visit, double value) {
    RigidContacts *contacts = cg->solve->contacts;
    cg->value = value;
    for (size_t k = 0; k < cg->island->pairs; k++) {
        int32_t p = contacts->island_pairs.data[cg->island->first + k];
        const ContactPair *pair = &contacts->pairs.data[p];
        SolverBody *a = &contacts->solver_bodies.data[pair->a],
                   *b = &contacts->solver_bodies.data[pair->b];
        for (int32_t r = 0; r < pair->rows; r++)
            visit(cg, pair, &contacts->rows.data[pair->first + r], a, b);
    }
    return cg->value;
}

static bool approaches(const ContactCg *cg, ContactRow *row, Vec3 velocity) {
    double along = vec3_dot(velocity, row->normal);
    return along < contact_least_velocity(cg->solve, row) - cg->solve->rest &&
           contact_is_active(cg->solve, row, along);
}

/* The guess to begin with: whatever presses or approaches sticks. */
static void guess_hold(ContactCg *cg, const ContactPair *pair, ContactRow *row, SolverBody *a,
                       SolverBody *b) {
    double pressed = vec3_dot(row->impulse, row->normal);
    bool holds = pressed > 0.0 || approaches(cg, row, row_velocity(row, a, b));
    row->hold = !holds                                     ? HOLD_OPEN
                : row->singular || !(pair->friction > 0.0) ? HOLD_SLIDING
                                                           : HOLD_STICKING;
}

/* As the last sweep left it. */
static void keep_hold(ContactCg *cg, const ContactPair *pair, ContactRow *row, SolverBody *a,
                      SolverBody *b) {
    (void)cg, (void)a, (void)b;
    double pressed = vec3_dot(row->impulse, row->normal);
    Vec3 across = vec3_add_scaled(row->impulse, -pressed, row->normal);
    double limit = (1.0 - 1e-9) * pair->friction * pressed;
    row->hold = !(pressed > 0.0)                                ? HOLD_OPEN
                : !row->singular && vec3_length(across) < limit ? HOLD_STICKING
                                                                : HOLD_SLIDING;
}

/* Points that are held in a way that they cannot be change sides: those that pull let go, those
 * outside the friction cone slide, those that approach are held, and a sliding point whose friction
 * would drive it, or is less than its pressure allows, sticks. Counts those that changed. */
static void change_hold(ContactCg *cg, const ContactPair *pair, ContactRow *row, SolverBody *a,
                        SolverBody *b) {
    RowHold before = row->hold;
    Vec3 velocity = row_velocity(row, a, b), n = row->normal, allowed = row->impulse;
    double pressed = vec3_dot(row->impulse, n);
    Vec3 across = vec3_add_scaled(row->impulse, -pressed, n);
    double length = vec3_length(across), limit = pair->friction * fmax(pressed, 0.0);
    bool can_stick = !row->singular && pair->friction > 0.0;
    if (row->hold == HOLD_OPEN) {
        if (approaches(cg, row, velocity)) row->hold = can_stick ? HOLD_STICKING : HOLD_SLIDING;
    } else if (!(pressed >= 0.0)) {
        row->hold = HOLD_OPEN;
        allowed = vec3(0, 0, 0);
    } else if (length > limit) {
        row->hold = HOLD_SLIDING;
        allowed = vec3_add_scaled(vec3_scale(limit / length, across), pressed, n);
    } else if (row->hold == HOLD_SLIDING && can_stick) {
        if (vec3_dot(across, velocity) > 0.0 || length < (1.0 - 1e-6) * limit)
            row->hold = HOLD_STICKING;
    }
    Vec3 change = vec3_sub(allowed, row->impulse);
    if (vec3_dot(change, change) > 0.0) row_apply(row, a, b, change);
    row->impulse = allowed;
    cg->value += row->hold != before;
}

/* ---- the points that are held ---- */

static inline Vec3 held_part(const CgPoint *point, Vec3 a) {
    return point->sticks ? a : vec3_scale(vec3_dot(a, point->normal), point->normal);
}

static inline Vec3 precondition(const CgPoint *point) {
    if (point->sticks) return mat3_apply(point->inverse, point->residual);
    return vec3_scale(1.0 / point->normal_response, point->residual);
}

/* The velocity that is missing at a point. */
static Vec3 missing_velocity(const ContactCg *cg, const ContactRow *row, const SolverBody *a,
                             const SolverBody *b) {
    Vec3 wanted = vec3_scale(contact_least_velocity(cg->solve, row), row->normal);
    return vec3_sub(wanted, row_velocity(row, a, b));
}

static void gather_point(ContactCg *cg, const ContactPair *pair, ContactRow *row, SolverBody *a,
                         SolverBody *b) {
    (void)pair;
    if (row->hold == HOLD_OPEN) return;
    CgPoint *point = &cg->points[cg->count++];
    *point = (CgPoint){.row = row,
                       .a = a,
                       .b = b,
                       .arm_a = row->arm_a,
                       .arm_b = row->arm_b,
                       .normal = row->normal,
                       .response = row->response,
                       .inverse = row->inverse,
                       .normal_response = row->normal_response,
                       .sticks = row->hold == HOLD_STICKING,
                       .step = {0, 0, 0}};
    point->residual = held_part(point, missing_velocity(cg, row, a, b));
    point->direction = precondition(point);
    cg->value += vec3_dot(point->residual, point->direction);
}

static void clear_push(SolverBody *body) {
    if (body->moves) body->push = body->twist = vec3(0, 0, 0);
}

static void clear_pushes(ContactCg *cg, const ContactPair *pair, ContactRow *row, SolverBody *a,
                         SolverBody *b) {
    (void)cg, (void)pair, (void)row;
    clear_push(a);
    clear_push(b);
}

static void push_body(SolverBody *body, Vec3 arm, double sign, Vec3 impulse) {
    if (!body->moves) return;
    Vec3 push = vec3_scale(sign, impulse), moment = vec3_cross(arm, push);
    if (!body->figure) {
        solver_body_respond(body, push, moment, offsetof(SolverBody, push));
        return;
    }
    body->given[0] = body->is_given ? vec3_add(body->given[0], push) : push;
    body->given[1] = body->is_given ? vec3_add(body->given[1], moment) : moment;
    body->is_given = true;
}

/* What all points gave to a body of a figure, over the figure. */
static void spread_given(SolverBody *body) {
    if (!body->is_given) return;
    figure_respond(body, body->given[0], body->given[1], offsetof(SolverBody, push));
    body->is_given = false;
}

/* Velocities that an impulse along the directions makes, in push and twist of the bodies. */
static void push_along(ContactCg *cg) {
    bool any_given = false;
    for (size_t i = 0; i < cg->count; i++) {
        clear_push(cg->points[i].a);
        clear_push(cg->points[i].b);
    }
    for (size_t i = 0; i < cg->count; i++) {
        const CgPoint *point = &cg->points[i];
        push_body(point->a, point->arm_a, 1.0, point->direction);
        push_body(point->b, point->arm_b, -1.0, point->direction);
        any_given |= point->a->is_given || point->b->is_given;
    }
    for (size_t i = 0; any_given && i < cg->count; i++) {
        spread_given(cg->points[i].a);
        spread_given(cg->points[i].b);
    }
}

/* The change of velocity at each point; a little of its own response is added, so that points that
 * say the same thing, and not quite the same, do not pull against each other without end. Returns
 * the product with the direction. */
static double find_answers(ContactCg *cg) {
    const double yielding = 1e-6;
    double curvature = 0.0;
    for (size_t i = 0; i < cg->count; i++) {
        CgPoint *point = &cg->points[i];
        const SolverBody *a = point->a, *b = point->b;
        Vec3 own = mat3_apply(point->response, point->direction);
        Vec3 push = vec3_sub(vec3_add(a->push, vec3_cross(a->twist, point->arm_a)),
                             vec3_add(b->push, vec3_cross(b->twist, point->arm_b)));
        point->answer = held_part(point, vec3_add_scaled(push, yielding, own));
        curvature += vec3_dot(point->direction, point->answer);
    }
    return curvature;
}

/* Goes a way along the directions; returns the greatest residual, m/s, and its norm. */
static double take_step(ContactCg *cg, double way, double *norm) {
    double worst = 0.0, sum = 0.0;
    for (size_t i = 0; i < cg->count; i++) {
        CgPoint *point = &cg->points[i];
        point->step = vec3_add_scaled(point->step, way, point->direction);
        point->residual = vec3_add_scaled(point->residual, -way, point->answer);
        point->preconditioned = precondition(point);
        sum += vec3_dot(point->residual, point->preconditioned);
        double left = vec3_length(point->residual);
        if (left > worst) worst = left;
    }
    *norm = sum;
    return worst;
}

static void turn_directions(ContactCg *cg, double part) {
    for (size_t i = 0; i < cg->count; i++) {
        CgPoint *point = &cg->points[i];
        point->direction = vec3_add_scaled(point->preconditioned, part, point->direction);
    }
}

static void apply_steps(ContactCg *cg) {
    for (size_t i = 0; i < cg->count; i++) {
        const CgPoint *point = &cg->points[i];
        row_apply(point->row, point->a, point->b, point->step);
        point->row->impulse = vec3_add(point->row->impulse, point->step);
    }
}

static void find_steps(ContactCg *cg) {
    cg->count = 0;
    double norm = for_each_row(cg, gather_point, 0.0);
    if (norm > 0.0) for_each_row(cg, clear_pushes, 0.0);
    /* No more directions than the bodies have motions; an island of n pairs has at most n + 1. */
    size_t most = 6 * (cg->island->pairs + 1) + 6;
    if (cg->island->is_uneven) most *= 3;
    if (most > MOST_ITERATIONS) most = MOST_ITERATIONS;
    for (size_t i = 0; i < most && norm > 0.0; i++) {
        push_along(cg);
        double curvature = find_answers(cg), last = norm;
        if (!(curvature > 0.0)) break;
        if (take_step(cg, norm / curvature, &norm) <= 0.1 * cg->solve->rest) break;
        turn_directions(cg, norm / last);
    }
}

/* What is left at the points that are held, m/s. */
static double true_residual(const ContactCg *cg) {
    double worst = 0.0;
    for (size_t i = 0; i < cg->count; i++) {
        const CgPoint *point = &cg->points[i];
        Vec3 left = held_part(point, missing_velocity(cg, point->row, point->a, point->b));
        double length = vec3_length(left);
        if (length > worst) worst = length;
    }
    return worst;
}

/* Points that yield a little hold a heavy body on a light one too softly: again with what is left,
 * which is the proximal point method and ends at points that do not yield. */
static void solve_held(ContactCg *cg) {
    enum { MOST_REFINEMENTS = 3, MOST_OF_UNEVEN = 12 };
    double last = HUGE_VAL;
    int most = cg->island->is_uneven ? MOST_OF_UNEVEN : MOST_REFINEMENTS;
    for (int i = 0; i < most; i++) {
        find_steps(cg);
        apply_steps(cg);
        double left = true_residual(cg);
        if (left <= cg->solve->rest || !(left < 0.5 * last)) break;
        last = left;
    }
}

bool contacts_guess_cg(const ContactSolve *solve, const ContactIsland *island, size_t rounds) {
    ContactCg cg = begin(solve, island);
    double fewest = HUGE_VAL;
    for_each_row(&cg, guess_hold, 0.0);
    for (size_t round = 0, tried = 0; round < rounds && tried < PATIENCE; round++, tried++) {
        solve_held(&cg);
        double changes = for_each_row(&cg, change_hold, 0.0);
        if (changes == 0.0) return true;
        if (changes < fewest) tried = 0; /* else it may go round in circles */
        fewest = fmin(fewest, changes);
    }
    return false;
}

void contacts_solve_cg(const ContactSolve *solve, const ContactIsland *island) {
    ContactCg cg = begin(solve, island);
    for_each_row(&cg, keep_hold, 0.0);
    solve_held(&cg);
}

/* A body that moves, and with it all of its figure. */
static void for_each_moved(SolverBody *body, void (*visit)(SolverBody *body)) {
    if (!body->moves) return;
    if (!body->figure) {
        visit(body);
        return;
    }
    for (size_t i = 0; i < body->figure->count; i++)
        visit(&body->figure->solver_bodies[body->figure->body[i]]);
}

static void save_body(SolverBody *body) {
    body->saved[0] = body->velocity;
    body->saved[1] = body->spin;
}

static void restore_body(SolverBody *body) {
    body->velocity = body->saved[0];
    body->spin = body->saved[1];
}

static void clear_body(SolverBody *body) {
    body->velocity = body->start[0];
    body->spin = body->start[1];
}

static void save_row(ContactCg *cg, const ContactPair *pair, ContactRow *row, SolverBody *a,
                     SolverBody *b) {
    (void)cg, (void)pair;
    row->saved[0] = row->impulse;
    row->saved[1] = row->couple;
    for_each_moved(a, save_body);
    for_each_moved(b, save_body);
}

static void restore_row(ContactCg *cg, const ContactPair *pair, ContactRow *row, SolverBody *a,
                        SolverBody *b) {
    (void)cg, (void)pair;
    row->impulse = row->saved[0];
    row->couple = row->saved[1];
    for_each_moved(a, restore_body);
    for_each_moved(b, restore_body);
}

void contacts_save(const ContactSolve *solve, const ContactIsland *island) {
    ContactCg cg = begin(solve, island);
    for_each_row(&cg, save_row, 0.0);
}

void contacts_restore(const ContactSolve *solve, const ContactIsland *island) {
    ContactCg cg = begin(solve, island);
    for_each_row(&cg, restore_row, 0.0);
}

static void clear_row(ContactCg *cg, const ContactPair *pair, ContactRow *row, SolverBody *a,
                      SolverBody *b) {
    (void)cg, (void)pair;
    row->impulse = row->couple = vec3(0, 0, 0);
    for_each_moved(a, clear_body);
    for_each_moved(b, clear_body);
}

void contacts_clear(const ContactSolve *solve, const ContactIsland *island) {
    ContactCg cg = begin(solve, island);
    for_each_row(&cg, clear_row, 0.0);
}
