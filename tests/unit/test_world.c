/* The world through its public face: steps, snapshots, hashes, threads, memory, figures, probes. */
#include "ration.h"

#include "base/random.h"
#include "plimsoll/plimsoll.h"
#include "world/world.h"

#include <stdatomic.h>
#include <string.h>

/* ---- the C library's heap, watched: the linker sends our calls here (tests/CMakeLists.txt) ----
 */

static atomic_long heap_calls;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

void *__wrap_malloc(size_t size) {
    heap_calls++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    heap_calls++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size) {
    heap_calls++;
    return __real_realloc(block, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    heap_calls++;
    return __real_aligned_alloc(alignment, size);
}

/* ---- worlds ---- */

typedef struct Fixture {
    PlimContext *context;
    PlimWorld *world;
} Fixture;

static Fixture open_world(int threads, double max_dt) {
    Fixture f = {.context = test_context(threads)};
    PlimWorldDesc desc = plim_world_desc_default();
    desc.max_dt = max_dt;
    assert_int_equal(plim_world_create(f.context, &desc, &f.world), PLIM_OK);
    /* Crowds here overlap and fly through one another; contact has tests of its own. */
    PlimRigidOptions options = plim_rigid_options_default();
    options.contact = 0;
    assert_int_equal(plim_rigid_configure(f.world, &options), PLIM_OK);
    return f;
}

static void close_world(Fixture *f) {
    plim_world_destroy(f->world);
    test_context_close(f->context);
}

static PlimRigidDesc box_named(const char *name) {
    PlimRigidDesc desc = plim_rigid_desc_default();
    desc.name = name;
    desc.shape.kind = PLIM_SHAPE_BOX;
    return desc;
}

static size_t add(Fixture *f, const PlimRigidDesc *desc) {
    size_t id;
    if (plim_rigid_add(f->world, desc, &id) != PLIM_OK) fail_msg("%s", plim_message(f->context));
    return id;
}

static void step(Fixture *f, double dt) {
    if (plim_world_step(f->world, dt) != PLIM_OK) fail_msg("%s", plim_message(f->context));
}

static PlimPose pose_of(const Fixture *f, size_t id) {
    PlimPose pose;
    plim_rigid_pose(f->world, id, &pose);
    return pose;
}

static void assert_message(const Fixture *f, const char *part) {
    if (!strstr(plim_message(f->context), part))
        fail_msg("'%s' is not in '%s'", part, plim_message(f->context));
}

/* A path whose quaternion is not of norm one: the world must not mind. */
static PlimStatus circle(void *user, PlimContext *context, double t, PlimPose *pose) {
    (void)user;
    (void)context;
    *pose = (PlimPose){.position = {cos(t), 1, sin(t)},
                       .orientation = {3 * cos(0.5 * t), 0, -3 * sin(0.5 * t), 0.1},
                       .velocity = {-sin(t), 0, cos(t)},
                       .angular_velocity = {0, -1, 0}};
    return PLIM_OK;
}

static double number(uint64_t i, uint64_t k) {
    return 2 * random_uniform(3, k, i) - 1;
}

/* Bodies of all shapes and motions, spinning. */
static void add_crowd(Fixture *f, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "body%zu", i);
        PlimRigidDesc desc = box_named(name);
        desc.shape.kind = (PlimShapeKind)(i % 5);
        desc.shape.subdivisions = 1;
        desc.shape.size[0] = 0.1 + 0.2 * (double)(i % 3);
        for (uint64_t k = 0; k < 3; k++) {
            desc.pose.position[k] = 10 * number(i, k);
            desc.pose.velocity[k] = number(i, 3 + k);
            desc.pose.angular_velocity[k] = 20 * number(i, 6 + k);
            desc.pose.orientation[k] = number(i, 9 + k);
        }
        if (i % 11 == 3) desc.motion = PLIM_STATIC;
        if (i % 11 == 5) {
            desc.motion = PLIM_KINEMATIC;
            desc.motion_path = circle;
        }
        add(f, &desc);
    }
}

/* ---- motion ---- */

