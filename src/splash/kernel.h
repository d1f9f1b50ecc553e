/* The trilinear particle-grid kernel that spreads a particle over the values around it and gathers
 * them again in the same shares (001 section 3.2.1); bilinear in two dimensions. What it would
 * spread beyond a wall of the domain goes to the cell before the wall. Every particle is inside the
 * domain, so a stencil never leaves the padded grid. */
#ifndef SPLASH_KERNEL_H
#define SPLASH_KERNEL_H

#include "splash/internal.h"

/* Of a particle along each axis: the value below it and the share of the one above, on the lattice
 * of cell centres and on that of faces across the axis. */
typedef struct KernelPlace {
    int cell[3], face[3];
    double cell_part[3], face_part[3];
} KernelPlace;

/* One lattice: where the corners of a stencil are from its first. */
typedef struct KernelLattice {
    size_t row, layer;
} KernelLattice;

/* What does not change from particle to particle. */
typedef struct Kernel {
    double origin[3], inverse; /* of the padded grid; 1/m */
    double low[3], high[3];    /* centres of cells that count, in cells from the first centre */
    KernelLattice cells, faces[3];
} Kernel;

static inline Kernel kernel_of(const Splash *splash) {
    const Grid *padded = &splash->padded;
    Kernel kernel = {.origin = {padded->origin.x, padded->origin.y, padded->origin.z},
                     .inverse = 1 / padded->spacing};
    for (int a = 0; a < padded->dim; a++) {
        kernel.low[a] = splash->grid.sides[a][0] == SIDE_WALL;
        kernel.high[a] = padded->n[a] - 1 - (splash->grid.sides[a][1] == SIDE_WALL);
    }
    size_t nx = (size_t)padded->n[0], ny = (size_t)padded->n[1];
    kernel.cells = (KernelLattice){nx, nx * ny};
    kernel.faces[0] = (KernelLattice){nx + 1, (nx + 1) * ny};
    kernel.faces[1] = (KernelLattice){nx, nx * (ny + 1)};
    kernel.faces[2] = (KernelLattice){nx, nx * ny};
    return kernel;
}

/* One instruction each way, where fmin and fmax are calls. */
static inline double kernel_clamp(double value, double low, double high) {
    value = value > low ? value : low;
    return value < high ? value : high;
}

static inline KernelPlace kernel_place(const Kernel *kernel, int dim, double x, double y,
                                       double z) {
    const double at[3] = {x, y, z};
    KernelPlace place = {.cell = {0}};
    for (int a = 0; a < dim; a++) {
        double cells = (at[a] - kernel->origin[a]) * kernel->inverse;
        int below = (int)cells; /* positive: rounds down */
        double from_first = kernel_clamp(cells - 0.5, kernel->low[a], kernel->high[a]);
        int middle = (int)from_first;
        place.face[a] = below;
        place.face_part[a] = cells - below;
        place.cell[a] = middle;
        place.cell_part[a] = from_first - middle;
    }
    return place;
}

/* First corner and shares of all corners, x running fastest: 4 in two dimensions, 8 in three. */
static inline size_t kernel_shares(const KernelLattice *lattice, int dim, const int first[3],
                                   const double part[3], double share[8]) {
    double x1 = part[0], x0 = 1 - x1, y1 = part[1], y0 = 1 - y1;
    share[0] = x0 * y0;
    share[1] = x1 * y0;
    share[2] = x0 * y1;
    share[3] = x1 * y1;
    size_t at = (size_t)first[0] + (size_t)first[1] * lattice->row;
    if (dim == 2) return at;
    double z1 = part[2], z0 = 1 - z1;
    for (int c = 0; c < 4; c++) {
        share[4 + c] = share[c] * z1;
        share[c] *= z0;
    }
    return at + (size_t)first[2] * lattice->layer;
}

static inline size_t kernel_cell_shares(const Kernel *kernel, int dim, const KernelPlace *place,
                                        double share[8]) {
    return kernel_shares(&kernel->cells, dim, place->cell, place->cell_part, share);
}

static inline size_t kernel_face_shares(const Kernel *kernel, int dim, const KernelPlace *place,
                                        int axis, double share[8]) {
    int first[3] = {place->cell[0], place->cell[1], place->cell[2]};
    double part[3] = {place->cell_part[0], place->cell_part[1], place->cell_part[2]};
    first[axis] = place->face[axis];
    part[axis] = place->face_part[axis];
    return kernel_shares(&kernel->faces[axis], dim, first, part, share);
}

/* Index of a corner from the first. */
static inline size_t kernel_corner(const KernelLattice *lattice, int corner) {
    return (size_t)(corner & 1) + (corner & 2 ? lattice->row : 0) +
           (corner & 4 ? lattice->layer : 0);
}

static inline double kernel_gather(const KernelLattice *lattice, int dim, const double *values,
                                   const double share[8]) {
    const double *low = values, *high = values + lattice->row;
    double sum = share[0] * low[0] + share[1] * low[1] + share[2] * high[0] + share[3] * high[1];
    if (dim == 2) return sum;
    low += lattice->layer;
    high += lattice->layer;
    return sum + (share[4] * low[0] + share[5] * low[1] + share[6] * high[0] + share[7] * high[1]);
}

static inline void kernel_scatter(const KernelLattice *lattice, int dim, double *values,
                                  const double share[8], double amount) {
    double *low = values, *high = values + lattice->row;
    low[0] += share[0] * amount;
    low[1] += share[1] * amount;
    high[0] += share[2] * amount;
    high[1] += share[3] * amount;
    if (dim == 2) return;
    low += lattice->layer;
    high += lattice->layer;
    low[0] += share[4] * amount;
    low[1] += share[5] * amount;
    high[0] += share[6] * amount;
    high[1] += share[7] * amount;
}

/* The padded cell that a particle is in. */
static inline size_t kernel_cell(const Kernel *kernel, int dim, double x, double y, double z) {
    size_t at = (size_t)((x - kernel->origin[0]) * kernel->inverse) +
                (size_t)((y - kernel->origin[1]) * kernel->inverse) * kernel->cells.row;
    if (dim == 2) return at;
    return at + (size_t)((z - kernel->origin[2]) * kernel->inverse) * kernel->cells.layer;
}

#endif
