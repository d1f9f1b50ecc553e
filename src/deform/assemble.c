/* Assembly of the matrix of an implicit step, mass + h D + h^2 K (002 equations 5.5, 5.7), from
 * elements and springs. Elements of one colour share no node, so they are added at the same time.
 */
#include "deform/internal.h"

#include <string.h>

/* ---- who touches whom ---- */

static int corner_count(const Deform *d, size_t spring) {
    return d->spring_count[spring];
}

static PlimStatus find_touches(Deform *d) {
    size_t nodes = deform_count(d, DEFORM_NODES), elements = deform_count(d, DEFORM_ELEMENTS);
    size_t springs = deform_count(d, DEFORM_SPRINGS), corners = (size_t)d->options.dim + 1;
    size_t all = 4 * (elements + springs);
    if (!array_reserve(d->context, &d->touch_start, nodes + 1) ||
        !array_reserve(d->context, &d->touch, all + 1))
        return PLIM_OUT_OF_MEMORY;
    size_t *start = d->touch_start.data;
    memset(start, 0, (nodes + 1) * sizeof *start);
    for (size_t e = 0; e < elements; e++)
        for (size_t c = 0; c < corners; c++) start[d->corners[4 * e + c] + 1]++;
    for (size_t s = 0; s < springs; s++)
        for (int c = 0; c < corner_count(d, s); c++)
            start[d->spring_corners[4 * s + (size_t)c] + 1]++;
    for (size_t i = 0; i < nodes; i++) start[i + 1] += start[i];
    /* Filled from behind, then each node's start is back where it was. */
    for (size_t s = springs; s-- > 0;)
        for (int c = corner_count(d, s); c-- > 0;) {
            size_t at = 4 * s + (size_t)c;
            d->touch.data[--start[d->spring_corners[at] + 1]] = -1 - (int32_t)at;
        }
    for (size_t e = elements; e-- > 0;)
        for (size_t c = corners; c-- > 0;)
            d->touch.data[--start[d->corners[4 * e + c] + 1]] = (int32_t)(4 * e + c);
    for (size_t i = 0; i < nodes; i++) start[i] = start[i + 1];
    start[nodes] = corners * elements;
    for (size_t s = 0; s < springs; s++) start[nodes] += (size_t)corner_count(d, s);
    return PLIM_OK;
}

/* ---- colours ---- */

enum { COLOR_WORDS = 8 };
typedef struct ColorSet {
    uint64_t word[COLOR_WORDS];
} ColorSet;

/* The least colour that none of the nodes has; they have it from now on. -1: none is left. */
static int take_color(ColorSet *of_node, const int32_t *nodes, int count) {
    for (int w = 0; w < COLOR_WORDS; w++) {
        uint64_t used = 0;
        for (int c = 0; c < count; c++) used |= of_node[nodes[c]].word[w];
        if (used == UINT64_MAX) continue;
        int bit = __builtin_ctzll(~used);
        for (int c = 0; c < count; c++) of_node[nodes[c]].word[w] |= (uint64_t)1 << bit;
        return 64 * w + bit;
    }
    return -1;
}

static PlimStatus sort_by_color(Deform *d, const int32_t *color, size_t count, int colors,
                                DeformColors *out) {
    if (!array_reserve(d->context, &out->order, count + 1) ||
        !array_reserve(d->context, &out->start, (size_t)colors + 2))
        return PLIM_OUT_OF_MEMORY;
    size_t *start = out->start.data;
    memset(start, 0, ((size_t)colors + 2) * sizeof *start);
    for (size_t i = 0; i < count; i++) start[color[i] + 2]++;
    for (int c = 0; c < colors; c++) start[c + 2] += start[c + 1];
    for (size_t i = 0; i < count; i++) out->order.data[start[color[i] + 1]++] = (int32_t)i;
    out->order.count = count;
    out->start.count = (size_t)colors + 1;
    return PLIM_OK;
}

