/* Flow problems with discs or balls in them for tests of the coupled solve, with their memory. */
#ifndef TESTS_COUPLED_FLOW_CASE_H
#define TESTS_COUPLED_FLOW_CASE_H

#include "operator_test.h"

#include "bench/flow_bodies.h"
#include "grid/aperture.h"
#include "solve/coupled/coupled_flow_internal.h"

#include <stdlib.h>
#include <string.h>

enum { FLOW_CASE_BODIES = 4 };

/* A face that moves with a body and of which some is open. */
typedef struct FlowCaseTie {
    int axis, body;
    size_t face;
    double part, row[6];
} FlowCaseTie;

typedef struct FlowCase {
    PlimContext *context;
    Grid grid;
    double mu; /* Pa s; 0: faces are cut, none is held */
    /* Bodies push by their velocity at the middle of a face, where the fluid's is, and not by its
     * mean over the closed part. */
    bool push_at_middle;
    unsigned char *kind;
    double *open[3], *distance[3], *velocity[3], *pressure;
    double *phi;    /* of cells, with air; else NULL */
    float *corners; /* part that is liquid of the 2^dim sub-cells of each cell, with air */
    FlowBody bodies[FLOW_CASE_BODIES];
    int motion_count[FLOW_CASE_BODIES]; /* that free bodies can make, one a row of `motion` */
    double motion[FLOW_CASE_BODIES][6][6];
    double radius[FLOW_CASE_BODIES];
    double solid_mass[FLOW_CASE_BODIES][6][6]; /* without that of tied faces */
    double start[FLOW_CASE_BODIES][6];         /* velocities before the solve */
    size_t body_count;
    FlowBodyFlux *fluxes;
    FlowBodies structure; /* the bodies as the solve has them */
    FlowCaseTie *ties;
    size_t flux_count, tie_count;
    ViscosityProblem viscous;
    FlowProblem problem;
    Viscosity *viscosity;
    Poisson *poisson;
    CoupledFlow *flow;
} FlowCase;

/* Calls for every face, in the order of the compact arrays. */
#define FLOW_FACES(c, a, i, j, k)                                                                  \
    for (int a = 0; a < (c)->grid.dim; a++)                                                        \
        for (int k = 0; k < (c)->grid.n[2] + (a == 2); k++)                                        \
            for (int j = 0; j < (c)->grid.n[1] + (a == 1); j++)                                    \
                for (int i = 0; i < (c)->grid.n[0] + (a == 0); i++)

static inline bool flow_case_periodic(const FlowCase *c, int axis) {
    return axis < c->grid.dim && c->grid.sides[axis][0] == SIDE_PERIODIC;
}

/* The doubled last layer of a periodic axis. */
static inline bool flow_case_is_copy(const FlowCase *c, int a, const int at[3]) {
    return flow_case_periodic(c, a) && at[a] == c->grid.n[a];
}

static inline size_t flow_case_face(const FlowCase *c, int a, const int at[3]) {
    int w[3] = {at[0], at[1], at[2]};
    for (int b = 0; b < c->grid.dim; b++)
        if (flow_case_periodic(c, b)) w[b] = (w[b] + c->grid.n[b]) % c->grid.n[b];
    return grid_face_index(&c->grid, a, w[0], w[1], w[2]);
}

/* On a side that gives its velocity. */
static inline bool flow_case_on_given_side(const FlowCase *c, int a, const int at[3]) {
    int end = at[a] == 0 ? 0 : at[a] == c->grid.n[a] ? 1 : -1;
    return end >= 0 && (c->grid.sides[a][end] == SIDE_WALL || c->grid.sides[a][end] == SIDE_INFLOW);
}

static inline bool flow_case_on_open_side(const FlowCase *c, int a, const int at[3]) {
    int end = at[a] == 0 ? 0 : at[a] == c->grid.n[a] ? 1 : -1;
    return end >= 0 && c->grid.sides[a][end] == SIDE_OPEN;
}

