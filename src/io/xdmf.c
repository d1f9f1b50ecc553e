/* XDMF, frames.xdmf: a table of contents of the frames that ParaView opens. */
#include "io/frame_arrays.h"
#include "io/run_folder.h"

#include <inttypes.h>
#include <stdio.h>

static const char *number_type(const FrameArray *array) {
    return array->type == H5_F32 ? "Float" : "Int";
}

static void add_data_item(Text *text, const FrameGroup *group, size_t which, const char *file) {
    const FrameArray *array = &group->arrays[which];
    text_add(text,
             "          <DataItem Dimensions=\"%zu %zu\" NumberType=\"%s\" Precision=\"4\" "
             "Format=\"HDF\">%s:/%s/%s</DataItem>\n",
             frame_array_rows(group, array), array->columns, number_type(array), file, group->name,
             array->name);
}

static void add_attribute(Text *text, const FrameGroup *group, size_t which, const char *file,
                          const char *name, const char *type, const char *center) {
    text_add(text, "        <Attribute Name=\"%s\" AttributeType=\"%s\" Center=\"%s\">\n", name,
             type, center);
    add_data_item(text, group, which, file);
    text_add(text, "        </Attribute>\n");
}

static void add_mesh_frame(Text *text, const FrameMesh *mesh, const char *file, double time) {
    FrameGroup group = frame_mesh_group(mesh);
    const char *shape_file = mesh->changes ? file : SHAPES_FILE;
    if (mesh->still) file = SHAPES_FILE;
    text_add(text, "      <Grid Name=\"%s\" GridType=\"Uniform\">\n", mesh->name);
    text_add(text, "        <Time Value=\"%.17g\"/>\n", time);
    text_add(text, "        <Topology TopologyType=\"Triangle\" NumberOfElements=\"%zu\">\n",
             mesh->triangle_count);
    add_data_item(text, &group, MESH_TRIANGLES, shape_file);
    text_add(text, "        </Topology>\n        <Geometry GeometryType=\"XYZ\">\n");
    add_data_item(text, &group, MESH_VERTICES, file);
    text_add(text, "        </Geometry>\n");
    add_attribute(text, &group, MESH_VELOCITIES, file, "velocity", "Vector", "Node");
    add_attribute(text, &group, MESH_OBJECTS, shape_file, "object", "Scalar", "Cell");
    for (size_t which = MESH_STRETCH; which <= MESH_STRESS; which++)
        if (frame_array_values(&group, &group.arrays[which]))
            add_attribute(text, &group, which, file, group.arrays[which].name, "Scalar", "Node");
    text_add(text, "      </Grid>\n");
}

static void add_points_frame(Text *text, const FramePoints *points, const char *file, double time) {
    FrameGroup group = frame_points_group(points);
    text_add(text,
             "      <Grid Name=\"%s\" GridType=\"Uniform\">\n"
             "        <Time Value=\"%.17g\"/>\n"
             "        <Topology TopologyType=\"Polyvertex\" NumberOfElements=\"%zu\" "
             "NodesPerElement=\"1\"/>\n"
             "        <Geometry GeometryType=\"XYZ\">\n",
             points->name, time, points->count);
    add_data_item(text, &group, POINTS_POSITIONS, file);
    text_add(text, "        </Geometry>\n");
    add_attribute(text, &group, POINTS_VELOCITIES, file, "velocity", "Vector", "Node");
    add_attribute(text, &group, POINTS_RADII, file, "radius", "Scalar", "Node");
    text_add(text, "      </Grid>\n");
}

