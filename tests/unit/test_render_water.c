/* Water in pictures: bent, mirrored and absorbed light, shadows through it, drops. Places and
 * shares are compared with the laws of Snell, Fresnel, and Beer and Lambert. */
#include "picture.h"
#include "ration.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 161, HEIGHT = 121 };

static const double refraction = 1.333;

typedef struct Box {
    float vertices[24], color[3];
    int32_t objects[12];
} Box;

static RenderMesh make_box(Box *box, Vec3 low, Vec3 high) {
    static const int32_t triangles[] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                        2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    *box = (Box){.color = {0.5f, 0.5f, 0.5f}};
    for (int v = 0; v < 8; v++) {
        box->vertices[3 * v] = (float)(v & 1 ? high.x : low.x);
        box->vertices[3 * v + 1] = (float)(v & 2 ? high.y : low.y);
        box->vertices[3 * v + 2] = (float)(v & 4 ? high.z : low.z);
    }
    return (RenderMesh){.vertices = box->vertices,
                        .vertex_count = 8,
                        .triangles = triangles,
                        .triangle_count = 12,
                        .objects = box->objects,
                        .colors = box->color};
}

static RenderMesh make_water(Box *box, Vec3 low, Vec3 high) {
    RenderMesh mesh = make_box(box, low, high);
    mesh.is_clear = true;
    return mesh;
}

static RenderOptions small_options(void) {
    RenderOptions options = render_options_default();
    options.width = WIDTH;
    options.height = HEIGHT;
    options.ground = false;
    return options;
}

/* What stands at the middle of the picture, in linear light. */
static Vec3 middle_light(PlimContext *context, const RenderMesh *meshes, size_t count,
                         const RenderCamera *camera, const RenderOptions *options) {
    Image image = draw_scene(context, meshes, count, NULL, 0, camera, options);
    const unsigned char *p = pixel(&image, WIDTH / 2, HEIGHT / 2);
    double light[3];
    for (int c = 0; c < 3; c++) {
        double x = p[c] / 255.0;
        light[c] = x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
    }
    image_destroy(context, &image);
    return vec3(light[0], light[1], light[2]);
}

static bool is_red(const unsigned char *p) {
    return p[0] > 2 * p[1] && p[0] > 2 * p[2];
}

/* ---- bending ---- */

/* Horizontal way, below a surface one metre up, of a ray that meets it `across` from an eye that is
 * `height` above it. */
static double way_below(double across, double height) {
    double sine = across / hypot(across, height) / refraction;
    return sine / sqrt(1.0 - sine * sine);
}

/* A ball on the bottom of a pool is seen where Snell's law puts it, not where it is. */
static void water_bends_light(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    static Box box;
    RenderMesh water = make_water(&box, vec3(-9, -1, -9), vec3(9, 0, 9));
    float center[] = {0, -1, 0}, radius = 0.12f, red[] = {0.9f, 0.1f, 0.1f};
    RenderSpheres ball = {center, &radius, red, 1};
    RenderOptions options = small_options();
    const double height = 3.0, eye = 4.0; /* above the water, and from the ball along z */
    /* By halving: where the ray to the ball crosses the surface. */
    double low = 0.0, high = eye;
    for (int i = 0; i < 60; i++) {
        double across = 0.5 * (low + high);
        if (across + way_below(across, height) < eye)
            low = across;
        else
            high = across;
    }
    RenderCamera camera = {{0, height, eye}, {0, 0, eye - low}, 20};
    Image wet = draw_scene(context, &water, 1, &ball, 1, &camera, &options);
    Image dry = draw_scene(context, NULL, 0, &ball, 1, &camera, &options);
    assert_true(is_red(pixel(&wet, WIDTH / 2, HEIGHT / 2)));
    assert_false(is_red(pixel(&dry, WIDTH / 2, HEIGHT / 2)));
    image_destroy(context, &wet);
    image_destroy(context, &dry);
    test_context_close(context);
}

