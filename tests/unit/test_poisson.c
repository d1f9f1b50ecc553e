/* The pressure solve against direct solves, manufactured solutions and its own promises. */
#include "operator_test.h"
#include "poisson_case.h"

#include "solve/pressure/poisson_internal.h"

static const double pi = 3.14159265358979323846;

#define FOR_CELLS(c)                                                                               \
    for (int k = 0; k < (c)->grid.n[2]; k++)                                                       \
        for (int j = 0; j < (c)->grid.n[1]; j++)                                                   \
            for (int i = 0; i < (c)->grid.n[0]; i++)

/* Any mix of cells, closed faces, jumps of 1:1000, interfaces down to the floor, all kinds of
 * sides. */
static PoissonCase *random_case(uint64_t seed) {
    int dim = seed % 3 == 0 ? 2 : 3;
    int n[3] = {0, 0, 1};
    for (int a = 0; a < dim; a++)
        n[a] = 1 + (int)(random_uniform(seed, 1, (uint64_t)a) * (dim == 3 ? 7.0 : 20.0));
    PoissonCase *c = case_create(n, dim, 0.01 + random_uniform(seed, 2, 0));
    double fluid = 0.2 + 0.75 * random_uniform(seed, 3, 0), air = random_uniform(seed, 3, 1);
    for (int a = 0; a < dim; a++) {
        SideKind low = (SideKind)(random_uniform(seed, 4, (uint64_t)a) * 4.0);
        SideKind high = (SideKind)(random_uniform(seed, 5, (uint64_t)a) * 3.0);
        c->grid.sides[a][0] = low;
        c->grid.sides[a][1] = low == SIDE_PERIODIC ? SIDE_PERIODIC : high;
        for (size_t i = 0; i < grid_face_count(&c->grid, a); i++) {
            double u = random_uniform(seed, 6 + (uint64_t)a, i);
            c->coefficient[a][i] = u < 0.15 ? 0.0 : u < 0.5 ? 1.0 : u < 0.8 ? 1e-3 : u;
        }
    }
    for (size_t i = 0; i < grid_cell_count(&c->grid); i++) {
        double u = random_uniform(seed, 10, i), v = random_uniform(seed, 11, i);
        c->kind[i] = u < fluid                           ? CELL_FLUID
                     : (u - fluid) / (1.0 - fluid) < air ? CELL_AIR
                                                         : CELL_SOLID;
        c->phi[i] = (c->kind[i] == CELL_FLUID ? -1.0 : 1.0) * (v < 0.2 ? 1e-9 : v);
        c->air[i] = random_normal(seed, 12, i);
        c->b[i] = random_normal(seed, 13, i);
    }
    if (seed % 2) case_use_coefficients(c);
    if (seed % 5) c->problem.phi = c->phi;
    if (seed % 7) c->problem.air_pressure = c->air;
    c->problem.outside_pressure = 0.7;
    return c;
}

/* Dense LDL^T of a symmetric semidefinite matrix; pivots that vanish are unknowns set to zero. */
static void dense_solve(double *a, double *x, size_t n) {
    double *pivot = calloc(n + 1, sizeof *pivot), *scale = calloc(n + 1, sizeof *scale);
    for (size_t i = 0; i < n; i++) scale[i] = a[i * n + i];
    for (size_t j = 0; j < n; j++) {
        pivot[j] = a[j * n + j] > 1e-11 * scale[j] ? a[j * n + j] : 0.0;
        for (size_t i = j + 1; i < n && pivot[j] > 0.0; i++) {
            double factor = a[i * n + j] / pivot[j];
            if (factor == 0.0) continue;
            for (size_t k = j + 1; k < n; k++) a[i * n + k] -= factor * a[j * n + k];
            x[i] -= factor * x[j];
        }
    }
    for (size_t j = n; j-- > 0;) {
        for (size_t k = j + 1; k < n; k++) x[j] -= a[j * n + k] * x[k];
        x[j] = pivot[j] > 0.0 ? x[j] / pivot[j] : 0.0;
    }
    free(pivot);
    free(scale);
}

