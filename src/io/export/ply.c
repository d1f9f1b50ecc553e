/* PLY (Stanford's polygon format), binary: a file a body, liquid or set of drops and frame. */
#include "io/export/formats.h"
#include "io/export/mesh_files.h"

#include <string.h>

static void add_point(Text *text, const float *places, const float *velocities, size_t v) {
    text_add_bytes(text, places + 3 * v, 12);
    text_add_bytes(text, velocities + 3 * v, 12);
}

static void begin(Text *text, const char *name, size_t count) {
    text_add(text,
             "ply\nformat binary_little_endian 1.0\ncomment Plimsoll %s\n"
             "element vertex %zu\nproperty float x\nproperty float y\nproperty float z\n"
             "property float vx\nproperty float vy\nproperty float vz\n",
             name, count);
}

static void write_points(Text *text, const FramePoints *points) {
    begin(text, points->name, points->count);
    text_add(text, "property float radius\nend_header\n");
    for (size_t i = 0; i < points->count; i++) {
        add_point(text, points->positions, points->velocities, i);
        text_add_bytes(text, points->radii + i, 4);
    }
}

static void add_vertices(Text *text, const ExportObject *object, const FrameMesh *mesh,
                         const float *normals) {
    unsigned char color[3];
    for (int c = 0; c < 3; c++) color[c] = export_color_byte(object->color[c]);
    for (size_t k = 0; k < object->sources.count; k++) {
        size_t v = (size_t)object->sources.data[k];
        add_point(text, mesh->vertices, mesh->velocities, v);
        if (normals) text_add_bytes(text, normals + 3 * k, 12);
        if (mesh->stretch) text_add_bytes(text, mesh->stretch + v, 4);
        if (mesh->stress) text_add_bytes(text, mesh->stress + v, 4);
        text_add_bytes(text, color, 3);
    }
}

/* Normals where one a vertex is enough: not of what has edges. */
static PlimStatus write_object(PlimContext *context, Text *text, const ExportObject *object,
                               const FrameView *view) {
    const FrameMesh *mesh = &view->meshes[object->mesh];
    bool has_normals = object->is_round || (mesh->changes && object->is_smooth);
    ExportFloats normals = {0};
    if (has_normals) TRY(export_object_normals(context, object, view, &normals));
    begin(text, object->name, object->sources.count);
    if (has_normals) text_add(text, "property float nx\nproperty float ny\nproperty float nz\n");
    if (mesh->stretch) text_add(text, "property float stretch\n");
    if (mesh->stress) text_add(text, "property float stress\n");
    text_add(text,
             "property uchar red\nproperty uchar green\nproperty uchar blue\n"
             "element face %zu\nproperty list uchar int vertex_indices\nend_header\n",
             object->corners.count / 3);
    add_vertices(text, object, mesh, normals.data);
    for (size_t c = 0; c < object->corners.count; c += 3) {
        text_add_bytes(text, "\3", 1);
        text_add_bytes(text, object->corners.data + c, 12);
    }
    array_free(context, &normals);
    return PLIM_OK;
}

static PlimStatus write(PlimContext *context, Text *text, const MeshFile *file) {
    if (file->object) return write_object(context, text, file->object, file->view);
    if (file->points) {
        write_points(text, file->points);
    } else {
        begin(text, "nothing", 0);
        text_add(text, "element face 0\nproperty list uchar int vertex_indices\nend_header\n");
    }
    return PLIM_OK;
}

static PlimStatus create(const ExportJob *job, void **out) {
    return mesh_files_create(job, "ply", write, out);
}

const Exporter export_ply = {"ply", create, mesh_files_add, mesh_files_finish, mesh_files_destroy};
