/* What holds in the coupled solve with a fluid, by turns: rows of contact that hold, and the
 * contact solver of the system that the solids are of (system/contact.h); rows that hold one side
 * alone or within bounds (`settle` of system/dofs.h), until all say the same. A body that rests has
 * the same rows in every step, and one turn is enough. */
#include "couple/internal.h"

#include "system/contact.h"

#include <string.h>

enum { MOST_ROUNDS = 8 };

static bool has_contact(const CoupledSystems *systems, size_t i) {
    return systems->systems[i].class->contact && (!systems->takes_part || systems->takes_part[i]);
}

PlimStatus couple_contact_begin(Coupling *coupling, const CoupledSystems *systems,
                                const StepInfo *step, SolveWhen when) {
    coupling->touches = false;
    for (size_t i = 0; i < systems->count; i++) {
        bool touches = false;
        const SystemInstance *system = &systems->systems[i];
        if (has_contact(systems, i))
            TRY(system->class->contact->begin(system->object, step, when, &touches));
        coupling->touches = coupling->touches || touches;
    }
    return PLIM_OK;
}

PlimStatus couple_contact_end(Coupling *coupling, const CoupledSystems *systems,
                              const StepInfo *step, SolveWhen when) {
    for (size_t i = 0; i < systems->count && coupling->touches; i++)
        if (has_contact(systems, i))
            TRY(systems->systems[i].class->contact->end(systems->systems[i].object, step, when));
    coupling->touches = false;
    return PLIM_OK;
}

bool couple_bounced(const CoupledSystems *systems, const StepInfo *step) {
    for (size_t i = 0; i < systems->count; i++) {
        const SystemInstance *system = &systems->systems[i];
        if (has_contact(systems, i) && system->class->contact->bounced(system->object, step))
            return true;
    }
    return false;
}

/* ---- what the fluid did to each body ---- */

/* All that changed its momentum but rows: known forces, pressure, friction, and the fluid in its
 * faces, which is none of the body's own. */
static void add_block_gain(const FlowAssembly *a, size_t b, double *gain) {
    const Gathered *gathered = a->gathered;
    const MassBlock *all = &a->blocks.data[b];
    size_t source = a->source.data[b];
    const MassBlock *own = gathered_mass(gathered, source);
    const double *before = gathered_before(gathered, source);
    const double *given = gathered_impulse(gathered, source);
    const double *v = a->velocity.data + all->first;
    for (int i = 0; i < all->size; i++) {
        double sum = a->momentum.data[all->first + (size_t)i] - given[i] +
                     a->impulse.data[all->first + (size_t)i];
        for (int j = 0; j < all->size; j++)
            sum += own->mass[i][j] * (v[j] - before[j]) - all->mass[i][j] * v[j];
        gain[i] = sum;
    }
}

/* Dampers act on blocks beside the fluid's own forces: -C^T C v. */
static void add_dampers(const FlowAssembly *a, double *gain) {
    const Csr *rows = &a->damper_csr;
    for (size_t row = 0; row < rows->rows; row++) {
        double product = 0;
        for (size_t i = rows->row_start[row]; i < rows->row_start[row + 1]; i++)
            product += rows->value[i] * a->velocity.data[rows->column[i]];
        for (size_t i = rows->row_start[row]; i < rows->row_start[row + 1]; i++) {
            size_t block = a->block_of.data[rows->column[i]], source = a->source.data[block];
            if (source == NO_BLOCK) continue;
            size_t at = (size_t)rows->column[i] - a->blocks.data[block].first;
            gain[a->gathered->blocks.data[source].first + at] -= rows->value[i] * product;
        }
    }
}

static PlimStatus find_gains(Coupling *coupling) {
    const FlowAssembly *a = &coupling->assembly;
    const Gathered *gathered = &coupling->gathered;
    size_t count = gathered->velocity.count;
    coupling->gain.count = 0;
    if (!array_reserve(coupling->context, &coupling->gain, count + 1)) return PLIM_OUT_OF_MEMORY;
    coupling->gain.count = count;
    if (count > 0) memset(coupling->gain.data, 0, count * sizeof *coupling->gain.data);
    for (size_t b = 0; b < a->blocks.count; b++)
        if (a->source.data[b] != NO_BLOCK && a->blocks.data[b].is_free)
            add_block_gain(a, b,
                           coupling->gain.data + gathered->blocks.data[a->source.data[b]].first);
    add_dampers(a, coupling->gain.data);
    return PLIM_OK;
}

