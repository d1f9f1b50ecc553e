/* Contact forces of bodies, from the balance of momentum or the sum over points. */
#include "rigid/contact/contact_report.h"

static void add_impulse(RigidBodies *b, size_t i, double sign, Vec3 impulse, Vec3 moment) {
    double *force = b->contact_force + 3 * i, *torque = b->contact_torque + 3 * i;
    vec3_store(force, vec3_add_scaled(vec3_load(force), sign, impulse));
    vec3_store(torque, vec3_add_scaled(vec3_load(torque), sign, moment));
}

static void clear(RigidBodies *b, size_t i) {
    vec3_store(b->contact_force + 3 * i, vec3(0, 0, 0));
    vec3_store(b->contact_torque + 3 * i, vec3(0, 0, 0));
    b->contact_points[i] = 0;
}

/* Whether its momentum tells what contact did; joints act in the same solve. */
static bool is_balanced(const RigidBodies *b, size_t i) {
    return b->motion[i] == PLIM_DYNAMIC && !b->held[i] && !joints_have(&b->joints, i);
}

void contact_report_begin(RigidBodies *bodies) {
    for (size_t i = 0; i < rigid_count(bodies); i++)
        if (!bodies->asleep[i]) clear(bodies, i);
}

void contact_report_wake(RigidBodies *bodies, size_t i) {
    clear(bodies, i);
}

/* ---- balance ---- */

/* Sleepers have no momentum: one that wakes in between is right too. */
static void add_momenta(RigidBodies *b, double sign) {
    for (size_t i = 0; i < rigid_count(b); i++)
        if (!b->asleep[i] && is_balanced(b, i))
            add_impulse(b, i, sign, vec3_scale(b->mass[i], vec3_load(b->velocity + 3 * i)),
                        vec3_load(b->angular_momentum + 3 * i));
}

void contact_report_before(RigidBodies *bodies) {
    add_momenta(bodies, -1.0);
}

void contact_report_after(RigidBodies *bodies) {
    add_momenta(bodies, 1.0);
}

void contact_report_coupled(RigidBodies *bodies, size_t i, const Vec3 impulse[2]) {
    if (is_balanced(bodies, i)) add_impulse(bodies, i, 1.0, impulse[0], impulse[1]);
}

/* ---- sums over points ---- */

/* Adds an impulse on a at a point, and its opposite on b, to those that have no balance. */
static void add_at_point(RigidBodies *b, const ContactPair *pair, Vec3 point, Vec3 impulse,
                         Vec3 couple) {
    for (int side = 0; side < 2; side++) {
        size_t i = (size_t)(side ? pair->b : pair->a);
        if (rigid_is_still_surface(b, i) || is_balanced(b, i)) continue;
        Vec3 arm = vec3_sub(point, vec3_load(b->position + 3 * i));
        add_impulse(b, i, side ? -1.0 : 1.0, impulse, vec3_add(vec3_cross(arm, impulse), couple));
    }
}

void contact_report_collisions(RigidBodies *bodies) {
    const RigidContacts *contacts = &bodies->contacts;
    const Vec3 origin = {0, 0, 0};
    for (size_t p = 0; p < contacts->pairs.count; p++) {
        const ContactPair *pair = &contacts->pairs.data[p];
        add_at_point(bodies, pair, origin, pair->struck[0], pair->struck[1]);
    }
}

static void add_rows(RigidBodies *b, const ContactPair *pair) {
    for (int32_t k = 0; k < pair->rows; k++) {
        const ContactRow *row = &b->contacts.rows.data[pair->first + k];
        add_at_point(b, pair, row->point, row->impulse, row->couple);
    }
}

void contact_report_afloat(RigidBodies *bodies) {
    const RigidContacts *contacts = &bodies->contacts;
    for (size_t k = 0; k < contacts->islands.count; k++) {
        const ContactIsland *island = &contacts->islands.data[k];
        for (size_t p = 0; p < island->pairs && contact_island_is_afloat(island); p++)
            add_rows(bodies, &contacts->pairs.data[contacts->island_pairs.data[island->first + p]]);
    }
}

static void count_points(RigidBodies *b, const ContactPair *pair) {
    for (int32_t k = 0; k < pair->rows; k++) {
        const ContactRow *row = &b->contacts.rows.data[pair->first + k];
        for (int side = 0; side < 2 && row->active; side++) {
            size_t i = (size_t)(side ? pair->b : pair->a);
            if (!rigid_is_still_surface(b, i)) b->contact_points[i]++;
        }
    }
}

/* ---- what sleepers lie on ---- */

static size_t load_count(const RigidBodies *b) {
    return b->sizes[RIGID_GROUP_SLEEPING_LOADS].count;
}

