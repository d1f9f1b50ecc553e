/* Distance fields against closed formulas, brute force and an independent winding number. */
#include "ration.h"

#include "base/file.h"
#include "base/random.h"
#include "geom/level_set/level_set.h"
#include "geom/mesh/primitives.h"
#include "geom/query/closest.h"
#include "math/quat.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double pi = 3.14159265358979323846;

/* A mesh with its hierarchy and its field. */
typedef struct Solid {
    PlimContext *context;
    TriangleMesh mesh;
    Bvh *bvh;
    LevelSet *field;
    LevelSetReport report;
} Solid;

static LevelSetOptions with_cells(int cells) {
    LevelSetOptions options = level_set_options_default();
    options.cells = cells;
    return options;
}

static void solid_build(Solid *solid, LevelSetOptions options) {
    BvhInput input = bvh_input_triangles(&solid->mesh);
    assert_int_equal(bvh_create(solid->context, &input, &solid->bvh), PLIM_OK);
    assert_int_equal(level_set_from_mesh(solid->context, &solid->mesh, solid->bvh, &options,
                                         &solid->field, &solid->report),
                     PLIM_OK);
}

static void solid_free(Solid *solid) {
    level_set_destroy(solid->field);
    bvh_destroy(solid->bvh);
    mesh_free(solid->context, &solid->mesh);
}

/* Calls `visit` for every node. */
typedef void (*NodeVisit)(const Solid *solid, Vec3 p, double value, void *user);

static void each_node(const Solid *solid, NodeVisit visit, void *user) {
    const NodeGrid *grid = level_set_grid(solid->field);
    for (int k = 0; k < grid->n[2]; k++)
        for (int j = 0; j < grid->n[1]; j++)
            for (int i = 0; i < grid->n[0]; i++)
                visit(solid, node_grid_position(grid, i, j, k),
                      level_set_node(solid->field, i, j, k), user);
}

static Vec3 triangle_corner(const TriangleMesh *mesh, size_t triangle, int i) {
    return mesh->vertices[mesh->triangles[triangle][i]];
}

static double brute_distance(const TriangleMesh *mesh, Vec3 p) {
    double least = HUGE_VAL, weights[3];
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        Vec3 q = closest_on_triangle(p, triangle_corner(mesh, t, 0), triangle_corner(mesh, t, 1),
                                     triangle_corner(mesh, t, 2), weights);
        least = fmin(least, vec3_length(vec3_sub(p, q)));
    }
    return least;
}

/* The winding number by solid angles (van Oosterom and Strackee 1983). */
static double winding_number(const TriangleMesh *mesh, Vec3 p) {
    double sum = 0.0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        Vec3 a = vec3_sub(triangle_corner(mesh, t, 0), p);
        Vec3 b = vec3_sub(triangle_corner(mesh, t, 1), p);
        Vec3 c = vec3_sub(triangle_corner(mesh, t, 2), p);
        double la = vec3_length(a), lb = vec3_length(b), lc = vec3_length(c);
        sum += atan2(vec3_dot(a, vec3_cross(b, c)), la * lb * lc + vec3_dot(a, b) * lc +
                                                        vec3_dot(b, c) * la + vec3_dot(c, a) * lb);
    }
    return sum / (2.0 * pi);
}

/* ---- distances ---- */

typedef struct BallCheck {
    double sagitta, worst;
    size_t checked;
} BallCheck;

static void check_ball_node(const Solid *solid, Vec3 p, double value, void *user) {
    BallCheck *check = user;
    double exact = vec3_length(p) - 1.0, h = level_set_grid(solid->field)->spacing;
    if (fabs(exact) > 3.0 * h) return;
    double error = fmax(value - exact - check->sagitta, exact - value);
    check->worst = fmax(check->worst, error / h);
    check->checked++;
}

static void ball_is_within_two_percent(void **state) {
    (void)state;
    Solid ball = {.context = test_context(2)};
    assert_int_equal(primitive_ball(ball.context, 1.0, 5, &ball.mesh), PLIM_OK);
    solid_build(&ball, with_cells(64));
    BallCheck check = {0};
    for (size_t t = 0; t < ball.mesh.triangle_count; t++) {
        Vec3 a = triangle_corner(&ball.mesh, t, 0), b = triangle_corner(&ball.mesh, t, 1);
        Vec3 n = vec3_normalize(
            vec3_cross(vec3_sub(b, a), vec3_sub(triangle_corner(&ball.mesh, t, 2), a)));
        check.sagitta = fmax(check.sagitta, 1.0 - vec3_dot(a, n));
    }
    each_node(&ball, check_ball_node, &check);
    print_message("ball of %zu triangles at 64 cells: %zu nodes in the band, error beyond faceting "
                  "%.2g cells\n",
                  ball.mesh.triangle_count, check.checked, check.worst);
    assert_true(check.checked > 50000);
    assert_true(check.worst < 0.02);
    assert_true(ball.report.closed && !ball.report.from_cache);
    assert_int_equal(ball.report.regions, 2);
    assert_int_equal(ball.report.voted, 0);
    solid_free(&ball);
    test_context_close(ball.context);
}

