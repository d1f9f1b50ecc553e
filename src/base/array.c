/* Growing arrays: room for more items at the end. */
#include "base/array.h"

bool array_reserve_raw(PlimContext *context, void **data, size_t *capacity, size_t count,
                       size_t extra, size_t item_size) {
    size_t needed = count + extra;
    if (needed <= *capacity) return true;
    size_t grown_capacity = *capacity + *capacity / 2 + 8;
    if (grown_capacity < needed) grown_capacity = needed;
    void *grown = context_resize(context, *data, *capacity, grown_capacity, item_size);
    if (!grown) return false;
    *data = grown;
    *capacity = grown_capacity;
    return true;
}
