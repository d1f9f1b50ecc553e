/* What sides and colliders impose: given velocities of faces, values beyond the ends of fields. */
#include "fluid/internal.h"
#include "grid/extrapolate.h"

#include <string.h>

/* ---- functions of the scene ---- */

static const char *const side_names[3][2] = {
    {"left", "right"}, {"bottom", "top"}, {"back", "front"}};

static PlimStatus no_value(const Fluid *fluid, int axis, int end, Vec3 x, double t) {
    return context_fail(fluid->context, PLIM_BAD_INPUT,
                        "the velocity of the %s side of the fluid has no value at (%g, %g, %g), "
                        "t = %g s; mend its expression",
                        side_names[axis][end], x.x, x.y, x.z, t);
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
    if (kind == SIDE_OPEN || kind == SIDE_PERIODIC) return PLIM_OK;
    const FieldFunction *velocity = &fluid->desc.sides[axis][end].velocity[axis];
    double *u = fluid_velocity(fluid, axis);
    int at[3];
    for (int c = 0; c < grid->n[(axis + 2) % 3]; c++)
        for (int b = 0; b < grid->n[(axis + 1) % 3]; b++) {
            side_face(grid, axis, end, b, c, at);
            Vec3 x = grid_face_center(grid, axis, at[0], at[1], at[2]);
            double value = kind == SIDE_WALL ? 0 : field_function_at(velocity, x, t);
            if (!isfinite(value)) return no_value(fluid, axis, end, x, t);
            u[grid_face_index(grid, axis, at[0], at[1], at[2])] = value;
        }
    return PLIM_OK;
}

typedef struct ClosedJob {
    Fluid *fluid;
    int axis;
} ClosedJob;

static void set_closed_row(void *user, int j, int k) {
    const ClosedJob *job = user;
    Fluid *fluid = job->fluid;
    const Grid *grid = &fluid->grid;
    int axis = job->axis, nx = grid->n[0] + (axis == 0);
    double *u = fluid_velocity(fluid, axis);
    for (int i = 0; i < nx; i++) {
        size_t face = grid_face_index(grid, axis, i, j, k);
        if (fluid->open[axis][face] > 0) continue;
        u[face] = 0;
        if (!fluid->bodies_move) continue;
        Vec3 x = grid_face_center(grid, axis, i, j, k);
        double velocity[3];
        vec3_store(velocity, collider_velocity(&fluid_nearest(fluid, x)->now, x));
        u[face] = velocity[axis];
    }
}

PlimStatus fluid_set_given(Fluid *fluid, const StepInfo *step, double t) {
    for (int axis = 0; axis < fluid->grid.dim; axis++) {
        for (int end = 0; end < 2; end++) TRY(set_side(fluid, axis, end, t));
        ClosedJob job = {fluid, axis};
        if (fluid->open[axis])
            fluid_for_rows(&fluid->grid, grid_place_faces(axis), step->threads, set_closed_row,
                           &job);
    }
    return PLIM_OK;
}

