/* Joints of rigid bodies (002 appendix C): what they are, and the rows by which they hold. */
#ifndef RIGID_JOINT_H
#define RIGID_JOINT_H

#include "base/index_table.h"
#include "plimsoll/joints.h"
#include "rigid/contact/contacts.h"
#include "rigid/orientation.h"
#include "solve/block/block_ldl.h"
#include "system/dofs.h"

typedef struct RigidBodies RigidBodies;

enum { JOINT_WORLD = -1 }; /* in place of a body */

/* A joint as it was described, in the axes of its bodies. */
typedef struct RigidJoint {
    char *name;
    PlimJointKind kind;
    int32_t body[2];
    Vec3 anchor[2]; /* m, from the centres, in body axes */
    Quat frame[2];  /* the joint's axes in body axes; z is the axis */
    double size;    /* m, its arms: turning counts as much as motion at this distance */
    double length;  /* m, of distance and rope */
    double break_force, break_torque; /* 0: none */
    /* Of the motion that it leaves free, rad or m. */
    bool has_limits, has_twist;
    double limits[2], twist[2];
    double swing;                    /* rad, half angle of the cone; 0: none */
    double stiffness, damping, rest; /* N m/rad and N m s/rad, or N/m and N s/m; rad or m */
    PlimJointDrive drive;
    double value, strength, most; /* speed or target; 1/s^2; N m or N, HUGE_VAL: any */
    PlimJointPathFn path;         /* of the value; NULL: constant */
    void *path_user;
    bool collides;
} RigidJoint;

enum { JOINT_MOST_ROWS = 8 };

typedef enum JointRowKind {
    JOINT_ROW_HELD,   /* what the joint is */
    JOINT_ROW_LIMIT,  /* holds errors at 0 or more, and pushes alone */
    JOINT_ROW_SPRING, /* soft: its impulse follows from place and speed */
    JOINT_ROW_DRIVE   /* a motor or control: held within bounds of its impulse */
} JointRowKind;
/* One row: how fast the second body moves against the first, along . (v_b - v_a) + turn_b . omega_b
 * - turn_a . omega_a, in m/s. An impulse along it acts on both, in opposite directions. */
typedef struct JointRow {
    Vec3 along;        /* unit, or 0 in rows of turning */
    Vec3 turn[2];      /* m */
    Vec3 give[2];      /* inverse inertia times turn */
    double error;      /* m, that the row is the rate of; 0: closed */
    double impulse;    /* N s, in this solve */
    double before;     /* N s, of a limit: in the solves of this step before */
    double kept;       /* N s, of it: for positions under contact, that v^n has, too */
    double reach;      /* s, of a limit: it is closed if it would be passed within that time */
    double own;        /* 1/kg: its speed after an impulse of 1 */
    double scale;      /* m: its impulse times this is a moment; 1 in rows of motion */
    double compliance; /* 1/kg, of a spring */
    double low, high;  /* N s, of a drive's impulse; low of a limit's, too */
    double target;     /* m/s, the speed that it wants, or m where a drive wants to be */
    JointRowKind kind;
    bool is_on;
    int8_t side;     /* of limits: 1 the upper one */
    int8_t clamped;  /* of a drive at its bound: -1 or 1 */
    int8_t switched; /* how often it was let go in this solve */
} JointRow;

/* Of a row, in a solve. */
enum { JOINT_MOST_SWITCHES = 3 };

/* Of a row, in a step with a fluid (joint_settle.c). */
typedef struct JointTally {
    double given; /* N s, that the velocity to be solved for has of it already */
    double asked; /* N s, of one that is off: to be given beside that */
    double goal;  /* m/s, of one that is on */
} JointTally;

/* A body as joints move it. */
typedef struct JointBody {
    Vec3 center;
    Quat turn;
    double inverse_mass;  /* 0: forces do not move it */
    Mat3 inverse_inertia; /* world axes */
    Vec3 velocity, spin, momentum;
    Vec3 push[2];     /* N s, N m s: of an impulse that is spread over bodies */
    Vec3 kept[2];     /* the sum of those of a solve */
    Vec3 next_center; /* at the end of the step */
    Quat next_turn;
    Vec3 support[2]; /* m/s, N m s: what contact is likely to add to its motion (load_support) */
} JointBody;

