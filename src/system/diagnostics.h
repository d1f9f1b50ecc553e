/* Diagnostics, the named figures of one step, which become a row of stats.csv. Systems add to
 * shared names ("energy.kinetic") and to their own. */
#ifndef SYSTEM_DIAGNOSTICS_H
#define SYSTEM_DIAGNOSTICS_H

#include <stddef.h>

enum { DIAGNOSTICS_CAPACITY = 256 };

typedef struct Diagnostics {
    const char *names[DIAGNOSTICS_CAPACITY]; /* of static lifetime */
    double values[DIAGNOSTICS_CAPACITY];
    size_t count;
    const char *left_out; /* the first name since the reset that found no room; NULL: none */
} Diagnostics;

/* Sets every value to zero; names stay, so columns keep their order. */
void diagnostics_reset(Diagnostics *diagnostics);

/* Adds to the named value; the name is new at its first use. `name` must outlive the diagnostics.
 * Beyond DIAGNOSTICS_CAPACITY names it goes to left_out, which plim_world_measure turns into a
 * failure. */
void diagnostics_add(Diagnostics *diagnostics, const char *name, double value);

/* The named value, or 0 when nobody has added to it. */
double diagnostics_get(const Diagnostics *diagnostics, const char *name);

#endif
