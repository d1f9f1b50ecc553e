/* Structured triangulations of a rectangle: crosswise, herring-bone, one-way, mirrored; and one
 * with nodes moved at random. */
#include "base/random.h"
#include "geom/tri/tri_build.h"

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
                int turn = pattern == TRI_HERRING_BONE ? i + j : pattern == TRI_MIRRORED ? j : 0;
                cut_cell(corners, turn % 2 == 0, triangles);
            }
        }
    }
    return PLIM_OK;
}

/* Least angle of the two triangles of a cell. */
static double least_angle(const TriangleMesh *mesh, int32_t (*triangles)[3]) {
    double least = HUGE_VAL;
    for (int k = 0; k < 2; k++) {
        double own, greatest;
        tri_angles(mesh->vertices[triangles[k][0]], mesh->vertices[triangles[k][1]],
                   mesh->vertices[triangles[k][2]], &own, &greatest);
        least = fmin(least, own);
    }
    return least;
}

PlimStatus tri_mesh_irregular(PlimContext *context, const double size[2], const int cells[2],
                              uint64_t seed, TriangleMesh *out) {
    const double most = 0.3;     /* of a cell */
    enum { STREAM_X, STREAM_Y }; /* of random numbers */
    TRY(tri_mesh_block(context, size, cells, TRI_ONE_WAY, out));
    size_t row = (size_t)cells[0] + 1;
    for (int j = 1; j < cells[1]; j++)
        for (int i = 1; i < cells[0]; i++) {
            size_t at = (size_t)i + (size_t)j * row;
            double x = 2 * random_uniform(seed, STREAM_X, at) - 1;
            double y = 2 * random_uniform(seed, STREAM_Y, at) - 1;
            out->vertices[at].x += most * x * size[0] / cells[0];
            out->vertices[at].y += most * y * size[1] / cells[1];
        }
    for (size_t cell = 0; cell < out->triangle_count / 2; cell++) {
        size_t low = cell % (row - 1) + cell / (row - 1) * row;
        const int32_t corners[4] = {(int32_t)low, (int32_t)low + 1, (int32_t)(low + row + 1),
                                    (int32_t)(low + row)};
        int32_t falling[2][3];
        cut_cell(corners, false, falling);
        if (!(least_angle(out, falling) > least_angle(out, out->triangles + 2 * cell))) continue;
        cut_cell(corners, false, out->triangles + 2 * cell);
    }
    return PLIM_OK;
}
