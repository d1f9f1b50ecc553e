/* Worlds with a liquid: at rest and in free fall, what comes and goes and its account, volume
 * control, bits, memory. */
#include "ration.h"
#include "scene_fixture.h"

#include "base/random.h"
#include "fluid/internal.h"
#include "scene/scene.h"
#include "world/domains.h"

static double figure(const Fixture *f, const char *name) {
    assert_int_equal(plim_world_measure(f->world), PLIM_OK);
    return diagnostics_get(&f->world->diagnostics, name);
}

static double probe(const Fixture *f, const char *object, const char *quantity) {
    const Fluid *fluid = fluid_of(f->world);
    size_t index = fluid_find_object(fluid, object);
    assert_true(index != SIZE_MAX);
    for (size_t i = 0; i < FLUID_QUANTITY_COUNT; i++) {
        double values[4];
        if (strcmp(fluid_quantities[i].name, quantity) != 0) continue;
        assert_true(fluid_quantities[i].applies(fluid, index));
        fluid_quantities[i].read(fluid, index, values);
        return values[0];
    }
    fail_msg("no quantity %s", quantity);
    return 0;
}

/* ---- at rest ---- */

#define TIGHT "  tolerance: 1e-10\n"
#define BALL(y, z)                                                                                 \
    "  obstacles: [{place: {shape: {ball: {radius: 0.15}}, position: [0.6, " y ", " z "]}}]\n"
#define POST                                                                                       \
    "  obstacles: [{place: {shape: {box: {size: [0.3, 0.8, 4]}}, position: [0.61, 0.35, 0]}}]\n"

typedef struct Rest {
    const char *name;
    int dim, cells;
    const char *more;   /* keys of the fluid */
    const char *others; /* of the scene */
    double fastest;     /* m/s, that anything may move at */
} Rest;

static void check_rest(const Rest *rest) {
    char text[1024];
    snprintf(text, sizeof text,
             "plimsoll: 1\ndim: %d\n%s"
             "probes: [{name: gauge, point: [0.2, 0.2, 0.2], quantities: [pressure, surface]}]\n"
             "fluid:\n  cells: %d\n" TIGHT "%s",
             rest->dim, rest->others, rest->cells, rest->more);
    Fixture f = open_in(test_context(1), text);
    double fastest = 0, volume = figure(&f, "volume.fluid");
    for (int s = 0; s < 10; s++) {
        step(&f, 0.02);
        fastest = fmax(fastest, figure(&f, "speed.max"));
    }
    double lost = fabs(figure(&f, "volume.fluid") - volume) / volume;
    double pressure = probe(&f, "gauge", "pressure") / (1000 * 9.81 * 0.33);
    print_message("%s, %dD: %.2g m/s, volume changed by %.2g, pressure %.9f of rho g d\n",
                  rest->name, rest->dim, fastest, lost, pressure);
    assert_true(fastest < rest->fastest);
    assert_true(lost < fmax(1e-6, 0.02 * rest->fastest));
    assert_close(pressure, 1, fmax(1e-6, rest->fastest));
    assert_close(probe(&f, "gauge", "surface"), 0.53, fmax(1e-8, 0.1 * rest->fastest));
    close_scene(&f);
}

#define WATER "  liquid: {level: \"=y-0.53\"}\n" /* the surface lies somewhere in a cell */

