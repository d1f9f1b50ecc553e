/* The tables of a splashing liquid. Defaults are those of splash_desc_default. */
#include "scene/format_keys.h"

/* ---- its sides ---- */

static const char *const side_choices[] = {"wall", "open", NULL}; /* as SCENE_SIDE_... */

static const SceneKey side_keys[] = {
    {"kind", VALUE_CHOICE, AT(SceneSplashSide, kind), "wall", .choices = side_choices,
     .help = "wall: nothing passes; open: what leaves is gone, and counted"},
    WALL_KEYS(SceneSplashSide),
};

static const SceneTable side_table = {
    .name = "splash side",
    .help = "One side of the domain. A single word stands for the kind: `top: open`.",
    .keys = side_keys,
    .key_count = COUNT(side_keys),
    .short_form = true,
};

#define SIDE(name, axis, end, where)                                                               \
    {                                                                                              \
        name, VALUE_TABLE, .offset = sizeof(SceneSplashSide) * (2 * (axis) + (end)),               \
                           .fallback = "wall", .table = &side_table, .help = where                 \
    }

static const SceneKey sides_keys[] = {
    SIDE("left", 0, 0, "low x"), SIDE("right", 0, 1, "high x"), SIDE("bottom", 1, 0, "low y"),
    SIDE("top", 1, 1, "high y"), SIDE("back", 2, 0, "low z"),   SIDE("front", 2, 1, "high z"),
};

static const SceneTable sides_table =
    TABLE("splash sides", "The sides of the domain; back and front do not count in two dimensions.",
          sides_keys);

/* ---- what is in it ---- */

#define PLACED(type, what)                                                                         \
    {"name", VALUE_NAME, AT(type, name), .required = true, .help = "name in messages"},            \
        {"shape",                                                                                  \
         VALUE_LATER,                                                                              \
         AT(type, place.shape),                                                                    \
         .required = true,                                                                         \
         .table = &scene_shape_table,                                                              \
         .help = what},                                                                            \
        {"position",  VALUE_VEC3,  AT(type, place.position),                                       \
         "[0, 0, 0]", .unit = "m", .help = "where the shape's own origin goes"},                   \
        {"orientation",                                                                            \
         VALUE_TABLE,                                                                              \
         AT(type, place.orientation),                                                              \
         "{}",                                                                                     \
         .table = &scene_orientation_table,                                                        \
         .help = "how the shape is turned"},                                                       \
    {                                                                                              \
        "scale", VALUE_NUMBER, AT(type, place.scale), "1", POSITIVE,                               \
            .help = "how the shape is scaled"                                                      \
    }

static const SceneKey liquid_keys[] = {
    PLACED(ScenePlaced, "what is liquid at t = 0; in two dimensions the cut at z = 0"),
    {"velocity", VALUE_FIELD3, AT(SceneSplashLiquid, velocity), "[0, 0, 0]", .unit = "m/s",
     .help = "at t = 0, a function of place"},
};

const SceneTable scene_splash_liquid_table = TABLE(
    "splash liquid", "Liquid at t = 0. Where several overlap, the first counts.", liquid_keys);

static const SceneKey source_keys[] = {
    PLACED(ScenePlaced, "its cut through `position`, across `velocity`, is the mouth"),
    {"velocity", VALUE_VEC3, AT(SceneSplashSource, velocity), .required = true, .unit = "m/s",
     .help = "of what comes out; not zero"},
    {"rate", VALUE_NUMBER, AT(SceneSplashSource, rate), "0", .unit = "kg/s", NOT_NEGATIVE,
     .help = "mass that comes out; 0: as much as the mouth lets through at full density"},
    {"runs", VALUE_FIELD, AT(SceneSplashSource, runs), "1",
     .help = "it runs while this is above 0; a function of t"},
};

const SceneTable scene_splash_source_table =
    TABLE("splash source", "A mouth that liquid comes out of.", source_keys);

static const SceneKey sink_keys[] = {
    PLACED(ScenePlaced, "where particles are taken away, and counted"),
};

const SceneTable scene_splash_sink_table =
    TABLE("splash sink", "A place where liquid is taken away.", sink_keys);

