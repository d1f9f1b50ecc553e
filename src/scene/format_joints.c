/* The tables of joints. */
#include "scene/format_keys.h"

/* In the order of PlimJointKind. */
static const char *const kind_choices[] = {"point",       "rigid",     "hinge", "slider",
                                           "cylindrical", "universal", "twist", "plane",
                                           "distance",    "rope",      NULL};

static const SceneKey break_keys[] = {
    {"force", VALUE_NUMBER, AT(SceneBreak, force), "0", .unit = "N", NOT_NEGATIVE,
     .help = "above which it breaks; 0: never"},
    {"torque", VALUE_NUMBER, AT(SceneBreak, torque), "0", .unit = "N m", NOT_NEGATIVE,
     .help = "the same of torques"},
};

static const SceneTable break_table =
    TABLE("break", "What a joint carries at most. A broken joint holds nothing.", break_keys);

static const SceneKey spring_keys[] = {
    {"stiffness", VALUE_NUMBER, AT(SceneSpring, stiffness), "0", .unit = "N m/rad or N/m",
     NOT_NEGATIVE, .help = "torque a radian, or force a metre"},
    {"damping", VALUE_NUMBER, AT(SceneSpring, damping), "0", .unit = "N m s/rad or N s/m",
     NOT_NEGATIVE, .help = "torque for a rad/s, or force for a m/s"},
    {"rest", VALUE_NUMBER, AT(SceneSpring, rest), "0", .unit = "degrees or m",
     .help = "where it pulls to, from the start"},
};

static const SceneTable spring_table = TABLE("spring", "A spring with damping.", spring_keys);

static const SceneKey motor_keys[] = {
    {"speed", VALUE_MOTION, AT(SceneDrive, value), .required = true, .unit = "rad/s or m/s",
     .help = "may use t"},
    {"max_torque", VALUE_NUMBER, AT(SceneDrive, max_torque), "0", .unit = "N m or N", NOT_NEGATIVE,
     .help = "that it gives at most; 0: any"},
};

static const SceneTable motor_table = TABLE("motor", "Turns or slides at a speed.", motor_keys);

static const SceneKey control_keys[] = {
    {"target", VALUE_MOTION, AT(SceneDrive, value), .required = true, .unit = "degrees or m",
     .help = "where it goes, from the start; may use t"},
    {"strength", VALUE_NUMBER, AT(SceneDrive, strength), .required = true, .unit = "1/s^2",
     POSITIVE,
     .help = "k: it nears its target as a critically damped spring with this over its inertia"},
    {"max_torque", VALUE_NUMBER, AT(SceneDrive, max_torque), "0", .unit = "N m or N", NOT_NEGATIVE,
     .help = "that it gives at most; 0: any"},
};

static const SceneTable control_table =
    TABLE("control", "Goes to a place, however loaded (PD control).", control_keys);

static const SceneKey joint_keys[] = {
    {"name", VALUE_NAME, AT(SceneJoint, name), .required = true,
     .help = "name in messages, probes and files"},
    {"kind", VALUE_CHOICE, AT(SceneJoint, kind), .required = true, .choices = kind_choices,
     .help = "point: turns about a point; rigid: not at all; hinge: turns about the axis; slider: "
             "slides along it; cylindrical: both; universal: turns about two axes, one of each "
             "body; twist: turns about the line between the bodies; plane: the point of the "
             "second body stays in the plane of the first that is across the axis; distance: "
             "`at` and `to` stay apart as they are; rope: they stay no farther apart"},
    {"bodies", VALUE_NAMES, AT(SceneJoint, bodies), .required = true,
     .help = "the two bodies; `world` is what does not move"},
    {"copies", VALUE_VEC2, AT(SceneJoint, copies),
     .help = "of repeated bodies, which copies: \"=n\" and \"=n+1\" are neighbours"},
    {"at", VALUE_VEC3, AT(SceneJoint, at), .unit = "m",
     .help = "where it is at the start, in the world; of distance and rope the end on the first "
             "body, the body's centre when left out"},
    {"to", VALUE_VEC3, AT(SceneJoint, to), .unit = "m",
     .help = "of distance and rope: the end on the second body; its centre when left out"},
    {"axis", VALUE_VEC3, AT(SceneJoint, axis),
     .help = "of any length but zero, in the world at the start; z when left out, of twist the "
             "line between the bodies' centres"},
    {"second_axis", VALUE_VEC3, AT(SceneJoint, second_axis),
     .help = "of universal: the axis of the second body, square to the other; x when left out"},
    {"length", VALUE_NUMBER, AT(SceneJoint, length), .unit = "m", POSITIVE,
     .help = "of distance and rope; that of the start when left out"},
    {"limits", VALUE_VEC2, AT(SceneJoint, limits), .unit = "degrees or m",
     .help = "least and greatest angle of hinge, twist and cylindrical, or slide of slider; both "
             "count from the start"},
    {"swing", VALUE_NUMBER, AT(SceneJoint, swing), .unit = "degrees", BETWEEN(1e-3, 179),
     .help = "of a point joint: half the angle of the cone in which `axis` of the second body "
             "stays"},
    {"twist", VALUE_VEC2, AT(SceneJoint, twist), .unit = "degrees",
     .help = "of a point joint: least and greatest turn about `axis`"},
    {"spring", VALUE_TABLE, AT(SceneJoint, spring), .table = &spring_table,
     .help = "pulls the angle or slide to a place"},
    {"motor", VALUE_TABLE, AT(SceneJoint, motor), .table = &motor_table,
     .help = "turns or slides at a speed"},
    {"control", VALUE_TABLE, AT(SceneJoint, control), .table = &control_table,
     .help = "turns or slides to a target"},
    {"collide", VALUE_BOOL, AT(SceneJoint, collide), "false",
     .help = "whether the two bodies collide"},
    {"break", VALUE_TABLE, AT(SceneJoint, breaks), .table = &break_table,
     .help = "what it carries at most"},
    {"repeat", VALUE_TABLE, AT(SceneJoint, repeat), .table = &scene_repeat_table,
     .help = "many of them: NAME_0, NAME_1, ... Places are not moved: say with n where they are",
     .outside_copies = true},
};

const SceneTable scene_joint_table =
    TABLE("joint", "A joint between two rigid bodies, or a body and the world.", joint_keys);
