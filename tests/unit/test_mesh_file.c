/* Mesh files: every way to write a mesh is read, what is written reads back the same. Files that
 * lie or are cut off: test_mesh_hostile.c. */
#include "mesh_bytes.h"

#include "base/file.h"
#include "base/random.h"
#include "geom/mesh/mesh_report.h"
#include "geom/mesh/mesh_scan.h"
#include "geom/mesh/primitives.h"

#include <locale.h>
#include <stdlib.h>
#include <unistd.h>

static void expect_same(const TriangleMesh *a, const TriangleMesh *b) {
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->triangle_count, b->triangle_count);
    assert_memory_equal(a->vertices, b->vertices, a->vertex_count * sizeof *a->vertices);
    assert_memory_equal(a->triangles, b->triangles, a->triangle_count * sizeof *a->triangles);
}

/* Triangles as "0 1 2, 0 2 3". */
static void expect_triangles(const TriangleMesh *mesh, const char *expected) {
    char text[512] = "";
    size_t length = 0;
    for (size_t i = 0; i < mesh->triangle_count; i++)
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "%s%d %d %d", i ? ", " : "",
                             mesh->triangles[i][0], mesh->triangles[i][1], mesh->triangles[i][2]);
    assert_string_equal(text, expected);
}

static TriangleMesh parse_good(PlimContext *context, MeshParser parse, const char *text) {
    TriangleMesh mesh;
    if (parse(context, "test", text, strlen(text), &mesh) != PLIM_OK)
        fail_msg("%s", plim_message(context));
    return mesh;
}

/* Every byte pattern of a finite double is as likely as any other. */
static double any_double(uint64_t stream, uint64_t index) {
    uint32_t random[4];
    random_block(5, stream, index, random);
    uint64_t bits = (uint64_t)random[0] << 32 | random[1];
    double value;
    memcpy(&value, &bits, sizeof value);
    return isfinite(value) ? value : 0.1;
}

static void written_reads_back(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    for (int comma = 0; comma < 2; comma++) {
        if (comma && !setlocale(LC_ALL, "de_DE.UTF-8")) continue;
        TriangleMesh mesh, again;
        assert_int_equal(primitive_ball(context, 1.0 / 3.0, 3, &mesh), PLIM_OK);
        for (uint64_t i = 0; i < mesh.vertex_count; i += 2)
            mesh.vertices[i] = vec3(any_double(0, i), any_double(1, i), any_double(2, i));
        mesh.vertices[1] = vec3(-0.0, 5e-324, -1.7976931348623157e308);
        Text text;
        text_init(&text, context);
        mesh_write_obj(&mesh, &text);
        assert_false(text.failed);
        assert_int_equal(
            mesh_parse_obj(context, "a.obj", text_string(&text), text.bytes.count, &again),
            PLIM_OK);
        expect_same(&mesh, &again);
        mesh_free(context, &again);
        text_free(&text);
        text_init(&text, context);
        mesh_write_ply(&mesh, &text);
        assert_false(text.failed);
        assert_int_equal(
            mesh_parse_ply(context, "a.ply", text_string(&text), text.bytes.count, &again),
            PLIM_OK);
        expect_same(&mesh, &again);
        mesh_free(context, &again);
        text_free(&text);
        mesh_free(context, &mesh);
    }
    setlocale(LC_ALL, "C");
    test_context_close(context);
}

static void check_number(PlimContext *context, const char *text) {
    MeshScan scan = {context, "test", text, text + strlen(text), 1};
    double value, expected = strtod(text, NULL);
    bool good = scan_double(&scan, &value);
    if (good != isfinite(expected) || (good && memcmp(&value, &expected, sizeof value) != 0))
        fail_msg("%s gives %d %.17g, not %.17g", text, good, value, expected);
}

