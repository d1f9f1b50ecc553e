/* The coupled flow solve's data, shared by its files. */
#ifndef SOLVE_COUPLED_FLOW_INTERNAL_H
#define SOLVE_COUPLED_FLOW_INTERNAL_H

#include "base/array.h"
#include "solve/coupled/coupled_flow.h"
#include "solve/pressure/poisson_operator.h"
#include "solve/viscosity/viscosity_internal.h"
#include "solve/viscosity/viscosity_multigrid.h"

typedef struct FlowEntry {
    int32_t column;
    double value;
} FlowEntry;

/* Rows over the structure's velocities, and the same by the motions that its free blocks can make.
 */
typedef struct FlowRows {
    ARRAY(size_t) at;    /* one a row: a place in the vectors of the method at work */
    ARRAY(size_t) start; /* one a row and one more: its entries */
    ARRAY(FlowEntry) entries;
    ARRAY(size_t) reduced_start;
    ARRAY(FlowEntry) reduced;
    ARRAY(double) constant; /* one a row: what is known of its product with v */
    ARRAY(double) weight;   /* of dampers, one a row: that times row^T row is in A_s */
} FlowRows;

/* What is kept of a block beside the problem's own. */
typedef struct FlowBlock {
    size_t part;                                   /* that it is of; FLOW_NO_PART: given */
    size_t local;                                  /* its first velocity among the part's */
    double drag[MASS_BLOCK_SIZE][MASS_BLOCK_SIZE]; /* dt times friction by its own velocity, kg */
} FlowBlock;

#define FLOW_NO_PART SIZE_MAX

/* Blocks that constraints join, mostly one. With the rows of constraints eliminated its velocities
 * are known + sum of motions. Matrices have motion_count rows, in the solve's scratch memory. */
typedef struct FlowPart {
    size_t first;        /* of its motions among all */
    size_t motion_count; /* 0: held altogether */
    size_t size;         /* velocities */
    size_t *velocity;    /* which of the structure's they are */
    double *scale;       /* of each: makes velocities comparable, by masses */
    double *motion;      /* one a row of `size`, orthonormal but for the scale */
    double *mass;        /* of motions, with drag */
    double *diagonal;    /* its block of A_s: that and dampers */
    double *factor;      /* Cholesky factor of that, or near it */
} FlowPart;

struct CoupledFlow {
    PlimContext *context;
    Grid grid;
    Poisson *poisson;
    Scratch scratch;
    ViscosityMultigrid *cycle; /* made with the first viscous solve */

    const FlowProblem *problem; /* of the present solve */
    FlowStructure none;         /* where the problem has no structure */
    const FlowStructure *structure;
    size_t motion_count; /* K, of all free blocks */
    ARRAY(FlowPart) parts;
    ARRAY(FlowBlock) blocks; /* as the structure's */
    int32_t *block_of;       /* each velocity */
    double *known;           /* of each velocity: given, or what constraints ask of a free one */
    double *own;             /* work: a row's part for the motions of one part */
    double *push; /* of each velocity: dt times friction by given velocities of sides, N s */
    FlowRows friction, fluxes; /* F and H */
    /* Between blocks: dampers, friction of surfaces that several blocks move, constraints; of the
     * last `at` is the row among all and `constant` the target that is left. */
    FlowRows dampers, drag, links;
    struct FluxBalance *balance; /* of each closed region, of each block */
    size_t flux_stride[3], flux_origin;
    bool short_of_memory; /* while entries were gathered */
    bool short_of_row;    /* one had more entries than a SparseRow holds */

