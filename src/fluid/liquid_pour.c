/* Sources and drains of liquid, flow through sides, and volume control.
 *
 * What a source pours and what leaves through sides changes the volume that there should be. All
 * else, a level set that shrinks or swells, is error; volume control, when it is on, brings the
 * volume back by a small divergence everywhere in the liquid, and tells how much it made. */
#include "fluid/internal.h"
#include "grid/liquid_fraction.h"

static bool pours(const FluidSource *source) {
    return source->pouring != FLUID_LEAVES;
}

/* Fills or drains its shape whatever volume that takes. */
static bool pours_freely(const FluidSource *source, double t) {
    return pours(source) && !source->has_rate && fluid_source_runs(source, t);
}

bool fluid_is_fed(const Fluid *fluid) {
    for (size_t s = 0; s < fluid->sources.list.count; s++)
        if (fluid->sources.list.data[s].pouring == FLUID_FILLS) return true;
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        for (int end = 0; end < 2; end++)
            if (fluid->grid.sides[axis][end] == SIDE_INFLOW) return true;
    return false;
}

/* ---- sources and drains ---- */

typedef struct PourJob {
    Fluid *fluid;
    const FluidSource *source;
} PourJob;

static void pour_row(void *user, int j, int k) {
    const PourJob *job = user;
    Fluid *fluid = job->fluid;
    GridPlace place = fluid->liquid.phi.place;
    int nx = fluid->liquid.phi.n[0];
    double *level =
        fluid->liquid.level + ((size_t)k * (size_t)fluid->liquid.phi.n[1] + (size_t)j) * (size_t)nx;
    for (int i = 0; i < nx; i++) {
        Vec3 x = grid_position(&fluid->grid, place, i, j, k);
        double distance = fluid_source_distance(fluid, job->source, x);
        level[i] = job->source->pouring == FLUID_FILLS ? fmin(level[i], distance)
                                                       : fmax(level[i], -distance);
    }
}

void fluid_pour_shape(Fluid *fluid, const StepInfo *step, const FluidSource *source) {
    PourJob job = {fluid, source};
    grid_for_rows(&fluid->grid, fluid->liquid.phi.place, step->threads, pour_row, &job);
}

/* Particles of the other kind would take the source's work back. */
void fluid_take_particles(Fluid *fluid, const FluidSource *source) {
    size_t count = fluid->sizes[FLUID_GROUP_PARTICLES].count, kept = 0;
    int other = source->pouring == FLUID_FILLS ? 1 : -1;
    for (size_t i = 0; i < count; i++) {
        Vec3 x = vec3_load(fluid->liquid.particle_position + 3 * i);
        if (fluid->liquid.particle_sign[i] == other && fluid_in_source(fluid, source, x)) {
            fluid->liquid.tally[PARTICLE_MERGED]++;
            continue;
        }
        vec3_store(fluid->liquid.particle_position + 3 * kept, x);
        fluid->liquid.particle_radius[kept] = fluid->liquid.particle_radius[i];
        fluid->liquid.particle_sign[kept++] = fluid->liquid.particle_sign[i];
    }
    if (kept < count) (void)fluid_resize(fluid, FLUID_GROUP_PARTICLES, kept);
}

/* Behind an inflow of liquid the first cell is liquid: from there on it flows by itself. */
static void wet_inflow(Fluid *fluid, int axis, int end, double t) {
    const Grid *grid = &fluid->grid;
    const FluidSide *side = &fluid->desc.sides[axis][end];
    int b = (axis + 1) % 3, c = (axis + 2) % 3, at[3];
    bool nodes = fluid->liquid.phi.place == PLACE_NODES;
    int extra_b = nodes && b < grid->dim, extra_c = nodes && c < grid->dim;
    for (at[c] = 0; at[c] < grid->n[c] + extra_c; at[c]++)
        for (at[b] = 0; at[b] < grid->n[b] + extra_b; at[b]++) {
            at[axis] = end ? fluid->liquid.phi.n[axis] - 1 : 0;
            Vec3 x = grid_position(grid, fluid->liquid.phi.place, at[0], at[1], at[2]);
            double inward = (end ? -1 : 1) * field_function_at(&side->velocity[axis], x, t);
            double level = field_function_at(&side->level, x, t);
            size_t value = ((size_t)at[2] * (size_t)fluid->liquid.phi.n[1] + (size_t)at[1]) *
                               (size_t)fluid->liquid.phi.n[0] +
                           (size_t)at[0];
            if (inward > 0 && level < 0)
                fluid->liquid.level[value] =
                    fmin(fluid->liquid.level[value], fmax(level, -0.5 * grid->spacing));
        }
}

static void wet_inflows(Fluid *fluid, double t) {
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        for (int end = 0; end < 2; end++)
            if (fluid->grid.sides[axis][end] == SIDE_INFLOW) wet_inflow(fluid, axis, end, t);
}

double fluid_volume_of_level(Fluid *fluid, const StepInfo *step) {
    liquid_fractions(&fluid->liquid.phi,
                     fluid->colliders.list.count > 0 ? fluid->cut.distance : NULL, step->threads,
                     fluid->liquid.fraction);
    return fluid_liquid_volume(fluid);
}

