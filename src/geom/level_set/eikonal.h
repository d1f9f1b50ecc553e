/* Eikonal equation |grad phi| = 1, upwind differences at one value (000 section 2.3.1; Sethian
 * 1996, 1999): what fast marching and group marching solve for each value they settle. */
#ifndef GEOM_EIKONAL_H
#define GEOM_EIKONAL_H

#include <math.h>

/* One axis of the upwind stencil: weight * (phi - base)^2 is its share of h^2 |grad phi|^2. The
 * weight is 1 for first-order differences, 9/4 for second order, 0 where neither side is settled.
 */
typedef struct Upwind {
    double nearest; /* distance at the settled neighbour the difference looks to */
    double base, weight;
} Upwind;

/* phi from h^2 |grad phi|^2 = h^2 by the given axes; no number if there is none. `origin` is near
 * the distances: squares of their differences to it lose fewer digits. */
static inline double eikonal_quadratic(const Upwind *up, int count, double origin, double h) {
    double w = 0, b = 0, c = -h * h;
    for (int i = 0; i < count; i++) {
        double base = up[i].base - origin;
        w += up[i].weight;
        b += up[i].weight * base;
        c += up[i].weight * base * base;
    }
    double inside = b * b - w * c;
    return inside < 0 ? NAN : origin + (b + sqrt(inside)) / w;
}

/* phi from those of the axes that have a weight, one at least. Axes whose neighbour turns out to
 * lie downwind of the result are left out, the farthest first; one axis alone always has a
 * solution. */
static inline double eikonal_solve(const Upwind *all, int axes, double h) {
    Upwind up[3] = {{0}};
    int count = 0;
    for (int axis = 0; axis < axes; axis++) {
        if (all[axis].weight == 0) continue;
        int slot = count++;
        for (; slot > 0 && up[slot - 1].nearest > all[axis].nearest; slot--)
            up[slot] = up[slot - 1];
        up[slot] = all[axis];
    }
    for (; count > 1; count--) {
        double distance = eikonal_quadratic(up, count, up[0].nearest, h);
        if (distance >= up[count - 1].nearest) return distance;
    }
    return up[0].base + (up[0].weight == 1.0 ? h : h / 1.5);
}

#endif
