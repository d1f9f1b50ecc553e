/* Coupled solve of structures without a fluid (002 sections 5.8, 5.10): blocks that rows or dampers
 * join, in one description (solve/coupled/coupled.h). */
#include "couple/internal.h"

#include "base/hash.h"

#include <string.h>

/* ---- who is in it ---- */

static bool is_in(const Gathered *gathered, size_t block) {
    const GatheredBlock *b = &gathered->blocks.data[block];
    return b->is_joined && !gathered->blocks.data[b->root].is_wet;
}

static PlimStatus number_velocities(DrySolve *dry, const Gathered *gathered) {
    PlimContext *context = gathered->context;
    dry->blocks.count = dry->mass.count = dry->before.count = dry->local.count = 0;
    for (size_t b = 0; b < gathered->blocks.count; b++) {
        const MassBlock *mass = gathered_mass(gathered, b);
        bool in = is_in(gathered, b);
        if (in && !array_push(context, &dry->blocks, b)) return PLIM_OUT_OF_MEMORY;
        for (int i = 0; i < mass->size; i++) {
            int32_t at = in ? (int32_t)dry->before.count : -1;
            if (!array_push(context, &dry->local, at)) return PLIM_OUT_OF_MEMORY;
            if (!in) continue;
            if (!array_push(context, &dry->before, gathered_before(gathered, b)[i]))
                return PLIM_OUT_OF_MEMORY;
            for (int j = 0; mass->is_free && j < mass->size; j++)
                if (!array_push(context, &dry->mass, mass->mass[i][j])) return PLIM_OUT_OF_MEMORY;
        }
    }
    /* Given velocities alone leave nothing to find. */
    dry->velocity_count = dry->mass.count > 0 ? dry->before.count : 0;
    return PLIM_OK;
}

/* ---- rows ---- */

typedef struct RowJob {
    DrySolve *dry;
    const Gathered *gathered;
    CsrBuilder *to;
    bool has_target, failed;
} RowJob;

/* Rows that have a velocity of the solve have all of theirs in it; those among given velocities
 * alone ask for nothing. */
static void add_row(void *user, const GatheredRow *row) {
    RowJob *job = user;
    PlimContext *context = job->gathered->context;
    bool in = row->count > 0, is_free = false;
    for (size_t e = 0; e < row->count; e++) {
        size_t column = row->offset + (size_t)row->column[e];
        size_t block = job->gathered->block_of.data[column];
        in = in && job->dry->local.data[column] >= 0;
        is_free = is_free || gathered_mass(job->gathered, block)->is_free;
    }
    if (!in || !is_free) return;
    for (size_t e = 0; e < row->count; e++) {
        int32_t column = job->dry->local.data[row->offset + (size_t)row->column[e]];
        if (!csr_builder_add(context, job->to, (size_t)column, row->value[e])) job->failed = true;
    }
    if (!csr_builder_end_row(context, job->to) ||
        (job->has_target && !array_push(context, &job->dry->target, row->target)))
        job->failed = true;
}

