/* Separating axis test of two convex polyhedra: along their faces' normals, and along the common
 * normals of two edges whose arcs on the sphere of normals cross. The plane with the widest gap, or
 * the least overlap, gives the contact normal. */
#include "collide/polyhedron_pose.h"

/* Lengths relative to the size of the smaller one. */
static const double INSIDE = 1e-9; /* as far outside of a face's side counts as inside */
static const double APART = 1e-7;  /* corners closer to each other are one */
static const double TIE = 1e-9;    /* of faces as good as each other the first is taken */
static const double PREFER = 1e-4; /* the first one's faces to the second's, faces to edges, */
static const double PREFER_DEPTH = 0.02; /* with this much of the depth added */
/* Squared sine of the angle up to which edges are parallel and have no common normal. */
static const double PARALLEL = 1e-12;
/* Sine of the angle up to which a normal lies on a great circle. An arc that ends there needs no
 * look: the normal it would meet is that of a face. */
static const double ON_CIRCLE = 1e-12;

/* Corners that carry a face; more than these say little. */
enum { MOST_OF_FACE = 8 };

typedef struct FaceAxis {
    double separation; /* m, of the other's nearest vertex before the face's plane */
    size_t face;
} FaceAxis;

typedef struct EdgeAxis {
    double separation; /* m; -HUGE_VAL: no two edges face each other */
    Vec3 normal;       /* unit, from a to b */
    PolyEdge a, b;
} EdgeAxis;

typedef struct PolyPair {
    PolyPose a, b;
    const Frame *at_a; /* common axes to the world's */
    double size;       /* m, of the smaller one */
    double margin;     /* m */
} PolyPair;

/* Room for b in the axes of a. */
typedef struct PosedArrays {
    PolyPoints points;
    PolyPlane planes[POLYHEDRON_MOST_FACES];
    Vec3 directions[POLYHEDRON_MOST_EDGES];
} PosedArrays;

static void pose_in(const Polyhedron *shape, const Frame *frame, PosedArrays *out) {
    Mat3 m = frame->axes;
    const double *x = shape->points.x, *y = shape->points.y, *z = shape->points.z;
#pragma omp simd
    for (size_t i = 0; i < shape->padded_count; i++) {
        out->points.x[i] = m.r[0].x * x[i] + m.r[0].y * y[i] + m.r[0].z * z[i] + frame->origin.x;
        out->points.y[i] = m.r[1].x * x[i] + m.r[1].y * y[i] + m.r[1].z * z[i] + frame->origin.y;
        out->points.z[i] = m.r[2].x * x[i] + m.r[2].y * y[i] + m.r[2].z * z[i] + frame->origin.z;
    }
    for (size_t i = 0; i < shape->face_count; i++) {
        Vec3 normal = mat3_apply(m, shape->planes[i].normal);
        double offset = shape->planes[i].offset + vec3_dot(normal, frame->origin);
        out->planes[i] = (PolyPlane){normal, offset};
    }
    for (size_t i = 0; i < shape->bundle_count; i++)
        out->directions[i] = mat3_apply(m, shape->directions[i]);
}

/* Between which values n . x lies. */
static void extent_along(const PolyPose *pose, Vec3 n, double *least, double *most) {
    const double *x = pose->points->x, *y = pose->points->y, *z = pose->points->z;
    double low = HUGE_VAL, high = -HUGE_VAL;
    size_t count = pose->shape->padded_count;
#pragma omp simd reduction(min : low) reduction(max : high)
    for (size_t i = 0; i < count; i++) {
        double along = n.x * x[i] + n.y * y[i] + n.z * z[i];
        low = along < low ? along : low;
        high = along > high ? along : high;
    }
    *least = low;
    *most = high;
}

/* The face of `pose` that `other` is farthest before; stops at one beyond the margin. */
static FaceAxis best_face(const PolyPose *pose, const PolyPose *other, double tie, double margin) {
    FaceAxis best = {-HUGE_VAL, 0};
    for (size_t i = 0; i < pose->shape->slab_count && best.separation <= margin; i++) {
        PolySlab slab = pose->shape->slabs[i];
        double least, most;
        extent_along(other, pose->planes[slab.face].normal, &least, &most);
        double separation = least - pose->planes[slab.face].offset;
        if (separation > best.separation + tie) best = (FaceAxis){separation, slab.face};
        if (slab.opposite == slab.face) continue;
        separation = -most - pose->planes[slab.opposite].offset;
        if (separation > best.separation + tie) best = (FaceAxis){separation, slab.opposite};
    }
    return best;
}

/* On which side of each direction's great circle, on the sphere of normals, each face's normal
 * lies: 1 or -1, and 0 on the circle itself. */
