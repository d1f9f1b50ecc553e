/* Monolithic fluid-structure coupling: viscosity, pressure and the bodies' motion in one solve (002
 * sections 5.4 to 5.7): the rows that colliders add to it, and the two solves of a step.
 *
 * W. A face whose middle is inside a collider, with viscosity, moves with it: what is open of it
 * has its mass merged into the collider's (a tie, eliminated). Other faces that it cuts are free
 * and open in part. The document ties whole faces between cell centres on either side of the
 * surface; with parts of faces the same rows are second order where it is first.
 * FLUID_SURFACE_FACES is the document's way.
 *
 * Gravity. Along axes that are not periodic the fluid's weight is carried by a pressure that is
 * left out (project.c), and with it the weight of the fluid that a body displaces: exactly, so that
 * a body of the fluid's density rests. Along periodic axes nothing carries it, and it accelerates
 * fluid and bodies alike. */
#include "fluid/body_forces.h"
#include "fluid/boundary.h"
#include "fluid/forces.h"
#include "fluid/internal.h"
#include "fluid/keep_apart.h"
#include "fluid/measure.h"
#include "fluid/project.h"

#include "grid/aperture.h"

#include <string.h>

/* The impulse at t = 0, and the two solves of a step. */
typedef enum SolveKind { SOLVE_START, SOLVE_HALF, SOLVE_WHOLE } SolveKind;

static SolidWhen when_of(SolveKind kind) {
    return kind == SOLVE_HALF ? SOLID_HALF_STEP : SOLID_WHOLE_STEP;
}

bool fluid_solves_for(const Fluid *fluid, size_t collider) {
    size_t body = fluid->colliders.list.data[collider].body;
    const SolidView *view = &fluid->desc.bodies_view;
    return fluid->desc.monolithic && !fluid->desc.one_way && body != FLUID_OBSTACLES &&
           view->is_free(view->system, body);
}

/* ---- J: what a collider's motion does at a face ---- */

static int collider_at(const void *user, Vec3 x, Vec3 *center) {
    const Fluid *fluid = user;
    Vec3 beside;
    const FluidCollider *collider = fluid_nearest(fluid, x, &beside);
    *center = vec3_add(collider->now.position, vec3_sub(x, beside));
    return (int)(collider - fluid->colliders.list.data);
}

/* ---- W: which faces a collider closes ---- */

/* Velocity is linear in place: its integral over the closed part of a face is exact from that part
 * and its first moment. But see fluid_moves_as_one. */
static FlowBodyFlux flux_of(const Fluid *fluid, int axis, const int at[3], double open,
                            int collider, Vec3 arm) {
    FlowBodyFlux flux = {.axis = axis, .at = {at[0], at[1], at[2]}, .body = collider};
    double area = grid_face_area(&fluid->grid), moment[3];
    flow_velocity_row(axis, arm, flux.row);
    for (int i = 0; i < 6; i++) flux.row[i] *= (1 - open) * area;
    if (!(open > 0) || fluid_moves_as_one(fluid)) return flux;
    Vec3 lost = fluid_aperture_moment(fluid, axis, at[0], at[1], at[2]);
    vec3_store(moment, vec3_cross(lost, vec3_axis(axis)));
    for (int i = 0; i < 3; i++) flux.row[3 + i] -= area * moment[i];
    return flux;
}

static PlimStatus add_face(Fluid *fluid, int axis, const int at[3]) {
    size_t face = grid_face_index(&fluid->grid, axis, at[0], at[1], at[2]);
    double open = fluid->cut.open[axis][face];
    if (!(open < 1)) return PLIM_OK;
    bool tied =
        open == 0 && fluid->cut.face_distance[axis] && fluid->cut.face_distance[axis][face] < 0;
    double part = tied ? fluid_covered_fraction(fluid, axis, at[0], at[1], at[2]) : 0;
    if (fluid_has_surface(fluid)) part *= fluid_face_part(fluid, axis, at);
    bool pushes = fluid_face_is_wet(fluid, axis, at);
    if (!pushes && part == 0) return PLIM_OK;
    Vec3 x = grid_face_center(&fluid->grid, axis, at[0], at[1], at[2]), center;
    int collider = collider_at(fluid, x, &center);
    Vec3 arm = vec3_sub(x, center);
    FlowBodyFlux flux = flux_of(fluid, axis, at, open, collider, arm);
    if (pushes && !array_push(fluid->context, &fluid->coupled.fluxes, flux))
        return PLIM_OUT_OF_MEMORY;
    FluidTie tie = {axis, face, (size_t)collider, arm, part};
    if (part > 0 && !array_push(fluid->context, &fluid->coupled.ties, tie))
        return PLIM_OUT_OF_MEMORY;
    return PLIM_OK;
}

