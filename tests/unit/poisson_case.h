/* Pressure problems for tests, with their memory. */
#ifndef TESTS_POISSON_CASE_H
#define TESTS_POISSON_CASE_H

#include "check.h"

#include "base/random.h"
#include "solve/pressure/poisson.h"

#include <stdlib.h>
#include <string.h>

typedef struct PoissonCase {
    Grid grid;
    unsigned char *kind;
    double *coefficient[3], *phi, *air, *b, *p;
    PoissonProblem problem;
} PoissonCase;

static inline PoissonCase *case_create(const int n[3], int dim, double spacing) {
    PoissonCase *c = calloc(1, sizeof *c);
    c->grid = (Grid){.dim = dim, .n = {n[0], n[1], n[2]}, .spacing = spacing};
    size_t cells = grid_cell_count(&c->grid);
    c->kind = calloc(cells, 1);
    c->phi = calloc(cells, sizeof(double));
    c->air = calloc(cells, sizeof(double));
    c->b = calloc(cells, sizeof(double));
    c->p = calloc(cells, sizeof(double));
    c->problem = (PoissonProblem){.grid = &c->grid, .kind = c->kind};
    for (int a = 0; a < dim; a++) {
        size_t faces = grid_face_count(&c->grid, a);
        c->coefficient[a] = malloc(faces * sizeof(double));
        for (size_t i = 0; i < faces; i++) c->coefficient[a][i] = 1.0;
    }
    return c;
}

static inline void case_use_coefficients(PoissonCase *c) {
    for (int a = 0; a < 3; a++) c->problem.coefficient[a] = c->coefficient[a];
}

static inline void case_destroy(PoissonCase *c) {
    free(c->kind);
    free(c->phi);
    free(c->air);
    free(c->b);
    free(c->p);
    for (int a = 0; a < 3; a++) free(c->coefficient[a]);
    free(c);
}

static inline void case_random_b(PoissonCase *c, uint64_t seed) {
    for (size_t i = 0; i < grid_cell_count(&c->grid); i++) c->b[i] = random_normal(seed, 9, i);
}

/* Sets up and solves; the context must outlive nothing. */
static inline SolveResult case_solve(PlimContext *context, PoissonCase *c, PoissonMethod method,
                                     double relative) {
    Poisson *poisson;
    SolveResult result;
    double incompatible;
    KrylovOptions options = krylov_options_default(context->threads);
    options.relative = relative;
    options.max_iterations = 4000;
    assert_int_equal(poisson_create(context, &c->grid, method, &poisson), PLIM_OK);
    assert_int_equal(poisson_setup(poisson, &c->problem), PLIM_OK);
    assert_int_equal(poisson_solve(poisson, &options, c->b, c->p, &result, &incompatible), PLIM_OK);
    poisson_destroy(poisson);
    return result;
}

#endif
