/* Objects of a system that probes can name: the system itself, points in its domain, and what else
 * it has to measure at. */
#ifndef SYSTEM_PROBE_OBJECTS_H
#define SYSTEM_PROBE_OBJECTS_H

#include "base/array.h"
#include "grid/grid.h"

typedef struct ProbeObject {
    char *name;  /* the list's own copy; no two in a list are the same */
    int kind;    /* one of the system's own */
    size_t item; /* which of this kind, as the system counts them */
    Vec3 point;  /* m, of a point */
} ProbeObject;

typedef struct ProbeObjects {
    const char *owner; /* "fluid", for messages */
    ARRAY(ProbeObject) list;
} ProbeObjects;

/* Adds an object under a name, of which a copy is made. PLIM_BAD_INPUT when the name is taken. */
PlimStatus probe_objects_add(PlimContext *context, ProbeObjects *objects, const char *name,
                             ProbeObject object);

/* The same of a point; PLIM_BAD_INPUT when it is outside the domain, too. */
PlimStatus probe_objects_add_point(PlimContext *context, ProbeObjects *objects, const Grid *domain,
                                   const char *name, ProbeObject point);

/* SIZE_MAX: there is none. */
size_t probe_objects_find(const ProbeObjects *objects, const char *name);

void probe_objects_free(PlimContext *context, ProbeObjects *objects);

#endif
