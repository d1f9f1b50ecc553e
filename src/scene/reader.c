/* The reader of scene files: tables to structs, with defaults and collected errors. */
#include "scene/reader.h"

#include "base/suggest.h"
#include "scene/reader_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void reader_init(SceneReader *reader, PlimContext *context) {
    *reader = (SceneReader){.context = context};
}

void reader_free(SceneReader *reader) {
    for (size_t i = 0; i < reader->problems.count; i++)
        context_free_text(reader->context, reader->problems.data[i].text);
    for (size_t i = 0; i < reader->expressions.count; i++)
        expression_destroy(reader->context, reader->expressions.data[i]);
    array_free(reader->context, &reader->problems);
    array_free(reader->context, &reader->params);
    array_free(reader->context, &reader->expressions);
    array_free(reader->context, &reader->names);
}

static bool is_full(const SceneReader *reader) {
    return reader->problems.count >= MAX_PROBLEMS;
}

void reader_problem(SceneReader *reader, const SceneNode *node, const char *format, ...) {
    if (is_full(reader)) return;
    char pointer[256], reason[512], text[MESSAGE_CAPACITY];
    node_pointer(node, pointer, sizeof pointer);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    int line = node_line(node);
    snprintf(text, sizeof text, "line %d, %s: %s", line, pointer, reason);
    SceneProblem problem = {line, context_copy_text(reader->context, text)};
    if (!problem.text || !array_push(reader->context, &reader->problems, problem)) {
        context_free_text(reader->context, problem.text);
        reader->trouble = PLIM_OUT_OF_MEMORY;
    }
}

void reader_sort_problems(SceneReader *reader) {
    SceneProblem *list = reader->problems.data;
    size_t kept = 0;
    for (size_t i = 0; i < reader->problems.count; i++) {
        SceneProblem problem = list[i];
        bool known = false;
        for (size_t k = 0; k < kept && !known; k++) known = strcmp(list[k].text, problem.text) == 0;
        if (known) {
            context_free_text(reader->context, problem.text);
            continue;
        }
        size_t at = kept++;
        for (; at > 0 && list[at - 1].line > problem.line; at--) list[at] = list[at - 1];
        list[at] = problem;
    }
    reader->problems.count = kept;
}

bool reader_is_name(const char *text) {
    if (!*text || strlen(text) > 64) return false;
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    return text[strspn(text, allowed)] == '\0';
}

static const char *kind_words(NodeKind kind) {
    return kind == NODE_SCALAR ? "a single value" : kind == NODE_LIST ? "a list" : "a map";
}

bool reader_expect_kind(SceneReader *reader, const SceneNode *node, NodeKind kind,
                        const char *what) {
    if (node->kind == kind) return true;
    reader_problem(reader, node, "should be %s, is %s", what, kind_words(node->kind));
    return false;
}

/* ---- values of a table ---- */

static bool in_bounds(SceneReader *reader, const SceneNode *node, const SceneKey *key,
                      double value) {
    if (key->low == key->high) return true;
    bool low = key->low_exclusive ? value > key->low : value >= key->low;
    if (low && value <= key->high) return true;
    const char *unit = key->unit ? key->unit : "", *space = key->unit ? " " : "";
    const char *reason = key->bounds_reason ? key->bounds_reason : "";
    const char *colon = key->bounds_reason ? ": " : "";
    const char *from = key->low_exclusive ? "above" : "at least";
    if (key->high == HUGE_VAL)
        reader_problem(reader, node, "is %g%s%s; it must be %s %g%s%s", value, space, unit, from,
                       key->low, colon, reason);
    else
        reader_problem(reader, node, "is %g%s%s; it must be %s %g and at most %g%s%s", value, space,
                       unit, from, key->low, key->high, colon, reason);
    return false;
}

static void read_number(SceneReader *reader, const SceneNode *node, const SceneKey *key,
                        double *out) {
    double value;
    if (reader_number(reader, node, &value) && in_bounds(reader, node, key, value)) *out = value;
}

static void read_integer(SceneReader *reader, const SceneNode *node, const SceneKey *key,
                         int64_t *out) {
    double value;
    if (!reader_number(reader, node, &value)) return;
    if (value != floor(value) || fabs(value) > 0x1p53) {
        reader_problem(reader, node, "should be a whole number, is %g", value);
        return;
    }
    if (in_bounds(reader, node, key, value)) *out = (int64_t)value;
}