/* ---- bodies ---- */

static inline int flow_case_nearest(const FlowCase *c, Vec3 x, Vec3 *center, double *distance) {
    int nearest = -1;
    *center = vec3(0, 0, 0);
    *distance = HUGE_VAL;
    for (size_t b = 0; b < c->body_count; b++)
        for (int image = 0; image < 27; image++) {
            int periods[3] = {image % 3 - 1, image / 3 % 3 - 1, image / 9 - 1};
            double by[3] = {0};
            bool exists = true;
            for (int a = 0; a < 3; a++) {
                if (periods[a] != 0 && !flow_case_periodic(c, a)) exists = false;
                by[a] = periods[a] * c->grid.n[a] * c->grid.spacing;
            }
            Vec3 at = vec3_add(c->bodies[b].center, vec3(by[0], by[1], by[2]));
            double d = vec3_length(vec3_sub(x, at)) - c->radius[b];
            if (!exists || !(d < *distance)) continue;
            *distance = d;
            *center = at;
            nearest = (int)b;
        }
    return nearest;
}

static inline FlowAnchor flow_case_surface_at(const void *user, Vec3 x) {
    double distance;
    FlowAnchor anchor;
    anchor.surface = (size_t)flow_case_nearest(user, x, &anchor.center, &distance);
    return anchor;
}

static inline double flow_case_distance(const FlowCase *c, Vec3 x) {
    Vec3 center;
    double distance;
    flow_case_nearest(c, x, &center, &distance);
    return distance;
}

static inline void flow_case_row(int axis, Vec3 arm, double row[6]) {
    Vec3 e = vec3(axis == 0, axis == 1, axis == 2);
    vec3_store(row, e);
    vec3_store(row + 3, vec3_cross(arm, e));
}

/* A free body of that density, or one with a given velocity when the density is 0. */
static inline FlowBody *flow_case_add(FlowCase *c, Vec3 center, double radius, double density) {
    const double pi = 3.14159265358979323846;
    size_t b = c->body_count++;
    FlowBody *body = &c->bodies[b];
    assert_true(b < FLOW_CASE_BODIES);
    *body = (FlowBody){.center = center, .is_free = density > 0.0};
    c->radius[b] = radius;
    bool flat = c->grid.dim == 2;
    double square = radius * radius;
    double mass = density * (flat ? pi * square : 4.0 / 3.0 * pi * square * radius);
    for (int i = 0; i < 6; i++)
        c->solid_mass[b][i][i] = i < 3 ? mass : (flat ? 0.5 : 0.4) * mass * square;
    if (!body->is_free) return body;
    for (int i = 0; i < 6; i++) {
        if (flat && (i == 2 || i == 3 || i == 4)) continue;
        c->motion[b][c->motion_count[b]++][i] = i < 3 ? 1.0 : 1.0 / radius;
    }
    if (flat) flow_body_hold_plane(body);
    return body;
}

/* ---- the cut grid ---- */

/* Distances at the corners of a face, in turn around it; their number. */
static inline int flow_case_corners(const FlowCase *c, int a, const int at[3], double d[4]) {
    double h = c->grid.spacing;
    int b = (a + 1) % 3, e = (a + 2) % 3, count = c->grid.dim == 2 ? 2 : 4;
    for (int corner = 0; corner < count; corner++) {
        int node[3] = {at[0], at[1], at[2]};
        if (count == 2) {
            node[1 - a] += corner;
        } else {
            node[b] += corner == 1 || corner == 2;
            node[e] += corner >= 2;
        }
        Vec3 x = vec3(node[0] * h, node[1] * h, count == 2 ? 0.0 : node[2] * h);
        d[corner] = flow_case_distance(c, vec3_add(c->grid.origin, x));
    }
    return count;
}

