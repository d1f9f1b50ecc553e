/* The tables of rigid bodies: the bodies, their copies and paths, and how they meet. */
#include "scene/format_keys.h"

static const SceneKey repeat_keys[] = {
    {"grid", VALUE_VEC3, AT(SceneRepeat, grid), BETWEEN(1, 1e15),
     .help = "copies along x, y and z, centred on the body's position"},
    {"count", VALUE_INTEGER, AT(SceneRepeat, count), BETWEEN(1, 1e15),
     .help = "copies in a row along x, in place of `grid`"},
    {"spacing", VALUE_VEC3, AT(SceneRepeat, spacing), "[1, 1, 1]", .unit = "m",
     .help = "distance between neighbours along each axis"},
    {"jitter", VALUE_VEC3, AT(SceneRepeat, jitter), "[0, 0, 0]", .unit = "m", NOT_NEGATIVE,
     .help = "largest random offset along each axis, from the scene's seed"},
    {"tilt", VALUE_NUMBER, AT(SceneRepeat, tilt), "0", .unit = "degrees", BETWEEN(0, 180),
     .help = "largest random rotation, about a random axis"},
};

const SceneTable scene_repeat_table =
    TABLE("repeat",
          "Many of one thing: NAME_0, NAME_1, ... In the body's own expressions i, j, k are the "
          "place in the grid, n the number of the copy from 0, count how many there are, and "
          "random(1), random(2), ... numbers in [0, 1) of its own.",
          repeat_keys);

static const SceneKey keyframe_keys[] = {
    {"t", VALUE_NUMBER, AT(SceneKeyframe, time), .required = true, .unit = "s",
     .help = "when; later than the one before"},
    {"position", VALUE_VEC3, AT(SceneKeyframe, position), .unit = "m",
     .help = "where the shape's own origin is then; as in the keyframe before when left out, and "
             "in the first as of the body"},
    {"orientation", VALUE_TABLE, AT(SceneKeyframe, orientation), .table = &scene_orientation_table,
     .help = "how it is turned then; when left out as the position"},
};

const SceneTable scene_keyframe_table =
    TABLE("keyframe",
          "Where a kinematic body is at one time. Between two it moves smoothly and without "
          "overshoot, along each axis for itself; before the first and after the last it stands "
          "still. Turns about one axis go by their angles, which may be more than a full turn; "
          "between different axes it turns the shorter way.",
          keyframe_keys);

static const char *const axes_choices[] = {"world", "body", NULL};

static const SceneKey force_keys[] = {
    {"force", VALUE_MOTION3, AT(SceneForce, force), "[0, 0, 0]", .unit = "N", .help = "may use t"},
    {"torque", VALUE_MOTION3, AT(SceneForce, torque), "[0, 0, 0]", .unit = "N m",
     .help = "beside the moment of the force about the centre of mass; may use t"},
    {"axes", VALUE_CHOICE, AT(SceneForce, axes), "world", .choices = axes_choices,
     .help = "world: force and torque are along the axes of the world; body: along those of the "
             "shape, and turn with it"},
    {"at", VALUE_VEC3, AT(SceneForce, at), .unit = "m",
     .help = "the point of the body where the force acts, from the shape's own origin and in its "
             "axes; the centre of mass when left out"},
};

const SceneTable scene_force_table =
    TABLE("force", "A force and a torque on a dynamic body, beside gravity.", force_keys);

static const char *const motion_choices[] = {"dynamic", "static", "kinematic", NULL};

