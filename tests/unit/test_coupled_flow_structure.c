/* The coupled flow solve with structures of every kind against a dense solve and the generic
 * coupled solve on the same rows: rigid bodies, nodes that move a surface together, nodes that hang
 * on a body by constraint rows, dampers between them, rows within a block. */
#include "coupled_flow_compare.h"

#include "math/mat.h"

enum { FREE_BODY, NODE_BODY, GIVEN_BODY, SURFACE_NODES = 3, MOST_CHAIN = 5, MIXES = 100 };

/* A flow with bodies, of which NODE_BODY moves as SURFACE_NODES nodes do: v6 = g v. */
typedef struct Mix {
    FlowCase *c;
    int seed, dim;
    size_t nodes, width; /* of nodes, of their velocities */
    double g[6][3 * SURFACE_NODES];
    double mass[SURFACE_NODES + MOST_CHAIN];
    double *start; /* of nodes */
    MassBlock *blocks;
    double *momentum, *velocity, *impulse;
    CsrBuilder fluxes, dampers, constraints;
    Csr flux_rows, damper_rows, constraint_rows;
    double target[64];
    FlowStructure structure;
} Mix;

static double chance(const Mix *mix, int stream, size_t index) {
    return random_uniform((uint64_t)mix->seed, (uint64_t)stream, index);
}

static double decades(const Mix *mix, int stream, double from, double to) {
    return pow(10.0, from + (to - from) * chance(mix, stream, 0));
}

/* Column of a node's velocity: behind those of bodies. */
static size_t node_column(const Mix *mix, size_t node, int axis) {
    return 6 * mix->c->body_count + node * (size_t)mix->dim + (size_t)axis;
}

/* ---- the surface that nodes move ---- */

/* The mean of nodes, and the turning that fits them best. */
static void find_g(Mix *mix) {
    int dim = mix->dim;
    double about[9] = {0};
    Vec3 arm[SURFACE_NODES] = {{0.3, 0.1, 0.05}, {-0.2, 0.25, -0.1}, {-0.1, -0.3, 0.2}}, mean = {0};
    for (int k = 0; k < SURFACE_NODES; k++) {
        if (dim == 2) arm[k].z = 0;
        mean = vec3_add_scaled(mean, 1.0 / SURFACE_NODES, arm[k]);
    }
    for (int k = 0; k < SURFACE_NODES; k++) {
        arm[k] = vec3_sub(arm[k], mean);
        double r[3], square = vec3_dot(arm[k], arm[k]);
        vec3_store(r, arm[k]);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) about[3 * i + j] += (i == j ? square : 0.0) - r[i] * r[j];
    }
    Mat3 inverse = mat3_inverse(mat3_load(about));
    for (int k = 0; k < SURFACE_NODES; k++)
        for (int a = 0; a < dim; a++) {
            int column = k * dim + a;
            double turn[3];
            vec3_store(turn, mat3_apply(inverse, vec3_cross(arm[k], vec3_axis(a))));
            if (dim == 2) turn[0] = turn[1] = 0.0;
            mix->g[a][column] = 1.0 / SURFACE_NODES;
            for (int i = 0; i < 3; i++) mix->g[3 + i][column] = turn[i];
        }
}

/* A row of the body's six velocities by the structure's. */
static void body_row(const Mix *mix, size_t body, const double row[6], SparseRow *out) {
    out->count = 0;
    int width = body == NODE_BODY ? SURFACE_NODES * mix->dim : 6;
    for (int j = 0; j < width; j++) {
        double value = body == NODE_BODY ? 0.0 : row[j];
        for (int i = 0; body == NODE_BODY && i < 6; i++) value += row[i] * mix->g[i][j];
        size_t first = body == NODE_BODY ? node_column(mix, 0, 0) : 6 * body;
        out->column[out->count] = (int32_t)(first + (size_t)j);
        out->value[out->count++] = value;
    }
}

static FlowAnchor surface_at(const void *user, Vec3 x) {
    return flow_case_surface_at(((const Mix *)user)->c, x);
}

static void surface_row(const void *user, const FlowAnchor *anchor, Vec3 x, int axis,
                        SparseRow *row) {
    double own[6];
    flow_case_row(axis, vec3_sub(x, anchor->center), own);
    body_row(user, anchor->surface, own, row);
}

/* ---- the rest of the structure ---- */

static void add(Mix *mix, CsrBuilder *to, const SparseRow *row) {
    for (int i = 0; i < row->count; i++)
        assert_true(csr_builder_add(mix->c->context, to, (size_t)row->column[i], row->value[i]));
}

