/* Constitutive laws of finite elements: energy density and first Piola-Kirchhoff stress. */
#include "deform/law.h"

#include "base/assert.h"
#include "deform/law_stretch.h"
#include "math/decompose.h"

ElementLaw law_from_young(LawModel model, int dim, double young, double poisson) {
    PLIM_ASSERT(dim == 2 || dim == 3);
    PLIM_ASSERT(young > 0.0 && poisson >= 0.0 && poisson < 0.5);
    return (ElementLaw){
        .model = model,
        .mu = young / (2.0 * (1.0 + poisson)),
        .lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)),
        .dim = dim,
        .least_stretch = 0.25,
    };
}

/* F with a third axis at rest in 2D. */
static Mat3 plane_part(const ElementLaw *law, Mat3 f) {
    if (law->dim == 3) return f;
    return (Mat3){{{f.r[0].x, f.r[0].y, 0}, {f.r[1].x, f.r[1].y, 0}, {0, 0, 1}}};
}

static double squares(Mat3 a) {
    return vec3_dot(a.r[0], a.r[0]) + vec3_dot(a.r[1], a.r[1]) + vec3_dot(a.r[2], a.r[2]);
}

/* a A + b B */
static Mat3 combine(double a, Mat3 left, double b, Mat3 right) {
    return (Mat3){{vec3_add_scaled(vec3_scale(a, left.r[0]), b, right.r[0]),
                   vec3_add_scaled(vec3_scale(a, left.r[1]), b, right.r[1]),
                   vec3_add_scaled(vec3_scale(a, left.r[2]), b, right.r[2])}};
}

static double linear_stress(const ElementLaw *law, Mat3 f, Mat3 *stress) {
    Mat3 strain = combine(0.5, f, 0.5, mat3_transpose(f));
    for (int i = 0; i < 3; i++) strain.r[i] = vec3_sub(strain.r[i], vec3_axis(i));
    double lambda = law_plane_lambda(law), trace = mat3_trace(strain);
    *stress = combine(2.0 * law->mu, strain, lambda * trace, mat3_identity());
    return law->mu * squares(strain) + 0.5 * lambda * trace * trace;
}

/* The cofactor matrix, J F^-T. */
static Mat3 cofactors(Mat3 f) {
    return (Mat3){
        {vec3_cross(f.r[1], f.r[2]), vec3_cross(f.r[2], f.r[0]), vec3_cross(f.r[0], f.r[1])}};
}

/* The rotation of F = R S by Newton's iteration X <- (X + X^-T)/2, which takes each stretch s to
 * (s + 1/s)/2 and ends at rounding in about five rounds. False for an F that is inverted or far
 * from a rotation: it would take more, and lose digits. */
static bool newton_rotation(Mat3 f, Mat3 *rotation) {
    const double least = 0.25, largest = 16.0;
    if (!(squares(f) < largest * largest && mat3_determinant(f) > 0.0)) return false;
    if (!law_stretches_above(law_cauchy_green(f), least)) return false;
    double change = 1.0;
    for (int i = 0; i < 20 && change > 1e-18; i++) { /* the next round squares what is left */
        Mat3 cofactor = cofactors(f);
        Mat3 next = combine(0.5, f, 0.5 / vec3_dot(f.r[0], cofactor.r[0]), cofactor);
        change = squares(combine(1.0, next, -1.0, f));
        f = next;
    }
    *rotation = f;
    return true;
}

/* In the plane the rotation is (F_11 + F_22, F_21 - F_12) normalised, as in svd_rotations_2; for
 * inverted elements too. False where the squares vanish or overflow. */
static bool plane_rotation(Mat3 f, Mat3 *rotation) {
    double x = f.r[0].x + f.r[1].y, y = f.r[1].x - f.r[0].y;
    double square = x * x + y * y;
    if (!(square > 1e-200 && square < 1e200)) return false;
    double scale = 1.0 / sqrt(square);
    *rotation = (Mat3){{{scale * x, -scale * y, 0}, {scale * y, scale * x, 0}, {0, 0, 1}}};
    return true;
}

