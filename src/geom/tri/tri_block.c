/* Structured triangulations of a rectangle: crosswise, herring-bone, one-way. */
#include "geom/tri/tri_mesh.h"

static PlimStatus check_block(PlimContext *context, const double size[2], const int cells[2],
                              double vertices) {
    for (int a = 0; a < 2; a++)
        if (cells[a] < 1)
            return context_fail(context, PLIM_BAD_INPUT,
                                "a block has 1 or more cells along each axis, not %d", cells[a]);
    if (!(size[0] > 0.0 && size[1] > 0.0 && isfinite(size[0] + size[1])))
        return context_fail(context, PLIM_BAD_INPUT,
                            "a block's size is positive and finite along each axis");
    if (vertices > INT32_MAX)
        return context_fail(context, PLIM_BAD_INPUT,
                            "a block of %d x %d cells is too large: use at most %d vertices",
                            cells[0], cells[1], INT32_MAX);
    return PLIM_OK;
}

/* Corners counter-clockwise from the lower left. */
static void cut_cell(const int32_t c[4], bool rising, int32_t (*triangles)[3]) {
    const int32_t first[2][3] = {{c[0], c[1], c[3]}, {c[0], c[1], c[2]}};
    const int32_t second[2][3] = {{c[1], c[2], c[3]}, {c[0], c[2], c[3]}};
    for (int k = 0; k < 3; k++) {
        triangles[0][k] = first[rising][k];
        triangles[1][k] = second[rising][k];
    }
}

static void cut_cell_crosswise(const int32_t c[4], int32_t center, int32_t (*triangles)[3]) {
    for (int side = 0; side < 4; side++) {
        triangles[side][0] = c[side];
        triangles[side][1] = c[(side + 1) % 4];
        triangles[side][2] = center;
    }
}

PlimStatus tri_mesh_block(PlimContext *context, const double size[2], const int cells[2],
                          TriPattern pattern, TriangleMesh *out) {
    *out = (TriangleMesh){0};
    bool crosswise = pattern == TRI_CROSSWISE;
    double nodes = (cells[0] + 1.0) * (cells[1] + 1.0), count = (double)cells[0] * cells[1];
    double vertices = crosswise ? nodes + count : nodes;
    TRY(check_block(context, size, cells, vertices));
    size_t each = crosswise ? 4 : 2, width = (size_t)cells[0], row = width + 1;
    TRY(mesh_allocate(context, out, (size_t)vertices, each * (size_t)count));
    for (int j = 0; j <= cells[1]; j++)
        for (int i = 0; i <= cells[0]; i++)
            out->vertices[(size_t)i + (size_t)j * row] = vec3(
                ((double)i / cells[0] - 0.5) * size[0], ((double)j / cells[1] - 0.5) * size[1], 0);
    for (int j = 0; j < cells[1]; j++) {
        for (int i = 0; i < cells[0]; i++) {
            size_t cell = (size_t)i + (size_t)j * width, center = (size_t)nodes + cell;
            int32_t low = (int32_t)((size_t)i + (size_t)j * row), high = low + (int32_t)row;
            const int32_t corners[4] = {low, low + 1, high + 1, high};
            int32_t(*triangles)[3] = out->triangles + each * cell;
            if (crosswise) {
                out->vertices[center] = vec3(((i + 0.5) / cells[0] - 0.5) * size[0],
                                             ((j + 0.5) / cells[1] - 0.5) * size[1], 0.0);
                cut_cell_crosswise(corners, (int32_t)center, triangles);
            } else {
                cut_cell(corners, pattern == TRI_ONE_WAY || (i + j) % 2 == 0, triangles);
            }
        }
    }
    return PLIM_OK;
}
