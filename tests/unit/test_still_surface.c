/* Bodies that meet still surfaces: rest, friction, fast ones, rooms, states; against the same with
 * static half spaces that are bodies. */
#include "contact_world.h"

#include "rigid/still_surfaces.h"

static const double dt = 1.0 / 120, g = 9.81;

/* ---- worlds ---- */

typedef enum Ground { GROUND_SURFACE, GROUND_BODY } Ground;

static Arena open_in(int dim, int threads, Vec3 gravity) {
    Arena arena = {.context = test_context(threads)};
    PlimWorldDesc desc = plim_world_desc_default();
    vec3_store(desc.gravity, gravity);
    assert_int_equal(plim_world_create(arena.context, &desc, &arena.world), PLIM_OK);
    PlimRigidOptions options = plim_rigid_options_default();
    options.plane = dim == 2;
    arena_configure(&arena, options);
    return arena;
}

static void add_surface(Arena *arena, Vec3 point, Vec3 normal, double friction) {
    StillSurface surface = {.name = "wall",
                            .point = point,
                            .normal = normal,
                            .material = {.friction = friction, .kinetic_friction = friction}};
    assert_int_equal(rigid_bodies_add_still_surface(arena->world->rigid, &surface), PLIM_OK);
}

static void add_half_space(Arena *arena, Vec3 point, Vec3 normal, double friction) {
    char name[32];
    snprintf(name, sizeof name, "ground %zu", plim_rigid_count(arena->world));
    PlimRigidDesc desc = body_of(name, PLIM_SHAPE_HALF_SPACE, point);
    desc.motion = PLIM_STATIC;
    desc.friction = friction;
    Vec3 turn = vec3_cross(vec3(0, 1, 0), normal);
    double sine = vec3_length(turn), angle = atan2(sine, normal.y);
    if (sine > 0) quat_store(desc.pose.orientation, quat_exp(vec3_scale(angle / sine, turn)));
    arena_add(arena, desc);
}

static void add_ground(Arena *arena, Ground ground, Vec3 point, Vec3 normal, double friction) {
    if (ground == GROUND_SURFACE)
        add_surface(arena, point, normal, friction);
    else
        add_half_space(arena, point, normal, friction);
}

