/* Triangle meshes of the plane from files: what the Gmsh reader and the flattening take, what they
 * refuse and why, and that no bytes and no lack of memory break them. */
#include "ration.h"

#include "geom/tri/tri_mesh.h"

#include <stdlib.h>
#include <string.h>

/* Two triangles on a unit square at z = 3 and a node that nobody uses; the second triangle runs
 * clockwise. */
static const char msh_2[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                            "$PhysicalNames\n1\n2 1 \"plate\"\n$EndPhysicalNames\n"
                            "$Nodes\n5\n"
                            "10 0 0 3\n7 1 0 3\n5 9 9 3\n8 1 1 3\n400000000000 0 1 3\n"
                            "$EndNodes\n"
                            "$Elements\n4\n"
                            "1 15 2 0 1 5\n"
                            "2 1 2 0 1 10 7\n"
                            "3 2 2 0 1 10 7 8\n"
                            "4 2 0 10 400000000000 8\n"
                            "$EndElements\n";
static const char msh_4[] = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
                            "$Entities\n0 0 1 0\n1 0 0 0 1 1 0 0 0\n$EndEntities\n"
                            "$Nodes\n2 5 1 12\n"
                            "1 1 1 2\n1\n2\n0 0 0 0.5\n1 0 -1e-17 1\n"
                            "2 1 0 3\n12\n4\n5\n9 9 0\n1 1 0\n0 1 0\n"
                            "$EndNodes\n"
                            "$Elements\n2 3 1 3\n"
                            "1 1 1 1\n1 1 2\n"
                            "2 1 2 2\n2 1 2 4\n3 1 5 4\n"
                            "$EndElements\n";

static PlimStatus parse(PlimContext *context, const char *text, TriangleMesh *out) {
    return tri_mesh_parse_gmsh(context, text, strlen(text), out);
}

/* The mesh that both files hold. */
static void check_square(PlimContext *context, TriangleMesh *mesh) {
    assert_int_equal(mesh->vertex_count, 4);
    assert_int_equal(mesh->triangle_count, 2);
    for (size_t i = 0; i < 4; i++) assert_close(mesh->vertices[i].z, 0.0, 0.0);
    TriQuality quality = tri_mesh_quality(mesh);
    assert_int_equal(quality.inverted, 0);
    assert_close(quality.area, 1.0, 1e-15);
    assert_close(quality.least_angle, 45.0, 1e-12);
    SegmentMesh outline;
    assert_int_equal(tri_mesh_outline(context, mesh, &outline), PLIM_OK);
    assert_int_equal(outline.segment_count, 4);
    assert_true(segment_mesh_is_closed(context, &outline));
    assert_close(segment_mesh_mass(&outline).area, 1.0, 1e-15);
    segment_mesh_free(context, &outline);
    mesh_free(context, mesh);
}

static void good_files_are_read(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    TriangleMesh mesh;
    assert_int_equal(parse(context, msh_2, &mesh), PLIM_OK);
    check_square(context, &mesh);
    assert_int_equal(parse(context, msh_4, &mesh), PLIM_OK);
    check_square(context, &mesh);
    test_context_close(context);
}

#define HEAD_2  "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define HEAD_4  "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES_2 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n"
#define NODES_4 "$Nodes\n1 3 1 3\n2 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n1 1 0\n$EndNodes\n"
#define BENT    "$Nodes\n3\n11 0 0 0.5\n12 1 0 0.5\n33 1 1 0.75\n$EndNodes\n"

static void bad_files_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "the .msh file line 1: there are no triangles with three nodes"},
        {"ply\n", "line 1: 'ply' is not $MeshFormat"},
        {HEAD_2 NODES_2, "no triangles with three nodes"},
        {HEAD_2 NODES_2 "$Elements\n1\n1 3 0 1 2 3 4\n$EndElements\n", "no triangles"}, /* quads */
        {HEAD_2 "$Nodes\n999999999999\n1 0 0 0\n", "line 5: 999999999999 nodes cannot stand"},
        {HEAD_2 "$Nodes\n3\n1 0 0 0\n2 1 0 0\n", "3 nodes cannot stand"},
        {HEAD_2 "$Nodes\n2\n1 0 0 0.0000000000\n", "ends within the nodes"},
        {HEAD_2 NODES_2 "$Elements\n999999999999\n", "999999999999 elements cannot stand"},
        {HEAD_2 NODES_2 "$Elements\n1\n1 2 0 1 2 9\n", "line 13: there is no node 9"},
        {HEAD_2 NODES_2 "$Elements\n1\n1 2 0 1 2 2\n", "line 13: a triangle has a vertex twice"},
        {HEAD_2 NODES_2 "$Elements\n1\n1 2 0 1 2    \n", "line ends where a node of the triangle"},
        {HEAD_2 NODES_2 "$Elements\n1\n1 2 0 1 2 3\n", "ends where $EndElements"},
        {HEAD_2 "$Elements\n0\n$EndElements\n", "should stand before"},
        {HEAD_2 BENT "$Elements\n1\n1 2 0 11 12 33\n$EndElements\n",
         "node 33 is at z = 0.75 and node 11 at z = 0.5"},
        {HEAD_4 "$Nodes\n1 99999999999 1 1\n", "99999999999 nodes cannot stand"},
        {HEAD_4 NODES_4 "$Elements\n1 1 1 1\n2 1 2 2\n1 1 2 3\n2 1 2 3\n",
         "a block has 2 elements"},
        {HEAD_4 NODES_4 "$Elements\n1 1 1 1\n2 1 2 1\n1 1 2 7\n", "line 17: there is no node 7"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        PlimContext *context = test_context(1);
        TriangleMesh mesh;
        assert_int_equal(parse(context, cases[i].text, &mesh), PLIM_BAD_INPUT);
        assert_true(!mesh.vertices && !mesh.triangles);
        if (!strstr(plim_message(context), cases[i].message))
            fail_msg("'%s' is not in '%s'", cases[i].message, plim_message(context));
        assert_true(plim_context_peak_bytes(context) < 4096);
        test_context_close(context);
    }
}

