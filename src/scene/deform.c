/* Deformable solids of a scene: from keys to bodies, pins, loads and colliders of the world. */
#include "scene/deform.h"

#include "base/hash.h"
#include "base/random.h"
#include "scene/field.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

/* What is made while bodies are added. */
typedef struct SoftJob {
    PlimWorld *world;
    Deform *deform;
    Scratch memory; /* of one body */
} SoftJob;

/* ---- where nodes start ---- */

static Vec3 field_at(const SceneField field[3], Vec3 x) {
    double place[3], value[3];
    vec3_store(place, x);
    for (int axis = 0; axis < 3; axis++)
        value[axis] = field[axis].expression ? expression_at(field[axis].expression, place, 0)
                                             : field[axis].value;
    return vec3_load(value);
}

static Vec3 scramble(const PlimScene *scene, const SceneSoftBody *body, size_t node) {
    double offset[3];
    for (int axis = 0; axis < 3; axis++) {
        uint64_t stream =
            hash_text(HASH_START, body->name) + 16 + (uint64_t)axis + 64 * scene->reader.repeat.n;
        offset[axis] = body->scramble * (2 * random_uniform(scene->reader.seed, stream, node) - 1);
    }
    return vec3_load(offset);
}

/* Its volume at rest, area or length, times a factor that is the same for all of a mesh. */
static double element_size(const SoftMesh *mesh, const int32_t *c, int dim) {
    Vec3 e1 = vec3_sub(mesh->rest[c[1]], mesh->rest[c[0]]);
    if (mesh->is_sheet && dim == 2) return vec3_length(e1);
    Vec3 across = vec3_cross(e1, vec3_sub(mesh->rest[c[2]], mesh->rest[c[0]]));
    if (mesh->is_sheet) return vec3_length(across);
    return dim == 2 ? across.z : vec3_dot(across, vec3_sub(mesh->rest[c[3]], mesh->rest[c[0]]));
}

static Vec3 center_of(const SoftMesh *mesh, const Vec3 *position, int dim) {
    Vec3 sum = vec3(0, 0, 0);
    double weight = 0;
    int corners = dim + (mesh->is_sheet ? 0 : 1);
    for (size_t e = 0; e < mesh->element_count; e++) {
        const int32_t *c = mesh->elements[e];
        double volume = element_size(mesh, c, dim);
        for (int k = 0; k < corners; k++) sum = vec3_add_scaled(sum, volume, position[c[k]]);
        weight += volume * corners;
    }
    for (size_t i = 0; mesh->element_count == 0 && i < mesh->node_count; i++, weight++)
        sum = vec3_add(sum, position[i]);
    /* All elements flat: refused when the body is added. */
    return weight > 0 ? vec3_scale(1 / weight, sum) : position[0];
}

Quat soft_turn(PlimScene *scene, const SceneSoftBody *body) {
    return quat_multiply(scene_turn(scene, &body->orientation),
                         scene_copy_tilt(scene, body->name, &body->repeat));
}

/* Positions and velocities in the world. */
static PlimStatus place_nodes(PlimScene *scene, const SceneSoftBody *body, const SoftMesh *mesh,
                              Scratch *memory, DeformBodyDesc *desc) {
    Vec3 *position = scratch_take(memory, mesh->node_count, sizeof *position);
    Vec3 *velocity = scratch_take(memory, mesh->node_count, sizeof *velocity);
    Vec3 *rest = scratch_take(memory, mesh->node_count, sizeof *rest);
    if (!position || !velocity || !rest) return PLIM_OUT_OF_MEMORY;
    int dim = (int)scene->document.dim;
    Quat turn = soft_turn(scene, body);
    Vec3 at =
        vec3_add(vec3_load(body->position), scene_copy_offset(scene, body->name, &body->repeat));
    for (size_t i = 0; i < mesh->node_count; i++) {
        Vec3 own = body->start[0].given ? field_at(body->start, mesh->rest[i]) : mesh->rest[i];
        if (body->scramble > 0) own = vec3_add(own, scramble(scene, body, i));
        if (dim == 2) own.z = 0;
        position[i] = vec3_add(at, quat_rotate(turn, own));
        if (dim == 2) position[i].z = 0;
    }
    Vec3 center = center_of(mesh, position, dim), spin = vec3_load(body->angular_velocity);
    for (size_t i = 0; i < mesh->node_count; i++) {
        velocity[i] = vec3_add(field_at(body->velocity, position[i]),
                               vec3_cross(spin, vec3_sub(position[i], center)));
        if (dim == 2) velocity[i].z = 0;
    }
    /* Laws for small rotations must not take the body's orientation for strain. */
    for (size_t i = 0; i < mesh->node_count; i++) rest[i] = quat_rotate(turn, mesh->rest[i]);
    desc->rest = rest;
    desc->position = position;
    desc->velocity = velocity;
    return PLIM_OK;
}

