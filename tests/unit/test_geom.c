/* Meshes, primitives and mass properties against closed formulas and an independent integration. */
#include "ration.h"

#include "base/random.h"
#include "geom/mesh/mass.h"
#include "geom/mesh/primitives.h"
#include "math/quat.h"

#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static double largest_difference(Mat3 a, Mat3 b) {
    double x[9], y[9], largest = 0.0;
    mat3_store(x, a);
    mat3_store(y, b);
    for (int i = 0; i < 9; i++) {
        assert_true(isfinite(x[i]) && isfinite(y[i]));
        largest = fmax(largest, fabs(x[i] - y[i]));
    }
    return largest;
}

/* The same integrals by the divergence theorem: surface integrals of cubics, on each triangle by
 * the four-point rule that is exact for cubics. Needs coordinates near the origin. */
static MassProperties surface_integrals(const TriangleMesh *mesh) {
    static const double at[4][3] = {{1.0 / 3, 1.0 / 3, 1.0 / 3},
                                    {0.6, 0.2, 0.2}, //
                                    {0.2, 0.6, 0.2},
                                    {0.2, 0.2, 0.6}};
    static const double weight[4] = {-27.0 / 48, 25.0 / 48, 25.0 / 48, 25.0 / 48};
    double volume = 0.0;
    Vec3 first = {0}, square = {0}, mixed = {0}; /* x^2, y^2, z^2 and yz, zx, xy */
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        const int32_t *t = mesh->triangles[i];
        Vec3 a = mesh->vertices[t[0]], b = mesh->vertices[t[1]], c = mesh->vertices[t[2]];
        Vec3 n = vec3_scale(0.5, vec3_cross(vec3_sub(b, a), vec3_sub(c, a)));
        for (int k = 0; k < 4; k++) {
            Vec3 p =
                vec3_add_scaled(vec3_add_scaled(vec3_scale(at[k][0], a), at[k][1], b), at[k][2], c);
            Vec3 m = vec3_scale(weight[k], n);
            volume += vec3_dot(p, m) / 3.0;
            first = vec3_add(
                first, vec3(0.5 * p.x * p.x * m.x, 0.5 * p.y * p.y * m.y, 0.5 * p.z * p.z * m.z));
            square = vec3_add(square, vec3(p.x * p.x * p.x * m.x / 3, p.y * p.y * p.y * m.y / 3,
                                           p.z * p.z * p.z * m.z / 3));
            mixed = vec3_add(mixed, vec3(0.5 * p.y * p.y * p.z * m.y, 0.5 * p.z * p.z * p.x * m.z,
                                         0.5 * p.x * p.x * p.y * m.x));
        }
    }
    Vec3 o = vec3_scale(1.0 / volume, first);
    Vec3 s = vec3(square.x - volume * o.x * o.x, square.y - volume * o.y * o.y,
                  square.z - volume * o.z * o.z);
    Vec3 d = vec3(mixed.x - volume * o.y * o.z, mixed.y - volume * o.z * o.x,
                  mixed.z - volume * o.x * o.y);
    return (MassProperties){
        volume, o, {{{s.y + s.z, -d.z, -d.y}, {-d.z, s.x + s.z, -d.x}, {-d.y, -d.x, s.x + s.y}}}};
}

static int compare_vertices(const void *a, const void *b) {
    return memcmp(a, b, sizeof(Vec3));
}

/* Closed, `euler` = V - E + F, positive volume, every vertex used, none twice;
 * both ways to integrate agree. */
