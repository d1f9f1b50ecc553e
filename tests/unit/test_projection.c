/* The projection against its promises, with fluxes, regions and gradients worked out here and not
 * taken from the solver. */
#include "poisson_case.h"

typedef struct Flow {
    PoissonCase *c;
    double *velocity[3], *given[3]; /* m/s; as they were */
    double *open[3], *source;
    size_t *region; /* number of the region each fluid cell is in */
    double *mean;   /* of each region: outflow of a cell that no pressure can remove, m^3/s */
} Flow;

#define FOR_CELLS(c)                                                                               \
    for (int k = 0; k < (c)->grid.n[2]; k++)                                                       \
        for (int j = 0; j < (c)->grid.n[1]; j++)                                                   \
            for (int i = 0; i < (c)->grid.n[0]; i++)

#define FOR_FACES(c, a)                                                                            \
    for (int k = 0; k < (c)->grid.n[2] + ((a) == 2); k++)                                          \
        for (int j = 0; j < (c)->grid.n[1] + ((a) == 1); j++)                                      \
            for (int i = 0; i < (c)->grid.n[0] + ((a) == 0); i++)

/* The cell on side s (0 low, 1 high) of a face; false: beyond the grid. */
static bool cell_beside(const Grid *grid, int a, const int face[3], int s, size_t *cell) {
    int at[3] = {face[0], face[1], face[2]}, n = grid->n[a];
    at[a] += s - 1;
    if (grid->sides[a][0] == SIDE_PERIODIC && n > 1) at[a] = (at[a] + n) % n;
    if (at[a] < 0 || at[a] >= n) return false;
    *cell = grid_cell_index(grid, at[0], at[1], at[2]);
    return true;
}

typedef enum FaceKind { FACE_BLOCKED, FACE_BETWEEN_FLUID, FACE_FIXED } FaceKind;

/* Whether pressure acts on a face: between fluid cells, or towards a given pressure. */
static FaceKind face_kind(const Flow *flow, int a, const int face[3]) {
    const PoissonCase *c = flow->c;
    size_t low = 0, high = 0, index = grid_face_index(&c->grid, a, face[0], face[1], face[2]);
    bool has_low = cell_beside(&c->grid, a, face, 0, &low);
    bool has_high = cell_beside(&c->grid, a, face, 1, &high);
    if (c->problem.coefficient[a] && c->problem.coefficient[a][index] == 0.0) return FACE_BLOCKED;
    if (!has_low || !has_high) {
        bool fluid = c->kind[has_low ? low : high] == CELL_FLUID;
        return fluid && c->grid.sides[a][has_low] == SIDE_OPEN ? FACE_FIXED : FACE_BLOCKED;
    }
    if (c->kind[low] == CELL_SOLID || c->kind[high] == CELL_SOLID) return FACE_BLOCKED;
    if (c->kind[low] == CELL_FLUID && c->kind[high] == CELL_FLUID) return FACE_BETWEEN_FLUID;
    return c->kind[low] == c->kind[high] ? FACE_BLOCKED : FACE_FIXED;
}

/* Net outflow of a cell less what is made in it, m^3/s. */
static double outflow(const Flow *flow, int i, int j, int k) {
    const Grid *grid = &flow->c->grid;
    const PoissonProblem *problem = &flow->c->problem;
    double sum = 0.0;
    for (int a = 0; a < grid->dim; a++)
        for (int s = 0; s < 2; s++) {
            size_t face =
                grid_face_index(grid, a, i + s * (a == 0), j + s * (a == 1), k + s * (a == 2));
            double part = problem->open[a] ? problem->open[a][face] : 1.0;
            sum += (s ? 1.0 : -1.0) * part * flow->velocity[a][face];
        }
    double made = problem->source ? problem->source[grid_cell_index(grid, i, j, k)] : 0.0;
    return sum * grid_face_area(grid) - made;
}

/* Long rows of equal cells are worked on in another way than mixed ones: every fourth flow has
 * them. */
