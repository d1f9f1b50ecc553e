/* The tables of a fluid and of probes. */
#include "scene/format_keys.h"

/* ---- the domain and its sides ---- */

static const SceneKey domain_keys[] = {
    {"low", VALUE_VEC3, AT(SceneDomain, low), "[0, 0, 0]", .unit = "m",
     .help = "lowest corner; z does not count in two dimensions"},
    {"high", VALUE_VEC3, AT(SceneDomain, high), "[1, 1, 1]", .unit = "m",
     .help = "highest corner; moved to a whole number of cells along the shorter sides"},
};

const SceneTable scene_domain_table =
    TABLE("domain", "The box that holds a fluid or a splash.", domain_keys);

static const char *const side_choices[] = {"wall", "open", "periodic", "inflow", NULL};

static const SceneKey side_keys[] = {
    {"kind", VALUE_CHOICE, AT(SceneSide, kind), "wall", .choices = side_choices,
     .help = "wall: nothing passes; open: pressure 0 outside, anything passes; periodic: joined to "
             "the opposite side; inflow: the velocity is given"},
    {"velocity", VALUE_FIELD3, AT(SceneSide, velocity), "[0, 0, 0]", .unit = "m/s",
     .help = "of what flows in; of a wall: how it moves along itself. Bodies that lie on it are "
             "taken along by friction, as by a belt"},
    WALL_KEYS(SceneSide),
    {"slip", VALUE_NUMBER, AT(SceneSide, slip), "0", .unit = "m", NOT_NEGATIVE,
     .help = "slip length of a wall: 0 holds a viscous fluid fast, 1e9 lets it slip freely"},
    {"smoke", VALUE_FIELD, AT(SceneSide, smoke), .help = "of what comes in; 0 when left out"},
    {"temperature", VALUE_FIELD, AT(SceneSide, temperature),
     .help = "of what comes in; ambient when left out"},
    {"level", VALUE_FIELD, AT(SceneSide, level), "1", .unit = "m",
     .help = "of what comes in where there is a liquid: negative is liquid, positive air"},
};

static const SceneTable side_table = {
    .name = "side",
    .help = "One side of the domain. A single word stands for the kind: `top: open`.",
    .keys = side_keys,
    .key_count = COUNT(side_keys),
    .short_form = true,
};

#define SIDE(name, axis, end, where)                                                               \
    {                                                                                              \
        name, VALUE_TABLE, AT(SceneSides, of[axis][end]), "wall", .table = &side_table,            \
                                                                  .help = where                    \
    }

static const SceneKey sides_keys[] = {
    SIDE("left", 0, 0, "low x"), SIDE("right", 0, 1, "high x"), SIDE("bottom", 1, 0, "low y"),
    SIDE("top", 1, 1, "high y"), SIDE("back", 2, 0, "low z"),   SIDE("front", 2, 1, "high z"),
};

static const SceneTable sides_table = TABLE(
    "sides", "The sides of the domain; back and front do not count in two dimensions.", sides_keys);

/* ---- smoke, start, sources ---- */

static const SceneKey smoke_keys[] = {
    {"weight", VALUE_NUMBER, AT(SceneSmoke, weight), "0", .unit = "m/s^2",
     .help = "acceleration downwards for a unit of smoke"},
    {"buoyancy", VALUE_NUMBER, AT(SceneSmoke, buoyancy), "0", .unit = "m/s^2",
     .help = "acceleration upwards for a degree above ambient"},
    {"ambient", VALUE_NUMBER, AT(SceneSmoke, ambient), "0",
     .help = "temperature of the surroundings"},
    {"cooling", VALUE_NUMBER, AT(SceneSmoke, cooling), "0", .unit = "1/s", NOT_NEGATIVE,
     .help = "rate at which the difference from ambient goes down"},
    {"fading", VALUE_NUMBER, AT(SceneSmoke, fading), "0", .unit = "1/s", NOT_NEGATIVE,
     .help = "rate at which smoke goes away"},
};

static const SceneTable smoke_table =
    TABLE("smoke", "Smoke and its temperature, carried by the fluid.", smoke_keys);

static const char *const scheme_choices[] = {"semi_lagrangian", "maccormack", NULL};
static const char *const surface_choices[] = {"second_order", "first_order", NULL};

