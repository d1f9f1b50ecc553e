/* Ahead and back: systems that take steps which are thrown away, and are put back. Worlds that
 * looked ahead before every step compute what worlds compute that never did, to the bit. */
#include "check.h"

#include "plimsoll/plimsoll.h"
#include "scene/scene.h"
#include "system/save.h"
#include "world/world.h"

#include <string.h>

enum { SYSTEMS = 8, FRAME = 24 }; /* systems of a world here, at most; frames a second */

typedef struct Seer {
    PlimContext *context;
    PlimScene *scene;
    PlimWorld *world;
    SystemSave saves[SYSTEMS];
} Seer;

static Seer open_scene(int threads, const char *text) {
    Seer s = {.context = test_context(threads)};
    if (plim_scene_parse(s.context, "test.yaml", text, strlen(text), NULL, 0, &s.scene) !=
            PLIM_OK ||
        plim_scene_create_world(s.scene, &s.world) != PLIM_OK)
        fail_msg("%s\nin the scene\n%s", plim_message(s.context), text);
    assert_true(s.world->systems.count <= SYSTEMS);
    return s;
}

static void close_scene(Seer *s) {
    for (size_t i = 0; i < SYSTEMS; i++) system_save_free(s->context, &s->saves[i]);
    plim_world_destroy(s->world);
    plim_scene_destroy(s->scene);
    test_context_close(s->context);
}

static void succeed(const Seer *s, PlimStatus status) {
    if (status != PLIM_OK) fail_msg("%s", plim_message(s->context));
}

static double frame_end(double time) {
    return (floor(time * FRAME + 1e-6) + 1) / FRAME;
}

static void substep(const Seer *s) {
    succeed(s, plim_world_substep(s->world, frame_end(plim_world_time(s->world))));
}

/* ---- a look ahead ---- */

static void save(Seer *s, const bool *which) {
    for (size_t i = 0; i < s->world->systems.count; i++) {
        const SystemInstance *system = &s->world->systems.data[i];
        if (which[i])
            succeed(s, system_save(s->context, system->class, system->object, &s->saves[i]));
    }
}

static void restore(Seer *s, const bool *which) {
    StepInfo now = world_step_info(s->world, 0);
    for (size_t i = 0; i < s->world->systems.count; i++) {
        const SystemInstance *system = &s->world->systems.data[i];
        if (which[i]) succeed(s, system_restore(system->class, system->object, &now, &s->saves[i]));
    }
}

static uint64_t hash_of(const Seer *s, size_t i) {
    const SystemInstance *system = &s->world->systems.data[i];
    return state_hash(system->class->schema, system->object, 1);
}

/* Each step as long as it would be taken; ends[k] is when step k ends. */
static void run_ahead(Seer *s, const bool *which, int steps, double *ends) {
    double time = plim_world_time(s->world);
    for (int k = 0; k < steps; k++) {
        StepInfo step;
        succeed(s, world_choose_step(s->world, time, frame_end(time), &step));
        assert_true(step.time == time && step.end_time > time);
        succeed(s, world_run_systems(s->world, which, &step));
        time = ends[k] = step.end_time;
    }
}

/* Those that take part move, others and the clock do not, and all is as it was in the end. */
static void look_ahead(Seer *s, const bool *which, int steps, double *ends) {
    PlimWorld *world = s->world;
    uint64_t hash = plim_world_hash(world), count = plim_world_steps(world), before[SYSTEMS] = {0};
    double time = plim_world_time(world), seconds[STAGE_COUNT];
    memcpy(seconds, world->stage_seconds, sizeof seconds);
    for (size_t i = 0; i < world->systems.count; i++) before[i] = hash_of(s, i);
    save(s, which);
    run_ahead(s, which, steps, ends);
    assert_true(plim_world_time(world) == time && plim_world_steps(world) == count);
    assert_memory_equal(seconds, world->stage_seconds, sizeof seconds);
    for (size_t i = 0; i < world->systems.count; i++)
        if (!which[i] || i == 0) assert_true(hash_of(s, i) == before[i]);
    assert_true(plim_world_hash(world) != hash);
    restore(s, which);
    assert_true(plim_world_hash(world) == hash);
}

/* ---- the same bits ---- */

