#include "scene/reader.h"

#include "base/hash.h"
#include "base/suggest.h"

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
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

static bool expect_kind(SceneReader *reader, const SceneNode *node, NodeKind kind,
                        const char *what) {
    if (node->kind == kind) return true;
    reader_problem(reader, node, "should be %s, is %s", what, kind_words(node->kind));
    return false;
}

/* ---- numbers ---- */

static bool lookup_repeat(const RepeatIndex *repeat, const char *name, double *value) {
    if (!repeat->active) return false;
    const struct {
        const char *name;
        uint64_t value;
    } known[] = {{"i", repeat->i},
                 {"j", repeat->j},
                 {"k", repeat->k},
                 {"n", repeat->n},
                 {"count", repeat->count}};
    for (size_t at = 0; at < sizeof known / sizeof *known; at++) {
        if (strcmp(known[at].name, name) != 0) continue;
        *value = (double)known[at].value;
        return true;
    }
    return false;
}

/* Each needs room on the stack, and an expression in it may be nested deep. */
enum { PARAM_DEPTH = 16 };

static void evaluate_param(SceneReader *reader, SceneParam *param);

static bool lookup_name(void *user, const char *name, double *value, char *why, size_t why_size) {
    SceneReader *reader = user;
    for (size_t i = 0; i < reader->params.count; i++) {
        SceneParam *param = &reader->params.data[i];
        if (strcmp(param->name, name) != 0) continue;
        if (param->state == PARAM_READING) {
            snprintf(why, why_size, "the parameter '%.60s' depends on itself", name);
            return false;
        }
        if (param->state == PARAM_UNREAD && reader->param_depth >= PARAM_DEPTH) {
            snprintf(
                why, why_size,
                "a chain of more than %d parameters, each before the one it needs; put '%.60s' "
                "higher up",
                PARAM_DEPTH, name);
            return false;
        }
        if (param->state == PARAM_UNREAD) evaluate_param(reader, param);
        if (param->state == PARAM_BAD) {
            snprintf(why, why_size, "the parameter '%.60s' has no value", name);
            return false;
        }
        *value = param->value;
        return true;
    }
    return lookup_repeat(&reader->repeat, name, value);
}

static ExpressionScope scope_of(SceneReader *reader, bool has_time) {
    return (ExpressionScope){.lookup = lookup_name,
                             .user = reader,
                             .names = reader->names.data,
                             .has_time = has_time,
                             .has_random = reader->has_seed,
                             .seed = hash_mix(reader->seed ^ reader->repeat.stream),
                             .instance = reader->repeat.n};
}

static bool keep_expression(SceneReader *reader, Expression *expression) {
    if (array_push(reader->context, &reader->expressions, expression)) return true;
    expression_destroy(reader->context, expression);
    reader->trouble = PLIM_OUT_OF_MEMORY;
    return false;
}

/* Compiles and evaluates "=..."; keeps the expression when it depends on time. */
static bool read_expression(SceneReader *reader, const SceneNode *node, bool has_time,
                            SceneMotion *out) {
    ExpressionScope scope = scope_of(reader, has_time);
    char why[EXPRESSION_MESSAGE];
    Expression *expression;
    PlimStatus status =
        expression_compile(reader->context, node->text + 1, &scope, &expression, why);
    if (status == PLIM_OUT_OF_MEMORY) {
        reader->trouble = status;
        return false;
    }
    if (status != PLIM_OK) {
        reader_problem(reader, node, "in \"%.60s\": %s", node->text, why);
        return false;
    }
    double rate;
    status = expression_evaluate(expression, 0.0, &out->value, &rate, why);
    bool moving = expression_uses_time(expression);
    if (status != PLIM_OK) {
        reader_problem(reader, node, "in \"%.60s\"%s: %s", node->text, moving ? " at t = 0" : "",
                       why);
        expression_destroy(reader->context, expression);
        return false;
    }
    if (moving) {
        if (!keep_expression(reader, expression)) return false;
        out->expression = expression;
        return true;
    }
    expression_destroy(reader->context, expression);
    return true;
}

/* Digits, sign, point, power of ten: no hexadecimal, no infinity. strtod wants the point of the
 * user's language, which a file does not know. */
static bool parse_plain(const char *text, double *value) {
    char copy[512];
    const char *point = localeconv()->decimal_point;
    size_t used = 0;
    for (const char *c = text; *c; c++) {
        if (!strchr("0123456789+-.eE", *c) || used + strlen(point) >= sizeof copy) return false;
        if (*c == '.')
            for (const char *p = point; *p; p++) copy[used++] = *p;
        else
            copy[used++] = *c;
    }
    copy[used] = '\0';
    char *end;
    *value = strtod(copy, &end);
    return used > 0 && *end == '\0' && isfinite(*value);
}

