/* Monolithic fluid-structure coupling, the fluid's side (002 sections 5.4 to 5.7): its part of the
 * problem, the faces that colliders close, and what becomes of what was found. couple/ makes rows
 * of them and solves.
 *
 * W. A face whose middle is inside a collider, with viscosity, moves with it: the fluid in what is
 * open of it is part of the collider's mass. Other faces that it cuts are free and open in part.
 * FLUID_SURFACE_FACES is the document's way, whole faces.
 *
 * Gravity. Along axes that are not periodic the fluid's weight is carried by a pressure that is
 * left out (project.c), and with it the weight of the fluid that a body displaces: a known force.
 */
#include "fluid/coupled.h"

#include "fluid/advect.h"
#include "fluid/body_forces.h"
#include "fluid/boundary.h"
#include "fluid/forces.h"
#include "fluid/internal.h"
#include "fluid/measure.h"

#include <string.h>

bool fluid_solves_for(const Fluid *fluid, size_t collider) {
    return fluid->desc.monolithic && !fluid->desc.one_way &&
           surface_is_free(&fluid->colliders.list.data[collider].ref);
}

bool fluid_solves_for_bodies(const Fluid *fluid) {
    for (size_t i = 0; i < fluid->colliders.list.count; i++)
        if (fluid_solves_for(fluid, i)) return true;
    return false;
}

/* ---- W: which faces a collider closes ---- */

static FlowAnchor nearest_surface(const void *system, Vec3 x) {
    const Fluid *fluid = system;
    Vec3 beside;
    const ImmersedCollider *collider = immersed_nearest(&fluid->colliders, x, &beside);
    return (FlowAnchor){.surface = (size_t)(collider - fluid->colliders.list.data),
                        .center = vec3_add(collider->now.position, vec3_sub(x, beside))};
}

/* Velocity is linear in place: its integral over the closed part of a face is exact from that part
 * and its middle. But see fluid_moves_as_one. */
static Vec3 middle_of_closed(const Fluid *fluid, int axis, const int at[3], double open, Vec3 x) {
    if (!(open > 0) || fluid_moves_as_one(fluid)) return x;
    Vec3 moment = fluid_aperture_moment(fluid, axis, at[0], at[1], at[2]); /* of the open part */
    return vec3_add_scaled(x, -1 / (1 - open), moment);
}

double fluid_tied_part(const Fluid *fluid, int axis, const int at[3]) {
    size_t face = grid_face_index(&fluid->grid, axis, at[0], at[1], at[2]);
    const double *distance = fluid->cut.face_distance[axis];
    bool tied = fluid->cut.open[axis][face] == 0 && distance && distance[face] < 0;
    double part = tied ? fluid_covered_fraction(fluid, axis, at[0], at[1], at[2]) : 0;
    return fluid_has_surface(fluid) ? part * fluid_face_part(fluid, axis, at) : part;
}

typedef struct FaceJob {
    const Fluid *fluid;
    int axis;
    GridList list;
    FlowFace *faces; /* of each in the list */
} FaceJob;

static bool is_closed(const void *user, int i, int j, int k) {
    const FaceJob *job = user;
    const Fluid *fluid = job->fluid;
    int at[3] = {i, j, k}, axis = job->axis;
    if (!(fluid->cut.open[axis][grid_face_index(&fluid->grid, axis, i, j, k)] < 1)) return false;
    /* The last layer of a periodic axis is the first. */
    if (grid_is_periodic(&fluid->grid, axis) && at[axis] == fluid->grid.n[axis]) return false;
    return fluid_face_is_wet(fluid, axis, at) || fluid_tied_part(fluid, axis, at) != 0;
}

/* A free body does not come through a wall: what covers the wall there does not push. */
static bool stays_behind_wall(const Fluid *fluid, int axis, const int at[3], size_t surface) {
    const Grid *grid = &fluid->grid;
    bool on_side = at[axis] == 0 || at[axis] == grid->n[axis];
    return on_side && grid->sides[axis][at[axis] > 0] == SIDE_WALL &&
           fluid_solves_for(fluid, surface);
}

