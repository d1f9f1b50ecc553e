/* Particle level set method, one step of the surface: the level set by advection, its particles by
 * equation 4.7 of 000, and the two put together (sections 4.5.1 and 4.5.2). */
#include "fluid/boundary.h"
#include "fluid/initial.h"
#include "fluid/internal.h"
#include "grid/liquid_fraction.h"
#include "grid/redistance.h"
#include "grid/volume_restore.h"

/* ---- the particles as state of the fluid ---- */

static void point_to_particles(Fluid *fluid, LevelParticles *set) {
    set->count = fluid->sizes[FLUID_GROUP_PARTICLES].count;
    set->position = fluid->liquid.particle_position;
    set->radius = fluid->liquid.particle_radius;
    set->sign = fluid->liquid.particle_sign;
}

static void point_to_drops(Fluid *fluid, LevelParticles *set) {
    set->count = fluid->sizes[FLUID_GROUP_DROPS].count;
    set->position = fluid->liquid.drop_position;
    set->velocity = fluid->liquid.drop_velocity;
    set->radius = fluid->liquid.drop_radius;
    set->volume = fluid->liquid.drop_volume;
    set->sign = fluid->liquid.drop_sign;
}

static PlimStatus resize_particles(void *user, LevelParticles *set, size_t count) {
    TRY(fluid_resize(user, FLUID_GROUP_PARTICLES, count));
    point_to_particles(user, set);
    return PLIM_OK;
}

static PlimStatus resize_drops(void *user, LevelParticles *set, size_t count) {
    TRY(fluid_resize(user, FLUID_GROUP_DROPS, count));
    point_to_drops(user, set);
    return PLIM_OK;
}

ParticleLevelSet fluid_particles(Fluid *fluid, const StepInfo *step, LevelParticles sets[2]) {
    sets[0] = (LevelParticles){.resize = resize_particles, .user = fluid};
    sets[1] = (LevelParticles){.resize = resize_drops, .user = fluid};
    point_to_particles(fluid, &sets[0]);
    point_to_drops(fluid, &sets[1]);
    return (ParticleLevelSet){
        .options = &fluid->desc.liquid.particles,
        .particles = &sets[0],
        .drops = &sets[1],
        .tally = {fluid->liquid.tally, fluid->liquid.tally + FLUID_TALLY_DROPS},
        .phi = &fluid->liquid.phi,
        .solid = fluid->colliders.list.count > 0 ? &fluid->cut.cell_distance : NULL,
        .walls = fluid->cut.distance,
        .parted = fluid->liquid.parted,
        .threads = step->threads,
        .scratch = step->scratch};
}

PlimStatus fluid_seed_particles(Fluid *fluid, const StepInfo *step) {
    uint64_t draw = ++fluid->liquid.tally[FLUID_TALLY_DRAWS];
    if (!fluid->desc.liquid.has_particles) return PLIM_OK;
    LevelParticles sets[2];
    ParticleLevelSet set = fluid_particles(fluid, step, sets);
    return particles_reseed(&set, draw);
}

/* ---- a step ---- */

/* The particles, and what carries them. */
typedef struct Carriers {
    const GridField *velocity[3];
    LevelParticles sets[2];
    ParticleLevelSet set;
    double flown_out; /* m^3, by drops */
} Carriers;

static void fill_level(const void *user, size_t which, GridField *field, int threads) {
    (void)which;
    fluid_fill_level(user, field, threads);
}

static PlimStatus carry_level(Fluid *fluid, const StepInfo *step) {
    Advection advection = fluid_advection(fluid, step);
    advection.scheme = fluid->desc.liquid.scheme;
    advection.distance = NULL; /* the surface goes on into colliders, and is carried there too */
    advection.fill_halo = fill_level;
    advection.user = fluid;
    GridField *phi = &fluid->liquid.phi;
    return advect_fields(&advection, &phi, 1, step->threads, step->scratch);
}

static PlimStatus redistance(Fluid *fluid, const StepInfo *step) {
    TRY(field_redistance(&fluid->liquid.phi, fluid->liquid.phi_band, fluid->liquid.parted,
                         step->threads, step->scratch));
    fluid_fill_level(fluid, &fluid->liquid.phi, step->threads);
    return PLIM_OK;
}

typedef struct SurfaceStep {
    Fluid *fluid;
    const StepInfo *step;
} SurfaceStep;

