/* Boundary conditions of sides and colliders: given velocities of faces, values beyond the ends of
 * fields. */
#include "fluid/boundary.h"
#include "fluid/internal.h"
#include "fluid/measure.h"
#include "grid/extrapolate.h"

#include <string.h>

/* ---- functions of the scene ---- */

static const char *const side_names[3][2] = {
    {"left", "right"}, {"bottom", "top"}, {"back", "front"}};

static PlimStatus no_value(const Fluid *fluid, const char *what, int axis, int end, Vec3 x,
                           double t) {
    return context_fail(fluid->context, t > 0 ? PLIM_FAILED : PLIM_BAD_INPUT,
                        "the %s of the %s side of the fluid has no value at (%g, %g, %g), t = %g "
                        "s; mend its expression",
                        what, side_names[axis][end], x.x, x.y, x.z, t);
}

/* Everything that a side says must have a value at x. */
static PlimStatus check_side(const Fluid *fluid, int axis, int end, Vec3 x, double t) {
    const FluidSide *side = &fluid->desc.sides[axis][end];
    for (int a = 0; a < fluid->grid.dim; a++)
        if (side->velocity[a].evaluate && !isfinite(field_function_at(&side->velocity[a], x, t)))
            return no_value(fluid, "velocity", axis, end, x, t);
    if (side->smoke.evaluate && !isfinite(field_function_at(&side->smoke, x, t)))
        return no_value(fluid, "smoke", axis, end, x, t);
    if (side->temperature.evaluate && !isfinite(field_function_at(&side->temperature, x, t)))
        return no_value(fluid, "temperature", axis, end, x, t);
    return PLIM_OK;
}

/* The middle of a face of the layer on a side; `b` and `c` count along the two other axes. */
static void side_face(const Grid *grid, int axis, int end, int b, int c, int at[3]) {
    at[axis] = end ? grid->n[axis] : 0;
    at[(axis + 1) % 3] = b;
    at[(axis + 2) % 3] = c;
}

/* ---- given velocities ---- */

/* Faces on one side. Nothing passes a wall; an inflow has its velocity. */
static PlimStatus set_side(Fluid *fluid, int axis, int end, double t) {
    const Grid *grid = &fluid->grid;
    SideKind kind = grid->sides[axis][end];
    if (kind == SIDE_PERIODIC) return PLIM_OK;
    const FieldFunction *velocity = &fluid->desc.sides[axis][end].velocity[axis];
    double *u = fluid_velocity(fluid, axis);
    int at[3];
    for (int c = 0; c < grid->n[(axis + 2) % 3]; c++)
        for (int b = 0; b < grid->n[(axis + 1) % 3]; b++) {
            side_face(grid, axis, end, b, c, at);
            Vec3 x = grid_face_center(grid, axis, at[0], at[1], at[2]);
            TRY(check_side(fluid, axis, end, x, t));
            if (kind == SIDE_OPEN) continue;
            u[grid_face_index(grid, axis, at[0], at[1], at[2])] =
                kind == SIDE_WALL ? 0 : field_function_at(velocity, x, t);
        }
    return PLIM_OK;
}

static void set_closed_row(void *user, int j, int k) {
    const FluidAxis *job = user;
    Fluid *fluid = job->fluid;
    const Grid *grid = &fluid->grid;
    int axis = job->axis, nx = grid->n[0] + (axis == 0);
    double *u = fluid_velocity(fluid, axis);
    for (int i = 0; i < nx; i++) {
        size_t face = grid_face_index(grid, axis, i, j, k);
        if (fluid->cut.open[axis][face] > 0) continue;
        u[face] = 0;
        if (!fluid->colliders.some_move) continue;
        u[face] =
            fluid_wall_speed(fluid, grid_position(grid, grid_place_faces(axis), i, j, k), axis);
    }
}

PlimStatus fluid_set_sides(Fluid *fluid, double t) {
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        for (int end = 0; end < 2; end++) TRY(set_side(fluid, axis, end, t));
    return PLIM_OK;
}

