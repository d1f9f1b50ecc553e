/* Printing what is in a file of tetrahedra: Gmsh's .msh, or TetGen's .node with the .ele beside it.
 */
#ifndef APP_TET_INFO_H
#define APP_TET_INFO_H

#include "base/context.h"

bool tet_info_is_readable_name(const char *path);
PlimStatus tet_info_print(PlimContext *context, const char *path);

#endif