static bool read_motion(SceneReader *reader, const SceneNode *node, bool has_time,
                        SceneMotion *out) {
    *out = (SceneMotion){0};
    if (!expect_kind(reader, node, NODE_SCALAR, "a number")) return false;
    if (node->text[0] == '=') return read_expression(reader, node, has_time, out);
    double value;
    if (node->quoted || !parse_plain(node->text, &value)) {
        reader_problem(reader, node,
                       node->quoted ? "should be a number, is the text \"%.60s\" (an expression "
                                      "starts with '=')"
                                    : "should be a finite number, is '%.60s'",
                       node->text);
        return false;
    }
    out->value = value;
    return true;
}

bool reader_number(SceneReader *reader, const SceneNode *node, double *value) {
    SceneMotion motion;
    if (!read_motion(reader, node, false, &motion)) return false;
    *value = motion.value;
    return true;
}

/* ---- parameters ---- */

static void evaluate_param(SceneReader *reader, SceneParam *param) {
    param->state = PARAM_READING;
    reader->param_depth++;
    double value;
    bool good = reader_number(reader, param->node, &value);
    reader->param_depth--;
    param->value = good ? value : 0.0;
    param->state = good ? PARAM_READ : PARAM_BAD;
}

static bool check_param_name(SceneReader *reader, const SceneNode *node) {
    if (!reader_is_name(node->key) || strchr(node->key, '-') || strchr("0123456789", *node->key)) {
        reader_problem(reader, node,
                       "'%.60s' cannot be a parameter: use 1 to 64 letters, digits and '_', no "
                       "digit first",
                       node->key);
        return false;
    }
    static const char *const taken[] = {"t", "pi", "tau", "e", "i", "j", "k", "n", "count"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        if (strcmp(node->key, taken[i]) != 0) continue;
        reader_problem(reader, node, "'%s' has a meaning in expressions; name it otherwise",
                       node->key);
        return false;
    }
    return true;
}

static void collect_params(SceneReader *reader, const SceneNode *params) {
    if (!expect_kind(reader, params, NODE_MAP, "a map of names and numbers")) return;
    if (params->children.count > MAX_PARAMS) {
        reader_problem(reader, params, "has %zu parameters; at most %d", params->children.count,
                       MAX_PARAMS);
        return;
    }
    for (size_t i = 0; i < params->children.count; i++) {
        SceneNode *node = params->children.data[i];
        if (!check_param_name(reader, node)) continue;
        SceneParam param = {.name = node->key, .node = node};
        if (!array_push(reader->context, &reader->params, param) ||
            !array_push(reader->context, &reader->names, node->key))
            reader->trouble = PLIM_OUT_OF_MEMORY;
    }
}

void reader_read_params(SceneReader *reader, SceneNode *params) {
    if (params) collect_params(reader, params);
    if (!array_push(reader->context, &reader->names, NULL)) reader->trouble = PLIM_OUT_OF_MEMORY;
    if (reader->trouble != PLIM_OK) return;
    for (size_t i = 0; i < reader->params.count; i++)
        if (reader->params.data[i].state == PARAM_UNREAD)
            evaluate_param(reader, &reader->params.data[i]);
}

/* ---- values of a table ---- */

static bool in_bounds(SceneReader *reader, const SceneNode *node, const SceneKey *key,
                      double value) {
    if (key->low == key->high) return true;
    bool low = key->low_exclusive ? value > key->low : value >= key->low;
    if (low && value <= key->high) return true;
    const char *unit = key->unit ? key->unit : "", *space = key->unit ? " " : "";
    if (key->high == HUGE_VAL)
        reader_problem(reader, node, "is %g%s%s; it must be %s %g", value, space, unit,
                       key->low_exclusive ? "above" : "at least", key->low);
    else
        reader_problem(reader, node, "is %g%s%s; it must be %s %g and at most %g", value, space,
                       unit, key->low_exclusive ? "above" : "at least", key->low, key->high);
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
    if (!expect_kind(reader, node, NODE_SCALAR, "true or false")) return;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(node->text, words[i]) != 0) continue;
        *out = i % 2;
        return;
    }
    double value;
    if (node->text[0] == '=' || (!node->quoted && parse_plain(node->text, &value))) {
        if (node->text[0] == '=' && !reader_number(reader, node, &value)) return;
        *out = value != 0.0;
        return;
    }
    reader_problem(reader, node, "should be true or false, is '%.60s'", node->text);
}

static void read_text(SceneReader *reader, const SceneNode *node, const SceneKey *key,
                      const char **out) {
    if (!expect_kind(reader, node, NODE_SCALAR, "text")) return;
    if (key->kind == VALUE_NAME && !reader_is_name(node->text)) {
        reader_problem(reader, node,
                       "'%.60s' cannot be a name: use 1 to 64 letters, digits, '_' and '-'",
                       node->text);
        return;
    }
    *out = node->text;
}

