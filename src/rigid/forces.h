/* Forces on bodies beside gravity, and damping, in the step of 002 sections 4.3 and 4.4.
 *
 * With f(t) for force over mass, the velocity for positions gets the impulse that the place at the
 * end of the step asks for, v^{n+1/2} = v^n + 1/dt int (t^{n+1} - s) f(s) ds, and the velocity the
 * whole, v^{n+1} = v^n + int f(s) ds: both are exact for quartics in time. What turns with a body
 * is taken at the old place in the first part and at the new place in the rest.
 *
 * Damping is solved for exactly, v' = f - d v over the step with the mean of f. */
#ifndef RIGID_FORCES_H
#define RIGID_FORCES_H

#include "rigid/bodies.h"

/* Forces that a description asks for: checked, at t = 0 too; then kept, where there is room for
 * them. */
PlimStatus forces_check(RigidBodies *bodies, const PlimRigidDesc *desc);
void forces_add(RigidBodies *bodies, size_t body, const PlimRigidDesc *desc);

/* At x^n: load_half for this step, and bodies whose forces change are driven. One after another:
 * forces are user code. */
PlimStatus forces_begin_step(RigidBodies *bodies, const StepInfo *step);
/* At x^{n+1}: load_rest. */
void forces_end_move(RigidBodies *bodies);

/* Of one body, velocity in m/s and angular momentum in kg m^2/s: what half a step, or a whole one,
 * adds to them, gravity with it. The rest of a step is for bodies that turn about a pin: their
 * first half is added, and damped, by forces_carry. */
void forces_add_half(const RigidBodies *bodies, size_t i, const StepInfo *step, Vec3 *velocity,
                     Vec3 *momentum);
void forces_add_whole(const RigidBodies *bodies, size_t i, const StepInfo *step, Vec3 *velocity,
                      Vec3 *momentum);
void forces_add_rest(const RigidBodies *bodies, size_t i, const StepInfo *step, Vec3 *velocity,
                     Vec3 *momentum);
void forces_carry(const RigidBodies *bodies, size_t i, const StepInfo *step, Vec3 *velocity,
                  Vec3 *momentum);

/* What gravity and forces have added to v* in a coupled solve over step->dt: velocity and momentum.
 * At the start forces have not acted yet. */
void forces_find_fall(const RigidBodies *bodies, size_t i, const StepInfo *step, SolveWhen when,
                      Vec3 *velocity, Vec3 *momentum);

/* The greatest acceleration of a body at time t by its forces, m/s^2; 0 without any. */
double forces_acceleration(const RigidBodies *bodies, size_t i, double t);
/* Of a body in this step: the acceleration of its loads, m/s^2. */
double forces_load_acceleration(const RigidBodies *bodies, size_t i);
/* What gravity, or the strongest force, does to velocities in a step, m/s: the scale of what is
 * slow, and of rounding. */
double forces_step_speed(const RigidBodies *bodies, const StepInfo *step);

/* Whether forces, beside gravity, act on a partner in contact: they do work on its island. */
static inline bool rigid_has_forces(const RigidBodies *bodies, size_t partner) {
    return partner < rigid_count(bodies) && bodies->extras.data[partner].force_count > 0;
}

#endif