PlimStatus fluid_gather_faces(Fluid *fluid) {
    const Grid *grid = &fluid->grid;
    fluid->coupled.fluxes.count = fluid->coupled.ties.count = 0;
    for (int axis = 0; axis < grid->dim && fluid->colliders.list.count > 0; axis++) {
        int last[3] = {grid->n[0], grid->n[1], grid->n[2]};
        if (!grid_is_periodic(grid, axis)) last[axis]++; /* else the last layer is the first */
        for (int k = 0; k < last[2]; k++)
            for (int j = 0; j < last[1]; j++)
                for (int i = 0; i < last[0]; i++) {
                    int at[3] = {i, j, k};
                    TRY(add_face(fluid, axis, at));
                }
    }
    return PLIM_OK;
}

static FlowAnchor surface_at(const void *user, Vec3 x) {
    FlowAnchor anchor;
    anchor.surface = (size_t)collider_at(user, x, &anchor.center);
    return anchor;
}

/* ---- bodies ---- */

/* What the body is held from: by a pin, from turning, by what stands in its way, in the plane. */
static void hold_body(const Fluid *fluid, const SolidMotion *solid, size_t collider,
                      FlowBody *body) {
    Vec3 center = fluid->colliders.list.data[collider].true_position, normals[3];
    if (fluid->grid.dim == 2) flow_body_hold_plane(body);
    if (solid->turn_locked) flow_body_hold_turn(body);
    if (solid->pinned) {
        flow_body_hold_point(body, vec3_sub(solid->pin, center));
        return;
    }
    int count = fluid_blocked(fluid, collider, vec3_load(body->momentum), normals);
    for (int i = 0; i < count; i++)
        flow_body_hold(body, (double[6]){normals[i].x, normals[i].y, normals[i].z, 0, 0, 0});
}

/* Momentum before the solve, less the weight of the fluid in the body's place. */
static void set_body(const Fluid *fluid, const StepInfo *step, const FluidCollider *collider,
                     const SolidMotion *solid, FlowBody *body) {
    memset(body->mass, 0, sizeof body->mass);
    for (int i = 0; i < 3; i++) {
        body->mass[i][i] = solid->mass;
        body->momentum[i] = solid->mass * vec3_component(solid->velocity, i);
        if (fluid_carries_weight(fluid, i) && !collider->is_elsewhere)
            body->momentum[i] -=
                fluid->desc.density * solid->volume * vec3_component(step->gravity, i) * step->dt;
    }
    double inertia[9];
    mat3_store(inertia, solid->inertia);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) body->mass[3 + i][3 + j] = inertia[3 * i + j];
    vec3_store(body->momentum + 3, mat3_apply(solid->inertia, solid->angular_velocity));
}

/* What the pressure at the middles of cells lacks of that at the surface. */
static void add_hydrostatic_correction(const StepInfo *step, const FluidCollider *collider,
                                       FlowBody *body) {
    for (int i = 0; i < 3; i++) {
        body->momentum[i] += step->dt * vec3_component(collider->hydrostatic, i);
        body->momentum[3 + i] += step->dt * vec3_component(collider->hydrostatic_torque, i);
    }
}

/* The fluid in the open part of a face that moves with the body: T^T B w*. It has moved with it
 * before, but at the start, and feels gravity where the body does and no pressure carries the
 * fluid's weight. */
static void merge_tie(const Fluid *fluid, const StepInfo *step, SolveKind kind,
                      const FluidTie *tie) {
    FlowBody *body = &fluid->coupled.bodies.data[tie->collider];
    double row[6], mass = tie->part * fluid->desc.density * grid_cell_volume(&fluid->grid), u = 0;
    if (!body->is_free) return;
    flow_velocity_row(tie->axis, tie->arm, row);
    const FluidCollider *collider = &fluid->colliders.list.data[tie->collider];
    for (int i = 0; i < 6; i++) u += row[i] * (collider->before[i] - collider->fall[i]);
    if (!fluid_carries_weight(fluid, tie->axis))
        u += vec3_component(step->gravity, tie->axis) * step->dt;
    if (kind == SOLVE_START) u = fluid_velocity(fluid, tie->axis)[tie->face];
    for (int i = 0; i < 6; i++) {
        body->momentum[i] += mass * u * row[i];
        for (int j = 0; j < 6; j++) body->mass[i][j] += mass * row[i] * row[j];
    }
}

