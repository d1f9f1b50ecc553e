/* Memory that runs out: a context whose allocator refuses after a number of requests, and a loop
 * that refuses every request of a use in turn. */
#ifndef TESTS_RATION_H
#define TESTS_RATION_H

#include "check.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct Ration {
    long left; /* requests granted from now on; shrinking a block is one too, freeing it is not */
    bool once; /* those after the first that was refused are granted */
    bool refused; /* one has been */
    size_t held;  /* bytes, those of the context itself included */
} Ration;

/* Each block starts with its size, so that a wrong old_size is noticed. */
typedef union RationHeader {
    size_t size;
    max_align_t align;
} RationHeader;

static inline void *ration_resize(void *user, void *block, size_t old_size, size_t new_size) {
    Ration *ration = user;
    RationHeader *header = block ? (RationHeader *)block - 1 : NULL;
    assert_int_equal(header ? header->size : 0, old_size);
    bool granted = new_size == 0 || (ration->once && ration->refused) || ration->left-- > 0;
    if (!granted) {
        ration->refused = true;
        return NULL;
    }
    ration->held += new_size - old_size;
    RationHeader *moved = NULL; /* always elsewhere: whoever keeps an old pointer is found out */
    if (new_size > 0) {
        moved = malloc(sizeof *moved + new_size);
        assert_non_null(moved);
        moved->size = new_size;
        if (header) memcpy(moved + 1, block, old_size < new_size ? old_size : new_size);
    }
    if (header) memset(header, 0xFF, sizeof *header + old_size);
    free(header);
    return moved ? moved + 1 : NULL;
}

/* Of one thread; its own memory is the first request. */
static inline PlimContext *rationed_context(Ration *ration) {
    PlimContextDesc desc = plim_context_desc_default();
    desc.allocator = (PlimAllocator){ration_resize, ration};
    desc.threads = 1;
    PlimContext *context = NULL;
    assert_int_equal(plim_context_create(&desc, &context), PLIM_OK);
    return context;
}

/* Grants so many requests from now on; returns how many were left. What a use needs before it
 * starts is made with LONG_MAX. */
static inline long ration_set(PlimContext *context, long left) {
    Ration *ration = context->allocator.user;
    long before = ration->left;
    ration->left = left;
    return before;
}

typedef struct Starved {
    PlimStatus (*use)(PlimContext *context, void *user); /* must free all it makes */
    void *user;
    long least, most; /* bounds on how many requests the use makes */
    bool once;        /* one request alone is refused, not all that follow: some can do without */
    PlimStatus otherwise; /* what the use returns when it has its memory */
} Starved;

/* Runs the use with no request granted, then one, and so on until it asks for no more. Every
 * refusal must be reported, with a message, and nothing may stay behind. */
static inline void starve(const Starved *starved) {
    assert_true(starved->least > 0 && starved->least <= starved->most);
    for (long granted = 0;; granted++) {
        Ration ration = {.left = LONG_MAX, .once = starved->once};
        PlimContext *context = rationed_context(&ration);
        ration.left = granted;
        PlimStatus status = starved->use(context, starved->user);
        bool starving = ration.refused && (!starved->once || status == PLIM_OUT_OF_MEMORY);
        assert_int_equal(status, starving ? PLIM_OUT_OF_MEMORY : starved->otherwise);
        if (status == PLIM_OUT_OF_MEMORY) assert_non_null(strstr(plim_message(context), "memory"));
        test_context_close(context);
        assert_int_equal(ration.held, 0);
        if (!ration.refused) {
            assert_in_range(granted, starved->least, starved->most);
            return;
        }
        assert_true(granted < starved->most);
    }
}

#endif
