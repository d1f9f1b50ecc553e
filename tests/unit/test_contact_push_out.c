/* One body out of all those it overlaps, at once (002 appendix B). */
#include "check.h"

#include "base/random.h"
#include "math/quat.h"
#include "rigid/contact/push_out.h"

#include <string.h>

enum { MOST = 6 };

/* ---- random cases ---- */

static double uniform(uint64_t stream, uint64_t index, double low, double high) {
    return low + (high - low) * random_uniform(21, stream, index);
}

static Vec3 random_vector(uint64_t stream, uint64_t index, double size) {
    return vec3(uniform(stream, 3 * index, -size, size),
                uniform(stream, 3 * index + 1, -size, size),
                uniform(stream, 3 * index + 2, -size, size));
}

/* Inertia of a box of mass 1, turned. */
static Mat3 random_inertia(uint64_t stream, uint64_t index) {
    double x = uniform(stream, 3 * index, 0.2, 2), y = uniform(stream, 3 * index + 1, 0.2, 2),
           z = uniform(stream, 3 * index + 2, 0.2, 2);
    Mat3 own = mat3_diagonal((y * y + z * z) / 12, (x * x + z * z) / 12, (x * x + y * y) / 12);
    Mat3 turn = quat_to_mat3(quat_exp(random_vector(stream + 1, index, 2)));
    return mat3_multiply(mat3_multiply(turn, own), mat3_transpose(turn));
}

/* r*: a x b = cross_matrix(a) b */
static Mat3 cross_matrix(Vec3 r) {
    return (Mat3){{{0, -r.z, r.y}, {r.z, 0, -r.x}, {-r.y, r.x, 0}}};
}

/* K = 1/m + q*^T I^-1 q* */
static Mat3 response(double mass, Mat3 inertia, Vec3 q) {
    Mat3 star = cross_matrix(q);
    Mat3 turn = mat3_multiply(mat3_transpose(star), mat3_multiply(mat3_inverse(inertia), star));
    return mat3_add(mat3_diagonal(1 / mass, 1 / mass, 1 / mass), turn);
}

/* `range`: powers of ten between the lightest and the heaviest. */
static Central random_central(uint64_t index, double range) {
    double mass = pow(10, range * uniform(1, index, -0.5, 0.5));
    return (Central){mass, mat3_scale(mass, random_inertia(2, index))};
}

static Outer random_outer(uint64_t index, double range, bool is_static) {
    double mass = pow(10, range * uniform(4, index, -0.5, 0.5));
    Mat3 inertia = mat3_scale(mass, random_inertia(5, index));
    return (Outer){.arm = random_vector(7, index, 1),
                   .wanted = random_vector(8, index, 0.1),
                   .response = response(mass, inertia, random_vector(9, index, 1)),
                   .is_static = is_static};
}

/* ---- checks ---- */

static Vec3 moved_at(const Shift *shift, Vec3 arm) {
    return vec3_add(shift->move, vec3_cross(shift->turn, arm));
}

static double vector_error(Vec3 a, Vec3 b) {
    return vec3_length(vec3_sub(a, b));
}

/* (B.1): moved - K j = wanted. */
static void check_outer(const Shift *shift, const Outer *outer, double tolerance) {
    Vec3 left = vec3_sub(moved_at(shift, outer->arm), mat3_apply(outer->response, outer->impulse));
    assert_close(vector_error(left, outer->wanted), 0, tolerance);
}

/* What acts on the central body and the outer ones together, about the central one's middle. */
static void net_impulse(const Central *central, const Shift *shift, const Outer *outers,
                        size_t count, Vec3 *linear, Vec3 *angular, double *size) {
    *linear = vec3_scale(central->mass, shift->move);
    *angular = mat3_apply(central->inertia, shift->turn);
    *size = vec3_length(*linear) + vec3_length(*angular);
    for (size_t o = 0; o < count; o++) {
        *linear = vec3_add(*linear, outers[o].impulse);
        *angular = vec3_add(*angular, vec3_cross(outers[o].arm, outers[o].impulse));
        *size += vec3_length(outers[o].impulse);
    }
}

