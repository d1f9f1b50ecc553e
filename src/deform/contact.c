/* Contact of deformable solids with rigid surfaces (002 sections 4.4, 4.5, 4.7.2, 4.7.3): nodes
 * against distances, without bounce. While a contact presses, its normal velocity is given inside
 * the solves, and so is the whole velocity of what friction holds. Friction of what slides is the
 * gradient of the convex potential mu j |u| of its velocity u along the surface, rounded off below
 * a very small speed, with the pressure j of the last turn. Which presses and which holds is found
 * by turns of solving and judging (an active set). */
#include "deform/internal.h"
#include "grid/difference.h"

#include <string.h>

/* Of the least extent of a collider: a way as long as that cannot lead through it unseen. */
static const double seen_part = 0.25;

/* The least extent of a body; none where it has no end. */
static double thickness(const Collider *collider, int dim) {
    Box3 box = solid_bounds(collider->solid);
    double least = HUGE_VAL;
    for (int axis = 0; axis < dim; axis++) {
        double size = vec3_component(box.high, axis) - vec3_component(box.low, axis);
        if (isfinite(size)) least = fmin(least, size);
    }
    return least;
}

static Collider carried_on(const Collider *now, double dt) {
    Collider next = *now;
    next.position = vec3_add_scaled(now->position, dt, now->velocity);
    next.orientation = quat_normalize(
        quat_multiply(quat_exp(vec3_scale(dt, now->angular_velocity)), now->orientation));
    return next;
}

/* Free bodies go where the solve takes them. */
void contact_aim_bodies(Deform *d, double dt) {
    for (size_t b = 0; b < d->pushed.count; b++) {
        DeformPushed *body = &d->pushed.data[b];
        DeformCollider *collider = &d->colliders.data[body->collider];
        Collider now = collider->now;
        now.velocity = vec3_load(body->kept);
        now.angular_velocity = vec3_scale(1 / body->length, vec3_load(body->kept + 3));
        memcpy(body->aimed, body->kept, sizeof body->aimed);
        collider->next = carried_on(&now, dt);
        collider->reach = box3_grow(collider_bounds(&collider->next), d->sheet_offset);
    }
}

static void find_outward(Deform *d) {
    if (d->colliders.count == 0) return;
    memset(d->outward.data, 0, 3 * deform_count(d, DEFORM_NODES) * sizeof(double));
    for (size_t f = 0; f < deform_count(d, DEFORM_FACES); f++) {
        Vec3 normal = deform_face_normal(d, f, d->position);
        for (int c = 0; c < d->options.dim; c++) {
            double *to = d->outward.data + 3 * d->face_corners[3 * f + (size_t)c];
            vec3_store(to, vec3_add(vec3_load(to), normal));
        }
    }
}

void contact_begin(Deform *d, const StepInfo *step) {
    d->contacts.count = 0;
    find_outward(d);
    for (size_t k = 0; k < d->colliders.count; k++) {
        DeformCollider *collider = &d->colliders.data[k];
        Surface surface = surface_describe(&collider->ref);
        collider->now.solid = surface.solid;
        collider->belt = surface.belt;
        surface_read(&collider->ref, &collider->now);
        collider->thick = thickness(&collider->now, d->options.dim);
        collider->next = carried_on(&collider->now, step->dt);
        if (collider->ref.class->read_ahead)
            collider->ref.class->read_ahead(collider->ref.system, collider->ref.surface,
                                            step->end_time, &collider->next);
        collider->reach = box3_grow(collider_bounds(&collider->next), d->sheet_offset);
    }
    contact_aim_bodies(d, step->dt);
}

static double distance_at(const void *user, Vec3 x) {
    return collider_distance(user, x);
}

static Vec3 normal_at(const Deform *d, const Collider *collider, Vec3 x) {
    double step = 1e-5 * d->bodies.data[0].size;
    if (!(step > 0)) step = 1e-6;
    return vec3_normalize(central_differences(distance_at, collider, x, step, d->options.dim));
}

/* ---- finding ---- */