/* Numbers of any length and size to the nearest double, as strtod has them. */
static void numbers_are_exact(void **state) {
    (void)state;
    static const char *const odd[] = {"0",
                                      "-0",
                                      "+.5",
                                      "5.",
                                      "1e5",
                                      "1E+05",
                                      "0.1",
                                      "1e22",
                                      "1e23",
                                      "9007199254740993",
                                      "9007199254740992.99999999999999999999999999999999",
                                      "9007199254740993.0000000000000000001",
                                      "2.2250738585072011e-308",
                                      "4.9e-324",
                                      "2.4703282292062327e-324",
                                      "1e-400",
                                      "1e400",
                                      "179769313486231580793728971405301e276",
                                      "0.000000000000000000000000000000000000000001e42",
                                      "123456789012345678901234567890",
                                      "18446744073709551616e-20",
                                      "1e-27",
                                      "1e27",
                                      "1e28",
                                      "0e99999999999",
                                      "1e-99999999999"};
    PlimContext *context = test_context(1);
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) check_number(context, odd[i]);
    for (uint64_t i = 0; i < 200000; i++) {
        char text[512];
        int digits = 1 + (int)(random_uniform(1, 0, i) * 24);
        int spread = i % 3 == 0 ? 600 : 60;
        int exponent = (int)((random_uniform(1, 1, i) - 0.5) * spread);
        int point = (int)(random_uniform(1, 2, i) * (digits + 1)), length = 0;
        if (random_uniform(1, 3, i) < 0.5) text[length++] = '-';
        for (int k = 0; k < digits; k++) {
            if (k == point) text[length++] = '.';
            text[length++] = (char)('0' + (int)(random_uniform(2, i, (uint64_t)k) * 10));
        }
        text[length] = '\0';
        if (i % 2) snprintf(text + length, sizeof text - (size_t)length, "e%d", exponent);
        check_number(context, text);
    }
    /* Halfway between two doubles, and a hair above, 900 digits on. */
    char tie[1024] = "9007199254740993.", above[1024];
    memset(tie + strlen(tie), '0', 900);
    strcpy(above, tie);
    strcat(above, "1");
    check_number(context, tie);
    check_number(context, above);
    test_context_close(context);
}

static void obj_in_every_way(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    TriangleMesh mesh = parse_good(
        context, mesh_parse_obj,
        "# made by hand in C:\\meshes\\\r\nmtllib a.mtl\r\no thing\r\n"
        "v 0 0 0 1.0\r\nv\t1 0 0 0.5 0.5 0.5\r\nv 1 1 0\r\nvn 0 0 1\r\nvt 0 nan\r\ng a b c\r\n"
        "f 1 2 3\r\nf 1/1 2/1 3/1\r\nf 1//1 2//1 3//1\r\nf 1/1/1 2/2/2 3/3/3 # a face\r\n"
        "f -3 -2/ -1//\r\n\r\n"
        "v 0 \\\r\n  1\\\r\n 0\r\nf 1 2 \\\n  3 \\\r 4\r\ns off\r\nusemtl x \\\r\nf is no face\r\n"
        "f 1 3 5\r\n  v -1 0 0 # a vertex after the face that uses it\r\nf 5\t4 -5   ");
    assert_int_equal(mesh.vertex_count, 5);
    assert_close(mesh.vertices[3].y, 1.0, 0.0);
    expect_triangles(&mesh, "0 1 2, 0 1 2, 0 1 2, 0 1 2, 0 1 2, 0 1 2, 0 2 3, 0 2 4, 4 3 0");
    mesh_free(context, &mesh);
    test_context_close(context);
}

static MeshGroup parse_group(PlimContext *context, const char *text, const char *name) {
    MeshGroup group;
    if (mesh_parse_obj_group(context, "test.obj", text, strlen(text), name, &group) != PLIM_OK)
        fail_msg("%s", plim_message(context));
    return group;
}

static void expect_group(PlimContext *context, const char *text, const char *name,
                         const char *expected) {
    char list[256] = "";
    size_t length = 0;
    MeshGroup group = parse_group(context, text, name);
    for (size_t i = 0; i < group.triangles.count; i++)
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%d", i ? " " : "",
                                   group.triangles.data[i]);
    assert_string_equal(list, expected);
    assert_int_equal(group.mesh.triangle_count, 7);
    mesh_group_free(context, &group);
}

