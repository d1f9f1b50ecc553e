/* Obstacles of a splashing liquid on the grid: walls exactly, boxes against quadrature of eq. 3.13
 * (001), volume, agreement with what particles rasterise to, bodies that move, sharp faces. */
#include "splash_obstacle_case.h"

#include "base/random.h"

#include <string.h>

static double part_of_cell(const Splash *splash, int i, int j, int k) {
    return splash->most[grid_cell_index(&splash->padded, i, j, k)] / splash->desc.density;
}

static double part_of_face(const Splash *splash, int axis, int i, int j, int k) {
    return splash->fraction[axis][grid_face_index(&splash->padded, axis, i, j, k)];
}

/* ---- blurred obstacles ---- */

/* Whether a padded cell lies in the domain. */
static bool is_in_grid(const Grid *grid, int i, int j, int k) {
    bool inside = i >= 1 && i <= grid->n[0] && j >= 1 && j <= grid->n[1];
    return inside && (grid->dim == 2 || (k >= 1 && k <= grid->n[2]));
}

/* Of faces of cells in the domain, number `at` of those across an axis. */
static bool is_on_wall(const Grid *grid, int axis, int at) {
    return (at == 1 && grid->sides[axis][0] == SIDE_WALL) ||
           (at == grid->n[axis] + 1 && grid->sides[axis][1] == SIDE_WALL);
}

/* Walls take nothing of the cells before them, and nothing passes them. */
static void check_walls(int dim, int samples) {
    Grid grid = make_grid(dim, 6, 5, 4);
    grid.sides[0][1] = SIDE_OPEN;
    grid.sides[1][1] = SIDE_OPEN;
    Case *test = case_create(&grid, 1, samples, false);
    place(test, true);
    const Splash *splash = &test->splash;
    const int *n = splash->padded.n;
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++) {
                if (!is_in_grid(&grid, i, j, k)) continue;
                assert_true(part_of_cell(splash, i, j, k) == 1);
                for (int axis = 0; axis < dim; axis++)
                    for (int end = 0; end < 2; end++) {
                        int at[3] = {i, j, k};
                        at[axis] += end;
                        double free = is_on_wall(&grid, axis, at[axis]) ? 0 : 1;
                        assert_true(part_of_face(splash, axis, at[0], at[1], at[2]) == free);
                    }
            }
    case_destroy(test);
}

static void test_walls_are_exact(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int samples = 2; samples <= 8; samples += 2) check_walls(dim, samples);
}

static double hat(double x) {
    return fmax(0, 1 - fabs(x));
}

/* Eq. 3.13 at a point by fine quadrature; walls on all sides mirror what is inside. */
static double free_part(const Grid *grid, const Solid *solid, Vec3 x, int fine) {
    double inside = 0, all = 0, h = grid->spacing;
    int nz = grid->dim == 3 ? 2 * fine : 1;
    for (int k = 0; k < nz; k++)
        for (int j = 0; j < 2 * fine; j++)
            for (int i = 0; i < 2 * fine; i++) {
                double a = (i + 0.5) / fine - 1, b = (j + 0.5) / fine - 1;
                double c = grid->dim == 3 ? (k + 0.5) / fine - 1 : 0;
                double weight = hat(a) * hat(b) * hat(c);
                Vec3 p = vec3_add(x, vec3_scale(h, vec3(a, b, c)));
                double at[3];
                vec3_store(at, p);
                for (int axis = 0; axis < grid->dim; axis++) {
                    double low = vec3_component(grid->origin, axis);
                    double high = low + grid->n[axis] * h;
                    if (at[axis] < low) at[axis] = 2 * low - at[axis];
                    if (at[axis] > high) at[axis] = 2 * high - at[axis];
                }
                bool out = solid_distance(solid, vec3_load(at)) < 0;
                all += weight;
                inside += out ? 0 : weight;
            }
    return inside / all;
}

/* Integral of the hat about 0 from below to x. */
static double hat_below(double x) {
    if (x <= -1) return 0;
    if (x >= 1) return 1;
    return x < 0 ? 0.5 * (1 + x) * (1 + x) : 1 - 0.5 * (1 - x) * (1 - x);
}

/* The kernel's part between two places along an axis, in cells from its middle. */
static double hat_between(double low, double high) {
    return hat_below(high) - hat_below(low);
}

