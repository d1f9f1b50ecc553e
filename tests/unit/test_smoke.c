/* Smoke in pictures: what it takes from light, its shadows, what is before it and what behind, and
 * the obstacles of a fluid as a surface. */
#include "picture.h"
#include "ration.h"

#include "base/random.h"
#include "render/obstacles.h"
#include "render/smoke.h"

#include <stdlib.h>
#include <string.h>

enum { N = 24, CELLS = N * N * N, WIDTH = 96, HEIGHT = 72 };

/* A cube of 2 m about (0, 1, 0). */
typedef struct Box {
    RenderSmoke smoke;
    float density[CELLS], temperature[CELLS];
} Box;

static Box *make_box(void) {
    Box *box = calloc(1, sizeof *box);
    assert_non_null(box);
    box->smoke = (RenderSmoke){.n = {N, N, N},
                               .spacing = 2.0 / N,
                               .origin = {-1, 0, -1},
                               .density = box->density,
                               .extinction = 1.0};
    return box;
}

/* A ball of smoke of radius 0.6 m in the middle, ragged, and thin at its edge. */
static void fill_ball(Box *box, double density) {
    for (int k = 0; k < N; k++)
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++) {
                size_t cell = ((size_t)k * N + (size_t)j) * N + (size_t)i;
                double x = (i + 0.5) * 2 / N - 1, y = (j + 0.5) * 2 / N - 1,
                       z = (k + 0.5) * 2 / N - 1;
                double inside = 1 - sqrt(x * x + y * y + z * z) / 0.6;
                double ragged = 0.5 + 0.5 * random_uniform(3, 0, cell);
                box->density[cell] = (float)(density * ragged * fmin(fmax(2 * inside, 0), 1));
            }
}

static RenderScene *make_scene(PlimContext *context, const RenderSpheres *spheres) {
    RenderScene *scene;
    assert_int_equal(render_scene_create(context, NULL, 0, spheres, spheres ? 1 : 0, &scene),
                     PLIM_OK);
    return scene;
}

static const RenderCamera front = {{0, 1, 6}, {0, 1, 0}, 30};

static Image draw(PlimContext *context, const RenderSpheres *spheres, const RenderSmoke *smoke,
                  bool ground) {
    RenderOptions options = render_options_default();
    options.width = WIDTH;
    options.height = HEIGHT;
    options.ground = ground;
    options.smoke = smoke;
    return draw_scene(context, NULL, 0, spheres, spheres ? 1 : 0, &front, &options);
}

/* ---- light along rays ---- */

/* Even smoke: exp(-depth) to rounding, along any ray and with any phase (Beer and Lambert). */
static void even_smoke_dims_exactly(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    RenderScene *scene = make_scene(context, NULL);
    Box *box = make_box();
    for (int i = 0; i < CELLS; i++) box->density[i] = 0.8f;
    Smoke smoke;
    assert_int_equal(smoke_create(context, &box->smoke, scene, vec3(0, 1, 0), &smoke), PLIM_OK);
    static const Vec3 targets[] = {{0, 1, 0}, {0.3, 1.4, -0.9}, {-0.9, 0.2, 0.5}, {0, 1, 0.99}};
    const Vec3 eyes[] = {{0, 1, 6}, {5, 3, 2}, {0.1, 9, 0.2}, {-4, -3, 5}};
    for (int e = 0; e < 4; e++)
        for (int t = 0; t < 4; t++)
            for (int k = 0; k < 3; k++) {
                Vec3 direction = vec3_normalize(vec3_sub(targets[t], eyes[e]));
                double begin = 0, end = 1e9;
                const double from[3] = {eyes[e].x, eyes[e].y, eyes[e].z};
                const double along[3] = {direction.x, direction.y, direction.z};
                for (int axis = 0; axis < 3; axis++) {
                    double low = axis == 1 ? 0 : -1;
                    if (along[axis] == 0) continue;
                    double a = (low - from[axis]) / along[axis];
                    double b = (low + 2 - from[axis]) / along[axis];
                    begin = fmax(begin, fmin(a, b));
                    end = fmin(end, fmax(a, b));
                }
                SmokePath path = smoke_along(&smoke, eyes[e], direction, HUGE_VAL, 0.45 * k);
                assert_close(path.through, exp(-0.8 * (end - begin)), 1e-5);
                assert_close(smoke_through(&smoke, eyes[e], direction, 0.45 * k), path.through,
                             1e-5);
                /* Half the way, and past the box. */
                path = smoke_along(&smoke, eyes[e], direction, 0.5 * (begin + end), 0.5);
                assert_close(path.through, exp(-0.4 * (end - begin)), 1e-5);
                path = smoke_along(&smoke, eyes[e], vec3_scale(-1, direction), HUGE_VAL, 0.5);
                assert_close(path.through, 1.0, 0.0);
            }
    smoke_free(context, &smoke);
    render_scene_destroy(scene);
    free(box);
    test_context_close(context);
}

