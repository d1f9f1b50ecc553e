/* The viscosity operator: symmetry and sign, momentum, bits, memory. Flows with known answers are
 * in test_viscosity_flow.c. */
#include "ration.h"
#include "viscosity_case.h"

/* ---- cases that have everything ---- */

static double moving_wall(const void *user, int wall, int component, Vec3 x) {
    (void)user;
    return 0.3 * wall + component - 0.7 * x.x + 0.2 * x.y * x.y + 0.9 * x.z;
}

enum { KINDS = 6 };

/* Mixed sides, slips, obstacles, mu: number 0 to KINDS - 1 in 2D and 3D. */
static ViscosityCase *mixed_case(int dim, int number) {
    ViscosityCase *c = visc_create(dim, 6, 5, 4, 0.3);
    static const SideKind kinds[KINDS][3][2] = {
        {{SIDE_WALL, SIDE_WALL}, {SIDE_WALL, SIDE_WALL}, {SIDE_WALL, SIDE_WALL}},
        {{SIDE_PERIODIC, SIDE_PERIODIC}, {SIDE_WALL, SIDE_INFLOW}, {SIDE_OPEN, SIDE_WALL}},
        {{SIDE_OPEN, SIDE_OPEN}, {SIDE_OPEN, SIDE_WALL}, {SIDE_PERIODIC, SIDE_PERIODIC}},
        {{SIDE_INFLOW, SIDE_OPEN}, {SIDE_PERIODIC, SIDE_PERIODIC}, {SIDE_WALL, SIDE_WALL}},
        {{SIDE_PERIODIC, SIDE_PERIODIC},
         {SIDE_PERIODIC, SIDE_PERIODIC},
         {SIDE_PERIODIC, SIDE_PERIODIC}},
        {{SIDE_WALL, SIDE_PERIODIC}, {SIDE_WALL, SIDE_WALL}, {SIDE_INFLOW, SIDE_WALL}}};
    for (int a = 0; a < dim; a++) visc_sides(c, a, kinds[number][a][0], kinds[number][a][1]);
    if (number == 5) visc_sides(c, 0, SIDE_WALL, SIDE_INFLOW);
    const double slips[6] = {0.0, HUGE_VAL, 0.2, 0.05, 0.0, 1.3};
    for (int side = 0; side < 6; side++)
        c->problem.side_slip[side / 2][side % 2] = slips[(side + number) % 6];
    c->problem.slip = slips[number];
    c->problem.wall_velocity = moving_wall;
    if (number % 2 == 1) visc_random_mu(c, (uint64_t)number);
    if (number != 2) visc_random_distance(c, (uint64_t)number);
    visc_random_velocity(c, 100 + (uint64_t)number);
    return c;
}

/* ---- the matrix ---- */

static void check_matrix(PlimContext *context, const ViscosityCase *c, double density) {
    Viscosity *viscosity;
    Csr rows;
    assert_int_equal(viscosity_create(context, &c->grid, &viscosity), PLIM_OK);
    assert_int_equal(viscosity_setup(viscosity, &c->problem, 2), PLIM_OK);
    LinearMap map = viscosity_map(viscosity, density, 0.7);
    operator_check(&map,
                   &(OperatorTest){.tolerance = 1e-13, .symmetric = true, .semidefinite = true});
    assert_int_equal(csr_from_map(context, &map, &rows), PLIM_OK);
    LinearMap written = csr_map(&rows);
    operator_check_same(&map, &written, 1e-13);
    for (size_t row = 0; row < rows.rows; row++) {
        double diagonal = 0.0;
        for (size_t e = rows.row_start[row]; e < rows.row_start[row + 1]; e++)
            if ((size_t)rows.column[e] == row) diagonal = rows.value[e];
        assert_true(diagonal > 0.0 || density == 0.0);
    }
    csr_free(context, &rows);
    viscosity_destroy(viscosity);
}

/* With density 0 what is left is K: its energy must not be negative either. */
static void test_matrix(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    for (int dim = 2; dim <= 3; dim++)
        for (int number = 0; number < KINDS; number++) {
            ViscosityCase *c = mixed_case(dim, number);
            check_matrix(context, c, 2.0);
            check_matrix(context, c, 0.0);
            visc_destroy(c);
        }
    test_context_close(context);
}

