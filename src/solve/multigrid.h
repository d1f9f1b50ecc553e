/* Geometric multigrid in single precision: the preconditioner of the pressure equation. A level is a
 * grid of cells with one conductance a face; the finest is also what the double precision operator
 * reads. Internal to src/solve. */
#ifndef SOLVE_MULTIGRID_H
#define SOLVE_MULTIGRID_H

#include "base/context.h"

enum {
    MG_LEVEL_CAPACITY = 24,
    MG_RUN_LEAST = 16 /* shortest stretch worth a run of its own */
};

/* Neighbouring cells of one row that are worked on together. `uniform` > 0: all faces of all its cells
 * have this conductance, no coefficient is read. Otherwise cells that are not active may be among
 * them: their conductances and inverse diagonals are zero. */
typedef struct MgRun {
    uint32_t start;            /* index of the first cell in the padded arrays */
    uint16_t i, j, k, length;  /* the first cell, and how many */
    float uniform;
} MgRun;

/* How the children of a coarse cell on side 2 a + s (axis a, s: 0 low, 1 high) are interpolated, in
 * 1/256: the weight of that side's neighbour, and what the parent's own loses to it and to fixed
 * values. */
typedef struct MgTies {
    uint8_t neighbour[6], loss[6];
} MgTies;

/* Arrays have one cell of halo on every side: cell (i, j, k) is at ((k+1) ny + j+1) sx + i+1. */
typedef struct MgLevel {
    int n[3];
    bool periodic[3];
    int factor[3];          /* 1 or 2: to the next coarser level */
    size_t stride[3], size; /* 1, sx, sx ny; padded cells */
    float *g[3];            /* conductance of each cell's low face */
    float *fixed;           /* conductance to fixed values; NULL on the finest level, where the
                               neighbour itself holds the fixed value, zero */
    float *inverse;         /* 1 / diagonal; 0: not active */
    float *x, *b, *t;       /* unknown, right side, residual; zero where not active */
    MgTies *ties;           /* of this level's cells to their neighbours; NULL on the finest */
    MgRun *runs;            /* run_room a row */
    uint16_t *run_count;    /* of each row */
    size_t run_room;
    int layers, rows_per_layer; /* planes in 3D, rows in 2D: what sweeps step through */
} MgLevel;

typedef struct Multigrid {
    PlimContext *context;
    int level_count;
    size_t bytes;
    MgLevel levels[MG_LEVEL_CAPACITY];
} Multigrid;

static inline size_t mg_index(const MgLevel *level, int i, int j, int k) {
    return (size_t)(k + 1) * level->stride[2] + (size_t)(j + 1) * level->stride[1] + (size_t)(i + 1);
}

static inline size_t mg_row(const MgLevel *level, int j, int k) {
    return (size_t)k * (size_t)level->n[1] + (size_t)j;
}

/* Levels for a grid; only the finest when `coarsen` is false. `mg_free` also after a failure. */
PlimStatus mg_create(PlimContext *context, const int n[3], const bool periodic[3], int dim,
                     bool coarsen, Multigrid *mg);
void mg_free(Multigrid *mg);

/* After the finest level's g is written: inverse diagonals, runs, coarse levels. `fluid` over the
 * finest level's padded cells tells which are unknowns. */
void mg_setup(Multigrid *mg, int threads, const unsigned char *fluid);

/* Pieces of mg_setup. */
void mg_find_runs(MgLevel *level, int threads, const unsigned char *fluid);
void mg_coarsen(const MgLevel *fine, MgLevel *coarse, int threads);

/* Copies opposite sides into the halo where periodic. */
void mg_fill_halo(const MgLevel *level, float *x);

/* One red-black Gauss-Seidel sweep; `first` is the colour that goes first (0 red, 1 black). With
 * `zero` x counts as zero on entry. */
void mg_sweep(const MgLevel *level, int threads, int first, bool zero);
/* t = b - A x. */
void mg_residual(const MgLevel *level, int threads);
/* Coarse b = P^T fine t, and fine x += P coarse x. */
void mg_restrict(const MgLevel *fine, const MgLevel *coarse, int threads);
void mg_prolong(const MgLevel *fine, const MgLevel *coarse, int threads);

/* levels[0].x = M^-1 levels[0].b, symmetric and positive definite on active cells. */
void mg_cycle(Multigrid *mg, int threads);
/* How often mg_cycle goes over the finest level's operator: sweeps and residuals. */
int mg_applications(const Multigrid *mg);

#endif
