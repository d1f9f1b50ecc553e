/* Quaternions and 3x3 decompositions on many random and all the awkward inputs. */
#include "check.h"

#include "base/random.h"
#include "math/decompose.h"
#include "math/quat.h"

static const double pi = 3.14159265358979323846;

enum { CASES = 20000 };

/* Each test draws from a stream of its own; `next` counts up. */
typedef struct Draw {
    uint64_t stream, next;
} Draw;

static double draw_uniform(Draw *draw, double low, double high) {
    return low + (high - low) * random_uniform(1, draw->stream, draw->next++);
}

static Vec3 draw_vector(Draw *draw) {
    double x = random_normal(2, draw->stream, draw->next++);
    double y = random_normal(2, draw->stream, draw->next++);
    double z = random_normal(2, draw->stream, draw->next++);
    return vec3(x, y, z);
}

static Quat draw_quat(Draw *draw) {
    Vec3 v = draw_vector(draw);
    double w = random_normal(2, draw->stream, draw->next++);
    return quat_normalize((Quat){w, v.x, v.y, v.z});
}

static Mat3 draw_rotation(Draw *draw) {
    return quat_to_mat3(draw_quat(draw));
}

/* The largest entry: unlike a sum of squares it is safe at 1e200. */
static double norm(Mat3 a) {
    double entries[9], largest = 0.0;
    mat3_store(entries, a);
    for (int i = 0; i < 9; i++) {
        assert_true(isfinite(entries[i]));
        largest = fmax(largest, fabs(entries[i]));
    }
    return largest;
}

static double distance(Mat3 a, Mat3 b) {
    return norm(mat3_add(a, mat3_scale(-1.0, b)));
}

static Mat3 compose(Mat3 u, Vec3 sigma, Mat3 v) {
    Mat3 scaled = mat3_multiply(u, mat3_diagonal(sigma.x, sigma.y, sigma.z));
    return mat3_multiply(scaled, mat3_transpose(v));
}

static void check_rotation(Mat3 r) {
    assert_close(distance(mat3_multiply(r, mat3_transpose(r)), mat3_identity()), 0.0, 1e-14);
    assert_close(mat3_determinant(r), 1.0, 1e-14);
}

/* Quaternions */

static void check_exp_log(Vec3 u, double tolerance) {
    Quat q = quat_exp(u);
    assert_close(quat_norm(q), 1.0, 4e-16);
    Vec3 back = quat_log(q);
    assert_close(vec3_length(vec3_sub(back, u)), 0.0, tolerance * vec3_length(u));
    Quat opposite = {-q.w, -q.x, -q.y, -q.z};
    assert_close(vec3_length(vec3_sub(quat_log(opposite), u)), 0.0, tolerance * vec3_length(u));
}

static void exp_and_log_are_inverse(void **state) {
    (void)state;
    Draw draw = {.stream = 1};
    for (int i = 0; i < CASES; i++) {
        Vec3 axis = vec3_normalize(draw_vector(&draw));
        check_exp_log(vec3_scale(draw_uniform(&draw, 0.0, 3.1), axis), 2e-15);
        /* Relative accuracy holds through every size, and on both sides of the series. */
        check_exp_log(vec3_scale(pow(10.0, draw_uniform(&draw, -150.0, 0.0)), axis), 2e-15);
        check_exp_log(vec3_scale(draw_uniform(&draw, 0.0099, 0.0101), axis), 2e-15);
        check_exp_log(vec3_scale(draw_uniform(&draw, 0.0019, 0.0021), axis), 2e-15);
        check_exp_log(vec3_scale(pi - pow(10.0, draw_uniform(&draw, -13.0, -1.0)), axis), 2e-15);
    }
    Vec3 tiny = vec3(3e-310, -4e-310, 0); /* squares vanish, the vector does not */
    Vec3 back = quat_log(quat_exp(tiny));
    assert_close(back.x, tiny.x, 1e-320);
    assert_close(back.y, tiny.y, 1e-320);
    assert_close(vec3_length(quat_log(quat_identity())), 0.0, 0.0);
}

static void log_of_a_half_turn(void **state) {
    (void)state;
    Draw draw = {.stream = 2};
    for (int i = 0; i < CASES; i++) {
        Vec3 axis = vec3_normalize(draw_vector(&draw));
        Vec3 u = quat_log((Quat){0.0, axis.x, axis.y, axis.z});
        assert_close(vec3_length(u), pi, 2e-15);
        assert_close(vec3_length(vec3_cross(axis, u)), 0.0, 2e-15);
    }
}

