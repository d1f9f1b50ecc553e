/* Text that grows: printf onto the end. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/array.h"

typedef struct Text {
    PlimContext *context;
    ARRAY(char) bytes; /* always NUL-terminated once something was added; count excludes the NUL */
    bool failed;       /* memory ran out: what was added since is missing */
} Text;

void text_init(Text *text, PlimContext *context);
void text_add(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Raw bytes, which may hold NULs. */
void text_add_bytes(Text *text, const void *bytes, size_t size);
/* Bytes as base64 (RFC 4648), filled up with '='. */
void text_add_base64(Text *text, const void *bytes, size_t size);
/* "" when nothing was added. */
const char *text_string(const Text *text);
void text_free(Text *text);

#endif
