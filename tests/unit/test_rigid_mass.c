/* Mass, centre and inertia of bodies against quadrature by slices; C and scenes alike, in space and
 * in a plane. */
#include "check.h"

#include "geom/solid.h"
#include "math/quat.h"
#include "plimsoll/plimsoll.h"
#include "world/world.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

/* ---- slices ---- */

/* Solids of revolution about y: radii of the ring that a slice at height y is. */
typedef struct Ring {
    double inner, outer;
} Ring;

static Ring ring_at(const PlimShapeDesc *s, double y) {
    double half = 0.5 * s->height, beyond = fmax(fabs(y) - half, 0.0);
    switch (s->kind) {
    case PLIM_SHAPE_BALL:
        return (Ring){0, sqrt(fmax(s->radius * s->radius - y * y, 0.0))};
    case PLIM_SHAPE_CAPSULE:
        return (Ring){0, sqrt(fmax(s->radius * s->radius - beyond * beyond, 0.0))};
    case PLIM_SHAPE_CONE:
        return (Ring){0, s->radius * (half - y) / s->height};
    case PLIM_SHAPE_TORUS: {
        double across = sqrt(fmax(s->tube * s->tube - y * y, 0.0));
        return (Ring){s->radius - across, s->radius + across};
    }
    default:
        return (Ring){0, s->radius};
    }
}

typedef struct Sums {
    double volume, center, about, across; /* m^3, m, and m^5 about the centre */
} Sums;

/* y = end sin(a): even steps in a, which smooth out the roots where slices vanish; Simpson. */
static void add_slices(const PlimShapeDesc *s, double low, double high, Sums *sum) {
    enum { SLICES = 4000 };
    for (int i = 0; i <= SLICES; i++) {
        double a = -0.5 * pi + pi * i / SLICES, mean = 0.5 * (low + high),
               half = 0.5 * (high - low);
        double y = mean + half * sin(a);
        double weight = (i == 0 || i == SLICES ? 1 : i % 2 ? 4 : 2) * pi / SLICES / 3;
        double step = weight * half * cos(a);
        Ring ring = ring_at(s, y);
        double in = ring.inner * ring.inner, out = ring.outer * ring.outer;
        double area = pi * (out - in), polar = 0.5 * pi * (out * out - in * in);
        sum->volume += step * area;
        sum->center += step * area * y;
        sum->about += step * polar;
        sum->across += step * (0.5 * polar + area * y * y);
    }
}

static Sums slice(const PlimShapeDesc *s) {
    Sums sum = {0};
    double half = 0.5 * s->height;
    if (s->kind == PLIM_SHAPE_BALL) {
        add_slices(s, -s->radius, s->radius, &sum);
    } else if (s->kind == PLIM_SHAPE_TORUS) {
        add_slices(s, -s->tube, s->tube, &sum);
    } else {
        add_slices(s, -half, half, &sum);
        if (s->kind == PLIM_SHAPE_CAPSULE) {
            add_slices(s, half, half + s->radius, &sum);
            add_slices(s, -half - s->radius, -half, &sum);
        }
    }
    sum.center /= sum.volume;
    sum.across -= sum.volume * sum.center * sum.center;
    return sum;
}

/* ---- bodies ---- */

static PlimWorld *open_world(PlimContext *context, int plane) {
    PlimWorldDesc desc = plim_world_desc_default();
    PlimRigidOptions options = plim_rigid_options_default();
    PlimWorld *world = NULL;
    options.plane = plane;
    assert_int_equal(plim_world_create(context, &desc, &world), PLIM_OK);
    assert_int_equal(plim_rigid_configure(world, &options), PLIM_OK);
    return world;
}

static PlimRigidDesc body(PlimShapeKind kind) {
    PlimRigidDesc desc = plim_rigid_desc_default();
    desc.name = "body";
    desc.density = 700;
    desc.shape.kind = kind;
    desc.shape.radius = 0.7;
    desc.shape.height = 1.3;
    desc.shape.segments = 7; /* coarse: triangles do not count */
    desc.shape.sides = 5;
    desc.shape.subdivisions = 1;
    return desc;
}

static size_t add(PlimWorld *world, const PlimRigidDesc *desc) {
    size_t id = 0;
    if (plim_rigid_add(world, desc, &id) != PLIM_OK) fail_msg("%s", plim_message(world->context));
    return id;
}

