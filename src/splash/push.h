/* What a splashing liquid exerts on solids: bodies that it pushes, forces on bodies and walls. */
#ifndef SPLASH_PUSH_H
#define SPLASH_PUSH_H

#include "base/array.h"
#include "solve/pressure/poisson_bounded.h"
#include "splash/splash.h"
#include "system/push.h"

/* A face that a body covers in part, blurred as everything is (001 section 3.3). */
typedef struct SolidFace {
    int axis;
    size_t face, low, high; /* numbers in the padded grid: of it, of the cells beside it */
    Vec3 x;                 /* m, its middle */
    double covered;         /* 0 to 1, by this body alone */
} SolidFace;

/* N and N m, or times s; about a body's centre, of obstacles about the origin. */
typedef struct PressedSolid {
    Vec3 force, torque;
} PressedSolid;

static inline void pressed_add(Vec3 force, Vec3 arm, PressedSolid *sum) {
    sum->force = vec3_add(sum->force, force);
    sum->torque = vec3_add(sum->torque, vec3_cross(arm, force));
}

typedef struct SplashSolid {
    ARRAY(SolidFace) faces; /* of a body */
    size_t pushed;          /* which of the bodies that are pushed; SIZE_MAX: none */
    Vec3 force, torque;     /* of the last step, all together */
    PressedSolid pressed;   /* forces in this step: by pressure and friction */
    PressedSolid hit;       /* impulses in this step: by particles that hit it or are held up */
    PressedSolid friction;  /* impulses in this step: by viscosity */
    double hit_square;      /* sum of mass times velocity lost squared */
} SplashSolid;

typedef struct SplashPush {
    ARRAY(SplashSolid) solids;   /* of each collider */
    ARRAY(PushedBody) bodies;    /* those that act on the liquid and it on them */
    ARRAY(size_t) collider;      /* of each of the bodies */
    ARRAY(BoundedEntry) rows;    /* H of them: m^2 that a motion pushes out of a cell */
    ARRAY(BoundedEntry) columns; /* C */
    /* State, six of each body, of the last step: forces on it by the liquid, and by others after
     * the solve, N and N m. */
    double *load, *contact;
    /* N s, that walls took of the velocities of faces in them and of particles that hit them. */
    double stopped[3][2], hit[3][2];
    Vec3 friction[3][2];   /* N s, that they took by viscosity */
    Vec3 side_force[3][2]; /* N, of the last step */
} SplashPush;

static inline bool splash_pushes(const SplashPush *push) {
    return push->bodies.count > 0;
}

/* ---- solid_faces.c ---- */

/* Finds the faces of bodies; those that did not move keep theirs, unless `fresh`. */
PlimStatus splash_find_solid_faces(Splash *splash, const StepInfo *step, bool fresh);
/* The part of a face that a solid takes of the pressure on it: what it covers, and all of it where
 * nothing else is in the face. */
double splash_solid_share(const Splash *splash, const SolidFace *face);

/* ---- push_rows.c: H ---- */

/* Sets rows to H, over fluid cells, by `weight` and `kind`. */
PlimStatus splash_find_push_rows(Splash *splash, const StepInfo *step);
/* out += density H v, kg/s that the bodies' motion `v` (six each) pushes out of cells. */
void splash_push_out(const Splash *splash, const double *v, double *out);
/* impulse = H^T P of each body, six each. */
void splash_push_impulses(const Splash *splash, const double *pressure, double *impulse);
/* Velocities of bodies for the solve: those they came with, and what contact is expected to make of
 * them when the liquid pushes them as in the last step. */
void splash_push_expect_contact(Splash *splash, double dt);
/* v = v* + N impulse. */
void splash_push_velocities(const Splash *splash, const double *impulse, double *v);
/* Makes C of H: C C^T = scale H N H^T. */
PlimStatus splash_push_columns(Splash *splash, double scale, BoundedColumns *out);

/* ---- push.c ---- */

extern const PushClass splash_push_class;

PlimStatus splash_create_push(Splash *splash, const SplashDesc *desc);
void splash_free_push(Splash *splash);
/* Reads the velocities that contact left to the bodies, for particles that hit them. */
void splash_read_pushed(Splash *splash);

/* ---- loads.c ---- */

/* What torques are about. */
Vec3 splash_solid_center(const Splash *splash, size_t collider);
/* Before the solves of a step: nothing was taken yet. */
void splash_clear_loads(Splash *splash);
/* Whether there are obstacles, or bodies that are not pushed. */
bool splash_has_held(const Splash *splash);
/* What viscosity took at x, N s, for a side (2 axis + end) or what is nearest to x of obstacles and
 * bodies that are not pushed (VISCOSITY_OBSTACLE). */
void splash_add_friction(Splash *splash, int wall, Vec3 x, Vec3 impulse);
/* After the pressure solve: its forces on all solids and sides. */
PlimStatus splash_find_loads(Splash *splash, const StepInfo *step);
/* An impulse that the density correction took from particles goes to what they were pushed away
 * from: y over all cells is what moved them. */
PlimStatus splash_share_impulse(Splash *splash, const StepInfo *step, const double *y,
                                Vec3 impulse);
/* At the end of the step: the forces of all of it. */
void splash_finish_loads(Splash *splash, const StepInfo *step);

/* ---- hits.c ---- */

/* Particles that hit something in a step: what, and the velocity they lost. */
typedef struct SplashHits {
    int32_t *target; /* of each particle: a collider; -1: none */
    double *lost;    /* m/s, three each */
} SplashHits;

PlimStatus splash_take_hits(const Splash *splash, const StepInfo *step, SplashHits *hits);
/* Adds up what solids got. A body that gives way does not stop particles wholly: they go on with
 * what it takes over. */
PlimStatus splash_finish_hits(Splash *splash, const StepInfo *step, const SplashHits *hits);

#endif