/* P = 2 mu (F - R) + lambda tr(R^T F - I) R. */
static bool corotated_stress(const ElementLaw *law, Mat3 f, Mat3 *stress, double *energy) {
    Mat3 r;
    if (!(law->dim == 2 ? plane_rotation(f, &r) : newton_rotation(f, &r))) return false;
    Mat3 strain = combine(1.0, f, -1.0, r); /* turned by R */
    double trace = vec3_dot(r.r[0], strain.r[0]) + vec3_dot(r.r[1], strain.r[1]) +
                   vec3_dot(r.r[2], strain.r[2]);
    double volumetric = law_plane_lambda(law) * trace;
    *stress = combine(2.0 * law->mu, strain, volumetric, r);
    *energy = law->mu * squares(strain) + 0.5 * volumetric * trace;
    return true;
}

/* P = F (2 mu E + lambda tr E I) with E = (F^T F - I)/2. */
static double green_stress(const ElementLaw *law, Mat3 f, Mat3 c, Mat3 *stress) {
    Mat3 strain = c;
    for (int i = 0; i < 3; i++) strain.r[i] = vec3_scale(0.5, vec3_sub(c.r[i], vec3_axis(i)));
    double volumetric = law_plane_lambda(law) * mat3_trace(strain);
    Mat3 second = combine(2.0 * law->mu, strain, volumetric, mat3_identity());
    *stress = mat3_multiply(f, second);
    return law->mu * squares(strain) + 0.5 * volumetric * mat3_trace(strain);
}

/* P = mu F + (lambda ln J - mu) F^-T. */
static double neo_hookean_stress(const ElementLaw *law, Mat3 f, Mat3 cofactor, double j,
                                 Mat3 *stress) {
    double mu = law->mu, lambda = law->lambda;
    double sum = log(j), energy = 0.5 * mu * (squares(f) - 3.0);
    if (law->dim == 2 && law->plane_stress) {
        double log_thickness, thickness = law_thickness(law, sum, &log_thickness);
        sum += log_thickness;
        energy += 0.5 * mu * (thickness - 1.0) * (thickness + 1.0);
    }
    *stress = combine(mu, f, (lambda * sum - mu) / j, cofactor);
    return energy - mu * sum + 0.5 * lambda * sum * sum;
}

/* The laws that are polynomials or a logarithm of F itself need no stretches as long as none lies
 * where the law was continued; the corotated one needs the rotation alone. False when the stretches
 * must be known. */
static bool stress_without_stretches(const ElementLaw *law, Mat3 f, Mat3 *stress, double *energy) {
    if (law->model == LAW_COROTATED) return corotated_stress(law, f, stress, energy);
    if (law->model == LAW_LINEAR) {
        *energy = linear_stress(law, f, stress);
        return true;
    }
    Mat3 cofactor = cofactors(f);
    double j = vec3_dot(f.r[0], cofactor.r[0]);
    bool green = law->model == LAW_ST_VENANT_KIRCHHOFF;
    double least = green ? law_least_green_stretch : law->least_stretch;
    Mat3 c = law_cauchy_green(f);
    if (!(j > 0.0 && law_stretches_above(c, least))) return false;
    *energy =
        green ? green_stress(law, f, c, stress) : neo_hookean_stress(law, f, cofactor, j, stress);
    return true;
}

double law_stress(const ElementLaw *law, Mat3 f, Mat3 *stress) {
    double energy;
    f = plane_part(law, f);
    if (!stress_without_stretches(law, f, stress, &energy)) {
        Mat3 u, v;
        Vec3 sigma;
        if (law->dim == 2)
            svd_rotations_2(f, &u, &sigma, &v);
        else
            svd_rotations(f, &u, &sigma, &v);
        LawPrincipal at;
        law_principal(law, (double[3]){sigma.x, sigma.y, sigma.z}, &at);
        for (int i = 0; i < 3; i++) {
            u.r[i] =
                vec3(u.r[i].x * at.stress[0], u.r[i].y * at.stress[1], u.r[i].z * at.stress[2]);
        }
        *stress = mat3_multiply(u, mat3_transpose(v));
        energy = at.energy;
    }
    if (law->dim == 2) { /* plane strain has a P_33, which does no work on the nodes */
        stress->r[0].z = stress->r[1].z = 0.0;
        stress->r[2] = vec3(0, 0, 0);
    }
    return energy;
}

double law_energy(const ElementLaw *law, Mat3 f) {
    Mat3 stress;
    return law_stress(law, f, &stress);
}
