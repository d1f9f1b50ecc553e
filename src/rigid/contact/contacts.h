/* The contacts of one step: pairs of bodies that may meet, the points where, and the bodies as
 * impulses see them (000 sections 2.6 to 2.8). Nothing here outlives a step but the memory. */
#ifndef RIGID_CONTACTS_H
#define RIGID_CONTACTS_H

#include "base/array.h"
#include "collide/broad.h"
#include "math/quat.h"

#include <stddef.h>

typedef struct SolverBody SolverBody;

/* Bodies of a figure that touch others, and how all of them move when one is pushed while joints
 * hold: M^-1 - M^-1 D^T (D M^-1 D^T)^-1 D M^-1, in blocks of 6 x 6 (joint_contact.c), column by
 * column, each padded to 8 numbers. */
enum { HELD_COLUMN = 8, HELD_BLOCK = 6 * HELD_COLUMN };
/* In place of the response of a row whose bodies joints and pins hold: no impulse moves them. */
#define HELD_RESPONSE 1e300

typedef struct HeldFigure {
    SolverBody *solver_bodies; /* of all partners */
    const int32_t *body;
    size_t count;
    const double *response; /* block (j, i): velocities of body i by an impulse on body j */
    bool drives;            /* a motor or control holds its speed in it */
} HeldFigure;

/* A body as an impulse moves it. */
struct SolverBody {
    Vec3 center;              /* m: of mass; of a pinned body the pin */
    double inverse_mass;      /* 1/kg; 0 for a body that forces do not move */
    Mat3 inverse_inertia;     /* 1/(kg m^2), about the centre, world axes */
    Vec3 velocity, spin;      /* m/s of the centre, rad/s */
    Vec3 push, twist;         /* what forces add to them in this half step */
    Vec3 saved[2];            /* velocity and spin to go back to */
    Vec3 start[2];            /* velocity and spin before the impulses of this pass */
    bool moves;               /* forces move it */
    bool touched;             /* an impulse acted on it */
    bool is_given;            /* `given` is to be spread over its figure */
    Vec3 given[2];            /* N s, N m s */
    int32_t slot;             /* in its figure */
    const HeldFigure *figure; /* NULL: no joint holds it */
};

/* How a point is held. */
typedef enum RowHold { HOLD_OPEN, HOLD_SLIDING, HOLD_STICKING } RowHold;

/* One point of contact. Vectors are in world axes; the normal points from b to a. */
typedef struct ContactRow {
    Vec3 point, normal;
    Vec3 arm_a, arm_b;      /* m, from the centres of both bodies to the point */
    double gap;             /* m, between the surfaces; negative: overlap */
    double radius;          /* m, of curvature; HUGE_VAL: flat */
    Mat3 response;          /* K_T of 000 (2.6): relative velocity that an impulse makes, 1/kg */
    Mat3 inverse;           /* K_T^-1 */
    double normal_response; /* n K n */
    double slide_response;  /* greatest eigenvalue of K across the normal */
    Vec3 run;               /* m/s, of a's surface over b's, beside the bodies' own motion */
    Vec3 guess;             /* N, the force on a in the last step; 0: it is new */
    Vec3 guess_couple;      /* N m, the same of rolling and spinning friction */
    Vec3 guess_turn;        /* m/s^2, `turn` of the last step over its length */
    Vec3 turn;              /* m/s, relative velocity that a point that moves about wants */
    Vec3 impulse;           /* N s, on a, in all of this pass */
    Vec3 carried;           /* N s, the same without shock propagation */
    Vec3 couple;            /* N m s, that of rolling and spinning friction */
    Vec3 carried_couple;    /* N m s, the same without shock propagation */
    Vec3 residual;          /* N s, these three are for share_load.c */
    Vec3 direction, step;
    Vec3 saved[2]; /* impulse and couple to go back to */
    RowHold hold;
    bool runs;     /* `run` counts */
    bool active;   /* bodies are about to meet here */
    bool bounces;  /* they meet here again: the next step's collisions see to it */
    bool singular; /* K_T has no inverse: a pinned body against an immovable one */
} ContactRow;

