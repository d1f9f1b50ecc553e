/* The fluid of a scene: checks, its grid, its obstacles. */
#include "scene/scene.h"
#include "world/world.h"

static const char *const axis_names = "xyz";

/* Cells along each axis as doubles: they may be absurd. */
static void count_cells(const SceneDocument *document, double n[3], double *spacing) {
    const SceneDomain *domain = &document->fluid.domain;
    double longest = 0;
    for (int axis = 0; axis < document->dim; axis++)
        longest = fmax(longest, domain->high[axis] - domain->low[axis]);
    *spacing = longest / (double)document->fluid.cells;
    for (int axis = 0; axis < 3; axis++) {
        double extent = domain->high[axis] - domain->low[axis];
        n[axis] = axis < document->dim ? fmax(round(extent / *spacing), 1.0) : 1.0;
    }
}

static void check_sides(PlimScene *scene, const SceneNode *node) {
    for (int axis = 0; axis < scene->document.dim; axis++) {
        const int *of = scene->document.fluid.sides.of[axis];
        enum { PERIODIC = 2 };
        if ((of[0] == PERIODIC) != (of[1] == PERIODIC))
            reader_problem(&scene->reader, node,
                           "one end of %c is periodic and the other is not; both must be",
                           axis_names[axis]);
    }
}

void scene_check_fluid(PlimScene *scene) {
    SceneNode *node = node_get(scene->root, "fluid");
    const SceneDocument *document = &scene->document;
    const SceneFluid *fluid = &document->fluid;
    if (!node || node->kind != NODE_MAP || scene->reader.problems.count > 0) return;
    for (int axis = 0; axis < document->dim; axis++)
        if (!(fluid->domain.low[axis] < fluid->domain.high[axis])) {
            reader_problem(&scene->reader, node_get(node, "domain"),
                           "low %c is %g and high %c is %g; low must be below high",
                           axis_names[axis], fluid->domain.low[axis], axis_names[axis],
                           fluid->domain.high[axis]);
            return;
        }
    check_sides(scene, node_get(node, "sides"));
    double work_bytes = 0, n[3], spacing;
    if (fluid->obstacles.node) scene_shapes_check(scene, fluid->obstacles.node, &work_bytes);
    count_cells(document, n, &spacing);
    if (!(spacing >= 1e-30 && spacing <= 1e30)) { /* its powers must be numbers, too */
        reader_problem(&scene->reader, node, "cells would have %g m: change the domain", spacing);
        return;
    }
    double cells = n[0] * n[1] * n[2];
    scene_add_memory(scene, node, work_bytes + cells * fluid_bytes_per_cell(), cells,
                     "cells of fluid");
}

static Grid make_grid(const SceneDocument *document) {
    static const SideKind kinds[] = {SIDE_WALL, SIDE_OPEN, SIDE_PERIODIC};
    const SceneFluid *fluid = &document->fluid;
    double n[3];
    Grid grid = {.dim = (int)document->dim, .origin = vec3_load(fluid->domain.low)};
    count_cells(document, n, &grid.spacing);
    if (grid.dim == 2) grid.origin.z = 0;
    for (int axis = 0; axis < 3; axis++) {
        grid.n[axis] = (int)n[axis];
        for (int end = 0; end < 2 && axis < grid.dim; end++)
            grid.sides[axis][end] = kinds[fluid->sides.of[axis][end]];
    }
    return grid;
}

PlimStatus scene_add_fluid(PlimScene *scene, PlimWorld *world) {
    const SceneNode *node = node_get(scene->root, "fluid");
    const SceneFluid *fluid = &scene->document.fluid;
    if (!node) return PLIM_OK;
    FluidDesc desc = {.grid = make_grid(&scene->document),
                      .density = fluid->density,
                      .tolerance = fluid->tolerance,
                      .start = (FluidStart)fluid->initial.velocity,
                      .amplitude = fluid->initial.amplitude,
                      .length = fluid->initial.length,
                      .seed = scene->reader.seed};
    Scratch memory;
    scratch_init(&memory, scene->context);
    Solid obstacles;
    const SceneNode *list = fluid->obstacles.node;
    PlimStatus status = PLIM_OK;
    if (list && list->children.count > 0) {
        status = scene_shapes_solid(scene, list, &memory, &obstacles);
        desc.obstacles = &obstacles;
    }
    if (status == PLIM_OK) status = world_add_fluid(world, &desc);
    scratch_free(&memory);
    return scene_as_problem(scene, node, status);
}
