/* The splashing liquid of a scene: its grid, liquids, obstacles, sources, sinks, blasts, bodies. */
#include "scene/field.h"
#include "scene/splash_parts.h"
#include "world/domains.h"

/* ---- reading ---- */

SceneSplashLiquid scene_read_splash_liquid(PlimScene *scene, SceneNode *node) {
    SceneSplashLiquid liquid = {.at.place.scale = 1};
    reader_read_table(&scene->reader, node, &scene_splash_liquid_table, &liquid);
    return liquid;
}

SceneSplashSource scene_read_splash_source(PlimScene *scene, SceneNode *node) {
    SceneSplashSource source = {.at.place.scale = 1};
    reader_read_table(&scene->reader, node, &scene_splash_source_table, &source);
    return source;
}

ScenePlaced scene_read_splash_sink(PlimScene *scene, SceneNode *node) {
    ScenePlaced sink = {.place.scale = 1};
    reader_read_table(&scene->reader, node, &scene_splash_sink_table, &sink);
    return sink;
}

SceneBlast scene_read_splash_blast(PlimScene *scene, SceneNode *node) {
    SceneBlast blast = {0};
    reader_read_table(&scene->reader, node, &scene_blast_table, &blast);
    return blast;
}

/* ---- the description ---- */

static Grid splash_grid(const PlimScene *scene, const SceneSystem *system) {
    static const SideKind kinds[] = {[SCENE_SIDE_WALL] = SIDE_WALL, [SCENE_SIDE_OPEN] = SIDE_OPEN};
    const SceneSplash *splash = &system->splash;
    Grid grid = scene_domain_grid(&splash->domain, (int)scene->document.dim, splash->cells);
    for (int axis = 0; axis < grid.dim; axis++)
        for (int end = 0; end < 2; end++)
            grid.sides[axis][end] = kinds[splash->sides[axis][end].kind];
    return grid;
}

static void describe_surface(const SceneSplashSurface *surface, SplashDesc *desc) {
    desc->surface = surface->mesh;
    desc->all_particles = surface->particles;
    desc->surface_radius = surface->radius;
    desc->surface_smoothing = (int)surface->smoothing;
    for (int c = 0; c < 3; c++) desc->absorption[c] = (float)surface->absorption[c];
}

SplashDesc scene_describe_splash_options(const PlimScene *scene, const SceneSystem *system) {
    const SceneSplash *splash = &system->splash;
    SplashDesc desc = splash_desc_default();
    if (system->name) desc.name = system->name;
    desc.grid = splash_grid(scene, system);
    desc.room = system->room;
    desc.one_way = scene->document.coupling.fluid == 1;
    desc.density = splash->density;
    desc.viscosity = splash->viscosity;
    desc.slip = splash->slip;
    desc.per_axis = (int)splash->particles;
    desc.jitter = splash->jitter;
    desc.seed = scene->reader.seed;
    desc.up = vec3_normalize(vec3_scale(-1, vec3_load(scene->document.gravity)));
    desc.incompressibility = (SplashIncompressibility)splash->incompressibility;
    desc.transfer = (SplashTransfer)splash->transfer;
    desc.flip = splash->flip;
    desc.path = (SplashPath)splash->path;
    desc.densities = (SplashDensities)splash->densities;
    desc.fractions = (SplashFractions)splash->fractions;
    desc.air = splash->air;
    desc.sealed = splash->sealed;
    desc.settling = splash->settling;
    desc.correct_density = splash->correct_density;
    desc.crowding = splash->crowding;
    desc.corrections = (int)splash->corrections;
    desc.tolerance = splash->tolerance;
    desc.preconditioner = (PoissonMethod)splash->preconditioner;
    desc.cfl = splash->cfl;
    desc.samples = (int)splash->samples;
    desc.extrapolation = (int)splash->extrapolation;
    describe_surface(&splash->surface, &desc);
    return desc;
}

static PlimStatus place_solid(PlimScene *scene, const ScenePlaced *placed, Scratch *memory,
                              const Solid **out) {
    Solid *solid = scratch_take(memory, 1, sizeof *solid);
    if (!solid) return PLIM_OUT_OF_MEMORY;
    *out = solid;
    return scene_place_solid(scene, &placed->place, memory, solid);
}

static PlimStatus describe_liquid(PlimScene *scene, SceneNode *node, Scratch *memory, void *out) {
    SceneSplashLiquid liquid = scene_read_splash_liquid(scene, node);
    TRY(scene->reader.trouble);
    SplashLiquid *made = out;
    *made = (SplashLiquid){.name = liquid.at.name};
    for (int axis = 0; axis < 3; axis++)
        made->velocity[axis] = scene_field_function(&liquid.velocity[axis]);
    return place_solid(scene, &liquid.at, memory, &made->solid);
}

static PlimStatus describe_source(PlimScene *scene, SceneNode *node, Scratch *memory, void *out) {
    SceneSplashSource source = scene_read_splash_source(scene, node);
    TRY(scene->reader.trouble);
    SplashSource *made = out;
    *made = (SplashSource){.name = source.at.name,
                           .center = vec3_load(source.at.place.position),
                           .velocity = vec3_load(source.velocity),
                           .rate = source.rate,
                           .runs = scene_field_function(&source.runs)};
    if (scene->document.dim == 2) made->center.z = 0;
    return place_solid(scene, &source.at, memory, &made->solid);
}

