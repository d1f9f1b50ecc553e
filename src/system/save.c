/* Ahead and back (000 section 6.6): the state of one system to a buffer that is kept, and back. */
#include "system/save.h"

#include "base/hash.h"

#include <string.h>

static uint64_t layout_of(const SystemClass *class, const void *object) {
    return state_layout(class->schema, object, HASH_START);
}

static size_t figure_bytes(const SystemClass *class) {
    size_t bytes = 0;
    for (size_t i = 0; i < class->figure_count; i++) bytes += class->figures[i].size;
    return bytes;
}

PlimStatus system_save(PlimContext *context, const SystemClass *class, const void *object,
                       SystemSave *save) {
    size_t state = state_snapshot_bytes(class->schema, object);
    size_t bytes = state + figure_bytes(class);
    save->bytes.count = 0; /* what was kept before need not be copied when it grows */
    if (!array_reserve(context, &save->bytes, bytes)) return PLIM_OUT_OF_MEMORY;
    save->bytes.count = bytes;
    save->layout = layout_of(class, object);
    state_save(class->schema, object, save->bytes.data);
    unsigned char *at = save->bytes.data + state;
    for (size_t i = 0; i < class->figure_count; i++) {
        memcpy(at, (const char *)object + class->figures[i].offset, class->figures[i].size);
        at += class->figures[i].size;
    }
    return PLIM_OK;
}

PlimStatus system_restore(const SystemClass *class, void *object, const StepInfo *step,
                          const SystemSave *save) {
    PLIM_ASSERT(save->layout == layout_of(class, object));
    size_t used, mark = scratch_mark(step->scratch);
    TRY(state_restore(step->context, class->schema, object, save->bytes.data, &used));
    if (class->refresh) TRY(class->refresh(object, step));
    scratch_release(step->scratch, mark);
    const unsigned char *at = save->bytes.data + used;
    for (size_t i = 0; i < class->figure_count; i++) {
        memcpy((char *)object + class->figures[i].offset, at, class->figures[i].size);
        at += class->figures[i].size;
    }
    return PLIM_OK;
}

void system_save_free(PlimContext *context, SystemSave *save) {
    array_free(context, &save->bytes);
    *save = (SystemSave){0};
}
