/* Buoyancy with a free surface: volumes of cut cells, the force on bodies under still water. */
#include "scene_fixture.h"

#include "fluid/internal.h"
#include "grid/liquid_fraction.h"
#include "scene/scene.h"
#include "world/domains.h"

enum { CELLS = 14 };
#define HEAD "plimsoll: 1\ndim: %d\nfluid:\n  cells: %d\n  tolerance: 1e-10\n"
#define POOL "  liquid: {level: \"=y-0.83\", particles: 0}\n"

typedef struct Held {
    const char *name, *shape;
    int dim;
    double volume; /* m^3, or m^2 in two dimensions */
} Held;

static const Held held[] = {
    {"box", "{box: {size: [0.4, 0.45, 0.5]}}", 3, 0.4 * 0.45 * 0.5},
    {"ball", "{ball: {radius: 0.22}}", 3, 4 * 3.14159265358979 / 3 * 0.22 * 0.22 * 0.22},
    {"square", "{box: {size: [0.4, 0.45, 4]}}", 2, 0.4 * 0.45},
};

static Fixture open_held(const Held *body, const char *motion, double angle) {
    char text[1024];
    snprintf(text, sizeof text,
             HEAD POOL "rigid:\n  bodies:\n    - name: body\n      motion: %s\n      shape: %s\n"
                       "      position: [0.513, 0.437, %s]\n      density: 1100\n"
                       "      orientation: {axis: [%s, 3], angle: %g}\n",
             body->dim, CELLS, motion, body->shape, body->dim == 3 ? "0.492" : "0",
             body->dim == 3 ? "1, 2" : "0, 0", angle);
    return open_in(test_context(1), text);
}

static void find_parts(const Fluid *fluid, double *part) {
    for (size_t cell = 0; cell < grid_cell_count(&fluid->grid); cell++) {
        int at[3];
        grid_cell_place(&fluid->grid, cell, at);
        part[cell] = fluid_cell_part(fluid, at);
        assert_true(part[cell] >= 0 && part[cell] <= 1);
    }
}

static double displaced(const Fluid *fluid) {
    double sum = 0, part[CELLS * CELLS * CELLS];
    find_parts(fluid, part);
    for (size_t cell = 0; cell < grid_cell_count(&fluid->grid); cell++) sum += 1 - part[cell];
    return sum * grid_cell_volume(&fluid->grid);
}

/* Bodies of six cells, edges and corners among them: the volume is theirs, and the water loses no
 * more. */
static void test_held(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof held / sizeof *held; i++)
        for (double angle = 0; angle < 90; angle += 17) {
            Fixture f = open_held(&held[i], "static", angle);
            const Fluid *fluid = fluid_of(f.world);
            double volume = displaced(fluid) / held[i].volume;
            step(&f, 0.02);
            step(&f, 0.02);
            Vec3 force = vec3_scale(1 / (1000 * 9.81 * held[i].volume), fluid->loads.data[0].force);
            print_message("%s turned by %g: volume %.5f, force %.5f %.5f %.5f\n", held[i].name,
                          angle, volume, force.x, force.y, force.z);
            assert_close(volume, 1, 0.003);
            assert_close(force.y, volume, 1e-4);
            assert_close(force.x, 0, 1e-4);
            assert_close(force.z, 0, 1e-4);
            close_scene(&f);
        }
}

/* A body sinks: what is found anew only where it was and is, is what is found everywhere. */
static void test_moved(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof held / sizeof *held; i++) {
        Fixture f = open_held(&held[i], "dynamic", 25);
        Fluid *fluid = fluid_of(f.world);
        for (int s = 0; s < 12; s++) {
            step(&f, 0.02);
            displaced(fluid);
        }
        double part[CELLS * CELLS * CELLS] = {0}, again[CELLS * CELLS * CELLS] = {0};
        find_parts(fluid, part);
        fluid_forget_parts(fluid, true);
        find_parts(fluid, again);
        assert_memory_equal(part, again, sizeof part);
        close_scene(&f);
    }
}

/* Values that are linear are cut exactly. */
static void test_fraction(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (double level = 0; level <= 2; level += 0.25) {
            double value[3][3][3];
            for (int c = 0; c < 3; c++)
                for (int b = 0; b < 3; b++)
                    for (int a = 0; a < 3; a++) value[c][b][a] = b - level;
            assert_close(positive_fraction(value, dim), 1 - 0.5 * level, 1e-14);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fraction),
        cmocka_unit_test(test_held),
        cmocka_unit_test(test_moved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
