/* Shapes of a scene: from the tree to triangles. Surfaces from files and combinations are made once
 * and shared by all bodies that describe them alike. */
#ifndef SCENE_SHAPE_H
#define SCENE_SHAPE_H

#include "base/index_table.h"
#include "geom/solid.h"
#include "grid/grid.h"
#include "plimsoll/rigid.h"
#include "scene/format.h"
#include "system/frame_view.h"

/* A surface that is not a plain primitive. */
typedef struct SceneMesh {
    uint64_t key;     /* hash of its description */
    const char *path; /* of the file it is from, in the tree; NULL: it is from none */
    TriangleMesh mesh;
    PlimMeshDesc desc; /* of `mesh` */
    Vec3 center;       /* of mass, in the shape's own axes */
    Bvh *bvh;          /* the last two only when a combination needs them */
    LevelSet *field;
} SceneMesh;

typedef struct SceneMeshes {
    ARRAY(SceneMesh *) items;
} SceneMeshes;

typedef struct PlimScene PlimScene;

/* Checks what can be checked without making triangles: nested shapes, files. Paths become absolute
 * in the tree. Returns about how many vertices the surface will have, and adds to *work_bytes what
 * making it takes for a while. */
double scene_shape_check(PlimScene *scene, SceneNode *node, const SceneShape *shape,
                         double *work_bytes);

/* Notes in the tree where a file is and what is in it, so that the run can be repeated; a problem
 * if `content` says that it was another. Returns its size. */
double scene_file_check(PlimScene *scene, SceneNode *map, const char *name, const char *content);

/* A shape for the world. The mesh it may point to belongs to the scene. */
typedef struct SceneResolved {
    PlimShapeDesc desc;
    Vec3 center;        /* of mass, in the shape's own axes */
    const Solid *solid; /* what a mesh stands for, in the same axes; NULL: a primitive, or nothing
                           in the scene flows around bodies */
} SceneResolved;

/* The solid lives in `memory`, level sets of files in the scene. */
PlimStatus scene_shape_resolve(PlimScene *scene, SceneNode *node, const SceneShape *shape,
                               Scratch *memory, SceneResolved *out);

/* A list of shapes: checks them, and makes one solid of all of them. The solid lives in `memory`,
 * level sets of files in the scene. */
void scene_shapes_check(PlimScene *scene, const SceneNode *list, double *work_bytes);
/* Likewise of obstacles, which may have materials. */
void scene_obstacles_check(PlimScene *scene, const SceneNode *list, double *work_bytes);
/* Their triangles, as long as the scene is there; NULL where cells show them: `solid` is what
 * scene_shapes_solid made of them, `grid` that of their fluid. */
PlimStatus scene_obstacle_mesh(PlimScene *scene, const SceneNode *list, const Solid *solid,
                               const Grid *grid, const FrameMesh **out);
PlimStatus scene_shapes_solid(PlimScene *scene, const SceneNode *list, Scratch *memory, Solid *out);

/* The same of one shape put somewhere in the world; `node` is where to report what is wrong. */
void scene_place_check(PlimScene *scene, const SceneNode *node, const ScenePlace *place,
                       double *work_bytes);
PlimStatus scene_place_solid(PlimScene *scene, const ScenePlace *place, Scratch *memory,
                             Solid *out);

void scene_meshes_free(PlimScene *scene);

#endif
