/* Passes over the vectors of an MPRGP solve, each once through memory. */
#include "solve/krylov/mprgp_internal.h"

#include "base/parallel.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

#if defined(__clang__)
/* Without optimisation clang says that loops marked simd stay scalar; that is as it should be. */
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

typedef struct Pass {
    const Mprgp *m;
    double factor; /* alpha, beta or the length of a step */
    double *vector;
    bool all;
    void (*body)(const struct Pass *pass, size_t begin, size_t end, MprgpTally *tally);
    MprgpTally *tallies;
} Pass;

static void run_chunks(void *user, size_t begin, size_t end) {
    const Pass *pass = user;
    for (size_t chunk = begin; chunk < end; chunk++) {
        size_t first = chunk * MPRGP_CHUNK, last = first + MPRGP_CHUNK;
        MprgpTally tally = {.sum = {0.0}};
        if (pass->m->in_use[chunk])
            pass->body(pass, first, last < pass->m->n ? last : pass->m->n, &tally);
        pass->tallies[chunk] = tally;
    }
}

static PlimStatus run_pass(Pass *pass, MprgpTally *total) {
    const Mprgp *m = pass->m;
    size_t chunks = (m->n + MPRGP_CHUNK - 1) / MPRGP_CHUNK, mark = scratch_mark(m->scratch);
    pass->tallies = scratch_take(m->scratch, chunks, sizeof *pass->tallies);
    if (!pass->tallies) return PLIM_OUT_OF_MEMORY;
    parallel_for(m->threads, chunks, 16, run_chunks, pass);
    *total = (MprgpTally){.sum = {0.0}};
    for (size_t chunk = 0; chunk < chunks; chunk++)
        for (int i = 0; i < 4; i++) {
            total->sum[i] += pass->tallies[chunk].sum[i];
            total->most[i] = fmax(total->most[i], pass->tallies[chunk].most[i]);
        }
    for (size_t chunk = 0; chunk < chunks; chunk++) total->energy += pass->tallies[chunk].energy;
    scratch_release(m->scratch, mark);
    return PLIM_OK;
}

static inline double low_of(const double *low, size_t i) {
    return low ? low[i] : 0.0;
}

static void clamp(const Pass *pass, size_t begin, size_t end, MprgpTally *tally) {
    const Mprgp *m = pass->m;
    memset(m->is_free + begin, 0, end - begin);
    for (size_t i = begin; i < end; i++) {
        double low = low_of(m->low, i);
        m->g[i] = m->p[i] = m->q[i] = m->z[i] = 0.0;
        if (m->scale[i] > 0.0f) {
            if (!(m->x[i] > low)) m->x[i] = low; /* what is not a number becomes the bound */
            tally->sum[0] += fabs(m->b[i]) + fabs(m->x[i]) + fabs(low);
        }
        m->y[i] = m->x[i];
    }
}

static void find_use(void *user, size_t begin, size_t end) {
    const Mprgp *m = user;
    for (size_t chunk = begin; chunk < end; chunk++) {
        size_t first = chunk * MPRGP_CHUNK, last = first + MPRGP_CHUNK;
        m->in_use[chunk] = 0;
        for (size_t i = first; i < last && i < m->n; i++) m->in_use[chunk] |= m->scale[i] > 0.0f;
    }
}

PlimStatus mprgp_clamp(Mprgp *m, bool *finite) {
    Pass pass = {.m = m, .body = clamp};
    MprgpTally total;
    size_t chunks = (m->n + MPRGP_CHUNK - 1) / MPRGP_CHUNK;
    memset(m->in_use, 1, chunks);
    TRY(run_pass(&pass, &total));
    *finite = isfinite(total.sum[0]);
    parallel_for(m->threads, chunks, 16, find_use, m);
    return PLIM_OK;
}

/* Splits the gradient g at x of entries [begin, end) and marks which are free. Marks have a loop of
 * their own: bytes beside doubles make poor vectors. */
