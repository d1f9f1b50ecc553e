/* Viscosity of a liquid that ends in air: no stress at the surface, momentum kept, nothing done to
 * what moves as one, a film that flows down a wall, iterations. */
#include "viscosity_case.h"

#include "solve/viscosity/viscosity_internal.h"

typedef double (*Level)(Vec3 x);

/* Lengths are parts of the unit box. */
static double lump(Vec3 x) {
    return vec3_length(vec3_sub(x, vec3(0.513, 0.478, x.z > 0.0 ? 0.523 : 0.0))) - 0.27;
}

static double tilted(Vec3 x) {
    return x.y - 0.4137 - 0.2 * (x.x - 0.5);
}

static double *liquid_of(const Grid *grid, Level level) {
    double *liquid = calloc(grid_cell_count(grid), sizeof *liquid);
    for (int k = 0; k < grid->n[2]; k++)
        for (int j = 0; j < grid->n[1]; j++)
            for (int i = 0; i < grid->n[0]; i++)
                liquid[grid_cell_index(grid, i, j, k)] = fmin(
                    1.0, fmax(0.0, 0.5 - level(grid_cell_center(grid, i, j, k)) / grid->spacing));
    return liquid;
}

static bool is_dry(const ViscosityCase *c, const double *liquid, int a, const int at[3]) {
    const Grid *grid = &c->grid;
    int below[3] = {at[0] - (a == 0), at[1] - (a == 1), at[2] - (a == 2)};
    bool dry = true;
    if (at[a] < grid->n[a]) dry &= liquid[grid_cell_index(grid, at[0], at[1], at[2])] < 1e-6;
    if (at[a] > 0) dry &= liquid[grid_cell_index(grid, below[0], below[1], below[2])] < 1e-6;
    return dry;
}

/* ---- the matrix ---- */

/* Parts by chance, a third of the cells dry, any walls and viscosities: symmetric, and positive. */
static void test_matrix(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    for (uint64_t seed = 0; seed < 12; seed++) {
        int dim = 2 + (int)(seed % 2);
        ViscosityCase *c = visc_create(dim, 7, 6, 5, 0.25);
        size_t cells = grid_cell_count(&c->grid);
        double *liquid = calloc(cells, sizeof *liquid);
        for (size_t i = 0; i < cells; i++)
            liquid[i] = fmax(0.0, 1.5 * random_uniform(seed, 30, i) - 0.5);
        if (seed % 3 == 1) visc_sides(c, 0, SIDE_PERIODIC, SIDE_PERIODIC);
        if (seed % 3 == 2) visc_sides(c, 1, SIDE_OPEN, SIDE_WALL);
        if (seed >= 4) visc_random_distance(c, seed);
        if (seed >= 8) visc_random_mu(c, seed);
        c->problem.liquid = liquid;
        Viscosity *v;
        assert_int_equal(viscosity_create(context, &c->grid, &v), PLIM_OK);
        assert_int_equal(viscosity_setup(v, &c->problem, 1), PLIM_OK);
        LinearMap map = viscosity_map(v, 1.0, 0.3);
        operator_check(&map, &(OperatorTest){1e-13, .symmetric = true, .semidefinite = true});
        viscosity_destroy(v);
        free(liquid);
        visc_destroy(c);
    }
    test_context_close(context);
}

/* ---- what is kept ---- */

typedef struct Rigid {
    Vec3 velocity, turn;
} Rigid;

static double rigid_field(const void *user, int component, Vec3 x) {
    const Rigid *rigid = user;
    return vec3_component(vec3_add(rigid->velocity, vec3_cross(rigid->turn, x)), component);
}

/* Linear and angular momentum over the density, with the masses that the solve has. */
static void find_momentum(const ViscosityCase *c, const Viscosity *v, double out[6]) {
    memset(out, 0, 6 * sizeof *out);
    VISC_FACES(c, a, i, j, k) {
        double mass = (double)v->part[a][lattice_index(v, i, j, k)];
        double u = *visc_at(c, c->velocity, a, i, j, k), turn[3];
        Vec3 x = grid_face_center(&c->grid, a, i, j, k);
        vec3_store(turn, vec3_cross(x, vec3_axis(a)));
        out[a] += mass * u;
        for (int b = 0; b < 3; b++) out[3 + b] += mass * u * turn[b];
    }
}

static SolveResult solve(Viscosity *v, ViscosityCase *c, double dt, double relative) {
    KrylovOptions options = krylov_options_default(1);
    SolveResult result;
    options.relative = relative;
    options.max_iterations = 2000;
    assert_int_equal(viscosity_setup(v, &c->problem, 1), PLIM_OK);
    assert_int_equal(viscosity_solve(v, &c->problem, dt, &options, c->velocity, &result), PLIM_OK);
    assert_int_equal(result.reason, SOLVE_CONVERGED);
    return result;
}

