/* Shared by the files that read deformable solids. */
#ifndef SCENE_DEFORM_H
#define SCENE_DEFORM_H

#include "deform/deform.h"
#include "scene/format_deform.h"
#include "scene/scene.h"

/* Which of the keys that say what a body is filled with was given. */
enum { SOFT_SHAPE, SOFT_MESH, SOFT_SHEET, SOFT_CHAIN, SOFT_LATTICE, SOFT_PARTICLE, SOFT_KINDS };

/* The kind, or SOFT_KINDS when there is none or more than one. */
int soft_kind(const SceneNode *node);

SceneSoftBody soft_read_body(PlimScene *scene, SceneNode *node);
ScenePin soft_read_pin(PlimScene *scene, SceneNode *node);
SceneLoad soft_read_load(PlimScene *scene, SceneNode *node);
ScenePoint soft_read_point(PlimScene *scene, SceneNode *node);

/* Along a path of its own, not still or with a body. */
bool soft_pin_is_led(const SceneNode *node, const ScenePin *pin);

/* How a body, or the copy of it that is made, is turned at the start; at rest, too. */
Quat soft_turn(PlimScene *scene, const SceneSoftBody *body);

/* Cells of a box, and the spacing of anything else. */
void soft_box_cells(const SceneSoftBody *body, int dim, double cells[3]);
double soft_spacing(const SceneSoftBody *body, double longest);

/* The mesh file that groups of nodes are named in. */
typedef struct SoftFile {
    const char *path;      /* NULL: there is none */
    double scale;          /* m for a unit of it */
    const SceneField *map; /* from its axes to those of the nodes; NULL: the same */
} SoftFile;

/* Nodes at rest in own axes, and what is between them; lives in the memory it was made in. */
typedef struct SoftMesh {
    SoftFile file;
    Vec3 *rest;
    int32_t (*elements)[4], (*faces)[3], (*links)[2];
    size_t node_count, element_count, face_count, link_count;
    bool is_sheet; /* elements have one corner less, and are the faces */
} SoftMesh;

PlimStatus soft_make_mesh(PlimScene *scene, SceneNode *node, const SceneSoftBody *body,
                          Scratch *memory, SoftMesh *out);

/* ---- deform_sheet.c ---- */

/* What no table can say of sheets and chains. */
void soft_check_sheet(PlimScene *scene, SceneNode *node, const SceneSoftBody *body);
/* Puts what the fabric says where nothing was given. */
void soft_apply_fabric(const SceneNode *node, SceneSoftBody *body);
PlimStatus soft_make_sheet(PlimScene *scene, const SceneSheet *sheet, Scratch *memory,
                           SoftMesh *out);
/* Places of nodes on a checkerboard of squares of the given edge, m, along the two longest sides of
 * the sheet; NULL: out of memory. */
const double (*soft_checks(const SoftMesh *mesh, double edge, Scratch *memory))[2];
PlimStatus soft_make_chain(const SceneChain *chain, Scratch *memory, SoftMesh *out);

/* ---- deform_skin.c ---- */

void soft_check_skin(PlimScene *scene, const SceneNode *node, const SceneSoftBody *body);
/* Reads the file, turns it as the body is, and gives it to that of the solids. */
PlimStatus soft_add_skin(PlimScene *scene, const SceneSoftBody *body, Deform *deform,
                         size_t number);

/* ---- deform_group.c ---- */

/* Adds nodes of the surface that lie on a group of the body's file. PLIM_BAD_INPUT: there are none.
 */
PlimStatus soft_choose_group(PlimScene *scene, const char *group, const char *name,
                             const SoftMesh *mesh, Scratch *memory, int32_t *chosen, size_t *count);

/* Where a map of the scene takes a point; in two dimensions into the plane. */
Vec3 soft_map_point(const PlimScene *scene, const SceneField map[3], Vec3 x);

/* Nodes that a pin or load is about. PLIM_BAD_INPUT: there are none. */
PlimStatus soft_choose_nodes(PlimScene *scene, const SceneNodes *nodes, const char *name,
                             const SoftMesh *mesh, Scratch *memory, int32_t **chosen,
                             size_t *count);

#endif
