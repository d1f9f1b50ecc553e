/* Prescribed motion of kinematic bodies: expressions of t, or keyframes. */
#include "math/quat.h"
#include "scene/scene.h"

static const double pi = 3.14159265358979323846;

enum { X, Y, Z, ANGLE, VALUES };

/* A keyframe with what is needed between it and the next. */
typedef struct PathFrame {
    double time;
    double value[VALUES]; /* m, m, m, degrees */
    double rate[VALUES];  /* of each a second */
    Vec3 axis;            /* unit */
    Quat turn;
} PathFrame;

struct ScenePath {
    SceneMotion position[3];
    struct PathRotation {
        SceneMotion angle; /* degrees */
        Vec3 axis;         /* unit */
    } * rotations;         /* one after the other */
    size_t rotation_count;
    Vec3 offset;       /* m: the place of a copy */
    Vec3 center;       /* m: of mass, in the shape's own axes */
    Quat tilt;         /* applied before: the random rotation of a copy */
    PathFrame *frames; /* NULL: the expressions count */
    size_t frame_count;
    bool one_axis; /* all frames turn about the same axis, by angles of any size */
};

/* ---- expressions ---- */

/* Where the shape's origin is and how it is turned, before the place and tilt of a copy. */
typedef struct PathPoint {
    Vec3 position, velocity;
    Quat turn;
    Vec3 spin; /* rad/s */
} PathPoint;

static PlimStatus evaluate(PlimContext *context, const SceneMotion *motion, double t, double *value,
                           double *rate) {
    *value = motion->value;
    *rate = 0;
    if (!motion->expression) return PLIM_OK;
    char why[EXPRESSION_MESSAGE];
    PlimStatus status = expression_evaluate(motion->expression, t, value, rate, why);
    return status == PLIM_OK ? PLIM_OK : context_fail(context, status, "%s", why);
}

static PlimStatus follow_expressions(const ScenePath *path, PlimContext *context, double t,
                                     PathPoint *out) {
    double position[3], velocity[3];
    for (int i = 0; i < 3; i++)
        TRY(evaluate(context, &path->position[i], t, &position[i], &velocity[i]));
    *out = (PathPoint){.position = vec3_load(position), .velocity = vec3_load(velocity)};
    for (size_t k = 0; k < path->rotation_count; k++) {
        const struct PathRotation *rotation = &path->rotations[k];
        double angle, rate;
        TRY(evaluate(context, &rotation->angle, t, &angle, &rate));
        Quat turn = scene_turn_by(rotation->axis, angle);
        Vec3 spin = vec3_scale(rate * pi / 180, rotation->axis);
        /* What turned before turns with it. */
        out->turn = k ? quat_multiply(turn, out->turn) : turn;
        out->spin = k ? vec3_add(spin, quat_rotate(turn, out->spin)) : spin;
    }
    return PLIM_OK;
}

/* ---- keyframes ---- */

/* Cubic Hermite polynomial over a span of `length` seconds at the fraction u of it. */
static double hermite(double length, double u, const double value[2], const double rate[2],
                      double *slope) {
    double v = 1 - u, rise = value[1] - value[0];
    *slope = (6 * u * v * rise) / length + rate[0] * v * (1 - 3 * u) + rate[1] * u * (3 * u - 2);
    return value[0] + rise * u * u * (3 - 2 * u) + length * u * v * (rate[0] * v - rate[1] * u);
}

/* A frame that the body is still at: before the first, after the last. */
static PathPoint stand(const PathFrame *frame) {
    return (PathPoint){.position = vec3_load(frame->value), .turn = frame->turn};
}

