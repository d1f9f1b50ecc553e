/* Rigid bodies of a scene: materials, copies of repeated bodies, what fluids flow around. */
#include "math/quat.h"
#include "rigid/hollow.h"
#include "scene/scene.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

/* ---- one copy of a body ---- */

static SceneBody body_start(void) {
    return (SceneBody){.friction = {-1, -1},
                       .restitution = -1,
                       .rolling_friction = -1,
                       .spinning_friction = -1,
                       .center = {NAN, NAN, NAN},
                       .pin = {NAN, NAN, NAN},
                       .color = {-1, -1, -1},
                       .repeat = {.grid = {1, 1, 1}, .count = 0}};
}

/* What a body that forces do not move cannot have. */
static void check_forces(PlimScene *scene, const SceneNode *node, const SceneBody *body) {
    static const char still[] = "only a dynamic body has one; a kinematic body follows its path";
    SceneReader *reader = &scene->reader;
    if (vec3_length(vec3_load(body->velocity)) > 0)
        reader_problem(reader, node_get(node, "velocity"), still);
    if (vec3_length(vec3_load(body->angular_velocity)) > 0)
        reader_problem(reader, node_get(node, "angular_velocity"), still);
    if (isfinite(body->pin[0])) reader_problem(reader, node_get(node, "pin"), still);
    if (isfinite(body->center[0])) reader_problem(reader, node_get(node, "center"), still);
    if (body->forces.node) reader_problem(reader, body->forces.node, still);
    if (body->linear_damping > 0) reader_problem(reader, node_get(node, "linear_damping"), still);
    if (body->angular_damping > 0) reader_problem(reader, node_get(node, "angular_damping"), still);
    if (body->lock_rotation)
        reader_problem(reader, node_get(node, "lock_rotation"),
                       "only a dynamic body turns by itself; take it out");
    if (body->passive)
        reader_problem(reader, node_get(node, "passive"),
                       "only a dynamic body is carried by the fluid; take it out");
}

/* In two dimensions nothing leaves the plane. */
static void check_planar(PlimScene *scene, const SceneNode *node, const SceneBody *body) {
    SceneReader *reader = &scene->reader;
    if (scene->document.dim != 2 || body->motion != PLIM_DYNAMIC) return;
    if (body->velocity[2] != 0)
        reader_problem(reader, node_get(node, "velocity"),
                       "the scene has two dimensions: the z part must be 0, is %g",
                       body->velocity[2]);
    if (body->angular_velocity[0] != 0 || body->angular_velocity[1] != 0)
        reader_problem(reader, node_get(node, "angular_velocity"),
                       "the scene has two dimensions: a body turns about z alone; set the x and y "
                       "parts to 0");
}

/* What has no inside, or no end, is not for every body. */
static void check_endless(PlimScene *scene, SceneNode *node, const SceneBody *body) {
    SceneReader *reader = &scene->reader;
    const SceneNode *shape = node_get(node, "shape");
    if (body->shape.kind == SCENE_SHAPE_HALF_SPACE && body->motion == PLIM_DYNAMIC)
        reader_problem(reader, shape,
                       "a half space has no end and no mass: make the body 'motion: static' or "
                       "'kinematic', or use a box");
    if (body->shape.kind == SCENE_SHAPE_FILE && body->shape.file.shell > 0 &&
        scene->systems.count > 0)
        reader_problem(reader, shape,
                       "a shell has no inside: a fluid cannot flow around it; use a closed "
                       "surface without 'shell'");
}

/* Exact bodies are for deformable ones that collide. */
static void check_exact(PlimScene *scene, SceneNode *node, const SceneBody *body) {
    const SceneDeformable *soft = &scene->document.deformable;
    SceneNode *where = node_get(node, "exact");
    if (!body->exact) return;
    if (scene->document.dim == 2)
        reader_problem(&scene->reader, where, "is for three dimensions; take it out");
    if (body->shape.kind == SCENE_SHAPE_HALF_SPACE)
        reader_problem(&scene->reader, where,
                       "a half space has no end, and cannot be exact; take it out, or use a box");
    if (soft->bodies.node && !soft->collisions)
        reader_problem(&scene->reader, where,
                       "deformable bodies have 'collisions: false' and would pass through it; "
                       "take one of both out");
}

