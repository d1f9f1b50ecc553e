/* Expressions: a stack machine with forward-mode automatic differentiation in time. */
#include "scene/expression.h"

#include "base/hash.h"
#include "base/random.h"
#include "scene/expression_program.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A value and its derivative in time. Values on the stack are always finite. A rate may be infinite
 * on the way, as that of sqrt(t) in max(sqrt(t), 1) at t = 0, if it is not part of the result. */
typedef struct Dual {
    double value, rate;
} Dual;

static const double degrees_per_radian = 57.29577951308232087680;
static const double radians_per_degree = 0.01745329251994329576924;

const OperationInfo expression_operations[OP_COUNT] = {
    [OP_NUMBER] = {"number", 0, false}, [OP_TIME] = {"t", 0, false},
    [OP_X] = {"x", 0, false},           [OP_Y] = {"y", 0, false},
    [OP_Z] = {"z", 0, false},           [OP_JUMP] = {"jump", 0, false},
    [OP_NEGATE] = {"-", 1, false},      [OP_ADD] = {"+", 2, false},
    [OP_SUBTRACT] = {"-", 2, false},    [OP_MULTIPLY] = {"*", 2, false},
    [OP_DIVIDE] = {"/", 2, false},      [OP_POWER] = {"^", 2, false},
    [OP_LESS] = {"<", 2, false},        [OP_LESS_EQUAL] = {"<=", 2, false},
    [OP_GREATER] = {">", 2, false},     [OP_GREATER_EQUAL] = {">=", 2, false},
    [OP_EQUAL] = {"==", 2, false},      [OP_NOT_EQUAL] = {"!=", 2, false},
    [OP_IF] = {"if", 3, false},         [OP_SIN] = {"sin", 1, false},
    [OP_COS] = {"cos", 1, false},       [OP_TAN] = {"tan", 1, false},
    [OP_ASIN] = {"asin", 1, false},     [OP_ACOS] = {"acos", 1, false},
    [OP_ATAN] = {"atan", 1, false},     [OP_SINH] = {"sinh", 1, false},
    [OP_COSH] = {"cosh", 1, false},     [OP_TANH] = {"tanh", 1, false},
    [OP_SQRT] = {"sqrt", 1, false},     [OP_EXP] = {"exp", 1, false},
    [OP_LOG] = {"log", 1, false},       [OP_ABS] = {"abs", 1, false},
    [OP_SIGN] = {"sign", 1, false},     [OP_FLOOR] = {"floor", 1, false},
    [OP_CEIL] = {"ceil", 1, false},     [OP_ROUND] = {"round", 1, false},
    [OP_DEG] = {"deg", 1, false},       [OP_RAD] = {"rad", 1, false},
    [OP_RANDOM] = {"random", 1, false}, [OP_ATAN2] = {"atan2", 2, false},
    [OP_MIN] = {"min", 2, true},        [OP_MAX] = {"max", 2, true},
    [OP_MOD] = {"mod", 2, false},       [OP_POW] = {"pow", 2, false},
    [OP_HYPOT] = {"hypot", 2, false},   [OP_STEP] = {"step", 2, false},
    [OP_CLAMP] = {"clamp", 3, false},   [OP_SMOOTHSTEP] = {"smoothstep", 3, false},
};

PlimStatus expression_fail(char why[EXPRESSION_MESSAGE], size_t column, const char *format, ...) {
    int length = snprintf(why, EXPRESSION_MESSAGE, "column %zu: ", column);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why + length, (size_t)(EXPRESSION_MESSAGE - length), format, arguments);
    va_end(arguments);
    return PLIM_BAD_INPUT;
}

/* Chain rule. What does not move has no rate, however steep the function is there: sqrt(0). */
static double chain(double slope, double rate) {
    return rate == 0.0 ? 0.0 : slope * rate;
}

static double sign_of(double x) {
    return (x > 0.0) - (x < 0.0);
}

