/* Contact by projected Gauss-Seidel: impulses that stop what touches from approaching, with
 * friction (000 sections 2.7, 2.8), level by level of the contact graph, and a last sweep of shock
 * propagation (2.8.2).
 *
 * Each point keeps the sum of its impulses, and the limits hold for the sum: a point that was given
 * too much gives back. Sweeps then converge to the contact forces, where the document's, which can
 * only add, end near them. The document's gradual stop, restitution -0.9, -0.8, ... 0 over the
 * first ten sweeps, shares the load evenly among points that could each carry it alone. */
#include "rigid/contact/contact_solve.h"

#include "base/parallel.h"
#include "rigid/forces.h"

enum { GRADUAL_SWEEPS = 10, SHOCK_ROUNDS = 60, SHOCK_WORK = 4000, SHARE_ROUNDS = 3 };

/* Islands of at most this many points are solved to the end whatever the number of sweeps asked
 * for: it costs less than a millisecond. */
enum { SMALL_ISLAND = 96, SMALL_ISLAND_ROUNDS = 5, SMALL_ISLAND_WORK = 1600 };

/* Islands of at most so many points are solved all at once where sweeps leave them sinking; in
 * those above LONG_ISLAND, which are heaps, guesses at who sticks come to no end. */
enum { LONG_ISLAND = 1200, LARGE_ISLAND = 3000 };
/* Of a body's size, in a step: more than this is sinking. */
static const double SINKING = 2e-3;

/* The sum of impulses that would hold the point, or not. */
static bool try_sticking(const ContactRow *row, double friction, Vec3 change, Vec3 *total) {
    if (row->singular) return false;
    Vec3 sum = vec3_add(row->impulse, mat3_apply(row->inverse, change));
    double along = vec3_dot(sum, row->normal);
    if (!(along >= 0.0)) return false;
    Vec3 across = vec3_add_scaled(sum, -along, row->normal);
    if (vec3_dot(across, across) > friction * friction * along * along) return false;
    *total = sum;
    return true;
}

/* First the normal part, then friction within its limit, against the velocity that is left. */
static Vec3 slide(const ContactRow *row, double friction, Vec3 velocity, double least,
                  double gradual) {
    Vec3 n = row->normal;
    double along = vec3_dot(row->impulse, n);
    Vec3 across = vec3_add_scaled(row->impulse, -along, n);
    double missing = least - vec3_dot(velocity, n);
    double pressed = fmax(0.0, along + gradual * missing / row->normal_response);
    if (!(friction > 0.0)) return vec3_scale(pressed, n);
    Vec3 left = vec3_add(velocity, mat3_apply(row->response, vec3_scale(pressed - along, n)));
    left = vec3_add_scaled(left, -vec3_dot(left, n), n);
    across = vec3_add_scaled(across, -gradual / row->slide_response, left);
    double length = vec3_length(across), limit = friction * pressed;
    if (length > limit) across = vec3_scale(limit / length, across);
    return vec3_add_scaled(across, pressed, n);
}

/* Torques that resist rolling and spinning, within their lever arms times the normal impulse (000
 * section 2.9, with lever arms in metres). A sharper curve has a shorter arm. */
