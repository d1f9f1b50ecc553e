/* Stiffness dP/dF of isotropic laws from its closed-form eigenvalues, and its projection onto
 * positive semidefinite matrices. In the frame of the singular vectors it falls apart into the
 * matrix of second derivatives to the stretches and, for each pair of axes, one eigenvalue of a
 * symmetric and one of a skew change of F. */
#include "deform/law.h"

#include "deform/law_stretch.h"
#include "math/decompose.h"

/* See law_stiffness: where the energy has a crease the stiffness stays finite. */
static const double least_stretch_sum = 1e-3;

static const int pair_axes[3][2] = {{0, 1}, {0, 2}, {1, 2}};

static int pair_count(const ElementLaw *law) {
    return law->dim == 2 ? 1 : 3;
}

typedef struct Spectrum {
    Mat3 stretches;  /* d2Psi/ds_i ds_j, Pa; zero beyond dim */
    double shear[3]; /* of (u_i v_j^T + u_j v_i^T)/sqrt 2, for each of pair_axes, Pa */
    double spin[3];  /* of (u_i v_j^T - u_j v_i^T)/sqrt 2, Pa */
} Spectrum;

/* u_i, v_i: columns of the rotations of F = U diag(s) V^T. */
typedef struct Axes {
    Mat3 u, v;
} Axes;

static Vec3 principal_axes(const ElementLaw *law, Mat3 f, Axes *axes) {
    Vec3 sigma;
    if (law->dim == 2)
        svd_rotations_2(f, &axes->u, &sigma, &axes->v);
    else
        svd_rotations(f, &axes->u, &sigma, &axes->v);
    return sigma;
}

static void spectrum_of(const ElementLaw *law, Vec3 sigma, Spectrum *spectrum) {
    double s[3] = {sigma.x, sigma.y, sigma.z}, block[9] = {0};
    LawPrincipal at;
    law_principal(law, s, &at);
    for (int i = 0; i < law->dim; i++) {
        for (int j = 0; j < law->dim; j++)
            block[3 * i + j] = at.coupling * at.slope[i] * at.slope[j];
        block[4 * i] += at.diagonal[i];
    }
    spectrum->stretches = mat3_load(block);
    for (int p = 0; p < pair_count(law); p++) {
        int i = pair_axes[p][0], j = pair_axes[p][1];
        spectrum->shear[p] = law_divided_difference(law, at.volumetric, s[i], s[j]);
        /* The order of the stretches makes the sum of two never negative. */
        spectrum->spin[p] = (at.stress[i] + at.stress[j]) / fmax(s[i] + s[j], least_stretch_sum);
    }
}

static void clamp_negative(const ElementLaw *law, Spectrum *spectrum) {
    for (int p = 0; p < pair_count(law); p++) {
        spectrum->shear[p] = fmax(spectrum->shear[p], 0.0);
        spectrum->spin[p] = fmax(spectrum->spin[p], 0.0);
    }
    Mat3 whole = spectrum->stretches;
    if (law->dim == 2) whole.r[2].z = 1.0;
    if (law_positive_definite(whole)) return;
    Vec3 values;
    Mat3 vectors;
    symmetric_eigen(spectrum->stretches, &values, &vectors);
    if (values.z >= 0.0) return;
    Mat3 frame = mat3_transpose(vectors);
    Mat3 sum = mat3_scale(fmax(values.x, 0.0), mat3_outer(frame.r[0], frame.r[0]));
    spectrum->stretches =
        mat3_add(sum, mat3_scale(fmax(values.y, 0.0), mat3_outer(frame.r[1], frame.r[1])));
}

/* H = sum over m of q_m t_m^T, where q_m are the matrices u_i v_j^T as vectors and t_m is what the
 * stiffness makes of them. `dim` is a constant of each call, for the sake of the loops. */
