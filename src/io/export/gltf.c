/* glTF 2.0 (Khronos; ISO/IEC 12113): JSON that describes, one buffer that holds the numbers.
 *
 * Every object of a mesh is a node of its own. A rigid one has its vertices about its centre of
 * mass, and one translation and rotation a frame. One that deforms has its vertices in the world,
 * one morph target a frame after the first, and weights that are 1 at their own frame: between
 * frames viewers interpolate linearly in both. */
#include "io/export/formats.h"
#include "io/export/objects.h"

#include "base/text.h"
#include "io/frame_pack.h"

#include <string.h>

enum { CHUNK_JSON = 0x4e4f534a, CHUNK_BIN = 0x004e4942, MAGIC = 0x46546c67 };
enum { TYPE_U32 = 5125, TYPE_F32 = 5126, FOR_VERTICES = 34962, FOR_INDICES = 34963 };
enum { NO_ACCESSOR = -1 };

/* What an object is written from. */
typedef struct GltfTrack {
    ExportFloats rest;    /* m, 3 a vertex: what the node's mesh is */
    ExportFloats normals; /* 3 a vertex, of that mesh; none: flat */
    ExportFloats keys;    /* 7 a frame (place, rotation x, y, z, w), or 3 a vertex and frame after
                             the first */
    ExportFloats turns;   /* of normals, likewise 3 a vertex and frame */
    bool moves;
} GltfTrack;

typedef struct Gltf {
    ExportJob job;
    ExportObjects objects;
    GltfTrack *tracks;  /* one an object */
    ExportFloats times; /* s, from the first frame on */
    double start;       /* s */
    size_t left_out;    /* liquids and drops, the most of a frame */
    /* Of the file. */
    Text buffer, views, accessors;
    int accessor_count, view_count;
    bool failed; /* memory ran out */
} Gltf;

static PlimStatus create(const ExportJob *job, void **out) {
    Gltf *gltf = *out = context_allocate(job->context, 1, sizeof *gltf);
    if (!gltf) return PLIM_OUT_OF_MEMORY;
    *gltf = (Gltf){.job = *job};
    text_init(&gltf->buffer, job->context);
    text_init(&gltf->views, job->context);
    text_init(&gltf->accessors, job->context);
    return PLIM_OK;
}

static void destroy(void *exporter) {
    Gltf *gltf = exporter;
    if (!gltf) return;
    PlimContext *context = gltf->job.context;
    for (size_t i = 0; gltf->tracks && i < gltf->objects.count; i++) {
        array_free(context, &gltf->tracks[i].rest);
        array_free(context, &gltf->tracks[i].keys);
        array_free(context, &gltf->tracks[i].normals);
        array_free(context, &gltf->tracks[i].turns);
    }
    context_free(context, gltf->tracks, gltf->objects.count, sizeof *gltf->tracks);
    export_objects_free(context, &gltf->objects);
    array_free(context, &gltf->times);
    text_free(&gltf->buffer);
    text_free(&gltf->views);
    text_free(&gltf->accessors);
    context_free(context, gltf, 1, sizeof *gltf);
}

/* ---- frames ---- */

static void add_float(Gltf *gltf, ExportFloats *to, double value) {
    if (!array_push(gltf->job.context, to, (float)value)) gltf->failed = true;
}

static void add_vec3(Gltf *gltf, ExportFloats *to, Vec3 a) {
    add_float(gltf, to, a.x);
    add_float(gltf, to, a.y);
    add_float(gltf, to, a.z);
}

/* The format asks for unit length, also where faces have no area. */
static void fill_normal(float *normal) {
    if (normal[0] == 0 && normal[1] == 0 && normal[2] == 0) normal[1] = 1;
}

