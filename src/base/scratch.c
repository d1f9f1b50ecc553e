/* A stack allocator with marks, overflow to the heap and a high-water mark. */
#include "base/scratch.h"

#include <string.h>

enum { ALIGNMENT = 64 };

struct ScratchOverflow {
    ScratchOverflow *next;
    size_t size;  /* of the block, header included */
    size_t start; /* value of Scratch.used before it was made */
};

void scratch_init(Scratch *scratch, PlimContext *context) {
    *scratch = (Scratch){.context = context};
}

static void free_overflow_above(Scratch *scratch, size_t mark) {
    while (scratch->overflow && scratch->overflow->start >= mark) {
        ScratchOverflow *block = scratch->overflow;
        scratch->overflow = block->next;
        context_free(scratch->context, block, block->size, 1);
    }
}

void scratch_free(Scratch *scratch) {
    free_overflow_above(scratch, 0);
    if (scratch->base) context_free(scratch->context, scratch->base, scratch->capacity, 1);
    *scratch = (Scratch){.context = scratch->context};
}

static unsigned char *align_up(unsigned char *address) {
    uintptr_t value = (uintptr_t)address;
    return address + (ALIGNMENT - value % ALIGNMENT) % ALIGNMENT;
}

static void *take_overflow(Scratch *scratch, size_t size) {
    size_t block_size = sizeof(ScratchOverflow) + size;
    ScratchOverflow *block = context_allocate(scratch->context, block_size, 1);
    if (!block) return NULL;
    *block = (ScratchOverflow){scratch->overflow, block_size, scratch->used};
    scratch->overflow = block;
    return align_up((unsigned char *)(block + 1));
}

void *scratch_take(Scratch *scratch, size_t count, size_t item_size) {
    if (item_size && count > (PTRDIFF_MAX - 2 * ALIGNMENT) / item_size) {
        context_fail(scratch->context, PLIM_OUT_OF_MEMORY,
                     "%zu items of %zu bytes do not fit in memory", count, item_size);
        return NULL;
    }
    size_t size = count * item_size + ALIGNMENT; /* room to align the start */
    void *memory;
    if (!scratch->overflow && scratch->used + size <= scratch->capacity)
        memory = align_up(scratch->base + scratch->used);
    else
        memory = take_overflow(scratch, size);
    if (!memory) return NULL;
    scratch->used += size;
    if (scratch->used > scratch->high_water) scratch->high_water = scratch->used;
    return memory;
}

size_t scratch_mark(const Scratch *scratch) {
    return scratch->used;
}

void scratch_release(Scratch *scratch, size_t mark) {
    free_overflow_above(scratch, mark);
    scratch->used = mark;
}

PlimStatus scratch_reset(Scratch *scratch) {
    free_overflow_above(scratch, 0);
    scratch->used = 0;
    if (scratch->high_water <= scratch->capacity) return PLIM_OK;
    void *grown =
        context_resize(scratch->context, scratch->base, scratch->capacity, scratch->high_water, 1);
    if (!grown) return PLIM_OUT_OF_MEMORY;
    scratch->base = grown;
    scratch->capacity = scratch->high_water;
    return PLIM_OK;
}

void scratch_poison(Scratch *scratch) {
    if (scratch->used < scratch->capacity)
        memset(scratch->base + scratch->used, 0xFF, scratch->capacity - scratch->used);
}
