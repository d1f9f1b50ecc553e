/* Contact manifold reduction: the few points that span the most are kept. */
#include "collide/contact.h"

/* One more than fit, and room up to a multiple of what a vector register holds. */
enum { FULL = CONTACT_MOST_POINTS + 1, LANES = 16 };

/* Areas are compared with this much play, relative: in a regular pattern of points the same one
 * goes whatever the rounding. */
static const double TIE = 1e-6;

static size_t deepest_point(const ContactPoint *points) {
    size_t deepest = 0;
    for (size_t i = 1; i < FULL; i++)
        if (points[i].gap < points[deepest].gap) deepest = i;
    return deepest;
}

/* Coordinates apart from each other, for vector loops. */
typedef struct PointLanes {
    double x[LANES], y[LANES], z[LANES];    /* positions */
    double nx[LANES], ny[LANES], nz[LANES]; /* normals */
} PointLanes;

static void fill_lanes(const ContactPoint *points, PointLanes *out) {
    for (size_t i = 0; i < LANES; i++) {
        const ContactPoint *point = &points[i < FULL ? i : FULL - 1];
        out->x[i] = point->position.x;
        out->y[i] = point->position.y;
        out->z[i] = point->position.z;
        out->nx[i] = point->normal.x;
        out->ny[i] = point->normal.y;
        out->nz[i] = point->normal.z;
    }
}

static double width_of(const double *x) {
    double low = x[0], high = x[0];
#pragma omp simd reduction(min : low) reduction(max : high)
    for (size_t i = 0; i < LANES; i++) {
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
    }
    return high - low;
}

/* Squared width of the points' box. */
static double spread_squared(const PointLanes *p) {
    double x = width_of(p->x), y = width_of(p->y), z = width_of(p->z);
    return x * x + y * y + z * z;
}

/* Squared distances of each point to its nearest and second nearest neighbour. */
typedef struct Solitudes {
    double nearest[LANES], second[LANES];
} Solitudes;

/* Points that push in other directions are apart wherever they are: at a right angle, as far as the
 * whole list is wide. */
static void measure_solitudes(const ContactPoint *points, Solitudes *out) {
    PointLanes p;
    fill_lanes(points, &p);
    double spread = spread_squared(&p);
    for (size_t i = 0; i < LANES; i++) out->nearest[i] = out->second[i] = HUGE_VAL;
    for (size_t j = 0; j < FULL; j++) {
#pragma omp simd
        for (size_t i = 0; i < LANES; i++) {
            double x = p.x[i] - p.x[j], y = p.y[i] - p.y[j], z = p.z[i] - p.z[j];
            double along = p.nx[i] * p.nx[j] + p.ny[i] * p.ny[j] + p.nz[i] * p.nz[j];
            double distance = x * x + y * y + z * z + spread * (1.0 - along);
            distance = i == j ? HUGE_VAL : distance;
            double nearest = out->nearest[i], later = nearest > distance ? nearest : distance;
            out->nearest[i] = distance < nearest ? distance : nearest;
            out->second[i] = later < out->second[i] ? later : out->second[i];
        }
    }
}

/* About the area that is lost with the point, squared: nothing when it lies on another, most at the
 * ends of a row. Of near equals the later one goes. */
static bool says_less(const Solitudes *solitudes, size_t a, size_t b) {
    return solitudes->nearest[a] * solitudes->second[a] <=
           (1.0 + TIE) * (solitudes->nearest[b] * solitudes->second[b]);
}

void contact_points_add(ContactPoints *points, ContactPoint point) {
    if (points->count < CONTACT_MOST_POINTS) {
        points->at[points->count++] = point;
        return;
    }
    ContactPoint all[FULL];
    for (size_t i = 0; i < CONTACT_MOST_POINTS; i++) all[i] = points->at[i];
    all[CONTACT_MOST_POINTS] = point;
    Solitudes solitudes;
    measure_solitudes(all, &solitudes);
    size_t deepest = deepest_point(all), dropped = deepest == 0 ? 1 : 0;
    for (size_t i = dropped + 1; i < FULL; i++)
        if (i != deepest && says_less(&solitudes, i, dropped)) dropped = i;
    for (size_t i = dropped; i < CONTACT_MOST_POINTS; i++) points->at[i] = all[i + 1];
}