static PlimStatus begin(Gltf *gltf, const FrameData *frame) {
    PlimContext *context = gltf->job.context;
    gltf->start = frame->time;
    TRY(export_objects_find(context, &frame->view, gltf->job.frames == 1, &gltf->objects));
    gltf->tracks = context_allocate(context, gltf->objects.count, sizeof *gltf->tracks);
    if (!gltf->tracks) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < gltf->objects.count; i++) {
        ExportObject *object = &gltf->objects.data[i];
        GltfTrack *track = &gltf->tracks[i];
        if (object->is_smooth) {
            TRY(export_object_split(context, object, &frame->view, &track->normals));
            for (size_t k = 0; k < track->normals.count; k += 3)
                fill_normal(track->normals.data + k);
        }
        for (size_t k = 0; k < object->sources.count; k++)
            add_vec3(gltf, &track->rest, export_object_rest(object, &frame->view, k));
    }
    return PLIM_OK;
}

static void add_pose(Gltf *gltf, GltfTrack *track, const double *pose) {
    const ExportFloats *keys = &track->keys;
    Quat last = {0};
    size_t at = keys->count;
    if (at >= 7) {
        const float *q = keys->data + at - 4;
        last = (Quat){(double)q[3], (double)q[0], (double)q[1], (double)q[2]};
    }
    Quat q = export_turn(pose, last);
    add_vec3(gltf, &track->keys, vec3_load(pose));
    add_vec3(gltf, &track->keys, vec3(q.x, q.y, q.z));
    add_float(gltf, &track->keys, q.w);
    if (at > 0 && !gltf->failed)
        track->moves |= memcmp(keys->data + at, keys->data + at - 7, 7 * sizeof *keys->data) != 0;
}

/* The change of each vertex's normal since the first frame: faces that shared one share one. */
static void add_turns(Gltf *gltf, const ExportObject *object, GltfTrack *track,
                      const FrameView *view) {
    size_t vertices = object->sources.count, first = track->turns.count;
    for (size_t k = 0; k < 3 * vertices; k++) add_float(gltf, &track->turns, 0);
    if (gltf->failed) return;
    float *sums = track->turns.data + first;
    for (size_t c = 0; c < object->corners.count; c += 3) {
        const int32_t *t = object->corners.data + c;
        Vec3 a = export_object_vertex(object, view, (size_t)t[0]);
        Vec3 face = vec3_cross(vec3_sub(export_object_vertex(object, view, (size_t)t[1]), a),
                               vec3_sub(export_object_vertex(object, view, (size_t)t[2]), a));
        for (size_t k = 0; k < 3; k++) {
            float *sum = sums + 3 * (size_t)t[k];
            sum[0] += (float)face.x;
            sum[1] += (float)face.y;
            sum[2] += (float)face.z;
        }
    }
    for (size_t k = 0; k < 3 * vertices; k += 3) {
        Vec3 now = vec3((double)sums[k], (double)sums[k + 1], (double)sums[k + 2]);
        now = vec3_normalize(now);
        const double values[3] = {now.x, now.y, now.z};
        for (size_t i = 0; i < 3; i++)
            sums[k + i] = (float)(values[i] - (double)track->normals.data[k + i]);
    }
}

static void add_key(Gltf *gltf, size_t i, const FrameView *view) {
    const ExportObject *object = &gltf->objects.data[i];
    GltfTrack *track = &gltf->tracks[i];
    if (object->is_rigid) {
        add_pose(gltf, track, view->meshes[object->mesh].poses + 7 * object->object);
        return;
    }
    if (gltf->times.count == 1) return;
    for (size_t k = 0; k < object->sources.count; k++) {
        const float *rest = track->rest.data + 3 * k;
        Vec3 from = vec3((double)rest[0], (double)rest[1], (double)rest[2]);
        add_vec3(gltf, &track->keys, vec3_sub(export_object_vertex(object, view, k), from));
    }
    if (track->normals.count > 0) add_turns(gltf, object, track, view);
    track->moves = true;
}

/* What no frame of the file can hold. */
static size_t count_left_out(const Gltf *gltf, const FrameView *view) {
    size_t count = 0;
    for (size_t i = 0; i < view->mesh_count; i++)
        count += view->meshes[i].changes && gltf->job.frames > 1;
    for (size_t i = 0; i < view->points_count; i++) count += view->points[i].count > 0;
    return count;
}

