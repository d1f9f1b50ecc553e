/* Sheets and chains as parts of a world: membranes, springs and bending are gradients of energies,
 * matrices their derivatives, the projected ones semidefinite; limits of strain keep momentum; bad
 * meshes are refused. */
#include "deform_system.h"

#include "deform/membrane.h"

/* A free sheet, crumpled; one with a clamp; a chain in the plane. */
static const char crumpled[] =
    "plimsoll: 1\n"
    "params: {model: neo_hookean, bending: shell, cut: irregular, stretch: 20, scramble: 0.02}\n"
    "gravity: [0, 0, 0]\n"
    "deformable:\n"
    "  integrator: midpoint\n"
    "  bodies:\n"
    "    - {name: cloth, sheet: {size: [0.5, 0.4], cells: [5, 4], cut: \"=cut\"},\n"
    "       map: [\"=x\", \"=0.3*x*x\", \"=z\"], area_density: 0.2, stretch: \"=stretch\",\n"
    "       model: \"=model\", damping: 0.02, bending: \"=bending\", bending_stiffness: 0.01,\n"
    "       bending_damping: 0.05, scramble: \"=scramble\", strain_limit: 0.1,\n"
    "       velocity: [\"=sin(9*z)\", \"=cos(15*x)\", \"=x\"]}\n"
    "    - {name: strip, sheet: {size: [0.5, 0.2], cells: [5, 2], cut: crosswise},\n"
    "       area_density: 0.2, springs: {edges: 2, altitudes: 1, damping: 0.2},\n"
    "       bending: \"=bending\", bending_stiffness: 0.003, scramble: \"=scramble\", "
    "strain_limit: 0,\n"
    "       position: [2, 0, 0], pins: [{name: clamp, in: {place: {shape: {box: {size:\n"
    "       [0.26, 1, 1]}}, position: [-0.2, 0, 0]}}}]}\n";

static const char chain[] =
    "plimsoll: 1\n"
    "dim: 2\n"
    "gravity: [0, 0, 0]\n"
    "deformable:\n"
    "  bodies:\n"
    "    - {name: rope, chain: {length: 1, segments: 12}, area_density: 0.2, stretch: 30,\n"
    "       damping: 0.02, bending_stiffness: 0.02, bending_damping: 0.1, scramble: 0.02,\n"
    "       map: [\"=x\", \"=x*x\", 0], velocity: [\"=y\", \"=sin(9*x)\", 0]}\n";

static Fixture open_crumpled(const char *model, const char *bending, const char *cut) {
    PlimOverride overrides[] = {
        {"/params/model", model}, {"/params/bending", bending}, {"/params/cut", cut}};
    return open_with(crumpled, overrides, 3);
}

static const char *const cases[][3] = {{"neo_hookean", "shell", "irregular"},
                                       {"corotated", "shell", "herring_bone"},
                                       {"st_venant_kirchhoff", "hinge", "one_way"},
                                       {"neo_hookean", "shell", "crosswise"},
                                       {"corotated", "none", "mirrored"}};
enum { CASES = sizeof cases / sizeof *cases };

/* Every check on every sheet, and on the chain. */
static void for_all(void (*check)(const Fixture *f)) {
    for (int k = 0; k < CASES; k++) {
        Fixture f = open_crumpled(cases[k][0], cases[k][1], cases[k][2]);
        check(&f);
        close_scene(&f);
    }
    Fixture f = open_with(chain, NULL, 0);
    check(&f);
    close_scene(&f);
}

static void check_no_push(const Fixture *f) {
    check_nothing_pushes_itself(f, false, false);
    check_nothing_pushes_itself(f, true, false);
}

static void forces_are_gradients(void **state) {
    (void)state;
    for_all(check_gradient);
}

static void nothing_pushes_itself(void **state) {
    (void)state;
    for_all(check_no_push);
}

/* Without what the clamp holds: its rows are those of the filter. */
static void the_matrix_is_the_derivative(void **state) {
    (void)state;
    for (int k = 0; k < CASES; k++) {
        Fixture f = open_crumpled(cases[k][0], cases[k][1], cases[k][2]);
        Deform *d = deform_in(&f);
        size_t pins = d->pins.count;
        d->pins.count = 0;
        check_matrix(&f);
        d->pins.count = pins;
        close_scene(&f);
    }
    Fixture f = open_with(chain, NULL, 0);
    check_matrix(&f);
    close_scene(&f);
}

