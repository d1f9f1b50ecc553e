/* The splashing liquid's data and functions that its files share. */
#ifndef SPLASH_INTERNAL_H
#define SPLASH_INTERNAL_H

#include "splash/splash.h"

#include "base/parallel.h"
#include "solve/pressure/poisson_bounded.h"
#include "solve/viscosity/viscosity.h"
#include "splash/push.h"
#include "system/probe_objects.h"

/* Cells that a pass of the density correction moves a particle, at most: the first passes undo a
 * crowd, those after it only a clump that is left. */
#define SPLASH_OFFSET_MOST 0.25
#define SPLASH_OFFSET_LATE 0.05
enum { SPLASH_FIRST_PASSES = 12 };

/* Spray, what is in cells that hold less than this part of the density, may move this many times as
 * far in a step as the rest: it meets nothing. */
#define SPLASH_SPRAY_DENSITY 0.3
#define SPLASH_SPRAY_REACH   3

/* What happened to particles since t = 0. */
enum {
    SPLASH_TALLY_POURED,  /* by sources */
    SPLASH_TALLY_DRAINED, /* by sinks */
    SPLASH_TALLY_LEFT,    /* through open sides */
    SPLASH_TALLY_BLASTS,  /* blasts that went off */
    SPLASH_TALLY_COUNT
};

/* Wall time of the parts of a step, as in 001 table 3.2. */
enum {
    SPLASH_WALL_RASTERIZE,
    SPLASH_WALL_SOLVE,
    SPLASH_WALL_EXTRAPOLATE,
    SPLASH_WALL_PARTICLES, /* velocities, paths, collisions */
    SPLASH_WALL_CORRECT,   /* the density correction: its rasterising, solves and offsets */
    SPLASH_WALL_SORT,
    SPLASH_WALL_COUNT
};

/* What can be probed: the first object is the splash itself, then come obstacles and bodies (item:
 * the collider), its sides that are walls (item: 2 axis + end), and points. */
typedef enum SplashObjectKind {
    SPLASH_WHOLE,
    SPLASH_SIDE,
    SPLASH_SOLID,
    SPLASH_POINT
} SplashObjectKind;

/* A mouth: particles leave it in columns along its velocity. */
typedef struct SplashMouth {
    SplashSource source;
    double rate;    /* kg/s */
    double spacing; /* m, of the particles of a column */
    ARRAY(Vec3) columns;
} SplashMouth;

/* Two dimensions are three dimensions one cell thick. All arrays over cells and faces are over
 * `padded`: the domain and one cell more on every side of every axis in use, since a particle at an
 * open side is spread over half a cell beyond it. Beyond walls there is nothing: what would be
 * spread there goes to the cells before the wall. */
struct Splash {
    PlimContext *context;
    SplashDesc desc; /* without what it borrowed during creation */
    Grid grid;       /* the domain */
    Grid padded;
    double particle_mass; /* kg */
    StateSize sizes[SPLASH_GROUP_COUNT];

    /* Particles in the order of the cells (x fastest) that they were in before the last density
     * correction. Velocities are half a step behind positions: v^{n-1/2} (leapfrog: free fall is
     * exact, and the centre of mass follows the forces). `gain` is what the last step added, for
     * velocities to look at. */
    double *position_x, *position_y, *position_z;
    double *velocity_x, *velocity_y, *velocity_z;
    float *gain_x, *gain_y, *gain_z;
    double *affine;   /* of APIC: 9 a particle, row by row, 1/s */
    double *spare[6]; /* to sort into */
    float *spare_gain[3];
    double *spare_affine;
    /* Of cells. */
    double *pressure;      /* Pa; the next solve starts from it */
    double *eigenvector;   /* of the greatest eigenvalue, for the next estimate of it */
    double *last_dt;       /* s, 0 at the start */
    double *lead;          /* gains that bring velocities to the time of positions */
    uint64_t *tally;       /* SPLASH_TALLY_... */
    double *jet;           /* m, of each source: length of the jet it has made */
    uint64_t *layer_start; /* first particle of each layer (z; y in 2D) in that order; the end */

