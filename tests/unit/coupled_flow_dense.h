/* A flow problem written out in full, in the form of solve/coupled.h: velocities of all faces and
 * bodies, masses, ties, one constraint a cell, dampers. In the fluid and at sides the dampers are
 * written here from the dissipation itself; near bodies they are the terms of viscosity_wall.c. */
#ifndef TESTS_COUPLED_FLOW_DENSE_H
#define TESTS_COUPLED_FLOW_DENSE_H

#include "coupled_case.h"
#include "coupled_flow_inside.h"

#include "math/eigen6.h"

/* A linear function of velocities. */
typedef struct FlowFunction {
    int count;
    size_t at[8];
    double value[8];
} FlowFunction;

typedef struct FlowDense {
    FlowCase *c;
    Case rows;
    size_t *number[3];              /* of each face among the velocities */
    size_t *of_lattice;             /* the same by place in a lattice vector; all components */
    size_t first[FLOW_CASE_BODIES]; /* of each body's velocities: motions, or six when given */
    double *viscous;                /* n by n: dt K; rows.c holds its factors */
    size_t damper;                  /* rows of rows.c in use */
    size_t *cell;                   /* of each constraint */
} FlowDense;

static inline int flow_dense_width(const FlowCase *c, size_t b) {
    return c->bodies[b].is_free ? c->motion_count[b] : 6;
}

static inline void flow_function_add(FlowFunction *f, size_t at, double value) {
    if (value == 0.0) return;
    f->at[f->count] = at;
    f->value[f->count++] = value;
}

/* row . velocity of a body, by what its velocities are here. */
static inline void flow_function_add_body(const FlowDense *dense, FlowFunction *f, size_t b,
                                          const double row[6], double factor) {
    const FlowBody *body = &dense->c->bodies[b];
    for (int m = 0; m < flow_dense_width(dense->c, b); m++) {
        double value = body->is_free ? operator_dot(row, dense->c->motion[b][m], 6) : row[m];
        flow_function_add(f, dense->first[b] + (size_t)m, factor * value);
    }
}

/* ---- terms ---- */

/* scale f^T g f / 2 into the matrix, and a factor of it into the damper rows, by eigenvectors.
 * Where single precision has made g indefinite by rounding, what is negative is left out of the
 * factor. */
static inline void flow_dense_term(FlowDense *dense, double scale, int count, const FlowFunction *f,
                                   double (*g)[WALL_FUNCTIONS]) {
    size_t n = dense->rows.n;
    double a[6][6] = {{0}}, values[6], vectors[6][6];
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            a[i][j] = g[i][j];
            for (int p = 0; p < f[i].count; p++)
                for (int q = 0; q < f[j].count; q++)
                    dense->viscous[f[i].at[p] * n + f[j].at[q]] +=
                        scale * g[i][j] * f[i].value[p] * f[j].value[q];
        }
    symmetric_eigen6(a, values, vectors);
    for (int e = 0; e < 6; e++) {
        if (!(values[e] > 0.0)) continue;
        assert_true(dense->damper < dense->rows.dampers);
        for (int i = 0; i < count; i++)
            for (int p = 0; p < f[i].count; p++)
                dense->rows.c[dense->damper * n + f[i].at[p]] +=
                    sqrt(scale * values[e]) * vectors[i][e] * f[i].value[p];
        dense->damper++;
    }
}

static inline size_t flow_dense_number(const FlowDense *dense, int a, const int at[3]) {
    return dense->number[a][flow_case_face(dense->c, a, at)];
}

static inline bool flow_dense_in_body(const FlowDense *dense, int a, const int at[3]) {
    return dense->c->distance[a][flow_case_face(dense->c, a, at)] < 0.0;
}

static inline double flow_dense_scale(const FlowCase *c) {
    double h = c->grid.spacing;
    return c->problem.dt * c->mu * grid_cell_volume(&c->grid) / (h * h);
}

