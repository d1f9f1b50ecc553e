/* Rows of joints (002 appendix C.1.1) and their errors, taken at the joint; turning as a logarithm
 * of the shorter of +-q (4.5.1). Both bodies are pushed at one common point. */
#include "rigid/joints/joint.h"

/* A joint where its bodies are. */
typedef struct JointPose {
    const BodyPlace *place;
    Vec3 at[2]; /* its point on each body */
    Quat frame[2];
    Mat3 axes;  /* of the first body, in columns */
    Vec3 apart; /* from the point of the first to that of the second */
    double size;
} JointPose;

static JointPose find_pose(const RigidJoint *joint, const BodyPlace place[2]) {
    JointPose pose = {.place = place, .size = joint->size};
    for (int side = 0; side < 2; side++) {
        Vec3 arm = quat_rotate(place[side].turn, joint->anchor[side]);
        pose.at[side] = vec3_add(place[side].center, arm);
        pose.frame[side] = quat_multiply(place[side].turn, joint->frame[side]);
    }
    pose.axes = quat_to_mat3(pose.frame[0]);
    pose.apart = vec3_sub(pose.at[1], pose.at[0]);
    return pose;
}

/* The point of the second body along n against that of the first that is there too. */
static JointRow linear_row(const JointPose *pose, Vec3 n, double error) {
    JointRow row = {.along = n, .error = error, .scale = 1.0};
    for (int side = 0; side < 2; side++)
        row.turn[side] = vec3_cross(vec3_sub(pose->at[1], pose->place[side].center), n);
    return row;
}

static JointRow turning_row(const JointPose *pose, Vec3 axis, double angle) {
    Vec3 turn = vec3_scale(pose->size, axis);
    return (JointRow){.turn = {turn, turn}, .error = pose->size * angle, .scale = pose->size};
}

/* ---- parts of joints ---- */

static int hold_point(const JointPose *pose, JointRow *rows) {
    for (int i = 0; i < 3; i++)
        rows[i] = linear_row(pose, vec3_axis(i), vec3_component(pose->apart, i));
    return 3;
}

static int hold_across(const JointPose *pose, JointRow *rows) {
    for (int i = 0; i < 2; i++) {
        Vec3 n = mat3_column(pose->axes, i);
        rows[i] = linear_row(pose, n, vec3_dot(n, pose->apart));
    }
    return 2;
}

static int hold_turning(const JointPose *pose, JointRow *rows) {
    Quat relative = quat_multiply(quat_conjugate(pose->frame[0]), pose->frame[1]);
    Vec3 angle = quat_log(relative);
    for (int i = 0; i < 3; i++)
        rows[i] = turning_row(pose, mat3_column(pose->axes, i), vec3_component(angle, i));
    return 3;
}

/* The axis of the second body stays that of the first. */
static int hold_axis(const JointPose *pose, JointRow *rows) {
    Vec3 own = mat3_column(pose->axes, 2), other = quat_rotate(pose->frame[1], vec3(0, 0, 1));
    Vec3 cross = vec3_cross(own, other);
    double sine = vec3_length(cross), angle = atan2(sine, vec3_dot(own, other));
    double scale = sine > 1e-8 ? angle / sine : 1.0;
    for (int i = 0; i < 2; i++) {
        Vec3 axis = mat3_column(pose->axes, i);
        rows[i] = turning_row(pose, axis, scale * vec3_dot(axis, cross));
    }
    return 2;
}

/* Two axes, one of each body, stay square to each other. */
static int hold_square(const JointPose *pose, JointRow *rows) {
    Vec3 own = mat3_column(pose->axes, 0), other = quat_rotate(pose->frame[1], vec3(0, 1, 0));
    Vec3 normal = vec3_cross(other, own);
    rows[0] =
        turning_row(pose, vec3_normalize(normal), atan2(vec3_dot(own, other), vec3_length(normal)));
    return 1;
}

/* Points on the line between both: `at` differs, the force is along it. */
static int hold_distance(const RigidJoint *joint, const JointPose *pose, JointRow *rows) {
    double distance = vec3_length(pose->apart);
    Vec3 n = distance > 0.0 ? vec3_scale(1.0 / distance, pose->apart) : vec3(0, 1, 0);
    bool is_rope = joint->kind == PLIM_JOINT_ROPE;
    if (is_rope) n = vec3_scale(-1.0, n);
    rows[0] = linear_row(pose, n, is_rope ? joint->length - distance : distance - joint->length);
    rows[0].kind = is_rope ? JOINT_ROW_LIMIT : JOINT_ROW_HELD;
    return 1;
}

