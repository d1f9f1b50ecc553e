/* Balls, capsules and tori in distance fields: against what geometry says, and against dense
 * sampling of their cores. */
#include "contact_case.h"

#include "collide/sample_field.h"
#include "geom/mesh/primitives.h"

static const double pi = 3.14159265358979323846;

static const RoundCore ball = {ROUND_BALL, 0.2, 0, {0, 0, 0}};
static const RoundCore capsule = {ROUND_CAPSULE, 0.1, 1, {0, 0, 0}};
static const RoundCore ring = {ROUND_TORUS, 0.1, 0.5, {0, 0, 0}};

static ContactPoints contact(const RoundCore *core, Frame at, const Solid *solid, double margin) {
    ContactPoints points = {.count = 0};
    DistanceField field = field_of(solid);
    Frame at_b = frame_in_place();
    round_contact(core, &at, &field, &at_b, margin, false, &points);
    assert_sound(&points, solid, &at_b, false, 1e-9);
    return points;
}

/* ---- balls ---- */

static void ball_meets_a_plane(void **state) {
    (void)state;
    Solid plane = solid_default(SOLID_HALF_SPACE);
    ContactPoints points = contact(&ball, frame_at(vec3(3, 0.19, -2), vec3(1, 2, 3)), &plane, 0);
    assert_int_equal(points.count, 1);
    assert_close(points.at[0].gap, -0.01, 1e-14);
    assert_close(points.at[0].radius, 0.2, 0);
    assert_vector(points.at[0].normal, vec3(0, 1, 0), 1e-14);
    assert_vector(points.at[0].position, vec3(3, -0.005, -2), 1e-14);
    points = contact(&ball, frame_at(vec3(0, 0.211, 0), vec3(0, 0, 0)), &plane, 0.01);
    assert_int_equal(points.count, 0);
    points = contact(&ball, frame_at(vec3(0, 0.209, 0), vec3(0, 0, 0)), &plane, 0.01);
    assert_int_equal(points.count, 1);
}

/* Outside, the normal is the true direction from the nearest point; inside, the nearest face's. */
static void ball_meets_a_box(void **state) {
    (void)state;
    Solid box = solid_default(SOLID_BOX);
    const struct {
        Vec3 at, normal;
        double gap;
    } cases[] = {{{0.1, 0.6, 0.2}, {0, 1, 0}, -0.1},
                 {{0.6, 0.6, 0.2}, {1, 1, 0}, 0.1 * sqrt(2) - 0.2},
                 {{-0.6, 0.6, -0.6}, {-1, 1, -1}, 0.1 * sqrt(3) - 0.2},
                 {{0.1, -0.4, 0.2}, {0, -1, 0}, -0.3},
                 {{0.5, 0.3, 0.2}, {1, 0, 0}, -0.2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ContactPoints points = contact(&ball, frame_at(cases[i].at, vec3(0, 0, 0)), &box, 0);
        assert_int_equal(points.count, 1);
        assert_vector(points.at[0].normal, vec3_normalize(cases[i].normal), 1e-12);
        assert_close(points.at[0].gap, cases[i].gap, 1e-14);
    }
}

/* At the middle of another ball there is no direction: any unit normal does. */
static void ball_at_the_middle_has_a_normal(void **state) {
    (void)state;
    const SolidKind kinds[] = {SOLID_BALL, SOLID_CAPSULE, SOLID_TORUS, SOLID_CYLINDER, SOLID_CONE};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        Solid solid = solid_default(kinds[i]);
        Vec3 at = kinds[i] == SOLID_TORUS ? vec3(0.5, 0, 0) : vec3(0, 0, 0);
        ContactPoints points = {.count = 0};
        DistanceField field = field_of(&solid);
        Frame at_a = frame_at(at, vec3(0, 0, 0)), at_b = frame_in_place();
        round_contact(&ball, &at_a, &field, &at_b, 0, false, &points);
        assert_int_equal(points.count, 1);
        assert_close(vec3_length(points.at[0].normal), 1, 1e-12);
    }
}

/* ---- normals of all solids against central differences ---- */

static Solid some_solid(int kind, Solid *parts) {
    Solid solid = solid_default((SolidKind)kind);
    solid.position = vec3(0.1, -0.2, 0.15);
    solid.orientation = quat_exp(vec3(0.4, 1, -0.3));
    solid.scale = 1.3;
    parts[0] = solid_default(SOLID_BOX);
    parts[1] = solid_default(SOLID_BALL);
    parts[1].position = vec3(0.4, 0.3, 0.2);
    solid.children = parts;
    solid.child_count = 2;
    return solid;
}

