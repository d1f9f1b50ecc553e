/* The structure in the coupled flow solve (002 sections 5.4.3, 5.8): masses in blocks, the motions
 * that constraints within blocks leave, and what comes of the solve. */
#include "solve/coupled/coupled_flow_internal.h"

#include "math/cholesky.h"

#include <math.h>
#include <string.h>

/* ---- constraints within a block are eliminated ---- */

/* Constraint rows by the free block that they concern alone. */
typedef struct LocalRows {
    size_t *start; /* one a block and one more */
    size_t *row;
} LocalRows;

static const MassBlock *block_at(const CoupledFlow *flow, int32_t velocity) {
    return &flow->structure->blocks[flow->block_of[velocity]];
}

/* The only free block of a constraint's row; -1: it has none, -2: several. */
static int32_t lone_block(const CoupledFlow *flow, size_t row) {
    const Csr *rows = flow->structure->constraints;
    int32_t lone = -1;
    for (size_t i = rows->row_start[row]; i < rows->row_start[row + 1]; i++) {
        if (rows->value[i] == 0.0 || !block_at(flow, rows->column[i])->is_free) continue;
        int32_t block = flow->block_of[rows->column[i]];
        if (lone >= 0 && lone != block) return -2;
        lone = block;
    }
    return lone;
}

static PlimStatus sort_rows(CoupledFlow *flow, LocalRows *local) {
    const FlowStructure *s = flow->structure;
    size_t count = s->constraints ? s->constraints->rows : 0;
    local->start = scratch_take(&flow->scratch, s->block_count + 2, sizeof *local->start);
    local->row = scratch_take(&flow->scratch, count + 1, sizeof *local->row);
    if (!local->start || !local->row) return PLIM_OUT_OF_MEMORY;
    memset(local->start, 0, (s->block_count + 2) * sizeof *local->start);
    for (size_t row = 0; row < count; row++) {
        int32_t block = lone_block(flow, row);
        if (block >= 0) local->start[block + 2]++;
    }
    for (size_t b = 0; b < s->block_count; b++) local->start[b + 2] += local->start[b + 1];
    for (size_t row = 0; row < count; row++) {
        int32_t block = lone_block(flow, row);
        if (block >= 0) local->row[local->start[block + 1]++] = row;
    }
    return PLIM_OK;
}

