/* The longest step of rigid bodies in contact: by speeds and sizes (000 section 2.4), and by the
 * loads that taut contacts carry. */
#include "collide/near_boxes.h"
#include "math/decompose.h"
#include "rigid/contact/collision_groups.h"
#include "rigid/contact/contact_stages.h"
#include "rigid/forces.h"
#include "rigid/still_surfaces.h"

/* ---- loads ---- */

/* Contact forces are those of the places at the start of a step. A body that is pulled apart, as a
 * link of a taut chain, swings about its pulls, and that is stable for w dt below 2, with w^2 the
 * greatest eigenvalue of I^-1 K and K = sum of (r.f) 1 - sym(r f^T) over its points: the torque
 * that turning makes where forces f at arms r keep their directions. Pressed bodies have r.f below
 * 0. */
void load_add_stiffness(Mat3 *sum, Vec3 arm, Vec3 force) {
    double along = vec3_dot(arm, force);
    const double r[3] = {arm.x, arm.y, arm.z}, f[3] = {force.x, force.y, force.z};
    Vec3 *rows[3] = {&sum->r[0], &sum->r[1], &sum->r[2]};
    for (int i = 0; i < 3; i++) {
        double row[3];
        for (int k = 0; k < 3; k++)
            row[k] = (i == k ? along : 0.0) - 0.5 * (r[i] * f[k] + f[i] * r[k]);
        *rows[i] = vec3_add(*rows[i], vec3_load(row));
    }
}

/* The greatest eigenvalue of the product with the inverse of the inertia, 1/s^2. */
double load_greatest_swing(const RigidBodies *b, size_t i, Mat3 stiffness) {
    Mat3 axes = quat_to_mat3(quat_load(b->orientation + 4 * i)), vectors;
    Mat3 own = mat3_multiply(mat3_multiply(mat3_transpose(axes), stiffness), axes);
    Vec3 values;
    symmetric_eigen(mat3_load(b->inverse_inertia + 9 * i), &values, &vectors);
    Mat3 root = mat3_diagonal(sqrt(fmax(values.x, 0.0)), sqrt(fmax(values.y, 0.0)),
                              sqrt(fmax(values.z, 0.0)));
    root = mat3_multiply(mat3_multiply(vectors, root), mat3_transpose(vectors));
    symmetric_eigen(mat3_multiply(mat3_multiply(root, own), root), &values, &vectors);
    return fmax(values.x, fmax(values.y, values.z));
}

/* By the forces of the last step. */
static double step_of_loads(const RigidBodies *b, const StepInfo *step) {
    const double most_turn = 0.8; /* w dt: at 1.2 rings that swing broke */
    size_t mark = scratch_mark(step->scratch), count = rigid_count(b);
    size_t touches = b->sizes[RIGID_GROUP_WARM_STARTS].count;
    double longest = HUGE_VAL;
    Mat3 *stiffness = touches > 0 ? scratch_take(step->scratch, count, sizeof *stiffness) : NULL;
    if (!stiffness) return longest;
    for (size_t i = 0; i < count; i++) stiffness[i] = mat3_diagonal(0, 0, 0);
    for (size_t t = 0; t < touches; t++) {
        size_t partner[2] = {(size_t)b->touch_pair[2 * t], (size_t)b->touch_pair[2 * t + 1]};
        Vec3 force = vec3_load(b->touch_force + 3 * t);
        Vec3 point =
            vec3_add(vec3_load(b->position + 3 * partner[0]), vec3_load(b->touch_arm + 3 * t));
        for (int side = 0; side < 2; side++) {
            size_t i = partner[side];
            if (!rigid_is_dynamic(b, i) || b->asleep[i]) continue;
            Vec3 arm = vec3_sub(point, vec3_load(b->position + 3 * i));
            load_add_stiffness(&stiffness[i], arm, vec3_scale(side ? -1.0 : 1.0, force));
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (!(mat3_trace(stiffness[i]) > 0.0)) continue; /* pressed more than pulled */
        double swing = load_greatest_swing(b, i, stiffness[i]);
        if (swing > 0.0) longest = fmin(longest, most_turn / sqrt(swing));
    }
    scratch_release(step->scratch, mark);
    return longest;
}

/* ---- speeds ---- */

/* The longest step in which a body moves by no more than a part of its size. A plate counts as at
 * least a tenth as thick as it is wide. */
static double step_of_body(const RigidBodies *b, size_t i, double gravity) {
    Box3 box = rigid_shape(b, i)->box;
    Vec3 sides = vec3_sub(box.high, box.low);
    if (b->options.plane) {
        const PlaneShape *cut = &b->cuts.data[i].shape;
        sides = vec3(2.0 * (cut->reach + vec3_length(cut->center)), 0, 0);
    }
    double widest = fmax(sides.x, fmax(sides.y, sides.z));
    double size = b->options.travel * fmax(rigid_size(b, i), 0.1 * widest);
    if (!(size > 0.0)) return HUGE_VAL; /* not cut by the plane: nothing is in its way */
    double speed = vec3_length(vec3_load(b->velocity + 3 * i)) +
                   0.5 * vec3_length(sides) * vec3_length(vec3_load(b->angular_velocity + 3 * i));
    /* With the fall of this step: v dt + g dt^2/2 = size. */
    return 2.0 * size / (speed + sqrt(speed * speed + 2.0 * gravity * size));
}

static bool may_meet(const void *bodies, size_t i, size_t other) {
    return collision_groups_meet(bodies, i, other);
}

/* Whether anything else may be where a body may be in the step that is wanted. */
static bool is_near_others(const RigidBodies *b, size_t i, const NearBoxes *near) {
    for (size_t j = 0; j < b->still_surfaces.count; j++)
        if (box3_overlap(near->boxes[i], still_surface_box(&b->still_surfaces.data[j])))
            return true;
    return near_boxes_any(near, i, may_meet, b);
}

/* 000 section 2.4: steps are limited by the speeds and sizes of bodies. */
double rigid_max_dt(const void *system, const StepInfo *step) {
    const RigidBodies *b = system;
    /* Dust would stop all else: what is faster may pass, and is counted. */
    enum { MOST_PARTS = 500 };
    double longest = HUGE_VAL, gravity = vec3_length(step->gravity);
    double of_joints = joints_max_dt(b, step);
    if (!rigid_contact_is_on(b) || !(b->options.travel > 0.0)) return of_joints;
    size_t mark = scratch_mark(step->scratch), count = rigid_count(b);
    Box3 *boxes = scratch_take(step->scratch, count, sizeof *boxes);
    if (!boxes) return longest; /* the step itself will say so */
    for (size_t i = 0; i < count; i++) {
        double speed = vec3_length(vec3_load(b->velocity + 3 * i)) + gravity * step->dt;
        speed += forces_acceleration(b, i, step->time) * step->dt;
        double way = b->motion[i] == PLIM_STATIC ? 0.0 : step->dt * speed;
        boxes[i] = box3_grow(rigid_box(b, i), way);
    }
    NearBoxes near;
    if (near_boxes_sort(step->scratch, boxes, count, &near) != PLIM_OK) return longest;
    for (size_t i = 0; i < count; i++) {
        if (b->motion[i] != PLIM_DYNAMIC || b->asleep[i]) continue;
        double dt = step_of_body(b, i, gravity + forces_acceleration(b, i, step->time));
        if (dt < longest && dt < step->dt && is_near_others(b, i, &near)) longest = dt;
    }
    scratch_release(step->scratch, mark);
    longest = fmin(longest, step_of_loads(b, step));
    return fmin(of_joints, fmax(longest, step->dt / MOST_PARTS));
}
