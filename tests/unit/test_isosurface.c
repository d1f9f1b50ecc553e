/* Isosurfaces: closed, oriented and manifold for any field; volume of the second order; carried
 * values; surfaces that leave the grid. */
#include "ration.h"

#include "base/random.h"
#include "geom/mesh/isosurface.h"
#include "geom/mesh/mass.h"

#include <stdlib.h>

static const double pi = 3.14159265358979323846;

/* Room for the test below, reused over many meshes. */
typedef struct Fans {
    size_t capacity;
    int32_t *first, *next; /* per vertex; per corner of a triangle */
} Fans;

static void fans_reserve(Fans *fans, size_t count) {
    if (count <= fans->capacity) return;
    fans->capacity = 2 * count;
    fans->first = realloc(fans->first, fans->capacity * sizeof *fans->first);
    fans->next = realloc(fans->next, fans->capacity * sizeof *fans->next);
    assert_true(fans->first && fans->next);
}

static void fans_free(Fans *fans) {
    free(fans->first);
    free(fans->next);
}

/* The triangles (v, a, b) at a vertex, each leading from a to b, form one closed ring. */
static void check_fan(const Fans *fans, const TriangleMesh *mesh, size_t vertex) {
    int32_t start = fans->first[vertex], at = start, ring = 0, degree = 0;
    assert_true(start >= 0); /* no vertex without a triangle */
    for (int32_t c = start; c >= 0; c = fans->next[c]) degree++;
    do {
        int32_t to = mesh->triangles[at / 3][(at % 3 + 2) % 3], matches = 0, found = -1;
        for (int32_t c = start; c >= 0; c = fans->next[c]) {
            if (mesh->triangles[c / 3][(c % 3 + 1) % 3] != to) continue;
            found = c;
            matches++;
        }
        assert_int_equal(matches, 1);
        at = found;
        ring++;
    } while (at != start && ring <= degree);
    assert_int_equal(ring, degree);
}

/* When all do, every edge is in exactly two triangles, once in each direction, and every vertex in
 * one fan: the surface is closed, oriented and manifold. Triangles also have an area. */
static void check_manifold(Fans *fans, const TriangleMesh *mesh) {
    size_t corners = 3 * mesh->triangle_count;
    fans_reserve(fans, corners > mesh->vertex_count ? corners : mesh->vertex_count);
    for (size_t i = 0; i < mesh->vertex_count; i++) fans->first[i] = -1;
    for (size_t c = 0; c < corners; c++) {
        int32_t v = mesh->triangles[c / 3][c % 3];
        assert_true(v >= 0 && (size_t)v < mesh->vertex_count);
        fans->next[c] = fans->first[v];
        fans->first[v] = (int32_t)c;
    }
    for (size_t v = 0; v < mesh->vertex_count; v++) check_fan(fans, mesh, v);
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        const int32_t *t = mesh->triangles[i];
        Vec3 a = mesh->vertices[t[0]], b = mesh->vertices[t[1]], c = mesh->vertices[t[2]];
        Vec3 normal = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
        assert_true(vec3_dot(normal, normal) > 0.0);
    }
}

/* Kinds of random values: noise; zeros and ones; any magnitude, infinite ones included; mostly
 * inside; now and then no number at all. */
enum { KINDS = 5 };

static double random_value(int kind, uint64_t stream, uint64_t index) {
    double u = random_uniform(11, stream, 2 * index), w = random_uniform(11, stream, 2 * index + 1);
    double sign = w < 0.5 ? -1.0 : 1.0;
    if (kind == 1) return floor(3.0 * u) - 1.0;
    if (kind == 2) return u < 0.05 ? sign * INFINITY : sign * pow(10.0, 640.0 * u - 330.0);
    if (kind == 3) return u - 0.9;
    if (kind == 4 && u < 0.1) return NAN;
    return 2.0 * u - 1.0;
}

