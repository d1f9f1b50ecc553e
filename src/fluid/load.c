/* Forces of the fluid on colliders: pressure over the surface that lies in each cut cell, and
 * friction through every velocity difference that ends at a surface. */
#include "fluid/internal.h"

static Vec3 torque_of(const FluidCollider *collider, Vec3 x, Vec3 force) {
    return vec3_cross(vec3_sub(x, collider->now.position), force);
}

/* The surface inside a cut cell as a vector, out of the collider, m^2: what its open faces lack to
 * close around the fluid in it. By the distances, so that it stands across the surface also where
 * viscosity has closed whole faces. */
static Vec3 surface_in_cell(const Fluid *fluid, int i, int j, int k) {
    double area[3] = {0, 0, 0};
    for (int axis = 0; axis < fluid->grid.dim; axis++) {
        double low = fluid_open_part(fluid, axis, i, j, k);
        double high =
            fluid_open_part(fluid, axis, i + (axis == 0), j + (axis == 1), k + (axis == 2));
        area[axis] = (high - low) * grid_face_area(&fluid->grid);
    }
    return vec3(area[0], area[1], area[2]);
}

/* Pressure without weight in a cell; in a closed one the mean of its neighbours in the fluid. */
static double pressure_near(const Fluid *fluid, int i, int j, int k) {
    const Grid *grid = &fluid->grid;
    size_t cell = grid_cell_index(grid, i, j, k);
    if (fluid->kind[cell] == CELL_FLUID) return fluid->pressure[cell];
    double sum = 0;
    int count = 0;
    for (int axis = 0; axis < grid->dim; axis++)
        for (int step = -1; step <= 1; step += 2) {
            int at[3] = {i, j, k};
            at[axis] += step;
            if (grid_is_periodic(grid, axis)) at[axis] = (at[axis] + grid->n[axis]) % grid->n[axis];
            if (at[axis] < 0 || at[axis] >= grid->n[axis]) continue;
            size_t next = grid_cell_index(grid, at[0], at[1], at[2]);
            if (fluid->kind[next] != CELL_FLUID) continue;
            sum += fluid->pressure[next];
            count++;
        }
    return count > 0 ? sum / count : 0;
}

static void add_pressure(Fluid *fluid, int i, int j, int k) {
    double distance = fluid->cell_distance.data[field_index(&fluid->cell_distance, i, j, k)];
    if (fabs(distance) > fluid->grid.spacing) return; /* further than any corner: not cut */
    Vec3 area = surface_in_cell(fluid, i, j, k);
    double size = vec3_length(area);
    if (!(size > 0)) return;
    Vec3 x = grid_cell_center(&fluid->grid, i, j, k);
    Vec3 at_surface = vec3_sub(x, vec3_scale(distance / size, area));
    double pressure = pressure_near(fluid, i, j, k) + fluid_weight_pressure(fluid, at_surface);
    FluidCollider *collider = fluid_nearest(fluid, at_surface);
    Vec3 force = vec3_scale(-pressure, area);
    collider->force = vec3_add(collider->force, force);
    collider->torque = vec3_add(collider->torque, torque_of(collider, at_surface, force));
}

typedef struct FrictionJob {
    Fluid *fluid;
    double part;
} FrictionJob;

static void add_friction(void *user, int wall, int component, Vec3 x, double force) {
    const FrictionJob *job = user;
    if (wall != VISCOSITY_OBSTACLE) return;
    FluidCollider *collider = fluid_nearest(job->fluid, x);
    double along[3] = {0, 0, 0};
    along[component] = job->part * force;
    Vec3 friction = vec3(along[0], along[1], along[2]);
    collider->friction = vec3_add(collider->friction, friction);
    collider->friction_torque =
        vec3_add(collider->friction_torque, torque_of(collider, x, friction));
}

void fluid_clear_friction(Fluid *fluid) {
    for (size_t i = 0; i < fluid->colliders.count; i++)
        fluid->colliders.data[i].friction = fluid->colliders.data[i].friction_torque =
            vec3(0, 0, 0);
}

void fluid_add_friction(Fluid *fluid, double part) {
    if (!fluid->viscosity || fluid->colliders.count == 0) return;
    double *const velocity[3] = {fluid->velocity_x, fluid->velocity_y, fluid->velocity_z};
    ViscosityProblem problem = fluid_viscosity_problem(fluid);
    FrictionJob job = {fluid, part};
    viscosity_reactions(fluid->viscosity, &problem, velocity, add_friction, &job);
}

void fluid_find_loads(Fluid *fluid) {
    const Grid *grid = &fluid->grid;
    for (size_t i = 0; i < fluid->colliders.count; i++) {
        FluidCollider *collider = &fluid->colliders.data[i];
        collider->force = collider->friction;
        collider->torque = collider->friction_torque;
    }
    for (int k = 0; fluid->colliders.count > 0 && k < grid->n[2]; k++)
        for (int j = 0; j < grid->n[1]; j++)
            for (int i = 0; i < grid->n[0]; i++) add_pressure(fluid, i, j, k);
}