static inline void split(const Mprgp *m, const double *x, const double *g, const double *low,
                         size_t begin, size_t end, MprgpTally *tally) {
    const float *scale = m->scale;
    unsigned char *is_free = m->is_free, changed = 0;
    double chopped = 0.0, reduced = 0.0, complementarity = 0.0, least = 0.0, violation = 0.0;
    double shortest = 1.0 / m->length;
    size_t count = 0;
#pragma omp simd reduction(+ : chopped, reduced, complementarity) reduction(max : violation, least)
    for (size_t i = begin; i < end; i++) {
        double s = (double)scale[i], room = x[i] - low_of(low, i);
        double used = s > 0.0 ? g[i] : 0.0, below = used < 0.0 ? -used : 0.0;
        double phi = room > 0.0 ? used : 0.0, beta = room > 0.0 ? 0.0 : below;
        double step = s * phi, most = room * shortest, worst = fabs(phi) + beta;
        chopped += s * beta * beta;
        reduced += phi * (step < most ? step : most);
        complementarity += used * room; /* and not a number where g is not */
        violation = worst > violation ? worst : violation;
        least = below > least ? below : least;
    }
    for (size_t i = begin; i < end; i++) {
        unsigned char in = scale[i] > 0.0f && x[i] > low_of(low, i);
        changed |= is_free[i] ^ in;
        is_free[i] = in;
        count += in;
    }
    tally->sum[0] = chopped;
    tally->sum[1] = reduced;
    tally->sum[2] = complementarity;
    tally->sum[3] = (double)count;
    tally->most[0] = violation;
    tally->most[1] = least;
    tally->most[2] = changed;
}

static void measure(const Mprgp *m, const double *x, const double *g, size_t begin, size_t end,
                    MprgpTally *tally) {
    if (m->low)
        split(m, x, g, m->low, begin, end, tally);
    else
        split(m, x, g, NULL, begin, end, tally);
}

static MprgpGradient gradient_of(const MprgpTally *total) {
    return (MprgpGradient){.chopped = total->sum[0],
                           .reduced = total->sum[1],
                           .complementarity = fabs(total->sum[2]),
                           .free_count = (size_t)total->sum[3],
                           .violation = total->most[0],
                           .least_slack = -total->most[1],
                           .set_changed = total->most[2] > 0.0};
}

static void take_gradient(const Pass *pass, size_t begin, size_t end, MprgpTally *tally) {
    const Mprgp *m = pass->m;
    for (size_t i = begin; i < end; i++) m->g[i] = m->z[i] + m->b[i];
    measure(m, m->x, m->g, begin, end, tally);
}

PlimStatus mprgp_take_gradient(Mprgp *m) {
    Pass pass = {.m = m, .body = take_gradient};
    MprgpTally total;
    TRY(run_pass(&pass, &total));
    m->gradient = gradient_of(&total);
    return PLIM_OK;
}

static void measure_again(const Pass *pass, size_t begin, size_t end, MprgpTally *tally) {
    measure(pass->m, pass->m->x, pass->m->g, begin, end, tally);
}

PlimStatus mprgp_measure(Mprgp *m) {
    Pass pass = {.m = m, .body = measure_again};
    MprgpTally total;
    TRY(run_pass(&pass, &total));
    m->gradient = gradient_of(&total);
    return PLIM_OK;
}

/* Of what an entry lies above its bound a step leaves nothing or at least this part: the entry that
 * stops a step comes to lie on its bound in spite of rounding. */
static const double LEAST_REST = 1e-14;

static inline double stepped(double x, double low, double step) {
    double next = x - step;
    return next - low > LEAST_REST * (x - low) ? next : low;
}

static void move(const Pass *pass, size_t begin, size_t end, MprgpTally *tally) {
    const Mprgp *m = pass->m;
    double alpha = pass->factor, *x = m->x, *g = m->g;
    const double *p = m->p, *q = m->q;
    for (size_t i = begin; i < end; i++) {
        if (p[i] != 0.0) x[i] = stepped(x[i], low_of(m->low, i), alpha * p[i]);
        g[i] -= alpha * q[i];
    }
    measure(m, x, g, begin, end, tally);
}

PlimStatus mprgp_move(Mprgp *m, double alpha) {
    Pass pass = {.m = m, .factor = alpha, .body = move};
    MprgpTally total;
    TRY(run_pass(&pass, &total));
    m->gradient = gradient_of(&total);
    return PLIM_OK;
}

