#include "simulate.h"

#include "base/clock.h"
#include "base/random.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

SimulateOptions simulate_options_default(void) {
    return (SimulateOptions){.frames = -1, .from_frame = -1, .state_every = 10, .drop_caches = -1};
}

bool simulate_parse(const char *command, int argc, char **argv, SimulateOptions *options,
                    const char **word) {
    const Option table[] = {
        {"--out", OPTION_TEXT, &options->out},
        {"--frames", OPTION_INTEGER, &options->frames},
        {"--from-frame", OPTION_INTEGER, &options->from_frame},
        {"--threads", OPTION_INTEGER, &options->threads},
        {"--set", OPTION_SET, &options->overrides},
        {"--state-every", OPTION_INTEGER, &options->state_every},
        {"--keep-states", OPTION_FLAG, &options->keep_states},
        {"--quiet", OPTION_FLAG, &options->quiet},
        {"--progress", OPTION_TEXT, &options->progress},
        {"--drop-caches", OPTION_INTEGER, &options->drop_caches},
        {"--check-intersections", OPTION_FLAG, &options->check_intersections},
    };
    int words;
    if (!parse_options(command, argc, argv, table, sizeof table / sizeof *table, word, 1, &words))
        return false;
    if (words != 1) {
        print_error("%s: name a %s; see plimsoll %s --help", command,
                    strcmp(command, "run") == 0 ? "scene file" : "run's folder", command);
        return false;
    }
    if (options->progress && strcmp(options->progress, "json") != 0) {
        print_error("%s: --progress takes json, not '%s'", command, options->progress);
        return false;
    }
    if (options->state_every == 0) options->state_every = 1;
    return true;
}

/* ---- Ctrl-C ---- */

static volatile sig_atomic_t interrupts;

static void note_interrupt(int number) {
    (void)number;
    if (++interrupts > 1) _exit(EXIT_INTERRUPTED);
}

