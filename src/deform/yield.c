/* Plasticity of finite elements by a yield stretch: the multiplicative split F = F_e F_p (002 names
 * its [81] for it). F_p is what an element has come to keep, F_e = F F_p^-1 what its law answers
 * to. At the end of a step the stretches of F_e are taken back into [1/s, s], to the nearest there
 * in logarithms that leave the volume, and F_p takes over the difference: flow without change of
 * volume, at once and without hardening. Forces stay those of an energy of F_e, so momenta are
 * kept, and an element yields only where its energy falls. */
#include "deform/internal.h"
#include "math/decompose.h"

#include <string.h>

PlimStatus deform_add_plastic(Deform *d, size_t first_element) {
    size_t first = deform_count(d, DEFORM_PLASTIC);
    size_t count = deform_count(d, DEFORM_ELEMENTS) - first_element;
    TRY(state_resize(d->context, &deform_schema, d, DEFORM_PLASTIC, first + count));
    for (size_t k = 0; k < count; k++) {
        mat3_store(d->plastic_inverse + 9 * (first + k), mat3_identity());
        memcpy(d->plastic_rest + 9 * (first + k), d->gradient + 9 * (first_element + k),
               9 * sizeof *d->gradient);
        d->plastic_element[first + k] = (int32_t)(first_element + k);
    }
    return PLIM_OK;
}

/* F F_p^-1 is the way from this shape to where the corners are. */
static void set_shape(const Deform *d, size_t p) {
    Mat3 rest = mat3_load(d->plastic_rest + 9 * p);
    Mat3 inverse = mat3_load(d->plastic_inverse + 9 * p);
    mat3_store(d->gradient + 9 * d->plastic_element[p], mat3_multiply(rest, inverse));
}

static void set_shapes(void *user, size_t begin, size_t end) {
    for (size_t p = begin; p < end; p++) set_shape(user, p);
}

void deform_set_shapes(Deform *d, int threads) {
    parallel_for(threads, deform_count(d, DEFORM_PLASTIC), 256, set_shapes, d);
}

static double clamp(double value, double limit) {
    return fmin(limit, fmax(-limit, value));
}

/* The logarithms nearest to these with the same sum and none beyond the limit: all move by the same
 * shift, then are clamped. Where the sum itself is too great, they become equal. */
static bool limit_logarithms(int count, double limit, double log_stretch[3]) {
    enum { HALVINGS = 60 };
    double sum = 0, greatest = 0;
    for (int i = 0; i < count; i++) {
        sum += log_stretch[i];
        greatest = fmax(greatest, fabs(log_stretch[i]));
    }
    if (!(greatest > limit)) return false;
    limit = fmax(limit, fabs(sum) / count);
    double low = -greatest - limit, high = greatest + limit;
    for (int k = 0; k < HALVINGS; k++) {
        double middle = 0.5 * (low + high), limited = 0;
        for (int i = 0; i < count; i++) limited += clamp(log_stretch[i] + middle, limit);
        if (limited > sum)
            high = middle;
        else
            low = middle;
    }
    for (int i = 0; i < count; i++) log_stretch[i] = clamp(log_stretch[i] + high, limit);
    return true;
}

/* A, such that F_e A has the limited stretches; false where nothing yields. */
static bool find_flow(const DeformBody *body, Mat3 f, Mat3 *flow) {
    /* What is inverted or crushed flat comes back by its law first, and does not keep that. */
    const double flattest = 0.1;
    int dim = body->law.dim;
    Mat3 u, v;
    Vec3 sigma;
    if (dim == 2)
        svd_rotations_2(f, &u, &sigma, &v);
    else
        svd_rotations(f, &u, &sigma, &v);
    double stretch[3], logs[3], factor[3] = {1, 1, 1};
    vec3_store(stretch, sigma);
    if (!(stretch[dim - 1] > flattest)) return false;
    for (int i = 0; i < dim; i++) logs[i] = log(stretch[i]);
    if (!limit_logarithms(dim, log(body->yield_stretch), logs)) return false;
    for (int i = 0; i < dim; i++) factor[i] = exp(logs[i]) / stretch[i];
    *flow = mat3_multiply(mat3_multiply(v, mat3_diagonal(factor[0], factor[1], factor[2])),
                          mat3_transpose(v));
    return true;
}

static void yield_elements(void *user, size_t begin, size_t end, double *yielding) {
    const Deform *d = user;
    for (size_t p = begin; p < end; p++) {
        size_t e = (size_t)d->plastic_element[p];
        const DeformBody *body = &d->bodies.data[d->element_body[e]];
        Mat3 f = element_gradient(d, e, d->position), flow;
        if (!find_flow(body, f, &flow)) continue;
        /* Some laws grow softer under pressure: there the way back could cost energy. */
        if (!(law_energy(&body->law, mat3_multiply(f, flow)) < law_energy(&body->law, f))) continue;
        Mat3 inverse = mat3_load(d->plastic_inverse + 9 * p);
        mat3_store(d->plastic_inverse + 9 * p, mat3_multiply(inverse, flow));
        set_shape(d, p);
        yielding[0]++;
    }
}

void deform_yield_at_start(Deform *d) {
    double yielding = 0;
    yield_elements(d, 0, deform_count(d, DEFORM_PLASTIC), &yielding);
}

PlimStatus deform_yield(Deform *d, const StepInfo *step) {
    return parallel_sum(step->threads, deform_count(d, DEFORM_PLASTIC), 1, yield_elements, d,
                        step->scratch, &d->figures.yielding);
}