static void any_field_is_manifold(void **state) {
    (void)state;
    enum { FIELDS = 10000, LARGEST = 6 };
    PlimContext *context = test_context(1);
    Fans fans = {0};
    double values[LARGEST * LARGEST * LARGEST];
    size_t triangles = 0;
    for (uint64_t f = 0; f < FIELDS; f++) {
        uint32_t r[4];
        random_block(12, f, 0, r);
        NodeGrid grid = {.origin = {-1, 2, 5}, .spacing = 0.5};
        for (int a = 0; a < 3; a++) grid.n[a] = 1 + (int)(r[a] % LARGEST);
        for (size_t i = 0; i < node_grid_count(&grid); i++)
            values[i] = random_value((int)(f % KINDS), f, i);
        TriangleMesh mesh;
        assert_int_equal(isosurface_extract(context, &grid, values, NULL, 0, &mesh, NULL), PLIM_OK);
        check_manifold(&fans, &mesh);
        triangles += mesh.triangle_count;
        mesh_free(context, &mesh);
    }
    assert_true(triangles > 100 * FIELDS); /* it was not nothing that was tested */
    fans_free(&fans);
    test_context_close(context);
}

/* A field sampled on a cube of n cells from -1 to 1. */
typedef double (*Field)(Vec3 p);

static double *sample(NodeGrid *grid, int n, Field field) {
    *grid = (NodeGrid){{-1, -1, -1}, 2.0 / n, {n + 1, n + 1, n + 1}};
    double *values = malloc(node_grid_count(grid) * sizeof *values);
    assert_non_null(values);
    for (int k = 0; k <= n; k++)
        for (int j = 0; j <= n; j++)
            for (int i = 0; i <= n; i++)
                values[node_grid_index(grid, i, j, k)] = field(node_grid_position(grid, i, j, k));
    return values;
}

static MassProperties measure(PlimContext *context, int n, Field field) {
    NodeGrid grid;
    double *values = sample(&grid, n, field);
    TriangleMesh mesh;
    Fans fans = {0};
    assert_int_equal(isosurface_extract(context, &grid, values, NULL, 0, &mesh, NULL), PLIM_OK);
    check_manifold(&fans, &mesh);
    MassProperties mass = mesh_mass_properties(&mesh);
    mesh_free(context, &mesh);
    fans_free(&fans);
    free(values);
    return mass;
}

static double ball(Vec3 p) {
    return vec3_length(vec3_sub(p, vec3(0.05, -0.03, 0.02))) - 0.71;
}

static double torus(Vec3 p) {
    return hypot(hypot(p.x, p.z) - 0.6, p.y - 0.01) - 0.25;
}

/* Halving the cells divides the error of the volume by four. */
static void volume_is_second_order(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Field fields[] = {ball, torus};
    double exact[] = {4.0 / 3.0 * pi * 0.71 * 0.71 * 0.71, 2.0 * pi * pi * 0.6 * 0.25 * 0.25};
    for (int f = 0; f < 2; f++) {
        double error[3];
        for (int level = 0; level < 3; level++)
            error[level] =
                fabs(measure(context, 20 << level, fields[f]).volume - exact[f]) / exact[f];
        double order = 0.5 * log2(error[0] / error[2]);
        if (!(order > 1.9 && order < 2.1 && error[2] < 2e-3))
            fail_msg("field %d: order %g, errors %g %g %g", f, order, error[0], error[1], error[2]);
    }
    test_context_close(context);
}

static double everywhere(Vec3 p) {
    (void)p;
    return -1.0;
}

static double below_slope(Vec3 p) {
    return p.y - 0.3 * p.x - 0.11;
}

