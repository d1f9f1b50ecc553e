/* Volume fractions from a level set: a cell is cut into 2^dim sub-cells with values at their
 * corners, 3^dim points in all, and those into triangles or tetrahedra on which values are
 * linear. */
#include "grid/liquid_fraction.h"

#include "base/parallel.h"
#include "grid/aperture.h"

#include <math.h>
#include <string.h>

enum { ROW_GRAIN = 16, CHUNK = 64 };

/* Second differences up to the first part of the steepest first difference count in full; from the
 * second on they show a kink (a thin sheet) and not the curvature of a surface. */
static const double BEND_SMOOTH = 0.3, BEND_KINK = 0.6;

typedef struct PartJob {
    const GridField *phi;
    const double *solid;
    double outward[3]; /* m, that the surface is moved by */
    double *parts[3];  /* for each of these */
    int count;
    float *corners; /* parts of sub-cells instead, of phi alone; NULL: of cells */
} PartJob;

/* Values at the corners of the sub-cells: [z][y][x]; in two dimensions only z = 0 is used. */
typedef struct Points {
    double at[3][3][3];
} Points;

/* Applies a rule to all lines of three points along an axis. */
typedef void (*LineRule)(double *low, double *middle, double *high);

static void between_cells(double *low, double *middle, double *high) {
    *low = 0.5 * (*low + *middle);
    *high = 0.5 * (*high + *middle);
}

static void between_nodes(double *low, double *middle, double *high) {
    *middle = 0.5 * (*low + *high);
}

static void apply_to_lines(Points *points, int dim, LineRule rule) {
    int nz = dim == 3 ? 3 : 1;
    for (int k = 0; k < nz; k++)
        for (int j = 0; j < 3; j++)
            rule(&points->at[k][j][0], &points->at[k][j][1], &points->at[k][j][2]);
    for (int k = 0; k < nz; k++)
        for (int i = 0; i < 3; i++)
            rule(&points->at[k][0][i], &points->at[k][1][i], &points->at[k][2][i]);
    for (int j = 0; dim == 3 && j < 3; j++)
        for (int i = 0; i < 3; i++)
            rule(&points->at[0][j][i], &points->at[1][j][i], &points->at[2][j][i]);
}

static double limited_bend(double bend, double steepest) {
    double part = fabs(bend), smooth = BEND_SMOOTH * steepest, kink = BEND_KINK * steepest;
    if (part <= smooth) return bend;
    return part < kink ? bend * (kink - part) / (kink - smooth) : 0.0;
}

/* Second differences of phi along the axes, in the middle of a cell. */
static void cell_bends(const double *own, const GridField *phi, double bend[3]) {
    double steepest = 0;
    for (int a = 0; a < phi->grid.dim; a++) {
        double low = own[-(ptrdiff_t)phi->stride[a]] - own[0], high = own[phi->stride[a]] - own[0];
        bend[a] = low + high;
        steepest = fmax(steepest, fmax(fabs(low), fabs(high)));
    }
    for (int a = 0; a < phi->grid.dim; a++) bend[a] = limited_bend(bend[a], steepest);
}

static void node_bends(const double *own, const GridField *phi, double bend[3]) {
    int dim = phi->grid.dim, lines = 1 << (dim - 1);
    double steepest = 0;
    for (int a = 0; a < dim; a++) {
        size_t s = phi->stride[a], b = phi->stride[(a + 1) % dim];
        size_t c = dim == 3 ? phi->stride[(a + 2) % dim] : 0;
        bend[a] = 0;
        for (int line = 0; line < lines; line++) {
            const double *p = own + (line & 1 ? b : 0) + (line >> 1 ? c : 0);
            bend[a] += 0.5 * (p[-(ptrdiff_t)s] - p[0] - p[s] + p[2 * s]) / lines;
            steepest = fmax(steepest, fabs(p[s] - p[0]));
        }
    }
    for (int a = 0; a < dim; a++) bend[a] = limited_bend(bend[a], steepest);
}