static void test_rest(void **state) {
    (void)state;
    static const Rest cases[] = {
        {"water", 2, 20, WATER, "", 1e-7},
        {"water", 3, 12, WATER, "", 1e-7},
        {"no particles", 2, 20, "  liquid: {level: \"=y-0.53\", particles: 0}\n", "", 1e-7},
        {"on nodes", 2, 20, "  storage: node\n" WATER, "", 1e-7},
        {"on nodes", 3, 12, "  storage: node\n" WATER, "", 1e-7},
        {"ball under water", 2, 20, BALL("0.2", "0") WATER, "", 1e-7},
        {"ball under water", 3, 16, BALL("0.2", "0.45") WATER, "", 1e-7},
        {"post through the surface", 2, 20, POST WATER, "", 1e-7},
        {"ball through the surface", 2, 20, BALL("0.5", "0") WATER, "", 0.05},
        {"ball through the surface", 3, 12, BALL("0.5", "0.45") WATER, "", 0.05},
        {"in one solve", 2, 20, WATER, "coupling: {solver: monolithic}\n", 1e-7},
        /* Viscosity sees what gravity does before the pressure takes it back. */
        {"viscous", 2, 20, "  viscosity: 1\n" WATER, "", 0.01},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_rest(&cases[i]);
}

/* Level for the water, slanting for the cells: at rest only where the pressure is that of air on
 * the surface itself. */
static double slanting_speed(const char *surface) {
    char text[512];
    snprintf(text, sizeof text,
             "plimsoll: 1\ndim: 2\ngravity: [\"=-9.81*sin(0.4)\", \"=-9.81*cos(0.4)\", 0]\n"
             "fluid:\n  cells: 20\n" TIGHT
             "  liquid: {surface: %s, level: \"=(x-0.5)*sin(0.4)+(y-0.53)*cos(0.4)\"}\n",
             surface);
    Fixture f = open_in(test_context(1), text);
    double fastest = 0;
    for (int s = 0; s < 10; s++) {
        step(&f, 0.01);
        fastest = fmax(fastest, figure(&f, "speed.max"));
    }
    close_scene(&f);
    print_message("slanting, %s: %.2g m/s\n", surface, fastest);
    return fastest;
}

static void test_orders(void **state) {
    (void)state;
    double second = slanting_speed("second_order"), first = slanting_speed("first_order");
    assert_true(first > 0.01 && first < 1);
    assert_true(second < 0.01 * first);
}

/* ---- in free fall ---- */

typedef struct Body {
    double volume; /* cells */
    Vec3 middle;   /* m */
    double spread; /* m^2, mean square distance from the middle */
} Body;

static Body measure_body(const Fluid *fluid) {
    Body body = {0, vec3(0, 0, 0), 0};
    for (int k = 0; k < fluid->grid.n[2]; k++)
        for (int j = 0; j < fluid->grid.n[1]; j++)
            for (int i = 0; i < fluid->grid.n[0]; i++) {
                double part = fluid->liquid.fraction[grid_cell_index(&fluid->grid, i, j, k)];
                Vec3 x = grid_cell_center(&fluid->grid, i, j, k);
                body.volume += part;
                body.middle = vec3_add_scaled(body.middle, part, x);
                body.spread += part * vec3_dot(x, x);
            }
    body.middle = vec3_scale(1 / body.volume, body.middle);
    body.spread = body.spread / body.volume - vec3_dot(body.middle, body.middle);
    return body;
}

/* A ball that nothing holds falls and stays a ball. Velocities are those of the middle of the step
 * to come, g (t + dt/2) exactly, and so places are of second order in time. */
static void test_free_fall(void **state) {
    (void)state;
    static const char *const texts[] = {
        "plimsoll: 1\ndim: 2\nfluid:\n  cells: 32\n" TIGHT
        "  liquid: {scheme: maccormack, shapes: [{place: {shape: {ball: {radius: 0.2}}, position: "
        "[0.5, 0.7, 0]}}]}\n",
        "plimsoll: 1\ndim: 2\nfluid:\n  cells: 32\n  storage: node\n" TIGHT
        "  liquid: {scheme: maccormack, shapes: [{place: {shape: {ball: {radius: 0.2}}, position: "
        "[0.5, 0.7, 0]}}]}\n",
        "plimsoll: 1\nfluid:\n  cells: 20\n" TIGHT
        "  liquid: {scheme: maccormack, shapes: [{place: {shape: {ball: {radius: 0.2}}, position: "
        "[0.5, 0.7, "
        "0.5]}}]}\n",
    };
    const double g = 9.81, dt = 0.005;
    const int steps = 40;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        Fixture f = open_in(test_context(1), texts[i]);
        Body before = measure_body(fluid_of(f.world));
        for (int s = 0; s < steps; s++) step(&f, dt);
        Body after = measure_body(fluid_of(f.world));
        double t = steps * dt, fallen = before.middle.y - after.middle.y;
        double expected = 0.5 * g * t * t;
        double speed = figure(&f, "speed.max"), led = g * (t + 0.5 * dt);
        print_message("%zu: fell %.5f m of %.5f, at %.5f m/s of %.5f; volume %.5f, spread "
                      "%.5f of what it was\n",
                      i, fallen, expected, speed, led, after.volume / before.volume,
                      after.spread / before.spread);
        assert_close(fallen / expected, 1, 0.005);
        assert_close(speed / led, 1, 1e-6);
        assert_close(after.middle.x, before.middle.x, 0.002);
        assert_close(after.volume / before.volume, 1, 0.005);
        assert_close(after.spread / before.spread, 1, 0.005);
        close_scene(&f);
    }
}

