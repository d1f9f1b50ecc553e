/* The stages of contact, in the order of the step; each is one file or two. */
#ifndef RIGID_CONTACT_STAGES_H
#define RIGID_CONTACT_STAGES_H

#include "rigid/bodies.h"

/* Which velocities the solver bodies carry. */
typedef enum SolverBodyWhen {
    SOLVER_BODIES_START, /* v^n, and what forces add to it until v~^{n+1/2} */
    SOLVER_BODIES_HALF,  /* v^{n+1/2}, from which positions follow */
    SOLVER_BODIES_WHOLE  /* v^{n+1} */
} SolverBodyWhen;

/* In solver_bodies.c. Bodies on prescribed paths move at the mean velocity of the step, but for
 * SOLVER_BODIES_WHOLE, which is their velocity at its end. */
PlimStatus solver_bodies_load(RigidBodies *bodies, const StepInfo *step, SolverBodyWhen when);
/* The velocities of those that impulses touched; SOLVER_BODIES_START changes v^n and v^{n+1/2}
 * alike. */
void solver_bodies_store(RigidBodies *bodies, SolverBodyWhen when);

/* In detect.c: the box around a body. */
Box3 rigid_box(const RigidBodies *bodies, size_t i);
/* Pairs and rows for the places of the moment. */
PlimStatus contacts_detect(RigidBodies *bodies, const StepInfo *step);
/* Rows anew for solver bodies that were loaded again. */
void contacts_prepare(RigidBodies *bodies);
/* The same, and the guess of each stays. */
void contacts_renew(RigidBodies *bodies);
/* How rows respond, after figures were held. */
void contacts_renew_responses(RigidBodies *bodies);
/* In seeded order, another each step: a permutation of 0..count-1. */
void contacts_shuffle(const RigidBodies *bodies, const StepInfo *step, int32_t *order,
                      size_t count);
/* Names bodies that overlap at the start of a run. */
void contacts_tell_overlaps(const RigidBodies *bodies);

/* In collisions.c: 000 section 2.6. */
PlimStatus contacts_collide(RigidBodies *bodies, const StepInfo *step);
/* Marks the points of the velocity pass at which bodies that bounce off each other meet again. */
void contacts_leave_bounces(RigidBodies *bodies, const StepInfo *step);

/* In contact_graph.c: levels of bodies and pairs, islands (000 section 2.8.1). The solver bodies
 * hold v^n and what forces add to it. */
PlimStatus contacts_build_graph(RigidBodies *bodies, const StepInfo *step);
/* Islands of the pairs that are in contact. */
PlimStatus contacts_build_islands(RigidBodies *bodies, const StepInfo *step);

/* In contact_solve.c: impulses between all that touch (000 sections 2.8, 2.8.2, 2.9). */
typedef enum ContactPass { CONTACT_POSITIONS, CONTACT_VELOCITIES } ContactPass;
PlimStatus contacts_solve(RigidBodies *bodies, const StepInfo *step, ContactPass pass);

/* In push_out.c: overlaps out of positions (002 section 4.6.1, appendix B). */
PlimStatus contacts_push_out(RigidBodies *bodies, const StepInfo *step);

/* In warm_start.c: what the points that are there carried in the last step, and of this one. */
void contacts_warm_start(RigidBodies *bodies);
PlimStatus contacts_keep_forces(RigidBodies *bodies, const StepInfo *step);

/* In turning.c: points that move about on their bodies, to second order. Points and velocities of
 * the start of the step, */
PlimStatus contacts_remember_points(RigidBodies *bodies);
/* what the last step says of the half of this one, */
void contacts_turn_half(RigidBodies *bodies, const StepInfo *step);
/* and arms, normals and wanted velocities of the middle of the step. */
void contacts_turn_whole(RigidBodies *bodies);
/* Whether one of an island's points moves about. */
bool contacts_island_turns(const RigidContacts *contacts, const ContactIsland *island);

/* In clamping.c: where bodies are and how fast, before the step. */
PlimStatus contacts_remember(RigidBodies *bodies);
/* What the move changed of their potential energy. */
void contacts_measure_fall(RigidBodies *bodies, const StepInfo *step);
/* The impulses of the last solve as large as the kinetic energy of each island allows; of islands
 * that touch no ground alone, or of all. */
PlimStatus contacts_clamp(RigidBodies *bodies, const StepInfo *step, bool afloat_only);
/* Nothing presses bodies together that touch no ground: their contact is a collision, and changes
 * v^n too. Were positions alone to move with it, angular momentum would not be kept. */
void contacts_keep_afloat(RigidBodies *bodies);
/* Kinetic energy that islands gained from nowhere is taken away. */
PlimStatus contacts_limit_energy(RigidBodies *bodies, const StepInfo *step);
/* In sleep.c: islands that move by no more than rounding stand still; `half`: the velocity for
 * positions. */
PlimStatus contacts_stop(RigidBodies *bodies, const StepInfo *step, bool half);
PlimStatus contacts_fall_asleep(RigidBodies *bodies, const StepInfo *step);
/* Wakes what is touched, and marks it; true when there was something. */
bool contacts_wake(RigidBodies *bodies, const StepInfo *step, bool *woken);
/* Wakes sleepers that collisions reached in the same step. */
void contacts_wake_struck(RigidBodies *bodies, const StepInfo *step);

/* In tunnelling.c: pairs near at the start of the step that passed through one another in it. */
void contacts_count_tunnelled(RigidBodies *bodies);
/* The same of pairs that a load pressed through one another; they know their gap before. */
void contacts_count_pressed_through(RigidBodies *bodies);

/* In contact_stages.c. */
bool rigid_contact_is_on(const RigidBodies *bodies);
PlimStatus rigid_collide(void *system, const StepInfo *step);
PlimStatus rigid_contact(void *system, const StepInfo *step);
PlimStatus rigid_separate(RigidBodies *bodies, const StepInfo *step); /* after the move */
PlimStatus rigid_contact_velocities(RigidBodies *bodies, const StepInfo *step);

/* In step_limit.c. The torque that turning makes of a force at an arm that keeps its direction, and
 * the greatest eigenvalue of that over the inertia of a body, 1/s^2. */
void load_add_stiffness(Mat3 *sum, Vec3 arm, Vec3 force);
double load_greatest_swing(const RigidBodies *bodies, size_t i, Mat3 stiffness);
double rigid_max_dt(const void *system, const StepInfo *step);

#endif
