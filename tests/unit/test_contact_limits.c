/* Contact under strain: any number of threads, dropped caches, no memory, bad input, overlaps. */
#include "contact_world.h"
#include "ration.h"

#include "base/random.h"
#include "rigid/bodies.h"

static const double dt = 1.0 / 120;

static double uniform(uint64_t stream, uint64_t index, double low, double high) {
    return low + (high - low) * random_uniform(81, stream, index);
}

/* A cube with a dent in its top:
 * not convex. */
static const double dented[] = {-0.4, -0.4, -0.4, 0.4,  -0.4, -0.4, 0.4, -0.4, 0.4,
                                -0.4, -0.4, 0.4,  -0.4, 0.4,  -0.4, 0.4, 0.4,  -0.4,
                                0.4,  0.4,  0.4,  -0.4, 0.4,  0.4,  0,   0,    0};
static const int32_t dented_faces[] = {0, 1, 2, 0, 2, 3, 0, 4, 5, 0, 5, 1, 1, 5,
                                       6, 1, 6, 2, 2, 6, 7, 2, 7, 3, 3, 7, 4, 3,
                                       4, 0, 4, 8, 5, 5, 8, 6, 6, 8, 7, 7, 8, 4};
static const PlimMeshDesc dented_mesh = {dented, 9, dented_faces, 14};

/* Bodies of all shapes in layers above a floor between walls. */
static void add_pile(Arena *arena, size_t count) {
    static const PlimShapeKind kinds[] = {PLIM_SHAPE_BOX,   PLIM_SHAPE_BALL, PLIM_SHAPE_CYLINDER,
                                          PLIM_SHAPE_TORUS, PLIM_SHAPE_CONE, PLIM_SHAPE_CAPSULE,
                                          PLIM_SHAPE_MESH};
    arena_add(arena, floor_of("floor"));
    for (uint64_t i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "body %d", (int)i);
        Vec3 place =
            vec3(uniform(1, i, -0.1, 0.1) + 1.2 * (double)(i % 3), 0.8 + 1.1 * (double)(i / 9),
                 uniform(2, i, -0.1, 0.1) + 1.2 * (double)(i / 3 % 3));
        PlimRigidDesc desc = body_of(name, kinds[i % 7], place);
        vec3_store(desc.shape.size, vec3(0.8, 0.6, 0.7));
        desc.shape.radius = 0.35;
        desc.shape.tube = 0.15;
        desc.shape.height = 0.5;
        desc.shape.segments = 12;
        desc.shape.sides = 6;
        if (kinds[i % 7] == PLIM_SHAPE_MESH) {
            desc.shape.mesh = &dented_mesh;
            desc.shape.cells = 12;
        }
        desc.rolling_friction = desc.spinning_friction = 0.01;
        desc.restitution = 0.3;
        Vec3 turn = vec3(uniform(3, i, -1, 1), uniform(4, i, -1, 1), uniform(5, i, -1, 1));
        quat_store(desc.pose.orientation, quat_exp(turn));
        arena_add(arena, desc);
    }
}

/* ---- the same bits ---- */

enum { PILE = 18 };

static int pile_steps(void) {
    return test_size(75, 60);
}

static uint64_t pile_hash(int threads, bool drop_caches) {
    Arena arena = arena_in(test_context(threads), -9.81);
    add_pile(&arena, PILE);
    double touched = 0;
    for (int i = 0; i < pile_steps(); i++) {
        arena_step(&arena, dt, 1);
        touched += figure_of(&arena, "contacts");
        if (drop_caches && uniform(6, (uint64_t)i, 0, 1) < 0.2)
            assert_int_equal(plim_world_drop_caches(arena.world), PLIM_OK);
    }
    assert_true(touched > test_size(300, 100));
    uint64_t hash = plim_world_hash(arena.world);
    arena_close(&arena);
    return hash;
}

static void threads_and_caches_change_nothing(void **state) {
    (void)state;
    uint64_t one = pile_hash(1, false);
    assert_int_equal(pile_hash(2, false), one);
    assert_int_equal(pile_hash(4, false), one);
    assert_int_equal(pile_hash(1, true), one);
}

static void a_snapshot_in_the_middle(void **state) {
    (void)state;
    Arena arena = arena_open(-9.81);
    add_pile(&arena, PILE);
    arena_step(&arena, dt, 40);
    PlimSnapshot *snapshot = NULL;
    assert_int_equal(plim_snapshot_create(arena.world, &snapshot), PLIM_OK);
    arena_step(&arena, dt, pile_steps() - 40);
    uint64_t end = plim_world_hash(arena.world);
    /* Into a world that has never taken a step, and so has nothing of the last one. */
    Arena other = arena_open(-9.81);
    add_pile(&other, PILE);
    assert_int_equal(plim_snapshot_restore(other.world, snapshot), PLIM_OK);
    arena_step(&other, dt, pile_steps() - 40);
    assert_int_equal(plim_world_hash(other.world), end);
    plim_snapshot_destroy(snapshot);
    arena_close(&other);
    arena_close(&arena);
}

