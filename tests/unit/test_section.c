/* Cuts of solids with the plane z = 0 against formulas, and the search for points inside. */
#include "check.h"

#include "geom/mesh/section.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

static Section measure(const Solid *solid) {
    PlimContext *context = test_context(1);
    Section section;
    if (section_measure(context, solid, &section) != PLIM_OK) fail_msg("%s", plim_message(context));
    test_context_close(context);
    return section;
}

/* All of a section, relative to its own size. */
static void check_section(const Solid *solid, const Section *expected, double tolerance) {
    Section section = measure(solid);
    double area = expected->area, size = sqrt(area);
    double second = expected->xx + expected->yy;
    assert_close(section.area / area, 1, tolerance);
    for (int axis = 0; axis < 2; axis++)
        assert_close(section.center[axis], expected->center[axis], tolerance * size);
    assert_close(section.xx / second, expected->xx / second, 4 * tolerance);
    assert_close(section.yy / second, expected->yy / second, 4 * tolerance);
    assert_close(section.xy / second, expected->xy / second, 4 * tolerance);
}

static Section disc(double radius, double x, double y) {
    double area = pi * radius * radius, second = area * radius * radius / 4;
    return (Section){area, {x, y}, second, second, 0};
}

static void test_discs(void **state) {
    (void)state;
    Solid solid = solid_default(SOLID_CYLINDER);
    solid.radius = 0.3;
    solid.height = 2;
    solid.orientation = quat_exp(vec3(pi / 2, 0, 0));
    solid.position = vec3(0.1, -0.7, 0.2);
    Section expected = disc(0.3, 0.1, -0.7);
    check_section(&solid, &expected, 1e-8);

    /* A ball that lies beside the plane, far from the origin. */
    solid = solid_default(SOLID_BALL);
    solid.radius = 0.5;
    solid.position = vec3(1e3, -2e3, 0.3);
    expected = disc(0.4, 1e3, -2e3);
    check_section(&solid, &expected, 1e-8);
}

/* A box of w by h, turned by `angle` about z. */
static void check_box(double w, double h, double angle, double tolerance) {
    Solid solid = solid_default(SOLID_BOX);
    solid.size[0] = w;
    solid.size[1] = h;
    solid.size[2] = 1;
    solid.orientation = quat_exp(vec3(0, 0, angle));
    solid.position = vec3(0.25, 0.5, 0.1);
    double c = cos(angle), s = sin(angle), area = w * h;
    double along = area * w * w / 12, across = area * h * h / 12;
    Section expected = {area,
                        {0.25, 0.5},
                        along * c * c + across * s * s,
                        along * s * s + across * c * c,
                        (along - across) * s * c};
    check_section(&solid, &expected, tolerance);
}

static void test_boxes(void **state) {
    (void)state;
    check_box(0.31, 0.17, 0, 1e-7);
    check_box(0.31, 0.17, 0.4, 1e-7);
    check_box(2, 2, pi / 4, 1e-7);
    check_box(1, 0.02, 0.3, 1e-7);
    check_box(1e-3, 2e-5, 1.1, 1e-7);
}

/* A disc with a hole off its middle. */
static void test_hole(void **state) {
    (void)state;
    Solid parts[2] = {solid_default(SOLID_BALL), solid_default(SOLID_BALL)};
    parts[0].radius = 1;
    parts[1].radius = 0.25;
    parts[1].position = vec3(0.5, 0, 0);
    Solid solid = solid_default(SOLID_DIFFERENCE);
    solid.children = parts;
    solid.child_count = 2;
    double area = pi * (1 - 0.0625), x = -pi * 0.0625 * 0.5 / area;
    double whole = pi / 4, hole = pi * 0.25 * 0.25 * 0.25 * 0.25 / 4;
    Section expected = {
        area, {x, 0}, whole - hole - pi * 0.0625 * 0.25 - area * x * x, whole - hole, 0};
    check_section(&solid, &expected, 1e-7);
}

static void test_refused(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Section section;
    Solid solid = solid_default(SOLID_BALL);
    solid.radius = 0.5;
    solid.position.z = 1;
    assert_int_equal(section_measure(context, &solid, &section), PLIM_BAD_INPUT);
    assert_non_null(strstr(plim_message(context), "z = 0"));
    solid = solid_default(SOLID_HALF_SPACE);
    assert_int_equal(section_measure(context, &solid, &section), PLIM_BAD_INPUT);
    assert_non_null(strstr(plim_message(context), "no end"));
    test_context_close(context);
}

static void test_search(void **state) {
    (void)state;
    Solid solid = solid_default(SOLID_BOX);
    solid.size[0] = 1;
    solid.size[1] = 0.1;
    solid.size[2] = 1;
    solid.orientation = quat_exp(vec3(0, 0, pi / 6));
    Box3 around = solid_bounds(&solid);
    assert_true(solid_reaches(&solid, around, 0, 0.01));
    assert_true(solid_reaches(&solid, around, 0.045, 0.005));
    assert_false(solid_reaches(&solid, around, 0.051, 0.001));
    /* Its corner is 0.5 cos 30 + 0.05 sin 30 to the right; the box around it is wider. */
    double right = 0.5 * cos(pi / 6) + 0.05 * sin(pi / 6);
    Box3 beyond = around;
    beyond.low.x = right + 0.002;
    beyond.high.x = 2;
    assert_false(solid_reaches(&solid, beyond, 0, 0.001));
    beyond.low.x = right - 0.002;
    assert_true(solid_reaches(&solid, beyond, 0, 0.001));
    /* Flat boxes, and boxes with nothing in them. */
    beyond.low.z = beyond.high.z = 0;
    assert_true(solid_reaches(&solid, beyond, 0, 0.001));
    beyond.high.x = 0;
    assert_false(solid_reaches(&solid, beyond, 0, 0.001));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_discs),   cmocka_unit_test(test_boxes),  cmocka_unit_test(test_hole),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