typedef struct SystemMap {
    Poisson *poisson;
    const size_t *cells;
    size_t rows;
    double *x, *y; /* padded */
} SystemMap;

static size_t padded(const Poisson *poisson, size_t cell) {
    size_t nx = (size_t)poisson->grid.n[0], ny = (size_t)poisson->grid.n[1];
    return mg_index(&poisson->mg.levels[0], (int)(cell % nx), (int)(cell / nx % ny),
                    (int)(cell / nx / ny));
}

static void system_apply(const void *object, const double *x, double *y) {
    const SystemMap *map = object;
    for (size_t i = 0; i < map->rows; i++) map->x[padded(map->poisson, map->cells[i])] = x[i];
    assert_int_equal(poisson_apply(map->poisson, 2, map->x, map->y), PLIM_OK);
    for (size_t i = 0; i < map->rows; i++) y[i] = map->y[padded(map->poisson, map->cells[i])];
}

/* Cells' means removed region by region, on the padded vector and back. */
static void remove_means(Poisson *poisson, const size_t *cells, size_t rows, double *v) {
    size_t size = poisson->mg.levels[0].size;
    double *full = calloc(size, sizeof *full), largest;
    for (size_t i = 0; i < rows; i++) full[padded(poisson, cells[i])] = v[i];
    assert_int_equal(poisson_remove_means(poisson, 1, full, &largest), PLIM_OK);
    for (size_t i = 0; i < rows; i++) v[i] = full[padded(poisson, cells[i])];
    free(full);
}

static void check_operator(Poisson *poisson, const Csr *matrix, const size_t *cells) {
    size_t size = poisson->mg.levels[0].size;
    SystemMap system = {poisson, cells, matrix->rows, calloc(size, 8), calloc(size, 8)};
    LinearMap map = {&system, matrix->rows, matrix->rows, system_apply, system_apply};
    LinearMap written = csr_map(matrix);
    operator_check_same(&map, &written, 1e-13);
    double *nullspace = calloc(matrix->rows + 1, sizeof *nullspace);
    bool any = false;
    for (size_t i = 0; i < matrix->rows; i++) {
        nullspace[i] = (double)poisson->region[padded(poisson, cells[i])];
        if (poisson->closed_count == 0) nullspace[i] = 0.0;
        any = any || nullspace[i] != 0.0;
    }
    operator_check(&map, &(OperatorTest){.tolerance = 1e-12,
                                         .symmetric = true,
                                         .semidefinite = true,
                                         .nullspace = any ? nullspace : NULL});
    free(nullspace);
    free(system.x);
    free(system.y);
}

static void compare_with_direct(PlimContext *context, uint64_t seed, PoissonMethod method) {
    PoissonCase *c = random_case(seed);
    Poisson *poisson;
    Csr matrix;
    size_t *cells;
    SolveResult result;
    double incompatible, worst = 0.0, largest = 0.0;
    KrylovOptions options = krylov_options_default(2);
    options.relative = 1e-13;
    options.max_iterations = 3000;
    assert_int_equal(poisson_create(context, &c->grid, method, &poisson), PLIM_OK);
    assert_int_equal(poisson_setup(poisson, &c->problem), PLIM_OK);
    assert_int_equal(poisson_assemble(poisson, &matrix, &cells), PLIM_OK);
    size_t n = matrix.rows;
    check_operator(poisson, &matrix, cells);
    assert_int_equal(poisson_solve(poisson, &options, c->b, c->p, &result, &incompatible), PLIM_OK);
    assert_true(result.reason == SOLVE_CONVERGED || result.reason == SOLVE_STAGNATED);
    assert_true(result.last_residual <= 1e-10 * result.first_residual);
    double *dense = calloc(n * n + 1, sizeof *dense), *x = calloc(n + 1, sizeof *x);
    double *right = calloc(poisson->mg.levels[0].size, sizeof *right);
    assert_int_equal(poisson_right_side(poisson, 1, c->b, right, &incompatible), PLIM_OK);
    for (size_t row = 0; row < n; row++) {
        x[row] = right[padded(poisson, cells[row])];
        for (size_t e = matrix.row_start[row]; e < matrix.row_start[row + 1]; e++)
            dense[row * n + (size_t)matrix.column[e]] = matrix.value[e];
    }
    dense_solve(dense, x, n);
    remove_means(poisson, cells, n, x);
    for (size_t i = 0; i < n; i++) {
        worst = fmax(worst, fabs(x[i] - c->p[cells[i]]));
        largest = fmax(largest, fabs(x[i]));
    }
    if (!(worst <= 1e-9 * largest)) fail_msg("seed %d: off by %g of %g", (int)seed, worst, largest);
    free(dense);
    free(x);
    free(right);
    context_free(context, cells, n + 1, sizeof *cells);
    csr_free(context, &matrix);
    poisson_destroy(poisson);
    case_destroy(c);
}

