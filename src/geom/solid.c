/* Signed distance functions of primitives and their Boolean combinations (CSG). */
#include "geom/solid.h"

#include "base/hash.h"
#include "base/parallel.h"
#include "geom/mesh/isosurface.h"

Solid solid_default(SolidKind kind) {
    return (Solid){.kind = kind,
                   .size = {1, 1, 1},
                   .radius = 0.5,
                   .tube = 0.2,
                   .height = 1,
                   .orientation = quat_identity(),
                   .scale = 1};
}

/* ---- copies ---- */

static size_t count_parts(const Solid *solid) {
    size_t count = 1;
    for (size_t i = 0; i < solid->child_count; i++) count += count_parts(&solid->children[i]);
    return count;
}

/* Puts copies of all below `solid` to `room`, and returns what is left of it. */
static Solid *copy_children(Solid *solid, Solid *room) {
    const Solid *from = solid->children;
    Solid *to = room;
    solid->children = to;
    room += solid->child_count;
    for (size_t i = 0; i < solid->child_count; i++) {
        to[i] = from[i];
        room = copy_children(&to[i], room);
    }
    return room;
}

Solid *solid_copy(PlimContext *context, const Solid *solid) {
    Solid *copy = context_allocate(context, count_parts(solid), sizeof *copy);
    if (!copy) return NULL;
    *copy = *solid;
    copy_children(copy, copy + 1);
    return copy;
}

void solid_destroy(PlimContext *context, Solid *solid) {
    if (solid) context_free(context, solid, count_parts(solid), sizeof *solid);
}

uint64_t solid_hash(uint64_t hash, const Solid *solid) {
    Quat q = solid->orientation;
    const double numbers[] = {(double)solid->kind,
                              solid->size[0],
                              solid->size[1],
                              solid->size[2],
                              solid->radius,
                              solid->tube,
                              solid->height,
                              solid->position.x,
                              solid->position.y,
                              solid->position.z,
                              q.w,
                              q.x,
                              q.y,
                              q.z,
                              solid->scale,
                              (double)solid->child_count};
    hash = hash_bytes(hash, numbers, sizeof numbers);
    hash = hash_bytes(hash, &solid->field, sizeof solid->field);
    hash = hash_bytes(hash, &solid->convex, sizeof solid->convex);
    for (size_t i = 0; i < solid->child_count; i++) hash = solid_hash(hash, &solid->children[i]);
    return hash;
}

/* ---- distances in a solid's own axes ---- */

/* Unlike hypot not safe from overflow: sizes are far from 1e150 m, and below 1e-150 m nothing is
 * seen. It is several times as fast, and contact asks for millions of distances. */
static double length2(double x, double y) {
    return sqrt(x * x + y * y);
}

static double box_distance(const Solid *solid, Vec3 p) {
    Vec3 q = vec3(fabs(p.x) - 0.5 * solid->size[0], fabs(p.y) - 0.5 * solid->size[1],
                  fabs(p.z) - 0.5 * solid->size[2]);
    Vec3 outside = vec3_max(q, vec3(0, 0, 0));
    return vec3_length(outside) + fmin(fmax(q.x, fmax(q.y, q.z)), 0.0);
}

static double cylinder_distance(const Solid *solid, Vec3 p) {
    double across = length2(p.x, p.z) - solid->radius, along = fabs(p.y) - 0.5 * solid->height;
    return length2(fmax(across, 0.0), fmax(along, 0.0)) + fmin(fmax(across, along), 0.0);
}

static double capsule_distance(const Solid *solid, Vec3 p) {
    double half = 0.5 * solid->height;
    double y = p.y - fmin(fmax(p.y, -half), half);
    return vec3_length(vec3(p.x, y, p.z)) - solid->radius;
}

/* Distance in the plane of (distance from the axis, height) to a segment a..b. */
static double plane_distance(double x, double y, const double a[2], const double b[2]) {
    double dx = b[0] - a[0], dy = b[1] - a[1];
    double t = ((x - a[0]) * dx + (y - a[1]) * dy) / (dx * dx + dy * dy);
    t = fmin(fmax(t, 0.0), 1.0);
    return length2(x - a[0] - t * dx, y - a[1] - t * dy);
}

static double cone_distance(const Solid *solid, Vec3 p) {
    double across = length2(p.x, p.z), half = 0.5 * solid->height;
    const double center[2] = {0, -half}, rim[2] = {solid->radius, -half}, apex[2] = {0, half};
    double distance =
        fmin(plane_distance(across, p.y, center, rim), plane_distance(across, p.y, rim, apex));
    /* Inside: above the base, and on the axis' side of the slant. */
    bool inside = p.y > -half && (half - p.y) * solid->radius > across * solid->height;
    return inside ? -distance : distance;
}

static double combined_distance(const Solid *solid, Vec3 p) {
    double result = solid_distance(&solid->children[0], p);
    for (size_t i = 1; i < solid->child_count; i++) {
        double other = solid_distance(&solid->children[i], p);
        switch (solid->kind) {
        case SOLID_UNION:
            result = fmin(result, other);
            break;
        case SOLID_INTERSECTION:
            result = fmax(result, other);
            break;
        default:
            result = fmax(result, -other);
        }
    }
    return result;
}

