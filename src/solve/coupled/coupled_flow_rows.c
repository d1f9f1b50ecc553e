/* Rows over the structure in the coupled flow solve: J (002 section 5.4.3), which takes motions of
 * solids to velocities at faces, and its transpose, which takes impulses back. */
#include "solve/coupled/coupled_flow_internal.h"

#include "math/eigen6.h"

#include <string.h>

/* ---- rows ---- */

void flow_rows_clear(FlowRows *rows) {
    rows->at.count = rows->start.count = rows->entries.count = 0;
    rows->reduced_start.count = rows->reduced.count = 0;
    rows->constant.count = rows->weight.count = 0;
}

void flow_rows_free(PlimContext *context, FlowRows *rows) {
    array_free(context, &rows->at);
    array_free(context, &rows->start);
    array_free(context, &rows->entries);
    array_free(context, &rows->reduced_start);
    array_free(context, &rows->reduced);
    array_free(context, &rows->constant);
    array_free(context, &rows->weight);
}

size_t flow_rows_bytes(const FlowRows *rows) {
    return (rows->at.capacity + rows->start.capacity + rows->reduced_start.capacity) *
               sizeof(size_t) +
           (rows->entries.capacity + rows->reduced.capacity) * sizeof(FlowEntry) +
           (rows->constant.capacity + rows->weight.capacity) * sizeof(double);
}

static size_t part_of(const CoupledFlow *flow, const FlowEntry *entry) {
    return flow->blocks.data[flow->block_of[entry->column]].part;
}

bool flow_reduce_part(const CoupledFlow *flow, const FlowEntry *entries, size_t first, size_t i,
                      size_t last, double *own) {
    size_t number = part_of(flow, &entries[i]);
    if (number == FLOW_NO_PART) return false;
    for (size_t before = first; before < i; before++)
        if (part_of(flow, &entries[before]) == number) return false;
    const FlowPart *part = &flow->parts.data[number];
    memset(own, 0, part->motion_count * sizeof *own);
    for (; i < last; i++) {
        if (part_of(flow, &entries[i]) != number) continue;
        size_t at = flow_place_in_part(flow, (size_t)entries[i].column);
        for (size_t m = 0; m < part->motion_count; m++)
            own[m] += entries[i].value * part->motion[m * part->size + at];
    }
    return true;
}

static bool push_reduced(CoupledFlow *flow, FlowRows *rows, size_t first) {
    size_t last = rows->entries.count;
    const FlowEntry *entries = rows->entries.data;
    for (size_t i = first; i < last; i++) {
        if (!flow_reduce_part(flow, entries, first, i, last, flow->own)) continue;
        const FlowPart *part = &flow->parts.data[part_of(flow, &entries[i])];
        for (size_t m = 0; m < part->motion_count; m++) {
            FlowEntry entry = {(int32_t)(part->first + m), flow->own[m]};
            if (entry.value != 0.0 && !array_push(flow->context, &rows->reduced, entry))
                return false;
        }
    }
    return true;
}

void flow_begin_row(CoupledFlow *flow, FlowRows *rows) {
    if (rows->start.count > 0) return;
    if (!array_push(flow->context, &rows->start, 0) ||
        !array_push(flow->context, &rows->reduced_start, 0))
        flow->short_of_memory = true;
}

void flow_add_entries(CoupledFlow *flow, FlowRows *rows, size_t count, const int32_t *column,
                      const double *value, double factor) {
    for (size_t i = 0; i < count; i++) {
        FlowEntry entry = {column[i], factor * value[i]};
        if (!array_push(flow->context, &rows->entries, entry)) flow->short_of_memory = true;
    }
}

void flow_end_row(CoupledFlow *flow, FlowRows *rows, size_t at) {
    PlimContext *context = flow->context;
    size_t first = rows->start.count > 0 ? rows->start.data[rows->start.count - 1] : 0;
    if (!push_reduced(flow, rows, first) || !array_push(context, &rows->at, at) ||
        !array_push(context, &rows->start, rows->entries.count) ||
        !array_push(context, &rows->reduced_start, rows->reduced.count))
        flow->short_of_memory = true;
}