static PlimStatus add(void *exporter, const FrameData *frame) {
    Gltf *gltf = exporter;
    if (gltf->times.count == 0) TRY(begin(gltf, frame));
    add_float(gltf, &gltf->times, frame->time - gltf->start);
    for (size_t i = 0; i < gltf->objects.count && !gltf->failed; i++) {
        TRY(export_object_check(gltf->job.context, &gltf->objects.data[i], frame));
        add_key(gltf, i, &frame->view);
    }
    size_t left_out = count_left_out(gltf, &frame->view);
    gltf->left_out = left_out > gltf->left_out ? left_out : gltf->left_out;
    return gltf->failed ? PLIM_OUT_OF_MEMORY : PLIM_OK;
}

/* ---- the file ---- */

static void add_u32(Text *to, size_t value) {
    uint32_t number = (uint32_t)value;
    text_add_bytes(to, &number, sizeof number);
}

/* Least and greatest of each component: the format asks for them of places and times. */
static void add_bounds(Text *to, const float *values, size_t rows, size_t columns) {
    const char *const names[2] = {"min", "max"};
    for (int side = 0; side < 2; side++) {
        text_add(to, ",\"%s\":[", names[side]);
        for (size_t c = 0; c < columns; c++) {
            float bound = values[c];
            for (size_t i = 1; i < rows; i++) {
                float value = values[columns * i + c];
                if (side == 0 ? value < bound : value > bound) bound = value;
            }
            text_add(to, "%s%.9g", c ? "," : "", (double)bound);
        }
        text_add(to, "]");
    }
}

/* Numbers of 4 bytes, with a view and an accessor of their own; its index. `target` 0: keys. */
static int add_accessor(Gltf *gltf, const void *values, size_t rows, size_t columns, int type,
                        int target, bool bounds) {
    static const char *const shapes[5] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    size_t size = 4 * rows * columns;
    text_add(&gltf->views, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu",
             gltf->view_count ? "," : "", gltf->buffer.bytes.count, size);
    if (target) text_add(&gltf->views, ",\"target\":%d", target);
    text_add(&gltf->views, "}");
    text_add_bytes(&gltf->buffer, values, size);
    text_add(&gltf->accessors,
             "%s{\"bufferView\":%d,\"componentType\":%d,\"count\":%zu,\"type\":\"%s\"",
             gltf->accessor_count ? "," : "", gltf->view_count++, type, rows, shapes[columns]);
    if (bounds) add_bounds(&gltf->accessors, values, rows, columns);
    text_add(&gltf->accessors, "}");
    return gltf->accessor_count++;
}

static size_t key_count(const Gltf *gltf) {
    return gltf->times.count;
}

static void add_material(Gltf *gltf, Text *json, size_t i) {
    const ExportObject *object = &gltf->objects.data[i];
    double color[3];
    export_linear_color(object->color, color);
    text_add(json, "{\"name\":");
    frame_pack_text(json, object->name);
    text_add(json,
             ",\"doubleSided\":true,\"pbrMetallicRoughness\":{\"baseColorFactor\":[%.6g,%.6g,%.6g,"
             "1],\"metallicFactor\":0,\"roughnessFactor\":0.6}}",
             color[0], color[1], color[2]);
}

static void add_mesh(Gltf *gltf, Text *json, size_t i) {
    const ExportObject *object = &gltf->objects.data[i];
    const GltfTrack *track = &gltf->tracks[i];
    size_t vertices = object->sources.count;
    int places = add_accessor(gltf, track->rest.data, vertices, 3, TYPE_F32, FOR_VERTICES, true);
    int corners = add_accessor(gltf, object->corners.data, object->corners.count, 1, TYPE_U32,
                               FOR_INDICES, false);
    text_add(json, "{\"name\":");
    frame_pack_text(json, object->name);
    text_add(json, ",\"primitives\":[{\"attributes\":{\"POSITION\":%d", places);
    if (track->normals.count > 0)
        text_add(
            json, ",\"NORMAL\":%d",
            add_accessor(gltf, track->normals.data, vertices, 3, TYPE_F32, FOR_VERTICES, false));
    text_add(json, "},\"indices\":%d,\"material\":%zu", corners, i);
    size_t targets = object->is_rigid || !track->moves ? 0 : key_count(gltf) - 1;
    for (size_t k = 0; k < targets; k++) {
        int target = add_accessor(gltf, track->keys.data + 3 * vertices * k, vertices, 3, TYPE_F32,
                                  FOR_VERTICES, true);
        text_add(json, "%s{\"POSITION\":%d", k ? "," : ",\"targets\":[", target);
        if (track->turns.count > 0)
            text_add(json, ",\"NORMAL\":%d",
                     add_accessor(gltf, track->turns.data + 3 * vertices * k, vertices, 3, TYPE_F32,
                                  FOR_VERTICES, false));
        text_add(json, "}");
    }
    text_add(json, "%s}]", targets ? "]" : "");
    for (size_t k = 0; k < targets; k++) text_add(json, "%s0", k ? "," : ",\"weights\":[");
    text_add(json, "%s}", targets ? "]" : "");
}

