/* The pressure solve with bounds: an exact solution, its conditions on physical systems, its
 * limits. Checks are loops of this file over the assembled matrix. */
#include "poisson_case.h"

#include "solve/pressure/poisson_bounded.h"

static const PoissonMethod methods[3] = {POISSON_MULTIGRID, POISSON_MIC0, POISSON_PLAIN};

typedef struct Solved {
    BoundedResult result;
    double below, pull, complementarity; /* by how much the conditions do not hold, over size */
    double size;                         /* the largest |b| in the matrix */
} Solved;

/* By how much p keeps the conditions, from the matrix written out. */
static void check_conditions(PlimContext *context, Poisson *poisson, const PoissonCase *c,
                             const double *low, Solved *solved) {
    Csr matrix;
    size_t *cells;
    double product = 0.0, room = 0.0;
    assert_int_equal(poisson_assemble(poisson, &matrix, &cells), PLIM_OK);
    solved->below = solved->pull = solved->size = 0.0;
    for (size_t row = 0; row < matrix.rows; row++) {
        double g = c->b[cells[row]], above = c->p[cells[row]] - (low ? low[cells[row]] : 0.0);
        solved->size = fmax(solved->size, fabs(g));
        for (size_t e = matrix.row_start[row]; e < matrix.row_start[row + 1]; e++)
            g += matrix.value[e] * c->p[cells[matrix.column[e]]];
        solved->below = fmax(solved->below, -above);
        solved->pull = fmax(solved->pull, -g);
        product += above * g;
        room += above;
    }
    if (solved->size == 0.0) solved->size = 1.0;
    solved->pull /= solved->size;
    solved->complementarity = fabs(product) / (solved->size * (room > 0.0 ? room : 1.0));
    context_free(context, cells, matrix.rows + 1, sizeof(size_t));
    csr_free(context, &matrix);
}

static double largest_b(const PoissonCase *c) {
    double size = 0.0;
    for (size_t i = 0; i < grid_cell_count(&c->grid); i++)
        if (c->kind[i] == CELL_FLUID) size = fmax(size, fabs(c->b[i]));
    return size;
}

/* Sets up, solves from c->p, and checks. */
static Solved solve(PlimContext *context, PoissonCase *c, PoissonMethod method, const double *low,
                    double relative) {
    Poisson *poisson;
    Solved solved;
    BoundedOptions options = bounded_options_default(context->threads);
    double *eigenvector = calloc(grid_cell_count(&c->grid), sizeof(double));
    options.tolerance = relative * largest_b(c);
    options.max_iterations = 5000;
    c->problem.bounded = true;
    assert_int_equal(poisson_create(context, &c->grid, method, &poisson), PLIM_OK);
    assert_int_equal(poisson_setup(poisson, &c->problem), PLIM_OK);
    assert_int_equal(
        poisson_solve_bounded(poisson, &options, c->b, low, c->p, eigenvector, &solved.result),
        PLIM_OK);
    check_conditions(context, poisson, c, low, &solved);
    poisson_destroy(poisson);
    free(eigenvector);
    return solved;
}

static bool is_solution(const Solved *solved) {
    return solved->below <= 0.0 && solved->pull <= 1e-8 && solved->complementarity <= 1e-8;
}

static void expect_solution(const Solved *solved, const char *what, uint64_t seed) {
    if (solved->result.reason != SOLVE_CONVERGED || !is_solution(solved))
        fail_msg("%s, seed %d: %s after %d; below %g, pull %g, complementarity %g", what, (int)seed,
                 solve_reason_name(solved->result.reason), solved->result.iterations, solved->below,
                 solved->pull, solved->complementarity);
}

