#include "ration.h"

#include "base/random.h"
#include "scene/expression.h"

#include <stdlib.h>
#include <string.h>

static const double pi = 3.141592653589793238463;

static bool lookup(void *user, const char *name, double *value, char *why, size_t why_size) {
    (void)user;
    if (strcmp(name, "angle") == 0) return *value = 20.0, true;
    if (strcmp(name, "mu") == 0) return *value = 0.25, true;
    if (strcmp(name, "huge") == 0) return *value = HUGE_VAL, true;
    if (strcmp(name, "tau") == 0) return *value = 3.0, true;
    if (strcmp(name, "loop") == 0) snprintf(why, why_size, "the parameter loop needs itself");
    return false;
}

static const char *const names[] = {"angle", "mu", "loop", NULL};

static const ExpressionScope everything = {.lookup = lookup,
                                           .names = names,
                                           .has_time = true,
                                           .has_random = true,
                                           .seed = 7,
                                           .instance = 3};
static const ExpressionScope nothing = {.lookup = NULL};

/* Compiles and evaluates; what was allocated is gone again. */
static PlimStatus run(const char *text, const ExpressionScope *scope, double t, double *value,
                      double *rate, char why[EXPRESSION_MESSAGE]) {
    PlimContext *context = test_context(1);
    Expression *expression;
    PlimStatus status = expression_compile(context, text, scope, &expression, why);
    if (status == PLIM_OK) {
        uint64_t allocations = plim_context_allocations(context);
        status = expression_evaluate(expression, t, value, rate, why);
        assert_int_equal(plim_context_allocations(context), allocations);
        expression_destroy(context, expression);
    } else {
        assert_null(expression);
    }
    test_context_close(context);
    return status;
}

typedef struct Case {
    const char *text;
    double value;
} Case;

static void check_cases(const Case *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        double value, rate;
        char why[EXPRESSION_MESSAGE];
        if (run(cases[i].text, &everything, 2.0, &value, &rate, why) != PLIM_OK)
            fail_msg("%s: %s", cases[i].text, why);
        if (!(fabs(value - cases[i].value) <= 1e-14 * (1.0 + fabs(cases[i].value))))
            fail_msg("%s = %.17g, expected %.17g", cases[i].text, value, cases[i].value);
    }
}

#define CHECK_CASES(cases) check_cases((cases), sizeof(cases) / sizeof *(cases))

static void numbers_and_names(void **state) {
    (void)state;
    static const Case cases[] = {
        {"1", 1},
        {".5", 0.5},
        {"5.", 5},
        {"1e-3", 0.001},
        {"1.25E+2", 125},
        {"0.1", 0.1},
        {"123456789.123456789", 123456789.123456789},
        {"1e-400", 0},
        {"0e99999999999999999999", 0},
        {"0.000001e6", 1},
        {"  7\t\n", 7},
        {"pi", 3.141592653589793},
        {"e", 2.718281828459045},
        {"angle*mu", 5},
        {"t", 2},
        {"-9.81*sin(angle*pi/180)", -3.3552176060248105},
    };
    CHECK_CASES(cases);
}

static void precedence(void **state) {
    (void)state;
    static const Case cases[] = {
        {"1+2*3", 7},       {"(1+2)*3", 9},    {"8-4-2", 2},
        {"16/4/2", 2},      {"2*3/4*2", 3},    {"-2^2", -4},
        {"(-2)^2", 4},      {"2^3^2", 512},    {"2^-1", 0.5},
        {"2^-2^2", 0.0625}, {"2*-3", -6},      {"1--1", 2},
        {"1-+-+-1", 0},     {"+3", 3},         {"1+1 < 3", 1},
        {"3 < 1+1", 0},     {"2 <= 2", 1},     {"2 < 2", 0},
        {"2 >= 3", 0},      {"3 > 2", 1},      {"1 == 1", 1},
        {"1 != 1", 0},      {"1 != 2", 1},     {"(1 < 2) + (2 < 3)", 2},
        {"-3 * -2^2", 12},  {"2 == 2 * 1", 1}, {"2^0.5^2", 1.189207115002721},
    };
    CHECK_CASES(cases);
}