static void check_mesh(PlimContext *context, TriangleMesh *mesh, int euler) {
    assert_true(mesh_is_closed(context, mesh));
    size_t edges = 3 * mesh->triangle_count / 2;
    assert_int_equal((long)mesh->vertex_count - (long)edges + (long)mesh->triangle_count, euler);
    unsigned char *used = calloc(mesh->vertex_count, 1);
    for (size_t i = 0; i < mesh->triangle_count; i++)
        for (int k = 0; k < 3; k++) used[mesh->triangles[i][k]] = 1;
    for (size_t i = 0; i < mesh->vertex_count; i++) assert_int_equal(used[i], 1);
    free(used);

    Vec3 *sorted = malloc(mesh->vertex_count * sizeof *sorted);
    for (size_t i = 0; i < mesh->vertex_count; i++) /* adding zero makes -0 and 0 the same bits */
        sorted[i] = vec3_add(mesh->vertices[i], vec3(0, 0, 0));
    qsort(sorted, mesh->vertex_count, sizeof *sorted, compare_vertices);
    for (size_t i = 1; i < mesh->vertex_count; i++)
        assert_memory_not_equal(&sorted[i - 1], &sorted[i], sizeof *sorted);
    free(sorted);

    MassProperties mass = mesh_mass_properties(mesh), other = surface_integrals(mesh);
    assert_true(mass.volume > 0.0);
    double size = mat3_trace(mass.inertia);
    assert_close(mass.volume, other.volume, 1e-12 * mass.volume);
    assert_close(largest_difference(mass.inertia, other.inertia), 0.0, 1e-12 * size);
    assert_close(vec3_length(mass.center), 0.0, 1e-14);
}

/* Each face looks away from the axis or the origin: true for convex solids centred there. */
static void check_convex_outward(const TriangleMesh *mesh) {
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        const int32_t *t = mesh->triangles[i];
        Vec3 a = mesh->vertices[t[0]], b = mesh->vertices[t[1]], c = mesh->vertices[t[2]];
        assert_true(vec3_dot(a, vec3_cross(b, c)) > 0.0);
    }
}

static void primitives_are_closed(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    TriangleMesh mesh;
    assert_int_equal(primitive_box(context, vec3(1, 2, 3), &mesh), PLIM_OK);
    check_mesh(context, &mesh, 2);
    check_convex_outward(&mesh);
    mesh_free(context, &mesh);
    for (int n = 0; n <= 7; n++) {
        assert_int_equal(primitive_ball(context, 0.7, n, &mesh), PLIM_OK);
        assert_int_equal(mesh.triangle_count, 20u << 2 * n);
        check_mesh(context, &mesh, 2);
        check_convex_outward(&mesh);
        for (size_t i = 0; i < mesh.vertex_count; i++)
            assert_close(vec3_length(mesh.vertices[i]), 0.7, 3e-16);
        mesh_free(context, &mesh);
    }
    for (int n = 3; n <= 40; n++) {
        assert_int_equal(primitive_cylinder(context, 0.3, 2.0, n, &mesh), PLIM_OK);
        check_mesh(context, &mesh, 2);
        check_convex_outward(&mesh);
        mesh_free(context, &mesh);
        assert_int_equal(primitive_capsule(context, 0.3, 2.0, n, 1 + n / 4, &mesh), PLIM_OK);
        check_mesh(context, &mesh, 2);
        check_convex_outward(&mesh);
        mesh_free(context, &mesh);
        assert_int_equal(primitive_torus(context, 2.0, 0.5, n, 43 - n, &mesh), PLIM_OK);
        check_mesh(context, &mesh, 0);
        mesh_free(context, &mesh);
    }
    test_context_close(context);
}

static void primitives_have_their_sizes(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    TriangleMesh mesh;
    Vec3 low, high;
    assert_int_equal(primitive_capsule(context, 0.3, 2.0, 8, 3, &mesh), PLIM_OK);
    mesh_translate(&mesh, vec3(1, 2, 3));
    mesh_bounds(&mesh, &low, &high);
    assert_close(low.x, 0.7, 1e-15);
    assert_close(high.x, 1.3, 1e-15);
    assert_close(low.y, 0.7, 1e-15);
    assert_close(high.y, 3.3, 1e-15);
    mesh_free(context, &mesh);
    assert_int_equal(primitive_torus(context, 2.0, 0.5, 16, 8, &mesh), PLIM_OK);
    mesh_bounds(&mesh, &low, &high);
    assert_close(high.x, 2.5, 1e-15);
    assert_close(high.y, 0.5, 1e-15); /* the hole is along y */
    assert_close(low.z, -2.5, 1e-15);
    mesh_free(context, &mesh);
    mesh_bounds(&mesh, &low, &high);
    assert_true(low.x == INFINITY && high.z == -INFINITY);
    test_context_close(context);
}

