/* Deformable solids as a system: forces are gradients, nothing pushes itself, the matrix is the
 * derivative of the forces; steps keep momenta, take no memory, and have the same bits for any
 * number of threads, after a restore, and with caches dropped. */
#include "deform_case.h"
#include "scene_fixture.h"

#include "deform/internal.h"
#include "world/world.h"

#include <stdlib.h>

/* All kinds of elements and springs, scrambled so that some elements are inverted. */
static const char mixed[] =
    "plimsoll: 1\n"
    "params: {dim: 3, model: neo_hookean, scramble: 0.1, form: green, yield: 1000}\n"
    "dim: \"=dim\"\n"
    "gravity: [0, 0, 0]\n"
    "deformable:\n"
    "  integrator: newmark\n"
    "  bodies:\n"
    "    - {name: block, shape: {box: {size: [0.3, 0.2, 0.2]}}, cells: [3, 2, 2],\n"
    "       young: 1000, poisson: 0.3, model: \"=model\", damping: 0.01,\n"
    "       damping_form: \"=form\", scramble: \"=scramble\",\n"
    "       yield_stretch: \"=yield\",\n"
    "       velocity: [\"=sin(20*x+y)\", \"=cos(15*y)\", 0],\n"
    "       springs: {edges: 3, altitudes: 5, damping: 0.5}}\n"
    "    - {name: net, lattice: {size: [0.2, 0.2, 0.2], cells: [2, 2, 2],\n"
    "       stiffness: 50, damping: 0.2}, mass: 1, position: [1, 0, 0],\n"
    "       scramble: 0.02, velocity: [\"=y\", \"=-x\", 0]}\n";

static Deform *deform_in(const Fixture *f) {
    Deform *d = world_find_system(f->world, &deform_class, NULL);
    assert_non_null(d);
    return d;
}

static Fixture open_mixed(const char *dim, const char *model, const char *scramble,
                          const char *form) {
    PlimOverride overrides[] = {{"/params/dim", dim},
                                {"/params/model", model},
                                {"/params/scramble", scramble},
                                {"/params/form", form}};
    return open_with(mixed, overrides, 4);
}

/* Elements have yielded at the start, and go on. */
static Fixture open_plastic(const char *dim, const char *model) {
    PlimOverride overrides[] = {{"/params/dim", dim},
                                {"/params/model", model},
                                {"/params/scramble", "0.01"},
                                {"/params/yield", "1.05"}};
    return open_with(mixed, overrides, 4);
}

static double energy_at(Deform *d, const StepInfo *step, const double *x, double *force) {
    double energy;
    ForceParts parts = {.x = x, .elastic = true};
    assert_int_equal(deform_forces(d, step, &parts, force, &energy), PLIM_OK);
    return energy;
}

static double *copy(const double *from, size_t count) {
    double *to = malloc(count * sizeof *to);
    memcpy(to, from, count * sizeof *to);
    return to;
}

/* Along random directions: the force is minus the slope of the energy. */
static void check_gradient(const Fixture *f) {
    Deform *d = deform_in(f);
    StepInfo step = world_step_info(f->world, 0.01);
    size_t n = 3 * deform_count(d, DEFORM_NODES);
    double *x = copy(d->position, n), *force = copy(d->position, n), *scratch = copy(x, n);
    energy_at(d, &step, x, force);
    for (int t = 0; t < 4; t++) {
        Draw draw = {.stream = 40 + (uint64_t)t};
        const double h = 1e-7;
        double ends[2], slope = 0, size = 0;
        double *way = copy(x, n);
        for (size_t i = 0; i < n; i++) {
            way[i] = d->options.dim == 2 && i % 3 == 2 ? 0 : draw_uniform(&draw, -1, 1);
            slope -= way[i] * force[i];
            size += fabs(way[i] * force[i]);
        }
        for (int end = 0; end < 2; end++) {
            double *moved = copy(x, n);
            for (size_t i = 0; i < n; i++) moved[i] += (end ? h : -h) * way[i];
            ends[end] = energy_at(d, &step, moved, scratch);
            free(moved);
        }
        assert_close((ends[1] - ends[0]) / (2 * h), slope, 1e-6 * size);
        free(way);
    }
    free(x);
    free(force);
    free(scratch);
}

