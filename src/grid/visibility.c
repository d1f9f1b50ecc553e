/* Visibility between neighbouring values of a grid, by lines between the ends of their ways out. */
#include "grid/visibility.h"

#include "grid/difference.h"
#include "grid/rows.h"

#include <math.h>

/* Cells: what is deeper than this below a surface is in no thin wall; and how deep a line goes that
 * passes through a solid and not along its surface, which bends. */
static const double DEEPEST = 2.5, THROUGH = 0.2;

/* The same, of how deep the deeper one of two neighbours is. A line that cuts off the edge of a box
 * goes half as deep as these, one through a wall at least as deep. */
static const double DEEP_AS_VALUES = 0.7;

typedef struct Nodes {
    const Grid *grid;
    const double *distance;
} Nodes;

static double sample(const void *user, Vec3 point) {
    const Nodes *nodes = user;
    const Grid *grid = nodes->grid;
    double x[3], origin[3], weight[3] = {0, 0, 0};
    size_t stride[3] = {1, (size_t)grid->n[0] + 1, 0}, first = 0;
    stride[2] = stride[1] * ((size_t)grid->n[1] + 1);
    vec3_store(x, point);
    vec3_store(origin, grid->origin);
    for (int axis = 0; axis < grid->dim; axis++) {
        double n = grid->n[axis], at = (x[axis] - origin[axis]) / grid->spacing;
        if (grid_is_periodic(grid, axis)) at -= n * floor(at / n);
        at = fmin(fmax(at, 0), n);
        double low = fmin(floor(at), n - 1);
        weight[axis] = at - low;
        first += (size_t)low * stride[axis];
    }
    double sum = 0;
    for (int corner = 0; corner < 1 << grid->dim; corner++) {
        double part = 1;
        size_t node = first;
        for (int axis = 0; axis < grid->dim; axis++) {
            int up = corner >> axis & 1;
            part *= up ? weight[axis] : 1 - weight[axis];
            node += up ? stride[axis] : 0;
        }
        if (part > 0) sum += part * nodes->distance[node];
    }
    return sum;
}

double visibility_distance(const Grid *grid, const double *distance, Vec3 x) {
    return sample(&(Nodes){grid, distance}, x);
}

Vec3 visibility_way_out(const Grid *grid, const double *distance, Vec3 x) {
    const double aside = 0.75, least = 0.1; /* cells; of a slope */
    const Nodes nodes = {grid, distance};
    double h = grid->spacing;
    Vec3 rise = central_differences(sample, &nodes, x, 0.5 * h, grid->dim);
    for (int axis = 0; axis < grid->dim && !(vec3_length(rise) > least * h); axis++) {
        Vec3 beside = vec3_add_scaled(x, aside * h, vec3_axis(axis));
        rise = central_differences(sample, &nodes, beside, 0.5 * h, grid->dim);
    }
    double length = vec3_length(rise);
    return length > least * h ? vec3_scale(1 / length, rise) : vec3(0, 0, 0);
}

/* Whether a straight line goes deeper than this below the surface of a solid. */
static bool goes_deep(const Nodes *nodes, Vec3 from, Vec3 to, double depth) {
    Vec3 way = vec3_sub(to, from);
    int pieces = (int)fmin(ceil(8 * vec3_length(way) / nodes->grid->spacing), 64);
    for (int i = 1; i < pieces; i++)
        if (sample(nodes, vec3_add_scaled(from, (double)i / pieces, way)) < -depth) return true;
    return false;
}

bool visibility_line_is_parted(const Grid *grid, const double *distance, Vec3 from, Vec3 to) {
    return goes_deep(&(Nodes){grid, distance}, from, to, THROUGH * grid->spacing);
}

/* ---- pairs of neighbours ---- */

typedef struct FindJob {
    Nodes nodes;
    GridPlace place;
    unsigned char *pairs, *parted; /* without and with VISIBILITY_NEAR_WALL */
} FindJob;