/* An angle iron about z: sides of 0.4, half as thick. */
static PlimRigidDesc angle_of(const char *name, Vec3 position) {
    static const double corners[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
    static const int32_t triangles[20][3] = {
        {2, 1, 0},   {3, 2, 0},  {4, 3, 0},  {5, 4, 0},   {6, 7, 8}, {6, 8, 9}, {6, 9, 10},
        {6, 10, 11}, {0, 1, 7},  {0, 7, 6},  {1, 2, 8},   {1, 8, 7}, {2, 3, 9}, {2, 9, 8},
        {3, 4, 10},  {3, 10, 9}, {4, 5, 11}, {4, 11, 10}, {5, 0, 6}, {5, 6, 11}};
    static double vertices[36];
    static const PlimMeshDesc mesh = {vertices, 12, &triangles[0][0], 20};
    for (int i = 0; i < 12; i++) {
        vertices[3 * i] = 0.2 * corners[i % 6][0];
        vertices[3 * i + 1] = 0.2 * corners[i % 6][1];
        vertices[3 * i + 2] = i < 6 ? -0.15 : 0.15;
    }
    PlimRigidDesc desc = body_of(name, PLIM_SHAPE_MESH, position);
    desc.shape.mesh = &mesh;
    desc.shape.cells = 24;
    return desc;
}

static PlimRigidDesc ring_of(const char *name, Vec3 position) {
    PlimRigidDesc desc = body_of(name, PLIM_SHAPE_TORUS, position);
    desc.shape.radius = 0.2;
    desc.shape.tube = 0.06;
    return desc;
}

/* Each kind of contact: polyhedra, round cores, sampled surfaces. All are about 0.4 m large. */
enum { KINDS = 4 };
static PlimRigidDesc body_of_kind(int kind, const char *name, Vec3 position) {
    switch (kind) {
    case 0:
        return box_of(name, vec3(0.4, 0.3, 0.35), position);
    case 1:
        return ball_of(name, 0.2, position);
    case 2:
        return ring_of(name, position);
    default:
        return angle_of(name, position);
    }
}

/* ---- rest ---- */

typedef struct Rest {
    PlimPose pose;
    double asleep, penetration;
} Rest;

/* Let fall, turned, from a little above the ground. Gravity acts against its normal. */
static Rest fall_to_rest(Ground ground, int dim, int kind, Vec3 normal) {
    Arena arena = open_in(dim, 1, vec3_scale(-g, normal));
    Vec3 point = vec3(0.3, -0.2, 0);
    PlimRigidDesc desc = body_of_kind(kind, "body", vec3_add_scaled(point, 0.35, normal));
    Quat turn = quat_exp(dim == 2 ? vec3(0, 0, 0.4) : vec3(0.2, 0.3, 0.4));
    quat_store(desc.pose.orientation, turn);
    desc.rolling_friction = 0.02; /* else a ball that rolls has no end */
    /* What falls straight down slides in no direction at first, and rounding would choose one. */
    vec3_store(desc.pose.velocity, dim == 2 ? vec3(0.3, 0.2, 0) : vec3(0.3, 0.2, 0.1));
    size_t body = arena_add(&arena, desc);
    add_ground(&arena, ground, point, normal, 0.5);
    arena_step(&arena, dt, 600);
    Rest rest = {pose_of(&arena, body), figure_of(&arena, "asleep"),
                 figure_of(&arena, "penetration.max")};
    arena_close(&arena);
    return rest;
}

static void assert_same_rest(int dim, int kind, Vec3 normal, double tolerance) {
    const double size = 0.3;
    Rest surface = fall_to_rest(GROUND_SURFACE, dim, kind, normal);
    Rest body = fall_to_rest(GROUND_BODY, dim, kind, normal);
    assert_vector_close(vec3_load(surface.pose.position), vec3_load(body.pose.position),
                        tolerance * size);
    for (int k = 0; k < 4; k++)
        assert_close(surface.pose.orientation[k], body.pose.orientation[k], tolerance);
    assert_vector_close(vec3_load(surface.pose.velocity), vec3(0, 0, 0), 1e-9);
    assert_vector_close(vec3_load(surface.pose.angular_velocity), vec3(0, 0, 0), 1e-9);
    assert_close(surface.asleep, 1, 0);
    assert_true(surface.penetration < 2e-3 * size);
}

static void bodies_rest_as_on_a_half_space(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int kind = 0; kind < KINDS; kind++) {
            if (dim == 2 && kind == 2) continue; /* the plane cuts two discs out of a ring */
            assert_same_rest(dim, kind, vec3(0, 1, 0), 0);
            assert_same_rest(dim, kind, vec3(1, 0, 0), 1e-3);
        }
    for (int kind = 0; kind < KINDS; kind++) {
        assert_same_rest(3, kind, vec3(0, 0, -1), 1e-3);
        assert_same_rest(3, kind, vec3_normalize(vec3(1, 2, -0.5)), 1e-3);
    }
}

/* A stack of cubes in a corner: the wall beside it changes nothing, and all fall asleep. */
static void a_stack_in_a_corner(void **state) {
    (void)state;
    Arena arena = open_in(3, 1, vec3(0, -g, 0));
    arena_add_stack(&arena, 5, 0);
    add_surface(&arena, vec3(-0.5, 0, 0), vec3(1, 0, 0), 0.5);
    add_surface(&arena, vec3(0, 0, 0), vec3(0, 1, 0), 0.5);
    arena_step(&arena, dt, 240);
    for (size_t i = 0; i < 5; i++)
        assert_vector_close(position_of(&arena, i), vec3(0, 0.5 + (double)i, 0), 2e-3);
    assert_close(figure_of(&arena, "asleep"), 5, 0);
    arena_close(&arena);
}

/* ---- friction ---- */

/* A ball that does not turn slides along the groove between two surfaces that rise at `slope` on
 * both sides; each presses with half the weight over the cosine. */
