/* What tables cannot say about a splashing liquid: names, places, speeds, memory. */
#include "base/hash.h"
#include "geom/collider.h"
#include "scene/splash_parts.h"

#include <string.h>

/* ---- each part by itself ---- */

typedef struct SplashCheck {
    PlimScene *scene;
    const SceneSystem *system;
    const SceneNode *node; /* of the splash */
    double work_bytes;
    ARRAY(const char *) names; /* of liquids, sources, sinks and blasts so far */
    IndexTable by_name;
} SplashCheck;

static void check_name(SplashCheck *check, const SceneNode *node, const char *name) {
    SceneReader *reader = &check->scene->reader;
    if (!name) return; /* already a problem */
    size_t cursor = 0, index;
    uint64_t hash = hash_text(HASH_START, name);
    while ((index = index_table_next(&check->by_name, hash, &cursor)) != INDEX_NONE)
        if (strcmp(check->names.data[index], name) == 0) {
            reader_problem(reader, node, "two parts of the splash are named '%s'; rename one",
                           name);
            return;
        }
    PlimContext *context = check->scene->context;
    if (!array_push(context, &check->names, name) ||
        index_table_insert(context, &check->by_name, hash, check->names.count - 1) != PLIM_OK)
        reader->trouble = PLIM_OUT_OF_MEMORY;
}

/* `problems`: how many there were before it was read. */
static void check_placed(SplashCheck *check, const SceneNode *node, const ScenePlaced *placed,
                         size_t problems) {
    SceneReader *reader = &check->scene->reader;
    check_name(check, node, placed->name);
    if (reader->problems.count > problems || reader->trouble != PLIM_OK) return;
    scene_place_check(check->scene, node, &placed->place, &check->work_bytes);
}

static void check_source(SplashCheck *check, SceneNode *node) {
    SceneReader *reader = &check->scene->reader;
    size_t problems = reader->problems.count;
    SceneSplashSource source = scene_read_splash_source(check->scene, node);
    check_placed(check, node, &source.at, problems);
    if (reader->problems.count > problems || reader->trouble != PLIM_OK) return;
    const SceneNode *velocity = node_get(node, "velocity");
    if (check->scene->document.dim == 2 && source.velocity[2] != 0)
        reader_problem(reader, velocity,
                       "the scene has two dimensions: the z part must be 0, is %g",
                       source.velocity[2]);
    else if (vec3_length(vec3_load(source.velocity)) == 0)
        reader_problem(reader, velocity,
                       "nothing comes out of source '%s': its velocity must not be zero",
                       source.at.name);
    if (source.runs.expression && expression_uses_place(source.runs.expression))
        reader_problem(reader, node_get(node, "runs"),
                       "uses x, y or z; a source runs, or does not, as a whole: use t alone");
}

/* Each by itself, before anything is made of it. */
static void check_items(SplashCheck *check) {
    PlimScene *scene = check->scene;
    const SceneSplash *splash = &check->system->splash;
    const size_t *problems = &scene->reader.problems.count;
    for (size_t i = 0; i < scene_item_count(splash->liquids); i++) {
        size_t before = *problems;
        SceneSplashLiquid liquid =
            scene_read_splash_liquid(scene, splash->liquids.node->children.data[i]);
        check_placed(check, splash->liquids.node->children.data[i], &liquid.at, before);
    }
    if (splash->obstacles.node)
        scene_obstacles_check(scene, splash->obstacles.node, &check->work_bytes);
    for (size_t i = 0; i < scene_item_count(splash->sources); i++)
        check_source(check, splash->sources.node->children.data[i]);
    for (size_t i = 0; i < scene_item_count(splash->sinks); i++) {
        size_t before = *problems;
        ScenePlaced sink = scene_read_splash_sink(scene, splash->sinks.node->children.data[i]);
        check_placed(check, splash->sinks.node->children.data[i], &sink, before);
    }
    for (size_t i = 0; i < scene_item_count(splash->blasts); i++) {
        SceneBlast blast = scene_read_splash_blast(scene, splash->blasts.node->children.data[i]);
        check_name(check, splash->blasts.node->children.data[i], blast.name);
    }
    if (scene_item_count(splash->liquids) + scene_item_count(splash->sources) == 0)
        reader_problem(&scene->reader, check->node,
                       "has no liquid and no source that brings any; add one to 'liquids' or "
                       "'sources'");
}

/* ---- all of them in their places ---- */

/* In two dimensions the domain is flat, at z = 0. */
static Box3 domain_box(const Grid *grid) {
    Vec3 size =
        vec3_scale(grid->spacing, vec3(grid->n[0], grid->n[1], grid->dim == 3 ? grid->n[2] : 0));
    return (Box3){grid->origin, vec3_add(grid->origin, size)};
}