/* No net force, and no torque about the origin. */
static void check_nothing_pushes_itself(const Fixture *f, bool damps, bool turns) {
    Deform *d = deform_in(f);
    StepInfo step = world_step_info(f->world, 0.01);
    size_t nodes = deform_count(d, DEFORM_NODES);
    double *force = copy(d->position, 3 * nodes), size = 0, arm = 0;
    ForceParts parts = {.x = d->position, .v = damps ? d->velocity : NULL, .elastic = !damps};
    assert_int_equal(deform_forces(d, &step, &parts, force, NULL), PLIM_OK);
    Vec3 sum = vec3(0, 0, 0), torque = vec3(0, 0, 0);
    for (size_t i = 0; i < nodes; i++) {
        Vec3 own = vec3_load(force + 3 * i), x = vec3_load(d->position + 3 * i);
        sum = vec3_add(sum, own);
        torque = vec3_add(torque, vec3_cross(x, own));
        size += vec3_length(own);
        arm += vec3_length(own) * vec3_length(x);
    }
    assert_true(size > 0);
    assert_close(vec3_length(sum), 0, 1e-12 * size);
    if (!turns) assert_close(vec3_length(torque), 0, 1e-10 * arm);
    free(force);
}

static const char *const models[] = {"linear", "corotated", "st_venant_kirchhoff", "neo_hookean"};

static void forces_are_gradients(void **state) {
    (void)state;
    for (int m = 0; m < 4; m++)
        for (int dim = 2; dim <= 3; dim++) {
            Fixture f =
                open_mixed(dim == 2 ? "2" : "3", models[m], m % 2 ? "0.01" : "0.1", "green");
            check_gradient(&f);
            close_scene(&f);
        }
}

static void nothing_pushes_itself(void **state) {
    (void)state;
    for (int m = 0; m < 4; m++)
        for (int dim = 2; dim <= 3; dim++) {
            Fixture f =
                open_mixed(dim == 2 ? "2" : "3", models[m], "0.1", m % 2 ? "diagonal" : "green");
            check_nothing_pushes_itself(&f, false, m == 0);
            check_nothing_pushes_itself(&f, true, m % 2);
            close_scene(&f);
        }
}

/* (M + h D + h^2 K) y against differences of forces. */
static void check_matrix(const Fixture *f) {
    Deform *d = deform_in(f);
    StepInfo step = world_step_info(f->world, 0.01);
    size_t nodes = deform_count(d, DEFORM_NODES), dim = (size_t)d->options.dim;
    const double h = 1e-6, mass = 0.3, elastic = 0.7, damping = 0.2;
    MatrixParts parts = {
        .x = d->position, .v = d->velocity, .mass = mass, .elastic = elastic, .damping = damping};
    deform_filter_pins(d);
    assert_int_equal(deform_assemble(d, &step, &parts), PLIM_OK);
    double *packed = calloc(dim * nodes, sizeof *packed), *out = calloc(dim * nodes, sizeof *out);
    double *way = calloc(3 * nodes, sizeof *way), *ends[2], *drag = calloc(3 * nodes, sizeof *drag);
    Draw draw = {.stream = 77};
    for (size_t i = 0; i < nodes; i++)
        for (size_t a = 0; a < dim; a++)
            packed[dim * i + a] = way[3 * i + a] = draw_uniform(&draw, -1, 1);
    LinearMap map = block_csr_map(&d->matrix);
    map.apply(map.object, packed, out);
    for (int end = 0; end < 2; end++) {
        double *moved = copy(d->position, 3 * nodes);
        for (size_t i = 0; i < 3 * nodes; i++) moved[i] += (end ? h : -h) * way[i];
        ends[end] = calloc(3 * nodes, sizeof(double));
        energy_at(d, &step, moved, ends[end]);
        free(moved);
    }
    ForceParts damped = {.x = d->position, .v = way};
    assert_int_equal(deform_forces(d, &step, &damped, drag, NULL), PLIM_OK);
    double largest = 0;
    for (size_t i = 0; i < dim * nodes; i++) largest = fmax(largest, fabs(out[i]));
    for (size_t i = 0; i < nodes; i++)
        for (size_t a = 0; a < dim; a++) {
            size_t k = 3 * i + a;
            double expected = mass * d->mass[i] * way[k] -
                              elastic * (ends[1][k] - ends[0][k]) / (2 * h) - damping * drag[k];
            assert_close(out[dim * i + a], expected, 1e-5 * largest);
        }
    free(packed);
    free(out);
    free(way);
    free(drag);
    free(ends[0]);
    free(ends[1]);
}

