/* The tables of the scene format; those of rigid bodies are in format_rigid.c, those of fluids and
 * probes in format_fluid.c, those of splashes in format_splash.c. A key is added there or here and
 * nowhere else. */
#include "scene/format_keys.h"

/* ---- shapes ---- */

static const SceneKey rotation_keys[] = {
    {"axis", VALUE_VEC3, AT(SceneRotation, axis), "[0, 1, 0]",
     .help = "axis of the rotation, in the world, of any length but zero"},
    {"angle", VALUE_MOTION, AT(SceneRotation, angle), "0", .unit = "degrees",
     .help = "angle of the rotation; may use t in a kinematic body"},
};

const SceneTable scene_rotation_table =
    TABLE("rotation", "A rotation that follows others.", rotation_keys);

static const SceneKey orientation_keys[] = {
    {"axis", VALUE_VEC3, AT(SceneOrientation, first.axis), "[0, 1, 0]",
     .help = "axis of the rotation, of any length but zero"},
    {"angle", VALUE_MOTION, AT(SceneOrientation, first.angle), "0", .unit = "degrees",
     .help = "angle of the rotation; may use t in a kinematic body"},
    {"then", VALUE_ITEMS, AT(SceneOrientation, then), .table = &scene_rotation_table,
     .help = "rotations that follow it, one after the other, each about an axis of the world"},
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
    {"shell", VALUE_NUMBER, AT(SceneFile, shell), .unit = "m", POSITIVE,
     .help = "thickness of a thin shell: the surface may then be open, and has mass but no inside"},
    {"scale", VALUE_NUMBER, AT(SceneFile, scale), "1", POSITIVE,
     .help = "metres for a unit of the file"},
    {"cells", VALUE_INTEGER, AT(SceneFile, cells), "0", BETWEEN(0, 1024),
     .help = "cells of its distance field along the longest side; 0: by its edges, thinnest wall "
             "and narrowest gap"},
    {"repair", VALUE_BOOL, AT(SceneFile, repair), "true",
     .help = "merge equal vertices, drop degenerate triangles, turn them outward"},
    {"content", VALUE_TEXT, AT(SceneFile, content),
     .help = "written by the program: a hash by which a file that changed since is noticed"},
};

static const SceneKey half_space_keys[] = {
    {"size", VALUE_VEC2, AT(SceneHalfSpace, size), "[40, 40]", .unit = "m", POSITIVE,
     .help = "of the part of its surface that is drawn where it is not the ground, along x and z"},
};

static const SceneKey prism_keys[] = {
    {"points", VALUE_POINTS, AT(ScenePrism, points), .required = true, .unit = "m",
     .help = "corners of a polygon in the xy plane, convex or not, in order around it"},
    {"depth", VALUE_NUMBER, AT(ScenePrism, depth), "1", .unit = "m", POSITIVE,
     .help = "length along z, half of it on each side of z = 0"},
    {"cells", VALUE_INTEGER, AT(ScenePrism, cells), "0", BETWEEN(0, 1024),
     .help = "cells of its distance field along the longest side; 0: by its edges, thinnest wall "
             "and narrowest gap"},
};

static const SceneKey combination_keys[] = {
    {"of", VALUE_LATERS, AT(SceneCombination, of), .required = true, .table = &scene_shape_table,
     .help = "the shapes; a difference is the first less all others"},
    {"cells", VALUE_INTEGER, AT(SceneCombination, cells), "64", BETWEEN(4, 256),
     .help =
         "cells of the distance field along the longest side; sharp edges are cut by up to one"},
};

static const SceneKey place_keys[] = {
    {"name", VALUE_TEXT, AT(ScenePlace, name), .help = "of an obstacle, in pictures and exports"},
    {"material", VALUE_TEXT, AT(ScenePlace, material),
     .help = "of an obstacle: one of `materials`, for color and glass"},
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
static const SceneTable half_space_table =
    TABLE("half_space",
          "Everything below y = 0: a floor that never ends. The shape of a static or kinematic "
          "body, or inside intersection or difference.",
          half_space_keys);
static const SceneTable prism_table = TABLE("prism", "A polygon drawn out along z.", prism_keys);
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
    {"half_space", VALUE_TABLE, AT(SceneShape, half_space), .table = &half_space_table,
     .help = "everything below y = 0"},
    {"union", VALUE_TABLE, AT(SceneShape, combination), .table = &combination_table,
     .help = "all of several shapes"},
    {"intersection", VALUE_TABLE, AT(SceneShape, combination), .table = &combination_table,
     .help = "what several shapes share"},
    {"difference", VALUE_TABLE, AT(SceneShape, combination), .table = &combination_table,
     .help = "the first shape less all others"},
    {"place", VALUE_TABLE, AT(SceneShape, place), .table = &place_table,
     .help = "a shape moved, turned or scaled"},
    {"prism", VALUE_TABLE, AT(SceneShape, prism), .table = &prism_table,
     .help = "a polygon drawn out along z"},
};