/* What linear interpolation of a function with second differences `bend` is too high by, taken off:
 * t (1 - t) / 2 at a point t between two values, and 1/48 in the mean between points half a spacing
 * apart. Without this a sphere with a radius of 8 cells loses 0.8% of its volume. */
static void take_off_bends(Points *points, const double bend[3], int dim, bool at_cells) {
    double off[3][3] = {{0}};
    for (int a = 0; a < dim; a++)
        for (int i = 0; i < 3; i++)
            off[a][i] = bend[a] * ((i != 1) == at_cells ? 1.0 / 8.0 + 1.0 / 48.0 : 1.0 / 48.0);
    for (int k = 0; k < (dim == 3 ? 3 : 1); k++)
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < 3; i++) points->at[k][j][i] -= off[0][i] + off[1][j] + off[2][k];
}

static void phi_points(const GridField *phi, int i, int j, int k, Points *points) {
    int dim = phi->grid.dim;
    bool at_cells = phi->place == PLACE_CELLS;
    const double *own = phi->data + field_index(phi, i, j, k);
    int step = at_cells ? 1 : 2, first = at_cells ? -1 : 0;
    for (int c = 0; c < (dim == 3 ? 3 : 1); c += step)
        for (int b = 0; b < 3; b += step)
            for (int a = 0; a < 3; a += step)
                points->at[c][b][a] =
                    own[first + a / step + (first + b / step) * (ptrdiff_t)phi->stride[1] +
                        (dim == 3 ? (first + c / step) * (ptrdiff_t)phi->stride[2] : 0)];
    double bend[3];
    apply_to_lines(points, dim, at_cells ? between_cells : between_nodes);
    if (at_cells)
        cell_bends(own, phi, bend);
    else
        node_bends(own, phi, bend);
    take_off_bends(points, bend, dim, at_cells);
}

/* Node of a cell in a compact array. */
static size_t node_index(const Grid *grid, int i, int j, int k) {
    size_t nx = (size_t)grid->n[0] + 1, ny = (size_t)grid->n[1] + 1;
    return ((size_t)k * ny + (size_t)j) * nx + (size_t)i;
}

static void solid_points(const Grid *grid, const double *solid, int i, int j, int k,
                         Points *points) {
    for (int c = 0; c < (grid->dim == 3 ? 2 : 1); c++)
        for (int b = 0; b < 2; b++)
            for (int a = 0; a < 2; a++)
                points->at[2 * c][2 * b][2 * a] = solid[node_index(grid, i + a, j + b, k + c)];
    apply_to_lines(points, grid->dim, between_nodes);
}

/* Of a tetrahedron. With two positive corners p, q and edges cut at these parts from them, the
 * positive part is three tetrahedra. */
static double part_of_tetrahedron(const double v[4]) {
    double in[4], out[4];
    int positive = 0, rest = 0;
    for (int c = 0; c < 4; c++) {
        if (v[c] > 0)
            in[positive++] = v[c];
        else
            out[rest++] = v[c];
    }
    if (rest == 0) return 1.0;
    if (positive == 0) return 0.0;
    if (positive == 1)
        return in[0] / (in[0] - out[0]) * (in[0] / (in[0] - out[1])) * (in[0] / (in[0] - out[2]));
    if (rest == 1)
        return 1.0 - out[0] / (out[0] - in[0]) * (out[0] / (out[0] - in[1])) *
                         (out[0] / (out[0] - in[2]));
    double pr = in[0] / (in[0] - out[0]), ps = in[0] / (in[0] - out[1]);
    double qr = in[1] / (in[1] - out[0]), qs = in[1] / (in[1] - out[1]);
    return pr * ps + pr * (1.0 - ps) * qs + (1.0 - pr) * qr * qs;
}

/* Of the sub-cell at a corner of the cell, as six tetrahedra around its diagonal from the middle of
 * the cell: the same from every side of the cell. */