static void choose_cells(Flow *flow, uint64_t seed) {
    PoissonCase *c = flow->c;
    double air = seed % 3 == 0 ? 0.0 : 0.15, solid = 0.2;
    if (seed % 4 == 0) air *= 0.05, solid *= 0.05;
    for (size_t i = 0; i < grid_cell_count(&c->grid); i++) {
        double u = random_uniform(seed, 10, i);
        c->kind[i] = u < air ? CELL_AIR : u < air + solid ? CELL_SOLID : CELL_FLUID;
        c->phi[i] = (c->kind[i] == CELL_FLUID ? -1.0 : 1.0) * (0.02 + random_uniform(seed, 11, i));
        c->air[i] = random_normal(seed, 12, i);
        flow->source[i] = 0.1 * grid_cell_volume(&c->grid) * random_normal(seed, 13, i);
    }
    if (seed % 5 < 3) c->problem.phi = c->phi;
    if (seed % 7 == 0) c->problem.air_pressure = c->air;
    if (seed % 7 == 0) c->problem.outside_pressure = 0.7;
    if (seed % 2) c->problem.source = flow->source;
}

/* Open parts of all sizes and densities from 1 to 1000; opposite periodic faces are the same. */
static void choose_faces(Flow *flow, uint64_t seed) {
    PoissonCase *c = flow->c;
    for (int a = 0; a < c->grid.dim; a++) {
        FOR_FACES(c, a) {
            int at[3] = {i, j, k};
            if (c->grid.sides[a][0] == SIDE_PERIODIC) at[a] %= c->grid.n[a];
            size_t face = grid_face_index(&c->grid, a, i, j, k);
            size_t same = grid_face_index(&c->grid, a, at[0], at[1], at[2]);
            double u = random_uniform(seed, 20 + (uint64_t)a, same);
            double v = random_uniform(seed, 30 + (uint64_t)a, same);
            flow->open[a][face] = u < 0.15 ? 0.0 : u < 0.5 ? 1.0 : 0.02 + 0.98 * u;
            c->coefficient[a][face] = flow->open[a][face] / pow(1000.0, v);
            flow->velocity[a][face] = random_normal(seed, 40 + (uint64_t)a, same);
        }
        size_t bytes = grid_face_count(&c->grid, a) * sizeof(double);
        memcpy(flow->given[a], flow->velocity[a], bytes);
        if (seed % 4) c->problem.open[a] = flow->open[a];
    }
    if (seed % 4) case_use_coefficients(c);
}

static Flow flow_create(uint64_t seed) {
    Flow flow = {.c = NULL};
    int dim = seed % 3 == 1 ? 2 : 3, n[3] = {0, 0, 1};
    for (int a = 0; a < dim; a++)
        n[a] = 3 + (int)(random_uniform(seed, 1, (uint64_t)a) * (dim == 3 ? 9.0 : 22.0));
    if (seed % 4 == 0) n[0] = 45;
    PoissonCase *c = flow.c = case_create(n, dim, 0.01 + random_uniform(seed, 2, 0));
    for (int a = 0; a < dim; a++) {
        SideKind low = (SideKind)(random_uniform(seed, 4, (uint64_t)a) * 4.0);
        SideKind high = (SideKind)(random_uniform(seed, 5, (uint64_t)a) * 3.0);
        c->grid.sides[a][0] = low;
        c->grid.sides[a][1] = low == SIDE_PERIODIC ? SIDE_PERIODIC : high;
        size_t faces = grid_face_count(&c->grid, a);
        flow.velocity[a] = calloc(faces, sizeof(double));
        flow.given[a] = calloc(faces, sizeof(double));
        flow.open[a] = calloc(faces, sizeof(double));
    }
    size_t cells = grid_cell_count(&c->grid);
    flow.source = calloc(cells, sizeof *flow.source);
    flow.region = calloc(cells, sizeof *flow.region);
    flow.mean = calloc(cells, sizeof *flow.mean);
    choose_cells(&flow, seed);
    choose_faces(&flow, seed);
    return flow;
}

