/* Walls that are too thin for the grid: found from distances when a liquid is made, each body and
 * each obstacle by itself, and named. */
#include "fluid/internal.h"

#include <stdio.h>

/* Cells that a wall takes to part water from air, and what is told from them. */
static const double cells_needed = 2, told = 1.95;
/* Cells: how fine the way through a wall is looked at, and how far distances are differenced. */
static const double look = 0.05, probe = 1e-3;

typedef struct ThinWall {
    double thickness; /* m; HUGE_VAL: none */
    Vec3 at;
} ThinWall;

static Vec3 outward(const Collider *collider, Vec3 x, const Grid *grid) {
    double step = probe * grid->spacing, slope[3] = {0, 0, 0};
    for (int axis = 0; axis < grid->dim; axis++) {
        Vec3 along = vec3_scale(step, vec3_axis(axis));
        slope[axis] = collider_distance(collider, vec3_add(x, along)) -
                      collider_distance(collider, vec3_sub(x, along));
    }
    Vec3 normal = vec3_load(slope);
    double length = vec3_length(normal);
    return length > 0 ? vec3_scale(1 / length, normal) : normal;
}

/* From the point of the surface that is nearest to x straight through, to a surface that faces the
 * other way by up to 45 degrees: at the edge of a wedge there is no wall. */
static double thickness_near(const Collider *collider, const Grid *grid, Vec3 x, double distance) {
    double h = grid->spacing;
    Vec3 normal = outward(collider, x, grid);
    Vec3 from = vec3_add_scaled(x, -distance, normal);
    if (!(vec3_length(normal) > 0) || fabs(collider_distance(collider, from)) > look * h)
        return HUGE_VAL;
    for (double way = 2 * look * h; way < cells_needed * h; way += look * h) {
        Vec3 to = vec3_add_scaled(from, -way, normal);
        double beyond = collider_distance(collider, to);
        if (beyond < 0) continue;
        bool faces = vec3_dot(outward(collider, to, grid), normal) < -0.7;
        return faces ? way - beyond : HUGE_VAL;
    }
    return HUGE_VAL;
}

/* Of a collider, or of a part of it: where that is what is nearest. */
static ThinWall find_thinnest(const Fluid *fluid, const Collider *collider, const Solid *part) {
    const Grid *grid = &fluid->grid;
    ThinWall least = {.thickness = HUGE_VAL};
    Collider own = *collider;
    if (part) own.solid = part;
    for (size_t cell = 0; cell < grid_cell_count(grid); cell++) {
        int at[3];
        grid_cell_place(grid, cell, at);
        const GridField *near = &fluid->cut.cell_distance; /* from any collider */
        if (fabs(near->data[field_index(near, at[0], at[1], at[2])]) > 2 * grid->spacing) continue;
        Vec3 x = grid_cell_center(grid, at[0], at[1], at[2]);
        double distance = collider_distance(collider, x);
        if (fabs(distance) > grid->spacing) continue;
        if (part && collider_distance(&own, x) > distance + probe * grid->spacing) continue;
        double thickness = thickness_near(collider, grid, x, distance);
        if (thickness < least.thickness) least = (ThinWall){thickness, x};
    }
    return least;
}

static void name_if_thin(const Fluid *fluid, const Collider *collider, const Solid *part,
                         const char *name) {
    const Grid *grid = &fluid->grid;
    int cells = 0;
    for (int axis = 0; axis < grid->dim; axis++)
        if (grid->n[axis] > cells) cells = grid->n[axis];
    ThinWall wall = find_thinnest(fluid, collider, part);
    double across = wall.thickness / grid->spacing;
    if (!(across < told)) return;
    context_log(fluid->context, PLIM_LOG_WARNING,
                "%s is %.2g cells of '%s' thick near (%.3g, %.3g, %.3g): water may pass through "
                "it; walls take %g cells, with 'cells: %.0f'",
                name, across, fluid->desc.name, wall.at.x, wall.at.y, wall.at.z, cells_needed,
                ceil(cells * cells_needed / across));
}

/* Each shape of the list; the first is 0, as in pointers into the scene. */
static void name_thin_obstacles(const Fluid *fluid, const Collider *collider) {
    char name[48];
    const Solid *all = collider->solid;
    bool listed = all->kind == SOLID_UNION && all->child_count > 0;
    for (size_t part = 0; part < (listed ? all->child_count : 1); part++) {
        snprintf(name, sizeof name, "obstacle %zu", part);
        name_if_thin(fluid, collider, listed ? &all->children[part] : NULL, name);
    }
}

void fluid_name_thin_walls(const Fluid *fluid) {
    if (!fluid_has_surface(fluid)) return;
    for (size_t i = 0; i < fluid->colliders.list.count; i++) {
        const ImmersedCollider *collider = &fluid->colliders.list.data[i];
        char name[128];
        if (immersed_is_obstacle(collider)) {
            name_thin_obstacles(fluid, &collider->now);
            continue;
        }
        snprintf(name, sizeof name, "body %s", surface_describe(&collider->ref).name);
        name_if_thin(fluid, &collider->now, NULL, name);
    }
}