static void read_choice(SceneReader *reader, const SceneNode *node, const SceneKey *key, int *out) {
    if (!expect_kind(reader, node, NODE_SCALAR, "one word")) return;
    char known[256] = "";
    size_t count = 0, used = 0;
    for (; key->choices[count]; count++) {
        if (strcmp(node->text, key->choices[count]) == 0) {
            *out = (int)count;
            return;
        }
        if (used < sizeof known)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", count ? ", " : "",
                                     key->choices[count]);
    }
    const char *guess = suggest_name(node->text, key->choices, count);
    reader_problem(reader, node, "'%.60s' is not one of: %s%s%s%s", node->text, known,
                   guess ? "; did you mean '" : "", guess ? guess : "", guess ? "'?" : "");
}

static void read_motion3(SceneReader *reader, const SceneNode *node, const SceneKey *key,
                         bool has_time, SceneMotion out[3]) {
    if (!expect_kind(reader, node, NODE_LIST, "a list of three numbers")) return;
    if (node->children.count != 3) {
        reader_problem(reader, node, "should have three numbers, has %zu", node->children.count);
        return;
    }
    for (int axis = 0; axis < 3; axis++) {
        SceneMotion motion;
        const SceneNode *child = node->children.data[axis];
        if (read_motion(reader, child, has_time, &motion) &&
            in_bounds(reader, child, key, motion.value))
            out[axis] = motion;
    }
}

static void read_vec3(SceneReader *reader, const SceneNode *node, const SceneKey *key,
                      double out[3]) {
    SceneMotion values[3] = {{out[0], NULL}, {out[1], NULL}, {out[2], NULL}};
    read_motion3(reader, node, key, false, values);
    for (int axis = 0; axis < 3; axis++) out[axis] = values[axis].value;
}

static void read_names(SceneReader *reader, SceneNode *node, SceneNames *out) {
    if (!expect_kind(reader, node, NODE_LIST, "a list of names")) return;
    const SceneKey any = {.kind = VALUE_NAME};
    for (size_t i = 0; i < node->children.count; i++) {
        const char *name = NULL;
        read_text(reader, node->children.data[i], &any, &name);
        if (!name) return;
    }
    out->node = node;
}

static void read_items(SceneReader *reader, SceneNode *node, SceneItems *out) {
    if (!expect_kind(reader, node, NODE_LIST, "a list")) return;
    for (size_t i = 0; i < node->children.count; i++)
        if (!expect_kind(reader, node->children.data[i], NODE_MAP, "a map")) return;
    out->node = node;
}

static void read_value(SceneReader *reader, SceneNode *node, const SceneKey *key, char *at) {
    void *out = at;
    switch (key->kind) {
    case VALUE_NUMBER:
        read_number(reader, node, key, out);
        break;
    case VALUE_INTEGER:
        read_integer(reader, node, key, out);
        break;
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
    case VALUE_VEC3:
        read_vec3(reader, node, key, out);
        break;
    case VALUE_MOTION:
        read_motion(reader, node, true, out);
        break;
    case VALUE_MOTION3:
        read_motion3(reader, node, key, true, out);
        break;
    case VALUE_NAMES:
    case VALUE_HASHES:
        read_names(reader, node, out);
        break;
    case VALUE_TABLE:
        reader_read_table(reader, node, key->table, out);
        break;
    case VALUE_ONE_OF:
        reader_read_one_of(reader, node, key->table, out);
        break;
    case VALUE_LATER:
        if (expect_kind(reader, node, NODE_MAP, "a map with one key"))
            ((SceneItems *)out)->node = node;
        break;
    case VALUE_LATERS:
    case VALUE_ITEMS:
        read_items(reader, node, out);
        break;
    case VALUE_PARAMS:
        break; /* read first of all, by reader_read_params */
    }
}

/* ---- tables ---- */

static void unknown_key(SceneReader *reader, const SceneNode *node, const SceneTable *table) {
    if (is_full(reader)) return;
    const char *known[64];
    char list[400] = "";
    size_t used = 0;
    for (size_t i = 0; i < table->key_count; i++) {
        known[i] = table->keys[i].name;
        if (used < sizeof list)
            used +=
                (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", known[i]);
    }
    const char *guess = suggest_name(node->key, known, table->key_count);
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
    if (!expect_kind(reader, node, NODE_MAP, "a map with one key")) return;
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
    if (!expect_kind(reader, map, NODE_MAP, "a map")) return;
    for (size_t i = 0; i < map->children.count; i++)
        if (!find_key(table, map->children.data[i]->key))
            unknown_key(reader, map->children.data[i], table);
    for (size_t i = 0; i < table->key_count; i++) {
        const SceneKey *key = &table->keys[i];
        SceneNode *node = node_get(map, key->name);
        if (!node && key->required)
            reader_problem(reader, map, "the key '%s' is missing (%s)", key->name, key->help);
        if (!node && key->fallback) node = insert_fallback(reader, map, key);
        if (node) read_value(reader, node, key, (char *)out + key->offset);
    }
}
