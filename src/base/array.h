/* A growing array: three fields beside each other and one macro that makes room at the end. */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include "base/context.h"

/* Declares `Type *data; size_t count, capacity;` in one go. */
#define ARRAY(Type)                                                                                \
    struct {                                                                                       \
        Type *data;                                                                                \
        size_t count, capacity;                                                                    \
    }

/* Makes room for `extra` more items; false, with a message kept, when memory is out. */
#define array_reserve(context, array, extra)                                                       \
    array_reserve_raw((context), (void **)&(array)->data, &(array)->capacity, (array)->count,      \
                      (extra), sizeof *(array)->data)

/* Appends one item; false when memory is out. */
#define array_push(context, array, item)                                                           \
    (array_reserve((context), (array), 1) ? ((array)->data[(array)->count++] = (item), true)       \
                                          : false)

#define array_free(context, array)                                                                 \
    do {                                                                                           \
        if ((array)->data)                                                                         \
            context_free((context), (array)->data, (array)->capacity, sizeof *(array)->data);      \
        (array)->data = NULL;                                                                      \
        (array)->count = (array)->capacity = 0;                                                    \
    } while (0)

bool array_reserve_raw(PlimContext *context, void **data, size_t *capacity, size_t count,
                       size_t extra, size_t item_size);

#endif
