/* A liquid with a free surface: its particle level set, and volumes that follow from it (000
 * section 4.5). */
#ifndef FLUID_LIQUID_H
#define FLUID_LIQUID_H

#include "fluid/fluid.h"

/* Fates of particles, then those of drops, then how often particles were drawn, and steps. */
enum {
    FLUID_TALLY_DROPS = PARTICLE_FATE_COUNT,
    FLUID_TALLY_DRAWS = 2 * PARTICLE_FATE_COUNT,
    FLUID_TALLY_STEPS,
    FLUID_TALLY_COUNT
};
/* m^3: the volume there should be; what control has made; what sources and inflows poured and
 * drains took; what left through open sides. */
enum {
    FLUID_ACCOUNT_WANTED,
    FLUID_ACCOUNT_CONTROL,
    FLUID_ACCOUNT_POURED,
    FLUID_ACCOUNT_LEFT,
    FLUID_ACCOUNT_COUNT,
    FLUID_ACCOUNTS_OF_SOURCE = 3 /* that follow for each source (source_rate.c) */
};

/* A face of a liquid that is open by less has a velocity for the pressure's sake alone: what passes
 * a slit may be fast, and fed back by being carried on it would be faster with every step. Others
 * carry, and are continued to it. */
#define FLUID_CARRIES 0.5

typedef struct FluidLiquidState {
    /* The state: level set, particles, drops and bubbles that fly; what became of them all
     * (FLUID_TALLY_...), and volumes (FLUID_ACCOUNT_...); of each cell the volume, over its own,
     * that the last step lost and found no surface to give back to. */
    double *level, *deficit;
    int32_t *separated; /* of cells: 1: has let go of a wall (wall_separation.c); NULL: none ever */
    double *particle_position, *particle_radius;
    int32_t *particle_sign;
    double *drop_position, *drop_velocity, *drop_radius, *drop_volume;
    int32_t *drop_sign;
    double *lead; /* s, by which velocities are ahead of the surface; NULL: they never are */
    uint64_t *tally;
    double *account;

    GridField phi;          /* the level set with halo, going on into colliders */
    GridField phi_of_cells; /* the same at cells, of node storage */
    double phi_band;        /* m, up to which it is a distance */
    GridField to_solid;     /* of cells: distance from the outside of colliders, positive in them */
    /* Walls between values of the level set, and between faces (visibility.h); NULL: no colliders
     */
    unsigned char *parted, *parted_faces[3];
    double *cell_level; /* the level set at cells, as in `phi` */
    double *fraction;   /* of cells: part that is liquid */
    /* The same of sub-cells, 2^dim a cell, as if there were no colliders: for viscosity. */
    float *wet_corners;
    double *wanted_fraction; /* within a step: what it should be, by what flows through faces */
    double *landed_volume, *landed_push[3]; /* within a step: of drops that land (drops_land.c) */
    double control_rate;                    /* 1/s, divergence by volume control in this step */
} FluidLiquidState;

/* Everything that follows from the level set and where colliders are. */
PlimStatus fluid_refresh_surface(Fluid *fluid, const StepInfo *step);
/* The level set and the particles, carried by `faces` (000 section 4.5). */
PlimStatus fluid_advect_surface(Fluid *fluid, const StepInfo *step);
/* In drops_land.c: before a step, and when the liquid is known after it. */
void fluid_forget_landed(Fluid *fluid);
void fluid_push_by_landed(Fluid *fluid, const StepInfo *step);
/* When bodies that may move are where they are at the end of the step: volume restored, particles
 * sorted. Without such bodies the former has done it. */
PlimStatus fluid_mend_beside_bodies(Fluid *fluid, const StepInfo *step);
/* Cells of liquid that bodies close in, a few together, become air. */
/* All that follows from the level set: kinds of cells, parts of them. */
PlimStatus fluid_find_liquid(Fluid *fluid, const StepInfo *step);
/* After the pressure solve: which cells let go of walls, and which no longer do
 * (wall_separation.c). */
