/* Probes of a fluid: the fluid as a whole, its sides, the bodies in it, points and sections. */
#include "fluid/internal.h"
#include "fluid/measure.h"
#include "fluid/project.h"
#include "grid/interpolate.h"

/* ---- objects ---- */

static PlimStatus add_object(Fluid *fluid, const char *name, FluidObjectKind kind, size_t item) {
    return probe_objects_add(fluid->context, &fluid->objects.all, name,
                             (ProbeObject){.kind = kind, .item = item});
}

static PlimStatus add_faces(Fluid *fluid, const char *name, FluidObjectKind kind,
                            FluidSection section) {
    if (!array_push(fluid->context, &fluid->objects.sections, section)) return PLIM_OUT_OF_MEMORY;
    return add_object(fluid, name, kind, fluid->objects.sections.count - 1);
}

static PlimStatus add_sides(Fluid *fluid) {
    static const char *const names[3][2] = {
        {"left", "right"}, {"bottom", "top"}, {"back", "front"}};
    const Grid *grid = &fluid->grid;
    for (int axis = 0; axis < grid->dim; axis++)
        for (int end = 0; end < 2; end++) {
            FluidSection side = {
                .axis = axis, .sign = end ? 1 : -1, .high = {grid->n[0], grid->n[1], grid->n[2]}};
            side.low[axis] = end ? grid->n[axis] : 0;
            side.high[axis] = side.low[axis] + 1;
            TRY(add_faces(fluid, names[axis][end], OBJECT_SIDE, side));
        }
    return PLIM_OK;
}

PlimStatus fluid_add_objects(Fluid *fluid) {
    fluid->objects.all.owner = "fluid";
    TRY(add_object(fluid, fluid->desc.name, OBJECT_FLUID, 0));
    TRY(add_sides(fluid));
    for (size_t i = 0; i < fluid->colliders.list.count; i++) {
        const ImmersedCollider *collider = &fluid->colliders.list.data[i];
        const char *name =
            immersed_is_obstacle(collider) ? "obstacles" : surface_describe(&collider->ref).name;
        TRY(add_object(fluid, name, OBJECT_BODY, i));
    }
    return PLIM_OK;
}

void fluid_free_objects(Fluid *fluid) {
    probe_objects_free(fluid->context, &fluid->objects.all);
    array_free(fluid->context, &fluid->objects.sections);
}

PlimStatus fluid_add_point(Fluid *fluid, const char *name, Vec3 point) {
    return probe_objects_add_point(fluid->context, &fluid->objects.all, &fluid->grid, name,
                                   (ProbeObject){.kind = OBJECT_POINT, .point = point});
}

/* Cells whose middle lies between two coordinates. */
static void cells_between(const Fluid *fluid, int axis, double low, double high, int range[2]) {
    double origin[3], h = fluid->grid.spacing;
    vec3_store(origin, fluid->grid.origin);
    double n = fluid->grid.n[axis];
    range[0] = (int)fmin(fmax(ceil((low - origin[axis]) / h - 0.5), 0), n);
    range[1] = (int)fmin(fmax(ceil((high - origin[axis]) / h - 0.5), 0), n);
}

PlimStatus fluid_add_section(Fluid *fluid, const char *name, int axis, double at, Vec3 low,
                             Vec3 high) {
    const Grid *grid = &fluid->grid;
    double first[3], last[3], domain_low[3], domain_high[3];
    vec3_store(first, low);
    vec3_store(last, high);
    vec3_store(domain_low, grid->origin);
    vec3_store(domain_high, grid_high_corner(grid));
    if (axis >= grid->dim || !(at >= domain_low[axis] && at <= domain_high[axis]))
        return context_fail(fluid->context, PLIM_BAD_INPUT,
                            "the section '%s' across %c at %g m is outside the fluid's domain",
                            name, "xyz"[axis], at);
    FluidSection section = {.axis = axis, .sign = 1};
    for (int a = 0; a < 3; a++) {
        int range[2] = {0, 1};
        if (a < grid->dim) cells_between(fluid, a, first[a], last[a], range);
        section.low[a] = range[0];
        section.high[a] = range[1];
    }
    section.low[axis] = (int)round((at - domain_low[axis]) / grid->spacing);
    section.high[axis] = section.low[axis] + 1;
    for (int a = 0; a < 3; a++)
        if (section.low[a] >= section.high[a])
            return context_fail(fluid->context, PLIM_BAD_INPUT,
                                "the section '%s' has no face of the grid in it; make it larger",
                                name);
    return add_faces(fluid, name, OBJECT_SECTION, section);
}

