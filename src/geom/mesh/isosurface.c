/* Marching tetrahedra. Every cube of the grid is cut into the six tetrahedra around its diagonal
 * from (0,0,0) to (1,1,1) (Kuhn's subdivision): neighbouring cubes agree on the diagonals of their
 * common face, so the tetrahedra fill space without gaps. In a tetrahedron the surface is one
 * triangle or one quadrilateral, whatever the values; its corners lie on edges, one for each edge
 * with an inside and an outside end. The tetrahedra around such an edge form a ring and each adds
 * one face, so the faces at a vertex form one closed fan: the surface is manifold by construction,
 * not by case tables.
 *
 * The grid gets an outer layer of cells that are only 2 CLAMP thick, with the absolute value of the
 * nearest node as value: everything out there is outside, and a surface that would leave the grid
 * runs along its boundary, at most 2 CLAMP spacings away, without changing its outline. */
#include "geom/mesh/isosurface.h"

#include "base/array.h"

#include <limits.h>
#include <string.h>

/* Vertices keep this fraction of an edge away from its ends, so that triangles keep an area where
 * the surface passes through a node. */
static const double CLAMP = 1e-6;

/* Corners of a cube and directions of edges are numbered by bits: 1 along x, 2 along y, 4 along z.
 * An edge belongs to its lower end; directions 1 to 3 stay in the layer, 4 to 7 go up to the next.
 */
enum { FLAT_EDGES = 3, RISING_EDGES = 4 };

typedef struct Triangle {
    int32_t v[3];
} Triangle;

typedef struct ActiveCube {
    int i, j;
    int inside; /* a bit for each corner */
} ActiveCube;

typedef struct March {
    PlimContext *context;
    const NodeGrid *grid;
    const double *values, *carried;
    size_t width;
    int n[3];                 /* nodes, the outer layers included */
    size_t layer_nodes;       /* n[0] n[1] */
    unsigned char *inside[2]; /* 0 or 1 for each node of the layers below and above the slab */
    int32_t *flat[2];         /* vertices on edges in these layers, FLAT_EDGES a node */
    int32_t *rising;          /* on edges through the slab, RISING_EDGES a node */
    int *row_inside[2];       /* inside nodes of each row of these layers */
    ARRAY(ActiveCube) cubes;  /* of the slab: those that the surface passes */
    ARRAY(Vec3) vertices;
    ARRAY(double) carried_out;
    ARRAY(Triangle) triangles;
} March;

static size_t node_in_layer(const March *m, int i, int j) {
    return (size_t)j * (size_t)m->n[0] + (size_t)i;
}

/* The node of the caller's grid at or nearest to a padded one; true when it is the node itself. */
static bool nearest_node(const March *m, const int at[3], size_t *index) {
    int own[3];
    bool same = true;
    for (int a = 0; a < 3; a++) {
        int last = m->n[a] - 2;
        own[a] = (at[a] < 1 ? 1 : at[a] > last ? last : at[a]) - 1;
        same = same && own[a] == at[a] - 1;
    }
    *index = node_grid_index(m->grid, own[0], own[1], own[2]);
    return same;
}

/* In spacings from the grid's origin. */
static double coordinate(const March *m, int axis, int at) {
    if (at == 0) return -2.0 * CLAMP;
    if (at == m->n[axis] - 1) return m->n[axis] - 3 + 2.0 * CLAMP;
    return at - 1;
}

/* Where the linear function from a to b, of opposite signs, is zero. Halved: the difference of two
 * huge values may overflow. Values that say nothing (infinite, no number) give the middle. */
static double crossing(double a, double b) {
    double t = 0.5 * a / (0.5 * a - 0.5 * b);
    if (!isfinite(t)) return 0.5;
    return t < CLAMP ? CLAMP : t > 1.0 - CLAMP ? 1.0 - CLAMP : t;
}

