/* Surfaces of deformable bodies in the collisions of meshes (000 section 3.2.3): sheets, and the
 * skins of solids where there are several. What collisions change becomes velocity; after a step
 * that needed impact zones the next is halved, then steps grow by a tenth each. */
#include "deform/internal.h"

#include <string.h>

static bool body_collides(const Deform *d, const DeformBody *body) {
    return d->options.collisions && body->collides && body->count[DEFORM_FACES] > 0 &&
           d->options.integrator != DEFORM_STATIC;
}

/* A solid alone meets itself only if it is asked to, or if others' meshes are in its way. */
static bool some_collide(const Deform *d) {
    size_t solids = 0;
    bool asked = d->options.meets_exact;
    for (size_t b = 0; b < d->bodies.count; b++) {
        const DeformBody *body = &d->bodies.data[b];
        if (!body_collides(d, body)) continue;
        asked = asked || body->is_sheet || body->meets_itself;
        solids++;
    }
    return asked || solids > 1;
}

/* Of the edges of faces, at rest; in the plane they are the faces. */
static double mean_edge(const DeformBodyDesc *desc, int dim) {
    double sum = 0;
    int edges = dim == 3 ? 3 : 1;
    for (size_t f = 0; f < desc->face_count; f++)
        for (int c = 0; c < edges; c++)
            sum += vec3_length(
                vec3_sub(desc->rest[desc->faces[f][(c + 1) % dim]], desc->rest[desc->faces[f][c]]));
    return desc->face_count > 0 ? sum / (double)(edges * (int)desc->face_count) : 0.0;
}

PlimStatus deform_find_thickness(const Deform *d, const DeformBodyDesc *desc, double *out,
                                 double *edge_out) {
    const double part = 0.25;
    double edge = *edge_out = mean_edge(desc, d->options.dim);
    *out = desc->thickness > 0 ? desc->thickness : part * edge;
    if (desc->face_count == 0 || *out <= edge) return PLIM_OK;
    return context_fail(d->context, PLIM_BAD_INPUT,
                        "'%s': a thickness of %g m is more than the mean edge of its faces, %g m; "
                        "neighbours would push each other apart: make it smaller, or the mesh "
                        "coarser",
                        desc->name, *out, edge);
}

/* Nodes of faces that collide, in their order, and the faces. */
PlimStatus deform_list_self(Deform *d) {
    d->self_nodes.count = d->self_faces.count = 0;
    TRY(state_resize(d->context, &deform_schema, d, DEFORM_WHOLE, 1));
    if (!some_collide(d)) return PLIM_OK;
    for (size_t b = 0; b < d->bodies.count; b++) {
        const DeformBody *body = &d->bodies.data[b];
        if (!body_collides(d, body)) continue;
        for (size_t k = 0; k < body->count[DEFORM_NODES]; k++) {
            int32_t node = (int32_t)(body->first[DEFORM_NODES] + k);
            if (d->is_outer[node] && !array_push(d->context, &d->self_nodes, node))
                return PLIM_OUT_OF_MEMORY;
        }
        for (size_t k = 0; k < body->count[DEFORM_FACES]; k++)
            if (!array_push(d->context, &d->self_faces, (int32_t)(body->first[DEFORM_FACES] + k)))
                return PLIM_OUT_OF_MEMORY;
    }
    return PLIM_OK;
}

/* Speed of pressure waves in a solid, m/s. */
static double sound_of(const Deform *d, const DeformBody *body) {
    double mass = 0, volume = 0;
    if (!body->has_law) return HUGE_VAL;
    for (size_t k = 0; k < body->count[DEFORM_NODES]; k++)
        mass += d->mass[body->first[DEFORM_NODES] + k];
    for (size_t k = 0; k < body->count[DEFORM_ELEMENTS]; k++)
        volume += d->volume[body->first[DEFORM_ELEMENTS] + k];
    return sqrt((body->law.lambda + 2 * body->law.mu) * volume / mass);
}

/* What is stopped within a step pulls at its neighbours by its way in it: parts of surfaces that
 * may meet move less than a part of their edges against each other, a smaller one where something
 * is near. */
double deform_collision_step(const Deform *d) {
    const double sheets = d->step_limit[2] > 0 ? 0.2 : 1.0;
    /* With 0.06 balls that meet off their centres gain 1.4% of their energy, with 0.03 0.9%; with
     * 0.1 the solve of the step in which surfaces first touch does not converge. */
    const double solids = d->step_limit[2] > 0 ? 0.03 : 0.1;
    Vec3 mean = vec3(0, 0, 0);
    double mass = 0, fastest = 0, longest = HUGE_VAL;
    for (size_t i = 0; i < d->self_nodes.count; i++) {
        size_t node = (size_t)d->self_nodes.data[i];
        mean = vec3_add_scaled(mean, d->mass[node], vec3_load(d->velocity + 3 * node));
        mass += d->mass[node];
    }
    mean = vec3_scale(1 / mass, mean);
    for (size_t i = 0; i < d->self_nodes.count; i++) {
        Vec3 v = vec3_load(d->velocity + 3 * d->self_nodes.data[i]);
        fastest = fmax(fastest, vec3_length(vec3_sub(v, mean)));
    }
    for (size_t b = 0; b < d->bodies.count; b++) {
        const DeformBody *body = &d->bodies.data[b];
        if (!body_collides(d, body) || !(fastest > 0)) continue;
        /* What is faster than sound in a solid is not met more gently by shorter steps. */
        double speed = body->is_sheet ? fastest : fmin(fastest, sound_of(d, body));
        longest = fmin(longest, (body->is_sheet ? sheets : solids) * body->edge / speed);
    }
    return longest;
}

