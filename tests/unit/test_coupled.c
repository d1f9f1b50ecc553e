/* The coupled solve against elimination and against the documents' form; updates, dependent
 * constraints, bad input. */
#include "coupled_make.h"
#include "ration.h"

static CoupledResult solve_case(PlimContext *context, const Case *made, double *w, double *l,
                                bool *block_diagonal) {
    Coupled *coupled = case_build(context, made);
    Scratch scratch;
    scratch_init(&scratch, context);
    CoupledResult result;
    assert_int_equal(coupled_solve(coupled, &scratch, made->w, w, l, &result), PLIM_OK);
    if (block_diagonal) *block_diagonal = coupled_is_block_diagonal(coupled);
    result.constraint_residual = NULL;
    scratch_free(&scratch);
    coupled_destroy(coupled);
    return result;
}

static const bool expect_block_diagonal[CASES] = {true, true,  false, false,
                                                  true, false, true,  true};

static void test_exact(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    for (int number = 0; number < CASES; number++) {
        Case made = make_numbered(number);
        double *w = calloc(made.n, 8), *exact = calloc(made.n, 8);
        double *l = calloc(made.constraints + 1, 8), *z = calloc(case_row_count(&made) + 1, 8);
        bool block_diagonal;
        CoupledResult result = solve_case(context, &made, w, l, &block_diagonal);
        case_exact(&made, exact, z);
        assert_int_equal(result.reason, SOLVE_CONVERGED);
        assert_int_equal(block_diagonal, expect_block_diagonal[number]);
        for (size_t i = 0; i < made.n; i++) assert_close(w[i], exact[i], 1e-10);
        assert_close(result.energy_before, case_energy(&made, made.w),
                     1e-13 * result.energy_before);
        assert_close(result.energy_after, case_energy(&made, w), 1e-13 * result.energy_before);
        free(w);
        free(exact);
        free(l);
        free(z);
        case_free(&made);
    }
    test_context_close(context);
}

/* Rows that act on pairs hand momentum from one to the other: free bodies keep their sum. */
static void test_momentum(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    const CaseGroup groups[2] = {{COUPLED_MASS_SCALAR, 10, 1}, {COUPLED_MASS_SCALAR, 6, 1}};
    for (int dampers = 0; dampers < 2; dampers++) {
        Case made = case_create(5, dampers ? 8 : 0, 2, groups, 2);
        size_t n = made.n;
        for (size_t i = 0; i < n; i++) made.mass[i * n + i] = 0.1 + 3.0 * random_uniform(83, 0, i);
        for (size_t i = 0; i < made.constraints; i++) {
            made.d[i * n + 2 + i] = 1.0;
            made.d[i * n + (9 + 2 * i) % n] = -1.0;
            made.target[i] = random_normal(83, 1, i);
        }
        for (size_t i = 0; i < made.dampers; i++) {
            made.c[i * n + (3 * i) % n] = 2.0;
            made.c[i * n + (3 * i + 7) % n] = -2.0;
        }
        for (size_t i = 0; i < made.ties; i++) { /* the mean of two */
            made.tied[i] = (int32_t)i;
            made.j[i * n + i] = 1.0;
            made.j[i * n + 10 + i] = made.j[i * n + 12 + i] = -0.5;
        }
        double *w = calloc(n, 8), before = 0.0, after = 0.0;
        assert_int_equal(solve_case(context, &made, w, NULL, NULL).reason, SOLVE_CONVERGED);
        for (size_t i = 0; i < n; i++) {
            before += made.mass[i * n + i] * made.w[i];
            after += made.mass[i * n + i] * w[i];
        }
        assert_close(after, before, 1e-11);
        free(w);
        case_free(&made);
    }
    test_context_close(context);
}

/* Bodies a billion times lighter or heavier than what they are in. */
static void test_ratios(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    for (int number = 0; number < 3; number++)
        for (double ratio = 1e-9; ratio < 2e9; ratio *= 1e3) {
            Case made = number == 0   ? make_box(ratio, 0.0)
                        : number == 1 ? make_box(ratio, 2.0)
                                      : make_random(&(RandomDesc){true, true, true, ratio});
            double *w = calloc(made.n, 8), *exact = calloc(made.n, 8);
            double *z = calloc(case_row_count(&made), 8);
            CoupledResult result = solve_case(context, &made, w, NULL, NULL);
            case_exact(&made, exact, z);
            assert_int_equal(result.reason, SOLVE_CONVERGED);
            /* Residuals are over masses and dampers together: motions of light bodies that no
             * damper resists are known that much less. */
            double tolerance = number < 2 ? 1e-11 : fmax(1e-11, made.tolerance / ratio);
            for (size_t i = 0; i < made.n; i++) assert_close(w[i], exact[i], tolerance);
            free(w);
            free(exact);
            free(z);
            case_free(&made);
        }
    test_context_close(context);
}