    /* Of the viscous solve. Vectors hold the lattices of velocity components
     * (viscosity_internal.h), one of the cells' l, the motions and the links' multipliers. */
    float *weight[3]; /* open part of free faces, 0 of others; copies too */
    float *viscous;   /* of cells, kg/m^4: the viscous part of the pressure's approximate inverse */
    float *active;    /* 1 in cells with an equation */
    size_t lattice_count;
    double area;                /* m^2, of a face */
    size_t column_count;        /* motions treated exactly by the preconditioner: all or none */
    float *lift, *flux, *reply; /* Y = Z A_fb; H~ = H - D Y; Z_S H~; one column after the other */
    double *lifted;             /* without columns: work, velocities that motions take along */
    double cycle_high;          /* see FLOW_CYCLE_HIGH */
    double *once, *image;       /* work of the velocities' cycle */
    /* Cholesky factors of the columns: of the structure's Schur complement in A, of what it adds to
     * the pressure's; and of the links' Schur complement. */
    double *structure_factor, *pressure_factor, *link_factor;
};

/* The upper end of the eigenvalues that two cycles for the velocities are joined for. The result is
 * positive up to 0.6 more. Few problems have eigenvalues above that, and none above 8/3: twice what
 * leaving cross terms out and 4/3 what evening the axes out can do (viscosity_multigrid.h). So the
 * second is taken when the first turns out not to be positive. */
#define FLOW_CYCLE_HIGH 1.4
#define FLOW_CYCLE_SAFE 2.1

static inline size_t flow_velocity_size(const CoupledFlow *flow) {
    const Viscosity *v = flow->problem->viscosity;
    return (size_t)v->grid.dim * v->count;
}

static inline size_t flow_vector_size(const CoupledFlow *flow) {
    return flow_velocity_size(flow) + flow->problem->viscosity->count + flow->motion_count +
           flow->links.at.count;
}

/* ---- coupled_flow_structure.c: blocks, motions, results ---- */

/* Numbers motions, eliminates constraints, gathers dampers and links. */
PlimStatus flow_begin_structure(CoupledFlow *flow);
/* After friction has been gathered: masses of motions, and factors of blocks. Fails when masses are
 * not positive. */
PlimStatus flow_set_masses(CoupledFlow *flow);
/* Factors anew, of `scale` times the blocks with `extra` (NULL: 0) added to the diagonal. */
PlimStatus flow_factor_blocks(CoupledFlow *flow, double scale, const double *extra);
/* Factors anew, with that part of the friction of blocks by their own velocities, of the linear and
 * of the angular ones, that is left when the fluid around them gives way. */
PlimStatus flow_factor_yielding(CoupledFlow *flow, const double part[2]);
/* What momenta there are to the motions: T^T (momentum - what is known of friction, dampers, masses
 * at rest). */
void flow_motion_momenta(const CoupledFlow *flow, double *out);
/* y = A_s x, of motions. */
void flow_apply_structure(const CoupledFlow *flow, const double *x, double *y);
/* The same as a dense K by K matrix. */
void flow_dense_structure(const CoupledFlow *flow, double *work, double *out);
/* x = (blocks of A_s)^-1 x, by their factors. */
void flow_solve_blocks(const CoupledFlow *flow, double *x);
/* Motions nearest to velocities. */
void flow_guess_motions(const CoupledFlow *flow, double *motions);
/* Velocities from motions; impulses become what own friction gives. */
void flow_set_velocities(const CoupledFlow *flow, const double *motions);
void flow_add_impulses(const CoupledFlow *flow, const FlowRows *rows, double factor,
                       const double *x);
void flow_add_own_friction(const CoupledFlow *flow);
double flow_structure_energy(const CoupledFlow *flow, bool before);

/* ---- coupled_flow_parts.c: which motions constraints leave ---- */

/* Parts, blocks and `known`. Of each constraint's row whether it is a link: it joins blocks and was
 * not eliminated. */
PlimStatus flow_make_parts(CoupledFlow *flow, bool **is_link);

/* Where a free velocity is among those of its part. */
static inline size_t flow_place_in_part(const CoupledFlow *flow, size_t velocity) {
    int32_t block = flow->block_of[velocity];
    return flow->blocks.data[block].local + velocity - flow->structure->blocks[block].first;
}

/* ---- coupled_flow_rows.c: rows over the structure and what they do to motions ---- */