static void expect_refusal(PlimContext *context, PlimStatus status, TriangleMesh *mesh,
                           const char *part) {
    assert_int_equal(status, PLIM_BAD_INPUT);
    if (!strstr(plim_message(context), part))
        fail_msg("\"%s\" does not mention \"%s\"", plim_message(context), part);
    assert_null(mesh->vertices);
    assert_null(mesh->triangles);
    assert_int_equal(mesh->vertex_count + mesh->triangle_count, 0);
    assert_int_equal(plim_context_bytes(context), 0);
}

static void nonsense_is_refused(void **state) {
    (void)state;
    PlimContext *c = test_context(1);
    TriangleMesh m;
    expect_refusal(c, primitive_box(c, vec3(1, -2, 1), &m), &m, "box size y is -2 m");
    expect_refusal(c, primitive_box(c, vec3(1, 1, NAN), &m), &m, "box size z is nan");
    expect_refusal(c, primitive_ball(c, 0.0, 2, &m), &m, "ball radius is 0 m");
    expect_refusal(c, primitive_ball(c, INFINITY, 2, &m), &m, "ball radius is inf");
    expect_refusal(c, primitive_ball(c, 1.0, -1, &m), &m, "from 0 to 7");
    expect_refusal(c, primitive_ball(c, 1.0, 8, &m), &m, "subdivisions is 8");
    expect_refusal(c, primitive_cylinder(c, -1.0, 1.0, 8, &m), &m, "cylinder radius");
    expect_refusal(c, primitive_cylinder(c, 1.0, 0.0, 8, &m), &m, "cylinder height");
    expect_refusal(c, primitive_cylinder(c, 1.0, 1.0, 2, &m), &m, "segments is 2");
    expect_refusal(c, primitive_cylinder(c, 1.0, 1.0, 2000000000, &m), &m, "segments is 20");
    expect_refusal(c, primitive_capsule(c, NAN, 1.0, 8, 2, &m), &m, "capsule radius");
    expect_refusal(c, primitive_capsule(c, 1.0, -1.0, 8, 2, &m), &m, "capsule height");
    expect_refusal(c, primitive_capsule(c, 1.0, 1.0, 2, 2, &m), &m, "capsule segments");
    expect_refusal(c, primitive_capsule(c, 1.0, 1.0, 8, 0, &m), &m, "capsule rings is 0");
    expect_refusal(c, primitive_torus(c, 1.0, 1.0, 8, 8, &m), &m, "no hole");
    expect_refusal(c, primitive_torus(c, 0.0, 1.0, 8, 8, &m), &m, "torus major radius");
    expect_refusal(c, primitive_torus(c, 2.0, 1.0, 2, 8, &m), &m, "torus segments");
    expect_refusal(c, primitive_torus(c, 2.0, 1.0, 8, 100000, &m), &m, "torus sides");
    expect_refusal(c, mesh_allocate(c, &m, (size_t)1 << 40, 1), &m, "too large");
    test_context_close(c);
}

static PlimStatus make_primitive(PlimContext *context, int which, TriangleMesh *mesh) {
    if (which == 0) return primitive_box(context, vec3(1, 1, 1), mesh);
    if (which == 1) return primitive_ball(context, 1.0, 2, mesh);
    if (which == 2) return primitive_cylinder(context, 1.0, 1.0, 8, mesh);
    if (which == 3) return primitive_capsule(context, 1.0, 1.0, 8, 2, mesh);
    return primitive_torus(context, 2.0, 1.0, 8, 8, mesh);
}

static PlimStatus try_primitive(PlimContext *context, void *user) {
    TriangleMesh mesh;
    PlimStatus status = make_primitive(context, *(int *)user, &mesh);
    if (status == PLIM_OK) {
        mesh_free(context, &mesh);
    } else {
        assert_null(mesh.vertices);
        assert_null(mesh.triangles);
        assert_int_equal(mesh.vertex_count, 0);
    }
    return status;
}