/* The same in closed form for a box in the domain that is not turned, and its images. */
static double free_part_beside_box(const Grid *grid, const Solid *box, Vec3 x) {
    double solid = 1, h = grid->spacing;
    for (int axis = 0; axis < grid->dim; axis++) {
        double at = vec3_component(x, axis), wall = vec3_component(grid->origin, axis);
        double opposite = wall + grid->n[axis] * h;
        double middle = vec3_component(box->position, axis), half = 0.5 * box->size[axis];
        double low = middle - half, high = middle + half;
        solid *= hat_between((low - at) / h, (high - at) / h) +
                 hat_between((2 * wall - high - at) / h, (2 * wall - low - at) / h) +
                 hat_between((2 * opposite - high - at) / h, (2 * opposite - low - at) / h);
    }
    return 1 - solid;
}

static double reference(const Grid *grid, const Solid *solid, Vec3 x) {
    if (solid->orientation.w == 1) return free_part_beside_box(grid, solid, x);
    return free_part(grid, solid, x, grid->dim == 3 ? 12 : 64); /* not the lattice of samples */
}

/* Largest error of cells and faces, of some of them. */
static double blur_error(int dim, const Solid *solid, int samples) {
    Grid grid = make_grid(dim, 7, 6, 6);
    Case *test = case_create(&grid, 1, samples, false);
    add_collider(test, solid, AT_REST);
    place(test, true);
    const Splash *splash = &test->splash;
    const Grid *padded = &splash->padded;
    double worst = 0;
    for (int k = 0; k < padded->n[2]; k++)
        for (int j = 0; j < padded->n[1]; j++)
            for (int i = 0; i < padded->n[0]; i++) {
                if (!is_in_grid(&grid, i, j, k)) continue;
                if (dim == 3 && (i + 2 * j + 3 * k) % 4 != 0) continue;
                Vec3 x = grid_cell_center(padded, i, j, k);
                worst =
                    fmax(worst, fabs(part_of_cell(splash, i, j, k) - reference(&grid, solid, x)));
                for (int axis = 0; axis < dim; axis++) {
                    if (is_on_wall(&grid, axis, axis == 0 ? i : axis == 1 ? j : k)) continue;
                    x = grid_face_center(padded, axis, i, j, k);
                    worst = fmax(worst, fabs(part_of_face(splash, axis, i, j, k) -
                                             reference(&grid, solid, x)));
                }
            }
    case_destroy(test);
    return worst;
}

/* Samples see a plane along the grid up to half their spacing from where it is; when it is turned
 * the errors of many samples cancel. */
static void test_boxes_against_quadrature(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        double z = dim == 3 ? 2.75 : 0;
        Solid aligned = make_box(-0.625, 1.25, z, 0.5, 0.5, 0.75); /* edges between samples */
        assert_true(blur_error(dim, &aligned, 4) < 1e-12);
        for (int shift = 1; shift < 4; shift++) {
            Solid box = make_box(-0.6 + 0.017 * shift, 1.3 - 0.031 * shift, z, 0.55, 0.45, 0.6);
            assert_true(blur_error(dim, &box, 4) < 0.5 / 4 + 0.01);
            assert_true(blur_error(dim, &box, 8) < 0.5 / 8 + 0.01);
            box.orientation = quat_exp(vec3(0, dim == 3 ? 0.2 : 0, 0.3 * shift));
            assert_true(blur_error(dim, &box, 4) < 0.06);
            assert_true(blur_error(dim, &box, 8) < 0.02);
        }
    }
}

/* Volume of the blurred solid over that of a ball, and that each sample is shared out once to
 * cells and once to faces. */
static double ball_volume_part(Vec3 shift) {
    Grid grid = make_grid(3, 12, 12, 12);
    for (int axis = 0; axis < 3; axis++) grid.sides[axis][0] = grid.sides[axis][1] = SIDE_OPEN;
    Solid ball = solid_default(SOLID_BALL);
    ball.radius = 0.8;
    ball.position = vec3_add(vec3(0, 2, 3.5), shift);
    Case *test = case_create(&grid, 2, 4, false);
    add_collider(test, &ball, AT_REST);
    place(test, true);
    double cells = 0, faces = 0, volume = 4 * acos(-1.0) / 3 * pow(ball.radius, 3);
    for (size_t c = 0; c < grid_cell_count(&test->splash.padded); c++)
        cells += 1 - test->splash.most[c] / 1000;
    for (size_t f = 0; f < grid_face_count(&test->splash.padded, 1); f++)
        faces += 1 - test->splash.fraction[1][f];
    assert_close(faces, cells, 1e-9);
    case_destroy(test);
    return cells * grid_cell_volume(&grid) / volume;
}

