/* Names, expressions and numbers of a scene, and the parameters they refer to. */
#include "base/hash.h"
#include "scene/reader_internal.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

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

static SceneParam *find_param(SceneReader *reader, const char *name, size_t length) {
    for (size_t i = 0; i < reader->params.count; i++) {
        SceneParam *param = &reader->params.data[i];
        if (strlen(param->name) == length && memcmp(param->name, name, length) == 0) return param;
    }
    return NULL;
}

/* Makes sure the parameter has its value; otherwise says why it has none. */
static bool param_is_ready(SceneReader *reader, SceneParam *param, char *why, size_t why_size) {
    if (param->state == PARAM_READING) {
        snprintf(why, why_size, "the parameter '%.60s' depends on itself", param->name);
        return false;
    }
    if (param->state == PARAM_UNREAD && reader->param_depth >= PARAM_DEPTH) {
        snprintf(why, why_size,
                 "a chain of more than %d parameters, each before the one it needs; put '%.60s' "
                 "higher up",
                 PARAM_DEPTH, param->name);
        return false;
    }
    if (param->state == PARAM_UNREAD) evaluate_param(reader, param);
    if (param->state == PARAM_READ) return true;
    snprintf(why, why_size, "the parameter '%.60s' has no value", param->name);
    return false;
}

/* What belongs to a copy hides parameters of the same name. */
static bool lookup_name(void *user, const char *name, double *value, char *why, size_t why_size) {
    SceneReader *reader = user;
    if (lookup_repeat(&reader->repeat, name, value)) return true;
    SceneParam *param = find_param(reader, name, strlen(name));
    if (!param || !param_is_ready(reader, param, why, why_size)) return false;
    if (param->text) {
        snprintf(why, why_size, "the parameter '%.60s' is the text '%.60s', not a number", name,
                 param->text);
        return false;
    }
    *value = param->value;
    return true;
}

const char *reader_text_param(SceneReader *reader, const SceneNode *node) {
    static const char blank[] = " \t\r\n";
    if (node->kind != NODE_SCALAR || node->text[0] != '=') return NULL;
    const char *name = node->text + 1 + strspn(node->text + 1, blank);
    size_t length = strcspn(name, blank);
    if (name[length + strspn(name + length, blank)]) return NULL;
    SceneParam *param = find_param(reader, name, length);
    double hiding;
    if (param && lookup_repeat(&reader->repeat, param->name, &hiding)) return NULL;
    char why[EXPRESSION_MESSAGE]; /* told when the expression is read as a number */
    return param && param_is_ready(reader, param, why, sizeof why) ? param->text : NULL;
}

/* ---- expressions ---- */

/* Compiles "=..."; NULL after a problem. */
static Expression *compile(SceneReader *reader, const SceneNode *node, bool has_time,
                           bool has_place) {
    const ExpressionScope scope = {.lookup = lookup_name,
                                   .user = reader,
                                   .names = reader->names.data,
                                   .has_time = has_time,
                                   .has_place = has_place,
                                   .has_random = reader->has_seed,
                                   .seed = hash_mix(reader->seed ^ reader->repeat.stream),
                                   .instance = reader->repeat.n};
    char why[EXPRESSION_MESSAGE];
    Expression *expression;
    PlimStatus status =
        expression_compile(reader->context, node->text + 1, &scope, &expression, why);
    if (status == PLIM_OUT_OF_MEMORY)
        reader->trouble = status;
    else if (status != PLIM_OK)
        reader_problem(reader, node, "in \"%.60s\": %s", node->text, why);
    return expression;
}

/* Takes over the expression: keeps it until the scene ends. */
static bool keep_expression(SceneReader *reader, Expression *expression) {
    if (array_push(reader->context, &reader->expressions, expression)) return true;
    expression_destroy(reader->context, expression);
    reader->trouble = PLIM_OUT_OF_MEMORY;
    return false;
}

