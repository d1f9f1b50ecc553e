/* The splashing liquid: state schema, memory, and its stages of the step (001 chapter 3). */
#include "splash/splash.h"

#include "base/clock.h"
#include "splash/faces.h"
#include "splash/viscous.h"
#include "system/step_limit.h"

#include <string.h>

/* ---- the schema ---- */

#define PARTICLE_FIELD(name, unit, type, role)                                                     \
    { #name, unit, type, role, 1, SPLASH_GROUP_PARTICLES, offsetof(Splash, name) }
#define SPARE_FIELD(name, unit, type, index)                                                       \
    {                                                                                              \
#name #index, unit, type, FIELD_WORK, 1, SPLASH_GROUP_PARTICLES,                           \
            offsetof(Splash, name) + (index) * sizeof(void *)                                      \
    }

static const StateField splash_fields[] = {
    PARTICLE_FIELD(position_x, "m", FIELD_F64, FIELD_STATE),
    PARTICLE_FIELD(position_y, "m", FIELD_F64, FIELD_STATE),
    PARTICLE_FIELD(position_z, "m", FIELD_F64, FIELD_STATE),
    PARTICLE_FIELD(velocity_x, "m/s", FIELD_F64, FIELD_STATE),
    PARTICLE_FIELD(velocity_y, "m/s", FIELD_F64, FIELD_STATE),
    PARTICLE_FIELD(velocity_z, "m/s", FIELD_F64, FIELD_STATE),
    PARTICLE_FIELD(gain_x, "m/s", FIELD_F32, FIELD_STATE),
    PARTICLE_FIELD(gain_y, "m/s", FIELD_F32, FIELD_STATE),
    PARTICLE_FIELD(gain_z, "m/s", FIELD_F32, FIELD_STATE),
    SPARE_FIELD(spare, "m", FIELD_F64, 0),
    SPARE_FIELD(spare, "m", FIELD_F64, 1),
    SPARE_FIELD(spare, "m", FIELD_F64, 2),
    SPARE_FIELD(spare, "m/s", FIELD_F64, 3),
    SPARE_FIELD(spare, "m/s", FIELD_F64, 4),
    SPARE_FIELD(spare, "m/s", FIELD_F64, 5),
    SPARE_FIELD(spare_gain, "m/s", FIELD_F32, 0),
    SPARE_FIELD(spare_gain, "m/s", FIELD_F32, 1),
    SPARE_FIELD(spare_gain, "m/s", FIELD_F32, 2),
    {"affine", "1/s", FIELD_F64, FIELD_STATE, 9, SPLASH_GROUP_AFFINE, offsetof(Splash, affine)},
    {"spare_affine", "1/s", FIELD_F64, FIELD_WORK, 9, SPLASH_GROUP_AFFINE,
     offsetof(Splash, spare_affine)},
    {"pressure", "Pa", FIELD_F64, FIELD_STATE, 1, SPLASH_GROUP_CELLS, offsetof(Splash, pressure)},
    {"eigenvector", "1", FIELD_F64, FIELD_STATE, 1, SPLASH_GROUP_CELLS,
     offsetof(Splash, eigenvector)},
    {"last_dt", "s", FIELD_F64, FIELD_STATE, 1, SPLASH_GROUP_CLOCK, offsetof(Splash, last_dt)},
    {"lead", "1", FIELD_F64, FIELD_STATE, 1, SPLASH_GROUP_CLOCK, offsetof(Splash, lead)},
    {"tally", "1", FIELD_U64, FIELD_STATE, 1, SPLASH_GROUP_TALLIES, offsetof(Splash, tally)},
    {"jet", "m", FIELD_F64, FIELD_STATE, 1, SPLASH_GROUP_SOURCES, offsetof(Splash, jet)},
    {"layer_start", "1", FIELD_U64, FIELD_STATE, 1, SPLASH_GROUP_LAYERS,
     offsetof(Splash, layer_start)},
    {"load", "N", FIELD_F64, FIELD_STATE, 6, SPLASH_GROUP_BODIES, offsetof(Splash, push.load)},
    {"contact", "N", FIELD_F64, FIELD_STATE, 6, SPLASH_GROUP_BODIES,
     offsetof(Splash, push.contact)},
};

static const char *const splash_groups[SPLASH_GROUP_COUNT] = {
    "particles",          "gradients", "cells",  "clocks",
    "fates of particles", "sources",   "layers", "bodies"};

static const StateSchema splash_schema = {
    .fields = splash_fields,
    .field_count = sizeof splash_fields / sizeof *splash_fields,
    .groups = splash_groups,
    .group_count = SPLASH_GROUP_COUNT,
    .sizes_offset = offsetof(Splash, sizes),
    .varying = 1u << SPLASH_GROUP_PARTICLES | 1u << SPLASH_GROUP_AFFINE,
};

static const SystemFigures splash_figures[] = {
    SYSTEM_FIGURES(Splash, solved),         SYSTEM_FIGURES(Splash, corrected),
    SYSTEM_FIGURES(Splash, projected),      SYSTEM_FIGURES(Splash, viscous_result),
    SYSTEM_FIGURES(Splash, density_excess), SYSTEM_FIGURES(Splash, correction_passes),
    SYSTEM_FIGURES(Splash, clamped),        SYSTEM_FIGURES(Splash, wall),
};

PlimStatus splash_resize(Splash *splash, int group, size_t count) {
    return state_resize(splash->context, &splash_schema, splash, group, count);
}

/* ---- the description ---- */

SplashDesc splash_desc_default(void) {
    return (SplashDesc){.name = "splash",
                        .density = 1000,
                        .per_axis = 2,
                        .flip = 0.97,
                        .air = 0.1,
                        .settling = 0.1,
                        .correct_density = true,
                        .crowding = 0.005,
                        .corrections = 40,
                        .tolerance = 1e-6,
                        .preconditioner = POISSON_MULTIGRID,
                        .cfl = 1,
                        .up = {0, 1, 0},
                        .samples = 4,
                        .extrapolation = 4,
                        .surface = true,
                        .surface_radius = 1,
                        .surface_smoothing = 8,
                        .absorption = {2.0f, 0.7f, 0.4f}};
}

double splash_particle_mass(const SplashDesc *desc) {
    double mass = desc->density * grid_cell_volume(&desc->grid);
    for (int a = 0; a < desc->grid.dim; a++) mass /= desc->per_axis;
    return mass;
}

/* While a state is written its file stands in memory twice: as HDF5 holds it, and as bytes to
 * write. */
enum { STATE_COPIES = 2 };

double splash_bytes_per_particle(const SplashDesc *desc) {
    enum { KEY = 4, HIT = 28, SKIN = 5, DRAWN = 28, STATE = 60, AFFINE_STATE = 72 };
    bool has_skin = desc->surface && desc->grid.dim == 3, affine = desc->transfer == SPLASH_APIC;
    double bytes = (double)state_bytes_per_item(&splash_schema, SPLASH_GROUP_PARTICLES) +
                   STATE_COPIES * STATE + KEY + HIT + (has_skin ? SKIN : DRAWN);
    if (affine)
        bytes += (double)state_bytes_per_item(&splash_schema, SPLASH_GROUP_AFFINE) +
                 STATE_COPIES * AFFINE_STATE;
    return bytes;
}

double splash_bytes_per_cell(const SplashDesc *desc) {
    enum { CELLS = 9, FACES = 6, SOLVER = 272, SKIN = 200, SORT = 16, OBSTACLES = 33, STATE = 16 };
    enum { VISCOSITY = 240 }; /* along each axis */
    return 8.0 * (CELLS + FACES * desc->grid.dim) + SOLVER + SKIN + SORT + OBSTACLES +
           STATE_COPIES * STATE + (desc->viscosity > 0 ? VISCOSITY * desc->grid.dim : 0);
}

static PlimStatus check_desc(PlimContext *context, const SplashDesc *desc) {
    if (desc->per_axis < 1)
        return context_fail(context, PLIM_BAD_INPUT,
                            "%d particles along an edge of a cell: a splash needs at least 1",
                            desc->per_axis);
    if (!(desc->density > 0) || !(desc->cfl > 0) || !(desc->tolerance > 0))
        return context_fail(context, PLIM_BAD_INPUT,
                            "density %g, cfl %g and tolerance %g of a splash must be positive",
                            desc->density, desc->cfl, desc->tolerance);
    for (int axis = 0; axis < desc->grid.dim; axis++)
        for (int end = 0; end < 2; end++)
            if (desc->grid.sides[axis][end] != SIDE_WALL &&
                desc->grid.sides[axis][end] != SIDE_OPEN)
                return context_fail(context, PLIM_BAD_INPUT,
                                    "a side of a splash is a wall or open, nothing else");
    for (size_t i = 0; i < desc->body_count; i++)
        if (desc->fractions == SPLASH_FRACTION_RIGHT && splash_pushes_body(desc, &desc->bodies[i]))
            return context_fail(context, PLIM_BAD_INPUT,
                                "a splash with 'fractions: right' pushes no bodies, and '%s' is "
                                "dynamic; use 'fractions: update', or 'coupling: {fluid: one_way}'",
                                surface_describe(&desc->bodies[i].ref).name);
    return PLIM_OK;
}

/* ---- life ---- */

static Grid padded_grid(const Grid *grid) {
    Grid padded = *grid;
    double by[3] = {0};
    for (int axis = 0; axis < grid->dim; axis++) {
        padded.n[axis] += 2;
        by[axis] = -grid->spacing;
        padded.sides[axis][0] = padded.sides[axis][1] = SIDE_WALL;
    }
    padded.origin = vec3_add(grid->origin, vec3_load(by));
    return padded;
}

/* Arrays that are not in the schema: pointer, items, size of one. */
typedef struct SplashArray {
    void **data;
    size_t count, item;
} SplashArray;

enum { ARRAY_CAPACITY = 32 };

/* The place beyond the last is not written; who asks for the list sees by its count. */
static void put_array(SplashArray out[ARRAY_CAPACITY], int place, SplashArray array) {
    if (place < ARRAY_CAPACITY) out[place] = array;
}

static int list_arrays(Splash *splash, SplashArray out[ARRAY_CAPACITY]) {
    const Grid *grid = &splash->padded;
    bool classic = splash->desc.incompressibility == SPLASH_BILATERAL;
    size_t cells = grid_cell_count(grid);
    int count = 0;
    double **of_cells[] = {&splash->most, &splash->density, &splash->predicted, &splash->right,
                           &splash->multiplier};
    for (int i = 0; i < 5; i++)
        put_array(out, count++, (SplashArray){(void **)of_cells[i], cells, sizeof(double)});
    put_array(out, count++, (SplashArray){(void **)&splash->near, cells, 1});
    put_array(out, count++, (SplashArray){(void **)&splash->kind, cells, 1});
    put_array(out, count++, (SplashArray){(void **)&splash->stirred, cells, 1});
    if (classic) put_array(out, count++, (SplashArray){(void **)&splash->closed, cells, 1});
    for (int axis = 0; axis < grid->dim; axis++) {
        size_t faces = grid_face_count(grid, axis);
        double **of_faces[] = {&splash->fraction[axis], &splash->face_density[axis],
                               &splash->velocity[axis], &splash->change[axis],
                               &splash->weight[axis]};
        for (int i = 0; i < 5; i++)
            put_array(out, count++, (SplashArray){(void **)of_faces[i], faces, sizeof(double)});
        if (classic)
            put_array(out, count++,
                      (SplashArray){(void **)&splash->open[axis], faces, sizeof(double)});
        put_array(out, count++, (SplashArray){(void **)&splash->known[axis], faces, 1});
    }
    return count;
}

static void splash_destroy(void *system) {
    Splash *splash = system;
    PlimContext *context = splash->context;
    SplashArray arrays[ARRAY_CAPACITY];
    int count = list_arrays(splash, arrays);
    for (int i = 0; i < count && i < ARRAY_CAPACITY; i++)
        context_free(context, *arrays[i].data, arrays[i].count, arrays[i].item);
    for (size_t i = 0; i < splash->mouths.count; i++)
        array_free(context, &splash->mouths.data[i].columns);
    array_free(context, &splash->mouths);
    probe_objects_free(context, &splash->objects);
    array_free(context, &splash->sinks);
    array_free(context, &splash->blasts);
    splash_free_push(splash);
    immersed_free(&splash->colliders);
    splash_free_obstacles(splash);
    poisson_destroy(splash->poisson);
    poisson_destroy(splash->local);
    viscosity_destroy(splash->viscosity);
    state_free(context, &splash_schema, splash);
    context_free(context, splash, 1, sizeof *splash);
}

/* Nothing passes through their surfaces, and none is carried along. */
static PlimStatus add_colliders(Splash *splash, const SplashDesc *desc) {
    splash->colliders = (Immersed){.context = splash->context, .grid = splash->grid};
    if (desc->obstacles) TRY(immersed_add_obstacles(&splash->colliders, desc->obstacles));
    for (size_t i = 0; i < desc->body_count; i++)
        TRY(immersed_add(&splash->colliders, &(ImmersedSurface){.ref = desc->bodies[i].ref}));
    return PLIM_OK;
}

/* Blasts in the order of their times. */
static PlimStatus add_blast(Splash *splash, const SplashBlast *blast) {
    if (!array_push(splash->context, &splash->blasts, *blast)) return PLIM_OUT_OF_MEMORY;
    for (size_t i = splash->blasts.count - 1;
         i > 0 && splash->blasts.data[i].time < splash->blasts.data[i - 1].time; i--) {
        SplashBlast later = splash->blasts.data[i - 1];
        splash->blasts.data[i - 1] = splash->blasts.data[i];
        splash->blasts.data[i] = later;
    }
    return PLIM_OK;
}

/* Obstacles, bodies and walls, to probe the forces on them. A wall's word may be a body's name. */
static PlimStatus add_pressed(Splash *splash) {
    static const char *const sides[6] = {"left", "right", "bottom", "top", "back", "front"};
    for (size_t i = 0; i < splash->colliders.list.count; i++) {
        const ImmersedCollider *collider = &splash->colliders.list.data[i];
        const char *name =
            immersed_is_obstacle(collider) ? "obstacles" : surface_describe(&collider->ref).name;
        if (probe_objects_find(&splash->objects, name) == SIZE_MAX)
            TRY(probe_objects_add(splash->context, &splash->objects, name,
                                  (ProbeObject){.kind = SPLASH_SOLID, .item = i}));
    }
    for (size_t side = 0; side < 2 * (size_t)splash->grid.dim; side++)
        if (splash->grid.sides[side / 2][side % 2] == SIDE_WALL &&
            probe_objects_find(&splash->objects, sides[side]) == SIZE_MAX)
            TRY(probe_objects_add(splash->context, &splash->objects, sides[side],
                                  (ProbeObject){.kind = SPLASH_SIDE, .item = side}));
    return PLIM_OK;
}

static PlimStatus add_things(Splash *splash, const SplashDesc *desc) {
    splash->objects.owner = "splash";
    TRY(probe_objects_add(splash->context, &splash->objects, desc->name,
                          (ProbeObject){.kind = SPLASH_WHOLE}));
    TRY(add_colliders(splash, desc));
    TRY(splash_create_push(splash, desc));
    TRY(add_pressed(splash));
    for (size_t i = 0; i < desc->blast_count; i++) TRY(add_blast(splash, &desc->blasts[i]));
    for (size_t i = 0; i < desc->sink_count; i++)
        if (!array_push(splash->context, &splash->sinks, desc->sinks[i])) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < desc->source_count; i++)
        TRY(splash_add_mouth(splash, desc, &desc->sources[i]));
    return PLIM_OK;
}