static void without_static_bodies_momentum_is_kept(void **state) {
    (void)state;
    for (uint64_t index = 0; index < 300; index++) {
        size_t count = 1 + index % MOST;
        Central central = random_central(index, 6);
        Outer outers[MOST];
        for (size_t o = 0; o < count; o++) outers[o] = random_outer(MOST * index + o, 6, false);
        Shift shift = push_out_central(&central, outers, count);
        Vec3 linear, angular;
        double size;
        net_impulse(&central, &shift, outers, count, &linear, &angular, &size);
        assert_close(vec3_length(linear), 0, 1e-11 * size);
        assert_close(vec3_length(angular), 0, 1e-11 * size);
        for (size_t o = 0; o < count; o++) check_outer(&shift, &outers[o], 1e-10);
    }
}

/* The 3x3 form of B.3.1. */
static Shift one_static(const Central *central, const Outer *outers, size_t count, size_t fixed) {
    Vec3 arm = outers[fixed].arm, wanted = outers[fixed].wanted;
    Mat3 star = cross_matrix(arm);
    Mat3 sum = mat3_multiply(star, mat3_transpose(star));
    Mat3 left = mat3_add(central->inertia, mat3_scale(central->mass, sum));
    Vec3 right = vec3_scale(central->mass, vec3_cross(arm, wanted));
    for (size_t d = 0; d < count; d++) {
        if (d == fixed) continue;
        Mat3 inverse = mat3_inverse(outers[d].response);
        Mat3 apart = cross_matrix(vec3_sub(outers[d].arm, arm));
        left = mat3_add(left, mat3_multiply(apart, mat3_multiply(inverse, mat3_transpose(apart))));
        Vec3 push = mat3_apply(inverse, vec3_sub(outers[d].wanted, wanted));
        right = vec3_add(right, mat3_apply(apart, push));
    }
    Vec3 turn = mat3_apply(mat3_inverse(left), right);
    return (Shift){vec3_sub(wanted, vec3_cross(turn, arm)), turn};
}

static void one_static_body_is_left_exactly(void **state) {
    (void)state;
    for (uint64_t index = 0; index < 300; index++) {
        size_t count = 1 + index % MOST, fixed = index % count;
        Central central = random_central(index, 6);
        Outer outers[MOST];
        for (size_t o = 0; o < count; o++)
            outers[o] = random_outer(MOST * index + o, 6, o == fixed);
        Shift expected = one_static(&central, outers, count, fixed);
        Shift shift = push_out_central(&central, outers, count);
        assert_close(vector_error(shift.move, expected.move), 0, 1e-9);
        assert_close(vector_error(shift.turn, expected.turn), 0, 1e-9);
        Vec3 at = moved_at(&shift, outers[fixed].arm);
        assert_close(vector_error(at, outers[fixed].wanted), 0, 1e-12);
        /* What is missing of the momentum went into the static body, at its point. */
        Vec3 linear, angular;
        double size;
        net_impulse(&central, &shift, outers, count, &linear, &angular, &size);
        assert_close(vector_error(angular, vec3_cross(outers[fixed].arm, linear)), 0, 1e-9 * size);
        assert_close(vec3_length(outers[fixed].impulse), 0, 0);
        for (size_t o = 0; o < count; o++)
            if (o != fixed) check_outer(&shift, &outers[o], 1e-9);
    }
}

/* ---- several static bodies, against (B.2) with a small but finite response ---- */

/* Gauss with pivots, in long double. */
static void eliminate(long double a[6][7], double x[6]) {
    for (int k = 0; k < 6; k++) {
        int pivot = k;
        for (int i = k + 1; i < 6; i++)
            if (fabsl(a[i][k]) > fabsl(a[pivot][k])) pivot = i;
        for (int j = 0; j < 7; j++) {
            long double kept = a[k][j];
            a[k][j] = a[pivot][j];
            a[pivot][j] = kept;
        }
        for (int i = 0; i < 6; i++) {
            if (i == k) continue;
            long double part = a[i][k] / a[k][k];
            for (int j = k; j < 7; j++) a[i][j] -= part * a[k][j];
        }
    }
    for (int k = 0; k < 6; k++) x[k] = (double)(a[k][6] / a[k][k]);
}

