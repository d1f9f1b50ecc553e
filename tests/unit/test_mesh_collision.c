/* Collisions of meshes on plain arrays: nothing crosses on the way or at its end, momenta stay, who
 * has a path of his own keeps it, and no answer depends on threads. */
#include "check.h"

#include "base/random.h"
#include "collide/crossing.h"
#include "collide/mesh/mesh_collision_data.h"
#include "ration.h"

#include <string.h>

enum { MOST_NODES = 400, MOST_FACES = 600 };

typedef struct Case {
    int dim;
    size_t nodes, faces;
    int32_t face[MOST_FACES][3], surface[MOST_NODES], kind[MOST_NODES];
    Vec3 x0[MOST_NODES], wanted[MOST_NODES], x1[MOST_NODES], pushed_out[MOST_NODES];
    Vec3 wall[MOST_NODES];
    double thickness[MOST_NODES], friction[MOST_NODES], inverse_mass[MOST_NODES];
    bool affine_zones;
    MeshCollision *m;
    Scratch scratch;
    CollisionFigures figures;
} Case;

/* ---- random places ---- */

typedef struct Dice {
    uint64_t stream, index;
} Dice;

static double roll(Dice *dice, double low, double high) {
    return low + (high - low) * random_uniform(25, dice->stream, dice->index++);
}

static Vec3 roll_vector(Dice *dice, double size, int dim) {
    double x = roll(dice, -size, size), y = roll(dice, -size, size);
    return vec3(x, y, dim == 3 ? roll(dice, -size, size) : 0.0);
}

/* ---- making cases ---- */

static int32_t add_node(Case *c, Dice *dice, int32_t surface, Vec3 x) {
    size_t i = c->nodes++;
    assert_true(c->nodes <= MOST_NODES);
    c->x0[i] = c->wanted[i] = x;
    c->surface[i] = surface;
    c->kind[i] = COLLISION_FREE;
    c->inverse_mass[i] = roll(dice, 0.5, 5);
    c->thickness[i] = 0.02;
    c->friction[i] = 0.3;
    c->wall[i] = vec3(0, 0, 0);
    return (int32_t)i;
}

static void add_face(Case *c, int32_t a, int32_t b, int32_t d) {
    assert_true(c->faces < MOST_FACES);
    memcpy(c->face[c->faces++], (int32_t[3]){a, b, d}, sizeof c->face[0]);
}

/* A square sheet about a centre, level in x and z, its nodes off by `rough`. */
static void add_sheet(Case *c, Dice *dice, int32_t surface, Vec3 center, int cells, double rough) {
    size_t first = c->nodes;
    for (int i = 0; i <= cells; i++)
        for (int j = 0; j <= cells; j++) {
            Vec3 x = vec3((double)i / cells - 0.5, 0, (double)j / cells - 0.5);
            add_node(c, dice, surface, vec3_add(vec3_add(center, x), roll_vector(dice, rough, 3)));
        }
    for (int i = 0; i < cells; i++)
        for (int j = 0; j < cells; j++) {
            int32_t at = (int32_t)first + i * (cells + 1) + j, side = cells + 1;
            add_face(c, at, at + 1, at + side);
            add_face(c, at + 1, at + side + 1, at + side);
        }
}

/* Displaces the nodes of a surface, each by a random vector beside. */
static void send(Case *c, Dice *dice, int32_t surface, Vec3 way, double rough) {
    for (size_t i = 0; i < c->nodes; i++)
        if (c->surface[i] == surface)
            c->wanted[i] = vec3_add(c->x0[i], vec3_add(way, roll_vector(dice, rough, c->dim)));
}

static void set_kind(Case *c, int32_t surface, CollisionNode kind) {
    for (size_t i = 0; i < c->nodes; i++) {
        if (c->surface[i] != surface) continue;
        c->kind[i] = kind;
        if (kind != COLLISION_FREE) c->inverse_mass[i] = 0;
    }
}

static size_t crossings_at(PlimContext *context, const Case *c, const Vec3 *x) {
    CrossingPairs found = {0};
    CrossingMesh mesh = {.vertices = x,
                         .edges = (const int32_t(*)[2])c->m->edges,
                         .edge_count = c->m->edge_count,
                         .triangles = (const int32_t(*)[3])c->face,
                         .triangle_count = c->dim == 3 ? c->faces : 0,
                         .dim = c->dim};
    assert_int_equal(crossing_find(context, &mesh, &found), PLIM_OK);
    size_t count = found.items.count;
    array_free(context, &found.items);
    return count;
}

/* ---- running ---- */

