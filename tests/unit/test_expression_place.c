/* Expressions of place: what they are at a point, and where they have no value. */
#include "check.h"

#include "base/random.h"
#include "scene/expression.h"

#include <string.h>

static bool lookup(void *user, const char *name, double *value, char *why, size_t why_size) {
    (void)user;
    (void)why;
    (void)why_size;
    *value = 20;
    return strcmp(name, "angle") == 0;
}

static const char *const names[] = {"angle", NULL};

static const ExpressionScope field = {.lookup = lookup,
                                      .names = names,
                                      .has_time = true,
                                      .has_place = true,
                                      .has_random = true,
                                      .seed = 7};

static Expression *compile_field(PlimContext *context, const char *text) {
    Expression *expression;
    char why[EXPRESSION_MESSAGE];
    if (expression_compile(context, text, &field, &expression, why) != PLIM_OK)
        fail_msg("%s: %s", text, why);
    return expression;
}

static double value_at(const char *text, double x, double y, double z, double t) {
    PlimContext *context = test_context(1);
    Expression *expression = compile_field(context, text);
    uint64_t allocations = plim_context_allocations(context);
    double value = expression_at(expression, (const double[3]){x, y, z}, t);
    assert_int_equal(plim_context_allocations(context), allocations);
    expression_destroy(context, expression);
    test_context_close(context);
    return value;
}

static void knows_places(void **state) {
    (void)state;
    assert_close(value_at("x + 10*y + 100*z + 1000*t", 1, 2, 3, 4), 4321, 0);
    assert_close(value_at("angle*x^2", 0.5, 0, 0, 0), 5, 0);
    assert_true(isnan(value_at("if(x < 0.5, y, 1/(x - 0.5))", 0.5, 7, 0, 0)));
    assert_close(value_at("if(x < 0.5, y, 1/z)", 0.25, 7, 0, 0), 7, 0);
    assert_close(value_at("hypot(x, y)", 3, 4, 0, 0), 5, 0);
    static const struct {
        const char *text;
        bool time, place;
    } cases[] = {{"1 + angle", false, false},
                 {"t", true, false},
                 {"z*0", false, true},
                 {"x*t", true, true},
                 {"if(0,y,1)", false, true}};
    PlimContext *context = test_context(1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Expression *expression = compile_field(context, cases[i].text);
        assert_int_equal(expression_uses_time(expression), cases[i].time);
        assert_int_equal(expression_uses_place(expression), cases[i].place);
        expression_destroy(context, expression);
    }
    test_context_close(context);
}

static void refuses_bad_places(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"random(x)", "column 8: random(k) needs a k that does not change with time or place"},
        {"X", "column 1: unknown name \"X\"; did you mean \"x\"?"},
        {"1 + anle*z", "column 5: unknown name \"anle\"; did you mean \"angle\"?"},
        {"x(1)", "column 1: unknown function \"x\""}};
    PlimContext *context = test_context(1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Expression *expression;
        char why[EXPRESSION_MESSAGE] = "";
        assert_int_equal(expression_compile(context, cases[i][0], &field, &expression, why),
                         PLIM_BAD_INPUT);
        assert_string_equal(why, cases[i][1]);
    }
    test_context_close(context);
}

/* Where expression_evaluate gives a reason, expression_at gives no number; elsewhere they agree to
 * the last bit. A steep rate alone is no reason. */
static void is_nan_where_there_is_no_value(void **state) {
    (void)state;
    static const char *const without[] = {"1/x",         "sqrt(x - 1)",    "log(x)",
                                          "mod(1, x)",   "x^-1",           "exp(1e5 + x)",
                                          "acos(2 + x)", "clamp(0, 1, x)", "(x-1)^0.5"};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        assert_true(isnan(value_at(without[i], 0, 0, 0, 0)));
    assert_true(isnan(value_at("x", NAN, 0, 0, 0)));
    assert_true(isnan(value_at("1", 0, 0, 0, HUGE_VAL)));
    assert_close(value_at("sqrt(t)", 0, 0, 0, 0), 0, 0);
    static const char *const texts[] = {"sin(t)*exp(-t)",
                                        "t^2.5 + 2^t",
                                        "atan2(t, 1 - t)",
                                        "hypot(t, 2)/tanh(t)",
                                        "smoothstep(0, 1, t)",
                                        "min(t, 0.3) + max(t, 0.1, 0.2)",
                                        "mod(t, 0.3)*random(4)",
                                        "asin(t)*acos(t)*atan(t)",
                                        "sinh(t)+cosh(t)+tan(t)+log(t)+sqrt(t)",
                                        "1/t - round(9*t)"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double value, rate;
        char why[EXPRESSION_MESSAGE];
        PlimContext *context = test_context(1);
        Expression *expression = compile_field(context, texts[i]);
        assert_int_equal(expression_evaluate(expression, 0.4375, &value, &rate, why), PLIM_OK);
        expression_destroy(context, expression);
        test_context_close(context);
        assert_close(value_at(texts[i], 1, 2, 3, 0.4375), value, 0);
    }
}

/* Random texts: at the origin both ways of evaluating agree, and what is not a number is NaN. */
static void agrees_on_garbage(void **state) {
    (void)state;
    static const char *const words[] = {
        "(",    ")",      ",",      "+",   "-",    "*",    "/",    "^",     "<",    "1",
        ".5",   "1e300",  "t",      "x",   "y",    "sin(", "exp(", "sqrt(", "log(", "pow(",
        "min(", "atan2(", "hypot(", "if(", "mod(", "tan(", "1)",   "z"};
    PlimContext *context = test_context(1);
    size_t agreed = 0;
    for (uint64_t i = 0; i < 100000; i++) {
        char text[128] = "", why[EXPRESSION_MESSAGE];
        size_t length = 1 + (size_t)(9.0 * random_uniform(3, i, 0));
        for (size_t k = 1; k <= length; k++)
            strcat(text, words[(size_t)(sizeof words / sizeof *words * random_uniform(3, i, k))]);
        Expression *expression;
        if (expression_compile(context, text, &field, &expression, why) != PLIM_OK) continue;
        double value, rate, here = expression_at(expression, (const double[3]){0}, 0.5);
        double there = expression_at(expression, (const double[3]){0.25, -3, 1e200}, 0.5);
        bool good = expression_evaluate(expression, 0.5, &value, &rate, why) == PLIM_OK;
        if ((good && here != value) || isinf(here) || isinf(there))
            fail_msg("%s = %g, not %g; %g elsewhere", text, here, value, there);
        agreed += good;
        expression_destroy(context, expression);
    }
    assert_true(agreed > 1000);
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_places),
        cmocka_unit_test(refuses_bad_places),
        cmocka_unit_test(is_nan_where_there_is_no_value),
        cmocka_unit_test(agrees_on_garbage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
