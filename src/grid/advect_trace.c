/* Semi-Lagrangian traces in blocks of a row (000 section 4.4.2). */
#include "grid/advect_trace.h"

#include <math.h>

/* ---- the plan ---- */

static double place_shift(const GridField *field, int axis) {
    return grid_place_on_ends(&field->grid, field->place, axis) ? 0.0 : 0.5;
}

static Lattice make_lattice(const GridField *field, const double shift[3]) {
    Lattice lattice = {.first = field->data + field_index(field, 0, 0, 0)};
    for (int axis = 0; axis < 3; axis++) {
        lattice.stride[axis] = (ptrdiff_t)field->stride[axis];
        lattice.shift[axis] = shift[axis] - place_shift(field, axis);
    }
    return lattice;
}

TracePlan trace_plan(const Advection *advection, const double shift[3]) {
    const Grid *grid = &advection->velocity[0]->grid;
    TracePlan plan = {.dim = grid->dim,
                      .order = advection->trace_order,
                      .spacing = grid->spacing,
                      .per_speed = advection->dt / grid->spacing};
    for (int axis = 0; axis < grid->dim; axis++) {
        plan.period[axis] = grid_is_periodic(grid, axis) ? grid->n[axis] : 0.0;
        plan.low[axis] = -shift[axis];
        plan.high[axis] = grid->n[axis] - shift[axis];
        plan.velocity[axis] = make_lattice(advection->velocity[axis], shift);
    }
    if (advection->distance) plan.distance = make_lattice(advection->distance, shift);
    return plan;
}

/* ---- positions ---- */

static double wrap(double at, double period) {
    at -= period * floor(at / period);
    return at >= 0 && at < period ? at : 0.0; /* rounded up to the period, or not a number */
}

static double clamp(double at, double low, double high) {
    at = at > low ? at : low; /* written so that what is not a number becomes `low` */
    return at < high ? at : high;
}

double trace_confine(const TracePlan *plan, int axis, double at) {
    return plan->period[axis] > 0 ? wrap(at, plan->period[axis])
                                  : clamp(at, plan->low[axis], plan->high[axis]);
}

static void wrap_block(double *at, double period, int count) {
    int outside = 0;
    for (int i = 0; i < count; i++) outside |= !(at[i] >= 0) | !(at[i] < period);
    if (!outside) return; /* most blocks: spares the divisions */
    for (int i = 0; i < count; i++) at[i] = wrap(at[i], period);
}

void trace_split(const double *restrict at, double shift, int count, TraceSplit *restrict split) {
    int *restrict base = split->base;
    double *restrict fraction = split->fraction;
    for (int i = 0; i < count; i++) {
        double s = at[i] + shift;
        double toward_zero = (int)s; /* floor() keeps gcc from making vectors of this loop */
        double below = toward_zero > s ? toward_zero - 1.0 : toward_zero;
        base[i] = (int)below;
        fraction[i] = s - below;
    }
}

/* ---- velocities ---- */

void trace_sample(const Lattice *from, int dim, const TraceSplit *const at[3], int count,
                  double *restrict out) {
    int index[TRACE_BLOCK], y = (int)from->stride[1], z = dim == 3 ? (int)from->stride[2] : 0;
    for (int i = 0; i < count && dim == 2; i++) index[i] = at[0]->base[i] + at[1]->base[i] * y;
    for (int i = 0; i < count && dim == 3; i++)
        index[i] = at[0]->base[i] + at[1]->base[i] * y + at[2]->base[i] * z;
    LatticePoints points = {count, index, {at[0]->fraction, at[1]->fraction, at[2]->fraction}};
    lattice_sample(from->first, y, z, &points, out);
}

void trace_velocity(const Lattice *from, int dim, double (*const at)[TRACE_BLOCK], int count,
                    double (*velocity)[TRACE_BLOCK]) {
    /* Along each axis the components lie in at most two ways: the axis's own component and the rest
     * on faces, all in one way on nodes. */
    TraceSplit own[3], rest[3];
    bool one_way[3] = {0};
    for (int axis = 0; axis < dim; axis++) {
        double own_shift = from[axis].shift[axis];
        double rest_shift = from[(axis + 1) % dim].shift[axis];
        one_way[axis] = own_shift == rest_shift;
        trace_split(at[axis], rest_shift, count, &rest[axis]);
        if (!one_way[axis]) trace_split(at[axis], own_shift, count, &own[axis]);
    }
    for (int c = 0; c < dim; c++) {
        const TraceSplit *split[3] = {&rest[0], &rest[1], &rest[2]};
        if (!one_way[c]) split[c] = &own[c];
        trace_sample(&from[c], dim, split, count, velocity[c]);
    }
}

/* A lattice at the values of a row: along each axis it has a value there or lies half a cell off,
 * so this is the mean of 1, 2, 4 or 8 rows. */
