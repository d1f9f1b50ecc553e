/* What a splashing liquid exerts on solids: faces that a body covers add up to its volume, H and
 * its transpose, columns of the solve, what pins leave free, momentum of a step, memory. */
#include "scene_fixture.h"

#include "base/random.h"
#include "splash/faces.h"
#include "world/world.h"

#define POOL                                                                                       \
    "plimsoll: 1\n"                                                                                \
    "dim: %d\n"                                                                                    \
    "splash:\n"                                                                                    \
    "  domain: {low: [0, 0, 0], high: [1, 1, 1]}\n"                                                \
    "  cells: 12\n%s"                                                                              \
    "  liquids: [{name: water, shape: {box: {size: [4, 1.1, 4]}}}]\n"                              \
    "rigid:\n"                                                                                     \
    "  bodies:\n"                                                                                  \
    "    - {name: crate, shape: {box: {size: [0.3, 0.25, 0.35]}}, density: 600,\n"                 \
    "       position: [0.47, 0.5, %g], orientation: {axis: [0, 0, 1], angle: 20}%s}\n"             \
    "    - {name: post, motion: static, shape: {box: {size: [0.2, 0.4, 9]}},\n"                    \
    "       position: [0.85, 0.2, %g]}\n"

/* `of_splash` and `of_crate`: more keys. */
static Fixture open_pool(int dim, const char *of_splash, const char *of_crate) {
    char text[1024];
    double middle = dim == 3 ? 0.52 : 0;
    snprintf(text, sizeof text, POOL, dim, of_splash, middle, of_crate, middle);
    return open_scene(text);
}

static Splash *splash_of(const Fixture *f) {
    return world_find_system(f->world, &splash_class, NULL);
}

/* ---- faces ---- */

/* Shares of faces across each axis add up to what the body displaces, in cells. */
static void test_faces_add_up(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        Fixture f = open_pool(dim, "", "");
        const Splash *splash = splash_of(&f);
        double cells = 0.3 * 0.25 * (dim == 3 ? 0.35 : 1) / grid_cell_volume(&splash->grid);
        double sum[3] = {0};
        const SplashSolid *crate = &splash->push.solids.data[0];
        assert_true(crate->pushed == 0 && splash->push.solids.data[1].pushed == SIZE_MAX);
        for (size_t i = 0; i < crate->faces.count; i++)
            sum[crate->faces.data[i].axis] += crate->faces.data[i].covered;
        for (int axis = 0; axis < dim; axis++) assert_close(sum[axis], cells, 0.03 * cells);
        close_scene(&f);
    }
}

/* Bodies apart: together they cover what the grid says is covered. */
static void test_faces_are_the_grids(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        Fixture f = open_pool(dim, "", "");
        const Splash *splash = splash_of(&f);
        for (int axis = 0; axis < dim; axis++) {
            size_t count = grid_face_count(&splash->padded, axis);
            double *covered = calloc(count, sizeof *covered);
            for (size_t s = 0; s < splash->push.solids.count; s++) {
                const SplashSolid *solid = &splash->push.solids.data[s];
                for (size_t i = 0; i < solid->faces.count; i++)
                    if (solid->faces.data[i].axis == axis)
                        covered[solid->faces.data[i].face] += solid->faces.data[i].covered;
            }
            for (size_t face = 0; face < count; face++)
                if (covered[face] > 0)
                    assert_close(covered[face], 1 - splash->fraction[axis][face], 1e-12);
            free(covered);
        }
        close_scene(&f);
    }
}

/* ---- the operator ---- */

/* After a step: kinds, weights and rows are those of its solve. */
static void check_operator(int dim, const char *of_crate, int free_motions) {
    Fixture f = open_pool(dim, "", of_crate);
    Splash *splash = splash_of(&f);
    for (int s = 0; s < 3; s++) step(&f, 0.005);
    size_t cells = grid_cell_count(&splash->padded);
    double *p = calloc(cells, sizeof *p), *image = calloc(cells, sizeof *image);
    double *other = calloc(cells, sizeof *other), v[6], impulse[6];
    for (size_t c = 0; c < cells; c++) p[c] = random_normal(3, 1, c);
    for (uint64_t i = 0; i < 6; i++) v[i] = random_normal(3, 2, i);
    assert_true(splash->push.rows.count > 10);
    /* p^T (rho H v) = rho v^T (H^T p) */
    double left = 0, right = 0, scale = 0;
    splash_push_out(splash, v, image);
    splash_push_impulses(splash, p, impulse);
    for (size_t c = 0; c < cells; c++) {
        left += p[c] * image[c];
        scale += fabs(p[c] * image[c]);
    }
    for (int i = 0; i < 6; i++) right += splash->desc.density * v[i] * impulse[i];
    assert_close(left, right, 1e-12 * scale);
    /* C C^T p = rho H N H^T p */
    BoundedColumns columns;
    double found[6], motion[6] = {0};
    assert_int_equal(splash_push_columns(splash, splash->desc.density, &columns), PLIM_OK);
    memset(splash->push.bodies.data[0].velocity, 0, sizeof found);
    splash_push_velocities(splash, impulse, found);
    memset(image, 0, cells * sizeof *image);
    splash_push_out(splash, found, image);
    for (size_t e = 0; e < columns.entry_count; e++)
        for (int i = 0; i < 6; i++)
            motion[i] += columns.entries[e].value[i] * p[columns.entries[e].cell];
    for (size_t e = 0; e < columns.entry_count; e++)
        for (int i = 0; i < 6; i++)
            other[columns.entries[e].cell] += columns.entries[e].value[i] * motion[i];
    for (size_t c = 0; c < cells; c++) scale = fmax(scale, fabs(image[c]));
    for (size_t c = 0; c < cells; c++) assert_close(image[c], other[c], 1e-9 * scale);
    /* N is symmetric, and of the motions that are free. */
    int rank = 0;
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++)
            assert_close(splash->push.bodies.data[0].inverse_mass[i][j],
                         splash->push.bodies.data[0].inverse_mass[j][i], 1e-12);
        double most = 0;
        for (size_t e = 0; e < columns.entry_count; e++)
            most = fmax(most, fabs(columns.entries[e].value[i]));
        rank += most > 1e-9;
    }
    assert_int_equal(rank, free_motions);
    free(p);
    free(image);
    free(other);
    close_scene(&f);
}