static FlowFace describe_face(const Fluid *fluid, int axis, size_t face) {
    const Grid *grid = &fluid->grid;
    int at[3];
    grid_place_at(grid, grid_place_faces(axis), face, at);
    double open = fluid->cut.open[axis][face];
    Vec3 x = grid_face_center(grid, axis, at[0], at[1], at[2]);
    FlowAnchor anchor = nearest_surface(fluid, x);
    bool pushes =
        fluid_face_is_wet(fluid, axis, at) && !stays_behind_wall(fluid, axis, at, anchor.surface);
    return (FlowFace){.axis = axis,
                      .at = {at[0], at[1], at[2]},
                      .anchor = anchor,
                      .x = x,
                      .closed = pushes ? (1 - open) * grid_face_area(grid) : 0,
                      .middle = middle_of_closed(fluid, axis, at, open, x),
                      .mass = fluid_tied_part(fluid, axis, at) * fluid->desc.density *
                              grid_cell_volume(grid),
                      .velocity = fluid_velocity(fluid, axis)[face]};
}

static void describe_faces(void *user, size_t begin, size_t end) {
    const FaceJob *job = user;
    for (size_t i = begin; i < end; i++)
        job->faces[i] = describe_face(job->fluid, job->axis, job->list.items[i]);
}

static PlimStatus gather_across(Fluid *fluid, const StepInfo *step, int axis) {
    enum { GRAIN = 64 };
    FaceJob job = {.fluid = fluid, .axis = axis};
    size_t mark = scratch_mark(step->scratch);
    TRY(grid_gather(&fluid->grid, grid_place_faces(axis), step->threads, is_closed, &job,
                    step->scratch, &job.list));
    if (!array_reserve(fluid->context, &fluid->coupled.faces, job.list.count + 1))
        return PLIM_OUT_OF_MEMORY;
    job.faces = fluid->coupled.faces.data + fluid->coupled.faces.count;
    parallel_for(step->threads, job.list.count, GRAIN, describe_faces, &job);
    fluid->coupled.faces.count += job.list.count;
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}

PlimStatus fluid_gather_faces(Fluid *fluid, const StepInfo *step) {
    fluid->coupled.faces.count = 0;
    for (int axis = 0; axis < fluid->grid.dim && fluid->colliders.list.count > 0; axis++)
        TRY(gather_across(fluid, step, axis));
    TRY(fluid_find_shared_cells(fluid, step));
    return fluid_add_film_faces(fluid);
}

/* ---- the offer ---- */

/* What carries the weight of the fluid in a body's place is known, as is what the pressure at the
 * middles of cells lacks of that at the surface. */
static void add_known_forces(const Fluid *fluid, const StepInfo *step,
                             const ImmersedCollider *collider, FlowSurface *surface) {
    FluidLoad *load = fluid_load(fluid, collider);
    double mass = fluid->desc.density * surface_describe(&collider->ref).volume;
    bool is_carried = !collider->is_elsewhere;
    double lift[3] = {0, 0, 0};
    for (int axis = 0; axis < 3; axis++)
        if (is_carried && fluid_carries_weight(fluid, axis))
            lift[axis] = -mass * vec3_component(step->gravity, axis);
    surface->force = vec3_add(vec3_load(lift), load->hydrostatic);
    surface->torque = load->hydrostatic_torque;
    Vec3 arm = fluid_displaced_arm(collider);
    if (vec3_length(arm) > 0)
        surface->torque = vec3_add(surface->torque, vec3_cross(arm, vec3_load(lift)));
    if (step->dt > 0) {
        surface->force = vec3_add_scaled(surface->force, 1 / step->dt, load->covered);
        surface->torque = vec3_add_scaled(surface->torque, 1 / step->dt, load->covered_torque);
    }
    load->displaced = is_carried && !fluid_has_surface(fluid) ? mass : 0;
    surface->displaced = load->displaced;
}

