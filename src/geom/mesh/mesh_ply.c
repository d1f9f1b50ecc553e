/* PLY, the body: values one after another, as the header says. The header: mesh_ply_header.c. */
#include "geom/mesh/mesh_ply.h"

#include "geom/mesh/mesh_builder.h"
#include "geom/mesh/mesh_file.h"

typedef struct PlyReader {
    MeshScan scan; /* over the body */
    MeshBuilder builder;
    PlyHeader header;
    int32_t greatest;     /* vertex index a face names so far */
    size_t greatest_face; /* where: the vertices may come after the faces */
} PlyReader;

static uint64_t load_bytes(const char *at, size_t size, bool big_endian) {
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++) {
        size_t from = big_endian ? i : size - 1 - i;
        bits = bits << 8 | (unsigned char)at[from];
    }
    return bits;
}

static double load_value(const char *at, PlyType type, bool big_endian) {
    uint64_t bits = load_bytes(at, ply_type_size(type), big_endian);
    float single;
    double wide;
    uint32_t half = (uint32_t)bits;
    switch (type) {
    case PLY_INT8:
        return (int8_t)bits;
    case PLY_UINT8:
        return (uint8_t)bits;
    case PLY_INT16:
        return (int16_t)bits;
    case PLY_UINT16:
        return (uint16_t)bits;
    case PLY_INT32:
        return (int32_t)bits;
    case PLY_UINT32:
        return (uint32_t)bits;
    case PLY_FLOAT32:
        memcpy(&single, &half, sizeof single);
        return (double)single;
    default:
        memcpy(&wide, &bits, sizeof wide);
        return wide;
    }
}

/* Item `item` of the element, from 0, as the message names it. */
static PlimStatus fail_item(const PlyReader *reader, const PlyElement *element, size_t item,
                            const char *what) {
    const MeshScan *scan = &reader->scan;
    char shown[SHOWN_CAPACITY];
    scan_show(element->name, shown);
    if (reader->header.format == PLY_ASCII)
        return context_fail(scan->context, PLIM_BAD_INPUT, "%s line %zu: %s %zu: %s", scan->label,
                            scan->line, shown, item, what);
    return context_fail(scan->context, PLIM_BAD_INPUT, "%s: %s %zu: %s", scan->label, shown, item,
                        what);
}

/* The next value of the body; every type fits in a double. False when the bytes are out, or, in
 * text, when no finite number stands there. */
static inline bool next_value(PlyReader *reader, PlyType type, double *value) {
    MeshScan *scan = &reader->scan;
    if (reader->header.format == PLY_ASCII) {
        scan_space(scan);
        return scan_double(scan, value);
    }
    size_t size = ply_type_size(type);
    if ((size_t)(scan->end - scan->at) < size) return false;
    *value = load_value(scan->at, type, reader->header.format == PLY_BIG_ENDIAN);
    scan->at += size;
    return true;
}

static PlimStatus fail_value(const PlyReader *reader, const PlyElement *element, size_t item) {
    bool ended = reader->header.format != PLY_ASCII || reader->scan.at == reader->scan.end;
    return fail_item(reader, element, item,
                     ended ? "the file ends in it" : "here stands what is not a finite number");
}

/* How many values a list has: checked against the bytes that are left. */
static PlimStatus next_list_length(PlyReader *reader, const PlyElement *element, size_t item,
                                   const PlyProperty *property, size_t *length) {
    double count;
    if (!next_value(reader, property->count_type, &count)) return fail_value(reader, element, item);
    size_t left = (size_t)(reader->scan.end - reader->scan.at);
    size_t least = reader->header.format == PLY_ASCII ? 2 : ply_type_size(property->type);
    if (!(count >= 0.0) || count != floor(count))
        return fail_item(reader, element, item, "a list cannot have such a length");
    if (count > (double)(left / least + 1) || (count > 0.0 && left / least == 0))
        return fail_item(reader, element, item, "its list is longer than the rest of the file");
    *length = (size_t)count;
    return PLIM_OK;
}

static PlimStatus read_face(PlyReader *reader, const PlyElement *element, size_t item,
                            const PlyProperty *property) {
    MeshBuilder *builder = &reader->builder;
    size_t corners;
    TRY(next_list_length(reader, element, item, property, &corners));
    if (corners < 3) return fail_item(reader, element, item, "a face needs three corners or more");
    builder->corners.count = 0;
    if (!array_reserve(builder->context, &builder->corners, corners)) return PLIM_OUT_OF_MEMORY;
    for (size_t k = 0; k < corners; k++) {
        double index;
        if (!next_value(reader, property->type, &index)) return fail_value(reader, element, item);
        if (!(index >= 0.0 && index < INT32_MAX) || index != floor(index))
            return fail_item(reader, element, item, "no vertex has such an index");
        builder->corners.data[builder->corners.count++] = (int32_t)index;
        if ((int32_t)index > reader->greatest) {
            reader->greatest = (int32_t)index;
            reader->greatest_face = item;
        }
    }
    return builder_add_face(builder);
}

/* A property that only has to be got past. */
static PlimStatus pass_property(PlyReader *reader, const PlyElement *element, size_t item,
                                const PlyProperty *property) {
    double value;
    size_t length = 1;
    if (property->is_list) TRY(next_list_length(reader, element, item, property, &length));
    if (reader->header.format == PLY_ASCII) {
        for (; length > 0; length--) { /* such values may well be nan */
            scan_space(&reader->scan);
            if (scan_word(&reader->scan).length == 0) return fail_value(reader, element, item);
        }
    } else if (property->is_list) {
        size_t size = ply_type_size(property->type);
        if (length > (size_t)(reader->scan.end - reader->scan.at) / size)
            return fail_value(reader, element, item);
        reader->scan.at += length * size;
    } else if (!next_value(reader, property->type, &value)) {
        return fail_value(reader, element, item);
    }
    return PLIM_OK;
}

