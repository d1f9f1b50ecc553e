/* Viscosity set-up: which faces are free and the coefficients of the links. */
#include "solve/viscosity/viscosity_internal.h"

#include <math.h>
#include <string.h>

/* ---- memory ---- */

static PlimStatus allocate(Viscosity *v) {
    PlimContext *context = v->context;
    size_t dim = (size_t)v->grid.dim;
    for (int a = 0; a < v->grid.dim; a++) {
        for (int b = 0; b < v->grid.dim; b++) {
            v->link[a][b] = context_allocate(context, v->count, sizeof(float));
            if (!v->link[a][b]) return PLIM_OUT_OF_MEMORY;
        }
        v->face[a] = context_allocate(context, v->count, 1);
        v->part[a] = context_allocate(context, v->count, sizeof(float));
        if (!v->face[a] || !v->part[a]) return PLIM_OUT_OF_MEMORY;
    }
    for (int e = v->grid.dim == 3 ? 0 : 2; e < 3; e++) {
        v->cross[e] = context_allocate(context, v->count, sizeof(float));
        if (!v->cross[e]) return PLIM_OUT_OF_MEMORY;
    }
    v->walls = context_allocate(context, v->count, 1);
    v->inverse = context_allocate(context, dim * v->count, sizeof *v->inverse);
    v->x = context_allocate(context, dim * v->count, sizeof *v->x);
    v->b = context_allocate(context, dim * v->count, sizeof *v->b);
    v->z = context_allocate(context, dim * v->count, sizeof *v->z);
    v->d = context_allocate(context, dim * v->count, sizeof *v->d);
    bool all = v->walls && v->inverse && v->x && v->b && v->z && v->d;
    return all ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

PlimStatus viscosity_create(PlimContext *context, const Grid *grid, Viscosity **out) {
    *out = NULL;
    Viscosity *v = context_allocate(context, 1, sizeof *v);
    if (!v) return PLIM_OUT_OF_MEMORY;
    v->context = context;
    v->grid = *grid;
    v->threads = context->threads;
    v->count = 1;
    v->row_count = 1;
    for (int a = 0; a < 3; a++) {
        bool flat = a >= grid->dim;
        v->size[a] = flat ? 1 : grid->n[a] + 3;
        v->stride[a] = v->count;
        v->origin += flat ? 0 : v->stride[a];
        v->count *= (size_t)v->size[a];
        if (a > 0) v->row_count *= flat ? 1 : (size_t)grid->n[a] + 1;
    }
    scratch_init(&v->scratch, context);
    PlimStatus status = allocate(v);
    if (status == PLIM_OK)
        *out = v;
    else
        viscosity_destroy(v);
    return status;
}

static void release(const Viscosity *v, void *block, size_t count, size_t item_size) {
    if (block) context_free(v->context, block, count, item_size);
}

void viscosity_destroy(Viscosity *v) {
    if (!v) return;
    size_t dim = (size_t)v->grid.dim;
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) release(v, v->link[a][b], v->count, sizeof(float));
        release(v, v->cross[a], v->count, sizeof(float));
        release(v, v->face[a], v->count, 1);
        release(v, v->part[a], v->count, sizeof(float));
    }
    release(v, v->walls, v->count, 1);
    release(v, v->inverse, dim * v->count, sizeof *v->inverse);
    release(v, v->x, dim * v->count, sizeof *v->x);
    release(v, v->b, dim * v->count, sizeof *v->b);
    release(v, v->z, dim * v->count, sizeof *v->z);
    release(v, v->d, dim * v->count, sizeof *v->d);
    viscosity_multigrid_destroy(v->multigrid);
    scratch_free(&v->scratch);
    context_free(v->context, v, 1, sizeof *v);
}

size_t viscosity_bytes(const Viscosity *v) {
    size_t d = (size_t)v->grid.dim, edges = d == 3 ? 3 : 1;
    size_t point = (d * d + d + edges) * sizeof(float) + d + 1;
    point += d * (sizeof(float) + 4 * sizeof(double));
    size_t multigrid = v->multigrid ? viscosity_multigrid_bytes(v->multigrid) : 0;
    return sizeof *v + v->count * point + v->scratch.capacity + multigrid;
}

/* ---- set-up ---- */