static double dot(const double *a, const double *b, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* Takes from x what is along the first `count` directions; the length that is left. */
static double orthogonalize(double taken[][MASS_BLOCK_SIZE], int count, int n, double *x) {
    for (int j = 0; j < count; j++) {
        double along = dot(x, taken[j], n);
        for (int i = 0; i < n; i++) x[i] -= along * taken[j][i];
    }
    return sqrt(dot(x, x, n));
}

/* The row in scaled velocities, less what given ones make of it. */
static double scaled_row(const CoupledFlow *flow, const MassBlock *block, const FlowPart *part,
                         size_t row, double *out) {
    const FlowStructure *s = flow->structure;
    const Csr *rows = s->constraints;
    double target = s->target ? s->target[row] : 0.0;
    memset(out, 0, MASS_BLOCK_SIZE * sizeof *out);
    for (size_t i = rows->row_start[row]; i < rows->row_start[row + 1]; i++) {
        size_t at = (size_t)rows->column[i] - block->first;
        if ((size_t)rows->column[i] >= block->first && at < (size_t)block->size)
            out[at] += rows->value[i] * part->scale[at];
        else
            target -= rows->value[i] * s->velocity[rows->column[i]];
    }
    return target;
}

/* Gram and Schmidt: directions that rows take, and the velocity they ask for; then motions along
 * what is left of the axes, the longest first. Rows that depend on others add nothing. */
static void find_motions(const CoupledFlow *flow, const MassBlock *block, FlowPart *part,
                         const size_t *rows, size_t row_count) {
    double taken[MASS_BLOCK_SIZE][MASS_BLOCK_SIZE], rest[MASS_BLOCK_SIZE] = {0};
    int n = block->size, count = 0;
    for (size_t k = 0; k < row_count && count < n; k++) {
        double *own = taken[count], target = scaled_row(flow, block, part, rows[k], own);
        double before = sqrt(dot(own, own, n)), asked = dot(own, rest, n);
        double length = orthogonalize(taken, count, n, own);
        if (!(length > 1e-6 * before)) continue;
        for (int i = 0; i < n; i++) own[i] /= length;
        for (int i = 0; i < n; i++) rest[i] += (target - asked) / length * own[i];
        count++;
    }
    for (int i = 0; i < n; i++) part->rest[i] = part->scale[i] * rest[i];
    for (part->motion_count = 0; count < n; count++, part->motion_count++) {
        double longest = -1.0, way[MASS_BLOCK_SIZE];
        for (int axis = 0; axis < n; axis++) {
            double x[MASS_BLOCK_SIZE] = {0};
            x[axis] = 1.0;
            double length = orthogonalize(taken, count, n, x);
            if (!(length > longest * (1.0 + 1e-9))) continue;
            longest = length;
            for (int i = 0; i < n; i++) way[i] = x[i] / length;
        }
        orthogonalize(taken, count, n, way);
        memcpy(taken[count], way, sizeof way);
        double *motion = part->motion[part->motion_count];
        for (int i = 0; i < n; i++) motion[i] = part->scale[i] * way[i];
    }
}

static PlimStatus add_parts(CoupledFlow *flow) {
    const FlowStructure *s = flow->structure;
    LocalRows local;
    TRY(sort_rows(flow, &local));
    for (size_t b = 0; b < s->block_count; b++) {
        const MassBlock *block = &s->blocks[b];
        FlowPart part = {.first = flow->motion_count};
        for (int i = 0; block->is_free && i < block->size; i++) {
            if (!(block->mass[i][i] > 0.0))
                return context_fail(flow->context, PLIM_FAILED,
                                    "the masses of bodies in the fluid are not positive");
            part.scale[i] = sqrt(block->mass[0][0] / block->mass[i][i]);
        }
        if (block->is_free)
            find_motions(flow, block, &part, local.row + local.start[b],
                         local.start[b + 1] - local.start[b]);
        flow->motion_count += (size_t)part.motion_count;
        for (int i = 0; i < block->size; i++)
            flow->known[block->first + (size_t)i] =
                block->is_free ? part.rest[i] : s->velocity[block->first + (size_t)i];
        if (!array_push(flow->context, &flow->parts, part)) return PLIM_OUT_OF_MEMORY;
    }
    return PLIM_OK;
}

/* What is known of a row's product with the velocities. */
static double known_part(const CoupledFlow *flow, const Csr *rows, size_t row) {
    double sum = 0.0;
    for (size_t i = rows->row_start[row]; i < rows->row_start[row + 1]; i++)
        sum += rows->value[i] * flow->known[rows->column[i]];
    return sum;
}

static void add_csr_row(CoupledFlow *flow, FlowRows *to, const Csr *rows, size_t row,
                        double constant) {
    size_t first = rows->row_start[row];
    flow_add_row(flow, to, row, rows->row_start[row + 1] - first, rows->column + first,
                 rows->value + first, 1.0);
    if (!array_push(flow->context, &to->constant, constant) ||
        !array_push(flow->context, &to->weight, 1.0))
        flow->short_of_memory = true;
}

PlimStatus flow_begin_structure(CoupledFlow *flow) {
    flow->structure = flow->problem->structure ? flow->problem->structure : &flow->none;
    const FlowStructure *s = flow->structure;
    FlowRows *all[] = {&flow->friction, &flow->fluxes, &flow->dampers, &flow->drag, &flow->links};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) flow_rows_clear(all[i]);
    flow->parts.count = flow->motion_count = 0;
    flow->short_of_memory = flow->short_of_row = false;
    flow->block_of = scratch_take(&flow->scratch, s->count + 1, sizeof *flow->block_of);
    flow->known = scratch_take(&flow->scratch, s->count + 1, sizeof *flow->known);
    flow->push = scratch_take(&flow->scratch, s->count + 1, sizeof *flow->push);
    if (!flow->block_of || !flow->known || !flow->push) return PLIM_OUT_OF_MEMORY;
    memset(flow->push, 0, s->count * sizeof *flow->push);
    for (size_t b = 0; b < s->block_count; b++)
        for (int i = 0; i < s->blocks[b].size; i++)
            flow->block_of[s->blocks[b].first + (size_t)i] = (int32_t)b;
    TRY(add_parts(flow));
    for (size_t row = 0; s->dampers && row < s->dampers->rows; row++)
        add_csr_row(flow, &flow->dampers, s->dampers, row, known_part(flow, s->dampers, row));
    for (size_t row = 0; s->constraints && row < s->constraints->rows; row++) {
        if (lone_block(flow, row) != -2) continue;
        double target = s->target ? s->target[row] : 0.0;
        add_csr_row(flow, &flow->links, s->constraints, row,
                    target - known_part(flow, s->constraints, row));
    }
    return flow->short_of_memory ? PLIM_OUT_OF_MEMORY : PLIM_OK;
}

/* ---- masses of motions ---- */