static PathPoint follow_frames(const ScenePath *path, double t) {
    size_t next = 0;
    while (next < path->frame_count && path->frames[next].time <= t) next++;
    if (next == 0) return stand(&path->frames[0]);
    if (next == path->frame_count) return stand(&path->frames[next - 1]);
    const PathFrame *from = &path->frames[next - 1], *to = &path->frames[next];
    double length = to->time - from->time, u = (t - from->time) / length;
    double now[VALUES], slope[VALUES];
    for (int i = 0; i < VALUES; i++) {
        const double value[2] = {from->value[i], to->value[i]},
                     rate[2] = {from->rate[i], to->rate[i]};
        now[i] = hermite(length, u, value, rate, &slope[i]);
    }
    PathPoint point = {.position = vec3_load(now), .velocity = vec3_load(slope)};
    if (path->one_axis) {
        point.turn = scene_turn_by(from->axis, now[ANGLE]);
        point.spin = vec3_scale(slope[ANGLE] * pi / 180, from->axis);
    } else { /* the shorter way at a fraction that starts and ends at rest */
        Vec3 way = quat_log(quat_multiply(to->turn, quat_conjugate(from->turn)));
        point.turn = quat_multiply(quat_exp(vec3_scale(u * u * (3 - 2 * u), way)), from->turn);
        point.spin = vec3_scale(6 * u * (1 - u) / length, way);
    }
    return point;
}

/* Rates that keep each piece monotone and the velocity continuous: the weighted harmonic mean of
 * the slopes on both sides, 0 where they differ in sign and at both ends (Fritsch and Butland). */
static void set_rates(PathFrame *frames, size_t count) {
    for (size_t k = 1; k + 1 < count; k++) {
        double before = frames[k].time - frames[k - 1].time;
        double after = frames[k + 1].time - frames[k].time;
        for (int i = 0; i < VALUES; i++) {
            double left = (frames[k].value[i] - frames[k - 1].value[i]) / before;
            double right = (frames[k + 1].value[i] - frames[k].value[i]) / after;
            if (left * right <= 0) continue;
            double weight = (2 * after + before) / (3 * (after + before));
            frames[k].rate[i] = left * right / (weight * right + (1 - weight) * left);
        }
    }
}

static SceneKeyframe first_frame(const SceneBody *body) {
    SceneKeyframe frame = {.orientation = body->orientation};
    for (int i = 0; i < 3; i++) frame.position[i] = body->position[i].value;
    return frame;
}

/* What is left out stays; an orientation that is given is so in all its rotations. */
static void read_frame(PlimScene *scene, SceneNode *node, SceneKeyframe *frame) {
    if (node_get(node, "orientation")) frame->orientation.then.node = NULL;
    reader_read_table(&scene->reader, node, &scene_keyframe_table, frame);
}

void scene_check_keyframes(PlimScene *scene, const SceneNode *node, const SceneBody *body) {
    SceneReader *reader = &scene->reader;
    const SceneNode *list = body->keyframes.node;
    if (body->motion != PLIM_KINEMATIC)
        reader_problem(reader, list, "only a body with 'motion: kinematic' follows a path");
    if (list->children.count == 0)
        reader_problem(reader, list, "should have at least one keyframe");
    bool moving = scene_check_orientation(scene, node, &body->orientation);
    for (int axis = 0; axis < 3; axis++) moving |= body->position[axis].expression != NULL;
    if (moving)
        reader_problem(reader, node,
                       "has both keyframes and expressions of t; leave one of them out");
    SceneKeyframe frame = first_frame(body);
    double before = -HUGE_VAL;
    for (size_t i = 0; i < list->children.count; i++) {
        SceneNode *child = list->children.data[i];
        size_t problems = reader->problems.count;
        read_frame(scene, child, &frame);
        if (reader->problems.count > problems) return;
        if (!(frame.time > before))
            reader_problem(reader, child,
                           "is at t = %g s, the one before at %g s; each must be later", frame.time,
                           before);
        if (scene_check_orientation(scene, child, &frame.orientation))
            reader_problem(reader, child, "uses t; a keyframe is where the body is at one time");
        before = frame.time;
    }
}