/* Both tell the same of their last step, but for the time it took. What a fluid says of its
 * divergence includes how far bodies moved in the step, which is not kept: until the next step it
 * is that of their velocities. */
static void assert_same_figures(const Seer *a, const Seer *b, bool stepped) {
    succeed(a, plim_world_measure(a->world));
    succeed(b, plim_world_measure(b->world));
    size_t count = plim_world_figure_count(a->world);
    assert_int_equal(plim_world_figure_count(b->world), count);
    for (size_t i = 0; i < count; i++) {
        const char *name = plim_world_figure_name(a->world, i);
        double of_a = plim_world_figure(a->world, i), of_b = plim_world_figure(b->world, i);
        if (strncmp(name, "wall.", 5) == 0) continue;
        if (!stepped && strcmp(name, "divergence.max") == 0) continue;
        if (of_a != of_b) fail_msg("%s is %.17g, %.17g after a look ahead", name, of_a, of_b);
    }
}

static double figure_of(const Seer *s, const char *name) {
    succeed(s, plim_world_measure(s->world));
    return diagnostics_get(&s->world->diagnostics, name);
}

typedef struct Case {
    const char *name, *text;
    int before;  /* steps, before the first look ahead */
    bool sleeps; /* some bodies do then */
} Case;

static const bool everything[SYSTEMS] = {1, 1, 1, 1, 1, 1, 1, 1};
static const bool solids[SYSTEMS] = {0, 1}; /* after the clock */

static void check_case(const Case *test, int threads) {
    enum { STEPS = 6, LONGEST = 3 };
    Seer plain = open_scene(threads, test->text), seer = open_scene(threads, test->text);
    double ends[STEPS + LONGEST] = {0}, end;
    for (int k = 0; k < test->before; k++) {
        substep(&plain);
        substep(&seer);
    }
    if (test->sleeps) assert_true(figure_of(&seer, "asleep") > 0);
    for (int k = 0; k < test_size(STEPS, 4); k++) {
        look_ahead(&seer, everything, k % 2 ? LONGEST : 1, ends + k);
        look_ahead(&seer, solids, 1, &end);
        assert_same_figures(&plain, &seer, false);
        substep(&plain);
        substep(&seer);
        if (plim_world_hash(plain.world) != plim_world_hash(seer.world))
            fail_msg("%s: step %d differs after a look ahead", test->name, k);
        assert_same_figures(&plain, &seer, true);
        /* Its length was known before it was taken, from the state that was run ahead. */
        assert_true(plim_world_time(plain.world) == ends[k]);
    }
    if (test->sleeps) assert_true(figure_of(&seer, "asleep") == 0);
    close_scene(&plain);
    close_scene(&seer);
}

#define STACK                                                                                      \
    "plimsoll: 1\ntime_step: {max_dt: 0.005}\nrigid:\n  bodies:\n"                                 \
    "    - {name: floor, shape: {half_space: {}}, motion: static}\n"                               \
    "    - {name: crate, shape: {box: {}}, position: [0, \"=n+0.5\", 0], repeat: {count: 4, "      \
    "spacing: [0, 0, 0]}}\n"                                                                       \
    "    - {name: ball, shape: {ball: {radius: 0.3}}, position: [0.3, 6, 0]}\n"