/* L1 on a grid of one row: centres of cells are the points, the first and last are air. */
static double string_error(PlimContext *context, int n, PoissonMethod method) {
    PoissonCase *c = case_create((int[3]){n + 1, 1, 1}, 2, 1.0 / n);
    double *low = malloc((size_t)(n + 1) * sizeof *low), h = 1.0 / n;
    double a = sqrt(0.125), first = 1.0, last = 0.0, error = 0.0;
    for (int i = 0; i <= n; i++) {
        c->kind[i] = i == 0 || i == n ? CELL_AIR : CELL_FLUID;
        c->b[i] = 8.0 * h * h; /* area over spacing is 1 */
        low[i] = -0.5;
    }
    Solved solved = solve(context, c, method, low, 1e-15 / (8.0 * h * h));
    expect_solution(&solved, "string", (uint64_t)n);
    assert_true(solved.result.complementarity / h < 1e-10);
    for (int i = 1; i < n; i++) {
        double x = i * h, d = fmin(x, 1.0 - x) - a;
        error = fmax(error, fabs(c->p[i] - (d < 0.0 ? 4.0 * d * d - 0.5 : -0.5)));
        if (c->p[i] > -0.5) continue;
        first = fmin(first, x);
        last = fmax(last, x);
    }
    assert_close(first, 0.353553, h);
    assert_close(last, 0.646447, h);
    free(low);
    case_destroy(c);
    return error;
}

static void test_string_over_floor(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    for (int m = 0; m < 3; m++) {
        double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0, count = 0.0;
        for (int n = 20; n <= 640; n = n * 5 / 4, count += 1.0) {
            double x = log(1.0 / n), y = log(string_error(context, n, methods[m]));
            sx += x;
            sy += y;
            sxx += x * x;
            sxy += x * y;
        }
        assert_close((count * sxy - sx * sy) / (count * sxx - sx * sx), 2.0, 0.3);
    }
    test_context_close(context);
}

/* A blob of cells in air and walls, faces open in parts or with densities of 1:1000, some cells
 * with too much in them and some with too little. */
static PoissonCase *random_case(uint64_t seed) {
    int dim = seed % 2 ? 2 : 3, n[3] = {0, 0, 1};
    for (int a = 0; a < dim; a++)
        n[a] = 2 + (int)(random_uniform(seed, 1, (uint64_t)a) * (dim == 3 ? 14.0 : 40.0));
    PoissonCase *c = case_create(n, dim, 0.01 + random_uniform(seed, 2, 0));
    for (int a = 0; a < dim; a++) {
        if (seed % 4 == 3) c->grid.sides[a][1] = SIDE_OPEN;
        if (seed % 16 == 5) c->grid.sides[a][0] = c->grid.sides[a][1] = SIDE_PERIODIC;
        for (size_t i = 0; i < grid_face_count(&c->grid, a); i++) {
            double u = random_uniform(seed, 6 + (uint64_t)a, i);
            bool contrast = seed % 3 == 0;
            c->coefficient[a][i] = u < 0.1 ? 0.0 : contrast ? pow(10.0, 3.0 * u) : u;
        }
    }
    Vec3 middle = vec3(0.5 * n[0], 0.5 * n[1], 0.5 * n[2]);
    size_t cell = 0;
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++, cell++) {
                Vec3 d = vec3_sub(vec3(i + 0.5, j + 0.5, k + 0.5), middle);
                bool inside = vec3_length(d) < 0.45 * n[0] + 2.0 * random_uniform(seed, 3, cell);
                double u = random_uniform(seed, 4, cell);
                c->kind[cell] = !inside || cell == 0 ? CELL_AIR
                                : u < 0.05           ? CELL_SOLID
                                                     : CELL_FLUID;
                c->b[cell] = random_normal(seed, 5, cell) + 0.4 * sin(0.3 * i + (double)seed);
                c->p[cell] = seed % 5 ? 0.0 : random_normal(seed, 10, cell);
            }
    case_use_coefficients(c);
    return c;
}

static double *random_bounds(const PoissonCase *c, uint64_t seed) {
    double *low = malloc(grid_cell_count(&c->grid) * sizeof *low);
    for (size_t i = 0; i < grid_cell_count(&c->grid); i++) low[i] = random_normal(seed, 11, i);
    return low;
}

