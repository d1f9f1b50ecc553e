/* Tetrahedral meshes: volumes, dihedral angles, surfaces. */
#include "geom/tet/tet_mesh.h"

static const double PI = 3.14159265358979323846;

PlimStatus tet_mesh_allocate(PlimContext *context, TetMesh *mesh, size_t vertices, size_t tets) {
    *mesh = (TetMesh){0};
    if (vertices > INT32_MAX)
        return context_fail(context, PLIM_BAD_INPUT,
                            "a mesh of %zu vertices is too large: use at most %d", vertices,
                            INT32_MAX);
    TetMesh made = {.vertex_count = vertices, .tet_count = tets};
    made.vertices = context_allocate(context, vertices, sizeof *made.vertices);
    if (!made.vertices) return PLIM_OUT_OF_MEMORY;
    made.tets = context_allocate(context, tets, sizeof *made.tets);
    if (!made.tets) {
        context_free(context, made.vertices, vertices, sizeof *made.vertices);
        return PLIM_OUT_OF_MEMORY;
    }
    *mesh = made;
    return PLIM_OK;
}

void tet_mesh_free(PlimContext *context, TetMesh *mesh) {
    context_free(context, mesh->vertices, mesh->vertex_count, sizeof *mesh->vertices);
    context_free(context, mesh->tets, mesh->tet_count, sizeof *mesh->tets);
    *mesh = (TetMesh){0};
}

/* The angle inside at edge ab between the faces to c and d, radians. */
static double dihedral(Vec3 a, Vec3 b, Vec3 c, Vec3 d) {
    Vec3 edge = vec3_sub(b, a);
    Vec3 m = vec3_cross(edge, vec3_sub(c, a)), n = vec3_cross(edge, vec3_sub(d, a));
    return atan2(vec3_length(vec3_cross(m, n)), vec3_dot(m, n));
}

TetQuality tet_mesh_quality(const TetMesh *mesh) {
    static const int edges[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2},
                                    {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}};
    TetQuality quality = {.least_dihedral = PI};
    for (size_t i = 0; i < mesh->tet_count; i++) {
        Vec3 p[4];
        for (int k = 0; k < 4; k++) p[k] = mesh->vertices[mesh->tets[i][k]];
        Vec3 a = vec3_sub(p[1], p[0]), b = vec3_sub(p[2], p[0]), c = vec3_sub(p[3], p[0]);
        double volume = vec3_dot(a, vec3_cross(b, c)) / 6.0;
        quality.volume += volume;
        quality.inverted += !(volume > 0.0);
        for (int e = 0; e < 6; e++) {
            const int *v = edges[e];
            double angle = dihedral(p[v[0]], p[v[1]], p[v[2]], p[v[3]]);
            quality.least_dihedral = fmin(quality.least_dihedral, angle);
            quality.greatest_dihedral = fmax(quality.greatest_dihedral, angle);
        }
    }
    if (mesh->tet_count == 0) quality.least_dihedral = 0.0;
    quality.least_dihedral *= 180.0 / PI;
    quality.greatest_dihedral *= 180.0 / PI;
    return quality;
}

