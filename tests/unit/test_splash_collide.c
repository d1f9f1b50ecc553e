/* Particles of a splashing liquid against walls, boxes, balls and what is made of them: nothing
 * ends inside or outside the domain, thin things hold, normals and velocities are right. */
#include "splash_obstacle_case.h"

#include "base/random.h"

static bool is_inside_domain(const Grid *grid, Vec3 x) {
    for (int axis = 0; axis < grid->dim; axis++) {
        double at = (vec3_component(x, axis) - vec3_component(grid->origin, axis)) / grid->spacing;
        if (!(at > 0 && at < grid->n[axis] && floor(at) < grid->n[axis])) return false;
    }
    return true;
}

/* A place in the domain and outside obstacles. */
static Vec3 free_place(const Splash *splash, uint64_t stream, uint64_t index) {
    const Grid *grid = &splash->grid;
    for (uint64_t attempt = 0;; attempt++) {
        double at[3] = {0, 0, 0};
        for (int a = 0; a < grid->dim; a++)
            at[a] = grid->n[a] * random_uniform(stream + (uint64_t)a, index, attempt);
        Vec3 x = vec3_add_scaled(grid->origin, grid->spacing, vec3_load(at));
        if (splash_distance_to_obstacles(splash, x) >= 0) return x;
    }
}

/* Random ways of up to two cells along each axis from free places; returns how many hit. */
static size_t check_collisions(const Splash *splash, size_t count) {
    size_t hits = 0;
    double h = splash->grid.spacing;
    for (uint64_t i = 0; i < count; i++) {
        Vec3 from = free_place(splash, 20, i), to = from;
        SplashHit found;
        double way[3] = {0, 0, 0};
        for (int a = 0; a < splash->grid.dim; a++)
            way[a] = 2 * h * (2 * random_uniform(30 + (uint64_t)a, 0, i) - 1);
        Vec3 wanted = to = vec3_add(from, vec3_load(way));
        bool hit = splash_collide(splash, from, &to, &found);
        assert_true(is_inside_domain(&splash->grid, to));
        assert_true(splash_distance_to_obstacles(splash, to) >= 0);
        if (!hit) assert_memory_equal(&to, &wanted, sizeof to);
        if (hit) assert_close(vec3_length(found.normal), 1, 1e-12);
        assert_true(vec3_length(vec3_sub(to, from)) < 4 * sqrt(3) * h);
        hits += hit;
    }
    return hits;
}

static void check_shape(int dim, const Solid *solid, size_t least) {
    Grid grid = make_grid(dim, 10, 9, 8);
    Case *test = case_create(&grid, 1, 4, false);
    add_collider(test, solid, AT_REST);
    place(test, true);
    assert_true(check_collisions(&test->splash, 20000) > least);
    case_destroy(test);
}

static void test_nothing_ends_inside(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        double z = dim == 3 ? 3 : 0;
        Solid ball = solid_default(SOLID_BALL);
        ball.position = vec3(-0.2, 1.4, z);
        check_shape(dim, &ball, 3000);
        Solid box = make_box(-0.3, 0.6, z, 1.03, 0.87, 0.94); /* stands in the floor */
        check_shape(dim, &box, 3000);
        box.orientation = quat_exp(vec3(0, 0, 0.4));
        check_shape(dim, &box, 3000);
        /* A gap of a tenth of a cell, a seam, and two that overlap. */
        Solid several[4] = {make_box(-0.8, 1.2, z, 0.5, 0.9, 1),
                            make_box(-0.275, 1.2, z, 0.5, 1, 1),
                            make_box(0.225, 1.3, z, 0.5, 0.7, 1), ball};
        several[3].position.x += 0.6;
        Solid all = solid_default(SOLID_UNION);
        all.children = several;
        all.child_count = 4;
        check_shape(dim, &all, 3000);
        Solid less = solid_default(SOLID_DIFFERENCE); /* a bowl */
        Solid bowl[2] = {make_box(-0.3, 1.0, z, 1.5, 1, 1.2), ball};
        less.children = bowl;
        less.child_count = 2;
        check_shape(dim, &less, 3000);
    }
}

