/* Rigid bodies one by one: how orientations move, how their energy is kept, how bodies are made. */
#include "ration.h"

#include "base/random.h"
#include "math/decompose.h"
#include "rigid/bodies.h"

#include <string.h>

static const double pi = 3.141592653589793238463;

/* ---- random bodies ---- */

/* A number of its own for every use: `stream` names the use, `index` counts. */
static double uniform(uint64_t stream, uint64_t index, double low, double high) {
    return low + (high - low) * random_uniform(7, stream, index);
}

static double log_uniform(uint64_t stream, uint64_t index, double low, double high) {
    return exp(uniform(stream, index, log(low), log(high)));
}

static Vec3 random_direction(uint64_t stream, uint64_t index) {
    return vec3_normalize(vec3(random_normal(8, stream, 3 * index),
                               random_normal(8, stream, 3 * index + 1),
                               random_normal(8, stream, 3 * index + 2)));
}

static Quat random_orientation(uint64_t stream, uint64_t index) {
    return quat_normalize(
        (Quat){random_normal(9, stream, 4 * index), random_normal(9, stream, 4 * index + 1),
               random_normal(9, stream, 4 * index + 2), random_normal(9, stream, 4 * index + 3)});
}

/* Principal inertias along the axes of `frame`. */
static BodyInertia make_inertia(const double principal[3], Quat frame) {
    Mat3 axes = quat_to_mat3(frame);
    int least = 0, greatest = 0;
    Mat3 inverse = mat3_diagonal(0, 0, 0);
    for (int i = 0; i < 3; i++) {
        if (principal[i] < principal[least]) least = i;
        if (principal[i] > principal[greatest]) greatest = i;
        Vec3 axis = mat3_column(axes, i);
        inverse = mat3_add(inverse, mat3_scale(1.0 / principal[i], mat3_outer(axis, axis)));
    }
    return (BodyInertia){inverse, mat3_column(axes, least), mat3_column(axes, greatest)};
}

static double angle_between(Quat a, Quat b) {
    return vec3_length(quat_log(quat_multiply(quat_conjugate(a), b)));
}

/* ---- the reference: dq/dt = q (0, omega) / 2 by the classical Runge-Kutta method ---- */

typedef struct Top {
    const double *principal; /* along the body axes */
    Vec3 momentum;           /* world axes */
} Top;

static Quat top_rate(const Top *top, Quat q) {
    Vec3 l = mat3_apply_transpose(quat_to_mat3(q), top->momentum);
    Quat omega = {0, l.x / top->principal[0], l.y / top->principal[1], l.z / top->principal[2]};
    Quat rate = quat_multiply(q, omega);
    return (Quat){0.5 * rate.w, 0.5 * rate.x, 0.5 * rate.y, 0.5 * rate.z};
}

