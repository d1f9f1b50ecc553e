/* What the coupled solve keeps: motion as one, momentum, energy that never rises (002 section 5.8),
 * and that fluid and a body which turn together feel no friction. */
#include "coupled_flow_inside.h"

typedef struct Box {
    int dim, n[3];
    SideKind side; /* all of them */
    double mu;
} Box;

/* Two free bodies, the first across a seam of the box. */
static FlowCase *make(PlimContext *context, const Box *box, double density, bool push_at_middle) {
    Grid grid = {.dim = box->dim, .n = {box->n[0], box->n[1], box->n[2]}, .spacing = 0.1};
    for (int a = 0; a < box->dim; a++) grid.sides[a][0] = grid.sides[a][1] = box->side;
    FlowCase *c = flow_case_create(context, &grid, box->mu);
    bool joined = box->side == SIDE_PERIODIC, flat = box->dim == 2;
    c->push_at_middle = push_at_middle;
    flow_case_add(c, vec3(joined ? 0.07 : 0.36, 0.43, flat ? 0.0 : 0.44), 0.23, density);
    flow_case_add(c, vec3(0.83, 0.71, flat ? 0.0 : 0.52), 0.17, 1.7);
    flow_case_build(c);
    return c;
}

/* ---- motion as one ---- */

static void test_translation(void **state) {
    (void)state;
    static const Box boxes[] = {{2, {12, 11, 1}, SIDE_PERIODIC, 0.0},
                                {2, {12, 11, 1}, SIDE_PERIODIC, 40.0},
                                {3, {10, 8, 8}, SIDE_PERIODIC, 0.3}};
    static const double wind[6] = {1.0, -0.5, 0.25, 0, 0, 0};
    PlimContext *context = test_context(1);
    for (size_t round = 0; round < 3; round++) {
        FlowCase *c = make(context, &boxes[round], 5.0, false);
        FLOW_FACES(c, a, i, j, k)
        c->velocity[a][grid_face_index(&c->grid, a, i, j, k)] = wind[a];
        for (size_t b = 0; b < c->body_count; b++)
            memcpy(c->start[b], wind, (size_t)c->grid.dim * sizeof *wind);
        flow_case_load_momenta(c);
        flow_case_solve(c);
        double worst = 0.0, push = 0.0;
        FLOW_FACES(c, a, i, j, k)
        worst = fmax(worst, fabs(c->velocity[a][grid_face_index(&c->grid, a, i, j, k)] - wind[a]));
        for (size_t b = 0; b < c->body_count; b++)
            for (int i = 0; i < 6; i++) {
                worst = fmax(worst, fabs(c->bodies[b].velocity[i] - c->start[b][i]));
                push = fmax(push, fabs(c->bodies[b].impulse[i]));
            }
        print_message("%dD, %g Pa s: velocities change by %.2g, impulses to %.2g N s\n",
                      c->grid.dim, boxes[round].mu, worst, push);
        assert_true(worst < 1e-12 && push < 1e-12);
        flow_case_destroy(c);
    }
    test_context_close(context);
}

/* ---- momentum ---- */

/* Of what moves about: random states have little in all. */
static double momentum_scale(const FlowCase *c) {
    double mass = 0.0;
    FLOW_FACES(c, a, i, j, k) mass += flow_case_mass(c, a, (int[3]){i, j, k});
    return sqrt(2.0 * mass * flow_case_energy(c, true));
}

static void test_linear_momentum(void **state) {
    (void)state;
    static const Box boxes[] = {{2, {12, 11, 1}, SIDE_PERIODIC, 0.0},
                                {2, {12, 11, 1}, SIDE_PERIODIC, 0.02},
                                {2, {12, 11, 1}, SIDE_PERIODIC, 40.0},
                                {3, {10, 8, 8}, SIDE_PERIODIC, 0.3}};
    PlimContext *context = test_context(1);
    for (size_t round = 0; round < 8; round++) {
        FlowCase *c = make(context, &boxes[round / 2], round % 2 ? 1e-3 : 1e3, false);
        double before[6], after[6], worst = 0.0;
        flow_case_random(c, 100 + round);
        flow_case_momentum(c, true, before);
        double scale = momentum_scale(c);
        flow_case_solve(c);
        flow_case_momentum(c, false, after);
        for (int a = 0; a < c->grid.dim; a++) worst = fmax(worst, fabs(after[a] - before[a]));
        print_message("%dD, %g Pa s: momentum changes by %.2g of %.3g kg m/s\n", c->grid.dim, c->mu,
                      worst, scale);
        assert_true(worst < 1e-10 * scale);
        flow_case_destroy(c);
    }
    test_context_close(context);
}

