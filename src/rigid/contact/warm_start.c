/* Warm start of contact impulses: what each point carried in the last step is the
 * guess of the next: the sweeps of many steps then add up to one long solve. It is state, for it
 * changes results. */
#include "rigid/contact/contact_stages.h"

static size_t touch_count(const RigidBodies *bodies) {
    return bodies->sizes[RIGID_GROUP_WARM_STARTS].count;
}

/* The first touch of a pair or of one after it; touches are sorted by pair. */
static size_t find_touches(const RigidBodies *bodies, const ContactPair *pair) {
    size_t low = 0, high = touch_count(bodies);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const int32_t *key = bodies->touch_pair + 2 * middle;
        if (key[0] < pair->a || (key[0] == pair->a && key[1] < pair->b))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_of_pair(const RigidBodies *bodies, size_t touch, const ContactPair *pair) {
    return touch < touch_count(bodies) && bodies->touch_pair[2 * touch] == pair->a &&
           bodies->touch_pair[2 * touch + 1] == pair->b;
}

/* Seen from the first of the two that forces move: a wheel runs over the ground, and touches it at
 * the same place of its own. */
static Vec3 arm_of_mover(const RigidContacts *contacts, const ContactPair *pair,
                         const ContactRow *row) {
    const SolverBody *a = &contacts->solver_bodies.data[pair->a],
                     *b = &contacts->solver_bodies.data[pair->b];
    return vec3_sub(row->point, a->moves ? a->center : b->center);
}

/* Each touch goes to the nearest row, so that the load of a pair is kept where points move about,
 * as those of two rings on each other do; not across half a body. */
static void recall_pair(const RigidBodies *bodies, const ContactPair *pair, ContactRow *rows) {
    for (size_t t = find_touches(bodies, pair); is_of_pair(bodies, t, pair); t++) {
        Vec3 arm = vec3_load(bodies->touch_arm + 3 * t);
        double nearest = 0.5 * pair->curve;
        int32_t best = -1;
        for (int32_t k = 0; k < pair->rows; k++) {
            Vec3 here = arm_of_mover(&bodies->contacts, pair, &rows[k]);
            double distance = vec3_length(vec3_sub(here, arm));
            if (!(distance < nearest)) continue;
            nearest = distance;
            best = k;
        }
        if (best < 0) continue;
        rows[best].guess = vec3_add(rows[best].guess, vec3_load(bodies->touch_force + 3 * t));
        rows[best].guess_couple =
            vec3_add(rows[best].guess_couple, vec3_load(bodies->touch_couple + 3 * t));
        /* How a point moves about is its own. */
        if (nearest < 0.02 * pair->curve)
            rows[best].guess_turn = vec3_load(bodies->touch_turn + 3 * t);
    }
}

void contacts_warm_start(RigidBodies *bodies) {
    RigidContacts *contacts = &bodies->contacts;
    for (size_t p = 0; p < contacts->pairs.count; p++) {
        const ContactPair *pair = &contacts->pairs.data[p];
        recall_pair(bodies, pair, contacts->rows.data + pair->first);
    }
}

PlimStatus contacts_keep_forces(RigidBodies *bodies, const StepInfo *step) {
    const RigidContacts *contacts = &bodies->contacts;
    size_t count = 0;
    for (size_t r = 0; r < contacts->rows.count; r++) {
        Vec3 j = contacts->rows.data[r].carried;
        count += vec3_dot(j, j) > 0.0;
    }
    TRY(state_resize(bodies->context, rigid_class.schema, bodies, RIGID_GROUP_WARM_STARTS, count));
    size_t t = 0;
    for (size_t p = 0; p < contacts->pairs.count; p++) {
        const ContactPair *pair = &contacts->pairs.data[p];
        for (int32_t k = 0; k < pair->rows; k++) {
            const ContactRow *row = &contacts->rows.data[pair->first + k];
            if (!(vec3_dot(row->carried, row->carried) > 0.0)) continue;
            bodies->touch_pair[2 * t] = pair->a;
            bodies->touch_pair[2 * t + 1] = pair->b;
            vec3_store(bodies->touch_arm + 3 * t, arm_of_mover(contacts, pair, row));
            vec3_store(bodies->touch_force + 3 * t, vec3_scale(1.0 / step->dt, row->carried));
            vec3_store(bodies->touch_couple + 3 * t,
                       vec3_scale(1.0 / step->dt, row->carried_couple));
            vec3_store(bodies->touch_turn + 3 * t, vec3_scale(1.0 / step->dt, row->turn));
            t++;
        }
    }
    return PLIM_OK;
}
