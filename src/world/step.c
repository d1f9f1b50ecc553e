/* One step of the world: DESIGN.md's table, 002 sections 4.2 and 5.4. The rigid sequence of 000
 * section 2.11 and the cloth loop of 000 section 3.2.3 are special cases of it. */
#include "base/clock.h"
#include "world/world.h"

#include <string.h>

/* Says which of several systems it was that failed. */
static PlimStatus name_failure(PlimWorld *world, const SystemInstance *system, PlimStatus status) {
    char message[MESSAGE_CAPACITY];
    if (!system->is_named || status == PLIM_OUT_OF_MEMORY) return status;
    memcpy(message, world->context->message, sizeof message);
    return context_fail(world->context, status, "%s: %s", system->name, message);
}

/* A step of all systems or of some. */
typedef struct StepRun {
    PlimWorld *world;
    const bool *takes_part; /* one a system; NULL: all */
    const StepInfo *step;
    double *seconds; /* wall time of each stage is kept here; NULL: nowhere */
} StepRun;

static bool run_includes(const StepRun *run, size_t system) {
    return !run->takes_part || run->takes_part[system];
}

/* Runs one stage in every system that takes part in it, then between them, and keeps its wall time.
 */
static PlimStatus run_stage(const StepRun *run, Stage stage) {
    PlimWorld *world = run->world;
    double start = clock_seconds();
    for (size_t i = 0; i < world->systems.count; i++) {
        const SystemInstance *system = &world->systems.data[i];
        if (!system->class->stage[stage] || !run_includes(run, i)) continue;
        PlimStatus status = system->class->stage[stage](system->object, run->step);
        if (status != PLIM_OK) return name_failure(world, system, status);
    }
    CoupledSystems systems = {world->systems.data, world->systems.count, run->takes_part};
    TRY(couple_stage(world->coupling, &systems, stage, run->step));
    if (run->seconds) run->seconds[stage] = clock_seconds() - start;
    return PLIM_OK;
}

/* Stops a run whose numbers broke, naming where. `number` counts steps from 1. */
static PlimStatus check_state(const StepRun *run, uint64_t number) {
    PlimWorld *world = run->world;
    for (size_t i = 0; i < world->systems.count; i++) {
        const SystemInstance *system = &world->systems.data[i];
        const SystemClass *class = system->class;
        size_t item;
        if (!run_includes(run, i)) continue;
        const StateField *field = state_find_broken(class->schema, system->object, &item);
        if (!field) continue;
        bool named = class->object_name && item < class->object_count(system->object);
        return context_fail(
            world->context, PLIM_FAILED,
            "step %llu, t = %g s: %s %s of %s %zu%s%s%s is not finite; try a smaller time step",
            (unsigned long long)number, run->step->end_time, system->name, field->name,
            class->schema->groups[field->group], item, named ? " ('" : "",
            named ? class->object_name(system->object, item) : "", named ? "')" : "");
    }
    return PLIM_OK;
}

static PlimStatus run_stages(const StepRun *run) {
    /*                                              holds: x^n, v^n, u^n */
    TRY(run_stage(run, STAGE_PREDICT));          /* x^n, v*^{n+1/2}, u* */
    TRY(run_stage(run, STAGE_SOLVE_POSITIONS));  /* x^n, v~^{n+1/2} */
    TRY(run_stage(run, STAGE_COLLIDE));          /* x^n, v^^n, v^^{n+1/2} */
    TRY(run_stage(run, STAGE_CONTACT));          /* x^n, v^^n, v^{n+1/2} */
    TRY(run_stage(run, STAGE_MOVE));             /* x^{n+1}, v^^n */
    TRY(run_stage(run, STAGE_ADVECT));           /* x^{n+1}, v*, u* */
    TRY(run_stage(run, STAGE_SOLVE_VELOCITIES)); /* x^{n+1}, v^{n+1}, u^{n+1} */
    return run_stage(run, STAGE_FINISH);         /* n + 1 */
}