/* mu V (d_a u_a)^2 in a cell. */
static inline void flow_dense_cell(FlowDense *dense, int a, const int at[3]) {
    FlowCase *c = dense->c;
    int high[3] = {at[0] + (a == 0), at[1] + (a == 1), at[2] + (a == 2)};
    FlowFunction f = {0};
    double g[1][WALL_FUNCTIONS] = {{2.0}};
    size_t cell = grid_cell_index(&c->grid, at[0], at[1], at[2]);
    if (c->phi) g[0][0] *= flow_case_part(c, cell, 0, 0);
    if (flow_case_in_air(c, a, at) || flow_case_in_air(c, a, high)) return;
    if (flow_dense_in_body(dense, a, at) || flow_dense_in_body(dense, a, high)) return;
    if (flow_case_on_given_side(c, a, at) && flow_case_on_given_side(c, a, high)) return;
    flow_function_add(&f, flow_dense_number(dense, a, at), -1.0);
    flow_function_add(&f, flow_dense_number(dense, a, high), 1.0);
    flow_dense_term(dense, flow_dense_scale(c), 1, &f, g);
}

/* One of an edge's two derivatives: d_b u_a. */
typedef struct FlowSlope {
    FlowFunction f; /* the difference over the spacing */
    double theta;   /* part of the spacing in the fluid; 0: carries nothing */
    double volume;
    bool is_given; /* of a side's own faces */
    bool in_body;
} FlowSlope;

static inline FlowSlope flow_dense_slope(const FlowDense *dense, int a, int b, const int at[3]) {
    const FlowCase *c = dense->c;
    FlowSlope slope = {.theta = 1.0, .volume = flow_case_on_open_side(c, a, at) ? 0.5 : 1.0};
    bool periodic = flow_case_periodic(c, b);
    for (int end = 0; end < 2; end++) {
        int face[3] = {at[0], at[1], at[2]};
        face[b] += end - 1;
        bool outside = !periodic && (face[b] < 0 || face[b] >= c->grid.n[b]);
        if (outside) {
            /* A wall that stands still half a spacing away, or nothing. */
            slope.theta *= c->grid.sides[b][end] == SIDE_OPEN ? 0.0 : 0.5;
            continue;
        }
        slope.in_body |= flow_dense_in_body(dense, a, face);
        flow_function_add(&slope.f, flow_dense_number(dense, a, face), end ? 1.0 : -1.0);
    }
    if (!flow_case_on_given_side(c, a, at)) return slope;
    slope.is_given = slope.f.count == 2;
    slope.theta = 0.0;
    return slope;
}

/* mu V (d_a u_b + d_b u_a)^2 / 2 at an edge. Where one of the two is a side's own, that one is
 * known all along the other's length. */
static inline void flow_dense_edge(FlowDense *dense, int a, int b, const int at[3]) {
    FlowSlope slopes[2] = {flow_dense_slope(dense, a, b, at), flow_dense_slope(dense, b, a, at)};
    if (slopes[0].in_body || slopes[1].in_body) return;
    FlowFunction f = {0};
    double g[1][WALL_FUNCTIONS] = {{1.0}}, weight[2] = {1.0, 1.0};
    double liquid = flow_case_edge_liquid(dense->c, a, b, at);
    if (liquid == 0.0) return;
    for (int i = 0; i < 2; i++) {
        const FlowSlope *own = &slopes[i], *other = &slopes[1 - i];
        if (own->theta == 0.0 && other->theta == 0.0) return;
        if (other->theta != 0.0) continue;
        g[0][0] = own->volume / own->theta;
        weight[1 - i] = other->is_given ? own->theta : 0.0;
    }
    for (int i = 0; i < 2; i++)
        for (int p = 0; p < slopes[i].f.count; p++)
            flow_function_add(&f, slopes[i].f.at[p], weight[i] * slopes[i].f.value[p]);
    g[0][0] *= liquid;
    flow_dense_term(dense, flow_dense_scale(dense->c), 1, &f, g);
}

