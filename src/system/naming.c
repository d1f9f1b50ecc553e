/* Names of instances in columns and groups. */
#include "system/naming.h"

#include <stdio.h>
#include <string.h>

void system_name(const char *pattern, const char *instance, char out[SYSTEM_NAME_CAPACITY]) {
    size_t plain = strcspn(pattern, "|");
    if (!instance) {
        snprintf(out, SYSTEM_NAME_CAPACITY, "%.*s", (int)plain, pattern);
        return;
    }
    const char *named = pattern + plain + 1;
    size_t star = strcspn(named, "*");
    snprintf(out, SYSTEM_NAME_CAPACITY, "%.*s%s%s", (int)star, named, instance, named + star + 1);
}
