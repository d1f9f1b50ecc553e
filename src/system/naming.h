/* Names of what a system writes: columns of stats.csv, groups of frame files. */
#ifndef SYSTEM_NAMING_H
#define SYSTEM_NAMING_H

#include <stddef.h>

enum { SYSTEM_NAME_CAPACITY = 128 }; /* of the names that are made, with the final 0 */

/* "volume.fluid|volume.*": the first name is that of a system which is alone of its kind and has no
 * name (`instance` is NULL); in the second the name of the instance takes the place of the star. */
void system_name(const char *pattern, const char *instance, char out[SYSTEM_NAME_CAPACITY]);

#endif
