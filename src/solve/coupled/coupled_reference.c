/* The symmetric positive definite form of the coupled system, a reference (002 equations 5.30 and
 * 5.38). B^-1 = F^T F, F the inverse of each mass block's Cholesky factor (0 for infinite masses),
 * so the matrix is (K F^T)(K F^T)^T + P: entries (i, j) and (j, i) add the same products in the
 * same order. */
#include "math/cholesky.h"
#include "solve/coupled/coupled_internal.h"

#include <string.h>

void coupled_reference_free(CoupledReference *reference) {
    if (!reference->context) return;
    csr_free(reference->context, &reference->rows);
    csr_free(reference->context, &reference->whitened);
    csr_free(reference->context, &reference->matrix);
    *reference = (CoupledReference){.context = NULL};
}

static void append(Csr *out, size_t *at, int32_t column, double value) {
    out->column[*at] = column;
    out->value[(*at)++] = value;
}

static size_t append_sets(const Coupled *c, CoupledRowKind kind, size_t row, Csr *out) {
    size_t at = out->row_start[row];
    for (size_t k = 0; k < c->sets.count; k++) {
        const CoupledRowSet *set = &c->sets.data[k];
        if (set->kind != kind) continue;
        for (size_t i = 0; i < set->rows.rows; i++) {
            for (size_t j = set->rows.row_start[i]; j < set->rows.row_start[i + 1]; j++)
                append(out, &at, set->rows.column[j], set->rows.value[j]);
            out->row_start[++row] = at;
        }
    }
    return row;
}

/* w_t - J w = 0, the columns in order. */
static void append_tie(const CoupledTies *ties, size_t i, size_t *at, Csr *out) {
    bool placed = false;
    for (size_t j = ties->rows.row_start[i]; j < ties->rows.row_start[i + 1]; j++) {
        if (!placed && ties->rows.column[j] > ties->velocity[i]) {
            append(out, at, ties->velocity[i], 1.0);
            placed = true;
        }
        append(out, at, ties->rows.column[j], -ties->rows.value[j]);
    }
    if (!placed) append(out, at, ties->velocity[i], 1.0);
}

static PlimStatus collect_rows(CoupledReference *r) {
    const Coupled *c = r->coupled;
    size_t entries = 0, row;
    r->constraint_count = c->constraint_count;
    r->damper_count = c->damper_count;
    for (size_t k = 0; k < c->sets.count; k++) entries += c->sets.data[k].rows.entries;
    for (size_t k = 0; k < c->ties.count; k++) {
        r->tie_count += c->ties.data[k].rows.rows;
        entries += c->ties.data[k].rows.entries + c->ties.data[k].rows.rows;
    }
    TRY(csr_create(r->context, r->constraint_count + r->damper_count + r->tie_count,
                   c->velocity_count, entries, &r->rows));
    row = append_sets(c, COUPLED_CONSTRAINT, 0, &r->rows);
    row = append_sets(c, COUPLED_DAMPER, row, &r->rows);
    size_t at = r->rows.row_start[row];
    for (size_t k = 0; k < c->ties.count; k++)
        for (size_t i = 0; i < c->ties.data[k].rows.rows; i++) {
            append_tie(&c->ties.data[k], i, &at, &r->rows);
            r->rows.row_start[++row] = at;
        }
    return PLIM_OK;
}

/* The mass block that an entry of K is in: `size` velocities from `first` on. The row's entries
 * before `next` are in it too. */
typedef struct BlockPart {
    const CoupledGroup *group;
    size_t first, size, next;
} BlockPart;

static BlockPart part_at(const Coupled *c, const Csr *rows, size_t begin, size_t end) {
    size_t velocity = (size_t)rows->column[begin];
    BlockPart part = {.group = coupled_group_of(c, velocity), .next = begin};
    part.size = part.group->block;
    part.first = velocity - (velocity - part.group->start) % part.size;
    while (part.next < end && (size_t)rows->column[part.next] < part.first + part.size) part.next++;
    return part;
}

static size_t count_whitened(const CoupledReference *r) {
    size_t entries = 0;
    for (size_t row = 0; row < r->rows.rows; row++)
        for (size_t at = r->rows.row_start[row], end = r->rows.row_start[row + 1]; at < end;) {
            BlockPart part = part_at(r->coupled, &r->rows, at, end);
            if (part.group->mass_count > 0) entries += part.size;
            at = part.next;
        }
    return entries;
}

