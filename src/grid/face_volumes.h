/* Conservative advection of momentum: finite volumes around the faces across one axis, which move
 * mass and momentum together. What one volume loses another gains, so their sums are kept to
 * rounding; a velocity, momentum over mass, is never outside those around it.
 *
 * A volume reaches half a cell to either side of its face. It may be full in part: a solid covers
 * the rest. On a side that is not periodic it is half a cell thick. */
#ifndef GRID_FACE_VOLUMES_H
#define GRID_FACE_VOLUMES_H

#include "base/scratch.h"
#include "grid/value_set.h"

typedef struct FaceVolumes {
    Grid grid;
    int axis;
    ValueSet set;     /* numbers the volumes; the two layers of a periodic axis are one */
    double *mass;     /* of each, in parts of density times the volume of a cell */
    double *momentum; /* the same times the velocity, m/s */
} FaceVolumes;

/* Without mass and momentum, which the caller sets. */
FaceVolumes face_volumes(const Grid *grid, int axis);

/* How much of a cell the volume of a face is when nothing covers it: 1, or 1/2 on a side. */
double face_volume_size(const FaceVolumes *volumes, const int at[3]);

typedef struct MomentumFlow {
    /* m/s, of the faces across each axis: the part of a face that is open times the velocity there.
     * Where its net outflow of cells is zero, no mass changes. */
    const double *flux[3];
    double dt;
    int parts; /* that dt is cut in: flux dt / spacing should be at most so many */
    /* The velocity, along the volumes' axis, of what comes in through a side that is not periodic,
     * at the volume `at`. NULL: 0. */
    double (*incoming)(const void *user, const FaceVolumes *volumes, int axis, int end,
                       const int at[3]);
    const void *user;
} MomentumFlow;

/* Carries mass and momentum: one axis after the other (Strang 1968), second order where smooth, by
 * van Leer's limited slopes (1977). A volume never gives more than it holds. Same bits for any
 * number of threads. */
PlimStatus face_volumes_carry(FaceVolumes *volumes, const MomentumFlow *flow, int threads,
                              Scratch *scratch);

typedef struct MomentumFit {
    const double *mass;           /* that each volume shall have */
    const unsigned char *is_near; /* volumes whose mass may be another: those beside solids */
    /* m/s, where nothing around a volume has a velocity. */
    double (*fallback)(const void *user, const FaceVolumes *volumes, size_t volume);
    const void *user;
    /* Out, of each: the mass, and the momentum of it, that no volume has room for; negative: what
     * volumes lack. */
    double *handed_mass, *handed;
} MomentumFit;

/* Makes the masses what they shall be. Near solids, what is too much in one volume fills those
 * around it that lack mass, with its velocity; the rest is handed over. Elsewhere a volume keeps
 * its momentum. The sum of momentum and `handed` is kept to rounding. */
PlimStatus face_volumes_fit(FaceVolumes *volumes, const MomentumFit *fit, int threads,
                            Scratch *scratch);

#endif