/* Adds r r^T of what rows are to each block's motions to its diagonal block. */
static void add_own_blocks(const CoupledFlow *flow, const FlowRows *rows) {
    for (size_t row = 0; row < rows->at.count; row++)
        for (size_t i = rows->start.data[row], end; i < rows->start.data[row + 1]; i = end) {
            double own[MASS_BLOCK_SIZE];
            size_t block =
                flow_reduce_run(flow, rows->entries.data, i, rows->start.data[row + 1], &end, own);
            FlowPart *part = &flow->parts.data[block];
            for (int k = 0; k < part->motion_count; k++)
                for (int l = 0; l < part->motion_count; l++)
                    part->diagonal[k * part->motion_count + l] +=
                        rows->weight.data[row] * own[k] * own[l];
        }
}

PlimStatus flow_set_masses(CoupledFlow *flow) {
    for (size_t b = 0; b < flow->structure->block_count; b++) {
        const MassBlock *block = &flow->structure->blocks[b];
        FlowPart *part = &flow->parts.data[b];
        int n = part->motion_count, size = block->size;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double sum = 0.0;
                for (int k = 0; k < size; k++)
                    for (int l = 0; l < size; l++)
                        sum += part->motion[i][k] * part->motion[j][l] *
                               (block->mass[k][l] + part->drag[k][l]);
                part->mass[i * n + j] = sum;
            }
        memcpy(part->diagonal, part->mass, sizeof part->mass);
    }
    add_own_blocks(flow, &flow->dampers);
    add_own_blocks(flow, &flow->drag);
    return flow_factor_blocks(flow, 1.0, NULL);
}

PlimStatus flow_factor_blocks(CoupledFlow *flow, double scale, const double *extra) {
    for (size_t b = 0; b < flow->parts.count; b++) {
        FlowPart *part = &flow->parts.data[b];
        size_t n = (size_t)part->motion_count;
        for (size_t i = 0; i < n * n; i++) part->factor[i] = scale * part->diagonal[i];
        for (size_t i = 0; extra && i < n; i++) part->factor[i * n + i] += extra[part->first + i];
        if (n > 0 && !cholesky_factor(part->factor, n))
            return context_fail(flow->context, PLIM_FAILED,
                                "the masses of bodies in the fluid are not positive");
    }
    return PLIM_OK;
}

void flow_solve_blocks(const CoupledFlow *flow, double *x) {
    for (size_t b = 0; b < flow->parts.count; b++) {
        const FlowPart *part = &flow->parts.data[b];
        if (part->motion_count > 0)
            cholesky_solve(part->factor, (size_t)part->motion_count, x + part->first);
    }
}

void flow_apply_structure(const CoupledFlow *flow, const double *x, double *y) {
    const FlowRows *joined[] = {&flow->dampers, &flow->drag};
    for (size_t b = 0; b < flow->parts.count; b++) {
        const FlowPart *part = &flow->parts.data[b];
        int n = part->motion_count;
        for (int i = 0; i < n; i++) {
            double sum = 0.0;
            for (int j = 0; j < n; j++) sum += part->mass[i * n + j] * x[part->first + (size_t)j];
            y[part->first + (size_t)i] = sum;
        }
    }
    for (size_t k = 0; k < 2; k++)
        for (size_t row = 0; row < joined[k]->at.count; row++)
            flow_row_spread(joined[k], row,
                            joined[k]->weight.data[row] * flow_row_product(joined[k], row, x), y);
}

void flow_dense_structure(const CoupledFlow *flow, double *work, double *out) {
    size_t n = flow->motion_count;
    memset(work, 0, n * sizeof *work);
    for (size_t j = 0; j < n; j++) {
        work[j] = 1.0;
        flow_apply_structure(flow, work, out + j * n);
        work[j] = 0.0;
    }
}

/* ---- momenta, velocities ---- */

void flow_motion_momenta(const CoupledFlow *flow, double *out) {
    const FlowStructure *s = flow->structure;
    const FlowRows *joined[] = {&flow->dampers, &flow->drag};
    for (size_t b = 0; b < s->block_count; b++) {
        const MassBlock *block = &s->blocks[b];
        const FlowPart *part = &flow->parts.data[b];
        for (int m = 0; m < part->motion_count; m++) {
            double sum = 0.0;
            for (int i = 0; i < block->size; i++) {
                size_t at = block->first + (size_t)i;
                double momentum = s->momentum[at] - flow->push[at];
                for (int j = 0; j < block->size; j++) {
                    double through = s->through ? s->through[block->first + (size_t)j] : 0.0;
                    momentum -= part->drag[i][j] * through;
                    momentum -= (part->drag[i][j] + block->mass[i][j]) * part->rest[j];
                }
                sum += part->motion[m][i] * momentum;
            }
            out[part->first + (size_t)m] = sum;
        }
    }
    for (size_t k = 0; k < 2; k++)
        for (size_t row = 0; row < joined[k]->at.count; row++)
            flow_row_spread(joined[k], row,
                            -joined[k]->weight.data[row] * joined[k]->constant.data[row], out);
}

