/* HDF5 files in memory. */
#include "io/h5.h"

#include <hdf5.h>
#include <stdio.h>
#include <string.h>

/* HDF5 prints its own errors unless told otherwise; ours go through the context. */
static void be_silent(void) {
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static hid_t native_type(H5Type type) {
    switch (type) {
    case H5_F32:
        return H5T_NATIVE_FLOAT;
    case H5_F64:
        return H5T_NATIVE_DOUBLE;
    case H5_I32:
        return H5T_NATIVE_INT32;
    case H5_U8:
        return H5T_NATIVE_UINT8;
    case H5_U64:
        break;
    }
    return H5T_NATIVE_UINT64;
}

size_t h5_type_size(H5Type type) {
    static const size_t sizes[] = {
        [H5_F32] = 4, [H5_F64] = 8, [H5_I32] = 4, [H5_U64] = 8, [H5_U8] = 1};
    return sizes[type];
}

H5Type h5_type_of_field(FieldType type) {
    static const H5Type types[] = {
        [FIELD_F64] = H5_F64, [FIELD_I32] = H5_I32, [FIELD_U64] = H5_U64, [FIELD_F32] = H5_F32};
    return types[type];
}

/* A new file. In the format of HDF5 1.8 and later, all but the arrays carries checksums, so that a
 * damaged structure is noticed; without time stamps, equal content gives equal bytes. */
static hid_t create_file(const char *name, hid_t access) {
    hid_t untimed = H5Pcreate(H5P_FILE_CREATE);
    hid_t file = H5I_INVALID_HID;
    if (untimed >= 0 && H5Pset_obj_track_times(untimed, false) >= 0 &&
        H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18) >= 0)
        file = H5Fcreate(name, H5F_ACC_TRUNC, untimed, access);
    if (untimed >= 0) H5Pclose(untimed);
    return file;
}

/* A file that lives in memory; `image` NULL for a new one. `owner` is the caller's alone: HDF5
 * takes two open files of one name for the same file. */
static hid_t open_memory_file(const void *owner, void *image, size_t size) {
    enum { GROWTH = 1 << 20 };
    char name[48];
    snprintf(name, sizeof name, "memory-%p.h5", owner);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file = H5I_INVALID_HID;
    bool ready = access >= 0 && H5Pset_fapl_core(access, GROWTH, false) >= 0;
    if (ready && image) ready = H5Pset_file_image(access, image, size) >= 0;
    if (ready) file = image ? H5Fopen(name, H5F_ACC_RDONLY, access) : create_file(name, access);
    if (access >= 0) H5Pclose(access);
    return file;
}

/* ---- writing ---- */

struct H5Builder {
    PlimContext *context;
    hid_t file;
    hid_t untimed; /* creation properties without time stamps: equal content, equal bytes */
    bool failed;
};

PlimStatus h5_builder_create(PlimContext *context, H5Builder **out) {
    be_silent();
    H5Builder *builder = context_allocate(context, 1, sizeof *builder);
    if (!builder) return PLIM_OUT_OF_MEMORY;
    builder->context = context;
    builder->file = open_memory_file(builder, NULL, 0);
    builder->untimed = H5Pcreate(H5P_DATASET_CREATE);
    builder->failed = builder->file < 0 || H5Pset_obj_track_times(builder->untimed, false) < 0;
    *out = builder;
    return PLIM_OK;
}

void h5_builder_destroy(H5Builder *builder) {
    if (!builder) return;
    if (builder->untimed >= 0) H5Pclose(builder->untimed);
    if (builder->file >= 0) H5Fclose(builder->file);
    context_free(builder->context, builder, 1, sizeof *builder);
}

static void add_attribute(H5Builder *builder, hid_t object, const char *name, hid_t type,
                          const void *value) {
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0 || H5Awrite(attribute, type, value) < 0) builder->failed = true;
    if (attribute >= 0) H5Aclose(attribute);
    H5Sclose(space);
}

static void add_text_attribute(H5Builder *builder, hid_t object, const char *name,
                               const char *value) {
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(value) + 1);
    add_attribute(builder, object, name, type, value);
    H5Tclose(type);
}

void h5_add_group(H5Builder *builder, const char *path) {
    if (builder->failed) return;
    hid_t properties = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_obj_track_times(properties, false);
    hid_t group = H5Gcreate2(builder->file, path, H5P_DEFAULT, properties, H5P_DEFAULT);
    if (group < 0)
        builder->failed = true;
    else
        H5Gclose(group);
    H5Pclose(properties);
}

