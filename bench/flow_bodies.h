/* Rigid bodies as the structure of a coupled flow solve (002 section 5.4.3), without a world: for
 * benchmarks and tests of the solve itself. Six velocities a block, pins and locks as rows. */
#ifndef BENCH_FLOW_BODIES_H
#define BENCH_FLOW_BODIES_H

#include "base/array.h"
#include "solve/coupled/coupled_flow.h"

#include <stdlib.h>
#include <string.h>

/* A rigid body; vectors of six hold the linear part first, the angular part about `center`. */
typedef struct FlowBody {
    bool is_free; /* else `velocity` is given and stays */
    Vec3 center;
    double mass[6][6];  /* kg, kg m, kg m^2; of free bodies, symmetric and positive definite */
    double momentum[6]; /* before the solve, with the impulses of forces over dt: B w* */
    int held_count;     /* rows of its velocity that stay zero: pins, locks, what is in its way */
    double held[12][6];
    double velocity[6]; /* given, or the first guess and then found */
    double through[6];  /* what the fluid at its surface moves at beyond that: a source (5.12) */
    double impulse[6];  /* found: what the fluid gave to it in dt, N s and N m s */
} FlowBody;

/* What a body's motion pushes through the part of a face that it closes, m^3/s along the axis, is
 * row . velocity. */
typedef struct FlowBodyFlux {
    int axis, at[3];
    int body;
    double row[6]; /* m^2, m^3 */
    double area;   /* m^2, for what is left over; 0: none of it comes here */
} FlowBodyFlux;

/* The same as a structure; memory is kept from one solve to the next. */
typedef struct FlowBodies {
    PlimContext *context;
    ARRAY(MassBlock) blocks;
    ARRAY(FlowFlux) fluxes;
    ARRAY(double) momentum, velocity, impulse, through;
    CsrBuilder flux_rows, held;
    FlowStructure structure;
    Csr flux_csr, held_csr;
} FlowBodies;

/* A rigid body's velocity along `axis` at `arm` from its center, v_a + (omega x r)_a, as a row
 * (5.10). */
static inline void flow_velocity_row(int axis, Vec3 arm, double row[6]) {
    vec3_store(row, vec3_axis(axis));
    vec3_store(row + 3, vec3_cross(arm, vec3_axis(axis)));
}

static inline void flow_bodies_free(FlowBodies *all, PlimContext *context) {
    array_free(context, &all->blocks);
    array_free(context, &all->fluxes);
    array_free(context, &all->momentum);
    array_free(context, &all->velocity);
    array_free(context, &all->impulse);
    array_free(context, &all->through);
    csr_builder_free(context, &all->flux_rows);
    csr_builder_free(context, &all->held);
}

static inline size_t flow_bodies_bytes(const FlowBodies *all) {
    return all->blocks.capacity * sizeof(MassBlock) + all->fluxes.capacity * sizeof(FlowFlux) +
           (all->momentum.capacity + all->velocity.capacity + all->impulse.capacity +
            all->through.capacity) *
               sizeof(double) +
           csr_builder_bytes(&all->flux_rows) + csr_builder_bytes(&all->held);
}

static inline bool flow_bodies_add_body(FlowBodies *all, const FlowBody *body) {
    PlimContext *context = all->context;
    MassBlock block = {.first = all->momentum.count, .size = 6, .is_free = body->is_free};
    memcpy(block.mass, body->mass, sizeof block.mass);
    if (!array_push(context, &all->blocks, block)) return false;
    for (int i = 0; i < 6; i++)
        if (!array_push(context, &all->momentum, body->momentum[i]) ||
            !array_push(context, &all->velocity, body->velocity[i]) ||
            !array_push(context, &all->through, body->through[i]) ||
            !array_push(context, &all->impulse, 0.0))
            return false;
    for (int h = 0; body->is_free && h < body->held_count; h++) {
        for (int i = 0; i < 6; i++)
            if (!csr_builder_add(context, &all->held, block.first + (size_t)i, body->held[h][i]))
                return false;
        if (!csr_builder_end_row(context, &all->held)) return false;
    }
    return true;
}

