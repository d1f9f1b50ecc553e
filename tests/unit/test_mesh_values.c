/* Stress and stretch on surfaces: colours follow the values between vertices, the range leaves out
 * extremes, the legend tells it, and the bits are the same for any number of threads. */
#include "picture.h"
#include "ration.h"

#include "render/mesh_values.h"

#include <string.h>

enum { WIDTH = 160, HEIGHT = 120 };

/* A square of 2 m in the plane z = 0, and one half its size behind its right edge. */
static const float square[12] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
static const float aside[12] = {1.5f, -1, 0, 2.5f, -1, 0, 2.5f, 1, 0, 1.5f, 1, 0};
static const int32_t halves[6] = {0, 1, 2, 0, 2, 3};
static const int32_t owner[2] = {0, 0};
static const float grey[3] = {0.5f, 0.5f, 0.5f};

static RenderMesh make_mesh(const float *vertices, const float *values, const RenderScale *scale) {
    return (RenderMesh){.vertices = vertices,
                        .vertex_count = 4,
                        .triangles = halves,
                        .triangle_count = 2,
                        .objects = owner,
                        .colors = grey,
                        .values = values,
                        .scale = scale};
}

static RenderOptions plane_options(void) {
    RenderOptions options = render_options_default();
    options.width = WIDTH;
    options.height = HEIGHT;
    options.ground = false;
    options.sun = vec3(0, 0, 1);
    return options;
}

/* Pixel at which the point (x, y, 0) is seen. */
static const unsigned char *pixel_at(const Image *image, const RenderCamera *camera, double x,
                                     double y) {
    double distance = camera->position.z;
    double slope = tan(camera->field_of_view * 3.14159265358979323846 / 360.0) * distance;
    double column = 0.5 * WIDTH + 0.5 * HEIGHT * (x - camera->position.x) / slope;
    double row = 0.5 * HEIGHT - 0.5 * HEIGHT * (y - camera->position.y) / slope;
    return pixel(image, (int)column, (int)row);
}

static void assert_color(const unsigned char *found, Vec3 wanted) {
    const double light = 18; /* of 255: the sun is warm */
    assert_close(found[0], 255 * wanted.x, light);
    assert_close(found[1], 255 * wanted.y, light);
    assert_close(found[2], 255 * wanted.z, light);
}

static void colors_follow_values(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    /* 10 at the left edge, 30 at the right one; what lies outside the range has its last colour. */
    static const float values[4] = {10, 30, 30, 10};
    static RenderScale scale = {.low = 10, .high = 30};
    color_table_fill(&scale.table, COLOR_SPEED);
    RenderMesh meshes[2] = {make_mesh(square, values, &scale), make_mesh(aside, NULL, &scale)};
    RenderCamera camera = fit_box(vec3(0, 0, -1), vec3(-1, -1, 0), vec3(2.5, 1, 0), 4.0 / 3.0);
    assert_close(camera.position.x, 0.75, 1e-12);
    assert_close(camera.position.y, 0, 1e-12);
    assert_true(camera.position.z > 1);
    RenderOptions options = plane_options();
    Image image = draw_scene(context, meshes, 2, NULL, 0, &camera, &options);
    for (int i = -9; i <= 9; i += 3)
        assert_color(pixel_at(&image, &camera, 0.1 * i, 0.3),
                     color_at(&scale.table, 0.5 + 0.05 * i));
    const unsigned char *plain = pixel_at(&image, &camera, 2, 0.3); /* polished: the sun glares */
    assert_true(plain[0] > 120 && abs(plain[0] - plain[1]) < 25 && abs(plain[1] - plain[2]) < 25);
    image_destroy(context, &image);

    scale.low = 20;
    scale.high = 21;
    image = draw_scene(context, meshes, 2, NULL, 0, &camera, &options);
    assert_color(pixel_at(&image, &camera, -0.8, 0), scale.table.colors[0]);
    assert_color(pixel_at(&image, &camera, 0.8, 0), scale.table.colors[COLOR_STEPS - 1]);
    image_destroy(context, &image);
    test_context_close(context);
}

