/* Aggregation multigrid on elastic solids: symmetry, iterations that do not grow with the mesh, odd
 * meshes, threads, memory. */
#include "elastic_case.h"
#include "operator_test.h"

typedef struct Solver {
    Aggregation *aggregation;
    Scratch scratch;
    KrylovOptions options;
} Solver;

static Solver solver_create_with(PlimContext *context, const BlockCsr *matrix,
                                 double jacobi_above) {
    Solver s = {.options = krylov_options_default(context->threads)};
    AggregationDesc desc = aggregation_desc_default(matrix->size, context->threads);
    if (jacobi_above > 0.0) desc.jacobi_above = jacobi_above;
    assert_int_equal(aggregation_create(context, &desc, matrix, &s.aggregation), PLIM_OK);
    scratch_init(&s.scratch, context);
    s.options.max_iterations = 300;
    return s;
}

static Solver solver_create(PlimContext *context, const BlockCsr *matrix) {
    return solver_create_with(context, matrix, 0.0);
}

static void solver_free(Solver *s) {
    aggregation_destroy(s->aggregation);
    scratch_free(&s->scratch);
}

static SolveResult solver_run(Solver *s, const BlockCsr *matrix, const double *position,
                              const double *filter, const double *b, double *x) {
    SolveResult result;
    LinearMap map = block_csr_map(matrix);
    assert_int_equal(aggregation_update(s->aggregation, matrix, position, filter), PLIM_OK);
    Preconditioner m = aggregation_preconditioner(s->aggregation);
    memset(x, 0, map.rows * sizeof *x);
    assert_int_equal(solve_cg(&s->scratch, &map, &m, &s->options, b, x, &result), PLIM_OK);
    assert_int_equal(result.reason, SOLVE_CONVERGED);
    return result;
}

/* Iterations of one solve, always with all levels. */
static int iterations_of(PlimContext *context, const ElasticDesc *desc) {
    ElasticCase c = elastic_create(context, desc);
    Solver s = solver_create_with(context, &c.matrix, 1.0);
    SolveResult result = solver_run(&s, &c.matrix, c.position, c.filter, c.b, c.x);
    assert_true(result.last_residual <= 1e-6 * operator_norm(c.b, c.nodes * (size_t)desc->dim));
    print_message("%dD, %6zu elements, E %g, nu %g, dt %.3g, hold %d: %d levels, %d iterations\n",
                  desc->dim, c.elements, desc->young, desc->poisson, desc->dt, (int)desc->hold,
                  aggregation_level_count(s.aggregation), result.iterations);
    solver_free(&s);
    elastic_free(&c);
    return result.iterations;
}

static ElasticDesc block(int dim, int cells) {
    return (ElasticDesc){.dim = dim,
                         .size = {1, 1, 1},
                         .cells = {cells, cells, cells},
                         .young = 1e6,
                         .poisson = 0.3,
                         .density = 1000.0,
                         .dt = 1.0 / 24.0};
}

static void apply_preconditioner(const void *object, const double *x, double *y) {
    const Preconditioner *m = object;
    m->apply(m->object, x, y);
}

/* x^T M y = y^T M x and x^T M x > 0, for each way to hold a body, in 2D and 3D. */
static void test_symmetry(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    for (int round = 0; round < 6; round++) {
        ElasticDesc desc = block(2 + round % 2, round % 2 ? 9 : 30);
        desc.hold = (ElasticHold)(round / 2);
        if (desc.hold == ELASTIC_CLAMPED) desc.dt = 0.0;
        ElasticCase c = elastic_create(context, &desc);
        Solver s = solver_create(context, &c.matrix);
        assert_int_equal(aggregation_update(s.aggregation, &c.matrix, c.position, c.filter),
                         PLIM_OK);
        assert_true(aggregation_level_count(s.aggregation) >= 3);
        assert_false(aggregation_is_jacobi(s.aggregation));
        Preconditioner m = aggregation_preconditioner(s.aggregation);
        size_t n = c.nodes * (size_t)desc.dim;
        LinearMap map = {&m, n, n, apply_preconditioner, apply_preconditioner};
        operator_check(&map, &(OperatorTest){.tolerance = 1e-11, .symmetric = true});
        for (uint64_t try = 0; try < OPERATOR_TRIES; try++) {
            double *x = operator_vector(n, 100 + try), *y = operator_vector(n, 0);
            m.apply(m.object, x, y);
            assert_true(operator_dot(x, y, n) > 0.0);
            free(x);
            free(y);
        }
        solver_free(&s);
        elastic_free(&c);
    }
    test_context_close(context);
}