static void dot_preconditioned(const Pass *pass, size_t begin, size_t end, MprgpTally *tally) {
    const Mprgp *m = pass->m;
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = begin; i < end; i++) sum += m->is_free[i] ? m->g[i] * m->z[i] : 0.0;
    tally->sum[0] = sum;
}

PlimStatus mprgp_dot_preconditioned(Mprgp *m, double *gz) {
    Pass pass = {.m = m, .body = dot_preconditioned};
    MprgpTally total;
    TRY(run_pass(&pass, &total));
    *gz = total.sum[0];
    return PLIM_OK;
}

static void direct(const Pass *pass, size_t begin, size_t end, MprgpTally *tally) {
    const Mprgp *m = pass->m;
    double beta = pass->factor, *p = m->p, fastest = 0.0;
    for (size_t i = begin; i < end; i++) {
        p[i] = m->is_free[i] ? m->z[i] + beta * p[i] : 0.0;
        if (!(p[i] > 0.0)) continue;
        double rate = p[i] / (m->x[i] - low_of(m->low, i));
        fastest = rate > fastest ? rate : fastest;
    }
    tally->most[0] = fastest;
}

PlimStatus mprgp_direct(Mprgp *m, double beta, double *feasible) {
    Pass pass = {.m = m, .factor = beta, .body = direct};
    MprgpTally total;
    TRY(run_pass(&pass, &total));
    *feasible = total.most[0] > 0.0 ? 1.0 / total.most[0] : INFINITY;
    return PLIM_OK;
}

static void direct_chopped(const Pass *pass, size_t begin, size_t end, MprgpTally *tally) {
    const Mprgp *m = pass->m;
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = begin; i < end; i++) {
        double beta = m->is_free[i] || m->g[i] > 0.0 ? 0.0 : m->g[i];
        m->p[i] = (double)m->scale[i] * beta;
        sum += m->p[i] * beta;
    }
    tally->sum[0] = sum;
}

PlimStatus mprgp_direct_chopped(Mprgp *m, double *gp) {
    Pass pass = {.m = m, .body = direct_chopped};
    MprgpTally total;
    TRY(run_pass(&pass, &total));
    *gp = total.sum[0];
    return PLIM_OK;
}

static void curvature(const Pass *pass, size_t begin, size_t end, MprgpTally *tally) {
    const Mprgp *m = pass->m;
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = begin; i < end; i++) sum += m->p[i] * m->q[i];
    tally->sum[0] = sum;
}

PlimStatus mprgp_curvature(Mprgp *m, double *pq) {
    Pass pass = {.m = m, .body = curvature};
    MprgpTally total;
    TRY(run_pass(&pass, &total));
    *pq = total.sum[0];
    return PLIM_OK;
}

static void project(const Pass *pass, size_t begin, size_t end, MprgpTally *tally) {
    const Mprgp *m = pass->m;
    (void)tally;
    for (size_t i = begin; i < end; i++)
        m->y[i] =
            m->p[i] != 0.0 ? stepped(m->x[i], low_of(m->low, i), pass->factor * m->p[i]) : m->x[i];
}

PlimStatus mprgp_project(Mprgp *m, double alpha) {
    Pass pass = {.m = m, .factor = alpha, .body = project};
    MprgpTally total;
    return run_pass(&pass, &total);
}

static void project_gradient(const Pass *pass, size_t begin, size_t end, MprgpTally *tally) {
    const Mprgp *m = pass->m;
    (void)tally;
    bool all = pass->all;
    for (size_t i = begin; i < end; i++) {
        double step = m->length * (double)m->scale[i] * m->g[i];
        bool moves = m->scale[i] > 0.0f && (all || m->is_free[i]);
        m->y[i] = moves ? stepped(m->x[i], low_of(m->low, i), step) : m->x[i];
    }
}

PlimStatus mprgp_project_gradient(Mprgp *m, bool all) {
    Pass pass = {.m = m, .all = all, .body = project_gradient};
    MprgpTally total;
    return run_pass(&pass, &total);
}

