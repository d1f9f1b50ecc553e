/* The tables of deformable solids. */
#include "scene/format_deform.h"
#include "scene/format_keys.h"

/* ---- which nodes ---- */

#define NODES(type)                                                                                \
    {"in", VALUE_LATER, AT(type, nodes.in), .table = &scene_shape_table,                           \
     .help = "nodes in this shape, at rest and in the body's own axes; `place` moves it"},         \
        {"near", VALUE_VEC3, AT(type, nodes.near_to), .unit = "m",                                 \
         .help = "in place of `in`: the node nearest to this point, at rest in own axes"},         \
    {                                                                                              \
        "group", VALUE_TEXT, AT(type, nodes.group),                                                \
            .help = "in place of `in`: nodes of the surface on this group (`g` or `o`) of the "    \
                    "OBJ file that the shape or the sheet is from, or else the skin"               \
    }

static const SceneKey turn_keys[] = {
    {"axis", VALUE_VEC3, AT(ScenePin, turn.axis), "[0, 1, 0]",
     .help = "axis of the rotation, in the world, of any length but zero"},
    {"angle", VALUE_MOTION, AT(ScenePin, turn.angle), "0", .unit = "degrees",
     .help = "angle of the rotation; may use t"},
    {"about", VALUE_VEC3, AT(ScenePin, about), "[0, 0, 0]", .unit = "m",
     .help = "a point of the axis, in the world"},
};

static const SceneTable turn_table =
    TABLE("pin turn", "Pinned nodes turn about an axis, from where they start.", turn_keys);

static const SceneKey pin_keys[] = {
    {"name", VALUE_NAME, AT(ScenePin, name), .required = true, .help = "name in probes"},
    NODES(ScenePin),
    {"axes", VALUE_TEXT, AT(ScenePin, axes), "xyz",
     .help = "along which axes of the world they are held: some of the letters x, y, z"},
    {"move", VALUE_MOTION3, AT(ScenePin, move), "[0, 0, 0]", .unit = "m",
     .help = "how far from where they start they are taken; may use t"},
    /* Its keys lie beside those of the pin. */
    {"turn", VALUE_TABLE, .offset = 0, .table = &turn_table,
     .help = "how they are turned, before `move`; may use t"},
    {"from", VALUE_NUMBER, AT(ScenePin, from), "0", .unit = "s", NOT_NEGATIVE,
     .help = "when it takes hold of them; `move` and `turn` then count from where they are"},
    {"until", VALUE_NUMBER, AT(ScenePin, until), .unit = "s", POSITIVE,
     .help = "when it lets go; never when left out"},
    {"with", VALUE_NAME, AT(ScenePin, with),
     .help = "a static or kinematic rigid body that they move with"},
};

const SceneTable scene_pin_table =
    TABLE("pin", "Nodes that are held, or led along a path. Its probes: force, torque.", pin_keys);

static const SceneKey load_keys[] = {
    {"name", VALUE_NAME, AT(SceneLoad, name), .required = true, .help = "name in probes"},
    NODES(SceneLoad),
    {"force", VALUE_MOTION3, AT(SceneLoad, force), "[0, 0, 0]", .unit = "N",
     .help = "on all of them together, by area where they span parts of the surface, else evenly; "
             "may use t"},
    {"pressure", VALUE_MOTION, AT(SceneLoad, pressure), "0", .unit = "Pa",
     .help = "on the parts of the surface they span, inward; may use t"},
};

const SceneTable scene_load_table =
    TABLE("load", "A force on nodes, or a pressure on the surface. Its probes: force, torque.",
          load_keys);

static const SceneKey point_keys[] = {
    {"name", VALUE_NAME, AT(ScenePoint, name), .required = true, .help = "name in probes"},
    {"near", VALUE_VEC3, AT(ScenePoint, near_to), .required = true, .unit = "m",
     .help = "the node nearest to this point, at rest and in the body's own axes"},
    {"group", VALUE_TEXT, AT(ScenePoint, group),
     .help = "nearest among the nodes of this group of the OBJ file, as of pins"},
};

const SceneTable scene_point_table =
    TABLE("point", "A node with a name. Its probes: position, velocity.", point_keys);

