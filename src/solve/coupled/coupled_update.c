/* Numeric assembly of the coupled system, and its matrix-vector products. */
#include "math/cholesky.h"
#include "solve/coupled/coupled_internal.h"

#include <math.h>
#include <string.h>

static PlimStatus factor_masses(Coupled *c) {
    for (size_t g = 0; g < c->groups.count; g++) {
        CoupledGroup *group = &c->groups.data[g];
        size_t k = group->block;
        if (group->mass_count == 0) continue;
        memcpy(group->factor, group->mass, group->mass_count * sizeof *group->mass);
        for (size_t at = 0; at < group->mass_count; at += k * k)
            if (!cholesky_factor(group->factor + at, k))
                return context_fail(c->context, PLIM_BAD_INPUT,
                                    "group '%s': mass %zu is not positive definite", group->name,
                                    at / (k * k));
    }
    return PLIM_OK;
}

/* Adds what a row of `factors` gives to the diagonal blocks; its columns within a block follow one
 * another. */
static void add_factor_row(Coupled *c, size_t begin, size_t end) {
    const Csr *rows = &c->factors;
    for (size_t i = begin; i < end; i++) {
        const CoupledBlock *block = &c->blocks[c->block_of[rows->column[i]]];
        double *values = c->block_factor + block->value;
        size_t first = (size_t)rows->column[i] - block->unknown;
        for (size_t j = begin; j < end; j++) {
            if (c->block_of[rows->column[j]] != c->block_of[rows->column[i]]) continue;
            size_t second = (size_t)rows->column[j] - block->unknown;
            values[first * block->size + second] += rows->value[i] * rows->value[j];
        }
    }
}

static PlimStatus factor_blocks(Coupled *c) {
    for (size_t b = 0; b < c->block_count; b++) {
        const CoupledBlock *block = &c->blocks[b];
        const CoupledGroup *group = &c->groups.data[block->group];
        memcpy(c->block_factor + block->value,
               coupled_mass_block(group, group->mass, block->velocity),
               block->size * block->size * sizeof *c->block_factor);
    }
    for (size_t row = 0; row < c->factors.rows; row++)
        add_factor_row(c, c->factors.row_start[row], c->factors.row_start[row + 1]);
    for (size_t b = 0; b < c->block_count; b++) {
        const CoupledBlock *block = &c->blocks[b];
        double *values = c->block_factor + block->value;
        for (size_t i = 0; i < block->size; i++)
            c->diagonal[block->unknown + i] = values[i * block->size + i];
        if (!cholesky_factor(values, block->size))
            return context_fail(c->context, PLIM_BAD_INPUT,
                                "group '%s': the mass at velocity %zu with its ties and dampers is "
                                "not positive definite",
                                c->groups.data[block->group].name,
                                block->velocity - c->groups.data[block->group].start);
    }
    return PLIM_OK;
}

/* |L^-1 d|^2 of the part of a row that is in one block, d^T Ablock^-1 d. */
static double row_in_block(const Coupled *c, size_t begin, size_t end) {
    const CoupledBlock *block = &c->blocks[c->block_of[c->rows.column[begin]]];
    const double *factor = c->block_factor + block->value;
    size_t k = block->size, at = begin;
    double sum = 0.0;
    /* Forward substitution; the row may have less columns than the block. */
    for (size_t i = 0; i < k; i++) {
        double value = 0.0;
        if (at < end && (size_t)c->rows.column[at] == block->unknown + i)
            value = c->rows.value[at++];
        for (size_t j = 0; j < i; j++) value -= factor[i * k + j] * c->work[j];
        c->work[i] = value / factor[i * k + i];
        sum += c->work[i] * c->work[i];
    }
    return sum;
}

static void approximate_schur(Coupled *c) {
    for (size_t row = 0; row < c->rows.rows; row++) {
        size_t begin = c->rows.row_start[row], end = c->rows.row_start[row + 1];
        double sum = 0.0;
        while (begin < end) {
            size_t next = begin + 1;
            int32_t block = c->block_of[c->rows.column[begin]];
            while (next < end && c->block_of[c->rows.column[next]] == block) next++;
            sum += row_in_block(c, begin, next);
            begin = next;
        }
        c->inverse_schur[row] = sum > 0.0 ? 1.0 / sum : 0.0;
    }
}

PlimStatus coupled_update(Coupled *c) {
    TRY(factor_masses(c));
    coupled_assemble(c);
    TRY(factor_blocks(c));
    approximate_schur(c);
    return PLIM_OK;
}

void coupled_apply_mass(const Coupled *c, const double *x, double *y) {
    memset(y, 0, c->velocity_count * sizeof *y);
    for (size_t g = 0; g < c->groups.count; g++) {
        const CoupledGroup *group = &c->groups.data[g];
        size_t k = group->block;
        if (group->mass_count == 0) continue;
        for (size_t v = 0; v < group->count; v++) {
            const double *row = group->mass + v * k, *from = x + group->start + v / k * k;
            for (size_t j = 0; j < k; j++) y[group->start + v] += row[j] * from[j];
        }
    }
}

void coupled_solve_blocks(const Coupled *c, double *x) {
    for (size_t b = 0; b < c->block_count; b++)
        cholesky_solve(c->block_factor + c->blocks[b].value, c->blocks[b].size,
                       x + c->blocks[b].unknown);
}

void coupled_apply_matrix(const Coupled *c, const double *x, double *y, double *row_work) {
    LinearMap factors = csr_map(&c->factors);
    factors.apply(factors.object, x, row_work);
    factors.apply_transpose(factors.object, row_work, y);
    for (size_t b = 0; b < c->block_count; b++) {
        const CoupledBlock *block = &c->blocks[b];
        const CoupledGroup *group = &c->groups.data[block->group];
        const double *mass = coupled_mass_block(group, group->mass, block->velocity);
        for (size_t i = 0; i < block->size; i++)
            for (size_t j = 0; j < block->size; j++)
                y[block->unknown + i] += mass[i * block->size + j] * x[block->unknown + j];
    }
}

void coupled_scale_tolerances(Coupled *c, double factor) {
    c->desc.tolerance *= factor;
    for (size_t i = 0; i < c->sets.count; i++) c->sets.data[i].tolerance *= factor;
    for (size_t row = 0; row < c->constraint_count; row++) c->tolerance[row] *= factor;
}

void coupled_apply_ties(const Coupled *c, double *w) {
    for (size_t k = 0; k < c->ties.count; k++) {
        const CoupledTies *ties = &c->ties.data[k];
        for (size_t row = 0; row < ties->rows.rows; row++) {
            double sum = 0.0;
            for (size_t i = ties->rows.row_start[row]; i < ties->rows.row_start[row + 1]; i++)
                sum += ties->rows.value[i] * w[ties->rows.column[i]];
            w[ties->velocity[row]] = sum;
        }
    }
}

void coupled_gather(const Coupled *c, const double *f, double *y) {
    memset(y, 0, c->unknown_count * sizeof *y);
    for (size_t v = 0; v < c->velocity_count; v++)
        if (c->unknown[v] >= 0) y[c->unknown[v]] += f[v];
    for (size_t k = 0; k < c->ties.count; k++) {
        const CoupledTies *ties = &c->ties.data[k];
        for (size_t row = 0; row < ties->rows.rows; row++)
            for (size_t i = ties->rows.row_start[row]; i < ties->rows.row_start[row + 1]; i++) {
                int32_t unknown = c->unknown[ties->rows.column[i]];
                if (unknown >= 0) y[unknown] += ties->rows.value[i] * f[ties->velocity[row]];
            }
    }
}