static void the_matrix_is_the_derivative(void **state) {
    (void)state;
    for (int m = 0; m < 4; m++)
        for (int dim = 2; dim <= 3; dim++) {
            Fixture f = open_mixed(dim == 2 ? "2" : "3", models[m], "0.01", "green");
            check_matrix(&f);
            close_scene(&f);
        }
}

/* ---- yield ---- */

static void forces_of_what_has_yielded(void **state) {
    (void)state;
    for (int m = 0; m < 4; m++)
        for (int dim = 2; dim <= 3; dim++) {
            Fixture f = open_plastic(dim == 2 ? "2" : "3", models[m]);
            check_gradient(&f);
            check_nothing_pushes_itself(&f, false, m == 0);
            check_matrix(&f);
            close_scene(&f);
        }
}

/* Stretches within the limits, volume kept, energy never up; a second time nothing is left to do.
 */
static void elements_yield(void **state) {
    (void)state;
    for (int m = 0; m < 4; m++)
        for (int dim = 2; dim <= 3; dim++) {
            Fixture f = open_plastic(dim == 2 ? "2" : "3", models[m]);
            Deform *d = deform_in(&f);
            StepInfo step = world_step_info(f.world, 0.01);
            size_t nodes = deform_count(d, DEFORM_NODES), beyond = 0;
            size_t count = deform_count(d, DEFORM_PLASTIC);
            double *force = malloc(3 * nodes * sizeof *force);
            Draw draw = {.stream = 40 + (uint64_t)(2 * m + dim)};
            for (size_t i = 0; i < nodes; i++)
                for (size_t a = 0; a < (size_t)dim; a++)
                    d->position[3 * i + a] += draw_uniform(&draw, -0.02, 0.02);
            double before = energy_at(d, &step, d->position, force);
            assert_int_equal(deform_yield(d, &step), PLIM_OK);
            assert_true(d->figures.yielding > 0.3 * (double)count);
            assert_true(energy_at(d, &step, d->position, force) < before);
            for (size_t p = 0; p < count; p++) {
                size_t e = (size_t)d->plastic_element[p];
                double stretch = deform_element_stretch(d, e);
                Mat3 now = element_gradient(d, e, d->position);
                if (dim == 2) now.r[2] = vec3(0, 0, 1);
                /* That of its volume alone, if it is greater. Energies of the other laws may rise
                 * towards it where an element is pressed: there it does not yield. */
                double volume = mat3_determinant(now), most = fmax(1.05, pow(volume, 1.0 / dim));
                beyond += stretch > most * (1 + 1e-12) && (m == 3 || volume > 1);
                assert_close(mat3_determinant(mat3_load(d->plastic_inverse + 9 * p)), 1, 1e-12);
            }
            assert_true(beyond == 0 || m == 0); /* the linear law takes turns for strains */
            free(force);
            close_scene(&f);
        }
}

/* ---- steps ---- */

/* A jelly that falls on a floor and a wall, pinned and pushed. */
static const char jelly[] =
    "plimsoll: 1\n"
    "params: {integrator: midpoint}\n"
    "rigid:\n"
    "  bodies:\n"
    "    - {name: floor, motion: static, shape: {half_space: {}}}\n"
    "    - {name: ram, motion: kinematic, shape: {ball: {radius: 0.2}},\n"
    "       position: [\"=0.45 - 0.5*t\", 0.2, 0]}\n"
    "deformable:\n"
    "  integrator: \"=integrator\"\n"
    "  bodies:\n"
    "    - {name: jelly, shape: {box: {size: [0.3, 0.3, 0.3]}}, cells: [3, 3, 3],\n"
    "       position: [0, 0.2, 0], orientation: {axis: [1, 0, 1], angle: 10},\n"
    "       young: 5000, damping: 0.004, yield_stretch: 1.05,\n"
    "       loads: [{name: push, near: [0.15, 0.15, 0], force: [0, \"=-5*t\", 0]}]}\n";

