/* Level set queries: interpolated values, gradients, bounds and normals. */
#include "geom/level_set/level_set_data.h"

#include "base/hash.h"

/* The eight values around a point and where it lies between them. */
typedef struct Stencil {
    const double *low; /* the value at the low corner */
    size_t step[3];    /* to the next along each axis; 0 along an axis with one node */
    Vec3 at;           /* 0..1 */
    double size;       /* m, between two values */
    Vec3 beyond;       /* from the nearest point of the grid to the point; zero inside */
} Stencil;

static double clamp(double x, double high) {
    return fmin(fmax(x, 0.0), high);
}

/* From a place within one axis of the grid, in cells, to a cell and the place in it. */
static int split(double x, int cells, double *rest) {
    int cell = (int)x;
    if (cell > cells - 1) cell = cells - 1;
    if (cell < 0) cell = 0;
    *rest = x - cell;
    return cell;
}

static void stencil_dense(const LevelSet *field, const double x[3], Stencil *s) {
    const int *n = field->grid.n;
    int cell[3];
    double rest[3];
    for (int a = 0; a < 3; a++) cell[a] = split(x[a], n[a] - 1, &rest[a]);
    s->low = field->values + node_grid_index(&field->grid, cell[0], cell[1], cell[2]);
    s->step[0] = n[0] > 1;
    s->step[1] = n[1] > 1 ? (size_t)n[0] : 0;
    s->step[2] = n[2] > 1 ? (size_t)n[0] * (size_t)n[1] : 0;
    s->at = vec3_load(rest);
    s->size = field->grid.spacing;
}

static void stencil_coarse(const LevelSet *field, const int block[3], Vec3 at, Stencil *s) {
    s->low = field->corners + level_set_corner_index(field, block[0], block[1], block[2]);
    s->step[0] = 1;
    s->step[1] = (size_t)(field->blocks[0] + 1);
    s->step[2] = s->step[1] * (size_t)(field->blocks[1] + 1);
    s->at = at;
    s->size = LEVEL_SET_BLOCK * field->grid.spacing;
}

static void stencil_sparse(const LevelSet *field, const double x[3], Stencil *s) {
    int block[3], cell[3];
    double rest[3];
    for (int a = 0; a < 3; a++)
        block[a] = split(x[a] / LEVEL_SET_BLOCK, field->blocks[a], &rest[a]);
    uint32_t fine = field->fine[level_set_block_index(field, block[0], block[1], block[2])];
    if (fine == 0) {
        stencil_coarse(field, block, vec3_load(rest), s);
        return;
    }
    for (int a = 0; a < 3; a++)
        cell[a] = split(LEVEL_SET_BLOCK * rest[a], LEVEL_SET_BLOCK, &rest[a]);
    s->low = field->fine_values + (size_t)(fine - 1) * LEVEL_SET_BLOCK_NODES +
             level_set_local_index(cell[0], cell[1], cell[2]);
    s->step[0] = 1;
    s->step[1] = LEVEL_SET_SIDE;
    s->step[2] = LEVEL_SET_SIDE * LEVEL_SET_SIDE;
    s->at = vec3_load(rest);
    s->size = field->grid.spacing;
}

/* The nearest point of the grid, in cells from its low corner. The order of operations is the same
 * for points and for boxes, so that a box covers the points in it in spite of rounding. */
static Vec3 to_cells(const NodeGrid *grid, Vec3 p) {
    return vec3(clamp((p.x - grid->origin.x) / grid->spacing, grid->n[0] - 1),
                clamp((p.y - grid->origin.y) / grid->spacing, grid->n[1] - 1),
                clamp((p.z - grid->origin.z) / grid->spacing, grid->n[2] - 1));
}

/* How far a coordinate lies beyond an axis of the grid, signed. */
static double beyond(double x, double origin, double spacing, int n) {
    double high = origin + (n - 1) * spacing;
    if (n == 1) return 0.0;
    return x < origin ? x - origin : x > high ? x - high : 0.0;
}