static double resist_turning(const ContactPair *pair, ContactRow *row, SolverBody *a,
                             SolverBody *b) {
    double pressed = vec3_dot(row->impulse, row->normal);
    double rolling = pair->rolling, spinning = pair->spinning;
    if (isfinite(row->radius) && pair->curve > 0.0) {
        rolling *= row->radius / pair->curve;
        spinning *= row->radius / pair->curve;
    }
    const Mat3 none = mat3_diagonal(0, 0, 0);
    Mat3 of_a = a->moves ? a->inverse_inertia : none, of_b = b->moves ? b->inverse_inertia : none;
    Mat3 response = mat3_add(of_a, of_b);
    Vec3 turn = vec3_sub(a->spin, b->spin), n = row->normal;
    double about = vec3_dot(turn, n), spin_response = vec3_dot(n, mat3_apply(response, n));
    double roll_response = response_across(response, n);
    double twist = 0.0;
    if (spin_response > 0.0) twist = vec3_dot(row->couple, n) - about / spin_response;
    twist = fmin(fmax(twist, -spinning * pressed), spinning * pressed);
    Vec3 roll = vec3_add_scaled(row->couple, -vec3_dot(row->couple, n), n);
    if (roll_response > 0.0)
        roll = vec3_add_scaled(roll, -1.0 / roll_response, vec3_add_scaled(turn, -about, n));
    double length = vec3_length(roll), limit = rolling * pressed;
    if (length > limit) roll = vec3_scale(length > 0.0 ? limit / length : 0.0, roll);
    Vec3 total = vec3_add_scaled(roll, twist, n), change = vec3_sub(total, row->couple);
    const Vec3 still = {0, 0, 0};
    if (a->moves) solver_body_respond(a, still, change, offsetof(SolverBody, velocity));
    if (b->moves)
        solver_body_respond(b, still, vec3_scale(-1.0, change), offsetof(SolverBody, velocity));
    row->couple = total;
    return vec3_length(change) * roll_response * pair->curve;
}

static bool is_unloaded(const ContactRow *row) {
    return vec3_dot(row->impulse, row->impulse) + vec3_dot(row->couple, row->couple) == 0.0;
}

/* One point; returns how much it changed the velocity there. */
static double solve_row(const ContactSolve *solve, const ContactPair *pair, ContactRow *row,
                        double gradual) {
    SolverBody *a = &solve->contacts->solver_bodies.data[pair->a],
               *b = &solve->contacts->solver_bodies.data[pair->b];
    Vec3 velocity = row_velocity(row, a, b), total;
    double approach = vec3_dot(velocity, row->normal);
    if (!contact_is_active(solve, row, approach)) return 0.0;
    double least = contact_least_velocity(solve, row);
    if (approach >= least && is_unloaded(row)) return 0.0;
    Vec3 change = vec3_scale(gradual, vec3_sub(vec3_scale(least, row->normal), velocity));
    if (!try_sticking(row, pair->friction, change, &total))
        total = slide(row, pair->friction, velocity, least, gradual);
    Vec3 impulse = vec3_sub(total, row->impulse);
    row_apply(row, a, b, impulse);
    row->impulse = vec3_add(row->impulse, impulse);
    double turned =
        pair->rolling > 0.0 || pair->spinning > 0.0 ? resist_turning(pair, row, a, b) : 0;
    return fmax(turned, vec3_length(impulse) * row->normal_response);
}

/* One pass over the pairs [begin, end) of an island's list. */
static double solve_pairs(const ContactSolve *solve, size_t begin, size_t end, double gradual) {
    RigidContacts *contacts = solve->contacts;
    double change = 0.0;
    for (size_t k = begin; k < end; k++) {
        ContactPair *pair = &contacts->pairs.data[contacts->island_pairs.data[k]];
        for (int32_t r = 0; r < pair->rows; r++)
            change = fmax(change,
                          solve_row(solve, pair, &contacts->rows.data[pair->first + r], gradual));
    }
    return change;
}

/* The end of the run of pairs of one level that begins at `begin`. */
static size_t level_end(const RigidContacts *contacts, const ContactIsland *island, size_t begin) {
    const int32_t *list = contacts->island_pairs.data;
    size_t end = begin, last = island->first + island->pairs;
    int32_t level = contacts->pairs.data[list[begin]].level;
    while (end < last && contacts->pairs.data[list[end]].level == level) end++;
    return end;
}

/* One pass over all levels, each several times; returns the greatest change. */
static double sweep_levels(const ContactSolve *solve, ContactIsland *island, double gradual) {
    size_t last = island->first + island->pairs;
    double change = 0.0;
    for (size_t begin = island->first, end; begin < last; begin = end) {
        end = level_end(solve->contacts, island, begin);
        double level_change = HUGE_VAL;
        for (int round = 0; round < solve->options->level_iterations && level_change > solve->rest;
             round++) {
            level_change = solve_pairs(solve, begin, end, gradual);
            change = fmax(change, level_change);
        }
    }
    return change;
}