/* A plate thinner than a step: nothing gets to its other side. */
static void test_thin_plate_holds(void **state) {
    (void)state;
    Grid grid = make_grid(3, 10, 9, 8);
    Solid plate = make_box(-0.3, 1.5, 3, 9, 0.6 * grid.spacing, 9);
    Case *test = case_create(&grid, 1, 4, false);
    add_collider(test, &plate, AT_REST);
    place(test, true);
    for (uint64_t i = 0; i < 5000; i++) {
        Vec3 from = free_place(&test->splash, 40, i), to = from;
        SplashHit found;
        to.x += grid.spacing * (2 * random_uniform(50, 0, i) - 1);
        to.y += 4 * grid.spacing * (random_uniform(50, 1, i) - 0.5);
        splash_collide(&test->splash, from, &to, &found);
        assert_true((from.y > 1.5) == (to.y > 1.5));
        assert_true(splash_distance_to_obstacles(&test->splash, to) >= 0);
    }
    case_destroy(test);
}

static void test_normals_and_velocities(void **state) {
    (void)state;
    Grid grid = make_grid(3, 10, 9, 8);
    grid.sides[1][1] = SIDE_OPEN;
    Solid ball = solid_default(SOLID_BALL);
    Case *test = case_create(&grid, 1, 4, false);
    test->places[0] = (Collider){.orientation = quat_identity(),
                                 .position = {-0.3, 1.5, 3},
                                 .velocity = {1, 2, 3},
                                 .angular_velocity = {0, 0, 2}};
    add_collider(test, &ball, 0);
    place(test, true);
    SplashHit found;
    Vec3 from = vec3(-1.4, 1, 3), to = vec3(-1.6, 1.1, 3);
    assert_true(splash_collide(&test->splash, from, &to, &found));
    assert_true(found.normal.x == 1 && found.normal.y == 0 && found.normal.z == 0);
    assert_true(found.velocity.x == 0 && found.velocity.y == 0 && found.velocity.z == 0);
    assert_true(to.x > -1.5 && to.x < -1.5 + 1e-8 && to.y == 1.1);
    from = vec3(-0.3, 1.05, 3);
    to = vec3(-0.3, 0.95, 3); /* to the floor below it, and not there */
    assert_false(splash_collide(&test->splash, from, &to, &found));
    from = vec3(-0.3, 2.1, 3);
    to = vec3(-0.3, 1.9, 3);
    assert_true(splash_collide(&test->splash, from, &to, &found));
    assert_close(to.y, 2, 1e-6);
    assert_close(found.normal.y, 1, 1e-9);
    assert_close(found.velocity.x, 1 - 2 * 0.5, 1e-5);
    assert_close(found.velocity.y, 2, 1e-5);
    from = vec3(-1, 2.7, 3);
    to = vec3(-1, 2.9, 3); /* through the open side */
    assert_false(splash_collide(&test->splash, from, &to, &found));
    assert_true(to.y == 2.9);
    /* The ball comes over particles at rest. */
    test->places[0].position.x += 0.3;
    place(test, false);
    for (uint64_t i = 0; i < 1000; i++) {
        double u = random_uniform(7, 0, i), v = random_uniform(7, 1, i);
        from = to = vec3(-0.5 + u, 1 + v, 3.1);
        splash_collide(&test->splash, from, &to, &found);
        assert_true(splash_distance_to_obstacles(&test->splash, to) >= 0);
    }
    case_destroy(test);
}

/* Even the middle of a box, which has no direction out, and a corner of the domain. */
static void test_covered_particles_come_out(void **state) {
    (void)state;
    Grid grid = make_grid(3, 10, 9, 8);
    Solid pair[2] = {make_box(-0.3, 1.5, 3, 1, 1, 1), make_box(0.7, 1.5, 3, 1, 1, 1)};
    Solid both = solid_default(SOLID_UNION);
    both.children = pair;
    both.child_count = 2;
    Case *test = case_create(&grid, 1, 4, false);
    add_collider(test, &both, AT_REST);
    place(test, true);
    for (uint64_t i = 0; i < 2000; i++) {
        Vec3 from = vec3(-0.8 + 2 * random_uniform(8, 0, i), 1 + random_uniform(8, 1, i),
                         2.5 + random_uniform(8, 2, i));
        if (i == 0) from = pair[0].position;
        Vec3 to = from;
        SplashHit found;
        assert_true(splash_collide(&test->splash, from, &to, &found));
        assert_true(splash_distance_to_obstacles(&test->splash, to) >= 0);
        assert_true(is_inside_domain(&grid, to));
    }
    case_destroy(test);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_ends_inside),
        cmocka_unit_test(test_thin_plate_holds),
        cmocka_unit_test(test_normals_and_velocities),
        cmocka_unit_test(test_covered_particles_come_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
