/* Mesh files that lie, are cut off or are no mesh files at all: refused with the place named,
 * before memory is taken for what they announce. */
#include "mesh_bytes.h"
#include "ration.h"

#include <stdlib.h>

/* Parses a copy of exactly `size` bytes, so that reading past the end is seen. Whatever the bytes,
 * a refusal is PLIM_BAD_INPUT, leaves nothing behind, and never took more than in proportion. */
static PlimStatus parse_bytes(MeshParser parse, const void *bytes, size_t size, char *message) {
    PlimContext *context = test_context(1);
    char *copy = malloc(size ? size : 1);
    memcpy(copy, bytes, size);
    TriangleMesh mesh;
    PlimStatus status = parse(context, "test", copy, size, &mesh);
    if (status == PLIM_OK) {
        for (size_t i = 0; i < mesh.triangle_count; i++)
            for (int k = 0; k < 3; k++)
                assert_in_range(mesh.triangles[i][k], 0, mesh.vertex_count - 1);
    } else {
        assert_int_equal(status, PLIM_BAD_INPUT);
        assert_null(mesh.vertices);
        assert_null(mesh.triangles);
        assert_non_null(strstr(plim_message(context), "test"));
    }
    strcpy(message, plim_message(context));
    mesh_free(context, &mesh);
    assert_true(plim_context_peak_bytes(context) <= 4096 + 128 * size);
    free(copy);
    test_context_close(context);
    return status;
}

static void expect_refusal(MeshParser parse, const char *text, const char *part) {
    char message[MESSAGE_CAPACITY];
    assert_int_equal(parse_bytes(parse, text, strlen(text), message), PLIM_BAD_INPUT);
    if (!strstr(message, part)) fail_msg("\"%s\" does not mention \"%s\"", message, part);
}

static void obj(void **state) {
    (void)state;
    expect_refusal(mesh_parse_obj, "", "no face");
    expect_refusal(mesh_parse_obj, "v 0 0 0\nv 1 0 0\nv 0 1 0\n", "no face");
    expect_refusal(mesh_parse_obj, "v 0 0\n", "line 1: the line ends where a finite number");
    expect_refusal(mesh_parse_obj, "v 0 0", "line 1: the file ends where a finite number");
    expect_refusal(mesh_parse_obj, "\n\nv 0 nan 0\n", "line 3: 'nan' is not a finite number");
    expect_refusal(mesh_parse_obj, "v 0 inf 0\n", "'inf' is not a finite");
    expect_refusal(mesh_parse_obj, "v 0 1e999 0\n", "'1e999' is not a finite");
    expect_refusal(mesh_parse_obj, "v 0 1,5 0\n", "'1,5' is not a finite");
    expect_refusal(mesh_parse_obj, "v 0 0x10 0\n", "'0x10' is not");
    expect_refusal(mesh_parse_obj, "v 0 \xff\xfe 0\n",
                   "'?"
                   "?' is not");
    expect_refusal(mesh_parse_obj, "v 0 0 0\nf 0 1 1\n", "line 2: there is no vertex 0");
    expect_refusal(mesh_parse_obj, "v 0 0 0\nf 1 1 -2\n", "line 2: there is no vertex -2");
    expect_refusal(mesh_parse_obj, "v 0 0 0\nf 1 1 2\nf 1 1 1\n", "line 2: there is no vertex 2");
    expect_refusal(mesh_parse_obj, "v 0 0 0\nf 1 1 4000000000\n", "no vertex 4000000000");
    expect_refusal(mesh_parse_obj, "v 0 0 0\nf 1 1 99999999999999999999\n", "not a corner");
    expect_refusal(mesh_parse_obj, "v 0 0 0\nf 1 1\n", "line 2: a face of 2 corners");
    expect_refusal(mesh_parse_obj, "v 0 0 0\nf 1 1 \\\n1x\n", "line 3: '1x' is not a corner");
    expect_refusal(mesh_parse_obj, "v 0 0 0\nf 1/a 1 1\n", "'1/a' is not a corner");
    expect_refusal(mesh_parse_obj, "v 0 0 0\nf 1/1/1/1 1 1\n", "is not a corner");
    expect_refusal(mesh_parse_obj, "v 0 0 0\nf 1.5 1 1\n", "'1.5' is not a corner");
}