/* Smoke up to a wall of solid cells is as thick at the wall as before it. */
static void smoke_reaches_walls(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    RenderScene *scene = make_scene(context, NULL);
    Box *box = make_box();
    int32_t *solid = calloc(CELLS, sizeof *solid);
    for (int i = 0; i < CELLS; i++) {
        solid[i] = i % N >= N / 2;
        box->density[i] = solid[i] ? 0.0f : 1.0f;
    }
    double through[2];
    for (int i = 0; i < 2; i++) {
        box->smoke.solid = i ? solid : NULL;
        Smoke smoke;
        assert_int_equal(smoke_create(context, &box->smoke, scene, vec3(0, 1, 0), &smoke), PLIM_OK);
        through[i] = smoke_along(&smoke, vec3(-3, 1, 0), vec3(1, 0, 0), 3.0, 0.9).through;
        smoke_free(context, &smoke);
    }
    assert_close(through[1], exp(-1.0), 1e-5);
    assert_true(through[0] > through[1] + 1e-3);
    free(solid);
    free(box);
    render_scene_destroy(scene);
    test_context_close(context);
}

enum { SMOKE_BLOCKS = 2 * N / 8 * 2 * N / 8 * 2 * N / 8 };

/* Leaving out empty blocks changes nothing: a lone cell is found from all sides. */
static void empty_space_is_skipped(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    RenderScene *scene = make_scene(context, NULL);
    Box *box = make_box();
    static const int cells[][3] = {{0, 0, 0}, {7, 8, 15}, {16, 7, 8}, {23, 23, 23}, {12, 0, 23}};
    for (int c = 0; c < 5; c++) {
        memset(box->density, 0, sizeof box->density);
        box->density[(cells[c][2] * N + cells[c][1]) * N + cells[c][0]] = 6.0f;
        Smoke smoke;
        assert_int_equal(smoke_create(context, &box->smoke, scene, vec3(0, 1, 0), &smoke), PLIM_OK);
        Vec3 at = vec3_add_scaled(box->smoke.origin, box->smoke.spacing,
                                  vec3(cells[c][0] + 0.5, cells[c][1] + 0.5, cells[c][2] + 0.5));
        for (int way = 0; way < 6; way++) {
            double sign = way & 1 ? -1 : 1;
            Vec3 direction =
                vec3(way / 2 == 0 ? sign : 0, way / 2 == 1 ? sign : 0, way / 2 == 2 ? sign : 0);
            Vec3 eye = vec3_add_scaled(at, -5, direction);
            double mean[2]; /* of the density over the ray, by many phases */
            for (int skip = 0; skip < 2; skip++) {
                unsigned char none[SMOKE_BLOCKS], *full = smoke.full;
                memset(none, 1, sizeof none);
                if (!skip) smoke.full = none;
                mean[skip] = 0;
                for (int k = 0; k < 64; k++)
                    mean[skip] -=
                        log(smoke_along(&smoke, eye, direction, HUGE_VAL, (k + 0.5) / 64).through) /
                        64;
                smoke.full = full;
            }
            assert_close(mean[1], mean[0], 1e-4);
            assert_close(mean[1], 6.0 * 2.0 / N, 0.1); /* a bell, its top a little flat */
        }
        smoke_free(context, &smoke);
    }
    render_scene_destroy(scene);
    free(box);
    test_context_close(context);
}