static void true_shapes_in_space(void **state) {
    (void)state;
    static const PlimShapeKind kinds[] = {PLIM_SHAPE_BALL, PLIM_SHAPE_CYLINDER, PLIM_SHAPE_CAPSULE,
                                          PLIM_SHAPE_TORUS, PLIM_SHAPE_CONE};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        PlimContext *context = test_context(1);
        PlimWorld *world = open_world(context, 0);
        PlimRigidDesc desc = body(kinds[k]);
        size_t id = add(world, &desc);
        const RigidBodies *b = world->rigid;
        Sums sum = slice(&desc.shape);
        assert_close(b->volume[id] / sum.volume, 1, 1e-11);
        assert_close(b->mass[id] / (700 * sum.volume), 1, 1e-11);
        assert_close(-b->extras.data[id].solid->position.y, sum.center, 1e-11);
        for (int i = 0; i < 9; i++) {
            double expected = i == 4 ? sum.about : i % 4 == 0 ? sum.across : 0;
            assert_close(b->inertia[9 * id + (size_t)i] / (700 * sum.across), expected / sum.across,
                         1e-11);
        }
        plim_world_destroy(world);
        test_context_close(context);
    }
}

/* ---- cuts ---- */

/* Area, centre and polar moment of the cut of a convex solid, by rows of the plane: the ends of
 * each are found by bisection, from where the distance is least. */
typedef struct Cut {
    double area, x, y, polar;
} Cut;

/* Where a row is deepest inside: a convex function's minimum by thirds. */
static double deepest_in_row(const Solid *solid, double far, double y) {
    double low = -far, high = far;
    for (int i = 0; i < 100; i++) {
        double a = low + (high - low) / 3, b = high - (high - low) / 3;
        if (solid_distance(solid, vec3(a, y, 0)) < solid_distance(solid, vec3(b, y, 0)))
            high = b;
        else
            low = a;
    }
    return 0.5 * (low + high);
}

static double end_of_row(const Solid *solid, double inside, double outside, double y) {
    for (int i = 0; i < 60; i++) {
        double x = 0.5 * (inside + outside);
        if (solid_distance(solid, vec3(x, y, 0)) < 0)
            inside = x;
        else
            outside = x;
    }
    return inside;
}

/* The last row that meets the solid, on the way from one that does to one that does not. */
static double last_row(const Solid *solid, double far, double inside, double outside) {
    for (int i = 0; i < 60; i++) {
        double y = 0.5 * (inside + outside);
        if (solid_distance(solid, vec3(deepest_in_row(solid, far, y), y, 0)) < 0)
            inside = y;
        else
            outside = y;
    }
    return inside;
}

/* `start` is the y of some row that meets it. */
static Cut cut_by_rows(const Solid *solid, double far, double start) {
    enum { ROWS = 4000 };
    Cut cut = {0};
    double low = last_row(solid, far, start, -far), high = last_row(solid, far, start, far);
    for (int i = 0; i < ROWS; i++) {
        double angle = -0.5 * pi + pi * (i + 0.5) / ROWS, half = 0.5 * (high - low);
        double y = 0.5 * (low + high) + half * sin(angle), row = half * cos(angle) * pi / ROWS;
        double inside = deepest_in_row(solid, far, y);
        double a = end_of_row(solid, inside, -far, y), b = end_of_row(solid, inside, far, y);
        cut.area += row * (b - a);
        cut.x += row * (b * b - a * a) / 2;
        cut.y += row * (b - a) * y;
        cut.polar += row * ((b * b * b - a * a * a) / 3 + (b - a) * y * y);
    }
    cut.x /= cut.area;
    cut.y /= cut.area;
    cut.polar -= cut.area * (cut.x * cut.x + cut.y * cut.y);
    return cut;
}

static Solid solid_of(const PlimRigidDesc *desc, Vec3 origin) {
    static const SolidKind kinds[] = {[PLIM_SHAPE_BOX] = SOLID_BOX,
                                      [PLIM_SHAPE_BALL] = SOLID_BALL,
                                      [PLIM_SHAPE_CYLINDER] = SOLID_CYLINDER,
                                      [PLIM_SHAPE_CAPSULE] = SOLID_CAPSULE,
                                      [PLIM_SHAPE_CONE] = SOLID_CONE};
    Solid solid = solid_default(kinds[desc->shape.kind]);
    memcpy(solid.size, desc->shape.size, sizeof solid.size);
    solid.radius = desc->shape.radius;
    solid.height = desc->shape.height;
    solid.orientation = quat_load(desc->pose.orientation);
    solid.position = origin;
    return solid;
}