static bool add_vertex(March *m, int i, int j, int k, int direction, int32_t *slot) {
    int low[3] = {i, j, k},
        high[3] = {i + (direction & 1), j + (direction >> 1 & 1), k + (direction >> 2)};
    size_t from, to;
    double a = nearest_node(m, low, &from) ? m->values[from] : fabs(m->values[from]);
    double b = nearest_node(m, high, &to) ? m->values[to] : fabs(m->values[to]);
    double t = crossing(a, b), p[3];
    for (int axis = 0; axis < 3; axis++) {
        double x = coordinate(m, axis, low[axis]), y = coordinate(m, axis, high[axis]);
        p[axis] = m->grid->spacing * (x + t * (y - x));
    }
    if (m->vertices.count >= INT32_MAX) {
        context_fail(m->context, PLIM_OUT_OF_MEMORY,
                     "the surface has more than %d vertices: use a coarser grid", INT32_MAX);
        return false;
    }
    if (m->width > 0) {
        if (!array_reserve(m->context, &m->carried_out, m->width)) return false;
        const double *x = m->carried + from * m->width, *y = m->carried + to * m->width;
        for (size_t c = 0; c < m->width; c++)
            m->carried_out.data[m->carried_out.count++] = (1.0 - t) * x[c] + t * y[c];
    }
    *slot = (int32_t)m->vertices.count;
    return array_push(m->context, &m->vertices, vec3_add(m->grid->origin, vec3_load(p)));
}

/* Fills the upper layer's flags for padded layer k. */
static void flag_layer(March *m, int k) {
    memset(m->inside[1], 0, m->layer_nodes);
    memset(m->row_inside[1], 0, (size_t)m->n[1] * sizeof *m->row_inside[1]);
    if (k == 0 || k == m->n[2] - 1) return;
    for (int j = 1; j < m->n[1] - 1; j++) {
        const double *values = m->values + node_grid_index(m->grid, 0, j - 1, k - 1);
        unsigned char *flags = m->inside[1] + node_in_layer(m, 1, j);
        int count = 0;
        for (int i = 0; i < m->n[0] - 2; i++) {
            flags[i] = values[i] < 0.0;
            count += flags[i];
        }
        m->row_inside[1][j] = count;
    }
}

/* The flags of four nodes above one another in y and z, at the bits of corners 0, 2, 4 and 6. */
static int column(const March *m, size_t node) {
    size_t next = node + (size_t)m->n[0];
    return m->inside[0][node] | m->inside[0][next] << 2 | m->inside[1][node] << 4 |
           m->inside[1][next] << 6;
}

/* Lists a cube that the surface passes, and makes the vertices on edges that start at its corner 0
 * and rise, and at its corner 4 and stay in the upper layer. Edges of the lower layer were made
 * with the slab below; those of the lowest layer join outside nodes only. */
static bool open_cube(March *m, int i, int j, int k, int inside) {
    if (!array_push(m->context, &m->cubes, ((ActiveCube){i, j, inside}))) return false;
    size_t node = node_in_layer(m, i, j);
    for (int e = 0; e < RISING_EDGES; e++)
        if ((inside ^ inside >> (4 + e)) & 1)
            if (!add_vertex(m, i, j, k, 4 + e, &m->rising[node * RISING_EDGES + (size_t)e]))
                return false;
    for (int e = 0; e < FLAT_EDGES; e++)
        if ((inside >> 4 ^ inside >> (5 + e)) & 1)
            if (!add_vertex(m, i, j, k + 1, 1 + e, &m->flat[1][node * FLAT_EDGES + (size_t)e]))
                return false;
    return true;
}

static bool open_slab(March *m, int k) {
    m->cubes.count = 0;
    for (int j = 0; j < m->n[1] - 1; j++) {
        if (m->row_inside[0][j] + m->row_inside[0][j + 1] + m->row_inside[1][j] +
                m->row_inside[1][j + 1] ==
            0)
            continue;
        size_t row = node_in_layer(m, 0, j);
        int left = column(m, row);
        for (int i = 0; i < m->n[0] - 1; i++) {
            int right = column(m, row + (size_t)i + 1), inside = left | right << 1;
            left = right;
            if (inside != 0 && inside != 255 && !open_cube(m, i, j, k, inside)) return false;
        }
    }
    return true;
}

/* The vertex on the edge between two corners of a cube, `from` a subset of the bits of `to`. */
static int32_t edge_vertex(const March *m, const ActiveCube *cube, int from, int to) {
    size_t node = node_in_layer(m, cube->i + (from & 1), cube->j + (from >> 1 & 1));
    size_t direction = (size_t)(to - from);
    if (direction >= 4) return m->rising[node * RISING_EDGES + direction - 4];
    return m->flat[from >> 2][node * FLAT_EDGES + direction - 1];
}

