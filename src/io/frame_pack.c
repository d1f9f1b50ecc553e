/* A frame as a block of bytes: header in JSON, arrays as in memory. */
#include "io/frame_pack.h"

#include "io/frame_arrays.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ALIGNMENT = 8, PREFIX_SIZE = 16 };

static size_t align(size_t size) {
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* ---- JSON ---- */

void frame_pack_text(Text *to, const char *text) {
    text_add(to, "\"");
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            text_add(to, "\\%c", *c);
        else if (*c < 0x20 || *c == '<') /* the latter would end a script of an HTML page */
            text_add(to, "\\u%04x", *c);
        else
            text_add(to, "%c", *c);
    }
    text_add(to, "\"");
}

static void add_numbers(Text *to, const char *name, const double *values, size_t count) {
    text_add(to, ",\"%s\":[", name);
    for (size_t i = 0; i < count; i++)
        text_add(to, isfinite(values[i]) ? "%s%.17g" : "%snull", i ? "," : "", values[i]);
    text_add(to, "]");
}

static void add_flag(Text *to, const char *name, bool value) {
    text_add(to, ",\"%s\":%s", name, value ? "true" : "false");
}

/* ---- groups ---- */

typedef struct Packing {
    const FramePackRequest *request;
    Text header;
    size_t size; /* of the arrays so far */
} Packing;

static const char *type_name(H5Type type) {
    switch (type) {
    case H5_F32:
        return "f32";
    case H5_F64:
        return "f64";
    case H5_I32:
        return "i32";
    case H5_U8:
        return "u8";
    case H5_U64:
        break;
    }
    return "u64";
}

static size_t array_size(const FrameGroup *group, const FrameArray *array) {
    return frame_array_rows(group, array) * array->columns * h5_type_size(array->type);
}