static void functions(void **state) {
    (void)state;
    static const Case cases[] = {
        {"sin(pi/6)", 0.5},
        {"cos(pi/3)", 0.5},
        {"tan(pi/4)", 1},
        {"asin(1)", 1.5707963267948966},
        {"acos(-1)", 3.141592653589793},
        {"atan(1)", 0.78539816339744831},
        {"atan2(1,-1)", 2.3561944901923449},
        {"atan2(0,0)", 0},
        {"sinh(1)", 1.1752011936438014},
        {"cosh(1)", 1.5430806348152437},
        {"tanh(1)", 0.76159415595576485},
        {"sqrt(9)", 3},
        {"sqrt(0)", 0},
        {"exp(1)-e", 0},
        {"log(e)", 1},
        {"abs(-3)", 3},
        {"sign(-3)+sign(0)+sign(5)", 0},
        {"floor(-1.5)", -2},
        {"ceil(-1.5)", -1},
        {"round(2.5)", 3},
        {"min(3,1,2)", 1},
        {"max(3,1,2,9,-4)", 9},
        {"mod(7,3)", 1},
        {"mod(-1,3)", 2},
        {"mod(1,-3)", -2},
        {"pow(2,10)", 1024},
        {"pow(-2,3)", -8},
        {"pow(0,0)", 1},
        {"hypot(3,4)", 5},
        {"clamp(5,0,1)+clamp(-5,0,1)+clamp(0.5,0,1)", 1.5},
        {"step(1,0.5)", 0},
        {"step(1,1)", 1},
        {"smoothstep(0,2,1)", 0.5},
        {"smoothstep(0,2,-1)+smoothstep(0,2,3)", 1},
        {"smoothstep(2,0,0.5)", 0.84375},
        {"deg(pi)", 180},
        {"rad(180)", 3.141592653589793},
        {"if(1,2,3)", 2},
        {"if(0,2,3)", 3},
        {"if(1<2, if(2<1, 1, 2), 3)", 2},
        {"1+if(0,1/0,4)*2", 9},
        {"if(1, 4, sqrt(-1))", 4},
        {"max(1, if(0,2,3), if(1,5,0))", 5},
        {"sin ( 0 )", 0},
    };
    CHECK_CASES(cases);
}

static double random_at(const char *text, uint64_t seed, uint64_t instance) {
    ExpressionScope scope = {.has_random = true, .seed = seed, .instance = instance};
    double value, rate;
    char why[EXPRESSION_MESSAGE];
    assert_int_equal(run(text, &scope, 0.0, &value, &rate, why), PLIM_OK);
    assert_true(value >= 0.0 && value < 1.0 && rate == 0.0);
    return value;
}

static void random_depends_on_its_key(void **state) {
    (void)state;
    double first = random_at("random(1)", 1, 1);
    assert_true(random_at("random(2-1)", 1, 1) == first);
    assert_true(random_at("random(0)", 1, 1) == random_at("random(-0)", 1, 1));
    assert_true(random_at("random(2)", 1, 1) != first);
    assert_true(random_at("random(1.5)", 1, 1) != first);
    assert_true(random_at("random(1)", 2, 1) != first);
    assert_true(random_at("random(1)", 1, 2) != first);
    double sum = 0.0;
    for (uint64_t i = 0; i < 4000; i++) sum += random_at("random(1)", 1, i);
    assert_close(sum / 4000.0, 0.5, 0.02);
}