/* Rotation of v by u from Rodrigues' formula. */
static Vec3 rodrigues(Vec3 u, Vec3 v) {
    double angle = vec3_length(u);
    Vec3 k = vec3_scale(1.0 / angle, u);
    Vec3 turned = vec3_add_scaled(vec3_scale(cos(angle), v), sin(angle), vec3_cross(k, v));
    return vec3_add_scaled(turned, (1.0 - cos(angle)) * vec3_dot(k, v), k);
}

static void rotations_agree(void **state) {
    (void)state;
    Draw draw = {.stream = 3};
    for (int i = 0; i < CASES; i++) {
        Vec3 u = draw_vector(&draw), v = draw_vector(&draw);
        double tolerance = 4e-15 * vec3_length(v);
        Quat q = quat_exp(u);
        Vec3 turned = rodrigues(u, v);
        assert_close(vec3_length(vec3_sub(quat_rotate(q, v), turned)), 0.0, tolerance);
        assert_close(vec3_length(vec3_sub(mat3_apply(quat_to_mat3(q), v), turned)), 0.0, tolerance);
        assert_close(vec3_length(vec3_sub(quat_rotate_inverse(q, turned), v)), 0.0, tolerance);
        double angle = vec3_length(u);
        Quat same = quat_from_axis_cos_sin(vec3_scale(1.0 / angle, u), cos(angle), sin(angle));
        assert_close(vec3_length(vec3_sub(quat_rotate(same, v), turned)), 0.0, tolerance);
        Quat p = draw_quat(&draw);
        Mat3 product = mat3_multiply(quat_to_mat3(p), quat_to_mat3(q));
        assert_close(distance(quat_to_mat3(quat_multiply(p, q)), product), 0.0, 3e-15);
    }
}

static void axis_cos_sin_keeps_small_angles(void **state) {
    (void)state;
    Vec3 axis = vec3(0, 1, 0);
    for (double angle = 1.0; angle > 1e-200; angle *= 0.1) {
        for (int sign = -1; sign <= 1; sign += 2) {
            Quat q = quat_from_axis_cos_sin(axis, cos(angle), sign * sin(angle));
            assert_close(q.y, sign * sin(0.5 * angle), 4e-16 * angle);
            q = quat_from_axis_cos_sin(axis, -cos(angle), sign * sin(angle)); /* pi - angle */
            assert_close(fabs(q.w), sin(0.5 * angle), 4e-16 * angle);
            assert_close(quat_norm(q), 1.0, 4e-16);
        }
    }
    Quat half_turn = quat_from_axis_cos_sin(axis, -1.0, 0.0);
    assert_close(half_turn.w, 0.0, 0.0);
    assert_close(half_turn.y, 1.0, 0.0);
}

static void check_matrix_round_trip(Quat q) {
    Quat back = quat_from_mat3(quat_to_mat3(q));
    double sign = q.w * back.w + q.x * back.x + q.y * back.y + q.z * back.z < 0.0 ? -1.0 : 1.0;
    assert_close(back.w, sign * q.w, 2e-15);
    assert_close(back.x, sign * q.x, 2e-15);
    assert_close(back.y, sign * q.y, 2e-15);
    assert_close(back.z, sign * q.z, 2e-15);
    assert_true(back.w >= 0.0);
}

static void matrix_round_trip(void **state) {
    (void)state;
    Draw draw = {.stream = 4};
    for (int i = 0; i < CASES; i++) {
        check_matrix_round_trip(draw_quat(&draw));
        Vec3 axis = vec3_normalize(draw_vector(&draw));
        double left = pow(10.0, draw_uniform(&draw, -20.0, 0.0));
        check_matrix_round_trip(quat_from_axis_cos_sin(axis, -cos(left), sin(left)));
        check_matrix_round_trip(quat_from_axis_cos_sin(axis, cos(left), sin(left)));
    }
    check_matrix_round_trip((Quat){0, 1, 0, 0});
    check_matrix_round_trip((Quat){0, 0, 1, 0});
    check_matrix_round_trip((Quat){0, 0, 0, 1});
    check_matrix_round_trip((Quat){0, sqrt(0.5), sqrt(0.5), 0});
}

/* Decompositions */