/* From below, the sky is in a cone of 48.6 degrees; beyond, the surface mirrors the bottom. */
static void water_mirrors_from_below(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    static Box water_box, floor_box;
    RenderMesh meshes[2] = {make_water(&water_box, vec3(-40, -1, -40), vec3(40, 0, 40)),
                            make_box(&floor_box, vec3(-40, -1.2, -40), vec3(40, -0.9, 40))};
    static const float red[3] = {0.9f, 0.1f, 0.1f};
    memcpy(floor_box.color, red, sizeof red);
    RenderOptions options = small_options();
    const double degree = 3.14159265358979323846 / 180.0;
    for (int angle = 5; angle < 85; angle += 10) { /* from the vertical */
        Vec3 way = vec3(sin(angle * degree), cos(angle * degree), 0), eye = vec3(0, -0.5, 0);
        RenderCamera camera = {eye, vec3_add_scaled(eye, 20, way), 2}; /* far: no haze */
        Vec3 light = middle_light(context, meshes, 2, &camera, &options);
        if (angle < 46)
            assert_true(light.z > light.x);
        else
            assert_true(light.x > 2 * light.z);
    }
    test_context_close(context);
}

/* ---- mirroring ---- */

/* Fresnel's formulas for light that is not polarised. */
static double fresnel(double cosine) {
    double behind = sqrt(1.0 - (1.0 - cosine * cosine) / (refraction * refraction));
    double a = (cosine - refraction * behind) / (cosine + refraction * behind);
    double b = (behind - refraction * cosine) / (behind + refraction * cosine);
    return 0.5 * (a * a + b * b);
}

/* Water over black: all that is seen is mirrored sky. */
static void water_mirrors_the_sky(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    static Box water_box, floor_box;
    RenderMesh meshes[2] = {make_water(&water_box, vec3(-90, -30, -90), vec3(90, 0, 90)),
                            make_box(&floor_box, vec3(-90, -20, -90), vec3(90, -10, 90))};
    memset(floor_box.color, 0, sizeof floor_box.color);
    for (int c = 0; c < 3; c++) meshes[0].absorption[c] = 10.0f; /* nothing comes back */
    RenderOptions options = small_options();
    options.sun = vec3(0, 1, 0);
    for (int k = 1; k < 9; k++) {
        double cosine = 0.1 * k, sine = sqrt(1.0 - cosine * cosine);
        RenderCamera down = {{0, 4 * cosine, 4 * sine}, {0, 0, 0}, 2};
        RenderCamera up = {{0, 1, 0}, {0, 1 + cosine, -sine}, 2};
        Vec3 seen = middle_light(context, meshes, 2, &down, &options);
        Vec3 sky = middle_light(context, NULL, 0, &up, &options);
        assert_close(seen.z, fresnel(cosine) * sky.z, 0.004 + 0.02 * fresnel(cosine));
    }
    test_context_close(context);
}

/* ---- absorption and shadow ---- */

/* Straight down on a grey bottom, the sun above: light goes through the water twice. */
static void water_absorbs(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    static Box water_box, floor_box;
    const double depth = 0.7, absorption = 0.9;
    RenderMesh meshes[2] = {make_water(&water_box, vec3(-20, -depth, -20), vec3(20, 0, 20)),
                            make_box(&floor_box, vec3(-20, -depth - 1, -20), vec3(20, -depth, 20))};
    RenderOptions options = small_options();
    options.sun = vec3(0, 1, 0);
    options.sun_softness = 0;
    RenderCamera camera = {{0, 3, 0.9}, {0, 0, 0}, 2}; /* not into the sun's own mirror image */
    Vec3 clear = middle_light(context, meshes, 2, &camera, &options);
    meshes[0].absorption[2] = (float)absorption;
    Vec3 tinted = middle_light(context, meshes, 2, &camera, &options);
    assert_close(tinted.x, clear.x, 0.01);
    assert_close(tinted.y, clear.y, 0.01);
    double cosine = 3.0 / hypot(3.0, 0.9), sine = sqrt(1 - cosine * cosine) / refraction;
    double way = depth / sqrt(1 - sine * sine) + depth;
    double mirrored = fresnel(cosine) * 0.65; /* blue light of that part of the sky */
    assert_close((tinted.z - mirrored) / (clear.z - mirrored), exp(-absorption * way), 0.02);
    test_context_close(context);
}

static double sum(Vec3 a) {
    return a.x + a.y + a.z;
}