static void add_node(Gltf *gltf, Text *json, size_t i) {
    const ExportObject *object = &gltf->objects.data[i];
    text_add(json, "{\"name\":");
    frame_pack_text(json, object->name);
    text_add(json, ",\"mesh\":%zu", i);
    if (object->is_rigid) {
        const float *key = gltf->tracks[i].keys.data;
        text_add(json, ",\"translation\":[%.9g,%.9g,%.9g]", (double)key[0], (double)key[1],
                 (double)key[2]);
        text_add(json, ",\"rotation\":[%.9g,%.9g,%.9g,%.9g]", (double)key[3], (double)key[4],
                 (double)key[5], (double)key[6]);
    }
    text_add(json, "}");
}

/* Columns `from` to `from + count` of the keys of a rigid body. */
static int add_columns(Gltf *gltf, const GltfTrack *track, size_t from, size_t count) {
    ExportFloats values = {0};
    for (size_t k = 0; k < key_count(gltf); k++)
        for (size_t c = 0; c < count; c++)
            add_float(gltf, &values, (double)track->keys.data[7 * k + from + c]);
    int accessor =
        gltf->failed ? NO_ACCESSOR
                     : add_accessor(gltf, values.data, key_count(gltf), count, TYPE_F32, 0, false);
    array_free(gltf->job.context, &values);
    return accessor;
}

/* One row a frame, a weight for each frame after the first: 1 at its own. */
static int add_weights(Gltf *gltf) {
    size_t keys = key_count(gltf);
    ExportFloats values = {0};
    for (size_t k = 0; k < keys; k++)
        for (size_t target = 1; target < keys; target++) add_float(gltf, &values, target == k);
    int accessor = gltf->failed
                       ? NO_ACCESSOR
                       : add_accessor(gltf, values.data, keys * (keys - 1), 1, TYPE_F32, 0, false);
    array_free(gltf->job.context, &values);
    return accessor;
}

typedef struct Channels {
    Text samplers, channels;
    int count;
    int times, weights;
} Channels;

static void add_channel(Channels *to, int output, size_t node, const char *path) {
    text_add(&to->samplers, "%s{\"input\":%d,\"output\":%d}", to->count ? "," : "", to->times,
             output);
    text_add(&to->channels, "%s{\"sampler\":%d,\"target\":{\"node\":%zu,\"path\":\"%s\"}}",
             to->count ? "," : "", to->count, node, path);
    to->count++;
}

static void animate(Gltf *gltf, Channels *to, size_t node) {
    const GltfTrack *track = &gltf->tracks[node];
    if (!track->moves || key_count(gltf) < 2) return;
    if (to->times == NO_ACCESSOR)
        to->times = add_accessor(gltf, gltf->times.data, key_count(gltf), 1, TYPE_F32, 0, true);
    if (gltf->objects.data[node].is_rigid) {
        add_channel(to, add_columns(gltf, track, 0, 3), node, "translation");
        add_channel(to, add_columns(gltf, track, 3, 4), node, "rotation");
        return;
    }
    if (to->weights == NO_ACCESSOR) to->weights = add_weights(gltf);
    add_channel(to, to->weights, node, "weights");
}

static void add_list(Gltf *gltf, Text *json, const char *name,
                     void (*add_entry)(Gltf *, Text *, size_t)) {
    text_add(json, ",\"%s\":[", name);
    for (size_t i = 0; i < gltf->objects.count; i++) {
        if (i) text_add(json, ",");
        add_entry(gltf, json, i);
    }
    text_add(json, "]");
}

