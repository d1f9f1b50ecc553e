/* Face apertures: the part of a segment or square on which linear values are positive. */
#ifndef GRID_APERTURE_H
#define GRID_APERTURE_H

#include <stdbool.h>

/* Of a segment with these end values. */
static inline double aperture_of_segment(double a, double b) {
    if (a > 0 && b > 0) return 1;
    if (a <= 0 && b <= 0) return 0;
    return a > 0 ? a / (a - b) : b / (b - a);
}

/* Where the middle of that part lies, from the middle of the segment towards b, times the part: its
 * first moment, in lengths of the segment. */
static inline double aperture_moment_of_segment(double a, double b) {
    double part = aperture_of_segment(a, b);
    double away = 0.5 * (1 - part) * part;
    return a > 0 && b > 0 ? 0 : a > 0 ? -away : away;
}

/* Of a triangle. One corner alone on its side cuts off a smaller triangle, by both its edges. */
static inline double aperture_of_triangle(double a, double b, double c) {
    int positive = (a > 0) + (b > 0) + (c > 0);
    if (positive == 3) return 1;
    if (positive == 0) return 0;
    if (positive == 2) return 1 - aperture_of_triangle(-a, -b, -c);
    double alone = a > 0 ? a : b > 0 ? b : c;
    double p = a > 0 ? b : a, q = c > 0 ? b : c; /* the two others */
    return alone / (alone - p) * (alone / (alone - q));
}

/* First moment of the positive part of a triangle with these corners in a plane: its area times its
 * middle. */
static inline void aperture_moment_of_triangle(const double value[3], const double (*corner)[2],
                                               double area, double moment[2]) {
    int positive = (value[0] > 0) + (value[1] > 0) + (value[2] > 0);
    double whole[2];
    for (int axis = 0; axis < 2; axis++)
        whole[axis] = area * (corner[0][axis] + corner[1][axis] + corner[2][axis]) / 3;
    moment[0] = moment[1] = 0;
    if (positive == 3)
        for (int axis = 0; axis < 2; axis++) moment[axis] = whole[axis];
    if (positive == 0 || positive == 3) return;
    /* The corner alone on its side, and the smaller triangle that is cut off with it. */
    bool lone_sign = positive == 1;
    int lone = (value[0] > 0) == lone_sign ? 0 : (value[1] > 0) == lone_sign ? 1 : 2;
    int p = (lone + 1) % 3, q = (lone + 2) % 3;
    double s = value[lone] / (value[lone] - value[p]), t = value[lone] / (value[lone] - value[q]);
    for (int axis = 0; axis < 2; axis++) {
        double o = corner[lone][axis];
        double middle = o + (s * (corner[p][axis] - o) + t * (corner[q][axis] - o)) / 3;
        double cut = area * s * t * middle;
        moment[axis] = lone_sign ? cut : whole[axis] - cut;
    }
}

/* First moment of the positive part of a unit square about its middle; corners in turn, the first
 * at
 * (-1/2, -1/2), the second at (1/2, -1/2). */
static inline void aperture_moment_of_square(const double value[4], double moment[2]) {
    static const double corners[4][2] = {{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}};
    double middle = 0.25 * (value[0] + value[1] + value[2] + value[3]);
    moment[0] = moment[1] = 0;
    for (int side = 0; side < 4; side++) {
        int next = (side + 1) % 4;
        const double values[3] = {value[side], value[next], middle};
        const double triangle[3][2] = {
            {corners[side][0], corners[side][1]}, {corners[next][0], corners[next][1]}, {0, 0}};
        double part[2];
        aperture_moment_of_triangle(values, triangle, 0.25, part);
        moment[0] += part[0];
        moment[1] += part[1];
    }
}

/* Of a square with corners in turn around it, cut into four triangles about its middle, so that the
 * result is the same from every side. */
static inline double aperture_of_square(double a, double b, double c, double d) {
    double middle = 0.25 * (a + b + c + d);
    return 0.25 * (aperture_of_triangle(a, b, middle) + aperture_of_triangle(b, c, middle) +
                   aperture_of_triangle(c, d, middle) + aperture_of_triangle(d, a, middle));
}

#endif