static PlimStatus fill(Splash *splash, const SplashDesc *desc) {
    SplashArray arrays[ARRAY_CAPACITY];
    int count = list_arrays(splash, arrays);
    if (count > ARRAY_CAPACITY)
        return context_fail(splash->context, PLIM_FAILED,
                            "a splash of %d arrays; its list has room for %d", count,
                            (int)ARRAY_CAPACITY);
    for (int i = 0; i < count; i++) {
        *arrays[i].data = context_allocate(splash->context, arrays[i].count, arrays[i].item);
        if (!*arrays[i].data) return PLIM_OUT_OF_MEMORY;
    }
    const Grid *grid = &splash->padded;
    TRY(splash_resize(splash, SPLASH_GROUP_CELLS, grid_cell_count(grid)));
    TRY(splash_resize(splash, SPLASH_GROUP_CLOCK, 1));
    TRY(splash_resize(splash, SPLASH_GROUP_TALLIES, SPLASH_TALLY_COUNT));
    TRY(splash_resize(splash, SPLASH_GROUP_SOURCES, desc->source_count));
    TRY(splash_resize(splash, SPLASH_GROUP_LAYERS, face_layers(grid) + 1));
    TRY(poisson_create(splash->context, grid, desc->preconditioner, &splash->poisson));
    TRY(poisson_create(splash->context, grid, POISSON_PLAIN, &splash->local));
    if (desc->viscosity > 0)
        TRY(viscosity_create(splash->context, &splash->grid, &splash->viscosity));
    return add_things(splash, desc);
}

