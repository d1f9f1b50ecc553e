/* Forces of the fluid on bodies, with buoyancy and the hydrostatic correction: what pressure and
 * viscosity take from the momentum of the fluid, to rounding, and the weight of the fluid in their
 * place. */
#include "fluid/body_forces.h"
#include "fluid/body_push.h"
#include "fluid/internal.h"
#include "fluid/project.h"

static Vec3 torque_on(const ImmersedCollider *collider, Vec3 x, Vec3 force) {
    return vec3_cross(vec3_sub(x, collider->now.position), force);
}

BodyPush fluid_push_at(const Fluid *fluid, Vec3 x, Vec3 force) {
    Vec3 beside;
    const ImmersedCollider *collider = immersed_nearest(&fluid->colliders, x, &beside);
    return (BodyPush){.collider = collider,
                      .force = force,
                      .torque = torque_on(collider, beside, force),
                      .is_force = true};
}

/* Pressure without weight, where it acts on the fluid: the velocity of an open face changes by the
 * difference of the two cells' pressures over the whole of it, so what a row of cells gets in all
 * is the pressure next to the closed faces at its ends. The collider gets the same. */
static void find_pressure(const Fluid *fluid, const int cell[3], double pressure,
                          BodyPush *pushes) {
    const Grid *grid = &fluid->grid;
    for (int axis = 0; axis < grid->dim; axis++)
        for (int end = 0; end < 2; end++) {
            int at[3] = {cell[0], cell[1], cell[2]};
            at[axis] += end;
            if (fluid->cut.open[axis][grid_face_index(grid, axis, at[0], at[1], at[2])] > 0)
                continue;
            Vec3 x = grid_face_center(grid, axis, at[0], at[1], at[2]);
            double push = (end ? pressure : -pressure) * grid_face_area(grid);
            Vec3 force = vec3(axis == 0 ? push : 0, axis == 1 ? push : 0, axis == 2 ? push : 0);
            *pushes++ = fluid_push_at(fluid, x, force);
        }
}

Vec3 fluid_surface_in_cell(const Fluid *fluid, int i, int j, int k) {
    double area[3] = {0, 0, 0};
    for (int axis = 0; axis < fluid->grid.dim; axis++) {
        double low = fluid_face_aperture(fluid, axis, i, j, k);
        double high =
            fluid_face_aperture(fluid, axis, i + (axis == 0), j + (axis == 1), k + (axis == 2));
        area[axis] = (high - low) * grid_face_area(&fluid->grid);
    }
    return vec3(area[0], area[1], area[2]);
}

Vec3 fluid_place_of_surface(const Fluid *fluid, int i, int j, int k, double distance, Vec3 area) {
    Vec3 x = grid_cell_center(&fluid->grid, i, j, k);
    return vec3_sub(x, vec3_scale(distance / vec3_length(area), area));
}

/* The pressure that carries the fluid's weight is known everywhere, so it acts on the surface where
 * it is: a body loses the weight of what it displaces. */
static BodyPush find_weight(const Fluid *fluid, const int cell[3], double distance) {
    Vec3 area = fluid_surface_in_cell(fluid, cell[0], cell[1], cell[2]);
    double size = vec3_length(area);
    if (!(size > 0)) return (BodyPush){0};
    Vec3 at_surface = fluid_place_of_surface(fluid, cell[0], cell[1], cell[2], distance, area);
    double pressure = fluid_weight_pressure(fluid, at_surface);
    BodyPush push = fluid_push_at(fluid, at_surface, vec3_scale(-pressure, area));
    push.area = size;
    /* Known; or nothing here carries it; or in the pressure. */
    push.is_force = push.is_weight = !(fluid_load(fluid, push.collider)->displaced > 0 ||
                                       push.collider->is_elsewhere || fluid_has_surface(fluid));
    return push;
}

double fluid_cell_distance(const Fluid *fluid, int i, int j, int k) {
    return fluid->cut.cell_distance.data[field_index(&fluid->cut.cell_distance, i, j, k)];
}

bool fluid_is_beside_collider(const void *user, int i, int j, int k) {
    const Fluid *fluid = user;
    return !(fabs(fluid_cell_distance(fluid, i, j, k)) > 2 * fluid->grid.spacing);
}

PlimStatus fluid_find_pushes(PushJob *job, GridTest test, ParallelBody body) {
    enum { GRAIN = 64 };
    const StepInfo *step = job->step;
    TRY(grid_gather(&job->fluid->grid, PLACE_CELLS, step->threads, test, job->fluid, step->scratch,
                    &job->cells));
    size_t room = job->width * job->cells.count + 1;
    job->pushes = scratch_take(step->scratch, room, sizeof *job->pushes);
    if (!job->pushes) return PLIM_OUT_OF_MEMORY;
    parallel_for(step->threads, job->cells.count, GRAIN, body, job);
    return PLIM_OK;
}

/* Under a free surface the solve's own pressure carries the weight: it acts on the whole surface in
 * a cell, as in the coupled solve. */
static BodyPush find_pressure_on_surface(const Fluid *fluid, const int cell[3], double pressure) {
    const Grid *grid = &fluid->grid;
    double area[3] = {0, 0, 0};
    for (int axis = 0; axis < grid->dim; axis++)
        for (int end = 0; end < 2; end++) {
            int at[3] = {cell[0], cell[1], cell[2]};
            at[axis] += end;
            double open = fluid->cut.open[axis][grid_face_index(grid, axis, at[0], at[1], at[2])];
            area[axis] += (end ? open : -open) * grid_face_area(grid);
        }
    Vec3 out = vec3_load(area);
    if (!(vec3_length(out) > 0)) return (BodyPush){0};
    Vec3 at = fluid_place_of_surface(fluid, cell[0], cell[1], cell[2],
                                     fluid_cell_distance(fluid, cell[0], cell[1], cell[2]), out);
    return fluid_push_at(fluid, at, vec3_scale(-pressure, out));
}

