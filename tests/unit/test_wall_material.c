/* Walls of a domain as bodies meet them: friction, restitution and belts, by formula, in a fluid
 * that is too light to count. */
#include "scene_fixture.h"

#include "world/domains.h"

enum { G = 10 }; /* m/s^2 */

typedef struct WallCase {
    const char *bottom, *body;
    double angle; /* of gravity, degrees */
} WallCase;

static Fixture open_case(const WallCase *c) {
    char text[1024];
    double angle = c->angle * M_PI / 180;
    snprintf(text, sizeof text,
             "plimsoll: 1\ndim: 2\ngravity: [%.17g, %.17g, 0]\n"
             "fluid: {cells: 16, domain: {high: [2, 1, 1]}, density: 1e-6, "
             "sides: {top: open, bottom: {%s}}}\n"
             "rigid:\n  bodies:\n"
             "    - {name: body, shape: {box: {size: [0.4, 0.3, 1]}}, density: 1000, %s}\n",
             G * sin(angle), -G * cos(angle), c->bottom, c->body);
    return open_in(test_context(1), text);
}

static void run(const Fixture *f, double time) {
    for (int s = 0; s < 100; s++) step(f, time / 100);
}

static double velocity_of(const Fixture *f, int axis) {
    return f->world->rigid->velocity[axis];
}

/* v = g (sin a - mu cos a) t, or it stays. */
static void test_slide(void **state) {
    (void)state;
    static const struct {
        const char *wall, *own;
        double mu; /* the greater of both */
    } cases[] = {
        {"friction: 0", "0", 0},       {"friction: 0.1", "0", 0.1},
        {"friction: 0.1", "0.3", 0.3}, {"kind: wall", "0", 0.5},
        {"friction: 0.6", "0.2", 0.6}, {"friction: {static: 0.5, kinetic: 0.2}", "0", 0.5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[200];
        snprintf(body, sizeof body, "position: [0.6, 0.15, 0], friction: %s", cases[i].own);
        Fixture f = open_case(&(WallCase){cases[i].wall, body, 20});
        run(&f, 0.3);
        double a = 20 * M_PI / 180;
        double expected = fmax(G * (sin(a) - cases[i].mu * cos(a)), 0) * 0.3;
        print_message("%s, body %s: %.6g m/s, by the formula %.6g\n", cases[i].wall, cases[i].own,
                      velocity_of(&f, 0), expected);
        assert_close(velocity_of(&f, 0), expected, 1e-4);
        close_scene(&f);
    }
}

/* What slides has the lesser friction. */
static void test_kinetic(void **state) {
    (void)state;
    Fixture f =
        open_case(&(WallCase){"friction: {static: 0.5, kinetic: 0.2}",
                              "position: [0.6, 0.15, 0], friction: 0, velocity: [1, 0, 0]", 20});
    run(&f, 0.3);
    double a = 20 * M_PI / 180;
    assert_close(velocity_of(&f, 0), 1 + G * (sin(a) - 0.2 * cos(a)) * 0.3, 1e-3);
    close_scene(&f);
}

static void test_restitution(void **state) {
    (void)state;
    static const struct {
        const char *wall;
        double e;
    } cases[] = {{"restitution: 1", 0.8}, {"restitution: 0.5", 0.5}, {"kind: wall", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Fixture f =
            open_case(&(WallCase){cases[i].wall, "position: [1, 0.35, 0], restitution: 0.8", 0});
        double met = 0, parts = 0;
        for (int s = 0; s < 250; s++) {
            double before = velocity_of(&f, 1);
            step(&f, 0.001);
            if (before < -1 && velocity_of(&f, 1) > before + 0.5) {
                met = before;
                parts = velocity_of(&f, 1);
            }
        }
        print_message("%s: %.4f to %.4f m/s\n", cases[i].wall, met, parts);
        assert_close(met, -2, 0.03); /* from 0.2 m */
        assert_close(parts, -cases[i].e * met, 0.02);
        close_scene(&f);
    }
}

/* v = mu g t until it goes along; backwards, too, and with the time. */
static void test_belt(void **state) {
    (void)state;
    static const struct {
        const char *wall;
        double time, expected; /* s, m/s */
    } cases[] = {{"velocity: [0.8, 0, 0], friction: 0.4", 0.1, 0.4},
                 {"velocity: [0.8, 0, 0], friction: 0.4", 0.4, 0.8},
                 {"velocity: [-0.8, 0, 0], friction: 0.4", 0.4, -0.8},
                 {"velocity: [\"=2*t\", 0, 0], friction: 0.4", 0.3, 0.6},
                 {"velocity: [\"=0.5*(x > 1)\", 0, 0], friction: 0.4", 0.4, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Fixture f =
            open_case(&(WallCase){cases[i].wall, "position: [0.5, 0.15, 0], friction: 0", 0});
        run(&f, cases[i].time);
        print_message("%s: %.6g m/s after %g s, by the formula %g\n", cases[i].wall,
                      velocity_of(&f, 0), cases[i].time, cases[i].expected);
        assert_close(velocity_of(&f, 0), cases[i].expected, 1e-3);
        assert_close(f.world->rigid->position[1], 0.15, 1e-4);
        close_scene(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_slide), cmocka_unit_test(test_kinetic),
                                       cmocka_unit_test(test_restitution),
                                       cmocka_unit_test(test_belt)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
