/* Collision detection: which bodies may meet in this step, and where (000 section 2.4). */
#include "base/hash.h"
#include "base/parallel.h"
#include "base/random.h"
#include "rigid/deep_overlap.h"
#include "rigid/plane.h"

#include <string.h>

enum { PAIR_GRAIN = 16 };

/* ---- boxes ---- */

/* The box around a turned box; without end when the box is. */
static Box3 turned_box(const Frame *frame, Box3 own) {
    Vec3 half = vec3_scale(0.5, vec3_sub(own.high, own.low));
    if (!isfinite(half.x + half.y + half.z)) return own;
    Vec3 center = frame_to_world(frame, box3_center(own)), reach;
    const Mat3 *r = &frame->axes;
    reach.x = fabs(r->r[0].x) * half.x + fabs(r->r[0].y) * half.y + fabs(r->r[0].z) * half.z;
    reach.y = fabs(r->r[1].x) * half.x + fabs(r->r[1].y) * half.y + fabs(r->r[1].z) * half.z;
    reach.z = fabs(r->r[2].x) * half.x + fabs(r->r[2].y) * half.y + fabs(r->r[2].z) * half.z;
    return (Box3){vec3_sub(center, reach), vec3_add(center, reach)};
}

Box3 rigid_box(const RigidBodies *bodies, size_t i) {
    Frame frame = rigid_frame(bodies, i);
    Box3 box = turned_box(&frame, rigid_shape(bodies, i)->box);
    if (bodies->options.plane) box.low.z = box.high.z = 0.0;
    return box;
}

/* Where contact sees the surface of a body. */
static Frame contact_frame(const RigidBodies *b, size_t i) {
    if (!b->options.plane) return rigid_frame(b, i);
    return plane_frame(b, i, vec3_load(b->position + 3 * i), quat_load(b->orientation + 4 * i));
}

/* Half the diagonal of the box around a body, seen from its centre, m. */
static double reach_of(const RigidBodies *b, size_t i) {
    Box3 box = rigid_shape(b, i)->box;
    return 0.5 * vec3_length(vec3_sub(box.high, box.low)) +
           vec3_length(b->extras.data[i].mesh_offset);
}

/* How far any point of a body may get in a step, m, and a little more, so that what just touches is
 * seen. */
static double travel_of(const RigidBodies *b, size_t i, const StepInfo *step) {
    double reach = reach_of(b, i);
    const SolverBody *body = &b->contacts.solver_bodies.data[i];
    if (!isfinite(reach)) return 0.0;
    double slack = 1e-4 * reach;
    if (!body->moves && b->motion[i] != PLIM_KINEMATIC) return slack;
    double speed = vec3_length(body->velocity) + vec3_length(body->push) +
                   reach * (vec3_length(body->spin) + vec3_length(body->twist));
    double fall = body->moves ? step->dt * vec3_length(step->gravity) : 0.0;
    return step->dt * (speed + fall) + slack;
}

/* How much nearer any two points of a pair may get in a step: bodies that fall together do not. */
static double approach_of(const RigidBodies *b, size_t i, size_t j, const StepInfo *step) {
    const SolverBody *a = &b->contacts.solver_bodies.data[i],
                     *c = &b->contacts.solver_bodies.data[j];
    Vec3 apart = vec3_sub(vec3_add(a->velocity, a->push), vec3_add(c->velocity, c->push));
    double speed = vec3_length(apart), slack = 0.0;
    double between = vec3_length(vec3_sub(a->center, c->center));
    for (int side = 0; side < 2; side++) {
        const SolverBody *body = side ? c : a;
        double reach = reach_of(b, side ? j : i);
        if (isfinite(reach))
            slack += 1e-4 * reach;
        else /* what has no end meets the other where that one is */
            reach = between + reach_of(b, side ? i : j);
        speed += reach * (vec3_length(body->spin) + vec3_length(body->twist));
    }
    return step->dt * (speed + step->dt * vec3_length(step->gravity)) + slack;
}

typedef struct DetectJob {
    const RigidBodies *bodies;
    const StepInfo *step;
    const Frame *frames;
    const DeepOverlaps *overlaps;
    ContactPoints *out;
} DetectJob;

static void detect_pairs(void *user, size_t begin, size_t end) {
    const DetectJob *job = user;
    const BroadPair *near = job->bodies->contacts.near.items.data;
    for (size_t p = begin; p < end; p++) {
        size_t a = (size_t)near[p].a, b = (size_t)near[p].b;
        double margin = approach_of(job->bodies, a, b, job->step);
        const RigidCut *cuts = job->bodies->cuts.data;
        if (job->bodies->options.plane)
            plane_contact(&cuts[a].shape, &job->frames[a], &cuts[b].shape, &job->frames[b], margin,
                          &job->out[p]);
        else
            collide_shapes(&rigid_shape(job->bodies, a)->collide, &job->frames[a],
                           &rigid_shape(job->bodies, b)->collide, &job->frames[b], margin,
                           &job->out[p]);
        if (deep_overlaps_hold(job->overlaps, near[p])) deep_overlaps_keep_deepest(&job->out[p]);
    }
}

