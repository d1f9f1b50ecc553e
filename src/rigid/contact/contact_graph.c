/* The contact graph, who rests on whom (000 section 2.8.1): levels of bodies, and islands of bodies
 * that touch. */
#include "rigid/contact/contact_graph.h"
#include "base/assert.h"
#include "rigid/contact/surface_pairs.h"
#include "rigid/forces.h"

#include <stdlib.h>

typedef struct RestTest {
    const RigidContacts *contacts;
    double dt;
} RestTest;

/* Whether `upper`, moving with its new velocity while the other keeps the old one, runs into it.
 * `by_weight`: what it moves before forces act counts only as far as the two come to touch. */
static bool rests(const RestTest *test, const ContactPair *pair, bool a_is_upper, bool by_weight) {
    const SolverBody *a = &test->contacts->solver_bodies.data[pair->a];
    const SolverBody *b = &test->contacts->solver_bodies.data[pair->b];
    for (int32_t k = 0; k < pair->rows; k++) {
        const ContactRow *row = &test->contacts->rows.data[pair->first + k];
        double old = vec3_dot(row->normal, row_velocity(row, a, b));
        if (by_weight) old = fmax(old, -fmax(row->gap, 0.0) / test->dt);
        Vec3 push = a_is_upper
                        ? vec3_add(a->push, vec3_cross(a->twist, row->arm_a))
                        : vec3_scale(-1.0, vec3_add(b->push, vec3_cross(b->twist, row->arm_b)));
        double weight = test->dt * vec3_dot(row->normal, push);
        double moved = test->dt * old + weight;
        /* A thousandth of what the force alone does is rounding, not weight: boxes side by side do
         * not rest on each other. */
        double least = 1e-3 * test->dt * vec3_length(push);
        if (row->gap + moved < -least || (row->gap + moved < 0.0 && weight < -least)) return true;
    }
    return false;
}

/* Which of a pair rests on the other, a first. Both do in a circle of supports. A heavy body and a
 * light one that it strikes seem to as well, for collisions did not come to an end between them:
 * there forces decide. */
static void find_rests(const RestTest *test, const ContactPair *pair, bool out[2]) {
    const double unlike = 30.0; /* ratio of masses */
    const SolverBody *a = &test->contacts->solver_bodies.data[pair->a];
    const SolverBody *b = &test->contacts->solver_bodies.data[pair->b];
    out[0] = a->moves && rests(test, pair, true, false);
    out[1] = b->moves && rests(test, pair, false, false);
    double lighter = fmax(a->inverse_mass, b->inverse_mass);
    if (!out[0] || !out[1] || lighter < unlike * fmin(a->inverse_mass, b->inverse_mass)) return;
    bool by_weight[2] = {rests(test, pair, true, true), rests(test, pair, false, true)};
    if (by_weight[0] == by_weight[1]) return;
    out[0] = by_weight[0];
    out[1] = by_weight[1];
}

/* Pairs in contact, and for each body those below it. */
static PlimStatus find_supports(RigidBodies *bodies, const StepInfo *step, SupportGraph *graph) {
    RigidContacts *contacts = &bodies->contacts;
    size_t pairs = contacts->pairs.count;
    *graph = (SupportGraph){.count = rigid_partner_count(bodies)};
    graph->first = scratch_take(step->scratch, graph->count + 1, sizeof *graph->first);
    size_t most = 2 * (pairs + joint_count(&bodies->joints));
    graph->support = scratch_take(step->scratch, most, sizeof *graph->support);
    int32_t *upper = scratch_take(step->scratch, most, sizeof *upper);
    int32_t *lower = scratch_take(step->scratch, most, sizeof *lower);
    if (!graph->first || !graph->support || !upper || !lower) return PLIM_OUT_OF_MEMORY;
    RestTest test = {contacts, step->dt};
    size_t edges = 0;
    for (size_t p = 0; p < pairs; p++) {
        ContactPair *pair = &contacts->pairs.data[p];
        bool resting[2];
        find_rests(&test, pair, resting);
        for (int side = 0; side < 2; side++) {
            int32_t above = side ? pair->b : pair->a, below = side ? pair->a : pair->b;
            if (!resting[side]) continue;
            pair->found = true;
            upper[edges] = above;
            lower[edges++] = below;
        }
    }
    /* Bodies of a joint rest on each other: a figure has one level. */
    for (size_t j = 0; j < joint_count(&bodies->joints); j++) {
        const int32_t *body = bodies->joints.joints.data[j].body;
        if (!joint_holds_two(bodies, j)) continue;
        for (int side = 0; side < 2; side++) {
            upper[edges] = body[side];
            lower[edges++] = body[1 - side];
        }
    }
    for (size_t i = 0; i <= graph->count; i++) graph->first[i] = 0;
    for (size_t e = 0; e < edges; e++) graph->first[upper[e] + 1]++;
    for (size_t i = 0; i < graph->count; i++) graph->first[i + 1] += graph->first[i];
    for (size_t e = edges; e-- > 0;) graph->support[--graph->first[upper[e] + 1]] = lower[e];
    for (size_t i = 0; i < graph->count; i++) graph->first[i] = graph->first[i + 1];
    graph->first[graph->count] = (int32_t)edges;
    return PLIM_OK;
}

