/* Collision detection: which bodies may meet in this step, and where (000 section 2.4). */
#include "base/hash.h"
#include "base/parallel.h"
#include "base/random.h"
#include "rigid/contact/collision_groups.h"
#include "rigid/contact/deep_overlap.h"
#include "rigid/contact/seams.h"
#include "rigid/contact/surface_pairs.h"
#include "rigid/forces.h"
#include "rigid/plane.h"
#include "rigid/still_surfaces.h"

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

/* Where contact sees the surface of a partner. */
static Frame contact_frame(const RigidBodies *b, size_t i) {
    if (rigid_is_still_surface(b, i)) return still_surface_frame(rigid_still_surface(b, i));
    if (!b->options.plane) return rigid_frame(b, i);
    return plane_frame(b, i, vec3_load(b->position + 3 * i), quat_load(b->orientation + 4 * i));
}

/* Half the diagonal of the box around a partner, seen from its centre, m. */
static double reach_of(const RigidBodies *b, size_t i) {
    if (rigid_is_still_surface(b, i)) return HUGE_VAL;
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
    if (body->moves) fall += step->dt * forces_load_acceleration(b, i);
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
        if (body->moves) speed += step->dt * forces_load_acceleration(b, side ? j : i);
    }
    return step->dt * (speed + step->dt * vec3_length(step->gravity)) + slack;
}

typedef struct DetectJob {
    const RigidBodies *bodies;
    const StepInfo *step;
    const Frame *frames;
    const DeepOverlaps *overlaps;
    CollideShape half_space; /* of still surfaces, in their own axes */
    PlaneShape half_plane;
    ContactPoints *out;
} DetectJob;

static const PlaneShape *cut_of(const DetectJob *job, size_t i) {
    return rigid_is_still_surface(job->bodies, i) ? &job->half_plane
                                                  : &job->bodies->cuts.data[i].shape;
}

static const CollideShape *shape_of(const DetectJob *job, size_t i) {
    return rigid_is_still_surface(job->bodies, i) ? &job->half_space
                                                  : &rigid_shape(job->bodies, i)->collide;
}

static void detect_pairs(void *user, size_t begin, size_t end) {
    const DetectJob *job = user;
    const BroadPair *near = job->bodies->contacts.near.items.data;
    for (size_t p = begin; p < end; p++) {
        size_t a = (size_t)near[p].a, b = (size_t)near[p].b;
        double margin = approach_of(job->bodies, a, b, job->step);
        if (job->bodies->options.plane)
            plane_contact(cut_of(job, a), &job->frames[a], cut_of(job, b), &job->frames[b], margin,
                          &job->out[p]);
        else
            collide_shapes(shape_of(job, a), &job->frames[a], shape_of(job, b), &job->frames[b],
                           margin, &job->out[p]);
        if (deep_overlaps_hold(job->overlaps, near[p])) deep_overlaps_keep_deepest(&job->out[p]);
    }
}

/* ---- pairs and rows ---- */

/* Radius of the ball that is as large as the smaller body of a pair that forces move. */
static double curve_of(const RigidBodies *b, size_t i, size_t j) {
    double radius = HUGE_VAL;
    if (rigid_is_dynamic(b, i)) radius = rigid_ball_radius(b, i);
    if (rigid_is_dynamic(b, j)) radius = fmin(radius, rigid_ball_radius(b, j));
    return radius;
}

/* What a partner's surface is made of. */
typedef struct ContactSurface {
    double friction, kinetic, restitution, rolling, spinning;
} ContactSurface;

static ContactSurface surface_of(const RigidBodies *b, size_t i) {
    if (rigid_is_still_surface(b, i)) {
        const StillSurface *still = rigid_still_surface(b, i);
        const StillMaterial *material = &still->material;
        return (ContactSurface){material->friction, material->kinetic_friction,
                                material->restitution, 0.0, 0.0};
    }
    return (ContactSurface){b->friction[i], b->kinetic_friction[i], b->restitution[i],
                            b->rolling_friction[i], b->spinning_friction[i]};
}

/* That of the surface with more friction at rest; of equal ones the lesser. */
static double kinetic_of(const ContactSurface *a, const ContactSurface *b) {
    if (a->friction == b->friction) return fmin(a->kinetic, b->kinetic);
    return a->friction > b->friction ? a->kinetic : b->kinetic;
}

