/* The coupled solve with a free surface: against the problem written out, against the projection,
 * and what must rest or move as one piece. */
#include "coupled_flow_compare.h"

typedef struct Scenario {
    const char *name;
    int dim, n[3];
    SideKind sides[3][2];
} Scenario;

#define WALLS                                                                                      \
    { SIDE_WALL, SIDE_WALL }
#define JOINED                                                                                     \
    { SIDE_PERIODIC, SIDE_PERIODIC }

static const Scenario scenarios[] = {
    {"walls", 2, {8, 9, 1}, {WALLS, WALLS}},
    {"periodic", 2, {8, 8, 1}, {JOINED, JOINED}},
    {"open", 2, {8, 8, 1}, {{SIDE_OPEN, SIDE_WALL}, {SIDE_OPEN, SIDE_OPEN}}},
    {"mixed", 3, {4, 5, 6}, {WALLS, JOINED, {SIDE_WALL, SIDE_OPEN}}},
};
enum { SCENARIOS = sizeof scenarios / sizeof *scenarios };

/* ---- against the problem written out ---- */

/* Any cell by chance, about two in three fluid; parts that are liquid go with it, by 64ths. */
static void random_air(FlowCase *c, uint64_t seed) {
    int dim = c->grid.dim;
    flow_case_take_air(c);
    for (size_t i = 0; i < grid_cell_count(&c->grid); i++) {
        double u = random_uniform(seed, 40, i);
        c->phi[i] = c->grid.spacing * (u - 0.65);
        for (size_t part = i << dim; part < (i + 1) << dim; part++) {
            double share = floor(32.0 * random_uniform(seed, 41, part)) / 64.0;
            c->corners[part] = (float)(c->phi[i] < 0.0 ? 0.5 + share : u > 0.8 ? 0.0 : share);
        }
    }
}

static FlowCase *make(PlimContext *context, const Scenario *s, double mu, bool bodies,
                      uint64_t seed) {
    Grid grid = {.dim = s->dim, .spacing = 0.25, .origin = {0.3, -0.2, 0.0}};
    memcpy(grid.n, s->n, sizeof grid.n);
    memcpy(grid.sides, s->sides, sizeof grid.sides);
    FlowCase *c = flow_case_create(context, &grid, mu);
    c->problem.density = 1.3;
    random_air(c, seed);
    if (bodies && s->dim == 2) {
        flow_case_add(c, vec3(1.02, 0.67, 0), 0.33, 0.8);
        flow_case_add(c, vec3(1.73, 1.18, 0), 0.21, 0.0);
    } else if (bodies) {
        flow_case_add(c, vec3(0.82, 0.93, 0.79), 0.26, 0.8);
    }
    flow_case_build(c);
    flow_case_random(c, seed + 1);
    return c;
}

static void check_case(const Scenario *s, double mu, bool bodies, uint64_t seed) {
    PlimContext *context = test_context(1);
    FlowCase *c = make(context, s, mu, bodies, seed);
    FlowDense *dense = flow_dense_create(c);
    FlowKkt kkt = flow_dense_kkt(dense);
    double *w = calloc(dense->rows.n, 8), *l = calloc(dense->rows.constraints, 8);
    double before = flow_case_energy(c, true);
    FlowResult result = flow_case_solve(c);
    print_message("%s, %g Pa s, %s bodies: %d iterations\n", s->name, mu, bodies ? "with" : "no",
                  result.iterations);
    if (mu > 0.0) {
        flow_case_begin(c);
        FlowUnknowns u = flow_unknowns(c);
        flow_check_matrix(dense, &kkt, &u);
        flow_unknowns_free(&u);
        flow_case_end(c);
    } else if (!bodies) {
        assert_close(result.energy_before, before, 1e-6 * before);
        assert_close(result.energy_after, flow_case_energy(c, false), 1e-6 * before);
    }
    flow_kkt_solve(&kkt, dense->rows.n, w, l);
    flow_compare(dense, w, l, 1e-8);
    flow_check_impulses(c);
    for (size_t i = 0; i < grid_cell_count(&c->grid); i++)
        if (c->kind[i] == CELL_AIR) assert_true(c->pressure[i] == 0.0);
    free(w);
    free(l);
    flow_kkt_free(&kkt);
    flow_dense_destroy(dense);
    flow_case_destroy(c);
    test_context_close(context);
}

