/* Description of a coupled solve: groups, ties and rows, copied as they are added. */
#include "solve/coupled/coupled_internal.h"

#include <stdio.h>
#include <string.h>

CoupledDesc coupled_desc_default(int threads) {
    return (CoupledDesc){.tolerance = 1e-9, .max_iterations = 1000, .threads = threads};
}

PlimStatus coupled_create(PlimContext *context, const CoupledDesc *desc, Coupled **out) {
    *out = NULL;
    if (!(desc->tolerance > 0.0))
        return context_fail(context, PLIM_BAD_INPUT, "the tolerance of a coupled solve is %g m/s",
                            desc->tolerance);
    Coupled *c = context_allocate(context, 1, sizeof *c);
    if (!c) return PLIM_OUT_OF_MEMORY;
    c->context = context;
    c->desc = *desc;
    *out = c;
    return PLIM_OK;
}

static void release(const Coupled *c, void *block, size_t count, size_t item_size) {
    if (block) context_free(c->context, block, count, item_size);
}

static void free_group(const Coupled *c, CoupledGroup *group) {
    release(c, group->mass, group->mass_count, sizeof *group->mass);
    release(c, group->factor, group->mass_count, sizeof *group->factor);
}

static void free_ties(const Coupled *c, CoupledTies *ties) {
    release(c, ties->velocity, ties->rows.rows + 1, sizeof *ties->velocity);
    csr_free(c->context, &ties->rows);
}

static void free_set(const Coupled *c, CoupledRowSet *set) {
    release(c, set->target, set->rows.rows + 1, sizeof *set->target);
    csr_free(c->context, &set->rows);
}

void coupled_destroy(Coupled *c) {
    if (!c) return;
    for (size_t i = 0; i < c->groups.count; i++) free_group(c, &c->groups.data[i]);
    for (size_t i = 0; i < c->ties.count; i++) free_ties(c, &c->ties.data[i]);
    for (size_t i = 0; i < c->sets.count; i++) free_set(c, &c->sets.data[i]);
    array_free(c->context, &c->groups);
    array_free(c->context, &c->ties);
    array_free(c->context, &c->sets);
    release(c, c->unknown, c->velocity_count + 1, sizeof *c->unknown);
    release(c, c->tie_row, c->velocity_count + 1, sizeof *c->tie_row);
    release(c, c->blocks, c->velocity_count + 1, sizeof *c->blocks);
    release(c, c->block_of, c->unknown_count + 1, sizeof *c->block_of);
    release(c, c->block_factor, c->block_values + 1, sizeof *c->block_factor);
    release(c, c->diagonal, c->unknown_count + 1, sizeof *c->diagonal);
    release(c, c->inverse_schur, c->constraint_count + 1, sizeof *c->inverse_schur);
    release(c, c->tolerance, c->constraint_count + 1, sizeof *c->tolerance);
    release(c, c->work, c->work_count + 1, sizeof *c->work);
    release(c, c->residual, c->constraint_sets + 1, sizeof *c->residual);
    csr_free(c->context, &c->factors);
    csr_free(c->context, &c->rows);
    context_free(c->context, c, 1, sizeof *c);
}

static PlimStatus check_open(const Coupled *c) {
    if (!c->finalized) return PLIM_OK;
    return context_fail(c->context, PLIM_BAD_INPUT,
                        "nothing can be added to a coupled solve that has been finalized");
}

/* The mean of a matrix and its transpose: a turned inertia tensor is symmetric but for rounding. */
static void store_masses(CoupledGroup *group, const double *values) {
    size_t k = group->block;
    for (size_t at = 0; at < group->mass_count; at += k * k)
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < k; j++)
                group->mass[at + i * k + j] =
                    0.5 * (values[at + i * k + j] + values[at + j * k + i]);
}

PlimStatus coupled_add_group(Coupled *c, const char *name, size_t count, const CoupledMass *mass,
                             size_t *group) {
    TRY(check_open(c));
    size_t block = mass->kind == COUPLED_MASS_BLOCKS ? mass->block : 1;
    if (block == 0 || count % block != 0)
        return context_fail(c->context, PLIM_BAD_INPUT,
                            "group '%s': %zu velocities are not whole blocks of %zu", name, count,
                            block);
    if (count > INT32_MAX - c->velocity_count)
        return context_fail(c->context, PLIM_BAD_INPUT,
                            "group '%s': %zu velocities more are beyond 32 bits", name, count);
    if (!array_reserve(c->context, &c->groups, 1)) return PLIM_OUT_OF_MEMORY;
    CoupledGroup added = {.kind = mass->kind,
                          .start = c->velocity_count,
                          .count = count,
                          .block = block,
                          .mass_count = mass->kind == COUPLED_MASS_INFINITE ? 0 : count * block};
    snprintf(added.name, sizeof added.name, "%s", name);
    if (added.mass_count > 0) {
        added.mass = context_allocate(c->context, added.mass_count, sizeof *added.mass);
        added.factor = context_allocate(c->context, added.mass_count, sizeof *added.factor);
        if (!added.mass || !added.factor) {
            free_group(c, &added);
            return PLIM_OUT_OF_MEMORY;
        }
        store_masses(&added, mass->values);
    }
    if (group) *group = c->groups.count;
    c->groups.data[c->groups.count++] = added;
    c->velocity_count += count;
    return PLIM_OK;
}

