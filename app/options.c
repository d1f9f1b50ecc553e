#include "app.h"

#include "base/suggest.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const Option *find_option(const Option *options, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(options[i].name, name) == 0) return &options[i];
    return NULL;
}

static bool unknown_option(const char *command, const char *name, const Option *options,
                           size_t count) {
    enum { NAME_CAPACITY = 32 };
    const char *names[NAME_CAPACITY];
    if (count > NAME_CAPACITY) count = NAME_CAPACITY; /* the others are not suggested */
    for (size_t i = 0; i < count; i++) names[i] = options[i].name;
    const char *guess = suggest_name(name, names, count);
    if (guess)
        print_error("%s: there is no option '%s'; did you mean '%s'?", command, name, guess);
    else
        print_error("%s: there is no option '%s'; see plimsoll %s --help", command, name, command);
    return false;
}

static bool store_number(const char *command, const Option *option, const char *text) {
    char *end;
    errno = 0;
    if (option->kind == OPTION_NUMBER) {
        double value = strtod(text, &end);
        if (*text && !*end && isfinite(value)) {
            *(double *)option->target = value;
            return true;
        }
    } else {
        long long value = strtoll(text, &end, 10);
        if (*text && !*end && errno == 0 && value >= 0) {
            *(int64_t *)option->target = value;
            return true;
        }
    }
    print_error("%s: %s takes a %s, not '%s'", command, option->name,
                option->kind == OPTION_NUMBER ? "number" : "whole number from 0", text);
    return false;
}

static bool store_override(const char *command, OverrideList *list, char *text) {
    char *equals = strchr(text, '=');
    if (text[0] != '/' || !equals) {
        print_error("%s: --set takes /pointer=VALUE, for example --set /params/angle=25; not '%s'",
                    command, text);
        return false;
    }
    if (list->count == MAX_OVERRIDES) {
        print_error("%s: more than %d --set", command, MAX_OVERRIDES);
        return false;
    }
    *equals = '\0';
    list->items[list->count++] = (PlimOverride){text, equals + 1};
    return true;
}

static bool store_value(const char *command, const Option *option, char *text) {
    switch (option->kind) {
    case OPTION_INTEGER:
    case OPTION_NUMBER:
        return store_number(command, option, text);
    case OPTION_TEXT:
        *(const char **)option->target = text;
        return true;
    case OPTION_SET:
        return store_override(command, option->target, text);
    case OPTION_FLAG:
        break;
    }
    return true;
}

bool parse_options(const char *command, int argc, char **argv, const Option *options,
                   size_t option_count, const char **word, int max_words, int *words) {
    *words = 0;
    for (int i = 0; i < argc; i++) {
        if (argv[i][0] != '-' || argv[i][1] == '\0') {
            if (*words == max_words) {
                print_error("%s: '%s' is one word too many; see plimsoll %s --help", command,
                            argv[i], command);
                return false;
            }
            word[(*words)++] = argv[i];
            continue;
        }
        char *joined = strncmp(argv[i], "--", 2) == 0 ? strchr(argv[i], '=') : NULL;
        if (joined) *joined = '\0'; /* --out=DIR */
        const Option *option = find_option(options, option_count, argv[i]);
        if (!option) return unknown_option(command, argv[i], options, option_count);
        if (option->kind == OPTION_FLAG) {
            *(bool *)option->target = true;
            continue;
        }
        if (!joined && i + 1 == argc) {
            print_error("%s: %s needs a value", command, option->name);
            return false;
        }
        if (!store_value(command, option, joined ? joined + 1 : argv[++i])) return false;
    }
    return true;
}