static double box_distance(Vec3 half, Vec3 p) {
    Vec3 q = vec3(fabs(p.x) - half.x, fabs(p.y) - half.y, fabs(p.z) - half.z);
    Vec3 out = vec3_max(q, vec3(0, 0, 0));
    return vec3_length(out) + fmin(fmax(q.x, fmax(q.y, q.z)), 0.0);
}

typedef struct BoxCheck {
    Quat turn;
    Vec3 half;
    double worst, worst_far;
    size_t checked;
} BoxCheck;

static void check_box_node(const Solid *solid, Vec3 p, double value, void *user) {
    BoxCheck *check = user;
    double exact = box_distance(check->half, quat_rotate_inverse(check->turn, p));
    double h = level_set_grid(solid->field)->spacing;
    if (fabs(exact) > 1e-12) assert_true((value < 0.0) == (exact < 0.0));
    check->worst_far = fmax(check->worst_far, fabs(value - exact) / h);
    if (fabs(exact) > 3.0 * h) return;
    check->worst = fmax(check->worst, fabs(value - exact));
    check->checked++;
}

/* Nodes lie on the faces of the box that is not turned. */
static void boxes_are_exact(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    for (int turned = 0; turned < 3; turned++) {
        Solid box = {.context = context};
        BoxCheck check = {.turn = quat_identity(), .half = vec3(0.5, 0.5, 0.5)};
        if (turned > 0) check.turn = quat_exp(vec3(0.3 * turned, -0.8, 0.5));
        if (turned == 2) check.half = vec3(0.5, 0.11, 0.23);
        assert_int_equal(primitive_box(context, vec3_scale(2.0, check.half), &box.mesh), PLIM_OK);
        for (size_t i = 0; i < box.mesh.vertex_count; i++)
            box.mesh.vertices[i] = quat_rotate(check.turn, box.mesh.vertices[i]);
        solid_build(&box, with_cells(48));
        each_node(&box, check_box_node, &check);
        print_message("box %d: error %.2g in the band, %.2g cells beyond\n", turned, check.worst,
                      check.worst_far);
        assert_true(check.checked > 5000);
        assert_true(check.worst < 1e-12);
        assert_true(check.worst_far < 0.5);
        assert_int_equal(box.report.regions, 2);
        solid_free(&box);
    }
    test_context_close(context);
}

typedef struct BruteCheck {
    uint64_t counter;
    double worst;
    size_t checked;
    bool any_sign; /* solids overlap: inside, triangles that are buried do not count */
} BruteCheck;

static void check_brute(const Solid *solid, Vec3 p, double value, void *user) {
    BruteCheck *check = user;
    double h = level_set_grid(solid->field)->spacing;
    if (fabs(value) > 3.5 * h || (value < 0.0 && check->any_sign)) return;
    if (random_uniform(77, 0, check->counter++) > 0.05) return;
    double exact = brute_distance(&solid->mesh, p);
    if (exact > 3.0 * h) return;
    check->worst = fmax(check->worst, fabs(fabs(value) - exact));
    check->checked++;
}

/* Smooth and sharp, slivers and all: every vertex of the mesh is pushed about. */
static void band_is_the_least_of_all_triangles(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    for (int which = 0; which < 5; which++) {
        Solid solid = {.context = context};
        if (which == 0)
            assert_int_equal(primitive_torus(context, 1.0, 0.4, 64, 30, &solid.mesh), PLIM_OK);
        if (which == 1)
            assert_int_equal(primitive_cylinder(context, 0.7, 1.5, 40, &solid.mesh), PLIM_OK);
        if (which == 2)
            assert_int_equal(primitive_capsule(context, 0.5, 1.0, 60, 15, &solid.mesh), PLIM_OK);
        if (which >= 3) assert_int_equal(primitive_ball(context, 1.0, 4, &solid.mesh), PLIM_OK);
        double push = which == 3 ? 0.01 : which == 4 ? 0.2 : 0.0;
        for (size_t i = 0; i < solid.mesh.vertex_count; i++) {
            double r = 1.0 + push * random_normal(5, (uint64_t)which, i);
            solid.mesh.vertices[i] = vec3_scale(r, solid.mesh.vertices[i]);
        }
        solid_build(&solid, with_cells(30));
        BruteCheck check = {.counter = (uint64_t)which << 32};
        check.any_sign = which == 4; /* passes through itself */
        each_node(&solid, check_brute, &check);
        assert_true(check.checked > 100);
        assert_true(check.worst < 1e-13);
        solid_free(&solid);
    }
    test_context_close(context);
}

/* ---- signs ---- */

