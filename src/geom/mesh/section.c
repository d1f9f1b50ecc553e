/* Area and moments of a cross-section by quadtree and cut squares. */
#include "geom/mesh/section.h"

/* Integrals of 1, x, y, x^2, y^2 and xy over a part of the plane. */
typedef struct Moments {
    double area, x, y, xx, yy, xy;
} Moments;

/* A square of the recursion, by its middle; lengths from the middle of the first square, so that a
 * cut far from the origin loses no digits. */
typedef struct Square {
    double x, y, half;
} Square;

enum { CORNER_LEVELS = 6 }; /* of squares beyond `depth`, where the boundary has a corner */

typedef struct SectionJob {
    const Solid *solid;
    double middle[2];
    int depth; /* levels of squares */
    Moments sum;
} SectionJob;

typedef struct Corner {
    double x, y, value;
} Corner;

static Corner corner_at(const SectionJob *job, double x, double y) {
    Vec3 at = vec3(job->middle[0] + x, job->middle[1] + y, 0.0);
    return (Corner){x, y, solid_distance(job->solid, at)};
}

static void add_square(Moments *sum, Square square) {
    double area = 4.0 * square.half * square.half;
    double own = square.half * square.half / 3.0; /* mean of x^2 about its middle */
    sum->area += area;
    sum->x += area * square.x;
    sum->y += area * square.y;
    sum->xx += area * (square.x * square.x + own);
    sum->yy += area * (square.y * square.y + own);
    sum->xy += area * square.x * square.y;
}

/* The mean of a quadratic over a triangle is its mean over the middles of the edges. */
static void add_triangle(Moments *sum, Corner a, Corner b, Corner c) {
    double area = 0.5 * fabs((b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y));
    const double x[3] = {0.5 * (a.x + b.x), 0.5 * (b.x + c.x), 0.5 * (c.x + a.x)};
    const double y[3] = {0.5 * (a.y + b.y), 0.5 * (b.y + c.y), 0.5 * (c.y + a.y)};
    double part = area / 3.0;
    sum->area += area;
    for (int i = 0; i < 3; i++) {
        sum->x += part * x[i];
        sum->y += part * y[i];
        sum->xx += part * x[i] * x[i];
        sum->yy += part * y[i] * y[i];
        sum->xy += part * x[i] * y[i];
    }
}

/* Where a linear distance is zero on the edge from the inside to the outside. */
static Corner crossing(Corner inside, Corner outside) {
    double s = inside.value / (inside.value - outside.value);
    return (Corner){inside.x + s * (outside.x - inside.x), inside.y + s * (outside.y - inside.y),
                    0.0};
}

/* The part of a triangle where the linear distance is negative. */
static void add_cut_triangle(Moments *sum, Corner a, Corner b, Corner c) {
    int inside = (a.value < 0) + (b.value < 0) + (c.value < 0);
    if (inside == 0) return;
    if (inside == 3) {
        add_triangle(sum, a, b, c);
        return;
    }
    /* Turn it until `a` is alone on its side. */
    while ((a.value < 0) != (inside == 1) || (b.value < 0) == (inside == 1)) {
        Corner first = a;
        a = b;
        b = c;
        c = first;
    }
    if (inside == 1) {
        add_triangle(sum, a, crossing(a, b), crossing(a, c));
    } else {
        Corner p = crossing(b, a), q = crossing(c, a);
        add_triangle(sum, b, c, q);
        add_triangle(sum, b, q, p);
    }
}

/* Four triangles about the middle: the same from every side. False, and nothing added, where the
 * distance is not nearly linear and the square may be cut further: at corners, and in thin parts.
 */
static bool add_cut_square(SectionJob *job, Square square, double value, bool may_cut) {
    static const int turns[5][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {-1, -1}};
    Corner middle = {square.x, square.y, value}, corner[5];
    double mean = 0.0;
    for (int i = 0; i < 4; i++) {
        corner[i] = corner_at(job, square.x + turns[i][0] * square.half,
                              square.y + turns[i][1] * square.half);
        mean += 0.25 * corner[i].value;
    }
    if (may_cut && fabs(mean - value) > 0.02 * square.half) return false;
    corner[4] = corner[0];
    for (int i = 0; i < 4; i++) add_cut_triangle(&job->sum, middle, corner[i], corner[i + 1]);
    return true;
}