static void test_random(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    for (uint64_t seed = 1; seed <= 120; seed++)
        compare_with_direct(context, seed, POISSON_MULTIGRID);
    for (uint64_t seed = 121; seed <= 150; seed++) compare_with_direct(context, seed, POISSON_MIC0);
    for (uint64_t seed = 151; seed <= 160; seed++)
        compare_with_direct(context, seed, POISSON_PLAIN);
    test_context_close(context);
}

/* A smooth function and minus its Laplacian; the first is even at the unit box's walls, the second
 * periodic. */
static double wave(Vec3 x, int dim, double *source) {
    double u = cos(pi * x.x) * cos(2.0 * pi * x.y) * (dim == 3 ? cos(pi * x.z) : 1.0);
    *source = (dim == 3 ? 6.0 : 5.0) * pi * pi * u;
    return u;
}

static double ripple(Vec3 x, int dim, double *source) {
    double z = dim == 3 ? 2.0 * pi * x.z : 0.0;
    double u = sin(2.0 * pi * x.x + 4.0 * pi * x.y + z);
    *source = (4.0 + 16.0 + (dim == 3 ? 4.0 : 0.0)) * pi * pi * u;
    return u;
}

typedef double (*Manufactured)(Vec3 x, int dim, double *source);

/* The greatest error in fluid cells; in closed regions both are compared up to a constant. */
static double solve_error(PoissonCase *c, Manufactured exact, bool closed) {
    PlimContext *context = test_context(2);
    double volume = grid_cell_volume(&c->grid), source, mean = 0.0, error = 0.0, count = 0.0;
    FOR_CELLS(c) {
        exact(grid_cell_center(&c->grid, i, j, k), c->grid.dim, &source);
        c->b[grid_cell_index(&c->grid, i, j, k)] = source * volume;
    }
    SolveResult result = case_solve(context, c, POISSON_MULTIGRID, 1e-11);
    assert_int_equal(result.reason, SOLVE_CONVERGED);
    for (int pass = 0; pass < 2; pass++) FOR_CELLS(c) {
            size_t cell = grid_cell_index(&c->grid, i, j, k);
            if (c->kind[cell] != CELL_FLUID) continue;
            double e =
                c->p[cell] - exact(grid_cell_center(&c->grid, i, j, k), c->grid.dim, &source);
            if (pass == 1) error = fmax(error, fabs(closed ? e - mean / count : e));
            mean += pass == 0 ? e : 0.0;
            count += pass == 0 ? 1.0 : 0.0;
        }
    test_context_close(context);
    return error;
}

static double order(double coarse, double fine) {
    return log2(coarse / fine);
}

static double box_error(int n, int dim, SideKind side) {
    PoissonCase *c = case_create((int[3]){n, n, dim == 3 ? n : 1}, dim, 1.0 / n);
    for (int a = 0; a < dim; a++) c->grid.sides[a][0] = c->grid.sides[a][1] = side;
    double error = solve_error(c, side == SIDE_PERIODIC ? ripple : wave, true);
    case_destroy(c);
    return error;
}

static void test_boxes(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        int n = dim == 2 ? 64 : 16;
        assert_close(order(box_error(n, dim, SIDE_WALL), box_error(2 * n, dim, SIDE_WALL)), 2.0,
                     0.1);
        assert_close(order(box_error(n, dim, SIDE_PERIODIC), box_error(2 * n, dim, SIDE_PERIODIC)),
                     2.0, 0.1);
    }
}