static void test_conditions_hold_in_blobs(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    int solvable = 0;
    for (uint64_t seed = 0; seed < 120; seed++) {
        PoissonCase *c = random_case(seed);
        double *low = seed % 2 ? random_bounds(c, seed) : NULL;
        double *guess = malloc(grid_cell_count(&c->grid) * sizeof *guess);
        memcpy(guess, c->p, grid_cell_count(&c->grid) * sizeof *guess);
        for (int m = 0; m < 3; m++) {
            memcpy(c->p, guess, grid_cell_count(&c->grid) * sizeof *guess);
            Solved solved = solve(context, c, methods[m], low, 1e-10);
            if (solved.result.incompatible > 0.0) continue; /* walls closed off a full cell */
            expect_solution(&solved, "blob", 10 * seed + (uint64_t)m);
            solvable++;
        }
        free(guess);
        free(low);
        case_destroy(c);
    }
    assert_true(solvable > 150);
    test_context_close(context);
}

/* Water in the lower part, then nothing, then a block on its way down; the floor pushes the first
 * alone. */
static void test_column_with_a_gap(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    for (int m = 0; m < 3; m++) {
        PoissonCase *c = case_create((int[3]){12, 40, 12}, 3, 0.1);
        size_t cell = 0;
        for (int k = 0; k < 12; k++)
            for (int j = 0; j < 40; j++)
                for (int i = 0; i < 12; i++, cell++) {
                    bool water = j < 16, block = j >= 26 && j < 34, edge = j == 15 || j == 33;
                    c->kind[cell] = CELL_FLUID;
                    c->b[cell] = water || block ? (edge ? 0.3 : 0.0) : 1.0;
                    if (j == 0) c->b[cell] = -0.01;
                }
        Solved solved = solve(context, c, methods[m], NULL, 1e-10);
        expect_solution(&solved, "gap", 0);
        for (cell = 0; cell < grid_cell_count(&c->grid); cell++) {
            int j = (int)(cell / 12 % 40);
            if (j >= 15)
                assert_true(c->p[cell] == 0.0);
            else
                assert_close(c->p[cell], 0.1 * (15 - j), 1e-6); /* -b / (area / spacing) a cell */
        }
        assert_int_equal(solved.result.free_count, 15 * 144);
        case_destroy(c);
    }
    test_context_close(context);
}

/* The plain solve has conductances of single precision: with these coefficients they are exact. */
static void make_single(PoissonCase *c) {
    c->grid.spacing = 0.25;
    for (int a = 0; a < c->grid.dim; a++)
        for (size_t i = 0; i < grid_face_count(&c->grid, a); i++)
            c->coefficient[a][i] = (float)c->coefficient[a][i];
}

static void test_equals_conjugate_gradients_without_bounds(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    int compared = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        PoissonCase *c = random_case(seed);
        size_t cells = grid_cell_count(&c->grid);
        double *low = malloc(cells * sizeof *low), *p = malloc(cells * sizeof *p), size = 0.0;
        make_single(c);
        for (size_t i = 0; i < cells; i++) low[i] = -1e12;
        for (size_t i = 0; i < cells && seed % 2; i++) {
            low[i] = 0.0;
            c->b[i] = -fabs(c->b[i]); /* all cells push: pressure is positive by itself */
        }
        Solved solved = solve(context, c, methods[seed % 3], low, 1e-12);
        memcpy(p, c->p, cells * sizeof *p);
        for (size_t i = 0; i < cells; i++) c->b[i] = -c->b[i];
        if (solved.result.incompatible == 0.0) {
            assert_int_equal(solved.result.reason, SOLVE_CONVERGED);
            compared++;
            case_solve(context, c, POISSON_MULTIGRID, 1e-13);
            for (size_t i = 0; i < cells; i++)
                if (p[i] > -1e12) size = fmax(size, fabs(p[i]));
            for (size_t i = 0; i < cells; i++)
                if (p[i] > -1e12 && c->kind[i] == CELL_FLUID)
                    assert_close(p[i], c->p[i], 1e-8 * size);
        }
        free(low);
        free(p);
        case_destroy(c);
    }
    assert_true(compared > 10);
    test_context_close(context);
}

