/* Assertions and validity checks: what is right passes, and what is broken is named. */
#include "contact_world.h"

#include "base/assert.h"
#include "fluid/internal.h"
#include "geom/mesh/primitives.h"
#include "rigid/contact/contact_graph.h"
#include "solve/linear_map.h"

static void assert_problem(const char *problem, const char *part) {
    if (!problem || !strstr(problem, part))
        fail_msg("'%s' is not in '%s'", part, problem ? problem : "nothing wrong");
}

/* ---- assertions ---- */

#ifdef PLIM_ASSERTS
static jmp_buf back;
static char told[200];

/* In place of the library's, which aborts. */
void plim_assert_failed(const char *what, const char *file, int line) {
    snprintf(told, sizeof told, "%s:%d: %s", file, line, what);
    longjmp(back, 1);
}

static void an_assertion_calls_the_hook(void **state) {
    (void)state;
    PLIM_ASSERT(1 + 1 == 2);
    PLIM_ASSERT_VALID((const char *)NULL);
    if (setjmp(back) == 0) {
        PLIM_ASSERT(1 + 1 == 3);
        fail_msg("went on");
    }
    assert_non_null(strstr(told, "1 + 1 == 3"));
    assert_non_null(strstr(told, "test_validity.c:"));
    if (setjmp(back) == 0) {
        PLIM_ASSERT_VALID((const char *)"a wheel is missing");
        fail_msg("went on");
    }
    assert_non_null(strstr(told, "a wheel is missing"));
}
#else
static void an_assertion_calls_the_hook(void **state) {
    (void)state;
    int calls = 0;
    PLIM_ASSERT(++calls == 0); /* not evaluated */
    assert_int_equal(calls, 0);
}
#endif

/* ---- meshes, matrices ---- */

static void a_mesh(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    TriangleMesh mesh;
    assert_int_equal(primitive_box(context, vec3(1, 1, 1), &mesh), PLIM_OK);
    assert_null(mesh_problem(&mesh));
    mesh.triangles[3][1] = 8;
    assert_problem(mesh_problem(&mesh), "a vertex that does not exist");
    mesh.triangles[3][1] = -1;
    assert_problem(mesh_problem(&mesh), "a vertex that does not exist");
    mesh.triangles[3][1] = 3;
    mesh.vertices[7].y = NAN;
    assert_problem(mesh_problem(&mesh), "finite");
    mesh_free(context, &mesh);
    test_context_close(context);
}

static void a_matrix(void **state) {
    (void)state;
    size_t start[] = {0, 2, 2, 3};
    int32_t column[] = {0, 2, 1};
    double value[] = {1, -2, 3};
    Csr a = {3, 3, 3, start, column, value};
    assert_null(csr_problem(&a));
    start[0] = 1;
    assert_problem(csr_problem(&a), "first row");
    start[0] = 0, start[2] = 1;
    assert_problem(csr_problem(&a), "ends before");
    start[2] = 4;
    assert_problem(csr_problem(&a), "beyond the entries");
    start[2] = 2, start[3] = 2;
    assert_problem(csr_problem(&a), "hold all entries");
    start[3] = 3, column[1] = 3;
    assert_problem(csr_problem(&a), "does not exist");
    column[1] = 0;
    assert_problem(csr_problem(&a), "ascend");
    column[1] = 2, value[2] = INFINITY;
    assert_problem(csr_problem(&a), "finite");
}

/* ---- contact graph ---- */

static void supports(void **state) {
    (void)state;
    int32_t first[] = {0, 0, 1, 2}, support[] = {0, 1}, levels[] = {0, 1, 2};
    SupportGraph graph = {3, first, support};
    assert_null(support_levels_problem(&graph, levels));
    levels[1] = 3;
    assert_problem(support_levels_problem(&graph, levels), "below one that it rests on");
    support[1] = 3;
    levels[1] = 1;
    assert_problem(support_levels_problem(&graph, levels), "does not exist");
}

