/* The coupled problem as rows (002 (5.30)): net outflow of cells, and dampers whose squares sum up
 * to the dissipation. Sides are walls at rest, so that given velocities do not enter. */
#include "bench/fsi_bench.h"

#include "solve/viscosity/viscosity_internal.h"

#include <string.h>

typedef struct Entry {
    int32_t column;
    double value;
} Entry;

typedef struct RowMaker {
    const FsiSolve *solve;
    const Viscosity *v;
    int32_t *column; /* by place in a lattice vector; -1: not unknown */
    ARRAY(Entry) entries;
    ARRAY(size_t) ends;
    bool short_of_memory;
} RowMaker;

/* ---- rows ---- */

static void add(RowMaker *make, size_t first, int32_t column, double value) {
    if (column < 0 || value == 0) return;
    Entry *data = make->entries.data;
    for (size_t i = first; i < make->entries.count; i++)
        if (data[i].column == column) {
            data[i].value += value;
            return;
        }
    Entry entry = {column, value};
    if (!array_push(make->solve->context, &make->entries, entry)) {
        make->short_of_memory = true;
        return;
    }
    /* Columns ascend. */
    data = make->entries.data;
    for (size_t i = make->entries.count - 1; i > first && data[i - 1].column > data[i].column;
         i--) {
        Entry other = data[i];
        data[i] = data[i - 1];
        data[i - 1] = other;
    }
}

static void add_body(RowMaker *make, size_t first, const double row[6], double factor) {
    const FsiSolve *solve = make->solve;
    for (int m = 0; m < solve->motion_count; m++) {
        double sum = 0;
        for (int i = 0; i < 6; i++) sum += row[i] * solve->motion[m][i];
        add(make, first, (int32_t)solve->free_count + m, factor * sum);
    }
}

static void end_row(RowMaker *make, size_t first) {
    if (make->entries.count == first) return;
    if (!array_push(make->solve->context, &make->ends, make->entries.count))
        make->short_of_memory = true;
}

static PlimStatus finish(RowMaker *make, size_t columns, Csr *out) {
    PlimContext *context = make->solve->context;
    PlimStatus status = make->short_of_memory ? PLIM_OUT_OF_MEMORY
                                              : csr_create(context, make->ends.count, columns,
                                                           make->entries.count, out);
    for (size_t i = 0; status == PLIM_OK && i < make->entries.count; i++) {
        out->column[i] = make->entries.data[i].column;
        out->value[i] = make->entries.data[i].value;
    }
    for (size_t i = 0; status == PLIM_OK && i < make->ends.count; i++)
        out->row_start[i + 1] = make->ends.data[i];
    array_free(context, &make->entries);
    array_free(context, &make->ends);
    return status;
}

/* ---- cells ---- */

static void add_cell(RowMaker *make, int i, int j) {
    const FsiSolve *solve = make->solve;
    const Fluid *fluid = solve->fluid;
    const Grid *grid = &fluid->grid;
    size_t first = make->entries.count;
    if (fluid->cut.kind[grid_cell_index(grid, i, j, 0)] != CELL_FLUID) return;
    for (int a = 0; a < 2; a++)
        for (int end = 0; end < 2; end++) {
            int at[3] = {i + (end && a == 0), j + (end && a == 1), 0};
            double sign = end ? 1 : -1;
            size_t place = (size_t)a * make->v->count + lattice_index(make->v, at[0], at[1], 0);
            size_t face = grid_face_index(grid, a, at[0], at[1], 0);
            add(make, first, make->column[place],
                sign * fluid->cut.open[a][face] * grid_face_area(grid));
            for (size_t f = 0; f < solve->flux_count; f++) {
                const FlowBodyFlux *flux = &solve->fluxes[f];
                if (flux->axis == a && flux->at[0] == at[0] && flux->at[1] == at[1])
                    add_body(make, first, flux->row, sign);
            }
        }
    end_row(make, first);
}

/* ---- dampers ---- */

/* Both ends of the link of component a along b whose high end is at lattice point `high`. */
static void add_difference(RowMaker *make, size_t first, int a, size_t high, size_t low,
                           double factor) {
    size_t base = (size_t)a * make->v->count;
    add(make, first, make->column[base + high], factor);
    add(make, first, make->column[base + low], -factor);
}

static bool in_body(const RowMaker *make, int a, int i, int j) {
    const Grid *grid = &make->v->grid;
    int n[2] = {grid->n[0] + (a == 0), grid->n[1] + (a == 1)};
    if (i < 0 || j < 0 || i >= n[0] || j >= n[1]) return false;
    return make->solve->fluid->cut.face_distance[a][grid_face_index(grid, a, i, j, 0)] < 0;
}

static void damp_cell(RowMaker *make, int a, int i, int j) {
    const Viscosity *v = make->v;
    size_t c = lattice_index(v, i, j, 0), first = make->entries.count;
    if (in_body(make, a, i, j) || in_body(make, a, i + (a == 0), j + (a == 1))) return;
    add_difference(make, first, a, c + v->stride[a], c,
                   sqrt(v->stiffness * (double)v->link[a][a][c]));
    end_row(make, first);
}