/* A surface that leaves the grid is closed along its boundary, to a millionth of a cell or two. */
static void boundary_closes(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    MassProperties all = measure(context, 5, everywhere);
    assert_close(all.volume, 8.0, 1e-4);
    assert_close(vec3_length(all.center), 0.0, 1e-6);
    MassProperties slope = measure(context, 8, below_slope);
    assert_close(slope.volume, 4.0 * 1.11, 1e-4);
    /* One node in the middle of nothing: a tiny closed surface around it. */
    NodeGrid one = {{3, 3, 3}, 1.0, {1, 1, 1}};
    TriangleMesh mesh;
    Fans fans = {0};
    double inside = -1.0, outside = 0.0;
    assert_int_equal(isosurface_extract(context, &one, &inside, NULL, 0, &mesh, NULL), PLIM_OK);
    check_manifold(&fans, &mesh);
    assert_int_equal(mesh.vertex_count, 14); /* one for each edge at a node */
    assert_int_equal(mesh.triangle_count, 24);
    mesh_free(context, &mesh);
    assert_int_equal(isosurface_extract(context, &one, &outside, NULL, 0, &mesh, NULL), PLIM_OK);
    assert_int_equal(mesh.vertex_count + mesh.triangle_count, 0);
    mesh_free(context, &mesh);
    fans_free(&fans);
    test_context_close(context);
}

/* Positions and a linear function carried along arrive at the vertices as they are there. */
static void values_are_carried(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    NodeGrid grid;
    double *values = sample(&grid, 12, below_slope);
    size_t count = node_grid_count(&grid);
    double *carried = malloc(4 * count * sizeof *carried), *out;
    assert_non_null(carried);
    for (int k = 0; k < grid.n[2]; k++) {
        for (int j = 0; j < grid.n[1]; j++) {
            for (int i = 0; i < grid.n[0]; i++) {
                Vec3 p = node_grid_position(&grid, i, j, k);
                double *at = carried + 4 * node_grid_index(&grid, i, j, k);
                vec3_store(at, p);
                at[3] = below_slope(p);
            }
        }
    }
    TriangleMesh mesh;
    assert_int_equal(isosurface_extract(context, &grid, values, carried, 4, &mesh, &out), PLIM_OK);
    size_t on_slope = 0;
    for (size_t i = 0; i < mesh.vertex_count; i++) {
        assert_close(vec3_length(vec3_sub(vec3_load(out + 4 * i), mesh.vertices[i])), 0.0, 1e-6);
        assert_close(out[4 * i + 3], below_slope(mesh.vertices[i]), 1e-6);
        on_slope += fabs(out[4 * i + 3]) < 1e-12;
    }
    assert_true(on_slope > 300);
    context_free(context, out, 4 * mesh.vertex_count, sizeof *out);
    mesh_free(context, &mesh);
    free(carried);
    free(values);
    test_context_close(context);
}

static void refuses_bad_grids(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    double value = 0.0;
    TriangleMesh mesh;
    NodeGrid grids[] = {{{0, 0, 0}, 1.0, {0, 1, 1}},
                        {{0, 0, 0}, 1.0, {1, -4, 1}},
                        {{0, 0, 0}, 1.0, {1, 1, INT32_MAX}},
                        {{0, 0, 0}, 0.0, {1, 1, 1}},
                        {{0, 0, 0}, NAN, {1, 1, 1}}};
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++)
        assert_int_equal(isosurface_extract(context, &grids[i], &value, NULL, 0, &mesh, NULL),
                         PLIM_BAD_INPUT);
    test_context_close(context);
}

typedef struct Sampled {
    NodeGrid grid;
    double *values;
} Sampled;

static PlimStatus extract(PlimContext *context, void *user) {
    const Sampled *sampled = user;
    TriangleMesh mesh;
    double *carried;
    PlimStatus status = isosurface_extract(context, &sampled->grid, sampled->values,
                                           sampled->values, 1, &mesh, &carried);
    if (status == PLIM_OK)
        context_free(context, carried, mesh.vertex_count, sizeof *carried);
    else
        assert_true(!mesh.vertices && !mesh.triangles && !carried);
    mesh_free(context, &mesh);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    Sampled sampled;
    sampled.values = sample(&sampled.grid, 6, torus);
    starve(&(Starved){.use = extract, .user = &sampled, .least = 10, .most = 1000});
    free(sampled.values);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_field_is_manifold), cmocka_unit_test(volume_is_second_order),
        cmocka_unit_test(boundary_closes),       cmocka_unit_test(values_are_carried),
        cmocka_unit_test(refuses_bad_grids),     cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
