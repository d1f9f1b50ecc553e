/* The system of a splashing liquid (001 chapter 3): particles with mass that carry velocity, a grid
 * on which they are kept from being pressed together but may fly apart, and obstacles blurred like
 * the liquid itself. */
#ifndef SPLASH_SPLASH_H
#define SPLASH_SPLASH_H

#include "base/array.h"
#include "geom/query/room.h"
#include "grid/field_function.h"
#include "grid/grid.h"
#include "solve/pressure/poisson.h"
#include "system/immersed.h"
#include "system/system.h"

typedef enum SplashIncompressibility {
    SPLASH_UNILATERAL, /* may expand, never compress (001 section 3.1) */
    SPLASH_BILATERAL /* neither: the classic solve on cells that hold particles, sharp obstacles */
} SplashIncompressibility;

typedef enum SplashTransfer {
    SPLASH_FLIP, /* the grid's change is added, blended with the grid's velocity (001 3.2.3) */
    SPLASH_APIC  /* the grid's velocity and its gradient are taken over (Jiang et al. 2015) */
} SplashTransfer;

/* How particles move through the grid's velocity (001 3.2.4). */
typedef enum SplashPath { SPLASH_EULER, SPLASH_TRAPEZOIDAL } SplashPath;

/* Where densities and volume fractions stand in the solve: the variants of 001 section 3.1. */
typedef enum SplashDensities {
    SPLASH_DENSITY_RIGHT, /* eqs. 3.6 to 3.8: mass fluxes on the right, matrix of fractions */
    SPLASH_DENSITY_MATRIX /* volume fluxes on the right, fractions over densities in the matrix */
} SplashDensities;

typedef enum SplashFractions {
    SPLASH_FRACTION_UPDATE, /* fractions scale what pressure does to a velocity (eq. 3.8) */
    SPLASH_FRACTION_RIGHT   /* fractions scale fluxes and free space on the right side */
} SplashFractions;

/* Liquid at t = 0. */
typedef struct SplashLiquid {
    const char *name;          /* must outlive the system, here and below */
    const Solid *solid;        /* in the world; must outlive the system, here and below */
    FieldFunction velocity[3]; /* m/s */
} SplashLiquid;

/* A mouth that liquid comes out of, evenly, at full density unless the rate is lower. */
typedef struct SplashSource {
    const char *name;
    const Solid *solid; /* its cut through `center` across `velocity` is the mouth */
    Vec3 center;        /* m */
    Vec3 velocity;      /* m/s, not zero */
    double rate;        /* kg/s; 0: as much as the mouth lets through */
    FieldFunction runs; /* it runs while this is above 0: a function of time */
} SplashSource;

/* Takes away the particles inside, and counts them. */
typedef struct SplashSink {
    const char *name;
    const Solid *solid;
} SplashSink;

/* Once, at its time: particles in a ball fly apart. */
typedef struct SplashBlast {
    const char *name;
    double time; /* s */
    Vec3 center;
    double radius; /* m */
    double speed;  /* m/s, outward, in place of the velocity they had */
} SplashBlast;

typedef struct SplashDesc {
    const char *name; /* to probe it by; default "splash" */
    Grid grid;      /* the domain; sides are SIDE_WALL or SIDE_OPEN: what leaves is gone, counted */
    double density; /* kg/m^3, of liquid that fills a cell */
    double viscosity; /* Pa s */
    double slip;      /* m, slip length of walls, obstacles and bodies that it does not move */
    int per_axis;  /* particles along an edge of a cell: 2 gives 8 in a cell of three dimensions */
    double jitter; /* of the first places, in parts of their spacing, 0 to 1 */
    uint64_t seed;
    Vec3 up; /* against gravity, of length 1; 0: there is none */
    SplashIncompressibility incompressibility;
    SplashTransfer transfer;
    double flip; /* part of FLIP in the velocity, 0 (PIC) to 1 */
    SplashPath path;
    SplashDensities densities;
    SplashFractions fractions;
    double air;      /* of the density: cells below it are air (001 3.2.1) */
    bool sealed;     /* of what a cell can hold: nothing leaks into solids; always where bodies are
                        pushed */
    double settling; /* part of the room of nearly full cells that may fill while a fall passes an
                        eighth of a cell, 0 to 1 */
    bool correct_density; /* the second solve (001 eq. 3.9) */
    double crowding;      /* of the greatest density: what correction leaves, at most */
    int corrections;      /* passes of it in a step, at most */
    double tolerance;     /* of the solves: free space that is wrong, in parts of a cell */
    PoissonMethod preconditioner;
    double cfl;        /* cells that anything moves in a step, at most */
    int samples;       /* of obstacles, along an edge of a cell */
    int extrapolation; /* sweeps */

    const SplashLiquid *liquids; /* these are borrowed during creation */
    size_t liquid_count;
    const Solid *obstacles;         /* at rest; NULL: none */
    const FrameMesh *obstacle_mesh; /* what is drawn of them; NULL: their cells; must outlive it */
    Room room; /* of several domains: how fast bodies elsewhere are does not matter here */
    /* Dynamic ones that are not passive are pushed by the liquid. */
    const ImmersedSurface *bodies;
    size_t body_count;
    bool one_way; /* no body is pushed */
    const SplashSource *sources;
    size_t source_count;
    const SplashSink *sinks;
    size_t sink_count;
    const SplashBlast *blasts;
    size_t blast_count;

    bool surface;          /* frames hold a surface; else all particles */
    bool all_particles;    /* frames hold all particles beside the surface */
    double surface_radius; /* of a particle in the surface, in parts of their spacing */
    int surface_smoothing; /* passes */
    float absorption[3];   /* 1/m, of light */
} SplashDesc;

SplashDesc splash_desc_default(void);

enum { SPLASH_GROUP_PARTICLES, SPLASH_GROUP_AFFINE, SPLASH_GROUP_CELLS, SPLASH_GROUP_CLOCK };
enum { SPLASH_GROUP_TALLIES = 4, SPLASH_GROUP_SOURCES, SPLASH_GROUP_LAYERS, SPLASH_GROUP_BODIES };
enum { SPLASH_GROUP_COUNT = 8 };

typedef struct Splash Splash;

extern const SystemClass splash_class;

PlimStatus splash_create(PlimContext *context, const SplashDesc *desc, Splash **out);

/* Memory of a particle and of a cell, about, with the solvers and while a frame is written. */
double splash_bytes_per_particle(const SplashDesc *desc);
double splash_bytes_per_cell(const SplashDesc *desc);

/* Whether the liquid pushes this body. */
bool splash_pushes_body(const SplashDesc *desc, const ImmersedSurface *surface);

/* kg of one particle. */
double splash_particle_mass(const SplashDesc *desc);

/* kg/s that a source's mouth lets through at full density; 0 when no particle fits into it. */
double splash_mouth_rate(const SplashDesc *desc, const SplashSource *source);

/* kg of liquid that several of the liquids claim: it is there once. */
double splash_overlap(const Splash *splash);

/* A point to probe, beside the splash itself. PLIM_BAD_INPUT when outside the domain or when the
 * name is taken. */
PlimStatus splash_add_point(Splash *splash, const char *name, Vec3 point);

#endif
