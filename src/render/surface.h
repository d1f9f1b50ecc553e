/* Ray-surface hits: rays that meet opaque things, and what the place looks like. */
#ifndef RENDER_SURFACE_H
#define RENDER_SURFACE_H

#include "render/bvh.h"
#include "render/shade.h"

typedef struct RayHit {
    double distance; /* m from the ray's origin; infinite when nothing was met */
    Vec3 outward;    /* unit, of the geometry */
    double u, v;     /* weights of the second and third corner of a triangle */
    unsigned geometry, primitive;
} RayHit;

/* The nearest hit in one of the two Embree scenes within `far`; direction is a unit vector. */
RayHit surface_find(RTCScene scene, Vec3 origin, Vec3 direction, double far);

/* Whether anything opaque stands in the ray's way. */
bool surface_blocks(RTCScene scene, Vec3 origin, Vec3 direction);

/* `travelled` is the way from the eye to the origin, m. */
Surface surface_of_hit(const RenderScene *scene, const RayHit *hit, Vec3 origin, Vec3 direction,
                       double travelled);

/* *normal is that of the face; it becomes the mean of the normals at the triangle's corners, turned
 * over if `flipped`. False, and it stays, where they are of no use. */
bool surface_normal(const TriangleStore *store, const RayHit *hit, bool flipped, Vec3 *normal);

/* How far off a surface rays may start. Single precision places a point within a few 1e-7 of these
 * lengths. */
static inline double surface_gap(double distance, Vec3 point) {
    return 2e-5 * (distance + vec3_length(point));
}

#endif