/* In two dimensions rows are of what moves there. Others are empty: what rounding leaves of a row
 * along z would hold as well as any. */
static void flatten(JointRow *rows, int count) {
    const double rounding = 1e-9;
    for (int i = 0; i < count; i++) {
        bool turns = vec3_dot(rows[i].along, rows[i].along) == 0.0;
        rows[i].along.z = 0.0;
        for (int side = 0; side < 2; side++) rows[i].turn[side].x = rows[i].turn[side].y = 0.0;
        double left = turns ? fabs(rows[i].turn[1].z) / rows[i].scale : vec3_length(rows[i].along);
        if (left > rounding) continue;
        rows[i].along = rows[i].turn[0] = rows[i].turn[1] = vec3(0, 0, 0);
        rows[i].error = 0.0;
    }
}

int joint_find_rows(const RigidJoint *joint, const BodyPlace place[2], bool plane, JointRow *rows) {
    JointPose pose = find_pose(joint, place);
    int count = 0;
    switch (joint->kind) {
    case PLIM_JOINT_POINT:
        count = hold_point(&pose, rows);
        break;
    case PLIM_JOINT_RIGID:
        count = hold_point(&pose, rows);
        count += hold_turning(&pose, rows + count);
        break;
    case PLIM_JOINT_HINGE:
    case PLIM_JOINT_TWIST:
        count = hold_point(&pose, rows);
        count += hold_axis(&pose, rows + count);
        break;
    case PLIM_JOINT_SLIDER:
        count = hold_across(&pose, rows);
        count += hold_turning(&pose, rows + count);
        break;
    case PLIM_JOINT_CYLINDRICAL:
        count = hold_across(&pose, rows);
        count += hold_axis(&pose, rows + count);
        break;
    case PLIM_JOINT_UNIVERSAL:
        count = hold_point(&pose, rows);
        count += hold_square(&pose, rows + count);
        break;
    case PLIM_JOINT_PLANE: {
        Vec3 n = mat3_column(pose.axes, 2);
        rows[count++] = linear_row(&pose, n, vec3_dot(n, pose.apart));
        break;
    }
    case PLIM_JOINT_DISTANCE:
    case PLIM_JOINT_ROPE:
        count = hold_distance(joint, &pose, rows);
        break;
    }
    for (int i = 0; i < count; i++) rows[i].is_on = rows[i].kind == JOINT_ROW_HELD;
    if (plane) flatten(rows, count);
    return count;
}

/* ---- limits, springs, drives ---- */

bool joint_turns(PlimJointKind kind) {
    return kind == PLIM_JOINT_HINGE || kind == PLIM_JOINT_TWIST || kind == PLIM_JOINT_CYLINDRICAL;
}

bool joint_slides(PlimJointKind kind) {
    return kind == PLIM_JOINT_SLIDER;
}

/* The row against its direction. */
static JointRow reversed(JointRow row) {
    row.along = vec3_scale(-1.0, row.along);
    for (int side = 0; side < 2; side++) row.turn[side] = vec3_scale(-1.0, row.turn[side]);
    row.error = -row.error;
    return row;
}

/* Whichever of two limits is nearer, or that of the same row elsewhere. */
static JointRow limit_row(JointRow row, const double limits[2], const JointRow *like) {
    double low = row.error - row.scale * limits[0], high = row.scale * limits[1] - row.error;
    bool upper = like ? like->side != 0 : high < low;
    if (upper) row = reversed(row);
    row.error = upper ? high : low;
    row.side = upper;
    row.kind = JOINT_ROW_LIMIT;
    return row;
}

/* The motion that the joint leaves free, its place as the error. */
static JointRow free_row(const RigidJoint *joint, const JointPose *pose, double turned) {
    const double circle = 6.283185307179586476925;
    Vec3 axis = mat3_column(pose->axes, 2);
    if (joint_slides(joint->kind)) return linear_row(pose, axis, vec3_dot(axis, pose->apart));
    double angle = joint_angle(joint, pose->place);
    return turning_row(pose, axis, angle + circle * round((turned - angle) / circle));
}

