/* Edge and altitude springs of triangles and tetrahedra (000 section 3.2.1). The spring of an
 * altitude joins a corner to its foot on the opposite edge or face. The foot is carried by the
 * nodes of that side with its weights of the moment, so that the force is the gradient of an
 * energy. */
#ifndef DEFORM_SPRING_H
#define DEFORM_SPRING_H

#include "math/mat.h"

#include <stdbool.h>

/* Nodes: 2, an edge; 3, a triangle; 4, a tetrahedron. The first is the corner, the others span the
 * opposite side. An altitude is signed where there is an inside: of triangles in the plane,
 * positive when the nodes run counterclockwise, and of tetrahedra, positive when (x1 - x0, x2 - x0,
 * x3 - x0) are right-handed, as those of a mesh are. Inverted elements are pushed back then.
 * Another corner comes first by an even permutation: 1 2 0 and 2 0 1; 1 0 3 2, 2 3 0 1 and 3 2 1 0.
 */
typedef struct Spring {
    int count;      /* nodes: 2, 3 or 4 */
    int dim;        /* 2: in the plane xy; 3 */
    double rest;    /* m, length at rest, above zero */
    double modulus; /* N: force over strain, at least 0. Stiffness is modulus/rest, N/m */
} Spring;

/* Length now (m), and its gradient to each node (`count` of them; no unit): a unit vector times 1
 * for the corner and minus its weight for every other node. Where the direction is lost (length
 * zero of an edge, or of a triangle in 3D) the gradient is zero. Where the side has collapsed to
 * less than 1e-12 of the distance to the corner or of `rest`, its middle is the foot. */
double spring_length(const Spring *spring, const Vec3 *x, Vec3 *gradient);

/* modulus rest/2 (length/rest - 1)^2, J */
double spring_energy(const Spring *spring, const Vec3 *x);

/* Minus the gradient of the energy to each node, N. Returns the energy. */
double spring_force(const Spring *spring, const Vec3 *x, Vec3 *force);

/* d(-force)/dx in N/m as a (3 count)^2 symmetric matrix, row by row. `project`: a positive
 * semidefinite part of it. For an edge it is the exact projection. For an altitude it leaves out
 * that the side turns and the foot slides, which has eigenvalues of both signs. Lengths below 1e-9
 * of that at rest count as that. */
void spring_stiffness(const Spring *spring, const Vec3 *x, bool project, double *k);

/* The damping coefficient (N s/m, on the rate of the length) of a fraction of critical damping:
 * 2 fraction sqrt(k m), k = modulus/rest, 1/m = sum of weight^2 times inverse mass (1/kg). An
 * infinite mass has inverse 0. Zero when no node can move. */
double spring_damping(const Spring *spring, const Vec3 *x, double fraction,
                      const double *inverse_mass);

#endif
