/* Bending angles: gradients and second derivatives against differences, momenta, collapsed ones. */
#include "deform_case.h"

#include "deform/hinge.h"

static Vec3 random_corner(Draw *draw, int dim) {
    Vec3 x = draw_vector(draw);
    if (dim == 2) x.z = 0;
    return x;
}

static double *component(Vec3 *v, int axis) {
    return axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z;
}

static Hinge make_hinge(int dim) {
    return (Hinge){.count = dim + 1, .least_edge = 1e-6, .least_height = 1e-6};
}

/* Corners whose edge and heights are of order 1 and whose angle is not where it jumps. */
static void draw_case(Draw *draw, int dim, Vec3 x[4]) {
    Hinge hinge = make_hinge(dim);
    double largest;
    do {
        Vec3 g[4];
        for (int c = 0; c <= dim; c++) x[c] = random_corner(draw, dim);
        largest = fabs(hinge_angle(&hinge, x, g)) > 3.0 ? 1e9 : 0.0;
        for (int c = 0; c <= dim; c++) largest = fmax(largest, vec3_length(g[c]));
    } while (largest > 10);
}

static void gradient_is_that_of_the_angle(void **state) {
    (void)state;
    const double step = 1e-6;
    Draw draw = {.stream = 40};
    for (int dim = 2; dim <= 3; dim++)
        for (int run = 0; run < 200; run++) {
            Hinge hinge = make_hinge(dim);
            Vec3 x[4], g[4];
            draw_case(&draw, dim, x);
            hinge_angle(&hinge, x, g);
            for (int c = 0; c <= dim; c++)
                for (int axis = 0; axis < dim; axis++) {
                    double *at = component(&x[c], axis), kept = *at;
                    *at = kept + step;
                    double high = hinge_angle(&hinge, x, NULL);
                    *at = kept - step;
                    double low = hinge_angle(&hinge, x, NULL);
                    *at = kept;
                    assert_close((high - low) / (2 * step), *component(&g[c], axis), 1e-6);
                }
        }
}

static void second_derivatives_are_those_of_the_gradient(void **state) {
    (void)state;
    const double step = 1e-6;
    Draw draw = {.stream = 41};
    for (int dim = 2; dim <= 3; dim++)
        for (int run = 0; run < 200; run++) {
            Hinge hinge = make_hinge(dim);
            int n = dim + 1;
            Vec3 x[4], high[4], low[4];
            Mat3 h[16];
            draw_case(&draw, dim, x);
            hinge_second(&hinge, x, h);
            double scale = 1;
            for (int k = 0; k < n * n; k++) scale = fmax(scale, largest_entry(h[k]));
            for (int j = 0; j < n; j++)
                for (int axis = 0; axis < dim; axis++) {
                    double *at = component(&x[j], axis), kept = *at;
                    *at = kept + step;
                    hinge_angle(&hinge, x, high);
                    *at = kept - step;
                    hinge_angle(&hinge, x, low);
                    *at = kept;
                    for (int i = 0; i < n; i++)
                        for (int row = 0; row < dim; row++) {
                            double slope =
                                (*component(&high[i], row) - *component(&low[i], row)) / (2 * step);
                            assert_close(slope, *entry(&h[n * i + j], row, axis), 1e-5 * scale);
                        }
                }
        }
}

static void exerts_no_force_and_no_torque(void **state) {
    (void)state;
    Draw draw = {.stream = 42};
    for (int dim = 2; dim <= 3; dim++)
        for (int run = 0; run < 200; run++) {
            Hinge hinge = make_hinge(dim);
            Vec3 x[4], g[4], force = vec3(0, 0, 0), torque = force;
            draw_case(&draw, dim, x);
            hinge_angle(&hinge, x, g);
            for (int c = 0; c <= dim; c++) {
                force = vec3_add(force, g[c]);
                torque = vec3_add(torque, vec3_cross(x[c], g[c]));
            }
            assert_true(vec3_length(force) < 1e-12);
            assert_true(vec3_length(torque) < 1e-11);
        }
}

static void collapsed_hinges_stay_finite(void **state) {
    (void)state;
    Vec3 cases[][4] = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}},
                       {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0.5, 0, 0}},
                       {{0, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                       {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 1, 0}}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int dim = 2; dim <= 3; dim++) {
            Hinge hinge = make_hinge(dim);
            Vec3 g[4];
            Mat3 h[16];
            assert_true(isfinite(hinge_angle(&hinge, cases[k], g)));
            hinge_second(&hinge, cases[k], h);
            for (int c = 0; c <= dim; c++) assert_true(isfinite(vec3_length(g[c])));
            for (int c = 0; c < (dim + 1) * (dim + 1); c++) largest_entry(h[c]);
        }
}

static void signs_of_folds(void **state) {
    (void)state;
    Hinge hinge = make_hinge(3);
    for (int k = -30; k <= 30; k++) {
        double angle = 0.1 * k;
        Vec3 x[4] = {{0, 0, 0}, {1, 0, 0}, {0.3, cos(angle), sin(angle)}, {0.6, -2, 0}};
        assert_close(hinge_angle(&hinge, x, NULL), angle, 1e-14);
    }
    assert_close(hinge_change(3, -3), 2 * 3.14159265358979323846 - 6, 1e-14);
    assert_close(hinge_change(0.5, -0.5), -1, 1e-14);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_is_that_of_the_angle),
        cmocka_unit_test(second_derivatives_are_those_of_the_gradient),
        cmocka_unit_test(exerts_no_force_and_no_torque),
        cmocka_unit_test(collapsed_hinges_stay_finite),
        cmocka_unit_test(signs_of_folds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