/* Pressure keeps angular momentum where nothing holds the box, if bodies push where the fluid's
 * velocities are: then fluid and bodies can turn as one. Bodies that push by their mean over closed
 * parts of faces, as a disc must that turns in fluid at rest, change it by as much as they differ.
 */
static void test_angular_momentum(void **state) {
    (void)state;
    static const Box boxes[] = {{2, {12, 11, 1}, SIDE_OPEN, 0.0}, {3, {10, 8, 8}, SIDE_OPEN, 0.0}};
    PlimContext *context = test_context(1);
    for (size_t round = 0; round < 8; round++) {
        bool exact = round % 2 == 0;
        FlowCase *c = make(context, &boxes[round / 4], round / 2 % 2 ? 1e-3 : 1e3, exact);
        double before[6], after[6], worst = 0.0;
        flow_case_random(c, 200 + round);
        flow_case_momentum(c, true, before);
        double scale = momentum_scale(c);
        flow_case_solve(c);
        flow_case_momentum(c, false, after);
        for (int a = c->grid.dim == 2 ? 5 : 3; a < 6; a++)
            worst = fmax(worst, fabs(after[a] - before[a]));
        print_message("%dD, %s: angular momentum changes by %.2g of %.3g kg m^2/s\n", c->grid.dim,
                      exact ? "pushed at the middle" : "pushed by the mean", worst, scale);
        assert_true(worst < (exact ? 1e-10 : 2e-2) * scale);
        flow_case_destroy(c);
    }
    test_context_close(context);
}

/* ---- energy ---- */

static void test_energy(void **state) {
    (void)state;
    static const Box boxes[] = {{2, {12, 11, 1}, SIDE_WALL, 0.0},
                                {2, {12, 11, 1}, SIDE_PERIODIC, 0.02},
                                {2, {12, 11, 1}, SIDE_WALL, 40.0},
                                {3, {10, 8, 8}, SIDE_OPEN, 0.3}};
    PlimContext *context = test_context(1);
    for (size_t round = 0; round < 4 * 7; round++) {
        double density = pow(10.0, 3.0 * (double)(round % 7) - 9.0);
        FlowCase *c = make(context, &boxes[round / 7], density, false);
        flow_case_random(c, 300 + round);
        double before = flow_case_energy(c, true);
        FlowResult result = flow_case_solve(c);
        double after = flow_case_energy(c, false);
        print_message("%dD, %g Pa s, %g kg/m^3: %d iterations, %.6g to %.6g J\n", c->grid.dim,
                      c->mu, density, result.iterations, before, after);
        assert_true(after <= before * (1.0 + 1e-12));
        /* What the solve says of itself; before it, bodies go with the faces that they hold. */
        assert_close(result.energy_after, after, 1e-9 * after);
        assert_true(result.energy_after <= result.energy_before * (1.0 + 1e-12));
        flow_case_destroy(c);
    }
    test_context_close(context);
}

/* ---- turning as one ---- */

/* dt K on a rigid rotation of fluid and bodies about a point, over dt mu V / h^2 times the velocity
 * across a cell: largest entry of faces more than a cell from sides, and of motions. */
