/* Volume rendering of smoke in a box: what it takes from a ray, and what light it sends along it.
 * Absorption and single scattering; light that reaches each cell is found once a picture. */
#ifndef RENDER_SMOKE_H
#define RENDER_SMOKE_H

#include "render/bvh.h"

/* Padded arrays have a layer of cells more on all sides, equal to the outermost cells. */
typedef struct Smoke {
    int n[3];
    size_t stride[3], count; /* of the padded arrays */
    double spacing;          /* m */
    Vec3 low;                /* m, lowest corner */
    float *thickness;        /* optical, of smoke one cell deep; padded */
    float *sun, *sky;        /* share of each light that arrives; padded */
    float *glow;             /* of hot smoke, 0 to 1; padded; NULL when none is hot */
    int blocks[3];
    unsigned char *full; /* of each block of cells: rays may find smoke in it */
} Smoke;

/* `scene` casts shadows on the smoke; `sun` is a unit vector towards it. */
PlimStatus smoke_create(PlimContext *context, const RenderSmoke *from, const RenderScene *scene,
                        Vec3 sun, Smoke *out);
void smoke_free(PlimContext *context, Smoke *smoke);

/* What arrives at a ray's origin. */
typedef struct SmokePath {
    double through;        /* share of the light from `far` */
    double sun, sky, glow; /* scattered and sent out between */
} SmokePath;

/* Along `direction` (unit) as far as `far` (m). `phase` in 0..1 places the samples within steps of
 * a cell; neighbouring rays with different ones leave no bands. */
SmokePath smoke_along(const Smoke *smoke, Vec3 origin, Vec3 direction, double far, double phase);

/* Share of the light that gets from outside to `origin` from `direction`. */
double smoke_through(const Smoke *smoke, Vec3 origin, Vec3 direction, double phase);

#endif
