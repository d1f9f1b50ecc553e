/* Advection away from sides and solids: what is kept to the bit, linear functions exactly, orders
 * in space and of the traces in time. */
#include "advect_case.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

/* ---- what stays ---- */

/* Linear functions move as they should, all places, both kinds of carriers, away from the sides. */
static void test_linear_exact(void **state) {
    (void)state;
    const Function velocity[] = {speed_x, speed_y, speed_z};
    for (int cases = 0; cases < 2 * 2 * 2 * 3; cases++) {
        int dim = 2 + cases % 2, order = 1 + cases / 8;
        AdvectionScheme scheme = cases / 2 % 2 ? ADVECT_MACCORMACK : ADVECT_SEMI_LAGRANGIAN;
        Grid grid = make_grid(dim, 11, 10, 9, false);
        Setup setup = make_setup(1, order, scheme, 0.9);
        set_carriers(&setup, &grid, cases / 4 % 2, velocity);
        for (int p = 0; p < place_count(dim); p++) {
            setup.values = make_field(setup.context, &grid, places[p], linear_function);
            carry(&setup);
            for (size_t at = 0; at < value_count(&setup.values); at++) {
                Vec3 x = value_point(&setup.values, at);
                double now[3], before[3] = {0, 0, 0}, origin[3], margin = 4.0 * grid.spacing;
                vec3_store(now, x);
                vec3_store(origin, grid.origin);
                bool inside = true;
                for (int axis = 0; axis < dim; axis++) {
                    before[axis] = now[axis] - 0.9 * velocity[axis](x);
                    double from = now[axis] - origin[axis];
                    inside &= from > margin && from < grid.n[axis] * grid.spacing - margin;
                }
                if (inside)
                    assert_close(setup.values.data[value_index(&setup.values, at)],
                                 linear_function(vec3_load(before)), 1e-13);
            }
            field_free(setup.context, &setup.values);
        }
        close_setup(&setup);
    }
}

/* No bit changes for dt == 0, nor where nothing moves; a constant stays one to the bit in any
 * flow. */
static void test_no_bit_changes(void **state) {
    (void)state;
    for (int cases = 0; cases < 2 * 2 * 2 * 3 * 3; cases++) {
        int dim = 2 + cases % 2, kind = cases / 8 % 3, order = 1 + cases / 24;
        bool periodic = cases / 2 % 2;
        Grid grid = make_grid(dim, 7, 6, 5, periodic);
        Setup setup = make_setup(2, order, cases / 4 % 2 ? ADVECT_MACCORMACK : 0, kind ? 0.7 : 0.0);
        set_random_carriers(&setup, &grid, order == 2, kind == 1 ? 0.0 : 3.0);
        for (int p = 0; p < place_count(dim); p++) {
            setup.values = make_random(setup.context, &grid, places[p], 9, kind == 2 ? 0.0 : 1.0);
            for (size_t i = 0; i < setup.values.count && kind == 2; i++) setup.values.data[i] = 0.1;
            double *before = malloc(setup.values.count * sizeof *before);
            memcpy(before, setup.values.data, setup.values.count * sizeof *before);
            carry(&setup);
            assert_memory_equal(before, setup.values.data, setup.values.count * sizeof *before);
            free(before);
            field_free(setup.context, &setup.values);
        }
        close_setup(&setup);
    }
}

static double three_cells(Vec3 p) {
    (void)p;
    return 3.0;
}

/* Whole cells a step round a periodic box: values change places, nothing else; also many times
 * round. */
static void test_whole_cells(void **state) {
    (void)state;
    const Function velocity[] = {three_cells, zero, zero};
    for (int cases = 0; cases < 8; cases++) {
        int dim = 2 + cases % 2, cells = cases / 4 ? 3 * 17 : 3;
        Grid grid = make_grid(dim, 8, 5, 4, true);
        grid.spacing = 1.0;
        Setup setup = make_setup(1, 2, cases / 2 % 2 ? ADVECT_MACCORMACK : 0, cells / 3.0);
        set_carriers(&setup, &grid, false, velocity);
        for (int p = 0; p < place_count(dim); p++) {
            setup.values = make_random(setup.context, &grid, places[p], 9, 1.0);
            double *before = compact_copy(&setup.values);
            carry(&setup);
            size_t nx = (size_t)setup.values.n[0];
            for (size_t at = 0; at < value_count(&setup.values); at++) {
                size_t from = at - at % nx + (at % nx + 800 - (size_t)cells) % 8;
                assert_true(setup.values.data[value_index(&setup.values, at)] == before[from]);
            }
            free(before);
            field_free(setup.context, &setup.values);
        }
        close_setup(&setup);
    }
}