/* Tarjan's strongly connected components, with a stack of its own. Following edges to supports, a
 * component is complete only after all it rests on: levels can be given on the way. */
typedef struct LevelSearch {
    const SupportGraph *graph;
    int32_t *levels;  /* of bodies; -1: not yet */
    int32_t *index;   /* order of first visit, 0: none */
    int32_t *low;     /* least index reachable */
    int32_t *next;    /* edge to follow next */
    int32_t *path;    /* bodies being searched */
    int32_t *pending; /* bodies visited, without a level */
    size_t path_count, pending_count;
    int32_t visited;
} LevelSearch;

static void close_component(LevelSearch *s, int32_t root) {
    size_t begin = s->pending_count;
    int32_t level = 1;
    do begin--;
    while (s->pending[begin] != root);
    for (size_t k = begin; k < s->pending_count; k++) {
        int32_t body = s->pending[k];
        for (int32_t e = s->graph->first[body]; e < s->graph->first[body + 1]; e++) {
            int32_t below = s->levels[s->graph->support[e]]; /* -1 within the component */
            if (below + 1 > level) level = below + 1;
        }
    }
    for (size_t k = begin; k < s->pending_count; k++) s->levels[s->pending[k]] = level;
    s->pending_count = begin;
}

static void visit(LevelSearch *s, int32_t body) {
    s->index[body] = s->low[body] = ++s->visited;
    s->next[body] = s->graph->first[body];
    s->path[s->path_count++] = body;
    s->pending[s->pending_count++] = body;
}

static void search_from(LevelSearch *s, int32_t start) {
    visit(s, start);
    while (s->path_count > 0) {
        int32_t body = s->path[s->path_count - 1];
        if (s->next[body] < s->graph->first[body + 1]) {
            int32_t below = s->graph->support[s->next[body]++];
            if (s->levels[below] >= 0) continue;
            if (s->index[below] == 0)
                visit(s, below);
            else if (s->index[below] < s->low[body])
                s->low[body] = s->index[below];
            continue;
        }
        s->path_count--;
        if (s->path_count > 0) {
            int32_t above = s->path[s->path_count - 1];
            if (s->low[body] < s->low[above]) s->low[above] = s->low[body];
        }
        if (s->low[body] == s->index[body]) close_component(s, body);
    }
}

static PlimStatus assign_levels(RigidBodies *bodies, const StepInfo *step,
                                const SupportGraph *graph) {
    RigidContacts *contacts = &bodies->contacts;
    size_t count = graph->count;
    contacts->levels.count = 0;
    if (!array_reserve(bodies->context, &contacts->levels, count)) return PLIM_OUT_OF_MEMORY;
    contacts->levels.count = count;
    LevelSearch search = {.graph = graph,
                          .levels = contacts->levels.data,
                          .index = scratch_take(step->scratch, count, sizeof(int32_t)),
                          .low = scratch_take(step->scratch, count, sizeof(int32_t)),
                          .next = scratch_take(step->scratch, count, sizeof(int32_t)),
                          .path = scratch_take(step->scratch, count, sizeof(int32_t)),
                          .pending = scratch_take(step->scratch, count, sizeof(int32_t))};
    if (!search.index || !search.low || !search.next || !search.path || !search.pending)
        return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) {
        search.index[i] = 0;
        search.levels[i] = contacts->solver_bodies.data[i].moves ? -1 : 0;
    }
    for (size_t i = 0; i < count; i++)
        if (search.levels[i] < 0) search_from(&search, (int32_t)i);
    return PLIM_OK;
}

static void level_pairs(RigidContacts *contacts) {
    size_t highest = 0;
    for (size_t p = 0; p < contacts->pairs.count; p++) {
        ContactPair *pair = &contacts->pairs.data[p];
        int32_t a = contacts->levels.data[pair->a], b = contacts->levels.data[pair->b];
        pair->level = a > b ? a : b;
        if (pair->found && (size_t)pair->level > highest) highest = (size_t)pair->level;
    }
    contacts->figures.levels = highest;
}

