/* A small mesh that is exported, and what is found in files of other programs. */
#ifndef TESTS_EXPORTED_H
#define TESTS_EXPORTED_H

#include "folder.h"

#include "io/export/exporter.h"

#include <string.h>

static const float corners[12] = {0, 0, 0, 1.5f, 0, 0, 0, 2, 0, 0, 0, -3.25f};
static const float speeds[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 8, 9};
static const int32_t faces[6] = {0, 2, 1, 0, 1, 3};
static const int32_t owners[2] = {0, 1};
static const float paint[6] = {1, 0.5f, 0, NAN, 2, -1};
static const FrameMesh example_mesh = {.name = "rigid",
                                       .vertex_count = 4,
                                       .triangle_count = 2,
                                       .object_count = 2,
                                       .vertices = corners,
                                       .velocities = speeds,
                                       .triangles = faces,
                                       .objects = owners,
                                       .colors = paint};

/* What follows `text`; fails when it is not there. */
static inline const char *behind(const char *bytes, size_t size, const char *text) {
    size_t length = strlen(text);
    for (size_t i = 0; i + length <= size; i++)
        if (memcmp(bytes + i, text, length) == 0) return bytes + i + length;
    fail_msg("'%s' is not in the file", text);
    return NULL;
}

/* Exports a view as the only frame, number 7 at 0.5 s, into the fixture's folder. */
static inline PlimStatus export_view(const Fixture *f, const char *format, const FrameView *view) {
    const Exporter *exporter = exporter_find(format);
    ExportJob job = {.context = f->context, .frames = 1, .rate = 14, .scale = 1};
    FrameData frame = {7, 0.5, *view};
    char path[PATH_CAPACITY];
    void *state;
    assert_non_null(exporter);
    snprintf(job.folder, sizeof job.folder, "%s", f->folder);
    assert_int_equal(exporter->create(&job, &state), PLIM_OK);
    PlimStatus status = exporter->add(state, &frame);
    if (status == PLIM_OK) status = exporter->finish(state, path);
    exporter->destroy(state);
    return status;
}

/* The file `name` of what was exported; free with context_free(.., size + 1, 1). */
static inline char *exported(const Fixture *f, const char *format, const FrameView *view,
                             const char *name, size_t *size) {
    char path[PATH_CAPACITY], *bytes;
    assert_int_equal(export_view(f, format, view), PLIM_OK);
    path_in(f, name, path);
    assert_int_equal(file_read(f->context, path, &bytes, size), PLIM_OK);
    return bytes;
}

/* The array's place behind the '_' of appended base64, and its values in memory of the context. */
static inline void *appended(const Fixture *f, const char *bytes, const char *name, size_t size) {
    char tag[64];
    uint64_t told;
    snprintf(tag, sizeof tag, "Name=\"%s\"", name);
    const char *line = strstr(bytes, tag),
               *begin = strstr(bytes, "<AppendedData encoding=\"base64\">");
    assert_true(line && begin && strstr(line, "offset=\""));
    const char *at = strchr(begin, '_') + 1 + strtoul(strstr(line, "offset=\"") + 8, NULL, 10);
    size_t whole = (size + sizeof told + 2) / 3 * 3;
    unsigned char *values = context_allocate(f->context, whole, 1);
    assert_non_null(values);
    for (size_t i = 0; i < whole; i += 3) {
        unsigned word = 0;
        for (int k = 0; k < 4; k++) {
            char c = *at++;
            unsigned digit = c >= 'A' && c <= 'Z'   ? (unsigned)(c - 'A')
                             : c >= 'a' && c <= 'z' ? (unsigned)(c - 'a') + 26
                             : c >= '0' && c <= '9' ? (unsigned)(c - '0') + 52
                             : c == '+'             ? 62
                             : c == '/'             ? 63
                                                    : 0;
            word = word << 6 | digit;
        }
        for (size_t k = 0; k < 3; k++) values[i + k] = (unsigned char)(word >> (16 - 8 * k));
    }
    memcpy(&told, values, sizeof told);
    assert_int_equal(told, size);
    return values;
}

static inline void assert_appended(const Fixture *f, const char *bytes, const char *name,
                                   const void *wanted, size_t size) {
    unsigned char *values = appended(f, bytes, name, size);
    assert_memory_equal(values + sizeof(uint64_t), wanted, size);
    context_free(f->context, values, (size + sizeof(uint64_t) + 2) / 3 * 3, 1);
}

#endif