/* A lump in flight: rigid motion stays, momenta of any motion stay, and so does what is dry. */
static void test_lump(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    static const double ratios[] = {0.5, 1e3};
    for (int round = 0; round < 4; round++) {
        int dim = 2 + round / 2, n = dim == 2 ? 32 : 16;
        ViscosityCase *c = visc_create(dim, n, n, n, 1.0 / n);
        double *liquid = liquid_of(&c->grid, lump), dt = ratios[round % 2] / (n * n);
        double before[6], after[6], worst = 0.0;
        Rigid rigid = {vec3(0.7, -1.1, dim == 3 ? 0.3 : 0.0), vec3(0, 0, 3.0)};
        Viscosity *v;
        if (dim == 3) rigid.turn = vec3(1.0, -2.0, 3.0);
        c->problem.liquid = liquid;
        assert_int_equal(viscosity_create(context, &c->grid, &v), PLIM_OK);
        visc_set_velocity(c, rigid_field, &rigid);
        solve(v, c, dt, 1e-12);
        assert_true(visc_error(c, rigid_field, &rigid) < 1e-10);
        visc_random_velocity(c, 11);
        find_momentum(c, v, before);
        SolveResult result = solve(v, c, dt, 1e-13);
        find_momentum(c, v, after);
        for (int i = 0; i < 6; i++) worst = fmax(worst, fabs(after[i] - before[i]));
        print_message("%dD, dt mu/(density h^2) %g: %d iterations, momenta off by %.2g\n", dim,
                      ratios[round % 2], result.iterations, worst);
        assert_true(worst < 1e-9);
        VISC_FACES(c, a, i, j, k) {
            size_t face = grid_face_index(&c->grid, a, i, j, k);
            if (is_dry(c, liquid, a, (int[3]){i, j, k}))
                assert_true(c->velocity[a][face] == random_normal(11, (uint64_t)a, face));
        }
        viscosity_destroy(v);
        free(liquid);
        visc_destroy(c);
    }
    test_context_close(context);
}

/* ---- walls ---- */

static void add_force(void *user, int wall, int component, Vec3 x, double force) {
    (void)wall, (void)x;
    ((double *)user)[component] += force;
}

/* Cells and faces by chance: what walls get is what the liquid loses. */
static void test_walls(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    for (uint64_t seed = 0; seed < 4; seed++) {
        int dim = 2 + (int)(seed % 2);
        ViscosityCase *c = visc_create(dim, 7, 6, 5, 0.25);
        size_t cells = grid_cell_count(&c->grid);
        double *liquid = calloc(cells, sizeof *liquid);
        double before[6], after[6], force[3] = {0}, dt = 0.02;
        for (size_t i = 0; i < cells; i++)
            liquid[i] = fmax(0.0, 1.5 * random_uniform(seed, 30, i) - 0.5);
        c->problem.liquid = liquid;
        visc_random_distance(c, seed);
        visc_random_velocity(c, seed);
        Viscosity *v;
        assert_int_equal(viscosity_create(context, &c->grid, &v), PLIM_OK);
        assert_int_equal(viscosity_setup(v, &c->problem, 1), PLIM_OK);
        find_momentum(c, v, before);
        solve(v, c, dt, 1e-15);
        find_momentum(c, v, after);
        viscosity_reactions(v, &c->problem, c->velocity, add_force, force);
        for (int a = 0; a < dim; a++)
            assert_close((after[a] - before[a]) * grid_cell_volume(&c->grid), -dt * force[a],
                         1e-12);
        viscosity_destroy(v);
        free(liquid);
        visc_destroy(c);
    }
    test_context_close(context);
}

static const Rigid drum = {{0.5, -0.5, 0.0}, {0.0, 0.0, 1.0}}; /* about (0.5, 0.5) */

static double drum_velocity(const void *user, int wall, int component, Vec3 x) {
    (void)user, (void)wall;
    return rigid_field(&drum, component, x);
}

static double drum_distance(const void *user, Vec3 x) {
    (void)user;
    return 0.4 - vec3_length(vec3_sub(vec3(x.x, x.y, 0), vec3(0.5, 0.5, 0)));
}

/* Half full, the liquid turning with the drum that holds it: nothing changes. */
static void test_drum(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    for (int dim = 2; dim <= 3; dim++) {
        ViscosityCase *c = visc_create(dim, 14, 14, 4, 1.0 / 14);
        double *liquid = liquid_of(&c->grid, tilted);
        c->problem.liquid = liquid;
        c->problem.wall_velocity = drum_velocity;
        if (dim == 3) visc_sides(c, 2, SIDE_PERIODIC, SIDE_PERIODIC);
        visc_set_velocity(c, rigid_field, &drum);
        visc_set_distance(c, drum_distance, NULL);
        Viscosity *v;
        assert_int_equal(viscosity_create(context, &c->grid, &v), PLIM_OK);
        solve(v, c, 10.0, 1e-12);
        assert_true(visc_error(c, rigid_field, &drum) < 1e-7);
        viscosity_destroy(v);
        free(liquid);
        visc_destroy(c);
    }
    test_context_close(context);
}

/* ---- a film ---- */

typedef struct Film {
    double depth, push; /* m, m/s^2 over nu */
} Film;