static double slide_in_groove(Ground ground, double slope, double friction, double tilt) {
    Arena arena = open_in(3, 1, vec3(0, -g * cos(tilt), g * sin(tilt)));
    const double radius = 0.2;
    PlimRigidDesc ball = ball_of("ball", radius, vec3(0, radius / cos(slope), 0));
    ball.lock_rotation = 1;
    ball.friction = 0;
    size_t body = arena_add(&arena, ball);
    for (int side = -1; side <= 1; side += 2)
        add_ground(&arena, ground, vec3(0, 0, 0), vec3(side * sin(slope), cos(slope), 0), friction);
    arena_step(&arena, 0.01, 100);
    Vec3 moved = position_of(&arena, body);
    assert_close(moved.x, 0, 1e-6);
    assert_close(moved.y, radius / cos(slope), 1e-3 * radius);
    arena_close(&arena);
    return moved.z;
}

static void friction_in_a_groove(void **state) {
    (void)state;
    static const double cases[][3] = {
        {0.6, 0.2, 0.5}, {0.6, 0, 0.3}, {1.0, 0.1, 0.4}, {0.5, 0.6, 0.3}, {1.0, 0.5, 0.6}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double slope = cases[k][0], friction = cases[k][1], tilt = cases[k][2];
        double expected = 0.5 * g * fmax(0, sin(tilt) - friction * cos(tilt) / cos(slope));
        double surfaces = slide_in_groove(GROUND_SURFACE, slope, friction, tilt);
        double bodies = slide_in_groove(GROUND_BODY, slope, friction, tilt);
        assert_close(surfaces, expected, 1e-6);
        assert_close(surfaces, bodies, 1e-9);
    }
}

/* ---- fast bodies and rooms ---- */

/* Domains of 2 m side by side, with walls on all sides. */
static const Box3 left_box = {{-2, 0, -1}, {0, 2, 1}}, right_box = {{0, 0, -1}, {2, 2, 1}};
static const Room left_room = {{{-2, 0, -1}, {0, 2, 1}}, &right_box, 1},
                  right_room = {{{0, 0, -1}, {2, 2, 1}}, &left_box, 1};

static void add_walls(Arena *arena, const Room *room, int dim) {
    double ends[2][3];
    vec3_store(ends[0], room->box.low);
    vec3_store(ends[1], room->box.high);
    for (int axis = 0; axis < dim; axis++)
        for (int end = 0; end < 2; end++) {
            StillSurface wall = {.name = "wall",
                                 .room = *room,
                                 .material = {.friction = 0.5, .kinetic_friction = 0.5}};
            wall.point = vec3_scale(ends[end][axis], vec3_axis(axis));
            wall.normal = vec3_scale(end ? -1 : 1, vec3_axis(axis));
            assert_int_equal(rigid_bodies_add_still_surface(arena->world->rigid, &wall), PLIM_OK);
        }
}

/* Whatever its speed, a body stays on its side. */
static void fast_bodies_do_not_tunnel(void **state) {
    (void)state;
    static const double speeds[] = {1, 10, 100, 1000, 1e5};
    for (int dim = 2; dim <= 3; dim++)
        for (size_t s = 0; s < sizeof speeds / sizeof *speeds; s++) {
            Arena arena = open_in(dim, 1, vec3(0, -g, 0));
            for (int kind = 0; kind < KINDS; kind++) {
                char name[8];
                snprintf(name, sizeof name, "%d", kind);
                Vec3 place = vec3(-1.6 + 0.45 * kind, 1, 0);
                PlimRigidDesc desc = body_of_kind(kind, name, place);
                double z = dim == 2 ? 0 : 0.2;
                vec3_store(desc.pose.velocity, vec3_scale(speeds[s], vec3(1, 0.3 - 0.2 * kind, z)));
                desc.pose.angular_velocity[2] = 3;
                arena_add(&arena, desc);
            }
            add_walls(&arena, &left_room, dim);
            for (int step = 0; step < 40; step++) {
                arena_step(&arena, dt, 1);
                for (size_t i = 0; i < KINDS; i++)
                    assert_true(room_holds(&left_room, position_of(&arena, i)));
            }
            arena_step(&arena, dt, 360);
            assert_true(figure_of(&arena, "penetration.max") < 5e-3);
            arena_close(&arena);
        }
}

