/* Pictures, their files, the ray tracer, films and plots. */
#include "picture.h"
#include "ration.h"

#include "render/film.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH = 160, HEIGHT = 120, PATH_CAPACITY = 256 };

/* ---- a folder of our own ---- */

static char folder[PATH_CAPACITY];

static int make_folder(void **state) {
    (void)state;
    const char *root = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/plim_render_XXXXXX", root ? root : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

/* The folder must be empty by now: nothing may leave temporary files behind. */
static int remove_folder(void **state) {
    (void)state;
    return rmdir(folder);
}

static const char *in_folder(char path[PATH_CAPACITY], const char *name) {
    int length = snprintf(path, PATH_CAPACITY, "%s/%s", folder, name);
    assert_true(length < PATH_CAPACITY);
    return path;
}

static bool exists(const char *path) {
    return access(path, F_OK) == 0;
}

/* ---- pictures ---- */

static int brightness(const Image *image, int x, int y) {
    const unsigned char *p = pixel(image, x, y);
    return p[0] + p[1] + p[2];
}

static void fill(Image *image, int r, int g, int b) {
    for (size_t i = 0; i < image_bytes(image); i += 3) {
        image->rgb[i] = (unsigned char)r;
        image->rgb[i + 1] = (unsigned char)g;
        image->rgb[i + 2] = (unsigned char)b;
    }
}

static void png_round_trip(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    char path[PATH_CAPACITY], temporary[PATH_CAPACITY];
    Image image, back;
    assert_int_equal(image_create(context, 37, 23, &image), PLIM_OK);
    for (size_t i = 0; i < image_bytes(&image); i++) image.rgb[i] = (unsigned char)(i * 7 + i / 13);
    assert_int_equal(image_write_png(context, &image, in_folder(path, "trip.png")), PLIM_OK);
    assert_false(exists(in_folder(temporary, "trip.png.tmp")));
    assert_int_equal(image_read_png(context, path, &back), PLIM_OK);
    assert_int_equal(back.width, 37);
    assert_int_equal(back.height, 23);
    assert_memory_equal(back.rgb, image.rgb, image_bytes(&image));
    image_destroy(context, &back);
    image_destroy(context, &image);
    remove(path);
    test_context_close(context);
}

static void broken_files_are_refused(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    char path[PATH_CAPACITY];
    Image image, back;
    assert_int_equal(image_create(context, 64, 64, &image), PLIM_OK);
    assert_int_equal(image_write_png(context, &image, "/nowhere/at/all.png"), PLIM_IO_ERROR);
    assert_non_null(strstr(plim_message(context), "/nowhere/at/all.png"));
    assert_non_null(strstr(plim_message(context), strerror(ENOENT)));
    assert_int_equal(image_read_png(context, in_folder(path, "none.png"), &back), PLIM_IO_ERROR);
    assert_null(back.rgb);

    assert_int_equal(image_write_png(context, &image, in_folder(path, "cut.png")), PLIM_OK);
    assert_int_equal(truncate(path, 60), 0);
    assert_int_equal(image_read_png(context, path, &back), PLIM_IO_ERROR);
    assert_null(back.rgb);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("this is no picture", file);
    fclose(file);
    assert_int_equal(image_read_png(context, path, &back), PLIM_IO_ERROR);
    remove(path);

    /* A folder in the way: the finished file cannot take its name, and is not left over. */
    assert_int_equal(image_write_png(context, &image, folder), PLIM_IO_ERROR);
    snprintf(path, sizeof path, "%.200s.tmp", folder);
    assert_false(exists(path));
    assert_int_equal(image_create(context, 0, 5, &back), PLIM_BAD_INPUT);
    image_destroy(context, &image);
    test_context_close(context);
}

static void full_disk_is_reported(void **state) {
    (void)state;
    if (!exists("/dev/full")) skip();
    PlimContext *context = test_context(1);
    char path[PATH_CAPACITY], temporary[PATH_CAPACITY];
    in_folder(path, "full.png");
    in_folder(temporary, "full.png.tmp");
    assert_int_equal(symlink("/dev/full", temporary), 0);
    Image image;
    assert_int_equal(image_create(context, 300, 300, &image), PLIM_OK);
    for (size_t i = 0; i < image_bytes(&image); i++)
        image.rgb[i] = (unsigned char)(i * i * 2654435761u >> 24);
    assert_int_equal(image_write_png(context, &image, path), PLIM_IO_ERROR);
    assert_non_null(strstr(plim_message(context), "space"));
    assert_false(exists(path));
    assert_int_not_equal(unlink(temporary), 0); /* already gone */
    image_destroy(context, &image);
    test_context_close(context);
}

static void contact_sheet(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    enum { COUNT = 5, COLUMNS = 3, W = 40, H = 20, MARGIN = 4 };
    Image images[COUNT], sheet;
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(image_create(context, W, H, &images[i]), PLIM_OK);
        fill(&images[i], 40 * i, 10, 200);
    }
    assert_int_equal(image_contact_sheet(context, images, COUNT, COLUMNS, 1000, &sheet), PLIM_OK);
    assert_int_equal(sheet.width, COLUMNS * W + (COLUMNS + 1) * MARGIN);
    assert_int_equal(sheet.height, 2 * H + 3 * MARGIN);
    for (int i = 0; i < COUNT; i++) {
        int x = MARGIN + i % COLUMNS * (W + MARGIN), y = MARGIN + i / COLUMNS * (H + MARGIN);
        assert_int_equal(pixel(&sheet, x, y)[0], 40 * i);
        assert_int_equal(pixel(&sheet, x + W - 1, y + H - 1)[0], 40 * i);
        assert_int_equal(pixel(&sheet, x - 1, y)[1], pixel(&sheet, 0, 0)[1]);
    }
    image_destroy(context, &sheet);

    /* Shrunk to half, columns of black and white average to grey. */
    for (int x = 0; x < W; x++)
        for (int y = 0; y < H; y++)
            memset(images[0].rgb + (size_t)(y * W + x) * 3, x % 2 ? 255 : 0, 3);
    int width = W / 2 + 2 * MARGIN;
    assert_int_equal(image_contact_sheet(context, images, 1, 4, width, &sheet), PLIM_OK);
    assert_int_equal(sheet.width, width);
    assert_int_equal(sheet.height, H / 2 + 2 * MARGIN);
    for (int x = 0; x < W / 2; x++) assert_int_equal(pixel(&sheet, MARGIN + x, MARGIN + 3)[1], 128);
    image_destroy(context, &sheet);

    assert_int_equal(image_contact_sheet(context, images, COUNT, 3, 15, &sheet), PLIM_BAD_INPUT);
    image_destroy(context, &images[1]);
    assert_int_equal(image_create(context, W, H + 1, &images[1]), PLIM_OK);
    assert_int_equal(image_contact_sheet(context, images, COUNT, 3, 500, &sheet), PLIM_BAD_INPUT);
    for (int i = 0; i < COUNT; i++) image_destroy(context, &images[i]);
    test_context_close(context);
}

