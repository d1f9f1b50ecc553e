/* Every public function with wrong ids, indices and pointers: a status and a message, or a value
 * that says so; nothing crashes, nothing changes. */
#include "check.h"

#include "plimsoll/plimsoll.h"

#include <string.h>

static const char scene_text[] = "plimsoll: 1\n"
                                 "rigid:\n"
                                 "  bodies:\n"
                                 "    - {name: ball, shape: {ball: {}}}\n";

typedef struct Fixture {
    PlimContext *context;
    PlimWorld *world;
    size_t ball;
} Fixture;

static Fixture open_world(void) {
    Fixture f = {.context = test_context(1)};
    PlimWorldDesc desc = plim_world_desc_default();
    assert_int_equal(plim_world_create(f.context, &desc, &f.world), PLIM_OK);
    PlimRigidDesc ball = plim_rigid_desc_default();
    ball.name = "ball";
    assert_int_equal(plim_rigid_add(f.world, &ball, &f.ball), PLIM_OK);
    return f;
}

static void close_world(Fixture *f) {
    plim_world_destroy(f->world);
    test_context_close(f->context);
}

#define assert_refused(f, call, part)                                                              \
    do {                                                                                           \
        assert_int_equal((call), PLIM_BAD_INPUT);                                                  \
        if (!strstr(plim_message((f).context), (part)))                                            \
            fail_msg("'%s' is not in '%s'", (part), plim_message((f).context));                    \
    } while (0)

static void context_functions(void **state) {
    (void)state;
    PlimContextDesc desc = plim_context_desc_default();
    PlimContext *context = NULL;
    assert_int_equal(plim_context_create(NULL, &context), PLIM_BAD_INPUT);
    assert_null(context);
    assert_int_equal(plim_context_create(&desc, NULL), PLIM_BAD_INPUT);
    desc.threads = -1;
    assert_int_equal(plim_context_create(&desc, &context), PLIM_BAD_INPUT);
    plim_context_destroy(NULL);
    assert_non_null(plim_message(NULL));
    assert_string_equal(plim_status_name((PlimStatus)-1), "unknown status");
    assert_string_equal(plim_status_name((PlimStatus)99), "unknown status");
    assert_true(plim_context_bytes(NULL) == 0 && plim_context_peak_bytes(NULL) == 0);
    assert_true(plim_context_allocations(NULL) == 0);
    assert_non_null(plim_version());
}

static void worlds_without_pointers(void **state) {
    (void)state;
    Fixture f = open_world();
    PlimWorldDesc desc = plim_world_desc_default();
    PlimWorld *none = f.world;
    assert_int_equal(plim_world_create(NULL, &desc, &none), PLIM_BAD_INPUT);
    assert_null(none);
    assert_refused(f, plim_world_create(f.context, NULL, &none), "desc is NULL");
    assert_refused(f, plim_world_create(f.context, &desc, NULL), "out is NULL");
    plim_world_destroy(NULL);
    assert_int_equal(plim_world_step(NULL, 0.1), PLIM_BAD_INPUT);
    assert_int_equal(plim_world_advance(NULL, 0.1), PLIM_BAD_INPUT);
    assert_int_equal(plim_world_substep(NULL, 0.1), PLIM_BAD_INPUT);
    assert_int_equal(plim_world_drop_caches(NULL), PLIM_BAD_INPUT);
    assert_int_equal(plim_world_measure(NULL), PLIM_BAD_INPUT);
    assert_true(isnan(plim_world_time(NULL)));
    assert_true(plim_world_steps(NULL) == 0 && plim_world_hash(NULL) == 0);
    close_world(&f);
}

static void worlds_with_wrong_numbers(void **state) {
    (void)state;
    Fixture f = open_world();
    uint64_t hash = plim_world_hash(f.world);
    const double wrong[] = {0, -1, NAN, INFINITY};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_refused(f, plim_world_step(f.world, wrong[i]), "dt must be positive");
        assert_refused(f, plim_world_advance(f.world, wrong[i]), "the end must be later");
        assert_refused(f, plim_world_substep(f.world, wrong[i]), "the end must be later");
    }
    assert_true(plim_world_hash(f.world) == hash);
    close_world(&f);
}

