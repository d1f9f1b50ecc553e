/* Bodies' motions as columns of the unilateral pressure solve. With s_f the part of face f that a
 * body covers and J_f its velocity across the face by its six motions V,
 *
 *     H V,  (H V)_c = sum over faces of c of +-A s_f J_f V,
 *
 * is the volume that the body pushes out of cell c. Liquid and bodies together may not be pressed
 * together: rho H V joins the room of eq. 3.7 (001). Of the pressure on a face the liquid takes the
 * part v_f (eq. 3.8), the body the part s_f: it gets the impulse H^T P, the transpose, so that no
 * momentum is lost. With V = V* + N H^T P, N its inverse mass, the matrix becomes
 *
 *     A + rho H N H^T,
 *
 * symmetric and positive as before, of low rank more. N = L L^T: the columns are sqrt(rho) H L. */
#include "splash/faces.h"

#include <string.h>

/* ---- H ---- */

/* Cells beside the faces of a body, in a box. */
typedef struct CellBox {
    int low[3], size[3];
    double *rows; /* six a cell */
} CellBox;

static void cell_place(const Grid *grid, size_t cell, int at[3]) {
    size_t nx = (size_t)grid->n[0], ny = (size_t)grid->n[1];
    at[0] = (int)(cell % nx);
    at[1] = (int)(cell / nx % ny);
    at[2] = (int)(cell / nx / ny);
}

static PlimStatus take_box(const Grid *grid, const SplashSolid *solid, Scratch *scratch,
                           CellBox *box) {
    int high[3] = {0, 0, 0}, at[3];
    for (int a = 0; a < 3; a++) box->low[a] = grid->n[a];
    for (size_t i = 0; i < solid->faces.count; i++) {
        size_t cells[2] = {solid->faces.data[i].low, solid->faces.data[i].high};
        for (int end = 0; end < 2; end++) {
            cell_place(grid, cells[end], at);
            for (int a = 0; a < 3; a++) {
                if (at[a] < box->low[a]) box->low[a] = at[a];
                if (at[a] + 1 > high[a]) high[a] = at[a] + 1;
            }
        }
    }
    size_t count = 6;
    for (int a = 0; a < 3; a++) {
        box->size[a] = high[a] > box->low[a] ? high[a] - box->low[a] : 0;
        count *= (size_t)box->size[a];
    }
    box->rows = scratch_take(scratch, count + 1, sizeof *box->rows);
    if (!box->rows) return PLIM_OUT_OF_MEMORY;
    memset(box->rows, 0, count * sizeof *box->rows);
    return PLIM_OK;
}

static double *box_row(const Grid *grid, const CellBox *box, size_t cell) {
    int at[3];
    cell_place(grid, cell, at);
    for (int a = 0; a < 3; a++) at[a] -= box->low[a];
    return box->rows +
           6 * (((size_t)at[2] * (size_t)box->size[1] + (size_t)at[1]) * (size_t)box->size[0] +
                (size_t)at[0]);
}

static void fill_box(const Splash *splash, const SplashSolid *solid, Vec3 center, CellBox *box) {
    const Grid *grid = &splash->padded;
    double area = grid_face_area(grid);
    for (size_t i = 0; i < solid->faces.count; i++) {
        const SolidFace *face = &solid->faces.data[i];
        double closed = area * splash_solid_share(splash, face), row[6];
        vec3_store(row, vec3_axis(face->axis));
        vec3_store(row + 3, vec3_cross(vec3_sub(face->x, center), vec3_axis(face->axis)));
        double *low = box_row(grid, box, face->low), *high = box_row(grid, box, face->high);
        for (int k = 0; k < 6; k++) {
            low[k] += closed * row[k];
            high[k] -= closed * row[k];
        }
    }
}

/* Of the area, below which a row is what rounding left of faces that cancel. */
static const double LEAST_ROW = 1e-12;

static bool list_rows(Splash *splash, size_t block, const CellBox *box) {
    const Grid *grid = &splash->padded;
    double least = LEAST_ROW * grid_face_area(grid);
    const double *row = box->rows;
    for (int k = 0; k < box->size[2]; k++)
        for (int j = 0; j < box->size[1]; j++)
            for (int i = 0; i < box->size[0]; i++, row += 6) {
                BoundedEntry entry = {.block = block};
                entry.cell =
                    grid_cell_index(grid, i + box->low[0], j + box->low[1], k + box->low[2]);
                double most = fmax(fabs(row[0]), fmax(fabs(row[1]), fabs(row[2])));
                if (splash->kind[entry.cell] != CELL_FLUID || !(most > least)) continue;
                memcpy(entry.value, row, sizeof entry.value);
                if (!array_push(splash->context, &splash->push.rows, entry)) return false;
            }
    return true;
}