/* Of two thin shells it is the wall that counts: overlaps that others tolerate would be as thick.
 */
static double pair_size(const RigidBodies *b, size_t i, size_t j) {
    const double walls = 10.0;
    double size = fmin(rigid_size(b, i), rigid_size(b, j));
    double wall = fmin(rigid_wall(b, i), rigid_wall(b, j));
    return wall > 0.0 ? fmin(size, walls * wall) : size;
}

static ContactPair describe_pair(const RigidBodies *b, BroadPair near) {
    size_t i = (size_t)near.a, j = (size_t)near.b;
    ContactSurface of_i = surface_of(b, i), of_j = surface_of(b, j);
    ContactPair pair = {.a = near.a,
                        .b = near.b,
                        .friction = fmax(of_i.friction, of_j.friction),
                        .kinetic = kinetic_of(&of_i, &of_j),
                        .restitution =
                            surface_pairs_restitution(b, of_i.restitution, of_j.restitution),
                        .rolling = fmax(of_i.rolling, of_j.rolling),
                        .spinning = fmax(of_i.spinning, of_j.spinning),
                        .curve = curve_of(b, i, j),
                        .size = pair_size(b, i, j)};
    surface_pairs_look_up(b, &pair);
    return pair;
}

static bool keep_pair(RigidBodies *bodies, const StepInfo *step, const DeepOverlaps *overlaps,
                      BroadPair near, const ContactPoints *points) {
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
        surface_pairs_run(bodies, step, &pair, &row);
        row_prepare(&row, a, b);
        if (!(row.normal_response < HELD_RESPONSE)) continue; /* both are held */
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
            if (rigid_is_still_surface(bodies, (size_t)body)) continue;
            RigidShape *shape = &bodies->shapes.shapes.data[bodies->shape[body]];
            PlimStatus status = shape_prepare_contact(bodies->context, shape);
            if (status != PLIM_OK)
                return context_fail(bodies->context, status, "rigid body '%s': %s",
                                    bodies->extras.data[body].name, bodies->context->message);
        }
    }
    return PLIM_OK;
}

/* Points that would run into a seam between flush bodies go. */
static PlimStatus drop_ghosts(const DetectJob *job, const Box3 *boxes) {
    const RigidBodies *bodies = job->bodies;
    size_t mark = scratch_mark(job->step->scratch), count = rigid_partner_count(bodies);
    SeamSurface *surfaces = scratch_take(job->step->scratch, count, sizeof *surfaces);
    double *reach = scratch_take(job->step->scratch, count, sizeof *reach);
    if (!surfaces || !reach) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) {
        bool plane = bodies->options.plane;
        reach[i] = reach_of(bodies, i);
        surfaces[i] = (SeamSurface){plane ? NULL : shape_of(job, i), plane ? cut_of(job, i) : NULL,
                                    &job->frames[i]};
    }
    SeamSearch search = {surfaces, boxes, reach, job->out};
    PlimStatus status = contacts_drop_ghosts(bodies, job->step, &search);
    scratch_release(job->step->scratch, mark);
    return status;
}

static PlimStatus detect_in_boxes(RigidBodies *bodies, const StepInfo *step, const Frame *frames,
                                  const Box3 *boxes) {
    RigidContacts *contacts = &bodies->contacts;
    TRY(prepare_shapes(bodies));
    DeepOverlaps overlaps;
    TRY(deep_overlaps_find(bodies, step, frames, &overlaps));
    deep_overlaps_thin(&overlaps, contacts);
    size_t near = contacts->near.items.count;
    ContactPoints *found = scratch_take(step->scratch, near, sizeof *found);
    if (!found) return PLIM_OUT_OF_MEMORY;
    DetectJob job = {.bodies = bodies,
                     .step = step,
                     .frames = frames,
                     .overlaps = &overlaps,
                     .half_plane = plane_shape_half(vec3(0, 1, 0), 0.0),
                     .out = found};
    const Solid below = solid_default(SOLID_HALF_SPACE);
    TRY(collide_shape_create(bodies->context, &(CollideShapeDesc){.primitive = &below},
                             &job.half_space)); /* takes no memory */
    parallel_for(step->threads, near, PAIR_GRAIN, detect_pairs, &job);
    TRY(drop_ghosts(&job, boxes));
    contacts->pairs.count = contacts->rows.count = 0;
    for (size_t p = 0; p < near; p++)
        if (!keep_pair(bodies, step, &overlaps, contacts->near.items.data[p], &found[p]))
            return PLIM_OUT_OF_MEMORY;
    return PLIM_OK;
}