/* The first particles need the places of obstacles, and those scratch memory of a step. */
static PlimStatus start(Splash *splash, const SplashDesc *desc, Scratch *scratch) {
    StepInfo step = {
        .context = splash->context, .scratch = scratch, .threads = splash->context->threads};
    TRY(splash_place_obstacles(splash, &step, true));
    TRY(splash_seed(splash, desc));
    return splash_sort(splash, &step);
}

PlimStatus splash_create(PlimContext *context, const SplashDesc *desc, Splash **out) {
    *out = NULL;
    TRY(check_desc(context, desc));
    Splash *splash = context_allocate(context, 1, sizeof *splash);
    if (!splash) return PLIM_OUT_OF_MEMORY;
    splash->context = context;
    splash->desc = *desc;
    splash->grid = desc->grid;
    splash->padded = padded_grid(&desc->grid);
    splash->particle_mass = splash_particle_mass(desc);
    Scratch scratch;
    scratch_init(&scratch, context);
    PlimStatus status = fill(splash, desc);
    if (status == PLIM_OK) status = start(splash, desc, &scratch);
    scratch_free(&scratch);
    if (status != PLIM_OK) {
        splash_destroy(splash);
        return status;
    }
    *out = splash;
    return PLIM_OK;
}

/* ---- the step: the list of 001 section 3.2 ---- */

