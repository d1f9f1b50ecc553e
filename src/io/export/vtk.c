/* VTK's XML formats: surfaces, drops and finite elements as unstructured grids (.vtu), grids as
 * image data (.vti), and for each of them a collection (.pvd) that gives frames their times. */
#include "io/export/formats.h"
#include "io/export/objects.h"
#include "io/export/vtk_file.h"
#include "io/frame_arrays.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { VTK_VERTEX = 1, VTK_TRIANGLE = 5, VTK_TETRA = 10 };

typedef ARRAY(int32_t) Integers;
typedef ARRAY(unsigned char) Bytes;

/* Files of one group of the frames, in order of time. */
typedef struct VtkSeries {
    char name[SYSTEM_NAME_CAPACITY + 32];
    Text files;
} VtkSeries;

typedef struct Vtk {
    ExportJob job;
    ExportParts parts;
    ARRAY(VtkSeries) series;
} Vtk;

static PlimStatus create(const ExportJob *job, void **out) {
    Vtk *vtk = *out = context_allocate(job->context, 1, sizeof *vtk);
    if (!vtk) return PLIM_OUT_OF_MEMORY;
    *vtk = (Vtk){.job = *job};
    return PLIM_OK;
}

static void destroy(void *exporter) {
    Vtk *vtk = exporter;
    if (!vtk) return;
    for (size_t i = 0; i < vtk->series.count; i++) text_free(&vtk->series.data[i].files);
    array_free(vtk->job.context, &vtk->series);
    export_parts_free(vtk->job.context, &vtk->parts);
    context_free(vtk->job.context, vtk, 1, sizeof *vtk);
}

/* ---- collections ---- */

static VtkSeries *series_of(Vtk *vtk, const char *name) {
    for (size_t i = 0; i < vtk->series.count; i++)
        if (strcmp(vtk->series.data[i].name, name) == 0) return &vtk->series.data[i];
    VtkSeries series;
    snprintf(series.name, sizeof series.name, "%s", name);
    text_init(&series.files, vtk->job.context);
    return array_push(vtk->job.context, &vtk->series, series)
               ? &vtk->series.data[vtk->series.count - 1]
               : NULL;
}

/* The path of the group's file of this frame, which is put on the list. */
static PlimStatus list_file(Vtk *vtk, const char *name, const char *ending, const FrameData *frame,
                            char path[PATH_CAPACITY]) {
    VtkSeries *series = series_of(vtk, name);
    if (!series) return PLIM_OUT_OF_MEMORY;
    text_add(&series->files,
             "    <DataSet timestep=\"%.17g\" part=\"0\" file=\"%s_%05" PRIu64 ".%s\"/>\n",
             frame->time, name, frame->frame, ending);
    return export_file_path(&vtk->job, name, frame->frame, ending, path);
}

static PlimStatus write_collection(const Vtk *vtk, const VtkSeries *series) {
    char path[PATH_CAPACITY], name[SYSTEM_NAME_CAPACITY + 40];
    snprintf(name, sizeof name, "%s.pvd", series->name);
    TRY(path_join(vtk->job.context, vtk->job.folder, name, path));
    Text text;
    text_init(&text, vtk->job.context);
    text_add(&text, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
                    "byte_order=\"LittleEndian\">\n  <Collection>\n");
    text_add_bytes(&text, text_string(&series->files), series->files.bytes.count);
    text_add(&text, "  </Collection>\n</VTKFile>\n");
    PlimStatus status =
        text.failed || series->files.failed
            ? PLIM_OUT_OF_MEMORY
            : file_write(vtk->job.context, path, text_string(&text), text.bytes.count, false);
    text_free(&text);
    return status;
}

/* ---- unstructured grids ---- */

/* Cells of one type; their values are added behind. */
typedef struct VtkCells {
    size_t points, cells, corners; /* corners of a cell */
    const float *places, *velocities;
    const int32_t *connectivity;
    int type;
} VtkCells;

static void add_time(VtkFile *file, double time) {
    text_add(&file->head,
             "    <FieldData>\n        <DataArray type=\"Float64\" Name=\"TimeValue\" "
             "NumberOfTuples=\"1\" format=\"ascii\">%.17g</DataArray>\n",
             time);
}

static void add_floats(VtkFile *file, const char *name, size_t columns, const float *values,
                       size_t rows) {
    if (values) vtk_file_add(file, "Float32", name, columns, values, 4 * columns * rows);
}

