/* Constitutive laws of finite elements: isotropic hyperelastic energy density, first
 * Piola-Kirchhoff stress and stiffness of a deformation gradient. Pure functions of one element;
 * results are finite for inverted and collapsed elements too, and for stretches up to 1e20. */
#ifndef DEFORM_LAW_H
#define DEFORM_LAW_H

#include "math/mat.h"

#include <stdbool.h>

/* With stretches s_i, the signed singular values of F: the smallest in size is negative when
 * det F < 0. All energies are zero at rest and have mu and lambda as moduli of small strains. */
typedef enum LawModel {
    /* mu eps:eps + lambda/2 tr(eps)^2, eps = sym(F) - I. Small rotations only. */
    LAW_LINEAR,
    /* mu sum (s_i - 1)^2 + lambda/2 (sum (s_i - 1))^2 */
    LAW_COROTATED,
    /* mu sum e_i^2 + lambda/2 (sum e_i)^2, e = (s^2 - 1)/2, below s = 0.5 its tangent there: the
     * Green strain alone would lose its force at s = 0. */
    LAW_ST_VENANT_KIRCHHOFF,
    /* mu/2 sum (s_i^2 - 1) - mu sum l_i + lambda/2 (sum l_i)^2, l = ln s, below `least_stretch`
     * its quadratic Taylor polynomial there. P = mu (F - F^-T) + lambda ln J F^-T above. */
    LAW_NEO_HOOKEAN
} LawModel;

typedef struct ElementLaw {
    LawModel model;
    double mu, lambda;    /* Pa, of three-dimensional elasticity; mu > 0, lambda >= 0 */
    int dim;              /* 2: triangles in the plane xy; 3: tetrahedra */
    bool plane_stress;    /* dim 2: P_33 = 0, the thickness follows; else plane strain, F_33 = 1 */
    double least_stretch; /* neo-Hookean: where ln s ends, in (0, 1); default 0.25 */
} ElementLaw;

/* Young's modulus in Pa, above zero; Poisson's ratio from 0 to below 0.5. Plane strain in 2D. */
ElementLaw law_from_young(LawModel model, int dim, double young, double poisson);

/* Energy density, J/m^3 of the material at rest. F in the upper left dim x dim part of f; the rest
 * is ignored in 2D. */
double law_energy(const ElementLaw *law, Mat3 f);

/* First Piola-Kirchhoff stress, the gradient of law_energy to F, in Pa (upper left dim x dim part;
 * the rest 0). Returns the energy density. */
double law_stress(const ElementLaw *law, Mat3 f, Mat3 *stress);

/* dP/dF in Pa as a dim^2 x dim^2 symmetric matrix, row by row, index dim*i+j for F_ij. `project`:
 * its eigenvalues below zero are set to zero. Where two stretches nearly cancel (s_i + s_j < 1e-3,
 * an element crushed to a line or inverted as far as it is thick) the energy has a crease, and the
 * stiffness to a spin of that pair is that of s_i + s_j = 1e-3. */
void law_stiffness(const ElementLaw *law, Mat3 f, bool project, double *h);

/* A stiffness made of few vectors, where that can be had without stretches: an element whose shape
 * functions have the gradients g_a couples its corners a and b by
 * (g_a . S g_b) I + left (g_a . g_b) M M^T + crossed p_b p_a^T + straight p_a p_b^T, p_a = M g_a.
 */
typedef struct LawDyads {
    Mat3 second;                    /* S, Pa */
    Mat3 map;                       /* M */
    double left, crossed, straight; /* Pa */
} LawDyads;
/* False: law_stiffness must be asked. Not projected; for dim 2 the third axis is left out. */
bool law_dyads(const ElementLaw *law, Mat3 f, LawDyads *dyads);

/* The largest eigenvalue of what law_stiffness gives, Pa, from above: at most 1e-4 of it larger. 0
 * when none is positive. At s = 0.5, where the stiffness of St Venant-Kirchhoff jumps, that of
 * either side. */
double law_stiffest(const ElementLaw *law, Mat3 f);

#endif
