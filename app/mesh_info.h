/* Printing what a mesh is and what is wrong with it; `info` and `mesh` share it. */
#ifndef APP_MESH_INFO_H
#define APP_MESH_INFO_H

#include "geom/mesh/mesh_report.h"

/* Counts, size, defects with places, mass properties, to standard output. */
PlimStatus mesh_info_print(PlimContext *context, const TriangleMesh *mesh);

/* One line, and one for each kind of defect there is. */
PlimStatus mesh_info_summary(PlimContext *context, const char *path, const TriangleMesh *mesh);

/* Repairs and prints what was done. */
PlimStatus mesh_info_repair(PlimContext *context, TriangleMesh *mesh);

#endif
