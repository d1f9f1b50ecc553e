/* The cycle for viscosity: symmetric, positive, the same for any number of threads, and as a
 * preconditioner good for any step, grid and wall. */
#include "ration.h"
#include "viscosity_case.h"

#include "solve/viscosity/viscosity_internal.h"
#include "solve/viscosity/viscosity_multigrid.h"

typedef struct Solver {
    PlimContext *context;
    Viscosity *v;
    ViscosityMultigrid *m;
    int threads;
} Solver;

static void set_step(Solver *s, const ViscosityCase *c, double ratio) {
    double h = c->grid.spacing;
    viscosity_set_step(s->v, c->problem.density, ratio * c->problem.density * h * h / s->v->mu);
    assert_int_equal(viscosity_multigrid_setup(s->m, s->v, s->threads), PLIM_OK);
}

static Solver open_solver(ViscosityCase *c, int threads) {
    Solver s = {.context = test_context(threads), .threads = threads};
    assert_int_equal(viscosity_create(s.context, &c->grid, &s.v), PLIM_OK);
    assert_int_equal(viscosity_setup(s.v, &c->problem, threads), PLIM_OK);
    assert_int_equal(viscosity_multigrid_create(s.v, &s.m), PLIM_OK);
    return s;
}

static void close_solver(Solver *s) {
    viscosity_multigrid_destroy(s->m);
    viscosity_destroy(s->v);
    test_context_close(s->context);
}

static size_t vector_count(const Solver *s) {
    return (size_t)s->v->grid.dim * s->v->count;
}

/* Random where there is an unknown. */
static double *random_residual(const Solver *s, uint64_t seed) {
    double *r = calloc(vector_count(s), sizeof *r);
    for (int a = 0; a < s->v->grid.dim; a++)
        for (size_t i = 0; i < s->v->count; i++)
            if (s->v->part[a][i] > 0.0f)
                r[(size_t)a * s->v->count + i] = random_normal(seed, (uint64_t)a, i);
    return r;
}

static void cycle(void *object, const double *r, double *z) {
    Solver *s = object;
    viscosity_multigrid_cycle(s->m, s->v, s->threads, r, z);
}

/* Iterations of conjugate gradients to 1e-8; -1: not converged. */
static int iterations(Solver *s, const ViscosityCase *c, double ratio) {
    size_t n = vector_count(s);
    double *b = random_residual(s, 5), *x = calloc(n, sizeof *x);
    set_step(s, c, ratio);
    LinearMap map = {s->v, n, n, viscosity_apply, viscosity_apply};
    Preconditioner preconditioner = {s, cycle, 0};
    KrylovOptions options = krylov_options_default(s->threads);
    options.relative = 1e-8;
    options.max_iterations = 200;
    SolveResult result;
    assert_int_equal(solve_cg(&s->v->scratch, &map, &preconditioner, &options, b, x, &result),
                     PLIM_OK);
    assert_int_equal(scratch_reset(&s->v->scratch), PLIM_OK);
    free(b);
    free(x);
    return result.reason == SOLVE_CONVERGED ? result.iterations : -1 - (int)result.reason;
}

typedef enum Kind { BOX_WITH_DISC, PERIODIC_BOX, OPEN_SIDE, CHANNEL, KINDS } Kind;

static const char *const KIND_NAMES[KINDS] = {"disc", "periodic", "open", "channel"};

static double disc(const void *user, Vec3 x) {
    const ViscosityCase *c = user;
    Vec3 away = vec3_sub(x, vec3(0.437, 0.519, c->grid.dim == 3 ? 0.471 : 0.0));
    return vec3_length(away) - 0.2137;
}

static ViscosityCase *make_case(Kind kind, int dim, int n) {
    ViscosityCase *c = visc_create(dim, n, n, n, 1.0 / n);
    if (kind == BOX_WITH_DISC) visc_set_distance(c, disc, c);
    if (kind == PERIODIC_BOX || kind == CHANNEL) visc_sides(c, 0, SIDE_PERIODIC, SIDE_PERIODIC);
    if (kind == PERIODIC_BOX) visc_sides(c, 1, SIDE_PERIODIC, SIDE_PERIODIC);
    if (kind == PERIODIC_BOX && dim == 3) visc_sides(c, 2, SIDE_PERIODIC, SIDE_PERIODIC);
    if (kind == OPEN_SIDE) visc_sides(c, 0, SIDE_WALL, SIDE_OPEN);
    return c;
}

