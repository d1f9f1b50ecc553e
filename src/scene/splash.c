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

Grid scene_splash_grid(const SceneDocument *document) {
    static const SideKind kinds[] = {[SCENE_SIDE_WALL] = SIDE_WALL, [SCENE_SIDE_OPEN] = SIDE_OPEN};
    const SceneSplash *splash = &document->splash;
    Grid grid = scene_domain_grid(&splash->domain, (int)document->dim, splash->cells);
    for (int axis = 0; axis < grid.dim; axis++)
        for (int end = 0; end < 2; end++) grid.sides[axis][end] = kinds[splash->sides[axis][end]];
    return grid;
}

static void describe_surface(const SceneSplashSurface *surface, SplashDesc *desc) {
    desc->surface = surface->mesh;
    desc->all_particles = surface->particles;
    desc->surface_radius = surface->radius;
    desc->surface_smoothing = (int)surface->smoothing;
    for (int c = 0; c < 3; c++) desc->absorption[c] = (float)surface->absorption[c];
}

SplashDesc scene_describe_splash_options(const PlimScene *scene) {
    const SceneSplash *splash = &scene->document.splash;
    SplashDesc desc = splash_desc_default();
    desc.grid = scene_splash_grid(&scene->document);
    desc.density = splash->density;
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
    desc.settling = splash->settling;
    desc.suction = splash->suction;
    desc.suction_depth = splash->suction_depth;
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

static PlimStatus describe_liquids(PlimScene *scene, Scratch *memory, SplashDesc *desc) {
    const SceneItems list = scene->document.splash.liquids;
    size_t count = item_count(list);
    SplashLiquid *liquids = scratch_take(memory, count, sizeof *liquids);
    if (!liquids) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) {
        SceneSplashLiquid liquid = scene_read_splash_liquid(scene, list.node->children.data[i]);
        TRY(scene->reader.trouble);
        liquids[i] = (SplashLiquid){.name = liquid.at.name};
        for (int axis = 0; axis < 3; axis++)
            liquids[i].velocity[axis] = scene_field_function(&liquid.velocity[axis]);
        TRY(place_solid(scene, &liquid.at, memory, &liquids[i].solid));
    }
    desc->liquids = liquids;
    desc->liquid_count = count;
    return PLIM_OK;
}

static PlimStatus describe_sources(PlimScene *scene, Scratch *memory, SplashDesc *desc) {
    const SceneItems list = scene->document.splash.sources;
    size_t count = item_count(list);
    SplashSource *sources = scratch_take(memory, count, sizeof *sources);
    if (!sources) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) {
        SceneSplashSource source = scene_read_splash_source(scene, list.node->children.data[i]);
        TRY(scene->reader.trouble);
        sources[i] = (SplashSource){.name = source.at.name,
                                    .center = vec3_load(source.at.place.position),
                                    .velocity = vec3_load(source.velocity),
                                    .rate = source.rate,
                                    .runs = scene_field_function(&source.runs)};
        if (desc->grid.dim == 2) sources[i].center.z = 0;
        TRY(place_solid(scene, &source.at, memory, &sources[i].solid));
    }
    desc->sources = sources;
    desc->source_count = count;
    return PLIM_OK;
}

static PlimStatus describe_sinks(PlimScene *scene, Scratch *memory, SplashDesc *desc) {
    const SceneItems list = scene->document.splash.sinks;
    size_t count = item_count(list);
    SplashSink *sinks = scratch_take(memory, count, sizeof *sinks);
    if (!sinks) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) {
        ScenePlaced sink = scene_read_splash_sink(scene, list.node->children.data[i]);
        TRY(scene->reader.trouble);
        sinks[i] = (SplashSink){.name = sink.name};
        TRY(place_solid(scene, &sink, memory, &sinks[i].solid));
    }
    desc->sinks = sinks;
    desc->sink_count = count;
    return PLIM_OK;
}

static PlimStatus describe_blasts(PlimScene *scene, Scratch *memory, SplashDesc *desc) {
    const SceneItems list = scene->document.splash.blasts;
    size_t count = item_count(list);
    SplashBlast *blasts = scratch_take(memory, count, sizeof *blasts);
    if (!blasts) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) {
        SceneBlast blast = scene_read_splash_blast(scene, list.node->children.data[i]);
        TRY(scene->reader.trouble);
        blasts[i] = (SplashBlast){.name = blast.name,
                                  .time = blast.time,
                                  .center = vec3_load(blast.center),
                                  .radius = blast.radius,
                                  .speed = blast.speed};
        if (desc->grid.dim == 2) blasts[i].center.z = 0;
    }
    desc->blasts = blasts;
    desc->blast_count = count;
    return PLIM_OK;
}

static PlimStatus describe_obstacles(PlimScene *scene, Scratch *memory, SplashDesc *desc) {
    const SceneItems list = scene->document.splash.obstacles;
    if (item_count(list) == 0) return PLIM_OK;
    Solid *solid = scratch_take(memory, 1, sizeof *solid);
    if (!solid) return PLIM_OUT_OF_MEMORY;
    desc->obstacles = solid;
    return scene_shapes_solid(scene, list.node, memory, solid);
}

PlimStatus scene_describe_splash(PlimScene *scene, Scratch *memory, SplashDesc *desc) {
    *desc = scene_describe_splash_options(scene);
    TRY(describe_liquids(scene, memory, desc));
    TRY(describe_obstacles(scene, memory, desc));
    TRY(describe_sources(scene, memory, desc));
    TRY(describe_sinks(scene, memory, desc));
    return describe_blasts(scene, memory, desc);
}

/* ---- the world ---- */

/* Bodies that forces move push the liquid, and it does not push back: one way. */
static void tell_bodies(const PlimScene *scene, const SplashDesc *desc) {
    const SolidView *view = &desc->bodies_view;
    size_t count = 0, first = 0;
    for (size_t i = desc->body_count; i-- > 0;)
        if (view->is_free(view->system, desc->bodies[i].body)) {
            first = desc->bodies[i].body;
            count++;
        }
    if (count == 0) return;
    const char *name = view->name(view->system, first);
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

static PlimStatus describe_bodies(PlimScene *scene, const FluidBody *bodies, size_t count,
                                  SplashDesc *desc) {
    SplashBody *around = scratch_take(&scene->solids, count, sizeof *around);
    if (!around) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++)
        around[i] = (SplashBody){.body = bodies[i].body, .solid = bodies[i].solid};
    desc->bodies = around;
    desc->body_count = count;
    return PLIM_OK;
}

PlimStatus scene_add_splash(PlimScene *scene, PlimWorld *world, const FluidBody *bodies,
                            size_t body_count) {
    const SceneNode *node = node_get(scene->root, "splash");
    if (!node) return PLIM_OK;
    SplashDesc desc;
    TRY(scene_as_problem(scene, node, scene_describe_splash(scene, &scene->solids, &desc)));
    desc.bodies_view = rigid_solid_view(world->rigid);
    TRY(describe_bodies(scene, bodies, body_count, &desc));
    TRY(scene_check_splash_bodies(scene, &desc));
    scene_tell_size(scene, &scene->document.splash.domain, &desc.grid);
    TRY(scene_as_problem(scene, node, world_add_splash(world, NULL, &desc)));
    tell_bodies(scene, &desc);
    tell_overlap(scene, splash_of(world));
    return PLIM_OK;
}