static const Case cases[] = {
    {"bodies that fall asleep", STACK, 0, false},
    {"sleepers that are hit", STACK, 124, true},
    {"bodies in a viscous fluid",
     "plimsoll: 1\ndim: 2\nfluid: {cells: 20, viscosity: 1}\nrigid:\n  bodies:\n"
     "    - {name: a, shape: {ball: {radius: 0.12}}, position: [0.3, 0.52, 0], density: 2000, "
     "velocity: [1, 0, 0]}\n"
     "    - {name: b, shape: {box: {size: [0.2, 0.2, 1]}}, position: [0.7, 0.5, 0], density: "
     "500}\n",
     0, false},
    {"smoke about a body on a path",
     "plimsoll: 1\nfluid:\n  cells: 10\n  sides: {top: open}\n  density: 1.2\n"
     "  smoke: {buoyancy: 0.5}\n  sources:\n"
     "    - {name: fire, shape: {ball: {radius: 0.2}}, position: [0.5, 0.2, 0.5], smoke: 1, "
     "temperature: 5}\n"
     "rigid:\n  bodies:\n"
     "    - {name: oar, shape: {box: {size: [0.3, 0.3, 0.3]}}, position: [\"=0.5+0.2*sin(3*t)\", "
     "0.6, 0.5], motion: kinematic}\n",
     0, false},
    {"water with particles, a float and a tap",
     "plimsoll: 1\nfluid:\n  cells: 12\n  sides: {top: open}\n"
     "  liquid: {level: \"=y-0.45-0.1*x\", particles: 8}\n  sources:\n"
     "    - {name: tap, shape: {ball: {radius: 0.12}}, position: [0.2, 0.8, 0.5], liquid: fill, "
     "velocity: [0, -1, 0]}\n"
     "rigid:\n  bodies:\n"
     "    - {name: float, shape: {box: {size: [0.3, 0.2, 0.3]}}, position: [0.6, 0.55, 0.5], "
     "density: 400}\n",
     0, false},
    {"a splash over a stone, with a tap",
     "plimsoll: 1\nsplash:\n  cells: 12\n  sides: {top: open, right: open}\n  sources:\n"
     "    - {name: tap, shape: {ball: {radius: 0.15}}, position: [0.3, 0.7, 0.5], velocity: [2, 0, "
     "0]}\n"
     "  liquids:\n"
     "    - {name: column, shape: {box: {size: [0.4, 0.5, 1]}}, position: [0.2, 0.25, 0.5]}\n"
     "rigid:\n  bodies:\n"
     "    - {name: stone, shape: {ball: {radius: 0.15}}, position: [0.7, 0.3, 0.5], density: "
     "2500}\n",
     0, false},
    {"a splash that cannot expand",
     "plimsoll: 1\ndim: 2\nsplash:\n  cells: 20\n  incompressibility: bilateral\n  transfer: apic\n"
     "  liquids:\n"
     "    - {name: column, shape: {box: {size: [0.4, 0.5, 1]}}, position: [0.2, 0.25, 0]}\n"
     "rigid:\n  bodies:\n"
     "    - {name: stone, shape: {ball: {radius: 0.15}}, position: [0.7, 0.3, 0], density: 2500}\n",
     0, false},
    {"two pools, a splash and bodies",
     "plimsoll: 1\ndim: 2\nfluid:\n"
     "  - {name: west, domain: {low: [0, 0, 0], high: [1, 1, 1]}, cells: 16, liquid: {level: "
     "\"=y-0.4-0.1*x\"}}\n"
     "  - {name: east, domain: {low: [1, 0, 0], high: [2, 1, 1]}, cells: 16, liquid: {level: "
     "\"=y-0.5\"}}\n"
     "splash:\n"
     "  - {name: spray, domain: {low: [2, 0, 0], high: [3, 1, 1]}, cells: 16, liquids: [{name: "
     "column, shape: {box: {size: [0.4, 0.5, 1]}}, position: [2.2, 0.25, 0]}]}\n"
     "rigid:\n  bodies:\n"
     "    - {name: cork, shape: {ball: {radius: 0.15}}, position: [0.5, 0.5, 0], density: 400}\n"
     "    - {name: crate, shape: {box: {size: [0.3, 0.3, 1]}}, position: [1.5, 0.6, 0], density: "
     "600}\n"
     "    - {name: stone, shape: {ball: {radius: 0.15}}, position: [2.7, 0.3, 0], density: 2500}\n",
     0, false},
};

static void test_same_bits(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int threads = 1; threads <= 2; threads++) check_case(&cases[i], threads);
}

/* ---- memory ---- */

/* A look ahead that was taken once can be taken again without memory. */
static void test_no_allocation(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Seer s = open_scene(1, cases[i].text);
        PlimSnapshot *start;
        double ends[3];
        substep(&s);
        succeed(&s, plim_snapshot_create(s.world, &start));
        look_ahead(&s, everything, 3, ends);
        substep(&s); /* scratch becomes one block at the start of a step */
        succeed(&s, plim_snapshot_restore(s.world, start));
        uint64_t allocations = plim_context_allocations(s.context);
        look_ahead(&s, everything, 3, ends);
        assert_int_equal(plim_context_allocations(s.context), allocations);
        plim_snapshot_destroy(start);
        close_scene(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_no_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
