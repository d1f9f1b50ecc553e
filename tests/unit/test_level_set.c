/* Distance fields against closed formulas, brute force and an independent winding number. */
#include "check.h"

#include "base/file.h"
#include "base/random.h"
#include "geom/closest.h"
#include "geom/level_set.h"
#include "geom/primitives.h"
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
    if (fabs(value) > 3.0 * h || (value < 0.0 && check->any_sign)) return;
    if (random_uniform(77, 0, check->counter++) > 0.05) return;
    check->worst = fmax(check->worst, fabs(fabs(value) - brute_distance(&solid->mesh, p)));
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
        joined.vertices[all->vertex_count + i] =
            vec3_add(quat_rotate(turn, part->vertices[i]), at);
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
        Quat turn = quat_normalize(
            (Quat){random_normal(seed, 2, n), random_normal(seed, 2, n + 1),
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
    return asked ? strtoull(asked, NULL, 10) : 10000;
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
        assert_int_equal(
            append_mesh(context, &solid.mesh, &ball, quat_identity(), vec3(0.1, 0, 0)), PLIM_OK);
        mesh_free(context, &ball);
        LevelSetOptions options = with_cells(32);
        if (sparse) options.memory_limit = 0;
        solid_build(&solid, options);
        assert_int_equal(level_set_is_sparse(solid.field), sparse);
        assert_close(level_set_value(solid.field, vec3(0.5, 0, 0)), -0.5, sparse ? 0.1 : 0.02);
        assert_close(level_set_value(solid.field, vec3(0.1, 0, 0)), -0.9, sparse ? 0.2 : 0.04);
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
    size_t checked, wrong, near;
} HoleCheck;

static void check_hole_node(const Solid *solid, Vec3 p, double value, void *user) {
    HoleCheck *check = user;
    double h = level_set_grid(solid->field)->spacing;
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
        solid_free(&solid);
        bvh_destroy(check.whole_bvh);
        bvh_destroy(check.holes_bvh);
        check.holes.triangle_count = check.whole.triangle_count; /* as it was made */
        mesh_free(context, &check.holes);
        mesh_free(context, &check.whole);
    }
    test_context_close(context);
}
