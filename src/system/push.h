/* Bodies in a liquid whose pressure has bounds (001 section 3.1). Such a pressure is not a linear
 * solve and does not join the one of flow.h: the liquid solves for it by itself, with what gives
 * way to it, the motions of bodies, as columns of its matrix. src/couple reads the bodies' masses
 * and velocities from their systems, and takes back what was found. */
#ifndef SYSTEM_PUSH_H
#define SYSTEM_PUSH_H

#include "system/dofs.h"

/* A body that the liquid pushes. Vectors of six as in system/surface.h: the linear part first, the
 * angular part about the body's centre. */
typedef struct PushedBody {
    SurfaceRef ref;
    /* What a unit of impulse makes of its velocities, with pins and locks kept: symmetric, not
     * negative; zero where its system takes no part in the step. */
    double inverse_mass[6][6];
    double
        velocity[6]; /* before the half step, solve or hits, with other forces of the step in it */
    double impulse[6]; /* N s and N m s, from the liquid in one of them: set by it */
    bool is_pushed;    /* the impulse is to be taken */
    double found[6];   /* the velocity with which the solve left it */
    double contact[6]; /* N s and N m s, that others gave it since then, contact before all */
} PushedBody;

typedef struct PushClass {
    /* The bodies it pushes, always in the same order; 0: none, and it solves by itself. */
    PushedBody *(*bodies)(void *system, size_t *count);
    /* Sets the impulses expected in the first half of the step: those of the last step, half. */
    void (*expect)(void *system, const StepInfo *step);
    /* The pressure of the whole step. */
    PlimStatus (*solve)(void *system, const StepInfo *step);
    /* At the end of a step: the impulses of particles that hit bodies in it. */
    void (*hit)(void *system, const StepInfo *step);
} PushClass;

#endif