/* Two joints that share a body: a block of D M^-1 D^T. */
typedef struct JointCoupling {
    int32_t joint[2]; /* of RigidJoints.list */
    int32_t side[2];  /* of each, on which the body is */
    int32_t body;
    BlockLdlPlace place;
} JointCoupling;

/* What drives and springs do in a step. */
typedef struct JointAction {
    double place;         /* m, where a drive wants to be at the end */
    double start;         /* m, where a spring was at the start */
    double speed;         /* m/s, that a drive wants then */
    double drive;         /* N s, that it gave for positions */
    bool is_clamped;      /* it had to give more */
    bool is_judged;       /* tallies tell what its rows are to do in the next turn of a solve */
    bool gives_way;       /* a collision asks for more than it has */
    uint32_t limits;      /* bits of limits that hold in contact */
    uint32_t holds;       /* bits of rows that hold in the last solve */
    uint32_t independent; /* those of them that do not depend on others */
    Vec3 blow[2];         /* N, N m: what it carried of collisions, over the step */
} JointAction;

typedef struct JointKept {
    Vec3 push[2];  /* N s, N m s */
    Vec3 start[2]; /* m/s, rad/s: v^^n, without that */
} JointKept;

/* Figures of the solves of a step, for stats.csv. */
typedef struct JointFigures {
    size_t iterations; /* of pre-stabilisation, the most of a group */
    size_t dropped;    /* rows that depend on others, in the last solve */
    size_t limits;     /* one-sided rows that hold */
    size_t broken;
    double gap; /* m, the greatest at the end of the step */
} JointFigures;

/* Bodies that joints connect, and the joints. */
typedef struct JointGroup {
    size_t first_joint, joint_count; /* in RigidJoints.list */
    size_t first_body, body_count;   /* in RigidJoints.members: those that forces move */
    size_t first_row;                /* in RigidJoints.vector */
    BlockLdl factor;
    ARRAY(JointCoupling) couplings;
    JointFigures figures;
    bool is_asleep, was_asleep; /* when bodies were loaded last, and before that */
    bool is_struck;             /* a limit or rope of it, in this step */
    bool is_factored;           /* its factor is that of its rows */
    bool is_judged;             /* in a solve with a fluid, which has not been handed back */
    int32_t held;               /* of RigidJoints.held; -1: nothing touches it */
} JointGroup;

/* Two bodies that do not collide because of a joint. */
typedef struct JoinedPair {
    int32_t a, b, joint; /* a < b */
} JoinedPair;

/* Where in the step figures are held for impulses between bodies. */
typedef enum JointContactStage {
    JOINT_CONTACT_COLLISIONS, /* they act at once */
    JOINT_CONTACT_POSITIONS,  /* for dt/2: springs give way as far as places change */
    JOINT_CONTACT_VELOCITIES, /* for dt: places are known, and so is what springs do */
    JOINT_CONTACT_COUPLED     /* with a fluid: what holds is what its solve had been told */
} JointContactStage;

enum { JOINT_GROUP_PARTNER = -2 }; /* of a group: a body that has joints, and forces do not move */

typedef struct RigidJoints {
    ARRAY(RigidJoint) joints;
    IndexTable by_name;
    ARRAY(JoinedPair) joined;  /* by a, then b */
    ARRAY(JointRow) rows;      /* by joint */
    ARRAY(JointTally) tallies; /* of the rows */
    ARRAY(size_t) first_row;   /* of each joint */
    ARRAY(int8_t) row_count;
    ARRAY(JointBody) bodies; /* the world, then one a body */
    ARRAY(int32_t) list;     /* joints, by group */
    ARRAY(int32_t) members;  /* bodies, by group */
    ARRAY(int32_t) group_of; /* of each of `bodies`; -1: none, or JOINT_GROUP_PARTNER */
    ARRAY(JointGroup) groups;
    ARRAY(JointAction) actions; /* one a joint */
    ARRAY(JointKept) kept;      /* of the half step, one of each of `bodies`: v^n gets it too */
    /* While bodies touch: those of each group that do, and how they respond (joint_contact.c). */
    ARRAY(HeldFigure) held;
    ARRAY(int32_t) held_bodies;
    ARRAY(double) held_response;
    ARRAY(double) vector; /* a number a row, by group in the order of its factor */
    JointFigures figures;
    bool is_laid_out, is_assembled;
    JointContactStage stage;
    double step;       /* s, the step's length */
    bool is_start;     /* what contact adds is not known yet */
    bool is_disturbed; /* other systems changed velocities since joints were solved for */
} RigidJoints;