static void normals_are_gradients(void **state) {
    (void)state;
    for (int kind = SOLID_BOX; kind <= SOLID_DIFFERENCE; kind++) {
        if (kind == SOLID_FIELD || kind == SOLID_CONVEX) continue; /* borrow what they are */
        Solid parts[2], solid = some_solid(kind, parts);
        int kinks = 0;
        for (uint64_t i = 0; i < 4000; i++) {
            Vec3 p = random_vector(0, i, 1.5);
            double h = 1e-6, g[3];
            for (int a = 0; a < 3; a++)
                g[a] = (solid_distance(&solid, vec3_add_scaled(p, h, vec3_axis(a))) -
                        solid_distance(&solid, vec3_add_scaled(p, -h, vec3_axis(a)))) /
                       (2 * h);
            Vec3 apart = vec3_sub(distance_normal(&solid, p), vec3_load(g));
            if (vec3_length(apart) > 1e-5) kinks++;
        }
        assert_true(kinks < 10);
    }
}

/* ---- capsules ---- */

static void lying_capsule_rests_on_its_ends(void **state) {
    (void)state;
    Solid plane = solid_default(SOLID_HALF_SPACE), box = solid_default(SOLID_BOX);
    box.size[0] = box.size[2] = 4;
    box.position = vec3(0, -0.5, 0);
    /* Level, and tilted within the margin: y grows along x. */
    for (int tilted = 0; tilted < 3; tilted++) {
        double tilt = tilted * 4e-3;
        Frame at = frame_at(vec3(0.3, 0.099, 0.2), vec3(0, 0, -pi / 2 + tilt));
        for (int kind = 0; kind < 2; kind++) {
            ContactPoints points = contact(&capsule, at, kind ? &box : &plane, 0.02);
            assert_int_equal(points.count, 2);
            double apart = points.at[0].position.x - points.at[1].position.x;
            assert_close(fabs(apart), cos(tilt), 1e-9);
            assert_close(least_gap(&points), -0.001 - 0.5 * sin(tilt), 1e-9);
        }
    }
}

/* A log that is longer than the table is wide rests on the table's two edges. */
static void capsule_rests_on_a_narrow_table(void **state) {
    (void)state;
    Solid table = solid_default(SOLID_BOX);
    const double widths[] = {0.5, 0.3, 0.05};
    for (size_t i = 0; i < 3; i++) {
        table.size[0] = widths[i];
        for (int tilted = -1; tilted < 2; tilted++) {
            Frame at = frame_at(vec3(0.1, 0.6, 0), vec3(0, 0, -pi / 2 + 1e-4 * tilted));
            ContactPoints points = contact(&capsule, at, &table, 0.001);
            double low = HUGE_VAL, high = -HUGE_VAL;
            for (size_t j = 0; j < points.count; j++) {
                low = fmin(low, points.at[j].position.x);
                high = fmax(high, points.at[j].position.x);
            }
            assert_close(low, -0.5 * widths[i], 2e-3);
            assert_close(high, 0.5 * widths[i], 2e-3);
        }
    }
}

static void capsule_across_an_edge_touches_between(void **state) {
    (void)state;
    Solid box = solid_default(SOLID_BOX), other = solid_default(SOLID_CAPSULE);
    box.orientation = quat_exp(vec3(pi / 4, 0, 0)); /* an edge along x up */
    Frame at = frame_at(vec3(0.1, sqrt(0.5) + 0.099, 0.2), vec3(pi / 2, 0, 0));
    ContactPoints points = contact(&capsule, at, &box, 0.01);
    assert_int_equal(points.count, 1);
    assert_vector(points.at[0].position, vec3(0.1, sqrt(0.5) - 0.0005, 0), 1e-6);
    assert_close(points.at[0].gap, -0.001, 1e-12);

    other.radius = 0.2;
    at = frame_at(vec3(0.3, 0.1, 0), vec3(pi / 2, 0, 0)); /* along z, beside it */
    points = contact(&capsule, at, &other, 0.01);
    assert_int_equal(points.count, 1);
    assert_vector(points.at[0].position, vec3(0.2, 0.1, 0), 1e-6);
    assert_vector(points.at[0].normal, vec3(1, 0, 0), 1e-6);
    assert_close(points.at[0].gap, 0, 1e-12);
}

