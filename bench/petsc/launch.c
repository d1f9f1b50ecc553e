/* Starts the program again under mpirun: PETSc works on several cores as several processes. */
#include "bench/poisson_bench.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char rank_mark[] = "PLIM_PETSC_RANK";

bool bench_petsc_is_rank(void) {
    return getenv(rank_mark) != NULL;
}

/* As many ranks as asked for, on whichever cores are free, also for the root of a container; our
 * own threads sleep while PETSc works. Other MPIs ignore Open MPI's settings. */
static void prepare_environment(void) {
    static const char *const settings[][2] = {
        {rank_mark, "1"},
        {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
        {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
        {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
        {"OMPI_MCA_mpi_yield_when_idle", "1"},
        {"OMPI_MCA_hwloc_base_binding_policy", "none"},
        {"OMP_WAIT_POLICY", "passive"},
        {"OPENBLAS_NUM_THREADS", "1"},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        setenv(settings[i][0], settings[i][1], 1);
}

PlimStatus bench_petsc(const BenchOptions *options) {
    static char program[4096], ranks[16];
    static char mpirun[] = "mpirun", n[] = "-n", bench[] = "bench", poisson[] = "poisson",
                threads[] = "--threads", quick[] = "--quick";
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0)
        return context_fail(options->context, PLIM_IO_ERROR, "cannot find this program's file");
    program[length] = '\0';
    snprintf(ranks, sizeof ranks, "%d", options->context->threads);
    char *arguments[] = {mpirun, n, ranks, program, bench, poisson, threads, ranks, quick, NULL};
    if (!options->quick) arguments[8] = NULL;
    prepare_environment();
    pid_t process;
    int state = 1, error = posix_spawnp(&process, mpirun, NULL, NULL, arguments, environ);
    unsetenv(rank_mark);
    if (error) return context_fail(options->context, PLIM_IO_ERROR, "cannot start mpirun");
    if (waitpid(process, &state, 0) != process || state != 0)
        return context_fail(options->context, PLIM_FAILED, "the benchmark of PETSc failed");
    return PLIM_OK;
}
