/* The thinnest wall and the narrowest gap of a surface, by rays from its triangles along their
 * normals, inward and outward, to where the surface faces them. */
#include "geom/level_set/thinnest.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_RAYS = 2000 };

/* Part of the area that may be thinner: edges of wedges and what is next to creases. */
static const double least_area = 0.005;
/* Surfaces face one another up to 45 degrees. */
static const double facing = -0.7;

typedef struct Sample {
    double thickness, area;
} Sample;

static int compare_samples(const void *a, const void *b) {
    double x = ((const Sample *)a)->thickness, y = ((const Sample *)b)->thickness;
    return (x > y) - (x < y);
}

static Vec3 area_of(const TriangleMesh *mesh, size_t t) {
    const int32_t *corner = mesh->triangles[t];
    Vec3 a = mesh->vertices[corner[0]];
    return vec3_scale(0.5, vec3_cross(vec3_sub(mesh->vertices[corner[1]], a),
                                      vec3_sub(mesh->vertices[corner[2]], a)));
}

/* Along a ray from a triangle to a surface that faces it; `far` where there is none. */
static double way_across(const TriangleMesh *mesh, const Bvh *bvh, Vec3 from, Vec3 normal,
                         Vec3 along, double far) {
    Vec3 start = vec3_add_scaled(from, 1e-6 * far, along); /* not the triangle itself */
    BvhRayHit found = bvh_ray_first(bvh, start, vec3_add_scaled(start, far, along), 0);
    if (found.primitive == BVH_NONE) return far;
    Vec3 other = area_of(mesh, found.primitive);
    bool faces = vec3_dot(other, normal) < facing * vec3_length(other);
    return faces ? found.hit.t * far : far;
}

double surface_thinnest(const TriangleMesh *mesh, const Bvh *bvh, double longest) {
    Sample samples[MOST_RAYS];
    size_t count = 0, stride = mesh->triangle_count / MOST_RAYS + 1;
    double area = 0, sum = 0;
    for (size_t t = 0; t < mesh->triangle_count; t += stride) {
        const int32_t *corner = mesh->triangles[t];
        Vec3 out = area_of(mesh, t);
        double size = vec3_length(out);
        if (!(size > 0)) continue;
        Vec3 middle = vec3_add(mesh->vertices[corner[0]], mesh->vertices[corner[1]]);
        middle = vec3_scale(1.0 / 3, vec3_add(middle, mesh->vertices[corner[2]]));
        Vec3 normal = vec3_scale(1 / size, out), inward = vec3_scale(-1, normal);
        double wall = way_across(mesh, bvh, middle, normal, inward, longest);
        double gap = way_across(mesh, bvh, middle, normal, normal, longest);
        samples[count++] = (Sample){fmin(wall, gap), size};
        area += size;
    }
    qsort(samples, count, sizeof *samples, compare_samples);
    for (size_t i = 0; i < count; i++) {
        sum += samples[i].area;
        if (sum > least_area * area) return samples[i].thickness;
    }
    return longest;
}