static Shift nearly_static(const Central *central, const Outer *outers, size_t count,
                           double yielding) {
    long double a[6][7] = {{0}};
    for (int i = 0; i < 3; i++) {
        a[i][i] = central->mass;
        for (int j = 0; j < 3; j++) a[3 + i][3 + j] = vec3_component(central->inertia.r[i], j);
    }
    for (size_t o = 0; o < count; o++) {
        /* Rows of [1, r*^T]: how the point moves with the body. */
        Mat3 inverse = mat3_inverse(outers[o].response);
        long double scale = outers[o].is_static ? 1 / (long double)yielding : 1;
        double moves[3][6] = {{0}};
        for (int j = 0; j < 3; j++) {
            Vec3 turned = vec3_cross(vec3_axis(j), outers[o].arm);
            for (int i = 0; i < 3; i++) {
                moves[i][j] = i == j;
                moves[i][3 + j] = vec3_component(turned, i);
            }
        }
        for (int i = 0; i < 6; i++)
            for (int k = 0; k < 3; k++)
                for (int l = 0; l < 3; l++) {
                    long double part = scale * moves[k][i] * vec3_component(inverse.r[k], l);
                    for (int j = 0; j < 6; j++) a[i][j] += part * moves[l][j];
                    a[i][6] += part * vec3_component(outers[o].wanted, l);
                }
    }
    double x[6];
    eliminate(a, x);
    return (Shift){vec3_load(x), vec3_load(x + 3)};
}

typedef enum Layout { COINCIDENT, COLLINEAR, GENERAL } Layout;

static void lay_out(Outer *outers, size_t statics, Layout layout, uint64_t index) {
    Vec3 from = random_vector(31, index, 1), along = vec3_normalize(random_vector(32, index, 1));
    for (size_t s = 0; s < statics && layout != GENERAL; s++) {
        double place = (double)s - 1 + uniform(33, MOST * index + s, -0.3, 0.3);
        if (layout == COINCIDENT) place = 0;
        outers[s].arm = vec3_add_scaled(from, place, along);
    }
}

static void check_layout(Layout layout) {
    for (uint64_t index = 0; index < 200; index++) {
        size_t statics = layout == GENERAL ? 3 : 2 + index % 2, count = statics + index % 3;
        Central central = random_central(index, 2);
        Outer outers[MOST];
        for (size_t o = 0; o < count; o++)
            outers[o] = random_outer(MOST * index + o, 2, o < statics);
        lay_out(outers, statics, layout, index);
        Shift shift = push_out_central(&central, outers, count);
        Shift expected = nearly_static(&central, outers, count, 1e-11);
        double size = 1 + vec3_length(expected.move) + vec3_length(expected.turn);
        assert_close(vector_error(shift.move, expected.move), 0, 1e-6 * size);
        assert_close(vector_error(shift.turn, expected.turn), 0, 1e-6 * size);
        for (size_t o = 0; o < count; o++) {
            if (outers[o].is_static)
                assert_close(vec3_length(outers[o].impulse), 0, 0);
            else
                check_outer(&shift, &outers[o], 1e-9 * size);
        }
    }
}

static void coincident_static_bodies(void **state) {
    (void)state;
    check_layout(COINCIDENT);
}

static void collinear_static_bodies(void **state) {
    (void)state;
    check_layout(COLLINEAR);
}

static void static_bodies_that_fix_all(void **state) {
    (void)state;
    check_layout(GENERAL);
}

/* Statics that all want the same rigid motion get it, and dynamic ones have no say. */
static void what_static_bodies_agree_on_is_done(void **state) {
    (void)state;
    for (uint64_t index = 0; index < 100; index++) {
        Central central = random_central(index, 6);
        Shift wanted = {random_vector(41, index, 0.1), random_vector(42, index, 0.1)};
        Outer outers[4];
        for (size_t o = 0; o < 4; o++) {
            outers[o] = random_outer(4 * index + o, 6, o < 3);
            if (o < 3) outers[o].wanted = moved_at(&wanted, outers[o].arm);
        }
        Shift shift = push_out_central(&central, outers, 4);
        assert_close(vector_error(shift.move, wanted.move), 0, 1e-9);
        assert_close(vector_error(shift.turn, wanted.turn), 0, 1e-9);
    }
}

