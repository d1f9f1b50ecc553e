/* Forces of finite elements, springs and bending: first Piola-Kirchhoff stresses, gathered at nodes
 * (002 sections 3.3, 5.5.1), and a bound on the highest frequency. */
#include "deform/internal.h"
#include "deform/membrane.h"

Mat3 element_gradient(const Deform *d, size_t e, const double *x) {
    const int32_t *corners = d->corners + 4 * e;
    Mat3 inverse = mat3_load(d->gradient + 9 * e);
    Vec3 x0 = vec3_load(x + 3 * corners[0]);
    Vec3 e1 = vec3_sub(vec3_load(x + 3 * corners[1]), x0);
    Vec3 e2 = vec3(0, 0, 0), e3 = e2;
    if (d->corner_count[e] > 2) e2 = vec3_sub(vec3_load(x + 3 * corners[2]), x0);
    if (d->corner_count[e] == 4) e3 = vec3_sub(vec3_load(x + 3 * corners[3]), x0);
    return mat3_multiply(mat3_from_columns(e1, e2, e3), inverse);
}

/* ---- stresses ---- */

typedef struct ForceJob {
    Deform *d;
    const ForceParts *parts;
    double *force;
} ForceJob;

/* Damping of the change of Green's strain from E_0 to E in h seconds: the potential
 * (alpha tr(dE)^2 / 2 + beta dE:dE) / h, dE = E - E_0, whose gradient F (alpha tr(dE) I + 2 beta
 * dE) / h is the law of 002 section 5.5.1 on the mean rate of strain. Like that it exerts no
 * torque, and a potential lets Newton's method converge. S is what F multiplies. */
double deform_damping_of_change(const DeformBody *body, Mat3 f, Mat3 before, double h, Mat3 *s) {
    Mat3 now = mat3_multiply(mat3_transpose(f), f);
    Mat3 then = mat3_multiply(mat3_transpose(before), before), change;
    double squares = 0;
    for (int i = 0; i < 3; i++) {
        change.r[i] = vec3_scale(0.5, vec3_sub(now.r[i], then.r[i]));
        squares += vec3_dot(change.r[i], change.r[i]);
    }
    double trace = mat3_trace(change), pressure = body->alpha * trace / h;
    *s = mat3_add(mat3_scale(2 * body->beta / h, change),
                  mat3_diagonal(pressure, pressure, pressure));
    return (0.5 * body->alpha * trace * trace + body->beta * squares) / h;
}

static Mat3 element_damping(const Deform *d, size_t e, const ForceParts *parts, double *energy) {
    const DeformBody *body = &d->bodies.data[d->element_body[e]];
    Mat3 f = element_gradient(d, e, parts->x), stress, s;
    Mat3 before = parts->x_before ? element_gradient(d, e, parts->x_before) : f;
    if (parts->x_before && body->damping_form == DAMPING_GREEN) {
        *energy += deform_damping_of_change(body, f, before, parts->h, &s);
        return mat3_multiply(f, s);
    }
    Mat3 rate = parts->x_before ? mat3_scale(1.0 / parts->h, mat3_add(f, mat3_scale(-1.0, before)))
                                : element_gradient(d, e, parts->v);
    damping_stress(body->damping_form, d->options.dim, body->alpha, body->beta, before, rate,
                   &stress);
    for (int i = 0; i < 3; i++) *energy += 0.5 * parts->h * vec3_dot(stress.r[i], rate.r[i]);
    return stress;
}

static void stress_of_elements(void *user, size_t begin, size_t end) {
    const ForceJob *job = user;
    const Deform *d = job->d;
    const ForceParts *parts = job->parts;
    for (size_t e = begin; e < end; e++) {
        const DeformBody *body = &d->bodies.data[d->element_body[e]];
        Mat3 sum = mat3_diagonal(0, 0, 0);
        double energy = 0;
        if (body->has_law && parts->elastic) {
            Mat3 f = element_gradient(d, e, parts->x);
            energy = body->is_sheet ? membrane_stress(&body->law, f, &sum)
                                    : law_stress(&body->law, f, &sum);
        }
        if ((parts->v || parts->x_before) && (body->alpha > 0 || body->beta > 0))
            sum = mat3_add(sum, element_damping(d, e, parts, &energy));
        mat3_store(d->stress + 9 * e, mat3_scale(d->volume[e], sum));
        d->element_energy[e] = d->volume[e] * energy;
    }
}