/* Smooth for t in [0.1, 3.1]. */
static const char *const smooth[] = {
    "t",
    "-t",
    "3*t^2-t",
    "t*t*t",
    "1/(1+t)",
    "(1+t)/(2+t^2)",
    "t^-2",
    "(-t)^3",
    "(-1-t)^-2",
    "t^2.5",
    "2^t",
    "t^t",
    "(1+t)^sin(t)",
    "pow(t,3)",
    "sin(3*t)",
    "cos(t^2)",
    "tan(t/4)",
    "asin(t/4)",
    "acos(t/4)",
    "atan(t^2)",
    "atan2(sin(t),2+t)",
    "atan2(t-5,cos(t))",
    "sinh(t)",
    "cosh(t)",
    "tanh(t)",
    "sqrt(t)",
    "exp(-t)*t",
    "log(1+t)",
    "abs(-t)*t",
    "min(t,10,t^2+20)",
    "max(t^3,-1,-t)",
    "mod(t,10)",
    "mod(t,20+t)",
    "mod(30+t*t,7+t/10)*0+t",
    "mod(-t,20+t)",
    "hypot(t,3)",
    "hypot(t,1-t^2)",
    "clamp(t,0,t+1)",
    "clamp(t,t^2+5,100)",
    "smoothstep(-1,5,t)",
    "smoothstep(-t,5+t^2,t)",
    "smoothstep(5,-1,t)",
    "deg(t)",
    "rad(t*t)",
    "if(t<100, t^2, 1/0)",
    "if(sin(t)>2, 1, cos(t))",
    "t*(t<100)",
    "random(1)*t",
    "t+floor(0.5)",
    "angle*sin(mu*t)",
    "step(50,t)+t",
    "tan(t)*0+sign(t)*t",
    "exp(sin(cos(t*2)))^2",
};

/* Rates against central differences. */
static void rates_are_derivatives(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    for (size_t i = 0; i < sizeof smooth / sizeof *smooth; i++) {
        Expression *expression;
        char why[EXPRESSION_MESSAGE] = "";
        PlimStatus status = expression_compile(context, smooth[i], &everything, &expression, why);
        if (status != PLIM_OK) fail_msg("%s: %s", smooth[i], why);
        for (uint64_t k = 0; k < 50; k++) {
            double t = 0.1 + 3.0 * random_uniform(1, i, k), h = 1e-5, value, rate, low, high,
                   unused;
            assert_int_equal(expression_evaluate(expression, t, &value, &rate, why), PLIM_OK);
            assert_int_equal(expression_evaluate(expression, t - h, &low, &unused, why), PLIM_OK);
            assert_int_equal(expression_evaluate(expression, t + h, &high, &unused, why), PLIM_OK);
            double expected = (high - low) / (2.0 * h);
            if (!(fabs(rate - expected) <= 1e-6 * (1.0 + fabs(expected) + fabs(value))))
                fail_msg("%s at t = %g: rate %.17g, difference %.17g", smooth[i], t, rate,
                         expected);
        }
        expression_destroy(context, expression);
    }
    test_context_close(context);
}

static double rate_at(const char *text, double t) {
    double value, rate;
    char why[EXPRESSION_MESSAGE];
    if (run(text, &everything, t, &value, &rate, why) != PLIM_OK) fail_msg("%s: %s", text, why);
    return rate;
}

