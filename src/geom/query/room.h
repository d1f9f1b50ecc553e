/* The room of a domain among others: its box, without end along periodic axes and through open
 * sides, less the boxes of the other domains. */
#ifndef GEOM_ROOM_H
#define GEOM_ROOM_H

#include "geom/query/box.h"

typedef struct Room {
    Box3 box;           /* HUGE_VAL where it has no end */
    const Box3 *others; /* borrowed; NULL: the domain is alone, and all of space is its room */
    size_t other_count;
} Room;

/* Of two boxes that touch the higher one has what is between them. */
bool room_holds(const Room *room, Vec3 x);

/* Whether a box reaches into the room; touching does not count, nor does what rounding adds. */
bool room_meets(const Room *room, Box3 box);

#endif