PlimStatus fluid_set_given(Fluid *fluid, const StepInfo *step, double t) {
    TRY(fluid_set_sides(fluid, t));
    for (int axis = 0; axis < fluid->grid.dim; axis++) {
        FluidAxis job = {fluid, axis};
        if (fluid->cut.open[axis])
            grid_for_rows(&fluid->grid, grid_place_faces(axis), step->threads, set_closed_row,
                          &job);
    }
    return PLIM_OK;
}

double fluid_wall_velocity(const void *user, int wall, int component, Vec3 x) {
    const Fluid *fluid = user;
    if (wall != VISCOSITY_OBSTACLE)
        return field_function_at(&fluid->desc.sides[wall / 2][wall % 2].velocity[component], x,
                                 fluid->wall_time);
    return fluid->colliders.some_move ? fluid_wall_speed(fluid, x, component) : 0;
}

/* ---- values beyond the sides ---- */

/* The value beyond a wall that makes a straight line take, at the wall, the value that the slip
 * length gives: u - u_wall falls by slip / (slip + h/2) over half a cell. */
static double beyond_wall(const Fluid *fluid, const FluidSide *side, int component, Vec3 x,
                          double inside) {
    double slip = side->slip;
    if (!isfinite(slip)) return inside;
    double wall = field_function_at(&side->velocity[component], x, fluid->wall_time);
    double half = 0.5 * fluid->grid.spacing;
    double at_wall = wall + (inside - wall) * slip / (slip + half);
    return 2 * at_wall - inside;
}

/* The cell that stands for one at most a layer outside: wrapped where periodic, else the last. */
static void cell_inside(const Grid *grid, const int at[3], int cell[3]) {
    for (int a = 0; a < 3; a++) {
        int n = grid->n[a];
        bool periodic = a < grid->dim && grid_is_periodic(grid, a);
        cell[a] = periodic ? (at[a] + n) % n : at[a] < 0 ? 0 : at[a] < n ? at[a] : n - 1;
    }
}

/* True when fluid comes in through the side next to a cell. */
static bool comes_in(const Fluid *fluid, int axis, int end, const int cell[3]) {
    int at[3] = {cell[0], cell[1], cell[2]};
    at[axis] = end ? fluid->grid.n[axis] : 0;
    double u =
        fluid_velocity(fluid, axis)[grid_face_index(&fluid->grid, axis, at[0], at[1], at[2])];
    return end ? u < 0 : u > 0;
}

/* The middle of the face of a cell on a side. */
static Vec3 on_side(const Grid *grid, int axis, int end, const int cell[3]) {
    int at[3] = {cell[0], cell[1], cell[2]};
    at[axis] = end ? grid->n[axis] : 0;
    return grid_face_center(grid, axis, at[0], at[1], at[2]);
}

/* Calls `fill` for every value one layer beyond a side, edges and corners of the halo included:
 * `at` is the last value before it. */
typedef struct BeyondJob {
    const Fluid *fluid;
    GridField *field;
    int axis, end, component;
    const FieldFunction *given;
} BeyondJob;

typedef void (*BeyondFill)(const BeyondJob *job, const int at[3], size_t inside, size_t beyond);

static void for_beyond(const BeyondJob *job, BeyondFill fill) {
    const GridField *field = job->field;
    int axis = job->axis, b = (axis + 1) % 3, c = (axis + 2) % 3, at[3];
    int halo_b = b < field->grid.dim, halo_c = c < field->grid.dim;
    for (int v = -halo_c; v < field->n[c] + halo_c; v++)
        for (int u = -halo_b; u < field->n[b] + halo_b; u++) {
            at[axis] = job->end ? field->n[axis] - 1 : 0;
            at[b] = u;
            at[c] = v;
            size_t inside = field_index(field, at[0], at[1], at[2]);
            size_t stride = field->stride[axis];
            fill(job, at, inside, job->end ? inside + stride : inside - stride);
        }
}

/* Velocities along a side. Beyond an open side the fluid is at rest: what comes in has no velocity
 * along the side yet. */