/* ---- pairs and rows ---- */

/* Radius of the ball that is as large as the smaller body of a pair that forces move. */
static double curve_of(const RigidBodies *b, size_t i, size_t j) {
    double radius = HUGE_VAL;
    if (b->motion[i] == PLIM_DYNAMIC) radius = rigid_ball_radius(b, i);
    if (b->motion[j] == PLIM_DYNAMIC) radius = fmin(radius, rigid_ball_radius(b, j));
    return radius;
}

static ContactPair describe_pair(const RigidBodies *b, BroadPair near) {
    size_t i = (size_t)near.a, j = (size_t)near.b;
    return (ContactPair){.a = near.a,
                         .b = near.b,
                         .friction = fmax(b->friction[i], b->friction[j]),
                         .restitution = fmin(b->restitution[i], b->restitution[j]),
                         .rolling = fmax(b->rolling_friction[i], b->rolling_friction[j]),
                         .spinning = fmax(b->spinning_friction[i], b->spinning_friction[j]),
                         .curve = curve_of(b, i, j),
                         .size = fmin(rigid_size(b, i), rigid_size(b, j))};
}

static bool keep_pair(RigidBodies *bodies, const DeepOverlaps *overlaps, BroadPair near,
                      const ContactPoints *points) {
    RigidContacts *contacts = &bodies->contacts;
    if (points->count == 0) return true;
    ContactPair pair = describe_pair(bodies, near);
    pair.overlaps_deeply = deep_overlaps_hold(overlaps, near);
    const SolverBody *a = &contacts->solver_bodies.data[pair.a],
                     *b = &contacts->solver_bodies.data[pair.b];
    pair.first = (int32_t)contacts->rows.count;
    if (!array_reserve(bodies->context, &contacts->rows, points->count)) return false;
    for (size_t k = 0; k < points->count; k++) {
        const ContactPoint *point = &points->at[k];
        /* Closer than this they touch: four corners of a box at rest must agree that they do. */
        bool touching = fabs(point->gap) < 1e-5 * pair.size;
        ContactRow row = {.point = point->position,
                          .normal = point->normal,
                          .gap = touching ? 0.0 : point->gap,
                          .radius = point->radius};
        row_prepare(&row, a, b);
        if (!(row.normal_response > 0.0)) continue; /* both are held */
        contacts->rows.data[contacts->rows.count++] = row;
        pair.rows++;
    }
    return pair.rows == 0 || array_push(bodies->context, &contacts->pairs, pair);
}

/* What contact needs of the shapes of bodies that are near others. */
static PlimStatus prepare_shapes(RigidBodies *bodies) {
    const RigidContacts *contacts = &bodies->contacts;
    if (bodies->options.plane) return PLIM_OK; /* cuts are there */
    for (size_t p = 0; p < contacts->near.items.count; p++) {
        BroadPair near = contacts->near.items.data[p];
        for (int side = 0; side < 2; side++) {
            int32_t body = side ? near.b : near.a;
            RigidShape *shape = &bodies->shapes.shapes.data[bodies->shape[body]];
            PlimStatus status = shape_prepare_contact(bodies->context, shape);
            if (status != PLIM_OK)
                return context_fail(bodies->context, status, "rigid body '%s': %s",
                                    bodies->extras.data[body].name, bodies->context->message);
        }
    }
    return PLIM_OK;
}

static PlimStatus detect_in_boxes(RigidBodies *bodies, const StepInfo *step, const Frame *frames) {
    RigidContacts *contacts = &bodies->contacts;
    TRY(prepare_shapes(bodies));
    DeepOverlaps overlaps;
    TRY(deep_overlaps_find(bodies, step, frames, &overlaps));
    deep_overlaps_thin(&overlaps, contacts);
    size_t near = contacts->near.items.count;
    ContactPoints *found = scratch_take(step->scratch, near, sizeof *found);
    if (!found) return PLIM_OUT_OF_MEMORY;
    DetectJob job = {bodies, step, frames, &overlaps, found};
    parallel_for(step->threads, near, PAIR_GRAIN, detect_pairs, &job);
    contacts->pairs.count = contacts->rows.count = 0;
    for (size_t p = 0; p < near; p++)
        if (!keep_pair(bodies, &overlaps, contacts->near.items.data[p], &found[p]))
            return PLIM_OUT_OF_MEMORY;
    return PLIM_OK;
}

