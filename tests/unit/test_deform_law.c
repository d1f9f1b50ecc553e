/* Constitutive laws of finite elements: every stress is the gradient of its energy and every
 * stiffness that of its stress, for inverted, collapsed and turned elements too. */
#include "deform_case.h"

#include "deform/law.h"
#include "deform/law_stretch.h"

static const double difference_step = 1e-5;

/* One law of each model and kind of plane. */
enum { KINDS = 12 };

static ElementLaw law_of_kind(int kind) {
    static const LawModel models[4] = {LAW_LINEAR, LAW_COROTATED, LAW_ST_VENANT_KIRCHHOFF,
                                       LAW_NEO_HOOKEAN};
    int plane = kind / 4; /* 0: solid, 1: plane strain, 2: plane stress */
    ElementLaw law = law_from_young(models[kind % 4], plane ? 2 : 3, 1.7, 0.4);
    law.plane_stress = plane == 2;
    return law;
}

/* Stretches in size from large to small, as a law sees them; the last one below zero when inverted.
 * The fifth kind is near a collapse, the sixth has equal stretches. */
static Vec3 draw_stretches(Draw *draw, int dim) {
    double sizes[3];
    int choice = (int)draw_uniform(draw, 0, 6);
    double low = choice < 2 ? 0.7 : choice == 4 ? 1e-9 : 0.05, high = choice == 4 ? 0.6 : 1.6;
    for (int i = 0; i < 3; i++) sizes[i] = draw_uniform(draw, low, high);
    if (choice == 5) sizes[1] = sizes[0];
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < dim - 1; i++) {
            if (sizes[i] >= sizes[i + 1]) continue;
            double larger = sizes[i + 1];
            sizes[i + 1] = sizes[i];
            sizes[i] = larger;
        }
    }
    if (choice == 3 || draw_uniform(draw, 0, 1) < 0.2) sizes[dim - 1] = -sizes[dim - 1];
    if (choice == 4) sizes[dim - 1] *= 1e-8;
    if (dim == 2) sizes[2] = 1.0;
    return vec3_load(sizes);
}

/* Differences of the stress across the end of a law, or near a crease of the energy, say nothing.
 */
static bool near_kink(const ElementLaw *law, Vec3 s) {
    double values[3] = {s.x, s.y, s.z};
    for (int i = 0; i < law->dim; i++) {
        if (fabs(values[i] - 0.5) < 1e-3 || fabs(values[i] - law->least_stretch) < 1e-3)
            return true;
        for (int j = 0; j < i; j++)
            if (values[i] + values[j] < 0.05) return true;
    }
    return false;
}

static Mat3 shifted(Mat3 f, int i, int j, double by) {
    *entry(&f, i, j) += by;
    return f;
}

static Mat3 draw_deformation(Draw *draw, int dim, Vec3 *s) {
    *s = draw_stretches(draw, dim);
    return from_stretches(draw_rotation(draw, dim), *s, draw_rotation(draw, dim));
}

static void stress_is_the_gradient_of_the_energy(void **state) {
    (void)state;
    Draw draw = {.stream = 1};
    const double d = difference_step;
    for (int kind = 0; kind < KINDS; kind++) {
        ElementLaw law = law_of_kind(kind);
        for (int i = 0; i < test_size(3000, 500); i++) {
            Vec3 s;
            Mat3 p, f = draw_deformation(&draw, law.dim, &s);
            if (near_kink(&law, s)) continue;
            double energy = law_stress(&law, f, &p);
            assert_true(energy == law_energy(&law, f));
            assert_true(energy >= -1e-15);
            double size = fmax(largest_entry(p), 1.0);
            for (int k = 0; k < law.dim; k++) {
                for (int l = 0; l < law.dim; l++) {
                    double slope = law_energy(&law, shifted(f, k, l, d)) -
                                   law_energy(&law, shifted(f, k, l, -d));
                    assert_close(*entry(&p, k, l), slope / (2.0 * d), 1e-6 * size);
                }
            }
            if (law.dim == 2)
                assert_true(p.r[0].z == 0 && p.r[1].z == 0 && vec3_length(p.r[2]) == 0);
        }
    }
}