PlimStatus fluid_pour(Fluid *fluid, const StepInfo *step) {
    bool any = false;
    wet_inflows(fluid, step->end_time);
    fluid_place_sources(fluid);
    for (size_t s = 0; s < fluid->sources.list.count; s++) {
        any = any || pours_freely(&fluid->sources.list.data[s], step->end_time);
        if (fluid->sources.list.data[s].has_rate) TRY(fluid_pour_at_rate(fluid, step, s));
    }
    if (!any) return PLIM_OK;
    TRY(fluid_load_phi(fluid, step));
    double before = fluid_volume_of_level(fluid, step);
    for (size_t s = 0; s < fluid->sources.list.count; s++) {
        const FluidSource *source = &fluid->sources.list.data[s];
        if (!pours_freely(source, step->end_time)) continue;
        fluid_pour_shape(fluid, step, source);
        fluid_take_particles(fluid, source);
    }
    TRY(fluid_load_phi(fluid, step));
    double poured = fluid_volume_of_level(fluid, step) - before;
    fluid->liquid.account[FLUID_ACCOUNT_POURED] += poured;
    fluid->liquid.account[FLUID_ACCOUNT_WANTED] += poured;
    return PLIM_OK;
}

/* A source that lies in solids altogether can pour nothing. */
PlimStatus fluid_check_pouring(const Fluid *fluid) {
    const Grid *grid = &fluid->grid;
    for (size_t s = 0; s < fluid->sources.list.count; s++) {
        const FluidSource *source = &fluid->sources.list.data[s];
        size_t inside = 0, free = 0;
        for (int k = 0; pours(source) && k < grid->n[2]; k++)
            for (int j = 0; j < grid->n[1]; j++)
                for (int i = 0; i < grid->n[0]; i++) {
                    if (!fluid_in_source(fluid, source, grid_cell_center(grid, i, j, k))) continue;
                    inside++;
                    free += fluid->cut.kind[grid_cell_index(grid, i, j, k)] != CELL_SOLID;
                }
        if (!pours(source) || free > 0) continue;
        return context_fail(fluid->context, PLIM_BAD_INPUT,
                            inside > 0 ? "the source '%s' is inside a solid; move it out"
                                       : "the source '%s' has no cell of the fluid's domain in it; "
                                         "move it inside or make it larger",
                            source->name);
    }
    return PLIM_OK;
}

/* ---- the account ---- */

/* What flows in through inflows with the velocities that carried the surface, m^3/s. */
static double inflow_of_sides(const Fluid *fluid) {
    const Grid *grid = &fluid->grid;
    double sum = 0;
    for (int axis = 0; axis < grid->dim; axis++)
        for (int end = 0; end < 2; end++) {
            if (grid->sides[axis][end] != SIDE_INFLOW) continue;
            int b = (axis + 1) % 3, c = (axis + 2) % 3, at[3];
            at[axis] = end ? grid->n[axis] : 0;
            for (at[c] = 0; at[c] < grid->n[c]; at[c]++)
                for (at[b] = 0; at[b] < grid->n[b]; at[b]++) {
                    if (!fluid_face_is_wet(fluid, axis, at)) continue;
                    size_t face = grid_face_index(grid, axis, at[0], at[1], at[2]);
                    double open = fluid->cut.open[axis] ? fluid->cut.open[axis][face] : 1;
                    const GridField *carries = &fluid->advect.faces[axis];
                    double u = carries->data[field_index(carries, at[0], at[1], at[2])];
                    sum += (end ? -1 : 1) * open * u;
                }
        }
    return sum * grid_face_area(grid);
}

/* What left through open sides while the surface was carried. */
void fluid_count_left(Fluid *fluid, double left) {
    fluid->liquid.account[FLUID_ACCOUNT_LEFT] += left;
    fluid->liquid.account[FLUID_ACCOUNT_WANTED] -= left;
}

/* Brings the volume back within about ten steps or a tenth of a second, whichever is longer, and by
 * no more than a part in a hundred of itself in a step. */
void fluid_balance_account(Fluid *fluid, const StepInfo *step) {
    const double patience = fmax(10 * step->dt, 0.1), most = 0.01;
    double poured = step->dt * inflow_of_sides(fluid);
    double volume = fluid_liquid_volume(fluid) + fluid_volume_of_drops(fluid);
    fluid->liquid.account[FLUID_ACCOUNT_POURED] += poured;
    fluid->liquid.account[FLUID_ACCOUNT_WANTED] += poured;
    fluid->liquid.control_rate = 0;
    if (!fluid->desc.liquid.control || !(volume > 0) || !(step->dt > 0)) return;
    double missing = (fluid->liquid.account[FLUID_ACCOUNT_WANTED] - volume) / volume;
    double rate = fmin(fmax(missing / patience, -most / step->dt), most / step->dt);
    fluid->liquid.control_rate = rate;
    fluid->liquid.account[FLUID_ACCOUNT_CONTROL] += rate * volume * step->dt;
}