static void average_rows(const Lattice *from, int dim, const int first[3], int count,
                         double *restrict out) {
    ptrdiff_t offset[8] = {0};
    int rows = 1;
    for (int axis = 0; axis < dim; axis++) {
        ptrdiff_t stride = from->stride[axis];
        ptrdiff_t at = (first[axis] + (int)floor(from->shift[axis])) * stride;
        for (int r = 0; r < rows; r++) offset[r] += at;
        if (from->shift[axis] == 0) continue;
        for (int r = 0; r < rows; r++) offset[rows + r] = offset[r] + stride;
        rows *= 2;
    }
    const double *row[8];
    for (int r = 0; r < 8; r++) row[r] = from->first + offset[r];
    /* Sums of sums: equal rows add up without rounding, and two dimensions make the same bits as
     * three. */
    if (rows == 1)
        for (int i = 0; i < count; i++) out[i] = row[0][i];
    else if (rows == 2)
        for (int i = 0; i < count; i++) out[i] = 0.5 * (row[0][i] + row[1][i]);
    else if (rows == 4)
        for (int i = 0; i < count; i++)
            out[i] = 0.25 * ((row[0][i] + row[1][i]) + (row[2][i] + row[3][i]));
    else
        for (int i = 0; i < count; i++)
            out[i] = 0.125 * (((row[0][i] + row[1][i]) + (row[2][i] + row[3][i])) +
                              ((row[4][i] + row[5][i]) + (row[6][i] + row[7][i])));
}

void trace_start_row(const TracePlan *plan, const int first[3], int count, TraceBlock *block) {
    block->count = count;
    for (int axis = 0; axis < plan->dim; axis++) block->start[axis] = first[axis];
    for (int c = 0; c < plan->dim; c++)
        average_rows(&plan->velocity[c], plan->dim, first, count, block->velocity[c]);
    if (plan->distance.first)
        average_rows(&plan->distance, plan->dim, first, count, block->distance);
}

/* ---- the path ---- */

/* end = start + cells_per_speed * v, within the domain. */
static void move(const TracePlan *plan, double cells_per_speed, double (*const v)[TRACE_BLOCK],
                 TraceBlock *block) {
    for (int axis = 0; axis < plan->dim; axis++) {
        const double *restrict speed = v[axis];
        double *restrict end = block->end[axis];
        double start = block->start[axis], low = plan->low[axis], high = plan->high[axis];
        int step = axis == 0 ? 1 : 0;
        if (plan->period[axis] > 0) {
            for (int i = 0; i < block->count; i++)
                end[i] = (start + step * i) + cells_per_speed * speed[i];
            wrap_block(end, plan->period[axis], block->count);
        } else
            for (int i = 0; i < block->count; i++)
                end[i] = clamp((start + step * i) + cells_per_speed * speed[i], low, high);
    }
}

static void measure_length(const TracePlan *plan, double (*const v)[TRACE_BLOCK],
                           TraceBlock *block) {
    for (int i = 0; i < block->count; i++) {
        double sum = fabs(v[0][i]) + fabs(v[1][i]);
        if (plan->dim == 3) sum += fabs(v[2][i]);
        block->length[i] = plan->per_speed * sum;
    }
}

/* Ralston's third-order method: 1/2, 3/4; 2/9, 3/9, 4/9. Leaves the mean velocity in v. */
static void ralston(const TracePlan *plan, double cells, TraceBlock *block,
                    double (*v)[TRACE_BLOCK]) {
    double later[3][TRACE_BLOCK];
    trace_velocity(plan->velocity, plan->dim, block->end, block->count, v);
    move(plan, 0.75 * cells, v, block);
    trace_velocity(plan->velocity, plan->dim, block->end, block->count, later);
    for (int axis = 0; axis < plan->dim; axis++)
        for (int i = 0; i < block->count; i++)
            v[axis][i] =
                (2.0 * block->velocity[axis][i] + 3.0 * v[axis][i] + 4.0 * later[axis][i]) / 9.0;
}

void trace_run(const TracePlan *plan, double direction, TraceBlock *block) {
    double middle[3][TRACE_BLOCK], (*v)[TRACE_BLOCK] = block->velocity;
    double cells = direction * plan->per_speed;
    if (plan->order == ADVECT_FROM_START && direction < 0) {
        v = middle; /* x_o = x - dt v(x_o), from a first guess */
        move(plan, cells, block->velocity, block);
        trace_velocity(plan->velocity, plan->dim, block->end, block->count, v);
    }
    if (plan->order > 1) {
        v = middle;
        move(plan, 0.5 * cells, block->velocity, block);
        if (plan->order == 2)
            trace_velocity(plan->velocity, plan->dim, block->end, block->count, v);
        else
            ralston(plan, cells, block, v);
    }
    move(plan, cells, v, block);
    block->near_count = 0;
    if (!plan->distance.first) return;
    measure_length(plan, v, block);
    trace_leave_solids(plan, block);
}

/* ---- one point ---- */

Vec3 advect_trace(const Advection *advection, Vec3 x) {
    if (advection->dt == 0) return x;
    const Grid *grid = &advection->velocity[0]->grid;
    TracePlan plan = trace_plan(advection, (double[3]){0, 0, 0});
    TraceBlock block = {.count = 1};
    const double h = grid->spacing,
                 from[3] = {x.x - grid->origin.x, x.y - grid->origin.y, x.z - grid->origin.z};
    for (int axis = 0; axis < grid->dim; axis++)
        block.end[axis][0] = block.start[axis] = trace_confine(&plan, axis, from[axis] / h);
    trace_velocity(plan.velocity, plan.dim, block.end, 1, block.velocity);
    block.distance[0] = -HUGE_VAL; /* not known: look at the end */
    trace_run(&plan, -1.0, &block);
    return vec3(grid->origin.x + h * block.end[0][0], grid->origin.y + h * block.end[1][0],
                grid->dim == 3 ? grid->origin.z + h * block.end[2][0] : x.z);
}