/* A tilted ellipsoid, moved off the grid by 0.37 cell. Air cells hold the exact value at the
 * interface nearest to them along the axis: the value at their own centre for the first order form.
 */
static double ellipsoid(Vec3 x, int dim) {
    double c = cos(0.4), s = sin(0.4);
    Vec3 r = vec3(c * x.x + s * x.y, -s * x.x + c * x.y, dim == 3 ? x.z : 0.0);
    return sqrt(r.x * r.x / 0.09 + r.y * r.y / 0.16 + r.z * r.z / 0.1225) - 1.0;
}

/* The manufactured solution is zero on the ellipsoid: u = 1 - f^2, f the ellipsoidal radius. */
static double dome(Vec3 x, int dim, double *source) {
    double f = ellipsoid(x, dim) + 1.0;
    *source = 2.0 / 0.09 + 2.0 / 0.16 + (dim == 3 ? 2.0 / 0.1225 : 0.0);
    return 1.0 - f * f;
}

static double surface_error(int n, int dim, bool second) {
    PoissonCase *c = case_create((int[3]){n, n, dim == 3 ? n : 1}, dim, 1.0 / n);
    double h = 1.0 / n, shift = -0.5 + 0.37 * h;
    c->grid.origin = vec3(shift, shift, shift);
    FOR_CELLS(c) {
        size_t cell = grid_cell_index(&c->grid, i, j, k);
        c->phi[cell] = ellipsoid(grid_cell_center(&c->grid, i, j, k), dim);
        c->kind[cell] = c->phi[cell] < 0.0 ? CELL_FLUID : CELL_AIR;
    }
    if (second) c->problem.phi = c->phi;
    double error = solve_error(c, dome, false);
    case_destroy(c);
    return error;
}

/* Least order over three doublings: where the surface cuts cells, single steps scatter. */
static void test_surface(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        int n = dim == 2 ? 32 : 16;
        int far = dim == 2 ? 8 : 4;
        double steps = log2((double)far);
        double second =
            order(surface_error(n, dim, true), surface_error(far * n, dim, true)) / steps;
        double first =
            order(surface_error(n, dim, false), surface_error(far * n, dim, false)) / steps;
        if (!(second > 1.75 && second < 2.4)) fail_msg("%dD second order surface: %g", dim, second);
        if (!(first > 0.7 && first < 1.5)) fail_msg("%dD first order surface: %g", dim, first);
    }
}

/* Same bits for 1, 2 and 4 threads, all methods, grids large enough to be cut into ranges. */
static void test_threads(void **state) {
    (void)state;
    for (int method = POISSON_MULTIGRID; method <= POISSON_PLAIN; method++) {
        double *p[3];
        size_t bytes = 0;
        for (int round = 0; round < 3; round++) {
            PlimContext *context = test_context(1 << round);
            PoissonCase *c = case_create((int[3]){48, 50, 40}, 3, 0.1);
            for (size_t i = 0; i < grid_cell_count(&c->grid); i++) {
                double u = random_uniform(1, 0, i);
                c->kind[i] = u < 0.9 ? CELL_FLUID : u < 0.93 ? CELL_AIR : CELL_SOLID;
            }
            case_random_b(c, 8);
            case_solve(context, c, (PoissonMethod)method, 1e-8);
            bytes = grid_cell_count(&c->grid) * sizeof(double);
            p[round] = malloc(bytes);
            memcpy(p[round], c->p, bytes);
            case_destroy(c);
            test_context_close(context);
        }
        assert_memory_equal(p[0], p[1], bytes);
        assert_memory_equal(p[0], p[2], bytes);
        for (int round = 0; round < 3; round++) free(p[round]);
    }
}

