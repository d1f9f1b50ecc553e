/* A run as one HTML file: frames packed as for the server, compressed (zlib), in base64. */
#include "view/export_html.h"

#include "io/frame_pack.h"
#include "view/page.h"
#include "view/run_info.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static const double told_above = 50e6; /* bytes */

/* Adds bytes, compressed, as base64, between tags. */
static PlimStatus add_packed(Text *to, const char *id, const char *bytes, size_t size) {
    PlimContext *context = to->context;
    uLongf packed_size = compressBound(size);
    size_t capacity = packed_size;
    unsigned char *packed = context_allocate(context, capacity, 1);
    if (!packed) return PLIM_OUT_OF_MEMORY;
    bool done = compress2(packed, &packed_size, (const unsigned char *)bytes, size, 6) == Z_OK;
    text_add(to, "<script type=\"text/plain\" id=\"data-%s\">", id);
    if (done)
        text_add_base64(to, packed, packed_size);
    else
        to->failed = true;
    context_free(context, packed, capacity, 1);
    text_add(to, "</script>\n");
    return to->failed ? PLIM_OUT_OF_MEMORY : PLIM_OK;
}

/* All that changes in a frame; of the first also what never does. */
static PlimStatus add_frame(RunFolder *folder, Text *to, uint64_t number, bool first) {
    PlimContext *context = folder->context;
    FrameData frame;
    TRY(run_folder_load_frame(folder, number, &frame));
    PlimStatus status = PLIM_OK;
    for (int shapes = first; status == PLIM_OK && shapes >= 0; shapes--) {
        char id[40] = "shapes", *bytes;
        size_t size;
        FramePackRequest request = {.shapes = shapes != 0, .only = shapes ? "" : NULL};
        if (!shapes) snprintf(id, sizeof id, "frame-%" PRIu64, number);
        status = frame_pack(context, &frame, &request, &bytes, &size);
        if (status != PLIM_OK) break;
        status = add_packed(to, id, bytes, size);
        context_free(context, bytes, size, 1);
    }
    frame_data_free(context, &frame);
    return status;
}

static PlimStatus add_table(RunFolder *folder, Text *to, const char *name) {
    char path[PATH_CAPACITY], *bytes;
    size_t size;
    TRY(path_join(folder->context, folder->path, name, path));
    if (!file_exists(path)) return PLIM_OK;
    TRY(file_read(folder->context, path, &bytes, &size));
    text_add(to, "<script type=\"text/plain\" id=\"data-%s\">%s</script>\n", name, bytes);
    context_free(folder->context, bytes, size + 1, 1);
    return to->failed ? PLIM_OUT_OF_MEMORY : PLIM_OK;
}

/* Leaves every `every`th, from the first on. */
static void thin_out(FrameList *frames, uint64_t every) {
    size_t kept = 0;
    for (size_t i = 0; i < frames->numbers.count; i += every)
        frames->numbers.data[kept++] = frames->numbers.data[i];
    frames->numbers.count = kept;
}

/* What has gathered in `page`, out. */
static PlimStatus flush(FileWriter *file, Text *page) {
    if (page->failed) return PLIM_OUT_OF_MEMORY;
    PlimStatus status = file_writer_add(file, page->bytes.data, page->bytes.count);
    page->bytes.count = 0;
    return status;
}

static PlimStatus write_page(RunFolder *folder, const FrameList *frames, FileWriter *file,
                             Text *page) {
    const char *slash = strrchr(folder->path, '/');
    page_begin(page, NULL, slash && slash[1] ? slash + 1 : folder->path);
    text_add(page, "<script type=\"application/json\" id=\"data-run\">");
    run_info_add(page, folder->context, folder->path);
    run_info_add_frames(page, frames);
    text_add(page, "}</script>\n");
    TRY(add_table(folder, page, "probes.csv"));
    for (size_t i = 0; i < frames->numbers.count; i++) {
        TRY(add_frame(folder, page, frames->numbers.data[i], i == 0));
        TRY(flush(file, page));
    }
    page_end(page, NULL);
    return flush(file, page);
}

/* About how large the page will be, by its first, middle and last frame: said before it is made. */
static PlimStatus tell_size(RunFolder *folder, const FrameList *frames, const char *path) {
    enum { LOOKED_AT = 3 };
    size_t count = frames->numbers.count, looked = count < LOOKED_AT ? count : LOOKED_AT;
    double size = 0;
    for (size_t i = 0; i < looked; i++) {
        Text text;
        text_init(&text, folder->context);
        size_t index = looked > 1 ? i * (count - 1) / (looked - 1) : 0;
        PlimStatus status = add_frame(folder, &text, frames->numbers.data[index], false);
        size += (double)text.bytes.count * (double)count / (double)looked;
        text_free(&text);
        TRY(status);
    }
    if (size > told_above)
        context_log(folder->context, PLIM_LOG_WARNING,
                    "%s will have about %.0f MB; --every N takes fewer frames", path, 1e-6 * size);
    return PLIM_OK;
}

static PlimStatus export_list(RunFolder *folder, const FrameList *frames, const char *path) {
    PlimContext *context = folder->context;
    if (frames->numbers.count == 0)
        return context_fail(context, PLIM_BAD_INPUT, "%s has no frames", folder->path);
    TRY(tell_size(folder, frames, path));
    FileWriter file;
    TRY(file_writer_open(context, path, &file));
    Text page;
    text_init(&page, context);
    PlimStatus status = write_page(folder, frames, &file, &page);
    text_free(&page);
    if (status == PLIM_OK) status = file_writer_finish(&file);
    file_writer_drop(&file);
    return status;
}

PlimStatus export_html(RunFolder *folder, uint64_t every, const char *path) {
    PlimContext *context = folder->context;
    if (!page_is_there()) return context_fail(context, PLIM_FAILED, "export: %s", page_missing);
    FrameList frames;
    TRY(run_folder_list(folder, "frame", &frames));
    thin_out(&frames, every > 0 ? every : 1);
    PlimStatus status = export_list(folder, &frames, path);
    array_free(context, &frames.numbers);
    return status;
}