static PlimStatus find_colors(Deform *d, const int32_t *corners, const int32_t *counts,
                              size_t count, DeformColors *out) {
    size_t nodes = deform_count(d, DEFORM_NODES);
    ColorSet *sets = context_allocate(d->context, nodes + 1, sizeof *sets);
    int32_t *color = context_allocate(d->context, count + 1, sizeof *color);
    PlimStatus status = sets && color ? PLIM_OK : PLIM_OUT_OF_MEMORY;
    int colors = 0;
    for (size_t i = 0; i < count && status == PLIM_OK; i++) {
        int corner_total = counts ? counts[i] : d->options.dim + 1;
        color[i] = take_color(sets, corners + 4 * i, corner_total);
        if (color[i] < 0)
            status = context_fail(d->context, PLIM_BAD_INPUT,
                                  "a node has more than %d elements or springs", 64 * COLOR_WORDS);
        if (color[i] >= colors) colors = color[i] + 1;
    }
    if (status == PLIM_OK) status = sort_by_color(d, color, count, colors, out);
    if (color) context_free(d->context, color, count + 1, sizeof *color);
    if (sets) context_free(d->context, sets, nodes + 1, sizeof *sets);
    return status;
}

/* ---- the pattern ---- */

static PlimStatus create_matrix(Deform *d, size_t *start, int32_t *node) {
    size_t elements = deform_count(d, DEFORM_ELEMENTS), springs = deform_count(d, DEFORM_SPRINGS);
    size_t corners = (size_t)d->options.dim + 1;
    start[0] = 0;
    for (size_t e = 0; e < elements; e++) {
        memcpy(node + start[e], d->corners + 4 * e, corners * sizeof *node);
        start[e + 1] = start[e] + corners;
    }
    for (size_t s = 0; s < springs; s++) {
        size_t count = (size_t)corner_count(d, s), at = elements + s;
        memcpy(node + start[at], d->spring_corners + 4 * s, count * sizeof *node);
        start[at + 1] = start[at] + count;
    }
    return block_csr_create(d->context, d->options.dim, deform_count(d, DEFORM_NODES), start, node,
                            elements + springs, &d->matrix);
}

/* Where the blocks of an element are in the matrix, 16 each. */
static PlimStatus find_entries(Deform *d, const int32_t *corners, const int32_t *counts,
                               size_t count, int32_t *entries) {
    for (size_t i = 0; i < count; i++) {
        int of = counts ? counts[i] : d->options.dim + 1;
        for (int a = 0; a < of; a++)
            for (int b = 0; b < of; b++)
                entries[16 * i + 4 * (size_t)a + (size_t)b] =
                    (int32_t)block_csr_find(&d->matrix, (size_t)corners[4 * i + (size_t)a],
                                            (size_t)corners[4 * i + (size_t)b]);
    }
    return PLIM_OK;
}

PlimStatus deform_make_patterns(Deform *d) {
    size_t elements = deform_count(d, DEFORM_ELEMENTS), springs = deform_count(d, DEFORM_SPRINGS);
    size_t all = elements + springs;
    TRY(find_touches(d));
    TRY(find_colors(d, d->corners, NULL, elements, &d->element_colors));
    TRY(find_colors(d, d->spring_corners, d->spring_count, springs, &d->spring_colors));
    size_t *start = context_allocate(d->context, all + 1, sizeof *start);
    int32_t *node = context_allocate(d->context, 4 * all + 1, sizeof *node);
    PlimStatus status = start && node ? create_matrix(d, start, node) : PLIM_OUT_OF_MEMORY;
    if (start) context_free(d->context, start, all + 1, sizeof *start);
    if (node) context_free(d->context, node, 4 * all + 1, sizeof *node);
    TRY(status);
    if (!array_reserve(d->context, &d->element_entries, 16 * elements + 1) ||
        !array_reserve(d->context, &d->spring_entries, 16 * springs + 1))
        return PLIM_OUT_OF_MEMORY;
    TRY(find_entries(d, d->corners, NULL, elements, d->element_entries.data));
    TRY(find_entries(d, d->spring_corners, d->spring_count, springs, d->spring_entries.data));
    AggregationDesc desc = aggregation_desc_default(d->options.dim, d->context->threads);
    return aggregation_create(d->context, &desc, &d->matrix, &d->precondition);
}