/* Least mass of a face, of a cell's, and least part of a cell that counts as liquid. */
static const double LEAST_PART = 1e-3, LEAST_LIQUID = 1e-6;

/* Of the mass that the pressure moves at least this part is a face's own: below any plane it is.
 * Where less is liquid the pressure, which moves the rest a step late, would follow too slowly. */
static const double LEAST_PUSHED = 0.5;

typedef struct SetupJob {
    Viscosity *v;
    const ViscosityProblem *problem;
} SetupJob;

static bool axis_is_periodic(const Grid *grid, int axis) {
    return axis < grid->dim && grid->sides[axis][0] == SIDE_PERIODIC;
}

/* Of the sub-cells of a cell whose number has these bits of the mask. */
static double mean_of_corners(const Grid *grid, const float *parts, int mask, int bits) {
    double sum = 0.0;
    int count = 0;
    for (int corner = 0; corner < 1 << grid->dim; corner++) {
        if ((corner & mask) != bits) continue;
        sum += (double)parts[corner];
        count++;
    }
    return sum / count;
}

/* The part that is liquid of a cell, or of those of its sub-cells whose number has these bits of
 * the mask, where sub-cells are known; false when it is beyond a side. */
static bool part_liquid(const SetupJob *job, const int at[3], int mask, int bits, double *part) {
    const ViscosityProblem *problem = job->problem;
    const Grid *grid = &job->v->grid;
    int w[3];
    wrap_place(grid, at, w);
    for (int a = 0; a < grid->dim; a++)
        if (w[a] < 0 || w[a] >= grid->n[a]) return false;
    size_t cell = grid_cell_index(grid, w[0], w[1], w[2]);
    const float *corners = problem->liquid_of_corners;
    if (corners)
        *part = mean_of_corners(grid, corners + (cell << grid->dim), mask, bits);
    else
        *part = problem->liquid ? problem->liquid[cell] : 1.0;
    if (*part < LEAST_LIQUID) *part = 0.0;
    return true;
}

static bool cell_liquid(const SetupJob *job, const int at[3], double *part) {
    return part_liquid(job, at, 0, 0, part);
}

/* Whether a face lies between a cell that has a pressure and one of air. */
static bool meets_air(const ViscosityProblem *problem, int a, const int at[3]) {
    const Grid *grid = problem->grid;
    int low[3], high[3], below[3];
    for (int b = 0; b < 3; b++) below[b] = at[b] - (b == a);
    wrap_place(grid, at, high);
    wrap_place(grid, below, low);
    for (int b = 0; b < grid->dim; b++)
        if (low[b] < 0 || high[b] >= grid->n[b]) return false;
    unsigned one = problem->kind[grid_cell_index(grid, low[0], low[1], low[2])];
    unsigned other = problem->kind[grid_cell_index(grid, high[0], high[1], high[2])];
    return (one == CELL_FLUID && other == CELL_AIR) || (one == CELL_AIR && other == CELL_FLUID);
}

/* The part of a cell that a face moves: of the halves of its cells beside it, or the mean of its
 * cells, or as the pressure has it where that ends. Negative beyond sides. */
static double liquid_fraction(const SetupJob *job, int a, const int at[3]) {
    const ViscosityProblem *problem = job->problem;
    double sum = 0.0, part;
    int w[3], below[3], count = 0;
    if (!problem->liquid && !problem->liquid_of_corners) return 1.0;
    wrap_place(&job->v->grid, at, w);
    for (int b = 0; b < 3; b++) below[b] = w[b] - (b == a);
    for (int above = 0; above < 2; above++) {
        if (!part_liquid(job, above ? w : below, 1 << a, above ? 0 : 1 << a, &part)) continue;
        sum += part;
        count++;
    }
    if (count == 0) return -1.0;
    if (!problem->kind) return sum / count;
    PoissonProblem cells = {.grid = &job->v->grid, .kind = problem->kind, .phi = problem->phi};
    double pushed = poisson_face_part(&cells, a, w);
    return meets_air(problem, a, w) ? pushed : fmax(sum / count, LEAST_PUSHED * pushed);
}

