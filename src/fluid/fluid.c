/* The fluid system: state schema, memory, and its stages of the step (000 section 4.6, 002
 * section 5.4). */
#include "fluid/fluid.h"

#include "fluid/body_forces.h"
#include "fluid/boundary.h"
#include "fluid/forces.h"
#include "fluid/initial.h"
#include "fluid/internal.h"
#include "fluid/leapfrog.h"
#include "fluid/measure.h"
#include "fluid/project.h"
#include "fluid/smoke.h"
#include "fluid/step_limit.h"
#include "fluid/view.h"

#include <string.h>

#define FLUID_FIELD(name, unit, group)                                                             \
    { #name, unit, FIELD_F64, FIELD_STATE, 1, group, offsetof(Fluid, name) }

#define LIQUID_FIELD(name, member, unit, type, width, group)                                       \
    { name, unit, type, FIELD_STATE, width, group, offsetof(Fluid, liquid.member) }

static const StateField fluid_fields[] = {
    FLUID_FIELD(velocity_x, "m/s", FLUID_GROUP_FACES_X),
    FLUID_FIELD(velocity_y, "m/s", FLUID_GROUP_FACES_Y),
    FLUID_FIELD(velocity_z, "m/s", FLUID_GROUP_FACES_Z),
    FLUID_FIELD(pressure, "Pa", FLUID_GROUP_CELLS), /* state: the next solve starts from it */
    FLUID_FIELD(smoke, "1", FLUID_GROUP_SMOKE),
    FLUID_FIELD(temperature, "K", FLUID_GROUP_SMOKE),
    FLUID_FIELD(acceleration_x, "m/s^2", FLUID_GROUP_GAIN_X),
    FLUID_FIELD(acceleration_y, "m/s^2", FLUID_GROUP_GAIN_Y),
    FLUID_FIELD(acceleration_z, "m/s^2", FLUID_GROUP_GAIN_Z),
    LIQUID_FIELD("level", level, "m", FIELD_F64, 1, FLUID_GROUP_LEVEL),
    LIQUID_FIELD("particle_position", particle_position, "m", FIELD_F64, 3, FLUID_GROUP_PARTICLES),
    LIQUID_FIELD("particle_radius", particle_radius, "m", FIELD_F64, 1, FLUID_GROUP_PARTICLES),
    LIQUID_FIELD("particle_sign", particle_sign, "1", FIELD_I32, 1, FLUID_GROUP_PARTICLES),
    LIQUID_FIELD("drop_position", drop_position, "m", FIELD_F64, 3, FLUID_GROUP_DROPS),
    LIQUID_FIELD("drop_velocity", drop_velocity, "m/s", FIELD_F64, 3, FLUID_GROUP_DROPS),
    LIQUID_FIELD("drop_radius", drop_radius, "m", FIELD_F64, 1, FLUID_GROUP_DROPS),
    LIQUID_FIELD("drop_volume", drop_volume, "m^3", FIELD_F64, 1, FLUID_GROUP_DROPS),
    LIQUID_FIELD("drop_sign", drop_sign, "1", FIELD_I32, 1, FLUID_GROUP_DROPS),
    LIQUID_FIELD("tally", tally, "1", FIELD_U64, 1, FLUID_GROUP_TALLY),
    LIQUID_FIELD("account", account, "m^3", FIELD_F64, 1, FLUID_GROUP_ACCOUNT),
    LIQUID_FIELD("owed", deficit, "1", FIELD_F64, 1, FLUID_GROUP_LIQUID),
    LIQUID_FIELD("loose", separated, "1", FIELD_I32, 1, FLUID_GROUP_SEPARATED),
    LIQUID_FIELD("lead", lead, "s", FIELD_F64, 1, FLUID_GROUP_CLOCK),
};

static const char *const fluid_groups[FLUID_GROUP_COUNT] = {"cells",
                                                            "x faces",
                                                            "y faces",
                                                            "z faces",
                                                            "places of smoke",
                                                            "gains of x faces",
                                                            "gains of y faces",
                                                            "gains of z faces",
                                                            "places of level",
                                                            "particles",
                                                            "drops",
                                                            "fates of particles",
                                                            "accounts",
                                                            "cells of liquid",
                                                            "cells that let go",
                                                            "clocks"};

static const StateSchema fluid_schema = {
    .fields = fluid_fields,
    .field_count = sizeof fluid_fields / sizeof *fluid_fields,
    .groups = fluid_groups,
    .group_count = FLUID_GROUP_COUNT,
    .sizes_offset = offsetof(Fluid, sizes),
    .varying = 1u << FLUID_GROUP_PARTICLES | 1u << FLUID_GROUP_DROPS,
};

static const SystemFigures fluid_figures[] = {
    SYSTEM_FIGURES(Fluid, projected),
    SYSTEM_FIGURES(Fluid, viscous.result),
    SYSTEM_FIGURES(Fluid, coupled.result),
    SYSTEM_FIGURES(Fluid, coupled.half_iterations),
    SYSTEM_FIGURES(Fluid, coupled.impact_iterations),
};

PlimStatus fluid_resize(Fluid *fluid, int group, size_t count) {
    return state_resize(fluid->context, &fluid_schema, fluid, group, count);
}

FluidDesc fluid_desc_default(void) {
    return (FluidDesc){.name = "fluid",
                       .density = 1000,
                       .tolerance = 1e-6,
                       .amplitude = 1,
                       .length = 0.2,
                       .carries_velocity = true,
                       .advection = ADVECT_MACCORMACK,
                       .trace_order = 2,
                       .time_order = 2,
                       .cfl = 1,
                       .liquid = {.has_particles = true,
                                  .particles = particle_options_default(3),
                                  .scheme = ADVECT_SEMI_LAGRANGIAN,
                                  .reseed = 10,
                                  .extension = 4,
                                  .rise = 0.2,
                                  .keeps_volume = true,
                                  .absorption = {2.0f, 0.7f, 0.4f}}};
}

/* Vectors of the coupled solve: right-hand side, solution, those of MINRES or conjugate gradients,
 * work of the preconditioner, columns of a few bodies, levels of the velocities' cycle. */
static double coupled_bytes_per_cell(const FluidDesc *desc, bool viscous) {
    enum { VECTORS = 13, COLUMNS = 6, LEVELS_2D = 304, LEVELS_3D = 150 };
    double dim = desc->grid.dim;
    if (!desc->monolithic) return 0;
    if (!viscous) return sizeof(double) * (VECTORS + COLUMNS);
    return sizeof(double) * (VECTORS * (dim + 1) + 4 * dim) +
           sizeof(float) * ((COLUMNS + 1) * (dim + 2)) + (dim == 3 ? LEVELS_3D : LEVELS_2D);
}

/* Level sets and parts of cells, what distances and continued velocities take for a while, and
 * particles: a surface as large as the domain's largest section, twice. */
static double liquid_doubles_per_cell(const FluidDesc *desc) {
    enum { FIELDS = 12, WORK = 8, PARTICLE = 5 };
    const Grid *grid = &desc->grid;
    if (!desc->liquid.has_particles) return FIELDS + WORK;
    double cells = (double)grid_cell_count(grid), thinnest = cells;
    for (int axis = 0; axis < grid->dim; axis++) thinnest = fmin(thinnest, grid->n[axis]);
    double in_band = fmin(1, 2 * (2 * desc->liquid.particles.band) / thinnest);
    return FIELDS + WORK + PARTICLE * desc->liquid.particles.per_cell * in_band;
}

double fluid_bytes_per_cell(const FluidDesc *desc) {
    enum { SOLVER = 80, FRAME = 3 * 7 * sizeof(float), VISCOUS = 140, COLLIDERS = 56 };
    double doubles = desc->grid.dim + 1 + (desc->smoke.is_there ? 2 : 0); /* state */
    doubles += 2 * desc->grid.dim + 2 + (desc->smoke.is_there ? 2 : 0);   /* what is carried */
    if (desc->storage == FLUID_ON_NODES) doubles += 2 * desc->grid.dim;
    if (desc->confinement > 0) doubles += 10;
    if (desc->conserves_momentum) doubles += 3 * desc->grid.dim + 6; /* momentum and its fluxes */
    doubles += desc->liquid.is_there ? liquid_doubles_per_cell(desc) : 0;
    bool viscous = desc->viscosity > 0 || desc->viscosity_of_place.evaluate;
    bool colliders = desc->obstacles || desc->body_count > 0;
    if (viscous && desc->liquid.is_there) doubles += desc->grid.dim == 3 ? 4 : 2; /* sub-cells */
    return sizeof(double) * doubles + SOLVER + FRAME + (viscous ? VISCOUS : 0) +
           (colliders ? COLLIDERS : 0) + coupled_bytes_per_cell(desc, viscous);
}

/* ---- the stages ---- */

/* A flow that starts with sources and sinks, or past a wall that was not there before, starts with
 * an impulse of pressure in no time. It comes before the first step, so that viscosity and motion
 * act on what it leaves for all of that step; and it is no pressure that the next one can use. */
static PlimStatus start_suddenly(Fluid *fluid, const StepInfo *step) {
    if (!fluid->desc.carries_velocity && !fluid->viscous.solver) return PLIM_OK;
    TRY(fluid_set_given(fluid, step, step->time));
    TRY(fluid_project(fluid, step));
    memset(fluid->pressure, 0, fluid->sizes[FLUID_GROUP_CELLS].count * sizeof *fluid->pressure);
    return PLIM_OK;
}

/* Solids and the fluid are solved for after this, in couple/. */
static PlimStatus fluid_solve_positions(void *system, const StepInfo *step) {
    Fluid *fluid = system;
    fluid->gravity = step->gravity;
    fluid->coupled.half_iterations = fluid->coupled.impact_iterations = 0;
    return PLIM_OK;
}

/* 000 section 4.6: scalars, intermediate velocity. */
static PlimStatus fluid_advect_stage(void *system, const StepInfo *step) {
    Fluid *fluid = system;
    fluid->gravity = step->gravity;
    if (fluid->desc.is_given) return fluid_advect_given(fluid, step);
    if (step->time == 0 && !fluid->coupled.solver) TRY(start_suddenly(fluid, step));
    TRY(fluid_bring_to_middle(fluid, step));
    if (!fluid->coupled.solver) TRY(fluid_begin_diffusion(fluid, step));
    if (fluid->desc.storage == FLUID_ON_NODES) {
        TRY(fluid_advect_on_nodes(fluid, step));
    } else {
        TRY(fluid_advect(fluid, step));
        if (!fluid_conserves(fluid)) TRY(fluid_push_faces(fluid, step));
    }
    TRY(fluid_update_geometry(fluid, step, false));
    if (fluid_conserves(fluid)) {
        TRY(fluid_fit_momentum(fluid, step));
        TRY(fluid_push_faces(fluid, step));
    }
    if (fluid_has_surface(fluid)) TRY(fluid_mend_beside_bodies(fluid, step));
    TRY(fluid_feed(fluid, step));
    if (!fluid_has_surface(fluid)) return PLIM_OK;
    TRY(fluid_settle_surface(fluid, step));
    fluid_push_by_landed(fluid, step);
    return PLIM_OK;
}

/* 002 equation 5.26, split; 000 equation 4.5. */
static PlimStatus fluid_solve(void *system, const StepInfo *step) {
    Fluid *fluid = system;
    if (fluid->desc.is_given || fluid->coupled.solver) return PLIM_OK; /* the latter: in couple/ */
    TRY(fluid_diffuse(fluid, step));
    TRY(fluid_set_given(fluid, step, step->end_time));
    TRY(fluid_project(fluid, step));
    fluid_end_diffusion(fluid, step);
    fluid_keep_acceleration(fluid, step);
    return fluid_settle_velocity(fluid, step);
}

static PlimStatus fluid_finish(void *system, const StepInfo *step) {
    Fluid *fluid = system;
    /* All cells have a pressure of this step now. */
    if (fluid->cut.fresh) memset(fluid->cut.fresh, 0, grid_cell_count(&fluid->grid));
    TRY(fluid_find_loads(fluid, step));
    fluid_keep_places(fluid);
    return PLIM_OK;
}

/* ---- creation ---- */

static PlimStatus fluid_refresh(void *system, const StepInfo *step) {
    Fluid *fluid = system;
    fluid->gravity = step->gravity;
    fluid->wall_time = step->time;
    fluid_place_sources(fluid);
    TRY(fluid_update_geometry(fluid, step, true));
    memset(fluid->cut.fresh, 0, grid_cell_count(&fluid->grid));
    fluid_keep_places(fluid);
    if (fluid->colliders.list.count == 0) TRY(fluid_set_up_viscosity(fluid, step));
    if (fluid_has_surface(fluid)) TRY(fluid_refresh_surface(fluid, step));
    if (fluid->desc.is_given) return fluid_set_flow(fluid, step->time);
    if (step->time == 0) {
        /* What colliders cover is fluid until the coupled solve has merged it with them. */
        TRY(fluid->coupled.solver ? fluid_set_sides(fluid, step->time)
                                  : fluid_set_given(fluid, step, step->time));
        TRY(fluid_check_start(fluid, step));
        fluid_name_thin_walls(fluid);
    } else {
        TRY(fluid_find_sources(fluid, step, true)); /* for what is reported of the divergence */
    }
    fluid_clear_friction(fluid);
    if (fluid->coupled.solver) TRY(fluid_gather_faces(fluid, step));
    if (!fluid->coupled.solver) fluid_add_friction(fluid, 1);
    return fluid_find_loads(fluid, step);
}

static void free_array(PlimContext *context, void *array, size_t count, size_t size) {
    if (array) context_free(context, array, count, size);
}

static void fluid_destroy(void *system) {
    Fluid *fluid = system;
    PlimContext *context = fluid->context;
    const Grid *grid = &fluid->grid;
    size_t cells = grid_cell_count(grid), nodes = grid_place_count(grid, PLACE_NODES);
    if (fluid->poisson) poisson_destroy(fluid->poisson);
    if (fluid->coupled.solver) coupled_flow_destroy(fluid->coupled.solver);
    if (fluid->viscous.solver) viscosity_destroy(fluid->viscous.solver);
    for (int axis = 0; axis < 3; axis++) {
        size_t faces = grid_face_count(grid, axis);
        free_array(context, fluid->cut.open[axis], faces, sizeof(double));
        free_array(context, fluid->liquid.parted_faces[axis], faces, 1);
        free_array(context, fluid->cut.face_distance[axis], faces, sizeof(double));
        free_array(context, fluid->viscous.gain[axis], faces, sizeof(double));
        field_free(context, &fluid->advect.faces[axis]);
        field_free(context, &fluid->advect.carried[axis]);
        field_free(context, &fluid->advect.nodes[axis]);
        field_free(context, &fluid->advect.nodes_before[axis]);
    }
    field_free(context, &fluid->advect.scalars[0]);
    field_free(context, &fluid->advect.scalars[1]);
    field_free(context, &fluid->cut.cell_distance);
    field_free(context, &fluid->liquid.phi);
    field_free(context, &fluid->liquid.phi_of_cells);
    field_free(context, &fluid->liquid.to_solid);
    free_array(context, fluid->liquid.parted, grid_place_count(grid, fluid_smoke_place(fluid)), 1);
    free_array(context, fluid->liquid.cell_level, cells, sizeof(double));
    free_array(context, fluid->liquid.fraction, cells, sizeof(double));
    free_array(context, fluid->liquid.wet_corners, cells << grid->dim, sizeof(float));
    free_array(context, fluid->liquid.wanted_fraction, cells, sizeof(double));
    free_array(context, fluid->liquid.landed_volume, cells, sizeof(double));
    for (int axis = 0; axis < 3; axis++)
        free_array(context, fluid->liquid.landed_push[axis], cells, sizeof(double));
    free_array(context, fluid->cut.kind, cells, 1);
    free_array(context, fluid->cut.fresh, cells, 1);
    free_array(context, fluid->sources.rate, cells, sizeof(double));
    free_array(context, fluid->sources.owner, cells, sizeof(int32_t));
    free_array(context, fluid->viscous.of_cell, cells, sizeof(double));
    free_array(context, fluid->cut.distance, nodes, sizeof(double));
    free_array(context, fluid->cut.still_distance, nodes, sizeof(double));
    free_array(context, fluid->cut.part, cells, sizeof(double));
    free_array(context, fluid->cut.stale, cells, 1);
    immersed_free(&fluid->colliders);
    array_free(context, &fluid->loads);
    array_free(context, &fluid->passive);
    array_free(context, &fluid->sources.list);
    array_free(context, &fluid->coupled.surfaces);
    array_free(context, &fluid->coupled.faces);
    array_free(context, &fluid->coupled.shared);
    array_free(context, &fluid->cut.vents);
    fluid_free_objects(fluid);
    state_free(context, &fluid_schema, fluid);
    context_free(context, fluid, 1, sizeof *fluid);
}

static PlimStatus allocate(PlimContext *context, size_t count, size_t size, void *out) {
    void *memory = context_allocate(context, count, size);
    memcpy(out, &memory, sizeof memory);
    return memory ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

static PlimStatus resize_state(Fluid *fluid) {
    const Grid *grid = &fluid->grid;
    PlimContext *context = fluid->context;
    TRY(state_resize(context, &fluid_schema, fluid, FLUID_GROUP_CELLS, grid_cell_count(grid)));
    for (int axis = 0; axis < grid->dim; axis++)
        TRY(state_resize(context, &fluid_schema, fluid, FLUID_GROUP_FACES_X + axis,
                         grid_face_count(grid, axis)));
    bool second = fluid->desc.time_order == 2 && fluid->desc.storage == FLUID_ON_FACES &&
                  fluid->desc.carries_velocity && !fluid->desc.conserves_momentum &&
                  fluid->desc.advection == ADVECT_MACCORMACK && !fluid->desc.monolithic &&
                  !fluid->desc.liquid.is_there;
    bool leads = fluid->desc.liquid.is_there && fluid->desc.carries_velocity &&
                 !fluid->desc.is_given && !fluid->desc.monolithic;
    for (int axis = 0; (second || leads) && axis < grid->dim; axis++)
        TRY(state_resize(context, &fluid_schema, fluid, FLUID_GROUP_GAIN_X + axis,
                         grid_face_count(grid, axis)));
    if (leads) TRY(fluid_resize(fluid, FLUID_GROUP_CLOCK, 1));
    if (fluid->desc.liquid.is_there) {
        TRY(fluid_resize(fluid, FLUID_GROUP_LEVEL,
                         grid_place_count(grid, fluid_smoke_place(fluid))));
        TRY(fluid_resize(fluid, FLUID_GROUP_TALLY, FLUID_TALLY_COUNT));
        TRY(fluid_resize(fluid, FLUID_GROUP_ACCOUNT,
                         FLUID_ACCOUNT_COUNT +
                             FLUID_ACCOUNTS_OF_SOURCE * fluid->desc.source_count));
        TRY(fluid_resize(fluid, FLUID_GROUP_LIQUID, grid_cell_count(&fluid->grid)));
        if (fluid->desc.liquid.lets_go)
            TRY(fluid_resize(fluid, FLUID_GROUP_SEPARATED, grid_cell_count(&fluid->grid)));
    }
    if (!fluid->desc.smoke.is_there) return PLIM_OK;
    return state_resize(context, &fluid_schema, fluid, FLUID_GROUP_SMOKE,
                        grid_place_count(grid, fluid_smoke_place(fluid)));
}

/* Where drops land, and with what momentum; a given flow takes no notice. */
static PlimStatus create_landing(Fluid *fluid) {
    size_t cells = grid_cell_count(&fluid->grid);
    const FluidDesc *desc = &fluid->desc;
    if (!desc->liquid.has_particles || !desc->liquid.keeps_volume || desc->is_given) return PLIM_OK;
    TRY(allocate(fluid->context, cells, sizeof(double), &fluid->liquid.landed_volume));
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        TRY(allocate(fluid->context, cells, sizeof(double), &fluid->liquid.landed_push[axis]));
    return PLIM_OK;
}

static PlimStatus create_fields(Fluid *fluid) {
    const Grid *grid = &fluid->grid;
    PlimContext *context = fluid->context;
    for (int axis = 0; axis < grid->dim; axis++) {
        GridPlace place = grid_place_faces(axis);
        TRY(field_create(context, grid, place, ADVECT_HALO, &fluid->advect.faces[axis]));
        if (fluid->desc.storage == FLUID_ON_NODES) {
            TRY(field_create(context, grid, PLACE_NODES, ADVECT_HALO, &fluid->advect.nodes[axis]));
            TRY(field_create(context, grid, PLACE_NODES, ADVECT_HALO,
                             &fluid->advect.nodes_before[axis]));
        } else if (fluid->desc.carries_velocity) {
            TRY(field_create(context, grid, place, ADVECT_HALO, &fluid->advect.carried[axis]));
        }
    }
    for (int which = 0; fluid->desc.smoke.is_there && which < 2; which++)
        TRY(field_create(context, grid, fluid_smoke_place(fluid), ADVECT_HALO,
                         &fluid->advect.scalars[which]));
    if (fluid->desc.liquid.is_there) {
        enum { SURFACE_HALO = 2 }; /* for the surface that is shown, third order */
        TRY(field_create(context, grid, fluid_smoke_place(fluid), SURFACE_HALO,
                         &fluid->liquid.phi));
        if (fluid->desc.storage == FLUID_ON_NODES)
            TRY(field_create(context, grid, PLACE_CELLS, 1, &fluid->liquid.phi_of_cells));
        if (fluid->colliders.list.count > 0)
            TRY(field_create(context, grid, PLACE_CELLS, 1, &fluid->liquid.to_solid));
        TRY(allocate(context, grid_cell_count(grid), sizeof(double), &fluid->liquid.cell_level));
        TRY(allocate(context, grid_cell_count(grid), sizeof(double), &fluid->liquid.fraction));
        TRY(allocate(context, grid_cell_count(grid), sizeof(double),
                     &fluid->liquid.wanted_fraction));
        if (fluid_is_viscous(fluid))
            TRY(allocate(context, grid_cell_count(grid) << grid->dim, sizeof(float),
                         &fluid->liquid.wet_corners));
        TRY(create_landing(fluid));
    }
    return field_create(context, grid, PLACE_CELLS, ADVECT_HALO, &fluid->cut.cell_distance);
}

static PlimStatus create_cuts(Fluid *fluid) {
    const Grid *grid = &fluid->grid;
    PlimContext *context = fluid->context;
    size_t cells = grid_cell_count(grid), nodes = grid_place_count(grid, PLACE_NODES);
    TRY(allocate(context, cells, 1, &fluid->cut.kind));
    TRY(allocate(context, cells, 1, &fluid->cut.fresh));
    memset(fluid->cut.kind, CELL_FLUID, cells);
    memset(fluid->cut.fresh, 0, cells);
    fluid->cut.fluid_cells = cells;
    for (int axis = 0; fluid_is_viscous(fluid) && axis < grid->dim; axis++)
        TRY(allocate(context, grid_face_count(grid, axis), sizeof(double),
                     &fluid->viscous.gain[axis]));
    fluid->sources.expands_anywhere = fluid->desc.liquid.control;
    for (size_t i = 0; i < fluid->sources.list.count; i++)
        fluid->sources.expands_anywhere =
            fluid->sources.expands_anywhere ||
            field_function_is_set(&fluid->sources.list.data[i].expansion);
    bool rates = false;
    for (size_t i = 0; i < fluid->sources.list.count; i++)
        rates = rates || fluid->sources.list.data[i].has_rate;
    fluid->sources.expands = fluid->sources.expands_anywhere || rates;
    if (fluid->colliders.some_move || fluid->sources.expands) {
        TRY(allocate(context, cells, sizeof(double), &fluid->sources.rate));
        memset(fluid->sources.rate, 0, cells * sizeof(double));
    }
    if (rates) {
        TRY(allocate(context, cells, sizeof(int32_t), &fluid->sources.owner));
        memset(fluid->sources.owner, 0, cells * sizeof(int32_t));
    }
    if (fluid->colliders.list.count == 0) return PLIM_OK;
    TRY(allocate(context, nodes, sizeof(double), &fluid->cut.distance));
    TRY(allocate(context, nodes, sizeof(double), &fluid->cut.still_distance));
    if (fluid_has_surface(fluid)) {
        TRY(allocate(context, cells, sizeof(double), &fluid->cut.part));
        TRY(allocate(context, cells, 1, &fluid->cut.stale));
    }
    for (int axis = 0; axis < grid->dim; axis++) {
        size_t faces = grid_face_count(grid, axis);
        TRY(allocate(context, faces, sizeof(double), &fluid->cut.open[axis]));
        if (fluid_is_viscous(fluid))
            TRY(allocate(context, faces, sizeof(double), &fluid->cut.face_distance[axis]));
        if (fluid_has_surface(fluid))
            TRY(allocate(context, faces, 1, &fluid->liquid.parted_faces[axis]));
    }
    if (fluid_has_surface(fluid))
        return allocate(context, grid_place_count(grid, fluid_smoke_place(fluid)), 1,
                        &fluid->liquid.parted);
    return PLIM_OK;
}

static PlimStatus fill_fluid(Fluid *fluid, const FluidDesc *desc) {
    PlimContext *context = fluid->context;
    TRY(resize_state(fluid));
    TRY(fluid_add_colliders(fluid, desc));
    for (size_t i = 0; i < desc->source_count; i++)
        if (!array_push(context, &fluid->sources.list, desc->sources[i])) return PLIM_OUT_OF_MEMORY;
    TRY(fluid_bind_sources(fluid, desc));
    if (desc->viscosity_of_place.evaluate)
        TRY(allocate(context, grid_cell_count(&fluid->grid), sizeof(double),
                     &fluid->viscous.of_cell));
    TRY(create_fields(fluid));
    TRY(create_cuts(fluid));
    TRY(poisson_create(context, &fluid->grid, POISSON_MULTIGRID, &fluid->poisson));
    if (fluid_is_viscous(fluid))
        TRY(viscosity_create(context, &fluid->grid, &fluid->viscous.solver));
    if (desc->monolithic)
        TRY(coupled_flow_create(context, &fluid->grid, fluid->poisson, &fluid->coupled.solver));
    TRY(fluid_add_objects(fluid));
    return fluid_start(fluid, desc);
}

PlimStatus fluid_create(PlimContext *context, const FluidDesc *desc, Fluid **out) {
    *out = NULL;
    if (!(desc->density > 0) || !(desc->tolerance > 0))
        return context_fail(context, PLIM_BAD_INPUT,
                            "a fluid of density %g, solved to %g: both must be above 0",
                            desc->density, desc->tolerance);
    if (!(desc->viscosity >= 0) || !(desc->cfl > 0))
        return context_fail(context, PLIM_BAD_INPUT,
                            "a fluid of viscosity %g Pa s that moves %g cells a step: the first "
                            "must not be negative, the second must be above 0",
                            desc->viscosity, desc->cfl);
    if (desc->conserves_momentum && (desc->storage == FLUID_ON_NODES || desc->liquid.is_there))
        return context_fail(context, PLIM_BAD_INPUT,
                            "fluid '%s': conservative advection is for velocities on faces of a "
                            "fluid that fills its domain; choose another advection, or leave out "
                            "the %s",
                            desc->name, desc->liquid.is_there ? "liquid" : "storage on nodes");
    Fluid *fluid = context_allocate(context, 1, sizeof *fluid);
    if (!fluid) return PLIM_OUT_OF_MEMORY;
    fluid->context = context;
    fluid->grid = desc->grid;
    fluid->desc = *desc;
    fluid->desc.bodies = NULL;
    fluid->desc.sources = NULL;
    PlimStatus status = fill_fluid(fluid, desc);
    if (status != PLIM_OK) {
        fluid_destroy(fluid);
        return status;
    }
    *out = fluid;
    return PLIM_OK;
}

const SystemClass fluid_class = {
    .name = "fluid",
    .schema = &fluid_schema,
    .figures = fluid_figures,
    .figure_count = sizeof fluid_figures / sizeof *fluid_figures,
    .max_dt = fluid_max_dt,
    .stage = {[STAGE_SOLVE_POSITIONS] = fluid_solve_positions,
              [STAGE_ADVECT] = fluid_advect_stage,
              [STAGE_SOLVE_VELOCITIES] = fluid_solve,
              [STAGE_FINISH] = fluid_finish},
    .destroy = fluid_destroy,
    .refresh = fluid_refresh,
    .diagnose = fluid_diagnose,
    .view_frame = fluid_view_frame,
    .flow = &fluid_flow,
    .quantities = fluid_quantities,
    .quantity_count = FLUID_QUANTITY_COUNT,
    .object_count = fluid_object_count,
    .object_name = fluid_object_name,
    .find_object = fluid_find_object,
};