void flow_rows_clear(FlowRows *rows);
void flow_rows_free(PlimContext *context, FlowRows *rows);
size_t flow_rows_bytes(const FlowRows *rows);
/* A row in pieces; a column may come again. `at` is its place. */
void flow_begin_row(CoupledFlow *flow, FlowRows *rows);
void flow_add_entries(CoupledFlow *flow, FlowRows *rows, size_t count, const int32_t *column,
                      const double *value, double factor);
void flow_end_row(CoupledFlow *flow, FlowRows *rows, size_t at);
/* Adds factor times a row. Where memory is out, flow->short_of_memory. */
void flow_add_row(CoupledFlow *flow, FlowRows *rows, size_t at, size_t count, const int32_t *column,
                  const double *value, double factor);
/* Of a row's entries from i on: the motions of the part of entry i, if no entry before it is of
 * that part (else false), `own` has as many values as the part has motions. */
bool flow_reduce_part(const CoupledFlow *flow, const FlowEntry *entries, size_t first, size_t i,
                      size_t last, double *own);
/* A row times motions; out += its entries times x. */
double flow_row_product(const FlowRows *rows, size_t row, const double *motions);
void flow_row_spread(const FlowRows *rows, size_t row, double x, double *out);
/* y += rows times motions; and the transpose, motions += rows^T x. */
void flow_from_motions(const FlowRows *rows, const double *motions, double *y);
void flow_to_motions(const FlowRows *rows, const double *x, double *motions);
/* y += factor times rows times what is known of the velocity of surfaces. */
void flow_from_known(const CoupledFlow *flow, const FlowRows *rows, double factor, double *y);
/* Friction of surfaces, over lattice vectors. */
PlimStatus flow_gather_friction(CoupledFlow *flow, double *velocity[3]);

/* ---- coupled_flow_fluxes.c ---- */

/* Fluxes out of cells, after the pressure was set up; `stride` and `origin` place cell (i, j, k) in
 * vectors. */
PlimStatus flow_gather_fluxes(CoupledFlow *flow, const size_t stride[3], size_t origin);
/* m^3/s, by the velocities found: what of them was spread, added up without sign. */
double flow_left_over(const CoupledFlow *flow);

/* ---- coupled_flow_links.c: constraints between blocks ---- */

/* y += R x and x' += R^T r, of motions and links, times a factor. */
void flow_apply_links(const CoupledFlow *flow, double factor, const double *motions, double *links);
void flow_apply_links_transpose(const CoupledFlow *flow, double factor, const double *links,
                                double *motions);
/* Takes memory for and factors R F^-1 R^T; `solve` does x = F^-1 x on motions. */
PlimStatus flow_factor_links(CoupledFlow *flow, void (*solve)(const void *user, double *motions),
                             const void *user);
/* r = (R F^-1 R^T)^-1 r, or near it where there are many. */
void flow_solve_links(const CoupledFlow *flow, double *links);
/* m/s, of the residual of the links' rows, 2-norm. */
double flow_link_tolerance(const CoupledFlow *flow);

/* ---- coupled_flow_operator.c ---- */

void flow_set_weights(CoupledFlow *flow);
/* y = the whole matrix on x. */
LinearMap flow_kkt_map(const CoupledFlow *flow);
/* p = D u, of the fluid's faces alone. */
void flow_divergence(const CoupledFlow *flow, const double *u, double *p);

/* ---- coupled_flow_precondition.c ---- */

PlimStatus flow_precondition_setup(CoupledFlow *flow);
Preconditioner flow_preconditioner(CoupledFlow *flow);

/* ---- coupled_flow_viscous.c, coupled_flow_inviscid.c ---- */

PlimStatus flow_solve_viscous(CoupledFlow *flow, double *velocity[3], double *pressure,
                              FlowResult *result);
PlimStatus flow_solve_inviscid(CoupledFlow *flow, double *velocity[3], double *pressure,
                               FlowResult *result);
PoissonProblem flow_poisson_problem(const FlowProblem *problem);

#endif
