/* Cylinders and cones that meet half spaces, boxes and one another: gaps and normals against a
 * search over all directions, points against both surfaces. */
#include "contact_case.h"

#include "collide/round_hull.h"
#include "collide/shape.h"
#include "geom/mesh/primitives.h"

static const double pi = 3.14159265358979323846;

static const RoundCore can = {ROUND_CYLINDER, 0.4, 0.9, {0, 0, 0}};
static const RoundCore coin = {ROUND_CYLINDER, 0.5, 0.05, {0.02, -0.01, 0.03}};
static const RoundCore cone = {ROUND_CONE, 0.4, 0.8, {0, 0.2, 0}};
static const RoundCore hat = {ROUND_CONE, 0.6, 0.2, {0, 0, 0}};
static const RoundCore *const cores[] = {&can, &coin, &cone, &hat};
enum { CORES = 4 };

static Solid solid_of(const RoundCore *core) {
    Solid solid = solid_default(core->kind == ROUND_CONE ? SOLID_CONE : SOLID_CYLINDER);
    solid.radius = core->radius;
    solid.height = core->length;
    solid.position = core->center;
    return solid;
}

/* ---- the greatest separation, by search ---- */

typedef struct Shape {
    const RoundCore *core; /* NULL: a box */
    double size[3];
    Frame at;
} Shape;

static double reach_along(const Shape *shape, Vec3 n) {
    Vec3 own = mat3_apply_transpose(shape->at.axes, n);
    double origin = vec3_dot(n, shape->at.origin);
    if (!shape->core)
        return origin + 0.5 * (shape->size[0] * fabs(own.x) + shape->size[1] * fabs(own.y) +
                               shape->size[2] * fabs(own.z));
    const RoundCore *core = shape->core;
    double across = core->radius * hypot(own.x, own.z), half = 0.5 * core->length * own.y;
    double top = core->kind == ROUND_CONE ? half : half + across;
    return origin + vec3_dot(own, core->center) + fmax(across - half, top);
}

static double separation(const Shape *a, const Shape *b, Vec3 n) {
    return -reach_along(a, vec3_scale(-1, n)) - reach_along(b, n);
}

/* Directions all over the sphere, then finer and finer about the best few of them. */
static double greatest_separation(const Shape *a, const Shape *b) {
    enum { STARTS = 6, ALL = 3000 };
    Vec3 best[STARTS];
    double value[STARTS], greatest = -HUGE_VAL;
    for (int k = 0; k < STARTS; k++) value[k] = -HUGE_VAL;
    for (int i = 0; i < ALL; i++) {
        double y = 1 - (2 * i + 1.0) / ALL, r = sqrt(1 - y * y), angle = 2.399963 * i;
        Vec3 n = vec3(r * cos(angle), y, r * sin(angle));
        double s = separation(a, b, n);
        int k = STARTS;
        while (k > 0 && s > value[k - 1]) k--;
        for (int m = STARTS - 1; m > k; m--) {
            best[m] = best[m - 1];
            value[m] = value[m - 1];
        }
        if (k == STARTS) continue;
        best[k] = n;
        value[k] = s;
    }
    for (int k = 0; k < STARTS; k++) {
        uint64_t tried = 0;
        for (double width = 0.1; width > 1e-9; width *= 0.8)
            for (int i = 0; i < 25; i++) {
                Vec3 n = vec3_normalize(vec3_add(best[k], random_vector(40, tried++, width)));
                double s = separation(a, b, n);
                if (s <= value[k]) continue;
                value[k] = s;
                best[k] = n;
            }
        greatest = fmax(greatest, value[k]);
    }
    return greatest;
}

/* ---- points ---- */