static void rates_at_special_points(void **state) {
    (void)state;
    assert_close(rate_at("sqrt(0)", 1.0), 0.0, 0.0);
    assert_close(rate_at("0^2", 1.0), 0.0, 0.0);
    assert_close(rate_at("t^2", 0.0), 0.0, 0.0);
    assert_close(rate_at("t^1", 0.0), 1.0, 0.0);
    assert_close(rate_at("t^0", 0.0), 0.0, 0.0);
    assert_close(rate_at("t^2", -3.0), -6.0, 0.0);
    assert_close(rate_at("t^(t+2)", 0.0), 0.0, 0.0);
    assert_close(rate_at("0^t", 1.0), 0.0, 0.0);
    assert_close(rate_at("(-1)^floor(t)", 2.5), 0.0, 0.0);
    assert_close(rate_at("abs(t)", 0.0), 0.0, 0.0);
    assert_close(rate_at("hypot(t,0)", 0.0), 0.0, 0.0);
    assert_close(rate_at("asin(1)*t", 0.0), pi / 2, 1e-15);
    assert_close(rate_at("floor(t)+ceil(t)+round(t)+sign(t)+step(0,t)+(t<1)", 0.5), 0.0, 0.0);
    assert_close(rate_at("mod(t,2)", 4.0), 1.0, 0.0);
    assert_close(rate_at("smoothstep(0,1,t)", 2.0), 0.0, 0.0);
    /* A rate that is not part of the result may be infinite. */
    assert_close(rate_at("max(sqrt(t),1)", 0.0), 0.0, 0.0);
    assert_close(rate_at("floor(sqrt(t))", 0.0), 0.0, 0.0);
}

typedef struct Refusal {
    const char *text;
    const char *why;
} Refusal;

static void check_refusals(const Refusal *cases, size_t count, const ExpressionScope *scope) {
    for (size_t i = 0; i < count; i++) {
        double value = 0.0, rate = 0.0;
        char why[EXPRESSION_MESSAGE] = "";
        if (run(cases[i].text, scope, 0.0, &value, &rate, why) != PLIM_BAD_INPUT)
            fail_msg("%s was not refused: %g", cases[i].text, value);
        if (strcmp(why, cases[i].why) != 0)
            fail_msg("%s: \"%s\", expected \"%s\"", cases[i].text, why, cases[i].why);
    }
}

#define CHECK_REFUSALS(cases, scope)                                                               \
    check_refusals((cases), sizeof(cases) / sizeof *(cases), (scope))

static void refuses_bad_text(void **state) {
    (void)state;
    static const Refusal cases[] = {
        {"", "column 1: the expression is empty"},
        {"  \t", "column 1: the expression is empty"},
        {"1 +", "column 4: unexpected end where a value should be"},
        {"1 + $", "column 5: unexpected character \"$\" where a value should be"},
        {"2\xC3\xA9", "column 2: unexpected character 0xC3 after the end of the expression"},
        {"*2", "column 1: unexpected character \"*\" where a value should be"},
        {"()", "column 2: unexpected character \")\" where a value should be"},
        {".", "column 1: unexpected character \".\" where a value should be"},
        {"2*(1+3", "column 7: unexpected end where \")\" is missing for the \"(\" of column 3"},
        {"(1 2)",
         "column 4: unexpected character \"2\" where \")\" is missing for the \"(\" of column 1"},
        {"sin(1", "column 6: unexpected end where \")\" is missing for the \"(\" of column 4"},
        {"min(1,", "column 7: unexpected end where a value should be"},
        {"(1,2)",
         "column 3: unexpected character \",\" where \")\" is missing for the \"(\" of column 1"},
        {"1)", "column 2: unexpected character \")\" after the end of the expression"},
        {"2 pi", "column 3: unexpected character \"p\" after the end of the expression"},
        {"1.2.3", "column 4: unexpected character \".\" after the end of the expression"},
        {"0x10", "column 2: unexpected character \"x\" after the end of the expression"},
        {"2e", "column 2: unexpected character \"e\" after the end of the expression"},
        {"2e+", "column 2: unexpected character \"e\" after the end of the expression"},
        {"1=1", "column 2: unexpected character \"=\" after the end of the expression (equality "
                "is written ==)"},
        {"!1", "column 1: unexpected character \"!\" where a value should be"},
        {"0<t<1", "column 4: comparisons do not chain; write (a < b)*(b < c)"},
        {"1+1e309", "column 3: the number is too large"},
        {"1e99999999999999999999", "column 1: the number is too large"},
    };
    CHECK_REFUSALS(cases, &everything);
}