static inline void assemble(int dim, const Spectrum *spectrum, const Axes *axes, double *h) {
    double q[9][9], t[9][9], u[9], v[9], block[9];
    int n = dim * dim;
    mat3_store(u, axes->u);
    mat3_store(v, axes->v);
    mat3_store(block, spectrum->stretches);
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++)
            for (int k = 0; k < dim; k++)
                for (int l = 0; l < dim; l++)
                    q[dim * i + j][dim * k + l] = u[3 * k + i] * v[3 * l + j];
    for (int i = 0; i < dim; i++) {
        for (int a = 0; a < n; a++) {
            double sum = 0.0;
            for (int j = 0; j < dim; j++) sum += block[3 * i + j] * q[(dim + 1) * j][a];
            t[(dim + 1) * i][a] = sum;
        }
    }
    for (int p = 0; p < (dim == 2 ? 1 : 3); p++) {
        int ij = dim * pair_axes[p][0] + pair_axes[p][1];
        int ji = dim * pair_axes[p][1] + pair_axes[p][0];
        double same = 0.5 * (spectrum->shear[p] + spectrum->spin[p]);
        double other = 0.5 * (spectrum->shear[p] - spectrum->spin[p]);
        for (int a = 0; a < n; a++) {
            t[ij][a] = same * q[ij][a] + other * q[ji][a];
            t[ji][a] = same * q[ji][a] + other * q[ij][a];
        }
    }
    for (int a = 0; a < n; a++) {
        double row[9] = {0};
        for (int m = 0; m < n; m++)
            for (int b = 0; b < n; b++) row[b] += q[m][a] * t[m][b];
        for (int b = a; b < n; b++) h[n * a + b] = h[n * b + a] = row[b]; /* symmetric to the bit */
    }
}

static void linear_stiffness(const ElementLaw *law, double *h) {
    int dim = law->dim, n = dim * dim;
    double lambda = law_plane_lambda(law);
    for (int a = 0; a < n; a++) {
        for (int b = 0; b < n; b++) {
            int i = a / dim, j = a % dim, k = b / dim, l = b % dim;
            h[n * a + b] =
                law->mu * ((i == k && j == l) + (i == l && j == k)) + lambda * (i == j && k == l);
        }
    }
}

static Mat3 without_third_axis(Mat3 a) {
    return (Mat3){{{a.r[0].x, a.r[0].y, 0}, {a.r[1].x, a.r[1].y, 0}, {0, 0, 0}}};
}

/* SVK: dP_ik/dF_jl = delta_ij S_kl + mu (F_il F_jk + (F F^T)_ij delta_kl) + lambda F_ik F_jl, with
 * S = 2 mu E + lambda tr E I. */
static void green_dyads(const ElementLaw *law, Mat3 f, Mat3 c, LawDyads *dyads) {
    double lambda = law_plane_lambda(law), mu = law->mu;
    double pressure = 0.5 * lambda * (mat3_trace(c) - 3.0) - mu;
    *dyads = (LawDyads){
        .second = mat3_add(mat3_scale(mu, c), mat3_diagonal(pressure, pressure, pressure)),
        .map = f,
        .left = mu,
        .crossed = mu,
        .straight = lambda};
}

/* Neo-Hookean, G = F^-T: dP_ik/dF_jl = mu delta_ij delta_kl + (mu - lambda ln J) G_il G_jk + lambda
 * G_ik G_jl. */
static void neo_hookean_dyads(const ElementLaw *law, Mat3 f, double jacobian, LawDyads *dyads) {
    *dyads = (LawDyads){.second = mat3_diagonal(law->mu, law->mu, law->mu),
                        .map = mat3_transpose(mat3_inverse(f)),
                        .crossed = law->mu - law->lambda * log(jacobian),
                        .straight = law->lambda};
}

