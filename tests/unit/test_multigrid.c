/* The iteration gates of the multigrid preconditioner at 64^3, and that it is symmetric and
 * positive. */
#include "operator_test.h"
#include "poisson_case.h"

#include "solve/pressure/poisson_internal.h"

static PoissonCase *cube(int n) {
    return case_create((int[3]){n, n, n}, 3, 1.0 / n);
}

#define FOR_CELLS(c)                                                                               \
    for (int k = 0; k < (c)->grid.n[2]; k++)                                                       \
        for (int j = 0; j < (c)->grid.n[1]; j++)                                                   \
            for (int i = 0; i < (c)->grid.n[0]; i++)

/* Half full, waves on it, a ball under water and a post through the surface. */
static PoissonCase *tank(int n) {
    PoissonCase *c = cube(n);
    FOR_CELLS(c) {
        Vec3 x = grid_cell_center(&c->grid, i, j, k);
        size_t cell = grid_cell_index(&c->grid, i, j, k);
        double ball = vec3_length(vec3_sub(x, vec3(0.35, 0.3, 0.4))) - 0.15;
        bool post = fabs(x.x - 0.7) < 0.06 && fabs(x.z - 0.6) < 0.06;
        c->phi[cell] = x.y - (0.55 + 0.03 * sin(7.0 * x.x) * cos(5.0 * x.z));
        c->kind[cell] = ball < 0.0 || post   ? CELL_SOLID
                        : c->phi[cell] < 0.0 ? CELL_FLUID
                                             : CELL_AIR;
    }
    c->problem.phi = c->phi;
    return c;
}

static void solve_within(PoissonCase *c, int iterations) {
    PlimContext *context = test_context(2);
    case_random_b(c, 3);
    SolveResult result = case_solve(context, c, POISSON_MULTIGRID, 1e-6);
    assert_int_equal(result.reason, SOLVE_CONVERGED);
    assert_true(result.last_residual <= 1e-6 * result.first_residual);
    if (result.iterations > iterations)
        fail_msg("%d iterations, %d allowed", result.iterations, iterations);
    if (iterations == 16) assert_true(result.applications <= 80);
    case_destroy(c);
    test_context_close(context);
}

static void test_tank(void **state) {
    (void)state;
    solve_within(tank(64), 16);
    solve_within(tank(63), 16);
}

/* Face coefficients of a fluid of varying density: the mean of both cells' densities, inverted. */
static void use_density(PoissonCase *c, const double *density) {
    for (int a = 0; a < 3; a++) FOR_CELLS(c) {
            int low[3] = {i, j, k};
            if (low[a]-- == 0) continue;
            double sum = density[grid_cell_index(&c->grid, i, j, k)] +
                         density[grid_cell_index(&c->grid, low[0], low[1], low[2])];
            c->coefficient[a][grid_face_index(&c->grid, a, i, j, k)] = 2.0 / sum;
        }
    case_use_coefficients(c);
}

/* Air over water with air bubbles in it, closed. */
static void test_density(void **state) {
    (void)state;
    PoissonCase *c = cube(64);
    double *density = malloc(grid_cell_count(&c->grid) * sizeof *density);
    FOR_CELLS(c) {
        Vec3 x = grid_cell_center(&c->grid, i, j, k);
        bool light = x.y > 0.6 + 0.05 * sin(9.0 * x.x);
        for (uint64_t s = 0; s < 12; s++) {
            Vec3 centre = vec3(0.2 + 0.3 * (double)(s % 3), 0.15 + 0.25 * (double)(s / 3 % 2),
                               0.2 + 0.5 * (double)(s / 6));
            light = light || vec3_length(vec3_sub(x, centre)) < 0.05 + 0.005 * (double)s;
        }
        density[grid_cell_index(&c->grid, i, j, k)] = light ? 1.0 : 1000.0;
    }
    use_density(c, density);
    free(density);
    solve_within(c, 30);
}

/* Balls at random places up to `height`, their radii from 0.75 to 6.4 cells, half of them below 2.2
 * cells. */
