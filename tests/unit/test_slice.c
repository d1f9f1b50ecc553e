/* Pictures of cuts through fluids: the cut fills the picture, obstacles are grey, colours follow
 * the quantity, threads and lines follow the flow, the legend tells the range, and the bits are the
 * same for any number of threads. */
#include "picture.h"
#include "ration.h"

#include "base/hash.h"
#include "render/legend.h"
#include "render/slice_parts.h"

#include <stdlib.h>
#include <string.h>

enum { NX = 40, NY = 20, NZ = 3, WIDTH = 416, HEIGHT = 216 };

/* A flow along x, faster to the right; an obstacle in the lower right quarter of the middle layer.
 */
typedef struct Flow {
    FrameVolume volume;
    float velocity[NX * NY * NZ * 3], pressure[NX * NY * NZ], smoke[NX * NY * NZ];
    float level[NX * NY * NZ];
    int32_t solid[NX * NY * NZ];
} Flow;

static Flow *make_flow(void) {
    Flow *flow = calloc(1, sizeof *flow);
    for (int k = 0; k < NZ; k++)
        for (int j = 0; j < NY; j++)
            for (int i = 0; i < NX; i++) {
                int cell = (k * NY + j) * NX + i;
                flow->velocity[3 * cell] = (float)(k == 1 ? 0.05 * (i + 1) : 100.0);
                flow->smoke[cell] = i < NX / 4 ? 1.0f : 0.0f;
                flow->solid[cell] = k == 1 && i >= NX / 2 && j < NY / 2;
            }
    flow->volume = (FrameVolume){.name = "fluid",
                                 .dim = 3,
                                 .n = {NX, NY, NZ},
                                 .spacing = 0.1,
                                 .velocity = flow->velocity,
                                 .pressure = flow->pressure,
                                 .smoke = flow->smoke,
                                 .solid = flow->solid};
    return flow;
}

static SliceRange range_of(const FrameVolume *volume, SliceShow show) {
    PlimContext *context = test_context(1);
    SliceRange range;
    assert_int_equal(slice_measure(context, volume, show, &range), PLIM_OK);
    test_context_close(context);
    return slice_range_of_run(show, &range, 1);
}

static Image draw(int threads, const FrameVolume *volume, const SliceOptions *options,
                  PlimContext **context) {
    Image image;
    *context = test_context(threads);
    assert_int_equal(image_create(*context, WIDTH, HEIGHT, &image), PLIM_OK);
    assert_int_equal(slice_draw(*context, volume, NULL, options, &image), PLIM_OK);
    return image;
}

/* Sum of |difference of brightness| between neighbours along x or y in a square. */
static int roughness(const Image *image, int x0, int y0, int dx, int dy) {
    int sum = 0;
    for (int y = y0; y < y0 + 40; y++)
        for (int x = x0; x < x0 + 40; x++)
            sum += abs(pixel(image, x + dx, y + dy)[1] - pixel(image, x, y)[1]);
    return sum;
}

static void test_picture(void **state) {
    (void)state;
    Flow *flow = make_flow();
    SliceOptions options = {.show = SLICE_SPEED, .range = range_of(&flow->volume, SLICE_SPEED)};
    assert_close(options.range.low, 0.0, 0.0);
    assert_close(options.range.high, 2.0, 1e-6); /* of the middle layer */
    PlimContext *context;
    Image image = draw(2, &flow->volume, &options, &context);
    /* 10 pixels a cell and a margin of 8. */
    const unsigned char *margin = pixel(&image, 3, 3), *obstacle = pixel(&image, 300, 150);
    assert_true(margin[0] > 240 && margin[0] == margin[1] && margin[1] == margin[2]);
    assert_true(obstacle[0] == obstacle[1] && obstacle[1] == obstacle[2] && obstacle[0] < 200);
    /* Blue where it is slow, yellow where it is fast. */
    int slow[3] = {0}, fast[3] = {0};
    for (int y = 20; y < 60; y++)
        for (int x = 0; x < 40; x++)
            for (int c = 0; c < 3; c++) {
                slow[c] += pixel(&image, 12 + x, y)[c];
                fast[c] += pixel(&image, 364 + x, y)[c];
            }
    assert_true(slow[2] > 2 * slow[0] && fast[0] > 2 * fast[2]);
    /* Threads along x: smooth along them, rough across. */
    assert_true(roughness(&image, 150, 30, 0, 1) > 3 * roughness(&image, 150, 30, 1, 0));
    image_destroy(context, &image);
    test_context_close(context);
    free(flow);
}