static Quat add_scaled(Quat a, double s, Quat b) {
    return (Quat){a.w + s * b.w, a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static Quat top_flow(const Top *top, Quat q, double time, int steps) {
    double h = time / steps;
    for (int i = 0; i < steps; i++) {
        Quat k1 = top_rate(top, q);
        Quat k2 = top_rate(top, add_scaled(q, 0.5 * h, k1));
        Quat k3 = top_rate(top, add_scaled(q, 0.5 * h, k2));
        Quat k4 = top_rate(top, add_scaled(q, h, k3));
        q = add_scaled(add_scaled(q, h / 6, k1), h / 3, k2);
        q = add_scaled(add_scaled(q, h / 3, k3), h / 6, k4);
        q = quat_normalize(q);
    }
    return q;
}

static const double top_inertia[3] = {1, 2, 3};

static Top example_top(Quat orientation) {
    /* Angular velocity (1, 1, 1) in body axes. */
    return (Top){top_inertia, quat_rotate(orientation, vec3(1, 2, 3))};
}

/* ---- advancing ---- */

static double advance_error(int order, int steps) {
    Quat q = random_orientation(1, 0), start = q;
    Top top = example_top(q);
    BodyInertia inertia = make_inertia(top_inertia, quat_identity());
    const double time = 2.0;
    for (int i = 0; i < steps; i++)
        q = orientation_advance(&inertia, q, top.momentum, time / steps, order);
    return angle_between(q, top_flow(&top, start, time, 4000));
}

static void advance_has_its_order(void **state) {
    (void)state;
    static const double greatest[4] = {0, 3e-2, 3e-4, 1e-5};
    for (int order = 1; order <= 3; order++) {
        double coarse = advance_error(order, 200), fine = advance_error(order, 400);
        double measured = log2(coarse / fine);
        if (!(measured > order - 0.1 && measured < order + 0.3 && coarse < greatest[order]))
            fail_msg("order %d: errors %g and %g, measured order %g", order, coarse, fine,
                     measured);
    }
}

/* The rotation vector, in world axes, from q to its place after `time`. */
static Vec3 flow_vector(const Top *top, Quat q, double time) {
    return quat_log(quat_multiply(top_flow(top, q, time, 64), quat_conjugate(q)));
}

static Vec3 advance_vector(const BodyInertia *inertia, Quat q, Vec3 momentum, double dt,
                           int order) {
    Quat after = orientation_advance(inertia, q, momentum, dt, order);
    return quat_log(quat_multiply(after, quat_conjugate(q)));
}

/* u = t u1 + t^2 u2 + t^3 u3 + ..., from the flow at +-t and +-2t. */
static void flow_coefficients(const Top *top, Quat q, double t, Vec3 u[3]) {
    Vec3 odd[2], even[2];
    for (int i = 0; i < 2; i++) {
        double h = (i + 1) * t;
        Vec3 forth = flow_vector(top, q, h), back = flow_vector(top, q, -h);
        odd[i] = vec3_scale(0.5 / h, vec3_sub(forth, back));        /* u1 + h^2 u3 + h^4 u5 */
        even[i] = vec3_scale(0.5 / (h * h), vec3_add(forth, back)); /* u2 + h^2 u4 */
    }
    Vec3 l = quat_rotate_inverse(q, top->momentum);
    u[0] = quat_rotate(
        q, vec3(l.x / top->principal[0], l.y / top->principal[1], l.z / top->principal[2]));
    u[1] = vec3_scale(1.0 / 3.0, vec3_sub(vec3_scale(4, even[0]), even[1]));
    Vec3 near = vec3_scale(1 / (t * t), vec3_sub(odd[0], u[0]));
    Vec3 far = vec3_scale(0.25 / (t * t), vec3_sub(odd[1], u[0]));
    u[2] = vec3_scale(1.0 / 3.0, vec3_sub(vec3_scale(4, near), far));
}

static void advance_has_the_coefficients(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 50; i++) {
        double principal[3];
        for (uint64_t k = 0; k < 3; k++) principal[k] = uniform(2, 3 * i + k, 0.5, 3.0);
        Quat q = random_orientation(2, i);
        Top top = {principal, vec3_scale(1.5, random_direction(2, i))};
        BodyInertia inertia = make_inertia(principal, quat_identity());
        Vec3 expected[3], found[3];
        flow_coefficients(&top, q, 0.02, expected);
        const double dt = 0.01;
        for (int order = 1; order <= 3; order++)
            found[order - 1] = advance_vector(&inertia, q, top.momentum, dt, order);
        Vec3 u2 = vec3_scale(1 / (dt * dt), vec3_sub(found[1], found[0]));
        Vec3 u3 = vec3_scale(1 / (dt * dt * dt), vec3_sub(found[2], found[1]));
        assert_close(vec3_length(vec3_sub(vec3_scale(1 / dt, found[0]), expected[0])), 0, 1e-12);
        assert_close(vec3_length(vec3_sub(u2, expected[1])), 0, 1e-5);
        assert_close(vec3_length(vec3_sub(u3, expected[2])), 0, 1e-4);
    }
}

/* Body axes that are not principal: the same motion, seen from turned axes. */
static void advance_follows_the_body_axes(void **state) {
    (void)state;
    static const double principal[3] = {0.3, 1.1, 2.4};
    for (uint64_t i = 0; i < 100; i++) {
        Quat frame = random_orientation(3, i), q = random_orientation(4, i);
        Vec3 momentum = vec3_scale(2, random_direction(3, i));
        BodyInertia straight = make_inertia(principal, quat_identity());
        BodyInertia turned = make_inertia(principal, frame);
        Quat turned_q = quat_multiply(q, quat_conjugate(frame));
        for (int order = 1; order <= 3; order++) {
            Quat a = orientation_advance(&straight, q, momentum, 0.1, order);
            Quat b = orientation_advance(&turned, turned_q, momentum, 0.1, order);
            assert_close(angle_between(a, quat_multiply(b, frame)), 0, 1e-13);
        }
        Vec3 difference = vec3_sub(orientation_angular_velocity(&straight, q, momentum),
                                   orientation_angular_velocity(&turned, turned_q, momentum));
        assert_close(vec3_length(difference), 0, 1e-13);
        assert_close(orientation_energy(&turned, turned_q, momentum),
                     orientation_energy(&straight, q, momentum), 1e-13);
    }
}

/* ---- keeping the energy ---- */

typedef struct EnergyCase {
    double principal[3];
    BodyInertia inertia;
    Vec3 momentum;
    double least, greatest; /* energies within reach */
} EnergyCase;

static EnergyCase energy_case(const double principal[3], Vec3 momentum) {
    EnergyCase c = {.momentum = momentum, .inertia = make_inertia(principal, quat_identity())};
    memcpy(c.principal, principal, sizeof c.principal);
    double square = 0.5 * vec3_dot(momentum, momentum);
    c.least = square / fmax(principal[0], fmax(principal[1], principal[2]));
    c.greatest = square / fmin(principal[0], fmin(principal[1], principal[2]));
    return c;
}

/* Turns `q` to the energy and checks everything a result must have. Returns the angle turned. */
static double check_energy(const EnergyCase *c, Quat q, double energy, double tolerance) {
    Quat after = orientation_with_energy(&c->inertia, q, c->momentum, energy);
    assert_close(quat_norm(after), 1.0, 1e-15);
    double reached = orientation_energy(&c->inertia, after, c->momentum);
    if (!(fabs(reached - energy) <= tolerance * energy))
        fail_msg(
            "inertia (%g, %g, %g): energy %.17g from %.17g, wanted %.17g, reach %.17g to %.17g",
            c->principal[0], c->principal[1], c->principal[2], reached,
            orientation_energy(&c->inertia, q, c->momentum), energy, c->least, c->greatest);
    return angle_between(q, after);
}

static void random_principal(uint64_t i, double principal[3]) {
    double ratio = log_uniform(10, i, 1.0, 1e6), scale = log_uniform(11, i, 1e-9, 1e9);
    for (uint64_t k = 0; k < 3; k++) principal[k] = scale * log_uniform(12, 3 * i + k, 1, ratio);
    if (i % 5 == 1) principal[1] = principal[0]; /* symmetric tops of both kinds */
    if (i % 5 == 2) principal[2] = principal[1];
}

/* An orientation that is off by an angle from 1e-16 to pi, or any other. */
static Quat disturbed(Quat q, uint64_t i) {
    if (i % 7 == 0) return random_orientation(13, i);
    double angle = log_uniform(14, i, 1e-16, pi);
    return quat_normalize(quat_multiply(quat_exp(vec3_scale(angle, random_direction(14, i))), q));
}

static void energy_is_reached(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 20000; i++) {
        double principal[3];
        random_principal(i, principal);
        Vec3 momentum = vec3_scale(log_uniform(15, i, 1e-6, 1e6), random_direction(15, i));
        EnergyCase c = energy_case(principal, momentum);
        Quat q = random_orientation(16, i);
        check_energy(&c, disturbed(q, i), orientation_energy(&c.inertia, q, momentum), 1e-12);
    }
}

