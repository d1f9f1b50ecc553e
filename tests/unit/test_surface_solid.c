/* The exact solid of a rigid body's surface: the one that the scene describes, where the scene puts
 * it; of primitives the same for who calls the library. */
#include "scene_fixture.h"

#include "base/random.h"
#include "scene/scene.h"
#include "world/world.h"

/* Of all shapes, with the centre of mass off their own origin where they can have that. */
static const char *const shapes[] = {
    "{box: {size: [0.3, 0.2, 0.4]}}",
    "{ball: {radius: 0.2}}",
    "{cylinder: {radius: 0.15, height: 0.4}}",
    "{capsule: {radius: 0.1, height: 0.3}}",
    "{torus: {radius: 0.2, tube: 0.08}}",
    "{cone: {radius: 0.2, height: 0.5}}",
    "{half_space: {}}",
    "{prism: {points: [[0, 0], [0.4, 0], [0, 0.4]], depth: 0.5, cells: 24}}",
    "{difference: {of: [{box: {size: [0.4, 0.4, 0.4]}}, {place: {shape: {ball: {radius: 0.2}},"
    " position: [0.2, 0, 0]}}], cells: 16}}",
    "{union: {of: [{prism: {points: [[0, 0], [0.4, 0], [0, 0.4]], depth: 0.5, cells: 16}},"
    " {ball: {radius: 0.1}}], cells: 16}}",
    "{place: {shape: {cone: {radius: 0.2, height: 0.4}}, position: [0.1, 0.05, 0],"
    " orientation: {axis: [0, 0, 1], angle: 30}}}"};
enum { SHAPES = sizeof shapes / sizeof *shapes, PRIMITIVES = 7, HALF_SPACE = 6 };

static Vec3 point(uint64_t index) {
    return vec3(random_uniform(3, 0, index), random_uniform(3, 1, index),
                random_uniform(3, 2, index));
}

/* The scene's own solid of a body's shape, in its own axes. */
static void scene_solid(const Fixture *f, Scratch *memory, Solid *out) {
    const SceneNode *list = node_get(node_get(f->scene->root, "rigid"), "bodies");
    SceneNode *shape = node_get(list->children.data[0], "shape");
    ScenePlace place = {
        .shape = {shape}, .orientation = {.first = {.axis = {0, 1, 0}}}, .scale = 1};
    assert_int_equal(scene_place_solid(f->scene, &place, memory, out), PLIM_OK);
}

static Collider body_as_collider(const PlimWorld *world, size_t id) {
    SurfaceRef ref = {&rigid_surfaces, world->rigid, id};
    Collider now = {.solid = surface_describe(&ref).solid};
    surface_read(&ref, &now);
    assert_non_null(now.solid);
    return now;
}

static Fixture scene_with(const char *shape, int dim, const char *motion) {
    char text[1024];
    snprintf(text, sizeof text,
             "plimsoll: 1\ndim: %d\nfluid: {cells: 12}\nrigid:\n  bodies:\n"
             "    - {name: it, shape: %s, motion: %s, position: [0.5, 0.45, %s],\n"
             "       orientation: {axis: [0, 0, 1], angle: 20}}\n",
             dim, shape, motion, dim == 2 ? "0" : "0.5");
    return open_scene(text);
}

