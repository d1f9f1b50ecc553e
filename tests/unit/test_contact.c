/* Bodies that collide: what is kept, what is lost, and where it goes. */
#include "contact_world.h"

#include "base/random.h"

static double uniform(uint64_t stream, uint64_t index, double low, double high) {
    return low + (high - low) * random_uniform(71, stream, index);
}

static PlimRigidDesc moving(PlimRigidDesc desc, Vec3 velocity) {
    vec3_store(desc.pose.velocity, velocity);
    return desc;
}

static PlimRigidDesc bouncing(PlimRigidDesc desc, double restitution, double friction) {
    desc.restitution = restitution;
    desc.friction = friction;
    return desc;
}

/* ---- two bodies ---- */

/* Along the line of centres: u' = -e u, and the common centre goes on as it did. */
static void head_on(PlimRigidDesc a, PlimRigidDesc b, double restitution, double tolerance) {
    Arena arena = arena_open(0);
    double speed[2] = {2, -1};
    size_t id[2] = {arena_add(&arena, moving(bouncing(a, restitution, 0.4), vec3(2, 0, 0))),
                    arena_add(&arena, moving(bouncing(b, restitution, 0.4), vec3(-1, 0, 0)))};
    double mass[2] = {plim_rigid_mass(arena.world, id[0]), plim_rigid_mass(arena.world, id[1])};
    double center = (mass[0] * speed[0] + mass[1] * speed[1]) / (mass[0] + mass[1]);
    double reduced = mass[0] * mass[1] / (mass[0] + mass[1]);
    arena_step(&arena, 0.01, 100);
    for (int k = 0; k < 2; k++) {
        Vec3 expected = vec3(center - restitution * (speed[k] - center), 0, 0);
        assert_vector_close(velocity_of(&arena, id[k]), expected, tolerance);
        assert_vector_close(vec3_load(pose_of(&arena, id[k]).angular_velocity), vec3(0, 0, 0),
                            10 * tolerance);
    }
    double kinetic =
        0.5 * (mass[0] + mass[1]) * center * center + 0.5 * reduced * 9 * restitution * restitution;
    assert_close(figure_of(&arena, "energy.kinetic"), kinetic, tolerance * kinetic);
    arena_close(&arena);
}

static void head_on_collisions(void **state) {
    (void)state;
    for (double e = 0; e <= 1; e += 0.25) {
        head_on(ball_of("a", 0.5, vec3(0, 0, 0)), ball_of("b", 0.3, vec3(2, 0, 0)), e, 1e-14);
        head_on(box_of("a", vec3(1, 1, 1), vec3(0, 0, 0)), ball_of("b", 0.5, vec3(2, 0, 0)), e,
                1e-14);
    }
    /* Face to face: one point after the other is stopped, and contact evens it out. */
    head_on(box_of("a", vec3(1, 1, 1), vec3(0, 0, 0)), box_of("b", vec3(1, 2, 2), vec3(2, 0, 0)), 0,
            5e-3);
    head_on(body_of("a", PLIM_SHAPE_CYLINDER, vec3(0, 0, 0)),
            body_of("b", PLIM_SHAPE_CAPSULE, vec3(2, 0, 0)), 0, 5e-3);
}

/* The lesser restitution and the greater friction of a pair count. */
static void a_pair_takes_the_lesser_restitution(void **state) {
    (void)state;
    Arena arena = arena_open(0);
    size_t a =
        arena_add(&arena, moving(bouncing(ball_of("a", 0.5, vec3(0, 0, 0)), 1, 0), vec3(1, 0, 0)));
    size_t b = arena_add(&arena, bouncing(ball_of("b", 0.5, vec3(1.5, 0, 0)), 0.5, 0));
    arena_step(&arena, 0.01, 100);
    assert_vector_close(velocity_of(&arena, a), vec3(0.25, 0, 0), 1e-12);
    assert_vector_close(velocity_of(&arena, b), vec3(0.75, 0, 0), 1e-12);
    arena_close(&arena);
}

/* A ball that falls on the floor rises by e^2 of its height. */
static void bounces_on_the_floor(void **state) {
    (void)state;
    for (double e = 0.5; e <= 1; e += 0.25) {
        Arena arena = arena_open(-9.81);
        arena_add(&arena, floor_of("floor"));
        size_t id = arena_add(&arena, bouncing(ball_of("ball", 0.1, vec3(0, 1.1, 0)), e, 0.5));
        double top = 0;
        bool fell = false;
        for (int i = 0; i < 2000; i++) {
            arena_step(&arena, 0.0005, 1);
            double up = velocity_of(&arena, id).y;
            if (up > 0) fell = true;
            if (fell) top = fmax(top, position_of(&arena, id).y - 0.1);
            if (fell && up < 0) break;
        }
        assert_close(top, e * e, 5e-3);
        arena_close(&arena);
    }
}