/* Targets anywhere between the least and the greatest energy, close to both too. */
static void energy_is_reached_near_the_ends(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 5000; i++) {
        double principal[3];
        random_principal(i, principal);
        EnergyCase c = energy_case(principal, random_direction(17, i));
        double part = log_uniform(18, i, 1e-17, 0.5);
        if (i % 2) part = 1 - part;
        double energy = c.least + part * (c.greatest - c.least);
        check_energy(&c, random_orientation(18, i), energy, 1e-12);
        check_energy(&c, random_orientation(19, i), c.least, 1e-12);
        check_energy(&c, random_orientation(20, i), c.greatest, 1e-12);
    }
}

/* L along each principal axis: there the energy does not change to first order. */
static void energy_is_reached_from_principal_axes(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 3000; i++) {
        double principal[3];
        random_principal(i, principal);
        double axis[3] = {0};
        axis[i % 3] = i % 2 ? 3.0 : -3.0;
        EnergyCase c = energy_case(principal, vec3_load(axis));
        double energy = c.least + uniform(21, i, 0, 1) * (c.greatest - c.least);
        check_energy(&c, quat_identity(), energy, 1e-12);
        check_energy(&c, quat_identity(), c.least, 1e-12);
        check_energy(&c, quat_identity(), c.greatest, 1e-12);
        Quat nearly =
            quat_exp(vec3_scale(log_uniform(22, i, 1e-16, 1e-3), random_direction(22, i)));
        check_energy(&c, nearly, energy, 1e-12);
        check_energy(&c, nearly, c.least, 1e-12);
        check_energy(&c, nearly, c.greatest, 1e-12);
    }
}