/* How fast a spring gets longer, and the potential of its damping where that is asked for. */
static double spring_rate(const Deform *d, size_t s, const ForceParts *parts, double length,
                          const Vec3 *gradient, double *energy) {
    double rate = 0;
    if (parts->x_before) {
        Vec3 unused[4];
        rate = (length - deform_spring_length(d, s, parts->x_before, unused)) / parts->h;
    }
    for (int c = 0; !parts->x_before && c < d->spring_count[s]; c++) {
        int32_t node = d->spring_corners[4 * s + (size_t)c];
        rate += vec3_dot(gradient[c], vec3_load(parts->v + 3 * node));
    }
    *energy += 0.5 * parts->h * d->spring_drag[s] * rate * rate;
    return rate;
}

static void force_of_springs(void *user, size_t begin, size_t end) {
    const ForceJob *job = user;
    const Deform *d = job->d;
    const ForceParts *parts = job->parts;
    for (size_t s = begin; s < end; s++) {
        Vec3 force[4] = {{0}}, gradient[4];
        double energy = 0;
        bool acts = deform_spring_acts(d, s, parts->x);
        if (acts && parts->elastic) energy = deform_spring_force(d, s, parts->x, force);
        if (acts && (parts->v || parts->x_before) && d->spring_drag[s] > 0) {
            double length = deform_spring_length(d, s, parts->x, gradient);
            double rate = spring_rate(d, s, parts, length, gradient, &energy);
            for (int c = 0; c < d->spring_count[s]; c++)
                force[c] = vec3_add_scaled(force[c], -d->spring_drag[s] * rate, gradient[c]);
        }
        for (int c = 0; c < 4; c++) vec3_store(d->spring_force + 12 * s + 3 * c, force[c]);
        d->spring_energy[s] = energy;
    }
}

/* ---- forces ---- */

/* f_a = -V P grad N_a; the gradients of all corners add up to zero. */
static Vec3 corner_force(const Deform *d, size_t e, int corner) {
    Mat3 stress = mat3_load(d->stress + 9 * e), gradient = mat3_load(d->gradient + 9 * e);
    if (corner > 0) return vec3_scale(-1.0, mat3_apply(stress, gradient.r[corner - 1]));
    Vec3 sum = vec3_add(gradient.r[0], gradient.r[1]);
    if (d->options.dim == 3) sum = vec3_add(sum, gradient.r[2]);
    return mat3_apply(stress, sum);
}

static void gather_forces(void *user, size_t begin, size_t end) {
    const ForceJob *job = user;
    const Deform *d = job->d;
    size_t hinges = 4 * deform_count(d, DEFORM_SPRINGS); /* where they begin */
    for (size_t i = begin; i < end; i++) {
        Vec3 sum = vec3(0, 0, 0);
        for (size_t k = d->touch_start.data[i]; k < d->touch_start.data[i + 1]; k++) {
            int32_t at = d->touch.data[k];
            if (at >= 0)
                sum = vec3_add(sum, corner_force(d, (size_t)(at / 4), at % 4));
            else if ((size_t)(-1 - at) < hinges)
                sum = vec3_add(sum, vec3_load(d->spring_force + 3 * (size_t)(-1 - at)));
            else
                sum = vec3_add(sum, d->bending.force.data[(size_t)(-1 - at) - hinges]);
        }
        if (d->options.dim == 2) sum.z = 0;
        vec3_store(job->force + 3 * i, sum);
    }
}

typedef struct SumJob {
    const double *values;
} SumJob;

static void sum_values(void *user, size_t begin, size_t end, double *sum) {
    const SumJob *job = user;
    for (size_t i = begin; i < end; i++) sum[0] += job->values[i];
}

PlimStatus deform_forces(Deform *d, const StepInfo *step, const ForceParts *parts, double *force,
                         double *energy) {
    enum { GRAIN = 256 };
    ForceJob job = {d, parts, force};
    size_t elements = deform_count(d, DEFORM_ELEMENTS), springs = deform_count(d, DEFORM_SPRINGS);
    parallel_for(step->threads, elements, GRAIN, stress_of_elements, &job);
    parallel_for(step->threads, springs, GRAIN, force_of_springs, &job);
    bending_evaluate(d, step->threads, parts);
    if (force)
        parallel_for(step->threads, deform_count(d, DEFORM_NODES), GRAIN, gather_forces, &job);
    if (!energy) return PLIM_OK;
    SumJob of_elements = {d->element_energy}, of_springs = {d->spring_energy};
    SumJob of_patches = {d->bending.energy.data};
    double sum[3];
    TRY(parallel_sum(step->threads, elements, 1, sum_values, &of_elements, step->scratch, &sum[0]));
    TRY(parallel_sum(step->threads, springs, 1, sum_values, &of_springs, step->scratch, &sum[1]));
    TRY(parallel_sum(step->threads, d->bending.patches.count, 1, sum_values, &of_patches,
                     step->scratch, &sum[2]));
    *energy = sum[0] + sum[1] + sum[2];
    return PLIM_OK;
}