/* ---- ray tracing ---- */

/* A ball of rings x 2 rings quads about the centre, of colour 0. */
enum { RINGS = 12, SECTORS = 24 };
typedef struct Ball {
    float vertices[(RINGS + 1) * SECTORS * 3];
    int32_t triangles[RINGS * SECTORS * 2 * 3];
    int32_t objects[RINGS * SECTORS * 2];
    float color[3];
} Ball;

static RenderMesh make_ball(Ball *ball, Vec3 center, double radius, bool smooth) {
    const double pi = 3.14159265358979323846;
    *ball = (Ball){.color = {0.85f, 0.2f, 0.15f}};
    for (int i = 0; i <= RINGS; i++) {
        for (int j = 0; j < SECTORS; j++) {
            double polar = pi * i / RINGS, turn = 2.0 * pi * j / SECTORS;
            float *v = ball->vertices + 3 * (i * SECTORS + j);
            v[0] = (float)(center.x + radius * sin(polar) * sin(turn));
            v[1] = (float)(center.y + radius * cos(polar));
            v[2] = (float)(center.z + radius * sin(polar) * cos(turn));
        }
    }
    int32_t *t = ball->triangles;
    for (int i = 0; i < RINGS; i++) {
        for (int j = 0; j < SECTORS; j++) {
            int a = i * SECTORS + j, b = i * SECTORS + (j + 1) % SECTORS;
            int32_t quad[] = {a, a + SECTORS, b + SECTORS, a, b + SECTORS, b};
            memcpy(t, quad, sizeof quad);
            t += 6;
        }
    }
    return (RenderMesh){.vertices = ball->vertices,
                        .vertex_count = (RINGS + 1) * SECTORS,
                        .triangles = ball->triangles,
                        .triangle_count = RINGS * SECTORS * 2,
                        .objects = ball->objects,
                        .colors = ball->color,
                        .smooth = smooth};
}