static PlimStatus go_on(const void *user, GridField *phi) {
    const SurfaceStep *now = user;
    /* Where liquid lets go of walls the film that is left there is not held on to. */
    bool lets_go = now->fluid->liquid.separated;
    if (now->fluid->colliders.list.count > 0 && !lets_go)
        TRY(fluid_continue_phi(now->fluid, now->step));
    fluid_fill_surface(now->fluid, phi, now->step->threads);
    return PLIM_OK;
}

static double liquid_beyond(const void *user, int axis, int end, const int cell[3]) {
    return fluid_liquid_beyond(((const SurfaceStep *)user)->fluid, axis, end, cell);
}

/* Bodies of a given flow stay where they are for the whole step. */
static bool bodies_move_on(const Fluid *fluid) {
    return fluid->colliders.some_move && !fluid->desc.is_given;
}

static VolumeFlow volume_flow(const SurfaceStep *now) {
    const Fluid *fluid = now->fluid;
    const StepInfo *step = now->step;
    return (VolumeFlow){
        .velocity = {&fluid->advect.faces[0], &fluid->advect.faces[1], &fluid->advect.faces[2]},
        .open = fluid->cut.open,
        .solid = fluid->colliders.list.count > 0 ? fluid->cut.distance : NULL,
        .separated = fluid->liquid.separated,
        .go_on = go_on,
        .liquid_beyond = liquid_beyond,
        .user = now,
        .has_sources = fluid->sources.expands,
        .made = fluid->sources.expands_anywhere ? NULL : fluid->sources.owner,
        .obstacles = bodies_move_on(fluid) ? fluid->cut.still_distance : NULL,
        .dt = step->dt,
        .threads = step->threads,
        .scratch = step->scratch};
}

static PlimStatus restore_volume(Fluid *fluid, const StepInfo *step) {
    if (!fluid->desc.liquid.keeps_volume) return PLIM_OK;
    SurfaceStep now = {fluid, step};
    VolumeFlow flow = volume_flow(&now);
    TRY(volume_restore(&flow, &fluid->liquid.phi, fluid->liquid.wanted_fraction,
                       fluid->liquid.deficit));
    fluid_fill_level(fluid, &fluid->liquid.phi, step->threads);
    return PLIM_OK;
}

/* Volume that no surface is near enough to hold flies on as drops. Where drops pool there is liquid
 * that the fluxes did not predict: what it has is no longer missing. */
static PlimStatus settle_strays(Fluid *fluid, const StepInfo *step, ParticleLevelSet *set,
                                const GridField *const velocity[3]) {
    bool pooled;
    if (!set->landed || !fluid->desc.liquid.particles.keep_drops) return PLIM_OK;
    TRY(drops_take_strays(set, velocity));
    TRY(drops_pool(set, velocity, &pooled));
    if (!pooled) return PLIM_OK;
    SurfaceStep now = {fluid, step};
    TRY(go_on(&now, &fluid->liquid.phi));
    liquid_fractions(&fluid->liquid.phi,
                     fluid->colliders.list.count > 0 ? fluid->cut.distance : NULL, step->threads,
                     fluid->liquid.fraction);
    for (size_t i = 0; i < grid_cell_count(&fluid->grid); i++) {
        fluid->liquid.deficit[i] += fluid->liquid.wanted_fraction[i] - fluid->liquid.fraction[i];
        fluid->liquid.wanted_fraction[i] = fluid->liquid.fraction[i];
    }
    fluid_fill_level(fluid, &fluid->liquid.phi, step->threads);
    return PLIM_OK;
}

static void find_carriers(Fluid *fluid, const StepInfo *step, Carriers *with) {
    for (int axis = 0; axis < 3; axis++) with->velocity[axis] = &fluid->advect.faces[axis];
    with->set = fluid_particles(fluid, step, with->sets);
    with->flown_out = 0;
    if (fluid->desc.liquid.keeps_volume) {
        with->set.landed = fluid->liquid.deficit;
        with->set.flown_out = &with->flown_out;
        with->set.landed_volume = fluid->liquid.landed_volume;
        for (int axis = 0; axis < 3; axis++)
            with->set.landed_push[axis] = fluid->liquid.landed_push[axis];
    }
    /* Drops fly from where velocities are known on. */
    if (!fluid->desc.is_given)
        with->set.drop_gain = vec3_scale((fluid_leads(fluid) ? 0.5 : 1) * step->dt, step->gravity);
}

