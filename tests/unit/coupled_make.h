/* The systems that the tests of the coupled solve are about: random ones, a staggered box with a
 * rigid body in it, two bodies with a joint and a pin. */
#ifndef TESTS_COUPLED_MAKE_H
#define TESTS_COUPLED_MAKE_H

#include "coupled_case.h"

#include "math/mat.h"

/* A random symmetric positive definite block. */
static inline void make_block(Case *made, size_t at, size_t size, double mass, uint64_t stream) {
    double *root = operator_vector(size * size, stream);
    for (size_t i = 0; i < size; i++)
        for (size_t k = 0; k < size; k++)
            made->mass[(at + i) * made->n + at + k] =
                mass *
                ((i == k ? 1.0 : 0.0) + 0.3 * operator_dot(root + i * size, root + k * size, size));
    free(root);
}

static inline void make_rows(double *full, size_t rows, size_t n, double size, uint64_t stream) {
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < 4; k++) {
            size_t at = (size_t)((double)n * random_uniform(78, stream + 2 * k, i));
            full[i * n + at] += size * random_normal(78, stream + 2 * k + 1, i);
        }
}

typedef struct RandomDesc {
    bool dampers, ties, targets;
    double ratio; /* of the bodies' masses to the others'; 0: 1 */
} RandomDesc;

enum { RANDOM_POINTS = 20, RANDOM_BODIES = 4, RANDOM_GIVEN = 5 };

/* 20 velocities with masses of their own, 4 bodies, 5 given velocities. With ties, the first 5
 * follow bodies and given ones. Given velocities are zero unless there are targets. */
static inline Case make_random(const RandomDesc *desc) {
    const CaseGroup groups[3] = {{COUPLED_MASS_SCALAR, RANDOM_POINTS, 1},
                                 {COUPLED_MASS_BLOCKS, 6 * RANDOM_BODIES, 6},
                                 {COUPLED_MASS_INFINITE, RANDOM_GIVEN, 1}};
    Case made = case_create(8, desc->dampers ? 10 : 0, desc->ties ? 5 : 0, groups, 3);
    double ratio = desc->ratio > 0.0 ? desc->ratio : 1.0;
    size_t n = made.n;
    for (size_t i = 0; i < RANDOM_POINTS; i++)
        made.mass[i * n + i] = 0.5 + random_uniform(79, 0, i);
    for (size_t i = 0; i < RANDOM_BODIES; i++)
        make_block(&made, RANDOM_POINTS + 6 * i, 6, ratio, 200 + i);
    make_rows(made.d, made.constraints, n, 1.0, 300);
    make_rows(made.c, made.dampers, n, 1.5, 400);
    for (size_t i = 0; i < made.ties; i++) {
        made.tied[i] = (int32_t)i;
        made.j[i * n + i] = 1.0;
        for (size_t k = 0; k < 3; k++)
            made.j[i * n + RANDOM_POINTS + 7 * i % (n - RANDOM_POINTS - 3) + k] =
                0.5 * random_normal(80, k, i);
        if (i % 2 == 0) made.j[i * n + n - 1 - i] = 0.7;
    }
    for (size_t i = 0; i < made.constraints; i++)
        made.target[i] = desc->targets ? random_normal(81, 0, i) : 0.0;
    for (size_t i = n - RANDOM_GIVEN; i < n; i++)
        if (!desc->targets) made.w[i] = 0.0;
    return made;
}

enum { BOX = 8, BOX_FACES = BOX * (BOX + 1) };

static inline size_t box_face(int axis, int x, int y) {
    return axis == 0 ? (size_t)(y * (BOX + 1) + x) : (size_t)(BOX_FACES + y * BOX + x);
}

/* Cells 3 to 5 in x and 2 to 4 in y are the body's. */
static inline bool box_is_body(int x, int y) {
    return x >= 3 && x < 6 && y >= 2 && y < 5;
}

static inline bool box_is_covered(int axis, int x, int y) {
    return box_is_body(x, y) || box_is_body(x - (axis == 0), y - (axis == 1));
}

static inline bool box_is_wall(int axis, int x, int y) {
    return axis == 0 ? x == 0 || x == BOX : y == 0 || y == BOX;
}

static inline size_t box_visit_dampers(double size, double *c, size_t n) {
    size_t row = 0;
    for (int axis = 0; axis < 2; axis++)
        for (int y = 0; y < BOX + (axis == 1); y++)
            for (int x = 0; x < BOX + (axis == 0); x++)
                for (int along = 0; along < 2; along++) {
                    int x2 = x + (along == 0), y2 = y + (along == 1);
                    if (x2 >= BOX + (axis == 0) || y2 >= BOX + (axis == 1)) continue;
                    if (c) {
                        c[row * n + box_face(axis, x, y)] = -size;
                        c[row * n + box_face(axis, x2, y2)] = size;
                    }
                    row++;
                }
    return row;
}

