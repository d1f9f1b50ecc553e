/* Dynamic bodies in a fluid: what may be coupled, and whether bodies fit into the domain. */
#include "scene/scene.h"

#include <stdio.h>

static const char *const side_names[3][2] = {
    {"left", "right"}, {"bottom", "top"}, {"back", "front"}};

/* ---- the coupling ---- */

void scene_check_coupling(PlimScene *scene) {
    SceneReader *reader = &scene->reader;
    const SceneDocument *document = &scene->document;
    const SceneNode *node = node_get(scene->root, "coupling");
    if (node && !scene_has_system(scene, &scene_fluid_kind) &&
        !scene_has_system(scene, &scene_splash_kind))
        reader_problem(reader, node, "there is no fluid to couple with; take it out");
    bool two_way = document->coupling.fluid == 0;
    if (document->coupling.solver == SCENE_SOLVER_SPLIT && two_way && scene->has_acting)
        reader_problem(reader, node_get(node, "solver"),
                       "a split solve does not move bodies: use 'auto', or 'fluid: one_way'");
    if (document->dim == 2 && scene->has_dynamic && document->gravity[2] != 0)
        reader_problem(reader, node_get(scene->root, "gravity"),
                       "the scene has two dimensions: the z part must be 0, is %g",
                       document->gravity[2]);
}

/* ---- does it fit ---- */

typedef struct FitCheck {
    PlimContext *context;
    const Grid *grid;
    const char *name; /* of the body */
    char where[80];   /* the domain, in messages */
    Solid solid;      /* where it lies in the world */
    Box3 around;      /* holds it */
    Box3 domain;      /* without end along periodic axes */
} FitCheck;

static double *end_of(Box3 *box, int axis, int end) {
    Vec3 *corner = end ? &box->high : &box->low;
    return axis == 0 ? &corner->x : axis == 1 ? &corner->y : &corner->z;
}

static Box3 clip(Box3 a, Box3 b) {
    return (Box3){vec3_max(a.low, b.low), vec3_min(a.high, b.high)};
}

static FitCheck fit_check(PlimScene *scene, const SceneSystem *system, const Grid *grid,
                          const char *name, const Collider *body) {
    FitCheck fit = {
        .context = scene->context, .grid = grid, .name = name, .solid = collider_as_solid(body)};
    if (system->name)
        snprintf(fit.where, sizeof fit.where, "domain '%s'", system->name);
    else
        snprintf(fit.where, sizeof fit.where, "the fluid's domain");
    Vec3 size = vec3_scale(grid->spacing, vec3(grid->n[0], grid->n[1], grid->n[2]));
    fit.domain = (Box3){grid->origin, vec3_add(grid->origin, size)};
    for (int axis = 0; axis < grid->dim; axis++)
        if (grid_is_periodic(grid, axis)) {
            *end_of(&fit.domain, axis, 0) = -HUGE_VAL;
            *end_of(&fit.domain, axis, 1) = HUGE_VAL;
        }
    fit.around = solid_bounds(&fit.solid);
    if (grid->dim == 2) {
        fit.around.low.z = fit.around.high.z = 0;
        fit.domain.low.z = fit.domain.high.z = 0;
    }
    return fit;
}

/* Whether the body is found on the far side of a side of the domain. Touching it does not count. */
static bool sticks_out(const FitCheck *fit, int axis, int end) {
    double margin = 0.01 * fit->grid->spacing;
    Box3 beyond = fit->around, domain = fit->domain;
    double side = *end_of(&domain, axis, end);
    *end_of(&beyond, axis, 1 - end) = end ? side + margin : side - margin;
    return solid_reaches(&fit->solid, beyond, 0, 0.1 * fit->grid->spacing);
}

