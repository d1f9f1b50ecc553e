/* Diagnostics, the named figures of one step, which become a row of stats.csv. Systems add to
 * shared names ("energy.kinetic") and to their own. */
#ifndef SYSTEM_DIAGNOSTICS_H
#define SYSTEM_DIAGNOSTICS_H

#include "system/naming.h"

enum { DIAGNOSTICS_CAPACITY = 1024 };

typedef struct Diagnostics {
    char names[DIAGNOSTICS_CAPACITY][SYSTEM_NAME_CAPACITY];
    double values[DIAGNOSTICS_CAPACITY];
    size_t count;
    char left_out[SYSTEM_NAME_CAPACITY]; /* the first name since the reset that found no room */
    const char *instance; /* of the system that adds to it now; NULL: alone, without a name */
} Diagnostics;

/* Sets every value to zero; names stay, so columns keep their order. */
void diagnostics_reset(Diagnostics *diagnostics);

/* Adds to the named value, which all systems share; the name is new at its first use. Beyond
 * DIAGNOSTICS_CAPACITY names it goes to left_out, which plim_world_measure turns into a failure. */
void diagnostics_add(Diagnostics *diagnostics, const char *name, double value);

/* Adds to a value of the system's own; `pattern` is as for system_name. */
void diagnostics_add_own(Diagnostics *diagnostics, const char *pattern, double value);

/* The named value, or 0 when nobody has added to it. */
double diagnostics_get(const Diagnostics *diagnostics, const char *name);

#endif