/* ---- what comes and goes ---- */

typedef struct Volumes {
    double fluid, wanted, poured, left, control; /* m^3 */
} Volumes;

static Volumes volumes_of(const Fixture *f) {
    return (Volumes){figure(f, "volume.fluid"), figure(f, "volume.wanted"),
                     figure(f, "volume.poured"), figure(f, "volume.left"),
                     figure(f, "volume.control")};
}

static void print_volumes(const char *name, Volumes v) {
    print_message("%s: volume %.5f, wanted %.5f, poured %.5f, left %.5f, control %.5f m^3\n", name,
                  v.fluid, v.wanted, v.poured, v.left, v.control);
}

/* A liquid whose volume is not what it should be. */
static Volumes run_control(bool control, double wrong) {
    char text[512];
    snprintf(text, sizeof text,
             "plimsoll: 1\ndim: 2\nfluid:\n  cells: 24\n"
             "  liquid: {level: \"=y-0.5\", volume_control: %s}\n",
             control ? "true" : "false");
    Fixture f = open_in(test_context(1), text);
    fluid_of(f.world)->liquid.account[FLUID_ACCOUNT_WANTED] *= wrong;
    for (int s = 0; s < 60; s++) step(&f, 0.02);
    Volumes v = volumes_of(&f);
    print_volumes(control ? "control" : "no control", v);
    close_scene(&f);
    return v;
}

static void test_volume_control(void **state) {
    (void)state;
    static const double factors[] = {1.06, 0.94, 1};
    for (int i = 0; i < 3; i++) {
        double wrong = factors[i];
        Volumes v = run_control(true, wrong);
        assert_close(v.wanted, 0.5 * wrong, 1e-12);
        assert_close(v.fluid, v.wanted, 0.001);
        assert_close(v.control, v.fluid - 0.5, 0.001);
    }
    Volumes v = run_control(false, 1.06);
    assert_close(v.fluid, 0.5, 1e-6);
    assert_close(v.control, 0, 0);
}

/* A tap above a pool, a drain in it, one after the other: the account is what there is. */
static void test_pouring(void **state) {
    (void)state;
    static const char text[] =
        "plimsoll: 1\ndim: 2\nfluid:\n  cells: 32\n  sides: {top: open}\n"
        "  liquid: {level: \"=y-0.3\"}\n"
        "  sources:\n"
        "    - {name: tap, shape: {box: {size: [0.2, 0.15, 1]}}, position: [0.3, 0.8, 0],\n"
        "       liquid: fill, velocity: [0, -1, 0], runs: \"=t<0.5\"}\n"
        "    - {name: drain, shape: {box: {size: [0.1, 0.1, 1]}}, position: [0.8, 0.05, 0],\n"
        "       liquid: drain, runs: \"=t>1\"}\n";
    Fixture f = open_in(test_context(1), text);
    Volumes start = volumes_of(&f);
    for (int s = 0; s < 100; s++) step(&f, 0.01);
    Volumes filled = volumes_of(&f);
    for (int s = 0; s < 100; s++) step(&f, 0.01);
    Volumes drained = volumes_of(&f);
    print_volumes("filled", filled);
    print_volumes("drained", drained);
    /* A stream 0.2 m wide at 1 m/s and faster, and what the tap holds. */
    assert_true(filled.poured > 0.1 && filled.poured < 0.2);
    double all = start.fluid + filled.poured;
    assert_close(filled.fluid, all, 0.02 * all);
    assert_true(drained.poured < filled.poured - 0.05);
    assert_close(drained.fluid, start.fluid + drained.poured, 0.02 * all);
    assert_close(drained.wanted, start.fluid + drained.poured - drained.left, 1e-12);
    close_scene(&f);
}

