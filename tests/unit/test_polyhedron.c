/* Contact of convex polyhedra: against what is known by hand, and against a search along all
 * directions that may separate. */
#include "polyhedron_make.h"
#include "ration.h"

#include "geom/query/closest.h"

/* The preference for faces, m for a size of 1, and of the depth. */
static const double PREFERENCE = 1e-4, PREFERENCE_DEPTH = 0.021;

static const Vec3 UP = {0, 1, 0};

static void expect_normals(const ContactPoints *points, Vec3 normal, double tolerance) {
    for (size_t i = 0; i < points->count; i++)
        assert_close(vec3_length(vec3_sub(points->at[i].normal, normal)), 0.0, tolerance);
}

static void expect_place(const ContactPoints *points, Vec3 place, double tolerance) {
    double nearest = HUGE_VAL;
    for (size_t i = 0; i < points->count; i++)
        nearest = fmin(nearest, vec3_length(vec3_sub(points->at[i].position, place)));
    assert_close(nearest, 0.0, tolerance);
}

static void equal_boxes_on_top_of_each_other(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Solid3 box = solid_box(context, 2, 1, 0.5);
    assert_int_equal(polyhedron_face_count(box.polyhedron), 6);
    for (double gap = -0.125; gap <= 0.125; gap += 0.125) {
        ContactPoints points =
            contact_of(&box, frame_at(3, 1 + gap, 0), &box, frame_at(3, 0, 0), 0.25);
        assert_int_equal(points.count, 4);
        expect_normals(&points, UP, 0.0);
        for (int i = 0; i < 4; i++) {
            assert_close(points.at[i].gap, gap, 0.0);
            Vec3 corner = vec3(i & 1 ? 4 : 2, 0.5 + 0.5 * gap, i & 2 ? 0.25 : -0.25);
            expect_place(&points, corner, 1e-15);
        }
    }
    assert_int_equal(contact_of(&box, frame_at(0, 1.26, 0), &box, frame_at(0, 0, 0), 0.25).count,
                     0);
    /* Rounding of the frames moves the corners out of each other's sides, and back. */
    for (uint64_t i = 0; i < 200; i++) {
        Frame both = frame_turned(random_vec3(50, i), random_vec3(51, i));
        Frame low = frame_at(0, 0, 0), high = frame_at(0, 1, 0);
        ContactPoints points =
            contact_of(&box, frame_after(&both, &high), &box, frame_after(&both, &low), 0.01);
        assert_int_equal(points.count, 4);
        assert_close(least_gap(&points), 0.0, 1e-14);
    }
    solid_free(context, &box);
    test_context_close(context);
}

static void shifted_and_turned_boxes(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Solid3 box = solid_box(context, 1, 1, 1);
    ContactPoints points = contact_of(&box, frame_at(0.25, 1, 0.5), &box, frame_at(0, 0, 0), 0.01);
    assert_int_equal(points.count, 4);
    expect_normals(&points, UP, 0.0);
    for (int i = 0; i < 4; i++)
        expect_place(&points, vec3(i & 1 ? 0.5 : -0.25, 0.5, i & 2 ? 0.5 : 0), 1e-15);

    /* An octagon: each side of the one face is cut at 0.5 (sqrt 2 - 1) from its middle. */
    Frame turned = frame_turned(vec3(0, atan(1.0), 0), vec3(0, 0.99, 0));
    points = contact_of(&box, turned, &box, frame_at(0, 0, 0), 0.01);
    assert_int_equal(points.count, 8);
    expect_normals(&points, UP, 1e-15);
    double cut = 0.5 * (sqrt(2.0) - 1.0);
    for (int i = 0; i < 8; i++) {
        double one = i & 1 ? 0.5 : -0.5, two = i & 2 ? cut : -cut;
        expect_place(&points, i & 4 ? vec3(one, 0.495, two) : vec3(two, 0.495, one), 1e-14);
        assert_close(points.at[i].gap, -0.01, 1e-15);
    }

    /* Tilted about z: the low edge of the upper box touches, the other is out of reach. */
    double tilt = 0.1;
    Frame tilted = frame_turned(vec3(0, 0, tilt), vec3(0, 0.5, 0));
    tilted.origin.y += 0.5 * (cos(tilt) + sin(tilt)) - 0.001;
    points = contact_of(&box, tilted, &box, frame_at(0, 0, 0), 0.01);
    assert_int_equal(points.count, 2);
    expect_normals(&points, UP, 1e-15);
    for (int i = 0; i < 2; i++) {
        assert_close(points.at[i].gap, -0.001, 1e-14);
        assert_close(points.at[i].position.x, 0.5 * (sin(tilt) - cos(tilt)), 1e-14);
        assert_close(fabs(points.at[i].position.z), 0.5, 1e-14);
    }
    solid_free(context, &box);
    test_context_close(context);
}