/* Each is half its gap from both surfaces, along the normal; when apart, nothing is nearer. */
static void assert_on_both(const ContactPoints *points, const Solid *a, const Frame *at_a,
                           const Solid *b, const Frame *at_b, double depth) {
    /* Where a face's edge cuts off less of a cap than its polygon does, the place is about right.
     */
    double play = 2e-4 + 1.1 * fmax(0, -depth); /* how far a point may be inside the other face */
    for (size_t i = 0; i < points->count; i++) {
        const ContactPoint *point = &points->at[i];
        assert_close(vec3_length(point->normal), 1, 1e-12);
        Vec3 on_a = vec3_add_scaled(point->position, 0.5 * point->gap, point->normal);
        Vec3 on_b = vec3_add_scaled(point->position, -0.5 * point->gap, point->normal);
        assert_close(solid_distance(a, frame_to_own(at_a, on_a)), 0, play);
        assert_close(solid_distance(b, frame_to_own(at_b, on_b)), 0, play);
    }
}

/* Wherever they are; the deepest point is the greatest separation, and its normal is one of it. */
static void judge(const Shape *a, const Solid *solid_a, const Shape *b, const Solid *solid_b,
                  const ContactPoints *points, double margin, double *worst, int *met) {
    double exact = greatest_separation(a, b);
    if (exact > margin) {
        assert_true(points->count == 0 || least_gap(points) > margin - 1e-6);
        return;
    }
    if (exact < -0.1) return;
    if (points->count == 0) fail_msg("nothing found at a gap of %g", exact);
    (*met)++;
    /* The search may end below the greatest; what was found is a separation, and none is greater.
     */
    *worst = fmax(*worst, exact - least_gap(points));
    if (exact - least_gap(points) > 1e-6)
        assert_close(separation(a, b, points->at[0].normal), least_gap(points), 2e-5);
    assert_on_both(points, solid_a, &a->at, solid_b, &b->at, exact);
}

static void hulls_meet_boxes(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    double worst = 0;
    int met = 0;
    const int tries = test_size(6000, 1500);
    for (uint64_t i = 0; i < (uint64_t)tries; i++) {
        Shape a = {.core = cores[i % CORES], .at = random_frame(1, i, 1.0)};
        Shape b = {.size = {1, i % 3 ? 0.2 : 0.7, 0.6}, .at = random_frame(2, i, 0.3)};
        if (i % 5 == 0) a.at.axes = b.at.axes; /* faces along faces */
        if (i % 7 == 0) {
            Frame lying = frame_at(vec3(0, 0, 0), vec3(0, 0, pi / 2));
            a.at.axes = mat3_multiply(b.at.axes, lying.axes);
        }
        Solid solid_a = solid_of(a.core), solid_b = solid_default(SOLID_BOX);
        for (int k = 0; k < 3; k++) solid_b.size[k] = b.size[k];
        TriangleMesh mesh;
        Polyhedron *polyhedron;
        assert_int_equal(primitive_box(context, vec3_load(b.size), &mesh), PLIM_OK);
        assert_int_equal(polyhedron_create(context, &mesh, &polyhedron), PLIM_OK);
        ContactPoints points = {.count = 0};
        HullPartner partner = {.polyhedron = polyhedron};
        round_hull_contact(a.core, &a.at, &partner, &b.at, 0.05, false, &points);
        judge(&a, &solid_a, &b, &solid_b, &points, 0.05, &worst, &met);
        polyhedron_destroy(context, polyhedron);
        mesh_free(context, &mesh);
    }
    print_message("boxes: %d met, worst error of the gap %.1e\n", met, worst);
    assert_true(met > test_size(800, 200));
    assert_true(worst < 1e-6);
    test_context_close(context);
}

static void hulls_meet_hulls(void **state) {
    (void)state;
    double worst = 0;
    int met = 0;
    const int tries = test_size(1600, 480);
    for (uint64_t i = 0; i < (uint64_t)tries; i++) {
        Shape a = {.core = cores[i % CORES], .at = random_frame(3, i, 0.8)};
        Shape b = {.core = cores[i / CORES % CORES], .at = random_frame(4, i, 0.3)};
        if (i % 5 == 0) a.at.axes = b.at.axes;
        Solid solid_a = solid_of(a.core), solid_b = solid_of(b.core);
        ContactPoints points = {.count = 0};
        HullPartner partner = {.core = b.core};
        round_hull_contact(a.core, &a.at, &partner, &b.at, 0.05, false, &points);
        judge(&a, &solid_a, &b, &solid_b, &points, 0.05, &worst, &met);
    }
    print_message("hulls: %d met, worst error of the gap %.1e\n", met, worst);
    assert_true(met > test_size(300, 90));
    assert_true(worst < 1e-6);
}

