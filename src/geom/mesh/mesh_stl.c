/* STL: triangles as triples of places, in text or in binary. */
#include "base/array.h"
#include "geom/mesh/mesh_file.h"
#include "geom/mesh/mesh_scan.h"
#include "geom/mesh/mesh_topology.h"

/* 80 bytes of header, the number of triangles, then for each the normal, three places, two bytes.
 */
enum { STL_HEADER = 84, STL_TRIANGLE = 50 };

/* Three for each triangle. */
typedef struct CornerList {
    ARRAY(Vec3) items;
} CornerList;

static uint32_t load_u32(const char *at) {
    const unsigned char *b = (const unsigned char *)at;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double load_f32(const char *at) {
    uint32_t bits = load_u32(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* By the size alone: binary headers, too, may begin with "solid". */
static bool is_binary(const char *bytes, size_t size) {
    return size >= STL_HEADER && size - STL_HEADER == (uint64_t)load_u32(bytes + 80) * STL_TRIANGLE;
}

static PlimStatus read_binary(PlimContext *context, const char *label, const char *bytes,
                              size_t size, CornerList *corners) {
    size_t count = (size - STL_HEADER) / STL_TRIANGLE;
    if (!array_reserve(context, &corners->items, 3 * count)) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const char *at = bytes + STL_HEADER + i * STL_TRIANGLE + 12; /* past the normal */
        for (int k = 0; k < 3; k++, at += 12) {
            Vec3 place = vec3(load_f32(at), load_f32(at + 4), load_f32(at + 8));
            if (!isfinite(place.x) || !isfinite(place.y) || !isfinite(place.z))
                return context_fail(context, PLIM_BAD_INPUT,
                                    "%s: triangle %zu (from 0): a corner is not at a finite place",
                                    label, i);
            corners->items.data[corners->items.count++] = place;
        }
    }
    return PLIM_OK;
}

static PlimStatus expect(MeshScan *scan, const char *keyword, const char *shown) {
    scan_space(scan);
    MeshScan before = *scan;
    if (scan_word_is_any_case(scan_word(scan), keyword)) return PLIM_OK;
    return scan_fail_expected(&before, shown);
}

/* After the word "facet". The normal may be anything, even nan: the corners tell it better. */
static PlimStatus read_facet(MeshScan *scan, CornerList *corners) {
    TRY(expect(scan, "normal", "'normal'"));
    for (int k = 0; k < 3; k++) {
        scan_space(scan);
        scan_word(scan);
    }
    TRY(expect(scan, "outer", "'outer loop'"));
    TRY(expect(scan, "loop", "'loop'"));
    for (int i = 0; i < 3; i++) {
        double at[3];
        TRY(expect(scan, "vertex", "'vertex': a loop has three"));
        for (int k = 0; k < 3; k++) {
            scan_space(scan);
            if (!scan_double(scan, &at[k])) return scan_fail_expected(scan, "a finite number");
        }
        if (!array_push(scan->context, &corners->items, vec3_load(at))) return PLIM_OUT_OF_MEMORY;
    }
    TRY(expect(scan, "endloop", "'endloop': a loop has three vertices"));
    return expect(scan, "endfacet", "'endfacet'");
}

/* One solid after another: solid NAME, facets, endsolid NAME. A missing last endsolid is forgiven.
 */
static PlimStatus read_text(MeshScan *scan, CornerList *corners) {
    for (scan_space(scan); scan->at < scan->end; scan_space(scan)) {
        MeshScan before = *scan;
        ScanWord word = scan_word(scan);
        if (scan_word_is_any_case(word, "facet"))
            TRY(read_facet(scan, corners));
        else if (scan_word_is_any_case(word, "solid") || scan_word_is_any_case(word, "endsolid"))
            scan_to_line_end(scan); /* names have blanks */
        else
            return scan_fail_expected(&before, "'facet', 'solid' or 'endsolid'");
    }
    return PLIM_OK;
}

static PlimStatus refuse_size(PlimContext *context, const char *label, const char *bytes,
                              size_t size) {
    if (size < STL_HEADER)
        return context_fail(context, PLIM_BAD_INPUT,
                            "%s is no STL file: it does not begin with 'solid', and its %zu bytes "
                            "are fewer than the %d of a binary header",
                            label, size, STL_HEADER);
    uint32_t count = load_u32(bytes + 80);
    return context_fail(context, PLIM_BAD_INPUT,
                        "%s is no STL file, or is cut off: it announces %lu triangles, which take "
                        "%llu bytes, and has %zu",
                        label, (unsigned long)count,
                        (unsigned long long)count * STL_TRIANGLE + STL_HEADER, size);
}

static PlimStatus read_corners(PlimContext *context, const char *label, const char *bytes,
                               size_t size, CornerList *corners) {
    if (is_binary(bytes, size)) return read_binary(context, label, bytes, size, corners);
    MeshScan scan = {context, label, bytes, bytes + size, 1}, ahead = scan;
    scan_space(&ahead);
    if (!scan_word_is_any_case(scan_word(&ahead), "solid"))
        return refuse_size(context, label, bytes, size);
    return read_text(&scan, corners);
}

/* One vertex for each place, in the order of first use. */
static PlimStatus merge_corners(PlimContext *context, const CornerList *corners, int32_t *first,
                                TriangleMesh *out) {
    const Vec3 *place = corners->items.data;
    size_t count = corners->items.count, vertices = 0;
    TRY(places_first_equal(context, place, count, first));
    for (size_t i = 0; i < count; i++) vertices += (size_t)first[i] == i;
    TRY(mesh_allocate(context, out, vertices, count / 3));
    vertices = 0;
    for (size_t i = 0; i < count; i++) {
        /* `first` becomes the new index on the way: an earlier equal one has been seen already. */
        if ((size_t)first[i] == i) {
            out->vertices[vertices] = place[i];
            first[i] = (int32_t)vertices++;
        } else {
            first[i] = first[first[i]];
        }
        out->triangles[i / 3][i % 3] = first[i];
    }
    return PLIM_OK;
}

PlimStatus mesh_parse_stl(PlimContext *context, const char *label, const char *bytes, size_t size,
                          TriangleMesh *out) {
    *out = (TriangleMesh){0};
    CornerList corners = {{0}};
    PlimStatus status = read_corners(context, label, bytes, size, &corners);
    size_t count = corners.items.count;
    if (status == PLIM_OK && count == 0)
        status = context_fail(context, PLIM_BAD_INPUT,
                              "%s: there is no facet in it: a mesh needs at least one", label);
    if (status == PLIM_OK && count > INT32_MAX)
        status = context_fail(context, PLIM_BAD_INPUT,
                              "%s: %zu triangles are too many: a mesh has at most %d corners",
                              label, count / 3, INT32_MAX);
    if (status == PLIM_OK) {
        int32_t *first = context_allocate(context, count, sizeof *first);
        status = first ? merge_corners(context, &corners, first, out) : PLIM_OUT_OF_MEMORY;
        context_free(context, first, count, sizeof *first);
    }
    array_free(context, &corners.items);
    return status;
}