static void free_fall_is_exact(void **state) {
    (void)state;
    static const double steps[] = {0.5, 0.1, 1.0 / 60, 0.003};
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        Fixture f = open_world(1, 0);
        PlimRigidDesc desc = box_named("stone");
        desc.pose.position[1] = 100;
        desc.pose.velocity[0] = 2;
        desc.pose.velocity[1] = 5;
        size_t id = add(&f, &desc);
        double t = 0;
        for (int i = 0; i < 300; i++) {
            step(&f, steps[k]);
            t += steps[k];
            PlimPose pose = pose_of(&f, id);
            double fall = 100 + 5 * t - 0.5 * 9.81 * t * t;
            assert_close(plim_world_time(f.world), t, 0);
            assert_close(pose.position[0], 2 * t, 1e-12 * (1 + t));
            assert_close(pose.position[1], fall, 1e-13 * (100 + 5 * t * t));
            assert_close(pose.velocity[1], 5 - 9.81 * t, 1e-12 * (1 + t));
            assert_true(pose.position[2] == 0 && pose.velocity[0] == 2);
        }
        assert_int_equal(plim_world_steps(f.world), 300);
        close_world(&f);
    }
}

/* Spin: momentum to the bit, energy to rounding, kinematic and static bodies where they belong. */
static void spinning_bodies_keep_what_they_have(void **state) {
    (void)state;
    for (int order = 1; order <= 3; order++) {
        Fixture f = open_world(1, 0);
        add_crowd(&f, 44);
        PlimRigidOptions options = {.orientation_order = order, .energy_correction = 1};
        assert_int_equal(plim_rigid_configure(f.world, &options), PLIM_OK);
        double momentum[3 * 44], energy[44];
        memcpy(momentum, f.world->rigid->angular_momentum, sizeof momentum);
        for (size_t i = 0; i < 44; i++) energy[i] = rigid_kinetic_energy(f.world->rigid, i);
        PlimPose still = pose_of(&f, 3);
        for (int i = 0; i < 500; i++) step(&f, 1.0 / 24);
        assert_memory_equal(momentum, f.world->rigid->angular_momentum, sizeof momentum);
        PlimPose after = pose_of(&f, 3), moved = pose_of(&f, 5), expected;
        assert_memory_equal(&after, &still, sizeof still);
        circle(NULL, NULL, plim_world_time(f.world), &expected);
        assert_memory_equal(moved.position, expected.position, sizeof expected.position);
        assert_memory_equal(moved.velocity, expected.velocity, sizeof expected.velocity);
        for (size_t i = 0; i < 44; i++) {
            if (f.world->rigid->motion[i] != PLIM_DYNAMIC) continue;
            const double *v = f.world->rigid->velocity + 3 * i;
            double mass = plim_rigid_mass(f.world, i), v0 = v[1] + 9.81 * 500.0 / 24;
            double now =
                rigid_kinetic_energy(f.world->rigid, i) + 0.5 * mass * (v0 * v0 - v[1] * v[1]);
            assert_close(now, energy[i], 1e-10 * (energy[i] + mass * v[1] * v[1]));
        }
        close_world(&f);
    }
}

static void wrong_steps_are_refused(void **state) {
    (void)state;
    Fixture f = open_world(1, 0.01);
    uint64_t hash = plim_world_hash(f.world);
    static const double bad[] = {0, -1, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(plim_world_step(f.world, bad[i]), PLIM_BAD_INPUT);
        assert_message(&f, "dt must be positive");
        assert_int_equal(plim_world_substep(f.world, bad[i]), PLIM_BAD_INPUT);
        assert_int_equal(plim_world_advance(f.world, bad[i]), PLIM_BAD_INPUT);
    }
    assert_int_equal(plim_world_hash(f.world), hash);
    step(&f, 1e6);
    assert_int_equal(plim_world_advance(f.world, 1e6), PLIM_BAD_INPUT);
    assert_message(&f, "the end must be later");
    PlimRigidDesc late = box_named("late");
    size_t id;
    assert_int_equal(plim_rigid_add(f.world, &late, &id), PLIM_BAD_INPUT);
    assert_message(&f, "'late'");
    close_world(&f);

    f = open_world(1, 1e-15); /* a limit below the last digit of the time */
    step(&f, 1000);
    assert_int_equal(plim_world_advance(f.world, 1001), PLIM_FAILED);
    assert_message(&f, "too small");
    close_world(&f);
}