/* The level set and its particles at the end of the step, by what flows alone. */
static PlimStatus carry_surface(Fluid *fluid, const StepInfo *step) {
    if (!fluid->desc.liquid.has_particles) {
        TRY(carry_level(fluid, step));
        return redistance(fluid, step);
    }
    Carriers with;
    find_carriers(fluid, step, &with);
    ParticleLevelSet *set = &with.set;
    TRY(particles_move(set, with.velocity, step->dt));
    TRY(drops_move(set, with.velocity, step->gravity, fluid->desc.liquid.rise, step->dt));
    TRY(carry_level(fluid, step));
    TRY(particles_correct(set));
    TRY(redistance(fluid, step));
    if (fluid->desc.liquid.corrects_twice) TRY(particles_correct(set));
    fluid_fill_level(fluid, &fluid->liquid.phi, step->threads);
    fluid_count_left(fluid, with.flown_out);
    return PLIM_OK;
}

/* What that has lost or made is put right, and particles follow. */
static PlimStatus mend_surface(Fluid *fluid, const StepInfo *step) {
    TRY(restore_volume(fluid, step));
    if (!fluid->desc.liquid.has_particles) return PLIM_OK;
    Carriers with;
    find_carriers(fluid, step, &with);
    TRY(settle_strays(fluid, step, &with.set, with.velocity));
    TRY(particles_classify(&with.set, with.velocity));
    if (++fluid->liquid.tally[FLUID_TALLY_STEPS] % (uint64_t)fluid->desc.liquid.reseed == 0)
        TRY(particles_reseed(&with.set, ++fluid->liquid.tally[FLUID_TALLY_DRAWS]));
    return PLIM_OK;
}

PlimStatus fluid_advect_surface(Fluid *fluid, const StepInfo *step) {
    SurfaceStep now = {fluid, step};
    VolumeFlow flow = volume_flow(&now);
    /* Beyond sides and in colliders phi may be from another time of the last step; the prediction
     * reads it there, and must be the same after a restart. */
    TRY(fluid_load_phi(fluid, step));
    fluid_count_made(fluid, step);
    fluid_forget_landed(fluid);
    double left = 0;
    TRY(volume_predict(&flow, &fluid->liquid.phi, fluid->liquid.wanted_fraction, &left));
    fluid_count_left(fluid, left);
    TRY(carry_surface(fluid, step));
    if (!bodies_move_on(fluid)) TRY(mend_surface(fluid, step));
    field_store(&fluid->liquid.phi, step->threads, fluid->liquid.level);
    return PLIM_OK;
}

/* What flows through faces is right for bodies at the end of the step: what they move into is what
 * the liquid leaves. Volume beside them is restored where they are then. */
PlimStatus fluid_mend_beside_bodies(Fluid *fluid, const StepInfo *step) {
    if (!bodies_move_on(fluid)) return PLIM_OK;
    TRY(fluid_load_phi(fluid, step));
    TRY(mend_surface(fluid, step));
    field_store(&fluid->liquid.phi, step->threads, fluid->liquid.level);
    return PLIM_OK;
}

/* ---- a given flow ---- */

PlimStatus fluid_set_flow(Fluid *fluid, double t) {
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        TRY(fluid_fill_by_function(fluid, grid_place_faces(axis), &fluid->desc.velocity[axis], t,
                                   fluid_velocity(fluid, axis), "the given velocity"));
    return PLIM_OK;
}

/* The flow in the middle of the step carries for all of it: second order in time. */
PlimStatus fluid_advect_given(Fluid *fluid, const StepInfo *step) {
    TRY(fluid_set_flow(fluid, step->time + 0.5 * step->dt));
    for (int axis = 0; axis < fluid->grid.dim; axis++) {
        field_load(&fluid->advect.faces[axis], step->threads, fluid_velocity(fluid, axis));
        field_fill_halo(&fluid->advect.faces[axis], step->threads);
    }
    if (fluid_has_surface(fluid)) {
        TRY(fluid_advect_surface(fluid, step));
        TRY(fluid_settle_surface(fluid, step));
    }
    return fluid_set_flow(fluid, step->end_time);
}
