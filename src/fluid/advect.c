/* Advection of smoke, temperature and velocity (000 section 4.4.2).
 *
 * Second order in time. What is at x_o now has, on average over the step, the velocity
 * v = u + dt/2 a, where a is its acceleration, and ends at x = x_o + dt v(x_o). Its velocity there
 * is u(x_o) + dt/2 (a(x_o) + a'(x)), a' the acceleration at the end. So the field v carries, along
 * paths that it has at their start, and is carried itself; dt/2 a(x) is taken out again, and the
 * whole step of forces, viscosity and pressure then adds dt a'(x). a is that of the last step: the
 * difference is of third order. With a = 0 this is the first-order scheme of the document. */
#include "fluid/boundary.h"
#include "fluid/internal.h"
#include "fluid/leapfrog.h"
#include "grid/extrapolate.h"

#include <string.h>

typedef struct CarryContext {
    const Fluid *fluid;
    int component; /* of a velocity */
} CarryContext;

static void fill_velocity(const void *user, size_t which, GridField *field, int threads) {
    (void)which;
    const CarryContext *context = user;
    fluid_fill_velocity(context->fluid, context->component, field, threads);
}

static void fill_scalar(const void *user, size_t which, GridField *field, int threads) {
    fluid_fill_scalar(user, (int)which, field, threads);
}

Advection fluid_advection(const Fluid *fluid, const StepInfo *step) {
    Advection advection = {
        .scheme = fluid->desc.advection, .trace_order = fluid->desc.trace_order, .dt = step->dt};
    if (fluid_is_second_order(fluid)) advection.trace_order = ADVECT_FROM_START;
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        advection.velocity[axis] = &fluid->advect.faces[axis];
    if (fluid->colliders.list.count > 0) advection.distance = &fluid->cut.cell_distance;
    advection.goes_on = true;
    return advection;
}

/* ---- smoke and temperature ---- */

bool fluid_is_at(const Fluid *fluid, size_t value) {
    if (fluid->colliders.list.count == 0) return true;
    return fluid->desc.storage == FLUID_ON_NODES ? fluid->cut.distance[value] > 0
                                                 : fluid->cut.kind[value] == CELL_FLUID;
}

static void mark_known(const Fluid *fluid, unsigned char *known) {
    size_t count = grid_place_count(&fluid->grid, fluid_smoke_place(fluid));
    for (size_t i = 0; i < count; i++) known[i] = fluid_is_at(fluid, i);
}

static PlimStatus load_scalar(Fluid *fluid, const StepInfo *step, int which) {
    enum { LAYERS = 2 };
    GridField *field = &fluid->advect.scalars[which];
    field_load(field, step->threads, which ? fluid->temperature : fluid->smoke);
    PlimStatus status = PLIM_OK;
    if (fluid->colliders.list.count > 0) {
        size_t mark = scratch_mark(step->scratch);
        size_t count = grid_place_count(&fluid->grid, field->place);
        unsigned char *known = scratch_take(step->scratch, count, 1);
        if (!known) return PLIM_OUT_OF_MEMORY;
        mark_known(fluid, known);
        double fallback = which ? fluid->desc.smoke.ambient : 0;
        status = field_extrapolate(field, known, LAYERS, fallback, step->scratch);
        scratch_release(step->scratch, mark);
    }
    fluid_fill_scalar(fluid, which, field, step->threads);
    return status;
}

PlimStatus fluid_load_scalars(Fluid *fluid, const StepInfo *step) {
    for (int which = 0; which < 2; which++) TRY(load_scalar(fluid, step, which));
    return PLIM_OK;
}

typedef struct StoreJob {
    const GridField *field;
    const Fluid *fluid;
    double *to;
} StoreJob;

