/* Shapes of scenes that are not primitives: surfaces from files and combinations. */
#include "check.h"

#include "base/file.h"
#include "scene/scene.h"
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

/* A cube of edge 1 whose lowest corner is the origin, so that its centre of mass is not. */
static const char cube_obj[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\n"
                               "v 0 1 1\nf 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\n"
                               "f 4 1 5 8\n";

static char scene_path[PATH_CAPACITY], mesh_path[PATH_CAPACITY];

static int write_files(void **state) {
    (void)state;
    static char folder[] = "/tmp/plimsoll-shape-XXXXXX";
    assert_non_null(mkdtemp(folder));
    snprintf(scene_path, sizeof scene_path, "%s/scene.yaml", folder);
    snprintf(mesh_path, sizeof mesh_path, "%s/cube.obj", folder);
    PlimContext *context = test_context(1);
    assert_int_equal(file_write(context, mesh_path, cube_obj, sizeof cube_obj - 1, false), PLIM_OK);
    test_context_close(context);
    return 0;
}

static int remove_files(void **state) {
    (void)state;
    remove(mesh_path);
    *strrchr(scene_path, '/') = '\0';
    return remove(scene_path);
}

static PlimStatus build(PlimContext *context, const char *body, PlimScene **scene,
                        PlimWorld **world) {
    char text[2048];
    snprintf(text, sizeof text, "plimsoll: 1\ngravity: [0, 0, 0]\nrigid:\n  bodies:\n%s", body);
    *world = NULL;
    PlimStatus status = plim_scene_parse(context, scene_path, text, strlen(text), NULL, 0, scene);
    if (status == PLIM_OK) status = plim_scene_create_world(*scene, world);
    return status;
}

static void refused(const char *body, const char *word) {
    PlimContext *context = test_context(1);
    PlimScene *scene;
    PlimWorld *world;
    assert_int_equal(build(context, body, &scene, &world), PLIM_BAD_INPUT);
    if (!strstr(plim_message(context), word) || !strstr(plim_message(context), "line "))
        fail_msg("'%s' does not say '%s' with a line", plim_message(context), word);
    plim_scene_destroy(scene);
    test_context_close(context);
}

static void files_become_bodies(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    PlimScene *scene;
    PlimWorld *world;
    assert_int_equal(build(context,
                           "    - {name: cube, density: 2, position: [10, 0, 0],\n"
                           "       shape: {file: {path: cube.obj, scale: 2}},\n"
                           "       repeat: {count: 3, spacing: [4, 0, 0]}}\n",
                           &scene, &world),
                     PLIM_OK);
    PlimPose pose;
    plim_rigid_pose(world, 1, &pose);
    /* The file's origin, a corner, goes to (10, 0, 0); the centre of mass is 1 m up each axis. */
    assert_close(pose.position[0], 11, 1e-14);
    assert_close(pose.position[1], 1, 1e-14);
    assert_close(plim_rigid_mass(world, 1), 16, 1e-12);
    assert_int_equal(world->rigid->shapes.shapes.count, 1);
    assert_non_null(strstr(plim_scene_text(scene), mesh_path)); /* runs from anywhere */
    assert_non_null(strstr(plim_scene_text(scene), "content: "));
    plim_world_destroy(world);
    plim_scene_destroy(scene);
    test_context_close(context);
}

static void paths_are_those_of_the_origin(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    PlimScene *scene;
    PlimWorld *world;
    assert_int_equal(
        build(context,
              "    - {name: cube, motion: kinematic, shape: {file: {path: cube.obj}},\n"
              "       orientation: {axis: [0, 0, 1], angle: \"=90*t\"}}\n",
              &scene, &world),
        PLIM_OK);
    assert_int_equal(plim_world_step(world, 1.0), PLIM_OK);
    PlimPose pose;
    plim_rigid_pose(world, 0, &pose);
    /* A quarter turn about the corner takes the centre (1/2, 1/2) to (-1/2, 1/2). */
    assert_close(pose.position[0], -0.5, 1e-14);
    assert_close(pose.position[1], 0.5, 1e-14);
    double rate = 3.14159265358979323846 / 2;
    assert_close(pose.velocity[0], -0.5 * rate, 1e-14);
    assert_close(pose.velocity[1], -0.5 * rate, 1e-14);
    plim_world_destroy(world);
    plim_scene_destroy(scene);
    test_context_close(context);
}

static void combinations_become_bodies(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    PlimScene *scene;
    PlimWorld *world;
    assert_int_equal(
        build(
            context,
            "    - name: bead\n"
            "      density: 1\n"
            "      shape: {difference: {of: [{ball: {}}, {cylinder: {radius: 0.2, height: 2}}]}}\n"
            "      repeat: {count: 4}\n"
            "    - name: pair\n"
            "      density: 1\n"
            "      shape:\n"
            "        union:\n"
            "          cells: 48\n"
            "          of:\n"
            "            - file: {path: cube.obj}\n"
            "            - place: {shape: {box: {}}, position: [1.5, 0.5, 0.5]}\n",
            &scene, &world),
        PLIM_OK);
    /* A ball of radius R with a hole of radius r: 4/3 pi (R^2 - r^2)^(3/2). */
    double exact = 4.0 / 3.0 * 3.14159265358979323846 * pow(0.25 - 0.04, 1.5);
    assert_close(plim_rigid_mass(world, 0), exact, 0.02 * exact);
    assert_close(plim_rigid_mass(world, 4), 2.0, 0.05);
    assert_int_equal(world->rigid->shapes.shapes.count, 2);
    plim_world_destroy(world);
    plim_scene_destroy(scene);
    test_context_close(context);
}

/* A rectangle: open, and as heavy as its area says. */
static void shells_have_mass_and_no_inside(void **state) {
    (void)state;
    static const char sheet_obj[] = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nf 1 2 3 4\n";
    char sheet_path[PATH_CAPACITY];
    snprintf(sheet_path, sizeof sheet_path, "%.*s/sheet.obj",
             (int)(strrchr(scene_path, '/') - scene_path), scene_path);
    PlimContext *context = test_context(1);
    assert_int_equal(file_write(context, sheet_path, sheet_obj, sizeof sheet_obj - 1, false),
                     PLIM_OK);
    PlimScene *scene;
    PlimWorld *world;
    assert_int_equal(build(context,
                           "    - {name: sheet, density: 1000, position: [5, 0, 0],\n"
                           "       shape: {file: {path: sheet.obj, shell: 0.01}}}\n",
                           &scene, &world),
                     PLIM_OK);
    assert_close(plim_rigid_mass(world, 0), 20, 1e-12);
    PlimPose pose;
    plim_rigid_pose(world, 0, &pose);
    assert_close(pose.position[0], 6, 1e-14); /* the middle, where the file's origin is a corner */
    assert_close(pose.position[1], 0.5, 1e-14);
    plim_world_destroy(world);
    plim_scene_destroy(scene);
    refused("    - {name: a, shape: {union: {of: [{file: {path: sheet.obj, shell: 0.01}}]}}}\n",
            "no inside");
    refused("    - {name: a, shape: {file: {path: sheet.obj, shell: 0}}}\n", "above 0");
    remove(sheet_path);
    test_context_close(context);
}

static void bad_shapes_are_refused(void **state) {
    (void)state;
    refused("    - {name: a, shape: {file: {path: nothing.obj}}}\n", "no file");
    refused("    - {name: a, shape: {file: {path: cube.txt}}}\n", ".obj");
    refused("    - {name: a, shape: {file: {path: cube.obj, content: \"00\"}}}\n", "content");
    refused("    - {name: a, shape: {half_space: {}}}\n", "no end");
    refused("    - {name: a, shape: {union: {of: []}}}\n", "at least one");
    refused("    - {name: a, shape: {union: {of: [{bal: {}}]}}}\n", "did you mean 'ball'");
    refused("    - {name: a, shape: {place: {shape: {ball: {radius: -1}}}}}\n", "above 0");
    refused("    - {name: a, shape: {place: {shape: {ball: {}}, orientation: {angle: \"=t\"}}}}\n",
            "does not move");
    refused("    - {name: a, shape: {intersection: {of: [{ball: {}}, {place: {shape: {ball: {}}, "
            "position: [5, 0, 0]}}]}}}\n",
            "nothing inside");
    refused("    - {name: a, motion: static, velocity: [1, 0, 0], shape: {ball: {}}}\n", "dynamic");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_become_bodies),
        cmocka_unit_test(paths_are_those_of_the_origin),
        cmocka_unit_test(combinations_become_bodies),
        cmocka_unit_test(shells_have_mass_and_no_inside),
        cmocka_unit_test(bad_shapes_are_refused),
    };
    return cmocka_run_group_tests(tests, write_files, remove_files);
}