static inline size_t joint_count(const RigidJoints *joints) {
    return joints->joints.count;
}

static inline JointRow *joint_rows(RigidJoints *joints, size_t joint) {
    return joints->rows.data + joints->first_row.data[joint];
}

static inline JointTally *joint_tallies(RigidJoints *joints, size_t joint) {
    return joints->tallies.data + joints->first_row.data[joint];
}

static inline JointBody *joint_body(const RigidJoints *joints, int32_t body) {
    return &joints->bodies.data[body + 1];
}

static inline double joint_row_speed(const JointRow *row, const JointBody *a, const JointBody *b) {
    return vec3_dot(row->along, vec3_sub(b->velocity, a->velocity)) +
           vec3_dot(row->turn[1], b->spin) - vec3_dot(row->turn[0], a->spin);
}

/* Whether a body has joints. */
static inline bool joints_have(const RigidJoints *joints, size_t body) {
    return joints->group_of.count > body + 1 && joints->group_of.data[body + 1] >= 0;
}

/* ---- joint_rows.c ---- */
/* Where a body is. */
typedef struct BodyPlace {
    Vec3 center;
    Quat turn;
} BodyPlace;

/* Rows and errors where the bodies are; returns how many. `plane`: nothing leaves the plane z = 0.
 */
int joint_find_rows(const RigidJoint *joint, const BodyPlace place[2], bool plane, JointRow *rows);
/* The same, and those of limits, springs and drives behind them, all off; `turned`: about the axis
 * not long ago. `like`: rows of the same joint elsewhere, for the sides of limits; or NULL. */
int joint_find_all_rows(const RigidJoint *joint, const BodyPlace place[2], bool plane,
                        double turned, const JointRow *like, JointRow *rows);
/* Whether the motion that limits, springs and drives are about is turning, or sliding. */
bool joint_turns(PlimJointKind kind);
bool joint_slides(PlimJointKind kind);
/* The greatest error of a joint that holds, m. */
double joint_gap(const RigidJoint *joint, const BodyPlace place[2], bool plane);
/* How far it is turned about its axis, -pi to pi, and how far along it, or apart. */
double joint_angle(const RigidJoint *joint, const BodyPlace place[2]);
double joint_slide(const RigidJoint *joint, const BodyPlace place[2]);
/* The axis in the world. */
Vec3 joint_axis(const RigidJoint *joint, const BodyPlace *first);
/* Where the joint is, in the world: where its force on a body acts. */
Vec3 joint_point(const RigidJoint *joint, const BodyPlace place[2], int side);

/* ---- joint_add.c ---- */

PlimStatus rigid_joint_add(RigidBodies *bodies, const PlimJointDesc *desc, size_t *id);
size_t rigid_joint_find(const RigidBodies *bodies, const char *name); /* INDEX_NONE: none */
void rigid_joints_free(PlimContext *context, RigidJoints *joints);

/* ---- joint_plane.c ---- */

/* In two dimensions: whether the joint's axis, of length 1, makes sense. */
PlimStatus joint_check_plane(const RigidBodies *bodies, const PlimJointDesc *desc, Vec3 axis);

/* ---- joint_groups.c ---- */

/* Groups, orders and memory, once after the last joint was added. */
PlimStatus joints_lay_out(RigidBodies *bodies);
/* Whether two bodies do not collide because a joint is between them. */
bool joints_part(const RigidBodies *bodies, size_t a, size_t b);

