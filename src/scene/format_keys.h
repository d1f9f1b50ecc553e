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
#define TABLE(title, text, key_array)                                                              \
    { .name = title, .help = text, .keys = key_array, .key_count = COUNT(key_array) }

#endif
