/* A system of its own, as a user of system/ would write it: a dry chain of masses with dampers
 * between neighbours, the first of which is hung on a point of a surface of another system. */
#ifndef TESTS_HANGING_CHAIN_H
#define TESTS_HANGING_CHAIN_H

#include "system/dofs.h"

#include <string.h>

typedef struct Chain {
    PlimContext *context;
    StateSize sizes[1];
    double *position, *velocity, *velocity_half; /* m, m/s; three a mass */
    int dim;
    double mass, damping; /* kg of each, N s/m between neighbours */
    const char *hangs_on; /* the system */
    size_t surface;       /* of it */
    Vec3 arm;             /* m, in the axes of the surface */
} Chain;

#define CHAIN_FIELD(member, unit, role)                                                            \
    { #member, unit, FIELD_F64, role, 3, 0, offsetof(Chain, member) }
static const StateField chain_fields[] = {CHAIN_FIELD(position, "m", FIELD_STATE),
                                          CHAIN_FIELD(velocity, "m/s", FIELD_STATE),
                                          CHAIN_FIELD(velocity_half, "m/s", FIELD_WORK)};
static const char *const chain_groups[] = {"masses"};
static const StateSchema chain_schema = {.fields = chain_fields,
                                         .field_count = 3,
                                         .groups = chain_groups,
                                         .group_count = 1,
                                         .sizes_offset = offsetof(Chain, sizes)};

/* to = from + factor by */
static void chain_add(const Chain *c, double *to, const double *from, double factor, Vec3 by) {
    for (size_t i = 0; i < c->sizes[0].count; i++)
        vec3_store(to + 3 * i, vec3_add_scaled(vec3_load(from + 3 * i), factor, by));
}

static PlimStatus chain_predict(void *system, const StepInfo *step) {
    Chain *c = system;
    chain_add(c, c->velocity_half, c->velocity, 0.5 * step->dt, step->gravity);
    return PLIM_OK;
}

static PlimStatus chain_move(void *system, const StepInfo *step) {
    Chain *c = system;
    for (size_t i = 0; i < 3 * c->sizes[0].count; i++)
        c->position[i] += step->dt * c->velocity_half[i];
    return PLIM_OK;
}

static PlimStatus chain_accelerate(void *system, const StepInfo *step) {
    Chain *c = system;
    chain_add(c, c->velocity, c->velocity, step->dt, step->gravity);
    return PLIM_OK;
}

static double *chain_velocity(const Chain *c, SolveWhen when) {
    return when == SOLVE_HALF_STEP ? c->velocity_half : c->velocity;
}

static void chain_offer(const void *system, const StepInfo *step, SolveWhen when,
                        SystemDofs *dofs) {
    const Chain *c = system;
    double mass[9] = {0}, strength = sqrt(c->damping * step->dt);
    size_t dim = (size_t)c->dim;
    for (size_t a = 0; a < dim; a++) mass[a * dim + a] = c->mass;
    for (size_t i = 0; i < c->sizes[0].count; i++) {
        size_t first = dofs_add_block(dofs, c->dim, mass, chain_velocity(c, when) + 3 * i, NULL);
        for (size_t a = 0; i > 0 && a < dim; a++) {
            dof_rows_add(&dofs->dampers, first - dim + a, -strength);
            dof_rows_add(&dofs->dampers, first + a, strength);
            dof_rows_end(&dofs->dampers, 0);
        }
    }
}

static void chain_accept(void *system, const StepInfo *step, SolveWhen when,
                         const DofAnswer *answer) {
    Chain *c = system;
    (void)step;
    for (size_t i = 0; i < c->sizes[0].count; i++)
        memcpy(chain_velocity(c, when) + 3 * i, answer->velocity + (size_t)c->dim * i,
               (size_t)c->dim * sizeof(double));
}

/* The first mass moves with its point of the surface. */
static void chain_join(const void *system, const StepInfo *step, SolveWhen when,
                       const DofPartners *partners, DofRows *rows) {
    const Chain *c = system;
    const DofPartner *other = dof_partner_find(partners, c->hangs_on);
    Collider now = {0};
    (void)step;
    (void)when;
    other->surfaces->read(other->system, c->surface, &now);
    Vec3 x = vec3_add(now.position, quat_rotate(now.orientation, c->arm));
    for (int a = 0; a < c->dim; a++) {
        dof_rows_add_point(rows, other, c->surface, x, a, 1);
        dof_rows_add(rows, partners->partners[partners->own].first + (size_t)a, -1);
        dof_rows_end(rows, 0);
    }
}

static void chain_destroy(void *system) {
    Chain *c = system;
    state_free(c->context, &chain_schema, c);
}

static const DofClass chain_dofs = {
    .joins_blocks = true, .offer = chain_offer, .accept = chain_accept, .join = chain_join};
static const SystemClass chain_class = {.name = "chain",
                                        .schema = &chain_schema,
                                        .stage = {[STAGE_PREDICT] = chain_predict,
                                                  [STAGE_MOVE] = chain_move,
                                                  [STAGE_ADVECT] = chain_accelerate},
                                        .dofs = &chain_dofs,
                                        .destroy = chain_destroy};

#endif
