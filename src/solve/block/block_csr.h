/* Block compressed sparse rows (BSR): a symmetric matrix of small square blocks, one row of blocks
 * a node of a mesh. */
#ifndef SOLVE_BLOCK_CSR_H
#define SOLVE_BLOCK_CSR_H

#include "solve/linear_map.h"

enum { BLOCK_SIZE_MAX = 6 };

/* Block columns ascend within a row. The diagonal block is always there. */
typedef struct BlockCsr {
    PlimContext *context;
    int size;          /* rows of a block: 1 to BLOCK_SIZE_MAX */
    int threads;       /* of the product; the context's unless changed */
    size_t rows;       /* of blocks */
    size_t entries;    /* blocks */
    size_t *row_start; /* rows + 1 */
    int32_t *column;
    double *value; /* size * size a block, row by row; one more is there to be read, not used */
} BlockCsr;

/* The pattern of elements that couple all their nodes with each other: element e has the nodes
 * node[start[e]..start[e + 1]). Values are zero. PLIM_BAD_INPUT when a node is not a row. */
PlimStatus block_csr_create(PlimContext *context, int size, size_t rows, const size_t *start,
                            const int32_t *node, size_t elements, BlockCsr *out);
void block_csr_free(BlockCsr *matrix);

/* Where the block of a row and a column is, by binary search; it must be in the pattern. */
size_t block_csr_find(const BlockCsr *matrix, size_t row, size_t column);

/* The matrix as a map, parallel over rows; its transpose is itself. Values may change later. */
LinearMap block_csr_map(const BlockCsr *matrix);

#endif
