/* Extrapolation of a liquid's level set into colliders: constant along their normal, and just
 * inside them linear, as the surface is a cell outside (000 section 4.5). */
#include "fluid/boundary.h"
#include "fluid/internal.h"
#include "grid/difference.h"
#include "grid/extend.h"
#include "grid/interpolate.h"
#include "grid/visibility.h"

typedef struct KnownJob {
    const Fluid *fluid;
    unsigned char *known; /* of values of the level set: 1 outside colliders */
} KnownJob;

static void outside_row(void *user, int j, int k) {
    const KnownJob *job = user;
    const GridField *phi = &job->fluid->liquid.phi, *to_solid = &job->fluid->liquid.to_solid;
    size_t at = grid_row_start(&phi->grid, phi->place, j, k);
    for (int i = 0; i < phi->n[0]; i++, at++)
        job->known[at] = phi->place == PLACE_NODES
                             ? job->fluid->cut.distance[at] > 0
                             : to_solid->data[field_index(to_solid, i, j, k)] < 0;
}

/* Into colliders: from the values outside, along the normal. */
static PlimStatus continue_phi(Fluid *fluid, const StepInfo *step) {
    GridField *phi = &fluid->liquid.phi;
    size_t mark = scratch_mark(step->scratch);
    KnownJob job = {fluid,
                    scratch_take(step->scratch, grid_place_count(&phi->grid, phi->place), 1)};
    if (!job.known) return PLIM_OUT_OF_MEMORY;
    grid_for_rows(&phi->grid, phi->place, step->threads, outside_row, &job);
    double h = fluid->grid.spacing, far = fluid->liquid.phi_band;
    PlimStatus status = field_extend(phi, job.known, &fluid->liquid.to_solid, fluid->liquid.parted,
                                     FLUID_BAND * h, far, step->threads, step->scratch);
    scratch_release(step->scratch, mark);
    return status;
}

/* Values just inside colliders, where cells that they cut have their middles: the surface goes
 * straight on, as it is a cell outside. With values that only stay the same along the collider's
 * normal, water at rest would not be at rest beside a slanting wall. */
typedef struct StraightValue {
    size_t index;                     /* in the level set's data */
    Vec3 from;                        /* m, where the surface is read that goes on to it */
    Vec3 out;                         /* the way out of the collider; zero: there is none */
    double outside, behind, distance; /* m: to `from`; how far the collider goes on; outside it */
    double value;
} StraightValue;

typedef struct StraightJob {
    const Fluid *fluid;
    GridList inside;
    StraightValue *values; /* of each of them */
} StraightJob;

static double sample(const void *field, Vec3 x) {
    return field_sample_linear(field, x);
}

static Vec3 slope_of(const GridField *field, Vec3 x, double *value) {
    double h = field->grid.spacing;
    Vec3 d = central_differences(sample, field, x, 0.5 * h, field->grid.dim);
    *value = field_sample_linear(field, x);
    return vec3(d.x / h, d.y / h, d.z / h);
}

/* How far a collider goes on from x against the way out of it, m; HUGE_VAL: farther than `most`. */
static double wall_behind(const Fluid *fluid, Vec3 x, Vec3 out, double most) {
    const double pace = 0.25 * fluid->grid.spacing;
    double last = -1;
    for (double way = 0; way < most + pace; way += pace) {
        double here = field_sample_linear(&fluid->cut.cell_distance, vec3_add_scaled(x, -way, out));
        if (here > 0) return way - pace * here / (here - last);
        last = here;
    }
    return HUGE_VAL;
}

/* The value inside a collider, straight on from outside. A wall of less than 1.5 cells may have
 * values of both sides in it that nothing parts: nothing says where between liquid and air the
 * surface lies then, and it is put in the middle, or it would wander and come out on the wrong
 * side. */
static double value_inside(const Fluid *fluid, const StraightValue *at) {
    double value, h = fluid->grid.spacing;
    if (fluid_is_separated_at(fluid, at->from)) return -at->distance;
    Vec3 slope = slope_of(&fluid->liquid.phi, at->from, &value);
    slope = vec3_scale(1 / fmax(vec3_length(slope), 1), slope); /* any where surfaces meet */
    double straight = value - at->outside * vec3_dot(slope, at->out), side = value < 0 ? -1 : 1;
    double wall = at->behind - at->distance;
    if (!(wall < 1.5 * h)) return straight;
    Vec3 opposite = vec3_add_scaled(at->from, -at->outside - at->behind - h, at->out);
    if (value * field_sample_linear(&fluid->liquid.phi, opposite) >= 0) return straight;
    double ahead = fmin(fmax(side * vec3_dot(slope, at->out), 0), 1);
    return straight + ahead * (side * 0.5 * (at->behind + at->distance) - straight);
}

/* Values this far from the surface say nothing about it. */
static bool is_far(const Fluid *fluid, size_t index) {
    return !(fabs(fluid->liquid.phi.data[index]) < fluid->liquid.phi_band);
}

static bool is_just_inside(const void *user, int i, int j, int k) {
    const Fluid *fluid = user;
    const GridField *phi = &fluid->liquid.phi;
    const double deepest = 2 * fluid->grid.spacing;
    if (is_far(fluid, field_index(phi, i, j, k))) return false;
    Vec3 x = grid_position(&fluid->grid, phi->place, i, j, k);
    double distance = field_sample_linear(&fluid->cut.cell_distance, x);
    return distance <= 0 && distance > -deepest;
}