/* The lowest point of the lower rim, and no other, unless the other end is near too. */
static void hulls_meet_a_half_space(void **state) {
    (void)state;
    Solid ground = solid_default(SOLID_HALF_SPACE);
    HullPartner partner = {.half_space = &ground};
    Frame at_b = frame_in_place();
    for (uint64_t i = 0; i < 400; i++) {
        Shape a = {.core = cores[i % CORES], .at = random_frame(5, i, 1.0)};
        a.at.origin.y = 0;
        double low = -reach_along(&a, vec3(0, -1, 0));
        a.at.origin.y = -low + 0.02 * ((double)(i % 3) - 1);
        ContactPoints points = {.count = 0};
        round_hull_contact(a.core, &a.at, &partner, &at_b, 0.021, false, &points);
        assert_true(points.count > 0);
        assert_close(least_gap(&points), 0.02 * ((double)(i % 3) - 1), 1e-12);
        Solid solid = solid_of(a.core);
        for (size_t k = 0; k < points.count; k++) {
            assert_vector(points.at[k].normal, vec3(0, 1, 0), 0);
            Vec3 on_a =
                vec3_add_scaled(points.at[k].position, 0.5 * points.at[k].gap, vec3(0, 1, 0));
            assert_close(solid_distance(&solid, frame_to_own(&a.at, on_a)), 0, 1e-12);
        }
    }
}

/* A ball is the one field to which every distance is known; its nearest point is not in a cap. */
static void hulls_in_a_field(void **state) {
    (void)state;
    Solid ball = solid_default(SOLID_BALL);
    DistanceField field = field_of(&ball);
    Frame at_b = frame_in_place();
    double worst = 0;
    int met = 0;
    const int tries = test_size(4000, 1000);
    for (uint64_t i = 0; i < (uint64_t)tries; i++) {
        const RoundCore *core = cores[i % CORES];
        Frame at = random_frame(6, i, 1.2);
        Solid solid = solid_of(core);
        Vec3 own = vec3_sub(frame_to_own(&at, vec3(0, 0, 0)), core->center);
        double exact = solid_distance(&solid, vec3_add(own, core->center)) - ball.radius;
        bool over_cap = fabs(own.y) >= 0.5 * core->length && hypot(own.x, own.z) < core->radius;
        if (over_cap || exact > 0.045 || exact < -0.2) continue;
        ContactPoints points = {.count = 0};
        round_contact(core, &at, &field, &at_b, 0.05, false, &points);
        if (points.count == 0) fail_msg("nothing found at a gap of %g", exact);
        met++;
        worst = fmax(worst, fabs(least_gap(&points) - exact));
        assert_sound(&points, &ball, &at_b, false, 1e-9);
    }
    print_message("ball's field: %d met, worst error of the gap %.1e\n", met, worst);
    assert_true(met > test_size(300, 75));
    assert_true(worst < 1e-6);
}

/* ---- what rests ---- */

static ContactPoints on_ground(const RoundCore *core, Frame at, double margin) {
    Solid ground = solid_default(SOLID_HALF_SPACE);
    HullPartner partner = {.half_space = &ground};
    Frame at_b = frame_in_place();
    ContactPoints points = {.count = 0};
    round_hull_contact(core, &at, &partner, &at_b, margin, false, &points);
    return points;
}

static void lying_can_rests_on_two_points(void **state) {
    (void)state;
    for (int i = 0; i < 20; i++) {
        Frame turned = frame_at(vec3(0, 0, 0), vec3(0, 0.37 * i, 0));
        Frame lying = frame_at(vec3(0.3, 0.4, 0.2), vec3(0, 0, pi / 2));
        ContactPoints points = on_ground(&can, frame_in_frame(&lying, &turned), 0.01);
        assert_int_equal(points.count, 2);
        assert_close(fabs(points.at[0].position.x - points.at[1].position.x), 0.9, 1e-12);
        for (int k = 0; k < 2; k++) {
            assert_close(points.at[k].position.z, 0.2, 1e-12);
            assert_close(points.at[k].gap, 0, 1e-12);
        }
    }
}