static PlimStatus add_rows(DrySolve *dry, const Gathered *gathered, Csr *held, Csr *damped) {
    RowJob job = {dry, gathered, &dry->rows, true, false};
    csr_builder_clear(&dry->rows);
    csr_builder_clear(&dry->dampers);
    dry->target.count = 0;
    gathered_rows(gathered, ROWS_HELD, add_row, &job);
    job.to = &dry->dampers;
    job.has_target = false;
    gathered_rows(gathered, ROWS_DAMPED, add_row, &job);
    bool good = !job.failed &&
                csr_builder_view(gathered->context, &dry->rows, dry->before.count, held) &&
                csr_builder_view(gathered->context, &dry->dampers, dry->before.count, damped);
    return good ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

/* ---- the description ---- */

static uint64_t pattern_of(const DrySolve *dry, const Gathered *gathered, const Csr *held,
                           const Csr *damped) {
    uint64_t hash = HASH_START;
    for (size_t i = 0; i < dry->blocks.count; i++) {
        const MassBlock *mass = gathered_mass(gathered, dry->blocks.data[i]);
        int kind[2] = {mass->size, mass->is_free};
        hash = hash_bytes(hash, kind, sizeof kind);
    }
    const Csr *rows[2] = {held, damped};
    for (int i = 0; i < 2; i++) {
        hash =
            hash_bytes(hash, rows[i]->row_start, (rows[i]->rows + 1) * sizeof *rows[i]->row_start);
        hash = hash_bytes(hash, rows[i]->column, rows[i]->entries * sizeof *rows[i]->column);
    }
    return hash;
}

/* The end of the run of blocks of one size and kind that begins at i: they are a group. */
static size_t run_end(const DrySolve *dry, const Gathered *gathered, size_t i) {
    const MassBlock *first = gathered_mass(gathered, dry->blocks.data[i]);
    for (i++; i < dry->blocks.count; i++) {
        const MassBlock *next = gathered_mass(gathered, dry->blocks.data[i]);
        if (next->size != first->size || next->is_free != first->is_free) break;
    }
    return i;
}

static PlimStatus add_groups(DrySolve *dry, const Gathered *gathered) {
    const double *values = dry->mass.data;
    for (size_t i = 0, end; i < dry->blocks.count; i = end) {
        const MassBlock *mass = gathered_mass(gathered, dry->blocks.data[i]);
        size_t size = (size_t)mass->size;
        end = run_end(dry, gathered, i);
        CoupledMass group = {.kind = mass->is_free ? COUPLED_MASS_BLOCKS : COUPLED_MASS_INFINITE,
                             .block = size,
                             .values = mass->is_free ? values : NULL};
        TRY(coupled_add_group(dry->coupled, "blocks", (end - i) * size, &group, NULL));
        if (mass->is_free) values += (end - i) * size * size;
    }
    return PLIM_OK;
}

static void set_groups(DrySolve *dry, const Gathered *gathered) {
    const double *values = dry->mass.data;
    size_t group = 0;
    for (size_t i = 0, end; i < dry->blocks.count; i = end, group++) {
        const MassBlock *mass = gathered_mass(gathered, dry->blocks.data[i]);
        size_t size = (size_t)mass->size;
        end = run_end(dry, gathered, i);
        if (!mass->is_free) continue;
        coupled_set_masses(dry->coupled, group, values);
        values += (end - i) * size * size;
    }
}

/* m/s: the greatest speed, or what gravity makes in the step. */
static double greatest_speed(const DrySolve *dry, const StepInfo *step) {
    double speed = vec3_length(step->gravity) * step->dt;
    for (size_t i = 0; i < dry->before.count; i++) speed = fmax(speed, fabs(dry->before.data[i]));
    return speed > 0 ? speed : 1;
}

static const double relative_tolerance = 1e-10;

static PlimStatus describe(DrySolve *dry, const Gathered *gathered, const StepInfo *step,
                           const Csr *held, const Csr *damped) {
    CoupledDesc desc = coupled_desc_default(step->threads);
    dry->speed = greatest_speed(dry, step);
    desc.tolerance = relative_tolerance * dry->speed;
    coupled_destroy(dry->coupled);
    dry->coupled = NULL;
    TRY(coupled_create(step->context, &desc, &dry->coupled));
    TRY(add_groups(dry, gathered));
    CoupledRows rows = {.name = "rows",
                        .kind = COUPLED_CONSTRAINT,
                        .rows = held,
                        .target = dry->target.data,
                        .tolerance = desc.tolerance};
    CoupledRows dampers = {.name = "dampers", .kind = COUPLED_DAMPER, .rows = damped};
    if (held->rows > 0) TRY(coupled_add_rows(dry->coupled, &rows, NULL));
    if (damped->rows > 0) TRY(coupled_add_rows(dry->coupled, &dampers, NULL));
    return coupled_finalize(dry->coupled);
}

/* ---- the solve ---- */

static PlimStatus update(DrySolve *dry, const Gathered *gathered, const StepInfo *step) {
    Csr held, damped;
    TRY(add_rows(dry, gathered, &held, &damped));
    uint64_t pattern = pattern_of(dry, gathered, &held, &damped);
    if (!dry->coupled || pattern != dry->pattern) {
        TRY(describe(dry, gathered, step, &held, &damped));
        dry->pattern = pattern;
        return PLIM_OK;
    }
    size_t set = 0;
    double speed = greatest_speed(dry, step);
    coupled_scale_tolerances(dry->coupled, speed / dry->speed);
    dry->speed = speed;
    set_groups(dry, gathered);
    if (held.rows > 0) coupled_set_rows(dry->coupled, set++, held.value, dry->target.data);
    if (damped.rows > 0) coupled_set_rows(dry->coupled, set, damped.value, NULL);
    return coupled_update(dry->coupled);
}

PlimStatus dry_solve(DrySolve *dry, Gathered *gathered, const StepInfo *step) {
    TRY(number_velocities(dry, gathered));
    dry->iterations = 0;
    if (dry->velocity_count == 0) return PLIM_OK;
    TRY(update(dry, gathered, step));
    dry->found.count = 0;
    if (!array_reserve(step->context, &dry->found, dry->velocity_count)) return PLIM_OUT_OF_MEMORY;
    CoupledResult result;
    TRY(coupled_solve(dry->coupled, step->scratch, dry->before.data, dry->found.data, NULL,
                      &result));
    dry->iterations = result.iterations;
    if (result.reason != SOLVE_CONVERGED)
        return context_fail(step->context, PLIM_FAILED,
                            "t = %g s: the solve of %zu joined velocities stopped after %d "
                            "iterations: %s; residual %g m/s",
                            step->time, dry->velocity_count, result.iterations,
                            solve_reason_name(result.reason), result.momentum_residual);
    const double *found = dry->found.data;
    for (size_t i = 0; i < dry->blocks.count; i++) {
        size_t block = dry->blocks.data[i];
        const MassBlock *mass = gathered_mass(gathered, block);
        memcpy(gathered->velocity.data + gathered->blocks.data[block].first, found,
               (size_t)mass->size * sizeof *found);
        found += mass->size;
        gathered->is_solved.data[block] = mass->is_free;
    }
    return PLIM_OK;
}

void dry_solve_free(DrySolve *dry, PlimContext *context) {
    coupled_destroy(dry->coupled);
    array_free(context, &dry->blocks);
    array_free(context, &dry->mass);
    array_free(context, &dry->before);
    array_free(context, &dry->found);
    array_free(context, &dry->target);
    array_free(context, &dry->local);
    csr_builder_free(context, &dry->rows);
    csr_builder_free(context, &dry->dampers);
}
