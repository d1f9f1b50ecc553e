/* A scanner: words and numbers out of the bytes of a text mesh file: no terminating NUL needed,
 * nothing depends on the user's language, and the line is known for messages. */
#ifndef GEOM_MESH_SCAN_H
#define GEOM_MESH_SCAN_H

#include "base/context.h"

#include <string.h>

typedef struct MeshScan {
    PlimContext *context;
    const char *label; /* of the file, for messages */
    const char *at, *end;
    size_t line; /* of `at`, from 1 */
} MeshScan;

typedef struct ScanWord {
    const char *start;
    size_t length; /* 0: there is none */
} ScanWord;

static inline bool scan_is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static inline bool scan_is_line_end(char c) {
    return c == '\n' || c == '\r';
}

/* May stand right after a number: a comment or a line that goes on, in formats that know these. */
static inline bool scan_ends_word(char c) {
    return scan_is_blank(c) || scan_is_line_end(c) || c == '#' || c == '\\';
}

/* Past blanks of this line. */
static inline void scan_blanks(MeshScan *scan) {
    while (scan->at < scan->end && scan_is_blank(*scan->at)) scan->at++;
}

/* Past the line end that `at` is on: "\n", "\r\n" or "\r". */
static inline void scan_pass_line_end(MeshScan *scan) {
    if (scan->at >= scan->end) return;
    if (*scan->at == '\r' && scan->end - scan->at > 1 && scan->at[1] == '\n') scan->at++;
    scan->at++;
    scan->line++;
}

/* Past blanks and line ends. */
static inline void scan_space(MeshScan *scan) {
    for (scan_blanks(scan); scan->at < scan->end && scan_is_line_end(*scan->at); scan_blanks(scan))
        scan_pass_line_end(scan);
}

/* To the end of this line, not past it. */
static inline void scan_to_line_end(MeshScan *scan) {
    while (scan->at < scan->end && !scan_is_line_end(*scan->at)) scan->at++;
}

/* What stands at `at` up to a blank or line end, and past it; blanks before it are left to the
 * caller. */
ScanWord scan_word(MeshScan *scan);

static inline bool scan_word_is(ScanWord word, const char *text) {
    return strlen(text) == word.length && memcmp(word.start, text, word.length) == 0;
}

/* The same, letter case aside (ASCII); `text` in lower case. */
bool scan_word_is_any_case(ScanWord word, const char *text);

/* A decimal number at `at`, rounded to the nearest double; false, and nothing passed, when there is
 * none, when it is not finite or when more than a number stands there. */
bool scan_double(MeshScan *scan, double *value);

/* A whole number at `at`, as far as its digits go; false when there is none or beyond +-10^18. */
bool scan_integer(MeshScan *scan, int64_t *value);

/* "LABEL line N: 'what stands at `at`' is not a finite number" and the like. */
PlimStatus scan_fail_expected(const MeshScan *scan, const char *expected);

/* A word for a message: at most 40 characters, those that cannot be printed as '?'. */
enum { SHOWN_CAPACITY = 48 };
void scan_show(ScanWord word, char shown[SHOWN_CAPACITY]);

#endif
