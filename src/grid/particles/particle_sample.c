/* Particle level set, interpolation of phi at blocks of particles. */
#include "grid/particles/particle_parts.h"

#include <math.h>

/* ---- the plan ---- */

static Lattice make_lattice(const GridField *field) {
    Lattice lattice = {.first = field->data + field_index(field, 0, 0, 0)};
    for (int axis = 0; axis < 3; axis++) {
        lattice.stride[axis] = (ptrdiff_t)field->stride[axis];
        lattice.shift[axis] = grid_place_on_ends(&field->grid, field->place, axis) ? 0.0 : -0.5;
    }
    return lattice;
}

ParticlePlan particle_plan(const ParticleLevelSet *set, const GridField *const velocity[3]) {
    const Grid *grid = &set->phi->grid;
    ParticlePlan plan = {.dim = grid->dim, .spacing = grid->spacing};
    vec3_store(plan.origin, grid->origin);
    plan.phi = make_lattice(set->phi);
    if (set->solid) plan.solid = make_lattice(set->solid);
    for (int axis = 0; axis < grid->dim; axis++) {
        plan.cells[axis] = grid->n[axis];
        plan.size[axis] = grid->n[axis] * grid->spacing;
        for (int end = 0; end < 2; end++) plan.sides[axis][end] = grid->sides[axis][end];
        if (velocity) plan.velocity[axis] = make_lattice(velocity[axis]);
    }
    return plan;
}

/* ---- positions ---- */

static double wrap(double at, double period) {
    at -= period * floor(at / period);
    return at >= 0 && at < period ? at : 0.0; /* rounded up to the period, or not a number */
}

static void wrap_axis(double *restrict at, double period, int count) {
    int outside = 0;
    for (int i = 0; i < count; i++) outside |= !(at[i] >= 0) | !(at[i] < period);
    if (!outside) return; /* most blocks: spares the divisions */
    for (int i = 0; i < count; i++) at[i] = wrap(at[i], period);
}

static void clamp_axis(double *restrict at, double high, int count) {
    for (int i = 0; i < count; i++) {
        double a = at[i] > 0.0 ? at[i] : 0.0; /* what is not a number becomes 0 */
        at[i] = a < high ? a : high;
    }
}

void particle_confine(const ParticlePlan *plan, int count, double (*at)[TRACE_BLOCK]) {
    for (int axis = 0; axis < plan->dim; axis++)
        if (plan->sides[axis][0] == SIDE_PERIODIC)
            wrap_axis(at[axis], plan->cells[axis], count);
        else
            clamp_axis(at[axis], plan->cells[axis], count);
}

void particle_places(const ParticlePlan *plan, const double *position, int count,
                     double (*at)[TRACE_BLOCK]) {
    double per_meter = 1.0 / plan->spacing;
    for (int axis = 0; axis < plan->dim; axis++) {
        double *restrict to = at[axis], origin = plan->origin[axis];
        for (int i = 0; i < count; i++) to[i] = (position[3 * i + axis] - origin) * per_meter;
    }
    particle_confine(plan, count, at);
}

bool particle_stay_inside(const ParticlePlan *plan, Vec3 *point, unsigned *held) {
    double x[3];
    bool inside = true;
    vec3_store(x, *point);
    *held = 0;
    for (int axis = 0; axis < plan->dim; axis++) {
        double low = plan->origin[axis], high = low + plan->size[axis];
        if (x[axis] >= low && x[axis] <= high) continue;
        int end = x[axis] > high ? 1 : 0;
        if (plan->sides[axis][end] == SIDE_PERIODIC)
            x[axis] = low + wrap(x[axis] - low, plan->size[axis]);
        else if (plan->sides[axis][end] == SIDE_WALL) {
            x[axis] = end ? high : low;
            *held |= 1u << axis;
        } else
            inside = false;
    }
    *point = vec3_load(x);
    return inside;
}

/* ---- many samples ---- */

void particle_sample(const Lattice *from, int dim, double (*const at)[TRACE_BLOCK], int count,
                     double *restrict out) {
    TraceSplit split[3];
    for (int axis = 0; axis < dim; axis++)
        trace_split(at[axis], from->shift[axis], count, &split[axis]);
    const TraceSplit *const along[3] = {&split[0], &split[1], &split[2]};
    trace_sample(from, dim, along, count, out);
}

/* ---- one sample ---- */

double particle_sample_one(const ParticlePlan *plan, const Lattice *from, Vec3 point,
                           Vec3 *gradient) {
    double x[3], at[3][TRACE_BLOCK], f[3] = {0, 0, 0};
    vec3_store(x, point);
    particle_places(plan, x, 1, at);
    const double *p = from->first;
    for (int axis = 0; axis < plan->dim; axis++) {
        double s = at[axis][0] + from->shift[axis], below = floor(s);
        p += (ptrdiff_t)below * from->stride[axis];
        f[axis] = s - below;
    }
    ptrdiff_t y = from->stride[1], z = plan->dim == 3 ? from->stride[2] : 0;
    if (gradient) {
        /* Corners mixed along z first, then what is left of the square. */
        double a = lattice_mix(p[0], p[z], f[2]), b = lattice_mix(p[1], p[z + 1], f[2]);
        double c = lattice_mix(p[y], p[y + z], f[2]), d = lattice_mix(p[y + 1], p[y + z + 1], f[2]);
        double low = lattice_square(p, y, f[0], f[1]), high = lattice_square(p + z, y, f[0], f[1]);
        Vec3 per_cell = vec3(lattice_mix(b - a, d - c, f[1]), lattice_mix(c - a, d - b, f[0]),
                             plan->dim == 3 ? high - low : 0.0);
        *gradient = vec3_scale(1.0 / plan->spacing, per_cell);
    }
    return lattice_cube(p, y, z, f[0], f[1], f[2]);
}

/* Deeper than this many cells in a solid nothing is pushed out: the way may be the wrong one. */
static const double deepest_push = 2.0;

bool particle_leave_solid(const ParticlePlan *plan, double distance, Vec3 *point, Vec3 *normal) {
    /* The second push makes up for what the gradient turned along the first. */
    for (int push = 0; push < 2; push++) {
        Vec3 gradient;
        double away = particle_sample_one(plan, &plan->solid, *point, &gradient);
        if (away >= distance) return true;
        if (!(away > -deepest_push * plan->spacing)) return false;
        *normal = vec3_normalize(gradient);
        *point = vec3_add_scaled(*point, distance - away, *normal);
        unsigned held;
        if (!particle_stay_inside(plan, point, &held)) return false;
    }
    return particle_sample_one(plan, &plan->solid, *point, NULL) >= 0.0;
}