static void test_written_out(void **state) {
    (void)state;
    static const double mus[] = {0.0, 0.05, 30.0};
    for (size_t i = 0; i < SCENARIOS; i++)
        for (int round = 0; round < 6; round++)
            check_case(&scenarios[i], mus[round / 2], round % 2, 50 + 7 * i);
}

/* ---- against the projection ---- */

static void test_projection(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    for (size_t i = 0; i < SCENARIOS; i++) {
        FlowCase *c = make(context, &scenarios[i], 0.0, false, 90 + i);
        FlowCase *other = make(context, &scenarios[i], 0.0, false, 90 + i);
        PoissonProblem problem = flow_poisson_problem(&other->problem);
        KrylovOptions options = krylov_options_default(1);
        ProjectResult projected;
        options.relative = 1e-14;
        double worst = 0.0;
        flow_case_solve(c);
        assert_int_equal(poisson_project(other->poisson, &problem, &options, other->velocity,
                                         other->pressure, &projected),
                         PLIM_OK);
        FLOW_FACES(c, a, x, y, z) {
            size_t face = grid_face_index(&c->grid, a, x, y, z);
            worst = fmax(worst, fabs(c->velocity[a][face] - other->velocity[a][face]));
        }
        print_message("%s: off by %.2g\n", scenarios[i].name, worst);
        assert_true(worst < 1e-10);
        flow_case_destroy(c);
        flow_case_destroy(other);
    }
    test_context_close(context);
}

/* ---- a box of liquid ---- */

/* Liquid below the height, `tilt` higher at the right end of a length than at the left. */
typedef struct Fill {
    double height, tilt, length;
} Fill;

static double filled(const void *user, Vec3 x) {
    const Fill *fill = user;
    return x.y - fill->height - fill->tilt * (x.x / fill->length - 0.5);
}

static FlowCase *make_box(PlimContext *context, int dim, int n, double mu, double height,
                          double tilt) {
    Grid grid = {.dim = dim, .n = {n, n, dim == 3 ? n : 1}, .spacing = 1.0 / n};
    FlowCase *c = flow_case_create(context, &grid, mu);
    c->problem.density = 1000.0;
    c->problem.dt = 0.5 / n;
    flow_case_fill(c, filled, &(Fill){height, tilt, n * grid.spacing});
    return c;
}

static void fall(FlowCase *c) {
    FLOW_FACES(c, a, i, j, k) {
        size_t face = grid_face_index(&c->grid, a, i, j, k);
        bool moves = a == 1 && !flow_case_on_given_side(c, a, (int[3]){i, j, k});
        c->velocity[a][face] = moves ? -9.81 * c->problem.dt : 0.0;
    }
}

/* Liquid under gravity rests, wherever the surface lies, with the pressure of its depth. */
static void test_hydrostatic(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    static const double heights[] = {0.5, 0.53, 0.5624, 0.5632, 0.6, 0.92};
    for (int round = 0; round < 24; round++) {
        int dim = round < 12 ? 2 : 3, n = dim == 2 ? 16 : 8;
        double height = heights[round % 6], mu = round / 6 % 2 ? 5.0 : 0.0;
        FlowCase *c = make_box(context, dim, n, mu, height, 0.0);
        c->problem.divergence = 1e-13 * grid_face_area(&c->grid);
        c->problem.momentum = 1e-13;
        flow_case_build(c);
        fall(c);
        FlowResult result = flow_case_solve(c);
        double speed = 0.0, off = 0.0;
        FLOW_FACES(c, a, i, j, k) {
            int at[3] = {i, j, k};
            if (flow_case_theta(c, a, at) > 0.0)
                speed = fmax(speed, fabs(c->velocity[a][grid_face_index(&c->grid, a, i, j, k)]));
        }
        for (size_t i = 0; i < grid_cell_count(&c->grid); i++)
            off = fmax(off, fabs(c->pressure[i] - 9810.0 * fmax(0.0, -c->phi[i])));
        print_message(
            "%dD, mu %g, height %g: %d iterations, speed %.2g m/s, pressure off %.2g Pa\n", dim, mu,
            height, result.iterations, speed, off);
        assert_true(speed < 1e-11);
        assert_true(off < 1e-2); /* theta is rounded to single precision */
        flow_case_destroy(c);
    }
    test_context_close(context);
}