static void store_row(void *user, int j, int k) {
    const StoreJob *job = user;
    const GridField *field = job->field;
    const double *from = field->data + field_index(field, 0, j, k);
    size_t first = ((size_t)k * (size_t)field->n[1] + (size_t)j) * (size_t)field->n[0];
    for (size_t i = 0; i < (size_t)field->n[0]; i++)
        if (job->fluid->colliders.some_move || fluid_is_at(job->fluid, first + i))
            job->to[first + i] = from[i];
}

/* Within bodies that move, what goes on into them is kept for when they have left. */
void fluid_store_scalars(Fluid *fluid, const StepInfo *step) {
    for (int which = 0; which < 2; which++) {
        StoreJob job = {&fluid->advect.scalars[which], fluid,
                        which ? fluid->temperature : fluid->smoke};
        grid_for_rows(&fluid->grid, fluid->advect.scalars[which].place, step->threads, store_row,
                      &job);
    }
}

static PlimStatus carry_scalars(Fluid *fluid, const StepInfo *step) {
    Advection advection = fluid_advection(fluid, step);
    advection.fill_halo = fill_scalar;
    advection.user = fluid;
    GridField *fields[2] = {&fluid->advect.scalars[0], &fluid->advect.scalars[1]};
    TRY(fluid_load_scalars(fluid, step));
    TRY(advect_fields(&advection, fields, 2, step->threads, step->scratch));
    fluid_store_scalars(fluid, step);
    return PLIM_OK;
}

/* ---- velocity ---- */

/* What half a step at the last acceleration adds to a velocity; never further than half of what a
 * step may go, for impulses are no accelerations. */
typedef struct HalfGain {
    double half_step, most; /* s, m/s */
} HalfGain;

static HalfGain half_gain_of(const Fluid *fluid, const StepInfo *step) {
    if (!(step->dt > 0)) return (HalfGain){0, 0};
    return (HalfGain){0.5 * step->dt, 0.5 * fluid->desc.cfl * fluid->grid.spacing / step->dt};
}

static double half_gain(HalfGain rule, double acceleration) {
    double gain = rule.half_step * acceleration;
    gain = gain < rule.most ? gain : rule.most;
    return gain > -rule.most ? gain : -rule.most;
}

typedef struct GainJob {
    Fluid *fluid;
    const StepInfo *step;
    int axis;
} GainJob;

static void add_gain_row(void *user, int j, int k) {
    const GainJob *job = user;
    GridField *faces = &job->fluid->advect.faces[job->axis];
    const double *a = fluid_acceleration(job->fluid, job->axis) +
                      grid_face_index(&job->fluid->grid, job->axis, 0, j, k);
    double *u = faces->data + field_index(faces, 0, j, k);
    HalfGain rule = half_gain_of(job->fluid, job->step);
    for (int i = 0; i < faces->n[0]; i++) u[i] += half_gain(rule, a[i]);
}

void fluid_add_half_gain(Fluid *fluid, const StepInfo *step, int axis) {
    GainJob job = {fluid, step, axis};
    grid_for_rows(&fluid->grid, grid_place_faces(axis), step->threads, add_gain_row, &job);
}

/* Stores what was carried without dt/2 a, and notes it as the velocity before the rest of the step.
 */
static void take_gain_row(void *user, int j, int k) {
    const GainJob *job = user;
    const GridField *carried = &job->fluid->advect.carried[job->axis];
    size_t first = grid_face_index(&job->fluid->grid, job->axis, 0, j, k);
    double *a = fluid_acceleration(job->fluid, job->axis) + first;
    double *u = fluid_velocity(job->fluid, job->axis) + first;
    const double *from = carried->data + field_index(carried, 0, j, k);
    HalfGain rule = half_gain_of(job->fluid, job->step);
    for (int i = 0; i < carried->n[0]; i++) a[i] = u[i] = from[i] - half_gain(rule, a[i]);
}

