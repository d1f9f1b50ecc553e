/* Contact rows: the impulse response K at a point (000 section 2.6) and its clamping. */
#include "rigid/contact/contacts.h"

void contacts_free(PlimContext *context, RigidContacts *contacts) {
    array_free(context, &contacts->near.items);
    array_free(context, &contacts->pairs);
    array_free(context, &contacts->rows);
    array_free(context, &contacts->seen);
    array_free(context, &contacts->solver_bodies);
    array_free(context, &contacts->levels);
    array_free(context, &contacts->islands);
    array_free(context, &contacts->island_pairs);
    array_free(context, &contacts->body_islands);
    array_free(context, &contacts->before);
    array_free(context, &contacts->shown);
    array_free(context, &contacts->turning);
    array_free(context, &contacts->coupled);
}

/* Velocities that an impulse and a moment make by a block of a figure's response. */
static inline void apply_block(const double *block, Vec3 impulse, Vec3 moment, double *gain) {
    const double push[6] = {impulse.x, impulse.y, impulse.z, moment.x, moment.y, moment.z};
    for (int r = 0; r < HELD_COLUMN; r++) gain[r] = 0.0;
    for (int c = 0; c < 6; c++)
        for (int r = 0; r < HELD_COLUMN; r++) gain[r] += block[HELD_COLUMN * c + r] * push[c];
}

void figure_respond(const SolverBody *body, Vec3 impulse, Vec3 moment, size_t offset) {
    const HeldFigure *figure = body->figure;
    for (size_t i = 0; i < figure->count; i++) {
        const double *block =
            figure->response + HELD_BLOCK * ((size_t)body->slot * figure->count + i);
        SolverBody *other = &figure->solver_bodies[figure->body[i]];
        Vec3 *pair = (Vec3 *)((char *)other + offset);
        double gain[HELD_COLUMN];
        apply_block(block, impulse, moment, gain);
        pair[0] = vec3_add(pair[0], vec3_load(gain));
        pair[1] = vec3_add(pair[1], vec3_load(gain + 3));
        other->touched = true;
    }
}

/* The velocity at an arm of one body of a figure that unit impulses at an arm of another make. */
static Mat3 figure_response(const SolverBody *of, Vec3 of_arm, const SolverBody *by, Vec3 by_arm) {
    const HeldFigure *figure = of->figure;
    const double *block =
        figure->response + HELD_BLOCK * ((size_t)by->slot * figure->count + (size_t)of->slot);
    Vec3 columns[3];
    for (int i = 0; i < 3; i++) {
        double gain[HELD_COLUMN];
        apply_block(block, vec3_axis(i), vec3_cross(by_arm, vec3_axis(i)), gain);
        columns[i] = vec3_add(vec3_load(gain), vec3_cross(vec3_load(gain + 3), of_arm));
    }
    return mat3_from_columns(columns[0], columns[1], columns[2]);
}

/* delta/m + r*^T I^-1 r* (000 section 2.6), column by column. */
static Mat3 solver_body_response(const SolverBody *body, Vec3 arm) {
    if (!body->moves) return mat3_diagonal(0, 0, 0);
    if (body->figure) return figure_response(body, arm, body, arm);
    Vec3 columns[3];
    for (int i = 0; i < 3; i++) {
        Vec3 unit = vec3_axis(i);
        Vec3 turn = mat3_apply(body->inverse_inertia, vec3_cross(arm, unit));
        columns[i] = vec3_add_scaled(vec3_cross(turn, arm), body->inverse_mass, unit);
    }
    return mat3_from_columns(columns[0], columns[1], columns[2]);
}

double response_across(Mat3 k, Vec3 n) {
    Vec3 s = fabs(n.x) < 0.7 ? vec3(1, 0, 0) : vec3(0, 1, 0);
    s = vec3_normalize(vec3_cross(n, s));
    Vec3 t = vec3_cross(n, s), ks = mat3_apply(k, s), kt = mat3_apply(k, t);
    double a = vec3_dot(s, ks), b = vec3_dot(t, kt), c = vec3_dot(s, kt);
    return 0.5 * (a + b) + sqrt(0.25 * (a - b) * (a - b) + c * c);
}

void row_update_response(ContactRow *row, const SolverBody *a, const SolverBody *b) {
    row->response =
        mat3_add(solver_body_response(a, row->arm_a), solver_body_response(b, row->arm_b));
    if (a->figure && a->figure == b->figure && a->moves && b->moves) {
        Mat3 cross = figure_response(a, row->arm_a, b, row->arm_b);
        cross = mat3_add(cross, figure_response(b, row->arm_b, a, row->arm_a));
        row->response = mat3_add(row->response, mat3_scale(-1.0, cross));
    }
    double size = mat3_trace(row->response) / 3;
    row->singular = !(mat3_determinant(row->response) > 1e-9 * size * size * size);
    row->inverse = row->singular ? mat3_diagonal(0, 0, 0) : mat3_inverse(row->response);
    row->normal_response = vec3_dot(row->normal, mat3_apply(row->response, row->normal));
    row->slide_response = response_across(row->response, row->normal);
    if (!(row->normal_response > 0.0)) row->normal_response = HELD_RESPONSE;
    if (!(row->slide_response > 0.0)) row->slide_response = HELD_RESPONSE;
}

void row_prepare(ContactRow *row, const SolverBody *a, const SolverBody *b) {
    row->arm_a = vec3_sub(row->point, a->center);
    row->arm_b = vec3_sub(row->point, b->center);
    row->impulse = row->carried = row->guess = vec3(0, 0, 0);
    row->couple = row->carried_couple = vec3(0, 0, 0);
    row->guess_couple = row->guess_turn = row->turn = vec3(0, 0, 0);
    row->active = row->bounces = false;
    row_update_response(row, a, b);
}

double impulse_allowed(const ContactRow *row, Vec3 velocity, Vec3 impulse) {
    double against = -2.0 * vec3_dot(impulse, velocity);
    double square = vec3_dot(impulse, mat3_apply(row->response, impulse));
    if (against >= square) return 1.0;
    return against > 0.0 ? against / square : 0.0;
}
