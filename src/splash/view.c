/* A splashing liquid in a frame: a skin around its particles, those outside it as spray, and what
 * the cells of the domain hold. */
#include "splash/internal.h"

#include "grid/particles/particle_skin.h"
#include "system/frame_liquid.h"
#include "system/frame_volume.h"

/* m, in parts of the particles' spacing. */
static const double DROP_RADIUS = 0.5;
/* Nodes of the skin along an edge of a cell. */
enum { NODES_PER_CELL = 2, PARTICLE_GRAIN = 16384 };

/* ---- skin ---- */

static double skin_distance(const void *user, Vec3 x) {
    return splash_distance_to_obstacles(user, x);
}

static Vec3 skin_velocity(const void *user, size_t particle) {
    return splash_particle_velocity(user, particle);
}

static double particle_spacing(const Splash *splash) {
    return splash->grid.spacing / splash->desc.per_axis;
}

static ParticleSkinDesc describe_skin(const Splash *splash, const StepInfo *step) {
    const Grid *grid = &splash->grid;
    ParticleSkinDesc desc = particle_skin_desc_default();
    desc.dim = grid->dim;
    desc.nodes = (NodeGrid){grid->origin, grid->spacing / NODES_PER_CELL, {1, 1, 1}};
    for (int axis = 0; axis < grid->dim; axis++)
        desc.nodes.n[axis] = NODES_PER_CELL * grid->n[axis] + 1;
    desc.position[0] = splash->position_x;
    desc.position[1] = splash->position_y;
    desc.position[2] = splash->position_z;
    desc.count = splash_count(splash);
    desc.spacing = particle_spacing(splash);
    desc.radius = splash->desc.surface_radius;
    desc.smoothing = splash->desc.surface_smoothing;
    if (splash->colliders.list.count > 0) desc.distance = skin_distance;
    desc.depth = 0.5 * grid->spacing; /* pictures draw obstacles from cells, that far off */
    desc.velocity = skin_velocity;
    desc.user = splash;
    desc.threads = step->threads;
    return desc;
}

/* ---- cells ---- */

typedef struct CellJob {
    const Splash *splash;
    const ParticleSkinDesc *desc;
    const ParticleSkin *skin;
    FrameVolumeArrays to;
    float *count; /* particles in each cell */
} CellJob;

/* The domain's cell that a particle is in, of the layer that is given. */
static size_t cell_of(const Grid *grid, const Splash *splash, size_t particle, int layer) {
    const double *position[2] = {splash->position_x, splash->position_y};
    size_t at[3] = {0, 0, 0};
    for (int axis = 0; axis < grid->dim - 1; axis++) {
        double cells =
            (position[axis][particle] - vec3_component(grid->origin, axis)) / grid->spacing;
        at[axis] = (size_t)fmin(fmax(cells, 0), grid->n[axis] - 1);
    }
    at[grid->dim - 1] = (size_t)layer;
    return grid_cell_index(grid, (int)at[0], (int)at[1], (int)at[2]);
}

static void add_particles(const CellJob *job, int layer) {
    const Splash *splash = job->splash;
    /* The first layer is beyond the side. */
    size_t first = splash->layer_start[layer + 1], end = splash->layer_start[layer + 2];
    for (size_t particle = first; particle < end; particle++) {
        size_t cell = cell_of(&splash->grid, splash, particle, layer);
        Vec3 u = splash_particle_velocity(splash, particle);
        job->to.velocity[3 * cell] += (float)u.x;
        job->to.velocity[3 * cell + 1] += (float)u.y;
        job->to.velocity[3 * cell + 2] += (float)u.z;
        job->count[cell] += 1;
    }
}

static void fill_cell(const CellJob *job, int i, int j, int k) {
    const Splash *splash = job->splash;
    const Grid *grid = &splash->grid;
    size_t cell = grid_cell_index(grid, i, j, k);
    size_t padded = grid_cell_index(&splash->padded, i + 1, j + 1, grid->dim == 3 ? k + 1 : 0);
    Vec3 x = grid_cell_center(grid, i, j, k);
    float share = job->count[cell] > 0 ? 1 / job->count[cell] : 0;
    for (size_t axis = 0; axis < 3; axis++) job->to.velocity[3 * cell + axis] *= share;
    bool solid = splash->colliders.list.count > 0 && splash_distance_to_obstacles(splash, x) < 0;
    job->to.solid[cell] = solid;
    job->to.pressure[cell] = solid ? 0.0f : (float)splash->pressure[padded];
    job->to.level[cell] = (float)particle_skin_level(job->desc, job->skin, x);
}