/* In the shade, values can be told apart, and what has none is much darker. */
static void values_are_seen_in_the_shade(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    static const float values[4] = {1, 1, 1, 1};
    static RenderScale scale = {.low = 0, .high = 1};
    for (int i = 0; i < COLOR_STEPS; i++) scale.table.colors[i] = vec3(0.5, 0.5, 0.5);
    RenderMesh meshes[2] = {make_mesh(square, values, &scale), make_mesh(aside, NULL, NULL)};
    RenderCamera camera = fit_box(vec3(0, 0, -1), vec3(-1, -1, 0), vec3(2.5, 1, 0), 4.0 / 3.0);
    RenderOptions options = plane_options();
    options.sun = vec3(0, 0, -1);
    Image image = draw_scene(context, meshes, 2, NULL, 0, &camera, &options);
    int valued = pixel_at(&image, &camera, 0, 0)[1], plain = pixel_at(&image, &camera, 2, 0)[1];
    assert_true(valued > 100 && valued > plain + 20);
    image_destroy(context, &image);
    test_context_close(context);
}

static void same_bits_for_any_thread_count(void **state) {
    (void)state;
    static const float values[4] = {0, 1, NAN, 0.3f};
    static RenderScale scale = {.low = 0, .high = 1};
    color_table_fill(&scale.table, COLOR_HEAT);
    RenderMesh mesh = make_mesh(square, values, &scale);
    RenderCamera camera =
        fit_box(vec3(-0.42, -0.35, -1), vec3(-1, -1, 0), vec3(1, 1, 0), 4.0 / 3.0);
    RenderOptions options = plane_options();
    Image images[2];
    PlimContext *contexts[2];
    for (int i = 0; i < 2; i++) {
        contexts[i] = test_context(1 + i);
        images[i] = draw_scene(contexts[i], &mesh, 1, NULL, 0, &camera, &options);
        mesh_values_legend(&images[i], SHOW_STRESS, &scale);
    }
    assert_memory_equal(images[0].rgb, images[1].rgb, image_bytes(&images[0]));
    for (int i = 0; i < 2; i++) {
        image_destroy(contexts[i], &images[i]);
        test_context_close(contexts[i]);
    }
}

/* ---- ranges ---- */

static RenderScale scale_of(MeshShow show, const float *values, size_t count) {
    PlimContext *context = test_context(1);
    FrameView view = {.mesh_count = 2};
    view.meshes[0] = (FrameMesh){.name = "rigid", .vertex_count = 7};
    view.meshes[1] = (FrameMesh){.name = "deformable", .vertex_count = count};
    *(show == SHOW_STRESS ? &view.meshes[1].stress : &view.meshes[1].stretch) = values;
    MeshSample sample = {0};
    assert_int_equal(mesh_values_collect(context, &view, show, &sample), PLIM_OK);
    RenderScale scale = mesh_values_scale(show, &sample);
    array_free(context, &sample);
    test_context_close(context);
    return scale;
}

static void ranges_leave_out_extremes(void **state) {
    (void)state;
    enum { COUNT = 1001 };
    static float values[COUNT];
    for (int i = 0; i < COUNT; i++) values[i] = (float)((7 * i) % 1000);
    values[COUNT - 1] = 1e30f;
    values[5] = NAN;
    values[6] = INFINITY;
    RenderScale scale = scale_of(SHOW_STRESS, values, COUNT);
    assert_close(scale.low, 0, 0);
    assert_close(scale.high, 990, 3);
    /* Stretches of 0.9 to 1.9; of 1.2 to 2.2. */
    for (int i = 0; i < COUNT; i++) values[i] = (float)(0.9 + 0.001 * i);
    scale = scale_of(SHOW_STRETCH, values, COUNT);
    assert_close(scale.low, 0.91, 1e-3);
    assert_close(scale.high, 1.89, 1e-3);
    for (int i = 0; i < COUNT; i++) values[i] += 0.3f;
    scale = scale_of(SHOW_STRETCH, values, COUNT);
    assert_close(scale.low, 1, 0);
    assert_close(scale.high, 2.19, 1e-3);
}

