/* A splashing liquid in frames: a closed skin with velocities, spray, all particles, values at the
 * cells; what the scene asked for and nothing else; the same after a file. */
#include "check.h"

#include "geom/mesh/mesh.h"
#include "io/frame_file.h"
#include "splash/internal.h"

#include <string.h>

typedef struct Case {
    PlimContext *context;
    Scratch scratch;
    SplashDesc desc;
    Solid parts[3], liquid, obstacle;
    SplashLiquid of;
    Splash *splash;
    FrameView view;
} Case;

/* A pool 0.4 m deep, a ball of liquid above it, a particle on its own, a block in the pool. */
static void case_open(Case *c, int dim) {
    *c = (Case){.context = test_context(2), .desc = splash_desc_default()};
    scratch_init(&c->scratch, c->context);
    c->desc.grid = (Grid){.dim = dim, .n = {24, 16, dim == 3 ? 12 : 1}, .spacing = 0.1};
    double z = dim == 3 ? 0.6 : 0;
    c->parts[0] = solid_default(SOLID_BOX);
    c->parts[0].size[0] = c->parts[0].size[2] = 10;
    c->parts[0].size[1] = 0.8;
    c->parts[1] = solid_default(SOLID_BALL);
    c->parts[1].radius = 0.3;
    c->parts[1].position = vec3(0.7, 1.0, z);
    c->parts[2] = solid_default(SOLID_BALL);
    c->parts[2].radius = 0.03;
    c->parts[2].position = vec3(2.02, 1.23, dim == 3 ? 0.62 : 0);
    c->liquid = solid_default(SOLID_UNION);
    c->liquid.children = c->parts;
    c->liquid.child_count = 3;
    c->of = (SplashLiquid){.name = "water", .solid = &c->liquid};
    c->of.velocity[1] = (FieldFunction){.constant = -2};
    c->obstacle = solid_default(SOLID_BOX);
    c->obstacle.size[0] = c->obstacle.size[1] = c->obstacle.size[2] = 0.4;
    c->obstacle.position = vec3(1.5, 0.2, z);
    c->desc.liquids = &c->of;
    c->desc.liquid_count = 1;
    c->desc.obstacles = &c->obstacle;
}

static void case_view(Case *c) {
    assert_int_equal(splash_create(c->context, &c->desc, &c->splash), PLIM_OK);
    StepInfo step = {.context = c->context, .scratch = &c->scratch, .threads = 2};
    assert_int_equal(splash_view_frame(c->splash, &step, &c->view), PLIM_OK);
}

static void case_close(Case *c) {
    splash_class.destroy(c->splash);
    scratch_free(&c->scratch);
    test_context_close(c->context);
}

static const FramePoints *find_points(const FrameView *view, const char *name) {
    for (size_t i = 0; i < view->points_count; i++)
        if (strcmp(view->points[i].name, name) == 0) return &view->points[i];
    return NULL;
}

/* Values at the cell that holds a point. */
static size_t cell_at(const FrameVolume *volume, double x, double y, double z) {
    int i = (int)(x / volume->spacing), j = (int)(y / volume->spacing);
    int k = volume->dim == 3 ? (int)(z / volume->spacing) : 0;
    return ((size_t)k * (size_t)volume->n[1] + (size_t)j) * (size_t)volume->n[0] + (size_t)i;
}

static void check_volume(const FrameView *view, int dim) {
    assert_int_equal(view->volume_count, 1);
    const FrameVolume *volume = &view->volumes[0];
    assert_string_equal(volume->name, "splash");
    assert_int_equal(volume->dim, dim);
    assert_int_equal(volume->n[1], 16);
    assert_false(volume->solid_moves);
    size_t pool = cell_at(volume, 0.55, 0.25, 0.55), air = cell_at(volume, 2.25, 0.85, 0.55);
    size_t ball = cell_at(volume, 0.65, 0.95, 0.55), block = cell_at(volume, 1.45, 0.15, 0.55);
    assert_true(volume->level[pool] < -0.05f && volume->level[ball] < -0.05f);
    assert_true(volume->level[air] > 0.05f);
    assert_int_equal(volume->solid[block], 1);
    assert_int_equal(volume->solid[pool] + volume->solid[air], 0);
    for (size_t axis = 0; axis < 3; axis++) {
        assert_close((double)volume->velocity[3 * pool + axis], axis == 1 ? -2 : 0, 1e-6);
        assert_close((double)volume->velocity[3 * air + axis], 0, 0);
    }
}

