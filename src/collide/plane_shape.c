/* Bodies of the plane: the cut of a surface with the plane z = 0. */
#include "collide/plane_shape.h"

static const double pi = 3.14159265358979323846;

/* A corner that turns by less, as a sine, is none: triangles cut straight sides into pieces. */
static const double STRAIGHT = 1e-7;

PlaneShape plane_shape_round(Vec3 from, Vec3 to, double radius) {
    double length = vec3_length(vec3_sub(to, from));
    return (PlaneShape){.kind = PLANE_ROUND,
                        .ends = {from, to},
                        .radius = radius,
                        .convex = true,
                        .center = vec3_scale(0.5, vec3_add(from, to)),
                        .reach = radius + 0.5 * length,
                        .size = 2.0 * radius,
                        .area = pi * radius * radius + 2.0 * radius * length};
}

PlaneShape plane_shape_half(Vec3 normal, double offset) {
    return (PlaneShape){.kind = PLANE_HALF,
                        .normal = normal,
                        .offset = offset,
                        .reach = HUGE_VAL,
                        .size = HUGE_VAL,
                        .area = HUGE_VAL};
}

void plane_shape_free(PlimContext *context, PlaneShape *shape) {
    context_free(context, shape->edges, shape->count, sizeof *shape->edges);
    *shape = (PlaneShape){0};
}

/* ---- pieces ---- */

/* The cut of one triangle. Its ends lie on edges of the mesh, which say what it goes on with. */
typedef struct Piece {
    Vec3 from, to;
    uint64_t from_edge, to_edge;
    int32_t next;
    bool used;
} Piece;

typedef struct MeshCut {
    const TriangleMesh *mesh;
    const Frame *frame;
    Piece *pieces;
    size_t count;
} MeshCut;

static Vec3 cut_vertex(const MeshCut *cut, int32_t vertex) {
    return frame_to_world(cut->frame, cut->mesh->vertices[vertex]);
}

/* Where an edge of the mesh passes through the plane; the same for both triangles at it. */
static Vec3 cross_edge(const MeshCut *cut, int32_t i, int32_t j, uint64_t *edge) {
    int32_t low = i < j ? i : j, high = i < j ? j : i;
    Vec3 p = cut_vertex(cut, low), q = cut_vertex(cut, high);
    double part = p.z / (p.z - q.z);
    *edge = (uint64_t)low << 32 | (uint64_t)high;
    return vec3(p.x + part * (q.x - p.x), p.y + part * (q.y - p.y), 0.0);
}

/* With the inside on the left: a triangle that is counter-clockwise seen from outside goes down
 * through the plane at the start of its piece. */
static bool cut_triangle(const MeshCut *cut, const int32_t triangle[3], Piece *piece) {
    bool above[3];
    for (int c = 0; c < 3; c++) above[c] = cut_vertex(cut, triangle[c]).z >= 0.0;
    if (above[0] == above[1] && above[1] == above[2]) return false;
    *piece = (Piece){.next = -1};
    for (int c = 0; c < 3; c++) {
        int d = (c + 1) % 3;
        if (above[c] && !above[d])
            piece->from = cross_edge(cut, triangle[c], triangle[d], &piece->from_edge);
        if (!above[c] && above[d])
            piece->to = cross_edge(cut, triangle[c], triangle[d], &piece->to_edge);
    }
    return true;
}

static void cut_mesh(MeshCut *cut) {
    for (size_t t = 0; t < cut->mesh->triangle_count; t++)
        cut->count += cut_triangle(cut, cut->mesh->triangles[t], &cut->pieces[cut->count]);
    for (size_t i = 0; i < cut->count; i++)
        for (size_t j = 0; j < cut->count && cut->pieces[i].next < 0; j++)
            if (cut->pieces[j].from_edge == cut->pieces[i].to_edge)
                cut->pieces[i].next = (int32_t)j;
}

/* ---- loops ---- */