/* ---- tori ---- */

static void lying_ring_rests_all_round(void **state) {
    (void)state;
    Solid plane = solid_default(SOLID_HALF_SPACE), box = solid_default(SOLID_BOX);
    box.size[0] = box.size[2] = 4;
    box.position = vec3(0, -0.5, 0);
    for (int tilted = 0; tilted < 3; tilted++)
        for (int kind = 0; kind < 2; kind++) {
            Frame at = frame_at(vec3(1, 0.099, 0.2), vec3(1e-4 * tilted, 0, 0));
            ContactPoints points = contact(&ring, at, kind ? &box : &plane, 0.001);
            assert_in_range(points.count, 4, CONTACT_MOST_POINTS);
            assert_close(least_gap(&points), -0.001 - 0.5 * sin(1e-4 * tilted), 1e-6);
            Vec3 sum = vec3(0, 0, 0);
            for (size_t i = 0; i < points.count; i++) {
                Vec3 out = vec3_sub(points.at[i].position, at.origin);
                assert_close(hypot(out.x, out.z), 0.5, 1e-4);
                sum = vec3_add_scaled(sum, 1.0 / (double)points.count, out);
            }
            assert_true(hypot(sum.x, sum.z) < 0.1); /* the middle is held up */
        }
}

static void standing_ring_touches_once(void **state) {
    (void)state;
    Solid plane = solid_default(SOLID_HALF_SPACE), box = solid_default(SOLID_BOX);
    for (int i = 0; i < 50; i++) { /* as it rolls on */
        Frame at = frame_at(vec3(0, 0.59, 0), vec3(pi / 2, 0, 0));
        Frame turn = frame_at(vec3(0, 0, 0), vec3(0, 0.37 * i, 0));
        at = frame_in_frame(&at, &turn);
        ContactPoints points = contact(&ring, at, &plane, 1e-3);
        assert_int_equal(points.count, 1);
        assert_vector(points.at[0].position, vec3(0, -0.005, 0), 1e-6);
        assert_close(points.at[0].gap, -0.01, 1e-12);
    }
    /* Threaded on the edge and on the corner of a box, hanging from inside its hole. */
    box.position = vec3(-0.5, -0.5, 0);
    Frame at = frame_at(vec3(-0.3, -0.3, 0), vec3(pi / 2, 0, 0));
    ContactPoints points = contact(&ring, at, &box, 0);
    assert_close(least_gap(&points), -0.6, 0.2); /* deep inside */
    at = frame_at(vec3(0.45 * sqrt(0.5), 0.45 * sqrt(0.5), 0), vec3(pi / 2, 0, 0));
    points = contact(&ring, at, &box, 0);
    assert_true(points.count >= 1);
}

/* Each passes through the other's hole: inner sides touch. */
static void linked_rings_touch(void **state) {
    (void)state;
    Solid other = solid_default(SOLID_TORUS);
    other.radius = 0.5;
    other.tube = 0.1;
    /* The core's points nearest to the other's core are 0.2 apart when the centres are 0.8 apart.
     */
    for (int i = 0; i < 20; i++) {
        double slack = i % 2 ? 0.003 : 0.0;
        Frame at = frame_at(vec3(0.8 - slack, 0, 0), vec3(pi / 2, 0, 0));
        Frame turn = frame_at(vec3(0, 0, 0), vec3(0, 0.31 * i, 0));
        at = frame_in_frame(&at, &turn);
        ContactPoints points = contact(&ring, at, &other, 0.01);
        assert_int_equal(points.count, 1);
        assert_close(points.at[0].gap, slack, 1e-12);
        assert_vector(points.at[0].position, vec3(0.4 - 0.5 * slack, 0, 0), 1e-6);
        assert_vector(points.at[0].normal, vec3(-1, 0, 0), 1e-6);
    }
}

/* ---- nothing lower is missed ---- */

static double dense_least(const RoundCore *core, const Frame *at, const Solid *solid) {
    double least = HUGE_VAL, best = 0, width = 2 * pi;
    for (int pass = 0; pass < 3; pass++) { /* finer and finer about the best */
        double middle = best;
        int count = pass == 0 ? 5000 : 1000;
        for (int i = 0; i <= count; i++) {
            double angle = middle + width * ((double)i / count - 0.5);
            double s = fmin(fmax(angle / (2 * pi), -0.5), 0.5);
            Vec3 own = core->kind == ROUND_TORUS
                           ? vec3(core->length * cos(angle), 0, core->length * sin(angle))
                           : vec3(0, core->length * s, 0);
            double gap = solid_distance(solid, frame_to_world(at, own)) - core->radius;
            if (gap < least) {
                least = gap;
                best = angle;
            }
        }
        width *= pass == 0 ? 2e-3 : 1e-2;
    }
    return least;
}

