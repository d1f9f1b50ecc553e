/* The bytes that a multigrid solve has to move between memory and caches, counted as the triad's
 * are: each pass over a level reads and writes every array that it needs once; rows next to the one
 * in work are still in a cache, and that a line is fetched before it is written over is left out.
 */
#include "solve/pressure/poisson_internal.h"

/* Bytes a cell. On the finest level: the residual lowered to single precision 12, two dot products
 * 12 and 16, the direction 20, solution and residual 48; of the cycle, four halves of sweeps 12
 * each, the residual 12, restriction 4, interpolation 12. Coarser levels are swept twice as often,
 * and hold a right-hand side to write and a solution to read. Before and after the iterations: the
 * right-hand side twice, the first guess, the true residual. */
static const double FINEST = 108.0 + 76.0, COARSE = 132.0, ONCE = 160.0;
/* Cells of mixed runs read three conductances and an inverse diagonal in five passes on the finest
 * level, and in eight below it, where there are weights of 12 bytes as well. */
static const double FINEST_MIXED = 5.0 * 16.0, COARSE_MIXED = 8.0 * 16.0 + 12.0;

static void count_cells(const MgLevel *level, double *all, double *mixed) {
    *all = *mixed = 0.0;
    for (int layer = 0; layer < level->layers; layer++) FOR_RUNS(level, layer, run) {
            *all += run->length;
            if (!(run->uniform > 0.0f)) *mixed += run->length;
        }
}

double poisson_traffic(const Poisson *poisson, int iterations) {
    const Multigrid *mg = &poisson->mg;
    double all, mixed, iteration = 0.0, once = 0.0;
    for (int l = 0; l < mg->level_count; l++) {
        count_cells(&mg->levels[l], &all, &mixed);
        iteration += all * (l ? COARSE : FINEST) + mixed * (l ? COARSE_MIXED : FINEST_MIXED);
        if (l == 0) once = all * ONCE;
    }
    return once + iteration * iterations;
}