/* ---- a body ---- */

static DeformWind describe_wind(const SceneNode *node, const SceneSoftBody *body) {
    DeformWind wind = {.blows = node_get(node, "wind") != NULL,
                       .density = body->wind.density,
                       .drag = body->wind.drag};
    for (int axis = 0; wind.blows && axis < 3; axis++)
        wind.velocity[axis] = scene_field_function(&body->wind.velocity[axis]);
    return wind;
}

static void describe_surface(const PlimScene *scene, const SceneSoftBody *body, size_t number,
                             DeformBodyDesc *desc) {
    const SceneMaterial *material =
        body->material ? scene_find_material(scene, body->material) : NULL;
    const SceneFriction *friction = body->friction.at_rest >= 0 ? &body->friction
                                    : material && material->friction.at_rest >= 0
                                        ? &material->friction
                                        : NULL;
    desc->density = desc->is_sheet      ? body->area_density
                    : body->density > 0 ? body->density
                    : material          ? material->density
                                        : 1000;
    desc->friction = friction ? friction->at_rest : 0.5;
    desc->kinetic_friction =
        friction && friction->kinetic >= 0 ? friction->kinetic : desc->friction;
    desc->collides = body->collisions;
    desc->meets_itself = body->self_collision;
    desc->thickness = body->thickness;
    /* Other colours than those of the first rigid bodies. */
    scene_choose_color(scene, body->material, body->color, number + 3, desc->color);
}

static void describe_law(const PlimScene *scene, const SceneSoftBody *body, DeformBodyDesc *desc) {
    bool is_chain = desc->is_sheet && scene->document.dim == 2;
    double young = desc->is_sheet ? body->stretch : body->young;
    int dim = desc->is_sheet ? 2 : (int)scene->document.dim;
    if (is_chain && body->stretch > 0) /* 1 m deep: its elements are springs */
        desc->springs = (DeformSprings){.edges = body->stretch, .seconds = body->damping};
    desc->has_law = young > 0 && desc->element_count > 0 && !is_chain;
    if (!desc->has_law) return;
    desc->law = law_from_young((LawModel)body->model, dim, young, body->poisson);
    desc->law.plane_stress = body->plane == 1 || desc->is_sheet;
    desc->law.least_stretch = body->least_stretch;
    desc->damping = body->damping;
    desc->yield_stretch = body->yield_stretch;
    desc->damping_form = (DampingForm)body->damping_form;
}