static double part_of_cube(const Points *points, int corner) {
    static const int orders[6][2] = {{0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}};
    double value[8]; /* by the axes along which a point is away from the middle of the cell */
    int positive = 0;
    for (int away = 0; away < 8; away++) {
        int at[3];
        for (int a = 0; a < 3; a++) at[a] = !(away >> a & 1) ? 1 : corner >> a & 1 ? 2 : 0;
        value[away] = points->at[at[2]][at[1]][at[0]];
        positive += value[away] > 0;
    }
    if (positive == 0 || positive == 8) return positive ? 1.0 : 0.0;
    double sum = 0;
    for (int t = 0; t < 6; t++) {
        int first = 1 << orders[t][0], second = first | 1 << orders[t][1];
        const double v[4] = {value[0], value[first], value[second], value[7]};
        sum += part_of_tetrahedron(v);
    }
    return sum / 6.0;
}

/* Of the sub-cell at a corner of the cell in two dimensions. */
static double part_of_quarter(const Points *points, int corner) {
    int i = corner & 1, j = corner >> 1;
    const double *low = points->at[0][j], *high = points->at[0][j + 1];
    return aperture_of_square(low[i], low[i + 1], high[i + 1], high[i]);
}

static double part_of_points(const Points *points, int dim) {
    double sum = 0;
    if (dim == 3) {
        for (int corner = 0; corner < 8; corner++) sum += part_of_cube(points, corner);
        return sum / 8.0;
    }
    for (int corner = 0; corner < 4; corner++) sum += part_of_quarter(points, corner);
    return sum / 4.0;
}

/* `phi` and `solid` (NULL: none) at the points of a cell. */
static double part_of_cell(const Points *phi, const Points *solid, double outward, int dim) {
    int positive = 0, all = dim == 3 ? 27 : 9;
    Points liquid;
    for (int c = 0; c < (dim == 3 ? 3 : 1); c++)
        for (int b = 0; b < 3; b++)
            for (int a = 0; a < 3; a++) {
                double depth = outward - phi->at[c][b][a];
                if (solid && solid->at[c][b][a] < depth) depth = solid->at[c][b][a];
                liquid.at[c][b][a] = depth;
                positive += depth > 0;
            }
    if (positive == 0 || positive == all) return positive ? 1.0 : 0.0;
    return part_of_points(&liquid, dim);
}

/* The least and greatest of the values around each of a row of cells. */
typedef struct RowBounds {
    double low[CHUNK], high[CHUNK];
} RowBounds;

/* `corner`: the lowest value around the first cell; `width` values along each axis. */
static void find_bounds(const double *corner, int width, int dim, size_t y, size_t z, int count,
                        RowBounds *out) {
    double low[CHUNK + 2], high[CHUNK + 2];
    int n = count + width - 1;
    for (int i = 0; i < n; i++) low[i] = high[i] = corner[i];
    for (int c = 0; c < (dim == 3 ? width : 1); c++)
        for (int b = 0; b < width; b++) {
            const double *row = corner + (size_t)b * y + (size_t)c * z;
            for (int i = 0; i < n; i++) {
                low[i] = row[i] < low[i] ? row[i] : low[i];
                high[i] = row[i] > high[i] ? row[i] : high[i];
            }
        }
    for (int i = 0; i < count; i++) {
        out->low[i] = low[i], out->high[i] = high[i];
        for (int a = 1; a < width; a++) {
            if (low[i + a] < out->low[i]) out->low[i] = low[i + a];
            if (high[i + a] > out->high[i]) out->high[i] = high[i + a];
        }
    }
}

/* Of the sub-cells of a cell that the surface may cut. */
static void corners_of_cell(const GridField *phi, int i, int j, int k, float *parts) {
    int dim = phi->grid.dim;
    Points points;
    phi_points(phi, i, j, k, &points);
    for (int c = 0; c < 3; c++)
        for (int b = 0; b < 3; b++)
            for (int a = 0; a < 3 && (dim == 3 || c == 0); a++)
                points.at[c][b][a] = -points.at[c][b][a];
    for (int corner = 0; corner < 1 << dim; corner++)
        parts[corner] =
            (float)(dim == 3 ? part_of_cube(&points, corner) : part_of_quarter(&points, corner));
}

