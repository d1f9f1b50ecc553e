/* Chebyshev smoother of the fourth kind over block Jacobi (Lottes 2023), and its largest eigenvalue
 * by Lanczos. */
#include "base/parallel.h"
#include "base/random.h"
#include "solve/block/aggregation_internal.h"

#include <math.h>
#include <string.h>

enum { LANCZOS_STEPS = 6 };

/* Lanczos comes from below, by 4 to 7 percent. The polynomial stays below 1, and the cycle
 * positive, up to another sixth beyond its interval at degree 2, a tenth at 3. */
static const double EIGENVALUE_MARGIN = 1.1;

/* Weights of the steps that make the bound of a V cycle least (Lottes 2023). */
static const double STEP_WEIGHT[3][3] = {{1.125},
                                         {1.02387287570313, 1.26408905371085},
                                         {1.00842544782028, 1.08867839208730, 1.33753125909618}};

/* Inverse of a symmetric positive block by Gauss and Jordan; a pivot that is as good as zero, of a
 * node that nothing holds, counts as the block's largest. */
static void invert_block(const double *a, size_t size, double *inverse) {
    double work[BLOCK_SIZE_MAX * BLOCK_SIZE_MAX], scale = 0.0;
    memcpy(work, a, size * size * sizeof *work);
    for (size_t i = 0; i < size; i++) scale = fmax(scale, a[i * size + i]);
    if (!(scale > 0.0)) scale = 1.0;
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < size; j++) inverse[i * size + j] = i == j ? 1.0 : 0.0;
    for (size_t k = 0; k < size; k++) {
        double pivot = work[k * size + k];
        if (!(pivot > 1e-13 * scale)) pivot = work[k * size + k] = scale;
        for (size_t i = 0; i < size; i++) {
            if (i == k) continue;
            double factor = work[i * size + k] / pivot;
            for (size_t j = 0; j < size; j++) {
                work[i * size + j] -= factor * work[k * size + j];
                inverse[i * size + j] -= factor * inverse[k * size + j];
            }
        }
        for (size_t j = 0; j < size; j++) {
            work[k * size + j] /= pivot;
            inverse[k * size + j] /= pivot;
        }
    }
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < i; j++)
            inverse[i * size + j] = inverse[j * size + i] =
                0.5 * (inverse[i * size + j] + inverse[j * size + i]);
}

static void invert_range(void *user, size_t begin, size_t end) {
    const Level *level = user;
    size_t size = (size_t)level->size, block = size * size;
    for (size_t row = begin; row < end; row++) {
        size_t e = level->a.start[row];
        while ((size_t)level->a.column[e] != row) e++;
        invert_block(level->value + e * block, size, level->inverse + row * block);
    }
}

void level_invert_diagonal(const Aggregation *aggregation, Level *level) {
    parallel_for(aggregation->desc.threads, level->a.rows, LEVEL_GRAIN, invert_range, level);
}

/* Rows of blocks are read in whole vector registers, up to two numbers past their end; nobody looks
 * at what comes of those. */
typedef double Double4 __attribute__((vector_size(32)));
typedef double Double8 __attribute__((vector_size(64)));

/* One pass over the matrix: r = base - A v, then out = alpha d + gamma D^-1 r. */
typedef struct Pass {
    const Level *level;
    const double *v, *base, *d;
    double *r, *out, *x;       /* out, x may be NULL */
    double alpha, gamma, beta; /* x += beta d */
} Pass;

static inline void row_product_2(const Level *level, const double *v, size_t row, double *sum) {
    double y0 = 0.0, y1 = 0.0;
    for (size_t e = level->a.start[row]; e < level->a.start[row + 1]; e++) {
        const double *a = level->value + 4 * e, *x = v + 2 * (size_t)level->a.column[e];
        y0 += a[0] * x[0] + a[1] * x[1];
        y1 += a[2] * x[0] + a[3] * x[1];
    }
    sum[0] = y0;
    sum[1] = y1;
}

static inline void row_product_3(const Level *level, const double *v, size_t row, double *sum) {
    Double4 lanes[3] = {{0.0}};
    for (size_t e = level->a.start[row]; e < level->a.start[row + 1]; e++) {
        Double4 a, x;
        memcpy(&x, v + 3 * (size_t)level->a.column[e], sizeof x);
        for (size_t i = 0; i < 3; i++) {
            memcpy(&a, level->value + 9 * e + 3 * i, sizeof a);
            lanes[i] += a * x;
        }
    }
    for (size_t i = 0; i < 3; i++) sum[i] = lanes[i][0] + lanes[i][1] + lanes[i][2];
}

