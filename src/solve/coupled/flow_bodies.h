/* Rigid bodies as the structure of a coupled flow solve (002 section 5.4.3): six velocities a
 * block, pins and locks as rows. */
#ifndef SOLVE_FLOW_BODIES_H
#define SOLVE_FLOW_BODIES_H

#include "base/array.h"
#include "solve/coupled/coupled_flow.h"

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
} FlowBodyFlux;

/* The same as a structure; memory is kept from one solve to the next. */
typedef struct FlowBodies {
    PlimContext *context;
    ARRAY(FlowBlock) blocks;
    ARRAY(FlowFlux) fluxes;
    ARRAY(double) momentum, velocity, impulse, through;
    CsrBuilder flux_rows, held;
    FlowStructure structure;
    Csr flux_csr, held_csr;
} FlowBodies;

void flow_bodies_free(FlowBodies *all, PlimContext *context);
size_t flow_bodies_bytes(const FlowBodies *all);
/* Sets the problem's structure and fluxes; body i has the velocities from 6 i on. */
PlimStatus flow_bodies_load(FlowBodies *all, PlimContext *context, const FlowBody *bodies,
                            size_t body_count, const FlowBodyFlux *fluxes, size_t flux_count,
                            FlowProblem *problem);
/* What the solve found. */
void flow_bodies_store(const FlowBodies *all, FlowBody *bodies);

/* A rigid body's velocity along `axis` at `arm` from its center, v_a + (omega x r)_a, as a row
 * (5.10). */
static inline void flow_velocity_row(int axis, Vec3 arm, double row[6]) {
    vec3_store(row, vec3_axis(axis));
    vec3_store(row + 3, vec3_cross(arm, vec3_axis(axis)));
}

/* Adds a row of the body's velocity that stays zero. */
void flow_body_hold(FlowBody *body, const double row[6]);
/* Pinned at a point that is `arm` from its centre; kept from turning; kept in the plane. */
void flow_body_hold_point(FlowBody *body, Vec3 arm);
void flow_body_hold_turn(FlowBody *body);
void flow_body_hold_plane(FlowBody *body);

/* J for an anchor whose surface is the number of a body. */
void flow_body_surface_row(const void *user, const FlowAnchor *anchor, Vec3 x, int axis,
                           FlowRow *row);

#endif