/* Implicit steps of a free body and of one that is held: iterations hardly know the mesh. */
static void test_growth(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    const double young[2] = {1e5, 1e6}, poisson[2] = {0.3, 0.45};
    int large = test_size(18, 12);
    for (int round = 0; round < 4; round++)
        for (int dim = 2; dim <= 3; dim++) {
            ElasticDesc coarse = block(dim, dim == 3 ? 7 : 28);
            coarse.young = young[round % 2];
            coarse.poisson = poisson[round / 2];
            coarse.hold = round % 2 ? ELASTIC_CLAMPED : ELASTIC_FREE;
            ElasticDesc fine = coarse;
            for (int k = 0; k < 3; k++) fine.cells[k] = dim == 3 ? large : 7 * large;
            int before = iterations_of(context, &coarse), after = iterations_of(context, &fine);
            assert_true(before <= 30);
            assert_true(after <= 2 * before);
        }
    test_context_close(context);
}

/* Statics of a cube and of a slender beam, whose bending is 10^4 times softer than its material;
 * parts of very different stiffness. */
static void test_statics(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    for (int dim = 2; dim <= 3; dim++) {
        ElasticDesc desc = block(dim, dim == 3 ? 10 : 60);
        desc.dt = 0.0;
        desc.hold = ELASTIC_CLAMPED;
        assert_true(iterations_of(context, &desc) <= 30);
        desc.stiff_ratio = 1e5;
        assert_true(iterations_of(context, &desc) <= 60);
        desc.stiff_ratio = 0.0;
        desc.size = (Vec3){1, 0.1, 0.1};
        for (int cells = 3; cells <= 6; cells += 3) {
            desc.cells[1] = desc.cells[2] = cells * (4 - dim);
            desc.cells[0] = 10 * desc.cells[1];
            assert_true(iterations_of(context, &desc) <= 40);
        }
    }
    /* Elements of all shapes. */
    ElasticDesc distorted = block(3, 14);
    distorted.jitter = 0.2;
    distorted.poisson = 0.4;
    assert_true(iterations_of(context, &distorted) <= 40);
    /* Flat elements, 20 times as long as thick. */
    ElasticDesc plate = block(3, 12);
    plate.size.y = 0.05;
    plate.hold = ELASTIC_CLAMPED;
    assert_true(iterations_of(context, &plate) <= 250);
    test_context_close(context);
}

/* Steel in steps of a frame: the mass is 10^-9 of the diagonal, and still decides how a free body
 * moves. */
static void test_stiff(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    for (int dim = 2; dim <= 3; dim++) {
        ElasticDesc desc = block(dim, dim == 3 ? 12 : 50);
        desc.young = 2e11;
        assert_true(iterations_of(context, &desc) <= 40);
    }
    test_context_close(context);
}

/* On a plane that is oblique to the axes: the same solution as without the preconditioner. */
static void test_solution(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    ElasticDesc desc = block(3, 5);
    desc.hold = ELASTIC_SLIDING;
    ElasticCase c = elastic_create(context, &desc);
    Solver s = solver_create(context, &c.matrix);
    s.options.relative = 1e-12;
    solver_run(&s, &c.matrix, c.position, c.filter, c.b, c.x);
    size_t n = 3 * c.nodes;
    double *plain = calloc(n, sizeof *plain);
    LinearMap map = block_csr_map(&c.matrix);
    SolveResult result;
    s.options.max_iterations = 5000;
    assert_int_equal(solve_cg(&s.scratch, &map, NULL, &s.options, c.b, plain, &result), PLIM_OK);
    assert_int_equal(result.reason, SOLVE_CONVERGED);
    operator_equal("with and without", c.x, plain, n, 1e-9);
    free(plain);
    solver_free(&s);
    elastic_free(&c);
    test_context_close(context);
}

