/* Sparse LDL^T of a symmetric positive semidefinite matrix of small dense blocks, of variable size:
 * D A^-1 D^T of joints (002 appendix C.1.2). Nodes are eliminated by minimum degree, so that trees
 * and chains get no fill. A row that depends on those before it leaves a pivot of rounding: it is
 * dropped, and its unknown is 0. */
#ifndef SOLVE_BLOCK_LDL_H
#define SOLVE_BLOCK_LDL_H

#include "base/array.h"

#include <stdint.h>

enum { BLOCK_LDL_MOST_ROWS = 16 }; /* of a node */

/* Where the entries of a pair of nodes are. */
typedef struct BlockLdlPlace {
    size_t value;    /* of the first entry, row by row */
    bool is_swapped; /* rows are those of the second node, columns those of the first */
} BlockLdlPlace;

typedef struct BlockLdl {
    PlimContext *context;
    size_t count, row_count;
    ARRAY(int32_t) place;      /* of each node, in the order of elimination */
    ARRAY(int32_t) size;       /* rows, by place */
    ARRAY(size_t) row;         /* first row, by place */
    ARRAY(size_t) below_start; /* by place, count + 1: entries of `below` and `block` */
    ARRAY(int32_t) below;      /* places that are coupled to this one, ascending */
    ARRAY(size_t) block;       /* first value of the block of each */
    ARRAY(size_t) diagonal;    /* first value of the block of the diagonal, by place */
    ARRAY(size_t) update;      /* first values of blocks that elimination changes, in its order */
    ARRAY(double) value, inverse_pivot, work;
} BlockLdl;

/* `sizes` has the rows of each node, `edges` the pairs of nodes that are coupled, each once. */
PlimStatus block_ldl_lay_out(PlimContext *context, BlockLdl *ldl, const int32_t *sizes,
                             size_t count, const int32_t (*edges)[2], size_t edge_count);
void block_ldl_free(BlockLdl *ldl);

/* First row of a node: vectors count rows in the order of elimination. */
static inline size_t block_ldl_row(const BlockLdl *ldl, size_t node) {
    return ldl->row.data[ldl->place.data[node]];
}
/* Of an edge, or of a node with itself. */
BlockLdlPlace block_ldl_find(const BlockLdl *ldl, size_t a, size_t b);

/* All entries zero, to be filled; of the diagonal's blocks the lower half counts. */
void block_ldl_clear(BlockLdl *ldl);
/* Pivots up to `least` times the entry that stood there are dropped; returns how many were, without
 * rows that have nothing on the diagonal, which are off. */
size_t block_ldl_factor(BlockLdl *ldl, double least);
/* x becomes the solution; 0 in dropped rows. */
void block_ldl_solve(const BlockLdl *ldl, double *x);
/* Whether a row counts. */
static inline bool block_ldl_has_row(const BlockLdl *ldl, size_t row) {
    return ldl->inverse_pivot.data[row] > 0.0;
}

#endif