static FaceState find_state(const SetupJob *job, int a, const int at[3]) {
    const Grid *grid = &job->v->grid;
    bool copy = false, half = false, given = false;
    for (int b = 0; b < grid->dim; b++) {
        int last = grid->n[b] - (a != b);
        bool outside = at[b] < 0 || at[b] > last;
        if (axis_is_periodic(grid, b)) {
            if (at[b] > grid->n[b]) return FACE_NONE; /* never read */
            copy = copy || at[b] < 0 || at[b] == grid->n[b];
        } else if (outside) {
            return FACE_NONE;
        } else if (a == b && (at[b] == 0 || at[b] == last)) {
            half = grid->sides[b][at[b] == last] == SIDE_OPEN;
            given = !half;
        }
    }
    const double *distance = job->problem->distance[a];
    if (given || (distance && distance[face_wrapped(grid, a, at)] < 0.0)) return FACE_GIVEN;
    if (liquid_fraction(job, a, at) == 0.0) return FACE_AIR;
    return copy ? FACE_COPY : half ? FACE_HALF : FACE_FREE;
}

/* A face that has an unknown has some mass, however little of it is open or liquid. */
static float part_of(const SetupJob *job, int a, FaceState state, const int at[3]) {
    const double *open = job->problem->open[a];
    if (!face_is_unknown(state)) return 0.0f;
    double part = open ? fmax(open[face_wrapped(&job->v->grid, a, at)], LEAST_PART) : 1.0;
    part *= fmax(liquid_fraction(job, a, at), LEAST_PART);
    return (float)(state == FACE_HALF ? 0.5 * part : part);
}

/* All rows of the lattice, halo included. */
static void set_states(void *user, size_t begin, size_t end) {
    const SetupJob *job = user;
    const Viscosity *v = job->v;
    for (size_t row = begin; row < end; row++) {
        int j, k;
        lattice_row_place(v, row, &j, &k);
        for (int i = -1; i <= v->grid.n[0] + 1; i++)
            for (int a = 0; a < v->grid.dim; a++) {
                size_t c = lattice_index(v, i, j, k);
                FaceState state = find_state(job, a, (int[3]){i, j, k});
                v->face[a][c] = (uint8_t)state;
                v->part[a][c] = part_of(job, a, state, (int[3]){i, j, k});
            }
    }
}

/* mu of a cell inside the grid over v->mu. */
static double cell_mu(const SetupJob *job, const int at[3]) {
    int w[3];
    const double *mu_of_cell = job->problem->mu_of_cell;
    if (!mu_of_cell || !(job->v->mu > 0.0)) return 1.0;
    wrap_place(&job->v->grid, at, w);
    return mu_of_cell[grid_cell_index(&job->v->grid, w[0], w[1], w[2])] / job->v->mu;
}

/* Weight of an edge by the parts of the cells around it that are liquid, negative beyond sides: the
 * mean, but not more than twice the mean of the two cells of each of its faces. Else there are
 * faces that nothing but the edge holds; where it has two of these, as at corners of the liquid,
 * one turns against the other at no cost, which a preconditioner that sees one component at a time
 * cannot know. It took up to six times the iterations. */
static double edge_weight(const double part[4]) {
    static const int neighbours[4][2] = {{0, 1}, {2, 3}, {0, 2}, {1, 3}};
    double sum = 0.0, least = 1.0;
    int count = 0;
    for (int i = 0; i < 4; i++) {
        double one = part[neighbours[i][0]], other = part[neighbours[i][1]];
        sum += fmax(part[i], 0.0);
        count += part[i] >= 0.0;
        if (one < 0.0) one = other;
        if (other < 0.0) other = one;
        if (one >= 0.0) least = fmin(least, one + other);
    }
    return fmin(sum / count, least);
}

/* The same by the parts of the quarters of these cells beside the edge, which are its box. Each
 * face is held by others too as long as one along the other axis has mass. */
static double edge_weight_of_box(const SetupJob *job, int a, int b, const int at[3],
                                 const double part[4]) {
    double sum = 0.0, most = 0.0;
    int count = 0;
    for (int i = 0; i < 4; i++) {
        sum += fmax(part[i], 0.0);
        count += part[i] >= 0.0;
    }
    if (sum == count) return 1.0;
    for (int way = 0; way < 2; way++) {
        int component = way ? b : a, across = way ? a : b;
        int low[3] = {at[0], at[1], at[2]};
        low[across]--;
        double one = liquid_fraction(job, component, at);
        double other = liquid_fraction(job, component, low);
        if (one < 0.0) one = other;
        if (other < 0.0) other = one;
        most = fmax(most, fmin(one, other));
    }
    return fmin(sum / count, most);
}