/* A solve that ignores the bounds and is cut at them afterwards does not pass these checks. */
static void test_clamped_solve_is_rejected(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    int cases = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        PoissonCase *c = random_case(seed);
        size_t cells = grid_cell_count(&c->grid);
        Poisson *poisson;
        Solved solved;
        bool cut = false;
        for (size_t i = 0; i < cells; i++) c->b[i] = -c->b[i];
        case_solve(context, c, POISSON_MULTIGRID, 1e-12);
        for (size_t i = 0; i < cells; i++) {
            c->b[i] = -c->b[i];
            cut = cut || c->p[i] < -1e-3;
            c->p[i] = fmax(c->p[i], 0.0);
        }
        assert_int_equal(poisson_create(context, &c->grid, POISSON_PLAIN, &poisson), PLIM_OK);
        assert_int_equal(poisson_setup(poisson, &c->problem), PLIM_OK);
        check_conditions(context, poisson, c, NULL, &solved);
        if (cut) {
            assert_false(is_solution(&solved));
            cases++;
        }
        poisson_destroy(poisson);
        case_destroy(c);
    }
    assert_true(cases > 15);
    test_context_close(context);
}

static PoissonCase *pool(int n, uint64_t seed) {
    PoissonCase *c = case_create((int[3]){n, n, n}, 3, 1.0 / n);
    for (size_t cell = 0; cell < grid_cell_count(&c->grid); cell++) {
        int j = (int)(cell / (size_t)n % (size_t)n);
        c->kind[cell] = j < 2 * n / 3 ? CELL_FLUID : CELL_AIR;
        c->b[cell] = 0.01 * random_normal(seed, 0, cell) + (j + 3 > 2 * n / 3 ? 0.5 : 0.0005);
    }
    return c;
}

static void test_same_bits_for_any_threads(void **state) {
    (void)state;
    double *first = NULL;
    int applications = 0;
    for (int r = 0; r < 6; r++) { /* threads 1, 2, 4 */
        PlimContext *context = test_context(1 << r % 3);
        PoissonCase *c = pool(40, 3);
        Solved solved = solve(context, c, r < 3 ? POISSON_MULTIGRID : POISSON_MIC0, NULL, 1e-9);
        expect_solution(&solved, "pool", (uint64_t)r);
        size_t bytes = grid_cell_count(&c->grid) * sizeof *first;
        if (r % 3 == 0) {
            first = realloc(first, bytes);
            memcpy(first, c->p, bytes);
            applications = solved.result.applications;
        }
        assert_memory_equal(c->p, first, bytes);
        assert_int_equal(solved.result.applications, applications);
        case_destroy(c);
        test_context_close(context);
    }
    free(first);
}

/* A solve from the solution ends at once; the next step's is shorter than one from nothing. Nothing
 * is allocated once two solves are done, and the plain solve still works beside. */
static void test_warm_start(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    PoissonCase *c = pool(32, 4), *next = pool(32, 5);
    size_t cells = grid_cell_count(&c->grid);
    double *eigenvector = calloc(cells, sizeof(double));
    BoundedOptions options = bounded_options_default(2);
    BoundedResult cold, again, warm;
    Poisson *poisson;
    options.tolerance = 1e-9;
    for (size_t i = 0; i < cells; i++) next->b[i] = 0.95 * c->b[i] + 0.05 * next->b[i];
    assert_int_equal(poisson_create(context, &c->grid, POISSON_MULTIGRID, &poisson), PLIM_OK);
    c->problem.bounded = true;
    assert_int_equal(poisson_setup(poisson, &c->problem), PLIM_OK);
    for (int r = 0; r < 2; r++) {
        memset(c->p, 0, cells * sizeof *c->p);
        assert_int_equal(
            poisson_solve_bounded(poisson, &options, c->b, NULL, c->p, eigenvector, &cold),
            PLIM_OK);
    }
    size_t bytes = plim_context_bytes(context);
    assert_int_equal(
        poisson_solve_bounded(poisson, &options, c->b, NULL, c->p, eigenvector, &again), PLIM_OK);
    assert_int_equal(again.iterations, 0);
    assert_true(again.norm > 1.9 && again.norm <= 2.0);
    assert_int_equal(
        poisson_solve_bounded(poisson, &options, next->b, NULL, c->p, eigenvector, &warm), PLIM_OK);
    assert_int_equal(warm.reason, SOLVE_CONVERGED);
    assert_true(warm.iterations < cold.iterations);
    assert_int_equal(plim_context_bytes(context), bytes);
    case_destroy(c);
    case_destroy(next);
    free(eigenvector);
    poisson_destroy(poisson);
    test_context_close(context);
}

