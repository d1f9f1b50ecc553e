/* The hydrostatic correction: what the weight of a liquid between the middles of cut cells and the
 * surface in them adds to the force on it, so that a body under water at rest loses the weight of
 * what its volume displaces (002 section 5.4.1; Archimedes). */
#include "fluid/body_forces.h"
#include "fluid/body_push.h"

/* Whether a cell has a pressure of the last step: what colliders just left has none yet. */
static bool has_pressure(const Fluid *fluid, const int cell[3]) {
    const Grid *grid = &fluid->grid;
    for (int axis = 0; axis < 3; axis++)
        if (cell[axis] < 0 || cell[axis] >= grid->n[axis]) return false;
    size_t index = grid_cell_index(grid, cell[0], cell[1], cell[2]);
    return fluid->cut.kind[index] == CELL_FLUID && !fluid->cut.fresh[index];
}

/* How the pressure of the last step changes along an axis at a cell, Pa/m; `unknown` where no cell
 * beside it has any. */
static double pressure_slope(const Fluid *fluid, const int cell[3], int axis, double unknown) {
    const Grid *grid = &fluid->grid;
    double p[2] = {0, 0};
    int wide = 0;
    for (int end = 0; end < 2; end++) {
        int at[3] = {cell[0], cell[1], cell[2]};
        at[axis] += end ? 1 : -1;
        bool known = has_pressure(fluid, at);
        if (!known) at[axis] = cell[axis];
        p[end] = fluid->pressure[grid_cell_index(grid, at[0], at[1], at[2])];
        wide += known;
    }
    return wide ? (p[1] - p[0]) / (wide * grid->spacing) : unknown;
}

/* The part of its weight that the liquid at a cell rests on what is below with, 0 to 1, by the
 * pressure of the last step: in free fall none. */
static double part_at_rest(const Fluid *fluid, Vec3 gravity, const int cell[3]) {
    double density = fluid->desc.density, square = vec3_dot(gravity, gravity), sum = 0;
    double g[3];
    vec3_store(g, gravity);
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        if (g[axis] != 0) sum += g[axis] * pressure_slope(fluid, cell, axis, density * g[axis]);
    return fmin(fmax(sum / (density * square), 0), 1);
}

/* The part of a face that the solve leaves open; with that, where it is part of a body's mass and
 * its weight the body's, in which fluid is held fast. */
static double open_part(const Fluid *fluid, int axis, const int at[3], bool is_merged) {
    double open = fluid->cut.open[axis][grid_face_index(&fluid->grid, axis, at[0], at[1], at[2])];
    return is_merged ? open + fluid_tied_part(fluid, axis, at) : open;
}

/* The integral over the surface in a cell of density g.(x - c) times its normal, out of the
 * collider; c is the middle of the cell. By the divergence theorem in the fluid of the cell it
 * follows from apertures, their moments and the volume, whatever the surface looks like:
 *   g_axis V ((open_low + open_high) / 2 - part) + A sum over b of g_b (moment_high - moment_low)_b
 * so that all cells together, with pressure at their middles, press with the weight of what the
 * volumes lack, and across gravity not at all. */
static Vec3 weight_over_surface(const Fluid *fluid, Vec3 gravity, const int cell[3],
                                bool is_merged) {
    const Grid *grid = &fluid->grid;
    int i = cell[0], j = cell[1], k = cell[2];
    double part = fluid_cell_part(fluid, cell), sum[3] = {0, 0, 0};
    for (int axis = 0; axis < grid->dim; axis++) {
        double g = vec3_component(gravity, axis), open = 0;
        for (int end = 0; end < 2; end++) {
            int at[3] = {i, j, k};
            at[axis] += end;
            double aperture = open_part(fluid, axis, at, is_merged);
            open += 0.5 * aperture;
            if (!(aperture > 0)) continue;
            Vec3 moment = fluid_aperture_moment(fluid, axis, at[0], at[1], at[2]);
            double along = vec3_dot(gravity, moment) - g * vec3_component(moment, axis);
            sum[axis] += (end ? along : -along) * grid_face_area(grid);
        }
        sum[axis] += g * grid_cell_volume(grid) * (open - part);
    }
    return vec3_scale(fluid->desc.density, vec3_load(sum));
}

