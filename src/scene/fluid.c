/* The fluid of a scene: checks, its grid, sides, obstacles, sources and start. */
#include "scene/field.h"
#include "scene/scene.h"
#include "world/domains.h"

static const char axis_names[] = "xyz";
static const char *const side_names[3][2] = {
    {"left", "right"}, {"bottom", "top"}, {"back", "front"}};

/* ---- what tables cannot say ---- */

static bool is_zero(const SceneField *field) {
    return !field->expression && field->value == 0;
}

static bool is_zero3(const SceneField field[3]) {
    return is_zero(&field[0]) && is_zero(&field[1]) && is_zero(&field[2]);
}

/* Values of smoke under `map` have a meaning only in a fluid that carries smoke. */
static void check_smoke(PlimScene *scene, const SceneSystem *system, const SceneNode *map) {
    static const char *const keys[] = {"smoke", "temperature"};
    if (!map || node_get(system->node, "smoke")) return;
    for (int i = 0; i < 2; i++) {
        const SceneNode *node = node_get(map, keys[i]);
        if (node)
            reader_problem(&scene->reader, node,
                           "this fluid has no smoke; add 'smoke: {}' to the fluid");
    }
}

static void check_side(PlimScene *scene, const SceneSystem *system, const SceneNode *node,
                       const SceneSide *side, int axis) {
    SceneReader *reader = &scene->reader;
    const SceneNode *velocity = node_get(node, "velocity");
    check_smoke(scene, system, node);
    if (side->kind == SCENE_SIDE_WALL && !is_zero(&side->velocity[axis]))
        reader_problem(reader, velocity,
                       "a wall moves along itself: the %c part of its velocity must be 0",
                       axis_names[axis]);
    if ((side->kind == SCENE_SIDE_OPEN || side->kind == SCENE_SIDE_PERIODIC) &&
        !is_zero3(side->velocity))
        reader_problem(reader, velocity, "only a wall or an inflow has a velocity");
}

static void check_sides(PlimScene *scene, const SceneSystem *system) {
    const SceneNode *node = node_get(system->node, "sides");
    for (int axis = 0; axis < scene->document.dim; axis++) {
        const SceneSide *of = system->fluid.sides.of[axis];
        for (int end = 0; end < 2; end++)
            check_side(scene, system, node_get(node, side_names[axis][end]), &of[end], axis);
        if ((of[0].kind == SCENE_SIDE_PERIODIC) != (of[1].kind == SCENE_SIDE_PERIODIC))
            reader_problem(&scene->reader, node,
                           "one end of %c is periodic and the other is not; both must be",
                           axis_names[axis]);
    }
}

static void check_fields(PlimScene *scene, const SceneSystem *system) {
    SceneReader *reader = &scene->reader;
    const SceneNode *node = system->node;
    const SceneFluid *fluid = &system->fluid;
    const Expression *viscosity = fluid->viscosity.expression;
    if (viscosity && expression_uses_time(viscosity))
        reader_problem(reader, node_get(node, "viscosity"),
                       "uses t; the viscosity may change with place, but not with time");
    const SceneNode *initial = node_get(node, "initial");
    check_smoke(scene, system, initial);
    if (node_get(initial, "random") && !is_zero3(fluid->initial.velocity))
        reader_problem(reader, initial, "has both 'velocity' and 'random'; leave one out");
}

/* Problems are found when the scene is checked; later they cannot turn up. */
static SceneSource read_source(PlimScene *scene, SceneNode *node) {
    SceneSource source = {.place = {.scale = 1}};
    reader_read_table(&scene->reader, node, &scene_source_table, &source);
    return source;
}

