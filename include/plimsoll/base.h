/* What every other header needs: status codes, the context, memory and logging.
 *
 * A PlimContext is the library's only root object. It carries the allocator, the log callback, the
 * thread count and the text of the last failure. The library has no globals, never exits and never
 * prints; use one context per thread of your own. */
#ifndef PLIMSOLL_BASE_H
#define PLIMSOLL_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PLIM_API __attribute__((visibility("default")))
#else
#define PLIM_API
#endif

#define PLIM_VERSION_MAJOR 0
#define PLIM_VERSION_MINOR 1
#define PLIM_VERSION_PATCH 0

/* Why a call did not succeed. The text is in plim_message().
 *
 * Arguments are checked: a NULL pointer, an id or an index that does not exist is PLIM_BAD_INPUT
 * with a message, and changes nothing. A NULL context, world or scene is PLIM_BAD_INPUT too, with
 * nowhere to put a message. Functions that return a value return NaN, 0 or NULL in these cases.
 * Every destroy function takes NULL. */
typedef enum PlimStatus {
    PLIM_OK = 0,
    PLIM_BAD_INPUT,     /* the request was wrong: a scene, a file, an argument */
    PLIM_OUT_OF_MEMORY, /* the allocator returned NULL, or a size was refused beforehand */
    PLIM_IO_ERROR,      /* the operating system refused to read or write */
    PLIM_FAILED         /* the simulation broke: a value became infinite, a solve diverged */
} PlimStatus;

/* Replaceable memory. `resize` behaves like realloc: block NULL makes a new block, new_size 0 frees
 * it and returns NULL. `old_size` is what the block was made with. */
typedef struct PlimAllocator {
    void *(*resize)(void *user, void *block, size_t old_size, size_t new_size);
    void *user;
} PlimAllocator;

typedef enum PlimLogLevel { PLIM_LOG_INFO = 0, PLIM_LOG_WARNING = 1 } PlimLogLevel;

/* Called with one finished line of text, without a newline. */
typedef void (*PlimLogFn)(void *user, PlimLogLevel level, const char *line);

typedef struct PlimContextDesc {
    PlimAllocator allocator; /* resize NULL (default): the C library's heap */
    PlimLogFn log;           /* NULL (default): silent */
    void *log_user;
    int threads; /* >= 1; 0 (default): one per core. Results do not depend on it, to the bit. */
    /* Folder for what is costly to make, such as distance fields, by content; must outlive the
     * context. NULL (default): nothing is kept. Results do not depend on it either. */
    const char *cache_folder;
} PlimContextDesc;

typedef struct PlimContext PlimContext;

PLIM_API PlimContextDesc plim_context_desc_default(void);
/* PLIM_BAD_INPUT when a pointer is NULL or `threads` is negative; there is no message then. */
PLIM_API PlimStatus plim_context_create(const PlimContextDesc *desc, PlimContext **out);
/* Everything made from the context must be destroyed before it. NULL is allowed. */
PLIM_API void plim_context_destroy(PlimContext *context);

/* What went wrong in the last call that did not return PLIM_OK, and how to mend it. */
PLIM_API const char *plim_message(const PlimContext *context);
PLIM_API const char *plim_status_name(PlimStatus status);

/* Memory held through this context right now, the most ever held, and calls made to the allocator.
 */
PLIM_API size_t plim_context_bytes(const PlimContext *context);
PLIM_API size_t plim_context_peak_bytes(const PlimContext *context);
PLIM_API uint64_t plim_context_allocations(const PlimContext *context);

PLIM_API const char *plim_version(void);

#ifdef __cplusplus
}
#endif
#endif
