/* Names that other programs take: identifiers, no two alike but for capitals. */
#ifndef IO_EXPORT_NAMES_H
#define IO_EXPORT_NAMES_H

#include "base/array.h"
#include "system/frame_view.h"

enum { EXPORT_NAME_CAPACITY = FRAME_NAME_CAPACITY + 24 };

typedef struct ExportName {
    char text[EXPORT_NAME_CAPACITY];
} ExportName;

typedef ARRAY(ExportName) ExportNames;

/* The letters, digits and underscores of `name`, one underscore for every other byte, no digit in
 * front; `_2` and so on behind it where the name is taken. False when memory is out. */
bool export_names_add(PlimContext *context, ExportNames *taken, const char *name, ExportName *out);

#endif