static void wrong_worlds_are_refused(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    PlimWorld *world;
    for (int k = 0; k < 4; k++) {
        PlimWorldDesc desc = plim_world_desc_default();
        if (k < 3)
            desc.gravity[k] = k == 1 ? NAN : -INFINITY;
        else
            desc.max_dt = -0.1;
        assert_int_equal(plim_world_create(context, &desc, &world), PLIM_BAD_INPUT);
        assert_null(world);
        assert_non_null(strstr(plim_message(context), k < 3 ? "gravity" : "max_dt"));
    }
    test_context_close(context);
    plim_world_destroy(NULL);
    plim_snapshot_destroy(NULL);
}

/* Runs one frame; returns its number of substeps. */
static int check_frame(Fixture *f, double until, double max_dt) {
    double start = plim_world_time(f->world), shortest = INFINITY, longest = 0;
    int count = 0;
    for (; plim_world_time(f->world) < until; count++) {
        double before = plim_world_time(f->world);
        assert_int_equal(plim_world_substep(f->world, until), PLIM_OK);
        double dt = plim_world_time(f->world) - before;
        shortest = fmin(shortest, dt);
        longest = fmax(longest, dt);
    }
    double rounding = 4e-16 * until;
    assert_true(plim_world_time(f->world) == until);
    assert_true(longest <= max_dt * (1 + 2e-9) + rounding);
    assert_true(longest - shortest <= 1e-12 * longest + 2 * rounding);
    assert_int_equal(count, (int)ceil((until - start) / max_dt * (1 - 1e-9)));
    return count;
}

static void substeps_are_equal_and_end_on_time(void **state) {
    (void)state;
    static const double rates[] = {24, 30, 60, 25, 29.97, 7, 1000.0 / 3, 1, 0.3, 12345.678};
    static const double parts[] = {1,      1.0 / 3, 0.1,     0.7, 0.999999999, 1.0000000001,
                                   0.3333, 5,       1.0 / 49};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
            double max_dt = parts[k] / rates[i];
            Fixture f = open_world(1, max_dt);
            for (int frame = 1; frame <= 40; frame++) check_frame(&f, frame / rates[i], max_dt);
            close_world(&f);
        }
    Fixture f = open_world(1, 0); /* no limit: a substep a frame */
    for (int frame = 1; frame <= 40; frame++) {
        assert_int_equal(plim_world_advance(f.world, frame / 29.97), PLIM_OK);
        assert_true(plim_world_time(f.world) == frame / 29.97);
    }
    assert_int_equal(plim_world_steps(f.world), 40);
    close_world(&f);
}

/* ---- state ---- */

static void snapshots_bring_everything_back(void **state) {
    (void)state;
    Fixture f = open_world(2, 0);
    add_crowd(&f, 100);
    for (int start = 0; start < 12; start += 5) { /* before the first step too */
        for (int i = 0; i < start; i++) step(&f, 0.01);
        PlimSnapshot *snapshot;
        uint64_t then = plim_world_hash(f.world);
        assert_int_equal(plim_snapshot_create(f.world, &snapshot), PLIM_OK);
        assert_int_equal(plim_world_hash(f.world), then);
        for (int i = 0; i < 30; i++) step(&f, 0.01);
        uint64_t later = plim_world_hash(f.world);
        PlimPose pose = pose_of(&f, 10), again;
        assert_true(later != then);
        assert_int_equal(plim_snapshot_restore(f.world, snapshot), PLIM_OK);
        assert_int_equal(plim_world_hash(f.world), then);
        for (int i = 0; i < 30; i++) step(&f, 0.01);
        assert_int_equal(plim_world_hash(f.world), later);
        again = pose_of(&f, 10);
        assert_memory_equal(&pose, &again, sizeof pose);
        assert_int_equal(plim_snapshot_restore(f.world, snapshot), PLIM_OK);
        plim_snapshot_destroy(snapshot);
    }
    close_world(&f);
}