    Immersed colliders; /* all, whatever their room */
    SplashPush push;    /* what it exerts on them */
    ARRAY(SplashMouth) mouths;
    ARRAY(SplashSink) sinks;
    ARRAY(SplashBlast) blasts;
    ProbeObjects objects;
    double overlap; /* kg, claimed twice at the start */
    Vec3 gravity;

    /* Derived from the places of colliders. */
    struct SplashPlaces *places; /* obstacle.c: samples of colliders and how to find the nearest */
    double *most;                /* of cells: rho_max, kg/m^3 (001 eq. 3.13) */
    double *fraction[3];         /* of faces: v_f */
    double *open[3];             /* of faces: open part with sharp obstacles; bilateral alone */
    unsigned char *near;         /* of cells: 1 where a particle in it must look for obstacles */
    unsigned char *closed; /* of cells: 1 when all of it is solid or outside; bilateral alone */

    /* Derived from the particles, and work of a step. */
    double *density;   /* of cells, kg/m^3 */
    double *predicted; /* of cells: the density at the end of the step without pressure */
    double *face_density[3];
    double *velocity[3];     /* of faces, m/s */
    double *change[3];       /* of faces: by forces and pressure in this step, m/s */
    unsigned char *known[3]; /* of faces: has a velocity */
    unsigned char *kind;     /* of cells: CellKind */
    unsigned char *stirred;  /* of cells: the correction moves particles in it */
    double *right;           /* of cells: b of a solve */
    double *weight[3];       /* of faces: coefficients of a solve */
    double *multiplier;      /* of cells: y of the density correction, kg/m */
    double fastest;          /* m/s, greatest velocity component of a particle that is not spray */
    double fastest_spray;    /* the same of spray */

    Poisson *poisson;
    Poisson *local; /* without levels: for passes of the correction that only mend single cells */
    Viscosity *viscosity; /* NULL: it has none */
    SolveResult viscous_result;
    BoundedResult solved, corrected;
    ProjectResult projected; /* bilateral */
    double gained; /* J, over a particle's mass: by all particles as they moved in this step */
    double density_excess; /* greatest density over `most`, where that counts, after correction */
    int correction_passes;
    size_t collided, inside, clamped; /* particles, in the last step */
    double wall[SPLASH_WALL_COUNT];
};

static inline size_t splash_count(const Splash *splash) {
    return splash->sizes[SPLASH_GROUP_PARTICLES].count;
}

/* ---- particles.c: life of particles ---- */

PlimStatus splash_resize(Splash *splash, int group, size_t count);
/* Puts them into the order of cells; stable, so the same for any number of threads. Finds
 * layer_start. */
PlimStatus splash_sort(Splash *splash, const StepInfo *step);
PlimStatus splash_find_fastest(Splash *splash, const StepInfo *step);
/* Removes particles in sinks and beyond open sides; counts them. Keeps the order. */
PlimStatus splash_remove(Splash *splash, const StepInfo *step);
/* At t^n, for frames and figures. */
Vec3 splash_particle_velocity(const Splash *splash, size_t particle);

/* ---- seed.c: liquids at the start; source.c: mouths, blasts ---- */

PlimStatus splash_seed(Splash *splash, const SplashDesc *desc);
PlimStatus splash_add_mouth(Splash *splash, const SplashDesc *desc, const SplashSource *source);
PlimStatus splash_pour(Splash *splash, const StepInfo *step);
void splash_blast(Splash *splash, const StepInfo *step);
/* m/s, of what comes out of sources or is blasted at the start of the step. */
double splash_source_speed(const Splash *splash, double time);

/* ---- obstacle.c: colliders on the grid ---- */

/* Reads the places of bodies; `fresh`: everything anew, else only where bodies moved. Fills most,
 * fraction, near, and for a bilateral liquid open and closed. */
PlimStatus splash_place_obstacles(Splash *splash, const StepInfo *step, bool fresh);
/* m, positive outside; the walls of the domain do not count. */
double splash_distance_to_obstacles(const Splash *splash, Vec3 x);
/* What splash_place_obstacles took; part of destroying the system. */
void splash_free_obstacles(Splash *splash);