static void check_cut(PlimShapeKind kind) {
    PlimContext *context = test_context(1);
    PlimWorld *world = open_world(context, 1);
    PlimRigidDesc desc = body(kind);
    quat_store(desc.pose.orientation, quat_exp(vec3(0.5, -0.3, 0.4)));
    vec3_store(desc.pose.position, vec3(0.1, -0.2, 0.15));
    size_t id = add(world, &desc);
    const RigidBodies *b = world->rigid;
    Vec3 center = kind == PLIM_SHAPE_CONE ? vec3(0, -0.25 * desc.shape.height, 0) : vec3(0, 0, 0);
    Vec3 origin = vec3_sub(vec3_load(desc.pose.position),
                           quat_rotate(quat_load(desc.pose.orientation), center));
    Solid solid = solid_of(&desc, origin);
    Cut cut = cut_by_rows(&solid, 2, desc.pose.position[1]);
    assert_close(b->mass[id] / (700 * cut.area), 1, 1e-6); /* of the rows, at corners */
    assert_close(b->volume[id] / cut.area, 1, 1e-6);
    assert_close(b->position[3 * id], cut.x, 1e-6);
    assert_close(b->position[3 * id + 1], cut.y, 1e-6);
    assert_close(b->position[3 * id + 2], 0, 0);
    assert_close(b->inertia[9 * id + 8] / (700 * cut.polar), 1, 1e-6);
    plim_world_destroy(world);
    test_context_close(context);
}

static void true_cuts_in_a_plane(void **state) {
    (void)state;
    check_cut(PLIM_SHAPE_BOX);
    check_cut(PLIM_SHAPE_BALL);
    check_cut(PLIM_SHAPE_CYLINDER);
    check_cut(PLIM_SHAPE_CAPSULE);
    check_cut(PLIM_SHAPE_CONE);
}

/* The cut of a mesh is a polygon; here a box's, whose cut is measured as a solid too. */
static void a_mesh_is_cut_like_its_solid(void **state) {
    (void)state;
    static const double corners[] = {-0.5, -0.5, -0.5, 0.5,  -0.5, -0.5, 0.5, 0.5,
                                     -0.5, -0.5, 0.5,  -0.5, -0.5, -0.5, 0.5, 0.5,
                                     -0.5, 0.5,  0.5,  0.5,  0.5,  -0.5, 0.5, 0.5};
    static const int32_t faces[] = {0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                                    3, 7, 6, 3, 6, 2, 0, 4, 7, 0, 7, 3, 1, 2, 6, 1, 6, 5};
    const PlimMeshDesc mesh = {corners, 8, faces, 12};
    PlimContext *context = test_context(1);
    PlimWorld *world = open_world(context, 1);
    PlimRigidDesc desc = body(PLIM_SHAPE_BOX);
    quat_store(desc.pose.orientation, quat_exp(vec3(0.5, -0.3, 0.4)));
    desc.pose.position[2] = 0.2;
    size_t box = add(world, &desc);
    desc.name = "mesh";
    desc.shape.kind = PLIM_SHAPE_MESH;
    desc.shape.mesh = &mesh;
    size_t id = add(world, &desc);
    const RigidBodies *b = world->rigid;
    assert_close(b->mass[id] / b->mass[box], 1, 1e-7);
    assert_close(b->inertia[9 * id] / b->inertia[9 * box], 1, 1e-7);
    for (size_t i = 0; i < 3; i++)
        assert_close(b->position[3 * id + i], b->position[3 * box + i], 1e-7);
    plim_world_destroy(world);
    test_context_close(context);
}

