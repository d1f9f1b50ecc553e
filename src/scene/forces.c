/* Forces on bodies as expressions of t. */
#include "scene/scene.h"

#include <string.h>

struct SceneForces {
    SceneForce force;
};

PlimStatus scene_motion_at(const SceneMotion *motion, PlimContext *context, double t,
                           double *value) {
    static const double origin[3] = {0, 0, 0};
    *value = motion->value;
    if (!motion->expression) return PLIM_OK;
    *value = expression_at(motion->expression, origin, t);
    if (isfinite(*value)) return PLIM_OK;
    char why[EXPRESSION_MESSAGE] = "it has no value";
    double rate;
    expression_evaluate(motion->expression, t, value, &rate, why);
    return context_fail(context, PLIM_BAD_INPUT, "%s", why);
}

static PlimStatus evaluate(void *user, PlimContext *context, double t, PlimForce *out) {
    const SceneForces *own = user;
    for (int axis = 0; axis < 3; axis++) {
        TRY(scene_motion_at(&own->force.force[axis], context, t, &out->force[axis]));
        TRY(scene_motion_at(&own->force.torque[axis], context, t, &out->torque[axis]));
    }
    return PLIM_OK;
}

static SceneForce read_force(PlimScene *scene, SceneNode *node) {
    SceneForce force = {.at = {NAN, NAN, NAN}};
    reader_read_table(&scene->reader, node, &scene_force_table, &force);
    return force;
}

static bool changes(const SceneForce *force) {
    bool any = false;
    for (int axis = 0; axis < 3; axis++)
        any |= force->force[axis].expression || force->torque[axis].expression;
    return any;
}

void scene_check_forces(PlimScene *scene, const SceneBody *body) {
    for (size_t k = 0; k < scene_item_count(body->forces); k++) {
        SceneNode *node = body->forces.node->children.data[k];
        size_t problems = scene->reader.problems.count;
        SceneForce force = read_force(scene, node);
        if (scene->reader.problems.count > problems || scene->document.dim != 2) continue;
        const SceneMotion flat[3] = {force.force[2], force.torque[0], force.torque[1]};
        for (int i = 0; i < 3; i++)
            if (flat[i].value != 0 || flat[i].expression) {
                reader_problem(&scene->reader, node,
                               "the scene has two dimensions: the z part of a force and the x and "
                               "y parts of a torque must be 0");
                break;
            }
    }
}

/* What changes is kept by the scene, for it is asked in every step. */
static PlimStatus describe_force(PlimScene *scene, SceneNode *node, Scratch *memory, void *out) {
    (void)memory;
    PlimForceDesc *desc = out;
    SceneForce force = read_force(scene, node);
    *desc = (PlimForceDesc){.body_axes = force.axes == 1, .has_at = isfinite(force.at[0])};
    if (desc->has_at) memcpy(desc->at, force.at, sizeof desc->at);
    for (int axis = 0; axis < 3; axis++) {
        desc->force.force[axis] = force.force[axis].value;
        desc->force.torque[axis] = force.torque[axis].value;
    }
    if (!changes(&force)) return PLIM_OK;
    SceneForces *kept = context_allocate(scene->context, 1, sizeof *kept);
    if (!kept) return PLIM_OUT_OF_MEMORY;
    kept->force = force;
    if (!array_push(scene->context, &scene->forces, kept)) {
        context_free(scene->context, kept, 1, sizeof *kept);
        return PLIM_OUT_OF_MEMORY;
    }
    desc->path = evaluate;
    desc->path_user = kept;
    return PLIM_OK;
}

PlimStatus scene_describe_forces(PlimScene *scene, const SceneBody *body, Scratch *memory,
                                 PlimRigidDesc *desc) {
    const void *items;
    TRY(scene_describe_items(scene, body->forces, memory, sizeof(PlimForceDesc), describe_force,
                             &items, &desc->force_count));
    desc->forces = items;
    return scene->reader.trouble;
}

void scene_forces_free(PlimScene *scene) {
    for (size_t i = 0; i < scene->forces.count; i++)
        context_free(scene->context, scene->forces.data[i], 1, sizeof *scene->forces.data[i]);
    array_free(scene->context, &scene->forces);
}
