/* The nearest known name by edit distance (Damerau and Levenshtein). */
#include "base/suggest.h"

#include <string.h>

/* Longer names are not worth a suggestion; the limit keeps the rows below on the stack. */
enum { SUGGEST_LENGTH = 128 };

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Edits between a prefix of `a` and all prefixes of `b`, one row after the other; a swap of
 * neighbours looks two rows back. Both lengths are below SUGGEST_LENGTH. */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    size_t rows[3][SUGGEST_LENGTH];
    for (size_t j = 0; j <= b_length; j++) rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            char p = lower(a[i - 1]), q = lower(b[j - 1]);
            row[j] = smaller(smaller(above[j], row[j - 1]) + 1, above[j - 1] + (p != q));
            if (i > 1 && j > 1 && p == lower(b[j - 2]) && q == lower(a[i - 2]))
                row[j] = smaller(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

const char *suggest_name(const char *name, const char *const *candidates, size_t count) {
    size_t length = strlen(name);
    if (length == 0 || length >= SUGGEST_LENGTH) return NULL;
    size_t allowed = length >= 6 ? length / 3 : 1;
    if (allowed >= length) allowed = length - 1; /* a single letter: only its other case */
    const char *best = NULL;
    size_t best_distance = allowed + 1;
    for (size_t i = 0; i < count; i++) {
        size_t candidate_length = strlen(candidates[i]);
        if (candidate_length >= SUGGEST_LENGTH) continue;
        size_t distance = edit_distance(name, length, candidates[i], candidate_length);
        if (distance < best_distance) {
            best = candidates[i];
            best_distance = distance;
        }
    }
    return best;
}
