/* Signed distances of many points from a primitive at once, vectorised. The formulas are those of
 * solid_distance. */
#include "collide/sample_field.h"

static double length2(double x, double y) {
    return sqrt(x * x + y * y);
}

static void to_own_axes(const Solid *solid, PointRow *p) {
    Mat3 m = quat_to_mat3(quat_conjugate(solid->orientation));
    Vec3 at = solid->position;
    double shrink = 1.0 / solid->scale;
#pragma omp simd
    for (int i = 0; i < p->count; i++) {
        double x = p->x[i] - at.x, y = p->y[i] - at.y, z = p->z[i] - at.z;
        p->x[i] = shrink * (m.r[0].x * x + m.r[0].y * y + m.r[0].z * z);
        p->y[i] = shrink * (m.r[1].x * x + m.r[1].y * y + m.r[1].z * z);
        p->z[i] = shrink * (m.r[2].x * x + m.r[2].y * y + m.r[2].z * z);
    }
}

static double positive(double x) {
    return x > 0.0 ? x : 0.0;
}

static double negative(double x) {
    return x < 0.0 ? x : 0.0;
}

static double larger(double x, double y) {
    return x > y ? x : y;
}

static void box_distances(const Solid *solid, const PointRow *p, double *out) {
    double half[3] = {0.5 * solid->size[0], 0.5 * solid->size[1], 0.5 * solid->size[2]};
#pragma omp simd
    for (int i = 0; i < p->count; i++) {
        double x = fabs(p->x[i]) - half[0], y = fabs(p->y[i]) - half[1],
               z = fabs(p->z[i]) - half[2];
        double dx = positive(x), dy = positive(y), dz = positive(z);
        out[i] = sqrt(dx * dx + dy * dy + dz * dz) + negative(larger(x, larger(y, z)));
    }
}

static void cylinder_distances(const Solid *solid, const PointRow *p, double *out) {
    double radius = solid->radius, half = 0.5 * solid->height;
#pragma omp simd
    for (int i = 0; i < p->count; i++) {
        double across = length2(p->x[i], p->z[i]) - radius, along = fabs(p->y[i]) - half;
        out[i] = length2(positive(across), positive(along)) + negative(larger(across, along));
    }
}

/* A ball is a capsule without length. */
static void capsule_distances(double radius, double half, const PointRow *p, double *out) {
#pragma omp simd
    for (int i = 0; i < p->count; i++) {
        double x = p->x[i], y = positive(fabs(p->y[i]) - half), z = p->z[i];
        out[i] = sqrt(x * x + y * y + z * z) - radius;
    }
}

static void torus_distances(const Solid *solid, const PointRow *p, double *out) {
    double radius = solid->radius, tube = solid->tube;
#pragma omp simd
    for (int i = 0; i < p->count; i++)
        out[i] = length2(length2(p->x[i], p->z[i]) - radius, p->y[i]) - tube;
}

static void half_space_distances(const PointRow *p, double *out) {
    for (int i = 0; i < p->count; i++) out[i] = p->y[i];
}

bool distances_at_once(const Solid *solid, PointRow *p, double *out) {
    bool known = solid->kind <= SOLID_TORUS || solid->kind == SOLID_HALF_SPACE;
    if (!known) return false;
    to_own_axes(solid, p);
    if (solid->kind == SOLID_BOX) box_distances(solid, p, out);
    if (solid->kind == SOLID_BALL) capsule_distances(solid->radius, 0.0, p, out);
    if (solid->kind == SOLID_CYLINDER) cylinder_distances(solid, p, out);
    if (solid->kind == SOLID_CAPSULE) capsule_distances(solid->radius, 0.5 * solid->height, p, out);
    if (solid->kind == SOLID_TORUS) torus_distances(solid, p, out);
    if (solid->kind == SOLID_HALF_SPACE) half_space_distances(p, out);
    for (int i = 0; i < p->count; i++) out[i] *= solid->scale;
    return true;
}