static void read_bool(SceneReader *reader, const SceneNode *node, bool *out) {
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on"};
    if (!reader_expect_kind(reader, node, NODE_SCALAR, "true or false")) return;
    const char *text = reader_text_param(reader, node);
    if (!text) text = node->text;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(text, words[i]) != 0) continue;
        *out = i % 2;
        return;
    }
    double value;
    if (text[0] == '=' || (!node->quoted && reader_parse_plain(text, &value))) {
        if (text[0] == '=' && !reader_number(reader, node, &value)) return;
        *out = value != 0.0;
        return;
    }
    reader_problem(reader, node, "should be true or false, is '%.60s'", text);
}

static bool check_name(SceneReader *reader, const SceneNode *node, const char *text) {
    if (reader_is_name(text)) return true;
    reader_problem(reader, node,
                   "'%.60s' cannot be a name: use 1 to 64 letters, digits, '_' and '-'", text);
    return false;
}

static void read_text(SceneReader *reader, const SceneNode *node, const SceneKey *key,
                      const char **out) {
    if (!reader_expect_kind(reader, node, NODE_SCALAR, "text")) return;
    const char *text = reader_text_param(reader, node);
    if (!text && node->text[0] == '=') {
        reader_problem(reader, node,
                       "\"%.60s\" should be text, or \"=\" and the name of a parameter that is "
                       "text",
                       node->text);
        return;
    }
    if (!text) text = node->text;
    if (key->kind == VALUE_TEXT || check_name(reader, node, text)) *out = text;
}

/* A number in place of a word counts the choices from 0. */
static void read_choice_number(SceneReader *reader, const SceneNode *node, size_t count,
                               const char *known, int *out) {
    double value;
    if (!reader_number(reader, node, &value)) return;
    if (value == floor(value) && value >= 0 && value < (double)count)
        *out = (int)value;
    else
        reader_problem(reader, node, "is %g; it must be a whole number from 0 to %zu, for: %s",
                       value, count - 1, known);
}

static void read_choice(SceneReader *reader, const SceneNode *node, const SceneKey *key, int *out) {
    if (!reader_expect_kind(reader, node, NODE_SCALAR, "one word")) return;
    const char *text = reader_text_param(reader, node);
    if (!text) text = node->text;
    char known[256] = "";
    size_t count = 0, used = 0;
    for (; key->choices[count]; count++) {
        if (strcmp(text, key->choices[count]) == 0) {
            *out = (int)count;
            return;
        }
        if (used < sizeof known)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", count ? ", " : "",
                                     key->choices[count]);
    }
    if (text[0] == '=') {
        read_choice_number(reader, node, count, known, out);
        return;
    }
    const char *guess = suggest_name(text, key->choices, count);
    reader_problem(reader, node, "'%.60s' is not one of: %s%s%s%s", text, known,
                   guess ? "; did you mean '" : "", guess ? guess : "", guess ? "'?" : "");
}

static void read_vec2(SceneReader *reader, const SceneNode *node, const SceneKey *key,
                      double out[2]) {
    if (!reader_expect_kind(reader, node, NODE_LIST, "a list of two numbers")) return;
    if (node->children.count != 2) {
        reader_problem(reader, node, "should have two numbers, has %zu", node->children.count);
        return;
    }
    for (int axis = 0; axis < 2; axis++)
        read_number(reader, node->children.data[axis], key, &out[axis]);
}

static void read_points(SceneReader *reader, SceneNode *node, const SceneKey *key,
                        SceneItems *out) {
    if (!reader_expect_kind(reader, node, NODE_LIST, "a list of points [x, y]")) return;
    double point[2];
    for (size_t i = 0; i < node->children.count; i++)
        read_vec2(reader, node->children.data[i], key, point);
    out->node = node;
}

/* The three items of a list, or NULL after a problem. */
static SceneNode *const *three_items(SceneReader *reader, const SceneNode *node) {
    if (!reader_expect_kind(reader, node, NODE_LIST, "a list of three numbers")) return NULL;
    if (node->children.count == 3) return node->children.data;
    reader_problem(reader, node, "should have three numbers, has %zu", node->children.count);
    return NULL;
}