/* A term of viscosity_wall.c. */
static inline void flow_dense_wall(void *user, const WallTerm *term) {
    FlowDense *dense = user;
    FlowFunction f[WALL_FUNCTIONS] = {{0}};
    double g[WALL_FUNCTIONS][WALL_FUNCTIONS], h = dense->c->grid.spacing;
    memcpy(g, term->coefficient, sizeof g);
    double distance;
    Vec3 center;
    size_t body = (size_t)flow_case_nearest(dense->c, term->middle, &center, &distance);
    for (int i = 0; i < term->count; i++) {
        const WallFunction *wall = &term->f[i];
        double row[6];
        assert_true(wall->given == 0.0);
        for (int p = 0; p < wall->face_count; p++)
            flow_function_add(&f[i], dense->of_lattice[wall->face[p]], wall->sign[p]);
        flow_case_row(wall->component, vec3_sub(wall->x, center), row);
        if (wall->wall_sign != 0.0)
            flow_function_add_body(dense, &f[i], body, row, wall->wall_sign);
        /* (omega x e_axis h) along the component */
        flow_case_row(wall->component,
                      vec3_scale(h, vec3(wall->axis == 0, wall->axis == 1, wall->axis == 2)), row);
        memset(row, 0, 3 * sizeof *row);
        if (wall->wall_slope != 0.0)
            flow_function_add_body(dense, &f[i], body, row, wall->wall_slope);
    }
    flow_dense_term(dense, flow_dense_scale(dense->c), term->count, f, g);
}

static inline void flow_dense_viscosity(FlowDense *dense) {
    FlowCase *c = dense->c;
    const Grid *grid = &c->grid;
    int last[3];
    for (int a = 0; a < 3; a++) last[a] = grid->n[a] - (a >= grid->dim || flow_case_periodic(c, a));
    for (int k = 0; k <= last[2]; k++)
        for (int j = 0; j <= last[1]; j++)
            for (int i = 0; i <= last[0]; i++) {
                int at[3] = {i, j, k};
                for (int a = 0; a < grid->dim; a++) {
                    bool cell = i < grid->n[0] && j < grid->n[1] && k < grid->n[2];
                    if (cell) flow_dense_cell(dense, a, at);
                    for (int b = a + 1; b < grid->dim; b++) {
                        int along = 3 - a - b;
                        if (along < grid->dim && at[along] == grid->n[along]) continue;
                        flow_dense_edge(dense, a, b, at);
                    }
                }
            }
    if (c->body_count == 0) return;
    double *velocity[3] = {c->velocity[0], c->velocity[1], c->velocity[2]};
    viscosity_wall_terms(c->viscosity, &c->viscous, velocity, flow_dense_wall, dense);
}

/* ---- assembly ---- */

/* Free and held faces first, then those that are given (or inside), free bodies, given ones. */
static inline void flow_dense_count(FlowDense *dense, CaseGroup groups[CASE_GROUPS]) {
    FlowCase *c = dense->c;
    size_t at = 0;
    groups[0] = (CaseGroup){COUPLED_MASS_SCALAR, 0, 1};
    groups[1] = (CaseGroup){COUPLED_MASS_INFINITE, 0, 1};
    groups[2] = (CaseGroup){COUPLED_MASS_BLOCKS, 0, c->grid.dim == 2 ? 3 : 6};
    groups[3] = (CaseGroup){COUPLED_MASS_INFINITE, 0, 1};
    for (int pass = 0; pass < 2; pass++) {
        FLOW_FACES(c, a, i, j, k) {
            int here[3] = {i, j, k};
            bool given = !flow_case_is_free(c, a, here);
            size_t face = flow_case_face(c, a, here);
            for (size_t t = 0; t < c->tie_count; t++)
                if (c->ties[t].axis == a && c->ties[t].face == face) given = false;
            if (flow_case_is_copy(c, a, here) || given != (pass == 1)) continue;
            dense->number[a][face] = at++;
            groups[pass].count++;
        }
    }
    for (int pass = 0; pass < 2; pass++)
        for (size_t b = 0; b < c->body_count; b++) {
            if (c->bodies[b].is_free != (pass == 0)) continue;
            dense->first[b] = at;
            at += (size_t)flow_dense_width(c, b);
            groups[2 + pass].count += (size_t)flow_dense_width(c, b);
        }
}