static inline void row_product_6(const Level *level, const double *v, size_t row, double *sum) {
    Double8 lanes[6] = {{0.0}};
    for (size_t e = level->a.start[row]; e < level->a.start[row + 1]; e++) {
        Double8 a, x;
        memcpy(&x, v + 6 * (size_t)level->a.column[e], sizeof x);
        for (size_t i = 0; i < 6; i++) {
            memcpy(&a, level->value + 36 * e + 6 * i, sizeof a);
            lanes[i] += a * x;
        }
    }
    for (size_t i = 0; i < 6; i++)
        sum[i] =
            (lanes[i][0] + lanes[i][1] + lanes[i][2]) + (lanes[i][3] + lanes[i][4] + lanes[i][5]);
}

ALWAYS_INLINE void pass_rows(const Pass *job, size_t begin, size_t end, size_t size) {
    const Level *level = job->level;
    for (size_t row = begin; row < end; row++) {
        double sum[BLOCK_SIZE_MAX];
        if (size == 6)
            row_product_6(level, job->v, row, sum);
        else if (size == 3)
            row_product_3(level, job->v, row, sum);
        else
            row_product_2(level, job->v, row, sum);
        double *r = job->r + row * size;
        for (size_t i = 0; i < size; i++) r[i] = job->base[row * size + i] - sum[i];
        if (!job->out) continue;
        const double *inverse = level->inverse + row * size * size;
        for (size_t i = 0; i < size; i++) {
            double z = 0.0;
            for (size_t j = 0; j < size; j++) z += inverse[i * size + j] * r[j];
            job->out[row * size + i] =
                job->gamma * z + (job->alpha != 0.0 ? job->alpha * job->d[row * size + i] : 0.0);
        }
        if (job->x)
            for (size_t i = 0; i < size; i++)
                job->x[row * size + i] += job->beta * job->d[row * size + i];
    }
}

static void pass_range(void *user, size_t begin, size_t end) {
    const Pass *job = user;
    WITH_SIZES(job->level->size, job->level->modes, (void)modes; pass_rows(job, begin, end, size));
}

static void run_pass(const Aggregation *aggregation, Pass pass) {
    parallel_for(aggregation->desc.threads, pass.level->a.rows, LEVEL_GRAIN, pass_range, &pass);
}

typedef struct JacobiJob {
    const Level *level;
    const double *b;
    double *out, scale;
} JacobiJob;

ALWAYS_INLINE void jacobi_rows(const JacobiJob *job, size_t begin, size_t end, size_t size) {
    for (size_t row = begin; row < end; row++) {
        const double *inverse = job->level->inverse + row * size * size;
        for (size_t i = 0; i < size; i++) {
            double sum = 0.0;
            for (size_t j = 0; j < size; j++) sum += inverse[i * size + j] * job->b[row * size + j];
            job->out[row * size + i] = job->scale * sum;
        }
    }
}

static void jacobi_range(void *user, size_t begin, size_t end) {
    const JacobiJob *job = user;
    WITH_SIZES(job->level->size, job->level->modes, (void)modes;
               jacobi_rows(job, begin, end, size));
}

void level_jacobi(const Aggregation *aggregation, const Level *level, const double *b, double *x) {
    JacobiJob job = {level, b, x, 1.0};
    parallel_for(aggregation->desc.threads, level->a.rows, LEVEL_GRAIN, jacobi_range, &job);
}

typedef struct AddJob {
    const double *d;
    double *x, beta;
} AddJob;

static void add_range(void *user, size_t begin, size_t end) {
    const AddJob *job = user;
    for (size_t i = begin; i < end; i++) job->x[i] += job->beta * job->d[i];
}

/* From the first direction d on: the other steps of the polynomial. */
static void chebyshev_steps(const Aggregation *aggregation, Level *level) {
    int degree = aggregation->desc.degree;
    const double *weight = STEP_WEIGHT[degree - 1];
    for (int k = 1; k < degree; k++) {
        Pass pass = {.level = level, .v = level->d, .base = level->r, .d = level->d};
        pass.r = level->r;
        pass.out = level->e;
        pass.x = level->x;
        pass.alpha = (2.0 * k - 1.0) / (2.0 * k + 3.0);
        pass.gamma = (8.0 * k + 4.0) / (2.0 * k + 3.0) / level->largest;
        pass.beta = weight[k - 1];
        run_pass(aggregation, pass);
        double *last = level->d;
        level->d = level->e;
        level->e = last;
    }
    AddJob job = {level->d, level->x, weight[degree - 1]};
    parallel_for(aggregation->desc.threads, level->a.rows * (size_t)level->size, 8192, add_range,
                 &job);
}

void level_residual(const Aggregation *aggregation, Level *level) {
    run_pass(aggregation, (Pass){.level = level, .v = level->x, .base = level->b, .r = level->r});
}

