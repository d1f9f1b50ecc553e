/* Bodies that turn on the ground: contact sees a step's motion to first order, push-out takes out
 * what the second order lets them sink. */
#include "contact_world.h"

/* A ring that leans and runs round on its edge, as a coin before it lies down. */
static size_t add_wobbling_ring(Arena *arena, double tilt, double spin) {
    PlimRigidDesc floor = floor_of("floor");
    floor.restitution = 0;
    arena_add(arena, floor);
    PlimRigidDesc ring = body_of("ring", PLIM_SHAPE_TORUS, vec3(0, 0.1 + 0.4 * sin(tilt), 0));
    ring.shape.radius = 0.4;
    ring.shape.tube = 0.1;
    ring.friction = 0.5;
    quat_store(ring.pose.orientation, quat_exp(vec3(tilt, 0, 0)));
    vec3_store(ring.pose.angular_velocity, vec3(0, spin, 0));
    return arena_add(arena, ring);
}

static double least_height(const Arena *arena, size_t ring) {
    PlimPose pose = pose_of(arena, ring);
    double up = quat_rotate(quat_load(pose.orientation), vec3(0, 1, 0)).y;
    return pose.position[1] - 0.4 * sqrt(fmax(0, 1 - up * up)) - 0.1;
}

static void a_wobbling_ring_does_not_sink(void **state) {
    (void)state;
    static const double spins[] = {4, 6, 8};
    for (size_t k = 0; k < sizeof spins / sizeof *spins; k++) {
        Arena arena = arena_open(-9.81);
        size_t ring = add_wobbling_ring(&arena, 0.7, spins[k]);
        double deepest = 0, energy = figure_of(&arena, "energy.total");
        for (size_t step = 0; step < 150; step++) {
            arena_step(&arena, 1.0 / 48, 1);
            deepest = fmax(deepest, -least_height(&arena, ring));
            assert_true(figure_of(&arena, "energy.total") < energy + 1e-3);
        }
        assert_true(deepest < 2e-3 * 0.2); /* of its thickness */
        arena_close(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wobbling_ring_does_not_sink),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