static PlimStatus read_item(PlyReader *reader, const PlyElement *element, size_t item) {
    double at[3] = {0};
    const PlyProperty *property = reader->header.properties.data + element->first_property;
    for (size_t k = 0; k < element->property_count; k++, property++) {
        if (property->role == PLY_INDICES)
            TRY(read_face(reader, element, item, property));
        else if (property->role == PLY_OTHER)
            TRY(pass_property(reader, element, item, property));
        else if (!next_value(reader, property->type, &at[property->role]))
            return fail_value(reader, element, item);
    }
    if (element->kind != PLY_VERTEX) return PLIM_OK;
    if (!isfinite(at[0]) || !isfinite(at[1]) || !isfinite(at[2]))
        return fail_item(reader, element, item, "its place is not finite");
    reader->builder.vertices.data[reader->builder.vertices.count++] = vec3_load(at);
    return PLIM_OK;
}

/* The fewest bytes an item of the element can take. */
static size_t least_bytes(const PlyHeader *header, const PlyElement *element) {
    size_t sum = 0;
    for (size_t k = 0; k < element->property_count; k++) {
        const PlyProperty *property = header->properties.data + element->first_property + k;
        sum += header->format == PLY_ASCII
                   ? 2 /* a digit and what parts it from the next */
                   : ply_type_size(property->is_list ? property->count_type : property->type);
    }
    return sum;
}

static PlimStatus read_element(PlyReader *reader, const PlyElement *element) {
    MeshBuilder *builder = &reader->builder;
    size_t left = (size_t)(reader->scan.end - reader->scan.at) + 1; /* text needs no last blank */
    size_t least = least_bytes(&reader->header, element);
    char shown[SHOWN_CAPACITY];
    scan_show(element->name, shown);
    if (element->property_count == 0) return PLIM_OK; /* takes no bytes, however many there are */
    if (element->count > left / least)
        return context_fail(builder->context, PLIM_BAD_INPUT,
                            "%s: %llu of element %s are announced, but the %zu bytes left hold %zu "
                            "at most",
                            builder->label, (unsigned long long)element->count, shown, left - 1,
                            left / least);
    size_t count = (size_t)element->count;
    if (count > INT32_MAX && element->kind != PLY_UNKNOWN)
        return context_fail(builder->context, PLIM_BAD_INPUT,
                            "%s: %zu of element %s are too many: a mesh has at most %d",
                            builder->label, count, shown, INT32_MAX);
    if (element->kind == PLY_VERTEX && !array_reserve(builder->context, &builder->vertices, count))
        return PLIM_OUT_OF_MEMORY;
    if (element->kind == PLY_FACE && !array_reserve(builder->context, &builder->triangles, count))
        return PLIM_OUT_OF_MEMORY;
    for (size_t item = 0; item < count; item++) TRY(read_item(reader, element, item));
    return PLIM_OK;
}

static PlimStatus read_ply(PlyReader *reader, TriangleMesh *out) {
    MeshBuilder *builder = &reader->builder;
    TRY(ply_read_header(&reader->scan, &reader->header));
    for (size_t i = 0; i < reader->header.elements.count; i++)
        TRY(read_element(reader, &reader->header.elements.data[i]));
    if (builder->triangles.count > 0 && (size_t)reader->greatest >= builder->vertices.count)
        return context_fail(builder->context, PLIM_BAD_INPUT,
                            "%s: face %zu: there is no vertex %d (there are %zu, from 0)",
                            builder->label, reader->greatest_face, reader->greatest,
                            builder->vertices.count);
    return builder_finish(builder, out);
}

PlimStatus mesh_parse_ply(PlimContext *context, const char *label, const char *bytes, size_t size,
                          TriangleMesh *out) {
    *out = (TriangleMesh){0};
    PlyReader reader = {.scan = {context, label, bytes, bytes + size, 1},
                        .builder = {.context = context, .label = label}};
    PlimStatus status = read_ply(&reader, out);
    ply_header_free(context, &reader.header);
    builder_free(&reader.builder);
    return status;
}

/* ---- writing ---- */

static char *put_bits(char *to, uint64_t bits, size_t size) {
    for (size_t i = 0; i < size; i++, bits >>= 8) *to++ = (char)(unsigned char)bits;
    return to;
}

void mesh_write_ply(const TriangleMesh *mesh, Text *out) {
    text_add(out, "ply\nformat binary_little_endian 1.0\ncomment Plimsoll\n");
    text_add(out, "element vertex %zu\nproperty double x\nproperty double y\nproperty double z\n",
             mesh->vertex_count);
    text_add(out, "element face %zu\nproperty list uchar int vertex_indices\nend_header\n",
             mesh->triangle_count);
    size_t size = 24 * mesh->vertex_count + 13 * mesh->triangle_count;
    if (out->failed || !array_reserve(out->context, &out->bytes, size + 1)) {
        out->failed = true;
        return;
    }
    char *to = out->bytes.data + out->bytes.count;
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        uint64_t bits[3];
        memcpy(bits, &mesh->vertices[i], sizeof bits);
        for (int k = 0; k < 3; k++) to = put_bits(to, bits[k], 8);
    }
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        *to++ = 3;
        for (int k = 0; k < 3; k++) to = put_bits(to, (uint32_t)mesh->triangles[i][k], 4);
    }
    *to = '\0';
    out->bytes.count += size;
}
