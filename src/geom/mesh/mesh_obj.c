/* Wavefront OBJ: the statements v and f; all others are passed over. */
#include "geom/mesh/mesh_builder.h"
#include "geom/mesh/mesh_file.h"
#include "geom/mesh/mesh_scan.h"

#include <stdio.h>

typedef struct ObjReader {
    MeshScan scan;
    MeshBuilder builder;
    int32_t greatest;     /* vertex number a face names so far, from 1 */
    size_t greatest_line; /* where: vertices may follow the faces that use them */
} ObjReader;

/* Past blanks and line ends after a backslash; true when the statement goes on. */
static bool more_words(MeshScan *scan) {
    for (;;) {
        scan_blanks(scan);
        size_t left = (size_t)(scan->end - scan->at);
        if (left == 0 || *scan->at == '#' || scan_is_line_end(*scan->at)) return false;
        if (*scan->at != '\\' || left < 2 || !scan_is_line_end(scan->at[1])) return true;
        scan->at++;
        scan_pass_line_end(scan);
    }
}

static PlimStatus read_vertex(ObjReader *reader) {
    MeshScan *scan = &reader->scan;
    double at[3];
    for (int k = 0; k < 3; k++)
        if (!more_words(scan) || !scan_double(scan, &at[k]))
            return scan_fail_expected(scan, "a finite number");
    if (reader->builder.vertices.count >= INT32_MAX)
        return context_fail(scan->context, PLIM_BAD_INPUT,
                            "%s line %zu: a mesh has at most %d vertices", scan->label, scan->line,
                            INT32_MAX);
    return array_push(scan->context, &reader->builder.vertices, vec3_load(at)) ? PLIM_OK
                                                                               : PLIM_OUT_OF_MEMORY;
}

/* v, v/vt, v//vn or v/vt/vn: only the first number matters here, the others need only be numbers.
 */
static bool scan_corner(MeshScan *scan, int64_t *index) {
    int64_t other;
    if (!scan_integer(scan, index)) return false;
    for (int k = 0; k < 2 && scan->at < scan->end && *scan->at == '/'; k++) {
        scan->at++;
        bool absent = scan->at == scan->end || *scan->at == '/' || scan_ends_word(*scan->at);
        if (!absent && !scan_integer(scan, &other)) return false;
    }
    return scan->at == scan->end || scan_ends_word(*scan->at);
}

static PlimStatus read_corner(ObjReader *reader) {
    MeshScan *scan = &reader->scan;
    MeshScan before = *scan;
    int64_t index, vertices = (int64_t)reader->builder.vertices.count;
    if (!scan_corner(scan, &index)) return scan_fail_expected(&before, "a corner of a face");
    int64_t number = index < 0 ? vertices + index + 1 : index; /* -1: the latest */
    if (number < 1 || number > INT32_MAX)
        return context_fail(scan->context, PLIM_BAD_INPUT,
                            "%s line %zu: there is no vertex %lld (there are %lld so far)",
                            scan->label, scan->line, (long long)index, (long long)vertices);
    if (number > reader->greatest) {
        reader->greatest = (int32_t)number;
        reader->greatest_line = scan->line;
    }
    return array_push(scan->context, &reader->builder.corners, (int32_t)(number - 1))
               ? PLIM_OK
               : PLIM_OUT_OF_MEMORY;
}

static PlimStatus read_face(ObjReader *reader) {
    size_t line = reader->scan.line;
    reader->builder.corners.count = 0;
    while (more_words(&reader->scan)) TRY(read_corner(reader));
    if (reader->builder.corners.count < 3)
        return context_fail(reader->scan.context, PLIM_BAD_INPUT,
                            "%s line %zu: a face of %zu corners: it needs three or more",
                            reader->scan.label, line, reader->builder.corners.count);
    return builder_add_face(&reader->builder);
}

/* To the end of a statement that is not for us. A comment ends with its line even after a
 * backslash: comments hold paths of other systems. */
static void pass_statement(MeshScan *scan) {
    for (;;) {
        scan_to_line_end(scan);
        bool goes_on = scan->at < scan->end && scan->at[-1] == '\\';
        if (!goes_on) return;
        scan_pass_line_end(scan);
    }
}

static PlimStatus read_statement(ObjReader *reader) {
    MeshScan *scan = &reader->scan;
    char c = *scan->at;
    bool single = scan->end - scan->at > 1 && (scan_is_blank(scan->at[1]) || scan->at[1] == '\\');
    if (c == '#') {
        scan_to_line_end(scan);
    } else if (single && (c == 'v' || c == 'f')) {
        scan->at++;
        TRY(c == 'v' ? read_vertex(reader) : read_face(reader));
        while (more_words(scan)) scan_word(scan); /* weights and colours */
    } else if (!scan_is_line_end(c)) {
        scan->at++; /* so that pass_statement may look one character back */
        pass_statement(scan);
    }
    scan_to_line_end(scan);
    scan_pass_line_end(scan);
    return PLIM_OK;
}

static PlimStatus read_obj(ObjReader *reader, TriangleMesh *out) {
    MeshScan *scan = &reader->scan;
    for (scan_blanks(scan); scan->at < scan->end; scan_blanks(scan)) TRY(read_statement(reader));
    if ((size_t)reader->greatest > reader->builder.vertices.count)
        return context_fail(
            scan->context, PLIM_BAD_INPUT, "%s line %zu: there is no vertex %d (there are %zu)",
            scan->label, reader->greatest_line, reader->greatest, reader->builder.vertices.count);
    return builder_finish(&reader->builder, out);
}

PlimStatus mesh_parse_obj(PlimContext *context, const char *label, const char *text, size_t size,
                          TriangleMesh *out) {
    *out = (TriangleMesh){0};
    ObjReader reader = {.scan = {context, label, text, text + size, 1},
                        .builder = {.context = context, .label = label}};
    PlimStatus status = read_obj(&reader, out);
    builder_free(&reader.builder);
    return status;
}

/* ---- writing ---- */

/* 17 digits tell any two doubles apart. The decimal point of the user's language, whatever its
 * bytes, becomes a point again. */
static size_t format_number(char *to, double value) {
    char text[64];
    snprintf(text, sizeof text, "%.17g", value);
    size_t length = 0;
    for (const char *at = text; *at; at++) {
        bool plain = (*at >= '0' && *at <= '9') || *at == '-' || *at == '+' || *at == 'e';
        if (plain)
            to[length++] = *at;
        else if (length == 0 || to[length - 1] != '.')
            to[length++] = '.';
    }
    return length;
}

static void add_vertex(Text *out, Vec3 at) {
    double value[3];
    vec3_store(value, at);
    if (!array_reserve(out->context, &out->bytes, 128)) {
        out->failed = true;
        return;
    }
    char *start = out->bytes.data + out->bytes.count, *to = start;
    *to++ = 'v';
    for (int k = 0; k < 3; k++) {
        *to++ = ' ';
        to += format_number(to, value[k]);
    }
    *to++ = '\n';
    *to = '\0';
    out->bytes.count += (size_t)(to - start);
}

void mesh_write_obj(const TriangleMesh *mesh, Text *out) {
    for (size_t i = 0; i < mesh->vertex_count; i++) add_vertex(out, mesh->vertices[i]);
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        const int32_t *t = mesh->triangles[i];
        text_add(out, "f %d %d %d\n", t[0] + 1, t[1] + 1, t[2] + 1);
    }
}