/* Liquid that comes in below the surface raises it. */
static void test_inflow(void **state) {
    (void)state;
    static const char text[] =
        "plimsoll: 1\ndim: 2\nfluid:\n  cells: 32\n"
        "  sides: {left: {kind: inflow, velocity: [\"=0.5*(y<0.25)\", 0, 0], level: \"=y-0.3\"}}\n"
        "  liquid: {level: \"=y-0.3\"}\n";
    Fixture f = open_in(test_context(1), text);
    for (int s = 0; s < 100; s++) step(&f, 0.01);
    Volumes v = volumes_of(&f);
    print_volumes("inflow", v);
    assert_close(v.poured, 0.125, 1e-4);
    assert_close(v.wanted, 0.3 + v.poured, 1e-12);
    assert_close(v.fluid, v.wanted, 0.02 * 0.125);
    close_scene(&f);
}

/* A spout in the wall brings its liquid in through air, however short the steps. */
static void test_spout(void **state) {
    (void)state;
    for (int short_steps = 0; short_steps < 2; short_steps++) {
        static const char text[] =
            "plimsoll: 1\ndim: 2\nfluid:\n  cells: 32\n  liquid: {level: \"=y-0.3\"}\n"
            "  sides: {left: {kind: inflow, velocity: [\"=0.5*(abs(y-0.625)<0.125)\", 0, 0], "
            "level: \"=abs(y-0.625)-0.125\"}}\n";
        Fixture f = open_in(test_context(1), text);
        int steps = short_steps ? 80 : 20;
        for (int s = 0; s < steps; s++) step(&f, 0.4 / steps);
        Volumes v = volumes_of(&f);
        print_volumes("spout", v);
        assert_close(v.poured, 0.05, 0.005);
        assert_close(v.fluid, 0.35, 0.02);
        close_scene(&f);
    }
}

/* A column leaves through an open side. */
static void test_open_side(void **state) {
    (void)state;
    static const char *const sides[] = {"right", "bottom"};
    for (int i = 0; i < 2; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "plimsoll: 1\ndim: 2\nfluid:\n  cells: 32\n  sides: {%s: open}\n"
                 "  liquid: {level: \"=y-0.5\"}\n",
                 sides[i]);
        Fixture f = open_in(test_context(1), text);
        for (int s = 0; s < 120; s++) step(&f, 0.0025);
        Volumes v = volumes_of(&f);
        print_volumes(sides[i], v);
        assert_true(v.left > 0.1);
        assert_close(v.fluid + v.left, 0.5, 0.02 * 0.5);
        close_scene(&f);
    }
}

/* All is drained, nothing is there for a while, then it is filled anew. */
static void test_gone(void **state) {
    (void)state;
    static const char *const storages[] = {"face", "node"};
    for (int i = 0; i < 2; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "plimsoll: 1\ndim: 2\nfluid:\n  cells: 16\n  storage: %s\n"
                 "  liquid: {level: \"=y-0.5\", volume_control: true}\n"
                 "  sources:\n"
                 "    - {name: plug, shape: {box: {size: [4, 4, 4]}}, liquid: drain, "
                 "runs: \"=(t>0.045)*(t<0.145)\"}\n"
                 "    - {name: tap, shape: {ball: {radius: 0.2}}, position: [0.5, 0.5, 0], "
                 "liquid: fill, runs: \"=t>0.145\"}\n",
                 storages[i]);
        Fixture f = open_in(test_context(1), text);
        for (int s = 0; s < 4; s++) step(&f, 0.01);
        assert_close(figure(&f, "volume.fluid"), 0.5, 1e-3);
        for (int s = 0; s < 10; s++) {
            step(&f, 0.01);
            assert_close(figure(&f, "volume.fluid"), 0, 0);
            assert_close(figure(&f, "energy.kinetic"), 0, 0);
        }
        assert_close(figure(&f, "volume.wanted"), 0, 1e-6);
        for (int s = 0; s < 5; s++) step(&f, 0.01);
        assert_true(figure(&f, "volume.fluid") > 0.1);
        close_scene(&f);
    }
}

/* ---- bits ---- */

#define BUSY_SOURCES                                                                               \
    "  obstacles: [{place: {shape: {ball: {radius: 0.12}}, position: [0.7, 0.2, 0.5]}}]\n"         \
    "  sources:\n"                                                                                 \
    "    - {name: tap, shape: {ball: {radius: 0.1}}, position: [0.8, 0.8, 0.5], liquid: fill,\n"   \
    "       velocity: [-1, -1, 0]}\n"                                                              \
    "    - {name: sink, shape: {ball: {radius: 0.12}}, position: [0.1, 0.1, 0.5], liquid: "        \
    "drain}\n"