static void a_plane_is_chosen_first(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    PlimWorld *world = open_world(context, 0);
    PlimRigidDesc desc = body(PLIM_SHAPE_BALL);
    add(world, &desc);
    PlimRigidOptions options = plim_rigid_options_default();
    options.plane = 1;
    assert_int_equal(plim_rigid_configure(world, &options), PLIM_BAD_INPUT);
    assert_non_null(strstr(plim_message(context), "before the first body"));
    plim_world_destroy(world);
    world = open_world(context, 1);
    desc.pose.position[2] = 0.8; /* beside the plane */
    size_t id;
    assert_int_equal(plim_rigid_add(world, &desc, &id), PLIM_BAD_INPUT);
    assert_non_null(strstr(plim_message(context), "z = 0"));
    plim_world_destroy(world);
    test_context_close(context);
}

/* ---- scenes ---- */

static void check_scene(PlimShapeKind kind, const char *shape, const char *rest, int plane) {
    char text[1024];
    snprintf(text, sizeof text,
             "plimsoll: 1\n%s\nrigid: {bodies: [{name: body, density: 700, shape: %s, position: "
             "[0.5, 0.5, %g]}]}\n",
             rest, shape, plane ? 0.1 : 0.5);
    PlimContext *context = test_context(1);
    PlimScene *scene = NULL;
    PlimWorld *built = NULL, *world = open_world(context, plane);
    if (plim_scene_parse(context, "scene.yaml", text, strlen(text), NULL, 0, &scene) != PLIM_OK ||
        plim_scene_create_world(scene, &built) != PLIM_OK)
        fail_msg("%s", plim_message(context));
    PlimRigidDesc desc = body(kind);
    desc.shape.radius = 0.2;
    desc.shape.height = 0.3;
    desc.shape.tube = 0.05;
    vec3_store(desc.shape.size, vec3(0.2, 0.3, 0.4));
    double lower = kind == PLIM_SHAPE_CONE ? 0.25 * desc.shape.height : 0;
    vec3_store(desc.pose.position, vec3(0.5, 0.5 - lower, plane ? 0.1 : 0.5));
    size_t id = add(world, &desc);
    const RigidBodies *a = world->rigid, *b = built->rigid;
    size_t other = rigid_bodies_find(b, "body");
    assert_true(a->mass[id] == b->mass[other]);
    assert_true(a->volume[id] == b->volume[other]);
    assert_memory_equal(a->inertia + 9 * id, b->inertia + 9 * other, 9 * sizeof(double));
    for (size_t i = 0; i < 3; i++)
        assert_close(a->position[3 * id + i], b->position[3 * other + i], 1e-15);
    plim_world_destroy(built);
    plim_scene_destroy(scene);
    plim_world_destroy(world);
    test_context_close(context);
}

/* The same body by C, in a scene, and in a scene with a fluid, to the bit. */
static void scenes_weigh_like_c(void **state) {
    (void)state;
    static const char fluid[] = "fluid: {domain: {low: [0, 0, 0], high: [1, 1, 1]}, cells: 16}\n"
                                "coupling: {fluid: one_way}";
    static const char flat[] = "dim: 2\ngravity: [0, -9.81, 0]\n"
                               "fluid: {domain: {low: [0, 0, 0], high: [1, 1, 1]}, cells: 16}\n"
                               "coupling: {fluid: one_way}";
    static const struct {
        PlimShapeKind kind;
        const char *text;
    } shapes[] = {{PLIM_SHAPE_BALL, "{ball: {radius: 0.2}}"},
                  {PLIM_SHAPE_BOX, "{box: {size: [0.2, 0.3, 0.4]}}"},
                  {PLIM_SHAPE_CYLINDER, "{cylinder: {radius: 0.2, height: 0.3}}"},
                  {PLIM_SHAPE_CAPSULE, "{capsule: {radius: 0.2, height: 0.3}}"},
                  {PLIM_SHAPE_CONE, "{cone: {radius: 0.2, height: 0.3}}"},
                  {PLIM_SHAPE_TORUS, "{torus: {radius: 0.2, tube: 0.05}}"}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        check_scene(shapes[i].kind, shapes[i].text, "", 0);
        check_scene(shapes[i].kind, shapes[i].text, fluid, 0);
        check_scene(shapes[i].kind, shapes[i].text, flat, 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(true_shapes_in_space),         cmocka_unit_test(true_cuts_in_a_plane),
        cmocka_unit_test(a_mesh_is_cut_like_its_solid), cmocka_unit_test(a_plane_is_chosen_first),
        cmocka_unit_test(scenes_weigh_like_c),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
