/* Names as identifiers. */
#include "io/export/names.h"

#include <stdio.h>
#include <strings.h>

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Capitals do not part names: on many disks they do not part files. */
static bool is_taken(const ExportNames *taken, const char *name) {
    for (size_t i = 0; i < taken->count; i++)
        if (strcasecmp(taken->data[i].text, name) == 0) return true;
    return false;
}

bool export_names_add(PlimContext *context, ExportNames *taken, const char *name, ExportName *out) {
    char valid[FRAME_NAME_CAPACITY + 1];
    snprintf(valid, sizeof valid, "%s%.*s", is_digit(name[0]) || !name[0] ? "_" : "",
             FRAME_NAME_CAPACITY - 1, name);
    for (char *c = valid; *c; c++)
        if (!is_letter(*c) && !is_digit(*c)) *c = '_';
    snprintf(out->text, sizeof out->text, "%s", valid);
    for (unsigned number = 2; is_taken(taken, out->text); number++)
        snprintf(out->text, sizeof out->text, "%s_%u", valid, number);
    return array_push(context, taken, *out);
}