#define PLY_VERTICES                                                                               \
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"                \
    "property float z\n"
#define PLY_FACES  "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
#define PLY_PLACES "0 0 0\n1 0 0\n0 1 0\n"

static void ply_headers(void **state) {
    (void)state;
    expect_refusal(mesh_parse_ply, "", "not a PLY file");
    expect_refusal(mesh_parse_ply, "plyx\n", "not a PLY file");
    expect_refusal(mesh_parse_ply, "ply\n", "line 2: the file ends in the header");
    expect_refusal(mesh_parse_ply, "ply\nend_header\n", "names no format");
    expect_refusal(mesh_parse_ply, "ply\nformat utf 1.0\n", "line 2: 'utf' is not a format");
    expect_refusal(mesh_parse_ply, "ply\nformat ascii 1.0\nformat ascii 1.0\n", "given twice");
    expect_refusal(mesh_parse_ply, "ply\nproperty int x\n", "before the first element");
    expect_refusal(mesh_parse_ply, "ply\nelement vertex -1\n", "line 2: '-1' is not a count");
    expect_refusal(mesh_parse_ply, "ply\nelement vertex x\n", "line 2: 'x' is not a count");
    expect_refusal(mesh_parse_ply, "ply\nelement vertex\n", "the line ends where a count");
    expect_refusal(mesh_parse_ply, "ply\nelement vertex 1\nelement vertex 1\n", "declared twice");
    expect_refusal(mesh_parse_ply, "ply\nelement face 1\nproperty int128 x\n", "'int128' is not a");
    expect_refusal(mesh_parse_ply, "ply\nelement face 1\nproperty int\n", "the name of a property");
    expect_refusal(mesh_parse_ply, "ply\nelement a 1\nproperty list float int x\n",
                   "'float' is not a type of whole numbers");
    expect_refusal(mesh_parse_ply,
                   "ply\nelement face 1\nproperty list uchar float vertex_indices\n",
                   "'float' is not a type of whole numbers");
    expect_refusal(mesh_parse_ply, "ply\nelement vertex 1\nproperty int x\nproperty int x\n",
                   "declared twice");
    expect_refusal(mesh_parse_ply, "ply\nformat ascii 1.0\nelements 1\n", "'elements' is not");
    expect_refusal(mesh_parse_ply, "ply\nformat ascii 1.0\nelement vertex 1\nend_header\n",
                   "no element vertex with");
    expect_refusal(mesh_parse_ply, PLY_VERTICES "end_header\n" PLY_PLACES, "no element face");
}

