/* Immersed surfaces: what a fluid flows around (002 section 5.4.1), obstacles at rest and surfaces
 * of other systems. Where they are, at what velocity they came there, their images across periodic
 * sides, and which of them is nearest to a point. */
#ifndef SYSTEM_IMMERSED_H
#define SYSTEM_IMMERSED_H

#include "base/array.h"
#include "geom/query/room.h"
#include "grid/periodic.h"
#include "system/surface.h"

/* A surface as it is described to a fluid. */
typedef struct ImmersedSurface {
    SurfaceRef ref;
    bool passive; /* a free body that is carried by the fluid and does not act on it */
    Vec3 through; /* m/s, own axes: fluid passes through its surface at this velocity */
} ImmersedSurface;

/* One of them, where it is at the end of the present step. */
typedef struct ImmersedCollider {
    Collider now;       /* velocities: those that move it from where it was in one step */
    Box3 bounds;        /* m, in its own axes; HUGE_VAL where it has no end */
    Vec3 through;       /* as described */
    SurfaceRef ref;     /* without class: the obstacles at rest */
    size_t number;      /* among all that may come, in the order in which they were added */
    bool is_elsewhere;  /* its centre is in another domain */
    Vec3 true_position; /* of a body; `now` has it moved by whole periods into the domain */
    Vec3 before_position;
    Quat before_orientation;
} ImmersedCollider;

/* Colliders by bins over the grid (immersed_nearest.c). */
typedef struct ImmersedBinEntry {
    int32_t collider, image;
} ImmersedBinEntry;

typedef struct ImmersedBins {
    bool is_filled; /* else there are few colliders, or no memory for bins */
    int n[3];
    ARRAY(size_t) start; /* one a bin and one more */
    ARRAY(ImmersedBinEntry) entries;
} ImmersedBins;

typedef struct Immersed {
    PlimContext *context;
    Grid grid;
    Room room;                    /* without others: all surfaces are in it */
    ARRAY(ImmersedCollider) list; /* those that reach into the room */
    /* Of several domains: all of them, whether they are in the room, and as they were when they
     * left it. */
    ARRAY(struct ImmersedVisitor {
        ImmersedCollider collider;
        bool is_here;
    })
    visitors;
    ImmersedBins bins; /* of the list, where they are now */
    bool some_move;    /* or may, or fluid passes through them */
} Immersed;

static inline bool immersed_is_obstacle(const ImmersedCollider *collider) {
    return !collider->ref.class;
}

/* What the fluid at its surface moves at beyond the surface itself, in the world's axes. */
static inline Vec3 immersed_through(const ImmersedCollider *collider) {
    return quat_rotate(collider->now.orientation, collider->through);
}

/* Adds obstacles at rest, in the world's axes, or a surface. Their solids must outlive the list.
 * PLIM_BAD_INPUT for a surface without a solid. */
PlimStatus immersed_add_obstacles(Immersed *immersed, const Solid *solid);
PlimStatus immersed_add(Immersed *immersed, const ImmersedSurface *surface);
void immersed_free(Immersed *immersed);

/* The collider of this number, whether it is in the room or not. */
const ImmersedCollider *immersed_find(const Immersed *immersed, size_t number);

/* Reads the surfaces' places. With dt > 0 their velocities are those that brought them here from
 * where they were; else their own. Returns whether any collider moved, came or left. */
bool immersed_read(Immersed *immersed, double dt);
/* Whether it is elsewhere than where it was. */
bool immersed_has_moved(const ImmersedCollider *collider);
/* Where they are now is where they were, from here on. */
void immersed_keep(Immersed *immersed);

/* Sorts the colliders into bins, after they were read; where memory is out, all are looked at. */
void immersed_fill_bins(Immersed *immersed);
/* The collider nearest to x; NULL: there is none. `beside` is x moved by whole periods to where it
 * is near the collider itself, not an image of it. */
const ImmersedCollider *immersed_nearest(const Immersed *immersed, Vec3 x, Vec3 *beside);

/* The distances of the two colliders nearest to x, m; HUGE_VAL: there is none, or far away. */
typedef struct ImmersedGap {
    double least, second;
    bool first_is_free, has_free; /* to move: the nearest, one of both */
} ImmersedGap;

ImmersedGap immersed_gap(const Immersed *immersed, Vec3 x);

#endif
