/* Checkpoints, state_NNNNN.h5: everything a run needs to go on, exact. */
#ifndef IO_STATE_FILE_H
#define IO_STATE_FILE_H

#include "world/world.h"

typedef struct StateHeader {
    uint64_t scene_hash; /* which scene it belongs to */
    uint64_t state_hash; /* plim_world_hash of the world that was saved */
    uint64_t frame;      /* frames finished */
    uint64_t step;
    double time; /* s; past the frame when the run was interrupted within one */
} StateHeader;

/* The file's bytes; free with context_free(context, *bytes, *size, 1). */
PlimStatus state_file_encode(PlimWorld *world, uint64_t scene_hash, uint64_t frame, char **bytes,
                             size_t *size);

PlimStatus state_file_header(PlimContext *context, const char *label, char *bytes, size_t size,
                             StateHeader *header);

/* Puts the state into a world made of the same scene, and checks that the hash comes out the same.
 */
PlimStatus state_file_decode(PlimWorld *world, const char *label, char *bytes, size_t size);

#endif