PlimStatus splash_find_push_rows(Splash *splash, const StepInfo *step) {
    SplashPush *push = &splash->push;
    push->rows.count = 0;
    for (size_t b = 0; b < push->bodies.count; b++) {
        size_t collider = push->collider.data[b];
        const SplashSolid *solid = &push->solids.data[collider];
        Vec3 center = splash->colliders.list.data[collider].now.position;
        size_t mark = scratch_mark(step->scratch);
        CellBox box;
        TRY(take_box(&splash->padded, solid, step->scratch, &box));
        fill_box(splash, solid, center, &box);
        if (!list_rows(splash, b, &box)) return PLIM_OUT_OF_MEMORY;
        scratch_release(step->scratch, mark);
    }
    return PLIM_OK;
}

/* ---- products ---- */

void splash_push_out(const Splash *splash, const double *v, double *out) {
    const SplashPush *push = &splash->push;
    for (size_t e = 0; e < push->rows.count; e++) {
        const BoundedEntry *entry = &push->rows.data[e];
        double sum = 0;
        for (int k = 0; k < 6; k++) sum += entry->value[k] * v[6 * entry->block + (size_t)k];
        out[entry->cell] += splash->desc.density * sum;
    }
}

void splash_push_impulses(const Splash *splash, const double *pressure, double *impulse) {
    const SplashPush *push = &splash->push;
    memset(impulse, 0, 6 * push->bodies.count * sizeof *impulse);
    for (size_t e = 0; e < push->rows.count; e++) {
        const BoundedEntry *entry = &push->rows.data[e];
        for (int k = 0; k < 6; k++)
            impulse[6 * entry->block + (size_t)k] += entry->value[k] * pressure[entry->cell];
    }
}

/* The solve does not know of contact, which comes after it: a body on the floor would give way to
 * the water above it, and the pressure flicker. So contact is expected to be as it was, as far as
 * it stops the body and no farther. One step late, it settles: of the water's weight it carries the
 * part M / (M + m) more with each. */
void splash_push_expect_contact(Splash *splash, double dt) {
    SplashPush *push = &splash->push;
    for (size_t b = 0; b < push->bodies.count; b++) {
        PushedBody *body = &push->bodies.data[b];
        const double *contact = push->contact + 6 * b, *load = push->load + 6 * b;
        double gain[6] = {0}, against = 0, square = 0;
        for (int i = 0; i < 6; i++) {
            double ahead = body->velocity[i];
            for (int j = 0; j < 6; j++) {
                gain[i] += dt * body->inverse_mass[i][j] * contact[j];
                ahead += dt * body->inverse_mass[i][j] * load[j];
            }
            against -= dt * contact[i] * ahead;
            square += dt * contact[i] * gain[i];
        }
        double part = square > 0 ? fmax(0, fmin(1, against / square)) : 0;
        for (int i = 0; i < 6; i++) body->velocity[i] += part * gain[i];
    }
}

void splash_push_velocities(const Splash *splash, const double *impulse, double *v) {
    const SplashPush *push = &splash->push;
    for (size_t b = 0; b < push->bodies.count; b++) {
        const PushedBody *body = &push->bodies.data[b];
        for (size_t i = 0; i < 6; i++) {
            double sum = body->velocity[i];
            for (size_t j = 0; j < 6; j++) sum += body->inverse_mass[i][j] * impulse[6 * b + j];
            v[6 * b + i] = sum;
        }
    }
}

/* ---- C ---- */

/* L with L L^T = N, Cholesky's with pivots: N has fewer than six ranks where pins and locks hold,
 * or nearly so. The motion of which the greatest part is left comes next; columns after the last
 * are zero. */
static void factor(const double n[6][6], double l[6][6]) {
    double rest[6][6];
    memcpy(rest, n, sizeof rest);
    memset(l, 0, 36 * sizeof(double));
    for (int column = 0; column < 6; column++) {
        int next = 0;
        double most = 0;
        for (int i = 0; i < 6; i++) {
            double part = n[i][i] > 0 ? rest[i][i] / n[i][i] : 0;
            if (part > most) next = i;
            most = fmax(most, part);
        }
        if (!(most > 1e-9)) return;
        double root = sqrt(rest[next][next]);
        for (int i = 0; i < 6; i++) l[i][column] = rest[i][next] / root;
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++) rest[i][j] -= l[i][column] * l[j][column];
    }
}

PlimStatus splash_push_columns(Splash *splash, double scale, BoundedColumns *out) {
    SplashPush *push = &splash->push;
    size_t block = SIZE_MAX;
    double l[6][6], root = sqrt(scale);
    push->columns.count = 0;
    if (!array_reserve(splash->context, &push->columns, push->rows.count))
        return PLIM_OUT_OF_MEMORY;
    for (size_t e = 0; e < push->rows.count; e++) {
        BoundedEntry entry = push->rows.data[e];
        const double *row = push->rows.data[e].value;
        if (entry.block != block) factor(push->bodies.data[entry.block].inverse_mass, l);
        block = entry.block;
        for (int j = 0; j < 6; j++) {
            double sum = 0;
            for (int i = 0; i < 6; i++) sum += row[i] * l[i][j];
            entry.value[j] = root * sum;
        }
        push->columns.data[push->columns.count++] = entry;
    }
    *out = (BoundedColumns){push->columns.data, push->columns.count, push->bodies.count};
    return PLIM_OK;
}
