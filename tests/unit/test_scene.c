/* Scenes that are right: what their worlds hold, and what is written of them. */
#include "scene_fixture.h"

#include "base/text.h"
#include "math/quat.h"
#include "plimsoll/plimsoll.h"
#include "scene/scene.h"
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

static const double pi = 3.141592653589793238463;

static PlimPose pose_of(const Fixture *f, const char *name) {
    ptrdiff_t id = plim_rigid_find(f->world, name);
    if (id < 0) fail_msg("there is no body '%s'", name);
    PlimPose pose;
    plim_rigid_pose(f->world, (size_t)id, &pose);
    return pose;
}

static void assert_vec3(const double actual[3], double x, double y, double z) {
    assert_close(actual[0], x, 1e-12);
    assert_close(actual[1], y, 1e-12);
    assert_close(actual[2], z, 1e-12);
}

static void assert_has(const char *text, const char *part) {
    if (!strstr(text, part)) fail_msg("'%s' is not in\n%s", part, text);
}

/* Much of the format at once. */
static const char full_scene[] =
    "# A block on a plane.\n"
    "plimsoll: 1\n"
    "name: full\n"
    "params:\n"
    "  # the one to vary\n"
    "  angle: 20   # degrees\n"
    "  g: \"=2*half\"\n"
    "  half: 5\n"
    "duration: 0.5\n"
    "fps: 60\n"
    "gravity: [0, \"=-g\", 0]  # straight down\n"
    "seed: 7\n"
    "materials:\n"
    "  - {name: wood, density: 600, color: [0.6, 0.4, 0.2]}\n"
    "rigid:\n"
    "  # all of them\n"
    "  bodies:\n"
    "    # the plane\n"
    "    - name: plane   # tilted\n"
    "      shape: {box: {size: [10, 1, 10]}}\n"
    "      motion: static\n"
    "      orientation: {axis: [0, 0, 1], angle: \"=angle\"}\n"
    "    - name: brick\n"
    "      material: wood\n"
    "      shape:\n"
    "        box:\n"
    "          size: [1, 1, 1]\n"
    "      position: [0, 5, 0]\n"
    "      repeat: {grid: [2, 3, 1], spacing: [2, 1, 1], tilt: 5}\n"
    "    - name: crank\n"
    "      shape: {cylinder: {radius: 0.2, height: 2}}\n"
    "      motion: kinematic\n"
    "      position: [\"=sin(2*t)\", 1, \"=t^2\"]\n"
    "      orientation: {axis: [0, 2, 0], angle: \"=90*t\"}\n"
    "probes:\n"
    "  - {name: first, object: brick_0, quantities: [position, mass]}\n"
    "  - {name: crank, quantities: [velocity]}\n"
    "camera: {position: [0, 5, 20], target: [0, 0, 0]}\n"
    "# the end\n";

/* ---- what a world holds ---- */

static void test_numbers(void **state) {
    (void)state;
    Fixture f = open_scene(full_scene);
    assert_string_equal(plim_scene_name(f.scene), "full");
    assert_close(plim_scene_fps(f.scene), 60, 0);
    assert_close(plim_scene_duration(f.scene), 0.5, 0);
    assert_int_equal(plim_scene_frame_count(f.scene), 30);
    assert_close(plim_scene_frame_time(f.scene, 30), 0.5, 0);
    assert_true(plim_scene_memory(f.scene) > 0);
    assert_int_equal(plim_rigid_count(f.world), 8);
    PlimPose plane = pose_of(&f, "plane");
    assert_close(plane.orientation[0], cos(10 * pi / 180), 1e-15);
    assert_close(plane.orientation[3], sin(10 * pi / 180), 1e-15);
    assert_int_equal(plim_world_step(f.world, 0.25), PLIM_OK);
    assert_vec3(pose_of(&f, "brick_0").velocity, 0, -2.5, 0);
    close_scene(&f);
}