/* Where the body axes are not principal, rounding in the matrix limits what can be asked for. */
static void energy_is_reached_in_any_axes(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 5000; i++) {
        double principal[3];
        random_principal(i, principal);
        EnergyCase c = energy_case(principal, random_direction(23, i));
        c.inertia = make_inertia(principal, random_orientation(23, i));
        Quat q = random_orientation(24, i);
        double energy = orientation_energy(&c.inertia, q, c.momentum);
        check_energy(&c, disturbed(q, i), energy, 1e-12 + 1e-14 * c.greatest / energy);
    }
}

/* Between spinning about one principal axis and the next: the least difference in energy. */
static double least_gap(const EnergyCase *c) {
    const double *p = c->principal;
    double gap = INFINITY, square = 0.5 * vec3_dot(c->momentum, c->momentum);
    for (int i = 0; i < 3; i++) gap = fmin(gap, fabs(1 / p[i] - 1 / p[(i + 1) % 3]) * square);
    return gap;
}

/* A small excess takes a small turn: in proportion where the energy changes to first order, by the
 * square root of it everywhere. */
static void small_excess_turns_little(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 20000; i++) {
        double principal[3];
        for (uint64_t k = 0; k < 3; k++) principal[k] = uniform(25, 3 * i + k, 1, 10);
        EnergyCase c = energy_case(principal, random_direction(26, i));
        Quat q = random_orientation(26, i);
        double current = orientation_energy(&c.inertia, q, c.momentum);
        double excess = log_uniform(27, i, 1e-15, 1e-3) * (i % 2 ? 1 : -1) * current;
        double energy = fmin(fmax(current - excess, c.least), c.greatest);
        double moved = fabs(current - energy) + 1e-15 * current;
        double turn = check_energy(&c, q, energy, 1e-12);
        Vec3 omega = orientation_angular_velocity(&c.inertia, q, c.momentum);
        double slope = vec3_length(vec3_cross(c.momentum, omega));
        assert_true(turn <= 2 * sqrt(moved / least_gap(&c)));
        if (slope * slope > 8 * moved * (c.greatest - c.least))
            assert_true(turn <= 2 * moved / slope);
    }
}

/* A ball has the same energy however it is turned: what rounding leaves must not turn it. */
static void balls_are_not_turned(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 5000; i++) {
        double size = log_uniform(28, i, 1e-6, 1e6);
        double principal[3];
        for (uint64_t k = 0; k < 3; k++)
            principal[k] = size * (1 + uniform(28, 7 + 3 * i + k, -1, 1) * 1e-15 * (double)(i % 4));
        EnergyCase c = energy_case(principal, random_direction(29, i));
        c.inertia = make_inertia(principal, random_orientation(29, i));
        Quat q = random_orientation(30, i);
        double energy = orientation_energy(&c.inertia, disturbed(q, i), c.momentum);
        double turn = check_energy(&c, q, energy, 1e-13);
        if (turn > 1e-6) fail_msg("a ball was turned by %g", turn);
    }
}