void flow_add_row(CoupledFlow *flow, FlowRows *rows, size_t at, size_t count, const int32_t *column,
                  const double *value, double factor) {
    flow_begin_row(flow, rows);
    flow_add_entries(flow, rows, count, column, value, factor);
    flow_end_row(flow, rows, at);
}

/* ---- products ---- */

double flow_row_product(const FlowRows *rows, size_t row, const double *motions) {
    double sum = 0.0;
    for (size_t i = rows->reduced_start.data[row]; i < rows->reduced_start.data[row + 1]; i++)
        sum += rows->reduced.data[i].value * motions[rows->reduced.data[i].column];
    return sum;
}

void flow_row_spread(const FlowRows *rows, size_t row, double x, double *out) {
    for (size_t i = rows->reduced_start.data[row]; i < rows->reduced_start.data[row + 1]; i++)
        out[rows->reduced.data[i].column] += rows->reduced.data[i].value * x;
}

void flow_from_motions(const FlowRows *rows, const double *motions, double *y) {
    for (size_t row = 0; row < rows->at.count; row++)
        y[rows->at.data[row]] += flow_row_product(rows, row, motions);
}

void flow_to_motions(const FlowRows *rows, const double *x, double *motions) {
    for (size_t row = 0; row < rows->at.count; row++)
        flow_row_spread(rows, row, x[rows->at.data[row]], motions);
}

void flow_from_known(const CoupledFlow *flow, const FlowRows *rows, double factor, double *y) {
    const double *through = flow->structure->through;
    for (size_t row = 0; row < rows->at.count; row++) {
        double sum = 0.0;
        for (size_t i = rows->start.data[row]; i < rows->start.data[row + 1]; i++) {
            const FlowEntry *entry = &rows->entries.data[i];
            double surface = flow->known[entry->column] + (through ? through[entry->column] : 0.0);
            sum += entry->value * surface;
        }
        y[rows->at.data[row]] += factor * sum;
    }
}

/* ---- friction ---- */

static void add_scaled(SparseRow *to, double factor, const SparseRow *row) {
    to->is_short = to->is_short || row->is_short;
    for (int i = 0; i < row->count; i++) sparse_row_add(to, row->column[i], factor * row->value[i]);
}

static void surface_row(const FlowProblem *problem, const FlowAnchor *anchor, Vec3 x, int axis,
                        SparseRow *row) {
    row->count = 0;
    row->is_short = false;
    problem->surface_row(problem->user, anchor, x, axis, row);
}

/* How the velocity of a surface enters a function of a wall term. */
static void wall_row(const CoupledFlow *flow, const WallFunction *f, const FlowAnchor *anchor,
                     SparseRow *out) {
    const FlowProblem *problem = flow->problem;
    SparseRow here;
    out->count = 0;
    out->is_short = false;
    if (f->wall_sign == 0.0 && f->wall_slope == 0.0) return;
    surface_row(problem, anchor, f->x, f->component, &here);
    add_scaled(out, f->wall_sign, &here);
    if (f->wall_slope == 0.0) return;
    SparseRow beyond;
    Vec3 x = vec3_add_scaled(f->x, flow->grid.spacing, vec3_axis(f->axis));
    surface_row(problem, anchor, x, f->component, &beyond);
    add_scaled(out, f->wall_slope, &beyond);
    add_scaled(out, -f->wall_slope, &here);
}

static bool is_of_one_block(const CoupledFlow *flow, const SparseRow *rows, int count,
                            int32_t *block) {
    *block = -1;
    for (int r = 0; r < count; r++)
        for (int i = 0; i < rows[r].count; i++) {
            int32_t own = flow->block_of[rows[r].column[i]];
            if (*block >= 0 && own != *block) return false;
            *block = own;
        }
    return true;
}

