/* Gathers what systems offer to a coupled solve: velocities numbered through all of them, rows
 * between them, and which blocks those join (002 section 5.8). */
#include "couple/internal.h"

/* ---- the offers ---- */

static bool takes_part(const CoupledSystems *systems, size_t i) {
    return systems->systems[i].class->dofs && systems->systems[i].class->dofs->offer &&
           (!systems->takes_part || systems->takes_part[i]);
}

static GatheredSystem *next_system(Gathered *gathered) {
    GatheredSystem none = {0};
    if (gathered->system_count == gathered->systems.count &&
        !array_push(gathered->context, &gathered->systems, none))
        return NULL;
    return &gathered->systems.data[gathered->system_count++];
}

static bool number_blocks(Gathered *gathered, size_t number) {
    GatheredSystem *system = &gathered->systems.data[number];
    system->first = gathered->velocity.count;
    system->first_block = gathered->blocks.count;
    for (size_t b = 0; b < system->dofs.blocks.count; b++) {
        const MassBlock *mass = &system->dofs.blocks.data[b];
        GatheredBlock block = {.system = number,
                               .own = b,
                               .first = system->first + mass->first,
                               .root = gathered->blocks.count};
        for (int i = 0; i < mass->size; i++)
            if (!array_push(gathered->context, &gathered->block_of, block.root) ||
                !array_push(gathered->context, &gathered->velocity,
                            system->dofs.velocity.data[mass->first + (size_t)i]))
                return false;
        if (!array_push(gathered->context, &gathered->blocks, block) ||
            !array_push(gathered->context, &gathered->is_solved, false))
            return false;
    }
    return true;
}

static PlimStatus ask_for_dofs(Gathered *gathered, const CoupledSystems *systems,
                               const StepInfo *step, SolveWhen when) {
    for (size_t i = 0; i < systems->count; i++) {
        if (!takes_part(systems, i)) continue;
        GatheredSystem *system = next_system(gathered);
        if (!system) return PLIM_OUT_OF_MEMORY;
        const SystemInstance *instance = &systems->systems[i];
        system->instance = instance;
        dofs_clear(&system->dofs, gathered->context);
        instance->class->dofs->offer(instance->object, step, when, &system->dofs);
        if (system->dofs.failed || system->dofs.rows.failed || system->dofs.dampers.failed ||
            !number_blocks(gathered, gathered->system_count - 1))
            return PLIM_OUT_OF_MEMORY;
        DofPartner partner = {instance->name, instance->class->surfaces, instance->object,
                              system->first};
        if (!array_push(gathered->context, &gathered->partners, partner)) return PLIM_OUT_OF_MEMORY;
    }
    return PLIM_OK;
}

static PlimStatus ask_for_joins(Gathered *gathered, const StepInfo *step, SolveWhen when) {
    for (size_t i = 0; i < gathered->system_count; i++) {
        const SystemInstance *instance = gathered->systems.data[i].instance;
        if (!instance->class->dofs->join) continue;
        DofPartners partners = {gathered->partners.data, gathered->partners.count, i};
        instance->class->dofs->join(instance->object, step, when, &partners, &gathered->joins);
    }
    return gathered->joins.failed ? PLIM_OUT_OF_MEMORY : PLIM_OK;
}

/* ---- rows ---- */

static void visit_rows(const DofRows *rows, size_t offset, RowVisit visit, void *user) {
    for (size_t r = 0; r < dof_rows_count(rows); r++) {
        size_t begin = rows->rows.row_start.data[r];
        size_t end = rows->rows.row_start.data[r + 1];
        GatheredRow row = {.count = end - begin,
                           .offset = offset,
                           .column = rows->rows.column.data + begin,
                           .value = rows->rows.value.data + begin,
                           .target = rows->target.data[r]};
        visit(user, &row);
    }
}

void gathered_rows(const Gathered *gathered, RowSet set, RowVisit visit, void *user) {
    for (size_t i = 0; i < gathered->system_count; i++) {
        const GatheredSystem *system = &gathered->systems.data[i];
        const DofRows *rows = set == ROWS_HELD ? &system->dofs.rows : &system->dofs.dampers;
        visit_rows(rows, system->first, visit, user);
    }
    if (set == ROWS_HELD) visit_rows(&gathered->joins, 0, visit, user);
}

/* ---- what rows join ---- */

static size_t root_of(Gathered *gathered, size_t block) {
    GatheredBlock *blocks = gathered->blocks.data;
    while (blocks[block].root != block) {
        blocks[block].root = blocks[blocks[block].root].root;
        block = blocks[block].root;
    }
    return block;
}

/* What a row asks for. */
typedef enum JoinKind {
    JOIN_KEPT,   /* nothing by itself: v* keeps it */
    JOIN_ROW,    /* a solve, if it has several blocks */
    JOIN_DAMPER, /* a solve */
} JoinKind;