static RenderOptions small_options(void) {
    RenderOptions options = render_options_default();
    options.width = WIDTH;
    options.height = HEIGHT;
    return options;
}

static const RenderCamera front = {{0, 1, 6}, {0, 1, 0}, 40};

/* A red thing before a pale blue sky: mesh and sphere alike. */
static void check_red_in_the_middle(const Image *image) {
    const unsigned char *middle = pixel(image, WIDTH / 2, HEIGHT / 2);
    assert_true(middle[0] > 120 && middle[0] > 2 * middle[1] && middle[0] > 2 * middle[2]);
    for (int corner = 0; corner < 4; corner++) {
        const unsigned char *sky =
            pixel(image, corner & 1 ? WIDTH - 2 : 1, corner & 2 ? HEIGHT - 2 : 1);
        assert_true(sky[0] > 100 && sky[2] >= sky[0]);
    }
}

static void ball_has_its_color(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    static Ball ball;
    RenderMesh mesh = make_ball(&ball, vec3(0, 1, 0), 1.0, true);
    float center[] = {0, 1, 0}, radius = 1;
    RenderSpheres sphere = {center, &radius, ball.color, 1};
    RenderOptions options = small_options();
    options.ground = false;
    Image from_mesh = draw_scene(context, &mesh, 1, NULL, 0, &front, &options);
    Image from_sphere = draw_scene(context, NULL, 0, &sphere, 1, &front, &options);
    check_red_in_the_middle(&from_mesh);
    check_red_in_the_middle(&from_sphere);
    for (int c = 0; c < 3; c++)
        assert_close(pixel(&from_mesh, WIDTH / 2, HEIGHT / 2)[c],
                     pixel(&from_sphere, WIDTH / 2, HEIGHT / 2)[c], 6);
    image_destroy(context, &from_mesh);
    image_destroy(context, &from_sphere);
    test_context_close(context);
}

/* A surface straight to the sun shows its colour as given. */
static void full_light_keeps_colors(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    float center[] = {0, 0, 0}, radius = 1, color[] = {0.6f, 0.4f, 0.3f};
    RenderSpheres sphere = {center, &radius, color, 1};
    RenderOptions options = small_options();
    options.ground = false;
    options.sun = vec3(0.0, 1.0, 0.0);
    /* From the side, at a spot that faces the sun but mirrors it elsewhere. */
    RenderCamera camera = {{3, 3, 0}, {0, 1, 0}, 10};
    Image image = draw_scene(context, NULL, 0, &sphere, 1, &camera, &options);
    for (int c = 0; c < 3; c++)
        assert_close(pixel(&image, WIDTH / 2, HEIGHT / 2)[c], 255.0 * (double)color[c], 16.0);
    image_destroy(context, &image);
    test_context_close(context);
}

static void ball_casts_a_shadow(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    float center[] = {0, 2, 0}, radius = 1, color[] = {1, 1, 1};
    RenderSpheres sphere = {center, &radius, color, 1};
    RenderOptions options = small_options();
    options.checker = 1000.0; /* one colour in view */
    options.sun = vec3(-1.0, 1.0, 0.0);
    RenderCamera camera = {{500, 8, 508}, {500, 0.0, 500}, 40};
    center[0] = center[2] = 500.0f; /* the middle of a square; the shadow falls to the right */
    Image image = draw_scene(context, NULL, 0, &sphere, 1, &camera, &options);
    /* The ground 2 m to the right and to the left of the camera's target. */
    double slope = tan(20.0 * 3.14159265358979323846 / 180.0);
    int offset = (int)(2.0 / (vec3_length(vec3(0, 8, 8)) * slope) * HEIGHT / 2.0);
    int shadow = brightness(&image, WIDTH / 2 + offset, HEIGHT / 2);
    int lit = brightness(&image, WIDTH / 2 - offset - 20, HEIGHT / 2);
    assert_true(shadow < lit * 3 / 4);
    assert_true(shadow > 0);
    image_destroy(context, &image);
    test_context_close(context);
}

