/* A scanner of words and numbers in text files. */
#include "geom/mesh/mesh_scan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Digits that always fit in 64 bits. */
enum { KEPT_DIGITS = 19, EXPONENT_LIMIT = 100000 };

static inline bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

ScanWord scan_word(MeshScan *scan) {
    const char *start = scan->at;
    while (scan->at < scan->end && !scan_is_blank(*scan->at) && !scan_is_line_end(*scan->at))
        scan->at++;
    return (ScanWord){start, (size_t)(scan->at - start)};
}

bool scan_word_is_any_case(ScanWord word, const char *text) {
    if (strlen(text) != word.length) return false;
    for (size_t i = 0; i < word.length; i++) {
        char c = word.start[i];
        if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
        if (c != text[i]) return false;
    }
    return true;
}

bool scan_integer(MeshScan *scan, int64_t *value) {
    const char *at = scan->at;
    bool negative = at < scan->end && *at == '-';
    if (at < scan->end && (*at == '-' || *at == '+')) at++;
    const char *first = at;
    int64_t sum = 0;
    for (; at < scan->end && is_digit(*at); at++) {
        if (sum >= INT64_C(100000000000000000)) return false;
        sum = 10 * sum + (*at - '0');
    }
    if (at == first) return false;
    *value = negative ? -sum : sum;
    scan->at = at;
    return true;
}

/* ---- decimal to double ---- */

typedef struct Decimal {
    uint64_t digits; /* the first KEPT_DIGITS significant ones as a number */
    int exponent;    /* value = digits 10^exponent, as long as nothing was cut */
    bool negative, cut;
} Decimal;

static const char *parse_exponent(const char *at, const char *end, int *exponent) {
    const char *after = at + 1; /* past the letter */
    bool negative = after < end && *after == '-';
    if (after < end && (*after == '-' || *after == '+')) after++;
    if (after == end || !is_digit(*after)) return at; /* not an exponent after all */
    int sum = 0;
    for (; after < end && is_digit(*after); after++)
        if (sum < EXPONENT_LIMIT) sum = 10 * sum + (*after - '0');
    *exponent += negative ? -sum : sum;
    return after;
}

/* Where the number at `at` ends; `at` itself when there is none. */
static const char *parse_decimal(const char *at, const char *end, Decimal *out) {
    const char *start = at;
    *out = (Decimal){.negative = at < end && *at == '-'};
    if (at < end && (*at == '-' || *at == '+')) at++;
    int kept = 0;
    bool any = false, after_point = false;
    for (; at < end; at++) {
        if (*at == '.' && !after_point) {
            after_point = true;
            continue;
        }
        if (!is_digit(*at)) break;
        any = true;
        if (kept < KEPT_DIGITS) {
            out->digits = 10 * out->digits + (uint64_t)(*at - '0');
            kept += out->digits != 0; /* zeros in front carry nothing */
            out->exponent -= after_point && out->exponent > -EXPONENT_LIMIT;
        } else {
            out->cut |= *at != '0';
            out->exponent += !after_point && out->exponent < EXPONENT_LIMIT;
        }
    }
    if (!any) return start;
    if (at < end && (*at == 'e' || *at == 'E')) at = parse_exponent(at, end, &out->exponent);
    return at;
}

__extension__ typedef unsigned __int128 Wide;

/* value 2^exponent, rounded to nearest, ties to even; `more` says that a little was cut off below.
 * For results that are neither tiny nor huge. */
static double round_wide(Wide value, int exponent, bool more) {
    uint64_t high = (uint64_t)(value >> 64), low = (uint64_t)value;
    int top = high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll(low);
    int shift = top - 52;
    if (shift <= 0) return ldexp((double)low, exponent);
    uint64_t kept = (uint64_t)(value >> shift);
    Wide rest = value & (((Wide)1 << shift) - 1), half = (Wide)1 << (shift - 1);
    if (rest > half || (rest == half && (more || (kept & 1)))) kept++;
    return ldexp((double)kept, exponent + shift);
}

/* Exact in integers: digits times or divided by 5^n with 5^27 < 2^63, and the power of two apart.
 */