static void read_motion3(SceneReader *reader, const SceneNode *node, const SceneKey *key,
                         bool has_time, SceneMotion out[3]) {
    SceneNode *const *items = three_items(reader, node);
    for (int axis = 0; items && axis < 3; axis++) {
        SceneMotion motion;
        if (reader_motion(reader, items[axis], has_time, &motion) &&
            in_bounds(reader, items[axis], key, motion.value))
            out[axis] = motion;
    }
}

static void read_vec3(SceneReader *reader, const SceneNode *node, const SceneKey *key,
                      double out[3]) {
    SceneMotion values[3] = {{out[0], NULL}, {out[1], NULL}, {out[2], NULL}};
    read_motion3(reader, node, key, false, values);
    for (int axis = 0; axis < 3; axis++) out[axis] = values[axis].value;
}

/* The bounds hold for numbers; what an expression gives is known only where it is used. */
static void read_field(SceneReader *reader, const SceneNode *node, const SceneKey *key,
                       SceneField *out) {
    SceneField field;
    if (reader_field(reader, node, &field) &&
        (field.expression || in_bounds(reader, node, key, field.value)))
        *out = field;
}

static void read_field3(SceneReader *reader, const SceneNode *node, const SceneKey *key,
                        SceneField out[3]) {
    SceneNode *const *items = three_items(reader, node);
    for (int axis = 0; items && axis < 3; axis++) read_field(reader, items[axis], key, &out[axis]);
}

static void read_names(SceneReader *reader, SceneNode *node, SceneNames *out) {
    if (!reader_expect_kind(reader, node, NODE_LIST, "a list of names")) return;
    for (size_t i = 0; i < node->children.count; i++) {
        const SceneNode *child = node->children.data[i];
        if (!reader_expect_kind(reader, child, NODE_SCALAR, "text") ||
            !check_name(reader, child, child->text))
            return;
    }
    out->node = node;
}

static void read_items(SceneReader *reader, SceneNode *node, SceneItems *out) {
    if (!reader_expect_kind(reader, node, NODE_LIST, "a list")) return;
    for (size_t i = 0; i < node->children.count; i++)
        if (!reader_expect_kind(reader, node->children.data[i], NODE_MAP, "a map")) return;
    out->node = node;
}

/* Turns "left: open" into "left: {kind: open}". */
static void expand_short_form(SceneReader *reader, SceneNode *node, const SceneKey *key) {
    SceneNode *value = node_create(reader->context, NODE_SCALAR, node->line);
    if (!value) {
        reader->trouble = PLIM_OUT_OF_MEMORY;
        return;
    }
    value->text = node->text;
    value->quoted = node->quoted;
    node->text = NULL;
    node->kind = NODE_MAP;
    node->flow = true;
    if (node_append(reader->context, node, key->table->keys[0].name, value) != PLIM_OK)
        reader->trouble = PLIM_OUT_OF_MEMORY;
}

/* False when the key holds something other than numbers. */
static bool read_numbers(SceneReader *reader, SceneNode *node, const SceneKey *key, void *out) {
    switch (key->kind) {
    case VALUE_NUMBER:
        read_number(reader, node, key, out);
        return true;
    case VALUE_INTEGER:
        read_integer(reader, node, key, out);
        return true;
    case VALUE_VEC2:
        read_vec2(reader, node, key, out);
        return true;
    case VALUE_VEC3:
        read_vec3(reader, node, key, out);
        return true;
    case VALUE_POINTS:
        read_points(reader, node, key, out);
        return true;
    case VALUE_MOTION:
        reader_motion(reader, node, true, out);
        return true;
    case VALUE_MOTION3:
        read_motion3(reader, node, key, true, out);
        return true;
    case VALUE_FIELD:
        read_field(reader, node, key, out);
        return true;
    case VALUE_FIELD3:
        read_field3(reader, node, key, out);
        return true;
    default:
        return false;
    }
}

