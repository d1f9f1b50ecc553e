/* Scenes that are wrong: each refused at once, with line, place and a helpful word. */
#include "bad_scene.h"

#include "base/text.h"

/* ---- not YAML, or YAML of a kind that scenes are not written in ---- */

static void test_files(void **state) {
    (void)state;
    static const BadScene cases[] = {
        {"", 1, "/", "empty"},
        {"# nothing\n\n", 2, "/", "empty"},
        {"plimsoll: 1\nrigid: {bodies: [{name: a", 2, "/", "not valid YAML"},
        {"plimsoll: 1\nname: \"abc\n", 2, "/", "not valid YAML"},
        {"plimsoll: 1\nname: a: b\n", 2, "/", "not valid YAML"},
        {"plimsoll: 1\n\tfps: 3\n", 2, "/", "not valid YAML"},
        {"plimsoll: 1\n# \xFF\n", 2, "/", "not valid YAML"},
        {"plimsoll: 1\n\nname: \x02\n", 3, "/", "control characters"},
        {"hello", 1, "/", "starts with 'plimsoll: 1'"},
        {"- plimsoll: 1\n", 1, "/", "starts with 'plimsoll: 1'"},
        {"plimsoll: 1\n---\nplimsoll: 1\n", 2, "/", "second document"},
        {"plimsoll: 1\nfps: 1\nname: a\nfps: 2\n", 4, "/", "'fps' stands here a second time"},
        {"plimsoll: 1\n? [a]\n: 1\n", 2, "/", "a key must be a single word"},
        {"plimsoll: 1\nname: \"a\\0b\"\n", 2, "/", "NUL"},
        {"plimsoll: 1\nname: !tag a\n", 2, "/", "tags"},
        {"plimsoll: 1\nname: &a b\n", 2, "/", "anchors"},
        {"plimsoll: 1\nrigid: &a {}\n", 2, "/", "anchors"},
        {"plimsoll: 1\nprobes: &a []\n", 2, "/", "anchors"},
        {"plimsoll: 1\nname: *a\n", 2, "/", "aliases"},
        {"plimsoll: 1\n*a : 3\n", 2, "/", "aliases"}};
    CHECK_ALL(cases);
}

static void test_garbage(void **state) {
    (void)state;
    static const char elf[] = "\x7F"
                              "ELF\x02\x01\x01\0\0\0\0\0\xFF\xFE";
    check_bytes(elf, sizeof elf, &(BadScene){NULL, 1, "/", "not valid YAML"});
    static const char zeros[64] = {0};
    check_bytes(zeros, sizeof zeros, &(BadScene){NULL, 1, "/", "not valid YAML"});
    static const char utf16[] = "\xFF\xFEp\0l\0i\0m\0";
    check_bytes(utf16, sizeof utf16 - 1, &(BadScene){NULL, 1, "/", "UTF-8"});
}

static void test_alias_bomb(void **state) {
    (void)state;
    Text text;
    PlimContext *context = test_context(1);
    text_init(&text, context);
    text_add(&text, "plimsoll: 1\na: &a [x, x, x, x, x, x, x, x, x]\n");
    for (char c = 'b'; c < 'z'; c++) {
        text_add(&text, "%c: &%c [", c, c);
        for (int i = 0; i < 9; i++) text_add(&text, "%s*%c", i ? ", " : "", c - 1);
        text_add(&text, "]\n");
    }
    check_bytes(text_string(&text), text.bytes.count, &(BadScene){NULL, 2, "/", "anchors"});
    text_free(&text);
    test_context_close(context);
}

static void test_deep(void **state) {
    (void)state;
    static const char *const levels[] = {"[", "{a: ", "- "};
    for (size_t kind = 0; kind < 3; kind++) {
        PlimContext *context = test_context(1);
        Text text;
        text_init(&text, context);
        text_add(&text, kind < 2 ? "plimsoll: 1\nrigid: " : "plimsoll: 1\nrigid:\n ");
        for (int i = 0; i < 100000; i++) text_add(&text, "%s", levels[kind]);
        check_bytes(text_string(&text), text.bytes.count,
                    &(BadScene){NULL, kind < 2 ? 2 : 3, "/", "64 levels"});
        text_free(&text);
        test_context_close(context);
    }
}

