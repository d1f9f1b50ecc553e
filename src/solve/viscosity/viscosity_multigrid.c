/* Multigrid of the viscosity equation, one for each component: coefficients, and vectors to and
 * fro. */
#include "solve/viscosity/viscosity_multigrid.h"

#include "solve/multigrid/multigrid.h"
#include "solve/viscosity/viscosity_internal.h"

#include <math.h>
#include <string.h>

#if defined(__clang__)
/* Without optimisation clang says that loops marked simd stay scalar; that is as it should be. */
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

/* Weights of the links, of a component along its own axis and across it: there the matrix has 2 mu
 * and mu. */
static const double OWN_WEIGHT = 0.75, CROSS_WEIGHT = 1.5;

/* Least mass of the levels, of the stiffness: where walls do not hold the fluid, the mass alone
 * holds its mean, and single precision cannot bear a mean that is larger than all else by more.
 * What the mean then lacks is added in double precision. */
static const double LEAST_MASS = 1e-5;

/* Levels are left out once the mass has this part of what links give to the diagonal: from there on
 * sweeps converge on their own. */
static const double ENOUGH_MASS = 1.0;

/* Of a row of one component. */
typedef struct RowFigures {
    double largest, sum; /* of r */
    double part, walls;  /* parts of cells and links to walls, summed */
} RowFigures;

struct ViscosityMultigrid {
    PlimContext *context;
    int dim;
    Multigrid components[3];
    unsigned char *unknown; /* over the padded cells of one finest level, during set-up */
    size_t unknown_count;
    RowFigures *rows; /* of one component */
    size_t row_count;
    double scale;   /* matrix times this is what the levels hold */
    double gain[3]; /* of each component's mean, see LEAST_MASS */
    Scratch scratch;
};

/* ---- memory ---- */