/* Pairs of which neither body is active need no look: they rest, or forces do not move them. */
static bool is_active(const RigidBodies *bodies, size_t i) {
    const SolverBody *body = &bodies->contacts.solver_bodies.data[i];
    if (body->moves) return !bodies->asleep[i];
    return vec3_dot(body->velocity, body->velocity) + vec3_dot(body->spin, body->spin) > 0.0;
}

PlimStatus contacts_detect(RigidBodies *bodies, const StepInfo *step) {
    RigidContacts *contacts = &bodies->contacts;
    size_t count = rigid_partner_count(bodies), mark = scratch_mark(step->scratch);
    Frame *frames = scratch_take(step->scratch, count, sizeof *frames);
    Box3 *boxes = scratch_take(step->scratch, count, sizeof *boxes);
    bool *active = scratch_take(step->scratch, count, sizeof *active);
    if (!frames || !boxes || !active) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) {
        bool still = rigid_is_still_surface(bodies, i);
        frames[i] = contact_frame(bodies, i);
        boxes[i] = still ? still_surface_box(rigid_still_surface(bodies, i))
                         : box3_grow(rigid_box(bodies, i),
                                     travel_of(bodies, i, step) + 0.5 * rigid_wall(bodies, i));
        active[i] = is_active(bodies, i);
    }
    PlimStatus status =
        broad_pairs(bodies->context, step->scratch, boxes, active, count, &contacts->near);
    if (status == PLIM_OK && bodies->still_surfaces.count > 0) still_surfaces_part_rooms(bodies);
    if (status == PLIM_OK) collision_groups_part(bodies);
    if (status == PLIM_OK) status = detect_in_boxes(bodies, step, frames, boxes);
    scratch_release(step->scratch, mark);
    return status;
}

static void prepare_rows(RigidBodies *bodies, bool keep_guess) {
    RigidContacts *contacts = &bodies->contacts;
    for (size_t p = 0; p < contacts->pairs.count; p++) {
        ContactPair *pair = &contacts->pairs.data[p];
        const SolverBody *a = &contacts->solver_bodies.data[pair->a],
                         *b = &contacts->solver_bodies.data[pair->b];
        pair->energy = pair->raised = 0.0;
        for (int32_t k = 0; k < pair->rows; k++) {
            ContactRow *row = &contacts->rows.data[pair->first + k];
            Vec3 guess = row->guess, couple = row->guess_couple;
            row_prepare(row, a, b);
            if (!keep_guess) continue;
            row->guess = guess;
            row->guess_couple = couple;
        }
    }
}

void contacts_prepare(RigidBodies *bodies) {
    prepare_rows(bodies, false);
}

void contacts_renew(RigidBodies *bodies) {
    prepare_rows(bodies, true);
}

void contacts_renew_responses(RigidBodies *bodies) {
    RigidContacts *contacts = &bodies->contacts;
    if (bodies->joints.held.count == 0) return;
    for (size_t p = 0; p < contacts->pairs.count; p++) {
        const ContactPair *pair = &contacts->pairs.data[p];
        const SolverBody *a = &contacts->solver_bodies.data[pair->a],
                         *b = &contacts->solver_bodies.data[pair->b];
        for (int32_t k = 0; k < pair->rows; k++)
            row_update_response(&contacts->rows.data[pair->first + k], a, b);
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

static const char *partner_name(const RigidBodies *bodies, size_t i) {
    return rigid_is_still_surface(bodies, i) ? rigid_still_surface(bodies, i)->name
                                             : bodies->extras.data[i].name;
}

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
                    partner_name(bodies, (size_t)pair->a), partner_name(bodies, (size_t)pair->b),
                    -gap);
    }
    if (overlapping > MOST_NAMED)
        context_log(bodies->context, PLIM_LOG_WARNING, "%zu more pairs of rigid bodies overlap",
                    overlapping - MOST_NAMED);
}