static void check_semidefinite(const Fixture *f) {
    Deform *d = deform_in(f);
    StepInfo step = world_step_info(f->world, 0.01);
    size_t size = (size_t)d->options.dim * deform_count(d, DEFORM_NODES);
    MatrixParts parts = {.x = d->position, .v = d->velocity, .elastic = 1, .project = true};
    deform_filter_pins(d);
    assert_int_equal(deform_assemble(d, &step, &parts), PLIM_OK);
    double *way = calloc(size, sizeof *way), *out = calloc(size, sizeof *out), least = 0, most = 0;
    LinearMap map = block_csr_map(&d->matrix);
    Draw draw = {.stream = 78};
    for (size_t i = 0; i < size; i++) way[i] = draw_uniform(&draw, -1, 1);
    /* Powers of the largest eigenvalue less the matrix lead to the least one. */
    for (int round = 0; round < 400; round++) {
        double dot = 0, square = 0;
        map.apply(map.object, way, out);
        for (size_t i = 0; i < size; i++) {
            dot += way[i] * out[i];
            square += out[i] * out[i];
        }
        if (round < 100) most = sqrt(square);
        if (round == 399) least = dot;
        double norm = 0;
        for (size_t i = 0; i < size; i++) {
            if (round < 99) way[i] = out[i];
            if (round == 99) way[i] = draw_uniform(&draw, -1, 1);
            if (round > 99) way[i] = 1.01 * most * way[i] - out[i];
            norm += way[i] * way[i];
        }
        for (size_t i = 0; i < size; i++) way[i] /= sqrt(norm);
    }
    assert_true(most > 0);
    assert_true(least > -1e-9 * most);
    free(way);
    free(out);
}

static void projected_matrices_are_semidefinite(void **state) {
    (void)state;
    for_all(check_semidefinite);
}

/* ---- membranes ---- */

static Mat3 draw_gradient(Draw *draw) {
    Vec3 a = draw_vector(draw), b = draw_vector(draw);
    return mat3_from_columns(a, b, vec3(0, 0, 0));
}

static double at(const Mat3 *a, int k) {
    return vec3_component(a->r[k / 2], k % 2);
}

static void membranes_are_gradients(void **state) {
    (void)state;
    const double h = 1e-6;
    static const LawModel laws[] = {LAW_COROTATED, LAW_ST_VENANT_KIRCHHOFF, LAW_NEO_HOOKEAN};
    Draw draw = {.stream = 50};
    for (int run = 0; run < 300; run++) {
        ElementLaw law = law_from_young(laws[run % 3], 2, 2, 0.3);
        law.plane_stress = true;
        Mat3 f = draw_gradient(&draw), stress;
        double k[36], least, largest;
        Vec3 normal = vec3_cross(mat3_column(f, 0), mat3_column(f, 1));
        if (vec3_length(normal) < 0.3) continue; /* laws have creases near a collapse */
        membrane_stress(&law, f, &stress);
        membrane_stiffness(&law, f, false, k);
        double size = 1 + largest_entry(stress), stiff = 1 + largest_of(k, 36);
        for (int c = 0; c < 6; c++) {
            Mat3 high = f, low = f, at_high, at_low;
            *entry(&high, c / 2, c % 2) += h;
            *entry(&low, c / 2, c % 2) -= h;
            double slope = membrane_stress(&law, high, &at_high);
            slope = (slope - membrane_stress(&law, low, &at_low)) / (2 * h);
            assert_close(slope, at(&stress, c), 1e-6 * size);
            for (int r = 0; r < 6; r++)
                assert_close((at(&at_high, r) - at(&at_low, r)) / (2 * h), k[6 * r + c],
                             1e-5 * stiff);
        }
        membrane_stiffness(&law, f, true, k);
        eigenvalue_range(k, 6, &least, &largest);
        assert_true(least > -1e-12 * largest);
        assert_true(largest <= membrane_stiffest(&law, f) * (1 + 1e-4));
    }
}

static void collapsed_membranes_stay_finite(void **state) {
    (void)state;
    const Vec3 columns[][2] = {{{0, 0, 0}, {0, 0, 0}},
                               {{1, 0, 0}, {0, 0, 0}},
                               {{0, 0, 0}, {0, 1, 0}},
                               {{1, 2, 3}, {2, 4, 6}},
                               {{1e-9, 0, 0}, {0, 0, 1e3}}};
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
        for (int m = LAW_COROTATED; m <= LAW_NEO_HOOKEAN; m++) {
            ElementLaw law = law_from_young((LawModel)m, 2, 2, 0.3);
            law.plane_stress = true;
            Mat3 f = mat3_from_columns(columns[c][0], columns[c][1], vec3(0, 0, 0)), stress;
            double k[36];
            assert_true(isfinite(membrane_stress(&law, f, &stress)));
            largest_entry(stress);
            for (int project = 0; project < 2; project++) {
                membrane_stiffness(&law, f, project, k);
                largest_of(k, 36);
            }
        }
}

/* ---- limits of strain ---- */

static double worst_strain(const Deform *d) {
    double worst = 0;
    for (size_t e = 0; e < d->limit_edges.count; e++) {
        const LimitEdge *edge = &d->limit_edges.data[e];
        Vec3 way = vec3_sub(vec3_load(d->position + 3 * edge->nodes[0]),
                            vec3_load(d->position + 3 * edge->nodes[1]));
        worst = fmax(worst, fabs(vec3_length(way) / edge->rest - 1));
    }
    return worst;
}