static Stencil stencil_at(const LevelSet *field, Vec3 p) {
    const NodeGrid *grid = &field->grid;
    Stencil s;
    double x[3];
    vec3_store(x, to_cells(grid, p));
    s.beyond = vec3(beyond(p.x, grid->origin.x, grid->spacing, grid->n[0]),
                    beyond(p.y, grid->origin.y, grid->spacing, grid->n[1]),
                    beyond(p.z, grid->origin.z, grid->spacing, grid->n[2]));
    if (field->values)
        stencil_dense(field, x, &s);
    else
        stencil_sparse(field, x, &s);
    return s;
}

static double mix(double a, double b, double t) {
    return (1.0 - t) * a + t * b;
}

/* The corner value that is `c`'s bits away from the low one along x, y, z. */
static double corner_value(const Stencil *s, int c) {
    return s->low[(c & 1 ? s->step[0] : 0) + (c & 2 ? s->step[1] : 0) + (c & 4 ? s->step[2] : 0)];
}

static double stencil_value(const Stencil *s) {
    double x[4];
    for (int c = 0; c < 4; c++)
        x[c] = mix(corner_value(s, 2 * c), corner_value(s, 2 * c + 1), s->at.x);
    return mix(mix(x[0], x[1], s->at.y), mix(x[2], x[3], s->at.y), s->at.z);
}

double level_set_coarse_value(const LevelSet *field, const int block[3], Vec3 at) {
    Stencil s;
    stencil_coarse(field, block, at, &s);
    return stencil_value(&s);
}

double level_set_value(const LevelSet *field, Vec3 p) {
    Stencil s = stencil_at(field, p);
    return stencil_value(&s) + vec3_length(s.beyond);
}

Vec3 level_set_gradient(const LevelSet *field, Vec3 p) {
    Stencil s = stencil_at(field, p);
    double v[8], tx = s.at.x, ty = s.at.y, tz = s.at.z;
    for (int c = 0; c < 8; c++) v[c] = corner_value(&s, c);
    Vec3 g = vec3(mix(mix(v[1] - v[0], v[3] - v[2], ty), mix(v[5] - v[4], v[7] - v[6], ty), tz),
                  mix(mix(v[2] - v[0], v[3] - v[1], tx), mix(v[6] - v[4], v[7] - v[5], tx), tz),
                  mix(mix(v[4] - v[0], v[5] - v[1], tx), mix(v[6] - v[2], v[7] - v[3], tx), ty));
    g = vec3_scale(1.0 / s.size, g);
    /* Outside, the field changes with the distance to the grid along the axes it is beyond. */
    Vec3 away = vec3_normalize(s.beyond);
    if (s.beyond.x != 0.0) g.x = away.x;
    if (s.beyond.y != 0.0) g.y = away.y;
    if (s.beyond.z != 0.0) g.z = away.z;
    return g;
}

double level_set_node(const LevelSet *field, int i, int j, int k) {
    if (field->values) return field->values[node_grid_index(&field->grid, i, j, k)];
    const double x[3] = {i, j, k};
    Stencil s;
    stencil_sparse(field, x, &s);
    return stencil_value(&s);
}

/* Least and greatest distance of the box's points from the grid along one axis. */
static void gap_along(double low, double high, double origin, double spacing, int n,
                      double gap[2]) {
    double a = beyond(low, origin, spacing, n), b = beyond(high, origin, spacing, n);
    gap[0] = fmax(fmax(a, -b), 0.0);
    gap[1] = fmax(fabs(a), fabs(b));
}

void level_set_box_bounds(const LevelSet *field, Box3 box, double *least, double *greatest) {
    const NodeGrid *grid = &field->grid;
    double low[3], high[3], gap[3][2], rest;
    vec3_store(low, to_cells(grid, box.low));
    vec3_store(high, to_cells(grid, box.high));
    gap_along(box.low.x, box.high.x, grid->origin.x, grid->spacing, grid->n[0], gap[0]);
    gap_along(box.low.y, box.high.y, grid->origin.y, grid->spacing, grid->n[1], gap[1]);
    gap_along(box.low.z, box.high.z, grid->origin.z, grid->spacing, grid->n[2], gap[2]);
    int first[3], last[3];
    for (int a = 0; a < 3; a++) {
        first[a] = split(low[a] / LEVEL_SET_BLOCK, field->blocks[a], &rest);
        last[a] = split(high[a] / LEVEL_SET_BLOCK, field->blocks[a], &rest);
    }
    *least = HUGE_VAL;
    *greatest = -HUGE_VAL;
    for (int k = first[2]; k <= last[2]; k++)
        for (int j = first[1]; j <= last[1]; j++)
            for (int i = first[0]; i <= last[0]; i++) {
                const double *bounds = field->bounds[level_set_block_index(field, i, j, k)];
                *least = fmin(*least, bounds[0]);
                *greatest = fmax(*greatest, bounds[1]);
            }
    *least += vec3_length(vec3(gap[0][0], gap[1][0], gap[2][0]));
    *greatest += vec3_length(vec3(gap[0][1], gap[1][1], gap[2][1]));
    /* Room for the rounding of the interpolation. */
    *least -= 1e-14 * (fabs(*least) + grid->spacing);
    *greatest += 1e-14 * (fabs(*greatest) + grid->spacing);
}