static void test_materials(void **state) {
    (void)state;
    Fixture f = open_scene("plimsoll: 1\n"
                           "materials:\n"
                           "  - {name: wood, density: 600}\n"
                           "  - {name: stuff}\n"
                           "rigid:\n"
                           "  bodies:\n"
                           "    - {name: a, shape: {box: {}}, material: wood}\n"
                           "    - {name: b, shape: {box: {}}, material: wood, density: 10}\n"
                           "    - {name: c, shape: {box: {}}, material: wood, mass: 3}\n"
                           "    - {name: d, shape: {box: {size: [2, 1, 1]}}}\n"
                           "    - {name: e, shape: {box: {}}, material: stuff}\n");
    static const double masses[] = {600, 10, 3, 2000, 1000};
    for (size_t i = 0; i < 5; i++) assert_close(plim_rigid_mass(f.world, i), masses[i], 1e-9);
    close_scene(&f);
}

static void test_shapes(void **state) {
    (void)state;
    Fixture f = open_scene("plimsoll: 1\n"
                           "rigid:\n"
                           "  bodies:\n"
                           "    - {name: box, shape: {box: {size: [1, 2, 3]}}}\n"
                           "    - {name: ball, shape: {ball: {subdivisions: 5}}}\n"
                           "    - {name: cylinder, shape: {cylinder: {segments: 512}}}\n"
                           "    - {name: capsule, shape: {capsule: {segments: 256, sides: 128}}}\n"
                           "    - {name: torus, shape: {torus: {segments: 256, sides: 256}}}\n");
    const double volumes[] = {6, pi / 6, pi / 4, pi / 4 + pi / 6, 2 * pi * pi * 0.5 * 0.04};
    for (size_t i = 0; i < 5; i++)
        assert_close(plim_rigid_mass(f.world, i), 1000 * volumes[i], 5 * volumes[i]);
    close_scene(&f);
}

static void test_repeat_grid(void **state) {
    (void)state;
    Fixture f = open_scene("plimsoll: 1\n"
                           "rigid:\n"
                           "  bodies:\n"
                           "    - name: a\n"
                           "      shape: {ball: {subdivisions: 0}}\n"
                           "      position: [0, 10, 0]\n"
                           "      velocity: [\"=i\", \"=10*j + k\", \"=n/count\"]\n"
                           "      repeat: {grid: [2, 3, 4], spacing: [1, 2, 3]}\n");
    assert_int_equal(plim_rigid_count(f.world), 24);
    for (int n = 0; n < 24; n++) {
        char name[16];
        snprintf(name, sizeof name, "a_%d", n);
        PlimPose pose = pose_of(&f, name);
        int i = n % 2, j = n / 2 % 3, k = n / 6;
        assert_vec3(pose.position, i - 0.5, 10 + 2.0 * (j - 1), 3 * (k - 1.5));
        assert_vec3(pose.velocity, i, 10 * j + k, n / 24.0);
    }
    close_scene(&f);
}

static const char scattered_scene[] =
    "plimsoll: 1\n"
    "seed: 3\n"
    "rigid:\n"
    "  bodies:\n"
    "    - name: a\n"
    "      shape: {ball: {subdivisions: 0, radius: \"=0.1 + random(1)\"}}\n"
    "      repeat: {count: 200, spacing: [2, 0, 0], jitter: [0.5, 0.25, 0], tilt: 30}\n";