static void fill_balls(const PoissonCase *c, uint64_t seed, double height, double *density,
                       double inside) {
    double h = c->grid.spacing;
    for (uint64_t s = 0; s < 20; s++) {
        Vec3 centre = vec3(random_uniform(seed, 0, s), height * random_uniform(seed, 1, s),
                           random_uniform(seed, 2, s));
        double radius = 0.75 * pow(6.4 / 0.75, random_uniform(seed, 3, s)) * h;
        FOR_CELLS(c) {
            Vec3 d = vec3_sub(grid_cell_center(&c->grid, i, j, k), centre);
            if (vec3_dot(d, d) < radius * radius)
                density[grid_cell_index(&c->grid, i, j, k)] = inside;
        }
    }
}

/* What lies over the balls' fluid. */
typedef enum Tank { TANK_FULL, TANK_AIR, TANK_OTHER_FLUID, TANK_KINDS } Tank;

static PoissonCase *ball_case(int n, uint64_t seed, Tank kind, bool drops) {
    PoissonCase *c = cube(n);
    size_t cells = grid_cell_count(&c->grid);
    double *density = malloc(cells * sizeof *density);
    double inside = drops ? 1000.0 : 1.0, around = drops ? 1.0 : 1000.0;
    FOR_CELLS(c) {
        Vec3 x = grid_cell_center(&c->grid, i, j, k);
        size_t cell = grid_cell_index(&c->grid, i, j, k);
        c->phi[cell] = x.y - (0.55 + 0.03 * sin(7.0 * x.x) * cos(5.0 * x.z));
        bool above = c->phi[cell] >= 0.0;
        density[cell] = above && kind == TANK_OTHER_FLUID ? inside : around;
        c->kind[cell] = above && kind == TANK_AIR ? CELL_AIR : CELL_FLUID;
    }
    fill_balls(c, seed, kind == TANK_FULL ? 1.0 : 0.55, density, inside);
    use_density(c, density);
    if (kind == TANK_AIR && seed % 2) c->problem.phi = c->phi;
    free(density);
    return c;
}

/* Twenty bubbles of light fluid in heavy, or drops of heavy fluid in light, many of them only a
 * cell or two wide. Of seeds 1 to 60 number 11 is the worst one when light cells follow their heavy
 * neighbours: 33 iterations. */
static void test_random_balls(void **state) {
    (void)state;
    uint64_t worst = 11, last = 20;
    for (uint64_t seed = worst; seed <= last; seed++) {
        int n = seed == worst ? 64 : test_size(64, 32);
        for (int kind = 0; kind < TANK_KINDS; kind++)
            for (int drops = 0; drops < 2; drops++)
                solve_within(ball_case(n, seed, (Tank)kind, drops), 30);
    }
}

/* Teeth of solid cells, or of closed faces, with gaps of one cell between them. */
static void test_comb(void **state) {
    (void)state;
    for (int faces = 0; faces < 2; faces++) {
        PoissonCase *c = cube(64);
        FOR_CELLS(c) {
            size_t cell = grid_cell_index(&c->grid, i, j, k);
            bool tooth = j > 8 && j < 48;
            c->kind[cell] = j >= 56 ? CELL_AIR : CELL_FLUID;
            if (tooth && faces) c->coefficient[0][grid_face_index(&c->grid, 0, i, j, k)] = 0.0;
            if (tooth && !faces && i % 2 == 1) c->kind[cell] = CELL_SOLID;
        }
        case_use_coefficients(c);
        solve_within(c, 30);
    }
}

/* A channel one cell wide that runs to and fro. */
static void test_labyrinth(void **state) {
    (void)state;
    PoissonCase *c = cube(32);
    FOR_CELLS(c) {
        bool wall = j % 2 == 1 && (j / 2 % 2 ? i > 0 : i < 31) && j < 16;
        c->kind[grid_cell_index(&c->grid, i, j, k)] = wall     ? CELL_SOLID
                                                      : j > 24 ? CELL_AIR
                                                               : CELL_FLUID;
    }
    solve_within(c, 30);
}

