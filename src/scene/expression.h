/* The one evaluator behind every "=..." in a scene file: compiled once, evaluated often, with exact
 * derivatives in time so that prescribed motion has exact velocities. */
#ifndef SCENE_EXPRESSION_H
#define SCENE_EXPRESSION_H

#include "base/context.h"

typedef struct Expression Expression;

/* What names mean. `lookup` returns false for a name it does not know; it may fail in its own way
 * (a parameter that depends on itself) by writing why to `why` and returning false. `names` lists
 * the known names for "did you mean", NULL-terminated, may be NULL. */
typedef struct ExpressionScope {
    bool (*lookup)(void *user, const char *name, double *value, char *why, size_t why_size);
    void *user;
    const char *const *names;
    bool has_time;     /* `t` may be used */
    bool has_place;    /* `x`, `y` and `z` may be used */
    bool has_random;   /* random(k) may be used, with the two values below */
    uint64_t seed;     /* of the scene */
    uint64_t instance; /* index of the repeated object */
} ExpressionScope;

enum { EXPRESSION_MESSAGE = 256 };

/* Compiles `text` (without the leading '='). Names are looked up now and kept as values. On failure
 * returns PLIM_BAD_INPUT and writes what is wrong, with the column, to `why`. Nesting is limited to
 * 200 levels and the text to 4096 characters. */
PlimStatus expression_compile(PlimContext *context, const char *text, const ExpressionScope *scope,
                              Expression **out, char why[EXPRESSION_MESSAGE]);
void expression_destroy(PlimContext *context, Expression *expression);

/* True when the value changes with t, or with x, y or z. */
bool expression_uses_time(const Expression *expression);
bool expression_uses_place(const Expression *expression);

/* Value at a place and time; NaN where expression_evaluate would fail. Allocates nothing, computes
 * no derivative, and may be called from several threads at once. */
double expression_at(const Expression *expression, const double x[3], double t);

/* Value and time derivative at t, at the origin. PLIM_BAD_INPUT, with `why`, for a division by
 * zero, the root of a negative number, or anything else that is not finite. Allocates nothing. */
PlimStatus expression_evaluate(const Expression *expression, double t, double *value, double *rate,
                               char why[EXPRESSION_MESSAGE]);

#endif
