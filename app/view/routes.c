/* What the viewer's server answers: the page, the run, its frames and tables, and its control. */
#include "view/server_internal.h"

#include "io/frame_pack.h"
#include "view/page.h"
#include "view/run_info.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- helpers ---- */

/* The text becomes the answer's. */
static PlimStatus give_text(Text *text, const char *type, ViewAnswer *out) {
    if (text->failed) {
        text_free(text);
        return PLIM_OUT_OF_MEMORY;
    }
    out->type = type;
    out->bytes = text->bytes.data;
    out->size = text->bytes.count;
    out->capacity = text->bytes.capacity;
    return PLIM_OK;
}

static bool query_text(const char *query, const char *name, char *to, size_t capacity) {
    return mg_get_var(query, strlen(query), name, to, capacity) >= 0;
}

static bool query_number(const char *query, const char *name, uint64_t *out) {
    char text[24], *end;
    if (!query_text(query, name, text, sizeof text) || text[0] < '0' || text[0] > '9') return false;
    errno = 0;
    *out = strtoull(text, &end, 10);
    return *end == '\0' && errno == 0;
}

/* A file that lies in the folder itself: a link may lead anywhere. */
static PlimStatus own_file(ViewServer *server, const char *name, struct stat *about) {
    char path[PATH_CAPACITY];
    TRY(path_join(server->context, server->folder, name, path));
    if (lstat(path, about) == 0 && S_ISREG(about->st_mode)) return PLIM_OK;
    return context_fail(server->context, PLIM_BAD_INPUT, "there is no file %s of this run", name);
}

/* ---- the page ---- */

static PlimStatus answer_page(ViewServer *server, const char *query, ViewAnswer *out) {
    (void)query;
    Text page;
    const char *slash = strrchr(server->folder, '/');
    if (!view_random(out->nonce))
        return context_fail(server->context, PLIM_IO_ERROR, "there are no random numbers");
    text_init(&page, server->context);
    page_begin(&page, out->nonce, slash ? slash + 1 : server->folder);
    page_end(&page, out->nonce);
    return give_text(&page, "text/html; charset=utf-8", out);
}

/* ---- the run ---- */

static PlimStatus list_frames(ViewServer *server, FrameList *frames) {
    RunFolder folder = {.context = server->context, .lock = -1};
    memcpy(folder.path, server->folder, sizeof folder.path);
    return run_folder_list(&folder, "frame", frames);
}

/* What changes while a run goes on. `version` is another one after it was started anew. */
static PlimStatus add_state(ViewServer *server, Text *json, const FrameList *frames) {
    struct stat scene = {0};
    RunControl *run = &server->run;
    bool ours = run_control_is_running(run);
    (void)own_file(server, "scene.yaml", &scene);
    text_add(json, ",\"running\":%s,\"ours\":%s,\"can_start\":%s,\"exit_code\":%d",
             ours || run_control_is_locked(run) ? "true" : "false", ours ? "true" : "false",
             run->scene[0] ? "true" : "false", run->exit_code);
    text_add(json, ",\"version\":\"%lld.%09ld\"", (long long)scene.st_mtim.tv_sec,
             scene.st_mtim.tv_nsec);
    run_info_add_frames(json, frames);
    text_add(json, "}");
    return PLIM_OK;
}

static PlimStatus answer_run(ViewServer *server, const char *query, ViewAnswer *out) {
    (void)query;
    Text json;
    FrameList frames;
    struct stat about;
    TRY(list_frames(server, &frames));
    text_init(&json, server->context);
    if (own_file(server, "scene.yaml", &about) == PLIM_OK) {
        run_info_add(&json, server->context, server->folder);
    } else {
        text_add(&json, "{\"name\":");
        frame_pack_text(&json, "run");
    }
    PlimStatus status = add_state(server, &json, &frames);
    array_free(server->context, &frames.numbers);
    if (status == PLIM_OK) return give_text(&json, "application/json", out);
    text_free(&json);
    return status;
}

static PlimStatus answer_state(ViewServer *server, const char *query, ViewAnswer *out) {
    (void)query;
    Text json;
    FrameList frames;
    TRY(list_frames(server, &frames));
    text_init(&json, server->context);
    text_add(&json, "{\"folder\":");
    frame_pack_text(&json, server->folder);
    PlimStatus status = add_state(server, &json, &frames);
    array_free(server->context, &frames.numbers);
    if (status == PLIM_OK) return give_text(&json, "application/json", out);
    text_free(&json);
    return status;
}