/* The wall time since `start` goes to a part of the step; the time now. */
static double spend(Splash *splash, int part, double start) {
    double now = clock_seconds();
    splash->wall[part] += now - start;
    return now;
}

typedef struct GravityJob {
    Splash *splash;
    int axis;
    double gain; /* m/s */
} GravityJob;

static void pull_faces(void *user, size_t begin, size_t end) {
    const GravityJob *job = user;
    const unsigned char *known = job->splash->known[job->axis];
    double *velocity = job->splash->velocity[job->axis];
    for (size_t f = begin; f < end; f++)
        if (known[f]) velocity[f] += job->gain;
}

static void add_gravity(Splash *splash, const StepInfo *step) {
    for (int axis = 0; axis < splash->padded.dim; axis++) {
        GravityJob job = {splash, axis,
                          splash_kick(splash, step->dt) * vec3_component(step->gravity, axis)};
        parallel_for(step->threads, grid_face_count(&splash->padded, axis), FACE_GRAIN, pull_faces,
                     &job);
    }
}

/* Particles to the grid, then external forces. */
static PlimStatus splash_advect(void *system, const StepInfo *step) {
    Splash *splash = system;
    double start_time = clock_seconds();
    memset(splash->wall, 0, sizeof splash->wall);
    splash->gravity = step->gravity;
    /* Sharp obstacles are made anew: a part of them that was only mended differs in last bits. */
    bool anew = splash->desc.incompressibility == SPLASH_BILATERAL;
    if (splash->colliders.some_move) {
        TRY(splash_place_obstacles(splash, step, anew));
        TRY(splash_find_solid_faces(splash, step, anew));
    }
    splash_blast(splash, step);
    splash_rasterize_velocity(splash, step);
    add_gravity(splash, step);
    spend(splash, SPLASH_WALL_RASTERIZE, start_time);
    return PLIM_OK;
}

