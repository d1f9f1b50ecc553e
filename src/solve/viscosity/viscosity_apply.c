/* Viscosity operator density V + dt K, matrix-free, row by row. */
#include "solve/viscosity/viscosity_internal.h"

#include <string.h>

#if defined(__clang__)
/* Without optimisation clang says that loops marked simd stay scalar; that is as it should be. */
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

/* ---- one row ----
 *
 * y never overlaps what is read; with so many arrays the compiler must be told. */

/* What the forces on one component across the edges of axes a and b are made of. */
typedef struct Shear {
    const double *before, *after;                   /* the component's neighbours along b */
    const double *w_low, *w_beside, *w_high, *w_up; /* component b at the ends of both edges */
    const float *low, *high, *cross_low, *cross_high;
} Shear;

static inline Shear shear_of(const Viscosity *v, int a, int b, size_t c, const double *const x[3]) {
    size_t sa = v->stride[a], sb = v->stride[b];
    const double *u = x[a] + c, *w = x[b] + c;
    const float *link = v->link[a][b] + c, *cross = v->cross[3 - a - b] + c;
    return (Shear){u - sb,      u + sb, w,         w - sa, w + sb,
                   w + sb - sa, link,   link + sb, cross,  cross + sb};
}

static inline double shear_at(const Shear *s, double u, int i) {
    double force = (double)s->low[i] * (u - s->before[i]) + (double)s->high[i] * (u - s->after[i]);
    return force + ((double)s->cross_low[i] * (s->w_low[i] - s->w_beside[i]) -
                    (double)s->cross_high[i] * (s->w_high[i] - s->w_up[i]));
}

static void row_3d(const Viscosity *v, int a, size_t c, int n, const double *const x[3],
                   double *y) {
    Shear p = shear_of(v, a, (a + 1) % 3, c, x), q = shear_of(v, a, (a + 2) % 3, c, x);
    const double *u = x[a] + c, *before = u - v->stride[a], *after = u + v->stride[a];
    const float *high = v->link[a][a] + c, *low = high - v->stride[a], *part = v->part[a] + c;
    double m = v->mass, g = v->stiffness;
    double *out = y + c;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        double force = (double)low[i] * (u[i] - before[i]) + (double)high[i] * (u[i] - after[i]);
        force += shear_at(&p, u[i], i) + shear_at(&q, u[i], i);
        double unknown = part[i] > 0.0f ? g : 0.0; /* a factor: branches are no vectors */
        out[i] = m * (double)part[i] * u[i] + unknown * force;
    }
}

static void row_2d(const Viscosity *v, int a, size_t c, int n, const double *const x[3],
                   double *y) {
    Shear p = shear_of(v, a, 1 - a, c, x);
    const double *u = x[a] + c, *before = u - v->stride[a], *after = u + v->stride[a];
    const float *high = v->link[a][a] + c, *low = high - v->stride[a], *part = v->part[a] + c;
    double m = v->mass, g = v->stiffness;
    double *out = y + c;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        double force = (double)low[i] * (u[i] - before[i]) + (double)high[i] * (u[i] - after[i]);
        force += shear_at(&p, u[i], i);
        double unknown = part[i] > 0.0f ? g : 0.0; /* a factor: branches are no vectors */
        out[i] = m * (double)part[i] * u[i] + unknown * force;
    }
}

/* ---- the whole ---- */

typedef struct ApplyJob {
    const Viscosity *v;
    const double *x[3];
    double *y[3];
    RowFn after;
    void *user;
} ApplyJob;

static void apply_row(const ApplyJob *job, size_t c) {
    const Viscosity *v = job->v;
    int n = v->grid.n[0] + 1;
    for (int a = 0; a < v->grid.dim; a++) {
        if (v->grid.dim == 3)
            row_3d(v, a, c, n, job->x, job->y[a]);
        else
            row_2d(v, a, c, n, job->x, job->y[a]);
        job->y[a][c - 1] = job->y[a][c + (size_t)n] = 0.0;
    }
}