static inline void flow_dense_masses(FlowDense *dense) {
    FlowCase *c = dense->c;
    Case *rows = &dense->rows;
    size_t n = rows->n;
    memset(rows->w, 0, n * sizeof *rows->w);
    FLOW_FACES(c, a, i, j, k) {
        int at[3] = {i, j, k};
        size_t number = flow_dense_number(dense, a, at);
        rows->w[number] = c->velocity[a][grid_face_index(&c->grid, a, i, j, k)];
        if (!flow_case_is_copy(c, a, at))
            rows->mass[number * n + number] = flow_case_mass(c, a, at);
    }
    for (size_t b = 0; b < c->body_count; b++) {
        const FlowBody *body = &c->bodies[b];
        size_t first = dense->first[b];
        for (int i = 0; i < flow_dense_width(c, b); i++) {
            double square = body->is_free ? operator_dot(c->motion[b][i], c->motion[b][i], 6) : 1.0;
            rows->w[first + (size_t)i] =
                body->is_free ? operator_dot(c->motion[b][i], c->start[b], 6) / square
                              : c->start[b][i];
            for (int j = 0; j < c->motion_count[b]; j++)
                for (int p = 0; p < 6; p++)
                    rows->mass[(first + (size_t)i) * n + first + (size_t)j] +=
                        c->motion[b][i][p] * operator_dot(c->solid_mass[b][p], c->motion[b][j], 6);
        }
    }
}

static inline void flow_dense_ties(FlowDense *dense) {
    FlowCase *c = dense->c;
    Case *rows = &dense->rows;
    size_t n = rows->n;
    for (size_t t = 0; t < c->tie_count; t++) {
        const FlowCaseTie *tie = &c->ties[t];
        size_t number = dense->number[tie->axis][tie->face];
        FlowFunction f = {0};
        flow_function_add_body(dense, &f, (size_t)tie->body, tie->row, 1.0);
        rows->tied[t] = (int32_t)number;
        rows->mass[number * n + number] =
            tie->part * c->problem.density * grid_cell_volume(&c->grid);
        rows->j[t * n + number] = 1.0;
        for (int p = 0; p < f.count; p++) rows->j[t * n + f.at[p]] = -f.value[p];
    }
}

/* Net outflow of each fluid cell. */
static inline void flow_dense_constraints(FlowDense *dense) {
    FlowCase *c = dense->c;
    const Grid *grid = &c->grid;
    Case *rows = &dense->rows;
    size_t row = 0, n = rows->n;
    for (size_t cell = 0; cell < grid_cell_count(grid); cell++) {
        if (c->kind[cell] != CELL_FLUID) continue;
        int at[3] = {(int)(cell % (size_t)grid->n[0]),
                     (int)(cell / (size_t)grid->n[0] % (size_t)grid->n[1]),
                     (int)(cell / (size_t)grid->n[0] / (size_t)grid->n[1])};
        double *out = rows->d + row * n;
        for (int a = 0; a < grid->dim; a++)
            for (int end = 0; end < 2; end++) {
                int face[3] = {at[0], at[1], at[2]};
                face[a] += end;
                double sign = end ? 1.0 : -1.0;
                size_t index = flow_case_face(c, a, face);
                out[dense->number[a][index]] += sign * c->open[a][index] * grid_face_area(grid);
                for (size_t i = 0; i < c->flux_count; i++) {
                    const FlowBodyFlux *flux = &c->fluxes[i];
                    FlowFunction f = {0};
                    if (flux->axis != a || flow_case_face(c, a, flux->at) != index) continue;
                    flow_function_add_body(dense, &f, (size_t)flux->body, flux->row, sign);
                    for (int p = 0; p < f.count; p++) out[f.at[p]] += f.value[p];
                }
            }
        rows->target[row] = c->problem.source ? c->problem.source[cell] : 0.0;
        dense->cell[row++] = cell;
    }
}

