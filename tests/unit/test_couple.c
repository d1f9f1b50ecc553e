/* Systems that meet in a solve, against dense solves of what was assembled: a chain that hangs on a
 * body afloat, through system/ alone; the same without a fluid; two ways of adding it. */
#include "coupled_flow_dense.h"
#include "hanging_chain.h"
#include "scene_fixture.h"

#include "fluid/internal.h"
#include "world/domains.h"

/* ---- a flow problem without viscosity or air, written out in full ---- */

typedef struct Full {
    size_t faces, structure, cells, held, n;
    size_t *number[3]; /* of free faces; SIZE_MAX: given */
    double *matrix, *right, *x;
} Full;

/* What a watch saw, and the dense answers of the last two solves: half step, whole step. */
typedef struct Seen {
    int dim;
    FlowProblem problem;
    double *const *velocity;
    size_t *number[3];
    size_t half_faces, faces; /* free ones, in each of the two */
    double *half, *whole;
} Seen;

static void couple_entry(Full *full, size_t row, size_t column, double value) {
    full->matrix[row * full->n + column] += value;
    full->matrix[column * full->n + row] += value;
}

static bool is_fluid(const FlowProblem *p, int axis, const int face[3], int side) {
    int at[3] = {face[0], face[1], face[2]};
    at[axis] += side - 1;
    if (at[axis] < 0 || at[axis] >= p->grid->n[axis]) return false;
    return p->kind[grid_cell_index(p->grid, at[0], at[1], at[2])] == CELL_FLUID;
}

static void number_faces(const FlowProblem *p, Full *full) {
    const Grid *g = p->grid;
    for (int a = 0; a < g->dim; a++) {
        full->number[a] = calloc(grid_face_count(g, a), sizeof(size_t));
        for (int k = 0; k < g->n[2] + (a == 2); k++)
            for (int j = 0; j < g->n[1] + (a == 1); j++)
                for (int i = 0; i < g->n[0] + (a == 0); i++) {
                    int at[3] = {i, j, k};
                    size_t face = grid_face_index(g, a, i, j, k);
                    bool side = at[a] == 0 || at[a] == g->n[a];
                    bool is_free = !side && p->open[a][face] > 0 &&
                                   (is_fluid(p, a, at, 0) || is_fluid(p, a, at, 1));
                    full->number[a][face] = is_free ? full->faces++ : SIZE_MAX;
                }
    }
}

/* B (u - u*) of faces, and their part of each cell's outflow. */
static void write_faces(const FlowProblem *p, double *const velocity[3], Full *full) {
    const Grid *g = p->grid;
    size_t cells = full->faces + full->structure;
    for (int a = 0; a < g->dim; a++)
        for (int k = 0; k < g->n[2] + (a == 2); k++)
            for (int j = 0; j < g->n[1] + (a == 1); j++)
                for (int i = 0; i < g->n[0] + (a == 0); i++) {
                    int at[3] = {i, j, k};
                    size_t face = grid_face_index(g, a, i, j, k), u = full->number[a][face];
                    if (u == SIZE_MAX) continue;
                    double mass = p->density * grid_cell_volume(g) * p->open[a][face];
                    full->matrix[u * full->n + u] = mass;
                    full->right[u] = mass * velocity[a][face];
                    for (int side = 0; side < 2; side++) {
                        if (!is_fluid(p, a, at, side)) continue;
                        int cell[3] = {i, j, k};
                        cell[a] += side - 1;
                        couple_entry(full, cells + grid_cell_index(g, cell[0], cell[1], cell[2]), u,
                                     (side ? -1 : 1) * p->open[a][face] * grid_face_area(g));
                    }
                }
}

