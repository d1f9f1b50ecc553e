/* Thin rigid shells against each other (000 section 2.14): vertices move loosely on straight lines,
 * cloth-like impulses where they meet are gathered to the bodies, and this is repeated. An impulse
 * shared out to the corners of an edge or a triangle by their weights has, for the body, the
 * momentum and the moment of one at the point where they meet. */
#include "rigid/contact/collision_groups.h"
#include "rigid/contact/contact_stages.h"
#include "rigid/contact/shell_stage.h"

void shells_free(PlimContext *context, RigidShells *shells) {
    mesh_collision_destroy(shells->collision);
    array_free(context, &shells->shells);
    array_free(context, &shells->shell_of);
    array_free(context, &shells->x0);
    array_free(context, &shells->x1);
    array_free(context, &shells->kind);
    *shells = (RigidShells){0};
}

/* ---- once ---- */

static PlimStatus list_shells(RigidBodies *b, size_t *nodes, size_t *faces) {
    RigidShells *shells = &b->shells;
    *nodes = *faces = 0;
    for (size_t i = 0; i < rigid_count(b); i++) {
        if (!(rigid_shape(b, i)->desc.shell > 0)) continue;
        ShellBody shell = {.body = i, .first_node = *nodes};
        if (!array_push(b->context, &shells->shells, shell)) return PLIM_OUT_OF_MEMORY;
        *nodes += rigid_shape(b, i)->mesh.vertex_count;
        *faces += rigid_shape(b, i)->mesh.triangle_count;
    }
    bool there = array_reserve(b->context, &shells->shell_of, *nodes) &&
                 array_reserve(b->context, &shells->x0, *nodes) &&
                 array_reserve(b->context, &shells->x1, *nodes) &&
                 array_reserve(b->context, &shells->kind, *nodes);
    return there ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

/* Nothing is kept apart here but by impulses: the thickness counts in contact. */
static PlimStatus create(RigidBodies *b, const StepInfo *step) {
    RigidShells *shells = &b->shells;
    size_t nodes, faces, face = 0, mark = scratch_mark(step->scratch);
    shells_free(b->context, shells);
    shells->body_count = rigid_count(b);
    TRY(list_shells(b, &nodes, &faces));
    if (shells->shells.count < 2) return PLIM_OK;
    int32_t(*corners)[3] = scratch_take(step->scratch, faces, sizeof *corners);
    double *none = scratch_take(step->scratch, nodes, sizeof *none);
    if (!corners || !none) return PLIM_OUT_OF_MEMORY;
    for (size_t s = 0; s < shells->shells.count; s++) {
        const ShellBody *shell = &shells->shells.data[s];
        const TriangleMesh *mesh = &rigid_shape(b, shell->body)->mesh;
        for (size_t t = 0; t < mesh->triangle_count; t++, face++)
            for (int c = 0; c < 3; c++)
                corners[face][c] = (int32_t)shell->first_node + mesh->triangles[t][c];
        for (size_t k = 0; k < mesh->vertex_count; k++) {
            size_t node = shell->first_node + k;
            shells->shell_of.data[node] = (int32_t)s;
            shells->x0.data[node] = mesh->vertices[k];
            none[node] = 0.0;
        }
    }
    MeshCollisionDesc desc = {.dim = 3,
                              .node_count = nodes,
                              .face_count = faces,
                              .faces = (const int32_t(*)[3])corners,
                              .rest = shells->x0.data,
                              .surface = shells->shell_of.data,
                              .thickness = none,
                              .friction = none,
                              .rigid_surfaces = true};
    PlimStatus status = mesh_collision_create(b->context, &desc, &shells->collision);
    scratch_release(step->scratch, mark);
    return status;
}

/* ---- where they are ---- */

static void place(const RigidBodies *b, const ShellBody *shell, Vec3 center, Quat turn, Vec3 *x) {
    const TriangleMesh *mesh = &rigid_shape(b, shell->body)->mesh;
    Mat3 axes = quat_to_mat3(turn);
    Vec3 offset = b->extras.data[shell->body].mesh_offset;
    for (size_t k = 0; k < mesh->vertex_count; k++)
        x[shell->first_node + k] =
            vec3_add(center, mat3_apply(axes, vec3_add(mesh->vertices[k], offset)));
}

void shell_place_nodes(RigidBodies *b, const ShellBody *shell) {
    place(b, shell, shell->to, shell->turns, b->shells.x1.data);
}

/* Sleepers, and what is held, are not moved here: others give way. */
static void read_shells(RigidBodies *b) {
    RigidShells *shells = &b->shells;
    for (size_t s = 0; s < shells->shells.count; s++) {
        ShellBody *shell = &shells->shells.data[s];
        size_t i = shell->body, nodes = rigid_shape(b, i)->mesh.vertex_count;
        shell->moves = rigid_is_dynamic(b, i) && !b->asleep[i] && !b->held[i];
        shell->group = (int32_t)s;
        shell->stands = false;
        shell->from = vec3_load(b->position_before + 3 * i);
        shell->turned = quat_load(b->orientation_before + 4 * i);
        shell->to = shell->wanted = vec3_load(b->position + 3 * i);
        shell->turns = shell->wanted_turn = quat_load(b->orientation + 4 * i);
        place(b, shell, shell->from, shell->turned, shells->x0.data);
        shell_place_nodes(b, shell);
        for (size_t k = 0; k < nodes; k++)
            shells->kind.data[shell->first_node + k] =
                shell->moves ? COLLISION_FREE : COLLISION_RIGID;
    }
}

static CollisionStep collision_step(RigidShells *shells, const StepInfo *step) {
    return (CollisionStep){.x0 = shells->x0.data,
                           .x1 = shells->x1.data,
                           .kind = shells->kind.data,
                           .threads = step->threads,
                           .scratch = step->scratch};
}

/* Pairs of groups that do not meet are no hits. */
static size_t drop_strangers(const RigidBodies *b, CollisionPair *hits, size_t count) {
    const RigidShells *shells = &b->shells;
    size_t kept = 0;
    for (size_t k = 0; k < count; k++) {
        int32_t s[2];
        shell_pair(shells, &hits[k], s);
        if (collision_groups_meet(b, shells->shells.data[s[0]].body,
                                  shells->shells.data[s[1]].body))
            hits[kept++] = hits[k];
    }
    return kept;
}

static PlimStatus find_hits(RigidBodies *b, const StepInfo *step, CollisionPair **hits,
                            size_t *count) {
    CollisionStep motion = collision_step(&b->shells, step);
    TRY(mesh_collision_find_hits(b->shells.collision, &motion, hits, count));
    *count = drop_strangers(b, *hits, *count);
    return PLIM_OK;
}

/* ---- impulses ---- */

/* One side of a contact: where it is on the shell at t^n, and how far it goes in the step. */
typedef struct ShellSide {
    ShellBody *shell;
    Vec3 arm, way;
    double inverse_mass;  /* 1/kg; 0: impulses do not move it */
    Mat3 inverse_inertia; /* 1/(kg m^2), world axes at t^n */
} ShellSide;

static ShellSide side_of(RigidBodies *b, const CollisionPair *pair, int32_t s) {
    RigidShells *shells = &b->shells;
    ShellSide side = {.shell = &shells->shells.data[s]};
    Vec3 from = vec3(0, 0, 0), to = vec3(0, 0, 0);
    for (int k = 0; k < 4; k++) {
        size_t node = (size_t)pair->nodes[k];
        if (shells->shell_of.data[node] != s) continue;
        from = vec3_add_scaled(from, fabs(pair->weights[k]), shells->x0.data[node]);
        to = vec3_add_scaled(to, fabs(pair->weights[k]), shells->x1.data[node]);
    }
    side.arm = vec3_sub(from, side.shell->from);
    side.way = vec3_sub(to, from);
    if (!side.shell->moves) return side;
    size_t i = side.shell->body;
    Mat3 axes = quat_to_mat3(side.shell->turned);
    Mat3 inverse = mat3_load(b->inverse_inertia + 9 * i);
    side.inverse_mass = 1.0 / b->mass[i];
    side.inverse_inertia = mat3_multiply(mat3_multiply(axes, inverse), mat3_transpose(axes));
    return side;
}

static Vec3 response_of(const ShellSide *side, Vec3 impulse) {
    Vec3 turn = mat3_apply(side->inverse_inertia, vec3_cross(side->arm, impulse));
    return vec3_add(vec3_scale(side->inverse_mass, impulse), vec3_cross(turn, side->arm));
}

/* Displaces a shell by an impulse times seconds, kg m. */
static void push(RigidBodies *b, const ShellSide *side, Vec3 impulse) {
    ShellBody *shell = side->shell;
    if (!shell->moves) return;
    shell->to = vec3_add_scaled(shell->to, side->inverse_mass, impulse);
    Vec3 turn = mat3_apply(side->inverse_inertia, vec3_cross(side->arm, impulse));
    shell->turns = quat_normalize(quat_multiply(quat_exp(turn), shell->turns));
    shell_place_nodes(b, shell);
}

/* Takes out of the motion of two points against each other what it has along a unit vector, but no
 * more than `most`, kg m. Returns the impulse. */
static double stop_along(RigidBodies *b, const CollisionPair *pair, const int32_t s[2], Vec3 along,
                         double most) {
    ShellSide one = side_of(b, pair, s[0]), other = side_of(b, pair, s[1]);
    double softness =
        vec3_dot(along, vec3_add(response_of(&one, along), response_of(&other, along)));
    double way = vec3_dot(along, vec3_sub(one.way, other.way));
    if (!(softness > 0) || !(way < 0)) return 0;
    double amount = fmin(-way / softness, most);
    push(b, &one, vec3_scale(amount, along));
    push(b, &other, vec3_scale(-amount, along));
    return amount;
}

/* Without bounce, with Coulomb friction. */
static void stop_hit(RigidBodies *b, const CollisionPair *pair) {
    int32_t s[2];
    shell_pair(&b->shells, pair, s);
    Vec3 normal = pair->normal;
    double pushed = stop_along(b, pair, s, normal, HUGE_VAL);
    if (!(pushed > 0)) return;
    ShellSide one = side_of(b, pair, s[0]), other = side_of(b, pair, s[1]);
    Vec3 slide = vec3_sub(one.way, other.way);
    slide = vec3_add_scaled(slide, -vec3_dot(slide, normal), normal);
    double length = vec3_length(slide);
    double friction =
        fmax(b->kinetic_friction[one.shell->body], b->kinetic_friction[other.shell->body]);
    if (length > 0) stop_along(b, pair, s, vec3_scale(-1 / length, slide), friction * pushed);
}

/* ---- the stage ---- */

/* What the others changed of a shell's way is velocity. */
static void store_shells(RigidBodies *b, const StepInfo *step) {
    for (size_t s = 0; s < b->shells.shells.count; s++) {
        const ShellBody *shell = &b->shells.shells.data[s];
        size_t i = shell->body;
        if (!shell->moves) continue;
        Vec3 shift = vec3_sub(shell->to, shell->wanted);
        Vec3 turn = quat_log(quat_multiply(shell->turns, quat_conjugate(shell->wanted_turn)));
        if (vec3_length(shift) == 0.0 && vec3_length(turn) == 0.0) continue;
        Vec3 momentum = vec3_load(b->angular_momentum + 3 * i);
        vec3_store(b->position + 3 * i, shell->to);
        quat_store(b->orientation + 4 * i, shell->turns);
        vec3_store(b->velocity + 3 * i,
                   vec3_add_scaled(vec3_load(b->velocity + 3 * i), 1 / step->dt, shift));
        vec3_store(
            b->angular_momentum + 3 * i,
            vec3_add_scaled(momentum, 1 / step->dt, mat3_apply(rigid_world_inertia(b, i), turn)));
    }
}

/* A function of positions alone, so that a resumed run knows what the other one did. */
static PlimStatus find_crossings(RigidBodies *b, const StepInfo *step, const Vec3 *x) {
    RigidShells *shells = &b->shells;
    size_t count;
    TRY(mesh_collision_find_crossings(shells->collision, x, &count));
    shells->knows_crossings = true;
    shells->figures.left = (double)count;
    if (count == 0 || shells->has_warned) return PLIM_OK;
    shells->has_warned = true;
    int32_t faces[2], node, s[2];
    mesh_collision_crossing(shells->collision, 0, faces);
    for (int k = 0; k < 2; k++) mesh_collision_face(shells->collision, faces[k], &node, &s[k]);
    Vec3 at = x[node];
    context_log(step->context, PLIM_LOG_WARNING,
                "t = %g s: the thin shells '%s' and '%s' cross near (%g, %g, %g), %zu pairs of "
                "triangles in all; they pass through each other there until they part: move them "
                "apart at the start",
                step->time, b->extras.data[shells->shells.data[s[0]].body].name,
                b->extras.data[shells->shells.data[s[1]].body].name, at.x, at.y, at.z, count);
    return PLIM_OK;
}

static PlimStatus stop_hits(RigidBodies *b, const StepInfo *step, CollisionPair **hits,
                            size_t *count) {
    enum { PASSES = 10 };
    ShellFigures *figures = &b->shells.figures;
    TRY(find_hits(b, step, hits, count));
    for (int pass = 0; pass<PASSES && * count> 0; pass++) {
        figures->passes++;
        figures->hits += (double)*count;
        for (size_t k = 0; k < *count; k++) stop_hit(b, &(*hits)[k]);
        TRY(find_hits(b, step, hits, count));
    }
    return PLIM_OK;
}

/* Holds x^{n+1} of all bodies. After it no two shells have crossed on the way. */
PlimStatus rigid_keep_shells_apart(RigidBodies *b, const StepInfo *step) {
    RigidShells *shells = &b->shells;
    CollisionPair *hits;
    size_t count;
    if (!rigid_contact_is_on(b) || b->options.plane) return PLIM_OK;
    if (shells->body_count != rigid_count(b)) TRY(create(b, step));
    if (!shells->collision) return PLIM_OK;
    shells->figures = (ShellFigures){.left = shells->figures.left};
    read_shells(b);
    if (!shells->knows_crossings) TRY(find_crossings(b, step, shells->x0.data));
    TRY(stop_hits(b, step, &hits, &count));
    while (count > 0 && shell_groups_grow(b, hits, count)) TRY(find_hits(b, step, &hits, &count));
    for (size_t s = 0; s < shells->shells.count; s++) {
        const ShellBody *shell = &shells->shells.data[s];
        shells->figures.joined += shell->group != (int32_t)s;
        shells->figures.still += shell->stands;
    }
    if (count > 0 || shells->figures.left > 0) TRY(find_crossings(b, step, shells->x1.data));
    store_shells(b, step);
    return PLIM_OK;
}