/* ---- wrong keys and values ---- */

static void test_keys(void **state) {
    (void)state;
    static const BadScene cases[] = {
        {"fps: 30\n", 1, "/", "the key 'plimsoll' is missing"},
        {"plimsoll: 2\n", 1, "/plimsoll", "format version 2 is not known; this program reads"},
        {"plimsoll: one\n", 1, "/plimsoll", "should be a finite number, is 'one'"},
        {"plimsoll: 1.5\n", 1, "/plimsoll", "whole number"},
        {"plimsoll: 1\ngravty: [0, 0, 0]\n", 2, "/gravty", "did you mean 'gravity'?"},
        {"plimsoll: 1\nxyzzy: 1\n", 2, "/xyzzy", "here may stand: plimsoll, name"},
        {"plimsoll: 1\n\"\": 1\n", 2, "/", "unknown key ''"},
        {"plimsoll: 1\nrigid:\n  bodies:\n    - shape: {box: {}}\n", 4, "/rigid/bodies/0",
         "the key 'name' is missing"},
        {"plimsoll: 1\nrigid:\n  bodies:\n    - name: a\n      mas: 1\n      shape: {box: {}}\n", 5,
         "/rigid/bodies/0/mas", "did you mean 'mass'?"},
        {"plimsoll: 1\nrigid: {bodies: [{name: a, shape: {bal: {}}}]}\n", 2,
         "/rigid/bodies/0/shape/bal", "did you mean 'ball'?"},
        {"plimsoll: 1\nrigid: {bodies: [{name: a, shape: {box: {}, ball: {}}}]}\n", 2,
         "/rigid/bodies/0/shape", "exactly one key, has 2"},
        {"plimsoll: 1\nrigid: {bodies: [{name: a, shape: {}}]}\n", 2, "/rigid/bodies/0/shape",
         "exactly one key, has 0"},
        {"plimsoll: 1\nrigid: {bodies: [{name: a, shape: box}]}\n", 2, "/rigid/bodies/0/shape",
         "should be a map with one key, is a single value"},
        {"plimsoll: 1\nrigid: {bodies: [{name: a, shape: {box: {}}, motion: kinetic}]}\n", 2,
         "/rigid/bodies/0/motion", "did you mean 'kinematic'?"},
        {"plimsoll: 1\nname: \"a b\"\n", 2, "/name", "cannot be a name"},
        {"plimsoll: 1\nname:\n", 2, "/name", "cannot be a name"}};
    CHECK_ALL(cases);
}