/* ---- what it is made of ---- */

static const SceneKey mesh_keys[] = {
    {"path", VALUE_TEXT, AT(SceneTetFile, path), .required = true,
     .help = "a Gmsh .msh file (2.2 or 4.1, text) of tetrahedra, or of triangles in a plane z = "
             "const in two dimensions; relative to the scene's folder"},
    {"scale", VALUE_NUMBER, AT(SceneTetFile, scale), "1", POSITIVE,
     .help = "metres for a unit of the file"},
    {"content", VALUE_TEXT, AT(SceneTetFile, content),
     .help = "written by the program: a hash by which a file that changed since is noticed"},
};

static const SceneTable mesh_table = TABLE("element mesh", "Elements from a file.", mesh_keys);

static const SceneKey lattice_keys[] = {
    {"size", VALUE_VEC3, AT(SceneLattice, size), "[1, 1, 1]", .unit = "m", POSITIVE,
     .help = "full edge lengths"},
    {"cells", VALUE_VEC3, AT(SceneLattice, cells), "[1, 1, 1]", BETWEEN(1, 1e6),
     .help = "cells along each axis; nodes are at their corners"},
    {"stiffness", VALUE_NUMBER, AT(SceneLattice, stiffness), .required = true, .unit = "N/m",
     POSITIVE, .help = "of each link"},
    {"damping", VALUE_NUMBER, AT(SceneLattice, damping), "0", .unit = "N s/m", NOT_NEGATIVE,
     .help = "of each link"},
};

static const SceneTable lattice_table =
    TABLE("lattice",
          "Masses and links (004 section 2.2): each node is linked with those of its cells, along "
          "edges and diagonals.",
          lattice_keys);

static const char *const sheet_cut_choices[] = {"crosswise", "herring_bone", "one_way",
                                                "mirrored",  "irregular",    NULL};

static const SceneKey sheet_keys[] = {
    {"size", VALUE_VEC2, AT(SceneSheet, size), "[1, 1]", .unit = "m", POSITIVE,
     .help = "edge lengths along own x and z; its upper side looks along y"},
    {"cells", VALUE_VEC2, AT(SceneSheet, cells), "[10, 10]", BETWEEN(1, 1e5),
     .help = "cells along x and z"},
    {"cut", VALUE_CHOICE, AT(SceneSheet, cut), "herring_bone", .choices = sheet_cut_choices,
     .help =
         "how cells are cut into triangles: herring_bone: two, neighbours by opposite diagonals "
         "(000 figure 3.1); mirrored: row by row; one_way: all the same; crosswise: four; "
         "irregular: two, with inner nodes moved at random from the scene's seed"},
    {"path", VALUE_TEXT, AT(SceneSheet, path),
     .help = "in place of a rectangle: a surface from an OBJ, PLY or STL file; relative to the "
             "scene's folder"},
    {"scale", VALUE_NUMBER, AT(SceneSheet, scale), "1", POSITIVE,
     .help = "metres for a unit of the file"},
    {"content", VALUE_TEXT, AT(SceneSheet, content),
     .help = "written by the program: a hash by which a file that changed since is noticed"},
};

static const SceneTable sheet_table =
    TABLE("sheet", "Cloth, paper: triangles in space without an inside.", sheet_keys);

static const SceneKey chain_keys[] = {
    {"length", VALUE_NUMBER, AT(SceneChain, length), "1", .unit = "m", POSITIVE,
     .help = "of the whole, along own x"},
    {"segments", VALUE_INTEGER, AT(SceneChain, segments), "20", BETWEEN(1, 1e6),
     .help = "of equal length"},
};

static const SceneTable chain_table =
    TABLE("chain", "A sheet of two dimensions: segments in a row.", chain_keys);

static const SceneKey particle_keys[] = {
    {"radius", VALUE_NUMBER, AT(SceneParticle, radius), "0.05", .unit = "m", POSITIVE,
     .help = "of the ball that is drawn; contact takes the particle for a point"},
};

static const SceneTable particle_table =
    TABLE("particle", "A single particle; give `mass`.", particle_keys);

static const char *const altitude_choices[] = {"all", "shortest", NULL};

