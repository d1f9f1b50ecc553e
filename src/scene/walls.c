/* Walls of domains as bodies meet them: friction, restitution, belts. */
#include "scene/walls.h"

#include "scene/field.h"
#include "scene/scene.h"
#include "world/domains.h"

static const char *const side_names[3][2] = {
    {"left", "right"}, {"bottom", "top"}, {"back", "front"}};

void scene_begin_walls(SceneSystem *system) {
    for (int axis = 0; axis < 3; axis++)
        for (int end = 0; end < 2; end++)
            *system->kind->side(system, axis, end).wall =
                (SceneWall){.friction = {-1, -1}, .restitution = -1};
}

static void check_side(PlimScene *scene, const SceneNode *node, const SceneSystemSide *side) {
    static const char *const keys[] = {"friction", "restitution"};
    for (int i = 0; i < 2 && side->kind != SCENE_SIDE_WALL; i++)
        if (node_get(node, keys[i]))
            reader_problem(&scene->reader, node_get(node, keys[i]),
                           "only a wall has %s: this side lets things pass; leave it out or use "
                           "'kind: wall'",
                           keys[i]);
    scene_check_friction(scene, node, &side->wall->friction);
}

void scene_check_walls(PlimScene *scene, SceneSystem *system) {
    const SceneNode *sides = node_get(system->node, "sides");
    for (int axis = 0; axis < scene->document.dim; axis++)
        for (int end = 0; end < 2; end++) {
            SceneSystemSide side = system->kind->side(system, axis, end);
            check_side(scene, node_get(sides, side_names[axis][end]), &side);
        }
}

StillMaterial scene_wall_material(SceneSystem *system, int axis, int end) {
    SceneSystemSide side = system->kind->side(system, axis, end);
    StillMaterial material = world_wall_material();
    const SceneWall *wall = side.wall;
    if (wall->friction.at_rest >= 0) {
        material.friction = wall->friction.at_rest;
        material.kinetic_friction =
            wall->friction.kinetic >= 0 ? wall->friction.kinetic : wall->friction.at_rest;
    }
    if (wall->restitution >= 0) material.restitution = wall->restitution;
    for (int k = 0; k < 3 && side.velocity && side.kind == SCENE_SIDE_WALL; k++)
        material.velocity[k] = scene_field_function(&side.velocity[k]);
    return material;
}