static void out_of_memory_leaves_nothing(void **state) {
    (void)state;
    for (int which = 0; which < 5; which++) {
        starve(&(Starved){.use = try_primitive, .user = &which, .least = 2, .most = 1000});
        Ration ration = {.left = LONG_MAX};
        PlimContext *context = rationed_context(&ration);
        TriangleMesh mesh;
        assert_int_equal(make_primitive(context, which, &mesh), PLIM_OK);
        ration.left = 0;
        assert_false(mesh_is_closed(context, &mesh));
        mesh_free(context, &mesh);
        test_context_close(context);
    }
}

static void open_meshes_are_found(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    TriangleMesh mesh;
    assert_int_equal(primitive_ball(context, 1.0, 1, &mesh), PLIM_OK);
    mesh.triangle_count -= 2; /* holes */
    assert_false(mesh_is_closed(context, &mesh));
    mesh.triangle_count += 2;
    assert_true(mesh_is_closed(context, &mesh));
    int32_t *t = mesh.triangles[7];
    int32_t a = t[0], b = t[1];
    t[0] = b, t[1] = a; /* one triangle inside out */
    assert_false(mesh_is_closed(context, &mesh));
    t[0] = a, t[1] = (int32_t)mesh.vertex_count; /* no such vertex */
    assert_false(mesh_is_closed(context, &mesh));
    t[1] = -1;
    assert_false(mesh_is_closed(context, &mesh));
    t[1] = a; /* degenerate */
    assert_false(mesh_is_closed(context, &mesh));
    t[1] = b;
    memcpy(mesh.triangles[0], mesh.triangles[2], sizeof mesh.triangles[0]); /* one twice */
    assert_false(mesh_is_closed(context, &mesh));
    mesh_free(context, &mesh);
    mesh_free(context, &mesh); /* an empty mesh may be freed */
    assert_true(mesh_is_closed(context, &mesh));

    /* The same tetrahedron twice: each edge is used twice in each direction. */
    static const int32_t corners[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    assert_int_equal(mesh_allocate(context, &mesh, 4, 8), PLIM_OK);
    memcpy(mesh.triangles, corners, sizeof corners);
    memcpy(mesh.triangles + 4, corners, sizeof corners);
    assert_false(mesh_is_closed(context, &mesh));
    mesh_free(context, &mesh);
    test_context_close(context);
}

static void box_is_exact(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    for (uint64_t i = 0; i < 200; i++) {
        Vec3 size = vec3(0.1 + random_uniform(1, 0, i), 0.1 + random_uniform(1, 1, i),
                         0.1 + random_uniform(1, 2, i));
        TriangleMesh mesh;
        assert_int_equal(primitive_box(context, size, &mesh), PLIM_OK);
        MassProperties mass = mesh_mass_properties(&mesh);
        double volume = size.x * size.y * size.z;
        double xx = size.x * size.x, yy = size.y * size.y, zz = size.z * size.z;
        Mat3 inertia = mat3_scale(volume / 12.0, mat3_diagonal(yy + zz, xx + zz, xx + yy));
        assert_close(mass.volume, volume, 1e-13 * volume);
        assert_close(largest_difference(mass.inertia, inertia), 0.0, 1e-13 * mat3_trace(inertia));
        assert_close(vec3_length(mass.center), 0.0, 1e-15);
        mesh_free(context, &mesh);
    }
    test_context_close(context);
}

/* A cylinder mesh is a prism over a regular polygon, whose moments have closed forms. */
static void cylinder_is_an_exact_prism(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    double r = 0.8, h = 1.7;
    for (int n = 3; n <= 64; n++) {
        TriangleMesh mesh;
        assert_int_equal(primitive_cylinder(context, r, h, n, &mesh), PLIM_OK);
        MassProperties mass = mesh_mass_properties(&mesh);
        double volume = 0.5 * n * r * r * sin(2 * pi / n) * h;
        double axial = volume * r * r * (2.0 + cos(2 * pi / n)) / 6.0;
        double across = 0.5 * axial + volume * h * h / 12.0;
        assert_close(mass.volume, volume, 1e-13);
        assert_close(largest_difference(mass.inertia, mat3_diagonal(across, axial, across)), 0.0,
                     1e-13);
        mesh_free(context, &mesh);
    }
    test_context_close(context);
}

/* The error must fall four times when the mesh size is halved. */
static void check_second_order(MassProperties coarse, MassProperties fine, double volume,
                               Mat3 inertia) {
    double ratio = (volume - coarse.volume) / (volume - fine.volume);
    assert_close(log2(ratio), 2.0, 0.05);
    ratio = largest_difference(coarse.inertia, inertia) / largest_difference(fine.inertia, inertia);
    assert_close(log2(ratio), 2.0, 0.05);
}

static void ball_starts_from_a_regular_icosahedron(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    TriangleMesh mesh;
    assert_int_equal(primitive_ball(context, 1.0, 0, &mesh), PLIM_OK);
    MassProperties mass = mesh_mass_properties(&mesh);
    assert_close(mass.volume, 2.0 / 3.0 * sqrt(10.0 + 2.0 * sqrt(5.0)), 1e-14);
    double moment = mat3_trace(mass.inertia) / 3.0; /* as symmetric as a ball */
    assert_close(largest_difference(mass.inertia, mat3_diagonal(moment, moment, moment)), 0.0,
                 1e-14);
    mesh_free(context, &mesh);
    test_context_close(context);
}

static void ball_converges(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    double r = 1.3, volume = 4.0 / 3.0 * pi * r * r * r, moment = 0.4 * volume * r * r;
    MassProperties coarse = {0};
    for (int n = 2; n <= 6; n++) {
        TriangleMesh mesh;
        assert_int_equal(primitive_ball(context, r, n, &mesh), PLIM_OK);
        MassProperties fine = mesh_mass_properties(&mesh);
        Mat3 inertia = mat3_diagonal(moment, moment, moment);
        if (n > 2) check_second_order(coarse, fine, volume, inertia);
        if (n == 6) assert_close(fine.volume, volume, 1e-3 * volume);
        coarse = fine;
        mesh_free(context, &mesh);
    }
    test_context_close(context);
}

static void torus_converges(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    double major = 1.5, minor = 0.4, volume = 2 * pi * pi * major * minor * minor;
    double axial = volume * (major * major + 0.75 * minor * minor);
    double across = volume * (0.5 * major * major + 0.625 * minor * minor);
    MassProperties coarse = {0};
    for (int n = 16; n <= 256; n *= 2) {
        TriangleMesh mesh;
        assert_int_equal(primitive_torus(context, major, minor, 2 * n, n, &mesh), PLIM_OK);
        MassProperties fine = mesh_mass_properties(&mesh);
        if (n > 16) check_second_order(coarse, fine, volume, mat3_diagonal(across, axial, across));
        if (n == 256) assert_close(fine.volume, volume, 1e-3 * volume);
        coarse = fine;
        mesh_free(context, &mesh);
    }
    test_context_close(context);
}

static void capsule_converges(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    double r = 0.5, h = 1.2, tube = pi * r * r * h, caps = 4.0 / 3.0 * pi * r * r * r;
    double axial = tube * r * r / 2 + caps * 0.4 * r * r;
    /* Half balls: 2/5 r^2 about the ball's centre; their own centre lies 3/8 r further out. */
    double across = tube * (r * r / 4 + h * h / 12) +
                    caps * (0.4 * r * r + h * h / 4 + 2.0 * 0.375 * r * 0.5 * h);
    MassProperties coarse = {0};
    for (int n = 8; n <= 64; n *= 2) {
        TriangleMesh mesh;
        assert_int_equal(primitive_capsule(context, r, h, 4 * n, n, &mesh), PLIM_OK);
        MassProperties fine = mesh_mass_properties(&mesh);
        Mat3 inertia = mat3_diagonal(across, axial, across);
        if (n > 8) check_second_order(coarse, fine, tube + caps, inertia);
        coarse = fine;
        mesh_free(context, &mesh);
    }
    test_context_close(context);
}

/* Turning the mesh turns the inertia, R I R^T; moving it 10 km away costs only the rounding of the
 * vertices themselves, 1e4 m * 1e-16 against a size of 1 m. */
static void inertia_follows_the_mesh(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    for (uint64_t i = 0; i < 50; i++) {
        Quat q = quat_normalize((Quat){random_normal(3, 0, i), random_normal(3, 1, i),
                                       random_normal(3, 2, i), random_normal(3, 3, i)});
        Vec3 offset = quat_rotate(q, vec3(1e4, 0, 0));
        TriangleMesh mesh;
        assert_int_equal(make_primitive(context, (int)(i % 5), &mesh), PLIM_OK);
        mesh.vertices[0] = vec3_scale(1.2, mesh.vertices[0]); /* less symmetry, centre moves */
        MassProperties before = mesh_mass_properties(&mesh);
        for (size_t k = 0; k < mesh.vertex_count; k++)
            mesh.vertices[k] = quat_rotate(q, mesh.vertices[k]);
        Mat3 r = quat_to_mat3(q);
        Mat3 turned = mat3_multiply(r, mat3_multiply(before.inertia, mat3_transpose(r)));
        MassProperties near = mesh_mass_properties(&mesh);
        assert_close(largest_difference(near.inertia, turned), 0.0, 1e-13 * mat3_trace(turned));
        MassProperties other = surface_integrals(&mesh);
        assert_close(largest_difference(near.inertia, other.inertia), 0.0,
                     1e-13 * mat3_trace(turned));
        assert_close(vec3_length(vec3_sub(near.center, other.center)), 0.0, 1e-14);
        mesh_translate(&mesh, offset);
        MassProperties far = mesh_mass_properties(&mesh);
        assert_close(far.volume, before.volume, 1e-11 * before.volume);
        assert_close(largest_difference(far.inertia, turned), 0.0, 1e-11 * mat3_trace(turned));
        Vec3 center = vec3_add(quat_rotate(q, before.center), offset);
        assert_close(vec3_length(vec3_sub(far.center, center)), 0.0, 1e-11);
        mesh_free(context, &mesh);
    }
    test_context_close(context);
}

static void odd_volumes(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    TriangleMesh mesh = {0};
    MassProperties nothing = mesh_mass_properties(&mesh);
    assert_close(nothing.volume, 0.0, 0.0);

    assert_int_equal(primitive_box(context, vec3(1, 2, 3), &mesh), PLIM_OK);
    for (size_t i = 0; i < mesh.triangle_count; i++) {
        int32_t kept = mesh.triangles[i][0];
        mesh.triangles[i][0] = mesh.triangles[i][1];
        mesh.triangles[i][1] = kept;
    }
    assert_close(mesh_mass_properties(&mesh).volume, -6.0, 1e-13); /* inside out */

    /* Flat and tilted: the volume is zero up to rounding, and nothing is divided by it. */
    for (size_t i = 0; i < mesh.vertex_count; i++)
        mesh.vertices[i].z = 0.3 * mesh.vertices[i].x + 0.7 * mesh.vertices[i].y + 0.1;
    MassProperties flat = mesh_mass_properties(&mesh);
    assert_close(flat.volume, 0.0, 0.0);
    assert_close(vec3_length(flat.center), 0.0, 0.0);
    assert_close(mat3_trace(flat.inertia), 0.0, 0.0);
    mesh_free(context, &mesh);

    /* A sheet a tenth of a micrometre thick is a solid all the same. */
    assert_int_equal(primitive_box(context, vec3(1, 1e-7, 1), &mesh), PLIM_OK);
    assert_close(mesh_mass_properties(&mesh).volume, 1e-7, 1e-19);
    mesh_free(context, &mesh);
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(primitives_are_closed),
        cmocka_unit_test(primitives_have_their_sizes),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(out_of_memory_leaves_nothing),
        cmocka_unit_test(open_meshes_are_found),
        cmocka_unit_test(box_is_exact),
        cmocka_unit_test(cylinder_is_an_exact_prism),
        cmocka_unit_test(ball_starts_from_a_regular_icosahedron),
        cmocka_unit_test(ball_converges),
        cmocka_unit_test(torus_converges),
        cmocka_unit_test(capsule_converges),
        cmocka_unit_test(inertia_follows_the_mesh),
        cmocka_unit_test(odd_volumes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