static void check_rate(PlimScene *scene, const SceneNode *node, const SceneSource *source) {
    SceneReader *reader = &scene->reader;
    const SceneNode *rate = node_get(node, "rate");
    if (!source->rate.given) return;
    if (source->liquid != FLUID_FILLS)
        reader_problem(reader, rate, "only what fills has a rate; add 'liquid: fill'");
    if (source->expansion.given)
        reader_problem(reader, rate, "has both 'rate' and 'expansion'; leave one out");
    if (source->rate.expression && expression_uses_place(source->rate.expression))
        reader_problem(reader, rate,
                       "uses x, y or z; the rate is that of the whole source, a function of t");
    if (!source->rate.expression && !(source->rate.value >= 0))
        reader_problem(reader, rate, "is below 0; a source pours, 'liquid: drain' takes away");
}

static void check_sources(PlimScene *scene, const SceneSystem *system, double *work_bytes) {
    const SceneNode *list = system->fluid.sources.node;
    SceneReader *reader = &scene->reader;
    for (size_t i = 0; i < list->children.count; i++) {
        SceneNode *node = list->children.data[i];
        size_t problems = reader->problems.count;
        SceneSource source = read_source(scene, node);
        check_smoke(scene, system, node);
        if (reader->problems.count > problems || reader->trouble != PLIM_OK) continue;
        scene_place_check(scene, node, &source.place, work_bytes);
        if (!source.smoke.given && !source.temperature.given && !source.velocity[0].given &&
            !source.expansion.given && source.liquid == FLUID_LEAVES)
            reader_problem(
                reader, node,
                "sets nothing; give it smoke, temperature, velocity, expansion or liquid");
        check_rate(scene, node, &source);
        if (source.liquid != FLUID_LEAVES && !node_get(system->node, "liquid"))
            reader_problem(reader, node_get(node, "liquid"),
                           "this fluid has no free surface; add 'liquid: {}' to the fluid");
    }
}

static void check_liquid(PlimScene *scene, const SceneSystem *system, double *work_bytes) {
    SceneReader *reader = &scene->reader;
    const SceneNode *node = system->node;
    const SceneLiquid *liquid = &system->fluid.liquid;
    const SceneNode *map = node_get(node, "liquid");
    bool given = system->fluid.flow == 1;
    if (given && scene->has_acting)
        reader_problem(reader, node_get(node, "flow"),
                       "a given flow does not move bodies: use 'solved', or take the bodies out");
    if (!map || map->kind != NODE_MAP) return;
    if (liquid->shapes.node) scene_shapes_check(scene, liquid->shapes.node, work_bytes);
    if (liquid->shapes.node && liquid->level.given)
        reader_problem(reader, map, "has both 'shapes' and 'level'; leave one out");
    if (liquid->separation && system->fluid.storage == (int)FLUID_ON_NODES)
        reader_problem(reader, node_get(map, "separation"),
                       "water lets go of walls with 'storage: face' only; use that, or take "
                       "'separation' out");
    if (node_get(node, "smoke"))
        reader_problem(reader, node_get(node, "smoke"),
                       "a fluid has smoke or a free surface, not both; take one out");
    if (system->fluid.confinement > 0)
        reader_problem(reader, node_get(node, "confinement"),
                       "vortices of a liquid with a free surface are not confined; take it out");
}

static void check_advection(PlimScene *scene, const SceneSystem *system) {
    const SceneNode *node = system->node;
    if (system->fluid.advection != SCENE_CONSERVATIVE) return;
    if (node_get(node, "liquid"))
        reader_problem(&scene->reader, node_get(node, "advection"),
                       "conservative is for a fluid that fills its domain; use maccormack or "
                       "semi_lagrangian, or take 'liquid' out");
    if (system->fluid.storage == (int)FLUID_ON_NODES)
        reader_problem(&scene->reader, node_get(node, "advection"),
                       "conservative needs 'storage: face'; use that, or another advection");
}

/* ---- the description ---- */

static Grid fluid_grid(const PlimScene *scene, const SceneSystem *system) {
    static const SideKind kinds[] = {[SCENE_SIDE_WALL] = SIDE_WALL,
                                     [SCENE_SIDE_OPEN] = SIDE_OPEN,
                                     [SCENE_SIDE_PERIODIC] = SIDE_PERIODIC,
                                     [SCENE_SIDE_INFLOW] = SIDE_INFLOW};
    const SceneFluid *fluid = &system->fluid;
    Grid grid = scene_domain_grid(&fluid->domain, (int)scene->document.dim, fluid->cells);
    for (int axis = 0; axis < grid.dim; axis++)
        for (int end = 0; end < 2; end++)
            grid.sides[axis][end] = kinds[fluid->sides.of[axis][end].kind];
    return grid;
}