static bool is_named(const char *list, const char *group, const char *array) {
    char wanted[FRAME_PATH_CAPACITY];
    int length = snprintf(wanted, sizeof wanted, "%s/%s", group, array);
    for (const char *at = list; at && *at; at = strchr(at, ','), at = at ? at + 1 : NULL)
        if (strncmp(at, wanted, (size_t)length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

static bool is_packed(const FramePackRequest *request, const FrameGroup *group,
                      const FrameArray *array) {
    if (!frame_array_values(group, array)) return false;
    if (frame_array_is_fixed(group, array)) return request->shapes;
    return !request->only || is_named(request->only, group->name, array->name);
}

static void describe_array(Packing *packing, const FrameGroup *group, const FrameArray *array,
                           bool first) {
    Text *to = &packing->header;
    text_add(to, "%s{\"name\":\"%s\",\"type\":\"%s\",\"columns\":%zu,\"rows\":%zu",
             first ? "" : ",", array->name, type_name(array->type), array->columns,
             frame_array_rows(group, array));
    if (array->unit) text_add(to, ",\"unit\":\"%s\"", array->unit);
    add_flag(to, "fixed", frame_array_is_fixed(group, array));
    if (is_packed(packing->request, group, array)) {
        text_add(to, ",\"offset\":%zu", packing->size);
        packing->size += align(array_size(group, array));
    }
    text_add(to, "}");
}

static void describe_arrays(Packing *packing, const FrameGroup *group) {
    text_add(&packing->header, ",\"arrays\":[");
    bool first = true;
    for (size_t i = 0; i < group->array_count; i++) {
        if (!frame_array_values(group, &group->arrays[i])) continue;
        describe_array(packing, group, &group->arrays[i], first);
        first = false;
    }
    text_add(&packing->header, "]}");
}

static void begin_group(Packing *packing, const char *kind, const char *name) {
    Text *to = &packing->header;
    text_add(to, "%s{\"kind\":\"%s\",\"name\":",
             to->bytes.count > 0 && to->bytes.data[to->bytes.count - 1] == '[' ? "" : ",", kind);
    frame_pack_text(to, name);
}

static void add_absorption(Packing *packing, const float absorption[3]) {
    double values[3] = {(double)absorption[0], (double)absorption[1], (double)absorption[2]};
    add_numbers(&packing->header, "absorption", values, 3);
}

static void describe_view(Packing *packing, const FrameView *view) {
    Text *to = &packing->header;
    for (size_t i = 0; i < view->mesh_count; i++) {
        const FrameMesh *mesh = &view->meshes[i];
        FrameGroup group = frame_mesh_group(mesh);
        begin_group(packing, "mesh", mesh->name);
        text_add(to, ",\"objects\":%zu", mesh->object_count);
        add_flag(to, "smooth", mesh->smooth);
        add_flag(to, "changes", mesh->changes);
        add_flag(to, "clear", mesh->is_clear);
        if (mesh->is_clear) add_absorption(packing, mesh->absorption);
        describe_arrays(packing, &group);
    }
    for (size_t i = 0; i < view->points_count; i++) {
        FrameGroup group = frame_points_group(&view->points[i]);
        begin_group(packing, "points", group.name);
        add_absorption(packing, view->points[i].absorption);
        describe_arrays(packing, &group);
    }
    for (size_t i = 0; i < view->elements_count; i++) {
        FrameGroup group = frame_elements_group(&view->elements[i]);
        begin_group(packing, "elements", group.name);
        describe_arrays(packing, &group);
    }
    for (size_t i = 0; i < view->volume_count; i++) {
        const FrameVolume *volume = &view->volumes[i];
        FrameGroup group = frame_volume_group(volume);
        begin_group(packing, "volume", volume->name);
        text_add(to, ",\"dim\":%d,\"cells\":[%d,%d,%d],\"spacing\":%.17g", volume->dim,
                 volume->n[0], volume->n[1], volume->n[2], volume->spacing);
        add_numbers(to, "origin", volume->origin, 3);
        describe_arrays(packing, &group);
    }
}

/* ---- arrays, in the order of the header ---- */

static char *copy_arrays(const Packing *packing, const FrameGroup *group, char *to) {
    for (size_t i = 0; i < group->array_count; i++) {
        const FrameArray *array = &group->arrays[i];
        if (!is_packed(packing->request, group, array)) continue;
        size_t size = array_size(group, array);
        if (size > 0) memcpy(to, frame_array_values(group, array), size);
        to += align(size);
    }
    return to;
}

static void copy_view(const Packing *packing, const FrameView *view, char *to) {
    for (size_t i = 0; i < view->mesh_count; i++) {
        FrameGroup group = frame_mesh_group(&view->meshes[i]);
        to = copy_arrays(packing, &group, to);
    }
    for (size_t i = 0; i < view->points_count; i++) {
        FrameGroup group = frame_points_group(&view->points[i]);
        to = copy_arrays(packing, &group, to);
    }
    for (size_t i = 0; i < view->elements_count; i++) {
        FrameGroup group = frame_elements_group(&view->elements[i]);
        to = copy_arrays(packing, &group, to);
    }
    for (size_t i = 0; i < view->volume_count; i++) {
        FrameGroup group = frame_volume_group(&view->volumes[i]);
        to = copy_arrays(packing, &group, to);
    }
}

PlimStatus frame_pack(PlimContext *context, const FrameData *frame, const FramePackRequest *request,
                      char **bytes, size_t *size) {
    Packing packing = {.request = request};
    Text *header = &packing.header;
    text_init(header, context);
    text_add(header, "{\"frame\":%" PRIu64 ",\"time\":%.17g,\"groups\":[", frame->frame,
             frame->time);
    describe_view(&packing, &frame->view);
    text_add(header, "]}");
    while (!header->failed && (PREFIX_SIZE + header->bytes.count) % ALIGNMENT != 0)
        text_add(header, " ");
    *bytes = NULL;
    *size = PREFIX_SIZE + header->bytes.count + packing.size;
    if (!header->failed) *bytes = context_allocate(context, *size, 1);
    if (*bytes) {
        uint32_t length = (uint32_t)header->bytes.count;
        memcpy(*bytes, FRAME_PACK_MAGIC, 8);
        memcpy(*bytes + 8, &length, sizeof length);
        memcpy(*bytes + PREFIX_SIZE, header->bytes.data, length);
        copy_view(&packing, &frame->view, *bytes + PREFIX_SIZE + length);
    }
    text_free(header);
    return *bytes ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}