static PlimStatus describe_sink(PlimScene *scene, SceneNode *node, Scratch *memory, void *out) {
    ScenePlaced sink = scene_read_splash_sink(scene, node);
    TRY(scene->reader.trouble);
    SplashSink *made = out;
    *made = (SplashSink){.name = sink.name};
    return place_solid(scene, &sink, memory, &made->solid);
}

static PlimStatus describe_blast(PlimScene *scene, SceneNode *node, Scratch *memory, void *out) {
    (void)memory;
    SceneBlast blast = scene_read_splash_blast(scene, node);
    TRY(scene->reader.trouble);
    SplashBlast *made = out;
    *made = (SplashBlast){.name = blast.name,
                          .time = blast.time,
                          .center = vec3_load(blast.center),
                          .radius = blast.radius,
                          .speed = blast.speed};
    if (scene->document.dim == 2) made->center.z = 0;
    return PLIM_OK;
}

static PlimStatus describe_obstacles(PlimScene *scene, const SceneSplash *splash, Scratch *memory,
                                     SplashDesc *desc) {
    const SceneItems list = splash->obstacles;
    if (scene_item_count(list) == 0) return PLIM_OK;
    Solid *solid = scratch_take(memory, 1, sizeof *solid);
    if (!solid) return PLIM_OUT_OF_MEMORY;
    desc->obstacles = solid;
    TRY(scene_shapes_solid(scene, list.node, memory, solid));
    return scene_obstacle_mesh(scene, list.node, solid, &desc->grid, &desc->obstacle_mesh);
}

PlimStatus scene_describe_splash(PlimScene *scene, const SceneSystem *system, Scratch *memory,
                                 SplashDesc *desc) {
    const SceneSplash *splash = &system->splash;
    *desc = scene_describe_splash_options(scene, system);
    const void *liquids, *sources, *sinks, *blasts;
    TRY(scene_describe_items(scene, splash->liquids, memory, sizeof *desc->liquids, describe_liquid,
                             &liquids, &desc->liquid_count));
    TRY(describe_obstacles(scene, splash, memory, desc));
    TRY(scene_describe_items(scene, splash->sources, memory, sizeof *desc->sources, describe_source,
                             &sources, &desc->source_count));
    TRY(scene_describe_items(scene, splash->sinks, memory, sizeof *desc->sinks, describe_sink,
                             &sinks, &desc->sink_count));
    TRY(scene_describe_items(scene, splash->blasts, memory, sizeof *desc->blasts, describe_blast,
                             &blasts, &desc->blast_count));
    desc->liquids = liquids;
    desc->sources = sources;
    desc->sinks = sinks;
    desc->blasts = blasts;
    return PLIM_OK;
}

/* ---- the world ---- */

/* Bodies that push the liquid, and it does not push back: a classic liquid, or one way. */
static void tell_bodies(const PlimScene *scene, const SplashDesc *desc) {
    size_t count = 0, first = 0;
    for (size_t i = desc->body_count; i-- > 0;) {
        Collider body = {.solid = surface_describe(&desc->bodies[i].ref).solid};
        surface_read(&desc->bodies[i].ref, &body);
        if (!surface_is_free(&desc->bodies[i].ref) || splash_pushes_body(desc, &desc->bodies[i]))
            continue;
        if (!room_meets(&desc->room, collider_bounds(&body))) continue;
        first = i;
        count++;
    }
    if (count == 0) return;
    const char *name = surface_describe(&desc->bodies[first].ref).name;
    if (count == 1)
        context_log(scene->context, PLIM_LOG_WARNING,
                    "body '%s' pushes the splashing liquid but does not feel it", name);
    else
        context_log(scene->context, PLIM_LOG_WARNING,
                    "%zu dynamic bodies, the first of them '%s', push the splashing liquid but do "
                    "not feel it",
                    count, name);
}

static void tell_overlap(const PlimScene *scene, const Splash *splash) {
    double mass = splash_overlap(splash);
    if (mass > 0)
        context_log(scene->context, PLIM_LOG_WARNING,
                    "liquids of the splash overlap: %g kg that several of them claim are there "
                    "once, and move as the first says",
                    mass);
}

static PlimStatus add_splash(PlimScene *scene, PlimWorld *world, const SceneSystem *system,
                             const SceneBodies *bodies) {
    const SceneNode *node = system->node;
    SplashDesc desc;
    TRY(scene_as_problem(scene, node, scene_describe_splash(scene, system, &scene->solids, &desc)));
    desc.bodies = bodies->around.data;
    desc.body_count = bodies->around.count;
    TRY(scene_check_splash_bodies(scene, system, &desc));
    scene_tell_size(scene, system, &system->splash.domain, &desc.grid);
    TRY(scene_as_problem(scene, node, world_add_splash(world, system->name, &desc)));
    tell_bodies(scene, &desc);
    tell_overlap(scene, world_find_system(world, &splash_class, system->name));
    return PLIM_OK;
}

static SceneSystemSide splash_side(SceneSystem *system, int axis, int end) {
    SceneSplashSide *side = &system->splash.sides[axis][end];
    return (SceneSystemSide){side->kind, &side->wall, NULL};
}

const SceneSystemKind scene_splash_kind = {"splash",    &scene_splash_table, splash_grid,
                                           splash_side, scene_check_splash,  add_splash};
