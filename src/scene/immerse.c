/* Dynamic bodies in a fluid: mass properties of what the fluid sees, and whether they fit. */
#include "scene/scene.h"

#include <string.h>

static const char *const side_names[3][2] = {
    {"left", "right"}, {"bottom", "top"}, {"back", "front"}};

/* ---- the coupling ---- */

void scene_check_coupling(PlimScene *scene) {
    SceneReader *reader = &scene->reader;
    const SceneDocument *document = &scene->document;
    const SceneNode *node = node_get(scene->root, "coupling");
    if (node && !scene_has_system(scene, &scene_fluid_kind))
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

/* ---- mass ---- */

/* A solid as it lies in the world. */
static Solid placed(const Solid *solid, Quat turn, Vec3 origin) {
    Solid out = solid_default(SOLID_UNION);
    out.children = solid;
    out.child_count = 1;
    out.orientation = turn;
    out.position = origin;
    return out;
}

/* The cut of a shape that is turned and lies `z` above the plane, about its own origin. */
static PlimStatus measure_cut(PlimScene *scene, const Solid *solid, Quat turn, double z,
                              Section *out) {
    SectionMemo *memo = &scene->section_memo;
    const Solid *part = solid->children; /* the solid of a body is one shape in its place */
    SectionMemo asked = {.key = {part->kind, part->size[0], part->size[1], part->size[2],
                                 part->radius, part->tube, part->height, turn.w, turn.x, turn.y,
                                 turn.z, z, part->scale, solid->scale},
                         .field = part->field};
    bool primitive = part->child_count == 0;
    if (primitive && memo->section.area > 0 && memo->field == asked.field &&
        memcmp(memo->key, asked.key, sizeof asked.key) == 0) {
        *out = memo->section;
        return PLIM_OK;
    }
    Solid lying = placed(solid, turn, vec3(0, 0, z));
    TRY(section_measure(scene->context, &lying, out));
    if (primitive) {
        *memo = asked;
        memo->section = *out;
    }
    return PLIM_OK;
}

/* The body is its cut with z = 0, 1 m deep. It turns about z alone, so that a round inertia does:
 * it stays the same about every other axis that the shape may be turned to. */
static PlimStatus immerse_section(PlimScene *scene, const Solid *solid, PlimRigidDesc *desc,
                                  Vec3 *center) {
    Quat turn = quat_normalize(quat_load(desc->pose.orientation));
    Vec3 origin = vec3_sub(vec3_load(desc->pose.position), quat_rotate(turn, *center));
    Section section;
    TRY(measure_cut(scene, solid, turn, origin.z, &section));
    Vec3 middle = vec3(origin.x + section.center[0], origin.y + section.center[1], 0);
    *center = quat_rotate_inverse(turn, vec3_sub(middle, origin));
    vec3_store(desc->pose.position, middle);
    vec3_store(desc->center, *center);
    desc->has_center = 1;
    desc->pin[2] = 0;
    desc->volume = section.area;
    double mass = desc->mass > 0 ? desc->mass : desc->density * section.area;
    double about_z = mass / section.area * (section.xx + section.yy);
    if (desc->inertia[0] > 0) {
        Vec3 z = quat_rotate_inverse(turn, vec3(0, 0, 1)); /* in the shape's own axes */
        about_z = desc->inertia[0] * z.x * z.x + desc->inertia[1] * z.y * z.y +
                  desc->inertia[2] * z.z * z.z;
    }
    for (int axis = 0; axis < 3; axis++) desc->inertia[axis] = about_z;
    return PLIM_OK;
}

/* ---- does it fit ---- */

typedef struct FitCheck {
    PlimContext *context;
    const Grid *grid;
    const char *name; /* of the body */
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

static FitCheck fit_check(PlimScene *scene, const Grid *grid, const Solid *solid,
                          const PlimRigidDesc *desc, Vec3 center) {
    Quat turn = quat_normalize(quat_load(desc->pose.orientation));
    Vec3 origin = vec3_sub(vec3_load(desc->pose.position), quat_rotate(turn, center));
    FitCheck fit = {.context = scene->context,
                    .grid = grid,
                    .name = desc->name,
                    .solid = placed(solid, turn, origin)};
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
                                "body '%s' is longer along %c than the fluid's domain, which has "
                                "%g m; make the body smaller or the domain larger",
                                fit->name, axis_names[axis], grid->n[axis] * grid->spacing);
        for (int end = 0; end < 2; end++) {
            SideKind kind = grid->sides[axis][end];
            if (out[end] && (kind == SIDE_WALL || kind == SIDE_INFLOW))
                return context_fail(fit->context, PLIM_BAD_INPUT,
                                    "body '%s' overlaps the %s side of the fluid's domain, which "
                                    "is %s; move it inside",
                                    fit->name, side_names[axis][end],
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
                        "thick, %g m; use more cells, a thicker body, or 'passive: true'",
                        fit->name, spacing, least, least * spacing);
}

static bool is_inside(const FitCheck *fit) {
    return solid_reaches(&fit->solid, clip(fit->around, fit->domain), 0, 0.1 * fit->grid->spacing);
}

PlimStatus scene_immerse(PlimScene *scene, const Solid *solid, PlimRigidDesc *desc, Vec3 *center) {
    if (scene->document.dim == 2) return immerse_section(scene, solid, desc, center);
    desc->exact_mass = 1;
    return PLIM_OK;
}

PlimStatus scene_check_fit(PlimScene *scene, const SceneBody *body, const Solid *solid,
                           const PlimRigidDesc *desc, Vec3 center) {
    if (scene->document.coupling.fluid == 1) return PLIM_OK;
    bool inside = false;
    for (size_t i = 0; i < scene->systems.count; i++) {
        const SceneSystem *system = &scene->systems.data[i];
        Grid grid = system->kind->grid(scene, system);
        FitCheck fit = fit_check(scene, &grid, solid, desc, center);
        if (!is_inside(&fit)) continue;
        inside = true;
        if (system->kind != &scene_fluid_kind) continue;
        TRY(check_sides(&fit));
        if (!body->passive) TRY(check_thickness(&fit));
    }
    if (inside) return PLIM_OK;
    return context_fail(scene->context, PLIM_BAD_INPUT,
                        "body '%s' is outside %s; move it inside, or use 'coupling: {fluid: "
                        "one_way}'",
                        desc->name,
                        scene->systems.count > 1 ? "every domain" : "the fluid's domain");
}