static void test_repeat_scatter(void **state) {
    (void)state;
    Fixture f = open_scene(scattered_scene);
    double low = 1e9, high = -1e9, largest_angle = 0;
    for (size_t n = 0; n < 200; n++) {
        PlimPose pose;
        plim_rigid_pose(f.world, n, &pose);
        double offset = pose.position[0] - 2 * ((double)n - 99.5);
        assert_true(fabs(offset) <= 0.5 && fabs(pose.position[1]) <= 0.25);
        assert_close(pose.position[2], 0, 0);
        low = fmin(low, offset);
        high = fmax(high, offset);
        largest_angle = fmax(largest_angle, 2 * acos(fmin(1, fabs(pose.orientation[0]))));
    }
    assert_true(low < -0.4 && high > 0.4); /* the range is used */
    assert_true(largest_angle > 25 * pi / 180 && largest_angle <= 30 * pi / 180 + 1e-12);
    uint64_t hash = plim_world_hash(f.world);
    close_scene(&f);

    f = open_scene(scattered_scene);
    assert_true(plim_world_hash(f.world) == hash);
    close_scene(&f);
    PlimOverride other = {"/seed", "4"};
    f = open_with(scattered_scene, &other, 1);
    assert_true(plim_world_hash(f.world) != hash);
    close_scene(&f);
}

/* The seed counts in parameters too, wherever it stands. */
static void test_random_params(void **state) {
    (void)state;
    static const char text[] = "plimsoll: 1\n"
                               "params: {height: \"=random(1)\"}\n"
                               "rigid: {bodies: [{name: a, shape: {box: {}},"
                               " position: [0, \"=height\", 0]}]}\n"
                               "seed: 5\n";
    Fixture f = open_scene(text);
    double height = pose_of(&f, "a").position[1];
    assert_true(height >= 0 && height < 1);
    close_scene(&f);
    PlimOverride other = {"/seed", "6"};
    f = open_with(text, &other, 1);
    assert_true(pose_of(&f, "a").position[1] != height);
    close_scene(&f);
}

static void test_prescribed_motion(void **state) {
    (void)state;
    Fixture f = open_scene(full_scene);
    assert_vec3(pose_of(&f, "crank").velocity, 2, 0, 0);
    for (int step = 1; step <= 10; step++) {
        assert_int_equal(plim_world_step(f.world, 0.1), PLIM_OK);
        double t = plim_world_time(f.world);
        PlimPose pose = pose_of(&f, "crank");
        assert_vec3(pose.position, sin(2 * t), 1, t * t);
        assert_vec3(pose.velocity, 2 * cos(2 * t), 0, 2 * t);
        assert_vec3(pose.angular_velocity, 0, pi / 2, 0);
        assert_close(pose.orientation[0], cos(pi / 4 * t), 1e-12);
        assert_close(pose.orientation[2], sin(pi / 4 * t), 1e-12);
    }
    close_scene(&f);
}

/* Copies of a moving body move side by side, each by its own expression. */
static void test_repeated_motion(void **state) {
    (void)state;
    Fixture f = open_scene("plimsoll: 1\n"
                           "rigid:\n"
                           "  bodies:\n"
                           "    - name: a\n"
                           "      shape: {box: {}}\n"
                           "      motion: kinematic\n"
                           "      position: [0, \"=(n + 1)*t\", 0]\n"
                           "      repeat: {count: 3, spacing: [4, 0, 0]}\n");
    assert_int_equal(plim_world_step(f.world, 0.5), PLIM_OK);
    assert_vec3(pose_of(&f, "a_0").position, -4, 0.5, 0);
    assert_vec3(pose_of(&f, "a_2").position, 4, 1.5, 0);
    assert_vec3(pose_of(&f, "a_2").velocity, 0, 3, 0);
    close_scene(&f);
}

/* The axis counts by its direction, however long it is. */
static void test_axis_lengths(void **state) {
    (void)state;
    Fixture f = open_scene(
        "plimsoll: 1\n"
        "rigid:\n"
        "  bodies:\n"
        "    - {name: a, shape: {box: {}}, orientation: {axis: [0, 1e300, 0], angle: 60}}\n"
        "    - {name: b, shape: {box: {}}, orientation: {axis: [0, 1e-300, 0], angle: 60}}\n");
    assert_close(pose_of(&f, "a").orientation[2], 0.5, 1e-15);
    assert_close(pose_of(&f, "b").orientation[2], 0.5, 1e-15);
    close_scene(&f);
}