/* In a cell without pressure the mean of those beside it that have one. */
static double part_at_rest_near(const Fluid *fluid, Vec3 gravity, const int cell[3]) {
    int reach = fluid->grid.dim == 3, count = 0;
    double sum = 0;
    if (has_pressure(fluid, cell)) return part_at_rest(fluid, gravity, cell);
    for (int c = -reach; c <= reach; c++)
        for (int b = -1; b <= 1; b++)
            for (int a = -1; a <= 1; a++) {
                const int at[3] = {cell[0] + a, cell[1] + b, cell[2] + c};
                if (!has_pressure(fluid, at)) continue;
                sum += part_at_rest(fluid, gravity, at);
                count++;
            }
    return count > 0 ? sum / count : 0;
}

/* Before the first solve all is taken to be at rest. */
double fluid_part_at_rest(const Fluid *fluid, const StepInfo *step, const int cell[3]) {
    return step->time > 0 ? part_at_rest_near(fluid, step->gravity, cell) : 1;
}

static BodyPush hydrostatic_push(const Fluid *fluid, const StepInfo *step, const int cell[3]) {
    int i = cell[0], j = cell[1], k = cell[2];
    Vec3 area = fluid_surface_in_cell(fluid, i, j, k), at = grid_cell_center(&fluid->grid, i, j, k);
    if (vec3_length(area) > 0)
        at = fluid_place_of_surface(fluid, i, j, k, fluid_cell_distance(fluid, i, j, k), area);
    BodyPush push = fluid_push_at(fluid, at, vec3(0, 0, 0));
    size_t number = (size_t)(push.collider - fluid->colliders.list.data);
    Vec3 weight = weight_over_surface(fluid, step->gravity, cell, fluid_solves_for(fluid, number));
    if (!(vec3_length(weight) > 0)) return (BodyPush){0};
    return fluid_push_at(fluid, at, vec3_scale(-fluid_part_at_rest(fluid, step, cell), weight));
}

/* In the liquid, the cells that colliders close among them: there is some in their corners. Those
 * that several share have their own way. */
static bool is_wet_beside_collider(const void *user, int i, int j, int k) {
    const Fluid *fluid = user;
    size_t cell = grid_cell_index(&fluid->grid, i, j, k);
    return fluid_is_beside_collider(fluid, i, j, k) && fluid->cut.kind[cell] != CELL_AIR &&
           fluid->liquid.cell_level[cell] < 0 && !fluid_is_shared(fluid, cell);
}

static void find_hydrostatic_pushes(void *user, size_t begin, size_t end) {
    const PushJob *job = user;
    for (size_t i = begin; i < end; i++) {
        int at[3];
        grid_cell_place(&job->fluid->grid, job->cells.items[i], at);
        job->pushes[i] = hydrostatic_push(job->fluid, job->step, at);
    }
}

/* The solve has the pressure at the middle of a cell press on the surface in it. Under a flat
 * bottom that would be half a cell's depth too much or too little, and a step where the bottom
 * passes from cell to cell; a boat would ride on that step. */
PlimStatus fluid_find_hydrostatic_corrections(Fluid *fluid, const StepInfo *step) {
    for (size_t i = 0; i < fluid->colliders.list.count; i++) {
        FluidLoad *load = fluid_load(fluid, &fluid->colliders.list.data[i]);
        load->hydrostatic = load->hydrostatic_torque = vec3(0, 0, 0);
    }
    if (!fluid_has_surface(fluid) || !(vec3_length(step->gravity) > 0)) return PLIM_OK;
    if (fluid->colliders.list.count == 0) return PLIM_OK;
    size_t mark = scratch_mark(step->scratch);
    PushJob job = {.fluid = fluid, .step = step, .width = 1};
    TRY(fluid_find_pushes(&job, is_wet_beside_collider, find_hydrostatic_pushes));
    for (size_t i = 0; i < job.cells.count; i++) {
        if (!job.pushes[i].collider) continue;
        FluidLoad *load = fluid_load(fluid, job.pushes[i].collider);
        load->hydrostatic = vec3_add(load->hydrostatic, job.pushes[i].force);
        load->hydrostatic_torque = vec3_add(load->hydrostatic_torque, job.pushes[i].torque);
    }
    scratch_release(step->scratch, mark);
    fluid_add_shared_weights(fluid, step);
    return PLIM_OK;
}
