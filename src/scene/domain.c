/* The box of cells that holds a liquid: how many there are, and whether they make sense. */
#include "scene/scene.h"

static const char axis_names[] = "xyz";

void scene_count_cells(const SceneDomain *domain, int dim, int64_t cells, double n[3],
                       double *spacing) {
    double longest = 0;
    for (int axis = 0; axis < dim; axis++)
        longest = fmax(longest, domain->high[axis] - domain->low[axis]);
    *spacing = longest / (double)cells;
    for (int axis = 0; axis < 3; axis++) {
        double extent = domain->high[axis] - domain->low[axis];
        n[axis] = axis < dim ? fmax(round(extent / *spacing), 1.0) : 1.0;
    }
}

bool scene_check_domain(PlimScene *scene, const SceneNode *node, const SceneDomain *domain,
                        int64_t cells) {
    int dim = (int)scene->document.dim;
    size_t problems = scene->reader.problems.count;
    double n[3], spacing;
    for (int axis = 0; axis < dim; axis++)
        if (!(domain->low[axis] < domain->high[axis])) {
            reader_problem(&scene->reader, node_get(node, "domain"),
                           "low %c is %g and high %c is %g; low must be below high",
                           axis_names[axis], domain->low[axis], axis_names[axis],
                           domain->high[axis]);
            return false;
        }
    scene_count_cells(domain, dim, cells, n, &spacing);
    if (!(spacing >= 1e-30 && spacing <= 1e30)) { /* its powers must be numbers, too */
        reader_problem(&scene->reader, node, "cells would have %g m: change the domain", spacing);
        return false;
    }
    for (int axis = 0; axis < dim; axis++) {
        double extent = domain->high[axis] - domain->low[axis];
        if (extent < spacing * (1 - 1e-9))
            reader_problem(&scene->reader, node_get(node, "domain"),
                           "a cell of %g m is larger than the domain, which has %g m along %c; use "
                           "more cells",
                           spacing, extent, axis_names[axis]);
    }
    return scene->reader.problems.count == problems;
}

Grid scene_domain_grid(const SceneDomain *domain, int dim, int64_t cells) {
    double n[3];
    Grid grid = {.dim = dim, .origin = vec3_load(domain->low)};
    scene_count_cells(domain, dim, cells, n, &grid.spacing);
    if (dim == 2) grid.origin.z = 0;
    for (int axis = 0; axis < 3; axis++)
        grid.n[axis] = (int)fmin(n[axis], 1e9); /* more are refused for their memory */
    return grid;
}

void scene_tell_size(const PlimScene *scene, const SceneSystem *system, const SceneDomain *domain,
                     const Grid *grid) {
    for (int axis = 0; axis < grid->dim; axis++) {
        double wanted = domain->high[axis] - domain->low[axis];
        double made = grid->n[axis] * grid->spacing;
        if (fabs(made - wanted) > 1e-6 * wanted)
            context_log(scene->context, PLIM_LOG_WARNING,
                        "the %s's domain is %g m long in %c, not %g m: a whole number of cells",
                        system->name ? system->name : "fluid", made, axis_names[axis], wanted);
    }
}