/* Whether a wall may be near enough. */
static bool is_near(double distance, double h) {
    return distance < h && distance > -DEEPEST * h;
}

/* The same from the node beside a value, which is less than a cell away: most values are far. */
static bool may_be_near(const FindJob *job, const int at[3]) {
    const Grid *grid = job->nodes.grid;
    size_t nx = (size_t)grid->n[0] + 1, ny = (size_t)grid->n[1] + 1;
    size_t node = ((size_t)at[2] * ny + (size_t)at[1]) * nx + (size_t)at[0];
    double distance = job->nodes.distance[node], h = grid->spacing;
    return distance < 2 * h && distance > -(DEEPEST + 1) * h;
}

/* Where the liquid is that a value belongs to. */
static Vec3 home(Vec3 x, double distance, Vec3 out) {
    return distance < 0 ? vec3_add_scaled(x, -distance, out) : x;
}

static void find_row(void *user, int j, int k) {
    const FindJob *job = user;
    const Grid *grid = job->nodes.grid;
    double h = grid->spacing;
    unsigned char *pairs = job->pairs + grid_row_start(grid, job->place, j, k);
    for (int i = 0; i < grid_place_size(grid, job->place, 0); i++) {
        const int at[3] = {i, j, k};
        Vec3 x = grid_position(grid, job->place, i, j, k), out = vec3(0, 0, 0);
        pairs[i] = 0;
        if (!may_be_near(job, at)) continue;
        double here = sample(&job->nodes, x);
        bool known = false;
        if (!is_near(here, h)) continue;
        for (int axis = 0; axis < grid->dim; axis++) {
            if (at[axis] == 0 && !grid_is_periodic(grid, axis)) continue;
            Vec3 y = vec3_add_scaled(x, -h, vec3_axis(axis));
            double there = sample(&job->nodes, y);
            if (!is_near(there, h)) continue;
            if (!known) out = visibility_way_out(grid, job->nodes.distance, x);
            known = true;
            Vec3 other = visibility_way_out(grid, job->nodes.distance, y);
            double deep = fmax(THROUGH * h, -DEEP_AS_VALUES * fmin(here, there));
            if (goes_deep(&job->nodes, home(x, here, out), home(y, there, other), deep))
                pairs[i] |= (unsigned char)(1 << axis);
        }
    }
}

/* Pairs among a value and two neighbours to each side. */
static void mark_row(void *user, int j, int k) {
    const FindJob *job = user;
    const Grid *grid = job->nodes.grid;
    size_t nx = (size_t)grid_place_size(grid, job->place, 0);
    size_t stride[3] = {1, nx, nx * (size_t)grid_place_size(grid, job->place, 1)};
    size_t own = grid_row_start(grid, job->place, j, k);
    for (int i = 0; i < (int)nx; i++, own++) {
        const int at[3] = {i, j, k};
        bool near = false;
        for (int axis = 0; axis < grid->dim; axis++)
            for (int step = -1; step <= 2; step++) {
                int to = at[axis] + step, n = grid_place_size(grid, job->place, axis);
                if (to < 0 || to >= n) continue;
                size_t other = (size_t)((ptrdiff_t)own + step * (ptrdiff_t)stride[axis]);
                near |= job->pairs[other] >> axis & 1;
            }
        job->parted[own] = (unsigned char)(job->pairs[own] | (near ? VISIBILITY_NEAR_WALL : 0));
    }
}

PlimStatus visibility_find(const Grid *grid, GridPlace place, const double *distance, int threads,
                           Scratch *scratch, unsigned char *parted) {
    size_t mark = scratch_mark(scratch);
    unsigned char *pairs = scratch_take(scratch, grid_place_count(grid, place), 1);
    if (!pairs) return PLIM_OUT_OF_MEMORY;
    FindJob job = {{grid, distance}, place, pairs, parted};
    grid_for_rows(grid, place, threads, find_row, &job);
    grid_for_rows(grid, place, threads, mark_row, &job);
    scratch_release(scratch, mark);
    return PLIM_OK;
}
