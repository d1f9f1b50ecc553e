/* Scenes while memory runs out: every allocation fails once, and nothing breaks or stays behind. */
#include "ration.h"

#include "plimsoll/plimsoll.h"
#include "scene/scene.h"

#include <string.h>

/* A little of everything that allocates. */
static const char good_scene[] = "# comment\n"
                                 "plimsoll: 1\n"
                                 "params:\n"
                                 "  # above\n"
                                 "  angle: \"=2*half\"   # behind\n"
                                 "  half: 5\n"
                                 "materials: [{name: wood, density: 600}]\n"
                                 "rigid:\n"
                                 "  bodies:\n"
                                 "    - name: brick\n"
                                 "      material: wood\n"
                                 "      shape: {box: {}}\n"
                                 "      repeat: {count: 2, tilt: 5}\n"
                                 "    - name: crank\n"
                                 "      shape: {ball: {subdivisions: 1}}\n"
                                 "      motion: kinematic\n"
                                 "      position: [\"=sin(2*t)\", 1, 0]\n"
                                 "      orientation: {angle: \"=angle*t\"}\n"
                                 "probes:\n"
                                 "  - {name: crank, quantities: [velocity]}\n"
                                 "# the end\n";

/* The same for a fluid, with all that belongs to it. */
static const char fluid_scene[] =
    "plimsoll: 1\n"
    "params: {scheme: semi_lagrangian, n: 4}\n"
    "dim: 2\n"
    "fluid:\n"
    "  cells: \"=n\"\n"
    "  advection: \"=scheme\"\n"
    "  smoke: {}\n"
    "  sides: {left: {kind: inflow, velocity: [\"=1 - y\", 0, 0], smoke: \"=t\"}, right: open}\n"
    "  viscosity: \"=1 + x\"\n"
    "  initial: {smoke: \"=x\"}\n"
    "  obstacles: [{ball: {radius: 0.1}}]\n"
    "  sources: [{name: fire, shape: {ball: {}}, smoke: 1}]\n"
    "rigid: {bodies: [{name: pin, shape: {box: {size: [0.4, 0.4, 1]}}, position: [0.5, 0.5, 0]}]}\n"
    "probes:\n"
    "  - {name: here, point: [0.8, 0.5, 0], quantities: [velocity]}\n"
    "  - {name: gate, section: {axis: x, at: 0.9}, quantities: [flux]}\n";

/* Bodies that meet: prisms alone and as a part, a floor, keyframes. */
static const char contact_scene[] =
    "plimsoll: 1\n"
    "params: {e: 0.5}\n"
    "materials: [{name: rubber, friction: 1, restitution: \"=e\"}]\n"
    "rigid:\n"
    "  contact: {pairs: lagged}\n"
    "  bodies:\n"
    "    - {name: floor, shape: {half_space: {}}, motion: static}\n"
    "    - name: wedge\n"
    "      material: rubber\n"
    "      shape: {prism: {points: [[0, 0], [\"=1 + n\", 0], [0, 1]], cells: 8}}\n"
    "      repeat: {count: 2, spacing: [4, 0, 0]}\n"
    "    - name: part\n"
    "      shape: {union: {cells: 6, of: [{prism: {points: [[0, 0], [1, 0], [0, 1]], cells: "
    "4}}]}}\n"
    "      position: [0, 5, 0]\n"
    "    - name: crank\n"
    "      shape: {box: {}}\n"
    "      motion: kinematic\n"
    "      position: [0, 9, 0]\n"
    "      keyframes: [{t: 0}, {t: 1, position: [0, 10, 0]}, {t: 2, orientation: {angle: 9}}]\n";

static PlimStatus use_scene(PlimContext *context, void *user) {
    const char *text = *(const char **)user;
    static const PlimOverride override = {"/time_step/max_dt", "0.01"};
    PlimScene *scene;
    PlimWorld *world = NULL;
    PlimStatus status =
        plim_scene_parse(context, "test.yaml", text, strlen(text), &override, 1, &scene);
    if (status == PLIM_OUT_OF_MEMORY) assert_null(scene);
    if (status == PLIM_OK) status = plim_scene_create_world(scene, &world);
    if (status == PLIM_OK) status = plim_world_step(world, 0.01);
    if (status == PLIM_OK) status = scene_add_ancestor(scene, 17);
    plim_world_destroy(world);
    plim_scene_destroy(scene);
    return status;
}

static PlimStatus empty_a_value(PlimContext *context, void *user) {
    const char *text = *(const char **)user;
    static const PlimOverride override = {"/params/a/b", ""};
    PlimScene *scene;
    PlimStatus status =
        plim_scene_parse(context, "test.yaml", text, strlen(text), &override, 1, &scene);
    plim_scene_destroy(scene);
    return status;
}

static PlimStatus make_documents(PlimContext *context, void *user) {
    (void)user;
    char *schema = scene_json_schema(context), *page = scene_reference(context);
    PlimStatus status = schema && page ? PLIM_OK : PLIM_OUT_OF_MEMORY;
    context_free_text(context, schema);
    context_free_text(context, page);
    return status;
}

/* Every allocation fails once, alone or with all that follow. */
static void check_both(PlimStatus (*use)(PlimContext *, void *), const char *text,
                       PlimStatus otherwise) {
    for (int once = 0; once < 2; once++)
        starve(&(Starved){.use = use,
                          .user = &text,
                          .least = 30,
                          .most = 10000,
                          .once = once,
                          .otherwise = otherwise});
}

static void test_good_scene(void **state) {
    (void)state;
    check_both(use_scene, good_scene, PLIM_OK);
}

static void test_fluid_scene(void **state) {
    (void)state;
    check_both(use_scene, fluid_scene, PLIM_OK);
}

static void test_contact_scene(void **state) {
    (void)state;
    check_both(use_scene, contact_scene, PLIM_OK);
}

static void test_documents(void **state) {
    (void)state;
    check_both(make_documents, NULL, PLIM_OK);
}

static void test_bad_scenes(void **state) {
    (void)state;
    static const char many[] = "plimsoll: 1\n"
                               "params: {a: \"=b\", b: 2}\n"
                               "fpps: 3\n"
                               "duration: \"=c\"\n"
                               "materials: [{name: a}]\n"
                               "rigid:\n"
                               "  bodies: [{name: a, material: b, shape: {bax: {}}, mass: -1}]\n";
    static const char twice[] = "plimsoll: 1\n"
                                "rigid:\n"
                                "  bodies:\n"
                                "    - {name: a, shape: {box: {}}}\n"
                                "    - {name: a, shape: {box: {}}}\n";
    static const char prism[] =
        "plimsoll: 1\n"
        "rigid: {bodies: [{name: a, shape: {prism: {points: [[0, 0], [1, 1], "
        "[1, 0], [0, 1]]}}}]}\n";
    static const char probe[] = "plimsoll: 1\nprobes: [{name: a, quantities: [position]}]\n";
    check_both(use_scene, many, PLIM_BAD_INPUT);
    check_both(use_scene, twice, PLIM_BAD_INPUT);
    check_both(use_scene, prism, PLIM_BAD_INPUT);
    check_both(use_scene, probe, PLIM_BAD_INPUT);
    check_both(empty_a_value, "plimsoll: 1\n", PLIM_BAD_INPUT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_scene),    cmocka_unit_test(test_fluid_scene),
        cmocka_unit_test(test_contact_scene), cmocka_unit_test(test_bad_scenes),
        cmocka_unit_test(test_documents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
