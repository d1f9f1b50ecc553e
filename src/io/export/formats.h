/* The formats that runs are exported to. */
#ifndef IO_EXPORT_FORMATS_H
#define IO_EXPORT_FORMATS_H

#include "io/export/exporter.h"

/* run.glb: rigid bodies as nodes with keyframes, deformable ones as morph targets; a liquid's
 * surface where it is the only frame. */
extern const Exporter export_gltf;

/* run.usda: rigid bodies as transforms, deformable ones as points, over time; liquids and drops in
 * a file a frame, which value clips join. */
extern const Exporter export_usd;

/* A file a mesh and frame: NAME_00042.ply, .obj; VTK's also of finite elements and grids. */
extern const Exporter export_ply, export_obj, export_vtk;

#endif
