/* Body forces: given ones, buoyancy of smoke and heat, vorticity confinement (000 section 4.4.3).
 * Gravity is among them along periodic axes and in liquids alone: in a fluid of one density that
 * fills its domain it else only adds to the pressure (project.c). */
#include "fluid/forces.h"
#include "fluid/internal.h"

static bool has_buoyancy(const Fluid *fluid) {
    return fluid->desc.smoke.is_there &&
           (fluid->desc.smoke.weight != 0 || fluid->desc.smoke.buoyancy != 0);
}

/* ---- confinement ---- */

typedef struct CurlJob {
    const Fluid *fluid;
    const GridField *velocity; /* 3, of one place */
    GridField *curl;           /* 3, and its length */
    GridField *force;
} CurlJob;

/* Central difference along an axis. */
static double slope(const GridField *field, size_t at, int axis) {
    return field_difference(field, at, axis) / (2 * field->grid.spacing);
}

static void curl_row(void *user, int j, int k) {
    const CurlJob *job = user;
    const GridField *u = job->velocity;
    int dim = job->fluid->grid.dim;
    for (int i = 0; i < u[0].n[0]; i++) {
        size_t at = field_index(&u[0], i, j, k);
        double w[3] = {0, 0, slope(&u[1], at, 0) - slope(&u[0], at, 1)};
        if (dim == 3) {
            w[0] = slope(&u[2], at, 1) - slope(&u[1], at, 2);
            w[1] = slope(&u[0], at, 2) - slope(&u[2], at, 0);
        }
        for (int a = 0; a < 3; a++) job->curl[a].data[at] = w[a];
        job->curl[3].data[at] = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    }
}

/* f = epsilon h (N x omega), N the direction in which |omega| grows. */
static void confine_row(void *user, int j, int k) {
    const CurlJob *job = user;
    const GridField *length = &job->curl[3];
    double strength = job->fluid->desc.confinement * job->fluid->grid.spacing;
    for (int i = 0; i < length->n[0]; i++) {
        size_t at = field_index(length, i, j, k);
        Vec3 growth = vec3(slope(length, at, 0), slope(length, at, 1), slope(length, at, 2));
        double size = vec3_length(growth);
        if (!(size > 0)) continue;
        Vec3 w = vec3(job->curl[0].data[at], job->curl[1].data[at], job->curl[2].data[at]);
        double f[3];
        vec3_store(f, vec3_scale(strength / size, vec3_cross(growth, w)));
        for (int a = 0; a < job->fluid->grid.dim; a++) job->force[a].data[at] += f[a];
    }
}

/* A field of the same shape in scratch memory. */
static bool borrow_field(const GridField *like, Scratch *scratch, GridField *out) {
    *out = *like;
    out->data = scratch_take(scratch, like->count, sizeof *out->data);
    return out->data != NULL;
}

static PlimStatus add_confinement(const Fluid *fluid, const StepInfo *step,
                                  const GridField velocity[3], GridField force[3]) {
    size_t mark = scratch_mark(step->scratch);
    GridField curl[4];
    for (int a = 0; a < 4; a++)
        if (!borrow_field(&velocity[0], step->scratch, &curl[a])) return PLIM_OUT_OF_MEMORY;
    CurlJob job = {fluid, velocity, curl, force};
    GridPlace place = velocity[0].place;
    grid_for_rows(&fluid->grid, place, step->threads, curl_row, &job);
    for (int a = 0; a < 4; a++) field_fill_halo_constant(&curl[a], step->threads);
    grid_for_rows(&fluid->grid, place, step->threads, confine_row, &job);
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}

/* ---- buoyancy, at the place of smoke ---- */

typedef struct PushJob {
    const Fluid *fluid;
    GridField *force;
    Vec3 up;
    double t, dt; /* s: when, and how long */
    int axis;
} PushJob;

static void buoyancy_row(void *user, int j, int k) {
    const PushJob *job = user;
    const Fluid *fluid = job->fluid;
    double up[3];
    vec3_store(up, job->up);
    const GridField *force = job->force;
    size_t first = ((size_t)k * (size_t)force->n[1] + (size_t)j) * (size_t)force->n[0];
    for (int i = 0; i < force->n[0]; i++) {
        size_t value = first + (size_t)i, at = field_index(force, i, j, k);
        double lift = fluid_buoyancy(fluid, value);
        for (int a = 0; a < fluid->grid.dim; a++) job->force[a].data[at] += lift * up[a];
    }
}

