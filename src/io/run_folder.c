/* The output folder: lock, files in order, resume. */
#include "io/run_folder.h"

#include "base/hash.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- opening ---- */

static PlimStatus begin(PlimContext *context, const char *path, RunFolder *out) {
    *out = (RunFolder){.context = context, .lock = -1};
    int length = snprintf(out->path, sizeof out->path, "%s", path);
    if (length <= 0 || length >= PATH_CAPACITY)
        return context_fail(context, PLIM_BAD_INPUT, "'%.80s' cannot be a folder's name", path);
    return PLIM_OK;
}

/* Two runs must not write to one folder. The lock ends with the process, however it ends. */
static PlimStatus take_lock(RunFolder *folder) {
    char path[PATH_CAPACITY];
    TRY(path_join(folder->context, folder->path, "log.txt", path));
    folder->lock = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (folder->lock < 0)
        return context_fail(folder->context, PLIM_BAD_INPUT, "cannot write to the folder %s: %s",
                            folder->path, strerror(errno));
    if (flock(folder->lock, LOCK_EX | LOCK_NB) != 0)
        return context_fail(folder->context, PLIM_BAD_INPUT,
                            "another run is writing to %s; wait for it or choose another --out",
                            folder->path);
    return PLIM_OK;
}

static PlimStatus require_scene(RunFolder *folder) {
    char path[PATH_CAPACITY];
    TRY(path_join(folder->context, folder->path, "scene.yaml", path));
    if (file_exists(path)) return PLIM_OK;
    return context_fail(folder->context, PLIM_BAD_INPUT,
                        "%s is not the folder of a run: it has no scene.yaml", folder->path);
}

static PlimStatus close_on_failure(RunFolder *folder, PlimStatus status) {
    if (status != PLIM_OK) run_folder_close(folder);
    return status;
}

PlimStatus run_folder_open(PlimContext *context, const char *path, RunFolder *out) {
    TRY(begin(context, path, out));
    TRY(require_scene(out));
    return manifest_load(context, path, &out->manifest);
}

static PlimStatus clear_old_run(RunFolder *folder);
static PlimStatus remove_leftovers(RunFolder *folder);

PlimStatus run_folder_create(PlimContext *context, const char *path, RunFolder *out) {
    TRY(begin(context, path, out));
    TRY(folder_create(context, path));
    TRY(close_on_failure(out, take_lock(out)));
    return close_on_failure(out, clear_old_run(out));
}

PlimStatus run_folder_reopen(PlimContext *context, const char *path, RunFolder *out) {
    TRY(begin(context, path, out));
    TRY(require_scene(out));
    TRY(close_on_failure(out, take_lock(out)));
    TRY(close_on_failure(out, remove_leftovers(out)));
    return close_on_failure(out, manifest_load(context, path, &out->manifest));
}

void run_folder_close(RunFolder *folder) {
    manifest_free(folder->context, &folder->manifest);
    table_file_free(&folder->stats);
    table_file_free(&folder->probes);
    if (folder->lock >= 0) close(folder->lock);
    folder->lock = -1;
}

/* ---- what is there ---- */