static bool add_triangle(March *m, int32_t a, int32_t b, int32_t c) {
    return array_push(m->context, &m->triangles, ((Triangle){{a, b, c}}));
}

/* Cut along the shorter diagonal: nothing outside the tetrahedron sees which. */
static bool add_quad(March *m, const int32_t q[4]) {
    const Vec3 *p = m->vertices.data;
    Vec3 d = vec3_sub(p[q[2]], p[q[0]]), e = vec3_sub(p[q[3]], p[q[1]]);
    if (vec3_dot(d, d) <= vec3_dot(e, e))
        return add_triangle(m, q[0], q[1], q[2]) && add_triangle(m, q[0], q[2], q[3]);
    return add_triangle(m, q[0], q[1], q[3]) && add_triangle(m, q[1], q[2], q[3]);
}

/* The part of the surface in one tetrahedron, given by the cube's corners in rising order;
 * `mirrored` when they span a negative volume. Seen from the inside nodes, the corners of the face
 * on the edges of an even permutation (i, j, k, l) go round as ij, ik, il for one inside node i,
 * and as ik, il, jl, jk for two, i and j; the other way round for one outside node. */
static bool march_tet(March *m, const ActiveCube *cube, const int corner[4], bool mirrored) {
    static const unsigned char even[8][4] = {
        [1] = {0, 1, 2, 3}, [2] = {1, 0, 3, 2}, [3] = {0, 1, 2, 3}, [4] = {2, 3, 0, 1},
        [5] = {0, 2, 3, 1}, [6] = {1, 2, 0, 3}, [7] = {3, 2, 1, 0}};
    int mask = 0;
    for (int v = 0; v < 4; v++) mask |= (cube->inside >> corner[v] & 1) << v;
    if (mask == 0 || mask == 15) return true;
    if (mask & 8) { /* the last is inside: take the others for it and turn the face round */
        mask ^= 15;
        mirrored = !mirrored;
    }
    if (mask == 7) mirrored = !mirrored;
    const unsigned char *order = even[mask];
    bool single = mask == 1 || mask == 2 || mask == 4 || mask == 7;
    static const unsigned char ends[2][4][2] = {{{0, 2}, {0, 3}, {1, 3}, {1, 2}},
                                                {{0, 1}, {0, 2}, {0, 3}, {0, 0}}};
    int32_t face[4];
    int count = single ? 3 : 4;
    for (int e = 0; e < count; e++) {
        int a = order[ends[single][e][0]], b = order[ends[single][e][1]];
        int32_t vertex = edge_vertex(m, cube, corner[a < b ? a : b], corner[a < b ? b : a]);
        face[mirrored ? count - 1 - e : e] = vertex;
    }
    return single ? add_triangle(m, face[0], face[1], face[2]) : add_quad(m, face);
}

/* One tetrahedron for each order in which the three axes can lead from corner 0 to corner 7. */
static bool march_cube(March *m, const ActiveCube *cube) {
    for (int first = 0; first < 3; first++) {
        for (int turn = 1; turn <= 2; turn++) {
            int second = (first + turn) % 3;
            int corner[4] = {0, 1 << first, 1 << first | 1 << second, 7};
            if (!march_tet(m, cube, corner, turn == 2)) return false;
        }
    }
    return true;
}

static bool march_all(March *m) {
    for (int k = 0; k < m->n[2]; k++) {
        unsigned char *inside = m->inside[0];
        int32_t *flat = m->flat[0];
        int *row_inside = m->row_inside[0];
        m->inside[0] = m->inside[1], m->inside[1] = inside;
        m->flat[0] = m->flat[1], m->flat[1] = flat;
        m->row_inside[0] = m->row_inside[1], m->row_inside[1] = row_inside;
        flag_layer(m, k);
        if (k == 0) continue;
        if (!open_slab(m, k - 1)) return false;
        for (size_t c = 0; c < m->cubes.count; c++)
            if (!march_cube(m, &m->cubes.data[c])) return false;
    }
    return true;
}