/* A box that nothing leads out of. Where b sums to less than zero there is no solution, and the
 * solve says so; where it does not there is one. */
static void test_closed_pocket(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    for (int m = 0; m < 3; m++)
        for (int sign = -1; sign <= 1; sign++) {
            PoissonCase *c = case_create((int[3]){9, 8, 7}, 3, 0.5);
            size_t cells = grid_cell_count(&c->grid);
            double sum = 0.0;
            for (size_t i = 0; i < cells; i++) sum += c->b[i] = random_normal(6, 0, i);
            for (size_t i = 0; i < cells; i++) c->b[i] += 0.1 * sign - sum / (double)cells;
            Solved solved = solve(context, c, methods[m], NULL, 1e-10);
            if (sign < 0) {
                assert_int_equal(solved.result.reason, SOLVE_STAGNATED);
                assert_close(solved.result.incompatible, 0.1, 1e-9);
                assert_true(solved.result.violation <= 1e-10 * solved.size);
            } else if (sign == 0) { /* a mean of rounding only, either way */
                assert_true(is_solution(&solved));
                assert_true(solved.result.incompatible < 1e-15);
            } else {
                expect_solution(&solved, "pocket", (uint64_t)m);
            }
            for (size_t i = 0; i < cells; i++) assert_true(c->p[i] >= 0.0);
            case_destroy(c);
        }
    test_context_close(context);
}

/* Fluid cells with all faces closed are no part of the matrix. */
static void test_cell_with_closed_faces(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    PoissonCase *c = case_create((int[3]){3, 1, 1}, 2, 1.0);
    double low[3] = {0.0, -1.0, 0.25};
    c->kind[1] = CELL_SOLID;
    c->b[0] = c->b[2] = 1.0;
    Solved solved = solve(context, c, POISSON_MULTIGRID, low, 1e-10);
    assert_int_equal(solved.result.reason, SOLVE_CONVERGED);
    assert_true(c->p[0] == 0.0 && c->p[1] == 0.0 && c->p[2] == 0.25);
    c->b[0] = -2.0;
    solved = solve(context, c, POISSON_MULTIGRID, low, 1e-10);
    assert_int_equal(solved.result.reason, SOLVE_STAGNATED);
    assert_close(solved.result.incompatible, 2.0, 0.0);
    case_destroy(c);
    test_context_close(context);
}

static void test_bad_input(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    PoissonCase *c = pool(8, 7);
    for (int m = 0; m < 3; m++) {
        c->b[20] = m == 1 ? INFINITY : NAN;
        assert_int_equal(solve(context, c, methods[m], NULL, 1e-9).result.reason, SOLVE_NOT_FINITE);
    }
    Poisson *poisson;
    BoundedResult result;
    BoundedOptions options = bounded_options_default(1);
    c->problem.air_pressure = c->air;
    assert_int_equal(poisson_create(context, &c->grid, POISSON_PLAIN, &poisson), PLIM_OK);
    assert_int_equal(poisson_setup(poisson, &c->problem), PLIM_OK);
    assert_int_equal(poisson_solve_bounded(poisson, &options, c->b, NULL, c->p, c->phi, &result),
                     PLIM_BAD_INPUT);
    poisson_destroy(poisson);
    case_destroy(c);
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_string_over_floor),
        cmocka_unit_test(test_conditions_hold_in_blobs),
        cmocka_unit_test(test_column_with_a_gap),
        cmocka_unit_test(test_equals_conjugate_gradients_without_bounds),
        cmocka_unit_test(test_clamped_solve_is_rejected),
        cmocka_unit_test(test_same_bits_for_any_threads),
        cmocka_unit_test(test_warm_start),
        cmocka_unit_test(test_closed_pocket),
        cmocka_unit_test(test_cell_with_closed_faces),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