/* Another seed is another order of pairs: another of many plausible piles (000 section 2.6). */
static void the_seed_matters_and_nothing_else(void **state) {
    (void)state;
    uint64_t hashes[3];
    for (int k = 0; k < 3; k++) {
        Arena arena = arena_open(-9.81);
        PlimRigidOptions options = plim_rigid_options_default();
        options.seed = k == 1 ? 7 : 3;
        arena_configure(&arena, options);
        add_pile(&arena, PILE);
        arena_step(&arena, dt, pile_steps());
        hashes[k] = plim_world_hash(arena.world);
        arena_close(&arena);
    }
    assert_int_equal(hashes[0], hashes[2]);
    assert_int_not_equal(hashes[0], hashes[1]);
}

/* ---- memory ---- */

/* The same steps a second time: all that they need is there. */
static void a_settled_pile_allocates_nothing(void **state) {
    (void)state;
    for (int threads = 1; threads <= 2; threads++) {
        Arena arena = arena_in(test_context(threads), -9.81);
        PlimRigidOptions options = plim_rigid_options_default();
        options.sleep = 0;
        arena_configure(&arena, options);
        add_pile(&arena, 9);
        arena_step(&arena, dt, 120);
        PlimSnapshot *snapshot = NULL;
        assert_int_equal(plim_snapshot_create(arena.world, &snapshot), PLIM_OK);
        arena_step(&arena, dt, 40);
        assert_true(figure_of(&arena, "contacts") > 9);
        assert_int_equal(plim_snapshot_restore(arena.world, snapshot), PLIM_OK);
        uint64_t allocations = plim_context_allocations(arena.context);
        arena_step(&arena, dt, 40);
        assert_int_equal(plim_context_allocations(arena.context), allocations);
        plim_snapshot_destroy(snapshot);
        arena_close(&arena);
    }
}

/* A few bodies that meet, until memory is refused. */
static PlimStatus use_contact(PlimContext *context, void *user) {
    (void)user;
    PlimWorld *world = NULL;
    PlimSnapshot *snapshot = NULL;
    PlimWorldDesc desc = plim_world_desc_default();
    PlimRigidDesc bodies[5] = {floor_of("floor"), box_of("box", vec3(1, 1, 1), vec3(0, 0.5, 0)),
                               ball_of("ball", 0.5, vec3(0.1, 1.5, 0)),
                               body_of("dented", PLIM_SHAPE_MESH, vec3(0, 2.3, 0)),
                               body_of("ring", PLIM_SHAPE_CYLINDER, vec3(0.9, 0.4, 0))};
    bodies[2].shape.subdivisions = 1;
    bodies[3].shape.mesh = &dented_mesh;
    bodies[3].shape.cells = 6;
    bodies[4].shape.segments = 8;
    PlimStatus status = plim_world_create(context, &desc, &world);
    size_t id;
    for (size_t i = 0; i < 5 && status == PLIM_OK; i++)
        status = plim_rigid_add(world, &bodies[i], &id);
    for (int i = 0; i < 3 && status == PLIM_OK; i++) status = plim_world_step(world, dt);
    if (status == PLIM_OK) status = plim_world_measure(world);
    if (status == PLIM_OK) status = plim_snapshot_create(world, &snapshot);
    if (status == PLIM_OK) status = plim_world_step(world, dt);
    if (status == PLIM_OK) status = plim_snapshot_restore(world, snapshot);
    plim_snapshot_destroy(snapshot);
    plim_world_destroy(world);
    return status;
}

static void memory_that_runs_out(void **state) {
    (void)state;
    starve(&(Starved){.use = use_contact, .least = 50, .most = 2000});
}

/* ---- overlaps at the start ---- */

typedef struct Log {
    char text[4096];
    size_t warnings;
} Log;

static void keep_line(void *user, PlimLogLevel level, const char *line) {
    Log *log = user;
    if (level != PLIM_LOG_WARNING) return;
    log->warnings++;
    size_t used = strlen(log->text);
    snprintf(log->text + used, sizeof log->text - used, "%s\n", line);
}

static Arena open_logged(Log *log, double gravity) {
    *log = (Log){{0}, 0};
    PlimContextDesc desc = plim_context_desc_default();
    desc.threads = 1;
    desc.log = keep_line;
    desc.log_user = log;
    PlimContext *context = NULL;
    assert_int_equal(plim_context_create(&desc, &context), PLIM_OK);
    return arena_in(context, gravity);
}