static void edges_and_vertices(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Solid3 bar = solid_box(context, 1, 1, 4), box = solid_box(context, 1, 1, 1);
    double eighth = atan(1.0), half = sqrt(0.5);
    for (double gap = -0.01; gap <= 0.011; gap += 0.01) {
        /* Two bars stand on an edge, the one along z, the other along x. */
        Frame low = frame_turned(vec3(0, 0, eighth), vec3(0, -half, 0));
        Frame across = frame_turned(vec3(0, 2 * eighth, 0), vec3(0.25, half + gap, 0.75));
        Frame edge = frame_turned(vec3(0, 0, eighth), vec3(0, 0, 0));
        ContactPoints points = contact_of(&bar, frame_after(&across, &edge), &bar, low, 0.02);
        assert_int_equal(points.count, 1);
        expect_normals(&points, UP, 1e-14);
        assert_close(points.at[0].gap, gap, 1e-14);
        expect_place(&points, vec3(0, 0.5 * gap, 0.75), 1e-14);

        /* A box on its corner: its diagonal upright. */
        Vec3 axis = vec3_normalize(vec3(1, 0, -1));
        Frame corner = frame_turned(vec3_scale(acos(sqrt(1.0 / 3.0)), axis), vec3(0.1, 0, 0.2));
        Vec3 down = mat3_apply(corner.axes, vec3(-0.5, -0.5, -0.5));
        if (down.y > -0.86) {
            corner = frame_turned(vec3_scale(-acos(sqrt(1.0 / 3.0)), axis), corner.origin);
            down = mat3_apply(corner.axes, vec3(-0.5, -0.5, -0.5));
        }
        assert_close(down.y, -sqrt(0.75), 1e-14);
        corner.origin.y = sqrt(0.75) + 0.5 + gap;
        points = contact_of(&box, corner, &box, frame_at(0, 0, 0), 0.02);
        assert_true(points.count >= 1);
        expect_normals(&points, UP, 1e-14);
        assert_close(least_gap(&points), gap, 1e-14);
        expect_place(&points, vec3(0.1, 0.5 + 0.5 * gap, 0.2), 1e-14);
    }
    solid_free(context, &bar);
    solid_free(context, &box);
    test_context_close(context);
}

/* The two overlap by `depth`, the least of all directions. */
static void expect_least(const Solid3 *a, const Frame *at_a, const Solid3 *b, const Frame *at_b,
                         double depth, uint64_t stream) {
    for (uint64_t k = 0; k < 100; k++) {
        Vec3 direction = vec3_normalize(random_vec3(stream, k));
        assert_true(separation_along(a, at_a, b, at_b, direction) <= 1e-12 - depth);
    }
}

/* Depth of the contact against that of a search along all directions. Returns whether the first,
 * moved by it along the normal, just touches the second; some overlap is left when an edge was
 * passed over in favour of a face and the deepest vertex lies beyond that face's sides. */
