/* Geometric multigrid in single precision: the preconditioner of the pressure equation and, with a
 * term on the diagonal, of viscosity. A level is a grid of cells with one conductance a face; the
 * finest is also what the pressure's double precision operator reads. For the solvers of src/solve:
 * who asks for a pressure goes through solve/pressure. */
#ifndef SOLVE_MULTIGRID_H
#define SOLVE_MULTIGRID_H

#include "base/array.h"
#include "base/scratch.h"

enum {
    MG_LEVEL_CAPACITY = 24,
    MG_RUN_LEAST = 16 /* shortest stretch worth a run of its own */
};

/* Neighbouring cells of one row that are worked on together. `uniform` > 0: all faces of all its
 * cells have this conductance, and all have the same `fixed`; no coefficient is read. Otherwise
 * cells that are not active may be among them: their conductances and inverse diagonals are zero.
 */
typedef struct MgRun {
    uint32_t start;           /* index of the first cell in the padded arrays */
    uint16_t i, j, k, length; /* the first cell, and how many */
    float uniform;
    float shift;      /* of a uniform run: `fixed` over `uniform` */
    uint32_t regular; /* a coarse run: all interpolation weights to and from it are 1/4 */
} MgRun;

/* Marks of a cell in `aside`. */
enum {
    MG_ASIDE = 1,  /* member of an extra of the next coarser level */
    MG_PARTS = 2,  /* falls into parts (while coarsening) */
    MG_UNIFORM = 4 /* in a uniform run */
};

/* How the children of a coarse cell on side 2 a + s (axis a, s: 0 low, 1 high) are interpolated, in
 * 1/256: the weight of that side's neighbour, and what the parent's own loses to it and to fixed
 * values. */
typedef struct MgTies {
    uint8_t neighbour[6], loss[6];
} MgTies;

typedef struct MgLink {
    uint32_t to; /* a padded cell of the level, or size + number of an extra */
    float g;     /* conductance */
} MgLink;

/* Unknowns of a level beside those of its grid. Where walls or light cells (see multigrid_split.c)
 * cut a coarse cell into parts that hardly feel each other, the strongest part is the cell's
 * unknown and each other part an extra one. Ordered by cell. */
typedef struct MgExtra {
    uint32_t cell;         /* the coarse cell it is in */
    uint32_t first_link;   /* into links; up to the next extra's */
    uint32_t first_member; /* into members: cells or extras of the finer level */
    uint32_t parent;       /* cell or extra of the next coarser level */
    float x, b, t, fixed, inverse;
} MgExtra;

/* A cell with links to extras. */
typedef struct MgTouched {
    uint32_t cell, first_link;      /* into touched_links */
    float fixed, with_links, saved; /* conductance to fixed values; links added; b during a sweep */
} MgTouched;

typedef struct MgExtras {
    ARRAY(MgExtra) all; /* one past the end closes the ranges; so has touched */
    ARRAY(MgLink) links;
    ARRAY(uint32_t) members;
    ARRAY(MgTouched) touched;
    ARRAY(MgLink) touched_links; /* to: number of an extra */
} MgExtras;

/* Arrays have one cell of halo on every side: cell (i, j, k) is at ((k+1) ny + j+1) sx + i+1. */
typedef struct MgLevel {
    int n[3];
    bool periodic[3];
    int factor[3];          /* 1 or 2: to the next coarser level */
    size_t stride[3], size; /* 1, sx, sx ny; padded cells */
    float *g[3];            /* conductance of each cell's low face */
    float *fixed;         /* conductance to fixed values that no face leads to, zero. On the finest
                             level neighbours that are not active hold such values too, and
                             `fixed` is NULL unless the levels are shifted */
    bool shifted;         /* every cell has a term on the diagonal, in `fixed` */
    bool joins_held;      /* parts of a coarse cell share its unknown where fixed values hold all of
                             them; set by the owner */
    float *inverse;       /* 1 / diagonal; 0: not active */
    float *x, *b, *t;     /* unknown, right side, residual; zero where not active */
    MgTies *ties;         /* of this level's cells to their neighbours; NULL on the finest */
    unsigned char *aside; /* marks */
    MgExtras extras;
    MgRun *runs;         /* run_room a row */
    uint16_t *run_count; /* of each row */
    size_t run_room;
    int layers, rows_per_layer; /* planes in 3D, rows in 2D: what sweeps step through */
} MgLevel;