/* Water up to the middle of row 8, in cells of 0.1 m. */
static void fill_half(Flow *flow) {
    for (int i = 0; i < NX * NY * NZ; i++) flow->level[i] = (float)(0.1 * (i / NX % NY - 8));
    flow->volume.level = flow->level;
}

static void test_same_bits(void **state) {
    (void)state;
    Flow *flow = make_flow();
    flow->volume.temperature = flow->pressure;
    fill_half(flow);
    for (int show = 0; show < SLICE_SHOW_COUNT; show++) {
        SliceOptions options = {.show = (SliceShow)show,
                                .range = range_of(&flow->volume, (SliceShow)show),
                                .lines = true,
                                .legend = true};
        uint64_t hashes[3];
        for (int i = 0; i < 3; i++) {
            PlimContext *context;
            Image image = draw(1 << i, &flow->volume, &options, &context);
            hashes[i] = hash_bytes(HASH_START, image.rgb, (size_t)WIDTH * HEIGHT * 3);
            image_destroy(context, &image);
            test_context_close(context);
        }
        assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
    }
    free(flow);
}

/* ---- vorticity ---- */

/* Turning as one about the middle, `rate` radians a second, with a disc that stands in the middle.
 */
static void turn(Flow *flow, double rate) {
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++) {
            int cell = j * NX + i;
            double x = 0.1 * (i + 0.5 - NX / 2.0), y = 0.1 * (j + 0.5 - NY / 2.0);
            flow->solid[cell] = hypot(x, y) < 0.3;
            flow->velocity[3 * cell] = flow->solid[cell] ? 50.0f : (float)(-rate * y);
            flow->velocity[3 * cell + 1] = flow->solid[cell] ? 50.0f : (float)(rate * x);
        }
    flow->volume.dim = 2;
    flow->volume.n[2] = 1;
}

static void test_vorticity(void **state) {
    (void)state;
    Flow *flow = make_flow();
    static double values[NX * NY];
    for (int way = -1; way <= 1; way += 2) {
        double rate = 1.5 * way;
        turn(flow, rate);
        PlimContext *context = test_context(1);
        assert_int_equal(slice_values(context, &flow->volume, SLICE_VORTICITY, values), PLIM_OK);
        test_context_close(context);
        /* Twice the rate in every cell of the fluid, by the obstacle and by the sides too. */
        for (int i = 0; i < NX * NY; i++)
            if (!flow->solid[i]) assert_close(values[i], 2 * rate, 2e-5);
        SliceOptions options = {.show = SLICE_VORTICITY,
                                .range = range_of(&flow->volume, SLICE_VORTICITY)};
        assert_close(options.range.high, 3.0, 2e-5);
        assert_close(options.range.low, -options.range.high, 0.0);
        options.range.low = -6;
        options.range.high = 6;
        Image image = draw(1, &flow->volume, &options, &context);
        const unsigned char *corner = pixel(&image, 10, 10);
        assert_true(way > 0 ? corner[0] > corner[2] + 30 : corner[2] > corner[0] + 30);
        for (int x = 10; x < WIDTH - 10; x++)
            for (int y = 10; y < 50; y++)
                for (int c = 0; c < 3; c++)
                    assert_in_range(pixel(&image, x, y)[c] + 1 - corner[c], 0, 2);
        image_destroy(context, &image);
        test_context_close(context);
    }
    free(flow);
}

/* A few wild cells and a wild first frame do not make all else pale; no range is empty. */
static void test_ranges(void **state) {
    (void)state;
    Flow *flow = make_flow();
    turn(flow, 1.0);
    flow->velocity[3 * (3 * NX + 5)] = 1e6f;
    SliceRange wild = range_of(&flow->volume, SLICE_VORTICITY);
    assert_true(wild.high >= 2.0 - 1e-4 && wild.high < 10.0);
    assert_true(range_of(&flow->volume, SLICE_SPEED).high < 10.0);
    SliceRange frames[24], still = {0, 0};
    for (int i = 0; i < 24; i++) frames[i] = (SliceRange){-1 - 0.01 * i, 1 + 0.01 * i};
    frames[0] = (SliceRange){-500, 500};
    SliceRange run = slice_range_of_run(SLICE_VORTICITY, frames, 24);
    assert_true(run.high > 1.1 && run.high < 1.3);
    assert_close(run.low, -run.high, 0.0);
    run = slice_range_of_run(SLICE_SMOKE, frames, 24);
    assert_close(run.high, 500, 0);
    for (int show = 0; show < SLICE_SHOW_COUNT; show++) {
        run = slice_range_of_run((SliceShow)show, &still, 1);
        assert_true(run.low < run.high);
        assert_true(show != SLICE_VORTICITY || run.low == -run.high);
        run = slice_range_of_run((SliceShow)show, NULL, 0);
        assert_true(run.low < run.high);
    }
    free(flow);
}

