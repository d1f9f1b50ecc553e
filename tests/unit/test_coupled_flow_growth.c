/* Iterations of the coupled solve on finer and finer grids, at a given viscosity and step: what
 * a body's drag in fluid at rest has over its true one grows with the cells along its surface, and
 * the preconditioner must see through that. */
#include "coupled_flow_case.h"

/* A disc that is let go in a box of fluid at rest, 1 m wide. */
static int count_iterations(PlimContext *context, int n, double mu, double density) {
    Grid grid = {.dim = 2, .n = {n, n, 1}, .spacing = 1.0 / n};
    FlowCase *c = flow_case_create(context, &grid, mu);
    c->problem.density = 1000.0;
    c->problem.dt = 0.01;
    c->problem.momentum = 1e-6;
    c->problem.divergence = 1e-6 * grid_face_area(&grid);
    flow_case_add(c, vec3(0.437, 0.521, 0.0), 0.06, density);
    flow_case_build(c);
    c->start[0][1] = -0.1;
    flow_case_load_momenta(c);
    int iterations = flow_case_solve(c).iterations;
    flow_case_destroy(c);
    return iterations;
}

/* With the flow that a body takes along from the velocities' preconditioner alone, the lightest
 * takes 1.75 times as many on the fine grid. */
static void test_growth(void **state) {
    (void)state;
    static const double densities[] = {1e-3, 1e3, 1e6};
    PlimContext *context = test_context(1);
    print_message("kg/m^3: iterations at 32, 256\n");
    for (int d = 0; d < 3; d++) {
        int coarse = count_iterations(context, 32, 1e5, densities[d]);
        int fine = count_iterations(context, 256, 1e5, densities[d]);
        print_message("%6g: %3d %3d\n", densities[d], coarse, fine);
        assert_true(fine < 1.55 * coarse);
    }
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_growth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
