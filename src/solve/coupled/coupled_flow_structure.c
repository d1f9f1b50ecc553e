/* The structure in the coupled flow solve (002 sections 5.4.3, 5.8): masses of the motions that
 * constraints leave, and what comes of the solve. */
#include "solve/coupled/coupled_flow_internal.h"

#include "math/cholesky.h"

#include <math.h>
#include <string.h>

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
    bool *is_link;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) flow_rows_clear(all[i]);
    flow->short_of_memory = flow->short_of_row = false;
    flow->block_of = scratch_take(&flow->scratch, s->count + 1, sizeof *flow->block_of);
    flow->known = scratch_take(&flow->scratch, s->count + 1, sizeof *flow->known);
    flow->push = scratch_take(&flow->scratch, s->count + 1, sizeof *flow->push);
    flow->own = scratch_take(&flow->scratch, s->count + 1, sizeof *flow->own);
    if (!flow->block_of || !flow->known || !flow->push || !flow->own) return PLIM_OUT_OF_MEMORY;
    memset(flow->push, 0, s->count * sizeof *flow->push);
    for (size_t b = 0; b < s->block_count; b++)
        for (int i = 0; i < s->blocks[b].size; i++)
            flow->block_of[s->blocks[b].first + (size_t)i] = (int32_t)b;
    TRY(flow_make_parts(flow, &is_link));
    for (size_t row = 0; s->dampers && row < s->dampers->rows; row++)
        add_csr_row(flow, &flow->dampers, s->dampers, row, known_part(flow, s->dampers, row));
    for (size_t row = 0; s->constraints && row < s->constraints->rows; row++) {
        if (!is_link[row]) continue;
        double target = s->target ? s->target[row] : 0.0;
        add_csr_row(flow, &flow->links, s->constraints, row,
                    target - known_part(flow, s->constraints, row));
    }
    return flow->short_of_memory ? PLIM_OUT_OF_MEMORY : PLIM_OK;
}

/* ---- masses of motions ---- */

/* Adds r r^T of what rows are to each part's motions to its diagonal block. */
static void add_own_blocks(const CoupledFlow *flow, const FlowRows *rows) {
    for (size_t row = 0; row < rows->at.count; row++) {
        size_t first = rows->start.data[row], last = rows->start.data[row + 1];
        for (size_t i = first; i < last; i++) {
            const FlowEntry *entries = rows->entries.data;
            if (!flow_reduce_part(flow, entries, first, i, last, flow->own)) continue;
            FlowPart *part =
                &flow->parts.data[flow->blocks.data[flow->block_of[entries[i].column]].part];
            for (size_t k = 0; k < part->motion_count; k++)
                for (size_t l = 0; l < part->motion_count; l++)
                    part->diagonal[k * part->motion_count + l] +=
                        rows->weight.data[row] * flow->own[k] * flow->own[l];
        }
    }
}

/* Adds what one block's mass and drag are to the motions of its part; of the drag by linear and
 * angular velocities the parts `yield`. */
static void add_block_mass(const CoupledFlow *flow, size_t b, const double yield[2], double *to) {
    const MassBlock *block = &flow->structure->blocks[b];
    const FlowBlock *own = &flow->blocks.data[b];
    const FlowPart *part = &flow->parts.data[own->part];
    size_t n = part->motion_count;
    int size = block->size;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            const double *a = part->motion + i * part->size + own->local;
            const double *c = part->motion + j * part->size + own->local;
            double sum = 0.0;
            for (int k = 0; k < size; k++)
                for (int l = 0; l < size; l++) {
                    double left = sqrt(yield[k >= 3] * yield[l >= 3]);
                    sum += a[k] * c[l] * (block->mass[k][l] + left * own->drag[k][l]);
                }
            to[i * n + j] += sum;
        }
}

static PlimStatus take_matrices(CoupledFlow *flow, FlowPart *part) {
    size_t square = part->motion_count * part->motion_count;
    double **matrices[] = {&part->mass, &part->diagonal, &part->factor};
    for (size_t i = 0; i < 3; i++) {
        *matrices[i] = scratch_take(&flow->scratch, square + 1, sizeof(double));
        if (!*matrices[i]) return PLIM_OUT_OF_MEMORY;
    }
    memset(part->mass, 0, square * sizeof *part->mass);
    return PLIM_OK;
}

PlimStatus flow_set_masses(CoupledFlow *flow) {
    for (size_t p = 0; p < flow->parts.count; p++) TRY(take_matrices(flow, &flow->parts.data[p]));
    for (size_t b = 0; b < flow->structure->block_count; b++)
        if (flow->blocks.data[b].part != FLOW_NO_PART)
            add_block_mass(flow, b, (double[2]){1.0, 1.0},
                           flow->parts.data[flow->blocks.data[b].part].mass);
    for (size_t p = 0; p < flow->parts.count; p++) {
        FlowPart *part = &flow->parts.data[p];
        memcpy(part->diagonal, part->mass,
               part->motion_count * part->motion_count * sizeof *part->mass);
    }
    add_own_blocks(flow, &flow->dampers);
    add_own_blocks(flow, &flow->drag);
    return flow_factor_blocks(flow, 1.0, NULL);
}

PlimStatus flow_factor_blocks(CoupledFlow *flow, double scale, const double *extra) {
    for (size_t p = 0; p < flow->parts.count; p++) {
        FlowPart *part = &flow->parts.data[p];
        size_t n = part->motion_count;
        for (size_t i = 0; i < n * n; i++) part->factor[i] = scale * part->diagonal[i];
        for (size_t i = 0; extra && i < n; i++) part->factor[i * n + i] += extra[part->first + i];
        if (n > 0 && !cholesky_factor(part->factor, n))
            return context_fail(flow->context, PLIM_FAILED,
                                "the masses of bodies in the fluid are not positive");
    }
    return PLIM_OK;
}

