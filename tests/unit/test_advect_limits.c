/* Advection at its limits: no new extremes, wild velocities, seams, sides, solids, threads, memory.
 */
#include "advect_case.h"

#include "base/hash.h"
#include "grid/interpolate.h"

/* ---- no new extremes ---- */

static void test_bounded(void **state) {
    (void)state;
    for (int cases = 0; cases < 16; cases++) {
        int dim = 2 + cases % 2;
        Grid grid = make_grid(dim, 13, 9, 7, cases / 2 % 2);
        Setup setup = make_setup(2, 1 + cases % 3, cases / 4 % 2 ? ADVECT_MACCORMACK : 0, 1.0);
        set_random_carriers(&setup, &grid, cases / 8, 5.0);
        setup.values = make_random(setup.context, &grid, places[cases % 4], 5, 1.0);
        double low = 1e300, high = -1e300;
        for (size_t i = 0; i < setup.values.count; i++) {
            low = fmin(low, setup.values.data[i]);
            high = fmax(high, setup.values.data[i]);
        }
        for (int step = 0; step < 5; step++) carry(&setup);
        for (size_t i = 0; i < setup.values.count; i++) {
            assert_true(setup.values.data[i] >= low - 1e-15);
            assert_true(setup.values.data[i] <= high + 1e-15);
        }
        close_setup(&setup);
    }
}

/* Velocities that are no numbers, or far too great, do no harm to memory. */
static void test_wild_velocities(void **state) {
    (void)state;
    static const double wild[] = {1e300, -1e300, HUGE_VAL, -HUGE_VAL, NAN};
    for (int cases = 0; cases < 12; cases++) {
        int dim = 2 + cases % 2;
        Grid grid = make_grid(dim, 6, 5, 4, cases / 2 % 2);
        Setup setup = make_setup(1, 1 + cases / 4, ADVECT_MACCORMACK, 1.0);
        set_random_carriers(&setup, &grid, false, 1.0);
        for (int axis = 0; axis < dim; axis++)
            for (size_t i = 0; i < setup.velocity[axis].count; i += 3)
                setup.velocity[axis].data[i] = wild[i % 5];
        setup.values = make_random(setup.context, &grid, PLACE_CELLS, 5, 1.0);
        carry(&setup);
        for (size_t i = 0; i < setup.values.count; i++)
            assert_true(fabs(setup.values.data[i]) <= 1.0);
        close_setup(&setup);
    }
}

/* ---- threads, dimensions, seams ---- */

static uint64_t carried_hash(int threads, int dim, AdvectionScheme scheme, bool solids) {
    Grid grid = make_grid(dim, 190, dim == 3 ? 24 : 190, 20, true);
    grid.sides[1][0] = grid.sides[1][1] = SIDE_WALL;
    Setup setup = make_setup(threads, 3, scheme, 0.5);
    set_random_carriers(&setup, &grid, false, 3.0);
    GridField distance = make_random(setup.context, &grid, PLACE_CELLS, 77, 1.0);
    if (solids) setup.advection.distance = &distance;
    setup.values = make_random(setup.context, &grid, PLACE_FACES_X, 5, 1.0);
    carry(&setup);
    uint64_t hash = hash_bytes(HASH_START, setup.values.data, setup.values.count * sizeof(double));
    field_free(setup.context, &distance);
    close_setup(&setup);
    return hash;
}

static void test_threads(void **state) {
    (void)state;
    for (int cases = 0; cases < 8; cases++) {
        AdvectionScheme scheme = cases / 2 % 2 ? ADVECT_MACCORMACK : ADVECT_SEMI_LAGRANGIAN;
        uint64_t one = carried_hash(1, 2 + cases % 2, scheme, cases / 4);
        assert_true(carried_hash(2, 2 + cases % 2, scheme, cases / 4) == one);
        assert_true(carried_hash(4, 2 + cases % 2, scheme, cases / 4) == one);
    }
}

/* Copies a field of two dimensions into every layer of one of three. */
static GridField extrude(PlimContext *context, const GridField *flat, const Grid *grid,
                         GridPlace place) {
    GridField deep;
    assert_int_equal(field_create(context, grid, place, ADVECT_HALO, &deep), PLIM_OK);
    for (size_t at = 0; at < value_count(&deep); at++)
        deep.data[value_index(&deep, at)] =
            flat->data[value_index(flat, at % ((size_t)deep.n[0] * (size_t)deep.n[1]))];
    field_fill_halo_constant(&deep, 1);
    return deep;
}