/* ---- smoke, lines, legend ---- */

static void test_smoke_is_ink(void **state) {
    (void)state;
    Flow *flow = make_flow();
    SliceOptions options = {.show = SLICE_SMOKE, .range = {0, 1}};
    PlimContext *context;
    Image image = draw(1, &flow->volume, &options, &context);
    assert_true(pixel(&image, 40, 40)[0] < 60 && pixel(&image, 40, 40)[2] < 100);
    assert_true(pixel(&image, 300, 40)[0] > 225);
    image_destroy(context, &image);
    options.show = SLICE_TEMPERATURE;
    assert_int_equal(image_create(context, WIDTH, HEIGHT, &image), PLIM_OK);
    assert_int_equal(slice_draw(context, &flow->volume, NULL, &options, &image), PLIM_BAD_INPUT);
    assert_non_null(strstr(plim_message(context), "temperature"));
    image_destroy(context, &image);
    test_context_close(context);
    free(flow);
}

/* Lines of a flow along x are level, and 6 to 14 of them cross the upper half. */
static void test_lines(void **state) {
    (void)state;
    Flow *flow = make_flow();
    SliceOptions options = {.show = SLICE_PRESSURE, .range = {-1, 1}};
    PlimContext *contexts[2];
    Image plain = draw(1, &flow->volume, &options, &contexts[0]);
    options.lines = true;
    Image lined = draw(1, &flow->volume, &options, &contexts[1]);
    int crossed = 0;
    for (int y = 10; y < 100; y++) {
        int here = pixel(&lined, 300, y)[1] - pixel(&plain, 300, y)[1];
        int above = pixel(&lined, 300, y - 1)[1] - pixel(&plain, 300, y - 1)[1];
        crossed += here > 8 && above <= 8;
        assert_in_range(pixel(&lined, 310, y)[1] + 3 - pixel(&lined, 300, y)[1], 0, 6);
    }
    assert_in_range(crossed, 6, 14);
    image_destroy(contexts[0], &plain);
    image_destroy(contexts[1], &lined);
    test_context_close(contexts[0]);
    test_context_close(contexts[1]);
    free(flow);
}

/* ---- liquids ---- */

/* Blue below the surface, a dark line along it, nothing above but drops; the surface lies where the
 * level is zero, to a pixel. */
static void test_liquid(void **state) {
    (void)state;
    Flow *flow = make_flow();
    fill_half(flow);
    memset(flow->solid, 0, sizeof flow->solid);
    float positions[] = {1.05f, 1.55f, 0.15f, 3.05f, 1.55f, 0.9f}, radii[] = {0.04f, 0.04f};
    float velocities[6] = {0};
    FramePoints points = {.name = "drops",
                          .count = 2,
                          .positions = positions,
                          .velocities = velocities,
                          .radii = radii};
    FrameView view = {.points = {points}, .points_count = 1};
    SliceOptions options = {.show = SLICE_LIQUID, .range = {0, 1}, .legend = true};
    PlimContext *context = test_context(1);
    Image image;
    assert_int_equal(image_create(context, WIDTH, HEIGHT, &image), PLIM_OK);
    assert_int_equal(slice_draw(context, &flow->volume, &view, &options, &image), PLIM_OK);
    /* 10 pixels a cell, a margin of 8, and the level zero in the middle of row 8: y = 85 pixels. */
    int line = HEIGHT - 8 - 85;
    for (int x = 12; x < WIDTH - 12; x += 7) {
        const unsigned char *below = pixel(&image, x, line + 6);
        assert_true(below[2] > below[0] + 60);
        assert_true(pixel(&image, x, line - 6)[0] > 240);
        assert_true(pixel(&image, x, line)[0] < 100 || pixel(&image, x, line - 1)[0] < 100);
    }
    /* The drop in the cut is a dot, that far behind it is not; a drop is 8 pixels wide. */
    int row = HEIGHT - 8 - 155, wide = 0;
    for (int x = 90; x < 140; x++) wide += pixel(&image, x, row)[0] < 128;
    assert_in_range(wide, 7, 9);
    assert_true(pixel(&image, 8 + 305, row)[0] > 240);
    image_destroy(context, &image);
    test_context_close(context);
    free(flow);
}