static void open_case(Case *c, PlimContext *context) {
    MeshCollisionDesc desc = {.dim = c->dim,
                              .node_count = c->nodes,
                              .face_count = c->faces,
                              .faces = (const int32_t(*)[3])c->face,
                              .rest = c->x0,
                              .surface = c->surface,
                              .thickness = c->thickness,
                              .friction = c->friction,
                              .affine_zones = c->affine_zones};
    assert_int_equal(mesh_collision_create(context, &desc, &c->m), PLIM_OK);
    scratch_init(&c->scratch, context);
}

static void close_case(Case *c) {
    mesh_collision_destroy(c->m);
    scratch_free(&c->scratch);
}

static CollisionStep step_of(Case *c, int threads) {
    memcpy(c->x1, c->wanted, sizeof c->x1);
    memset(c->pushed_out, 0, sizeof c->pushed_out);
    return (CollisionStep){.x0 = c->x0,
                           .x1 = c->x1,
                           .pushed_out = c->pushed_out,
                           .inverse_mass = c->inverse_mass,
                           .kind = c->kind,
                           .wall = c->wall,
                           .threads = threads,
                           .scratch = &c->scratch};
}

static void run_case(Case *c, int threads) {
    CollisionStep step = step_of(c, threads);
    assert_int_equal(mesh_collision_run(c->m, &step, &c->figures), PLIM_OK);
    assert_int_equal(scratch_reset(&c->scratch), PLIM_OK);
}

/* ---- judging ---- */

static bool meets(const Case *c, const int32_t n[4], bool edges) {
    Vec3 a[4], b[4];
    MovingHit hit;
    for (int k = 0; k < 4; k++) {
        a[k] = c->x0[n[k]];
        b[k] = c->x1[n[k]];
    }
    if (edges) return moving_edge_edge(a, b, &hit);
    return c->dim == 3 ? moving_point_triangle(a, b, &hit) : moving_point_segment(a, b, &hit);
}

/* Among all pairs, without boxes or trees. */
static size_t hits_of_all(const Case *c) {
    size_t hits = 0;
    for (int32_t i = 0; i < (int32_t)c->nodes; i++)
        for (size_t f = 0; f < c->faces; f++) {
            const int32_t *e = c->face[f];
            int32_t n[4] = {i, e[0], e[1], c->dim == 3 ? e[2] : e[1]};
            if (i != n[1] && i != n[2] && i != n[3]) hits += meets(c, n, false);
        }
    for (size_t a = 0; c->dim == 3 && a < c->m->edge_count; a++)
        for (size_t b = 0; b < a; b++) {
            const int32_t *e = c->m->edges[a], *f = c->m->edges[b];
            int32_t n[4] = {e[0], e[1], f[0], f[1]};
            if (e[0] != f[0] && e[0] != f[1] && e[1] != f[0] && e[1] != f[1])
                hits += meets(c, n, true);
        }
    return hits;
}

/* Exactly, at some times on the way. */
static size_t crossings_on_the_way(PlimContext *context, const Case *c) {
    enum { TIMES = 16 };
    Vec3 x[MOST_NODES];
    size_t count = 0;
    for (int k = 0; k <= TIMES; k++) {
        double t = (double)k / TIMES;
        for (size_t i = 0; i < c->nodes; i++)
            x[i] =
                k == TIMES ? c->x1[i] : vec3_add_scaled(c->x0[i], t, vec3_sub(c->x1[i], c->x0[i]));
        count += crossings_at(context, c, x);
    }
    return count;
}

typedef struct Momenta {
    Vec3 change, spin; /* of the answer less those wanted */
    double size;       /* of all momenta, one by one */
} Momenta;

static Momenta momenta_of(const Case *c) {
    Momenta sum = {0};
    for (size_t i = 0; i < c->nodes; i++) {
        if (!(c->inverse_mass[i] > 0)) continue;
        Vec3 change = vec3_scale(1 / c->inverse_mass[i], vec3_sub(c->x1[i], c->wanted[i]));
        sum.change = vec3_add(sum.change, change);
        sum.spin = vec3_add(sum.spin, vec3_cross(c->x0[i], change));
        sum.size += vec3_length(vec3_sub(c->wanted[i], c->x0[i])) / c->inverse_mass[i];
    }
    return sum;
}

static void assert_free_way(PlimContext *context, const Case *c) {
    assert_int_equal(hits_of_all(c), 0);
    assert_int_equal(crossings_on_the_way(context, c), 0);
    assert_close(c->figures.left, 0, 0);
}

/* ---- cases ---- */

/* Loose triangles, or segments in the plane, apart at the start and sent anywhere. */
static void make_tangle(Case *c, PlimContext *context, uint64_t stream, int dim, int count) {
    Dice dice = {stream, 0};
    memset(c, 0, sizeof *c);
    c->dim = dim;
    for (int f = 0; f < count;) {
        size_t nodes = c->nodes, faces = c->faces;
        Vec3 center = roll_vector(&dice, 0.5, dim);
        int32_t corner[3] = {0, 0, 0};
        for (int k = 0; k < dim; k++)
            corner[k] = add_node(c, &dice, f, vec3_add(center, roll_vector(&dice, 0.25, dim)));
        add_face(c, corner[0], corner[1], corner[2]);
        open_case(c, context);
        bool is_free = crossings_at(context, c, c->x0) == 0;
        close_case(c);
        if (is_free)
            f++;
        else
            c->nodes = nodes, c->faces = faces;
    }
    for (int f = 0; f < count; f++) send(c, &dice, f, roll_vector(&dice, 0.5, dim), 0.1);
}