static PlimStatus append_mesh(PlimContext *context, TriangleMesh *all, const TriangleMesh *part,
                              Quat turn, Vec3 at) {
    TriangleMesh joined;
    TRY(mesh_allocate(context, &joined, all->vertex_count + part->vertex_count,
                      all->triangle_count + part->triangle_count));
    if (all->vertex_count) {
        memcpy(joined.vertices, all->vertices, all->vertex_count * sizeof *all->vertices);
        memcpy(joined.triangles, all->triangles, all->triangle_count * sizeof *all->triangles);
    }
    for (size_t i = 0; i < part->vertex_count; i++)
        joined.vertices[all->vertex_count + i] = vec3_add(quat_rotate(turn, part->vertices[i]), at);
    for (size_t t = 0; t < part->triangle_count; t++)
        for (int i = 0; i < 3; i++)
            joined.triangles[all->triangle_count + t][i] =
                part->triangles[t][i] + (int32_t)all->vertex_count;
    mesh_free(context, all);
    *all = joined;
    return PLIM_OK;
}

/* Boxes, balls and tori thrown together; some aligned with the grid, some inside others. */
static void make_soup(PlimContext *context, uint64_t seed, int parts, int detail,
                      TriangleMesh *soup) {
    *soup = (TriangleMesh){0};
    for (int i = 0; i < parts; i++) {
        uint64_t n = (uint64_t)i * 16;
        double size = 0.2 + 0.5 * random_uniform(seed, 1, n);
        Vec3 at = vec3(random_uniform(seed, 1, n + 1), random_uniform(seed, 1, n + 2),
                       random_uniform(seed, 1, n + 3));
        Quat turn =
            quat_normalize((Quat){random_normal(seed, 2, n), random_normal(seed, 2, n + 1),
                                  random_normal(seed, 2, n + 2), random_normal(seed, 2, n + 3)});
        if (i % 4 == 0) turn = quat_identity();
        TriangleMesh part;
        PlimStatus status;
        if (i % 3 == 0)
            status = primitive_box(context, vec3(size, 0.7 * size, 1.2 * size), &part);
        else if (i % 3 == 1)
            status = primitive_ball(context, 0.6 * size, detail, &part);
        else
            status = primitive_torus(context, 0.6 * size, 0.25 * size, 8 << detail / 2,
                                     4 << detail / 2, &part);
        assert_int_equal(status, PLIM_OK);
        assert_int_equal(append_mesh(context, soup, &part, turn, at), PLIM_OK);
        mesh_free(context, &part);
    }
}

static size_t point_count(void) {
    const char *asked = getenv("PLIM_FIELD_POINTS");
    return asked ? strtoull(asked, NULL, 10) : (size_t)test_size(10000, 3000);
}

static void signs_are_winding_numbers(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    enum { SOUPS = 10 };
    size_t checked = 0, inside = 0;
    for (uint64_t seed = 0; checked < point_count(); seed++) {
        Solid soup = {.context = context};
        make_soup(context, seed, 3 + (int)(seed % 7), 2, &soup.mesh);
        LevelSetOptions options = with_cells(48);
        if (seed % 3 == 2) options.memory_limit = 0;
        solid_build(&soup, options);
        assert_true(soup.report.closed);
        Box3 box = bvh_bounds(soup.bvh);
        double h = level_set_grid(soup.field)->spacing;
        for (uint64_t i = 0; i < 2 * point_count() / SOUPS; i++) {
            Vec3 u = vec3(random_uniform(seed, 3, 3 * i), random_uniform(seed, 3, 3 * i + 1),
                          random_uniform(seed, 3, 3 * i + 2));
            Vec3 size = vec3_sub(box.high, box.low);
            Vec3 p = vec3_add(box.low, vec3(u.x * size.x, u.y * size.y, u.z * size.z));
            if (bvh_closest(soup.bvh, p, 1.5 * h).primitive != BVH_NONE) continue;
            double winding = winding_number(&soup.mesh, p);
            assert_close(winding, round(winding), 1e-9);
            assert_int_equal(level_set_value(soup.field, p) < 0.0, winding > 0.5);
            checked++;
            inside += winding > 0.5;
        }
        solid_free(&soup);
    }
    print_message("%zu points, %zu of them inside\n", checked, inside);
    assert_true(inside > checked / 10);
    test_context_close(context);
}

/* Inside the union the distance is that to its boundary where no wall that ends inside is near. */
static void buried_walls_do_not_count(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    for (int sparse = 0; sparse < 2; sparse++) {
        Solid solid = {.context = context};
        TriangleMesh ball;
        assert_int_equal(primitive_box(context, vec3(2, 2, 2), &solid.mesh), PLIM_OK);
        assert_int_equal(primitive_ball(context, 0.4, 3, &ball), PLIM_OK);
        assert_int_equal(append_mesh(context, &solid.mesh, &ball, quat_identity(), vec3(0.1, 0, 0)),
                         PLIM_OK);
        mesh_free(context, &ball);
        LevelSetOptions options = with_cells(32);
        if (sparse) options.memory_limit = 0;
        solid_build(&solid, options);
        assert_int_equal(level_set_is_sparse(solid.field), sparse);
        assert_close(level_set_value(solid.field, vec3(0.5, 0, 0)), -0.5, sparse ? 0.3 : 0.02);
        assert_close(level_set_value(solid.field, vec3(0.1, 0, 0)), -0.9, sparse ? 0.3 : 0.04);
        assert_close(level_set_value(solid.field, vec3(0, 0.95, 0)), -0.05, 1e-12);
        solid_free(&solid);
    }
    test_context_close(context);
}