static void snapshots(void **state) {
    (void)state;
    Fixture f = open_world();
    PlimSnapshot *snapshot = NULL;
    assert_int_equal(plim_snapshot_create(NULL, &snapshot), PLIM_BAD_INPUT);
    assert_refused(f, plim_snapshot_create(f.world, NULL), "out is NULL");
    assert_int_equal(plim_snapshot_create(f.world, &snapshot), PLIM_OK);
    assert_int_equal(plim_snapshot_restore(NULL, snapshot), PLIM_BAD_INPUT);
    assert_refused(f, plim_snapshot_restore(f.world, NULL), "snapshot is NULL");
    plim_snapshot_destroy(snapshot);
    plim_snapshot_destroy(NULL);
    close_world(&f);
}

static void figures(void **state) {
    (void)state;
    Fixture f = open_world();
    assert_int_equal(plim_world_measure(f.world), PLIM_OK);
    size_t count = plim_world_figure_count(f.world);
    assert_true(count > 0 && plim_world_figure_count(NULL) == 0);
    const size_t wrong[] = {count, 9999, SIZE_MAX};
    for (size_t i = 0; i < 3; i++) {
        assert_null(plim_world_figure_name(f.world, wrong[i]));
        assert_true(isnan(plim_world_figure(f.world, wrong[i])));
    }
    assert_null(plim_world_figure_name(NULL, 0));
    assert_true(isnan(plim_world_figure(NULL, 0)));
    close_world(&f);
}

static void bodies_that_are_not_there(void **state) {
    (void)state;
    Fixture f = open_world();
    PlimPose pose = {.orientation = {1, 0, 0, 0}}, before = pose;
    size_t missing = (size_t)plim_rigid_find(f.world, "nobody");
    assert_true(missing == SIZE_MAX);
    const struct {
        size_t id;
        const char *part;
    } wrong[] = {{1, "no rigid body 1"}, {9999, "no rigid body 9999"}, {missing, "body -1"}};
    for (size_t i = 0; i < 3; i++) {
        assert_refused(f, plim_rigid_set_pose(f.world, wrong[i].id, &pose), wrong[i].part);
        assert_refused(f, plim_rigid_pose(f.world, wrong[i].id, &pose), wrong[i].part);
        assert_memory_equal(&pose, &before, sizeof pose);
        assert_true(isnan(plim_rigid_mass(f.world, wrong[i].id)));
    }
    assert_refused(f, plim_rigid_pose(f.world, f.ball, NULL), "pose is NULL");
    assert_refused(f, plim_rigid_set_pose(f.world, f.ball, NULL), "pose is NULL");
    assert_int_equal(plim_rigid_pose(NULL, 0, &pose), PLIM_BAD_INPUT);
    assert_int_equal(plim_rigid_set_pose(NULL, 0, &pose), PLIM_BAD_INPUT);
    assert_true(isnan(plim_rigid_mass(NULL, 0)));
    assert_true(plim_rigid_count(NULL) == 0);
    assert_true(plim_rigid_find(NULL, "ball") == -1 && plim_rigid_find(f.world, NULL) == -1);
    close_world(&f);
}

static void bodies_without_descriptions(void **state) {
    (void)state;
    Fixture f = open_world();
    PlimRigidOptions options = plim_rigid_options_default();
    PlimRigidDesc desc = plim_rigid_desc_default();
    desc.name = "other";
    size_t id;
    assert_int_equal(plim_rigid_configure(NULL, &options), PLIM_BAD_INPUT);
    assert_refused(f, plim_rigid_configure(f.world, NULL), "options is NULL");
    options.pairs = (PlimPairs)7;
    assert_refused(f, plim_rigid_configure(f.world, &options), "pairs 7");
    assert_int_equal(plim_rigid_add(NULL, &desc, &id), PLIM_BAD_INPUT);
    assert_refused(f, plim_rigid_add(f.world, NULL, &id), "desc is NULL");
    assert_refused(f, plim_rigid_add(f.world, &desc, NULL), "id is NULL");
    desc.shape.kind = (PlimShapeKind)99;
    assert_refused(f, plim_rigid_add(f.world, &desc, &id), "shape kind 99");
    desc.name = NULL;
    assert_refused(f, plim_rigid_add(f.world, &desc, &id), "no name");
    assert_true(plim_rigid_count(f.world) == 1);
    close_world(&f);
}

