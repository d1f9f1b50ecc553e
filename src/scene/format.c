/* The tables of the scene format; those of fluids and probes are in format_fluid.c. A key is added
 * there or here and nowhere else. */
#include "scene/format_keys.h"

/* ---- shapes ---- */

static const SceneKey orientation_keys[] = {
    {"axis", VALUE_VEC3, AT(SceneOrientation, axis), "[0, 1, 0]",
     .help = "axis of the rotation, of any length but zero"},
    {"angle", VALUE_MOTION, AT(SceneOrientation, angle), "0", .unit = "degrees",
     .help = "angle of the rotation; may use t in a kinematic body"},
};

const SceneTable scene_orientation_table =
    TABLE("orientation", "A rotation from the shape's axes to the world's.", orientation_keys);

static const SceneKey box_keys[] = {
    {"size", VALUE_VEC3, AT(SceneBox, size), "[1, 1, 1]", .unit = "m", POSITIVE,
     .help = "full edge lengths"},
};

static const SceneKey ball_keys[] = {
    {"radius", VALUE_NUMBER, AT(SceneBall, radius), "0.5", .unit = "m", POSITIVE,
     .help = "radius of the sphere that the vertices lie on"},
    {"subdivisions", VALUE_INTEGER, AT(SceneBall, subdivisions), "3", BETWEEN(0, 7),
     .help = "times an icosahedron's faces are split in four"},
};

static const SceneKey cylinder_keys[] = {
    {"radius", VALUE_NUMBER, AT(SceneRound, radius), "0.5", .unit = "m", POSITIVE,
     .help = "radius; the axis is y"},
    {"height", VALUE_NUMBER, AT(SceneRound, height), "1", .unit = "m", POSITIVE,
     .help = "length along the axis"},
    {"segments", VALUE_INTEGER, AT(SceneRound, segments), "32", BETWEEN(3, 4096),
     .help = "edges around"},
};

static const SceneKey capsule_keys[] = {
    {"radius", VALUE_NUMBER, AT(SceneRound, radius), "0.5", .unit = "m", POSITIVE,
     .help = "radius of the cylinder and its round ends; the axis is y"},
    {"height", VALUE_NUMBER, AT(SceneRound, height), "1", .unit = "m", POSITIVE,
     .help = "length of the straight part"},
    {"segments", VALUE_INTEGER, AT(SceneRound, segments), "32", BETWEEN(3, 4096),
     .help = "edges around"},
    {"sides", VALUE_INTEGER, AT(SceneRound, sides), "12", BETWEEN(1, 1024),
     .help = "bands in each round end"},
};

static const SceneKey torus_keys[] = {
    {"radius", VALUE_NUMBER, AT(SceneRound, radius), "0.5", .unit = "m", POSITIVE,
     .help = "from the centre to the middle of the tube; the hole is along y"},
    {"tube", VALUE_NUMBER, AT(SceneRound, tube), "0.2", .unit = "m", POSITIVE,
     .help = "radius of the tube, below `radius`"},
    {"segments", VALUE_INTEGER, AT(SceneRound, segments), "32", BETWEEN(3, 4096),
     .help = "edges around the hole"},
    {"sides", VALUE_INTEGER, AT(SceneRound, sides), "12", BETWEEN(3, 4096),
     .help = "edges around the tube"},
};

static const SceneKey cone_keys[] = {
    {"radius", VALUE_NUMBER, AT(SceneRound, radius), "0.5", .unit = "m", POSITIVE,
     .help = "radius of the base; the axis is y, the apex up, the middle of the axis the origin"},
    {"height", VALUE_NUMBER, AT(SceneRound, height), "1", .unit = "m", POSITIVE,
     .help = "from base to apex"},
    {"segments", VALUE_INTEGER, AT(SceneRound, segments), "32", BETWEEN(3, 4096),
     .help = "edges around"},
};

static const SceneKey file_keys[] = {
    {"path", VALUE_TEXT, AT(SceneFile, path), .required = true,
     .help = "a closed surface in an OBJ, PLY or STL file; relative to the scene's folder"},
    {"scale", VALUE_NUMBER, AT(SceneFile, scale), "1", POSITIVE,
     .help = "metres for a unit of the file"},
    {"cells", VALUE_INTEGER, AT(SceneFile, cells), "0", BETWEEN(0, 1024),
     .help = "cells of its distance field along the longest side; 0: chosen by its size"},
    {"repair", VALUE_BOOL, AT(SceneFile, repair), "true",
     .help = "merge equal vertices, drop degenerate triangles, turn them outward"},
    {"content", VALUE_TEXT, AT(SceneFile, content),
     .help = "written by the program: a hash by which a file that changed since is noticed"},
};

