/* Load sharing of points that slide: of all normal impulses that do the same to the bodies the
 * least ones, in squares.
 *
 * A plank on four points has one way to load them that nobody feels: more on two opposite corners,
 * less on the others. How much of it is there is up to the order of sweeps and to the guesses of
 * who sticks. But sliding friction goes with the load: it turned a plank on rollers until it fell
 * off. Conjugate gradients from zero find the least solution y of K y = K x, as the pseudo-inverse
 * does. Where nothing slides nothing changes. */
#include "rigid/contact/contact_solve.h"

/* Points of an island that is looked at, and rounds: four bodies have as many motions. */
enum { MOST_POINTS = 16, MOST_ROUNDS = 24 };

/* Of the velocities: sweeps do the rest. Heavy bodies that give way by less than this count as
 * immovable, else there would be no freedom left. */
static const double accuracy = 1e-6;

/* Of the speed at which sweeps end: a point that is slower stands still, as far as they can tell.
 */
static const double standing = 1e3;

/* Vectors of one number a row, along its normal: contact_cg.c comes later and has its own. */
typedef void (*RowVisit)(ContactRow *row, SolverBody *a, SolverBody *b, double *sum);

static double for_each_loaded(const ContactSolve *solve, const ContactIsland *island,
                              RowVisit visit, double sum) {
    RigidContacts *contacts = solve->contacts;
    for (size_t k = island->first; k < island->first + island->pairs; k++) {
        const ContactPair *pair = &contacts->pairs.data[contacts->island_pairs.data[k]];
        for (int32_t r = 0; r < pair->rows; r++) {
            ContactRow *row = &contacts->rows.data[pair->first + r];
            if (vec3_dot(row->impulse, row->normal) > 0.0)
                visit(row, &contacts->solver_bodies.data[pair->a],
                      &contacts->solver_bodies.data[pair->b], &sum);
        }
    }
    return sum;
}

static void count(ContactRow *row, SolverBody *a, SolverBody *b, double *sum) {
    (void)row, (void)a, (void)b;
    *sum += 1.0;
}

/* x in `direction`. */
static void begin(ContactRow *row, SolverBody *a, SolverBody *b, double *sum) {
    (void)a, (void)b, (void)sum;
    row->direction = vec3_scale(vec3_dot(row->impulse, row->normal), row->normal);
    row->saved[0] = vec3(0, 0, 0);
}

static void set_still(ContactRow *row, SolverBody *a, SolverBody *b, double *sum) {
    (void)row, (void)sum;
    a->saved[0] = a->saved[1] = b->saved[0] = b->saved[1] = vec3(0, 0, 0);
}

static void push(SolverBody *body, Vec3 arm, double sign, Vec3 impulse) {
    if (!body->moves) return;
    Vec3 given = vec3_scale(sign, impulse);
    solver_body_respond(body, given, vec3_cross(arm, given), offsetof(SolverBody, saved));
}

static void spread(ContactRow *row, SolverBody *a, SolverBody *b, double *sum) {
    (void)sum;
    push(a, row->arm_a, 1.0, row->direction);
    push(b, row->arm_b, -1.0, row->direction);
}

static Vec3 pushed_at(const SolverBody *body, Vec3 arm) {
    return vec3_add(body->saved[0], vec3_cross(body->saved[1], arm));
}

/* K times `direction` into `step`; adds up their product. */
static void gather(ContactRow *row, SolverBody *a, SolverBody *b, double *sum) {
    Vec3 velocity = vec3_sub(pushed_at(a, row->arm_a), pushed_at(b, row->arm_b));
    row->step = vec3_scale(vec3_dot(velocity, row->normal), row->normal);
    *sum += vec3_dot(row->step, row->direction);
}

static double respond(const ContactSolve *solve, const ContactIsland *island) {
    for_each_loaded(solve, island, set_still, 0.0);
    for_each_loaded(solve, island, spread, 0.0);
    return for_each_loaded(solve, island, gather, 0.0);
}