static void test_probes(void **state) {
    (void)state;
    Fixture f = open_scene(full_scene);
    assert_int_equal(world_probe_value_count(f.world), 3 + 1 + 3);
    double values[7];
    world_probe_values(f.world, values);
    assert_vec3(values, -1, 4, 0);
    assert_close(values[3], 600, 1e-9);
    assert_vec3(values + 4, 2, 0, 0);
    close_scene(&f);
}

/* The estimate covers what a world takes, large shapes included, and is not absurd. */
static void test_memory(void **state) {
    (void)state;
    static const char *const shapes[] = {
        "{ball: {subdivisions: 6}}", "{torus: {segments: 300, sides: 300}}",
        "{capsule: {segments: 200, sides: 100}}", "{cylinder: {segments: 4096}}"};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "plimsoll: 1\nrigid: {bodies: [{name: a, shape: %s, repeat: {count: 10}}]}\n",
                 shapes[i]);
        Fixture f = open_scene(text);
        FrameView view;
        assert_int_equal(world_view_frame(f.world, &view), PLIM_OK);
        double taken = (double)plim_context_bytes(f.context);
        double estimate = plim_scene_memory(f.scene);
        assert_true(estimate > 0.8 * taken && estimate < 3 * taken + 1e6);
        close_scene(&f);
    }
}

/* ---- what is written ---- */

/* check_written, and both worlds take the same step. */
static void check_written_steps(const Fixture *f) {
    Fixture again = open_scene(plim_scene_text(f->scene));
    assert_string_equal(plim_scene_text(again.scene), plim_scene_text(f->scene));
    assert_true(plim_world_hash(again.world) == plim_world_hash(f->world));
    assert_true(again.scene->hash == f->scene->hash);
    assert_int_equal(plim_world_step(again.world, 0.01), PLIM_OK);
    assert_int_equal(plim_world_step(f->world, 0.01), PLIM_OK);
    assert_true(plim_world_hash(again.world) == plim_world_hash(f->world));
    close_scene(&again);
}

static void test_text(void **state) {
    (void)state;
    Fixture f = open_scene(full_scene);
    const char *text = plim_scene_text(f.scene);
    static const char *const parts[] = {"gravity: [0, \"=-g\", 0]  # straight down\n",
                                        "dim: 3\n",
                                        "max_dt: 0",
                                        "orientation_order: 2\n",
                                        "motion: dynamic\n",
                                        "position: [0, 0, 0]\n",
                                        "segments: 32",
                                        "{box: {size: [10, 1, 10]}}\n"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) assert_has(text, parts[i]);
    check_written_steps(&f);
    close_scene(&f);
}

static void test_comments(void **state) {
    (void)state;
    Fixture f = open_scene(full_scene);
    const char *text = plim_scene_text(f.scene);
    static const char *const parts[] = {
        "# A block on a plane.\nplimsoll: 1\n",
        "params:\n  # the one to vary\n  angle: 20  # degrees\n",
        "rigid:\n  # all of them\n  bodies:\n    # the plane\n    - name: plane  # tilted\n",
        "# the end\n"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) assert_has(text, parts[i]);
    close_scene(&f);
}

/* Places where a comment is easily lost: in lists over several lines, behind a dash, behind a
 * bracket, before the end of a file without a newline. */
static void test_odd_comments(void **state) {
    (void)state;
    Fixture f = open_scene("--- # zero\r\n"
                           "plimsoll: 1 # one\r\n"
                           "gravity: [ # two\n"
                           "   0, # three \xC3\xA9\n"
                           "   # four\n"
                           "   -9.81, 0] # five\n"
                           "rigid: # six\n"
                           "  bodies:\n"
                           "  - # seven\n"
                           "    name: a # eight\n"
                           "    shape: {box: {}} # nine\n"
                           "  # ten\n"
                           "seed: 1 # eleven");
    static const char *const words[] = {"zero",  "one",  "two", "three \xC3\xA9",
                                        "four",  "five", "six", "seven",
                                        "eight", "nine", "ten", "eleven"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char comment[32];
        snprintf(comment, sizeof comment, "# %s", words[i]);
        assert_has(plim_scene_text(f.scene), comment);
    }
    check_written_steps(&f);
    close_scene(&f);
}