static void ranges_are_never_empty(void **state) {
    (void)state;
    static const float nothing[3] = {0, 0, 0}, rest[3] = {1, 1, 1}, none[3] = {NAN, NAN, NAN};
    for (int show = 0; show < MESH_SHOW_COUNT; show++) {
        const float *const cases[] = {nothing, rest, none};
        for (int i = 0; i < 3; i++) {
            RenderScale scale = scale_of((MeshShow)show, cases[i], 3);
            assert_true(scale.low < scale.high && isfinite(scale.low) && isfinite(scale.high));
        }
        RenderScale scale = scale_of((MeshShow)show, nothing, 0);
        assert_true(scale.low < scale.high);
    }
    FrameMesh rigid = {.name = "rigid"};
    assert_null(mesh_values(&rigid, SHOW_STRESS));
    assert_null(mesh_values(&rigid, SHOW_STRETCH));
    assert_string_equal(mesh_show_name(SHOW_STRESS), "stress");
    assert_string_equal(mesh_show_name(SHOW_STRETCH), "stretch");
}

/* ---- the legend ---- */

enum { BAR_WIDTH = 120, PICTURE_WIDTH = 3 * BAR_WIDTH, PICTURE_HEIGHT = 130 };

/* Dark dots on the pale strip right of the bar. */
static int ink_right_of_bar(PlimContext *context, MeshShow show, double high) {
    Image image;
    static RenderScale scale;
    scale = (RenderScale){.low = 0, .high = high};
    color_table_fill(&scale.table, COLOR_HEAT);
    assert_int_equal(image_create(context, PICTURE_WIDTH, PICTURE_HEIGHT, &image), PLIM_OK);
    mesh_values_legend(&image, show, &scale);
    int count = 0, top = PICTURE_HEIGHT - legend_height(&image);
    for (int y = top; y < top + 7; y++)
        for (int x = 2 * BAR_WIDTH + 2; x < PICTURE_WIDTH; x++)
            count += pixel(&image, x, y)[0] < 128;
    for (int c = 0; c < 3; c++) {
        Vec3 last = color_at(&scale.table, 1 - 0.5 / BAR_WIDTH);
        const double wanted[3] = {last.x, last.y, last.z};
        assert_close(pixel(&image, 2 * BAR_WIDTH - 1, top + 3)[c], 255 * wanted[c], 1);
    }
    assert_true(pixel(&image, 2, top)[0] > 240);                  /* the strip */
    assert_int_equal(pixel(&image, 2, PICTURE_HEIGHT / 2)[0], 0); /* the picture */
    image_destroy(context, &image);
    return count;
}

/* "25 Pa", "25 kPa", "25 MPa", "2.5e+04 GPa", "1.5". */
static void legend_tells_range_and_unit(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    enum { ONE = 10, TWO = 14, FIVE = 17, POINT = 4, KILO = 12, MEGA = 18, PASCAL = 15 + 14 };
    int plain = ink_right_of_bar(context, SHOW_STRESS, 25);
    assert_int_equal(ink_right_of_bar(context, SHOW_STRESS, 25e3) - plain, KILO);
    assert_int_equal(ink_right_of_bar(context, SHOW_STRESS, 25e6) - plain, MEGA);
    assert_true(ink_right_of_bar(context, SHOW_STRESS, 25e12) > plain);
    assert_int_equal(ink_right_of_bar(context, SHOW_STRETCH, 25), TWO + FIVE);
    assert_int_equal(ink_right_of_bar(context, SHOW_STRETCH, 1.5), ONE + POINT + FIVE);
    assert_int_equal(plain, TWO + FIVE + PASCAL);
    test_context_close(context);
}

/* ---- memory ---- */

static PlimStatus draw_values(PlimContext *context, void *user) {
    (void)user;
    static const float values[4] = {0, 1, 2, 3};
    static RenderScale scale = {.low = 0, .high = 3};
    RenderMesh mesh = make_mesh(square, values, &scale);
    RenderCamera camera = fit_box(vec3(0, 0, -1), vec3(-1, -1, 0), vec3(1, 1, 0), 1);
    RenderOptions options = plane_options();
    options.width = options.height = 16;
    options.samples = 1;
    return try_to_draw(context, &mesh, &camera, &options);
}

static void running_out_of_memory(void **state) {
    (void)state;
    Starved starved = {.use = draw_values, .least = 8, .most = 40};
    starve(&starved);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colors_follow_values),
        cmocka_unit_test(values_are_seen_in_the_shade),
        cmocka_unit_test(same_bits_for_any_thread_count),
        cmocka_unit_test(ranges_leave_out_extremes),
        cmocka_unit_test(ranges_are_never_empty),
        cmocka_unit_test(legend_tells_range_and_unit),
        cmocka_unit_test(running_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
