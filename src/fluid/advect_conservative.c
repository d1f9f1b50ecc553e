/* Conservative advection of velocity: each face's volume gives all the momentum that it holds
 * (after Lentine, Gretarsson, Fedkiw 2011, with fluxes in place of weights).
 *
 * A volume holds fluid in what is open of its face, that which moves with a collider included. It
 * is carried by the fluxes of the last solve, which are those that the colliders' motion leaves.
 * Then the colliders cut the grid anew, and volumes beside them hold other masses than their faces
 * now have. What is too much goes to neighbours that lack some, with its velocity. What is left
 * over, or lacking, has two parts.
 *
 * With the velocity of the collider: all masses together are as much fluid as before, but for what
 * open parts of faces do not tell of the volume. So this part comes and goes as a body passes from
 * cell to cell, and means nothing. All fluid and the bodies take it, at one velocity: no body moves
 * against the fluid by it. Relative to the collider: an impulse that the solve gives it. */
#include "fluid/boundary.h"
#include "fluid/internal.h"
#include "fluid/measure.h"

#include <math.h>
#include <string.h>

typedef struct MomentumJob {
    Fluid *fluid;
    FaceVolumes *volumes;
    unsigned char *is_near;
    double *mass;                 /* to set: those of the volumes, or those that they shall have */
    double *handed_mass, *handed; /* to colliders */
    double shared;                /* m/s, what all get */
} MomentumJob;

/* ---- volumes ---- */

static void place_of(const FaceVolumes *volumes, size_t volume, int at[3]) {
    for (int a = 0; a < 3; a++) at[a] = value_place(&volumes->set, volume, a);
}

/* What is open of a face, with the fluid that moves with a collider. */
static double open_part(const Fluid *fluid, int axis, const int at[3]) {
    if (!fluid->cut.open[axis]) return 1;
    double open = fluid->cut.open[axis][grid_face_index(&fluid->grid, axis, at[0], at[1], at[2])];
    return fluid->coupled.solver ? open + fluid_tied_part(fluid, axis, at) : open;
}

/* Only cells that a collider cuts compress volumes, and only faces that it cuts change theirs. */
static bool is_near_collider(const Fluid *fluid, int axis, const int at[3]) {
    enum { NEAR = 3 }; /* cells */
    const GridField *distance = &fluid->cut.cell_distance;
    if (fluid->colliders.list.count == 0) return false;
    size_t cell = field_index(distance, at[0], at[1], at[2]);
    double d = fmin(distance->data[cell], distance->data[cell - distance->stride[axis]]);
    return d < NEAR * fluid->grid.spacing;
}

static void for_volumes(const FaceVolumes *volumes, int threads, ParallelBody body, void *user) {
    enum { GRAIN = 1024 };
    parallel_for(threads, volumes->set.count, GRAIN, body, user);
}

static void set_masses(void *user, size_t begin, size_t end) {
    const MomentumJob *job = user;
    for (size_t v = begin; v < end; v++) {
        int at[3], axis = job->volumes->axis;
        place_of(job->volumes, v, at);
        job->mass[v] = face_volume_size(job->volumes, at) * open_part(job->fluid, axis, at);
        job->is_near[v] = job->is_near[v] || is_near_collider(job->fluid, axis, at);
    }
}

static void set_momenta(void *user, size_t begin, size_t end) {
    const MomentumJob *job = user;
    const double *u = fluid_velocity(job->fluid, job->volumes->axis);
    for (size_t v = begin; v < end; v++) {
        int at[3];
        place_of(job->volumes, v, at);
        size_t face = grid_face_index(&job->fluid->grid, job->volumes->axis, at[0], at[1], at[2]);
        job->volumes->momentum[v] = job->volumes->mass[v] * u[face];
    }
}

static PlimStatus take_volumes(Fluid *fluid, const StepInfo *step, int axis) {
    FluidMomentum *momentum = &fluid->advect.momentum;
    FaceVolumes *volumes = &momentum->volumes[axis];
    *volumes = face_volumes(&fluid->grid, axis);
    size_t count = volumes->set.count;
    volumes->mass = scratch_take(step->scratch, count, sizeof *volumes->mass);
    volumes->momentum = scratch_take(step->scratch, count, sizeof *volumes->momentum);
    momentum->is_near[axis] = scratch_take(step->scratch, count, 1);
    if (!volumes->mass || !volumes->momentum || !momentum->is_near[axis]) return PLIM_OUT_OF_MEMORY;
    memset(momentum->is_near[axis], 0, count);
    MomentumJob job = {.fluid = fluid,
                       .volumes = volumes,
                       .is_near = momentum->is_near[axis],
                       .mass = volumes->mass};
    for_volumes(volumes, step->threads, set_masses, &job);
    for_volumes(volumes, step->threads, set_momenta, &job);
    return PLIM_OK;
}