static void end(Mix *mix, CsrBuilder *to) {
    assert_true(csr_builder_end_row(mix->c->context, to));
}

/* The chain's nodes follow the free body by dampers, some by constraints with targets; nodes of the
 * surface are damped against one another. */
static void add_rows(Mix *mix) {
    FlowCase *c = mix->c;
    SparseRow row;
    size_t constraints = 0;
    for (size_t k = 1; k < mix->nodes; k++)
        for (int a = 0; a < mix->dim; a++) {
            double strength = sqrt(mix->mass[k]) * decades(mix, 40 + (int)k, -2, 1);
            SparseRow pair = {
                .count = 2,
                .column = {(int32_t)node_column(mix, k - 1, a), (int32_t)node_column(mix, k, a)},
                .value = {-strength, strength}};
            if (k == SURFACE_NODES) continue; /* the chain is not damped against the surface */
            add(mix, &mix->dampers, &pair);
            end(mix, &mix->dampers);
        }
    if (mix->nodes > SURFACE_NODES) { /* hung on a point of the free body */
        for (int a = 0; a < mix->dim; a++) {
            double own[6];
            flow_case_row(a, vec3(0.1, -0.3, mix->dim == 3 ? 0.2 : 0.0), own);
            body_row(mix, FREE_BODY, own, &row);
            add(mix, &mix->constraints, &row);
            SparseRow node = {.count = 1,
                              .column = {(int32_t)node_column(mix, SURFACE_NODES, a)},
                              .value = {-1.0}};
            add(mix, &mix->constraints, &node);
            end(mix, &mix->constraints);
            mix->target[constraints++] = 0.1 * chance(mix, 50, (size_t)a);
        }
    }
    if (mix->nodes > SURFACE_NODES + 2) { /* a rod between two nodes of the chain */
        size_t k = SURFACE_NODES + 1;
        SparseRow rod = {
            .count = 4,
            .column = {(int32_t)node_column(mix, k, 0), (int32_t)node_column(mix, k, 1),
                       (int32_t)node_column(mix, k + 1, 0), (int32_t)node_column(mix, k + 1, 1)},
            .value = {0.6, 0.8, -0.6, -0.8}};
        add(mix, &mix->constraints, &rod);
        end(mix, &mix->constraints);
        mix->target[constraints++] = 0.0;
    }
    if (mix->seed % 3 == 0) { /* within a block: kept from turning about z, with a target */
        body_row(mix, FREE_BODY, (double[6]){0, 0, 0, 0, 0, 1}, &row);
        add(mix, &mix->constraints, &row);
        end(mix, &mix->constraints);
        mix->target[constraints++] = 0.3;
    }
    if (mix->dim == 2)
        for (int h = 0; h < 3; h++) {
            body_row(mix, FREE_BODY, c->bodies[FREE_BODY].held[h], &row);
            add(mix, &mix->constraints, &row);
            end(mix, &mix->constraints);
            mix->target[constraints++] = 0.0;
        }
}

static void add_blocks(Mix *mix) {
    FlowCase *c = mix->c;
    size_t bodies = c->body_count, count = 6 * bodies + mix->width, d = (size_t)mix->dim;
    mix->blocks = calloc(bodies + mix->nodes, sizeof *mix->blocks);
    mix->momentum = calloc(count, sizeof(double));
    mix->velocity = calloc(count, sizeof(double));
    mix->impulse = calloc(count, sizeof(double));
    for (size_t b = 0; b < bodies; b++) {
        mix->blocks[b] = (MassBlock){.first = 6 * b, .size = 6, .is_free = c->bodies[b].is_free};
        memcpy(mix->blocks[b].mass, c->bodies[b].mass, sizeof mix->blocks[b].mass);
        memcpy(mix->momentum + 6 * b, c->bodies[b].momentum, 6 * sizeof(double));
        memcpy(mix->velocity + 6 * b, c->bodies[b].velocity, 6 * sizeof(double));
    }
    for (size_t k = 0; k < mix->nodes; k++) {
        MassBlock *block = &mix->blocks[bodies + k];
        *block = (MassBlock){.first = node_column(mix, k, 0), .size = mix->dim, .is_free = true};
        for (size_t a = 0; a < d; a++) {
            block->mass[a][a] = mix->mass[k];
            mix->start[k * d + a] = random_normal((uint64_t)mix->seed, 60, k * d + a);
            mix->momentum[block->first + a] = mix->mass[k] * mix->start[k * d + a];
            mix->velocity[block->first + a] = mix->start[k * d + a];
        }
    }
    mix->structure = (FlowStructure){.count = count,
                                     .blocks = mix->blocks,
                                     .block_count = bodies + mix->nodes,
                                     .momentum = mix->momentum,
                                     .velocity = mix->velocity,
                                     .impulse = mix->impulse,
                                     .dampers = &mix->damper_rows,
                                     .constraints = &mix->constraint_rows,
                                     .target = mix->target,
                                     /* Of a third of them rows between blocks have multipliers. */
                                     .largest_part = mix->seed % 3 == 0 ? 6 : 0};
}