typedef struct SideTable {
    int8_t side[POLYHEDRON_MOST_EDGES][POLYHEDRON_MOST_FACES];
} SideTable;

static void fill_sides(const PolyPose *faces, const PolyPose *directions, SideTable *out) {
    for (size_t i = 0; i < directions->shape->bundle_count; i++) {
        Vec3 along = directions->directions[i];
        for (size_t k = 0; k < faces->shape->face_count; k++) {
            double before = vec3_dot(along, faces->planes[k].normal);
            out->side[i][k] = (int8_t)((before > ON_CIRCLE) - (before < -ON_CIRCLE));
        }
    }
}

/* An edge is the arc between the normals of its faces. The circle passes through it with the left
 * end before it, 1, or behind it, -1, or not at all, 0. */
static int arc_side(const int8_t *sides, PolyEdge edge) {
    return sides[edge.left] == -sides[edge.right] ? sides[edge.left] : 0;
}

/* Two edges whose arcs cross have a common normal along which no vertex is farther out of a, nor
 * farther against it out of b: times the side it points from a to b. */
static void try_edges(const PolyPair *pair, PolyEdge edge_a, PolyEdge edge_b, Vec3 normal,
                      EdgeAxis *best) {
    Vec3 apart =
        vec3_sub(poly_point(pair->b.points, edge_b.from), poly_point(pair->a.points, edge_a.from));
    double separation = vec3_dot(normal, apart);
    if (separation > best->separation + TIE * pair->size)
        *best = (EdgeAxis){separation, normal, edge_a, edge_b};
}

/* All edges of one direction of a against all of one direction of b; `faces_a` are the sides of a's
 * normals with respect to b's direction, `faces_b` the other way round. */
static void try_bundles(const PolyPair *pair, size_t in_a, size_t in_b, const int8_t *faces_a,
                        const int8_t *faces_b, EdgeAxis *best) {
    PolyBundle from_a = pair->a.shape->bundles[in_a], from_b = pair->b.shape->bundles[in_b];
    Vec3 normal = {0};
    double squared = 0.0;
    for (size_t i = 0; i < from_a.count; i++) {
        PolyEdge edge_a = pair->a.shape->edges[from_a.first + i];
        int side = arc_side(faces_a, edge_a);
        for (size_t k = 0; side != 0 && k < from_b.count; k++) {
            PolyEdge edge_b = pair->b.shape->edges[from_b.first + k];
            if (arc_side(faces_b, edge_b) != side) continue;
            if (squared == 0.0) {
                normal = vec3_cross(pair->a.directions[in_a], pair->b.directions[in_b]);
                squared = vec3_dot(normal, normal);
                if (squared < PARALLEL) return;
                normal = vec3_scale(1.0 / sqrt(squared), normal);
            }
            try_edges(pair, edge_a, edge_b, vec3_scale(side, normal), best);
        }
    }
}

static EdgeAxis best_edges(const PolyPair *pair) {
    SideTable faces_a, faces_b;
    fill_sides(&pair->a, &pair->b, &faces_a);
    fill_sides(&pair->b, &pair->a, &faces_b);
    EdgeAxis best = {.separation = -HUGE_VAL};
    for (size_t i = 0; i < pair->a.shape->bundle_count; i++)
        for (size_t k = 0; k < pair->b.shape->bundle_count && best.separation <= pair->margin; k++)
            try_bundles(pair, i, k, faces_a.side[k], faces_b.side[i], &best);
    return best;
}

/* `normal` in common axes, from b to a; `place` midway. */
static void add_point(const PolyPair *pair, Vec3 place, Vec3 normal, double gap,
                      ContactPoints *points) {
    contact_points_add(points, (ContactPoint){.position = frame_to_world(pair->at_a, place),
                                              .normal = mat3_apply(pair->at_a->axes, normal),
                                              .gap = gap,
                                              .radius = HUGE_VAL});
}

/* Where the axis is not the best one the edges may pass each other at a distance: no contact unless
 * `always`. */
static void add_edges(const PolyPair *pair, const EdgeAxis *axis, bool always,
                      ContactPoints *points) {
    Vec3 p = poly_point(pair->a.points, axis->a.from), q = poly_point(pair->b.points, axis->b.from);
    Vec3 along_p = vec3_sub(poly_point(pair->a.points, axis->a.to), p);
    Vec3 along_q = vec3_sub(poly_point(pair->b.points, axis->b.to), q);
    Vec3 on_a, on_b;
    segments_nearest(p, along_p, q, along_q, &on_a, &on_b);
    if (!always && vec3_length(vec3_sub(on_a, on_b)) > pair->margin) return;
    add_point(pair, vec3_scale(0.5, vec3_add(on_a, on_b)), vec3_scale(-1.0, axis->normal),
              axis->separation, points);
}