/* Sheets that pass through one another and fold. */
static void make_sheets(Case *c, uint64_t stream, int count, double speed) {
    Dice dice = {stream, 0};
    memset(c, 0, sizeof *c);
    c->dim = 3;
    for (int s = 0; s < count; s++) {
        add_sheet(c, &dice, s, vec3(0, 0.05 * s, 0), 5, 0.01);
        send(c, &dice, s, roll_vector(&dice, speed, 3), 0.5 * speed);
    }
}

/* Light sheets between two heavy ones that close: impulses alone would take long. */
static void make_press(Case *c, uint64_t stream) {
    Dice dice = {stream, 0};
    make_sheets(c, stream, 4, 0.0);
    for (size_t i = 0; i < c->nodes; i++)
        if (c->surface[i] == 0 || c->surface[i] == 3) c->inverse_mass[i] *= 1e-4;
    send(c, &dice, 0, vec3(0.05, 0.3, 0), 0.02);
    send(c, &dice, 3, vec3(0, -0.3, 0.05), 0.02);
}

static double worst_of(Vec3 v) {
    return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
}

static void check_case(Case *c, PlimContext *context) {
    open_case(c, context);
    run_case(c, 1);
    Momenta sum = momenta_of(c);
    if (!(worst_of(sum.change) <= 1e-12 * sum.size))
        fail_msg("momentum changes by %g of %g", worst_of(sum.change), sum.size);
    assert_free_way(context, c);
    close_case(c);
}

static void test_tangles(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    static Case c;
    double hits = 0, zones = 0;
    int count = test_size(60, 12);
    for (int i = 0; i < count; i++) {
        make_tangle(&c, context, (uint64_t)i, 3, 20);
        c.affine_zones = i % 2;
        check_case(&c, context);
        hits += c.figures.hits;
        zones += c.figures.zones;
    }
    print_message("%d tangles: %g hits, %g zones\n", count, hits, zones);
    assert_true(hits > 10 * count);
    test_context_close(context);
}

static void test_sheets(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    static Case c;
    double zones = 0;
    int count = test_size(16, 4);
    for (int i = 0; i < count; i++) {
        if (i % 4 < 2)
            make_sheets(&c, 1000 + (uint64_t)i, 3, 0.2);
        else
            make_press(&c, 1000 + (uint64_t)i);
        c.affine_zones = i % 2;
        check_case(&c, context);
        zones += c.figures.zones;
    }
    print_message("%d piles of sheets: %g zones\n", count, zones);
    assert_true(zones > 0);
    test_context_close(context);
}

static void test_plane(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    static Case c;
    double hits = 0;
    int count = test_size(100, 30);
    for (int i = 0; i < count; i++) {
        make_tangle(&c, context, 2000 + (uint64_t)i, 2, 12);
        check_case(&c, context);
        hits += c.figures.hits;
        for (size_t k = 0; k < c.nodes; k++) assert_true(c.x1[k].z == 0);
    }
    assert_true(hits > count);
    test_context_close(context);
}

/* Zones alone, without impulses before: both momenta stay. */
static void test_zones(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    static Case c;
    double zones = 0;
    for (int i = 0; i < test_size(40, 10); i++) {
        make_tangle(&c, context, 3000 + (uint64_t)i, 3, 14);
        c.affine_zones = i % 2;
        open_case(&c, context);
        CollisionStep step = step_of(&c, 1);
        c.m->search = 1;
        for (size_t k = 0; k < c.nodes; k++) c.m->changed[k] = 1;
        assert_int_equal(collision_find_candidates(c.m, &step), PLIM_OK);
        assert_int_equal(collision_find_hits(c.m, &step), PLIM_OK);
        c.figures = (CollisionFigures){0};
        if (c.m->hits.count > 0) assert_int_equal(collision_zones(c.m, &step, &c.figures), PLIM_OK);
        assert_free_way(context, &c);
        Momenta sum = momenta_of(&c);
        zones += c.figures.zones;
        if (c.figures.still == 0) {
            assert_close(worst_of(sum.change) / sum.size, 0, 1e-12);
            assert_close(worst_of(sum.spin) / sum.size, 0, 1e-12);
        }
        close_case(&c);
    }
    assert_true(zones > 10);
    test_context_close(context);
}

