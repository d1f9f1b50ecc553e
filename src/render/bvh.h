/* The scene as the ray tracer holds it: one Embree scene and what a hit is coloured with. */
#ifndef RENDER_BVH_H
#define RENDER_BVH_H

#include "render/raytrace.h"

#include <embree3/rtcore.h>

/* Embree's numbers of the two geometries. */
enum { GEOMETRY_TRIANGLES = 0, GEOMETRY_SPHERES = 1 };

/* All meshes are one, and so are all sphere sets; what cannot be drawn was left out. */
struct RenderScene {
    PlimContext *context;
    RTCDevice device;
    RTCScene scene;

    float *vertices; /* 3 per vertex, and padding that Embree may read */
    size_t vertex_count;
    uint32_t *triangles; /* 3 per triangle, and padding */
    float *normals;      /* 9 per triangle: the unit shading normals of its corners */
    float *colors;       /* 3 per triangle, linear light */
    size_t triangle_count, triangle_capacity;

    float *spheres;       /* 4 per sphere: centre and radius */
    float *sphere_colors; /* 3 per sphere, linear light */
    size_t sphere_count, sphere_capacity;
};

/* Linear light of an sRGB value in 0..1; anything else is clamped. */
double linear_from_srgb(double value);

#endif
