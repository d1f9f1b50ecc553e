/* Volume that a level set has lost, or made, and finds no surface for: it flies on as drops that
 * carry it. Where drops fill cells they are liquid again. */
#include "grid/particles/particle_parts.h"
#include "grid/rows.h"

#include <math.h>
#include <string.h>

/* Parts of a cell's volume: from which what is missing or too much becomes a drop, that one drop
 * carries at most, and from which drops in a cell become liquid. */
static const double LEAST = 0.05, MOST = 1.0, FULL = 0.5;

/* Cells: farther than this from the surface no surface gives back what is missing. */
static const double FAR = 2.5;

typedef struct StrayJob {
    const ParticleLevelSet *set;
    ParticlePlan plan;
    Grid grid;
    double *filled; /* of cells: what drops carry there, over a cell's volume */
} StrayJob;

static double ball_radius(int dim, double volume) {
    const double pi = acos(-1.0);
    return dim == 2 ? sqrt(volume / pi) : cbrt(0.75 * volume / pi);
}

/* ---- what no surface holds becomes drops, what none can give back a debt that falls alike ---- */

static bool is_stray(const void *user, int i, int j, int k) {
    const StrayJob *job = user;
    if (!(fabs(job->set->landed[grid_cell_index(&job->grid, i, j, k)]) > LEAST)) return false;
    Vec3 x = grid_cell_center(&job->grid, i, j, k);
    return particle_sample_one(&job->plan, &job->plan.phi, x, NULL) > FAR * job->plan.spacing;
}

/* The drop of a cell, outside solids. False: it would be deep inside one. */
static bool place_drop(const StrayJob *job, size_t cell, double volume, LevelParticles *drops) {
    const ParticlePlan *plan = &job->plan;
    int at[3];
    grid_place_at(&job->grid, PLACE_CELLS, cell, at);
    Vec3 x = grid_cell_center(&job->grid, at[0], at[1], at[2]), normal;
    double radius = ball_radius(plan->dim, fabs(volume)), v[3] = {0, 0, 0};
    if (plan->solid.first && !particle_leave_solid(plan, radius, &x, &normal)) return false;
    for (int axis = 0; axis < plan->dim; axis++)
        v[axis] = particle_sample_one(plan, &plan->velocity[axis], x, NULL);
    size_t p = drops->count++;
    vec3_store(drops->position + 3 * p, x);
    vec3_store(drops->velocity + 3 * p, vec3_load(v));
    drops->radius[p] = radius;
    drops->volume[p] = volume;
    drops->sign[p] = -1;
    return true;
}

static PlimStatus take_strays(ParticleLevelSet *set, const StrayJob *job) {
    LevelParticles *drops = set->drops;
    size_t before = drops->count;
    GridList strays;
    TRY(grid_gather(&job->grid, PLACE_CELLS, set->threads, is_stray, job, set->scratch, &strays));
    if (strays.count == 0) return PLIM_OK;
    TRY(drops->resize(drops->user, drops, before + strays.count));
    drops->count = before;
    for (size_t n = 0; n < strays.count; n++) {
        double *missing = &set->landed[strays.items[n]], part = fmax(fmin(*missing, MOST), -MOST);
        if (place_drop(job, strays.items[n], part * grid_cell_volume(&job->grid), drops))
            *missing -= part;
    }
    set->tally.drops[PARTICLE_ESCAPED] += drops->count - before;
    return drops->resize(drops->user, drops, drops->count);
}

PlimStatus drops_take_strays(ParticleLevelSet *set, const GridField *const velocity[3]) {
    size_t scratch = scratch_mark(set->scratch);
    StrayJob job = {.set = set, .plan = particle_plan(set, velocity), .grid = set->phi->grid};
    PlimStatus status = take_strays(set, &job);
    scratch_release(set->scratch, scratch);
    return status;
}

/* ---- drops that fill cells become liquid ---- */

/* A ball of half a cell's radius, as small as a level set can hold, around the value nearest to the
 * cell's middle that is outside solids. */