static inline void box_tie(Case *made) {
    size_t n = made->n, body = 2 * BOX_FACES, row = 0;
    for (int axis = 0; axis < 2; axis++)
        for (int y = 0; y < BOX + (axis == 1); y++)
            for (int x = 0; x < BOX + (axis == 0); x++) {
                if (!box_is_covered(axis, x, y)) continue;
                double *j = made->j + row * n; /* v + omega x r at the face's centre */
                double rx = x + (axis == 0 ? 0.0 : 0.5) - 4.5,
                       ry = y + (axis == 0 ? 0.5 : 0.0) - 3.5;
                made->tied[row++] = (int32_t)box_face(axis, x, y);
                j[box_face(axis, x, y)] = 1.0;
                j[body + (size_t)axis] = -1.0;
                j[body + 2] = axis == 0 ? ry : -rx;
            }
    assert_int_equal(row, made->ties);
}

/* Faces of mass 1, walls by targets of zero on their faces, cells without net outflow, a square
 * body of 3 x 3 cells whose faces move with it. `viscosity` 0: no dampers. */
static inline Case make_box(double body_mass, double viscosity) {
    const CaseGroup groups[2] = {{COUPLED_MASS_SCALAR, 2 * BOX_FACES, 1},
                                 {COUPLED_MASS_BLOCKS, 3, 3}};
    size_t dampers = viscosity > 0.0 ? box_visit_dampers(0.0, NULL, 0) : 0;
    Case made = case_create(BOX * BOX - 9 + 4 * BOX, dampers, 24, groups, 2);
    size_t n = made.n, row = 0;
    for (size_t i = 0; i < 2 * BOX_FACES; i++) made.mass[i * n + i] = 1.0;
    for (size_t i = 2 * BOX_FACES; i < n; i++)
        made.mass[i * n + i] = i + 1 < n ? body_mass : 1.5 * body_mass;
    box_visit_dampers(sqrt(viscosity), dampers > 0 ? made.c : NULL, n);
    box_tie(&made);
    for (int axis = 0; axis < 2; axis++)
        for (int y = 0; y < BOX + (axis == 1); y++)
            for (int x = 0; x < BOX + (axis == 0); x++)
                if (box_is_wall(axis, x, y)) made.d[row++ * n + box_face(axis, x, y)] = 1.0;
    for (int y = 0; y < BOX; y++)
        for (int x = 0; x < BOX; x++) {
            if (box_is_body(x, y)) continue;
            double *d = made.d + row++ * n;
            d[box_face(0, x, y)] = d[box_face(1, x, y)] = -1.0;
            d[box_face(0, x + 1, y)] = d[box_face(1, x, y + 1)] = 1.0;
        }
    assert_int_equal(row, made.constraints);
    return made;
}

/* Row `i` of I, r*^T: the velocity along axis i of the point at r from a body's centre (002 C.1.1).
 */
static inline void joint_row(double *row, size_t body, int axis, Vec3 r, double sign) {
    const double lever[3][3] = {{0.0, r.z, -r.y}, {-r.z, 0.0, r.x}, {r.y, -r.x, 0.0}};
    row[6 * body + (size_t)axis] += sign;
    for (size_t k = 0; k < 3; k++) row[6 * body + 3 + k] += sign * lever[axis][k];
}

/* Body a is pinned to the world (given, body 2), b hangs on it by a hinge about z: 3 + 3 + 2 rows.
 */
static inline Case make_joints(bool targets) {
    const CaseGroup groups[2] = {{COUPLED_MASS_BLOCKS, 12, 6}, {COUPLED_MASS_INFINITE, 6, 1}};
    Case made = case_create(8, 0, 0, groups, 2);
    size_t n = made.n;
    for (size_t body = 0; body < 2; body++) {
        for (size_t i = 0; i < 3; i++)
            made.mass[(6 * body + i) * n + 6 * body + i] = body == 0 ? 2.0 : 0.5;
        make_block(&made, 6 * body + 3, 3, 0.2, 500 + body);
    }
    for (int axis = 0; axis < 3; axis++) {
        double *pin = made.d + (size_t)axis * n, *joint = made.d + (size_t)(3 + axis) * n;
        joint_row(pin, 0, axis, (Vec3){-1.0, 0.2, 0.1}, 1.0);
        joint_row(pin, 2, axis, (Vec3){0.0, 0.0, 0.0}, -1.0);
        joint_row(joint, 0, axis, (Vec3){1.0, -0.3, 0.0}, 1.0);
        joint_row(joint, 1, axis, (Vec3){-0.7, 0.4, 0.2}, -1.0);
        if (axis == 2) continue;
        made.d[(size_t)(6 + axis) * n + 3 + (size_t)axis] = 1.0;
        made.d[(size_t)(6 + axis) * n + 9 + (size_t)axis] = -1.0;
    }
    for (size_t i = 0; i < made.constraints; i++)
        made.target[i] = targets ? random_normal(82, 0, i) : 0.0;
    for (size_t i = 12; i < n; i++)
        if (!targets) made.w[i] = 0.0;
    return made;
}

enum { CASES = 8 };

/* All of them, with and without dampers, ties, targets. */
static inline Case make_numbered(int number) {
    switch (number) {
    case 0:
        return make_random(&(RandomDesc){.targets = true});
    case 1:
        return make_random(&(RandomDesc){.ties = true, .targets = true});
    case 2:
        return make_random(&(RandomDesc){.dampers = true, .targets = true});
    case 3:
        return make_random(&(RandomDesc){.dampers = true, .ties = true, .targets = true});
    case 4:
        return make_box(3.0, 0.0);
    case 5:
        return make_box(3.0, 2.0);
    case 6:
        return make_joints(false);
    default:
        return make_joints(true);
    }
}

#endif