/* What gravity has added to the body's velocities: g dt, or for a pinned body what its torque about
 * the pin makes of it. */
static void find_fall(const StepInfo *step, const SolidMotion *solid, FluidCollider *collider) {
    Vec3 fall = vec3_scale(step->dt, step->gravity), turn = vec3(0, 0, 0);
    if (solid->pinned) {
        Vec3 arm = vec3_sub(collider->true_position, solid->pin);
        double square = vec3_dot(arm, arm), about[9], r[3];
        mat3_store(about, solid->inertia);
        vec3_store(r, arm);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                about[3 * i + j] += solid->mass * ((i == j ? square : 0) - r[i] * r[j]);
        Vec3 torque = vec3_scale(solid->mass, vec3_cross(arm, fall));
        if (!solid->turn_locked) turn = mat3_apply(mat3_inverse(mat3_load(about)), torque);
        fall = vec3_cross(turn, arm);
    }
    vec3_store(collider->fall, fall);
    vec3_store(collider->fall + 3, turn);
}

static void keep_before(Fluid *fluid, const StepInfo *step, size_t i, const SolidMotion *solid) {
    FluidCollider *collider = &fluid->colliders.list.data[i];
    find_fall(step, solid, collider);
    bool carries = !fluid_has_surface(fluid) && !collider->is_elsewhere;
    collider->displaced = carries ? fluid->desc.density * solid->volume : 0;
    vec3_store(collider->before, solid->velocity);
    vec3_store(collider->before + 3, solid->angular_velocity);
}

static PlimStatus gather_bodies(Fluid *fluid, const StepInfo *step, SolveKind kind) {
    const SolidView *view = &fluid->desc.bodies_view;
    fluid->coupled.bodies.count = 0;
    fluid_find_hydrostatic_corrections(fluid, step);
    for (size_t i = 0; i < fluid->colliders.list.count; i++) {
        const FluidCollider *collider = &fluid->colliders.list.data[i];
        FlowBody body = {.is_free = fluid_solves_for(fluid, i), .center = collider->now.position};
        vec3_store(body.velocity, collider->now.velocity);
        vec3_store(body.velocity + 3, collider->now.angular_velocity);
        vec3_store(body.through, fluid_through(collider));
        SolidMotion solid;
        if (body.is_free) {
            view->read_motion(view->system, collider->body, when_of(kind), &solid);
            set_body(fluid, step, collider, &solid, &body);
            add_hydrostatic_correction(step, collider, &body);
            keep_before(fluid, step, i, &solid);
            hold_body(fluid, &solid, i, &body);
        }
        if (!array_push(fluid->context, &fluid->coupled.bodies, body)) return PLIM_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < fluid->coupled.ties.count; i++)
        merge_tie(fluid, step, kind, &fluid->coupled.ties.data[i]);
    return PLIM_OK;
}

static void accept_bodies(Fluid *fluid, SolveKind kind) {
    const SolidView *view = &fluid->desc.bodies_view;
    for (size_t i = 0; i < fluid->colliders.list.count; i++) {
        FluidCollider *collider = &fluid->colliders.list.data[i];
        const FlowBody *body = &fluid->coupled.bodies.data[i];
        if (!fluid_solves_for(fluid, i)) continue;
        Vec3 velocity = vec3_load(body->velocity), turning = vec3_load(body->velocity + 3);
        view->accept(view->system, collider->body, when_of(kind), velocity, turning);
        if (kind == SOLVE_HALF) continue;
        collider->now.velocity = velocity;
        collider->now.angular_velocity = turning;
    }
}

/* ---- the solve ---- */

static double greatest_speed(const Fluid *fluid) {
    double speed = fluid_greatest_velocity(fluid);
    for (size_t i = 0; i < fluid->coupled.bodies.count; i++) {
        const FlowBody *body = &fluid->coupled.bodies.data[i];
        speed = fmax(speed, vec3_length(vec3_load(body->velocity)));
        /* A body that starts: what its momentum makes of it together with the fluid it displaces.
         */
        double mass = body->mass[0][0] + fluid->colliders.list.data[i].displaced;
        if (body->is_free) speed = fmax(speed, vec3_length(vec3_load(body->momentum)) / mass);
    }
    return speed;
}

