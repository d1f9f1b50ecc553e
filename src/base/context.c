/* The context: allocator with counted bytes, messages, log, threads. */
#include "base/context.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *heap_resize(void *user, void *block, size_t old_size, size_t new_size) {
    (void)user;
    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, new_size);
}

PlimContextDesc plim_context_desc_default(void) {
    return (PlimContextDesc){.allocator = {.resize = NULL}, .log = NULL, .threads = 0};
}

static int core_count(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (int)cores : 1;
}

PlimStatus plim_context_create(const PlimContextDesc *desc, PlimContext **out) {
    if (!out) return PLIM_BAD_INPUT;
    *out = NULL;
    if (!desc || desc->threads < 0) return PLIM_BAD_INPUT;
    PlimAllocator allocator = desc->allocator;
    if (!allocator.resize) allocator = (PlimAllocator){.resize = heap_resize};
    PlimContext *context = allocator.resize(allocator.user, NULL, 0, sizeof *context);
    if (!context) return PLIM_OUT_OF_MEMORY;
    *context = (PlimContext){.allocator = allocator,
                             .log = desc->log,
                             .log_user = desc->log_user,
                             .threads = desc->threads > 0 ? desc->threads : core_count(),
                             .cache_folder = desc->cache_folder};
    *out = context;
    return PLIM_OK;
}

void plim_context_destroy(PlimContext *context) {
    if (!context) return;
    PlimAllocator allocator = context->allocator;
    allocator.resize(allocator.user, context, sizeof *context, 0);
}

const char *plim_message(const PlimContext *context) {
    return context ? context->message : "no context was given";
}

const char *plim_status_name(PlimStatus status) {
    static const char *const names[] = {"ok", "bad input", "out of memory", "i/o error", "failed"};
    return (unsigned)status < sizeof names / sizeof *names ? names[status] : "unknown status";
}

size_t plim_context_bytes(const PlimContext *context) {
    return context ? context->bytes : 0;
}

size_t plim_context_peak_bytes(const PlimContext *context) {
    return context ? context->peak_bytes : 0;
}

uint64_t plim_context_allocations(const PlimContext *context) {
    return context ? context->allocations : 0;
}

#define TEXT_OF(x)    #x
#define VERSION_OF(x) TEXT_OF(x)

const char *plim_version(void) {
    return VERSION_OF(PLIM_VERSION_MAJOR) "." VERSION_OF(PLIM_VERSION_MINOR) "." VERSION_OF(
        PLIM_VERSION_PATCH);
}

PlimStatus context_fail(PlimContext *context, PlimStatus status, const char *format, ...) {
    /* The arguments may point into the old message, so the new one is made beside it. */
    char message[MESSAGE_CAPACITY];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    memcpy(context->message, message, sizeof message);
    return status;
}

PlimStatus context_check_pointer(PlimContext *context, const void *pointer, const char *function,
                                 const char *argument) {
    if (pointer) return PLIM_OK;
    return context_fail(context, PLIM_BAD_INPUT, "%s: %s is NULL", function, argument);
}

void context_log(const PlimContext *context, PlimLogLevel level, const char *format, ...) {
    if (!context->log) return;
    char line[MESSAGE_CAPACITY];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    context->log(context->log_user, level, line);
}

void *context_resize(PlimContext *context, void *block, size_t old_count, size_t new_count,
                     size_t item_size) {
    if (new_count == 0) {
        context_free(context, block, old_count, item_size);
        return NULL;
    }
    if (new_count > PTRDIFF_MAX / item_size) {
        context_fail(context, PLIM_OUT_OF_MEMORY, "%zu items of %zu bytes do not fit in memory",
                     new_count, item_size);
        return NULL;
    }
    size_t old_size = block ? (old_count ? old_count : 1) * item_size : 0;
    size_t new_size = new_count * item_size;
    /* What is new and from the heap comes zeroed: the pages of large blocks are then made by the
     * threads that first use them, not here one after the other. */
    bool zeroed = !block && context->allocator.resize == heap_resize;
    void *grown =
        zeroed ? calloc(1, new_size)
               : context->allocator.resize(context->allocator.user, block, old_size, new_size);
    if (!grown) {
        context_fail(context, PLIM_OUT_OF_MEMORY, "out of memory: %.1f MB asked for, %.1f MB held",
                     (double)new_size * 1e-6, (double)context->bytes * 1e-6);
        return NULL;
    }
    if (!zeroed && new_size > old_size) memset((char *)grown + old_size, 0, new_size - old_size);
    context->allocations++;
    context->bytes = context->bytes - old_size + new_size;
    if (context->bytes > context->peak_bytes) context->peak_bytes = context->bytes;
    return grown;
}

void *context_allocate(PlimContext *context, size_t count, size_t item_size) {
    /* A block of zero items is a real, freeable block: callers need not treat it apart. */
    return context_resize(context, NULL, 0, count ? count : 1, item_size);
}

void context_free(PlimContext *context, void *block, size_t count, size_t item_size) {
    if (!block) return;
    size_t size = (count ? count : 1) * item_size;
    context->allocator.resize(context->allocator.user, block, size, 0);
    context->bytes -= size;
}

char *context_copy_text(PlimContext *context, const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = context_allocate(context, size, 1);
    if (copy) memcpy(copy, text, size);
    return copy;
}

void context_free_text(PlimContext *context, char *text) {
    if (text) context_free(context, text, strlen(text) + 1, 1);
}