/* The shadow of water is lighter than a body's and has its colour. */
static void shadows_of_water_are_light(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    static Box box;
    RenderOptions options = small_options();
    options.ground = true;
    options.checker = 1000;
    options.sun = vec3(-1, 1, 0);
    RenderMesh solid = make_box(&box, vec3(499, 1, 499), vec3(501, 2, 501)), water = solid;
    water.is_clear = true;
    water.absorption[0] = 0.5f;
    RenderCamera camera = {{505, 5, 500}, {501.5, 0, 500}, 5}; /* the middle of the shadow */
    double lit = sum(middle_light(context, NULL, 0, &camera, &options));
    double dark = sum(middle_light(context, &solid, 1, &camera, &options));
    Vec3 seen = middle_light(context, &water, 1, &camera, &options);
    assert_true(sum(seen) > 1.3 * dark && sum(seen) < 0.95 * lit);
    assert_true(seen.z > seen.x);
    test_context_close(context);
}

/* Water that stands on the ground wets it: seen through the side it is no mirror. */
static void water_wets_the_ground(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    static Box box;
    RenderOptions options = small_options();
    options.ground = true;
    options.checker = 1000;
    RenderCamera camera = {{500, 1.5, 506}, {500, 0.4, 501}, 2};
    Vec3 dry = middle_light(context, NULL, 0, &camera, &options);
    for (int gap = 0; gap < 3; gap++) { /* that the surface is off, m */
        RenderMesh water = make_water(&box, vec3(499, 0.001 * (gap - 1), 499), vec3(501, 1, 501));
        Vec3 wet = middle_light(context, &water, 1, &camera, &options);
        assert_close(sum(wet), sum(dry), 0.12 * sum(dry));
    }
    test_context_close(context);
}

/* Water within water is water, and the body in both is seen once. */
static void nested_water_is_water(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    static Box outer, inner;
    RenderMesh meshes[2] = {make_water(&outer, vec3(-2, 0, -2), vec3(2, 2, 2)),
                            make_water(&inner, vec3(-1, 0.5, -1), vec3(1, 1.5, 1))};
    for (int i = 0; i < 2; i++) meshes[i].absorption[0] = meshes[i].absorption[1] = 0.3f;
    float center[] = {0.1f, 1, 0}, radius = 0.4f, red[] = {0.9f, 0.1f, 0.1f};
    RenderSpheres ball = {center, &radius, red, 1};
    RenderOptions options = small_options();
    options.sun = vec3(-1, -1, -1); /* its light goes straight, and through one surface more */
    RenderCamera camera = {{2, 4, 6}, {0, 1, 0}, 40};
    Image one = draw_scene(context, meshes, 1, &ball, 1, &camera, &options);
    Image both = draw_scene(context, meshes, 2, &ball, 1, &camera, &options);
    int different = 0;
    for (size_t i = 0; i < image_bytes(&one); i++) different += abs(one.rgb[i] - both.rgb[i]) > 6;
    assert_true(different < 200); /* of 58443: single edges */
    image_destroy(context, &one);
    image_destroy(context, &both);
    test_context_close(context);
}

/* ---- glass ---- */

/* Beside what the surface mirrors. */
static bool is_reddish(const unsigned char *p) {
    return p[0] > 1.3 * p[1] && p[0] > 1.3 * p[2];
}

/* A ball under a slab is seen where Snell's law puts it. */
static void glass_bends_more_than_water(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    static Box box;
    RenderMesh slab = make_water(&box, vec3(-9, -1, -9), vec3(9, 0, 9));
    float center[] = {0, -1, 0}, radius = 0.06f, red[] = {0.9f, 0.1f, 0.1f};
    RenderSpheres ball = {center, &radius, red, 1};
    RenderOptions options = small_options();
    for (int k = 0; k < 2; k++) {
        double index = k ? 2.4 : 1.5, sine = sin(0.7) / index; /* at 0.7 rad from the vertical */
        double across = sine / sqrt(1 - sine * sine);          /* way below the surface */
        slab.glass = index;
        RenderCamera camera = {{0, 3, across + 3 * tan(0.7)}, {0, 0, across}, 10};
        Image seen = draw_scene(context, &slab, 1, &ball, 1, &camera, &options);
        assert_true(is_reddish(pixel(&seen, WIDTH / 2, HEIGHT / 2)));
        slab.glass = 1.333;
        Image other = draw_scene(context, &slab, 1, &ball, 1, &camera, &options);
        assert_false(is_reddish(pixel(&other, WIDTH / 2, HEIGHT / 2)));
        image_destroy(context, &seen);
        image_destroy(context, &other);
    }
    test_context_close(context);
}

