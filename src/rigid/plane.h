/* Rigid bodies in two dimensions, of the plane z = 0: what contact sees of them is their cut with
 * it. */
#ifndef RIGID_PLANE_H
#define RIGID_PLANE_H

#include "rigid/bodies.h"

/* The cut of a shape in the pose of its body, whose centre is `offset` away from that of the
 * triangles, in body axes. A body keeps it: it turns about z alone. */
PlimStatus plane_cut_shape(PlimContext *context, const RigidShape *shape, const PlimPose *pose,
                           Vec3 offset, RigidCut *out);

/* The cut of a shape whose triangles lie in the frame, if it is a disc or a capsule; false if not.
 */
bool plane_cut_round(const RigidShape *shape, const Frame *frame, PlaneShape *out);

/* Where the cut of a body is when its centre is at `center` and it is turned so. */
Frame plane_frame(const RigidBodies *bodies, size_t i, Vec3 center, Quat turn);

#endif
