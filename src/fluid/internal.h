/* The fluid's data and functions that its files share. */
#ifndef FLUID_INTERNAL_H
#define FLUID_INTERNAL_H

#include "fluid/fluid.h"

#include "base/parallel.h"
#include "solve/coupled/flow_bodies.h"

/* Something the fluid flows around, where it is at the end of the present step. */
typedef struct FluidCollider {
    Collider now;       /* velocities: those that move it from where it was in one step */
    Vec3 through;       /* m/s, own axes: what the fluid at its surface moves at beyond it */
    size_t body;        /* in the view; FLUID_OBSTACLES: the obstacles at rest */
    size_t number;      /* among all that may come */
    bool is_elsewhere;  /* its centre is in another domain: nothing here carries its weight */
    Vec3 true_position; /* of a body; `now` has it moved by whole periods into the domain */
    Vec3 before_position;
    Quat before_orientation;
    Vec3 force, torque; /* N and N m about its own origin, that the fluid exerts on it */
    Vec3 friction, friction_torque; /* the part of viscosity in them; of all but weight when they
                                       come from the coupled solve */
    double displaced;               /* kg of fluid in the place of a body that is solved for */
    double before[6]; /* v* of such a body: its velocities with forces over the step */
    double fall[6];   /* what gravity did to them in the step */
    double area;      /* m^2, of the surface in the fluid */
    Vec3 weight;      /* N, the part of the force that carries the weight of what it displaces */
    /* N and N m: what a liquid's weight between the middles of cells and its surface adds. */
    Vec3 hydrostatic, hydrostatic_torque;
} FluidCollider;

#define FLUID_OBSTACLES SIZE_MAX

typedef enum FluidObjectKind {
    OBJECT_FLUID,
    OBJECT_SIDE,
    OBJECT_BODY,
    OBJECT_POINT,
    OBJECT_SECTION
} FluidObjectKind;

/* Something to probe. */
typedef struct FluidObject {
    FluidObjectKind kind;
    char *name;
    size_t collider; /* of a body */
    Vec3 point;      /* of a point */
    int axis;        /* of a side and a section: faces across it */
    double sign;     /* flux out of the domain is positive on sides, along the axis on sections */
    int low[3], high[3]; /* first and last face, the last excluded */
} FluidObject;

/* A face that moves with a collider, though part of it is open. */
typedef struct FluidTie {
    int axis;
    size_t face, collider;
    Vec3 arm;    /* from the collider's centre to the face's */
    double part; /* that is open */
} FluidTie;

/* Colliders by bins over the grid (nearest.c). */
typedef struct FluidBinEntry {
    int32_t collider, image;
} FluidBinEntry;

typedef struct FluidBins {
    bool is_filled; /* else there are few colliders, or no memory for bins */
    int n[3];
    ARRAY(size_t) start; /* one a bin and one more */
    ARRAY(FluidBinEntry) entries;
} FluidBins;

/* Arrays of the state are listed, with units, in the schema of fluid.c. All others follow from the
 * state and the places of the bodies, or hold values within a step. */
struct Fluid {
    PlimContext *context;
    Grid grid;
    FluidDesc desc;                     /* without what it borrowed during creation */
    StateSize sizes[FLUID_GROUP_COUNT]; /* no faces across z in two dimensions */

    double *velocity_x, *velocity_y, *velocity_z;
    double *pressure; /* without the part that carries the fluid's weight */
    double *smoke, *temperature;
    /* What pressure, viscosity and forces did to a velocity in the last step, m/s^2; within a step
     * the velocity before they do. Only with second order in time. */
    double *acceleration_x, *acceleration_y, *acceleration_z;

    /* Of a liquid: its level set, particles, drops and bubbles that fly; what became of them all
     * (FLUID_TALLY_...), and volumes (FLUID_ACCOUNT_...); of each cell the volume, over its own,
     * that the last step lost and found no surface to give back to. */
    double *level, *deficit;
    int32_t *separated; /* of cells: 1: has let go of a wall (wall_separation.c); NULL: none ever */
    double *particle_position, *particle_radius;
    int32_t *particle_sign;
    double *drop_position, *drop_velocity, *drop_radius;
    int32_t *drop_sign;
    uint64_t *tally;
    double *account;

