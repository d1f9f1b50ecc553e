/* The multigrid V-cycle. Sweeps before the coarse correction go red, black; those after it black,
 * red: each is the transpose of the other, so that the cycle is symmetric. */
#include "solve/multigrid/multigrid.h"

/* Coarse levels get two sweeps a side: they cost an eighth and save an iteration. */
enum { SWEEPS = 1, COARSE_SWEEPS = 2 };

static void cycle(Multigrid *mg, int l, int threads) {
    MgLevel *level = &mg->levels[l];
    if (l + 1 == mg->depth) {
        for (int s = 0; s < COARSE_SWEEPS; s++) mg_sweep(level, threads, 0, s == 0);
        for (int s = 0; s < COARSE_SWEEPS; s++) mg_sweep(level, threads, 1, false);
        return;
    }
    int sweeps = l == 0 ? SWEEPS : COARSE_SWEEPS;
    for (int s = 0; s < sweeps; s++) mg_sweep(level, threads, 0, s == 0);
    mg_residual(level, threads);
    mg_restrict(level, &mg->levels[l + 1], threads);
    cycle(mg, l + 1, threads);
    mg_prolong(level, &mg->levels[l + 1], threads);
    for (int s = 0; s < sweeps; s++) mg_sweep(level, threads, 1, false);
}

void mg_cycle(Multigrid *mg, int threads) {
    cycle(mg, 0, threads);
}

int mg_applications(const Multigrid *mg) {
    return mg->depth == 1 ? 2 * COARSE_SWEEPS : 2 * SWEEPS + 1;
}
