/* VTK's XML files with appended values, each behind its size in bytes. */
#include "io/export/vtk_file.h"

#include "base/file.h"

#include <string.h>

void vtk_file_begin(VtkFile *file, PlimContext *context, const char *type, bool is_raw) {
    text_init(&file->head, context);
    text_init(&file->values, context);
    file->is_raw = is_raw;
    text_add(&file->head,
             "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" "
             "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n",
             type);
}

/* The size and the values are one piece of base64. */
static void add_coded(Text *to, const void *values, size_t size) {
    uint64_t header = size;
    char *joint = context_allocate(to->context, sizeof header + size, 1);
    if (!joint) {
        to->failed = true;
        return;
    }
    memcpy(joint, &header, sizeof header);
    if (size > 0) memcpy(joint + sizeof header, values, size);
    text_add_base64(to, joint, sizeof header + size);
    context_free(to->context, joint, sizeof header + size, 1);
}

void vtk_file_add(VtkFile *file, const char *type, const char *name, size_t columns,
                  const void *values, size_t size) {
    uint64_t header = size;
    text_add(&file->head, "        <DataArray type=\"%s\" Name=\"%s\" ", type, name);
    if (columns > 1) text_add(&file->head, "NumberOfComponents=\"%zu\" ", columns);
    text_add(&file->head, "format=\"appended\" offset=\"%zu\"/>\n", file->values.bytes.count);
    if (!file->is_raw) {
        add_coded(&file->values, values, size);
        return;
    }
    text_add_bytes(&file->values, &header, sizeof header);
    text_add_bytes(&file->values, values, size);
}

PlimStatus vtk_file_write(VtkFile *file, const char *type, const char *path) {
    Text *all = &file->head;
    text_add(all, "  </%s>\n  <AppendedData encoding=\"%s\">\n_", type,
             file->is_raw ? "raw" : "base64");
    text_add_bytes(all, text_string(&file->values), file->values.bytes.count);
    text_add(all, "\n  </AppendedData>\n</VTKFile>\n");
    PlimStatus status =
        all->failed || file->values.failed
            ? PLIM_OUT_OF_MEMORY
            : file_write(all->context, path, text_string(all), all->bytes.count, false);
    text_free(&file->head);
    text_free(&file->values);
    return status;
}
