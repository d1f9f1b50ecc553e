/* What a system brings to a coupled solve (002 sections 4.3, 5.8, appendix C.1): velocities with
 * masses, rows among them, dampers; and what it takes back. Systems offer and accept, couple/
 * assembles and solves; nobody else calls these functions. */
#ifndef SYSTEM_DOFS_H
#define SYSTEM_DOFS_H

#include "solve/coupled/mass_block.h"
#include "solve/linear_map.h"
#include "system/surface.h"
#include "system/system.h"

/* The impulse at t = 0; that of bodies that bounced, v^^n at x^n; and the two velocities of a step
 * (002 section 5.4): v^{n+1/2} at x^n, that positions move with, and v^{n+1} at x^{n+1}. */
typedef enum SolveWhen { SOLVE_START, SOLVE_IMPACT, SOLVE_HALF_STEP, SOLVE_WHOLE_STEP } SolveWhen;

/* In no time: without forces, gravity and viscosity. */
static inline bool solve_is_impulse(SolveWhen when) {
    return when == SOLVE_START || when == SOLVE_IMPACT;
}

/* Rows over velocities, written one after the other; memory is kept. */
typedef struct DofRows {
    PlimContext *context;
    CsrBuilder rows;
    ARRAY(double) target; /* in the rows' units times m/s, a row each */
    bool failed;          /* memory is out */
} DofRows;

void dof_rows_clear(DofRows *rows, PlimContext *context);
void dof_rows_free(DofRows *rows, PlimContext *context);
size_t dof_rows_count(const DofRows *rows);
/* An entry of the present row, each column once; then its end. */
void dof_rows_add(DofRows *rows, size_t column, double value);
void dof_rows_end(DofRows *rows, double target);

/* The offer of one system. It numbers its own velocities from 0. */
typedef struct SystemDofs {
    PlimContext *context;
    ARRAY(MassBlock) blocks; /* one after the other */
    ARRAY(double) velocity;  /* v*: before the solve, with forces over the step in it */
    ARRAY(double) fall;      /* the part of it that gravity made in the step */
    ARRAY(double) impulse;   /* that acts beside those in v*: of friction that slides, N s */
    /* Rows that stay at their target. Those within one block v* keeps already: such a block needs
     * no solve of its own. */
    DofRows rows;
    DofRows dampers; /* sqrt(kg): the force over the step is -C^T C v; targets do not count */
    bool failed;     /* memory is out */
} SystemDofs;

void dofs_clear(SystemDofs *dofs, PlimContext *context);
void dofs_free(SystemDofs *dofs, PlimContext *context);
/* Adds a block of up to MASS_BLOCK_SIZE velocities and returns the number of the first. `mass` has
 * size^2 values by rows, kg; NULL: infinite, the velocities are given. `fall` NULL: 0. */
size_t dofs_add_block(SystemDofs *dofs, int size, const double *mass, const double *velocity,
                      const double *fall);

/* What a solve found, by the numbers of the system's own velocities. */
typedef struct DofAnswer {
    const bool *is_solved;  /* one a block: others were not part of it */
    const double *velocity; /* v, and v* where nothing was solved */
    const double *before;   /* v* */
    /* Where a liquid pushed blocks one by one: of momentum, by it alone, N s, N m s; else NULL. */
    const double *pushed;
    bool by_flow; /* a fluid was solved for with them, and its contacts can be, too */
} DofAnswer;

/* What a turn of a solve with a fluid found, by the same numbers. */
typedef struct DofLoad {
    const bool *is_solved;
    const double *velocity; /* v */
    const double *gain; /* of momentum over v*, by all that is neither contact, nor rows, nor the
                           system's own: N s, N m s */
    double speed;       /* m/s: differences below this are no more than the solve left */
    bool is_last;       /* there is no further turn */
} DofLoad;

/* All systems in a solve: who may be hung on. Columns of rows between them count through all. */
typedef struct DofPartner {
    const char *name; /* of the instance */
    const SurfaceClass *surfaces;
    void *system;
    size_t first; /* column of its first velocity */
} DofPartner;

typedef struct DofPartners {
    const DofPartner *partners;
    size_t count;
    size_t own; /* the one that is asked */
} DofPartners;

/* The system of this name; NULL: it is not in the solve. */
const DofPartner *dof_partner_find(const DofPartners *partners, const char *name);
/* Adds factor times the velocity along an axis of a surface of the partner at x, to a row between
 * systems. */
void dof_rows_add_point(DofRows *rows, const DofPartner *partner, size_t surface, Vec3 x, int axis,
                        double factor);

/* Any function may be absent. */
typedef struct DofClass {
    bool joins_blocks; /* it offers dampers, rows between blocks, or rows between systems */
    bool keeps_rows;   /* v* keeps all rows of its offer: what only they join needs no solve */
    /* step->dt is that of the solve: half a step's at SOLVE_HALF_STEP. */
    void (*offer)(const void *system, const StepInfo *step, SolveWhen when, SystemDofs *dofs);
    void (*accept)(void *system, const StepInfo *step, SolveWhen when, const DofAnswer *answer);
    /* Rows between this system and others, that it hangs on them by. */
    void (*join)(const void *system, const StepInfo *step, SolveWhen when,
                 const DofPartners *partners, DofRows *rows);
    /* Whether it has rows that hold one side alone, or within bounds: which of them hold is decided
     * by turns. */
    bool (*switches)(const void *system);
    /* After each turn of a solve with a fluid: what rows carry with these loads, and whether they
     * hold as the solve had been told. If not, the next offer says how. `step` is the whole step at
     * SOLVE_HALF_STEP too. */
    PlimStatus (*settle)(void *system, const StepInfo *step, SolveWhen when, const DofLoad *load,
                         bool *stands);
} DofClass;

#endif
