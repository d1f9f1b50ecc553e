/* Ghost contacts at seams: where surfaces meet flush, the edge of one is not a place to run into.
 * A contact counts only if its normal is one of the union of all that touches there: a limiting
 * normal in the sense of Mordukhovich, that is the limit of normals along which balls can touch the
 * union from outside at points nearby. */
#ifndef COLLIDE_SEAM_H
#define COLLIDE_SEAM_H

#include "collide/plane_shape.h"
#include "collide/shape.h"

/* A surface as it lies in the world. */
typedef struct SeamSurface {
    const CollideShape *shape;
    const PlaneShape *cut; /* in two dimensions; NULL in space */
    const Frame *at;
} SeamSurface;

/* Signed distance of a point of the world; HUGE_VAL for a thin shell, which has no inside. */
double seam_distance(const SeamSurface *surface, Vec3 p);

/* Round shapes have no faces, or caps alone. */
bool seam_is_round(const SeamSurface *surface);

/* Whether `others`, which touch the surface at or near p, leave no place within about `reach` of p
 * where `n`, its normal out of the surface at p, is a normal of all of them together. False where
 * the surface is not known well enough to tell. `partner_radius` is that of what touches it there,
 * HUGE_VAL where that is flat: a round one's nearest point is found anew. */
bool seam_hides(const SeamSurface *surface, Vec3 p, Vec3 n, double partner_radius, double reach,
                const SeamSurface *others, size_t count);

#endif
