/* Pairs of surfaces: tables of materials, friction, restitution, belts. */
#include "rigid/contact/surface_pairs.h"
#include "rigid/forces.h"

PlimMaterialPair plim_material_pair_default(void) {
    return (PlimMaterialPair){.friction = -1,
                              .kinetic_friction = -1,
                              .restitution = -1,
                              .rolling_friction = -1,
                              .spinning_friction = -1};
}

static const PlimMaterialPair *find_pair(const RigidBodies *b, int one, int other) {
    for (size_t k = 0; k < b->material_pairs.count; k++) {
        const PlimMaterialPair *pair = &b->material_pairs.data[k];
        if ((pair->a == one && pair->b == other) || (pair->a == other && pair->b == one))
            return pair;
    }
    return NULL;
}

PlimStatus surface_pairs_add(RigidBodies *bodies, const PlimMaterialPair *pair) {
    PlimContext *context = bodies->context;
    const double values[] = {pair->friction, pair->kinetic_friction, pair->restitution,
                             pair->rolling_friction, pair->spinning_friction};
    if (pair->a < 1 || pair->b < 1)
        return context_fail(context, PLIM_BAD_INPUT,
                            "a pair of materials %d and %d; materials count from 1", pair->a,
                            pair->b);
    if (find_pair(bodies, pair->a, pair->b))
        return context_fail(context, PLIM_BAD_INPUT,
                            "the pair of materials %d and %d is there twice; leave one", pair->a,
                            pair->b);
    for (size_t k = 0; k < sizeof values / sizeof *values; k++)
        if (!isfinite(values[k]))
            return context_fail(context, PLIM_BAD_INPUT,
                                "the pair of materials %d and %d has a number that is not finite",
                                pair->a, pair->b);
    if (pair->restitution > 1.0)
        return context_fail(context, PLIM_BAD_INPUT,
                            "the pair of materials %d and %d: restitution is %g; above 1 every "
                            "bounce would add energy, give 0 to 1",
                            pair->a, pair->b, pair->restitution);
    if (pair->friction >= 0.0 && pair->kinetic_friction > pair->friction)
        return context_fail(context, PLIM_BAD_INPUT,
                            "the pair of materials %d and %d: kinetic friction is %g, static %g; "
                            "what slides must not be held better than what rests",
                            pair->a, pair->b, pair->kinetic_friction, pair->friction);
    return array_push(context, &bodies->material_pairs, *pair) ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

double surface_pairs_restitution(const RigidBodies *bodies, double of_a, double of_b) {
    switch (bodies->options.restitution) {
    case PLIM_RESTITUTION_MAX:
        return fmax(of_a, of_b);
    case PLIM_RESTITUTION_PRODUCT:
        return of_a * of_b;
    default:
        return fmin(of_a, of_b);
    }
}

static int material_of(const RigidBodies *b, int32_t partner) {
    return rigid_is_still_surface(b, (size_t)partner) ? 0 : b->material[partner];
}

static void replace(double *value, double given) {
    if (given >= 0.0) *value = given;
}

void surface_pairs_look_up(const RigidBodies *b, ContactPair *pair) {
    if (b->material_pairs.count == 0) return;
    const PlimMaterialPair *found = find_pair(b, material_of(b, pair->a), material_of(b, pair->b));
    if (!found) return;
    replace(&pair->friction, found->friction);
    replace(&pair->kinetic, found->friction);
    replace(&pair->kinetic, found->kinetic_friction);
    pair->kinetic = fmin(pair->kinetic, pair->friction);
    replace(&pair->restitution, found->restitution);
    replace(&pair->rolling, found->rolling_friction);
    replace(&pair->spinning, found->spinning_friction);
}

/* ---- static and kinetic friction ---- */

/* A partner at t^n. Solver bodies on a path have the mean velocity of the step that comes; what lay
 * still on them did so at the velocity of the moment. */
static SolverBody body_now(const RigidBodies *b, int32_t partner) {
    SolverBody body = b->contacts.solver_bodies.data[partner];
    if (rigid_is_still_surface(b, (size_t)partner) || b->motion[partner] != PLIM_KINEMATIC)
        return body;
    body.velocity = vec3_load(b->velocity + 3 * partner);
    body.spin = vec3_load(b->angular_velocity + 3 * partner);
    return body;
}

void surface_pairs_choose_friction(RigidBodies *bodies, const StepInfo *step) {
    RigidContacts *contacts = &bodies->contacts;
    /* More than the solve leaves of the velocity of what is held, and little beside what a force
     * that is not held does in a step. */
    double least = 1e-4 * forces_step_speed(bodies, step);
    for (size_t p = 0; p < contacts->pairs.count; p++) {
        ContactPair *pair = &contacts->pairs.data[p];
        if (pair->kinetic == pair->friction) continue;
        SolverBody a = body_now(bodies, pair->a), b = body_now(bodies, pair->b);
        double fastest = 0.0;
        for (int32_t k = 0; k < pair->rows; k++) {
            const ContactRow *row = &contacts->rows.data[pair->first + k];
            Vec3 velocity = row_velocity(row, &a, &b);
            Vec3 across = vec3_add_scaled(velocity, -vec3_dot(velocity, row->normal), row->normal);
            fastest = fmax(fastest, vec3_length(across));
        }
        pair->slides = fastest > least;
        if (pair->slides) pair->friction = pair->kinetic;
    }
}

/* ---- belts ---- */

bool surface_runs(const RigidBodies *b, size_t partner) {
    if (rigid_is_still_surface(b, partner)) {
        const FieldFunction *velocity = rigid_still_surface(b, partner)->material.velocity;
        return field_function_is_set(&velocity[0]) || field_function_is_set(&velocity[1]) ||
               field_function_is_set(&velocity[2]);
    }
    Vec3 velocity = vec3_load(b->surface_velocity + 3 * partner);
    return vec3_dot(velocity, velocity) > 0.0;
}

static Vec3 running_velocity(const RigidBodies *b, int32_t partner, Vec3 x, double t) {
    if (!surface_runs(b, (size_t)partner)) return vec3(0, 0, 0);
    if (rigid_is_still_surface(b, (size_t)partner)) {
        const FieldFunction *velocity = rigid_still_surface(b, (size_t)partner)->material.velocity;
        return vec3(field_function_at(&velocity[0], x, t), field_function_at(&velocity[1], x, t),
                    field_function_at(&velocity[2], x, t));
    }
    return quat_rotate(quat_load(b->orientation + 4 * partner),
                       vec3_load(b->surface_velocity + 3 * partner));
}

void surface_pairs_run(const RigidBodies *b, const StepInfo *step, const ContactPair *pair,
                       ContactRow *row) {
    double t = step->end_time;
    row->runs = surface_runs(b, (size_t)pair->a) || surface_runs(b, (size_t)pair->b);
    if (!row->runs) return;
    Vec3 run = vec3_sub(running_velocity(b, pair->a, row->point, t),
                        running_velocity(b, pair->b, row->point, t));
    row->run = vec3_add_scaled(run, -vec3_dot(run, row->normal), row->normal);
}

/* ---- restitution that nothing answers ---- */

/* Whether a body of a material may bounce off another by the table. */
static bool bounces_by_table(const RigidBodies *b, int material) {
    for (size_t k = 0; k < b->material_pairs.count; k++) {
        const PlimMaterialPair *pair = &b->material_pairs.data[k];
        if ((pair->a == material || pair->b == material) && pair->restitution > 0.0) return true;
    }
    return false;
}

void surface_pairs_tell_restitution(const RigidBodies *b) {
    size_t first = rigid_count(b), found = 0, grounds = b->still_surfaces.count;
    if (b->options.restitution == PLIM_RESTITUTION_MAX) return;
    for (size_t i = 0; i < b->still_surfaces.count; i++)
        if (b->still_surfaces.data[i].material.restitution > 0.0) return;
    for (size_t i = rigid_count(b); i-- > 0;) {
        bool bounces = b->restitution[i] > 0.0;
        grounds += b->motion[i] != PLIM_DYNAMIC;
        if (b->motion[i] != PLIM_DYNAMIC && bounces) return;
        if (b->motion[i] != PLIM_DYNAMIC || !bounces) continue;
        if (bounces_by_table(b, b->material[i])) return;
        found++;
        first = i;
    }
    if (found == 0 || grounds == 0) return;
    context_log(b->context, PLIM_LOG_WARNING,
                "rigid body '%s'%s restitution %g and will not bounce off anything that stands "
                "still: of a pair the %s counts, and what stands still has 0; give it one too, or "
                "use 'contact: {restitution: max}'",
                b->extras.data[first].name, found > 1 ? ", as others, has" : " has",
                b->restitution[first],
                b->options.restitution == PLIM_RESTITUTION_MIN ? "lesser" : "product");
}