/* Whether there is room for liquid where a value inside a collider would be read: a collider that
 * lies on a side of the domain, or less than half a cell from it, has none there. What is read
 * beyond a side is what is inside, so that such values would go on from themselves. */
static bool has_room(const Fluid *fluid, Vec3 from) {
    const Grid *grid = &fluid->grid;
    double x[3], low[3];
    vec3_store(x, from);
    vec3_store(low, grid->origin);
    for (int axis = 0; axis < grid->dim; axis++)
        if (!grid_is_periodic(grid, axis))
            x[axis] = fmin(fmax(x[axis], low[axis]), low[axis] + grid->n[axis] * grid->spacing);
    return visibility_distance(grid, fluid->cut.distance, vec3_load(x)) > 0.5 * grid->spacing;
}

static void describe_inside(void *user, size_t begin, size_t end) {
    const StraightJob *job = user;
    const Fluid *fluid = job->fluid;
    const GridField *phi = &fluid->liquid.phi;
    const double h = fluid->grid.spacing, thin = 2.5 * h;
    for (size_t n = begin; n < end; n++) {
        int at[3];
        grid_place_at(&fluid->grid, phi->place, job->inside.items[n], at);
        Vec3 x = grid_position(&fluid->grid, phi->place, at[0], at[1], at[2]);
        Vec3 out = visibility_way_out(&fluid->grid, fluid->cut.distance, x);
        double distance = field_sample_linear(&fluid->cut.cell_distance, x);
        /* Within 2.5 cells there may be liquid or air behind the wall: all that is read must lie on
         * this side. */
        double behind = wall_behind(fluid, x, out, thin);
        double wall = behind - distance;
        double outside = (wall < thin && wall >= 1.5 * h ? 1.5 * h : h) - distance;
        Vec3 from = vec3_add_scaled(x, outside, out);
        if (!has_room(fluid, from)) out = vec3(0, 0, 0);
        job->values[n] = (StraightValue){.index = field_index(phi, at[0], at[1], at[2]),
                                         .from = from,
                                         .out = out,
                                         .outside = outside,
                                         .behind = behind,
                                         .distance = distance};
    }
}

static void straighten(void *user, size_t begin, size_t end) {
    const StraightJob *job = user;
    const Fluid *fluid = job->fluid;
    for (size_t i = begin; i < end; i++) {
        StraightValue *value = &job->values[i];
        value->value = fluid->liquid.phi.data[value->index];
        if (!is_far(fluid, value->index) && vec3_length(value->out) > 0)
            value->value = value_inside(fluid, value);
    }
}

static void store_straight(void *user, size_t begin, size_t end) {
    const StraightJob *job = user;
    for (size_t i = begin; i < end; i++)
        job->fluid->liquid.phi.data[job->values[i].index] = job->values[i].value;
}

static PlimStatus straighten_phi(Fluid *fluid, const StepInfo *step) {
    enum { ROUNDS = 3, GRAIN = 64 }; /* the first look at values that are not straight yet */
    GridField *phi = &fluid->liquid.phi;
    size_t mark = scratch_mark(step->scratch);
    StraightJob job = {.fluid = fluid};
    fluid_fill_level(fluid, phi, step->threads);
    TRY(grid_gather(&fluid->grid, phi->place, step->threads, is_just_inside, fluid, step->scratch,
                    &job.inside));
    size_t count = job.inside.count;
    job.values = scratch_take(step->scratch, count + 1, sizeof *job.values);
    if (!job.values) return PLIM_OUT_OF_MEMORY;
    parallel_for(step->threads, count, GRAIN, describe_inside, &job);
    for (int round = 0; round < ROUNDS; round++) {
        if (round > 0) fluid_fill_level(fluid, phi, step->threads);
        parallel_for(step->threads, count, GRAIN, straighten, &job);
        parallel_for(step->threads, count, GRAIN, store_straight, &job);
    }
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}

/* Where colliders are, seen from the liquid: positive inside them. */
static void turn_range(void *user, size_t begin, size_t end) {
    Fluid *fluid = user;
    for (size_t i = begin; i < end; i++)
        fluid->liquid.to_solid.data[i] = -fluid->cut.cell_distance.data[i];
}

static void turn_distance(Fluid *fluid, const StepInfo *step) {
    enum { GRAIN = 16384 };
    parallel_for(step->threads, fluid->cut.cell_distance.count, GRAIN, turn_range, fluid);
    field_fill_halo_constant(&fluid->liquid.to_solid, step->threads);
}

PlimStatus fluid_find_visibility(Fluid *fluid, const StepInfo *step) {
    const double *distance = fluid->cut.distance;
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        TRY(visibility_find(&fluid->grid, grid_place_faces(axis), distance, step->threads,
                            step->scratch, fluid->liquid.parted_faces[axis]));
    return visibility_find(&fluid->grid, fluid->liquid.phi.place, distance, step->threads,
                           step->scratch, fluid->liquid.parted);
}

PlimStatus fluid_continue_phi(Fluid *fluid, const StepInfo *step) {
    turn_distance(fluid, step);
    TRY(continue_phi(fluid, step));
    return straighten_phi(fluid, step);
}
