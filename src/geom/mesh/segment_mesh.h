/* Segment loops in the plane z = 0: the outlines of 2D bodies. Counter-clockwise around what is
 * inside (x to the right, y up): looking along a segment, the inside is to the left and the outside
 * to the right. Holes run clockwise. */
#ifndef GEOM_SEGMENT_MESH_H
#define GEOM_SEGMENT_MESH_H

#include "base/context.h"
#include "math/vec.h"

typedef struct SegmentMesh {
    Vec3 *vertices; /* m; z is 0 */
    size_t vertex_count;
    int32_t (*segments)[2]; /* from, to */
    size_t segment_count;
} SegmentMesh;

/* Zero-filled arrays of the given sizes. */
PlimStatus segment_mesh_allocate(PlimContext *context, SegmentMesh *mesh, size_t vertices,
                                 size_t segments);
void segment_mesh_free(PlimContext *context, SegmentMesh *mesh);

/* True when every segment joins two different vertices and every vertex that is used has one
 * segment coming in and one going out: loops, consistently oriented. */
bool segment_mesh_is_closed(PlimContext *context, const SegmentMesh *mesh);

/* m, the sum of the segments' lengths. */
double segment_mesh_perimeter(const SegmentMesh *mesh);

/* Of the region that closed loops bound, exact for the polygon, per unit of depth and density. */
typedef struct SegmentMass {
    double area;    /* m^2; negative when the loops run the wrong way round */
    Vec3 center;    /* m, centre of mass */
    double inertia; /* m^4: polar, about the z axis through the centre */
} SegmentMass;

/* An area of zero leaves centre and inertia zero. */
SegmentMass segment_mesh_mass(const SegmentMesh *mesh);

/* A regular polygon of `segments` (3 or more) sides about the origin, vertices on the circle. */
PlimStatus segment_circle(PlimContext *context, double radius, int segments, SegmentMesh *out);

/* Full side lengths, centred on the origin; four segments. */
PlimStatus segment_rectangle(PlimContext *context, double size_x, double size_y, SegmentMesh *out);

#endif
