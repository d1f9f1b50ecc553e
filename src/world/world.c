/* The world: creation, systems, hash, diagnostics. */
#include "world/world.h"

#include "base/hash.h"

#include <string.h>

/* ---- the clock ---- */

static const StateField clock_fields[] = {
    {"time", "s", FIELD_F64, FIELD_STATE, 1, 0, offsetof(WorldClock, time)},
    {"step", "1", FIELD_U64, FIELD_STATE, 1, 0, offsetof(WorldClock, step)},
};

static const char *const clock_groups[] = {"clock"};

static const StateSchema clock_schema = {
    .fields = clock_fields,
    .field_count = sizeof clock_fields / sizeof *clock_fields,
    .groups = clock_groups,
    .group_count = 1,
    .sizes_offset = offsetof(WorldClock, sizes),
};

static const SystemClass clock_class = {.name = "clock", .schema = &clock_schema};

/* ---- life ---- */

PlimWorldDesc plim_world_desc_default(void) {
    return (PlimWorldDesc){.gravity = {0, -9.81, 0}};
}

static PlimStatus push_system(PlimWorld *world, SystemInstance system) {
    for (size_t i = 0; i < world->systems.count; i++)
        if (strcmp(world->systems.data[i].name, system.name) == 0)
            return context_fail(world->context, PLIM_BAD_INPUT,
                                "the world has a '%s' already; choose another name", system.name);
    if (!array_push(world->context, &world->systems, system)) return PLIM_OUT_OF_MEMORY;
    SystemInstance *systems = world->systems.data;
    size_t at = world->systems.count - 1;
    for (; at > 0 && systems[at - 1].order > system.order; at--) systems[at] = systems[at - 1];
    systems[at] = system;
    return PLIM_OK;
}

PlimStatus world_add_system(PlimWorld *world, const char *name, const SystemClass *class,
                            void *object, int order) {
    SystemInstance system = {.name = context_copy_text(world->context, name ? name : class->name),
                             .is_named = name != NULL,
                             .class = class,
                             .object = object,
                             .order = order};
    PlimStatus status = system.name ? push_system(world, system) : PLIM_OUT_OF_MEMORY;
    if (status == PLIM_OK) return PLIM_OK;
    context_free_text(world->context, system.name);
    if (class->destroy) class->destroy(object);
    return status;
}

void *world_find_system(const PlimWorld *world, const SystemClass *class, const char *name) {
    for (size_t i = 0; i < world->systems.count; i++) {
        const SystemInstance *system = &world->systems.data[i];
        if (system->class == class && (!name || strcmp(system->name, name) == 0))
            return system->object;
    }
    return NULL;
}

static PlimStatus fill_world(PlimWorld *world) {
    TRY(coupling_create(world->context, &world->coupling));
    TRY(state_resize(world->context, &clock_schema, &world->clock, 0, 1));
    TRY(world_add_system(world, NULL, &clock_class, &world->clock, ORDER_CLOCK));
    RigidBodies *rigid;
    TRY(rigid_bodies_create(world->context, &rigid));
    TRY(world_add_system(world, NULL, &rigid_class, rigid, ORDER_SOLIDS));
    world->rigid = rigid;
    return PLIM_OK;
}

PlimStatus plim_world_create(PlimContext *context, const PlimWorldDesc *desc, PlimWorld **out) {
    if (out) *out = NULL;
    if (!context) return PLIM_BAD_INPUT;
    REQUIRE(context, desc);
    REQUIRE(context, out);
    const double *g = desc->gravity;
    if (!isfinite(g[0]) || !isfinite(g[1]) || !isfinite(g[2]))
        return context_fail(context, PLIM_BAD_INPUT, "gravity (%g, %g, %g) must be finite", g[0],
                            g[1], g[2]);
    if (!(desc->max_dt >= 0.0))
        return context_fail(context, PLIM_BAD_INPUT, "max_dt is %g s; it must not be negative",
                            desc->max_dt);
    PlimWorld *world = context_allocate(context, 1, sizeof *world);
    if (!world) return PLIM_OUT_OF_MEMORY;
    world->context = context;
    world->desc = *desc;
    scratch_init(&world->scratch, context);
    PlimStatus status = fill_world(world);
    if (status != PLIM_OK) {
        plim_world_destroy(world);
        return status;
    }
    *out = world;
    return PLIM_OK;
}

void plim_world_destroy(PlimWorld *world) {
    if (!world) return;
    PlimContext *context = world->context;
    for (size_t i = world->systems.count; i-- > 0;) {
        const SystemInstance *system = &world->systems.data[i];
        if (system->class->destroy) system->class->destroy(system->object);
        context_free_text(context, system->name);
    }
    array_free(context, &world->systems);
    state_free(context, &clock_schema, &world->clock);
    for (size_t i = 0; i < world->probes.count; i++)
        context_free_text(context, world->probes.data[i].name);
    array_free(context, &world->probes);
    coupling_destroy(world->coupling);
    scratch_free(&world->scratch);
    context_free(context, world, 1, sizeof *world);
}

StepInfo world_step_info(PlimWorld *world, double dt) {
    return (StepInfo){.context = world->context,
                      .scratch = &world->scratch,
                      .threads = world->context->threads,
                      .time = *world->clock.time,
                      .end_time = *world->clock.time + dt,
                      .dt = dt,
                      .gravity = vec3_load(world->desc.gravity)};
}

double plim_world_time(const PlimWorld *world) {
    if (!world) return NAN;
    return *world->clock.time;
}