static const SceneKey liquid_keys[] = {
    {"shapes", VALUE_LATERS, AT(SceneLiquid, shapes), .table = &scene_shape_table,
     .help =
         "where liquid is at t = 0, all of them together; in two dimensions their cut at z = 0"},
    {"level", VALUE_FIELD, AT(SceneLiquid, level), .unit = "m",
     .help = "in place of `shapes`: a function of place that is negative in liquid"},
    {"surface", VALUE_CHOICE, AT(SceneLiquid, surface), "second_order", .choices = surface_choices,
     .help = "where the air's pressure acts: on the surface, or at the middles of its cells"},
    {"particles", VALUE_INTEGER, AT(SceneLiquid, particles), "16", BETWEEN(0, 1024),
     .help = "that keep the surface sharp, in a cell near it; 0: none, only the level set"},
    {"scheme", VALUE_CHOICE, AT(SceneLiquid, scheme), "semi_lagrangian", .choices = scheme_choices,
     .help =
         "how the level set is carried; maccormack is sharper in smooth flows, and loses volume "
         "in breaking waves"},
    {"escape", VALUE_NUMBER, AT(SceneLiquid, escape), "0.02", NOT_NEGATIVE,
     .help = "cells on the wrong side of the surface from which a particle is a drop, or gone; "
             "about 0.5 in smooth flows"},
    {"corrections", VALUE_INTEGER, AT(SceneLiquid, corrections), "1", BETWEEN(1, 2),
     .help = "of the level set by particles in a step; 2 in smooth flows"},
    {"drops", VALUE_BOOL, AT(SceneLiquid, drops), "true",
     .help = "particles that leave the liquid fly on as drops"},
    {"bubbles", VALUE_BOOL, AT(SceneLiquid, bubbles), "false",
     .help = "particles of air that are lost in the liquid stay as bubbles"},
    {"rise", VALUE_NUMBER, AT(SceneLiquid, rise), "0.2", .unit = "m/s", NOT_NEGATIVE,
     .help = "speed of bubbles in still liquid"},
    {"reseed", VALUE_INTEGER, AT(SceneLiquid, reseed), "10", BETWEEN(1, 1000000),
     .help = "steps from one look for places that lack particles to the next"},
    {"extension", VALUE_INTEGER, AT(SceneLiquid, extension), "4", BETWEEN(3, 5),
     .help = "cells that velocities go on into the air"},
    {"separation", VALUE_BOOL, AT(SceneLiquid, separation), "false",
     .help = "liquid lets go of walls, ceilings and obstacles that pull at it, where air gets in"},
    {"volume_keeping", VALUE_BOOL, AT(SceneLiquid, volume_keeping), "true",
     .help = "shift the surface where its motion lost or made volume; false: the level set alone, "
             "to see what it loses"},
    {"volume_control", VALUE_BOOL, AT(SceneLiquid, volume_control), "false",
     .help = "bring the volume back to what was poured by a small divergence; what that made is "
             "told as volume.control"},
    {"absorption", VALUE_VEC3, AT(SceneLiquid, absorption), "[2, 0.7, 0.4]", .unit = "1/m",
     NOT_NEGATIVE, .help = "of red, green and blue light in pictures"},
};

static const SceneTable liquid_table =
    TABLE("liquid", "A liquid with a free surface under air that has no weight.", liquid_keys);

static const SceneKey random_keys[] = {
    {"amplitude", VALUE_NUMBER, AT(SceneRandom, amplitude), "1", .unit = "m/s", NOT_NEGATIVE,
     .help = "standard deviation of each component"},
    {"length", VALUE_NUMBER, AT(SceneRandom, length), "0.2", .unit = "m", POSITIVE,
     .help = "distance over which it changes"},
};

static const SceneTable random_table =
    TABLE("random", "Velocities of smooth noise from the scene's seed, not divergence-free.",
          random_keys);

static const SceneKey start_keys[] = {
    {"velocity", VALUE_FIELD3, AT(SceneStart, velocity), "[0, 0, 0]", .unit = "m/s",
     .help = "a function of place"},
    {"random", VALUE_TABLE, AT(SceneStart, random), .table = &random_table,
     .help = "in place of `velocity`"},
    {"smoke", VALUE_FIELD, AT(SceneStart, smoke), .help = "a function of place; 0 when left out"},
    {"temperature", VALUE_FIELD, AT(SceneStart, temperature),
     .help = "a function of place; ambient when left out"},
};

static const SceneTable start_table = TABLE("initial", "The fluid at t = 0.", start_keys);

static const char *const pouring_choices[] = {"none", "fill", "drain", NULL};

