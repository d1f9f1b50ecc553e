/* What the files of the benchmark of fluid-structure interaction share. */
#ifndef BENCH_FSI_BENCH_H
#define BENCH_FSI_BENCH_H

#include "bench/bench.h"
#include "bench/flow_bodies.h"
#include "fluid/internal.h"
#include "plimsoll/scene.h"
#include "solve/coupled/coupled.h"
#include "world/world.h"

/* A disc or ball of an eighth of the box, off the grid, in stirred fluid between walls. */
typedef struct FsiScene {
    int dim, n;
    double stiffness; /* mu dt / (density h^2) */
    double density;   /* of the body, in parts of the fluid's; 0: no body, and the split solver */
    double dt;        /* s, set by fsi_open: half a cell at 1 m/s */
    PlimScene *scene;
    PlimWorld *world;
    FlowProblem last; /* the last solve as it was set up */
} FsiScene;

PlimStatus fsi_open(PlimContext *context, FsiScene *scene);
void fsi_close(FsiScene *scene);

/* One solve taken out of a step, for several methods to do. The problem's arrays are the fluid's,
 * those below are owned. */
typedef struct FsiSolve {
    PlimContext *context;
    Fluid *fluid;
    FlowBody body;    /* before the solve */
    int motion_count; /* of the body, one a row */
    double motion[6][6];
    FlowBodies structure;
    FlowBodyFlux *fluxes;
    size_t flux_count;
    FlowProblem problem;
    size_t faces[2], cells;
    double *start[2], *velocity[2], *pressure;
    /* The unknowns in one list: free faces, then motions. */
    size_t count, free_count;
    size_t *component, *face; /* of each free face, in the compact arrays */
    double *mass;             /* kg, of free faces */
    double *exact;            /* the answer to many digits */
} FsiSolve;

/* The documents' form of the same problem, ties eliminated: rows for cells and dampers. */
PlimStatus fsi_describe(const FsiSolve *solve, Coupled **out);

PlimStatus fsi_compare(const BenchOptions *options);

/* Seconds and bytes of the solves with many bodies beyond those of the empty tank. */
PlimStatus fsi_many(const BenchOptions *options);

#endif