static void refuses_bad_names(void **state) {
    (void)state;
    static const Refusal cases[] = {
        {"1+agnle", "column 3: unknown name \"agnle\"; did you mean \"angle\"?"},
        {"viscosity", "column 1: unknown name \"viscosity\""},
        {"Pi", "column 1: unknown name \"Pi\"; did you mean \"pi\"?"},
        {"T", "column 1: unknown name \"T\"; did you mean \"t\"?"},
        {"inf", "column 1: unknown name \"inf\"; did you mean \"if\"?"},
        {"nan", "column 1: unknown name \"nan\"; did you mean \"tan\"?"},
        {"w", "column 1: unknown name \"w\""},
        {"1+y", "column 3: the place \"y\" is only known to fields of a fluid"},
        {"2*sine(1)", "column 3: unknown function \"sine\"; did you mean \"sin\"?"},
        {"angle(1)", "column 1: unknown function \"angle\""},
        {"1+sin", "column 3: the function \"sin\" needs arguments in \"()\""},
        {"1+loop", "column 3: the parameter loop needs itself"},
        {"huge", "column 1: the value of \"huge\" is not finite"},
        {"2*tau", "column 3: \"tau\" already has a meaning here; give the parameter another name"},
        {"sin()", "column 1: sin takes 1 argument, not 0"},
        {"1+sin(1,2)", "column 3: sin takes 1 argument, not 2"},
        {"atan2(1)", "column 1: atan2 takes 2 arguments, not 1"},
        {"min(1)", "column 1: min takes 2 or more arguments, not 1"},
        {"clamp(1,2)", "column 1: clamp takes 3 arguments, not 2"},
        {"if(1,2)", "column 1: if takes 3 arguments, not 2"},
        {"if()", "column 1: if takes 3 arguments, not 0"},
        {"if(1,2,3,4,5)", "column 1: if takes 3 arguments, not 5"},
        {"random(1+t)", "column 10: random(k) needs a k that does not change with time or place"},
    };
    CHECK_REFUSALS(cases, &everything);
    static const Refusal without[] = {
        {"1+t",
         "column 3: the time \"t\" is only known to prescribed motion and fields of a fluid"},
        {"random(1)", "column 1: random is only known to repeated objects"},
        {"angle", "column 1: unknown name \"angle\""},
        {"taau", "column 1: unknown name \"taau\"; did you mean \"tau\"?"},
    };
    CHECK_REFUSALS(without, &nothing);
}

/* All at t = 0. */
static void refuses_what_is_not_finite(void **state) {
    (void)state;
    static const Refusal cases[] = {
        {"1/0", "column 2: division by zero"},
        {"2*(1/t)", "column 5: division by zero"},
        {"0/0", "column 2: division by zero"},
        {"if(1, 1/0, 2)", "column 8: division by zero"},
        {"1+sqrt(-2)", "column 3: square root of -2"},
        {"log(0)", "column 1: log of 0"},
        {"log(-1)", "column 1: log of -1"},
        {"asin(2)", "column 1: asin of 2, which is not between -1 and 1"},
        {"acos(-2)", "column 1: acos of -2, which is not between -1 and 1"},
        {"mod(1,0)", "column 1: division by zero in mod"},
        {"0^-1", "column 2: division by zero: 0 to the power -1"},
        {"(-2)^0.5", "column 5: -2 to the power 0.5, which is not whole"},
        {"pow(-2,0.5)", "column 1: -2 to the power 0.5, which is not whole"},
        {"clamp(1,2,0)", "column 1: clamp between 2 and 0, which is less"},
        {"smoothstep(1,1,t)", "column 1: division by zero: both edges of smoothstep are 1"},
        {"1e308*10", "column 6: the result of \"*\" is not finite"},
        {"exp(1000)", "column 1: the result of \"exp\" is not finite"},
        {"1+2^9999", "column 4: the result of \"^\" is not finite"},
        {"smoothstep(-1e308,1e308,0)", "column 1: the result of \"smoothstep\" is not finite"},
        {"1+sqrt(t)", "column 3: the rate of change of \"sqrt\" is not finite"},
        {"t*sqrt(t)", "column 3: the rate of change of \"sqrt\" is not finite"},
        {"acos(1-t)", "column 1: the rate of change of \"acos\" is not finite"},
        {"t^0.5", "column 2: the rate of change of \"^\" is not finite"},
        {"t^t", "column 2: the rate of change of \"^\" is not finite"},
        {"atan2(t,0)", "column 1: the rate of change of \"atan2\" is not finite"},
    };
    CHECK_REFUSALS(cases, &everything);
    double value, rate;
    char why[EXPRESSION_MESSAGE];
    assert_int_equal(run("t", &everything, HUGE_VAL, &value, &rate, why), PLIM_BAD_INPUT);
    assert_int_equal(run("t", &everything, NAN, &value, &rate, why), PLIM_BAD_INPUT);
}