/* What is rigid goes through a sheet's place, and the sheet gives way. */
static void test_rigid_keeps_its_way(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    static Case c;
    for (int given = 0; given < 2; given++) {
        make_sheets(&c, 4000, 2, 0.0);
        Dice dice = {4001, 0};
        set_kind(&c, 0, given ? COLLISION_GIVEN : COLLISION_RIGID);
        send(&c, &dice, 0, vec3(0.03, 0.2, 0), 0);
        open_case(&c, context);
        run_case(&c, 1);
        assert_free_way(context, &c);
        assert_true(c.figures.hits > 0);
        assert_close(c.figures.yielded, 0, 0);
        for (size_t i = 0; i < c.nodes; i++)
            if (c.surface[i] == 0) assert_memory_equal(&c.x1[i], &c.wanted[i], sizeof c.x1[i]);
        close_case(&c);
    }
    test_context_close(context);
}

/* A sheet between something rigid and one that is led against it: the led one yields, as there is
 * no other way. */
static void test_given_yields_in_need(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    static Case c;
    Dice dice = {5001, 0};
    make_sheets(&c, 5000, 3, 0.0);
    set_kind(&c, 0, COLLISION_RIGID);
    set_kind(&c, 2, COLLISION_GIVEN);
    send(&c, &dice, 2, vec3(0, -0.2, 0), 0);
    open_case(&c, context);
    run_case(&c, 1);
    assert_free_way(context, &c);
    assert_true(c.figures.yielded > 0);
    for (size_t i = 0; i < c.nodes; i++)
        if (c.surface[i] == 0) assert_memory_equal(&c.x1[i], &c.x0[i], sizeof c.x1[i]);
    close_case(&c);
    test_context_close(context);
}

/* Sheets that start through each other come apart unhindered, and then meet again. */
static void test_crossing_pairs(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    static Case c;
    Dice dice = {6000, 0};
    size_t count;
    memset(&c, 0, sizeof c);
    c.dim = 3;
    add_sheet(&c, &dice, 0, vec3(0, 0, 0), 4, 0.003);
    add_sheet(&c, &dice, 1, vec3(0, 0, 0), 4, 0.003);
    for (size_t i = 0; i < c.nodes; i++) /* the second one upright */
        if (c.surface[i] == 1) c.x0[i] = vec3(0.1 + c.x0[i].y, 0.2 + c.x0[i].x, 0.04 + c.x0[i].z);
    open_case(&c, context);
    assert_int_equal(mesh_collision_find_crossings(c.m, c.x0, &count), PLIM_OK);
    assert_true(count > 0);
    for (int step = 0; step < 12; step++) {
        for (size_t i = 0; i < c.nodes; i++)
            c.wanted[i] = vec3_add(c.x0[i], vec3(0, c.surface[i] == 1 ? 0.04 : 0.0, 0));
        run_case(&c, 1);
        assert_memory_equal(c.x1, c.wanted, c.nodes * sizeof *c.x1);
        assert_int_equal(c.figures.left > 0, crossings_at(context, &c, c.x1) > 0);
        memcpy(c.x0, c.x1, sizeof c.x0);
    }
    assert_close(c.figures.left, 0, 0);
    assert_int_equal(crossings_at(context, &c, c.x1), 0);
    send(&c, &dice, 1, vec3(0, -3, 0), 0);
    run_case(&c, 1);
    assert_true(c.figures.hits > 0);
    assert_free_way(context, &c);
    close_case(&c);
    test_context_close(context);
}

static void test_threads(void **state) {
    (void)state;
    static Case c;
    static Vec3 first[MOST_NODES];
    for (int threads = 1; threads <= 4; threads *= 2) {
        PlimContext *context = test_context(threads);
        make_sheets(&c, 7000, 4, 0.15);
        open_case(&c, context);
        run_case(&c, threads);
        if (threads == 1) memcpy(first, c.x1, sizeof first);
        assert_memory_equal(first, c.x1, c.nodes * sizeof *first);
        close_case(&c);
        test_context_close(context);
    }
}

/* A second step like the first asks for no memory. */
static void test_memory(void **state) {
    (void)state;
    static Case c;
    Ration ration = {.left = LONG_MAX};
    PlimContext *context = rationed_context(&ration);
    make_sheets(&c, 8000, 4, 0.15);
    open_case(&c, context);
    run_case(&c, 1);
    run_case(&c, 1);
    ration_set(context, 0);
    run_case(&c, 1);
    assert_false(ration.refused);
    ration_set(context, LONG_MAX);
    close_case(&c);
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tangles),
        cmocka_unit_test(test_sheets),
        cmocka_unit_test(test_plane),
        cmocka_unit_test(test_zones),
        cmocka_unit_test(test_rigid_keeps_its_way),
        cmocka_unit_test(test_given_yields_in_need),
        cmocka_unit_test(test_crossing_pairs),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
