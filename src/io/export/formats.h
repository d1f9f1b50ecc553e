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

/* NAME_00042.ply, .obj: a file a body, liquid and set of drops and frame. */
extern const Exporter export_ply, export_obj;

/* GROUP_00042.vtu, .vti: a file a group of the frame, GROUP.pvd with its times. */
extern const Exporter export_vtk;

#ifdef PLIM_OPENVDB
/* GROUP_00042.vdb: the values of fluids. */
extern const Exporter export_vdb;
#endif

#endif
