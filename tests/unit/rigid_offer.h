/* What rigid bodies offer to a coupled solve, for tests to look at. */
#ifndef TESTS_RIGID_OFFER_H
#define TESTS_RIGID_OFFER_H

#include "check.h"
#include "rigid/bodies.h"

/* To be freed with dofs_free. */
static inline SystemDofs rigid_offer_of(RigidBodies *bodies, SolveWhen when) {
    SystemDofs dofs = {0};
    StepInfo step = {.context = bodies->context, .dt = 0.01};
    dofs_clear(&dofs, bodies->context);
    rigid_dofs.offer(bodies, &step, when, &dofs);
    assert_false(dofs.failed || dofs.rows.failed);
    return dofs;
}

/* 1/2 v^T M v of the blocks of finite mass, J. */
static inline double energy_of_offer(const SystemDofs *dofs, const double *velocity) {
    double sum = 0;
    for (size_t b = 0; b < dofs->blocks.count; b++) {
        const MassBlock *block = &dofs->blocks.data[b];
        const double *v = velocity + block->first;
        for (int i = 0; block->is_free && i < block->size; i++)
            for (int j = 0; j < block->size; j++) sum += 0.5 * v[i] * block->mass[i][j] * v[j];
    }
    return sum;
}

#endif