static const ProbeObject *object_of(const void *system, size_t object) {
    return &((const Fluid *)system)->objects.all.list.data[object];
}

size_t fluid_object_count(const void *system) {
    return ((const Fluid *)system)->objects.all.list.count;
}

const char *fluid_object_name(const void *system, size_t object) {
    return object_of(system, object)->name;
}

size_t fluid_find_object(const void *system, const char *name) {
    return probe_objects_find(&((const Fluid *)system)->objects.all, name);
}

/* ---- values at points ---- */

/* Whether a face has a velocity of the liquid's, or a side of the domain holds it; false beyond the
 * grid. */
static bool is_face_of_liquid(const Fluid *fluid, int axis, const int at[3]) {
    for (int a = 0; a < fluid->grid.dim; a++)
        if (at[a] < 0 || at[a] >= grid_place_size(&fluid->grid, grid_place_faces(axis), a))
            return false;
    return fluid_face_is_moved(fluid, axis, at) ||
           fluid_is_on_given_side(&fluid->grid, axis, at[axis]);
}

static double value_of_face(const Fluid *fluid, int axis, const int at[3]) {
    return fluid_velocity(fluid, axis)[grid_face_index(&fluid->grid, axis, at[0], at[1], at[2])];
}

/* What a face in air would have: on from each two faces of the liquid in line with it, in the mean.
 * False without any. */
static bool continue_from_liquid(const Fluid *fluid, int axis, const int at[3], double *value) {
    double sum = 0, count = 0;
    for (int other = 0; other < fluid->grid.dim; other++)
        for (int way = -1; way <= 1; way += 2) {
            int near[3] = {at[0], at[1], at[2]}, far[3] = {at[0], at[1], at[2]};
            near[other] += way;
            far[other] += 2 * way;
            if (!is_face_of_liquid(fluid, axis, near) || !is_face_of_liquid(fluid, axis, far))
                continue;
            sum += 2 * value_of_face(fluid, axis, near) - value_of_face(fluid, axis, far);
            count++;
        }
    if (count > 0) *value = sum / count;
    return count > 0;
}

/* Of a liquid its own faces, and what goes on from them: air has no velocity. */
static double face_value(const Fluid *fluid, int axis, Vec3 x) {
    LinearStencil stencil = linear_stencil(&fluid->grid, grid_place_faces(axis), x);
    size_t nx = (size_t)grid_place_size(&fluid->grid, grid_place_faces(axis), 0);
    size_t ny = (size_t)grid_place_size(&fluid->grid, grid_place_faces(axis), 1);
    const double *u = fluid_velocity(fluid, axis);
    double sum = 0, weight = 0;
    for (int i = 0; fluid_has_surface(fluid) && i < stencil.count; i++) {
        size_t face = stencil.index[i];
        int at[3] = {(int)(face % nx), (int)(face / nx % ny), (int)(face / nx / ny)};
        double value = u[face];
        if (!is_face_of_liquid(fluid, axis, at) && !continue_from_liquid(fluid, axis, at, &value))
            continue;
        sum += stencil.weight[i] * value;
        weight += stencil.weight[i];
    }
    return weight > 0 ? sum / weight : linear_gather(&stencil, u);
}

Vec3 fluid_velocity_at(const Fluid *fluid, Vec3 x) {
    return vec3(face_value(fluid, 0, x), face_value(fluid, 1, x),
                fluid->grid.dim == 3 ? face_value(fluid, 2, x) : 0);
}

static void read_velocity(const void *system, size_t object, double *values) {
    const Fluid *fluid = system;
    vec3_store(values, fluid_velocity_at(fluid, object_of(fluid, object)->point));
}