    ARRAY(FluidCollider) colliders;
    /* Of several domains: all bodies, whether they are in this one's room, and as they were when
     * they left it. */
    ARRAY(struct FluidVisitor {
        FluidCollider collider;
        bool is_here;
    })
    visitors;
    FluidBins bins; /* of the colliders where they are now */
    ARRAY(FluidSource) sources;
    ARRAY(FluidBody) passive; /* bodies that are carried along */
    ARRAY(FluidObject) objects;
    bool bodies_move; /* some body may */
    bool expands;     /* sources or volume control make fluid within itself */
    double wall_time; /* s, for which functions of sides are read */
    Vec3 gravity;     /* of the world */

    unsigned char *kind, *fresh; /* of cells: CellKind; 1: was solid in the last step */
    double *distance;            /* of nodes from the nearest collider, to FLUID_BAND cells */
    double *still_distance;      /* the same from obstacles alone, which never changes */
    double *open[3];             /* part of each face outside colliders */
    double *source;              /* of cells: volume made in it, m^3/s */
    size_t fluid_cells;

    GridField faces[3];                  /* velocity with halo: what carries */
    GridField carried[3];                /* velocity that is carried, and forces on cells */
    GridField nodes[3], nodes_before[3]; /* of node storage */
    GridField scalars[2];                /* smoke and temperature with halo */
    GridField cell_distance;
    GridField phi;          /* the level set with halo, going on into colliders */
    GridField phi_of_cells; /* the same at cells, of node storage */
    double phi_band;        /* m, up to which it is a distance */
    double control_rate;    /* 1/s, divergence by volume control in this step */
    GridField to_solid;     /* of cells: distance from the outside of colliders, positive in them */
    double *cell_level;     /* the level set at cells, as in `phi` */
    double *liquid_fraction; /* of cells: part that is liquid */
    double *wet_fraction;    /* the same as if there were no colliders: for viscosity */
    double *wanted_fraction; /* within a step: what it should be, by what flows through faces */

    Poisson *poisson;
    Viscosity *viscosity;
    double *viscosity_of_cell;
    double *face_distance[3];
    double *viscous_gain[3]; /* m/s, the explicit part of viscosity in this step */
    double implicit_part;    /* of viscosity in this step, 1/2 to 1 */
    ProjectResult projected; /* the last pressure solve */
    SolveResult viscous;     /* the last viscosity solve */

    CoupledFlow *coupled; /* NULL: viscosity and pressure are solved for one after the other */
    ARRAY(FlowBody) flow_bodies; /* the colliders, in the same order */
    ARRAY(FlowBodyFlux) fluxes;
    FlowBodies structure; /* the same to the coupled solve */
    ARRAY(FluidTie) ties;
    FlowResult coupled_result; /* the last coupled solve */
};

enum { FLUID_BAND = 4 }; /* cells: distances are exact up to here */

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
    FLUID_ACCOUNT_COUNT
};

/* A face of a liquid that is open by less has a velocity for the pressure's sake alone: what passes
 * a slit may be fast, and fed back by being carried on it would be faster with every step. Others
 * carry, and are continued to it. */
#define FLUID_CARRIES 0.5

static inline bool fluid_has_surface(const Fluid *fluid) {
    return fluid->desc.liquid.is_there;
}

/* Whether a pressure that is left out carries the fluid's weight along an axis (project.c). */
static inline bool fluid_carries_weight(const Fluid *fluid, int axis) {
    return axis < fluid->grid.dim && !grid_is_periodic(&fluid->grid, axis) &&
           !fluid_has_surface(fluid);
}

static inline double *fluid_velocity(const Fluid *fluid, int axis) {
    return axis == 0 ? fluid->velocity_x : axis == 1 ? fluid->velocity_y : fluid->velocity_z;
}

static inline double *fluid_acceleration(const Fluid *fluid, int axis) {
    return axis == 0   ? fluid->acceleration_x
           : axis == 1 ? fluid->acceleration_y
                       : fluid->acceleration_z;
}

static inline bool fluid_is_second_order(const Fluid *fluid) {
    return fluid->acceleration_x != NULL;
}

