/* Viscous flows with known answers. Steady ones are reached in one step of very long dt, which also
 * shows that the length of the step does not matter; a force f enters as u* = f dt / density. */
#include "viscosity_case.h"

#define PI 3.14159265358979323846

static const double forever = 1e12; /* s, beside L^2 / nu of order 1 */

/* Order of errors that belong to spacings halved from one to the next. */
static double fitted_order(const double *error, int count) {
    return log2(error[0] / error[count - 1]) / (count - 1);
}

static double none(const void *user, int component, Vec3 x) {
    (void)user, (void)component, (void)x;
    return 0.0;
}

static double component_of(Vec3 u, int component) {
    return component == 0 ? u.x : component == 1 ? u.y : u.z;
}

/* ---- Couette ---- */

/* Walls across axis `across` at low and high, sliding along axis `along`; between them
 * u = speed[0] + slope (x - low + slip[0]) with the slip lengths of the two walls. */
typedef struct Couette {
    int along, across;
    double low, high, slip[2], speed[2];
} Couette;

static double couette_wall(const void *user, int wall, int component, Vec3 x) {
    const Couette *flow = user;
    double at = component_of(x, flow->across);
    bool upper = wall == VISCOSITY_OBSTACLE ? at > 0.5 * (flow->low + flow->high) : wall % 2 == 1;
    return component == flow->along ? flow->speed[upper] : 0.0;
}

static double couette(const void *user, int component, Vec3 x) {
    const Couette *flow = user;
    if (component != flow->along) return 0.0;
    double slope = (flow->speed[1] - flow->speed[0]) /
                   (flow->high - flow->low + flow->slip[0] + flow->slip[1]);
    return flow->speed[0] + slope * (component_of(x, flow->across) - flow->low + flow->slip[0]);
}

static double couette_distance(const void *user, Vec3 x) {
    const Couette *flow = user;
    double at = component_of(x, flow->across);
    return fmin(at - flow->low, flow->high - at);
}

static double couette_error(PlimContext *context, int dim, const Couette *flow, bool obstacles) {
    ViscosityCase *c = visc_create(dim, 8, 8, 8, 0.125);
    for (int a = 0; a < dim; a++)
        if (a != flow->across) visc_sides(c, a, SIDE_PERIODIC, SIDE_PERIODIC);
    c->problem.wall_velocity = couette_wall;
    c->problem.user = flow;
    c->problem.slip = flow->slip[0];
    c->problem.side_slip[flow->across][0] = flow->slip[0];
    c->problem.side_slip[flow->across][1] = flow->slip[1];
    if (obstacles) visc_set_distance(c, couette_distance, flow);
    SolveResult result = visc_solve(context, c, forever, 1e-14);
    assert_true(result.reason == SOLVE_CONVERGED || result.reason == SOLVE_STAGNATED);
    double error = visc_error(c, couette, flow);
    visc_destroy(c);
    return error;
}

/* Exact for slips whose coefficients are whole in single precision, near it for others. */
static void test_couette(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    const double slips[3][2] = {{0.0, 0.0}, {0.0625, 0.1875}, {0.05, 0.31}};
    for (int dim = 2; dim <= 3; dim++)
        for (int along = 0; along < dim; along++)
            for (int across = 0; across < dim; across++)
                for (int s = 0; s < 3 && along != across; s++) {
                    Couette flow = {along, across, 0.0, 1.0, {slips[s][0], slips[s][1]}, {-0.4, 1}};
                    double error = couette_error(context, dim, &flow, false);
                    assert_close(error, 0.0, s < 2 ? 1e-10 : 1e-7);
                    Couette cut = {along, across, 0.137, 0.922, {slips[s][0], slips[s][0]}, {0, 1}};
                    assert_close(couette_error(context, dim, &cut, true), 0.0, 1e-7);
                }
    test_context_close(context);
}

/* ---- Poiseuille ---- */

/* A channel of width `width` whose middle goes through `middle` in direction `angle`; force / mu
 * = 1 along it. */
typedef struct Channel {
    Vec3 middle;
    double width, angle;
} Channel;