/* Steps are as short as near a body, and only there. */
static void steps_are_short_near_a_wall(void **state) {
    (void)state;
    for (int near = 0; near < 2; near++) {
        Arena arena = open_in(3, 1, vec3(0, 0, 0));
        PlimRigidDesc ball = ball_of("ball", 0.2, vec3(near ? -1 : -100, 1, 0));
        ball.pose.velocity[0] = 100;
        arena_add(&arena, ball);
        add_surface(&arena, vec3(0, 0, 0), vec3(-1, 0, 0), 0.5);
        add_surface(&arena, vec3(0, -50, 0), vec3(0, 1, 0), 0.5);
        StepInfo step = world_step_info(arena.world, 0.1);
        double longest = rigid_class.max_dt(arena.world->rigid, &step);
        assert_close(fmin(longest, 1), near ? 0.5 * 0.4 / 100 : 1, 1e-12);
        arena_close(&arena);
    }
}

/* Each domain's walls hold what is in it, and nothing else: side by side bodies move as each does
 * alone. */
static void walls_hold_those_in_their_room(void **state) {
    (void)state;
    PlimPose alone[2], both[2];
    for (int way = 0; way < 3; way++) {
        Arena arena = open_in(3, 1, vec3(0, -g, 0));
        size_t body = 0;
        for (int side = 0; side < 2; side++) {
            if (way == !side) continue;
            PlimRigidDesc desc =
                box_of(side ? "right" : "left", vec3(0.4, 0.3, 0.35), vec3(side ? 1 : -1, 1, 0));
            quat_store(desc.pose.orientation, quat_exp(vec3(0.2, 0.3, 0.4)));
            desc.pose.velocity[0] = side ? -3 : 3;
            body = arena_add(&arena, desc);
        }
        if (way != 1) add_walls(&arena, &left_room, 3);
        if (way != 0) add_walls(&arena, &right_room, 3);
        arena_step(&arena, dt, 300);
        if (way < 2) alone[way] = pose_of(&arena, body);
        if (way == 2)
            for (size_t i = 0; i < 2; i++) both[i] = pose_of(&arena, i);
        arena_close(&arena);
    }
    for (int i = 0; i < 2; i++)
        assert_vector_close(vec3_load(alone[i].position), vec3_load(both[i].position), 1e-6);
    assert_true(both[0].position[0] < -0.1 && both[1].position[0] > 0.1);
    /* One outside every room falls past them. */
    Arena arena = open_in(3, 1, vec3(0, -g, 0));
    size_t outside = arena_add(&arena, ball_of("outside", 0.2, vec3(2.1, 1, 0)));
    add_walls(&arena, &left_room, 3);
    add_walls(&arena, &right_room, 3);
    arena_step(&arena, dt, 120);
    assert_vector_close(position_of(&arena, outside), vec3(2.1, 1 - 0.5 * g, 0), 1e-9);
    arena_close(&arena);
}

/* ---- states ---- */

/* Bodies of every kind tumble into a box. */
static Arena open_heap(int dim, int threads, size_t count) {
    Arena arena = open_in(dim, threads, vec3(0, -g, 0));
    for (size_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "body %zu", i);
        Vec3 place = vec3(-1.7 + 0.45 * (double)(i % 4), 0.35 + 0.45 * (double)(i / 4), 0);
        PlimRigidDesc desc = body_of_kind((int)i % KINDS, name, place);
        desc.pose.velocity[0] = i % 2 ? 1 : -1;
        if (dim == 3) desc.pose.velocity[2] = (double)(i % 3) - 1;
        desc.pose.angular_velocity[2] = 1;
        arena_add(&arena, desc);
    }
    add_walls(&arena, &left_room, dim);
    return arena;
}

static void threads_do_not_change_bits(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        uint64_t hash = 0;
        for (int threads = 1; threads <= 4; threads *= 2) {
            Arena arena = open_heap(dim, threads, 14);
            arena_step(&arena, dt, 60);
            uint64_t found = plim_world_hash(arena.world);
            if (threads == 1) hash = found;
            assert_int_equal(found, hash);
            arena_close(&arena);
        }
    }
}

