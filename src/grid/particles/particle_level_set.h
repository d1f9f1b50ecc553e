/* The particles of a particle level set (000 section 4.5.2; Enright, Losasso, Fedkiw 2005): small
 * spheres on both sides of the surface that move with the flow and put the level set right where
 * its own motion has smeared it. Negative ones mark liquid, positive ones air. One that is on the
 * wrong side by more than its radius has escaped: the level set is corrected with it. One that is
 * still far on the wrong side after that leaves the others: liquid becomes a drop that flies, air a
 * bubble or nothing.
 *
 * Arrays belong to the caller, whose state they are; all counts are exact: what was made is what is
 * there and what was taken away, by cause. Same bits for any number of threads: what happens to a
 * particle depends on it and the fields alone, and corrections are least and greatest values. */
#ifndef GRID_PARTICLE_LEVEL_SET_H
#define GRID_PARTICLE_LEVEL_SET_H

#include "base/scratch.h"
#include "grid/field.h"

typedef struct LevelParticles LevelParticles;
/* Gives all arrays `count` items, more or fewer, keeping the first of those that there are; sets
 * `count` and the pointers anew. */
typedef PlimStatus (*LevelParticlesResize)(void *user, LevelParticles *particles, size_t count);

struct LevelParticles {
    size_t count;
    double *position; /* m, 3 each */
    double *radius;   /* m */
    int32_t *sign;    /* -1 liquid, +1 air; drops and bubbles alike */
    double *velocity; /* m/s, 3 each; of drops and bubbles; NULL for others: they move with u */
    double *volume; /* m^3, of drops: liquid that they carry and the level set has not; below zero:
                       that it has too much. NULL for others: all is in the level set */
    LevelParticlesResize resize;
    void *user;
};

/* Why particles come and go. A row of counts each for particles and for drops and bubbles. */
typedef enum ParticleFate {
    PARTICLE_SEEDED,   /* made where the band lacked some */
    PARTICLE_RETURNED, /* particles: made of a drop that is in liquid again, or a bubble in air.
                          drops: taken away, having become a particle */
    PARTICLE_ESCAPED,  /* taken away on the wrong side; of drops: made of such a one */
    PARTICLE_FAR,      /* taken away: left the band */
    PARTICLE_SURPLUS,  /* taken away: too many in one cell */
    PARTICLE_OUTSIDE,  /* taken away: left the domain */
    PARTICLE_BURIED,   /* taken away: inside a solid */
    PARTICLE_MERGED,   /* drops: taken away deep in liquid, or not wanted at all */
    PARTICLE_FATE_COUNT
} ParticleFate;

typedef struct ParticleTally {
    uint64_t *particles, *drops; /* PARTICLE_FATE_COUNT each; state of the caller */
} ParticleTally;

typedef struct ParticleOptions {
    int per_cell;       /* in a cell of the band; default 16 in two dimensions, 32 in three */
    double band;        /* cells to either side that are seeded; default 3 */
    double least, most; /* radius, cells; default 0.1 and 0.5 */
    /* Cells on the wrong side from which a particle is no longer kept; default 0.5. In cells, not
     * radii: one that has just crossed has the least radius, and 1.5 of those would end most of
     * what a thin sheet is rebuilt from (sphere in a vortex, 48^3: 34 % lost, with 0.5 cells 3). */
    double escape;
    bool keep_drops, keep_bubbles; /* default true, false */
    uint64_t seed;
} ParticleOptions;

ParticleOptions particle_options_default(int dim);

/* What all the functions below work on. `phi` and what carries have their halos filled. */
typedef struct ParticleLevelSet {
    const ParticleOptions *options;
    LevelParticles *particles;
    LevelParticles *drops; /* drops and bubbles; NULL: what would become one is taken away */
    ParticleTally tally;
    /* At cells or nodes, halo 1, m, negative in liquid; a distance to more than a cell beyond the
     * band, but for what a step of advection does to it. */
    GridField *phi;
    const GridField *solid; /* at cells or nodes, m, positive outside, halo filled; NULL: none */
    /* The same at nodes, compact, and where walls are between values of phi (visibility.h): nothing
     * passes them, or claims what is behind them. NULL: not known. */
    const double *walls;
    const unsigned char *parted;
    Vec3 drop_gain; /* m/s, that new drops have gained since the time of what carries */
    /* Where the volume of drops that end goes: to cells (compact, over a cell's own), and m^3 that
     * leave the domain. NULL: drops carry none. */
    double *landed, *flown_out;
    /* Of cells, compact, over their volume: what landed (both signs of volume alike; as much as is
     * counted in `landed`) and, m/s along each axis, what it carries beyond what the liquid there
     * does: volume times (v - u). NULL: momentum is not handed on. */
    double *landed_volume, *landed_push[3];
    int threads;
    Scratch *scratch;
} ParticleLevelSet;

/* x^{n+1} by equation 4.7: twice the velocity now, at both ends of a straight step. Liquid that
 * would end nearer to a solid than its own radius is pushed out along the solid's normal: spheres
 * stay out of solids, at distances that differ from one to the next (000 sections 6.4.2 and 7.4).
 * What cannot be pushed out, and air in a solid, is buried. Periodic axes wrap; walls hold
 * particles; beyond an open side or an inflow they are outside. dt == 0 changes no bit. */
PlimStatus particles_move(ParticleLevelSet *set, const GridField *const velocity[3], double dt);

/* Drops fly under gravity, exact for a constant one: x += dt v + dt^2 / 2 g, v += dt g. Bubbles
 * move with the liquid's velocity and `rise` (m/s, against gravity), as particles do. What a wall
 * or a solid holds loses the velocity into it. */
PlimStatus drops_move(ParticleLevelSet *set, const GridField *const velocity[3], Vec3 gravity,
                      double rise, double dt);

/* The level set put right by what has escaped: the union of its spheres, of the values around each
 * particle; where liquid and air both claim a value the one nearer to the surface wins. Fills the
 * halo of phi by field_fill_halo. */
PlimStatus particles_correct(ParticleLevelSet *set);

/* Radii from the distance at each centre, the least for what is on the wrong side. What is there
 * beyond `escape` becomes a drop or a bubble, with the liquid's velocity, or ends. Drops in liquid
 * and bubbles in air by more than their radius return within the band, and end beyond it; drops
 * that carry volume as soon as they are in liquid. */
PlimStatus particles_classify(ParticleLevelSet *set, const GridField *const velocity[3]);

/* What is missing or too much in cells (`landed`) with no surface near becomes drops that carry it,
 * with the velocity there. */
PlimStatus drops_take_strays(ParticleLevelSet *set, const GridField *const velocity[3]);

/* Drops that fill a cell by half end, and what they carry is missing there. The level set is
 * lowered, so that there is a surface to take it. *pooled: it was, and its halo is to be filled. */
PlimStatus drops_pool(ParticleLevelSet *set, const GridField *const velocity[3], bool *pooled);

/* Takes away what is more than a cell beyond the band, and of cells with more than twice per_cell
 * those farthest from the surface. Fills cells whose centre is in the band up to per_cell, none in
 * solids, at random places that depend on `seed`, `draw` (a number that the caller never uses
 * twice), the cell and how many it has. Afterwards particles are in the order of their cells, which
 * the other functions are faster for. */
PlimStatus particles_reseed(ParticleLevelSet *set, uint64_t draw);

#endif
