/* Hundreds of bodies at one point: done in time, apart in the end, the same for any number of
 * threads; and nothing is left out where bodies are outside one another. */
#include "contact_world.h"

#include "rigid/contact/deep_overlap.h"

static const double dt = 1.0 / 120;

static int many(void) {
    return test_size(150, 60);
}

static void add_many(Arena *arena, bool balls) {
    arena_add(arena, floor_of("floor"));
    for (int i = 0; i < many(); i++) {
        char name[16];
        snprintf(name, sizeof name, "body %d", i);
        arena_add(arena, balls ? ball_of(name, 0.25, vec3(0, 2, 0))
                               : box_of(name, vec3(0.5, 0.5, 0.5), vec3(0, 2, 0)));
    }
}

static double fastest_of(const Arena *arena) {
    double fastest = 0;
    for (size_t i = 1; i <= (size_t)many(); i++)
        fastest = fmax(fastest, vec3_length(velocity_of(arena, i)));
    return fastest;
}

/* Most others that the middle of one body is closer to than to its own surface. */
static int deepest_overlap(const Arena *arena) {
    int most = 0;
    for (size_t i = 1; i <= (size_t)many(); i++) {
        int inside = 0;
        for (size_t j = 1; j <= (size_t)many(); j++)
            inside += j != i &&
                      vec3_length(vec3_sub(position_of(arena, i), position_of(arena, j))) < 0.25;
        if (inside > most) most = inside;
    }
    return most;
}

static void they_come_apart(void **state) {
    (void)state;
    for (int balls = 0; balls < 2; balls++) {
        Arena arena = arena_open(-9.81);
        add_many(&arena, balls);
        double fastest = 0;
        for (int i = 0; i < 60; i++) {
            arena_step(&arena, dt, 1);
            fastest = fmax(fastest, fastest_of(&arena));
        }
        assert_int_equal(deepest_overlap(&arena), 0);
        assert_true(fastest < 9.81 * 60 * dt + 0.5); /* none is thrown */
        arena_close(&arena);
    }
}

static uint64_t hash_of(int threads) {
    Arena arena = arena_in(test_context(threads), -9.81);
    add_many(&arena, false);
    arena_step(&arena, dt, 12);
    uint64_t hash = plim_world_hash(arena.world);
    arena_close(&arena);
    return hash;
}

static void threads_change_nothing(void **state) {
    (void)state;
    uint64_t one = hash_of(1);
    assert_int_equal(hash_of(2), one);
    assert_int_equal(hash_of(4), one);
}

/* ---- who is in a deep overlap ---- */

typedef struct Group {
    Arena arena;
    RigidBodies *bodies;
    Frame frames[64];
    size_t count;
    Scratch scratch;
} Group;

/* Balls of radius 1 about the origin, all pairs near. */
static void open_group(Group *group, size_t count, double spread) {
    *group = (Group){.arena = arena_open(0), .count = count};
    assert_int_equal(rigid_bodies_create(group->arena.context, &group->bodies), PLIM_OK);
    scratch_init(&group->scratch, group->arena.context);
    for (size_t i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "ball %zu", i);
        Vec3 place =
            vec3((double)(i % 4) * spread, (double)(i / 4 % 4) * spread, (double)(i / 16) * spread);
        PlimRigidDesc desc = ball_of(name, 1, place);
        size_t id;
        assert_int_equal(rigid_bodies_add(group->bodies, &desc, &id), PLIM_OK);
        RigidShape *shape = &group->bodies->shapes.shapes.data[group->bodies->shape[id]];
        assert_int_equal(shape_prepare_contact(group->arena.context, shape), PLIM_OK);
        group->frames[i] = rigid_frame(group->bodies, id);
    }
    for (size_t a = 0; a < count; a++)
        for (size_t b = a + 1; b < count; b++) {
            BroadPair pair = {(int32_t)a, (int32_t)b};
            assert_true(
                array_push(group->arena.context, &group->bodies->contacts.near.items, pair));
        }
}

static size_t thinned(Group *group) {
    StepInfo step = {.scratch = &group->scratch};
    DeepOverlaps overlaps;
    assert_int_equal(deep_overlaps_find(group->bodies, &step, group->frames, &overlaps), PLIM_OK);
    deep_overlaps_thin(&overlaps, &group->bodies->contacts);
    return group->bodies->contacts.left_out;
}

static void close_group(Group *group) {
    rigid_class.destroy(group->bodies);
    scratch_free(&group->scratch);
    arena_close(&group->arena);
}

static void neighbours_are_no_deep_overlap(void **state) {
    (void)state;
    Group group;
    open_group(&group, 64, 1.9); /* 5% of the diameter inside one another */
    assert_int_equal(thinned(&group), 0);
    close_group(&group);
    open_group(&group, 7, 0); /* six others are no deep overlap yet */
    assert_int_equal(thinned(&group), 0);
    close_group(&group);
}

static void a_deep_overlap_is_thinned(void **state) {
    (void)state;
    Group group;
    open_group(&group, 64, 0.01);
    size_t pairs = 64 * 63 / 2, left_out = thinned(&group);
    size_t kept = group.bodies->contacts.near.items.count;
    assert_int_equal(kept + left_out, pairs);
    assert_true(kept > 64 * 20 / 2 * 3 / 4 && kept < 64 * 20 / 2 * 5 / 4);
    close_group(&group);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_come_apart),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(neighbours_are_no_deep_overlap),
        cmocka_unit_test(a_deep_overlap_is_thinned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
