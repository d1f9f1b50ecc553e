/* Gmsh's .msh, text form, versions 2.2 and 4.1: Gmsh reference manual, "Gmsh file formats".
 * Sections run from $Name to $EndName; those other than the format, the nodes and the elements are
 * left out, and of the elements all but tetrahedra with four nodes. */
#include "geom/tet/tet_build.h"

#include <stdlib.h>

enum { TETRAHEDRON = 4 }; /* the type of a tetrahedron with four nodes */

/* Nodes have numbers with gaps and in any order. */
typedef struct NodeTag {
    int64_t tag;
    int32_t point;
} NodeTag;

typedef struct GmshReader {
    MeshScan scan;
    TetBuild build;
    ARRAY(NodeTag) tags; /* sorted once all nodes are read */
    bool blocks;         /* version 4.1: nodes and elements in blocks */
    bool has_format, has_nodes;
} GmshReader;

static PlimStatus start_line(GmshReader *g, const char *items) {
    if (tet_start_line(&g->scan)) return PLIM_OK;
    return tet_scan_fail(&g->scan, "the file ends within the %s", items);
}

/* `count` whole numbers of the line. */
static PlimStatus read_integers(GmshReader *g, const char *what, int count, int64_t *values) {
    for (int i = 0; i < count; i++) TRY(tet_scan_integer(&g->scan, what, &values[i]));
    return PLIM_OK;
}

static PlimStatus expect_end(GmshReader *g, const char *end) {
    if (!tet_start_line(&g->scan)) return scan_fail_expected(&g->scan, end);
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
        return tet_scan_fail(&g->scan, "version %g cannot be read: save as 2.2 or 4.1", version);
    if (binary != 0) return tet_scan_fail(&g->scan, "a binary file cannot be read: save as text");
    tet_end_line(&g->scan);
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
    tet_end_line(&g->scan);
    TRY(tet_check_count(&g->scan, *count, least, items));
    return tet_check_count(&g->scan, *blocks, 8, "blocks");
}