/* ---- many bodies ---- */

static const double tetrahedron[] = {0.4, -0.3, 0, -0.4, -0.3, 0.4, -0.4, -0.3, -0.4, 0, 0.5, 0};
static const int32_t tetrahedron_faces[] = {0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0};
static const PlimMeshDesc tetrahedron_mesh = {tetrahedron, 4, tetrahedron_faces, 4};

/* One of each shape, on a ball of radius 3, all flying to its middle. */
static void add_swarm(Arena *arena, double restitution, double friction) {
    static const PlimShapeKind kinds[] = {PLIM_SHAPE_BOX,     PLIM_SHAPE_BALL,  PLIM_SHAPE_CYLINDER,
                                          PLIM_SHAPE_CAPSULE, PLIM_SHAPE_TORUS, PLIM_SHAPE_CONE,
                                          PLIM_SHAPE_MESH,    PLIM_SHAPE_BALL};
    for (uint64_t i = 0; i < 8; i++) {
        char name[16];
        snprintf(name, sizeof name, "body %d", (int)i);
        Vec3 corner = vec3(i & 1 ? 1.5 : -1.5, i & 2 ? 1.5 : -1.5, i & 4 ? 1.5 : -1.5);
        PlimRigidDesc desc = bouncing(body_of(name, kinds[i], corner), restitution, friction);
        if (kinds[i] == PLIM_SHAPE_MESH) desc.shape.mesh = &tetrahedron_mesh;
        desc.density = uniform(1, i, 100, 2000);
        Vec3 aim =
            vec3(uniform(2, i, -0.4, 0.4), uniform(3, i, -0.4, 0.4), uniform(4, i, -0.4, 0.4));
        desc = moving(desc, vec3_sub(aim, corner));
        for (int axis = 0; axis < 3; axis++)
            desc.pose.angular_velocity[axis] = uniform(5, 3 * i + (uint64_t)axis, -2, 2);
        arena_add(arena, desc);
    }
}

typedef struct Drift {
    double momentum, angular; /* parts of what the bodies have */
    double collisions;
} Drift;

static Drift fly_together(double restitution, double friction, double dt) {
    Arena arena = arena_open(0);
    add_swarm(&arena, restitution, friction);
    Vec3 linear = momentum_of(&arena), angular = angular_momentum_of(&arena);
    double energy = figure_of(&arena, "energy.kinetic"), mass = 0;
    for (size_t i = 0; i < 8; i++) mass += plim_rigid_mass(arena.world, i);
    double size = sqrt(2 * energy * mass),
           first = energy; /* kg m/s, of bodies 1 m from the middle */
    Drift drift = {0};
    for (double t = 0; t < 2; t += dt) {
        arena_step(&arena, dt, 1);
        drift.collisions += figure_of(&arena, "collisions");
        double now = figure_of(&arena, "energy.kinetic");
        /* Bodies that press on each other in flight turn about moving points by finite angles. */
        if (now > energy * (1 + (restitution == 0 ? 1e-6 : 1e-12)))
            fail_msg("e = %g, t = %g: energy rose from %.15g to %.15g", restitution, t, energy,
                     now);
        energy = now;
        drift.momentum =
            fmax(drift.momentum, vec3_length(vec3_sub(momentum_of(&arena), linear)) / size);
        drift.angular =
            fmax(drift.angular, vec3_length(vec3_sub(angular_momentum_of(&arena), angular)) / size);
    }
    if (restitution == 1 && friction == 0) assert_close(energy / first, 1, 1e-9);
    arena_close(&arena);
    return drift;
}

static void collisions_in_free_space_keep_momentum(void **state) {
    (void)state;
    for (double e = 0; e <= 1; e += 0.5)
        for (double friction = 0; friction <= 0.5; friction += 0.5) {
            Drift drift = fly_together(e, friction, 0.005);
            assert_true(drift.collisions > 5);
            assert_true(drift.momentum < 1e-12);
            /* What stays in touch moves at the half step, and L is not of one time. */
            assert_true(drift.angular < (e == 1 ? 1e-13 : 1e-3));
        }
}