static void test_types(void **state) {
    (void)state;
    static const BadScene cases[] = {
        {"plimsoll: 1\nfps: fast\n", 2, "/fps", "should be a finite number, is 'fast'"},
        {"plimsoll: 1\nfps: \"30\"\n", 2, "/fps", "an expression starts with '='"},
        {"plimsoll: 1\nfps: [30]\n", 2, "/fps", "should be a number, is a list"},
        {"plimsoll: 1\nfps: {a: 1}\n", 2, "/fps", "should be a number, is a map"},
        {"plimsoll: 1\nfps:\n", 2, "/fps", "should be a finite number, is ''"},
        {"plimsoll: 1\nfps: .nan\n", 2, "/fps", "finite"},
        {"plimsoll: 1\nfps: NaN\n", 2, "/fps", "finite"},
        {"plimsoll: 1\nfps: inf\n", 2, "/fps", "finite"},
        {"plimsoll: 1\nfps: -.inf\n", 2, "/fps", "finite"},
        {"plimsoll: 1\nfps: 1e999\n", 2, "/fps", "finite"},
        {"plimsoll: 1\nfps: 0x10\n", 2, "/fps", "finite"},
        {"plimsoll: 1\nfps: 1_000\n", 2, "/fps", "finite"},
        {"plimsoll: 1\nfps: 30 Hz\n", 2, "/fps", "is '30 Hz'"},
        {"plimsoll: 1\nfps: -1\n", 2, "/fps", "is -1 1/s; it must be above 0"},
        {"plimsoll: 1\nduration: 0\n", 2, "/duration", "must be above 0"},
        {"plimsoll: 1\nduration: 1e9\n", 1, "/", "frames; at most 10000000"},
        {"plimsoll: 1\ngravity: -9.81\n", 2, "/gravity", "should be a list of three numbers"},
        {"plimsoll: 1\ngravity: [0, 1]\n", 2, "/gravity", "should have three numbers, has 2"},
        {"plimsoll: 1\ngravity:\n  - 0\n  - x\n  - 0\n", 4, "/gravity/1", "is 'x'"},
        {"plimsoll: 1\ndim: 4\n", 2, "/dim", "is 4; it must be at least 2 and at most 3"},
        {"plimsoll: 1\ndim: 4\nrigid: {bodies: []}\n", 2, "/dim", "at most 3"},
        {"plimsoll: 1\nseed: 1.5\n", 2, "/seed", "whole number"},
        {"plimsoll: 1\nseed: abc\n", 2, "/seed", "is 'abc'"},
        {"plimsoll: 1\nrigid: []\n", 2, "/rigid", "should be a map, is a list"},
        {"plimsoll: 1\nrigid: {bodies: {}}\n", 2, "/rigid/bodies", "should be a list, is a map"},
        {"plimsoll: 1\nrigid: {bodies: [a]}\n", 2, "/rigid/bodies/0", "should be a map"},
        {"plimsoll: 1\nrigid: {energy_correction: maybe}\n", 2, "/rigid/energy_correction",
         "should be true or false, is 'maybe'"},
        {"plimsoll: 1\nparams: {a: maybe}\nrigid: {energy_correction: \"=a\"}\n", 3,
         "/rigid/energy_correction", "should be true or false, is 'maybe'"},
        {"plimsoll: 1\nrigid: {energy_correction: nan}\n", 2, "/rigid/energy_correction",
         "should be true or false"},
        {"plimsoll: 1\nresumed_from: [\"a b\"]\n", 2, "/resumed_from/0", "cannot be a name"}};
    CHECK_ALL(cases);
}

static void test_expressions(void **state) {
    (void)state;
    static const BadScene cases[] = {
        {"plimsoll: 1\nfps: \"=1/0\"\n", 2, "/fps", "division by zero"},
        {"plimsoll: 1\nfps: \"=\"\n", 2, "/fps", "empty"},
        {"plimsoll: 1\nfps: \"=2 +\"\n", 2, "/fps", "column"},
        {"plimsoll: 1\nfps: \"=t\"\n", 2, "/fps", "prescribed motion"},
        {"plimsoll: 1\nfps: \"=i\"\n", 2, "/fps", "unknown name \"i\""},
        {"plimsoll: 1\nparams: {angle: 2}\nfps: \"=anlge\"\n", 3, "/fps",
         "did you mean \"angle\"?"},
        {"plimsoll: 1\nparams:\n  a: \"=b\"\n  b: \"=a\"\n", 3, "/params/a", "has no value"},
        {"plimsoll: 1\nparams:\n  a: \"=a\"\n", 3, "/params/a", "'a' depends on itself"},
        {"plimsoll: 1\nparams:\n  pi: 3\n", 3, "/params/pi", "has a meaning in expressions"},
        {"plimsoll: 1\nparams:\n  x: 3\n", 3, "/params/x", "name it otherwise"},
        {"plimsoll: 1\nparams:\n  t: 3\n", 3, "/params/t", "name it otherwise"},
        {"plimsoll: 1\nparams:\n  a:\n", 3, "/params/a", "should be a finite number, is ''"},
        {"plimsoll: 1\nparams: {a: fast}\nfps: \"=2*a\"\n", 3, "/fps",
         "column 3: the parameter 'a' is the text 'fast', not a number"},
        {"plimsoll: 1\nparams: {a: fast}\nfps: \"=a\"\n", 3, "/fps", "is the text 'fast'"},
        {"plimsoll: 1\nparams: {a: \"=b\", b: \"=a\"}\nname: \"=a\"\n", 2, "/params/b",
         "'a' depends on itself"},
        {"plimsoll: 1\nparams: {a: 2}\nname: \"=a\"\n", 3, "/name",
         "the name of a parameter that is text"},
        {"plimsoll: 1\nparams: {a: a b}\nname: \"=a\"\n", 3, "/name", "'a b' cannot be a name"},
        {"plimsoll: 1\nfps: \"=x\"\n", 2, "/fps", "the place \"x\" is only known to fields"},
        {"plimsoll: 1\nparams:\n  a-b: 3\n", 3, "/params/a-b", "cannot be a parameter"},
        {"plimsoll: 1\nparams:\n  1a: 3\n", 3, "/params/1a", "cannot be a parameter"},
        {"plimsoll: 1\nparams:\n  a: [1]\n", 3, "/params/a", "should be a number, is a list"},
        {"plimsoll: 1\nparams: 3\n", 2, "/params", "a map of names and numbers"}};
    CHECK_ALL(cases);
}