static void corners_of_chunk(const PartJob *job, const RowBounds *around, int first, int count,
                             int j, int k) {
    const Grid *grid = &job->phi->grid;
    size_t corners = (size_t)1 << grid->dim;
    float *parts = job->corners + corners * grid_cell_index(grid, first, j, k);
    for (int i = 0; i < count; i++, parts += corners) {
        bool is_wet = around->high[i] < 0;
        if (!is_wet && around->low[i] < 0)
            corners_of_cell(job->phi, first + i, j, k, parts);
        else
            for (size_t c = 0; c < corners; c++) parts[c] = is_wet ? 1.0f : 0.0f;
    }
}

static void parts_of_chunk(const PartJob *job, int first, int count, int j, int k) {
    const GridField *phi = job->phi;
    const Grid *grid = &phi->grid;
    int dim = grid->dim;
    RowBounds around, solid;
    bool at_cells = phi->place == PLACE_CELLS;
    int away = at_cells ? 1 : 0, width = at_cells ? 3 : 2;
    find_bounds(phi->data + field_index(phi, first - away, j - away, dim == 3 ? k - away : 0),
                width, dim, phi->stride[1], phi->stride[2], count, &around);
    if (job->corners) {
        corners_of_chunk(job, &around, first, count, j, k);
        return;
    }
    if (job->solid) {
        size_t row = (size_t)grid->n[0] + 1, layer = row * ((size_t)grid->n[1] + 1);
        find_bounds(job->solid + node_index(grid, first, j, k), 2, dim, row, layer, count, &solid);
    }
    size_t at = grid_cell_index(grid, first, j, k);
    for (int i = 0; i < count; i++, at++) {
        bool dry = job->solid && solid.high[i] <= 0, cut = job->solid && solid.low[i] <= 0;
        bool known = false;
        Points phi_at, solid_at;
        for (int way = 0; way < job->count; way++) {
            double outward = job->outward[way], *part = &job->parts[way][at];
            *part = dry || around.low[i] >= outward ? 0.0 : 1.0;
            if (*part == 0.0 || (around.high[i] < outward && !cut)) continue;
            if (!known) {
                phi_points(phi, first + i, j, k, &phi_at);
                if (cut) solid_points(grid, job->solid, first + i, j, k, &solid_at);
                known = true;
            }
            *part = part_of_cell(&phi_at, cut ? &solid_at : NULL, outward, dim);
        }
    }
}

static void parts_of_rows(void *user, size_t begin, size_t end) {
    const PartJob *job = user;
    const Grid *grid = &job->phi->grid;
    for (size_t row = begin; row < end; row++) {
        int j = (int)(row % (size_t)grid->n[1]), k = (int)(row / (size_t)grid->n[1]);
        for (int first = 0; first < grid->n[0]; first += CHUNK) {
            int count = grid->n[0] - first < CHUNK ? grid->n[0] - first : CHUNK;
            parts_of_chunk(job, first, count, j, k);
        }
    }
}

static void run(PartJob *job, int threads) {
    const Grid *grid = &job->phi->grid;
    parallel_for(threads, (size_t)grid->n[1] * (size_t)grid->n[2], ROW_GRAIN, parts_of_rows, job);
}

double positive_fraction(const double value[3][3][3], int dim) {
    Points points;
    memcpy(points.at, value, sizeof points.at);
    return part_of_points(&points, dim);
}

void liquid_fractions(const GridField *phi, const double *solid, int threads, double *parts) {
    PartJob job = {.phi = phi, .solid = solid, .parts = {parts}, .count = 1};
    run(&job, threads);
}

void liquid_fractions_of_corners(const GridField *phi, int threads, float *parts) {
    PartJob job = {.phi = phi, .corners = parts};
    run(&job, threads);
}

void liquid_fractions_moved(const GridField *phi, const double *solid, const double outward[3],
                            int threads, double *const parts[3]) {
    PartJob job = {.phi = phi, .solid = solid, .count = 3};
    for (int way = 0; way < 3; way++) {
        job.outward[way] = outward[way];
        job.parts[way] = parts[way];
    }
    run(&job, threads);
}