static void energy_out_of_reach_does_no_harm(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 5000; i++) {
        double principal[3];
        random_principal(i, principal);
        EnergyCase c = energy_case(principal, random_direction(31, i));
        Quat q = disturbed(quat_identity(), i);
        double before = orientation_energy(&c.inertia, q, c.momentum);
        double factor = 1 + log_uniform(31, i, 1e-15, 1e3);
        double wanted[3] = {c.least / factor, c.greatest * factor, 0.0};
        for (int k = 0; k < 3; k++) {
            Quat after = orientation_with_energy(&c.inertia, q, c.momentum, wanted[k]);
            assert_close(quat_norm(after), 1.0, 1e-15);
            double energy = orientation_energy(&c.inertia, after, c.momentum);
            assert_true(fabs(energy - wanted[k]) <=
                        fabs(before - wanted[k]) + 1e-13 * fmax(before, wanted[k]));
        }
    }
}

static void bodies_at_rest_stay(void **state) {
    (void)state;
    double principal[3] = {1, 2, 3};
    EnergyCase c = energy_case(principal, vec3(0, 0, 0));
    Quat q = random_orientation(32, 0);
    for (int k = 0; k < 3; k++) {
        Quat after = orientation_with_energy(&c.inertia, q, c.momentum, (double)k);
        assert_memory_equal(&after, &q, sizeof q);
        after = orientation_advance(&c.inertia, q, c.momentum, 0.1, k + 1);
        assert_close(angle_between(after, q), 0, 1e-15);
    }
}

/* The hard case of 002 section 2.2: a slender, fast body at the frame rate. */
static void energy_is_kept_over_long_runs(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 20; i++) {
        double principal[3] = {1, uniform(33, i, 1, 100), 100};
        EnergyCase c = energy_case(principal, vec3_scale(4000, random_direction(33, i)));
        Quat q = random_orientation(34, i);
        double energy = orientation_energy(&c.inertia, q, c.momentum);
        for (int step = 0; step < 2000; step++) {
            Quat after = orientation_advance(&c.inertia, q, c.momentum, 1.0 / 24.0, 2);
            q = orientation_with_energy(&c.inertia, after, c.momentum,
                                        orientation_energy(&c.inertia, q, c.momentum));
        }
        assert_close(orientation_energy(&c.inertia, q, c.momentum), energy, 1e-11 * energy);
    }
}

/* ---- making bodies ---- */

typedef struct Fixture {
    PlimContext *context;
    RigidBodies *bodies;
} Fixture;

static Fixture open_bodies(void) {
    Fixture f = {.context = test_context(1)};
    assert_int_equal(rigid_bodies_create(f.context, &f.bodies), PLIM_OK);
    return f;
}

static void close_bodies(Fixture *f) {
    rigid_class.destroy(f->bodies);
    test_context_close(f->context);
}

static PlimRigidDesc body_named(const char *name) {
    PlimRigidDesc desc = plim_rigid_desc_default();
    desc.name = name;
    return desc;
}

static PlimStatus broken_path(void *user, PlimContext *context, double t, PlimPose *pose) {
    (void)t;
    (void)pose;
    return context_fail(context, PLIM_FAILED, "%s", (const char *)user);
}

/* Puts one number into the pose that must not be there. */
static PlimStatus endless_path(void *user, PlimContext *context, double t, PlimPose *pose) {
    (void)context;
    *pose = (PlimPose){.position = {t}, .orientation = {1}};
    ((double *)pose)[*(const size_t *)user] = NAN;
    return PLIM_OK;
}

static PlimStatus zero_path(void *user, PlimContext *context, double t, PlimPose *pose) {
    (void)user;
    (void)context;
    *pose = (PlimPose){.position = {t}};
    return PLIM_OK;
}

/* The body is refused, the message has its name and `part`, and nothing of it stays. */
static void assert_refused(Fixture *f, const PlimRigidDesc *desc, const char *part) {
    size_t count = rigid_count(f->bodies), extras = f->bodies->extras.count, id = 77;
    assert_int_equal(rigid_bodies_add(f->bodies, desc, &id), PLIM_BAD_INPUT);
    const char *message = plim_message(f->context);
    if (!strstr(message, part)) fail_msg("'%s' is not in '%s'", part, message);
    if (desc->name && *desc->name && !strstr(message, desc->name))
        fail_msg("the name '%s' is not in '%s'", desc->name, message);
    assert_int_equal(id, 77);
    assert_int_equal(rigid_count(f->bodies), count);
    assert_int_equal(f->bodies->extras.count, extras);
    assert_int_equal(f->bodies->by_name.count, extras);
    if (desc->name && strcmp(desc->name, "first") != 0)
        assert_true(rigid_bodies_find(f->bodies, desc->name) == INDEX_NONE);
}