static void meshes_that_are_wrong(void **state) {
    (void)state;
    static const double corner[3] = {0, 0, 0};
    static const int32_t triangle[3] = {0, 0, 9};
    Fixture f = open_world();
    PlimMeshDesc mesh = {.vertex_count = 1, .triangle_count = 1};
    PlimRigidDesc desc = plim_rigid_desc_default();
    size_t id;
    desc.name = "mesh";
    desc.shape.kind = PLIM_SHAPE_MESH;
    assert_refused(f, plim_rigid_add(f.world, &desc, &id), "mesh without triangles");
    desc.shape.mesh = &mesh;
    assert_refused(f, plim_rigid_add(f.world, &desc, &id), "mesh without triangles");
    mesh.vertices = corner;
    mesh.triangles = triangle;
    assert_refused(f, plim_rigid_add(f.world, &desc, &id), "names vertex 9 of 1");
    mesh.triangle_count = SIZE_MAX / 2;
    assert_refused(f, plim_rigid_add(f.world, &desc, &id), "too large");
    mesh.triangle_count = 0;
    desc.shape.cells = -1;
    assert_refused(f, plim_rigid_add(f.world, &desc, &id), "-1 cells");
    assert_true(plim_rigid_count(f.world) == 1);
    close_world(&f);
}

static void scenes_without_pointers(void **state) {
    (void)state;
    Fixture f = open_world();
    PlimScene *scene = NULL;
    PlimOverride hollow = {"/name", NULL};
    size_t size = strlen(scene_text);
    assert_int_equal(plim_scene_load(NULL, "x", NULL, 0, &scene), PLIM_BAD_INPUT);
    assert_refused(f, plim_scene_load(f.context, NULL, NULL, 0, &scene), "path is NULL");
    assert_refused(f, plim_scene_load(f.context, "x", NULL, 0, NULL), "out is NULL");
    assert_int_equal(plim_scene_parse(NULL, "x", scene_text, size, NULL, 0, &scene),
                     PLIM_BAD_INPUT);
    assert_refused(f, plim_scene_parse(f.context, NULL, scene_text, size, NULL, 0, &scene),
                   "label is NULL");
    assert_refused(f, plim_scene_parse(f.context, "x", NULL, size, NULL, 0, &scene),
                   "text is NULL");
    assert_refused(f, plim_scene_parse(f.context, "x", scene_text, size, NULL, 2, &scene),
                   "2 overrides");
    assert_refused(f, plim_scene_parse(f.context, "x", scene_text, size, &hollow, 1, &scene),
                   "override 0");
    assert_refused(f, plim_scene_parse(f.context, "x", scene_text, size, NULL, 0, NULL),
                   "out is NULL");
    assert_null(scene);
    plim_scene_destroy(NULL);
    close_world(&f);
}

static void scenes_that_are_not_there(void **state) {
    (void)state;
    Fixture f = open_world();
    PlimScene *scene = NULL;
    PlimWorld *world = f.world;
    assert_int_equal(
        plim_scene_parse(f.context, "x", scene_text, strlen(scene_text), NULL, 0, &scene), PLIM_OK);
    assert_refused(f, plim_scene_create_world(scene, NULL), "out is NULL");
    assert_null(plim_scene_problem(scene, 0));
    assert_null(plim_scene_problem(scene, SIZE_MAX));
    assert_int_equal(plim_scene_create_world(NULL, &world), PLIM_BAD_INPUT);
    assert_null(world);
    assert_true(plim_scene_problem_count(NULL) == 0);
    assert_null(plim_scene_problem(NULL, 0));
    assert_null(plim_scene_name(NULL));
    assert_null(plim_scene_text(NULL));
    assert_true(isnan(plim_scene_fps(NULL)) && isnan(plim_scene_duration(NULL)));
    assert_true(plim_scene_frame_count(NULL) == 0);
    assert_true(isnan(plim_scene_frame_time(NULL, 1)) && isnan(plim_scene_memory(NULL)));
    plim_scene_destroy(scene);
    close_world(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(context_functions),
        cmocka_unit_test(worlds_without_pointers),
        cmocka_unit_test(worlds_with_wrong_numbers),
        cmocka_unit_test(snapshots),
        cmocka_unit_test(figures),
        cmocka_unit_test(bodies_that_are_not_there),
        cmocka_unit_test(bodies_without_descriptions),
        cmocka_unit_test(meshes_that_are_wrong),
        cmocka_unit_test(scenes_without_pointers),
        cmocka_unit_test(scenes_that_are_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