/* Sweeps alone, to the end or until nothing changes. */
static double sweep_until(const ContactSolve *solve, ContactIsland *island, size_t end) {
    double change = HUGE_VAL;
    while (island->sweeps < end && change > solve->rest) {
        size_t sweep = island->sweeps++;
        double gradual = sweep < GRADUAL_SWEEPS ? (sweep + 1.0) / GRADUAL_SWEEPS : 1.0;
        change = sweep_levels(solve, island, gradual);
        if (gradual < 1.0) change = HUGE_VAL;
    }
    return change;
}

/* Whether sweeps find nothing more to change. */
static bool is_solved(const ContactSolve *solve, ContactIsland *island) {
    double change = sweep_levels(solve, island, 1.0);
    if (change > 1e3 * solve->rest) return false;
    return sweep_levels(solve, island, 1.0) <= 1e3 * solve->rest;
}

/* All points at once. It ends at the contact forces, as sweeps afterwards show, or, where it cannot
 * tell who slides, it does not and is undone. */
static bool solve_at_once(const ContactSolve *solve, ContactIsland *island, size_t rounds) {
    contacts_save(solve, island);
    if (contacts_guess_cg(solve, island, rounds) && is_solved(solve, island)) return true;
    contacts_restore(solve, island);
    for (size_t round = 0; round < rounds; round++) {
        contacts_solve_cg(solve, island);
        if (is_solved(solve, island)) return true;
    }
    contacts_restore(solve, island);
    return false;
}

static size_t count_rows(const ContactSolve *solve, const ContactIsland *island) {
    const RigidContacts *contacts = solve->contacts;
    size_t rows = 0;
    for (size_t k = island->first; k < island->first + island->pairs; k++)
        rows += (size_t)contacts->pairs.data[contacts->island_pairs.data[k]].rows;
    return rows;
}

/* Nothing moves faster than forces make it within a few steps. */
static bool is_slow(const ContactSolve *solve, const ContactIsland *island) {
    const RigidContacts *contacts = solve->contacts;
    for (size_t k = island->first; k < island->first + island->pairs; k++) {
        const ContactPair *pair = &contacts->pairs.data[contacts->island_pairs.data[k]];
        if (vec3_length(contacts->solver_bodies.data[pair->a].start[0]) > solve->slow ||
            vec3_length(contacts->solver_bodies.data[pair->b].start[0]) > solve->slow)
            return false;
    }
    return true;
}

/* How far the deepest point would sink in this step, as a part of its body's size. */
static double worst_sinking(const ContactSolve *solve, const ContactIsland *island) {
    const RigidContacts *contacts = solve->contacts;
    double worst = 0.0;
    for (size_t k = island->first; k < island->first + island->pairs; k++) {
        const ContactPair *pair = &contacts->pairs.data[contacts->island_pairs.data[k]];
        const SolverBody *a = &contacts->solver_bodies.data[pair->a],
                         *b = &contacts->solver_bodies.data[pair->b];
        for (int32_t r = 0; r < pair->rows; r++) {
            const ContactRow *row = &contacts->rows.data[pair->first + r];
            double left =
                contact_least_velocity(solve, row) - vec3_dot(row->normal, row_velocity(row, a, b));
            worst = fmax(worst, solve->dt * left / pair->size);
        }
    }
    return worst;
}

/* Where sweeps leave an island sinking the load path is long: all points at once, and sweeps that
 * set right who slides, in turns. Unlike solve_at_once it keeps what it has when it comes to no
 * end, for the sweeps left no point pulling or outside its cone; each turn must be worth it. */