static void fill_velocity_beyond(const BeyondJob *job, const int at[3], size_t inside,
                                 size_t beyond) {
    const Fluid *fluid = job->fluid;
    double *data = job->field->data;
    int cell[3];
    cell_inside(&fluid->grid, at, cell);
    if (fluid->grid.sides[job->axis][job->end] == SIDE_OPEN) {
        if (comes_in(fluid, job->axis, job->end, cell)) data[beyond] = -data[inside];
        return;
    }
    Vec3 x = on_side(&fluid->grid, job->axis, job->end, cell);
    double half = 0.5 * fluid->grid.spacing; /* of the component's faces, not of the cell */
    x = vec3_sub(x, vec3(job->component == 0 ? half : 0, job->component == 1 ? half : 0,
                         job->component == 2 ? half : 0));
    const FluidSide *side = &fluid->desc.sides[job->axis][job->end];
    data[beyond] = beyond_wall(fluid, side, job->component, x, data[inside]);
}

static void fill_beyond_side(const Fluid *fluid, GridField *field, int axis, int end,
                             int component) {
    SideKind kind = fluid->grid.sides[axis][end];
    if (kind == SIDE_PERIODIC || (kind == SIDE_WALL && !fluid_is_viscous(fluid))) return;
    BeyondJob job = {
        .fluid = fluid, .field = field, .axis = axis, .end = end, .component = component};
    for_beyond(&job, fill_velocity_beyond);
}

void fluid_fill_velocity(const Fluid *fluid, int component, GridField *field, int threads) {
    field_fill_halo_constant(field, threads);
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        for (int end = 0; axis != component && end < 2; end++)
            fill_beyond_side(fluid, field, axis, end, component);
}

/* Cell values: where fluid comes in through an open side or an inflow they are the side's; what
 * goes out goes on as it is. */
static void fill_scalar_beyond(const BeyondJob *job, const int at[3], size_t inside,
                               size_t beyond) {
    (void)inside;
    int cell[3];
    cell_inside(&job->fluid->grid, at, cell);
    if (!comes_in(job->fluid, job->axis, job->end, cell)) return;
    Vec3 x = on_side(&job->fluid->grid, job->axis, job->end, cell);
    job->field->data[beyond] = field_function_at(job->given, x, job->fluid->wall_time);
}

static const FieldFunction *scalar_of_side(const Fluid *fluid, int which, int axis, int end) {
    const FluidSide *side = &fluid->desc.sides[axis][end];
    return which == 0 ? &side->smoke : &side->temperature;
}

static const FieldFunction *level_of_side(const Fluid *fluid, int axis, int end) {
    return &fluid->desc.sides[axis][end].level;
}

static bool lets_in(const Fluid *fluid, int axis, int end) {
    SideKind kind = fluid->grid.sides[axis][end];
    return kind == SIDE_OPEN || kind == SIDE_INFLOW;
}

void fluid_fill_scalar(const Fluid *fluid, int which, GridField *field, int threads) {
    field_fill_halo_constant(field, threads);
    if (field->place != PLACE_CELLS) return; /* on nodes: fluid_let_in */
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        for (int end = 0; end < 2; end++) {
            BeyondJob job = {.fluid = fluid,
                             .field = field,
                             .axis = axis,
                             .end = end,
                             .given = scalar_of_side(fluid, which, axis, end)};
            if (lets_in(fluid, axis, end)) for_beyond(&job, fill_scalar_beyond);
        }
}

double fluid_liquid_beyond(const void *user, int axis, int end, const int cell[3]) {
    const Fluid *fluid = user;
    Vec3 x = on_side(&fluid->grid, axis, end, cell);
    double level = field_function_at(level_of_side(fluid, axis, end), x, fluid->wall_time);
    return fmin(fmax(0.5 - level / fluid->grid.spacing, 0), 1);
}

