/* A liquid in a frame: its surface as triangles with velocities, its drops. */
#include "fluid/internal.h"
#include "grid/interpolate.h"
#include "grid/level_surface.h"
#include "system/frame_liquid.h"

typedef struct VelocityJob {
    const Fluid *fluid;
    const TriangleMesh *mesh;
    float *velocities;
} VelocityJob;

/* A wet face's share in the velocity at a point beside the surface; others have none. */
static double wet_share(const Fluid *fluid, int axis, size_t face, double weight) {
    size_t nx = (size_t)grid_place_size(&fluid->grid, grid_place_faces(axis), 0);
    size_t ny = (size_t)grid_place_size(&fluid->grid, grid_place_faces(axis), 1);
    int at[3] = {(int)(face % nx), (int)(face / nx % ny), (int)(face / nx / ny)};
    return fluid->desc.is_given || fluid_face_is_wet(fluid, axis, at) ? weight : 0;
}

static double velocity_beside(const Fluid *fluid, int axis, Vec3 x) {
    LinearStencil stencil = linear_stencil(&fluid->grid, grid_place_faces(axis), x);
    double all = 0;
    for (int i = 0; i < stencil.count; i++) {
        stencil.weight[i] = wet_share(fluid, axis, stencil.index[i], stencil.weight[i]);
        all += stencil.weight[i];
    }
    return all > 0 ? linear_gather(&stencil, fluid_velocity(fluid, axis)) / all : 0;
}

static void find_velocities(void *user, size_t begin, size_t end) {
    const VelocityJob *job = user;
    for (size_t i = begin; i < end; i++)
        for (int axis = 0; axis < 3; axis++)
            job->velocities[3 * i + (size_t)axis] =
                (float)velocity_beside(job->fluid, axis, job->mesh->vertices[i]);
}

static PlimStatus add_surface(const Fluid *fluid, const StepInfo *step, const TriangleMesh *mesh,
                              FrameView *view) {
    float *u = scratch_take(step->scratch, 3 * mesh->vertex_count + 1, sizeof(float));
    if (!u) return PLIM_OUT_OF_MEMORY;
    VelocityJob job = {fluid, mesh, u};
    parallel_for(step->threads, mesh->vertex_count, 1024, find_velocities, &job);
    return frame_add_liquid(view, step, mesh, u, fluid->desc.liquid.absorption);
}

/* Those that carry less than nothing are an account, not water. */
static bool is_seen(const Fluid *fluid, size_t drop) {
    return fluid->liquid.drop_volume[drop] >= 0;
}

static PlimStatus view_drops(const Fluid *fluid, const StepInfo *step, FrameView *view) {
    size_t count = fluid->sizes[FLUID_GROUP_DROPS].count, seen = 0;
    for (size_t i = 0; i < count; i++) seen += is_seen(fluid, i);
    FrameDropArrays to;
    TRY(frame_add_drops(view, step, "drops|*.drops", seen, fluid->desc.liquid.absorption, &to));
    for (size_t i = 0, at = 0; i < count; i++) {
        if (!is_seen(fluid, i)) continue;
        for (size_t axis = 0; axis < 3; axis++) {
            to.positions[3 * at + axis] = (float)fluid->liquid.drop_position[3 * i + axis];
            to.velocities[3 * at + axis] = (float)fluid->liquid.drop_velocity[3 * i + axis];
        }
        to.radii[at++] = (float)fluid->liquid.drop_radius[i];
    }
    return PLIM_OK;
}

PlimStatus fluid_view_surface(const Fluid *fluid, const StepInfo *step, FrameView *view) {
    if (fluid->desc.liquid.has_particles) TRY(view_drops(fluid, step, view));
    if (fluid->grid.dim == 2) return PLIM_OK;
    TriangleMesh mesh;
    TRY(level_surface_extract(step->context, &fluid->liquid.phi,
                              fluid->colliders.list.count > 0 ? fluid->cut.distance : NULL,
                              0.25 * fluid->grid.spacing, &mesh));
    PlimStatus status = add_surface(fluid, step, &mesh, view);
    mesh_free(step->context, &mesh);
    return status;
}
