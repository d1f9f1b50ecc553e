/* Step limit of a fluid, the condition of Courant, Friedrichs and Lewy (000 section 4.6): nothing
 * goes further than `cfl` cells, and what is given as a function of time does not at any time of
 * the step. */
#include "fluid/step_limit.h"

#include "fluid/forces.h"
#include "fluid/internal.h"
#include "fluid/measure.h"
#include "system/step_limit.h"

/* ---- a given flow ---- */

/* The flow at other times is read at some of the faces, and scaled by what all of them show now. */
typedef struct GivenFlow {
    const Fluid *fluid;
    int stride; /* from face to face */
    double scale;
} GivenFlow;

static double flow_speed(const void *user, double t) {
    const GivenFlow *flow = user;
    const Fluid *fluid = flow->fluid;
    double fastest = 0;
    for (int axis = 0; axis < fluid->grid.dim; axis++) {
        GridPlace place = grid_place_faces(axis);
        const FieldFunction *u = &fluid->desc.velocity[axis];
        int n[3], first[3];
        for (int a = 0; a < 3; a++) {
            n[a] = u->uses_place ? grid_place_size(&fluid->grid, place, a) : 1;
            first[a] = (n[a] - 1) % flow->stride / 2;
        }
        for (int k = first[2]; k < n[2]; k += flow->stride)
            for (int j = first[1]; j < n[1]; j += flow->stride)
                for (int i = first[0]; i < n[0]; i += flow->stride)
                    fastest = fmax(
                        fastest,
                        fabs(field_function_at(u, grid_position(&fluid->grid, place, i, j, k), t)));
    }
    return flow->scale * fastest;
}

static double given_flow_limit(const Fluid *fluid, const StepInfo *step) {
    enum { MOST_READ = 4096 }; /* of the faces across an axis */
    double way = fluid->desc.cfl * fluid->grid.spacing, speed = fluid_greatest_velocity(fluid);
    bool changes = false;
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        changes = changes || fluid->desc.velocity[axis].uses_time;
    if (!changes) return speed > 0 ? way / speed : HUGE_VAL;
    double cells = (double)grid_cell_count(&fluid->grid);
    GivenFlow flow = {fluid, (int)ceil(pow(cells / MOST_READ, 1.0 / fluid->grid.dim)), 1};
    double read = flow_speed(&flow, step->time);
    if (read > 0 && speed > read) flow.scale = speed / read;
    return step_limit_given(flow_speed, &flow, step->time, step->dt, way);
}

/* ---- what else is given: inflows, sources, paths ---- */

/* About how fast fluid comes in through a side, in its middle. */
static double inflow_speed(const Fluid *fluid, double t, int axis, int end) {
    if (fluid->grid.sides[axis][end] != SIDE_INFLOW) return 0;
    int middle[3] = {fluid->grid.n[0] / 2, fluid->grid.n[1] / 2, fluid->grid.n[2] / 2};
    middle[axis] = end ? fluid->grid.n[axis] : 0;
    Vec3 x = grid_face_center(&fluid->grid, axis, middle[0], middle[1], middle[2]);
    return fabs(field_function_at(&fluid->desc.sides[axis][end].velocity[axis], x, t));
}

/* About how fast a source lets fluid out, in the middle of its shape. */
static double source_speed(const Fluid *fluid, const FluidSource *source, double t) {
    if (!fluid_source_blows(source, t)) return 0;
    Box3 box = fluid_source_bounds(source);
    Vec3 middle = vec3_scale(0.5, vec3_add(box.low, box.high));
    double speed = 0;
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        speed = fmax(speed, fabs(fluid_source_velocity(fluid, source, axis, middle, t)));
    return speed;
}

static double given_speed(const void *user, double t) {
    const Fluid *fluid = user;
    bool carries = fluid->desc.carries_velocity || fluid->desc.smoke.is_there;
    double speed = 0;
    for (size_t i = 0; i < fluid->colliders.list.count; i++)
        speed = fmax(speed, immersed_speed(&fluid->colliders.list.data[i], fluid->grid.dim, t));
    for (int axis = 0; carries && axis < fluid->grid.dim; axis++)
        for (int end = 0; end < 2; end++) speed = fmax(speed, inflow_speed(fluid, t, axis, end));
    for (size_t i = 0; carries && i < fluid->sources.list.count; i++)
        speed = fmax(speed, source_speed(fluid, &fluid->sources.list.data[i], t));
    return speed;
}

/* Not what moves now, nor what the strongest force makes of it: v dt + a dt^2 / 2 = cfl h, solved
 * for dt. */
double fluid_max_dt(const void *system, const StepInfo *step) {
    const Fluid *fluid = system;
    if (fluid->desc.is_given) return given_flow_limit(fluid, step);
    bool carries = fluid->desc.carries_velocity || fluid->desc.smoke.is_there;
    double speed = carries ? fluid_greatest_velocity(fluid) : 0;
    double way = fluid->desc.cfl * fluid->grid.spacing;
    speed = fmax(speed, given_speed(fluid, step->time));
    double push = carries ? fluid_greatest_acceleration(fluid, step) : 0;
    if (!fluid->desc.hold_bodies && fluid_solves_for_bodies(fluid))
        push = fmax(push, vec3_length(step->gravity));
    double longest = 2 * way / (speed + sqrt(speed * speed + 2 * push * way));
    double wanted = fmin(step->dt, longest);
    longest = fmin(longest, step_limit_given(given_speed, fluid, step->time, wanted, way));
    /* The shortest waves on a surface must not swing further in every step: dt below
     * 2 / sqrt(pi g / h). */
    double weight = fluid_has_surface(fluid) ? vec3_length(step->gravity) : 0;
    return weight > 0 ? fmin(longest, sqrt(fluid->grid.spacing / weight)) : longest;
}
