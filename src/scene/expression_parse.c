/* Expressions by recursive descent. From loosest to tightest: comparison, sum, product, sign,
 * power, primary. Each rule emits the program of its operands, then its own operation. */
#include "scene/expression_program.h"

#include "base/suggest.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAME_SIZE = 128,     /* bytes of a name, the terminating zero included */
    EXPONENT_MAX = 99999 /* larger exponents of ten mean the same: zero or not finite */
};

typedef struct Parser {
    PlimContext *context;
    const ExpressionScope *scope;
    const char *text;
    size_t at;     /* index of the next character */
    size_t depth;  /* levels open: at most EXPRESSION_DEPTH */
    size_t values; /* on the stack when the program so far has run */
    Expression *program;
    char *why;
} Parser;

typedef struct Constant {
    const char *name;
    double value;
} Constant;

static const Constant constants[] = {{"pi", 3.141592653589793238463},
                                     {"tau", 6.283185307179586476925},
                                     {"e", 2.718281828459045235360}};

enum { CONSTANT_COUNT = sizeof constants / sizeof *constants };

static PlimStatus parse_comparison(Parser *parser);
static PlimStatus parse_sign(Parser *parser);

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_name_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* The next character that is not white space; zero at the end. */
static char peek(Parser *parser) {
    while (parser->text[parser->at] != '\0' && strchr(" \t\r\n", parser->text[parser->at]))
        parser->at++;
    return parser->text[parser->at];
}

static size_t column(const Parser *parser) {
    return parser->at + 1;
}

/* Refuses the next character; `where` says what the parser hoped for. */
static PlimStatus unexpected(Parser *parser, const char *where) {
    char c = peek(parser);
    if (c == '\0') return expression_fail(parser->why, column(parser), "unexpected end%s", where);
    if (c < ' ' || c > '~')
        return expression_fail(parser->why, column(parser), "unexpected character 0x%02X%s",
                               (unsigned)(unsigned char)c, where);
    const char *hint = c == '=' ? " (equality is written ==)" : "";
    return expression_fail(parser->why, column(parser), "unexpected character \"%c\"%s%s", c, where,
                           hint);
}

static bool is_place(Operation operation) {
    return operation >= OP_X && operation <= OP_Z;
}

static bool is_variable(Operation operation) {
    return operation == OP_TIME || is_place(operation);
}

static PlimStatus emit(Parser *parser, Instruction instruction) {
    Expression *program = parser->program;
    switch ((Operation)instruction.operation) {
    case OP_TIME:
    case OP_X:
    case OP_Y:
    case OP_Z:
    case OP_NUMBER:
        program->uses_time |= instruction.operation == OP_TIME;
        program->uses_place |= is_place((Operation)instruction.operation);
        parser->values++;
        break;
    case OP_JUMP:
        break;
    case OP_IF:
        parser->values--;
        break;
    default:
        parser->values -= (size_t)expression_operations[instruction.operation].arguments - 1;
    }
    if (parser->values > EXPRESSION_STACK)
        return expression_fail(parser->why, instruction.column, "nested too deep");
    if (array_push(parser->context, &program->code, instruction)) return PLIM_OK;
    expression_fail(parser->why, instruction.column, "out of memory");
    return PLIM_OUT_OF_MEMORY;
}

static PlimStatus emit_operation(Parser *parser, Operation operation, size_t at) {
    return emit(parser, (Instruction){.operation = (uint16_t)operation, .column = (uint16_t)at});
}

static PlimStatus emit_number(Parser *parser, double number, size_t at) {
    return emit(parser,
                (Instruction){.operation = OP_NUMBER, .number = number, .column = (uint16_t)at});
}

static PlimStatus enter_level(Parser *parser) {
    if (parser->depth == EXPRESSION_DEPTH)
        return expression_fail(parser->why, column(parser), "nested more than %d levels deep",
                               EXPRESSION_DEPTH);
    parser->depth++;
    return PLIM_OK;
}