/* ---- pictures ---- */

/* Without smoke in it, a box changes no bit of the picture. */
static void empty_box_changes_nothing(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    float center[] = {0, 1, 0}, radius = 0.5f, color[] = {0.9f, 0.2f, 0.1f};
    RenderSpheres sphere = {center, &radius, color, 1};
    Box *box = make_box();
    box->density[5] = -1.0f;
    box->density[6] = NAN;
    Image plain = draw(context, &sphere, NULL, true);
    Image with = draw(context, &sphere, &box->smoke, true);
    assert_memory_equal(plain.rgb, with.rgb, (size_t)WIDTH * HEIGHT * 3);
    image_destroy(context, &plain);
    image_destroy(context, &with);
    free(box);
    test_context_close(context);
}

/* A red ball within thick smoke is not seen; before the smoke it is, and behind thin smoke it is
 * paler. */
static void depth_order(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    float center[] = {0, 1, 0}, radius = 0.3f, color[] = {0.9f, 0.1f, 0.1f};
    RenderSpheres sphere = {center, &radius, color, 1};
    Box *box = make_box();
    int red[4];
    static const double densities[] = {0, 40, 40, 0.8};
    static const float depths[] = {0, 0, 2, -2};
    for (int i = 0; i < 4; i++) {
        fill_ball(box, densities[i]);
        center[2] = depths[i];
        Image image = draw(context, &sphere, &box->smoke, false);
        const unsigned char *middle = pixel(&image, WIDTH / 2, HEIGHT / 2);
        red[i] = middle[0] - middle[2];
        image_destroy(context, &image);
    }
    assert_true(red[0] > 80 && abs(red[1]) < 30 && red[2] > 80);
    assert_true(red[3] > 10 && red[3] < red[0] - 20);
    free(box);
    test_context_close(context);
}

/* Smoke is bright towards the sun and dark away from it, darkens the ground, and lies in the shadow
 * of bodies. */
static void shadows(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    Box *box = make_box();
    fill_ball(box, 8.0);
    float center[] = {0, 4, 0}, radius = 0.9f, color[] = {0.5f, 0.5f, 0.5f};
    RenderSpheres sphere = {center, &radius, color, 1};
    for (int covered = 0; covered < 2; covered++) {
        RenderScene *scene = make_scene(context, covered ? &sphere : NULL);
        Smoke smoke;
        assert_int_equal(smoke_create(context, &box->smoke, scene, vec3(0, 1, 0), &smoke), PLIM_OK);
        SmokePath above = smoke_along(&smoke, vec3(0, 3, 0), vec3(0, -1, 0), HUGE_VAL, 0.5);
        SmokePath below = smoke_along(&smoke, vec3(0, -1, 0), vec3(0, 1, 0), HUGE_VAL, 0.5);
        assert_true(covered ? above.sun == 0 : above.sun > 0.2 && above.sun > 3 * below.sun);
        assert_true(above.sky > below.sky);
        smoke_free(context, &smoke);
        render_scene_destroy(scene);
    }
    RenderScene *scene = make_scene(context, NULL);
    RenderOptions options = render_options_default();
    options.width = WIDTH;
    options.height = HEIGHT;
    options.checker = 1000;
    options.sun = vec3(0, 1, 0);
    RenderCamera camera = {{501, 8, 508}, {500, 0, 500}, 40};
    box->smoke.origin = vec3(499, 0.5, 499);
    Image images[2];
    for (int i = 0; i < 2; i++) {
        options.smoke = i ? &box->smoke : NULL;
        assert_int_equal(image_create(context, WIDTH, HEIGHT, &images[i]), PLIM_OK);
        assert_int_equal(render_scene_draw(scene, &camera, &options, &images[i]), PLIM_OK);
    }
    int darker = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        darker += images[1].rgb[3 * i] < images[0].rgb[3 * i] - 40;
    assert_true(darker > 40);
    image_destroy(context, &images[0]);
    image_destroy(context, &images[1]);
    render_scene_destroy(scene);
    free(box);
    test_context_close(context);
}

