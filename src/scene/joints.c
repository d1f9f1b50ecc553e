/* Joints of a scene: names of bodies and their copies, then the world's own checks. */
#include "base/suggest.h"
#include "rigid/bodies.h"
#include "scene/scene.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

static SceneJoint joint_start(void) {
    return (SceneJoint){.copies = {NAN, NAN},
                        .at = {NAN, NAN, NAN},
                        .to = {NAN, NAN, NAN},
                        .axis = {NAN, NAN, NAN},
                        .second_axis = {NAN, NAN, NAN},
                        .limits = {NAN, NAN},
                        .twist = {NAN, NAN},
                        .repeat = {.grid = {1, 1, 1}}};
}

static bool is_line(const SceneJoint *joint) {
    return joint->kind == PLIM_JOINT_DISTANCE || joint->kind == PLIM_JOINT_ROPE;
}

static void check_range(PlimScene *scene, const SceneNode *node, const double range[2]) {
    if (node && !(range[0] < range[1]))
        reader_problem(&scene->reader, node, "the first, %g, must be below the second, %g",
                       range[0], range[1]);
}

static void check_joint(PlimScene *scene, SceneNode *node, const SceneJoint *joint) {
    SceneReader *reader = &scene->reader;
    size_t named = joint->bodies.node ? joint->bodies.node->children.count : 0;
    if (named != 2)
        reader_problem(reader, node_get(node, "bodies"),
                       "a joint has two bodies, %zu are named; one of them may be 'world'", named);
    if (!is_line(joint) && !isfinite(joint->at[0]))
        reader_problem(reader, node, "needs 'at': where the joint is at the start");
    if (!is_line(joint) && isfinite(joint->to[0]))
        reader_problem(reader, node_get(node, "to"), "only of 'distance' and 'rope'; take it out");
    if (!is_line(joint) && joint->length > 0)
        reader_problem(reader, node_get(node, "length"),
                       "only of 'distance' and 'rope'; take it out");
    if (joint->kind != PLIM_JOINT_UNIVERSAL && isfinite(joint->second_axis[0]))
        reader_problem(reader, node_get(node, "second_axis"), "only of 'universal'; take it out");
    Vec3 axis = vec3_load(joint->axis);
    if (isfinite(axis.x) && !(vec3_length(axis) > 0))
        reader_problem(reader, node_get(node, "axis"),
                       "has no length; give a direction, as [0, 0, 1]");
    if (node_get(node, "motor") && node_get(node, "control"))
        reader_problem(reader, node_get(node, "motor"),
                       "has 'control' too; a joint has one or the other");
    check_range(scene, node_get(node, "limits"), joint->limits);
    check_range(scene, node_get(node, "twist"), joint->twist);
    for (int side = 0; side < 2; side++)
        if (isfinite(joint->copies[side]) && joint->copies[side] != floor(joint->copies[side]))
            reader_problem(reader, node_get(node, "copies"),
                           "copies are counted in whole numbers, from 0; %g is none",
                           joint->copies[side]);
}

static bool read_joint(PlimScene *scene, SceneNode *node, SceneJoint *joint) {
    SceneReader *reader = &scene->reader;
    size_t problems = reader->problems.count;
    *joint = joint_start();
    reader_read_table(reader, node, &scene_joint_table, joint);
    if (reader->problems.count > problems || reader->trouble != PLIM_OK) return false;
    check_joint(scene, node, joint);
    return reader->problems.count == problems && reader->trouble == PLIM_OK;
}

void scene_check_joints(PlimScene *scene) {
    SceneReader *reader = &scene->reader;
    const SceneNode *list = scene->document.joints.node;
    for (size_t entry = 0; list && entry < list->children.count; entry++) {
        SceneNode *node = list->children.data[entry];
        SceneRepeat repeat;
        double copies = scene_count_copies(scene, node, &repeat);
        uint64_t count = (uint64_t)fmin(copies, 0x1p53);
        scene_set_repeat(reader, node, &repeat, 0, count);
        SceneJoint joint;
        read_joint(scene, node, &joint);
        scene_add_memory(scene, node, copies * 4096, copies, "joints");
    }
    reader->repeat = (RepeatIndex){0};
}