double fluid_wall_velocity(const void *user, int wall, int component, Vec3 x) {
    const Fluid *fluid = user;
    if (wall != VISCOSITY_OBSTACLE)
        return field_function_at(&fluid->desc.sides[wall / 2][wall % 2].velocity[component], x,
                                 fluid->wall_time);
    if (!fluid->bodies_move) return 0;
    double velocity[3];
    vec3_store(velocity, collider_velocity(&fluid_nearest(fluid, x)->now, x));
    return velocity[component];
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

/* True when fluid comes in through the side next to a cell; faces beyond the cells count as the
 * last cell. */
static bool comes_in(const Fluid *fluid, int axis, int end, const int cell[3]) {
    int at[3];
    for (int a = 0; a < 3; a++) at[a] = cell[a] < fluid->grid.n[a] ? cell[a] : fluid->grid.n[a] - 1;
    at[axis] = end ? fluid->grid.n[axis] : 0;
    double u =
        fluid_velocity(fluid, axis)[grid_face_index(&fluid->grid, axis, at[0], at[1], at[2])];
    return end ? u < 0 : u > 0;
}

/* Velocities along a side, one layer beyond it. Beyond an open side the fluid is at rest: what
 * comes in has no velocity along the side yet. */
static void fill_beyond_side(const Fluid *fluid, GridField *field, int axis, int end,
                             int component) {
    const Grid *grid = &fluid->grid;
    const FluidSide *side = &fluid->desc.sides[axis][end];
    SideKind kind = grid->sides[axis][end];
    if (kind == SIDE_PERIODIC || (kind == SIDE_WALL && !fluid_is_viscous(fluid))) return;
    int b = (axis + 1) % 3, c = (axis + 2) % 3, at[3];
    for (int v = 0; v < field->n[c]; v++)
        for (int u = 0; u < field->n[b]; u++) {
            at[axis] = end ? field->n[axis] - 1 : 0;
            at[b] = u;
            at[c] = v;
            if (kind == SIDE_OPEN && !comes_in(fluid, axis, end, at)) continue;
            double inside = field->data[field_index(field, at[0], at[1], at[2])];
            Vec3 x = grid_face_center(grid, component, at[0], at[1], at[2]);
            double half = (end ? 0.5 : -0.5) * grid->spacing;
            x = vec3_add(x, vec3(axis == 0 ? half : 0, axis == 1 ? half : 0, axis == 2 ? half : 0));
            at[axis] += end ? 1 : -1;
            field->data[field_index(field, at[0], at[1], at[2])] =
                kind == SIDE_OPEN ? -inside : beyond_wall(fluid, side, component, x, inside);
        }
}

void fluid_fill_velocity(const Fluid *fluid, int component, GridField *field, int threads) {
    field_fill_halo_constant(field, threads);
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        for (int end = 0; axis != component && end < 2; end++)
            fill_beyond_side(fluid, field, axis, end, component);
}

/* Cell values one layer beyond an open or inflow side: where fluid comes in they are the side's;
 * what goes out goes on as it is. */
static void fill_beyond_opening(const Fluid *fluid, GridField *field, int axis, int end,
                                const FieldFunction *given) {
    int b = (axis + 1) % 3, c = (axis + 2) % 3, at[3];
    for (int v = 0; v < field->n[c]; v++)
        for (int u = 0; u < field->n[b]; u++) {
            at[axis] = end ? field->n[axis] - 1 : 0;
            at[b] = u;
            at[c] = v;
            if (!comes_in(fluid, axis, end, at)) continue;
            Vec3 x = grid_cell_center(&fluid->grid, at[0], at[1], at[2]);
            at[axis] += end ? 1 : -1;
            field->data[field_index(field, at[0], at[1], at[2])] =
                field_function_at(given, x, fluid->wall_time);
        }
}

void fluid_fill_scalar(const Fluid *fluid, int which, GridField *field, int threads) {
    field_fill_halo_constant(field, threads);
    if (field->place != PLACE_CELLS) return;
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        for (int end = 0; end < 2; end++) {
            SideKind kind = fluid->grid.sides[axis][end];
            const FluidSide *side = &fluid->desc.sides[axis][end];
            if (kind == SIDE_OPEN || kind == SIDE_INFLOW)
                fill_beyond_opening(fluid, field, axis, end,
                                    which == 0 ? &side->smoke : &side->temperature);
        }
}

/* A path that leaves the domain through an open side comes from fluid at rest, which starts a cell
 * beyond it. Without this, what comes in would gain speed for ever: with it, its total pressure,
 * p + density u^2 / 2, is that of the surroundings. `across` is the velocity across the side, of
 * the values that `field` was before it was carried. */
void fluid_slow_incoming(const Fluid *fluid, const StepInfo *step, int axis,
                         const GridField *across, GridField *field) {
    int b = (axis + 1) % 3, c = (axis + 2) % 3, at[3];
    for (int end = 0; end < 2; end++) {
        if (fluid->grid.sides[axis][end] != SIDE_OPEN) continue;
        for (int v = 0; v < field->n[c]; v++)
            for (int u = 0; u < field->n[b]; u++) {
                at[axis] = end ? field->n[axis] - 1 : 0;
                at[b] = u;
                at[c] = v;
                size_t index = field_index(field, at[0], at[1], at[2]);
                double inward = end ? -across->data[index] : across->data[index];
                double way = inward * step->dt / fluid->grid.spacing; /* cells */
                if (way > 0) field->data[index] *= way < 1 ? 1 - way : 0;
            }
    }
}

/* ---- velocities with halo ---- */

/* Fluid that slips along colliders goes on into them; fluid that is held fast has their velocity
 * there already. */
static PlimStatus continue_into_colliders(Fluid *fluid, const StepInfo *step, GridField *faces,
                                          int axis) {
    enum { LAYERS = 3 };
    bool held = fluid_is_viscous(fluid) && fluid->desc.slip < 0.5 * fluid->grid.spacing;
    if (!fluid->open[axis] || held) return PLIM_OK;
    size_t count = grid_face_count(&fluid->grid, axis), mark = scratch_mark(step->scratch);
    unsigned char *known = scratch_take(step->scratch, count, 1);
    if (!known) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) known[i] = fluid->open[axis][i] > 0;
    PlimStatus status = field_extrapolate(faces, known, LAYERS, 0, step->scratch);
    scratch_release(step->scratch, mark);
    return status;
}

PlimStatus fluid_load_faces(Fluid *fluid, const StepInfo *step) {
    for (int axis = 0; axis < fluid->grid.dim; axis++) {
        field_load(&fluid->faces[axis], step->threads, fluid_velocity(fluid, axis));
        if (fluid_is_second_order(fluid)) fluid_add_half_gain(fluid, step, axis);
        TRY(continue_into_colliders(fluid, step, &fluid->faces[axis], axis));
        fluid_fill_velocity(fluid, axis, &fluid->faces[axis], step->threads);
    }
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
    const double *u = fluid_velocity(fluid, axis), *open = fluid->open[axis];
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
    for (size_t i = 0; fluid->source && i < grid_cell_count(&fluid->grid); i++) {
        flow.net += fluid->source[i];
        flow.gross += fabs(fluid->source[i]);
    }
    return flow;
}

PlimStatus fluid_check_balance(Fluid *fluid, PlimStatus failure, double time, double incompatible) {
    double net = incompatible * (double)fluid->fluid_cells; /* of a region: at most this */
    double rounding = fluid_greatest_velocity(fluid) * grid_face_area(&fluid->grid);
    GivenFlow flow = given_flow(fluid);
    if (!(net > 1e-6 * (flow.gross + rounding))) return PLIM_OK;
    return context_fail(fluid->context, failure,
                        "t = %g s: more flows into a closed part of the fluid than out of it (all "
                        "sides, sources and bodies together: %g m^3/s), and it cannot be "
                        "compressed; make a side open or balance what flows in and out",
                        time, flow.net);
}
