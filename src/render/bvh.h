/* The scene as the ray tracer holds it: Embree scenes and what a hit is coloured with. */
#ifndef RENDER_BVH_H
#define RENDER_BVH_H

#include "render/raytrace.h"

#include <embree3/rtcore.h>

/* Embree's numbers of the geometries of opaque things. */
enum { GEOMETRY_TRIANGLES = 0, GEOMETRY_SPHERES = 1, GEOMETRY_DROPS = 2 };

/* Triangles of one or several meshes; what cannot be drawn was left out. */
typedef struct TriangleStore {
    float *vertices; /* 3 per vertex, and padding that Embree may read */
    size_t vertex_count, vertex_capacity;
    float *shares; /* per vertex: 0 and 1 at the ends of the scale; no number: none. Or NULL */
    float *checks; /* 2 per vertex: places on a checkerboard; no number: none. Or NULL */
    uint32_t *triangles; /* 3 per triangle, and padding */
    float *normals;      /* 9 per triangle: the unit shading normals of its corners */
    float *colors;       /* 3 per triangle, linear light */
    size_t triangle_count, triangle_capacity;
} TriangleStore;

typedef struct ClearMesh {
    TriangleStore store;
    Vec3 absorption; /* 1/m */
    double index;    /* of refraction */
    bool is_glass;   /* else water */
    double wet;      /* m: what is so close to its surface is taken to touch it */
} ClearMesh;

/* A drop: an ellipsoid about an axis. */
typedef struct Drop {
    float center[3], axis[3]; /* the axis has unit length */
    float along, across;      /* m, half its length and half its width */
    float color[3];           /* linear light, in flat pictures */
} Drop;

struct RenderScene {
    PlimContext *context;
    RTCDevice device;
    RTCScene scene; /* all that is opaque */
    RTCScene water; /* the clear meshes, a geometry each; NULL when there are none */

    TriangleStore bodies; /* all meshes that are not clear */
    ColorTable scale;     /* of values, linear light */
    ClearMesh *clear;
    size_t clear_count;
    double film; /* m: glass and water that are so close touch; 0 without one of them */

    float *spheres;       /* 4 per sphere: centre and radius */
    float *sphere_colors; /* 3 per sphere, linear light */
    size_t sphere_count, sphere_capacity;

    Drop *drops;
    size_t drop_count, drop_capacity;
};

/* Whether all values are numbers of a size that squares can be taken of. */
bool render_is_usable(const float *values, int count);

/* A camera that looks somewhere, a picture of the options' size. */
PlimStatus render_check_request(PlimContext *context, const RenderCamera *camera,
                                const RenderOptions *options, const Image *image);

PlimStatus render_check_embree(const RenderScene *scene);
/* Commits a geometry and hands it to an Embree scene. */
void render_attach(RTCScene scene, RTCGeometry geometry, unsigned number);

#endif