static void least_gap_is_found(void **state) {
    (void)state;
    const SolidKind kinds[] = {SOLID_BOX, SOLID_TORUS, SOLID_CYLINDER, SOLID_CAPSULE, SOLID_CONE};
    int met = 0;
    double worst = 0;
    for (uint64_t i = 0; i < 2000; i++) {
        Solid solid = solid_default(kinds[i % 5]);
        solid.size[1] = 0.3;
        const RoundCore *core = i / 5 % 2 ? &ring : &capsule;
        Frame at = random_frame(1, i, 1.0);
        double exact = dense_least(core, &at, &solid);
        ContactPoints points = contact(core, at, &solid, 0.02);
        if (exact > 0.02) {
            assert_int_equal(points.count, 0);
            continue;
        }
        met++;
        worst = fmax(worst, fabs(least_gap(&points) - exact));
        assert_close(least_gap(&points), exact, 1e-6);
    }
    assert_true(met > 400);
    print_message("%d met, worst error of the least gap %.1e\n", met, worst);
}

/* Rings that lie on each other almost flat come near in several places, some beside each other on
 * a part along which the gap hardly changes. */
static void least_gap_of_piled_rings_is_found(void **state) {
    (void)state;
    Solid other = solid_default(SOLID_TORUS);
    other.radius = 0.5;
    other.tube = 0.1;
    int met = 0;
    double worst = 0;
    for (uint64_t i = 0; i < 1500; i++) {
        double tilt = i % 2 ? 0.02 : 0.1;
        Vec3 origin = random_vector(6, i, i % 3 ? 0.1 : 0.4);
        origin.y = 0.2 * (1 - 0.1 * fabs(origin.y));
        Frame at = frame_at(origin, random_vector(7, i, tilt));
        double exact = dense_least(&ring, &at, &other);
        ContactPoints points = contact(&ring, at, &other, 0.02);
        if (exact > 0.019) continue;
        met++;
        worst = fmax(worst, fabs(least_gap(&points) - exact));
    }
    print_message("%d met, worst error of the least gap %.1e\n", met, worst);
    assert_true(met > 1000);
    assert_true(worst < 2e-6);
}

/* ---- many points at once ---- */

static void rows_of_points_are_as_far_as_each(void **state) {
    (void)state;
    for (int kind = SOLID_BOX; kind <= SOLID_DIFFERENCE; kind++) {
        if (kind == SOLID_FIELD || kind == SOLID_CONVEX) continue; /* borrow what they are */
        Solid parts[2], solid = some_solid(kind, parts);
        PointRow row = {.count = POINT_ROW_MOST};
        double distance[POINT_ROW_MOST];
        for (int i = 0; i < row.count; i++) {
            Vec3 p = random_vector(8, (uint64_t)i, 1.5);
            row.x[i] = p.x;
            row.y[i] = p.y;
            row.z[i] = p.z;
        }
        if (!distances_at_once(&solid, &row, distance)) continue;
        for (int i = 0; i < row.count; i++) {
            Vec3 p = random_vector(8, (uint64_t)i, 1.5);
            assert_close(distance[i], solid_distance(&solid, p), 1e-14);
            assert_close(distance_and_direction(&solid, p).distance, distance[i], 1e-14);
        }
    }
}

/* ---- other frames, other roles ---- */

static void frames_do_not_matter(void **state) {
    (void)state;
    Solid solid = solid_default(SOLID_CYLINDER);
    DistanceField field = field_of(&solid);
    Frame at_b = frame_in_place();
    const RoundCore *cores[] = {&ball, &capsule, &ring};
    for (uint64_t i = 0; i < 300; i++) {
        Frame at = random_frame(2, i, 0.8), moved = random_frame(3, i, 5);
        Frame at_moved = frame_in_frame(&moved, &at), turned = moved;
        ContactPoints here = {.count = 0}, there = here, flipped = here;
        round_contact(cores[i % 3], &at, &field, &at_b, 0.05, false, &here);
        round_contact(cores[i % 3], &at_moved, &field, &moved, 0.05, false, &there);
        assert_same_points(&here, &there, &moved, 1e-5);
        round_contact(cores[i % 3], &at_moved, &field, &moved, 0.05, true, &flipped);
        for (size_t k = 0; k < there.count; k++) {
            assert_vector(flipped.at[k].position, there.at[k].position, 0);
            assert_vector(flipped.at[k].normal, vec3_scale(-1, there.at[k].normal), 0);
        }
        assert_vector(turned.origin, moved.origin, 0);
    }
}