static void snapshots_fit_their_world_only(void **state) {
    (void)state;
    Fixture f = open_world(1, 0);
    add_crowd(&f, 10);
    PlimSnapshot *snapshot;
    assert_int_equal(plim_snapshot_create(f.world, &snapshot), PLIM_OK);
    PlimWorld *others[3], *own = f.world;
    static const size_t counts[3] = {9, 11, 9};
    PlimWorldDesc desc = plim_world_desc_default();
    for (int i = 0; i < 3; i++) {
        assert_int_equal(plim_world_create(f.context, &desc, &others[i]), PLIM_OK);
        f.world = others[i];
        add_crowd(&f, counts[i]);
        PlimRigidDesc stranger = box_named("stranger"); /* as many bodies, but not the same */
        if (i == 2) add(&f, &stranger);
        uint64_t hash = plim_world_hash(f.world);
        assert_int_equal(plim_snapshot_restore(f.world, snapshot), PLIM_BAD_INPUT);
        assert_message(&f, "other bodies");
        assert_int_equal(plim_world_hash(f.world), hash);
        plim_world_destroy(others[i]);
    }
    f.world = own;
    plim_snapshot_destroy(snapshot);
    close_world(&f);
}

static void dropped_caches_change_nothing(void **state) {
    (void)state;
    Fixture plain = open_world(1, 0), forgetful = open_world(1, 0);
    add_crowd(&plain, 200);
    add_crowd(&forgetful, 200);
    for (uint64_t i = 0; i < 100; i++) {
        if (random_uniform(5, 5, i) < 0.4 || i == 0) {
            assert_int_equal(plim_world_drop_caches(forgetful.world), PLIM_OK);
            PlimPose a = pose_of(&plain, i), b = pose_of(&forgetful, i);
            if (i > 0) assert_memory_equal(&a, &b, sizeof a);
        }
        assert_int_equal(plim_world_hash(plain.world), plim_world_hash(forgetful.world));
        step(&plain, 0.02);
        step(&forgetful, 0.02);
    }
    assert_int_equal(plim_world_hash(plain.world), plim_world_hash(forgetful.world));
    close_world(&plain);
    close_world(&forgetful);
}

static double figure(const Fixture *f, const char *name) {
    for (size_t i = 0; i < plim_world_figure_count(f->world); i++)
        if (strcmp(plim_world_figure_name(f->world, i), name) == 0)
            return plim_world_figure(f->world, i);
    fail_msg("there is no figure '%s'", name);
    return NAN;
}

static void threads_change_nothing(void **state) {
    (void)state;
    static const int threads[] = {1, 2, 4};
    uint64_t hash = 0;
    double energy = 0;
    for (int k = 0; k < 3; k++) {
        Fixture f = open_world(threads[k], 0);
        add_crowd(&f, 3000);
        for (int i = 0; i < 10; i++) step(&f, 1.0 / 60);
        assert_int_equal(plim_world_measure(f.world), PLIM_OK);
        double kinetic = figure(&f, "energy.kinetic");
        if (k == 0) {
            hash = plim_world_hash(f.world);
            energy = kinetic;
        }
        assert_int_equal(plim_world_hash(f.world), hash);
        assert_true(kinetic == energy);
        close_world(&f);
    }
}

/* The hash sees every number of the state, and nothing else. */
static void hashes_see_the_state(void **state) {
    (void)state;
    Fixture f = open_world(1, 0);
    add_crowd(&f, 3);
    PlimPose pose = pose_of(&f, 1);
    uint64_t hash = plim_world_hash(f.world);
    for (size_t k = 0; k < sizeof pose / sizeof(double); k++) {
        PlimPose changed = pose;
        ((double *)&changed)[k] += 1e-3;
        assert_int_equal(plim_rigid_set_pose(f.world, 1, &changed), PLIM_OK);
        assert_true(plim_world_hash(f.world) != hash);
        assert_int_equal(plim_rigid_set_pose(f.world, 1, &pose), PLIM_OK);
    }
    assert_int_equal(plim_world_measure(f.world), PLIM_OK);
    hash = plim_world_hash(f.world);
    assert_int_equal(plim_world_drop_caches(f.world), PLIM_OK);
    assert_int_equal(plim_world_hash(f.world), hash);
    close_world(&f);
}

/* ---- memory ---- */