/* A cell or edge whose energy is negative shows in vectors made for it: the pair of velocities of
 * each edge, over all signs, with no density. */
static void test_edge_energies(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    for (int number = 0; number < KINDS; number++) {
        ViscosityCase *c = mixed_case(2, number);
        Viscosity *viscosity;
        assert_int_equal(viscosity_create(context, &c->grid, &viscosity), PLIM_OK);
        assert_int_equal(viscosity_setup(viscosity, &c->problem, 1), PLIM_OK);
        LinearMap map = viscosity_map(viscosity, 0.0, 1.0);
        double *x = calloc(map.columns, 8), *y = calloc(map.rows, 8);
        for (uint64_t try = 0; try < 300; try++) {
            for (size_t i = 0; i < map.columns; i++) {
                double u = random_uniform(try, 3, i);
                x[i] = u < 0.9 ? 0.0 : random_normal(try, 4, i);
            }
            map.apply(map.object, x, y);
            assert_true(operator_dot(x, y, map.rows) >= 0.0);
        }
        free(x);
        free(y);
        viscosity_destroy(viscosity);
        visc_destroy(c);
    }
    test_context_close(context);
}

/* Turning as a rigid body: no force on any free velocity away from walls, to rounding. */
static double rotation(const void *user, int component, Vec3 x) {
    const Vec3 *spin = user;
    Vec3 u = vec3_cross(*spin, x);
    return component == 0 ? u.x : component == 1 ? u.y : u.z;
}

static void test_rotation_interior(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    ViscosityCase *c = visc_create(3, 7, 6, 5, 0.1);
    const Vec3 spin = {1.0, -2.0, 0.7};
    visc_random_mu(c, 3);
    visc_set_velocity(c, rotation, &spin);
    Viscosity *viscosity;
    assert_int_equal(viscosity_create(context, &c->grid, &viscosity), PLIM_OK);
    assert_int_equal(viscosity_setup(viscosity, &c->problem, 1), PLIM_OK);
    LinearMap map = viscosity_map(viscosity, 0.0, 1.0);
    double *x = calloc(map.columns, 8), *y = calloc(map.rows, 8);
    size_t face = 0;
    VISC_FACES(c, a, i, j, k) x[face++] = *visc_at(c, c->velocity, a, i, j, k);
    map.apply(map.object, x, y);
    face = 0;
    int seen = 0;
    VISC_FACES(c, a, i, j, k) {
        const int at[3] = {i, j, k};
        bool inside = true;
        for (int b = 0; b < 3; b++)
            inside = inside && at[b] >= 1 + (a == b) && at[b] <= c->grid.n[b] - 2;
        if (inside) assert_close(y[face], 0.0, 1e-13);
        seen += inside;
        face++;
    }
    assert_true(seen > 60);
    free(x);
    free(y);
    viscosity_destroy(viscosity);
    visc_destroy(c);
    test_context_close(context);
}

/* ---- momentum ---- */

typedef struct ForceSum {
    double force[3], size;
    size_t count;
} ForceSum;

static void add_force(void *user, int wall, int component, Vec3 x, double force) {
    ForceSum *sum = user;
    assert_true(wall >= VISCOSITY_OBSTACLE && wall < 6);
    assert_true(isfinite(x.x) && isfinite(x.y) && isfinite(x.z));
    sum->force[component] += force;
    sum->size += fabs(force);
    sum->count++;
}

static double case_momentum(const ViscosityCase *c, int component) {
    double sum = 0.0;
    VISC_FACES(c, a, i, j, k) {
        const int at[3] = {i, j, k};
        bool again = c->grid.sides[a][0] == SIDE_PERIODIC && at[a] == c->grid.n[a];
        if (a == component && !again && visc_is_free(c, a, i, j, k))
            sum += c->problem.density * grid_cell_volume(&c->grid) *
                   *visc_at(c, c->velocity, a, i, j, k);
    }
    return sum;
}

