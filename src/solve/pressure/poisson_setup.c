/* Ghost fluid coefficients of the pressure equation (000 section 6.3.4): one conductance a face. */
#include "solve/pressure/poisson_internal.h"

#include <math.h>
#include <string.h>

static PlimStatus take(Poisson *poisson, void **out, size_t item_size) {
    size_t count = poisson->mg.levels[0].size;
    *out = context_allocate(poisson->context, count, item_size);
    if (!*out) return PLIM_OUT_OF_MEMORY;
    poisson->bytes += count * item_size;
    return PLIM_OK;
}

static PlimStatus check_grid(PlimContext *context, const Grid *grid) {
    bool sizes = (grid->dim == 2 && grid->n[2] == 1) || grid->dim == 3;
    double padded = 1.0;
    for (int a = 0; a < 3; a++) {
        sizes = sizes && grid->n[a] >= 1 && grid->n[a] < 65535;
        padded *= grid->n[a] + 2.0;
        if ((grid->sides[a][0] == SIDE_PERIODIC) != (grid->sides[a][1] == SIDE_PERIODIC))
            return context_fail(context, PLIM_BAD_INPUT,
                                "axis %d is periodic on one side only; make both sides periodic",
                                a);
    }
    if (!sizes || padded >= 4294967295.0 || !(grid->spacing > 0.0))
        return context_fail(
            context, PLIM_BAD_INPUT,
            "a pressure solve wants 1 to 65534 cells an axis, 2^32 in all, one in z in "
            "two dimensions, and a positive spacing; got %d x %d x %d, %g m",
            grid->n[0], grid->n[1], grid->n[2], grid->spacing);
    return PLIM_OK;
}

static PlimStatus fill(Poisson *poisson) {
    bool periodic[3];
    const Grid *grid = &poisson->grid;
    for (int a = 0; a < 3; a++) periodic[a] = a < grid->dim && grid->sides[a][0] == SIDE_PERIODIC;
    TRY(mg_create(poisson->context, grid->n, periodic, grid->dim,
                  poisson->method == POISSON_MULTIGRID, &poisson->mg));
    TRY(take(poisson, (void **)&poisson->mark, 1));
    TRY(take(poisson, (void **)&poisson->region, sizeof *poisson->region));
    TRY(take(poisson, (void **)&poisson->r, sizeof *poisson->r));
    TRY(take(poisson, (void **)&poisson->p, sizeof *poisson->p));
    TRY(take(poisson, (void **)&poisson->q, sizeof *poisson->q));
    if (poisson->method == POISSON_MIC0) {
        TRY(take(poisson, (void **)&poisson->mic, sizeof *poisson->mic));
        TRY(take(poisson, (void **)&poisson->mg.levels[0].x, sizeof(float)));
    }
    return PLIM_OK;
}

PlimStatus poisson_create(PlimContext *context, const Grid *grid, PoissonMethod method,
                          Poisson **out) {
    *out = NULL;
    TRY(check_grid(context, grid));
    Poisson *poisson = context_allocate(context, 1, sizeof *poisson);
    if (!poisson) return PLIM_OUT_OF_MEMORY;
    poisson->context = context;
    poisson->grid = *grid;
    poisson->method = method;
    scratch_init(&poisson->scratch, context);
    PlimStatus status = fill(poisson);
    if (status == PLIM_OK)
        *out = poisson;
    else
        poisson_destroy(poisson);
    return status;
}

static void give(Poisson *poisson, void *block, size_t item_size) {
    if (block) context_free(poisson->context, block, poisson->mg.levels[0].size, item_size);
}

void poisson_destroy(Poisson *poisson) {
    if (!poisson) return;
    poisson_destroy(poisson->face);
    give(poisson, poisson->mark, 1);
    give(poisson, poisson->region, sizeof *poisson->region);
    give(poisson, poisson->r, sizeof *poisson->r);
    give(poisson, poisson->p, sizeof *poisson->p);
    give(poisson, poisson->q, sizeof *poisson->q);
    give(poisson, poisson->mic, sizeof *poisson->mic);
    for (int a = 0; a < 3; a++) give(poisson, poisson->exact[a], sizeof *poisson->exact[a]);
    mg_free(&poisson->mg);
    scratch_free(&poisson->scratch);
    context_free(poisson->context, poisson, 1, sizeof *poisson);
}

size_t poisson_bytes(const Poisson *poisson) {
    size_t face = poisson->face ? poisson_bytes(poisson->face) : 0;
    return face + poisson->bytes + poisson->mg.bytes + poisson->scratch.capacity + sizeof *poisson;
}

/* Part of the way from a fluid cell's centre to that of an air cell at which phi is zero
 * (figure 6.9; Gibou et al. 2002). Where phi disagrees with the cells' kinds, the nearer end is
 * taken. */
static double interface_fraction(double phi_fluid, double phi_air) {
    if (!(phi_fluid < 0.0)) return POISSON_THETA_FLOOR;
    if (!(phi_air > 0.0)) return 1.0;
    double theta = phi_fluid / (phi_fluid - phi_air);
    return theta > POISSON_THETA_FLOOR ? theta : POISSON_THETA_FLOOR;
}