static void overlaps_are_told_and_mended(void **state) {
    (void)state;
    Log log;
    Arena arena = open_logged(&log, -9.81);
    arena_add(&arena, floor_of("floor"));
    size_t low = arena_add(&arena, box_of("low", vec3(1, 1, 1), vec3(0, 0.45, 0)));
    size_t high = arena_add(&arena, box_of("high", vec3(1, 1, 1), vec3(0.1, 1.3, 0)));
    arena_step(&arena, dt, 1);
    assert_int_equal(log.warnings, 2);
    assert_non_null(strstr(log.text, "'floor' and 'low' overlap by 0.05 m"));
    assert_non_null(strstr(log.text, "'low' and 'high' overlap by 0.15 m"));
    double energy = figure_of(&arena, "energy.kinetic");
    arena_step(&arena, dt, 119);
    assert_int_equal(log.warnings, 2);
    assert_close(position_of(&arena, low).y, 0.5, 1e-3);
    assert_close(position_of(&arena, high).y, 1.5, 2e-3);
    /* Pushed apart, not thrown apart. */
    assert_true(energy < 50 && figure_of(&arena, "energy.kinetic") < 1);
    assert_close(position_of(&arena, low).x, 0, 0.1);
    assert_close(position_of(&arena, high).x, 0.1, 0.1);
    arena_close(&arena);
}

/* A row of balls, each in the next: it grows at both ends about its middle. */
static void many_overlaps_are_counted(void **state) {
    (void)state;
    enum { COUNT = 8 };
    Log log;
    Arena arena = open_logged(&log, 0);
    for (int i = 0; i < COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, "ball %d", i);
        arena_add(&arena, ball_of(name, 0.5, vec3(0.8 * i, 0, 0)));
    }
    arena_step(&arena, dt, 1);
    assert_int_equal(log.warnings, 6); /* five of seven by name */
    assert_non_null(strstr(log.text, "2 more pairs"));
    arena_step(&arena, dt, 149);
    double middle = 0;
    for (size_t i = 0; i < COUNT; i++) {
        Vec3 here = position_of(&arena, i);
        middle += here.x / COUNT;
        assert_close(velocity_of(&arena, i).x, 0, 0);
        if (i == 0) continue;
        assert_close(vec3_length(vec3_sub(here, position_of(&arena, i - 1))), 1, 1e-3);
    }
    assert_close(middle, 0.4 * (COUNT - 1), 1e-12);
    arena_close(&arena);
}

/* Bodies in one and the same place. */
static void bodies_in_one_place(void **state) {
    (void)state;
    static const PlimShapeKind kinds[] = {PLIM_SHAPE_BOX, PLIM_SHAPE_BALL, PLIM_SHAPE_CAPSULE,
                                          PLIM_SHAPE_TORUS, PLIM_SHAPE_CONE};
    for (size_t k = 0; k < 5; k++) {
        Log log;
        Arena arena = open_logged(&log, -9.81);
        arena_add(&arena, body_of("a", kinds[k], vec3(0, 3, 0)));
        arena_add(&arena, body_of("b", kinds[k], vec3(0, 3, 0)));
        arena_step(&arena, dt, 60);
        for (size_t i = 0; i < 2; i++) {
            assert_true(vec3_length(position_of(&arena, i)) < 10);
            assert_true(vec3_length(velocity_of(&arena, i)) < 30);
        }
        arena_close(&arena);
    }
}

/* ---- bad input ---- */

static void refuse(PlimRigidDesc desc, const char *needed) {
    Arena arena = arena_open(-9.81);
    size_t id;
    assert_int_equal(plim_rigid_add(arena.world, &desc, &id), PLIM_BAD_INPUT);
    if (!strstr(plim_message(arena.context), needed) || !strstr(plim_message(arena.context), "'b'"))
        fail_msg("'%s' does not say '%s' of 'b'", plim_message(arena.context), needed);
    assert_int_equal(plim_rigid_count(arena.world), 0);
    arena_close(&arena);
}

