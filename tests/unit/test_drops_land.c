/* Momentum of a drop that carries volume: in flight it is the drop's, and when it lands the pool's,
 * along an axis without walls. */
#include "scene_fixture.h"

#include "fluid/internal.h"
#include "world/domains.h"

#include <math.h>

enum { N = 16 };

static Fluid *open_pool(Fixture *f, int dim, const char *storage) {
    char text[512];
    snprintf(text, sizeof text,
             "plimsoll: 1\ndim: %d\ngravity: [0, 0, 0]\n"
             "fluid:\n  cells: %d\n  storage: %s\n  tolerance: 1e-10\n"
             "  sides: {left: periodic, right: periodic}\n"
             "  liquid: {level: \"=y-0.5\"}\n",
             dim, N, storage);
    *f = open_in(test_context(2), text);
    return (Fluid *)fluid_of(f->world);
}

/* One that carries a third of what a cell holds: more would pool where it is. */
static void add_drop(Fluid *fluid, Vec3 position, Vec3 velocity) {
    double volume = grid_cell_volume(&fluid->grid) / 3;
    assert_int_equal(fluid_resize(fluid, FLUID_GROUP_DROPS, 1), PLIM_OK);
    vec3_store(fluid->liquid.drop_position, position);
    vec3_store(fluid->liquid.drop_velocity, velocity);
    fluid->liquid.drop_radius[0] = 0.5 * fluid->grid.spacing;
    fluid->liquid.drop_volume[0] = volume;
    fluid->liquid.drop_sign[0] = -1;
}

/* Of the liquid, along x, over density: each face holds half of the cells beside it. */
static double momentum_x(const Fluid *fluid) {
    const Grid *grid = &fluid->grid;
    double sum = 0;
    for (int k = 0; k < grid->n[2]; k++)
        for (int j = 0; j < grid->n[1]; j++)
            for (int i = 0; i < grid->n[0]; i++) {
                int before = (i + grid->n[0] - 1) % grid->n[0];
                double part = fluid->liquid.fraction[grid_cell_index(grid, i, j, k)] +
                              fluid->liquid.fraction[grid_cell_index(grid, before, j, k)];
                sum += 0.5 * part * fluid->velocity_x[grid_face_index(grid, 0, i, j, k)];
            }
    return sum * grid_cell_volume(grid);
}

static void check_landing(int dim, const char *storage, Vec3 velocity) {
    Fixture f;
    Fluid *fluid = open_pool(&f, dim, storage);
    double volume = grid_cell_volume(&fluid->grid) / 3, before = fluid_liquid_volume(fluid);
    add_drop(fluid, vec3(0.4, 0.6, dim == 3 ? 0.5 : 0), velocity);
    int steps = 0;
    for (; fluid->sizes[FLUID_GROUP_DROPS].count > 0 && steps < 20; steps++) step(&f, 0.01);
    assert_true(steps > 1 && steps < 20);
    double found = momentum_x(fluid) / (volume * velocity.x);
    print_message("%dD, %s, %g m/s along: %.4f of the drop's momentum\n", dim, storage, velocity.x,
                  found);
    assert_close(found, 1, 0.05);
    for (int s = 0; s < 3; s++) step(&f, 0.01);
    assert_close(fluid_liquid_volume(fluid), before + volume, 1e-6);
    close_scene(&f);
}

static void momentum_is_handed_back(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        check_landing(dim, "face", vec3(1, -2, 0));
        check_landing(dim, "face", vec3(-3, -2, 0));
    }
    check_landing(2, "node", vec3(1, -2, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(momentum_is_handed_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
