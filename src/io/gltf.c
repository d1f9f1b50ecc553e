/* glTF 2.0 (Khronos; ISO/IEC 12113): JSON that describes, one buffer that holds the numbers.
 *
 * Every object of a mesh is a node of its own. A rigid one has its vertices about its centre of
 * mass, and one translation and rotation a frame. One that deforms has its vertices in the world,
 * one morph target a frame after the first, and weights that are 1 at their own frame: between
 * frames viewers interpolate linearly in both. */
#include "io/gltf.h"

#include "base/file.h"
#include "base/text.h"
#include "io/frame_pack.h"
#include "math/quat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CHUNK_JSON = 0x4e4f534a, CHUNK_BIN = 0x004e4942, MAGIC = 0x46546c67 };
enum { TYPE_U32 = 5125, TYPE_F32 = 5126, FOR_VERTICES = 34962, FOR_INDICES = 34963 };
enum { NO_ACCESSOR = -1 };

typedef ARRAY(float) Floats;

typedef struct GltfObject {
    size_t mesh;   /* of the frame view */
    size_t object; /* of that mesh */
    char name[FRAME_NAME_CAPACITY];
    float color[3];
    bool is_rigid;
    ARRAY(int32_t) sources; /* vertices of the frame's mesh, ascending */
    ARRAY(uint32_t) corners;
    Floats rest; /* m, 3 a vertex: what the node's mesh is */
    Floats
        keys; /* 7 a frame (place, rotation x, y, z, w), or 3 a vertex and frame after the first */
    bool moves;
} GltfObject;

struct Gltf {
    PlimContext *context;
    ARRAY(GltfObject) objects;
    Floats times; /* s, from the first frame on */
    double start; /* s */
    /* Of the file. */
    Text buffer, views, accessors;
    int accessor_count, view_count;
    bool failed; /* memory ran out */
};

PlimStatus gltf_create(PlimContext *context, Gltf **out) {
    Gltf *gltf = *out = context_allocate(context, 1, sizeof *gltf);
    if (!gltf) return PLIM_OUT_OF_MEMORY;
    *gltf = (Gltf){.context = context};
    text_init(&gltf->buffer, context);
    text_init(&gltf->views, context);
    text_init(&gltf->accessors, context);
    return PLIM_OK;
}

void gltf_destroy(Gltf *gltf) {
    if (!gltf) return;
    PlimContext *context = gltf->context;
    for (size_t i = 0; i < gltf->objects.count; i++) {
        GltfObject *object = &gltf->objects.data[i];
        array_free(context, &object->sources);
        array_free(context, &object->corners);
        array_free(context, &object->rest);
        array_free(context, &object->keys);
    }
    array_free(context, &gltf->objects);
    array_free(context, &gltf->times);
    text_free(&gltf->buffer);
    text_free(&gltf->views);
    text_free(&gltf->accessors);
    context_free(context, gltf, 1, sizeof *gltf);
}

/* ---- frames ---- */

static void add_float(Gltf *gltf, Floats *to, double value) {
    if (!array_push(gltf->context, to, (float)value)) gltf->failed = true;
}

static Vec3 vertex_of(const FrameMesh *mesh, int32_t i) {
    const float *v = mesh->vertices + 3 * (size_t)i;
    return vec3((double)v[0], (double)v[1], (double)v[2]);
}

static void add_vec3(Gltf *gltf, Floats *to, Vec3 a) {
    add_float(gltf, to, a.x);
    add_float(gltf, to, a.y);
    add_float(gltf, to, a.z);
}

static bool is_shown(const FrameMesh *mesh, size_t object) {
    return !mesh->kinds || mesh->kinds[object] != FRAME_UNBOUNDED;
}

static void name_object(GltfObject *object, const FrameMesh *mesh, size_t i) {
    const char *name = mesh->names ? mesh->names + FRAME_NAME_CAPACITY * i : "";
    if (name[0])
        memcpy(object->name, name, FRAME_NAME_CAPACITY - 1);
    else if (mesh->object_count > 1)
        snprintf(object->name, sizeof object->name, "%.40s %zu", mesh->name, i);
    else
        frame_name_store(object->name, mesh->name);
}

/* Vertices come into the place of the body's axes where it has a pose. */
static void take_rest(Gltf *gltf, GltfObject *object, const FrameMesh *mesh) {
    const double *pose = object->is_rigid ? mesh->poses + 7 * object->object : NULL;
    for (size_t k = 0; k < object->sources.count; k++) {
        Vec3 x = vertex_of(mesh, object->sources.data[k]);
        if (pose) x = quat_rotate_inverse(quat_load(pose + 3), vec3_sub(x, vec3_load(pose)));
        add_vec3(gltf, &object->rest, x);
    }
}