static double channel_offset(const Channel *channel, Vec3 x) {
    return (x.y - channel->middle.y) * cos(channel->angle) -
           (x.x - channel->middle.x) * sin(channel->angle);
}

static double channel_distance(const void *user, Vec3 x) {
    const Channel *channel = user;
    return 0.5 * channel->width - fabs(channel_offset(channel, x));
}

static double channel_flow(const void *user, int component, Vec3 x) {
    const Channel *channel = user;
    double s = channel_offset(channel, x), half = 0.5 * channel->width;
    double speed = fabs(s) < half ? 0.5 * (half * half - s * s) : 0.0;
    return speed * (component == 0 ? cos(channel->angle) : sin(channel->angle));
}

/* Flow through inflow sides, at rest on all other walls. */
static double channel_wall(const void *user, int wall, int component, Vec3 x) {
    return wall == VISCOSITY_OBSTACLE ? 0.0 : channel_flow(user, component, x);
}

static double channel_error(PlimContext *context, int n, const Channel *channel, bool obstacles,
                            bool turned) {
    ViscosityCase *c = visc_create(2, n, n, 1, 1.0 / n);
    SideKind ends = turned ? SIDE_INFLOW : SIDE_PERIODIC;
    visc_sides(c, 0, ends, ends);
    if (turned) visc_sides(c, 1, ends, ends);
    c->problem.wall_velocity = channel_wall;
    c->problem.user = channel;
    if (obstacles) visc_set_distance(c, channel_distance, channel);
    visc_set_velocity(c, channel_flow, channel);
    VISC_FACES(c, a, i, j, k)
    if (visc_is_free(c, a, i, j, k))
        *visc_at(c, c->velocity, a, i, j, k) =
            forever * (a == 0 ? cos(channel->angle) : sin(channel->angle));
    visc_solve(context, c, forever, 1e-13);
    double error = visc_error(c, channel_flow, channel);
    visc_destroy(c);
    return error;
}

static void test_poiseuille(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    double sides[3], cut[3], turned[3];
    for (int level = 0; level < 3; level++) {
        int n = 16 << level;
        Channel whole = {{0, 0.5, 0}, 1.0, 0.0};
        Channel shifted = {{0, 0.5, 0}, 1.0 - (2 * 2 + 2 * 0.37) / n, 0.0};
        Channel slanted = {{0.47, 0.52, 0}, 0.55, PI / 6.0};
        sides[level] = channel_error(context, n, &whole, false, false);
        cut[level] = channel_error(context, n, &shifted, true, false);
        turned[level] = channel_error(context, n, &slanted, true, true);
    }
    assert_close(fitted_order(sides, 3), 2.0, 0.1);
    assert_close(fitted_order(cut, 3), 2.0, 0.1);
    assert_true(fitted_order(turned, 3) > 0.9); /* 5.1e-4, 2.7e-4, 1.2e-4 of 0.038 */
    test_context_close(context);
}

/* ---- manufactured ---- */

typedef struct Made {
    int dim;
    bool constant;
} Made;

static double made_mu(const Made *made, Vec3 x) {
    if (made->constant) return 1.0;
    return 1.0 + 0.6 * sin(3.0 * x.x + 0.4) * cos(4.0 * x.y) + 0.2 * sin(5.0 * x.z);
}

/* Curl of (0, 0, phi) in two dimensions, of (phi, phi, phi) in three, where phi is the product of
 * sin(pi x)^2 over the axes: no divergence, zero on the walls of the unit box. */
static double made_flow(const void *user, int component, Vec3 x) {
    const Made *made = user;
    const double at[3] = {x.x, x.y, x.z};
    double phi[3], slope[3] = {0}, product[3];
    for (int a = 0; a < made->dim; a++) {
        double sine = sin(PI * at[a]), cosine = cos(PI * at[a]);
        phi[a] = sine * sine;
        slope[a] = 2.0 * PI * sine * cosine;
    }
    for (int b = 0; b < made->dim; b++) {
        product[b] = slope[b];
        for (int a = 0; a < made->dim; a++) product[b] *= a == b ? 1.0 : phi[a];
    }
    if (made->dim == 2) return component == 0 ? product[1] : -product[0];
    return product[(component + 1) % 3] - product[(component + 2) % 3];
}