/* Takes over the expression: its value at t = 0. */
static bool evaluate_start(SceneReader *reader, const SceneNode *node, Expression *expression,
                           SceneMotion *out) {
    double rate;
    char why[EXPRESSION_MESSAGE];
    PlimStatus status = expression_evaluate(expression, 0.0, &out->value, &rate, why);
    bool moving = expression_uses_time(expression);
    if (status == PLIM_OK && moving) {
        if (!keep_expression(reader, expression)) return false;
        out->expression = expression;
        return true;
    }
    if (status != PLIM_OK)
        reader_problem(reader, node, "in \"%.60s\"%s: %s", node->text, moving ? " at t = 0" : "",
                       why);
    expression_destroy(reader->context, expression);
    return status == PLIM_OK;
}

/* ---- numbers ---- */

/* strtod wants the point of the user's language, which a file does not know. */
bool reader_parse_plain(const char *text, double *value) {
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

static bool read_plain(SceneReader *reader, const SceneNode *node, double *out) {
    double value;
    if (node->quoted || !reader_parse_plain(node->text, &value)) {
        reader_problem(reader, node,
                       node->quoted ? "should be a number, is the text \"%.60s\" (an expression "
                                      "starts with '=')"
                                    : "should be a finite number, is '%.60s'",
                       node->text);
        return false;
    }
    *out = value;
    return true;
}

bool reader_motion(SceneReader *reader, const SceneNode *node, bool has_time, SceneMotion *out) {
    *out = (SceneMotion){0};
    if (!reader_expect_kind(reader, node, NODE_SCALAR, "a number")) return false;
    if (node->text[0] != '=') return read_plain(reader, node, &out->value);
    Expression *expression = compile(reader, node, has_time, false);
    return expression && evaluate_start(reader, node, expression, out);
}

/* An expression that changes is not evaluated here: it may have no value at some places. */
bool reader_field(SceneReader *reader, const SceneNode *node, SceneField *out) {
    *out = (SceneField){.given = true};
    if (!reader_expect_kind(reader, node, NODE_SCALAR, "a number")) return false;
    if (node->text[0] != '=') return read_plain(reader, node, &out->value);
    Expression *expression = compile(reader, node, true, true);
    if (!expression) return false;
    if (expression_uses_time(expression) || expression_uses_place(expression)) {
        out->expression = expression;
        return keep_expression(reader, expression);
    }
    SceneMotion constant;
    if (!evaluate_start(reader, node, expression, &constant)) return false;
    out->value = constant.value;
    return true;
}

bool reader_number(SceneReader *reader, const SceneNode *node, double *value) {
    SceneMotion motion;
    if (!reader_motion(reader, node, false, &motion)) return false;
    *value = motion.value;
    return true;
}

/* ---- parameters ---- */

/* What is neither a number nor an expression is text. */
static bool read_param(SceneReader *reader, SceneParam *param) {
    const SceneNode *node = param->node;
    double value;
    if (node->kind == NODE_SCALAR && node->text[0] != '=' && node->text[0] != '\0' &&
        (node->quoted || !reader_parse_plain(node->text, &value))) {
        param->text = node->text;
        return true;
    }
    param->text = reader_text_param(reader, node);
    return param->text || reader_number(reader, node, &param->value);
}

static void evaluate_param(SceneReader *reader, SceneParam *param) {
    param->state = PARAM_READING;
    reader->param_depth++;
    bool good = read_param(reader, param);
    reader->param_depth--;
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
    static const char *const taken[] = {"t", "x", "y", "z", "pi", "tau"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        if (strcmp(node->key, taken[i]) != 0) continue;
        reader_problem(reader, node, "'%s' has a meaning in expressions; name it otherwise",
                       node->key);
        return false;
    }
    return true;
}

static void collect_params(SceneReader *reader, const SceneNode *params) {
    if (!reader_expect_kind(reader, params, NODE_MAP, "a map of names and numbers")) return;
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