/* Reads the ')' for the '(' at column `opened`. */
static PlimStatus close_level(Parser *parser, size_t opened) {
    if (peek(parser) != ')') {
        char where[64];
        snprintf(where, sizeof where, " where \")\" is missing for the \"(\" of column %zu",
                 opened);
        return unexpected(parser, where);
    }
    parser->at++;
    parser->depth--;
    return PLIM_OK;
}

/* Reads digits with at most one point and a power of ten. The conversion sees the digits without
 * the point and an exponent moved to match: strtod would want the point of the user's language.
 * Never inlined: its digits would take room on the stack at every level of nesting. */
__attribute__((noinline)) static PlimStatus parse_number(Parser *parser) {
    char digits[EXPRESSION_LENGTH + 16];
    size_t count = 0, start = column(parser);
    long exponent = 0;
    bool fraction = false;
    for (;; parser->at++) {
        char c = parser->text[parser->at];
        if (c == '.' && !fraction) {
            fraction = true;
        } else if (is_digit(c)) {
            digits[count++] = c;
            exponent -= fraction;
        } else {
            break;
        }
    }
    const char *rest = &parser->text[parser->at];
    size_t sign = rest[0] == 'e' || rest[0] == 'E' ? (rest[1] == '-' || rest[1] == '+') : 0;
    if ((rest[0] == 'e' || rest[0] == 'E') && is_digit(rest[1 + sign])) {
        long power = 0;
        size_t length = 1 + sign;
        for (; is_digit(rest[length]); length++)
            if (power < EXPONENT_MAX) power = 10 * power + (rest[length] - '0');
        exponent += rest[1] == '-' ? -power : power;
        parser->at += length;
    }
    snprintf(digits + count, sizeof digits - count, "e%ld", exponent);
    double number = strtod(digits, NULL);
    if (number > DBL_MAX) return expression_fail(parser->why, start, "the number is too large");
    return emit_number(parser, number, start);
}

/* Reads a name into `name`. */
static PlimStatus parse_name(Parser *parser, char name[NAME_SIZE]) {
    size_t start = parser->at, length = 0;
    while (is_name_start(parser->text[start + length]) || is_digit(parser->text[start + length]))
        length++;
    if (length >= NAME_SIZE)
        return expression_fail(parser->why, start + 1, "a name of more than %d characters",
                               NAME_SIZE - 1);
    memcpy(name, parser->text + start, length);
    name[length] = '\0';
    parser->at += length;
    return PLIM_OK;
}

/* OP_COUNT when there is no such function. */
static Operation find_function(const char *name) {
    int operation = OP_FIRST_FUNCTION;
    while (operation < OP_COUNT && strcmp(expression_operations[operation].name, name) != 0)
        operation++;
    return (Operation)operation;
}

static PlimStatus fail_unknown(Parser *parser, const char *what, const char *name, size_t start,
                               const char *nearest) {
    if (!nearest) return expression_fail(parser->why, start, "unknown %s \"%s\"", what, name);
    return expression_fail(parser->why, start, "unknown %s \"%s\"; did you mean \"%s\"?", what,
                           name, nearest);
}

static PlimStatus unknown_function(Parser *parser, const char *name, size_t start) {
    const char *functions[OP_COUNT];
    size_t count = 0;
    for (int i = OP_FIRST_FUNCTION; i < OP_COUNT; i++)
        functions[count++] = expression_operations[i].name;
    return fail_unknown(parser, "function", name, start, suggest_name(name, functions, count));
}

