/* Exact orientation predicates: a floating-point filter, then sums as expansions (lists of doubles
 * that do not overlap, of which the last and largest has the sign of the sum). */
#include "geom/query/orient.h"

#include <float.h>

/* 6 products of 3 differences, each of 2 doubles; a product of 3 doubles is 4. */
enum { MOST_TERMS = 6 * 8 * 4 };

typedef struct Expansion {
    int count;
    double term[MOST_TERMS]; /* by size */
} Expansion;

/* a + b = *sum + *error exactly. */
static void two_sum(double a, double b, double *sum, double *error) {
    double s = a + b, part_b = s - a, part_a = s - part_b;
    *error = (a - part_a) + (b - part_b);
    *sum = s;
}

static void add_term(Expansion *e, double term) {
    int count = 0;
    for (int i = 0; i < e->count; i++) {
        double rest;
        two_sum(term, e->term[i], &term, &rest);
        if (rest != 0.0) e->term[count++] = rest;
    }
    if (term != 0.0) e->term[count++] = term;
    e->count = count;
}

static void add_product(Expansion *e, double a, double b) {
    double high = a * b, low = fma(a, b, -high);
    if (low != 0.0) add_term(e, low);
    add_term(e, high);
}

static int sign_of(double a) {
    return (a > 0.0) - (a < 0.0);
}

static int expansion_sign(const Expansion *e) {
    return e->count > 0 ? sign_of(e->term[e->count - 1]) : 0;
}

/* A difference as two doubles, exactly. */
typedef struct Difference {
    double part[2];
} Difference;

static Difference difference(double a, double b) {
    Difference d;
    two_sum(a, -b, &d.part[0], &d.part[1]);
    return d;
}

static void add_products_of_two(Expansion *e, double sign, Difference a, Difference b) {
    for (int i = 0; i < 4; i++) {
        double left = a.part[i & 1], right = b.part[i >> 1];
        if (left != 0.0 && right != 0.0) add_product(e, sign * left, right);
    }
}

static void add_products_of_three(Expansion *e, double sign, Difference a, Difference b,
                                  Difference c) {
    for (int i = 0; i < 8; i++) {
        double first = a.part[i & 1], second = b.part[i >> 1 & 1], third = sign * c.part[i >> 2];
        if (first == 0.0 || second == 0.0 || third == 0.0) continue;
        double high = first * second, low = fma(first, second, -high);
        if (low != 0.0) add_product(e, low, third);
        add_product(e, high, third);
    }
}

static int exact_space(Vec3 a, Vec3 b, Vec3 c, Vec3 d) {
    Difference m[3][3] = {
        {difference(a.x, d.x), difference(a.y, d.y), difference(a.z, d.z)},
        {difference(b.x, d.x), difference(b.y, d.y), difference(b.z, d.z)},
        {difference(c.x, d.x), difference(c.y, d.y), difference(c.z, d.z)},
    };
    Expansion sum = {.count = 0};
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        add_products_of_three(&sum, 1.0, m[0][i], m[1][j], m[2][k]);
        add_products_of_three(&sum, -1.0, m[0][i], m[1][k], m[2][j]);
    }
    return expansion_sign(&sum);
}

int orient_space(Vec3 a, Vec3 b, Vec3 c, Vec3 d) {
    Vec3 u = vec3_sub(a, d), v = vec3_sub(b, d), w = vec3_sub(c, d);
    double yz = v.y * w.z, zy = v.z * w.y, zx = v.z * w.x, xz = v.x * w.z;
    double xy = v.x * w.y, yx = v.y * w.x;
    double value = u.x * (yz - zy) + u.y * (zx - xz) + u.z * (xy - yx);
    double size = fabs(u.x) * (fabs(yz) + fabs(zy)) + fabs(u.y) * (fabs(zx) + fabs(xz)) +
                  fabs(u.z) * (fabs(xy) + fabs(yx));
    /* Each of three differences, two products and three sums is wrong by half of DBL_EPSILON. */
    double error = 8.0 * DBL_EPSILON * size;
    if (value > error || value < -error) return sign_of(value);
    return exact_space(a, b, c, d);
}

int orient_plane(Vec3 a, Vec3 b, Vec3 c, int axis) {
    int first = (axis + 1) % 3, second = (axis + 2) % 3;
    double ax = vec3_component(a, first), ay = vec3_component(a, second);
    double bx = vec3_component(b, first), by = vec3_component(b, second);
    double cx = vec3_component(c, first), cy = vec3_component(c, second);
    double left = (ax - cx) * (by - cy), right = (ay - cy) * (bx - cx), value = left - right;
    double error = 4.0 * DBL_EPSILON * (fabs(left) + fabs(right));
    if (value > error || value < -error) return sign_of(value);
    Expansion sum = {.count = 0};
    add_products_of_two(&sum, 1.0, difference(ax, cx), difference(by, cy));
    add_products_of_two(&sum, -1.0, difference(ay, cy), difference(bx, cx));
    return expansion_sign(&sum);
}
