/* A preview ray tracer on Embree: triangle meshes, water, spheres, drops and smoke, checker ground,
 * soft shadow, sky. */
#ifndef RENDER_RAYTRACE_H
#define RENDER_RAYTRACE_H

#include "math/vec.h"
#include "render/camera.h"
#include "render/color.h"
#include "render/image.h"

/* Colours of values. */
typedef struct RenderScale {
    ColorTable table;
    double low, high; /* values of its first and its last colour */
} RenderScale;

/* Arrays are borrowed for the life of the scene. */
typedef struct RenderMesh {
    const float *vertices; /* 3 per vertex, m */
    size_t vertex_count;
    const int32_t *triangles; /* 3 per triangle */
    size_t triangle_count;
    const int32_t *objects;      /* per triangle: index into colors */
    const unsigned char *hidden; /* per object: not 0 for those that are not drawn; NULL: none */
    const float *colors;         /* 3 per object, 0..1, as seen in full light (sRGB) */
    /* One value a vertex, interpolated and shown as a colour of the scale in place of `colors`,
     * less dark in the shade; NULL: none. All meshes of a scene that have values have the same
     * scale. */
    const float *values;
    const RenderScale *scale;
    const float *checks; /* 2 per vertex: places on a checkerboard; no number, or NULL: plain */
    bool smooth;         /* interpolate normals across edges that bend less than 40 degrees */
    /* The closed surface of water or glass, normals outward: light is bent, mirrored and absorbed.
     * Colours are not looked at. */
    bool is_clear;
    float absorption[3]; /* 1/m, of red, green and blue in it */
    /* Index of refraction of glass, which is where it overlaps with water; 0: this is water. */
    double glass;
} RenderMesh;

typedef struct RenderSpheres {
    const float *centers; /* 3 per sphere */
    const float *radii;
    const float *colors; /* 3 per sphere */
    size_t count;
} RenderSpheres;

/* Small drops of water, stretched along their way as if the picture took 1/48 s. */
typedef struct RenderDrops {
    const float *positions;  /* m, 3 per drop */
    const float *velocities; /* m/s, 3 per drop */
    const float *radii;      /* m, at rest */
    size_t count;
    double size;         /* part of the radius that is drawn; 0: all of it */
    float flat_color[3]; /* sRGB, of a flat picture; otherwise they look like water */
} RenderDrops;

/* Smoke in a box of cells. Arrays are borrowed during the drawing. */
typedef struct RenderSmoke {
    int n[3];                 /* cells, x running fastest */
    double spacing;           /* m, edge of a cell */
    Vec3 origin;              /* m, lowest corner */
    const float *density;     /* 1 = thick; what is below 0 or no number is 0 */
    const float *temperature; /* degrees; NULL: none glows */
    const int32_t *solid;     /* not 0 in cells that bodies and obstacles fill; NULL: none */
    double extinction;        /* 1/m, of smoke of density 1 */
    float flat_color[3];      /* sRGB, of a flat picture: where no body is and it can be seen */
} RenderSmoke;

/* Density of smoke that one looks at, and share of the light that it takes. */
#define RENDER_SMOKE_VISIBLE 0.05f

/* A tank with four glass sides, open above. */
typedef struct RenderGlass {
    Vec3 low, high; /* m */
} RenderGlass;

typedef struct RenderOptions {
    int width, height;        /* default 960 x 540 */
    int samples;              /* rays per pixel, default 4 */
    bool ground;              /* draw the checker ground, default true */
    double ground_height;     /* m */
    double checker;           /* edge of a checker square, m */
    Vec3 ground_color;        /* sRGB 0..1, of its light squares, default a pale grey */
    Vec3 sun;                 /* direction to the sun, any length, default (0.5, 1, 0.35) */
    double sun_softness;      /* apparent radius of the sun in radians, default 0.05 */
    const RenderSmoke *smoke; /* NULL, the default: none */
    const RenderGlass *glass; /* borrowed; none by default */
    size_t glass_count;
} RenderOptions;

typedef struct RenderScene RenderScene;

RenderOptions render_options_default(void);

PlimStatus render_scene_create(PlimContext *context, const RenderMesh *meshes, size_t mesh_count,
                               const RenderSpheres *spheres, size_t sphere_count,
                               RenderScene **out);
void render_scene_destroy(RenderScene *scene);

/* At most once for a scene. Those that have no size or no place are left out. */
PlimStatus render_scene_add_drops(RenderScene *scene, const RenderDrops *sets, size_t set_count);

/* Fills `image`, which must have the options' size. Same bits for any thread count. */
PlimStatus render_scene_draw(const RenderScene *scene, const RenderCamera *camera,
                             const RenderOptions *options, Image *image);

/* The same view without light: of each pixel the colour, exact to the byte, of what is in its
 * middle; black where nothing is, or the ground. Clear meshes are not drawn. */
PlimStatus render_scene_draw_flat(const RenderScene *scene, const RenderCamera *camera,
                                  const RenderOptions *options, Image *image);

#endif
