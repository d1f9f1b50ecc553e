/* Gmsh's .msh, text form, versions 2.2 and 4.1: Gmsh reference manual, "Gmsh file formats".
 * Sections run from $Name to $EndName; those other than the format, the nodes and the elements are
 * left out, and of the elements all but those of one type. */
#include "geom/mesh/mesh_gmsh.h"

#include <stdio.h>
#include <stdlib.h>

const GmshKind GMSH_TRIANGLES = {2, 3, "triangle", "triangles with three nodes"};
const GmshKind GMSH_TETRAHEDRA = {4, 4, "tetrahedron", "tetrahedra with four nodes"};

/* Nodes have numbers with gaps and in any order. */
typedef struct NodeTag {
    int64_t tag;
    int32_t point;
} NodeTag;

typedef struct GmshReader {
    PlimContext *context;
    MeshScan scan;
    const GmshKind *kind;
    char corner[64]; /* for messages: "a node of the triangle" */
    GmshFile *file;
    ARRAY(NodeTag) sorted; /* by tag, once all nodes are read */
    bool blocks;           /* version 4.1: nodes and elements in blocks */
    bool has_format, has_nodes;
} GmshReader;

static PlimStatus start_line(GmshReader *g, const char *items) {
    if (line_start(&g->scan)) return PLIM_OK;
    return line_fail(&g->scan, "the file ends within the %s", items);
}

/* `count` whole numbers of the line. */
static PlimStatus read_integers(GmshReader *g, const char *what, int count, int64_t *values) {
    for (int i = 0; i < count; i++) TRY(line_integer(&g->scan, what, &values[i]));
    return PLIM_OK;
}

static PlimStatus expect_end(GmshReader *g, const char *end) {
    if (!line_start(&g->scan)) return scan_fail_expected(&g->scan, end);
    MeshScan before = g->scan;
    if (scan_word_is(scan_word(&g->scan), end)) return PLIM_OK;
    return scan_fail_expected(&before, end);
}

/* <version> <0: text, 1: binary> <size of a number> */
static PlimStatus read_format(GmshReader *g) {
    double version;
    int64_t binary;
    TRY(start_line(g, "format"));
    if (!scan_double(&g->scan, &version)) return scan_fail_expected(&g->scan, "a version");
    TRY(read_integers(g, "0 or 1, text or binary", 1, &binary));
    g->blocks = version == 4.1;
    if (!g->blocks && version != 2.2)
        return line_fail(&g->scan, "version %g cannot be read: save as 2.2 or 4.1", version);
    if (binary != 0) return line_fail(&g->scan, "a binary file cannot be read: save as text");
    line_end(&g->scan);
    g->has_format = true;
    return expect_end(g, "$EndMeshFormat");
}

/* The line after $Nodes and $Elements: a count, in version 4.1 with the number of blocks before it.
 */
static PlimStatus read_counts(GmshReader *g, const char *items, size_t least, int64_t *blocks,
                              int64_t *count) {
    *blocks = 0;
    TRY(start_line(g, items));
    if (g->blocks) TRY(read_integers(g, "a number of blocks", 1, blocks));
    TRY(read_integers(g, "a count", 1, count));
    line_end(&g->scan);
    TRY(line_check_count(&g->scan, *count, least, items));
    return line_check_count(&g->scan, *blocks, 8, "blocks");
}