static const char *const integrators[] = {"newmark", "midpoint", "backward_euler"};

static uint64_t hash_after(const char *integrator, int threads, int steps, bool restores) {
    PlimOverride override = {"/params/integrator", integrator};
    Fixture f = open_in_with(test_context(threads), jelly, &override, 1);
    double dt = integrator[0] == 'n' ? 1e-3 : 0.01;
    for (int s = 0; s < steps; s++) {
        step(&f, dt);
        if (!restores || s % 3) continue;
        PlimSnapshot *kept;
        assert_int_equal(plim_snapshot_create(f.world, &kept), PLIM_OK);
        step(&f, dt);
        assert_int_equal(plim_snapshot_restore(f.world, kept), PLIM_OK);
        plim_snapshot_destroy(kept);
    }
    uint64_t hash = plim_world_hash(f.world);
    close_scene(&f);
    return hash;
}

static void bits_are_the_same(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        int steps = i == 0 ? 60 : 30;
        uint64_t hash = hash_after(integrators[i], 1, steps, false);
        assert_true(hash == hash_after(integrators[i], 2, steps, false));
        assert_true(hash == hash_after(integrators[i], 4, steps, false));
        assert_true(hash == hash_after(integrators[i], 2, steps, true));
    }
}

static void steady_steps_allocate_nothing(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        PlimOverride override = {"/params/integrator", integrators[i]};
        Fixture f = open_in_with(test_context(2), jelly, &override, 1);
        double dt = i == 0 ? 1e-3 : 0.01;
        for (int s = 0; s < 25; s++) step(&f, dt);
        uint64_t allocations = plim_context_allocations(f.context);
        for (int s = 0; s < 10; s++) step(&f, dt);
        assert_int_equal(plim_context_allocations(f.context), allocations);
        close_scene(&f);
    }
}

/* A body that nothing holds keeps its momenta, with damping too. */
static void free_bodies_keep_momenta(void **state) {
    (void)state;
    for (int c = 0; c < 4; c++) {
        int i = c % 2;
        Fixture f = c < 2 ? open_mixed("3", "neo_hookean", "0.01", "green")
                          : open_plastic("3", "neo_hookean");
        Deform *d = deform_in(&f);
        d->options.integrator = i ? DEFORM_MIDPOINT : DEFORM_NEWMARK;
        d->options.tolerance = 1e-12;
        double before[6], after[6];
        static const char *const names[] = {"momentum.x",         "momentum.y",
                                            "momentum.z",         "angular_momentum.x",
                                            "angular_momentum.y", "angular_momentum.z"};
        assert_int_equal(plim_world_measure(f.world), PLIM_OK);
        for (int k = 0; k < 6; k++) before[k] = diagnostics_get(&f.world->diagnostics, names[k]);
        for (int s = 0; s < 50; s++) step(&f, i ? 0.005 : 5e-4);
        assert_int_equal(plim_world_measure(f.world), PLIM_OK);
        for (int k = 0; k < 6; k++) after[k] = diagnostics_get(&f.world->diagnostics, names[k]);
        for (int k = 0; k < 6; k++) assert_close(after[k], before[k], 1e-9);
        close_scene(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_gradients),          cmocka_unit_test(nothing_pushes_itself),
        cmocka_unit_test(the_matrix_is_the_derivative),  cmocka_unit_test(bits_are_the_same),
        cmocka_unit_test(forces_of_what_has_yielded),    cmocka_unit_test(elements_yield),
        cmocka_unit_test(steady_steps_allocate_nothing), cmocka_unit_test(free_bodies_keep_momenta),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