/* Pressure, then velocities beyond the liquid. */
PlimStatus splash_solve_pushing(void *system, const StepInfo *step) {
    Splash *splash = system;
    double time = clock_seconds();
    splash_clear_loads(splash);
    splash_stop_at_walls(splash, false, splash->velocity, splash->push.stopped);
    TRY(splash_diffuse(splash, step));
    if (splash->desc.incompressibility == SPLASH_UNILATERAL)
        TRY(splash_project_unilateral(splash, step));
    else
        TRY(splash_project_bilateral(splash, step));
    for (int axis = 0; axis < splash->padded.dim; axis++)
        for (size_t f = 0; f < grid_face_count(&splash->padded, axis); f++)
            splash->change[axis][f] += splash->velocity[axis][f];
    TRY(splash_find_loads(splash, step));
    time = spend(splash, SPLASH_WALL_SOLVE, time);
    if (splash->desc.path == SPLASH_TRAPEZOIDAL) TRY(splash_extrapolate(splash, step));
    spend(splash, SPLASH_WALL_EXTRAPOLATE, time);
    return PLIM_OK;
}

/* With bodies that are pushed, src/couple calls it, when their velocities are known. */
static PlimStatus splash_solve(void *system, const StepInfo *step) {
    return splash_pushes(&((Splash *)system)->push) ? PLIM_OK : splash_solve_pushing(system, step);
}