static void check_eigen(Mat3 a) {
    Vec3 values;
    Mat3 v;
    symmetric_eigen(a, &values, &v);
    double size = norm(a);
    check_rotation(v);
    assert_true(values.x >= values.y && values.y >= values.z);
    assert_close(distance(compose(v, values, v), a), 0.0, 1e-14 * size);
    assert_close(values.x + values.y + values.z, mat3_trace(a), 1e-14 * size);
}

static void check_eigenvalues(Mat3 a) {
    Vec3 values, fast = symmetric_eigenvalues(a);
    Mat3 v;
    symmetric_eigen(a, &values, &v);
    assert_close(vec3_length(vec3_sub(fast, values)), 0.0, 1e-7 * norm(a));
}

static Mat3 symmetric_from(Mat3 rotation, Vec3 values) {
    Mat3 a = compose(rotation, values, rotation);
    return mat3_scale(0.5, mat3_add(a, mat3_transpose(a)));
}

static void eigen_of_random_matrices(void **state) {
    (void)state;
    Draw draw = {.stream = 5};
    for (int i = 0; i < CASES; i++) {
        Mat3 m = {{draw_vector(&draw), draw_vector(&draw), draw_vector(&draw)}};
        check_eigen(mat3_add(m, mat3_transpose(m)));
        Mat3 r = draw_rotation(&draw);
        check_eigen(symmetric_from(r, vec3(2, 2, 2)));
        check_eigen(symmetric_from(r, vec3(2, 2, -1)));
        check_eigen(symmetric_from(r, vec3(1, 1 - 1e-12, 1 - 2e-12)));
        check_eigen(symmetric_from(r, vec3(1, 1e-8, 1e-15)));
        check_eigen(symmetric_from(r, vec3(1, 0, 0)));
        check_eigen(symmetric_from(r, vec3(3e150, -1e150, 2e140)));
        check_eigen(symmetric_from(r, vec3(3e-150, -1e-150, 2e-160)));
    }
}

static void eigenvalues_in_closed_form(void **state) {
    (void)state;
    Draw draw = {.stream = 11};
    for (int i = 0; i < CASES; i++) {
        Mat3 m = {{draw_vector(&draw), draw_vector(&draw), draw_vector(&draw)}};
        check_eigenvalues(mat3_add(m, mat3_transpose(m)));
        Mat3 r = draw_rotation(&draw);
        check_eigenvalues(symmetric_from(r, vec3(2, 2, 2)));
        check_eigenvalues(symmetric_from(r, vec3(2, 2, -1)));
        check_eigenvalues(symmetric_from(r, vec3(2, -1, -1)));
        check_eigenvalues(symmetric_from(r, vec3(1, 1 - 1e-12, 1 - 2e-12)));
        check_eigenvalues(symmetric_from(r, vec3(1, 1e-8, 1e-15)));
        check_eigenvalues(symmetric_from(r, vec3(3e70, -1e70, 2e60)));
        check_eigenvalues(symmetric_from(r, vec3(3e-70, -1e-70, 2e-80)));
    }
    check_eigenvalues(mat3_diagonal(0, 0, 0));
    check_eigenvalues(mat3_diagonal(1, 2, 3));
}

static void eigen_of_special_matrices(void **state) {
    (void)state;
    check_eigen(mat3_diagonal(0, 0, 0));
    check_eigen(mat3_diagonal(1, 2, 3));
    check_eigen(mat3_diagonal(-3, 5, -3));
    check_eigen((Mat3){{{0, 1, 0}, {1, 0, 0}, {0, 0, 0}}});
    check_eigen((Mat3){{{0, 0, 1}, {0, 0, 0}, {1, 0, 0}}});
    check_eigen((Mat3){{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}});
    check_eigen((Mat3){{{1, 1e-300, 0}, {1e-300, 0, 1e-310}, {0, 1e-310, 0}}});
    Vec3 values;
    Mat3 v;
    symmetric_eigen((Mat3){{{2, 1, 0}, {1, 2, 0}, {0, 0, 7}}}, &values, &v);
    assert_close(values.x, 7.0, 1e-15);
    assert_close(values.y, 3.0, 1e-15);
    assert_close(values.z, 1.0, 1e-15);
}