static int count_red(const Image *image) {
    int count = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) count += is_reddish(pixel(image, x, y));
    return count;
}

/* Down through the top of a block of glass and its side into water: an edge of air between would
 * mirror all light. Water that ends a little before the glass, or in it, looks as if it met it. */
static void glass_touches_water(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    static Box glass_box, water_box;
    float center[] = {0.2f, -1, 0}, radius = 0.19f, red[] = {0.9f, 0.1f, 0.1f};
    RenderSpheres ball = {center, &radius, red, 1};
    RenderOptions options = small_options();
    RenderCamera camera = {{-3, 3, 0}, {-0.28, 0, 0}, 12};
    RenderMesh meshes[2] = {make_water(&glass_box, vec3(-2, -2, -3), vec3(0, 0, 3))};
    meshes[0].glass = 1.36;
    int seen[3];
    for (int k = 0; k < 3; k++) {
        meshes[1] = make_water(&water_box, vec3(0.01 * (k - 1), -2, -3), vec3(2, 0, 3));
        Image image = draw_scene(context, meshes, 2, &ball, 1, &camera, &options);
        seen[k] = count_red(&image);
        image_destroy(context, &image);
    }
    Image dry = draw_scene(context, meshes, 1, &ball, 1, &camera, &options);
    assert_true(seen[1] > 200);
    assert_close(seen[0], seen[1], 0.1 * seen[1]);
    assert_close(seen[2], seen[1], 0.1 * seen[1]);
    assert_true(count_red(&dry) < seen[1] / 2);
    image_destroy(context, &dry);
    test_context_close(context);
}

/* ---- drops ---- */

/* What is behind a drop is seen in it, upside down: red comes from below where it stands above. */
static void drops_show_what_is_behind(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    static Box box;
    float position[3] = {0}, velocity[3] = {0}, radius = 0.3f;
    RenderDrops drop = {
        .positions = position, .velocities = velocity, .radii = &radius, .count = 1};
    RenderOptions options = small_options();
    RenderCamera camera = {{0, 0, 10}, {0, 0, 0}, 8};
    RenderMesh roof = make_box(&box, vec3(-9, 0.9, -9), vec3(9, 9, -6));
    static const float red[3] = {0.9f, 0.1f, 0.1f};
    memcpy(box.color, red, sizeof red);
    RenderScene *scene;
    Image image;
    assert_int_equal(render_scene_create(context, &roof, 1, NULL, 0, &scene), PLIM_OK);
    assert_int_equal(render_scene_add_drops(scene, &drop, 1), PLIM_OK);
    assert_int_equal(image_create(context, WIDTH, HEIGHT, &image), PLIM_OK);
    assert_int_equal(render_scene_draw(scene, &camera, &options, &image), PLIM_OK);
    int above = 0, below = 0;
    for (int y = HEIGHT / 2 - 22; y < HEIGHT / 2 + 22; y++)
        for (int x = WIDTH / 2 - 5; x < WIDTH / 2 + 5; x++)
            *(y < HEIGHT / 2 ? &above : &below) += is_red(pixel(&image, x, y));
    assert_true(below > 40 && above < below / 4);
    image_destroy(context, &image);
    render_scene_destroy(scene);
    test_context_close(context);
}

static Image draw_drop(PlimContext *context, const RenderDrops *drops) {
    RenderOptions options = small_options();
    RenderCamera camera = {{0, 0, 10}, {0, 0, 0}, 8};
    RenderScene *scene;
    Image image;
    assert_int_equal(render_scene_create(context, NULL, 0, NULL, 0, &scene), PLIM_OK);
    assert_int_equal(render_scene_add_drops(scene, drops, drops ? 1 : 0), PLIM_OK);
    assert_int_equal(image_create(context, WIDTH, HEIGHT, &image), PLIM_OK);
    assert_int_equal(render_scene_draw_flat(scene, &camera, &options, &image), PLIM_OK);
    render_scene_destroy(scene);
    return image;
}