/* ---- fluxes ---- */

typedef struct FluxJob {
    const Fluid *fluid;
    int axis;
    double *flux;
} FluxJob;

static void flux_row(void *user, int j, int k) {
    const FluxJob *job = user;
    const Grid *grid = &job->fluid->grid;
    int nx = grid_place_size(grid, grid_place_faces(job->axis), 0);
    size_t first = grid_face_index(grid, job->axis, 0, j, k);
    const double *u = fluid_velocity(job->fluid, job->axis) + first;
    for (int i = 0; i < nx; i++)
        job->flux[first + (size_t)i] = open_part(job->fluid, job->axis, (int[3]){i, j, k}) * u[i];
}

/* Through a side comes what the halo says. Beyond an open side the fluid is at rest: along its axis
 * that means half of the velocity on the side, for its volumes are half a cell thick; what comes in
 * then has the total pressure of the surroundings (fluid_slow_incoming). */
static double incoming(const void *user, const FaceVolumes *volumes, int axis, int end,
                       const int at[3]) {
    const Fluid *fluid = user;
    const GridField *faces = &fluid->advect.faces[volumes->axis];
    size_t inside = field_index(faces, at[0], at[1], at[2]), stride = faces->stride[axis];
    double own = faces->data[inside];
    if (axis == volumes->axis) return fluid->grid.sides[axis][end] == SIDE_OPEN ? 0.5 * own : own;
    return 0.5 * (own + faces->data[end ? inside + stride : inside - stride]);
}

PlimStatus fluid_carry_momentum(Fluid *fluid, const StepInfo *step) {
    enum { MOST_PARTS = 1000 }; /* volumes give no more than they hold, so fewer do no harm */
    int dim = fluid->grid.dim;
    double cells = fluid_greatest_velocity(fluid) * step->dt / fluid->grid.spacing;
    MomentumFlow flow = {.dt = step->dt,
                         .parts = (int)fmin(fmax(1, ceil(cells * (1 - 1e-9))), MOST_PARTS),
                         .incoming = incoming,
                         .user = fluid};
    fluid->advect.momentum.mark = scratch_mark(step->scratch);
    for (int axis = 0; axis < dim; axis++) TRY(take_volumes(fluid, step, axis));
    size_t mark = scratch_mark(step->scratch);
    for (int axis = 0; axis < dim; axis++) {
        GridPlace place = grid_place_faces(axis);
        double *flux =
            scratch_take(step->scratch, grid_place_count(&fluid->grid, place), sizeof *flux);
        if (!flux) return PLIM_OUT_OF_MEMORY;
        FluxJob job = {fluid, axis, flux};
        grid_for_rows(&fluid->grid, place, step->threads, flux_row, &job);
        flow.flux[axis] = flux;
    }
    for (int axis = 0; axis < dim; axis++)
        TRY(face_volumes_carry(&fluid->advect.momentum.volumes[axis], &flow, step->threads,
                               step->scratch));
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}

/* ---- after the grid was cut anew ---- */

static Vec3 middle_of(const Fluid *fluid, const FaceVolumes *volumes, size_t volume) {
    int at[3];
    place_of(volumes, volume, at);
    return grid_face_center(&fluid->grid, volumes->axis, at[0], at[1], at[2]);
}

static double wall_velocity(const void *user, const FaceVolumes *volumes, size_t volume) {
    const Fluid *fluid = user;
    return fluid_wall_speed(fluid, middle_of(fluid, volumes, volume), volumes->axis);
}

static void store_velocities(void *user, size_t begin, size_t end) {
    const MomentumJob *job = user;
    const Grid *grid = &job->fluid->grid;
    int axis = job->volumes->axis;
    double *u = fluid_velocity(job->fluid, axis);
    for (size_t v = begin; v < end; v++) {
        int at[3];
        place_of(job->volumes, v, at);
        double mass = job->volumes->mass[v];
        double velocity = mass > 0 ? job->volumes->momentum[v] / mass + job->shared : 0;
        u[grid_face_index(grid, axis, at[0], at[1], at[2])] = velocity;
        if (!job->volumes->set.wraps[axis] || at[axis] > 0) continue;
        at[axis] = grid->n[axis];
        u[grid_face_index(grid, axis, at[0], at[1], at[2])] = velocity;
    }
}