static inline void flow_case_cut(FlowCase *c, int a, const int at[3], double *open, double *held,
                                 Vec3 *moment) {
    double d[4], sum = 0.0, h = c->grid.spacing, m[3] = {0}, in_plane[2];
    int count = flow_case_corners(c, a, at, d);
    for (int i = 0; i < count; i++) sum += d[i] / count;
    double part =
        count == 2 ? aperture_of_segment(d[0], d[1]) : aperture_of_square(d[0], d[1], d[2], d[3]);
    *open = part < 1e-3 ? 0.0 : part > 1.0 - 1e-3 ? 1.0 : (double)(float)part;
    *held = sum;
    if (count == 2) {
        m[1 - a] = h * aperture_moment_of_segment(d[0], d[1]);
    } else {
        aperture_moment_of_square(d, in_plane);
        m[(a + 1) % 3] = h * in_plane[0];
        m[(a + 2) % 3] = h * in_plane[1];
    }
    *moment = vec3(m[0], m[1], m[2]);
}

/* What the body pushes through the closed part of a face, and the tie of one that it holds. */
static inline void flow_case_close(FlowCase *c, int a, const int at[3], double part, double open,
                                   Vec3 moment, bool held) {
    Vec3 x = grid_face_center(&c->grid, a, at[0], at[1], at[2]), center;
    double distance, area = grid_face_area(&c->grid), lost[3];
    int body = flow_case_nearest(c, x, &center, &distance);
    FlowBodyFlux flux = {.axis = a, .at = {at[0], at[1], at[2]}, .body = body};
    FlowCaseTie tie = {.axis = a, .body = body, .face = flow_case_face(c, a, at), .part = part};
    flow_case_row(a, vec3_sub(x, center), tie.row);
    for (int i = 0; i < 6; i++) flux.row[i] = (1.0 - open) * area * tie.row[i];
    vec3_store(lost, vec3_cross(moment, vec3(a == 0, a == 1, a == 2)));
    for (int i = 0; i < 3 && open > 0.0 && !c->push_at_middle; i++)
        flux.row[3 + i] -= area * lost[i];
    c->fluxes[c->flux_count++] = flux;
    if (held && part > 0.0) c->ties[c->tie_count++] = tie;
}

static inline void flow_case_find_kinds(FlowCase *c) {
    const Grid *grid = &c->grid;
    for (int k = 0; k < grid->n[2]; k++)
        for (int j = 0; j < grid->n[1]; j++)
            for (int i = 0; i < grid->n[0]; i++) {
                bool connected = false;
                for (int a = 0; a < grid->dim; a++)
                    for (int end = 0; end < 2; end++) {
                        int at[3] = {i, j, k};
                        at[a] += end;
                        connected |= !flow_case_on_given_side(c, a, at) &&
                                     c->open[a][flow_case_face(c, a, at)] > 0.0;
                    }
                c->kind[grid_cell_index(grid, i, j, k)] = connected ? CELL_FLUID : CELL_SOLID;
            }
}

/* ---- air ---- */

/* To be filled before the case is built. Parts are sums of few powers of two, so that means of them
 * are exact in single precision. */
static inline void flow_case_take_air(FlowCase *c) {
    c->phi = calloc(grid_cell_count(&c->grid), sizeof(double));
    c->corners = calloc(grid_cell_count(&c->grid) << c->grid.dim, sizeof *c->corners);
}

/* What is liquid, by a signed distance. */
static inline void flow_case_fill(FlowCase *c, double (*level)(const void *user, Vec3 x),
                                  const void *user) {
    const Grid *grid = &c->grid;
    double h = grid->spacing;
    if (!c->phi) flow_case_take_air(c);
    for (int k = 0; k < grid->n[2]; k++)
        for (int j = 0; j < grid->n[1]; j++)
            for (int i = 0; i < grid->n[0]; i++) {
                Vec3 x = grid_cell_center(grid, i, j, k);
                size_t cell = grid_cell_index(grid, i, j, k);
                c->phi[cell] = level(user, x);
                for (int corner = 0; corner < 1 << grid->dim; corner++) {
                    Vec3 at = {x.x + (corner & 1 ? 0.25 : -0.25) * h,
                               x.y + (corner & 2 ? 0.25 : -0.25) * h,
                               grid->dim == 2 ? x.z : x.z + (corner & 4 ? 0.25 : -0.25) * h};
                    double part = fmin(1.0, fmax(0.0, 0.5 - 2.0 * level(user, at) / h));
                    c->corners[(cell << grid->dim) + (size_t)corner] = (float)part;
                }
            }
}