/* ---- collide.c ---- */

typedef struct SplashHit {
    Vec3 normal;    /* away from what was hit */
    Vec3 velocity;  /* m/s, of what was hit */
    int32_t target; /* the collider that was hit; -1: a wall of the domain */
} SplashHit;

/* A particle that was at `from` and wants to be at `to`: clipped against the walls of the domain
 * and brought out of obstacles (001 section 3.2.4). True when it hit something, as *hit tells then.
 * Outside open sides it stays where it is. */
bool splash_collide(const Splash *splash, Vec3 from, Vec3 *to, SplashHit *hit);

/* ---- rasterize.c: particles to the grid and back ---- */

/* density and face_density (eqs. 3.10, 3.12), of particles that moved since they were sorted by up
 * to splash_reach cells. They hold from the end of a step to the next. */
void splash_rasterize_mass(Splash *splash, const StepInfo *step);
/* velocity and known (eq. 3.11), after the masses. */
void splash_rasterize_velocity(Splash *splash, const StepInfo *step);
/* Into `predicted`: the density of cells after a step through these velocities of faces. */
void splash_predict(Splash *splash, const StepInfo *step, double *const velocity[3]);
/* Cells that a particle moves in a step, at most. */
int splash_longest_way(const Splash *splash);
int splash_reach(const Splash *splash);

/* ---- project.c: the unilateral solve ---- */

/* s, over which forces act on velocities in this step: they are at half steps. */
double splash_kick(const Splash *splash, double dt);
PlimStatus splash_project_unilateral(Splash *splash, const StepInfo *step);
/* Adds what the last pressure would do to velocities of faces. */
void splash_lift_by_pressure(Splash *splash, const StepInfo *step, double *const velocity[3]);
/* Coefficients of faces into `weight`: v_f, with `in_matrix` over their density. */
void splash_weigh_faces(Splash *splash, const StepInfo *step, bool in_matrix);
/* x >= 0 with A x + b >= 0 for `weight`, `kind` and `right`. */
typedef struct BoundedSolve {
    const char *what; /* named when it fails */
    double tolerance; /* as of BoundedOptions */
    double *x;
    bool may_stop_short;           /* after some iterations what there is will do */
    const BoundedColumns *columns; /* what gives way; NULL: none */
} BoundedSolve;
PlimStatus splash_solve_bounded(Splash *splash, Poisson *poisson, const StepInfo *step,
                                const BoundedSolve *solve, BoundedResult *result);
/* Faces in the walls of the domain: their velocity points away from the wall or is zero; with
 * `pressed` it is zero where there is pressure. `taken`, N s, of each side: adds the momentum that
 * they lost; NULL: nobody asks. */
void splash_stop_at_walls(const Splash *splash, bool pressed, double *const velocity[3],
                          double (*taken)[2]);

/* ---- project_bilateral.c, extrapolate.c, move.c, density_correction.c ---- */

/* The classic solve: cells that hold a particle are incompressible. */
PlimStatus splash_project_bilateral(Splash *splash, const StepInfo *step);
/* The pressure solve with the velocities of bodies that it pushes. */
PlimStatus splash_solve_pushing(void *system, const StepInfo *step);
/* Velocities of faces without mass from their neighbours (001 section 3.2.2). */
PlimStatus splash_extrapolate(Splash *splash, const StepInfo *step);
/* New velocities of particles from the grid's, and new places (001 sections 3.2.3, 3.2.4). */
PlimStatus splash_move(Splash *splash, const StepInfo *step);
/* Moves particles apart where they are too dense (001 eq. 3.9). */
PlimStatus splash_correct_density(Splash *splash, const StepInfo *step);

/* ---- measure.c, view.c ---- */

PlimStatus splash_diagnose(const void *system, const StepInfo *step, Diagnostics *diagnostics);
PlimStatus splash_view_frame(const void *system, const StepInfo *step, FrameView *view);
enum { SPLASH_QUANTITY_COUNT = 10 };
extern const ProbeQuantity splash_quantities[SPLASH_QUANTITY_COUNT];

#endif
