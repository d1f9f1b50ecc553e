/* The part of a segment or a square on which linearly varying values are positive. */
#ifndef GRID_OPEN_PART_H
#define GRID_OPEN_PART_H

/* Of a segment with these end values. */
static inline double open_part_of_segment(double a, double b) {
    if (a > 0 && b > 0) return 1;
    if (a <= 0 && b <= 0) return 0;
    return a > 0 ? a / (a - b) : b / (b - a);
}

/* Of a triangle. One corner alone on its side cuts off a smaller triangle, by both its edges. */
static inline double open_part_of_triangle(double a, double b, double c) {
    int positive = (a > 0) + (b > 0) + (c > 0);
    if (positive == 3) return 1;
    if (positive == 0) return 0;
    if (positive == 2) return 1 - open_part_of_triangle(-a, -b, -c);
    double alone = a > 0 ? a : b > 0 ? b : c;
    double p = a > 0 ? b : a, q = c > 0 ? b : c; /* the two others */
    return alone / (alone - p) * (alone / (alone - q));
}

/* Of a square with corners in turn around it, cut into four triangles about its middle, so that the
 * result is the same from every side. */
static inline double open_part_of_square(double a, double b, double c, double d) {
    double middle = 0.25 * (a + b + c + d);
    return 0.25 * (open_part_of_triangle(a, b, middle) + open_part_of_triangle(b, c, middle) +
                   open_part_of_triangle(c, d, middle) + open_part_of_triangle(d, a, middle));
}

#endif