static void names_are_required(void **state) {
    (void)state;
    Fixture f = open_bodies();
    size_t id;
    PlimRigidDesc desc = body_named(NULL);
    assert_refused(&f, &desc, "has no name");
    desc = body_named("");
    assert_refused(&f, &desc, "has no name");
    desc = body_named("first");
    assert_int_equal(rigid_bodies_add(f.bodies, &desc, &id), PLIM_OK);
    assert_int_equal(id, 0);
    assert_refused(&f, &desc, "rename one");
    desc = body_named("First");
    assert_int_equal(rigid_bodies_add(f.bodies, &desc, &id), PLIM_OK);
    assert_int_equal(id, 1);
    close_bodies(&f);
}

static void bad_masses_are_refused(void **state) {
    (void)state;
    static const double bad[][5] = {/* mass, density, inertia */
                                    {-1, 1000, 0, 0, 0},
                                    {NAN, 1000, 0, 0, 0},
                                    {INFINITY, 1000, 0, 0, 0},
                                    {0, 0, 0, 0, 0},
                                    {0, -5, 0, 0, 0},
                                    {0, NAN, 0, 0, 0},
                                    {0, INFINITY, 0, 0, 0},
                                    {0, 1e308, 0, 0, 0},
                                    {1, 1000, 1, 1, 0},
                                    {1, 1000, 0, 0, 1},
                                    {1, 1000, -1, 1, 1},
                                    {1, 1000, 1, NAN, 1},
                                    {1, 1000, 1, 1, INFINITY},
                                    {1, 1000, 1e-200, 1e-200, 1e-200},
                                    {1, 1000, 1e200, 1e200, 1e200},
                                    {1e-310, 1000, 0, 0, 0}};
    Fixture f = open_bodies();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        PlimRigidDesc desc = body_named("anvil");
        desc.shape.radius = 10;
        desc.mass = bad[i][0];
        desc.density = bad[i][1];
        memcpy(desc.inertia, bad[i] + 2, sizeof desc.inertia);
        assert_refused(&f, &desc,
                       desc.inertia[0] != 0 || desc.inertia[2] != 0 ? "inertia" : "mass");
    }
    close_bodies(&f);
}

static void bad_poses_are_refused(void **state) {
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    Fixture f = open_bodies();
    for (size_t i = 0; i < sizeof(PlimPose) / sizeof(double); i++)
        for (size_t k = 0; k < 3; k++) {
            PlimRigidDesc desc = body_named("wreck");
            ((double *)&desc.pose)[i] = bad[k];
            assert_refused(&f, &desc, "finite");
        }
    PlimRigidDesc desc = body_named("flat");
    memset(desc.pose.orientation, 0, sizeof desc.pose.orientation);
    assert_refused(&f, &desc, "quaternion");
    desc.pose.orientation[2] = 1e200; /* its square is infinite */
    assert_refused(&f, &desc, "quaternion");
    close_bodies(&f);
}

static void bad_motions_are_refused(void **state) {
    (void)state;
    Fixture f = open_bodies();
    PlimRigidDesc desc = body_named("piston");
    desc.motion = PLIM_KINEMATIC;
    assert_refused(&f, &desc, "no motion path");
    desc.motion = (PlimMotion)7;
    assert_refused(&f, &desc, "motion");
    desc.motion = PLIM_KINEMATIC;
    desc.motion_path = zero_path;
    assert_refused(&f, &desc, "quaternion");
    desc.motion_path = endless_path;
    for (size_t k = 0; k < sizeof(PlimPose) / sizeof(double); k++) {
        desc.motion_user = &k;
        assert_refused(&f, &desc, "finite");
    }
    char reason[] = "the rod broke";
    desc.motion_path = broken_path;
    desc.motion_user = reason;
    size_t id;
    assert_int_equal(rigid_bodies_add(f.bodies, &desc, &id), PLIM_FAILED);
    assert_non_null(strstr(plim_message(f.context), "'piston'"));
    assert_non_null(strstr(plim_message(f.context), reason));
    assert_int_equal(rigid_count(f.bodies), 0);
    close_bodies(&f);
}