/* r1 = r + v / 96, at most 4 r, along the way; r2 = sqrt(r^3 / r1) across it. */
static void drops_are_stretched(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    float position[3] = {0}, velocity[3] = {0}, radius = 0.1f;
    RenderDrops drop = {.positions = position,
                        .velocities = velocity,
                        .radii = &radius,
                        .count = 1,
                        .flat_color = {1, 1, 1}};
    Image empty = draw_drop(context, NULL);
    static const struct {
        float speed;
        double along, across; /* m */
    } cases[] = {{0, 0.1, 0.1}, {9.6f, 0.2, 0.070711}, {1000, 0.4, 0.05}, {NAN, 0.1, 0.1}};
    double pixels = HEIGHT / (2.0 * 10.0 * tan(4.0 * 3.14159265358979323846 / 180.0));
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int axis = 0; axis < 2; axis++) {
            velocity[axis] = cases[k].speed;
            velocity[1 - axis] = 0;
            Image image = draw_drop(context, &drop);
            int wide = 0, high = 0;
            for (int x = 0; x < WIDTH; x++)
                wide += memcmp(pixel(&image, x, HEIGHT / 2), pixel(&empty, x, HEIGHT / 2), 3) != 0;
            for (int y = 0; y < HEIGHT; y++)
                high += memcmp(pixel(&image, WIDTH / 2, y), pixel(&empty, WIDTH / 2, y), 3) != 0;
            assert_close(axis == 0 ? wide : high, 2 * cases[k].along * pixels, 2.5);
            assert_close(axis == 0 ? high : wide, 2 * cases[k].across * pixels, 2.5);
            image_destroy(context, &image);
        }
    /* Without a place or a size there is no drop. */
    for (int k = 0; k < 3; k++) {
        position[0] = k == 0 ? NAN : 0;
        radius = k == 1 ? 0 : k == 2 ? -1 : 0.1f;
        Image image = draw_drop(context, &drop);
        assert_memory_equal(image.rgb, empty.rgb, image_bytes(&empty));
        image_destroy(context, &image);
    }
    image_destroy(context, &empty);
    test_context_close(context);
}

/* ---- all together ---- */

/* A wavy pool with a ball in it and drops above. */
enum { SIDE = 24, DROPS = 300 };
typedef struct Pool {
    float vertices[2 * SIDE * SIDE * 3];
    int32_t triangles[12 * SIDE * SIDE * 3], objects[12 * SIDE * SIDE];
    float positions[3 * DROPS], velocities[3 * DROPS], radii[DROPS];
} Pool;

static int32_t *add_quad(int32_t *t, int a, int b, int c, int d) {
    const int32_t quad[] = {a, b, c, a, c, d};
    memcpy(t, quad, sizeof quad);
    return t + 6;
}

static RenderMesh make_pool(Pool *pool, RenderDrops *drops) {
    static const float color[3] = {0.3f, 0.5f, 0.8f};
    enum { BOTTOM = SIDE * SIDE, LAST = SIDE - 1 };
    for (int i = 0; i < SIDE * SIDE; i++) {
        double x = 2.0 * (i % SIDE) / LAST - 1, z = 2.0 * (double)(i / SIDE) / LAST - 1;
        double height = 1.0 + 0.08 * sin(7 * x + 2) * cos(6 * z);
        const double corners[6] = {x, height, z, x, 0, z};
        for (int c = 0; c < 3; c++) {
            pool->vertices[3 * i + c] = (float)corners[c];
            pool->vertices[3 * (BOTTOM + i) + c] = (float)corners[3 + c];
        }
    }
    int32_t *t = pool->triangles;
    for (int i = 0; i < LAST; i++) {
        for (int j = 0; j < LAST; j++) {
            int a = i * SIDE + j, b = a + SIDE;
            t = add_quad(t, a, b, b + 1, a + 1);
            t = add_quad(t, BOTTOM + a, BOTTOM + a + 1, BOTTOM + b + 1, BOTTOM + b);
        }
        int left = i * SIDE, right = left + LAST, far = i, near = LAST * SIDE + i;
        t = add_quad(t, left, BOTTOM + left, BOTTOM + left + SIDE, left + SIDE);
        t = add_quad(t, right, right + SIDE, BOTTOM + right + SIDE, BOTTOM + right);
        t = add_quad(t, far, far + 1, BOTTOM + far + 1, BOTTOM + far);
        t = add_quad(t, near, BOTTOM + near, BOTTOM + near + 1, near + 1);
    }
    for (int i = 0; i < DROPS; i++) {
        double angle = 2.4 * i, radius = 0.03 * sqrt((double)i);
        pool->positions[3 * i] = (float)(radius * cos(angle));
        pool->positions[3 * i + 1] = (float)(1.2 + 0.3 * sin(0.1 * i));
        pool->positions[3 * i + 2] = (float)(radius * sin(angle));
        pool->velocities[3 * i] = (float)(2.0 * cos(angle));
        pool->velocities[3 * i + 1] = 1.0f;
        pool->radii[i] = 0.01f;
    }
    *drops = (RenderDrops){.positions = pool->positions,
                           .velocities = pool->velocities,
                           .radii = pool->radii,
                           .count = DROPS};
    return (RenderMesh){.vertices = pool->vertices,
                        .vertex_count = 2 * SIDE * SIDE,
                        .triangles = pool->triangles,
                        .triangle_count = (size_t)(t - pool->triangles) / 3,
                        .objects = pool->objects,
                        .colors = color,
                        .smooth = true,
                        .is_clear = true,
                        .absorption = {1.5f, 0.3f, 0.2f}};
}