static void flow_destroy(Flow *flow) {
    for (int a = 0; a < 3; a++) {
        free(flow->velocity[a]);
        free(flow->given[a]);
        free(flow->open[a]);
    }
    free(flow->source);
    free(flow->region);
    free(flow->mean);
    case_destroy(flow->c);
}

/* Regions by lowering numbers until nothing changes; then what each keeps: the mean of its cells'
 * outflow if it touches no given pressure, else nothing. */
static void find_regions(Flow *flow) {
    PoissonCase *c = flow->c;
    size_t cells = grid_cell_count(&c->grid), low = 0, high = 0;
    double *count = calloc(cells, sizeof *count);
    for (size_t i = 0; i < cells; i++) flow->region[i] = i;
    for (bool again = true; again;) {
        again = false;
        for (int a = 0; a < c->grid.dim; a++) FOR_FACES(c, a) {
                int face[3] = {i, j, k};
                if (face_kind(flow, a, face) != FACE_BETWEEN_FLUID) continue;
                cell_beside(&c->grid, a, face, 0, &low);
                cell_beside(&c->grid, a, face, 1, &high);
                size_t *p = &flow->region[low], *q = &flow->region[high];
                again = again || *p != *q;
                *p = *q = *p < *q ? *p : *q;
            }
    }
    FOR_CELLS(c) {
        size_t cell = grid_cell_index(&c->grid, i, j, k);
        flow->mean[flow->region[cell]] += outflow(flow, i, j, k);
        count[flow->region[cell]] += 1.0;
    }
    for (size_t i = 0; i < cells; i++) flow->mean[i] /= count[i] > 0.0 ? count[i] : 1.0;
    for (int a = 0; a < c->grid.dim; a++) FOR_FACES(c, a) {
            int face[3] = {i, j, k};
            if (face_kind(flow, a, face) != FACE_FIXED) continue;
            if (cell_beside(&c->grid, a, face, 0, &low)) flow->mean[flow->region[low]] = 0.0;
            if (cell_beside(&c->grid, a, face, 1, &high)) flow->mean[flow->region[high]] = 0.0;
        }
    free(count);
}

/* The norm over fluid cells of the outflow that a pressure could remove, m^3/s; *largest is the
 * largest outflow of all. */
static double removable(const Flow *flow, double *largest) {
    const PoissonCase *c = flow->c;
    double sum = 0.0;
    *largest = 0.0;
    FOR_CELLS(c) {
        size_t cell = grid_cell_index(&c->grid, i, j, k);
        if (c->kind[cell] != CELL_FLUID) continue;
        double out = outflow(flow, i, j, k), left = out - flow->mean[flow->region[cell]];
        sum += left * left;
        *largest = fmax(*largest, fabs(out));
    }
    return sqrt(sum);
}

/* Blocked faces keep their velocity to the bit, periodic ones stay equal, and on faces between
 * fluid cells the change is minus coefficient over open part times the pressure's gradient. The
 * solver rounds coefficients to single precision. */
static void check_faces(const Flow *flow, uint64_t seed) {
    const PoissonCase *c = flow->c;
    size_t low = 0, high = 0, blocked = 0, acted = 0;
    for (int a = 0; a < c->grid.dim; a++) FOR_FACES(c, a) {
            int face[3] = {i, j, k}, first[3] = {i, j, k};
            size_t index = grid_face_index(&c->grid, a, i, j, k);
            double before = flow->given[a][index], after = flow->velocity[a][index];
            FaceKind kind = face_kind(flow, a, face);
            if (c->grid.sides[a][0] == SIDE_PERIODIC && face[a] == c->grid.n[a]) {
                first[a] = 0;
                size_t other = grid_face_index(&c->grid, a, first[0], first[1], first[2]);
                assert_memory_equal(&after, &flow->velocity[a][other], sizeof after);
            }
            if (kind == FACE_BLOCKED && memcmp(&before, &after, sizeof after) != 0)
                fail_msg("seed %d: a blocked face went from %g to %g", (int)seed, before, after);
            blocked += kind == FACE_BLOCKED;
            if (kind != FACE_BETWEEN_FLUID) continue;
            cell_beside(&c->grid, a, face, 0, &low);
            cell_beside(&c->grid, a, face, 1, &high);
            double mobility = c->problem.coefficient[a] ? c->coefficient[a][index] : 1.0;
            if (c->problem.open[a]) mobility /= flow->open[a][index];
            double change = -mobility * (c->p[high] - c->p[low]) / c->grid.spacing;
            assert_close(after - before, change, 1e-6 * fabs(change) + 1e-13 * fabs(before));
            acted++;
        }
    assert_true(blocked > 0 && acted > 0);
}

