/* Free rigid bodies as unknowns of the solves of deformable solids (002 sections 4.4, 4.5), and
 * what they get of contact. */
#ifndef DEFORM_PUSHED_H
#define DEFORM_PUSHED_H

#include "deform/deform.h"
#include "solve/krylov/krylov.h"
#include "system/push.h"

/* A free rigid body: six velocities of the solve (pushed.c), the linear part first. The angular
 * part counts as its product with `length`, so that all are m/s and impulses are N s. */
typedef struct DeformPushed {
    size_t collider;
    double length;     /* m, radius of gyration */
    double mass[6][6]; /* kg, as if nothing held it */
    double root[6][6]; /* L: its inverse mass with pins and locks is L L^T */
    double start[6], aimed[6], kept[6], next[6]; /* m/s: before the solve; that contact was found
                                              with; of the last Newton step; that is tried */
    double support[6];         /* m/s^2, 1/s^2: what others do to it, as far as that is known */
    double expected[6];        /* m/s: of that, what comes before bodies move */
    double given[6];           /* N s: by contact, over the whole step */
    double limited[6];         /* N s: of limits of strain, in it */
    double rubbed[6], left[6]; /* N s: of friction; what is left over */
    double answer[6][6];       /* 1/kg, of the preconditioner */
    bool moves, is_touched;
} DeformPushed;

/* ---- pushed.c: free rigid bodies in the solves ---- */

PlimStatus pushed_make(Deform *d);
void pushed_free(Deform *d);
/* Velocities and masses as src/couple handed them over. */
void pushed_load(Deform *d);
/* Velocities before a solve over h of a step of dt; at rest, for contact to begin. */
void pushed_begin(Deform *d, double h, double dt);
/* How many velocities they add to the solve. */
size_t pushed_count(const Deform *d);
/* (M + stiffness)^-1 with what holds the body kept; what of an impulse is not held. */
void pushed_answer(DeformPushed *body, double stiffness[6][6], double answer[6][6]);
void pushed_keep_free(DeformPushed *body, double impulse[6]);
/* An impulse before the solve. */
void pushed_move(DeformPushed *body, const double impulse[6]);
/* J V and its transpose. */
Vec3 pushed_velocity(const double v[6], Vec3 arm);
void pushed_add_impulse(double impulse[6], Vec3 arm, Vec3 part);
/* What a contact makes the node follow: D (J V), D the projector of what it takes, dim x dim; those
 * of the node before it get less. */
void pushed_follow(Deform *d, size_t contact, const double *taken);
/* What nothing touches any more is as fast as before the solve. */
void pushed_let_go(Deform *d);
/* Their part of the potential, after the nodes' residuals; adds squares of what is left and of
 * impulses. */
double pushed_residual(Deform *d, const double *residual, double *left, double *parts);
void pushed_set_right(Deform *d, double *right, double *change);
/* Adds what nodes do because of bodies to a change of velocities. */
void pushed_add_follow(const Deform *d, const double *bodies, double *nodes);
/* next = kept + part change; keeps next. */
void pushed_set_next(Deform *d, const double *change, double part);
void pushed_keep(Deform *d);
/* Nodes in the limits of strain: whether one body touches both; how a body answers along n; an
 * impulse on a node, of what the body holds of it. */
bool pushed_share(const Deform *d, size_t a, size_t b);
double pushed_give(const Deform *d, size_t node, Vec3 n);
void pushed_take_impulse(Deform *d, size_t node, Vec3 impulse, double *v);
/* The matrix with bodies, and its preconditioner; memory is of the scratch. */
typedef struct PushedMap {
    const Deform *d;
    double *velocity, *impulse; /* packed: dim a node */
    Preconditioner nodes;
} PushedMap;
void pushed_prepare(Deform *d);
LinearMap pushed_map(PushedMap *map);
Preconditioner pushed_preconditioner(PushedMap *map);

/* ---- push.c: what contact does to free rigid bodies in a step ---- */

extern const PushClass deform_push;
/* Velocities at the end of a step of the midpoint rule: nodes and the body stop each other. */
void push_stop(Deform *d, size_t pushed);

#endif