/* New numbers in an old object: the bits of a new one. The second solve takes no memory. */
static void test_update(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Case made = make_random(&(RandomDesc){true, true, true, 1.0});
    Coupled *old = case_build(context, &made);
    size_t n = made.n, first = case_first_set(&made);
    double *w = calloc(n, 8), *again = calloc(n, 8);
    double l[8], l_again[8];
    Scratch scratch;
    scratch_init(&scratch, context);
    CoupledResult result;
    assert_int_equal(coupled_solve(old, &scratch, made.w, w, l, &result), PLIM_OK);
    assert_int_equal(scratch_reset(&scratch), PLIM_OK);
    uint64_t allocations = context->allocations;
    for (size_t i = 0; i < n * n; i++) made.mass[i] *= 1.3;
    for (size_t i = 0; i < made.constraints * n; i++) made.d[i] *= -0.7;
    for (size_t i = 0; i < made.dampers * n; i++) made.c[i] *= 1.1;
    for (size_t i = 0; i < made.ties * n; i++)
        if (i % n >= RANDOM_POINTS) made.j[i] *= 0.9;
    for (size_t i = 0; i < made.constraints; i++) made.target[i] += 1.0;
    Csr rows[4] = {case_rows(context, made.d, first, n, NULL, 1.0),
                   case_rows(context, made.d + first * n, made.constraints - first, n, NULL, 1.0),
                   case_rows(context, made.c, made.dampers, n, NULL, 1.0),
                   case_rows(context, made.j, made.ties, n, made.tied, -1.0)};
    uint64_t rows_made = context->allocations - allocations;
    for (size_t i = 0; i < 3; i++) {
        double *masses = case_masses(&made, i);
        coupled_set_masses(old, i, masses);
        coupled_set_rows(old, i, rows[i].value, i < 2 ? made.target + i * first : NULL);
        free(masses);
    }
    coupled_set_ties(old, 0, rows[3].value);
    assert_int_equal(coupled_update(old), PLIM_OK);
    assert_int_equal(coupled_solve(old, &scratch, made.w, w, l, &result), PLIM_OK);
    assert_int_equal(context->allocations, allocations + rows_made);
    Coupled *fresh = case_build(context, &made);
    assert_int_equal(coupled_solve(fresh, &scratch, made.w, again, l_again, &result), PLIM_OK);
    assert_memory_equal(w, again, n * sizeof *w);
    assert_memory_equal(l, l_again, sizeof l);
    for (size_t i = 0; i < 4; i++) csr_free(context, &rows[i]);
    coupled_destroy(old);
    coupled_destroy(fresh);
    scratch_free(&scratch);
    free(w);
    free(again);
    case_free(&made);
    test_context_close(context);
}

/* Rows twice, a row that a tie fulfils, a row of given velocities alone: all the same answer as
 * without. Targets that contradict are not called converged. */
static void test_dependent(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    for (int dampers = 0; dampers < 2; dampers++) {
        Case plain = make_random(&(RandomDesc){.dampers = dampers == 1, .ties = true});
        plain.constraints = 4;
        double *expected = calloc(plain.n, 8), *w = calloc(plain.n, 8);
        assert_int_equal(solve_case(context, &plain, expected, NULL, NULL).reason, SOLVE_CONVERGED);
        Case made = make_random(&(RandomDesc){.dampers = dampers == 1, .ties = true});
        size_t n = made.n;
        for (size_t i = 0; i < n; i++) {
            made.d[4 * n + i] = made.d[i];
            made.d[5 * n + i] = -3.0 * made.d[2 * n + i];
            made.d[6 * n + i] = 0.3 * made.j[1 * n + i];
            made.d[7 * n + i] = i + 2 >= n ? 1.0 : 0.0;
        }
        assert_int_equal(solve_case(context, &made, w, NULL, NULL).reason, SOLVE_CONVERGED);
        for (size_t i = 0; i < n; i++) assert_close(w[i], expected[i], 1e-10);
        made.target[7] = 1.0;
        CoupledResult impossible = solve_case(context, &made, w, NULL, NULL);
        assert_int_equal(impossible.reason, SOLVE_STAGNATED);
        for (size_t i = 0; i < n; i++) assert_close(w[i], expected[i], 1e-10);
        made.target[7] = 0.0;
        made.target[4] = 1.0;
        assert_int_not_equal(solve_case(context, &made, w, NULL, NULL).reason, SOLVE_CONVERGED);
        free(expected);
        free(w);
        case_free(&plain);
        case_free(&made);
    }
    test_context_close(context);
}