static void bad_shapes_are_refused(void **state) {
    (void)state;
    Fixture f = open_bodies();
    for (int kind = PLIM_SHAPE_BOX; kind <= PLIM_SHAPE_MESH + 1; kind++) {
        PlimRigidDesc desc = body_named("blob");
        desc.shape = shape_desc_default((PlimShapeKind)kind);
        desc.shape.size[1] = desc.shape.radius = -1;
        assert_refused(&f, &desc, "blob");
        desc.shape.size[1] = desc.shape.radius = NAN;
        assert_refused(&f, &desc, "blob");
    }
    assert_int_equal(f.bodies->shapes.shapes.count, 0);
    close_bodies(&f);
}

static void equal_shapes_are_shared(void **state) {
    (void)state;
    Fixture f = open_bodies();
    size_t id;
    for (int i = 0; i < 60; i++) {
        char name[32];
        snprintf(name, sizeof name, "body%d", i);
        PlimRigidDesc desc = body_named(name);
        desc.shape = shape_desc_default((PlimShapeKind)(i % 5));
        desc.shape.radius = i % 2 ? 0.5 : 0.75; /* a box has no radius, but a description has */
        desc.density = 10 + i;
        assert_int_equal(rigid_bodies_add(f.bodies, &desc, &id), PLIM_OK);
        assert_int_equal(f.bodies->shape[id], f.bodies->shape[i % 10]);
        double volume = f.bodies->shapes.shapes.data[f.bodies->shape[id]].mass.volume;
        assert_close(f.bodies->mass[id], (10 + i) * volume, 1e-9);
    }
    assert_int_equal(f.bodies->shapes.shapes.count, 10);
    close_bodies(&f);
}

/* Mass, inertia and angular momentum of a box, by hand. */
static void boxes_have_the_right_inertia(void **state) {
    (void)state;
    Fixture f = open_bodies();
    size_t id;
    PlimRigidDesc desc = body_named("brick");
    desc.shape = shape_desc_default(PLIM_SHAPE_BOX);
    desc.shape.size[0] = 1, desc.shape.size[1] = 2, desc.shape.size[2] = 4;
    desc.density = 3;
    desc.pose.angular_velocity[0] = 5;
    desc.pose.orientation[0] = 2 * cos(pi / 8), desc.pose.orientation[3] = 2 * sin(pi / 8);
    assert_int_equal(rigid_bodies_add(f.bodies, &desc, &id), PLIM_OK);
    assert_close(f.bodies->mass[0], 24, 1e-12);
    /* m (b^2 + c^2) / 12 about each axis */
    assert_close(f.bodies->inertia[0], 40, 1e-12);
    assert_close(f.bodies->inertia[4], 34, 1e-12);
    assert_close(f.bodies->inertia[8], 10, 1e-12);
    assert_close(fabs(f.bodies->greatest_axis[0]), 1, 1e-12);
    assert_close(fabs(f.bodies->least_axis[2]), 1, 1e-12);
    /* Turned by 45 degrees about z: L = R I0 R^T (5, 0, 0) */
    assert_close(f.bodies->angular_momentum[0], 5 * 37, 1e-11);
    assert_close(f.bodies->angular_momentum[1], 5 * 3, 1e-11);
    assert_close(f.bodies->angular_momentum[2], 0, 1e-11);
    assert_close(rigid_kinetic_energy(f.bodies, 0), 0.5 * 5 * 5 * 37, 1e-10);
    assert_close(f.bodies->orientation[3], sin(pi / 8), 1e-15);
    close_bodies(&f);
}

static void count_warnings(void *user, PlimLogLevel level, const char *line) {
    if (level == PLIM_LOG_WARNING && strstr(line, "'dumbbell'")) ++*(int *)user;
}

static void impossible_inertia_is_warned_of(void **state) {
    (void)state;
    Fixture f = open_bodies();
    int warnings = 0;
    f.context->log = count_warnings;
    f.context->log_user = &warnings;
    PlimRigidDesc desc = body_named("dumbbell");
    desc.mass = 1;
    desc.inertia[0] = 1, desc.inertia[1] = 1, desc.inertia[2] = 3;
    size_t id;
    assert_int_equal(rigid_bodies_add(f.bodies, &desc, &id), PLIM_OK);
    assert_int_equal(warnings, 1);
    assert_close(f.bodies->inverse_inertia[8], 1.0 / 3.0, 1e-15);
    close_bodies(&f);
}