const SceneTable scene_shape_table = {
    .name = "shape",
    .help = "Exactly one of these. The body's position is where the shape's own origin goes.",
    .keys = shape_keys,
    .key_count = COUNT(shape_keys),
    .which_offset = offsetof(SceneShape, kind),
};

/* ---- the rest ---- */

static const SceneKey friction_keys[] = {
    {"static", VALUE_NUMBER, AT(SceneFriction, at_rest), .required = true, NOT_NEGATIVE,
     .help = "coefficient of friction of what does not slide"},
    {"kinetic", VALUE_NUMBER, AT(SceneFriction, kinetic), NOT_NEGATIVE,
     .help = "coefficient of friction of what slides, at most `static`, and that when left out"},
};

const SceneTable scene_friction_table = {
    .name = "friction",
    .help = "Friction of a surface. A number alone is both.",
    .keys = friction_keys,
    .key_count = COUNT(friction_keys),
    .short_form = true,
};

static const SceneKey material_pair_keys[] = {
    {"materials", VALUE_NAMES, AT(SceneMaterialPair, materials), .required = true,
     .help = "two of `materials`, or one of them twice"},
    {"friction", VALUE_TABLE, AT(SceneMaterialPair, friction), .table = &scene_friction_table,
     .help = "coefficient of friction"},
    {"restitution", VALUE_NUMBER, AT(SceneMaterialPair, restitution), RESTITUTION,
     .help = "part of the approach speed that a bounce gives back"},
    {"rolling_friction", VALUE_NUMBER, AT(SceneMaterialPair, rolling_friction), .unit = "m",
     NOT_NEGATIVE, .help = "lever arm of the torque that resists rolling"},
    {"spinning_friction", VALUE_NUMBER, AT(SceneMaterialPair, spinning_friction), .unit = "m",
     NOT_NEGATIVE, .help = "lever arm of the torque that resists turning about the normal"},
};

const SceneTable scene_material_pair_table =
    TABLE("material pair",
          "How bodies of two materials meet, in place of what each of them says. What is left out "
          "is as without the pair.",
          material_pair_keys);

static const SceneKey glass_keys[] = {
    {"index", VALUE_NUMBER, AT(SceneGlass, index), "1.5", BETWEEN(1, 4),
     .help = "of refraction: 1.333 of water, 1.5 of glass, 2.4 of diamond"},
    {"absorption", VALUE_VEC3, AT(SceneGlass, absorption), "[3, 1, 2]", .unit = "1/m", NOT_NEGATIVE,
     .help = "of red, green and blue light"},
};

static const SceneTable glass_table =
    TABLE("glass", "Bends, mirrors and absorbs light, in pictures.", glass_keys);

static const SceneKey material_keys[] = {
    {"name", VALUE_NAME, AT(SceneMaterial, name), .required = true, .help = "its name"},
    {"density", VALUE_NUMBER, AT(SceneMaterial, density), "1000", .unit = "kg/m^3", POSITIVE,
     .help = "mass per volume"},
    {"friction", VALUE_TABLE, AT(SceneMaterial, friction), "{\"static\": 0.5}",
     .table = &scene_friction_table,
     .help = "coefficient of friction; of a pair the greater one counts"},
    {"restitution", VALUE_NUMBER, AT(SceneMaterial, restitution), "0", RESTITUTION,
     .help = "part of the approach speed that a bounce gives back; of a pair the lesser one "
             "counts, or what `restitution` of `contact` says"},
    {"rolling_friction", VALUE_NUMBER, AT(SceneMaterial, rolling_friction), "0", .unit = "m",
     NOT_NEGATIVE, .help = "lever arm of the torque that resists rolling"},
    {"spinning_friction", VALUE_NUMBER, AT(SceneMaterial, spinning_friction), "0", .unit = "m",
     NOT_NEGATIVE, .help = "lever arm of the torque that resists turning about the normal"},
    {"color", VALUE_VEC3, AT(SceneMaterial, color), BETWEEN(0, 1), .help = "red, green, blue"},
    {"glass", VALUE_TABLE, AT(SceneMaterial, glass), .table = &glass_table,
     .help = "light goes through it, in pictures; rigid bodies and obstacles"},
};

const SceneTable scene_material_table =
    TABLE("material", "What bodies are made of.", material_keys);

static const SceneKey camera_keys[] = {
    {"position", VALUE_VEC3, AT(SceneCamera, position), .unit = "m",
     .help = "where the camera stands; fitted to what moves when left out"},
    {"target", VALUE_VEC3, AT(SceneCamera, target), .unit = "m",
     .help = "what it looks at; the middle of the run when left out"},
    {"field_of_view", VALUE_NUMBER, AT(SceneCamera, field_of_view), "40", .unit = "degrees",
     BETWEEN(1, 150), .help = "across the height of the picture; used with `position`"},
    {"ground", VALUE_BOOL, AT(SceneCamera, ground), "true", .help = "draw a checker ground"},
    {"ground_height", VALUE_NUMBER, AT(SceneCamera, ground_height), .unit = "m",
     .help = "y of the ground; a level half-space, or just under everything when left out"},
    {"checker", VALUE_NUMBER, AT(SceneCamera, checker), .unit = "m", POSITIVE,
     .help = "edge of a square of the ground; fitted when left out"},
    {"caption", VALUE_BOOL, AT(SceneCamera, caption), "true",
     .help = "write name, time and what is shown into pictures"},
    {"glass", VALUE_BOOL, AT(SceneCamera, glass), "false",
     .help = "draw the upright sides of liquids' domains as glass"},
};

