/* The manifest of a run: sizes and checksums. */
#include "io/manifest.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char manifest_name[] = "manifest.txt";

static ManifestEntry *find(const Manifest *manifest, const char *name) {
    for (size_t i = manifest->entries.count; i-- > 0;) /* the newest are asked for most */
        if (strcmp(manifest->entries.data[i].name, name) == 0) return &manifest->entries.data[i];
    return NULL;
}

const ManifestEntry *manifest_find(const Manifest *manifest, const char *name) {
    return find(manifest, name);
}

void manifest_remove(Manifest *manifest, const char *name) {
    ManifestEntry *entry = find(manifest, name);
    if (!entry) return;
    size_t index = (size_t)(entry - manifest->entries.data);
    memmove(entry, entry + 1, (manifest->entries.count - index - 1) * sizeof *entry);
    manifest->entries.count--;
}

void manifest_free(PlimContext *context, Manifest *manifest) {
    array_free(context, &manifest->entries);
}

static PlimStatus put(PlimContext *context, Manifest *manifest, const ManifestEntry *entry) {
    ManifestEntry *old = find(manifest, entry->name);
    if (old) {
        *old = *entry;
        return PLIM_OK;
    }
    return array_push(context, &manifest->entries, *entry) ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

PlimStatus manifest_load(PlimContext *context, const char *folder, Manifest *manifest) {
    *manifest = (Manifest){0};
    char path[PATH_CAPACITY], *text;
    size_t size;
    TRY(path_join(context, folder, manifest_name, path));
    if (!file_exists(path)) return PLIM_OK;
    TRY(file_read(context, path, &text, &size));
    PlimStatus status = PLIM_OK;
    manifest->torn = size > 0 && text[size - 1] != '\n';
    for (char *line = text, *end; status == PLIM_OK && (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        ManifestEntry entry = {0};
        if (sscanf(line, "%63s %" SCNu64 " %" SCNx64, entry.name, &entry.size, &entry.hash) != 3)
            continue;
        if (entry.size == 0 && entry.hash == 0)
            manifest_remove(manifest, entry.name);
        else
            status = put(context, manifest, &entry);
    }
    context_free(context, text, size + 1, 1);
    if (status != PLIM_OK) manifest_free(context, manifest);
    return status;
}

static void format_entry(const ManifestEntry *entry, char *line, size_t size) {
    snprintf(line, size, "%s %" PRIu64 " %016" PRIx64 "\n", entry->name, entry->size, entry->hash);
}

PlimStatus manifest_save(PlimContext *context, const char *folder, const Manifest *manifest) {
    char path[PATH_CAPACITY], line[128];
    TRY(path_join(context, folder, manifest_name, path));
    Text text;
    text_init(&text, context);
    for (size_t i = 0; i < manifest->entries.count; i++) {
        format_entry(&manifest->entries.data[i], line, sizeof line);
        text_add(&text, "%s", line);
    }
    PlimStatus status =
        text.failed ? PLIM_OUT_OF_MEMORY
                    : file_write(context, path, text_string(&text), text.bytes.count, false);
    text_free(&text);
    return status;
}

/* Brings the file up to date with what was just changed in memory. */
static PlimStatus append_line(PlimContext *context, const char *folder, Manifest *manifest,
                              const ManifestEntry *entry) {
    if (manifest->torn) {
        TRY(manifest_save(context, folder, manifest));
        manifest->torn = false;
        return PLIM_OK;
    }
    char path[PATH_CAPACITY], line[128];
    TRY(path_join(context, folder, manifest_name, path));
    format_entry(entry, line, sizeof line);
    FILE *file = fopen(path, "ab");
    bool good = file && fputs(line, file) != EOF;
    int error = errno;
    if (file && fclose(file) != 0 && good) {
        good = false;
        error = errno;
    }
    if (good) return PLIM_OK;
    return context_fail(context, PLIM_IO_ERROR, "cannot write %s: %s", path, strerror(error));
}

PlimStatus manifest_add(PlimContext *context, const char *folder, Manifest *manifest,
                        const char *name, const void *bytes, size_t size) {
    ManifestEntry entry = {.size = size, .hash = hash_bytes(HASH_START, bytes, size)};
    snprintf(entry.name, sizeof entry.name, "%s", name);
    TRY(put(context, manifest, &entry));
    return append_line(context, folder, manifest, &entry);
}

PlimStatus manifest_forget(PlimContext *context, const char *folder, Manifest *manifest,
                           const char *name) {
    if (!find(manifest, name)) return PLIM_OK;
    manifest_remove(manifest, name);
    ManifestEntry nothing = {.size = 0, .hash = 0};
    snprintf(nothing.name, sizeof nothing.name, "%s", name);
    return append_line(context, folder, manifest, &nothing);
}