static const SceneKey combination_keys[] = {
    {"of", VALUE_LATERS, AT(SceneCombination, of), .required = true, .table = &scene_shape_table,
     .help = "the shapes; a difference is the first less all others"},
    {"cells", VALUE_INTEGER, AT(SceneCombination, cells), "64", BETWEEN(4, 256),
     .help =
         "cells of the distance field along the longest side; sharp edges are cut by up to one"},
};

static const SceneKey place_keys[] = {
    {"shape", VALUE_LATER, AT(ScenePlace, shape), .required = true, .table = &scene_shape_table,
     .help = "the shape to be moved"},
    {"position", VALUE_VEC3, AT(ScenePlace, position), "[0, 0, 0]", .unit = "m",
     .help = "where its origin goes"},
    {"orientation", VALUE_TABLE, AT(ScenePlace, orientation), "{}",
     .table = &scene_orientation_table, .help = "how it is turned"},
    {"scale", VALUE_NUMBER, AT(ScenePlace, scale), "1", POSITIVE, .help = "how it is scaled"},
};

static const SceneTable box_table = TABLE("box", "A box.", box_keys);
static const SceneTable ball_table = TABLE("ball", "A ball.", ball_keys);
static const SceneTable cylinder_table = TABLE("cylinder", "A cylinder.", cylinder_keys);
static const SceneTable capsule_table = TABLE("capsule", "A capsule.", capsule_keys);
static const SceneTable torus_table = TABLE("torus", "A ring.", torus_keys);
static const SceneTable cone_table = TABLE("cone", "A cone.", cone_keys);
static const SceneTable file_table = TABLE("file", "A surface from a file.", file_keys);
static const SceneTable half_space_table = {
    .name = "half_space",
    .help = "Everything below y = 0; only inside intersection or difference."};
static const SceneTable combination_table =
    TABLE("combination", "Shapes put together through their distance fields.", combination_keys);
static const SceneTable place_table =
    TABLE("place", "A shape moved, turned or scaled within another.", place_keys);

/* The first in the order of PlimShapeKind, then of SCENE_SHAPE_... */
static const SceneKey shape_keys[] = {
    {"box", VALUE_TABLE, AT(SceneShape, box), .table = &box_table, .help = "a box"},
    {"ball", VALUE_TABLE, AT(SceneShape, ball), .table = &ball_table, .help = "a ball"},
    {"cylinder", VALUE_TABLE, AT(SceneShape, round), .table = &cylinder_table,
     .help = "a cylinder"},
    {"capsule", VALUE_TABLE, AT(SceneShape, round), .table = &capsule_table,
     .help = "a cylinder with round ends"},
    {"torus", VALUE_TABLE, AT(SceneShape, round), .table = &torus_table, .help = "a ring"},
    {"cone", VALUE_TABLE, AT(SceneShape, round), .table = &cone_table, .help = "a cone"},
    {"file", VALUE_TABLE, AT(SceneShape, file), .table = &file_table,
     .help = "a surface from a file"},
    {"half_space", VALUE_TABLE, .table = &half_space_table, .help = "everything below y = 0"},
    {"union", VALUE_TABLE, AT(SceneShape, combination), .table = &combination_table,
     .help = "all of several shapes"},
    {"intersection", VALUE_TABLE, AT(SceneShape, combination), .table = &combination_table,
     .help = "what several shapes share"},
    {"difference", VALUE_TABLE, AT(SceneShape, combination), .table = &combination_table,
     .help = "the first shape less all others"},
    {"place", VALUE_TABLE, AT(SceneShape, place), .table = &place_table,
     .help = "a shape moved, turned or scaled"},
};

const SceneTable scene_shape_table = {
    .name = "shape",
    .help = "Exactly one of these. The body's position is where the shape's own origin goes.",
    .keys = shape_keys,
    .key_count = COUNT(shape_keys),
    .which_offset = offsetof(SceneShape, kind),
};

/* ---- rigid bodies ---- */

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

