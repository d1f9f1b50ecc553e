/* Diagnostics: named figures of a step. */
#include "system/diagnostics.h"

#include <string.h>

void diagnostics_reset(Diagnostics *diagnostics) {
    memset(diagnostics->values, 0, sizeof diagnostics->values);
    diagnostics->left_out = NULL;
}

static size_t find(const Diagnostics *diagnostics, const char *name) {
    size_t i = 0;
    while (i < diagnostics->count && strcmp(diagnostics->names[i], name) != 0) i++;
    return i;
}

void diagnostics_add(Diagnostics *diagnostics, const char *name, double value) {
    size_t i = find(diagnostics, name);
    if (i == diagnostics->count) {
        if (i == DIAGNOSTICS_CAPACITY) {
            if (!diagnostics->left_out) diagnostics->left_out = name;
            return;
        }
        diagnostics->names[i] = name;
        diagnostics->values[i] = 0.0;
        diagnostics->count++;
    }
    diagnostics->values[i] += value;
}

double diagnostics_get(const Diagnostics *diagnostics, const char *name) {
    size_t i = find(diagnostics, name);
    return i < diagnostics->count ? diagnostics->values[i] : 0.0;
}