static DeformBodyDesc describe_body(const PlimScene *scene, const SceneNode *node,
                                    const SceneSoftBody *body, const SoftMesh *mesh,
                                    size_t number) {
    DeformBodyDesc desc = {.node_count = mesh->node_count,
                           .element_count = mesh->element_count,
                           .face_count = mesh->face_count,
                           .link_count = mesh->link_count,
                           .elements = (const int32_t(*)[4])mesh->elements,
                           .faces = (const int32_t(*)[3])mesh->faces,
                           .links = (const int32_t(*)[2])mesh->links,
                           .is_sheet = mesh->is_sheet,
                           .link_stiffness = body->lattice.stiffness,
                           .link_damping = body->lattice.damping,
                           .mass = body->mass,
                           .bending = {.model = (BendingModel)body->bending,
                                       .stiffness = fmax(0.0, body->bending_stiffness),
                                       .damping = body->bending_damping,
                                       .is_flat = body->rest_angles == 1},
                           .strain_limit = body->strain_limit,
                           .wind = describe_wind(node, body)};
    if (node_get(node, "springs"))
        desc.springs = (DeformSprings){.edges = body->springs.edges,
                                       .altitudes = body->springs.altitudes,
                                       .shortest = body->springs.which == 1,
                                       .fraction = body->springs.damping};
    desc.radius = soft_kind(node) == SOFT_PARTICLE
                      ? body->particle.radius
                      : 0.1 * body->lattice.size[0] / fmax(1, body->lattice.cells[0]);
    if (mesh->element_count > 0) desc.radius = 0;
    if (soft_kind(node) == SOFT_CHAIN)
        desc.radius = 0.5 * body->chain.length / (double)body->chain.segments;
    describe_surface(scene, body, number, &desc);
    describe_law(scene, body, &desc);
    return desc;
}

/* ---- pins ---- */

typedef struct PinPath {
    SceneMotion move[3], angle;
    Vec3 axis, about;
} PinPath;

static PlimStatus value_and_rate(const SceneMotion *motion, PlimContext *context, double t,
                                 double *value, double *rate) {
    char why[EXPRESSION_MESSAGE];
    *value = motion->value;
    *rate = 0;
    if (!motion->expression) return PLIM_OK;
    PlimStatus status = expression_evaluate(motion->expression, t, value, rate, why);
    return status == PLIM_OK ? status : context_fail(context, status, "%s", why);
}

static PlimStatus follow_pin(void *user, PlimContext *context, double t, DeformPath *out) {
    static const double degree = 3.14159265358979323846 / 180;
    const PinPath *path = user;
    double move[3], rate[3], angle, spin;
    for (int axis = 0; axis < 3; axis++)
        TRY(value_and_rate(&path->move[axis], context, t, &move[axis], &rate[axis]));
    TRY(value_and_rate(&path->angle, context, t, &angle, &spin));
    *out = (DeformPath){.turn = scene_turn_by(path->axis, angle),
                        .about = path->about,
                        .move = vec3_load(move),
                        .spin = vec3_scale(degree * spin, path->axis),
                        .rate = vec3_load(rate)};
    return PLIM_OK;
}

static PlimStatus find_partner(PlimScene *scene, const SoftJob *job, const ScenePin *pin,
                               SurfaceRef *out) {
    RigidBodies *bodies = job->world->rigid;
    size_t id = rigid_bodies_find(bodies, pin->with);
    if (id == INDEX_NONE)
        return context_fail(scene->context, PLIM_BAD_INPUT, "pin '%s': there is no rigid body '%s'",
                            pin->name, pin->with);
    *out = (SurfaceRef){&rigid_surfaces, bodies, id};
    if (surface_is_free(out))
        return context_fail(scene->context, PLIM_BAD_INPUT,
                            "pin '%s': '%s' is dynamic, and would not feel the pin; make it "
                            "static or kinematic",
                            pin->name, pin->with);
    return PLIM_OK;
}

/* Names of what belongs to a copy begin with that of the copy. */
static void own_name(const PlimScene *scene, const char *copy, const char *name, char out[200]) {
    if (scene->reader.repeat.active)
        snprintf(out, 200, "%s_%s", copy, name);
    else
        snprintf(out, 200, "%s", name);
}

typedef struct SoftPart {
    SoftJob *job;
    const SoftMesh *mesh;
    const char *copy; /* name of the body */
    size_t body;
} SoftPart;

/* What pins, loads and points have: a name in the world, and nodes. */
typedef struct SoftChoice {
    char name[200];
    int32_t *nodes;
    size_t count;
} SoftChoice;

static PlimStatus choose(PlimScene *scene, const SoftPart *part, const char *name,
                         const SceneNodes *nodes, SoftChoice *out) {
    TRY(scene->reader.trouble);
    own_name(scene, part->copy, name, out->name);
    return soft_choose_nodes(scene, nodes, out->name, part->mesh, &part->job->memory, &out->nodes,
                             &out->count);
}

