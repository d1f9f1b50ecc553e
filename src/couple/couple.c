/* The coupled solves of a step: velocities for positions, velocities at the end, and bodies that
 * fluids carry along (002 section 5.4; DESIGN.md's stages). A structure in several fluids is solved
 * with each in turn, in the order of the systems, from what the one before left: each is a
 * projection in the norm of kinetic energy, so none is gained. */
#include "couple/internal.h"

PlimStatus coupling_create(PlimContext *context, Coupling **out) {
    *out = context_allocate(context, 1, sizeof **out);
    if (!*out) return PLIM_OUT_OF_MEMORY;
    (*out)->context = context;
    return PLIM_OK;
}

void coupling_destroy(Coupling *coupling) {
    if (!coupling) return;
    PlimContext *context = coupling->context;
    gathered_free(&coupling->gathered, context);
    flow_assembly_free(&coupling->assembly, context);
    dry_solve_free(&coupling->dry, context);
    mesh_coupling_free(&coupling->meshes, context);
    array_free(context, &coupling->gain);
    for (int axis = 0; axis < 3; axis++) {
        array_free(context, &coupling->kept[axis]);
        array_free(context, &coupling->found[axis]);
    }
    context_free(context, coupling, 1, sizeof *coupling);
}

void coupling_refresh(Coupling *coupling) {
    coupling->meshes.knows_crossings = false;
}

void coupling_watch(Coupling *coupling, CoupleWatch watch, void *user) {
    coupling->watch = watch;
    coupling->watch_user = user;
}

/* Whether some system may join blocks by rows or dampers. */
static bool some_join(const CoupledSystems *systems) {
    for (size_t i = 0; i < systems->count; i++) {
        const DofClass *dofs = systems->systems[i].class->dofs;
        if (dofs && dofs->joins_blocks) return true;
    }
    return false;
}

void coupling_diagnose(const Coupling *coupling, const CoupledSystems *systems,
                       Diagnostics *diagnostics) {
    couple_collide_diagnose(coupling, systems, diagnostics);
    if (!some_join(systems)) return;
    diagnostics_add(diagnostics, "solve.structure.velocities",
                    (double)coupling->dry.velocity_count);
    diagnostics_add(diagnostics, "solve.structure.iterations", coupling->dry.iterations);
}

/* ---- with a fluid ---- */

/* The greatest speed in the problem, m/s: what residuals are measured by. */
static double greatest_speed(const FlowAssembly *assembly) {
    const FlowOffer *offer = assembly->offer;
    double speed = offer->speed;
    for (size_t b = 0; b < assembly->blocks.count; b++) {
        const MassBlock *block = &assembly->blocks.data[b];
        const double *velocity = assembly->velocity.data + block->first;
        const double *momentum = assembly->momentum.data + block->first;
        double v = 0, p = 0;
        for (int i = 0; i < block->size && i < 3; i++) {
            v += velocity[i] * velocity[i];
            p += momentum[i] * momentum[i];
        }
        speed = fmax(speed, sqrt(v));
        /* A body that starts: what its momentum makes of it together with the fluid it displaces.
         */
        double displaced = b < offer->surface_count ? offer->surfaces[b].displaced : 0;
        if (block->is_free) speed = fmax(speed, sqrt(p) / (block->mass[0][0] + displaced));
    }
    /* Where everything rests but bodies that turn in their places, that is the scale. */
    for (size_t i = 0; speed == 0 && i < offer->surface_count; i++) {
        double spin = vec3_length(offer->surfaces[i].now.angular_velocity);
        if (spin > 0)
            speed = spin * collider_reach(&offer->surfaces[i].now, offer->problem.grid->dim);
    }
    return speed;
}