void flow_guess_motions(const CoupledFlow *flow, double *motions) {
    const FlowStructure *s = flow->structure;
    for (size_t b = 0; b < s->block_count; b++) {
        const FlowPart *part = &flow->parts.data[b];
        const double *velocity = s->velocity + s->blocks[b].first;
        for (int m = 0; m < part->motion_count; m++) {
            double along = 0.0;
            for (int i = 0; i < s->blocks[b].size; i++)
                along += part->motion[m][i] * (velocity[i] - part->rest[i]) /
                         (part->scale[i] * part->scale[i]);
            motions[part->first + (size_t)m] = along;
        }
    }
}

void flow_set_velocities(const CoupledFlow *flow, const double *motions) {
    const FlowStructure *s = flow->structure;
    if (s->count > 0) memset(s->impulse, 0, s->count * sizeof *s->impulse);
    for (size_t b = 0; b < s->block_count; b++) {
        const FlowPart *part = &flow->parts.data[b];
        double *velocity = s->velocity + s->blocks[b].first;
        if (!s->blocks[b].is_free) continue;
        memcpy(velocity, part->rest, (size_t)s->blocks[b].size * sizeof *velocity);
        for (int m = 0; m < part->motion_count; m++)
            for (int i = 0; i < s->blocks[b].size; i++)
                velocity[i] += motions[part->first + (size_t)m] * part->motion[m][i];
    }
}

/* ---- impulses, multipliers, energy ---- */

void flow_add_impulses(const CoupledFlow *flow, const FlowRows *rows, double factor,
                       const double *x) {
    for (size_t row = 0; row < rows->at.count; row++)
        for (size_t i = rows->start.data[row]; i < rows->start.data[row + 1]; i++)
            flow->structure->impulse[rows->entries.data[i].column] +=
                factor * rows->entries.data[i].value * x[rows->at.data[row]];
}

static double surface_velocity(const FlowStructure *s, size_t at) {
    return s->velocity[at] + (s->through ? s->through[at] : 0.0);
}

void flow_add_own_friction(const CoupledFlow *flow) {
    const FlowStructure *s = flow->structure;
    const FlowRows *drag = &flow->drag;
    for (size_t b = 0; b < s->block_count; b++) {
        const FlowPart *part = &flow->parts.data[b];
        size_t first = s->blocks[b].first, size = (size_t)s->blocks[b].size;
        for (size_t i = 0; i < size; i++) {
            s->impulse[first + i] -= flow->push[first + i];
            for (size_t j = 0; j < size; j++)
                s->impulse[first + i] -= part->drag[i][j] * surface_velocity(s, first + j);
        }
    }
    for (size_t row = 0; row < drag->at.count; row++) {
        const FlowEntry *entry = drag->entries.data;
        size_t first = drag->start.data[row], last = drag->start.data[row + 1];
        double product = 0.0, weight = drag->weight.data[row];
        for (size_t i = first; i < last; i++)
            product += weight * entry[i].value * surface_velocity(s, (size_t)entry[i].column);
        for (size_t i = first; i < last; i++)
            s->impulse[entry[i].column] -= entry[i].value * product;
    }
}

void flow_set_multipliers(const CoupledFlow *flow, double factor, const double *links) {
    const FlowStructure *s = flow->structure;
    if (!s->multipliers || !s->constraints) return;
    memset(s->multipliers, 0, s->constraints->rows * sizeof *s->multipliers);
    for (size_t k = 0; k < flow->links.at.count; k++)
        s->multipliers[flow->links.at.data[k]] = factor * links[k];
}

static double block_energy(const FlowStructure *s, const MassBlock *block, bool before) {
    double sum = 0.0, v[MASS_BLOCK_SIZE], factor[MASS_BLOCK_SIZE * MASS_BLOCK_SIZE];
    const double *from = (before ? s->momentum : s->velocity) + block->first;
    int n = block->size, used = 0;
    for (int i = 0; i < n; i++) v[i] = from[i];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) factor[used++] = block->mass[i][j];
    if (before && cholesky_factor(factor, (size_t)n)) cholesky_solve(factor, (size_t)n, v);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) sum += 0.5 * v[i] * block->mass[i][j] * v[j];
    return sum;
}

double flow_structure_energy(const CoupledFlow *flow, bool before) {
    const FlowStructure *s = flow->structure;
    double sum = 0.0;
    for (size_t b = 0; b < s->block_count; b++)
        if (s->blocks[b].is_free) sum += block_energy(s, &s->blocks[b], before);
    return sum;
}