static PlimStatus add_cells(VtkFile *file, PlimContext *context, const VtkCells *cells) {
    size_t count = cells->cells;
    int32_t *ends = context_allocate(context, count, sizeof *ends);
    unsigned char *types = context_allocate(context, count, 1);
    for (size_t i = 0; ends && i < count; i++) ends[i] = (int32_t)(cells->corners * (i + 1));
    if (types) memset(types, cells->type, count);
    if (ends && types) {
        text_add(&file->head, "      <Cells>\n");
        vtk_file_add(file, "Int32", "connectivity", 1, cells->connectivity,
                     4 * cells->corners * count);
        vtk_file_add(file, "Int32", "offsets", 1, ends, 4 * count);
        vtk_file_add(file, "UInt8", "types", 1, types, count);
        text_add(&file->head, "      </Cells>\n");
    }
    bool done = ends && types;
    context_free(context, ends, count, sizeof *ends);
    context_free(context, types, count, 1);
    return done ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

/* Places and cells; then the head is where values of points may be added. */
static PlimStatus begin_piece(VtkFile *file, PlimContext *context, const VtkCells *cells) {
    text_add(&file->head,
             "    </FieldData>\n    <Piece NumberOfPoints=\"%zu\" "
             "NumberOfCells=\"%zu\">\n      <Points>\n",
             cells->points, cells->cells);
    vtk_file_add(file, "Float32", "position", 3, cells->places, 12 * cells->points);
    text_add(&file->head, "      </Points>\n");
    TRY(add_cells(file, context, cells));
    text_add(&file->head, "      <PointData Vectors=\"velocity\">\n");
    add_floats(file, "velocity", 3, cells->velocities, cells->points);
    return PLIM_OK;
}

static void begin_grid(VtkFile *file, PlimContext *context, double time) {
    vtk_file_begin(file, context, "UnstructuredGrid", false);
    text_add(&file->head, "  <UnstructuredGrid>\n");
    add_time(file, time);
}

/* ---- surfaces ---- */

/* The bodies of a mesh behind one another. */
typedef struct VtkSurface {
    ExportFloats places, velocities, stretch, stress;
    Integers corners, objects;
    Bytes colors;
    bool failed;
} VtkSurface;

static void free_surface(PlimContext *context, VtkSurface *s) {
    array_free(context, &s->places);
    array_free(context, &s->velocities);
    array_free(context, &s->stretch);
    array_free(context, &s->stress);
    array_free(context, &s->corners);
    array_free(context, &s->objects);
    array_free(context, &s->colors);
}

static void take(PlimContext *context, VtkSurface *s, ExportFloats *to, const float *values,
                 size_t columns) {
    for (size_t c = 0; values && c < columns; c++) s->failed |= !array_push(context, to, values[c]);
}

static void take_object(PlimContext *context, VtkSurface *s, const ExportObject *object,
                        const FrameMesh *mesh) {
    int32_t first = (int32_t)(s->places.count / 3);
    for (size_t k = 0; k < object->sources.count; k++) {
        size_t v = (size_t)object->sources.data[k];
        take(context, s, &s->places, mesh->vertices + 3 * v, 3);
        take(context, s, &s->velocities, mesh->velocities + 3 * v, 3);
        take(context, s, &s->stretch, mesh->stretch ? mesh->stretch + v : NULL, 1);
        take(context, s, &s->stress, mesh->stress ? mesh->stress + v : NULL, 1);
    }
    for (size_t c = 0; c < object->corners.count; c++) {
        s->failed |= !array_push(context, &s->corners, first + object->corners.data[c]);
        s->failed |= !array_push(context, &s->colors, export_color_byte(object->color[c % 3]));
        if (c % 3 == 0) s->failed |= !array_push(context, &s->objects, (int32_t)object->object);
    }
}

/* Names of bodies are fields, whose value is the body's number: what every reader can tell. */
static void add_names(VtkFile *file, const ExportObjects *objects) {
    for (size_t i = 0; i < objects->count; i++)
        text_add(&file->head,
                 "        <DataArray type=\"Int32\" Name=\"object.%s\" NumberOfTuples=\"1\" "
                 "format=\"ascii\">%zu</DataArray>\n",
                 objects->data[i].name, objects->data[i].object);
}

static PlimStatus write_surface(PlimContext *context, const FrameMesh *mesh,
                                const ExportObjects *objects, double time, const char *path) {
    VtkSurface s = {0};
    VtkFile file;
    for (size_t i = 0; i < objects->count && !s.failed; i++)
        take_object(context, &s, &objects->data[i], mesh);
    size_t points = s.places.count / 3, triangles = s.objects.count;
    VtkCells cells = {points,         triangles,   3, s.places.data, s.velocities.data,
                      s.corners.data, VTK_TRIANGLE};
    begin_grid(&file, context, time);
    add_names(&file, objects);
    PlimStatus status = s.failed ? PLIM_OUT_OF_MEMORY : begin_piece(&file, context, &cells);
    add_floats(&file, "stretch", 1, mesh->stretch ? s.stretch.data : NULL, points);
    add_floats(&file, "stress", 1, mesh->stress ? s.stress.data : NULL, points);
    text_add(&file.head, "      </PointData>\n      <CellData Scalars=\"object\">\n");
    vtk_file_add(&file, "Int32", "object", 1, s.objects.data, 4 * triangles);
    vtk_file_add(&file, "UInt8", "color", 3, s.colors.data, 3 * triangles);
    text_add(&file.head, "      </CellData>\n    </Piece>\n");
    free_surface(context, &s);
    file.head.failed |= status != PLIM_OK;
    return vtk_file_write(&file, "UnstructuredGrid", path);
}

/* ---- contacts ---- */

/* As points with normals and forces, named after the mesh. */
static PlimStatus write_contacts(PlimContext *context, const FrameMesh *mesh, double time,
                                 const char *path) {
    size_t count = mesh->contact_count;
    float *places = context_allocate(context, 3 * count, sizeof *places);
    int32_t *own = context_allocate(context, count, sizeof *own);
    for (size_t i = 0; places && i < 3 * count; i++) places[i] = (float)mesh->contact_points[i];
    for (size_t i = 0; own && i < count; i++) own[i] = (int32_t)i;
    bool has_memory = places && own;
    VtkCells cells = {count, count, 1, places, NULL, own, VTK_VERTEX};
    VtkFile file;
    begin_grid(&file, context, time);
    file.head.failed |= !has_memory || begin_piece(&file, context, &cells) != PLIM_OK;
    vtk_file_add(&file, "Float64", "normal", 3, mesh->contact_normals, 24 * count);
    vtk_file_add(&file, "Float64", "force", 3, mesh->contact_forces, 24 * count);
    vtk_file_add(&file, "Int32", "objects", 2, mesh->contact_objects, 8 * count);
    text_add(&file.head, "      </PointData>\n    </Piece>\n");
    context_free(context, places, 3 * count, sizeof *places);
    context_free(context, own, count, sizeof *own);
    return vtk_file_write(&file, "UnstructuredGrid", path);
}

static PlimStatus add_contacts(Vtk *vtk, const FrameMesh *mesh, const FrameData *frame) {
    char path[PATH_CAPACITY], name[SYSTEM_NAME_CAPACITY];
    if (!mesh->contact_points) return PLIM_OK;
    snprintf(name, sizeof name, "%.*s_contacts", (int)sizeof name - 10, mesh->name);
    TRY(list_file(vtk, name, "vtu", frame, path));
    return write_contacts(vtk->job.context, mesh, frame->time, path);
}

/* ---- drops and elements ---- */

static PlimStatus write_points(PlimContext *context, const FramePoints *points, double time,
                               const char *path) {
    size_t count = points->count;
    int32_t *own = context_allocate(context, count, sizeof *own);
    if (!own) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) own[i] = (int32_t)i;
    VtkCells cells = {count, count, 1, points->positions, points->velocities, own, VTK_VERTEX};
    VtkFile file;
    begin_grid(&file, context, time);
    file.head.failed |= begin_piece(&file, context, &cells) != PLIM_OK;
    vtk_file_add(&file, "Float32", "radius", 1, points->radii, 4 * count);
    text_add(&file.head, "      </PointData>\n    </Piece>\n");
    context_free(context, own, count, sizeof *own);
    return vtk_file_write(&file, "UnstructuredGrid", path);
}

