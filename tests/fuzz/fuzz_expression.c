/* Any bytes as an expression: refused with a reason, or finite at every time asked for. */
#include "scene/expression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition) {
    if (!condition) abort();
}

static bool lookup(void *user, const char *name, double *value, char *why, size_t why_size) {
    (void)user;
    (void)why;
    (void)why_size;
    *value = 0.25;
    return strcmp(name, "mu") == 0;
}

static void evaluate(const Expression *expression) {
    static const double times[] = {0.0, -1.0, 0.5, 1.0, 3.7, 1e9, -1e-300, 1e300};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        char why[EXPRESSION_MESSAGE] = "";
        double value = NAN, rate = NAN;
        PlimStatus status = expression_evaluate(expression, times[i], &value, &rate, why);
        if (status == PLIM_OK) {
            require(isfinite(value) && isfinite(rate));
            require(expression_uses_time(expression) || rate == 0.0);
        } else {
            require(status == PLIM_BAD_INPUT && strncmp(why, "column ", 7) == 0);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = {"mu", NULL};
    ExpressionScope scope = {.lookup = lookup,
                             .names = names,
                             .has_time = true,
                             .has_random = true,
                             .seed = 1,
                             .instance = 2};
    char *text = malloc(size + 1); /* its own block: reading past the end is seen */
    if (!text) return 0;
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    PlimContextDesc desc = plim_context_desc_default();
    desc.threads = 1;
    PlimContext *context;
    require(plim_context_create(&desc, &context) == PLIM_OK);
    Expression *expression;
    char why[EXPRESSION_MESSAGE] = "";
    PlimStatus status = expression_compile(context, text, &scope, &expression, why);
    if (status == PLIM_OK)
        evaluate(expression);
    else
        require(status == PLIM_BAD_INPUT && !expression && strncmp(why, "column ", 7) == 0);
    expression_destroy(context, expression);
    require(plim_context_bytes(context) == 0);
    plim_context_destroy(context);
    free(text);
    return 0;
}