/* The part of a solid's bounds that is in the domain; low above high: there is none. */
static Box3 bounds_inside(const Grid *grid, const Solid *solid) {
    Box3 bounds = solid_bounds(solid), domain = domain_box(grid);
    return (Box3){vec3_max(bounds.low, domain.low), vec3_min(bounds.high, domain.high)};
}

static bool is_empty(Box3 box) {
    return box.low.x > box.high.x || box.low.y > box.high.y || box.low.z > box.high.z;
}

static double cells_in(const Grid *grid, Box3 box) {
    double cells = is_empty(box) ? 0 : 1;
    for (int axis = 0; axis < grid->dim; axis++)
        cells *= (vec3_component(box.high, axis) - vec3_component(box.low, axis)) / grid->spacing;
    return cells;
}

typedef bool (*SiteTest)(const void *user, Vec3 x);

/* Goes through the sites of a lattice, `per_axis` along the edge of a cell, that lie in `solid`
 * (NULL: in the domain), until the test holds for one; false: it holds for none. */
static bool find_site(const Grid *grid, int per_axis, const Solid *solid, SiteTest test,
                      const void *user, Vec3 *found) {
    Box3 box = solid ? bounds_inside(grid, solid) : domain_box(grid);
    double step = grid->spacing / per_axis;
    int64_t from[3] = {0, 0, 0}, to[3] = {0, 0, 0};
    for (int axis = 0; axis < grid->dim; axis++) {
        double origin = vec3_component(grid->origin, axis);
        from[axis] = (int64_t)ceil((vec3_component(box.low, axis) - origin) / step - 0.5);
        to[axis] = (int64_t)floor((vec3_component(box.high, axis) - origin) / step - 0.5);
    }
    for (int64_t k = from[2]; k <= to[2]; k++)
        for (int64_t j = from[1]; j <= to[1]; j++)
            for (int64_t i = from[0]; i <= to[0]; i++) {
                Vec3 site =
                    vec3((double)i + 0.5, (double)j + 0.5, grid->dim == 3 ? (double)k + 0.5 : 0);
                *found = vec3_add(grid->origin, vec3_scale(step, site));
                if ((!solid || solid_distance(solid, *found) < 0) && test(user, *found))
                    return true;
            }
    return false;
}

static bool is_any(const void *user, Vec3 x) {
    (void)user;
    (void)x;
    return true;
}

/* What is solid at t = 0. */
typedef struct Surroundings {
    const Solid *obstacles; /* NULL: none */
    const Collider *bodies;
    size_t body_count;
} Surroundings;

static bool is_free(const void *user, Vec3 x) {
    const Surroundings *around = user;
    if (around->obstacles && solid_distance(around->obstacles, x) <= 0) return false;
    for (size_t i = 0; i < around->body_count; i++)
        if (collider_distance(&around->bodies[i], x) <= 0) return false;
    return true;
}

/* Whether a solid has sites for particles, and all of them are in something else that is solid. */
static bool is_covered(const SplashDesc *desc, const Solid *solid, const Surroundings *around) {
    Vec3 x;
    return find_site(&desc->grid, desc->per_axis, solid, is_any, NULL, &x) &&
           !find_site(&desc->grid, desc->per_axis, solid, is_free, around, &x);
}

static void check_room(PlimScene *scene, const SceneSystem *system, const SplashDesc *desc,
                       const Surroundings *around) {
    const SceneSplash *splash = &system->splash;
    static const char message[] =
        "obstacles and bodies leave no room for %s '%s'; move it, or make "
        "them smaller";
    for (size_t i = 0; i < desc->liquid_count; i++)
        if (is_covered(desc, desc->liquids[i].solid, around))
            reader_problem(&scene->reader, splash->liquids.node->children.data[i], message,
                           "liquid", desc->liquids[i].name);
    for (size_t i = 0; i < desc->source_count; i++)
        if (is_covered(desc, desc->sources[i].solid, around))
            reader_problem(&scene->reader, splash->sources.node->children.data[i], message,
                           "source", desc->sources[i].name);
}

static bool lacks_velocity(const void *user, Vec3 x) {
    const SplashLiquid *liquid = user;
    for (int axis = 0; axis < 3; axis++)
        if (!isfinite(field_function_at(&liquid->velocity[axis], x, 0))) return true;
    return false;
}

static void check_velocity(SplashCheck *check, const SceneNode *node, const SplashDesc *desc,
                           const SplashLiquid *liquid) {
    Vec3 x;
    bool computed = false;
    for (int axis = 0; axis < 3; axis++) computed |= liquid->velocity[axis].evaluate != NULL;
    if (computed &&
        find_site(&desc->grid, desc->per_axis, liquid->solid, lacks_velocity, liquid, &x))
        reader_problem(&check->scene->reader, node_get(node, "velocity"),
                       "the velocity of liquid '%s' has no value at (%g, %g, %g)", liquid->name,
                       x.x, x.y, x.z);
}