/* Without those of bodies that woke. */
static PlimStatus drop_loads(RigidBodies *b) {
    size_t kept = 0, count = load_count(b);
    for (size_t k = 0; k < count; k++) {
        if (!b->asleep[b->sleeping_pair[2 * k]]) continue;
        for (size_t c = 0; c < 2; c++) b->sleeping_pair[2 * kept + c] = b->sleeping_pair[2 * k + c];
        for (size_t c = 0; c < 6; c++) b->sleeping_load[6 * kept + c] = b->sleeping_load[6 * k + c];
        b->sleeping_points[kept++] = b->sleeping_points[k];
    }
    return state_resize(b->context, rigid_class.schema, b, RIGID_GROUP_SLEEPING_LOADS, kept);
}

/* The load of a pair whose body sleeps now, on the one that does not move. */
static PlimStatus keep_load(RigidBodies *b, const ContactPair *pair, double dt) {
    bool a_sleeps = rigid_is_dynamic(b, (size_t)pair->a) && b->asleep[pair->a];
    int32_t sleeper = a_sleeps ? pair->a : pair->b, support = a_sleeps ? pair->b : pair->a;
    double sign = a_sleeps ? -1.0 / dt : 1.0 / dt;
    Vec3 force = {0, 0, 0}, torque = {0, 0, 0};
    size_t k = load_count(b);
    TRY(state_resize(b->context, rigid_class.schema, b, RIGID_GROUP_SLEEPING_LOADS, k + 1));
    b->sleeping_points[k] = 0;
    for (int32_t r = 0; r < pair->rows; r++) {
        const ContactRow *row = &b->contacts.rows.data[pair->first + r];
        Vec3 arm = vec3_sub(row->point, vec3_load(b->position + 3 * support));
        Vec3 moment = vec3_add(vec3_cross(arm, row->impulse), row->couple);
        force = vec3_add_scaled(force, sign, row->impulse);
        torque = vec3_add_scaled(torque, sign, moment);
        b->sleeping_points[k] += row->active;
    }
    b->sleeping_pair[2 * k] = sleeper;
    b->sleeping_pair[2 * k + 1] = support;
    vec3_store(b->sleeping_load + 6 * k, force);
    vec3_store(b->sleeping_load + 6 * k + 3, torque);
    return PLIM_OK;
}

/* Pairs of sleepers are looked at in no step but the one in which they fell asleep. */
PlimStatus contact_report_sleepers(RigidBodies *bodies, const StepInfo *step) {
    const RigidContacts *contacts = &bodies->contacts;
    for (size_t p = 0; p < contacts->pairs.count; p++) {
        const ContactPair *pair = &contacts->pairs.data[p];
        bool moves[2] = {rigid_is_dynamic(bodies, (size_t)pair->a),
                         rigid_is_dynamic(bodies, (size_t)pair->b)};
        if (!pair->found || moves[0] == moves[1] || rigid_is_still_surface(bodies, (size_t)pair->b))
            continue;
        if (bodies->asleep[moves[0] ? pair->a : pair->b]) TRY(keep_load(bodies, pair, step->dt));
    }
    return PLIM_OK;
}

void contact_report_end(RigidBodies *b, const StepInfo *step) {
    contact_report_after(b);
    for (size_t p = 0; p < b->contacts.pairs.count; p++)
        if (b->contacts.pairs.data[p].found) {
            add_rows(b, &b->contacts.pairs.data[p]);
            count_points(b, &b->contacts.pairs.data[p]);
        }
    for (size_t i = 0; i < rigid_count(b); i++) {
        if (b->asleep[i]) continue;
        double *force = b->contact_force + 3 * i, *torque = b->contact_torque + 3 * i;
        vec3_store(force, vec3_scale(1.0 / step->dt, vec3_load(force)));
        vec3_store(torque, vec3_scale(1.0 / step->dt, vec3_load(torque)));
    }
    drop_loads(b); /* fewer than there were: takes no memory */
    for (size_t k = 0; k < load_count(b); k++) {
        size_t i = (size_t)b->sleeping_pair[2 * k + 1];
        const double *load = b->sleeping_load + 6 * k;
        add_impulse(b, i, 1.0, vec3_load(load), vec3_load(load + 3));
        b->contact_points[i] += b->sleeping_points[k];
    }
}

/* ---- points for frames ---- */

PlimStatus contact_report_points(RigidBodies *bodies, const StepInfo *step) {
    RigidContacts *contacts = &bodies->contacts;
    contacts->shown.count = 0;
    if (!bodies->options.frame_contacts) return PLIM_OK;
    for (size_t p = 0; p < contacts->pairs.count; p++) {
        const ContactPair *pair = &contacts->pairs.data[p];
        for (int32_t k = 0; k < pair->rows && pair->found; k++) {
            const ContactRow *row = &contacts->rows.data[pair->first + k];
            if (!row->active) continue;
            ShownContact shown = {.a = pair->a,
                                  .b = pair->b,
                                  .point = row->point,
                                  .normal = row->normal,
                                  .force = vec3_scale(1.0 / step->dt, row->impulse)};
            if (!array_push(bodies->context, &contacts->shown, shown)) return PLIM_OUT_OF_MEMORY;
        }
    }
    return PLIM_OK;
}
