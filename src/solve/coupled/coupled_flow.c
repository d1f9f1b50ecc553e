/* The coupled solve of a flow with rigid bodies: memory, set-up, choice of solver (002 chapter
 * 5). */
#include "solve/coupled/coupled_flow.h"

#include "solve/coupled/coupled_flow_internal.h"

PlimStatus coupled_flow_create(PlimContext *context, const Grid *grid, Poisson *poisson,
                               CoupledFlow **out) {
    *out = NULL;
    CoupledFlow *flow = context_allocate(context, 1, sizeof *flow);
    if (!flow) return PLIM_OUT_OF_MEMORY;
    flow->context = context;
    flow->grid = *grid;
    flow->poisson = poisson;
    scratch_init(&flow->scratch, context);
    *out = flow;
    return PLIM_OK;
}

void coupled_flow_destroy(CoupledFlow *flow) {
    if (!flow) return;
    PlimContext *context = flow->context;
    for (int a = 0; a < 3; a++)
        if (flow->weight[a])
            context_free(context, flow->weight[a], flow->lattice_count, sizeof(float));
    if (flow->active) context_free(context, flow->active, flow->lattice_count, sizeof(float));
    if (flow->viscous) context_free(context, flow->viscous, flow->lattice_count, sizeof(float));
    if (flow->cycle) viscosity_multigrid_destroy(flow->cycle);
    array_free(context, &flow->parts);
    array_free(context, &flow->blocks);
    FlowRows *all[] = {&flow->friction, &flow->fluxes, &flow->dampers, &flow->drag, &flow->links};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) flow_rows_free(context, all[i]);
    scratch_free(&flow->scratch);
    context_free(context, flow, 1, sizeof *flow);
}

size_t coupled_flow_bytes(const CoupledFlow *flow) {
    size_t lattices = flow->cycle ? (size_t)flow->grid.dim + 2 : 0;
    return sizeof *flow + flow->scratch.capacity +
           (flow->cycle ? viscosity_multigrid_bytes(flow->cycle) : 0) +
           lattices * flow->lattice_count * sizeof(float) + flow_rows_bytes(&flow->friction) +
           flow_rows_bytes(&flow->fluxes) + flow_rows_bytes(&flow->dampers) +
           flow_rows_bytes(&flow->drag) + flow_rows_bytes(&flow->links) +
           flow->parts.capacity * sizeof(FlowPart) + flow->blocks.capacity * sizeof(FlowBlock);
}

PoissonProblem flow_poisson_problem(const FlowProblem *problem) {
    PoissonProblem poisson = {.grid = problem->grid,
                              .kind = problem->kind,
                              .phi = problem->phi,
                              .source = problem->source};
    for (int axis = 0; axis < problem->grid->dim; axis++)
        poisson.open[axis] = poisson.coefficient[axis] = problem->open[axis];
    return poisson;
}

PlimStatus coupled_flow_solve(CoupledFlow *flow, const FlowProblem *problem, double *velocity[3],
                              double *pressure, FlowResult *result) {
    *result = (FlowResult){.reason = SOLVE_BREAKDOWN};
    flow->problem = problem;
    flow->grid = *problem->grid;
    PlimStatus status = flow_begin_structure(flow);
    bool viscous = problem->viscosity && problem->viscosity->mu > 0.0;
    if (status == PLIM_OK)
        status = viscous ? flow_solve_viscous(flow, velocity, pressure, result)
                         : flow_solve_inviscid(flow, velocity, pressure, result);
    flow->problem = NULL;
    PlimStatus reset = scratch_reset(&flow->scratch);
    return status != PLIM_OK ? status : reset;
}