static double value_of(Operation operation, double x) {
    switch (operation) {
    case OP_NEGATE:
        return -x;
    case OP_SIN:
        return sin(x);
    case OP_COS:
        return cos(x);
    case OP_TAN:
        return tan(x);
    case OP_ASIN:
        return asin(x);
    case OP_ACOS:
        return acos(x);
    case OP_ATAN:
        return atan(x);
    case OP_SINH:
        return sinh(x);
    case OP_COSH:
        return cosh(x);
    case OP_TANH:
        return tanh(x);
    case OP_SQRT:
        return sqrt(x);
    case OP_EXP:
        return exp(x);
    case OP_LOG:
        return log(x);
    case OP_ABS:
        return fabs(x);
    case OP_SIGN:
        return sign_of(x);
    case OP_FLOOR:
        return floor(x);
    case OP_CEIL:
        return ceil(x);
    case OP_ROUND:
        return round(x);
    case OP_DEG:
        return x * degrees_per_radian;
    case OP_RAD:
        return x * radians_per_degree;
    default:
        return NAN;
    }
}

/* Derivative of a function of one argument; 0 for those with steps. */
static double slope_of(Operation operation, double x) {
    switch (operation) {
    case OP_NEGATE:
        return -1.0;
    case OP_SIN:
        return cos(x);
    case OP_COS:
        return -sin(x);
    case OP_TAN:
        return 1.0 + tan(x) * tan(x);
    case OP_ASIN:
        return 1.0 / sqrt((1.0 - x) * (1.0 + x));
    case OP_ACOS:
        return -1.0 / sqrt((1.0 - x) * (1.0 + x));
    case OP_ATAN:
        return 1.0 / (1.0 + x * x);
    case OP_SINH:
        return cosh(x);
    case OP_COSH:
        return sinh(x);
    case OP_TANH:
        return 1.0 / (cosh(x) * cosh(x));
    case OP_SQRT:
        return 0.5 / sqrt(x);
    case OP_EXP:
        return exp(x);
    case OP_LOG:
        return 1.0 / x;
    case OP_ABS:
        return sign_of(x);
    case OP_DEG:
        return degrees_per_radian;
    case OP_RAD:
        return radians_per_degree;
    default:
        return 0.0;
    }
}

/* Functions with steps: their rate is zero even where the argument's is not finite. */
static bool is_flat(Operation operation) {
    return operation == OP_SIGN || operation == OP_FLOOR || operation == OP_CEIL ||
           operation == OP_ROUND;
}

static Dual apply_one(Operation operation, Dual x) {
    bool moves = x.rate != 0.0 && !is_flat(operation);
    return (Dual){value_of(operation, x.value),
                  moves ? chain(slope_of(operation, x.value), x.rate) : 0.0};
}

static Dual divide(Dual a, Dual b) {
    double quotient = a.value / b.value;
    return (Dual){quotient, (a.rate - chain(quotient, b.rate)) / b.value};
}

/* d(a^b) = b a^(b-1) da + a^b log(a) db, each term only where its argument moves: so negative bases
 * are right for constant whole exponents. Where a = 0 the second term has the limit 0 for b > 0. */
static Dual power(Dual a, Dual b) {
    double value = pow(a.value, b.value);
    double rate = 0.0;
    if (b.value != 0.0 && a.rate != 0.0)
        rate = chain(b.value * pow(a.value, b.value - 1.0), a.rate);
    if (b.rate != 0.0 && !(a.value == 0.0 && b.value > 0.0))
        rate += chain(value * log(a.value), b.rate);
    return (Dual){value, rate};
}

/* The remainder has the sign of b: mod(-1, 3) = 2, so that mod(t, period) repeats for negative t.
 */
static Dual modulo(Dual a, Dual b) {
    double rest = fmod(a.value, b.value);
    if (rest != 0.0 && (rest < 0.0) != (b.value < 0.0)) rest += b.value;
    double turns = round((a.value - rest) / b.value);
    return (Dual){rest, a.rate - chain(turns, b.rate)};
}

/* Like that of abs, the slope is zero in the corner at the origin. */
static Dual hypotenuse(Dual x, Dual y) {
    double h = hypot(x.value, y.value);
    double scale = h > 0.0 ? h : 1.0;
    return (Dual){h, chain(x.value / scale, x.rate) + chain(y.value / scale, y.rate)};
}

static Dual angle_of(Dual y, Dual x) {
    double angle = atan2(y.value, x.value);
    if (x.rate == 0.0 && y.rate == 0.0) return (Dual){angle, 0.0};
    double h = hypot(x.value, y.value);
    return (Dual){angle, chain(x.value / h / h, y.rate) - chain(y.value / h / h, x.rate)};
}