/* Pairs of which neither body is active need no look: they rest, or forces do not move them. */
static bool is_active(const RigidBodies *bodies, size_t i) {
    const SolverBody *body = &bodies->contacts.solver_bodies.data[i];
    if (body->moves) return !bodies->asleep[i];
    return vec3_dot(body->velocity, body->velocity) + vec3_dot(body->spin, body->spin) > 0.0;
}

void rigid_bodies_confine(RigidBodies *bodies, size_t id, const Room *room) {
    bodies->extras.data[id].room = room;
    bodies->has_rooms = true;
}

static bool holds(const RigidBodies *bodies, int32_t wall, int32_t body) {
    const Room *room = bodies->extras.data[wall].room;
    return !room || room_holds(room, vec3_load(bodies->position + 3 * (size_t)body));
}

/* Leaves out walls of one domain with bodies of another. */
static void part_rooms(RigidBodies *bodies) {
    BroadPair *pairs = bodies->contacts.near.items.data;
    size_t kept = 0, count = bodies->contacts.near.items.count;
    for (size_t p = 0; p < count; p++)
        if (holds(bodies, pairs[p].a, pairs[p].b) && holds(bodies, pairs[p].b, pairs[p].a))
            pairs[kept++] = pairs[p];
    bodies->contacts.near.items.count = kept;
}

PlimStatus contacts_detect(RigidBodies *bodies, const StepInfo *step) {
    RigidContacts *contacts = &bodies->contacts;
    size_t count = rigid_count(bodies), mark = scratch_mark(step->scratch);
    Frame *frames = scratch_take(step->scratch, count, sizeof *frames);
    Box3 *boxes = scratch_take(step->scratch, count, sizeof *boxes);
    bool *active = scratch_take(step->scratch, count, sizeof *active);
    if (!frames || !boxes || !active) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) {
        frames[i] = contact_frame(bodies, i);
        boxes[i] = box3_grow(rigid_box(bodies, i), travel_of(bodies, i, step));
        active[i] = is_active(bodies, i);
    }
    PlimStatus status =
        broad_pairs(bodies->context, step->scratch, boxes, active, count, &contacts->near);
    if (status == PLIM_OK && bodies->has_rooms) part_rooms(bodies);
    if (status == PLIM_OK) status = detect_in_boxes(bodies, step, frames);
    scratch_release(step->scratch, mark);
    return status;
}

void contacts_prepare(RigidBodies *bodies) {
    RigidContacts *contacts = &bodies->contacts;
    for (size_t p = 0; p < contacts->pairs.count; p++) {
        ContactPair *pair = &contacts->pairs.data[p];
        const SolverBody *a = &contacts->solver_bodies.data[pair->a],
                         *b = &contacts->solver_bodies.data[pair->b];
        pair->energy = pair->raised = 0.0;
        for (int32_t k = 0; k < pair->rows; k++)
            row_prepare(&contacts->rows.data[pair->first + k], a, b);
    }
}

/* ---- order ---- */

void contacts_shuffle(const RigidBodies *bodies, const StepInfo *step, int32_t *order,
                      size_t count) {
    uint64_t stream;
    memcpy(&stream, &step->time, sizeof stream);
    for (size_t i = 0; i < count; i++) order[i] = (int32_t)i;
    for (size_t i = count; i > 1; i--) { /* Fisher and Yates, from a counter */
        size_t j = (size_t)(random_uniform(bodies->options.seed, stream, i) * (double)i);
        int32_t swap = order[i - 1];
        order[i - 1] = order[j];
        order[j] = swap;
    }
}

/* ---- the start of a run ---- */

void contacts_tell_overlaps(const RigidBodies *bodies) {
    enum { MOST_NAMED = 5 };
    const RigidContacts *contacts = &bodies->contacts;
    size_t overlapping = contacts->left_out, named = 0;
    for (size_t p = 0; p < contacts->pairs.count; p++) {
        const ContactPair *pair = &contacts->pairs.data[p];
        double gap = 0.0;
        for (int32_t k = 0; k < pair->rows; k++)
            gap = fmin(gap, contacts->rows.data[pair->first + k].gap);
        double size =
            fmin(rigid_size(bodies, (size_t)pair->a), rigid_size(bodies, (size_t)pair->b));
        if (gap > -1e-3 * size) continue;
        overlapping++;
        if (++named > MOST_NAMED) continue;
        context_log(bodies->context, PLIM_LOG_WARNING,
                    "rigid bodies '%s' and '%s' overlap by %.3g m at the start; they are pushed "
                    "apart, move one of them",
                    bodies->extras.data[pair->a].name, bodies->extras.data[pair->b].name, -gap);
    }
    if (overlapping > MOST_NAMED)
        context_log(bodies->context, PLIM_LOG_WARNING, "%zu more pairs of rigid bodies overlap",
                    overlapping - MOST_NAMED);
}