static void start(ContactRow *row, SolverBody *a, SolverBody *b, double *sum) {
    (void)a, (void)b;
    row->residual = row->direction = row->step;
    *sum += vec3_dot(row->residual, row->residual);
}

static void advance(ContactRow *row, SolverBody *a, SolverBody *b, double *sum) {
    (void)a, (void)b;
    row->saved[0] = vec3_add_scaled(row->saved[0], *sum, row->direction);
    row->residual = vec3_add_scaled(row->residual, -*sum, row->step);
}

static void square(ContactRow *row, SolverBody *a, SolverBody *b, double *sum) {
    (void)a, (void)b;
    *sum += vec3_dot(row->residual, row->residual);
}

static void turn_direction(ContactRow *row, SolverBody *a, SolverBody *b, double *sum) {
    (void)a, (void)b;
    row->direction = vec3_add_scaled(row->residual, *sum, row->direction);
}

/* The share that pulls most, below 0. */
static void find_pull(ContactRow *row, SolverBody *a, SolverBody *b, double *sum) {
    (void)a, (void)b;
    *sum = fmin(*sum, vec3_dot(row->saved[0], row->normal));
}

/* Friction that is at its limit goes with the load; what sticks stays. */
static void take(ContactRow *row, SolverBody *a, SolverBody *b, double *sum) {
    (void)sum;
    double before = vec3_dot(row->impulse, row->normal);
    double now = vec3_dot(row->saved[0], row->normal);
    Vec3 change = vec3_scale(now - before, row->normal);
    if (row->hold == HOLD_SLIDING) change = vec3_scale(now / before - 1.0, row->impulse);
    row_apply(row, a, b, change);
    row->impulse = vec3_add(row->impulse, change);
}

/* Which points are at the limit of their friction; true when one of them moves. Sweeps leave points
 * at their limit that stand still beside others that hold: nothing slides there, and another load
 * would set it sliding. */
static bool find_sliding(const ContactSolve *solve, const ContactIsland *island) {
    RigidContacts *contacts = solve->contacts;
    bool any = false;
    for (size_t k = island->first; k < island->first + island->pairs; k++) {
        const ContactPair *pair = &contacts->pairs.data[contacts->island_pairs.data[k]];
        const SolverBody *a = &contacts->solver_bodies.data[pair->a],
                         *b = &contacts->solver_bodies.data[pair->b];
        for (int32_t r = 0; r < pair->rows; r++) {
            ContactRow *row = &contacts->rows.data[pair->first + r];
            double pressed = vec3_dot(row->impulse, row->normal);
            Vec3 across = vec3_add_scaled(row->impulse, -pressed, row->normal);
            double limit = pair->friction * pressed;
            bool slides = limit > 0.0 && vec3_length(across) > (1.0 - 1e-6) * limit;
            row->hold = slides ? HOLD_SLIDING : HOLD_STICKING;
            Vec3 velocity = row_velocity(row, a, b);
            velocity = vec3_add_scaled(velocity, -vec3_dot(velocity, row->normal), row->normal);
            any |= slides && vec3_length(velocity) > standing * solve->rest;
        }
    }
    return any;
}

bool contacts_share_load(const ContactSolve *solve, const ContactIsland *island) {
    double points = for_each_loaded(solve, island, count, 0.0);
    if (points < 4.0 || points > MOST_POINTS || !find_sliding(solve, island)) return false;
    for_each_loaded(solve, island, begin, 0.0);
    respond(solve, island);
    double error = for_each_loaded(solve, island, start, 0.0), least = accuracy * accuracy * error;
    for (int round = 0; round < MOST_ROUNDS && error > least; round++) {
        double bend = respond(solve, island);
        if (!(bend > 0.0)) return false;
        for_each_loaded(solve, island, advance, error / bend);
        double left = for_each_loaded(solve, island, square, 0.0);
        for_each_loaded(solve, island, turn_direction, left / error);
        error = left;
    }
    if (error > least || for_each_loaded(solve, island, find_pull, 0.0) < 0.0) return false;
    for_each_loaded(solve, island, take, 0.0);
    return true;
}