static bool expect_depth(const Solid3 *a, const Frame *at_a, const Solid3 *b, const Frame *at_b,
                         const ContactPoints *points, double depth) {
    double play = 2.0 * (PREFERENCE + PREFERENCE_DEPTH * depth), gap = least_gap(points);
    assert_true(gap <= 1e-12 - depth && gap >= -depth - play);
    Frame moved = *at_a;
    moved.origin = vec3_add_scaled(moved.origin, -gap, points->at[0].normal);
    Vec3 toward = vec3_scale(-1.0, points->at[0].normal);
    double left = separation_along(a, &moved, b, at_b, toward);
    assert_true(left <= 1e-12 && left >= -play);
    return left >= -1e-12;
}

static void depth_is_the_least(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    size_t touching = 0, apart = 0, exact = 0;
    for (uint64_t i = 0; i < 400; i++) {
        Solid3 a = random_solid(context, 10 + 2 * i), b = random_solid(context, 11 + 2 * i);
        Frame at_a = frame_turned(random_vec3(5, i), vec3(0, 0, 0));
        Vec3 way = vec3_normalize(random_vec3(6, i));
        double far = 0.4 + 1.1 * random_uniform(4, 7, i), margin = 0.05;
        Frame at_b = frame_turned(random_vec3(8, i), vec3_scale(far, way));
        double expected = widest_separation(&a, &at_a, &b, &at_b);
        ContactPoints points = contact_of(&a, at_a, &b, at_b, margin);
        if (expected > margin) {
            assert_int_equal(points.count, 0);
            apart++;
        } else if (expected < 0.0) {
            assert_true(points.count > 0);
            touching++;
            expect_least(&a, &at_a, &b, &at_b, -expected, 5000 + i);
            exact += expect_depth(&a, &at_a, &b, &at_b, &points, -expected);
        }
        solid_free(context, &a);
        solid_free(context, &b);
    }
    assert_true(apart > 150 && touching > 150 && exact > 130);
    test_context_close(context);
}

static void swapped_and_moved_pairs(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    size_t touching = 0;
    for (uint64_t i = 0; i < 300; i++) {
        Solid3 a = random_solid(context, 1000 + 2 * i), b = random_solid(context, 1001 + 2 * i);
        Frame at_a = frame_turned(random_vec3(15, i), vec3(0, 0, 0));
        Vec3 way = vec3_normalize(random_vec3(16, i));
        Frame at_b = frame_turned(random_vec3(18, i), vec3_scale(0.8, way));
        ContactPoints one = contact_of(&a, at_a, &b, at_b, 0.01);
        ContactPoints two = contact_of(&b, at_b, &a, at_a, 0.01);
        if (one.count > 0 && two.count > 0) {
            double depth = fabs(least_gap(&one));
            double play = 2.0 * (PREFERENCE + PREFERENCE_DEPTH * depth);
            assert_close(least_gap(&one), least_gap(&two), play);
            if (fabs(least_gap(&one) - least_gap(&two)) < 1e-12) {
                touching++;
                expect_normals(&two, vec3_scale(-1.0, one.at[0].normal), 1e-12);
            }
        }
        Frame both = frame_turned(random_vec3(17, i), vec3_scale(10, random_vec3(19, i)));
        ContactPoints moved =
            contact_of(&a, frame_after(&both, &at_a), &b, frame_after(&both, &at_b), 0.01);
        assert_int_equal(moved.count, one.count);
        for (size_t k = 0; k < one.count; k++) {
            assert_close(moved.at[k].gap, one.at[k].gap, 1e-9);
            expect_place(&moved, frame_to_world(&both, one.at[k].position), 1e-9);
            Vec3 normal = mat3_apply(both.axes, one.at[k].normal);
            assert_close(vec3_length(vec3_sub(moved.at[k].normal, normal)), 0.0, 1e-9);
        }
        solid_free(context, &a);
        solid_free(context, &b);
    }
    assert_true(touching > 100);
    test_context_close(context);
}