static const SceneKey blast_keys[] = {
    {"name", VALUE_NAME, AT(SceneBlast, name), .required = true, .help = "name in messages"},
    {"time", VALUE_NUMBER, AT(SceneBlast, time), "0", .unit = "s", NOT_NEGATIVE,
     .help = "when it goes off, once"},
    {"center", VALUE_VEC3, AT(SceneBlast, center), .required = true, .unit = "m",
     .help = "middle of the ball"},
    {"radius", VALUE_NUMBER, AT(SceneBlast, radius), "0.5", .unit = "m", POSITIVE,
     .help = "of the ball"},
    {"speed", VALUE_NUMBER, AT(SceneBlast, speed), "10", .unit = "m/s", POSITIVE,
     .help = "away from the middle, in place of the velocity that particles had"},
};

const SceneTable scene_blast_table =
    TABLE("blast", "An explosion: the liquid in a ball flies apart.", blast_keys);

static const SceneKey surface_keys[] = {
    {"mesh", VALUE_BOOL, AT(SceneSplashSurface, mesh), "true",
     .help = "frames hold a surface around the particles, and spray as particles; false: all "
             "particles"},
    {"particles", VALUE_BOOL, AT(SceneSplashSurface, particles), "false",
     .help = "frames hold all particles beside the surface"},
    {"radius", VALUE_NUMBER, AT(SceneSplashSurface, radius), "1", POSITIVE,
     .help = "of a particle in the surface, in parts of their spacing"},
    {"smoothing", VALUE_INTEGER, AT(SceneSplashSurface, smoothing), "8", BETWEEN(0, 1000),
     .help = "passes that smooth the surface"},
    {"absorption", VALUE_VEC3, AT(SceneSplashSurface, absorption), "[2, 0.7, 0.4]", .unit = "1/m",
     NOT_NEGATIVE, .help = "of red, green and blue light in pictures"},
};

static const SceneTable surface_table =
    TABLE("splash surface", "What frames show of the liquid.", surface_keys);

/* ---- the splash ---- */

static const char *const incompressibility_choices[] = {"unilateral", "bilateral", NULL};
static const char *const transfer_choices[] = {"flip", "apic", NULL};
static const char *const path_choices[] = {"euler", "trapezoidal", NULL};
static const char *const densities_choices[] = {"right", "matrix", NULL};
static const char *const fractions_choices[] = {"update", "right", NULL};
static const char *const preconditioner_choices[] = {"multigrid", "mic0", "none", NULL};