static DeformContact *find_contact(Deform *d, size_t first, size_t node, size_t collider) {
    for (size_t k = first; k < d->contacts.count && d->contacts.data[k].node == node; k++)
        if (d->contacts.data[k].collider == collider) return &d->contacts.data[k];
    return NULL;
}

static Vec3 to_own(const Collider *collider, Vec3 x) {
    return quat_rotate_inverse(collider->orientation, vec3_sub(x, collider->position));
}

/* By halving: nodes of a body follow those of the one before. */
static const DeformBody *body_of(const Deform *d, size_t node) {
    size_t low = 0, high = d->bodies.count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (d->bodies.data[middle].first[DEFORM_NODES] <= node)
            low = middle;
        else
            high = middle;
    }
    return &d->bodies.data[low];
}

/* Sheets lie half their thickness above a surface, so that it does not show between their nodes. */
static double offset_of(const DeformBody *body) {
    return body->is_sheet ? 0.5 * body->thickness : 0.0;
}

/* m, below 0: how far inside a node may end that begins there, for collisions of meshes pressed it
 * in. It comes out by a tenth in a usual step and by as much less in a shorter one: the layers that
 * it takes along would fly off otherwise, and make the next step shorter still. */
static double allowed_depth(const Deform *d, const Collider *now, double offset, Vec3 from) {
    double usual = d->step_limit[3], dt = d->step_end - d->step_start;
    double part = 1 - 0.1 * (dt < usual ? dt / usual : 1.0);
    if (d->self_faces.count == 0) return 0.0;
    return part * fmin(0.0, collider_distance(now, from) - offset);
}

/* Where the way of a node, seen from the collider, first enters it: where it would end, the nearest
 * face is often another one, beside an edge or beyond the middle of a plate. What begins inside
 * enters at the surface beside its start, what stays outside at its end. */
static Vec3 entry_point(const Deform *d, const DeformCollider *collider, double offset, Vec3 from,
                        Vec3 to) {
    enum { HALVINGS = 30 };
    const Solid *solid = collider->now.solid;
    Vec3 start = to_own(&collider->now, from), end = to_own(&collider->next, to);
    double first = solid_distance(solid, start) - offset;
    if (!(solid_distance(solid, end) < offset)) return to;
    double outside = 0, inside = first > 0 ? 1 : 0;
    for (int k = 0; k < HALVINGS && first > 0; k++) {
        double middle = 0.5 * (outside + inside);
        Vec3 x = vec3_add_scaled(start, middle, vec3_sub(end, start));
        if (solid_distance(solid, x) < offset)
            inside = middle;
        else
            outside = middle;
    }
    Vec3 x = vec3_add_scaled(start, outside, vec3_sub(end, start));
    x = vec3_add(collider->next.position, quat_rotate(collider->next.orientation, x));
    return first > 0 ? x : vec3_add_scaled(x, -first, normal_at(d, &collider->next, x));
}

/* Whether a way that ends outside may lead through: before contact is known a taut sheet flies from
 * below a heavy ball to above it. */
static bool may_pass(const DeformCollider *collider, Vec3 from, Vec3 to) {
    if (!(vec3_length(vec3_sub(to, from)) > seen_part * collider->thick)) return false;
    Box3 way = box3_add_point(box3_add_point(box3_empty(), from), to);
    return box3_overlap(collider->reach, way);
}

/* Looks along that way, seen from the collider, for the first place inside, where it is then. */
static bool find_passage(const DeformCollider *collider, double offset, Vec3 from, Vec3 *to) {
    enum { MOST_LOOKS = 200 };
    const Solid *solid = collider->now.solid;
    Vec3 start = to_own(&collider->now, from), end = to_own(&collider->next, *to);
    Vec3 way = vec3_sub(end, start);
    double looks = ceil(vec3_length(way) / (seen_part * collider->thick));
    int count = (int)fmin(looks, MOST_LOOKS);
    for (int k = 1; k < count; k++) {
        Vec3 x = vec3_add_scaled(start, (double)k / count, way);
        if (!(solid_distance(solid, x) < offset)) continue;
        *to = vec3_add(collider->next.position, quat_rotate(collider->next.orientation, x));
        return true;
    }
    return false;
}

