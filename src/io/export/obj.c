/* OBJ (Wavefront's text format): a file a body, liquid or set of drops and frame. */
#include "io/export/formats.h"
#include "io/export/mesh_files.h"

static void add_vertex(Text *text, const float *v) {
    text_add(text, "v %.9g %.9g %.9g\n", (double)v[0], (double)v[1], (double)v[2]);
}

static void write_points(Text *text, const FramePoints *points) {
    text_add(text, "# Plimsoll %s\n", points->name);
    for (size_t i = 0; i < points->count; i++) add_vertex(text, points->positions + 3 * i);
    for (size_t i = 0; i < points->count; i++) text_add(text, "p %zu\n", i + 1);
}

static void write_object(Text *text, const ExportObject *object, const FrameView *view) {
    const float *vertices = view->meshes[object->mesh].vertices;
    text_add(text, "# Plimsoll\no %s\n", object->name);
    for (size_t k = 0; k < object->sources.count; k++)
        add_vertex(text, vertices + 3 * (size_t)object->sources.data[k]);
    for (size_t c = 0; c < object->corners.count; c += 3) {
        const int32_t *t = object->corners.data + c;
        text_add(text, "f %d %d %d\n", t[0] + 1, t[1] + 1, t[2] + 1);
    }
}

static PlimStatus write(PlimContext *context, Text *text, const MeshFile *file) {
    (void)context;
    if (file->points)
        write_points(text, file->points);
    else if (file->object)
        write_object(text, file->object, file->view);
    else
        text_add(text, "# Plimsoll: nothing\n");
    return PLIM_OK;
}

static PlimStatus create(const ExportJob *job, void **out) {
    return mesh_files_create(job, "obj", write, out);
}

const Exporter export_obj = {"obj", create, mesh_files_add, mesh_files_finish, mesh_files_destroy};
