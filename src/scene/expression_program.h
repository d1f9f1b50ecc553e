/* What the parser of expressions hands to their evaluation: a program for a stack of values.
 * Internal to expression*.c. */
#ifndef SCENE_EXPRESSION_PROGRAM_H
#define SCENE_EXPRESSION_PROGRAM_H

#include "base/array.h"
#include "scene/expression.h"

enum {
    EXPRESSION_LENGTH = 4096, /* characters in a text */
    EXPRESSION_DEPTH = 200,   /* parentheses, calls and right sides of ^ inside one another */
    /* Values waiting at once. A level holds at most five: two finished arguments of a call of
     * three, and the left sides of a comparison, a sum and a product. */
    EXPRESSION_STACK = 5 * (EXPRESSION_DEPTH + 1)
};

typedef enum Operation {
    OP_NUMBER,
    OP_TIME,
    OP_X,
    OP_Y,
    OP_Z,
    OP_JUMP, /* go to `target` */
    OP_NEGATE,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_POWER,
    OP_LESS,
    OP_LESS_EQUAL,
    OP_GREATER,
    OP_GREATER_EQUAL,
    OP_EQUAL,
    OP_NOT_EQUAL,
    /* From here on: functions, called by name. */
    OP_IF, /* take a value off the stack; go to `target` when it is zero */
    OP_SIN,
    OP_COS,
    OP_TAN,
    OP_ASIN,
    OP_ACOS,
    OP_ATAN,
    OP_SINH,
    OP_COSH,
    OP_TANH,
    OP_SQRT,
    OP_EXP,
    OP_LOG,
    OP_ABS,
    OP_SIGN,
    OP_FLOOR,
    OP_CEIL,
    OP_ROUND,
    OP_DEG,
    OP_RAD,
    OP_RANDOM,
    OP_ATAN2,
    OP_MIN,
    OP_MAX,
    OP_MOD,
    OP_POW,
    OP_HYPOT,
    OP_STEP,
    OP_CLAMP,
    OP_SMOOTHSTEP,
    OP_COUNT,
    OP_FIRST_FUNCTION = OP_IF
} Operation;

typedef struct OperationInfo {
    const char *name; /* as written in an expression */
    int arguments;    /* values taken off the stack */
    bool more;        /* may be written with more arguments: f(a, b, c) = f(f(a, b), c) */
} OperationInfo;

extern const OperationInfo expression_operations[OP_COUNT];

typedef struct Instruction {
    double number;   /* of OP_NUMBER */
    uint32_t target; /* of OP_JUMP and OP_IF: index of the next instruction */
    uint16_t operation;
    uint16_t column; /* where it is written, from 1 */
} Instruction;

/* Runs front to back and leaves one value; jumps only go forward. */
struct Expression {
    ARRAY(Instruction) code;
    bool uses_time, uses_place;
    uint64_t seed, instance; /* for random(k) */
};

/* Writes "column N: ..." to `why` and returns PLIM_BAD_INPUT. */
PlimStatus expression_fail(char why[EXPRESSION_MESSAGE], size_t column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