/* A soft free sheet that is torn apart by its velocities. */
static void limits_hold_and_keep_momentum(void **state) {
    (void)state;
    static const char *const integrators[] = {"newmark", "midpoint", "backward_euler"};
    for (int k = 0; k < 3; k++) {
        PlimOverride overrides[] = {{"/params/stretch", "0.5"},
                                    {"/params/scramble", "0.002"},
                                    {"/deformable/integrator", integrators[k]}};
        Fixture f = open_with(crumpled, overrides, 3);
        Deform *d = deform_in(&f);
        const DeformBody *body = &d->bodies.data[0];
        Vec3 before = vec3(0, 0, 0), after = before;
        double size = 0, sweeps = 0;
        for (size_t i = 0; i < body->count[DEFORM_NODES]; i++)
            before = vec3_add_scaled(before, d->mass[i], vec3_load(d->velocity + 3 * i));
        for (int s = 0; s < 30; s++) {
            step(&f, 2e-3);
            sweeps += d->figures.limit_sweeps;
            assert_int_equal((int)d->figures.unlimited, 0);
            assert_true(worst_strain(d) < 0.11);
        }
        for (size_t i = 0; i < body->count[DEFORM_NODES]; i++) {
            Vec3 v = vec3_load(d->velocity + 3 * i);
            after = vec3_add_scaled(after, d->mass[i], v);
            size += d->mass[i] * vec3_length(v);
        }
        assert_true(sweeps > 0);
        assert_close(vec3_length(vec3_sub(after, before)), 0, k == 2 ? 1e-9 * size : 1e-11 * size);
        close_scene(&f);
    }
}

/* ---- steps ---- */

static uint64_t hash_after(int threads, int steps, bool restores) {
    Fixture f = open_in_with(test_context(threads), crumpled, NULL, 0);
    for (int s = 0; s < steps; s++) {
        step(&f, 0.005);
        if (!restores || s % 3) continue;
        PlimSnapshot *kept;
        assert_int_equal(plim_snapshot_create(f.world, &kept), PLIM_OK);
        step(&f, 0.005);
        assert_int_equal(plim_snapshot_restore(f.world, kept), PLIM_OK);
        plim_snapshot_destroy(kept);
    }
    uint64_t hash = plim_world_hash(f.world);
    close_scene(&f);
    return hash;
}

static void bits_are_the_same(void **state) {
    (void)state;
    uint64_t hash = hash_after(1, 10, false);
    assert_true(hash == hash_after(2, 10, false));
    assert_true(hash == hash_after(4, 10, false));
    assert_true(hash == hash_after(2, 10, true));
}

static void steady_steps_allocate_nothing(void **state) {
    (void)state;
    Fixture f = open_in_with(test_context(2), crumpled, NULL, 0);
    for (int s = 0; s < 15; s++) step(&f, 0.005);
    uint64_t allocations = plim_context_allocations(f.context);
    for (int s = 0; s < 5; s++) step(&f, 0.005);
    assert_int_equal(plim_context_allocations(f.context), allocations);
    close_scene(&f);
}

/* ---- meshes that are none ---- */

static void bad_meshes_are_refused(void **state) {
    (void)state;
    const struct {
        const char *text;
        int32_t triangles[3][4];
        size_t count;
    } bad[] = {{"flat", {{0, 1, 2}}, 1},
               {"have the same corners", {{0, 1, 3}, {1, 3, 0}}, 2},
               {"opposite ways", {{0, 1, 3}, {0, 1, 4}}, 2},
               {"share one edge", {{0, 1, 3}, {1, 0, 4}, {0, 1, 5}}, 3},
               {"no node", {{0, 1, 9}}, 1}};
    const Vec3 rest[6] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}};
    const Vec3 still[6] = {{0, 0, 0}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        PlimContext *context = test_context(1);
        DeformOptions options = deform_options_default(3);
        Deform *d;
        size_t number;
        assert_int_equal(deform_create(context, &options, &d), PLIM_OK);
        DeformBodyDesc desc = {.name = "rag",
                               .node_count = 6,
                               .element_count = bad[k].count,
                               .rest = rest,
                               .position = rest,
                               .velocity = still,
                               .elements = bad[k].triangles,
                               .is_sheet = true,
                               .density = 1};
        assert_int_equal(deform_add_body(d, &desc, &number), PLIM_BAD_INPUT);
        assert_non_null(strstr(context->message, bad[k].text));
        assert_non_null(strstr(context->message, "'rag'"));
        deform_class.destroy(d);
        test_context_close(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_gradients),
        cmocka_unit_test(nothing_pushes_itself),
        cmocka_unit_test(the_matrix_is_the_derivative),
        cmocka_unit_test(projected_matrices_are_semidefinite),
        cmocka_unit_test(membranes_are_gradients),
        cmocka_unit_test(collapsed_membranes_stay_finite),
        cmocka_unit_test(limits_hold_and_keep_momentum),
        cmocka_unit_test(bits_are_the_same),
        cmocka_unit_test(steady_steps_allocate_nothing),
        cmocka_unit_test(bad_meshes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