static inline bool fluid_is_viscous(const Fluid *fluid) {
    return fluid->desc.viscosity > 0 || fluid->viscosity_of_cell;
}

static inline GridPlace fluid_smoke_place(const Fluid *fluid) {
    return fluid->desc.storage == FLUID_ON_NODES ? PLACE_NODES : PLACE_CELLS;
}

/* Up, against gravity; y without any. */
static inline Vec3 fluid_up(Vec3 gravity) {
    double strength = vec3_length(gravity);
    return strength > 0 ? vec3_scale(-1 / strength, gravity) : vec3(0, 1, 0);
}

/* Where a value is; the doubled last layer of a periodic axis is the first. */
Vec3 fluid_position(const Grid *grid, GridPlace place, int i, int j, int k);

/* What work on the faces across one axis is given. */
typedef struct FluidAxis {
    Fluid *fluid;
    int axis;
} FluidAxis;

/* Loops over rows of values along x: `row` counts j + ny k. */
typedef void (*FluidRow)(void *user, int j, int k);
void fluid_for_rows(const Grid *grid, GridPlace place, int threads, FluidRow body, void *user);

/* ---- geometry.c: where the colliders are ---- */

/* Reads the bodies' places. With dt > 0 their velocities are those that brought them here from
 * where they were; else their own. Then cuts the grid anew if anything moved or `always`. */
PlimStatus fluid_update_geometry(Fluid *fluid, const StepInfo *step, bool always);
/* The first thing wrong with the grid as it was just cut, as text, or NULL: apertures outside 0 to
 * 1, cells whose kind does not go with their faces. */
const char *fluid_cut_problem(const Fluid *fluid);
/* The collider of this number, whether it is in the room or not. */
const FluidCollider *fluid_collider(const Fluid *fluid, size_t number);
/* Where they are now is where they were, and their velocities are their own: what holds between
 * steps does not depend on how long the last one was. */
void fluid_keep_places(Fluid *fluid);
/* Bodies, obstacles and sources have images beyond periodic sides, 0 the thing itself. */
int fluid_image_count(const Grid *grid);
Vec3 fluid_image_offset(const Grid *grid, int image);
/* In two dimensions only the cut at z = 0 counts. */
static inline Vec3 fluid_in_plane(const Fluid *fluid, Vec3 x) {
    if (fluid->grid.dim == 2) x.z = 0;
    return x;
}
/* The farthest that a corner of its box is from a body's own origin, m; in two dimensions of the
 * box's shadow on the plane. */
double fluid_reach(const Fluid *fluid, const Collider *body);
/* Sorts the colliders into bins; where memory is out they are all looked at. */
void fluid_fill_bins(Fluid *fluid);
/* The collider nearest to x; NULL: there is none. `beside` is x moved by whole periods to where it
 * is near the collider itself, not an image of it. */
FluidCollider *fluid_nearest(const Fluid *fluid, Vec3 x, Vec3 *beside);
/* The collider's `through` in the world's axes. */
static inline Vec3 fluid_through(const FluidCollider *collider) {
    return quat_rotate(collider->now.orientation, collider->through);
}
/* Velocity along an axis at the surface of the collider nearest to x; there must be one. */
double fluid_wall_speed(const Fluid *fluid, Vec3 x, int axis);
/* From x to a source or the nearest of its images, negative inside; whether x is in one. */
double fluid_source_distance(const Fluid *fluid, const FluidSource *source, Vec3 x);
bool fluid_in_source(const Fluid *fluid, const FluidSource *source, Vec3 x);
/* Whether a source is at work at t: what neither fills nor drains always is. */
bool fluid_source_runs(const FluidSource *source, double t);
/* The part of a face that moves with a collider in which there is fluid. */
double fluid_covered_fraction(const Fluid *fluid, int axis, int i, int j, int k);
/* The part of a face outside colliders, by the distances at its corners alone. */
double fluid_face_aperture(const Fluid *fluid, int axis, int i, int j, int k);
/* Whether what a collider pushes through part of a face counts at the middle of the face. In the
 * coupled solve fluid that is held fast moves with the body beside it, and its velocity counts at
 * the middle; both together must pass what a rigid motion passes, else turning as one would
 * compress cells and angular momentum not be kept. */