/* The momentum relative to colliders goes to them; returns that with their velocity, in parts of a
 * cell's mass. In the order of the volumes, so that sums are the same for any number of threads. */
static double hand_to_colliders(const MomentumJob *job) {
    const Fluid *fluid = job->fluid;
    int axis = job->volumes->axis;
    double cell = fluid->desc.density * grid_cell_volume(&fluid->grid), shared = 0;
    for (size_t v = 0; v < job->volumes->set.count; v++) {
        if (job->handed[v] == 0 && job->handed_mass[v] == 0) continue;
        Vec3 beside, x = middle_of(fluid, job->volumes, v);
        const ImmersedCollider *collider = immersed_nearest(&fluid->colliders, x, &beside);
        FluidLoad *load = fluid_load(fluid, collider);
        double with =
            job->handed_mass[v] * vec3_component(collider_velocity(&collider->now, beside), axis);
        Vec3 impulse = vec3_scale(cell * (job->handed[v] - with), vec3_axis(axis));
        Vec3 arm = vec3_sub(beside, collider->now.position);
        load->covered = vec3_add(load->covered, impulse);
        load->covered_torque = vec3_add(load->covered_torque, vec3_cross(arm, impulse));
        shared += with;
    }
    return shared;
}

static void add_masses(void *user, size_t begin, size_t end, double *partial) {
    const double *mass = user;
    for (size_t v = begin; v < end; v++) *partial += mass[v];
}

/* Spreads a momentum over all fluid and the bodies that are solved for, by their masses. */
static PlimStatus share(Fluid *fluid, const StepInfo *step, int axis, double momentum,
                        double *gain) {
    const FaceVolumes *volumes = &fluid->advect.momentum.volumes[axis];
    double cell = fluid->desc.density * grid_cell_volume(&fluid->grid), parts = 0;
    TRY(parallel_sum(step->threads, volumes->set.count, 1, add_masses, volumes->mass, step->scratch,
                     &parts));
    double bodies = 0;
    for (size_t i = 0; i < fluid->colliders.list.count; i++)
        if (fluid_solves_for(fluid, i))
            bodies += surface_describe(&fluid->colliders.list.data[i].ref).mass;
    *gain = momentum / (parts + bodies / cell);
    for (size_t i = 0; i < fluid->colliders.list.count; i++) {
        const ImmersedCollider *collider = &fluid->colliders.list.data[i];
        if (!fluid_solves_for(fluid, i)) continue;
        FluidLoad *load = fluid_load(fluid, collider);
        double impulse = *gain * surface_describe(&collider->ref).mass;
        load->covered = vec3_add_scaled(load->covered, impulse, vec3_axis(axis));
    }
    return PLIM_OK;
}

static PlimStatus fit_component(Fluid *fluid, const StepInfo *step, int axis) {
    FaceVolumes *volumes = &fluid->advect.momentum.volumes[axis];
    size_t count = volumes->set.count, mark = scratch_mark(step->scratch);
    MomentumJob job = {
        .fluid = fluid, .volumes = volumes, .is_near = fluid->advect.momentum.is_near[axis]};
    job.mass = scratch_take(step->scratch, count, sizeof *job.mass);
    job.handed_mass = scratch_take(step->scratch, count, sizeof *job.handed_mass);
    job.handed = scratch_take(step->scratch, count, sizeof *job.handed);
    if (!job.mass || !job.handed_mass || !job.handed) return PLIM_OUT_OF_MEMORY;
    for_volumes(volumes, step->threads, set_masses, &job);
    MomentumFit fit = {.mass = job.mass,
                       .is_near = job.is_near,
                       .fallback = wall_velocity,
                       .user = fluid,
                       .handed_mass = job.handed_mass,
                       .handed = job.handed};
    TRY(face_volumes_fit(volumes, &fit, step->threads, step->scratch));
    TRY(share(fluid, step, axis, hand_to_colliders(&job), &job.shared));
    for_volumes(volumes, step->threads, store_velocities, &job);
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}

PlimStatus fluid_fit_momentum(Fluid *fluid, const StepInfo *step) {
    for (size_t i = 0; i < fluid->loads.count; i++)
        fluid->loads.data[i].covered = fluid->loads.data[i].covered_torque = vec3(0, 0, 0);
    for (int axis = 0; axis < fluid->grid.dim; axis++) TRY(fit_component(fluid, step, axis));
    scratch_release(step->scratch, fluid->advect.momentum.mark);
    return PLIM_OK;
}
