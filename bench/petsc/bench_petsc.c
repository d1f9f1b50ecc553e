/* PETSc on the tanks of the pressure benchmark: the matrix that poisson_assemble writes, its rows
 * divided among the ranks, the same right-hand side and the same true relative residual. */
#include "bench/poisson_bench.h"

#include "base/clock.h"

#include <petscksp.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { AGREEMENT_SIZE = 64 };
static const double bench_tolerance = 1e-6, agreement_tolerance = 1e-10, agreement_limit = 1e-8;

/* The settings of a solver are in PETSc's options, under its prefix. */
typedef struct PetscSolver {
    const char *name, *prefix;
} PetscSolver;

static const PetscSolver solvers[] = {{"BoomerAMG", "boomer_"}, {"GAMG", "gamg_"}, {"ICC", "icc_"}};

static const char solver_settings[] = "-boomer_pc_type hypre -boomer_pc_hypre_type boomeramg "
                                      "-boomer_pc_hypre_boomeramg_coarsen_type HMIS "
                                      "-boomer_pc_hypre_boomeramg_interp_type ext+i "
                                      "-boomer_pc_hypre_boomeramg_agg_nl 1 "
                                      "-boomer_pc_hypre_boomeramg_P_max 4 "
                                      "-gamg_pc_type gamg "
                                      "-icc_pc_type bjacobi -icc_sub_pc_type icc";

typedef struct PetscSystem {
    size_t rows;
    PetscInt first, local; /* rows of this rank */
    Mat a;
    Vec b, x;
} PetscSystem;

typedef struct PetscTimes {
    double setup, solve, residual; /* seconds; relative, true */
    PetscInt iterations;
} PetscTimes;

static PetscErrorCode fill_system(const Csr *matrix, const size_t *cell_of_row, const double *b,
                                  PetscSystem *system) {
    PetscInt *start;
    PetscScalar *values;
    size_t first = (size_t)system->first, base = matrix->row_start[first];
    PetscCall(PetscMalloc1((size_t)system->local + 1, &start));
    for (PetscInt i = 0; i <= system->local; i++)
        start[i] = (PetscInt)(matrix->row_start[first + (size_t)i] - base);
    PetscCall(MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, system->local, system->local,
                                        PETSC_DETERMINE, PETSC_DETERMINE, start,
                                        matrix->column + base, matrix->value + base, &system->a));
    PetscCall(PetscFree(start));
    PetscCall(MatSetOption(system->a, MAT_SPD, PETSC_TRUE));
    PetscCall(MatCreateVecs(system->a, &system->x, &system->b));
    PetscCall(VecGetArray(system->b, &values));
    for (PetscInt i = 0; i < system->local; i++) values[i] = b[cell_of_row[first + (size_t)i]];
    return VecRestoreArray(system->b, &values);
}

static PetscErrorCode close_system(PetscSystem *system) {
    PetscCall(MatDestroy(&system->a));
    PetscCall(VecDestroy(&system->b));
    return VecDestroy(&system->x);
}

static PlimStatus petsc_status(PlimContext *context, PetscErrorCode error) {
    if (error == 0) return PLIM_OK;
    return context_fail(context, PLIM_FAILED, "PETSc failed with code %d", (int)error);
}

/* Each rank assembles all of the tank, which is not timed, and hands PETSc its own rows. */
static PlimStatus assemble_system(PoissonBench *bench, PetscSystem *system, size_t **cell_of_row) {
    Csr matrix;
    int rank, ranks;
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
    TRY(poisson_setup(bench->poisson, &bench->problem));
    TRY(poisson_assemble(bench->poisson, &matrix, cell_of_row));
    system->rows = matrix.rows;
    system->first = (PetscInt)(matrix.rows * (size_t)rank / (size_t)ranks);
    system->local = (PetscInt)(matrix.rows * (size_t)(rank + 1) / (size_t)ranks) - system->first;
    PetscErrorCode error = fill_system(&matrix, *cell_of_row, bench->b, system);
    csr_free(bench->context, &matrix);
    return petsc_status(bench->context, error);
}