static const char *const busy[] = {
    "plimsoll: 1\ndim: 2\nfluid:\n  cells: 40\n  cfl: 2\n  sides: {top: open}\n"
    "  liquid: {bubbles: true, reseed: 3, volume_control: true, shapes: [{box: {size: [0.8, 1.4, "
    "4]}}]}\n"
    "  obstacles: [{place: {shape: {ball: {radius: 0.12}}, position: [0.7, 0.2, 0]}}]\n"
    "  sources:\n"
    "    - {name: tap, shape: {ball: {radius: 0.1}}, position: [0.8, 0.8, 0], liquid: fill,\n"
    "       velocity: [-1, -1, 0]}\n"
    "    - {name: sink, shape: {ball: {radius: 0.12}}, position: [0.1, 0.1, 0], liquid: drain}\n",
    "plimsoll: 1\nfluid:\n  cells: 13\n  cfl: 2\n  viscosity: 0.5\n"
    "  liquid: {reseed: 3, shapes: [{box: {size: [0.8, 1.4, 4]}}]}\n" BUSY_SOURCES,
    "plimsoll: 1\nfluid:\n  cells: 13\n  cfl: 2\n  storage: node\n"
    "  liquid: {reseed: 3, shapes: [{box: {size: [0.8, 1.4, 4]}}]}\n" BUSY_SOURCES,
    "plimsoll: 1\ndim: 2\nfluid:\n  cells: 32\n  cfl: 2\n"
    "  sides: {left: periodic, right: periodic}\n"
    "  liquid: {reseed: 3, shapes: [{box: {size: [0.8, 1.4, 4]}}]}\n"
    "rigid:\n  bodies:\n"
    "    - {name: a, shape: {ball: {radius: 0.15}}, position: [0.6, 0.5, 0], density: 500}\n",
};

/* With `drop` caches are dropped and the state is saved and restored after random steps. */
static uint64_t hash_after(const char *text, int threads, uint64_t drop) {
    Fixture f = open_in(test_context(threads), text);
    for (uint64_t s = 0; s < (uint64_t)test_size(6, 4); s++) {
        step(&f, 0.02);
        if (drop == 0 || random_uniform(drop, 1, s) < 0.5) continue;
        PlimSnapshot *snapshot;
        assert_int_equal(plim_snapshot_create(f.world, &snapshot), PLIM_OK);
        if (s % 2) step(&f, 0.02); /* other counts of particles, other velocities */
        assert_int_equal(plim_world_drop_caches(f.world), PLIM_OK);
        assert_int_equal(plim_snapshot_restore(f.world, snapshot), PLIM_OK);
        plim_snapshot_destroy(snapshot);
    }
    uint64_t hash = plim_world_hash(f.world);
    close_scene(&f);
    return hash;
}

static void test_same_bits(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof busy / sizeof *busy; i++) {
        uint64_t hash = hash_after(busy[i], 1, 0);
        for (int threads = 2; threads <= 3; threads++)
            if (hash_after(busy[i], threads, 0) != hash)
                fail_msg("scene %zu: other bits with %d threads", i, threads);
        for (uint64_t drop = 11; drop <= 12; drop++)
            if (hash_after(busy[i], 1 + (int)(drop % 2), drop) != hash)
                fail_msg("scene %zu: other bits after a restart", i);
    }
}

/* ---- particles ---- */

static double sum_of(const Fixture *f, const char *const *names) {
    double sum = 0;
    for (; *names; names++) sum += figure(f, *names);
    return sum;
}

/* All that were made are there, or were taken away for a reason. */
static void test_fates(void **state) {
    (void)state;
    static const char *const made[] = {"particles.seeded", "particles.returned", NULL};
    static const char *const kept[] = {"particles.alive",           "removed.particles.escaped",
                                       "removed.particles.far",     "removed.particles.surplus",
                                       "removed.particles.outside", "removed.particles.buried",
                                       "removed.particles.merged",  NULL};
    static const char *const drops[] = {"drops.alive",
                                        "removed.drops.returned",
                                        "removed.drops.far",
                                        "removed.drops.outside",
                                        "removed.drops.buried",
                                        "removed.drops.merged",
                                        NULL};
    for (size_t i = 0; i < sizeof busy / sizeof *busy; i++) {
        Fixture f = open_in(test_context(1), busy[i]);
        for (int s = 0; s < test_size(12, 8); s++) step(&f, 0.02);
        assert_true(figure(&f, "particles.alive") > 100);
        assert_close(sum_of(&f, made), sum_of(&f, kept), 0);
        assert_close(figure(&f, "drops.made"), sum_of(&f, drops), 0);
        close_scene(&f);
    }
}