static void read_value(SceneReader *reader, SceneNode *node, const SceneKey *key, char *at) {
    void *out = at;
    if (read_numbers(reader, node, key, out)) return;
    switch (key->kind) {
    case VALUE_BOOL:
        read_bool(reader, node, out);
        break;
    case VALUE_TEXT:
    case VALUE_NAME:
        read_text(reader, node, key, out);
        break;
    case VALUE_CHOICE:
        read_choice(reader, node, key, out);
        break;
    case VALUE_NAMES:
    case VALUE_HASHES:
        read_names(reader, node, out);
        break;
    case VALUE_TABLE:
        if (key->table->short_form && node->kind == NODE_SCALAR)
            expand_short_form(reader, node, key);
        reader_read_table(reader, node, key->table, out);
        break;
    case VALUE_ONE_OF:
        reader_read_one_of(reader, node, key->table, out);
        break;
    case VALUE_LATER:
        if (reader_expect_kind(reader, node, NODE_MAP, "a map with one key"))
            ((SceneItems *)out)->node = node;
        break;
    case VALUE_LATERS:
    case VALUE_ITEMS:
        read_items(reader, node, out);
        break;
    default:
        break; /* VALUE_PARAMS: read first of all, by reader_read_params */
    }
}

/* ---- tables ---- */

static void unknown_key(SceneReader *reader, const SceneNode *node, const SceneTable *table) {
    if (is_full(reader)) return;
    enum { KNOWN_CAPACITY = 64 };
    const char *known[KNOWN_CAPACITY];
    size_t known_count = table->key_count < KNOWN_CAPACITY ? table->key_count : KNOWN_CAPACITY;
    char list[400] = "";
    size_t used = 0;
    for (size_t i = 0; i < known_count; i++) {
        known[i] = table->keys[i].name;
        if (used < sizeof list)
            used +=
                (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", known[i]);
    }
    const char *guess = suggest_name(node->key, known, known_count);
    if (guess)
        reader_problem(reader, node, "unknown key '%.60s'; did you mean '%s'?", node->key, guess);
    else
        reader_problem(reader, node, "unknown key '%.60s'; here may stand: %s", node->key, list);
}

static const SceneKey *find_key(const SceneTable *table, const char *name) {
    for (size_t i = 0; i < table->key_count; i++)
        if (strcmp(table->keys[i].name, name) == 0) return &table->keys[i];
    return NULL;
}

void reader_read_one_of(SceneReader *reader, SceneNode *node, const SceneTable *table, void *out) {
    if (!reader_expect_kind(reader, node, NODE_MAP, "a map with one key")) return;
    if (node->children.count != 1) {
        reader_problem(reader, node, "should have exactly one key, has %zu", node->children.count);
        return;
    }
    SceneNode *child = node->children.data[0];
    const SceneKey *key = find_key(table, child->key);
    if (!key) {
        unknown_key(reader, child, table);
        return;
    }
    *(int *)(void *)((char *)out + table->which_offset) = (int)(key - table->keys);
    read_value(reader, child, key, (char *)out + key->offset);
}

/* The default becomes part of the tree, as if the user had written it. */
static SceneNode *insert_fallback(SceneReader *reader, SceneNode *map, const SceneKey *key) {
    SceneNode *node;
    ParseError error;
    PlimStatus status =
        node_parse(reader->context, key->fallback, strlen(key->fallback), &node, &error);
    if (status == PLIM_OK) {
        node->line = 0;
        for (size_t i = 0; i < node->children.count; i++) node->children.data[i]->line = 0;
        status = node_append(reader->context, map, key->name, node);
    }
    if (status == PLIM_OK) return node;
    reader->trouble = PLIM_OUT_OF_MEMORY;
    return NULL;
}

void reader_read_table(SceneReader *reader, SceneNode *map, const SceneTable *table, void *out) {
    if (!reader_expect_kind(reader, map, NODE_MAP, "a map")) return;
    for (size_t i = 0; i < map->children.count; i++)
        if (!find_key(table, map->children.data[i]->key))
            unknown_key(reader, map->children.data[i], table);
    for (size_t i = 0; i < table->key_count; i++) {
        const SceneKey *key = &table->keys[i];
        SceneNode *node = node_get(map, key->name);
        if (!node && key->required)
            reader_problem(reader, map, "the key '%s' is missing (%s)", key->name, key->help);
        if (!node && key->fallback) node = insert_fallback(reader, map, key);
        bool in_copy = reader->repeat.active;
        if (key->outside_copies) reader->repeat.active = false;
        if (node) read_value(reader, node, key, (char *)out + key->offset);
        reader->repeat.active = in_copy;
    }
}