static void finish(Mix *mix) {
    FlowCase *c = mix->c;
    size_t count = mix->structure.count;
    FlowFlux *fluxes = calloc(c->flux_count + 1, sizeof *fluxes);
    for (size_t i = 0; i < c->flux_count; i++) {
        const FlowBodyFlux *flux = &c->fluxes[i];
        SparseRow row;
        fluxes[i] = (FlowFlux){flux->axis, {flux->at[0], flux->at[1], flux->at[2]}, 0};
        body_row(mix, (size_t)flux->body, flux->row, &row);
        add(mix, &mix->fluxes, &row);
        end(mix, &mix->fluxes);
    }
    assert_true(csr_builder_view(c->context, &mix->fluxes, count, &mix->flux_rows));
    assert_true(csr_builder_view(c->context, &mix->dampers, count, &mix->damper_rows));
    assert_true(csr_builder_view(c->context, &mix->constraints, count, &mix->constraint_rows));
    c->problem.structure = &mix->structure;
    c->problem.fluxes = fluxes;
    c->problem.flux_rows = &mix->flux_rows;
    c->problem.surface_at = surface_at;
    c->problem.surface_row = surface_row;
    c->problem.user = mix;
}

/* Faces that the nodes' surface covers hold no fluid here. */
static void drop_ties(FlowCase *c) {
    size_t kept = 0;
    for (size_t t = 0; t < c->tie_count; t++)
        if (c->ties[t].body != NODE_BODY) c->ties[kept++] = c->ties[t];
    c->tie_count = kept;
}

static Mix *mix_create(PlimContext *context, int seed) {
    Mix *mix = calloc(1, sizeof *mix);
    mix->seed = seed;
    mix->dim = seed % 2 ? 2 : 3;
    double size = pow(chance(mix, 1, 0), 3); /* most are small */
    int least = mix->dim == 2 ? 8 : 5, most = mix->dim == 2 ? test_size(31, 12) : test_size(10, 6);
    int n = least + (int)(size * (most - least + 0.999));
    Grid grid = {.dim = mix->dim, .spacing = 0.25, .origin = {0.3, -0.2, 0.0}};
    for (int a = 0; a < 3; a++) {
        grid.n[a] = a < mix->dim ? n : 1;
        grid.sides[a][0] = grid.sides[a][1] = SIDE_WALL;
    }
    grid.sides[1][1] = SIDE_OPEN;
    if (seed % 5 == 0) grid.sides[0][0] = grid.sides[0][1] = SIDE_PERIODIC;
    double length = n * grid.spacing, mu = seed % 4 < 2 ? 0.0 : decades(mix, 2, -2, 1);
    FlowCase *c = mix->c = flow_case_create(context, &grid, mu);
    double z = mix->dim == 3 ? 0.47 * length : 0.0, density = decades(mix, 3, -2, 2);
    Vec3 o = grid.origin;
    flow_case_add(c, vec3_add(o, vec3(0.31 * length, 0.37 * length, z)), 0.17 * length, density);
    flow_case_add(c, vec3_add(o, vec3(0.69 * length, 0.63 * length, 1.1 * z)), 0.16 * length, 0.0);
    if (mix->dim == 2)
        flow_case_add(c, vec3_add(o, vec3(0.71 * length, 0.24 * length, 0)), 0.1 * length, 0.0);
    flow_case_build(c);
    drop_ties(c);
    mix->nodes = SURFACE_NODES + (size_t)(chance(mix, 4, 0) * (MOST_CHAIN + 0.999));
    mix->width = mix->nodes * (size_t)mix->dim;
    mix->start = calloc(mix->width, sizeof(double));
    double displaced = c->solid_mass[FREE_BODY][0][0] / density;
    for (size_t k = 0; k < mix->nodes; k++)
        mix->mass[k] = displaced / SURFACE_NODES * decades(mix, 5 + (int)k, -2, 2);
    flow_case_random(c, (uint64_t)seed);
    c->problem.momentum = 1e-13;
    c->problem.divergence = mu > 0.0 ? 1e-13 : 1e-12;
    find_g(mix);
    add_blocks(mix);
    add_rows(mix);
    finish(mix);
    return mix;
}