static PlimStatus check_times(PlimScene *scene, const ScenePin *pin, const char *name) {
    if (pin->until > 0 && !(pin->until > pin->from))
        return context_fail(scene->context, PLIM_BAD_INPUT,
                            "pin '%s' lets go at %g s, before it takes hold at %g s: exchange "
                            "'from' and 'until'",
                            name, pin->until, pin->from);
    if (pin->with && pin->from > 0)
        return context_fail(scene->context, PLIM_BAD_INPUT,
                            "pin '%s': nodes that move with '%s' must do so from the start; leave "
                            "out 'from'",
                            name, pin->with);
    return PLIM_OK;
}

static PlimStatus add_pin(PlimScene *scene, SceneNode *node, const SoftPart *part) {
    ScenePin pin = soft_read_pin(scene, node);
    SoftChoice chosen;
    TRY(choose(scene, part, pin.name, &pin.nodes, &chosen));
    TRY(check_times(scene, &pin, chosen.name));
    DeformPinDesc desc = {.name = chosen.name,
                          .body = part->body,
                          .nodes = chosen.nodes,
                          .node_count = chosen.count,
                          .from = pin.from,
                          .until = pin.until};
    for (int axis = 0; axis < 3; axis++) desc.axes[axis] = strchr(pin.axes, 'x' + axis) != NULL;
    if (pin.with) TRY(find_partner(scene, part->job, &pin, &desc.with));
    if (soft_pin_is_led(node, &pin)) {
        PinPath *path = scratch_take(&scene->solids, 1, sizeof *path);
        if (!path) return PLIM_OUT_OF_MEMORY;
        *path = (PinPath){.angle = pin.turn.angle,
                          .axis = scene_direction(pin.turn.axis),
                          .about = vec3_load(pin.about)};
        memcpy(path->move, pin.move, sizeof path->move);
        desc.path = follow_pin;
        desc.path_user = path;
    }
    return deform_add_pin(part->job->deform, &desc);
}

/* ---- loads, points ---- */

typedef struct LoadPath {
    SceneMotion force[3], pressure;
} LoadPath;

static PlimStatus follow_load(void *user, PlimContext *context, double t, DeformForce *out) {
    const LoadPath *path = user;
    double force[3];
    for (int axis = 0; axis < 3; axis++)
        TRY(scene_motion_at(&path->force[axis], context, t, &force[axis]));
    out->force = vec3_load(force);
    return scene_motion_at(&path->pressure, context, t, &out->pressure);
}

static PlimStatus add_load(PlimScene *scene, SceneNode *node, const SoftPart *part) {
    SceneLoad load = soft_read_load(scene, node);
    SoftChoice chosen;
    TRY(choose(scene, part, load.name, &load.nodes, &chosen));
    DeformLoadDesc desc = {
        .name = chosen.name, .body = part->body, .nodes = chosen.nodes, .node_count = chosen.count};
    bool changes = load.pressure.expression != NULL;
    for (int axis = 0; axis < 3; axis++) changes = changes || load.force[axis].expression;
    desc.force.force = vec3(load.force[0].value, load.force[1].value, load.force[2].value);
    desc.force.pressure = load.pressure.value;
    desc.needs_faces = load.pressure.value != 0 || load.pressure.expression;
    if (changes) {
        LoadPath *path = scratch_take(&scene->solids, 1, sizeof *path);
        if (!path) return PLIM_OUT_OF_MEMORY;
        path->pressure = load.pressure;
        memcpy(path->force, load.force, sizeof path->force);
        desc.at = follow_load;
        desc.at_user = path;
    }
    return deform_add_load(part->job->deform, &desc);
}

static PlimStatus add_point(PlimScene *scene, SceneNode *node, const SoftPart *part) {
    ScenePoint point = soft_read_point(scene, node);
    SceneNodes nodes = {.near_to = {point.near_to[0], point.near_to[1], point.near_to[2]},
                        .group = point.group};
    SoftChoice chosen;
    TRY(choose(scene, part, point.name, &nodes, &chosen));
    return deform_add_point(part->job->deform, chosen.name, part->body, chosen.nodes[0]);
}

