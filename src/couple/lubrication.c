/* Lubrication between surfaces that are nearer than a cell: the squeezed film's resistance, as
 * dampers of the coupled solve.
 *
 * Of two surfaces with radii of curvature R_a, R_b, 1/R = 1/R_a + 1/R_b, a gap g between them and
 * the speed v at which they part, leading order (Jeffrey and Onishi 1981):
 *
 *     F = -6 pi mu R^2 v / g                     spheres, N
 *     F = -3 sqrt(2) pi mu (R / g)^(3/2) v       cylinders, N a metre
 *
 * That is added for g < h, the size of a cell, where the grid has no fluid (fluid/thin_gaps.c), as
 * its mean over the way of the step. Below the roughness, a part of R, the film gets no thinner:
 * solids then touch. */
#include "couple/internal.h"

#include "grid/difference.h"
#include "grid/periodic.h"

#define PI 3.14159265358979323846

/* Two surfaces, or one and a wall. */
typedef struct Film {
    size_t a, b;       /* b: NO_SURFACE, a wall */
    Vec3 normal;       /* from b to a */
    Vec3 at_a, at_b;   /* m, nearest points, from the centres */
    double gap, curve; /* m; 1/m, 1/R */
} Film;

#define NO_SURFACE SIZE_MAX

/* ---- nearest points and curvature ---- */

static double distance_to(const void *collider, Vec3 x) {
    return collider_distance(collider, x);
}

static Vec3 outward(const Grid *grid, const Collider *collider, Vec3 x) {
    Vec3 normal = central_differences(distance_to, collider, x, 1e-3 * grid->spacing, grid->dim);
    double length = vec3_length(normal);
    return length > 0 ? vec3_scale(1 / length, normal) : vec3(0, 1, 0);
}

static Vec3 onto(const Grid *grid, const Collider *collider, Vec3 x) {
    return vec3_add_scaled(x, -collider_distance(collider, x), outward(grid, collider, x));
}

/* 1/R by the second differences of the distance: their sum is (dim - 1)/R. */
static double curvature_at(const Grid *grid, const Collider *collider, Vec3 x) {
    double reach = collider_reach(collider, grid->dim), step = 0.05 * reach, sum = 0;
    for (int axis = 0; axis < grid->dim; axis++)
        for (int end = -1; end < 2; end += 2)
            sum += collider_distance(collider, vec3_add_scaled(x, end * step, vec3_axis(axis))) -
                   collider_distance(collider, x);
    return sum / (step * step * (grid->dim - 1));
}

/* By going back and forth between the surfaces: exact for convex ones. Where both are flat the film
 * is as wide as the smaller of the two. */
static bool find_film(const FlowOffer *offer, size_t a, size_t b, Film *film) {
    enum { ROUNDS = 12 };
    const Grid *grid = offer->problem.grid;
    const Collider *own = &offer->surfaces[a].now, *other = &offer->surfaces[b].now;
    double apart = vec3_length(grid_in_plane(grid, vec3_sub(own->position, other->position)));
    double reach = collider_reach(own, grid->dim) + collider_reach(other, grid->dim);
    if (!(apart < reach + grid->spacing)) return false;
    Vec3 x = onto(grid, own, grid_in_plane(grid, other->position)), y = x;
    for (int round = 0; round < ROUNDS; round++) {
        y = onto(grid, other, x);
        x = onto(grid, own, y);
    }
    *film = (Film){.a = a, .b = b, .normal = outward(grid, other, x)};
    film->gap = fmax(vec3_dot(vec3_sub(x, y), film->normal), 0);
    film->at_a = vec3_sub(x, grid_in_plane(grid, own->position));
    film->at_b = vec3_sub(y, grid_in_plane(grid, other->position));
    film->curve = curvature_at(grid, own, x) + curvature_at(grid, other, y);
    film->curve = fmax(film->curve,
                       1 / fmin(collider_reach(own, grid->dim), collider_reach(other, grid->dim)));
    return film->gap < grid->spacing;
}

static bool find_wall_film(const FlowOffer *offer, size_t a, int axis, int end, Film *film) {
    const Grid *grid = offer->problem.grid;
    const Collider *own = &offer->surfaces[a].now;
    if (grid->sides[axis][end] != SIDE_WALL) return false;
    Vec3 normal = vec3_scale(end ? -1 : 1, vec3_axis(axis));
    double plane = vec3_component(grid->origin, axis) + (end ? grid->n[axis] * grid->spacing : 0);
    Vec3 center = grid_in_plane(grid, own->position);
    double extent = collider_reach(own, grid->dim);
    Vec3 lowest = onto(grid, own, vec3_add_scaled(center, -1e3 * extent, normal));
    *film = (Film){.a = a, .b = NO_SURFACE, .normal = normal};
    film->gap = fmax((end ? -1 : 1) * (vec3_component(lowest, axis) - plane), 0);
    film->at_a = vec3_sub(lowest, center);
    film->curve = fmax(curvature_at(grid, own, lowest), 1 / extent);
    return film->gap < grid->spacing;
}