/* Stones of an arch: half a turn of twelve, each between two radii. */
static void arch_stones_share_a_face(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    double angle = 4.0 * atan(1.0) / 12.0, inner = 1.0, outer = 1.3;
    double s = sin(0.5 * angle), c = cos(0.5 * angle);
    Vec3 corners[4] = {vec3(inner * s, inner * c, 0), vec3(outer * s, outer * c, 0),
                       vec3(-outer * s, outer * c, 0), vec3(-inner * s, inner * c, 0)};
    TriangleMesh mesh = prism(context, corners, 4, 0.4);
    mesh_translate(&mesh, vec3(0, -1.15, 0));
    Solid3 stone = solid_from(context, mesh);
    assert_non_null(stone.polyhedron);
    for (int i = 0; i < 11; i++) {
        Frame own = frame_at(0, 1.15, 0);
        Frame turn_a = frame_turned(vec3(0, 0, i * angle), vec3(0, 0, 0));
        Frame turn_b = frame_turned(vec3(0, 0, (i + 1) * angle), vec3(0, 0, 0));
        ContactPoints points = contact_of(&stone, frame_after(&turn_a, &own), &stone,
                                          frame_after(&turn_b, &own), 0.001);
        assert_int_equal(points.count, 4);
        double joint = (i + 0.5) * angle;
        expect_normals(&points, vec3(cos(joint), sin(joint), 0), 1e-13);
        for (int k = 0; k < 4; k++) {
            double radius = k & 1 ? inner : outer;
            expect_place(&points,
                         vec3(-radius * sin(joint), radius * cos(joint), k & 2 ? 0.2 : -0.2),
                         1e-13);
            assert_close(points.at[k].gap, 0.0, 1e-13);
        }
        /* The stone after the next is out of reach. */
        Frame turn_c = frame_turned(vec3(0, 0, (i + 2) * angle), vec3(0, 0, 0));
        assert_int_equal(contact_of(&stone, frame_after(&turn_a, &own), &stone,
                                    frame_after(&turn_c, &own), 0.001)
                             .count,
                         0);
    }
    solid_free(context, &stone);
    test_context_close(context);
}

static void plates_and_scales(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    for (double scale = 1e-3; scale < 2e3; scale *= 1e3) {
        Solid3 plate = solid_box(context, scale, 0.01 * scale, scale);
        /* A pair of plates a tenth of their thickness into each other, and turned a little. */
        Frame high = frame_turned(vec3(0, 0.3, 0), vec3(0.2 * scale, 0.009 * scale, 0));
        ContactPoints points = contact_of(&plate, high, &plate, frame_at(0, 0, 0), 1e-3 * scale);
        assert_in_range(points.count, 4, 8);
        expect_normals(&points, UP, 1e-14);
        for (size_t i = 0; i < points.count; i++)
            assert_close(points.at[i].gap, -1e-3 * scale, 1e-14 * scale);
        /* Edge to edge like tiles on a floor. */
        points = contact_of(&plate, frame_at(scale, 0, 0), &plate, frame_at(0, 0, 0), 1e-4 * scale);
        assert_int_equal(points.count, 4);
        expect_normals(&points, vec3(1, 0, 0), 0.0);
        /* A small stone far out on a large floor. */
        Solid3 stone = solid_box(context, 1e-3 * scale, 1e-3 * scale, 2e-3 * scale);
        Frame far = frame_turned(vec3(0, 0.7, 0), vec3(0.4 * scale, 0.0055 * scale, 0.3 * scale));
        points = contact_of(&stone, far, &plate, frame_at(0, 0, 0), 1e-4 * scale);
        assert_int_equal(points.count, 4);
        assert_close(least_gap(&points), 0.0, 1e-15 * scale);
        solid_free(context, &stone);
        solid_free(context, &plate);
    }
    test_context_close(context);
}