static PetscErrorCode true_residual(PetscSystem *system, double *relative) {
    Vec r;
    PetscReal norm, scale;
    PetscCall(VecDuplicate(system->b, &r));
    PetscCall(MatMult(system->a, system->x, r));
    PetscCall(VecAYPX(r, -1.0, system->b));
    PetscCall(VecNorm(r, NORM_2, &norm));
    PetscCall(VecNorm(system->b, NORM_2, &scale));
    *relative = norm / scale;
    return VecDestroy(&r);
}

static double seconds_together(void) {
    MPI_Barrier(PETSC_COMM_WORLD);
    return clock_seconds();
}

static PetscErrorCode solve_once(PetscSystem *system, const PetscSolver *solver, double tolerance,
                                 PetscTimes *times) {
    KSP ksp;
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(KSPSetOptionsPrefix(ksp, solver->prefix));
    PetscCall(KSPSetOperators(ksp, system->a, system->a));
    PetscCall(KSPSetType(ksp, KSPCG));
    PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
    PetscCall(KSPSetTolerances(ksp, tolerance, 1e-300, PETSC_DEFAULT, 10000));
    PetscCall(KSPSetErrorIfNotConverged(ksp, PETSC_TRUE));
    PetscCall(KSPSetFromOptions(ksp));
    double start = seconds_together();
    PetscCall(KSPSetUp(ksp));
    PetscCall(KSPSetUpOnBlocks(ksp));
    double middle = seconds_together();
    PetscCall(KSPSolve(ksp, system->b, system->x));
    double end = seconds_together();
    times->setup = fmin(times->setup, middle - start);
    times->solve = fmin(times->solve, end - middle);
    PetscCall(KSPGetIterationNumber(ksp, &times->iterations));
    PetscCall(true_residual(system, &times->residual));
    return KSPDestroy(&ksp);
}

/* As bench_time: once to warm up, then for a second; the first rank says when to stop. */
static PetscErrorCode solve_repeated(const BenchOptions *options, PetscSystem *system,
                                     const PetscSolver *solver, PetscTimes *times) {
    int more;
    double budget = options->quick ? 0.1 : 1.0, start = clock_seconds();
    *times = (PetscTimes){.setup = 1e300, .solve = 1e300};
    PetscCall(solve_once(system, solver, bench_tolerance, times));
    do {
        PetscCall(solve_once(system, solver, bench_tolerance, times));
        more = clock_seconds() - start < budget;
        PetscCallMPI(MPI_Bcast(&more, 1, MPI_INT, 0, PETSC_COMM_WORLD));
    } while (more);
    return 0;
}

static void print_times(const BenchOptions *options, size_t cells, size_t rows,
                        const PetscSolver *solver, const PetscTimes *times) {
    int rank, ranks;
    char variant[128];
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
    if (rank != 0) return;
    BenchResult line = {.name = "poisson",
                        .variant = variant,
                        .n = cells,
                        .seconds = times->setup,
                        .work = (double)rows,
                        .unit = "fluid cells"};
    snprintf(variant, sizeof variant, "tank PETSc CG + %s set-up, ranks: %d", solver->name, ranks);
    bench_print(options, &line);
    snprintf(variant, sizeof variant, "tank PETSc CG + %s solve to 1e-6, reached %.2g, ranks: %d",
             solver->name, times->residual, ranks);
    line.seconds = times->solve;
    line.iterations = (uint64_t)times->iterations;
    bench_print(options, &line);
}

static PlimStatus open_tank(PlimContext *context, int n, PoissonMethod method, PoissonBench *bench,
                            PetscSystem *system, size_t **cell_of_row) {
    *system = (PetscSystem){0};
    TRY(poisson_bench_tank(context, n, bench));
    TRY(poisson_create(context, &bench->grid, method, &bench->poisson));
    return assemble_system(bench, system, cell_of_row);
}

