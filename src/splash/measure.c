/* Figures of a splashing liquid for stats.csv and probes. */
#include "splash/faces.h"
#include "splash/kernel.h"

/* ---- sums over particles ---- */

enum { SUM_MOMENTUM = 0, SUM_TURN = 3, SUM_PLACE = 6, SUM_SQUARE = 9, SUM_COUNT };

static void add_particles(void *user, size_t begin, size_t end, double *sum) {
    const Splash *splash = user;
    for (size_t p = begin; p < end; p++) {
        Vec3 x = vec3(splash->position_x[p], splash->position_y[p], splash->position_z[p]);
        Vec3 v = splash_particle_velocity(splash, p), turn = vec3_cross(x, v);
        for (int a = 0; a < 3; a++) {
            sum[SUM_MOMENTUM + a] += vec3_component(v, a);
            sum[SUM_TURN + a] += vec3_component(turn, a);
            sum[SUM_PLACE + a] += vec3_component(x, a);
        }
        sum[SUM_SQUARE] += vec3_dot(v, v);
    }
}

/* Of all particles, times their mass. */
static PlimStatus add_up(const Splash *splash, Scratch *scratch, double sum[SUM_COUNT]) {
    TRY(parallel_sum(splash->context->threads, splash_count(splash), SUM_COUNT, add_particles,
                     (void *)(uintptr_t)splash, scratch, sum));
    for (int i = 0; i < SUM_COUNT; i++) sum[i] *= splash->particle_mass;
    return PLIM_OK;
}

/* ---- stats.csv ---- */

static void add_walls(const Splash *splash, Diagnostics *figures) {
    static const char *const names[SPLASH_WALL_COUNT] = {
        "wall.splash_rasterize|wall.*_rasterize",     "wall.splash_solve|wall.*_solve",
        "wall.splash_extrapolate|wall.*_extrapolate", "wall.splash_particles|wall.*_particles",
        "wall.splash_correct|wall.*_correct",         "wall.splash_sort|wall.*_sort"};
    for (int part = 0; part < SPLASH_WALL_COUNT; part++)
        diagnostics_add_own(figures, names[part], splash->wall[part]);
}

static void add_solves(const Splash *splash, Diagnostics *figures) {
    bool classic = splash->desc.incompressibility == SPLASH_BILATERAL;
    diagnostics_add_own(figures, "solve.pressure.iterations|solve.*.iterations",
                        classic ? splash->projected.solved.iterations : splash->solved.iterations);
    if (splash->viscosity)
        diagnostics_add_own(figures, "solve.viscosity.iterations|solve.*.viscosity.iterations",
                            splash->viscous_result.iterations);
    if (classic) return;
    diagnostics_add_own(figures, "solve.pressure.complementarity|solve.*.complementarity",
                        splash->solved.complementarity);
    diagnostics_add_own(figures, "solve.density.iterations|solve.*.density.iterations",
                        splash->corrected.iterations);
    diagnostics_add_own(figures, "density.passes|density.*.passes", splash->correction_passes);
    diagnostics_add_own(figures, "density.excess|density.*.excess", splash->density_excess);
}

PlimStatus splash_diagnose(const void *system, const StepInfo *step, Diagnostics *figures) {
    static const char *const momenta[3] = {"momentum.x", "momentum.y", "momentum.z"};
    static const char *const turns[3] = {"angular_momentum.x", "angular_momentum.y",
                                         "angular_momentum.z"};
    const Splash *splash = system;
    double sum[SUM_COUNT], mass = splash->particle_mass;
    TRY(add_up(splash, step->scratch, sum));
    diagnostics_add(figures, "energy.kinetic", 0.5 * sum[SUM_SQUARE]);
    for (int a = 0; a < 3; a++) {
        diagnostics_add(figures, "energy.potential",
                        -vec3_component(step->gravity, a) * sum[SUM_PLACE + a]);
        diagnostics_add(figures, momenta[a], sum[SUM_MOMENTUM + a]);
        diagnostics_add(figures, turns[a], sum[SUM_TURN + a]);
    }
    diagnostics_add_own(figures, "particles|particles.*", (double)splash_count(splash));
    diagnostics_add_own(figures, "mass.splash|mass.*", mass * (double)splash_count(splash));
    diagnostics_add_own(figures, "mass.poured|mass.*.poured",
                        mass * (double)splash->tally[SPLASH_TALLY_POURED]);
    diagnostics_add_own(figures, "removed.sinks|removed.*.sinks",
                        mass * (double)splash->tally[SPLASH_TALLY_DRAINED]);
    diagnostics_add_own(figures, "removed.sides|removed.*.sides",
                        mass * (double)splash->tally[SPLASH_TALLY_LEFT]);
    diagnostics_add_own(figures, "speed.max|speed.*.max",
                        fmax(splash->fastest, splash->fastest_spray));
    diagnostics_add(figures, "clamped", (double)splash->clamped);
    add_solves(splash, figures);
    add_walls(splash, figures);
    return PLIM_OK;
}

/* ---- probes ---- */

static bool is_whole(const void *system, size_t object) {
    return ((const Splash *)system)->objects.list.data[object].kind == SPLASH_WHOLE;
}