static const SceneTable repeat_table =
    TABLE("repeat",
          "Many of one thing: NAME_0, NAME_1, ... In the body's own expressions i, j, k are the "
          "place in the grid, n the number of the copy from 0, count how many there are, and "
          "random(1), random(2), ... numbers in [0, 1) of its own.",
          repeat_keys);

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
    {"velocity", VALUE_VEC3, AT(SceneBody, velocity), "[0, 0, 0]", .unit = "m/s",
     .help = "at the start"},
    {"angular_velocity", VALUE_VEC3, AT(SceneBody, angular_velocity), "[0, 0, 0]", .unit = "rad/s",
     .help = "at the start, in world axes"},
    {"material", VALUE_NAME, AT(SceneBody, material),
     .help = "one of `materials`, for density and color"},
    {"density", VALUE_NUMBER, AT(SceneBody, density), .unit = "kg/m^3", POSITIVE,
     .help = "in place of the material's; 1000 without either"},
    {"mass", VALUE_NUMBER, AT(SceneBody, mass), .unit = "kg", POSITIVE,
     .help = "in place of density times volume"},
    {"inertia", VALUE_VEC3, AT(SceneBody, inertia), .unit = "kg m^2", POSITIVE,
     .help = "about the shape's own axes, in place of the inertia of its triangles"},
    {"pin", VALUE_VEC3, AT(SceneBody, pin), .unit = "m",
     .help = "a point of the world: the point of a dynamic body that is there at the start stays "
             "there, and the body turns about it; z does not count in two dimensions"},
    {"lock_rotation", VALUE_BOOL, AT(SceneBody, lock_rotation), "false",
     .help = "whether a dynamic body is kept from turning"},
    {"passive", VALUE_BOOL, AT(SceneBody, passive), "false",
     .help = "whether a dynamic body is carried by the fluid without acting on it"},
    {"through_flow", VALUE_VEC3, AT(SceneBody, through_flow), "[0, 0, 0]", .unit = "m/s",
     .help = "along the body's own axes: fluid enters and leaves through its surface at this "
             "velocity, as through a fan"},
    {"color", VALUE_VEC3, AT(SceneBody, color), BETWEEN(0, 1),
     .help = "red, green, blue; by default the material's, or one of a palette"},
    {"repeat", VALUE_TABLE, AT(SceneBody, repeat), .table = &repeat_table, .help = "many copies",
     .outside_copies = true},
};

const SceneTable scene_body_table = TABLE("rigid body", "A rigid body.", body_keys);

static const SceneKey rigid_keys[] = {
    {"orientation_order", VALUE_INTEGER, AT(SceneRigid, orientation_order), "2", BETWEEN(1, 3),
     .help = "order in dt of the orientation update"},
    {"energy_correction", VALUE_BOOL, AT(SceneRigid, energy_correction), "true",
     .help = "turn each body to where its kinetic energy is kept"},
    {"bodies", VALUE_ITEMS, AT(SceneRigid, bodies), .table = &scene_body_table,
     .help = "the bodies"},
};

static const SceneTable rigid_table = TABLE("rigid", "Rigid bodies.", rigid_keys);

/* ---- the rest ---- */

static const SceneKey material_keys[] = {
    {"name", VALUE_NAME, AT(SceneMaterial, name), .required = true, .help = "its name"},
    {"density", VALUE_NUMBER, AT(SceneMaterial, density), "1000", .unit = "kg/m^3", POSITIVE,
     .help = "mass per volume"},
    {"color", VALUE_VEC3, AT(SceneMaterial, color), BETWEEN(0, 1), .help = "red, green, blue"},
};

const SceneTable scene_material_table =
    TABLE("material", "What bodies are made of.", material_keys);

static const SceneKey camera_keys[] = {
    {"position", VALUE_VEC3, AT(SceneCamera, position), .unit = "m",
     .help = "where the camera stands; fitted to the run when left out"},
    {"target", VALUE_VEC3, AT(SceneCamera, target), .unit = "m",
     .help = "what it looks at; the middle of the run when left out"},
    {"field_of_view", VALUE_NUMBER, AT(SceneCamera, field_of_view), "40", .unit = "degrees",
     BETWEEN(1, 150), .help = "across the height of the picture; used with `position`"},
    {"ground", VALUE_BOOL, AT(SceneCamera, ground), "true", .help = "draw a checker ground"},
    {"ground_height", VALUE_NUMBER, AT(SceneCamera, ground_height), .unit = "m",
     .help = "y of the ground; just under everything when left out"},
    {"checker", VALUE_NUMBER, AT(SceneCamera, checker), .unit = "m", POSITIVE,
     .help = "edge of a square of the ground; fitted when left out"},
};

static const SceneTable camera_table =
    TABLE("camera", "How `render` looks at the run.", camera_keys);

