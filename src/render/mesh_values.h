/* Values at the vertices of deformable surfaces, shown as colours. */
#ifndef RENDER_MESH_VALUES_H
#define RENDER_MESH_VALUES_H

#include "base/array.h"
#include "render/legend.h"
#include "render/raytrace.h"
#include "system/frame_view.h"

typedef enum MeshShow {
    SHOW_STRESS,  /* Pa, von Mises's */
    SHOW_STRETCH, /* the greatest; 1 at rest */
    MESH_SHOW_COUNT
} MeshShow;

/* "stress", "stretch". */
const char *mesh_show_name(MeshShow show);

/* NULL when the mesh has no such values. */
const float *mesh_values(const FrameMesh *mesh, MeshShow show);

typedef ARRAY(float) MeshSample;

/* Adds the values of all meshes of a frame to a sample; those that are no numbers are left out. */
PlimStatus mesh_values_collect(PlimContext *context, const FrameView *view, MeshShow show,
                               MeshSample *sample);

/* Stress from 0, stretch from 1 or what is below; to what 99 values in 100 do not exceed. Sorts the
 * sample. low < high in any case. */
RenderScale mesh_values_scale(MeshShow show, MeshSample *sample);

/* Pa, kPa, MPa or GPa, what makes short numbers; "" where there is none. Values times *factor are
 * in it. */
const char *mesh_values_unit(MeshShow show, const RenderScale *scale, double *factor);

/* The scale along the lower edge of a picture. */
void mesh_values_legend(Image *image, MeshShow show, const RenderScale *scale);

#endif