/* ---- resistance ---- */

/* Mean over gaps from `low` to `high` of F / (mu v), m. */
static double mean_resistance(int dim, double radius, double low, double high) {
    bool same = !(high - low > 1e-6 * high);
    if (dim == 3)
        return 6 * PI * radius * radius * (same ? 1 / low : log(high / low) / (high - low));
    double root = same ? pow(low, -1.5) : 2 * (1 / sqrt(low) - 1 / sqrt(high)) / (high - low);
    return 3 * sqrt(2.0) * PI * pow(radius, 1.5) * root;
}

static Vec3 point_velocity(const FlowAssembly *a, size_t surface, SolveWhen when, Vec3 arm) {
    const Collider *now = &a->offer->surfaces[surface].now;
    size_t source = a->source.data[surface];
    Vec3 v = now->velocity, spin = now->angular_velocity;
    if (source != NO_BLOCK && when == SOLVE_HALF_STEP) { /* v*: what moves it in this step */
        v = vec3_load(gathered_before(a->gathered, source));
        spin = vec3_load(gathered_before(a->gathered, source) + 3);
    }
    return vec3_add(v, vec3_cross(spin, arm));
}

/* kg: what the film's resistance over the solve's time is to the speed at which they part. */
static double film_damping(const FlowAssembly *a, const Film *film, SolveWhen when) {
    const FlowOffer *offer = a->offer;
    const Grid *grid = offer->problem.grid;
    double radius = 1 / film->curve, h = grid->spacing, least = offer->roughness * radius;
    Vec3 v = point_velocity(a, film->a, when, film->at_a);
    if (film->b != NO_SURFACE) v = vec3_sub(v, point_velocity(a, film->b, when, film->at_b));
    double parting = vec3_dot(v, film->normal);
    /* The half step looks ahead, over the whole step; the whole step back. */
    double way = when == SOLVE_HALF_STEP ? 2 * offer->step.dt * parting : -offer->step.dt * parting;
    double low = fmin(film->gap, film->gap + way), high = fmax(film->gap, film->gap + way);
    low = fmin(fmax(low, least), h);
    high = fmin(fmax(high, least), h);
    return mean_resistance(grid->dim, radius, low, high) * offer->viscosity * offer->step.dt;
}

/* ---- dampers ---- */

static void add_side(FlowAssembly *a, size_t surface, Vec3 arm, Vec3 normal, double factor) {
    double row[6];
    vec3_store(row, vec3_scale(factor, normal));
    vec3_store(row + 3, vec3_scale(factor, vec3_cross(arm, normal)));
    for (size_t i = 0; i < 6; i++)
        if (!csr_builder_add(a->context, &a->dampers, a->blocks.data[surface].first + i, row[i]))
            a->failed = true;
}

static void add_film(FlowAssembly *a, const Film *film, SolveWhen when) {
    double root = sqrt(film_damping(a, film, when));
    if (!(root > 0)) return;
    bool first = film->b == NO_SURFACE || film->a < film->b; /* columns in order */
    if (!first) add_side(a, film->b, film->at_b, film->normal, -root);
    add_side(a, film->a, film->at_a, film->normal, root);
    if (first && film->b != NO_SURFACE) add_side(a, film->b, film->at_b, film->normal, -root);
    if (!csr_builder_end_row(a->context, &a->dampers)) a->failed = true;
}

void couple_add_lubrication(FlowAssembly *a, SolveWhen when) {
    const FlowOffer *offer = a->offer;
    const Grid *grid = offer->problem.grid;
    Film film;
    if (!(offer->roughness > 0) || solve_is_impulse(when)) return;
    for (size_t i = 0; i < offer->surface_count && !a->failed; i++) {
        if (a->source.data[i] == NO_BLOCK) continue;
        for (size_t j = 0; j < offer->surface_count; j++) {
            if (j == i || (j < i && a->source.data[j] != NO_BLOCK)) continue;
            if (find_film(offer, i, j, &film)) add_film(a, &film, when);
        }
        for (int axis = 0; axis < grid->dim; axis++)
            for (int end = 0; end < 2; end++)
                if (find_wall_film(offer, i, axis, end, &film)) add_film(a, &film, when);
    }
}