static void ply_bodies(void **state) {
    (void)state;
    char message[MESSAGE_CAPACITY];
    const char *good = PLY_VERTICES PLY_FACES PLY_PLACES "3 0 1 2";
    assert_int_equal(parse_bytes(mesh_parse_ply, good, strlen(good), message), PLIM_OK);
    expect_refusal(mesh_parse_ply, PLY_VERTICES PLY_FACES PLY_PLACES "3 0 1 3\n",
                   "face 0: there is no vertex 3");
    expect_refusal(mesh_parse_ply, PLY_VERTICES PLY_FACES PLY_PLACES "3 0 1 -1\n",
                   "line 13: face 0: no vertex has such an index");
    expect_refusal(mesh_parse_ply, PLY_VERTICES PLY_FACES PLY_PLACES "3 0 1 1.5\n",
                   "such an index");
    expect_refusal(mesh_parse_ply, PLY_VERTICES PLY_FACES PLY_PLACES "2 0 1\n", "three corners");
    expect_refusal(mesh_parse_ply, PLY_VERTICES PLY_FACES PLY_PLACES "-3 0 1 2\n",
                   "a list cannot have such a length");
    expect_refusal(mesh_parse_ply, PLY_VERTICES PLY_FACES PLY_PLACES "4000000000 0 1 2\n",
                   "longer than the rest of the file");
    expect_refusal(mesh_parse_ply, PLY_VERTICES PLY_FACES PLY_PLACES "3 0 1\n", "face 0");
    expect_refusal(mesh_parse_ply, PLY_VERTICES PLY_FACES "0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n",
                   "line 11: vertex 1: here stands what is not a finite number");
    expect_refusal(mesh_parse_ply, PLY_VERTICES PLY_FACES "0 0 0\n", "announced");
    expect_refusal(mesh_parse_ply,
                   "ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\n"
                   "property float x\nproperty float y\nproperty float z\n" PLY_FACES "abcd",
                   "4000000000 of element vertex are announced, but the 4 bytes left hold 0");
    expect_refusal(mesh_parse_ply,
                   "ply\nformat binary_big_endian 1.0\nelement junk 99999999999999999\n"
                   "property uchar a\nelement vertex 0\nproperty float x\nproperty float y\n"
                   "property float z\n" PLY_FACES "abcd",
                   "99999999999999999 of element junk");
    expect_refusal(mesh_parse_ply,
                   "ply\nformat binary_big_endian 1.0\nelement junk 1\n"
                   "property list uint double a\nelement vertex 0\nproperty float x\n"
                   "property float y\nproperty float z\n" PLY_FACES "\xff\xff\xff\xff",
                   "junk 0: its list is longer than the rest");
    expect_refusal(mesh_parse_ply,
                   "ply\nformat binary_big_endian 1.0\nelement vertex 1\nproperty float x\n"
                   "property float y\nproperty float z\n" PLY_FACES "\x7f\xc0\x01\x01"
                   "aaaabbbb",
                   "vertex 0: its place is not finite");
}

static void stl(void **state) {
    (void)state;
    char bytes[184] = "solid", message[MESSAGE_CAPACITY];
    expect_refusal(mesh_parse_stl, "", "is no STL file");
    expect_refusal(mesh_parse_stl, "hello", "5 bytes are fewer than the 84");
    expect_refusal(mesh_parse_stl, "solid x\nendsolid x\n", "no facet in it");
    expect_refusal(mesh_parse_stl, "solid x\nface\n", "line 2: 'face' is not 'facet'");
    expect_refusal(mesh_parse_stl, "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 nan\n",
                   "line 4: 'nan' is not a finite number");
    expect_refusal(mesh_parse_stl,
                   "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\n",
                   "line 6: 'endloop' is not 'vertex': a loop has three");
    expect_refusal(mesh_parse_stl,
                   "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
                   "vertex 1 1 0\nvertex 0 1 0\n",
                   "line 7: 'vertex' is not 'endloop'");
    expect_refusal(mesh_parse_stl, "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0",
                   "line 4: the file ends where a finite number should be");
    bytes[0] = 'x';
    memset(bytes + 80, 0xff, 4); /* four thousand million triangles */
    assert_int_equal(parse_bytes(mesh_parse_stl, bytes, 184, message), PLIM_BAD_INPUT);
    assert_non_null(strstr(message, "announces 4294967295 triangles"));
    memset(bytes + 80, 0, 4);
    bytes[80] = 2;
    assert_int_equal(parse_bytes(mesh_parse_stl, bytes, 184, message), PLIM_OK);
    assert_int_equal(parse_bytes(mesh_parse_stl, bytes, 183, message), PLIM_BAD_INPUT);
    memset(bytes + 84 + 50 + 12, 0xff, 4);
    assert_int_equal(parse_bytes(mesh_parse_stl, bytes, 184, message), PLIM_BAD_INPUT);
    assert_non_null(strstr(message, "triangle 1 (from 0): a corner is not at a finite place"));
}

