/* One description of a coupled solve with ties, constraints and dampers (002 sections 5.5.3, 5.8
 * to 5.10, appendix C.1): velocities w* of several groups with masses B; ties w_t = J w that make
 * some velocities functions of others; constraint rows D w = s; damper rows C, whose force over the
 * step is -C^T C w. The answer is the w that makes
 *
 *     1/2 (w - w*)^T B (w - w*) + 1/2 |C w|^2    smallest, with D w = s and the ties kept:
 *     B (w - w*) + C^T C w + D^T l = 0           but for the forces of ties; l are multipliers.
 *
 * Ties are eliminated, w = T q, and A = T^T (B + C^T C) T. Where A is block diagonal conjugate
 * gradients solve D A^-1 D^T l = ..., otherwise MINRES solves for q and l at once. Constraints may
 * depend on one another as long as their targets agree. For systems of moderate size, written as
 * sparse rows: joints, pins, deformable bodies; flow on a grid has its own (coupled_flow.h). */
#ifndef SOLVE_COUPLED_H
#define SOLVE_COUPLED_H

#include "solve/krylov/krylov.h"

typedef struct Coupled Coupled;

typedef struct CoupledDesc {
    /* m/s, of momentum residuals over the diagonal of A, 2-norm; positive; default 1e-9. Where
     * dampers outweigh masses, motions that no damper resists are off by that ratio more. */
    double tolerance;
    int max_iterations; /* default 1000 */
    int threads;
} CoupledDesc;

CoupledDesc coupled_desc_default(int threads);

PlimStatus coupled_create(PlimContext *context, const CoupledDesc *desc, Coupled **out);
void coupled_destroy(Coupled *coupled);

typedef enum CoupledMassKind {
    COUPLED_MASS_SCALAR,  /* a number for each velocity */
    COUPLED_MASS_BLOCKS,  /* a symmetric positive definite matrix for each body */
    COUPLED_MASS_INFINITE /* velocities are given: w = w* whatever happens */
} CoupledMassKind;

typedef struct CoupledMass {
    CoupledMassKind kind;
    size_t block;         /* velocities of a body, with COUPLED_MASS_BLOCKS; count is a multiple */
    const double *values; /* kg: count numbers, or count / block matrices by rows; else NULL */
} CoupledMass;

/* A group's velocities follow those of the groups before it. `group` may be NULL, as may the
 * numbers that the other two give out. Names are for messages. All data is copied. */
PlimStatus coupled_add_group(Coupled *coupled, const char *name, size_t count,
                             const CoupledMass *mass, size_t *group);

/* Number of the first velocity of a group: columns of rows count from the first group's. */
size_t coupled_group_start(const Coupled *coupled, size_t group);

/* velocity[i] is (row i of `rows`) w. Those on the right side are not tied themselves. Velocities
 * of one mass block are tied together or not at all. */
PlimStatus coupled_add_ties(Coupled *coupled, const int32_t *velocity, const Csr *rows,
                            size_t *ties);

typedef enum CoupledRowKind { COUPLED_CONSTRAINT, COUPLED_DAMPER } CoupledRowKind;

typedef struct CoupledRows {
    const char *name;
    CoupledRowKind kind;
    const Csr *rows;      /* dampers: sqrt(kg), so that |C w|^2 is an energy */
    const double *target; /* of constraints, in the rows' units times m/s; NULL: 0 */
    double tolerance;     /* of constraints, 2-norm over the set, same units; positive */
} CoupledRows;

PlimStatus coupled_add_rows(Coupled *coupled, const CoupledRows *desc, size_t *rows);

/* Checks all that was added and lays out the system. Nothing can be added afterwards; after a
 * failure all that is left is coupled_destroy. */
PlimStatus coupled_finalize(Coupled *coupled);

/* New numbers for what was added, in the same order and pattern; then one coupled_update. */
void coupled_set_masses(Coupled *coupled, size_t group, const double *values);
void coupled_set_ties(Coupled *coupled, size_t ties, const double *values);
void coupled_set_rows(Coupled *coupled, size_t rows, const double *values, const double *target);
PlimStatus coupled_update(Coupled *coupled);
/* All tolerances, of momentum and of constraints, times a positive factor. */
void coupled_scale_tolerances(Coupled *coupled, double factor);

size_t coupled_velocity_count(const Coupled *coupled);
size_t coupled_constraint_count(const Coupled *coupled); /* rows, and so multipliers */
/* True when A is block diagonal and conjugate gradients solve for the multipliers. */
bool coupled_is_block_diagonal(const Coupled *coupled);

typedef struct CoupledResult {
    SolveReason reason;
    int iterations, applications;
    /* 2-norms, formed anew from w and the multipliers. */
    double momentum_residual;           /* m/s: of momentum, each over the diagonal of A */
    const double *constraint_residual;  /* of each set of constraint rows; until the next solve */
    double energy_before, energy_after; /* J: 1/2 w^T B w of w* and w, infinite masses left out */
} CoupledResult;

/* `multipliers` may be NULL. w is of no use when the reason is SOLVE_NOT_FINITE. No allocation
 * after the first call, once the scratch has been reset. */
PlimStatus coupled_solve(Coupled *coupled, Scratch *scratch, const double *w_star, double *w,
                         double *multipliers, CoupledResult *result);

/* The documents' form, 002 (5.30) and (5.38), of a description that has been finalized:
 *
 *     (K B^-1 K^T + P) z = K w* - s,    w = w* - B^-1 K^T z
 *
 * K holds all rows: constraints, dampers, then ties as w_t - J w = 0, each in the order they were
 * added. P is 1 on dampers. Symmetric and positive semidefinite; for tests to compare with. */
typedef struct CoupledReference {
    PlimContext *context;
    const Coupled *coupled;
    Csr rows;     /* K */
    Csr whitened; /* K F^T with B^-1 = F^T F */
    Csr matrix;   /* K B^-1 K^T + P */
    size_t constraint_count, damper_count, tie_count;
} CoupledReference;

PlimStatus coupled_reference_create(const Coupled *coupled, CoupledReference *out);
void coupled_reference_free(CoupledReference *reference);

/* By conjugate gradients; with `jacobi`, preconditioned by the diagonal. z is the first guess. */
PlimStatus coupled_reference_solve(const CoupledReference *reference, Scratch *scratch,
                                   const KrylovOptions *options, bool jacobi, const double *w_star,
                                   double *w, double *z, SolveResult *result);

#endif