/* ---- values ---- */

typedef struct AssemblyJob {
    Deform *d;
    const MatrixParts *parts;
    const int32_t *order; /* of the elements of one colour */
} AssemblyJob;

/* C = elastic dP/dF + damping C^T C, dim^2 x dim^2. */
static void element_tangent(const Deform *d, size_t e, const MatrixParts *parts, double *tangent) {
    const DeformBody *body = &d->bodies.data[d->element_body[e]];
    int n = d->options.dim * d->options.dim;
    Mat3 f = element_gradient(d, e, parts->x);
    memset(tangent, 0, (size_t)(n * n) * sizeof *tangent);
    if (parts->elastic > 0) {
        law_stiffness(&body->law, f, parts->project, tangent);
        for (int k = 0; k < n * n; k++) tangent[k] *= parts->elastic;
    }
    if (!(parts->damping > 0) || !(body->alpha > 0 || body->beta > 0)) return;
    double rows[6 * 9];
    int count = damping_rows(body->damping_form, d->options.dim, body->alpha, body->beta, f, rows);
    for (int r = 0; r < count; r++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                tangent[n * i + j] += parts->damping * rows[n * r + i] * rows[n * r + j];
}

/* K_ab = V sum_kl C_(ik)(jl) g_ak g_bl. */
static void add_element(const Deform *d, size_t e, const double *tangent) {
    int dim = d->options.dim, n = dim * dim;
    double g[4][3], half[9][3]; /* gradients; C contracted with g_b */
    for (int k = 0; k < dim; k++) {
        g[0][k] = 0;
        for (int a = 1; a <= dim; a++) {
            g[a][k] = d->gradient[9 * e + (size_t)(3 * (a - 1) + k)];
            g[0][k] -= g[a][k];
        }
    }
    for (int b = 0; b <= dim; b++) {
        for (int row = 0; row < n; row++)
            for (int j = 0; j < dim; j++) {
                double sum = 0;
                for (int l = 0; l < dim; l++) sum += tangent[n * row + dim * j + l] * g[b][l];
                half[row][j] = d->volume[e] * sum;
            }
        for (int a = 0; a <= dim; a++) {
            double *to = d->matrix.value +
                         (size_t)n * (size_t)d->element_entries.data[16 * e + (size_t)(4 * a + b)];
            for (int i = 0; i < dim; i++)
                for (int j = 0; j < dim; j++) {
                    double sum = 0;
                    for (int k = 0; k < dim; k++) sum += g[a][k] * half[dim * i + k][j];
                    to[dim * i + j] += sum;
                }
        }
    }
}

static void assemble_elements(void *user, size_t begin, size_t end) {
    const AssemblyJob *job = user;
    double tangent[81];
    for (size_t k = begin; k < end; k++) {
        size_t e = (size_t)job->order[k];
        if (!job->d->bodies.data[job->d->element_body[e]].has_law) continue;
        element_tangent(job->d, e, job->parts, tangent);
        add_element(job->d, e, tangent);
    }
}

static void add_spring_stiffness(const Deform *d, size_t s, const MatrixParts *parts) {
    int dim = d->options.dim, count = d->spring_count[s];
    double k[144] = {0};
    Vec3 gradient[4];
    size_t n = 3 * (size_t)count;
    if (parts->elastic > 0) deform_spring_stiffness(d, s, parts->x, parts->project, k);
    deform_spring_length(d, s, parts->x, gradient);
    double drag = parts->damping * d->spring_drag[s];
    for (int a = 0; a < count; a++)
        for (int b = 0; b < count; b++) {
            double *to =
                d->matrix.value +
                (size_t)(dim * dim) * (size_t)d->spring_entries.data[16 * s + (size_t)(4 * a + b)];
            for (int i = 0; i < dim; i++)
                for (int j = 0; j < dim; j++)
                    to[dim * i + j] +=
                        parts->elastic * k[n * (size_t)(3 * a + i) + (size_t)(3 * b + j)] +
                        drag * vec3_component(gradient[a], i) * vec3_component(gradient[b], j);
        }
}

static void assemble_springs(void *user, size_t begin, size_t end) {
    const AssemblyJob *job = user;
    for (size_t k = begin; k < end; k++) {
        size_t s = (size_t)job->order[k];
        if (deform_spring_acts(job->d, s, job->parts->x))
            add_spring_stiffness(job->d, s, job->parts);
    }
}

static void start_rows(void *user, size_t begin, size_t end) {
    const AssemblyJob *job = user;
    BlockCsr *matrix = &job->d->matrix;
    size_t block = (size_t)(matrix->size * matrix->size);
    for (size_t i = begin; i < end; i++) {
        size_t first = matrix->row_start[i], count = matrix->row_start[i + 1] - first;
        memset(matrix->value + block * first, 0, block * count * sizeof *matrix->value);
        double *own = matrix->value + block * block_csr_find(matrix, i, i);
        for (int k = 0; k < matrix->size; k++)
            own[(matrix->size + 1) * k] = job->parts->mass * job->d->mass[i];
    }
}

/* to = S A or A S for blocks of `size` rows. */
static void multiply(int size, const double *a, const double *b, double *to) {
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) {
            to[size * i + j] = 0;
            for (int k = 0; k < size; k++) to[size * i + j] += a[size * i + k] * b[size * k + j];
        }
}