static PlimStatus offer_surfaces(Fluid *fluid, const StepInfo *step, SolveWhen when) {
    fluid->coupled.surfaces.count = 0;
    TRY(fluid_find_hydrostatic_corrections(fluid, step));
    for (size_t i = 0; i < fluid->colliders.list.count; i++) {
        const ImmersedCollider *collider = &fluid->colliders.list.data[i];
        FlowSurface surface = {.ref = collider->ref,
                               .is_solved_for = fluid_solves_for(fluid, i),
                               .now = collider->now,
                               .position = collider->true_position,
                               .through = immersed_through(collider),
                               .displaced = fluid_load(fluid, collider)->displaced};
        if (surface.is_solved_for && when != SOLVE_IMPACT)
            add_known_forces(fluid, step, collider, &surface);
        if (!array_push(fluid->context, &fluid->coupled.surfaces, surface))
            return PLIM_OUT_OF_MEMORY;
    }
    return PLIM_OK;
}

/* Of the half step only the bodies' velocities are used, to move them: it may be less exact. */
static FlowProblem make_problem(const Fluid *fluid, const StepInfo *step, SolveWhen when,
                                ViscosityProblem *viscous) {
    FlowProblem problem = {.grid = &fluid->grid,
                           .density = fluid->desc.density,
                           .dt = step->dt,
                           .kind = fluid->cut.kind,
                           .source = fluid->sources.rate,
                           .viscosity = solve_is_impulse(when) ? NULL : fluid->viscous.solver,
                           .viscous = viscous,
                           .momentum = (when == SOLVE_HALF_STEP ? 10 : 1) * fluid->desc.tolerance,
                           .threads = step->threads};
    if (fluid_has_surface(fluid)) problem.phi = fluid_surface_of_pressure(fluid);
    for (int axis = 0; axis < fluid->grid.dim; axis++) problem.open[axis] = fluid->cut.open[axis];
    /* Where nothing but rounding moves, what gravity could do is the scale. */
    problem.speed = 1e-9 * vec3_length(fluid->gravity) * step->dt;
    return problem;
}

static PlimStatus make_offer(Fluid *fluid, SolveWhen when, FlowOffer *offer) {
    const StepInfo *step = &offer->step;
    TRY(fluid_gather_faces(fluid, step));
    TRY(offer_surfaces(fluid, step, when));
    TRY(fluid_set_given(fluid, step, step->end_time));
    TRY(fluid_find_sources(fluid, step, false));
    fluid->wall_time = step->end_time;
    fluid->coupled.viscous = fluid_viscosity_problem(fluid);
    if (!solve_is_impulse(when)) fluid_push_by_last_pressure(fluid, step);
    offer->problem = make_problem(fluid, step, when, &fluid->coupled.viscous);
    for (int axis = 0; axis < 3; axis++) {
        offer->velocity[axis] = fluid_velocity(fluid, axis);
        offer->carries_weight[axis] = fluid_carries_weight(fluid, axis);
    }
    offer->pressure = fluid->pressure;
    offer->solver = fluid->coupled.solver;
    offer->speed = fluid_greatest_velocity(fluid);
    offer->surfaces = fluid->coupled.surfaces.data;
    offer->surface_count = fluid->coupled.surfaces.count;
    offer->faces = fluid->coupled.faces.data;
    offer->face_count = fluid->coupled.faces.count;
    offer->nearest = nearest_surface;
    offer->system = fluid;
    offer->viscosity = fluid->desc.viscosity;
    offer->roughness = fluid->desc.roughness;
    offer->keeps_momentum = fluid_conserves(fluid) && when == SOLVE_WHOLE_STEP;
    return PLIM_OK;
}

/* What a step at the start is: an impulse in no time, without forces. */
static bool wants(const void *system, const StepInfo *step, SolveWhen when) {
    const Fluid *fluid = system;
    if (!fluid->coupled.solver || fluid->desc.is_given) return false;
    switch (when) {
    case SOLVE_START:
        return step->time == 0 && (fluid->desc.carries_velocity || fluid->viscous.solver);
    case SOLVE_IMPACT:
    case SOLVE_HALF_STEP: /* none is needed where bodies keep their places */
        return !fluid->desc.hold_bodies && fluid_solves_for_bodies(fluid);
    default:
        return true;
    }
}