/* ---- wrong things ---- */

#define BODY(rest) "plimsoll: 1\nrigid:\n  bodies:\n    - name: a\n" rest

static void test_bodies(void **state) {
    (void)state;
    static const char at[] = "/rigid/bodies/0";
    static const BadScene cases[] = {
        {BODY("      shape: {box: {}}\n      mass: -2\n"), 6, "/rigid/bodies/0/mass",
         "is -2 kg; it must be above 0"},
        {BODY("      shape: {box: {}}\n      mass: 0\n"), 6, "/rigid/bodies/0/mass", "above 0"},
        {BODY("      shape: {box: {}}\n      inertia: [1, -1, 1]\n"), 6,
         "/rigid/bodies/0/inertia/1", "is -1 kg m^2; it must be above 0"},
        {BODY("      shape: {box: {size: [1, 0, 1]}}\n"), 5, "/rigid/bodies/0/shape/box/size/1",
         "above 0"},
        {BODY("      shape: {ball: {subdivisions: 8}}\n"), 5,
         "/rigid/bodies/0/shape/ball/subdivisions", "at most 7"},
        {BODY("      shape: {torus: {radius: 0.5, tube: 0.5}}\n"), 4, at, "leaves no hole"},
        {BODY("      shape: {box: {}}\n      orientation: {axis: [0, 0, 0]}\n"), 6,
         "/rigid/bodies/0/orientation", "the axis must not be zero"},
        {BODY("      shape: {box: {}}\n      position: [0, \"=t\", 0]\n"), 6,
         "/rigid/bodies/0/position", "motion: kinematic"},
        {BODY("      shape: {box: {}}\n      motion: static\n      orientation: {angle: \"=t\"}\n"),
         7, "/rigid/bodies/0/orientation", "motion: kinematic"},
        {BODY("      shape: {box: {}}\n      velocity: [0, \"=t\", 0]\n"), 6,
         "/rigid/bodies/0/velocity/1", "prescribed motion"},
        {BODY(
             "      shape: {box: {}}\n      motion: kinematic\n      position: [0, \"=1/t\", 0]\n"),
         7, "/rigid/bodies/0/position/1", "at t = 0: column 2: division by zero"},
        {BODY("      shape: {box: {}}\n      material: wood\n"), 6, "/rigid/bodies/0/material",
         "there is no material 'wood'"},
        {BODY("      shape: {box: {}}\n      color: [0, 2, 0]\n"), 6, "/rigid/bodies/0/color/1",
         "at most 1"},
        {BODY("      shape: {box: {}}\n    - name: a\n      shape: {box: {}}\n"), 6,
         "/rigid/bodies/1", "two rigid bodies are named 'a'"},
        {BODY("      shape: {box: {}}\n      repeat: {count: 2}\n    - name: a_1\n"
              "      shape: {box: {}}\n"),
         7, "/rigid/bodies/1", "two rigid bodies are named 'a_1'"},
        {"plimsoll: 1\nmaterials:\n  - name: a\n  - name: a\n", 4, "/materials/1",
         "two materials are named 'a'"}};
    CHECK_ALL(cases);
}

