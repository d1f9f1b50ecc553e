/* PLY, the header. */
#include "geom/mesh/mesh_ply.h"

static PlimStatus fail(const MeshScan *scan, const char *what) {
    return context_fail(scan->context, PLIM_BAD_INPUT, "%s line %zu: %s", scan->label, scan->line,
                        what);
}

static ScanWord next_word(MeshScan *scan) {
    scan_blanks(scan);
    return scan_word(scan);
}

static PlyType type_named(ScanWord word) {
    static const struct {
        const char *name;
        PlyType type;
    } types[] = {{"char", PLY_INT8},      {"int8", PLY_INT8},       {"uchar", PLY_UINT8},
                 {"uint8", PLY_UINT8},    {"short", PLY_INT16},     {"int16", PLY_INT16},
                 {"ushort", PLY_UINT16},  {"uint16", PLY_UINT16},   {"int", PLY_INT32},
                 {"int32", PLY_INT32},    {"uint", PLY_UINT32},     {"uint32", PLY_UINT32},
                 {"float", PLY_FLOAT32},  {"float32", PLY_FLOAT32}, {"double", PLY_FLOAT64},
                 {"float64", PLY_FLOAT64}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (scan_word_is(word, types[i].name)) return types[i].type;
    return PLY_NO_TYPE;
}

static PlimStatus read_type(MeshScan *scan, bool whole, PlyType *type) {
    MeshScan before;
    scan_blanks(scan);
    before = *scan;
    *type = type_named(scan_word(scan));
    if (*type == PLY_NO_TYPE) return scan_fail_expected(&before, "a type of PLY");
    if (whole && *type >= PLY_FLOAT32)
        return scan_fail_expected(&before, "a type of whole numbers, which a list needs here");
    return PLIM_OK;
}

static PlimStatus read_format(MeshScan *scan, PlyHeader *header) {
    MeshScan before;
    scan_blanks(scan);
    before = *scan;
    ScanWord word = scan_word(scan);
    if (header->format != PLY_NO_FORMAT) return fail(scan, "the format is given twice");
    if (scan_word_is(word, "ascii"))
        header->format = PLY_ASCII;
    else if (scan_word_is(word, "binary_little_endian"))
        header->format = PLY_LITTLE_ENDIAN;
    else if (scan_word_is(word, "binary_big_endian"))
        header->format = PLY_BIG_ENDIAN;
    else
        return scan_fail_expected(&before, "a format of PLY");
    return PLIM_OK;
}

static PlimStatus read_element(MeshScan *scan, PlyHeader *header) {
    PlyElement element = {
        .name = next_word(scan), .kind = PLY_UNKNOWN, .first_property = header->properties.count};
    int64_t count;
    if (scan_word_is(element.name, "vertex")) element.kind = PLY_VERTEX;
    if (scan_word_is(element.name, "face")) element.kind = PLY_FACE;
    for (size_t i = 0; i < header->elements.count; i++)
        if (element.kind != PLY_UNKNOWN && header->elements.data[i].kind == element.kind)
            return fail(scan, "this element is declared twice");
    scan_blanks(scan);
    MeshScan before = *scan;
    if (!scan_integer(scan, &count) || count < 0) return scan_fail_expected(&before, "a count");
    element.count = (uint64_t)count;
    return array_push(scan->context, &header->elements, element) ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

static PlyRole role_of(PlyKind kind, const PlyProperty *property, ScanWord name) {
    if (kind == PLY_VERTEX && !property->is_list && name.length == 1 && *name.start >= 'x' &&
        *name.start <= 'z')
        return (PlyRole)(*name.start - 'x');
    if (kind == PLY_FACE && property->is_list &&
        (scan_word_is(name, "vertex_indices") || scan_word_is(name, "vertex_index")))
        return PLY_INDICES;
    return PLY_OTHER;
}

static PlimStatus read_property(MeshScan *scan, PlyHeader *header) {
    if (header->elements.count == 0) return fail(scan, "a property before the first element");
    PlyElement *element = &header->elements.data[header->elements.count - 1];
    PlyProperty property = {.count_type = PLY_NO_TYPE};
    MeshScan ahead = *scan;
    property.is_list = scan_word_is(next_word(&ahead), "list");
    if (property.is_list) {
        *scan = ahead;
        TRY(read_type(scan, true, &property.count_type));
    }
    scan_blanks(scan);
    MeshScan at_type = *scan;
    TRY(read_type(scan, false, &property.type));
    ScanWord name = next_word(scan);
    if (name.length == 0) return scan_fail_expected(scan, "the name of a property");
    property.role = role_of(element->kind, &property, name);
    if (property.role == PLY_INDICES) TRY(read_type(&at_type, true, &property.type));
    for (size_t k = 0; k < element->property_count; k++)
        if (property.role != PLY_OTHER &&
            header->properties.data[element->first_property + k].role == property.role)
            return fail(scan, "this property is declared twice");
    if (!array_push(scan->context, &header->properties, property)) return PLIM_OUT_OF_MEMORY;
    element->property_count++;
    return PLIM_OK;
}

/* One line; *done after end_header. */
static PlimStatus read_line(MeshScan *scan, PlyHeader *header, bool *done) {
    scan_blanks(scan);
    MeshScan before = *scan;
    ScanWord word = scan_word(scan);
    if (scan_word_is(word, "end_header"))
        *done = true;
    else if (scan_word_is(word, "format"))
        TRY(read_format(scan, header));
    else if (scan_word_is(word, "element"))
        TRY(read_element(scan, header));
    else if (scan_word_is(word, "property"))
        TRY(read_property(scan, header));
    else if (word.length > 0 && !scan_word_is(word, "comment") && !scan_word_is(word, "obj_info"))
        return scan_fail_expected(&before, "a line of a PLY header");
    scan_to_line_end(scan);
    if (scan->at == scan->end && !*done) return fail(scan, "the file ends in the header");
    scan_pass_line_end(scan);
    return PLIM_OK;
}

static PlimStatus check_header(const MeshScan *scan, const PlyHeader *header) {
    bool has[PLY_OTHER + 1] = {false};
    for (size_t i = 0; i < header->properties.count; i++)
        has[header->properties.data[i].role] = true;
    if (header->format == PLY_NO_FORMAT) return fail(scan, "the header names no format");
    if (!has[PLY_X] || !has[PLY_Y] || !has[PLY_Z])
        return fail(scan, "the header has no element vertex with properties x, y and z");
    if (!has[PLY_INDICES])
        return fail(scan, "the header has no element face with a list vertex_indices");
    return PLIM_OK;
}

PlimStatus ply_read_header(MeshScan *scan, PlyHeader *header) {
    *header = (PlyHeader){0};
    if (!scan_word_is(scan_word(scan), "ply"))
        return fail(scan, "this is not a PLY file: it does not begin with 'ply'");
    scan_to_line_end(scan);
    scan_pass_line_end(scan);
    for (bool done = false; !done;) TRY(read_line(scan, header, &done));
    return check_header(scan, header);
}

void ply_header_free(PlimContext *context, PlyHeader *header) {
    array_free(context, &header->elements);
    array_free(context, &header->properties);
}