PlimStatus fluid_separate_walls(Fluid *fluid, const StepInfo *step);
/* Cells that are no longer liquid are not separated; separated ones have the pressure of air. */
void fluid_forget_separated(Fluid *fluid);
void fluid_mark_separated(Fluid *fluid);
/* Whether liquid has let go in the cell at x. */
bool fluid_is_separated_at(const Fluid *fluid, Vec3 x);
/* Gives `faces` on walls that liquid has let go of the velocity of air that comes in. */
void fluid_let_air_in(Fluid *fluid);
/* After sources and geometry: what is liquid now. */
PlimStatus fluid_settle_surface(Fluid *fluid, const StepInfo *step);
/* Loads `phi` from the level set. */
PlimStatus fluid_load_phi(Fluid *fluid, const StepInfo *step);
/* When colliders are in their places: which values of the level set and which faces they part. */
PlimStatus fluid_find_visibility(Fluid *fluid, const StepInfo *step);
/* Continues `phi` into colliders, where there are any. */
PlimStatus fluid_continue_phi(Fluid *fluid, const StepInfo *step);
/* Velocities go on from the liquid into air and colliders. */
PlimStatus fluid_extend_faces(Fluid *fluid, const StepInfo *step);
/* When velocities are found: which walls liquid lets go of, and faces that none touches have no
 * velocity. Nothing without a free surface. */
PlimStatus fluid_settle_velocity(Fluid *fluid, const StepInfo *step);
/* A wall or an inflow holds its faces, with liquid before it or air. */
bool fluid_is_on_given_side(const Grid *grid, int axis, int at);
double fluid_liquid_volume(const Fluid *fluid);
ParticleLevelSet fluid_particles(Fluid *fluid, const StepInfo *step, LevelParticles sets[2]);
/* What sources pour, drains and sides take; volume control. */
PlimStatus fluid_pour(Fluid *fluid, const StepInfo *step);
/* m^3 that drops carry and the level set has not. */
double fluid_volume_of_drops(const Fluid *fluid);
/* A source fills or drains its shape; particles of the other kind in it go. The volume of the level
 * set, m^3. */
void fluid_pour_shape(Fluid *fluid, const StepInfo *step, const FluidSource *source);
void fluid_take_particles(Fluid *fluid, const FluidSource *source);
double fluid_volume_of_level(Fluid *fluid, const StepInfo *step);
/* Sources with a rate (source_rate.c): what their divergence made while the surface was carried;
 * what they owe, filled in as far as the shape takes it. */
void fluid_count_made(Fluid *fluid, const StepInfo *step);
PlimStatus fluid_pour_at_rate(Fluid *fluid, const StepInfo *step, size_t number);
PlimStatus fluid_check_pouring(const Fluid *fluid);
bool fluid_is_fed(const Fluid *fluid);
void fluid_count_left(Fluid *fluid, double left);
void fluid_balance_account(Fluid *fluid, const StepInfo *step);
PlimStatus fluid_seed_particles(Fluid *fluid, const StepInfo *step);
/* A given flow: velocities at time t, and a step in it. */
PlimStatus fluid_set_flow(Fluid *fluid, double t);
PlimStatus fluid_advect_given(Fluid *fluid, const StepInfo *step);
void fluid_diagnose_surface(const Fluid *fluid, const StepInfo *step, Diagnostics *diagnostics);
double fluid_front(const Fluid *fluid);       /* m, along x */
Vec3 fluid_liquid_center(const Fluid *fluid); /* m */
/* Of the liquid's surface above or below x, along gravity, m above the origin. */
double fluid_surface_height(const Fluid *fluid, Vec3 x);
PlimStatus fluid_view_surface(const Fluid *fluid, const StepInfo *step, FrameView *view);

#endif