/* The same body through the public API: where it is in the scene, by its description alone. */
static void check_library(const Fixture *f, int dim, const char *motion) {
    PlimContext *context = test_context(1);
    PlimWorld *world;
    PlimWorldDesc options = plim_world_desc_default();
    assert_int_equal(plim_world_create(context, &options, &world), PLIM_OK);
    PlimRigidOptions rigid = plim_rigid_options_default();
    rigid.plane = dim == 2;
    assert_int_equal(plim_rigid_configure(world, &rigid), PLIM_OK);
    PlimRigidDesc desc = plim_rigid_desc_default();
    desc.name = "it";
    desc.motion = strcmp(motion, "static") == 0 ? PLIM_STATIC : PLIM_DYNAMIC;
    desc.shape = rigid_shape(f->world->rigid, 0)->desc;
    rigid_bodies_get_pose(f->world->rigid, 0, &desc.pose);
    /* In a plane it is where its cut has its centre; it is given by the centre of the whole. */
    Collider of_scene = body_as_collider(f->world, 0);
    Vec3 arm = vec3_add(of_scene.solid->position, rigid_shape(f->world->rigid, 0)->mass.center);
    vec3_store(desc.pose.position,
               vec3_add(of_scene.position, quat_rotate(of_scene.orientation, arm)));
    size_t id;
    assert_int_equal(plim_rigid_add(world, &desc, &id), PLIM_OK);
    Collider own = body_as_collider(world, id);
    for (uint64_t i = 0; i < 200; i++) {
        Vec3 x = point(i);
        if (dim == 2) x.z = 0;
        assert_close(collider_distance(&own, x), collider_distance(&of_scene, x), 1e-14);
    }
    plim_world_destroy(world);
    test_context_close(context);
}

static void check_shape(size_t kind, int dim, const char *motion) {
    Fixture f = scene_with(shapes[kind], dim, motion);
    Scratch memory;
    scratch_init(&memory, f.context);
    Solid shape;
    scene_solid(&f, &memory, &shape);
    Collider there = {.solid = &shape,
                      .position = vec3(0.5, 0.45, dim == 2 ? 0 : 0.5),
                      .orientation = quat_exp(vec3(0, 0, 20 * 3.14159265358979323846 / 180))};
    Collider body = body_as_collider(f.world, 0);
    for (uint64_t i = 0; i < 500; i++) {
        Vec3 x = point(i);
        if (dim == 2) x.z = 0;
        assert_close(collider_distance(&body, x), collider_distance(&there, x), 1e-14);
    }
    if (kind < PRIMITIVES) check_library(&f, dim, motion);
    scratch_free(&memory);
    close_scene(&f);
}

static void solids_are_those_of_the_scene(void **state) {
    (void)state;
    for (size_t kind = 0; kind < SHAPES; kind++)
        for (int dim = 2; dim <= 3; dim++) {
            check_shape(kind, dim, "static");
            if (kind != HALF_SPACE) check_shape(kind, dim, "dynamic");
        }
}

/* Bodies of one shape have one solid, whatever their number; a mesh alone has none. */
static void solids_are_shared(void **state) {
    (void)state;
    Fixture f = open_scene("plimsoll: 1\nfluid: {cells: 12}\nrigid:\n  bodies:\n"
                           "    - {name: it, position: [0.5, 0.5, 0.5], motion: static,\n"
                           "       shape: {union: {of: [{ball: {radius: 0.1}}], cells: 8}},\n"
                           "       repeat: {count: 5, spacing: [0.2, 0, 0]}}\n");
    const RigidBodies *b = f.world->rigid;
    assert_int_equal(b->shapes.shapes.count, 1);
    for (size_t i = 1; i < 5; i++)
        assert_ptr_equal(b->extras.data[i].solid, b->extras.data[0].solid);
    const RigidShape *shape = rigid_shape(b, 0);
    PlimMeshDesc mesh = {(const double *)shape->mesh.vertices, shape->mesh.vertex_count,
                         (const int32_t *)shape->mesh.triangles, shape->mesh.triangle_count};
    PlimRigidDesc desc = plim_rigid_desc_default();
    desc.name = "mesh";
    desc.shape = shape->desc;
    desc.shape.mesh = &mesh;
    size_t id;
    assert_int_equal(plim_rigid_add(f.world, &desc, &id), PLIM_OK);
    assert_int_equal(b->shapes.shapes.count, 2);
    assert_null(b->extras.data[id].solid);
    close_scene(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solids_are_those_of_the_scene),
        cmocka_unit_test(solids_are_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
