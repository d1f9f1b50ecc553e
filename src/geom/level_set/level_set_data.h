/* The level set's data, shared by its files. Nobody else includes this. */
#ifndef GEOM_LEVEL_SET_DATA_H
#define GEOM_LEVEL_SET_DATA_H

#include "geom/level_set/level_set.h"

enum {
    LEVEL_SET_BLOCK = 8,                  /* cells along a block */
    LEVEL_SET_SIDE = LEVEL_SET_BLOCK + 1, /* nodes along a block; neighbours share the outer ones */
    LEVEL_SET_BLOCK_NODES = LEVEL_SET_SIDE * LEVEL_SET_SIDE * LEVEL_SET_SIDE,
    LEVEL_SET_BAND = 3,  /* cells around the surface with exact distances */
    LEVEL_SET_MARGIN = 3 /* cells of the grid around the surface's box */
};

struct LevelSet {
    PlimContext *context;
    NodeGrid grid;
    int blocks[3];
    double (*bounds)[2]; /* least and greatest value of each block */

    /* Dense: one value a node. */
    double *values;

    /* Sparse (values NULL): the grid's sides are whole blocks. `fine[b]` is one plus the place of
     * block b's values, or 0 where the block is interpolated from its corners. Nodes that a fine
     * block shares with a coarse one hold what the coarse one gives there, so that the field is
     * continuous (000 section 2.3). */
    uint32_t *fine;
    size_t fine_count;
    double *fine_values;
    double *corners; /* blocks + 1 along each axis */
};

static inline size_t level_set_block_count(const LevelSet *field) {
    return (size_t)field->blocks[0] * (size_t)field->blocks[1] * (size_t)field->blocks[2];
}

static inline size_t level_set_corner_count(const LevelSet *field) {
    return (size_t)(field->blocks[0] + 1) * (size_t)(field->blocks[1] + 1) *
           (size_t)(field->blocks[2] + 1);
}

/* Index of a block's low corner among the corners. */
static inline size_t level_set_corner_index(const LevelSet *field, int i, int j, int k) {
    return ((size_t)k * (size_t)(field->blocks[1] + 1) + (size_t)j) *
               (size_t)(field->blocks[0] + 1) +
           (size_t)i;
}

static inline size_t level_set_block_index(const LevelSet *field, int i, int j, int k) {
    return ((size_t)k * (size_t)field->blocks[1] + (size_t)j) * (size_t)field->blocks[0] +
           (size_t)i;
}

static inline size_t level_set_local_index(int i, int j, int k) {
    return ((size_t)k * LEVEL_SET_SIDE + (size_t)j) * LEVEL_SET_SIDE + (size_t)i;
}

/* A field without values: memory is taken for its bounds and, dense, for its nodes, or, sparse, for
 * its table of blocks and its corners. */
PlimStatus level_set_create(PlimContext *context, const NodeGrid *grid, bool sparse,
                            LevelSet **out);
PlimStatus level_set_take_fine(LevelSet *field, size_t count);

/* The coarse value in a block at a place in it, 0..1 along each axis. */
double level_set_coarse_value(const LevelSet *field, const int block[3], Vec3 at);

/* Fills in the bounds from the values. */
void level_set_find_bounds(LevelSet *field);

/* ---- the surface in the grid's own coordinates: node (i, j, k) is the point (i, j, k) ---- */

typedef struct GridSurface {
    const NodeGrid *grid;
    const TriangleMesh *mesh;
    Vec3 *points; /* the mesh's vertices */
    unsigned char
        *dropped; /* for each triangle: buried inside the solid, no part of its boundary */
    size_t dropped_count;
    bool closed;
    const unsigned char *flags; /* of the nodes, when parts of triangles are buried; else NULL */
} GridSurface;

PlimStatus grid_surface_create(PlimContext *context, const TriangleMesh *mesh, const NodeGrid *grid,
                               bool closed, GridSurface *out);
void grid_surface_free(PlimContext *context, GridSurface *surface);

/* Triangles that come within reach of layers of nodes along an axis, `depth` layers a slab. Slabs
 * are what threads work on: each writes its own nodes only. */
typedef struct SlabBins {
    int depth;
    size_t slabs, item_count;
    size_t *start;   /* slabs + 1 */
    uint32_t *items; /* triangles, slab by slab */
} SlabBins;