/* A body of half the density, half immersed. Its acceleration is what the cut of the grid makes of
 * a force that should be zero. */
static void test_floating(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    for (int round = 0; round < 4; round++) {
        int dim = 2 + round / 2, n = dim == 2 ? 48 : 24;
        double mu = round % 2 ? 1.0 : 0.0;
        FlowCase *c = make_box(context, dim, n, mu, 0.4871, 0.0);
        c->problem.divergence = 1e-9 * grid_face_area(&c->grid);
        c->problem.momentum = 1e-9;
        flow_case_add(c, vec3(0.5133, 0.4871, dim == 3 ? 0.4921 : 0.0), 0.22, 500.0);
        flow_case_build(c);
        fall(c);
        c->start[0][1] = -9.81 * c->problem.dt;
        flow_case_load_momenta(c);
        FlowResult result = flow_case_solve(c);
        double fallen = c->bodies[0].velocity[1] / (9.81 * c->problem.dt);
        print_message("%dD, mu %g: %d iterations, accelerates at %.2g g, sideways %.2g g\n", dim,
                      mu, result.iterations, fallen,
                      c->bodies[0].velocity[0] / (9.81 * c->problem.dt));
        assert_true(fabs(fallen) < 0.02);
        flow_case_destroy(c);
    }
    test_context_close(context);
}

/* A body above the liquid goes its way, also when there is no liquid at all. */
static void test_in_air(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    for (int round = 0; round < 4; round++) {
        double mu = round % 2 ? 1.0 : 0.0, height = round / 2 ? -1.0 : 0.3;
        FlowCase *c = make_box(context, 2, 20, mu, height, 0.0);
        const double start[6] = {0.3, -0.7, 0, 0, 0, 2.0};
        flow_case_add(c, vec3(0.5133, 0.71, 0.0), 0.22, 500.0);
        flow_case_build(c);
        fall(c);
        memcpy(c->start[0], start, sizeof start);
        flow_case_load_momenta(c);
        flow_case_solve(c);
        for (int i = 0; i < 6; i++) {
            assert_close(c->bodies[0].velocity[i], start[i], 1e-12);
            assert_true(c->bodies[0].impulse[i] == 0.0);
        }
        flow_case_destroy(c);
    }
    test_context_close(context);
}

/* ---- a lump of liquid in free flight ---- */

static double lump(const void *user, Vec3 x) {
    return vec3_length(vec3_sub(x, *(const Vec3 *)user)) - 0.27;
}

/* A ball of liquid of radius 0.27 that moves as one. */
static FlowCase *make_lump(PlimContext *context, int dim, double mu, Vec3 velocity, double turn) {
    int n = dim == 2 ? 24 : 16;
    FlowCase *c = make_box(context, dim, n, mu, 0.5, 0.0);
    Vec3 center = vec3(0.513, 0.478, dim == 3 ? 0.523 : 0.0);
    const Grid *grid = &c->grid;
    flow_case_fill(c, lump, &center);
    c->problem.divergence = 1e-13 * grid_face_area(&c->grid);
    c->problem.momentum = 1e-13;
    flow_case_build(c);
    FLOW_FACES(c, a, i, j, k) {
        Vec3 arm = vec3_sub(grid_face_center(grid, a, i, j, k), center);
        Vec3 u = vec3_add(velocity, vec3_cross(vec3(0, 0, turn), arm));
        bool given = flow_case_on_given_side(c, a, (int[3]){i, j, k});
        c->velocity[a][grid_face_index(grid, a, i, j, k)] = given ? 0.0 : vec3_component(u, a);
    }
    return c;
}