static PlimStatus solve_failed(const StepInfo *step, const FlowResult *found) {
    return context_fail(step->context, PLIM_FAILED,
                        "t = %g s: the coupled solve stopped after %d iterations: %s; residuals "
                        "%g, %g kg m/s, %g m^3/s, wanted %g, %g, %g",
                        step->time, found->iterations, solve_reason_name(found->reason),
                        found->residual[FLOW_MOMENTUM], found->residual[FLOW_BODIES],
                        found->residual[FLOW_DIVERGENCE], found->tolerance[FLOW_MOMENTUM],
                        found->tolerance[FLOW_BODIES], found->tolerance[FLOW_DIVERGENCE]);
}

/* What was found, to the blocks of all systems. */
static void keep_velocities(const FlowAssembly *assembly, Gathered *gathered) {
    for (size_t b = 0; b < assembly->blocks.count; b++) {
        const MassBlock *block = &assembly->blocks.data[b];
        size_t source = assembly->source.data[b];
        if (source == NO_BLOCK || !block->is_free) continue;
        double *to = gathered->velocity.data + gathered->blocks.data[source].first;
        for (int i = 0; i < block->size; i++)
            to[i] = assembly->velocity.data[block->first + (size_t)i];
        gathered->is_solved.data[source] = true;
    }
}

/* The same to the fluid's surfaces. */
static void keep_surfaces(const FlowAssembly *assembly, const Gathered *gathered) {
    for (size_t i = 0; i < assembly->offer->surface_count; i++) {
        FlowSurface *surface = &assembly->offer->surfaces[i];
        size_t source = assembly->source.data[i];
        for (int k = 0; k < 6; k++)
            surface->impulse[k] =
                assembly->impulse.data[assembly->blocks.data[i].first + (size_t)k];
        if (source == NO_BLOCK) continue;
        const MassBlock *mass = gathered_mass(gathered, source);
        const double *before = gathered_before(gathered, source);
        const double *found = gathered->velocity.data + gathered->blocks.data[source].first;
        for (int k = 0; k < 6; k++) {
            surface->before[k] = before[k];
            surface->velocity[k] = found[k];
            surface->gain[k] = 0;
            for (int l = 0; l < 6; l++)
                surface->gain[k] += mass->mass[k][l] * (found[l] - before[l]);
        }
    }
}

/* One turn: rows, solve, velocities. */
static PlimStatus solve_once(Coupling *coupling, const CoupledSystems *systems, FlowOffer *offer,
                             SolveWhen when, FlowResult *result) {
    FlowAssembly *assembly = &coupling->assembly;
    TRY(gather_offers(&coupling->gathered, systems, &offer->step, when));
    assembly->has_contact = coupling->touches;
    TRY(flow_assemble(assembly, &coupling->gathered, offer, when));
    double speed = fmax(greatest_speed(assembly), offer->problem.speed);
    offer->problem.divergence =
        offer->problem.momentum * speed * grid_face_area(offer->problem.grid);
    if (coupling->watch)
        coupling->watch(coupling->watch_user, &offer->problem, offer->velocity, offer->pressure);
    TRY(coupled_flow_solve(offer->solver, &offer->problem, offer->velocity, offer->pressure,
                           result));
    if (result->reason != SOLVE_CONVERGED) return solve_failed(&offer->step, result);
    keep_velocities(assembly, &coupling->gathered);
    return PLIM_OK;
}

/* Of the greatest speed: how far turns are solved that only decide what holds. Contact agrees
 * within a thousandth of what gravity does in the step. Crowds need no more: with 3e-4, turns of
 * thirty bodies took a fifth more iterations altogether, 188 in a step where these take 144, and
 * were as often at odds at the end. A few take few turns, and two discs that touch would overlap by
 * 3e-6 of their size. */
static double deciding(const FlowOffer *offer) {
    const size_t crowd = 16;
    return offer->surface_count < crowd ? 3e-4 : 1e-3;
}

/* With contact where something touches: by turns, each from the same u*. Those that decide what
 * holds are solved roughly; with what they decided the last one is solved to the end. */