/* Between two walls that both push there is no way out: the middle, and no turn. */
static void squeezed_between_walls(void **state) {
    (void)state;
    Central central = {2, mat3_diagonal(0.3, 0.4, 0.5)};
    static const double overlaps[][2] = {{0.1, 0.1}, {0.3, 0.1}, {0, 0.2}};
    for (size_t k = 0; k < 3; k++) {
        Outer outers[3] = {{.arm = {-0.5, 0, 0},
                            .wanted = {overlaps[k][0], 0, 0},
                            .response = mat3_identity(),
                            .is_static = true},
                           {.arm = {0.5, 0, 0},
                            .wanted = {-overlaps[k][1], 0, 0},
                            .response = mat3_identity(),
                            .is_static = true},
                           {.arm = {0, 0.5, 0},
                            .wanted = {0, -0.01, 0},
                            .response = mat3_identity(),
                            .is_static = false}};
        for (size_t count = 2; count <= 3; count++) {
            Shift shift = push_out_central(&central, outers, count);
            assert_close(shift.move.x, 0.5 * (overlaps[k][0] - overlaps[k][1]), 1e-15);
            assert_close(shift.turn.y, 0, 1e-15);
            assert_close(shift.turn.z, 0, 1e-15);
            /* Statics on a line leave turning about it to others: here nothing asks for it, and
             * both ends are held in y and z. */
            assert_close(shift.move.y, 0, 1e-15);
            assert_close(shift.turn.x, 0, 1e-12);
        }
    }
}

/* ---- units ---- */

static void lengths_and_masses_of_any_size(void **state) {
    (void)state;
    for (uint64_t index = 0; index < 60; index++) {
        double length = pow(10, uniform(51, index, -4, 4)),
               weight = pow(10, uniform(52, index, -6, 6));
        size_t statics = index % 4, count = statics + 1 + index % 2;
        Central central = random_central(index, 6), scaled = central;
        scaled.mass *= weight;
        scaled.inertia = mat3_scale(weight * length * length, central.inertia);
        Outer outers[MOST], others[MOST];
        for (size_t o = 0; o < count; o++) {
            outers[o] = others[o] = random_outer(MOST * index + o, 6, o < statics);
            others[o].arm = vec3_scale(length, outers[o].arm);
            others[o].wanted = vec3_scale(length, outers[o].wanted);
            others[o].response = mat3_scale(1 / weight, outers[o].response);
        }
        Shift shift = push_out_central(&central, outers, count);
        Shift other = push_out_central(&scaled, others, count);
        assert_close(vector_error(vec3_scale(1 / length, other.move), shift.move), 0, 1e-8);
        assert_close(vector_error(other.turn, shift.turn), 0, 1e-8);
    }
}

static void nothing_to_do(void **state) {
    (void)state;
    Central central = random_central(1, 6);
    Shift shift = push_out_central(&central, NULL, 0);
    assert_close(vec3_length(shift.move) + vec3_length(shift.turn), 0, 0);
    Outer outer = random_outer(1, 6, false);
    outer.wanted = vec3(0, 0, 0);
    shift = push_out_central(&central, &outer, 1);
    assert_close(vec3_length(shift.move) + vec3_length(shift.turn), 0, 0);
    assert_close(vec3_length(outer.impulse), 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_static_bodies_momentum_is_kept),
        cmocka_unit_test(one_static_body_is_left_exactly),
        cmocka_unit_test(coincident_static_bodies),
        cmocka_unit_test(collinear_static_bodies),
        cmocka_unit_test(static_bodies_that_fix_all),
        cmocka_unit_test(what_static_bodies_agree_on_is_done),
        cmocka_unit_test(squeezed_between_walls),
        cmocka_unit_test(lengths_and_masses_of_any_size),
        cmocka_unit_test(nothing_to_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