/* `count` copies of `open`, then "1", then `count` copies of `close`. */
static char *nested(const char *open, const char *close, size_t count) {
    size_t open_length = strlen(open), close_length = strlen(close);
    char *text = malloc(count * (open_length + close_length) + 2), *at = text;
    for (size_t i = 0; i < count; i++, at += open_length) memcpy(at, open, open_length);
    *at++ = '1';
    for (size_t i = 0; i < count; i++, at += close_length) memcpy(at, close, close_length);
    *at = '\0';
    return text;
}

static PlimStatus run_nested(const char *open, const char *close, size_t count, double *value,
                             char why[EXPRESSION_MESSAGE]) {
    char *text = nested(open, close, count);
    double rate;
    PlimStatus status = run(text, &everything, 0.0, value, &rate, why);
    free(text);
    return status;
}

static void limits_the_depth(void **state) {
    (void)state;
    static const char *const levels[][2] = {{"(", ")"}, {"sin(", ")"}, {"1^", ""}, {"2-(", ")"}};
    char why[EXPRESSION_MESSAGE];
    double value;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        assert_int_equal(run_nested(levels[i][0], levels[i][1], 200, &value, why), PLIM_OK);
        assert_int_equal(run_nested(levels[i][0], levels[i][1], 201, &value, why), PLIM_BAD_INPUT);
        assert_non_null(strstr(why, "nested more than 200 levels deep"));
    }
    /* What leaves most values waiting at each level. */
    assert_int_equal(run_nested("0<1+1*max(0,", ")", 170, &value, why), PLIM_OK);
    assert_int_equal(run_nested("1<1+1*clamp(1,1,", ")", 200, &value, why), PLIM_OK);
    assert_int_equal(run_nested("(((((", ")))))", 20000, &value, why), PLIM_BAD_INPUT);
    assert_int_equal(run_nested("(", "", 100000, &value, why), PLIM_BAD_INPUT);
    assert_int_equal(run_nested("-", "", 4001, &value, why), PLIM_OK);
    assert_close(value, -1.0, 0.0);
}

static void limits_the_length(void **state) {
    (void)state;
    char why[EXPRESSION_MESSAGE];
    double value;
    assert_int_equal(run_nested("0+", "", 2047, &value, why), PLIM_OK);
    assert_int_equal(run_nested("0", "0", 2048, &value, why), PLIM_BAD_INPUT);
    assert_string_equal(why, "column 4097: the expression is longer than 4096 characters");
    assert_int_equal(run_nested("0", "", 4095, &value, why), PLIM_OK);
    assert_close(value, 1.0, 0.0);
    assert_int_equal(run_nested("a", "", 127, &value, why), PLIM_BAD_INPUT);
    assert_string_equal(why, "column 1: a name of more than 127 characters");
    /* Many arguments do not pile up on the stack, nor do those of a call that takes fewer. */
    char text[4097] = "max(0";
    for (size_t at = 5; at < 4000; at += 2) memcpy(text + at, ",1", 3);
    strcat(text, ")");
    double rate;
    assert_int_equal(run(text, &everything, 0.0, &value, &rate, why), PLIM_OK);
    memcpy(text, "sin", 3);
    assert_int_equal(run(text, &everything, 0.0, &value, &rate, why), PLIM_BAD_INPUT);
    assert_string_equal(why, "column 1: sin takes 1 argument, not 1999");
}