static void add_animation(Gltf *gltf, Text *json) {
    Channels channels = {.times = NO_ACCESSOR, .weights = NO_ACCESSOR};
    text_init(&channels.samplers, gltf->job.context);
    text_init(&channels.channels, gltf->job.context);
    for (size_t i = 0; i < gltf->objects.count; i++) animate(gltf, &channels, i);
    if (channels.count > 0)
        text_add(json, ",\"animations\":[{\"name\":\"run\",\"samplers\":[%s],\"channels\":[%s]}]",
                 text_string(&channels.samplers), text_string(&channels.channels));
    gltf->failed |= channels.samplers.failed || channels.channels.failed;
    text_free(&channels.samplers);
    text_free(&channels.channels);
}

static void describe(Gltf *gltf, Text *json) {
    text_add(json, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"Plimsoll\"},\"scene\":0,"
                   "\"scenes\":[{\"nodes\":[");
    for (size_t i = 0; i < gltf->objects.count; i++) text_add(json, "%s%zu", i ? "," : "", i);
    text_add(json, "]}]");
    add_list(gltf, json, "nodes", add_node);
    add_list(gltf, json, "materials", add_material);
    add_list(gltf, json, "meshes", add_mesh);
    add_animation(gltf, json);
    text_add(json, ",\"accessors\":[%s],\"bufferViews\":[%s]", text_string(&gltf->accessors),
             text_string(&gltf->views));
    text_add(json, ",\"buffers\":[{\"byteLength\":%zu}]}", gltf->buffer.bytes.count);
    while (json->bytes.count % 4 != 0 && !json->failed) text_add(json, " ");
}

static PlimStatus write_chunks(Gltf *gltf, const Text *json, const char *path) {
    size_t json_size = json->bytes.count, size = gltf->buffer.bytes.count;
    size_t total = 12 + 8 + json_size + 8 + size;
    if (gltf->failed || json->failed || gltf->buffer.failed || gltf->views.failed ||
        gltf->accessors.failed)
        return PLIM_OUT_OF_MEMORY;
    if (total > UINT32_MAX)
        return context_fail(gltf->job.context, PLIM_BAD_INPUT,
                            "a glTF file holds at most 4 GB, these frames take %.1f; export fewer "
                            "(--frames A:B, --every N)",
                            (double)total * 1e-9);
    Text file;
    text_init(&file, gltf->job.context);
    add_u32(&file, MAGIC);
    add_u32(&file, 2);
    add_u32(&file, total);
    add_u32(&file, json_size);
    add_u32(&file, CHUNK_JSON);
    text_add_bytes(&file, json->bytes.data, json_size);
    add_u32(&file, size);
    add_u32(&file, CHUNK_BIN);
    text_add_bytes(&file, gltf->buffer.bytes.data, size);
    PlimStatus status =
        file.failed ? PLIM_OUT_OF_MEMORY
                    : file_write(gltf->job.context, path, file.bytes.data, file.bytes.count, false);
    text_free(&file);
    return status;
}

static PlimStatus finish(void *exporter, char path[PATH_CAPACITY]) {
    Gltf *gltf = exporter;
    PlimContext *context = gltf->job.context;
    if (gltf->objects.count == 0)
        return context_fail(context, PLIM_BAD_INPUT,
                            "there is no body to export as glTF; a liquid is exported with "
                            "--frame N, or all its frames with --to usd");
    TRY(path_join(context, gltf->job.folder, "run.glb", path));
    Text json;
    text_init(&json, context);
    describe(gltf, &json);
    PlimStatus status = write_chunks(gltf, &json, path);
    text_free(&json);
    TRY(status);
    if (gltf->left_out > 0)
        context_log(context, PLIM_LOG_WARNING,
                    "liquids and drops are another mesh in every frame, which glTF cannot hold: "
                    "%zu left out; --to usd exports all of them, --frame N one surface",
                    gltf->left_out);
    return PLIM_OK;
}

const Exporter export_gltf = {"gltf", create, add, finish, destroy};
