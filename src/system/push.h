/* Bodies that a system pushes by a solve of its own, with their motions as columns of its matrix: a
 * liquid whose pressure has bounds (001 section 3.1), deformable solids in contact (002 section
 * 4.5). Such solves are not linear and do not join the one of flow.h. src/couple reads the bodies'
 * masses and velocities from their systems, and takes back what was found. */
#ifndef SYSTEM_PUSH_H
#define SYSTEM_PUSH_H

#include "system/dofs.h"

/* A body that is pushed. Vectors of six as in system/surface.h: the linear part first, the
 * angular part about the body's centre. */
typedef struct PushedBody {
    SurfaceRef ref;
    /* What a unit of impulse makes of its velocities, with pins and locks kept: symmetric, not
     * negative; zero where its system takes no part in the step. */
    double inverse_mass[6][6];
    double mass[6][6]; /* kg, kg m^2: as if nothing held it */
    double
        velocity[6]; /* before the half step, solve or hits, with other forces of the step in it */
    double fall[6];  /* the part of it that gravity made */
    double impulse[6]; /* N s and N m s, in one of them: set by the system that pushes */
    bool is_pushed;    /* the impulse is to be taken */
    double found[6];   /* the velocity with which the solve left it */
    double contact[6]; /* N s and N m s, that others gave it since then, contact before all */
} PushedBody;

typedef struct PushClass {
    /* The bodies it pushes, always in the same order; 0: none, and it solves in its own stages. */
    PushedBody *(*bodies)(void *system, size_t *count);
    /* The impulses of the first half of the step: a liquid expects half those of the last step. */
    PlimStatus (*expect)(void *system, const StepInfo *step);
    /* Those of the whole step. */
    PlimStatus (*solve)(void *system, const StepInfo *step);
    /* At the end of a step: the impulses of particles that hit bodies in it. May be absent. */
    void (*hit)(void *system, const StepInfo *step);
} PushClass;

#endif
