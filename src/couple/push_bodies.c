/* Bodies that liquids with a bounded pressure and deformable solids push (system/push.h): what
 * their systems offer goes to the solve of the one that pushes, and back. Pins and locks are kept;
 * what rows join with other bodies is solved for afterwards, by turns. */
#include "couple/internal.h"

#include "math/cholesky.h"
#include "system/push.h"

#include <string.h>

/* ---- inverse masses ---- */

/* Of one block: what holds it is taken from its inverse mass, one row after the other. */
typedef struct HoldJob {
    const Gathered *gathered;
    size_t block;
    double least; /* of a row's own inverse mass: what is left of one that others hold already */
    double (*inverse)[6];
} HoldJob;

/* N -= N r r^T N / r^T N r: an impulse along r does nothing, r v stays. */
static void hold_row(void *user, const GatheredRow *row) {
    const HoldJob *job = user;
    double r[6] = {0}, image[6], curvature = 0, whole = 0;
    for (size_t e = 0; e < row->count; e++) {
        size_t column = row->offset + (size_t)row->column[e];
        if (job->gathered->block_of.data[column] != job->block) return;
        r[column - job->gathered->blocks.data[job->block].first] += row->value[e];
    }
    for (int i = 0; i < 6; i++) {
        image[i] = 0;
        for (int j = 0; j < 6; j++) image[i] += job->inverse[i][j] * r[j];
        curvature += r[i] * image[i];
        whole += r[i] * r[i] * job->inverse[i][i];
    }
    if (!(curvature > job->least * whole)) return;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) job->inverse[i][j] -= image[i] * image[j] / curvature;
}

static void find_inverse_mass(const Gathered *gathered, size_t block, double inverse[6][6]) {
    const MassBlock *mass = gathered_mass(gathered, block);
    double factor[36];
    memset(inverse, 0, 36 * sizeof(double));
    if (!mass->is_free || mass->size != 6) return;
    memcpy(factor, mass->mass, sizeof factor);
    if (!cholesky_factor(factor, 6)) return;
    for (int j = 0; j < 6; j++) {
        double column[6] = {0};
        column[j] = 1;
        cholesky_solve(factor, 6, column);
        for (int i = 0; i < 6; i++) inverse[i][j] = column[i];
    }
    HoldJob job = {gathered, block, 1e-9, inverse};
    if (gathered->blocks.data[block].is_rowed) gathered_rows(gathered, ROWS_HELD, hold_row, &job);
}

/* ---- there and back ---- */

static double *velocity_of(const Gathered *gathered, size_t block) {
    return gathered->velocity.data + gathered->blocks.data[block].first;
}

/* Masses and velocities to the bodies. */
static void hand_over(const Gathered *gathered, PushedBody *bodies, size_t count) {
    for (size_t i = 0; i < count; i++) {
        size_t block = gathered_block_of_surface(gathered, &bodies[i].ref);
        bodies[i].is_pushed = false;
        memset(bodies[i].inverse_mass, 0, sizeof bodies[i].inverse_mass);
        if (block == NO_BLOCK) continue; /* its velocity is what it was */
        find_inverse_mass(gathered, block, bodies[i].inverse_mass);
        memcpy(bodies[i].mass, gathered_mass(gathered, block)->mass, sizeof bodies[i].mass);
        memcpy(bodies[i].velocity, velocity_of(gathered, block), sizeof bodies[i].velocity);
        memcpy(bodies[i].fall, gathered_fall(gathered, block), sizeof bodies[i].fall);
    }
}

/* What contact did since the solve. */
static void find_contact(const Gathered *gathered, PushedBody *bodies, size_t count) {
    for (size_t i = 0; i < count; i++) {
        size_t block = gathered_block_of_surface(gathered, &bodies[i].ref);
        memset(bodies[i].contact, 0, sizeof bodies[i].contact);
        if (block == NO_BLOCK || !gathered_mass(gathered, block)->is_free) continue;
        for (int k = 0; k < 6; k++)
            for (int l = 0; l < 6; l++)
                bodies[i].contact[k] += gathered_mass(gathered, block)->mass[k][l] *
                                        (bodies[i].velocity[l] - bodies[i].found[l]);
    }
}

/* Impulses become velocities of their systems. */
static PlimStatus take_back(Coupling *coupling, PushedBody *bodies, size_t count,
                            const StepInfo *step, SolveWhen when) {
    Gathered *gathered = &coupling->gathered;
    size_t velocities = gathered->velocity.count;
    if (!array_reserve(coupling->context, &coupling->gain, velocities + 1))
        return PLIM_OUT_OF_MEMORY;
    coupling->gain.count = velocities;
    memset(coupling->gain.data, 0, velocities * sizeof *coupling->gain.data);
    for (size_t i = 0; i < count; i++) {
        size_t block = gathered_block_of_surface(gathered, &bodies[i].ref);
        if (block == NO_BLOCK) continue;
        double *velocity = velocity_of(gathered, block);
        double *gain = coupling->gain.data + gathered->blocks.data[block].first;
        for (int k = 0; bodies[i].is_pushed && k < 6; k++) {
            gain[k] += bodies[i].impulse[k];
            for (int l = 0; l < 6; l++)
                velocity[k] += bodies[i].inverse_mass[k][l] * bodies[i].impulse[l];
        }
        memcpy(bodies[i].found, velocity, sizeof bodies[i].found);
        gathered->is_solved.data[block] = bodies[i].is_pushed;
    }
    gather_hand_back_pushed(gathered, step, when, coupling->gain.data);
    return PLIM_OK;
}

static PlimStatus push_with(Coupling *coupling, const CoupledSystems *systems,
                            const SystemInstance *system, Stage stage, const StepInfo *step) {
    Gathered *gathered = &coupling->gathered;
    const PushClass *push = system->class->push;
    SolveWhen when = stage == STAGE_SOLVE_POSITIONS ? SOLVE_HALF_STEP : SOLVE_WHOLE_STEP;
    size_t count;
    PushedBody *bodies = push->bodies(system->object, &count);
    if (count == 0 || (stage == STAGE_FINISH && !push->hit)) return PLIM_OK;
    StepInfo part = *step; /* offers are over the time of their solve */
    if (when == SOLVE_HALF_STEP) {
        part.dt = 0.5 * step->dt;
        part.end_time = step->time + part.dt;
    }
    TRY(gather_offers(gathered, systems, &part, when));
    hand_over(gathered, bodies, count);
    if (stage == STAGE_SOLVE_POSITIONS) {
        TRY(push->expect(system->object, step));
    } else if (stage == STAGE_SOLVE_VELOCITIES) {
        TRY(push->solve(system->object, step));
    } else {
        find_contact(gathered, bodies, count);
        push->hit(system->object, step);
    }
    return take_back(coupling, bodies, count, &part, when);
}

PlimStatus couple_push_bodies(Coupling *coupling, const CoupledSystems *systems, Stage stage,
                              const StepInfo *step) {
    for (size_t i = 0; i < systems->count; i++) {
        const SystemInstance *system = &systems->systems[i];
        bool in = system->class->push && (!systems->takes_part || systems->takes_part[i]);
        if (in) TRY(push_with(coupling, systems, system, stage, step));
    }
    return PLIM_OK;
}
