/* Edge and altitude springs: forces are gradients of energies, without net force or torque, and
 * finite for elements that have collapsed. */
#include "deform_case.h"

#include "deform/spring.h"

/* Edge, triangle and tetrahedron, in the plane and in space. */
enum { KINDS = 5 };

static Spring spring_of_kind(int kind) {
    static const int counts[KINDS] = {2, 3, 2, 3, 4};
    return (Spring){.count = counts[kind], .dim = kind < 2 ? 2 : 3, .rest = 0.8, .modulus = 3.0};
}

static void draw_nodes(Draw *draw, const Spring *spring, Vec3 x[4]) {
    for (int i = 0; i < 4; i++) {
        x[i] = draw_vector(draw);
        if (spring->dim == 2) x[i].z = 0.0;
    }
}

/* Twice the area of the side, or its length: thin ones have derivatives too large to difference. */
static double side_size(const Spring *spring, const Vec3 x[4]) {
    if (spring->count == 2) return 1.0;
    Vec3 p = vec3_sub(x[2], x[1]);
    if (spring->count == 3) return vec3_length(p);
    return vec3_length(vec3_cross(p, vec3_sub(x[3], x[1])));
}

static void shift(Vec3 *x, int index, double by) {
    double *parts[3] = {&x[index / 3].x, &x[index / 3].y, &x[index / 3].z};
    *parts[index % 3] += by;
}

static double part(const Vec3 *x, int index) {
    return vec3_component(x[index / 3], index % 3);
}

static bool in_plane(const Spring *spring, int index) {
    return spring->dim == 3 || index % 3 < 2;
}

static void force_is_the_gradient_of_the_energy(void **state) {
    (void)state;
    Draw draw = {.stream = 1};
    const double d = 1e-5;
    for (int kind = 0; kind < KINDS; kind++) {
        Spring spring = spring_of_kind(kind);
        for (int i = 0; i < test_size(3000, 500); i++) {
            Vec3 x[4], force[4], gradient[4];
            draw_nodes(&draw, &spring, x);
            double length = spring_length(&spring, x, gradient);
            if (side_size(&spring, x) < 0.2 || fabs(length) < 0.05) continue;
            double energy = spring_force(&spring, x, force), size = 3.0;
            double strain = length / 0.8 - 1.0;
            assert_close(energy, 0.5 * 3.0 * 0.8 * strain * strain, 1e-14 * (1.0 + energy));
            assert_true(energy == spring_energy(&spring, x));
            for (int k = 0; k < spring.count; k++) size = fmax(size, vec3_length(force[k]));
            for (int k = 0; k < 3 * spring.count; k++) {
                if (!in_plane(&spring, k)) continue;
                shift(x, k, d);
                double up = spring_energy(&spring, x);
                shift(x, k, -2.0 * d);
                double down = spring_energy(&spring, x);
                shift(x, k, d);
                assert_close(part(force, k), -(up - down) / (2.0 * d), 1e-6 * size);
            }
        }
    }
}

static void stiffness_is_the_gradient_of_the_force(void **state) {
    (void)state;
    Draw draw = {.stream = 2};
    const double d = 1e-5;
    for (int kind = 0; kind < KINDS; kind++) {
        Spring spring = spring_of_kind(kind);
        int n = 3 * spring.count;
        for (int i = 0; i < test_size(3000, 500); i++) {
            Vec3 x[4], up[4], down[4];
            double k[144];
            draw_nodes(&draw, &spring, x);
            if (side_size(&spring, x) < 0.2) continue;
            if (fabs(spring_length(&spring, x, up)) < 0.05) continue;
            spring_stiffness(&spring, x, false, k);
            double size = fmax(1.0, largest_of(k, n * n));
            for (int b = 0; b < n; b++) {
                if (!in_plane(&spring, b)) continue;
                shift(x, b, d);
                spring_force(&spring, x, up);
                shift(x, b, -2.0 * d);
                spring_force(&spring, x, down);
                shift(x, b, d);
                for (int a = 0; a < n; a++) {
                    double slope = -(part(up, a) - part(down, a)) / (2.0 * d);
                    assert_close(k[n * a + b], slope, 1e-5 * size);
                    assert_true(k[n * a + b] == k[n * b + a]);
                }
            }
        }
    }
}