static void add_array(H5Builder *builder, const char *path, H5Type type, int rank,
                      const hsize_t *size, const void *data, const char *unit) {
    if (builder->failed) return;
    hid_t space = H5Screate_simple(rank, size, NULL);
    hid_t dataset = H5Dcreate2(builder->file, path, native_type(type), space, H5P_DEFAULT,
                               builder->untimed, H5P_DEFAULT);
    if (dataset < 0) {
        builder->failed = true;
    } else {
        if (size[0] > 0 &&
            H5Dwrite(dataset, native_type(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)
            builder->failed = true;
        if (unit) add_text_attribute(builder, dataset, "unit", unit);
        H5Dclose(dataset);
    }
    H5Sclose(space);
}

void h5_add_data(H5Builder *builder, const char *path, H5Type type, size_t rows, size_t columns,
                 const void *data, const char *unit) {
    hsize_t size[2] = {rows, columns};
    add_array(builder, path, type, columns == 1 ? 1 : 2, size, data, unit);
}

void h5_add_volume(H5Builder *builder, const char *path, H5Type type, const int n[3],
                   size_t components, const void *data, const char *unit) {
    hsize_t size[4] = {(hsize_t)n[2], (hsize_t)n[1], (hsize_t)n[0], components};
    add_array(builder, path, type, components == 1 ? 3 : 4, size, data, unit);
}

void h5_add_link(H5Builder *builder, const char *path, const char *file, const char *target) {
    if (builder->failed) return;
    if (H5Lcreate_external(file, target, builder->file, path, H5P_DEFAULT, H5P_DEFAULT) < 0)
        builder->failed = true;
}

static void add_attribute_at(H5Builder *builder, const char *path, const char *name, hid_t type,
                             const void *value) {
    if (builder->failed) return;
    hid_t object = H5Oopen(builder->file, path, H5P_DEFAULT);
    if (object < 0) {
        builder->failed = true;
        return;
    }
    if (type == H5T_C_S1)
        add_text_attribute(builder, object, name, value);
    else
        add_attribute(builder, object, name, type, value);
    H5Oclose(object);
}

void h5_add_number(H5Builder *builder, const char *path, const char *name, double value) {
    add_attribute_at(builder, path, name, H5T_NATIVE_DOUBLE, &value);
}

void h5_add_u64(H5Builder *builder, const char *path, const char *name, uint64_t value) {
    add_attribute_at(builder, path, name, H5T_NATIVE_UINT64, &value);
}

void h5_add_text(H5Builder *builder, const char *path, const char *name, const char *value) {
    add_attribute_at(builder, path, name, H5T_C_S1, value);
}

/* The file as the core driver holds it. (H5Fget_file_image of HDF5 1.10 clears a flag in the copy
 * and leaves the checksum over it wrong.) */
static const void *memory_of(hid_t file, size_t *size) {
    void *handle = NULL; /* where the driver keeps the address */
    if (H5Fflush(file, H5F_SCOPE_GLOBAL) < 0) return NULL;
    ssize_t length = H5Fget_file_image(file, NULL, 0);
    if (length <= 0 || H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) < 0 || !handle) return NULL;
    *size = (size_t)length;
    return *(void **)handle;
}

PlimStatus h5_builder_finish(H5Builder *builder, char **bytes, size_t *size) {
    PlimContext *context = builder->context;
    const void *memory = builder->failed ? NULL : memory_of(builder->file, size);
    if (!memory)
        return context_fail(context, PLIM_OUT_OF_MEMORY, "an HDF5 file could not be put together");
    *bytes = context_allocate(context, *size, 1);
    if (!*bytes) return PLIM_OUT_OF_MEMORY;
    memcpy(*bytes, memory, *size);
    return PLIM_OK;
}

/* ---- reading ---- */

struct H5Reader {
    PlimContext *context;
    char *label;
    hid_t file;
    size_t size; /* bytes of the file */
};

static PlimStatus make_reader(PlimContext *context, const char *label, hid_t file, size_t size,
                              H5Reader **out) {
    *out = NULL;
    if (file < 0)
        return context_fail(context, PLIM_BAD_INPUT, "%s is damaged or not an HDF5 file", label);
    H5Reader *reader = context_allocate(context, 1, sizeof *reader);
    char *copy = reader ? context_copy_text(context, label) : NULL;
    if (!copy) {
        context_free(context, reader, 1, sizeof *reader);
        H5Fclose(file);
        return PLIM_OUT_OF_MEMORY;
    }
    *reader = (H5Reader){context, copy, file, size};
    *out = reader;
    return PLIM_OK;
}

PlimStatus h5_reader_create(PlimContext *context, const char *label, char *bytes, size_t size,
                            H5Reader **out) {
    be_silent();
    return make_reader(context, label, open_memory_file(out, bytes, size), size, out);
}

PlimStatus h5_reader_open(PlimContext *context, const char *path, H5Reader **out) {
    be_silent();
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hsize_t size = 0;
    if (file >= 0) H5Fget_filesize(file, &size);
    return make_reader(context, path, file, (size_t)size, out);
}

void h5_reader_destroy(H5Reader *reader) {
    if (!reader) return;
    H5Fclose(reader->file);
    context_free_text(reader->context, reader->label);
    context_free(reader->context, reader, 1, sizeof *reader);
}

void h5_refuse_links(void) {
    if (H5open() >= 0) H5Lunregister(H5L_TYPE_EXTERNAL);
}

bool h5_has(const H5Reader *reader, const char *path) {
    return H5Lexists(reader->file, path, H5P_DEFAULT) > 0;
}

bool h5_has_attribute(const H5Reader *reader, const char *path, const char *name) {
    return H5Aexists_by_name(reader->file, path, name, H5P_DEFAULT) > 0;
}

bool h5_entry_name(const H5Reader *reader, size_t index, char *name, size_t capacity) {
    ssize_t length = H5Lget_name_by_idx(reader->file, "/", H5_INDEX_NAME, H5_ITER_INC, index, name,
                                        capacity, H5P_DEFAULT);
    return length > 0 && (size_t)length < capacity;
}

static PlimStatus missing(H5Reader *reader, const char *what) {
    return context_fail(reader->context, PLIM_BAD_INPUT, "%s: %s is missing or damaged",
                        reader->label, what);
}

/* Vectors and tables, and volumes as tables with a row a cell. */
static bool shape_of(hid_t dataset, size_t *rows, size_t *columns) {
    hid_t space = H5Dget_space(dataset);
    if (space < 0) return false;
    hsize_t size[4] = {0};
    int rank = H5Sget_simple_extent_ndims(space);
    bool good = rank >= 1 && rank <= 4 && H5Sget_simple_extent_dims(space, size, NULL) == rank;
    H5Sclose(space);
    if (!good) return false;
    *rows = (size_t)size[0];
    *columns = rank % 2 == 0 ? (size_t)size[rank - 1] : 1;
    for (int i = 1; i < 3 && rank > 2; i++) { /* damage can ask for any size */
        if (size[i] > 0 && *rows > SIZE_MAX / size[i]) return false;
        *rows *= (size_t)size[i];
    }
    return true;
}

PlimStatus h5_size(H5Reader *reader, const char *path, size_t *rows, size_t *columns) {
    hid_t dataset = H5Dopen2(reader->file, path, H5P_DEFAULT);
    if (dataset < 0) return missing(reader, path);
    /* Our arrays are stored plainly: one larger than the file is damage, not a size to allocate. */
    bool good =
        shape_of(dataset, rows, columns) && (*columns == 0 || *rows <= reader->size / *columns);
    H5Dclose(dataset);
    return good ? PLIM_OK : missing(reader, path);
}

PlimStatus h5_read(H5Reader *reader, const char *path, H5Type type, size_t rows, size_t columns,
                   void *data) {
    hid_t dataset = H5Dopen2(reader->file, path, H5P_DEFAULT);
    if (dataset < 0) return missing(reader, path);
    size_t stored_rows, stored_columns;
    PlimStatus status = PLIM_OK;
    if (!shape_of(dataset, &stored_rows, &stored_columns))
        status = missing(reader, path);
    else if (stored_rows != rows || stored_columns != columns)
        status =
            context_fail(reader->context, PLIM_BAD_INPUT, "%s: %s is %zu x %zu, expected %zu x %zu",
                         reader->label, path, stored_rows, stored_columns, rows, columns);
    else if (rows > 0 &&
             H5Dread(dataset, native_type(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)
        status = missing(reader, path);
    H5Dclose(dataset);
    return status;
}

static bool is_single(hid_t attribute) {
    hid_t space = H5Aget_space(attribute);
    bool single = space >= 0 && H5Sget_simple_extent_npoints(space) == 1;
    if (space >= 0) H5Sclose(space);
    return single;
}

static PlimStatus read_attribute(H5Reader *reader, const char *path, const char *name, hid_t type,
                                 void *value) {
    hid_t attribute = H5Aopen_by_name(reader->file, path, name, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0) return missing(reader, name);
    bool good = is_single(attribute) && H5Aread(attribute, type, value) >= 0;
    H5Aclose(attribute);
    return good ? PLIM_OK : missing(reader, name);
}

PlimStatus h5_read_number(H5Reader *reader, const char *path, const char *name, double *value) {
    return read_attribute(reader, path, name, H5T_NATIVE_DOUBLE, value);
}

PlimStatus h5_read_u64(H5Reader *reader, const char *path, const char *name, uint64_t *value) {
    return read_attribute(reader, path, name, H5T_NATIVE_UINT64, value);
}
