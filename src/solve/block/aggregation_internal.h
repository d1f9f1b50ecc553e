/* Aggregation multigrid: its levels, and what its files offer each other. */
#ifndef SOLVE_AGGREGATION_INTERNAL_H
#define SOLVE_AGGREGATION_INTERNAL_H

#include "solve/block/aggregation.h"

/* Rows a thread takes at once. */
enum { LEVEL_GRAIN = 256, LEVEL_MAX = 20 };

/* Numbers that the smoother may read past the end of matrices and vectors. */
enum { PAST_END = 2 };

enum { BLOCK_VALUES = BLOCK_SIZE_MAX * BLOCK_SIZE_MAX };

/* Blocks of known sizes let the compiler unroll: `call` sees `size` (rows of a block) and `modes`
 * (columns of a prolongator block) as constants. */
#define WITH_SIZES(level_size, level_modes, call)                                                  \
    do {                                                                                           \
        if ((level_size) == 3 && (level_modes) == 6) {                                             \
            enum { size = 3, modes = 6 };                                                          \
            call;                                                                                  \
        } else if ((level_size) == 6) {                                                            \
            enum { size = 6, modes = 6 };                                                          \
            call;                                                                                  \
        } else if ((level_size) == 2) {                                                            \
            enum { size = 2, modes = 3 };                                                          \
            call;                                                                                  \
        } else {                                                                                   \
            enum { size = 3, modes = 3 };                                                          \
            call;                                                                                  \
        }                                                                                          \
    } while (0)

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* The pattern of a sparse matrix; columns ascend within a row. */
typedef struct Pattern {
    size_t rows, entries;
    const size_t *start; /* rows + 1 */
    const int32_t *column;
} Pattern;

typedef struct Level {
    int size;  /* unknowns a node: dim on the first level, modes on the others */
    int modes; /* rigid motions: 3 or 6 */
    Pattern a;
    const double *value; /* of the matrix; the caller's on the first level */
    double *own_value;   /* of the others */
    double *inverse;     /* of the diagonal blocks */
    double *rigid;       /* size * modes a node: rigid motions, as this level sees them */
    double largest;      /* eigenvalue of D^-1 A, from above */
    double *x, *b, *r, *d, *e;
    /* To the next level, which has aggregates as nodes. */
    bool is_smoothed; /* the prolongator */
    size_t coarse_rows;
    int32_t *aggregate; /* of each node; -1: it has no neighbours and needs none */
    size_t *member_start;
    int32_t *member;  /* nodes of each aggregate */
    uint8_t *kept;    /* bit k: the aggregate has a k-th mode */
    Pattern p;        /* prolongator */
    float *p_value;   /* size * modes a block */
    size_t *pt_start; /* of its transpose: for each aggregate the rows and blocks of P */
    int32_t *pt_row, *pt_entry;
    Pattern ap; /* A P */
} Level;

typedef struct Owned {
    void *block;
    size_t count, item_size;
} Owned;

struct Aggregation {
    PlimContext *context;
    AggregationDesc desc;
    Scratch scratch;
    ARRAY(Owned) owned;
    bool is_jacobi; /* the matrix is close to its diagonal: no other level is used */
    int level_count;
    Level level[LEVEL_MAX];
    double *dense; /* Cholesky factor of the last level; NULL when its nodes have no neighbours */
};

/* Zeroed memory that lives as long as the object; NULL when it is out. */
void *aggregation_take(Aggregation *aggregation, size_t count, size_t item_size);

/* Aggregates of a level and the patterns that follow from them; coarse_rows is 0 when no node has
 * neighbours. */
PlimStatus aggregation_coarsen(Aggregation *aggregation, Level *level, Level *next);

/* Rigid motions of each node of the first level. */
void aggregation_set_rigid(const Aggregation *aggregation, Level *level, const double *position,
                           const double *filter);
/* Whether the matrix is so close to its diagonal that no other level pays. */
PlimStatus aggregation_choose_jacobi(Aggregation *aggregation);

/* Orthonormal modes of each aggregate into `tentative` (size * modes a node); the motions of the
 * next level. */
void aggregation_modes(const Aggregation *aggregation, Level *level, double *tentative,
                       double *next_rigid);
/* The prolongator P and the next level's matrix P^T A P. */
PlimStatus aggregation_galerkin(Aggregation *aggregation, Level *level, const double *tentative,
                                Level *next);

/* Inverse diagonal blocks. */
void level_invert_diagonal(const Aggregation *aggregation, Level *level);
/* Its largest eigenvalue. */
PlimStatus level_prepare_smoother(Aggregation *aggregation, Level *level);
/* x = p(A) b, from zero. */
void level_smooth_first(const Aggregation *aggregation, Level *level);
/* r = b - A x. */
void level_residual(const Aggregation *aggregation, Level *level);
/* x += p(A) (b - A x). */
void level_smooth_again(const Aggregation *aggregation, Level *level);
/* x = D^-1 b. */
void level_jacobi(const Aggregation *aggregation, const Level *level, const double *b, double *x);

#endif
