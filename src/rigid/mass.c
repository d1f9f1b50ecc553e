/* Mass properties of bodies: of the true shape, or in a plane of its cut with z = 0, 1 m deep. */
#include "rigid/mass.h"

#include "rigid/plane.h"

#include <string.h>

/* ---- the cut ---- */

/* By quadrature. */
static PlimStatus measure_solid(PlimContext *context, Solid *solid, Quat turn, double z,
                                Section *out) {
    solid->orientation = turn;
    solid->position = vec3(0, 0, z);
    return section_measure(context, solid, out);
}

/* Discs, capsules, and the polygons that are the cuts of meshes have closed forms. Other cuts are
 * measured by quadrature; so are those of boxes, whose runs in a fluid keep their bits. */
static PlimStatus measure_shape(PlimContext *context, const RigidShape *shape, Quat turn, double z,
                                Section *out) {
    Vec3 center = quat_rotate(turn, shape->mesh_mass.center);
    Frame frame = {quat_to_mat3(turn), vec3(0, 0, z + center.z)};
    PlaneShape cut;
    Solid lying;
    if (!plane_cut_round(shape, &frame, &cut)) {
        if (shape_solid(&shape->desc, vec3(0, 0, 0), &lying))
            return measure_solid(context, &lying, turn, z, out);
        TRY(plane_shape_cut(context, &shape->mesh, &frame, &cut));
    }
    bool empty = cut.kind == PLANE_EMPTY;
    if (!empty) *out = plane_shape_section(&cut);
    plane_shape_free(context, &cut);
    if (empty)
        return context_fail(context, PLIM_BAD_INPUT,
                            "nothing of the shape is in the plane z = 0; move it there");
    out->center[0] += center.x;
    out->center[1] += center.y;
    return PLIM_OK;
}

/* Whether its triangles stand for a solid that is more exact than they are: a level set is not, it
 * was made of them. */
static bool stands_for_combination(const RigidShape *shape) {
    return shape->desc.kind == PLIM_SHAPE_MESH && shape->solid && shape->solid->kind != SOLID_FIELD;
}

/* The cut of a shape that is turned and whose own origin lies `z` above the plane, about it. */
static PlimStatus measure_cut(RigidBodies *bodies, size_t shape, Quat turn, double z,
                              Section *out) {
    const RigidShape *of = &bodies->shapes.shapes.data[shape];
    bool is_combined = stands_for_combination(of);
    CutMemo *memo = &bodies->cut_memo;
    const double key[5] = {turn.w, turn.x, turn.y, turn.z, z};
    if (!is_combined && memo->section.area > 0 && memo->shape == shape &&
        memcmp(memo->key, key, sizeof key) == 0) {
        *out = memo->section;
        return PLIM_OK;
    }
    if (is_combined) {
        Solid lying = solid_default(SOLID_UNION);
        lying.children = of->solid;
        lying.child_count = 1;
        return measure_solid(bodies->context, &lying, turn, z, out);
    }
    TRY(measure_shape(bodies->context, of, turn, z, out));
    *memo = (CutMemo){.shape = shape, .section = *out};
    memcpy(memo->key, key, sizeof key);
    return PLIM_OK;
}

/* A body of the plane turns about z alone. A round inertia does: it stays the same about every
 * other axis that the shape may be turned to. */
static Mat3 plane_inertia(const PlimRigidDesc *desc, Quat turn, double mass,
                          const Section *section) {
    double about_z = mass / section->area * (section->xx + section->yy);
    if (desc->inertia[0] > 0) {
        Vec3 z = quat_rotate_inverse(turn, vec3(0, 0, 1)); /* in the shape's own axes */
        about_z = desc->inertia[0] * z.x * z.x + desc->inertia[1] * z.y * z.y +
                  desc->inertia[2] * z.z * z.z;
    }
    return mat3_diagonal(about_z, about_z, about_z);
}

static PlimStatus find_plane_mass(RigidBodies *bodies, const PlimRigidDesc *desc, size_t shape,
                                  PlimPose *pose, BodyMass *out) {
    Quat turn = quat_normalize(quat_load(pose->orientation));
    Vec3 position = vec3_load(pose->position);
    Vec3 origin = vec3_sub(position, quat_rotate(turn, out->center));
    Section section;
    TRY(measure_cut(bodies, shape, turn, origin.z, &section));
    Vec3 middle = vec3(origin.x + section.center[0], origin.y + section.center[1], 0);
    if (desc->has_center) middle = vec3(position.x, position.y, 0);
    vec3_store(pose->position, middle);
    out->center = quat_rotate_inverse(turn, vec3_sub(middle, origin));
    out->volume = desc->volume > 0 ? desc->volume : section.area;
    out->mass = desc->mass > 0 ? desc->mass : desc->density * out->volume;
    out->inertia = plane_inertia(desc, turn, out->mass, &section);
    return PLIM_OK;
}

/* ---- the body ---- */

static void find_space_mass(const PlimRigidDesc *desc, const MassProperties *shape, BodyMass *out) {
    out->volume = desc->volume > 0 ? desc->volume : shape->volume;
    out->mass = desc->mass > 0 ? desc->mass : desc->density * out->volume;
    out->inertia = mat3_scale(out->mass / shape->volume, shape->inertia);
    if (desc->inertia[0] > 0)
        out->inertia = mat3_diagonal(desc->inertia[0], desc->inertia[1], desc->inertia[2]);
}

static PlimStatus check_mass(PlimContext *context, const char *name, const BodyMass *body) {
    double inverse[9], sum = body->mass;
    mat3_store(inverse, body->inverse);
    for (int i = 0; i < 9; i++) sum += fabs(inverse[i]);
    if (isfinite(sum) && body->mass > 0 && mat3_trace(body->inverse) > 0) return PLIM_OK;
    return context_fail(context, PLIM_BAD_INPUT,
                        "rigid body '%s': a mass of %g kg with an inertia of %g kg m^2 is beyond "
                        "what numbers can hold",
                        name, body->mass, mat3_trace(body->inertia) / 3);
}

PlimStatus rigid_find_mass(RigidBodies *bodies, const PlimRigidDesc *desc, size_t shape,
                           PlimPose *pose, BodyMass *out) {
    const RigidShape *of = &bodies->shapes.shapes.data[shape];
    bool cut = bodies->options.plane && desc->motion == PLIM_DYNAMIC &&
               !(desc->shape.shell > 0); /* which has no cut with an area */
    *out = (BodyMass){.center = desc->has_center ? vec3_load(desc->center) : of->mass.center};
    if (cut) {
        PlimStatus status = find_plane_mass(bodies, desc, shape, pose, out);
        if (status != PLIM_OK)
            return context_fail(bodies->context, status, "rigid body '%s': %s", desc->name,
                                bodies->context->message);
    } else {
        find_space_mass(desc, &of->mass, out);
    }
    if (cut || desc->has_center) /* else it is rounding alone */
        out->mesh_offset = vec3_sub(of->mesh_mass.center, out->center);
    out->inverse = mat3_inverse(out->inertia);
    return check_mass(bodies->context, desc->name, out);
}