/* What the walls get is what the free velocities lose. */
static void check_momentum(PlimContext *context, ViscosityCase *c, double dt) {
    Viscosity *viscosity;
    SolveResult result;
    ForceSum sum = {.count = 0};
    double before[3] = {0}, after[3] = {0};
    KrylovOptions options = {.relative = 1e-15, .max_iterations = 4000, .threads = 2};
    assert_int_equal(viscosity_create(context, &c->grid, &viscosity), PLIM_OK);
    assert_int_equal(viscosity_setup(viscosity, &c->problem, 2), PLIM_OK);
    for (int a = 0; a < c->grid.dim; a++) before[a] = case_momentum(c, a);
    assert_int_equal(viscosity_solve(viscosity, &c->problem, dt, &options, c->velocity, &result),
                     PLIM_OK);
    for (int a = 0; a < c->grid.dim; a++) after[a] = case_momentum(c, a);
    viscosity_reactions(viscosity, &c->problem, c->velocity, add_force, &sum);
    double scale = sum.size * dt + fabs(before[0]) + 1e-3;
    for (int a = 0; a < c->grid.dim; a++)
        assert_close(after[a] - before[a] + dt * sum.force[a], 0.0, 1e-12 * scale);
    viscosity_destroy(viscosity);
}

static void test_momentum(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    for (int dim = 2; dim <= 3; dim++)
        for (int number = 0; number < KINDS; number++) {
            ViscosityCase *c = mixed_case(dim, number);
            bool open = false;
            for (int a = 0; a < dim; a++)
                for (int end = 0; end < 2; end++) open = open || c->grid.sides[a][end] == SIDE_OPEN;
            c->problem.density = 3.0;
            if (!open) check_momentum(context, c, 0.02);
            visc_destroy(c);
        }
    test_context_close(context);
}

/* The explicit step: for short dt it is what the implicit one changes, to first order. */
static void check_gain(PlimContext *context, ViscosityCase *c) {
    const double dt = 1e-9;
    Viscosity *viscosity;
    SolveResult result;
    double *gain[3] = {NULL, NULL, NULL};
    ViscosityCase before = *c;
    KrylovOptions options = {.relative = 1e-16, .max_iterations = 100, .threads = 2};
    for (int a = 0; a < c->grid.dim; a++) {
        size_t faces = grid_face_count(&c->grid, a);
        gain[a] = calloc(faces, sizeof(double));
        before.velocity[a] = malloc(faces * sizeof(double));
        memcpy(before.velocity[a], c->velocity[a], faces * sizeof(double));
    }
    assert_int_equal(viscosity_create(context, &c->grid, &viscosity), PLIM_OK);
    assert_int_equal(viscosity_setup(viscosity, &c->problem, 2), PLIM_OK);
    assert_int_equal(viscosity_gain(viscosity, &c->problem, dt, 2, c->velocity, gain), PLIM_OK);
    assert_int_equal(viscosity_solve(viscosity, &c->problem, dt, &options, c->velocity, &result),
                     PLIM_OK);
    VISC_FACES(c, a, i, j, k) {
        double change =
            *visc_at(c, c->velocity, a, i, j, k) - *visc_at(&before, before.velocity, a, i, j, k);
        double expected = *visc_at(c, gain, a, i, j, k);
        assert_close(change, expected, 1e-3 * fabs(expected) + 3e-11);
        if (!visc_is_free(c, a, i, j, k)) assert_true(expected == 0.0);
    }
    for (int a = 0; a < c->grid.dim; a++) {
        free(gain[a]);
        free(before.velocity[a]);
    }
    viscosity_destroy(viscosity);
}

static void test_gain(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    for (int dim = 2; dim <= 3; dim++)
        for (int number = 0; number < KINDS; number++) {
            ViscosityCase *c = mixed_case(dim, number);
            check_gain(context, c);
            visc_destroy(c);
        }
    test_context_close(context);
}

/* ---- bits ---- */

static double *copy_faces(const ViscosityCase *c, size_t *count) {
    *count = 0;
    for (int a = 0; a < c->grid.dim; a++) *count += grid_face_count(&c->grid, a);
    double *all = malloc(*count * sizeof *all);
    size_t face = 0;
    VISC_FACES(c, a, i, j, k) all[face++] = *visc_at(c, c->velocity, a, i, j, k);
    return all;
}

