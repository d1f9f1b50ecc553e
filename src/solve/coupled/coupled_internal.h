/* The coupled solve's data, shared by its files. */
#ifndef SOLVE_COUPLED_INTERNAL_H
#define SOLVE_COUPLED_INTERNAL_H

#include "base/array.h"
#include "solve/coupled/coupled.h"

enum { COUPLED_NAME_CAPACITY = 32 };

/* What a velocity is when it is not unknown. */
enum { COUPLED_TIED = -1, COUPLED_GIVEN = -2 };

typedef struct CoupledGroup {
    char name[COUPLED_NAME_CAPACITY];
    CoupledMassKind kind;
    size_t start, count;
    size_t block;      /* 1 for scalar masses */
    double *mass;      /* count * block numbers: each block by rows */
    double *factor;    /* the same, Cholesky factors; set by coupled_update */
    size_t mass_count; /* 0 for infinite masses */
} CoupledGroup;

typedef struct CoupledTies {
    int32_t *velocity;
    Csr rows;
} CoupledTies;

typedef struct CoupledRowSet {
    char name[COUPLED_NAME_CAPACITY];
    CoupledRowKind kind;
    Csr rows;
    double *target; /* constraints alone */
    double tolerance;
    size_t first; /* number of its first row among those of its kind */
} CoupledRowSet;

/* The row that gives a tied velocity. */
typedef struct TieRow {
    size_t ties, row;
} TieRow;

/* A body's unknowns, or one unknown; of the matrix A the block of the diagonal. */
typedef struct CoupledBlock {
    size_t unknown, size;
    size_t velocity, group; /* its first velocity and where its mass is */
    size_t value;           /* of its factor in block_factor */
} CoupledBlock;

struct Coupled {
    PlimContext *context;
    CoupledDesc desc;
    ARRAY(CoupledGroup) groups;
    ARRAY(CoupledTies) ties;
    ARRAY(CoupledRowSet) sets;
    bool finalized;
    size_t velocity_count, unknown_count, constraint_count, damper_count;
    size_t constraint_sets;

    /* From here on made by coupled_finalize. */
    int32_t *unknown; /* of each velocity, or COUPLED_TIED, COUPLED_GIVEN */
    TieRow *tie_row;  /* of each velocity, when tied */
    CoupledBlock *blocks;
    size_t block_count, block_values;
    int32_t *block_of; /* each unknown */
    /* A = (masses of unknowns) + factors^T factors: a row for each tied velocity, sqrt(B_t) J, and
     * one for each damper, C T. */
    Csr factors;
    Csr rows;          /* D T */
    size_t work_count; /* the longest row, or the largest block */
    bool block_diagonal;

    /* And by coupled_update. */
    double *block_factor;  /* Cholesky factors of the diagonal blocks of A */
    double *diagonal;      /* of A */
    double *inverse_schur; /* 1 / diagonal of D Ablock^-1 D^T; 0 where no unknown has a say */
    double *tolerance;     /* of each constraint row: that of its set */
    double *work;          /* of the assembly */
    double *residual;      /* of each constraint set, of the last solve */
};

const CoupledGroup *coupled_group_of(const Coupled *c, size_t velocity);
/* The block of `values`, the group's masses or their factors, that a velocity belongs to. */
const double *coupled_mass_block(const CoupledGroup *group, const double *values, size_t velocity);

/* Patterns of `factors` and `rows`, and block_diagonal. */
PlimStatus coupled_lay_out(Coupled *c);
/* Their values. */
void coupled_assemble(Coupled *c);

/* y = B x for velocities of finite mass, 0 for the others. */
void coupled_apply_mass(const Coupled *c, const double *x, double *y);
/* x = A_block^-1 x, of unknowns. */
void coupled_solve_blocks(const Coupled *c, double *x);
/* y = A x */
void coupled_apply_matrix(const Coupled *c, const double *x, double *y, double *row_work);
/* Tied velocities from the others. */
void coupled_apply_ties(const Coupled *c, double *w);
/* y = T^T f: what forces on velocities are to the unknowns. */
void coupled_gather(const Coupled *c, const double *f, double *y);

#endif