/* A lump that moves as one goes on so: no cell gains volume, and no stress arises. */
static void test_rigid_motion(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    static const double mus[] = {0.0, 1.0, 1e4};
    for (int round = 0; round < 12; round++) {
        int dim = 2 + round / 6;
        double turn = round % 2 ? 3.0 : 0.0;
        FlowCase *c = make_lump(context, dim, mus[round / 2 % 3], vec3(0.7, -1.1, 0.0), turn);
        FlowCase *start = make_lump(context, dim, 0.0, vec3(0.7, -1.1, 0.0), turn);
        FlowResult result = flow_case_solve(c);
        double worst = 0.0;
        FLOW_FACES(c, a, i, j, k) {
            size_t face = grid_face_index(&c->grid, a, i, j, k);
            worst = fmax(worst, fabs(c->velocity[a][face] - start->velocity[a][face]));
        }
        print_message("%dD, mu %g, turning at %g/s: %d iterations, changes by %.2g m/s\n", dim,
                      c->mu, turn, result.iterations, worst);
        assert_true(worst < 1e-10);
        flow_case_destroy(c);
        flow_case_destroy(start);
    }
    test_context_close(context);
}

/* What is stirred within the lump has its linear and its angular momentum to the end: pressure
 * pushes on opposite faces of a cell alike, in one line. */
static void test_momentum(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    for (int dim = 2; dim <= 3; dim++)
        for (int coupled = 0; coupled < 2; coupled++) {
            FlowCase *c = make_lump(context, dim, 30.0, vec3(0, 0, 0), 0.0);
            double before[6], after[6], size = 0.0;
            c->problem.momentum = 1e-12;
            flow_case_random(c, 17);
            flow_case_momentum(c, true, before);
            if (coupled) {
                flow_case_solve(c);
            } else {
                KrylovOptions options = krylov_options_default(1);
                SolveResult solved;
                options.relative = 1e-13;
                options.max_iterations = 1000;
                assert_int_equal(viscosity_solve(c->viscosity, &c->viscous, c->problem.dt, &options,
                                                 c->velocity, &solved),
                                 PLIM_OK);
                assert_int_equal(solved.reason, SOLVE_CONVERGED);
            }
            flow_case_momentum(c, false, after);
            for (int i = 0; i < 6; i++) size = fmax(size, fabs(before[i]));
            double worst = 0.0;
            for (int i = 0; i < 6; i++) worst = fmax(worst, fabs(after[i] - before[i]));
            print_message("%dD, %s: momenta to %.3g, off by %.2g\n", dim,
                          coupled ? "coupled" : "viscosity", size, worst);
            assert_true(worst < 1e-9 * size);
            flow_case_destroy(c);
        }
    test_context_close(context);
}

/* ---- a disc that turns faster inside than outside ---- */

static const double disc_radius = 0.3;

static double disc_level(const void *user, Vec3 x) {
    (void)user;
    return hypot(x.x - 0.5137, x.y - 0.4891) - disc_radius;
}

/* Round and round with J_1(k r), k where no stress acts on the rim: J_2(k R) = 0. */
static double disc_rate(void) {
    return 5.135622301840683 / disc_radius;
}

static double disc_field(int component, Vec3 x) {
    double dx = x.x - 0.5137, dy = x.y - 0.4891, r = hypot(dx, dy);
    double turn = r > 0.0 ? j1(disc_rate() * r) / r : 0.0;
    return turn * (component == 0 ? -dy : dx);
}

/* One step takes half of it, and pressure has nothing to do. The root of the mean square of the
 * error over faces whose middle is in the liquid, of that of the field. */
static double disc_error(int n) {
    PlimContext *context = test_context(1);
    FlowCase *c = make_box(context, 2, n, 1000.0, 0.5, 0.0);
    double sum = 0.0, all = 0.0;
    flow_case_fill(c, disc_level, NULL);
    c->problem.dt = 1.0 / (disc_rate() * disc_rate());
    c->problem.divergence = 1e-10 * grid_face_area(&c->grid);
    c->problem.momentum = 1e-10;
    flow_case_build(c);
    FLOW_FACES(c, a, i, j, k)
    c->velocity[a][grid_face_index(&c->grid, a, i, j, k)] =
        disc_field(a, grid_face_center(&c->grid, a, i, j, k));
    flow_case_solve(c);
    FLOW_FACES(c, a, i, j, k) {
        Vec3 x = grid_face_center(&c->grid, a, i, j, k);
        if (disc_level(NULL, x) > 0.0) continue;
        double exact = 0.5 * disc_field(a, x);
        double error = c->velocity[a][grid_face_index(&c->grid, a, i, j, k)] - exact;
        sum += error * error;
        all += exact * exact;
    }
    flow_case_destroy(c);
    test_context_close(context);
    return sqrt(sum / all);
}