/* Nothing shades a lone ball's sunny side: no speckles from rays that meet their own start. */
static void ball_does_not_shade_itself(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    static Ball ball;
    for (int far = 0; far < 2; far++) {
        Vec3 at = far ? vec3(900, 1, -700) : vec3(0, 1, 0);
        RenderMesh mesh = make_ball(&ball, at, 1.0, true);
        RenderOptions options = small_options();
        options.ground = false;
        options.sun = vec3(0.0, 0.3, 1.0);
        RenderCamera camera = {vec3_add(at, vec3(0, 0, 6)), at, 40};
        Image image = draw_scene(context, &mesh, 1, NULL, 0, &camera, &options);
        for (int y = HEIGHT / 2 - 16; y < HEIGHT / 2 + 16; y++)
            for (int x = WIDTH / 2 - 16; x < WIDTH / 2 + 16; x++)
                assert_true(abs(pixel(&image, x, y)[0] - pixel(&image, x + 1, y)[0]) < 12);
        image_destroy(context, &image);
    }
    test_context_close(context);
}

static void same_bits_for_any_thread_count(void **state) {
    (void)state;
    static Ball ball;
    RenderMesh mesh = make_ball(&ball, vec3(0, 1.2, 0), 1.0, true);
    float centers[] = {1, 0.5f, 1, -1, 0.4f, 1}, radii[] = {0.5f, 0.4f};
    float colors[] = {0.2f, 0.5f, 0.9f, 0.9f, 0.9f, 0.3f};
    RenderSpheres spheres = {centers, radii, colors, 2};
    RenderOptions options = small_options();
    options.width = WIDTH - 3; /* a last group of pixels that is not full */
    options.samples = 5;
    Image images[3];
    PlimContext *contexts[3];
    for (int i = 0; i < 3; i++) {
        contexts[i] = test_context(1 << i);
        images[i] = draw_scene(contexts[i], &mesh, 1, &spheres, 1, &front, &options);
        assert_memory_equal(images[i].rgb, images[0].rgb, image_bytes(&images[0]));
    }
    for (int i = 0; i < 3; i++) {
        image_destroy(contexts[i], &images[i]);
        test_context_close(contexts[i]);
    }
}

/* Sum of the second differences along the middle of the ball: the kinks between facets. */
static int roughness(const Image *image) {
    int sum = 0;
    for (int x = WIDTH / 2 - 20; x < WIDTH / 2 + 20; x++)
        sum += abs(brightness(image, x - 1, HEIGHT / 2) - 2 * brightness(image, x, HEIGHT / 2) +
                   brightness(image, x + 1, HEIGHT / 2));
    return sum;
}

static void smooth_balls_and_faceted_ones(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    static Ball ball;
    RenderOptions options = small_options();
    options.ground = false;
    options.samples = 16;
    RenderMesh mesh = make_ball(&ball, vec3(0, 1, 0), 1.0, true);
    Image smooth = draw_scene(context, &mesh, 1, NULL, 0, &front, &options);
    mesh.smooth = false;
    Image faceted = draw_scene(context, &mesh, 1, NULL, 0, &front, &options);
    assert_true(2 * roughness(&smooth) < roughness(&faceted));
    image_destroy(context, &smooth);
    image_destroy(context, &faceted);
    test_context_close(context);
}