/* Beyond a wall that liquid has let go of there is air. */
static void fill_air_beyond(const BeyondJob *job, const int at[3], size_t inside, size_t beyond) {
    const Grid *grid = &job->fluid->grid;
    int cell[3];
    cell_inside(grid, at, cell);
    if (!job->fluid->liquid.separated[grid_cell_index(grid, cell[0], cell[1], cell[2])]) return;
    for (int layer = 0; layer < job->field->halo; layer++)
        job->field->data[beyond + (size_t)layer * (beyond - inside)] =
            (layer + 0.5) * grid->spacing;
}

/* Beyond an open side there is what the side says, air or liquid. Beside the same in the domain it
 * goes on; beside the other it comes in, with the surface on the side, or is pushed out as far as
 * the surface in the domain goes straight on. */
static void fill_level_beyond_open(const BeyondJob *job, const int at[3], size_t inside,
                                   size_t beyond) {
    const Fluid *fluid = job->fluid;
    double *data = job->field->data, h = fluid->grid.spacing, own = data[inside];
    int cell[3];
    cell_inside(&fluid->grid, at, cell);
    Vec3 x = on_side(&fluid->grid, job->axis, job->end, cell);
    const FieldFunction *given = level_of_side(fluid, job->axis, job->end);
    double sign = field_function_at(given, x, fluid->wall_time) < 0 ? -1 : 1;
    bool same = own * sign >= 0;
    if (!same && !comes_in(fluid, job->axis, job->end, cell)) return;
    double first = same ? own + sign * h : sign * 0.5 * h;
    for (int layer = 0; layer < job->field->halo; layer++)
        data[beyond + (size_t)layer * (beyond - inside)] = first + layer * sign * h;
}

void fluid_fill_surface(const Fluid *fluid, GridField *field, int threads) {
    field_fill_halo_distance(field, threads);
    if (field->place != PLACE_CELLS) return;
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        for (int end = 0; end < 2; end++) {
            SideKind kind = fluid->grid.sides[axis][end];
            BeyondJob job = {.fluid = fluid, .field = field, .axis = axis, .end = end};
            if (kind == SIDE_OPEN) for_beyond(&job, fill_level_beyond_open);
            if (fluid->liquid.separated && kind == SIDE_WALL) for_beyond(&job, fill_air_beyond);
        }
}

void fluid_fill_level(const Fluid *fluid, GridField *field, int threads) {
    fluid_fill_surface(fluid, field, threads);
    if (field->place != PLACE_CELLS) return;
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        for (int end = 0; end < 2; end++) {
            BeyondJob job = {.fluid = fluid,
                             .field = field,
                             .axis = axis,
                             .end = end,
                             .given = level_of_side(fluid, axis, end)};
            if (fluid->grid.sides[axis][end] == SIDE_INFLOW) for_beyond(&job, fill_scalar_beyond);
        }
}

/* Values on a side, where a path comes in from outside: there they are `given` (NULL: 0), from a
 * cell beyond the side on. `across` is the velocity across the side before the step. */
static void let_in(const BeyondJob *job, const StepInfo *step, const GridField *across) {
    GridField *field = job->field;
    int axis = job->axis, b = (axis + 1) % 3, c = (axis + 2) % 3, at[3];
    for (int v = 0; v < field->n[c]; v++)
        for (int u = 0; u < field->n[b]; u++) {
            at[axis] = job->end ? field->n[axis] - 1 : 0;
            at[b] = u;
            at[c] = v;
            size_t index = field_index(field, at[0], at[1], at[2]);
            double inward = job->end ? -across->data[index] : across->data[index];
            double way = inward * step->dt / field->grid.spacing; /* cells */
            if (!(way > 0)) continue;
            Vec3 x = grid_position(&field->grid, field->place, at[0], at[1], at[2]);
            double outside = job->given ? field_function_at(job->given, x, step->time) : 0;
            field->data[index] += (way < 1 ? way : 1) * (outside - field->data[index]);
        }
}

/* A path that leaves the domain through an open side comes from fluid at rest. Without this, what
 * comes in would gain speed for ever: with it, its total pressure, p + density u^2 / 2, is that of
 * the surroundings. */
