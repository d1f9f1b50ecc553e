/* Collision shapes: what is made of a body once, and the narrow phase of a pair. */
#include "collide/shape.h"

#include "collide/round_hull.h"

/* ---- creation ---- */

static Box3 mesh_box(const TriangleMesh *mesh) {
    Box3 box = box3_empty();
    for (size_t i = 0; i < mesh->vertex_count; i++) box = box3_add_point(box, mesh->vertices[i]);
    return box;
}

static PlimStatus make_level_set(PlimContext *context, const CollideShapeDesc *desc,
                                 CollideShape *shape) {
    BvhInput input = bvh_input_triangles(desc->mesh);
    Bvh *bvh;
    TRY(bvh_create(context, &input, &bvh));
    LevelSetOptions options = level_set_options_default();
    options.cells = desc->cells;
    options.cache = context->cache_folder;
    PlimStatus status =
        level_set_from_mesh(context, desc->mesh, bvh, &options, &shape->level_set, NULL);
    bvh_destroy(bvh);
    shape->solid = solid_default(SOLID_FIELD);
    shape->solid.field = shape->level_set;
    return status;
}

static PlimStatus use_faces(PlimContext *context, CollideShape *shape) {
    shape->convex = context_allocate(context, 1, sizeof *shape->convex);
    if (!shape->convex) return PLIM_OUT_OF_MEMORY;
    *shape->convex = (SolidConvex){polyhedron_distance, shape->polyhedron, shape->box};
    shape->solid = solid_default(SOLID_CONVEX);
    shape->solid.convex = shape->convex;
    return PLIM_OK;
}

/* How far points are from the surface. */
static PlimStatus make_field(PlimContext *context, const CollideShapeDesc *desc,
                             CollideShape *shape) {
    if (desc->primitive || !shape->has_field) return PLIM_OK;
    return shape->polyhedron ? use_faces(context, shape) : make_level_set(context, desc, shape);
}

PlimStatus collide_shape_create(PlimContext *context, const CollideShapeDesc *desc,
                                CollideShape *out) {
    *out = (CollideShape){.core = desc->core, .has_field = !(desc->shell > 0)};
    bool endless = desc->primitive && desc->primitive->kind == SOLID_HALF_SPACE;
    PlimStatus status = PLIM_OK;
    if (desc->primitive) out->solid = *desc->primitive;
    if (!endless) out->box = mesh_box(desc->mesh);
    /* The triangles of a round surface lie inside it. */
    if (desc->primitive)
        out->box =
            endless ? solid_bounds(&out->solid) : box3_union(out->box, solid_bounds(&out->solid));
    if (status == PLIM_OK && !endless && desc->core.kind == ROUND_NONE) {
        if (out->has_field) status = polyhedron_create(context, desc->mesh, &out->polyhedron);
        if (status == PLIM_OK) status = sample_tree_create(context, desc->mesh, &out->samples);
    }
    if (status == PLIM_OK) status = make_field(context, desc, out);
    if (status == PLIM_OK && !out->has_field)
        status = shell_create(context, desc->mesh, desc->shell, &out->shell);
    if (status != PLIM_OK) collide_shape_free(context, out);
    return status;
}

void collide_shape_free(PlimContext *context, CollideShape *shape) {
    if (shape->polyhedron) polyhedron_destroy(context, shape->polyhedron);
    if (shape->samples) sample_tree_destroy(context, shape->samples);
    shell_destroy(context, shape->shell);
    if (shape->level_set) level_set_destroy(shape->level_set);
    if (shape->convex) context_free(context, shape->convex, 1, sizeof *shape->convex);
    *shape = (CollideShape){0};
}

/* ---- contact ---- */

/* Points of `a` in the field of `b`; `flip` when the pair is b, a. */
static void points_in_field(const CollideShape *a, const Frame *at_a, const CollideShape *b,
                            const Frame *at_b, double margin, bool flip, ContactPoints *points) {
    if (!b->has_field) return;
    DistanceField field = {&b->solid, b->box};
    if (a->core.kind != ROUND_NONE)
        round_contact(&a->core, at_a, &field, at_b, margin, flip, points);
    else if (a->samples)
        sample_contact(a->samples, at_a, &field, at_b, margin, flip, points);
}

/* Cylinder or cone a with what needs no field; false: it is something else. */
static bool hull_meets(const CollideShape *a, const Frame *at_a, const CollideShape *b,
                       const Frame *at_b, double margin, bool flip, ContactPoints *points) {
    HullPartner partner = {.polyhedron = b->polyhedron};
    if (!round_core_is_hull(&a->core)) return false;
    if (b->has_field && b->solid.kind == SOLID_HALF_SPACE) partner.half_space = &b->solid;
    if (round_core_is_hull(&b->core)) partner.core = &b->core;
    if (!partner.half_space && !partner.polyhedron && !partner.core) return false;
    round_hull_contact(&a->core, at_a, &partner, at_b, margin, flip, points);
    return true;
}

/* Of the samples of b in the field of cylinder or cone a those that its caps meet: the rest of its
 * surface has looked for itself, and a vertex beside a rolling side would be a bump. */
static void add_samples_at_caps(const CollideShape *a, const Frame *at_a, const CollideShape *b,
                                const Frame *at_b, double margin, bool flip,
                                ContactPoints *points) {
    static const double along_axis = 0.95;
    if (!round_core_is_hull(&a->core) || !b->samples || !b->has_field) return;
    ContactPoints found = {.count = 0};
    points_in_field(b, at_b, a, at_a, margin, !flip, &found);
    Vec3 axis = mat3_column(at_a->axes, 1);
    for (size_t i = 0; i < found.count; i++)
        if (fabs(vec3_dot(found.at[i].normal, axis)) > along_axis)
            contact_points_add(points, found.at[i]);
}

void collide_shapes(const CollideShape *a, const Frame *at_a, const CollideShape *b,
                    const Frame *at_b, double margin, ContactPoints *points) {
    points->count = 0;
    if (a->shell && b->shell) {
        shell_contact(a->shell, at_a, b->shell, at_b, margin, points);
        return;
    }
    if (a->polyhedron && b->polyhedron) {
        polyhedron_contact(a->polyhedron, at_a, b->polyhedron, at_b, margin, points);
        return;
    }
    if (hull_meets(a, at_a, b, at_b, margin, false, points)) return;
    if (hull_meets(b, at_b, a, at_a, margin, true, points)) return;
    /* A round surface is known everywhere: what the other one's samples say is known already. The
     * simpler core is the one that is looked at. */
    bool round_a = a->core.kind != ROUND_NONE && b->has_field;
    bool round_b = b->core.kind != ROUND_NONE && a->has_field;
    if (round_a && round_b) round_a = a->core.kind <= b->core.kind;
    if (round_a || !round_b) points_in_field(a, at_a, b, at_b, margin, false, points);
    if (!round_a) points_in_field(b, at_b, a, at_a, margin, true, points);
    if (round_a) add_samples_at_caps(a, at_a, b, at_b, margin, false, points);
    if (round_b && !round_a) add_samples_at_caps(b, at_b, a, at_a, margin, true, points);
}