static Dual truth(bool condition) {
    return (Dual){condition ? 1.0 : 0.0, 0.0};
}

static Dual apply_two(Operation operation, Dual a, Dual b) {
    switch (operation) {
    case OP_ADD:
        return (Dual){a.value + b.value, a.rate + b.rate};
    case OP_SUBTRACT:
        return (Dual){a.value - b.value, a.rate - b.rate};
    case OP_MULTIPLY:
        return (Dual){a.value * b.value, chain(b.value, a.rate) + chain(a.value, b.rate)};
    case OP_DIVIDE:
        return divide(a, b);
    case OP_POWER:
    case OP_POW:
        return power(a, b);
    case OP_LESS:
        return truth(a.value < b.value);
    case OP_LESS_EQUAL:
        return truth(a.value <= b.value);
    case OP_GREATER:
        return truth(a.value > b.value);
    case OP_GREATER_EQUAL:
        return truth(a.value >= b.value);
    case OP_EQUAL:
        return truth(a.value == b.value);
    case OP_NOT_EQUAL:
        return truth(a.value != b.value);
    case OP_ATAN2:
        return angle_of(a, b);
    case OP_MIN:
        return b.value < a.value ? b : a;
    case OP_MAX:
        return b.value > a.value ? b : a;
    case OP_MOD:
        return modulo(a, b);
    case OP_HYPOT:
        return hypotenuse(a, b);
    case OP_STEP:
        return truth(b.value >= a.value);
    default:
        return (Dual){NAN, NAN};
    }
}

/* 0 up to `low`, 1 from `high` on, 3s^2 - 2s^3 between; falls when low > high. */
static Dual smooth_step(Dual low, Dual high, Dual x) {
    Dual width = apply_two(OP_SUBTRACT, high, low);
    if (!isfinite(width.value)) return width;
    Dual s = divide(apply_two(OP_SUBTRACT, x, low), width);
    if (s.value <= 0.0) return (Dual){0.0, 0.0};
    if (s.value >= 1.0) return (Dual){1.0, 0.0};
    return (Dual){s.value * s.value * (3.0 - 2.0 * s.value),
                  chain(6.0 * s.value * (1.0 - s.value), s.rate)};
}

static Dual apply_three(Operation operation, const Dual *x) {
    if (operation == OP_SMOOTHSTEP) return smooth_step(x[0], x[1], x[2]);
    return x[0].value < x[1].value ? x[1] : x[0].value > x[2].value ? x[2] : x[0];
}

/* The same k names the same number in every expression of the scene. */
static Dual random_value(const Expression *expression, double k) {
    k += 0.0; /* -0 becomes 0: the two are the same number to whoever wrote them */
    uint64_t bits;
    memcpy(&bits, &k, sizeof bits);
    return (Dual){random_uniform(expression->seed, hash_mix(bits), expression->instance), 0.0};
}

/* Refuses arguments for which there is no value, before anything is computed from them. */
static PlimStatus check_domain(const Instruction *at, const Dual *x, char why[EXPRESSION_MESSAGE]) {
    double a = x[0].value;
    switch ((Operation)at->operation) {
    case OP_SQRT:
        return a >= 0.0 ? PLIM_OK : expression_fail(why, at->column, "square root of %g", a);
    case OP_LOG:
        return a > 0.0 ? PLIM_OK : expression_fail(why, at->column, "log of %g", a);
    case OP_ASIN:
    case OP_ACOS:
        if (fabs(a) <= 1.0) return PLIM_OK;
        return expression_fail(why, at->column, "%s of %g, which is not between -1 and 1",
                               expression_operations[at->operation].name, a);
    case OP_DIVIDE:
        return x[1].value != 0.0 ? PLIM_OK : expression_fail(why, at->column, "division by zero");
    case OP_MOD:
        if (x[1].value != 0.0) return PLIM_OK;
        return expression_fail(why, at->column, "division by zero in mod");
    case OP_POWER:
    case OP_POW:
        if (a == 0.0 && x[1].value < 0.0)
            return expression_fail(why, at->column, "division by zero: 0 to the power %g",
                                   x[1].value);
        if (a < 0.0 && x[1].value != floor(x[1].value))
            return expression_fail(why, at->column, "%g to the power %g, which is not whole", a,
                                   x[1].value);
        return PLIM_OK;
    case OP_CLAMP:
        if (x[1].value <= x[2].value) return PLIM_OK;
        return expression_fail(why, at->column, "clamp between %g and %g, which is less",
                               x[1].value, x[2].value);
    case OP_SMOOTHSTEP:
        if (x[0].value != x[1].value) return PLIM_OK;
        return expression_fail(why, at->column, "division by zero: both edges of smoothstep are %g",
                               a);
    default:
        return PLIM_OK;
    }
}

