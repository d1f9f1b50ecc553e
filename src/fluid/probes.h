/* What can be probed of the fluid, its sides, bodies, points and sections. */
#ifndef FLUID_PROBES_H
#define FLUID_PROBES_H

#include "fluid/fluid.h"
#include "system/probe_objects.h"

typedef enum FluidObjectKind {
    OBJECT_FLUID,
    OBJECT_SIDE,
    OBJECT_BODY,
    OBJECT_POINT,
    OBJECT_SECTION
} FluidObjectKind;

/* Faces across an axis, of a side and a section. */
typedef struct FluidSection {
    int axis;
    double sign; /* flux out of the domain is positive on sides, along the axis on sections */
    int low[3], high[3]; /* first and last face, the last excluded */
} FluidSection;

/* Something to probe. `item` is the number of a body's collider, or the section of a side or a
 * section. */
typedef struct FluidObjects {
    ProbeObjects all;
    ARRAY(FluidSection) sections;
} FluidObjects;

/* The fluid's velocity at a point, linear between faces. */
Vec3 fluid_velocity_at(const Fluid *fluid, Vec3 x);

PlimStatus fluid_add_objects(Fluid *fluid);
void fluid_free_objects(Fluid *fluid);
size_t fluid_object_count(const void *system);
const char *fluid_object_name(const void *system, size_t object);
size_t fluid_find_object(const void *system, const char *name);
enum { FLUID_QUANTITY_COUNT = 21 };
extern const ProbeQuantity fluid_quantities[FLUID_QUANTITY_COUNT];

#endif