/* A face is in all groups of the last g, and in the last o; polygons are all of their triangles. */
static void obj_groups(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    static const char text[] =
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\ng a b\nf 1 2 3 4\no whole\n"
        "g b\t# a comment\r\nf 1 3 4\ng\nf 2 3 4\ng c\ngroup b\no\nf 1 2 4\no part\nf 4 3 2";
    expect_group(context, text, "a", "1 2");
    expect_group(context, text, "b", "1 2 3");
    expect_group(context, text, "whole", "3 4");
    expect_group(context, text, "c", "5 6");
    expect_group(context, text, "part", "6");
    expect_group(context, text, "default", "4 5");

    MeshGroup group;
    assert_int_equal(mesh_parse_obj_group(context, "t.obj", text, strlen(text), "prat", &group),
                     PLIM_BAD_INPUT);
    assert_non_null(
        strstr(plim_message(context), "no group 'prat' (it has: a, b, whole, c, part)"));
    assert_non_null(strstr(plim_message(context), "; did you mean 'part'?"));
    static const char without[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\ng last";
    assert_int_equal(
        mesh_parse_obj_group(context, "t.obj", without, strlen(without), "last", &group),
        PLIM_BAD_INPUT);
    assert_non_null(strstr(plim_message(context), "'last' has no faces"));
    assert_int_equal(mesh_read_group(context, "a.ply", "last", &group), PLIM_BAD_INPUT);
    assert_non_null(strstr(plim_message(context), ".obj"));
    Text many;
    text_init(&many, context);
    for (int i = 0; i < 1000; i++) text_add(&many, "g name_%d\n", i);
    text_add(&many, "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n");
    assert_int_equal(mesh_parse_obj_group(context, "t.obj", text_string(&many), many.bytes.count,
                                          "name_1000", &group),
                     PLIM_BAD_INPUT);
    assert_non_null(strstr(plim_message(context), ", and more"));
    text_free(&many);
    test_context_close(context);
}

/* A concave outline: an arrow head, where the fan about the first corner would be wrong. */
static void polygons_are_cut(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    TriangleMesh mesh = parse_good(context, mesh_parse_obj,
                                   "v 2 0 0\nv 0 1 0\nv 0.5 0 0\nv 0 -1 0\nf 2 3 4 1\nf 1 2 3 4\n");
    for (size_t i = 0; i < 4; i++) {
        const int32_t *t = mesh.triangles[i];
        Vec3 a = mesh.vertices[t[0]], b = mesh.vertices[t[1]], c = mesh.vertices[t[2]];
        assert_close(vec3_cross(vec3_sub(b, a), vec3_sub(c, a)).z, 1.5, 1e-15);
    }
    mesh_free(context, &mesh);

    /* A star of 2 n corners, in a tilted plane, from every corner to begin with. */
    enum { CORNERS = 22 };
    for (int first = 0; first < CORNERS; first++) {
        Text text;
        text_init(&text, context);
        for (int i = 0; i < CORNERS; i++) {
            double angle = 2 * 3.14159265358979323846 * i / CORNERS, r = i % 2 ? 0.3 : 1.0;
            double x = r * cos(angle), y = r * sin(angle);
            text_add(&text, "v %.17g %.17g %.17g\n", x, y, 0.3 * x - 0.7 * y);
        }
        text_add(&text, "f");
        for (int i = 0; i < CORNERS; i++) text_add(&text, " %d", (first + i) % CORNERS + 1);
        mesh = parse_good(context, mesh_parse_obj, text_string(&text));
        assert_int_equal(mesh.triangle_count, CORNERS - 2);
        double area = 0.0, smallest = 1.0;
        for (size_t i = 0; i < mesh.triangle_count; i++) {
            const int32_t *t = mesh.triangles[i];
            Vec3 a = mesh.vertices[t[0]], b = mesh.vertices[t[1]], c = mesh.vertices[t[2]];
            double part = 0.5 * vec3_cross(vec3_sub(b, a), vec3_sub(c, a)).z;
            area += part;
            smallest = fmin(smallest, part);
        }
        assert_true(smallest > 0.0); /* with the right sum: they cover the star and nothing else */
        assert_close(area, CORNERS / 2 * 0.3 * sin(2 * 3.14159265358979323846 / CORNERS), 1e-14);
        mesh_free(context, &mesh);
        text_free(&text);
    }
    test_context_close(context);
}

static void ply_ascii_in_every_way(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    TriangleMesh mesh = parse_good(
        context, mesh_parse_ply,
        "ply\r\nformat ascii 1.0\r\ncomment any text\r\nobj_info more\r\nelement camera 1\r\n"
        "property float view_x\r\nproperty list uchar short tags\r\nelement empty 4000000000\r\n"
        "element face 2\r\nproperty uchar red\r\nproperty list int uint vertex_index\r\n"
        "property list uchar float texcoord\r\nelement vertex 4\r\nproperty float32 nx\r\n"
        "property float64 z\r\nproperty float64 y\r\nproperty double x\r\nelement edge 1\r\n"
        "property int vertex1\r\nend_header\r\n"
        "nan 2 7 8\r\n255 3 0 1 2 0\r\n0 4 0 1 2 3 2 0.5\r\n0.5\r\n"
        "nan 0 0 0\r\n0 0 0 1\r\n0 0 1 1\r\n0 0.5 1 0\r\n7");
    assert_int_equal(mesh.vertex_count, 4);
    assert_close(mesh.vertices[1].x, 1.0, 0.0);
    assert_close(mesh.vertices[3].z, 0.5, 0.0);
    expect_triangles(&mesh, "0 1 2, 0 1 2, 0 2 3");
    mesh_free(context, &mesh);
    test_context_close(context);
}

static void put(Text *text, uint64_t bits, size_t size, bool big) {
    for (size_t i = 0; i < size; i++)
        put_byte(text, (unsigned char)(bits >> 8 * (big ? size - 1 - i : i)));
}

static uint64_t float_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Each integer type for counts and indices, both byte orders, an unknown element in front. */
static void ply_binary_in_every_way(void **state) {
    (void)state;
    static const char *const types[] = {"char", "uchar", "short", "ushort", "int", "uint32"};
    static const size_t sizes[] = {1, 1, 2, 2, 4, 4};
    PlimContext *context = test_context(1);
    for (int variant = 0; variant < 72; variant++) {
        bool big = variant % 2;
        int count = variant / 2 % 6, index = variant / 12;
        Text text;
        text_init(&text, context);
        text_add(&text,
                 "ply\nformat binary_%s_endian 1.0\nelement odd 2\nproperty list %s double a\n",
                 big ? "big" : "little", types[count]);
        text_add(&text,
                 "element vertex 4\nproperty float x\nproperty uchar q\nproperty float y\n"
                 "property double z\nelement face 1\nproperty list %s %s vertex_indices\n"
                 "end_header\n",
                 types[count], types[index]);
        put(&text, 0, sizes[count], big);
        put(&text, 1, sizes[count], big);
        put(&text, 99, 8, big);
        for (int i = 0; i < 4; i++) {
            double z = 0.25 * i;
            uint64_t bits;
            memcpy(&bits, &z, sizeof bits);
            put(&text, float_bits(i == 1 || i == 2), 4, big);
            put(&text, 17, 1, big);
            put(&text, float_bits(i >= 2), 4, big);
            put(&text, bits, 8, big);
        }
        put(&text, 4, sizes[count], big);
        for (uint64_t i = 0; i < 4; i++) put(&text, i, sizes[index], big);
        TriangleMesh mesh;
        assert_int_equal(
            mesh_parse_ply(context, "test", text_string(&text), text.bytes.count, &mesh), PLIM_OK);
        expect_triangles(&mesh, "0 1 2, 0 2 3");
        assert_close(mesh.vertices[2].x + 10 * mesh.vertices[2].y + 100 * mesh.vertices[2].z, 61,
                     0.0);
        mesh_free(context, &mesh);
        text_free(&text);
    }
    test_context_close(context);
}

static void put_stl(Text *text, const TriangleMesh *mesh, const char *header, float normal) {
    for (size_t i = 0; i < 80; i++)
        put_byte(text, (unsigned char)(i < strlen(header) ? header[i] : ' '));
    put(text, mesh->triangle_count, 4, false);
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        for (int k = 0; k < 3; k++) put(text, float_bits(normal), 4, false);
        for (int k = 0; k < 3; k++) {
            Vec3 p = mesh->vertices[mesh->triangles[i][k]];
            put(text, float_bits((float)p.x), 4, false);
            put(text, float_bits((float)p.y), 4, false);
            put(text, float_bits((float)p.z), 4, false);
        }
        put(text, 0, 2, false);
    }
}

