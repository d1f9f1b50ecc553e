/* How well the level set with its particles keeps shapes in given flows: a slotted disc that turns
 * (Zalesak 1979), and a sphere drawn out by a vortex and brought back (LeVeque 1996; Enright,
 * Fedkiw, Ferziger, Mitchell 2002). */
#include "particle_case.h"

#include "grid/interpolate.h"
#include "grid/redistance.h"

static const double pi = 3.14159265358979323846;

/* Cells to which the level set is a distance; particles need one more than their band. */
static const double distance_band = 5.0;

/* ---- measures ---- */

typedef double (*CellMeasure)(const GridField *phi, const GridField *other, Vec3 x);

/* Of a sample's surroundings the part in which phi is negative, if its surface is flat there. */
static double part_inside(double phi, double width) {
    double cut = 0.5 - phi / width;
    return cut < 0 ? 0.0 : cut > 1 ? 1.0 : cut;
}

static const double samples = 4; /* in a cell along an axis */

static double inside(const GridField *phi, const GridField *other, Vec3 x) {
    (void)other;
    return part_inside(field_sample_linear(phi, x), phi->grid.spacing / samples);
}

static double differs(const GridField *phi, const GridField *other, Vec3 x) {
    return fabs(inside(phi, NULL, x) - inside(other, NULL, x));
}

/* Sum over samples times the volume that each stands for. */
static double integrate(const GridField *phi, const GridField *other, CellMeasure measure) {
    const Grid *grid = &phi->grid;
    double h = grid->spacing / samples, sum = 0;
    int n = (int)samples, deep = grid->dim == 3 ? n : 1;
    for (int k = 0; k < grid->n[2] * deep; k++)
        for (int j = 0; j < grid->n[1] * n; j++)
            for (int i = 0; i < grid->n[0] * n; i++)
                sum += measure(phi, other,
                               vec3((i + 0.5) * h, (j + 0.5) * h, deep > 1 ? (k + 0.5) * h : 0.0));
    return sum * h * h * (grid->dim == 3 ? h : 1.0);
}

/* ---- a step ---- */

static void redistance(ParticleCase *c) {
    double band = distance_band * c->grid.spacing;
    assert_int_equal(field_redistance(&c->phi, band, NULL, c->set.threads, &c->scratch), PLIM_OK);
    field_fill_halo(&c->phi, c->set.threads);
}

/* The order in which a fluid does it. */
static void step(ParticleCase *c, double dt, int number, bool with_particles) {
    Advection advection = {.scheme = ADVECT_MACCORMACK, .trace_order = 2, .dt = dt};
    for (int axis = 0; axis < c->grid.dim; axis++) advection.velocity[axis] = &c->velocity[axis];
    GridField *phi = &c->phi;
    assert_int_equal(advect_fields(&advection, &phi, 1, c->set.threads, &c->scratch), PLIM_OK);
    field_fill_halo(&c->phi, c->set.threads);
    if (with_particles) {
        assert_int_equal(particles_move(&c->set, c->carriers, dt), PLIM_OK);
        assert_int_equal(particles_correct(&c->set), PLIM_OK);
    }
    redistance(c);
    if (with_particles) {
        assert_int_equal(particles_correct(&c->set), PLIM_OK);
        assert_int_equal(particles_classify(&c->set, c->carriers), PLIM_OK);
        if (number % 20 == 0)
            assert_int_equal(particles_reseed(&c->set, (uint64_t)number), PLIM_OK);
    }
    assert_int_equal(scratch_reset(&c->scratch), PLIM_OK);
}

/* ---- Zalesak's disc ---- */

static double turn_x(Vec3 p) {
    return 2.0 * pi / 628.0 * (50.0 - p.y);
}

static double turn_y(Vec3 p) {
    return 2.0 * pi / 628.0 * (p.x - 50.0);
}

static double slotted_disc(Vec3 p) {
    double disc = hypot(p.x - 50.0, p.y - 75.0) - 15.0;
    double side = fabs(p.x - 50.0) - 2.5, top = p.y - 85.0;
    double slot = side > 0 && top > 0 ? hypot(side, top) : fmax(side, top);
    return fmax(disc, -slot);
}