static void write_structure(const FlowProblem *p, Full *full) {
    const FlowStructure *s = p->structure;
    size_t v = full->faces, cells = v + s->count, rows = cells + full->cells;
    for (size_t b = 0; b < s->block_count; b++)
        for (int i = 0; i < s->blocks[b].size; i++) {
            size_t at = v + s->blocks[b].first + (size_t)i;
            assert_true(s->blocks[b].is_free);
            full->right[at] = s->momentum[s->blocks[b].first + (size_t)i];
            for (int j = 0; j < s->blocks[b].size; j++)
                full->matrix[at * full->n + v + s->blocks[b].first + (size_t)j] +=
                    s->blocks[b].mass[i][j];
        }
    for (size_t r = 0; s->dampers && r < s->dampers->rows; r++)
        for (size_t i = s->dampers->row_start[r]; i < s->dampers->row_start[r + 1]; i++)
            for (size_t j = s->dampers->row_start[r]; j < s->dampers->row_start[r + 1]; j++)
                full->matrix[(v + (size_t)s->dampers->column[i]) * full->n + v +
                             (size_t)s->dampers->column[j]] +=
                    s->dampers->value[i] * s->dampers->value[j];
    for (size_t r = 0; r < s->constraints->rows; r++) {
        full->right[rows + r] = s->target[r];
        for (size_t i = s->constraints->row_start[r]; i < s->constraints->row_start[r + 1]; i++)
            couple_entry(full, rows + r, v + (size_t)s->constraints->column[i],
                         s->constraints->value[i]);
    }
    for (size_t f = 0; f < p->flux_rows->rows; f++)
        for (int side = 0; side < 2; side++) {
            const FlowFlux *flux = &p->fluxes[f];
            if (!is_fluid(p, flux->axis, flux->at, side)) continue;
            int cell[3] = {flux->at[0], flux->at[1], flux->at[2]};
            cell[flux->axis] += side - 1;
            size_t row = cells + grid_cell_index(p->grid, cell[0], cell[1], cell[2]);
            for (size_t i = p->flux_rows->row_start[f]; i < p->flux_rows->row_start[f + 1]; i++)
                couple_entry(full, row, v + (size_t)p->flux_rows->column[i],
                             (side ? -1 : 1) * p->flux_rows->value[i]);
        }
}

/* The answer: free faces, then the structure. */
static double *solve_dense(const FlowProblem *p, double *const velocity[3], Full *full) {
    *full = (Full){.structure = p->structure->count,
                   .cells = grid_cell_count(p->grid),
                   .held = p->structure->constraints->rows};
    number_faces(p, full);
    full->n = full->faces + full->structure + full->cells + full->held;
    full->matrix = calloc(full->n * full->n, sizeof(double));
    full->right = calloc(full->n, sizeof(double));
    full->x = calloc(full->n, sizeof(double));
    write_faces(p, velocity, full);
    write_structure(p, full);
    flow_dense_eliminate(full->matrix, full->right, full->x, full->n);
    free(full->matrix);
    free(full->right);
    return full->x;
}

static void see(void *user, const FlowProblem *problem, double *const velocity[3],
                const double *pressure) {
    Seen *seen = user;
    Full full;
    (void)pressure;
    free(seen->half);
    seen->half = seen->whole;
    seen->half_faces = seen->faces;
    seen->whole = solve_dense(problem, velocity, &full);
    for (int a = 0; a < seen->dim; a++) {
        free(seen->number[a]);
        seen->number[a] = full.number[a];
    }
    seen->problem = *problem;
    seen->faces = full.faces;
}

/* ---- the chain ---- */

static Chain make_chain(PlimContext *context, int dim, size_t masses) {
    Chain c = {.context = context,
               .dim = dim,
               .mass = 3,
               .damping = 40,
               .hangs_on = "rigid",
               .arm = vec3(0.03, 0.11, dim == 3 ? 0.02 : 0)};
    assert_int_equal(state_resize(context, &chain_schema, &c, 0, masses), PLIM_OK);
    for (size_t i = 0; i < masses; i++) c.velocity[3 * i] = 0.3 * (double)i;
    return c;
}

typedef struct Hung {
    const char *name, *body;
    int dim, cells;
    size_t masses;
    double mass;
} Hung;

