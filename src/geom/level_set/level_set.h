/* The signed distance to a closed surface, on the nodes of a grid: negative inside (000
 * sections 2.3, 2.3.1). Dense, or in sparse blocks near the surface when dense would take too much
 * memory; the queries are the same. */
#ifndef GEOM_LEVEL_SET_H
#define GEOM_LEVEL_SET_H

#include "geom/level_set/march.h"
#include "geom/level_set/node_grid.h"
#include "geom/query/bvh.h"

typedef struct LevelSet LevelSet;

/* Cells across the thinnest wall or gap of a field whose cells are chosen, and the most of them. */
enum { LEVEL_SET_ACROSS = 3, LEVEL_SET_MOST_CHOSEN = 256 };

typedef struct LevelSetOptions {
    int cells;           /* along the longest side of the surface's box; 0 (default): two to the
                          * median edge of the mesh, at least 24 and at most 128, or what its
                          * thinnest wall or gap takes, at most 256 */
    int march_order;     /* 1 or 2 (default) */
    size_t memory_limit; /* bytes a field may take dense; above it blocks are sparse; default
                          * 256 MB. Building takes more for a while: about 30 bytes a node dense, 6
                          * sparse */
    const char *cache;   /* folder for finished fields, by content; NULL (default): none */
} LevelSetOptions;

typedef struct LevelSetReport {
    bool closed; /* the surface has no gaps */
    bool from_cache;
    size_t crossing_edges; /* grid edges that meet the surface */
    size_t regions;        /* connected regions of two nodes or more found by flood fill */
    size_t voted;          /* nodes on whose sign six rays did not agree, because of gaps */
    double seconds;        /* in all; of them for signs, exact distances and marching: */
    double sign_seconds, distance_seconds, march_seconds;
} LevelSetReport;

LevelSetOptions level_set_options_default(void);

/* From a triangle surface with normals pointing out. The Bvh is over the same mesh. A point is
 * inside where the winding number is positive, so solids may overlap and hold one another; a
 * surface turned inside out has no inside, the caller orients it first. Distances are exact within
 * three cells of the surface. Where solids overlap, walls that lie wholly inside do not count; near
 * walls that end inside the depth comes out too small. `report` may be NULL. */
PlimStatus level_set_from_mesh(PlimContext *context, const TriangleMesh *mesh, const Bvh *bvh,
                               const LevelSetOptions *options, LevelSet **out,
                               LevelSetReport *report);

/* From values at the nodes of a grid, copied. Along an axis with one node the field is constant. */
PlimStatus level_set_from_values(PlimContext *context, const NodeGrid *grid, const double *values,
                                 LevelSet **out);
void level_set_destroy(LevelSet *field);

const NodeGrid *level_set_grid(const LevelSet *field);
bool level_set_is_sparse(const LevelSet *field);
size_t level_set_bytes(const LevelSet *field);

/* The value at a node. */
double level_set_node(const LevelSet *field, int i, int j, int k);

/* Trilinear value; outside the grid, the value at the nearest point of it plus the distance there.
 */
double level_set_value(const LevelSet *field, Vec3 p);
/* Gradient of the trilinear interpolant, not normalised. */
Vec3 level_set_gradient(const LevelSet *field, Vec3 p);

/* True when the box is surely outside (min phi over the blocks it touches is positive). */
bool level_set_box_outside(const LevelSet *field, Box3 box);
/* Least and greatest value over the blocks that the box touches. */
void level_set_box_bounds(const LevelSet *field, Box3 box, double *least, double *greatest);

/* The normal of the surface point reached from p along the gradient (000 section 2.3); the
 * gradient's direction where the ray meets nothing. */
Vec3 level_set_surface_normal(const LevelSet *field, const Bvh *bvh, const TriangleMesh *mesh,
                              Vec3 p);

uint64_t level_set_hash(const LevelSet *field);

#endif