/* ---- frames ---- */

static PlimStatus load_frame(ViewServer *server, uint64_t number, struct timespec written) {
    RunFolder folder;
    if (server->has_frame) frame_data_free(server->context, &server->frame);
    server->has_frame = false;
    TRY(run_folder_open(server->context, server->folder, &folder));
    PlimStatus status = run_folder_load_frame(&folder, number, &server->frame);
    run_folder_close(&folder);
    if (status != PLIM_OK) return status;
    server->has_frame = true;
    server->frame_time = written;
    return PLIM_OK;
}

/* The one before stays in memory: the page may ask for more of its arrays. */
static PlimStatus find_frame(ViewServer *server, uint64_t number) {
    char name[FILE_NAME_CAPACITY];
    struct stat about, others;
    snprintf(name, sizeof name, "frame_%05" PRIu64 ".h5", number);
    TRY(own_file(server, name, &about));
    TRY(own_file(server, SHAPES_FILE, &others));
    TRY(own_file(server, "scene.yaml", &others));
    struct stat manifest;
    if (own_file(server, "manifest.txt", &manifest) != PLIM_OK)
        return context_fail(server->context, PLIM_BAD_INPUT, "the run has no manifest.txt");
    if (server->has_frame && server->frame.frame == number &&
        server->frame_time.tv_sec == about.st_mtim.tv_sec &&
        server->frame_time.tv_nsec == about.st_mtim.tv_nsec)
        return PLIM_OK;
    return load_frame(server, number, about.st_mtim);
}

static PlimStatus answer_frame(ViewServer *server, const char *query, ViewAnswer *out) {
    uint64_t number, shapes = 0;
    char only[4096];
    if (!query_number(query, "n", &number))
        return context_fail(server->context, PLIM_BAD_INPUT, "name a frame: ?n=N");
    query_number(query, "shapes", &shapes);
    bool some = query_text(query, "arrays", only, sizeof only);
    TRY(find_frame(server, number));
    FramePackRequest request = {.shapes = shapes != 0, .only = some ? only : NULL};
    TRY(frame_pack(server->context, &server->frame, &request, &out->bytes, &out->size));
    out->capacity = out->size;
    return PLIM_OK;
}

/* ---- tables ---- */

/* probes.csv or stats.csv from a byte on: the page has what is before it. */
static PlimStatus answer_table(ViewServer *server, const char *query, ViewAnswer *out) {
    char name[16], path[PATH_CAPACITY];
    uint64_t from = 0;
    struct stat about;
    if (!query_text(query, "name", name, sizeof name) ||
        (strcmp(name, "probes.csv") != 0 && strcmp(name, "stats.csv") != 0))
        return context_fail(server->context, PLIM_BAD_INPUT, "name probes.csv or stats.csv");
    query_number(query, "from", &from);
    TRY(own_file(server, name, &about));
    TRY(path_join(server->context, server->folder, name, path));
    TRY(file_read(server->context, path, &out->bytes, &out->size));
    out->capacity = out->size + 1;
    out->type = "text/csv";
    if (from > out->size) from = out->size;
    memmove(out->bytes, out->bytes + from, out->size - from);
    out->size -= from;
    return PLIM_OK;
}

/* ---- control ---- */

static PlimStatus answer_control(ViewServer *server, const char *query, ViewAnswer *out) {
    char word[16];
    RunAction action;
    FrameList frames;
    if (!query_text(query, "do", word, sizeof word) || !run_action_find(word, &action))
        return context_fail(server->context, PLIM_BAD_INPUT,
                            "control takes do=start, resume, pause or step");
    TRY(list_frames(server, &frames));
    size_t count = frames.numbers.count;
    uint64_t newest = count > 0 ? frames.numbers.data[count - 1] : 0;
    array_free(server->context, &frames.numbers);
    TRY(run_control_do(server->context, &server->run, action, newest));
    return answer_state(server, query, out);
}

const ViewRoute view_routes[] = {
    {"GET", "/", answer_page},       {"GET", "/run", answer_run},
    {"GET", "/state", answer_state}, {"GET", "/frame", answer_frame},
    {"GET", "/table", answer_table}, {"POST", "/control", answer_control},
};

const size_t view_route_count = sizeof view_routes / sizeof *view_routes;
