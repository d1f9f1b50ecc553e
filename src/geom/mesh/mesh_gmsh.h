/* Gmsh's .msh, text form, versions 2.2 and 4.1: the nodes, and the elements of one type. */
#ifndef GEOM_MESH_GMSH_H
#define GEOM_MESH_GMSH_H

#include "base/array.h"
#include "geom/mesh/mesh_lines.h"

/* Which elements are wanted; the others are left out. */
typedef struct GmshKind {
    int type;                 /* Gmsh's number of the element type */
    int corners;              /* 4 at most */
    const char *one, *plural; /* for messages: "tetrahedron", "tetrahedra with four nodes" */
} GmshKind;

extern const GmshKind GMSH_TRIANGLES, GMSH_TETRAHEDRA; /* with three and four nodes */

typedef struct GmshCorners {
    int32_t v[4]; /* index the points; the last is 0 when there are three */
} GmshCorners;

typedef struct GmshFile {
    ARRAY(Vec3) points;
    ARRAY(int64_t) tags; /* of each point: the node's number in the file */
    ARRAY(GmshCorners) elements;
} GmshFile;

/* PLIM_BAD_INPUT when there is no such element or one has a node twice. What was read so far has to
 * be freed then too. */
PlimStatus gmsh_read(PlimContext *context, const char *text, size_t size, const GmshKind *kind,
                     GmshFile *out);
void gmsh_free(PlimContext *context, GmshFile *file);

#endif
