/* Contact of cylinders and cones: hulls of two circles about one axis, of which one may be a point.
 * The separating axis test of such a hull with a half space, a convex polyhedron or another hull:
 * normal and gap are exact, so that barrels roll and coins wobble smoothly. */
#ifndef COLLIDE_ROUND_HULL_H
#define COLLIDE_ROUND_HULL_H

#include "collide/polyhedron.h"
#include "collide/round.h"

/* What a hull meets; one of the three. */
typedef struct HullPartner {
    const Solid *half_space;
    const Polyhedron *polyhedron;
    const RoundCore *core; /* of a cylinder or cone */
} HullPartner;

/* Adds the points at which the cylinder or cone a is within `margin` of b: the ends of a line along
 * its side, a few points around a cap, or one point of a rim. Normals out of b unless `flip`. */
void round_hull_contact(const RoundCore *a, const Frame *at_a, const HullPartner *b,
                        const Frame *at_b, double margin, bool flip, ContactPoints *points);

/* The same in any distance field (round_hull_field.c): rims, and balls that touch the side from
 * inside. What sticks into the middle of a cap is not seen. */
void round_hull_in_field(const RoundCore *a, const Frame *at_a, const DistanceField *b,
                         const Frame *at_b, double margin, bool flip, ContactPoints *points);

#endif