static PlimStatus allocate(ViscosityMultigrid *m, const Grid *grid) {
    bool periodic[3];
    for (int b = 0; b < 3; b++) periodic[b] = b < grid->dim && grid->sides[b][0] == SIDE_PERIODIC;
    for (int a = 0; a < grid->dim; a++) {
        int n[3] = {grid->n[0], grid->n[1], grid->n[2]};
        if (!periodic[a]) n[a]++;
        TRY(mg_create_shifted(m->context, n, periodic, grid->dim, &m->components[a]));
        size_t cells = m->components[a].levels[0].size, rows = (size_t)n[1] * (size_t)n[2];
        if (cells > m->unknown_count) m->unknown_count = cells;
        if (rows > m->row_count) m->row_count = rows;
    }
    m->unknown = context_allocate(m->context, m->unknown_count, 1);
    m->rows = context_allocate(m->context, m->row_count, sizeof *m->rows);
    return m->unknown && m->rows ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

PlimStatus viscosity_multigrid_create(const Viscosity *v, ViscosityMultigrid **out) {
    *out = NULL;
    ViscosityMultigrid *m = context_allocate(v->context, 1, sizeof *m);
    if (!m) return PLIM_OUT_OF_MEMORY;
    m->context = v->context;
    m->dim = v->grid.dim;
    for (int a = 0; a < 3; a++) m->components[a].context = v->context;
    scratch_init(&m->scratch, v->context);
    PlimStatus status = allocate(m, &v->grid);
    if (status == PLIM_OK)
        *out = m;
    else
        viscosity_multigrid_destroy(m);
    return status;
}

void viscosity_multigrid_destroy(ViscosityMultigrid *m) {
    if (!m) return;
    for (int a = 0; a < 3; a++) mg_free(&m->components[a]);
    if (m->unknown) context_free(m->context, m->unknown, m->unknown_count, 1);
    if (m->rows) context_free(m->context, m->rows, m->row_count, sizeof *m->rows);
    scratch_free(&m->scratch);
    context_free(m->context, m, 1, sizeof *m);
}

size_t viscosity_multigrid_bytes(const ViscosityMultigrid *m) {
    size_t bytes = sizeof *m + m->unknown_count + m->row_count * sizeof *m->rows;
    for (int a = 0; a < m->dim; a++) bytes += mg_bytes(&m->components[a]);
    return bytes + m->scratch.capacity;
}

/* ---- set-up ---- */

typedef struct FillJob {
    const Viscosity *v;
    MgLevel *level;
    unsigned char *unknown;
    int component;
    double mass, stiffness; /* scaled */
} FillJob;

/* Conductances of the low faces along axis b of a row; for x also the last high face. Links to
 * walls and given velocities lead to cells that are not active. */
static void fill_links(const FillJob *job, int b, int j, int k) {
    const Viscosity *v = job->v;
    int a = job->component, count = job->level->n[0] + (b == 0);
    size_t from = lattice_index(v, 0, j, k) - (a == b ? v->stride[a] : 0);
    const float *link = v->link[a][b] + from;
    float *g = job->level->g[b] + mg_index(job->level, 0, j, k);
    double weight = job->stiffness * (a == b ? OWN_WEIGHT : CROSS_WEIGHT);
    if (job->level->periodic[b] && job->level->n[b] == 1) weight = 0.0; /* it leads to itself */
    for (int i = 0; i < count; i++) g[i] = (float)(weight * (double)link[i]);
}

static void fill_masses(const FillJob *job, int j, int k) {
    const Viscosity *v = job->v;
    const float *part = v->part[job->component] + lattice_index(v, 0, j, k);
    size_t to = mg_index(job->level, 0, j, k);
    for (int i = 0; i < job->level->n[0]; i++) {
        job->level->fixed[to + (size_t)i] = (float)(job->mass * (double)part[i]);
        job->unknown[to + (size_t)i] = part[i] > 0.0f;
    }
}

/* Rows of cells and, behind them, of last high faces. */
static void fill_rows(void *user, size_t begin, size_t end) {
    const FillJob *job = user;
    const int *n = job->level->n;
    size_t ny = (size_t)n[1] + 1;
    for (size_t row = begin; row < end; row++) {
        int j = (int)(row % ny), k = (int)(row / ny);
        bool in_y = j < n[1], in_z = k < n[2];
        if (in_y && in_z) fill_masses(job, j, k);
        if (in_y && in_z) fill_links(job, 0, j, k);
        if (in_z) fill_links(job, 1, j, k);
        if (in_y && job->v->grid.dim == 3) fill_links(job, 2, j, k);
    }
}

typedef struct HoldJob {
    const Viscosity *v;
    const MgLevel *level;
    int component;
    RowFigures *rows;
} HoldJob;

/* The links of a face that lead to no free one. */
static double wall_links(const Viscosity *v, int a, size_t c) {
    double sum = 0.0;
    for (int b = 0; b < v->grid.dim; b++) {
        size_t stride = v->stride[b], low = a == b ? c - stride : c;
        if (!face_is_free(v->face[a][c - stride])) sum += (double)v->link[a][b][low];
        if (!face_is_free(v->face[a][c + stride])) sum += (double)v->link[a][b][low + stride];
    }
    return sum;
}

static void hold_rows(void *user, size_t begin, size_t end) {
    const HoldJob *job = user;
    const Viscosity *v = job->v;
    int a = job->component;
    for (size_t row = begin; row < end; row++) {
        int j = (int)(row % (size_t)job->level->n[1]), k = (int)(row / (size_t)job->level->n[1]);
        size_t c = lattice_index(v, 0, j, k), last = c + (size_t)job->level->n[0];
        RowFigures figures = {.part = 0.0};
        for (; c < last; c++) {
            if (!(v->part[a][c] > 0.0f)) continue;
            figures.part += (double)v->part[a][c];
            figures.walls += wall_links(v, a, c);
        }
        job->rows[row] = figures;
    }
}

/* With e the velocity one everywhere, the inverse of e^T A e less that of the levels' matrix: at
 * least zero, and zero unless LEAST_MASS is above the mass. */
static double mean_gain(ViscosityMultigrid *m, const Viscosity *v, int a, int threads) {
    HoldJob job = {v, &m->components[a].levels[0], a, m->rows};
    double least = LEAST_MASS * v->stiffness, part = 0.0, walls = 0.0;
    if (v->mass >= least) return 0.0;
    size_t rows = (size_t)job.level->n[1] * (size_t)job.level->n[2];
    parallel_for(threads, rows, row_grain(v), hold_rows, &job);
    for (size_t row = 0; row < rows; row++) {
        part += m->rows[row].part;
        walls += m->rows[row].walls;
    }
    double energy = v->mass * part + v->stiffness * walls;
    return energy > 0.0 ? 1.0 / energy - 1.0 / (energy + (least - v->mass) * part) : 0.0;
}

static double power_of_two_near(double x) {
    int exponent;
    frexp(x, &exponent);
    return ldexp(1.0, exponent < -1000 ? -1000 : exponent);
}

/* From level to level the mass over the links grows by four. */
static int levels_needed(const Multigrid *mg, int dim, double mass, double stiffness) {
    double links = 2.0 * dim * CROSS_WEIGHT * stiffness;
    int depth = 1;
    for (; depth < mg->level_count && mass < ENOUGH_MASS * links; depth++) mass *= 4.0;
    return depth;
}

PlimStatus viscosity_multigrid_setup(ViscosityMultigrid *m, const Viscosity *v, int threads) {
    PlimStatus status = PLIM_OK;
    m->scale = 1.0 / power_of_two_near(v->mass + v->stiffness);
    FillJob job = {.v = v, .unknown = m->unknown};
    job.stiffness = v->stiffness * m->scale;
    job.mass = fmax(v->mass * m->scale, LEAST_MASS * job.stiffness);
    memset(m->unknown, 0, m->unknown_count);
    for (int a = 0; a < m->dim && status == PLIM_OK; a++) {
        Multigrid *mg = &m->components[a];
        job.component = a;
        job.level = &mg->levels[0];
        mg->depth = levels_needed(mg, m->dim, job.mass, job.stiffness);
        if (a > 0) memset(m->unknown, 0, m->unknown_count);
        size_t rows = ((size_t)job.level->n[1] + 1) * ((size_t)job.level->n[2] + 1);
        parallel_for(threads, rows, row_grain(v), fill_rows, &job);
        status = mg_setup(mg, &m->scratch, threads, m->unknown);
        m->gain[a] = mean_gain(m, v, a, threads);
    }
    PlimStatus reset = scratch_reset(&m->scratch);
    return status != PLIM_OK ? status : reset;
}

/* ---- the cycle ---- */

typedef struct VectorJob {
    const Viscosity *v;
    const MgLevel *level;
    const double *r; /* of the component */
    double *z;
    RowFigures *rows;
    double scale, mean;
} VectorJob;

static void measure_rows(void *user, size_t begin, size_t end) {
    const VectorJob *job = user;
    const MgLevel *level = job->level;
    for (size_t row = begin; row < end; row++) {
        int j = (int)(row % (size_t)level->n[1]), k = (int)(row / (size_t)level->n[1]);
        const double *r = job->r + lattice_index(job->v, 0, j, k);
        const float *inverse = level->inverse + mg_index(level, 0, j, k);
        double largest = 0.0, sum = 0.0;
#pragma omp simd reduction(max : largest) reduction(+ : sum)
        for (int i = 0; i < level->n[0]; i++) {
            double value = inverse[i] > 0.0f ? r[i] : 0.0, size = fabs(value);
            largest = size > largest ? size : largest;
            sum += value;
        }
        job->rows[row] = (RowFigures){.largest = largest, .sum = sum};
    }
}

static void lower_rows(void *user, size_t begin, size_t end) {
    const VectorJob *job = user;
    const MgLevel *level = job->level;
    for (size_t row = begin; row < end; row++) {
        int j = (int)(row % (size_t)level->n[1]), k = (int)(row / (size_t)level->n[1]);
        size_t c = mg_index(level, 0, j, k);
        const double *r = job->r + lattice_index(job->v, 0, j, k);
        for (int i = 0; i < level->n[0]; i++)
            level->b[c + (size_t)i] =
                level->inverse[c + (size_t)i] > 0.0f ? (float)(r[i] * job->scale) : 0.0f;
    }
}

/* All rows of the lattice; what is beside the component's faces becomes zero. */
static void raise_rows(void *user, size_t begin, size_t end) {
    const VectorJob *job = user;
    const MgLevel *level = job->level;
    for (size_t row = begin; row < end; row++) {
        int j, k;
        lattice_row_place(job->v, row, &j, &k);
        double *z = job->z + lattice_index(job->v, 0, j, k);
        int count = j >= 0 && j < level->n[1] && k >= 0 && k < level->n[2] ? level->n[0] : 0;
        size_t from = count ? mg_index(level, 0, j, k) : 0;
        const float *x = level->x + from, *inverse = level->inverse + from;
        z[-1] = 0.0;
        for (int i = 0; i < count; i++)
            z[i] = (double)x[i] * job->scale + (inverse[i] > 0.0f ? job->mean : 0.0);
        for (int i = count; i < job->v->size[0] - 1; i++) z[i] = 0.0;
    }
}

/* Single precision gets r over a power of two near its largest entry, so that nothing is too small
 * or too large for it; the result of a cycle is the same times that power, which is returned. */
static double lower(VectorJob *job, int threads, double *sum) {
    size_t rows = (size_t)job->level->n[1] * (size_t)job->level->n[2];
    parallel_for(threads, rows, row_grain(job->v), measure_rows, job);
    double largest = 0.0;
    *sum = 0.0;
    for (size_t row = 0; row < rows; row++) {
        largest = fmax(largest, job->rows[row].largest);
        *sum += job->rows[row].sum;
    }
    double power = largest > 0.0 && isfinite(largest) ? power_of_two_near(largest) : 1.0;
    job->scale = 1.0 / power;
    parallel_for(threads, rows, row_grain(job->v), lower_rows, job);
    return power;
}

void viscosity_multigrid_cycle(ViscosityMultigrid *m, const Viscosity *v, int threads,
                               const double *r, double *z) {
    size_t lattice_rows = (size_t)v->size[1] * (size_t)v->size[2];
    for (int a = 0; a < m->dim; a++) {
        size_t start = (size_t)a * v->count;
        VectorJob job = {v, &m->components[a].levels[0], r + start, z + start, m->rows, 1.0, 0.0};
        double sum, power = lower(&job, threads, &sum);
        mg_cycle(&m->components[a], threads);
        job.scale = power * m->scale;
        job.mean = m->gain[a] * sum;
        parallel_for(threads, lattice_rows, row_grain(v), raise_rows, &job);
    }
    viscosity_fill_copies(v, z);
}

int viscosity_multigrid_applications(const ViscosityMultigrid *m) {
    return mg_applications(&m->components[0]);
}