static void mix_destroy(Mix *mix) {
    PlimContext *context = mix->c->context;
    free((void *)mix->c->problem.fluxes);
    csr_builder_free(context, &mix->fluxes);
    csr_builder_free(context, &mix->dampers);
    csr_builder_free(context, &mix->constraints);
    flow_case_destroy(mix->c);
    free(mix->blocks);
    free(mix->momentum);
    free(mix->velocity);
    free(mix->impulse);
    free(mix->start);
    free(mix);
}

/* ---- the same, written out ---- */

/* w = t x + given over the velocities of FlowDense; x are those that are free, then the nodes'. */
typedef struct Written {
    FlowDense *dense;
    FlowKkt kkt;
    size_t n, q, rows, links; /* of w, of x; constraints: cells, then those of the structure */
    double *t;
    double *mass, *start; /* q by q; w* of x */
    double *d, *target;   /* rows by q */
    double *c, *c_given;  /* dampers of the structure by q, and what is known of their product */
    size_t dampers;
} Written;

/* A row over the structure's velocities by x. */
static double write_row(const Mix *mix, const Written *out, const Csr *rows, size_t row,
                        double *to) {
    FlowCase *c = mix->c;
    double known = 0.0;
    for (size_t i = rows->row_start[row]; i < rows->row_start[row + 1]; i++) {
        size_t column = (size_t)rows->column[i], body = column / 6;
        if (column >= 6 * c->body_count) {
            to[out->kkt.q + column - 6 * c->body_count] += rows->value[i];
            continue;
        }
        if (!c->bodies[body].is_free) {
            known += rows->value[i] * c->bodies[body].velocity[column % 6];
            continue;
        }
        for (int m = 0; m < c->motion_count[body]; m++)
            for (size_t p = 0; p < out->kkt.q; p++)
                to[p] += rows->value[i] * c->motion[body][m][column % 6] *
                         out->kkt.t[(out->dense->first[body] + (size_t)m) * out->kkt.q + p];
    }
    return known;
}

static Written write_out(Mix *mix) {
    Written out = {.dense = flow_dense_create(mix->c)};
    out.kkt = flow_dense_kkt(out.dense);
    const Case *rows = &out.dense->rows;
    size_t n = out.n = rows->n, q0 = out.kkt.q, q = out.q = q0 + mix->width;
    out.links = mix->constraint_rows.rows;
    out.rows = rows->constraints + out.links;
    out.dampers = mix->damper_rows.rows;
    out.t = calloc(n * q, 8);
    out.mass = calloc(q * q, 8);
    out.start = calloc(q, 8);
    out.d = calloc(out.rows * q, 8);
    out.target = calloc(out.rows, 8);
    out.c = calloc(out.dampers * q + 1, 8);
    out.c_given = calloc(out.dampers + 1, 8);
    for (size_t i = 0; i < n; i++) memcpy(out.t + i * q, out.kkt.t + i * q0, q0 * 8);
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < (size_t)(SURFACE_NODES * mix->dim); j++)
            out.t[(out.dense->first[NODE_BODY] + i) * q + q0 + j] = mix->g[i][j];
    for (size_t k = 0; k < mix->width; k++) {
        out.mass[(q0 + k) * q + q0 + k] = mix->mass[k / (size_t)mix->dim];
        out.start[q0 + k] = mix->start[k];
    }
    for (size_t row = 0; row < rows->constraints; row++) {
        out.target[row] = rows->target[row] - operator_dot(rows->d + row * n, out.kkt.given, n);
        for (size_t i = 0; i < n; i++)
            for (size_t p = 0; p < q && rows->d[row * n + i] != 0.0; p++)
                out.d[row * q + p] += rows->d[row * n + i] * out.t[i * q + p];
    }
    for (size_t row = 0; row < out.links; row++) {
        size_t at = rows->constraints + row;
        double known = write_row(mix, &out, &mix->constraint_rows, row, out.d + at * q);
        out.target[at] = mix->target[row] - known;
    }
    for (size_t row = 0; row < out.dampers; row++)
        out.c_given[row] = write_row(mix, &out, &mix->damper_rows, row, out.c + row * q);
    return out;
}