/* ---- memory ---- */

/* Steps that were taken once can be taken again without memory. */
static void test_no_allocation(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof busy / sizeof *busy; i++) {
        Fixture f = open_in(test_context(1), busy[i]);
        PlimSnapshot *start;
        step(&f, 0.02);
        assert_int_equal(plim_snapshot_create(f.world, &start), PLIM_OK);
        int steps = test_size(8, 5);
        for (int s = 0; s < steps; s++) step(&f, 0.02);
        uint64_t hash = plim_world_hash(f.world);
        assert_int_equal(plim_snapshot_restore(f.world, start), PLIM_OK);
        step(&f, 0.02); /* scratch becomes one block at the start of a step */
        uint64_t allocations = f.context->allocations;
        for (int s = 1; s < steps; s++) step(&f, 0.02);
        assert_true(f.context->allocations == allocations);
        assert_true(plim_world_hash(f.world) == hash);
        plim_snapshot_destroy(start);
        close_scene(&f);
    }
}

/* A step that runs out of memory says so, and nothing stays behind. */
static void test_starved_step(void **state) {
    (void)state;
    static const char *const texts[] = {
        "plimsoll: 1\ndim: 2\nfluid:\n  cells: 10\n  liquid: {reseed: 1, shapes: [{box: {size: "
        "[1, 1.2, 4]}}]}\n" BALL("0.2", "0"),
        "plimsoll: 1\ndim: 2\nfluid:\n  cells: 10\n  storage: node\n  viscosity: 0.5\n"
        "  liquid: {reseed: 1, level: \"=y-0.5\"}\n"
        "  sources: [{name: tap, shape: {ball: {radius: 0.2}}, position: [0.5, 0.8, 0], "
        "liquid: fill}]\n",
    };
    for (int i = 0; i < 2; i++) {
        long granted = 0;
        for (bool done = false; !done; granted++) {
            Ration ration = {.left = LONG_MAX};
            Fixture f = open_in(rationed_context(&ration), texts[i]);
            ration.left = granted;
            PlimStatus status = plim_world_step(f.world, 0.01);
            done = !ration.refused;
            assert_int_equal(status, done ? PLIM_OK : PLIM_OUT_OF_MEMORY);
            if (!done) assert_non_null(strstr(plim_message(f.context), "memory"));
            ration.left = LONG_MAX;
            close_scene(&f);
            assert_int_equal(ration.held, 0);
            assert_true(granted < 1000);
        }
        print_message("%ld requests in the first step\n", granted);
        assert_true(granted > 3);
    }
}

/* A frame of a liquid, too: its surface is made anew each time. */
static PlimStatus use_world(PlimContext *context, void *user) {
    const char *text = user;
    PlimScene *scene;
    PlimWorld *world = NULL;
    PlimStatus status = plim_scene_parse(context, "test.yaml", text, strlen(text), NULL, 0, &scene);
    if (status == PLIM_OK) status = plim_scene_create_world(scene, &world);
    if (status == PLIM_OK) {
        size_t mark = scratch_mark(&world->scratch);
        FrameView view;
        status = world_view_frame(world, &view);
        scratch_release(&world->scratch, mark);
    }
    plim_world_destroy(world);
    plim_scene_destroy(scene);
    return status;
}

static void test_starved_world(void **state) {
    (void)state;
    static char text[] =
        "plimsoll: 1\nfluid:\n  cells: 6\n  liquid: {level: \"=y-0.5\"}\n" BALL("0.2", "0.5");
    const Starved world = {.use = use_world, .user = text, .least = 50, .most = 2000};
    starve(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rest),         cmocka_unit_test(test_orders),
        cmocka_unit_test(test_free_fall),    cmocka_unit_test(test_volume_control),
        cmocka_unit_test(test_pouring),      cmocka_unit_test(test_inflow),
        cmocka_unit_test(test_spout),        cmocka_unit_test(test_open_side),
        cmocka_unit_test(test_gone),         cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_fates),        cmocka_unit_test(test_no_allocation),
        cmocka_unit_test(test_starved_step), cmocka_unit_test(test_starved_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