static void check_liquid(SplashCheck *check, const SceneNode *node, const SplashDesc *desc,
                         const SplashLiquid *liquid) {
    SceneReader *reader = &check->scene->reader;
    const Grid *grid = &desc->grid;
    Vec3 x;
    if (is_empty(bounds_inside(grid, liquid->solid)))
        reader_problem(reader, node, "liquid '%s' is outside the splash's domain; move it inside",
                       liquid->name);
    else if (!find_site(grid, desc->per_axis, liquid->solid, is_any, NULL, &x))
        reader_problem(reader, node,
                       "liquid '%s' has no particle in the splash's domain, where they are %g m "
                       "apart; move it, make it larger, or use more cells",
                       liquid->name, grid->spacing / desc->per_axis);
    else
        check_velocity(check, node, desc, liquid);
}

/* m/s, what the system may be asked to follow: 1000 cells in a step of the scene, or frame. */
static double greatest_speed(const SceneDocument *document, const Grid *grid) {
    double longest = 1 / document->fps;
    if (document->time_step.max_dt > 0) longest = fmin(longest, document->time_step.max_dt);
    return 1000 * grid->spacing / longest;
}

static void check_speed(SplashCheck *check, const SceneNode *node, const SplashDesc *desc,
                        const char *name, double speed) {
    double greatest = greatest_speed(&check->scene->document, &desc->grid);
    if (speed > greatest)
        reader_problem(&check->scene->reader, node,
                       "'%s' has a speed of %g m/s, more than 1000 cells in a frame; at most "
                       "%g m/s, or use fewer cells or a shorter 'time_step: {max_dt: ...}'",
                       name, speed, greatest);
}

static void check_speeds(SplashCheck *check, const SplashDesc *desc) {
    const SceneSplash *splash = &check->system->splash;
    for (size_t i = 0; i < desc->source_count; i++)
        check_speed(check, node_get(splash->sources.node->children.data[i], "velocity"), desc,
                    desc->sources[i].name, vec3_length(desc->sources[i].velocity));
    for (size_t i = 0; i < desc->blast_count; i++)
        check_speed(check, node_get(splash->blasts.node->children.data[i], "speed"), desc,
                    desc->blasts[i].name, desc->blasts[i].speed);
}

static void check_mouth(SplashCheck *check, const SceneNode *node, const SplashDesc *desc,
                        const SplashSource *source) {
    SceneReader *reader = &check->scene->reader;
    double most = splash_mouth_rate(desc, source);
    if (is_empty(bounds_inside(&desc->grid, source->solid)))
        reader_problem(reader, node, "source '%s' is outside the splash's domain; move it inside",
                       source->name);
    else if (most == 0)
        reader_problem(reader, node,
                       "no particle fits into the mouth of source '%s', the cut of its shape "
                       "through 'position' across 'velocity': particles are %g m apart; make it "
                       "wider, or use more cells",
                       source->name, desc->grid.spacing / desc->per_axis);
    else if (source->rate > most * (1 + 1e-9))
        reader_problem(reader, node_get(node, "rate"),
                       "source '%s' lets through %g kg/s at most, not %g; make its mouth wider or "
                       "its velocity greater",
                       source->name, most, source->rate);
}

static void check_blast(SplashCheck *check, const SceneNode *node, const SplashDesc *desc,
                        const SplashBlast *blast) {
    double away = box3_distance_squared(domain_box(&desc->grid), blast->center);
    if (away >= blast->radius * blast->radius)
        reader_problem(&check->scene->reader, node,
                       "blast '%s' is outside the splash's domain; move its center inside",
                       blast->name);
}

/* All of them together, in their places. */
static void check_places(SplashCheck *check, const SplashDesc *desc) {
    const SceneSplash *splash = &check->system->splash;
    const Surroundings around = {.obstacles = desc->obstacles};
    Vec3 x;
    if (!find_site(&desc->grid, 1, NULL, is_free, &around, &x)) {
        reader_problem(&check->scene->reader, node_get(check->node, "obstacles"),
                       "fill the splash's domain, and leave no cell for liquid; make them smaller, "
                       "or move them");
        return;
    }
    for (size_t i = 0; i < desc->liquid_count; i++)
        check_liquid(check, splash->liquids.node->children.data[i], desc, &desc->liquids[i]);
    for (size_t i = 0; i < desc->source_count; i++)
        check_mouth(check, splash->sources.node->children.data[i], desc, &desc->sources[i]);
    for (size_t i = 0; i < desc->sink_count; i++)
        if (is_empty(bounds_inside(&desc->grid, desc->sinks[i].solid)))
            reader_problem(&check->scene->reader, splash->sinks.node->children.data[i],
                           "sink '%s' is outside the splash's domain; move it inside",
                           desc->sinks[i].name);
    for (size_t i = 0; i < desc->blast_count; i++)
        check_blast(check, splash->blasts.node->children.data[i], desc, &desc->blasts[i]);
    check_room(check->scene, check->system, desc, &around);
}