/* `reach` holds three values a triangle, in cells; NULL: the thickness of crossing tests. */
PlimStatus slab_bins_create(PlimContext *context, const GridSurface *surface, int axis, int depth,
                            const Vec3 *reach, SlabBins *out);
void slab_bins_free(PlimContext *context, SlabBins *bins);

/* A triangle moved by `reach` to both sides along its normal, its edges moved out likewise. Corners
 * are (w, u, v): w along the lines that are clipped against it. */
typedef struct Wedge {
    double normal[5][3], offset[5]; /* inside: normal . p <= offset */
    double low, high;               /* along w */
    bool flat;                      /* no area: only low and high hold */
} Wedge;

Wedge wedge_make(const double corner[3][3], double reach);

/* The part of the line (u, v) inside the wedge; false when there is none. */
bool wedge_clip(const Wedge *wedge, double u, double v, double *low, double *high);

/* ---- signs (level_set_lines.c, level_set_sign.c) ---- */

enum {
    NODE_CROSS_X = 1, /* the grid edge to the next node along x meets the surface */
    NODE_CROSS_Y = 2,
    NODE_CROSS_Z = 4,
    NODE_CROSS = NODE_CROSS_X | NODE_CROSS_Y | NODE_CROSS_Z,
    NODE_INSIDE = 8,
    NODE_SEEN = 16,
    NODE_VOTE = 32 /* times the number of rays that say inside, 0..6 */
};

typedef enum LineUse { LINES_CROSS, LINES_WIND, LINES_VOTE } LineUse;

/* Marks the crossing edges along one axis. LINES_WIND: also sets NODE_INSIDE where the winding
 * number is positive. LINES_VOTE: also adds the votes of the two rays along the axis. */
PlimStatus level_set_scan_lines(PlimContext *context, const GridSurface *surface, int axis,
                                LineUse use, unsigned char *flags);

/* Marks crossing edges and inside nodes; `flags` has one byte a node, zero on entry. */
PlimStatus level_set_find_signs(PlimContext *context, const GridSurface *surface,
                                unsigned char *flags, LevelSetReport *report);

/* Marks triangles of a closed surface that lie wholly inside the solid: where solids overlap. */
void level_set_drop_overlapped(GridSurface *surface, const unsigned char *flags, int threads);

/* ---- distances (level_set_band.c, level_set_sparse.c) ---- */

/* Exact distances, in cells, at the nodes within the band; HUGE_VAL elsewhere. */
PlimStatus level_set_band(PlimContext *context, const GridSurface *surface, double *distance);

/* Does a grid edge between two inside nodes meet the surface? */
bool level_set_has_overlaps(const NodeGrid *grid, const unsigned char *flags);

/* Does the point of a triangle nearest to node (i, j, k), an inside one, lie inside the solid? All
 * nodes around it do. `corner` in cells; surface->flags must be set. */
bool level_set_is_overlapped(const GridSurface *surface, const Vec3 corner[3], int i, int j, int k);

/* For each triangle how far along x, y, z a node of the band that is nearest to it can lie outside
 * its box, in cells. */
PlimStatus level_set_find_reach(PlimContext *context, const GridSurface *surface, Vec3 *reach);

/* Nodes from `first` to `last`, both included. */
typedef struct NodeBox {
    int first[3], last[3];
} NodeBox;

/* Lowers the squared distances at the nodes of a box, x fastest, where this triangle is nearer. */
void level_set_try_triangle(const GridSurface *surface, size_t triangle, Vec3 reach,
                            const NodeBox *box, double *squared);
/* From squared distances to distances; HUGE_VAL beyond the band. */
void level_set_close_band(double *squared, size_t count);

/* Fills in a sparse field. */
PlimStatus level_set_fill_sparse(LevelSet *field, const GridSurface *surface, const Bvh *bvh,
                                 const unsigned char *flags, int march_order,
                                 LevelSetReport *report);

/* ---- disk cache (level_set_cache.c) ---- */

typedef struct CacheKey {
    uint64_t name, check; /* two hashes of everything the field depends on */
} CacheKey;

CacheKey level_set_cache_key(const TriangleMesh *mesh, const NodeGrid *grid, bool sparse,
                             int march_order);
/* False: not there, or damaged. */
bool level_set_cache_load(PlimContext *context, const char *folder, CacheKey key,
                          const NodeGrid *grid, bool sparse, LevelSet **out,
                          LevelSetReport *report);
PlimStatus level_set_cache_save(const char *folder, CacheKey key, const LevelSet *field,
                                const LevelSetReport *report);

#endif
