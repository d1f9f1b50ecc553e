/* Wavefront OBJ: the statements v and f, and g and o where a group is asked for; all others are
 * passed over. */
#include "base/suggest.h"
#include "geom/mesh/mesh_builder.h"
#include "geom/mesh/mesh_file.h"
#include "geom/mesh/mesh_scan.h"

#include <stdio.h>

enum { NAMES_KEPT = 64, NAMES_TOLD = 12 };

/* A group that is asked for: faces after a statement g or o with its name. */
typedef struct ObjGroup {
    const char *name;
    bool in_group, in_object; /* the last g, the last o has that name */
    bool is_there;
    size_t name_count;
    char names[NAMES_KEPT][SHOWN_CAPACITY]; /* the first that the file has, for messages */
    MeshGroup *out;
} ObjGroup;

typedef struct ObjReader {
    MeshScan scan;
    MeshBuilder builder;
    ObjGroup *group;      /* NULL: none */
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

/* Those from `first` on, of a face: cutting it well later leaves their numbers as they are. */
static PlimStatus note_triangles(ObjReader *reader, size_t first) {
    const ObjGroup *group = reader->group;
    if (!group->in_group && !group->in_object) return PLIM_OK;
    for (size_t t = first; t < reader->builder.triangles.count; t++)
        if (!array_push(reader->scan.context, &group->out->triangles, (int32_t)t))
            return PLIM_OUT_OF_MEMORY;
    return PLIM_OK;
}

static PlimStatus read_face(ObjReader *reader) {
    size_t line = reader->scan.line;
    reader->builder.corners.count = 0;
    while (more_words(&reader->scan)) TRY(read_corner(reader));
    if (reader->builder.corners.count < 3)
        return context_fail(reader->scan.context, PLIM_BAD_INPUT,
                            "%s line %zu: a face of %zu corners: it needs three or more",
                            reader->scan.label, line, reader->builder.corners.count);
    size_t first = reader->builder.triangles.count;
    TRY(builder_add_face(&reader->builder));
    return reader->group ? note_triangles(reader, first) : PLIM_OK;
}

/* ---- groups ---- */

static void note_name(ObjGroup *group, ScanWord word) {
    if (group->name_count == NAMES_KEPT) return;
    char *to = group->names[group->name_count];
    scan_show(word, to);
    for (size_t i = 0; i < group->name_count; i++)
        if (strcmp(group->names[i], to) == 0) return;
    group->name_count++;
}

/* A statement g may have several names, or none: that is the group "default". */
static void read_names(ObjReader *reader, char statement) {
    ObjGroup *group = reader->group;
    bool *is_in = statement == 'g' ? &group->in_group : &group->in_object;
    size_t count = 0;
    *is_in = false;
    for (; more_words(&reader->scan); count++) {
        ScanWord word = scan_word(&reader->scan);
        *is_in = *is_in || scan_word_is(word, group->name);
        note_name(group, word);
    }
    if (count == 0) *is_in = strcmp(group->name, "default") == 0;
    group->is_there = group->is_there || *is_in;
}

static PlimStatus fail_unknown_group(const ObjReader *reader) {
    const ObjGroup *group = reader->group;
    const char *known[NAMES_KEPT], *guess;
    char list[NAMES_TOLD * (SHOWN_CAPACITY + 2)] = "none";
    size_t length = 0, told = group->name_count < NAMES_TOLD ? group->name_count : NAMES_TOLD;
    for (size_t i = 0; i < group->name_count; i++) known[i] = group->names[i];
    for (size_t i = 0; i < told; i++)
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", i > 0 ? ", " : "",
                                   known[i]);
    guess = suggest_name(group->name, known, group->name_count);
    return context_fail(reader->scan.context, PLIM_BAD_INPUT,
                        "%.200s has no group '%.60s' (it has: %s%s)%s%s%s", reader->scan.label,
                        group->name, list, told < group->name_count ? ", and more" : "",
                        guess ? "; did you mean '" : "", guess ? guess : "", guess ? "'?" : "");
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

/* Whether it has one letter and nothing else. */
static bool ends_statement(const MeshScan *scan) {
    return scan->end - scan->at < 2 || scan_is_line_end(scan->at[1]);
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
    } else if (reader->group && (c == 'g' || c == 'o') && (single || ends_statement(scan))) {
        scan->at++;
        read_names(reader, c);
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

PlimStatus mesh_parse_obj_group(PlimContext *context, const char *label, const char *text,
                                size_t size, const char *name, MeshGroup *out) {
    *out = (MeshGroup){0};
    ObjGroup group = {.name = name, .out = out};
    ObjReader reader = {.scan = {context, label, text, text + size, 1},
                        .builder = {.context = context, .label = label},
                        .group = &group};
    PlimStatus status = read_obj(&reader, &out->mesh);
    if (status == PLIM_OK && !group.is_there) status = fail_unknown_group(&reader);
    if (status == PLIM_OK && out->triangles.count == 0)
        status = context_fail(context, PLIM_BAD_INPUT, "%.200s: group '%.60s' has no faces", label,
                              name);
    builder_free(&reader.builder);
    if (status != PLIM_OK) mesh_group_free(context, out);
    return status;
}

void mesh_group_free(PlimContext *context, MeshGroup *group) {
    mesh_free(context, &group->mesh);
    array_free(context, &group->triangles);
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