/* ---- orders in space ---- */

static double bump(Vec3 p) {
    return exp(0.7 * (sin(2 * pi * p.x) + cos(2 * pi * p.y)));
}

/* Free of divergence, with period 1: a uniform flow and vortices. */
static double swirl_x(Vec3 p) {
    return 0.7 + 0.4 * sin(2 * pi * p.x) * cos(2 * pi * p.y);
}

static double swirl_y(Vec3 p) {
    return -0.4 - 0.4 * cos(2 * pi * p.x) * sin(2 * pi * p.y);
}

/* Back along the flow for time t, by the classical Runge-Kutta method in steps that leave no error.
 */
static Vec3 follow_back(const Function velocity[], Vec3 p, double t) {
    enum { STEPS = 60 };
    double h = -t / STEPS;
    for (int step = 0; step < STEPS; step++) {
        Vec3 k[4], at = p;
        for (int stage = 0; stage < 4; stage++) {
            k[stage] = vec3(velocity[0](at), velocity[1](at), 0.0);
            at = vec3_add_scaled(p, stage < 2 ? 0.5 * h : h, k[stage]);
        }
        Vec3 sum = vec3_add(vec3_add(k[0], k[3]), vec3_scale(2.0, vec3_add(k[1], k[2])));
        p = vec3_add_scaled(p, h / 6.0, sum);
    }
    return p;
}

typedef struct Norms {
    double l1, l2, max;
} Norms;

/* Error after a quarter of a second, at Courant numbers of about 0.5. */
static Norms carried_error(AdvectionScheme scheme, const Function velocity[], int n,
                           GridPlace place) {
    Grid grid = unit_grid(2, n, true);
    int steps = n / 2;
    Setup setup = make_setup(2, 2, scheme, 0.25 / steps);
    set_carriers(&setup, &grid, false, velocity);
    setup.values = make_field(setup.context, &grid, place, bump);
    for (int step = 0; step < steps; step++) carry(&setup);
    Norms norms = {0, 0, 0};
    for (size_t at = 0; at < value_count(&setup.values); at++) {
        Vec3 from = follow_back(velocity, value_point(&setup.values, at), 0.25);
        double error = fabs(setup.values.data[value_index(&setup.values, at)] - bump(from));
        norms.l1 += error;
        norms.l2 += error * error;
        norms.max = fmax(norms.max, error);
    }
    norms.l1 /= (double)value_count(&setup.values);
    norms.l2 = sqrt(norms.l2 / (double)value_count(&setup.values));
    close_setup(&setup);
    return norms;
}

static Norms measured_order(AdvectionScheme scheme, const Function velocity[], GridPlace place) {
    Norms coarse = carried_error(scheme, velocity, 64, place);
    Norms fine = carried_error(scheme, velocity, 128, place);
    Norms order = {log2(coarse.l1 / fine.l1), log2(coarse.l2 / fine.l2),
                   log2(coarse.max / fine.max)};
    print_message("  %s: order %.2f (L1) %.2f (L2) %.2f (max), errors at 128: %.2e %.2e %.2e\n",
                  scheme == ADVECT_MACCORMACK ? "MacCormack" : "semi-Lagrangian", order.l1,
                  order.l2, order.max, fine.l1, fine.l2, fine.max);
    return order;
}

static void test_orders_in_space(void **state) {
    (void)state;
    const Function constant[] = {speed_x, speed_y}, swirl[] = {swirl_x, swirl_y};
    for (int cases = 0; cases < 4; cases++) {
        const Function *velocity = cases % 2 ? swirl : constant;
        GridPlace place = cases / 2 ? PLACE_FACES_Y : PLACE_CELLS;
        Norms first = measured_order(ADVECT_SEMI_LAGRANGIAN, velocity, place);
        assert_true(first.l1 > 0.9 && first.l2 > 0.9);
        Norms second = measured_order(ADVECT_MACCORMACK, velocity, place);
        assert_true(second.l1 > 1.8 && second.l2 > 1.8);
    }
}