/* The velocity at which its material comes to x in the step. */
static Vec3 way_of(const DeformCollider *collider, Vec3 x, double dt) {
    Vec3 from = quat_rotate(collider->now.orientation, to_own(&collider->next, x));
    return vec3_scale(1 / dt, vec3_sub(x, vec3_add(collider->now.position, from)));
}

/* 1: the surface at the node looks straight into a face with this normal. Sheets have two sides. */
static double facing(const Deform *d, const DeformBody *body, size_t node, Vec3 normal) {
    Vec3 out = vec3_load(d->outward.data + 3 * node);
    double length = vec3_length(out), along = vec3_dot(out, normal);
    if (!(length > 0)) return 0;
    return (body->is_sheet ? fabs(along) : -along) / length;
}

/* A node that enters through one face beside another one which its surface looks at touches that
 * one. A crate that slides over a soft bed presses it in below, and would run into every node that
 * it comes to; a soft block would at seams of tiles. */
static void choose_face(const Deform *d, DeformContact *contact, const Collider *collider,
                        double offset, Vec3 *entry) {
    const double beside = 0.1, clearly = 0.5; /* of an element's edge; of `facing` */
    const DeformBody *body = body_of(d, contact->node);
    double reach = beside * body->edge, seen = facing(d, body, contact->node, contact->normal);
    if (!(reach > 0) || seen > 1 - clearly) return;
    Vec3 inside = vec3_add_scaled(*entry, -reach, contact->normal);
    double depth = offset - collider_distance(collider, inside);
    if (!(depth > -1e-6 * reach && depth < 0.99 * reach)) return;
    Vec3 other = normal_at(d, collider, inside);
    if (!(facing(d, body, contact->node, other) > seen + clearly)) return;
    contact->normal = other;
    *entry = vec3_add_scaled(inside, depth, other);
}

/* Where contact is, and the velocity along the normal that leads just to the surface; y: where the
 * node ends, or where it was seen inside before that. */
static void aim(const Deform *d, DeformContact *contact, Vec3 v, double gap, Vec3 y, double dt) {
    const DeformCollider *collider = &d->colliders.data[contact->collider];
    Vec3 x = vec3_load(d->position + 3 * contact->node), end = vec3_add_scaled(x, dt, v);
    if (collider->pushed >= 0)
        contact->arm = vec3_scale(1 / d->pushed.data[collider->pushed].length,
                                  vec3_sub(y, collider->next.position));
    double offset = offset_of(body_of(d, contact->node));
    offset += allowed_depth(d, &collider->now, offset, x);
    Vec3 entry = entry_point(d, collider, offset, x, y);
    contact->normal = normal_at(d, &collider->next, entry);
    choose_face(d, contact, &collider->next, offset, &entry);
    Vec3 belt = quat_rotate(collider->next.orientation, collider->belt);
    belt = vec3_add_scaled(belt, -vec3_dot(belt, contact->normal), contact->normal);
    contact->base = vec3_add(way_of(collider, y, dt), belt);
    if (d->options.dim == 2) contact->base.z = 0;
    double deep = vec3_dot(vec3_sub(end, entry), contact->normal);
    contact->target = vec3_dot(contact->normal, v) - (deep != 0 ? deep : gap) / dt;
}

Vec3 contact_base(const Deform *d, const DeformContact *contact) {
    int32_t number = d->colliders.data[contact->collider].pushed;
    if (number < 0) return contact->base;
    const DeformPushed *body = &d->pushed.data[number];
    double more[6];
    for (int k = 0; k < 6; k++) more[k] = body->next[k] - body->aimed[k];
    Vec3 base = vec3_add(contact->base, pushed_velocity(more, contact->arm));
    if (d->options.dim == 2) base.z = 0;
    return base;
}

static Vec3 along_surface(const Deform *d, const DeformContact *contact, Vec3 v) {
    Vec3 relative = vec3_sub(v, contact_base(d, contact));
    return vec3_add_scaled(relative, -vec3_dot(relative, contact->normal), contact->normal);
}