static Vec3 right_of(Vec3 along) {
    return vec3(along.y, -along.x, 0.0);
}

static double turn_of(Vec3 a, Vec3 b) {
    return a.x * b.y - a.y * b.x;
}

/* Whether the corner between two sides is one; sides without length have none. */
static bool is_corner(Vec3 before, Vec3 at, Vec3 after, double least) {
    Vec3 in = vec3_sub(at, before), out = vec3_sub(after, at);
    double lengths = vec3_length(in) * vec3_length(out);
    if (vec3_length(in) < least || vec3_length(out) < least) return false;
    return fabs(turn_of(in, out)) > STRAIGHT * lengths || vec3_dot(in, out) < 0.0;
}

/* The corners of a list of points that is closed, in place; returns how many are left. */
static size_t keep_corners(Vec3 *points, size_t count, double least) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) { /* points that lie on the one before go first */
        if (kept > 0 && vec3_length(vec3_sub(points[i], points[kept - 1])) < least) continue;
        points[kept++] = points[i];
    }
    while (kept > 1 && vec3_length(vec3_sub(points[kept - 1], points[0])) < least) kept--;
    size_t corners = 0;
    Vec3 first = kept > 0 ? points[0] : vec3(0, 0, 0), before = kept > 0 ? points[kept - 1] : first;
    for (size_t i = 0; i < kept; i++) {
        Vec3 at = points[i], after = i + 1 < kept ? points[i + 1] : first;
        if (is_corner(before, at, after, least)) points[corners++] = at;
        before = at;
    }
    return corners;
}

static void add_loop(PlaneShape *shape, const Vec3 *points, size_t count) {
    if (count < 3) return;
    int32_t first = (int32_t)shape->count, last = first + (int32_t)count - 1;
    for (size_t i = 0; i < count; i++) {
        PlaneEdge *edge = &shape->edges[shape->count];
        int32_t self = (int32_t)shape->count++;
        *edge = (PlaneEdge){.from = points[i],
                            .to = points[(i + 1) % count],
                            .previous = self == first ? last : self - 1,
                            .next = self == last ? first : self + 1};
        edge->normal = vec3_normalize(right_of(vec3_sub(edge->to, edge->from)));
    }
}

/* The loops that the pieces make; one that does not close is left out. */
static void chain_pieces(const MeshCut *cut, double least, Vec3 *points, PlaneShape *shape) {
    for (size_t start = 0; start < cut->count; start++) {
        size_t count = 0;
        int32_t at = (int32_t)start;
        while (at >= 0 && !cut->pieces[at].used) {
            cut->pieces[at].used = true;
            points[count++] = cut->pieces[at].from;
            at = cut->pieces[at].next;
        }
        if (at == (int32_t)start && count > 0)
            add_loop(shape, points, keep_corners(points, count, least));
    }
}

static bool all_behind(const PlaneShape *shape, double tolerated) {
    for (size_t i = 0; i < shape->count; i++)
        for (size_t j = 0; j < shape->count; j++) {
            Vec3 apart = vec3_sub(shape->edges[j].from, shape->edges[i].from);
            if (vec3_dot(shape->edges[i].normal, apart) > tolerated) return false;
        }
    return true;
}

/* Of the loops alone; one whose corners all lie behind all sides is convex. */
static void measure_loops(PlaneShape *shape) {
    Box3 box = box3_empty();
    for (size_t i = 0; i < shape->count; i++) {
        const PlaneEdge *edge = &shape->edges[i];
        box = box3_add_point(box, edge->from);
        shape->area += 0.5 * turn_of(edge->from, edge->to);
    }
    Vec3 sides = vec3_sub(box.high, box.low);
    shape->center = box3_center(box);
    for (size_t i = 0; i < shape->count; i++)
        shape->reach =
            fmax(shape->reach, vec3_length(vec3_sub(shape->edges[i].from, shape->center)));
    shape->size = fmin(sides.x, sides.y);
    shape->convex = all_behind(shape, 1e-9 * shape->reach);
    shape->kind = shape->area > 0.0 ? PLANE_LOOPS : PLANE_EMPTY;
}

