/* Spheres and discs as level sets on small grids, for the tests of level set tools. */
#ifndef TESTS_LEVEL_CASE_H
#define TESTS_LEVEL_CASE_H

#include "check.h"

#include "base/scratch.h"
#include "grid/liquid_fraction.h"

typedef struct Ball {
    Vec3 centre; /* cells from the origin */
    double radius;
} Ball;

static inline Grid level_grid(int dim, int n, double spacing, bool periodic) {
    Grid grid = {.dim = dim, .n = {n, n, dim == 3 ? n : 1}, .spacing = spacing};
    for (int axis = 0; axis < 3; axis++)
        for (int end = 0; end < 2; end++)
            grid.sides[axis][end] = periodic ? SIDE_PERIODIC : end ? SIDE_OPEN : SIDE_WALL;
    return grid;
}

/* Where a value lies, in cells from the origin. */
static inline Vec3 level_point(const GridField *field, int i, int j, int k) {
    int at[3] = {i, j, k};
    double p[3] = {0, 0, 0};
    for (int axis = 0; axis < field->grid.dim; axis++)
        p[axis] = at[axis] + (grid_place_on_ends(&field->grid, field->place, axis) ? 0.0 : 0.5);
    return vec3_load(p);
}

/* m; on a periodic grid to the nearest of its images. */
static inline double ball_distance(const Grid *grid, Ball ball, Vec3 p) {
    double away[3] = {0, 0, 0};
    for (int axis = 0; axis < grid->dim; axis++) {
        away[axis] = vec3_component(p, axis) - vec3_component(ball.centre, axis);
        if (grid_is_periodic(grid, axis))
            away[axis] -= grid->n[axis] * floor(away[axis] / grid->n[axis] + 0.5);
    }
    return (vec3_length(vec3_load(away)) - ball.radius) * grid->spacing;
}

/* Values f(distance in cells) in cells, times the spacing. */
typedef double (*Profile)(double distance);

static inline double profile_distance(double d) {
    return d;
}

/* Steeper outside than inside, as an implicit function may be. */
static inline double profile_bent(double d) {
    return 2.0 * d + 0.05 * d * d;
}

static inline void level_fill(GridField *field, Ball ball, Profile profile) {
    double h = field->grid.spacing;
    for (int k = 0; k < field->n[2]; k++)
        for (int j = 0; j < field->n[1]; j++)
            for (int i = 0; i < field->n[0]; i++)
                field->data[field_index(field, i, j, k)] =
                    h * profile(ball_distance(&field->grid, ball, level_point(field, i, j, k)) / h);
}

static inline GridField level_field(PlimContext *context, const Grid *grid, GridPlace place,
                                    Ball ball, Profile profile) {
    GridField field;
    assert_int_equal(field_create(context, grid, place, 2, &field), PLIM_OK);
    level_fill(&field, ball, profile);
    return field;
}

/* Liquid in cells. */
static inline double level_volume(PlimContext *context, GridField *phi, const double *solid,
                                  int threads) {
    size_t count = grid_cell_count(&phi->grid);
    double *parts = context_allocate(context, count, sizeof *parts), sum = 0;
    assert_non_null(parts);
    field_fill_halo(phi, threads);
    liquid_fractions(phi, solid, threads, parts);
    for (size_t i = 0; i < count; i++) {
        assert_true(parts[i] >= 0 && parts[i] <= 1);
        sum += parts[i];
    }
    context_free(context, parts, count, sizeof *parts);
    return sum;
}

static inline double ball_volume(int dim, double radius) {
    const double pi = 3.14159265358979323846;
    return dim == 3 ? 4.0 / 3.0 * pi * radius * radius * radius : pi * radius * radius;
}

#endif