static double own_distance(const Solid *solid, Vec3 p) {
    switch (solid->kind) {
    case SOLID_BOX:
        return box_distance(solid, p);
    case SOLID_BALL:
        return vec3_length(p) - solid->radius;
    case SOLID_CYLINDER:
        return cylinder_distance(solid, p);
    case SOLID_CAPSULE:
        return capsule_distance(solid, p);
    case SOLID_TORUS:
        return length2(length2(p.x, p.z) - solid->radius, p.y) - solid->tube;
    case SOLID_CONE:
        return cone_distance(solid, p);
    case SOLID_HALF_SPACE:
        return p.y;
    case SOLID_FIELD:
        return level_set_value(solid->field, p);
    case SOLID_CONVEX: {
        Vec3 direction;
        return solid->convex->distance(solid->convex->polyhedron, p, &direction);
    }
    default:
        return combined_distance(solid, p);
    }
}

double solid_distance(const Solid *solid, Vec3 p) {
    Vec3 local = quat_rotate_inverse(solid->orientation, vec3_sub(p, solid->position));
    return solid->scale * own_distance(solid, vec3_scale(1.0 / solid->scale, local));
}

/* ---- bounds ---- */

static Box3 box_of_half_sizes(double x, double y, double z) {
    return (Box3){{-x, -y, -z}, {x, y, z}};
}

static Box3 combined_bounds(const Solid *solid) {
    Box3 box = solid_bounds(&solid->children[0]);
    for (size_t i = 1; i < solid->child_count && solid->kind != SOLID_DIFFERENCE; i++) {
        Box3 other = solid_bounds(&solid->children[i]);
        if (solid->kind == SOLID_UNION)
            box = box3_union(box, other);
        else
            box = (Box3){vec3_max(box.low, other.low), vec3_min(box.high, other.high)};
    }
    return box;
}

static Box3 own_bounds(const Solid *solid) {
    double r = solid->radius, h = 0.5 * solid->height;
    switch (solid->kind) {
    case SOLID_BOX:
        return box_of_half_sizes(0.5 * solid->size[0], 0.5 * solid->size[1], 0.5 * solid->size[2]);
    case SOLID_BALL:
        return box_of_half_sizes(r, r, r);
    case SOLID_CYLINDER:
    case SOLID_CONE:
        return box_of_half_sizes(r, h, r);
    case SOLID_CAPSULE:
        return box_of_half_sizes(r, h + r, r);
    case SOLID_TORUS:
        return box_of_half_sizes(r + solid->tube, solid->tube, r + solid->tube);
    case SOLID_HALF_SPACE:
        return box_of_half_sizes(HUGE_VAL, HUGE_VAL, HUGE_VAL);
    case SOLID_FIELD: {
        const NodeGrid *grid = level_set_grid(solid->field);
        return (Box3){grid->origin,
                      node_grid_position(grid, grid->n[0] - 1, grid->n[1] - 1, grid->n[2] - 1)};
    }
    case SOLID_CONVEX:
        return solid->convex->box;
    default:
        return combined_bounds(solid);
    }
}

Box3 solid_bounds(const Solid *solid) {
    Box3 own = own_bounds(solid), box = box3_empty();
    if (!isfinite(own.low.x + own.low.y + own.low.z + own.high.x + own.high.y + own.high.z))
        return own; /* without end in some direction: turning it gains nothing */
    for (int corner = 0; corner < 8; corner++) {
        Vec3 p = vec3(corner & 1 ? own.high.x : own.low.x, corner & 2 ? own.high.y : own.low.y,
                      corner & 4 ? own.high.z : own.low.z);
        p = quat_rotate(solid->orientation, vec3_scale(solid->scale, p));
        box = box3_add_point(box, vec3_add(solid->position, p));
    }
    return box;
}

/* ---- surface ---- */

typedef struct SampleJob {
    const Solid *solid;
    const NodeGrid *grid;
    double *values;
} SampleJob;

static void sample_rows(void *user, size_t begin, size_t end) {
    const SampleJob *job = user;
    const NodeGrid *grid = job->grid;
    for (size_t row = begin; row < end; row++) {
        int j = (int)(row % (size_t)grid->n[1]), k = (int)(row / (size_t)grid->n[1]);
        for (int i = 0; i < grid->n[0]; i++)
            job->values[node_grid_index(grid, i, j, k)] =
                solid_distance(job->solid, node_grid_position(grid, i, j, k));
    }
}

PlimStatus solid_to_mesh(PlimContext *context, const Solid *solid, int cells, TriangleMesh *out) {
    *out = (TriangleMesh){0};
    Box3 box = solid_bounds(solid);
    Vec3 size = vec3_sub(box.high, box.low);
    if (!isfinite(size.x + size.y + size.z))
        return context_fail(context, PLIM_BAD_INPUT,
                            "the shape has no end; intersect it with something finite");
    if (!(size.x > 0 && size.y > 0 && size.z > 0))
        return context_fail(context, PLIM_BAD_INPUT, "the shape has nothing inside");
    NodeGrid grid = node_grid_around(box, cells, 2);
    size_t count = node_grid_count(&grid);
    double *values = context_allocate(context, count, sizeof *values);
    if (!values) return PLIM_OUT_OF_MEMORY;
    SampleJob job = {solid, &grid, values};
    parallel_for(context->threads, (size_t)grid.n[1] * (size_t)grid.n[2], 16, sample_rows, &job);
    PlimStatus status = isosurface_extract(context, &grid, values, NULL, 0, out, NULL);
    context_free(context, values, count, sizeof *values);
    if (status == PLIM_OK && out->triangle_count == 0) {
        mesh_free(context, out);
        return context_fail(context, PLIM_BAD_INPUT,
                            "the shape has nothing inside that %d cells can show", cells);
    }
    return status;
}