static void test_repeats(void **state) {
    (void)state;
    static const char at[] = "/rigid/bodies/0/repeat";
    static const BadScene cases[] = {
        {BODY("      shape: {box: {}}\n      repeat: {}\n"), 6, at, "needs 'grid' or 'count'"},
        {BODY("      shape: {box: {}}\n      repeat: {count: 2, grid: [1, 1, 1]}\n"), 6, at,
         "leave one out"},
        {BODY("      shape: {box: {}}\n      repeat: 3\n"), 6, at, "should be a map"},
        {BODY("      shape: {box: {}}\n      repeat: {grid: [1.5, 1, 1]}\n"), 6, at,
         "whole numbers"},
        {BODY("      shape: {box: {}}\n      repeat: {count: 0}\n"), 6,
         "/rigid/bodies/0/repeat/count", "at least 1"},
        {BODY("      shape: {box: {}}\n      repeat: {count: \"=n\"}\n"), 6,
         "/rigid/bodies/0/repeat/count", "unknown name \"n\""},
        {BODY("      shape: {box: {}}\n      repeat: {count: 1e12}\n"), 6, at,
         "PB of memory; this machine has"},
        {BODY("      shape: {box: {}}\n      repeat: {grid: [1e15, 1e15, 1e15]}\n"), 6, at,
         "EB of memory"},
        /* The first copy is right; the fifth divides by zero. */
        {BODY("      shape: {box: {}}\n      mass: \"=1/(4 - n)\"\n      repeat: {count: 9}\n"), 6,
         "/rigid/bodies/0/mass", "division by zero"}};
    CHECK_ALL(cases);
}

static void test_probes(void **state) {
    (void)state;
    static const BadScene cases[] = {
        {"plimsoll: 1\nrigid: {bodies: [{name: brick, shape: {box: {}}}]}\n"
         "probes:\n  - name: brik\n    quantities: [mass]\n",
         4, "/probes/0", "nothing has that name; did you mean 'brick'?"},
        {BODY("      shape: {box: {}}\nprobes:\n  - {name: b, object: c, quantities: [mass]}\n"), 7,
         "/probes/0", "probe 'b' is on 'c', and nothing has that name"},
        {BODY("      shape: {box: {}}\nprobes:\n  - name: a\n    quantities: [mass, speed]\n"), 7,
         "/probes/0", "asks for 'speed'; 'a' has: position"},
        {"plimsoll: 1\nprobes:\n  - name: a\n", 3, "/probes/0", "'quantities' is missing"},
        {"plimsoll: 1\nprobes:\n  - {name: a, quantities: [[b]]}\n", 3, "/probes/0/quantities/0",
         "is a list"},
        {"plimsoll: 1\nprobes:\n  - {name: a, quantities: mass}\n", 3, "/probes/0/quantities",
         "should be a list of names"}};
    CHECK_ALL(cases);
}

/* ---- many problems, and much of everything ---- */