/* A_ij becomes S_i A_ij S_j; what is held gets a diagonal of the size of its neighbours'. */
static void filter_rows(void *user, size_t begin, size_t end) {
    const AssemblyJob *job = user;
    const Deform *d = job->d;
    int size = d->matrix.size;
    size_t block = (size_t)(size * size);
    for (size_t i = begin; i < end; i++)
        for (size_t k = d->matrix.row_start[i]; k < d->matrix.row_start[i + 1]; k++) {
            size_t j = (size_t)d->matrix.column[k];
            if (!d->is_held[i] && !d->is_held[j]) continue;
            double *a = d->matrix.value + block * k, half[9], scale = 0;
            for (int c = 0; c < size; c++) scale += a[(size + 1) * c] / size;
            multiply(size, d->filter + block * i, a, half);
            multiply(size, half, d->filter + block * j, a);
            for (int r = 0; i == j && r < size * size; r++)
                a[r] += (scale > 0 ? scale : 1.0) *
                        ((r % (size + 1) == 0 ? 1.0 : 0.0) - d->filter[block * i + (size_t)r]);
        }
}

PlimStatus deform_assemble(Deform *d, const StepInfo *step, const MatrixParts *parts) {
    enum { GRAIN = 64 };
    AssemblyJob job = {.d = d, .parts = parts};
    size_t nodes = deform_count(d, DEFORM_NODES);
    parallel_for(step->threads, nodes, GRAIN, start_rows, &job);
    const DeformColors *colors = &d->element_colors;
    for (size_t c = 0; c + 1 < colors->start.count; c++) {
        job.order = colors->order.data + colors->start.data[c];
        parallel_for(step->threads, colors->start.data[c + 1] - colors->start.data[c], GRAIN,
                     assemble_elements, &job);
    }
    colors = &d->spring_colors;
    for (size_t c = 0; c + 1 < colors->start.count; c++) {
        job.order = colors->order.data + colors->start.data[c];
        parallel_for(step->threads, colors->start.data[c + 1] - colors->start.data[c], GRAIN,
                     assemble_springs, &job);
    }
    contact_add_stiffness(d, parts->v);
    parallel_for(step->threads, nodes, GRAIN, filter_rows, &job);
    return PLIM_OK;
}
