/* "Did you mean": the known name nearest to one that is not known. */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

#include <stddef.h>

/* The candidate that takes the fewest edits (a letter put in, left out or changed, or two
 * neighbours swapped), letter case aside; the first of equals. NULL when none is within a third of
 * the name's length (at least one edit), or when every letter would have to change. */
const char *suggest_name(const char *name, const char *const *candidates, size_t count);

#endif