static void find_loads_of_cells(void *user, size_t begin, size_t end) {
    const PushJob *job = user;
    const Fluid *fluid = job->fluid;
    for (size_t i = begin; i < end; i++) {
        BodyPush *pushes = job->pushes + i * job->width;
        size_t cell = job->cells.items[i];
        int at[3];
        grid_cell_place(&fluid->grid, cell, at);
        for (size_t p = 0; p < job->width; p++) pushes[p] = (BodyPush){0};
        bool is_known = fluid->cut.kind[cell] != CELL_FLUID || fluid->coupled.solver;
        if (!is_known && fluid_has_surface(fluid))
            pushes[0] = find_pressure_on_surface(fluid, at, fluid->pressure[cell]);
        else if (!is_known)
            find_pressure(fluid, at, fluid->pressure[cell], pushes);
        pushes[job->width - 1] =
            find_weight(fluid, at, fluid_cell_distance(fluid, at[0], at[1], at[2]));
    }
}

static void add_push(const Fluid *fluid, const BodyPush *push) {
    if (!push->collider) return;
    FluidLoad *load = fluid_load(fluid, push->collider);
    load->area += push->area;
    if (!push->is_force) return;
    if (push->is_weight) load->weight = vec3_add(load->weight, push->force);
    load->force = vec3_add(load->force, push->force);
    load->torque = vec3_add(load->torque, push->torque);
}

typedef struct FrictionJob {
    Fluid *fluid;
    double part;
} FrictionJob;

static void add_friction(void *user, int wall, int component, Vec3 x, double force) {
    const FrictionJob *job = user;
    if (wall != VISCOSITY_OBSTACLE) return;
    Vec3 beside;
    const ImmersedCollider *collider = immersed_nearest(&job->fluid->colliders, x, &beside);
    FluidLoad *load = fluid_load(job->fluid, collider);
    double along[3] = {0, 0, 0};
    along[component] = job->part * force;
    Vec3 friction = vec3(along[0], along[1], along[2]);
    load->friction = vec3_add(load->friction, friction);
    load->friction_torque = vec3_add(load->friction_torque, torque_on(collider, beside, friction));
}

void fluid_clear_friction(Fluid *fluid) {
    for (size_t i = 0; i < fluid->colliders.list.count; i++) {
        FluidLoad *load = fluid_load(fluid, &fluid->colliders.list.data[i]);
        load->friction = load->friction_torque = vec3(0, 0, 0);
    }
}

void fluid_add_friction(Fluid *fluid, double part) {
    if (!fluid->viscous.solver || fluid->colliders.list.count == 0) return;
    double *const velocity[3] = {fluid->velocity_x, fluid->velocity_y, fluid->velocity_z};
    ViscosityProblem problem = fluid_viscosity_problem(fluid);
    FrictionJob job = {fluid, part};
    viscosity_reactions(fluid->viscous.solver, &problem, velocity, add_friction, &job);
}

Vec3 fluid_weight_of(const Fluid *fluid, double mass) {
    double gravity[3];
    vec3_store(gravity, fluid->gravity);
    for (int axis = 0; axis < 3; axis++)
        if (!fluid_carries_weight(fluid, axis)) gravity[axis] = 0;
    return vec3_scale(mass, vec3_load(gravity));
}

Vec3 fluid_displaced_arm(const ImmersedCollider *collider) {
    if (immersed_is_obstacle(collider)) return vec3(0, 0, 0);
    return quat_rotate(collider->now.orientation, surface_describe(&collider->ref).displaced);
}

/* The coupled solve has had them already. */
static PlimStatus add_hydrostatic_corrections(Fluid *fluid, const StepInfo *step) {
    TRY(fluid_find_hydrostatic_corrections(fluid, step));
    for (size_t i = 0; i < fluid->colliders.list.count; i++) {
        FluidLoad *load = fluid_load(fluid, &fluid->colliders.list.data[i]);
        load->force = vec3_add(load->force, load->hydrostatic);
        load->torque = vec3_add(load->torque, load->hydrostatic_torque);
    }
    return PLIM_OK;
}

PlimStatus fluid_find_loads(Fluid *fluid, const StepInfo *step) {
    for (size_t i = 0; i < fluid->colliders.list.count; i++) {
        const ImmersedCollider *collider = &fluid->colliders.list.data[i];
        FluidLoad *load = fluid_load(fluid, collider);
        load->force = load->friction;
        load->torque = load->friction_torque;
        load->area = 0;
        load->weight = vec3_scale(-1, fluid_weight_of(fluid, load->displaced));
        load->force = vec3_add(load->force, load->weight);
        Vec3 arm = fluid_displaced_arm(collider);
        if (load->displaced > 0 && vec3_length(arm) > 0)
            load->torque = vec3_add(load->torque, vec3_cross(arm, load->weight));
    }
    if (fluid->colliders.list.count == 0) return PLIM_OK;
    if (!fluid->coupled.solver) TRY(add_hydrostatic_corrections(fluid, step));
    size_t mark = scratch_mark(step->scratch);
    /* Of each face its pressure, and the weight; in the coupled solve pressure is known. */
    size_t faces = fluid->coupled.solver ? 0 : 2 * (size_t)fluid->grid.dim;
    PushJob job = {.fluid = fluid, .step = step, .width = faces + 1};
    TRY(fluid_find_pushes(&job, fluid_is_beside_collider, find_loads_of_cells));
    for (size_t i = 0; i < job.width * job.cells.count; i++) add_push(fluid, &job.pushes[i]);
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}
