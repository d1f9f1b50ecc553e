/* Meshes of many objects taken apart. */
#include "io/export/objects.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

PlimStatus export_objects_add(PlimContext *context, const FrameView *view, size_t mesh,
                              ExportObjects *to) {
    const FrameMesh *from = &view->meshes[mesh];
    size_t objects = from->object_count + 1, vertices = from->vertex_count + 1;
    size_t *place = context_allocate(context, objects, sizeof *place);
    int32_t *number = context_allocate(context, vertices, sizeof *number);
    bool done = place && number && add_triangles(context, from, mesh, to, place, number);
    context_free(context, place, objects, sizeof *place);
    context_free(context, number, vertices, sizeof *number);
    return done ? PLIM_OK : PLIM_OUT_OF_MEMORY;
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

Quat export_turn(const double *pose, Quat last) {
    Quat q = quat_load(pose + 3);
    double dot = q.w * last.w + q.x * last.x + q.y * last.y + q.z * last.z;
    return dot < 0 ? (Quat){-q.w, -q.x, -q.y, -q.z} : q;
}

static double linear_from_srgb(double value) {
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

void export_linear_color(const float color[3], double linear[3]) {
    for (int c = 0; c < 3; c++) linear[c] = linear_from_srgb((double)color[c]);
}
