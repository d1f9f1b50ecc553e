/* Still surfaces as contact of rigid bodies reads them: partners that nothing moves, numbered after
 * the bodies. They are no bodies: no state, no frame, no probe has them. */
#ifndef RIGID_STILL_SURFACES_H
#define RIGID_STILL_SURFACES_H

#include "rigid/bodies.h"

/* The own axes of a half space, of which everything below y = 0 is solid. */
Frame still_surface_frame(const StillSurface *surface);
/* Around what is solid; without end but where the surface faces along an axis. */
Box3 still_surface_box(const StillSurface *surface);

/* Leaves out of the near pairs those of a surface with bodies outside its room. */
void still_surfaces_part_rooms(RigidBodies *bodies);

#endif