/* Objects of one mesh, in two passes over its triangles: `number` of a vertex is that in its
 * object. Vertices that several objects share are each one's own. */
static void add_mesh_objects(Gltf *gltf, const FrameMesh *mesh, size_t index, int32_t *number) {
    PlimContext *context = gltf->context;
    size_t first = gltf->objects.count;
    for (size_t i = 0; i < mesh->object_count; i++) {
        GltfObject object = {.mesh = index, .object = i, .is_rigid = mesh->poses != NULL};
        memcpy(object.color, mesh->colors + 3 * i, sizeof object.color);
        name_object(&object, mesh, i);
        gltf->failed |= !array_push(context, &gltf->objects, object);
        if (gltf->failed) return;
    }
    for (size_t t = 0; t < mesh->triangle_count && !gltf->failed; t++) {
        GltfObject *object = &gltf->objects.data[first + (size_t)mesh->objects[t]];
        if (!is_shown(mesh, object->object)) continue;
        for (int c = 0; c < 3; c++) {
            int32_t v = mesh->triangles[3 * t + (size_t)c], known = number[v];
            bool is_new = known < 0 || (size_t)known >= object->sources.count ||
                          object->sources.data[known] != v;
            if (is_new) number[v] = (int32_t)object->sources.count;
            if (is_new) gltf->failed |= !array_push(context, &object->sources, v);
            gltf->failed |= !array_push(context, &object->corners, (uint32_t)number[v]);
        }
    }
    for (size_t i = first; i < gltf->objects.count; i++)
        take_rest(gltf, &gltf->objects.data[i], mesh);
}

static PlimStatus find_objects(Gltf *gltf, const FrameView *view, bool is_only) {
    for (size_t i = 0; i < view->mesh_count && !gltf->failed; i++) {
        const FrameMesh *mesh = &view->meshes[i];
        if (mesh->changes && !is_only) continue;
        int32_t *number = context_allocate(gltf->context, mesh->vertex_count + 1, sizeof *number);
        if (!number) return PLIM_OUT_OF_MEMORY;
        for (size_t v = 0; v < mesh->vertex_count; v++) number[v] = -1;
        add_mesh_objects(gltf, mesh, i, number);
        context_free(gltf->context, number, mesh->vertex_count + 1, sizeof *number);
    }
    return PLIM_OK;
}

/* The shorter of +-q from the last key on, else viewers turn the body the long way round. */
static void add_pose(Gltf *gltf, GltfObject *object, const double *pose) {
    const Floats *keys = &object->keys;
    Quat q = quat_load(pose + 3);
    double sign = 1;
    if (keys->count >= 7) {
        const float *last = keys->data + keys->count - 4;
        double dot = (double)last[0] * q.x + (double)last[1] * q.y + (double)last[2] * q.z +
                     (double)last[3] * q.w;
        sign = dot < 0 ? -1 : 1;
    }
    size_t at = keys->count;
    add_vec3(gltf, &object->keys, vec3_load(pose));
    add_vec3(gltf, &object->keys, vec3(sign * q.x, sign * q.y, sign * q.z));
    add_float(gltf, &object->keys, sign * q.w);
    if (at > 0 && !gltf->failed)
        object->moves |= memcmp(keys->data + at, keys->data + at - 7, 7 * sizeof *keys->data) != 0;
}

static void add_key(Gltf *gltf, GltfObject *object, const FrameMesh *mesh) {
    if (object->is_rigid) {
        add_pose(gltf, object, mesh->poses + 7 * object->object);
        return;
    }
    if (gltf->times.count == 1) return;
    for (size_t k = 0; k < object->sources.count; k++) {
        const float *rest = object->rest.data + 3 * k;
        Vec3 from = vec3((double)rest[0], (double)rest[1], (double)rest[2]);
        add_vec3(gltf, &object->keys, vec3_sub(vertex_of(mesh, object->sources.data[k]), from));
    }
    object->moves = true;
}

static bool fits(const GltfObject *object, const FrameView *view) {
    if (object->mesh >= view->mesh_count) return false;
    const FrameMesh *mesh = &view->meshes[object->mesh];
    size_t count = object->sources.count;
    if (object->object >= mesh->object_count || (object->is_rigid && !mesh->poses)) return false;
    for (size_t k = 0; k < count; k++)
        if ((size_t)object->sources.data[k] >= mesh->vertex_count) return false;
    return true;
}