static void test_drops(void **state) {
    (void)state;
    PoissonCase *c = cube(test_size(64, 32));
    for (size_t i = 0; i < grid_cell_count(&c->grid); i++) c->phi[i] = 1.0;
    for (uint64_t s = 0; s < 500; s++) {
        Vec3 centre =
            vec3(random_uniform(4, 0, s), random_uniform(4, 1, s), random_uniform(4, 2, s));
        double radius = 0.02 + 0.02 * random_uniform(4, 3, s);
        FOR_CELLS(c) {
            size_t cell = grid_cell_index(&c->grid, i, j, k);
            Vec3 d = vec3_sub(grid_cell_center(&c->grid, i, j, k), centre);
            if (fabs(d.x) < 0.1 && fabs(d.y) < 0.1 && fabs(d.z) < 0.1)
                c->phi[cell] = fmin(c->phi[cell], vec3_length(d) - radius);
        }
    }
    for (size_t i = 0; i < grid_cell_count(&c->grid); i++)
        c->kind[i] = c->phi[i] < 0.0 ? CELL_FLUID : CELL_AIR;
    c->problem.phi = c->phi;
    solve_within(c, 30);
}

typedef struct CycleMap {
    Poisson *poisson;
} CycleMap;

/* The cycle as a map over the finest level's padded cells. */
static void cycle_apply(const void *object, const double *x, double *y) {
    Multigrid *mg = &((const CycleMap *)object)->poisson->mg;
    MgLevel *level = &mg->levels[0];
    for (size_t i = 0; i < level->size; i++)
        level->b[i] = level->inverse[i] > 0.0f ? (float)x[i] : 0.0f;
    mg_cycle(mg, 2);
    for (size_t i = 0; i < level->size; i++)
        y[i] = level->inverse[i] > 0.0f ? (double)level->x[i] : 0.0;
}

/* Symmetric and positive for random cells, walls and jumps, in 2D and 3D, also round odd seams. */
static void test_symmetric(void **state) {
    (void)state;
    PlimContext *context = test_context(2);
    for (int round = 0; round < 6; round++) {
        int dim = round % 2 ? 2 : 3;
        PoissonCase *c = case_create((int[3]){13, 10, dim == 3 ? 9 : 1}, dim, 0.1);
        for (size_t i = 0; i < grid_cell_count(&c->grid); i++) {
            double u = random_uniform(6, (uint64_t)round, i);
            c->kind[i] = u < 0.6 ? CELL_FLUID : u < 0.7 ? CELL_AIR : CELL_SOLID;
        }
        for (int a = 0; a < dim; a++)
            for (size_t i = 0; i < grid_face_count(&c->grid, a); i++) {
                double u = random_uniform(7, (uint64_t)a, i);
                c->coefficient[a][i] = u < 0.2 ? 0.0 : u < 0.5 ? 1.0 : 1e-3;
            }
        case_use_coefficients(c);
        if (round >= 2)
            for (int a = 0; a < dim; a++) c->grid.sides[a][0] = c->grid.sides[a][1] = SIDE_PERIODIC;
        Poisson *poisson;
        assert_int_equal(poisson_create(context, &c->grid, POISSON_MULTIGRID, &poisson), PLIM_OK);
        assert_int_equal(poisson_setup(poisson, &c->problem), PLIM_OK);
        CycleMap object = {poisson};
        size_t n = poisson->mg.levels[0].size;
        LinearMap map = {&object, n, n, cycle_apply, cycle_apply};
        operator_check(&map,
                       &(OperatorTest){.tolerance = 1e-5, .symmetric = true, .semidefinite = true});
        poisson_destroy(poisson);
        case_destroy(c);
    }
    test_context_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tank),         cmocka_unit_test(test_density),
        cmocka_unit_test(test_random_balls), cmocka_unit_test(test_comb),
        cmocka_unit_test(test_labyrinth),    cmocka_unit_test(test_drops),
        cmocka_unit_test(test_symmetric),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