/* Nearly the same for all grids and steps. */
static void check_iterations(int dim, int n) {
    const double ratios[] = {1e-6, 1e-3, 1.0, 1e3, 1e6, 1e8};
    const int most[] = {4, 6, 16, 20, 20, 20};
    for (Kind kind = 0; kind < KINDS; kind++) {
        ViscosityCase *c = make_case(kind, dim, n);
        Solver s = open_solver(c, 1);
        for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) {
            int count = iterations(&s, c, ratios[i]);
            if (count < 0 || count > most[i])
                fail_msg("%s, %dD, n %d, dt mu / (density h^2) %g: %d iterations", KIND_NAMES[kind],
                         dim, n, ratios[i], count);
        }
        close_solver(&s);
        visc_destroy(c);
    }
}

static void test_iterations_2d(void **state) {
    (void)state;
    for (int n = test_size(32, 16); n <= test_size(128, 64); n *= 2) check_iterations(2, n);
}

static void test_iterations_3d(void **state) {
    (void)state;
    for (int n = test_size(16, 12); n <= test_size(32, 24); n *= 2) check_iterations(3, n);
}

/* Copies are those of the faces they copy, and there is nothing where there is no unknown. */
static void check_layout(const Solver *s, const double *z) {
    size_t n = vector_count(s);
    double *again = malloc(n * sizeof *again);
    memcpy(again, z, n * sizeof *z);
    viscosity_fill_copies(s->v, again);
    assert_memory_equal(again, z, n * sizeof *z);
    for (int a = 0; a < s->v->grid.dim; a++)
        for (size_t i = 0; i < s->v->count; i++)
            if (!face_is_free(s->v->face[a][i])) assert_true(z[(size_t)a * s->v->count + i] == 0.0);
    free(again);
}

static void check_symmetric(Solver *s, double tolerance) {
    size_t n = vector_count(s);
    double *zx = malloc(n * sizeof *zx), *zy = malloc(n * sizeof *zy);
    for (uint64_t try = 0; try < 3; try++) {
        double *x = random_residual(s, 100 + try), *y = random_residual(s, 200 + try);
        cycle(s, x, zx);
        cycle(s, y, zy);
        check_layout(s, zx);
        double xx = operator_dot(x, zx, n), yy = operator_dot(y, zy, n);
        assert_true(isfinite(xx) && xx > 0.0 && isfinite(yy) && yy > 0.0);
        assert_close(operator_dot(x, zy, n), operator_dot(y, zx, n), tolerance * sqrt(xx * yy));
        free(x);
        free(y);
    }
    free(zx);
    free(zy);
}

/* Random walls with any cut, mu that jumps from cell to cell, all kinds of sides, odd sizes. */
static void test_symmetric(void **state) {
    (void)state;
    const SideKind low[] = {SIDE_WALL, SIDE_PERIODIC, SIDE_OPEN, SIDE_PERIODIC, SIDE_INFLOW};
    const SideKind high[] = {SIDE_OPEN, SIDE_PERIODIC, SIDE_OPEN, SIDE_PERIODIC, SIDE_WALL};
    for (int round = 0; round < 10; round++) {
        int dim = 2 + round % 2;
        ViscosityCase *c = visc_create(dim, 13, 10, 9, 0.1);
        for (int a = 0; a < dim; a++) {
            int kind = (round + a) / 2 % 5;
            visc_sides(c, a, low[kind], high[kind]);
        }
        if (round > 2) visc_random_distance(c, (uint64_t)round);
        if (round > 4) visc_random_mu(c, (uint64_t)round);
        if (round > 6) c->problem.slip = HUGE_VAL;
        Solver s = open_solver(c, 1);
        for (double ratio = 1e-6; ratio < 2e9; ratio *= 1e3) {
            set_step(&s, c, ratio);
            check_symmetric(&s, 1e-4);
        }
        close_solver(&s);
        visc_destroy(c);
    }
}

/* One cell and two cells along an axis, where a cell is its own neighbour or has one twice. */
static void test_thin(void **state) {
    (void)state;
    for (int nx = 1; nx <= 3; nx++)
        for (int periodic = 0; periodic < 2; periodic++) {
            ViscosityCase *c = visc_create(2, nx, 8, 1, 0.1);
            SideKind kind = periodic ? SIDE_PERIODIC : SIDE_OPEN;
            visc_sides(c, 0, kind, kind);
            Solver s = open_solver(c, 1);
            int count = iterations(&s, c, 1e4);
            assert_in_range(count, 1, 20);
            close_solver(&s);
            visc_destroy(c);
        }
}

/* What no single-precision number could hold: steps and right sides of any size. A power of two
 * goes through unchanged. */