void level_smooth_first(const Aggregation *aggregation, Level *level) {
    size_t bytes = level->a.rows * (size_t)level->size * sizeof(double);
    memcpy(level->r, level->b, bytes);
    memset(level->x, 0, bytes);
    JacobiJob first = {level, level->b, level->d, 4.0 / 3.0 / level->largest};
    parallel_for(aggregation->desc.threads, level->a.rows, LEVEL_GRAIN, jacobi_range, &first);
    chebyshev_steps(aggregation, level);
}

void level_smooth_again(const Aggregation *aggregation, Level *level) {
    Pass pass = {.level = level, .v = level->x, .base = level->b, .r = level->r, .out = level->d};
    pass.gamma = 4.0 / 3.0 / level->largest;
    run_pass(aggregation, pass);
    chebyshev_steps(aggregation, level);
}

static void start_range(void *user, size_t begin, size_t end) {
    const Level *level = user;
    size_t size = (size_t)level->size;
    for (size_t i = begin * size; i < end * size; i++) {
        level->r[i] = random_uniform(1, 0, i) - 0.5;
        level->x[i] = level->b[i] = 0.0;
    }
}

typedef struct Combination {
    const double *from;
    double *to, scale, factor; /* to = scale to + factor from */
} Combination;

static void combine_range(void *user, size_t begin, size_t end) {
    const Combination *job = user;
    for (size_t i = begin; i < end; i++)
        job->to[i] = job->scale * job->to[i] + job->factor * job->from[i];
}

typedef struct DotJob {
    const double *x, *y;
} DotJob;

static void dot_terms(void *user, size_t begin, size_t end, double *partial) {
    const DotJob *job = user;
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = begin; i < end; i++) sum += job->x[i] * job->y[i];
    partial[0] += sum;
}

/* Largest eigenvalue of a symmetric tridiagonal matrix by bisection: beyond it all pivots of T - x
 * I are negative (Sturm). */
static double tridiagonal_largest(const double *diagonal, const double *beside, int count) {
    double low = diagonal[0], high = diagonal[0];
    for (int i = 0; i < count; i++) {
        double around = (i > 0 ? beside[i - 1] : 0.0) + (i + 1 < count ? beside[i] : 0.0);
        low = fmax(low, diagonal[i]);
        high = fmax(high, diagonal[i] + around);
    }
    while (high - low > 1e-3 * high) {
        double x = 0.5 * (low + high), pivot = diagonal[0] - x;
        for (int i = 1; i < count && pivot < 0.0; i++)
            pivot = diagonal[i] - x - beside[i - 1] * beside[i - 1] / pivot;
        if (pivot < 0.0)
            high = x;
        else
            low = x;
    }
    return high;
}

/* Steps of conjugate gradients with block Jacobi from a random residual: their coefficients are the
 * matrix of Lanczos. It finds a few bad elements among many, which power iteration misses. */
PlimStatus level_prepare_smoother(Aggregation *aggregation, Level *level) {
    int threads = aggregation->desc.threads, count = 0;
    size_t n = level->a.rows * (size_t)level->size;
    double diagonal[LANCZOS_STEPS], beside[LANCZOS_STEPS], rz = 0.0, pq, last = 0.0, alpha = 0.0;
    parallel_for(threads, level->a.rows, LEVEL_GRAIN, start_range, level);
    for (int step = 0; step < LANCZOS_STEPS; step++) {
        level_jacobi(aggregation, level, level->r, level->d);
        DotJob dot = {level->r, level->d};
        TRY(parallel_sum(threads, n, 1, dot_terms, &dot, &aggregation->scratch, &rz));
        double beta = step > 0 ? rz / last : 0.0;
        Combination direction = {level->d, level->x, beta, 1.0};
        parallel_for(threads, n, 8192, combine_range, &direction);
        /* e = -A x */
        run_pass(aggregation,
                 (Pass){.level = level, .v = level->x, .base = level->b, .r = level->e});
        dot = (DotJob){level->x, level->e};
        TRY(parallel_sum(threads, n, 1, dot_terms, &dot, &aggregation->scratch, &pq));
        if (!(rz > 0.0) || !(pq < 0.0) || !isfinite(rz / pq)) break;
        if (step > 0) beside[step - 1] = sqrt(beta) / alpha;
        diagonal[step] = -pq / rz + (step > 0 ? beta / alpha : 0.0);
        alpha = -rz / pq;
        last = rz;
        count++;
        Combination residual = {level->e, level->r, 1.0, alpha};
        parallel_for(threads, n, 8192, combine_range, &residual);
    }
    double largest = count > 0 ? tridiagonal_largest(diagonal, beside, count) : 1.0;
    level->largest = EIGENVALUE_MARGIN * fmax(largest, 1.0);
    return PLIM_OK;
}