/* What the pressure of the last step is to viscosity's solve, before there was one. */
static PlimStatus find_first_pressure(Fluid *fluid, const StepInfo *step) {
    bool is_first = step->time == 0 && fluid->liquid.wet_corners;
    return is_first ? fluid_estimate_pressure(fluid, step) : PLIM_OK;
}

/* 002 section 5.4, steps 2 and 3: the velocity of bodies at the half step. What the fluid does in
 * it is discarded. */
static PlimStatus begin_half(Fluid *fluid, const StepInfo *step, FlowOffer *offer) {
    offer->step.dt = 0.5 * step->dt;
    offer->step.end_time = step->time + offer->step.dt;
    fluid->coupled.mark = scratch_mark(step->scratch);
    TRY(fluid_keep_flow(fluid, step->scratch, fluid->coupled.kept));
    if (fluid->desc.confinement > 0) TRY(fluid_load_faces(fluid, step));
    TRY(fluid_push_faces(fluid, &offer->step));
    return find_first_pressure(fluid, &offer->step);
}

/* The pressure of the last step has acted on dragged faces: it is kept, to be taken out again. */
static PlimStatus keep_pressure(Fluid *fluid, const StepInfo *step) {
    TRY(find_first_pressure(fluid, step));
    size_t count = fluid->sizes[FLUID_GROUP_CELLS].count;
    fluid->coupled.mark = scratch_mark(step->scratch);
    double *kept = scratch_take(step->scratch, count, sizeof *kept);
    if (!kept) return PLIM_OUT_OF_MEMORY;
    memcpy(kept, fluid->pressure, count * sizeof *kept);
    fluid->coupled.kept[FLUID_GROUP_CELLS] = kept;
    return PLIM_OK;
}

/* Dragged faces feel the pressure that was found. */
static void drag_by_pressure_found(Fluid *fluid, const StepInfo *step) {
    double *found = fluid->pressure;
    fluid->pressure = fluid->coupled.kept[FLUID_GROUP_CELLS];
    fluid_drag_by_pressure(fluid, step, -1);
    fluid->pressure = found;
    fluid_drag_by_pressure(fluid, step, 1);
    scratch_release(step->scratch, fluid->coupled.mark);
}

static PlimStatus begin(void *system, const StepInfo *step, SolveWhen when, FlowOffer *offer) {
    Fluid *fluid = system;
    if (when == SOLVE_WHOLE_STEP && fluid->liquid.wet_corners) TRY(keep_pressure(fluid, step));
    if (when == SOLVE_HALF_STEP) TRY(begin_half(fluid, step, offer));
    if (when == SOLVE_IMPACT) {
        fluid->coupled.mark = scratch_mark(step->scratch);
        TRY(fluid_keep_flow(fluid, step->scratch, fluid->coupled.kept));
    }
    if (solve_is_impulse(when)) {
        offer->step.gravity = vec3(0, 0, 0);
        offer->step.end_time = step->time;
    }
    return make_offer(fluid, when, offer);
}

/* ---- what was found ---- */

static void read_velocities(Fluid *fluid, const FlowOffer *offer) {
    for (size_t i = 0; i < offer->surface_count; i++) {
        const FlowSurface *surface = &offer->surfaces[i];
        if (!surface->is_solved_for) continue;
        fluid->colliders.list.data[i].now.velocity = vec3_load(surface->velocity);
        fluid->colliders.list.data[i].now.angular_velocity = vec3_load(surface->velocity + 3);
    }
}

/* What is thrown into the fluid at t = 0, or stands in its way, meets it with an impulse of
 * pressure in no time: momentum is kept. */
static PlimStatus end_start(Fluid *fluid, const StepInfo *step, const FlowOffer *offer) {
    read_velocities(fluid, offer);
    memset(fluid->pressure, 0, fluid->sizes[FLUID_GROUP_CELLS].count * sizeof *fluid->pressure);
    return fluid_set_given(fluid, step, step->time);
}