static void add_elements_frame(Text *text, const FrameElements *elements, const char *file,
                               double time) {
    FrameGroup group = frame_elements_group(elements);
    bool are_tets = elements->tetrahedra != NULL;
    text_add(text,
             "      <Grid Name=\"%s\" GridType=\"Uniform\">\n"
             "        <Time Value=\"%.17g\"/>\n"
             "        <Topology TopologyType=\"%s\" NumberOfElements=\"%zu\">\n",
             elements->name, time, are_tets ? "Tetrahedron" : "Triangle", elements->element_count);
    add_data_item(text, &group, are_tets ? ELEMENTS_TETRAHEDRA : ELEMENTS_TRIANGLES, SHAPES_FILE);
    text_add(text, "        </Topology>\n        <Geometry GeometryType=\"XYZ\">\n");
    add_data_item(text, &group, ELEMENTS_NODES, file);
    text_add(text, "        </Geometry>\n");
    add_attribute(text, &group, ELEMENTS_VELOCITIES, file, "velocity", "Vector", "Node");
    add_attribute(text, &group, ELEMENTS_STRETCH, file, "stretch", "Scalar", "Cell");
    add_attribute(text, &group, ELEMENTS_STRESS, file, "stress", "Scalar", "Cell");
    add_attribute(text, &group, ELEMENTS_OBJECTS, SHAPES_FILE, "object", "Scalar", "Cell");
    text_add(text, "      </Grid>\n");
}

static void begin_series(Text *text, const char *name) {
    text_add(text, "    <Grid Name=\"%s\" GridType=\"Collection\" CollectionType=\"Temporal\">\n",
             name);
}

static void end_series(Text *text) {
    text_add(text, "    </Grid>\n");
}

static void frame_name(uint64_t frame, char name[FILE_NAME_CAPACITY]) {
    snprintf(name, FILE_NAME_CAPACITY, "frame_%05" PRIu64 ".h5", frame);
}

/* The parts of one moment: none, where there is nothing. Readers take no empty grid. */
static void begin_moment(Text *text, const char *name, double time) {
    text_add(text,
             "      <Grid Name=\"%s\" GridType=\"Collection\" CollectionType=\"Spatial\">\n"
             "        <Time Value=\"%.17g\"/>\n",
             name, time);
}

static void add_mesh_series(Text *text, const FrameMesh *mesh, const FrameList *frames,
                            double fps) {
    begin_series(text, mesh->name);
    for (size_t i = 0; i < frames->numbers.count; i++) {
        uint64_t frame = frames->numbers.data[i];
        char file[FILE_NAME_CAPACITY];
        frame_name(frame, file);
        add_mesh_frame(text, mesh, file, (double)frame / fps);
    }
    end_series(text);
}

static void add_elements_series(Text *text, const FrameElements *elements, const FrameList *frames,
                                double fps) {
    begin_series(text, elements->name);
    for (size_t i = 0; i < frames->numbers.count; i++) {
        uint64_t frame = frames->numbers.data[i];
        char file[FILE_NAME_CAPACITY];
        frame_name(frame, file);
        add_elements_frame(text, elements, file, (double)frame / fps);
    }
    end_series(text);
}

/* Of what has another size in every frame: a mesh, or points when `mesh` is NULL. */
static PlimStatus add_changing_series(RunFolder *folder, Text *text, const FrameMesh *mesh,
                                      const char *name, const FrameList *frames, double fps) {
    begin_series(text, name);
    for (size_t i = 0; i < frames->numbers.count; i++) {
        uint64_t frame = frames->numbers.data[i];
        double time = (double)frame / fps;
        char file[FILE_NAME_CAPACITY], path[PATH_CAPACITY];
        FrameSizes sizes;
        frame_name(frame, file);
        TRY(path_join(folder->context, folder->path, file, path));
        TRY(frame_file_sizes(folder->context, path, name, &sizes));
        begin_moment(text, name, time);
        if (mesh && sizes.triangles > 0) {
            FrameMesh now = *mesh;
            now.vertex_count = sizes.vertices;
            now.triangle_count = sizes.triangles;
            add_mesh_frame(text, &now, file, time);
        }
        FramePoints points = {.name = name, .count = sizes.points};
        if (sizes.points > 0) add_points_frame(text, &points, file, time);
        text_add(text, "      </Grid>\n");
    }
    end_series(text);
    return PLIM_OK;
}

/* Values of a grid's cells: [z][y][x], with components at the end. */
static void add_cell_values(Text *text, const FrameVolume *volume, const FrameArray *array,
                            const char *file) {
    text_add(text,
             "        <Attribute Name=\"%s\" AttributeType=\"%s\" Center=\"Cell\">\n"
             "          <DataItem Dimensions=\"%d %d %d",
             array->name, array->columns == 3 ? "Vector" : "Scalar", volume->n[2], volume->n[1],
             volume->n[0]);
    if (array->columns > 1) text_add(text, " %zu", array->columns);
    text_add(text,
             "\" NumberType=\"%s\" Precision=\"4\" Format=\"HDF\">%s:/%s/%s</DataItem>\n"
             "        </Attribute>\n",
             number_type(array), file, volume->name, array->name);
}

