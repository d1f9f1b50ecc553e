/* The stages of deformable solids: Newmark with explicit elastic and implicit damping forces (002
 * sections 4.2, 4.3, 4.7, 5.3), the implicit midpoint rule, backward Euler, statics. */
#include "deform/internal.h"

#include <string.h>

static size_t value_count(const Deform *d) {
    return 3 * deform_count(d, DEFORM_NODES);
}

static double *work(const Deform *d, int which) {
    return d->work[which].data;
}

/* h of the solve for positions: v^{n+1/2} is half a step from v^n, but backward Euler's whole. */
static double half_of(const Deform *d, const StepInfo *step) {
    bool is_whole =
        d->options.integrator == DEFORM_BACKWARD_EULER || d->options.integrator == DEFORM_STATIC;
    return is_whole ? step->dt : 0.5 * step->dt;
}

/* Drag at the start, so that sheets settle (000 section 3.2.3): -m c v is a part of the mass that
 * the end of h sees. */
static double mass_factor(const Deform *d, const StepInfo *step, double h) {
    return step->time < d->options.preroll ? 1 + h * d->options.drag : 1.0;
}

/* to = m v + h (outside + elastic if asked for). */
static void add_up_impulse(const Deform *d, const double *v, double h, double mass,
                           const double *elastic, double *to) {
    for (size_t i = 0; i < value_count(d); i++)
        to[i] = mass * d->mass[i / 3] * v[i] + h * (d->outside[i] + (elastic ? elastic[i] : 0.0));
}

/* v*^{n+1/2}: a first guess for the implicit ones. */
PlimStatus deform_predict(void *system, const StepInfo *step) {
    Deform *d = system;
    bool is_static = d->options.integrator == DEFORM_STATIC;
    double h = half_of(d, step), when = is_static ? step->end_time : step->time + 0.5 * step->dt;
    double residual = d->figures.residual;
    d->figures = (DeformFigures){.residual = residual};
    d->step_start = step->time;
    pairs_clear(d);
    d->step_end = step->end_time;
    deform_mark_pins(d, step->time, step->end_time);
    if (d->options.integrator == DEFORM_BACKWARD_EULER) when = step->end_time;
    TRY(deform_outside_forces(d, step, when));
    bool is_explicit = d->options.integrator == DEFORM_NEWMARK;
    for (size_t i = 0; i < value_count(d); i++) {
        double force = d->outside[i] + (is_explicit ? d->elastic[i] : 0.0);
        d->velocity_half[i] = is_static ? 0.0 : d->velocity[i] + h * force / d->mass[i / 3];
    }
    return PLIM_OK;
}

/* One solve for v^{n+1/2}, with h of v^n's forces in p. */
static PlimStatus solve_for_positions(Deform *d, const StepInfo *step, double h) {
    bool is_static = d->options.integrator == DEFORM_STATIC;
    bool is_explicit = d->options.integrator == DEFORM_NEWMARK;
    DeformProblem problem = {.x = d->position,
                             .impulse = work(d, DEFORM_KEPT),
                             .v = d->velocity_half,
                             .h = h,
                             .mass = is_static ? 0.0 : mass_factor(d, step, h),
                             .has_elastic = !is_explicit,
                             .finds_contact = true};
    add_up_impulse(d, d->velocity, h, is_static ? 0.0 : 1.0, is_explicit ? d->elastic : NULL,
                   work(d, DEFORM_KEPT));
    TRY(deform_pin_targets(d, step, d->velocity_half));
    pushed_begin(d, h, step->dt);
    contact_begin(d, step);
    TRY(deform_solve(d, step, &problem));
    const double *residual = work(d, DEFORM_RESIDUAL), *slide = work(d, DEFORM_SLIDE);
    for (size_t i = 0; i < value_count(d); i++) {
        /* What damping gave in the first half. Contact acts on the whole step at its end, so that
         * what leads nodes to a surface does not become velocity. */
        d->half_impulse[i] =
            d->mass[i / 3] * d->velocity_half[i] - problem.impulse[i] - residual[i] - slide[i];
        d->reaction[i] = (residual[i] + slide[i]) / h;
    }
    return PLIM_OK;
}

/* v^{n+1/2}, with damping, pins and contact. A step of the midpoint rule that makes energy out of
 * nothing is taken again by backward Euler, which only loses it. */
