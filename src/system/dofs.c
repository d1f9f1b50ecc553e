/* Offers to a coupled solve: blocks of velocities and rows among them, written one by one. */
#include "system/dofs.h"

#include "base/assert.h"

#include <string.h>

void dof_rows_clear(DofRows *rows, PlimContext *context) {
    rows->context = context;
    rows->failed = false;
    rows->target.count = 0;
    csr_builder_clear(&rows->rows);
}

void dof_rows_free(DofRows *rows, PlimContext *context) {
    csr_builder_free(context, &rows->rows);
    array_free(context, &rows->target);
}

size_t dof_rows_count(const DofRows *rows) {
    return rows->target.count;
}

void dof_rows_add(DofRows *rows, size_t column, double value) {
    if (!csr_builder_add(rows->context, &rows->rows, column, value)) rows->failed = true;
}

void dof_rows_end(DofRows *rows, double target) {
    csr_builder_sort_row(&rows->rows);
    if (!csr_builder_end_row(rows->context, &rows->rows) ||
        !array_push(rows->context, &rows->target, target))
        rows->failed = true;
}

void dofs_clear(SystemDofs *dofs, PlimContext *context) {
    dofs->context = context;
    dofs->failed = false;
    dofs->blocks.count = dofs->velocity.count = dofs->fall.count = dofs->impulse.count = 0;
    dof_rows_clear(&dofs->rows, context);
    dof_rows_clear(&dofs->dampers, context);
}

void dofs_free(SystemDofs *dofs, PlimContext *context) {
    array_free(context, &dofs->blocks);
    array_free(context, &dofs->velocity);
    array_free(context, &dofs->fall);
    array_free(context, &dofs->impulse);
    dof_rows_free(&dofs->rows, context);
    dof_rows_free(&dofs->dampers, context);
}

size_t dofs_add_block(SystemDofs *dofs, int size, const double *mass, const double *velocity,
                      const double *fall) {
    PLIM_ASSERT(size >= 1 && size <= MASS_BLOCK_SIZE);
    MassBlock block = {.first = dofs->velocity.count, .size = size, .is_free = mass != NULL};
    for (int i = 0; mass && i < size; i++)
        for (int j = 0; j < size; j++) block.mass[i][j] = mass[i * size + j];
    bool good = array_push(dofs->context, &dofs->blocks, block);
    for (int i = 0; good && i < size; i++)
        good = array_push(dofs->context, &dofs->velocity, velocity[i]) &&
               array_push(dofs->context, &dofs->fall, fall ? fall[i] : 0.0) &&
               array_push(dofs->context, &dofs->impulse, 0.0);
    dofs->failed = dofs->failed || !good;
    return block.first;
}

const DofPartner *dof_partner_find(const DofPartners *partners, const char *name) {
    for (size_t i = 0; i < partners->count; i++)
        if (strcmp(partners->partners[i].name, name) == 0) return &partners->partners[i];
    return NULL;
}

void dof_rows_add_point(DofRows *rows, const DofPartner *partner, size_t surface, Vec3 x, int axis,
                        double factor) {
    SparseRow row = {.count = 0};
    partner->surfaces->row(partner->system, surface, x, axis, &row);
    PLIM_ASSERT(!row.is_short);
    for (int i = 0; i < row.count; i++)
        dof_rows_add(rows, partner->first + (size_t)row.column[i], factor * row.value[i]);
}
