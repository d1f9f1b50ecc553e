/* Reading a scene with many bodies, and encoding a state and a frame of it (no disk). */
#include "bench/bench.h"

#include "base/text.h"
#include "io/frame_file.h"
#include "io/state_file.h"
#include "scene/scene.h"

typedef struct IoBench {
    PlimContext *context;
    Text text;
    PlimScene *scene;
    PlimWorld *world;
    size_t bytes; /* of the file made last */
} IoBench;

static PlimStatus read_scene(void *user) {
    IoBench *bench = user;
    plim_world_destroy(bench->world);
    plim_scene_destroy(bench->scene);
    bench->world = NULL;
    TRY(plim_scene_parse(bench->context, "bench", text_string(&bench->text),
                         bench->text.bytes.count, NULL, 0, &bench->scene));
    return plim_scene_create_world(bench->scene, &bench->world);
}

static PlimStatus encode_state(void *user) {
    IoBench *bench = user;
    char *bytes;
    TRY(state_file_encode(bench->world, 0, 0, &bytes, &bench->bytes));
    context_free(bench->context, bytes, bench->bytes, 1);
    return PLIM_OK;
}

static PlimStatus encode_frame(void *user) {
    IoBench *bench = user;
    FrameView view;
    char *bytes;
    size_t mark = scratch_mark(&bench->world->scratch);
    TRY(world_view_frame(bench->world, &view));
    TRY(frame_file_encode(bench->context, &view, 0, 0.0, &bytes, &bench->bytes));
    context_free(bench->context, bytes, bench->bytes, 1);
    scratch_release(&bench->world->scratch, mark);
    return scratch_reset(&bench->world->scratch);
}

static PlimStatus measure(const BenchOptions *options, IoBench *bench, const char *variant,
                          size_t n, PlimStatus (*body)(void *)) {
    PlimStatus status;
    bench->bytes = 0;
    double seconds = bench_time(options, body, bench, &status);
    BenchResult result = {.name = "io",
                          .variant = variant,
                          .n = n,
                          .seconds = seconds,
                          .work = (double)n,
                          .unit = "bodies",
                          .bytes = (double)bench->bytes};
    if (status == PLIM_OK) bench_print(options, &result);
    return status;
}

static PlimStatus measure_size(const BenchOptions *options, size_t n) {
    IoBench bench = {.context = options->context};
    text_init(&bench.text, options->context);
    text_add(&bench.text,
             "plimsoll: 1\nrigid:\n  bodies:\n    - name: ring\n      shape: {torus: {}}\n"
             "      position: [0, \"=0.1*random(1)\", 0]\n      repeat: {count: %zu}\n",
             n);
    PlimStatus status = measure(options, &bench, "read scene", n, read_scene);
    if (status == PLIM_OK) status = measure(options, &bench, "encode state", n, encode_state);
    if (status == PLIM_OK) status = measure(options, &bench, "encode frame", n, encode_frame);
    plim_world_destroy(bench.world);
    plim_scene_destroy(bench.scene);
    text_free(&bench.text);
    return status;
}

PlimStatus bench_io(const BenchOptions *options) {
    size_t largest = options->quick ? 1000 : 10000;
    for (size_t n = 100; n <= largest; n *= 10) TRY(measure_size(options, n));
    return PLIM_OK;
}