static inline FlowDense *flow_dense_create(FlowCase *c) {
    FlowDense *dense = calloc(1, sizeof *dense);
    const Viscosity *v = c->viscosity;
    size_t cells = 0, all = grid_cell_count(&c->grid);
    CaseGroup groups[CASE_GROUPS];
    dense->c = c;
    /* Motions are scaled as the solve does, so that matrices can be compared. */
    for (size_t b = 0; b < c->body_count; b++)
        for (int m = 0; m < c->motion_count[b]; m++)
            for (int i = 0; i < 6; i++)
                if (c->motion[b][m][i] != 0.0)
                    c->motion[b][m][i] = sqrt(c->bodies[b].mass[0][0] / c->bodies[b].mass[i][i]);
    if (v) dense->of_lattice = calloc(3 * v->count, sizeof(size_t));
    for (int a = 0; a < c->grid.dim; a++)
        dense->number[a] = calloc(grid_face_count(&c->grid, a), sizeof(size_t));
    flow_dense_count(dense, groups);
    FLOW_FACES(c, a, i, j, k) {
        if (v)
            dense->of_lattice[(size_t)a * v->count + lattice_index(v, i, j, k)] =
                flow_dense_number(dense, a, (int[3]){i, j, k});
    }
    for (size_t i = 0; i < all; i++) cells += c->kind[i] == CELL_FLUID;
    dense->rows = case_create(cells, 8 * all + 200, c->tie_count, groups, CASE_GROUPS);
    dense->cell = calloc(cells, sizeof(size_t));
    dense->viscous = calloc(dense->rows.n * dense->rows.n, sizeof(double));
    flow_dense_masses(dense);
    flow_dense_ties(dense);
    flow_dense_constraints(dense);
    if (v) flow_dense_viscosity(dense);
    dense->rows.dampers = dense->damper;
    return dense;
}

static inline void flow_dense_destroy(FlowDense *dense) {
    for (int a = 0; a < 3; a++) free(dense->number[a]);
    free(dense->of_lattice);
    free(dense->viscous);
    free(dense->cell);
    dense->rows.dampers = 0;
    case_free(&dense->rows);
    free(dense);
}

/* ---- elimination of ties, and the answer ---- */

/* w = T q + g, g what is given; [A D^T; D 0] over q and l, and its right side. */
typedef struct FlowKkt {
    size_t n, q;      /* all, and those of them that are velocities */
    size_t *velocity; /* of each q */
    double *matrix, *right, *given;
    double *t; /* rows.n by q */
} FlowKkt;

static inline FlowKkt flow_kkt_create(const FlowDense *dense) {
    const Case *rows = &dense->rows;
    FlowKkt kkt = {.velocity = calloc(rows->n, sizeof(size_t)), .given = calloc(rows->n, 8)};
    bool *tied = calloc(rows->n, sizeof *tied);
    size_t *column = calloc(rows->n, sizeof *column);
    for (size_t t = 0; t < rows->ties; t++) tied[rows->tied[t]] = true;
    for (size_t i = 0; i < rows->n; i++) {
        column[i] = kkt.q;
        if (rows->given[i]) kkt.given[i] = rows->w[i];
        if (!rows->given[i] && !tied[i]) kkt.velocity[kkt.q++] = i;
    }
    kkt.t = calloc(rows->n * kkt.q, sizeof(double));
    for (size_t i = 0; i < kkt.q; i++) kkt.t[kkt.velocity[i] * kkt.q + i] = 1.0;
    for (size_t t = 0; t < rows->ties; t++) {
        size_t number = (size_t)rows->tied[t];
        for (size_t i = 0; i < rows->n; i++) {
            double value = -rows->j[t * rows->n + i];
            if (i == number || value == 0.0) continue;
            if (rows->given[i])
                kkt.given[number] += value * rows->w[i];
            else
                kkt.t[number * kkt.q + column[i]] = value;
        }
    }
    free(tied);
    free(column);
    kkt.n = kkt.q + rows->constraints;
    kkt.matrix = calloc(kkt.n * kkt.n, sizeof(double));
    kkt.right = calloc(kkt.n, sizeof(double));
    return kkt;
}

