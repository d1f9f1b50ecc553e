/* Surface of a liquid by tricubic interpolation: the zero set of the Lagrange interpolant of third
 * degree, which is of fourth order in the spacing where phi is smooth. Its values at the nodes give
 * the topology; then the vertices of the isosurface are moved onto its zero set. */
#include "grid/level_surface.h"

#include "base/parallel.h"
#include "geom/mesh/isosurface.h"

#include <math.h>

enum { ROW_GRAIN = 16, CHUNK = 64, VERTEX_GRAIN = 1024, NEWTON_STEPS = 3 };

/* Vertices move at most this far from where linear interpolation puts them, in spacings: enough for
 * surfaces that the grid resolves, and too little to turn triangles over elsewhere. */
static const double MOST_MOVE = 0.25;

typedef struct SurfaceJob {
    const GridField *phi;
    const double *solid;
    double depth;
    NodeGrid nodes; /* of the domain, in spacings from its origin */
    double *values; /* at the nodes, m */
    TriangleMesh *mesh;
} SurfaceJob;

/* ---- values at the nodes ---- */

/* Halfway between cells, from the four around along each axis; never beyond the eight nearest, as
 * it would be where phi has a kink. */
static void interpolate_chunk(const GridField *phi, int first, int count, int j, int k,
                              double *out) {
    static const double weight[4] = {-1.0 / 16, 9.0 / 16, 9.0 / 16, -1.0 / 16};
    double row[CHUNK + 3] = {0}, low[CHUNK + 3], high[CHUNK + 3];
    for (int i = 0; i < count + 3; i++) low[i] = HUGE_VAL, high[i] = -HUGE_VAL;
    for (int c = 0; c < 4; c++)
        for (int b = 0; b < 4; b++) {
            const double *from = phi->data + field_index(phi, first - 2, j - 2 + b, k - 2 + c);
            double w = weight[b] * weight[c];
            for (int i = 0; i < count + 3; i++) row[i] += w * from[i];
            if (b % 3 == 0 || c % 3 == 0) continue;
            for (int i = 0; i < count + 3; i++) {
                low[i] = from[i] < low[i] ? from[i] : low[i];
                high[i] = from[i] > high[i] ? from[i] : high[i];
            }
        }
    for (int i = 0; i < count; i++) {
        double value = weight[0] * (row[i] + row[i + 3]) + weight[1] * (row[i + 1] + row[i + 2]);
        out[i] = fmin(fmax(value, fmin(low[i + 1], low[i + 2])), fmax(high[i + 1], high[i + 2]));
    }
}

static void fill_node_row(const SurfaceJob *job, int j, int k, double *out) {
    const GridField *phi = job->phi;
    int n = job->nodes.n[0];
    for (int first = 0; first < n; first += CHUNK) {
        int count = n - first < CHUNK ? n - first : CHUNK;
        if (phi->place == PLACE_CELLS) {
            interpolate_chunk(phi, first, count, j, k, out + first);
            continue;
        }
        const double *from = phi->data + field_index(phi, first, j, k);
        for (int i = 0; i < count; i++) out[first + i] = from[i];
    }
}

static void fill_node_rows(void *user, size_t begin, size_t end) {
    const SurfaceJob *job = user;
    size_t nx = (size_t)job->nodes.n[0], ny = (size_t)job->nodes.n[1];
    for (size_t row = begin; row < end; row++) {
        double *out = job->values + row * nx;
        fill_node_row(job, (int)(row % ny), (int)(row / ny), out);
        if (!job->solid) continue;
        const double *solid = job->solid + row * nx;
        for (size_t i = 0; i < nx; i++) out[i] = fmax(out[i], -(solid[i] + job->depth));
    }
}

/* ---- the interpolant between them ---- */

/* Shares of the values at -1, 0, 1 and 2 at t between 0 and 1, and their derivatives. */
static void cubic_shares(double t, double share[4], double slope[4]) {
    share[0] = -t * (t - 1) * (t - 2) / 6;
    share[1] = (t + 1) * (t - 1) * (t - 2) / 2;
    share[2] = -(t + 1) * t * (t - 2) / 2;
    share[3] = (t + 1) * t * (t - 1) / 6;
    slope[0] = -(3 * t * t - 6 * t + 2) / 6;
    slope[1] = (3 * t * t - 4 * t - 1) / 2;
    slope[2] = -(3 * t * t - 2 * t - 2) / 2;
    slope[3] = (3 * t * t - 1) / 6;
}