static PlimStatus solve_failed(const Fluid *fluid, const StepInfo *step) {
    const FlowResult *found = &fluid->coupled.result;
    return context_fail(step->context, PLIM_FAILED,
                        "t = %g s: the coupled solve stopped after %d iterations: %s; residuals "
                        "%g, %g kg m/s, %g m^3/s, wanted %g, %g, %g",
                        step->time, found->iterations, solve_reason_name(found->reason),
                        found->residual[FLOW_MOMENTUM], found->residual[FLOW_BODIES],
                        found->residual[FLOW_DIVERGENCE], found->tolerance[FLOW_MOMENTUM],
                        found->tolerance[FLOW_BODIES], found->tolerance[FLOW_DIVERGENCE]);
}

static PlimStatus solve(Fluid *fluid, const StepInfo *step, SolveKind kind) {
    /* Of the half step only the bodies' velocities are used, to move them. */
    double share = kind == SOLVE_HALF ? 10 : 1;
    double *velocity[3] = {fluid->velocity_x, fluid->velocity_y, fluid->velocity_z};
    TRY(fluid_gather_faces(fluid));
    TRY(gather_bodies(fluid, step, kind));
    TRY(fluid_set_given(fluid, step, step->end_time));
    TRY(fluid_find_sources(fluid, step, false));
    fluid->wall_time = step->end_time;
    ViscosityProblem viscous = fluid_viscosity_problem(fluid);
    FlowProblem problem = {.grid = &fluid->grid,
                           .density = fluid->desc.density,
                           .dt = step->dt,
                           .kind = fluid->cut.kind,
                           .source = fluid->sources.rate,
                           .viscosity = kind == SOLVE_START ? NULL : fluid->viscous.solver,
                           .viscous = &viscous,
                           .surface_at = surface_at,
                           .surface_row = flow_body_surface_row,
                           .user = fluid,
                           .momentum = share * fluid->desc.tolerance,
                           .threads = step->threads};
    if (fluid_has_surface(fluid)) problem.phi = fluid_surface_of_pressure(fluid);
    for (int axis = 0; axis < fluid->grid.dim; axis++) problem.open[axis] = fluid->cut.open[axis];
    /* Where nothing but rounding moves, what gravity could do is the scale. */
    problem.speed = 1e-9 * vec3_length(fluid->gravity) * step->dt;
    problem.divergence = problem.momentum * fmax(greatest_speed(fluid), problem.speed) *
                         grid_face_area(&fluid->grid);
    TRY(flow_bodies_load(&fluid->coupled.structure, fluid->context, fluid->coupled.bodies.data,
                         fluid->coupled.bodies.count, fluid->coupled.fluxes.data,
                         fluid->coupled.fluxes.count, &problem));
    TRY(coupled_flow_solve(fluid->coupled.solver, &problem, velocity, fluid->pressure,
                           &fluid->coupled.result));
    if (fluid->coupled.result.reason != SOLVE_CONVERGED) return solve_failed(fluid, step);
    flow_bodies_store(&fluid->coupled.structure, fluid->coupled.bodies.data);
    accept_bodies(fluid, kind);
    return PLIM_OK;
}

/* ---- the stages ---- */

/* What is thrown into the fluid at t = 0, or stands in its way, meets it with an impulse of
 * pressure in no time: momentum is kept, and the half step that was predicted gains what the body
 * does. */
PlimStatus fluid_solve_start(Fluid *fluid, const StepInfo *step) {
    const SolidView *view = &fluid->desc.bodies_view;
    StepInfo start = *step;
    start.gravity = vec3(0, 0, 0);
    start.end_time = step->time;
    TRY(solve(fluid, &start, SOLVE_START));
    memset(fluid->pressure, 0, fluid->sizes[FLUID_GROUP_CELLS].count * sizeof *fluid->pressure);
    for (size_t i = 0; i < fluid->colliders.list.count; i++) {
        const FluidCollider *collider = &fluid->colliders.list.data[i];
        if (!fluid_solves_for(fluid, i)) continue;
        SolidMotion half;
        view->read_motion(view->system, collider->body, SOLID_HALF_STEP, &half);
        Vec3 gain = vec3_sub(collider->now.velocity, vec3_load(collider->before));
        Vec3 turn = vec3_sub(collider->now.angular_velocity, vec3_load(collider->before + 3));
        view->accept(view->system, collider->body, SOLID_HALF_STEP, vec3_add(half.velocity, gain),
                     vec3_add(half.angular_velocity, turn));
    }
    return fluid_set_given(fluid, step, step->time);
}

