/* Semi-Lagrangian traces of many values at once, for advect.c: the values of a row in blocks, each
 * step of the path for the whole block. Positions are in cells from the first value of the place
 * that is carried, so a value's own position is its integer index and nothing moves where the
 * velocity is zero. */
#ifndef GRID_ADVECT_TRACE_H
#define GRID_ADVECT_TRACE_H

#include "grid/advect.h"
#include "grid/lattice.h"

/* Values in a block: its arrays stay in the first two caches. */
enum { TRACE_BLOCK = 160 };

/* A field as the traces read it. */
typedef struct Lattice {
    const double *first; /* value (0, 0, 0) */
    ptrdiff_t stride[3];
    double shift[3]; /* turns a trace's position into an index: -0.5, 0 or 0.5 */
} Lattice;

typedef struct TracePlan {
    int dim, order;
    double spacing;   /* m */
    double per_speed; /* cells for 1 m/s: dt over the spacing */
    double period[3]; /* cells; 0: not periodic */
    double low[3];    /* the sides: least and greatest position, where not periodic */
    double high[3];
    Lattice velocity[3]; /* `dim` of them */
    Lattice distance;    /* first == NULL: no solids */
} TracePlan;

/* Where positions lie among the values of a lattice, along one axis. */
typedef struct TraceSplit {
    int base[TRACE_BLOCK];        /* the value below */
    double fraction[TRACE_BLOCK]; /* of the way to the next, 0..1 */
} TraceSplit;

typedef struct TraceBlock {
    int count;
    double start[3];                 /* of the first; the others follow along x, one cell apart */
    double velocity[3][TRACE_BLOCK]; /* m/s, at the start */
    double distance[TRACE_BLOCK];    /* m, of the start from solids, where there are any */
    double end[3][TRACE_BLOCK];
    double length[TRACE_BLOCK]; /* cells, of the way from start to end; not less */
    int near[TRACE_BLOCK];      /* those that may end in or beside a solid */
    int near_count;
} TraceBlock;

/* For values whose first lies `shift` cells from the domain's lowest corner along each axis. */
TracePlan trace_plan(const Advection *advection, const double shift[3]);

/* Sets start and velocity for the values (first[0] + i, first[1], first[2]), i < count. */
void trace_start_row(const TracePlan *plan, const int first[3], int count, TraceBlock *block);

/* From the start for dt against (direction -1) or along (1) the velocity: sets end, and moves it
 * out of solids. */
void trace_run(const TracePlan *plan, double direction, TraceBlock *block);

/* Into the domain: clamped to the sides, or wrapped. What is not a number becomes a number. */
double trace_confine(const TracePlan *plan, int axis, double at);

void trace_split(const double *restrict at, double shift, int count, TraceSplit *restrict split);

/* A field at positions within the domain, split along each axis by its own shifts. */
void trace_sample(const Lattice *from, int dim, const TraceSplit *const at[3], int count,
                  double *restrict out);

/* The velocity at positions within the domain; `from` are its `dim` components. */
void trace_velocity(const Lattice *from, int dim, double (*const at)[TRACE_BLOCK], int count,
                    double (*velocity)[TRACE_BLOCK]);

/* ---- solids: advect_solid.c ---- */

/* Moves ends out of solids and lists those near one. */
void trace_leave_solids(const TracePlan *plan, TraceBlock *block);

/* Of the values around a point with the given base: bit c is set when corner c (x + 2 y + 4 z) is
 * in a solid. */
unsigned trace_solid_corners(const TracePlan *plan, const int base[3]);

#endif