static PlimStatus read_tag(GmshReader *g) {
    int64_t tag;
    TRY(start_line(g, "nodes"));
    TRY(read_integers(g, "the number of a node", 1, &tag));
    return array_push(g->context, &g->file->tags, tag) ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

static PlimStatus read_point(GmshReader *g) {
    Vec3 point;
    TRY(line_point(&g->scan, &point));
    line_end(&g->scan);
    return array_push(g->context, &g->file->points, point) ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

/* Version 4.1: <dimension> <entity> <has parameters> <nodes>, their numbers, then their
 * coordinates. */
static PlimStatus read_node_block(GmshReader *g, int64_t left) {
    int64_t head[4];
    TRY(start_line(g, "nodes"));
    TRY(read_integers(g, "one of the four numbers of a block of nodes", 4, head));
    line_end(&g->scan);
    if (head[3] < 0 || head[3] > left)
        return line_fail(&g->scan, "a block has %lld nodes: %lld are left", (long long)head[3],
                         (long long)left);
    for (int64_t i = 0; i < head[3]; i++) {
        TRY(read_tag(g));
        line_end(&g->scan);
    }
    for (int64_t i = 0; i < head[3]; i++) {
        TRY(start_line(g, "nodes"));
        TRY(read_point(g));
    }
    return PLIM_OK;
}

static int compare_tags(const void *a, const void *b) {
    int64_t x = ((const NodeTag *)a)->tag, y = ((const NodeTag *)b)->tag;
    return (x > y) - (x < y);
}

static PlimStatus sort_tags(GmshReader *g) {
    size_t count = g->file->tags.count;
    if (!array_reserve(g->context, &g->sorted, count)) return PLIM_OUT_OF_MEMORY;
    NodeTag *tags = g->sorted.data;
    for (size_t i = 0; i < count; i++) tags[i] = (NodeTag){g->file->tags.data[i], (int32_t)i};
    g->sorted.count = count;
    bool sorted = true;
    for (size_t i = 1; i < count; i++) sorted = sorted && tags[i - 1].tag < tags[i].tag;
    if (!sorted) qsort(tags, count, sizeof *tags, compare_tags);
    for (size_t i = 1; i < count; i++)
        if (tags[i - 1].tag == tags[i].tag)
            return line_fail(&g->scan, "node %lld stands twice", (long long)tags[i].tag);
    return PLIM_OK;
}

/* Version 2.2: <number> <x> <y> <z> on each line. */
static PlimStatus read_nodes(GmshReader *g) {
    int64_t blocks, count;
    if (g->has_nodes) return line_fail(&g->scan, "the nodes stand twice");
    TRY(read_counts(g, "nodes", 8, &blocks, &count));
    for (int64_t b = 0; b < blocks; b++)
        TRY(read_node_block(g, count - (int64_t)g->file->points.count));
    for (int64_t i = 0; !g->blocks && i < count; i++) {
        TRY(read_tag(g));
        TRY(read_point(g));
    }
    if ((int64_t)g->file->points.count != count)
        return line_fail(&g->scan, "the blocks have %zu of %lld nodes", g->file->points.count,
                         (long long)count);
    g->has_nodes = true;
    TRY(sort_tags(g));
    return expect_end(g, "$EndNodes");
}

static PlimStatus read_corners(GmshReader *g) {
    GmshCorners corners = {{0}};
    for (int k = 0; k < g->kind->corners; k++) {
        NodeTag key = {0};
        TRY(read_integers(g, g->corner, 1, &key.tag));
        const NodeTag *found = NULL;
        if (g->sorted.count > 0)
            found = bsearch(&key, g->sorted.data, g->sorted.count, sizeof key, compare_tags);
        if (!found) return line_fail(&g->scan, "there is no node %lld", (long long)key.tag);
        corners.v[k] = found->point;
        for (int a = 0; a < k; a++)
            if (corners.v[a] == corners.v[k])
                return line_fail(&g->scan, "a %s has a vertex twice", g->kind->one);
    }
    return array_push(g->context, &g->file->elements, corners) ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

/* Version 4.1: <dimension> <entity> <type> <elements>, then <number> <nodes> on each line. */
static PlimStatus read_element_block(GmshReader *g, int64_t *left) {
    int64_t head[4], number;
    TRY(start_line(g, "elements"));
    TRY(read_integers(g, "one of the four numbers of a block of elements", 4, head));
    line_end(&g->scan);
    if (head[3] < 0 || head[3] > *left)
        return line_fail(&g->scan, "a block has %lld elements: %lld are left", (long long)head[3],
                         (long long)*left);
    for (int64_t i = 0; i < head[3]; i++) {
        TRY(start_line(g, "elements"));
        TRY(read_integers(g, "the number of an element", 1, &number));
        if (head[2] == g->kind->type) TRY(read_corners(g));
        line_end(&g->scan);
    }
    *left -= head[3];
    return PLIM_OK;
}

/* Version 2.2: <number> <type> <tags> <tag> ... <nodes>. */
static PlimStatus read_element(GmshReader *g) {
    int64_t head[3], tag;
    TRY(start_line(g, "elements"));
    TRY(read_integers(g, "one of the first three numbers of an element", 3, head));
    if (head[1] == g->kind->type) {
        for (int64_t i = 0; i < head[2]; i++) TRY(read_integers(g, "a tag", 1, &tag));
        TRY(read_corners(g));
    }
    line_end(&g->scan);
    return PLIM_OK;
}

static PlimStatus read_elements(GmshReader *g) {
    int64_t blocks, count;
    if (!g->has_nodes) return line_fail(&g->scan, "the nodes should stand before the elements");
    TRY(read_counts(g, "elements", 4, &blocks, &count));
    int64_t left = count;
    for (int64_t b = 0; b < blocks; b++) TRY(read_element_block(g, &left));
    for (; !g->blocks && left > 0; left--) TRY(read_element(g));
    if (left != 0)
        return line_fail(&g->scan, "the blocks lack %lld of %lld elements", (long long)left,
                         (long long)count);
    return expect_end(g, "$EndElements");
}

/* Past $EndName, which has to come: else much could be left out unseen. */
static PlimStatus skip_section(GmshReader *g, ScanWord name) {
    char shown[SHOWN_CAPACITY];
    scan_show(name, shown);
    if (name.start[0] != '$' || name.length < 2)
        return line_fail(&g->scan, "a section's name should stand here, not '%s'", shown);
    for (line_end(&g->scan); line_start(&g->scan); line_end(&g->scan)) {
        ScanWord word = scan_word(&g->scan);
        if (word.length == name.length + 3 && memcmp(word.start, "$End", 4) == 0 &&
            memcmp(word.start + 4, name.start + 1, name.length - 1) == 0)
            return PLIM_OK;
    }
    return line_fail(&g->scan, "the file ends within %s", shown);
}

static PlimStatus read_sections(GmshReader *g) {
    for (; line_start(&g->scan); line_end(&g->scan)) {
        MeshScan before = g->scan;
        ScanWord name = scan_word(&g->scan);
        line_end(&g->scan);
        if (scan_word_is(name, "$MeshFormat")) {
            TRY(read_format(g));
        } else if (!g->has_format) {
            return scan_fail_expected(&before, "$MeshFormat");
        } else if (scan_word_is(name, "$Nodes")) {
            TRY(read_nodes(g));
        } else if (scan_word_is(name, "$Elements")) {
            TRY(read_elements(g));
        } else {
            TRY(skip_section(g, name));
        }
    }
    if (g->file->elements.count == 0)
        return line_fail(&g->scan, "there are no %s", g->kind->plural);
    return PLIM_OK;
}

PlimStatus gmsh_read(PlimContext *context, const char *text, size_t size, const GmshKind *kind,
                     GmshFile *out) {
    *out = (GmshFile){0};
    GmshReader g = {.context = context,
                    .scan = {context, "the .msh file", text, text + size, 1},
                    .kind = kind,
                    .file = out};
    snprintf(g.corner, sizeof g.corner, "a node of the %s", kind->one);
    PlimStatus status = read_sections(&g);
    array_free(context, &g.sorted);
    return status;
}

void gmsh_free(PlimContext *context, GmshFile *file) {
    array_free(context, &file->points);
    array_free(context, &file->tags);
    array_free(context, &file->elements);
}