static bool stop_sinking(const ContactSolve *solve, ContactIsland *island) {
    enum { TURNS = 4, TURNS_OF_UNEVEN = 20 };
    double sinking = worst_sinking(solve, island);
    if (!(sinking > SINKING)) return false;
    size_t rows = count_rows(solve, island);
    bool is_few = rows <= SMALL_ISLAND;
    size_t rounds = is_few ? SMALL_ISLAND_ROUNDS : TURNS;
    if (is_few && island->is_uneven) rounds = TURNS_OF_UNEVEN;
    if (is_few && solve_at_once(solve, island, rounds)) return true;
    if (rows <= LONG_ISLAND) {
        contacts_save(solve, island);
        contacts_clear(solve, island);
        bool solved = contacts_guess_cg(solve, island, island->is_uneven ? rounds : TURNS) &&
                      is_solved(solve, island);
        if (solved) return true;
        if (!(worst_sinking(solve, island) < sinking)) contacts_restore(solve, island);
        sinking = worst_sinking(solve, island);
    }
    for (int turn = 0; turn < TURNS && sinking > SINKING; turn++) {
        contacts_save(solve, island);
        contacts_solve_cg(solve, island);
        if (is_solved(solve, island)) return true;
        double left = worst_sinking(solve, island);
        if (left < sinking) {
            sinking = left;
            continue;
        }
        contacts_restore(solve, island);
        for (int sweep = 0; sweep < TURNS; sweep++) sweep_levels(solve, island, 1.0);
        sinking = worst_sinking(solve, island);
    }
    return false;
}

/* In the pass for positions: more sweeps, as long as bodies would sink into each other. */
static void sweep_while_sinking(const ContactSolve *solve, ContactIsland *island) {
    enum { MOST_SWEEPS = 40 };
    if (solve->pass != CONTACT_POSITIONS) return;
    for (int sweep = 0; sweep < MOST_SWEEPS && worst_sinking(solve, island) > SINKING; sweep++)
        sweep_levels(solve, island, 1.0);
}

/* The document's sweeps first, then all points at once if more sweeps are asked for or the island
 * is small; sweeps again if that does not end. True when there is nothing left to solve. */
static bool solve_island(const ContactSolve *solve, ContactIsland *island) {
    size_t all = (size_t)solve->options->contact_iterations;
    if (all == 0) return false;
    double change = sweep_until(solve, island, all < GRADUAL_SWEEPS ? all : GRADUAL_SWEEPS);
    if (change <= solve->rest) return true;
    size_t rounds = all - island->sweeps;
    size_t rows = count_rows(solve, island);
    if (rows <= SMALL_ISLAND) {
        if (rounds < SMALL_ISLAND_ROUNDS && is_slow(solve, island)) rounds = SMALL_ISLAND_ROUNDS;
        if (all < SMALL_ISLAND_WORK / rows) all = SMALL_ISLAND_WORK / rows;
    }
    if (rounds > 0 && solve_at_once(solve, island, rounds)) return true;
    if (sweep_until(solve, island, all) <= solve->rest) return true;
    if (rows <= LARGE_ISLAND && stop_sinking(solve, island)) return true;
    sweep_while_sinking(solve, island);
    return false;
}

/* What is below `level` moves as it does and no impulse changes it: the response of the rows
 * between a frozen and a free body is that of the free one. */
static void freeze_below(const ContactSolve *solve, size_t begin, size_t end, int32_t level) {
    RigidContacts *contacts = solve->contacts;
    for (size_t k = begin; k < end; k++) {
        ContactPair *pair = &contacts->pairs.data[contacts->island_pairs.data[k]];
        SolverBody *a = &contacts->solver_bodies.data[pair->a],
                   *b = &contacts->solver_bodies.data[pair->b];
        bool freeze_a = a->moves && contacts->levels.data[pair->a] < level;
        bool freeze_b = b->moves && contacts->levels.data[pair->b] < level;
        if (freeze_a) a->moves = false;
        if (freeze_b) b->moves = false;
        bool frozen = (!a->moves && contacts->levels.data[pair->a] > 0) ||
                      (!b->moves && contacts->levels.data[pair->b] > 0);
        for (int32_t r = 0; r < pair->rows && frozen; r++)
            row_update_response(&contacts->rows.data[pair->first + r], a, b);
    }
}