static const SceneKey output_keys[] = {
    {"contacts", VALUE_BOOL, AT(SceneOutput, contacts), "false",
     .help = "where rigid bodies touch, with normals and forces"},
};

static const SceneTable output_table =
    TABLE("output", "What frames hold beside what they always do.", output_keys);

static const SceneTable camera_table =
    TABLE("camera", "How `render` looks at the run.", camera_keys);

static const char *const coupling_choices[] = {"two_way", "one_way", NULL};
static const char *const solver_choices[] = {"auto", "monolithic", "split", NULL};
static const char *const positions_choices[] = {"move", "hold", NULL};

static const char *const surface_choices[] = {"cut", "faces", NULL};

static const SceneKey coupling_keys[] = {
    {"fluid", VALUE_CHOICE, AT(SceneCoupling, fluid), "two_way", .choices = coupling_choices,
     .help = "two_way: dynamic bodies and the fluid or splash move one another; one_way: it flows "
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
    {"lubrication", VALUE_BOOL, AT(SceneCoupling, lubrication), "false",
     .help =
         "films between bodies, and bodies and walls, that are thinner than a cell resist being "
         "squeezed; needs viscosity"},
    {"roughness", VALUE_NUMBER, AT(SceneCoupling, roughness), "0.001", BETWEEN(1e-6, 0.1),
     .help = "thinnest film, over the radius of curvature: what is nearer touches"},
};

static const SceneTable coupling_table =
    TABLE("coupling", "How a fluid and dynamic bodies act on one another.", coupling_keys);

static const SceneKey time_step_keys[] = {
    {"max_dt", VALUE_NUMBER, AT(SceneTimeStep, max_dt), "0", .unit = "s", NOT_NEGATIVE,
     .help =
         "longest substep; each frame is cut into equal ones; 0: 1/96 s for rigid bodies that may "
         "meet and for deformable solids that move, where there is no fluid; else, and with "
         "'contact: {travel: 0}', one step a frame"},
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
     .help =
         "dimensions; 2: the plane z = 0, 1 m deep: fluids in it, and the bodies' cuts with it"},
    {"seed", VALUE_INTEGER, AT(SceneDocument, seed), "1", BETWEEN(0, 0x1p53),
     .help = "of everything random"},
    {"time_step", VALUE_TABLE, AT(SceneDocument, time_step), "{}", .table = &time_step_table,
     .help = "how time is cut into steps"},
    {"materials", VALUE_ITEMS, AT(SceneDocument, materials), .table = &scene_material_table,
     .help = "what bodies are made of"},
    {"material_pairs", VALUE_ITEMS, AT(SceneDocument, material_pairs),
     .table = &scene_material_pair_table, .help = "how pairs of materials meet"},
    {"rigid", VALUE_TABLE, AT(SceneDocument, rigid), .table = &scene_rigid_table,
     .help = "rigid bodies"},
    {"joints", VALUE_ITEMS, AT(SceneDocument, joints), .table = &scene_joint_table,
     .help = "joints between rigid bodies"},
    {"deformable", VALUE_TABLE, AT(SceneDocument, deformable), .table = &scene_deformable_table,
     .help = "deformable solids"},
    {"fluid", VALUE_TABLES, AT(SceneDocument, fluid), .table = &scene_fluid_table,
     .help = "a fluid on a grid, or several with names, whose domains do not overlap"},
    {"splash", VALUE_TABLES, AT(SceneDocument, splash), .table = &scene_splash_table,
     .help = "a splashing liquid of particles, or several with names"},
    {"coupling", VALUE_TABLE, AT(SceneDocument, coupling), .table = &coupling_table,
     .help = "how the fluid and dynamic bodies act on one another"},
    {"probes", VALUE_ITEMS, AT(SceneDocument, probes), .table = &scene_probe_table,
     .help = "quantities to record"},
    {"output", VALUE_TABLE, AT(SceneDocument, output), .table = &output_table,
     .help = "what frames hold beside what they always do"},
    {"camera", VALUE_TABLE, AT(SceneDocument, camera), .table = &camera_table,
     .help = "how to look at it"},
    {"resumed_from", VALUE_HASHES, AT(SceneDocument, resumed_from),
     .help = "written by `resume --set`: earlier forms of this scene whose states it may continue"},
};

const SceneTable scene_table = TABLE("scene", "The whole file.", scene_keys);