/* How far the axis of the second body leans away from that of the first: at most so far. */
static JointRow swing_row(const RigidJoint *joint, const JointPose *pose) {
    Vec3 own = mat3_column(pose->axes, 2), other = quat_rotate(pose->frame[1], vec3(0, 0, 1));
    Vec3 cross = vec3_cross(own, other);
    double angle = atan2(vec3_length(cross), vec3_dot(own, other));
    JointRow row = reversed(turning_row(pose, vec3_normalize(cross), angle));
    row.error = pose->size * (joint->swing - angle);
    row.kind = JOINT_ROW_LIMIT;
    return row;
}

/* How far it is twisted about its axis, whichever way that leans. */
static JointRow twist_row(const RigidJoint *joint, const JointPose *pose) {
    Vec3 own = mat3_column(pose->axes, 2), other = quat_rotate(pose->frame[1], vec3(0, 0, 1));
    double lean = fmax(1.0 + vec3_dot(own, other), 1e-3);
    return turning_row(pose, vec3_scale(1.0 / lean, vec3_add(own, other)),
                       joint_angle(joint, pose->place));
}

int joint_find_all_rows(const RigidJoint *joint, const BodyPlace place[2], bool plane,
                        double turned, const JointRow *like, JointRow *rows) {
    int first = joint_find_rows(joint, place, plane, rows), count = first;
    JointPose pose = find_pose(joint, place);
    if (joint->swing > 0.0) rows[count++] = swing_row(joint, &pose);
    if (joint->has_twist) {
        rows[count] = limit_row(twist_row(joint, &pose), joint->twist, like ? &like[count] : NULL);
        count++;
    }
    bool springs = joint->stiffness > 0.0 || joint->damping > 0.0;
    if (joint->has_limits || springs || joint->drive != PLIM_DRIVE_NONE) {
        JointRow own = free_row(joint, &pose, turned);
        if (joint->has_limits) {
            rows[count] = limit_row(own, joint->limits, like ? &like[count] : NULL);
            count++;
        }
        own.kind = JOINT_ROW_SPRING;
        if (springs) rows[count++] = own;
        own.kind = JOINT_ROW_DRIVE;
        if (joint->drive != PLIM_DRIVE_NONE) rows[count++] = own;
    }
    if (plane) flatten(rows + first, count - first);
    return count;
}

/* ---- figures ---- */
double joint_gap(const RigidJoint *joint, const BodyPlace place[2], bool plane) {
    JointRow rows[JOINT_MOST_ROWS];
    int count = joint_find_rows(joint, place, plane, rows);
    double across = 0.0, turned = 0.0;
    for (int i = 0; i < count; i++) {
        bool is_rope = rows[i].kind == JOINT_ROW_LIMIT;
        double error = is_rope ? fmin(rows[i].error, 0.0) : rows[i].error;
        if (vec3_dot(rows[i].along, rows[i].along) > 0.0)
            across += error * error;
        else if (vec3_dot(rows[i].turn[0], rows[i].turn[0]) > 0.0)
            turned += error * error;
    }
    return fmax(sqrt(across), sqrt(turned));
}

double joint_angle(const RigidJoint *joint, const BodyPlace place[2]) {
    JointPose pose = find_pose(joint, place);
    Quat relative = quat_multiply(quat_conjugate(pose.frame[0]), pose.frame[1]);
    /* About the axis; of a universal joint about its first, which is x. */
    double along = joint->kind == PLIM_JOINT_UNIVERSAL ? relative.x : relative.z;
    double angle = 2.0 * atan2(along, relative.w);
    const double pi = 3.14159265358979323846;
    return angle > pi ? angle - 2.0 * pi : angle < -pi ? angle + 2.0 * pi : angle;
}

double joint_slide(const RigidJoint *joint, const BodyPlace place[2]) {
    JointPose pose = find_pose(joint, place);
    if (joint->kind == PLIM_JOINT_DISTANCE || joint->kind == PLIM_JOINT_ROPE)
        return vec3_length(pose.apart);
    return vec3_dot(mat3_column(pose.axes, 2), pose.apart);
}

Vec3 joint_axis(const RigidJoint *joint, const BodyPlace *first) {
    Vec3 own = joint->kind == PLIM_JOINT_UNIVERSAL ? vec3(1, 0, 0) : vec3(0, 0, 1);
    return quat_rotate(quat_multiply(first->turn, joint->frame[0]), own);
}

Vec3 joint_point(const RigidJoint *joint, const BodyPlace place[2], int side) {
    JointPose pose = find_pose(joint, place);
    bool is_line = joint->kind == PLIM_JOINT_DISTANCE || joint->kind == PLIM_JOINT_ROPE;
    return pose.at[is_line ? side : 1];
}