static void check_mesh(PlimContext *context, const FrameMesh *from) {
    assert_string_equal(from->name, "liquid");
    assert_true(from->changes && from->is_clear && from->smooth);
    TriangleMesh mesh;
    assert_int_equal(mesh_allocate(context, &mesh, from->vertex_count, from->triangle_count),
                     PLIM_OK);
    memcpy(mesh.triangles, from->triangles, 3 * from->triangle_count * sizeof(int32_t));
    assert_true(from->triangle_count > 1000 && mesh_is_closed(context, &mesh));
    mesh_free(context, &mesh);
    for (size_t v = 0; v < from->vertex_count; v++)
        for (size_t axis = 0; axis < 3; axis++)
            assert_close((double)from->velocities[3 * v + axis], axis == 1 ? -2 : 0, 1e-4);
}

/* The mesh, and the one particle that is not in it. */
static void surface_and_spray(void **state) {
    (void)state;
    Case c;
    case_open(&c, 3);
    case_view(&c);
    check_volume(&c.view, 3);
    assert_int_equal(c.view.mesh_count, 1);
    check_mesh(c.context, &c.view.meshes[0]);
    assert_int_equal(c.view.points_count, 1);
    const FramePoints *spray = find_points(&c.view, "spray");
    assert_non_null(spray);
    assert_int_equal(spray->count, 1);
    assert_close((double)spray->positions[0], 2.02, 0.03);
    assert_close((double)spray->velocities[1], -2, 1e-6);
    assert_close((double)spray->radii[0], 0.025, 1e-6);
    case_close(&c);
}

static void all_particles_beside(void **state) {
    (void)state;
    Case c;
    case_open(&c, 3);
    c.desc.all_particles = true;
    case_view(&c);
    assert_int_equal(c.view.mesh_count, 1);
    assert_int_equal(c.view.points_count, 2);
    assert_int_equal(find_points(&c.view, "particles")->count, splash_count(c.splash));
    assert_int_equal(find_points(&c.view, "spray")->count, 1);
    case_close(&c);
}

static void particles_alone(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        Case c;
        case_open(&c, dim);
        c.desc.surface = dim == 2; /* in two dimensions it is the level alone */
        case_view(&c);
        check_volume(&c.view, dim);
        assert_int_equal(c.view.mesh_count, 0);
        assert_int_equal(c.view.points_count, 1);
        assert_int_equal(find_points(&c.view, "particles")->count, splash_count(c.splash));
        case_close(&c);
    }
}

/* Through the bytes of a frame file. */
static void frames_keep_it(void **state) {
    (void)state;
    Case c;
    case_open(&c, 3);
    case_view(&c);
    char *frame, *shapes;
    size_t frame_size, shapes_size;
    assert_int_equal(frame_file_encode(c.context, &c.view, 3, 0.1, &frame, &frame_size), PLIM_OK);
    assert_int_equal(shapes_file_encode(c.context, &c.view, &shapes, &shapes_size), PLIM_OK);
    FrameData data;
    assert_int_equal(
        frame_file_decode(c.context, "frame", frame, frame_size, shapes, shapes_size, &data),
        PLIM_OK);
    check_volume(&data.view, 3);
    check_mesh(c.context, &data.view.meshes[0]);
    assert_int_equal(find_points(&data.view, "spray")->count, 1);
    frame_data_free(c.context, &data);
    context_free(c.context, frame, frame_size, 1);
    context_free(c.context, shapes, shapes_size, 1);
    case_close(&c);
}

/* A liquid that is not there yet: a source will bring it. */
static void empty_frames(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        Case c;
        case_open(&c, dim);
        c.desc.liquid_count = 0;
        case_view(&c);
        assert_int_equal(splash_count(c.splash), 0);
        assert_int_equal(c.view.points[0].count, 0);
        assert_int_equal(c.view.mesh_count, dim == 3);
        if (dim == 3) assert_int_equal(c.view.meshes[0].triangle_count, 0);
        case_close(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surface_and_spray), cmocka_unit_test(all_particles_beside),
        cmocka_unit_test(particles_alone),   cmocka_unit_test(frames_keep_it),
        cmocka_unit_test(empty_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