static void test_sum_is_the_volume(void **state) {
    (void)state;
    enum { SHIFTS = 12 };
    double mean = 0;
    for (uint64_t i = 0; i < SHIFTS; i++) {
        Vec3 shift =
            vec3(random_uniform(9, 0, i), random_uniform(9, 1, i), random_uniform(9, 2, i));
        double part = ball_volume_part(vec3_scale(0.25, shift));
        assert_close(part, 1, 1e-2);
        mean += part / SHIFTS;
    }
    assert_close(mean, 1, 2e-3);
}

/* A lattice of particles that fills all free space beside aligned walls and an aligned box
 * rasterises to `most` exactly (eq. 3.10). */
static void test_particles_fill_what_is_free(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        Grid grid = make_grid(dim, 6, 5, 4);
        Solid box = make_box(-1.5, 0.5, dim == 3 ? 2 : 0, 1, 0.5, 1);
        Case *test = case_create(&grid, 1, 4, false);
        add_collider(test, &box, AT_REST);
        place(test, true);
        const Grid *padded = &test->splash.padded;
        double *density = calloc(grid_cell_count(padded), sizeof *density);
        int nz = dim == 3 ? 2 * grid.n[2] : 1;
        for (int k = 0; k < nz; k++)
            for (int j = 0; j < 2 * grid.n[1]; j++)
                for (int i = 0; i < 2 * grid.n[0]; i++) {
                    double at[3] = {(i + 0.5) / 2, (j + 0.5) / 2, dim == 3 ? (k + 0.5) / 2 : 0};
                    Vec3 x = vec3_add_scaled(grid.origin, grid.spacing, vec3_load(at));
                    if (solid_distance(&box, x) < 0) continue;
                    for (int corner = 0; corner < 1 << dim; corner++) {
                        int c[3] = {0, 0, 0};
                        double share = dim == 3 ? 125 : 250; /* kg/m^3 of a whole cell */
                        for (int a = 0; a < dim; a++) {
                            /* From the first centre; what is beyond one at a wall is its own. */
                            double from = fmin(fmax(at[a] + 0.5, 1), grid.n[a]);
                            c[a] = (int)from + (corner >> a & 1);
                            share *= hat(from - c[a]);
                        }
                        if (share > 0) density[grid_cell_index(padded, c[0], c[1], c[2])] += share;
                    }
                }
        for (int k = 0; k < padded->n[2]; k++)
            for (int j = 0; j < padded->n[1]; j++)
                for (int i = 0; i < padded->n[0]; i++)
                    if (is_in_grid(&grid, i, j, k))
                        assert_close(density[grid_cell_index(padded, i, j, k)],
                                     1000 * part_of_cell(&test->splash, i, j, k), 1e-9);
        free(density);
        case_destroy(test);
    }
}

/* ---- many obstacles, bodies that move ---- */

enum { HOUSES = 60 };

static void make_city(Solid houses[HOUSES], Solid *city) {
    for (uint64_t i = 0; i < HOUSES; i++) {
        double u[6];
        for (uint64_t a = 0; a < 6; a++) u[a] = random_uniform(3, i, a);
        houses[i] = make_box(-1.5 + 6 * u[0], 0.5 + 2 * u[1], 2 + 5 * u[2], 0.1 + u[3],
                             0.1 + 2 * u[4], 0.1 + u[5]);
        if (i % 3 == 0) houses[i].orientation = quat_exp(vec3(0, 3 * u[0], 0));
        if (i % 7 == 0) houses[i].kind = SOLID_BALL;
        houses[i].radius = 0.4;
    }
    *city = solid_default(SOLID_UNION);
    city->children = houses;
    city->child_count = HOUSES;
}

static void test_nearest_of_many(void **state) {
    (void)state;
    Grid grid = make_grid(3, 24, 12, 20);
    Solid houses[HOUSES], city, ball = solid_default(SOLID_BALL);
    make_city(houses, &city);
    Case *test = case_create(&grid, 2, 4, false);
    test->places[0] = (Collider){.orientation = quat_identity(), .position = {1, 3, 4}};
    add_collider(test, &city, AT_REST);
    add_collider(test, &ball, 0);
    place(test, true);
    for (uint64_t i = 0; i < 20000; i++) {
        Vec3 x = vec3(-3 + 9 * random_uniform(4, 0, i), -1 + 6 * random_uniform(4, 1, i),
                      1 + 7 * random_uniform(4, 2, i));
        double all = fmin(solid_distance(&city, x),
                          solid_distance(&ball, vec3_sub(x, test->places[0].position)));
        assert_close(splash_distance_to_obstacles(&test->splash, x), all, 1e-12);
    }
    case_destroy(test);
}

