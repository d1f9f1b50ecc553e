/* The coupled solves of a step (DESIGN.md; 002 section 5.4): systems offer velocities, rows and
 * surfaces, this folder assembles, solve/ solves, systems accept. */
#ifndef COUPLE_COUPLE_H
#define COUPLE_COUPLE_H

#include "system/flow.h"
#include "system/system.h"

typedef struct Coupling Coupling;

PlimStatus coupling_create(PlimContext *context, Coupling **out);
void coupling_destroy(Coupling *coupling);
/* The state of systems was changed from outside: what was derived from it is found again. */
void coupling_refresh(Coupling *coupling);

/* The systems that meet in a solve. */
typedef struct CoupledSystems {
    const SystemInstance *systems;
    size_t count;
    const bool *takes_part; /* one each; NULL: all */
} CoupledSystems;

/* What a stage of the step does between systems, after it ran in each of them. */
PlimStatus couple_stage(Coupling *coupling, const CoupledSystems *systems, Stage stage,
                        const StepInfo *step);

/* Pairs of faces that cross or touch now, exactly, among all surfaces of nodes and faces. */
PlimStatus couple_count_crossings(Coupling *coupling, const CoupledSystems *systems,
                                  const StepInfo *step, size_t *count);

/* Surfaces that several fluids solve for, one after the other. */
size_t couple_count_shared(const CoupledSystems *systems);

/* Figures of the last solve without a fluid, where some system may ask for one. */
void coupling_diagnose(const Coupling *coupling, const CoupledSystems *systems,
                       Diagnostics *diagnostics);

/* Sees every problem with a fluid just before it is solved, with u*: for checks of the assembly. */
typedef void (*CoupleWatch)(void *user, const FlowProblem *problem, double *const velocity[3],
                            const double *pressure);
void coupling_watch(Coupling *coupling, CoupleWatch watch, void *user);

#endif