/* One turn in 628 steps. Returns the part of the area that is in the wrong place, and the change of
 * the area in *change. */
static double turn_disc(bool with_particles, double *change) {
    const Function flow[] = {turn_x, turn_y};
    Grid grid = unit_grid(2, 100, false);
    grid.spacing = 1.0;
    ParticleCase *c = open_case(grid, PLACE_CELLS, 1, slotted_disc, NULL, flow);
    GridField before = make_field(c->context, &grid, PLACE_CELLS, slotted_disc);
    redistance(c);
    double area = integrate(&before, NULL, inside);
    if (with_particles) assert_int_equal(particles_reseed(&c->set, 0), PLIM_OK);
    for (int i = 1; i <= 628; i++) step(c, 1.0, i, with_particles);
    *change = integrate(&c->phi, NULL, inside) / area - 1.0;
    double wrong = integrate(&c->phi, &before, differs) / area;
    assert_balance(c);
    field_free(c->context, &before);
    close_case(c);
    return wrong;
}

static void test_slotted_disc(void **state) {
    (void)state;
    double with_change, without_change;
    double with = turn_disc(true, &with_change), without = turn_disc(false, &without_change);
    print_message("with particles: area %+.2f %%, misplaced %.2f %%; without: %+.2f %%, %.2f %%\n",
                  100 * with_change, 100 * with, 100 * without_change, 100 * without);
    assert_close(with_change, 0.0, 0.005);
    assert_true(with < 0.025);
    assert_true(without > 2.0 * with);
}

/* ---- a sphere in a vortex ---- */

static double vortex_x(Vec3 p) {
    return 2.0 * pow(sin(pi * p.x), 2) * sin(2 * pi * p.y) * sin(2 * pi * p.z);
}

static double vortex_y(Vec3 p) {
    return -sin(2 * pi * p.x) * pow(sin(pi * p.y), 2) * sin(2 * pi * p.z);
}

static double vortex_z(Vec3 p) {
    return -sin(2 * pi * p.x) * sin(2 * pi * p.y) * pow(sin(pi * p.z), 2);
}

static double small_sphere(Vec3 p) {
    return vec3_length(vec3_sub(p, vec3(0.35, 0.35, 0.35))) - 0.15;
}

/* The flow at a time: it turns back at half of the period. */
static void set_flow(ParticleCase *c, const GridField steady[3], double factor) {
    for (int axis = 0; axis < 3; axis++)
        for (size_t i = 0; i < steady[axis].count; i++)
            c->velocity[axis].data[i] = factor * steady[axis].data[i];
}

/* A cell a step at most. Returns the change of the volume. */
static double draw_out_sphere(int n, double period) {
    const Function flow[] = {vortex_x, vortex_y, vortex_z};
    Grid grid = unit_grid(3, n, false);
    ParticleCase *c = open_case(grid, PLACE_CELLS, 1, small_sphere, NULL, NULL);
    GridField steady[3];
    for (int axis = 0; axis < 3; axis++)
        steady[axis] = make_field(c->context, &grid, grid_place_faces(axis), flow[axis]);
    redistance(c);
    double volume = integrate(&c->phi, NULL, inside);
    assert_int_equal(particles_reseed(&c->set, 0), PLIM_OK);
    int steps = (int)ceil(period * 2.0 * n);
    for (int i = 1; i <= steps; i++) {
        set_flow(c, steady, cos(pi * (i - 0.5) / steps));
        step(c, period / steps, i, true);
    }
    assert_balance(c);
    double change = integrate(&c->phi, NULL, inside) / volume - 1.0;
    for (int axis = 0; axis < 3; axis++) field_free(c->context, &steady[axis]);
    close_case(c);
    return change;
}

static void test_sphere_in_vortex(void **state) {
    (void)state;
    double whole = draw_out_sphere(32, 3.0), short_one = draw_out_sphere(32, 1.0);
    print_message("volume at 32^3 after a period of 3: %+.2f %%, of 1: %+.2f %%\n", 100 * whole,
                  100 * short_one);
    assert_close(whole, 0.0, 0.10); /* at half time the sheet is thinner than a cell */
    assert_close(short_one, 0.0, 0.02);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slotted_disc),
        cmocka_unit_test(test_sphere_in_vortex),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
