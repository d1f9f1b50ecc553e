/* Impulses between two bodies at a point: what they change, and how much of one may act. */
#include "check.h"

#include "base/random.h"
#include "rigid/contact/contacts.h"
#include "rigid/pin.h"

static double uniform(uint64_t stream, uint64_t index, double low, double high) {
    return low + (high - low) * random_uniform(61, stream, index);
}

static Vec3 random_vector(uint64_t stream, uint64_t index, double size) {
    return vec3(uniform(stream, 3 * index, -size, size),
                uniform(stream, 3 * index + 1, -size, size),
                uniform(stream, 3 * index + 2, -size, size));
}

/* A body with mass and inertia of its own, for checks that do not use a SolverBody's inverses. */
typedef struct Body {
    double mass;
    Mat3 inertia;
    SolverBody solver_body;
} Body;

static Body random_body(uint64_t stream, uint64_t index) {
    double mass = pow(10, uniform(stream, index, -2, 2));
    Vec3 side = vec3_add(random_vector(stream + 1, index, 0.9), vec3(1, 1, 1));
    Mat3 own = mat3_diagonal(side.y * side.y + side.z * side.z, side.x * side.x + side.z * side.z,
                             side.x * side.x + side.y * side.y);
    Mat3 turn = quat_to_mat3(quat_exp(random_vector(stream + 2, index, 2)));
    Body body = {.mass = mass};
    body.inertia = mat3_multiply(mat3_multiply(turn, own), mat3_transpose(turn));
    body.inertia = mat3_scale(mass / 12, body.inertia);
    body.solver_body = (SolverBody){.center = random_vector(stream + 3, index, 1),
                                    .inverse_mass = 1 / mass,
                                    .inverse_inertia = mat3_inverse(body.inertia),
                                    .velocity = random_vector(stream + 4, index, 3),
                                    .spin = random_vector(stream + 5, index, 3),
                                    .moves = true};
    return body;
}

static void make_immovable(Body *body) {
    body->solver_body.moves = false;
    body->solver_body.inverse_mass = 0;
    body->solver_body.inverse_inertia = mat3_diagonal(0, 0, 0);
}

static ContactRow random_row(uint64_t index, const Body *a, const Body *b) {
    ContactRow row = {.point = random_vector(91, index, 1),
                      .normal = vec3_normalize(random_vector(92, index, 1))};
    row_prepare(&row, &a->solver_body, &b->solver_body);
    return row;
}

static Vec3 velocity_at(const SolverBody *solver_body, Vec3 point) {
    Vec3 arm = vec3_sub(point, solver_body->center);
    return vec3_add(solver_body->velocity, vec3_cross(solver_body->spin, arm));
}

/* Seen from a point that moves with `frame`. */
static double kinetic_energy(const Body *body, Vec3 frame) {
    Vec3 v = vec3_sub(body->solver_body.velocity, frame), w = body->solver_body.spin;
    return 0.5 * body->mass * vec3_dot(v, v) + 0.5 * vec3_dot(w, mat3_apply(body->inertia, w));
}

/* ---- K ---- */

/* Column by column: a unit impulse at the point, and what the relative velocity becomes. */
static void response_is_what_impulses_do(void **state) {
    (void)state;
    for (uint64_t index = 0; index < 300; index++) {
        Body a = random_body(0, index), b = random_body(10, index);
        if (index % 3 == 1) make_immovable(&a);
        if (index % 3 == 2) make_immovable(&b);
        ContactRow row = random_row(index, &a, &b);
        double size = mat3_trace(row.response);
        for (int axis = 0; axis < 3; axis++) {
            SolverBody after_a = a.solver_body, after_b = b.solver_body;
            Vec3 before = row_velocity(&row, &after_a, &after_b);
            row_apply(&row, &after_a, &after_b, vec3_axis(axis));
            Vec3 after =
                vec3_sub(velocity_at(&after_a, row.point), velocity_at(&after_b, row.point));
            Vec3 change = vec3_sub(after, before), expected = mat3_column(row.response, axis);
            assert_close(vec3_length(vec3_sub(change, expected)), 0, 1e-12 * (size + 10));
            assert_int_equal(after_a.touched, a.solver_body.moves);
            assert_int_equal(after_b.touched, b.solver_body.moves);
            assert_close(vec3_dot(row.normal, mat3_apply(row.response, row.normal)),
                         row.normal_response, 1e-13 * size);
        }
        assert_false(row.singular);
        Mat3 one = mat3_multiply(row.response, row.inverse);
        for (int i = 0; i < 3; i++)
            assert_close(vec3_length(vec3_sub(one.r[i], vec3_axis(i))), 0, 1e-9);
    }
}

