/* Constraints between blocks of the structure in the coupled flow solve, as joints make them (002
 * section 5.8): rows with multipliers, and the Schur complement that preconditions these. */
#include "solve/coupled/coupled_flow_internal.h"

#include "math/cholesky.h"

#include <math.h>
#include <string.h>

/* Beyond that many only the diagonal of the Schur complement is kept. */
enum { DENSE_LINKS = 128 };

void flow_apply_links(const CoupledFlow *flow, double factor, const double *motions,
                      double *links) {
    for (size_t row = 0; row < flow->links.at.count; row++)
        links[row] += factor * flow_row_product(&flow->links, row, motions);
}

void flow_apply_links_transpose(const CoupledFlow *flow, double factor, const double *links,
                                double *motions) {
    for (size_t row = 0; row < flow->links.at.count; row++)
        flow_row_spread(&flow->links, row, factor * links[row], motions);
}

/* Rows may depend on one another: the diagonal is raised by so much that a factor exists. */
PlimStatus flow_factor_links(CoupledFlow *flow, void (*solve)(const void *user, double *motions),
                             const void *user) {
    size_t m = flow->links.at.count, n = flow->motion_count;
    size_t width = m <= DENSE_LINKS ? m : 1;
    flow->link_factor = scratch_take(&flow->scratch, m * width + 1, sizeof(double));
    double *column = scratch_take(&flow->scratch, n + 1, sizeof(double));
    if (!flow->link_factor || !column) return PLIM_OUT_OF_MEMORY;
    for (size_t j = 0; j < m; j++) {
        memset(column, 0, n * sizeof *column);
        flow_row_spread(&flow->links, j, 1.0, column);
        solve(user, column);
        for (size_t i = 0; width == m && i < m; i++)
            flow->link_factor[i * m + j] = flow_row_product(&flow->links, i, column);
        if (width != m) flow->link_factor[j] = flow_row_product(&flow->links, j, column);
    }
    if (width != m) return PLIM_OK;
    for (size_t i = 0; i < m; i++) flow->link_factor[i * m + i] *= 1.0 + 1e-10;
    if (!cholesky_factor(flow->link_factor, m))
        return context_fail(flow->context, PLIM_FAILED,
                            "the constraints between bodies in the fluid cannot be solved for");
    return PLIM_OK;
}

void flow_solve_links(const CoupledFlow *flow, double *links) {
    size_t m = flow->links.at.count;
    if (m > 0 && m <= DENSE_LINKS) cholesky_solve(flow->link_factor, m, links);
    for (size_t i = 0; m > DENSE_LINKS && i < m; i++) links[i] /= flow->link_factor[i];
}

double flow_link_tolerance(const CoupledFlow *flow) {
    const FlowRows *links = &flow->links;
    double least = HUGE_VAL;
    for (size_t row = 0; row < links->at.count; row++) {
        double square = 0.0;
        for (size_t i = links->reduced_start.data[row]; i < links->reduced_start.data[row + 1]; i++)
            square += links->reduced.data[i].value * links->reduced.data[i].value;
        least = fmin(least, square);
    }
    double speed = flow->problem->divergence / grid_face_area(&flow->grid);
    return links->at.count > 0 ? speed * sqrt(least) : speed;
}
