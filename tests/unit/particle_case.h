/* What the tests of the particle level set share: a level set, a flow and particles, made from
 * functions. */
#ifndef TESTS_PARTICLE_CASE_H
#define TESTS_PARTICLE_CASE_H

#include "advect_case.h"

#include "base/parallel.h"
#include "grid/particles/particle_level_set.h"

#include <string.h>

typedef struct ParticleCase {
    PlimContext *context;
    Scratch scratch;
    Grid grid;
    GridField phi, solid, velocity[3];
    const GridField *carriers[3];
    LevelParticles particles, drops;
    size_t room[2]; /* items that the arrays of particles and of drops have room for */
    uint64_t tally[2][PARTICLE_FATE_COUNT];
    ParticleOptions options;
    ParticleLevelSet set;
} ParticleCase;

static inline void *grown(void *block, size_t items, size_t size) {
    void *memory = realloc(block, (items + 1) * size);
    assert_non_null(memory);
    return memory;
}

static inline PlimStatus resize_list(void *user, LevelParticles *list, size_t count) {
    size_t *room = user;
    if (count > *room || !list->position) {
        *room = count + count / 2;
        list->position = grown(list->position, 3 * *room, sizeof *list->position);
        list->radius = grown(list->radius, *room, sizeof *list->radius);
        list->sign = grown(list->sign, *room, sizeof *list->sign);
        if (list->velocity) list->velocity = grown(list->velocity, 3 * *room, sizeof(double));
    }
    list->count = count;
    return PLIM_OK;
}

/* flow: dim functions, or NULL: at rest. solid: NULL: none. */
static inline ParticleCase *open_case(Grid grid, GridPlace place, int threads, Function phi,
                                      Function solid, const Function *flow) {
    ParticleCase *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->context = test_context(threads);
    c->grid = grid;
    c->options = particle_options_default(grid.dim);
    scratch_init(&c->scratch, c->context);
    c->phi = make_field(c->context, &grid, place, phi);
    if (solid) c->solid = make_field(c->context, &grid, PLACE_CELLS, solid);
    for (int axis = 0; axis < grid.dim; axis++) {
        if (flow)
            c->velocity[axis] = make_field(c->context, &grid, grid_place_faces(axis), flow[axis]);
        else
            c->velocity[axis] = make_random(c->context, &grid, grid_place_faces(axis), 0, 0.0);
        c->carriers[axis] = &c->velocity[axis];
    }
    c->particles = (LevelParticles){.resize = resize_list, .user = &c->room[0]};
    c->drops = (LevelParticles){.resize = resize_list, .user = &c->room[1]};
    c->drops.velocity = grown(NULL, 0, sizeof(double));
    resize_list(&c->room[0], &c->particles, 0);
    resize_list(&c->room[1], &c->drops, 0);
    c->set = (ParticleLevelSet){.options = &c->options,
                                .particles = &c->particles,
                                .drops = &c->drops,
                                .tally = {c->tally[0], c->tally[1]},
                                .phi = &c->phi,
                                .solid = solid ? &c->solid : NULL,
                                .threads = threads,
                                .scratch = &c->scratch};
    return c;
}

static inline void free_list(LevelParticles *list) {
    free(list->position);
    free(list->radius);
    free(list->sign);
    free(list->velocity);
}

static inline void close_case(ParticleCase *c) {
    assert_int_equal(scratch_mark(&c->scratch), 0);
    field_free(c->context, &c->phi);
    field_free(c->context, &c->solid);
    for (int axis = 0; axis < c->grid.dim; axis++) field_free(c->context, &c->velocity[axis]);
    free_list(&c->particles);
    free_list(&c->drops);
    scratch_free(&c->scratch);
    test_context_close(c->context);
    free(c);
}

/* Appends one, counted as seeded; returns its index. */
static inline size_t put(ParticleCase *c, LevelParticles *list, Vec3 at, double radius, int sign,
                         Vec3 velocity) {
    size_t i = list->count;
    assert_int_equal(list->resize(list->user, list, i + 1), PLIM_OK);
    vec3_store(list->position + 3 * i, at);
    list->radius[i] = radius;
    list->sign[i] = sign;
    if (list->velocity) vec3_store(list->velocity + 3 * i, velocity);
    c->tally[list == &c->drops][PARTICLE_SEEDED]++;
    return i;
}

/* All that were made are there or were taken away. */
static inline void assert_balance(const ParticleCase *c) {
    const uint64_t *p = c->tally[0], *d = c->tally[1];
    uint64_t taken = p[PARTICLE_ESCAPED] + p[PARTICLE_FAR] + p[PARTICLE_SURPLUS] +
                     p[PARTICLE_OUTSIDE] + p[PARTICLE_BURIED] + p[PARTICLE_MERGED];
    assert_int_equal(p[PARTICLE_SEEDED] + p[PARTICLE_RETURNED], c->particles.count + taken);
    taken = d[PARTICLE_RETURNED] + d[PARTICLE_FAR] + d[PARTICLE_SURPLUS] + d[PARTICLE_OUTSIDE] +
            d[PARTICLE_BURIED] + d[PARTICLE_MERGED];
    assert_int_equal(d[PARTICLE_SEEDED] + d[PARTICLE_ESCAPED], c->drops.count + taken);
}

#endif