/* 000 figure 2.9: the last of a row takes the whole motion. */
static void billiards(void **state) {
    (void)state;
    enum { COUNT = 6 };
    for (int apart = 0; apart < 2; apart++) {
        Arena arena = arena_open(0);
        for (int i = 0; i < COUNT; i++) {
            char name[16];
            snprintf(name, sizeof name, "ball %d", i);
            double x = i == 0 ? -1.5 : i * (1 + 0.01 * apart);
            PlimRigidDesc desc = bouncing(ball_of(name, 0.5, vec3(x, 0, 0)), 1, 0);
            arena_add(&arena, moving(desc, vec3(i == 0 ? 2 : 0, 0, 0)));
        }
        arena_step(&arena, 0.01, 150);
        for (size_t i = 0; i < COUNT; i++)
            assert_vector_close(velocity_of(&arena, i), vec3(i == COUNT - 1 ? 2 : 0, 0, 0), 1e-12);
        arena_close(&arena);
    }
}

/* ---- energy ---- */

/* Boxes thrown at a rough floor, in large steps: nothing is gained but what push-out lifts. */
static void thrown_boxes_gain_no_energy(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 40; i++) {
        Arena arena = arena_open(-9.81);
        arena_add(&arena, floor_of("floor"));
        PlimRigidDesc box = box_of("box", vec3(1, uniform(11, i, 0.2, 1), 0.6), vec3(0, 1.2, 0));
        box = bouncing(box, i % 3 * 0.5, uniform(12, i, 0, 1));
        Vec3 turn = vec3(uniform(13, i, -2, 2), uniform(14, i, -2, 2), uniform(15, i, -2, 2));
        quat_store(box.pose.orientation, quat_exp(turn));
        box = moving(box, vec3(uniform(16, i, -3, 3), uniform(17, i, -3, 1), 0));
        for (int axis = 0; axis < 3; axis++)
            box.pose.angular_velocity[axis] = uniform(18, 3 * i + (uint64_t)axis, -5, 5);
        arena_add(&arena, box);
        double before = figure_of(&arena, "energy.total"), first = before;
        for (int step = 0; step < 60; step++) {
            arena_step(&arena, 1.0 / 30, 1);
            double now = figure_of(&arena, "energy.total");
            double lifted = figure_of(&arena, "push_out.energy");
            if (now - before > fmax(0, lifted) + 1e-9 * first)
                fail_msg("box %d, step %d: %g J gained, %g J by push-out", (int)i, step,
                         now - before, lifted);
            before = now;
        }
        arena_close(&arena);
    }
}

/* Bodies of a plane stay in it to the bit. */
static void bodies_of_a_plane_stay_in_it(void **state) {
    (void)state;
    Arena arena = arena_open(-9.81);
    PlimRigidOptions options = plim_rigid_options_default();
    options.plane = 1;
    arena_configure(&arena, options);
    arena_add(&arena, floor_of("floor"));
    for (uint64_t i = 0; i < 8; i++) {
        char name[16];
        snprintf(name, sizeof name, "body %d", (int)i);
        Vec3 place = vec3(uniform(21, i, -0.4, 0.4), 0.8 + 1.1 * (double)i, 0);
        PlimRigidDesc desc =
            i % 2 ? ball_of(name, 0.4, place) : box_of(name, vec3(1, 0.7, 1), place);
        desc.pose.angular_velocity[2] = uniform(22, i, -3, 3);
        arena_add(&arena, bouncing(desc, 0.3, 0.6));
    }
    arena_step(&arena, 0.01, 150);
    for (size_t i = 1; i <= 8; i++) {
        PlimPose pose = pose_of(&arena, i);
        assert_close(pose.position[2], 0, 0);
        assert_close(pose.velocity[2], 0, 0);
        for (int axis = 0; axis < 2; axis++) {
            assert_close(pose.orientation[1 + axis], 0, 0);
            assert_close(pose.angular_velocity[axis], 0, 0);
        }
        assert_true(pose.position[1] > 0.3);
    }
    arena_close(&arena);
}

/* ---- bodies that are held ---- */

static double pin_error(const Arena *arena, size_t i) {
    const RigidBodies *b = arena->world->rigid;
    Vec3 arm = quat_rotate(quat_load(b->orientation + 4 * i), vec3_load(b->pin_arm + 3 * i));
    Vec3 at = vec3_add(vec3_load(b->position + 3 * i), arm);
    return vec3_length(vec3_sub(at, vec3_load(b->pin + 3 * i)));
}

/* A rod that hangs from a pin at the origin is hit by a ball: the moment of momentum about the pin
 * stays, for the reaction has none. */