static void test_flat_equals_deep(void **state) {
    (void)state;
    for (int cases = 0; cases < 12; cases++) {
        bool periodic = cases % 2;
        AdvectionScheme scheme = cases / 2 % 2 ? ADVECT_MACCORMACK : ADVECT_SEMI_LAGRANGIAN;
        Grid flat_grid = make_grid(2, 17, 13, 1, periodic);
        Grid deep_grid = make_grid(3, 17, 13, 4, periodic);
        Setup flat = make_setup(1, 1 + cases / 4, scheme, 0.6), deep = flat;
        set_random_carriers(&flat, &flat_grid, false, 2.0);
        for (int axis = 0; axis < 2; axis++)
            deep.velocity[axis] =
                extrude(flat.context, &flat.velocity[axis], &deep_grid, grid_place_faces(axis));
        deep.velocity[2] = make_field(flat.context, &deep_grid, PLACE_FACES_Z, zero);
        for (int p = 0; p < place_count(2); p++) {
            flat.values = make_random(flat.context, &flat_grid, places[p], 8, 1.0);
            deep.values = extrude(flat.context, &flat.values, &deep_grid, places[p]);
            carry(&flat);
            carry(&deep);
            size_t layer = value_count(&flat.values);
            for (size_t at = 0; at < value_count(&deep.values); at++)
                assert_true(deep.values.data[value_index(&deep.values, at)] ==
                            flat.values.data[value_index(&flat.values, at % layer)]);
            field_free(flat.context, &flat.values);
            field_free(flat.context, &deep.values);
        }
        drop_fields(&deep);
        scratch_free(&deep.scratch);
        close_setup(&flat);
    }
}

/* The doubled layers of periodic axes stay equal to the bit without help from the halo's filling.
 */
static void leave_halo(const void *user, size_t which, GridField *field, int threads) {
    (void)user, (void)which, (void)field, (void)threads;
}

static void test_doubled_layers(void **state) {
    (void)state;
    for (int cases = 0; cases < 8; cases++) {
        int dim = 2 + cases % 2;
        Grid grid = make_grid(dim, 9, 7, 6, true);
        Setup setup = make_setup(1, 2, ADVECT_SEMI_LAGRANGIAN, 0.6);
        setup.advection.fill_halo = leave_halo;
        set_random_carriers(&setup, &grid, cases / 2 % 2, 2.0);
        for (int p = 0; p < place_count(dim); p++) {
            setup.values = make_random(setup.context, &grid, places[p], 8, 1.0);
            carry(&setup);
            const int *n = setup.values.n;
            for (int k = 0; k < n[2]; k++)
                for (int j = 0; j < n[1]; j++)
                    for (int i = 0; i < n[0]; i++)
                        assert_true(
                            setup.values.data[field_index(&setup.values, i, j, k)] ==
                            setup.values.data[field_index(&setup.values, i % 9, j % 7, k % 6)]);
            field_free(setup.context, &setup.values);
        }
        close_setup(&setup);
    }
}

/* ---- sides ---- */

typedef struct Inflow {
    double value[2];
} Inflow;

static void fill_inflow(const void *user, size_t which, GridField *field, int threads) {
    const Inflow *inflow = user;
    field_fill_halo_constant(field, threads);
    for (int j = -1; j <= field->n[1]; j++)
        field->data[field_index(field, -1, j, 0)] = inflow->value[which];
}

/* What flows in is what the halo says, for each field its own. */
static void test_inflow(void **state) {
    (void)state;
    const Function velocity[] = {speed_x, zero};
    Inflow inflow = {{2.0, -3.0}};
    for (int scheme = 0; scheme < 2; scheme++) {
        Grid grid = make_grid(2, 8, 5, 1, false);
        Setup setup = make_setup(1, 2, (AdvectionScheme)scheme, 0.5);
        set_carriers(&setup, &grid, false, velocity);
        setup.advection.fill_halo = fill_inflow;
        setup.advection.user = &inflow;
        setup.values = make_field(setup.context, &grid, PLACE_CELLS, zero);
        GridField other = make_field(setup.context, &grid, PLACE_CELLS, zero);
        GridField *values[] = {&setup.values, &other};
        for (int axis = 0; axis < 2; axis++) setup.advection.velocity[axis] = &setup.velocity[axis];
        for (size_t w = 0; w < 2; w++) fill_inflow(&inflow, w, values[w], 1);
        for (int step = 0; step < 60; step++)
            assert_int_equal(advect_fields(&setup.advection, values, 2, 1, &setup.scratch),
                             PLIM_OK);
        for (size_t w = 0; w < 2; w++)
            for (size_t at = 0; at < value_count(values[w]); at++)
                assert_close(values[w]->data[value_index(values[w], at)], inflow.value[w], 1e-6);
        field_free(setup.context, &other);
        close_setup(&setup);
    }
}

/* ---- solids ---- */

static Vec3 ball_center;

/* From the nearest of the balls of a periodic unit box. */
static double ball_distance(Vec3 p) {
    Vec3 d = vec3_sub(p, ball_center);
    return vec3_length(vec3(d.x - round(d.x), d.y - round(d.y), d.z - round(d.z))) - 0.21;
}

static double wall_distance(Vec3 p) {
    return fabs(p.x - 0.43) - 0.057;
}