static const SceneKey source_keys[] = {
    {"name", VALUE_NAME, AT(SceneSource, name), .required = true, .help = "name in messages"},
    {"body", VALUE_NAME, AT(SceneSource, body),
     .help = "a rigid body that it follows: position and orientation, places in expressions and "
             "velocity are then in the axes of that body's shape; it stands still when left out"},
    {"shape", VALUE_LATER, AT(SceneSource, place.shape), .required = true,
     .table = &scene_shape_table, .help = "where it works; in two dimensions the cut at z = 0"},
    {"position", VALUE_VEC3, AT(SceneSource, place.position), "[0, 0, 0]", .unit = "m",
     .help = "where the shape's own origin goes"},
    {"orientation", VALUE_TABLE, AT(SceneSource, place.orientation), "{}",
     .table = &scene_orientation_table, .help = "how the shape is turned"},
    {"smoke", VALUE_FIELD, AT(SceneSource, smoke), .help = "what smoke is set to"},
    {"temperature", VALUE_FIELD, AT(SceneSource, temperature),
     .help = "what the temperature is set to"},
    {"velocity", VALUE_FIELD3, AT(SceneSource, velocity), .unit = "m/s",
     .help = "what the velocity is set to"},
    {"expansion", VALUE_FIELD, AT(SceneSource, expansion), .unit = "1/s",
     .help = "volume made in a volume; negative: a sink"},
    {"liquid", VALUE_CHOICE, AT(SceneSource, liquid), "none", .choices = pouring_choices,
     .help = "fill: all in the shape is liquid; drain: none is"},
    {"runs", VALUE_FIELD, AT(SceneSource, runs), "1",
     .help = "it fills or drains, and sets its velocity, while this is above 0; a function of t"},
    {"rate", VALUE_FIELD, AT(SceneSource, rate), .unit = "m^3/s",
     .help = "with liquid: fill, the volume that it pours, exactly (in two dimensions for 1 m of "
             "depth); a function of t; as much as keeps the shape full when left out"},
};

const SceneTable scene_source_table = TABLE(
    "source", "A place where values are set in every step; what is left out is not.", source_keys);

/* ---- the fluid ---- */

static const char *const advection_choices[] = {"semi_lagrangian", "maccormack", "none",
                                                "conservative", NULL};
static const char *const storage_choices[] = {"face", "node", NULL};
static const char *const flow_choices[] = {"solved", "given", NULL};

static const SceneKey fluid_keys[] = {
    {"name", VALUE_NAME, AT(SceneFluid, name),
     .help = "needed in a list, where it stands in columns, groups of files and probes"},
    {"domain", VALUE_TABLE, AT(SceneFluid, domain), "{}", .table = &scene_domain_table,
     .help = "the box that holds it"},
    {"cells", VALUE_INTEGER, AT(SceneFluid, cells), "64", BETWEEN(1, 100000),
     .help = "cells along the longest side of the domain"},
    {"sides", VALUE_TABLE, AT(SceneFluid, sides), "{}", .table = &sides_table,
     .help = "what the sides of the domain are"},
    {"obstacles", VALUE_LATERS, AT(SceneFluid, obstacles), .table = &scene_shape_table,
     .help = "shapes at rest that the fluid flows around; in two dimensions their cut at z = 0"},
    {"sources", VALUE_ITEMS, AT(SceneFluid, sources), .table = &scene_source_table,
     .help = "places where values are set in every step"},
    {"density", VALUE_NUMBER, AT(SceneFluid, density), "1000", .unit = "kg/m^3", POSITIVE,
     .help = "mass per volume"},
    {"viscosity", VALUE_FIELD, AT(SceneFluid, viscosity), "0", .unit = "Pa s", NOT_NEGATIVE,
     .help = "dynamic viscosity; may be a function of place, not of time"},
    {"slip", VALUE_NUMBER, AT(SceneFluid, slip), "0", .unit = "m", NOT_NEGATIVE,
     .help = "slip length of obstacles and bodies: 0 holds a viscous fluid fast"},
    {"advection", VALUE_CHOICE, AT(SceneFluid, advection), "maccormack",
     .choices = advection_choices,
     .help = "how values are carried along; none: Stokes flow, without inertia; conservative: the "
             "momentum of fluid and bodies is kept; smoke is carried by maccormack in both"},
    {"trace_order", VALUE_INTEGER, AT(SceneFluid, trace_order), "2", BETWEEN(1, 3),
     .help =
         "order in dt of the paths that values are carried along, where the order in time is 1"},
    {"time_order", VALUE_INTEGER, AT(SceneFluid, time_order), "2", BETWEEN(1, 2),
     .help = "order in time; 2 with maccormack on faces only, others have 1"},
    {"storage", VALUE_CHOICE, AT(SceneFluid, storage), "face", .choices = storage_choices,
     .help = "where values are while they are carried"},
    {"cfl", VALUE_NUMBER, AT(SceneFluid, cfl), "1", POSITIVE,
     .help = "cells that anything moves in a step, at most"},
    {"force", VALUE_FIELD3, AT(SceneFluid, force), "[0, 0, 0]", .unit = "m/s^2",
     .help = "acceleration beside gravity, a function of place and time"},
    {"confinement", VALUE_NUMBER, AT(SceneFluid, confinement), "0", NOT_NEGATIVE,
     .help = "of vortices: how much of what the grid damps is given back"},
    {"smoke", VALUE_TABLE, AT(SceneFluid, smoke), .table = &smoke_table,
     .help = "smoke and temperature; there are none when left out"},
    {"liquid", VALUE_TABLE, AT(SceneFluid, liquid), .table = &liquid_table,
     .help = "a free surface; the fluid fills its domain when left out"},
    {"flow", VALUE_CHOICE, AT(SceneFluid, flow), "solved", .choices = flow_choices,
     .help = "given: the velocity is that of `initial` at every time, and nothing is solved for"},
    {"tolerance", VALUE_NUMBER, AT(SceneFluid, tolerance), "1e-6", .low = 1e-14, .high = 1,
     .help = "of the pressure solve: divergence left, root mean square, over greatest velocity a "
             "cell"},
    {"initial", VALUE_TABLE, AT(SceneFluid, initial), "{}", .table = &start_table,
     .help = "how it starts"},
};