static const SceneKey spring_keys[] = {
    {"edges", VALUE_NUMBER, AT(SceneSprings, edges), "0", .unit = "N", NOT_NEGATIVE,
     .help = "E of springs along edges: their force is E (l/L - 1)"},
    {"altitudes", VALUE_NUMBER, AT(SceneSprings, altitudes), "0", .unit = "N", NOT_NEGATIVE,
     .help = "E of springs from corners of elements to the opposite sides"},
    {"which", VALUE_CHOICE, AT(SceneSprings, which), "all", .choices = altitude_choices,
     .help = "all: every altitude of an element; shortest: the one that is shortest at the moment"},
    {"damping", VALUE_NUMBER, AT(SceneSprings, damping), "0", NOT_NEGATIVE,
     .help = "overdamping fraction: 1 is critical for a spring alone"},
};

static const SceneTable springs_table =
    TABLE("springs", "Springs in a mesh of elements, beside or in place of `young`.", spring_keys);

static const SceneKey wind_keys[] = {
    {"velocity", VALUE_FIELD3, AT(SceneWind, velocity), "[0, 0, 0]", .unit = "m/s",
     .help = "of the air, a function of place and t"},
    {"density", VALUE_NUMBER, AT(SceneWind, density), "1.2", .unit = "kg/m^3", POSITIVE,
     .help = "of the air"},
    {"drag", VALUE_NUMBER, AT(SceneWind, drag), "1", NOT_NEGATIVE,
     .help = "c: the pressure on the surface is density c/2 |u_n| u_n, with the normal part u_n of "
             "the wind seen from there"},
};

static const SceneTable wind_table = TABLE("wind", "Air that blows at a body.", wind_keys);

static const SceneKey skin_keys[] = {
    {"path", VALUE_TEXT, AT(SceneSkin, path), .required = true,
     .help = "an OBJ, PLY or STL file, in the body's own axes at rest; relative to the scene's "
             "folder"},
    {"scale", VALUE_NUMBER, AT(SceneSkin, scale), "1", POSITIVE,
     .help = "metres for a unit of the file"},
    {"content", VALUE_TEXT, AT(SceneSkin, content),
     .help = "written by the program: a hash by which a file that changed since is noticed"},
};

static const SceneTable skin_table =
    TABLE("skin", "A finer surface that the elements carry.", skin_keys);

/* ---- a body ---- */

static const char *const cut_choices[] = {"crosswise", "herring_bone", "one_way", "mirrored", NULL};
static const char *const bending_choices[] = {"shell", "hinge", "none", NULL};
static const char *const rest_choices[] = {"mesh", "flat", NULL};
static const char *const fabric_choices[] = {"none", "cotton", "silk", "denim", "paper", NULL};
static const char *const model_choices[] = {"linear", "corotated", "st_venant_kirchhoff",
                                            "neo_hookean", NULL};
static const char *const plane_choices[] = {"strain", "stress", NULL};
static const char *const form_choices[] = {"green", "diagonal", NULL};