static void projected_stiffness_is_semidefinite(void **state) {
    (void)state;
    Draw draw = {.stream = 3};
    for (int kind = 0; kind < KINDS; kind++) {
        Spring spring = spring_of_kind(kind);
        int n = 3 * spring.count;
        for (int i = 0; i < test_size(2000, 300); i++) {
            Vec3 x[4];
            double k[144], whole[144], least, largest, least_whole, largest_whole;
            draw_nodes(&draw, &spring, x);
            spring_stiffness(&spring, x, true, k);
            spring_stiffness(&spring, x, false, whole);
            eigenvalue_range(k, n, &least, &largest);
            assert_true(least >= -1e-10 * largest);
            if (spring.count > 2) continue;
            /* Of an edge the projection is exact: only eigenvalues below zero are gone. */
            eigenvalue_range(whole, n, &least_whole, &largest_whole);
            assert_close(largest, largest_whole, 1e-12 * largest);
            for (int a = 0; a < n * n && least_whole > -1e-12; a++)
                assert_close(k[a], whole[a], 1e-12 * largest);
            for (int a = 0; a < n * n; a++) whole[a] -= k[a];
            eigenvalue_range(whole, n, &least_whole, &largest_whole);
            assert_true(largest_whole <= 1e-12 * largest);
        }
    }
}

static void no_net_force_or_torque(void **state) {
    (void)state;
    Draw draw = {.stream = 4};
    for (int kind = 0; kind < KINDS; kind++) {
        Spring spring = spring_of_kind(kind);
        for (int i = 0; i < test_size(5000, 1000); i++) {
            Vec3 x[4], force[4], net = {0, 0, 0}, torque = {0, 0, 0};
            draw_nodes(&draw, &spring, x);
            spring_force(&spring, x, force);
            double size = 1.0;
            for (int k = 0; k < spring.count; k++) {
                net = vec3_add(net, force[k]);
                torque = vec3_add(torque, vec3_cross(x[k], force[k]));
                size = fmax(size, vec3_length(force[k]) * (1.0 + vec3_length(x[k])));
            }
            assert_close(vec3_length(net), 0.0, 1e-12 * size);
            assert_close(vec3_length(torque), 0.0, 1e-10 * size);
        }
    }
}