typedef struct ContactPair {
    int32_t a, b;         /* partners, a < b */
    int32_t first;        /* row, and how many follow it */
    int32_t rows;         /* of contact */
    int32_t level;        /* in the contact graph */
    bool found;           /* they interfere at the predicted positions: they are in contact */
    bool overlaps_deeply; /* both are in a deep overlap, of whose pairs few are looked at */
    bool slides;          /* its friction in this step is the kinetic one */
    double friction, restitution;
    double kinetic;           /* friction while it slides */
    Vec3 struck[2];           /* N s, N m s about the origin: on a, by its collisions */
    double size;              /* m, the shortest side of the smaller body */
    double push_to;           /* m, the gap that push-out aims at in this step */
    double gap_before;        /* m, the deepest at x^n; 0: they were apart */
    double rolling, spinning; /* m, lever arms */
    double curve;             /* m, radius that they are meant for: of a ball of equal volume */
    double energy;            /* J, kinetic, that its collisions added */
    double raised;            /* J, the same of those that added */
} ContactPair;

/* Counts and sums of the last step, for stats.csv. */
typedef struct ContactFigures {
    size_t pairs, points;   /* in contact */
    size_t levels, islands; /* of the contact graph */
    size_t collisions;      /* impulses of the collision stage */
    size_t clamped;         /* collisions and islands whose impulses were reduced or left out */
    size_t sweeps;          /* over the levels of the slowest island */
    size_t missed;          /* pairs that passed through one another in the step */
    size_t rounds;          /* of the coupled solves with a fluid, half and whole step: the most */
    size_t unsettled;       /* of those two: that ended without agreement */
    size_t asleep;
    double penetration;                      /* m, the deepest overlap at the end of the step */
    double collision_energy, contact_energy; /* J, that impulses added to the kinetic energy */
    double raised_energy;   /* J, the sum over clamped impulses that raised it: rounding */
    double limited_energy;  /* J, kinetic, taken from islands that gained it from nowhere */
    double push_out_energy; /* J, potential and of turning, that push-out added */
} ContactFigures;

/* A pair of the first pass; those that are in contact are contacts of the second, and no others. */
typedef struct SeenPair {
    int32_t a, b, level;
    bool found; /* in contact */
    bool slides;
    double gap; /* m, the deepest at x^n; 0: apart */
} SeenPair;

/* A point that pressed in the last step, for frames. */
typedef struct ShownContact {
    int32_t a, b; /* partners */
    Vec3 point, normal;
    Vec3 force; /* N, on a */
} ShownContact;

/* A set of bodies that touch one another, directly or through others. */
typedef struct ContactIsland {
    size_t first, pairs; /* in RigidContacts.island_pairs, by level */
    size_t first_row;    /* how many rows the islands before it have */
    bool grounded;       /* something in it touches a body that forces do not move */
    bool driven;         /* a body on a path, a belt, a changing force or a fluid does work on it */
    bool loaded;         /* forces beside gravity do work on it */
    bool is_uneven;      /* one of its bodies is 500 times as heavy as another, or more */
    int32_t carrier;     /* the body on a path that it touches; -1: none, -2: several */
    size_t sweeps;
} ContactIsland;

/* Nothing presses its bodies together, as the ground, a force or a fluid does. */
static inline bool contact_island_is_afloat(const ContactIsland *island) {
    return !island->grounded && !island->driven && !island->loaded;
}

/* A point of contact at x^n, and how its bodies moved there (turning.c). */
typedef struct TurningPoint {
    int32_t a, b;
    Vec3 arm_a, arm_b; /* m */
    Vec3 normal;       /* unit */
    Vec3 slide;        /* m/s, relative velocity across the normal */
    Vec3 spin_a, spin_b;
} TurningPoint;

/* A body before the step, after its collisions. */
typedef struct BodyBefore {
    Vec3 position;
    Quat orientation;
    Vec3 velocity, spin; /* v^^n */
    double kinetic;      /* J */
    double fall;         /* J, that it lost of potential energy since, push-out aside */
} BodyBefore;

/* A body in a coupled solve, in the last turn. */
typedef struct CoupledBody {
    Vec3 velocity[2]; /* linear and angular, that the solve found */
    Vec3 impulse[2];  /* N s, N m s, that contact gave in it */
    double ratio[2];  /* of what moves along with it to its own mass and inertia */
    bool is_solved;   /* it is in the solve */
} CoupledBody;

