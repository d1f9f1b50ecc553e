/* Isotropic laws in principal stretches: for the files of the laws alone. With the Psi of law.h
 * written as sum phi(s_i) + lambda/2 G^2, G = sum g(s_i), each law is its two functions of one
 * stretch. */
#ifndef DEFORM_LAW_STRETCH_H
#define DEFORM_LAW_STRETCH_H

#include "deform/law.h"

/* SVK: the Green strain goes on as a line below this stretch. */
static const double law_least_green_stretch = 0.5;

typedef struct LawPrincipal {
    double energy;      /* Psi, J/m^3 */
    double stress[3];   /* P_i = dPsi/ds_i, Pa; 0 for the third in 2D */
    double volumetric;  /* lambda G, Pa: P_i = phi'(s_i) + lambda G g'(s_i) */
    double coupling;    /* Pa: lambda, or what plane stress leaves of it, in d2Psi/ds_i ds_j */
    double slope[3];    /* g'(s_i) */
    double diagonal[3]; /* phi''(s_i) + lambda G g''(s_i), Pa */
} LawPrincipal;

/* The right Cauchy-Green tensor F^T F. */
static inline Mat3 law_cauchy_green(Mat3 f) {
    Mat3 t = mat3_transpose(f);
    double xx = vec3_dot(t.r[0], t.r[0]), yy = vec3_dot(t.r[1], t.r[1]);
    double zz = vec3_dot(t.r[2], t.r[2]), xy = vec3_dot(t.r[0], t.r[1]);
    double xz = vec3_dot(t.r[0], t.r[2]), yz = vec3_dot(t.r[1], t.r[2]);
    return (Mat3){{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}};
}

/* By the pivots of elimination: unlike minors they are good to rounding of the largest entry. */
static inline bool law_positive_definite(Mat3 a) {
    double xy = a.r[0].y, xz = a.r[0].z;
    double first = a.r[0].x, inverse = 1.0 / first;
    double second = a.r[1].y - inverse * xy * xy;
    double off = a.r[1].z - inverse * xy * xz;
    double third = a.r[2].z - inverse * xz * xz - off * off / second;
    return first > 0.0 && second > 0.0 && third > 0.0;
}

/* With c = F^T F and det F > 0: is every stretch above `least`? */
static inline bool law_stretches_above(Mat3 c, double least) {
    double square = least * least;
    c.r[0].x -= square;
    c.r[1].y -= square;
    c.r[2].z -= square;
    return law_positive_definite(c);
}

/* lambda as the elements see it: in plane stress less than that of the solid, for the laws whose
 * thickness is a linear function of the other strains (all but neo-Hookean). */
double law_plane_lambda(const ElementLaw *law);

/* Neo-Hookean in plane stress: the stretch s_3 of no stress, given the sum of l over the other two,
 * and l(s_3). */
double law_thickness(const ElementLaw *law, double log_area, double *log_thickness);

/* The law at stretches s; in 2D s[2] is ignored. Not for the linear law, which has none. */
void law_principal(const ElementLaw *law, const double s[3], LawPrincipal *at);

/* (P_i - P_j)/(s_i - s_j) without cancellation, also for equal stretches. */
double law_divided_difference(const ElementLaw *law, double volumetric, double si, double sj);

#endif