size_t coupled_group_start(const Coupled *c, size_t group) {
    return c->groups.data[group].start;
}

const CoupledGroup *coupled_group_of(const Coupled *c, size_t velocity) {
    const CoupledGroup *group = c->groups.data;
    while (velocity >= group->start + group->count) group++;
    return group;
}

static PlimStatus copy_rows(PlimContext *context, const Csr *from, Csr *to) {
    TRY(csr_create(context, from->rows, from->columns, from->entries, to));
    memcpy(to->row_start, from->row_start, (from->rows + 1) * sizeof *to->row_start);
    memcpy(to->column, from->column, from->entries * sizeof *to->column);
    memcpy(to->value, from->value, from->entries * sizeof *to->value);
    return PLIM_OK;
}

PlimStatus coupled_add_ties(Coupled *c, const int32_t *velocity, const Csr *rows, size_t *ties) {
    TRY(check_open(c));
    if (!array_reserve(c->context, &c->ties, 1)) return PLIM_OUT_OF_MEMORY;
    CoupledTies added;
    TRY(copy_rows(c->context, rows, &added.rows));
    added.velocity = context_allocate(c->context, rows->rows + 1, sizeof *added.velocity);
    if (!added.velocity) {
        free_ties(c, &added);
        return PLIM_OUT_OF_MEMORY;
    }
    memcpy(added.velocity, velocity, rows->rows * sizeof *velocity);
    if (ties) *ties = c->ties.count;
    c->ties.data[c->ties.count++] = added;
    return PLIM_OK;
}

PlimStatus coupled_add_rows(Coupled *c, const CoupledRows *desc, size_t *rows) {
    TRY(check_open(c));
    bool constraint = desc->kind == COUPLED_CONSTRAINT;
    if (constraint && !(desc->tolerance > 0.0))
        return context_fail(c->context, PLIM_BAD_INPUT, "the tolerance of constraints '%s' is %g",
                            desc->name, desc->tolerance);
    if (!array_reserve(c->context, &c->sets, 1)) return PLIM_OUT_OF_MEMORY;
    CoupledRowSet added = {.kind = desc->kind,
                           .tolerance = desc->tolerance,
                           .first = constraint ? c->constraint_count : c->damper_count};
    snprintf(added.name, sizeof added.name, "%s", desc->name);
    TRY(copy_rows(c->context, desc->rows, &added.rows));
    size_t count = added.rows.rows;
    added.target = context_allocate(c->context, count + 1, sizeof *added.target);
    if (!added.target) {
        free_set(c, &added);
        return PLIM_OUT_OF_MEMORY;
    }
    if (constraint && desc->target)
        memcpy(added.target, desc->target, count * sizeof *added.target);
    if (rows) *rows = c->sets.count;
    c->sets.data[c->sets.count++] = added;
    if (constraint) {
        c->constraint_count += count;
        c->constraint_sets++;
    } else {
        c->damper_count += count;
    }
    return PLIM_OK;
}

void coupled_set_masses(Coupled *c, size_t group, const double *values) {
    store_masses(&c->groups.data[group], values);
}

static void set_values(Csr *rows, const double *values) {
    memcpy(rows->value, values, rows->entries * sizeof *values);
}

void coupled_set_ties(Coupled *c, size_t ties, const double *values) {
    set_values(&c->ties.data[ties].rows, values);
}

void coupled_set_rows(Coupled *c, size_t rows, const double *values, const double *target) {
    CoupledRowSet *set = &c->sets.data[rows];
    set_values(&set->rows, values);
    size_t bytes = set->rows.rows * sizeof *set->target;
    if (target)
        memcpy(set->target, target, bytes);
    else
        memset(set->target, 0, bytes);
}

size_t coupled_velocity_count(const Coupled *c) {
    return c->velocity_count;
}

size_t coupled_constraint_count(const Coupled *c) {
    return c->constraint_count;
}

bool coupled_is_block_diagonal(const Coupled *c) {
    return c->block_diagonal;
}