static bool convert_exactly(const Decimal *decimal, double *value) {
    static const uint64_t fives[] = {UINT64_C(1),
                                     UINT64_C(5),
                                     UINT64_C(25),
                                     UINT64_C(125),
                                     UINT64_C(625),
                                     UINT64_C(3125),
                                     UINT64_C(15625),
                                     UINT64_C(78125),
                                     UINT64_C(390625),
                                     UINT64_C(1953125),
                                     UINT64_C(9765625),
                                     UINT64_C(48828125),
                                     UINT64_C(244140625),
                                     UINT64_C(1220703125),
                                     UINT64_C(6103515625),
                                     UINT64_C(30517578125),
                                     UINT64_C(152587890625),
                                     UINT64_C(762939453125),
                                     UINT64_C(3814697265625),
                                     UINT64_C(19073486328125),
                                     UINT64_C(95367431640625),
                                     UINT64_C(476837158203125),
                                     UINT64_C(2384185791015625),
                                     UINT64_C(11920928955078125),
                                     UINT64_C(59604644775390625),
                                     UINT64_C(298023223876953125),
                                     UINT64_C(1490116119384765625),
                                     UINT64_C(7450580596923828125)};
    enum { MOST = sizeof fives / sizeof *fives - 1 };
    int power = decimal->exponent;
    if (decimal->cut || power < -MOST || power > MOST) return false;
    if (decimal->digits == 0) {
        *value = 0.0;
    } else if (power >= 0) {
        *value = round_wide((Wide)decimal->digits * fives[power], power, false);
    } else {
        int shift = 64 + __builtin_clzll(decimal->digits);
        Wide numerator = (Wide)decimal->digits << shift;
        Wide quotient = numerator / fives[-power];
        bool more = quotient * fives[-power] != numerator;
        *value = round_wide(quotient, power - shift, more);
    }
    return true;
}

/* The rare rest (hundreds of digits, 1e-300) through strtod, which would want the decimal point of
 * the user's language: the digits are handed over without a point and with the exponent to match.
 * 800 digits decide any double; a non-zero one beyond them shows as a last 1. */
static bool convert_slowly(const char *at, const char *end, double *value) {
    enum { DIGITS = 800 };
    char text[DIGITS + 32];
    size_t count = 0;
    int exponent = 0;
    bool after_point = false, cut = false;
    if (*at == '-' || *at == '+') at++;
    for (; at < end && *at != 'e' && *at != 'E'; at++) {
        if (*at == '.') {
            after_point = true;
        } else if (count < DIGITS) {
            if (count > 0 || *at != '0') text[count++] = *at;
            exponent -= after_point && exponent > -EXPONENT_LIMIT;
        } else {
            cut |= *at != '0';
            exponent += !after_point && exponent < EXPONENT_LIMIT;
        }
    }
    if (count == 0) text[count++] = '0';
    if (cut) {
        text[count++] = '1';
        exponent--;
    }
    if (at < end) parse_exponent(at, end, &exponent);
    snprintf(text + count, sizeof text - count, "e%d", exponent);
    *value = strtod(text, NULL);
    return isfinite(*value);
}

bool scan_double(MeshScan *scan, double *value) {
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    Decimal decimal;
    const char *after = parse_decimal(scan->at, scan->end, &decimal);
    if (after == scan->at) return false;
    if (after < scan->end && !scan_ends_word(*after)) return false;
    double size;
    if (!decimal.cut && decimal.digits < (UINT64_C(1) << 53) && decimal.exponent >= -22 &&
        decimal.exponent <= 22) { /* both factors exact: one rounding */
        double digits = (double)decimal.digits;
        size = decimal.exponent < 0 ? digits / tens[-decimal.exponent]
                                    : digits * tens[decimal.exponent];
    } else if (!convert_exactly(&decimal, &size) && !convert_slowly(scan->at, after, &size)) {
        return false;
    }
    *value = decimal.negative ? -size : size;
    scan->at = after;
    return true;
}

/* ---- messages ---- */

void scan_show(ScanWord word, char shown[SHOWN_CAPACITY]) {
    enum { MOST = 40 };
    size_t length = word.length < MOST ? word.length : MOST;
    for (size_t i = 0; i < length; i++)
        shown[i] = word.start[i] >= ' ' && word.start[i] <= '~' ? word.start[i] : '?';
    memcpy(shown + length, word.length > MOST ? "..." : "", word.length > MOST ? 4 : 1);
}

PlimStatus scan_fail_expected(const MeshScan *scan, const char *expected) {
    MeshScan ahead = *scan;
    ScanWord word = scan_word(&ahead);
    char shown[SHOWN_CAPACITY];
    scan_show(word, shown);
    if (word.length > 0)
        return context_fail(scan->context, PLIM_BAD_INPUT, "%s line %zu: '%s' is not %s",
                            scan->label, scan->line, shown, expected);
    return context_fail(scan->context, PLIM_BAD_INPUT,
                        "%s line %zu: the %s ends where %s should be", scan->label, scan->line,
                        scan->at < scan->end ? "line" : "file", expected);
}