static const char *const coupling_choices[] = {"two_way", "one_way", NULL};
static const char *const solver_choices[] = {"auto", "monolithic", "split", NULL};
static const char *const positions_choices[] = {"move", "hold", NULL};

static const char *const surface_choices[] = {"cut", "faces", NULL};

static const SceneKey coupling_keys[] = {
    {"fluid", VALUE_CHOICE, AT(SceneCoupling, fluid), "two_way", .choices = coupling_choices,
     .help = "two_way: dynamic bodies and the fluid move one another; one_way: the fluid flows "
             "around bodies that do not feel it"},
    {"solver", VALUE_CHOICE, AT(SceneCoupling, solver), "auto", .choices = solver_choices,
     .help = "monolithic: viscosity, pressure and bodies in one solve; split: viscosity, then "
             "pressure, with bodies that the fluid does not move; auto: monolithic where the fluid "
             "moves a body"},
    {"positions", VALUE_CHOICE, AT(SceneCoupling, positions), "move", .choices = positions_choices,
     .help = "hold: dynamic bodies keep their places while velocities develop, as in Stokes flow"},
    {"surface", VALUE_CHOICE, AT(SceneCoupling, surface), "cut", .choices = surface_choices,
     .help = "cut: faces of cells are open in part, where a surface cuts them; faces: a surface "
             "lies on whole faces, the first-order way of 002 section 5.4"},
};

static const SceneTable coupling_table =
    TABLE("coupling", "How a fluid and dynamic bodies act on one another.", coupling_keys);

static const SceneKey time_step_keys[] = {
    {"max_dt", VALUE_NUMBER, AT(SceneTimeStep, max_dt), "0", .unit = "s", NOT_NEGATIVE,
     .help = "longest substep; each frame is cut into equal ones; 0: one step a frame"},
};

static const SceneTable time_step_table =
    TABLE("time_step", "How time is cut into steps.", time_step_keys);

static const SceneKey scene_keys[] = {
    {"plimsoll", VALUE_INTEGER, AT(SceneDocument, version), .required = true,
     .help = "version of the format: 1"},
    {"name", VALUE_NAME, AT(SceneDocument, name), "scene", .help = "name of the scene"},
    {"params", VALUE_PARAMS,
     .help = "names for numbers and words, to be used in \"=expressions\" and set from the command "
             "line"},
    {"duration", VALUE_NUMBER, AT(SceneDocument, duration), "1", .unit = "s", POSITIVE,
     .help = "length of the run"},
    {"fps", VALUE_NUMBER, AT(SceneDocument, fps), "24", .unit = "1/s", POSITIVE,
     .help = "frames a second"},
    {"gravity", VALUE_VEC3, AT(SceneDocument, gravity), "[0, -9.81, 0]", .unit = "m/s^2",
     .help = "acceleration of free fall"},
    {"dim", VALUE_INTEGER, AT(SceneDocument, dim), "3", BETWEEN(2, 3),
     .help = "dimensions; 2: a fluid in the plane z = 0, 1 m deep, and the bodies' cuts with it"},
    {"seed", VALUE_INTEGER, AT(SceneDocument, seed), "1", BETWEEN(0, 0x1p53),
     .help = "of everything random"},
    {"time_step", VALUE_TABLE, AT(SceneDocument, time_step), "{}", .table = &time_step_table,
     .help = "how time is cut into steps"},
    {"materials", VALUE_ITEMS, AT(SceneDocument, materials), .table = &scene_material_table,
     .help = "what bodies are made of"},
    {"rigid", VALUE_TABLE, AT(SceneDocument, rigid), .table = &rigid_table, .help = "rigid bodies"},
    {"fluid", VALUE_TABLE, AT(SceneDocument, fluid), .table = &scene_fluid_table,
     .help = "a fluid on a grid"},
    {"coupling", VALUE_TABLE, AT(SceneDocument, coupling), .table = &coupling_table,
     .help = "how the fluid and dynamic bodies act on one another"},
    {"probes", VALUE_ITEMS, AT(SceneDocument, probes), .table = &scene_probe_table,
     .help = "quantities to record"},
    {"camera", VALUE_TABLE, AT(SceneDocument, camera), .table = &camera_table,
     .help = "how to look at it"},
    {"resumed_from", VALUE_HASHES, AT(SceneDocument, resumed_from),
     .help = "written by `resume --set`: earlier forms of this scene whose states it may continue"},
};

const SceneTable scene_table = TABLE("scene", "The whole file.", scene_keys);