/* ---- the world ---- */

static PlimStatus unknown_body(const PlimScene *scene, const RigidBodies *bodies, const char *joint,
                               const char *name) {
    const char *guess = NULL, *names[64];
    size_t count = rigid_count(bodies) < 64 ? rigid_count(bodies) : 64;
    for (size_t i = 0; i < count; i++) names[i] = bodies->extras.data[i].name;
    guess = suggest_name(name, names, count);
    return context_fail(scene->context, PLIM_BAD_INPUT,
                        "joint '%s': there is no rigid body '%s'%s%s%s", joint, name,
                        guess ? "; did you mean '" : "; 'world' is what does not move",
                        guess ? guess : "", guess ? "'?" : "");
}

/* A body by its name, or that of a copy. */
static PlimStatus find_body(const PlimScene *scene, const RigidBodies *bodies, const char *joint,
                            const char *name, double copy, size_t *id) {
    char full[128];
    *id = PLIM_WORLD;
    if (strcmp(name, "world") == 0) return PLIM_OK;
    *id = rigid_bodies_find(bodies, name);
    if (*id != INDEX_NONE) return PLIM_OK;
    snprintf(full, sizeof full, "%s_%.0f", name, copy);
    if (isfinite(copy)) *id = rigid_bodies_find(bodies, full);
    if (*id != INDEX_NONE) return PLIM_OK;
    return unknown_body(scene, bodies, joint, isfinite(copy) ? full : name);
}

/* The end of a distance or rope: given, or the centre of the body. */
static PlimStatus find_end(const PlimScene *scene, const RigidBodies *bodies, const char *joint,
                           const double given[3], size_t body, double out[3]) {
    if (isfinite(given[0]))
        memcpy(out, given, 3 * sizeof *out);
    else if (body == PLIM_WORLD)
        return context_fail(scene->context, PLIM_BAD_INPUT,
                            "joint '%s': the world has no centre; say where its end is with 'at' "
                            "or 'to'",
                            joint);
    else
        memcpy(out, bodies->position + 3 * body, 3 * sizeof *out);
    return PLIM_OK;
}

/* A speed or target as a function of t; kept by the scene, for it is asked in every step. */
struct SceneDrives {
    SceneMotion value;
    double scale; /* from the scene's units */
};

static PlimStatus evaluate(void *user, PlimContext *context, double t, double *value,
                           double *rate) {
    const SceneDrives *own = user;
    char why[EXPRESSION_MESSAGE] = "it has no value";
    PlimStatus status = expression_evaluate(own->value.expression, t, value, rate, why);
    if (status != PLIM_OK) return context_fail(context, status, "%s", why);
    *value *= own->scale;
    *rate *= own->scale;
    return PLIM_OK;
}

static PlimStatus describe_drive(PlimScene *scene, const SceneDrive *drive, double scale,
                                 PlimJointDesc *desc) {
    desc->value = scale * drive->value.value;
    desc->strength = drive->strength;
    desc->max_torque = drive->max_torque;
    if (!drive->value.expression) return PLIM_OK;
    SceneDrives *kept = context_allocate(scene->context, 1, sizeof *kept);
    if (!kept) return PLIM_OUT_OF_MEMORY;
    *kept = (SceneDrives){drive->value, scale};
    if (!array_push(scene->context, &scene->drives, kept)) {
        context_free(scene->context, kept, 1, sizeof *kept);
        return PLIM_OUT_OF_MEMORY;
    }
    desc->path = evaluate;
    desc->path_user = kept;
    return PLIM_OK;
}