static void stiffness_is_the_gradient_of_the_stress(void **state) {
    (void)state;
    Draw draw = {.stream = 2};
    const double d = difference_step;
    for (int kind = 0; kind < KINDS; kind++) {
        ElementLaw law = law_of_kind(kind);
        int dim = law.dim, n = dim * dim;
        for (int i = 0; i < test_size(3000, 500); i++) {
            Vec3 s;
            Mat3 f = draw_deformation(&draw, dim, &s);
            if (near_kink(&law, s)) continue;
            double h[81];
            law_stiffness(&law, f, false, h);
            double size = fmax(largest_of(h, n * n), 1.0);
            for (int b = 0; b < n; b++) {
                Mat3 up, down;
                law_stress(&law, shifted(f, b / dim, b % dim, d), &up);
                law_stress(&law, shifted(f, b / dim, b % dim, -d), &down);
                for (int a = 0; a < n; a++) {
                    double slope = *entry(&up, a / dim, a % dim) - *entry(&down, a / dim, a % dim);
                    assert_close(h[n * a + b], slope / (2.0 * d), 1e-5 * size);
                    assert_true(h[n * a + b] == h[n * b + a]);
                }
            }
        }
    }
}

/* Also where differences fail: at kinks and creases. */
static void check_projection(const ElementLaw *law, Mat3 f) {
    int n = law->dim * law->dim;
    double h[81], projected[81], least, largest, least_left, largest_left;
    law_stiffness(law, f, false, h);
    law_stiffness(law, f, true, projected);
    eigenvalue_range(h, n, &least, &largest);
    eigenvalue_range(projected, n, &least_left, &largest_left);
    double size = fmax(fabs(least), fabs(largest));
    assert_true(least_left >= -1e-10 * fabs(largest_left));
    assert_close(largest_left, fmax(largest, 0.0), 1e-12 * size);
    if (least >= 0.0) {
        for (int a = 0; a < n * n; a++) assert_close(projected[a], h[a], 1e-12 * size);
    }
    double stiffest = law_stiffest(law, f);
    assert_true(stiffest >= fmax(largest, 0.0) - 1e-12 * size);
    assert_true(stiffest <= fmax(largest, 0.0) * (1.0 + 1e-4) + 1e-7 * size);
}

static void projected_stiffness_is_semidefinite(void **state) {
    (void)state;
    Draw draw = {.stream = 3};
    for (int kind = 0; kind < KINDS; kind++) {
        ElementLaw law = law_of_kind(kind);
        int dim = law.dim;
        for (int i = 0; i < test_size(2000, 300); i++) {
            Vec3 s;
            check_projection(&law, draw_deformation(&draw, dim, &s));
            check_projection(&law, draw_matrix(&draw, dim));
        }
        Mat3 u = draw_rotation(&draw, dim), v = draw_rotation(&draw, dim);
        double end = law.least_stretch;
        check_projection(&law, mat3_identity());
        check_projection(&law, mat3_diagonal(0, 0, 0));
        check_projection(&law, mat3_diagonal(1, -1, -1));
        check_projection(&law, mat3_diagonal(1, 1, -1));
        check_projection(&law, from_stretches(u, vec3(1.5, 0.50001, 0.49999), v));
        check_projection(&law, from_stretches(u, vec3(end, end, end), v));
        check_projection(&law, from_stretches(u, vec3(3, 1, -1), v));
        check_projection(&law, from_stretches(u, vec3(100, 1e-9, -1e-9), v));
        check_projection(&law, from_stretches(u, vec3(1, 1e-300, 0), v));
    }
}

static void laws_turn_with_the_element(void **state) {
    (void)state;
    Draw draw = {.stream = 4};
    for (int kind = 0; kind < KINDS; kind++) {
        ElementLaw law = law_of_kind(kind);
        if (law.model == LAW_LINEAR) continue;
        for (int i = 0; i < test_size(3000, 500); i++) {
            Vec3 s;
            Mat3 f = draw_deformation(&draw, law.dim, &s), p, turned;
            double energy = law_stress(&law, f, &p);
            double size = fmax(1.0, largest_entry(p) * fmax(1.0, largest_entry(f)));
            Mat3 kirchhoff = mat3_multiply(p, mat3_transpose(f));
            assert_close(kirchhoff.r[0].y, kirchhoff.r[1].x, 1e-10 * size);
            assert_close(kirchhoff.r[0].z, kirchhoff.r[2].x, 1e-10 * size);
            assert_close(kirchhoff.r[1].z, kirchhoff.r[2].y, 1e-10 * size);
            if (near_kink(&law, s)) continue;
            Mat3 left = draw_rotation(&draw, law.dim), right = draw_rotation(&draw, law.dim);
            Mat3 moved = mat3_multiply(mat3_multiply(left, f), mat3_transpose(right));
            assert_close(law_stress(&law, moved, &turned), energy, 1e-12 * size);
            Mat3 expected = mat3_multiply(mat3_multiply(left, p), mat3_transpose(right));
            Mat3 error = mat3_add(turned, mat3_scale(-1.0, expected));
            assert_close(largest_entry(error), 0.0, 1e-10 * size);
        }
    }
}