static void scale_gradient(const Pass *pass, size_t begin, size_t end, MprgpTally *tally) {
    const Mprgp *m = pass->m;
    (void)tally;
    for (size_t i = begin; i < end; i++) m->z[i] = (double)m->scale[i] * m->g[i];
}

PlimStatus mprgp_scale_gradient(Mprgp *m) {
    Pass pass = {.m = m, .body = scale_gradient};
    MprgpTally total;
    return run_pass(&pass, &total);
}

/* The change is half of the step times the sum of both gradients: no difference of large energies
 * is taken. */
static void try_step(const Pass *pass, size_t begin, size_t end, MprgpTally *tally) {
    const Mprgp *m = pass->m;
    double sum = 0.0, *z = m->z;
    const double *x = m->x, *y = m->y, *g = m->g, *b = m->b;
#pragma omp simd reduction(+ : sum)
    for (size_t i = begin; i < end; i++) {
        z[i] += b[i];
        sum += (y[i] - x[i]) * (g[i] + z[i]);
    }
    measure(m, y, z, begin, end, tally);
    tally->energy = 0.5 * sum;
}

PlimStatus mprgp_try(Mprgp *m, double *change) {
    Pass pass = {.m = m, .body = try_step};
    MprgpTally total;
    TRY(run_pass(&pass, &total));
    m->tried = gradient_of(&total);
    *change = total.energy;
    return PLIM_OK;
}

/* Entries that are unknowns; of a vector that is zero, signs at random. */
static void load_eigenvector(const Pass *pass, size_t begin, size_t end, MprgpTally *tally) {
    const Mprgp *m = pass->m;
    for (size_t i = begin; i < end; i++) {
        double v = pass->factor > 0.0 ? random_uniform(1, 0, i) - 0.5 : pass->vector[i];
        m->p[i] = m->scale[i] > 0.0f && isfinite(v) ? v : 0.0;
        tally->most[0] = fmax(tally->most[0], fabs(m->p[i]));
    }
}

/* p^T A p and p^T D p. */
static void rayleigh(const Pass *pass, size_t begin, size_t end, MprgpTally *tally) {
    const Mprgp *m = pass->m;
    double above = 0.0, below = 0.0;
    for (size_t i = begin; i < end; i++)
        if (m->scale[i] > 0.0f) {
            above += m->p[i] * m->q[i];
            below += m->p[i] * m->p[i] / (double)m->scale[i];
        }
    tally->sum[0] = above;
    tally->sum[1] = below;
}

/* The eigenvector = p, and p = D^-1 A p over its size. */
static void next_eigenvector(const Pass *pass, size_t begin, size_t end, MprgpTally *tally) {
    const Mprgp *m = pass->m;
    (void)tally;
    for (size_t i = begin; i < end; i++) {
        pass->vector[i] = m->scale[i] > 0.0f ? m->p[i] : 0.0;
        m->p[i] = pass->factor * ((double)m->scale[i] * m->q[i]);
    }
}

PlimStatus mprgp_find_norm(Mprgp *m, double *eigenvector) {
    enum { MOST = 30 };
    const double enough = 0.01; /* part by which the estimate still grows */
    MprgpTally total;
    Pass load = {.m = m, .vector = eigenvector, .body = load_eigenvector};
    TRY(run_pass(&load, &total));
    if (total.most[0] == 0.0) {
        load.factor = 1.0;
        TRY(run_pass(&load, &total));
    }
    m->norm = 0.0;
    for (int i = 0; i < MOST; i++) {
        TRY(m->system->apply(m->system->object, m->p, m->q));
        m->applications++;
        Pass quotient = {.m = m, .body = rayleigh};
        TRY(run_pass(&quotient, &total));
        double before = m->norm;
        m->norm = fmax(before, total.sum[1] > 0.0 ? total.sum[0] / total.sum[1] : 0.0);
        Pass next = {.m = m,
                     .factor = m->norm > 0.0 ? 1.0 / m->norm : 0.0,
                     .vector = eigenvector,
                     .body = next_eigenvector};
        TRY(run_pass(&next, &total));
        if (m->norm <= (1.0 + enough) * before || m->norm == 0.0) break;
    }
    return PLIM_OK;
}
