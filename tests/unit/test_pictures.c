/* Cameras that are fitted, flat pictures and numbers of objects, glass, captions. */
#include "picture.h"

#include "render/object_ids.h"
#include "render/text.h"

#include <string.h>

enum { WIDTH = 160, HEIGHT = 120 };

static RenderOptions small_options(void) {
    RenderOptions options = render_options_default();
    options.width = WIDTH;
    options.height = HEIGHT;
    return options;
}

/* ---- cameras ---- */

/* Pseudo-random, in -1..1. */
static double noise(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1.0;
}

/* How far a ball reaches, in halves of the picture's width or height, by the tangents to it. */
static double reach_of(double across, double along, double radius, double slope) {
    double angle = atan2(across, along) + asin(radius / hypot(across, along));
    return tan(angle) / slope;
}

/* All balls are in the picture, and no camera nearer along the same line would have them. */
static void camera_is_as_near_as_it_can(void **state) {
    (void)state;
    static const Vec3 ways[] = {{-0.42, -0.35, -1}, {0, 0, -1}, {0, -1, 0}, {0.3, 0.4, 0.1}};
    uint32_t seed = 5;
    for (int round = 0; round < 8; round++) {
        enum { BALLS = 12 };
        double aspect = round < 4 ? 16.0 / 9.0 : 0.6, edge = 0.0;
        CameraFit fit = camera_fit_begin(ways[round % 4], aspect, 0, 0);
        Vec3 balls[BALLS];
        for (int i = 0; i < BALLS; i++) {
            balls[i] = vec3(30 + 5 * noise(&seed), noise(&seed), 3 * noise(&seed));
            camera_fit_add(&fit, balls[i], 0.3);
        }
        RenderCamera camera = camera_fit_end(&fit);
        CameraView view = camera_view(&camera, 1600, (int)(1600 / aspect));
        double slope_x = vec3_length(view.right), slope_y = vec3_length(view.up);
        for (int i = 0; i < BALLS; i++) {
            Vec3 to = vec3_sub(balls[i], camera.position);
            double along = vec3_dot(to, view.forward);
            double x = vec3_dot(to, vec3_normalize(view.right));
            double y = vec3_dot(to, vec3_normalize(view.up));
            assert_true(along > 0.3);
            edge = fmax(edge, reach_of(fabs(x), along, 0.3, slope_x));
            edge = fmax(edge, reach_of(fabs(y), along, 0.3, slope_y));
        }
        assert_close(edge, 0.88, 1e-3);
    }
}

static void nothing_is_seen_from_one_metre(void **state) {
    (void)state;
    CameraFit fit = camera_fit_begin(vec3(0, 0, -1), 1, 0, 0);
    RenderCamera camera = camera_fit_end(&fit);
    assert_close(vec3_length(vec3_sub(camera.position, camera.target)), 1.0, 1e-12);
    camera_fit_add(&fit, vec3(2, 3, 4), 0.0);
    camera = camera_fit_end(&fit);
    assert_close(camera.position.z, 5.0, 1e-9);
}

static void orbit_goes_around(void **state) {
    (void)state;
    Vec3 low = vec3(1, 2, 3), high = vec3(5, 3, 4), centre = vec3(3, 2.5, 3.5);
    RenderCamera start = camera_orbit(low, high, 1.5, 0.0);
    for (int i = 0; i <= 8; i++) {
        RenderCamera camera = camera_orbit(low, high, 1.5, i / 8.0);
        Vec3 from = vec3_sub(camera.position, centre), to = vec3_sub(start.position, centre);
        assert_close(vec3_length(from), vec3_length(to), 1e-9);
        assert_close(from.y, to.y, 1e-9);
        if (i % 8 == 0) assert_close(vec3_dot(from, to), vec3_dot(from, from), 1e-9);
        if (i == 4) assert_true(from.x * to.x < 0 && from.z * to.z < 0);
    }
}

/* ---- flat pictures ---- */

static const float square[] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
static const int32_t two_triangles[] = {0, 1, 2, 0, 2, 3};
static const RenderCamera front = {{0, 0, 5}, {0, 0, 0}, 40};

static void flat_colors_are_exact(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    RenderOptions options = small_options();
    static const int32_t objects[] = {0, 0};
    options.ground = false;
    for (uint32_t number = 1; number < 1 << 24; number = 3 * number + 1) {
        unsigned char rgb[3];
        object_color(number, rgb);
        float color[3] = {(float)rgb[0] / 255.0f, (float)rgb[1] / 255.0f, (float)rgb[2] / 255.0f};
        RenderMesh mesh = {.vertices = square,
                           .vertex_count = 4,
                           .triangles = two_triangles,
                           .triangle_count = 2,
                           .objects = objects,
                           .colors = color};
        RenderScene *scene;
        Image image;
        assert_int_equal(render_scene_create(context, &mesh, 1, NULL, 0, &scene), PLIM_OK);
        assert_int_equal(image_create(context, WIDTH, HEIGHT, &image), PLIM_OK);
        assert_int_equal(render_scene_draw_flat(scene, &front, &options, &image), PLIM_OK);
        int found = 0;
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++) {
                static const unsigned char black[3];
                const unsigned char *p = pixel(&image, x, y);
                bool is_square = memcmp(p, rgb, 3) == 0;
                assert_true(is_square || memcmp(p, black, 3) == 0);
                found += is_square;
            }
        /* 2 m of 2 * 5 tan 20 degrees = 3.64 m. */
        assert_close(sqrt(found), 2 / 3.6397 * HEIGHT, 1.0);
        render_scene_destroy(scene);
        image_destroy(context, &image);
    }
    test_context_close(context);
}