static PlimStatus write_elements(PlimContext *context, const FrameElements *e, double time,
                                 const char *path) {
    bool are_tets = e->tetrahedra != NULL;
    VtkCells cells = {e->node_count,
                      e->element_count,
                      are_tets ? 4 : 3,
                      e->nodes,
                      e->velocities,
                      are_tets ? e->tetrahedra : e->triangles,
                      are_tets ? VTK_TETRA : VTK_TRIANGLE};
    VtkFile file;
    begin_grid(&file, context, time);
    file.head.failed |= begin_piece(&file, context, &cells) != PLIM_OK;
    text_add(&file.head, "      </PointData>\n      <CellData Scalars=\"object\">\n");
    vtk_file_add(&file, "Int32", "object", 1, e->objects, 4 * e->element_count);
    add_floats(&file, "stretch", 1, e->stretch, e->element_count);
    add_floats(&file, "stress", 1, e->stress, e->element_count);
    text_add(&file.head, "      </CellData>\n    </Piece>\n");
    return vtk_file_write(&file, "UnstructuredGrid", path);
}

/* ---- image data ---- */

/* In two dimensions the cells are squares: no extent across the plane. */
static void begin_image(VtkFile *file, const FrameVolume *volume, bool z_up, double time) {
    int n[3] = {volume->n[0], volume->n[1], volume->n[2]};
    char extent[96];
    if (volume->dim == 2) n[z_up ? 1 : 2] = 0;
    snprintf(extent, sizeof extent, "0 %d 0 %d 0 %d", n[0], n[1], n[2]);
    text_add(&file->head,
             "  <ImageData WholeExtent=\"%s\" Origin=\"%.17g %.17g %.17g\" "
             "Spacing=\"%.17g %.17g %.17g\">\n",
             extent, volume->origin[0], volume->origin[1], volume->origin[2], volume->spacing,
             volume->spacing, volume->spacing);
    add_time(file, time);
    text_add(&file->head,
             "    </FieldData>\n    <Piece Extent=\"%s\">\n"
             "      <CellData Scalars=\"pressure\" Vectors=\"velocity\">\n",
             extent);
}

