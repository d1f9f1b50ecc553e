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

/* Elements, or springs, which have numbers of corners of their own. */
typedef struct ColorInput {
    const int32_t *corners, *corner_counts;
    size_t count;
} ColorInput;

static int input_corners(const Deform *d, const ColorInput *input, size_t i) {
    return input->corner_counts ? input->corner_counts[i] : d->options.dim + 1;
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

/* The colour of a chunk: one that no node of its elements has. */
static int color_chunk(const Deform *d, ColorSet *sets, const ColorInput *input, size_t first,
                       size_t last) {
    int color = -1;
    for (int w = 0; w < COLOR_WORDS && color < 0; w++) {
        uint64_t used = 0;
        for (size_t i = first; i < last; i++)
            for (int c = 0; c < input_corners(d, input, i); c++)
                used |= sets[input->corners[4 * i + (size_t)c]].word[w];
        if (used != UINT64_MAX) color = 64 * w + __builtin_ctzll(~used);
    }
    for (size_t i = first; i < last && color >= 0; i++)
        for (int c = 0; c < input_corners(d, input, i); c++)
            sets[input->corners[4 * i + (size_t)c]].word[color / 64] |= (uint64_t)1 << (color % 64);
    return color;
}

/* Neighbours in the mesh are mostly neighbours in its order: chunks of that order stay in the
 * cache.
 */
static size_t chunk_size(size_t count) {
    size_t size = count / 64;
    return size < 16 ? 16 : size > 512 ? 512 : size;
}

static PlimStatus find_colors(Deform *d, const ColorInput *input, DeformColors *out) {
    size_t nodes = deform_count(d, DEFORM_NODES), size = chunk_size(input->count);
    size_t chunks = (input->count + size - 1) / size;
    ColorSet *sets = context_allocate(d->context, nodes + 1, sizeof *sets);
    int32_t *color = context_allocate(d->context, chunks + 1, sizeof *color);
    PlimStatus status = sets && color ? PLIM_OK : PLIM_OUT_OF_MEMORY;
    int colors = 0;
    for (size_t k = 0; k < chunks && status == PLIM_OK; k++) {
        size_t last = (k + 1) * size < input->count ? (k + 1) * size : input->count;
        color[k] = color_chunk(d, sets, input, k * size, last);
        if (color[k] < 0)
            status =
                context_fail(d->context, PLIM_BAD_INPUT,
                             "a node has elements or springs in more than %d parts of the mesh",
                             64 * COLOR_WORDS);
        if (color[k] >= colors) colors = color[k] + 1;
    }
    out->size = size;
    out->count = input->count;
    if (status == PLIM_OK) status = sort_by_color(d, color, chunks, colors, out);
    if (color) context_free(d->context, color, chunks + 1, sizeof *color);
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
    ColorInput of_elements = {d->corners, NULL, elements};
    ColorInput of_springs = {d->spring_corners, d->spring_count, springs};
    TRY(find_colors(d, &of_elements, &d->element_colors));
    TRY(find_colors(d, &of_springs, &d->spring_colors));
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
    const DeformColors *colors;
    const int32_t *order; /* of the chunks of one colour */
} AssemblyJob;

/* Gradients of the shape functions of all corners; they add up to zero. */
static void shape_gradients(const Deform *d, size_t e, Vec3 g[4]) {
    Mat3 inverse = mat3_load(d->gradient + 9 * e);
    g[0] = vec3(0, 0, 0);
    for (int a = 1; a <= d->options.dim; a++) {
        g[a] = inverse.r[a - 1];
        g[0] = vec3_sub(g[0], g[a]);
    }
}

/* A block and its mirror image below the diagonal. */
static void add_block(const Deform *d, size_t e, int a, int b, Mat3 block) {
    size_t dim = (size_t)d->options.dim;
    double value[9];
    mat3_store(value, block);
    const int32_t *entries = d->element_entries.data + 16 * e;
    double *to = d->matrix.value + dim * dim * (size_t)entries[4 * a + b];
    for (size_t i = 0; i < dim; i++)
        for (size_t j = 0; j < dim; j++) to[dim * i + j] += value[3 * i + j];
    if (a == b) return;
    to = d->matrix.value + dim * dim * (size_t)entries[4 * b + a];
    for (size_t i = 0; i < dim; i++)
        for (size_t j = 0; j < dim; j++) to[dim * i + j] += value[3 * j + i];
}

/* a b^T added, with a factor. */
static Mat3 add_outer(Mat3 sum, double factor, Vec3 a, Vec3 b) {
    return (Mat3){{vec3_add_scaled(sum.r[0], factor * a.x, b),
                   vec3_add_scaled(sum.r[1], factor * a.y, b),
                   vec3_add_scaled(sum.r[2], factor * a.z, b)}};
}

/* Adds what one set of dyads makes of each pair of corners a <= b; see LawDyads. */
static void add_dyads(int corners, const LawDyads *dyads, double factor, const Vec3 g[4],
                      Mat3 blocks[10]) {
    Mat3 square = mat3_multiply(dyads->map, mat3_transpose(dyads->map));
    Vec3 p[4], s[4];
    for (int a = 0; a < corners; a++) {
        p[a] = mat3_apply(dyads->map, g[a]);
        s[a] = mat3_apply(dyads->second, g[a]);
    }
    int n = 0;
    for (int a = 0; a < corners; a++)
        for (int b = a; b < corners; b++, n++) {
            double same = factor * vec3_dot(g[a], s[b]);
            Mat3 block = mat3_add(blocks[n], mat3_diagonal(same, same, same));
            if (dyads->left != 0)
                block = mat3_add(block,
                                 mat3_scale(factor * dyads->left * vec3_dot(g[a], g[b]), square));
            block = add_outer(block, factor * dyads->crossed, p[b], p[a]);
            blocks[n] = add_outer(block, factor * dyads->straight, p[a], p[b]);
        }
}

/* K_ab = V sum_kl C_(ik)(jl) g_ak g_bl of a stiffness C that is written out. */
static void add_tangent(int dim, const double *tangent, double factor, const Vec3 g[4],
                        Mat3 blocks[10]) {
    int n = 0;
    for (int a = 0; a <= dim; a++)
        for (int b = a; b <= dim; b++, n++) {
            double value[9], ga[3], gb[3];
            mat3_store(value, blocks[n]);
            vec3_store(ga, g[a]);
            vec3_store(gb, g[b]);
            for (int i = 0; i < dim; i++)
                for (int j = 0; j < dim; j++)
                    for (int k = 0; k < dim; k++)
                        for (int l = 0; l < dim; l++)
                            value[3 * i + j] += factor *
                                                tangent[dim * dim * (dim * i + k) + dim * j + l] *
                                                ga[k] * gb[l];
            blocks[n] = mat3_load(value);
        }
}

static void element_blocks(const Deform *d, size_t e, const MatrixParts *parts, const Vec3 g[4],
                           Mat3 blocks[10]) {
    const DeformBody *body = &d->bodies.data[d->element_body[e]];
    int dim = d->options.dim;
    double tangent[81], elastic = parts->elastic * d->volume[e];
    Mat3 f = element_gradient(d, e, parts->x);
    LawDyads dyads;
    if (elastic > 0 && !parts->project && law_dyads(&body->law, f, &dyads)) {
        add_dyads(dim + 1, &dyads, elastic, g, blocks);
    } else if (elastic > 0) {
        law_stiffness(&body->law, f, parts->project, tangent);
        add_tangent(dim, tangent, elastic, g, blocks);
    }
    double damping = parts->damping * d->volume[e];
    if (!(damping > 0) || !(body->alpha > 0 || body->beta > 0)) return;
    Mat3 before = parts->x_before ? element_gradient(d, e, parts->x_before) : f;
    if (body->damping_form == DAMPING_GREEN) {
        dyads = (LawDyads){
            .map = f, .left = body->beta, .crossed = body->beta, .straight = body->alpha};
        /* That of a potential has the stress itself in it; without, it is semidefinite. */
        if (parts->x_before && !parts->project) {
            deform_damping_of_change(body, f, before, parts->h, &dyads.second);
            dyads.second = mat3_scale(parts->h, dyads.second);
        }
        add_dyads(dim + 1, &dyads, damping, g, blocks);
        return;
    }
    memset(tangent, 0, sizeof tangent);
    damping_add_operator(body->damping_form, dim, body->alpha, body->beta, before, 1.0, tangent);
    add_tangent(dim, tangent, damping, g, blocks);
}

/* Calls `add` for each element or spring of the chunks of one colour. */
static void for_chunks(const AssemblyJob *job, size_t begin, size_t end,
                       void (*add)(const AssemblyJob *job, size_t item)) {
    const DeformColors *colors = job->colors;
    for (size_t k = begin; k < end; k++) {
        size_t first = (size_t)job->order[k] * colors->size, last = first + colors->size;
        for (size_t i = first; i < last && i < colors->count; i++) add(job, i);
    }
}

static void add_element(const AssemblyJob *job, size_t e) {
    const Deform *d = job->d;
    Mat3 blocks[10] = {{{{0}}}};
    Vec3 g[4];
    if (!d->bodies.data[d->element_body[e]].has_law) return;
    shape_gradients(d, e, g);
    element_blocks(d, e, job->parts, g, blocks);
    int n = 0;
    for (int a = 0; a <= d->options.dim; a++)
        for (int b = a; b <= d->options.dim; b++, n++) add_block(d, e, a, b, blocks[n]);
}

static void assemble_elements(void *user, size_t begin, size_t end) {
    for_chunks(user, begin, end, add_element);
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

static void add_spring(const AssemblyJob *job, size_t s) {
    if (deform_spring_acts(job->d, s, job->parts->x)) add_spring_stiffness(job->d, s, job->parts);
}

static void assemble_springs(void *user, size_t begin, size_t end) {
    for_chunks(user, begin, end, add_spring);
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

static void assemble_colors(int threads, AssemblyJob *job, const DeformColors *colors,
                            ParallelBody body) {
    job->colors = colors;
    for (size_t c = 0; c + 1 < colors->start.count; c++) {
        job->order = colors->order.data + colors->start.data[c];
        parallel_for(threads, colors->start.data[c + 1] - colors->start.data[c], 1, body, job);
    }
}

PlimStatus deform_assemble(Deform *d, const StepInfo *step, const MatrixParts *parts) {
    enum { GRAIN = 64 };
    AssemblyJob job = {.d = d, .parts = parts};
    size_t nodes = deform_count(d, DEFORM_NODES);
    parallel_for(step->threads, nodes, GRAIN, start_rows, &job);
    assemble_colors(step->threads, &job, &d->element_colors, assemble_elements);
    assemble_colors(step->threads, &job, &d->spring_colors, assemble_springs);
    if (d->has_pressure && parts->elastic > 0 && !parts->project)
        TRY(deform_pressure_stiffness(d, d->load_time, parts->x, parts->elastic));
    contact_add_stiffness(d, parts->v);
    parallel_for(step->threads, nodes, GRAIN, filter_rows, &job);
    return PLIM_OK;
}