/* False beyond sides that are not periodic. */
static inline bool flow_case_cell(const FlowCase *c, const int at[3], size_t *cell) {
    int w[3] = {at[0], at[1], at[2]};
    for (int b = 0; b < c->grid.dim; b++) {
        if (flow_case_periodic(c, b)) w[b] = (w[b] + c->grid.n[b]) % c->grid.n[b];
        if (w[b] < 0 || w[b] >= c->grid.n[b]) return false;
    }
    *cell = grid_cell_index(&c->grid, w[0], w[1], w[2]);
    return true;
}

/* Part of a cell's fluid that the pressure moves with a face; 0 where no cell is fluid. */
static inline double flow_case_theta(const FlowCase *c, int a, const int at[3]) {
    int below[3] = {at[0] - (a == 0), at[1] - (a == 1), at[2] - (a == 2)};
    size_t cells[2], count = 0, fluid = 0;
    if (!c->phi) return 1.0;
    count += flow_case_cell(c, below, &cells[count]);
    count += flow_case_cell(c, at, &cells[count]);
    for (size_t i = 0; i < count; i++) fluid += c->kind[cells[i]] == CELL_FLUID;
    if (fluid != 1 || count < 2) return fluid > 0 ? 1.0 : 0.0;
    size_t in = cells[c->kind[cells[0]] != CELL_FLUID], out = cells[0] + cells[1] - in;
    if (c->kind[out] != CELL_AIR) return 1.0;
    return fmax(POISSON_THETA_FLOOR, c->phi[in] / (c->phi[in] - c->phi[out]));
}

/* Of the sub-cells of a cell whose numbers have these bits of the mask. */
static inline double flow_case_part(const FlowCase *c, size_t cell, int mask, int bits) {
    double sum = 0.0;
    int count = 0;
    for (int corner = 0; corner < 1 << c->grid.dim; corner++) {
        if ((corner & mask) != bits) continue;
        sum += (double)c->corners[(cell << c->grid.dim) + (size_t)corner];
        count++;
    }
    return sum / count;
}

/* Part of the box of a face that is liquid, or as the pressure has it where that ends; negative
 * beyond sides. */
static inline double flow_case_face_liquid(const FlowCase *c, int a, const int at[3]) {
    int below[3] = {at[0] - (a == 0), at[1] - (a == 1), at[2] - (a == 2)}, count = 0;
    double sum = 0.0;
    size_t cells[2];
    bool inside[2] = {flow_case_cell(c, below, &cells[0]), flow_case_cell(c, at, &cells[1])};
    if (!c->phi) return 1.0;
    if (inside[0] && inside[1]) {
        int kinds[2] = {c->kind[cells[0]], c->kind[cells[1]]};
        if ((kinds[0] == CELL_FLUID && kinds[1] == CELL_AIR) ||
            (kinds[0] == CELL_AIR && kinds[1] == CELL_FLUID))
            return flow_case_theta(c, a, at);
    }
    for (int above = 0; above < 2; above++) {
        if (!inside[above]) continue;
        sum += flow_case_part(c, cells[above], 1 << a, above ? 0 : 1 << a);
        count++;
    }
    return count > 0 ? sum / count : -1.0;
}