/* A rectangle between two half discs, whose centres of mass are 4 r / (3 pi) outside its ends. */
static Section round_section(const PlaneShape *shape) {
    Vec3 core = vec3_sub(shape->ends[1], shape->ends[0]);
    double length = vec3_length(core), r = shape->radius, r3 = r * r * r;
    Vec3 u = length > 0.0 ? vec3_scale(1.0 / length, core) : vec3(1, 0, 0);
    double disc = pi * r3 * r / 4.0, across = disc + 2.0 * r3 * length / 3.0;
    double along =
        disc + 4.0 * r3 * length / 3.0 + length * length * (pi * r * r / 4.0 + r * length / 6.0);
    return (Section){.area = shape->area,
                     .center = {shape->center.x, shape->center.y},
                     .xx = along * u.x * u.x + across * u.y * u.y,
                     .yy = along * u.y * u.y + across * u.x * u.x,
                     .xy = (along - across) * u.x * u.y};
}

/* Green's theorem: the sum over the sides of triangles that they span with the middle. */
static Section loops_section(const PlaneShape *loops) {
    Section sum = {0};
    for (size_t i = 0; i < loops->count; i++) {
        Vec3 p = vec3_sub(loops->edges[i].from, loops->center);
        Vec3 q = vec3_sub(loops->edges[i].to, loops->center);
        double area = 0.5 * turn_of(p, q);
        sum.area += area;
        sum.center[0] += area * (p.x + q.x) / 3.0;
        sum.center[1] += area * (p.y + q.y) / 3.0;
        sum.xx += area * (p.x * p.x + p.x * q.x + q.x * q.x) / 6.0;
        sum.yy += area * (p.y * p.y + p.y * q.y + q.y * q.y) / 6.0;
        sum.xy += area * (2.0 * (p.x * p.y + q.x * q.y) + p.x * q.y + q.x * p.y) / 12.0;
    }
    double x = sum.center[0] / sum.area, y = sum.center[1] / sum.area;
    return (Section){.area = sum.area,
                     .center = {loops->center.x + x, loops->center.y + y},
                     .xx = sum.xx - sum.area * x * x,
                     .yy = sum.yy - sum.area * y * y,
                     .xy = sum.xy - sum.area * x * y};
}

Section plane_shape_section(const PlaneShape *shape) {
    return shape->kind == PLANE_ROUND ? round_section(shape) : loops_section(shape);
}

PlimStatus plane_shape_cut(PlimContext *context, const TriangleMesh *mesh, const Frame *frame,
                           PlaneShape *out) {
    *out = (PlaneShape){0};
    size_t room = mesh->triangle_count + 1;
    MeshCut cut = {mesh, frame, context_allocate(context, room, sizeof(Piece)), 0};
    Vec3 *points = context_allocate(context, room, sizeof *points), low, high;
    PlaneShape shape = {.edges = context_allocate(context, room, sizeof *shape.edges)};
    bool enough = cut.pieces && points && shape.edges;
    if (enough) {
        cut_mesh(&cut);
        mesh_bounds(mesh, &low, &high);
        chain_pieces(&cut, 1e-9 * vec3_length(vec3_sub(high, low)), points, &shape);
        if (shape.count > 0) measure_loops(&shape);
    }
    context_free(context, points, room, sizeof *points);
    context_free(context, cut.pieces, room, sizeof *cut.pieces);
    PlaneEdge *fitting = NULL; /* as large as it has to be */
    if (shape.count > 0)
        fitting = context_resize(context, shape.edges, room, shape.count, sizeof *fitting);
    if (!fitting) context_free(context, shape.edges, room, sizeof *shape.edges);
    if (!enough || (shape.count > 0 && !fitting)) return PLIM_OUT_OF_MEMORY;
    shape.edges = fitting;
    *out = shape;
    return PLIM_OK;
}
