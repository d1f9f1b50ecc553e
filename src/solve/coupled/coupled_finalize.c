/* Symbolic assembly of the coupled system: checks, numbering of unknowns, sparsity. */
#include "solve/coupled/coupled_internal.h"

static PlimStatus check_columns(const Coupled *c, const char *name, const Csr *rows) {
    for (size_t i = 0; i < rows->entries; i++)
        if (rows->column[i] < 0 || (size_t)rows->column[i] >= c->velocity_count)
            return context_fail(c->context, PLIM_BAD_INPUT, "%s: velocity %d of %zu", name,
                                rows->column[i], c->velocity_count);
    return PLIM_OK;
}

/* Marks tied velocities in `unknown`, which holds zeros before. */
static PlimStatus mark_ties(Coupled *c) {
    for (size_t k = 0; k < c->ties.count; k++) {
        const CoupledTies *ties = &c->ties.data[k];
        TRY(check_columns(c, "ties", &ties->rows));
        for (size_t row = 0; row < ties->rows.rows; row++) {
            int32_t tied = ties->velocity[row];
            if (tied < 0 || (size_t)tied >= c->velocity_count)
                return context_fail(c->context, PLIM_BAD_INPUT, "ties: velocity %d of %zu", tied,
                                    c->velocity_count);
            const CoupledGroup *group = coupled_group_of(c, (size_t)tied);
            if (c->unknown[tied] == COUPLED_TIED || group->kind == COUPLED_MASS_INFINITE)
                return context_fail(c->context, PLIM_BAD_INPUT,
                                    "velocity %zu of group '%s' is tied, but is %s",
                                    (size_t)tied - group->start, group->name,
                                    c->unknown[tied] == COUPLED_TIED ? "tied already" : "given");
            c->unknown[tied] = COUPLED_TIED;
            c->tie_row[tied] = (TieRow){k, row};
        }
    }
    for (size_t k = 0; k < c->ties.count; k++) {
        const Csr *rows = &c->ties.data[k].rows;
        for (size_t i = 0; i < rows->entries; i++)
            if (c->unknown[rows->column[i]] == COUPLED_TIED)
                return context_fail(c->context, PLIM_BAD_INPUT,
                                    "velocity %d is tied, and others are tied to it",
                                    rows->column[i]);
    }
    return PLIM_OK;
}

/* Numbers the unknowns of a group; bodies are tied as a whole. */
static PlimStatus number_group(Coupled *c, size_t index) {
    const CoupledGroup *group = &c->groups.data[index];
    for (size_t v = group->start; v < group->start + group->count; v += group->block) {
        size_t tied = 0;
        for (size_t i = 0; i < group->block; i++) tied += c->unknown[v + i] == COUPLED_TIED;
        if (tied > 0 && tied < group->block)
            return context_fail(c->context, PLIM_BAD_INPUT,
                                "group '%s': %zu of the %zu velocities of body %zu are tied",
                                group->name, tied, group->block, (v - group->start) / group->block);
        if (tied > 0) continue;
        bool given = group->kind == COUPLED_MASS_INFINITE;
        for (size_t i = 0; i < group->block; i++)
            c->unknown[v + i] = given ? COUPLED_GIVEN : (int32_t)(c->unknown_count + i);
        if (given) continue;
        c->blocks[c->block_count++] = (CoupledBlock){.unknown = c->unknown_count,
                                                     .size = group->block,
                                                     .velocity = v,
                                                     .group = index,
                                                     .value = c->block_values};
        c->unknown_count += group->block;
        c->block_values += group->block * group->block;
    }
    return PLIM_OK;
}

static PlimStatus number_unknowns(Coupled *c) {
    size_t n = c->velocity_count;
    c->unknown = context_allocate(c->context, n + 1, sizeof *c->unknown);
    c->tie_row = context_allocate(c->context, n + 1, sizeof *c->tie_row);
    c->blocks = context_allocate(c->context, n + 1, sizeof *c->blocks);
    if (!c->unknown || !c->tie_row || !c->blocks) return PLIM_OUT_OF_MEMORY;
    TRY(mark_ties(c));
    for (size_t i = 0; i < c->groups.count; i++) TRY(number_group(c, i));
    return PLIM_OK;
}

static PlimStatus allocate_numbers(Coupled *c) {
    PlimContext *context = c->context;
    c->block_of = context_allocate(context, c->unknown_count + 1, sizeof *c->block_of);
    c->block_factor = context_allocate(context, c->block_values + 1, sizeof *c->block_factor);
    c->diagonal = context_allocate(context, c->unknown_count + 1, sizeof *c->diagonal);
    c->inverse_schur = context_allocate(context, c->constraint_count + 1, sizeof *c->inverse_schur);
    c->tolerance = context_allocate(context, c->constraint_count + 1, sizeof *c->tolerance);
    c->residual = context_allocate(context, c->constraint_sets + 1, sizeof *c->residual);
    bool all = c->block_of && c->block_factor && c->diagonal && c->inverse_schur && c->tolerance &&
               c->residual;
    if (!all) return PLIM_OUT_OF_MEMORY;
    for (size_t b = 0; b < c->block_count; b++)
        for (size_t i = 0; i < c->blocks[b].size; i++)
            c->block_of[c->blocks[b].unknown + i] = (int32_t)b;
    for (size_t k = 0; k < c->sets.count; k++) {
        const CoupledRowSet *set = &c->sets.data[k];
        if (set->kind != COUPLED_CONSTRAINT) continue;
        for (size_t row = 0; row < set->rows.rows; row++)
            c->tolerance[set->first + row] = set->tolerance;
    }
    return PLIM_OK;
}

PlimStatus coupled_finalize(Coupled *c) {
    if (c->finalized)
        return context_fail(c->context, PLIM_BAD_INPUT, "a coupled solve is finalized once");
    c->finalized = true;
    for (size_t k = 0; k < c->sets.count; k++)
        TRY(check_columns(c, c->sets.data[k].name, &c->sets.data[k].rows));
    TRY(number_unknowns(c));
    TRY(allocate_numbers(c));
    TRY(coupled_lay_out(c));
    return coupled_update(c);
}