static double face_factor(const PoissonProblem *problem, size_t a, size_t b) {
    unsigned char ka = problem->kind[a], kb = problem->kind[b];
    if (ka == CELL_FLUID && kb == CELL_FLUID) return 1.0;
    if (ka == CELL_FLUID && kb == CELL_AIR)
        return problem->phi ? 1.0 / interface_fraction(problem->phi[a], problem->phi[b]) : 1.0;
    if (ka == CELL_AIR && kb == CELL_FLUID)
        return problem->phi ? 1.0 / interface_fraction(problem->phi[b], problem->phi[a]) : 1.0;
    return 0.0;
}

double poisson_face_part(const PoissonProblem *problem, int axis, const int at[3]) {
    const Grid *grid = problem->grid;
    bool has_fluid = false, has_air = false;
    size_t fluid = 0, air = 0;
    for (int above = 0; above < 2; above++) {
        int cell[3] = {at[0], at[1], at[2]};
        cell[axis] += above - 1;
        if (grid->sides[axis][0] == SIDE_PERIODIC)
            cell[axis] = (cell[axis] + grid->n[axis]) % grid->n[axis];
        if (cell[axis] < 0 || cell[axis] >= grid->n[axis]) continue;
        size_t index = grid_cell_index(grid, cell[0], cell[1], cell[2]);
        if (problem->kind[index] == CELL_FLUID) {
            has_fluid = true;
            fluid = index;
        } else if (problem->kind[index] == CELL_AIR) {
            has_air = true;
            air = index;
        }
    }
    if (!has_fluid) return 0.0;
    if (!has_air || !problem->phi) return 1.0;
    return interface_fraction(problem->phi[fluid], problem->phi[air]);
}

typedef struct SetupJob {
    Poisson *poisson;
    const PoissonProblem *problem;
    unsigned char *found; /* of each row of faces: ROW_ marks */
} SetupJob;

enum {
    ROW_BAD = 1,    /* a coefficient was negative or not finite */
    ROW_CHANGED = 2 /* a conductance or cell is not what it was at the last set-up */
};

/* A face on the boundary of the grid seen from its cell. */
static double side_factor(const Grid *grid, int a, int s, const PoissonProblem *problem,
                          size_t cell, size_t opposite) {
    if (grid->sides[a][s] == SIDE_OPEN) return problem->kind[cell] == CELL_FLUID ? 2.0 : 0.0;
    if (grid->sides[a][s] == SIDE_PERIODIC && grid->n[a] > 1)
        return face_factor(problem, cell, opposite);
    return 0.0;
}

