/* What the tests of advection share: carriers and a field to carry, made from functions or at
 * random. */
#ifndef TESTS_ADVECT_CASE_H
#define TESTS_ADVECT_CASE_H

#include "check.h"

#include "base/random.h"
#include "grid/advect.h"

#include <stdlib.h>

typedef double (*Function)(Vec3 p);

static const GridPlace places[] = {PLACE_CELLS, PLACE_NODES, PLACE_FACES_X, PLACE_FACES_Y,
                                   PLACE_FACES_Z};

static inline int place_count(int dim) {
    return dim + 2;
}

static inline Grid make_grid(int dim, int nx, int ny, int nz, bool periodic) {
    Grid grid = {.dim = dim,
                 .n = {nx, ny, dim == 3 ? nz : 1},
                 .spacing = 0.37,
                 .origin = {-1.3, 0.4, dim == 3 ? 2.1 : 0.0}};
    for (int axis = 0; axis < 3; axis++)
        for (int end = 0; end < 2; end++)
            grid.sides[axis][end] = periodic ? SIDE_PERIODIC : end ? SIDE_OPEN : SIDE_WALL;
    return grid;
}

/* The unit square or cube. */
static inline Grid unit_grid(int dim, int n, bool periodic) {
    Grid grid = make_grid(dim, n, n, n, periodic);
    grid.spacing = 1.0 / n;
    grid.origin = vec3(0, 0, 0);
    return grid;
}

static inline Vec3 place_point(const Grid *grid, GridPlace place, int i, int j, int k) {
    double h = grid->spacing, o[3];
    for (int axis = 0; axis < 3; axis++)
        o[axis] = grid_place_on_ends(grid, place, axis) ? 0.0 : 0.5;
    return vec3(grid->origin.x + (i + o[0]) * h, grid->origin.y + (j + o[1]) * h,
                grid->dim == 3 ? grid->origin.z + (k + o[2]) * h : 0.0);
}

/* Where the value with number `at` of a compact array is. */
static inline Vec3 value_point(const GridField *field, size_t at) {
    size_t nx = (size_t)field->n[0], ny = (size_t)field->n[1];
    return place_point(&field->grid, field->place, (int)(at % nx), (int)(at / nx % ny),
                       (int)(at / nx / ny));
}

static inline size_t value_index(const GridField *field, size_t at) {
    size_t nx = (size_t)field->n[0], ny = (size_t)field->n[1];
    return field_index(field, (int)(at % nx), (int)(at / nx % ny), (int)(at / nx / ny));
}

static inline size_t value_count(const GridField *field) {
    return grid_place_count(&field->grid, field->place);
}

static inline GridField make_field(PlimContext *context, const Grid *grid, GridPlace place,
                                   Function f) {
    GridField field;
    assert_int_equal(field_create(context, grid, place, ADVECT_HALO, &field), PLIM_OK);
    for (size_t at = 0; at < value_count(&field); at++)
        field.data[value_index(&field, at)] = f(value_point(&field, at));
    field_fill_halo(&field, 1);
    return field;
}

static inline GridField make_random(PlimContext *context, const Grid *grid, GridPlace place,
                                    uint64_t stream, double scale) {
    GridField field;
    assert_int_equal(field_create(context, grid, place, ADVECT_HALO, &field), PLIM_OK);
    for (size_t at = 0; at < value_count(&field); at++)
        field.data[value_index(&field, at)] = scale * (2.0 * random_uniform(3, stream, at) - 1.0);
    field_fill_halo_constant(&field, 1);
    return field;
}

/* Carriers, a field to carry, and memory: what every test needs. */
typedef struct Setup {
    PlimContext *context;
    Scratch scratch;
    GridField velocity[3];
    GridField values;
    Advection advection;
} Setup;

static inline Setup make_setup(int threads, int trace_order, AdvectionScheme scheme, double dt) {
    Setup setup = {.context = test_context(threads),
                   .advection = {.scheme = scheme, .trace_order = trace_order, .dt = dt}};
    scratch_init(&setup.scratch, setup.context);
    return setup;
}

static inline void set_carriers(Setup *setup, const Grid *grid, bool on_nodes,
                                const Function velocity[]) {
    for (int axis = 0; axis < grid->dim; axis++)
        setup->velocity[axis] = make_field(
            setup->context, grid, on_nodes ? PLACE_NODES : grid_place_faces(axis), velocity[axis]);
}

static inline void set_random_carriers(Setup *setup, const Grid *grid, bool on_nodes,
                                       double scale) {
    for (int axis = 0; axis < grid->dim; axis++)
        setup->velocity[axis] =
            make_random(setup->context, grid, on_nodes ? PLACE_NODES : grid_place_faces(axis),
                        20 + (uint64_t)axis, scale);
}

static inline void carry(Setup *setup) {
    for (int axis = 0; axis < setup->values.grid.dim; axis++)
        setup->advection.velocity[axis] = &setup->velocity[axis];
    GridField *values[] = {&setup->values};
    assert_int_equal(
        advect_fields(&setup->advection, values, 1, setup->context->threads, &setup->scratch),
        PLIM_OK);
}

static inline void drop_fields(Setup *setup) {
    for (int axis = 0; axis < 3; axis++) field_free(setup->context, &setup->velocity[axis]);
    field_free(setup->context, &setup->values);
}

static inline void close_setup(Setup *setup) {
    drop_fields(setup);
    scratch_free(&setup->scratch);
    test_context_close(setup->context);
}

static inline double *compact_copy(const GridField *field) {
    double *values = malloc(value_count(field) * sizeof *values);
    field_store(field, 1, values);
    return values;
}

/* ---- functions ---- */

static inline double linear_function(Vec3 p) {
    return 0.7 + 1.3 * p.x - 2.1 * p.y + 0.4 * p.z;
}

static inline double speed_x(Vec3 p) {
    (void)p;
    return 0.83;
}

static inline double speed_y(Vec3 p) {
    (void)p;
    return -0.61;
}

static inline double speed_z(Vec3 p) {
    (void)p;
    return 0.37;
}

static inline double zero(Vec3 p) {
    (void)p;
    return 0.0;
}

#endif