/* 002 section 5.4, steps 2 and 3: the velocity of bodies at the half step. What the fluid does in
 * it is discarded. */
PlimStatus fluid_solve_half(Fluid *fluid, const StepInfo *step) {
    StepInfo half = *step;
    half.dt = 0.5 * step->dt;
    half.end_time = step->time + half.dt;
    size_t mark = scratch_mark(step->scratch);
    double *kept[FLUID_FLOW_COUNT];
    TRY(fluid_keep_flow(fluid, step->scratch, kept));
    if (fluid->desc.confinement > 0) TRY(fluid_load_faces(fluid, step));
    TRY(fluid_push_faces(fluid, &half));
    TRY(solve(fluid, &half, SOLVE_HALF));
    if (!fluid_has_surface(fluid)) fluid_keep_apart(fluid, step, SOLID_HALF_STEP);
    fluid_restore_flow(fluid, kept);
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}

/* What the fluid exerted on a collider, but for what carries weight. On a body that nothing
 * else holds that is what changed its momentum beside gravity, the fluid in its faces left out. */
static void keep_load(Fluid *fluid, const StepInfo *step, size_t i) {
    FluidCollider *collider = &fluid->colliders.list.data[i];
    const FlowBody *body = &fluid->coupled.bodies.data[i];
    const SolidView *view = &fluid->desc.bodies_view;
    Vec3 impulse = vec3_load(body->impulse), turn = vec3_load(body->impulse + 3);
    SolidMotion solid;
    bool is_free = fluid_solves_for(fluid, i);
    if (is_free) view->read_motion(view->system, collider->body, SOLID_WHOLE_STEP, &solid);
    bool is_held =
        !is_free || body->held_count > (fluid->grid.dim == 3 ? 0 : 3); /* not by the plane alone */
    if (!is_held) {
        Vec3 gain = vec3_sub(solid.velocity, vec3_load(collider->before));
        Vec3 spin = vec3_sub(solid.angular_velocity, vec3_load(collider->before + 3));
        Vec3 displaced = fluid_weight_of(fluid, collider->displaced);
        impulse = vec3_add_scaled(vec3_scale(solid.mass, gain), step->dt, displaced);
        turn = mat3_apply(solid.inertia, spin);
    }
    collider->friction = vec3_scale(1 / step->dt, impulse);
    collider->friction_torque = vec3_scale(1 / step->dt, turn);
    if (!is_held) return;
    collider->friction = vec3_add(collider->friction, collider->hydrostatic);
    collider->friction_torque = vec3_add(collider->friction_torque, collider->hydrostatic_torque);
}

/* The velocities of bodies as they are now. */
static void read_bodies(Fluid *fluid) {
    const SolidView *view = &fluid->desc.bodies_view;
    for (size_t i = 0; i < fluid->colliders.list.count; i++) {
        FluidCollider *collider = &fluid->colliders.list.data[i];
        if (!fluid_solves_for(fluid, i)) continue;
        SolidMotion solid;
        view->read_motion(view->system, collider->body, SOLID_WHOLE_STEP, &solid);
        collider->now.velocity = solid.velocity;
        collider->now.angular_velocity = solid.angular_velocity;
    }
}

/* Steps 6 and 7, after advection. */
PlimStatus fluid_solve_whole(Fluid *fluid, const StepInfo *step) {
    TRY(solve(fluid, step, SOLVE_WHOLE));
    if (!fluid_has_surface(fluid)) fluid_keep_apart(fluid, step, SOLID_WHOLE_STEP);
    read_bodies(fluid);
    TRY(fluid_set_given(fluid, step, step->end_time));
    TRY(fluid_find_sources(fluid, step, true)); /* for what is reported of the divergence */
    const FlowResult *found = &fluid->coupled.result;
    fluid->projected.incompatible = found->incompatible;
    fluid->projected.divergence = found->divergence;
    for (size_t i = 0; i < fluid->colliders.list.count; i++) keep_load(fluid, step, i);
    return fluid_check_balance(fluid, PLIM_FAILED, step->end_time, found->incompatible);
}