/* Not held by a body or a side, and without liquid in its box. */
static inline bool flow_case_in_air(const FlowCase *c, int a, const int at[3]) {
    bool held = c->mu > 0.0 && c->distance[a][flow_case_face(c, a, at)] < 0.0;
    return !held && !flow_case_on_given_side(c, a, at) && flow_case_face_liquid(c, a, at) == 0.0;
}

/* Weight of an edge of axes a and b: the liquid in its box, where some is missing at most that of
 * the greater of what both of its faces along one axis have; nothing when one of its faces is in
 * the air. */
static inline double flow_case_edge_liquid(const FlowCase *c, int a, int b, const int at[3]) {
    double sum = 0.0, most = 0.0;
    int count = 0;
    size_t cell;
    if (!c->phi) return 1.0;
    for (int quarter = 0; quarter < 4; quarter++) {
        int place[3] = {at[0], at[1], at[2]}, in_a = quarter & 1, in_b = quarter >> 1;
        place[a] -= in_a;
        place[b] -= in_b;
        if (!flow_case_cell(c, place, &cell)) continue;
        sum += flow_case_part(c, cell, 1 << a | 1 << b, in_a << a | in_b << b);
        count++;
    }
    for (int way = 0; way < 2; way++) {
        int component = way ? b : a, across = way ? a : b;
        double part[2];
        for (int end = 0; end < 2; end++) {
            int face[3] = {at[0], at[1], at[2]};
            face[across] -= end;
            part[end] = flow_case_face_liquid(c, component, face);
            if (part[end] >= 0.0 && flow_case_in_air(c, component, face)) return 0.0;
        }
        most = fmax(most, part[0] < 0.0   ? part[1]
                          : part[1] < 0.0 ? part[0]
                                          : fmin(part[0], part[1]));
    }
    return sum == count ? 1.0 : (double)(float)fmin(sum / count, most); /* as the solve rounds it */
}

/* Held faces in air have no fluid to take along. */
static inline void flow_case_find_air(FlowCase *c) {
    size_t kept = 0;
    if (!c->phi) return;
    for (size_t i = 0; i < grid_cell_count(&c->grid); i++)
        if (c->kind[i] == CELL_FLUID && !(c->phi[i] < 0.0)) c->kind[i] = CELL_AIR;
    FLOW_FACES(c, a, i, j, k) {
        int at[3] = {i, j, k};
        size_t face = flow_case_face(c, a, at);
        for (size_t t = 0; t < c->tie_count; t++)
            if (c->ties[t].axis == a && c->ties[t].face == face && !flow_case_is_copy(c, a, at))
                c->ties[t].part *= flow_case_theta(c, a, at);
    }
    for (size_t t = 0; t < c->tie_count; t++)
        if (c->ties[t].part > 0.0) c->ties[kept++] = c->ties[t];
    c->tie_count = kept;
}

/* Masses of bodies with those of the faces that they hold. */
static inline void flow_case_merge(FlowCase *c) {
    double volume = grid_cell_volume(&c->grid);
    for (size_t b = 0; b < c->body_count; b++)
        memcpy(c->bodies[b].mass, c->solid_mass[b], sizeof c->solid_mass[b]);
    for (size_t t = 0; t < c->tie_count; t++) {
        const FlowCaseTie *tie = &c->ties[t];
        double mass = tie->part * c->problem.density * volume;
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                c->bodies[tie->body].mass[i][j] += mass * tie->row[i] * tie->row[j];
    }
}

/* ---- life ---- */