/* ---- the highest frequency ---- */

/* Stiffness that an element adds to the diagonal of each corner, at most, by Gershgorin's theorem:
 * corner a gets V c |g_a| sum_b |g_b|, with c the greatest eigenvalue of dP/dF and b over corners
 * that move. */
static void bound_element(const Deform *d, size_t e, double bound[4]) {
    const DeformBody *body = &d->bodies.data[d->element_body[e]];
    for (int c = 0; c < 4; c++) bound[c] = 0;
    if (!body->has_law) return;
    int corners = d->corner_count[e];
    Mat3 f = element_gradient(d, e, d->position);
    double stiffest =
        body->is_sheet ? membrane_stiffest(&body->law, f) : law_stiffest(&body->law, f);
    Mat3 gradient = mat3_load(d->gradient + 9 * e);
    Vec3 first = vec3(0, 0, 0);
    double length[4], sum = 0;
    for (int c = 1; c < corners; c++) first = vec3_add(first, gradient.r[c - 1]);
    for (int c = 0; c < corners; c++) {
        length[c] = vec3_length(c == 0 ? first : gradient.r[c - 1]);
        if (!d->is_pinned[d->corners[4 * e + (size_t)c]]) sum += length[c];
    }
    for (int c = 0; c < corners; c++) bound[c] = d->volume[e] * stiffest * length[c] * sum;
}

/* The same of a spring: along it k w_a sum_b w_b; across it what its force makes. */
static void bound_spring(const Deform *d, size_t s, double bound[4]) {
    Vec3 gradient[4];
    double length = deform_spring_length(d, s, d->position, gradient), sum = 0;
    double stiffness = d->spring_modulus[s] / d->spring_rest[s];
    double pull = d->spring_modulus[s] * fabs(length / d->spring_rest[s] - 1.0);
    stiffness = fmax(stiffness, pull / fmax(fabs(length), 1e-3 * d->spring_rest[s]));
    for (int c = 0; c < d->spring_count[s]; c++)
        if (!d->is_pinned[d->spring_corners[4 * s + (size_t)c]]) sum += vec3_length(gradient[c]);
    for (int c = 0; c < d->spring_count[s]; c++)
        bound[c] = stiffness * vec3_length(gradient[c]) * sum;
}

/* Corners of all elements, then of all springs, four each. */
static void bound_corners(void *user, size_t begin, size_t end) {
    const Deform *d = user;
    size_t elements = deform_count(d, DEFORM_ELEMENTS);
    for (size_t i = begin; i < end; i++)
        if (i < elements)
            bound_element(d, i, d->corner_bounds.data + 4 * i);
        else
            bound_spring(d, i - elements, d->corner_bounds.data + 4 * i);
}

/* What elements and springs add to each node, N/m, into work[DEFORM_RIGHT]. Hinges are left out:
 * their patches follow. */
static void bound_nodes(void *user, size_t begin, size_t end) {
    const Deform *d = user;
    const double *springs = d->corner_bounds.data + 4 * deform_count(d, DEFORM_ELEMENTS);
    size_t hinges = 4 * deform_count(d, DEFORM_SPRINGS); /* where they begin */
    for (size_t i = begin; i < end; i++) {
        double sum = 0;
        for (size_t k = d->touch_start.data[i]; k < d->touch_start.data[i + 1]; k++) {
            int32_t at = d->touch.data[k];
            if (at >= 0)
                sum += d->corner_bounds.data[at];
            else if ((size_t)(-1 - at) < hinges)
                sum += springs[-1 - at];
        }
        d->work[DEFORM_RIGHT].data[i] = sum;
    }
}

double deform_highest_square(Deform *d, int threads) {
    enum { GRAIN = 256 };
    size_t nodes = deform_count(d, DEFORM_NODES);
    size_t parts = deform_count(d, DEFORM_ELEMENTS) + deform_count(d, DEFORM_SPRINGS);
    double highest = 0;
    double *bound = d->work[DEFORM_RIGHT].data;
    parallel_for(threads, parts, GRAIN, bound_corners, d);
    parallel_for(threads, nodes, GRAIN, bound_nodes, d);
    for (size_t p = 0; p < d->bending.patches.count; p++) bending_bound(d, p, bound);
    for (size_t i = 0; i < nodes; i++)
        if (!d->is_pinned[i]) highest = fmax(highest, bound[i] / d->mass[i]);
    return highest;
}