static void hot_smoke_glows(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    Box *box = make_box();
    fill_ball(box, 8.0);
    int warmth[3];
    for (int i = 0; i < 3; i++) {
        for (int c = 0; c < CELLS; c++)
            box->temperature[c] = 293.0f + (box->density[c] > 0 ? 600.0f * (float)i - 300.0f : 0);
        box->smoke.temperature = i ? box->temperature : NULL;
        Image image = draw(context, NULL, &box->smoke, false);
        const unsigned char *middle = pixel(&image, WIDTH / 2, HEIGHT / 2);
        warmth[i] = middle[0] - middle[2];
        image_destroy(context, &image);
    }
    assert_int_equal(warmth[0], warmth[1]); /* 300 degrees are not enough */
    assert_true(warmth[2] > warmth[0] + 20);
    free(box);
    test_context_close(context);
}

static void same_bits_for_any_thread_count(void **state) {
    (void)state;
    float center[] = {0.3f, 1, 0.2f}, radius = 0.4f, color[] = {0.9f, 0.2f, 0.1f};
    RenderSpheres sphere = {center, &radius, color, 1};
    Box *box = make_box();
    fill_ball(box, 5.0);
    Image images[3];
    PlimContext *contexts[3];
    for (int i = 0; i < 3; i++) {
        contexts[i] = test_context(1 << i);
        images[i] = draw(contexts[i], &sphere, &box->smoke, true);
        assert_memory_equal(images[i].rgb, images[0].rgb, (size_t)WIDTH * HEIGHT * 3);
    }
    for (int i = 0; i < 3; i++) {
        image_destroy(contexts[i], &images[i]);
        test_context_close(contexts[i]);
    }
    free(box);
}

typedef struct Drawing {
    const FrameVolume *volume;
    const RenderOptions *options;
} Drawing;

static PlimStatus try_with_obstacles(PlimContext *context, void *user) {
    const Drawing *drawing = user;
    RenderMesh mesh = {0};
    PlimStatus status = obstacle_mesh_create(context, drawing->volume, NULL, 0, &mesh);
    if (status == PLIM_OK) status = try_to_draw(context, &mesh, &front, drawing->options);
    obstacle_mesh_free(context, &mesh);
    return status;
}

/* Whichever request for memory fails, the failure is reported and everything is given back. */
static void running_out_of_memory(void **state) {
    (void)state;
    Box *box = make_box();
    fill_ball(box, 1.0);
    for (int c = 0; c < CELLS; c++) box->temperature[c] = 900.0f * (float)(c % 2);
    box->smoke.temperature = box->temperature;
    int32_t *solid = calloc(CELLS, sizeof *solid);
    solid[CELLS / 2] = solid[CELLS / 2 + 1] = solid[CELLS / 2 + N] = 1;
    FrameVolume volume = {.dim = 3, .n = {N, N, N}, .spacing = 1, .solid = solid};
    RenderOptions options = render_options_default();
    options.width = options.height = 16;
    options.smoke = &box->smoke;
    Drawing drawing = {&volume, &options};
    starve(&(Starved){.use = try_with_obstacles, .user = &drawing, .least = 14, .most = 98});
    free(solid);
    free(box);
}