/* Removes about `share` of the triangles and returns them as a mesh that shares the vertices. */
static TriangleMesh punch_holes(TriangleMesh *mesh, double share, uint64_t seed,
                                PlimContext *context) {
    TriangleMesh holes;
    assert_int_equal(mesh_allocate(context, &holes, mesh->vertex_count, mesh->triangle_count),
                     PLIM_OK);
    memcpy(holes.vertices, mesh->vertices, mesh->vertex_count * sizeof *mesh->vertices);
    size_t kept = 0, gone = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        bool goes = random_uniform(seed, 0, t) < share;
        memcpy(goes ? holes.triangles[gone] : mesh->triangles[kept], mesh->triangles[t],
               sizeof mesh->triangles[t]);
        *(goes ? &gone : &kept) += 1;
    }
    holes.triangle_count = gone;
    mesh->triangle_count = kept;
    return holes;
}

typedef struct HoleCheck {
    TriangleMesh whole, holes;
    Bvh *whole_bvh, *holes_bvh;
    uint64_t counter;
    size_t checked, wrong, near;
} HoleCheck;

static void check_hole_node(const Solid *solid, Vec3 p, double value, void *user) {
    HoleCheck *check = user;
    double h = level_set_grid(solid->field)->spacing;
    if (random_uniform(78, 0, check->counter++) > 0.04) return;
    if (bvh_closest(check->whole_bvh, p, 1e-3 * h).primitive != BVH_NONE) return;
    bool wrong = (value < 0.0) != (winding_number(&check->whole, p) > 0.5);
    if (bvh_closest(check->holes_bvh, p, 2.0 * h).primitive != BVH_NONE) {
        check->near += wrong;
        return;
    }
    check->checked++;
    check->wrong += wrong;
}

static void signs_survive_holes(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    for (uint64_t which = 0; which < 4; which++) {
        Solid solid = {.context = context};
        HoleCheck check = {0};
        if (which == 0)
            assert_int_equal(primitive_ball(context, 1.0, 4, &solid.mesh), PLIM_OK);
        else if (which == 1)
            assert_int_equal(primitive_torus(context, 1.0, 0.4, 80, 40, &solid.mesh), PLIM_OK);
        else
            make_soup(context, which, 6, 4, &solid.mesh);
        assert_int_equal(mesh_allocate(context, &check.whole, solid.mesh.vertex_count,
                                       solid.mesh.triangle_count),
                         PLIM_OK);
        memcpy(check.whole.vertices, solid.mesh.vertices,
               solid.mesh.vertex_count * sizeof *solid.mesh.vertices);
        memcpy(check.whole.triangles, solid.mesh.triangles,
               solid.mesh.triangle_count * sizeof *solid.mesh.triangles);
        check.holes = punch_holes(&solid.mesh, 0.01, 40 + which, context);
        BvhInput whole = bvh_input_triangles(&check.whole);
        BvhInput holes = bvh_input_triangles(&check.holes);
        assert_int_equal(bvh_create(context, &whole, &check.whole_bvh), PLIM_OK);
        assert_int_equal(bvh_create(context, &holes, &check.holes_bvh), PLIM_OK);
        solid_build(&solid, with_cells(40));
        assert_false(solid.report.closed);
        each_node(&solid, check_hole_node, &check);
        print_message("%zu of %zu triangles removed: %zu of %zu nodes wrong away from the holes, "
                      "%zu wrong near them, rays disagree at %zu\n",
                      check.holes.triangle_count, check.whole.triangle_count, check.wrong,
                      check.checked, check.near, solid.report.voted);
        assert_int_equal(check.wrong, 0);
        solid.mesh.triangle_count = check.whole.triangle_count; /* as it was made */
        solid_free(&solid);
        bvh_destroy(check.whole_bvh);
        bvh_destroy(check.holes_bvh);
        check.holes.triangle_count = check.whole.triangle_count;
        mesh_free(context, &check.holes);
        mesh_free(context, &check.whole);
    }
    test_context_close(context);
}

static void count_inside(const Solid *solid, Vec3 p, double value, void *user) {
    (void)solid;
    (void)p;
    *(size_t *)user += value < 0.0;
}

/* Turned inside out, a winding number of -1 is not inside: the caller orients first. */
static void inside_out_has_no_inside(void **state) {
    (void)state;
    Solid ball = {.context = test_context(1)};
    size_t inside = 0;
    assert_int_equal(primitive_ball(ball.context, 1.0, 2, &ball.mesh), PLIM_OK);
    for (size_t t = 0; t < ball.mesh.triangle_count; t++) {
        int32_t kept = ball.mesh.triangles[t][0];
        ball.mesh.triangles[t][0] = ball.mesh.triangles[t][1];
        ball.mesh.triangles[t][1] = kept;
    }
    solid_build(&ball, with_cells(16));
    each_node(&ball, count_inside, &inside);
    assert_int_equal(inside, 0);
    solid_free(&ball);
    test_context_close(ball.context);
}