static inline bool flow_bodies_add_flux(FlowBodies *all, const FlowBodyFlux *flux) {
    FlowFlux place = {
        .axis = flux->axis, .at = {flux->at[0], flux->at[1], flux->at[2]}, .area = flux->area};
    if (!array_push(all->context, &all->fluxes, place)) return false;
    for (int i = 0; i < 6; i++)
        if (!csr_builder_add(all->context, &all->flux_rows, 6 * (size_t)flux->body + (size_t)i,
                             flux->row[i]))
            return false;
    return csr_builder_end_row(all->context, &all->flux_rows);
}

/* Sets the problem's structure and fluxes; body i has the velocities from 6 i on. */
static inline PlimStatus flow_bodies_load(FlowBodies *all, PlimContext *context,
                                          const FlowBody *bodies, size_t body_count,
                                          const FlowBodyFlux *fluxes, size_t flux_count,
                                          FlowProblem *problem) {
    bool good = true;
    all->context = context;
    all->blocks.count = all->fluxes.count = all->momentum.count = 0;
    all->velocity.count = all->impulse.count = all->through.count = 0;
    csr_builder_clear(&all->flux_rows);
    csr_builder_clear(&all->held);
    for (size_t b = 0; good && b < body_count; b++) good = flow_bodies_add_body(all, &bodies[b]);
    for (size_t f = 0; good && f < flux_count; f++) good = flow_bodies_add_flux(all, &fluxes[f]);
    good = good && csr_builder_view(context, &all->flux_rows, 6 * body_count, &all->flux_csr) &&
           csr_builder_view(context, &all->held, 6 * body_count, &all->held_csr);
    if (!good) return PLIM_OUT_OF_MEMORY;
    all->structure = (FlowStructure){.count = 6 * body_count,
                                     .blocks = all->blocks.data,
                                     .block_count = body_count,
                                     .momentum = all->momentum.data,
                                     .velocity = all->velocity.data,
                                     .impulse = all->impulse.data,
                                     .through = all->through.data,
                                     .constraints = &all->held_csr};
    problem->structure = body_count > 0 ? &all->structure : NULL;
    problem->fluxes = all->fluxes.data;
    problem->flux_rows = &all->flux_csr;
    return PLIM_OK;
}

/* What the solve found. */
static inline void flow_bodies_store(const FlowBodies *all, FlowBody *bodies) {
    for (size_t b = 0; b < all->blocks.count; b++) {
        memcpy(bodies[b].velocity, all->velocity.data + 6 * b, sizeof bodies[b].velocity);
        memcpy(bodies[b].impulse, all->impulse.data + 6 * b, sizeof bodies[b].impulse);
    }
}

/* ---- what a body is held from ---- */

/* Adds a row of the body's velocity that stays zero. */
static inline void flow_body_hold(FlowBody *body, const double row[6]) {
    if (body->held_count == (int)(sizeof body->held / sizeof *body->held)) abort();
    memcpy(body->held[body->held_count++], row, sizeof *body->held);
}

static inline void flow_body_hold_point(FlowBody *body, Vec3 arm) {
    double row[6];
    for (int axis = 0; axis < 3; axis++) {
        flow_velocity_row(axis, arm, row);
        flow_body_hold(body, row);
    }
}

static inline void flow_body_hold_turn(FlowBody *body) {
    for (int axis = 0; axis < 3; axis++)
        flow_body_hold(body, (double[6]){0, 0, 0, axis == 0, axis == 1, axis == 2});
}

static inline void flow_body_hold_plane(FlowBody *body) {
    flow_body_hold(body, (double[6]){0, 0, 1, 0, 0, 0});
    flow_body_hold(body, (double[6]){0, 0, 0, 1, 0, 0});
    flow_body_hold(body, (double[6]){0, 0, 0, 0, 1, 0});
}

/* J for an anchor whose surface is the number of a body. */
static inline void flow_body_surface_row(const void *user, const FlowAnchor *anchor, Vec3 x,
                                         int axis, SparseRow *row) {
    (void)user;
    row->count = 6;
    flow_velocity_row(axis, vec3_sub(x, anchor->center), row->value);
    for (int i = 0; i < 6; i++) row->column[i] = (int32_t)(6 * anchor->surface) + i;
}

#endif