/* Line breaks that few editors show end a comment all the same. */
static void test_hidden_line_breaks(void **state) {
    (void)state;
    static const char *const breaks[] = {"\r", "\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"};
    for (size_t i = 0; i < sizeof breaks / sizeof *breaks; i++) {
        char text[64];
        snprintf(text, sizeof text, "plimsoll: 1\n# one%sfps: 30 # two\nseed: 2\n", breaks[i]);
        Fixture f = open_scene(text);
        assert_close(plim_scene_fps(f.scene), 30, 0);
        assert_has(plim_scene_text(f.scene), "# one\nfps: 30  # two\nseed: 2\n");
        check_written_steps(&f);
        close_scene(&f);
    }
}

static void test_other_forms(void **state) {
    (void)state;
    static const char *const texts[] = {
        "{\"plimsoll\": 1, \"rigid\": {\"energy_correction\": false, \"bodies\":"
        " [{\"name\": \"a\", \"shape\": {\"box\": {\"size\": [1, 1, 1]}}}]}} # JSON\n# and more\n",
        "\xEF\xBB\xBF# byte order mark\nplimsoll: 1\n",
        "plimsoll: 1\r\nname: crlf\r\n",
        "plimsoll: 1\nparams: {}\nmaterials: []\nrigid: {bodies: []}\nprobes: []\n",
        "plimsoll: 1\nduration: \"=1 +\\t2\\r\\n*3\"\nfps: |-\n  =10\nrigid:\n  energy_correction: "
        "on\n",
        "plimsoll: 1\nname: -x-\nrigid: {bodies: [{name: \"-\", shape: {box: {}}}]}\n",
        "plimsoll: 1.0\nduration: +1.5e+0\nfps: .5\ngravity: [-0, 5., 1e-400]\n",
        "%YAML 1.1\n---\nplimsoll: 1\n...\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        Fixture f = open_scene(texts[i]);
        check_written_steps(&f);
        close_scene(&f);
    }
}

/* Texts that no scene takes today: the tree alone must keep them. */
static void test_strange_strings(void **state) {
    (void)state;
    static const char *const values[] = {"",
                                         " ",
                                         "-",
                                         "?",
                                         "---",
                                         "a: b",
                                         "a #b",
                                         "# c",
                                         "\"",
                                         "\\",
                                         "'",
                                         "\t",
                                         "a\rb",
                                         "a\nb",
                                         "\x01\x7F",
                                         "\xC2\x80",
                                         "\xC2\x85",
                                         "\xC2\xA0",
                                         "\xE2\x80\xA8",
                                         "\xEF\xBB\xBF",
                                         "\xEF\xBF\xBE",
                                         "\xEF\xBF\xBD",
                                         "\xF0\x9F\x9A\xA2",
                                         "true",
                                         "~",
                                         "=1",
                                         "&a",
                                         "*a",
                                         "!t",
                                         "%d",
                                         "[1]",
                                         "{a}",
                                         "- a"};
    PlimContext *context = test_context(1);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        SceneNode *root = node_create(context, NODE_MAP, 1), *again;
        SceneNode *child = node_create(context, NODE_SCALAR, 1);
        child->text = context_copy_text(context, values[i]);
        assert_int_equal(node_append(context, root, "key", child), PLIM_OK);
        child->comment_after = context_copy_text(context, "# why");
        char *text = node_emit(context, root);
        ParseError error;
        if (node_parse(context, text, strlen(text), &again, &error) != PLIM_OK)
            fail_msg("%s: %s", text, error.reason);
        assert_string_equal(node_get(again, "key")->text, values[i]);
        assert_string_equal(node_get(again, "key")->comment_after, "# why");
        context_free_text(context, text);
        node_destroy(context, root);
        node_destroy(context, again);
    }
    test_context_close(context);
}

