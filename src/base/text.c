/* Text that grows: printf onto the end. */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void text_init(Text *text, PlimContext *context) {
    *text = (Text){.context = context};
}

void text_add(Text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0 || !array_reserve(text->context, &text->bytes, (size_t)length + 1)) {
        text->failed = true;
        return;
    }
    va_start(arguments, format);
    vsnprintf(text->bytes.data + text->bytes.count, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->bytes.count += (size_t)length;
}

void text_add_bytes(Text *text, const void *bytes, size_t size) {
    if (!array_reserve(text->context, &text->bytes, size + 1)) {
        text->failed = true;
        return;
    }
    if (size > 0) memcpy(text->bytes.data + text->bytes.count, bytes, size);
    text->bytes.count += size;
    text->bytes.data[text->bytes.count] = '\0';
}

const char *text_string(const Text *text) {
    return text->bytes.data ? text->bytes.data : "";
}

void text_free(Text *text) {
    array_free(text->context, &text->bytes);
}
