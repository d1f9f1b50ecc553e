/* Advection: values carried along a velocity field for a time, by semi-Lagrangian traces (000
 * section 4.4.2) or by MacCormack's correction of them (Selle, Fedkiw, Kim, Liu, Rossignac 2008).
 *
 * All values at one place (cells, faces of an axis, nodes) share their traces. A trace starts at
 * the value's position, runs back through the velocities for dt, and stays in the domain: what
 * leaves it through a side that is not periodic is clamped to the side. Interpolation is linear.
 *
 * Solids: a trace that ends in one is moved out along the distance's gradient. Unless the caller
 * says that values go on into solids, those in solids have no share in what is outside, whatever
 * they are, and beside a solid both schemes are of first order. A value in a solid becomes what is
 * outside nearby; one that is enclosed by solids stays.
 * Velocities in solids are read like any others, so they should continue those outside. */
#ifndef GRID_ADVECT_H
#define GRID_ADVECT_H

#include "base/scratch.h"
#include "grid/field.h"

typedef enum AdvectionScheme {
    ADVECT_SEMI_LAGRANGIAN, /* first order, never outside the values it started from, but for
                               rounding; what is not negative stays so */
    ADVECT_MACCORMACK       /* second order where smooth; clamped to the values around the trace's
                               end, so never outside the values it started from */
} AdvectionScheme;

/* Beyond each end of every field below. Traces are clamped to the domain, so a stencil of linear
 * interpolation reads one value beyond the ends. */
enum { ADVECT_HALO = 1 };

/* In place of an order: what is at x_o moves with the velocity that is at x_o for all of dt. Paths
 * forward are then straight lines, and paths back the inverse of those, to third order in dt. */
enum { ADVECT_FROM_START = 0 };

typedef struct Advection {
    AdvectionScheme scheme;
    int trace_order; /* of the path in time: 1, 2 (midpoint) or 3 (Ralston), or ADVECT_FROM_START */
    double dt;       /* s, not negative; 0 changes no bit of anything */
    /* What carries, m/s: faces across each axis, or `dim` fields on nodes; halos filled. The third
     * is not read in two dimensions. */
    const GridField *velocity[3];
    /* m, at cells or nodes, negative in solids, halo filled; outside never more than the distance
     * from the nearest solid, periodic images included. NULL: there are none. */
    const GridField *distance;
    /* Values go on into solids in a way that makes sense there. Else values in solids are never
     * read, and beside solids all is first order. */
    bool goes_on;
    /* Fills the halo of a field at the place of values[which] that holds such values: the
     * half-finished result of MacCormack needs one, too. NULL: field_fill_halo_constant. */
    void (*fill_halo)(const void *user, size_t which, GridField *field, int threads);
    const void *user;
} Advection;

/* Carries `count` fields at one place and with the same halo, filled on entry; their interior is
 * replaced, halos are filled again. What carries is read until the end: a velocity that carries
 * itself and others is carried as a copy. The last layers of periodic axes stay bit for bit those
 * of the first. Same bits for any number of threads. PLIM_BAD_INPUT for 2^31 values or more. */
PlimStatus advect_fields(const Advection *advection, GridField *const *values, size_t count,
                         int threads, Scratch *scratch);

/* Where the value that is at x now was dt ago; in the domain, also on periodic axes. */
Vec3 advect_trace(const Advection *advection, Vec3 x);

#endif
