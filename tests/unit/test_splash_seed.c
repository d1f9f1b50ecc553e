/* The first particles of a splashing liquid: as much as its shape holds, whole layers where it is
 * level, and each site once. */
#include "check.h"

#include "splash/internal.h"

enum { CELLS = 24, DEEP = 8 };

/* Particles of a column in a corner, `wide` by `high` cells, with up along the given axis. */
static size_t seeded(int dim, double wide, double high, Vec3 up, int copies) {
    PlimContext *context = test_context(2);
    SplashDesc desc = splash_desc_default();
    desc.grid = (Grid){.dim = dim, .n = {CELLS, CELLS, dim == 3 ? DEEP : 1}, .spacing = 0.1};
    desc.up = up;
    Solid column = solid_default(SOLID_BOX);
    column.size[0] = 0.2 * wide; /* its middle lies in the corner */
    column.size[1] = 0.2 * high;
    column.size[2] = 10;
    SplashLiquid liquids[2] = {{.name = "water", .solid = &column}};
    liquids[1] = liquids[0];
    desc.liquids = liquids;
    desc.liquid_count = (size_t)copies;
    Splash *splash;
    assert_int_equal(splash_create(context, &desc, &splash), PLIM_OK);
    size_t count = splash_count(splash);
    assert_close(splash_overlap(splash), (copies - 1) * (double)count * splash_particle_mass(&desc),
                 1e-9);
    splash_class.destroy(splash);
    test_context_close(context);
    return count;
}

static void a_column_has_its_volume(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (double wide = 5; wide < 6; wide += 0.0831) {
            double layer = dim == 3 ? 2 * 12 * 2 * DEEP : 2 * 12, wanted = 2 * wide * layer;
            double count = (double)seeded(dim, wide, 12, vec3(0, 1, 0), 1);
            assert_true(fabs(count - wanted) <= 0.02 * layer + 2);
        }
}

static void a_face_on_the_lattice_takes_all_or_none(void **state) {
    (void)state;
    assert_int_equal(seeded(2, 5.5, 12, vec3(0, 1, 0), 1), 11 * 24);
    assert_int_equal(seeded(3, 5, 12, vec3(0, 1, 0), 1), 10 * 24 * 2 * DEEP);
}

static void level_faces_have_whole_layers(void **state) {
    (void)state;
    assert_int_equal(seeded(2, 5, 11.8, vec3(0, 1, 0), 1), 10 * 24);
    assert_int_equal(seeded(2, 5, 11.7, vec3(0, 1, 0), 1), 10 * 23);
    assert_int_equal(seeded(2, 5.7, 12, vec3(-1, 0, 0), 1), 11 * 24);
}

static void overlaps_count_once(void **state) {
    (void)state;
    assert_int_equal(seeded(2, 5.3, 11.6, vec3(0, 1, 0), 2),
                     seeded(2, 5.3, 11.6, vec3(0, 1, 0), 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_has_its_volume),
        cmocka_unit_test(a_face_on_the_lattice_takes_all_or_none),
        cmocka_unit_test(level_faces_have_whole_layers),
        cmocka_unit_test(overlaps_count_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