static inline FlowCase *flow_case_create(PlimContext *context, const Grid *grid, double mu) {
    FlowCase *c = calloc(1, sizeof *c);
    size_t faces = 0, cells = grid_cell_count(grid);
    *c = (FlowCase){.context = context, .grid = *grid, .mu = mu};
    for (int a = 0; a < grid->dim; a++) {
        size_t count = grid_face_count(grid, a);
        faces += count;
        c->open[a] = calloc(count, sizeof(double));
        c->distance[a] = calloc(count, sizeof(double));
        c->velocity[a] = calloc(count, sizeof(double));
    }
    c->kind = calloc(cells, 1);
    c->pressure = calloc(cells, sizeof(double));
    c->fluxes = calloc(faces, sizeof *c->fluxes);
    c->ties = calloc(faces, sizeof *c->ties);
    c->problem = (FlowProblem){.density = 1.0,
                               .dt = 0.1,
                               .surface_at = flow_case_surface_at,
                               .surface_row = flow_body_surface_row,
                               .divergence = 1e-12,
                               .momentum = 1e-12,
                               .threads = context->threads};
    return c;
}

/* After the bodies were added: cuts the grid and makes the solvers. */
static inline void flow_case_build(FlowCase *c) {
    FLOW_FACES(c, a, i, j, k) {
        int at[3] = {i, j, k};
        double open = 1.0, held = HUGE_VAL;
        Vec3 moment = vec3(0, 0, 0);
        if (c->body_count > 0) flow_case_cut(c, a, at, &open, &held, &moment);
        size_t face = grid_face_index(&c->grid, a, i, j, k);
        double part = open;
        if (c->mu > 0.0 && held < 0.0) open = 0.0;
        c->open[a][face] = open;
        c->distance[a][face] = held;
        if (open < 1.0 && !flow_case_is_copy(c, a, at))
            flow_case_close(c, a, at, part, open, moment, c->mu > 0.0 && held < 0.0);
    }
    flow_case_find_kinds(c);
    flow_case_find_air(c);
    flow_case_merge(c);
    FlowProblem *problem = &c->problem;
    problem->grid = &c->grid;
    problem->kind = c->kind;
    problem->user = c;
    problem->viscous = &c->viscous;
    problem->phi = c->phi;
    c->viscous = (ViscosityProblem){.grid = &c->grid, .density = problem->density, .mu = c->mu};
    c->viscous.liquid_of_corners = c->corners;
    c->viscous.kind = c->phi ? c->kind : NULL;
    c->viscous.phi = c->phi;
    for (int a = 0; a < c->grid.dim; a++) {
        problem->open[a] = c->viscous.open[a] = c->open[a];
        if (c->body_count > 0) c->viscous.distance[a] = c->distance[a];
    }
    assert_int_equal(poisson_create(c->context, &c->grid, POISSON_MULTIGRID, &c->poisson), PLIM_OK);
    assert_int_equal(coupled_flow_create(c->context, &c->grid, c->poisson, &c->flow), PLIM_OK);
    if (!(c->mu > 0.0)) return;
    assert_int_equal(viscosity_create(c->context, &c->grid, &c->viscosity), PLIM_OK);
    assert_int_equal(viscosity_setup(c->viscosity, &c->viscous, c->context->threads), PLIM_OK);
    problem->viscosity = c->viscosity;
}

static inline void flow_case_destroy(FlowCase *c) {
    coupled_flow_destroy(c->flow);
    poisson_destroy(c->poisson);
    viscosity_destroy(c->viscosity);
    for (int a = 0; a < 3; a++) {
        free(c->open[a]);
        free(c->distance[a]);
        free(c->velocity[a]);
    }
    free(c->kind);
    free(c->phi);
    free(c->corners);
    free(c->pressure);
    free(c->fluxes);
    free(c->ties);
    flow_bodies_free(&c->structure, c->context);
    free(c);
}

/* ---- states ---- */

static inline bool flow_case_is_free(const FlowCase *c, int a, const int at[3]) {
    size_t face = flow_case_face(c, a, at);
    if (flow_case_on_given_side(c, a, at)) return false;
    if (c->mu > 0.0) return !(c->distance[a][face] < 0.0) && flow_case_face_liquid(c, a, at) > 0.0;
    return flow_case_theta(c, a, at) > 0.0 && c->open[a][face] > 0.0;
}