static PlimStatus solve_with(Coupling *coupling, const CoupledSystems *systems,
                             const SystemInstance *fluid, const StepInfo *step, SolveWhen when) {
    const FlowClass *flow = fluid->class->flow;
    FlowOffer offer = {.step = *step};
    FlowResult result;
    int iterations = 0;
    TRY(flow->begin(fluid->object, step, when, &offer));
    TRY(couple_turns_begin(coupling, systems, &offer));
    const double wanted = offer.problem.momentum;
    const double rough = deciding(&offer);
    bool decides = coupling->touches && wanted < rough;
    for (bool is_done = false; !is_done;) {
        bool agrees = true;
        if (coupling->round > 0) couple_restore_flow(coupling, &offer);
        offer.problem.momentum = decides ? rough : wanted;
        TRY(solve_once(coupling, systems, &offer, when, &result));
        iterations += result.iterations;
        double left = offer.problem.divergence / grid_face_area(offer.problem.grid);
        TRY(couple_settle(coupling, step, when, left, &agrees));
        is_done = agrees && !decides;
        decides = !agrees && wanted < rough && !couple_turn_is_last(coupling);
    }
    result.iterations = iterations;
    keep_surfaces(&coupling->assembly, &coupling->gathered);
    gather_hand_back(&coupling->gathered, &offer.step, when, true);
    return flow->end(fluid->object, step, when, &offer, &result);
}

static bool takes_part(const CoupledSystems *systems, size_t i) {
    return systems->systems[i].class->flow && (!systems->takes_part || systems->takes_part[i]);
}

/* ---- without one ---- */

static bool wants(const CoupledSystems *systems, size_t i, const StepInfo *step, SolveWhen when) {
    const SystemInstance *system = &systems->systems[i];
    return takes_part(systems, i) && system->class->flow->wants(system->object, step, when);
}

/* Marks what rows join with something that a fluid solves for. */
static void mark_wet(Gathered *gathered, const SystemInstance *fluid) {
    SurfaceRef ref;
    for (size_t n = 0; fluid->class->flow->solved_surface(fluid->object, n, &ref); n++) {
        size_t block = gathered_block_of_surface(gathered, &ref);
        if (block != NO_BLOCK)
            gathered->blocks.data[gathered->blocks.data[block].root].is_wet = true;
    }
}

/* What rows and dampers join, where no fluid is. */
static PlimStatus solve_rest(Coupling *coupling, const CoupledSystems *systems,
                             const StepInfo *step, SolveWhen when) {
    Gathered *gathered = &coupling->gathered;
    StepInfo part = *step;
    if (!some_join(systems)) return PLIM_OK;
    if (when == SOLVE_HALF_STEP) {
        part.dt = 0.5 * step->dt;
        part.end_time = step->time + part.dt;
    }
    TRY(gather_offers(gathered, systems, &part, when));
    for (size_t i = 0; i < systems->count; i++)
        if (wants(systems, i, step, when)) mark_wet(gathered, &systems->systems[i]);
    TRY(dry_solve(&coupling->dry, gathered, &part));
    gather_hand_back(gathered, &part, when, false);
    return PLIM_OK;
}

static PlimStatus solve_all(Coupling *coupling, const CoupledSystems *systems, const StepInfo *step,
                            SolveWhen when) {
    for (size_t i = 0; i < systems->count; i++)
        if (wants(systems, i, step, when))
            TRY(solve_with(coupling, systems, &systems->systems[i], step, when));
    return PLIM_OK;
}

/* Bodies that fluids carry along, one way. */
static PlimStatus carry_bodies(Coupling *coupling, const CoupledSystems *systems,
                               const StepInfo *step, SolveWhen when) {
    Gathered *gathered = &coupling->gathered;
    for (size_t i = 0; i < systems->count; i++) {
        if (!takes_part(systems, i)) continue;
        const SystemInstance *fluid = &systems->systems[i];
        FlowCarried carried;
        for (size_t n = 0; fluid->class->flow->carry(fluid->object, n, &carried); n++) {
            if (n == 0) TRY(gather_offers(gathered, systems, step, when));
            size_t block = gathered_block_of_surface(gathered, &carried.ref);
            if (!carried.is_here || block == NO_BLOCK) continue;
            double *velocity = gathered->velocity.data + gathered->blocks.data[block].first;
            vec3_store(velocity, carried.velocity);
            vec3_store(velocity + 3, carried.angular_velocity);
            gathered->is_solved.data[block] = true;
        }
        if (fluid->class->flow->carry(fluid->object, 0, &carried))
            gather_hand_back(gathered, step, when, false);
    }
    return PLIM_OK;
}