static double difference(const double *a, const double *b, size_t count) {
    double most = 0;
    for (size_t i = 0; i < count; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

static double greatest(const double *x, size_t count) {
    double most = 0;
    for (size_t i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* Faces, body and chain against the dense answers; what is off, in parts of the greatest. */
static double compare(const Fixture *f, const Seen *seen, const Chain *chain) {
    const RigidBodies *bodies = f->world->rigid;
    const double *v = seen->whole + seen->faces, *half = seen->half + seen->half_faces;
    double scale = greatest(seen->whole, seen->faces + seen->problem.structure->count), off = 0;
    off = fmax(off, difference(v, bodies->velocity, 3));
    off = fmax(off, difference(v + 3, bodies->angular_velocity, 3));
    off = fmax(off, difference(half, bodies->velocity_half, 3));
    for (size_t i = 0; i < chain->sizes[0].count; i++) {
        size_t at = 6 + (size_t)chain->dim * i;
        off = fmax(off, difference(v + at, chain->velocity + 3 * i, (size_t)chain->dim));
        off = fmax(off, difference(half + at, chain->velocity_half + 3 * i, (size_t)chain->dim));
    }
    const Fluid *fluid = fluid_of(f->world);
    for (int a = 0; a < chain->dim; a++)
        for (size_t i = 0; i < grid_face_count(&fluid->grid, a); i++) {
            size_t u = seen->number[a][i];
            if (u != SIZE_MAX) off = fmax(off, fabs(seen->whole[u] - fluid_velocity(fluid, a)[i]));
        }
    return off / scale;
}

static void free_seen(Seen *seen) {
    for (int a = 0; a < seen->dim; a++) free(seen->number[a]);
    free(seen->half);
    free(seen->whole);
}

/* Velocities of fluid, body and chain equal a dense solve to 1e-8 of the greatest (issue's gate),
 * in each of a few steps. */
static void test_hung_on_a_body_afloat(void **state) {
    (void)state;
    static const Hung cases[] = {
        {"disc", "density: 300", 2, 12, 5, 3},
        {"light disc", "density: 30, velocity: [0.2, 0.1, 0]", 2, 12, 1, 0.1},
        {"heavy chain", "density: 900, angular_velocity: [0, 0, 3]", 2, 11, 7, 400},
        {"pinned disc", "density: 500, pin: [0.45, 0.52, 0]", 2, 12, 4, 20},
        {"locked disc", "density: 500, lock_rotation: true", 2, 12, 4, 20},
        {"ball", "density: 400, angular_velocity: [1, 2, -1]", 3, 6, 4, 2},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const Hung *hung = &cases[k];
        char text[600];
        snprintf(text, sizeof text,
                 "plimsoll: 1\ndim: %d\nfluid: {cells: %d, density: 1000, tolerance: 1e-13, "
                 "initial: {random: {amplitude: 0.3, length: 0.3}}}\n"
                 "rigid:\n  bodies:\n    - {name: a, shape: {ball: {radius: 0.21}}, "
                 "position: [0.48, 0.53, %g], %s}\n",
                 hung->dim, hung->cells, hung->dim == 3 ? 0.46 : 0.0, hung->body);
        Fixture f = open_in(test_context(1), text);
        Chain chain = make_chain(f.context, hung->dim, hung->masses);
        Seen seen = {.dim = hung->dim};
        chain.mass = hung->mass;
        assert_int_equal(world_add_system(f.world, NULL, &chain_class, &chain, ORDER_SOLIDS),
                         PLIM_OK);
        coupling_watch(f.world->coupling, see, &seen);
        double worst = 0;
        for (int s = 0; s < 3; s++) {
            step(&f, 0.01);
            worst = fmax(worst, compare(&f, &seen, &chain));
        }
        print_message("%s: %zu faces, %zu masses, off by %.2g of the greatest velocity\n",
                      hung->name, seen.faces, hung->masses, worst);
        assert_true(worst < 1e-8);
        free_seen(&seen);
        close_scene(&f);
    }
}

/* ---- without a fluid ---- */

/* min 1/2 |w - w*|_M^2 + 1/2 |C w|^2 with the first mass at its point, written out for a body that
 * is free or stands. w* is in the offers of half a step or a whole one. */
static double *solve_dry(const RigidBodies *bodies, const Chain *chain, double dt,
                         const double *before, bool is_free) {
    size_t d = (size_t)chain->dim, v = 6 + d * chain->sizes[0].count, n = v + d + (is_free ? 0 : 6);
    double *a = calloc(n * n, sizeof *a), *b = calloc(n, sizeof *b), *x = calloc(n, sizeof *x);
    double inertia[9];
    mat3_store(inertia, rigid_world_inertia(bodies, 0));
    for (size_t i = 0; i < 3; i++) {
        a[i * n + i] = is_free ? bodies->mass[0] : 1;
        for (size_t j = 0; j < 3; j++)
            a[(3 + i) * n + 3 + j] = is_free ? inertia[3 * i + j] : i == j;
    }
    for (size_t i = 6; i < v; i++) a[i * n + i] = chain->mass;
    for (size_t i = 0; i < v; i++)
        for (size_t j = 0; j < v; j++) b[i] += a[i * n + j] * before[j];
    for (size_t i = 6; i + d < v; i++) {
        double c = chain->damping * dt;
        a[i * n + i] += c;
        a[(i + d) * n + i + d] += c;
        a[i * n + i + d] -= c;
        a[(i + d) * n + i] -= c;
    }
    Vec3 arm = quat_rotate(quat_load(bodies->orientation), chain->arm);
    for (size_t axis = 0; axis < d; axis++) {
        double row[6];
        vec3_store(row, vec3_axis((int)axis));
        vec3_store(row + 3, vec3_cross(arm, vec3_axis((int)axis)));
        for (size_t i = 0; i < 6; i++) a[(v + axis) * n + i] = a[i * n + v + axis] = row[i];
        a[(v + axis) * n + 6 + axis] = a[(6 + axis) * n + v + axis] = -1;
    }
    for (size_t i = 0; i < 6 && !is_free; i++) { /* it keeps its velocities */
        a[(v + d + i) * n + i] = a[i * n + v + d + i] = 1;
        b[v + d + i] = before[i];
    }
    flow_dense_eliminate(a, b, x, n);
    free(a);
    free(b);
    return x;
}

/* In the air a chain swings from a body that flies, or from one that stands. */
static void test_hung_in_the_air(void **state) {
    (void)state;
    static const char *const kinds[] = {
        "density: 500, velocity: [1, 2, 0.3], angular_velocity: [3, 1, 2]", "motion: static"};
    for (size_t k = 0; k < 2; k++) {
        char text[300];
        snprintf(text, sizeof text,
                 "plimsoll: 1\nrigid:\n  bodies:\n    - {name: a, shape: {box: {size: [0.2, 0.3, "
                 "0.4]}}, position: [0.1, 2, 0.4], %s}\n",
                 kinds[k]);
        Fixture f = open_in(test_context(1), text);
        Chain chain = make_chain(f.context, 3, 6);
        const RigidBodies *bodies = f.world->rigid;
        const double dt = 0.02, fall = dt * 9.81;
        assert_int_equal(world_add_system(f.world, NULL, &chain_class, &chain, ORDER_SOLIDS),
                         PLIM_OK);
        for (int s = 0; s < 5; s++) {
            double before[6 + 3 * 6], off;
            memcpy(before, bodies->velocity, 3 * sizeof *before);
            memcpy(before + 6, chain.velocity, 18 * sizeof *before);
            for (size_t i = 0; i < 7; i++)
                if (i > 0 || k == 0) before[(i > 0 ? 3 : 0) + 3 * i + 1] -= fall;
            double momentum[3];
            memcpy(momentum, bodies->angular_momentum, sizeof momentum);
            step(&f, dt);
            /* Without torques its angular momentum is what it was, where it is now. */
            Vec3 spin =
                mat3_apply(mat3_inverse(rigid_world_inertia(bodies, 0)), vec3_load(momentum));
            vec3_store(before + 3, k == 0 ? spin : vec3(0, 0, 0));
            double *x = solve_dry(bodies, &chain, dt, before, k == 0);
            off = fmax(difference(x, bodies->velocity, 3),
                       difference(x + 3, bodies->angular_velocity, 3));
            off = fmax(off, difference(x + 6, chain.velocity, 18)) / greatest(x, 24);
            free(x);
            if (off > 1e-8) fail_msg("%s: step %d is off by %g", kinds[k], s, off);
        }
        close_scene(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hung_on_a_body_afloat),
                                       cmocka_unit_test(test_hung_in_the_air)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