static void check_untouched(PlimContext *context, ViscosityCase *c, double dt) {
    size_t count;
    double *before = copy_faces(c, &count);
    SolveResult result = visc_solve(context, c, dt, 1e-6);
    double *after = copy_faces(c, &count);
    assert_int_equal(result.iterations, 0);
    assert_int_equal(result.reason, SOLVE_CONVERGED);
    assert_memory_equal(before, after, count * sizeof *before);
    free(before);
    free(after);
}

static void test_nothing_to_do(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    for (int number = 0; number < KINDS; number++) {
        ViscosityCase *c = mixed_case(3, number);
        check_untouched(context, c, 0.0);
        c->problem.mu = 0.0;
        memset(c->mu, 0, grid_cell_count(&c->grid) * sizeof *c->mu);
        check_untouched(context, c, 0.1);
        visc_destroy(c);
    }
    test_context_close(context);
}

/* Given velocities keep their bits, doubled layers agree, threads do not matter. */
static void test_bits(void **state) {
    (void)state;
    for (int number = 0; number < KINDS; number++) {
        double *all[3];
        size_t count = 0;
        for (int round = 0; round < 3; round++) {
            PlimContext *context = test_context(1 << round);
            ViscosityCase *c = mixed_case(3, number), *fresh = mixed_case(3, number);
            assert_int_equal(visc_solve(context, c, 0.05, 1e-9).reason, SOLVE_CONVERGED);
            VISC_FACES(c, a, i, j, k) {
                double now = *visc_at(c, c->velocity, a, i, j, k);
                if (!visc_is_free(c, a, i, j, k))
                    assert_true(now == *visc_at(fresh, fresh->velocity, a, i, j, k));
            }
            all[round] = copy_faces(c, &count);
            visc_join(c, c->velocity);
            double *joined = copy_faces(c, &count);
            assert_memory_equal(joined, all[round], count * sizeof *joined);
            free(joined);
            visc_destroy(c);
            visc_destroy(fresh);
            test_context_close(context);
        }
        assert_memory_equal(all[0], all[1], count * sizeof *all[0]);
        assert_memory_equal(all[0], all[2], count * sizeof *all[0]);
        for (int round = 0; round < 3; round++) free(all[round]);
    }
}

/* ---- memory ---- */

static PlimStatus use_memory(PlimContext *context, void *user) {
    ViscosityCase *c = mixed_case(*(int *)user, 1);
    Viscosity *viscosity = NULL;
    SolveResult result;
    KrylovOptions options = krylov_options_default(1);
    PlimStatus status = viscosity_create(context, &c->grid, &viscosity);
    for (int round = 0; status == PLIM_OK && round < 3; round++) {
        uint64_t before = context->allocations;
        status = viscosity_setup(viscosity, &c->problem, 1);
        if (status == PLIM_OK)
            status = viscosity_solve(viscosity, &c->problem, 0.01, &options, c->velocity, &result);
        if (round > 0) assert_int_equal(context->allocations, before);
        if (status == PLIM_OK)
            assert_true(viscosity_bytes(viscosity) == plim_context_bytes(context));
    }
    viscosity_destroy(viscosity);
    visc_destroy(c);
    return status;
}

/* Every allocation is refused once; after the first solve there are none. */
static void test_memory(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        starve(&(Starved){.use = use_memory, .user = &dim, .least = 41, .most = 1000});
}

static void test_bad_input(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    ViscosityCase *c = visc_create(2, 4, 4, 1, 0.1);
    Viscosity *viscosity;
    assert_int_equal(viscosity_create(context, &c->grid, &viscosity), PLIM_OK);
    c->problem.mu = -1.0;
    assert_int_equal(viscosity_setup(viscosity, &c->problem, 1), PLIM_BAD_INPUT);
    c->problem.mu = NAN;
    assert_int_equal(viscosity_setup(viscosity, &c->problem, 1), PLIM_BAD_INPUT);
    c->problem.mu = 1.0;
    c->grid.n[0] = 5;
    assert_int_equal(viscosity_setup(viscosity, &c->problem, 1), PLIM_BAD_INPUT);
    viscosity_destroy(viscosity);
    visc_destroy(c);
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matrix),
        cmocka_unit_test(test_edge_energies),
        cmocka_unit_test(test_rotation_interior),
        cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_gain),
        cmocka_unit_test(test_nothing_to_do),
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