/* density V, times the part that is open and liquid, a little at least; of a face that is solved
 * for. As the solves round it: in cells of a power of two the matrix of the pressure has open /
 * theta, that of viscosity their product. */
static inline double flow_case_mass(const FlowCase *c, int a, const int at[3]) {
    if (!flow_case_is_free(c, a, at)) return 0.0;
    double mass = c->problem.density * grid_cell_volume(&c->grid);
    double open = c->open[a][flow_case_face(c, a, at)], theta = flow_case_theta(c, a, at);
    if (c->mu > 0.0) mass *= (double)(float)(open * fmax(1e-3, flow_case_face_liquid(c, a, at)));
    if (!(c->mu > 0.0)) mass *= open * open / (double)(float)(1.0 / theta * open);
    return flow_case_on_open_side(c, a, at) ? 0.5 * mass : mass;
}

/* The momenta of free bodies before the solve, from `start` and the faces that they hold. */
static inline void flow_case_load_momenta(FlowCase *c) {
    double volume = grid_cell_volume(&c->grid);
    for (size_t b = 0; b < c->body_count; b++) {
        FlowBody *body = &c->bodies[b];
        memcpy(body->velocity, c->start[b], sizeof body->velocity);
        for (int i = 0; i < 6; i++)
            body->momentum[i] = operator_dot(c->solid_mass[b][i], c->start[b], 6);
    }
    for (size_t t = 0; t < c->tie_count; t++) {
        const FlowCaseTie *tie = &c->ties[t];
        double u = c->velocity[tie->axis][tie->face];
        for (int i = 0; i < 6; i++)
            c->bodies[tie->body].momentum[i] +=
                tie->part * c->problem.density * volume * u * tie->row[i];
    }
}

/* Copies of periodic axes renewed. */
static inline void flow_case_join(FlowCase *c) {
    FLOW_FACES(c, a, i, j, k) {
        int at[3] = {i, j, k};
        if (flow_case_is_copy(c, a, at))
            c->velocity[a][grid_face_index(&c->grid, a, i, j, k)] =
                c->velocity[a][flow_case_face(c, a, at)];
    }
}

/* Every free velocity by chance; sides stand still. Those of given bodies stay. */
static inline void flow_case_random(FlowCase *c, uint64_t seed) {
    FLOW_FACES(c, a, i, j, k) {
        size_t face = grid_face_index(&c->grid, a, i, j, k);
        c->velocity[a][face] = flow_case_on_given_side(c, a, (int[3]){i, j, k})
                                   ? 0.0
                                   : random_normal(seed, (uint64_t)a, face);
    }
    flow_case_join(c);
    for (size_t b = 0; b < c->body_count; b++)
        for (int i = 0; i < 6 && c->bodies[b].is_free; i++) {
            bool out_of_plane = c->grid.dim == 2 && i >= 2 && i < 5;
            c->start[b][i] = out_of_plane ? 0.0 : random_normal(seed, 10 + b, (size_t)i);
            if (i >= 3) c->start[b][i] /= c->radius[b];
        }
    memset(c->pressure, 0, grid_cell_count(&c->grid) * sizeof *c->pressure);
    flow_case_load_momenta(c);
}

static inline void flow_case_load(FlowCase *c) {
    assert_int_equal(flow_bodies_load(&c->structure, c->context, c->bodies, c->body_count,
                                      c->fluxes, c->flux_count, &c->problem),
                     PLIM_OK);
}

/* The solve as it is; bodies change when it converged. */
static inline PlimStatus flow_case_try(FlowCase *c, FlowResult *result) {
    flow_case_load(c);
    PlimStatus status = coupled_flow_solve(c->flow, &c->problem, c->velocity, c->pressure, result);
    if (status == PLIM_OK) flow_bodies_store(&c->structure, c->bodies);
    return status;
}