/* ---- stores and queries ---- */

static void compare_stores(const Solid *dense, Vec3 p, double value, void *user) {
    const Solid *sparse = user;
    double h = level_set_grid(dense->field)->spacing, other = level_set_value(sparse->field, p);
    if (bvh_closest(dense->bvh, p, 2.999 * h).primitive != BVH_NONE)
        assert_close(other, value, 1e-12);
    else
        assert_close(other, value,
                     7.0 * h); /* half a block across, where far off there is a kink */
    if (fabs(value) > 1e-12) assert_int_equal(other < 0.0, value < 0.0);
}

static void sparse_and_dense_agree(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    Solid dense = {.context = context}, sparse = {.context = context};
    assert_int_equal(primitive_torus(context, 1.0, 0.5, 60, 24, &dense.mesh), PLIM_OK);
    assert_int_equal(primitive_torus(context, 1.0, 0.5, 60, 24, &sparse.mesh), PLIM_OK);
    LevelSetOptions options = with_cells(130);
    solid_build(&dense, options);
    options.memory_limit = level_set_bytes(dense.field) / 2;
    solid_build(&sparse, options);
    assert_false(level_set_is_sparse(dense.field));
    assert_true(level_set_is_sparse(sparse.field));
    each_node(&dense, compare_stores, &sparse);
    print_message("dense %.1f MB, sparse %.1f MB\n", (double)level_set_bytes(dense.field) * 1e-6,
                  (double)level_set_bytes(sparse.field) * 1e-6);
    assert_true(level_set_bytes(sparse.field) < level_set_bytes(dense.field));
    const NodeGrid *grid = level_set_grid(sparse.field);
    for (uint64_t i = 0; i < 20000; i++) { /* continuous: steps across block faces are small */
        Vec3 p = vec3(random_uniform(9, 0, i) * 3 - 1.5, random_uniform(9, 1, i) - 0.5,
                      random_uniform(9, 2, i) * 3 - 1.5);
        Vec3 q = vec3_add_scaled(
            p, 1e-6, vec3(random_normal(9, 3, i), random_normal(9, 4, i), random_normal(9, 5, i)));
        double step = vec3_length(vec3_sub(p, q));
        assert_true(fabs(level_set_value(sparse.field, p) - level_set_value(sparse.field, q)) <
                    2.0 * step);
    }
    for (uint64_t i = 0; i < 2000; i++) { /* a node's value is the value there */
        int at[3];
        for (uint64_t a = 0; a < 3; a++) at[a] = (int)(random_uniform(10, a, i) * grid->n[a]);
        Vec3 p = node_grid_position(grid, at[0], at[1], at[2]);
        assert_close(level_set_value(sparse.field, p),
                     level_set_node(sparse.field, at[0], at[1], at[2]), 1e-12);
    }
    solid_free(&dense);
    solid_free(&sparse);
    test_context_close(context);
}

static Vec3 random_point(uint64_t seed, uint64_t i, double size) {
    return vec3(size * (2 * random_uniform(seed, 0, i) - 1),
                size * (2 * random_uniform(seed, 1, i) - 1),
                size * (2 * random_uniform(seed, 2, i) - 1));
}

static double between(double a, double b, double t) {
    return t == 1.0 ? b : fmin(a + t * (b - a), b);
}

static void bounds_are_bounds(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    for (int sparse = 0; sparse < 2; sparse++) {
        Solid solid = {.context = context};
        make_soup(context, 4, 5, 2, &solid.mesh);
        LevelSetOptions options = with_cells(50);
        if (sparse) options.memory_limit = 0;
        solid_build(&solid, options);
        size_t outside = 0;
        for (uint64_t i = 0; i < 3000; i++) {
            Vec3 a = vec3_add(random_point(20, i, 1.2), vec3(0.3, 0.3, 0.3));
            double size = exp(4.0 * random_uniform(21, 0, i) - 4.0);
            Box3 box = {a, vec3_add(a, vec3(size, 0.5 * size, 0.7 * size))};
            double least, greatest;
            level_set_box_bounds(solid.field, box, &least, &greatest);
            assert_int_equal(level_set_box_outside(solid.field, box), least > 0.0);
            outside += least > 0.0;
            for (uint64_t k = 0; k < 20; k++) {
                double t[3];
                for (uint64_t c = 0; c < 3; c++) {
                    t[c] = random_uniform(22, c, 20 * i + k);
                    if (k >= 12) t[c] = t[c] < 0.5 ? 0.0 : 1.0; /* corners */
                }
                Vec3 p =
                    vec3(between(box.low.x, box.high.x, t[0]), between(box.low.y, box.high.y, t[1]),
                         between(box.low.z, box.high.z, t[2]));
                double value = level_set_value(solid.field, p);
                assert_true(value >= least && value <= greatest);
            }
        }
        assert_true(outside > 300 && outside < 2900);
        solid_free(&solid);
    }
    test_context_close(context);
}

