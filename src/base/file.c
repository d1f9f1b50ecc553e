/* Whole files in and out; writing is atomic: a temporary file, then rename. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

PlimStatus path_join(PlimContext *context, const char *folder, const char *name,
                     char path[PATH_CAPACITY]) {
    int length = snprintf(path, PATH_CAPACITY, "%s/%s", folder, name);
    if (length > 0 && length < PATH_CAPACITY - 8) return PLIM_OK; /* room for ".tmp" */
    return context_fail(context, PLIM_BAD_INPUT, "the path %.80s.../%.80s is too long", folder,
                        name);
}

PlimStatus folder_create(PlimContext *context, const char *path) {
    char partial[PATH_CAPACITY];
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof partial)
        return context_fail(context, PLIM_BAD_INPUT, "'%.80s' cannot be a folder's name", path);
    memcpy(partial, path, length + 1);
    for (size_t i = 1; i <= length; i++) {
        if (partial[i] != '/' && partial[i] != '\0') continue;
        char kept = partial[i];
        partial[i] = '\0';
        if (mkdir(partial, 0777) != 0 && errno != EEXIST)
            return context_fail(context, PLIM_BAD_INPUT, "cannot make the folder %s: %s", partial,
                                strerror(errno));
        partial[i] = kept;
    }
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode))
        return context_fail(context, PLIM_BAD_INPUT, "%s is not a folder", path);
    if (access(path, W_OK | X_OK) != 0)
        return context_fail(context, PLIM_BAD_INPUT, "cannot write to the folder %s: %s", path,
                            strerror(errno));
    return PLIM_OK;
}

static bool write_all(int file, const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t written = write(file, bytes, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

PlimStatus file_write(PlimContext *context, const char *path, const void *bytes, size_t size,
                      bool durable) {
    char temporary[PATH_CAPACITY];
    int length = snprintf(temporary, sizeof temporary, "%s.tmp", path);
    if (length < 0 || length >= PATH_CAPACITY)
        return context_fail(context, PLIM_IO_ERROR, "the path %.80s... is too long", path);
    int file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool good = file >= 0 && write_all(file, bytes, size) && (!durable || fsync(file) == 0);
    int error = errno;
    if (file >= 0 && close(file) != 0 && good) {
        good = false;
        error = errno;
    }
    if (good && rename(temporary, path) != 0) {
        good = false;
        error = errno;
    }
    if (good) return PLIM_OK;
    if (file >= 0) unlink(temporary);
    return context_fail(context, PLIM_IO_ERROR, "cannot write %s (%.1f MB): %s", path,
                        (double)size * 1e-6, strerror(error));
}

/* ---- part by part ---- */

PlimStatus file_writer_open(PlimContext *context, const char *path, FileWriter *out) {
    *out = (FileWriter){.context = context, .file = -1};
    int length = snprintf(out->path, sizeof out->path, "%s", path);
    if (length >= 0 && length < PATH_CAPACITY)
        length = snprintf(out->temporary, sizeof out->temporary, "%s.tmp", path);
    if (length < 0 || length >= PATH_CAPACITY)
        return context_fail(context, PLIM_IO_ERROR, "the path %.80s... is too long", path);
    out->file = open(out->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (out->file >= 0) return PLIM_OK;
    return context_fail(context, PLIM_IO_ERROR, "cannot write %s: %s", path, strerror(errno));
}

PlimStatus file_writer_add(FileWriter *writer, const void *bytes, size_t size) {
    if (write_all(writer->file, bytes, size)) return PLIM_OK;
    return context_fail(writer->context, PLIM_IO_ERROR, "cannot write %s: %s", writer->path,
                        strerror(errno));
}

PlimStatus file_writer_finish(FileWriter *writer) {
    int file = writer->file;
    writer->file = -1;
    if (close(file) == 0 && rename(writer->temporary, writer->path) == 0) return PLIM_OK;
    int error = errno;
    unlink(writer->temporary);
    return context_fail(writer->context, PLIM_IO_ERROR, "cannot write %s: %s", writer->path,
                        strerror(error));
}

void file_writer_drop(FileWriter *writer) {
    if (writer->file < 0) return;
    close(writer->file);
    unlink(writer->temporary);
    writer->file = -1;
}

static bool read_all(int file, char *bytes, size_t size) {
    while (size > 0) {
        errno = 0;
        ssize_t got = read(file, bytes, size);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        bytes += got;
        size -= (size_t)got;
    }
    return true;
}

PlimStatus file_read(PlimContext *context, const char *path, char **bytes, size_t *size) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not hold us up */
    if (file < 0)
        return context_fail(context, PLIM_IO_ERROR, "cannot read %s: %s", path, strerror(errno));
    struct stat info;
    if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
        close(file);
        return context_fail(context, PLIM_IO_ERROR, "cannot read %s: not a regular file", path);
    }
    *size = (size_t)info.st_size;
    *bytes = context_allocate(context, *size + 1, 1);
    PlimStatus status = *bytes ? PLIM_OK : PLIM_OUT_OF_MEMORY;
    if (status == PLIM_OK && !read_all(file, *bytes, *size)) {
        context_free(context, *bytes, *size + 1, 1);
        status = context_fail(context, PLIM_IO_ERROR, "cannot read %s: %s", path,
                              errno ? strerror(errno) : "it became shorter");
    }
    close(file);
    return status;
}

bool file_exists(const char *path) {
    return access(path, F_OK) == 0;
}