void fluid_slow_incoming(const Fluid *fluid, const StepInfo *step, int axis,
                         const GridField *across, GridField *field) {
    for (int end = 0; end < 2; end++) {
        BeyondJob job = {.fluid = fluid, .field = field, .axis = axis, .end = end};
        if (fluid->grid.sides[axis][end] == SIDE_OPEN) let_in(&job, step, across);
    }
}

void fluid_let_in(const Fluid *fluid, const StepInfo *step, int which, const GridField across[3],
                  GridField *nodes) {
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        for (int end = 0; end < 2; end++) {
            BeyondJob job = {.fluid = fluid,
                             .field = nodes,
                             .axis = axis,
                             .end = end,
                             .given = scalar_of_side(fluid, which, axis, end)};
            if (lets_in(fluid, axis, end)) let_in(&job, step, &across[axis]);
        }
}

/* ---- velocities with halo ---- */

/* Fluid that slips along colliders goes on into them; fluid that is held fast has their velocity
 * there already. */
static PlimStatus continue_into_colliders(Fluid *fluid, const StepInfo *step, GridField *faces,
                                          int axis) {
    enum { LAYERS = 3 };
    bool held = fluid_is_viscous(fluid) && fluid->desc.slip < 0.5 * fluid->grid.spacing;
    if (!fluid->cut.open[axis] || held) return PLIM_OK;
    size_t count = grid_face_count(&fluid->grid, axis), mark = scratch_mark(step->scratch);
    unsigned char *known = scratch_take(step->scratch, count, 1);
    if (!known) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) known[i] = fluid->cut.open[axis][i] > 0;
    PlimStatus status = field_extrapolate(faces, known, LAYERS, 0, step->scratch);
    scratch_release(step->scratch, mark);
    return status;
}

PlimStatus fluid_load_faces(Fluid *fluid, const StepInfo *step) {
    bool surface = fluid_has_surface(fluid);
    for (int axis = 0; axis < fluid->grid.dim; axis++) {
        field_load(&fluid->advect.faces[axis], step->threads, fluid_velocity(fluid, axis));
        if (fluid_is_second_order(fluid)) fluid_add_half_gain(fluid, step, axis);
        if (!surface) TRY(continue_into_colliders(fluid, step, &fluid->advect.faces[axis], axis));
    }
    if (surface) TRY(fluid_extend_faces(fluid, step));
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        fluid_fill_velocity(fluid, axis, &fluid->advect.faces[axis], step->threads);
    return PLIM_OK;
}

/* ---- balance ---- */

/* What flows in through inflows and sources: less what flows out, and in and out together, m^3/s.
 */
typedef struct GivenFlow {
    double net, gross;
} GivenFlow;

static void add_side_flow(const Fluid *fluid, int axis, int end, GivenFlow *flow) {
    const Grid *grid = &fluid->grid;
    const double *u = fluid_velocity(fluid, axis), *open = fluid->cut.open[axis];
    int at[3];
    for (int c = 0; c < grid->n[(axis + 2) % 3]; c++)
        for (int b = 0; b < grid->n[(axis + 1) % 3]; b++) {
            side_face(grid, axis, end, b, c, at);
            size_t face = grid_face_index(grid, axis, at[0], at[1], at[2]);
            double inward = (end ? -u[face] : u[face]) * (open ? open[face] : 1);
            flow->net += inward * grid_face_area(grid);
            flow->gross += fabs(inward) * grid_face_area(grid);
        }
}

static GivenFlow given_flow(const Fluid *fluid) {
    GivenFlow flow = {0, 0};
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        for (int end = 0; end < 2; end++)
            if (fluid->grid.sides[axis][end] == SIDE_INFLOW) add_side_flow(fluid, axis, end, &flow);
    for (size_t i = 0; fluid->sources.rate && i < grid_cell_count(&fluid->grid); i++) {
        flow.net += fluid->sources.rate[i];
        flow.gross += fabs(fluid->sources.rate[i]);
    }
    return flow;
}

