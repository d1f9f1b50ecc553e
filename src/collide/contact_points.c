#include "collide/contact.h"

enum { FULL = CONTACT_MOST_POINTS + 1 };

/* Areas are compared with this much play, relative: in a regular pattern of points the same one
 * goes whatever the rounding. */
static const double TIE = 1e-6;

static size_t deepest_point(const ContactPoint *points) {
    size_t deepest = 0;
    for (size_t i = 1; i < FULL; i++)
        if (points[i].gap < points[deepest].gap) deepest = i;
    return deepest;
}

/* Squared width of the points' box. */
static double spread_squared(const ContactPoint *points) {
    Box3 box = box3_empty();
    for (size_t i = 0; i < FULL; i++) box = box3_add_point(box, points[i].position);
    Vec3 width = vec3_sub(box.high, box.low);
    return vec3_dot(width, width);
}

/* Squared distances of a point to its nearest and second nearest neighbour. */
typedef struct Solitude {
    double nearest, second;
} Solitude;

static void solitude_add(Solitude *solitude, double distance) {
    if (distance < solitude->nearest) {
        solitude->second = solitude->nearest;
        solitude->nearest = distance;
    } else if (distance < solitude->second) {
        solitude->second = distance;
    }
}

/* Points that push in other directions are apart wherever they are: at a right angle, as far as the
 * whole list is wide. */
static void measure_solitude(const ContactPoint *points, Solitude *solitude) {
    double spread = spread_squared(points);
    for (size_t i = 0; i < FULL; i++) solitude[i] = (Solitude){HUGE_VAL, HUGE_VAL};
    for (size_t i = 0; i < FULL; i++) {
        for (size_t j = 0; j < i; j++) {
            Vec3 apart = vec3_sub(points[i].position, points[j].position);
            double turned = 1.0 - vec3_dot(points[i].normal, points[j].normal);
            double distance = vec3_dot(apart, apart) + spread * turned;
            solitude_add(&solitude[i], distance);
            solitude_add(&solitude[j], distance);
        }
    }
}

/* About the area that is lost with the point, squared: nothing when it lies on another, most at the
 * ends of a row. Of near equals the later one goes. */
static bool says_less(Solitude a, Solitude b) {
    return a.nearest * a.second <= (1.0 + TIE) * (b.nearest * b.second);
}

void contact_points_add(ContactPoints *points, ContactPoint point) {
    if (points->count < CONTACT_MOST_POINTS) {
        points->at[points->count++] = point;
        return;
    }
    ContactPoint all[FULL];
    for (size_t i = 0; i < CONTACT_MOST_POINTS; i++) all[i] = points->at[i];
    all[CONTACT_MOST_POINTS] = point;
    Solitude solitude[FULL];
    measure_solitude(all, solitude);
    size_t deepest = deepest_point(all), dropped = deepest == 0 ? 1 : 0;
    for (size_t i = dropped + 1; i < FULL; i++)
        if (i != deepest && says_less(solitude[i], solitude[dropped])) dropped = i;
    for (size_t i = dropped; i < CONTACT_MOST_POINTS; i++) points->at[i] = all[i + 1];
}
