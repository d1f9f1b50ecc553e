/* Mesh validation and safe repair. */
#ifndef GEOM_MESH_REPORT_H
#define GEOM_MESH_REPORT_H

#include "base/scratch.h"
#include "geom/mesh/mesh.h"

/* A kind of defect: how many, and where the first few are. */
enum { DEFECT_PLACES = 4 };

typedef struct MeshDefect {
    size_t count;
    Vec3 places[DEFECT_PLACES];
} MeshDefect;

typedef enum DefectKind {
    DEFECT_OPEN_EDGE,          /* in one triangle only */
    DEFECT_NON_MANIFOLD_EDGE,  /* in more than two */
    DEFECT_FLIPPED_EDGE,       /* run twice in the same direction: neighbours disagree on outside */
    DEFECT_DUPLICATE_VERTEX,   /* at the place of an earlier one */
    DEFECT_DUPLICATE_TRIANGLE, /* of the same three vertices as an earlier one */
    DEFECT_DEGENERATE_TRIANGLE, /* of no area */
    DEFECT_UNUSED_VERTEX,
    DEFECT_SELF_INTERSECTION, /* pairs of triangles that cross and share no vertex; touching
                                 within rounding is not crossing */
    DEFECT_KIND_COUNT
} DefectKind;

const char *defect_name(DefectKind kind);

typedef struct MeshReport {
    MeshDefect defects[DEFECT_KIND_COUNT];
    size_t vertices, triangles;
    size_t components; /* pieces; triangles that share an edge are in one */
    Vec3 low, high;
    double area, volume;
    bool closed;     /* every edge in exactly two triangles, in opposite directions */
    bool inside_out; /* closed, and of negative volume */
} MeshReport;

/* PLIM_BAD_INPUT, here and below, for a mesh of vertices that do not exist or are not finite. */
PlimStatus mesh_report(PlimContext *context, const TriangleMesh *mesh, MeshReport *out);

typedef struct MeshRepair {
    size_t merged_vertices, dropped_triangles, dropped_vertices, turned_triangles;
    size_t flipped_edges; /* where dropping a triangle of no area would have opened the surface */
} MeshRepair;

/* Merges vertices at equal places, drops degenerate and duplicate triangles and unused vertices,
 * turns triangles so that neighbours agree, and each closed component so that its volume is
 * positive (negative for one nested an odd number of times in others). Open components keep the
 * orientation of most of their triangles. A second repair changes nothing. The mesh is untouched on
 * failure. */
PlimStatus mesh_repair(PlimContext *context, TriangleMesh *mesh, MeshRepair *out);

/* Neighbours: for each triangle and edge (from corner e to e + 1) the triangle across, or -1 when
 * there is none or several. `out` has 3 * triangle_count entries. */
PlimStatus mesh_neighbors(PlimContext *context, const TriangleMesh *mesh, int32_t *out);

#endif