static const SceneKey body_keys[] = {
    {"name", VALUE_NAME, AT(SceneBody, name), .required = true,
     .help = "name in messages, probes and files"},
    {"shape", VALUE_ONE_OF, AT(SceneBody, shape), .required = true, .table = &scene_shape_table,
     .help = "what it is made of"},
    {"motion", VALUE_CHOICE, AT(SceneBody, motion), "dynamic", .choices = motion_choices,
     .help = "dynamic: moved by forces; static: never moves; kinematic: position and angle are "
             "functions of t"},
    {"position", VALUE_MOTION3, AT(SceneBody, position), "[0, 0, 0]", .unit = "m",
     .help = "where the shape's own origin goes: the middle of a primitive; may use t in a "
             "kinematic body"},
    {"orientation", VALUE_TABLE, AT(SceneBody, orientation), "{}",
     .table = &scene_orientation_table, .help = "how it is turned"},
    {"keyframes", VALUE_ITEMS, AT(SceneBody, keyframes), .table = &scene_keyframe_table,
     .help = "the path of a kinematic body, in place of expressions of t"},
    {"velocity", VALUE_VEC3, AT(SceneBody, velocity), "[0, 0, 0]", .unit = "m/s",
     .help = "at the start"},
    {"angular_velocity", VALUE_VEC3, AT(SceneBody, angular_velocity), "[0, 0, 0]", .unit = "rad/s",
     .help = "at the start, in world axes"},
    {"material", VALUE_NAME, AT(SceneBody, material),
     .help = "one of `materials`, for density, friction, restitution, color and glass"},
    {"density", VALUE_NUMBER, AT(SceneBody, density), .unit = "kg/m^3", POSITIVE,
     .help = "in place of the material's; 1000 without either"},
    {"mass", VALUE_NUMBER, AT(SceneBody, mass), .unit = "kg", POSITIVE,
     .help = "in place of density times volume"},
    {"inertia", VALUE_VEC3, AT(SceneBody, inertia), .unit = "kg m^2", POSITIVE,
     .help = "about the shape's own axes, in place of the inertia of its triangles"},
    {"shell", VALUE_NUMBER, AT(SceneBody, shell), .unit = "m", POSITIVE,
     .help = "thickness of the wall of a hollow body, a primitive: its mass is that of the wall, "
             "and it displaces as much as a solid one"},
    {"center", VALUE_VEC3, AT(SceneBody, center), .unit = "m",
     .help = "the centre of mass of a body with ballast, from the shape's own origin and in its "
             "axes; that of the shape when left out. Without `inertia` the mass is as far from the "
             "shape's own centre as before"},
    {"friction", VALUE_TABLE, AT(SceneBody, friction), .table = &scene_friction_table,
     .help = "coefficient of friction, in place of the material's; 0.5 without either; of a pair "
             "the greater one counts"},
    {"restitution", VALUE_NUMBER, AT(SceneBody, restitution), RESTITUTION,
     .help = "part of the approach speed that a bounce gives back, in place of the material's; 0 "
             "without either; of a pair the lesser one counts, or what `restitution` of `contact` "
             "says"},
    {"rolling_friction", VALUE_NUMBER, AT(SceneBody, rolling_friction), .unit = "m", NOT_NEGATIVE,
     .help = "lever arm of the torque that resists rolling, in place of the material's; 0 without "
             "either; of a pair the greater one counts"},
    {"spinning_friction", VALUE_NUMBER, AT(SceneBody, spinning_friction), .unit = "m", NOT_NEGATIVE,
     .help = "the same for turning about the normal"},
    {"surface_velocity", VALUE_VEC3, AT(SceneBody, surface_velocity), "[0, 0, 0]", .unit = "m/s",
     .help = "along the body's own axes: its surface runs at this velocity, as that of a belt; "
             "what is along the surface counts"},
    {"forces", VALUE_ITEMS, AT(SceneBody, forces), .table = &scene_force_table,
     .help = "what acts on a dynamic body beside gravity"},
    {"linear_damping", VALUE_NUMBER, AT(SceneBody, linear_damping), "0", .unit = "1/s",
     NOT_NEGATIVE, .help = "d: the velocity of a dynamic body goes as exp(-d t)"},
    {"angular_damping", VALUE_NUMBER, AT(SceneBody, angular_damping), "0", .unit = "1/s",
     NOT_NEGATIVE, .help = "the same of turning; of a pinned body this one alone counts"},
    {"group", VALUE_NAME, AT(SceneBody, group),
     .help = "a name for bodies that `collides_with` speaks of; `default` when left out"},
    {"collides_with", VALUE_NAMES, AT(SceneBody, collides_with),
     .help = "groups whose bodies it meets, if those meet its own too; all when left out. Walls "
             "of a domain hold every body"},
    {"pin", VALUE_VEC3, AT(SceneBody, pin), .unit = "m",
     .help = "a point of the world: the point of a dynamic body that is there at the start stays "
             "there, and the body turns about it; z does not count in two dimensions. With "
             "`angular_velocity` and no `velocity` the body starts with the one that fits"},
    {"lock_rotation", VALUE_BOOL, AT(SceneBody, lock_rotation), "false",
     .help = "whether a dynamic body is kept from turning"},
    {"exact", VALUE_BOOL, AT(SceneBody, exact), "false",
     .help = "true: sheets and deformable bodies meet its triangles, and never cross them, however "
             "thin it is; they may be an open surface. false: they meet its inside, by its "
             "distance. It pushes them either way, and is not pushed"},
    {"passive", VALUE_BOOL, AT(SceneBody, passive), "false",
     .help = "whether a dynamic body is carried by the fluid without acting on it"},
    {"through_flow", VALUE_VEC3, AT(SceneBody, through_flow), "[0, 0, 0]", .unit = "m/s",
     .help = "along the body's own axes: fluid enters and leaves through its surface at this "
             "velocity, as through a fan"},
    {"color", VALUE_VEC3, AT(SceneBody, color), BETWEEN(0, 1),
     .help = "red, green, blue; by default the material's, or one of a palette"},
    {"repeat", VALUE_TABLE, AT(SceneBody, repeat), .table = &scene_repeat_table,
     .help = "many copies", .outside_copies = true},
};