/* Small steps: the matrix is nearly the mass, and block Jacobi is all that is used. */
static void test_small_steps(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    ElasticDesc desc = block(3, 10);
    desc.dt = 1e-3;
    ElasticCase c = elastic_create(context, &desc);
    Solver s = solver_create(context, &c.matrix);
    SolveResult small = solver_run(&s, &c.matrix, c.position, c.filter, c.b, c.x);
    assert_true(aggregation_is_jacobi(s.aggregation));
    assert_true(small.iterations <= 80);
    assert_int_equal(small.applications, small.iterations + 1);
    solver_free(&s);
    elastic_free(&c);
    test_context_close(context);
}

static void test_threads(void **state) {
    (void)state;
    double *x[3];
    size_t bytes = 0;
    for (int round = 0; round < 3; round++) {
        PlimContext *context = test_context(1 << round);
        ElasticDesc desc = block(3, 11);
        desc.hold = ELASTIC_CLAMPED;
        ElasticCase c = elastic_create(context, &desc);
        Solver s = solver_create(context, &c.matrix);
        solver_run(&s, &c.matrix, c.position, c.filter, c.b, c.x);
        bytes = 3 * c.nodes * sizeof(double);
        x[round] = malloc(bytes);
        memcpy(x[round], c.x, bytes);
        solver_free(&s);
        elastic_free(&c);
        test_context_close(context);
    }
    assert_memory_equal(x[0], x[1], bytes);
    assert_memory_equal(x[0], x[2], bytes);
    for (int round = 0; round < 3; round++) free(x[round]);
}

/* The second update and solve ask nothing of the heap, and give the same bits as the first. */
static void test_memory(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    ElasticDesc desc = block(3, 9);
    ElasticCase c = elastic_create(context, &desc);
    Solver s = solver_create(context, &c.matrix);
    solver_run(&s, &c.matrix, c.position, c.filter, c.b, c.x);
    double *first = calloc(3 * c.nodes, sizeof *first);
    memcpy(first, c.x, 3 * c.nodes * sizeof *first);
    assert_int_equal(scratch_reset(&s.scratch), PLIM_OK);
    size_t bytes = plim_context_bytes(context);
    uint64_t allocations = context->allocations;
    solver_run(&s, &c.matrix, c.position, c.filter, c.b, c.x);
    assert_int_equal(plim_context_bytes(context), bytes);
    assert_int_equal(context->allocations, allocations);
    assert_memory_equal(first, c.x, 3 * c.nodes * sizeof *first);
    free(first);
    solver_free(&s);
    elastic_free(&c);
    test_context_close(context);
}

/* Springs between nodes, k n n^T with a little of k I; `mass` on every node. */
static BlockCsr springs(PlimContext *context, size_t nodes, const int32_t *pair, size_t count,
                        const double *position, double mass) {
    BlockCsr a;
    size_t *start = calloc(count + 1, sizeof *start);
    for (size_t e = 0; e <= count; e++) start[e] = 2 * e;
    assert_int_equal(block_csr_create(context, 3, nodes, start, pair, count, &a), PLIM_OK);
    free(start);
    for (size_t e = 0; e < count; e++) {
        double d[3], length = 0.0;
        for (size_t k = 0; k < 3; k++) {
            d[k] = position[3 * pair[2 * e + 1] + (int)k] - position[3 * pair[2 * e] + (int)k];
            length += d[k] * d[k];
        }
        for (size_t p = 0; p < 2; p++)
            for (size_t q = 0; q < 2; q++) {
                size_t place = block_csr_find(&a, (size_t)pair[2 * e + p], (size_t)pair[2 * e + q]);
                for (size_t k = 0; k < 9; k++)
                    a.value[9 * place + k] += (p == q ? 1e4 : -1e4) *
                                              (d[k / 3] * d[k % 3] / length + (k % 4 ? 0.0 : 0.01));
            }
    }
    for (size_t i = 0; i < nodes; i++)
        for (size_t k = 0; k < 3; k++) a.value[9 * block_csr_find(&a, i, i) + 4 * k] += mass;
    return a;
}