static void thaw(const ContactSolve *solve, const ContactIsland *island) {
    RigidContacts *contacts = solve->contacts;
    for (size_t k = island->first; k < island->first + island->pairs; k++) {
        const ContactPair *pair = &contacts->pairs.data[contacts->island_pairs.data[k]];
        SolverBody *a = &contacts->solver_bodies.data[pair->a],
                   *b = &contacts->solver_bodies.data[pair->b];
        if (contacts->levels.data[pair->a] > 0) a->moves = true;
        if (contacts->levels.data[pair->b] > 0) b->moves = true;
    }
}

/* From the ground up; each level, once at rest, is the ground of the next. */
static void propagate_shock(const ContactSolve *solve, ContactIsland *island) {
    size_t last = island->first + island->pairs;
    for (size_t begin = island->first, end; begin < last; begin = end) {
        end = level_end(solve->contacts, island, begin);
        int32_t level =
            solve->contacts->pairs.data[solve->contacts->island_pairs.data[begin]].level;
        freeze_below(solve, begin, end, level);
        /* A level of a few bodies comes to rest; a large one is a pile, and there is no end to it.
         */
        size_t most = SHOCK_WORK / (end - begin + 1) + 4;
        if (most > SHOCK_ROUNDS) most = SHOCK_ROUNDS;
        double change = HUGE_VAL;
        for (size_t round = 0; round < most && change > solve->rest; round++)
            change = solve_pairs(solve, begin, end, 1.0);
    }
    thaw(solve, island);
}

/* ---- the guess ---- */

/* The part of the last force that the point can carry now. */
static Vec3 guessed_impulse(const ContactSolve *solve, const ContactPair *pair,
                            const ContactRow *row) {
    double time = solve->pass == CONTACT_POSITIONS ? 0.5 * solve->dt : solve->dt;
    Vec3 impulse = vec3_scale(time, row->guess);
    double pressed = vec3_dot(impulse, row->normal);
    if (!(pressed > 0.0) || row->bounces) return vec3(0, 0, 0);
    Vec3 across = vec3_add_scaled(impulse, -pressed, row->normal);
    double length = vec3_length(across), limit = pair->friction * pressed;
    if (length > limit) across = vec3_scale(limit / length, across);
    return vec3_add_scaled(across, pressed, row->normal);
}

/* The couple of the last step, where the point presses again: from nothing, sweeps would have to
 * find it anew in every step, and what rolling friction holds would creep. */
static void apply_guessed_couple(const ContactSolve *solve, ContactRow *row, SolverBody *a,
                                 SolverBody *b) {
    double time = solve->pass == CONTACT_POSITIONS ? 0.5 * solve->dt : solve->dt;
    if (!row->active) return;
    row->couple = vec3_scale(time, row->guess_couple);
    const Vec3 still = {0, 0, 0};
    if (a->moves) solver_body_respond(a, still, row->couple, offsetof(SolverBody, velocity));
    if (b->moves)
        solver_body_respond(b, still, vec3_scale(-1.0, row->couple),
                            offsetof(SolverBody, velocity));
}

/* Begins with what was carried in the last step. */
static void begin_with_guess(const ContactSolve *solve, const ContactIsland *island) {
    RigidContacts *contacts = solve->contacts;
    for (size_t k = island->first; k < island->first + island->pairs; k++) {
        const ContactPair *pair = &contacts->pairs.data[contacts->island_pairs.data[k]];
        for (int32_t r = 0; r < pair->rows; r++) {
            ContactRow *row = &contacts->rows.data[pair->first + r];
            row->impulse = guessed_impulse(solve, pair, row);
            row->active = vec3_dot(row->impulse, row->impulse) > 0.0;
            SolverBody *a = &contacts->solver_bodies.data[pair->a],
                       *b = &contacts->solver_bodies.data[pair->b];
            row_apply(row, a, b, row->impulse);
            if (pair->rolling > 0.0 || pair->spinning > 0.0) apply_guessed_couple(solve, row, a, b);
        }
    }
}