/* The mean of mu over the liquid around an edge, times the edge's weight. */
static double edge_mu(const SetupJob *job, int a, int b, const int at[3]) {
    double sum = 0.0, liquid = 0.0, part[4];
    const ViscosityProblem *problem = job->problem;
    bool has_air = problem->liquid || problem->liquid_of_corners;
    if (!problem->mu_of_cell && !has_air) return 1.0;
    for (int corner = 0; corner < 4; corner++) {
        int cell[3] = {at[0], at[1], at[2]}, below_a = corner & 1, below_b = corner >> 1;
        cell[a] -= below_a;
        cell[b] -= below_b;
        part[corner] = -1.0;
        if (!part_liquid(job, cell, 1 << a | 1 << b, below_a << a | below_b << b, &part[corner]))
            continue;
        sum += part[corner] * cell_mu(job, cell);
        liquid += part[corner];
    }
    if (!(liquid > 0.0)) return 0.0;
    return sum / liquid *
           (problem->liquid_of_corners ? edge_weight_of_box(job, a, b, at, part)
                                       : edge_weight(part));
}

static bool on_open_side(const Grid *grid, int axis, int at) {
    return (at == 0 && grid->sides[axis][0] == SIDE_OPEN) ||
           (at == grid->n[axis] && grid->sides[axis][1] == SIDE_OPEN);
}

/* c / (theta1' theta2'), written so that rounding keeps it below both links' coefficients: the
 * energy of an edge is then never negative. */
static double cross_coefficient(const Link links[2]) {
    if (!link_carries(&links[0]) || !link_carries(&links[1])) return 0.0;
    double near = fmin(links[0].reach, links[1].reach), far = fmax(links[0].reach, links[1].reach);
    if (isinf(far)) return 0.0;
    return 1.0 / far * (fmin(links[0].theta, links[1].theta) / near);
}

/* True when both links of the edge are whole, as most are. */
static bool edge_is_whole(const Viscosity *v, int a, int b, size_t c) {
    const unsigned states[4] = {v->face[a][c], v->face[a][c - v->stride[b]], v->face[b][c],
                                v->face[b][c - v->stride[a]]};
    for (int i = 0; i < 4; i++)
        if (states[i] != FACE_FREE && states[i] != FACE_COPY) return false;
    return true;
}

static bool edge_has_air(const Viscosity *v, int a, int b, size_t c) {
    return v->face[a][c] == FACE_AIR || v->face[a][c - v->stride[b]] == FACE_AIR ||
           v->face[b][c] == FACE_AIR || v->face[b][c - v->stride[a]] == FACE_AIR;
}

static void set_edge(const SetupJob *job, int a, int b, const int at[3], size_t c) {
    Viscosity *v = job->v;
    double mu = edge_mu(job, a, b, at);
    if (mu == 0.0 || edge_has_air(v, a, b, c)) return;
    if (edge_is_whole(v, a, b, c)) {
        float whole = (float)mu;
        v->link[a][b][c] = v->link[b][a][c] = v->cross[3 - a - b][c] = whole;
        return;
    }
    Link links[2];
    viscosity_edge_links(v, job->problem, a, b, at, links);
    for (int side = 0; side < 2; side++) {
        const Link *link = &links[side];
        int component = link->component;
        double volume = on_open_side(&v->grid, component, at[component]) ? 0.5 : 1.0;
        double value = link_carries(link) ? mu * volume / link->reach : 0.0;
        v->link[component][link->axis][c] = (float)value;
        if (link_at_wall(link) || link->kind == LINK_GIVEN)
            v->walls[c] |= (uint8_t)(WALL_AT_EDGE << (3 - a - b));
    }
    v->cross[3 - a - b][c] = (float)(mu * cross_coefficient(links));
}