static void bad_bodies_are_refused(void **state) {
    (void)state;
    PlimRigidDesc good = box_of("b", vec3(1, 1, 1), vec3(0, 0, 0)), bad = good;
    bad.restitution = 1.5;
    refuse(bad, "restitution is 1.5");
    bad.restitution = -0.1;
    refuse(bad, "restitution is -0.1");
    bad.restitution = NAN;
    refuse(bad, "restitution");
    bad = good;
    bad.friction = -1;
    refuse(bad, "friction is -1");
    bad.friction = NAN;
    refuse(bad, "friction");
    bad.friction = HUGE_VAL;
    refuse(bad, "friction");
    bad = good;
    bad.rolling_friction = -1;
    refuse(bad, "rolling_friction is -1");
    bad = good;
    bad.spinning_friction = NAN;
    refuse(bad, "spinning_friction");
    bad = good;
    bad.shape.size[1] = 0;
    refuse(bad, "size");
    bad.shape.size[1] = -1;
    refuse(bad, "size");
    bad = ball_of("b", 0, vec3(0, 0, 0));
    refuse(bad, "radius");
    bad = floor_of("b");
    bad.motion = PLIM_DYNAMIC;
    refuse(bad, "half space");
    bad = good;
    bad.pose.position[2] = NAN;
    refuse(bad, "finite");
    bad = good;
    bad.pose.velocity[0] = HUGE_VAL;
    refuse(bad, "finite");
}

static void bad_options_are_refused(void **state) {
    (void)state;
    Arena arena = arena_open(-9.81);
    PlimRigidOptions good = plim_rigid_options_default(), bad[5] = {good, good, good, good, good};
    static const char *const names[5] = {"contact_iterations", "collision_iterations",
                                         "level_iterations", "travel", "travel"};
    bad[0].contact_iterations = -1;
    bad[1].collision_iterations = -1;
    bad[2].level_iterations = -3;
    bad[3].travel = -0.5;
    bad[4].travel = NAN;
    for (int k = 0; k < 5; k++) {
        assert_int_equal(plim_rigid_configure(arena.world, &bad[k]), PLIM_BAD_INPUT);
        assert_non_null(strstr(plim_message(arena.context), names[k]));
    }
    arena_close(&arena);
}

/* No sweep at all, of any kind: bodies fall through, and nothing breaks. */
static void without_any_iterations(void **state) {
    (void)state;
    Arena arena = arena_open(-9.81);
    PlimRigidOptions options = plim_rigid_options_default();
    options.contact_iterations = options.collision_iterations = options.level_iterations = 0;
    options.shock_iterations = options.push_out = 0;
    arena_configure(&arena, options);
    arena_add(&arena, floor_of("floor"));
    size_t id = arena_add(&arena, box_of("box", vec3(1, 1, 1), vec3(0, 1, 0)));
    arena_step(&arena, dt, 120);
    assert_close(position_of(&arena, id).y, 1 - 0.5 * 9.81, 1e-9);
    arena_close(&arena);
}

/* Rolling friction that the next step begins with belongs to the load that it begins with, as shock
 * propagation adds to neither: couples of its loads blew up a heap in a fluid. */
static void kept_rolling_friction_is_within_its_limit(void **state) {
    (void)state;
    const double arm = 0.02;
    Arena arena = arena_open(-9.81);
    PlimRigidOptions options = plim_rigid_options_default();
    options.contact_iterations = 1; /* shock propagation has to do the rest */
    arena_configure(&arena, options);
    arena_add(&arena, floor_of("floor"));
    for (uint64_t i = 0; i < 48; i++) {
        char name[16];
        snprintf(name, sizeof name, "ball %d", (int)i);
        Vec3 at = vec3((double)(i % 4), 0.5 + 1.01 * (double)(i / 16), (double)(i / 4 % 4));
        at.x += uniform(1, i, -0.1, 0.1), at.z += uniform(2, i, -0.1, 0.1);
        PlimRigidDesc ball = ball_of(name, 0.5, at);
        ball.density = i < 32 ? 100 : 1e5;
        ball.friction = 0.5;
        ball.rolling_friction = arm;
        arena_add(&arena, ball);
    }
    const RigidBodies *bodies = arena.world->rigid;
    double worst = 0;
    for (int step = 0; step < 120; step++) {
        arena_step(&arena, dt, 1);
        for (size_t t = 0; t < bodies->sizes[RIGID_GROUP_WARM_STARTS].count; t++) {
            double load = vec3_length(vec3_load(bodies->touch_force + 3 * t));
            double couple = vec3_length(vec3_load(bodies->touch_couple + 3 * t));
            worst = fmax(worst, couple / (arm * load));
        }
    }
    assert_true(worst > 0.1);
    assert_true(worst < 1 + 1e-9);
    arena_close(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_and_caches_change_nothing),
        cmocka_unit_test(a_snapshot_in_the_middle),
        cmocka_unit_test(the_seed_matters_and_nothing_else),
        cmocka_unit_test(a_settled_pile_allocates_nothing),
        cmocka_unit_test(memory_that_runs_out),
        cmocka_unit_test(overlaps_are_told_and_mended),
        cmocka_unit_test(many_overlaps_are_counted),
        cmocka_unit_test(bodies_in_one_place),
        cmocka_unit_test(bad_bodies_are_refused),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(without_any_iterations),
        cmocka_unit_test(kept_rolling_friction_is_within_its_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
