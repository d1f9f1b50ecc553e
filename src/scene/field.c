/* Expressions of a scene as functions of place and time. */
#include "scene/field.h"

static double evaluate(const void *user, Vec3 x, double t) {
    const double place[3] = {x.x, x.y, x.z};
    return expression_at(user, place, t);
}

FieldFunction scene_field_function(const SceneField *field) {
    if (!field->expression) return (FieldFunction){.constant = field->value};
    return (FieldFunction){.evaluate = evaluate,
                           .user = field->expression,
                           .uses_time = expression_uses_time(field->expression),
                           .uses_place = expression_uses_place(field->expression)};
}
