/* Ahead and back: what one system is now, kept to return to after steps that are thrown away, as
 * weak coupling takes them (000 section 6.6). Snapshots of a world are made of the same. */
#ifndef SYSTEM_SAVE_H
#define SYSTEM_SAVE_H

#include "base/array.h"
#include "system/system.h"

/* All zero: nothing is kept yet. The memory stays from one save to the next. */
typedef struct SystemSave {
    ARRAY(unsigned char) bytes; /* the state as state_save writes it, then the figures */
    uint64_t layout;            /* of what it may be restored to (state_layout) */
} SystemSave;

/* Keeps state and figures in place of what was kept before. Allocates only when the state has
 * outgrown every one kept so far. */
PlimStatus system_save(PlimContext *context, const SystemClass *class, const void *object,
                       SystemSave *save);

/* Brings them back and recomputes what is derived, for the time step->time: groups of varying size
 * get the size they had. No bit of a later step tells that others were taken meanwhile. What the
 * system sees of others is read anew: restore in the order of the stages. */
PlimStatus system_restore(const SystemClass *class, void *object, const StepInfo *step,
                          const SystemSave *save);

void system_save_free(PlimContext *context, SystemSave *save);

#endif
