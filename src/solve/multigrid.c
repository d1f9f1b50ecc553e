/* The cycle. Sweeps before the coarse correction go red, black; those after it black, red: each is
 * the transpose of the other, so that the cycle is symmetric. */
#include "solve/multigrid.h"
#include <stdlib.h>

enum { SWEEPS = 1, COARSEST_SWEEPS = 1 };
static int cs(void){ static int v=-1; if(v<0){const char*e=getenv("CS"); v=e?atoi(e):1;} return v;}
static int gam(void){ static int v=-1; if(v<0){const char*e=getenv("GAM"); v=e?atoi(e):1;} return v;}

static void cycle(Multigrid *mg, int l, int threads, bool zero) {
    MgLevel *level = &mg->levels[l];
    if (l + 1 == mg->level_count) {
        for (int s = 0; s < COARSEST_SWEEPS; s++) mg_sweep(level, threads, 0, zero && s == 0);
        for (int s = 0; s < COARSEST_SWEEPS; s++) mg_sweep(level, threads, 1, false);
        return;
    }
    int sweeps = l == 0 ? SWEEPS : cs();
    for (int s = 0; s < sweeps; s++) mg_sweep(level, threads, 0, zero && s == 0);
    mg_residual(level, threads);
    mg_restrict(level, &mg->levels[l + 1], threads);
    for (int g = 0; g < (l>0?gam():1); g++) cycle(mg, l + 1, threads, g==0);
    mg_prolong(level, &mg->levels[l + 1], threads);
    for (int s = 0; s < sweeps; s++) mg_sweep(level, threads, 1, false);
}

void mg_cycle(Multigrid *mg, int threads) {
    cycle(mg, 0, threads, true);
}

int mg_applications(const Multigrid *mg) {
    return mg->level_count == 1 ? 2 * COARSEST_SWEEPS : 2 * SWEEPS + 1;
}
