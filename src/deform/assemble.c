/* Assembly of the matrix of an implicit step, mass + h D + h^2 K (002 equations 5.5, 5.7), from
 * elements, springs and bending. Elements of one colour share no node, so they are added at the
 * same time.
 */
#include "deform/internal.h"
#include "deform/membrane.h"

#include <string.h>

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
    for (int a = 1; a < d->corner_count[e]; a++) {
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

/* K_ab = V sum_kl C_(ik)(jl) g_ak g_bl of a stiffness C that is written out, for an F of dim rows
 * and `across` columns. */
static void add_tangent(int dim, int across, const double *tangent, double factor, const Vec3 g[4],
                        Mat3 blocks[10]) {
    int n = 0, size = dim * across;
    for (int a = 0; a <= across; a++)
        for (int b = a; b <= across; b++, n++) {
            double value[9], ga[3], gb[3];
            mat3_store(value, blocks[n]);
            vec3_store(ga, g[a]);
            vec3_store(gb, g[b]);
            for (int i = 0; i < dim; i++)
                for (int j = 0; j < dim; j++)
                    for (int k = 0; k < across; k++)
                        for (int l = 0; l < across; l++)
                            value[3 * i + j] += factor *
                                                tangent[size * (across * i + k) + across * j + l] *
                                                ga[k] * gb[l];
            blocks[n] = mat3_load(value);
        }
}

static void element_blocks(const Deform *d, size_t e, const MatrixParts *parts, const Vec3 g[4],
                           Mat3 blocks[10]) {
    const DeformBody *body = &d->bodies.data[d->element_body[e]];
    int dim = d->options.dim, across = d->corner_count[e] - 1;
    double tangent[81], elastic = parts->elastic * d->volume[e];
    Mat3 f = element_gradient(d, e, parts->x);
    LawDyads dyads;
    if (elastic > 0 && body->is_sheet) {
        membrane_stiffness(&body->law, f, parts->project, tangent);
        add_tangent(dim, across, tangent, elastic, g, blocks);
    } else if (elastic > 0 && !parts->project && law_dyads(&body->law, f, &dyads)) {
        add_dyads(dim + 1, &dyads, elastic, g, blocks);
    } else if (elastic > 0) {
        law_stiffness(&body->law, f, parts->project, tangent);
        add_tangent(dim, across, tangent, elastic, g, blocks);
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
        add_dyads(across + 1, &dyads, damping, g, blocks);
        return;
    }
    memset(tangent, 0, sizeof tangent);
    damping_add_operator(body->damping_form, dim, body->alpha, body->beta, before, 1.0, tangent);
    add_tangent(dim, across, tangent, damping, g, blocks);
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
    for (int a = 0; a < d->corner_count[e]; a++)
        for (int b = a; b < d->corner_count[e]; b++, n++) add_block(d, e, a, b, blocks[n]);
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

static void add_patch(const AssemblyJob *job, size_t p) {
    bending_add_stiffness(job->d, p, job->parts);
}

static void assemble_patches(void *user, size_t begin, size_t end) {
    for_chunks(user, begin, end, add_patch);
}

/* Angles and moments where the matrix is made. */
static void find_moments(Deform *d, int threads, const MatrixParts *parts) {
    ForceParts at = {.x = parts->x,
                     .x_before = parts->damping > 0 ? parts->x_before : NULL,
                     .h = parts->h,
                     .elastic = parts->elastic > 0};
    bending_evaluate(d, threads, &at);
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
    find_moments(d, step->threads, parts);
    assemble_colors(step->threads, &job, &d->patch_colors, assemble_patches);
    if (d->has_pressure && parts->elastic > 0 && !parts->project)
        TRY(deform_pressure_stiffness(d, d->load_time, parts->x, parts->elastic));
    contact_add_stiffness(d, parts->v);
    if (d->pushes)
        memcpy(d->unfiltered.data, d->matrix.value, d->unfiltered.count * sizeof(double));
    parallel_for(step->threads, nodes, GRAIN, filter_rows, &job);
    return PLIM_OK;
}