/* ---- bodies ---- */

enum { SLABS = 3 };

/* A plate 0.04 m thick, thinner than half a cell, turned about z; the same, farther behind than the
 * cut; and a sheet without an inside. */
typedef struct Plates {
    float vertices[SLABS * 8 * 3], velocities[SLABS * 8 * 3], colors[SLABS * 3];
    int32_t triangles[3 * (2 * 12 + 2)], objects[2 * 12 + 2];
    FrameView view;
} Plates;

static void put_box(Plates *plates, int number, Vec3 middle, Vec3 half, double angle) {
    static const int32_t sides[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6},
                                         {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3},
                                         {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    for (int v = 0; v < 8; v++) {
        Vec3 x = vec3(v & 1 ? half.x : -half.x, v & 2 ? half.y : -half.y, v & 4 ? half.z : -half.z);
        x = vec3_add(middle, vec3(x.x * cos(angle) - x.y * sin(angle),
                                  x.x * sin(angle) + x.y * cos(angle), x.z));
        for (int a = 0; a < 3; a++)
            plates->vertices[3 * (8 * number + v) + a] = (float)vec3_component(x, a);
    }
    for (int t = 0; t < (number < 2 ? 12 : 2); t++) {
        plates->objects[12 * number + t] = number;
        for (int c = 0; c < 3; c++)
            plates->triangles[3 * (12 * number + t) + c] =
                8 * number + sides[number < 2 ? t : t + 6][c];
    }
}

static void make_plates(Plates *plates, double angle) {
    *plates = (Plates){0};
    put_box(plates, 0, vec3(1.5, 1.2, 0.15), vec3(0.6, 0.02, 0.1), angle);
    put_box(plates, 1, vec3(3, 1.2, 0.5), vec3(0.3, 0.3, 0.1), 0);
    put_box(plates, 2, vec3(2, 0.3, 0.15), vec3(5, 0.1, 5), 0);
    plates->view.mesh_count = 1;
    plates->view.meshes[0] = (FrameMesh){.name = "rigid",
                                         .vertex_count = SLABS * 8,
                                         .triangle_count = 2 * 12 + 2,
                                         .object_count = SLABS,
                                         .vertices = plates->vertices,
                                         .velocities = plates->velocities,
                                         .triangles = plates->triangles,
                                         .objects = plates->objects,
                                         .colors = plates->colors};
}

/* How much of the picture is grey or nearly black, in pixels. */
static double grey_area(const Image *image) {
    double sum = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            const unsigned char *p = pixel(image, x, y);
            sum += p[2] < p[0] + 20 && p[0] < 180;
        }
    return sum;
}

/* A body is drawn as its mesh is cut, not as its cells; what the mesh covers is no blot beside. */
static void test_bodies(void **state) {
    (void)state;
    static const double angles[] = {0, 0.4, 1.3};
    for (size_t k = 0; k < 3; k++) {
        Flow *flow = make_flow();
        memset(flow->solid, 0, sizeof flow->solid);
        for (int c = 0; c < NX * NY * NZ; c++) flow->level[c] = -1;
        flow->volume.level = flow->level;
        int cell = (NY + 12) * NX + 15; /* in the middle of the plate */
        flow->solid[cell] = 1;
        Plates plates;
        make_plates(&plates, angles[k]);
        SliceOptions options = {.show = SLICE_LIQUID, .range = {0, 1}};
        PlimContext *context = test_context(1);
        Image image;
        assert_int_equal(image_create(context, WIDTH, HEIGHT, &image), PLIM_OK);
        assert_int_equal(slice_draw(context, &flow->volume, &plates.view, &options, &image),
                         PLIM_OK);
        /* 100 pixels a metre: 120 by 4 pixels, and a little of the edge around. */
        assert_in_range((int)grey_area(&image), 460, 580);
        assert_true(pixel(&image, 8 + 150, HEIGHT - 8 - 120)[0] < 180);
        image_destroy(context, &image);
        test_context_close(context);
        free(flow);
    }
}

