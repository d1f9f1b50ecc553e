/* Joints in two dimensions: bodies move in the plane and turn about z alone. An axis that would
 * leave them nothing there, or hold nothing, is refused. */
#include "rigid/bodies.h"

/* Sine of the angle up to which an axis lies in the plane, or along z. */
static const double aligned = 1e-9;

static bool is_across(Vec3 axis) {
    return sqrt(axis.x * axis.x + axis.y * axis.y) <= aligned;
}

static bool is_within(Vec3 axis) {
    return fabs(axis.z) <= aligned;
}

static PlimStatus must_be(const RigidBodies *b, const PlimJointDesc *desc, Vec3 axis,
                          const char *needs) {
    return context_fail(b->context, PLIM_BAD_INPUT,
                        "joint '%s': in two dimensions %s; its axis is (%g, %g, %g)", desc->name,
                        needs, axis.x, axis.y, axis.z);
}

static PlimStatus check_point(const RigidBodies *b, const PlimJointDesc *desc, Vec3 axis) {
    if (desc->swing != 0.0 && !is_within(axis))
        return must_be(b, desc, axis,
                       "swing is about an axis in the plane, as [0, -1, 0], and twist about z");
    if (desc->has_twist && !is_across(axis))
        return must_be(b, desc, axis,
                       "twist is about z, [0, 0, 1], and swing about an axis in the plane");
    return PLIM_OK;
}

PlimStatus joint_check_plane(const RigidBodies *b, const PlimJointDesc *desc, Vec3 axis) {
    bool acts = desc->has_limits || desc->stiffness != 0.0 || desc->damping != 0.0 ||
                desc->drive != PLIM_DRIVE_NONE;
    switch (desc->kind) {
    case PLIM_JOINT_HINGE:
    case PLIM_JOINT_TWIST:
        if (is_across(axis)) return PLIM_OK;
        return must_be(b, desc, axis,
                       "bodies turn about z alone, so give the axis [0, 0, 1], or kind rigid");
    case PLIM_JOINT_SLIDER:
        if (is_within(axis)) return PLIM_OK;
        return must_be(b, desc, axis,
                       "a slider slides in the plane, so z of its axis must be 0; what turns about "
                       "z is a hinge");
    case PLIM_JOINT_PLANE:
        if (is_within(axis)) return PLIM_OK;
        return must_be(
            b, desc, axis,
            "the axis of a plane lies in z = 0, across the line on which the point stays, "
            "so its z must be 0");
    case PLIM_JOINT_CYLINDRICAL:
        if (is_across(axis) || (is_within(axis) && !acts)) return PLIM_OK;
        return must_be(b, desc, axis,
                       is_within(axis) ? "limits, spring, motor and control of a cylindrical joint "
                                         "are of turning about z; use a slider"
                                       : "use a hinge about z, or a slider in the plane");
    case PLIM_JOINT_UNIVERSAL: {
        Vec3 second = vec3_normalize(vec3_load(desc->second_axis));
        if (is_across(axis) || is_across(second)) return PLIM_OK;
        return must_be(b, desc, axis,
                       "one axis of a universal joint must be z, [0, 0, 1], or nothing turns");
    }
    case PLIM_JOINT_POINT:
        return check_point(b, desc, axis);
    case PLIM_JOINT_RIGID:
    case PLIM_JOINT_DISTANCE:
    case PLIM_JOINT_ROPE:
        break;
    }
    return PLIM_OK;
}