/* ---- memory ---- */

/* Part of the run in which a source runs, from samples in time. */
static double running_part(const SceneDocument *document, const SplashSource *source) {
    enum { SAMPLES = 1000 };
    if (!source->runs.evaluate) return source->runs.constant > 0;
    int running = 0;
    for (int i = 0; i < SAMPLES; i++) {
        double t = (i + 0.5) / SAMPLES * document->duration;
        running += field_function_at(&source->runs, source->center, t) > 0;
    }
    return (running + 1.0) / SAMPLES;
}

static bool lets_out(const SplashDesc *desc) {
    bool open = desc->sink_count > 0;
    for (int axis = 0; axis < desc->grid.dim; axis++)
        for (int end = 0; end < 2; end++) open |= desc->grid.sides[axis][end] == SIDE_OPEN;
    return open;
}

/* Particles at the start and those that sources bring, about. Where liquid can leave, there are no
 * more than fill the domain. */
static void check_particles(SplashCheck *check, const SplashDesc *desc) {
    const Grid *grid = &desc->grid;
    const SceneDocument *document = &check->scene->document;
    double in_cell = pow(desc->per_axis, grid->dim), full = in_cell * (double)grid_cell_count(grid);
    double count = 0;
    for (size_t i = 0; i < desc->liquid_count; i++)
        count += in_cell * cells_in(grid, bounds_inside(grid, desc->liquids[i].solid));
    count = fmin(count, full);
    for (size_t i = 0; i < desc->source_count; i++) {
        const SplashSource *source = &desc->sources[i];
        double rate = source->rate > 0 ? source->rate : splash_mouth_rate(desc, source);
        count +=
            rate * document->duration * running_part(document, source) / splash_particle_mass(desc);
    }
    if (lets_out(desc)) count = fmin(count, full);
    scene_add_memory(check->scene, check->node, count * splash_bytes_per_particle(desc), count,
                     "particles");
}

/* ---- everything ---- */

/* What shows only when shapes are made. */
static PlimStatus check_made(SplashCheck *check) {
    Scratch memory;
    scratch_init(&memory, check->scene->context);
    SplashDesc desc;
    PlimStatus status = scene_describe_splash(check->scene, check->system, &memory, &desc);
    const size_t *problems = &check->scene->reader.problems.count;
    if (status == PLIM_OK) check_speeds(check, &desc);
    if (status == PLIM_OK && *problems == 0) check_particles(check, &desc);
    if (status == PLIM_OK && *problems == 0) check_places(check, &desc);
    scratch_free(&memory);
    return scene_as_problem(check->scene, check->node, status);
}

static void check_splash(SplashCheck *check) {
    PlimScene *scene = check->scene;
    const SceneSplash *splash = &check->system->splash;
    check_items(check);
    if (scene->reader.problems.count > 0 || scene->reader.trouble != PLIM_OK) return;
    if (!scene_check_domain(scene, check->node, &splash->domain, splash->cells)) return;
    double n[3], spacing;
    scene_count_cells(&splash->domain, (int)scene->document.dim, splash->cells, n, &spacing);
    double cells = n[0] * n[1] * n[2];
    SplashDesc desc = scene_describe_splash_options(scene, check->system);
    scene_add_memory(scene, check->node, check->work_bytes + cells * splash_bytes_per_cell(&desc),
                     cells, "cells of a splash");
    if (scene->reader.problems.count > 0 || scene->reader.trouble != PLIM_OK) return;
    PlimStatus status = check_made(check);
    if (status != PLIM_OK && status != PLIM_BAD_INPUT) scene->reader.trouble = status;
}

void scene_check_splash(PlimScene *scene, const SceneSystem *system) {
    SplashCheck check = {.scene = scene, .system = system, .node = system->node};
    check_splash(&check);
    array_free(scene->context, &check.names);
    index_table_free(scene->context, &check.by_name);
}

PlimStatus scene_check_splash_bodies(PlimScene *scene, const SceneSystem *system,
                                     const SplashDesc *desc) {
    if (desc->body_count == 0) return PLIM_OK;
    Collider *bodies = scratch_take(&scene->solids, desc->body_count, sizeof *bodies);
    if (!bodies) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < desc->body_count; i++) {
        surface_read(&desc->bodies[i].ref, &bodies[i]);
        bodies[i].solid = surface_describe(&desc->bodies[i].ref).solid;
    }
    const Surroundings around = {desc->obstacles, bodies, desc->body_count};
    check_room(scene, system, desc, &around);
    return PLIM_OK;
}
