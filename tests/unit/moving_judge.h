/* Exact judge of moving contact: elements with whole-number corners are proven apart during a step,
 * or not. Directions are guessed in floating point; that one separates them during a span of time
 * is proven in integers, and spans are halved until all are proven or one is 2^-60 of the step.
 * Nothing here calls the library. */
#ifndef TESTS_MOVING_JUDGE_H
#define TESTS_MOVING_JUDGE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

enum { JUDGE_TIME_BITS = 60 };

/* Differences of corners at both ends of the step, components below 2^56: the elements touch when
 * the origin is in the hull of all. */
typedef struct JudgeHull {
    int count; /* up to 4; then a parallelogram with the diagonals 0-3 and 1-2 */
    int64_t start[4][3], end[4][3];
} JudgeHull;

static inline long double judge_dot(const long double a[3], const long double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void judge_keep_nearer(const long double p[3], long double best[3]) {
    if (judge_dot(p, p) < judge_dot(best, best)) memcpy(best, p, 3 * sizeof *p);
}

static inline void judge_try_segment(const long double a[3], const long double b[3],
                                     long double best[3]) {
    long double e[3], p[3];
    for (int i = 0; i < 3; i++) e[i] = b[i] - a[i];
    long double length2 = judge_dot(e, e);
    long double t = length2 > 0 ? -judge_dot(a, e) / length2 : 0;
    t = t > 0 ? (t < 1 ? t : 1) : 0;
    for (int i = 0; i < 3; i++) p[i] = a[i] + t * e[i];
    /* Inside, it must be orthogonal to the segment, however short it is. */
    for (int again = 0; again < 2 && t > 0 && t < 1; again++) {
        long double part = judge_dot(p, e) / length2;
        for (int i = 0; i < 3; i++) p[i] -= part * e[i];
    }
    judge_keep_nearer(p, best);
}

/* Only the foot of the perpendicular, if it is inside. The sides at a should be the shorter ones.
 */
static inline void judge_try_corner(const long double a[3], const long double b[3],
                                    const long double c[3], long double best[3]) {
    long double u[3], v[3], p[3];
    for (int i = 0; i < 3; i++) u[i] = b[i] - a[i], v[i] = c[i] - a[i];
    long double uu = judge_dot(u, u), vv = judge_dot(v, v), uv = judge_dot(u, v);
    long double ua = judge_dot(u, a), va = judge_dot(v, a), det = uu * vv - uv * uv;
    if (!(det > 0)) return;
    long double s = (va * uv - ua * vv) / det, t = (ua * uv - va * uu) / det;
    if (s < 0 || t < 0 || s + t > 1) return;
    long double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                        u[0] * v[1] - u[1] * v[0]};
    long double along = judge_dot(a, n) / judge_dot(n, n); /* its direction is exact to rounding */
    for (int i = 0; i < 3; i++) p[i] = along * n[i];
    judge_keep_nearer(p, best);
}

static inline long double judge_distance2(const long double a[3], const long double b[3]) {
    long double e[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    return judge_dot(e, e);
}

static inline void judge_try_triangle(const long double a[3], const long double b[3],
                                      const long double c[3], long double best[3]) {
    long double bc = judge_distance2(b, c), ca = judge_distance2(c, a), ab = judge_distance2(a, b);
    if (bc >= ca && bc >= ab)
        judge_try_corner(a, b, c, best);
    else if (ca >= ab)
        judge_try_corner(b, c, a, best);
    else
        judge_try_corner(c, a, b, best);
}

/* About the point of the hull nearest to the origin, as whole numbers of 52 bits. Normals of narrow
 * faces are bad guesses: one may ask for sides alone. */
static inline bool judge_guess(const JudgeHull *hull, long double t, bool faces, int64_t axis[3]) {
    long double d[4][3];
    for (int k = 0; k < hull->count; k++)
        for (int i = 0; i < 3; i++) d[k][i] = (1 - t) * hull->start[k][i] + t * hull->end[k][i];
    long double best[3] = {d[0][0], d[0][1], d[0][2]};
    for (int a = 0; a < hull->count; a++)
        for (int b = a + 1; b < hull->count; b++) {
            bool diagonal = hull->count == 4 && a + b == 3; /* no side of the parallelogram */
            if (!diagonal) judge_try_segment(d[a], d[b], best);
            for (int c = b + 1; faces && c < hull->count; c++)
                judge_try_triangle(d[a], d[b], d[c], best);
        }
    long double largest = fmaxl(fabsl(best[0]), fmaxl(fabsl(best[1]), fabsl(best[2])));
    if (!(largest > 0)) return false;
    for (int i = 0; i < 3; i++) axis[i] = llrintl(best[i] / largest * 0x1p52L);
    return true;
}

static inline Wide judge_along(const int64_t axis[3], const int64_t d[3]) {
    return (Wide)axis[0] * d[0] + (Wide)axis[1] * d[1] + (Wide)axis[2] * d[2];
}

/* Is (2^60 - t) a + t b > 0? The numbers are split at 64 bits. */
static inline bool judge_positive(Wide a, Wide b, int64_t t) {
    int64_t s = ((int64_t)1 << JUDGE_TIME_BITS) - t;
    UnsignedWide low =
        (UnsignedWide)(uint64_t)a * (uint64_t)s + (UnsignedWide)(uint64_t)b * (uint64_t)t;
    Wide high = (a >> 64) * s + (b >> 64) * t + (Wide)(low >> 64);
    return high > 0 || (high == 0 && (uint64_t)low > 0);
}

/* Distances along an axis are linear in time: positive at both ends, positive between. */
static inline bool judge_separates(const JudgeHull *hull, const int64_t axis[3], int64_t from,
                                   int64_t to) {
    for (int k = 0; k < hull->count; k++) {
        Wide a = judge_along(axis, hull->start[k]), b = judge_along(axis, hull->end[k]);
        if (!judge_positive(a, b, from) || !judge_positive(a, b, to)) return false;
    }
    return true;
}

static inline bool judge_proves_apart(const JudgeHull *hull, int most_spans) {
    const int64_t one = (int64_t)1 << JUDGE_TIME_BITS;
    for (int i = 0; i < 6; i++) {
        int64_t axis[3] = {0, 0, 0};
        axis[i / 2] = i % 2 ? 1 : -1;
        if (judge_separates(hull, axis, 0, one)) return true;
    }
    int64_t stack[2 * JUDGE_TIME_BITS + 2][2] = {{0, one}}, axis[3];
    int top = 1;
    for (int tried = 0; top > 0; tried++) {
        int64_t from = stack[top - 1][0], to = stack[top - 1][1], middle = from + (to - from) / 2;
        top--;
        bool proven = false;
        for (int sides = 0; sides < 2 && !proven; sides++)
            proven = judge_guess(hull, (long double)middle / one, !sides, axis) &&
                     judge_separates(hull, axis, from, to);
        if (proven) continue;
        if (to - from <= 1 || tried > most_spans) return false;
        stack[top][0] = middle, stack[top++][1] = to;
        stack[top][0] = from, stack[top++][1] = middle;
    }
    return true;
}

#endif