/* A second set-up and solve allocates nothing and, after another problem, gives the same bits. */
static void test_again(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    PoissonCase *c = case_create((int[3]){20, 21, 22}, 3, 0.1);
    size_t count = grid_cell_count(&c->grid);
    double *first = malloc(count * sizeof *first), incompatible;
    for (size_t i = 0; i < count; i++)
        c->kind[i] = random_uniform(1, 0, i) < 0.8 ? CELL_FLUID : CELL_SOLID;
    case_random_b(c, 4);
    Poisson *poisson;
    SolveResult result;
    KrylovOptions options = krylov_options_default(2);
    assert_int_equal(poisson_create(context, &c->grid, POISSON_MULTIGRID, &poisson), PLIM_OK);
    uint64_t allocations = 0;
    for (int round = 0; round < 4; round++) {
        if (round == 3) allocations = plim_context_allocations(context);
        for (size_t i = 0; i < count && round == 2; i++) c->kind[i] ^= CELL_SOLID;
        for (size_t i = 0; i < count && round == 3; i++) c->kind[i] ^= CELL_SOLID;
        memset(c->p, 0, count * sizeof *c->p);
        assert_int_equal(poisson_setup(poisson, &c->problem), PLIM_OK);
        assert_int_equal(poisson_solve(poisson, &options, c->b, c->p, &result, &incompatible),
                         PLIM_OK);
        if (round == 0) memcpy(first, c->p, count * sizeof *first);
    }
    assert_memory_equal(first, c->p, count * sizeof *first);
    assert_int_equal(plim_context_allocations(context), allocations);
    free(first);
    poisson_destroy(poisson);
    case_destroy(c);
    test_context_close(context);
}

/* Sets up, solves from zero and compares bits with a solve by a Poisson that has nothing to keep.
 */
static void compare_with_fresh(PlimContext *context, Poisson *kept, PoissonCase *c) {
    size_t bytes = grid_cell_count(&c->grid) * sizeof *c->p;
    double *p = malloc(bytes), incompatible[2];
    SolveResult result[2];
    KrylovOptions options = krylov_options_default(2);
    Poisson *fresh;
    assert_int_equal(poisson_create(context, &c->grid, kept->method, &fresh), PLIM_OK);
    for (int round = 0; round < 2; round++) {
        Poisson *poisson = round ? fresh : kept;
        memset(c->p, 0, bytes);
        assert_int_equal(poisson_setup(poisson, &c->problem), PLIM_OK);
        assert_int_equal(
            poisson_solve(poisson, &options, c->b, c->p, &result[round], &incompatible[round]),
            PLIM_OK);
        if (round == 0) memcpy(p, c->p, bytes);
    }
    assert_memory_equal(p, c->p, bytes);
    assert_memory_equal(&incompatible[0], &incompatible[1], sizeof *incompatible);
    assert_int_equal(result[0].iterations, result[1].iterations);
    poisson_destroy(fresh);
    free(p);
}

/* What is kept, and what earlier problems left behind, does not show in the result: neither when
 * nothing changes nor when a cell, a coefficient, the level set or the spacing does. */
static void test_kept(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    for (uint64_t seed = 1; seed <= 60; seed++) {
        PoissonCase *c = random_case(seed);
        Poisson *poisson;
        size_t last = grid_cell_count(&c->grid) - 1, middle = grid_face_count(&c->grid, 0) / 2;
        PoissonMethod method = seed % 4 ? POISSON_MULTIGRID : POISSON_MIC0;
        assert_int_equal(poisson_create(context, &c->grid, method, &poisson), PLIM_OK);
        for (int change = 0; change < 8; change++) {
            if (change == 2) c->kind[last] = (unsigned char)((c->kind[last] + 1) % 3);
            if (change == 3) c->coefficient[0][middle] *= 1.0 + 1e-6;
            if (change == 4) c->phi[last / 2] *= 1.0 + 1e-6;
            if (change == 5) c->grid.spacing *= 1.5;
            if (change == 6) case_random_b(c, seed);
            if (change == 7) poisson_forget(poisson);
            compare_with_fresh(context, poisson, c);
        }
        poisson_destroy(poisson);
        case_destroy(c);
    }
    test_context_close(context);
}

/* Whether a set-up kept what was there: a count that it would find anew is still the false one. */
static bool is_kept(Poisson *poisson, const PoissonProblem *problem) {
    poisson->closed_count = 77;
    assert_int_equal(poisson_setup(poisson, problem), PLIM_OK);
    return poisson->closed_count == 77;
}

