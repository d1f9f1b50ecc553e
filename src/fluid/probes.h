/* What can be probed of the fluid, its sides, bodies, points and sections. */
#ifndef FLUID_PROBES_H
#define FLUID_PROBES_H

#include "fluid/fluid.h"

typedef enum FluidObjectKind {
    OBJECT_FLUID,
    OBJECT_SIDE,
    OBJECT_BODY,
    OBJECT_POINT,
    OBJECT_SECTION
} FluidObjectKind;

/* Something to probe. */
typedef struct FluidObject {
    FluidObjectKind kind;
    char *name;
    size_t collider; /* of a body */
    Vec3 point;      /* of a point */
    int axis;        /* of a side and a section: faces across it */
    double sign;     /* flux out of the domain is positive on sides, along the axis on sections */
    int low[3], high[3]; /* first and last face, the last excluded */
} FluidObject;

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