/* Residuals are those of each set; a set's own tolerance is enough for it. */
static void test_residuals(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    for (int number = 0; number < CASES; number++) {
        Case made = make_numbered(number);
        made.tolerance = 1e-5;
        size_t n = made.n, first = case_first_set(&made);
        Coupled *coupled = case_build(context, &made);
        Scratch scratch;
        scratch_init(&scratch, context);
        CoupledResult result;
        double *w = calloc(n, 8), sums[2] = {0.0, 0.0};
        assert_int_equal(coupled_solve(coupled, &scratch, made.w, w, NULL, &result), PLIM_OK);
        assert_int_equal(result.reason, SOLVE_CONVERGED);
        assert_true(result.momentum_residual <= 1e-5);
        for (size_t i = 0; i < made.constraints; i++) {
            double r = made.target[i] - operator_dot(made.d + i * n, w, n);
            sums[i >= first] += r * r;
        }
        for (size_t k = 0; k < 2; k++) {
            assert_close(result.constraint_residual[k], sqrt(sums[k]), 1e-12);
            assert_true(result.constraint_residual[k] <= 1e-5);
        }
        free(w);
        scratch_free(&scratch);
        coupled_destroy(coupled);
        case_free(&made);
    }
    test_context_close(context);
}

static void test_threads(void **state) {
    (void)state;
    for (int number = 4; number < 6; number++) {
        Case made = make_numbered(number);
        double *w[3];
        for (int round = 0; round < 3; round++) {
            PlimContext *context = test_context(1 << round);
            w[round] = calloc(made.n, 8);
            solve_case(context, &made, w[round], NULL, NULL);
            test_context_close(context);
        }
        assert_memory_equal(w[0], w[1], made.n * sizeof *w[0]);
        assert_memory_equal(w[0], w[2], made.n * sizeof *w[0]);
        for (int round = 0; round < 3; round++) free(w[round]);
        case_free(&made);
    }
}

/* A coupled object of two groups, 4 scalars and a body of 2, with one tie row. */
static PlimStatus try_ties(PlimContext *context, const double *body, int32_t tied, int32_t column,
                           int times) {
    CoupledDesc desc = coupled_desc_default(1);
    const double ones[4] = {1.0, 1.0, 1.0, 1.0};
    Coupled *coupled;
    assert_int_equal(coupled_create(context, &desc, &coupled), PLIM_OK);
    CoupledMass scalar = {COUPLED_MASS_SCALAR, 1, ones}, block = {COUPLED_MASS_BLOCKS, 2, body};
    CoupledMass infinite = {.kind = COUPLED_MASS_INFINITE};
    assert_int_equal(coupled_add_group(coupled, "points", 4, &scalar, NULL), PLIM_OK);
    assert_int_equal(coupled_add_group(coupled, "body", 2, &block, NULL), PLIM_OK);
    assert_int_equal(coupled_add_group(coupled, "wall", 1, &infinite, NULL), PLIM_OK);
    assert_int_equal(coupled_add_group(coupled, "odd", 3, &block, NULL), PLIM_BAD_INPUT);
    Csr row;
    assert_int_equal(csr_create(context, 1, 7, 1, &row), PLIM_OK);
    row.column[0] = column;
    row.value[0] = 1.0;
    row.row_start[1] = 1;
    for (int i = 0; i < times; i++)
        assert_int_equal(coupled_add_ties(coupled, &tied, &row, NULL), PLIM_OK);
    CoupledRows loose = {"loose", COUPLED_CONSTRAINT, &row, NULL, 0.0};
    assert_int_equal(coupled_add_rows(coupled, &loose, NULL), PLIM_BAD_INPUT);
    PlimStatus status = coupled_finalize(coupled);
    if (status == PLIM_OK)
        assert_int_equal(coupled_add_group(coupled, "late", 4, &scalar, NULL), PLIM_BAD_INPUT);
    csr_free(context, &row);
    coupled_destroy(coupled);
    return status;
}

