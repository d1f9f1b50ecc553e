/* Mass properties of the solid that a closed triangle mesh bounds, exact for the mesh. */
#ifndef GEOM_MASS_H
#define GEOM_MASS_H

#include "geom/mesh/mesh.h"

typedef struct MassProperties {
    double volume; /* m^3; negative when the mesh is inside out */
    Vec3 center;   /* m, centre of mass */
    Mat3 inertia;  /* m^5: inertia about the centre at unit density, mesh axes */
} MassProperties;

/* Sums over tetrahedra spanned by the triangles and a point near the mesh, so that meshes far from
 * the origin lose no digits. A volume of zero leaves centre and inertia zero. */
MassProperties mesh_mass_properties(const TriangleMesh *mesh);

#endif
