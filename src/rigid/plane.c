/* Rigid bodies in two dimensions: cross-sections of shapes. */
#include "rigid/plane.h"

/* Sine of the angle up to which an axis lies in the plane, or along z. */
static const double ALIGNED = 1e-9;

/* ---- the cut ---- */

static PlaneShape cut_half_space(const Frame *frame) {
    Vec3 up = mat3_column(frame->axes, 1);
    double across = sqrt(up.x * up.x + up.y * up.y);
    if (across < ALIGNED) return (PlaneShape){0};
    Vec3 normal = vec3(up.x / across, up.y / across, 0);
    return plane_shape_half(normal, vec3_dot(up, frame->origin) / across);
}

/* Discs and capsules are as round as the fluid and the eye see them. */
bool plane_cut_round(const RigidShape *shape, const Frame *frame, PlaneShape *out) {
    const PlimShapeDesc *desc = &shape->desc;
    Vec3 along = mat3_column(frame->axes, 1);
    Vec3 center = frame_to_world(frame, vec3_scale(-1.0, shape->mesh_mass.center));
    double height = fabs(center.z), radius = desc->radius;
    bool upright = along.x * along.x + along.y * along.y < ALIGNED * ALIGNED;
    bool lying = fabs(along.z) < ALIGNED;
    center.z = along.z = 0.0;
    if (desc->kind == PLIM_SHAPE_BALL && height < radius) {
        radius = sqrt(radius * radius - height * height);
    } else if (desc->kind == PLIM_SHAPE_CAPSULE && lying && height < radius) {
        Vec3 half = vec3_scale(0.5 * desc->height, along);
        radius = sqrt(radius * radius - height * height);
        *out = plane_shape_round(vec3_sub(center, half), vec3_add(center, half), radius);
        return true;
    } else if ((desc->kind != PLIM_SHAPE_CYLINDER && desc->kind != PLIM_SHAPE_CAPSULE) ||
               !upright || height >= 0.5 * desc->height) {
        return false;
    }
    *out = plane_shape_round(center, center, radius);
    return true;
}

static double round_radius(double area) {
    return sqrt(area / 3.14159265358979323846);
}

PlimStatus plane_cut_shape(PlimContext *context, const RigidShape *shape, const PlimPose *pose,
                           Vec3 offset, RigidCut *out) {
    *out = (RigidCut){.turn = quat_normalize(quat_load(pose->orientation))};
    Frame frame = {.axes = quat_to_mat3(out->turn)};
    frame.origin = vec3_add(vec3(0, 0, pose->position[2]), mat3_apply(frame.axes, offset));
    if (shape->desc.kind == PLIM_SHAPE_HALF_SPACE)
        out->shape = cut_half_space(&frame);
    else if (shape->desc.shell > 0)
        return PLIM_OK; /* has no inside */
    else if (!plane_cut_round(shape, &frame, &out->shape))
        TRY(plane_shape_cut(context, &shape->mesh, &frame, &out->shape));
    out->ball_radius = round_radius(out->shape.area);
    out->inner_radius = fmax(0.0, -plane_shape_side(&out->shape, vec3(0, 0, 0)).distance);
    return PLIM_OK;
}

/* ---- where it is ---- */

Frame plane_frame(const RigidBodies *bodies, size_t i, Vec3 center, Quat turn) {
    Quat since = quat_multiply(turn, quat_conjugate(bodies->cuts.data[i].turn));
    double square = since.w * since.w + since.z * since.z;
    double c = (since.w * since.w - since.z * since.z) / square;
    double s = 2.0 * since.w * since.z / square;
    return (Frame){{{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}}, vec3(center.x, center.y, 0)};
}