typedef struct RigidContacts {
    BroadPairs near;
    ARRAY(ContactPair) pairs; /* by a, then b */
    ARRAY(ContactRow) rows;
    ARRAY(SeenPair) seen;            /* by a, then b */
    ARRAY(SolverBody) solver_bodies; /* one a partner: bodies, then still surfaces */
    ARRAY(int32_t) levels;           /* one a partner; 0: forces do not move it */
    ARRAY(ContactIsland) islands;
    ARRAY(int32_t) island_pairs;
    ARRAY(int32_t) body_islands; /* one a partner; -1: in none */
    ARRAY(BodyBefore) before;    /* one a body */
    ARRAY(TurningPoint) turning; /* by a, then b */
    ARRAY(ShownContact) shown;   /* where options.frame_contacts asks for them */
    ContactFigures figures;
    ARRAY(CoupledBody) coupled; /* one a body, while contact is coupled */
    size_t round;               /* of the coupled solve, from 0 */
    double disagreement;        /* m/s, in the last turn */
    bool is_coupled;            /* between begin and end of coupled_contact.c */
    bool is_settled;            /* of v^{n+1}, by a coupled solve in this step */
    size_t left_out;            /* near pairs of deep overlaps that were not looked at */
    bool overlaps_told;         /* overlaps at the start were looked at */
} RigidContacts;

void contacts_free(PlimContext *context, RigidContacts *contacts);

/* ---- impulses ---- */

static inline Vec3 solver_body_velocity_at(const SolverBody *body, Vec3 arm) {
    return vec3_add(body->velocity, vec3_cross(body->spin, arm));
}

/* u_rel of 000 section 2.6, of the surfaces, seen from what the point wants where it moves about on
 * its bodies. */
static inline Vec3 row_velocity(const ContactRow *row, const SolverBody *a, const SolverBody *b) {
    Vec3 velocity =
        vec3_sub(solver_body_velocity_at(a, row->arm_a), solver_body_velocity_at(b, row->arm_b));
    velocity = vec3_sub(velocity, row->turn);
    return row->runs ? vec3_add(velocity, row->run) : velocity;
}

/* What forces will add to it. */
static inline Vec3 row_push(const ContactRow *row, const SolverBody *a, const SolverBody *b) {
    return vec3_sub(vec3_add(a->push, vec3_cross(a->twist, row->arm_a)),
                    vec3_add(b->push, vec3_cross(b->twist, row->arm_b)));
}

/* Adds what an impulse and a moment on a body of a figure do to two vectors of all its bodies,
 * those that begin at `offset` in SolverBody: velocity and spin, or another such pair. */
void figure_respond(const SolverBody *body, Vec3 impulse, Vec3 moment, size_t offset);

/* The same on any body that moves. */
static inline void solver_body_respond(SolverBody *body, Vec3 impulse, Vec3 moment, size_t offset) {
    if (body->figure) {
        figure_respond(body, impulse, moment, offset);
        return;
    }
    Vec3 *pair = (Vec3 *)((char *)body + offset);
    pair[0] = vec3_add_scaled(pair[0], body->inverse_mass, impulse);
    pair[1] = vec3_add(pair[1], mat3_apply(body->inverse_inertia, moment));
}

static inline void solver_body_apply(SolverBody *body, Vec3 arm, double sign, Vec3 impulse) {
    if (!body->moves) return;
    if (body->figure) {
        Vec3 push = vec3_scale(sign, impulse);
        figure_respond(body, push, vec3_cross(arm, push), offsetof(SolverBody, velocity));
        return;
    }
    body->velocity = vec3_add_scaled(body->velocity, sign * body->inverse_mass, impulse);
    body->spin = vec3_add_scaled(body->spin, sign,
                                 mat3_apply(body->inverse_inertia, vec3_cross(arm, impulse)));
    body->touched = true;
}

/* 000 (2.3), (2.4): +j on a, -j on b. */
static inline void row_apply(const ContactRow *row, SolverBody *a, SolverBody *b, Vec3 impulse) {
    solver_body_apply(a, row->arm_a, 1.0, impulse);
    solver_body_apply(b, row->arm_b, -1.0, impulse);
}

/* Arms, K_T and what follows from it, for the places and masses of the moment; no impulse yet. */
void row_prepare(ContactRow *row, const SolverBody *a, const SolverBody *b);
/* The greatest eigenvalue of a response restricted to the plane across n. */
double response_across(Mat3 response, Vec3 n);
/* K_T alone again, after one of the bodies was made immovable or free. */
void row_update_response(ContactRow *row, const SolverBody *a, const SolverBody *b);

/* How much of an impulse may act so that the kinetic energy does not rise, 0 to 1 (002
 * section 2.3.2). `velocity` is the relative one before; against bodies of infinite mass this is
 * the energy seen from them. */
double impulse_allowed(const ContactRow *row, Vec3 velocity, Vec3 impulse);

/* What an impulse adds to the kinetic energy of both, J. */
static inline double impulse_energy(const ContactRow *row, Vec3 velocity, Vec3 impulse) {
    Vec3 change = mat3_apply(row->response, impulse);
    return vec3_dot(impulse, vec3_add_scaled(velocity, 0.5, change));
}

#endif
