/* Collision groups of a scene: names become bits. */
#include "scene/scene.h"

#include <string.h>

/* Of bodies that name none. */
static const char default_group[] = "default";

/* The bit of a group; 0: there is none of that name. */
static uint64_t find_group(const PlimScene *scene, const char *name) {
    if (strcmp(name, default_group) == 0) return 1;
    for (size_t k = 0; k < scene->groups.count; k++)
        if (strcmp(scene->groups.data[k], name) == 0) return UINT64_C(2) << k;
    return 0;
}

void scene_note_group(PlimScene *scene, const SceneNode *node, const SceneBody *body) {
    if (!body->group || find_group(scene, body->group)) return;
    if (scene->groups.count + 1 >= PLIM_GROUP_COUNT)
        reader_problem(&scene->reader, node_get(node, "group"),
                       "is one group too many; a scene has at most %d", PLIM_GROUP_COUNT - 1);
    else if (!array_push(scene->context, &scene->groups, body->group))
        scene->reader.trouble = PLIM_OUT_OF_MEMORY;
}

void scene_check_groups(PlimScene *scene) {
    const SceneNode *list = scene->document.rigid.bodies.node;
    for (size_t i = 0; list && i < list->children.count; i++) {
        const SceneNode *names = node_get(list->children.data[i], "collides_with");
        for (size_t k = 0; names && names->kind == NODE_LIST && k < names->children.count; k++) {
            const SceneNode *name = names->children.data[k];
            if (name->kind == NODE_SCALAR && !find_group(scene, name->text))
                reader_problem(&scene->reader, names,
                               "no body is of the group '%.60s'; bodies without 'group' are of "
                               "'default'",
                               name->text);
        }
    }
}

void scene_describe_groups(const PlimScene *scene, const SceneBody *body, PlimRigidDesc *desc) {
    if (body->group) desc->groups = find_group(scene, body->group);
    if (!body->collides_with.node) return;
    desc->collides_with = 0;
    for (size_t k = 0; k < body->collides_with.node->children.count; k++)
        desc->collides_with |= find_group(scene, body->collides_with.node->children.data[k]->text);
}