/* What no table can say about a body. */
static void check_body(PlimScene *scene, SceneNode *node, const SceneBody *body) {
    static const char path[] = "uses t, but only a body with 'motion: kinematic' follows a path";
    SceneReader *reader = &scene->reader;
    bool moving = false;
    for (int axis = 0; axis < 3; axis++) moving |= body->position[axis].expression != NULL;
    if (body->motion != PLIM_KINEMATIC && moving)
        reader_problem(reader, node_get(node, "position"), path);
    bool turning =
        scene_check_orientation(scene, node_get(node, "orientation"), &body->orientation);
    if (body->motion != PLIM_KINEMATIC && turning)
        reader_problem(reader, node_get(node, "orientation"), path);
    if (body->motion != PLIM_DYNAMIC) check_forces(scene, node, body);
    if (body->keyframes.node) scene_check_keyframes(scene, node, body);
    check_endless(scene, node, body);
    check_exact(scene, node, body);
    check_planar(scene, node, body);
    if (body->motion == PLIM_DYNAMIC && body->passive &&
        (scene->document.coupling.fluid == 1 || !scene_has_system(scene, &scene_fluid_kind)))
        reader_problem(reader, node_get(node, "passive"),
                       "there is no fluid that carries bodies; take it out");
    if (body->material && !scene_find_material(scene, body->material))
        reader_problem(reader, node_get(node, "material"), "there is no material '%s'",
                       body->material);
    scene_check_friction(scene, node, &body->friction);
    scene_check_forces(scene, body);
    if (scene->document.dim == 2 && body->surface_velocity[2] != 0)
        reader_problem(reader, node_get(node, "surface_velocity"),
                       "the scene has two dimensions: the z part must be 0, is %g",
                       body->surface_velocity[2]);
}

/* Reads the body for the copy that reader.repeat describes; false after a problem. */
static bool read_body(PlimScene *scene, SceneNode *node, SceneBody *body) {
    SceneReader *reader = &scene->reader;
    size_t problems = reader->problems.count;
    *body = body_start();
    reader_read_table(reader, node, &scene_body_table, body);
    if (reader->problems.count > problems || reader->trouble != PLIM_OK) return false;
    check_body(scene, node, body);
    return reader->problems.count == problems && reader->trouble == PLIM_OK;
}

/* ---- checks before anything large is made ---- */

/* Copies share their triangles; a frame holds place and velocity of each one's vertices. */
static void check_count(PlimScene *scene, SceneNode *node, const SceneBody *body, double copies) {
    enum {
        MESH_BYTES = 3 * sizeof(double) + 2 * 3 * sizeof(int32_t), /* a vertex of the shape */
        FRAME_BYTES = 6 * sizeof(float) + 2 * 4 * sizeof(int32_t)  /* a vertex of a body */
    };
    double work_bytes = 0;
    double vertices = scene_shape_check(scene, node_get(node, "shape"), &body->shape, &work_bytes);
    scene->body_count += copies;
    scene->has_dynamic |= body->motion == PLIM_DYNAMIC;
    scene->has_acting |= body->motion == PLIM_DYNAMIC && !body->passive;
    double bytes = vertices * MESH_BYTES + work_bytes +
                   copies * ((double)rigid_bytes_per_body() + vertices * FRAME_BYTES);
    SceneNode *where = node_get(node, "repeat");
    scene_add_memory(scene, where ? where : node, bytes, scene->body_count, "bodies");
}

void scene_check_bodies(PlimScene *scene) {
    SceneReader *reader = &scene->reader;
    scene_read_materials(scene);
    const SceneNode *list = scene->document.rigid.bodies.node;
    for (size_t entry = 0; list && entry < list->children.count; entry++) {
        SceneNode *node = list->children.data[entry];
        SceneRepeat repeat;
        double copies = scene_count_copies(scene, node, &repeat);
        uint64_t count = (uint64_t)fmin(copies, 0x1p53); /* more are refused below */
        scene_set_repeat(reader, node, &repeat, 0, count);
        SceneBody body;
        if (read_body(scene, node, &body)) {
            scene_note_group(scene, node, &body);
            check_count(scene, node, &body, copies);
        }
    }
    scene_check_groups(scene);
    reader->repeat = (RepeatIndex){0};
}

/* ---- the world ---- */

/* A body's own value, or its material's, or what bodies have otherwise. */
static double chosen(double own, double of_material, double otherwise) {
    return own >= 0 ? own : of_material >= 0 ? of_material : otherwise;
}

