/* What sampled surfaces and round shapes share: the field of b, seen by points of a. All points are
 * in b's own axes. */
#ifndef COLLIDE_SAMPLE_FIELD_H
#define COLLIDE_SAMPLE_FIELD_H

#include "collide/sample.h"

typedef struct FieldView {
    const Solid *solid;
    Box3 box;         /* around all points that can be within the margin */
    bool bounded;     /* the box is finite */
    const Frame *at;  /* of b in the world */
    Frame own_to_b;   /* a's own axes to b's */
    Vec3 fallback;    /* unit: the normal where the field has none, from b's middle to a's */
    double near_face; /* m: faces whose distances differ by less are equally near */
    double next_face; /* m: how much farther a face may be that suits the sample better */
    double margin;    /* m */
    bool flip;
    ContactPoints *points;
} FieldView;

/* `round` is the radius of a's core. */
FieldView field_view(const Frame *at_a, const DistanceField *b, const Frame *at_b, double margin,
                     double round, bool flip, ContactPoints *points);

/* The part of the segment that is in the view's box, in m from `from`; false when there is none. */
bool field_view_clip(const FieldView *view, Vec3 from, Vec3 along, double length, double part[2]);

/* Unit; the fallback where the distance does not grow. */
Vec3 field_view_normal(const FieldView *view, Vec3 p);

/* A contact of the core's point `core`, `radius` inside a's surface (0: on it). */
void field_view_add(const FieldView *view, Vec3 core, double radius, double gap, Vec3 normal);

/* solid_distance or a little less: points within r of p are at least this less r away. The value of
 * a level set does not promise that. */
double distance_bound(const Solid *solid, Vec3 p);

/* The distance, where it may be below `limit` right beyond the grid of a level set too. */
double distance_within(const Solid *solid, Vec3 p, double limit);

/* Coordinates apart from each other, for vector loops. */
enum { POINT_ROW_MOST = 97 };

typedef struct PointRow {
    double x[POINT_ROW_MOST], y[POINT_ROW_MOST], z[POINT_ROW_MOST];
    int count;
} PointRow;

/* solid_distance of all points, which are changed; false, and nothing done, for a kind of solid
 * that has to be asked point by point (sample_many.c). */
bool distances_at_once(const Solid *solid, PointRow *points, double *out);

/* A face of a solid, or its whole surface, as seen from a point. */
typedef struct FieldSide {
    double distance; /* m, negative inside; to a face's plane or mantle */
    Vec3 normal;     /* unit, out of the solid */
} FieldSide;

/* solid_distance, and the unit direction in which it grows, zero where there is none. */
FieldSide distance_and_direction(const Solid *solid, Vec3 p);
Vec3 distance_direction(const Solid *solid, Vec3 p);

enum { FIELD_MOST_SIDES = 3 };

/* The faces a point inside could leave through: the nearer one of each pair of a box, cap and
 * mantle of a cylinder, base and mantle of a cone. None for other solids. */
int distance_sides(const Solid *solid, Vec3 p, FieldSide sides[FIELD_MOST_SIDES]);

/* ---- level sets beyond their grid, in their own axes (sample_far.c) ---- */

Box3 level_set_grid_box(const LevelSet *field);
bool level_set_is_beyond(const LevelSet *field, Vec3 p);
double level_set_far_value(const LevelSet *field, Vec3 p);
Vec3 level_set_far_direction(const LevelSet *field, Vec3 p); /* not normalised */
/* No point within r of p has a distance below this less r. */
double level_set_least_value(const LevelSet *field, Vec3 p);

#endif