/* v~^{n+1/2} again, with what collisions left and what touches held. */
static PlimStatus contact_positions(Coupling *coupling, const CoupledSystems *systems,
                                    const StepInfo *step) {
    TRY(couple_contact_begin(coupling, systems, step, SOLVE_HALF_STEP));
    if (!coupling->touches) return PLIM_OK;
    TRY(solve_all(coupling, systems, step, SOLVE_HALF_STEP));
    return couple_contact_end(coupling, systems, step, SOLVE_HALF_STEP);
}

static PlimStatus solve_velocities(Coupling *coupling, const CoupledSystems *systems,
                                   const StepInfo *step) {
    TRY(couple_contact_begin(coupling, systems, step, SOLVE_WHOLE_STEP));
    TRY(solve_all(coupling, systems, step, SOLVE_WHOLE_STEP));
    return couple_contact_end(coupling, systems, step, SOLVE_WHOLE_STEP);
}

PlimStatus couple_stage(Coupling *coupling, const CoupledSystems *systems, Stage stage,
                        const StepInfo *step) {
    switch (stage) {
    case STAGE_PREDICT:
        return couple_find_pairs(coupling, systems, step);
    case STAGE_SOLVE_POSITIONS:
        TRY(carry_bodies(coupling, systems, step, SOLVE_HALF_STEP));
        TRY(solve_all(coupling, systems, step, SOLVE_START));
        TRY(solve_all(coupling, systems, step, SOLVE_HALF_STEP));
        TRY(couple_push_bodies(coupling, systems, stage, step));
        return solve_rest(coupling, systems, step, SOLVE_HALF_STEP);
    case STAGE_COLLIDE:
        return couple_bounced(systems, step) ? solve_all(coupling, systems, step, SOLVE_IMPACT)
                                             : PLIM_OK;
    case STAGE_CONTACT:
        return contact_positions(coupling, systems, step);
    case STAGE_MOVE:
        return couple_collide(coupling, systems, step);
    case STAGE_SOLVE_VELOCITIES:
        TRY(solve_velocities(coupling, systems, step));
        TRY(couple_push_bodies(coupling, systems, stage, step));
        TRY(solve_rest(coupling, systems, step, SOLVE_WHOLE_STEP));
        return couple_collide_velocities(coupling, systems, step);
    case STAGE_FINISH:
        TRY(couple_push_bodies(coupling, systems, stage, step));
        return carry_bodies(coupling, systems, step, SOLVE_WHOLE_STEP);
    default:
        return PLIM_OK;
    }
}

static bool solves_for(const SystemInstance *fluid, const SurfaceRef *wanted) {
    SurfaceRef ref;
    for (size_t n = 0; fluid->class->flow->solved_surface(fluid->object, n, &ref); n++)
        if (ref.system == wanted->system && ref.surface == wanted->surface) return true;
    return false;
}

/* A surface counts with the first fluid that has it. */
size_t couple_count_shared(const CoupledSystems *systems) {
    size_t shared = 0;
    for (size_t i = 0; i < systems->count; i++) {
        if (!takes_part(systems, i)) continue;
        const SystemInstance *fluid = &systems->systems[i];
        SurfaceRef ref;
        for (size_t n = 0; fluid->class->flow->solved_surface(fluid->object, n, &ref); n++) {
            bool before = false, after = false;
            for (size_t j = 0; j < systems->count; j++) {
                if (j == i || !takes_part(systems, j) || !solves_for(&systems->systems[j], &ref))
                    continue;
                before = before || j < i;
                after = after || j > i;
            }
            shared += after && !before;
        }
    }
    return shared;
}