/* The first guess: as hard as it pressed in the last step, sliding if that does not stop it. */
static void start_contact(const Deform *d, DeformContact *contact, double h, double dt) {
    const DeformBody *body = body_of(d, contact->node);
    const DeformCollider *collider = &d->colliders.data[contact->collider];
    contact->friction = fmax(body->friction, collider->friction);
    contact->kinetic = fmax(body->kinetic_friction, collider->kinetic_friction);
    contact->presses = true;
    contact->slow = 1e-6 * body->size / dt;
    Vec3 way = along_surface(d, contact, vec3_load(d->velocity + 3 * contact->node));
    Vec3 force = vec3_load(d->reaction + 3 * contact->node);
    contact->pressed = fmax(0.0, h * vec3_dot(force, contact->normal));
    contact->holds = contact->friction > 0 && !(d->mass[contact->node] * vec3_length(way) >
                                                contact->friction * contact->pressed);
}

/* Contacts stay sorted by node: found ones are merged in behind those of lower nodes. */
static bool insert_contact(Deform *d, DeformContact contact) {
    if (!array_reserve(d->context, &d->contacts, 1)) return false;
    size_t at = d->contacts.count++;
    for (; at > 0 && d->contacts.data[at - 1].node > contact.node; at--)
        d->contacts.data[at] = d->contacts.data[at - 1];
    d->contacts.data[at] = contact;
    return true;
}