static inline bool fluid_moves_as_one(const Fluid *fluid) {
    return fluid->coupled && fluid->viscosity && fluid->desc.slip < fluid->grid.spacing;
}
/* Whether a cell on either side of a face has fluid in it. */
bool fluid_face_is_wet(const Fluid *fluid, int axis, const int at[3]);
/* What colliders push through the closed part of a face, m^3/s along the axis. */
double fluid_pushed(const Fluid *fluid, int axis, int i, int j, int k);
/* Volume made in cells: by sources and, if asked for, by the motion of colliders. */
PlimStatus fluid_find_sources(Fluid *fluid, const StepInfo *step, bool with_colliders);
/* First moment of the open part of a cut face about its middle, over its area, m. */
Vec3 fluid_aperture_moment(const Fluid *fluid, int axis, int i, int j, int k);

/* ---- boundary.c: what sides and colliders impose ---- */

/* Gives faces on walls, inflows and inside colliders the velocity they must have at time t. */
PlimStatus fluid_set_sides(Fluid *fluid, double t); /* without colliders */
PlimStatus fluid_set_given(Fluid *fluid, const StepInfo *step, double t);
/* Loads `faces`: the velocity, with halo, going on into colliders. */
PlimStatus fluid_load_faces(Fluid *fluid, const StepInfo *step);
/* The halos of a velocity component on faces, and of smoke (0) or temperature (1), by what the
 * sides are at `wall_time`. */
void fluid_fill_velocity(const Fluid *fluid, int component, GridField *field, int threads);
void fluid_fill_scalar(const Fluid *fluid, int which, GridField *field, int threads);
/* The halo of a level set: straight on, so that a slanting surface meets a wall as it is; where air
 * or liquid comes in through an open side, or a wall is let go of, what is there. */
void fluid_fill_surface(const Fluid *fluid, GridField *field, int threads);
/* The same, and what inflows bring. */
void fluid_fill_level(const Fluid *fluid, GridField *field, int threads);
/* Of what comes in through a side beside a cell of a Fluid, the part that is liquid. */
double fluid_liquid_beyond(const void *fluid, int axis, int end, const int cell[3]);
/* Values on open sides that were carried in from outside; fields of one shape on the side's faces
 * or on nodes. */
void fluid_slow_incoming(const Fluid *fluid, const StepInfo *step, int axis,
                         const GridField *across, GridField *field);
/* The same for smoke (0) or temperature (1) on nodes. */
void fluid_let_in(const Fluid *fluid, const StepInfo *step, int which, const GridField across[3],
                  GridField *nodes);
/* The velocity of a wall, for Viscosity. */
double fluid_wall_velocity(const void *fluid, int wall, int component, Vec3 x);
/* Fails when more flows into a closed region than out of it. */
PlimStatus fluid_check_balance(Fluid *fluid, PlimStatus failure, double time, double incompatible);

/* ---- advect.c, nodes.c: advection ---- */

PlimStatus fluid_advect(Fluid *fluid, const StepInfo *step);
/* Adds what half a step at the last acceleration gains to `faces`. */
void fluid_add_half_gain(Fluid *fluid, const StepInfo *step, int axis);
/* At the end of a step: what it did to the velocities beside carrying them. */
void fluid_keep_acceleration(Fluid *fluid, const StepInfo *step);
PlimStatus fluid_advect_on_nodes(Fluid *fluid, const StepInfo *step);
Advection fluid_advection(const Fluid *fluid, const StepInfo *step);
/* Whether there is fluid at a value of smoke: in a cell, or at a node outside of colliders. */
bool fluid_is_at(const Fluid *fluid, size_t value);
/* Loads smoke and temperature with halo, going on into colliders; and back. */
PlimStatus fluid_load_scalars(Fluid *fluid, const StepInfo *step);
void fluid_store_scalars(Fluid *fluid, const StepInfo *step);

/* ---- forces.c ---- */