/* ---- what is offered ---- */

static int get_dim(const void *system) {
    return ((const Deform *)system)->options.dim;
}

static void count(const void *system, size_t *nodes, size_t *faces) {
    const Deform *d = system;
    *nodes = d->self_nodes.count;
    *faces = d->self_faces.count;
}

/* Its place among the nodes that collide, which are sorted. */
static int32_t number_of(const Deform *d, int32_t node) {
    size_t low = 0, high = d->self_nodes.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (d->self_nodes.data[middle] < node)
            low = middle + 1;
        else
            high = middle;
    }
    return (int32_t)low;
}

static void describe(const void *system, MeshSurfaces *out) {
    const Deform *d = system;
    out->affine_zones = d->options.affine_zones;
    out->solves_pairs = d->options.integrator != DEFORM_NEWMARK;
    for (size_t f = 0; f < d->self_faces.count; f++) {
        const int32_t *corners = d->face_corners + 3 * d->self_faces.data[f];
        for (int c = 0; c < 3; c++)
            out->faces[f][c] = number_of(d, corners[c < d->options.dim ? c : 0]);
    }
    for (size_t i = 0, b = 0; i < d->self_nodes.count; i++) {
        size_t node = (size_t)d->self_nodes.data[i];
        while (b + 1 < d->bodies.count && d->bodies.data[b + 1].first[DEFORM_NODES] <= node) b++;
        out->rest[i] = vec3_load(d->rest + 3 * node);
        out->surface[i] = (int32_t)b;
        out->thickness[i] = d->bodies.data[b].thickness;
        out->friction[i] = d->bodies.data[b].kinetic_friction;
    }
}

static const char *get_name(const void *system, int32_t surface) {
    return ((const Deform *)system)->bodies.data[surface].name;
}

/* Whether a node was at the surface that presses it already: in the solve layers above the lowest
 * fall onto it, too, for it does not know of those below. */
static bool leans(const Deform *d, const DeformContact *contact, Vec3 x0) {
    size_t b = 0;
    while (b + 1 < d->bodies.count && d->bodies.data[b + 1].first[DEFORM_NODES] <= contact->node)
        b++;
    const DeformBody *body = &d->bodies.data[b];
    double above = body->is_sheet ? body->thickness : 0.5 * body->thickness;
    return collider_distance(&d->colliders.data[contact->collider].now, x0) < above;
}

static void read_motion(const void *system, const StepInfo *step, MeshMotion *out) {
    (void)step;
    const Deform *d = system;
    for (size_t i = 0; i < d->self_nodes.count; i++) {
        size_t node = (size_t)d->self_nodes.data[i];
        bool is_given = d->has_pin[node];
        out->x0[i] = vec3_load(d->position_before + 3 * node);
        out->x1[i] = vec3_load(d->position + 3 * node);
        out->inverse_mass[i] = is_given ? 0.0 : 1.0 / d->mass[node];
        out->kind[i] = is_given ? COLLISION_GIVEN : COLLISION_FREE;
        out->wall[i] = vec3(0, 0, 0);
    }
    for (size_t k = 0; k < d->contacts.count; k++) {
        const DeformContact *contact = &d->contacts.data[k];
        int32_t i = number_of(d, (int32_t)contact->node);
        bool is_there =
            (size_t)i < d->self_nodes.count && (size_t)d->self_nodes.data[i] == contact->node;
        if (contact->presses && is_there && leans(d, contact, out->x0[i]))
            out->wall[i] = contact->normal;
    }
}

/* Where velocities that know of no elastic forces yet take nodes. */
static void read_start(const void *system, const StepInfo *step, MeshMotion *out) {
    const Deform *d = system;
    for (size_t i = 0; i < d->self_nodes.count; i++) {
        size_t node = (size_t)d->self_nodes.data[i];
        bool is_given = d->has_pin[node];
        out->x0[i] = vec3_load(d->position + 3 * node);
        out->x1[i] = vec3_add_scaled(out->x0[i], step->dt, vec3_load(d->velocity_half + 3 * node));
        out->inverse_mass[i] = is_given ? 0.0 : 1.0 / d->mass[node];
        out->kind[i] = is_given ? COLLISION_GIVEN : COLLISION_FREE;
        out->wall[i] = vec3(0, 0, 0);
    }
}

/* ---- what is taken back ---- */