static void altitudes_of_known_elements(void **state) {
    (void)state;
    Vec3 gradient[4], force[4];
    Spring flat = {.count = 3, .dim = 2, .rest = 1.0, .modulus = 1.0};
    Vec3 triangle[3] = {{1, 3, 0}, {0, 0, 0}, {4, 0, 0}}; /* counterclockwise */
    assert_close(spring_length(&flat, triangle, gradient), 3.0, 1e-15);
    assert_close(gradient[0].y, 1.0, 1e-15);
    assert_close(gradient[1].y, -0.75, 1e-15);
    assert_close(gradient[2].y, -0.25, 1e-15);
    triangle[0].y = -3.0; /* inverted: pushed back through the edge, not away from it */
    assert_close(spring_length(&flat, triangle, gradient), -3.0, 1e-15);
    spring_force(&flat, triangle, force);
    assert_close(force[0].y, 4.0, 1e-14);
    flat.dim = 3;
    assert_close(spring_length(&flat, triangle, gradient), 3.0, 1e-15);

    Spring tet = {.count = 4, .dim = 3, .rest = 1.0, .modulus = 1.0};
    Vec3 x[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const int even[4][4] = {{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}};
    for (int corner = 0; corner < 4; corner++) {
        Vec3 turned[4];
        for (int i = 0; i < 4; i++) turned[i] = x[even[corner][i]];
        double expected = corner == 0 ? 1.0 / sqrt(3.0) : 1.0;
        assert_close(spring_length(&tet, turned, gradient), expected, 1e-15);
        Vec3 last = turned[3];
        turned[3] = turned[2];
        turned[2] = last;
        assert_close(spring_length(&tet, turned, gradient), -expected, 1e-15);
        spring_force(&tet, turned, force);
        Vec3 middle = vec3_scale(1.0 / 3.0, vec3_add(vec3_add(turned[1], turned[2]), turned[3]));
        assert_true(vec3_dot(force[0], vec3_sub(middle, turned[0])) > 0.0);
    }
}

static void damping_of_known_masses(void **state) {
    (void)state;
    Spring edge = {.count = 2, .dim = 3, .rest = 2.0, .modulus = 8.0};
    Vec3 x[3] = {{1, 3, 0}, {0, 0, 0}, {4, 0, 0}};
    double both[2] = {1.0 / 3.0, 1.0 / 6.0}, fixed[2] = {0.0, 0.5}, none[2] = {0.0, 0.0};
    assert_close(spring_damping(&edge, x, 1.0, both), 2.0 * sqrt(4.0 * 2.0), 1e-14);
    assert_close(spring_damping(&edge, x, 0.25, fixed), 0.5 * sqrt(4.0 * 2.0), 1e-14);
    assert_close(spring_damping(&edge, x, 1.0, none), 0.0, 0.0);
    Spring triangle = {.count = 3, .dim = 2, .rest = 2.0, .modulus = 8.0};
    double masses[3] = {1.0, 2.0, 3.0}; /* inverse */
    double inverse = 1.0 + 2.0 * 0.75 * 0.75 + 3.0 * 0.25 * 0.25;
    assert_close(spring_damping(&triangle, x, 1.0, masses), 2.0 * sqrt(4.0 / inverse), 1e-14);
}

static void check_finite(const Spring *spring, const Vec3 *x) {
    static const double inverse_mass[4] = {1.0, 0.5, 2.0, 0.0};
    Vec3 out[4];
    double k[144];
    int n = 3 * spring->count;
    assert_true(isfinite(spring_length(spring, x, out)));
    for (int i = 0; i < spring->count; i++) assert_true(isfinite(vec3_length(out[i])));
    assert_true(isfinite(spring_energy(spring, x)));
    assert_true(isfinite(spring_force(spring, x, out)));
    for (int i = 0; i < spring->count; i++) assert_true(isfinite(vec3_length(out[i])));
    for (int project = 0; project < 2; project++) {
        spring_stiffness(spring, x, project, k);
        largest_of(k, n * n);
    }
    assert_true(isfinite(spring_damping(spring, x, 1.0, inverse_mass)));
}

/* Nodes on few places of a lattice: every way to coincide, to be in line and to lie flat. */
static void collapsed_elements_stay_finite(void **state) {
    (void)state;
    static const Vec3 places[8] = {{0, 0, 0}, {1, 0, 0},      {2, 0, 0},        {0, 1, 0},
                                   {1, 1, 0}, {1e-160, 0, 0}, {1, 1e-13, 1e-9}, {0.3, 1e-300, 0}};
    for (int kind = 0; kind < KINDS; kind++) {
        Spring spring = spring_of_kind(kind);
        for (int i = 0; i < 8 * 8 * 8 * 8; i++) {
            Vec3 x[4] = {places[i % 8], places[i / 8 % 8], places[i / 64 % 8], places[i / 512]};
            for (int k = 0; k < 4 && spring.dim == 2; k++) x[k].z = 0.0;
            check_finite(&spring, x);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(force_is_the_gradient_of_the_energy),
        cmocka_unit_test(stiffness_is_the_gradient_of_the_force),
        cmocka_unit_test(projected_stiffness_is_semidefinite),
        cmocka_unit_test(no_net_force_or_torque),
        cmocka_unit_test(altitudes_of_known_elements),
        cmocka_unit_test(damping_of_known_masses),
        cmocka_unit_test(collapsed_elements_stay_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