/* The nearest name may be one of the scope, a constant, or a function without its arguments. */
static PlimStatus unknown_name(Parser *parser, const char *name, size_t start) {
    const char *const *names = parser->scope->names;
    size_t count = 0;
    while (names && names[count]) count++;
    size_t capacity = count + CONSTANT_COUNT + OP_COUNT;
    const char **candidates = context_allocate(parser->context, capacity, sizeof *candidates);
    if (!candidates) return fail_unknown(parser, "name", name, start, NULL);
    if (count) memcpy(candidates, names, count * sizeof *candidates);
    /* There is room: as many operations are no functions. */
    if (parser->scope->has_time) candidates[count++] = "t";
    for (int i = OP_X; i <= OP_Z && parser->scope->has_place; i++)
        candidates[count++] = expression_operations[i].name;
    for (size_t i = 0; i < CONSTANT_COUNT; i++) candidates[count++] = constants[i].name;
    for (int i = OP_FIRST_FUNCTION; i < OP_COUNT; i++)
        candidates[count++] = expression_operations[i].name;
    const char *nearest = suggest_name(name, candidates, count);
    context_free(parser->context, candidates, capacity, sizeof *candidates);
    return fail_unknown(parser, "name", name, start, nearest);
}

/* OP_TIME, OP_X, OP_Y or OP_Z; OP_COUNT when the name is none of them. */
static Operation find_variable(const char *name) {
    for (int operation = OP_TIME; operation <= OP_Z; operation++)
        if (strcmp(expression_operations[operation].name, name) == 0) return (Operation)operation;
    return OP_COUNT;
}

/* A constant of the language, t, x, y or z. A scene that gives the same name another meaning is
 * refused here: either reading would surprise someone. */
static PlimStatus emit_own_name(Parser *parser, const char *name, const Constant *constant,
                                size_t start, bool in_scope) {
    Operation variable = find_variable(name);
    if (in_scope)
        return expression_fail(parser->why, start,
                               "\"%s\" already has a meaning here; give the parameter another name",
                               name);
    if (constant) return emit_number(parser, constant->value, start);
    if (variable == OP_TIME ? parser->scope->has_time : parser->scope->has_place)
        return emit_operation(parser, variable, start);
    if (variable == OP_TIME)
        return expression_fail(parser->why, start,
                               "the time \"t\" is only known to prescribed motion and fields of a "
                               "fluid");
    return expression_fail(parser->why, start,
                           "the place \"%s\" is only known to fields of a fluid", name);
}

static PlimStatus emit_name(Parser *parser, const char *name, size_t start) {
    const ExpressionScope *scope = parser->scope;
    double value = 0.0;
    char reason[EXPRESSION_MESSAGE] = "";
    bool found = scope->lookup && scope->lookup(scope->user, name, &value, reason, sizeof reason);
    const Constant *constant = NULL;
    for (size_t i = 0; i < CONSTANT_COUNT; i++)
        if (strcmp(constants[i].name, name) == 0) constant = &constants[i];
    if (found && strcmp(name, "e") == 0) constant = NULL; /* also the usual letter of restitution */
    if (constant || find_variable(name) != OP_COUNT)
        return emit_own_name(parser, name, constant, start, found);
    if (found) {
        if (fabs(value) <= DBL_MAX) return emit_number(parser, value, start);
        return expression_fail(parser->why, start, "the value of \"%s\" is not finite", name);
    }
    if (reason[0] != '\0') return expression_fail(parser->why, start, "%s", reason);
    if (find_function(name) != OP_COUNT)
        return expression_fail(parser->why, start, "the function \"%s\" needs arguments in \"()\"",
                               name);
    return unknown_name(parser, name, start);
}

/* A call while its arguments are read. */
typedef struct Call {
    Operation operation;
    size_t column; /* of the name */
    size_t first;  /* index of the first argument's program */
    int count;     /* arguments read */
    size_t jump;   /* OP_IF: index of the instruction whose target is not known yet */
} Call;