static void read_pressure(const void *system, size_t object, double *values) {
    const Fluid *fluid = system;
    Vec3 x = object_of(fluid, object)->point;
    LinearStencil stencil = linear_stencil(&fluid->grid, PLACE_CELLS, x);
    double sum = 0, weight = 0;
    for (int i = 0; i < stencil.count; i++) { /* solid cells have no pressure */
        if (fluid->cut.kind[stencil.index[i]] != CELL_FLUID) continue;
        sum += stencil.weight[i] * fluid->pressure[stencil.index[i]];
        weight += stencil.weight[i];
    }
    values[0] = (weight > 0 ? sum / weight : 0) + fluid_weight_pressure(fluid, x);
}

/* Into the hull of all velocity samples: half a cell inside sides that are not periodic. */
static Vec3 into_samples(const Fluid *fluid, Vec3 x) {
    double at[3], low[3], high[3], half = 0.5 * fluid->grid.spacing;
    vec3_store(low, fluid->grid.origin);
    vec3_store(high, grid_high_corner(&fluid->grid));
    vec3_store(at, x);
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        if (!grid_is_periodic(&fluid->grid, axis))
            at[axis] = fmin(fmax(at[axis], low[axis] + half), high[axis] - half);
    return vec3(at[0], at[1], at[2]);
}

/* By differences over one cell to both sides, less next to a side. */
static void read_vorticity(const void *system, size_t object, double *values) {
    const Fluid *fluid = system;
    Vec3 x = object_of(fluid, object)->point;
    double h = fluid->grid.spacing;
    Vec3 slope[3];
    for (int axis = 0; axis < 3; axis++) {
        Vec3 d = vec3(axis == 0 ? h : 0, axis == 1 ? h : 0, axis == 2 ? h : 0);
        Vec3 low = into_samples(fluid, vec3_sub(x, d)), high = into_samples(fluid, vec3_add(x, d));
        Vec3 difference = vec3_sub(fluid_velocity_at(fluid, high), fluid_velocity_at(fluid, low));
        double way = vec3_length(vec3_sub(high, low));
        slope[axis] = vec3(0, 0, 0);
        if (axis < fluid->grid.dim && way > 0) slope[axis] = vec3_scale(1 / way, difference);
    }
    values[0] = slope[1].z - slope[2].y;
    values[1] = slope[2].x - slope[0].z;
    values[2] = slope[0].y - slope[1].x;
}

static double scalar_at(const Fluid *fluid, const double *scalar, Vec3 x) {
    LinearStencil stencil = linear_stencil(&fluid->grid, fluid_smoke_place(fluid), x);
    return linear_gather(&stencil, scalar);
}

static void read_smoke(const void *system, size_t object, double *values) {
    const Fluid *fluid = system;
    const ProbeObject *what = object_of(fluid, object);
    values[0] = what->kind == OBJECT_FLUID ? fluid_total_smoke(fluid)
                                           : scalar_at(fluid, fluid->smoke, what->point);
}

static void read_temperature(const void *system, size_t object, double *values) {
    const Fluid *fluid = system;
    values[0] = scalar_at(fluid, fluid->temperature, object_of(fluid, object)->point);
}

/* ---- the rest ---- */

/* The part of a face that is liquid, solids left out of account: its width over which the level
 * set, the mean of the cells beside it, is below 0. */
static double wet_part(const Fluid *fluid, int axis, const int at[3]) {
    const Grid *grid = &fluid->grid;
    double sum = 0, count = 0;
    for (int end = 0; end < 2; end++) {
        int cell[3] = {at[0], at[1], at[2]};
        cell[axis] -= end;
        if (grid_is_periodic(grid, axis)) cell[axis] = (cell[axis] + grid->n[axis]) % grid->n[axis];
        if (cell[axis] < 0 || cell[axis] >= grid->n[axis]) continue;
        sum += fluid->liquid.cell_level[grid_cell_index(grid, cell[0], cell[1], cell[2])];
        count++;
    }
    return fmin(fmax(0.5 - sum / count / grid->spacing, 0), 1);
}