static void written_free(Written *w) {
    flow_kkt_free(&w->kkt);
    flow_dense_destroy(w->dense);
    free(w->t);
    free(w->mass);
    free(w->start);
    free(w->d);
    free(w->target);
    free(w->c);
    free(w->c_given);
}

/* t^T (m) t of a sparse symmetric m over w, into q by q. */
static void add_transformed(const Written *w, const double *m, double *to) {
    size_t n = w->n, q = w->q;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            if (m[i * n + j] == 0.0) continue;
            for (size_t p = 0; p < q; p++) {
                double left = m[i * n + j] * w->t[i * q + p];
                for (size_t r = 0; r < q && left != 0.0; r++)
                    to[p * q + r] += left * w->t[j * q + r];
            }
        }
}

/* x by elimination. */
static double *solve_dense(const Mix *mix, Written *w) {
    const Case *rows = &w->dense->rows;
    size_t q = w->q, all = q + w->rows, n = w->n;
    double *a = calloc(all * all, 8), *b = calloc(all, 8), *x = calloc(all, 8);
    double *block = calloc(q * q, 8);
    memcpy(block, w->mass, q * q * 8);
    add_transformed(w, rows->mass, block);
    memcpy(w->mass, block, q * q * 8); /* with faces and bodies */
    add_transformed(w, w->dense->viscous, block);
    for (size_t k = 0; k < w->dampers; k++)
        for (size_t p = 0; p < q; p++)
            for (size_t r = 0; r < q && w->c[k * q + p] != 0.0; r++)
                block[p * q + r] += w->c[k * q + p] * w->c[k * q + r];
    for (size_t p = 0; p < q; p++) memcpy(a + p * all, block + p * q, q * 8);
    for (size_t i = 0; i < n; i++) {
        double momentum = operator_dot(rows->mass + i * n, rows->w, n) -
                          operator_dot(w->dense->viscous + i * n, w->kkt.given, n);
        for (size_t p = 0; p < q; p++) b[p] += w->t[i * q + p] * momentum;
    }
    for (size_t k = 0; k < mix->width; k++)
        b[w->kkt.q + k] += mix->mass[k / (size_t)mix->dim] * mix->start[k];
    for (size_t k = 0; k < w->dampers; k++)
        for (size_t p = 0; p < q; p++) b[p] -= w->c[k * q + p] * w->c_given[k];
    for (size_t row = 0; row < w->rows; row++) {
        b[q + row] = w->target[row];
        for (size_t p = 0; p < q; p++)
            a[(q + row) * all + p] = a[p * all + q + row] = w->d[row * q + p];
    }
    flow_dense_eliminate(a, b, x, all);
    free(a);
    free(b);
    free(block);
    return x;
}

/* x by the generic solve: a group of faces, bodies, nodes, and one velocity that is 1. */
static double *solve_generic(const Mix *mix, const Written *w) {
    PlimContext *context = mix->c->context;
    const Case *rows = &w->dense->rows;
    size_t q = w->q, n = w->n, motions = (size_t)mix->c->motion_count[FREE_BODY];
    size_t faces = w->kkt.q - motions, all = q + 1, viscous = w->dense->damper;
    CaseGroup groups[CASE_GROUPS] = {{COUPLED_MASS_SCALAR, faces, 1},
                                     {COUPLED_MASS_BLOCKS, motions, motions},
                                     {COUPLED_MASS_SCALAR, mix->width, 1},
                                     {COUPLED_MASS_INFINITE, 1, 1}};
    Case made = case_create(w->rows, viscous + w->dampers, 0, groups, CASE_GROUPS);
    double *x = calloc(all, 8), *l = calloc(w->rows, 8), *star = calloc(all, 8);
    made.tolerance = 1e-12;
    for (size_t p = 0; p < q; p++)
        for (size_t r = 0; r < q; r++) made.mass[p * all + r] = w->mass[p * q + r];
    for (size_t row = 0; row < w->rows; row++) {
        memcpy(made.d + row * all, w->d + row * q, q * 8);
        made.target[row] = w->target[row];
    }
    for (size_t row = 0; row < viscous + w->dampers; row++) {
        double *to = made.c + row * all;
        if (row >= viscous) {
            memcpy(to, w->c + (row - viscous) * q, q * 8);
            to[q] = w->c_given[row - viscous];
            continue;
        }
        const double *from = rows->c + row * n;
        for (size_t i = 0; i < n; i++)
            for (size_t p = 0; p < q && from[i] != 0.0; p++) to[p] += from[i] * w->t[i * q + p];
        to[q] = operator_dot(from, w->kkt.given, n);
    }
    /* w* = M^-1 momentum */
    double *momentum = calloc(q, 8), *factor = calloc(q * q, 8);
    for (size_t i = 0; i < n; i++) {
        double own = operator_dot(rows->mass + i * n, rows->w, n);
        for (size_t p = 0; p < q; p++) momentum[p] += w->t[i * q + p] * own;
    }
    for (size_t k = 0; k < mix->width; k++)
        momentum[w->kkt.q + k] += mix->mass[k / (size_t)mix->dim] * mix->start[k];
    memcpy(factor, w->mass, q * q * 8);
    assert_true(cholesky_factor(factor, q));
    cholesky_solve(factor, q, momentum);
    memcpy(star, momentum, q * 8);
    star[q] = 1.0;
    Coupled *coupled = case_build(context, &made);
    Scratch scratch;
    CoupledResult result;
    scratch_init(&scratch, context);
    assert_int_equal(coupled_solve(coupled, &scratch, star, x, l, &result), PLIM_OK);
    if (result.reason != SOLVE_CONVERGED && result.reason != SOLVE_STAGNATED)
        fail_msg("generic: %s", solve_reason_name(result.reason));
    scratch_free(&scratch);
    coupled_destroy(coupled);
    case_free(&made);
    free(l);
    free(star);
    free(momentum);
    free(factor);
    return x;
}