static void knows_what_uses_time(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool uses_time;
    } cases[] = {{"1+2", false}, {"sin(t)", true}, {"random(2)*angle", false}, {"if(0,t,1)", true}};
    PlimContext *context = test_context(1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Expression *expression;
        char why[EXPRESSION_MESSAGE];
        assert_int_equal(expression_compile(context, cases[i].text, &everything, &expression, why),
                         PLIM_OK);
        assert_int_equal(expression_uses_time(expression), cases[i].uses_time);
        expression_destroy(context, expression);
    }
    expression_destroy(context, NULL);
    test_context_close(context);
}

/* Random strings of the language's words: most are refused, none breaks anything. */
static void survives_garbage(void **state) {
    (void)state;
    static const char *const words[] = {
        "(",    ")",     ",",      "+",      "-",    "*",     "/",      "^",    "<",     ">=",
        "==",   "!=",    "1",      "0",      ".5",   "1e308", "1e-308", "t",    "pi",    "mu",
        "sin(", "sqrt(", "atan2(", "min(",   "pow(", "mod(",  "if(",    "exp(", "log(",  "random(",
        "tan(", "asin(", "clamp(", "hypot(", " ",    "x",     "e",      "\x80", "step(", "1)"};
    PlimContext *context = test_context(1);
    size_t accepted = 0;
    for (uint64_t i = 0; i < 100000; i++) {
        char text[128] = "", why[EXPRESSION_MESSAGE];
        size_t length = 1 + (size_t)(9.0 * random_uniform(2, i, 0));
        for (size_t k = 1; k <= length; k++)
            strcat(text, words[(size_t)(sizeof words / sizeof *words * random_uniform(2, i, k))]);
        Expression *expression;
        if (expression_compile(context, text, &everything, &expression, why) != PLIM_OK) continue;
        double value, rate;
        if (expression_evaluate(expression, 0.5, &value, &rate, why) == PLIM_OK) {
            accepted++;
            if (!isfinite(value) || !isfinite(rate))
                fail_msg("%s = %g, rate %g", text, value, rate);
        }
        expression_destroy(context, expression);
    }
    assert_true(accepted > 1000);
    test_context_close(context);
}

static PlimStatus compile_some(PlimContext *context, void *user) {
    (void)user;
    Expression *expression;
    char why[EXPRESSION_MESSAGE] = "";
    PlimStatus status =
        expression_compile(context, "1+2*(3+4)*sin(5)^t-6+7+8+9", &everything, &expression, why);
    if (status != PLIM_OK) {
        assert_non_null(strstr(why, "out of memory"));
        assert_null(expression);
    }
    expression_destroy(context, expression);
    return status;
}

static void reports_lack_of_memory(void **state) {
    (void)state;
    starve(&(Starved){.use = compile_some, .least = 1, .most = 20});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_and_names),
        cmocka_unit_test(precedence),
        cmocka_unit_test(functions),
        cmocka_unit_test(random_depends_on_its_key),
        cmocka_unit_test(rates_are_derivatives),
        cmocka_unit_test(rates_at_special_points),
        cmocka_unit_test(refuses_bad_text),
        cmocka_unit_test(refuses_bad_names),
        cmocka_unit_test(refuses_what_is_not_finite),
        cmocka_unit_test(limits_the_depth),
        cmocka_unit_test(limits_the_length),
        cmocka_unit_test(knows_what_uses_time),
        cmocka_unit_test(survives_garbage),
        cmocka_unit_test(reports_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