static void a_pinned_body_is_hit(void **state) {
    (void)state;
    for (double e = 0; e <= 1; e += 0.5) {
        Arena arena = arena_open(0);
        PlimRigidDesc rod = bouncing(box_of("rod", vec3(0.2, 2, 0.3), vec3(0, -1, 0)), e, 0);
        rod.has_pin = 1;
        size_t hit = arena_add(&arena, rod);
        PlimRigidDesc ball = bouncing(ball_of("ball", 0.2, vec3(-1, -1.6, 0)), e, 0);
        size_t hitting = arena_add(&arena, moving(ball, vec3(4, 0, 0)));
        double mass = plim_rigid_mass(arena.world, hitting),
               rod_mass = plim_rigid_mass(arena.world, hit);
        Vec3 before = angular_momentum_of(&arena);
        /* u' = -e u where they meet, 1.6 below the pin. */
        double inertia = rod_mass * ((0.2 * 0.2 + 2 * 2) / 12 + 1), arm = 1.6;
        double impulse = (1 + e) * 4 / (1 / mass + arm * arm / inertia);
        bool met = false;
        for (int i = 0; i < 100; i++) {
            arena_step(&arena, 0.005, 1);
            assert_true(pin_error(&arena, hit) < 1e-13);
            assert_vector_close(angular_momentum_of(&arena), before, 1e-11 * vec3_length(before));
            if (met || figure_of(&arena, "collisions") == 0) continue;
            met = true;
            assert_close(velocity_of(&arena, hitting).x, 4 - impulse / mass, 1e-9);
            assert_close(pose_of(&arena, hit).angular_velocity[2], impulse * arm / inertia, 1e-9);
            if (e == 0)
                break; /* they go on together, and positions of contact are not of one time */
        }
        assert_true(met);
        arena_close(&arena);
    }
}

/* Hit off its middle, it moves and does not turn. */
static void a_body_that_may_not_turn(void **state) {
    (void)state;
    Arena arena = arena_open(0);
    PlimRigidDesc box = bouncing(box_of("box", vec3(1, 1, 1), vec3(0, 0, 0)), 1, 0);
    box.lock_rotation = 1;
    size_t hit = arena_add(&arena, box);
    PlimRigidDesc ball = bouncing(ball_of("ball", 0.3, vec3(-1.5, 0.3, 0.2)), 1, 0);
    size_t hitting = arena_add(&arena, moving(ball, vec3(3, 0, 0)));
    double m = plim_rigid_mass(arena.world, hitting), big = plim_rigid_mass(arena.world, hit);
    arena_step(&arena, 0.01, 100);
    PlimPose pose = pose_of(&arena, hit);
    static const double upright[4] = {1, 0, 0, 0}, still[3] = {0, 0, 0};
    assert_memory_equal(pose.orientation, upright, sizeof upright);
    assert_memory_equal(pose.angular_velocity, still, sizeof still);
    assert_vector_close(vec3_load(pose.velocity), vec3(2 * m * 3 / (m + big), 0, 0), 1e-12);
    assert_vector_close(velocity_of(&arena, hitting), vec3((m - big) * 3 / (m + big), 0, 0), 1e-12);
    arena_close(&arena);
}

/* ---- off ---- */

static void without_contact_bodies_pass(void **state) {
    (void)state;
    Arena arena = arena_open(0);
    PlimRigidOptions options = plim_rigid_options_default();
    options.contact = 0;
    arena_configure(&arena, options);
    size_t a = arena_add(&arena, moving(ball_of("a", 0.5, vec3(-1, 0, 0)), vec3(1, 0, 0)));
    size_t b = arena_add(&arena, moving(ball_of("b", 0.5, vec3(1, 0, 0)), vec3(-1, 0, 0)));
    arena_step(&arena, 0.02, 100);
    assert_vector_close(position_of(&arena, a), vec3(1, 0, 0), 1e-12);
    assert_vector_close(position_of(&arena, b), vec3(-1, 0, 0), 1e-12);
    arena_close(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(head_on_collisions),
        cmocka_unit_test(a_pair_takes_the_lesser_restitution),
        cmocka_unit_test(bounces_on_the_floor),
        cmocka_unit_test(collisions_in_free_space_keep_momentum),
        cmocka_unit_test(billiards),
        cmocka_unit_test(thrown_boxes_gain_no_energy),
        cmocka_unit_test(bodies_of_a_plane_stay_in_it),
        cmocka_unit_test(a_pinned_body_is_hit),
        cmocka_unit_test(a_body_that_may_not_turn),
        cmocka_unit_test(without_contact_bodies_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
