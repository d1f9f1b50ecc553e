/* A folder on the disk for each test, and a context that keeps warnings. */
#ifndef TESTS_FOLDER_H
#define TESTS_FOLDER_H

#include "check.h"

#include "base/file.h"

#include <dirent.h>
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

static char base_folder[] = "/tmp/plimsoll-test-XXXXXX";

static inline void remove_tree(const char *path) {
    DIR *directory = opendir(path);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        char inner[PATH_CAPACITY];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        snprintf(inner, sizeof inner, "%.2000s/%.255s", path, entry->d_name);
        remove_tree(inner);
    }
    if (directory) closedir(directory);
    remove(path);
}

static inline int make_base_folder(void **state) {
    (void)state;
    return mkdtemp(base_folder) ? 0 : -1;
}

/* Fails when a file, group or array of HDF5 was left open. */
static inline int remove_base_folder(void **state) {
    (void)state;
    remove_tree(base_folder);
    ssize_t left = H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL);
    H5close();
    return left == 0 ? 0 : -1;
}

/* HDF5 itself loses memory when a structure of a file is damaged. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libhdf5";
}

typedef struct Fixture {
    PlimContext *context;
    char folder[256]; /* new and empty */
    int warnings;
    char warning[MESSAGE_CAPACITY]; /* the last */
} Fixture;

static inline void keep_warning(void *user, PlimLogLevel level, const char *line) {
    Fixture *f = user;
    if (level != PLIM_LOG_WARNING) return;
    f->warnings++;
    snprintf(f->warning, sizeof f->warning, "%s", line);
}

static inline void open_fixture(Fixture *f, const char *name) {
    *f = (Fixture){.context = test_context(1)};
    f->context->log = keep_warning;
    f->context->log_user = f;
    snprintf(f->folder, sizeof f->folder, "%s/%s", base_folder, name);
    assert_int_equal(folder_create(f->context, f->folder), PLIM_OK);
}

static inline void close_fixture(Fixture *f) {
    test_context_close(f->context);
}

static inline void path_in(const Fixture *f, const char *name, char path[PATH_CAPACITY]) {
    assert_int_equal(path_join(f->context, f->folder, name, path), PLIM_OK);
}

static inline void write_text(const Fixture *f, const char *name, const char *text) {
    char path[PATH_CAPACITY];
    path_in(f, name, path);
    assert_int_equal(file_write(f->context, path, text, strlen(text), false), PLIM_OK);
}

static inline void assert_text(const Fixture *f, const char *name, const char *expected) {
    char path[PATH_CAPACITY], *text;
    size_t size;
    path_in(f, name, path);
    assert_int_equal(file_read(f->context, path, &text, &size), PLIM_OK);
    assert_string_equal(text, expected);
    assert_int_equal(size, strlen(expected));
    context_free(f->context, text, size + 1, 1);
}

static inline void assert_message(const Fixture *f, const char *part) {
    if (!strstr(plim_message(f->context), part))
        fail_msg("'%s' is not in '%s'", part, plim_message(f->context));
}

static inline size_t count_files(const Fixture *f) {
    size_t count = 0;
    DIR *directory = opendir(f->folder);
    while (readdir(directory)) count++;
    closedir(directory);
    return count - 2;
}

#endif
