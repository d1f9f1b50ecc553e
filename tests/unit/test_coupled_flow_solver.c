/* The coupled solve as a method: its preconditioner, iterations over viscosities, densities and
 * sizes, bits for any number of threads, memory that runs out. */
#include "coupled_flow_inside.h"
#include "ration.h"

/* A disc off the grid in a stirred box of walls; `stiffness` is mu dt / (density h^2). */
static FlowCase *make(PlimContext *context, int dim, int n, double stiffness, double density) {
    Grid grid = {.dim = dim, .n = {n, n, dim == 3 ? n : 1}, .spacing = 1.0 / n};
    const double pi = 3.14159265358979323846, dt = 0.5 / n;
    FlowCase *c =
        flow_case_create(context, &grid, stiffness * 1000.0 * grid.spacing * grid.spacing / dt);
    c->problem.density = 1000.0;
    c->problem.dt = dt;
    c->problem.momentum = 1e-6;
    c->problem.divergence = 1e-6 * grid_face_area(&grid);
    flow_case_add(c, vec3(0.437, 0.521, dim == 3 ? 0.48 : 0.0), 0.126, 1000.0 * density);
    flow_case_build(c);
    FLOW_FACES(c, a, i, j, k) {
        Vec3 x = grid_face_center(&grid, a, i, j, k);
        double wave = a == 0   ? sin(pi * x.x) * cos(2.0 * pi * x.y)
                      : a == 1 ? sin(2.0 * pi * x.y) * cos(pi * x.x)
                               : 0.0;
        c->velocity[a][grid_face_index(&grid, a, i, j, k)] =
            flow_case_on_given_side(c, a, (int[3]){i, j, k}) ? 0.0 : 0.5 * wave;
    }
    const double start[6] = {0.1, -1.0, 0, 0, 0, 2.0};
    memcpy(c->start[0], start, sizeof start);
    flow_case_load_momenta(c);
    return c;
}

/* ---- the preconditioner ---- */

/* Cycles are in single precision. */
static void test_preconditioner(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    static const double stiffness[] = {1e-3, 1.0, 1e5};
    for (int round = 0; round < 6; round++) {
        int dim = 2 + round / 3;
        FlowCase *c = make(context, dim, dim == 2 ? 20 : 10, stiffness[round % 3], 1e-3);
        flow_case_solve(c);
        flow_case_begin(c);
        FlowUnknowns u = flow_unknowns(c);
        LinearMap cycle = flow_unknowns_preconditioner(&u), map = flow_unknowns_map(&u);
        operator_check(&cycle, &(OperatorTest){1e-6, .symmetric = true, .semidefinite = true});
        operator_check(&map, &(OperatorTest){1e-12, .symmetric = true});
        flow_unknowns_free(&u);
        flow_case_end(c);
        flow_case_destroy(c);
    }
    test_context_close(context);
}

/* ---- iterations ---- */

static void test_iterations(void **state) {
    (void)state;
    static const double stiffness[] = {1e-3, 1e-1, 1.0, 10.0, 1e3, 1e5};
    static const double densities[] = {1e-6, 1e-3, 1.0, 1e6};
    PlimContext *context = test_context(1);
    print_message("mu dt/(density h^2), ratio of densities: iterations at 32, 64\n");
    for (size_t s = 0; s < 6; s++)
        for (size_t d = 0; d < 4; d++) {
            int iterations[2];
            for (int size = 0; size < 2; size++) {
                FlowCase *c = make(context, 2, 32 << size, stiffness[s], densities[d]);
                iterations[size] = flow_case_solve(c).iterations;
                flow_case_destroy(c);
            }
            print_message("%6g %6g: %3d %3d\n", stiffness[s], densities[d], iterations[0],
                          iterations[1]);
            assert_true(iterations[0] < 90 && iterations[1] < 90);
            assert_true(iterations[1] < 1.6 * iterations[0]);
        }
    test_context_close(context);
}