static void check_steady_steps(int threads, size_t bodies, int steps) {
    Fixture f = open_world(threads, 0.004);
    add_crowd(&f, bodies);
    assert_int_equal(world_add_probe(f.world, "p", NULL, "body7", "kinetic_energy"), PLIM_OK);
    for (int i = 0; i < 3; i++) {
        step(&f, 0.004);
        assert_int_equal(plim_world_measure(f.world), PLIM_OK);
    }
    uint64_t allocations = plim_context_allocations(f.context);
    long calls = heap_calls;
    assert_true(calls > 0); /* making the world was seen */
    for (int i = 0; i < steps; i++) {
        double values[1];
        PlimStatus status = i % 2 ? plim_world_step(f.world, 0.004)
                                  : plim_world_substep(f.world, plim_world_time(f.world) + 1);
        if (status == PLIM_OK) status = plim_world_measure(f.world);
        if (status != PLIM_OK) fail_msg("%s", plim_message(f.context));
        world_probe_values(f.world, values);
    }
    assert_int_equal(heap_calls, calls);
    assert_int_equal(plim_context_allocations(f.context), allocations);
    close_world(&f);
}

static void steady_steps_allocate_nothing(void **state) {
    (void)state;
    check_steady_steps(1, 600, 1000);
    check_steady_steps(2, 2500, 50);
}

/* Everything a user does, until memory is refused. */
static PlimStatus use_world(PlimContext *context, void *user) {
    (void)user;
    PlimWorld *world = NULL;
    PlimSnapshot *snapshot = NULL;
    PlimWorldDesc desc = plim_world_desc_default();
    PlimRigidDesc body = box_named("box");
    size_t id;
    FrameView view;
    PlimStatus status = plim_world_create(context, &desc, &world);
    if (status == PLIM_OK) status = plim_rigid_add(world, &body, &id);
    if (status == PLIM_OK) status = world_add_probe(world, "p", NULL, "box", "mass");
    if (status == PLIM_OK) status = plim_world_measure(world);
    if (status == PLIM_OK) status = plim_world_step(world, 0.1);
    if (status == PLIM_OK) status = plim_snapshot_create(world, &snapshot);
    if (status == PLIM_OK) status = world_view_frame(world, &view);
    if (status == PLIM_OK) status = plim_world_step(world, 0.1);
    plim_snapshot_destroy(snapshot);
    plim_world_destroy(world);
    return status;
}

static void refused_memory_is_survived(void **state) {
    (void)state;
    starve(&(Starved){.use = use_world, .least = 20, .most = 1000});
}

/* ---- broken numbers ---- */

static void broken_poses_are_refused(void **state) {
    (void)state;
    Fixture f = open_world(1, 0);
    add_crowd(&f, 6);
    uint64_t hash = plim_world_hash(f.world);
    PlimPose pose = pose_of(&f, 0);
    for (size_t k = 0; k < sizeof pose / sizeof(double); k++) {
        PlimPose broken = pose;
        ((double *)&broken)[k] = NAN;
        assert_int_equal(plim_rigid_set_pose(f.world, 0, &broken), PLIM_BAD_INPUT);
        assert_message(&f, "'body0'");
    }
    PlimPose flat = {.position = {1}};
    assert_int_equal(plim_rigid_set_pose(f.world, 0, &flat), PLIM_BAD_INPUT);
    assert_int_equal(plim_rigid_set_pose(f.world, 3, &pose), PLIM_BAD_INPUT);
    assert_message(&f, "not dynamic");
    assert_int_equal(plim_rigid_set_pose(f.world, 5, &pose), PLIM_BAD_INPUT);
    assert_message(&f, "'body5'");
    assert_int_equal(plim_world_hash(f.world), hash);
    close_world(&f);
}

static void broken_numbers_stop_the_run(void **state) {
    (void)state;
    static const char *const fields[] = {"position", "orientation"};
    for (int k = 0; k < 2; k++) {
        Fixture f = open_world(1, 0);
        PlimRigidDesc desc = box_named("sound");
        add(&f, &desc);
        desc = box_named("rocket");
        (k == 0 ? desc.pose.velocity : desc.pose.angular_velocity)[0] = 1e300;
        desc.pose.angular_velocity[1] = 1;
        desc.shape.size[1] = 0.1;
        add(&f, &desc);
        PlimStatus status = PLIM_OK;
        int steps = 0;
        for (; status == PLIM_OK && steps < 1000; steps++) status = plim_world_step(f.world, 1e6);
        assert_int_equal(status, PLIM_FAILED);
        char text[32];
        snprintf(text, sizeof text, "step %d,", steps);
        assert_message(&f, text);
        assert_message(&f, "rigid");
        assert_message(&f, fields[k]);
        assert_message(&f, "'rocket'");
        close_world(&f);
    }
}