static void check_svd(Mat3 f) {
    Mat3 u, v;
    Vec3 sigma;
    svd_rotations(f, &u, &sigma, &v);
    check_rotation(u);
    check_rotation(v);
    assert_true(sigma.x >= sigma.y && sigma.y >= fabs(sigma.z));
    double size = norm(f);
    assert_close(distance(compose(u, sigma, v), f), 0.0, 1e-14 * size);

    Mat3 r, s;
    polar_decompose(f, &r, &s);
    check_rotation(r);
    assert_close(distance(mat3_multiply(r, s), f), 0.0, 2e-14 * size);
    assert_close(distance(s, mat3_transpose(s)), 0.0, 0.0);
}

/* Known factors; the values come back to rounding of the largest. */
static void check_svd_values(Draw *draw, Vec3 sigma) {
    Mat3 f = compose(draw_rotation(draw), sigma, draw_rotation(draw));
    check_svd(f);
    Mat3 u, v;
    Vec3 found;
    svd_rotations(f, &u, &found, &v);
    assert_close(found.x, sigma.x, 4e-15 * sigma.x);
    assert_close(found.y, sigma.y, 4e-15 * sigma.x);
    assert_close(found.z, sigma.z, 4e-15 * sigma.x);
}

static void svd_of_random_matrices(void **state) {
    (void)state;
    Draw draw = {.stream = 6};
    for (int i = 0; i < CASES; i++) {
        Mat3 f = {{draw_vector(&draw), draw_vector(&draw), draw_vector(&draw)}};
        check_svd(f);
        Vec3 sigma;
        Mat3 u, v;
        svd_rotations(f, &u, &sigma, &v);
        assert_true((sigma.z < 0.0) == (mat3_determinant(f) < 0.0));
        check_svd_values(&draw, vec3(1, 1e-8, 1e-12));
        check_svd_values(&draw, vec3(1, 1e-8, -1e-12));
        check_svd_values(&draw, vec3(1, 1e-12, 1e-12));
        check_svd_values(&draw, vec3(1, 1, 1e-12));
        check_svd_values(&draw, vec3(1, 1, 1));
        check_svd_values(&draw, vec3(1, 1, -1));
        check_svd_values(&draw, vec3(3, 2, 0));
        check_svd_values(&draw, vec3(3, 0, 0));
        check_svd_values(&draw, vec3(3e200, 2e200, -1e190));
        check_svd_values(&draw, vec3(3e-200, 2e-200, -1e-210));
    }
}

static void svd_of_rank_one_and_two(void **state) {
    (void)state;
    Draw draw = {.stream = 7};
    for (int i = 0; i < CASES; i++) {
        Vec3 a = draw_vector(&draw), b = draw_vector(&draw), c = draw_vector(&draw);
        check_svd(mat3_outer(a, b));
        check_svd(mat3_from_columns(a, b, vec3(0, 0, 0)));
        check_svd(mat3_from_columns(a, vec3_scale(1e-13, a), b));
        check_svd(mat3_from_columns(vec3_scale(1e-300, a), b, vec3_scale(1e-160, c)));
        check_svd((Mat3){{a, a, b}});
        /* Columns graded the hard way round, short ones first. */
        check_svd(mat3_from_columns(vec3_scale(1e-12, a), vec3_scale(1e-6, b), c));
    }
}

static void svd_of_special_matrices(void **state) {
    (void)state;
    check_svd(mat3_diagonal(0, 0, 0));
    check_svd(mat3_identity());
    check_svd(mat3_diagonal(-1, -1, -1));
    check_svd(mat3_diagonal(1, 2, 3));
    check_svd(mat3_diagonal(0, 0, -5));
    check_svd(mat3_diagonal(0, 1e-320, 0));
    check_svd(mat3_diagonal(1e300, 1e-300, -1e-300));
    check_svd((Mat3){{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}});
    check_svd((Mat3){{{0, 1, 0}, {0, 0, 1}, {0, 0, 0}}});
    /* The pair that is not square meets only after the columns have been put in order. */
    check_svd(mat3_from_columns(vec3(0, 0, 2), vec3(1, 0, 0), vec3(3, 3, 0)));
}