static PlimStatus solve_guarded(Deform *d, const StepInfo *step) {
    d->is_whole = d->options.integrator == DEFORM_BACKWARD_EULER;
    if (d->options.integrator != DEFORM_MIDPOINT)
        return solve_for_positions(d, step, half_of(d, step));
    size_t mark = scratch_mark(step->scratch);
    double *before = scratch_take(step->scratch, d->bodies.count, sizeof *before);
    if (!before) return PLIM_OUT_OF_MEMORY;
    deform_body_energies(d, before);
    TRY(solve_for_positions(d, step, 0.5 * step->dt));
    TRY(deform_guard_energy(d, step, before, &d->is_whole));
    scratch_release(step->scratch, mark);
    d->figures.damped = d->is_whole;
    return d->is_whole ? solve_for_positions(d, step, step->dt) : PLIM_OK;
}

PlimStatus deform_find_positions(Deform *d, const StepInfo *step) {
    TRY(solve_guarded(d, step));
    if (d->options.integrator != DEFORM_STATIC) limit_strain(d, step);
    return PLIM_OK;
}

PlimStatus deform_solve_positions(void *system, const StepInfo *step) {
    Deform *d = system;
    return d->pushed.count > 0 ? PLIM_OK : deform_find_positions(d, step);
}

PlimStatus deform_move(void *system, const StepInfo *step) {
    Deform *d = system;
    if (d->options.elastic == DEFORM_MIDDLE)
        memcpy(work(d, DEFORM_KEPT), d->position, value_count(d) * sizeof *d->position);
    memset(d->collision_change, 0, value_count(d) * sizeof *d->collision_change);
    if (d->self_faces.count > 0)
        memcpy(d->position_before, d->position, value_count(d) * sizeof *d->position);
    for (size_t i = 0; i < value_count(d); i++) d->position[i] += step->dt * d->velocity_half[i];
    TRY(deform_snap_pins(d, step));
    if (d->options.contact) contact_push_out(d);
    return PLIM_OK;
}

/* ---- velocities ---- */

/* Newmark's p for the second half: v^n and what the first half gave, then the elastic force over
 * the step as `elastic` says. */
static PlimStatus accelerate_newmark(Deform *d, const StepInfo *step) {
    double dt = step->dt, *impulse = work(d, DEFORM_NEXT), *force = work(d, DEFORM_FORCE);
    ForceParts at_end = {.x = d->position, .elastic = true};
    const double *first = d->elastic;
    double before = 0.5, after = 0.5;
    if (d->options.elastic == DEFORM_MIDDLE) {
        double *middle = work(d, DEFORM_KEPT);
        for (size_t i = 0; i < value_count(d); i++) middle[i] = 0.5 * (middle[i] + d->position[i]);
        ForceParts parts = {.x = middle, .elastic = true};
        TRY(deform_forces(d, step, &parts, force, NULL));
        before = 0;
        after = 1;
    } else {
        TRY(deform_forces(d, step, &at_end, force, NULL));
        if (d->options.elastic == DEFORM_LAST) before = 0, after = 1;
    }
    for (size_t i = 0; i < value_count(d); i++)
        impulse[i] = d->mass[i / 3] * d->velocity[i] + dt * d->outside[i] +
                     dt * (before * first[i] + after * force[i]) + d->half_impulse[i] +
                     d->mass[i / 3] * d->collision_change[i];
    for (size_t i = 0; d->limit_edges.count > 0 && i < value_count(d); i++)
        impulse[i] += d->mass[i / 3] * d->limited.data[i];
    memcpy(work(d, DEFORM_KEPT), impulse, value_count(d) * sizeof *impulse);
    if (d->options.elastic == DEFORM_MIDDLE)
        return deform_forces(d, step, &at_end, d->elastic, NULL);
    memcpy(d->elastic, force, value_count(d) * sizeof *force);
    return PLIM_OK;
}

PlimStatus deform_accelerate(void *system, const StepInfo *step) {
    Deform *d = system;
    return d->options.integrator == DEFORM_NEWMARK ? accelerate_newmark(d, step) : PLIM_OK;
}