/* A box that shares its eight vertices bends by 90 degrees at edges: smoothing changes nothing. */
static void boxes_stay_sharp(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    static const float vertices[] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1,
                                     -1, -1, 1,  1, -1, 1,  -1, 1, 1,  1, 1, 1};
    static const int32_t triangles[] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                        2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    static const int32_t objects[12] = {0};
    static const float color[] = {0.5f, 0.6f, 0.7f};
    RenderMesh mesh = {.vertices = vertices,
                       .vertex_count = 8,
                       .triangles = triangles,
                       .triangle_count = 12,
                       .objects = objects,
                       .colors = color,
                       .smooth = true};
    RenderOptions options = small_options();
    RenderCamera camera =
        fit_box(vec3(-0.42, -0.35, -1), vec3(-1, -1, -1), vec3(1, 1, 1), 4.0 / 3.0);
    options.ground_height = -1.0;
    Image smooth = draw_scene(context, &mesh, 1, NULL, 0, &camera, &options);
    mesh.smooth = false;
    Image faceted = draw_scene(context, &mesh, 1, NULL, 0, &camera, &options);
    assert_memory_equal(smooth.rgb, faceted.rgb, image_bytes(&smooth));
    image_destroy(context, &smooth);
    image_destroy(context, &faceted);
    test_context_close(context);
}

static void broken_triangles_are_left_out(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    static Ball ball, broken;
    RenderOptions options = small_options();
    RenderMesh mesh = make_ball(&ball, vec3(0, 1, 0), 1.0, true);
    Image whole = draw_scene(context, &mesh, 1, NULL, 0, &front, &options);

    /* A second mesh of nothing but triangles that cannot be drawn, and spheres that cannot. */
    RenderMesh bad = make_ball(&broken, vec3(0, 1, 3), 0.5, true);
    for (size_t v = 0; v < bad.vertex_count; v++) {
        float *at = broken.vertices + 3 * v;
        if (v % 3 == 0) at[0] = NAN;
        if (v % 3 == 1) at[1] = INFINITY;
        if (v % 3 == 2) at[2] = 1e30f;
    }
    for (int t = 0; t < 40; t++) broken.triangles[3 * t + 1] = broken.triangles[3 * t];
    float centers[] = {NAN, 0, 0, 0, 1, 3, 0, 1, 3}, radii[] = {1, 0, NAN}, colors[9] = {0};
    RenderSpheres spheres = {centers, radii, colors, 3};
    RenderMesh both[] = {mesh, bad};
    Image same = draw_scene(context, both, 2, &spheres, 1, &front, &options);
    assert_memory_equal(same.rgb, whole.rgb, image_bytes(&whole));
    image_destroy(context, &same);
    image_destroy(context, &whole);

    /* Some good, some bad in one mesh, and an empty scene. */
    ball.vertices[3 * 5 * SECTORS] = NAN;
    Image holed = draw_scene(context, &mesh, 1, NULL, 0, &front, &options);
    Image empty = draw_scene(context, NULL, 0, NULL, 0, &front, &options);
    image_destroy(context, &holed);
    image_destroy(context, &empty);
    test_context_close(context);
}

static void bad_requests_are_refused(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    static Ball ball;
    RenderMesh mesh = make_ball(&ball, vec3(0, 1, 0), 1.0, true);
    RenderScene *scene;
    ball.triangles[7] = (int32_t)mesh.vertex_count;
    assert_int_equal(render_scene_create(context, &mesh, 1, NULL, 0, &scene), PLIM_BAD_INPUT);
    assert_null(scene);
    ball.triangles[7] = 0;
    assert_int_equal(render_scene_create(context, &mesh, 1, NULL, 0, &scene), PLIM_OK);
    RenderOptions options = small_options();
    RenderCamera camera = front;
    Image image;
    assert_int_equal(image_create(context, WIDTH, HEIGHT + 1, &image), PLIM_OK);
    assert_int_equal(render_scene_draw(scene, &camera, &options, &image), PLIM_BAD_INPUT);
    options.height++;
    options.samples = 0;
    assert_int_equal(render_scene_draw(scene, &camera, &options, &image), PLIM_BAD_INPUT);
    options.samples = 1;
    camera.target = camera.position;
    assert_int_equal(render_scene_draw(scene, &camera, &options, &image), PLIM_BAD_INPUT);
    camera.target = vec3(0, -5, 6); /* straight down is fine */
    assert_int_equal(render_scene_draw(scene, &camera, &options, &image), PLIM_OK);
    image_destroy(context, &image);
    render_scene_destroy(scene);
    test_context_close(context);
}