static void hidden_objects_are_not_drawn(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    RenderOptions options = small_options();
    static const int32_t objects[] = {0, 1};
    static const float colors[] = {1, 0, 0, 0, 0, 1};
    static const unsigned char hidden[] = {0, 1};
    RenderMesh mesh = {.vertices = square,
                       .vertex_count = 4,
                       .triangles = two_triangles,
                       .triangle_count = 2,
                       .objects = objects,
                       .hidden = hidden,
                       .colors = colors};
    RenderScene *scene;
    Image image;
    options.ground = false;
    assert_int_equal(render_scene_create(context, &mesh, 1, NULL, 0, &scene), PLIM_OK);
    assert_int_equal(image_create(context, WIDTH, HEIGHT, &image), PLIM_OK);
    assert_int_equal(render_scene_draw_flat(scene, &front, &options, &image), PLIM_OK);
    int red = 0;
    for (size_t i = 0; i < image_bytes(&image); i += 3) {
        red += image.rgb[i] == 255;
        assert_int_equal(image.rgb[i + 2], 0);
    }
    assert_true(red > 1000);
    render_scene_destroy(scene);
    image_destroy(context, &image);
    test_context_close(context);
}

static void numbers_stay(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    char names[2 * FRAME_NAME_CAPACITY];
    static const int32_t kinds[] = {FRAME_UNBOUNDED, FRAME_FREE};
    frame_name_store(names, "floor");
    frame_name_store(names + FRAME_NAME_CAPACITY, "crate");
    FrameView view = {.mesh_count = 1};
    view.meshes[0] =
        (FrameMesh){.name = "rigid", .object_count = 2, .names = names, .kinds = kinds};
    ObjectIds ids = {0};
    assert_int_equal(object_ids_add(context, &ids, &view), PLIM_OK);
    view.meshes[1] = view.meshes[0];
    view.meshes[0] = (FrameMesh){.name = "liquid", .changes = true};
    view.mesh_count = 2;
    assert_int_equal(object_ids_add(context, &ids, &view), PLIM_OK);
    assert_int_equal(ids.rows.count, 3);
    assert_string_equal(ids.rows.data[1].name, "crate");
    assert_string_equal(ids.rows.data[1].kind, "free");
    assert_int_equal(ids.rows.data[2].number, 3);
    assert_string_equal(ids.rows.data[2].kind, "liquid");
    float color[3];
    object_ids_color(&ids, "rigid", 1, color); /* 2 = 10 in bits: the highest of green */
    assert_close(color[1], 128.0 / 255.0, 1e-6);
    assert_true(color[0] == 0.0f && color[2] == 0.0f);
    object_ids_color(&ids, "nothing", 0, color);
    assert_true(color[0] == 0.0f);
    object_ids_free(context, &ids);
    test_context_close(context);
}

/* ---- glass and captions ---- */

/* A tank changes the picture where its panes are and leaves the rest. */
static void glass_is_thin(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    RenderOptions options = small_options();
    RenderGlass tank = {{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};
    options.ground = false;
    Image plain = draw_scene(context, NULL, 0, NULL, 0, &front, &options);
    options.glass = &tank;
    options.glass_count = 1;
    Image glassy = draw_scene(context, NULL, 0, NULL, 0, &front, &options);
    const unsigned char *a = pixel(&plain, WIDTH / 2, HEIGHT / 2);
    const unsigned char *b = pixel(&glassy, WIDTH / 2, HEIGHT / 2);
    assert_true(memcmp(a, b, 3) != 0);
    for (int c = 0; c < 3; c++) assert_in_range(b[c], a[c] - 50, a[c] + 50);
    assert_memory_equal(pixel(&plain, 10, 10), pixel(&glassy, 10, 10), 3);
    image_destroy(context, &plain);
    image_destroy(context, &glassy);
    test_context_close(context);
}

static void captions_are_written(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Image image;
    assert_int_equal(image_create(context, 320, 180, &image), PLIM_OK);
    memset(image.rgb, 200, image_bytes(&image));
    caption_draw(&image, "I \xc3\xa9"); /* other letters are gaps */
    int height = caption_height(&image), white = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < 40; x++) white += pixel(&image, x, y)[0] == 255;
    assert_int_equal(white, 3 + 5 + 3); /* the dots of the I */
    assert_int_equal(pixel(&image, 1, 1)[0], 80);
    assert_int_equal(pixel(&image, 1, height)[0], 200);
    image_destroy(context, &image);
    assert_int_equal(image_create(context, 64, 64, &image), PLIM_OK);
    assert_int_equal(caption_height(&image), 0);
    caption_draw(&image, "too small");
    for (size_t i = 0; i < image_bytes(&image); i++) assert_int_equal(image.rgb[i], 0);
    image_destroy(context, &image);
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(camera_is_as_near_as_it_can),
        cmocka_unit_test(nothing_is_seen_from_one_metre),
        cmocka_unit_test(orbit_goes_around),
        cmocka_unit_test(flat_colors_are_exact),
        cmocka_unit_test(hidden_objects_are_not_drawn),
        cmocka_unit_test(numbers_stay),
        cmocka_unit_test(glass_is_thin),
        cmocka_unit_test(captions_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