static PlimStatus apply(const Expression *expression, const Instruction *at, Dual *x,
                        char why[EXPRESSION_MESSAGE]) {
    Operation operation = (Operation)at->operation;
    const OperationInfo *info = &expression_operations[operation];
    TRY(check_domain(at, x, why));
    if (operation == OP_RANDOM)
        x[0] = random_value(expression, x[0].value);
    else if (info->arguments == 1)
        x[0] = apply_one(operation, x[0]);
    else if (info->arguments == 2)
        x[0] = apply_two(operation, x[0], x[1]);
    else
        x[0] = apply_three(operation, x);
    if (isfinite(x[0].value)) return PLIM_OK;
    return expression_fail(why, at->column, "the result of \"%s\" is not finite", info->name);
}

/* Where the program runs: `time` with its rate, 0 where no derivative is asked for. */
typedef struct Point {
    Dual time;
    const double *x;
} Point;

/* *steep: the first instruction whose rate is not finite, or NULL. */
static PlimStatus run(const Expression *expression, Point point, Dual *result,
                      const Instruction **steep, char why[EXPRESSION_MESSAGE]) {
    Dual stack[EXPRESSION_STACK];
    size_t top = 0;
    stack[0] = (Dual){0.0, 0.0}; /* the compiler cannot see that every program leaves a value */
    *steep = NULL;
    for (size_t i = 0; i < expression->code.count; i++) {
        const Instruction *at = &expression->code.data[i];
        switch ((Operation)at->operation) {
        case OP_NUMBER:
            stack[top++] = (Dual){at->number, 0.0};
            break;
        case OP_TIME:
            stack[top++] = point.time;
            break;
        case OP_X:
        case OP_Y:
        case OP_Z:
            stack[top++] = (Dual){point.x[at->operation - OP_X], 0.0};
            break;
        case OP_JUMP:
            i = at->target - 1;
            break;
        case OP_IF:
            if (stack[--top].value == 0.0) i = at->target - 1;
            break;
        default:
            top -= (size_t)expression_operations[at->operation].arguments;
            TRY(apply(expression, at, &stack[top], why));
            if (!*steep && !isfinite(stack[top].rate)) *steep = at;
            top++;
        }
    }
    *result = stack[0];
    return PLIM_OK;
}

PlimStatus expression_evaluate(const Expression *expression, double t, double *value, double *rate,
                               char why[EXPRESSION_MESSAGE]) {
    static const double origin[3] = {0, 0, 0};
    const Instruction *steep;
    Dual result;
    if (!isfinite(t)) return expression_fail(why, 1, "the time is not finite");
    TRY(run(expression, (Point){{t, 1.0}, origin}, &result, &steep, why));
    if (!isfinite(result.rate))
        return expression_fail(why, steep->column, "the rate of change of \"%s\" is not finite",
                               expression_operations[steep->operation].name);
    *value = result.value;
    *rate = result.rate;
    return PLIM_OK;
}

double expression_at(const Expression *expression, const double x[3], double t) {
    const Instruction *steep;
    char why[EXPRESSION_MESSAGE];
    Dual result;
    if (!isfinite(t + x[0] + x[1] + x[2])) return NAN;
    PlimStatus status = run(expression, (Point){{t, 0.0}, x}, &result, &steep, why);
    return status == PLIM_OK ? result.value : NAN;
}

bool expression_uses_time(const Expression *expression) {
    return expression->uses_time;
}

bool expression_uses_place(const Expression *expression) {
    return expression->uses_place;
}

void expression_destroy(PlimContext *context, Expression *expression) {
    if (!expression) return;
    array_free(context, &expression->code);
    context_free(context, expression, 1, sizeof *expression);
}