static void bad_boxes_are_refused(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    RenderScene *scene = make_scene(context, NULL);
    Box *box = make_box();
    RenderOptions options = render_options_default();
    options.width = options.height = 16;
    options.smoke = &box->smoke;
    Image image;
    assert_int_equal(image_create(context, 16, 16, &image), PLIM_OK);
    RenderSmoke good = box->smoke;
    for (int i = 0; i < 4; i++) {
        box->smoke = good;
        if (i == 0) box->smoke.n[1] = 0;
        if (i == 1) box->smoke.spacing = 0;
        if (i == 2) box->smoke.origin.x = NAN;
        if (i == 3) box->smoke.extinction = NAN;
        assert_int_equal(render_scene_draw(scene, &front, &options, &image), PLIM_BAD_INPUT);
    }
    image_destroy(context, &image);
    render_scene_destroy(scene);
    free(box);
    test_context_close(context);
}

/* ---- obstacles ---- */

/* A ball of solid cells becomes a ball; where a body's mesh is, nothing is drawn twice. */
static void obstacles_become_a_mesh(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    int32_t *solid = calloc(CELLS, sizeof *solid);
    for (int k = 0; k < N; k++)
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++)
                solid[(k * N + j) * N + i] = hypot(hypot(i - 11.5, j - 11.5), k - 11.5) < 8;
    FrameVolume volume = {
        .dim = 3, .n = {N, N, N}, .spacing = 0.5, .origin = {-6, -6, -6}, .solid = solid};
    RenderMesh mesh;
    assert_int_equal(obstacle_mesh_create(context, &volume, NULL, 0, &mesh), PLIM_OK);
    assert_true(mesh.triangle_count > 1000);
    for (size_t i = 0; i < mesh.vertex_count; i++) {
        const float *v = mesh.vertices + 3 * i;
        double radius = sqrt((double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
        assert_in_range((int)(100 * radius), 345, 415);
    }
    /* The mesh itself as the body hides all of the ball, half a ball's size off only a part. */
    float *moved = calloc(3 * mesh.vertex_count, sizeof *moved);
    for (int shift = 0; shift < 2; shift++) {
        for (size_t i = 0; i < 3 * mesh.vertex_count; i++)
            moved[i] = mesh.vertices[i] + (i % 3 == 0 ? 4.0f * (float)shift : 0);
        FrameMesh body = {.vertex_count = mesh.vertex_count,
                          .triangle_count = mesh.triangle_count,
                          .vertices = moved,
                          .triangles = mesh.triangles};
        RenderMesh left;
        assert_int_equal(obstacle_mesh_create(context, &volume, &body, 1, &left), PLIM_OK);
        assert_int_equal(left.triangle_count > 0, shift);
        for (size_t i = 0; i < left.vertex_count; i++) assert_true(left.vertices[3 * i] < 2.0f);
        obstacle_mesh_free(context, &left);
    }
    free(moved);
    obstacle_mesh_free(context, &mesh);
    memset(solid, 0, CELLS * sizeof *solid);
    assert_int_equal(obstacle_mesh_create(context, &volume, NULL, 0, &mesh), PLIM_OK);
    assert_int_equal(mesh.triangle_count, 0);
    free(solid);
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(even_smoke_dims_exactly),
        cmocka_unit_test(smoke_reaches_walls),
        cmocka_unit_test(empty_space_is_skipped),
        cmocka_unit_test(empty_box_changes_nothing),
        cmocka_unit_test(depth_order),
        cmocka_unit_test(shadows),
        cmocka_unit_test(hot_smoke_glows),
        cmocka_unit_test(same_bits_for_any_thread_count),
        cmocka_unit_test(running_out_of_memory),
        cmocka_unit_test(bad_boxes_are_refused),
        cmocka_unit_test(obstacles_become_a_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
