/* Push-out of one body from all that it overlaps: a 6x6 system (002 appendix B). */
#include "math/cholesky.h"
#include "math/eigen6.h"
#include "rigid/contact/push_out.h"

#include <string.h>

typedef struct System6 {
    double a[6][6], b[6];
} System6;

static Mat3 cross_matrix(Vec3 r) {
    return (Mat3){{{0, -r.z, r.y}, {r.z, 0, -r.x}, {-r.y, r.x, 0}}};
}

static void add_block(double a[6][6], int row, int column, Mat3 m) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) a[row + i][column + j] += vec3_component(m.r[i], j);
}

/* K_o^-1 and what goes with it, into the sums of (B.2). */
static void add_outer(System6 *system, const Outer *outer) {
    Mat3 k = mat3_inverse(outer->response), r = cross_matrix(outer->arm);
    Mat3 rt = mat3_transpose(r), kr = mat3_multiply(k, rt);
    add_block(system->a, 0, 0, k);
    add_block(system->a, 0, 3, kr);
    add_block(system->a, 3, 0, mat3_multiply(r, k));
    add_block(system->a, 3, 3, mat3_multiply(r, kr));
    Vec3 push = mat3_apply(k, outer->wanted), turn = vec3_cross(outer->arm, push);
    double right[6];
    vec3_store(right, push);
    vec3_store(right + 3, turn);
    for (int i = 0; i < 6; i++) system->b[i] += right[i];
}

/* Unknowns in units that make turning comparable to moving: lengths over the radius of gyration. */
static void scale_system(System6 *system, double length) {
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++)
            system->a[i][j] *= (i < 3 ? 1.0 : 1.0 / length) * (j < 3 ? 1.0 : 1.0 / length);
        if (i >= 3) system->b[i] /= length;
    }
}

/* The limit of (A_d + A_s / e) x = b_d + b_s / e for e -> 0 (B.3.2): on the range of A_s the static
 * bodies decide, on its nullspace the dynamic ones. One static body, several on a line, and enough
 * of them to fix the body altogether are all cases of it; with none the range is empty. */
static void solve_limit(const System6 *dynamic, const System6 *fixed, double x[6]) {
    double work[6][6], values[6], v[6][6], greatest = 0.0;
    memcpy(work, fixed->a, sizeof work);
    symmetric_eigen6(work, values, v);
    for (int k = 0; k < 6; k++) greatest = fmax(greatest, values[k]);
    bool in_range[6];
    double part[6] = {0}, range[6] = {0};
    for (int k = 0; k < 6; k++) {
        in_range[k] = values[k] > 1e-9 * greatest && greatest > 0.0;
        if (!in_range[k]) continue;
        for (int i = 0; i < 6; i++) part[k] += v[i][k] * fixed->b[i];
        part[k] /= values[k];
        for (int i = 0; i < 6; i++) range[i] += part[k] * v[i][k];
    }
    /* Z^T A_d Z z = Z^T (b_d - A_d y); rows and columns of the range are those of the identity. */
    double reduced[36], right[6];
    for (int k = 0; k < 6; k++) {
        right[k] = 0.0;
        for (int l = 0; l < 6; l++) reduced[6 * k + l] = k == l;
        if (in_range[k]) continue;
        for (int i = 0; i < 6; i++) {
            double left = dynamic->b[i];
            for (int j = 0; j < 6; j++) left -= dynamic->a[i][j] * range[j];
            right[k] += v[i][k] * left;
        }
        for (int l = 0; l < 6; l++) {
            if (in_range[l]) continue;
            double sum = 0.0;
            for (int i = 0; i < 6; i++)
                for (int j = 0; j < 6; j++) sum += v[i][k] * dynamic->a[i][j] * v[j][l];
            reduced[6 * k + l] = sum;
        }
    }
    bool definite = cholesky_factor(reduced, 6);
    if (definite) cholesky_solve(reduced, 6, right);
    for (int i = 0; i < 6; i++) {
        x[i] = range[i];
        for (int k = 0; k < 6; k++)
            if (!in_range[k] && definite) x[i] += right[k] * v[i][k];
    }
}

Shift push_out_central(const Central *central, Outer *outers, size_t count) {
    System6 dynamic = {0}, fixed = {0};
    double length = sqrt(mat3_trace(central->inertia) / (3.0 * central->mass));
    add_block(dynamic.a, 0, 0, mat3_diagonal(central->mass, central->mass, central->mass));
    add_block(dynamic.a, 3, 3, central->inertia);
    for (size_t o = 0; o < count; o++)
        add_outer(outers[o].is_static ? &fixed : &dynamic, &outers[o]);
    scale_system(&dynamic, length);
    scale_system(&fixed, length);
    double x[6];
    solve_limit(&dynamic, &fixed, x);
    Shift shift = {vec3_load(x), vec3_scale(1.0 / length, vec3_load(x + 3))};
    for (size_t o = 0; o < count; o++) { /* (B.3) */
        Outer *outer = &outers[o];
        Vec3 moved = vec3_add(shift.move, vec3_cross(shift.turn, outer->arm));
        Vec3 left = vec3_sub(moved, outer->wanted);
        outer->impulse =
            outer->is_static ? vec3(0, 0, 0) : mat3_apply(mat3_inverse(outer->response), left);
    }
    return shift;
}