/* A distance changes by no more than the way: far from the surface a square is in or out whole. */
static void measure_square(SectionJob *job, Square square, int level) {
    double value = corner_at(job, square.x, square.y).value;
    double reach = 1.5 * square.half; /* half its diagonal, and a bit for distances on grids */
    if (value >= reach) return;
    if (value <= -reach) {
        add_square(&job->sum, square);
        return;
    }
    if (level >= job->depth &&
        add_cut_square(job, square, value, level < job->depth + CORNER_LEVELS))
        return;
    double half = 0.5 * square.half;
    for (int i = 0; i < 4; i++) {
        Square part = {square.x + (i & 1 ? half : -half), square.y + (i & 2 ? half : -half), half};
        measure_square(job, part, level + 1);
    }
}

static Moments measure_at(const Solid *solid, const double middle[2], double half, int depth) {
    SectionJob job = {.solid = solid, .middle = {middle[0], middle[1]}, .depth = depth};
    measure_square(&job, (Square){0, 0, half}, 0);
    return job.sum;
}

/* The error of the linear cuts falls as the square of their size. */
static double richardson(double coarse, double fine) {
    return fine + (fine - coarse) / 3.0;
}

PlimStatus section_measure(PlimContext *context, const Solid *solid, Section *out) {
    enum { LEVELS = 9 }; /* 512 squares along the longest side, then 1024 */
    *out = (Section){0};
    Box3 box = solid_bounds(solid);
    double width = box.high.x - box.low.x, height = box.high.y - box.low.y;
    if (!isfinite(width) || !isfinite(height))
        return context_fail(context, PLIM_BAD_INPUT,
                            "the shape has no end; intersect it with something finite");
    const double middle[2] = {0.5 * (box.low.x + box.high.x), 0.5 * (box.low.y + box.high.y)};
    double half = 0.505 * fmax(width, height); /* no edge along the sides of squares by design */
    Moments coarse = measure_at(solid, middle, half, LEVELS);
    Moments fine = measure_at(solid, middle, half, LEVELS + 1);
    double area = richardson(coarse.area, fine.area);
    if (!(fine.area > 0) || !(area > 0))
        return context_fail(context, PLIM_BAD_INPUT,
                            "nothing of the shape is in the plane z = 0; move it there");
    double x = richardson(coarse.x, fine.x) / area, y = richardson(coarse.y, fine.y) / area;
    *out = (Section){.area = area,
                     .center = {middle[0] + x, middle[1] + y},
                     .xx = richardson(coarse.xx, fine.xx) - area * x * x,
                     .yy = richardson(coarse.yy, fine.yy) - area * y * y,
                     .xy = richardson(coarse.xy, fine.xy) - area * x * y};
    return PLIM_OK;
}

/* ---- search ---- */

static bool reaches(const Solid *solid, Vec3 middle, Vec3 half, double depth, double finest) {
    double value = solid_distance(solid, middle), reach = vec3_length(half);
    if (value < -depth) return true;
    if (value - reach >= -depth || 2.0 * reach < finest) return false;
    Vec3 quarter = vec3_scale(0.5, half);
    for (int i = 0; i < 8; i++) {
        if ((i & 1 && half.x == 0) || (i & 2 && half.y == 0) || (i & 4 && half.z == 0)) continue;
        Vec3 part =
            vec3_add(middle, vec3(i & 1 ? quarter.x : -quarter.x, i & 2 ? quarter.y : -quarter.y,
                                  i & 4 ? quarter.z : -quarter.z));
        if (reaches(solid, part, quarter, depth, finest)) return true;
    }
    return false;
}

bool solid_reaches(const Solid *solid, Box3 box, double depth, double finest) {
    Vec3 half = vec3_scale(0.5, vec3_sub(box.high, box.low));
    if (half.x < 0 || half.y < 0 || half.z < 0) return false;
    return reaches(solid, vec3_add(box.low, half), half, depth, finest);
}