static void test_all_problems(void **state) {
    (void)state;
    static const char text[] = "plimsoll: 1\n"
                               "fpps: 3\n"
                               "seed: abc\n"
                               "rigid:\n"
                               "  bodies:\n"
                               "    - name: a\n"
                               "      mass: -1\n"
                               "      shape: {box: {size: [1, 1, -1]}}\n"
                               "      repeat: {count: 0}\n"
                               "    - name: b\n"
                               "      shape: {box: {}}\n"
                               "      material: wood\n"
                               "duration: -1\n"
                               "probes:\n"
                               "  - name: p\n";
    static const char *const places[] = {
        "line 2, /fpps:",
        "line 3, /seed:",
        "line 7, /rigid/bodies/0/mass:",
        "line 8, /rigid/bodies/0/shape/box/size/2:",
        "line 9, /rigid/bodies/0/repeat/count:",
        "line 12, /rigid/bodies/1/material:",
        "line 13, /duration:",
        "line 15, /probes/0:",
    };
    PlimContext *context = test_context(1);
    PlimScene *scene;
    assert_int_equal(try_scene(context, text, strlen(text), &scene), PLIM_BAD_INPUT);
    size_t count = sizeof places / sizeof *places;
    for (size_t i = 0; i < plim_scene_problem_count(scene) && i < count; i++)
        if (!strstr(plim_scene_problem(scene, i), places[i]))
            fail_msg("'%s' should start with '%s'", plim_scene_problem(scene, i), places[i]);
    assert_int_equal(plim_scene_problem_count(scene), count);
    assert_non_null(strstr(plim_message(context), places[0]));
    PlimWorld *world;
    assert_int_equal(plim_scene_create_world(scene, &world), PLIM_BAD_INPUT);
    assert_null(world);
    plim_scene_destroy(scene);
    test_context_close(context);
}

/* A text with 100,000 pieces, "@" in each standing for its number: none may take quadratic time. */
static void check_many(const char *before, const char *piece, const char *after,
                       const BadScene *bad) {
    PlimContext *context = test_context(1);
    Text text;
    text_init(&text, context);
    text_add(&text, "%s", before);
    for (int i = 0; i < 100000; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", i);
        for (const char *c = piece; *c; c++)
            text_add(&text, *c == '@' ? "%s" : "%.1s", *c == '@' ? number : c);
    }
    text_add(&text, "%s", after);
    /* Under sanitizers it takes up to 9 s, more with each key an entry may have; work that grew
     * with the square of the entries would take hours. */
    check_within(60.0, text_string(&text), text.bytes.count, bad);
    text_free(&text);
    test_context_close(context);
}

static void test_many(void **state) {
    (void)state;
    check_many("plimsoll: 1\n", "k@: 1\n", "", &(BadScene){NULL, 2, "/k0", "unknown key"});
    check_many("plimsoll: 1\n", "# @\n", "x: 1\n", &(BadScene){NULL, 100002, "/x", "unknown key"});
    check_many("plimsoll: 1\nprobes: [", "a, # @\n", "]\n",
               &(BadScene){NULL, 2, "/probes/0", "should be a map"});
    check_many("plimsoll: 1\nparams:\n", "  a@: \"=b@\"\n", "",
               &(BadScene){NULL, 2, "/params", "has 100000 parameters; at most 1000"});
    check_many("plimsoll: 1\nmaterials:\n", "  - name: m@\n", "  - name: m99999\n",
               &(BadScene){NULL, 100003, "/materials/100000", "two materials"});
}

/* Each parameter needs the next: read front to back, that would take a stack as deep as the list.
 */
static void test_parameter_chain(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Text text;
    text_init(&text, context);
    text_add(&text, "plimsoll: 1\nparams:\n");
    for (int i = 0; i < 900; i++) {
        text_add(&text, "  a%d: \"=", i);
        for (int level = 0; level < 190; level++) text_add(&text, "(");
        text_add(&text, "a%d", i + 1);
        for (int level = 0; level < 190; level++) text_add(&text, ")");
        text_add(&text, "\"\n");
    }
    text_add(&text, "  a900: 1\n");
    check_bytes(text_string(&text), text.bytes.count,
                &(BadScene){NULL, 3, "/params/a0", "the parameter 'a1' has no value"});
    text_free(&text);
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_garbage),
        cmocka_unit_test(test_alias_bomb),
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_repeats),
        cmocka_unit_test(test_probes),
        cmocka_unit_test(test_all_problems),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_parameter_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
