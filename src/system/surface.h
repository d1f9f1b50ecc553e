/* What a solid looks like from outside: surfaces that fluids flow around, that others run into or
 * hang on. A system with solids has a SurfaceClass in its method table. Surfaces are closed and
 * move as rigid bodies in closed form; those of meshes come with the systems that have them. */
#ifndef SYSTEM_SURFACE_H
#define SYSTEM_SURFACE_H

#include "geom/collider.h"
#include "solve/linear_map.h"

typedef enum SurfaceMotion {
    SURFACE_STILL,      /* never moves */
    SURFACE_PRESCRIBED, /* moves, whatever the forces */
    SURFACE_FREE        /* forces move it */
} SurfaceMotion;

typedef struct Surface {
    const char *name;
    SurfaceMotion motion;
    const Solid *solid; /* its shape about the origin of `read`, for as long as the system lives;
                           NULL: none was given */
    Vec3 own_origin;    /* m, where the origin of the shape as it was described is, from there */
    double mass;        /* kg, of a free one */
    double volume;      /* m^3 that it displaces; in two dimensions 1 m deep */
    Vec3 displaced;     /* m, the centre of that volume from the origin of `read`, own axes */
    Vec3 belt;          /* m/s, own axes: its surface runs along at this velocity */
    /* Of its velocities among the dofs of its system: six, the linear part first, the angular part
     * about the origin of `read`. */
    size_t first_dof;
} Surface;

typedef struct SurfaceClass {
    size_t (*count)(const void *system);
    Surface (*describe)(const void *system, size_t surface);
    /* Place and velocity at the present time; the collider's own origin is the centre of mass.
     * `solid` is left alone. */
    void (*read)(const void *system, size_t surface, Collider *collider);
    /* The same of one that moves whatever the forces, at a time to come. May be absent. False: it
     * is no such surface, or its path fails there, which its own system tells. */
    bool (*read_ahead)(const void *system, size_t surface, double t, Collider *collider);
    /* J (002 section 5.4.3): adds the velocity along an axis of its material at x, as a row over
     * the dofs of its system. The transpose takes forces back. */
    void (*row)(const void *system, size_t surface, Vec3 x, int axis, SparseRow *row);
} SurfaceClass;

/* One surface of a system; without class: none. */
typedef struct SurfaceRef {
    const SurfaceClass *class;
    void *system;
    size_t surface;
} SurfaceRef;

static inline Surface surface_describe(const SurfaceRef *ref) {
    return ref->class->describe(ref->system, ref->surface);
}

static inline void surface_read(const SurfaceRef *ref, Collider *collider) {
    ref->class->read(ref->system, ref->surface, collider);
}

static inline bool surface_is_free(const SurfaceRef *ref) {
    return ref->class && surface_describe(ref).motion == SURFACE_FREE;
}

#endif