/* The greatest difference of a velocity from x, over the greatest velocity. */
static double compare(const Mix *mix, const Written *w, const double *x) {
    const FlowCase *c = mix->c;
    double worst = 0.0, most = 0.0, *all = calloc(w->n, 8);
    for (size_t i = 0; i < w->n; i++)
        all[i] = w->kkt.given[i] + operator_dot(w->t + i * w->q, x, w->q);
    FLOW_FACES(c, a, i, j, k) {
        if (!flow_case_is_free(c, a, (int[3]){i, j, k})) continue;
        double exact = all[flow_dense_number(w->dense, a, (int[3]){i, j, k})];
        most = fmax(most, fabs(exact));
        worst = fmax(worst, fabs(exact - c->velocity[a][grid_face_index(&c->grid, a, i, j, k)]));
    }
    for (int m = 0; m < c->motion_count[FREE_BODY]; m++) {
        const double *motion = c->motion[FREE_BODY][m];
        double v = operator_dot(motion, mix->velocity, 6) / operator_dot(motion, motion, 6);
        double exact = all[w->dense->first[FREE_BODY] + (size_t)m];
        most = fmax(most, fabs(exact));
        worst = fmax(worst, fabs(v - exact));
    }
    for (size_t k = 0; k < mix->width; k++) {
        double exact = x[w->kkt.q + k];
        most = fmax(most, fabs(exact));
        worst = fmax(worst, fabs(mix->velocity[6 * c->body_count + k] - exact));
    }
    free(all);
    return worst / most;
}

static void test_mixes(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    double worst[2] = {0, 0};
    bool good = true;
    for (int seed = 1; seed <= MIXES; seed++) {
        Mix *mix = mix_create(context, seed);
        FlowCase *c = mix->c;
        Written written = write_out(mix);
        FlowResult result;
        PlimStatus status =
            coupled_flow_solve(c->flow, &c->problem, c->velocity, c->pressure, &result);
        if (status != PLIM_OK) fail_msg("%s", plim_message(context));
        double *x = solve_dense(mix, &written), *y = solve_generic(mix, &written);
        double off[2] = {compare(mix, &written, x), compare(mix, &written, y)};
        print_message(
            "mix %d: %dD, %d^%d cells, mu %.2g, %zu nodes, %zu links: %d iterations (%s), "
            "off by %.1e, generic %.1e\n",
            seed, mix->dim, c->grid.n[0], mix->dim, c->mu, mix->nodes, written.links,
            result.iterations, solve_reason_name(result.reason), off[0], off[1]);
        for (int i = 0; i < 2; i++) {
            good &= off[i] < 1e-8;
            worst[i] = fmax(worst[i], off[i]);
        }
        free(x);
        free(y);
        written_free(&written);
        mix_destroy(mix);
    }
    print_message("%d mixes: dense within %.1e, generic within %.1e\n", MIXES, worst[0], worst[1]);
    assert_true(good);
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mixes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