static PlimStatus borrow_forces(const GridField *like, const StepInfo *step, GridField force[3]) {
    for (int a = 0; a < like->grid.dim; a++) {
        if (!borrow_field(like, step->scratch, &force[a])) return PLIM_OUT_OF_MEMORY;
        for (size_t i = 0; i < force[a].count; i++) force[a].data[i] = 0;
    }
    return PLIM_OK;
}

/* A force without a value somewhere leaves its mark on what it was added to. */
static PlimStatus check_given(const Fluid *fluid, const StepInfo *step, int axis,
                              const double *values, size_t count) {
    double sum = 0;
    for (size_t i = 0; fluid->desc.force[axis].evaluate && i < count; i++)
        sum += values[i] - values[i];
    if (sum == 0) return PLIM_OK;
    return context_fail(
        fluid->context, PLIM_FAILED,
        "t = %g s: the force along %c on the fluid has no value somewhere; mend its "
        "expression",
        step->time, "xyz"[axis]);
}

/* ---- nodes ---- */

static void given_row(void *user, int j, int k) {
    const PushJob *job = user;
    const Grid *grid = &job->fluid->grid;
    for (int i = 0; i < job->force->n[0]; i++) {
        Vec3 x = grid_position(grid, PLACE_NODES, i, j, k);
        size_t at = field_index(job->force, i, j, k);
        for (int a = 0; a < grid->dim; a++)
            job->force[a].data[at] += field_function_at(&job->fluid->desc.force[a], x, job->t);
    }
}

static bool has_given(const Fluid *fluid) {
    bool given = false;
    for (int a = 0; a < fluid->grid.dim; a++)
        given = given || field_function_is_set(&fluid->desc.force[a]);
    return given;
}

PlimStatus fluid_push_nodes(Fluid *fluid, const StepInfo *step) {
    const Grid *grid = &fluid->grid;
    for (int a = 0; a < grid->dim; a++) {
        double gain = step->dt * vec3_component(step->gravity, a);
        for (size_t i = 0; !fluid_carries_weight(fluid, a) && i < fluid->advect.nodes[a].count; i++)
            fluid->advect.nodes[a].data[i] += gain;
    }
    if (!has_buoyancy(fluid) && !has_given(fluid) && !(fluid->desc.confinement > 0)) return PLIM_OK;
    size_t mark = scratch_mark(step->scratch);
    GridField force[3];
    TRY(borrow_forces(&fluid->advect.nodes[0], step, force));
    PushJob job = {.fluid = fluid,
                   .force = force,
                   .up = fluid_up(step->gravity),
                   .t = step->time + 0.5 * step->dt};
    if (has_buoyancy(fluid)) grid_for_rows(grid, PLACE_NODES, step->threads, buoyancy_row, &job);
    if (has_given(fluid)) grid_for_rows(grid, PLACE_NODES, step->threads, given_row, &job);
    for (int a = 0; a < grid->dim; a++)
        TRY(check_given(fluid, step, a, force[a].data, force[a].count));
    if (fluid->desc.confinement > 0)
        TRY(add_confinement(fluid, step, fluid->advect.nodes_before, force));
    for (int a = 0; a < grid->dim; a++)
        for (size_t i = 0; i < force[a].count; i++)
            fluid->advect.nodes[a].data[i] += step->dt * force[a].data[i];
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}

/* ---- faces ---- */

static void given_faces_row(void *user, int j, int k) {
    const PushJob *job = user;
    const Fluid *fluid = job->fluid;
    int axis = job->axis, nx = grid_place_size(&fluid->grid, grid_place_faces(axis), 0);
    double *u = fluid_velocity(fluid, axis) + grid_face_index(&fluid->grid, axis, 0, j, k);
    for (int i = 0; i < nx; i++) {
        Vec3 x = grid_position(&fluid->grid, grid_place_faces(axis), i, j, k);
        u[i] += job->dt * field_function_at(&fluid->desc.force[axis], x, job->t);
    }
}

static void cells_to_faces_row(void *user, int j, int k) {
    const PushJob *job = user;
    const Fluid *fluid = job->fluid;
    const GridField *force = &job->force[job->axis];
    int nx = grid_place_size(&fluid->grid, grid_place_faces(job->axis), 0);
    size_t stride = force->stride[job->axis];
    double *u =
        fluid_velocity(fluid, job->axis) + grid_face_index(&fluid->grid, job->axis, 0, j, k);
    for (int i = 0; i < nx; i++) {
        size_t at = field_index(force, i, j, k);
        u[i] += job->dt * 0.5 * (force->data[at] + force->data[at - stride]);
    }
}

