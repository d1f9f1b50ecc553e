/* frames.xdmf: a table of contents of the frames that ParaView opens. */
#include "io/run_folder.h"

#include <inttypes.h>
#include <stdio.h>

static void add_data_item(Text *text, const char *indent, size_t rows, size_t columns,
                          const char *type, const char *file, const char *group, const char *name) {
    text_add(text,
             "%s<DataItem Dimensions=\"%zu %zu\" NumberType=\"%s\" Precision=\"4\" "
             "Format=\"HDF\">%s:/%s/%s</DataItem>\n",
             indent, rows, columns, type, file, group, name);
}

static void add_frame(Text *text, const FrameMesh *mesh, uint64_t frame, double time) {
    static const char indent[] = "          ";
    char file[FILE_NAME_CAPACITY];
    snprintf(file, sizeof file, "frame_%05" PRIu64 ".h5", frame);
    text_add(text, "      <Grid Name=\"%s\" GridType=\"Uniform\">\n", mesh->name);
    text_add(text, "        <Time Value=\"%.17g\"/>\n", time);
    text_add(text, "        <Topology TopologyType=\"Triangle\" NumberOfElements=\"%zu\">\n",
             mesh->triangle_count);
    add_data_item(text, indent, mesh->triangle_count, 3, "Int", SHAPES_FILE, mesh->name,
                  "triangles");
    text_add(text, "        </Topology>\n        <Geometry GeometryType=\"XYZ\">\n");
    add_data_item(text, indent, mesh->vertex_count, 3, "Float", file, mesh->name, "vertices");
    text_add(text, "        </Geometry>\n"
                   "        <Attribute Name=\"velocity\" AttributeType=\"Vector\" "
                   "Center=\"Node\">\n");
    add_data_item(text, indent, mesh->vertex_count, 3, "Float", file, mesh->name, "velocities");
    text_add(text, "        </Attribute>\n"
                   "        <Attribute Name=\"object\" AttributeType=\"Scalar\" "
                   "Center=\"Cell\">\n");
    add_data_item(text, indent, mesh->triangle_count, 1, "Int", SHAPES_FILE, mesh->name, "objects");
    text_add(text, "        </Attribute>\n      </Grid>\n");
}

static void begin_series(Text *text, const char *name) {
    text_add(text, "    <Grid Name=\"%s\" GridType=\"Collection\" CollectionType=\"Temporal\">\n",
             name);
}

static void add_mesh_series(Text *text, const FrameMesh *mesh, const FrameList *frames,
                            double fps) {
    begin_series(text, mesh->name);
    for (size_t i = 0; i < frames->numbers.count; i++) {
        uint64_t frame = frames->numbers.data[i];
        add_frame(text, mesh, frame, (double)frame / fps);
    }
    text_add(text, "    </Grid>\n");
}

/* Values of a grid's cells: [z][y][x], with `components` at the end. */
static void add_cell_values(Text *text, const FrameVolume *volume, const char *name,
                            const char *type, const char *file, size_t components) {
    text_add(text,
             "        <Attribute Name=\"%s\" AttributeType=\"%s\" Center=\"Cell\">\n"
             "          <DataItem Dimensions=\"%d %d %d",
             name, components == 3 ? "Vector" : "Scalar", volume->n[2], volume->n[1], volume->n[0]);
    if (components > 1) text_add(text, " %zu", components);
    text_add(text,
             "\" NumberType=\"%s\" Precision=\"4\" Format=\"HDF\">%s:/%s/%s</DataItem>\n"
             "        </Attribute>\n",
             type, file, volume->name, name);
}

static void add_volume_frame(Text *text, const FrameVolume *volume, uint64_t frame, double time) {
    char file[FILE_NAME_CAPACITY];
    snprintf(file, sizeof file, "frame_%05" PRIu64 ".h5", frame);
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
    add_cell_values(text, volume, "velocity", "Float", file, 3);
    add_cell_values(text, volume, "pressure", "Float", file, 1);
    if (volume->smoke) add_cell_values(text, volume, "smoke", "Float", file, 1);
    if (volume->temperature) add_cell_values(text, volume, "temperature", "Float", file, 1);
    add_cell_values(text, volume, "solid", "Int", volume->solid_moves ? file : SHAPES_FILE, 1);
    text_add(text, "      </Grid>\n");
}

static void add_volume_series(Text *text, const FrameVolume *volume, const FrameList *frames,
                              double fps) {
    begin_series(text, volume->name);
    for (size_t i = 0; i < frames->numbers.count; i++) {
        uint64_t frame = frames->numbers.data[i];
        add_volume_frame(text, volume, frame, (double)frame / fps);
    }
    text_add(text, "    </Grid>\n");
}

static PlimStatus write_text(RunFolder *folder, const Text *text) {
    char path[PATH_CAPACITY];
    if (text->failed) return PLIM_OUT_OF_MEMORY;
    TRY(path_join(folder->context, folder->path, "frames.xdmf", path));
    return file_write(folder->context, path, text_string(text), text->bytes.count, false);
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
        for (size_t i = 0; i < sample.view.mesh_count; i++)
            add_mesh_series(&text, &sample.view.meshes[i], &frames, fps);
        for (size_t i = 0; i < sample.view.volume_count; i++)
            add_volume_series(&text, &sample.view.volumes[i], &frames, fps);
        text_add(&text, "  </Domain>\n</Xdmf>\n");
        status = write_text(folder, &text);
        text_free(&text);
    }
    frame_data_free(folder->context, &sample);
    array_free(folder->context, &frames.numbers);
    return status;
}