/* ---- joint_solve.c ---- */

/* Rows of all joints of a group where its bodies are, those that are held on, no impulse yet. Of
 * one-sided rows those that were on, with `keeps`, or none. */
void joint_group_find_rows(RigidBodies *bodies, JointGroup *group, bool keeps);
/* D M^-1 D^T of the rows that are on, factored. */
void joint_group_factor(RigidBodies *bodies, JointGroup *group);
/* `vector` has what is wanted of each row, m/s: impulses that make it, onto bodies and rows. */
void joint_group_push(RigidBodies *bodies, JointGroup *group);
/* Pushes of the impulses in `vector`, that rows take note of. */
void joint_group_spread(RigidBodies *bodies, JointGroup *group);
/* Gives the impulses in `vector` to bodies and rows. */
void joint_group_give(RigidBodies *bodies, JointGroup *group);
/* Whether a row that is off is to hold again; `is_passed`: its limit is; `lacks`: the speed that it
 * lacks, m/s. */
bool joint_row_holds_again(const JointRow *row, bool is_passed, double lacks);
/* Lets go of limits that pull and of drives above their torque, and takes back what was too much;
 * false: there are none. */
bool joint_group_release(RigidBodies *bodies, JointGroup *group);
/* Makes the speed of all rows 0; of those that hold one side alone where they are closed, up to a
 * gap of `closed`, m. */
void joint_group_stop(RigidBodies *bodies, JointGroup *group, double closed);
/* m: limits nearer than that are closed. */
double joint_group_closed(const RigidJoints *joints, const JointGroup *group);
/* Impulses of rows that were tried. */
void joint_group_forget(RigidJoints *joints, const JointGroup *group);

/* ---- joint_positions.c ---- */

/* What springs, drives and limits do while joints are closed. */
typedef enum JointAim {
    JOINT_AIM_ACT,    /* all do what they do in the step */
    JOINT_AIM_FOLLOW, /* springs and drives have done so already: something else opened joints */
    JOINT_AIM_SETTLE  /* of limits and drives is known what velocities have of them */
} JointAim;
/* Pre-stabilisation (C.2): velocities at the end of which joints are closed. */
void joint_group_close_ahead(RigidBodies *bodies, JointGroup *group, double dt, JointAim aim);
/* Moves bodies so that joints are closed where they are; returns the gap that is left, m, and the
 * joint that has it. */
double joint_group_close_here(RigidBodies *bodies, JointGroup *group, size_t *widest);

/* ---- joint_contact.c ---- */

/* Whether a joint holds two bodies that forces move and that are awake. */
bool joint_holds_two(const RigidBodies *bodies, size_t joint);
/* s, for which impulses between bodies act; 0: at once. */
double joint_contact_time(JointContactStage stage, const StepInfo *step);
/* Before impulses between bodies: those of figures move as their joints let them. */
PlimStatus joints_hold_contact(RigidBodies *bodies, const StepInfo *step, JointContactStage stage);
/* The same again for solver bodies that were loaded anew, at the same places. */
void joints_attach_contact(RigidBodies *bodies);
/* After them: bodies that nothing touches follow. */
void joints_follow_contact(RigidBodies *bodies);
/* After contact for positions: what joints carried of it is given to v^n, too, so that a load that
 * rests on a figure is carried along as if it were joined. */
PlimStatus joints_keep_contact(RigidBodies *bodies, const StepInfo *step);
/* Notes what joints carry of this step's collisions. It comes to their forces at the end of the
 * step, when the length of the next one has been found of the others. */
void joints_note_collisions(RigidBodies *bodies, const StepInfo *step);
/* Adds what joints carried of the last contact to their forces. */
void joints_report_contact(RigidBodies *bodies, const StepInfo *step);

/* Rows for changes of velocity: what was on holds. */
void joint_group_find_held(RigidBodies *bodies, JointGroup *group);
/* Bodies of joints as if nothing moved, and what a point of contact gives them. */
void joints_rest(RigidBodies *bodies);
void joints_add_contact(RigidBodies *bodies, const ContactPair *pair, const ContactRow *row,
                        Vec3 impulse, Vec3 couple);

