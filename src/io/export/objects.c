/* Meshes of many objects taken apart. */
#include "io/export/objects.h"

#include "geom/mesh/normals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Vec3 export_object_vertex(const ExportObject *object, const FrameView *view, size_t k) {
    const float *v = view->meshes[object->mesh].vertices + 3 * (size_t)object->sources.data[k];
    return vec3((double)v[0], (double)v[1], (double)v[2]);
}

Vec3 export_object_rest(const ExportObject *object, const FrameView *view, size_t k) {
    Vec3 x = export_object_vertex(object, view, k);
    if (!object->is_rigid) return x;
    const double *pose = view->meshes[object->mesh].poses + 7 * object->object;
    return quat_rotate_inverse(quat_load(pose + 3), vec3_sub(x, vec3_load(pose)));
}

/* ---- normals ---- */

static void keep_vec3(ExportFloats *to, Vec3 a) {
    to->data[to->count++] = (float)a.x;
    to->data[to->count++] = (float)a.y;
    to->data[to->count++] = (float)a.z;
}

PlimStatus export_object_corner_normals(PlimContext *context, const ExportObject *object,
                                        const FrameView *view, ExportFloats *out) {
    size_t vertices = object->sources.count, corners = object->corners.count;
    ExportFloats places = {0};
    const uint32_t *triangles = (const uint32_t *)object->corners.data; /* none is negative */
    *out = (ExportFloats){0};
    PlimStatus status = PLIM_OUT_OF_MEMORY;
    if (array_reserve(context, &places, 3 * vertices) && array_reserve(context, out, 3 * corners)) {
        for (size_t k = 0; k < vertices; k++)
            keep_vec3(&places, export_object_rest(object, view, k));
        out->count = 3 * corners;
        status = normals_smooth(context, places.data, vertices, triangles, corners / 3, out->data);
    }
    array_free(context, &places);
    if (status != PLIM_OK) array_free(context, out);
    return status;
}

static Vec3 load(const float *from) {
    return vec3((double)from[0], (double)from[1], (double)from[2]);
}