/* The formulas without stretches are those with them. */
static void both_ways_to_the_stress_agree(void **state) {
    (void)state;
    Draw draw = {.stream = 5};
    for (int kind = 0; kind < KINDS; kind++) {
        ElementLaw law = law_of_kind(kind);
        if (law.model == LAW_LINEAR) continue;
        for (int i = 0; i < test_size(3000, 500); i++) {
            Vec3 s = draw_stretches(&draw, law.dim);
            if (i % 4 == 0) s.y = law.model == LAW_NEO_HOOKEAN ? law.least_stretch : 0.5;
            if (i % 4 == 0) s.z = law.dim == 2 ? 1.0 : 0.9 * s.y;
            if (i % 4 == 0) s.x = fmax(s.x, s.y);
            Mat3 u = draw_rotation(&draw, law.dim), v = draw_rotation(&draw, law.dim), p;
            double energy = law_stress(&law, from_stretches(u, s, v), &p);
            LawPrincipal at;
            law_principal(&law, (double[3]){s.x, s.y, s.z}, &at);
            assert_close(energy, at.energy, 1e-13 * fmax(1.0, at.energy));
            double size = fmax(1.0, largest_of(at.stress, 3));
            Mat3 other = from_stretches(u, vec3_load(at.stress), v);
            Mat3 error = mat3_add(p, mat3_scale(-1.0, other));
            if (s.y + (law.dim == 3 ? s.z : s.x) > 0.01 && s.x + s.y > 0.01)
                assert_close(largest_entry(error), 0.0, 3e-12 * size);
        }
    }
}

static void small_strains_are_linear(void **state) {
    (void)state;
    Draw draw = {.stream = 6};
    for (int kind = 0; kind < KINDS; kind++) {
        ElementLaw law = law_of_kind(kind);
        ElementLaw linear = law;
        linear.model = LAW_LINEAR;
        int n = law.dim * law.dim;
        double h[81], expected[81];
        law_stiffness(&law, mat3_identity(), false, h);
        law_stiffness(&linear, mat3_identity(), false, expected);
        for (int a = 0; a < n * n; a++) assert_close(h[a], expected[a], 1e-14);
        Mat3 p;
        assert_close(law_stress(&law, mat3_identity(), &p), 0.0, 0.0);
        assert_close(largest_entry(p), 0.0, 0.0);
        for (int i = 0; i < 100; i++) {
            Mat3 change = mat3_scale(1e-6, draw_matrix(&draw, law.dim)), q;
            law_stress(&law, mat3_add(mat3_identity(), change), &p);
            law_stress(&linear, mat3_add(mat3_identity(), change), &q);
            assert_close(largest_entry(mat3_add(p, mat3_scale(-1.0, q))), 0.0, 3e-9);
        }
    }
}

/* Plane stress is a solid whose third stretch was found by bisection of P_33. */
static void plane_stress_has_no_stress_across(void **state) {
    (void)state;
    Draw draw = {.stream = 7};
    for (int kind = 8; kind < KINDS; kind++) {
        ElementLaw flat = law_of_kind(kind), solid = flat;
        solid.dim = 3;
        for (int i = 0; i < test_size(1000, 200); i++) {
            double s1 = draw_uniform(&draw, 0.6, 2.0), s2 = draw_uniform(&draw, 0.6, 2.0);
            double low = 1e-3, high = 4.0;
            Mat3 p, q;
            for (int k = 0; k < 60; k++) {
                double middle = 0.5 * (low + high);
                law_stress(&solid, mat3_diagonal(s1, s2, middle), &p);
                if (p.r[2].z > 0.0)
                    high = middle;
                else
                    low = middle;
            }
            double energy = law_stress(&solid, mat3_diagonal(s1, s2, low), &p);
            if (low < 0.01) continue; /* thinner than nothing: a corotated sheet may be */
            assert_close(law_stress(&flat, mat3_diagonal(s1, s2, 77), &q), energy, 1e-13);
            assert_close(q.r[0].x, p.r[0].x, 1e-12);
            assert_close(q.r[1].y, p.r[1].y, 1e-12);
        }
    }
}