/* ---- joint_limits.c ---- */

/* Whether joints hold in contact otherwise than in collisions. */
bool joints_mind_time(const RigidBodies *bodies);
/* Finds which limits and ropes hold in what contact is about to ask in `time`, s; 0: at once. */
void joints_try_limits(RigidBodies *bodies, double time);
/* After contact: whether they hold as the impulses that came out ask; else they do so now, and
 * contact begins again with those impulses. */
PlimStatus joints_judge_limits(RigidBodies *bodies, const StepInfo *step, double time,
                               bool *stands);
/* With figures held: finds drives that do not stand what collisions are about to ask. */
bool joints_give_way(RigidBodies *bodies, double dt);

/* ---- joint_drive.c ---- */

/* Whether it has springs or drives. */
bool joint_acts(const RigidJoint *joint);
/* What drives want in this step. One after another: targets are user code. */
PlimStatus joints_plan(RigidBodies *bodies, const StepInfo *step);
/* Bodies whose joints have motors, springs or partners on paths are driven. */
void joints_mark_driven(RigidBodies *bodies);
/* The row of a spring gives way as far as what moves it for the half of a step changes its place.
 */
void joint_soften_spring(const RigidJoint *joint, JointRow *row, double dt);
/* Puts the rows of springs and drives on, for the half of a step. */
void joint_begin_half(const RigidBodies *bodies, size_t joint, JointRow *rows, double dt);
/* Control that is not at its bound holds its place. */
void joint_hold_place(const RigidBodies *bodies, size_t joint, JointRow *rows);
/* The speed that a spring's or motor's row lacks, and that as an error over the step, m. */
double joint_spring_residual(const RigidJoint *joint, const JointRow *row, double ahead, double dt,
                             double *error);
/* The rest of the impulse of springs at x^{n+1}, and drives with their speed. */
void joint_begin_whole(const RigidBodies *bodies, size_t joint, JointRow *rows, double dt);
/* J, that its spring holds. */
double joint_spring_energy(const RigidBodies *bodies, size_t joint);
/* Notes what drives gave for positions. */
void joint_note_half(RigidBodies *bodies, size_t joint, const JointRow *rows);
/* Adds what contact asked of drives to their torques. Those that it asked too much of yield from
 * the next step on: they give all they have, until their speed is reached. */
void joint_group_bound_drives(RigidBodies *bodies, const JointGroup *group, double dt);
/* At the end of a step: those that reached their speed hold it again. */
void joint_end_yielding(RigidBodies *bodies, size_t joint);
/* Rows of drives at their bound. */
bool joint_row_yields(const JointRow *row);
/* N m, or N: of drives, in the whole step. */
double joint_drive_torque(const RigidBodies *bodies, size_t joint, const JointRow *rows, double dt);

/* ---- joint_start.c ---- */

/* At the start: closes joints, gives velocities that they allow, finds the first forces. */
PlimStatus joints_assemble(RigidBodies *bodies, const StepInfo *step);

/* ---- joint_offer.c ---- */

/* After a solve: which rows are on and not dropped. */
void joint_group_note_rows(RigidBodies *bodies, JointGroup *group);
/* Rows that hold, at the speeds that velocities on offer have: a fluid, and others, keep them. */
void joints_offer(const RigidBodies *bodies, SystemDofs *dofs);

/* ---- joint_settle.c ---- */

/* Whether there are rows that hold one side alone, or within bounds. */
bool joints_switch(const void *bodies);
/* After a turn of a solve with a fluid (DofClass). */
PlimStatus joints_settle_solve(void *bodies, const StepInfo *step, SolveWhen when,
                               const DofLoad *load, bool *stands);
/* Rows of a group with bounds of what they may give beside what velocities have of them. */
void joint_begin_settle(const RigidBodies *bodies, size_t joint, JointRow *rows, SolveWhen when,
                        double dt);
/* In a turn with contact: solver bodies of figures as joints and the fluid move them without
 * contact, and as they respond to it. */