/* Faces of a tetrahedron, pointing out; face f lies opposite to corner f. */
static const int FACES[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

/* The faces of all tetrahedra, sorted so that equal ones stand together. Face 4 t + f belongs to
 * tetrahedron t. */
typedef struct FaceSort {
    size_t *faces, *spare; /* 4 tet_count */
    size_t *start;         /* vertex_count + 1: of each vertex's faces in one pass of the sort */
    bool *inner;           /* 4 tet_count: another tetrahedron has the face too */
} FaceSort;

static bool face_sort_allocate(PlimContext *context, const TetMesh *mesh, FaceSort *sort) {
    size_t faces = 4 * mesh->tet_count;
    sort->faces = context_allocate(context, faces, sizeof *sort->faces);
    sort->spare = context_allocate(context, faces, sizeof *sort->spare);
    sort->start = context_allocate(context, mesh->vertex_count + 1, sizeof *sort->start);
    sort->inner = context_allocate(context, faces, sizeof *sort->inner);
    return sort->faces && sort->spare && sort->start && sort->inner;
}

static void face_sort_free(PlimContext *context, const TetMesh *mesh, FaceSort *sort) {
    size_t faces = 4 * mesh->tet_count;
    context_free(context, sort->faces, faces, sizeof *sort->faces);
    context_free(context, sort->spare, faces, sizeof *sort->spare);
    context_free(context, sort->start, mesh->vertex_count + 1, sizeof *sort->start);
    context_free(context, sort->inner, faces, sizeof *sort->inner);
}

static void face_vertices(const TetMesh *mesh, size_t face, int32_t v[3]) {
    for (int k = 0; k < 3; k++) v[k] = mesh->tets[face / 4][FACES[face % 4][k]];
}

static void face_key(const TetMesh *mesh, size_t face, int32_t key[3]) {
    int32_t v[3];
    face_vertices(mesh, face, v);
    int32_t low = v[0] < v[1] ? v[0] : v[1], high = v[0] < v[1] ? v[1] : v[0];
    key[0] = low < v[2] ? low : v[2];
    key[2] = high > v[2] ? high : v[2];
    key[1] = low < v[2] ? (high < v[2] ? high : v[2]) : low;
}

/* One pass of a radix sort, by the `rank`-lowest vertex of the faces; equal ones keep their order.
 */
static void sort_pass(const TetMesh *mesh, FaceSort *sort, int rank) {
    size_t faces = 4 * mesh->tet_count, sum = 0;
    int32_t key[3];
    for (size_t i = 0; i <= mesh->vertex_count; i++) sort->start[i] = 0;
    for (size_t i = 0; i < faces; i++) {
        face_key(mesh, i, key);
        sort->start[key[rank] + 1]++;
    }
    for (size_t i = 0; i <= mesh->vertex_count; i++) sum = sort->start[i] += sum;
    for (size_t i = 0; i < faces; i++) {
        face_key(mesh, sort->faces[i], key);
        sort->spare[sort->start[key[rank]]++] = sort->faces[i];
    }
    size_t *sorted = sort->spare;
    sort->spare = sort->faces;
    sort->faces = sorted;
}

static void find_inner(const TetMesh *mesh, FaceSort *sort) {
    size_t faces = 4 * mesh->tet_count;
    for (size_t i = 0; i < faces; i++) sort->faces[i] = i;
    for (int rank = 2; rank >= 0; rank--) sort_pass(mesh, sort, rank);
    for (size_t i = 1; i < faces; i++) {
        int32_t a[3], b[3];
        face_key(mesh, sort->faces[i - 1], a);
        face_key(mesh, sort->faces[i], b);
        if (a[0] == b[0] && a[1] == b[1] && a[2] == b[2])
            sort->inner[sort->faces[i - 1]] = sort->inner[sort->faces[i]] = true;
    }
}

PlimStatus tet_mesh_surface_faces(PlimContext *context, const TetMesh *mesh, int32_t (**faces)[3],
                                  size_t *count) {
    *faces = NULL;
    *count = 0;
    FaceSort sort = {0};
    int32_t(*list)[3] = NULL;
    if (face_sort_allocate(context, mesh, &sort)) {
        find_inner(mesh, &sort);
        size_t made = 0;
        for (size_t f = 0; f < 4 * mesh->tet_count; f++) made += !sort.inner[f];
        list = context_allocate(context, made, sizeof *list);
        if (list) {
            *faces = list;
            *count = made;
            made = 0;
            for (size_t f = 0; f < 4 * mesh->tet_count; f++)
                if (!sort.inner[f]) face_vertices(mesh, f, list[made++]);
        }
    }
    face_sort_free(context, mesh, &sort);
    return list ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

/* Numbers the vertices on the surface in the order they have in the mesh. */
static PlimStatus fill_surface(PlimContext *context, const TetMesh *mesh, int32_t (*faces)[3],
                               size_t count, int32_t *place, TriangleMesh *out) {
    size_t used = 0;
    for (size_t i = 0; i < mesh->vertex_count; i++) place[i] = -1;
    for (size_t f = 0; f < count; f++)
        for (int k = 0; k < 3; k++) place[faces[f][k]] = 0;
    for (size_t i = 0; i < mesh->vertex_count; i++)
        if (place[i] == 0) place[i] = (int32_t)used++;
    TRY(mesh_allocate(context, out, used, count));
    for (size_t i = 0; i < mesh->vertex_count; i++)
        if (place[i] >= 0) out->vertices[place[i]] = mesh->vertices[i];
    for (size_t f = 0; f < count; f++)
        for (int k = 0; k < 3; k++) out->triangles[f][k] = place[faces[f][k]];
    return PLIM_OK;
}

PlimStatus tet_mesh_surface(PlimContext *context, const TetMesh *mesh, TriangleMesh *out) {
    *out = (TriangleMesh){0};
    int32_t(*faces)[3];
    size_t count;
    TRY(tet_mesh_surface_faces(context, mesh, &faces, &count));
    PlimStatus status = PLIM_OUT_OF_MEMORY;
    int32_t *place = context_allocate(context, mesh->vertex_count, sizeof *place);
    if (place) status = fill_surface(context, mesh, faces, count, place, out);
    context_free(context, place, mesh->vertex_count, sizeof *place);
    context_free(context, faces, count, sizeof *faces);
    return status;
}

/* A cube in five tetrahedra: one on four corners no two of which share an edge, and one at each
 * other corner. Mirrored in every second cube, so that the diagonals of common faces agree. Corners
 * are numbered by bits: 1 along x, 2 along y, 4 along z. */
static void add_cube(const int32_t corner[8], bool mirrored, int32_t (*tets)[4]) {
    static const int split[5][4] = {
        {0, 5, 3, 6}, {1, 0, 5, 3}, {2, 0, 3, 6}, {4, 0, 6, 5}, {7, 3, 5, 6}};
    for (int t = 0; t < 5; t++) {
        for (int k = 0; k < 4; k++) tets[t][k] = corner[split[t][k] ^ (mirrored ? 1 : 0)];
        if (mirrored) {
            int32_t last = tets[t][3];
            tets[t][3] = tets[t][2];
            tets[t][2] = last;
        }
    }
}

PlimStatus tet_mesh_block(PlimContext *context, Vec3 size, const int cells[3], TetMesh *out) {
    *out = (TetMesh){0};
    double vertices = 1.0, cubes = 1.0;
    for (int a = 0; a < 3; a++) {
        vertices *= cells[a] + 1.0;
        cubes *= cells[a];
        if (cells[a] < 1)
            return context_fail(context, PLIM_BAD_INPUT,
                                "a block has 1 or more cubes along each axis, not %d", cells[a]);
    }
    if (!(size.x > 0.0 && size.y > 0.0 && size.z > 0.0))
        return context_fail(context, PLIM_BAD_INPUT, "a block's size is positive along each axis");
    if (vertices > INT32_MAX)
        return context_fail(context, PLIM_BAD_INPUT,
                            "a block of %d x %d x %d cubes is too large: use at most %d vertices",
                            cells[0], cells[1], cells[2], INT32_MAX);
    TRY(tet_mesh_allocate(context, out, (size_t)vertices, 5 * (size_t)cubes));
    NodeGrid nodes = {.n = {cells[0] + 1, cells[1] + 1, cells[2] + 1}};
    size_t tets = 0;
    for (int k = 0; k <= cells[2]; k++) {
        for (int j = 0; j <= cells[1]; j++) {
            for (int i = 0; i <= cells[0]; i++) {
                out->vertices[node_grid_index(&nodes, i, j, k)] = vec3(
                    ((double)i / cells[0] - 0.5) * size.x, ((double)j / cells[1] - 0.5) * size.y,
                    ((double)k / cells[2] - 0.5) * size.z);
                if (i == cells[0] || j == cells[1] || k == cells[2]) continue;
                int32_t corner[8];
                for (int c = 0; c < 8; c++)
                    corner[c] = (int32_t)node_grid_index(&nodes, i + (c & 1), j + (c >> 1 & 1),
                                                         k + (c >> 2));
                add_cube(corner, (i + j + k) % 2 != 0, out->tets + tets);
                tets += 5;
            }
        }
    }
    return PLIM_OK;
}
