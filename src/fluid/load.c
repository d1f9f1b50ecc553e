/* Forces of the fluid on colliders: pressure over the surface that lies in each cut cell, and
 * friction through every velocity difference that ends at a surface. */
#include "fluid/internal.h"

static void add_load(FluidCollider *collider, Vec3 x, Vec3 force) {
    collider->force = vec3_add(collider->force, force);
    Vec3 arm = vec3_sub(x, collider->now.position);
    collider->torque = vec3_add(collider->torque, vec3_cross(arm, force));
}

/* The surface inside a cut cell as a vector, out of the collider, m^2: what its open faces lack to
 * close around the fluid in it. */
static Vec3 surface_in_cell(const Fluid *fluid, int i, int j, int k) {
    double area[3] = {0, 0, 0};
    for (int axis = 0; axis < fluid->grid.dim; axis++) {
        const double *open = fluid->open[axis];
        size_t low = grid_face_index(&fluid->grid, axis, i, j, k);
        size_t high =
            grid_face_index(&fluid->grid, axis, i + (axis == 0), j + (axis == 1), k + (axis == 2));
        area[axis] = (open[high] - open[low]) * grid_face_area(&fluid->grid);
    }
    return vec3(area[0], area[1], area[2]);
}

static void add_pressure(Fluid *fluid, int i, int j, int k) {
    size_t cell = grid_cell_index(&fluid->grid, i, j, k);
    if (fluid->kind[cell] != CELL_FLUID) return;
    Vec3 area = surface_in_cell(fluid, i, j, k);
    double size = vec3_length(area);
    if (!(size > 0)) return;
    Vec3 x = grid_cell_center(&fluid->grid, i, j, k);
    double distance = fluid->cell_distance.data[field_index(&fluid->cell_distance, i, j, k)];
    Vec3 at_surface = vec3_sub(x, vec3_scale(distance / size, area));
    double pressure = fluid->pressure[cell] + fluid_weight_pressure(fluid, at_surface);
    add_load(fluid_nearest(fluid, at_surface), at_surface, vec3_scale(-pressure, area));
}

static void add_friction(void *user, int wall, int component, Vec3 x, double force) {
    Fluid *fluid = user;
    if (wall != VISCOSITY_OBSTACLE) return;
    Vec3 along =
        vec3(component == 0 ? force : 0, component == 1 ? force : 0, component == 2 ? force : 0);
    add_load(fluid_nearest(fluid, x), x, along);
}

void fluid_find_loads(Fluid *fluid) {
    const Grid *grid = &fluid->grid;
    if (fluid->colliders.count == 0) return;
    for (size_t i = 0; i < fluid->colliders.count; i++)
        fluid->colliders.data[i].force = fluid->colliders.data[i].torque = vec3(0, 0, 0);
    for (int k = 0; k < grid->n[2]; k++)
        for (int j = 0; j < grid->n[1]; j++)
            for (int i = 0; i < grid->n[0]; i++) add_pressure(fluid, i, j, k);
    if (!fluid->viscosity) return;
    double *const velocity[3] = {fluid->velocity_x, fluid->velocity_y, fluid->velocity_z};
    ViscosityProblem problem = fluid_viscosity_problem(fluid);
    viscosity_reactions(fluid->viscosity, &problem, velocity, add_friction, fluid);
}
