/* What happens when an assertion does not hold, unless the program says otherwise. */
#include "base/assert.h"

#ifdef PLIM_ASSERTS
#include <stdio.h>
#include <stdlib.h>

/* The one place where the library prints and ends the program: a mistake in it was found. */
__attribute__((weak)) void plim_assert_failed(const char *what, const char *file, int line) {
    fprintf(stderr, "%s:%d: assertion does not hold: %s\n", file, line, what);
    abort();
}
#endif