static const SceneKey body_keys[] = {
    {"name", VALUE_NAME, AT(SceneSoftBody, name), .required = true,
     .help = "name in messages, probes and files"},
    {"shape", VALUE_ONE_OF, AT(SceneSoftBody, shape), .table = &scene_shape_table,
     .help = "what is filled with elements: a box with a block of cells, anything else by its "
             "distance; in two dimensions the cut at z = 0, 1 m deep"},
    {"mesh", VALUE_TABLE, AT(SceneSoftBody, mesh), .table = &mesh_table,
     .help = "in place of `shape`: elements from a file"},
    {"sheet", VALUE_TABLE, AT(SceneSoftBody, sheet), .table = &sheet_table,
     .help = "in place of `shape`: a sheet of triangles, in three dimensions"},
    {"chain", VALUE_TABLE, AT(SceneSoftBody, chain), .table = &chain_table,
     .help = "in place of `shape`: a chain of segments, in two dimensions"},
    {"lattice", VALUE_TABLE, AT(SceneSoftBody, lattice), .table = &lattice_table,
     .help = "in place of `shape`: masses and links"},
    {"particle", VALUE_TABLE, AT(SceneSoftBody, particle), .table = &particle_table,
     .help = "in place of `shape`: a single particle"},
    {"cells", VALUE_VEC3, AT(SceneSoftBody, cells), BETWEEN(0, 1e6),
     .help = "of a box: cells along each axis, in place of `spacing`"},
    {"spacing", VALUE_NUMBER, AT(SceneSoftBody, spacing), .unit = "m", POSITIVE,
     .help = "about the edge of an element; a tenth of the longest side when left out"},
    {"cut", VALUE_CHOICE, AT(SceneSoftBody, cut), "crosswise", .choices = cut_choices,
     .help = "of a box in two dimensions: how its cells are cut into triangles; crosswise: four "
             "each, the least stiff"},
    {"map", VALUE_FIELD3, AT(SceneSoftBody, map), .unit = "m",
     .help = "where a node goes that would be at x, y, z: bends the body at rest"},
    {"start", VALUE_FIELD3, AT(SceneSoftBody, start), .unit = "m",
     .help = "where a node starts that rests at x, y, z, in own axes: a body that is deformed at "
             "the start"},
    {"scramble", VALUE_NUMBER, AT(SceneSoftBody, scramble), "0", .unit = "m", NOT_NEGATIVE,
     .help = "largest random offset of each node at the start, along each axis, from the scene's "
             "seed"},
    {"position", VALUE_VEC3, AT(SceneSoftBody, position), "[0, 0, 0]", .unit = "m",
     .help = "where the shape's own origin goes"},
    {"orientation", VALUE_TABLE, AT(SceneSoftBody, orientation), "{}",
     .table = &scene_orientation_table, .help = "how it is turned"},
    {"velocity", VALUE_FIELD3, AT(SceneSoftBody, velocity), "[0, 0, 0]", .unit = "m/s",
     .help = "at the start, a function of place"},
    {"angular_velocity", VALUE_VEC3, AT(SceneSoftBody, angular_velocity), "[0, 0, 0]",
     .unit = "rad/s", .help = "at the start, about the centre of mass, beside `velocity`"},
    {"material", VALUE_NAME, AT(SceneSoftBody, material),
     .help = "one of `materials`, for density, friction and color"},
    {"density", VALUE_NUMBER, AT(SceneSoftBody, density), .unit = "kg/m^3", POSITIVE,
     .help = "in place of the material's; 1000 without either"},
    {"mass", VALUE_NUMBER, AT(SceneSoftBody, mass), .unit = "kg", POSITIVE,
     .help = "of the whole body, in place of density times volume; of a lattice or a particle it "
             "must be given"},
    {"model", VALUE_CHOICE, AT(SceneSoftBody, model), "neo_hookean", .choices = model_choices,
     .help = "constitutive law of the elements"},
    {"young", VALUE_NUMBER, AT(SceneSoftBody, young), .unit = "Pa", POSITIVE,
     .help = "Young's modulus of the elements; without it they have `springs` alone"},
    {"poisson", VALUE_NUMBER, AT(SceneSoftBody, poisson), "0.3", BETWEEN(0, 0.5),
     .help = "Poisson's ratio, from 0 to below 0.5"},
    {"plane", VALUE_CHOICE, AT(SceneSoftBody, plane), "strain", .choices = plane_choices,
     .help = "in two dimensions: plane strain, nothing gives way along z; plane stress, nothing "
             "presses along z"},
    {"least_stretch", VALUE_NUMBER, AT(SceneSoftBody, least_stretch), "0.35", BETWEEN(0.01, 0.9),
     .help = "neo_hookean: below this stretch its logarithm goes on to second order, so that "
             "inverted elements turn back"},
    {"damping", VALUE_NUMBER, AT(SceneSoftBody, damping), "0", .unit = "s", NOT_NEGATIVE,
     .help = "a: stress of a times the elastic moduli times the rate of strain"},
    {"damping_form", VALUE_CHOICE, AT(SceneSoftBody, damping_form), "green",
     .choices = form_choices,
     .help = "green: of the rate of Green's strain, exerts no torque; diagonal: that of 002 "
             "section 5.5.1, which does on a stretched body"},
    {"yield_stretch", VALUE_NUMBER, AT(SceneSoftBody, yield_stretch), BETWEEN(1, 1000),
     .low_exclusive = true,
     .help = "s: what an element is stretched beyond s, or pressed below 1/s, it keeps "
             "(plasticity); without, the body always returns to its shape; not of sheets"},
    {"fabric", VALUE_CHOICE, AT(SceneSoftBody, fabric), "none", .choices = fabric_choices,
     .help =
         "of a sheet or chain: area_density, stretch, bending_stiffness and friction of a known "
         "one, where they are not given"},
    {"area_density", VALUE_NUMBER, AT(SceneSoftBody, area_density), .unit = "kg/m^2", POSITIVE,
     .help = "of a sheet, in place of `density`; of a chain, too, which is 1 m deep"},
    {"stretch", VALUE_NUMBER, AT(SceneSoftBody, stretch), .unit = "N/m", POSITIVE,
     .help = "of a sheet or chain: Young's modulus times thickness, of its membrane elements; "
             "without it a sheet has `springs`"},
    {"bending", VALUE_CHOICE, AT(SceneSoftBody, bending), "shell", .choices = bending_choices,
     .help = "of a sheet: shell: by mean curvatures around vertices, nearly the same on any mesh; "
             "hinge: every edge for itself (000 section 3.2.2), softer or stiffer by a tenth with "
             "the mesh; none"},
    {"bending_stiffness", VALUE_NUMBER, AT(SceneSoftBody, bending_stiffness), .unit = "N m",
     NOT_NEGATIVE,
     .help = "B of a sheet or chain: moment a length over curvature, E h^3/12 of a thin plate of "
             "thickness h; 0 without it or a fabric"},
    {"bending_damping", VALUE_NUMBER, AT(SceneSoftBody, bending_damping), "0", .unit = "s",
     NOT_NEGATIVE,
     .help = "of a sheet or chain: moment of this times B times the rate of curvature"},
    {"rest_angles", VALUE_CHOICE, AT(SceneSoftBody, rest_angles), "mesh", .choices = rest_choices,
     .help = "of a sheet or chain: mesh: it bends back to its angles at rest; flat: to none"},
    {"strain_limit", VALUE_NUMBER, AT(SceneSoftBody, strain_limit), "0.1", NOT_NEGATIVE,
     .help =
         "of a sheet or chain: impulses keep edges within this part of their length at rest, and "
         "its change in a step (000 section 3.2.1); 0: off"},
    {"springs", VALUE_TABLE, AT(SceneSoftBody, springs), .table = &springs_table,
     .help = "springs along edges and altitudes of the elements"},
    {"wind", VALUE_TABLE, AT(SceneSoftBody, wind), .table = &wind_table,
     .help = "air that blows at it"},
    {"skin", VALUE_TABLE, AT(SceneSoftBody, skin), .table = &skin_table,
     .help = "a surface that is drawn in place of that of the tetrahedra and moves with those "
             "around it; contact does not know it"},
    {"pins", VALUE_ITEMS, AT(SceneSoftBody, pins), .table = &scene_pin_table,
     .help = "nodes that are held or led"},
    {"loads", VALUE_ITEMS, AT(SceneSoftBody, loads), .table = &scene_load_table,
     .help = "forces and pressures on it"},
    {"points", VALUE_ITEMS, AT(SceneSoftBody, points), .table = &scene_point_table,
     .help = "nodes with names, for probes"},
    {"friction", VALUE_TABLE, AT(SceneSoftBody, friction), .table = &scene_friction_table,
     .help = "coefficient of friction, in place of the material's; 0.5 without either; of a pair "
             "the greater one counts, and `kinetic` for what slides"},
    {"collisions", VALUE_BOOL, AT(SceneSoftBody, collisions), "true",
     .help = "whether its surface and those of other deformable bodies are in each other's way"},
    {"self_collision", VALUE_BOOL, AT(SceneSoftBody, self_collision), "false",
     .help = "whether a solid that is alone meets itself; sheets do, and solids where there are "
             "several"},
    {"thickness", VALUE_NUMBER, AT(SceneSoftBody, thickness), .unit = "m", POSITIVE,
     .help = "distance that surfaces of deformable bodies keep, of a pair the mean; a quarter of "
             "the mean edge of its faces when left out, at most that edge"},
    {"color", VALUE_VEC3, AT(SceneSoftBody, color), BETWEEN(0, 1),
     .help = "red, green, blue; by default the material's, or one of a palette"},
    {"checkered", VALUE_NUMBER, AT(SceneSoftBody, checkered), "0", .unit = "m", NOT_NEGATIVE,
     .help =
         "of a sheet: edge of squares that are drawn in turn in its color and a pale one; 0: none"},
    {"repeat", VALUE_TABLE, AT(SceneSoftBody, repeat), .table = &scene_repeat_table,
     .help = "many copies; pins, loads and points of a copy are named COPY_NAME",
     .outside_copies = true},
};