/* l0 d0^2 + l1 d1^2 + 2 c d0 d1 as a sum of two squares. */
static void damp_edge(RowMaker *make, int i, int j) {
    const Viscosity *v = make->v;
    size_t c = lattice_index(v, i, j, 0);
    if (in_body(make, 0, i, j) || in_body(make, 0, i, j - 1) || in_body(make, 1, i, j) ||
        in_body(make, 1, i - 1, j))
        return;
    double l0 = (double)v->link[0][1][c], l1 = (double)v->link[1][0][c];
    double cross = (double)v->cross[2][c], root = sqrt(l0), scale = sqrt(v->stiffness);
    size_t first = make->entries.count;
    add_difference(make, first, 0, c, c - v->stride[1], scale * root);
    if (l0 > 0) add_difference(make, first, 1, c, c - v->stride[0], scale * cross / root);
    end_row(make, first);
    double rest = l0 > 0 ? l1 - cross * cross / l0 : l1;
    first = make->entries.count;
    if (rest > 1e-6 * l1) add_difference(make, first, 1, c, c - v->stride[0], scale * sqrt(rest));
    end_row(make, first);
}

static void damp_wall(void *user, const WallTerm *term) {
    RowMaker *make = user;
    double l[WALL_FUNCTIONS][WALL_FUNCTIONS] = {{0}}, scale = sqrt(make->v->stiffness);
    for (int j = 0; j < term->count; j++) {
        double pivot = term->coefficient[j][j];
        for (int k = 0; k < j; k++) pivot -= l[j][k] * l[j][k];
        if (!(pivot > 1e-7 * term->coefficient[j][j])) continue; /* rounding */
        l[j][j] = sqrt(pivot);
        for (int i = j + 1; i < term->count; i++) {
            double sum = term->coefficient[i][j];
            for (int k = 0; k < j; k++) sum -= l[i][k] * l[j][k];
            l[i][j] = sum / l[j][j];
        }
    }
    for (int j = 0; j < term->count; j++) {
        size_t first = make->entries.count;
        for (int i = j; i < term->count; i++) {
            const WallFunction *f = &term->f[i];
            double factor = scale * l[i][j], row[6] = {0};
            for (int k = 0; k < f->face_count; k++)
                add(make, first, make->column[f->face[k]], factor * f->sign[k]);
            flow_velocity_row(f->component, vec3_sub(f->x, make->solve->body.center), row);
            add_body(make, first, row, factor * f->wall_sign);
            Vec3 along = vec3(f->axis == 0, f->axis == 1, 0);
            flow_velocity_row(f->component, vec3_scale(make->v->grid.spacing, along), row);
            memset(row, 0, 3 * sizeof *row);
            add_body(make, first, row, factor * f->wall_slope);
        }
        end_row(make, first);
    }
}

/* ---- the description ---- */

static PlimStatus make_rows(RowMaker *make, Csr rows[2]) {
    const Grid *grid = &make->v->grid;
    const FsiSolve *solve = make->solve;
    for (int j = 0; j < grid->n[1]; j++)
        for (int i = 0; i < grid->n[0]; i++) add_cell(make, i, j);
    TRY(finish(make, solve->count, &rows[0]));
    for (int j = 0; j <= grid->n[1]; j++)
        for (int i = 0; i <= grid->n[0]; i++) {
            bool cell = i < grid->n[0] && j < grid->n[1];
            for (int a = 0; cell && a < 2; a++) damp_cell(make, a, i, j);
            damp_edge(make, i, j);
        }
    double *velocity[3] = {solve->start[0], solve->start[1], NULL};
    viscosity_wall_terms(make->v, solve->problem.viscous, velocity, damp_wall, make);
    return finish(make, solve->count, &rows[1]);
}

static PlimStatus describe(const FsiSolve *solve, const Csr rows[2], Coupled **out) {
    const FlowBody *body = &solve->body;
    CoupledDesc desc = coupled_desc_default(solve->context->threads);
    double block[36];
    int k = solve->motion_count;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++) {
            double sum = 0;
            for (int p = 0; p < 6; p++)
                for (int q = 0; q < 6; q++)
                    sum += solve->motion[i][p] * body->mass[p][q] * solve->motion[j][q];
            block[i * k + j] = sum;
        }
    TRY(coupled_create(solve->context, &desc, out));
    CoupledMass faces = {COUPLED_MASS_SCALAR, 1, solve->mass};
    CoupledMass motions = {COUPLED_MASS_BLOCKS, (size_t)k, block};
    TRY(coupled_add_group(*out, "faces", solve->free_count, &faces, NULL));
    TRY(coupled_add_group(*out, "body", (size_t)k, &motions, NULL));
    CoupledRows cells = {"cells", COUPLED_CONSTRAINT, &rows[0], NULL, 1};
    CoupledRows dampers = {"viscosity", COUPLED_DAMPER, &rows[1], NULL, 1};
    TRY(coupled_add_rows(*out, &cells, NULL));
    TRY(coupled_add_rows(*out, &dampers, NULL));
    return coupled_finalize(*out);
}

PlimStatus fsi_describe(const FsiSolve *solve, Coupled **out) {
    const Viscosity *v = solve->problem.viscosity;
    RowMaker make = {.solve = solve, .v = v};
    Csr rows[2] = {{0}, {0}};
    size_t places = 2 * v->count;
    *out = NULL;
    make.column = context_allocate(solve->context, places, sizeof *make.column);
    if (!make.column) return PLIM_OUT_OF_MEMORY;
    memset(make.column, 0xff, places * sizeof *make.column);
    int32_t next = 0;
    for (size_t i = 0; i < places; i++)
        if (face_is_unknown(v->face[i / v->count][i % v->count])) make.column[i] = next++;
    PlimStatus status = make_rows(&make, rows);
    if (status == PLIM_OK) status = describe(solve, rows, out);
    for (int i = 0; i < 2; i++)
        if (rows[i].row_start) csr_free(solve->context, &rows[i]);
    context_free(solve->context, make.column, places, sizeof *make.column);
    if (status != PLIM_OK && *out) {
        coupled_destroy(*out);
        *out = NULL;
    }
    return status;
}