static void keep_acceleration_row(void *user, int j, int k) {
    const GainJob *job = user;
    const Fluid *fluid = job->fluid;
    size_t first = grid_face_index(&fluid->grid, job->axis, 0, j, k);
    const double *u = fluid_velocity(fluid, job->axis) + first;
    const double *open = fluid->cut.open[job->axis] ? fluid->cut.open[job->axis] + first : NULL;
    double *a = fluid_acceleration(fluid, job->axis) + first;
    int nx = grid_place_size(&fluid->grid, grid_place_faces(job->axis), 0);
    double rate = job->step->dt > 0 ? 1 / job->step->dt : 0;
    for (int i = 0; i < nx; i++) a[i] = open && !(open[i] > 0) ? 0 : (u[i] - a[i]) * rate;
}

void fluid_keep_acceleration(Fluid *fluid, const StepInfo *step) {
    for (int axis = 0; fluid_is_second_order(fluid) && axis < fluid->grid.dim; axis++) {
        GainJob job = {fluid, step, axis};
        grid_for_rows(&fluid->grid, grid_place_faces(axis), step->threads, keep_acceleration_row,
                      &job);
    }
}

typedef struct OwnJob {
    const Fluid *fluid;
    GridField *carried;
    int axis;
} OwnJob;

static void own_row(void *user, int j, int k) {
    const OwnJob *job = user;
    const double *u = fluid_velocity(job->fluid, job->axis) +
                      grid_face_index(&job->fluid->grid, job->axis, 0, j, k);
    double *carried = job->carried->data + field_index(job->carried, 0, j, k);
    for (int i = 0; i < job->carried->n[0]; i++)
        if (fluid_face_is_dragged(job->fluid, job->axis, (int[3]){i, j, k})) carried[i] = u[i];
}

/* Faces that viscosity alone moves carry their own velocity; the surface goes with that of the
 * liquid beside them, for nothing keeps theirs free of divergence. */
static void carry_dragged(Fluid *fluid, const StepInfo *step, int axis) {
    OwnJob job = {fluid, &fluid->advect.carried[axis], axis};
    if (fluid->liquid.wet_corners)
        grid_for_rows(&fluid->grid, grid_place_faces(axis), step->threads, own_row, &job);
}

static PlimStatus carry_component(Fluid *fluid, const StepInfo *step, int axis) {
    GridField *carried = &fluid->advect.carried[axis];
    CarryContext context = {fluid, axis};
    Advection advection = fluid_advection(fluid, step);
    advection.fill_halo = fill_velocity;
    advection.user = &context;
    memcpy(carried->data, fluid->advect.faces[axis].data, carried->count * sizeof *carried->data);
    carry_dragged(fluid, step, axis);
    TRY(advect_fields(&advection, &carried, 1, step->threads, step->scratch));
    fluid_slow_incoming(fluid, step, axis, &fluid->advect.faces[axis], carried);
    return PLIM_OK;
}

PlimStatus fluid_advect(Fluid *fluid, const StepInfo *step) {
    fluid->wall_time = step->time;
    TRY(fluid_load_faces(fluid, step));
    fluid_note_velocity(fluid, step);
    if (fluid_has_surface(fluid)) TRY(fluid_advect_surface(fluid, step));
    if (fluid->desc.smoke.is_there) TRY(carry_scalars(fluid, step));
    if (!fluid->desc.carries_velocity) return PLIM_OK;
    if (fluid->desc.conserves_momentum) return fluid_carry_momentum(fluid, step);
    for (int axis = 0; axis < fluid->grid.dim; axis++) TRY(carry_component(fluid, step, axis));
    for (int axis = 0; axis < fluid->grid.dim; axis++) {
        GainJob job = {fluid, step, axis};
        if (fluid_is_second_order(fluid))
            grid_for_rows(&fluid->grid, grid_place_faces(axis), step->threads, take_gain_row, &job);
        else
            field_store(&fluid->advect.carried[axis], step->threads, fluid_velocity(fluid, axis));
    }
    return PLIM_OK;
}