static size_t first_of_node(const Deform *d, size_t node) {
    size_t low = 0, high = d->contacts.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (d->contacts.data[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Looks at one node and one collider; true when something changed. */
static bool look(Deform *d, const StepInfo *step, const ContactView *view, size_t i, size_t k) {
    const DeformCollider *collider = &d->colliders.data[k];
    Vec3 v = vec3_load(view->v + 3 * i), x = vec3_load(d->position + 3 * i);
    Vec3 y = vec3_add_scaled(x, step->dt, v);
    DeformContact *known = find_contact(d, first_of_node(d, i), i, k);
    bool may_go_through = !known && may_pass(collider, x, y);
    if (!known && !may_go_through && !box3_contains(collider->reach, y)) return false;
    const DeformBody *body = body_of(d, i);
    double offset = offset_of(body), fine = 1e-7 * body->size;
    offset += allowed_depth(d, &collider->now, offset, x);
    double gap = collider_distance(&collider->next, y) - offset;
    if (known && known->presses) {
        aim(d, known, v, gap, y, step->dt);
        return fabs(gap) > fine;
    }
    bool passes = may_go_through && !(gap < 0.0) && find_passage(collider, offset, x, &y);
    if (!passes && !(gap < (known ? -fine : 0.0))) return false;
    if (known) { /* it let go and comes back */
        known->presses = ++known->changes < 8;
        aim(d, known, v, gap, y, step->dt);
        return known->presses;
    }
    DeformContact contact = {.node = i, .collider = k};
    aim(d, &contact, v, gap, y, step->dt);
    start_contact(d, &contact, view->h, step->dt);
    return insert_contact(d, contact);
}

static bool find_all(Deform *d, const StepInfo *step, const ContactView *view) {
    bool changed = false;
    for (size_t n = 0; n < d->outer_nodes.count; n++) {
        size_t i = (size_t)d->outer_nodes.data[n];
        for (size_t k = 0; !d->is_pinned[i] && k < d->colliders.count; k++)
            changed = look(d, step, view, i, k) || changed;
    }
    return changed;
}

/* ---- judging ---- */

/* What holds may slide, what slides may hold. */
static bool judge_friction(const Deform *d, DeformContact *contact, Vec3 impulse, Vec3 v) {
    enum { MOST_CHANGES = 6 };
    Vec3 across = vec3_add_scaled(impulse, -vec3_dot(impulse, contact->normal), contact->normal);
    bool holds = contact->holds;
    if (holds)
        holds = vec3_length(across) <= contact->friction * contact->pressed * (1 + 1e-9);
    else if (contact->changes < MOST_CHANGES)
        holds = contact->friction > 0 && vec3_length(along_surface(d, contact, v)) < contact->slow;
    if (holds == contact->holds) return false;
    contact->holds = holds;
    contact->changes++;
    return true;
}

static bool judge_all(Deform *d, const ContactView *view) {
    bool changed = false;
    double most = 0, differs = 0;
    for (size_t k = 0; k < d->contacts.count; k++) {
        DeformContact *contact = &d->contacts.data[k];
        if (!contact->presses) continue;
        Vec3 impulse = vec3_load(view->residual + 3 * contact->node);
        double before = contact->pressed;
        contact->pressed = fmax(0.0, vec3_dot(impulse, contact->normal));
        most = fmax(most, contact->pressed);
        if (!contact->holds && contact->kinetic > 0)
            differs = fmax(differs, fabs(contact->pressed - before));
        if (vec3_dot(impulse, contact->normal) < 0) {
            contact->presses = contact->holds = false;
            changed = true;
            continue;
        }
        Vec3 v = vec3_load(view->v + 3 * contact->node);
        changed = judge_friction(d, contact, impulse, v) || changed;
    }
    return changed || differs > 1e-3 * most;
}

bool contact_update(Deform *d, const StepInfo *step, const ContactView *view) {
    bool changed = view->residual && judge_all(d, view);
    if (view->finds) contact_aim_bodies(d, step->dt);
    return (view->finds && find_all(d, step, view)) || changed;
}

/* ---- into the solve ---- */

/* Takes a direction out of what is free, and gives the velocity along it; `taken` times a velocity
 * is what that changes. A node between two walls
 * that are nearly parallel would be sent far along them to satisfy both: it yields into the second.
 */
static void hold_direction(double *filter, int dim, Vec3 normal, double target, double *v,
                           double *taken) {
    const double least = 1e-2; /* sine squared of the angle between them */
    double q[3], n[3], length = 0, along = 0;
    vec3_store(n, normal);
    for (int i = 0; i < dim; i++) {
        q[i] = 0;
        for (int j = 0; j < dim; j++) q[i] += filter[dim * i + j] * n[j];
        length += q[i] * q[i];
        along += n[i] * v[i];
    }
    for (int i = 0; i < dim * dim; i++) taken[i] = 0;
    if (!(length > least)) return;
    for (int i = 0; i < dim; i++) {
        v[i] += q[i] / length * (target - along);
        for (int j = 0; j < dim; j++) taken[dim * i + j] = q[i] / length * n[j];
        for (int j = 0; j < dim; j++) filter[dim * i + j] -= q[i] * q[j] / length;
    }
}

static void hold_all(double *filter, int dim, Vec3 velocity, double *v, double *taken) {
    double to[3], change[3];
    vec3_store(to, velocity);
    for (int i = 0; i < dim; i++) {
        change[i] = 0;
        for (int j = 0; j < dim; j++) change[i] += filter[dim * i + j] * (to[j] - v[j]);
    }
    for (int i = 0; i < dim; i++) v[i] += change[i];
    for (int i = 0; i < dim * dim; i++) taken[i] = filter[i];
    for (int i = 0; i < dim * dim; i++) filter[i] = 0;
}

void contact_apply(Deform *d, double *v) {
    int dim = d->options.dim;
    size_t block = (size_t)(dim * dim);
    double taken[9];
    deform_filter_pins(d);
    d->pushes = false;
    for (size_t b = 0; b < d->pushed.count; b++) d->pushed.data[b].is_touched = false;
    for (size_t k = 0; k < d->contacts.count; k++) {
        const DeformContact *contact = &d->contacts.data[k];
        size_t i = contact->node;
        if (!contact->presses) continue;
        d->is_held[i] = 1;
        if (contact->holds) {
            double rise = contact->target - vec3_dot(contact->base, contact->normal);
            hold_all(d->filter + block * i, dim,
                     vec3_add_scaled(contact->base, rise, contact->normal), v + 3 * i, taken);
        } else {
            hold_direction(d->filter + block * i, dim, contact->normal, contact->target, v + 3 * i,
                           taken);
        }
        if (d->pushed.count > 0) pushed_follow(d, k, taken);
    }
    pushed_let_go(d);
}

static bool slides(const DeformContact *contact) {
    return contact->presses && !contact->holds && contact->kinetic * contact->pressed > 0;
}

/* mu j (|u|, or u^2 / (2 slow) + slow / 2 below it). */
double contact_friction(Deform *d, const double *v, double *slide) {
    double energy = 0;
    for (size_t i = 0; i < 3 * deform_count(d, DEFORM_NODES); i++) slide[i] = 0;
    for (size_t b = 0; b < d->pushed.count; b++)
        memset(d->pushed.data[b].rubbed, 0, sizeof d->pushed.data[b].rubbed);
    for (size_t k = 0; k < d->contacts.count; k++) {
        const DeformContact *contact = &d->contacts.data[k];
        if (!slides(contact)) continue;
        double *to = slide + 3 * contact->node, most = contact->kinetic * contact->pressed;
        Vec3 way = along_surface(d, contact, vec3_load(v + 3 * contact->node));
        double speed = vec3_length(way), slow = contact->slow;
        energy += most * (speed < slow ? 0.5 * (speed * speed / slow + slow) : speed);
        vec3_store(to, vec3_add_scaled(vec3_load(to), -most / fmax(speed, slow), way));
        int32_t pushed = d->colliders.data[contact->collider].pushed;
        if (pushed >= 0)
            pushed_add_impulse(d->pushed.data[pushed].rubbed, contact->arm,
                               vec3_scale(-most / fmax(speed, slow), way));
    }
    return energy;
}

/* Its second derivative: mu j / |u| across u, nothing along it; mu j / slow both ways below. */
void contact_add_stiffness(Deform *d, const double *v) {
    int dim = d->options.dim;
    for (size_t k = 0; k < d->contacts.count; k++) {
        DeformContact *contact = &d->contacts.data[k];
        contact->rub = 0;
        if (!slides(contact)) continue;
        double most = contact->kinetic * contact->pressed, n[3], along[3];
        Vec3 way = along_surface(d, contact, vec3_load(v + 3 * contact->node));
        double speed = vec3_length(way), factor = most / fmax(speed, contact->slow);
        contact->rub = factor;
        contact->along = speed > contact->slow ? vec3_scale(1 / speed, way) : vec3(0, 0, 0);
        vec3_store(n, contact->normal);
        vec3_store(along, contact->along);
        double *to = d->matrix.value +
                     (size_t)(dim * dim) * block_csr_find(&d->matrix, contact->node, contact->node);
        for (int i = 0; i < dim; i++)
            for (int j = 0; j < dim; j++)
                to[dim * i + j] +=
                    factor * ((i == j ? 1.0 : 0.0) - n[i] * n[j] - along[i] * along[j]);
    }
}

/* Where nothing else joins nodes, each loses what friction takes, at most all. */
void contact_slow_down(const Deform *d, double *v, double *slide) {
    for (size_t i = 0; i < 3 * deform_count(d, DEFORM_NODES); i++) slide[i] = 0;
    for (size_t k = 0; k < d->contacts.count; k++) {
        const DeformContact *contact = &d->contacts.data[k];
        if (!slides(contact)) continue;
        size_t i = contact->node;
        Vec3 way = along_surface(d, contact, vec3_load(v + 3 * i));
        double momentum = d->mass[i] * vec3_length(way);
        double part = fmin(1.0, contact->kinetic * contact->pressed / fmax(momentum, 1e-300));
        vec3_store(v + 3 * i, vec3_add_scaled(vec3_load(v + 3 * i), -part, way));
        vec3_store(slide + 3 * i, vec3_scale(-part * d->mass[i], way));
    }
}

/* ---- at the end of the step ---- */

void contact_at_end(Deform *d) {
    for (size_t k = 0; k < d->contacts.count; k++) {
        DeformContact *contact = &d->contacts.data[k];
        contact->target = vec3_dot(contact->base, contact->normal);
        contact->changes = 0;
    }
}

/* Of one contact, given the velocity without any: its impulse along the normal is what stops the
 * approach, and friction follows from that. */
static Vec3 final_velocity(const Deform *d, const DeformContact *contact, Vec3 v) {
    double stopped = vec3_dot(vec3_sub(contact->base, v), contact->normal);
    if (contact->holds) return contact->base;
    if (!(stopped > 0)) return v;
    v = vec3_add_scaled(v, stopped, contact->normal);
    Vec3 way = along_surface(d, contact, v);
    double speed = vec3_length(way), taken = contact->kinetic * stopped;
    return taken >= speed ? vec3_sub(v, way) : vec3_add_scaled(v, -taken / speed, way);
}

/* 002 section 4.7.2: what contact did in the middle of the step does not count twice. */
void contact_final_velocities(Deform *d, double dt) {
    for (size_t k = 0; k < d->contacts.count; k++) {
        const DeformContact *contact = &d->contacts.data[k];
        size_t i = contact->node;
        if (!contact->presses) continue;
        Vec3 v = vec3_load(d->velocity + 3 * i);
        bool first = k == 0 || d->contacts.data[k - 1].node != i;
        if (first) v = vec3_add_scaled(v, -dt / d->mass[i], vec3_load(d->reaction + 3 * i));
        vec3_store(d->velocity + 3 * i, v);
    }
    for (size_t b = 0; b < d->pushed.count; b++) push_stop(d, b);
    for (size_t k = 0; k < d->contacts.count; k++) {
        const DeformContact *contact = &d->contacts.data[k];
        size_t i = contact->node;
        bool is_done = d->colliders.data[contact->collider].pushed >= 0; /* by push_stop */
        if (!contact->presses || is_done) continue;
        Vec3 v = final_velocity(d, contact, vec3_load(d->velocity + 3 * i));
        if (d->options.dim == 2) v.z = 0;
        vec3_store(d->velocity + 3 * i, v);
    }
}

void contact_push_out(Deform *d) {
    d->figures.contacts = d->figures.penetration = 0;
    for (size_t k = 0; k < d->contacts.count; k++)
        d->figures.contacts += d->contacts.data[k].presses;
    for (size_t k = 0; k < d->colliders.count; k++) {
        DeformCollider *collider = &d->colliders.data[k];
        Collider before = collider->now;
        surface_read(&collider->ref, &collider->now);
        Box3 reach = box3_grow(collider_bounds(&collider->now), d->sheet_offset);
        for (size_t n = 0; n < d->outer_nodes.count; n++) {
            size_t i = (size_t)d->outer_nodes.data[n];
            Vec3 x = vec3_load(d->position + 3 * i);
            if (d->is_pinned[i] || !box3_contains(reach, x)) continue;
            double offset = offset_of(body_of(d, i));
            double gap = collider_distance(&collider->now, x) - offset;
            if (!(gap < 0)) continue;
            d->figures.penetration = fmax(d->figures.penetration, -gap);
            gap -= allowed_depth(d, &before, offset, vec3_load(d->position_before + 3 * i));
            if (!(gap < 0)) continue;
            x = vec3_add_scaled(x, -gap, normal_at(d, &collider->now, x));
            if (d->options.dim == 2) x.z = d->position[3 * i + 2];
            vec3_store(d->position + 3 * i, x);
        }
    }
}

/* ---- the longest step ---- */

/* Nodes pass through what is thinner than their way in a step, or come out on the wrong side. */
double contact_longest_step(const Deform *d, double wanted) {
    double longest = HUGE_VAL;
    for (size_t k = 0; d->options.contact && k < d->colliders.count; k++) {
        Collider now = {.solid = surface_describe(&d->colliders.data[k].ref).solid};
        surface_read(&d->colliders.data[k].ref, &now);
        double thick = thickness(&now, d->options.dim);
        if (!isfinite(thick)) continue;
        double reach = collider_reach(&now, d->options.dim);
        double own = vec3_length(now.velocity) + reach * vec3_length(now.angular_velocity);
        Box3 bounds = box3_grow(collider_bounds(&now), own * wanted);
        for (size_t n = 0; n < d->outer_nodes.count; n++) {
            size_t i = (size_t)d->outer_nodes.data[n];
            Vec3 x = vec3_load(d->position + 3 * i), v = vec3_load(d->velocity + 3 * i);
            double speed = vec3_length(vec3_sub(v, collider_velocity(&now, x)));
            if (!(speed * longest > seen_part * thick)) continue;
            Box3 way =
                box3_add_point(box3_add_point(box3_empty(), x), vec3_add_scaled(x, wanted, v));
            if (box3_overlap(bounds, way)) longest = seen_part * thick / speed;
        }
    }
    return longest;
}
