/* From keys of a scene to systems of a world: which there are, where their domains lie. */
#include "scene/systems.h"

#include "scene/scene.h"
#include "scene/walls.h"
#include "world/domains.h"

#include <string.h>

static const SceneSystemKind *const kinds[] = {&scene_fluid_kind, &scene_splash_kind};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

/* ---- reading ---- */

static void check_name(PlimScene *scene, const SceneSystem *system) {
    if (!system->name) {
        if (system->node->parent->kind == NODE_LIST)
            reader_problem(&scene->reader, system->node,
                           "the key 'name' is missing: what is in a list needs one");
        return;
    }
    for (size_t i = 0; i < scene->systems.count; i++) {
        const SceneSystem *other = &scene->systems.data[i];
        if (other->name && strcmp(other->name, system->name) == 0)
            reader_problem(&scene->reader, system->node,
                           "a %s is named '%s' too; rename one of them", other->kind->key,
                           system->name);
    }
}

static void read_system(PlimScene *scene, const SceneSystemKind *kind, SceneNode *node) {
    SceneSystem system = {.kind = kind, .node = node};
    scene_begin_walls(&system);
    reader_read_table(&scene->reader, node, kind->table, &system.fluid);
    system.name = system.fluid.name; /* all structs of the union begin with it */
    check_name(scene, &system);
    if (!array_push(scene->context, &scene->systems, system))
        scene->reader.trouble = PLIM_OUT_OF_MEMORY;
}

void scene_read_systems(PlimScene *scene) {
    for (int k = 0; k < KIND_COUNT; k++) {
        SceneNode *node = node_get(scene->root, kinds[k]->key);
        if (!node) continue;
        if (node->kind == NODE_MAP) read_system(scene, kinds[k], node);
        for (size_t i = 0; node->kind == NODE_LIST && i < node->children.count; i++)
            if (node->children.data[i]->kind == NODE_MAP)
                read_system(scene, kinds[k], node->children.data[i]);
    }
    /* Of several each has a name in columns and files. */
    for (size_t i = 0; scene->systems.count > 1 && i < scene->systems.count; i++)
        if (!scene->systems.data[i].name)
            scene->systems.data[i].name = scene->systems.data[i].kind->key;
}

bool scene_has_system(const PlimScene *scene, const SceneSystemKind *kind) {
    for (size_t i = 0; i < scene->systems.count; i++)
        if (scene->systems.data[i].kind == kind) return true;
    return false;
}

const char *scene_system_name(const SceneSystem *system) {
    return system->name ? system->name : system->kind->key;
}

/* ---- domains ---- */

Box3 scene_domain_box(const Grid *grid) {
    Vec3 size = vec3_scale(grid->spacing, vec3(grid->n[0], grid->n[1], grid->n[2]));
    Box3 box = {grid->origin, vec3_add(grid->origin, size)};
    if (grid->dim == 2) {
        box.low.z = -HUGE_VAL;
        box.high.z = HUGE_VAL;
    }
    return box;
}

/* Touching, to rounding, is no overlap. */
static bool overlap(const Grid *a, const Grid *b) {
    Box3 one = scene_domain_box(a), other = scene_domain_box(b);
    double margin = 1e-6 * fmin(a->spacing, b->spacing);
    for (int axis = 0; axis < a->dim; axis++) {
        double low = fmax(vec3_component(one.low, axis), vec3_component(other.low, axis));
        double high = fmin(vec3_component(one.high, axis), vec3_component(other.high, axis));
        if (!(high - low > margin)) return false;
    }
    return true;
}

static void check_overlaps(PlimScene *scene) {
    for (size_t i = 0; i < scene->systems.count; i++)
        for (size_t j = 0; j < i; j++) {
            const SceneSystem *a = &scene->systems.data[j], *b = &scene->systems.data[i];
            Grid one = a->kind->grid(scene, a), other = b->kind->grid(scene, b);
            if (overlap(&one, &other))
                reader_problem(&scene->reader, node_get(b->node, "domain"),
                               "the domains of '%s' and '%s' overlap; move one of them, they may "
                               "touch",
                               scene_system_name(a), scene_system_name(b));
        }
}

void scene_check_systems(PlimScene *scene) {
    for (size_t i = 0; i < scene->systems.count; i++) {
        scene->systems.data[i].kind->check(scene, &scene->systems.data[i]);
        scene_check_walls(scene, &scene->systems.data[i]);
    }
    if (scene->reader.problems.count == 0 && scene->reader.trouble == PLIM_OK)
        check_overlaps(scene);
}

/* ---- the world ---- */

static Box3 endless_box(const Grid *grid) {
    Box3 box = scene_domain_box(grid);
    double ends[2][3];
    vec3_store(ends[0], box.low);
    vec3_store(ends[1], box.high);
    for (int axis = 0; axis < grid->dim; axis++)
        for (int end = 0; end < 2; end++)
            if (grid->sides[axis][end] == SIDE_OPEN || grid->sides[axis][end] == SIDE_PERIODIC)
                ends[end][axis] = end ? HUGE_VAL : -HUGE_VAL;
    return (Box3){vec3_load(ends[0]), vec3_load(ends[1])};
}

PlimStatus scene_find_rooms(PlimScene *scene) {
    size_t count = scene->systems.count;
    for (size_t i = 0; count > 1 && i < count; i++) {
        SceneSystem *system = &scene->systems.data[i];
        Grid grid = system->kind->grid(scene, system);
        Box3 *others = scratch_take(&scene->solids, count, sizeof *others);
        if (!others) return PLIM_OUT_OF_MEMORY;
        system->room = (Room){.box = endless_box(&grid), .others = others};
        for (size_t j = 0; j < count; j++) {
            if (j == i) continue;
            Grid other = scene->systems.data[j].kind->grid(scene, &scene->systems.data[j]);
            others[system->room.other_count++] = scene_domain_box(&other);
        }
    }
    return PLIM_OK;
}

/* Around liquids, and around fluids that move bodies: those bodies meet them. */
static PlimStatus add_walls(PlimScene *scene, PlimWorld *world, SceneSystem *system) {
    bool has_liquid = system->kind == &scene_splash_kind || node_get(system->node, "liquid");
    bool moves_bodies = scene->document.coupling.fluid == 0;
    if (!scene->has_acting || !(has_liquid || moves_bodies)) return PLIM_OK;
    Grid grid = system->kind->grid(scene, system);
    StillMaterial materials[3][2];
    for (int axis = 0; axis < 3; axis++)
        for (int end = 0; end < 2; end++)
            materials[axis][end] = scene_wall_material(system, axis, end);
    return world_add_walls(world, system->name, &grid, &system->room, materials);
}

PlimStatus scene_add_systems(PlimScene *scene, PlimWorld *world, const SceneBodies *bodies) {
    for (size_t i = 0; i < scene->systems.count; i++) {
        SceneSystem *system = &scene->systems.data[i];
        if (system->name && rigid_bodies_find(world->rigid, system->name) != INDEX_NONE) {
            context_fail(scene->context, PLIM_BAD_INPUT,
                         "a rigid body is named '%s' too; rename one of them", system->name);
            return scene_as_problem(scene, system->node, PLIM_BAD_INPUT);
        }
        TRY(add_walls(scene, world, system));
        TRY(system->kind->add(scene, world, system, bodies));
    }
    return PLIM_OK;
}