static void set_functions(FieldFunction out[3], const SceneField fields[3]) {
    for (int axis = 0; axis < 3; axis++) out[axis] = scene_field_function(&fields[axis]);
}

/* What is not given is that of the surroundings. */
static FieldFunction temperature_of(const SceneFluid *fluid, const SceneField *field) {
    if (field->given) return scene_field_function(field);
    return (FieldFunction){.constant = fluid->smoke.ambient};
}

static void describe_sides(const SceneFluid *fluid, FluidDesc *desc) {
    for (int axis = 0; axis < desc->grid.dim; axis++)
        for (int end = 0; end < 2; end++) {
            const SceneSide *side = &fluid->sides.of[axis][end];
            FluidSide *out = &desc->sides[axis][end];
            set_functions(out->velocity, side->velocity);
            out->slip = side->slip;
            out->smoke = scene_field_function(&side->smoke);
            out->temperature = temperature_of(fluid, &side->temperature);
            out->level = scene_field_function(&side->level);
        }
}

static void describe_start(const PlimScene *scene, const SceneSystem *system, FluidDesc *desc) {
    const SceneStart *start = &system->fluid.initial;
    const SceneNode *initial = node_get(system->node, "initial");
    desc->start = node_get(initial, "random") ? FLUID_RANDOM
                  : is_zero3(start->velocity) ? FLUID_AT_REST
                                              : FLUID_FUNCTION;
    desc->amplitude = start->random.amplitude;
    desc->length = start->random.length;
    desc->seed = scene->reader.seed;
    set_functions(desc->velocity, start->velocity);
    desc->smoke.amount = scene_field_function(&start->smoke);
    desc->smoke.temperature = temperature_of(&system->fluid, &start->temperature);
}

static void describe_smoke(const SceneNode *node, const SceneSmoke *smoke, FluidDesc *desc) {
    desc->smoke.is_there = node_get(node, "smoke") != NULL;
    if (!desc->smoke.is_there) return;
    desc->smoke.weight = smoke->weight;
    desc->smoke.buoyancy = smoke->buoyancy;
    desc->smoke.ambient = smoke->ambient;
    desc->smoke.cooling = smoke->cooling;
    desc->smoke.fading = smoke->fading;
}

static void describe_liquid(const PlimScene *scene, const SceneSystem *system, FluidDesc *desc) {
    const SceneLiquid *from = &system->fluid.liquid;
    FluidLiquid *liquid = &desc->liquid;
    liquid->is_there = node_get(system->node, "liquid") != NULL;
    if (!liquid->is_there) return;
    liquid->level = scene_field_function(&from->level);
    if (!from->level.given) liquid->level = (FieldFunction){.constant = desc->grid.spacing};
    liquid->first_order = from->surface == 1;
    liquid->has_particles = from->particles > 0;
    liquid->particles = particle_options_default(desc->grid.dim);
    liquid->particles.per_cell = (int)from->particles;
    liquid->particles.escape = from->escape;
    liquid->scheme = from->scheme == 1 ? ADVECT_MACCORMACK : ADVECT_SEMI_LAGRANGIAN;
    liquid->corrects_twice = from->corrections == 2;
    liquid->particles.keep_drops = from->drops;
    liquid->particles.keep_bubbles = from->bubbles;
    liquid->particles.seed = scene->reader.seed;
    liquid->reseed = (int)from->reseed;
    liquid->extension = (int)from->extension;
    liquid->rise = from->rise;
    liquid->keeps_volume = from->volume_keeping;
    liquid->control = from->volume_control;
    liquid->lets_go = from->separation;
    for (int c = 0; c < 3; c++) liquid->absorption[c] = (float)from->absorption[c];
}