static bool is_of_free_body(const Fluid *fluid, int axis, const int at[3]) {
    Vec3 x = grid_face_center(&fluid->grid, axis, at[0], at[1], at[2]), beside;
    const ImmersedCollider *nearest = immersed_nearest(&fluid->colliders, x, &beside);
    return nearest && surface_is_free(&nearest->ref);
}

/* What bodies that reach through a side push in with them, m^3/s: that of bodies inside is none,
 * and free ones are held by walls. */
static double pushed_in(const Fluid *fluid) {
    const Grid *grid = &fluid->grid;
    double sum = 0;
    int at[3];
    for (int axis = 0; axis < grid->dim; axis++)
        for (int end = 0; end < 2 && !grid_is_periodic(grid, axis); end++)
            for (int c = 0; c < grid->n[(axis + 2) % 3]; c++)
                for (int b = 0; b < grid->n[(axis + 1) % 3]; b++) {
                    side_face(grid, axis, end, b, c, at);
                    if (is_of_free_body(fluid, axis, at)) continue;
                    double inward = fluid_pushed(fluid, axis, at[0], at[1], at[2]);
                    sum += end ? -inward : inward;
                }
    return sum;
}

static bool has_opening(const Fluid *fluid) {
    bool opening = false;
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        for (int end = 0; end < 2; end++)
            opening = opening || fluid->grid.sides[axis][end] == SIDE_OPEN;
    return opening;
}

/* Liquid gives way into air. */
static bool has_air(const Fluid *fluid) {
    size_t cells = grid_cell_count(&fluid->grid);
    bool air = false;
    for (size_t i = 0; fluid_has_surface(fluid) && !air && i < cells; i++)
        air = fluid->cut.kind[i] == CELL_AIR;
    return air;
}

/* The body on a path of its own that moves fastest: it, if any, is what enclosed fluid gives way
 * to.
 */
static const char *fastest_given(const Fluid *fluid) {
    const char *name = NULL;
    double fastest = 0;
    for (size_t i = 0; i < fluid->colliders.list.count; i++) {
        const ImmersedCollider *collider = &fluid->colliders.list.data[i];
        double speed = vec3_length(collider->now.velocity);
        if (immersed_is_obstacle(collider) || !(speed > fastest)) continue;
        if (surface_is_free(&collider->ref)) continue;
        fastest = speed;
        name = surface_describe(&collider->ref).name;
    }
    return name;
}

PlimStatus fluid_check_balance(Fluid *fluid, PlimStatus failure, double time, double incompatible) {
    double net = incompatible * (double)fluid->cut.fluid_cells; /* of a region: at most this */
    double speed = fluid_greatest_velocity(fluid);
    /* A liquid at rest: what falls by a cell's height is the scale. */
    if (fluid_has_surface(fluid))
        speed += 1e-3 * sqrt(vec3_length(fluid->gravity) * fluid->grid.spacing);
    double rounding = speed * grid_face_area(&fluid->grid);
    GivenFlow flow = given_flow(fluid);
    /* Bodies that meet close off pockets as small as a cell, which then lose their volume: told as
     * divergence.unbalanced, and no reason to stop. */
    bool by_bodies = failure == PLIM_FAILED && fluid->colliders.some_move;
    if (by_bodies) {
        for (size_t i = 0; fluid->sources.rate && i < grid_cell_count(&fluid->grid); i++)
            flow.net -= fluid->sources.rate[i];
        flow.net += pushed_in(fluid);
        net = has_opening(fluid) || has_air(fluid) ? 0 : fabs(flow.net);
    }
    if (!(net > 1e-6 * (flow.gross + rounding))) return PLIM_OK;
    const char *name = fastest_given(fluid);
    return context_fail(fluid->context, failure,
                        "t = %g s: %s%s%smore flows into a closed part of the fluid than out of it "
                        "(all sides, sources and bodies together: %g m^3/s), and it cannot be "
                        "compressed; make a side open or balance what flows in and out",
                        time, name ? "body '" : "", name ? name : "", name ? "' presses: " : "",
                        flow.net);
}
