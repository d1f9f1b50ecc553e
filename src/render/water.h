/* Refraction and reflection, what a ray sees that meets water: it is bent, mirrored and absorbed
 * (Whitted 1980), both ways of it followed as long as they count, without chance. */
#ifndef RENDER_WATER_H
#define RENDER_WATER_H

#include "render/surface.h"

typedef struct WaterView {
    Light light;     /* of all ways; `ambient` and `sun` are those of `surface` alone */
    Surface surface; /* the opaque place that most light comes from */
    bool has_surface;
    double distance; /* m to the first thing */
} WaterView;

/* `inside`: the water that the eye is in, NULL in air. */
WaterView water_look(const RenderScene *scene, const Look *look, Vec3 eye, Vec3 direction,
                     const ClearMesh *inside);

/* A drop that a ray from the eye meets: the scene is seen through it once. */
Light water_look_through_drop(const RenderScene *scene, const Look *look, const Surface *drop,
                              Vec3 direction);

/* The water that holds a point; NULL when it is dry. */
const ClearMesh *water_around(const RenderScene *scene, Vec3 point);

/* Share of the light from outside that reaches a point along -direction, as if water did not bend
 * it. */
Vec3 water_passes(const RenderScene *scene, Vec3 point, Vec3 direction);

#endif