static void project(PlimContext *context, Flow *flow, PoissonMethod method, ProjectResult *result) {
    Poisson *poisson;
    KrylovOptions options = krylov_options_default(2);
    options.relative = 1e-11;
    options.max_iterations = 4000;
    memset(flow->c->p, 0, grid_cell_count(&flow->c->grid) * sizeof(double));
    assert_int_equal(poisson_create(context, &flow->c->grid, method, &poisson), PLIM_OK);
    assert_int_equal(
        poisson_project(poisson, &flow->c->problem, &options, flow->velocity, flow->c->p, result),
        PLIM_OK);
    poisson_destroy(poisson);
}

/* Again, nothing changes: only given pressures would push once more. */
static void check_twice(PlimContext *context, Flow *flow, PoissonMethod method, uint64_t seed) {
    ProjectResult result;
    double worst = 0.0;
    for (int a = 0; a < flow->c->grid.dim; a++)
        memcpy(flow->given[a], flow->velocity[a],
               grid_face_count(&flow->c->grid, a) * sizeof(double));
    project(context, flow, method, &result);
    for (int a = 0; a < flow->c->grid.dim; a++)
        for (size_t i = 0; i < grid_face_count(&flow->c->grid, a); i++)
            worst = fmax(worst, fabs(flow->velocity[a][i] - flow->given[a][i]));
    if (!(worst <= 1e-9)) fail_msg("seed %d: a second projection moved by %g", (int)seed, worst);
}

static void check_flow(PlimContext *context, uint64_t seed, PoissonMethod method) {
    Flow flow = flow_create(seed);
    ProjectResult result;
    double largest, incompatible = 0.0;
    bool pushed = flow.c->problem.air_pressure != NULL;
    find_regions(&flow);
    double before = removable(&flow, &largest);
    project(context, &flow, method, &result);
    assert_int_equal(result.solved.reason, SOLVE_CONVERGED);
    /* The right-hand side is the outflow, and what given pressures push. */
    if (!pushed) assert_close(result.solved.first_residual, before, 1e-12 * before);
    double scale = result.solved.first_residual, after = removable(&flow, &largest);
    if (!(after <= 2e-11 * scale))
        fail_msg("seed %d: outflow of %g left of %g", (int)seed, after, scale);
    double volume = grid_cell_volume(&flow.c->grid);
    assert_close(result.divergence, largest / volume, 1e-12 * scale / volume);
    for (size_t i = 0; i < grid_cell_count(&flow.c->grid); i++)
        if (flow.c->kind[i] == CELL_FLUID && flow.region[i] == i)
            incompatible = fmax(incompatible, fabs(flow.mean[i]));
    /* Cells with all faces closed are in no region of the solver's. */
    if (incompatible == 0.0) assert_close(result.incompatible, 0.0, 0.0);
    assert_true(result.incompatible <= incompatible + 1e-12 * scale);
    check_faces(&flow, seed);
    if (!pushed) check_twice(context, &flow, method, seed);
    flow_destroy(&flow);
}

static void test_projection(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    for (uint64_t seed = 1; seed <= 80; seed++) check_flow(context, seed, POISSON_MULTIGRID);
    for (uint64_t seed = 81; seed <= 90; seed++) check_flow(context, seed, POISSON_MIC0);
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_projection)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
