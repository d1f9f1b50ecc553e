/* Velocities at t = 0: smooth noise, one component independent of the others, so that it is full of
 * sources and sinks. */
#include "base/hash.h"
#include "base/parallel.h"
#include "base/random.h"
#include "fluid/fluid.h"
#include "grid/interpolate.h"

/* A lattice over the domain, about `length` from node to node, in its own units: one from node to
 * node, never finer than the cells. */
static Grid make_lattice(const Grid *grid, double length) {
    Grid lattice = *grid;
    lattice.spacing = 1.0;
    lattice.origin = vec3(0, 0, 0);
    for (int axis = 0; axis < grid->dim; axis++) {
        double nodes = round(grid->n[axis] * grid->spacing / length);
        lattice.n[axis] = (int)fmin(fmax(nodes, 1.0), grid->n[axis]);
    }
    return lattice;
}

/* One component: a random number for each node of the lattice, keyed by the node. */
static PlimStatus make_noise(PlimContext *context, const Grid *lattice, const FluidDesc *desc,
                             int axis, GridField *noise) {
    TRY(field_create(context, lattice, PLACE_NODES, 2, noise));
    uint64_t stream = hash_text(HASH_START, "fluid velocity") + (uint64_t)axis, node = 0;
    for (int k = 0; k < noise->n[2]; k++)
        for (int j = 0; j < noise->n[1]; j++)
            for (int i = 0; i < noise->n[0]; i++)
                noise->data[field_index(noise, i, j, k)] =
                    desc->amplitude * random_normal(desc->seed, stream, node++);
    field_fill_halo(noise, context->threads);
    return PLIM_OK;
}

typedef struct StartJob {
    Fluid *fluid;
    const GridField *noise;
    int axis;
} StartJob;

/* The last layer of faces of a periodic axis is the first: same place, same bits. */
static double noise_at(const StartJob *job, const int face[3]) {
    const Grid *grid = &job->fluid->grid;
    int at[3] = {face[0], face[1], face[2]};
    if (grid_is_periodic(grid, job->axis) && at[job->axis] == grid->n[job->axis]) at[job->axis] = 0;
    Vec3 p = vec3_sub(grid_face_center(grid, job->axis, at[0], at[1], at[2]), grid->origin);
    const int *nodes = job->noise->grid.n;
    double h = grid->spacing;
    return field_sample_cubic(
        job->noise, vec3(p.x / (grid->n[0] * h) * nodes[0], p.y / (grid->n[1] * h) * nodes[1],
                         grid->dim == 3 ? p.z / (grid->n[2] * h) * nodes[2] : 0.0));
}

static void start_rows(void *user, size_t begin, size_t end) {
    const StartJob *job = user;
    const Grid *grid = &job->fluid->grid;
    int nx = grid_place_size(grid, grid_place_faces(job->axis), 0);
    size_t ny = (size_t)grid_place_size(grid, grid_place_faces(job->axis), 1);
    double *velocity = fluid_velocity(job->fluid, job->axis);
    for (size_t row = begin; row < end; row++)
        for (int i = 0; i < nx; i++) {
            int face[3] = {i, (int)(row % ny), (int)(row / ny)};
            bool open = fluid_face_is_open(job->fluid, job->axis, i, face[1], face[2]);
            velocity[row * (size_t)nx + (size_t)i] = open ? noise_at(job, face) : 0.0;
        }
}

PlimStatus fluid_start_random(Fluid *fluid, const FluidDesc *desc) {
    PlimContext *context = fluid->context;
    if (!(desc->length > 0) || !isfinite(desc->amplitude))
        return context_fail(context, PLIM_BAD_INPUT,
                            "a random start of %g m/s over %g m: the length must be above 0",
                            desc->amplitude, desc->length);
    Grid lattice = make_lattice(&fluid->grid, desc->length);
    PlimStatus status = PLIM_OK;
    for (int axis = 0; status == PLIM_OK && axis < fluid->grid.dim; axis++) {
        GridField noise;
        status = make_noise(context, &lattice, desc, axis, &noise);
        GridPlace faces = grid_place_faces(axis);
        size_t rows = (size_t)grid_place_size(&fluid->grid, faces, 1) *
                      (size_t)grid_place_size(&fluid->grid, faces, 2);
        StartJob job = {fluid, &noise, axis};
        if (status == PLIM_OK) parallel_for(context->threads, rows, 16, start_rows, &job);
        field_free(context, &noise);
    }
    return status;
}