static Vec3 moved(Vec3 x, int axis, double by) {
    double at[3] = {x.x, x.y, x.z};
    at[axis] += by;
    return vec3(at[0], at[1], at[2]);
}

/* Central differences of sixth order with this step: error about 1e-8 here. */
static const double difference_step = 0.01;
static const double difference_weight[3] = {45.0 / 60.0, -9.0 / 60.0, 1.0 / 60.0};

static double made_slope(const Made *made, int component, int axis, Vec3 x) {
    double sum = 0.0;
    for (int s = 1; s <= 3; s++)
        sum += difference_weight[s - 1] *
               (made_flow(made, component, moved(x, axis, s * difference_step)) -
                made_flow(made, component, moved(x, axis, -s * difference_step)));
    return sum / difference_step;
}

static double made_stress(const Made *made, int a, int b, Vec3 x) {
    return made_mu(made, x) * (made_slope(made, a, b, x) + made_slope(made, b, a, x));
}

/* div mu (grad u + grad u^T), one component. */
static double made_force(const Made *made, int component, Vec3 x) {
    double sum = 0.0;
    for (int b = 0; b < made->dim; b++)
        for (int s = 1; s <= 3; s++)
            sum += difference_weight[s - 1] *
                   (made_stress(made, component, b, moved(x, b, s * difference_step)) -
                    made_stress(made, component, b, moved(x, b, -s * difference_step)));
    return sum / difference_step;
}