/* Adds dt times all forces to the velocities on faces, or on nodes. */
PlimStatus fluid_push_faces(Fluid *fluid, const StepInfo *step);
PlimStatus fluid_push_nodes(Fluid *fluid, const StepInfo *step);
/* Upward acceleration by smoke and heat at a value of theirs (000 section 4.4.3). */
static inline double fluid_buoyancy(const Fluid *fluid, size_t at) {
    return fluid->desc.buoyancy * (fluid->temperature[at] - fluid->desc.ambient) -
           fluid->desc.weight * fluid->smoke[at];
}
double fluid_greatest_acceleration(const Fluid *fluid, const StepInfo *step);

/* ---- smoke.c ---- */

/* What sources set, cooling, fading; `velocity` too. */
PlimStatus fluid_feed(Fluid *fluid, const StepInfo *step);

/* ---- viscous.c, project.c, body_forces.c ---- */

/* Before velocities are carried: the explicit part of viscosity. */
PlimStatus fluid_begin_diffusion(Fluid *fluid, const StepInfo *step);
PlimStatus fluid_diffuse(Fluid *fluid, const StepInfo *step);
ViscosityProblem fluid_viscosity_problem(const Fluid *fluid);
PlimStatus fluid_set_up_viscosity(Fluid *fluid, const StepInfo *step);
PlimStatus fluid_project(Fluid *fluid, const StepInfo *step);
/* Fails when what flows in and out at the start does not balance. */
PlimStatus fluid_check_start(Fluid *fluid, const StepInfo *step);
/* Velocities and pressure, in the order of their groups, to scratch memory and back: for solves
 * that are thrown away. */
enum { FLUID_FLOW_COUNT = FLUID_GROUP_FACES_Z + 1 };
PlimStatus fluid_keep_flow(const Fluid *fluid, Scratch *scratch, double *kept[FLUID_FLOW_COUNT]);
void fluid_restore_flow(Fluid *fluid, double *const kept[FLUID_FLOW_COUNT]);
/* The level set on whose zero the pressure is that of air; NULL: it is so at the centres of air. */
const double *fluid_surface_of_pressure(const Fluid *fluid);
/* The part of a face's fluid that is liquid, as the pressure sees it. */
double fluid_face_part(const Fluid *fluid, int axis, const int at[3]);
/* The part of the pressure at x that carries the fluid's weight, Pa. */
double fluid_weight_pressure(const Fluid *fluid, Vec3 x);
/* Forces and torques of the fluid on every collider. Friction is added up while viscosity acts:
 * what it takes from the fluid then is what colliders get, to rounding. */
void fluid_find_loads(Fluid *fluid);
/* The hydrostatic correction of all colliders; 0 without a free surface. */
void fluid_find_hydrostatic_corrections(Fluid *fluid, const StepInfo *step);
/* Weight of a mass, N, along axes on which pressure carries weight. */
Vec3 fluid_weight_of(const Fluid *fluid, double mass);
void fluid_clear_friction(Fluid *fluid);
void fluid_add_friction(Fluid *fluid, double part);

/* ---- monolithic.c: the coupled solve ---- */

/* Whether the collider's motion is unknown in the coupled solve. */
bool fluid_solves_for(const Fluid *fluid, size_t collider);
/* Finds the faces that colliders close, where they are now. */
PlimStatus fluid_gather_faces(Fluid *fluid);
PlimStatus fluid_solve_start(Fluid *fluid, const StepInfo *step);
PlimStatus fluid_solve_half(Fluid *fluid, const StepInfo *step);
PlimStatus fluid_solve_whole(Fluid *fluid, const StepInfo *step);

/* ---- liquid*.c: the free surface ---- */

