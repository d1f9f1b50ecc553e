/* Piles of rigid bodies: the mean time of a frame from the fall to the end of the run, where it is
 * spent, how it grows with the number of bodies, and with the threads. */
#include "bench/bench.h"
#include "bench/contact_bench.h"

#include "base/clock.h"
#include "world/world.h"

#include <math.h>
#include <time.h>

enum { FRAMES_A_SECOND = 24, MOST_SIZES = 5 };

/* What to run: for --quick, by default, and for --long. */
typedef struct PilePlan {
    const char *name, *variant;
    ContactPile pile;
    struct {
        double duration; /* s, simulated */
        size_t sizes[MOST_SIZES];
    } runs[3];
} PilePlan;

/* Sums over a run. */
typedef struct PileRun {
    double seconds;     /* wall time of the steps */
    double cpu;         /* s, of all threads; on a busy machine the steadier figure */
    double worst;       /* s, of a frame */
    double last_second; /* s, of the frames of the last simulated second */
    double stage[STAGE_COUNT];
    double near, pairs, points; /* pairs of boxes, pairs in contact and their points */
    size_t frames, steps;
    double asleep, deepest; /* bodies at the end; m, the deepest overlap of all steps */
    double bytes;
} PileRun;

static void add_step(const PlimWorld *world, PileRun *run) {
    const RigidContacts *contacts = &world->rigid->contacts;
    for (int stage = 0; stage < STAGE_COUNT; stage++)
        run->stage[stage] += world->stage_seconds[stage];
    run->near += (double)contacts->near.items.count;
    run->pairs += (double)contacts->figures.pairs;
    run->points += (double)contacts->figures.points;
    run->asleep = (double)contacts->figures.asleep;
    run->deepest = fmax(run->deepest, contacts->figures.penetration);
    run->steps++;
}

static PlimStatus run_frames(PlimWorld *world, size_t frames, PileRun *run) {
    clock_t cpu_before = clock();
    for (size_t frame = 1; frame <= frames; frame++) {
        double until = (double)frame / FRAMES_A_SECOND, seconds = 0;
        while (plim_world_time(world) < until) {
            double before = clock_seconds();
            TRY(plim_world_substep(world, until));
            seconds += clock_seconds() - before;
            add_step(world, run);
        }
        run->seconds += seconds;
        run->worst = fmax(run->worst, seconds);
        if (frame + FRAMES_A_SECOND > frames) run->last_second += seconds;
    }
    run->cpu = (double)(clock() - cpu_before) / CLOCKS_PER_SEC;
    run->frames = frames;
    return PLIM_OK;
}

/* Of the growth from another size to this one: p in seconds ~ n^p. */
static double exponent(const BenchResult *before, const BenchResult *now) {
    if (before->n == 0) return 0; /* there is none */
    return log(now->seconds / before->seconds) / log((double)now->n / (double)before->n);
}

/* Where the time goes and what there is to do, each a mean frame or step. */
static void print_run(const BenchOptions *options, const PileRun *run, const BenchResult *first,
                      const BenchResult *previous, BenchResult *result) {
    double frames = (double)run->frames, steps = (double)run->steps, stages = 0;
    for (int stage = STAGE_COLLIDE; stage <= STAGE_MOVE; stage++) stages += run->stage[stage];
    stages += run->stage[STAGE_FINISH];
    const BenchFigure figures[] = {
        {"frames", frames},
        {"steps", steps},
        {"cpu", run->cpu / frames},
        {"frame.worst", run->worst},
        {"frame.last_second", run->last_second / fmin(frames, FRAMES_A_SECOND)},
        {"wall.collide", run->stage[STAGE_COLLIDE] / frames},
        {"wall.contact", run->stage[STAGE_CONTACT] / frames},
        {"wall.move", run->stage[STAGE_MOVE] / frames},
        {"wall.finish", run->stage[STAGE_FINISH] / frames},
        {"wall.other", (run->seconds - stages) / frames},
        {"near", run->near / steps},
        {"pairs", run->pairs / steps},
        {"points", run->points / steps},
        {"asleep", run->asleep},
        {"penetration.max", run->deepest},
        {"growth", exponent(first, result)}, /* the last two need a smaller size */
        {"growth.last", exponent(previous, result)},
    };
    result->figures = figures;
    result->figure_count = sizeof figures / sizeof *figures - (first->n == 0 ? 2 : 0);
    bench_print(options, result);
    result->figures = NULL;
    result->figure_count = 0;
}

static PlimStatus measure(const BenchOptions *options, const PilePlan *plan, size_t count,
                          double duration, PileRun *run) {
    PlimWorld *world = NULL;
    *run = (PileRun){0};
    TRY(contact_pile_create(options->context, plan->pile, count, &world));
    PlimStatus status = run_frames(world, (size_t)(duration * FRAMES_A_SECOND + 0.5), run);
    run->bytes = (double)plim_context_bytes(options->context);
    plim_world_destroy(world);
    return status;
}

static PlimStatus measure_sizes(const BenchOptions *options, const PilePlan *plan) {
    int length = options->quick ? 0 : options->whole_runs ? 2 : 1;
    const size_t *sizes = plan->runs[length].sizes;
    BenchResult first = {0}, previous = {0};
    for (int i = 0; i < MOST_SIZES && sizes[i] > 0; i++) {
        PileRun run;
        TRY(measure(options, plan, sizes[i], plan->runs[length].duration, &run));
        BenchResult result = {.name = plan->name,
                              .variant = plan->variant,
                              .n = sizes[i],
                              .seconds = run.seconds / (double)run.frames,
                              .work = (double)sizes[i],
                              .unit = "body frames",
                              .bytes = run.bytes};
        print_run(options, &run, &first, &previous, &result);
        if (first.n == 0) first = result;
        previous = result;
    }
    return PLIM_OK;
}

static PlimStatus measure_threads(const BenchOptions *options, const PilePlan *plan) {
    int threads = options->context->threads;
    options->context->threads = 1;
    PlimStatus status = measure_sizes(options, plan);
    options->context->threads = threads;
    if (status == PLIM_OK && threads > 1) status = measure_sizes(options, plan);
    return status;
}

PlimStatus bench_rings(const BenchOptions *options) {
    static const PilePlan plan = {
        "rings",
        "rings of 320 triangles on 25 poles, mean frame of 1/24 s",
        PILE_RINGS,
        {{1.25, {125}}, {1.5, {125, 250, 500}}, {10, {125, 250, 500, 1000}}}};
    return measure_threads(options, &plan);
}

PlimStatus bench_boxes(const BenchOptions *options) {
    static const PilePlan plan = {
        "boxes",
        "cubes into a pit, mean frame of 1/24 s",
        PILE_BOXES,
        {{0.75, {250}}, {1, {250, 500}}, {10, {250, 500, 1000, 2000, 4000}}}};
    return measure_threads(options, &plan);
}

PlimStatus bench_bones(const BenchOptions *options) {
    static const PilePlan plan = {"bones",
                                  "bones of 5600 triangles into a funnel, mean frame of 1/24 s",
                                  PILE_BONES,
                                  {{0.75, {36}}, {1, {36, 72}}, {10, {125, 250, 500}}}};
    return measure_threads(options, &plan);
}