static PlimStatus try_small_picture(PlimContext *context, void *user) {
    RenderOptions options = small_options();
    options.width = options.height = 16;
    return try_to_draw(context, user, &front, &options);
}

/* Whichever request for memory fails, the failure is reported and everything is given back. */
static void running_out_of_memory(void **state) {
    (void)state;
    static Ball ball;
    RenderMesh mesh = make_ball(&ball, vec3(0, 1, 0), 1.0, true);
    starve(&(Starved){.use = try_small_picture, .user = &mesh, .least = 9, .most = 98});
}

/* Every corner of the box is in the picture, and the box is not lost in it. */
static void camera_fits_the_box(void **state) {
    (void)state;
    static const Vec3 sizes[] = {{1, 1, 1}, {20, 1, 3}, {0.1, 9, 0.1}, {0, 0, 0}};
    for (int i = 0; i < 4; i++) {
        double aspect = 16.0 / 9.0, slope = 0.0;
        RenderCamera camera = fit_box(vec3(-0.42, -0.35, -1), vec3(0, 0, 0), sizes[i], aspect);
        Vec3 forward = vec3_normalize(vec3_sub(camera.target, camera.position));
        Vec3 right = vec3_normalize(vec3_cross(forward, vec3(0, 1, 0)));
        Vec3 up = vec3_cross(right, forward);
        double half = tan(camera.field_of_view * 3.14159265358979323846 / 360.0);
        for (int corner = 0; corner < 8; corner++) {
            Vec3 to = vec3(corner & 1 ? sizes[i].x : 0.0, corner & 2 ? sizes[i].y : 0.0,
                           corner & 4 ? sizes[i].z : 0.0);
            to = vec3_sub(to, camera.position);
            double depth = vec3_dot(to, forward);
            assert_true(depth > 0.0);
            slope = fmax(slope, fabs(vec3_dot(to, right)) / (depth * half * aspect));
            slope = fmax(slope, fabs(vec3_dot(to, up)) / (depth * half));
        }
        assert_true(slope < 1.0);
        if (i < 3) assert_true(slope > 0.7);
        assert_true(camera.position.x > camera.target.x && camera.position.y > camera.target.y &&
                    camera.position.z > camera.target.z);
    }
}

/* ---- films and plots ---- */

static void write_frames(PlimContext *context, int first, int count, bool draw_them) {
    for (int i = first; i < first + count; i++) {
        char name[32], path[PATH_CAPACITY];
        snprintf(name, sizeof name, "frame_%05d.png", i);
        in_folder(path, name);
        if (!draw_them) {
            remove(path);
            continue;
        }
        Image image;
        assert_int_equal(image_create(context, 34, 22, &image), PLIM_OK);
        fill(&image, 80 * (i - first), 100, 150);
        assert_int_equal(image_write_png(context, &image, path), PLIM_OK);
        image_destroy(context, &image);
    }
}

static void film_of_three_frames(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    char film[PATH_CAPACITY], box[8] = {0};
    write_frames(context, 7, 3, true);
    PlimStatus status = film_encode(context, folder, "frame_%05d.png", 7, 30.0, "film.mp4");
    write_frames(context, 7, 3, false);
    if (status != PLIM_OK) print_message("%s\n", plim_message(context));
    assert_int_equal(status, PLIM_OK);
    FILE *file = fopen(in_folder(film, "film.mp4"), "rb");
    assert_non_null(file);
    assert_int_equal(fread(box, 1, sizeof box, file), sizeof box);
    fclose(file);
    remove(film);
    assert_memory_equal(box + 4, "ftyp", 4);
    test_context_close(context);
}

static void films_that_cannot_be(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    static const char *const patterns[] = {"frame.png", "f%s.png", "f%d_%d.png", "../f%d.png",
                                           "f%"};
    for (int i = 0; i < 5; i++)
        assert_int_equal(film_encode(context, folder, patterns[i], 0, 30.0, "film.mp4"),
                         PLIM_BAD_INPUT);
    assert_int_equal(film_encode(context, folder, "f%d.png", 0, 0.0, "film.mp4"), PLIM_BAD_INPUT);
    assert_int_equal(film_encode(context, folder, "f%d.png", 0, 30.0, "film.mp4"), PLIM_IO_ERROR);
    assert_int_equal(film_encode(context, "/nowhere/at/all", "f%d.png", 0, 30.0, "film.mp4"),
                     PLIM_IO_ERROR);
    assert_non_null(strstr(plim_message(context), "ffmpeg"));
    test_context_close(context);
}