/* ---- by turns ---- */

bool couple_turn_is_last(const Coupling *coupling) {
    return coupling->round + 1 == MOST_ROUNDS;
}

/* Of a system that brings nothing there may be no array. */
static const double *from(const double *values, size_t first) {
    return values ? values + first : NULL;
}

/* Contact first: rows of joints then know what it carries. */
static PlimStatus settle_system(const Coupling *coupling, const GatheredSystem *system,
                                const StepInfo *step, SolveWhen when, double speed, bool *agrees) {
    const SystemInstance *instance = system->instance;
    const ContactClass *contact = instance->class->contact;
    const DofClass *dofs = instance->class->dofs;
    const bool *is_solved = coupling->gathered.is_solved.data;
    DofLoad load = {.is_solved = is_solved ? is_solved + system->first_block : NULL,
                    .velocity = from(coupling->gathered.velocity.data, system->first),
                    .gain = from(coupling->gain.data, system->first),
                    .speed = speed,
                    .is_last = couple_turn_is_last(coupling)};
    bool touching = true, held = true;
    if (contact && coupling->touches)
        TRY(contact->settle(instance->object, step, when, &load, &touching));
    if (dofs->settle) TRY(dofs->settle(instance->object, step, when, &load, &held));
    *agrees = *agrees && touching && held;
    return PLIM_OK;
}

PlimStatus couple_settle(Coupling *coupling, const StepInfo *step, SolveWhen when, double speed,
                         bool *agrees) {
    const Gathered *gathered = &coupling->gathered;
    TRY(find_gains(coupling));
    *agrees = true;
    for (size_t i = 0; i < gathered->system_count; i++)
        TRY(settle_system(coupling, &gathered->systems.data[i], step, when, speed, agrees));
    coupling->round++;
    *agrees = *agrees || !coupling->takes_turns || coupling->round == MOST_ROUNDS;
    return PLIM_OK;
}

/* ---- the flow before the solve, to begin again from ---- */

static bool some_switch(const CoupledSystems *systems) {
    for (size_t i = 0; i < systems->count; i++) {
        const DofClass *dofs = systems->systems[i].class->dofs;
        if (dofs && dofs->switches && (!systems->takes_part || systems->takes_part[i]) &&
            dofs->switches(systems->systems[i].object))
            return true;
    }
    return false;
}

PlimStatus couple_turns_begin(Coupling *coupling, const CoupledSystems *systems,
                              const FlowOffer *offer) {
    const Grid *grid = offer->problem.grid;
    coupling->round = 0;
    coupling->takes_turns = coupling->touches || some_switch(systems);
    for (int axis = 0; axis < grid->dim && coupling->takes_turns; axis++) {
        size_t count = grid_face_count(grid, axis);
        coupling->kept[axis].count = coupling->found[axis].count = 0;
        if (!array_reserve(coupling->context, &coupling->kept[axis], count) ||
            !array_reserve(coupling->context, &coupling->found[axis], count))
            return PLIM_OUT_OF_MEMORY;
        coupling->kept[axis].count = coupling->found[axis].count = count;
        memcpy(coupling->kept[axis].data, offer->velocity[axis], count * sizeof(double));
    }
    return PLIM_OK;
}

void couple_restore_flow(Coupling *coupling, FlowOffer *offer) {
    for (int axis = 0; axis < offer->problem.grid->dim; axis++) {
        size_t bytes = coupling->kept[axis].count * sizeof(double);
        memcpy(coupling->found[axis].data, offer->velocity[axis], bytes);
        memcpy(offer->velocity[axis], coupling->kept[axis].data, bytes);
        offer->problem.guess[axis] = coupling->found[axis].data;
    }
    for (size_t i = 0; i < offer->surface_count; i++) {
        FlowSurface *surface = &offer->surfaces[i];
        if (coupling->assembly.source.data[i] == NO_BLOCK) continue;
        const double *v =
            coupling->assembly.velocity.data + coupling->assembly.blocks.data[i].first;
        surface->now.velocity = vec3_load(v);
        surface->now.angular_velocity = vec3_load(v + 3);
    }
}