static PlimStatus read_frames(PlimScene *scene, const SceneBody *body, ScenePath *path) {
    const SceneNode *list = body->keyframes.node;
    size_t count = list->children.count;
    path->frames = context_allocate(scene->context, count, sizeof *path->frames);
    if (!path->frames) return PLIM_OUT_OF_MEMORY;
    path->frame_count = count;
    path->one_axis = true;
    SceneKeyframe read = first_frame(body);
    for (size_t i = 0; i < count; i++) {
        read_frame(scene, list->children.data[i], &read);
        TRY(scene->reader.trouble);
        PathFrame *frame = &path->frames[i];
        *frame = (PathFrame){.time = read.time,
                             .value = {read.position[0], read.position[1], read.position[2],
                                       read.orientation.first.angle.value},
                             .axis = scene_direction(read.orientation.first.axis)};
        frame->turn = scene_turn(scene, &read.orientation);
        path->one_axis &= vec3_length(vec3_sub(frame->axis, path->frames[0].axis)) < 1e-12 &&
                          scene_rotation_count(&read.orientation) == 1;
    }
    set_rates(path->frames, count);
    return PLIM_OK;
}

/* ---- both ---- */

static PlimStatus follow_path(void *user, PlimContext *context, double t, PlimPose *pose) {
    const ScenePath *path = user;
    PathPoint point;
    if (path->frames)
        point = follow_frames(path, t);
    else
        TRY(follow_expressions(path, context, t, &point));
    Quat turn = quat_normalize(quat_multiply(point.turn, path->tilt));
    /* The path is that of the shape's origin; a pose is that of the centre of mass. */
    Vec3 arm = quat_rotate(turn, path->center);
    Vec3 place = vec3_add(point.position, path->offset);
    vec3_store(pose->position, vec3_add(place, arm));
    vec3_store(pose->velocity, vec3_add(point.velocity, vec3_cross(point.spin, arm)));
    quat_store(pose->orientation, turn);
    vec3_store(pose->angular_velocity, point.spin);
    return PLIM_OK;
}

static void free_path(PlimContext *context, ScenePath *path) {
    if (path->rotations)
        context_free(context, path->rotations, path->rotation_count, sizeof *path->rotations);
    if (path->frames) context_free(context, path->frames, path->frame_count, sizeof *path->frames);
    context_free(context, path, 1, sizeof *path);
}

void scene_paths_free(PlimScene *scene) {
    for (size_t i = 0; i < scene->paths.count; i++) free_path(scene->context, scene->paths.data[i]);
    array_free(scene->context, &scene->paths);
}

static PlimStatus read_rotations(PlimScene *scene, const SceneOrientation *orientation,
                                 ScenePath *path) {
    size_t count = scene_rotation_count(orientation);
    path->rotations = context_allocate(scene->context, count, sizeof *path->rotations);
    if (!path->rotations) return PLIM_OUT_OF_MEMORY;
    path->rotation_count = count;
    for (size_t k = 0; k < count; k++) {
        SceneRotation read = scene_read_rotation(scene, orientation, k);
        path->rotations[k] = (struct PathRotation){read.angle, scene_direction(read.axis)};
    }
    return scene->reader.trouble;
}

PlimStatus scene_add_path(PlimScene *scene, const SceneBody *body, Vec3 offset, Quat tilt,
                          Vec3 center, PlimRigidDesc *desc) {
    ScenePath *path = context_allocate(scene->context, 1, sizeof *path);
    if (!path) return PLIM_OUT_OF_MEMORY;
    if (!array_push(scene->context, &scene->paths, path)) {
        free_path(scene->context, path);
        return PLIM_OUT_OF_MEMORY;
    }
    for (int i = 0; i < 3; i++) path->position[i] = body->position[i];
    TRY(read_rotations(scene, &body->orientation, path));
    path->offset = offset;
    path->center = center;
    path->tilt = tilt;
    if (body->keyframes.node) TRY(read_frames(scene, body, path));
    desc->motion_path = follow_path;
    desc->motion_user = path;
    return PLIM_OK;
}