/* A core that is not at the origin is the same as a body moved there. */
static void center_moves_the_core(void **state) {
    (void)state;
    Solid box = solid_default(SOLID_BOX);
    RoundCore moved = ring;
    moved.center = vec3(0.1, 0.2, -0.3);
    for (uint64_t i = 0; i < 50; i++) {
        Frame at = random_frame(4, i, 0.7), back = at, same = frame_in_place();
        back.origin = vec3_sub(at.origin, mat3_apply(at.axes, moved.center));
        ContactPoints a = contact(&ring, at, &box, 0.05), b = contact(&moved, back, &box, 0.05);
        assert_same_points(&a, &b, &same, 1e-6);
    }
}

/* ---- level sets ---- */

static void round_shapes_meet_a_level_set(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    TriangleMesh mesh;
    Bvh *bvh;
    LevelSet *level_set;
    assert_int_equal(primitive_ball(context, 0.5, 5, &mesh), PLIM_OK);
    BvhInput input = bvh_input_triangles(&mesh);
    assert_int_equal(bvh_create(context, &input, &bvh), PLIM_OK);
    LevelSetOptions options = level_set_options_default();
    options.cells = 64;
    assert_int_equal(level_set_from_mesh(context, &mesh, bvh, &options, &level_set, NULL), PLIM_OK);
    Solid solid = solid_default(SOLID_FIELD), exact = solid_default(SOLID_BALL);
    solid.field = level_set;
    DistanceField field = {&solid, {{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}}};
    Frame at_b = frame_in_place();
    const RoundCore *cores[] = {&ball, &capsule, &ring};
    double gap_error = 0, normal_error = 0;
    for (uint64_t i = 0; i < 1500; i++) {
        const RoundCore *core = cores[i % 3];
        Frame at = random_frame(5, i, 0.8);
        double least = core->kind == ROUND_BALL ? solid_distance(&exact, at.origin) - core->radius
                                                : dense_least(core, &at, &exact);
        if (least < -0.3) continue; /* about the middle there is no one normal */
        ContactPoints points = {.count = 0};
        round_contact(core, &at, &field, &at_b, 0.02, false, &points);
        if (least > 0.025) assert_int_equal(points.count, 0);
        if (least > 0.015) continue;
        assert_true(points.count > 0);
        gap_error = fmax(gap_error, fabs(least_gap(&points) - least));
        for (size_t k = 0; k < points.count; k++) {
            Vec3 out = vec3_normalize(points.at[k].position);
            normal_error = fmax(normal_error, vec3_length(vec3_sub(out, points.at[k].normal)));
        }
    }
    print_message("level set: errors of gaps %.1e, of normals %.1e\n", gap_error, normal_error);
    assert_true(gap_error < 3e-3);
    assert_true(normal_error < 0.05);
    level_set_destroy(level_set);
    bvh_destroy(bvh);
    mesh_free(context, &mesh);
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball_meets_a_plane),
        cmocka_unit_test(ball_meets_a_box),
        cmocka_unit_test(ball_at_the_middle_has_a_normal),
        cmocka_unit_test(normals_are_gradients),
        cmocka_unit_test(lying_capsule_rests_on_its_ends),
        cmocka_unit_test(capsule_rests_on_a_narrow_table),
        cmocka_unit_test(capsule_across_an_edge_touches_between),
        cmocka_unit_test(lying_ring_rests_all_round),
        cmocka_unit_test(standing_ring_touches_once),
        cmocka_unit_test(linked_rings_touch),
        cmocka_unit_test(least_gap_is_found),
        cmocka_unit_test(least_gap_of_piled_rings_is_found),
        cmocka_unit_test(rows_of_points_are_as_far_as_each),
        cmocka_unit_test(frames_do_not_matter),
        cmocka_unit_test(center_moves_the_core),
        cmocka_unit_test(round_shapes_meet_a_level_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