/* Returns how many points were within the margin. */
static size_t add_face(const PolyPair *pair, const PolyPose *reference, const PolyPose *other,
                       size_t face, ContactPoints *points) {
    PolyPlane plane = reference->planes[face];
    Vec3 normal = vec3_scale(reference == &pair->a ? -1.0 : 1.0, plane.normal);
    Polygon polygon;
    polyhedron_clip(reference, face, other, INSIDE * pair->size, APART * pair->size, &polygon);
    size_t near = 0;
    for (size_t i = 0; i < polygon.count; i++)
        if (vec3_dot(plane.normal, polygon.at[i]) - plane.offset <= pair->margin)
            polygon.at[near++] = polygon.at[i];
    polygon.count = near;
    polygon_thin(&polygon, plane.normal, MOST_OF_FACE);
    for (size_t i = 0; i < polygon.count; i++) {
        double gap = vec3_dot(plane.normal, polygon.at[i]) - plane.offset;
        add_point(pair, vec3_add_scaled(polygon.at[i], -0.5 * gap, plane.normal), normal, gap,
                  points);
    }
    return polygon.count;
}

/* The deepest vertex alone, whether or not it lies over the face. */
static void add_vertex(const PolyPair *pair, const PolyPose *reference, const PolyPose *other,
                       const FaceAxis *axis, ContactPoints *points) {
    PolyPlane plane = reference->planes[axis->face];
    Vec3 normal = vec3_scale(reference == &pair->a ? -1.0 : 1.0, plane.normal);
    size_t vertex = polyhedron_support(other, vec3_scale(-1.0, plane.normal));
    Vec3 place =
        vec3_add_scaled(poly_point(other->points, vertex), -0.5 * axis->separation, plane.normal);
    add_point(pair, place, normal, axis->separation, points);
}

static void add_contact(const PolyPair *pair, const FaceAxis *of_a, const FaceAxis *of_b,
                        const EdgeAxis *edges, ContactPoints *points) {
    double prefer = PREFER * pair->size + PREFER_DEPTH * fabs(of_a->separation);
    bool take_b = of_b->separation > of_a->separation + prefer;
    const PolyPose *reference = take_b ? &pair->b : &pair->a;
    const PolyPose *other = take_b ? &pair->a : &pair->b;
    const FaceAxis *face = take_b ? of_b : of_a;
    prefer = PREFER * pair->size + PREFER_DEPTH * fabs(face->separation);
    if (edges->separation > face->separation + prefer) {
        add_edges(pair, edges, edges->separation <= 0.0, points);
        return;
    }
    if (add_face(pair, reference, other, face->face, points) > 0) return;
    /* Nothing of the one lies over the face of the other: they are past each other's sides, or
     * overlap by less than the preference for the face was worth. */
    if (edges->separation >= face->separation)
        add_edges(pair, edges, edges->separation <= 0.0, points);
    else if (face->separation <= 0.0)
        add_vertex(pair, reference, other, face, points);
}

static bool balls_apart(const Polyhedron *a, const Polyhedron *b, const Frame *b_in_a,
                        double margin) {
    Vec3 apart = vec3_sub(frame_to_world(b_in_a, b->center), a->center);
    double reach = a->radius + b->radius + margin;
    return vec3_dot(apart, apart) > reach * reach;
}

void polyhedron_contact(const Polyhedron *a, const Frame *at_a, const Polyhedron *b,
                        const Frame *at_b, double margin, ContactPoints *points) {
    Frame b_in_a = {mat3_multiply(mat3_transpose(at_a->axes), at_b->axes),
                    frame_to_own(at_a, at_b->origin)};
    if (balls_apart(a, b, &b_in_a, margin)) return;
    PosedArrays posed;
    pose_in(b, &b_in_a, &posed);
    PolyPair pair = {.a = {a, &a->points, a->planes, a->directions},
                     .b = {b, &posed.points, posed.planes, posed.directions},
                     .at_a = at_a,
                     .size = fmin(a->size, b->size),
                     .margin = margin};
    FaceAxis of_a = best_face(&pair.a, &pair.b, TIE * pair.size, margin);
    if (of_a.separation > margin) return;
    FaceAxis of_b = best_face(&pair.b, &pair.a, TIE * pair.size, margin);
    if (of_b.separation > margin) return;
    EdgeAxis edges = best_edges(&pair);
    if (edges.separation > margin) return;
    add_contact(&pair, &of_a, &of_b, &edges, points);
}