static double film_field(const void *user, int component, Vec3 x) {
    const Film *film = user;
    double y = fmin(x.y, film->depth);
    return component == 0 ? film->push * (film->depth * y - 0.5 * y * y) : 0.0;
}

/* Pushed along a wall, to the steady state in one long step; the surface is anywhere in a cell.
 * The error in velocities of faces with liquid, of the greatest velocity. */
static double film_error(int n, double depth) {
    PlimContext *context = test_context(1);
    ViscosityCase *c = visc_create(2, 4, n, 1, 1.0 / n);
    double h = c->grid.spacing, dt = 1e6, worst = 0.0;
    double *liquid = calloc(grid_cell_count(&c->grid), sizeof *liquid);
    Film film = {depth, 1.0};
    for (int j = 0; j < n; j++)
        for (int i = 0; i < 4; i++)
            liquid[grid_cell_index(&c->grid, i, j, 0)] = fmin(1.0, fmax(0.0, depth / h - j));
    c->problem.liquid = liquid;
    visc_sides(c, 0, SIDE_PERIODIC, SIDE_PERIODIC);
    for (size_t f = 0; f < grid_face_count(&c->grid, 0); f++) c->velocity[0][f] = dt;
    Viscosity *v;
    assert_int_equal(viscosity_create(context, &c->grid, &v), PLIM_OK);
    solve(v, c, dt, 1e-12);
    VISC_FACES(c, a, i, j, k) {
        if (is_dry(c, liquid, a, (int[3]){i, j, k})) continue;
        double exact = film_field(&film, a, grid_face_center(&c->grid, a, i, j, k));
        if (a == 0) worst = fmax(worst, fabs(*visc_at(c, c->velocity, a, i, j, k) - exact));
    }
    viscosity_destroy(v);
    free(liquid);
    visc_destroy(c);
    test_context_close(context);
    return worst / (0.5 * depth * depth);
}

static void test_film(void **state) {
    (void)state;
    static const double depths[] = {0.5, 0.5137, 0.53, 0.6171};
    double worst[4] = {0};
    for (int size = 0; size < 4; size++)
        for (int i = 0; i < 4; i++)
            worst[size] = fmax(worst[size], film_error(16 << size, depths[i]));
    print_message("film: errors %.2g %.2g %.2g %.2g at 16 to 128 cells\n", worst[0], worst[1],
                  worst[2], worst[3]);
    assert_true(worst[0] < 0.02);
    assert_true(log2(worst[0] / worst[3]) / 3.0 > 1.8);
}

/* ---- iterations and bits ---- */

static SolveResult stir(int dim, int n, double ratio, Level level, int threads, double *kept) {
    PlimContext *context = test_context(threads);
    ViscosityCase *c = visc_create(dim, n, n, n, 1.0 / n);
    double *liquid = level ? liquid_of(&c->grid, level) : NULL;
    c->problem.liquid = liquid;
    visc_random_velocity(c, 3);
    VISC_FACES(c, a, i, j, k)
    if (!visc_is_free(c, a, i, j, k)) *visc_at(c, c->velocity, a, i, j, k) = 0.0;
    SolveResult result = visc_solve(context, c, ratio / (n * n), 1e-8);
    assert_int_equal(result.reason, SOLVE_CONVERGED);
    if (kept) memcpy(kept, c->velocity[1], grid_face_count(&c->grid, 1) * sizeof *kept);
    free(liquid);
    visc_destroy(c);
    test_context_close(context);
    return result;
}

/* Air costs few iterations, but that a lump in flight turns at no cost no component alone knows. */
static void test_iterations(void **state) {
    (void)state;
    static const double ratios[] = {0.1, 1.0, 10.0, 1e3, 1e5, 1e7};
    for (int round = 0; round < 12; round++) {
        int dim = 2 + round / 6, n = dim == 2 ? 64 : 20;
        double ratio = ratios[round % 6];
        int full = stir(dim, n, ratio, NULL, 1, NULL).iterations;
        int half = stir(dim, n, ratio, tilted, 1, NULL).iterations;
        int free_lump = stir(dim, n, ratio, lump, 1, NULL).iterations;
        print_message("%dD, dt mu/(density h^2) %g: %d full, %d half full, %d a lump\n", dim, ratio,
                      full, half, free_lump);
        assert_true(half <= full + 8);
        assert_true(free_lump <= 80);
    }
}

static void test_bits(void **state) {
    (void)state;
    enum { N = 64 };
    static double one[N * (N + 1)], two[N * (N + 1)];
    for (int round = 0; round < 2; round++) {
        double ratio = round ? 1e3 : 1.0;
        stir(2, N, ratio, tilted, 1, one);
        stir(2, N, ratio, tilted, 3, two);
        assert_memory_equal(one, two, sizeof one);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matrix), cmocka_unit_test(test_lump),
        cmocka_unit_test(test_walls),  cmocka_unit_test(test_drum),
        cmocka_unit_test(test_film),   cmocka_unit_test(test_iterations),
        cmocka_unit_test(test_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