/* A body has its own colour; a flat picture has nothing else, exact to the byte. */
static void test_body_colors(void **state) {
    (void)state;
    Flow *flow = make_flow();
    memset(flow->solid, 0, sizeof flow->solid);
    for (int c = 0; c < NX * NY * NZ; c++) flow->level[c] = c / NX % NY < NY / 4 ? -1 : 1;
    flow->volume.level = flow->level;
    Plates plates;
    make_plates(&plates, 0);
    put_box(&plates, 0, vec3(1.5, 1.2, 0.15), vec3(0.6, 0.2, 0.1), 0);
    plates.colors[1] = 0.6f; /* green */
    SliceFlat flat = {.fluid = {0, 0, 1}, .obstacle = {1, 0, 0}};
    SliceOptions options = {.show = SLICE_LIQUID, .range = {0, 1}};
    PlimContext *context = test_context(1);
    Image image;
    assert_int_equal(image_create(context, WIDTH, HEIGHT, &image), PLIM_OK);
    for (int k = 0; k < 2; k++) {
        if (k == 1) options.flat = &flat;
        assert_int_equal(slice_draw(context, &flow->volume, &plates.view, &options, &image),
                         PLIM_OK);
        const unsigned char *p = pixel(&image, 8 + 150, HEIGHT - 8 - 120);
        assert_true(p[0] == 0 && p[1] == 153 && p[2] == 0);
    }
    int green = 0, blue = 0, black = 0;
    for (size_t i = 0; i < image_bytes(&image); i += 3) {
        const unsigned char *p = image.rgb + i;
        green += p[0] == 0 && p[1] == 153 && p[2] == 0;
        blue += p[0] == 0 && p[1] == 0 && p[2] == 255;
        black += p[0] == 0 && p[1] == 0 && p[2] == 0;
    }
    assert_int_equal(green, 120 * 40);
    assert_true(blue > 1000);
    assert_int_equal(green + blue + black, WIDTH * HEIGHT);
    image_destroy(context, &image);
    test_context_close(context);
    free(flow);
}

/* What the air does is neither shown nor measured. */
static void test_quantities_in_liquid(void **state) {
    (void)state;
    Flow *flow = make_flow();
    fill_half(flow);
    for (int i = 0; i < NX * NY * NZ; i++)
        if (flow->level[i] > 0) flow->velocity[3 * i] = flow->velocity[3 * i + 1] = 500.0f;
    SliceRange range = range_of(&flow->volume, SLICE_SPEED);
    assert_true(range.high < 2.1);
    SliceOptions options = {.show = SLICE_SPEED, .range = range};
    PlimContext *context;
    Image image = draw(1, &flow->volume, &options, &context);
    assert_true(pixel(&image, 100, 30)[0] > 240); /* blank */
    assert_true(pixel(&image, 100, 180)[0] < 150);
    image_destroy(context, &image);
    test_context_close(context);
    free(flow);
}

/* Dark dots in a box of the picture. */
static int count_ink(const Image *image, int left, int top, int width, int height) {
    int count = 0;
    for (int y = top; y < top + height; y++)
        for (int x = left; x < left + width; x++) count += pixel(image, x, y)[0] < 128;
    return count;
}

/* The digits' dots: "-25" left of the bar, "25 1/s" right of it. */
static void test_legend(void **state) {
    (void)state;
    Flow *flow = make_flow();
    SliceOptions options = {.show = SLICE_VORTICITY, .range = {-25, 25}, .legend = true};
    PlimContext *context;
    Image image = draw(1, &flow->volume, &options, &context);
    int height = legend_height(&image), bar = WIDTH / 3, left = (WIDTH - bar) / 2;
    int top = HEIGHT - height;
    assert_int_equal(height, 10);
    enum { MINUS = 3, TWO = 14, FIVE = 17, ONE = 10, SLASH = 7, S = 13 };
    assert_int_equal(count_ink(&image, left - 60, top, 57, 7), MINUS + TWO + FIVE);
    assert_int_equal(count_ink(&image, left + bar + 3, top, 60, 7), TWO + FIVE + ONE + SLASH + S);
    /* Blue, white, red. */
    const unsigned char *low = pixel(&image, left, top + 3),
                        *high = pixel(&image, left + bar - 1, top + 3);
    assert_true(low[2] > low[0] + 50 && high[0] > high[2] + 50);
    assert_true(pixel(&image, WIDTH / 2, top + 3)[1] > 230);
    image_destroy(context, &image);
    test_context_close(context);
    Image small = {.width = 100, .height = 100};
    assert_int_equal(legend_height(&small), 0);
    free(flow);
}