/* Limits of strain, on the way that collisions left. */
static void limit(const void *system, const StepInfo *step, Vec3 *x1) {
    Deform *d = (Deform *)(uintptr_t)system; /* its memory for work alone is written */
    double *v = d->work[DEFORM_NEXT].data, *was = d->work[DEFORM_CHANGE].data, sweeps;
    size_t values = 3 * deform_count(d, DEFORM_NODES);
    if (d->limit_edges.count == 0) return;
    memcpy(v, d->velocity_half, values * sizeof *v);
    for (size_t i = 0; i < d->self_nodes.count; i++) {
        size_t node = (size_t)d->self_nodes.data[i];
        Vec3 way = vec3_sub(x1[i], vec3_load(d->position_before + 3 * node));
        vec3_store(v + 3 * node, vec3_scale(1 / step->dt, way));
    }
    memcpy(was, v, values * sizeof *was);
    limit_velocities(d, d->position_before, step->dt, v, false, &sweeps);
    for (size_t i = 0; i < d->self_nodes.count; i++) {
        size_t node = (size_t)d->self_nodes.data[i];
        Vec3 change = vec3_sub(vec3_load(v + 3 * node), vec3_load(was + 3 * node));
        if (change.x != 0 || change.y != 0 || change.z != 0)
            x1[i] = vec3_add_scaled(x1[i], step->dt, change);
    }
}

/* Steps are shortened where zones were needed, to no less than a part of the usual one. */
static void adapt_step(Deform *d, double dt, const CollisionFigures *figures) {
    const double least = 1.0 / 16, growth = 1.1;
    double *limit = &d->step_limit[0], *usual = &d->step_limit[1];
    d->step_limit[2] = figures->proximities + figures->hits > 0;
    if (!(*limit > 0)) *usual = dt;
    d->step_limit[3] = fmax(d->step_limit[3], dt);
    if (figures->zones > 0) {
        *limit = fmax(0.5 * dt, least * *usual);
        d->figures.halved = 1;
    } else if (*limit > 0) {
        *limit *= growth;
        if (*limit >= *usual) *limit = 0;
    }
}

static Vec3 change_of(const Deform *d, const MeshAnswer *answer, size_t i) {
    Vec3 place = vec3_load(d->position + 3 * d->self_nodes.data[i]);
    return vec3_sub(vec3_sub(answer->x1[i], place), answer->pushed_out[i]);
}

/* Places that were set, not reached, as those pushed out of a plate, meet others, too. The shorter
 * the step is, the faster that would seem: no stop needs more than some times the speeds there are.
 * All are scaled alike, so that momentum is kept. Meshes of others may be faster than nodes here.
 */
static double part_of_changes(const Deform *d, double dt, const MeshAnswer *answer) {
    const double most = 4;
    double fastest = 0, changed = 0;
    if (d->options.meets_exact) return 1;
    for (size_t i = 0; i < d->self_nodes.count; i++) {
        Vec3 v = vec3_load(d->velocity_half + 3 * d->self_nodes.data[i]);
        fastest = fmax(fastest, vec3_length(v));
        changed = fmax(changed, vec3_length(change_of(d, answer, i)) / dt);
    }
    return changed > most * fastest ? most * fastest / changed : 1;
}

static void accept(void *system, const StepInfo *step, const MeshAnswer *answer) {
    Deform *d = system;
    double part = part_of_changes(d, step->dt, answer);
    for (size_t i = 0; i < d->self_nodes.count; i++) {
        size_t node = (size_t)d->self_nodes.data[i];
        Vec3 x1 = answer->x1[i], change = vec3_sub(x1, vec3_load(d->position + 3 * node));
        if (change.x == 0 && change.y == 0 && change.z == 0) continue;
        change = vec3_scale(part / step->dt, vec3_sub(change, answer->pushed_out[i]));
        vec3_store(d->position + 3 * node, x1);
        vec3_store(d->velocity_half + 3 * node,
                   vec3_add(vec3_load(d->velocity_half + 3 * node), change));
        vec3_store(d->collision_change + 3 * node, change);
    }
    adapt_step(d, step->dt, answer->figures);
}

static void read_velocity(const void *system, Vec3 *v) {
    const Deform *d = system;
    for (size_t i = 0; i < d->self_nodes.count; i++)
        v[i] = vec3_load(d->velocity + 3 * d->self_nodes.data[i]);
}

static void accept_velocity(void *system, const Vec3 *v) {
    Deform *d = system;
    for (size_t i = 0; i < d->self_nodes.count; i++)
        vec3_store(d->velocity + 3 * d->self_nodes.data[i], v[i]);
}

const MeshSurfaceClass deform_meshes = {
    .dim = get_dim,
    .count = count,
    .describe = describe,
    .name = get_name,
    .read_motion = read_motion,
    .read_start = read_start,
    .take_pairs = pairs_take,
    .limit = limit,
    .accept = accept,
    .read_velocity = read_velocity,
    .accept_velocity = accept_velocity,
};