/* L^-1 of a row's part in one block, B = L L^T. */
static void whiten_part(const Csr *rows, size_t begin, const BlockPart *part, double *out) {
    const double *factor = coupled_mass_block(part->group, part->group->factor, part->first);
    size_t k = part->size;
    memset(out, 0, k * sizeof *out);
    for (size_t i = begin; i < part->next; i++)
        out[(size_t)rows->column[i] - part->first] = rows->value[i];
    for (size_t i = 0; i < k; i++) {
        for (size_t j = 0; j < i; j++) out[i] -= factor[i * k + j] * out[j];
        out[i] /= factor[i * k + i];
    }
}

static PlimStatus whiten(CoupledReference *r) {
    const Csr *rows = &r->rows;
    Csr *out = &r->whitened;
    TRY(csr_create(r->context, rows->rows, rows->columns, count_whitened(r), out));
    size_t at = 0;
    for (size_t row = 0; row < rows->rows; row++) {
        for (size_t i = rows->row_start[row], end = rows->row_start[row + 1]; i < end;) {
            BlockPart part = part_at(r->coupled, rows, i, end);
            if (part.group->mass_count > 0) {
                whiten_part(rows, i, &part, out->value + at);
                for (size_t k = 0; k < part.size; k++)
                    out->column[at++] = (int32_t)(part.first + k);
            }
            i = part.next;
        }
        out->row_start[row + 1] = at;
    }
    return PLIM_OK;
}

static PlimStatus transpose(PlimContext *context, const Csr *a, Csr *out) {
    TRY(csr_create(context, a->columns, a->rows, a->entries, out));
    for (size_t i = 0; i < a->entries; i++) out->row_start[a->column[i] + 1]++;
    for (size_t i = 0; i < a->columns; i++) out->row_start[i + 1] += out->row_start[i];
    for (size_t row = 0; row < a->rows; row++)
        for (size_t i = a->row_start[row]; i < a->row_start[row + 1]; i++) {
            size_t at = out->row_start[a->column[i]]++;
            out->column[at] = (int32_t)row;
            out->value[at] = a->value[i];
        }
    for (size_t i = a->columns; i > 0; i--) out->row_start[i] = out->row_start[i - 1];
    out->row_start[0] = 0;
    return PLIM_OK;
}

typedef struct Product {
    const CoupledReference *r;
    Csr columns; /* whitened, transposed */
    double *sum; /* a row of the matrix, full length */
    bool *used;
} Product;

/* Row `row` of whitened whitened^T + P into `sum` and `used`. */
static void multiply_row(const Product *product, size_t row) {
    const Csr *rows = &product->r->whitened, *columns = &product->columns;
    const CoupledReference *r = product->r;
    product->used[row] = true; /* the diagonal is there even when it is zero */
    if (row >= r->constraint_count && row < r->constraint_count + r->damper_count)
        product->sum[row] = 1.0;
    for (size_t i = rows->row_start[row]; i < rows->row_start[row + 1]; i++) {
        size_t column = (size_t)rows->column[i];
        for (size_t j = columns->row_start[column]; j < columns->row_start[column + 1]; j++) {
            product->used[columns->column[j]] = true;
            product->sum[columns->column[j]] += rows->value[i] * columns->value[j];
        }
    }
}

/* With `out` NULL counts the entries; otherwise writes them. */
static size_t multiply(const Product *product, Csr *out) {
    size_t count = product->r->rows.rows, at = 0;
    for (size_t row = 0; row < count; row++) {
        multiply_row(product, row);
        for (size_t column = 0; column < count; column++) {
            if (!product->used[column]) continue;
            if (out) {
                out->column[at] = (int32_t)column;
                out->value[at] = product->sum[column];
            }
            at++;
            product->used[column] = false;
            product->sum[column] = 0.0;
        }
        if (out) out->row_start[row + 1] = at;
    }
    return at;
}