static void check_svd_2(double a, double b, double c, double d) {
    Mat3 f = {{{a, b, 0}, {c, d, 0}, {0, 0, 1}}};
    Mat3 u, v;
    Vec3 sigma;
    svd_rotations_2(f, &u, &sigma, &v);
    check_rotation(u);
    check_rotation(v);
    assert_true(u.r[2].z == 1.0 && v.r[2].z == 1.0 && sigma.z == 1.0);
    assert_true(sigma.x >= fabs(sigma.y));
    Mat3 left = {{{a, b, 0}, {c, d, 0}, {0, 0, 0}}};
    sigma.z = 0.0;
    assert_close(distance(compose(u, sigma, v), left), 0.0, 4e-15 * norm(left));
    /* Scaled, so that the products neither overflow nor vanish. */
    double size = fmax(norm(left), 1e-320);
    double determinant = (a / size) * (d / size) - (b / size) * (c / size);
    if (fabs(determinant) > 1e-14) assert_true((sigma.y < 0.0) == (determinant < 0.0));
}

static void svd_in_the_plane(void **state) {
    (void)state;
    Draw draw = {.stream = 10};
    for (int i = 0; i < CASES; i++) {
        Vec3 p = draw_vector(&draw), q = draw_vector(&draw);
        check_svd_2(p.x, p.y, q.x, q.y);
        check_svd_2(p.x, p.y, p.x * q.z, p.y * q.z);                /* singular */
        check_svd_2(p.x, p.y, p.y, -p.x);                           /* a reflection */
        check_svd_2(p.x, -p.y, p.y, p.x);                           /* a rotation */
        check_svd_2(p.x, p.y, p.y + 1e-9 * q.x, -p.x + 1e-9 * q.y); /* nearly a reflection */
        check_svd_2(1e200 * p.x, 1e190 * p.y, 1e200 * q.x, 1e190 * q.y);
        check_svd_2(1e-200 * p.x, 1e-200 * p.y, 1e-210 * q.x, 1e-210 * q.y);
    }
    check_svd_2(0, 0, 0, 0);
    check_svd_2(1, 0, 0, 1);
    check_svd_2(-1, 0, 0, -1);
    check_svd_2(0, 1, 1, 0);
    check_svd_2(0, 0, 0, -5);
    check_svd_2(2, 0, 0, -3);
}

static void polar_recovers_the_factors(void **state) {
    (void)state;
    Draw draw = {.stream = 8};
    for (int i = 0; i < CASES; i++) {
        Vec3 values =
            vec3(draw_uniform(&draw, 2, 3), draw_uniform(&draw, 1, 2), draw_uniform(&draw, 0.5, 1));
        Mat3 rotation = draw_rotation(&draw);
        Mat3 stretch = symmetric_from(draw_rotation(&draw), values);
        Mat3 r, s;
        polar_decompose(mat3_multiply(rotation, stretch), &r, &s);
        assert_close(distance(r, rotation), 0.0, 2e-14);
        assert_close(distance(s, stretch), 0.0, 2e-14);
    }
}

static void inverse_and_determinant(void **state) {
    (void)state;
    Draw draw = {.stream = 9};
    for (int i = 0; i < CASES; i++) {
        Vec3 values = vec3(draw_uniform(&draw, 1, 2), draw_uniform(&draw, -2, -1), 0.5);
        Mat3 a = compose(draw_rotation(&draw), values, draw_rotation(&draw));
        assert_close(mat3_determinant(a), values.x * values.y * values.z, 1e-14);
        assert_close(distance(mat3_multiply(a, mat3_inverse(a)), mat3_identity()), 0.0, 1e-13);
        Vec3 b = draw_vector(&draw), c = draw_vector(&draw);
        assert_close(vec3_dot(c, mat3_apply(a, b)), vec3_dot(mat3_apply_transpose(a, c), b), 1e-13);
        assert_close(vec3_dot(vec3_any_orthogonal(b), b), 0.0, 1e-15 * vec3_length(b));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_and_log_are_inverse),
        cmocka_unit_test(log_of_a_half_turn),
        cmocka_unit_test(rotations_agree),
        cmocka_unit_test(axis_cos_sin_keeps_small_angles),
        cmocka_unit_test(matrix_round_trip),
        cmocka_unit_test(eigen_of_random_matrices),
        cmocka_unit_test(eigenvalues_in_closed_form),
        cmocka_unit_test(eigen_of_special_matrices),
        cmocka_unit_test(svd_of_random_matrices),
        cmocka_unit_test(svd_of_rank_one_and_two),
        cmocka_unit_test(svd_of_special_matrices),
        cmocka_unit_test(svd_in_the_plane),
        cmocka_unit_test(polar_recovers_the_factors),
        cmocka_unit_test(inverse_and_determinant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
