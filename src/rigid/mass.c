/* Mass properties of bodies: of the true shape, or in a plane of its cut with z = 0, 1 m deep. */
#include "rigid/mass.h"

#include "math/decompose.h"
#include "rigid/hollow.h"
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

/* The cut of a hollow shape: that of the cavity is taken out, where the plane meets it. */
static void take_cavity(RigidBodies *bodies, const HollowCavity *cavity, Quat turn, double z,
                        Section *section) {
    Solid lying;
    Section hole;
    Vec3 at = quat_rotate(turn, cavity->offset);
    if (!shape_solid(&cavity->shape, vec3(0, 0, 0), &lying)) return;
    if (measure_solid(bodies->context, &lying, turn, z + at.z, &hole) != PLIM_OK) return;
    Section wall = {.area = section->area - hole.area};
    for (int axis = 0; axis < 2; axis++) {
        hole.center[axis] += vec3_component(at, axis);
        wall.center[axis] =
            (section->area * section->center[axis] - hole.area * hole.center[axis]) / wall.area;
    }
    double outer[2], inner[2];
    for (int axis = 0; axis < 2; axis++) {
        outer[axis] = section->center[axis] - wall.center[axis];
        inner[axis] = hole.center[axis] - wall.center[axis];
    }
    wall.xx = section->xx + section->area * outer[0] * outer[0] - hole.xx -
              hole.area * inner[0] * inner[0];
    wall.yy = section->yy + section->area * outer[1] * outer[1] - hole.yy -
              hole.area * inner[1] * inner[1];
    *section = wall;
}

/* A body of the plane turns about z alone. A round inertia does: it stays the same about every
 * other axis that the shape may be turned to. */
static Mat3 plane_inertia(const PlimRigidDesc *desc, Quat turn, double mass, const Section *section,
                          Vec3 off_center) {
    double about_z = mass / section->area * (section->xx + section->yy);
    about_z -= mass * (off_center.x * off_center.x + off_center.y * off_center.y);
    if (desc->inertia[0] > 0) {
        Vec3 z = quat_rotate_inverse(turn, vec3(0, 0, 1)); /* in the shape's own axes */
        about_z = desc->inertia[0] * z.x * z.x + desc->inertia[1] * z.y * z.y +
                  desc->inertia[2] * z.z * z.z;
    }
    return mat3_diagonal(about_z, about_z, about_z);
}

static PlimStatus find_plane_mass(RigidBodies *bodies, const PlimRigidDesc *desc, size_t shape,
                                  const HollowCavity *cavity, PlimPose *pose, BodyMass *out) {
    Quat turn = quat_normalize(quat_load(pose->orientation));
    Vec3 position = vec3_load(pose->position);
    Vec3 origin = vec3_sub(position, quat_rotate(turn, out->center));
    Section section;
    TRY(measure_cut(bodies, shape, turn, origin.z, &section));
    Vec3 whole = vec3(origin.x + section.center[0], origin.y + section.center[1], 0);
    double area = section.area;
    if (cavity) take_cavity(bodies, cavity, turn, origin.z, &section);
    Vec3 middle = vec3(origin.x + section.center[0], origin.y + section.center[1], 0);
    Vec3 even = middle; /* the centre of mass that is spread evenly */
    if (desc->has_center) middle = vec3(position.x, position.y, 0);
    vec3_store(pose->position, middle);
    out->center = quat_rotate_inverse(turn, vec3_sub(middle, origin));
    out->volume = desc->volume > 0 ? desc->volume : area;
    double matter = cavity ? section.area : out->volume;
    out->mass = desc->mass > 0 ? desc->mass : desc->density * matter;
    out->inertia = plane_inertia(desc, turn, out->mass, &section, vec3_sub(even, middle));
    if (desc->has_center || cavity)
        out->displaced = quat_rotate_inverse(turn, vec3_sub(whole, middle));
    return PLIM_OK;
}

/* ---- the body ---- */

static void find_space_mass(const PlimRigidDesc *desc, const MassProperties *shape,
                            const MassProperties *matter, BodyMass *out) {
    bool hollow = desc->shell > 0;
    out->volume = desc->volume > 0 ? desc->volume : shape->volume;
    out->mass =
        desc->mass > 0 ? desc->mass : desc->density * (hollow ? matter->volume : out->volume);
    out->inertia = mat3_scale(out->mass / matter->volume, matter->inertia);
    if (desc->has_center) {
        Vec3 d = vec3_sub(out->center, matter->center);
        double square = vec3_dot(d, d);
        Mat3 less =
            mat3_add(mat3_diagonal(square, square, square), mat3_scale(-1.0, mat3_outer(d, d)));
        out->inertia = mat3_add(out->inertia, mat3_scale(-out->mass, less));
    }
    if (desc->inertia[0] > 0)
        out->inertia = mat3_diagonal(desc->inertia[0], desc->inertia[1], desc->inertia[2]);
    if (desc->has_center || hollow) out->displaced = vec3_sub(shape->center, out->center);
}

/* So far from the middle no mass of this spread has its centre. */
static PlimStatus check_center(PlimContext *context, const PlimRigidDesc *desc,
                               const BodyMass *body) {
    Vec3 principal;
    Mat3 axes;
    if (!desc->has_center || desc->inertia[0] > 0) return PLIM_OK;
    symmetric_eigen(body->inertia, &principal, &axes);
    if (fmin(principal.x, fmin(principal.y, principal.z)) > 0) return PLIM_OK;
    return context_fail(context, PLIM_BAD_INPUT,
                        "rigid body '%s': with its centre of mass at (%g, %g, %g) its inertia "
                        "would not be positive; move 'center' towards the middle, or give the "
                        "inertia",
                        desc->name, desc->center[0], desc->center[1], desc->center[2]);
}

static PlimStatus find_cavity(PlimContext *context, const PlimRigidDesc *desc, HollowCavity *out) {
    if (hollow_cavity(&desc->shape, desc->shell, out)) return PLIM_OK;
    bool primitive =
        desc->shape.kind != PLIM_SHAPE_MESH && desc->shape.kind != PLIM_SHAPE_HALF_SPACE;
    return context_fail(context, PLIM_BAD_INPUT,
                        primitive ? "rigid body '%s': a shell of %g m leaves no cavity in it; make "
                                    "it thinner, or leave it out"
                                  : "rigid body '%s': a shell of %g m is for boxes, balls, "
                                    "cylinders, capsules, tori and cones; give this shape a mass "
                                    "and an inertia",
                        desc->name, desc->shell);
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
    bool hollow = desc->shell > 0;
    HollowCavity cavity;
    MassProperties matter = of->mass;
    if (hollow) {
        TRY(find_cavity(bodies->context, desc, &cavity));
        matter = hollow_mass(&of->mass, &cavity);
    }
    *out = (BodyMass){.center = desc->has_center ? vec3_load(desc->center) : matter.center};
    if (cut) {
        PlimStatus status =
            find_plane_mass(bodies, desc, shape, hollow ? &cavity : NULL, pose, out);
        if (status != PLIM_OK)
            return context_fail(bodies->context, status, "rigid body '%s': %s", desc->name,
                                bodies->context->message);
    } else {
        find_space_mass(desc, &of->mass, &matter, out);
    }
    if (cut || desc->has_center || hollow) /* else it is rounding alone */
        out->mesh_offset = vec3_sub(of->mesh_mass.center, out->center);
    TRY(check_center(bodies->context, desc, out));
    out->inverse = mat3_inverse(out->inertia);
    return check_mass(bodies->context, desc->name, out);
}