/* The least change, and a set-up that fails, undo it. */
static void test_keeps(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    PoissonCase *c = case_create((int[3]){9, 8, 7}, 3, 0.1);
    Poisson *poisson;
    case_use_coefficients(c);
    assert_int_equal(poisson_create(context, &c->grid, POISSON_MULTIGRID, &poisson), PLIM_OK);
    assert_false(is_kept(poisson, &c->problem));
    assert_true(is_kept(poisson, &c->problem));
    c->coefficient[2][200] = 1.0 + 0x1p-23; /* one bit of single precision */
    assert_false(is_kept(poisson, &c->problem));
    assert_true(is_kept(poisson, &c->problem));
    poisson_forget(poisson);
    assert_false(is_kept(poisson, &c->problem));
    c->coefficient[2][200] = NAN;
    assert_int_equal(poisson_setup(poisson, &c->problem), PLIM_BAD_INPUT);
    c->coefficient[2][200] = 1.0;
    assert_false(is_kept(poisson, &c->problem));
    poisson_destroy(poisson);
    case_destroy(c);
    test_context_close(context);
}

/* Water under air and an open side, all at one pressure: that pressure everywhere. Rows are long
 * enough for runs without coefficients, and a wall cuts a region off. */
static void test_hydrostatic(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    for (int dim = 2; dim <= 3; dim++) {
        PoissonCase *c = case_create((int[3]){70, 20, dim == 3 ? 20 : 1}, dim, 0.1);
        c->grid.sides[0][1] = SIDE_OPEN;
        FOR_CELLS(c) {
            size_t cell = grid_cell_index(&c->grid, i, j, k);
            c->kind[cell] = i == 30 ? CELL_SOLID : j > 11 ? CELL_AIR : CELL_FLUID;
            if (i < 30 && j > 11) c->kind[cell] = CELL_SOLID;
            c->air[cell] = 3.0;
        }
        c->problem.air_pressure = c->air;
        c->problem.outside_pressure = 3.0;
        SolveResult result = case_solve(context, c, POISSON_MULTIGRID, 1e-12);
        assert_int_equal(result.reason, SOLVE_CONVERGED);
        FOR_CELLS(c) {
            size_t cell = grid_cell_index(&c->grid, i, j, k);
            if (c->kind[cell] != CELL_SOLID) assert_close(c->p[cell], i < 30 ? 0.0 : 3.0, 1e-9);
        }
        case_destroy(c);
    }
    test_context_close(context);
}

static void test_bad_input(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    PoissonCase *c = case_create((int[3]){4, 4, 4}, 3, 0.1),
                *other = case_create((int[3]){4, 4, 5}, 3, 0.1);
    Poisson *poisson;
    c->grid.sides[1][0] = SIDE_PERIODIC;
    assert_int_equal(poisson_create(context, &c->grid, POISSON_MULTIGRID, &poisson),
                     PLIM_BAD_INPUT);
    c->grid.sides[1][0] = SIDE_WALL;
    assert_int_equal(poisson_create(context, &c->grid, POISSON_MULTIGRID, &poisson), PLIM_OK);
    assert_int_equal(poisson_setup(poisson, &other->problem), PLIM_BAD_INPUT);
    case_use_coefficients(c);
    c->coefficient[0][7] = -1.0;
    assert_int_equal(poisson_setup(poisson, &c->problem), PLIM_BAD_INPUT);
    c->coefficient[0][7] = 1.0;
    c->b[3] = NAN;
    SolveResult result;
    double incompatible;
    KrylovOptions options = krylov_options_default(1);
    assert_int_equal(poisson_setup(poisson, &c->problem), PLIM_OK);
    assert_int_equal(poisson_solve(poisson, &options, c->b, c->p, &result, &incompatible), PLIM_OK);
    assert_int_equal(result.reason, SOLVE_NOT_FINITE);
    poisson_destroy(poisson);
    case_destroy(c);
    case_destroy(other);
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),    cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_surface),   cmocka_unit_test(test_threads),
        cmocka_unit_test(test_again),     cmocka_unit_test(test_kept),
        cmocka_unit_test(test_keeps),     cmocka_unit_test(test_hydrostatic),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