/* Momentum and moment of momentum of both bodies together stay. */
static void impulses_keep_momentum(void **state) {
    (void)state;
    for (uint64_t index = 0; index < 100; index++) {
        Body bodies[2] = {random_body(0, index), random_body(10, index)};
        ContactRow row = random_row(index, &bodies[0], &bodies[1]);
        Vec3 linear[2], angular[2];
        for (int when = 0; when < 2; when++) {
            linear[when] = angular[when] = vec3(0, 0, 0);
            for (int k = 0; k < 2; k++) {
                const SolverBody *solver_body = &bodies[k].solver_body;
                Vec3 p = vec3_scale(bodies[k].mass, solver_body->velocity);
                linear[when] = vec3_add(linear[when], p);
                Vec3 spin = mat3_apply(bodies[k].inertia, solver_body->spin);
                angular[when] =
                    vec3_add(angular[when], vec3_add(spin, vec3_cross(solver_body->center, p)));
            }
            row_apply(&row, &bodies[0].solver_body, &bodies[1].solver_body,
                      random_vector(93, index, 5));
        }
        assert_close(vec3_length(vec3_sub(linear[0], linear[1])), 0, 1e-12 * 1e3);
        assert_close(vec3_length(vec3_sub(angular[0], angular[1])), 0, 1e-12 * 1e3);
    }
}

/* The greatest change of velocity across the normal that a unit impulse across it makes. */
static void slide_response_is_the_greatest(void **state) {
    (void)state;
    for (uint64_t index = 0; index < 100; index++) {
        Body a = random_body(0, index), b = random_body(10, index);
        ContactRow row = random_row(index, &a, &b);
        Vec3 s = vec3_any_orthogonal(row.normal), t = vec3_cross(row.normal, s);
        double greatest = 0;
        for (int k = 0; k < 2000; k++) {
            double angle = 3.14159265358979 * k / 2000;
            Vec3 along = vec3_add_scaled(vec3_scale(cos(angle), s), sin(angle), t);
            greatest = fmax(greatest, vec3_dot(along, mat3_apply(row.response, along)));
        }
        assert_close(row.slide_response / greatest, 1, 1e-5);
        assert_true(row.slide_response >= (1 - 1e-12) * greatest);
    }
}

/* A pinned body against what the reaction at the pin makes of a free impulse. */
static void response_of_a_pinned_body(void **state) {
    (void)state;
    for (uint64_t index = 0; index < 100; index++) {
        Body free = random_body(0, index), ground = random_body(10, index);
        make_immovable(&ground);
        Vec3 pin = random_vector(94, index, 1), arm = vec3_sub(pin, free.solver_body.center);
        Body pinned = free;
        pinned.solver_body.center = pin;
        pinned.solver_body.inverse_mass = 0;
        pinned.solver_body.inverse_inertia =
            mat3_inverse(pin_inertia(free.mass, free.inertia, arm));
        ContactRow row = random_row(index, &pinned, &ground);
        assert_true(row.singular); /* no impulse moves the point towards the pin */
        for (int axis = 0; axis < 3; axis++) {
            Vec3 j = vec3_axis(axis), r = vec3_sub(row.point, free.solver_body.center);
            Vec3 velocity = vec3_scale(1 / free.mass, j), momentum = vec3_cross(r, j);
            PinnedBody held = {RIGID_PINNED, free.mass, free.inertia, arm};
            pin_motion(&held, &velocity, &momentum);
            Vec3 spin = mat3_apply(mat3_inverse(free.inertia), momentum);
            Vec3 expected = vec3_add(velocity, vec3_cross(spin, r));
            Vec3 actual = mat3_column(row.response, axis);
            assert_close(vec3_length(vec3_sub(actual, expected)), 0,
                         1e-11 * (1 + vec3_length(expected)));
        }
    }
}