/* Good until t = 0.5, then as `user` says. */
static PlimStatus late_trouble(void *user, PlimContext *context, double t, PlimPose *pose) {
    *pose = (PlimPose){.position = {t}, .orientation = {1}};
    if (t < 0.5) return PLIM_OK;
    if (user) return context_fail(context, PLIM_BAD_INPUT, "no rail");
    pose->velocity[2] = NAN;
    return PLIM_OK;
}

static void broken_paths_stop_the_run(void **state) {
    (void)state;
    int rail;
    for (int k = 0; k < 2; k++) {
        Fixture f = open_world(1, 0);
        PlimRigidDesc desc = box_named("train");
        desc.motion = PLIM_KINEMATIC;
        desc.motion_path = late_trouble;
        desc.motion_user = k ? &rail : NULL;
        add(&f, &desc);
        step(&f, 0.4);
        assert_int_equal(plim_world_step(f.world, 0.4), PLIM_FAILED);
        assert_message(&f, "'train'");
        assert_message(&f, "0.8");
        assert_message(&f, k ? "no rail" : "finite");
        close_world(&f);
    }
}

/* ---- figures and probes ---- */

/* A ball-less pair: masses and inertias given, so that every figure can be had by hand. */
static Fixture two_bodies(void) {
    Fixture f = open_world(1, 0);
    PlimRigidDesc a = box_named("a"), b = box_named("b"), wall = box_named("wall");
    a.mass = 2;
    a.inertia[0] = 1, a.inertia[1] = 2, a.inertia[2] = 2.5;
    a.pose.position[1] = 3;
    a.pose.velocity[0] = 4;
    a.pose.angular_velocity[1] = 5;
    b.mass = 10;
    b.inertia[0] = b.inertia[1] = b.inertia[2] = 6;
    b.pose.position[0] = -1, b.pose.position[1] = -2;
    b.pose.velocity[1] = 1, b.pose.velocity[2] = -3;
    b.pose.angular_velocity[0] = 0.5;
    wall.motion = PLIM_STATIC;
    wall.pose.velocity[0] = 1e6;
    wall.pose.position[1] = 1e6;
    add(&f, &a);
    add(&f, &b);
    add(&f, &wall);
    assert_int_equal(plim_world_measure(f.world), PLIM_OK);
    return f;
}

static void figures_are_those_by_hand(void **state) {
    (void)state;
    Fixture f = two_bodies();
    double kinetic = 0.5 * 2 * 16 + 0.5 * 2 * 25 + 0.5 * 10 * 10 + 0.5 * 6 * 0.25;
    double potential = 9.81 * (2 * 3 + 10 * -2);
    assert_close(figure(&f, "energy.kinetic"), kinetic, 1e-12);
    assert_close(figure(&f, "energy.potential"), potential, 1e-12);
    assert_close(figure(&f, "energy.total"), kinetic + potential, 1e-12);
    assert_close(figure(&f, "momentum.x"), 8, 1e-12);
    assert_close(figure(&f, "momentum.y"), 10, 1e-12);
    assert_close(figure(&f, "momentum.z"), -30, 1e-12);
    /* (0,3,0) x (8,0,0) + (0,10,0) and (-1,-2,0) x (0,10,-30) + (3,0,0) */
    assert_close(figure(&f, "angular_momentum.x"), 60 + 3, 1e-12);
    assert_close(figure(&f, "angular_momentum.y"), 10 - 30, 1e-12);
    assert_close(figure(&f, "angular_momentum.z"), -24 - 10, 1e-12);
    size_t count = plim_world_figure_count(f.world);
    double total = figure(&f, "energy.total");
    for (int i = 0; i < 100; i++) step(&f, 0.05);
    assert_int_equal(plim_world_measure(f.world), PLIM_OK);
    assert_int_equal(plim_world_figure_count(f.world), count);
    assert_close(figure(&f, "energy.total"), total, 1e-9);
    assert_close(figure(&f, "momentum.y"), 10 - 9.81 * 12 * 5, 1e-9);
    close_world(&f);
}

