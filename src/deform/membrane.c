/* Membrane elements: plane-stress laws of triangles in space. */
#include "deform/membrane.h"

#include "math/decompose.h"

static const double least_stretch = 1e-3;

/* Columns of q: two in the plane of the triangle, then its normal. */
typedef struct Frame {
    Mat3 q, f2;
} Frame;

static Frame frame_of(Mat3 f) {
    Vec3 a = mat3_column(f, 0), b = mat3_column(f, 1), longer = a;
    if (vec3_dot(b, b) > vec3_dot(a, a)) longer = b;
    double length = vec3_length(longer);
    Vec3 first = length > 0 ? vec3_normalize(longer) : vec3_axis(0);
    Vec3 normal = vec3_cross(a, b);
    /* Collapsed to a line or a point: any plane through it. */
    if (!(vec3_length(normal) > 1e-14 * length * length)) normal = vec3_any_orthogonal(first);
    normal = vec3_normalize(vec3_add_scaled(normal, -vec3_dot(normal, first), first));
    Vec3 second = vec3_cross(normal, first);
    return (Frame){.q = mat3_from_columns(first, second, normal),
                   .f2 = {{{vec3_dot(first, a), vec3_dot(first, b), 0},
                           {vec3_dot(second, a), vec3_dot(second, b), 0},
                           {0, 0, 1}}}};
}

double membrane_stress(const ElementLaw *law, Mat3 f, Mat3 *stress) {
    Frame frame = frame_of(f);
    Mat3 in_plane;
    double energy = law_stress(law, frame.f2, &in_plane);
    *stress = mat3_multiply(frame.q, in_plane);
    return energy;
}

/* S = V diag(P_i / s_i) V^T; *most: the greatest of P_i / s_i in size. */
static Mat3 second_stress(const ElementLaw *law, Mat3 f2, bool project, double *most) {
    Mat3 u, v, stress, sum = mat3_diagonal(0, 0, 0);
    Vec3 sigma;
    law_stress(law, f2, &stress);
    svd_rotations_2(f2, &u, &sigma, &v);
    *most = 0;
    for (int i = 0; i < 2; i++) {
        Vec3 to = mat3_column(u, i), from = mat3_column(v, i);
        double pull = vec3_dot(to, mat3_apply(stress, from));
        double value = pull / fmax(vec3_component(sigma, i), least_stretch);
        if (project) value = fmax(value, 0.0);
        *most = fmax(*most, fabs(value));
        sum = mat3_add(sum, mat3_scale(value, mat3_outer(from, from)));
    }
    return sum;
}

void membrane_stiffness(const ElementLaw *law, Mat3 f, bool project, double *h) {
    Frame frame = frame_of(f);
    double c[16], half[6][4], q[9], s[9], most;
    law_stiffness(law, frame.f2, project, c);
    mat3_store(q, frame.q);
    mat3_store(s, second_stress(law, frame.f2, project, &most));
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++)
            for (int b = 0; b < 4; b++)
                half[2 * i + k][b] = q[3 * i] * c[4 * k + b] + q[3 * i + 1] * c[4 * (2 + k) + b];
    for (int row = 0; row < 6; row++)
        for (int column = row; column < 6; column++) {
            int i = row / 2, k = row % 2, j = column / 2, l = column % 2;
            double value = half[row][l] * q[3 * j] + half[row][2 + l] * q[3 * j + 1];
            value += q[3 * i + 2] * q[3 * j + 2] * s[3 * k + l];
            h[6 * row + column] = h[6 * column + row] = value;
        }
}

double membrane_stiffest(const ElementLaw *law, Mat3 f) {
    Frame frame = frame_of(f);
    double most;
    second_stress(law, frame.f2, true, &most);
    return fmax(law_stiffest(law, frame.f2), most);
}

double membrane_area_ratio(Mat3 f) {
    return vec3_length(vec3_cross(mat3_column(f, 0), mat3_column(f, 1)));
}