PlimStatus gltf_add_frame(Gltf *gltf, const FrameData *frame, bool is_only, size_t *left_out) {
    const FrameView *view = &frame->view;
    if (gltf->times.count == 0) {
        gltf->start = frame->time;
        TRY(find_objects(gltf, view, is_only));
    }
    add_float(gltf, &gltf->times, frame->time - gltf->start);
    for (size_t i = 0; i < gltf->objects.count && !gltf->failed; i++) {
        GltfObject *object = &gltf->objects.data[i];
        if (!fits(object, view))
            return context_fail(gltf->context, PLIM_BAD_INPUT,
                                "'%s' has another shape in the frame at %g s; export frames of one "
                                "run",
                                object->name, frame->time);
        add_key(gltf, object, &view->meshes[object->mesh]);
    }
    *left_out = 0;
    for (size_t i = 0; i < view->mesh_count; i++) *left_out += view->meshes[i].changes && !is_only;
    for (size_t i = 0; i < view->points_count; i++) *left_out += view->points[i].count > 0;
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

static double linear_from_srgb(double value) {
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static bool is_written(const GltfObject *object) {
    return object->corners.count > 0;
}

static size_t key_count(const Gltf *gltf) {
    return gltf->times.count;
}

static void add_material(Text *json, const GltfObject *object) {
    double color[3];
    for (int c = 0; c < 3; c++) color[c] = linear_from_srgb((double)object->color[c]);
    text_add(json, "{\"name\":");
    frame_pack_text(json, object->name);
    text_add(json,
             ",\"doubleSided\":true,\"pbrMetallicRoughness\":{\"baseColorFactor\":[%.6g,%.6g,%.6g,"
             "1],\"metallicFactor\":0,\"roughnessFactor\":0.6}}",
             color[0], color[1], color[2]);
}

static void add_mesh(Gltf *gltf, Text *json, const GltfObject *object, int material) {
    size_t vertices = object->sources.count;
    int places = add_accessor(gltf, object->rest.data, vertices, 3, TYPE_F32, FOR_VERTICES, true);
    int corners = add_accessor(gltf, object->corners.data, object->corners.count, 1, TYPE_U32,
                               FOR_INDICES, false);
    text_add(json, "{\"name\":");
    frame_pack_text(json, object->name);
    text_add(json,
             ",\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"indices\":%d,\"material\":%d",
             places, corners, material);
    size_t targets = object->is_rigid || !object->moves ? 0 : key_count(gltf) - 1;
    for (size_t k = 0; k < targets; k++) {
        int target = add_accessor(gltf, object->keys.data + 3 * vertices * k, vertices, 3, TYPE_F32,
                                  FOR_VERTICES, true);
        text_add(json, "%s{\"POSITION\":%d}", k ? "," : ",\"targets\":[", target);
    }
    text_add(json, "%s}]", targets ? "]" : "");
    for (size_t k = 0; k < targets; k++) text_add(json, "%s0", k ? "," : ",\"weights\":[");
    text_add(json, "%s}", targets ? "]" : "");
}

static void add_node(Text *json, const GltfObject *object, int mesh) {
    text_add(json, "{\"name\":");
    frame_pack_text(json, object->name);
    text_add(json, ",\"mesh\":%d", mesh);
    if (object->is_rigid) {
        const float *key = object->keys.data;
        text_add(json, ",\"translation\":[%.9g,%.9g,%.9g]", (double)key[0], (double)key[1],
                 (double)key[2]);
        text_add(json, ",\"rotation\":[%.9g,%.9g,%.9g,%.9g]", (double)key[3], (double)key[4],
                 (double)key[5], (double)key[6]);
    }
    text_add(json, "}");
}

/* Columns `from` to `from + count` of the keys of a rigid body. */
static int add_columns(Gltf *gltf, const GltfObject *object, size_t from, size_t count) {
    Floats values = {0};
    for (size_t k = 0; k < key_count(gltf); k++)
        for (size_t c = 0; c < count; c++)
            add_float(gltf, &values, (double)object->keys.data[7 * k + from + c]);
    int accessor =
        gltf->failed ? NO_ACCESSOR
                     : add_accessor(gltf, values.data, key_count(gltf), count, TYPE_F32, 0, false);
    array_free(gltf->context, &values);
    return accessor;
}

/* One row a frame, a weight for each frame after the first: 1 at its own. */
static int add_weights(Gltf *gltf) {
    size_t keys = key_count(gltf);
    Floats values = {0};
    for (size_t k = 0; k < keys; k++)
        for (size_t target = 1; target < keys; target++) add_float(gltf, &values, target == k);
    int accessor = gltf->failed
                       ? NO_ACCESSOR
                       : add_accessor(gltf, values.data, keys * (keys - 1), 1, TYPE_F32, 0, false);
    array_free(gltf->context, &values);
    return accessor;
}

typedef struct Channels {
    Text samplers, channels;
    int count;
    int times, weights;
} Channels;

static void add_channel(Channels *to, int output, int node, const char *path) {
    text_add(&to->samplers, "%s{\"input\":%d,\"output\":%d}", to->count ? "," : "", to->times,
             output);
    text_add(&to->channels, "%s{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}",
             to->count ? "," : "", to->count, node, path);
    to->count++;
}

static void animate(Gltf *gltf, Channels *to, const GltfObject *object, int node) {
    if (!object->moves || key_count(gltf) < 2) return;
    if (to->times == NO_ACCESSOR)
        to->times = add_accessor(gltf, gltf->times.data, key_count(gltf), 1, TYPE_F32, 0, true);
    if (object->is_rigid) {
        add_channel(to, add_columns(gltf, object, 0, 3), node, "translation");
        add_channel(to, add_columns(gltf, object, 3, 4), node, "rotation");
        return;
    }
    if (to->weights == NO_ACCESSOR) to->weights = add_weights(gltf);
    add_channel(to, to->weights, node, "weights");
}

typedef void (*AddEntry)(Gltf *, Text *, const GltfObject *, int);

static void entry_node(Gltf *gltf, Text *json, const GltfObject *object, int i) {
    (void)gltf;
    add_node(json, object, i);
}

static void entry_material(Gltf *gltf, Text *json, const GltfObject *object, int i) {
    (void)gltf, (void)i;
    add_material(json, object);
}

static void add_list(Gltf *gltf, Text *json, const char *name, AddEntry add) {
    int count = 0;
    text_add(json, ",\"%s\":[", name);
    for (size_t i = 0; i < gltf->objects.count; i++) {
        if (!is_written(&gltf->objects.data[i])) continue;
        if (count) text_add(json, ",");
        add(gltf, json, &gltf->objects.data[i], count++);
    }
    text_add(json, "]");
}

static void add_animation(Gltf *gltf, Text *json) {
    Channels channels = {.times = NO_ACCESSOR, .weights = NO_ACCESSOR};
    text_init(&channels.samplers, gltf->context);
    text_init(&channels.channels, gltf->context);
    int node = 0;
    for (size_t i = 0; i < gltf->objects.count; i++)
        if (is_written(&gltf->objects.data[i]))
            animate(gltf, &channels, &gltf->objects.data[i], node++);
    if (channels.count > 0)
        text_add(json, ",\"animations\":[{\"name\":\"run\",\"samplers\":[%s],\"channels\":[%s]}]",
                 text_string(&channels.samplers), text_string(&channels.channels));
    gltf->failed |= channels.samplers.failed || channels.channels.failed;
    text_free(&channels.samplers);
    text_free(&channels.channels);
}

static void describe(Gltf *gltf, Text *json, int nodes) {
    text_add(json, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"Plimsoll\"},\"scene\":0,"
                   "\"scenes\":[{\"nodes\":[");
    for (int i = 0; i < nodes; i++) text_add(json, "%s%d", i ? "," : "", i);
    text_add(json, "]}]");
    add_list(gltf, json, "nodes", entry_node);
    add_list(gltf, json, "materials", entry_material);
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
        return context_fail(gltf->context, PLIM_BAD_INPUT,
                            "a glTF file holds at most 4 GB, these frames take %.1f; export fewer "
                            "(--frames A:B, --every N)",
                            (double)total * 1e-9);
    Text file;
    text_init(&file, gltf->context);
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
                    : file_write(gltf->context, path, file.bytes.data, file.bytes.count, false);
    text_free(&file);
    return status;
}

PlimStatus gltf_write(Gltf *gltf, const char *path) {
    int nodes = 0;
    for (size_t i = 0; i < gltf->objects.count; i++) nodes += is_written(&gltf->objects.data[i]);
    if (nodes == 0)
        return context_fail(gltf->context, PLIM_BAD_INPUT,
                            "there is no body to export as glTF; a liquid is exported with "
                            "--frame N, or frame by frame with --to ply");
    Text json;
    text_init(&json, gltf->context);
    describe(gltf, &json, nodes);
    PlimStatus status = write_chunks(gltf, &json, path);
    text_free(&json);
    return status;
}