bool level_set_box_outside(const LevelSet *field, Box3 box) {
    double least, greatest;
    level_set_box_bounds(field, box, &least, &greatest);
    return least > 0.0;
}

/* ---- the surface's own normal ---- */

static Vec3 triangle_normal(const TriangleMesh *mesh, size_t triangle) {
    const int32_t *t = mesh->triangles[triangle];
    Vec3 a = mesh->vertices[t[0]], b = mesh->vertices[t[1]], c = mesh->vertices[t[2]];
    return vec3_normalize(vec3_cross(vec3_sub(b, a), vec3_sub(c, a)));
}

/* Out along the gradient from inside, in along it from outside. The mesh and the field's zero are
 * not quite the same, so close to them the surface may lie the other way. A triangle that looks
 * against the gradient is not the surface seen from p: the back of a thin wall, or a wall buried
 * inside. */
Vec3 level_set_surface_normal(const LevelSet *field, const Bvh *bvh, const TriangleMesh *mesh,
                              Vec3 p) {
    Vec3 out = vec3_normalize(level_set_gradient(field, p));
    if (!(vec3_dot(out, out) > 0.0)) { /* as near to one side as to another: either will do */
        BvhClosest nearest = bvh_closest(bvh, p, HUGE_VAL);
        return nearest.primitive == BVH_NONE ? out : triangle_normal(mesh, nearest.primitive);
    }
    double value = level_set_value(field, p), cell = field->grid.spacing;
    double length = (value < 0.0 ? 1.0 : -1.0) * (2.0 * fabs(value) + 2.0 * cell);
    for (int turn = 0; turn < 2; turn++) {
        BvhRayHit found = bvh_ray_first(bvh, p, vec3_add_scaled(p, length, out), 1e-6 * cell);
        if (found.primitive != BVH_NONE) {
            Vec3 normal = triangle_normal(mesh, found.primitive);
            if (vec3_dot(normal, out) > 0.0) return normal;
        }
        length = length > 0.0 ? -cell : cell;
    }
    return out;
}

/* ---- what it is made of ---- */

const NodeGrid *level_set_grid(const LevelSet *field) {
    return &field->grid;
}

bool level_set_is_sparse(const LevelSet *field) {
    return field->values == NULL;
}

size_t level_set_bytes(const LevelSet *field) {
    size_t bytes = sizeof *field + level_set_block_count(field) * sizeof *field->bounds;
    if (field->values) return bytes + node_grid_count(&field->grid) * sizeof *field->values;
    return bytes + level_set_block_count(field) * sizeof *field->fine +
           level_set_corner_count(field) * sizeof *field->corners +
           field->fine_count * LEVEL_SET_BLOCK_NODES * sizeof *field->fine_values;
}

uint64_t level_set_hash(const LevelSet *field) {
    uint64_t hash = hash_bytes(HASH_START, &field->grid.origin, sizeof field->grid.origin);
    hash = hash_bytes(hash, &field->grid.spacing, sizeof field->grid.spacing);
    hash = hash_bytes(hash, field->grid.n, sizeof field->grid.n);
    if (field->values)
        return hash_bytes(hash, field->values,
                          node_grid_count(&field->grid) * sizeof *field->values);
    hash = hash_bytes(hash, field->fine, level_set_block_count(field) * sizeof *field->fine);
    hash = hash_bytes(hash, field->corners, level_set_corner_count(field) * sizeof *field->corners);
    return hash_bytes(hash, field->fine_values,
                      field->fine_count * LEVEL_SET_BLOCK_NODES * sizeof *field->fine_values);
}
