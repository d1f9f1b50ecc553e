/* The manifest, manifest.txt: size and checksum of every finished file of a run, one line each.
 * Lines are appended as files are finished; a later line about a file replaces an earlier one, a
 * size and checksum of zero take it back, and a line without an end (the program was killed) does
 * not count. A file that is not listed may be read, unchecked. */
#ifndef IO_MANIFEST_H
#define IO_MANIFEST_H

#include "base/array.h"

enum { FILE_NAME_CAPACITY = 64 };

typedef struct ManifestEntry {
    char name[FILE_NAME_CAPACITY];
    uint64_t size, hash;
} ManifestEntry;

typedef struct Manifest {
    ARRAY(ManifestEntry) entries;
    bool torn; /* the last line of the file has no end */
} Manifest;

/* What the folder's manifest says; empty when there is none. */
PlimStatus manifest_load(PlimContext *context, const char *folder, Manifest *manifest);
void manifest_free(PlimContext *context, Manifest *manifest);

/* Writes the whole manifest anew. */
PlimStatus manifest_save(PlimContext *context, const char *folder, const Manifest *manifest);

/* Notes a finished file, in memory and at the end of manifest.txt. */
PlimStatus manifest_add(PlimContext *context, const char *folder, Manifest *manifest,
                        const char *name, const void *bytes, size_t size);

/* Says, before a file is written again, that what the manifest knew of it no longer holds. */
PlimStatus manifest_forget(PlimContext *context, const char *folder, Manifest *manifest,
                           const char *name);

const ManifestEntry *manifest_find(const Manifest *manifest, const char *name);
/* Forgets a file, in memory. */
void manifest_remove(Manifest *manifest, const char *name);

#endif