static void stl_in_every_way(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    TriangleMesh ball, mesh;
    assert_int_equal(primitive_ball(context, 2.0, 2, &ball), PLIM_OK);
    Text text;
    text_init(&text, context);
    put_stl(&text, &ball, "solid but binary", NAN);
    assert_int_equal(mesh_parse_stl(context, "test", text_string(&text), text.bytes.count, &mesh),
                     PLIM_OK);
    assert_int_equal(mesh.vertex_count, ball.vertex_count);
    assert_true(mesh_is_closed(context, &mesh));
    mesh_free(context, &mesh);
    mesh_free(context, &ball);
    text_free(&text);

    mesh =
        parse_good(context, mesh_parse_stl,
                   " SOLID two words\r\n FACET NORMAL nan nan -nan(ind)\r\n  outer loop\r\n"
                   "vertex 0 0 0\r\nvertex 1 0 0\r\n vertex 1e0 1.0 -0\r\nendloop\r\nendfacet\r\n"
                   "endsolid two words\r\nsolid\nfacet normal 0 0 1 outer loop vertex 0 -0 0 "
                   "vertex 1 1 0 vertex 0 1 0 endloop endfacet");
    assert_int_equal(mesh.vertex_count, 4);
    expect_triangles(&mesh, "0 1 2, 0 2 3");
    mesh_free(context, &mesh);
    test_context_close(context);
}

