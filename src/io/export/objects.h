/* The objects of a frame's meshes, each apart and by name. */
#ifndef IO_EXPORT_OBJECTS_H
#define IO_EXPORT_OBJECTS_H

#include "base/array.h"
#include "io/frame_file.h"
#include "math/quat.h"

typedef struct ExportObject {
    size_t mesh;   /* of the frame view */
    size_t object; /* of that mesh */
    char name[FRAME_NAME_CAPACITY];
    float color[3];         /* sRGB */
    bool is_rigid;          /* the mesh has poses */
    bool is_smooth;         /* shade with interpolated normals */
    bool is_round;          /* and has no edges that bend much: one normal a vertex will do */
    ARRAY(int32_t) sources; /* vertices of the frame's mesh, ascending */
    ARRAY(int32_t) corners; /* three of `sources` a triangle */
} ExportObject;

typedef ARRAY(ExportObject) ExportObjects;

/* Adds the objects of one mesh that have triangles and an end: no unbounded ground. Vertices that
 * several share are each one's own. */
PlimStatus export_objects_add(PlimContext *context, const FrameView *view, size_t mesh,
                              ExportObjects *to);
/* Those of all meshes that stay the same, with `changing` also of liquids. */
PlimStatus export_objects_find(PlimContext *context, const FrameView *view, bool changing,
                               ExportObjects *to);
void export_objects_free(PlimContext *context, ExportObjects *objects);

/* PLIM_BAD_INPUT, naming it, when the frame has no such object. */
PlimStatus export_object_check(PlimContext *context, const ExportObject *object,
                               const FrameData *frame);

/* Vertex k of the object in the world, and about the body's own axes where it is rigid. */
Vec3 export_object_vertex(const ExportObject *object, const FrameView *view, size_t k);
Vec3 export_object_rest(const ExportObject *object, const FrameView *view, size_t k);

/* Three values a corner: a unit normal, shared around a vertex by faces that bend little; of a
 * rigid object about its own axes. Free with array_free. */
typedef ARRAY(float) ExportFloats;
PlimStatus export_object_corner_normals(PlimContext *context, const ExportObject *object,
                                        const FrameView *view, ExportFloats *out);
/* Three values a vertex, in the world: the mean of those of its corners. */
PlimStatus export_object_normals(PlimContext *context, const ExportObject *object,
                                 const FrameView *view, ExportFloats *out);

/* Parts vertices along edges that bend much, so that each has one normal (`normals`, 3 values each;
 * free with array_free); `sources` may then hold a vertex several times, in any order. */
PlimStatus export_object_split(PlimContext *context, ExportObject *object, const FrameView *view,
                               ExportFloats *normals);

/* The objects of each mesh of a frame. Those of liquids are found anew in every frame. */
typedef struct ExportParts {
    ExportObjects of[FRAME_VIEW_CAPACITY];
    bool found;
} ExportParts;

/* For each frame in turn. PLIM_BAD_INPUT as export_object_check. */
PlimStatus export_parts_update(PlimContext *context, ExportParts *parts, const FrameData *frame);
void export_parts_free(PlimContext *context, ExportParts *parts);

/* The pose's orientation, or the same with the other sign: the one nearer to `last`, else viewers
 * turn the body the long way round. */
Quat export_turn(const double *pose, Quat last);

/* A component of a colour in 0 to 255. */
unsigned char export_color_byte(float value);

/* The components of an sRGB colour as light. */
void export_linear_color(const float color[3], double linear[3]);

#endif