/* Split only where no body needs the fluid's velocities to have its own. */
static void describe_coupling(const PlimScene *scene, FluidDesc *desc) {
    const SceneCoupling *coupling = &scene->document.coupling;
    desc->one_way = coupling->fluid == 1;
    desc->hold_bodies = coupling->positions == 1;
    desc->roughness = coupling->lubrication ? coupling->roughness : 0;
    desc->surface = (FluidSurface)coupling->surface;
    desc->monolithic =
        coupling->solver == SCENE_SOLVER_MONOLITHIC ||
        (coupling->solver == SCENE_SOLVER_AUTO && scene->has_acting && !desc->one_way);
}

/* Everything but obstacles, bodies and sources. */
static FluidDesc describe_fluid(const PlimScene *scene, const SceneSystem *system) {
    const SceneFluid *fluid = &system->fluid;
    FluidDesc desc = fluid_desc_default();
    if (system->name) desc.name = system->name;
    desc.grid = fluid_grid(scene, system);
    desc.room = system->room;
    desc.density = fluid->density;
    desc.tolerance = fluid->tolerance;
    desc.slip = fluid->slip;
    if (fluid->viscosity.expression)
        desc.viscosity_of_place = scene_field_function(&fluid->viscosity);
    else
        desc.viscosity = fluid->viscosity.value;
    desc.carries_velocity = fluid->advection != SCENE_NO_ADVECTION;
    desc.advection =
        fluid->advection == SCENE_SEMI_LAGRANGIAN ? ADVECT_SEMI_LAGRANGIAN : ADVECT_MACCORMACK;
    desc.conserves_momentum = fluid->advection == SCENE_CONSERVATIVE;
    desc.trace_order = (int)fluid->trace_order;
    desc.time_order = (int)fluid->time_order;
    desc.storage = (FluidStorage)fluid->storage;
    desc.cfl = fluid->cfl;
    desc.confinement = fluid->confinement;
    set_functions(desc.force, fluid->force);
    describe_coupling(scene, &desc);
    describe_sides(fluid, &desc);
    describe_smoke(system->node, &fluid->smoke, &desc);
    describe_liquid(scene, system, &desc);
    desc.is_given = fluid->flow == 1;
    describe_start(scene, system, &desc);
    return desc;
}

static void check_fluid(PlimScene *scene, const SceneSystem *system) {
    const SceneNode *node = system->node;
    const SceneFluid *fluid = &system->fluid;
    double work_bytes = 0;
    if (fluid->obstacles.node) scene_obstacles_check(scene, fluid->obstacles.node, &work_bytes);
    if (fluid->sources.node) check_sources(scene, system, &work_bytes);
    check_liquid(scene, system, &work_bytes);
    check_advection(scene, system);
    if (scene->reader.problems.count > 0 || scene->reader.trouble != PLIM_OK) return;
    check_sides(scene, system);
    check_fields(scene, system);
    if (!scene_check_domain(scene, node, &fluid->domain, fluid->cells)) return;
    double n[3], spacing;
    scene_count_cells(&fluid->domain, (int)scene->document.dim, fluid->cells, n, &spacing);
    double cells = n[0] * n[1] * n[2];
    FluidDesc desc = describe_fluid(scene, system);
    scene_add_memory(scene, node, work_bytes + cells * fluid_bytes_per_cell(&desc), cells,
                     "cells of fluid");
}

/* ---- the world ---- */

static PlimStatus describe_source(PlimScene *scene, SceneNode *node, Scratch *memory, void *out) {
    SceneSource source = read_source(scene, node);
    TRY(scene->reader.trouble);
    FluidSource *made = out;
    *made = (FluidSource){.name = source.name,
                          .body = source.body,
                          .sets_smoke = source.smoke.given,
                          .sets_temperature = source.temperature.given,
                          .sets_velocity = source.velocity[0].given,
                          .smoke = scene_field_function(&source.smoke),
                          .temperature = scene_field_function(&source.temperature),
                          .expansion = scene_field_function(&source.expansion),
                          .pouring = (FluidPouring)source.liquid,
                          .runs = scene_field_function(&source.runs),
                          .has_rate = source.rate.given,
                          .rate = scene_field_function(&source.rate)};
    set_functions(made->velocity, source.velocity);
    return scene_place_solid(scene, &source.place, memory, &made->solid);
}