/* if(c, a, b) becomes c, IF to b, a, JUMP behind b, b: what is not chosen is not evaluated. */
static PlimStatus finish_branch(Parser *parser, Call *call) {
    if (call->count > 3) return PLIM_OK;
    size_t here = parser->program->code.count;
    if (call->count < 3)
        TRY(emit_operation(parser, call->count == 1 ? OP_IF : OP_JUMP, call->column));
    if (call->count > 1)
        parser->program->code.data[call->jump].target = (uint32_t)parser->program->code.count;
    if (call->count == 2) parser->values--; /* only one of the two branches will have run */
    call->jump = here;
    return PLIM_OK;
}

static PlimStatus finish_argument(Parser *parser, Call *call) {
    const OperationInfo *info = &expression_operations[call->operation];
    call->count++;
    if (call->operation == OP_IF) TRY(finish_branch(parser, call));
    if (info->more && call->count >= info->arguments)
        return emit_operation(parser, call->operation, call->column);
    /* Too many will be refused when all are counted; until then they must not fill the stack. */
    if (!info->more && call->count > info->arguments) parser->values--;
    return PLIM_OK;
}

static PlimStatus finish_call(Parser *parser, const Call *call) {
    const OperationInfo *info = &expression_operations[call->operation];
    bool enough = info->more ? call->count >= info->arguments : call->count == info->arguments;
    if (!enough)
        return expression_fail(parser->why, call->column, "%s takes %d%s argument%s, not %d",
                               info->name, info->arguments, info->more ? " or more" : "",
                               info->arguments == 1 ? "" : "s", call->count);
    if (info->more || call->operation == OP_IF) return PLIM_OK;
    if (call->operation == OP_RANDOM)
        for (size_t i = call->first; i < parser->program->code.count; i++)
            if (is_variable((Operation)parser->program->code.data[i].operation))
                return expression_fail(
                    parser->why, parser->program->code.data[i].column,
                    "random(k) needs a k that does not change with time or place");
    return emit_operation(parser, call->operation, call->column);
}

/* Stands before the '('. */
static PlimStatus parse_call(Parser *parser, Operation operation, size_t start) {
    size_t opened = column(parser);
    if (operation == OP_RANDOM && !parser->scope->has_random)
        return expression_fail(parser->why, start, "random is only known to repeated objects");
    TRY(enter_level(parser));
    parser->at++;
    Call call = {.operation = operation, .column = start, .first = parser->program->code.count};
    if (peek(parser) != ')') {
        for (;;) {
            TRY(parse_comparison(parser));
            TRY(finish_argument(parser, &call));
            if (peek(parser) != ',') break;
            parser->at++;
        }
    }
    TRY(close_level(parser, opened));
    return finish_call(parser, &call);
}

/* Apart from parse_primary so that names do not take room on the stack at every level. */
__attribute__((noinline)) static PlimStatus parse_value_name(Parser *parser, Operation *function) {
    char name[NAME_SIZE];
    size_t start = column(parser);
    *function = OP_COUNT;
    TRY(parse_name(parser, name));
    if (peek(parser) != '(') return emit_name(parser, name, start);
    *function = find_function(name);
    return *function != OP_COUNT ? PLIM_OK : unknown_function(parser, name, start);
}

static PlimStatus parse_primary(Parser *parser) {
    char c = peek(parser);
    size_t start = column(parser);
    if (is_digit(c) || (c == '.' && is_digit(parser->text[parser->at + 1])))
        return parse_number(parser);
    if (is_name_start(c)) {
        Operation function;
        TRY(parse_value_name(parser, &function));
        return function == OP_COUNT ? PLIM_OK : parse_call(parser, function, start);
    }
    if (c != '(') return unexpected(parser, " where a value should be");
    TRY(enter_level(parser));
    parser->at++;
    TRY(parse_comparison(parser));
    return close_level(parser, start);
}

/* The right side may have a sign of its own and takes further powers: 2^-3^2 = 2^(-(3^2)). */
static PlimStatus parse_power(Parser *parser) {
    TRY(parse_primary(parser));
    if (peek(parser) != '^') return PLIM_OK;
    size_t at = column(parser);
    TRY(enter_level(parser));
    parser->at++;
    TRY(parse_sign(parser));
    parser->depth--;
    return emit_operation(parser, OP_POWER, at);
}

