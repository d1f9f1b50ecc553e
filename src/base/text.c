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

void text_add_base64(Text *text, const void *bytes, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *from = bytes;
    if (!array_reserve(text->context, &text->bytes, 4 * (size / 3) + 5)) {
        text->failed = true;
        return;
    }
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        unsigned word = (unsigned)from[i] << 16 | (left > 1 ? (unsigned)from[i + 1] << 8 : 0) |
                        (left > 2 ? from[i + 2] : 0);
        char *at = text->bytes.data + text->bytes.count;
        at[0] = digits[word >> 18];
        at[1] = digits[word >> 12 & 63];
        at[2] = left > 1 ? digits[word >> 6 & 63] : '=';
        at[3] = left > 2 ? digits[word & 63] : '=';
        text->bytes.count += 4;
    }
    text->bytes.data[text->bytes.count] = '\0';
}

const char *text_string(const Text *text) {
    return text->bytes.data ? text->bytes.data : "";
}

void text_free(Text *text) {
    array_free(text->context, &text->bytes);
}
