/* Loops over the padded grid of a splashing liquid, in ranges of layers (z; in two dimensions y).
 */
#ifndef SPLASH_FACES_H
#define SPLASH_FACES_H

#include "splash/internal.h"

enum { FACE_GRAIN = 32768 }; /* values a range has in loops without neighbours */

static inline size_t face_layers(const Grid *grid) {
    return (size_t)grid->n[grid->dim - 1];
}

/* Of layers [begin, end): rows j of layer k; in two dimensions a layer is one row. */
static inline int layer_first_row(const Grid *grid, size_t layer) {
    return grid->dim == 3 ? 0 : (int)layer;
}

static inline int layer_rows(const Grid *grid) {
    return grid->dim == 3 ? grid->n[1] : 1;
}

#define FOR_CELLS(grid, begin, end, i, j, k, c)                                                    \
    for (size_t layer_ = (begin); layer_ < (end); layer_++)                                        \
        for (int k = (grid)->dim == 3 ? (int)layer_ : 0, row_ = 0; row_ < layer_rows(grid);        \
             row_++)                                                                               \
            for (int j = layer_first_row(grid, layer_) + row_, i = 0; i < (grid)->n[0]; i++)       \
                for (size_t c = grid_cell_index(grid, i, j, k), once_ = 1; once_; once_ = 0)

/* Faces between two cells of the grid; those on its outer sides carry nothing. */
#define FOR_INNER_FACES(grid, axis, begin, end, i, j, k, f)                                        \
    for (size_t layer_ = (begin); layer_ < (end); layer_++)                                        \
        for (int k = (grid)->dim == 3 ? (int)layer_ : 0, row_ = 0; row_ < layer_rows(grid);        \
             row_++)                                                                               \
            for (int j = layer_first_row(grid, layer_) + row_, i = (axis) == 0;                    \
                 i < (grid)->n[0] && !((axis) == 1 && j == 0) && !((axis) == 2 && k == 0); i++)    \
                for (size_t f = grid_face_index(grid, axis, i, j, k), once_ = 1; once_; once_ = 0)

typedef struct FacePair {
    size_t low, high;
} FacePair;

typedef struct CellPair {
    size_t low, high;
} CellPair;

/* The two faces of a cell across an axis. */
static inline FacePair faces_of(const Grid *grid, int axis, int i, int j, int k) {
    return (FacePair){
        grid_face_index(grid, axis, i, j, k),
        grid_face_index(grid, axis, i + (axis == 0), j + (axis == 1), k + (axis == 2))};
}

/* The two cells that an inner face is between. */
static inline CellPair cells_of(const Grid *grid, int axis, int i, int j, int k) {
    return (CellPair){grid_cell_index(grid, i - (axis == 0), j - (axis == 1), k - (axis == 2)),
                      grid_cell_index(grid, i, j, k)};
}

#endif