static double made_error(PlimContext *context, const Made *made, int n) {
    const double dt = 0.3;
    ViscosityCase *c = visc_create(made->dim, n, n, n, 1.0 / n);
    for (int k = 0; k < c->grid.n[2]; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                c->mu[grid_cell_index(&c->grid, i, j, k)] =
                    made_mu(made, grid_cell_center(&c->grid, i, j, k));
    if (!made->constant) c->problem.mu_of_cell = c->mu;
    VISC_FACES(c, a, i, j, k) {
        Vec3 x = grid_face_center(&c->grid, a, i, j, k);
        *visc_at(c, c->velocity, a, i, j, k) =
            visc_is_free(c, a, i, j, k) ? made_flow(made, a, x) - dt * made_force(made, a, x) : 0.0;
    }
    SolveResult result = visc_solve(context, c, dt, 1e-10);
    assert_int_equal(result.reason, SOLVE_CONVERGED);
    double error = visc_error(c, made_flow, made);
    visc_destroy(c);
    return error;
}

static void test_manufactured(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    for (int dim = 2; dim <= 3; dim++)
        for (int constant = 0; constant < 4 - dim; constant++) {
            Made made = {dim, constant};
            double error[3];
            for (int level = 0; level < 3; level++)
                error[level] = made_error(context, &made, (dim == 2 ? 16 : 8) << level);
            assert_true(fitted_order(error + 1, 2) > 1.8);
        }
    test_context_close(context);
}

/* ---- decay ---- */

static double vortices(const void *user, int component, Vec3 x) {
    const int *axes = user; /* the plane of the vortices */
    double p = component_of(x, axes[0]), q = component_of(x, axes[1]), k = 2.0 * PI;
    if (component == axes[0]) return sin(k * p) * cos(k * q);
    return component == axes[1] ? -cos(k * p) * sin(k * q) : 0.0;
}

/* Discretely divergence-free, so that full stress is the Laplacian: each step divides by
 * 1 + dt nu (8 / h^2) sin(k h / 2)^2. */
static void test_taylor_green(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    const int planes[4][3] = {{2, 0, 1}, {3, 0, 1}, {3, 1, 2}, {3, 0, 2}};
    for (int p = 0; p < 4; p++)
        for (int s = 0; s < 3; s++) {
            int n = 12, dim = planes[p][0];
            double h = 1.0 / n, dt = pow(10.0, s - 3), sine = sin(PI * h);
            ViscosityCase *c = visc_create(dim, n, n, n, h);
            for (int a = 0; a < dim; a++) visc_sides(c, a, SIDE_PERIODIC, SIDE_PERIODIC);
            c->problem.density = 2.5;
            c->problem.mu = 0.8;
            double factor = 1.0 / (1.0 + dt * 0.8 / 2.5 * 8.0 / (h * h) * sine * sine);
            visc_set_velocity(c, vortices, planes[p] + 1);
            visc_join(c, c->velocity);
            visc_solve(context, c, dt, 1e-14);
            VISC_FACES(c, a, i, j, k) {
                Vec3 x = grid_face_center(&c->grid, a, i, j, k);
                double exact = factor * vortices(planes[p] + 1, a, x);
                assert_close(*visc_at(c, c->velocity, a, i, j, k), exact, 1e-12);
            }
            visc_destroy(c);
        }
    test_context_close(context);
}

/* ---- open and inflow sides ---- */

static double stream(const void *user, int component, Vec3 x) {
    (void)x;
    return component == *(const int *)user ? 1.3 : 0.0;
}

static double stream_wall(const void *user, int wall, int component, Vec3 x) {
    (void)wall;
    return stream(user, component, x);
}

/* Uniform flow through open sides, and from an inflow side to an open one, stays what it is. */
static void test_open_sides(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    for (int dim = 2; dim <= 3; dim++)
        for (int along = 0; along < dim; along++)
            for (int low = 0; low < 2; low++) {
                ViscosityCase *c = visc_create(dim, 6, 5, 4, 0.2);
                visc_sides(c, along, low ? SIDE_INFLOW : SIDE_OPEN, SIDE_OPEN);
                visc_random_mu(c, 8);
                c->problem.wall_velocity = stream_wall;
                c->problem.user = &along;
                visc_set_velocity(c, stream, &along);
                visc_solve(context, c, 0.1, 1e-13);
                assert_close(visc_error(c, stream, &along), 0.0, 1e-12);
                visc_destroy(c);
            }
    test_context_close(context);
}

/* ---- turning walls ---- */

static const Vec3 axle = {0.51, 0.48, 0.53};

/* Rigid rotation around a slanted axis in three dimensions. */
static double turning(const void *user, int component, Vec3 x) {
    Vec3 spin = *(const int *)user == 3 ? vec3(0.6, -0.8, 1.1) : vec3(0, 0, 1.1);
    return component_of(vec3_cross(spin, vec3_sub(x, axle)), component);
}

static double turning_wall(const void *user, int wall, int component, Vec3 x) {
    (void)wall;
    return turning(user, component, x);
}

static double drum_distance(const void *user, Vec3 x) {
    Vec3 away = vec3_sub(x, axle);
    if (*(const int *)user == 2) away.z = 0.0;
    return 0.4 - vec3_length(away);
}

static void largest_force(void *user, int wall, int component, Vec3 x, double force) {
    (void)wall, (void)component, (void)x;
    double *largest = user;
    *largest = fmax(*largest, fabs(force));
}

/* Fluid that turns with its drum feels nothing, whatever the slip length. */
static void test_drum(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    const double slips[3] = {0.0, 0.03, HUGE_VAL};
    for (int dim = 2; dim <= 3; dim++)
        for (int s = 0; s < 3; s++) {
            ViscosityCase *c = visc_create(dim, 12, 12, 12, 1.0 / 12);
            Viscosity *viscosity;
            SolveResult result;
            KrylovOptions options = krylov_options_default(1);
            double largest = 0.0;
            c->problem.slip = slips[s];
            c->problem.wall_velocity = turning_wall;
            c->problem.user = &dim;
            visc_set_velocity(c, turning, &dim);
            visc_set_distance(c, drum_distance, &dim);
            assert_int_equal(viscosity_create(context, &c->grid, &viscosity), PLIM_OK);
            assert_int_equal(viscosity_setup(viscosity, &c->problem, 1), PLIM_OK);
            options.relative = 1e-12;
            assert_int_equal(
                viscosity_solve(viscosity, &c->problem, 10.0, &options, c->velocity, &result),
                PLIM_OK);
            assert_close(visc_error(c, turning, &dim), 0.0, 1e-7);
            viscosity_reactions(viscosity, &c->problem, c->velocity, largest_force, &largest);
            assert_close(largest, 0.0, 1e-7 * (dim == 2 ? 1.0 : c->grid.spacing));
            viscosity_destroy(viscosity);
            visc_destroy(c);
        }
    test_context_close(context);
}

/* Flow between a turning cylinder and one at rest: u = A r + B / r around the axle; the torque on
 * the inner one is -4 pi mu B a metre. */
enum { INNER = 15, OUTER = 40 }; /* hundredths of a metre */

static double ring_speed(double r) {
    double in = INNER / 100.0, out = OUTER / 100.0;
    double b = in * in * out * out / (out * out - in * in);
    return r <= in ? r : r >= out ? 0.0 : b / r - b / (out * out) * r;
}

static double ring_flow(const void *user, int component, Vec3 x) {
    (void)user;
    double dx = x.x - axle.x, dy = x.y - axle.y, r = fmax(1e-9, hypot(dx, dy));
    return ring_speed(r) / r * (component == 0 ? -dy : dx);
}

static double ring_wall(const void *user, int wall, int component, Vec3 x) {
    (void)user, (void)wall;
    double dx = x.x - axle.x, dy = x.y - axle.y;
    bool inner = hypot(dx, dy) < 0.5 * (INNER + OUTER) / 100.0;
    return inner ? (component == 0 ? -dy : dx) : 0.0;
}

static double ring_distance(const void *user, Vec3 x) {
    (void)user;
    double r = hypot(x.x - axle.x, x.y - axle.y);
    return fmin(r - INNER / 100.0, OUTER / 100.0 - r);
}

static void add_torque(void *user, int wall, int component, Vec3 x, double force) {
    (void)wall;
    double dx = x.x - axle.x, dy = x.y - axle.y, *torque = user;
    bool outer = hypot(dx, dy) > 0.5 * (INNER + OUTER) / 100.0;
    torque[outer] += component == 0 ? -dy * force : dx * force;
}

static double ring_error(PlimContext *context, int n, double torque[2]) {
    ViscosityCase *c = visc_create(2, n, n, 1, 1.0 / n);
    Viscosity *viscosity;
    SolveResult result;
    KrylovOptions options = {.relative = 1e-10, .max_iterations = 20000, .threads = 2};
    torque[0] = torque[1] = 0.0;
    c->problem.wall_velocity = ring_wall;
    visc_set_distance(c, ring_distance, NULL);
    visc_set_velocity(c, none, NULL);
    assert_int_equal(viscosity_create(context, &c->grid, &viscosity), PLIM_OK);
    assert_int_equal(viscosity_setup(viscosity, &c->problem, 2), PLIM_OK);
    assert_int_equal(
        viscosity_solve(viscosity, &c->problem, forever, &options, c->velocity, &result), PLIM_OK);
    assert_int_equal(result.reason, SOLVE_CONVERGED);
    viscosity_reactions(viscosity, &c->problem, c->velocity, add_torque, torque);
    double error = visc_error(c, ring_flow, NULL);
    viscosity_destroy(viscosity);
    visc_destroy(c);
    return error;
}

static void test_ring(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    double error[3], torque[2], in = INNER / 100.0, out = OUTER / 100.0;
    double exact = 4.0 * PI * in * in * out * out / (out * out - in * in);
    for (int level = 0; level < 3; level++) {
        error[level] = ring_error(context, 32 << level, torque);
    }
    assert_true(error[2] < 0.65 * error[1] && error[1] < 0.65 * error[0]); /* 1.6e-3 at first */
    assert_close(torque[0], -exact, 3e-3 * exact);
    assert_close(torque[1], exact, 3e-3 * exact);
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_couette),      cmocka_unit_test(test_poiseuille),
        cmocka_unit_test(test_manufactured), cmocka_unit_test(test_taylor_green),
        cmocka_unit_test(test_open_sides),   cmocka_unit_test(test_drum),
        cmocka_unit_test(test_ring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
