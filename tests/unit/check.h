/* cmocka with the headers it wants, and what several unit tests need. */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/context.h"

#include <math.h>

/* Fails with both values printed when |actual - expected| > tolerance (NaN fails too). */
#define assert_close(actual, expected, tolerance)                                                  \
    do {                                                                                           \
        double actual_ = (actual), expected_ = (expected), tolerance_ = (tolerance);               \
        if (!(fabs(actual_ - expected_) <= tolerance_))                                            \
            fail_msg("%s = %.17g, expected %.17g within %g", #actual, actual_, expected_,          \
                     tolerance_);                                                                  \
    } while (0)

/* How many tries, or how large: `small` in `make test`, `full` in `make check` and by hand. */
static inline int test_size(int full, int small) {
    return getenv("PLIM_TEST_SMALL") ? small : full;
}

static inline PlimContext *test_context(int threads) {
    PlimContextDesc desc = plim_context_desc_default();
    desc.threads = threads;
    PlimContext *context = NULL;
    assert_int_equal(plim_context_create(&desc, &context), PLIM_OK);
    return context;
}

/* Destroys the context and fails if anything made from it is still held. */
static inline void test_context_close(PlimContext *context) {
    assert_int_equal(plim_context_bytes(context), 0);
    plim_context_destroy(context);
}

#endif