uint64_t plim_world_steps(const PlimWorld *world) {
    if (!world) return 0;
    return *world->clock.step;
}

uint64_t plim_world_hash(const PlimWorld *world) {
    if (!world) return 0;
    uint64_t hash = HASH_START;
    for (size_t i = 0; i < world->systems.count; i++) {
        const SystemInstance *system = &world->systems.data[i];
        hash = hash_text(hash, system->name);
        hash = state_hash(system->class->schema, system->object, hash);
    }
    return hash;
}

PlimStatus world_refresh(PlimWorld *world) {
    coupling_refresh(world->coupling);
    StepInfo step = world_step_info(world, 0.0);
    for (size_t i = 0; i < world->systems.count; i++) {
        const SystemInstance *system = &world->systems.data[i];
        if (system->class->refresh) TRY(system->class->refresh(system->object, &step));
    }
    return PLIM_OK;
}

PlimStatus world_count_crossings(PlimWorld *world, size_t *count) {
    CoupledSystems systems = {world->systems.data, world->systems.count, NULL};
    StepInfo step = world_step_info(world, 0.0);
    TRY(scratch_reset(&world->scratch));
    return couple_count_crossings(world->coupling, &systems, &step, count);
}

PlimStatus plim_world_drop_caches(PlimWorld *world) {
    if (!world) return PLIM_BAD_INPUT;
    for (size_t i = 0; i < world->systems.count; i++)
        state_poison(world->systems.data[i].class->schema, world->systems.data[i].object);
    scratch_poison(&world->scratch);
    return world_refresh(world);
}

PlimStatus world_view_frame(PlimWorld *world, FrameView *view) {
    *view = (FrameView){0};
    StepInfo step = world_step_info(world, 0.0);
    for (size_t i = 0; i < world->systems.count; i++) {
        const SystemInstance *system = &world->systems.data[i];
        view->instance = system->is_named ? system->name : NULL;
        if (system->class->view_frame) TRY(system->class->view_frame(system->object, &step, view));
    }
    return PLIM_OK;
}

/* ---- figures ---- */

static const char *const wall_names[STAGE_COUNT] = {
    [STAGE_PREDICT] = "wall.predict",
    [STAGE_SOLVE_POSITIONS] = "wall.solve_positions",
    [STAGE_COLLIDE] = "wall.collide",
    [STAGE_CONTACT] = "wall.contact",
    [STAGE_MOVE] = "wall.move",
    [STAGE_ADVECT] = "wall.advect",
    [STAGE_SOLVE_VELOCITIES] = "wall.solve_velocities",
    [STAGE_FINISH] = "wall.finish",
};

/* The solve without fluids; bodies that several fluids solve for, one after the other. Told only
 * where there can be any. */
static void measure_coupling(PlimWorld *world, Diagnostics *figures) {
    CoupledSystems systems = {world->systems.data, world->systems.count, NULL};
    coupling_diagnose(world->coupling, &systems, figures);
    size_t fluids = 0;
    for (size_t i = 0; i < systems.count; i++) fluids += systems.systems[i].class->flow != NULL;
    if (fluids > 1) diagnostics_add(figures, "shared", (double)couple_count_shared(&systems));
}

PlimStatus plim_world_measure(PlimWorld *world) {
    if (!world) return PLIM_BAD_INPUT;
    Diagnostics *figures = &world->diagnostics;
    diagnostics_reset(figures);
    for (int stage = 0; stage < STAGE_COUNT; stage++)
        diagnostics_add(figures, wall_names[stage], world->stage_seconds[stage]);
    /* Named here first, so that these columns stand together whatever the systems add. */
    diagnostics_add(figures, "energy.kinetic", 0.0);
    diagnostics_add(figures, "energy.potential", 0.0);
    diagnostics_add(figures, "energy.total", 0.0);
    StepInfo step = world_step_info(world, 0.0);
    for (size_t i = 0; i < world->systems.count; i++) {
        const SystemInstance *system = &world->systems.data[i];
        figures->instance = system->is_named ? system->name : NULL;
        if (system->class->diagnose) TRY(system->class->diagnose(system->object, &step, figures));
    }
    figures->instance = NULL;
    measure_coupling(world, figures);
    diagnostics_add(figures, "energy.total",
                    diagnostics_get(figures, "energy.kinetic") +
                        diagnostics_get(figures, "energy.potential") +
                        diagnostics_get(figures, "energy.elastic") +
                        diagnostics_get(figures, "energy.contact"));
    if (figures->left_out[0])
        return context_fail(world->context, PLIM_FAILED,
                            "'%s' is one figure too many: the systems of a world have %d at most",
                            figures->left_out, (int)DIAGNOSTICS_CAPACITY);
    for (size_t i = 0; i < figures->count; i++)
        if (!isfinite(figures->values[i]))
            return context_fail(world->context, PLIM_FAILED,
                                "step %llu, t = %g s: %s is not finite; are sizes and speeds sane?",
                                (unsigned long long)*world->clock.step, *world->clock.time,
                                figures->names[i]);
    return PLIM_OK;
}

size_t plim_world_figure_count(const PlimWorld *world) {
    return world ? world->diagnostics.count : 0;
}

const char *plim_world_figure_name(const PlimWorld *world, size_t index) {
    return index < plim_world_figure_count(world) ? world->diagnostics.names[index] : NULL;
}

double plim_world_figure(const PlimWorld *world, size_t index) {
    return index < plim_world_figure_count(world) ? world->diagnostics.values[index] : NAN;
}