/* ---- clamping ---- */

/* Energy of both; with an immovable one, of the other as seen from where it is touched. */
static double pair_energy(const Body *a, const Body *b, const ContactRow *row) {
    if (!a->solver_body.moves) return kinetic_energy(b, velocity_at(&a->solver_body, row->point));
    if (!b->solver_body.moves) return kinetic_energy(a, velocity_at(&b->solver_body, row->point));
    return kinetic_energy(a, vec3(0, 0, 0)) + kinetic_energy(b, vec3(0, 0, 0));
}

static double energy_with(const Body *a, const Body *b, const ContactRow *row, Vec3 impulse) {
    Body after_a = *a, after_b = *b;
    row_apply(row, &after_a.solver_body, &after_b.solver_body, impulse);
    return pair_energy(&after_a, &after_b, row);
}

static void allowed_impulses_add_no_energy(void **state) {
    (void)state;
    size_t whole = 0, part = 0, none = 0;
    for (uint64_t index = 0; index < 3000; index++) {
        Body a = random_body(0, index), b = random_body(10, index);
        if (index % 3 == 1) make_immovable(&a);
        if (index % 3 == 2) make_immovable(&b);
        ContactRow row = random_row(index, &a, &b);
        Vec3 velocity = row_velocity(&row, &a.solver_body, &b.solver_body);
        /* Around the impulse that stops the point, so that all three cases are met. */
        Vec3 stop = vec3_scale(-1, mat3_apply(row.inverse, velocity));
        Vec3 impulse = vec3_scale(uniform(95, index, -0.5, 3), stop);
        impulse = vec3_add_scaled(impulse, vec3_length(stop), random_vector(96, index, 0.5));
        double allowed = impulse_allowed(&row, velocity, impulse);
        assert_true(allowed >= 0 && allowed <= 1);
        double before = pair_energy(&a, &b, &row), tolerance = 1e-12 * (1 + before);
        double all = energy_with(&a, &b, &row, impulse) - before;
        tolerance += 1e-12 * fabs(all);
        double after = energy_with(&a, &b, &row, vec3_scale(allowed, impulse)) - before;
        assert_true(after <= tolerance);
        assert_close(impulse_energy(&row, velocity, impulse), all, tolerance);
        if (allowed == 1) {
            whole++;
        } else if (allowed > 0) { /* as much as may be: the energy is what it was */
            assert_close(after, 0, tolerance);
            assert_true(all > 0);
            part++;
        } else { /* any part would add */
            assert_true(energy_with(&a, &b, &row, vec3_scale(1e-3, impulse)) - before > -tolerance);
            none++;
        }
    }
    assert_true(whole > 300 && part > 300 && none > 300);
}

/* An impulse that mirrors the velocity keeps the energy and is let through whole. */
static void elastic_impulse_is_whole(void **state) {
    (void)state;
    for (uint64_t index = 0; index < 200; index++) {
        Body a = random_body(0, index), b = random_body(10, index);
        ContactRow row = random_row(index, &a, &b);
        Vec3 velocity = row_velocity(&row, &a.solver_body, &b.solver_body);
        double approach = vec3_dot(velocity, row.normal);
        for (double restitution = 0; restitution <= 1; restitution += 0.5) {
            double size = -(1 + restitution) * approach / row.normal_response;
            Vec3 impulse = vec3_scale(size, row.normal);
            assert_close(impulse_allowed(&row, velocity, impulse), 1, restitution < 1 ? 0 : 1e-14);
        }
    }
    Body a = random_body(0, 1), b = random_body(10, 1);
    ContactRow row = random_row(1, &a, &b);
    assert_close(impulse_allowed(&row, vec3(1, 2, 3), vec3(0, 0, 0)), 1, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(response_is_what_impulses_do),
        cmocka_unit_test(impulses_keep_momentum),
        cmocka_unit_test(slide_response_is_the_greatest),
        cmocka_unit_test(response_of_a_pinned_body),
        cmocka_unit_test(allowed_impulses_add_no_energy),
        cmocka_unit_test(elastic_impulse_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