static void cylinder_on_a_box(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    TriangleMesh mesh;
    assert_int_equal(primitive_cylinder(context, 0.5, 1, 32, &mesh), PLIM_OK);
    Solid3 cylinder = solid_from(context, mesh), box = solid_box(context, 2, 1, 2);
    assert_non_null(cylinder.polyhedron);
    assert_int_equal(polyhedron_face_count(cylinder.polyhedron), 34);
    for (int order = 0; order < 2; order++) {
        Frame high = frame_at(0, 1, 0), low = frame_at(0, 0, 0);
        ContactPoints points = order ? contact_of(&box, low, &cylinder, high, 0.01)
                                     : contact_of(&cylinder, high, &box, low, 0.01);
        assert_int_equal(points.count, 8);
        expect_normals(&points, vec3(0, order ? -1 : 1, 0), 0.0);
        Vec3 sum = {0};
        for (size_t i = 0; i < points.count; i++) {
            Vec3 p = points.at[i].position;
            assert_close(hypot(p.x, p.z), 0.5, 1e-14);
            sum = vec3_add(sum, p);
        }
        assert_close(hypot(sum.x, sum.z), 0.0, 0.1); /* all around */
    }
    /* Lying on one of its 32 sides. */
    double side = 0.5 * cos(4.0 * atan(1.0) / 32.0);
    Frame lying = frame_turned(vec3(2.0 * atan(1.0), 0, 0), vec3(0, 0, 0));
    Frame on_side = frame_turned(vec3(0, 0, 4.0 * atan(1.0) / 32.0), vec3(0, 0.5 + side, 0));
    ContactPoints points =
        contact_of(&cylinder, frame_after(&on_side, &lying), &box, frame_at(0, 0, 0), 0.001);
    assert_int_equal(points.count, 4);
    assert_close(least_gap(&points), 0.0, 1e-14);
    expect_normals(&points, UP, 1e-14);
    solid_free(context, &cylinder);
    solid_free(context, &box);
    test_context_close(context);
}

/* Splits every triangle in four. */
static TriangleMesh split(PlimContext *context, const TriangleMesh *mesh) {
    TriangleMesh finer;
    size_t corners = mesh->vertex_count, count = mesh->triangle_count;
    assert_int_equal(mesh_allocate(context, &finer, corners + 3 * count, 4 * count), PLIM_OK);
    for (size_t i = 0; i < corners; i++) finer.vertices[i] = mesh->vertices[i];
    for (size_t i = 0; i < count; i++) {
        int32_t middle[3];
        for (int k = 0; k < 3; k++) {
            Vec3 a = mesh->vertices[mesh->triangles[i][k]];
            Vec3 b = mesh->vertices[mesh->triangles[i][(k + 1) % 3]];
            Vec3 at = vec3_scale(0.5, vec3_add(a, b));
            middle[k] = (int32_t)(corners + 3 * i) + k;
            for (int32_t other = (int32_t)corners; other < middle[k]; other++)
                if (vec3_length(vec3_sub(finer.vertices[other], at)) < 1e-12) middle[k] = other;
            finer.vertices[middle[k]] = at;
        }
        const int32_t *t = mesh->triangles[i], *m = middle;
        int32_t parts[4][3] = {
            {t[0], m[0], m[2]}, {t[1], m[1], m[0]}, {t[2], m[2], m[1]}, {m[0], m[1], m[2]}};
        memcpy(finer.triangles[4 * i], parts, sizeof parts);
    }
    return finer;
}

static void faces_of_meshes(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    /* Vertices within faces and edges are dropped, also of a turned box of a float file. */
    Solid3 box = solid_box(context, 1, 2, 3);
    TriangleMesh finer = split(context, &box.mesh), finest = split(context, &finer);
    Quat turn = quat_exp(vec3(0.3, 0.5, 0.7));
    for (size_t i = 0; i < finest.vertex_count; i++) {
        Vec3 p = quat_rotate(turn, finest.vertices[i]);
        finest.vertices[i] = vec3((float)p.x, (float)p.y, (float)p.z);
    }
    Solid3 fine = solid_from(context, finer), rough = solid_from(context, finest);
    assert_non_null(fine.polyhedron);
    assert_non_null(rough.polyhedron);
    assert_int_equal(polyhedron_face_count(fine.polyhedron), 6);
    assert_int_equal(polyhedron_face_count(rough.polyhedron), 6);
    ContactPoints points = contact_of(&fine, frame_at(0, 2, 0), &box, frame_at(0, 0, 0), 0.01);
    assert_int_equal(points.count, 4);
    expect_normals(&points, UP, 0.0);
    solid_free(context, &fine);
    solid_free(context, &rough);
    solid_free(context, &box);
    test_context_close(context);
}