static void gradient_is_the_slope(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    for (int sparse = 0; sparse < 2; sparse++) {
        Solid solid = {.context = context};
        assert_int_equal(primitive_ball(context, 1.0, 3, &solid.mesh), PLIM_OK);
        LevelSetOptions options = with_cells(40);
        if (sparse) options.memory_limit = 0;
        solid_build(&solid, options);
        const NodeGrid *grid = level_set_grid(solid.field);
        size_t checked = 0;
        for (uint64_t i = 0; i < 5000; i++) {
            Vec3 p = random_point(30, i, 1.6); /* also outside the grid, which ends at 1.15 */
            const double e = 1e-5 * grid->spacing;
            Vec3 x = vec3_scale(1.0 / grid->spacing, vec3_sub(p, grid->origin));
            /* The slope jumps between cells. */
            if (fabs(x.x - round(x.x)) < 1e-4 || fabs(x.y - round(x.y)) < 1e-4 ||
                fabs(x.z - round(x.z)) < 1e-4)
                continue;
            Vec3 g = level_set_gradient(solid.field, p), slope;
            slope.x = level_set_value(solid.field, vec3(p.x + e, p.y, p.z)) -
                      level_set_value(solid.field, vec3(p.x - e, p.y, p.z));
            slope.y = level_set_value(solid.field, vec3(p.x, p.y + e, p.z)) -
                      level_set_value(solid.field, vec3(p.x, p.y - e, p.z));
            slope.z = level_set_value(solid.field, vec3(p.x, p.y, p.z + e)) -
                      level_set_value(solid.field, vec3(p.x, p.y, p.z - e));
            slope = vec3_scale(0.5 / e, slope);
            assert_close(vec3_length(vec3_sub(g, slope)), 0.0, 1e-7);
            double r = vec3_length(p);
            if (fabs(r - 1.0) < 0.1) /* and it points outward */
                assert_close(vec3_length(vec3_sub(g, vec3_scale(1.0 / r, p))), 0.0, 0.1);
            checked++;
        }
        assert_true(checked > 4500);
        Vec3 far = vec3(7, 1, -9),
             corner = vec3(grid->origin.x + (grid->n[0] - 1) * grid->spacing, 1, grid->origin.z);
        assert_close(level_set_value(solid.field, far),
                     level_set_value(solid.field, corner) + vec3_length(vec3_sub(far, corner)),
                     1e-12);
        assert_true(isfinite(level_set_value(solid.field, vec3(1e300, -1e300, 0))) ||
                    level_set_value(solid.field, vec3(1e300, -1e300, 0)) > 0.0);
        level_set_value(solid.field, vec3(NAN, 0, 0)); /* nonsense in, but no fault */
        solid_free(&solid);
    }
    test_context_close(context);
}

/* The field rounds the edges of a box off; the ray does not. */
static void normals_are_those_of_the_surface(void **state) {
    (void)state;
    Solid box = {.context = test_context(1)};
    assert_int_equal(primitive_box(box.context, vec3(2, 2, 2), &box.mesh), PLIM_OK);
    solid_build(&box, with_cells(30));
    size_t hits = 0;
    for (uint64_t i = 0; i < 4000; i++) {
        Vec3 p = random_point(31, i, 1.1);
        double x[3];
        vec3_store(x, p);
        int axis = 0;
        for (int a = 1; a < 3; a++)
            if (fabs(x[a]) > fabs(x[axis])) axis = a;
        double second = 0.0;
        for (int a = 0; a < 3; a++)
            if (a != axis) second = fmax(second, fabs(x[a]));
        Vec3 n = level_set_surface_normal(box.field, box.bvh, &box.mesh, p);
        assert_close(vec3_length(n), 1.0, 1e-12);
        if (fabs(x[axis]) < 0.5 || fabs(x[axis]) - second < 0.15 || second > 0.95) continue;
        double expected[3] = {0};
        expected[axis] = x[axis] > 0 ? 1 : -1;
        assert_close(vec3_length(vec3_sub(n, vec3_load(expected))), 0.0, 1e-12);
        hits++;
    }
    assert_true(hits > 500);
    /* Where the gradient vanishes, and far away. */
    assert_close(
        vec3_length(level_set_surface_normal(box.field, box.bvh, &box.mesh, vec3(0, 0, 0))), 1.0,
        1e-12);
    assert_close(level_set_surface_normal(box.field, box.bvh, &box.mesh, vec3(50, 0, 0)).x, 1.0,
                 1e-9);
    solid_free(&box);
    test_context_close(box.context);
}

static void threads_do_not_change_bits(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        uint64_t hash[3];
        for (int t = 0; t < 3; t++) {
            Solid soup = {.context = test_context(1 << t)};
            make_soup(soup.context, 8, 5, 4, &soup.mesh);
            if (kind == 2) soup.mesh.triangle_count -= 5;
            LevelSetOptions options = with_cells(test_size(45, 30));
            if (kind == 1) options.memory_limit = 0;
            solid_build(&soup, options);
            hash[t] = level_set_hash(soup.field);
            if (kind == 2) soup.mesh.triangle_count += 5;
            solid_free(&soup);
            test_context_close(soup.context);
        }
        assert_true(hash[0] == hash[1] && hash[1] == hash[2]);
    }
}