/* The impulse of pressure is none of the pressure of the step. */
static PlimStatus end_impact(Fluid *fluid, const StepInfo *step, const FlowOffer *offer) {
    read_velocities(fluid, offer);
    memcpy(fluid->pressure, fluid->coupled.kept[FLUID_GROUP_CELLS],
           fluid->sizes[FLUID_GROUP_CELLS].count * sizeof *fluid->pressure);
    scratch_release(step->scratch, fluid->coupled.mark);
    return fluid_set_given(fluid, step, step->time);
}

/* What the fluid exerted on a collider, but for what carries weight. On a body that nothing
 * else holds that is what changed its momentum beside gravity, the fluid in its faces left out. */
static void keep_load(Fluid *fluid, const StepInfo *step, const FlowSurface *surface,
                      FluidLoad *load) {
    bool is_held = !surface->is_solved_for || surface->is_held;
    Vec3 impulse = vec3_load(surface->impulse), turn = vec3_load(surface->impulse + 3);
    if (!is_held) {
        Vec3 displaced = fluid_weight_of(fluid, load->displaced);
        impulse = vec3_add_scaled(vec3_load(surface->gain), step->dt, displaced);
        turn = vec3_load(surface->gain + 3);
    }
    load->friction = vec3_scale(1 / step->dt, impulse);
    load->friction_torque = vec3_scale(1 / step->dt, turn);
    if (!is_held) return;
    load->friction = vec3_add(load->friction, load->hydrostatic);
    load->friction_torque = vec3_add(load->friction_torque, load->hydrostatic_torque);
    load->friction = vec3_add_scaled(load->friction, 1 / step->dt, load->covered);
    load->friction_torque =
        vec3_add_scaled(load->friction_torque, 1 / step->dt, load->covered_torque);
}

/* Steps 6 and 7, after advection. */
static PlimStatus end_whole(Fluid *fluid, const StepInfo *step, const FlowOffer *offer) {
    const FlowResult *found = &fluid->coupled.result;
    read_velocities(fluid, offer);
    if (fluid->liquid.wet_corners) drag_by_pressure_found(fluid, step);
    TRY(fluid_set_given(fluid, step, step->end_time));
    TRY(fluid_find_sources(fluid, step, true)); /* for what is reported of the divergence */
    fluid->projected.incompatible = found->incompatible;
    fluid->projected.divergence = found->divergence;
    for (size_t i = 0; i < offer->surface_count; i++) {
        FluidLoad *load = fluid_load(fluid, &fluid->colliders.list.data[i]);
        keep_load(fluid, step, &offer->surfaces[i], load);
        load->covered = load->covered_torque = vec3(0, 0, 0); /* the collider has it */
    }
    TRY(fluid_check_balance(fluid, PLIM_FAILED, step->end_time, found->incompatible));
    return fluid_settle_velocity(fluid, step);
}

static PlimStatus end(void *system, const StepInfo *step, SolveWhen when, const FlowOffer *offer,
                      const FlowResult *result) {
    Fluid *fluid = system;
    fluid->coupled.result = *result;
    switch (when) {
    case SOLVE_START:
        return end_start(fluid, step, offer);
    case SOLVE_IMPACT:
        fluid->coupled.impact_iterations += result->iterations;
        return end_impact(fluid, step, offer);
    case SOLVE_HALF_STEP:
        fluid->coupled.half_iterations += result->iterations;
        fluid_restore_flow(fluid, fluid->coupled.kept);
        scratch_release(step->scratch, fluid->coupled.mark);
        return PLIM_OK;
    default:
        return end_whole(fluid, step, offer);
    }
}

static bool solved_surface(const void *system, size_t number, SurfaceRef *out) {
    const Fluid *fluid = system;
    for (size_t i = 0; i < fluid->colliders.list.count; i++) {
        if (!fluid->coupled.solver || !fluid_solves_for(fluid, i) || number-- > 0) continue;
        *out = fluid->colliders.list.data[i].ref;
        return true;
    }
    return false;
}

const FlowClass fluid_flow = {.wants = wants,
                              .begin = begin,
                              .end = end,
                              .solved_surface = solved_surface,
                              .carry = fluid_carry};