static PlimStatus form_matrix(CoupledReference *r) {
    size_t count = r->rows.rows;
    Product product = {.r = r};
    PlimStatus status = transpose(r->context, &r->whitened, &product.columns);
    product.sum = context_allocate(r->context, count + 1, sizeof *product.sum);
    product.used = context_allocate(r->context, count + 1, sizeof *product.used);
    if (!product.sum || !product.used) status = PLIM_OUT_OF_MEMORY;
    if (status == PLIM_OK)
        status = csr_create(r->context, count, count, multiply(&product, NULL), &r->matrix);
    if (status == PLIM_OK) multiply(&product, &r->matrix);
    csr_free(r->context, &product.columns);
    if (product.sum) context_free(r->context, product.sum, count + 1, sizeof *product.sum);
    if (product.used) context_free(r->context, product.used, count + 1, sizeof *product.used);
    return status;
}

PlimStatus coupled_reference_create(const Coupled *c, CoupledReference *out) {
    *out = (CoupledReference){.context = c->context, .coupled = c};
    PlimStatus status = collect_rows(out);
    if (status == PLIM_OK) status = whiten(out);
    if (status == PLIM_OK) status = form_matrix(out);
    if (status != PLIM_OK) coupled_reference_free(out);
    return status;
}

typedef struct Jacobi {
    const double *inverse;
    size_t count;
} Jacobi;

static void precondition(void *object, const double *r, double *z) {
    const Jacobi *jacobi = object;
    for (size_t i = 0; i < jacobi->count; i++) z[i] = jacobi->inverse[i] * r[i];
}

static void invert_diagonal(const Csr *matrix, double *inverse) {
    for (size_t row = 0; row < matrix->rows; row++)
        for (size_t i = matrix->row_start[row]; i < matrix->row_start[row + 1]; i++)
            if ((size_t)matrix->column[i] == row)
                inverse[row] = matrix->value[i] > 0.0 ? 1.0 / matrix->value[i] : 1.0;
}

/* w = w* - B^-1 K^T z */
static void apply_impulses(const CoupledReference *r, const double *w_star, const double *z,
                           double *force, double *w) {
    const Coupled *c = r->coupled;
    LinearMap rows = csr_map(&r->rows);
    rows.apply_transpose(rows.object, z, force);
    memcpy(w, w_star, c->velocity_count * sizeof *w);
    for (size_t g = 0; g < c->groups.count; g++) {
        const CoupledGroup *group = &c->groups.data[g];
        size_t k = group->block, end = group->start + group->count;
        if (group->mass_count == 0) continue;
        for (size_t v = group->start; v < end; v += k) {
            cholesky_solve(coupled_mass_block(group, group->factor, v), k, force + v);
            for (size_t i = 0; i < k; i++) w[v + i] -= force[v + i];
        }
    }
}

PlimStatus coupled_reference_solve(const CoupledReference *r, Scratch *scratch,
                                   const KrylovOptions *options, bool jacobi, const double *w_star,
                                   double *w, double *z, SolveResult *result) {
    const Coupled *c = r->coupled;
    size_t count = r->rows.rows, mark = scratch_mark(scratch);
    double *rhs = scratch_take(scratch, count + 1, sizeof *rhs);
    double *inverse = scratch_take(scratch, count + 1, sizeof *inverse);
    double *force = scratch_take(scratch, c->velocity_count + 1, sizeof *force);
    PlimStatus status = rhs && inverse && force ? PLIM_OK : PLIM_OUT_OF_MEMORY;
    if (status == PLIM_OK) {
        LinearMap rows = csr_map(&r->rows), matrix = csr_map(&r->matrix);
        rows.apply(rows.object, w_star, rhs);
        for (size_t k = 0; k < c->sets.count; k++) {
            const CoupledRowSet *set = &c->sets.data[k];
            if (set->kind != COUPLED_CONSTRAINT) continue;
            for (size_t i = 0; i < set->rows.rows; i++) rhs[set->first + i] -= set->target[i];
        }
        invert_diagonal(&r->matrix, inverse);
        Jacobi object = {inverse, count};
        Preconditioner m = {&object, precondition, 0};
        status = solve_cg(scratch, &matrix, jacobi ? &m : NULL, options, rhs, z, result);
    }
    if (status == PLIM_OK) apply_impulses(r, w_star, z, force, w);
    scratch_release(scratch, mark);
    return status;
}