/* ---- cache, input, memory ---- */

static PlimStatus rebuild(Solid *solid, LevelSetOptions options, uint64_t *hash) {
    level_set_destroy(solid->field);
    PlimStatus status = level_set_from_mesh(solid->context, &solid->mesh, solid->bvh, &options,
                                            &solid->field, &solid->report);
    if (status == PLIM_OK) *hash = level_set_hash(solid->field);
    return status;
}

/* Changes one byte of the only file in the folder, or cuts its end off. */
static void damage(PlimContext *context, const char *path, size_t at, bool cut) {
    char *bytes;
    size_t size;
    assert_int_equal(file_read(context, path, &bytes, &size), PLIM_OK);
    if (!cut) bytes[at % size] ^= 0x10;
    assert_int_equal(file_write(context, path, bytes, cut ? at % size : size, false), PLIM_OK);
    context_free(context, bytes, size + 1, 1);
}

static void find_cache_file(const char *folder, char path[PATH_CAPACITY]) {
    char command[PATH_CAPACITY + 64];
    snprintf(command, sizeof command, "ls %s/level_set_*.field", folder);
    FILE *list = popen(command, "r");
    assert_non_null(list);
    assert_non_null(fgets(path, PATH_CAPACITY, list));
    path[strcspn(path, "\n")] = '\0';
    pclose(list);
}

static void cache_keeps_bits(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    for (int sparse = 0; sparse < 2; sparse++) {
        char top[] = "/tmp/plim_field_XXXXXX", folder[64], path[PATH_CAPACITY];
        assert_non_null(mkdtemp(top));
        snprintf(folder, sizeof folder, "%s/cache", top);
        Solid solid = {.context = context};
        assert_int_equal(primitive_torus(context, 1.0, 0.4, 20, 10, &solid.mesh), PLIM_OK);
        LevelSetOptions options = with_cells(24);
        if (sparse) options.memory_limit = 0;
        solid_build(&solid, options);
        uint64_t built = level_set_hash(solid.field), hash;
        size_t regions = solid.report.regions;
        options.cache = folder;
        assert_int_equal(rebuild(&solid, options, &hash), PLIM_OK);
        assert_false(solid.report.from_cache);
        assert_true(hash == built);
        assert_int_equal(rebuild(&solid, options, &hash), PLIM_OK);
        assert_true(solid.report.from_cache && solid.report.closed);
        assert_int_equal(solid.report.regions, regions);
        assert_true(hash == built);
        double least, greatest;
        level_set_box_bounds(solid.field, bvh_bounds(solid.bvh), &least, &greatest);
        assert_true(least < -0.3 && greatest > 0.3);
        find_cache_file(folder, path);
        for (size_t i = 0; i < 40; i++) { /* header and values, changed and cut */
            damage(context, path, i < 20 ? 7 * i : 7919 * i, i % 4 == 3);
            assert_int_equal(rebuild(&solid, options, &hash), PLIM_OK);
            assert_false(solid.report.from_cache);
            assert_true(hash == built);
            assert_int_equal(rebuild(&solid, options, &hash), PLIM_OK);
            assert_true(solid.report.from_cache);
        }
        options.march_order = 1; /* another field, another file */
        assert_int_equal(rebuild(&solid, options, &hash), PLIM_OK);
        assert_false(solid.report.from_cache);
        options.march_order = 2;
        solid.mesh.vertices[3].x += 1e-15;
        assert_int_equal(rebuild(&solid, options, &hash), PLIM_OK);
        assert_false(solid.report.from_cache);
        options.cache = "/proc/nowhere"; /* cannot be written: the field is made all the same */
        assert_int_equal(rebuild(&solid, options, &hash), PLIM_OK);
        solid_free(&solid);
        char command[96];
        snprintf(command, sizeof command, "rm -r %s", top);
        assert_int_equal(system(command), 0);
    }
    test_context_close(context);
}

static void expect_refusal(Solid *solid, LevelSetOptions options, const char *part) {
    LevelSet *field;
    assert_int_equal(
        level_set_from_mesh(solid->context, &solid->mesh, solid->bvh, &options, &field, NULL),
        PLIM_BAD_INPUT);
    assert_null(field);
    if (!strstr(plim_message(solid->context), part))
        fail_msg("\"%s\" does not mention \"%s\"", plim_message(solid->context), part);
}