static void test_operator(void **state) {
    (void)state;
    check_operator(2, "", 3);
    check_operator(3, "", 6);
    check_operator(3, ", pin: [0.4, 0.55, 0.52]", 3);
    check_operator(2, ", pin: [0.4, 0.55, 0]", 1);
    check_operator(3, ", lock_rotation: true", 3);
}

/* ---- momentum ---- */

static Vec3 liquid_momentum(const Splash *splash) {
    Vec3 sum = vec3(0, 0, 0);
    for (size_t p = 0; p < splash->sizes[SPLASH_GROUP_PARTICLES].count; p++)
        sum = vec3_add(sum,
                       vec3(splash->velocity_x[p], splash->velocity_y[p], splash->velocity_z[p]));
    return vec3_scale(splash->particle_mass, sum);
}

/* What the liquid gains in a step gravity gave it, or it is missing from solids and walls. */
static void check_momentum(int dim, const char *of_splash, double tolerance) {
    Fixture f = open_pool(dim, of_splash, "");
    Splash *splash = splash_of(&f);
    const RigidBodies *rigid = f.world->rigid;
    double mass = splash->particle_mass * (double)splash->sizes[SPLASH_GROUP_PARTICLES].count;
    for (int s = 0; s < 40; s++) {
        const double dt = 0.005;
        Vec3 before = liquid_momentum(splash), body = vec3_load(rigid->velocity);
        double kick = splash_kick(splash, dt);
        step(&f, dt);
        Vec3 gain = vec3_sub(liquid_momentum(splash), before);
        gain = vec3_sub(gain, vec3(0, -9.81 * mass * kick, 0));
        const SplashSolid *crate = &splash->push.solids.data[0];
        Vec3 got = vec3_add(crate->force, splash->push.solids.data[1].force);
        for (int axis = 0; axis < dim; axis++)
            for (int end = 0; end < 2; end++)
                got = vec3_add(got, splash->push.side_force[axis][end]);
        /* The first step has half a kick, in which hits are few. */
        double least = s == 0 ? 1e-2 : tolerance;
        assert_close(vec3_length(vec3_add_scaled(gain, kick, got)), 0, least * mass);
        Vec3 fall = vec3_sub(vec3_load(rigid->velocity), body);
        fall = vec3_sub(fall, vec3(0, -9.81 * dt, 0));
        assert_close(
            vec3_length(vec3_sub(vec3_scale(rigid->mass[0], fall), vec3_scale(dt, crate->force))),
            0, 1e-9 * mass);
    }
    close_scene(&f);
}

static void test_momentum_is_kept(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        check_momentum(dim, "", 1e-10);
        check_momentum(dim, "  viscosity: 8\n",
                       1e-5); /* faces with next to no mass have a little more */
        check_momentum(dim, "  transfer: apic\n  path: trapezoidal\n", 1e-10);
        check_momentum(dim, "  densities: matrix\n", 1e-10);
    }
}

/* Once warm, stepping takes no more memory. */
static void test_memory_stays(void **state) {
    (void)state;
    Fixture f = open_pool(2, "", "");
    for (int s = 0; s < 100; s++) step(&f, 0.005);
    size_t bytes = plim_context_bytes(f.context);
    for (int s = 0; s < 60; s++) step(&f, 0.005);
    assert_int_equal(plim_context_bytes(f.context), bytes);
    close_scene(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faces_add_up), cmocka_unit_test(test_faces_are_the_grids),
        cmocka_unit_test(test_operator),     cmocka_unit_test(test_momentum_is_kept),
        cmocka_unit_test(test_memory_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