/* Without the programs, the message says what to install. */
static void missing_programs_are_named(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    char *path = strdup(getenv("PATH"));
    char plot[PATH_CAPACITY];
    assert_int_equal(setenv("PATH", folder, 1), 0);
    PlimStatus film_status = film_encode(context, folder, "f%d.png", 0, 30.0, "film.mp4");
    bool film_named = strstr(plim_message(context), "package 'ffmpeg'") != NULL;
    PlimStatus plot_status = plot_write(context, in_folder(plot, "plot.png"), "", "", "", NULL, 0);
    bool plot_named = strstr(plim_message(context), "package 'gnuplot-nox'") != NULL;
    assert_int_equal(setenv("PATH", path, 1), 0);
    free(path);
    assert_int_equal(film_status, PLIM_IO_ERROR);
    assert_int_equal(plot_status, PLIM_IO_ERROR);
    assert_true(film_named && plot_named);
    test_context_close(context);
}

static void plot_of_curves(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    enum { POINTS = 50 };
    double x[POINTS], y[POINTS], gaps[POINTS];
    for (int i = 0; i < POINTS; i++) {
        x[i] = 0.1 * i;
        y[i] = sin(x[i]);
        gaps[i] = i % 10 < 2 ? NAN : i == 45 ? INFINITY : cos(x[i]);
    }
    const PlotCurve curves[] = {{"it's a_curve", x, y, POINTS},
                                {"with gaps", x, gaps, POINTS},
                                {"all \"gaps\"", gaps, gaps, 2},
                                {NULL, x, y, 0}};
    char path[PATH_CAPACITY];
    Image image;
    /* Names with quotes, blanks and signs that a shell or gnuplot could take for their own. */
    in_folder(path, "it's $(a) `plot`; \"%d\".png");
    for (int first = 0; first < 4; first++) {
        PlimStatus status = plot_write(context, path, "Energy; it's {kept}", "time, s", "energy, J",
                                       curves + first, first ? 1 : 4);
        if (status != PLIM_OK) print_message("%s\n", plim_message(context));
        assert_int_equal(status, PLIM_OK);
        assert_int_equal(image_read_png(context, path, &image), PLIM_OK);
        assert_true(image.width > 100 && image.height > 100);
        image_destroy(context, &image);
        remove(path);
    }
    assert_int_equal(plot_write(context, path, NULL, NULL, NULL, NULL, 0), PLIM_OK);
    remove(path);
    assert_int_equal(plot_write(context, "/nowhere/at/all.png", "", "", "", curves, 1),
                     PLIM_IO_ERROR);
    assert_non_null(strstr(plim_message(context), "/nowhere/at/all.png"));
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(png_round_trip),
        cmocka_unit_test(broken_files_are_refused),
        cmocka_unit_test(full_disk_is_reported),
        cmocka_unit_test(contact_sheet),
        cmocka_unit_test(ball_has_its_color),
        cmocka_unit_test(full_light_keeps_colors),
        cmocka_unit_test(ball_casts_a_shadow),
        cmocka_unit_test(ball_does_not_shade_itself),
        cmocka_unit_test(same_bits_for_any_thread_count),
        cmocka_unit_test(smooth_balls_and_faceted_ones),
        cmocka_unit_test(boxes_stay_sharp),
        cmocka_unit_test(broken_triangles_are_left_out),
        cmocka_unit_test(bad_requests_are_refused),
        cmocka_unit_test(running_out_of_memory),
        cmocka_unit_test(camera_fits_the_box),
        cmocka_unit_test(film_of_three_frames),
        cmocka_unit_test(films_that_cannot_be),
        cmocka_unit_test(missing_programs_are_named),
        cmocka_unit_test(plot_of_curves),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