static PlimStatus write_volume(const ExportJob *job, const FrameVolume *volume, double time,
                               const char *path) {
    FrameGroup group = frame_volume_group(volume);
    VtkFile file;
    vtk_file_begin(&file, job->context, "ImageData", true);
    begin_image(&file, volume, job->z_up, time);
    for (size_t i = 0; i < group.array_count; i++) {
        const FrameArray *array = &group.arrays[i];
        const void *values = frame_array_values(&group, array);
        if (values)
            vtk_file_add(&file, array->type == H5_F32 ? "Float32" : "Int32", array->name,
                         array->columns, values,
                         4 * array->columns * frame_array_rows(&group, array));
    }
    text_add(&file.head, "      </CellData>\n    </Piece>\n");
    return vtk_file_write(&file, "ImageData", path);
}

/* ---- the exporter ---- */

static PlimStatus add(void *exporter, const FrameData *frame) {
    Vtk *vtk = exporter;
    PlimContext *context = vtk->job.context;
    const FrameView *view = &frame->view;
    char path[PATH_CAPACITY];
    TRY(export_parts_update(context, &vtk->parts, frame));
    for (size_t i = 0; i < view->mesh_count; i++) {
        const FrameMesh *mesh = &view->meshes[i];
        TRY(add_contacts(vtk, mesh, frame));
        if (!mesh->changes && vtk->parts.of[i].count == 0) continue; /* ground alone */
        TRY(list_file(vtk, mesh->name, "vtu", frame, path));
        TRY(write_surface(context, mesh, &vtk->parts.of[i], frame->time, path));
    }
    for (size_t i = 0; i < view->points_count; i++) {
        TRY(list_file(vtk, view->points[i].name, "vtu", frame, path));
        TRY(write_points(context, &view->points[i], frame->time, path));
    }
    for (size_t i = 0; i < view->elements_count; i++) {
        TRY(list_file(vtk, view->elements[i].name, "vtu", frame, path));
        TRY(write_elements(context, &view->elements[i], frame->time, path));
    }
    for (size_t i = 0; i < view->volume_count; i++) {
        TRY(list_file(vtk, view->volumes[i].name, "vti", frame, path));
        TRY(write_volume(&vtk->job, &view->volumes[i], frame->time, path));
    }
    return PLIM_OK;
}

static PlimStatus finish(void *exporter, char path[PATH_CAPACITY]) {
    Vtk *vtk = exporter;
    if (vtk->series.count == 0)
        return context_fail(vtk->job.context, PLIM_BAD_INPUT,
                            "there is nothing to export: the frames hold no bodies and no fluid");
    for (size_t i = 0; i < vtk->series.count; i++) TRY(write_collection(vtk, &vtk->series.data[i]));
    snprintf(path, PATH_CAPACITY, "%s", vtk->job.folder);
    return PLIM_OK;
}

const Exporter export_vtk = {"vtk", create, add, finish, destroy};