typedef struct CenterJob {
    const Fluid *fluid;
    GridField *velocity;
} CenterJob;

static void center_row(void *user, int j, int k) {
    const CenterJob *job = user;
    for (int i = 0; i < job->fluid->grid.n[0]; i++)
        for (int a = 0; a < job->fluid->grid.dim; a++) {
            const GridField *faces = &job->fluid->advect.faces[a];
            size_t at = field_index(faces, i, j, k);
            job->velocity[a].data[field_index(&job->velocity[a], i, j, k)] =
                0.5 * (faces->data[at] + faces->data[at + faces->stride[a]]);
        }
}

/* Confinement uses the velocities at the start of the step, which `faces` still holds. */
static PlimStatus confine_cells(Fluid *fluid, const StepInfo *step, GridField force[3]) {
    GridField velocity[3];
    TRY(borrow_forces(&force[0], step, velocity));
    CenterJob job = {fluid, velocity};
    grid_for_rows(&fluid->grid, PLACE_CELLS, step->threads, center_row, &job);
    for (int a = 0; a < fluid->grid.dim; a++) field_fill_halo_constant(&velocity[a], step->threads);
    return add_confinement(fluid, step, velocity, force);
}

static PlimStatus push_from_cells(Fluid *fluid, const StepInfo *step) {
    size_t mark = scratch_mark(step->scratch);
    GridField force[3];
    TRY(borrow_forces(&fluid->cut.cell_distance, step, force));
    PushJob job = {.fluid = fluid, .force = force, .up = fluid_up(step->gravity), .dt = step->dt};
    if (has_buoyancy(fluid))
        grid_for_rows(&fluid->grid, PLACE_CELLS, step->threads, buoyancy_row, &job);
    if (fluid->desc.confinement > 0) TRY(confine_cells(fluid, step, force));
    for (int a = 0; a < fluid->grid.dim; a++) {
        field_fill_halo_constant(&force[a], step->threads);
        job.axis = a;
        grid_for_rows(&fluid->grid, grid_place_faces(a), step->threads, cells_to_faces_row, &job);
    }
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}

static void add_gravity(Fluid *fluid, const StepInfo *step, int axis) {
    double gain = step->dt * vec3_component(step->gravity, axis), *u = fluid_velocity(fluid, axis);
    if (fluid_carries_weight(fluid, axis) || gain == 0) return;
    for (size_t i = 0; i < fluid->sizes[FLUID_GROUP_FACES_X + axis].count; i++) u[i] += gain;
}

PlimStatus fluid_push_faces(Fluid *fluid, const StepInfo *step) {
    for (int axis = 0; axis < fluid->grid.dim; axis++) add_gravity(fluid, step, axis);
    for (int axis = 0; axis < fluid->grid.dim; axis++) {
        PushJob job = {
            .fluid = fluid, .t = step->time + 0.5 * step->dt, .dt = step->dt, .axis = axis};
        if (field_function_is_set(&fluid->desc.force[axis]))
            grid_for_rows(&fluid->grid, grid_place_faces(axis), step->threads, given_faces_row,
                          &job);
    }
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        TRY(check_given(fluid, step, axis, fluid_velocity(fluid, axis),
                        fluid->sizes[FLUID_GROUP_FACES_X + axis].count));
    bool on_faces = fluid->desc.storage == FLUID_ON_FACES; /* else smoke is on nodes */
    if (on_faces && (has_buoyancy(fluid) || fluid->desc.confinement > 0))
        return push_from_cells(fluid, step);
    return PLIM_OK;
}

/* ---- how strong they are ---- */

double fluid_greatest_acceleration(const Fluid *fluid, const StepInfo *step) {
    double greatest = 0;
    Vec3 middle = grid_cell_center(&fluid->grid, fluid->grid.n[0] / 2, fluid->grid.n[1] / 2,
                                   fluid->grid.n[2] / 2);
    for (int a = 0; a < fluid->grid.dim; a++) {
        double f = fabs(field_function_at(&fluid->desc.force[a], middle, step->time));
        if (!fluid_carries_weight(fluid, a)) f += fabs(vec3_component(step->gravity, a));
        if (f > greatest) greatest = f;
    }
    for (size_t i = 0; has_buoyancy(fluid) && i < fluid->sizes[FLUID_GROUP_SMOKE].count; i++)
        greatest = fmax(greatest, fabs(fluid_buoyancy(fluid, i)));
    return greatest;
}