/* Layers along the last axis of the domain. */
static void fill_layers(void *user, size_t begin, size_t end) {
    const CellJob *job = user;
    const Grid *grid = &job->splash->grid;
    size_t size = grid_cell_count(grid) / (size_t)grid->n[grid->dim - 1];
    for (int layer = (int)begin; layer < (int)end; layer++) {
        for (size_t cell = (size_t)layer * size; cell < ((size_t)layer + 1) * size; cell++) {
            job->count[cell] = 0;
            for (size_t axis = 0; axis < 3; axis++) job->to.velocity[3 * cell + axis] = 0;
        }
        add_particles(job, layer);
        for (int j = 0; j < (grid->dim == 3 ? grid->n[1] : 1); j++)
            for (int i = 0; i < grid->n[0]; i++)
                fill_cell(job, i, grid->dim == 3 ? j : layer, grid->dim == 3 ? layer : 0);
    }
}

static PlimStatus view_cells(const Splash *splash, const StepInfo *step,
                             const ParticleSkinDesc *desc, const ParticleSkin *skin,
                             FrameView *view) {
    const Grid *grid = &splash->grid;
    FrameVolumeDesc volume = {.pattern = "splash|*",
                              .grid = grid,
                              .has_level = true,
                              .solid_moves = splash->colliders.some_move,
                              .obstacles = splash->desc.obstacle_mesh};
    CellJob job = {.splash = splash, .desc = desc, .skin = skin};
    TRY(frame_add_volume(view, step, &volume, &job.to));
    job.count = scratch_take(step->scratch, grid_cell_count(grid), sizeof(float));
    if (!job.count) return PLIM_OUT_OF_MEMORY;
    parallel_for(step->threads, (size_t)grid->n[grid->dim - 1], 1, fill_layers, &job);
    return PLIM_OK;
}

/* ---- surface ---- */

static PlimStatus view_surface(const Splash *splash, const StepInfo *step,
                               const ParticleSkinDesc *desc, const ParticleSkin *skin,
                               FrameView *view) {
    TriangleMesh mesh;
    float *velocities;
    TRY(particle_skin_mesh(desc, skin, step->context, step->scratch, &mesh, &velocities));
    PlimStatus status = frame_add_liquid(view, step, &mesh, velocities, splash->desc.absorption);
    mesh_free(step->context, &mesh);
    return status;
}

/* ---- particles ---- */

/* Those that are marked; all of them when `is_shown` is NULL. */
static PlimStatus view_particles(const Splash *splash, const StepInfo *step, const char *pattern,
                                 const unsigned char *is_shown, size_t count, FrameView *view) {
    FrameDropArrays drops;
    TRY(frame_add_drops(view, step, pattern, count, splash->desc.absorption, &drops));
    float radius = (float)(DROP_RADIUS * particle_spacing(splash));
    size_t to = 0;
    for (size_t i = 0; i < splash_count(splash); i++) {
        if (is_shown && !is_shown[i]) continue;
        Vec3 v = splash_particle_velocity(splash, i);
        float *x = drops.positions + 3 * to, *u = drops.velocities + 3 * to;
        x[0] = (float)splash->position_x[i];
        x[1] = (float)splash->position_y[i];
        x[2] = (float)splash->position_z[i];
        u[0] = (float)v.x;
        u[1] = (float)v.y;
        u[2] = (float)v.z;
        drops.radii[to++] = radius;
    }
    return PLIM_OK;
}

PlimStatus splash_view_frame(const void *system, const StepInfo *step, FrameView *view) {
    const Splash *splash = system;
    ParticleSkinDesc desc = describe_skin(splash, step);
    ParticleSkin skin;
    TRY(particle_skin_create(&desc, step->scratch, &skin));
    TRY(view_cells(splash, step, &desc, &skin, view));
    bool surface = splash->desc.surface && splash->grid.dim == 3;
    if (surface) {
        TRY(view_surface(splash, step, &desc, &skin, view));
        TRY(view_particles(splash, step, "spray|*.spray", skin.is_spray, skin.spray_count, view));
    }
    if (surface && !splash->desc.all_particles) return PLIM_OK;
    return view_particles(splash, step, "particles|*.particles", NULL, splash_count(splash), view);
}