/* As law_stress: without stretches where none lies where the law was continued. */
bool law_dyads(const ElementLaw *law, Mat3 f, LawDyads *dyads) {
    bool green = law->model == LAW_ST_VENANT_KIRCHHOFF;
    bool plain = green || (law->model == LAW_NEO_HOOKEAN && !law->plane_stress);
    if (!plain) return false;
    if (law->dim == 2) f = (Mat3){{{f.r[0].x, f.r[0].y, 0}, {f.r[1].x, f.r[1].y, 0}, {0, 0, 1}}};
    double jacobian = mat3_determinant(f);
    Mat3 c = law_cauchy_green(f);
    double least = green ? law_least_green_stretch : law->least_stretch;
    if (!(jacobian > 0.0 && law_stretches_above(c, least))) return false;
    if (green)
        green_dyads(law, f, c, dyads);
    else
        neo_hookean_dyads(law, f, jacobian, dyads);
    if (law->dim == 2) {
        dyads->second = without_third_axis(dyads->second);
        dyads->map = without_third_axis(dyads->map);
    }
    return true;
}

/* The matrix that dyads stand for: symmetric to the bit. */
static void write_dyads(int dim, const LawDyads *dyads, double *h) {
    double m[9], second[9], left[9];
    mat3_store(m, dyads->map);
    mat3_store(second, dyads->second);
    mat3_store(left, mat3_multiply(dyads->map, mat3_transpose(dyads->map)));
    for (int row = 0; row < dim * dim; row++)
        for (int column = row; column < dim * dim; column++) {
            int i = row / dim, k = row % dim, j = column / dim, l = column % dim;
            double value = (i == j ? second[3 * k + l] : 0.0) +
                           (k == l ? dyads->left * left[3 * i + j] : 0.0) +
                           dyads->crossed * m[3 * i + l] * m[3 * j + k] +
                           dyads->straight * m[3 * i + k] * m[3 * j + l];
            h[dim * dim * row + column] = h[dim * dim * column + row] = value;
        }
}

void law_stiffness(const ElementLaw *law, Mat3 f, bool project, double *h) {
    if (law->model == LAW_LINEAR) {
        linear_stiffness(law, h);
        return;
    }
    LawDyads dyads;
    if (!project && law_dyads(law, f, &dyads)) {
        write_dyads(law->dim, &dyads, h);
        return;
    }
    Axes axes;
    Spectrum spectrum;
    spectrum_of(law, principal_axes(law, f, &axes), &spectrum);
    if (project) clamp_negative(law, &spectrum);
    if (law->dim == 2)
        assemble(2, &spectrum, &axes, h);
    else
        assemble(3, &spectrum, &axes, h);
}

/* The stretches alone. Roots of the eigenvalues of F^T F serve for elements that are neither near a
 * collapse nor far stretched: no other function of this file is so often called for all elements.
 */
static Vec3 principal_stretches(const ElementLaw *law, Mat3 f) {
    const double least = 0.25, largest = 3.0;
    Mat3 c = law_cauchy_green(f);
    bool plain = law->dim == 3 && mat3_trace(c) < largest * largest && mat3_determinant(f) > 0.0 &&
                 law_stretches_above(c, least);
    if (!plain) {
        Axes axes;
        return principal_axes(law, f, &axes);
    }
    Vec3 values = symmetric_eigenvalues(c);
    return vec3(sqrt(values.x), sqrt(values.y), sqrt(values.z));
}

double law_stiffest(const ElementLaw *law, Mat3 f) {
    if (law->model == LAW_LINEAR) return 2.0 * law->mu + law->dim * law_plane_lambda(law);
    Spectrum spectrum;
    spectrum_of(law, principal_stretches(law, f), &spectrum);
    double most = fmax(symmetric_eigenvalues(spectrum.stretches).x, 0.0);
    for (int p = 0; p < pair_count(law); p++)
        most = fmax(most, fmax(spectrum.shear[p], spectrum.spin[p]));
    /* Above what closed forms lose, so that it is a bound. */
    return (1.0 + 1e-5) * most;
}
