/* A scene in memory: the tree, what was read from it, and what its worlds borrow. */
#ifndef SCENE_SCENE_H
#define SCENE_SCENE_H

#include "base/index_table.h"
#include "base/scratch.h"
#include "fluid/fluid.h"
#include "geom/mesh/section.h"
#include "math/quat.h"
#include "plimsoll/scene.h"
#include "scene/format.h"
#include "scene/reader.h"
#include "scene/shape.h"
#include "scene/systems.h"

typedef struct ScenePath ScenePath;
typedef struct SceneForces SceneForces;
typedef struct SceneDrives SceneDrives;

struct PlimScene {
    PlimContext *context;
    char *label;
    SceneNode *root;
    SceneReader reader;
    SceneDocument document;
    ARRAY(SceneSystem) systems; /* fluids, then splashes, in the order of the scene */
    ARRAY(ScenePath *) paths;
    ARRAY(SceneForces *) forces; /* that change */
    ARRAY(SceneDrives *) drives; /* of joints, as functions of time */
    ARRAY(const char *) groups;  /* names in the tree, but for `default` */
    SceneMeshes meshes;
    Scratch solids; /* what the liquids of worlds flow around, their sources and first shapes */
    ARRAY(SceneMaterial) materials;
    IndexTable materials_by_name;
    double body_count, memory;    /* estimates before anything large is made */
    bool has_dynamic, has_acting; /* bodies that forces move; that act on the fluid, too */
    char *text;
    uint64_t hash; /* of `text` without resumed_from: which scene this is */
};

/* True when a state written under `hash` may be continued by this scene. */
bool scene_accepts_state(const PlimScene *scene, uint64_t hash);

/* Adds `hash` to the scenes whose states this one continues, and writes `text` anew. */
PlimStatus scene_add_ancestor(PlimScene *scene, uint64_t hash);

/* ---- copies.c: many of one thing ---- */

/* Where the copy that is being read stands relative to the position of the first, and its random
 * rotation by at most `tilt`, about an axis evenly spread over all directions. */
Vec3 scene_copy_offset(const PlimScene *scene, const char *name, const SceneRepeat *repeat);
Quat scene_copy_tilt(const PlimScene *scene, const char *name, const SceneRepeat *repeat);
/* The body's own colour, its material's, or one of a palette. `own` negative: none. */
void scene_choose_color(const PlimScene *scene, const char *material_name, const double own[3],
                        size_t number, float color[3]);
/* Index of refraction and absorption of a material; an index of 0: light does not pass. */
void scene_choose_glass(const PlimScene *scene, const char *material_name, float glass[4]);
/* How many copies an entry asks for, as a double: it may be absurd. 0 after a problem. */
double scene_count_copies(PlimScene *scene, SceneNode *node, SceneRepeat *repeat);
/* Prepares to read copy n of a body: what its expressions may ask for. */
void scene_set_repeat(SceneReader *reader, const SceneNode *node, const SceneRepeat *repeat,
                      uint64_t n, uint64_t count);
/* Goes on after a body that is wrong, with the next body, so that all problems are found. */
typedef PlimStatus (*SceneCopyFn)(PlimScene *scene, SceneNode *node, size_t number, void *user);
PlimStatus scene_for_each_copy(PlimScene *scene, const SceneNode *list, SceneCopyFn visit,
                               void *user);

/* ---- build_rigid.c ---- */

/* The bodies of a world: what fluids and splashes flow around. */
struct SceneBodies {
    ARRAY(ImmersedSurface) around;
};

/* Reads every body, counts the copies, and checks what can be checked without a world. */
/* In joints.c. */
void scene_check_joints(PlimScene *scene);
PlimStatus scene_add_joints(PlimScene *scene, PlimWorld *world);
void scene_drives_free(PlimScene *scene);

void scene_check_bodies(PlimScene *scene);
/* Problems with bodies are kept; the status is then PLIM_BAD_INPUT. */
PlimStatus scene_add_bodies(PlimScene *scene, PlimWorld *world, SceneBodies *bodies);

/* ---- deform.c, deform_check.c: deformable solids ---- */

void scene_check_deformable(PlimScene *scene);
/* After the rigid bodies. */
PlimStatus scene_add_deformable(PlimScene *scene, PlimWorld *world);

/* ---- build.c ---- */

/* Checks what can be checked without a world. */
void scene_check_objects(PlimScene *scene);

/* Keeps a message of the library as a problem of the scene, with its place; passes the status on.
 */
PlimStatus scene_as_problem(PlimScene *scene, const SceneNode *node, PlimStatus status);

/* Adds what `node` describes to the memory the scene takes; a problem when the machine has less, or
 * when there are more things than can be counted. */
void scene_add_memory(PlimScene *scene, const SceneNode *node, double bytes, double count,
                      const char *things);

/* Whether distances of bodies are asked for: something flows around them, or runs into them. */
static inline bool scene_needs_solids(const PlimScene *scene) {
    return scene->systems.count > 0 || scene->document.deformable.bodies.node;
}

