/* One step of the world: DESIGN.md's table, 002 sections 4.2 and 5.4. The rigid sequence of 000
 * section 2.11 and the cloth loop of 000 section 3.2.3 are special cases of it. */
#include "base/clock.h"
#include "world/world.h"

/* Runs one stage in every system that takes part in it, and keeps its wall time. */
static PlimStatus run_stage(PlimWorld *world, Stage stage, const StepInfo *step) {
    double start = clock_seconds();
    for (size_t i = 0; i < world->system_count; i++) {
        const WorldSystem *system = &world->systems[i];
        if (system->class->stage[stage]) TRY(system->class->stage[stage](system->object, step));
    }
    world->stage_seconds[stage] = clock_seconds() - start;
    return PLIM_OK;
}

/* Stops a run whose numbers broke, naming where. */
static PlimStatus check_state(PlimWorld *world) {
    for (size_t i = 0; i < world->system_count; i++) {
        const WorldSystem *system = &world->systems[i];
        const SystemClass *class = system->class;
        size_t item;
        const StateField *field = state_find_broken(class->schema, system->object, &item);
        if (!field) continue;
        bool named = class->object_name && item < class->object_count(system->object);
        return context_fail(
            world->context, PLIM_FAILED,
            "step %llu, t = %g s: %s %s of %s %zu%s%s%s is not finite; try a smaller time step",
            (unsigned long long)*world->clock.step, *world->clock.time, class->name, field->name,
            class->schema->groups[field->group], item, named ? " ('" : "",
            named ? class->object_name(system->object, item) : "", named ? "')" : "");
    }
    return PLIM_OK;
}

static PlimStatus take_step(PlimWorld *world, double dt, double end_time) {
    TRY(scratch_reset(&world->scratch));
    StepInfo step = world_step_info(world, dt);
    step.end_time = end_time;
    /*                                                            holds: x^n, v^n, u^n */
    TRY(run_stage(world, STAGE_PREDICT, &step));          /* x^n, v*^{n+1/2}, u* */
    TRY(run_stage(world, STAGE_SOLVE_POSITIONS, &step));  /* x^n, v~^{n+1/2} */
    TRY(run_stage(world, STAGE_COLLIDE, &step));          /* x^n, v^^n, v^^{n+1/2} */
    TRY(run_stage(world, STAGE_CONTACT, &step));          /* x^n, v^^n, v^{n+1/2} */
    TRY(run_stage(world, STAGE_MOVE, &step));             /* x^{n+1}, v^^n */
    TRY(run_stage(world, STAGE_ADVECT, &step));           /* x^{n+1}, v*, u* */
    TRY(run_stage(world, STAGE_SOLVE_VELOCITIES, &step)); /* x^{n+1}, v^{n+1}, u^{n+1} */
    *world->clock.time = end_time;
    ++*world->clock.step;
    TRY(run_stage(world, STAGE_FINISH, &step)); /* n + 1 */
    return check_state(world);
}

PlimStatus plim_world_step(PlimWorld *world, double dt) {
    if (!world) return PLIM_BAD_INPUT;
    if (!(dt > 0.0) || !isfinite(dt))
        return context_fail(world->context, PLIM_BAD_INPUT, "a step of %g s: dt must be positive",
                            dt);
    return take_step(world, dt, *world->clock.time + dt);
}

/* The longest step that every system can take; *name is the one that wants the shortest. */
static double longest_step(PlimWorld *world, double wanted, const char **name) {
    StepInfo step = world_step_info(world, wanted);
    double longest = HUGE_VAL;
    *name = "";
    for (size_t i = 0; i < world->system_count; i++) {
        const WorldSystem *system = &world->systems[i];
        if (!system->class->max_dt) continue;
        double limit = system->class->max_dt(system->object, &step);
        if (!(limit < longest)) continue;
        longest = limit;
        *name = system->class->name;
    }
    return longest;
}

/* The part of the way to `until` that the next substep takes: equal parts, none above the limits. A
 * function of the state alone, so that resuming in the middle of a frame changes no bit. */
static PlimStatus choose_dt(PlimWorld *world, double until, double *dt) {
    enum { MOST_SUBSTEPS = 1000 };
    const char *name;
    double left = until - *world->clock.time;
    double wanted = world->desc.max_dt > 0.0 ? world->desc.max_dt : HUGE_VAL;
    double limit = longest_step(world, fmin(left, wanted), &name);
    if (limit < wanted && left / limit >= MOST_SUBSTEPS)
        return context_fail(world->context, PLIM_FAILED,
                            "t = %g s: the %s needs steps of %g s, %.3g of them to the end of the "
                            "frame; something moves too fast for its size or its cells, or fps is "
                            "too low",
                            *world->clock.time, name, limit, left / limit);
    limit = fmin(limit, wanted);
    /* 1e-9 of a step is rounding in the division of a frame, not a reason for one step more. */
    *dt = limit >= left ? left : left / ceil(left / limit * (1.0 - 1e-9));
    return PLIM_OK;
}

PlimStatus plim_world_substep(PlimWorld *world, double until) {
    if (!world) return PLIM_BAD_INPUT;
    double time = *world->clock.time;
    if (!(until > time) || !isfinite(until))
        return context_fail(world->context, PLIM_BAD_INPUT,
                            "cannot advance from t = %g s to %g s: the end must be later", time,
                            until);
    double dt = 0.0;
    TRY(choose_dt(world, until, &dt));
    if (time + dt == time)
        return context_fail(world->context, PLIM_FAILED,
                            "t = %g s: a step of %g s is too small to change the time", time, dt);
    /* The last substep ends at `until` to the bit, so that frames lie exactly where they should. */
    return take_step(world, dt, dt == until - time ? until : time + dt);
}

PlimStatus plim_world_advance(PlimWorld *world, double until) {
    do TRY(plim_world_substep(world, until));
    while (*world->clock.time < until);
    return PLIM_OK;
}