PlimStatus export_object_normals(PlimContext *context, const ExportObject *object,
                                 const FrameView *view, ExportFloats *out) {
    ExportFloats corners;
    size_t size = 3 * object->sources.count;
    const double *pose =
        object->is_rigid ? view->meshes[object->mesh].poses + 7 * object->object : NULL;
    *out = (ExportFloats){0};
    TRY(export_object_corner_normals(context, object, view, &corners));
    bool done = array_reserve(context, out, size);
    if (done) {
        memset(out->data, 0, size * sizeof *out->data);
        for (size_t c = 0; c < corners.count; c++)
            out->data[3 * (size_t)object->corners.data[c / 3] + c % 3] += corners.data[c];
        while (out->count < size) {
            Vec3 sum = vec3_normalize(load(out->data + out->count));
            keep_vec3(out, pose ? quat_rotate(quat_load(pose + 3), sum) : sum);
        }
    }
    array_free(context, &corners);
    return done ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

/* What a vertex of the object has become: a chain of new ones, each with its normal. */
typedef struct Split {
    ARRAY(int32_t) sources;
    ARRAY(int32_t) next; /* of the same old vertex; -1: none */
    ExportFloats normals;
    int32_t *first; /* of each old vertex, -1: none yet */
} Split;

/* The new vertex of corner c; -1 when memory is out. Corners that share a normal have the same bits
 * of it. */
static int32_t split_corner(PlimContext *context, const ExportObject *object, size_t c,
                            const float *normal, Split *split) {
    int32_t *link = &split->first[object->corners.data[c]];
    while (*link >= 0) {
        if (memcmp(split->normals.data + 3 * (size_t)*link, normal, 3 * sizeof *normal) == 0)
            return *link;
        link = &split->next.data[*link];
    }
    int32_t fresh = (int32_t)split->sources.count;
    *link = fresh; /* before the arrays move */
    bool done =
        array_push(context, &split->sources, object->sources.data[object->corners.data[c]]) &&
        array_push(context, &split->next, -1);
    for (int k = 0; k < 3; k++) done = done && array_push(context, &split->normals, normal[k]);
    return done ? fresh : -1;
}

PlimStatus export_object_split(PlimContext *context, ExportObject *object, const FrameView *view,
                               ExportFloats *normals) {
    ExportFloats corners;
    Split split = {0};
    size_t old = object->sources.count;
    TRY(export_object_corner_normals(context, object, view, &corners));
    split.first = context_allocate(context, old, sizeof *split.first);
    bool done = split.first != NULL;
    for (size_t k = 0; done && k < old; k++) split.first[k] = -1;
    for (size_t c = 0; done && c < object->corners.count; c++) {
        int32_t fresh = split_corner(context, object, c, corners.data + 3 * c, &split);
        done = fresh >= 0;
        if (done) object->corners.data[c] = fresh;
    }
    array_free(context, &object->sources);
    memcpy(&object->sources, &split.sources, sizeof object->sources);
    *normals = split.normals;
    array_free(context, &split.next);
    array_free(context, &corners);
    context_free(context, split.first, old, sizeof *split.first);
    return done ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

static PlimStatus find_round(PlimContext *context, ExportObject *object, const FrameView *view) {
    ExportFloats corners, means;
    TRY(export_object_corner_normals(context, object, view, &corners));
    PlimStatus status = export_object_normals(context, object, view, &means);
    const double *pose =
        object->is_rigid ? view->meshes[object->mesh].poses + 7 * object->object : NULL;
    object->is_round = true;
    for (size_t c = 0; status == PLIM_OK && c < object->corners.count; c++) {
        Vec3 own = load(corners.data + 3 * c);
        Vec3 mean = load(means.data + 3 * (size_t)object->corners.data[c]);
        if (pose) mean = quat_rotate_inverse(quat_load(pose + 3), mean);
        object->is_round &= vec3_dot(own, mean) > 0.999;
    }
    array_free(context, &corners);
    array_free(context, &means);
    return status;
}

/* ---- taking apart ---- */

static void name_object(ExportObject *object, const FrameMesh *mesh) {
    const char *name = mesh->names ? mesh->names + FRAME_NAME_CAPACITY * object->object : "";
    if (name[0])
        memcpy(object->name, name, FRAME_NAME_CAPACITY - 1);
    else if (mesh->object_count > 1)
        snprintf(object->name, sizeof object->name, "%.40s %zu", mesh->name, object->object);
    else
        frame_name_store(object->name, mesh->name);
}

static bool is_shown(const FrameMesh *mesh, size_t object) {
    return !mesh->kinds || mesh->kinds[object] != FRAME_UNBOUNDED;
}

/* `place` of an object of the mesh is where it is in `to`, `number` of a vertex that in its object.
 */
static bool add_triangles(PlimContext *context, const FrameMesh *mesh, size_t index,
                          ExportObjects *to, size_t *place, int32_t *number) {
    for (size_t i = 0; i < mesh->object_count; i++) place[i] = SIZE_MAX;
    for (size_t v = 0; v < mesh->vertex_count; v++) number[v] = -1;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        size_t own = (size_t)mesh->objects[t];
        if (!is_shown(mesh, own)) continue;
        if (place[own] == SIZE_MAX) {
            ExportObject fresh = {.mesh = index,
                                  .object = own,
                                  .is_rigid = mesh->poses != NULL,
                                  .is_smooth = mesh->smooth};
            memcpy(fresh.color, mesh->colors + 3 * own, sizeof fresh.color);
            name_object(&fresh, mesh);
            place[own] = to->count;
            if (!array_push(context, to, fresh)) return false;
        }
        ExportObject *object = &to->data[place[own]];
        for (size_t c = 0; c < 3; c++) {
            int32_t v = mesh->triangles[3 * t + c], known = number[v];
            bool is_new = known < 0 || (size_t)known >= object->sources.count ||
                          object->sources.data[known] != v;
            if (is_new) number[v] = (int32_t)object->sources.count;
            if (is_new && !array_push(context, &object->sources, v)) return false;
            if (!array_push(context, &object->corners, number[v])) return false;
        }
    }
    return true;
}

static int by_number(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Vertices into the order of the mesh, in which other programs know them. */
static void sort_sources(ExportObject *object, int32_t *number) {
    for (size_t c = 0; c < object->corners.count; c++)
        object->corners.data[c] = object->sources.data[object->corners.data[c]];
    qsort(object->sources.data, object->sources.count, sizeof *object->sources.data, by_number);
    for (size_t k = 0; k < object->sources.count; k++) number[object->sources.data[k]] = (int32_t)k;
    for (size_t c = 0; c < object->corners.count; c++)
        object->corners.data[c] = number[object->corners.data[c]];
}

PlimStatus export_objects_add(PlimContext *context, const FrameView *view, size_t mesh,
                              ExportObjects *to) {
    const FrameMesh *from = &view->meshes[mesh];
    size_t objects = from->object_count + 1, vertices = from->vertex_count + 1;
    size_t *place = context_allocate(context, objects, sizeof *place);
    int32_t *number = context_allocate(context, vertices, sizeof *number);
    size_t first = to->count;
    bool done = place && number && add_triangles(context, from, mesh, to, place, number);
    for (size_t i = first; done && i < to->count; i++) sort_sources(&to->data[i], number);
    context_free(context, place, objects, sizeof *place);
    context_free(context, number, vertices, sizeof *number);
    if (!done) return PLIM_OUT_OF_MEMORY;
    for (size_t i = first; i < to->count; i++)
        if (from->smooth) TRY(find_round(context, &to->data[i], view));
    return PLIM_OK;
}

PlimStatus export_objects_find(PlimContext *context, const FrameView *view, bool changing,
                               ExportObjects *to) {
    for (size_t i = 0; i < view->mesh_count; i++)
        if (changing || !view->meshes[i].changes) TRY(export_objects_add(context, view, i, to));
    return PLIM_OK;
}

void export_objects_free(PlimContext *context, ExportObjects *objects) {
    for (size_t i = 0; i < objects->count; i++) {
        array_free(context, &objects->data[i].sources);
        array_free(context, &objects->data[i].corners);
    }
    array_free(context, objects);
}

static bool fits(const ExportObject *object, const FrameView *view) {
    if (object->mesh >= view->mesh_count) return false;
    const FrameMesh *mesh = &view->meshes[object->mesh];
    if (object->object >= mesh->object_count || (object->is_rigid && !mesh->poses)) return false;
    for (size_t k = 0; k < object->sources.count; k++)
        if ((size_t)object->sources.data[k] >= mesh->vertex_count) return false;
    return true;
}

PlimStatus export_object_check(PlimContext *context, const ExportObject *object,
                               const FrameData *frame) {
    if (fits(object, &frame->view)) return PLIM_OK;
    return context_fail(context, PLIM_BAD_INPUT,
                        "'%s' has another shape in the frame at %g s; export frames of one run",
                        object->name, frame->time);
}

PlimStatus export_parts_update(PlimContext *context, ExportParts *parts, const FrameData *frame) {
    const FrameView *view = &frame->view;
    for (size_t i = 0; i < view->mesh_count; i++) {
        ExportObjects *objects = &parts->of[i];
        if (view->meshes[i].changes) export_objects_free(context, objects);
        if (view->meshes[i].changes || !parts->found)
            TRY(export_objects_add(context, view, i, objects));
        for (size_t k = 0; k < objects->count; k++)
            TRY(export_object_check(context, &objects->data[k], frame));
    }
    parts->found = true;
    return PLIM_OK;
}

void export_parts_free(PlimContext *context, ExportParts *parts) {
    for (size_t i = 0; i < FRAME_VIEW_CAPACITY; i++) export_objects_free(context, &parts->of[i]);
}

/* ---- turns and colours ---- */

Quat export_turn(const double *pose, Quat last) {
    Quat q = quat_load(pose + 3);
    double dot = q.w * last.w + q.x * last.x + q.y * last.y + q.z * last.z;
    return dot < 0 ? (Quat){-q.w, -q.x, -q.y, -q.z} : q;
}

unsigned char export_color_byte(float value) {
    return (unsigned char)(255.0f * (value > 1 ? 1 : value > 0 ? value : 0) + 0.5f);
}

static double linear_from_srgb(double value) {
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

void export_linear_color(const float color[3], double linear[3]) {
    for (int c = 0; c < 3; c++) linear[c] = linear_from_srgb((double)color[c]);
}