static void test_disc(void **state) {
    (void)state;
    double error[4];
    for (int size = 0; size < 4; size++) error[size] = disc_error(16 << size);
    double order = log2(error[0] / error[3]) / 3.0;
    print_message("disc: errors %.2g %.2g %.2g %.2g at 16 to 128 cells, order %.2f\n", error[0],
                  error[1], error[2], error[3], order);
    assert_true(error[0] < 0.1 && order > 1.8);
}

/* ---- iterations ---- */

/* A box with a tilted surface, stirred; with a floating body or without. */
static FlowCase *make_stirred(PlimContext *context, int dim, int n, double stiffness, double height,
                              bool body) {
    double dt = 0.5 / n, h = 1.0 / n;
    FlowCase *c = make_box(context, dim, n, stiffness * 1000.0 * h * h / dt, height, 0.2);
    c->problem.momentum = 1e-6;
    c->problem.divergence = 1e-6 * grid_face_area(&c->grid);
    if (body) flow_case_add(c, vec3(0.437, 0.421, dim == 3 ? 0.48 : 0.0), 0.126, 300.0);
    flow_case_build(c);
    FLOW_FACES(c, a, i, j, k) {
        const double pi = 3.14159265358979323846;
        Vec3 x = grid_face_center(&c->grid, a, i, j, k);
        double wave = a == 0   ? sin(pi * x.x) * cos(2.0 * pi * x.y)
                      : a == 1 ? sin(2.0 * pi * x.y) * cos(pi * x.x)
                               : 0.0;
        c->velocity[a][grid_face_index(&c->grid, a, i, j, k)] =
            flow_case_on_given_side(c, a, (int[3]){i, j, k}) ? 0.0 : 0.5 * wave;
    }
    flow_case_load_momenta(c);
    return c;
}

static int count_iterations(PlimContext *context, int dim, int n, double stiffness, double height,
                            bool body) {
    FlowCase *c = make_stirred(context, dim, n, stiffness, height, body);
    int iterations = flow_case_solve(c).iterations;
    flow_case_destroy(c);
    return iterations;
}

static void test_iterations(void **state) {
    (void)state;
    static const double stiffness[] = {0.0, 1e-3, 1e-1, 1.0, 10.0, 1e3, 1e5};
    PlimContext *context = test_context(2);
    for (size_t s = 0; s < 7; s++)
        for (int body = 0; body < 2; body++) {
            int full = count_iterations(context, 2, 64, stiffness[s], 2.0, body);
            int half = count_iterations(context, 2, 64, stiffness[s], 0.4137, body);
            print_message("2D, mu dt/(density h^2) %6g, %s: %3d full, %3d with air\n", stiffness[s],
                          body ? "a body" : "none", full, half);
            assert_true(half < 90 && half < 1.3 * full + 5);
        }
    test_context_close(context);
}

/* The same bits for any number of threads. */
static void test_bits(void **state) {
    (void)state;
    for (int round = 0; round < 2; round++) {
        PlimContext *contexts[2] = {test_context(1), test_context(3)};
        FlowCase *cases[2];
        for (int i = 0; i < 2; i++) {
            cases[i] = make_stirred(contexts[i], 2, 64, round ? 1.0 : 0.0, 0.4137, true);
            flow_case_solve(cases[i]);
        }
        size_t bytes = grid_face_count(&cases[0]->grid, 1) * sizeof(double);
        assert_memory_equal(cases[0]->velocity[1], cases[1]->velocity[1], bytes);
        for (int i = 0; i < 2; i++) {
            flow_case_destroy(cases[i]);
            test_context_close(contexts[i]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written_out), cmocka_unit_test(test_projection),
        cmocka_unit_test(test_hydrostatic), cmocka_unit_test(test_floating),
        cmocka_unit_test(test_in_air),      cmocka_unit_test(test_rigid_motion),
        cmocka_unit_test(test_momentum),    cmocka_unit_test(test_disc),
        cmocka_unit_test(test_iterations),  cmocka_unit_test(test_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