static void orders_are_checked(void **state) {
    (void)state;
    Fixture f = open_bodies();
    for (int order = -1; order <= 5; order++) {
        PlimRigidOptions options = {.orientation_order = order};
        bool good = order >= 1 && order <= 3;
        assert_int_equal(rigid_bodies_configure(f.bodies, &options),
                         good ? PLIM_OK : PLIM_BAD_INPUT);
    }
    assert_int_equal(f.bodies->options.orientation_order, 3);
    close_bodies(&f);
}

/* ---- memory that runs out ---- */

/* Adds the bodies; when one cannot be had, checks that it left no trace and tries again. Returns
 * how many had to be tried again. */
static int add_with_refusals(PlimContext *context, RigidBodies *bodies) {
    int refusals = 0;
    for (size_t i = 0; i < 30; i++) {
        char name[32];
        snprintf(name, sizeof name, "body%zu", i);
        PlimRigidDesc desc = body_named(name);
        desc.shape = shape_desc_default((PlimShapeKind)(i % 5));
        desc.shape.subdivisions = 0;
        desc.shape.radius = 1.0 + (double)(i / 10);
        size_t id = 77;
        PlimStatus status = rigid_bodies_add(bodies, &desc, &id);
        if (status != PLIM_OK) {
            assert_int_equal(status, PLIM_OUT_OF_MEMORY);
            assert_non_null(strstr(plim_message(context), "memory"));
            assert_int_equal(id, 77);
            assert_int_equal(rigid_count(bodies), i);
            assert_true(rigid_bodies_find(bodies, name) == INDEX_NONE);
            refusals++;
            ration_set(context, LONG_MAX);
            assert_int_equal(rigid_bodies_add(bodies, &desc, &id), PLIM_OK);
        }
        assert_int_equal(id, i);
        assert_int_equal(bodies->extras.count, i + 1);
        assert_int_equal(rigid_bodies_find(bodies, name), i);
    }
    assert_int_equal(bodies->shapes.shapes.count, 15);
    return refusals;
}

static PlimStatus fill_bodies(PlimContext *context, void *user) {
    (void)user;
    RigidBodies *bodies;
    long granted = ration_set(context, 1);
    assert_int_equal(rigid_bodies_create(context, &bodies), PLIM_OK);
    ration_set(context, granted);
    int refusals = add_with_refusals(context, bodies);
    rigid_class.destroy(bodies);
    return refusals > 0 ? PLIM_OUT_OF_MEMORY : PLIM_OK;
}

static void refused_memory_leaves_no_trace(void **state) {
    (void)state;
    starve(&(Starved){.use = fill_bodies, .least = 100, .most = 10000});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(advance_has_its_order),
        cmocka_unit_test(advance_has_the_coefficients),
        cmocka_unit_test(advance_follows_the_body_axes),
        cmocka_unit_test(energy_is_reached),
        cmocka_unit_test(energy_is_reached_near_the_ends),
        cmocka_unit_test(energy_is_reached_from_principal_axes),
        cmocka_unit_test(energy_is_reached_in_any_axes),
        cmocka_unit_test(small_excess_turns_little),
        cmocka_unit_test(balls_are_not_turned),
        cmocka_unit_test(energy_out_of_reach_does_no_harm),
        cmocka_unit_test(bodies_at_rest_stay),
        cmocka_unit_test(energy_is_kept_over_long_runs),
        cmocka_unit_test(names_are_required),
        cmocka_unit_test(bad_masses_are_refused),
        cmocka_unit_test(bad_poses_are_refused),
        cmocka_unit_test(bad_motions_are_refused),
        cmocka_unit_test(bad_shapes_are_refused),
        cmocka_unit_test(equal_shapes_are_shared),
        cmocka_unit_test(boxes_have_the_right_inertia),
        cmocka_unit_test(impossible_inertia_is_warned_of),
        cmocka_unit_test(orders_are_checked),
        cmocka_unit_test(refused_memory_leaves_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