const SceneTable scene_soft_body_table =
    TABLE("deformable body",
          "A deformable solid. Exactly one of shape, mesh, sheet, chain, lattice and particle. Its "
          "probes: "
          "center, velocity, volume, stretch, energy, momentum, "
          "angular_momentum, contact_force.",
          body_keys);

/* ---- all of them ---- */

static const char *const integrator_choices[] = {"newmark", "midpoint", "backward_euler", "static",
                                                 NULL};
static const char *const elastic_choices[] = {"mean", "middle", "last", NULL};

static const char *const zone_choices[] = {"rigid", "affine", NULL};

static const SceneKey deformable_keys[] = {
    {"integrator", VALUE_CHOICE, AT(SceneDeformable, integrator), "midpoint",
     .choices = integrator_choices,
     .help = "newmark: elastic forces explicit, damping implicit, many short steps (002 section "
             "4.2); midpoint: implicit, keeps momenta, any step; backward_euler: implicit, damps "
             "what moves fast; static: equilibrium at each time"},
    {"elastic", VALUE_CHOICE, AT(SceneDeformable, elastic), "mean", .choices = elastic_choices,
     .help = "newmark: elastic force over the step: the mean of those at its ends, which keeps "
             "angular momentum; that in the middle (002 section 4.7); the last (002 section 5.4)"},
    {"step_fraction", VALUE_NUMBER, AT(SceneDeformable, step_fraction), "0.7", BETWEEN(0, 1),
     .low_exclusive = true,
     .help = "newmark: longest step, as a part of a bound on the longest stable one"},
    {"tolerance", VALUE_NUMBER, AT(SceneDeformable, tolerance), "1e-6", BETWEEN(1e-14, 0.1),
     .help = "implicit: forces that are left over, as a part of all forces"},
    {"iterations", VALUE_INTEGER, AT(SceneDeformable, iterations), "100", BETWEEN(1, 10000),
     .help = "implicit: Newton's iterations in a step at most"},
    {"contact", VALUE_BOOL, AT(SceneDeformable, contact), "true",
     .help = "whether rigid bodies are in their way"},
    {"frame_elements", VALUE_BOOL, AT(SceneDeformable, frame_elements), "true",
     .help = "whether frames hold all elements with stress and stretch beside surfaces, for "
             "`export --to vtk` and ParaView; without, they are smaller"},
    {"collisions", VALUE_BOOL, AT(SceneDeformable, collisions), "true",
     .help = "whether deformable bodies are in each other's way, and sheets in their own"},
    {"zones", VALUE_CHOICE, AT(SceneDeformable, zones), "rigid", .choices = zone_choices,
     .help = "how nodes move together that nothing else keeps from crossing: as a rigid body (000 "
             "section 3.2.2), or by an affine map where that is safe (003 section 3.2)"},
    {"preroll", VALUE_NUMBER, AT(SceneDeformable, preroll), "0", .unit = "s", NOT_NEGATIVE,
     .help = "before this time `drag` acts, so that sheets settle (000 section 3.2.3)"},
    {"drag", VALUE_NUMBER, AT(SceneDeformable, drag), "5", .unit = "1/s", NOT_NEGATIVE,
     .help = "c of a force -c m v on every node during `preroll`"},
    {"bodies", VALUE_ITEMS, AT(SceneDeformable, bodies), .table = &scene_soft_body_table,
     .help = "the bodies"},
};

const SceneTable scene_deformable_table =
    TABLE("deformable", "Deformable solids.", deformable_keys);
