/* The library's root object: memory, messages, log, threads. Handed to everything, global to
 * nothing. */
#ifndef BASE_CONTEXT_H
#define BASE_CONTEXT_H

#include "plimsoll/base.h"

#include <stdbool.h>

enum { MESSAGE_CAPACITY = 1024 };

struct PlimContext {
    PlimAllocator allocator;
    PlimLogFn log;
    void *log_user;
    int threads;
    const char *cache_folder; /* NULL: none */
    size_t bytes;
    size_t peak_bytes;
    uint64_t allocations;
    char message[MESSAGE_CAPACITY];
};

/* Keeps the message and returns `status`, so that a failure reads `return context_fail(...)`. */
PlimStatus context_fail(PlimContext *context, PlimStatus status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void context_log(const PlimContext *context, PlimLogLevel level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Zero-filled memory for `count` items; NULL, with a message kept, when it cannot be had. */
void *context_allocate(PlimContext *context, size_t count, size_t item_size);

/* Grows or shrinks a block made with `old_count` items; new items are zero. On failure the block is
 * unchanged, NULL is returned and a message is kept. */
void *context_resize(PlimContext *context, void *block, size_t old_count, size_t new_count,
                     size_t item_size);

void context_free(PlimContext *context, void *block, size_t count, size_t item_size);

/* A copy of a string in the context's memory, freed with context_free_text. */
char *context_copy_text(PlimContext *context, const char *text);
void context_free_text(PlimContext *context, char *text);

/* PLIM_BAD_INPUT, naming the function and its argument, when a caller's pointer is NULL. */
PlimStatus context_check_pointer(PlimContext *context, const void *pointer, const char *function,
                                 const char *argument);

/* Leaves a public function when the caller's pointer, an argument of it, is NULL. */
#define REQUIRE(context, pointer)                                                                  \
    TRY(context_check_pointer((context), (pointer), __func__, #pointer))

/* Leaves the calling function when `expression` is not PLIM_OK. */
#define TRY(expression)                                                                            \
    do {                                                                                           \
        PlimStatus try_status_ = (expression);                                                     \
        if (try_status_ != PLIM_OK) return try_status_;                                            \
    } while (0)

#endif
