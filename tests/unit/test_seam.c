/* Ghost contacts at seams: which normals are open in the union of flush boxes. */
#include "check.h"

#include "collide/seam.h"

static const double reach = 1e-3;

/* A unit box whose middle is at `at->origin`. */
typedef struct SeamBox {
    CollideShape shape;
    Frame at;
} SeamBox;

static SeamBox seam_box(double x, double y, double z) {
    SeamBox box = {.shape = {.solid = solid_default(SOLID_BOX), .has_field = true},
                   .at = {mat3_diagonal(1, 1, 1), vec3(x, y, z)}};
    return box;
}

static SeamSurface surface_of(const SeamBox *box) {
    return (SeamSurface){&box->shape, NULL, &box->at};
}

static bool hides(const SeamBox *box, Vec3 p, Vec3 n, const SeamBox *other) {
    SeamSurface surface = surface_of(box), others = surface_of(other);
    return seam_hides(&surface, p, vec3_normalize(n), HUGE_VAL, reach, &others, 1);
}

/* The tops of both are y = 0, their seam is x = 0. */
static void a_flush_neighbour_hides_side_and_edge(void **state) {
    (void)state;
    SeamBox ahead = seam_box(0.5, -0.5, 0), behind = seam_box(-0.5, -0.5, 0);
    assert_true(hides(&ahead, vec3(0, 0, 0.1), vec3(-1, 0, 0), &behind));
    assert_true(hides(&ahead, vec3(0, -2e-4, 0.1), vec3(-1, 0, 0), &behind)); /* sunk a little */
    assert_true(hides(&ahead, vec3(0, 0, 0.1), vec3(-0.3, 1, 0), &behind));
    assert_true(hides(&ahead, vec3(0, 0, 0.1), vec3(-0.01, 1, 0), &behind));
    assert_false(hides(&ahead, vec3(0, 0, 0.1), vec3(0, 1, 0), &behind));
    assert_false(hides(&ahead, vec3(0.2, 0, 0.1), vec3(0, 1, 0), &behind));
}

/* One that is lower by a curb of 1% leaves the side open, by a hair it does not. */
static void a_curb_is_open(void **state) {
    (void)state;
    SeamBox ahead = seam_box(0.5, -0.5, 0), lower = seam_box(-0.5, -0.51, 0);
    SeamBox hair = seam_box(-0.5, -0.5 - 1e-5, 0);
    assert_false(hides(&ahead, vec3(0, 0, 0.1), vec3(-1, 0, 0), &lower));
    assert_false(hides(&ahead, vec3(0, -0.01, 0.1), vec3(-1, 0, 0), &lower));
    assert_true(hides(&ahead, vec3(0, 0, 0.1), vec3(-1, 0, 0), &hair));
}

/* A wall that stands on a floor: both keep their contacts in the corner, a little sunk in too. */
static void a_corner_keeps_both(void **state) {
    (void)state;
    SeamBox floor = seam_box(0, -0.5, 0), wall = seam_box(-0.5, 0.5, 0);
    for (double depth = 0; depth < 0.02; depth += 0.004) {
        assert_false(hides(&floor, vec3(-depth, 0, 0.1), vec3(0, 1, 0), &wall));
        assert_false(hides(&wall, vec3(0, -depth, 0.1), vec3(1, 0, 0), &floor));
    }
}

/* Two that meet at a ridge: the normals between those of their faces are open, others are not. */
static void a_ridge_is_open_between_its_faces(void **state) {
    (void)state;
    double lean = 0.2;
    SeamBox right = seam_box(0, 0, 0), left = seam_box(0, 0, 0);
    right.at.axes = quat_to_mat3(quat_exp(vec3(0, 0, -lean)));
    left.at.axes = quat_to_mat3(quat_exp(vec3(0, 0, lean)));
    right.at.origin = vec3_scale(-1, mat3_apply(right.at.axes, vec3(-0.5, 0.5, 0)));
    left.at.origin = vec3_scale(-1, mat3_apply(left.at.axes, vec3(0.5, 0.5, 0)));
    Vec3 seam = vec3(0, 0, 0.1);
    assert_false(hides(&right, seam, vec3(0, 1, 0), &left));
    assert_false(hides(&right, seam, vec3(sin(0.9 * lean), cos(0.9 * lean), 0), &left));
    assert_true(hides(&right, seam, vec3(-sin(1.5 * lean), cos(1.5 * lean), 0), &left));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flush_neighbour_hides_side_and_edge), cmocka_unit_test(a_curb_is_open),
        cmocka_unit_test(a_corner_keeps_both), cmocka_unit_test(a_ridge_is_open_between_its_faces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