/* One block's own friction, rows^T c rows. */
static void add_drag(CoupledFlow *flow, int32_t block, const SparseRow *row,
                     const SparseRow *reaction, double scale) {
    FlowBlock *own = &flow->blocks.data[block];
    size_t first = flow->structure->blocks[block].first;
    for (int i = 0; i < row->count; i++)
        for (int j = 0; j < reaction->count; j++)
            own->drag[(size_t)row->column[i] - first][(size_t)reaction->column[j] - first] +=
                scale * row->value[i] * reaction->value[j];
}

/* The same where several blocks move a surface: rows by the eigenvectors of c, whose eigenvalues
 * are not negative but for its single precision. */
static void add_joint_drag(CoupledFlow *flow, const WallTerm *term, const SparseRow *rows,
                           double scale) {
    double a[6][6] = {{0}}, values[6], vectors[6][6];
    const double *through = flow->structure->through;
    for (int i = 0; i < term->count; i++)
        for (int j = 0; j < term->count; j++) a[i][j] = term->coefficient[i][j];
    symmetric_eigen6(a, values, vectors);
    for (int e = 0; e < 6; e++) {
        SparseRow row = {0};
        double constant = 0.0;
        if (values[e] == 0.0) continue;
        for (int i = 0; i < term->count; i++) add_scaled(&row, vectors[i][e], &rows[i]);
        for (int i = 0; i < row.count; i++)
            constant += row.value[i] *
                        (flow->known[row.column[i]] + (through ? through[row.column[i]] : 0.0));
        flow->short_of_row = flow->short_of_row || row.is_short;
        flow_add_row(flow, &flow->drag, 0, (size_t)row.count, row.column, row.value, 1.0);
        if (!array_push(flow->context, &flow->drag.constant, constant) ||
            !array_push(flow->context, &flow->drag.weight, scale * values[e]))
            flow->short_of_memory = true;
    }
}

static void add_term(void *user, const WallTerm *term) {
    CoupledFlow *flow = user;
    const FlowProblem *problem = flow->problem;
    double scale = problem->viscosity->stiffness;
    SparseRow rows[WALL_FUNCTIONS];
    FlowAnchor anchor = problem->surface_at(problem->user, term->middle);
    int32_t block;
    for (int i = 0; i < term->count; i++) wall_row(flow, &term->f[i], &anchor, &rows[i]);
    bool own = is_of_one_block(flow, rows, term->count, &block);
    for (int i = 0; i < term->count; i++) {
        SparseRow reaction = {0}; /* of function i to the surface's velocity */
        double given = 0.0;
        for (int j = 0; j < term->count; j++) {
            add_scaled(&reaction, term->coefficient[i][j], &rows[j]);
            given += term->coefficient[i][j] * term->f[j].given;
        }
        flow->short_of_row = flow->short_of_row || reaction.is_short;
        for (int f = 0; f < term->f[i].face_count && reaction.count > 0; f++)
            flow_add_row(flow, &flow->friction, term->f[i].face[f], (size_t)reaction.count,
                         reaction.column, reaction.value, scale * term->f[i].sign[f]);
        for (int k = 0; k < rows[i].count; k++)
            flow->push[rows[i].column[k]] += scale * given * rows[i].value[k];
        if (own && block >= 0) add_drag(flow, block, &rows[i], &reaction, scale);
    }
    if (!own) add_joint_drag(flow, term, rows, scale);
}

PlimStatus flow_gather_friction(CoupledFlow *flow, double *velocity[3]) {
    const FlowProblem *problem = flow->problem;
    if (flow->structure->count > 0)
        viscosity_wall_terms(problem->viscosity, problem->viscous, velocity, add_term, flow);
    if (flow->short_of_row)
        return context_fail(flow->context, PLIM_FAILED,
                            "a surface in the fluid depends on more than %d velocities at a point; "
                            "give it coarser elements",
                            (int)SPARSE_ROW_CAPACITY);
    return flow->short_of_memory ? PLIM_OUT_OF_MEMORY : PLIM_OK;
}