static void watch_interrupts(void) {
    struct sigaction action = {.sa_handler = note_interrupt};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* ---- progress ---- */

typedef struct Progress {
    ProgressKind kind;
    bool terminal;
    double start; /* s, wall */
    uint64_t first, last;
    double stage_seconds[STAGE_COUNT]; /* of the present frame */
    uint64_t substeps;                 /* of the present frame */
} Progress;

static void begin_frame(Progress *progress) {
    memset(progress->stage_seconds, 0, sizeof progress->stage_seconds);
    progress->substeps = 0;
}

static void note_step(Progress *progress, const PlimWorld *world) {
    progress->substeps++;
    for (int i = 0; i < STAGE_COUNT; i++) progress->stage_seconds[i] += world->stage_seconds[i];
}

static void print_json(const Progress *progress, const PlimWorld *world, uint64_t frame,
                       double left) {
    printf("{\"frame\":%" PRIu64 ",\"last\":%" PRIu64 ",\"time\":%.9g,\"substeps\":%" PRIu64
           ",\"seconds_left\":%.3g,\"phases\":{",
           frame, progress->last, plim_world_time(world), progress->substeps, left);
    for (int i = 0; i < STAGE_COUNT; i++)
        printf("%s\"%s\":%.3g", i ? "," : "", stage_name((Stage)i), progress->stage_seconds[i]);
    printf("}}\n");
    fflush(stdout);
}

/* The phases that took the most time, longest first. */
static void print_phases(const Progress *progress) {
    double left[STAGE_COUNT];
    memcpy(left, progress->stage_seconds, sizeof left);
    for (int shown = 0; shown < 3; shown++) {
        int longest = 0;
        for (int i = 1; i < STAGE_COUNT; i++)
            if (left[i] > left[longest]) longest = i;
        if (left[longest] < 1e-6) return;
        fprintf(stderr, "  %s %.3g ms", stage_name((Stage)longest), 1e3 * left[longest]);
        left[longest] = 0;
    }
}

static void show(const Progress *progress, const PlimWorld *world, uint64_t frame) {
    double elapsed = clock_seconds() - progress->start;
    uint64_t done = frame - progress->first;
    double left = done ? elapsed / (double)done * (double)(progress->last - frame) : 0;
    if (progress->kind == PROGRESS_JSON) print_json(progress, world, frame, left);
    if (progress->kind != PROGRESS_LINES) return;
    fprintf(stderr, "%sframe %" PRIu64 "/%" PRIu64 "  t %.4g s  substeps %" PRIu64 "  left %.0f s",
            progress->terminal ? "\r" : "", frame, progress->last, plim_world_time(world),
            progress->substeps, left);
    print_phases(progress);
    fputs(progress->terminal ? "\033[K" : "\n", stderr);
    fflush(stderr);
}

/* ---- the loop ---- */

static PlimStatus maybe_drop_caches(PlimWorld *world, const SimulateOptions *options) {
    if (options->drop_caches < 0) return PLIM_OK;
    double chance = random_uniform((uint64_t)options->drop_caches, 0, plim_world_steps(world));
    return chance < 0.3 ? plim_world_drop_caches(world) : PLIM_OK;
}

/* Exact signs, after every step: slow, for those who doubt. */
static PlimStatus maybe_check(PlimWorld *world, const SimulateOptions *options) {
    size_t count = 0;
    if (!options->check_intersections) return PLIM_OK;
    TRY(world_count_crossings(world, &count));
    if (count == 0) return PLIM_OK;
    return context_fail(world->context, PLIM_FAILED,
                        "t = %g s: %zu pairs of faces of sheets and soft bodies intersect",
                        plim_world_time(world), count);
}

/* Substeps up to the end of a frame, or to an interrupt. */
static PlimStatus advance_frame(RunFolder *folder, PlimWorld *world, double until,
                                const SimulateOptions *options, Progress *progress) {
    begin_frame(progress);
    while (plim_world_time(world) < until && !interrupts) {
        double before = plim_world_time(world);
        TRY(maybe_drop_caches(world, options));
        TRY(plim_world_substep(world, until));
        note_step(progress, world);
        TRY(run_folder_add_row(folder, world, plim_world_time(world) - before));
        TRY(maybe_check(world, options));
    }
    return PLIM_OK;
}

static PlimStatus run_frames(RunFolder *folder, PlimScene *scene, PlimWorld *world, uint64_t *frame,
                             uint64_t last, const SimulateOptions *options, Progress *progress) {
    while (*frame < last) {
        double until = plim_scene_frame_time(scene, *frame + 1);
        TRY(advance_frame(folder, world, until, options, progress));
        if (plim_world_time(world) < until) return PLIM_OK; /* interrupted within the frame */
        TRY(run_folder_write_frame(folder, world, *frame + 1));
        ++*frame;
        if (*frame % (uint64_t)options->state_every == 0 && *frame < last)
            TRY(run_folder_write_state(folder, scene, world, *frame));
        show(progress, world, *frame);
        if (interrupts) return PLIM_OK;
    }
    return PLIM_OK;
}

static int say_interrupted(const RunFolder *folder, uint64_t frame) {
    context_log(folder->context, PLIM_LOG_INFO,
                "interrupted after frame %" PRIu64 "; saved. Go on with: plimsoll resume %s", frame,
                folder->path);
    return EXIT_INTERRUPTED;
}

static int say_failed(RunFolder *folder, PlimWorld *world, PlimStatus status, uint64_t frame) {
    report(folder->context, status);
    run_folder_flush(
        folder); /* the last rows show how it came about; no more can be done if it fails */
    print_error("the run stopped at t = %g s; frame %" PRIu64 " is good. Go on with: plimsoll "
                "resume %s",
                plim_world_time(world), frame, folder->path);
    return EXIT_RUN_FAILED;
}

uint64_t simulate_last_frame(const PlimScene *scene, const SimulateOptions *options) {
    return options->frames >= 0 ? (uint64_t)options->frames : plim_scene_frame_count(scene);
}

int simulate(RunFolder *folder, PlimScene *scene, PlimWorld *world, uint64_t frame,
             const SimulateOptions *options) {
    uint64_t last = simulate_last_frame(scene, options);
    Progress progress = {.kind = options->progress ? PROGRESS_JSON
                                 : options->quiet  ? PROGRESS_NONE
                                                   : PROGRESS_LINES,
                         .terminal = isatty(STDERR_FILENO),
                         .start = clock_seconds(),
                         .first = frame,
                         .last = last};
    watch_interrupts();
    folder->keep_states = options->keep_states;
    PlimStatus status = run_frames(folder, scene, world, &frame, last, options, &progress);
    if (progress.terminal && progress.kind == PROGRESS_LINES) fputc('\n', stderr);
    if (status == PLIM_OK) status = run_folder_write_state(folder, scene, world, frame);
    if (status == PLIM_OK) status = run_folder_write_index(folder, plim_scene_fps(scene));
    if (status != PLIM_OK) return say_failed(folder, world, status, frame);
    if (frame < last) return say_interrupted(folder, frame);
    context_log(folder->context, PLIM_LOG_INFO,
                "done: frame %" PRIu64 ", %" PRIu64 " steps, %.2f s, in %s", frame,
                plim_world_steps(world), clock_seconds() - progress.start, folder->path);
    return EXIT_DONE;
}