static inline FlowResult flow_case_solve(FlowCase *c) {
    FlowResult result;
    PlimStatus status = flow_case_try(c, &result);
    if (status != PLIM_OK) fail_msg("%s", plim_message(c->context));
    if (result.reason != SOLVE_CONVERGED)
        fail_msg("%s after %d iterations: residuals %g of %g, %g of %g, %g of %g",
                 solve_reason_name(result.reason), result.iterations, result.residual[0],
                 result.tolerance[0], result.residual[1], result.tolerance[1], result.residual[2],
                 result.tolerance[2]);
    /* Held faces go with their bodies. */
    for (size_t t = 0; t < c->tie_count; t++) {
        const FlowCaseTie *tie = &c->ties[t];
        c->velocity[tie->axis][tie->face] =
            operator_dot(tie->row, c->bodies[tie->body].velocity, 6);
    }
    flow_case_join(c);
    return result;
}

/* ---- what is kept ---- */

/* J, by the velocities of faces and bodies. */
static inline double flow_case_energy(const FlowCase *c, bool before) {
    double sum = 0.0, volume = grid_cell_volume(&c->grid);
    FLOW_FACES(c, a, i, j, k) {
        int at[3] = {i, j, k};
        double u = c->velocity[a][grid_face_index(&c->grid, a, i, j, k)];
        if (!flow_case_is_copy(c, a, at)) sum += 0.5 * flow_case_mass(c, a, at) * u * u;
    }
    for (size_t t = 0; t < c->tie_count; t++) {
        const FlowCaseTie *tie = &c->ties[t];
        double u = c->velocity[tie->axis][tie->face];
        if (c->bodies[tie->body].is_free)
            sum += 0.5 * tie->part * c->problem.density * volume * u * u;
    }
    for (size_t b = 0; b < c->body_count; b++) {
        const double *v = before ? c->start[b] : c->bodies[b].velocity;
        for (int i = 0; i < 6 && c->bodies[b].is_free; i++)
            sum += 0.5 * v[i] * operator_dot(c->solid_mass[b][i], v, 6);
    }
    return sum;
}

/* Linear and angular about the origin of the world, of fluid and free bodies. */
static inline void flow_case_momentum(const FlowCase *c, bool before, double out[6]) {
    double volume = grid_cell_volume(&c->grid);
    memset(out, 0, 6 * sizeof *out);
    FLOW_FACES(c, a, i, j, k) {
        int at[3] = {i, j, k};
        if (flow_case_is_copy(c, a, at)) continue;
        double u = c->velocity[a][grid_face_index(&c->grid, a, i, j, k)], row[6];
        flow_case_row(a, grid_face_center(&c->grid, a, i, j, k), row);
        for (int m = 0; m < 6; m++) out[m] += flow_case_mass(c, a, at) * u * row[m];
    }
    for (size_t t = 0; t < c->tie_count; t++) {
        const FlowCaseTie *tie = &c->ties[t];
        const FlowBody *body = &c->bodies[tie->body];
        if (!body->is_free) continue;
        double push = tie->part * c->problem.density * volume * c->velocity[tie->axis][tie->face];
        Vec3 linear = vec3_scale(push, vec3_load(tie->row));
        Vec3 angular =
            vec3_add(vec3_scale(push, vec3_load(tie->row + 3)), vec3_cross(body->center, linear));
        double both[6];
        vec3_store(both, linear);
        vec3_store(both + 3, angular);
        for (int m = 0; m < 6; m++) out[m] += both[m];
    }
    for (size_t b = 0; b < c->body_count; b++) {
        const double *v = before ? c->start[b] : c->bodies[b].velocity;
        double own[6];
        if (!c->bodies[b].is_free) continue;
        for (int m = 0; m < 6; m++) own[m] = operator_dot(c->solid_mass[b][m], v, 6);
        double moved[3];
        vec3_store(moved, vec3_cross(c->bodies[b].center, vec3_load(own)));
        for (int m = 0; m < 6; m++) out[m] += own[m] + (m >= 3 ? moved[m - 3] : 0.0);
    }
}

#endif