static void snapshots_bring_touches_back(void **state) {
    (void)state;
    Arena arena = open_heap(3, 1, 8), other = open_heap(3, 1, 8);
    arena_step(&arena, dt, 60);
    PlimSnapshot *snapshot = NULL;
    assert_int_equal(plim_snapshot_create(arena.world, &snapshot), PLIM_OK);
    arena_step(&arena, dt, 60);
    uint64_t end = plim_world_hash(arena.world);
    assert_int_equal(plim_snapshot_restore(arena.world, snapshot), PLIM_OK);
    arena_step(&arena, dt, 60);
    assert_int_equal(plim_world_hash(arena.world), end);
    /* In another world, as after a resume. */
    assert_int_equal(plim_snapshot_restore(other.world, snapshot), PLIM_OK);
    arena_step(&other, dt, 60);
    assert_int_equal(plim_world_hash(other.world), end);
    plim_snapshot_destroy(snapshot);
    arena_close(&arena);
    arena_close(&other);
}

/* Nobody counts them or sees them; contact numbers them after the bodies. */
static void surfaces_are_no_bodies(void **state) {
    (void)state;
    Arena arena = open_in(3, 1, vec3(0, -g, 0));
    arena_add(&arena, box_of("crate", vec3(0.4, 0.4, 0.4), vec3(-1, 0.2, 0)));
    add_walls(&arena, &left_room, 3);
    assert_int_equal(plim_rigid_count(arena.world), 1);
    assert_int_equal(plim_rigid_find(arena.world, "wall"), -1);
    assert_int_equal(rigid_surfaces.count(arena.world->rigid), 1);
    FrameView frame = {0};
    size_t mark = scratch_mark(&arena.world->scratch);
    assert_int_equal(world_view_frame(arena.world, &frame), PLIM_OK);
    assert_int_equal(frame.meshes[0].object_count, 1);
    scratch_release(&arena.world->scratch, mark);
    arena_step(&arena, dt, 1);
    const RigidBodies *bodies = arena.world->rigid;
    assert_int_equal(bodies->sizes[RIGID_GROUP_WARM_STARTS].count, 4); /* corners on the floor */
    for (int t = 0; t < 4; t++) assert_int_equal(bodies->touch_pair[2 * t + 1], 1 + 2);
    arena_close(&arena);
}

static void boxes_and_axes(void **state) {
    (void)state;
    StillSurface surface = {.point = {1, 2, 3}, .normal = {0, 0, -1}};
    Box3 box = still_surface_box(&surface);
    assert_true(box.low.z == 3 && box.high.z == HUGE_VAL && box.low.x == -HUGE_VAL);
    surface.normal = vec3(1, 0, 0);
    box = still_surface_box(&surface);
    assert_true(box.high.x == 1 && box.low.x == -HUGE_VAL && box.high.z == HUGE_VAL);
    surface.normal = vec3_normalize(vec3(1, -3, 2));
    box = still_surface_box(&surface);
    assert_true(box.high.x == HUGE_VAL && box.low.y == -HUGE_VAL);
    static const double normals[][3] = {{1, 0, 0},     {-1, 0, 0},        {0, 1, 0},
                                        {0, -1, 0},    {0, 0, 1},         {0, 0, -1},
                                        {0.6, 0.8, 0}, {0.48, 0.6, 0.64}, {0.36, 0.48, -0.8}};
    for (size_t k = 0; k < sizeof normals / sizeof *normals; k++) {
        surface.normal = vec3_load(normals[k]);
        Frame frame = still_surface_frame(&surface);
        assert_vector_close(mat3_column(frame.axes, 1), surface.normal, 0);
        assert_close(mat3_determinant(frame.axes), 1, 1e-12);
        Mat3 product = mat3_multiply(mat3_transpose(frame.axes), frame.axes);
        for (int c = 0; c < 3; c++)
            assert_vector_close(mat3_column(product, c), vec3_axis(c), 1e-12);
        if (surface.normal.z == 0)
            assert_vector_close(mat3_column(frame.axes, 2), vec3(0, 0, 1), 1e-15);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_rest_as_on_a_half_space),
        cmocka_unit_test(a_stack_in_a_corner),
        cmocka_unit_test(friction_in_a_groove),
        cmocka_unit_test(fast_bodies_do_not_tunnel),
        cmocka_unit_test(steps_are_short_near_a_wall),
        cmocka_unit_test(walls_hold_those_in_their_room),
        cmocka_unit_test(threads_do_not_change_bits),
        cmocka_unit_test(snapshots_bring_touches_back),
        cmocka_unit_test(surfaces_are_no_bodies),
        cmocka_unit_test(boxes_and_axes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
