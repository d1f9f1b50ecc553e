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

static void add_mesh_series(Text *text, const FrameMesh *mesh, const FrameList *frames,
                            double fps) {
    text_add(text, "    <Grid Name=\"%s\" GridType=\"Collection\" CollectionType=\"Temporal\">\n",
             mesh->name);
    for (size_t i = 0; i < frames->numbers.count; i++) {
        uint64_t frame = frames->numbers.data[i];
        add_frame(text, mesh, frame, (double)frame / fps);
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
        text_add(&text, "  </Domain>\n</Xdmf>\n");
        status = write_text(folder, &text);
        text_free(&text);
    }
    frame_data_free(folder->context, &sample);
    array_free(folder->context, &frames.numbers);
    return status;
}