/* All rows of the lattice: those of the halo become zero. */
static void apply_rows(void *user, size_t begin, size_t end) {
    const ApplyJob *job = user;
    const Viscosity *v = job->v;
    for (size_t row = begin; row < end; row++) {
        int j, k;
        lattice_row_place(v, row, &j, &k);
        bool halo = j < 0 || j > v->grid.n[1] || k < 0 || k > v->grid.n[2];
        size_t start = lattice_index(v, -1, j, k), length = (size_t)v->size[0];
        if (halo) {
            for (int a = 0; a < v->grid.dim; a++)
                memset(job->y[a] + start, 0, length * sizeof(double));
        } else {
            apply_row(job, start + 1);
        }
        for (int a = 0; a < v->grid.dim && job->after; a++)
            job->after(job->user, (size_t)a * v->count + start, length);
    }
}

void viscosity_apply_then(const Viscosity *v, const double *x, double *y, RowFn after, void *user) {
    ApplyJob job = {.v = v, .after = after, .user = user};
    for (int a = 0; a < v->grid.dim; a++) {
        job.x[a] = x + (size_t)a * v->count;
        job.y[a] = y + (size_t)a * v->count;
    }
    size_t rows = (size_t)v->size[1] * (size_t)v->size[2];
    parallel_for(v->threads, rows, row_grain(v), apply_rows, &job);
}

void viscosity_apply(const void *viscosity, const double *x, double *y) {
    viscosity_apply_then(viscosity, x, y, NULL, NULL);
}

void viscosity_fill_lattice(const Viscosity *v, double *x) {
    for (int axis = 0; axis < v->grid.dim; axis++) {
        if (v->grid.sides[axis][0] != SIDE_PERIODIC) continue;
        int b = axis == 0 ? 1 : 0, d = axis == 2 ? 1 : 2;
        size_t s = v->stride[axis], n = (size_t)v->grid.n[axis];
        for (int q = 0; q < v->size[d]; q++)
            for (int p = 0; p < v->size[b]; p++) {
                double *line = x + v->stride[b] * (size_t)p + v->stride[d] * (size_t)q;
                line[0] = line[n * s];
                line[(n + 1) * s] = line[s];
            }
    }
}

void viscosity_fill_copies(const Viscosity *v, double *x) {
    for (int a = 0; a < v->grid.dim; a++) viscosity_fill_lattice(v, x + (size_t)a * v->count);
}

void viscosity_set_step(Viscosity *v, double density, double dt) {
    const Grid *grid = &v->grid;
    double volume = grid_cell_volume(grid);
    v->mass = density * volume;
    v->stiffness = dt * v->mu * volume / (grid->spacing * grid->spacing);
}

/* ---- as a map over compact faces ---- */

static void map_apply(const void *object, const double *x, double *y) {
    const Viscosity *v = object;
    const Grid *grid = &v->grid;
    memset(v->x, 0, (size_t)grid->dim * v->count * sizeof *v->x);
    for (int pass = 0; pass < 2; pass++) {
        size_t face = 0;
        for (int a = 0; a < grid->dim; a++)
            for (int k = 0; k < grid->n[2] + (a == 2); k++)
                for (int j = 0; j < grid->n[1] + (a == 1); j++)
                    for (int i = 0; i < grid->n[0] + (a == 0); i++, face++) {
                        size_t c = lattice_index(v, i, j, k), to = (size_t)a * v->count + c;
                        bool unknown = face_is_unknown(v->face[a][c]);
                        if (pass == 0 && unknown) v->x[to] = x[face];
                        if (pass == 1) y[face] = unknown ? v->b[to] : x[face];
                    }
        if (pass == 1) break;
        viscosity_fill_copies(v, v->x);
        viscosity_apply(v, v->x, v->b);
    }
}

LinearMap viscosity_map(Viscosity *v, double density, double dt) {
    size_t faces = 0;
    for (int a = 0; a < v->grid.dim; a++) faces += grid_face_count(&v->grid, a);
    viscosity_set_step(v, density, dt);
    return (LinearMap){v, faces, faces, map_apply, map_apply};
}
