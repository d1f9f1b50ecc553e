/* Assertions: mistakes of the programmer and broken structures, looked for in builds with
 * PLIM_ASSERTS (the presets debug, sanitize, thread and fuzz) and compiled out of the others. What
 * a user or a file can get wrong is a PlimStatus in every build. */
#ifndef BASE_ASSERT_H
#define BASE_ASSERT_H

#include "plimsoll/base.h"

/* Called when an assertion does not hold. The one of the library prints where, and aborts; it is
 * weak: a program that defines a function of this name has it called instead. A hook without a
 * global variable. Not in builds without PLIM_ASSERTS. */
PLIM_API void plim_assert_failed(const char *what, const char *file, int line);

#ifdef PLIM_ASSERTS

#define PLIM_ASSERT(condition)                                                                     \
    ((condition) ? (void)0 : plim_assert_failed(#condition, __FILE__, __LINE__))

/* For the functions named ..._problem: text about the first thing wrong with a structure, or NULL.
 */
#define PLIM_ASSERT_VALID(problem)                                                                 \
    do {                                                                                           \
        const char *assert_problem_ = (problem);                                                   \
        if (assert_problem_) plim_assert_failed(assert_problem_, __FILE__, __LINE__);              \
    } while (0)

#else

/* Compiled, so that it cannot rot, and never evaluated. */
#define PLIM_ASSERT(condition)     ((void)sizeof((condition) ? 1 : 0))
#define PLIM_ASSERT_VALID(problem) ((void)sizeof(problem))

#endif
#endif