/* One solid of a list of shapes; NULL for an empty list. */
static PlimStatus add_shapes(PlimScene *scene, const SceneNode *list, const Solid **out) {
    if (!list || list->children.count == 0) return PLIM_OK;
    Solid *solid = scratch_take(&scene->solids, 1, sizeof *solid);
    if (!solid) return PLIM_OUT_OF_MEMORY;
    TRY(scene_shapes_solid(scene, list, &scene->solids, solid));
    *out = solid;
    return PLIM_OK;
}

/* A viscosity that changes with place, in every cell; where it has no value the fluid says so. */
static PlimStatus check_viscosity(PlimScene *scene, const SceneNode *node, const FluidDesc *desc) {
    const FieldFunction *viscosity = &desc->viscosity_of_place;
    const Grid *grid = &desc->grid;
    size_t count = viscosity->evaluate ? grid_cell_count(grid) : 0, row = (size_t)grid->n[0];
    for (size_t cell = 0; cell < count; cell++) {
        size_t j = cell / row % (size_t)grid->n[1], k = cell / row / (size_t)grid->n[1];
        Vec3 x = grid_cell_center(grid, (int)(cell % row), (int)j, (int)k);
        double value = field_function_at(viscosity, x, 0);
        if (!(value < 0)) continue;
        context_fail(scene->context, PLIM_BAD_INPUT,
                     "is %g Pa s at (%g, %g, %g); it must be at least 0", value, x.x, x.y, x.z);
        return scene_as_problem(scene, node_get(node, "viscosity"), PLIM_BAD_INPUT);
    }
    return PLIM_OK;
}

static PlimStatus add_fluid(PlimScene *scene, PlimWorld *world, const SceneSystem *system,
                            const SceneBodies *bodies) {
    const SceneNode *node = system->node;
    const SceneFluid *fluid = &system->fluid;
    FluidDesc desc = describe_fluid(scene, system);
    TRY(check_viscosity(scene, node, &desc));
    PlimStatus status = add_shapes(scene, fluid->obstacles.node, &desc.obstacles);
    if (status == PLIM_OK)
        status = scene_obstacle_mesh(scene, fluid->obstacles.node, desc.obstacles, &desc.grid,
                                     &desc.obstacle_mesh);
    if (status == PLIM_OK)
        status = add_shapes(scene, fluid->liquid.shapes.node, &desc.liquid.shape);
    const void *sources = NULL;
    if (status == PLIM_OK)
        status = scene_describe_items(scene, fluid->sources, &scene->solids, sizeof *desc.sources,
                                      describe_source, &sources, &desc.source_count);
    desc.sources = sources;
    TRY(scene_as_problem(scene, node, status));
    if (fluid->obstacles.node && scene->has_acting)
        context_log(scene->context, PLIM_LOG_WARNING,
                    "obstacles hold the fluid alone: dynamic bodies pass through them; use static "
                    "bodies for what should hold both");
    scene_tell_size(scene, system, &fluid->domain, &desc.grid);
    desc.bodies = bodies->around.data;
    desc.body_count = bodies->around.count;
    return scene_as_problem(scene, node, world_add_fluid(world, system->name, &desc));
}

static SceneSystemSide fluid_side(SceneSystem *system, int axis, int end) {
    SceneSide *side = &system->fluid.sides.of[axis][end];
    return (SceneSystemSide){side->kind, &side->wall, side->velocity};
}

const SceneSystemKind scene_fluid_kind = {"fluid",    &scene_fluid_table, fluid_grid,
                                          fluid_side, check_fluid,        add_fluid};