static void test_inviscid_iterations(void **state) {
    (void)state;
    static const double densities[] = {1e-9, 1e-5, 1e-3, 1.0, 1e6};
    PlimContext *context = test_context(1);
    for (size_t d = 0; d < 5; d++) {
        int iterations[2];
        for (int size = 0; size < 2; size++) {
            FlowCase *c = make(context, 2, 32 << size, 0.0, densities[d]);
            iterations[size] = flow_case_solve(c).iterations;
            flow_case_destroy(c);
        }
        print_message("inviscid, %6g: %3d %3d\n", densities[d], iterations[0], iterations[1]);
        int most = densities[d] < 1e-4 ? 35 : 12; /* light bodies are unknowns of their own */
        assert_true(iterations[0] < most && iterations[1] < most);
    }
    test_context_close(context);
}

/* ---- bits ---- */

static uint64_t mix(uint64_t hash, const double *x, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        hash = (hash ^ bits) * 1099511628211u;
    }
    return hash;
}

/* Also after another problem has been through the same object. */
static uint64_t hash_of(int threads, double stiffness, bool used) {
    PlimContext *context = test_context(threads);
    FlowCase *c = make(context, 2, 96, stiffness, 1e-2);
    for (uint64_t seed = used ? 5 : 6; seed <= 6; seed++) {
        flow_case_random(c, seed);
        flow_case_solve(c);
    }
    uint64_t hash = mix(1469598103934665603u, c->pressure, grid_cell_count(&c->grid));
    for (int a = 0; a < 2; a++) hash = mix(hash, c->velocity[a], grid_face_count(&c->grid, a));
    hash = mix(mix(hash, c->bodies[0].velocity, 6), c->bodies[0].impulse, 6);
    flow_case_destroy(c);
    test_context_close(context);
    return hash;
}

static void test_same_bits(void **state) {
    (void)state;
    static const double stiffness[] = {0.0, 0.1};
    for (int round = 0; round < 2; round++) {
        uint64_t hash = hash_of(1, stiffness[round], false);
        assert_true(hash_of(2, stiffness[round], false) == hash);
        assert_true(hash_of(4, stiffness[round], true) == hash);
    }
}

/* ---- memory ---- */

/* Velocities and bodies are as before when a solve had no memory, the next one has, and once warmed
 * up a solve allocates nothing. */
static void test_memory(void **state) {
    (void)state;
    for (int round = 0; round < 2; round++) {
        double stiffness = round ? 1.0 : 0.0;
        long granted = 0;
        for (bool done = false; !done; granted++) {
            Ration ration = {.left = LONG_MAX};
            PlimContext *context = rationed_context(&ration);
            FlowCase *c = make(context, 2, 10, stiffness, 0.5);
            uint64_t before = mix(mix(7, c->velocity[0], 11 * 10), c->bodies[0].velocity, 6);
            flow_case_load(c);
            ration.left = granted;
            FlowResult result;
            PlimStatus status =
                coupled_flow_solve(c->flow, &c->problem, c->velocity, c->pressure, &result);
            flow_bodies_store(&c->structure, c->bodies);
            uint64_t after = mix(mix(7, c->velocity[0], 11 * 10), c->bodies[0].velocity, 6);
            done = !ration.refused;
            assert_int_equal(status, done ? PLIM_OK : PLIM_OUT_OF_MEMORY);
            if (result.reason != SOLVE_CONVERGED) assert_true(before == after);
            if (done) assert_true(result.reason == SOLVE_CONVERGED && before != after);
            for (int solve = 0; (granted % 16 == 0 || done) && solve < 3; solve++) {
                ration.left = solve < 2 ? LONG_MAX : 0;
                flow_case_solve(c);
            }
            flow_case_destroy(c);
            test_context_close(context);
            assert_int_equal(ration.held, 0);
        }
        assert_true(granted > 3 && granted < 2000);
        print_message("%ld requests\n", granted - 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_preconditioner),
        cmocka_unit_test(test_iterations),
        cmocka_unit_test(test_inviscid_iterations),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