typedef struct Multigrid {
    PlimContext *context;
    int level_count;
    int depth;    /* levels in use, the finest first: all, unless the owner sets fewer */
    size_t bytes; /* of the arrays whose size the grid tells */
    MgLevel levels[MG_LEVEL_CAPACITY];
} Multigrid;

static inline size_t mg_index(const MgLevel *level, int i, int j, int k) {
    return (size_t)(k + 1) * level->stride[2] + (size_t)(j + 1) * level->stride[1] +
           (size_t)(i + 1);
}

/* The cell whose index this is. */
static inline void mg_place(const MgLevel *level, size_t c, int at[3]) {
    at[2] = (int)(c / level->stride[2]) - 1;
    at[1] = (int)(c % level->stride[2] / level->stride[1]) - 1;
    at[0] = (int)(c % level->stride[1]) - 1;
}

static inline size_t mg_row(const MgLevel *level, int j, int k) {
    return (size_t)k * (size_t)level->n[1] + (size_t)j;
}

/* The children of a coarse cell: 1 or 2 along each axis, from the one at the lowest corner on. */
typedef struct MgChildren {
    size_t corner; /* on the fine level */
    int count[3];
} MgChildren;

static inline MgChildren mg_children(const MgLevel *fine, const int at[3]) {
    MgChildren c = {mg_index(fine, 0, 0, 0), {1, 1, 1}};
    for (int a = 0; a < 3; a++) {
        c.corner += (size_t)(at[a] * fine->factor[a]) * fine->stride[a];
        if (fine->factor[a] == 2 && at[a] * 2 + 1 < fine->n[a]) c.count[a] = 2;
    }
    return c;
}

static inline size_t mg_child(const MgLevel *fine, const MgChildren *c, int u, int v, int w) {
    return c->corner + (size_t)u + (size_t)v * fine->stride[1] + (size_t)w * fine->stride[2];
}

/* Levels for a grid; only the finest when `coarsen` is false. `mg_free` also after a failure. */
PlimStatus mg_create(PlimContext *context, const int n[3], const bool periodic[3], int dim,
                     bool coarsen, Multigrid *mg);
/* Levels with a term on the diagonal, which the owner writes into the finest level's `fixed`. */
PlimStatus mg_create_shifted(PlimContext *context, const int n[3], const bool periodic[3], int dim,
                             Multigrid *mg);
void mg_free(Multigrid *mg);
/* All that is held, `bytes` and what set-up made beside it. */
size_t mg_bytes(const Multigrid *mg);

/* After the finest level's g (and `fixed`) is written: inverse diagonals, runs, coarse levels.
 * `fluid` over the finest level's padded cells tells which are unknowns. */
PlimStatus mg_setup(Multigrid *mg, Scratch *scratch, int threads, const unsigned char *fluid);

/* Pieces of mg_setup. */
void mg_find_runs(MgLevel *level, int threads, const unsigned char *fluid);
PlimStatus mg_coarsen(Scratch *scratch, MgLevel *fine, MgLevel *coarse, int threads);
/* Cuts the flagged coarse cells (MG_PARTS) into parts; then links the parts. */
PlimStatus mg_split(Scratch *scratch, MgLevel *fine, MgLevel *coarse);
PlimStatus mg_link(Scratch *scratch, const MgLevel *fine, MgLevel *coarse);
/* Whether the cells that are children of one coarse cell fall into parts. */
bool mg_is_split(const MgLevel *fine, const int at[3]);

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

/* The extras' part of those. Before a pass over cells their share goes into b, after it b is put
 * back. */
static inline size_t mg_extra_count(const MgLevel *level) {
    return level->extras.all.count ? level->extras.all.count - 1 : 0;
}
void mg_extras_into_b(const MgLevel *level);
void mg_extras_out_of_b(const MgLevel *level);
void mg_extras_clear(const MgLevel *level);
void mg_extras_sweep(const MgLevel *level, bool backward);
void mg_extras_residual(const MgLevel *level);
void mg_extras_restrict_members(const MgLevel *fine, const MgLevel *coarse);
void mg_extras_restrict_parents(const MgLevel *fine, const MgLevel *coarse);
void mg_extras_save_members(const MgLevel *fine, const MgLevel *coarse);
void mg_extras_prolong(const MgLevel *fine, const MgLevel *coarse);

/* levels[0].x = M^-1 levels[0].b, symmetric and positive definite on active cells. */
void mg_cycle(Multigrid *mg, int threads);
/* How often mg_cycle goes over the finest level's operator: sweeps and residuals. */
int mg_applications(const Multigrid *mg);

#endif
