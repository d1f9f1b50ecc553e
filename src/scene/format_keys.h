/* Short words for the tables of format*.c. */
#ifndef SCENE_FORMAT_KEYS_H
#define SCENE_FORMAT_KEYS_H

#include "scene/format.h"

#define COUNT(array)      (sizeof(array) / sizeof *(array))
#define AT(type, field)   .offset = offsetof(type, field)
#define POSITIVE          .low = 0, .low_exclusive = true, .high = HUGE_VAL
#define NOT_NEGATIVE      .low = 0, .high = HUGE_VAL
#define BETWEEN(from, to) .low = (from), .high = (to)
#define RESTITUTION                                                                                \
    BETWEEN(0, 1), .bounds_reason = "above 1 each bounce would make energy out of nothing"
/* How bodies meet a side of a domain that is a wall. */
#define WALL_KEYS(type)                                                                            \
    {"friction", VALUE_TABLE, AT(type, wall.friction), .table = &scene_friction_table,             \
     .help = "of a wall that bodies meet; 0.5 when left out; of a pair the greater one counts"},   \
    {                                                                                              \
        "restitution", VALUE_NUMBER, AT(type, wall.restitution), RESTITUTION,                      \
            .help = "of a wall: part of the approach speed that a bounce gives back; 0 when left " \
                    "out; "                                                                        \
                    "of a pair the lesser one counts, or what `restitution` of `contact` says"     \
    }
#define TABLE(title, text, key_array)                                                              \
    { .name = title, .help = text, .keys = key_array, .key_count = COUNT(key_array) }

#endif