const SceneTable scene_body_table = TABLE("rigid body", "A rigid body.", body_keys);

static const char *const pairs_choices[] = {"reevolve", "lagged", NULL};
static const char *const sequence_choices[] = {"collide_first", "standard", NULL};

static const char *const restitution_choices[] = {"min", "max", "product", NULL};

static const SceneKey contact_keys[] = {
    {"enabled", VALUE_BOOL, AT(SceneContact, enabled), "true",
     .help = "false: bodies pass through one another"},
    {"collision_iterations", VALUE_INTEGER, AT(SceneContact, collision_iterations), "5",
     BETWEEN(0, 100000), .help = "passes over all pairs that collide"},
    {"contact_iterations", VALUE_INTEGER, AT(SceneContact, contact_iterations), "10",
     BETWEEN(0, 100000), .help = "sweeps over the levels of the contact graph"},
    {"level_iterations", VALUE_INTEGER, AT(SceneContact, level_iterations), "2", BETWEEN(1, 100000),
     .help = "most passes over a level before the next"},
    {"shock_iterations", VALUE_INTEGER, AT(SceneContact, shock_iterations), "1", BETWEEN(0, 1),
     .help = "sweeps of shock propagation, after which each level carries what lies on it"},
    {"push_out", VALUE_BOOL, AT(SceneContact, push_out), "true",
     .help = "take overlaps out of positions"},
    {"clamp", VALUE_BOOL, AT(SceneContact, clamp), "true",
     .help = "let no impulse raise the kinetic energy"},
    {"sleep", VALUE_BOOL, AT(SceneContact, sleep), "true",
     .help = "leave bodies alone that stand exactly still"},
    {"travel", VALUE_NUMBER, AT(SceneContact, travel), "0.5", NOT_NEGATIVE,
     .help = "largest part of its size that a body moves in a step, which is cut for it; 0: no "
             "limit"},
    {"pairs", VALUE_CHOICE, AT(SceneContact, pairs), "reevolve", .choices = pairs_choices,
     .help = "reevolve: of a pair the deepest point first, and after each impulse a new look; "
             "lagged: every point found at first"},
    {"sequence", VALUE_CHOICE, AT(SceneContact, sequence), "collide_first",
     .choices = sequence_choices,
     .help = "collide_first: collisions with the velocity before forces, so that what rests does "
             "not bounce; standard: after them, to show why not"},
    {"restitution", VALUE_CHOICE, AT(SceneContact, restitution), "min",
     .choices = restitution_choices,
     .help = "of a pair: the lesser of both, the greater, or their product"},
};

static const SceneTable contact_table = TABLE("contact", "How bodies meet.", contact_keys);

static const char *const joint_impulse_choices[] = {"kept", "dropped", NULL};

static const SceneKey rigid_keys[] = {
    {"orientation_order", VALUE_INTEGER, AT(SceneRigid, orientation_order), "2", BETWEEN(1, 3),
     .help = "order in dt of the orientation update"},
    {"energy_correction", VALUE_BOOL, AT(SceneRigid, energy_correction), "true",
     .help = "turn each body to where its kinetic energy is kept"},
    {"joint_impulse", VALUE_CHOICE, AT(SceneRigid, joint_impulse), "kept",
     .choices = joint_impulse_choices,
     .help = "of the impulse by which joints stay closed in a step: kept: velocities get it too, "
             "and what swings keeps its energy; dropped: it moves bodies alone, the way of 002 "
             "chapter 4"},
    {"contact", VALUE_TABLE, AT(SceneRigid, contact), "{}", .table = &contact_table,
     .help = "how they meet"},
    {"bodies", VALUE_ITEMS, AT(SceneRigid, bodies), .table = &scene_body_table,
     .help = "the bodies"},
};

const SceneTable scene_rigid_table = TABLE("rigid", "Rigid bodies.", rigid_keys);
