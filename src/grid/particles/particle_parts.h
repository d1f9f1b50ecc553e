/* The particle level set's own parts: places of many particles among the values of a field, blocks
 * of samples, and coming and going. Positions are in cells from the domain's lowest corner. */
#ifndef GRID_PARTICLE_PARTS_H
#define GRID_PARTICLE_PARTS_H

#include "grid/advect_trace.h"
#include "grid/particles/particle_level_set.h"

/* Particles in a range of a parallel loop. */
enum { PARTICLE_GRAIN = 16 * TRACE_BLOCK };

typedef struct ParticlePlan {
    int dim;
    double spacing;   /* m */
    double origin[3]; /* m */
    double size[3];   /* m, of the domain */
    double cells[3];
    SideKind sides[3][2];
    Lattice phi, solid, velocity[3]; /* first == NULL: not there */
} ParticlePlan;

/* velocity == NULL: not needed. */
ParticlePlan particle_plan(const ParticleLevelSet *set, const GridField *const velocity[3]);

/* Positions of `count` <= TRACE_BLOCK particles, in the domain: what is beyond a side is put on it,
 * or wrapped. */
void particle_places(const ParticlePlan *plan, const double *position, int count,
                     double (*at)[TRACE_BLOCK]);

/* Into the domain. */
void particle_confine(const ParticlePlan *plan, int count, double (*at)[TRACE_BLOCK]);

/* A field at positions in the domain; for the velocity there is trace_velocity. */
void particle_sample(const Lattice *from, int dim, double (*const at)[TRACE_BLOCK], int count,
                     double *restrict out);

/* One point (m) in the domain; per m the gradient of the linear interpolation, unless NULL. */
double particle_sample_one(const ParticlePlan *plan, const Lattice *from, Vec3 point,
                           Vec3 *gradient);

/* A point (m) brought into the domain: periodic axes wrap, walls hold it; false: it is beyond a
 * side that lets things pass, or not a number. `held`: bit a is set when a wall across axis a held
 * it. */
bool particle_stay_inside(const ParticlePlan *plan, Vec3 *point, unsigned *held);

/* Moves a point (m) that is nearer to a solid than `distance` away from it, along the normal, which
 * is set. False: it is too deep within. */
bool particle_leave_solid(const ParticlePlan *plan, double distance, Vec3 *point, Vec3 *normal);

/* The same of what came from another place: it slides along walls that part the two, and stays on
 * its side. False: there is no room on that side. */
bool particle_keep_side(const ParticleLevelSet *set, const ParticlePlan *plan, Vec3 from,
                        double distance, Vec3 *point, Vec3 *normal);

/* Whether a wall is between two places, the first of which is outside solids. */
bool particle_is_parted(const ParticleLevelSet *set, const ParticlePlan *plan, Vec3 from, Vec3 to);

/* ---- coming and going ---- */

/* Marks of particles: 0, or a fate plus one for what goes. */
static inline unsigned char particle_goes(ParticleFate fate) {
    return (unsigned char)(fate + 1);
}

/* `count` marks, all zero; NULL when memory is out. */
unsigned char *particle_marks(Scratch *scratch, size_t count);

/* The next one at or after `from` whose mark is not zero; count when there is none. */
size_t particle_next_marked(const unsigned char *marks, size_t from, size_t count);

/* Takes away what is marked; the others keep their order. Each is counted in `tally`. */
PlimStatus particle_take_away(LevelParticles *particles, const unsigned char *marks,
                              uint64_t *tally);

/* The cell of a place (m), or the one nearest to it. */
size_t particle_cell(const ParticleLevelSet *set, const ParticlePlan *plan, const double *position);

/* Gives the volume of drops that are marked to where they are, and their momentum. */
void particle_land(const ParticleLevelSet *set, const ParticlePlan *plan,
                   const unsigned char *marks);

/* Appends copies of those of `from` with the given mark; new ones have no velocity, nor volume. */
PlimStatus particle_append_marked(LevelParticles *to, const LevelParticles *from,
                                  const unsigned char *marks, unsigned char mark);

/* Radius of a particle whose distance from the surface on its own side is `inside` (m). */
static inline double particle_radius(const ParticleOptions *options, double spacing,
                                     double inside) {
    double least = options->least * spacing, most = options->most * spacing;
    return inside > least ? (inside < most ? inside : most) : least;
}

#endif
