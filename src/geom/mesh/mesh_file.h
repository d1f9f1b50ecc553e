/* Mesh files as bytes: OBJ, PLY (ascii and binary), STL (ascii and binary) in; OBJ, PLY out.
 * Readers check every size against the bytes at hand before memory is taken. */
#ifndef GEOM_MESH_FILE_H
#define GEOM_MESH_FILE_H

#include "base/array.h"
#include "base/text.h"
#include "geom/mesh/mesh.h"

/* Polygons are cut into triangles. A file without a face is refused. Messages name the label and
 * the line, or the item where there are no lines. */
PlimStatus mesh_parse_obj(PlimContext *context, const char *label, const char *text, size_t size,
                          TriangleMesh *out);
PlimStatus mesh_parse_ply(PlimContext *context, const char *label, const char *bytes, size_t size,
                          TriangleMesh *out);
/* Vertices at equal places are merged: STL has no connectivity. */
PlimStatus mesh_parse_stl(PlimContext *context, const char *label, const char *bytes, size_t size,
                          TriangleMesh *out);

#ifdef PLIM_ASSIMP
/* OFF, Collada, glTF, FBX and others, all meshes of the file as one. Vertices in single precision.
 */
PlimStatus mesh_parse_assimp(PlimContext *context, const char *label, const char *bytes,
                             size_t size, TriangleMesh *out);
#endif

/* The mesh of an OBJ file, and which of its triangles are in one of its groups: those of faces
 * after a statement g or o with that name. */
typedef struct MeshGroup {
    TriangleMesh mesh;
    ARRAY(int32_t) triangles; /* rising */
} MeshGroup;

/* PLIM_BAD_INPUT, with the names that there are, for a group that is not there or has no face. */
PlimStatus mesh_parse_obj_group(PlimContext *context, const char *label, const char *text,
                                size_t size, const char *name, MeshGroup *out);
/* From a path, which must end in .obj. */
PlimStatus mesh_read_group(PlimContext *context, const char *path, const char *name,
                           MeshGroup *out);
void mesh_group_free(PlimContext *context, MeshGroup *group);

/* By the ending of the path. */
PlimStatus mesh_read(PlimContext *context, const char *path, TriangleMesh *out);
bool mesh_is_readable_name(const char *path);

void mesh_write_ply(const TriangleMesh *mesh, Text *out);
void mesh_write_obj(const TriangleMesh *mesh, Text *out);

#endif