static void nonsense_is_refused(void **state) {
    (void)state;
    Solid box = {.context = test_context(1)};
    assert_int_equal(primitive_box(box.context, vec3(1, 1, 1), &box.mesh), PLIM_OK);
    solid_build(&box, with_cells(0));
    assert_int_equal(level_set_grid(box.field)->n[0], 24 + 7); /* chosen: the least */
    expect_refusal(&box, with_cells(-1), "-1 cells");
    expect_refusal(&box, with_cells(100000), "100000 cells");
    expect_refusal(&box, with_cells(2000), "too large");
    LevelSetOptions options = with_cells(10);
    options.march_order = 3;
    expect_refusal(&box, options, "order of marching is 3");
    box.mesh.triangle_count = 0;
    expect_refusal(&box, with_cells(10), "0 triangles");
    box.mesh.triangle_count = 12;
    int32_t kept = box.mesh.triangles[5][1];
    box.mesh.triangles[5][1] = 8;
    expect_refusal(&box, with_cells(10), "triangle 5 names vertex 8 of 8");
    box.mesh.triangles[5][1] = kept;
    box.mesh.vertices[2].y = NAN;
    expect_refusal(&box, with_cells(10), "vertex 2");
    for (int i = 0; i < 8; i++) box.mesh.vertices[i] = vec3(1, 2, 3);
    bvh_refit(box.bvh);
    expect_refusal(&box, with_cells(10), "0 m long");
    solid_free(&box);
    test_context_close(box.context);
}

static void default_cells_follow_the_mesh(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    int before = 0;
    for (int n = 1; n <= 6; n++) {
        Solid ball = {.context = context};
        assert_int_equal(primitive_ball(context, 3.0, n, &ball.mesh), PLIM_OK);
        solid_build(&ball, with_cells(0));
        int nodes = level_set_grid(ball.field)->n[0];
        assert_true(nodes >= before && nodes >= 24 + 7 && nodes <= 128 + 7);
        before = nodes;
        solid_free(&ball);
    }
    assert_int_equal(before, 128 + 7);
    test_context_close(context);
}

static void values_make_a_field(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    LevelSet *field;
    NodeGrid plane = {vec3(1, 2, 0), 0.5, {20, 11, 1}}; /* two dimensions: z does not matter */
    double values[220];
    for (int i = 0; i < 220; i++) values[i] = 3.0 * (i % 20) - 2.0 * (i / 20);
    assert_int_equal(level_set_from_values(context, &plane, values, &field), PLIM_OK);
    assert_close(level_set_value(field, vec3(2.6, 3.3, 0)), 3.0 * 3.2 - 2.0 * 2.6, 1e-12);
    assert_close(level_set_value(field, vec3(2.6, 3.3, 9)), 3.0 * 3.2 - 2.0 * 2.6, 1e-12);
    Vec3 g = level_set_gradient(field, vec3(2.6, 3.3, 1));
    assert_close(vec3_length(vec3_sub(g, vec3(6, -4, 0))), 0.0, 1e-12);
    double least, greatest;
    level_set_box_bounds(field, (Box3){vec3(1, 2, 0), vec3(10.5, 7, 0)}, &least, &greatest);
    assert_close(least, -20.0, 1e-10);
    assert_close(greatest, 57.0, 1e-10);
    assert_close(level_set_node(field, 3, 4, 0), 1.0, 0.0);
    level_set_destroy(field);
    level_set_destroy(NULL);
    test_context_close(context);
}

static PlimStatus make_field(PlimContext *context, void *user) {
    bool sparse = *(bool *)user;
    long granted = ration_set(context, LONG_MAX);
    context->threads = 2;
    Solid solid = {.context = context};
    TriangleMesh ball;
    assert_int_equal(primitive_box(context, vec3(1, 1, 1), &solid.mesh), PLIM_OK);
    assert_int_equal(primitive_ball(context, 0.2, 1, &ball), PLIM_OK);
    assert_int_equal(append_mesh(context, &solid.mesh, &ball, quat_identity(), vec3(0, 0, 0)),
                     PLIM_OK);
    mesh_free(context, &ball);
    BvhInput input = bvh_input_triangles(&solid.mesh);
    assert_int_equal(bvh_create(context, &input, &solid.bvh), PLIM_OK);
    LevelSetOptions options = with_cells(16);
    if (sparse) options.memory_limit = 0;
    ration_set(context, granted);
    PlimStatus status =
        level_set_from_mesh(context, &solid.mesh, solid.bvh, &options, &solid.field, &solid.report);
    if (status != PLIM_OK) assert_null(solid.field);
    solid_free(&solid);
    return status;
}

static void out_of_memory_leaves_nothing(void **state) {
    (void)state;
    bool sparse[] = {false, true};
    for (int i = 0; i < 2; i++)
        starve(&(Starved){.use = make_field, .user = &sparse[i], .least = 11, .most = 1000});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball_is_within_two_percent),
        cmocka_unit_test(boxes_are_exact),
        cmocka_unit_test(band_is_the_least_of_all_triangles),
        cmocka_unit_test(signs_are_winding_numbers),
        cmocka_unit_test(buried_walls_do_not_count),
        cmocka_unit_test(signs_survive_holes),
        cmocka_unit_test(inside_out_has_no_inside),
        cmocka_unit_test(sparse_and_dense_agree),
        cmocka_unit_test(bounds_are_bounds),
        cmocka_unit_test(gradient_is_the_slope),
        cmocka_unit_test(normals_are_those_of_the_surface),
        cmocka_unit_test(threads_do_not_change_bits),
        cmocka_unit_test(cache_keeps_bits),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(default_cells_follow_the_mesh),
        cmocka_unit_test(values_make_a_field),
        cmocka_unit_test(out_of_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
