/* Rolling contact to second order: the midpoint rule for points that move about on their bodies.
 *
 * A ball in a bowl, a coin that wobbles, a plank on rollers: in a step the normal turns and arms
 * change. Impulses at the end of the step, with the normal and arms of the end, are a projection:
 * it takes the part of the velocity that the normal turned into, which is energy of order dt in
 * all. So the velocities' impulses act with the arms r and normal n of the middle of the step, and
 * what is to vanish is the mean of the relative velocities of both ends, (v^n + w^n x r) + (v^{n+1}
 * + w^{n+1} x r) = 0,  r = (r^n + r^{n+1})/2. At x^n nothing approached and what sticks did not
 * slide; what is left of the first bracket is `turn`, the velocity wanted at the end: turn = -(w_a
 * x dr_a - w_b x dr_b)/2 - n (n . slide),  dr = r^{n+1} - r^n. Errors of the last step are in
 * neither, so they do not come back with the other sign.
 *
 * The half step for positions wants the same of v^{n+1/2} at x^n. Its own dr is not known yet: it
 * takes that of the last step. Nothing changes where nothing turns: what is at rest stays so. Nor
 * where steps are not limited (`travel` 0), in which bodies may turn by radians. */
#include "rigid/contact/contact_stages.h"

/* Parts of the arm, and of the unit normal: a point that moved farther is another one. */
static const double same_point = 0.15, same_normal = 0.15;
/* Of the size: what overlaps by more is moved by push-out, and its points with it. */
static const double deep = 1e-2;

PlimStatus contacts_remember_points(RigidBodies *bodies) {
    RigidContacts *contacts = &bodies->contacts;
    contacts->turning.count = 0;
    if (!array_reserve(bodies->context, &contacts->turning, contacts->rows.count))
        return PLIM_OUT_OF_MEMORY;
    for (size_t p = 0; p < contacts->pairs.count; p++) {
        const ContactPair *pair = &contacts->pairs.data[p];
        const SolverBody *a = &contacts->solver_bodies.data[pair->a],
                         *b = &contacts->solver_bodies.data[pair->b];
        for (int32_t k = 0; k < pair->rows; k++) {
            const ContactRow *row = &contacts->rows.data[pair->first + k];
            Vec3 velocity = row_velocity(row, a, b);
            Vec3 slide = vec3_add_scaled(velocity, -vec3_dot(velocity, row->normal), row->normal);
            contacts->turning.data[contacts->turning.count++] =
                (TurningPoint){.a = pair->a,
                               .b = pair->b,
                               .arm_a = row->arm_a,
                               .arm_b = row->arm_b,
                               .normal = row->normal,
                               .slide = slide,
                               .spin_a = a->spin,
                               .spin_b = b->spin};
        }
    }
    return PLIM_OK;
}

void contacts_turn_half(RigidBodies *bodies, const StepInfo *step) {
    RigidContacts *contacts = &bodies->contacts;
    if (!(bodies->options.travel > 0.0)) return;
    for (size_t r = 0; r < contacts->rows.count; r++) {
        ContactRow *row = &contacts->rows.data[r];
        row->turn = vec3_scale(step->dt, row->guess_turn);
    }
}

/* The first point of a pair or of one after it. */
static size_t find_points(const RigidContacts *contacts, const ContactPair *pair) {
    size_t low = 0, high = contacts->turning.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const TurningPoint *point = &contacts->turning.data[middle];
        if (point->a < pair->a || (point->a == pair->a && point->b < pair->b))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* m: how far a point may have moved, as seen from the body on which it moved less. */
static double reach_of_point(const ContactRow *row, const SolverBody *a, const SolverBody *b) {
    double reach = 0.0;
    if (a->moves) reach = vec3_length(row->arm_a);
    if (b->moves) reach = fmax(reach, vec3_length(row->arm_b));
    return same_point * reach;
}

/* The point that a row was at x^n; NULL: it is new. */
static const TurningPoint *point_before(const RigidContacts *contacts, const ContactPair *pair,
                                        size_t first, const ContactRow *row) {
    const TurningPoint *best = NULL;
    double nearest = reach_of_point(row, &contacts->solver_bodies.data[pair->a],
                                    &contacts->solver_bodies.data[pair->b]);
    for (size_t i = first; i < contacts->turning.count; i++) {
        const TurningPoint *point = &contacts->turning.data[i];
        if (point->a != pair->a || point->b != pair->b) break;
        double distance = fmin(vec3_length(vec3_sub(point->arm_a, row->arm_a)),
                               vec3_length(vec3_sub(point->arm_b, row->arm_b)));
        if (!(distance < nearest)) continue;
        if (vec3_length(vec3_sub(point->normal, row->normal)) > same_normal) continue;
        nearest = distance;
        best = point;
    }
    return best;
}

static void turn_row(ContactRow *row, const TurningPoint *before, const SolverBody *a,
                     const SolverBody *b) {
    Vec3 half_a = vec3_scale(0.5, vec3_sub(row->arm_a, before->arm_a));
    Vec3 half_b = vec3_scale(0.5, vec3_sub(row->arm_b, before->arm_b));
    row->arm_a = vec3_sub(row->arm_a, half_a);
    row->arm_b = vec3_sub(row->arm_b, half_b);
    row->normal = vec3_normalize(vec3_add(row->normal, before->normal));
    row->turn = vec3_sub(vec3_cross(before->spin_b, half_b), vec3_cross(before->spin_a, half_a));
    row->turn = vec3_add_scaled(row->turn, -vec3_dot(row->normal, before->slide), row->normal);
    row_update_response(row, a, b);
}

/* In islands that touch no ground both bodies get their impulse at one point, so that angular
 * momentum is kept to the bit. The islands are those of the half step. */
static bool is_afloat(const RigidContacts *contacts, const ContactPair *pair) {
    bool first = contacts->solver_bodies.data[pair->a].moves;
    int32_t island = contacts->body_islands.data[first ? pair->a : pair->b];
    return island < 0 || !contacts->islands.data[island].grounded;
}

void contacts_turn_whole(RigidBodies *bodies) {
    RigidContacts *contacts = &bodies->contacts;
    if (!(bodies->options.travel > 0.0)) return;
    for (size_t p = 0; p < contacts->pairs.count; p++) {
        const ContactPair *pair = &contacts->pairs.data[p];
        if (is_afloat(contacts, pair)) continue;
        size_t first = find_points(contacts, pair);
        for (int32_t k = 0; k < pair->rows; k++) {
            ContactRow *row = &contacts->rows.data[pair->first + k];
            if (vec3_dot(row->guess, row->guess) == 0.0) continue; /* it carried nothing */
            if (row->gap < -deep * pair->size || pair->gap_before < -deep * pair->size) continue;
            const TurningPoint *before = point_before(contacts, pair, first, row);
            if (before)
                turn_row(row, before, &contacts->solver_bodies.data[pair->a],
                         &contacts->solver_bodies.data[pair->b]);
        }
    }
}

bool contacts_island_turns(const RigidContacts *contacts, const ContactIsland *island) {
    for (size_t k = island->first; k < island->first + island->pairs; k++) {
        const ContactPair *pair = &contacts->pairs.data[contacts->island_pairs.data[k]];
        for (int32_t r = 0; r < pair->rows; r++) {
            Vec3 turn = contacts->rows.data[pair->first + r].turn;
            if (vec3_dot(turn, turn) > 0.0) return true;
        }
    }
    return false;
}