static void check_springs(size_t nodes, const int32_t *pair, size_t count, const double *position) {
    PlimContext *context = test_context(2);
    BlockCsr a = springs(context, nodes, pair, count, position, 1.0);
    Solver s = solver_create(context, &a);
    double *b = operator_vector(3 * nodes, 9), *x = operator_vector(3 * nodes, 0);
    SolveResult result = solver_run(&s, &a, position, NULL, b, x);
    print_message("%zu nodes, %zu springs: %d levels, %d iterations\n", nodes, count,
                  aggregation_level_count(s.aggregation), result.iterations);
    assert_true(result.iterations <= 60);
    free(b);
    free(x);
    solver_free(&s);
    block_csr_free(&a);
    test_context_close(context);
}

/* One node; two and a spring; a straight chain, whose aggregates have no rotation about it; many
 * bodies apart, pairs and single nodes, more of them than a direct solve takes. */
static void test_odd_meshes(void **state) {
    (void)state;
    enum { LENGTH = 900 };
    double *position = calloc(3 * LENGTH, sizeof *position);
    int32_t *pair = calloc(2 * LENGTH, sizeof *pair);
    for (size_t i = 0; i < LENGTH; i++) {
        position[3 * i] = 0.1 * (double)i;
        pair[2 * i] = (int32_t)i;
        pair[2 * i + 1] = (int32_t)i + 1;
    }
    check_springs(1, pair, 0, position);
    check_springs(2, pair, 1, position);
    check_springs(LENGTH, pair, LENGTH - 1, position);
    check_springs(LENGTH, pair, 0, position);
    size_t pairs = 0;
    for (size_t i = 0; i + 2 < LENGTH; i += 3) {
        position[3 * i + 1] = 5.0;
        pair[2 * pairs] = (int32_t)i;
        pair[2 * pairs++ + 1] = (int32_t)i + 1;
    }
    check_springs(LENGTH, pair, pairs, position);
    free(position);
    free(pair);
}

/* A free body at rest: the matrix is singular, the load has no resultant. And a body all of which
 * is held. */
static void test_singular(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    ElasticDesc desc = block(3, 8);
    desc.dt = 0.0;
    ElasticCase c = elastic_create(context, &desc);
    Solver s = solver_create(context, &c.matrix);
    size_t n = 3 * c.nodes;
    double *random = operator_vector(n, 5);
    LinearMap map = block_csr_map(&c.matrix);
    map.apply(map.object, random, c.b);
    int iterations = solver_run(&s, &c.matrix, c.position, c.filter, c.b, c.x).iterations;
    print_message("free body at rest: %d iterations\n", iterations);
    assert_true(iterations <= 40);
    memset(c.filter, 0, 3 * n * sizeof *c.filter);
    memset(c.matrix.value, 0, 9 * c.matrix.entries * sizeof *c.matrix.value);
    for (size_t i = 0; i < n; i++)
        c.matrix.value[9 * block_csr_find(&c.matrix, i / 3, i / 3) + 4 * (i % 3)] = 7.0;
    assert_true(solver_run(&s, &c.matrix, c.position, c.filter, c.b, c.x).iterations <= 25);
    free(random);
    solver_free(&s);
    elastic_free(&c);
    AggregationDesc wrong = aggregation_desc_default(2, 1);
    Aggregation *aggregation;
    BlockCsr matrix = {.context = context, .size = 3};
    assert_int_equal(aggregation_create(context, &wrong, &matrix, &aggregation), PLIM_BAD_INPUT);
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_symmetry),   cmocka_unit_test(test_growth),
        cmocka_unit_test(test_statics),    cmocka_unit_test(test_stiff),
        cmocka_unit_test(test_solution),   cmocka_unit_test(test_small_steps),
        cmocka_unit_test(test_threads),    cmocka_unit_test(test_memory),
        cmocka_unit_test(test_odd_meshes), cmocka_unit_test(test_singular),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