static void expect_none(PlimContext *context, TriangleMesh mesh) {
    Solid3 none = solid_from(context, mesh);
    assert_null(none.polyhedron);
    solid_free(context, &none);
}

static void what_is_not_convex(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    TriangleMesh mesh;
    assert_int_equal(primitive_torus(context, 1, 0.3, 5, 4, &mesh), PLIM_OK);
    expect_none(context, mesh);
    const Vec3 angle[6] = {vec3(0, 0, 0), vec3(2, 0, 0), vec3(2, 1, 0),
                           vec3(1, 1, 0), vec3(1, 2, 0), vec3(0, 2, 0)};
    expect_none(context, prism(context, angle, 6, 1));
    assert_int_equal(primitive_sheet(context, 1, 1, 3, 3, &mesh), PLIM_OK);
    expect_none(context, mesh); /* open */
    assert_int_equal(primitive_ball(context, 1, 1, &mesh), PLIM_OK);
    expect_none(context, mesh); /* 80 faces */
    TriangleMesh box, twice;
    assert_int_equal(primitive_box(context, vec3(1, 1, 1), &box), PLIM_OK);
    assert_int_equal(mesh_allocate(context, &twice, 16, 24), PLIM_OK);
    for (size_t i = 0; i < 16; i++) twice.vertices[i] = box.vertices[i % 8];
    for (size_t i = 0; i < 24; i++)
        for (int k = 0; k < 3; k++)
            twice.triangles[i][k] = box.triangles[i % 12][k] + (i < 12 ? 0 : 8);
    expect_none(context, twice); /* two boxes in one place */
    for (size_t i = 0; i < box.triangle_count; i++) {
        int32_t kept = box.triangles[i][0];
        box.triangles[i][0] = box.triangles[i][1];
        box.triangles[i][1] = kept;
    }
    expect_none(context, box); /* inside out */
    expect_none(context, (TriangleMesh){0});
    test_context_close(context);
}

/* A dent of 1e-5 is seen, one of 1e-8 is not. */
static void dents(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    for (int small = 0; small < 2; small++) {
        TriangleMesh mesh;
        assert_int_equal(primitive_cylinder(context, 1, 1, 8, &mesh), PLIM_OK);
        for (size_t i = 0; i < mesh.vertex_count; i++) /* the middle of the upper face */
            if (mesh.vertices[i].y > 0 && hypot(mesh.vertices[i].x, mesh.vertices[i].z) < 0.1)
                mesh.vertices[i].y -= small ? 1e-8 : 1e-5;
        Solid3 dented = solid_from(context, mesh);
        assert_int_equal(dented.polyhedron != NULL, small);
        if (small) assert_int_equal(polyhedron_face_count(dented.polyhedron), 10);
        solid_free(context, &dented);
    }
    test_context_close(context);
}

static void full_lists_keep_what_matters(void **state) {
    (void)state;
    ContactPoints points = {.count = 0};
    /* A row of a hundred: both ends and the deepest stay, and no gap becomes wide. */
    for (int i = 0; i < 100; i++)
        contact_points_add(
            &points,
            (ContactPoint){.position = vec3(i, 0, 0), .normal = UP, .gap = i == 37 ? -2.0 : -1.0});
    assert_int_equal(points.count, CONTACT_MOST_POINTS);
    expect_place(&points, vec3(0, 0, 0), 0.0);
    expect_place(&points, vec3(37, 0, 0), 0.0);
    expect_place(&points, vec3(99, 0, 0), 1.0);
    for (size_t i = 1; i < points.count; i++)
        assert_true(points.at[i].position.x - points.at[i - 1].position.x < 20);
    /* One that pushes another way is kept however near the others are. */
    contact_points_add(&points,
                       (ContactPoint){.position = vec3(37, 0.1, 0), .normal = vec3(1, 0, 0)});
    contact_points_add(&points, (ContactPoint){.position = vec3(50.2, 0, 0), .normal = UP});
    bool found = false;
    for (size_t i = 0; i < points.count; i++) found = found || points.at[i].normal.x > 0.5;
    assert_true(found);
}