static void probes_read_what_they_name(void **state) {
    (void)state;
    Fixture f = two_bodies();
    static const char *const quantities[] = {
        "position",         "orientation",    "velocity", "angular_velocity",
        "angular_momentum", "kinetic_energy", "mass"};
    static const double expected[] = {-1, -2,  0, 1, 0, 0, 0, 0,     1,
                                      -3, 0.5, 0, 0, 3, 0, 0, 50.75, 10};
    enum { VALUES = sizeof expected / sizeof *expected };
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++)
        assert_int_equal(world_add_probe(f.world, "probe", NULL, "b", quantities[i]), PLIM_OK);
    assert_int_equal(world_probe_value_count(f.world), VALUES);
    double values[VALUES];
    world_probe_values(f.world, values);
    for (size_t i = 0; i < VALUES; i++) assert_close(values[i], expected[i], 1e-12);
    close_world(&f);
}

static void wrong_probes_are_explained(void **state) {
    (void)state;
    Fixture f = open_world(1, 0);
    static const char *const names[] = {"crate_a", "crate_b", "crate_c", "barrel"};
    for (size_t i = 0; i < 4; i++) {
        PlimRigidDesc desc = box_named(names[i]);
        add(&f, &desc);
    }
    assert_int_equal(world_add_probe(f.world, "height", NULL, "barel", "position"), PLIM_BAD_INPUT);
    assert_message(&f, "probe 'height'");
    assert_message(&f, "'barel'");
    assert_message(&f, "did you mean 'barrel'?");
    /* The nearest, not the first that is near. */
    assert_int_equal(world_add_probe(f.world, "height", NULL, "crate_bb", "position"),
                     PLIM_BAD_INPUT);
    assert_message(&f, "did you mean 'crate_b'?");
    assert_int_equal(world_add_probe(f.world, "height", NULL, "submarine", "position"),
                     PLIM_BAD_INPUT);
    assert_null(strstr(plim_message(f.context), "did you mean"));
    assert_int_equal(world_add_probe(f.world, "height", NULL, "barrel", "colour"), PLIM_BAD_INPUT);
    assert_message(&f, "'colour'");
    for (size_t i = 0; i < RIGID_QUANTITY_COUNT; i++) /* those of joints are not a body's */
        if (rigid_quantities[i].applies(f.world->rigid, 0))
            assert_message(&f, rigid_quantities[i].name);
    assert_int_equal(world_probe_value_count(f.world), 0);
    close_world(&f);
}

static void bodies_are_found_by_name(void **state) {
    (void)state;
    Fixture f = open_world(1, 0);
    add_crowd(&f, 1000);
    assert_int_equal(plim_rigid_count(f.world), 1000);
    assert_int_equal(plim_rigid_find(f.world, "body0"), 0);
    assert_int_equal(plim_rigid_find(f.world, "body999"), 999);
    assert_int_equal(plim_rigid_find(f.world, "body1000"), -1);
    assert_int_equal(plim_rigid_find(f.world, ""), -1);
    close_world(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_fall_is_exact),
        cmocka_unit_test(spinning_bodies_keep_what_they_have),
        cmocka_unit_test(wrong_steps_are_refused),
        cmocka_unit_test(wrong_worlds_are_refused),
        cmocka_unit_test(substeps_are_equal_and_end_on_time),
        cmocka_unit_test(snapshots_bring_everything_back),
        cmocka_unit_test(snapshots_fit_their_world_only),
        cmocka_unit_test(dropped_caches_change_nothing),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(hashes_see_the_state),
        cmocka_unit_test(steady_steps_allocate_nothing),
        cmocka_unit_test(refused_memory_is_survived),
        cmocka_unit_test(broken_poses_are_refused),
        cmocka_unit_test(broken_numbers_stop_the_run),
        cmocka_unit_test(broken_paths_stop_the_run),
        cmocka_unit_test(figures_are_those_by_hand),
        cmocka_unit_test(probes_read_what_they_name),
        cmocka_unit_test(wrong_probes_are_explained),
        cmocka_unit_test(bodies_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