static PlimStatus parse_sign(Parser *parser) {
    bool negative = false;
    size_t at = 0;
    for (char c = peek(parser); c == '-' || c == '+'; c = peek(parser)) {
        at = column(parser);
        negative ^= c == '-';
        parser->at++;
    }
    TRY(parse_power(parser));
    return negative ? emit_operation(parser, OP_NEGATE, at) : PLIM_OK;
}

static PlimStatus parse_product(Parser *parser) {
    TRY(parse_sign(parser));
    for (char c = peek(parser); c == '*' || c == '/'; c = peek(parser)) {
        size_t at = column(parser);
        parser->at++;
        TRY(parse_sign(parser));
        TRY(emit_operation(parser, c == '*' ? OP_MULTIPLY : OP_DIVIDE, at));
    }
    return PLIM_OK;
}

static PlimStatus parse_sum(Parser *parser) {
    TRY(parse_product(parser));
    for (char c = peek(parser); c == '+' || c == '-'; c = peek(parser)) {
        size_t at = column(parser);
        parser->at++;
        TRY(parse_product(parser));
        TRY(emit_operation(parser, c == '+' ? OP_ADD : OP_SUBTRACT, at));
    }
    return PLIM_OK;
}

/* The comparison at the next character; OP_COUNT when there is none. */
static Operation peek_comparison(Parser *parser) {
    char c = peek(parser);
    bool equal = c != '\0' && parser->text[parser->at + 1] == '=';
    if (c == '<') return equal ? OP_LESS_EQUAL : OP_LESS;
    if (c == '>') return equal ? OP_GREATER_EQUAL : OP_GREATER;
    if (c == '=' && equal) return OP_EQUAL;
    return c == '!' && equal ? OP_NOT_EQUAL : OP_COUNT;
}

static PlimStatus parse_comparison(Parser *parser) {
    TRY(parse_sum(parser));
    Operation operation = peek_comparison(parser);
    if (operation == OP_COUNT) return PLIM_OK;
    size_t at = column(parser);
    parser->at += strlen(expression_operations[operation].name);
    TRY(parse_sum(parser));
    TRY(emit_operation(parser, operation, at));
    if (peek_comparison(parser) == OP_COUNT) return PLIM_OK;
    /* 0 < x < 1 would compare a truth value with 1: never what was meant. */
    return expression_fail(parser->why, column(parser),
                           "comparisons do not chain; write (a < b)*(b < c)");
}

static PlimStatus parse_all(Parser *parser) {
    if (strnlen(parser->text, EXPRESSION_LENGTH + 1) > EXPRESSION_LENGTH)
        return expression_fail(parser->why, EXPRESSION_LENGTH + 1,
                               "the expression is longer than %d characters", EXPRESSION_LENGTH);
    if (peek(parser) == '\0') return expression_fail(parser->why, 1, "the expression is empty");
    TRY(parse_comparison(parser));
    if (peek(parser) == '\0') return PLIM_OK;
    return unexpected(parser, " after the end of the expression");
}

PlimStatus expression_compile(PlimContext *context, const char *text, const ExpressionScope *scope,
                              Expression **out, char why[EXPRESSION_MESSAGE]) {
    *out = NULL;
    Expression *program = context_allocate(context, 1, sizeof *program);
    if (!program) {
        snprintf(why, EXPRESSION_MESSAGE, "out of memory");
        return PLIM_OUT_OF_MEMORY;
    }
    program->seed = scope->seed;
    program->instance = scope->instance;
    Parser parser = {
        .context = context, .scope = scope, .text = text, .program = program, .why = why};
    PlimStatus status = parse_all(&parser);
    if (status == PLIM_OK)
        *out = program;
    else
        expression_destroy(context, program);
    return status;
}