static PlimStatus take_step(PlimWorld *world, const StepInfo *step) {
    StepRun run = {.world = world, .step = step, .seconds = world->stage_seconds};
    TRY(scratch_reset(&world->scratch));
    TRY(run_stages(&run));
    *world->clock.time = step->end_time;
    ++*world->clock.step;
    return check_state(&run, *world->clock.step);
}

PlimStatus world_run_systems(PlimWorld *world, const bool *takes_part, const StepInfo *step) {
    StepRun run = {.world = world, .takes_part = takes_part, .step = step};
    size_t mark = scratch_mark(&world->scratch); /* a step may be under way */
    TRY(run_stages(&run));
    scratch_release(&world->scratch, mark);
    return check_state(&run, *world->clock.step + 1);
}

PlimStatus plim_world_step(PlimWorld *world, double dt) {
    if (!world) return PLIM_BAD_INPUT;
    if (!(dt > 0.0) || !isfinite(dt))
        return context_fail(world->context, PLIM_BAD_INPUT, "a step of %g s: dt must be positive",
                            dt);
    StepInfo step = world_step_info(world, dt);
    return take_step(world, &step);
}

/* ---- choose dt ---- */

/* The longest step that every system can take; *name is the one that wants the shortest. */
static double longest_step(PlimWorld *world, const StepInfo *wanted, const char **name) {
    double longest = HUGE_VAL;
    *name = "";
    for (size_t i = 0; i < world->systems.count; i++) {
        const SystemInstance *system = &world->systems.data[i];
        if (!system->class->max_dt) continue;
        double limit = system->class->max_dt(system->object, wanted);
        if (!(limit < longest)) continue;
        longest = limit;
        *name = system->name;
    }
    return longest;
}

static StepInfo info_at(PlimWorld *world, double time, double dt) {
    StepInfo step = world_step_info(world, dt);
    step.time = time;
    step.end_time = time + dt;
    return step;
}

/* Equal parts of the way to `until`, none above the limits. A function of the state alone, so that
 * resuming in the middle of a frame changes no bit. */
PlimStatus world_choose_step(PlimWorld *world, double time, double until, StepInfo *step) {
    enum { MOST_SUBSTEPS = 1000 };
    const char *name;
    double left = until - time;
    double most = world->desc.max_dt > 0.0 ? world->desc.max_dt : HUGE_VAL;
    StepInfo wanted = info_at(world, time, fmin(left, most));
    double limit = longest_step(world, &wanted, &name);
    if (limit < most && left / limit >= MOST_SUBSTEPS)
        return context_fail(
            world->context, PLIM_FAILED,
            "t = %g s: the %s needs steps of %g s, %.3g of them to the end of the "
            "frame; something moves too fast for its size or its cells, or is too stiff "
            "for explicit steps, or fps is too low",
            time, name, limit, left / limit);
    limit = fmin(limit, most);
    /* 1e-9 of a step is rounding in the division of a frame, not a reason for one step more. */
    double dt = limit >= left ? left : left / ceil(left / limit * (1.0 - 1e-9));
    if (time + dt == time)
        return context_fail(world->context, PLIM_FAILED,
                            "t = %g s: a step of %g s is too small to change the time", time, dt);
    *step = info_at(world, time, dt);
    /* The last substep ends at `until` to the bit, so that frames lie exactly where they should. */
    if (dt == left) step->end_time = until;
    return PLIM_OK;
}

PlimStatus plim_world_substep(PlimWorld *world, double until) {
    if (!world) return PLIM_BAD_INPUT;
    double time = *world->clock.time;
    if (!(until > time) || !isfinite(until))
        return context_fail(world->context, PLIM_BAD_INPUT,
                            "cannot advance from t = %g s to %g s: the end must be later", time,
                            until);
    StepInfo step;
    TRY(world_choose_step(world, time, until, &step));
    return take_step(world, &step);
}

PlimStatus plim_world_advance(PlimWorld *world, double until) {
    do TRY(plim_world_substep(world, until));
    while (*world->clock.time < until);
    return PLIM_OK;
}