static const float ball_center[3] = {0.3f, 0.8f, 0.2f}, ball_radius = 0.35f;
static const float ball_color[3] = {0.9f, 0.3f, 0.1f};

static PlimStatus draw_pool(PlimContext *context, const RenderCamera *camera,
                            const RenderOptions *options, Image *image) {
    static Pool pool;
    RenderDrops drops;
    RenderMesh mesh = make_pool(&pool, &drops);
    RenderSpheres ball = {ball_center, &ball_radius, ball_color, 1};
    RenderScene *scene = NULL;
    PlimStatus status = image_create(context, options->width, options->height, image);
    if (status == PLIM_OK) status = render_scene_create(context, &mesh, 1, &ball, 1, &scene);
    if (status == PLIM_OK) status = render_scene_add_drops(scene, &drops, 1);
    if (status == PLIM_OK) status = render_scene_draw(scene, camera, options, image);
    render_scene_destroy(scene);
    return status;
}

static const RenderCamera outside = {{2.5, 2.2, 4}, {0, 0.6, 0}, 35};
static const RenderCamera submerged = {{-0.7, 0.5, 0.7}, {0.2, 0.8, 0}, 60};

static void same_bits_for_any_thread_count(void **state) {
    (void)state;
    RenderOptions options = small_options();
    options.ground = true;
    options.checker = 0.25;
    const RenderCamera *cameras[] = {&outside, &submerged};
    for (int k = 0; k < 2; k++) {
        Image images[3];
        PlimContext *contexts[3];
        for (int i = 0; i < 3; i++) {
            contexts[i] = test_context(1 << i);
            assert_int_equal(draw_pool(contexts[i], cameras[k], &options, &images[i]), PLIM_OK);
        }
        for (int i = 1; i < 3; i++)
            assert_memory_equal(images[i].rgb, images[0].rgb, image_bytes(&images[0]));
        for (int i = 0; i < 3; i++) {
            image_destroy(contexts[i], &images[i]);
            test_context_close(contexts[i]);
        }
    }
}

static PlimStatus try_small_pool(PlimContext *context, void *user) {
    (void)user;
    RenderOptions options = small_options();
    options.width = options.height = 16;
    Image image = {0};
    PlimStatus status = draw_pool(context, &outside, &options, &image);
    image_destroy(context, &image);
    return status;
}

static void running_out_of_memory(void **state) {
    (void)state;
    starve(&(Starved){.use = try_small_pool, .least = 14, .most = 98});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(water_bends_light),
        cmocka_unit_test(water_mirrors_from_below),
        cmocka_unit_test(water_mirrors_the_sky),
        cmocka_unit_test(water_absorbs),
        cmocka_unit_test(shadows_of_water_are_light),
        cmocka_unit_test(water_wets_the_ground),
        cmocka_unit_test(nested_water_is_water),
        cmocka_unit_test(glass_bends_more_than_water),
        cmocka_unit_test(glass_touches_water),
        cmocka_unit_test(drops_show_what_is_behind),
        cmocka_unit_test(drops_are_stretched),
        cmocka_unit_test(same_bits_for_any_thread_count),
        cmocka_unit_test(running_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
