/* Thin shells that still meet after all impulses move as one rigid body (000 section 2.14), with
 * the momenta that they have together: an impact zone of whole bodies. One that is not moved by
 * impulses leads its group. Where that does not help the group stands still for the step, as it was
 * at its start. */
#include "rigid/contact/shell_stage.h"

/* What a group does in the step: x goes to to + turn (x - from). */
typedef struct GroupMotion {
    Vec3 from, to;
    Quat turn;
} GroupMotion;

typedef struct GroupSums {
    double mass;
    Vec3 place, shift, momentum; /* times mass; angular */
    Mat3 inertia;
    int32_t leader; /* a shell that impulses do not move; -1: none */
} GroupSums;

static bool is_in(const RigidShells *shells, size_t s, int32_t group) {
    return shells->shells.data[s].group == group;
}

static Mat3 inertia_before(const RigidBodies *b, const ShellBody *shell) {
    Mat3 axes = quat_to_mat3(shell->turned), own = mat3_load(b->inertia + 9 * shell->body);
    return mat3_multiply(mat3_multiply(axes, own), mat3_transpose(axes));
}

static GroupSums sum_up(const RigidBodies *b, int32_t group) {
    const RigidShells *shells = &b->shells;
    GroupSums sums = {.leader = -1};
    for (size_t s = 0; s < shells->shells.count; s++) {
        const ShellBody *shell = &shells->shells.data[s];
        if (!is_in(shells, s, group)) continue;
        if (!shell->moves && sums.leader < 0) sums.leader = (int32_t)s;
        double mass = b->mass[shell->body];
        sums.mass += mass;
        sums.place = vec3_add_scaled(sums.place, mass, shell->from);
        sums.shift = vec3_add_scaled(sums.shift, mass, vec3_sub(shell->to, shell->from));
    }
    sums.place = vec3_scale(1 / sums.mass, sums.place);
    sums.shift = vec3_scale(1 / sums.mass, sums.shift);
    for (size_t s = 0; s < shells->shells.count; s++) {
        const ShellBody *shell = &shells->shells.data[s];
        if (!is_in(shells, s, group)) continue;
        double mass = b->mass[shell->body];
        Vec3 arm = vec3_sub(shell->from, sums.place);
        Vec3 turn = quat_log(quat_multiply(shell->turns, quat_conjugate(shell->turned)));
        Mat3 inertia = inertia_before(b, shell);
        Mat3 about =
            mat3_add(mat3_diagonal(vec3_dot(arm, arm), vec3_dot(arm, arm), vec3_dot(arm, arm)),
                     mat3_scale(-1, mat3_outer(arm, arm)));
        sums.inertia = mat3_add(sums.inertia, mat3_add(inertia, mat3_scale(mass, about)));
        sums.momentum = vec3_add(sums.momentum, mat3_apply(inertia, turn));
        sums.momentum =
            vec3_add_scaled(sums.momentum, mass, vec3_cross(arm, vec3_sub(shell->to, shell->from)));
    }
    return sums;
}

static GroupMotion motion_of(const RigidBodies *b, int32_t group) {
    GroupSums sums = sum_up(b, group);
    if (sums.leader >= 0) {
        const ShellBody *leader = &b->shells.shells.data[sums.leader];
        return (GroupMotion){leader->from, leader->to,
                             quat_multiply(leader->turns, quat_conjugate(leader->turned))};
    }
    Vec3 turn = mat3_apply(mat3_inverse(sums.inertia), sums.momentum);
    return (GroupMotion){sums.place, vec3_add(sums.place, sums.shift), quat_exp(turn)};
}

static bool has_others(const RigidShells *shells, int32_t group) {
    for (size_t s = (size_t)group + 1; s < shells->shells.count; s++)
        if (is_in(shells, s, group)) return true;
    return false;
}

static void move_group(RigidBodies *b, int32_t group) {
    RigidShells *shells = &b->shells;
    if (!has_others(shells, group)) return;
    GroupMotion motion = motion_of(b, group);
    for (size_t s = 0; s < shells->shells.count; s++) {
        ShellBody *shell = &shells->shells.data[s];
        if (!is_in(shells, s, group) || !shell->moves) continue;
        Vec3 arm = vec3_sub(shell->from, motion.from);
        shell->to =
            shell->stands ? shell->from : vec3_add(motion.to, quat_rotate(motion.turn, arm));
        shell->turns = shell->stands ? shell->turned
                                     : quat_normalize(quat_multiply(motion.turn, shell->turned));
        shell_place_nodes(b, shell);
    }
}

/* Named after its least shell, so that the order of hits does not matter. */
static void merge(RigidShells *shells, int32_t one, int32_t other) {
    int32_t low = one < other ? one : other;
    bool stands = false;
    for (size_t s = 0; s < shells->shells.count; s++)
        if (is_in(shells, s, one) || is_in(shells, s, other))
            stands = stands || shells->shells.data[s].stands;
    for (size_t s = 0; s < shells->shells.count; s++) {
        if (!is_in(shells, s, one) && !is_in(shells, s, other)) continue;
        shells->shells.data[s].group = low;
        shells->shells.data[s].stands = stands;
    }
}

static void stand(RigidShells *shells, int32_t group) {
    for (size_t s = 0; s < shells->shells.count; s++)
        if (is_in(shells, s, group)) shells->shells.data[s].stands = true;
}

bool shell_groups_grow(RigidBodies *b, const CollisionPair *hits, size_t count) {
    RigidShells *shells = &b->shells;
    bool grew = false;
    for (size_t k = 0; k < count; k++) {
        int32_t s[2];
        shell_pair(shells, &hits[k], s);
        const ShellBody *one = &shells->shells.data[s[0]], *other = &shells->shells.data[s[1]];
        if (one->group != other->group)
            merge(shells, one->group, other->group);
        else if (!one->stands)
            stand(shells, one->group);
        else
            continue;
        grew = true;
    }
    for (size_t s = 0; s < shells->shells.count && grew; s++)
        if (is_in(shells, s, (int32_t)s)) move_group(b, (int32_t)s);
    return grew;
}
