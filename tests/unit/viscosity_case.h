/* Viscosity problems for tests, with their memory. */
#ifndef TESTS_VISCOSITY_CASE_H
#define TESTS_VISCOSITY_CASE_H

#include "operator_test.h"

#include "solve/viscosity/viscosity.h"

#include <stdlib.h>
#include <string.h>

typedef double (*ViscosityField)(const void *user, int component, Vec3 x);
typedef double (*ViscosityDistance)(const void *user, Vec3 x);

typedef struct ViscosityCase {
    Grid grid;
    double *velocity[3], *distance[3], *mu;
    ViscosityProblem problem;
} ViscosityCase;

/* A box of walls that hold fast, density 1, mu 1. */
static inline ViscosityCase *visc_create(int dim, int nx, int ny, int nz, double spacing) {
    ViscosityCase *c = calloc(1, sizeof *c);
    c->grid = (Grid){.dim = dim, .n = {nx, ny, dim == 3 ? nz : 1}, .spacing = spacing};
    c->problem = (ViscosityProblem){.grid = &c->grid, .density = 1.0, .mu = 1.0};
    c->mu = calloc(grid_cell_count(&c->grid), sizeof(double));
    for (int a = 0; a < dim; a++) {
        c->velocity[a] = calloc(grid_face_count(&c->grid, a), sizeof(double));
        c->distance[a] = calloc(grid_face_count(&c->grid, a), sizeof(double));
    }
    return c;
}

static inline void visc_destroy(ViscosityCase *c) {
    for (int a = 0; a < 3; a++) {
        free(c->velocity[a]);
        free(c->distance[a]);
    }
    free(c->mu);
    free(c);
}

static inline void visc_sides(ViscosityCase *c, int axis, SideKind low, SideKind high) {
    c->grid.sides[axis][0] = low;
    c->grid.sides[axis][1] = high;
}

/* Calls for every face, in the order of the compact arrays. */
#define VISC_FACES(c, a, i, j, k)                                                                  \
    for (int a = 0; a < (c)->grid.dim; a++)                                                        \
        for (int k = 0; k < (c)->grid.n[2] + (a == 2); k++)                                        \
            for (int j = 0; j < (c)->grid.n[1] + (a == 1); j++)                                    \
                for (int i = 0; i < (c)->grid.n[0] + (a == 0); i++)

static inline double *visc_at(const ViscosityCase *c, double *const faces[3], int a, int i, int j,
                              int k) {
    return &faces[a][grid_face_index(&c->grid, a, i, j, k)];
}

static inline void visc_set_velocity(ViscosityCase *c, ViscosityField field, const void *user) {
    VISC_FACES(c, a, i, j, k)
    *visc_at(c, c->velocity, a, i, j, k) = field(user, a, grid_face_center(&c->grid, a, i, j, k));
}

static inline void visc_set_distance(ViscosityCase *c, ViscosityDistance field, const void *user) {
    VISC_FACES(c, a, i, j, k)
    *visc_at(c, c->distance, a, i, j, k) = field(user, grid_face_center(&c->grid, a, i, j, k));
    for (int a = 0; a < c->grid.dim; a++) c->problem.distance[a] = c->distance[a];
}

/* The last layer of faces on periodic axes made equal to the first. */
static inline void visc_join(ViscosityCase *c, double *const faces[3]) {
    VISC_FACES(c, a, i, j, k) {
        int at[3] = {i, j, k};
        if (c->grid.sides[a][0] != SIDE_PERIODIC || at[a] != c->grid.n[a]) continue;
        at[a] = 0;
        *visc_at(c, faces, a, i, j, k) = *visc_at(c, faces, a, at[0], at[1], at[2]);
    }
}

static inline void visc_random_velocity(ViscosityCase *c, uint64_t seed) {
    for (int a = 0; a < c->grid.dim; a++)
        for (size_t f = 0; f < grid_face_count(&c->grid, a); f++)
            c->velocity[a][f] = random_normal(seed, (uint64_t)a, f);
    visc_join(c, c->velocity);
}

static inline void visc_random_mu(ViscosityCase *c, uint64_t seed) {
    for (size_t i = 0; i < grid_cell_count(&c->grid); i++)
        c->mu[i] = exp(2.0 * random_normal(seed, 20, i));
    c->problem.mu_of_cell = c->mu;
}

/* Each face by chance inside: about one in four, with any theta. */
static inline void visc_random_distance(ViscosityCase *c, uint64_t seed) {
    for (int a = 0; a < c->grid.dim; a++) {
        for (size_t f = 0; f < grid_face_count(&c->grid, a); f++)
            c->distance[a][f] = random_uniform(seed, 10 + (uint64_t)a, f) - 0.25;
        c->problem.distance[a] = c->distance[a];
    }
    visc_join(c, c->distance);
}

static inline bool visc_is_free(const ViscosityCase *c, int a, int i, int j, int k) {
    int at[3] = {i, j, k}, end = at[a] == 0 ? 0 : at[a] == c->grid.n[a] ? 1 : -1;
    if (end >= 0 && c->grid.sides[a][end] != SIDE_OPEN && c->grid.sides[a][end] != SIDE_PERIODIC)
        return false;
    return !c->problem.distance[a] || !(*visc_at(c, c->distance, a, i, j, k) < 0.0);
}

static inline SolveResult visc_solve(PlimContext *context, ViscosityCase *c, double dt,
                                     double relative) {
    Viscosity *viscosity;
    SolveResult result;
    KrylovOptions options = krylov_options_default(context->threads);
    options.relative = relative;
    options.max_iterations = 20000;
    assert_int_equal(viscosity_create(context, &c->grid, &viscosity), PLIM_OK);
    assert_int_equal(viscosity_setup(viscosity, &c->problem, context->threads), PLIM_OK);
    assert_int_equal(viscosity_solve(viscosity, &c->problem, dt, &options, c->velocity, &result),
                     PLIM_OK);
    viscosity_destroy(viscosity);
    return result;
}

/* Largest difference of free velocities from the field. */
static inline double visc_error(const ViscosityCase *c, ViscosityField field, const void *user) {
    double worst = 0.0;
    VISC_FACES(c, a, i, j, k) {
        if (!visc_is_free(c, a, i, j, k)) continue;
        double exact = field(user, a, grid_face_center(&c->grid, a, i, j, k));
        double error = fabs(*visc_at(c, c->velocity, a, i, j, k) - exact);
        worst = error > worst || isnan(error) ? error : worst;
    }
    return worst;
}

#endif