static void assert_same_places(const Splash *a, const Splash *b) {
    size_t cells = grid_cell_count(&a->padded);
    assert_memory_equal(a->most, b->most, cells * sizeof *a->most);
    assert_memory_equal(a->near, b->near, cells);
    assert_memory_equal(a->closed, b->closed, cells);
    for (int axis = 0; axis < a->padded.dim; axis++) {
        size_t bytes = grid_face_count(&a->padded, axis) * sizeof(double);
        assert_memory_equal(a->fraction[axis], b->fraction[axis], bytes);
        assert_memory_equal(a->open[axis], b->open[axis], bytes);
    }
}

static void move_bodies(Case *test, int step) {
    for (int body = 0; body < 2; body++) {
        Collider *now = &test->places[body];
        double t = 0.13 * step + 2 * body;
        now->position = vec3(1.2 + 2.5 * cos(t), 2 + 2 * sin(1.3 * t), 4 + 2 * sin(t));
        now->orientation = quat_exp(vec3(0, 0.7 * t, body == 1 ? t : 0));
        if (test->splash.grid.dim == 2) {
            now->position.z = 0;
            now->orientation = quat_exp(vec3(0, 0, t));
        }
    }
}

static void check_moving(int dim, int samples) {
    Grid grid = make_grid(dim, 22, 12, 18);
    grid.sides[1][1] = SIDE_OPEN;
    Solid houses[HOUSES], city;
    make_city(houses, &city);
    city.child_count = 5;
    Solid box = make_box(0.1, 0, 0, 0.7, 0.4, 1.1), ball = solid_default(SOLID_BALL);
    Case *moving = case_create(&grid, 1, samples, true);
    for (int step = 0; step < 8; step++) {
        Case *fresh = case_create(&grid, 1 + step % 4, samples, true);
        Case *both[2] = {moving, fresh};
        for (int i = 0; i < 2; i++) {
            if (i == 1 || step == 0) {
                add_collider(both[i], &city, AT_REST);
                add_collider(both[i], &box, 0);
                add_collider(both[i], &ball, 1);
            }
            move_bodies(both[i], step == 5 ? 4 : step); /* once they stay */
            place(both[i], i == 1 || step == 0);
        }
        assert_same_places(&moving->splash, &fresh->splash);
        case_destroy(fresh);
    }
    case_destroy(moving);
}

/* A fresh placing with any number of threads gives the same bits as moving there. */
static void test_moving_is_placing_anew(void **state) {
    (void)state;
    check_moving(2, 4);
    check_moving(3, 4);
    check_moving(3, 5);
}

/* The same thing as a body and at rest, away from walls, in them and beyond an open side. */
static void test_body_is_an_obstacle(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int way = 0; way < 12; way++) {
            Grid grid = make_grid(dim, 12, 10, 9);
            grid.sides[1][1] = SIDE_OPEN;
            Solid ball = solid_default(SOLID_BALL);
            ball.position = vec3(-1.6 + 0.3 * way, 0.4 + 0.27 * way, dim == 3 ? 2.9 : 0);
            Case *test[2];
            for (int rest = 0; rest < 2; rest++) {
                test[rest] = case_create(&grid, 2, 4, true);
                test[rest]->splash.desc.cfl = 1;
                test[rest]->places[0].orientation = quat_identity();
                add_collider(test[rest], &ball, rest ? AT_REST : 0);
                place(test[rest], true);
            }
            /* Beyond walls nothing asks for values. */
            const Grid *padded = &test[0]->splash.padded;
            for (int k = 0; k < padded->n[2]; k++)
                for (int j = 0; j < padded->n[1]; j++)
                    for (int i = 0; i < padded->n[0]; i++) {
                        if (!is_in_grid(&grid, i, j, k)) continue;
                        const Splash *a = &test[0]->splash, *b = &test[1]->splash;
                        size_t c = grid_cell_index(padded, i, j, k);
                        assert_true(a->most[c] == b->most[c] && a->near[c] == b->near[c]);
                        assert_true(a->closed[c] == b->closed[c]);
                        for (int axis = 0; axis < dim; axis++) {
                            size_t f = grid_face_index(padded, axis, i, j, k);
                            assert_true(a->fraction[axis][f] == b->fraction[axis][f]);
                            assert_true(a->open[axis][f] == b->open[axis][f]);
                        }
                    }
            for (int rest = 0; rest < 2; rest++) case_destroy(test[rest]);
        }
}