static inline bool same_bits(float a, float b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Low faces across axis a of row (j, k), for x also the last high face. j or k may be n: high
 * faces. Returns ROW_ marks. */
static unsigned char face_row(Poisson *poisson, const PoissonProblem *problem, int a, int j,
                              int k) {
    const Grid *grid = &poisson->grid;
    MgLevel *level = &poisson->mg.levels[0];
    double scale = grid_face_area(grid) / grid->spacing;
    const double *c = problem->coefficient[a];
    int n = grid->n[a], across = a == 1 ? j : k;
    int last = grid->n[0] + (a == 0);
    bool bad = false, changed = false;
    size_t step = a == 0   ? 1
                  : a == 1 ? (size_t)grid->n[0]
                           : (size_t)grid->n[0] * (size_t)grid->n[1];
    float *g = level->g[a] + mg_index(level, 0, j, k);
    double *exact = problem->bounded ? poisson->exact[a] + mg_index(level, 0, j, k) : NULL;
    size_t face = grid_face_index(grid, a, 0, j, k);
    size_t low_face = a == 0   ? face
                      : a == 1 ? grid_face_index(grid, a, 0, 0, k)
                               : grid_face_index(grid, a, 0, j, 0);
    /* The cell above the face; those at the high side have none. */
    size_t cell = ((size_t)k * (size_t)grid->n[1] + (size_t)j) * (size_t)grid->n[0];
    for (int i = 0; i < last; i++) {
        int at = a == 0 ? i : across;
        size_t up = cell + (size_t)i;
        double factor;
        size_t from = face + (size_t)i;
        if (at == 0) {
            factor = side_factor(grid, a, 0, problem, up, up + (size_t)(n - 1) * step);
        } else if (at == n) {
            factor = side_factor(grid, a, 1, problem, up - step, up - (size_t)n * step);
            if (grid->sides[a][1] == SIDE_PERIODIC) from = a == 0 ? low_face : low_face + (size_t)i;
        } else {
            factor = face_factor(problem, up - step, up);
        }
        double value = factor > 0.0 ? factor * scale * (c ? c[from] : 1.0) : 0.0;
        if (!(value >= 0.0 && value < 1e30)) bad = true;
        changed |= !same_bits(g[i], (float)value);
        g[i] = (float)value;
        if (exact) exact[i] = value;
    }
    return (unsigned char)((bad ? ROW_BAD : 0) | (changed ? ROW_CHANGED : 0));
}

static unsigned char mark_row(Poisson *poisson, const PoissonProblem *problem, int j, int k) {
    unsigned char *mark = poisson->mark + mg_index(&poisson->mg.levels[0], 0, j, k);
    const unsigned char *kind = problem->kind + grid_cell_index(&poisson->grid, 0, j, k);
    bool changed = false;
    for (int i = 0; i < poisson->grid.n[0]; i++) {
        unsigned char fluid = kind[i] == CELL_FLUID ? MARK_FLUID : 0;
        changed |= (mark[i] & MARK_FLUID) != fluid;
        mark[i] = fluid;
    }
    return changed ? ROW_CHANGED : 0;
}

static void face_rows(void *user, size_t begin, size_t end) {
    SetupJob *job = user;
    Poisson *poisson = job->poisson;
    const Grid *grid = &poisson->grid;
    size_t ny = (size_t)grid->n[1] + 1;
    for (size_t row = begin; row < end; row++) {
        int j = (int)(row % ny), k = (int)(row / ny);
        bool in_y = j < grid->n[1], in_z = k < grid->n[2];
        unsigned char found = 0;
        if (in_y && in_z) found |= face_row(poisson, job->problem, 0, j, k);
        if (in_y && in_z) found |= mark_row(poisson, job->problem, j, k);
        if (in_z) found |= face_row(poisson, job->problem, 1, j, k);
        if (in_y && grid->dim == 3) found |= face_row(poisson, job->problem, 2, j, k);
        job->found[row] = found;
    }
}

static PlimStatus ensure_exact(Poisson *poisson) {
    for (int a = 0; a < 3; a++)
        if (!poisson->exact[a])
            TRY(take(poisson, (void **)&poisson->exact[a], sizeof *poisson->exact[a]));
    return PLIM_OK;
}

/* Conductances and marks; *changed: they are not, bit by bit, those of the last set-up. */
static PlimStatus fill_finest(Poisson *poisson, const PoissonProblem *problem, bool *changed) {
    PlimContext *context = poisson->context;
    size_t ny = (size_t)poisson->grid.n[1] + 1, rows = ny * ((size_t)poisson->grid.n[2] + 1);
    SetupJob job = {poisson, problem, scratch_take(&poisson->scratch, rows, 1)};
    if (!job.found) return PLIM_OUT_OF_MEMORY;
    parallel_for(context->threads, rows, 64, face_rows, &job);
    unsigned char found = 0;
    for (size_t row = 0; row < rows; row++) {
        found |= job.found[row];
        if (found & ROW_BAD)
            return context_fail(context, PLIM_BAD_INPUT,
                                "a face coefficient in row y %zu, z %zu is negative, not finite or "
                                "above 1e30",
                                row % ny, row / ny);
    }
    *changed = found & ROW_CHANGED;
    return PLIM_OK;
}

/* The operator reads neighbours that are not unknowns, and wants zero there: cells that were fluid
 * in an earlier problem still hold what that left. */
static void clear_direction(void *user, size_t begin, size_t end) {
    const Poisson *poisson = user;
    memset(poisson->p + begin, 0, (end - begin) * sizeof *poisson->p);
}

PlimStatus poisson_setup_inside(Poisson *poisson, const PoissonProblem *problem) {
    PlimContext *context = poisson->context;
    const Grid *grid = &poisson->grid, *given = problem->grid;
    if (given->dim != grid->dim || memcmp(given->n, grid->n, sizeof grid->n) != 0 ||
        memcmp(given->sides, grid->sides, sizeof grid->sides) != 0)
        return context_fail(context, PLIM_BAD_INPUT,
                            "a pressure solve made for one grid was set up with a grid of another "
                            "size or other sides; create one for each");
    bool ready = poisson->ready && poisson->problem.bounded == problem->bounded, changed = false;
    poisson->grid = *given;
    poisson->problem = *problem;
    poisson->problem.grid = &poisson->grid;
    poisson->ready = false;
    if (problem->bounded) TRY(ensure_exact(poisson));
    TRY(fill_finest(poisson, problem, &changed));
    if (!ready || changed) {
        poisson->mg.depth = problem->bounded ? 1 : poisson->mg.level_count;
        parallel_for(context->threads, poisson->mg.levels[0].size, 1 << 16, clear_direction,
                     poisson);
        TRY(mg_setup(&poisson->mg, &poisson->scratch, context->threads, poisson->mark));
        if (poisson->method == POISSON_MIC0 && !problem->bounded)
            mic_setup(poisson, context->threads);
        TRY(poisson_find_regions(poisson, context->threads));
    }
    poisson->ready = true;
    return PLIM_OK;
}

void poisson_forget(Poisson *poisson) {
    poisson->ready = false;
}

PlimStatus poisson_setup(Poisson *poisson, const PoissonProblem *problem) {
    PlimStatus status = poisson_setup_inside(poisson, problem);
    PlimStatus reset = scratch_reset(&poisson->scratch);
    return status != PLIM_OK ? status : reset;
}