PlimStatus flow_factor_yielding(CoupledFlow *flow, const double part[2]) {
    for (size_t p = 0; p < flow->parts.count; p++) {
        FlowPart *own = &flow->parts.data[p];
        size_t square = own->motion_count * own->motion_count;
        for (size_t i = 0; i < square; i++) own->factor[i] = own->diagonal[i] - own->mass[i];
    }
    for (size_t b = 0; b < flow->structure->block_count; b++)
        if (flow->blocks.data[b].part != FLOW_NO_PART)
            add_block_mass(flow, b, part, flow->parts.data[flow->blocks.data[b].part].factor);
    for (size_t p = 0; p < flow->parts.count; p++) {
        FlowPart *own = &flow->parts.data[p];
        if (own->motion_count > 0 && !cholesky_factor(own->factor, own->motion_count))
            return context_fail(flow->context, PLIM_FAILED,
                                "the masses of bodies in the fluid are not positive");
    }
    return PLIM_OK;
}

void flow_solve_blocks(const CoupledFlow *flow, double *x) {
    for (size_t b = 0; b < flow->parts.count; b++) {
        const FlowPart *part = &flow->parts.data[b];
        if (part->motion_count > 0)
            cholesky_solve(part->factor, part->motion_count, x + part->first);
    }
}

void flow_apply_structure(const CoupledFlow *flow, const double *x, double *y) {
    const FlowRows *joined[] = {&flow->dampers, &flow->drag};
    for (size_t b = 0; b < flow->parts.count; b++) {
        const FlowPart *part = &flow->parts.data[b];
        size_t n = part->motion_count;
        for (size_t i = 0; i < n; i++) {
            double sum = 0.0;
            for (size_t j = 0; j < n; j++) sum += part->mass[i * n + j] * x[part->first + j];
            y[part->first + i] = sum;
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

/* What a block has of momentum beside that of what is known of its velocities. */
static void block_momentum(const CoupledFlow *flow, size_t b, double out[MASS_BLOCK_SIZE]) {
    const FlowStructure *s = flow->structure;
    const MassBlock *block = &s->blocks[b];
    const FlowBlock *own = &flow->blocks.data[b];
    for (int i = 0; i < block->size; i++) {
        size_t at = block->first + (size_t)i;
        out[i] = s->momentum[at] - flow->push[at];
        for (int j = 0; j < block->size; j++) {
            size_t other = block->first + (size_t)j;
            double through = s->through ? s->through[other] : 0.0;
            out[i] -= own->drag[i][j] * through;
            out[i] -= (own->drag[i][j] + block->mass[i][j]) * flow->known[other];
        }
    }
}

void flow_motion_momenta(const CoupledFlow *flow, double *out) {
    const FlowStructure *s = flow->structure;
    const FlowRows *joined[] = {&flow->dampers, &flow->drag};
    memset(out, 0, flow->motion_count * sizeof *out);
    for (size_t b = 0; b < s->block_count; b++) {
        const FlowBlock *own = &flow->blocks.data[b];
        if (own->part == FLOW_NO_PART) continue;
        const FlowPart *part = &flow->parts.data[own->part];
        double momentum[MASS_BLOCK_SIZE];
        block_momentum(flow, b, momentum);
        for (size_t m = 0; m < part->motion_count; m++)
            for (int i = 0; i < s->blocks[b].size; i++)
                out[part->first + m] +=
                    part->motion[m * part->size + own->local + (size_t)i] * momentum[i];
    }
    for (size_t k = 0; k < 2; k++)
        for (size_t row = 0; row < joined[k]->at.count; row++)
            flow_row_spread(joined[k], row,
                            -joined[k]->weight.data[row] * joined[k]->constant.data[row], out);
}

void flow_guess_motions(const CoupledFlow *flow, double *motions) {
    const double *velocity = flow->structure->velocity;
    for (size_t p = 0; p < flow->parts.count; p++) {
        const FlowPart *part = &flow->parts.data[p];
        for (size_t m = 0; m < part->motion_count; m++) {
            double along = 0.0;
            for (size_t i = 0; i < part->size; i++) {
                size_t at = part->velocity[i];
                along += part->motion[m * part->size + i] * (velocity[at] - flow->known[at]) /
                         (part->scale[i] * part->scale[i]);
            }
            motions[part->first + m] = along;
        }
    }
}

void flow_set_velocities(const CoupledFlow *flow, const double *motions) {
    const FlowStructure *s = flow->structure;
    if (s->count > 0) memset(s->impulse, 0, s->count * sizeof *s->impulse);
    for (size_t p = 0; p < flow->parts.count; p++) {
        const FlowPart *part = &flow->parts.data[p];
        for (size_t i = 0; i < part->size; i++) {
            double sum = flow->known[part->velocity[i]];
            for (size_t m = 0; m < part->motion_count; m++)
                sum += motions[part->first + m] * part->motion[m * part->size + i];
            s->velocity[part->velocity[i]] = sum;
        }
    }
}

/* ---- impulses, energy ---- */

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
        const FlowBlock *own = &flow->blocks.data[b];
        size_t first = s->blocks[b].first, size = (size_t)s->blocks[b].size;
        for (size_t i = 0; i < size; i++) {
            s->impulse[first + i] -= flow->push[first + i];
            for (size_t j = 0; j < size; j++)
                s->impulse[first + i] -= own->drag[i][j] * surface_velocity(s, first + j);
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