static void test_sharp_faces(void **state) {
    (void)state;
    Grid grid = make_grid(3, 6, 5, 4);
    grid.sides[1][1] = SIDE_OPEN;
    Solid box = make_box(-1.5 + 0.6, 0.5, 3, 0.5, 0.75, 9);
    Case *test = case_create(&grid, 2, 4, true);
    add_collider(test, &box, AT_REST);
    place(test, true);
    const Splash *splash = &test->splash;
    const Grid *padded = &splash->padded;
    const double *open = splash->open[0];
    assert_true(open[grid_face_index(padded, 0, 1, 2, 2)] == 0); /* wall */
    assert_true(open[grid_face_index(padded, 0, 0, 2, 2)] == 0); /* beyond it */
    assert_true(open[grid_face_index(padded, 0, 2, 1, 2)] == 1);
    /* The box is 1.4 to 3.4 cells from the wall and 1.5 cells high. */
    assert_true(open[grid_face_index(padded, 0, 3, 1, 2)] == 0);
    assert_close(open[grid_face_index(padded, 0, 3, 2, 2)], 0.5, 1e-6);
    open = splash->open[1];
    assert_true(open[grid_face_index(padded, 1, 3, 1, 2)] == 0);
    assert_true(open[grid_face_index(padded, 1, 3, 6, 2)] == 1); /* the open side */
    assert_true(open[grid_face_index(padded, 1, 3, 7, 2)] == 1);
    /* From 0.1 m beside it to 0.125 m below its top. */
    assert_close(open[grid_face_index(padded, 1, 2, 2, 2)], 0.1 / 0.225, 1e-6);
    assert_true(splash->closed[grid_cell_index(padded, 0, 3, 2)]);
    assert_false(splash->closed[grid_cell_index(padded, 3, 6, 2)]);
    assert_true(splash->closed[grid_cell_index(padded, 3, 0, 2)]);
    assert_true(splash->closed[grid_cell_index(padded, 3, 1, 2)]);
    assert_false(splash->closed[grid_cell_index(padded, 3, 2, 2)]);
    case_destroy(test);
}

/* Far from everything the grid says so; where it does not, nothing was in reach. */
static void test_far_cells_are_far(void **state) {
    (void)state;
    Grid grid = make_grid(3, 24, 24, 20);
    Solid ball = solid_default(SOLID_BALL);
    ball.position = vec3(1.5, 3.5, 4.5);
    Case *test = case_create(&grid, 2, 4, false);
    add_collider(test, &ball, AT_REST);
    place(test, true);
    const Grid *padded = &test->splash.padded;
    double reach = (0.5 * sqrt(3) + 3) * grid.spacing;
    size_t far = 0;
    for (int k = 0; k < padded->n[2]; k++)
        for (int j = 0; j < padded->n[1]; j++)
            for (int i = 0; i < padded->n[0]; i++) {
                if (test->splash.near[grid_cell_index(padded, i, j, k)]) continue;
                far++;
                Vec3 x = grid_cell_center(padded, i, j, k);
                assert_true(solid_distance(&ball, x) >= reach);
                for (int a = 0; a < 3; a++) {
                    double at = vec3_component(x, a) - vec3_component(grid.origin, a);
                    assert_true(at > 3 * grid.spacing);
                    assert_true(grid.n[a] * grid.spacing - at > 3 * grid.spacing);
                }
            }
    assert_true(far > 1000);
    case_destroy(test);
}

static void test_bad_samples(void **state) {
    (void)state;
    Grid grid = make_grid(2, 4, 4, 1);
    Case *test = case_create(&grid, 1, 9, false);
    assert_int_equal(splash_place_obstacles(&test->splash, &test->step, true), PLIM_BAD_INPUT);
    case_destroy(test);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walls_are_exact),
        cmocka_unit_test(test_boxes_against_quadrature),
        cmocka_unit_test(test_sum_is_the_volume),
        cmocka_unit_test(test_particles_fill_what_is_free),
        cmocka_unit_test(test_nearest_of_many),
        cmocka_unit_test(test_moving_is_placing_anew),
        cmocka_unit_test(test_body_is_an_obstacle),
        cmocka_unit_test(test_sharp_faces),
        cmocka_unit_test(test_far_cells_are_far),
        cmocka_unit_test(test_bad_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
