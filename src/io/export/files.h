/* Frames exported for other programs. */
#ifndef IO_EXPORT_FILES_H
#define IO_EXPORT_FILES_H

#include "io/frame_file.h"

typedef enum ExportFormat { EXPORT_PLY, EXPORT_OBJ, EXPORT_VTK, EXPORT_FORMAT_COUNT } ExportFormat;

/* "ply", "obj", "vtk"; also the file ending. */
const char *export_format_name(ExportFormat format);

/* Writes one mesh of a frame: PLY (binary, with velocities and colours), OBJ (positions, a group an
 * object), VTK (binary legacy polydata, with velocities). PLY and VTK have stretch and stress of
 * vertices where the mesh does. */
PlimStatus export_mesh(PlimContext *context, const FrameMesh *mesh, ExportFormat format,
                       const char *path);

/* Writes drops: PLY (vertices with velocity and radius), OBJ (points), VTK (polydata of vertices
 * with velocity and radius). */
PlimStatus export_points(PlimContext *context, const FramePoints *points, ExportFormat format,
                         const char *path);

/* Writes finite elements as a binary legacy VTK unstructured grid: tetrahedra or triangles with
 * their stretch, stress and body, nodes with velocities. */
PlimStatus export_elements(PlimContext *context, const FrameElements *elements, const char *path);

/* Writes the values of a grid's cells as VTK image data (.vti, XML with raw arrays at the end):
 * velocity, pressure, solid, and smoke, temperature and level where there are any. */
PlimStatus export_volume(PlimContext *context, const FrameVolume *volume, const char *path);

#endif