/* All round: the middle is well inside of the points. */
static void flat_coin_rests_all_round(void **state) {
    (void)state;
    for (int i = 0; i < 20; i++) {
        Frame at = frame_at(vec3(0, 0.025, 0), vec3(0, 0.37 * i, 0));
        RoundCore flat = coin;
        flat.center = vec3(0, 0, 0);
        ContactPoints points = on_ground(&flat, at, 1e-3);
        assert_true(points.count >= 6);
        for (int k = 0; k < 24; k++) {
            double most = -HUGE_VAL, angle = k * pi / 12;
            for (size_t p = 0; p < points.count; p++)
                most = fmax(most, points.at[p].position.x * cos(angle) +
                                      points.at[p].position.z * sin(angle));
            assert_true(most > 0.92 * 0.5);
        }
    }
}

static void can_on_can_rests_all_round(void **state) {
    (void)state;
    for (int i = 0; i < 20; i++) {
        Frame low = frame_at(vec3(0, 0, 0), vec3(0, 0.11 * i, 0));
        Frame high = frame_at(vec3(0.1, 0.9, 0), vec3(0, -0.37 * i, 0));
        HullPartner partner = {.core = &can};
        ContactPoints points = {.count = 0};
        round_hull_contact(&can, &high, &partner, &low, 1e-3, false, &points);
        assert_true(points.count >= 5);
        double left = HUGE_VAL, right = -HUGE_VAL;
        for (size_t p = 0; p < points.count; p++) {
            assert_close(points.at[p].gap, 0, 1e-12);
            assert_vector(points.at[p].normal, vec3(0, 1, 0), 1e-12);
            left = fmin(left, points.at[p].position.x);
            right = fmax(right, points.at[p].position.x);
        }
        assert_close(left, -0.3, 0.03);
        assert_close(right, 0.4, 0.031);
    }
}

/* A roller under a plank that is narrower: the line ends at the plank's edges. */
static void roller_under_a_plank(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    TriangleMesh mesh;
    Polyhedron *plank;
    assert_int_equal(primitive_box(context, vec3(2, 0.1, 0.3), &mesh), PLIM_OK);
    assert_int_equal(polyhedron_create(context, &mesh, &plank), PLIM_OK);
    HullPartner partner = {.polyhedron = plank};
    Frame above = frame_at(vec3(0.3, 0.45, 0), vec3(0, 0, 0));
    for (int i = 0; i < 20; i++) {
        Frame lying = frame_at(vec3(0.1, 0, 0), vec3(pi / 2, 0, 0));
        Frame turned = frame_at(vec3(0, 0, 0), vec3(0, 0.37 * i, 0));
        Frame at = frame_in_frame(&lying, &turned);
        ContactPoints points = {.count = 0};
        round_hull_contact(&can, &at, &partner, &above, 1e-3, true, &points);
        assert_int_equal(points.count, 2);
        for (int k = 0; k < 2; k++) {
            assert_close(fabs(points.at[k].position.z), 0.15, 1e-9);
            assert_close(points.at[k].position.x, 0.1, 1e-9);
            assert_vector(points.at[k].normal, vec3(0, 1, 0), 1e-12);
        }
    }
    polyhedron_destroy(context, plank);
    mesh_free(context, &mesh);
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hulls_meet_a_half_space),
        cmocka_unit_test(lying_can_rests_on_two_points),
        cmocka_unit_test(flat_coin_rests_all_round),
        cmocka_unit_test(can_on_can_rests_all_round),
        cmocka_unit_test(roller_under_a_plank),
        cmocka_unit_test(hulls_meet_boxes),
        cmocka_unit_test(hulls_meet_hulls),
        cmocka_unit_test(hulls_in_a_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