static inline size_t scene_item_count(SceneItems items) {
    return items.node ? items.node->children.count : 0;
}

/* What each item of a list describes, one after the other in `memory`: `describe` fills one, of
 * `size` bytes. */
typedef PlimStatus (*SceneDescribeFn)(PlimScene *scene, SceneNode *node, Scratch *memory,
                                      void *out);
PlimStatus scene_describe_items(PlimScene *scene, SceneItems list, Scratch *memory, size_t size,
                                SceneDescribeFn describe, const void **out, size_t *count);

/* ---- orientation.c ---- */

/* The direction of a vector of any length, were its square too large or too small for a double;
 * zero for zero. */
Vec3 scene_direction(const double axis[3]);
Quat scene_turn_by(Vec3 axis, double degrees);

/* The rotations of an orientation, from 0, one after the other. */
size_t scene_rotation_count(const SceneOrientation *orientation);
SceneRotation scene_read_rotation(PlimScene *scene, const SceneOrientation *orientation,
                                  size_t index);
/* All of them at t = 0. */
Quat scene_turn(PlimScene *scene, const SceneOrientation *orientation);
/* The same, from the first on. */
Quat scene_turn_on(PlimScene *scene, const SceneOrientation *orientation, Quat first);
/* Problems where an axis is zero; whether any uses t. */
bool scene_check_orientation(PlimScene *scene, const SceneNode *node,
                             const SceneOrientation *orientation);

/* ---- materials.c ---- */

/* Reads materials and checks their pairs. Before the bodies. */
void scene_read_materials(PlimScene *scene);
PlimStatus scene_add_material_pairs(PlimScene *scene, PlimWorld *world);
/* NULL, or 0: none; numbers count from 1. */
const SceneMaterial *scene_find_material(const PlimScene *scene, const char *name);
int scene_material_number(const PlimScene *scene, const char *name);
void scene_check_friction(PlimScene *scene, const SceneNode *node, const SceneFriction *friction);

/* ---- forces.c: forces on bodies, which belong to the scene ---- */

/* The value at a time; PLIM_BAD_INPUT where it has none. */
PlimStatus scene_motion_at(const SceneMotion *motion, PlimContext *context, double t,
                           double *value);
void scene_check_forces(PlimScene *scene, const SceneBody *body);
PlimStatus scene_describe_forces(PlimScene *scene, const SceneBody *body, Scratch *memory,
                                 PlimRigidDesc *desc);
void scene_forces_free(PlimScene *scene);

/* ---- groups.c: who collides with whom ---- */

/* Of each body; then, when all are known, whether groups that are named are there. */
void scene_note_group(PlimScene *scene, const SceneNode *node, const SceneBody *body);
void scene_check_groups(PlimScene *scene);
void scene_describe_groups(const PlimScene *scene, const SceneBody *body, PlimRigidDesc *desc);

/* ---- path.c: prescribed motion of kinematic bodies ---- */

/* Keyframes in order of time, on a body that follows a path and has no other. */
void scene_check_keyframes(PlimScene *scene, const SceneNode *node, const SceneBody *body);

/* Makes the body follow its keyframes or its expressions of t. `offset` is the place of a copy,
 * `tilt` its random rotation, `center` the centre of mass in the shape's own axes. The path belongs
 * to the scene. */
PlimStatus scene_add_path(PlimScene *scene, const SceneBody *body, Vec3 offset, Quat tilt,
                          Vec3 center, PlimRigidDesc *desc);
void scene_paths_free(PlimScene *scene);

/* ---- immerse.c: dynamic bodies in a fluid ---- */

/* What no table can say about the coupling. After the bodies. */
void scene_check_coupling(PlimScene *scene);

/* Whether the fluid can flow around such a body where it lies: not outside, nor through a wall, nor
 * too thin. PLIM_BAD_INPUT with a message if not. */
PlimStatus scene_check_fit(PlimScene *scene, const ImmersedSurface *body);

/* ---- domain.c: the box of cells that holds a liquid ---- */

/* Cells along each axis as doubles: they may be absurd. */
void scene_count_cells(const SceneDomain *domain, int dim, int64_t cells, double n[3],
                       double *spacing);
/* False after a problem; `node` holds the domain. */
bool scene_check_domain(PlimScene *scene, const SceneNode *node, const SceneDomain *domain,
                        int64_t cells);
/* Without its sides. */
Grid scene_domain_grid(const SceneDomain *domain, int dim, int64_t cells);
/* Warns where a whole number of cells made the domain longer or shorter. */
void scene_tell_size(const PlimScene *scene, const SceneSystem *system, const SceneDomain *domain,
                     const Grid *grid);

/* ---- probes.c ---- */

void scene_check_probes(PlimScene *scene);
PlimStatus scene_add_probes(PlimScene *scene, PlimWorld *world);

/* ---- schema.c: documents made from the tables, freed with context_free_text ---- */

char *scene_json_schema(PlimContext *context);
char *scene_reference(PlimContext *context);

#endif