static const SceneKey splash_keys[] = {
    {"name", VALUE_NAME, AT(SceneSplash, name),
     .help = "needed in a list, where it stands in columns, groups of files and probes"},
    {"domain", VALUE_TABLE, AT(SceneSplash, domain), "{}", .table = &scene_domain_table,
     .help = "the box that holds it"},
    {"cells", VALUE_INTEGER, AT(SceneSplash, cells), "64", BETWEEN(1, 100000),
     .help = "cells along the longest side of the domain"},
    {"sides", VALUE_TABLE, AT(SceneSplash, sides), "{}", .table = &sides_table,
     .help = "what the sides of the domain are"},
    {"density", VALUE_NUMBER, AT(SceneSplash, density), "1000", .unit = "kg/m^3", POSITIVE,
     .help = "of liquid that fills a cell"},
    {"viscosity", VALUE_NUMBER, AT(SceneSplash, viscosity), "0", .unit = "Pa s", NOT_NEGATIVE,
     .help = "dynamic viscosity; water 0.001, honey 10"},
    {"slip", VALUE_NUMBER, AT(SceneSplash, slip), "0", .unit = "m", NOT_NEGATIVE,
     .help = "slip length of walls, obstacles and bodies that the liquid does not move: 0 holds a "
             "viscous liquid fast, 1e9 lets it slip freely"},
    {"particles", VALUE_INTEGER, AT(SceneSplash, particles), "2", BETWEEN(1, 16),
     .bounds_reason = "a cell of liquid has this many along each edge",
     .help = "along an edge of a cell: 2 makes 4 in a cell in two dimensions, 8 in three"},
    {"jitter", VALUE_NUMBER, AT(SceneSplash, jitter), "0", BETWEEN(0, 1),
     .help = "of their first places, in parts of their spacing"},
    {"incompressibility", VALUE_CHOICE, AT(SceneSplash, incompressibility), "unilateral",
     .choices = incompressibility_choices,
     .help = "unilateral: may expand, never compress, and lets go of walls; bilateral: neither, "
             "the classic solve, with sharp obstacles"},
    {"transfer", VALUE_CHOICE, AT(SceneSplash, transfer), "flip", .choices = transfer_choices,
     .help = "flip: particles take over changes of the grid's velocity; apic: the velocity and its "
             "gradient"},
    {"flip", VALUE_NUMBER, AT(SceneSplash, flip), "0.97", BETWEEN(0, 1),
     .help = "part of FLIP in velocities, the rest is PIC; does not count with apic"},
    {"path", VALUE_CHOICE, AT(SceneSplash, path), "euler", .choices = path_choices,
     .help = "how particles move through the grid's velocity"},
    {"densities", VALUE_CHOICE, AT(SceneSplash, densities), "right", .choices = densities_choices,
     .help = "where densities stand in the solve (001 section 3.1)"},
    {"fractions", VALUE_CHOICE, AT(SceneSplash, fractions), "update", .choices = fractions_choices,
     .help = "where volume fractions of obstacles stand in the solve"},
    {"air", VALUE_NUMBER, AT(SceneSplash, air), "0.1", BETWEEN(0, 1),
     .help = "part of the density below which a cell is air"},
    {"sealed", VALUE_BOOL, AT(SceneSplash, sealed), "false",
     .help =
         "cells that solids cover in part are air below that part of what they can hold: nothing "
         "leaks into solids, and pressure on them is whole; always so where the liquid pushes "
         "bodies"},
    {"settling", VALUE_NUMBER, AT(SceneSplash, settling), "0.1", BETWEEN(0, 1),
     .help = "part of the room of nearly full cells that may fill in the time in which a fall "
             "passes an "
             "eighth of a cell; 1: all at once, as 001 has it, and deep pools bounce"},
    {"correct_density", VALUE_BOOL, AT(SceneSplash, correct_density), "true",
     .help = "a second solve moves particles apart where they crowd"},
    {"crowding", VALUE_NUMBER, AT(SceneSplash, crowding), "0.005", NOT_NEGATIVE,
     .help = "what the correction leaves above the greatest density, in parts of it, at most"},
    {"corrections", VALUE_INTEGER, AT(SceneSplash, corrections), "40", BETWEEN(1, 100),
     .help = "passes of the correction in a step, at most"},
    {"tolerance", VALUE_NUMBER, AT(SceneSplash, tolerance), "1e-6", .low = 1e-14, .high = 1,
     .help = "of the solves: free space that is wrong, in parts of a cell"},
    {"preconditioner", VALUE_CHOICE, AT(SceneSplash, preconditioner), "multigrid",
     .choices = preconditioner_choices, .help = "of the solves"},
    {"cfl", VALUE_NUMBER, AT(SceneSplash, cfl), "1", .low = 0, .low_exclusive = true, .high = 10,
     .help = "cells that anything moves in a step, at most"},
    {"samples", VALUE_INTEGER, AT(SceneSplash, samples), "4", BETWEEN(1, 8),
     .help = "of obstacles, along an edge of a cell"},
    {"extrapolation", VALUE_INTEGER, AT(SceneSplash, extrapolation), "4", BETWEEN(0, 100),
     .help = "sweeps that carry velocities on into the air"},
    {"liquids", VALUE_ITEMS, AT(SceneSplash, liquids), .table = &scene_splash_liquid_table,
     .help = "liquid at t = 0"},
    {"obstacles", VALUE_LATERS, AT(SceneSplash, obstacles), .table = &scene_shape_table,
     .help = "shapes at rest; in two dimensions their cut at z = 0"},
    {"sources", VALUE_ITEMS, AT(SceneSplash, sources), .table = &scene_splash_source_table,
     .help = "mouths that liquid comes out of"},
    {"sinks", VALUE_ITEMS, AT(SceneSplash, sinks), .table = &scene_splash_sink_table,
     .help = "places where liquid is taken away"},
    {"blasts", VALUE_ITEMS, AT(SceneSplash, blasts), .table = &scene_blast_table,
     .help = "explosions"},
    {"surface", VALUE_TABLE, AT(SceneSplash, surface), "{}", .table = &surface_table,
     .help = "what frames show"},
};

const SceneTable scene_splash_table =
    TABLE("splash",
          "A splashing liquid: particles with mass, which a grid keeps from being pressed together "
          "but which may fly apart (001 chapter 3). Rigid bodies of any motion are obstacles; "
          "dynamic ones and the liquid push one another, but for a bilateral one or with "
          "`coupling: {fluid: one_way}`.",
          splash_keys);