/* Any sum of logarithms, that of far stretched and of inverted elements too. */
static void thickness_is_found_for_any_area(void **state) {
    (void)state;
    ElementLaw law = law_of_kind(11);
    for (int incompressible = 0; incompressible < 3; incompressible++) {
        law.lambda = incompressible == 0 ? 0.0 : incompressible == 1 ? 1.0 : 1e4;
        for (double size = 1e-6; size < 1e7; size *= 1.3) {
            for (int sign = -1; sign <= 1; sign += 2) {
                double area = sign * size, l;
                double s = law_thickness(&law, area, &l);
                double t = law.least_stretch, q = (s - t) / t;
                double slope = s >= t ? 1.0 / s : (1.0 - q) / t;
                double expected = s >= t ? log(s) : log(t) + q - 0.5 * q * q;
                double curve = s >= t ? slope * slope : 1.0 / (t * t);
                assert_close(l, expected, 1e-13 * (1.0 + fabs(l)));
                double residual = law.mu * s + (law.lambda * (area + l) - law.mu) * slope;
                double terms = law.mu * fabs(s) + law.lambda * (fabs(area) + 1.0) * slope +
                               law.lambda * size * curve * fabs(s) + slope * slope * law.lambda;
                assert_close(residual, 0.0, 1e-13 * terms);
            }
        }
    }
}

/* One-axis tension of a neo-Hookean bar: the other two axes bear no stress. */
static void check_uniaxial(double stretch, double lateral, double stress) {
    ElementLaw law = law_from_young(LAW_NEO_HOOKEAN, 3, 2.5, 0.45);
    double low = 0.3, high = 1.5;
    Mat3 p;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        law_stress(&law, mat3_diagonal(stretch, middle, middle), &p);
        if (p.r[1].y > 0.0)
            high = middle;
        else
            low = middle;
    }
    assert_close(low, lateral, 5e-7);
    assert_close(p.r[0].x / 2.5, stress, 5e-7);
}

static void uniaxial_tension(void **state) {
    (void)state;
    check_uniaxial(1.5, 0.830679, 0.358614);
    check_uniaxial(1.2, 0.920634, 0.170239);
}

static void any_finite_deformation_has_finite_results(void **state) {
    (void)state;
    const double sizes[] = {0.0, 1e-320, 1e-160, 1e-20, 1e-3, 0.25, 0.5, 1.0, 1e3, 1e20};
    const int count = (int)(sizeof sizes / sizeof sizes[0]);
    Draw draw = {.stream = 8};
    for (int kind = 0; kind < KINDS; kind++) {
        ElementLaw law = law_of_kind(kind);
        for (int i = 0; i < count * count * count; i++) {
            Vec3 s = {sizes[i % count], sizes[i / count % count], sizes[i / count / count]};
            if (i % 3 == 0) s.z = -s.z;
            Mat3 u = draw_rotation(&draw, law.dim), v = draw_rotation(&draw, law.dim), p;
            Mat3 f = i % 2 ? mat3_diagonal(s.x, s.z, s.y) : from_stretches(u, s, v);
            double h[81];
            assert_true(isfinite(law_stress(&law, f, &p)));
            largest_entry(p);
            law_stiffness(&law, f, i % 5 == 0, h);
            largest_of(h, law.dim * law.dim * law.dim * law.dim);
            assert_true(isfinite(law_stiffest(&law, f)));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stress_is_the_gradient_of_the_energy),
        cmocka_unit_test(stiffness_is_the_gradient_of_the_stress),
        cmocka_unit_test(projected_stiffness_is_semidefinite),
        cmocka_unit_test(laws_turn_with_the_element),
        cmocka_unit_test(both_ways_to_the_stress_agree),
        cmocka_unit_test(small_strains_are_linear),
        cmocka_unit_test(plane_stress_has_no_stress_across),
        cmocka_unit_test(thickness_is_found_for_any_area),
        cmocka_unit_test(uniaxial_tension),
        cmocka_unit_test(any_finite_deformation_has_finite_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
