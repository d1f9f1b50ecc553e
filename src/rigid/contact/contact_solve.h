/* Contact solvers: what sweeps and conjugate gradients share. */
#ifndef RIGID_CONTACT_SOLVE_H
#define RIGID_CONTACT_SOLVE_H

#include "rigid/contact/contact_stages.h"

/* What an iteration of contact_cg.c reads and writes of a point that is held, side by side. */
typedef struct CgPoint {
    ContactRow *row;
    SolverBody *a, *b;
    Vec3 arm_a, arm_b, normal;
    Mat3 response, inverse;
    double normal_response;
    bool sticks;
    Vec3 residual, preconditioned; /* m/s; N s */
    Vec3 direction, step;          /* N s */
    Vec3 answer;                   /* m/s, what the direction does to all held points, here */
} CgPoint;

typedef struct ContactSolve {
    RigidContacts *contacts;
    const PlimRigidOptions *options;
    ContactPass pass;
    double dt;
    double slow;     /* m/s: of bodies that may be at rest */
    double rest;     /* m/s: changes of velocity below this are rounding */
    CgPoint *points; /* room for one a row, those of an island from its `first_row` on */
} ContactSolve;

/* The least velocity along the normal that is allowed: in the pass for positions bodies may come
 * as near as to touch. */
static inline double contact_least_velocity(const ContactSolve *solve, const ContactRow *row) {
    if (solve->pass == CONTACT_VELOCITIES || row->gap <= 0.0) return 0.0;
    return -row->gap / solve->dt;
}

/* Bodies that have room left at the end of the step are not in contact yet. */
static inline bool contact_is_active(const ContactSolve *solve, ContactRow *row, double approach) {
    if (solve->pass == CONTACT_POSITIONS) return true;
    if (row->bounces) return false;
    if (row->gap + solve->dt * approach < 0.0) row->active = true;
    return row->active;
}

/* In share_load.c: of few points, some of which slide, the normal impulses that are least among
 * those that do the same to the bodies. True: they changed, and friction with them. */
bool contacts_share_load(const ContactSolve *solve, const ContactIsland *island);

/* In contact_cg.c: all points of an island at once. Guesses that whatever touches sticks, solves
 * for that, and changes the guess by what came out, at most `rounds` times; true when there was
 * nothing left to change. */
bool contacts_guess_cg(const ContactSolve *solve, const ContactIsland *island, size_t rounds);
/* The same once, with each point held as the last sweep left it. */
void contacts_solve_cg(const ContactSolve *solve, const ContactIsland *island);
/* Impulses and velocities of an island, to go back to. */
void contacts_save(const ContactSolve *solve, const ContactIsland *island);
void contacts_restore(const ContactSolve *solve, const ContactIsland *island);
/* No impulses, and the velocities before them. */
void contacts_clear(const ContactSolve *solve, const ContactIsland *island);

#endif