static void add_volume_frame(Text *text, const FrameVolume *volume, uint64_t frame, double time) {
    char file[FILE_NAME_CAPACITY];
    frame_name(frame, file);
    double depth = volume->dim == 3 ? volume->spacing : 1.0;
    text_add(text,
             "      <Grid Name=\"%s\" GridType=\"Uniform\">\n"
             "        <Time Value=\"%.17g\"/>\n"
             "        <Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"%d %d %d\"/>\n"
             "        <Geometry GeometryType=\"ORIGIN_DXDYDZ\">\n",
             volume->name, time, volume->n[2] + 1, volume->n[1] + 1, volume->n[0] + 1);
    text_add(text,
             "          <DataItem Dimensions=\"3\" Format=\"XML\">%.17g %.17g %.17g</DataItem>\n"
             "          <DataItem Dimensions=\"3\" Format=\"XML\">%.17g %.17g %.17g</DataItem>\n"
             "        </Geometry>\n",
             volume->origin[2], volume->origin[1], volume->origin[0], depth, volume->spacing,
             volume->spacing);
    FrameGroup group = frame_volume_group(volume);
    for (size_t i = 0; i < group.array_count; i++) {
        const FrameArray *array = &group.arrays[i];
        bool in_shapes = frame_array_is_fixed(&group, array);
        if (frame_array_values(&group, array))
            add_cell_values(text, volume, array, in_shapes ? SHAPES_FILE : file);
    }
    text_add(text, "      </Grid>\n");
}

static void add_volume_series(Text *text, const FrameVolume *volume, const FrameList *frames,
                              double fps) {
    begin_series(text, volume->name);
    for (size_t i = 0; i < frames->numbers.count; i++) {
        uint64_t frame = frames->numbers.data[i];
        add_volume_frame(text, volume, frame, (double)frame / fps);
    }
    end_series(text);
}

static PlimStatus write_text(RunFolder *folder, const Text *text) {
    char path[PATH_CAPACITY];
    if (text->failed) return PLIM_OUT_OF_MEMORY;
    TRY(path_join(folder->context, folder->path, "frames.xdmf", path));
    return file_write(folder->context, path, text_string(text), text->bytes.count, false);
}

/* `sample` is one of the frames. */
static PlimStatus add_series(RunFolder *folder, Text *text, const FrameView *sample,
                             const FrameList *frames, double fps) {
    for (size_t i = 0; i < sample->mesh_count; i++) {
        const FrameMesh *mesh = &sample->meshes[i];
        if (mesh->changes)
            TRY(add_changing_series(folder, text, mesh, mesh->name, frames, fps));
        else
            add_mesh_series(text, mesh, frames, fps);
    }
    for (size_t i = 0; i < sample->elements_count; i++)
        add_elements_series(text, &sample->elements[i], frames, fps);
    for (size_t i = 0; i < sample->points_count; i++)
        TRY(add_changing_series(folder, text, NULL, sample->points[i].name, frames, fps));
    for (size_t i = 0; i < sample->volume_count; i++)
        add_volume_series(text, &sample->volumes[i], frames, fps);
    return PLIM_OK;
}

PlimStatus run_folder_write_index(RunFolder *folder, double fps) {
    FrameList frames;
    TRY(run_folder_list(folder, "frame", &frames));
    FrameData sample = {0};
    PlimStatus status = PLIM_OK;
    if (frames.numbers.count > 0)
        status =
            run_folder_load_frame(folder, frames.numbers.data[frames.numbers.count - 1], &sample);
    if (status == PLIM_OK) {
        Text text;
        text_init(&text, folder->context);
        text_add(&text, "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n  <Domain>\n");
        status = add_series(folder, &text, &sample.view, &frames, fps);
        text_add(&text, "  </Domain>\n</Xdmf>\n");
        if (status == PLIM_OK) status = write_text(folder, &text);
        text_free(&text);
    }
    frame_data_free(folder->context, &sample);
    array_free(folder->context, &frames.numbers);
    return status;
}