const SceneTable scene_fluid_table =
    TABLE("fluid",
          "A fluid that fills a grid and flows around obstacles and rigid bodies. Fields (numbers "
          "of sides, sources and the start, viscosity, force) may be expressions of x, y, z and t.",
          fluid_keys);

/* ---- probes ---- */

static const char *const axis_choices[] = {"x", "y", "z", NULL};

static const SceneKey section_keys[] = {
    {"axis", VALUE_CHOICE, AT(SceneSection, axis), .required = true, .choices = axis_choices,
     .help = "what it lies across; a flux is positive along it"},
    {"at", VALUE_NUMBER, AT(SceneSection, at), .required = true, .unit = "m",
     .help = "where on the axis"},
    {"low", VALUE_VEC3, AT(SceneSection, low), .unit = "m",
     .help = "lowest corner; the whole domain when left out; the axis itself does not count"},
    {"high", VALUE_VEC3, AT(SceneSection, high), .unit = "m", .help = "highest corner"},
};

static const SceneTable section_table =
    TABLE("section", "A rectangle that fluid flows through.", section_keys);

static const SceneKey probe_keys[] = {
    {"name", VALUE_NAME, AT(SceneProbe, name), .required = true,
     .help = "first part of the column names in probes.csv"},
    {"object", VALUE_NAME, AT(SceneProbe, object),
     .help =
         "what is measured: a body, a fluid or splash by its name (`fluid`, `splash` where it has "
         "none), a side of its domain, its obstacles; by default what has the probe's name"},
    {"domain", VALUE_NAME, AT(SceneProbe, domain),
     .help = "which of several fluids and splashes has the object, point or section; by default "
             "the one that has it"},
    {"point", VALUE_VEC3, AT(SceneProbe, point), .unit = "m",
     .help = "in place of `object`: a point of the fluid or splash"},
    {"section", VALUE_TABLE, AT(SceneProbe, section), .table = &section_table,
     .help = "in place of `object`: a section through the fluid"},
    {"quantities", VALUE_NAMES, AT(SceneProbe, quantities), .required = true,
     .help = "of a rigid body: position, orientation, velocity, angular_velocity, "
             "angular_momentum, kinetic_energy, mass, in a fluid fluid_force, fluid_torque; of a "
             "point: velocity, pressure, vorticity, smoke, temperature, level, surface; of a "
             "section or side: flux; of the fluid: kinetic_energy, divergence, enstrophy, smoke, "
             "of a liquid volume, front; of a splash: mass, center, momentum, kinetic_energy, "
             "front, top, at its points pressure, density, on its walls, obstacles and bodies "
             "fluid_force, on the latter two fluid_torque"},
};

const SceneTable scene_probe_table =
    TABLE("probe", "Quantities written to probes.csv after every step.", probe_keys);
