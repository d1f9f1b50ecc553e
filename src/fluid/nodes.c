/* Node-based advection and forces (000 section 4.4.1): velocities are averaged to nodes, carried
 * and pushed there, and only what they gained is averaged back to the faces, which keep the
 * velocity. Smoke and temperature live on nodes. */
#include "fluid/boundary.h"
#include "fluid/forces.h"
#include "fluid/internal.h"
#include "fluid/leapfrog.h"

#include <string.h>

/* Mean of the faces across `axis` around a node: 2 in two dimensions, 4 in three. */
static void average_to_nodes(void *user, int j, int k) {
    const FluidAxis *job = user;
    const GridField *faces = &job->fluid->advect.faces[job->axis];
    GridField *nodes = &job->fluid->advect.nodes[job->axis];
    int b = (job->axis + 1) % 3, c = (job->axis + 2) % 3, dim = job->fluid->grid.dim;
    size_t step_b = b < dim ? faces->stride[b] : 0, step_c = c < dim ? faces->stride[c] : 0;
    for (int i = 0; i < nodes->n[0]; i++) {
        const double *u = faces->data + field_index(faces, i, j, k);
        nodes->data[field_index(nodes, i, j, k)] =
            0.25 * (u[0] + *(u - step_b) + (*(u - step_c) + *(u - step_b - step_c)));
    }
}

/* What a node gained; nothing inside colliders, where it was moved out to be carried. */
static double gain_of(const Fluid *fluid, int axis, const int node[3], int *count) {
    const GridField *now = &fluid->advect.nodes[axis], *before = &fluid->advect.nodes_before[axis];
    size_t nx = (size_t)now->n[0], ny = (size_t)now->n[1];
    size_t compact = ((size_t)node[2] * ny + (size_t)node[1]) * nx + (size_t)node[0];
    if (fluid->cut.distance && !(fluid->cut.distance[compact] > 0)) return 0;
    size_t at = field_index(now, node[0], node[1], node[2]);
    ++*count;
    return now->data[at] - before->data[at];
}

/* Adds the mean gain of the nodes at the corners of a face to its velocity. */
static void gain_to_faces(void *user, int j, int k) {
    const FluidAxis *job = user;
    Fluid *fluid = job->fluid;
    int b = (job->axis + 1) % 3, c = (job->axis + 2) % 3, dim = fluid->grid.dim;
    int nx = grid_place_size(&fluid->grid, grid_place_faces(job->axis), 0);
    double *u = fluid_velocity(fluid, job->axis);
    for (int i = 0; i < nx; i++) {
        double sum = 0;
        int count = 0;
        for (int corner = 0; corner < 4; corner++) {
            int node[3] = {i, j, k};
            if (((corner & 1) && b >= dim) || ((corner & 2) && c >= dim)) continue;
            node[b] += corner & 1;
            node[c] += corner >> 1;
            sum += gain_of(fluid, job->axis, node, &count);
        }
        if (sum != 0) u[grid_face_index(&fluid->grid, job->axis, i, j, k)] += sum / count;
    }
}

static void fill_nodes(const void *user, size_t which, GridField *field, int threads) {
    (void)user, (void)which;
    field_fill_halo_constant(field, threads);
}

static PlimStatus load_nodes(Fluid *fluid, const StepInfo *step) {
    TRY(fluid_load_faces(fluid, step));
    for (int axis = 0; axis < fluid->grid.dim; axis++) {
        FluidAxis job = {fluid, axis};
        GridField *nodes = &fluid->advect.nodes[axis];
        grid_for_rows(&fluid->grid, PLACE_NODES, step->threads, average_to_nodes, &job);
        field_fill_halo_constant(nodes, step->threads);
        memcpy(fluid->advect.nodes_before[axis].data, nodes->data,
               nodes->count * sizeof *nodes->data);
    }
    return PLIM_OK;
}

/* One trace from each node carries everything. */
static PlimStatus carry_nodes(Fluid *fluid, const StepInfo *step) {
    Advection advection = fluid_advection(fluid, step);
    advection.fill_halo = fill_nodes;
    GridField *fields[5];
    size_t count = 0;
    for (int axis = 0; axis < fluid->grid.dim; axis++) {
        advection.velocity[axis] = &fluid->advect.nodes_before[axis];
        if (fluid->desc.carries_velocity) fields[count++] = &fluid->advect.nodes[axis];
    }
    for (int which = 0; fluid->desc.smoke.is_there && which < 2; which++)
        fields[count++] = &fluid->advect.scalars[which];
    if (count == 0) return PLIM_OK;
    TRY(advect_fields(&advection, fields, count, step->threads, step->scratch));
    for (int which = 0; fluid->desc.smoke.is_there && which < 2; which++)
        fluid_let_in(fluid, step, which, fluid->advect.nodes_before, &fluid->advect.scalars[which]);
    for (int axis = 0; fluid->desc.carries_velocity && axis < fluid->grid.dim; axis++)
        for (int component = 0; component < fluid->grid.dim; component++)
            fluid_slow_incoming(fluid, step, axis, &fluid->advect.nodes_before[axis],
                                &fluid->advect.nodes[component]);
    return PLIM_OK;
}

PlimStatus fluid_advect_on_nodes(Fluid *fluid, const StepInfo *step) {
    fluid->wall_time = step->time;
    TRY(load_nodes(fluid, step));
    fluid_note_velocity(fluid, step);
    if (fluid_has_surface(fluid)) {
        /* Faces that the liquid reaches in this step gain on what was continued to them. */
        for (int axis = 0; axis < fluid->grid.dim; axis++)
            field_store(&fluid->advect.faces[axis], step->threads, fluid_velocity(fluid, axis));
        TRY(fluid_advect_surface(fluid, step));
    }
    if (fluid->desc.smoke.is_there) TRY(fluid_load_scalars(fluid, step));
    TRY(carry_nodes(fluid, step));
    if (fluid->desc.smoke.is_there) fluid_store_scalars(fluid, step);
    TRY(fluid_push_nodes(fluid, step));
    for (int axis = 0; axis < fluid->grid.dim; axis++) {
        FluidAxis job = {fluid, axis};
        grid_for_rows(&fluid->grid, grid_place_faces(axis), step->threads, gain_to_faces, &job);
    }
    return PLIM_OK;
}