static bool is_point(const void *system, size_t object) {
    return ((const Splash *)system)->objects.list.data[object].kind == SPLASH_POINT;
}

static void read_mass(const void *system, size_t object, double *value) {
    const Splash *splash = system;
    (void)object;
    *value = splash->particle_mass * (double)splash_count(splash);
}

/* Sums in the order of the particles: probes are few and have no scratch memory. */
static void read_sums(const Splash *splash, double sum[SUM_COUNT]) {
    for (int i = 0; i < SUM_COUNT; i++) sum[i] = 0;
    add_particles((void *)(uintptr_t)splash, 0, splash_count(splash), sum);
}

static void read_center(const void *system, size_t object, double *values) {
    const Splash *splash = system;
    double sum[SUM_COUNT], count = (double)splash_count(splash);
    (void)object;
    read_sums(splash, sum);
    for (int a = 0; a < 3; a++) values[a] = count > 0 ? sum[SUM_PLACE + a] / count : 0;
}

static void read_momentum(const void *system, size_t object, double *values) {
    const Splash *splash = system;
    double sum[SUM_COUNT];
    (void)object;
    read_sums(splash, sum);
    for (int a = 0; a < 3; a++) values[a] = splash->particle_mass * sum[SUM_MOMENTUM + a];
}

static void read_kinetic_energy(const void *system, size_t object, double *value) {
    const Splash *splash = system;
    double sum[SUM_COUNT];
    (void)object;
    read_sums(splash, sum);
    *value = 0.5 * splash->particle_mass * sum[SUM_SQUARE];
}

/* How far along an axis cells reach that are at least half full, with the place where the density
 * is half of the liquid's between two cells. */
static double reach_along(const Splash *splash, int axis) {
    const Grid *grid = &splash->padded;
    double half = 0.5 * splash->desc.density, reach = vec3_component(splash->grid.origin, axis);
    double high = reach + splash->grid.n[axis] * splash->grid.spacing;
    FOR_CELLS(grid, 0, face_layers(grid), i, j, k, c) {
        int at[3] = {i, j, k};
        if (splash->density[c] < half || at[axis] + 1 >= grid->n[axis]) continue;
        double center = vec3_component(grid_cell_center(grid, i, j, k), axis);
        at[axis]++;
        double next = splash->density[grid_cell_index(grid, at[0], at[1], at[2])];
        double part = next < half ? (splash->density[c] - half) / (splash->density[c] - next) : 1;
        reach = fmax(reach, center + part * grid->spacing);
    }
    return fmin(reach, high);
}

static void read_front(const void *system, size_t object, double *value) {
    (void)object;
    *value = reach_along(system, 0);
}

static void read_top(const void *system, size_t object, double *value) {
    (void)object;
    *value = reach_along(system, 1);
}

/* Between the centres of cells. */
static double at_point(const Splash *splash, const double *values, size_t object) {
    Vec3 x = splash->objects.list.data[object].point;
    Kernel kernel = kernel_of(splash);
    double share[8];
    KernelPlace place = kernel_place(&kernel, splash->padded.dim, x.x, x.y, x.z);
    size_t at = kernel_cell_shares(&kernel, splash->padded.dim, &place, share);
    return kernel_gather(&kernel.cells, splash->padded.dim, values + at, share);
}

static void read_pressure(const void *system, size_t object, double *value) {
    const Splash *splash = system;
    *value = at_point(splash, splash->pressure, object);
}

static void read_density(const void *system, size_t object, double *value) {
    const Splash *splash = system;
    *value = at_point(splash, splash->density, object);
}

static bool is_solid(const void *system, size_t object) {
    return ((const Splash *)system)->objects.list.data[object].kind == SPLASH_SOLID;
}

static bool is_pressed(const void *system, size_t object) {
    return ((const Splash *)system)->objects.list.data[object].kind == SPLASH_SIDE ||
           is_solid(system, object);
}

static void read_force(const void *system, size_t object, double *values) {
    const Splash *splash = system;
    const ProbeObject *what = &splash->objects.list.data[object];
    vec3_store(values, what->kind == SPLASH_SIDE
                           ? splash->push.side_force[what->item / 2][what->item % 2]
                           : splash->push.solids.data[what->item].force);
}

static void read_torque(const void *system, size_t object, double *values) {
    const Splash *splash = system;
    vec3_store(values, splash->push.solids.data[splash->objects.list.data[object].item].torque);
}

const ProbeQuantity splash_quantities[SPLASH_QUANTITY_COUNT] = {
    {"mass", "", "kg", read_mass, is_whole},
    {"center", "xyz", "m", read_center, is_whole},
    {"momentum", "xyz", "kg m/s", read_momentum, is_whole},
    {"kinetic_energy", "", "J", read_kinetic_energy, is_whole},
    {"front", "", "m", read_front, is_whole},
    {"top", "", "m", read_top, is_whole},
    {"fluid_force", "xyz", "N", read_force, is_pressed},
    {"fluid_torque", "xyz", "N m", read_torque, is_solid},
    {"pressure", "", "Pa", read_pressure, is_point},
    {"density", "", "kg/m^3", read_density, is_point},
};