/* The edge of a disc of cells is a smooth curve: no pixel of it lies far from the circle. */
static void test_smooth_edges(void **state) {
    (void)state;
    Flow *flow = make_flow();
    turn(flow, 1.0);
    int cells = 0;
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++) {
            double x = i + 0.5 - NX / 2.0, y = j + 0.5 - NY / 2.0;
            cells += flow->solid[j * NX + i] = hypot(x, y) < 6.0;
        }
    SliceOptions options = {.show = SLICE_SMOKE, .range = {0, 1}};
    memset(flow->smoke, 0, sizeof flow->smoke);
    PlimContext *context;
    Image image = draw(1, &flow->volume, &options, &context);
    int covered = 0;
    for (int y = 8; y < HEIGHT - 8; y++)
        for (int x = 8; x < WIDTH - 8; x++) {
            double radius = hypot(x + 0.5 - WIDTH / 2.0, y + 0.5 - HEIGHT / 2.0) / 10.0;
            bool grey = pixel(&image, x, y)[0] < 190;
            covered += grey;
            assert_true(radius < 5.3 ? grey : radius > 6.7 ? !grey : true);
        }
    assert_close(covered / 100.0, cells, 0.06 * cells); /* smoothing takes a little off */
    image_destroy(context, &image);
    test_context_close(context);
    free(flow);
}

/* A fluid at rest, one cell, odd shapes: no speed, no division by it. */
static void test_odd_sizes(void **state) {
    (void)state;
    float velocity[12] = {0}, pressure[4] = {0};
    int32_t solid[4] = {0, 1, 0, 0};
    static const int sizes[][3] = {{1, 1, 1}, {4, 1, 1}, {1, 4, 1}, {2, 1, 2}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        FrameVolume volume = {.name = "fluid",
                              .dim = sizes[i][2] > 1 ? 3 : 2,
                              .spacing = 1,
                              .velocity = velocity,
                              .pressure = pressure,
                              .solid = solid};
        memcpy(volume.n, sizes[i], sizeof volume.n);
        PlimContext *context = test_context(1);
        Image image;
        assert_int_equal(image_create(context, 17, 16, &image), PLIM_OK);
        for (int show = 0; show < SLICE_SHOW_COUNT; show++) {
            SliceOptions options = {
                .show = (SliceShow)show, .range = {0, 1}, .lines = true, .legend = true};
            bool there = slice_can_show(&volume, options.show);
            assert_int_equal(slice_draw(context, &volume, NULL, &options, &image),
                             there ? PLIM_OK : PLIM_BAD_INPUT);
        }
        image_destroy(context, &image);
        test_context_close(context);
    }
}

typedef struct Cut {
    const FrameVolume *volume;
    SliceShow show;
} Cut;

static PlimStatus try_to_cut(PlimContext *context, void *user) {
    const Cut *cut = user;
    SliceOptions options = {.show = cut->show, .range = {0, 1}, .lines = true};
    Image image = {0};
    SliceRange range;
    PlimStatus status = image_create(context, WIDTH, HEIGHT, &image);
    if (status == PLIM_OK) status = slice_measure(context, cut->volume, cut->show, &range);
    if (status == PLIM_OK) status = slice_draw(context, cut->volume, NULL, &options, &image);
    image_destroy(context, &image);
    return status;
}

static void test_running_out_of_memory(void **state) {
    (void)state;
    Flow *flow = make_flow();
    FrameVolume half = flow->volume;
    fill_half(flow);
    half.level = flow->level;
    flow->volume.level = NULL;
    Cut cuts[] = {
        {&flow->volume, SLICE_SPEED}, {&flow->volume, SLICE_VORTICITY}, {&half, SLICE_LIQUID}};
    for (int i = 0; i < 3; i++)
        starve(&(Starved){.use = try_to_cut, .user = &cuts[i], .least = 9, .most = 98});
    free(flow);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_picture),      cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_vorticity),    cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_smoke_is_ink), cmocka_unit_test(test_lines),
        cmocka_unit_test(test_liquid),       cmocka_unit_test(test_quantities_in_liquid),
        cmocka_unit_test(test_bodies),       cmocka_unit_test(test_body_colors),
        cmocka_unit_test(test_legend),       cmocka_unit_test(test_smooth_edges),
        cmocka_unit_test(test_odd_sizes),    cmocka_unit_test(test_running_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