PlimStatus joints_load_coupled(RigidBodies *bodies, const StepInfo *step, SolveWhen when,
                               const DofLoad *load);
/* The solve is handed back: what its rows carried comes to the joints' forces. */
void joints_take_solved(RigidBodies *bodies, const StepInfo *step, SolveWhen when);
/* A liquid pushed bodies one by one, by so much momentum: joints take part in that now. */
void joints_take_push(RigidBodies *bodies, const StepInfo *step, SolveWhen when,
                      const double *pushed);
/* v^{n+1} again, where other systems changed it. */
PlimStatus joints_settle(RigidBodies *bodies, const StepInfo *step);

/* ---- joint_stages.c ---- */
/* The bodies of joints with their velocities for positions, or those of the moment. */
PlimStatus joints_load(RigidBodies *bodies, const StepInfo *step, bool half);
/* A body on a path is at its end, and moves there at the mean velocity of the step. */
PlimStatus joint_load_path(const RigidBodies *bodies, size_t i, const StepInfo *step,
                           JointBody *body);
/* Forces that the impulses of the present solve are over a time, onto those of the step or anew. */
void joint_group_report(RigidBodies *bodies, const JointGroup *group, double dt, bool adds);
/* The same of a blow, noted for the end of the step. */
void joint_group_note_blow(RigidBodies *bodies, const JointGroup *group, double dt);
/* Velocities and places of the bodies of joints, to the state. */
void joint_group_store(RigidBodies *bodies, const JointGroup *group, bool half);
void joint_group_store_places(RigidBodies *bodies, const JointGroup *group);
/* v~^{n+1/2}, the velocity for positions. */
PlimStatus rigid_solve_positions(void *system, const StepInfo *step);
/* After contact: closes what that, collisions or a fluid opened, and gives the impulse of the half
 * step to v^n too. */
PlimStatus joints_before_move(RigidBodies *bodies, const StepInfo *step);
/* After push-out: closes what it opened. */
PlimStatus joints_after_push_out(RigidBodies *bodies, const StepInfo *step);
/* v^{n+1} at x^{n+1}. */
PlimStatus rigid_solve_velocities(void *system, const StepInfo *step);
/* Angles, figures, and what breaks: not at the start, when joints do not know of contact and
 * fluids.
 */
void joints_finish(RigidBodies *bodies, bool breaks);
/* What contact is likely to add to bodies in half a step. */
void joints_load_support(RigidBodies *bodies, const StepInfo *step);
/* v~^{n+1/2} anew of figures of which a fluid moves a part. */
PlimStatus joints_solve_wet(RigidBodies *bodies, const StepInfo *step);
/* w dt at most 1 of bodies that joints pull. */
double joints_max_dt(const RigidBodies *bodies, const StepInfo *step);

/* ---- joint_measure.c ---- */

/* Probes count joints after the bodies. */
bool rigid_object_is_body(const void *system, size_t object);
bool rigid_object_is_joint(const void *system, size_t object);
void joint_probe_angle(const void *system, size_t object, double *values);
void joint_probe_speed(const void *system, size_t object, double *values);
void joint_probe_slide(const void *system, size_t object, double *values);
void joint_probe_force(const void *system, size_t object, double *values);
void joint_probe_torque(const void *system, size_t object, double *values);
void joint_probe_motor_torque(const void *system, size_t object, double *values);
void joint_probe_power(const void *system, size_t object, double *values);
void joint_probe_gap(const void *system, size_t object, double *values);
void joints_diagnose(const RigidBodies *bodies, Diagnostics *diagnostics);
void joint_read_state(const RigidBodies *bodies, size_t joint, PlimJointState *state);
/* Where a body is in the state; the world, JOINT_WORLD, is at the origin. */
BodyPlace rigid_place_of(const RigidBodies *bodies, size_t body);
/* Its bodies' places. */
void joint_places(const RigidBodies *bodies, const RigidJoint *joint, BodyPlace place[2]);
/* Of the turning about its axis, rad/s; sliding, m/s. */
double joint_speed(const RigidBodies *bodies, size_t joint);

#endif
