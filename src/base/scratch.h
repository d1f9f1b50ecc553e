/* A scratch stack: short-lived memory, owned by a world. Stages take what they need and give it
 * back by mark; what did not fit is taken from the heap once, and the stack grows to the high-water
 * mark at the next reset, so that steady-state stepping allocates nothing. */
#ifndef BASE_SCRATCH_H
#define BASE_SCRATCH_H

#include "base/context.h"

typedef struct ScratchOverflow ScratchOverflow;

typedef struct Scratch {
    PlimContext *context;
    unsigned char *base;
    size_t capacity;
    size_t used; /* bytes, those in overflow blocks included */
    size_t high_water;
    ScratchOverflow *overflow;
} Scratch;

void scratch_init(Scratch *scratch, PlimContext *context);
void scratch_free(Scratch *scratch);

/* Uninitialised memory aligned for any vector register; NULL when memory is out. */
void *scratch_take(Scratch *scratch, size_t count, size_t item_size);

size_t scratch_mark(const Scratch *scratch);
void scratch_release(Scratch *scratch, size_t mark);

/* Empties the stack, and grows it if overflow blocks were needed since the last reset. */
PlimStatus scratch_reset(Scratch *scratch);

/* Fills unused memory with a signalling pattern: tests use it to show that nobody reads leftovers.
 */
void scratch_poison(Scratch *scratch);

#endif
