/* The pressure solve's data, shared by its files. */
#ifndef SOLVE_POISSON_INTERNAL_H
#define SOLVE_POISSON_INTERNAL_H

#include "base/parallel.h"
#include "solve/multigrid/multigrid.h"
#include "solve/pressure/poisson_operator.h"

/* Marks of a padded cell. */
enum { MARK_FLUID = 1, MARK_OPEN = 2 /* of a region's root: it touches a fixed value */ };

/* All vectors are padded like the finest level (multigrid.h) and zero where there is no unknown. */
struct Poisson {
    PlimContext *context;
    Grid grid;
    PoissonMethod method;
    PoissonProblem problem; /* of the last set-up; its arrays are borrowed */
    bool ready;             /* the last set-up succeeded: all below belongs to levels[0].g, mark */
    Multigrid mg;           /* levels[0] is the operator */
    unsigned char *mark;
    uint32_t *region; /* 1 + number of the closed region a cell is in; 0: in none */
    size_t closed_count;
    double *r, *p, *q;
    float *mic; /* pivots of MIC(0), inverted */
    /* of bounded problems, NULL until there was one: */
    double *exact[3]; /* conductances like levels[0].g, in double precision */
    Poisson *face;    /* for the free cells */
    Scratch scratch;
    size_t bytes;
};

/* Where a run's cells are in arrays over the grid without halo. */
static inline size_t run_cell(const Poisson *poisson, const MgRun *run) {
    return grid_cell_index(&poisson->grid, run->i, run->j, run->k);
}

/* Calls `body` for every layer (a plane in 3D, a row in 2D) and adds what it puts into its
 * partials, in the order of the layers. */
typedef void (*LayerBody)(void *user, int layer, double partial[4]);
PlimStatus poisson_layers(Poisson *poisson, int threads, LayerBody body, void *user, double sum[4]);

#define FOR_RUNS(level, layer, run)                                                                \
    for (size_t row_ = (size_t)(layer) * (size_t)(level)->rows_per_layer,                          \
                end_ = row_ + (size_t)(level)->rows_per_layer;                                     \
         row_ < end_; row_++)                                                                      \
        for (const MgRun *run = (level)->runs + row_ * (level)->run_room,                          \
                         *last_ = run + (level)->run_count[row_];                                  \
             run < last_; run++)

/* Finds the regions without a fixed value; needs mark, conductances and runs. */
PlimStatus poisson_find_regions(Poisson *poisson, int threads);

/* Halo of a double vector where periodic. */
void poisson_fill_halo(const Poisson *poisson, double *x);
/* (A x) of a run's cells; x with its halo filled. */
void poisson_apply_run(const MgLevel *level, const MgRun *run, const double *x, double *y);
/* r = b + what fixed values contribute, zero mean in closed regions. */
PlimStatus poisson_right_side(Poisson *poisson, int threads, const double *b, double *r,
                              double *largest_mean);

/* poisson_setup and poisson_solve, leaving what the caller has on the scratch stack alone. */
PlimStatus poisson_setup_inside(Poisson *poisson, const PoissonProblem *problem);
PlimStatus poisson_solve_inside(Poisson *poisson, const KrylovOptions *options, const double *b,
                                double *p, SolveResult *result, double *incompatible);

/* The largest net outflow of a cell over its volume. */
PlimStatus poisson_worst_outflow(Poisson *poisson, int threads, double *velocity[3], double *worst);

/* Number of layer blocks that MIC(0) factors on their own. */
enum { MIC_BLOCKS = 16 };
void mic_setup(Poisson *poisson, int threads);
/* z = M^-1 r on the finest level's padded cells. */
void mic_apply(Poisson *poisson, int threads, const double *r, float *z);

#endif
