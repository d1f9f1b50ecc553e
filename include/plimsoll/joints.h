/* Joints between rigid bodies: pendulums, chains, machines, figures. A joint holds some of the
 * motions of one body against another, or against the world; it does not stretch. */
#ifndef PLIMSOLL_JOINTS_H
#define PLIMSOLL_JOINTS_H

#include "plimsoll/rigid.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What stays free. `axis` and `at` are those of the description; they turn and move with the first
 * body, and the second is held against them. */
typedef enum PlimJointKind {
    PLIM_JOINT_POINT,       /* all turning about `at` */
    PLIM_JOINT_RIGID,       /* nothing */
    PLIM_JOINT_HINGE,       /* turning about the axis */
    PLIM_JOINT_SLIDER,      /* sliding along the axis */
    PLIM_JOINT_CYLINDRICAL, /* both */
    PLIM_JOINT_UNIVERSAL, /* turning about `axis`, of the first, and `second_axis`, of the second */
    PLIM_JOINT_TWIST,     /* turning about the line between the bodies, which is the axis */
    PLIM_JOINT_PLANE,     /* all but the distance of `at` from the plane across the axis */
    PLIM_JOINT_DISTANCE,  /* all but the distance from `at` to `to` */
    PLIM_JOINT_ROPE       /* the same, and that may be less */
} PlimJointKind;

enum { PLIM_JOINT_KIND_COUNT = PLIM_JOINT_ROPE + 1 };

/* What moves a joint by itself. */
typedef enum PlimJointDrive {
    PLIM_DRIVE_NONE,
    PLIM_DRIVE_MOTOR,  /* at a speed */
    PLIM_DRIVE_CONTROL /* to a place (PD control) */
} PlimJointDrive;

/* Fills a speed or target and its rate of change at time t; anything but PLIM_OK stops the run.
 * Must depend on nothing but t. */
typedef PlimStatus (*PlimJointPathFn)(void *user, PlimContext *context, double t, double *value,
                                      double *rate);

/* In place of a body: the world, which does not move. */
#define PLIM_WORLD ((size_t)-1)

typedef struct PlimJointDesc {
    const char *name; /* no other joint's or body's of the world; copied */
    PlimJointKind kind;
    size_t a, b;           /* bodies, or PLIM_WORLD; one of them dynamic */
    double at[3];          /* m, in the world at t = 0: where the joint is; default 0 */
    double to[3];          /* m, the same of the second body; distance and rope alone */
    double axis[3];        /* in the world at t = 0, of any length; default z. Twist: 0 is the line
                              between the centres. In two dimensions those of turning are z, those
                              of sliding in the plane */
    double second_axis[3]; /* universal alone: of the second body, square to `axis`; default x */
    double length;         /* m, of distance and rope; 0 (default): that of t = 0 */
    int collide;           /* 1: the two bodies collide; default 0 */
    double break_force;    /* N, above which it breaks; 0 (default): never */
    double break_torque;   /* N m, the same */
    /* Of hinge, twist and cylindrical by their angle in rad, of slider by its slide in m; both are
     * 0 at t = 0. All off by default. */
    int has_limits;
    double limits[2]; /* least and greatest, 0 between them */
    double stiffness; /* of a spring, N m/rad or N/m */
    double damping;   /* of it, N m s/rad or N s/m */
    double rest;      /* where it pulls to, rad or m */
    PlimJointDrive drive;
    double value;         /* speed of a motor, rad/s or m/s; target of control, rad or m */
    PlimJointPathFn path; /* in place of `value`, a function of time; NULL (default): constant */
    void *path_user;
    double strength;   /* of control, 1/s^2: it nears its target as a critically damped spring */
    double max_torque; /* of motor and control, N m or N; 0 (default): any */
    /* Of point joints, about `axis`. */
    double
        swing; /* rad, half angle of the cone in which the axis of the second body stays; 0: any */
    int has_twist;
    double twist[2]; /* rad, least and greatest, 0 between them */
} PlimJointDesc;

PLIM_API PlimJointDesc plim_joint_desc_default(void);

/* Adds a joint; `id` counts up from 0. After the bodies, before the first step. */
PLIM_API PlimStatus plim_joint_add(PlimWorld *world, const PlimJointDesc *desc, size_t *id);
PLIM_API size_t plim_joint_count(const PlimWorld *world);
/* The joint's id, or -1 when there is none of that name. */
PLIM_API ptrdiff_t plim_joint_find(const PlimWorld *world, const char *name);

/* How a joint stands, and what it carried in the last step. */
typedef struct PlimJointState {
    double angle;        /* rad, turned about the axis since t = 0, whole turns too */
    double speed;        /* rad/s, of that; m/s of a slider */
    double slide;        /* m, along the axis; of distance and rope the distance */
    double force[3];     /* N, on the second body */
    double torque[3];    /* N m, on the second body, about the joint */
    double motor_torque; /* N m, or N: of its motor or control */
    double gap;          /* m, by which it is open; turning counts at the length of its arms */
    int broken;
} PlimJointState;

/* PLIM_BAD_INPUT, and `state` as it was, when there is no joint with that id. */
PLIM_API PlimStatus plim_joint_state(const PlimWorld *world, size_t id, PlimJointState *state);

#ifdef __cplusplus
}
#endif
#endif