static void test_range(void **state) {
    (void)state;
    for (Kind kind = 0; kind < KINDS; kind++) {
        ViscosityCase *c = make_case(kind, 2, 16);
        Solver s = open_solver(c, 1);
        size_t n = vector_count(&s);
        double *r = random_residual(&s, 9), *z = calloc(n, sizeof *z);
        double *scaled = calloc(n, sizeof *z), *again = calloc(n, sizeof *z);
        for (double ratio = 1e-60; ratio < 2e60; ratio *= 1e20) {
            set_step(&s, c, ratio);
            check_symmetric(&s, 1e-4);
            cycle(&s, r, z);
            for (int power = -600; power <= 600; power += 1200) {
                for (size_t i = 0; i < n; i++) scaled[i] = ldexp(r[i], power);
                cycle(&s, scaled, again);
                for (size_t i = 0; i < n; i++) assert_true(again[i] == ldexp(z[i], power));
            }
        }
        memset(r, 0, n * sizeof *r);
        cycle(&s, r, z);
        assert_true(operator_norm(z, n) == 0.0);
        free(r);
        free(z);
        free(scaled);
        free(again);
        close_solver(&s);
        visc_destroy(c);
    }
}

/* Without walls only the mass holds the mean, however small it is. */
static void test_mean(void **state) {
    (void)state;
    ViscosityCase *c = make_case(PERIODIC_BOX, 2, 32);
    Solver s = open_solver(c, 1);
    size_t n = vector_count(&s);
    double *r = calloc(n, sizeof *r), *z = calloc(n, sizeof *z);
    for (double ratio = 1e4; ratio < 2e16; ratio *= 1e4) {
        set_step(&s, c, ratio);
        for (int a = 0; a < 2; a++)
            for (size_t i = 0; i < s.v->count; i++)
                r[(size_t)a * s.v->count + i] = s.v->mass * (double)s.v->part[a][i];
        cycle(&s, r, z);
        for (int a = 0; a < 2; a++)
            for (size_t i = 0; i < s.v->count; i++)
                if (s.v->part[a][i] > 0.0f) assert_close(z[(size_t)a * s.v->count + i], 1.0, 0.05);
    }
    free(r);
    free(z);
    close_solver(&s);
    visc_destroy(c);
}

static void test_threads(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        ViscosityCase *c = make_case(BOX_WITH_DISC, dim, dim == 2 ? 256 : 40);
        double *first = NULL;
        for (int threads = 1; threads <= 4; threads *= 2) {
            Solver s = open_solver(c, threads);
            size_t n = vector_count(&s);
            double *r = random_residual(&s, 3), *z = calloc(n, sizeof *z);
            set_step(&s, c, 1e7);
            cycle(&s, r, z);
            if (first) assert_memory_equal(first, z, n * sizeof *z);
            if (!first)
                first = z;
            else
                free(z);
            free(r);
            close_solver(&s);
        }
        free(first);
        visc_destroy(c);
    }
}

static PlimStatus use_memory(PlimContext *context, void *user) {
    ViscosityCase *c = visc_create(*(int *)user, 9, 12, 10, 0.1);
    visc_random_distance(c, 4);
    Solver s = {.context = context, .threads = 1};
    PlimStatus status = viscosity_create(context, &c->grid, &s.v);
    if (status == PLIM_OK) status = viscosity_setup(s.v, &c->problem, 1);
    if (status == PLIM_OK) status = viscosity_multigrid_create(s.v, &s.m);
    for (int round = 0; status == PLIM_OK && round < 3; round++) {
        uint64_t before = context->allocations;
        viscosity_set_step(s.v, 1.0, round == 2 ? 0.001 : 1.0);
        status = viscosity_multigrid_setup(s.m, s.v, 1);
        if (status != PLIM_OK) break;
        double *r = random_residual(&s, 1), *z = calloc(vector_count(&s), sizeof *z);
        cycle(&s, r, z);
        if (round > 0) assert_int_equal(context->allocations, before);
        assert_int_equal(viscosity_multigrid_bytes(s.m) + viscosity_bytes(s.v),
                         plim_context_bytes(context));
        free(r);
        free(z);
    }
    viscosity_multigrid_destroy(s.m);
    viscosity_destroy(s.v);
    visc_destroy(c);
    return status;
}

/* Every allocation is refused once; after the first set-up there are none. */
static void test_memory(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        starve(&(Starved){.use = use_memory, .user = &dim, .least = 60, .most = 2000});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_iterations_2d), cmocka_unit_test(test_iterations_3d),
        cmocka_unit_test(test_symmetric),     cmocka_unit_test(test_thin),
        cmocka_unit_test(test_range),         cmocka_unit_test(test_mean),
        cmocka_unit_test(test_threads),       cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