/* A good file cut off after any byte, or with any byte changed: read or refused, each from a block
 * of its own size, so that the sanitizer sees a look past the end. */
static void try_bytes(PlimContext *context, const char *bytes, size_t size) {
    char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    TriangleMesh mesh;
    PlimStatus status = tri_mesh_parse_gmsh(context, copy, size, &mesh);
    assert_true(status == PLIM_OK || status == PLIM_BAD_INPUT);
    if (status == PLIM_OK) assert_true(mesh.triangle_count >= 1 && mesh.vertex_count >= 3);
    mesh_free(context, &mesh);
    free(copy);
}

static void broken_files_do_no_harm(void **state) {
    (void)state;
    static const char *const files[] = {msh_2, msh_4};
    static const char changes[] = {'\0', '\n', '9', '-', '.', '$', '#', (char)0xFF};
    PlimContext *context = test_context(1);
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        size_t size = strlen(files[f]);
        char copy[1024];
        assert_true(size <= sizeof copy);
        for (size_t i = 0; i <= size; i++) try_bytes(context, files[f], i);
        for (size_t i = 0; i < size; i++) {
            for (size_t c = 0; c < sizeof changes; c++) {
                memcpy(copy, files[f], size);
                copy[i] = changes[c];
                try_bytes(context, copy, size);
            }
        }
    }
    test_context_close(context);
}

static void meshes_are_flattened(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Vec3 vertices[] = {{0, 0, 2}, {1, 0, 2}, {1, 1, 2.0 + 1e-12}, {0, 1, 2}};
    int32_t triangles[][3] = {{0, 1, 2}, {0, 3, 2}};
    TriangleMesh mesh = {vertices, 4, triangles, 2};
    assert_int_equal(tri_mesh_flatten(context, &mesh), PLIM_OK);
    TriQuality quality = tri_mesh_quality(&mesh);
    assert_int_equal(quality.inverted, 0);
    assert_close(quality.area, 1.0, 1e-15);
    for (size_t i = 0; i < 4; i++) assert_close(vertices[i].z, 0.0, 0.0);

    vertices[3].z = 0.25;
    triangles[1][1] = 3, triangles[1][2] = 2;
    Vec3 before[4];
    memcpy(before, vertices, sizeof before);
    assert_int_equal(tri_mesh_flatten(context, &mesh), PLIM_BAD_INPUT);
    assert_non_null(strstr(plim_message(context), "vertex 3 is at z = 0.25 and vertex 0 at z = 0"));
    assert_memory_equal(vertices, before, sizeof before);
    assert_int_equal(triangles[1][1], 3);
    vertices[3].z = 0.0;
    vertices[1].x = NAN;
    assert_int_equal(tri_mesh_flatten(context, &mesh), PLIM_BAD_INPUT);
    vertices[1].x = 1.0;
    triangles[0][2] = 4;
    assert_int_equal(tri_mesh_flatten(context, &mesh), PLIM_BAD_INPUT);
    test_context_close(context);
}

static PlimStatus parse_any(PlimContext *context, void *user) {
    TriangleMesh mesh;
    PlimStatus status = parse(context, user, &mesh);
    if (status != PLIM_OK) assert_true(!mesh.vertices && !mesh.triangles);
    mesh_free(context, &mesh);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    char text[2][1024];
    strcpy(text[0], msh_2);
    strcpy(text[1], msh_4);
    for (int file = 0; file < 2; file++)
        starve(&(Starved){.use = parse_any, .user = text[file], .least = 4, .most = 1000});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_files_are_read),     cmocka_unit_test(bad_files_are_refused),
        cmocka_unit_test(broken_files_do_no_harm), cmocka_unit_test(meshes_are_flattened),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