static PlimStatus create_once(PlimContext *context, void *user) {
    Polyhedron *polyhedron;
    PlimStatus status = polyhedron_create(context, user, &polyhedron);
    assert_int_equal(polyhedron != NULL, status == PLIM_OK);
    polyhedron_destroy(context, polyhedron);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    TriangleMesh mesh;
    assert_int_equal(primitive_box(context, vec3(1, 1, 1), &mesh), PLIM_OK);
    starve(&(Starved){.use = create_once, .user = &mesh, .least = 4, .most = 10});
    mesh_free(context, &mesh);
    test_context_close(context);
}

/* Against all triangles of the mesh; inside, by the rays' rule: behind every triangle. */
static void distances(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    const Vec3 wedge[] = {{0, 0, 0}, {1, 0, 0}, {0.2, 0.7, 0}};
    for (uint64_t shape = 0; shape < 6; shape++) {
        Vec3 corners[9];
        for (uint64_t i = 0; i < 9; i++) corners[i] = random_vec3(60 + shape, i);
        Solid3 solid = shape == 0   ? solid_box(context, 1, 0.4, 0.7)
                       : shape == 1 ? solid_from(context, prism(context, wedge, 3, 0.5))
                                    : solid_from(context, hull(context, corners, 9));
        double worst = 0, turned = 0;
        for (uint64_t i = 0; i < 400; i++) {
            Vec3 x = vec3_scale(1.5, random_vec3(80 + shape, i)), normal, ahead;
            double least = HUGE_VAL, weights[3], sign = -1;
            for (size_t t = 0; t < solid.mesh.triangle_count; t++) {
                const int32_t *v = solid.mesh.triangles[t];
                Vec3 a = solid.mesh.vertices[v[0]], b = solid.mesh.vertices[v[1]],
                     c = solid.mesh.vertices[v[2]];
                Vec3 at = closest_on_triangle(x, a, b, c, weights);
                least = fmin(least, vec3_length(vec3_sub(x, at)));
                Vec3 out = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
                if (vec3_dot(out, vec3_sub(x, a)) > 0) sign = 1;
            }
            double found = polyhedron_distance(solid.polyhedron, x, &normal), step = 1e-6;
            worst = fmax(worst, fabs(found - sign * least));
            /* Along its normal it grows as a distance does. */
            double there =
                polyhedron_distance(solid.polyhedron, vec3_add_scaled(x, step, normal), &ahead);
            turned = fmax(turned, fabs((there - found) / step - 1));
        }
        print_message("polyhedron %d: distances off by %g, slope along the normal by %g\n",
                      (int)shape, worst, turned);
        assert_close(worst, 0.0, 1e-13);
        assert_close(turned, 0.0, 1e-8);
        solid_free(context, &solid);
    }
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_boxes_on_top_of_each_other),
        cmocka_unit_test(shifted_and_turned_boxes),
        cmocka_unit_test(edges_and_vertices),
        cmocka_unit_test(depth_is_the_least),
        cmocka_unit_test(swapped_and_moved_pairs),
        cmocka_unit_test(arch_stones_share_a_face),
        cmocka_unit_test(plates_and_scales),
        cmocka_unit_test(cylinder_on_a_box),
        cmocka_unit_test(faces_of_meshes),
        cmocka_unit_test(what_is_not_convex),
        cmocka_unit_test(dents),
        cmocka_unit_test(full_lists_keep_what_matters),
        cmocka_unit_test(out_of_memory),
        cmocka_unit_test(distances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