static bool march_allocate(March *m) {
    for (int s = 0; s < 2; s++) {
        m->inside[s] = context_allocate(m->context, m->layer_nodes, sizeof *m->inside[s]);
        m->flat[s] = context_allocate(m->context, m->layer_nodes, FLAT_EDGES * sizeof *m->flat[s]);
        m->row_inside[s] = context_allocate(m->context, (size_t)m->n[1], sizeof *m->row_inside[s]);
        if (!m->inside[s] || !m->flat[s] || !m->row_inside[s]) return false;
    }
    m->rising = context_allocate(m->context, m->layer_nodes, RISING_EDGES * sizeof *m->rising);
    return m->rising;
}

static void march_free(March *m) {
    for (int s = 0; s < 2; s++) {
        context_free(m->context, m->inside[s], m->layer_nodes, sizeof *m->inside[s]);
        context_free(m->context, m->flat[s], m->layer_nodes, FLAT_EDGES * sizeof *m->flat[s]);
        context_free(m->context, m->row_inside[s], (size_t)m->n[1], sizeof *m->row_inside[s]);
    }
    context_free(m->context, m->rising, m->layer_nodes, RISING_EDGES * sizeof *m->rising);
    array_free(m->context, &m->cubes);
    array_free(m->context, &m->vertices);
    array_free(m->context, &m->carried_out);
    array_free(m->context, &m->triangles);
}

/* Gives back the room that is left at the end of an array: a mesh is freed by its counts. */
static bool shrink(PlimContext *context, void **data, size_t *capacity, size_t count, size_t size) {
    void *shrunk = context_resize(context, *data, *capacity, count, size);
    if (!shrunk) return false;
    *data = shrunk;
    *capacity = count;
    return true;
}

static PlimStatus march_deliver(March *m, TriangleMesh *out, double **carried_out) {
    if (m->triangles.count == 0) {
        TRY(mesh_allocate(m->context, out, 0, 0));
        if (m->width > 0) *carried_out = context_allocate(m->context, 0, sizeof **carried_out);
        if (m->width == 0 || *carried_out) return PLIM_OK;
        mesh_free(m->context, out);
        return PLIM_OUT_OF_MEMORY;
    }
    if (!shrink(m->context, (void **)&m->vertices.data, &m->vertices.capacity, m->vertices.count,
                sizeof *m->vertices.data) ||
        !shrink(m->context, (void **)&m->triangles.data, &m->triangles.capacity, m->triangles.count,
                sizeof *m->triangles.data))
        return PLIM_OUT_OF_MEMORY;
    if (m->width > 0) {
        if (!shrink(m->context, (void **)&m->carried_out.data, &m->carried_out.capacity,
                    m->carried_out.count, sizeof *m->carried_out.data))
            return PLIM_OUT_OF_MEMORY;
        *carried_out = m->carried_out.data;
    }
    *out = (TriangleMesh){m->vertices.data, m->vertices.count, (int32_t(*)[3])m->triangles.data,
                          m->triangles.count};
    m->vertices.data = NULL;
    m->triangles.data = NULL;
    m->carried_out.data = NULL;
    return PLIM_OK;
}

PlimStatus isosurface_extract(PlimContext *context, const NodeGrid *grid, const double *values,
                              const double *carried, int width, TriangleMesh *out,
                              double **carried_out) {
    *out = (TriangleMesh){0};
    if (carried_out) *carried_out = NULL;
    March m = {.context = context, .grid = grid, .values = values, .carried = carried};
    if (!(grid->spacing > 0.0) || !isfinite(grid->spacing))
        return context_fail(context, PLIM_BAD_INPUT, "a grid's spacing is a positive length");
    for (int a = 0; a < 3; a++) {
        if (grid->n[a] < 1 || grid->n[a] > INT_MAX - 2)
            return context_fail(context, PLIM_BAD_INPUT,
                                "a grid of %d x %d x %d nodes has no surface", grid->n[0],
                                grid->n[1], grid->n[2]);
        m.n[a] = grid->n[a] + 2;
    }
    m.layer_nodes = (size_t)m.n[0] * (size_t)m.n[1];
    m.width = carried && carried_out && width > 0 ? (size_t)width : 0;
    bool done = march_allocate(&m) && march_all(&m);
    PlimStatus status = done ? march_deliver(&m, out, carried_out) : PLIM_OUT_OF_MEMORY;
    march_free(&m);
    return status;
}