PlimStatus fluid_resize(Fluid *fluid, int group, size_t count); /* of the state */
/* Everything that follows from the level set and where colliders are. */
PlimStatus fluid_refresh_surface(Fluid *fluid, const StepInfo *step);
/* The level set and the particles, carried by `faces` (000 section 4.5). */
PlimStatus fluid_advect_surface(Fluid *fluid, const StepInfo *step);
/* When bodies are where they are at the end of the step: what they made the liquid lose. */
PlimStatus fluid_count_beside_bodies(Fluid *fluid, const StepInfo *step);
/* Cells of liquid that bodies close in, a few together, become air. */
void fluid_empty_enclosed_cells(Fluid *fluid);
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
/* Velocities go on from the liquid into air and colliders. */
PlimStatus fluid_extend_faces(Fluid *fluid, const StepInfo *step);
/* Faces that no liquid touches have no velocity. */
void fluid_still_air(Fluid *fluid, const StepInfo *step);
double fluid_liquid_volume(const Fluid *fluid);
ParticleLevelSet fluid_particles(Fluid *fluid, const StepInfo *step, LevelParticles sets[2]);
/* What sources pour, drains and sides take; volume control. */
PlimStatus fluid_pour(Fluid *fluid, const StepInfo *step);
PlimStatus fluid_check_pouring(const Fluid *fluid);
bool fluid_is_fed(const Fluid *fluid);
void fluid_count_left(Fluid *fluid, double left);
void fluid_balance_account(Fluid *fluid, const StepInfo *step);
PlimStatus fluid_seed_particles(Fluid *fluid, const StepInfo *step);
/* A given flow: velocities at time t, and a step in it. */
PlimStatus fluid_set_flow(Fluid *fluid, double t);
PlimStatus fluid_advect_given(Fluid *fluid, const StepInfo *step);
double fluid_given_max_dt(const Fluid *fluid, const StepInfo *step);
void fluid_diagnose_surface(const Fluid *fluid, const StepInfo *step, Diagnostics *diagnostics);
double fluid_front(const Fluid *fluid);                  /* m, along x */
Vec3 fluid_liquid_center(const Fluid *fluid);            /* m */
double fluid_surface_height(const Fluid *fluid, Vec3 x); /* m, along y */
PlimStatus fluid_view_surface(const Fluid *fluid, const StepInfo *step, FrameView *view);

/* ---- keep_apart.c, passive.c: what else moves bodies ---- */

void fluid_keep_apart(Fluid *fluid, const StepInfo *step, SolidWhen when);
/* Directions in which a body with this momentum cannot go, up to three unit vectors against them;
 * how many. */
int fluid_blocked(const Fluid *fluid, size_t collider, Vec3 momentum, Vec3 normals[3]);
void fluid_warn_of_overlaps(Fluid *fluid);
void fluid_advect_passive(Fluid *fluid, SolidWhen when);
/* The fluid's velocity at a point, linear between faces. */
Vec3 fluid_velocity_at(const Fluid *fluid, Vec3 x);

/* ---- initial.c, measure.c, view.c, probes.c ---- */

PlimStatus fluid_start(Fluid *fluid, const FluidDesc *desc);
/* Values of a function at time t; fails where it has none, naming `what`. */
PlimStatus fluid_fill_by_function(const Fluid *fluid, GridPlace place,
                                  const FieldFunction *function, double t, double *values,
                                  const char *what);
/* m/s, of a component; of those that carry */
double fluid_greatest_velocity(const Fluid *fluid);
double fluid_kinetic_energy(const Fluid *fluid);      /* J */
Vec3 fluid_momentum(const Fluid *fluid);              /* kg m/s */
double fluid_dissipation(const Fluid *fluid);         /* W, by viscosity */
double fluid_gravity_power(const Fluid *fluid);       /* W, of gravity on the fluid */
double fluid_greatest_divergence(const Fluid *fluid); /* 1/s */
double fluid_enstrophy(const Fluid *fluid);   /* m^3/s^2: half the vorticity squared, over volume */
double fluid_total_smoke(const Fluid *fluid); /* m^3 of smoke 1 */
PlimStatus fluid_diagnose(const void *system, const StepInfo *step, Diagnostics *diagnostics);
PlimStatus fluid_view_frame(const void *system, const StepInfo *step, FrameView *view);
PlimStatus fluid_add_objects(Fluid *fluid);
void fluid_free_objects(Fluid *fluid);
size_t fluid_object_count(const void *system);
const char *fluid_object_name(const void *system, size_t object);
size_t fluid_find_object(const void *system, const char *name);
enum { FLUID_QUANTITY_COUNT = 21 };
extern const ProbeQuantity fluid_quantities[FLUID_QUANTITY_COUNT];

#endif