static void test_bad_input(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    const double good[4] = {2.0, 0.5, 0.5, 1.0}, bad[4] = {1.0, 2.0, 2.0, 1.0};
    assert_int_equal(try_ties(context, good, 0, 4, 1), PLIM_OK);
    assert_int_equal(try_ties(context, bad, 0, 4, 1), PLIM_BAD_INPUT);
    assert_non_null(strstr(plim_message(context), "'body': mass 0 is not positive definite"));
    assert_int_equal(try_ties(context, good, 0, 7, 1), PLIM_BAD_INPUT); /* no such velocity */
    assert_int_equal(try_ties(context, good, 9, 1, 1), PLIM_BAD_INPUT);
    assert_int_equal(try_ties(context, good, 0, 0, 1), PLIM_BAD_INPUT); /* to itself */
    assert_int_equal(try_ties(context, good, 6, 0, 1), PLIM_BAD_INPUT); /* given */
    assert_int_equal(try_ties(context, good, 0, 1, 2), PLIM_BAD_INPUT); /* twice */
    assert_int_equal(try_ties(context, good, 4, 1, 1), PLIM_BAD_INPUT); /* half a body */
    assert_non_null(strstr(plim_message(context), "1 of the 2 velocities of body 0"));
    CoupledDesc desc = coupled_desc_default(1);
    desc.tolerance = 0.0;
    Coupled *coupled;
    assert_int_equal(coupled_create(context, &desc, &coupled), PLIM_BAD_INPUT);
    test_context_close(context);
}

typedef struct StarvedCase {
    Csr row;
    double w[4];
} StarvedCase;

static PlimStatus build_and_solve(const StarvedCase *use, Coupled *coupled,
                                  CoupledReference *reference, Scratch *scratch) {
    const double masses[4] = {1.0, 2.0, 3.0, 4.0};
    const int32_t tied = 3;
    double w[4], z[3] = {0.0};
    CoupledMass scalar = {COUPLED_MASS_SCALAR, 1, masses};
    CoupledRows constraint = {"row", COUPLED_CONSTRAINT, &use->row, NULL, 1e-9};
    CoupledRows damper = {"damper", COUPLED_DAMPER, &use->row, NULL, 0.0};
    KrylovOptions options = krylov_options_default(1);
    CoupledResult result;
    SolveResult cg;
    TRY(coupled_add_group(coupled, "points", 4, &scalar, NULL));
    TRY(coupled_add_rows(coupled, &constraint, NULL));
    TRY(coupled_add_rows(coupled, &damper, NULL));
    TRY(coupled_add_ties(coupled, &tied, &use->row, NULL));
    TRY(coupled_finalize(coupled));
    TRY(coupled_solve(coupled, scratch, use->w, w, NULL, &result));
    TRY(coupled_reference_create(coupled, reference));
    TRY(coupled_reference_solve(reference, scratch, &options, true, use->w, w, z, &cg));
    return PLIM_OK;
}

static PlimStatus starved_use(PlimContext *context, void *user) {
    CoupledDesc desc = coupled_desc_default(1);
    Coupled *coupled;
    CoupledReference reference = {.context = NULL};
    Scratch scratch;
    TRY(coupled_create(context, &desc, &coupled));
    scratch_init(&scratch, context);
    PlimStatus status = build_and_solve(user, coupled, &reference, &scratch);
    coupled_reference_free(&reference);
    scratch_free(&scratch);
    coupled_destroy(coupled);
    return status;
}

/* All that a solve is made of, and the documents' form, with memory running out. */
static void test_memory(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    StarvedCase use = {.w = {1.0, -2.0, 0.5, 3.0}};
    assert_int_equal(csr_create(context, 1, 4, 2, &use.row), PLIM_OK);
    for (size_t i = 0; i < 2; i++) {
        use.row.column[i] = (int32_t)i;
        use.row.value[i] = 1.0 - 2.0 * (double)i;
    }
    use.row.row_start[1] = 2;
    starve(&(Starved){.use = starved_use, .user = &use, .least = 40, .most = 400});
    csr_free(context, &use.row);
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),     cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_ratios),    cmocka_unit_test(test_update),
        cmocka_unit_test(test_dependent), cmocka_unit_test(test_residuals),
        cmocka_unit_test(test_threads),   cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