/* m/s through a whole face: of a liquid what is liquid. Inflows let in what they are told to. */
static double flow_through(const Fluid *fluid, int axis, const int at[3]) {
    size_t face = grid_face_index(&fluid->grid, axis, at[0], at[1], at[2]);
    const double *open = fluid->cut.open[axis];
    double u = fluid_velocity(fluid, axis)[face] * (open ? open[face] : 1);
    if (!fluid_has_surface(fluid) || fluid_is_on_given_side(&fluid->grid, axis, at[axis])) return u;
    if (!fluid_face_is_moved(fluid, axis, at)) /* in air, though its lower part may be liquid */
        u = fluid_velocity_beside(fluid, axis, at) * (open ? open[face] : 1);
    return u * wet_part(fluid, axis, at);
}

static void read_flux(const void *system, size_t object, double *values) {
    const Fluid *fluid = system;
    const FluidSection *what = &fluid->objects.sections.data[object_of(fluid, object)->item];
    double sum = 0;
    for (int k = what->low[2]; k < what->high[2]; k++)
        for (int j = what->low[1]; j < what->high[1]; j++)
            for (int i = what->low[0]; i < what->high[0]; i++)
                sum += flow_through(fluid, what->axis, (int[3]){i, j, k});
    values[0] = what->sign * sum * grid_face_area(&fluid->grid);
}

static const FluidLoad *load_on(const void *system, size_t object) {
    const Fluid *fluid = system;
    return &fluid->loads.data[object_of(system, object)->item];
}

static void read_force(const void *system, size_t object, double *values) {
    vec3_store(values, load_on(system, object)->force);
}

static void read_torque(const void *system, size_t object, double *values) {
    vec3_store(values, load_on(system, object)->torque);
}

static const ImmersedCollider *collider_of(const void *system, size_t object) {
    const Fluid *fluid = system;
    return immersed_find(&fluid->colliders, object_of(system, object)->item);
}

/* The fluid's force without what carries weight, along a direction and across it. Against the
 * body's motion; along x on one that does not move. */
static void read_drag_and_lift(const void *system, size_t object, double *drag, double *lift) {
    const ImmersedCollider *collider = collider_of(system, object);
    const FluidLoad *load = load_on(system, object);
    Vec3 force = vec3_sub(load->force, load->weight), along = vec3(1, 0, 0);
    double speed = vec3_length(collider->now.velocity);
    /* What only rounding moves does not move. */
    if (speed > 1e-9 * fluid_greatest_velocity(system))
        along = vec3_scale(-1 / speed, collider->now.velocity);
    *drag = vec3_dot(force, along);
    Vec3 across = vec3_sub(force, vec3_scale(*drag, along));
    bool flat = ((const Fluid *)system)->grid.dim == 2;
    *lift = flat ? vec3_dot(force, vec3(-along.y, along.x, 0)) : vec3_length(across);
}

static void read_drag(const void *system, size_t object, double *values) {
    double lift;
    read_drag_and_lift(system, object, values, &lift);
}

static void read_lift(const void *system, size_t object, double *values) {
    double drag;
    read_drag_and_lift(system, object, &drag, values);
}

/* Mean over the surface. */
static void read_traction(const void *system, size_t object, double *values) {
    const FluidLoad *load = load_on(system, object);
    vec3_store(values, vec3_scale(load->area > 0 ? 1 / load->area : 0, load->force));
}

static void read_dissipation(const void *system, size_t object, double *values) {
    (void)object;
    values[0] = fluid_dissipation(system);
}

static void read_gravity_power(const void *system, size_t object, double *values) {
    const Fluid *fluid = system;
    if (object_of(fluid, object)->kind == OBJECT_FLUID) {
        values[0] = fluid_gravity_power(fluid);
        return;
    }
    const ImmersedCollider *collider = collider_of(system, object);
    Collider now;
    surface_read(&collider->ref, &now);
    values[0] = surface_describe(&collider->ref).mass * vec3_dot(fluid->gravity, now.velocity);
}