/* Nothing of what is in a solid comes out, whatever the velocities. */
static void check_solid(int dim, GridPlace place, GridPlace distance_place, AdvectionScheme scheme,
                        Function shape) {
    Grid grid = unit_grid(dim, dim == 3 ? 14 : 30, place == PLACE_NODES);
    Setup setup = make_setup(2, 2, scheme, 0.3);
    GridField distance = make_field(setup.context, &grid, distance_place, shape);
    field_fill_halo_constant(&distance, 1); /* as field_sample_linear takes it below */
    setup.advection.distance = &distance;
    set_random_carriers(&setup, &grid, false, 1.0);
    setup.values = make_random(setup.context, &grid, place, 5, 1.0);
    for (int step = 0; step <= 3; step++) {
        if (step > 0) carry(&setup);
        for (size_t at = 0; at < value_count(&setup.values); at++) {
            double *value = &setup.values.data[value_index(&setup.values, at)];
            if (field_sample_linear(&distance, value_point(&setup.values, at)) < 0)
                *value = 1e30;
            else
                assert_true(fabs(*value) <= 1.0);
        }
        field_fill_halo_constant(&setup.values, 1);
    }
    field_free(setup.context, &distance);
    close_setup(&setup);
}

/* A ball in the middle, one across a side, and a wall less than two cells thick. */
static void test_solids(void **state) {
    (void)state;
    for (int cases = 0; cases < 2 * 2 * 2 * 3; cases++) {
        int dim = 2 + cases % 2;
        AdvectionScheme scheme = cases / 2 % 2 ? ADVECT_MACCORMACK : ADVECT_SEMI_LAGRANGIAN;
        ball_center = vec3(cases / 8 == 1 ? 0.19 : 0.5, 0.47, dim == 3 ? 0.52 : 0.0);
        for (int p = 0; p < place_count(dim); p++)
            check_solid(dim, places[p], cases / 4 % 2 ? PLACE_NODES : PLACE_CELLS, scheme,
                        cases / 8 == 2 ? wall_distance : ball_distance);
    }
}

/* A trace into a ball ends on its surface, straight out from where it would have ended. */
static void test_trace_leaves_solid(void **state) {
    (void)state;
    const Function velocity[] = {speed_x, zero, zero};
    Grid grid = unit_grid(3, 40, false);
    Setup setup = make_setup(1, 2, ADVECT_SEMI_LAGRANGIAN, 0.2);
    set_carriers(&setup, &grid, false, velocity);
    ball_center = vec3(0.5, 0.5, 0.5);
    GridField distance = make_field(setup.context, &grid, PLACE_CELLS, ball_distance);
    setup.advection.distance = &distance;
    for (int axis = 0; axis < 3; axis++) setup.advection.velocity[axis] = &setup.velocity[axis];
    Vec3 free_end = vec3(0.82 - 0.2 * 0.83, 0.52, 0.47);
    Vec3 end = advect_trace(&setup.advection, vec3(0.82, 0.52, 0.47));
    Vec3 out = vec3_normalize(vec3_sub(free_end, ball_center));
    Vec3 expected = vec3_add_scaled(ball_center, 0.21, out);
    assert_close(vec3_length(vec3_sub(end, expected)), 0.0, 0.1 * grid.spacing);
    /* Between the values of a convex distance there is less than what interpolation says. */
    assert_true(ball_distance(end) > -0.05 * grid.spacing);
    field_free(setup.context, &distance);
    close_setup(&setup);
}

/* ---- memory ---- */

static void test_steady_memory(void **state) {
    (void)state;
    Grid grid = make_grid(3, 12, 11, 10, true);
    Setup setup = make_setup(2, 2, ADVECT_MACCORMACK, 0.3);
    set_random_carriers(&setup, &grid, false, 1.0);
    setup.values = make_random(setup.context, &grid, PLACE_CELLS, 5, 1.0);
    carry(&setup);
    assert_int_equal(scratch_mark(&setup.scratch), 0);
    assert_int_equal(scratch_reset(&setup.scratch), PLIM_OK);
    uint64_t allocations = setup.context->allocations;
    for (int step = 0; step < 3; step++) {
        scratch_poison(&setup.scratch);
        carry(&setup);
        for (size_t i = 0; i < setup.values.count; i++)
            assert_true(fabs(setup.values.data[i]) <= 1.0);
    }
    assert_int_equal(setup.context->allocations, allocations);
    close_setup(&setup);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounded),        cmocka_unit_test(test_wild_velocities),
        cmocka_unit_test(test_threads),        cmocka_unit_test(test_flat_equals_deep),
        cmocka_unit_test(test_doubled_layers), cmocka_unit_test(test_inflow),
        cmocka_unit_test(test_solids),         cmocka_unit_test(test_trace_leaves_solid),
        cmocka_unit_test(test_steady_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
