/* TetGen's .node and .ele: H. Si, TetGen user's manual 1.5, section 5.2. A line of counts, then a
 * line for each item; '#' starts a comment. */
#include "geom/mesh/mesh_lines.h"
#include "geom/tet/tet_build.h"

static PlimStatus start_item(MeshScan *scan, int64_t done, int64_t count, const char *items) {
    if (line_start(scan)) return PLIM_OK;
    return line_fail(scan, "the file ends after %lld of %lld %s", (long long)done, (long long)count,
                     items);
}

/* <points> <dimension> <attributes> <markers>, then <index> <x> <y> <z> and what is not needed
 * here. Indices count up from `base`, 0 or 1. */
static PlimStatus read_nodes(MeshScan *scan, TetBuild *build, int64_t *base) {
    int64_t count, dimension, index;
    line_start(scan);
    TRY(line_integer(scan, "the number of points", &count));
    TRY(line_integer(scan, "the dimension", &dimension));
    if (dimension != 3)
        return line_fail(scan, "points have %lld coordinates, not 3", (long long)dimension);
    line_end(scan);
    TRY(line_check_count(scan, count, 8, "points"));
    for (int64_t i = 0; i < count; i++) {
        TRY(start_item(scan, i, count, "points"));
        TRY(line_integer(scan, "the index of a point", &index));
        if (i == 0) *base = index;
        if (*base < 0 || *base > 1 || index != *base + i)
            return line_fail(scan, "index %lld: indices count up from 0 or 1", (long long)index);
        Vec3 point;
        TRY(line_point(scan, &point));
        if (!array_push(build->context, &build->points, point)) return PLIM_OUT_OF_MEMORY;
        line_end(scan);
    }
    return PLIM_OK;
}

/* <tetrahedra> <nodes of each> <attributes>, then <index>, four corners, and attributes. */
static PlimStatus read_tets(MeshScan *scan, TetBuild *build, int64_t base) {
    int64_t count, nodes, index, last = base + (int64_t)build->points.count - 1;
    line_start(scan);
    TRY(line_integer(scan, "the number of tetrahedra", &count));
    TRY(line_integer(scan, "the number of nodes of each", &nodes));
    if (nodes != 4)
        return line_fail(scan, "tetrahedra have %lld nodes: only those with 4 can be read",
                         (long long)nodes);
    line_end(scan);
    TRY(line_check_count(scan, count, 10, "tetrahedra"));
    if (count == 0) return line_fail(scan, "there are no tetrahedra");
    for (int64_t i = 0; i < count; i++) {
        TetCorners tet;
        TRY(start_item(scan, i, count, "tetrahedra"));
        TRY(line_integer(scan, "the index of a tetrahedron", &index));
        for (int k = 0; k < 4; k++) {
            TRY(line_integer(scan, "a corner of the tetrahedron", &index));
            if (index < base || index > last)
                return line_fail(scan, "there is no point %lld: they are %lld to %lld",
                                 (long long)index, (long long)base, (long long)last);
            tet.v[k] = (int32_t)(index - base);
            for (int a = 0; a < k; a++)
                if (tet.v[a] == tet.v[k])
                    return line_fail(scan, "a tetrahedron has a vertex twice");
        }
        TRY(tet_build_add(build, tet));
        line_end(scan);
    }
    return PLIM_OK;
}

PlimStatus tet_mesh_parse_tetgen(PlimContext *context, const char *node_text, size_t node_size,
                                 const char *ele_text, size_t ele_size, TetMesh *out) {
    *out = (TetMesh){0};
    TetBuild build = {.context = context};
    MeshScan nodes = {context, "the .node file", node_text, node_text + node_size, 1};
    MeshScan tets = {context, "the .ele file", ele_text, ele_text + ele_size, 1};
    int64_t base = 0;
    PlimStatus status = read_nodes(&nodes, &build, &base);
    if (status == PLIM_OK) status = read_tets(&tets, &build, base);
    if (status == PLIM_OK) status = tet_build_finish(&build, out);
    tet_build_free(&build);
    return status;
}