static void turn_as_one(FlowCase *c, Vec3 about, Vec3 turning, double worst[2]) {
    CoupledFlow *flow = c->flow;
    const Viscosity *v = c->viscosity;
    const Grid *grid = &c->grid;
    size_t size = flow_velocity_size(flow), n = flow->motion_count;
    double *x = calloc(flow_vector_size(flow), 8), *y = calloc(flow_vector_size(flow), 8);
    double *masses = calloc(n * n, 8), *motions = x + size + v->count;
    FLOW_FACES(c, a, i, j, k) {
        Vec3 arm = vec3_sub(grid_face_center(grid, a, i, j, k), about);
        double u[3];
        vec3_store(u, vec3_cross(turning, arm));
        if (flow_case_is_free(c, a, (int[3]){i, j, k}))
            x[(size_t)a * v->count + lattice_index(v, i, j, k)] = u[a];
    }
    for (size_t b = 0; b < c->body_count; b++) {
        const FlowBody *body = &c->bodies[b];
        double velocity[6];
        vec3_store(velocity, vec3_cross(turning, vec3_sub(body->center, about)));
        vec3_store(velocity + 3, turning);
        memcpy(c->structure.velocity.data + 6 * b, velocity, sizeof velocity);
    }
    flow_guess_motions(flow, motions);
    LinearMap map = flow_kkt_map(flow);
    map.apply(map.object, x, y);
    for (size_t b = 0; b < c->body_count; b++) {
        if (flow->blocks.data[b].part == FLOW_NO_PART) continue;
        const FlowPart *part = &flow->parts.data[flow->blocks.data[b].part];
        for (size_t i = 0; i < part->motion_count; i++)
            for (size_t j = 0; j < part->motion_count; j++)
                for (size_t p = 0; p < 6; p++)
                    masses[(part->first + i) * n + part->first + j] +=
                        part->motion[6 * i + p] *
                        operator_dot(c->bodies[b].mass[p], part->motion + 6 * j, 6);
    }
    double scale = v->stiffness * grid->spacing * vec3_length(turning);
    worst[0] = worst[1] = 0.0;
    FLOW_FACES(c, a, i, j, k) {
        int at[3] = {i, j, k};
        bool inside = true;
        for (int b = 0; b < grid->dim; b++)
            inside &= at[b] > 1 && at[b] < grid->n[b] - 1 - (a != b);
        if (!inside || !flow_case_is_free(c, a, at)) continue;
        size_t at_lattice = (size_t)a * v->count + lattice_index(v, i, j, k);
        double part = (double)v->part[a][lattice_index(v, i, j, k)];
        worst[0] = fmax(worst[0], fabs(y[at_lattice] - v->mass * part * x[at_lattice]) / scale);
    }
    for (size_t i = 0; i < n; i++)
        worst[1] =
            fmax(worst[1],
                 fabs(y[size + v->count + i] - operator_dot(masses + i * n, motions, n)) / scale);
    free(x);
    free(y);
    free(masses);
}

static void test_rotation(void **state) {
    (void)state;
    static const Box boxes[] = {{2, {12, 11, 1}, SIDE_OPEN, 2.0},
                                {3, {12, 12, 10}, SIDE_OPEN, 2.0}};
    PlimContext *context = test_context(1);
    for (size_t round = 0; round < 2; round++) {
        FlowCase *c = make(context, &boxes[round], 5.0, false);
        flow_case_random(c, 400);
        flow_case_solve(c);
        flow_case_begin(c);
        static const Vec3 turns[] = {{0, 0, 1}, {1, 0, 0}, {0.3, -0.7, 0.5}};
        for (int t = 0; t < (c->grid.dim == 2 ? 1 : 3); t++) {
            double worst[2];
            turn_as_one(c, vec3(0.5, 0.3, 0.2), turns[t], worst);
            print_message("%dD: friction of faces %.2g, of bodies %.2g\n", c->grid.dim, worst[0],
                          worst[1]);
            /* Single precision of coefficients to 1 / VISCOSITY_THETA_FLOOR; bodies sum many. */
            assert_true(worst[0] < 1e-5 && worst[1] < 1e-4);
        }
        flow_case_end(c);
        flow_case_destroy(c);
    }
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_translation),      cmocka_unit_test(test_linear_momentum),
        cmocka_unit_test(test_angular_momentum), cmocka_unit_test(test_energy),
        cmocka_unit_test(test_rotation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