static void read_kinetic_energy(const void *system, size_t object, double *values) {
    (void)object;
    values[0] = fluid_kinetic_energy(system);
}

static void read_divergence(const void *system, size_t object, double *values) {
    (void)object;
    values[0] = fluid_greatest_divergence(system);
}

static void read_enstrophy(const void *system, size_t object, double *values) {
    (void)object;
    values[0] = fluid_enstrophy(system);
}

static void read_volume(const void *system, size_t object, double *values) {
    (void)object;
    values[0] = fluid_liquid_volume(system);
}

static void read_front(const void *system, size_t object, double *values) {
    (void)object;
    values[0] = fluid_front(system);
}

static void read_center(const void *system, size_t object, double *values) {
    (void)object;
    vec3_store(values, fluid_liquid_center(system));
}

static void read_surface(const void *system, size_t object, double *values) {
    const Fluid *fluid = system;
    values[0] = fluid_surface_height(fluid, object_of(fluid, object)->point);
}

static void read_level(const void *system, size_t object, double *values) {
    const Fluid *fluid = system;
    values[0] = scalar_at(fluid, fluid->liquid.level, object_of(fluid, object)->point);
}

static FluidObjectKind kind_of(const void *system, size_t object) {
    return (FluidObjectKind)object_of(system, object)->kind;
}

static bool is_fluid(const void *system, size_t object) {
    return kind_of(system, object) == OBJECT_FLUID;
}

static bool is_body(const void *system, size_t object) {
    return kind_of(system, object) == OBJECT_BODY;
}

static bool has_weight(const void *system, size_t object) {
    if (is_fluid(system, object)) return true;
    if (!is_body(system, object)) return false;
    return surface_is_free(&collider_of(system, object)->ref);
}

static bool is_point(const void *system, size_t object) {
    return kind_of(system, object) == OBJECT_POINT;
}

static bool is_smoky_point(const void *system, size_t object) {
    return is_point(system, object) && ((const Fluid *)system)->desc.smoke.is_there;
}

static bool has_smoke(const void *system, size_t object) {
    return (is_point(system, object) || is_fluid(system, object)) &&
           ((const Fluid *)system)->desc.smoke.is_there;
}

static bool is_liquid(const void *system, size_t object) {
    return is_fluid(system, object) && fluid_has_surface(system);
}

static bool is_point_of_liquid(const void *system, size_t object) {
    return is_point(system, object) && fluid_has_surface(system);
}

static bool has_flux(const void *system, size_t object) {
    FluidObjectKind kind = kind_of(system, object);
    return kind == OBJECT_SIDE || kind == OBJECT_SECTION;
}

const ProbeQuantity fluid_quantities[FLUID_QUANTITY_COUNT] = {
    {"velocity", "xyz", "m/s", read_velocity, is_point},
    {"pressure", "", "Pa", read_pressure, is_point},
    {"vorticity", "xyz", "1/s", read_vorticity, is_point},
    {"smoke", "", "1", read_smoke, has_smoke},
    {"temperature", "", "K", read_temperature, is_smoky_point},
    {"flux", "", "m^3/s", read_flux, has_flux},
    {"fluid_force", "xyz", "N", read_force, is_body},
    {"fluid_torque", "xyz", "N m", read_torque, is_body},
    {"drag", "", "N", read_drag, is_body},
    {"lift", "", "N", read_lift, is_body},
    {"traction", "xyz", "Pa", read_traction, is_body},
    {"dissipation", "", "W", read_dissipation, is_fluid},
    {"gravity_power", "", "W", read_gravity_power, has_weight},
    {"kinetic_energy", "", "J", read_kinetic_energy, is_fluid},
    {"divergence", "", "1/s", read_divergence, is_fluid},
    {"enstrophy", "", "m^3/s^2", read_enstrophy, is_fluid},
    {"volume", "", "m^3", read_volume, is_liquid},
    {"front", "", "m", read_front, is_liquid},
    {"center", "xyz", "m", read_center, is_liquid},
    {"surface", "", "m", read_surface, is_point_of_liquid},
    {"level", "", "m", read_level, is_point_of_liquid},
};
