/* Shading, the look of a picture: a soft outdoor studio with a warm sun, a pale blue sky and a grey
 * checker floor that fades into the horizon. All colours here are linear light. */
#ifndef RENDER_SHADE_H
#define RENDER_SHADE_H

#include "render/raytrace.h"

typedef struct Look {
    Vec3 sun; /* unit vector towards it */
    bool ground;
    double ground_height, checker; /* m */
    Vec3 tile_light, tile_dark;    /* albedo of its squares */
    double fade;                   /* m: the distance at which haze takes half */
    double reach;                  /* m: how far away a neighbour still takes skylight */
    double pixel_angle;            /* radians across one pixel */
} Look;

/* Where a ray met something. */
typedef struct Surface {
    Vec3 point;  /* m; where rays to the lights start, just off the surface */
    Vec3 normal; /* unit, for shading */
    Vec3 face;   /* unit, of the geometry, on the viewer's side */
    Vec3 albedo;
    double distance; /* m from the eye */
    double shine;    /* 0 matt, 1 polished */
    double own;      /* share of its colour that is seen without any light: 0, but of values */
    double drop;     /* m, the length of a drop of water, a small lens; 0: something else */
} Surface;

/* Light towards the eye, in the parts that become visible apart. */
typedef struct Light {
    Vec3 steady;  /* whatever stands around: sky, haze */
    Vec3 ambient; /* from the sky, when nothing is near */
    Vec3 sun;     /* from the sun, when nothing is before it */
} Light;

/* Haze and nearness go by what the camera is set on, so that every size of scene looks alike. */
Look shade_look(const RenderCamera *camera, const RenderOptions *options);

Vec3 shade_background(const Look *look, Vec3 direction);

/* Distance along the ray to the ground; infinite when it does not get there or haze hides it. */
double shade_ground_distance(const Look *look, Vec3 origin, Vec3 direction);
/* `travelled` is the way from the eye to the origin, m. */
Surface shade_ground(const Look *look, Vec3 origin, Vec3 direction, double distance,
                     double travelled);

/* Where what one sees through a drop is, and the drop with light from there. */
Vec3 shade_bent_by_drop(const Surface *surface, Vec3 direction);
Light shade_drop(const Look *look, const Surface *surface, Vec3 direction, Vec3 behind);

/* A drop has sky and floor behind it. */
Light shade_surface(const Look *look, const Surface *surface, Vec3 direction);

/* The sun as a mirror shows it, besides the sky. */
Vec3 shade_glint(const Look *look, Vec3 direction);

/* Light of smoke, from shares of the sun's and the sky's light and of its own glow. */
Vec3 shade_smoke(const Look *look, Vec3 direction, double sun, double sky, double glow);

static inline Vec3 shade_tint(Vec3 a, Vec3 b) {
    return vec3(a.x * b.x, a.y * b.y, a.z * b.z);
}

static inline double shade_luminance(Vec3 color) {
    return 0.2126 * color.x + 0.7152 * color.y + 0.0722 * color.z;
}

#endif