/* ---- overrides ---- */

static void test_overrides(void **state) {
    (void)state;
    static const PlimOverride overrides[] = {{"/params/angle", "60"},
                                             {"/rigid/bodies/1/position", "[0, 7, 0]"},
                                             {"/rigid/bodies/crank/shape/cylinder/radius", "0.3"},
                                             {"/rigid/bodies/brick/repeat", "{count: 2}"},
                                             {"/time_step/max_dt", "=1/240"},
                                             {"/name", "other"}};
    Fixture f = open_with(full_scene, overrides, sizeof overrides / sizeof *overrides);
    assert_string_equal(plim_scene_name(f.scene), "other");
    assert_int_equal(plim_rigid_count(f.world), 4);
    assert_close(pose_of(&f, "plane").orientation[0], cos(30 * pi / 180), 1e-15);
    assert_close(pose_of(&f, "brick_1").position[1], 7, 0);
    const char *text = plim_scene_text(f.scene);
    assert_has(text, "# the one to vary\n  angle: 60  # degrees\n");
    assert_has(text, "cylinder: {radius: 0.3, height: 2, segments: 32}");
    assert_has(text, "max_dt: \"=1/240\"");
    check_written_steps(&f);
    close_scene(&f);
}

static void test_override_with_comments(void **state) {
    (void)state;
    static const PlimOverride value = {"/params/angle", "5 # why\n# not\n# indeed"};
    Fixture f = open_with(full_scene, &value, 1);
    assert_has(plim_scene_text(f.scene), "angle: 5  # degrees\n");
    check_written_steps(&f);
    close_scene(&f);
}