/* What the next step begins with. Not what shock propagation adds, which acts on one body of a
 * pair: its sums grow from step to step while nothing moves, until they are far from any balance.
 */
static void keep_impulses(const ContactSolve *solve, const ContactIsland *island) {
    RigidContacts *contacts = solve->contacts;
    for (size_t k = island->first; k < island->first + island->pairs; k++) {
        const ContactPair *pair = &contacts->pairs.data[contacts->island_pairs.data[k]];
        for (int32_t r = 0; r < pair->rows; r++) {
            ContactRow *row = &contacts->rows.data[pair->first + r];
            row->carried = row->impulse;
            row->carried_couple = row->couple;
        }
    }
}

static bool has_uneven_masses(const RigidContacts *contacts, const ContactIsland *island) {
    const double uneven = 500.0;
    double least = HUGE_VAL, most = 0.0; /* 1/kg */
    for (size_t k = island->first; k < island->first + island->pairs; k++) {
        const ContactPair *pair = &contacts->pairs.data[contacts->island_pairs.data[k]];
        for (int side = 0; side < 2; side++) {
            const SolverBody *body = &contacts->solver_bodies.data[side ? pair->b : pair->a];
            if (!body->moves || !(body->inverse_mass > 0.0)) continue;
            least = fmin(least, body->inverse_mass);
            most = fmax(most, body->inverse_mass);
        }
    }
    return most >= uneven * least;
}

static void solve_islands(void *user, size_t begin, size_t end) {
    const ContactSolve *solve = user;
    for (size_t i = begin; i < end; i++) {
        ContactIsland *island = &solve->contacts->islands.data[i];
        island->is_uneven = has_uneven_masses(solve->contacts, island);
        begin_with_guess(solve, island);
        bool solved = solve_island(solve, island);
        for (int round = 0; round < SHARE_ROUNDS && contacts_share_load(solve, island); round++)
            solved = is_solved(solve, island);
        keep_impulses(solve, island);
        if (!solved && island->grounded && solve->options->shock_iterations > 0)
            propagate_shock(solve, island);
    }
}

PlimStatus contacts_solve(RigidBodies *bodies, const StepInfo *step, ContactPass pass) {
    RigidContacts *contacts = &bodies->contacts;
    TRY(contacts_build_islands(bodies, step));
    size_t mark = scratch_mark(step->scratch);
    CgPoint *points = scratch_take(step->scratch, contacts->rows.count, sizeof *points);
    if (!points) return PLIM_OUT_OF_MEMORY;
    double fastest = 0.0;
    for (size_t i = 0; i < contacts->solver_bodies.count; i++)
        if (contacts->solver_bodies.data[i].moves)
            fastest = fmax(fastest, vec3_length(contacts->solver_bodies.data[i].velocity));
    double fall = forces_step_speed(bodies, step);
    ContactSolve solve = {.contacts = contacts,
                          .options = &bodies->options,
                          .pass = pass,
                          .dt = step->dt,
                          .slow = 4 * fall,
                          .rest = 1e-10 * fall + 1e-15 * fastest,
                          .points = points};
    for (size_t i = 0; i < contacts->solver_bodies.count; i++) {
        SolverBody *body = &contacts->solver_bodies.data[i];
        body->start[0] = body->velocity;
        body->start[1] = body->spin;
    }
    parallel_for(step->threads, contacts->islands.count, 1, solve_islands, &solve);
    scratch_release(step->scratch, mark);
    joints_follow_contact(bodies);
    for (size_t i = 0; i < contacts->islands.count; i++) {
        const ContactIsland *island = &contacts->islands.data[i];
        if (island->sweeps > contacts->figures.sweeps) contacts->figures.sweeps = island->sweeps;
    }
    return PLIM_OK;
}