/* phi (m) and its gradient (m a spacing) at a point in spacings from the origin. */
static double sample_phi(const GridField *phi, Vec3 point, Vec3 *gradient) {
    double p[3], share[3][4], slope[3][4], offset = phi->place == PLACE_CELLS ? 0.5 : 0.0;
    int base[3];
    vec3_store(p, point);
    for (int axis = 0; axis < 3; axis++) {
        /* From the middle between the lowest cells and those beyond them; the halo holds the rest.
         */
        int least = offset > 0 ? -1 : 0, most = phi->grid.n[axis] - 1;
        double s = p[axis] - offset;
        base[axis] = (int)fmin(fmax(floor(s), least), most);
        cubic_shares(s - base[axis], share[axis], slope[axis]);
    }
    const double *corner = phi->data + field_index(phi, base[0] - 1, base[1] - 1, base[2] - 1);
    double value = 0, g[3] = {0};
    for (int k = 0; k < 4; k++)
        for (int j = 0; j < 4; j++) {
            const double *row = corner + (size_t)j * phi->stride[1] + (size_t)k * phi->stride[2];
            double line = 0, line_slope = 0;
            for (int i = 0; i < 4; i++) {
                line += share[0][i] * row[i];
                line_slope += slope[0][i] * row[i];
            }
            value += share[2][k] * share[1][j] * line;
            g[0] += share[2][k] * share[1][j] * line_slope;
            g[1] += share[2][k] * slope[1][j] * line;
            g[2] += slope[2][k] * share[1][j] * line;
        }
    *gradient = vec3_load(g);
    return value;
}

/* Linear between the nodes, m. */
static double sample_solid(const SurfaceJob *job, Vec3 point) {
    double p[3], value = 0;
    int base[3];
    vec3_store(p, point);
    for (int axis = 0; axis < 3; axis++)
        base[axis] = (int)fmin(fmax(floor(p[axis]), 0.0), job->nodes.n[axis] - 2.0);
    for (int corner = 0; corner < 8; corner++) {
        int at[3];
        double share = 1;
        for (int axis = 0; axis < 3; axis++) {
            double t = p[axis] - base[axis];
            at[axis] = base[axis] + (corner >> axis & 1);
            share *= corner >> axis & 1 ? t : 1 - t;
        }
        value += share * job->solid[node_grid_index(&job->nodes, at[0], at[1], at[2])];
    }
    return value;
}

/* ---- vertices ---- */

/* Which axes a vertex may move along: not those on whose ends it lies. A vertex beyond an end is on
 * the part that closes the surface and stays. */
static bool free_axes(const SurfaceJob *job, Vec3 vertex, double free[3]) {
    for (int axis = 0; axis < 3; axis++) {
        double x = vec3_component(vertex, axis), end = job->nodes.n[axis] - 1;
        if (x < 0 || x > end) return false;
        free[axis] = x > 0 && x < end ? 1.0 : 0.0;
    }
    return true;
}

/* Newton's method along the gradient; the old place when that finds nothing near. */
static Vec3 moved_vertex(const SurfaceJob *job, Vec3 start) {
    double free[3], most = 1e-12 * job->phi->grid.spacing;
    if (!free_axes(job, start, free)) return start;
    Vec3 at = start, gradient;
    double value = sample_phi(job->phi, at, &gradient), first = fabs(value);
    if (job->solid && -(sample_solid(job, at) + job->depth) > value) return start;
    for (int step = 0; step < NEWTON_STEPS && fabs(value) > most; step++) {
        Vec3 along = vec3(free[0] * gradient.x, free[1] * gradient.y, free[2] * gradient.z);
        double square = vec3_dot(along, along);
        if (!(square > 0)) return start;
        at = vec3_add_scaled(at, -value / square, along);
        Vec3 away = vec3_sub(at, start);
        if (!(vec3_dot(away, away) <= MOST_MOVE * MOST_MOVE)) return start;
        double check[3];
        if (!free_axes(job, at, check)) return start;
        value = sample_phi(job->phi, at, &gradient);
    }
    return fabs(value) <= first ? at : start;
}

static void place_vertices(void *user, size_t begin, size_t end) {
    const SurfaceJob *job = user;
    const Grid *grid = &job->phi->grid;
    for (size_t v = begin; v < end; v++) {
        Vec3 *vertex = &job->mesh->vertices[v];
        *vertex = vec3_add_scaled(grid->origin, grid->spacing, moved_vertex(job, *vertex));
    }
}

PlimStatus level_surface_extract(PlimContext *context, const GridField *phi, const double *solid,
                                 double depth, TriangleMesh *out) {
    const Grid *grid = &phi->grid;
    SurfaceJob job = {.phi = phi, .solid = solid, .depth = depth, .mesh = out};
    *out = (TriangleMesh){0};
    job.nodes = (NodeGrid){.spacing = 1, .n = {grid->n[0] + 1, grid->n[1] + 1, grid->n[2] + 1}};
    size_t count = node_grid_count(&job.nodes);
    job.values = context_allocate(context, count, sizeof *job.values);
    if (!job.values) return PLIM_OUT_OF_MEMORY;
    parallel_for(context->threads, (size_t)job.nodes.n[1] * (size_t)job.nodes.n[2], ROW_GRAIN,
                 fill_node_rows, &job);
    PlimStatus status = isosurface_extract(context, &job.nodes, job.values, NULL, 0, out, NULL);
    context_free(context, job.values, count, sizeof *job.values);
    if (status != PLIM_OK) return status;
    parallel_for(context->threads, out->vertex_count, VERTEX_GRAIN, place_vertices, &job);
    return PLIM_OK;
}