static int compare_u64(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void name_of(const char *prefix, uint64_t number, char name[FILE_NAME_CAPACITY]) {
    snprintf(name, FILE_NAME_CAPACITY, "%s_%05" PRIu64 ".h5", prefix, number);
}

/* The number in PREFIX_NNNNN.h5, or false for any other name. */
static bool parse_name(const char *name, const char *prefix, uint64_t *number) {
    size_t length = strlen(prefix);
    if (strncmp(name, prefix, length) != 0 || name[length] != '_') return false;
    char ours[FILE_NAME_CAPACITY];
    *number = strtoull(name + length + 1, NULL, 10);
    name_of(prefix, *number, ours);
    return strcmp(name, ours) == 0;
}

PlimStatus run_folder_list(RunFolder *folder, const char *prefix, FrameList *out) {
    *out = (FrameList){0};
    DIR *directory = opendir(folder->path);
    if (!directory)
        return context_fail(folder->context, PLIM_IO_ERROR, "cannot list %s: %s", folder->path,
                            strerror(errno));
    PlimStatus status = PLIM_OK;
    for (struct dirent *entry; status == PLIM_OK && (entry = readdir(directory));) {
        uint64_t number;
        if (parse_name(entry->d_name, prefix, &number) &&
            !array_push(folder->context, &out->numbers, number))
            status = PLIM_OUT_OF_MEMORY;
    }
    closedir(directory);
    if (status != PLIM_OK)
        array_free(folder->context, &out->numbers);
    else if (out->numbers.count > 1)
        qsort(out->numbers.data, out->numbers.count, sizeof *out->numbers.data, compare_u64);
    return status;
}

static void remove_file(RunFolder *folder, const char *name) {
    char path[PATH_CAPACITY];
    manifest_remove(&folder->manifest, name);
    if (path_join(folder->context, folder->path, name, path) == PLIM_OK) unlink(path);
}

/* Removes PREFIX files whose number is at least `from`. */
static PlimStatus remove_from(RunFolder *folder, const char *prefix, uint64_t from) {
    FrameList list;
    TRY(run_folder_list(folder, prefix, &list));
    for (size_t i = 0; i < list.numbers.count; i++) {
        char name[FILE_NAME_CAPACITY];
        name_of(prefix, list.numbers.data[i], name);
        if (list.numbers.data[i] >= from) remove_file(folder, name);
    }
    array_free(folder->context, &list.numbers);
    return PLIM_OK;
}

/* What a run writes besides numbered files. */
static const char *const single_files[] = {"scene.yaml",  "stats.csv", "probes.csv",
                                           "frames.xdmf", SHAPES_FILE, "manifest.txt"};
enum { SINGLE_FILE_COUNT = sizeof single_files / sizeof *single_files };

/* A file of ours that was not finished when the program was killed: NAME.tmp. */
static bool is_leftover(const char *name) {
    char stem[FILE_NAME_CAPACITY];
    size_t length = strlen(name);
    uint64_t number;
    if (length <= 4 || length - 4 >= sizeof stem || strcmp(name + length - 4, ".tmp") != 0)
        return false;
    memcpy(stem, name, length - 4);
    stem[length - 4] = '\0';
    for (int i = 0; i < SINGLE_FILE_COUNT; i++)
        if (strcmp(stem, single_files[i]) == 0) return true;
    return parse_name(stem, "frame", &number) || parse_name(stem, "state", &number);
}

static PlimStatus remove_leftovers(RunFolder *folder) {
    DIR *directory = opendir(folder->path);
    if (!directory)
        return context_fail(folder->context, PLIM_IO_ERROR, "cannot list %s: %s", folder->path,
                            strerror(errno));
    for (struct dirent *entry; (entry = readdir(directory));)
        if (is_leftover(entry->d_name)) remove_file(folder, entry->d_name);
    closedir(directory);
    return PLIM_OK;
}

static PlimStatus clear_old_run(RunFolder *folder) {
    TRY(remove_leftovers(folder));
    if (ftruncate(folder->lock, 0) != 0) /* log.txt, which is also the lock */
        return context_fail(folder->context, PLIM_BAD_INPUT, "cannot write to the folder %s: %s",
                            folder->path, strerror(errno));
    TRY(remove_from(folder, "state", 0));
    TRY(remove_from(folder, "frame", 0));
    for (int i = 0; i < SINGLE_FILE_COUNT; i++) remove_file(folder, single_files[i]);
    return PLIM_OK;
}

PlimStatus run_folder_forget_after(RunFolder *folder, uint64_t frame) {
    TRY(remove_from(folder, "frame", frame + 1));
    TRY(remove_from(folder, "state", frame + 1));
    return manifest_save(folder->context, folder->path, &folder->manifest);
}

/* ---- writing ---- */

static PlimStatus write_finished(RunFolder *folder, const char *name, const void *bytes,
                                 size_t size, bool durable) {
    char path[PATH_CAPACITY];
    TRY(path_join(folder->context, folder->path, name, path));
    TRY(manifest_forget(folder->context, folder->path, &folder->manifest, name));
    TRY(file_write(folder->context, path, bytes, size, durable));
    return manifest_add(folder->context, folder->path, &folder->manifest, name, bytes, size);
}

PlimStatus run_folder_write_scene(RunFolder *folder, const PlimScene *scene) {
    const char *text = plim_scene_text(scene);
    return write_finished(folder, "scene.yaml", text, strlen(text), true);
}

static void add_stats_header(Text *header, const PlimWorld *world) {
    text_add(header, "step,time,dt");
    for (size_t i = 0; i < plim_world_figure_count(world); i++)
        text_add(header, ",%s", plim_world_figure_name(world, i));
}

static void add_probes_header(Text *header, const PlimWorld *world) {
    text_add(header, "time");
    for (size_t i = 0; i < world->probes.count; i++) {
        const WorldProbe *probe = &world->probes.data[i];
        const char *components = probe->quantity->components;
        if (!*components) text_add(header, ",%s.%s", probe->name, probe->quantity->name);
        for (; *components; components++)
            text_add(header, ",%s.%s.%c", probe->name, probe->quantity->name, *components);
    }
}

static PlimStatus begin_table(RunFolder *folder, PlimWorld *world, const char *name,
                              void (*add_header)(Text *, const PlimWorld *), bool resumed,
                              TableFile *table, bool *fresh) {
    Text header;
    text_init(&header, folder->context);
    add_header(&header, world);
    PlimStatus status = PLIM_OUT_OF_MEMORY;
    *fresh = true;
    if (!header.failed)
        status =
            resumed ? table_file_continue(folder->context, folder->path, name, text_string(&header),
                                          plim_world_time(world), table, fresh)
                    : table_file_create(folder->context, folder->path, name, text_string(&header),
                                        table);
    text_free(&header);
    return status;
}

static PlimStatus add_stats_row(RunFolder *folder, PlimWorld *world, double dt) {
    table_file_value(&folder->stats, (double)plim_world_steps(world), true);
    table_file_value(&folder->stats, plim_world_time(world), false);
    table_file_value(&folder->stats, dt, false);
    for (size_t i = 0; i < plim_world_figure_count(world); i++)
        table_file_value(&folder->stats, plim_world_figure(world, i), false);
    table_file_end_row(&folder->stats);
    return folder->stats.rows.failed ? PLIM_OUT_OF_MEMORY : PLIM_OK;
}

static PlimStatus add_probes_row(RunFolder *folder, PlimWorld *world) {
    size_t count = world_probe_value_count(world);
    size_t mark = scratch_mark(&world->scratch);
    double *values = scratch_take(&world->scratch, count, sizeof *values);
    if (!values) return PLIM_OUT_OF_MEMORY;
    world_probe_values(world, values);
    table_file_value(&folder->probes, plim_world_time(world), true);
    for (size_t i = 0; i < count; i++) table_file_value(&folder->probes, values[i], false);
    table_file_end_row(&folder->probes);
    scratch_release(&world->scratch, mark);
    return folder->probes.rows.failed ? PLIM_OUT_OF_MEMORY : PLIM_OK;
}

PlimStatus run_folder_begin_tables(RunFolder *folder, PlimWorld *world, bool resumed) {
    bool fresh_stats, fresh_probes;
    TRY(begin_table(folder, world, "stats.csv", add_stats_header, resumed, &folder->stats,
                    &fresh_stats));
    TRY(begin_table(folder, world, "probes.csv", add_probes_header, resumed, &folder->probes,
                    &fresh_probes));
    if (fresh_stats) TRY(add_stats_row(folder, world, 0.0));
    if (fresh_probes) TRY(add_probes_row(folder, world));
    return PLIM_OK;
}

PlimStatus run_folder_add_row(RunFolder *folder, PlimWorld *world, double dt) {
    TRY(plim_world_measure(world));
    TRY(add_stats_row(folder, world, dt));
    return add_probes_row(folder, world);
}

PlimStatus run_folder_flush(RunFolder *folder) {
    TRY(table_file_flush(&folder->stats));
    return table_file_flush(&folder->probes);
}

static PlimStatus write_view(RunFolder *folder, PlimWorld *world, uint64_t frame) {
    PlimContext *context = folder->context;
    FrameView view;
    char *bytes, name[FILE_NAME_CAPACITY];
    size_t size;
    TRY(world_view_frame(world, &view));
    if (!folder->has_shapes) {
        TRY(shapes_file_encode(context, &view, &bytes, &size));
        PlimStatus status = write_finished(folder, SHAPES_FILE, bytes, size, false);
        context_free(context, bytes, size, 1);
        TRY(status);
        folder->has_shapes = true;
    }
    TRY(frame_file_encode(context, &view, frame, plim_world_time(world), &bytes, &size));
    name_of("frame", frame, name);
    PlimStatus status = write_finished(folder, name, bytes, size, false);
    context_free(context, bytes, size, 1);
    return status;
}

PlimStatus run_folder_write_frame(RunFolder *folder, PlimWorld *world, uint64_t frame) {
    TRY(run_folder_flush(folder));
    size_t mark = scratch_mark(&world->scratch);
    PlimStatus status = write_view(folder, world, frame);
    scratch_release(&world->scratch, mark);
    return status;
}

static PlimStatus drop_old_states(RunFolder *folder) {
    enum { KEPT_STATES = 2 };
    FrameList states;
    TRY(run_folder_list(folder, "state", &states));
    for (size_t i = 0; i + KEPT_STATES < states.numbers.count; i++) {
        char name[FILE_NAME_CAPACITY];
        name_of("state", states.numbers.data[i], name);
        remove_file(folder, name);
    }
    array_free(folder->context, &states.numbers);
    return PLIM_OK;
}

PlimStatus run_folder_write_state(RunFolder *folder, const PlimScene *scene, PlimWorld *world,
                                  uint64_t frame) {
    char *bytes, name[FILE_NAME_CAPACITY];
    size_t size;
    TRY(run_folder_flush(folder));
    TRY(state_file_encode(world, scene->hash, frame, &bytes, &size));
    name_of("state", frame, name);
    PlimStatus status = write_finished(folder, name, bytes, size, true);
    context_free(folder->context, bytes, size, 1);
    TRY(status);
    return folder->keep_states ? PLIM_OK : drop_old_states(folder);
}

/* ---- reading ---- */

PlimStatus run_folder_read(RunFolder *folder, const char *name, char **bytes, size_t *size) {
    char path[PATH_CAPACITY];
    TRY(path_join(folder->context, folder->path, name, path));
    TRY(file_read(folder->context, path, bytes, size));
    const ManifestEntry *entry = manifest_find(&folder->manifest, name);
    if (!entry || (entry->size == *size && entry->hash == hash_bytes(HASH_START, *bytes, *size)))
        return PLIM_OK;
    context_free(folder->context, *bytes, *size + 1, 1);
    return context_fail(folder->context, PLIM_BAD_INPUT,
                        "%s is damaged: it is not what manifest.txt says was written", path);
}

/* One state file into the world. *foreign: it is sound, but of another scene. */
static PlimStatus try_state(RunFolder *folder, const PlimScene *scene, PlimWorld *world,
                            const char *name, StateHeader *header, bool *foreign) {
    char *bytes;
    size_t size;
    *foreign = false;
    TRY(run_folder_read(folder, name, &bytes, &size));
    PlimStatus status = state_file_header(folder->context, name, bytes, size, header);
    if (status == PLIM_OK && !scene_accepts_state(scene, header->scene_hash)) {
        *foreign = true;
        status = context_fail(folder->context, PLIM_BAD_INPUT,
                              "%s/%s is a state of another scene than the scene.yaml beside it",
                              folder->path, name);
    }
    if (status == PLIM_OK) status = state_file_decode(world, name, bytes, size);
    context_free(folder->context, bytes, size + 1, 1);
    return status;
}

PlimStatus run_folder_load_state(RunFolder *folder, const PlimScene *scene, PlimWorld *world,
                                 uint64_t last, uint64_t *frame, bool *found) {
    FrameList states;
    TRY(run_folder_list(folder, "state", &states));
    *found = false;
    *frame = 0;
    PlimStatus status = PLIM_OK;
    for (size_t i = states.numbers.count; i-- > 0 && !*found;) {
        if (states.numbers.data[i] > last) continue;
        char name[FILE_NAME_CAPACITY];
        StateHeader header;
        bool foreign;
        name_of("state", states.numbers.data[i], name);
        status = try_state(folder, scene, world, name, &header, &foreign);
        *found = status == PLIM_OK;
        if (*found) *frame = header.frame;
        if (foreign || status == PLIM_OUT_OF_MEMORY) break;
        if (!*found)
            context_log(folder->context, PLIM_LOG_WARNING, "%s; trying the state before it",
                        folder->context->message);
    }
    array_free(folder->context, &states.numbers);
    return status;
}

PlimStatus run_folder_load_frame(RunFolder *folder, uint64_t frame, FrameData *out) {
    char name[FILE_NAME_CAPACITY], *frame_bytes, *shapes_bytes;
    size_t frame_size, shapes_size;
    name_of("frame", frame, name);
    TRY(run_folder_read(folder, name, &frame_bytes, &frame_size));
    PlimStatus status = run_folder_read(folder, SHAPES_FILE, &shapes_bytes, &shapes_size);
    if (status == PLIM_OK) {
        status = frame_file_decode(folder->context, name, frame_bytes, frame_size, shapes_bytes,
                                   shapes_size, out);
        context_free(folder->context, shapes_bytes, shapes_size + 1, 1);
    }
    context_free(folder->context, frame_bytes, frame_size + 1, 1);
    return status;
}