static void set_cell(const SetupJob *job, int a, const int at[3], size_t c) {
    Viscosity *v = job->v;
    double mu;
    if (!cell_liquid(job, at, &mu)) return;
    mu *= cell_mu(job, at);
    if (mu == 0.0 || v->face[a][c] == FACE_AIR || v->face[a][c + v->stride[a]] == FACE_AIR) return;
    if (face_is_free(v->face[a][c]) && face_is_free(v->face[a][c + v->stride[a]])) {
        v->link[a][a][c] = (float)(2.0 * mu);
        return;
    }
    Link link = viscosity_link(v, job->problem, a, a, at);
    v->link[a][a][c] = link_carries(&link) ? (float)(2.0 * mu / link.reach) : 0.0f;
    if (link_at_wall(&link)) v->walls[c] |= (uint8_t)(WALL_IN_CELL << a);
}

/* True when `at` lies from 0 to n along the axes of the bit mask and from 0 to n - 1 along others.
 */
static bool place_exists(const Grid *grid, const int at[3], int ends) {
    for (int a = 0; a < grid->dim; a++)
        if (at[a] < 0 || at[a] >= grid->n[a] + (ends >> a & 1)) return false;
    return true;
}

static void set_point(const SetupJob *job, const int at[3]) {
    Viscosity *v = job->v;
    const Grid *grid = &v->grid;
    size_t c = lattice_index(v, at[0], at[1], at[2]);
    v->walls[c] = 0;
    for (int a = 0; a < grid->dim; a++) {
        /* Of periodic axes the cell before the first is read too. */
        int cell[3] = {at[0], at[1], at[2]};
        if (axis_is_periodic(grid, a) && at[a] == -1) cell[a] = 0;
        v->link[a][a][c] = 0.0f;
        if (place_exists(grid, cell, 0)) set_cell(job, a, at, c);
        for (int b = a + 1; b < grid->dim; b++) {
            v->link[a][b][c] = v->link[b][a][c] = v->cross[3 - a - b][c] = 0.0f;
            if (place_exists(grid, at, 1 << a | 1 << b)) set_edge(job, a, b, at, c);
        }
    }
}

static void set_links(void *user, size_t begin, size_t end) {
    const SetupJob *job = user;
    const Viscosity *v = job->v;
    for (size_t row = begin; row < end; row++) {
        int j, k;
        lattice_row_place(v, row, &j, &k);
        for (int i = -1; i <= v->grid.n[0]; i++) set_point(job, (int[3]){i, j, k});
    }
}

double viscosity_liquid_part(const Viscosity *v, const ViscosityProblem *problem, int axis,
                             const int at[3]) {
    SetupJob job = {(Viscosity *)v, problem};
    return fmax(liquid_fraction(&job, axis, at), LEAST_PART);
}

bool viscosity_moves_face(const Viscosity *v, int axis, const int at[3]) {
    return face_is_free(v->face[axis][lattice_index(v, at[0], at[1], at[2])]);
}

/* The unit of the coefficients: mu itself or the largest of the cells. */
static double largest_mu(const ViscosityProblem *problem) {
    if (!problem->mu_of_cell) return problem->mu;
    double largest = 0.0;
    for (size_t i = 0; i < grid_cell_count(problem->grid); i++)
        largest = fmax(largest, problem->mu_of_cell[i]);
    return largest;
}

PlimStatus viscosity_setup(Viscosity *v, const ViscosityProblem *problem, int threads) {
    const Grid *grid = problem->grid;
    for (int a = 0; a < 3; a++)
        if (grid->n[a] != v->grid.n[a] ||
            memcmp(grid->sides[a], v->grid.sides[a], sizeof grid->sides[a]) != 0)
            return context_fail(v->context, PLIM_BAD_INPUT,
                                "viscosity was created for another grid");
    SetupJob job = {v, problem};
    v->grid = *grid;
    v->threads = threads;
    v->mu = largest_mu(problem);
    v->mu_varies = problem->mu_of_cell != NULL;
    if (!isfinite(v->mu) || v->mu < 0.0)
        return context_fail(v->context, PLIM_BAD_INPUT, "viscosity is %g Pa s", v->mu);
    size_t rows = (size_t)v->size[1] * (size_t)v->size[2], grain = row_grain(v) / 8 + 1;
    parallel_for(threads, rows, grain, set_states, &job);
    parallel_for(threads, rows, grain, set_links, &job);
    return PLIM_OK;
}