static void describe_surface(const SceneBody *body, const SceneMaterial *material,
                             PlimRigidDesc *desc) {
    const SceneMaterial none = {
        .friction = {-1, -1}, .restitution = -1, .rolling_friction = -1, .spinning_friction = -1};
    if (!material) material = &none;
    const SceneFriction *friction =
        body->friction.at_rest >= 0 ? &body->friction : &material->friction;
    if (friction->at_rest >= 0) {
        desc->friction = friction->at_rest;
        desc->kinetic_friction = friction->kinetic;
    }
    desc->restitution = chosen(body->restitution, material->restitution, desc->restitution);
    desc->rolling_friction =
        chosen(body->rolling_friction, material->rolling_friction, desc->rolling_friction);
    desc->spinning_friction =
        chosen(body->spinning_friction, material->spinning_friction, desc->spinning_friction);
}

/* Everything but name, shape, colour and path. */
static PlimRigidDesc describe_copy(PlimScene *scene, const SceneBody *body, Vec3 center) {
    const SceneMaterial *material =
        body->material ? scene_find_material(scene, body->material) : NULL;
    PlimRigidDesc desc = plim_rigid_desc_default();
    desc.motion = (PlimMotion)body->motion;
    desc.density = body->density > 0 ? body->density : material ? material->density : 1000;
    desc.mass = body->mass;
    describe_surface(body, material, &desc);
    memcpy(desc.inertia, body->inertia, sizeof desc.inertia);
    desc.shell = body->shell;
    desc.has_center = isfinite(body->center[0]);
    if (desc.has_center) memcpy(desc.center, body->center, sizeof desc.center);
    desc.has_pin = isfinite(body->pin[0]);
    memcpy(desc.pin, body->pin, sizeof desc.pin);
    desc.lock_rotation = body->lock_rotation;
    desc.exact = body->exact;
    desc.material = scene_material_number(scene, body->material);
    desc.linear_damping = body->linear_damping;
    desc.angular_damping = body->angular_damping;
    memcpy(desc.surface_velocity, body->surface_velocity, sizeof desc.surface_velocity);
    scene_describe_groups(scene, body, &desc);
    Quat turn = quat_multiply(scene_turn(scene, &body->orientation),
                              scene_copy_tilt(scene, body->name, &body->repeat));
    quat_store(desc.pose.orientation, turn);
    Vec3 place = vec3(body->position[0].value, body->position[1].value, body->position[2].value);
    place = vec3_add(place, scene_copy_offset(scene, body->name, &body->repeat));
    vec3_store(desc.pose.position, vec3_add(place, quat_rotate(turn, center)));
    memcpy(desc.pose.velocity, body->velocity, sizeof desc.pose.velocity);
    memcpy(desc.pose.angular_velocity, body->angular_velocity, sizeof desc.pose.angular_velocity);
    return desc;
}

/* In the shape's own axes. */
static Vec3 center_of_mass(const SceneBody *body, const SceneResolved *shape) {
    if (isfinite(body->center[0])) return vec3_load(body->center);
    return body->shell > 0 ? hollow_center(&shape->desc, body->shell, shape->center)
                           : shape->center;
}

/* A world that gets its bodies, and what its fluids and splashes will flow around. */
typedef struct BodyJob {
    PlimWorld *world;
    SceneBodies *bodies;
    Scratch solids; /* of the body that is added */
    size_t grounds; /* half-spaces so far */
} BodyJob;

/* Half-spaces are ground: a pale grey, and none of the palette's colours is used up. */
static void choose_color(PlimScene *scene, const SceneBody *body, size_t number,
                         PlimRigidDesc *desc, BodyJob *job) {
    static const float grey[3] = {0.8095f, 0.8152f, 0.8210f};
    bool is_ground = desc->shape.kind == PLIM_SHAPE_HALF_SPACE;
    if (!scene->reader.repeat.active) number -= job->grounds;
    if (is_ground && !scene->reader.repeat.active) job->grounds++;
    scene_choose_color(scene, body->material, body->color, number, desc->color);
    if (is_ground && !(body->color[0] >= 0)) memcpy(desc->color, grey, sizeof grey);
}