static void levels_and_islands(void **state) {
    (void)state;
    SolverBody bodies[3] = {{.moves = false}, {.moves = true}, {.moves = true}};
    ContactPair pairs[2] = {{.a = 0, .b = 1, .level = 1, .found = true},
                            {.a = 1, .b = 2, .level = 2, .found = true}};
    int32_t levels[3] = {0, 1, 2}, held[2] = {0, 1}, of_body[3] = {-1, 0, 0};
    ContactIsland islands[1] = {{.first = 0, .pairs = 2}};
    RigidContacts c = {.pairs = {pairs, 2, 2},
                       .solver_bodies = {bodies, 3, 3},
                       .levels = {levels, 3, 3},
                       .islands = {islands, 1, 1},
                       .island_pairs = {held, 2, 2},
                       .body_islands = {of_body, 3, 3}};
    assert_null(contact_graph_problem(&c));
    assert_null(contact_islands_problem(&c));
    levels[0] = 1;
    assert_problem(contact_graph_problem(&c), "has no level");
    levels[0] = 0, pairs[1].level = 1;
    assert_problem(contact_graph_problem(&c), "higher body");
    pairs[1].level = 2, pairs[1].a = 0, pairs[1].b = 1;
    assert_problem(contact_graph_problem(&c), "not sorted");
    pairs[1].a = 2, pairs[1].b = 2;
    assert_problem(contact_graph_problem(&c), "not in order");
    pairs[1].a = 1;
    held[0] = 1, held[1] = 0;
    assert_problem(contact_islands_problem(&c), "increase upward");
    held[0] = 0, held[1] = 2;
    assert_problem(contact_islands_problem(&c), "a pair too many");
    held[1] = 1, of_body[2] = -1;
    assert_problem(contact_islands_problem(&c), "in the island");
    of_body[2] = 0, islands[0].first = 1;
    assert_problem(contact_islands_problem(&c), "follow one another");
    islands[0].first = 0, islands[0].pairs = 1;
    assert_problem(contact_islands_problem(&c), "in no island");
}

/* ---- cut grid ---- */

static void a_cut_grid(void **state) {
    (void)state;
    enum { N = 2, FACES = (N + 1) * N };
    double open_x[FACES], open_y[FACES];
    unsigned char kind[N * N];
    Fluid fluid = {.grid = {.dim = 2, .n = {N, N, 1}, .spacing = 1}};
    for (int axis = 0; axis < 2; axis++)
        for (int end = 0; end < 2; end++) fluid.grid.sides[axis][end] = SIDE_WALL;
    for (int i = 0; i < FACES; i++) open_x[i] = open_y[i] = 1;
    for (int i = 0; i < N * N; i++) kind[i] = CELL_FLUID;
    fluid.cut.open[0] = open_x;
    fluid.cut.open[1] = open_y;
    fluid.cut.kind = kind;
    fluid.cut.fluid_cells = N * N;
    assert_null(fluid_cut_problem(&fluid));
    fluid.cut.fluid_cells = 3;
    assert_problem(fluid_cut_problem(&fluid), "counted");
    fluid.cut.fluid_cells = N * N;
    const double wrong[] = {-0.1, 1.1, NAN};
    for (int i = 0; i < 3; i++) {
        open_y[2] = wrong[i];
        assert_problem(fluid_cut_problem(&fluid), "aperture");
    }
    open_y[2] = 1;
    kind[0] = CELL_SOLID;
    assert_problem(fluid_cut_problem(&fluid), "open face");
    kind[0] = 77;
    assert_problem(fluid_cut_problem(&fluid), "neither");
}

/* ---- lists of fixed room ---- */

static void lists_that_are_full(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    FrameView view = {0};
    FrameMesh mesh = {.name = "mesh"};
    FrameVolume volume = {.name = "volume"};
    FramePoints points = {.name = "points"};
    for (int i = 0; i < FRAME_VIEW_CAPACITY; i++) {
        assert_int_equal(frame_view_add_mesh(context, &view, &mesh), PLIM_OK);
        assert_int_equal(frame_view_add_volume(context, &view, &volume), PLIM_OK);
        assert_int_equal(frame_view_add_points(context, &view, &points), PLIM_OK);
    }
    assert_int_equal(frame_view_add_mesh(context, &view, &mesh), PLIM_FAILED);
    assert_problem(plim_message(context), "16 meshes");
    assert_int_equal(frame_view_add_volume(context, &view, &volume), PLIM_FAILED);
    assert_problem(plim_message(context), "16 volumes");
    assert_int_equal(frame_view_add_points(context, &view, &points), PLIM_FAILED);
    assert_problem(plim_message(context), "16 sets of points");
    test_context_close(context);
}

static void figures_that_are_too_many(void **state) {
    (void)state;
    static char names[DIAGNOSTICS_CAPACITY][8];
    Arena arena = arena_open(-9.81);
    for (int i = 0; i < DIAGNOSTICS_CAPACITY; i++) {
        snprintf(names[i], sizeof names[i], "f%d", i);
        diagnostics_add(&arena.world->diagnostics, names[i], 1.0);
    }
    assert_int_equal(arena.world->diagnostics.left_out[0], '\0');
    assert_int_equal(plim_world_measure(arena.world), PLIM_FAILED);
    assert_problem(plim_message(arena.context), "'wall.predict' is one figure too many");
    assert_int_equal(plim_world_figure_count(arena.world), DIAGNOSTICS_CAPACITY);
    arena_close(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_assertion_calls_the_hook),
        cmocka_unit_test(a_mesh),
        cmocka_unit_test(a_matrix),
        cmocka_unit_test(supports),
        cmocka_unit_test(levels_and_islands),
        cmocka_unit_test(a_cut_grid),
        cmocka_unit_test(lists_that_are_full),
        cmocka_unit_test(figures_that_are_too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