static void wet(const StrayJob *job, size_t cell) {
    GridField *phi = job->set->phi;
    const double h = job->plan.spacing;
    int at[3], corner[3], end[3];
    grid_place_at(&job->grid, PLACE_CELLS, cell, at);
    Vec3 x = grid_cell_center(&job->grid, at[0], at[1], at[2]), normal;
    if (job->plan.solid.first && !particle_leave_solid(&job->plan, 0.5 * h, &x, &normal)) return;
    double place[3], shift = phi->place == PLACE_CELLS ? 0.5 : 0;
    vec3_store(place, vec3_scale(1 / h, vec3_sub(x, job->grid.origin)));
    for (int axis = 0; axis < 3; axis++) {
        bool flat = axis >= job->grid.dim;
        int nearest = flat ? 0 : (int)floor(place[axis] - shift + 0.5);
        corner[axis] = nearest < 0 ? 0 : nearest < phi->n[axis] ? nearest : phi->n[axis] - 1;
        end[axis] = corner[axis] + 1 < phi->n[axis] ? corner[axis] + 1 : corner[axis];
    }
    Vec3 middle = grid_position(&job->grid, phi->place, corner[0], corner[1], corner[2]);
    for (int k = corner[2] > 0 ? corner[2] - 1 : 0; k <= end[2]; k++)
        for (int j = corner[1] > 0 ? corner[1] - 1 : 0; j <= end[1]; j++)
            for (int i = corner[0] > 0 ? corner[0] - 1 : 0; i <= end[0]; i++) {
                double *value = &phi->data[field_index(phi, i, j, k)];
                Vec3 beside = grid_position(&job->grid, phi->place, i, j, k);
                *value = fmin(*value, vec3_length(vec3_sub(beside, middle)) - 0.5 * h);
            }
}

static bool find_filled(const ParticleLevelSet *set, StrayJob *job) {
    const LevelParticles *drops = set->drops;
    bool any = false;
    memset(job->filled, 0, grid_cell_count(&job->grid) * sizeof *job->filled);
    for (size_t i = 0; i < drops->count; i++) {
        double *filled = &job->filled[particle_cell(set, &job->plan, drops->position + 3 * i)];
        *filled += drops->volume[i] / grid_cell_volume(&job->grid);
        any = any || *filled >= FULL;
    }
    return any;
}

static PlimStatus pool(ParticleLevelSet *set, StrayJob *job, bool *pooled) {
    LevelParticles *drops = set->drops;
    size_t cells = grid_cell_count(&job->grid);
    job->filled = scratch_take(set->scratch, cells, sizeof *job->filled);
    unsigned char *marks = particle_marks(set->scratch, drops->count);
    if (!job->filled || !marks) return PLIM_OUT_OF_MEMORY;
    *pooled = find_filled(set, job);
    if (!*pooled) return PLIM_OK;
    for (size_t i = 0; i < drops->count; i++)
        if (drops->volume[i] != 0 &&
            job->filled[particle_cell(set, &job->plan, drops->position + 3 * i)] >= FULL)
            marks[i] = particle_goes(PARTICLE_MERGED);
    for (size_t cell = 0; cell < cells; cell++)
        if (job->filled[cell] >= FULL) wet(job, cell);
    particle_land(set, &job->plan, marks);
    return particle_take_away(drops, marks, set->tally.drops);
}

PlimStatus drops_pool(ParticleLevelSet *set, const GridField *const velocity[3], bool *pooled) {
    size_t scratch = scratch_mark(set->scratch);
    StrayJob job = {.set = set, .plan = particle_plan(set, velocity), .grid = set->phi->grid};
    *pooled = false;
    PlimStatus status = PLIM_OK;
    for (size_t i = 0; i < set->drops->count; i++)
        if (set->drops->volume[i] != 0) {
            status = pool(set, &job, pooled);
            break;
        }
    scratch_release(set->scratch, scratch);
    return status;
}
