/* Surface reconstruction around particles that carry a liquid's mass, to look at (001 section 3.5:
 * the method has none of its own). The liquid's density, blurred over a reach of the particles,
 * gives a first level set; passes of bi-Laplacian smoothing then make it fair, while it is held
 * between the spheres of a least and a greatest radius around the particles (Williams 2008). Every
 * particle is in the skin or spray: to be drawn as a drop of its own.
 *
 * All is a continuous function of the particles' positions, so that nothing pops from frame to
 * frame, and the same to the bit for any number of threads. */
#ifndef GRID_PARTICLE_SKIN_H
#define GRID_PARTICLE_SKIN_H

#include "base/scratch.h"
#include "geom/level_set/node_grid.h"
#include "geom/mesh/mesh.h"

typedef struct ParticleSkinDesc {
    int dim;        /* 2 or 3; in two dimensions nodes.n[2] == 1 */
    NodeGrid nodes; /* they cover the domain, 3 or more along each of `dim` axes; liquid that
                       reaches a side is taken to go on beyond it */
    const double *position[3]; /* m; position[2] may be NULL in two dimensions */
    size_t count;
    double spacing; /* m, of the particles where the liquid is full: one has spacing^dim of it */
    double radius;  /* of a particle, in spacings: the surface is between 0.3 and 1.5 of them away
                       from the nearest where the liquid is full */
    int smoothing;  /* passes */
    /* m, to obstacles, positive outside; NULL: there are none. In them the skin goes on to `depth`
     * (m), as if the liquid did. */
    double (*distance)(const void *user, Vec3 x);
    double depth;
    Vec3 (*velocity)(const void *user, size_t particle); /* m/s; NULL: 0 */
    const void *user;
    int threads;
} ParticleSkinDesc;

/* No particles and no nodes; radius 1, 8 passes, 1 thread. */
ParticleSkinDesc particle_skin_desc_default(void);

typedef struct ParticleSkin {
    double *level;           /* m, at the nodes, negative in the liquid; a distance near it */
    unsigned char *is_spray; /* of each particle */
    size_t spray_count;
    /* The nodes near the surface, in their order, and what flows there: sums of weights and of
     * weighted velocities. */
    int32_t *slot; /* of each node among them, -1: none */
    size_t slot_count;
    float (*flow)[4];
} ParticleSkin;

/* Everything in `out` is in scratch memory. Up to 2^31 - 1 particles and nodes, else
 * PLIM_BAD_INPUT. */
PlimStatus particle_skin_create(const ParticleSkinDesc *desc, Scratch *scratch, ParticleSkin *out);

/* The skin as a closed mesh of three dimensions (mesh_free), and 3 velocities a vertex (m/s) in
 * scratch memory. */
PlimStatus particle_skin_mesh(const ParticleSkinDesc *desc, const ParticleSkin *skin,
                              PlimContext *context, Scratch *scratch, TriangleMesh *mesh,
                              float **velocities);

/* Level at a point, m. */
double particle_skin_level(const ParticleSkinDesc *desc, const ParticleSkin *skin, Vec3 x);

#endif