static void names_choose_the_reader(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    assert_true(mesh_is_readable_name("a.obj") && mesh_is_readable_name("x/B.PLY"));
    assert_true(mesh_is_readable_name("c.d.Stl") && !mesh_is_readable_name("obj"));
    assert_false(mesh_is_readable_name(".obj") || mesh_is_readable_name("a.gltf"));
    TriangleMesh mesh;
    assert_int_equal(mesh_read(context, "a.gltf", &mesh), PLIM_BAD_INPUT);
    assert_non_null(strstr(plim_message(context), ".obj, .ply or .stl"));
    assert_int_equal(mesh_read(context, "no/such.obj", &mesh), PLIM_BAD_INPUT);
    char folder[] = "/tmp/plimsoll_XXXXXX", path[PATH_CAPACITY];
    assert_non_null(mkdtemp(folder));
    assert_int_equal(path_join(context, folder, "one.obj", path), PLIM_OK);
    const char *text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    assert_int_equal(file_write(context, path, text, strlen(text), false), PLIM_OK);
    assert_int_equal(mesh_read(context, path, &mesh), PLIM_OK);
    expect_triangles(&mesh, "0 1 2");
    mesh_free(context, &mesh);
    unlink(path);
    rmdir(folder);
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_reads_back),      cmocka_unit_test(numbers_are_exact),
        cmocka_unit_test(obj_in_every_way),        cmocka_unit_test(obj_groups),
        cmocka_unit_test(polygons_are_cut),        cmocka_unit_test(ply_ascii_in_every_way),
        cmocka_unit_test(ply_binary_in_every_way), cmocka_unit_test(stl_in_every_way),
        cmocka_unit_test(names_choose_the_reader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