typedef PlimStatus (*AddPart)(PlimScene *scene, SceneNode *node, const SoftPart *part);

static PlimStatus add_parts(PlimScene *scene, SceneItems list, AddPart add, const SoftPart *part) {
    for (size_t k = 0; k < scene_item_count(list); k++) {
        SceneNode *node = list.node->children.data[k];
        TRY(scene_as_problem(scene, node, add(scene, node, part)));
    }
    return PLIM_OK;
}

/* ---- copies ---- */

static double soft_size(const DeformBodyDesc *desc) {
    Box3 box = box3_empty();
    for (size_t k = 0; k < desc->node_count; k++) box = box3_add_point(box, desc->position[k]);
    return vec3_length(vec3_sub(box.high, box.low));
}

/* Nodes that start inside a rigid body are pushed out of it, and fly. */
static void tell_inside(const PlimScene *scene, const SoftJob *job, const DeformBodyDesc *desc) {
    RigidBodies *bodies = job->world->rigid;
    for (size_t i = 0; scene->document.deformable.contact && i < rigid_count(bodies); i++) {
        SurfaceRef ref = {&rigid_surfaces, bodies, i};
        Surface surface = surface_describe(&ref);
        Collider now = {.solid = surface.solid};
        double deepest = 0;
        if (!now.solid || bodies->extras.data[i].exact) continue;
        surface_read(&ref, &now);
        for (size_t k = 0; k < desc->node_count; k++)
            deepest = fmax(deepest, -collider_distance(&now, desc->position[k]));
        if (deepest > 1e-3 * soft_size(desc))
            context_log(scene->context, PLIM_LOG_WARNING,
                        "'%s' starts %g m deep inside rigid body '%s', and will be pushed out; "
                        "move one of them, or set 'contact: false'",
                        desc->name, deepest, surface.name);
    }
}

static PlimStatus add_body(PlimScene *scene, SceneNode *node, const SceneSoftBody *body,
                           size_t number, SoftJob *job) {
    char name[96];
    SoftMesh mesh;
    SoftPart part = {.job = job, .mesh = &mesh, .copy = name};
    if (scene->reader.repeat.active)
        snprintf(name, sizeof name, "%s_%zu", body->name, number);
    else
        snprintf(name, sizeof name, "%s", body->name);
    TRY(scene_as_problem(scene, node, soft_make_mesh(scene, node, body, &job->memory, &mesh)));
    DeformBodyDesc desc = describe_body(scene, node, body, &mesh, number);
    desc.name = name;
    if (mesh.is_sheet && body->checkered > 0) {
        desc.checks = soft_checks(&mesh, body->checkered, &job->memory);
        if (!desc.checks) return PLIM_OUT_OF_MEMORY;
    }
    TRY(place_nodes(scene, body, &mesh, &job->memory, &desc));
    TRY(scene_as_problem(scene, node, deform_add_body(job->deform, &desc, &part.body)));
    SceneNode *skin = node_get(node, "skin");
    if (skin)
        TRY(scene_as_problem(scene, skin, soft_add_skin(scene, body, job->deform, part.body)));
    tell_inside(scene, job, &desc);
    TRY(add_parts(scene, body->pins, add_pin, &part));
    TRY(add_parts(scene, body->loads, add_load, &part));
    return add_parts(scene, body->points, add_point, &part);
}

static PlimStatus add_copy(PlimScene *scene, SceneNode *node, size_t number, void *user) {
    SoftJob *job = user;
    size_t problems = scene->reader.problems.count;
    SceneSoftBody body = soft_read_body(scene, node);
    TRY(scene->reader.trouble);
    if (scene->reader.problems.count > problems)
        return context_fail(scene->context, PLIM_BAD_INPUT, "%s: %s (copy %zu)", scene->label,
                            scene->reader.problems.data[problems].text, number);
    size_t mark = scratch_mark(&job->memory);
    PlimStatus status = add_body(scene, node, &body, number, job);
    scratch_release(&job->memory, mark);
    return status;
}