/* Velocities and places of particles; those that come and go; their density. */
static PlimStatus splash_finish(void *system, const StepInfo *step) {
    Splash *splash = system;
    double time = clock_seconds();
    splash_read_pushed(splash);
    TRY(splash_move(splash, step));
    *splash->lead = 0.5 * step->dt / splash_kick(splash, step->dt);
    *splash->last_dt = step->dt;
    TRY(splash_remove(splash, step));
    TRY(splash_pour(splash, step));
    time = spend(splash, SPLASH_WALL_PARTICLES, time);
    TRY(splash_sort(splash, step));
    time = spend(splash, SPLASH_WALL_SORT, time);
    if (splash->desc.correct_density && splash->desc.incompressibility == SPLASH_UNILATERAL)
        TRY(splash_correct_density(splash, step));
    else
        splash_rasterize_mass(splash, step);
    splash_finish_loads(splash, step);
    time = spend(splash, SPLASH_WALL_CORRECT, time);
    TRY(splash_find_fastest(splash, step));
    spend(splash, SPLASH_WALL_PARTICLES, time);
    return PLIM_OK;
}

static PlimStatus splash_refresh(void *system, const StepInfo *step) {
    Splash *splash = system;
    splash->gravity = step->gravity;
    TRY(splash_place_obstacles(splash, step, true));
    TRY(splash_find_solid_faces(splash, step, true));
    splash_rasterize_mass(splash, step);
    return splash_find_fastest(splash, step);
}

/* m/s, of the colliders that are here. */
static double collider_speed(const void *user, double t) {
    const Splash *splash = user;
    double speed = 0;
    for (size_t i = 0; i < splash->colliders.list.count; i++) {
        const ImmersedCollider *collider = &splash->colliders.list.data[i];
        Collider now = collider->now;
        if (immersed_is_obstacle(collider)) continue;
        surface_read(&collider->ref, &now);
        if (room_meets(&splash->desc.room, collider_bounds(&now)))
            speed = fmax(speed, immersed_speed(collider, splash->grid.dim, t));
    }
    return speed;
}

/* dt (speed + g dt) = cfl h. */
static double splash_max_dt(const void *system, const StepInfo *step) {
    const Splash *splash = system;
    double speed = fmax(splash->fastest, splash_source_speed(splash, step->time));
    speed = fmax(speed, splash->fastest_spray / SPLASH_SPRAY_REACH);
    speed = fmax(speed, collider_speed(splash, step->time));
    double way = splash->desc.cfl * splash->grid.spacing, g = vec3_length(step->gravity);
    double root = sqrt(speed * speed + 4 * g * way);
    double carried = speed + root > 0 ? 2 * way / (speed + root) : HUGE_VAL;
    double wanted = fmin(step->dt, carried);
    carried = fmin(carried, step_limit_given(collider_speed, splash, step->time, wanted, way));
    /* A face above a level surface falls for a step before anything holds it, and the particles
     * below it with a part of that: 0.06 sqrt(g h) in a pool of 15 cells with steps of twice this.
     */
    return fmin(carried, 0.25 * sqrt(splash->grid.spacing / g));
}

/* ---- objects to probe ---- */

static size_t object_count(const void *system) {
    return ((const Splash *)system)->objects.list.count;
}

static const char *object_name(const void *system, size_t object) {
    return ((const Splash *)system)->objects.list.data[object].name;
}

static size_t find_object(const void *system, const char *name) {
    return probe_objects_find(&((const Splash *)system)->objects, name);
}

/* A point takes its name from a wall that nobody asked for. */
PlimStatus splash_add_point(Splash *splash, const char *name, Vec3 point) {
    size_t taken = probe_objects_find(&splash->objects, name);
    if (taken != SIZE_MAX && splash->objects.list.data[taken].kind == SPLASH_SIDE)
        splash->objects.list.data[taken].name[0] = '\0';
    return probe_objects_add_point(splash->context, &splash->objects, &splash->grid, name,
                                   (ProbeObject){.kind = SPLASH_POINT, .point = point});
}

const SystemClass splash_class = {
    .name = "splash",
    .schema = &splash_schema,
    .figures = splash_figures,
    .figure_count = sizeof splash_figures / sizeof *splash_figures,
    .max_dt = splash_max_dt,
    .stage = {[STAGE_ADVECT] = splash_advect,
              [STAGE_SOLVE_VELOCITIES] = splash_solve,
              [STAGE_FINISH] = splash_finish},
    .destroy = splash_destroy,
    .refresh = splash_refresh,
    .diagnose = splash_diagnose,
    .view_frame = splash_view_frame,
    .push = &splash_push_class,
    .quantities = splash_quantities,
    .quantity_count = SPLASH_QUANTITY_COUNT,
    .object_count = object_count,
    .object_name = object_name,
    .find_object = find_object,
};