/* out += T^T x T, of the upper left of the matrix; x is n by n and sparse. */
static inline void flow_kkt_add(const FlowKkt *kkt, const double *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            if (x[i * n + j] == 0.0) continue;
            for (size_t p = 0; p < kkt->q; p++) {
                double left = kkt->t[i * kkt->q + p] * x[i * n + j];
                if (left == 0.0) continue;
                for (size_t r = 0; r < kkt->q; r++)
                    kkt->matrix[p * kkt->n + r] += left * kkt->t[j * kkt->q + r];
            }
        }
}

static inline FlowKkt flow_dense_kkt(const FlowDense *dense) {
    const Case *rows = &dense->rows;
    FlowKkt kkt = flow_kkt_create(dense);
    size_t n = rows->n, q = kkt.q;
    flow_kkt_add(&kkt, rows->mass, n);
    flow_kkt_add(&kkt, dense->viscous, n);
    for (size_t i = 0; i < n; i++) {
        double momentum = operator_dot(rows->mass + i * n, rows->w, n) -
                          operator_dot(dense->viscous + i * n, kkt.given, n);
        for (size_t p = 0; p < q; p++) kkt.right[p] += kkt.t[i * q + p] * momentum;
    }
    for (size_t row = 0; row < rows->constraints; row++) {
        const double *d = rows->d + row * n;
        kkt.right[q + row] = rows->target[row] - operator_dot(d, kkt.given, n);
        for (size_t i = 0; i < n; i++)
            for (size_t p = 0; p < q && d[i] != 0.0; p++) {
                double value = d[i] * kkt.t[i * q + p];
                kkt.matrix[(q + row) * kkt.n + p] += value;
                kkt.matrix[p * kkt.n + q + row] += value;
            }
    }
    return kkt;
}

static inline void flow_kkt_free(FlowKkt *kkt) {
    free(kkt->velocity);
    free(kkt->matrix);
    free(kkt->right);
    free(kkt->given);
    free(kkt->t);
}

/* a x = b by elimination with pivots from the column. Where that has only rounding left, as for the
 * level of the pressure in a closed box, the unknown is zero. */
static inline void flow_dense_eliminate(double *a, double *b, double *x, size_t n) {
    double *scale = case_equilibrate(a, n);
    bool *used = calloc(n, sizeof *used);
    size_t *row_of = calloc(n, sizeof *row_of);
    for (size_t i = 0; i < n; i++) b[i] *= scale[i];
    for (size_t c = 0; c < n; c++) {
        size_t pivot = n;
        for (size_t i = 0; i < n; i++)
            if (!used[i] && (pivot == n || fabs(a[i * n + c]) > fabs(a[pivot * n + c]))) pivot = i;
        row_of[c] = n;
        if (pivot == n || fabs(a[pivot * n + c]) < 1e-12) continue;
        used[pivot] = true;
        row_of[c] = pivot;
        for (size_t i = 0; i < n; i++) {
            double f = used[i] ? 0.0 : a[i * n + c] / a[pivot * n + c];
            if (f == 0.0) continue;
            for (size_t k = c; k < n; k++) a[i * n + k] -= f * a[pivot * n + k];
            b[i] -= f * b[pivot];
        }
    }
    memset(x, 0, n * sizeof *x);
    for (size_t c = n; c-- > 0;) {
        size_t row = row_of[c];
        if (row == n) continue;
        double sum = b[row];
        for (size_t k = c + 1; k < n; k++) sum -= a[row * n + k] * x[k];
        x[c] = sum / a[row * n + c];
    }
    for (size_t i = 0; i < n; i++) x[i] *= scale[i];
    free(scale);
    free(used);
    free(row_of);
}

/* w and l; the matrix is gone afterwards. */
static inline void flow_kkt_solve(FlowKkt *kkt, size_t n, double *w, double *l) {
    double *x = calloc(kkt->n, sizeof *x);
    flow_dense_eliminate(kkt->matrix, kkt->right, x, kkt->n);
    for (size_t i = 0; i < n; i++)
        w[i] = kkt->given[i] + operator_dot(kkt->t + i * kkt->q, x, kkt->q);
    memcpy(l, x + kkt->q, (kkt->n - kkt->q) * sizeof *l);
    free(x);
}

#endif