static void garbage(void **state) {
    (void)state;
    static const MeshParser parsers[] = {mesh_parse_obj, mesh_parse_ply, mesh_parse_stl};
    unsigned char bytes[1000];
    char message[MESSAGE_CAPACITY];
    for (int i = 0; i < 3; i++)
        for (int value = 0; value < 256; value += 51) {
            memset(bytes, value, sizeof bytes);
            assert_int_equal(parse_bytes(parsers[i], bytes, sizeof bytes, message), PLIM_BAD_INPUT);
        }
}

static const char small_obj[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\nf 1 3 2\n";
static const char small_ply[] = "ply\nformat binary_little_endian 1.0\nelement vertex 3\n"
                                "property uchar x\nproperty uchar y\nproperty uchar z\n"
                                "element face 1\nproperty list uchar uchar vertex_indices\n"
                                "end_header\n\0\0\0\1\0\0\0\1\0\3\0\1\2";
static const char small_stl[] =
    "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
    "vertex 0 1 0\nendloop\nendfacet\nendsolid\n";

/* Cut off anywhere, and with any one byte changed: refused or read, never worse. */
static void cut_and_changed(void **state) {
    (void)state;
    static const struct {
        MeshParser parse;
        const char *bytes;
        size_t size;
    } files[] = {{mesh_parse_obj, small_obj, sizeof small_obj - 1},
                 {mesh_parse_ply, small_ply, sizeof small_ply - 1},
                 {mesh_parse_stl, small_stl, sizeof small_stl - 1}};
    static const unsigned char values[] = {0, 0xff, '-', '9', ' ', '\n', 'e', '/'};
    char message[MESSAGE_CAPACITY], copy[512];
    for (int i = 0; i < 3; i++) {
        assert_int_equal(parse_bytes(files[i].parse, files[i].bytes, files[i].size, message),
                         PLIM_OK);
        for (size_t size = 0; size < files[i].size; size++) {
            parse_bytes(files[i].parse, files[i].bytes, size, message);
            for (size_t v = 0; v < sizeof values; v++) {
                memcpy(copy, files[i].bytes, files[i].size);
                copy[size] = (char)values[v];
                parse_bytes(files[i].parse, copy, files[i].size, message);
            }
        }
    }
}

static PlimStatus parse_small(PlimContext *context, int which, TriangleMesh *mesh) {
    return which == 0   ? mesh_parse_obj(context, "a", small_obj, sizeof small_obj - 1, mesh)
           : which == 1 ? mesh_parse_ply(context, "a", small_ply, sizeof small_ply - 1, mesh)
                        : mesh_parse_stl(context, "a", small_stl, sizeof small_stl - 1, mesh);
}

static PlimStatus try_small(PlimContext *context, void *user) {
    TriangleMesh mesh;
    PlimStatus status = parse_small(context, *(int *)user, &mesh);
    if (status != PLIM_OK) assert_null(mesh.vertices);
    mesh_free(context, &mesh);
    return status;
}

static void memory_runs_out(void **state) {
    (void)state;
    for (int which = 0; which < 3; which++) {
        starve(&(Starved){.use = try_small, .user = &which, .least = 4, .most = 1000});
        Ration ration = {.left = LONG_MAX}; /* and so for the writers */
        PlimContext *context = rationed_context(&ration);
        TriangleMesh mesh;
        assert_int_equal(parse_small(context, which, &mesh), PLIM_OK);
        for (int format = 0; format < 2; format++) {
            Text text;
            text_init(&text, context);
            ration.left = 0;
            format ? mesh_write_obj(&mesh, &text) : mesh_write_ply(&mesh, &text);
            assert_true(text.failed);
            text_free(&text);
        }
        mesh_free(context, &mesh);
        test_context_close(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(obj),
        cmocka_unit_test(ply_headers),
        cmocka_unit_test(ply_bodies),
        cmocka_unit_test(stl),
        cmocka_unit_test(garbage),
        cmocka_unit_test(cut_and_changed),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