static PlimStatus add_body(PlimScene *scene, SceneNode *node, const SceneBody *body,
                           PlimRigidDesc *desc, const SceneResolved *shape, BodyJob *job) {
    /* Copies need not be like the first, which was looked at before. */
    scene->has_acting |= desc->motion == PLIM_DYNAMIC && !body->passive;
    if (desc->motion == PLIM_KINEMATIC)
        TRY(scene_add_path(scene, body, scene_copy_offset(scene, body->name, &body->repeat),
                           scene_copy_tilt(scene, body->name, &body->repeat), shape->center, desc));
    RigidBodies *bodies = job->world->rigid;
    size_t id;
    TRY(scene_as_problem(scene, node, rigid_bodies_add_solid(bodies, desc, shape->solid, &id)));
    if (scene->systems.count == 0) return PLIM_OK;
    ImmersedSurface around = {.ref = {&rigid_surfaces, bodies, id},
                              .passive = body->passive,
                              .through = vec3_load(body->through_flow)};
    if (!array_push(scene->context, &job->bodies->around, around)) return PLIM_OUT_OF_MEMORY;
    return scene_as_problem(scene, node, scene_check_fit(scene, &around));
}

static PlimStatus add_copy(PlimScene *scene, SceneNode *node, size_t number, void *user) {
    BodyJob *job = user;
    SceneBody body;
    if (!read_body(scene, node, &body)) {
        TRY(scene->reader.trouble);
        return context_fail(scene->context, PLIM_BAD_INPUT, "%s: %s (copy %zu)", scene->label,
                            scene->reader.problems.data[scene->reader.problems.count - 1].text,
                            number);
    }
    char name[96];
    if (scene->reader.repeat.active)
        snprintf(name, sizeof name, "%s_%zu", body.name, number);
    else
        snprintf(name, sizeof name, "%s", body.name);
    SceneNode *shape_node = node_get(node, "shape");
    SceneResolved shape;
    size_t mark = scratch_mark(&job->solids);
    TRY(scene_as_problem(
        scene, shape_node,
        scene_shape_resolve(scene, shape_node, &body.shape, &job->solids, &shape)));
    shape.center = center_of_mass(&body, &shape);
    PlimRigidDesc desc = describe_copy(scene, &body, shape.center);
    desc.name = name;
    desc.shape = shape.desc;
    choose_color(scene, &body, number, &desc, job);
    scene_choose_glass(scene, body.material, desc.glass);
    PlimStatus status = scene_describe_forces(scene, &body, &job->solids, &desc);
    if (status == PLIM_OK) status = add_body(scene, node, &body, &desc, &shape, job);
    scratch_release(&job->solids, mark);
    return status;
}

static PlimRigidOptions rigid_options(const PlimScene *scene) {
    const SceneRigid *rigid = &scene->document.rigid;
    const SceneContact *contact = &rigid->contact;
    return (PlimRigidOptions){
        .orientation_order = (int)rigid->orientation_order,
        .energy_correction = rigid->energy_correction,
        .hold_positions = scene->document.coupling.positions == 1,
        .plane = scene->document.dim == 2,
        .contact = contact->enabled,
        .collision_iterations = (int)contact->collision_iterations,
        .contact_iterations = (int)contact->contact_iterations,
        .level_iterations = (int)contact->level_iterations,
        .shock_iterations = (int)contact->shock_iterations,
        .push_out = contact->push_out,
        .clamp = contact->clamp,
        .sleep = contact->sleep,
        .frame_contacts = scene->document.output.contacts,
        .travel = contact->travel,
        .pairs = (PlimPairs)contact->pairs,
        .sequence = (PlimSequence)contact->sequence,
        .restitution = (PlimRestitution)contact->restitution,
        .joint_impulse = (PlimJointImpulse)rigid->joint_impulse,
        .seed = scene->reader.seed,
    };
}

PlimStatus scene_add_bodies(PlimScene *scene, PlimWorld *world, SceneBodies *bodies) {
    if (!scene->document.rigid.bodies.node) return PLIM_OK;
    BodyJob job = {.world = world, .bodies = bodies};
    PlimRigidOptions options = rigid_options(scene);
    TRY(plim_rigid_configure(world, &options));
    TRY(scene_add_material_pairs(scene, world));
    scratch_init(&job.solids, scene->context);
    PlimStatus status =
        scene_for_each_copy(scene, scene->document.rigid.bodies.node, add_copy, &job);
    scratch_free(&job.solids);
    return status;
}