/* ---- the system ---- */

/* Rigid bodies in the way; those that would have to be pushed are told of. */
static PlimStatus add_colliders(PlimScene *scene, const SoftJob *job) {
    RigidBodies *bodies = job->world->rigid;
    size_t free_count = 0, hollow = 0;
    for (size_t i = 0; i < rigid_count(bodies); i++) {
        SurfaceRef ref = {&rigid_surfaces, bodies, i};
        if (bodies->extras.data[i].exact) continue; /* its triangles are in the way */
        if (!surface_describe(&ref).solid) {
            hollow++;
            continue;
        }
        free_count += surface_is_free(&ref) && !deform_pushes_bodies(job->deform);
        TRY(deform_add_collider(job->deform, &ref, bodies->friction[i],
                                bodies->kinetic_friction[i]));
    }
    if (free_count > 0)
        context_log(
            scene->context, PLIM_LOG_WARNING,
            "%zu dynamic rigid bodies push deformable solids but are not pushed by them: use "
            "'integrator: midpoint' or 'backward_euler'",
            free_count);
    if (hollow > 0)
        context_log(scene->context, PLIM_LOG_WARNING,
                    "%zu rigid bodies have no inside, and deformable solids pass through them; "
                    "give them 'exact: true'",
                    hollow);
    return PLIM_OK;
}

/* Probes find objects of all systems by name. */
static PlimStatus check_names(PlimScene *scene, const SoftJob *job) {
    for (size_t i = 0; i < deform_class.object_count(job->deform); i++) {
        const char *name = deform_class.object_name(job->deform, i);
        if (rigid_bodies_find(job->world->rigid, name) == INDEX_NONE) continue;
        context_fail(scene->context, PLIM_BAD_INPUT,
                     "a rigid body is named '%s' too; rename one of them", name);
        return scene_as_problem(scene, scene->document.deformable.bodies.node, PLIM_BAD_INPUT);
    }
    return PLIM_OK;
}

static PlimStatus fill_system(PlimScene *scene, SoftJob *job) {
    PlimStatus status =
        scene_for_each_copy(scene, scene->document.deformable.bodies.node, add_copy, job);
    TRY(status);
    if (scene->document.deformable.contact) TRY(add_colliders(scene, job));
    TRY(check_names(scene, job));
    return deform_finish(job->deform);
}

static bool has_exact(const RigidBodies *bodies) {
    for (size_t i = 0; i < rigid_count(bodies); i++)
        if (bodies->extras.data[i].exact) return true;
    return false;
}

PlimStatus scene_add_deformable(PlimScene *scene, PlimWorld *world) {
    const SceneDeformable *from = &scene->document.deformable;
    if (!from->bodies.node) return PLIM_OK;
    DeformOptions options = deform_options_default((int)scene->document.dim);
    options.integrator = (DeformIntegrator)from->integrator;
    options.elastic = (DeformElastic)from->elastic;
    options.step_fraction = from->step_fraction;
    options.tolerance = from->tolerance;
    options.iterations = (int)from->iterations;
    options.contact = from->contact;
    options.frame_elements = from->frame_elements;
    options.collisions = from->collisions;
    options.affine_zones = from->zones == 1;
    options.meets_exact = has_exact(world->rigid);
    if (options.meets_exact && options.integrator == DEFORM_STATIC)
        return context_fail(scene->context, PLIM_BAD_INPUT,
                            "deformable: 'integrator: static' knows no collisions of meshes; take "
                            "'exact' out of the rigid bodies");
    options.preroll = from->preroll;
    options.drag = from->drag;
    SoftJob job = {.world = world};
    TRY(deform_create(scene->context, &options, &job.deform));
    scratch_init(&job.memory, scene->context);
    PlimStatus status = fill_system(scene, &job);
    scratch_free(&job.memory);
    if (status != PLIM_OK) {
        deform_class.destroy(job.deform);
        return status;
    }
    return world_add_system(world, NULL, &deform_class, job.deform, ORDER_SOLIDS + 1);
}