PlimStatus contacts_build_graph(RigidBodies *bodies, const StepInfo *step) {
    RigidContacts *contacts = &bodies->contacts;
    size_t mark = scratch_mark(step->scratch);
    SupportGraph graph;
    PlimStatus status = find_supports(bodies, step, &graph);
    if (status == PLIM_OK) status = assign_levels(bodies, step, &graph);
    if (status == PLIM_OK) PLIM_ASSERT_VALID(support_levels_problem(&graph, contacts->levels.data));
    scratch_release(step->scratch, mark);
    TRY(status);
    level_pairs(contacts);
    PLIM_ASSERT_VALID(contact_graph_problem(contacts));
    contacts->seen.count = 0;
    for (size_t p = 0; p < contacts->pairs.count; p++) {
        const ContactPair *pair = &contacts->pairs.data[p];
        SeenPair seen = {pair->a, pair->b, pair->level, pair->found, pair->slides, 0.0};
        for (int32_t k = 0; k < pair->rows; k++)
            seen.gap = fmin(seen.gap, contacts->rows.data[pair->first + k].gap);
        if (!array_push(bodies->context, &contacts->seen, seen)) return PLIM_OUT_OF_MEMORY;
    }
    return PLIM_OK;
}

/* ---- islands ---- */

static int32_t root_of(int32_t *parent, int32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

typedef struct IslandPair {
    int32_t island, level, rank, pair;
} IslandPair;

static int compare_island_pairs(const void *x, const void *y) {
    const IslandPair *a = x, *b = y;
    if (a->island != b->island) return a->island < b->island ? -1 : 1;
    if (a->level != b->level) return a->level < b->level ? -1 : 1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

static void join_two(int32_t *parent, int32_t i, int32_t j) {
    int32_t a = root_of(parent, i), b = root_of(parent, j);
    if (a != b) parent[a > b ? a : b] = a > b ? b : a;
}

/* Bodies joined by contacts and joints get the same root, the lowest of them. */
static void join_bodies(const RigidBodies *bodies, int32_t *parent, size_t count) {
    const RigidContacts *contacts = &bodies->contacts;
    for (size_t i = 0; i < count; i++) parent[i] = (int32_t)i;
    for (size_t p = 0; p < contacts->pairs.count; p++) {
        const ContactPair *pair = &contacts->pairs.data[p];
        if (!pair->found) continue;
        if (!contacts->solver_bodies.data[pair->a].moves ||
            !contacts->solver_bodies.data[pair->b].moves)
            continue;
        join_two(parent, pair->a, pair->b);
    }
    for (size_t j = 0; j < joint_count(&bodies->joints); j++) {
        const int32_t *body = bodies->joints.joints.data[j].body;
        if (joint_holds_two(bodies, j)) join_two(parent, body[0], body[1]);
    }
}

static bool holds_on_ground(const RigidBodies *bodies, const ContactPair *pair) {
    const SolverBody *solver_bodies = bodies->contacts.solver_bodies.data;
    return !solver_bodies[pair->a].moves || !solver_bodies[pair->b].moves ||
           solver_bodies[pair->a].inverse_mass == 0 || solver_bodies[pair->b].inverse_mass == 0;
}

/* A path that stands still, and stood still in this step, does no work. */
static bool is_driven(const RigidBodies *bodies, int32_t body) {
    const SolverBody *solver_body = &bodies->contacts.solver_bodies.data[body];
    if (rigid_is_still_surface(bodies, (size_t)body)) return false;
    if (bodies->motion[body] == PLIM_DYNAMIC) return bodies->driven[body] != 0;
    const BodyBefore *before = &bodies->contacts.before.data[body];
    Quat now = quat_load(bodies->orientation + 4 * body), then = before->orientation;
    Vec3 moved = vec3_sub(vec3_load(bodies->position + 3 * body), before->position);
    if (vec3_dot(moved, moved) > 0.0 || now.w != then.w || now.x != then.x || now.y != then.y ||
        now.z != then.z)
        return true;
    return vec3_dot(solver_body->velocity, solver_body->velocity) +
               vec3_dot(solver_body->spin, solver_body->spin) >
           0.0;
}

/* What a body on a path, or under changing forces, does to the island that touches it or hangs on
 * it. */
static void add_driver(const RigidBodies *bodies, ContactIsland *island, int32_t body) {
    if (!is_driven(bodies, body)) return;
    island->driven = true;
    if (bodies->motion[body] != PLIM_DYNAMIC && island->carrier != body)
        island->carrier = island->carrier == -1 ? body : -2;
}

/* Bodies that are in an island by their joints, and what those bodies hang on. */
static void list_joined(RigidBodies *bodies) {
    RigidContacts *contacts = &bodies->contacts;
    const RigidJoints *joints = &bodies->joints;
    for (size_t g = 0; g < joints->groups.count; g++) {
        const JointGroup *group = &joints->groups.data[g];
        int32_t number = -1;
        for (size_t m = 0; m < group->body_count && number < 0; m++)
            number = contacts->body_islands.data[joints->members.data[group->first_body + m]];
        if (number < 0) continue;
        ContactIsland *island = &contacts->islands.data[number];
        for (size_t m = 0; m < group->body_count; m++) {
            int32_t body = joints->members.data[group->first_body + m];
            if (contacts->body_islands.data[body] < 0) contacts->body_islands.data[body] = number;
            island->driven |= bodies->driven[body] != 0;
            island->loaded |= rigid_has_forces(bodies, (size_t)body);
        }
        for (size_t k = 0; k < group->joint_count; k++) {
            const RigidJoint *joint =
                &joints->joints.data[joints->list.data[group->first_joint + k]];
            for (int side = 0; side < 2; side++) {
                int32_t body = joint->body[side];
                island->grounded |= !rigid_is_dynamic(bodies, (size_t)body);
                if (body != JOINT_WORLD) add_driver(bodies, island, body);
            }
        }
    }
}

static PlimStatus list_islands(RigidBodies *bodies, const IslandPair *sorted, size_t count) {
    RigidContacts *contacts = &bodies->contacts;
    size_t all = rigid_partner_count(bodies);
    contacts->islands.count = contacts->island_pairs.count = contacts->body_islands.count = 0;
    if (!array_reserve(bodies->context, &contacts->island_pairs, count) ||
        !array_reserve(bodies->context, &contacts->body_islands, all))
        return PLIM_OUT_OF_MEMORY;
    contacts->body_islands.count = all;
    for (size_t i = 0; i < all; i++) contacts->body_islands.data[i] = -1;
    size_t rows = 0;
    for (size_t k = 0; k < count; k++) {
        const ContactPair *pair = &contacts->pairs.data[sorted[k].pair];
        if (k == 0 || sorted[k].island != sorted[k - 1].island) {
            ContactIsland island = {.first = k, .first_row = rows, .carrier = -1};
            if (!array_push(bodies->context, &contacts->islands, island)) return PLIM_OUT_OF_MEMORY;
        }
        ContactIsland *island = &contacts->islands.data[contacts->islands.count - 1];
        int32_t number = (int32_t)contacts->islands.count - 1;
        if (contacts->solver_bodies.data[pair->a].moves)
            contacts->body_islands.data[pair->a] = number;
        if (contacts->solver_bodies.data[pair->b].moves)
            contacts->body_islands.data[pair->b] = number;
        island->pairs++;
        rows += (size_t)pair->rows;
        island->grounded |= holds_on_ground(bodies, pair);
        for (int side = 0; side < 2; side++) {
            int32_t body = side ? pair->b : pair->a;
            island->loaded |= rigid_has_forces(bodies, (size_t)body);
            if (surface_runs(bodies, (size_t)body)) { /* energy is seen from no carrier */
                island->driven = true;
                island->carrier = -2;
            }
            add_driver(bodies, island, body);
        }
        contacts->island_pairs.data[contacts->island_pairs.count++] = sorted[k].pair;
    }
    contacts->figures.islands = contacts->islands.count;
    list_joined(bodies);
    return PLIM_OK;
}

PlimStatus contacts_build_islands(RigidBodies *bodies, const StepInfo *step) {
    RigidContacts *contacts = &bodies->contacts;
    size_t mark = scratch_mark(step->scratch), count = 0, pairs = contacts->pairs.count;
    int32_t *parent = scratch_take(step->scratch, rigid_partner_count(bodies), sizeof *parent);
    int32_t *rank = scratch_take(step->scratch, pairs, sizeof *rank);
    IslandPair *sorted = scratch_take(step->scratch, pairs, sizeof *sorted);
    if (!parent || !rank || !sorted) return PLIM_OUT_OF_MEMORY;
    join_bodies(bodies, parent, rigid_partner_count(bodies));
    contacts_shuffle(bodies, step, rank, pairs);
    for (size_t p = 0; p < pairs; p++) {
        const ContactPair *pair = &contacts->pairs.data[p];
        if (!pair->found) continue;
        int32_t body = contacts->solver_bodies.data[pair->a].moves ? pair->a : pair->b;
        sorted[count++] = (IslandPair){root_of(parent, body), pair->level, rank[p], (int32_t)p};
    }
    if (count > 1) qsort(sorted, count, sizeof *sorted, compare_island_pairs);
    PlimStatus status = list_islands(bodies, sorted, count);
    if (status == PLIM_OK) PLIM_ASSERT_VALID(contact_islands_problem(contacts));
    scratch_release(step->scratch, mark);
    return status;
}
