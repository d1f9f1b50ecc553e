/* Contact knows no metre and no kilogram of its own. Seconds it does: the time is the seed of the
 * order of pairs. */
#include "contact_world.h"

#include "base/random.h"

static double uniform(uint64_t stream, uint64_t index, double low, double high) {
    return low + (high - low) * random_uniform(82, stream, index);
}

/* Powers of two, so that numbers keep their bits. */
typedef struct Units {
    double length, mass;
} Units;

static void scaled_body(PlimRigidDesc *desc, const Units *units) {
    for (int axis = 0; axis < 3; axis++) {
        desc->shape.size[axis] *= units->length;
        desc->pose.position[axis] *= units->length;
        desc->pose.velocity[axis] *= units->length;
    }
    desc->shape.radius *= units->length;
    desc->shape.tube *= units->length;
    desc->shape.height *= units->length;
    desc->rolling_friction *= units->length;
    desc->density *= units->mass / (units->length * units->length * units->length);
}

static void add_drop(Arena *arena, const Units *units) {
    static const PlimShapeKind kinds[] = {PLIM_SHAPE_BOX, PLIM_SHAPE_BALL, PLIM_SHAPE_CYLINDER,
                                          PLIM_SHAPE_CAPSULE, PLIM_SHAPE_TORUS};
    PlimRigidDesc floor = floor_of("floor");
    scaled_body(&floor, units);
    arena_add(arena, floor);
    for (uint64_t i = 0; i < 10; i++) {
        char name[16];
        snprintf(name, sizeof name, "body %d", (int)i);
        Vec3 place = vec3(uniform(1, i, -0.1, 0.1) + 0.9 * (double)(i % 2),
                          0.9 + 0.8 * (double)(i / 2), uniform(2, i, -0.1, 0.1));
        PlimRigidDesc desc = body_of(name, kinds[i % 5], place);
        vec3_store(desc.shape.size, vec3(0.8, 0.6, 0.7));
        desc.shape.radius = 0.35;
        desc.shape.tube = 0.15;
        desc.shape.height = 0.5;
        desc.rolling_friction = 0.01;
        desc.restitution = 0.4;
        desc.density = uniform(3, i, 200, 2000);
        for (int axis = 0; axis < 3; axis++)
            desc.pose.angular_velocity[axis] = uniform(4, 3 * i + (uint64_t)axis, -2, 2);
        scaled_body(&desc, units);
        arena_add(arena, desc);
    }
    /* In each other at the start, and in the floor. */
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "cube %d", i);
        PlimRigidDesc cube = box_of(name, vec3(1, 1, 1), vec3(5 + 0.1 * i, 0.4 + 0.8 * i, 0));
        scaled_body(&cube, units);
        arena_add(arena, cube);
    }
}

enum { BODIES = 14, STEPS = 80 };

/* Where all bodies are in the end, in metres. */
static void drop(const Units *units, Vec3 places[BODIES]) {
    Arena arena = arena_open(-9.81 * units->length);
    add_drop(&arena, units);
    assert_int_equal(plim_rigid_count(arena.world), BODIES);
    arena_step(&arena, 0.01, STEPS);
    for (size_t i = 0; i < BODIES; i++)
        places[i] = vec3_scale(1 / units->length, position_of(&arena, i));
    arena_close(&arena);
}

static void check_units(Units units, double tolerance) {
    Vec3 expected[BODIES], places[BODIES];
    drop(&(Units){1, 1}, expected);
    drop(&units, places);
    for (size_t i = 0; i < BODIES; i++) assert_vector_close(places[i], expected[i], tolerance);
}

static void small_and_large(void **state) {
    (void)state;
    check_units((Units){1.0 / 128, 1}, 0);
    check_units((Units){64, 1}, 0);
}

static void light_and_heavy(void **state) {
    (void)state;
    check_units((Units){1, 1.0 / (1 << 20)}, 0);
    check_units((Units){1, 1 << 20}, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_and_large),
        cmocka_unit_test(light_and_heavy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
