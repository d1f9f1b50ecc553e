/* Leapfrog of a liquid: its velocities are those of the middle of a step, its surface, particles
 * and drops those of the ends.
 *
 * x^{n+1} = x^n + dt u^{n+1/2}, u^{n+3/2} = u^{n+1/2} + dt a(x^{n+1}) is what the order of the
 * stages does, second order in time and without loss of energy, as soon as the first velocity is
 * that of the middle of the first step. Forces, viscosity and pressure are solved for once before
 * it, on the surface at t = 0, for how fast velocities change there. When steps grow or shrink,
 * velocities are shifted in time by the change of the last step. `lead` is by how much they are
 * ahead of the surface. */
#include "fluid/leapfrog.h"

#include "fluid/boundary.h"
#include "fluid/forces.h"
#include "fluid/internal.h"
#include "fluid/project.h"

typedef struct ChangeJob {
    Fluid *fluid;
    int axis;
    double factor; /* of a shift: s; of a change: 1/s */
} ChangeJob;

static void for_faces(Fluid *fluid, const StepInfo *step, double factor, GridRow rows) {
    for (int axis = 0; axis < fluid->grid.dim; axis++) {
        ChangeJob job = {fluid, axis, factor};
        grid_for_rows(&fluid->grid, grid_place_faces(axis), step->threads, rows, &job);
    }
}

static void shift_row(void *user, int j, int k) {
    const ChangeJob *job = user;
    size_t first = grid_face_index(&job->fluid->grid, job->axis, 0, j, k);
    double *u = fluid_velocity(job->fluid, job->axis) + first;
    const double *a = fluid_acceleration(job->fluid, job->axis) + first;
    int nx = grid_place_size(&job->fluid->grid, grid_place_faces(job->axis), 0);
    for (int i = 0; i < nx; i++) u[i] += job->factor * a[i];
}

/* Faces that no liquid touches have no velocity that could change, and walls and inflows theirs by
 * themselves. */
static void change_row(void *user, int j, int k) {
    const ChangeJob *job = user;
    const Grid *grid = &job->fluid->grid;
    size_t first = grid_face_index(grid, job->axis, 0, j, k);
    const double *u = fluid_velocity(job->fluid, job->axis) + first;
    double *a = fluid_acceleration(job->fluid, job->axis) + first;
    int nx = grid_place_size(grid, grid_place_faces(job->axis), 0);
    for (int i = 0; i < nx; i++) {
        int at[3] = {i, j, k};
        bool moves = fluid_face_is_wet(job->fluid, job->axis, at) &&
                     !fluid_is_on_given_side(grid, job->axis, at[job->axis]);
        a[i] = moves ? (u[i] - a[i]) * job->factor : 0;
    }
}

void fluid_note_velocity(Fluid *fluid, const StepInfo *step) {
    for (int axis = 0; fluid_leads(fluid) && axis < fluid->grid.dim; axis++)
        field_store(&fluid->advect.faces[axis], step->threads, fluid_acceleration(fluid, axis));
}

void fluid_keep_change(Fluid *fluid, const StepInfo *step) {
    if (fluid_leads(fluid)) for_faces(fluid, step, 1 / step->dt, change_row);
}

/* A step that stays where it is, for what it does to velocities. */
static PlimStatus find_first_change(Fluid *fluid, const StepInfo *step) {
    double *kept[FLUID_FLOW_COUNT];
    size_t mark = scratch_mark(step->scratch);
    TRY(fluid_keep_flow(fluid, step->scratch, kept));
    TRY(fluid_load_faces(fluid, step));
    fluid_note_velocity(fluid, step);
    TRY(fluid_begin_diffusion(fluid, step));
    TRY(fluid_push_faces(fluid, step));
    TRY(fluid_diffuse(fluid, step));
    TRY(fluid_set_given(fluid, step, step->end_time));
    TRY(fluid_project(fluid, step));
    fluid_end_diffusion(fluid, step);
    fluid_keep_change(fluid, step);
    fluid_restore_flow(fluid, kept);
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}

/* What changed velocities may have been an impulse: a shift is by a quarter of the last change at
 * most, and steps that grow faster are made up for in those that follow. */
PlimStatus fluid_bring_to_middle(Fluid *fluid, const StepInfo *step) {
    if (!fluid_leads(fluid)) return PLIM_OK;
    double *lead = fluid->liquid.lead, shift = 0.5 * step->dt - *lead, most = 0.5 * *lead;
    if (*lead == 0)
        TRY(find_first_change(fluid, step));
    else
        shift = fmin(fmax(shift, -most), most);
    for_faces(fluid, step, shift, shift_row);
    *lead += shift;
    return PLIM_OK;
}
