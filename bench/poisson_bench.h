/* The cases of the pressure benchmark, for ours and for other libraries' solvers alike. */
#ifndef BENCH_POISSON_BENCH_H
#define BENCH_POISSON_BENCH_H

#include "bench/bench.h"
#include "solve/pressure/poisson.h"

typedef struct PoissonBench {
    PlimContext *context;
    Grid grid;
    size_t cells, fluid;
    unsigned char *kind;
    double *phi, *b, *p, *faces[3];
    PoissonProblem problem;
    Poisson *poisson;
    SolveResult result;
} PoissonBench;

/* Tank half full with a ball and a post, n cells a side. Close it also when this fails. */
PlimStatus poisson_bench_tank(PlimContext *context, int n, PoissonBench *bench);
void poisson_bench_close(PoissonBench *bench);

#ifdef PLIM_PETSC
/* PETSc's lines of the same tanks. The first starts this program again under mpirun, one rank for
 * each thread; the second is what those ranks run. Agreement with our solution is checked. */
PlimStatus bench_petsc(const BenchOptions *options);
bool bench_petsc_is_rank(void);
PlimStatus bench_petsc_rank(const BenchOptions *options);
#endif

#endif