static void test_bad_overrides(void **state) {
    (void)state;
    static const struct {
        PlimOverride override;
        const char *word;
    } cases[] = {{{"", "1"}, "looks like"},
                 {{"/", "1"}, "looks like"},
                 {{"params/angle", "1"}, "looks like"},
                 {{"/rigid/bodies/9/mass", "1"}, "the list has 3 items"},
                 {{"/rigid/bodies/-1", "1"}, "the list has 3 items"},
                 {{"/rigid/bodies/bricks/mass", "1"}, "none is 'bricks'"},
                 {{"/fps/x", "1"}, "cannot be inside a single value"},
                 {{"/fps", "[1"}, "does not parse"},
                 {{"/fps", "*a"}, "does not parse"},
                 {{"/fps", ""}, "should be a finite number"},
                 {{"/fpps", "30"}, "did you mean 'fps'"},
                 {{"/params//x", "30"}, "cannot be a parameter"},
                 {{"/params/a-b", "30"}, "cannot be a parameter"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        PlimContext *context = test_context(1);
        PlimScene *scene;
        PlimStatus status = plim_scene_parse(context, "test.yaml", full_scene, strlen(full_scene),
                                             &cases[i].override, 1, &scene);
        if (status != PLIM_BAD_INPUT) fail_msg("%s was accepted", cases[i].override.pointer);
        bool found = strstr(plim_message(context), cases[i].word) != NULL;
        for (size_t k = 0; scene && k < plim_scene_problem_count(scene); k++)
            found |= strstr(plim_scene_problem(scene, k), cases[i].word) != NULL;
        if (!found) fail_msg("%s: %s", cases[i].override.pointer, plim_message(context));
        plim_scene_destroy(scene);
        test_context_close(context);
    }
}

/* ---- identity ---- */

static void test_ancestors(void **state) {
    (void)state;
    Fixture f = open_scene(full_scene);
    uint64_t own = f.scene->hash;
    assert_true(scene_accepts_state(f.scene, own));
    assert_false(scene_accepts_state(f.scene, 17));
    assert_int_equal(scene_add_ancestor(f.scene, 17), PLIM_OK);
    assert_int_equal(scene_add_ancestor(f.scene, 18), PLIM_OK);
    assert_true(scene_accepts_state(f.scene, 17) && scene_accepts_state(f.scene, 18));
    assert_true(f.scene->hash == own);
    check_written_steps(&f);
    close_scene(&f);
}

/* The list may stand anywhere without changing which scene it is. */
static void test_ancestors_in_the_middle(void **state) {
    (void)state;
    Fixture plain = open_scene("plimsoll: 1\nfps: 30\nseed: 2\nname: a\n");
    Fixture listed =
        open_scene("plimsoll: 1\nresumed_from: [\"00ff\"]\nfps: 30\nseed: 2\nname: a\n");
    assert_true(plain.scene->hash == listed.scene->hash);
    assert_true(scene_accepts_state(listed.scene, 255));
    close_scene(&plain);
    close_scene(&listed);
}

/* ---- documents about the format ---- */

static void check_table(const SceneNode *object, const SceneTable *table) {
    const SceneNode *properties = node_get(object, "properties");
    assert_non_null(properties);
    assert_int_equal(properties->children.count, table->key_count);
    for (size_t i = 0; i < table->key_count; i++)
        assert_string_equal(properties->children.data[i]->key, table->keys[i].name);
    assert_string_equal(node_get(object, "additionalProperties")->text, "false");
}

/* JSON is YAML too: our own parser reads the schema. */
static void test_schema(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    char *text = scene_json_schema(context);
    assert_non_null(text);
    SceneNode *root;
    ParseError error;
    assert_int_equal(node_parse(context, text, strlen(text), &root, &error), PLIM_OK);
    check_table(root, &scene_table);
    const SceneNode *tables = node_get(root, "$defs");
    check_table(node_get(tables, "rigid_body"), &scene_body_table);
    check_table(node_get(tables, "material"), &scene_material_table);
    check_table(node_get(tables, "probe"), &scene_probe_table);
    assert_string_equal(node_get(node_get(tables, "shape"), "maxProperties")->text, "1");
    assert_has(text, "{\"type\": \"number\", \"exclusiveMinimum\": 0}");
    assert_has(text, "\"enum\": [\"dynamic\", \"static\", \"kinematic\"]");
    node_destroy(context, root);
    context_free_text(context, text);
    test_context_close(context);
}

static void test_reference(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    char *text = scene_reference(context);
    assert_non_null(text);
    static const char *const parts[] = {
        "plimsoll schema --markdown", "## scene\n", "## rigid body\n",
        "| `size` | three numbers, above 0 | `[1, 1, 1]` | m | full edge lengths |\n",
        "list of [rigid body](#rigid-body)"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) assert_has(text, parts[i]);
    assert_true(strchr(text, '\n') > strstr(text, parts[0])); /* in the first line */
    context_free_text(context, text);
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_materials),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_repeat_grid),
        cmocka_unit_test(test_repeat_scatter),
        cmocka_unit_test(test_random_params),
        cmocka_unit_test(test_prescribed_motion),
        cmocka_unit_test(test_repeated_motion),
        cmocka_unit_test(test_axis_lengths),
        cmocka_unit_test(test_probes),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_comments),
        cmocka_unit_test(test_odd_comments),
        cmocka_unit_test(test_hidden_line_breaks),
        cmocka_unit_test(test_other_forms),
        cmocka_unit_test(test_strange_strings),
        cmocka_unit_test(test_overrides),
        cmocka_unit_test(test_override_with_comments),
        cmocka_unit_test(test_bad_overrides),
        cmocka_unit_test(test_ancestors),
        cmocka_unit_test(test_ancestors_in_the_middle),
        cmocka_unit_test(test_schema),
        cmocka_unit_test(test_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