/* Blocks of infinite mass pass nothing on. */
static void join_blocks(Gathered *gathered, const GatheredRow *row, JoinKind kind) {
    size_t first = NO_BLOCK;
    for (size_t e = 0; e < row->count; e++) {
        size_t block = gathered->block_of.data[row->offset + (size_t)row->column[e]];
        GatheredBlock *own = &gathered->blocks.data[block];
        own->is_rowed = true;
        if (kind == JOIN_DAMPER) own->is_joined = true;
        if (first == NO_BLOCK) first = block;
        if (block == first) continue;
        if (kind != JOIN_KEPT) own->is_joined = gathered->blocks.data[first].is_joined = true;
        if (!gathered_mass(gathered, block)->is_free || !gathered_mass(gathered, first)->is_free)
            continue;
        size_t a = root_of(gathered, first), b = root_of(gathered, block);
        if (a < b) gathered->blocks.data[b].root = a;
        if (b < a) gathered->blocks.data[a].root = b;
    }
}

static void join_by_kept_row(void *user, const GatheredRow *row) {
    join_blocks(user, row, JOIN_KEPT);
}

static void join_by_row(void *user, const GatheredRow *row) {
    join_blocks(user, row, JOIN_ROW);
}

static void join_by_damper(void *user, const GatheredRow *row) {
    join_blocks(user, row, JOIN_DAMPER);
}

static void find_joined(Gathered *gathered) {
    for (size_t i = 0; i < gathered->system_count; i++) {
        const GatheredSystem *system = &gathered->systems.data[i];
        bool kept = system->instance->class->dofs->keeps_rows;
        visit_rows(&system->dofs.rows, system->first, kept ? join_by_kept_row : join_by_row,
                   gathered);
    }
    visit_rows(&gathered->joins, 0, join_by_row, gathered);
    gathered_rows(gathered, ROWS_DAMPED, join_by_damper, gathered);
    for (size_t b = 0; b < gathered->blocks.count; b++)
        gathered->blocks.data[b].root = root_of(gathered, b);
    /* All of a component are in a solve if one is. */
    GatheredBlock *blocks = gathered->blocks.data;
    for (size_t b = 0; b < gathered->blocks.count; b++)
        if (blocks[b].is_joined) blocks[blocks[b].root].is_joined = true;
    for (size_t b = 0; b < gathered->blocks.count; b++)
        blocks[b].is_joined = blocks[blocks[b].root].is_joined;
}

PlimStatus gather_offers(Gathered *gathered, const CoupledSystems *systems, const StepInfo *step,
                         SolveWhen when) {
    gathered->context = step->context;
    gathered->system_count = gathered->partners.count = gathered->blocks.count = 0;
    gathered->block_of.count = gathered->velocity.count = gathered->is_solved.count = 0;
    dof_rows_clear(&gathered->joins, step->context);
    TRY(ask_for_dofs(gathered, systems, step, when));
    TRY(ask_for_joins(gathered, step, when));
    find_joined(gathered);
    return PLIM_OK;
}

static void hand_back(Gathered *gathered, const StepInfo *step, SolveWhen when, bool by_flow,
                      const double *pushed) {
    for (size_t i = 0; i < gathered->system_count; i++) {
        const GatheredSystem *system = &gathered->systems.data[i];
        if (system->dofs.blocks.count == 0) continue;
        const bool *is_solved = gathered->is_solved.data + system->first_block;
        bool any = false;
        for (size_t b = 0; b < system->dofs.blocks.count; b++) any = any || is_solved[b];
        if (!any) continue;
        DofAnswer answer = {.is_solved = is_solved,
                            .velocity = gathered->velocity.data + system->first,
                            .before = system->dofs.velocity.data,
                            .pushed = pushed ? pushed + system->first : NULL,
                            .by_flow = by_flow};
        system->instance->class->dofs->accept(system->instance->object, step, when, &answer);
    }
}

void gather_hand_back(Gathered *gathered, const StepInfo *step, SolveWhen when, bool by_flow) {
    hand_back(gathered, step, when, by_flow, NULL);
}

void gather_hand_back_pushed(Gathered *gathered, const StepInfo *step, SolveWhen when,
                             const double *pushed) {
    hand_back(gathered, step, when, false, pushed);
}

size_t gathered_block_of_surface(const Gathered *gathered, const SurfaceRef *ref) {
    for (size_t i = 0; i < gathered->system_count; i++) {
        const GatheredSystem *system = &gathered->systems.data[i];
        if (system->instance->object == ref->system)
            return gathered->block_of.data[system->first + surface_describe(ref).first_dof];
    }
    return NO_BLOCK;
}

void gathered_free(Gathered *gathered, PlimContext *context) {
    for (size_t i = 0; i < gathered->systems.count; i++)
        dofs_free(&gathered->systems.data[i].dofs, context);
    array_free(context, &gathered->systems);
    array_free(context, &gathered->partners);
    array_free(context, &gathered->blocks);
    array_free(context, &gathered->block_of);
    dof_rows_free(&gathered->joins, context);
    array_free(context, &gathered->velocity);
    array_free(context, &gathered->is_solved);
}