static PlimStatus check_sides(const FitCheck *fit) {
    static const char axis_names[] = "xyz";
    const Grid *grid = fit->grid;
    for (int axis = 0; axis < grid->dim; axis++) {
        if (grid_is_periodic(grid, axis)) continue;
        const bool out[2] = {sticks_out(fit, axis, 0), sticks_out(fit, axis, 1)};
        if (out[0] && out[1])
            return context_fail(fit->context, PLIM_BAD_INPUT,
                                "body '%s' is longer along %c than %s, which has "
                                "%g m; make the body smaller or the domain larger",
                                fit->name, axis_names[axis], fit->where,
                                grid->n[axis] * grid->spacing);
        for (int end = 0; end < 2; end++) {
            SideKind kind = grid->sides[axis][end];
            if (out[end] && (kind == SIDE_WALL || kind == SIDE_INFLOW))
                return context_fail(fit->context, PLIM_BAD_INPUT,
                                    "body '%s' overlaps the %s side of %s, which is %s; move it "
                                    "inside",
                                    fit->name, side_names[axis][end], fit->where,
                                    kind == SIDE_WALL ? "a wall" : "an inflow");
        }
    }
    return PLIM_OK;
}

/* A body that fluid is to flow around must cover cells: at its thickest, one and a half. */
static PlimStatus check_thickness(const FitCheck *fit) {
    const double least = 1.5; /* cells */
    double spacing = fit->grid->spacing, depth = 0.5 * least * spacing;
    /* A tenth below, so that one of exactly that thickness is found on any lattice. */
    if (solid_reaches(&fit->solid, fit->around, 0.9 * depth, 0.1 * depth)) return PLIM_OK;
    return context_fail(fit->context, PLIM_BAD_INPUT,
                        "body '%s' is too thin for cells of %g m: somewhere it must be %g cells "
                        "thick, %g m%s; use more cells, a thicker body, or 'passive: true'",
                        fit->name, spacing, least, least * spacing,
                        fit->grid->dim == 2 ? " (along z too, though only its cut counts)" : "");
}

/* What only touches a domain is not in it: a body may lie at the wall that two of them share. */
static bool is_inside(const FitCheck *fit) {
    double margin = 0.01 * fit->grid->spacing;
    Box3 within = fit->domain;
    for (int axis = 0; axis < fit->grid->dim; axis++) {
        *end_of(&within, axis, 0) += margin;
        *end_of(&within, axis, 1) -= margin;
    }
    return solid_reaches(&fit->solid, clip(fit->around, within), 0, 0.1 * fit->grid->spacing);
}

/* A classic splash moves no bodies. */
static bool splash_acts(const SceneSystem *system) {
    return system->kind == &scene_splash_kind && system->splash.incompressibility == 0;
}

PlimStatus scene_check_fit(PlimScene *scene, const ImmersedSurface *body) {
    Surface surface = surface_describe(&body->ref);
    if (surface.motion != SURFACE_FREE || scene->document.coupling.fluid == 1) return PLIM_OK;
    Collider now = {.solid = surface.solid};
    surface_read(&body->ref, &now);
    bool inside = false;
    for (size_t i = 0; i < scene->systems.count; i++) {
        const SceneSystem *system = &scene->systems.data[i];
        Grid grid = system->kind->grid(scene, system);
        FitCheck fit = fit_check(scene, system, &grid, surface.name, &now);
        if (!is_inside(&fit)) continue;
        inside = true;
        /* Bodies of a splash may reach through its walls: contact brings them back. */
        if (system->kind == &scene_fluid_kind) TRY(check_sides(&fit));
        bool acts = system->kind == &scene_fluid_kind || splash_acts(system);
        if (acts && !body->passive) TRY(check_thickness(&fit));
    }
    if (inside || !scene_has_system(scene, &scene_fluid_kind)) return PLIM_OK;
    return context_fail(scene->context, PLIM_BAD_INPUT,
                        "body '%s' is outside %s; move it inside, or use 'coupling: {fluid: "
                        "one_way}'",
                        surface.name,
                        scene->systems.count > 1 ? "every domain" : "the fluid's domain");
}
