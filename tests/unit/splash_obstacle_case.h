/* A splashing liquid made by hand: its grid, colliders and what they fill, without particles. */
#ifndef TESTS_SPLASH_OBSTACLE_CASE_H
#define TESTS_SPLASH_OBSTACLE_CASE_H

#include "check.h"

#include "splash/internal.h"

#include <stdlib.h>

typedef struct Case {
    PlimContext *context;
    Splash splash;
    StepInfo step;
    Collider places[4]; /* of bodies */
    const Solid *solids[4];
} Case;

static inline void read_place(const void *system, size_t body, Collider *collider) {
    const Case *test = system;
    const Solid *solid = collider->solid;
    *collider = test->places[body];
    collider->solid = solid;
}

static inline Surface describe_place(const void *system, size_t body) {
    const Case *test = system;
    return (Surface){.motion = SURFACE_PRESCRIBED, .solid = test->solids[body]};
}

static inline Grid make_grid(int dim, int nx, int ny, int nz) {
    return (Grid){.dim = dim,
                  .n = {nx, ny, dim == 3 ? nz : 1},
                  .spacing = 0.25,
                  .origin = {-1.5, 0.5, dim == 3 ? 2 : 0}};
}

/* Where tests say that it is a collider at rest. */
#define AT_REST SIZE_MAX

static inline void add_collider(Case *test, const Solid *solid, size_t body) {
    static const SurfaceClass places = {.describe = describe_place, .read = read_place};
    Immersed *colliders = &test->splash.colliders;
    if (body == AT_REST) {
        assert_int_equal(immersed_add_obstacles(colliders, solid), PLIM_OK);
        return;
    }
    test->solids[body] = solid;
    ImmersedSurface surface = {.ref = {&places, test, body}};
    assert_int_equal(immersed_add(colliders, &surface), PLIM_OK);
}

static inline Case *case_create(const Grid *grid, int threads, int samples, bool bilateral) {
    Case *test = calloc(1, sizeof *test);
    Splash *splash = &test->splash;
    test->context = test_context(threads);
    test->step = (StepInfo){.context = test->context, .threads = threads, .dt = 0.01};
    splash->context = test->context;
    splash->desc =
        (SplashDesc){.density = 1000,
                     .samples = samples,
                     .cfl = 2,
                     .incompressibility = bilateral ? SPLASH_BILATERAL : SPLASH_UNILATERAL};
    splash->grid = splash->padded = *grid;
    splash->colliders = (Immersed){.context = test->context, .grid = *grid};
    double origin[3];
    vec3_store(origin, grid->origin);
    for (int axis = 0; axis < grid->dim; axis++) {
        splash->padded.n[axis] += 2;
        origin[axis] -= grid->spacing;
    }
    splash->padded.origin = vec3_load(origin);
    size_t cells = grid_cell_count(&splash->padded);
    splash->most = calloc(cells, sizeof *splash->most);
    splash->near = calloc(cells, 1);
    splash->closed = calloc(cells, 1);
    for (int axis = 0; axis < grid->dim; axis++) {
        size_t faces = grid_face_count(&splash->padded, axis);
        splash->fraction[axis] = calloc(faces, sizeof(double));
        splash->open[axis] = calloc(faces, sizeof(double));
    }
    return test;
}

static inline void place(Case *test, bool fresh) {
    assert_int_equal(splash_place_obstacles(&test->splash, &test->step, fresh), PLIM_OK);
}

static inline void case_destroy(Case *test) {
    Splash *splash = &test->splash;
    splash_free_obstacles(splash);
    immersed_free(&splash->colliders);
    free(splash->most);
    free(splash->near);
    free(splash->closed);
    for (int axis = 0; axis < 3; axis++) {
        free(splash->fraction[axis]);
        free(splash->open[axis]);
    }
    test_context_close(test->context);
    free(test);
}

static inline Solid make_box(double x, double y, double z, double sx, double sy, double sz) {
    Solid box = solid_default(SOLID_BOX);
    box.position = vec3(x, y, z);
    box.size[0] = sx;
    box.size[1] = sy;
    box.size[2] = sz;
    return box;
}

#endif