/* The second half of Newmark's damping, with contact at x^{n+1}. */
static PlimStatus finish_newmark(Deform *d, const StepInfo *step) {
    const double *impulse = work(d, DEFORM_KEPT);
    DeformProblem problem = {.x = d->position,
                             .impulse = impulse,
                             .v = d->velocity,
                             .h = 0.5 * step->dt,
                             .mass = mass_factor(d, step, 0.5 * step->dt)};
    for (size_t i = 0; i < value_count(d); i++) d->velocity[i] = impulse[i] / d->mass[i / 3];
    TRY(deform_pin_velocities(d, step));
    contact_at_end(d);
    TRY(deform_solve(d, step, &problem));
    const double *residual = work(d, DEFORM_RESIDUAL), *slide = work(d, DEFORM_SLIDE);
    for (size_t i = 0; i < value_count(d); i++)
        d->reaction[i] = (residual[i] + slide[i]) / step->dt;
    if (d->has_timed_pins) deform_follow_loose(d, step->end_time);
    TRY(deform_yield(d, step));
    /* Damping was computed where stresses are kept. */
    if (d->has_damping || deform_count(d, DEFORM_PLASTIC) > 0) TRY(deform_refresh(d, step));
    d->now = step->end_time;
    return PLIM_OK;
}

/* v^{n+1} = 2 v^{n+1/2} - v^n (002 section 4.7 with the middle's force). What limits of strain and
 * collisions of meshes changed counts once. */
static void finish_midpoint(Deform *d, double dt) {
    for (size_t i = 0; i < value_count(d); i++)
        d->velocity[i] = 2 * d->velocity_half[i] - d->velocity[i] - d->collision_change[i];
    for (size_t i = 0; d->limit_edges.count > 0 && i < value_count(d); i++)
        d->velocity[i] -= d->limited.data[i];
    contact_final_velocities(d, dt);
}

PlimStatus deform_find_velocities(Deform *d, const StepInfo *step) {
    switch (d->options.integrator) {
    case DEFORM_NEWMARK:
        return finish_newmark(d, step);
    case DEFORM_MIDPOINT:
    case DEFORM_BACKWARD_EULER:
        if (d->is_whole && d->options.integrator == DEFORM_MIDPOINT)
            deform_restore_spin(d, step->dt, d->velocity_half);
        if (d->is_whole)
            memcpy(d->velocity, d->velocity_half, value_count(d) * sizeof *d->velocity);
        else
            finish_midpoint(d, step->dt);
        break;
    case DEFORM_STATIC:
        memset(d->velocity, 0, value_count(d) * sizeof *d->velocity);
        break;
    }
    if (d->options.integrator != DEFORM_STATIC) TRY(deform_pin_velocities(d, step));
    if (d->has_timed_pins) deform_follow_loose(d, step->end_time);
    TRY(deform_yield(d, step));
    TRY(deform_refresh(d, step));
    PairMotion at_end = {.x = d->position, .h = 1, .dt = 1};
    d->figures.contact_energy = pairs_add_forces(d, step->threads, &at_end, NULL);
    d->now = step->end_time;
    return PLIM_OK;
}

PlimStatus deform_solve_velocities(void *system, const StepInfo *step) {
    Deform *d = system;
    return d->pushed.count > 0 ? PLIM_OK : deform_find_velocities(d, step);
}

/* ---- between steps ---- */

PlimStatus deform_refresh(void *system, const StepInfo *step) {
    Deform *d = system;
    ForceParts parts = {.x = d->position, .elastic = true};
    d->now = step->time;
    deform_mark_pins(d, step->time, step->time);
    deform_set_shapes(d, step->threads); /* of a state that was read */
    return deform_forces(d, step, &parts, d->elastic, NULL);
}

/* Newmark is stable for w dt < 2; `last` oscillates for w dt < 4/3, where the recurrence with the
 * determinant 1 - (w dt)^2 / 2 and the trace 2 - 3 (w dt)^2 / 2 has complex roots. */
double deform_max_dt(const void *system, const StepInfo *step) {
    Deform *d = (Deform *)(uintptr_t)system; /* its memory for work alone is written */
    double passing =
        d->options.integrator == DEFORM_STATIC ? HUGE_VAL : contact_longest_step(d, step->dt);
    /* Short steps make collisions gentle; that is no reason to end a run. */
    if (d->self_faces.count > 0)
        passing = fmin(passing, fmax(deform_collision_step(d), step->dt / 25));
    if (d->step_limit[0] > 0) passing = fmin(passing, d->step_limit[0]);
    if (d->options.integrator != DEFORM_NEWMARK) return passing;
    double square = deform_highest_square(d, step->threads);
    double stable = d->options.elastic == DEFORM_LAST ? 4.0 / 3.0 : 2.0;
    double waves = square > 0 ? d->options.step_fraction * stable / sqrt(square) : HUGE_VAL;
    return fmin(waves, passing);
}
