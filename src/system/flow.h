/* What a fluid looks like to those that solve it together with solids: its own part of the coupled
 * problem (002 chapter 5), the surfaces in it, and the faces that they close. */
#ifndef SYSTEM_FLOW_H
#define SYSTEM_FLOW_H

#include "solve/coupled/coupled_flow.h"
#include "system/dofs.h"

/* A surface in the fluid, and what the solve found of it. */
typedef struct FlowSurface {
    SurfaceRef ref;     /* without class: the fluid's own obstacles at rest */
    bool is_solved_for; /* its velocities are unknown; else they are those of `now` */
    Collider now;       /* by whole periods in the domain; velocities: the first guess */
    Vec3 position;      /* of it in the world */
    Vec3 through;       /* m/s, the fluid at its surface moves at beyond the velocity there */
    /* Known forces at the centre, N and N m: those that carry weight and are left out of the
     * pressure, and the hydrostatic correction. */
    Vec3 force, torque;
    double displaced; /* kg of fluid in its place */

    /* Found, of those that were solved for; vectors of six as in system/surface.h. */
    double before[6], velocity[6]; /* v* and v */
    double gain[6];                /* of its own momentum over v*, kg m/s and kg m^2/s */
    bool is_held;                  /* by rows or dampers: others than the fluid act on it */
    double impulse[6];             /* of all surfaces: what the fluid gave in dt, N s and N m s */
} FlowSurface;

/* A face that a surface closes in part, or that moves with it. */
typedef struct FlowFace {
    int axis, at[3];
    bool is_film;      /* of a film: what passes it leaves the cell `at`; the face is elsewhere */
    FlowAnchor anchor; /* the surface nearest to its middle: its number, its centre from there */
    Vec3 x;            /* m, the face's middle */
    double closed;     /* m^2 that the surface pushes fluid with; 0: none; of films with a sign */
    Vec3 middle;       /* m, of the closed part */
    double mass;       /* kg of fluid in its open part that moves with the surface */
    double velocity;   /* m/s, of that fluid before the solve; at the start it has one of its own */
} FlowFace;

typedef struct FlowOffer {
    StepInfo step;       /* of this solve: dt is half a step's at the half step */
    FlowProblem problem; /* without structure and what its functions need */
    double *velocity[3], *pressure;
    CoupledFlow *solver;
    double speed; /* m/s, the greatest of the fluid */
    FlowSurface *surfaces;
    size_t surface_count;
    const FlowFace *faces;
    size_t face_count;
    /* The surface nearest to x; there is one. */
    FlowAnchor (*nearest)(const void *system, Vec3 x);
    const void *system;
    /* Along an axis a pressure that is left out carries the fluid's weight. */
    bool carries_weight[3];
    double viscosity; /* Pa s */
    double roughness; /* of surfaces, over their radius: films get no thinner; 0: no lubrication */
    /* The fluid in faces that surfaces cover comes with its own velocity, not with theirs. */
    bool keeps_momentum;
} FlowOffer;

/* A free body that moves with the fluid and does not act on it. */
typedef struct FlowCarried {
    SurfaceRef ref;
    bool is_here; /* in this fluid's room */
    Vec3 velocity, angular_velocity;
} FlowCarried;

typedef struct FlowClass {
    /* Whether it is solved together with solids now. */
    bool (*wants)(const void *system, const StepInfo *step, SolveWhen when);
    PlimStatus (*begin)(void *system, const StepInfo *step, SolveWhen when, FlowOffer *offer);
    /* After a solve that converged; the offer holds what was found. */
    PlimStatus (*end)(void *system, const StepInfo *step, SolveWhen when, const FlowOffer *offer,
                      const FlowResult *result);
    /* The surface of this number among those that it solves for; false: there are no more. */
    bool (*solved_surface)(const void *system, size_t number, SurfaceRef *out);
    /* The carried body of this number; false: there are no more. */
    bool (*carry)(const void *system, size_t number, FlowCarried *out);
} FlowClass;

#endif