void scene_drives_free(PlimScene *scene) {
    for (size_t i = 0; i < scene->drives.count; i++)
        context_free(scene->context, scene->drives.data[i], 1, sizeof *scene->drives.data[i]);
    array_free(scene->context, &scene->drives);
}

/* Limits, springs and drives: angles in radians. */
static PlimStatus describe_actions(PlimScene *scene, const SceneNode *node, const SceneJoint *joint,
                                   PlimJointDesc *desc) {
    const double radians = 3.14159265358979323846 / 180;
    double unit = joint->kind == PLIM_JOINT_SLIDER ? 1 : radians;
    desc->has_limits = isfinite(joint->limits[0]);
    desc->has_twist = isfinite(joint->twist[0]);
    for (int i = 0; i < 2; i++) {
        desc->limits[i] = desc->has_limits ? unit * joint->limits[i] : 0;
        desc->twist[i] = desc->has_twist ? radians * joint->twist[i] : 0;
    }
    desc->swing = radians * joint->swing;
    desc->stiffness = joint->spring.stiffness;
    desc->damping = joint->spring.damping;
    desc->rest = unit * joint->spring.rest;
    if (node_get(node, "motor")) {
        desc->drive = PLIM_DRIVE_MOTOR;
        return describe_drive(scene, &joint->motor, 1, desc);
    }
    if (!node_get(node, "control")) return PLIM_OK;
    desc->drive = PLIM_DRIVE_CONTROL;
    return describe_drive(scene, &joint->control, unit, desc);
}

static PlimStatus describe(PlimScene *scene, const SceneNode *node, const RigidBodies *bodies,
                           const SceneJoint *joint, const char *name, PlimJointDesc *desc) {
    size_t body[2];
    for (int side = 0; side < 2; side++)
        TRY(find_body(scene, bodies, name, joint->bodies.node->children.data[side]->text,
                      joint->copies[side], &body[side]));
    *desc = plim_joint_desc_default();
    desc->name = name;
    desc->kind = (PlimJointKind)joint->kind;
    desc->a = body[0];
    desc->b = body[1];
    TRY(find_end(scene, bodies, name, joint->at, body[0], desc->at));
    if (is_line(joint)) TRY(find_end(scene, bodies, name, joint->to, body[1], desc->to));
    if (joint->kind == PLIM_JOINT_TWIST) desc->axis[2] = 0;
    if (isfinite(joint->axis[0])) memcpy(desc->axis, joint->axis, sizeof desc->axis);
    if (isfinite(joint->second_axis[0]))
        memcpy(desc->second_axis, joint->second_axis, sizeof desc->second_axis);
    desc->length = joint->length;
    desc->collide = joint->collide;
    desc->break_force = joint->breaks.force;
    desc->break_torque = joint->breaks.torque;
    return describe_actions(scene, node, joint, desc);
}

static PlimStatus add_copy(PlimScene *scene, SceneNode *node, size_t number, void *user) {
    PlimWorld *world = user;
    SceneJoint joint;
    if (!read_joint(scene, node, &joint)) {
        TRY(scene->reader.trouble);
        return context_fail(scene->context, PLIM_BAD_INPUT, "%s: %s (copy %zu)", scene->label,
                            scene->reader.problems.data[scene->reader.problems.count - 1].text,
                            number);
    }
    char name[96];
    if (scene->reader.repeat.active)
        snprintf(name, sizeof name, "%s_%zu", joint.name, number);
    else
        snprintf(name, sizeof name, "%s", joint.name);
    PlimJointDesc desc;
    size_t id;
    PlimStatus status = describe(scene, node, world->rigid, &joint, name, &desc);
    if (status == PLIM_OK) status = rigid_joint_add(world->rigid, &desc, &id);
    return scene_as_problem(scene, node, status);
}

PlimStatus scene_add_joints(PlimScene *scene, PlimWorld *world) {
    return scene_for_each_copy(scene, scene->document.joints.node, add_copy, world);
}
