/* Pictures of fluids: the cut fills the picture, obstacles are grey, colours follow the speed,
 * threads follow the flow, and the bits are the same for any number of threads. */
#include "check.h"

#include "base/hash.h"
#include "render/slice.h"

#include <stdlib.h>
#include <string.h>

enum { NX = 40, NY = 20, NZ = 3, WIDTH = 416, HEIGHT = 216 };

/* A flow along x, faster to the right; an obstacle in the lower right quarter of the middle layer.
 */
typedef struct Flow {
    FrameVolume volume;
    float velocity[NX * NY * NZ * 3], pressure[NX * NY * NZ];
    int32_t solid[NX * NY * NZ];
} Flow;

static Flow *make_flow(void) {
    Flow *flow = calloc(1, sizeof *flow);
    for (int k = 0; k < NZ; k++)
        for (int j = 0; j < NY; j++)
            for (int i = 0; i < NX; i++) {
                int cell = (k * NY + j) * NX + i;
                flow->velocity[3 * cell] = (float)(k == 1 ? 0.05 * (i + 1) : 100.0);
                flow->solid[cell] = k == 1 && i >= NX / 2 && j < NY / 2;
            }
    flow->volume = (FrameVolume){.name = "fluid",
                                 .dim = 3,
                                 .n = {NX, NY, NZ},
                                 .spacing = 0.1,
                                 .velocity = flow->velocity,
                                 .pressure = flow->pressure,
                                 .solid = flow->solid};
    return flow;
}

static Image draw(int threads, const FrameVolume *volume, PlimContext **context) {
    Image image;
    *context = test_context(threads);
    assert_int_equal(image_create(*context, WIDTH, HEIGHT, &image), PLIM_OK);
    assert_int_equal(slice_draw(*context, volume, slice_greatest_speed(volume), &image), PLIM_OK);
    return image;
}

static const unsigned char *pixel(const Image *image, int x, int y) {
    return image->rgb + 3 * (y * image->width + x);
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
    assert_close(slice_greatest_speed(&flow->volume), 2.0, 1e-6); /* of the middle layer */
    PlimContext *context;
    Image image = draw(2, &flow->volume, &context);
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

static void test_same_bits(void **state) {
    (void)state;
    Flow *flow = make_flow();
    uint64_t hashes[3];
    for (int i = 0; i < 3; i++) {
        PlimContext *context;
        Image image = draw(1 << i, &flow->volume, &context);
        hashes[i] = hash_bytes(HASH_START, image.rgb, (size_t)WIDTH * HEIGHT * 3);
        image_destroy(context, &image);
        test_context_close(context);
    }
    assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
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
        assert_int_equal(slice_draw(context, &volume, 1.0, &image), PLIM_OK);
        image_destroy(context, &image);
        test_context_close(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_picture),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_odd_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