/* ---- orders of the traces ---- */

/* Solid-body rotation about (0.5, 0.5): linear, so that interpolation adds nothing. */
static double turn_x(Vec3 p) {
    return 0.5 - p.y;
}

static double turn_y(Vec3 p) {
    return p.x - 0.5;
}

static double trace_error(int order, int steps, bool on_nodes) {
    const Function velocity[] = {turn_x, turn_y};
    Grid grid = unit_grid(2, 10, false);
    Setup setup = make_setup(1, order, ADVECT_SEMI_LAGRANGIAN, 1.0 / steps);
    set_carriers(&setup, &grid, on_nodes, velocity);
    for (int axis = 0; axis < 2; axis++) setup.advection.velocity[axis] = &setup.velocity[axis];
    Vec3 p = vec3(0.62, 0.55, 0.0), from_center = vec3(0.12, 0.05, 0.0);
    for (int step = 0; step < steps; step++) p = advect_trace(&setup.advection, p);
    Vec3 exact = vec3(0.5 + cos(1.0) * from_center.x + sin(1.0) * from_center.y,
                      0.5 - sin(1.0) * from_center.x + cos(1.0) * from_center.y, 0.0);
    close_setup(&setup);
    return vec3_length(vec3_sub(p, exact));
}

static void test_trace_orders(void **state) {
    (void)state;
    for (int order = 1; order <= 3; order++)
        for (int on_nodes = 0; on_nodes < 2; on_nodes++) {
            double measured =
                log2(trace_error(order, 20, on_nodes) / trace_error(order, 40, on_nodes));
            assert_close(measured, order, 0.1);
        }
}

/* Paths that keep the velocity of their start: a straight line forward from the end of the trace
 * leads back, but for the third order in dt. */
static double return_error(double dt) {
    const Function velocity[] = {turn_x, turn_y};
    Grid grid = unit_grid(2, 10, false);
    Setup setup = make_setup(1, ADVECT_FROM_START, ADVECT_SEMI_LAGRANGIAN, dt);
    set_carriers(&setup, &grid, false, velocity);
    for (int axis = 0; axis < 2; axis++) setup.advection.velocity[axis] = &setup.velocity[axis];
    Vec3 x = vec3(0.62, 0.55, 0.0), from = advect_trace(&setup.advection, x);
    Vec3 there = vec3_add_scaled(from, dt, vec3(turn_x(from), turn_y(from), 0.0));
    close_setup(&setup);
    return vec3_length(vec3_sub(there, x));
}

static void test_trace_from_start(void **state) {
    (void)state;
    assert_close(log2(return_error(0.1) / return_error(0.05)), 3.0, 0.1);
}

/* The traces of the fields end where that of a point does: a carried coordinate shows where. */
static double coordinate_x(Vec3 p) {
    return p.x;
}

static void test_traces_agree(void **state) {
    (void)state;
    for (int cases = 0; cases < 16; cases++) {
        int dim = 2 + cases % 2, order = cases / 4; /* 0: ADVECT_FROM_START */
        Grid grid = make_grid(dim, 9, 8, 7, false);
        Setup setup = make_setup(1, order, ADVECT_SEMI_LAGRANGIAN, 0.4);
        set_random_carriers(&setup, &grid, cases / 2 % 2, 2.0);
        for (int p = 0; p < place_count(dim); p++) {
            setup.values = make_field(setup.context, &grid, places[p], coordinate_x);
            carry(&setup);
            for (size_t at = 0; at < value_count(&setup.values); at++) {
                Vec3 x = advect_trace(&setup.advection, value_point(&setup.values, at));
                assert_close(setup.values.data[value_index(&setup.values, at)], x.x, 1e-13);
            }
            field_free(setup.context, &setup.values);
        }
        close_setup(&setup);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear_exact), cmocka_unit_test(test_no_bit_changes),
        cmocka_unit_test(test_whole_cells),  cmocka_unit_test(test_orders_in_space),
        cmocka_unit_test(test_trace_orders), cmocka_unit_test(test_trace_from_start),
        cmocka_unit_test(test_traces_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