static PlimStatus measure_tank(const BenchOptions *options, int n) {
    PoissonBench bench;
    PetscSystem system;
    PetscTimes times;
    size_t *cell_of_row = NULL;
    PlimContext *context = options->context;
    PlimStatus status = open_tank(context, n, POISSON_PLAIN, &bench, &system, &cell_of_row);
    size_t cells = bench.cells;
    if (cell_of_row) context_free(context, cell_of_row, system.rows + 1, sizeof(size_t));
    poisson_bench_close(&bench); /* PETSc needs the memory */
    for (size_t s = 0; status == PLIM_OK && s < sizeof solvers / sizeof *solvers; s++) {
        status = petsc_status(context, solve_repeated(options, &system, &solvers[s], &times));
        if (status == PLIM_OK) print_times(options, cells, system.rows, &solvers[s], &times);
    }
    close_system(&system);
    return status;
}

/* Largest difference of this rank's rows and largest pressure, then of all ranks. */
static PetscErrorCode compare(const PetscSystem *system, const size_t *cell_of_row, const double *p,
                              double *difference) {
    const PetscScalar *x;
    double largest[2] = {0.0, 0.0};
    PetscCall(VecGetArrayRead(system->x, &x));
    for (PetscInt i = 0; i < system->local; i++) {
        double ours = p[cell_of_row[system->first + i]], off = fabs(ours - x[i]);
        if (!(off <= largest[0])) largest[0] = off; /* not a number counts as well */
        largest[1] = fmax(largest[1], fabs(ours));
    }
    PetscCall(VecRestoreArrayRead(system->x, &x));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, largest, 2, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
    *difference = largest[0] / largest[1];
    return 0;
}

static PlimStatus solve_both(PoissonBench *bench, PetscSystem *system, const size_t *cell_of_row,
                             const PetscSolver *solver, double *difference) {
    double incompatible;
    PetscTimes times = {0};
    KrylovOptions krylov = krylov_options_default(bench->context->threads);
    krylov.relative = agreement_tolerance;
    memset(bench->p, 0, bench->cells * sizeof *bench->p);
    TRY(poisson_solve(bench->poisson, &krylov, bench->b, bench->p, &bench->result, &incompatible));
    if (bench->result.reason != SOLVE_CONVERGED)
        return context_fail(bench->context, PLIM_FAILED, "our solve did not converge");
    TRY(petsc_status(bench->context, solve_once(system, solver, agreement_tolerance, &times)));
    return petsc_status(bench->context, compare(system, cell_of_row, bench->p, difference));
}

static PlimStatus check_agreement(const BenchOptions *options) {
    int rank;
    PoissonBench bench;
    PetscSystem system;
    size_t *cell_of_row = NULL;
    double difference = 0.0;
    PlimContext *context = options->context;
    PlimStatus status =
        open_tank(context, AGREEMENT_SIZE, POISSON_MULTIGRID, &bench, &system, &cell_of_row);
    if (status == PLIM_OK)
        status = solve_both(&bench, &system, cell_of_row, &solvers[0], &difference);
    if (cell_of_row) context_free(context, cell_of_row, system.rows + 1, sizeof(size_t));
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    if (status == PLIM_OK && rank == 0)
        printf("{\"name\":\"poisson\",\"case\":\"tank agreement with PETSc\",\"n\":%zu,"
               "\"difference\":%.3g,\"limit\":%g}\n",
               bench.cells, difference, agreement_limit);
    fflush(stdout);
    poisson_bench_close(&bench);
    close_system(&system);
    if (status == PLIM_OK && !(difference < agreement_limit))
        return context_fail(context, PLIM_FAILED, "PETSc's pressure differs from ours by %g",
                            difference);
    return status;
}

static PlimStatus run_all(const BenchOptions *options) {
    int largest = options->quick ? 64 : 256;
    TRY(check_agreement(options));
    for (int n = 64; n <= largest; n *= 2) TRY(measure_tank(options, n));
    return PLIM_OK;
}

PlimStatus bench_petsc_rank(const BenchOptions *options) {
    PlimContext *context = options->context;
    TRY(petsc_status(context, PetscInitialize(NULL, NULL, NULL, NULL)));
    TRY(petsc_status(context, PetscOptionsInsertString(NULL, solver_settings)));
    PlimStatus status = run_all(options);
    /* A rank that failed alone must not leave the others waiting. */
    if (status != PLIM_OK) {
        fprintf(stderr, "plimsoll: %s\n", plim_message(context));
        MPI_Abort(PETSC_COMM_WORLD, 1);
    }
    return petsc_status(context, PetscFinalize());
}
