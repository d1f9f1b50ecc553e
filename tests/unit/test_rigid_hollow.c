/* Hollow bodies and ballast: masses by closed forms, what is displaced, what is refused. */
#include "check.h"

#include "plimsoll/plimsoll.h"
#include "rigid/hollow.h"
#include "world/world.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

typedef struct Made {
    PlimContext *context;
    PlimWorld *world;
    size_t id;
    PlimStatus status;
} Made;

static Made make(const PlimRigidDesc *desc, bool plane) {
    Made made = {.context = test_context(1)};
    PlimWorldDesc world = plim_world_desc_default();
    assert_int_equal(plim_world_create(made.context, &world, &made.world), PLIM_OK);
    PlimRigidOptions options = plim_rigid_options_default();
    options.plane = plane;
    assert_int_equal(plim_rigid_configure(made.world, &options), PLIM_OK);
    made.status = plim_rigid_add(made.world, desc, &made.id);
    return made;
}

static void destroy(Made *made) {
    plim_world_destroy(made->world);
    test_context_close(made->context);
}

static PlimRigidDesc describe(PlimShapeKind kind, double shell) {
    PlimRigidDesc desc = plim_rigid_desc_default();
    desc.name = "body";
    desc.shape.kind = kind;
    desc.shell = shell;
    desc.density = 700;
    return desc;
}

static Mat3 inertia_of(const Made *made) {
    return mat3_load(made->world->rigid->inertia + 9 * made->id);
}

/* 2/5 m (R^5 - r^5) / (R^3 - r^3), less m d^2 across the way to the centre of mass. */
static void test_ball(void **state) {
    (void)state;
    const double outer = 0.3, inner = 0.25;
    PlimRigidDesc desc = describe(PLIM_SHAPE_BALL, outer - inner);
    desc.shape.radius = outer;
    double volume = 4.0 / 3.0 * pi * (pow(outer, 3) - pow(inner, 3)), mass = 700 * volume;
    double even = 0.4 * mass * (pow(outer, 5) - pow(inner, 5)) / (pow(outer, 3) - pow(inner, 3));
    for (int ballast = 0; ballast < 2; ballast++) {
        desc.has_center = ballast;
        desc.center[1] = -0.1;
        Made made = make(&desc, false);
        assert_int_equal(made.status, PLIM_OK);
        double inertia[9], less = ballast ? mass * 0.01 : 0;
        mat3_store(inertia, inertia_of(&made));
        assert_close(plim_rigid_mass(made.world, made.id), mass, 1e-12 * mass);
        assert_close(inertia[0], even - less, 1e-12 * even);
        assert_close(inertia[4], even, 1e-12 * even);
        assert_close(inertia[8], even - less, 1e-12 * even);
        Surface surface = rigid_surfaces.describe(made.world->rigid, made.id);
        assert_close(surface.volume, 4.0 / 3.0 * pi * pow(outer, 3), 1e-12);
        assert_close(surface.displaced.y, ballast ? 0.1 : 0, 1e-15);
        assert_close(surface.own_origin.y, ballast ? 0.1 : 0, 1e-15);
        destroy(&made);
    }
}

static void test_disc(void **state) {
    (void)state;
    const double outer = 0.3, inner = 0.2;
    PlimRigidDesc desc = describe(PLIM_SHAPE_BALL, outer - inner);
    desc.shape.radius = outer;
    double mass = 700 * pi * (outer * outer - inner * inner);
    double even = 0.5 * mass * (outer * outer + inner * inner);
    desc.has_center = 1;
    desc.center[0] = 0.05;
    Made made = make(&desc, true);
    assert_int_equal(made.status, PLIM_OK);
    double inertia[9];
    mat3_store(inertia, inertia_of(&made));
    assert_close(plim_rigid_mass(made.world, made.id), mass, 1e-6 * mass);
    assert_close(inertia[8], even - mass * 0.0025, 1e-6 * even);
    Surface surface = rigid_surfaces.describe(made.world->rigid, made.id);
    assert_close(surface.volume, pi * outer * outer, 1e-6);
    assert_close(surface.displaced.x, -0.05, 1e-12);
    destroy(&made);
}

/* A wall is as much lighter as the cavity is large; both together are the solid. */
static void test_cavities(void **state) {
    (void)state;
    for (int kind = PLIM_SHAPE_BOX; kind <= PLIM_SHAPE_CONE; kind++) {
        PlimShapeDesc shape = plim_rigid_desc_default().shape;
        shape.kind = (PlimShapeKind)kind;
        shape.radius = shape.size[0] = shape.size[1] = shape.size[2] = 0.5;
        HollowCavity cavity, none;
        assert_true(hollow_cavity(&shape, 0.03, &cavity));
        assert_false(hollow_cavity(&shape, 0.6, &none));
        MassProperties whole = {.volume = 0.125,
                                .inertia = mat3_scale(0.125 / 24, mat3_identity())};
        if (kind != PLIM_SHAPE_BOX) whole = shape_mass(&shape, &whole);
        MassProperties wall = hollow_mass(&whole, &cavity);
        assert_true(wall.volume > 0 && wall.volume < whole.volume);
        assert_true(mat3_trace(wall.inertia) < mat3_trace(whole.inertia));
        /* Thin walls are heaviest far out. */
        assert_true(mat3_trace(wall.inertia) / wall.volume >
                    mat3_trace(whole.inertia) / whole.volume);
        Vec3 center = hollow_center(&shape, 0.03, whole.center);
        assert_close(vec3_length(vec3_sub(center, wall.center)), 0, 1e-15);
    }
}

static void check_refused(const PlimRigidDesc *desc, const char *words) {
    Made made = make(desc, false);
    assert_int_equal(made.status, PLIM_BAD_INPUT);
    assert_non_null(strstr(plim_message(made.context), "'body'"));
    assert_non_null(strstr(plim_message(made.context), words));
    destroy(&made);
}

static void test_refused(void **state) {
    (void)state;
    PlimRigidDesc desc = describe(PLIM_SHAPE_BALL, 0.7);
    check_refused(&desc, "make it thinner");
    desc.shell = -1;
    check_refused(&desc, "thickness above 0");
    desc.shell = NAN;
    check_refused(&desc, "thickness above 0");
    desc = describe(PLIM_SHAPE_BALL, 0);
    desc.has_center = 1;
    desc.center[0] = 0.45;
    check_refused(&desc, "towards the middle");
    desc.inertia[0] = desc.inertia[1] = desc.inertia[2] = 1;
    Made made = make(&desc, false);
    assert_int_equal(made.status, PLIM_OK);
    destroy(&made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ball),
        cmocka_unit_test(test_disc),
        cmocka_unit_test(test_cavities),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