static PlimStatus read_tag(GmshReader *g, size_t point) {
    NodeTag entry = {.point = (int32_t)point};
    TRY(start_line(g, "nodes"));
    TRY(read_integers(g, "the number of a node", 1, &entry.tag));
    return array_push(g->build.context, &g->tags, entry) ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

static PlimStatus read_point(GmshReader *g) {
    TRY(tet_scan_point(&g->scan, &g->build));
    tet_end_line(&g->scan);
    return PLIM_OK;
}

/* Version 4.1: <dimension> <entity> <has parameters> <nodes>, their numbers, then their
 * coordinates. */
static PlimStatus read_node_block(GmshReader *g, int64_t left) {
    int64_t head[4];
    TRY(start_line(g, "nodes"));
    TRY(read_integers(g, "one of the four numbers of a block of nodes", 4, head));
    tet_end_line(&g->scan);
    if (head[3] < 0 || head[3] > left)
        return tet_scan_fail(&g->scan, "a block has %lld nodes: %lld are left", (long long)head[3],
                             (long long)left);
    size_t first = g->build.points.count;
    for (int64_t i = 0; i < head[3]; i++) {
        TRY(read_tag(g, first + (size_t)i));
        tet_end_line(&g->scan);
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
    NodeTag *tags = g->tags.data;
    size_t count = g->tags.count;
    bool sorted = true;
    for (size_t i = 1; i < count; i++) sorted = sorted && tags[i - 1].tag < tags[i].tag;
    if (!sorted) qsort(tags, count, sizeof *tags, compare_tags);
    for (size_t i = 1; i < count; i++)
        if (tags[i - 1].tag == tags[i].tag)
            return tet_scan_fail(&g->scan, "node %lld stands twice", (long long)tags[i].tag);
    return PLIM_OK;
}

/* Version 2.2: <number> <x> <y> <z> on each line. */
static PlimStatus read_nodes(GmshReader *g) {
    int64_t blocks, count;
    if (g->has_nodes) return tet_scan_fail(&g->scan, "the nodes stand twice");
    TRY(read_counts(g, "nodes", 8, &blocks, &count));
    for (int64_t b = 0; b < blocks; b++)
        TRY(read_node_block(g, count - (int64_t)g->build.points.count));
    for (int64_t i = 0; !g->blocks && i < count; i++) {
        TRY(read_tag(g, (size_t)i));
        TRY(read_point(g));
    }
    if ((int64_t)g->build.points.count != count)
        return tet_scan_fail(&g->scan, "the blocks have %zu of %lld nodes", g->build.points.count,
                             (long long)count);
    g->has_nodes = true;
    TRY(sort_tags(g));
    return expect_end(g, "$EndNodes");
}

static PlimStatus read_tet(GmshReader *g) {
    TetCorners tet;
    for (int k = 0; k < 4; k++) {
        NodeTag key = {0};
        TRY(read_integers(g, "a node of the tetrahedron", 1, &key.tag));
        const NodeTag *found = NULL;
        if (g->tags.count > 0)
            found = bsearch(&key, g->tags.data, g->tags.count, sizeof key, compare_tags);
        if (!found) return tet_scan_fail(&g->scan, "there is no node %lld", (long long)key.tag);
        tet.v[k] = found->point;
    }
    return tet_add_read(&g->scan, &g->build, tet);
}

/* Version 4.1: <dimension> <entity> <type> <elements>, then <number> <nodes> on each line. */
static PlimStatus read_element_block(GmshReader *g, int64_t *left) {
    int64_t head[4], number;
    TRY(start_line(g, "elements"));
    TRY(read_integers(g, "one of the four numbers of a block of elements", 4, head));
    tet_end_line(&g->scan);
    if (head[3] < 0 || head[3] > *left)
        return tet_scan_fail(&g->scan, "a block has %lld elements: %lld are left",
                             (long long)head[3], (long long)*left);
    for (int64_t i = 0; i < head[3]; i++) {
        TRY(start_line(g, "elements"));
        TRY(read_integers(g, "the number of an element", 1, &number));
        if (head[2] == TETRAHEDRON) TRY(read_tet(g));
        tet_end_line(&g->scan);
    }
    *left -= head[3];
    return PLIM_OK;
}

/* Version 2.2: <number> <type> <tags> <tag> ... <nodes>. */
static PlimStatus read_element(GmshReader *g) {
    int64_t head[3], tag;
    TRY(start_line(g, "elements"));
    TRY(read_integers(g, "one of the first three numbers of an element", 3, head));
    if (head[1] == TETRAHEDRON) {
        for (int64_t i = 0; i < head[2]; i++) TRY(read_integers(g, "a tag", 1, &tag));
        TRY(read_tet(g));
    }
    tet_end_line(&g->scan);
    return PLIM_OK;
}

static PlimStatus read_elements(GmshReader *g) {
    int64_t blocks, count;
    if (!g->has_nodes) return tet_scan_fail(&g->scan, "the nodes should stand before the elements");
    TRY(read_counts(g, "elements", 4, &blocks, &count));
    int64_t left = count;
    for (int64_t b = 0; b < blocks; b++) TRY(read_element_block(g, &left));
    for (; !g->blocks && left > 0; left--) TRY(read_element(g));
    if (left != 0)
        return tet_scan_fail(&g->scan, "the blocks lack %lld of %lld elements", (long long)left,
                             (long long)count);
    return expect_end(g, "$EndElements");
}

/* Past $EndName, which has to come: else much could be left out unseen. */
static PlimStatus skip_section(GmshReader *g, ScanWord name) {
    char shown[SHOWN_CAPACITY];
    scan_show(name, shown);
    if (name.start[0] != '$' || name.length < 2)
        return tet_scan_fail(&g->scan, "a section's name should stand here, not '%s'", shown);
    for (tet_end_line(&g->scan); tet_start_line(&g->scan); tet_end_line(&g->scan)) {
        ScanWord word = scan_word(&g->scan);
        if (word.length == name.length + 3 && memcmp(word.start, "$End", 4) == 0 &&
            memcmp(word.start + 4, name.start + 1, name.length - 1) == 0)
            return PLIM_OK;
    }
    return tet_scan_fail(&g->scan, "the file ends within %s", shown);
}

static PlimStatus read_sections(GmshReader *g) {
    for (; tet_start_line(&g->scan); tet_end_line(&g->scan)) {
        MeshScan before = g->scan;
        ScanWord name = scan_word(&g->scan);
        tet_end_line(&g->scan);
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
    if (g->build.tets.count == 0)
        return tet_scan_fail(&g->scan, "there are no tetrahedra with four nodes");
    return PLIM_OK;
}

PlimStatus tet_mesh_parse_gmsh(PlimContext *context, const char *text, size_t size, TetMesh *out) {
    *out = (TetMesh){0};
    GmshReader g = {.scan = {context, "the .msh file", text, text + size, 1},
                    .build = {.context = context}};
    PlimStatus status = read_sections(&g);
    if (status == PLIM_OK) status = tet_build_finish(&g.build, out);
    tet_build_free(&g.build);
    array_free(context, &g.tags);
    return status;
}
