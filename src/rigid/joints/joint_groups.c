/* Groups of bodies that joints connect: who belongs together, and the order in which the rows of a
 * group are eliminated. Laid out once; joints that break are rows that are off. */
#include "rigid/bodies.h"

#include <stdlib.h>

static int32_t root_of(int32_t *parent, int32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/* ---- who belongs together ---- */

typedef struct Ordered {
    int32_t group, index;
} Ordered;

static int compare_ordered(const void *x, const void *y) {
    const Ordered *a = x, *b = y;
    if (a->group != b->group) return a->group < b->group ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static void find_roots(const RigidBodies *b, int32_t *parent) {
    const RigidJoints *joints = &b->joints;
    for (size_t i = 0; i < rigid_count(b); i++) parent[i] = (int32_t)i;
    for (size_t j = 0; j < joint_count(joints); j++) {
        const int32_t *body = joints->joints.data[j].body;
        if (!rigid_is_dynamic(b, (size_t)body[0]) || !rigid_is_dynamic(b, (size_t)body[1]))
            continue;
        int32_t first = root_of(parent, body[0]), second = root_of(parent, body[1]);
        if (first != second)
            parent[first > second ? first : second] = first > second ? second : first;
    }
}

/* Joints by group, each group by its lowest body. */
static bool list_joints(RigidBodies *b, int32_t *parent) {
    RigidJoints *joints = &b->joints;
    size_t count = joint_count(joints);
    Ordered *order = context_allocate(b->context, count + 1, sizeof *order);
    if (!order) return false;
    for (size_t j = 0; j < count; j++) {
        const int32_t *body = joints->joints.data[j].body;
        int32_t moved = rigid_is_dynamic(b, (size_t)body[1]) ? body[1] : body[0];
        order[j] = (Ordered){root_of(parent, moved), (int32_t)j};
    }
    qsort(order, count, sizeof *order, compare_ordered);
    bool good = true;
    for (size_t j = 0; good && j < count; j++) {
        if (j == 0 || order[j].group != order[j - 1].group) {
            JointGroup group = {.first_joint = j, .held = -1};
            good = array_push(b->context, &joints->groups, group);
            if (!good) break;
        }
        joints->groups.data[joints->groups.count - 1].joint_count++;
        good = array_push(b->context, &joints->list, order[j].index);
    }
    context_free(b->context, order, count + 1, sizeof *order);
    return good;
}

/* Bodies of each group in the order of its joints. */
static bool list_members(RigidBodies *b) {
    RigidJoints *joints = &b->joints;
    for (size_t i = 0; i <= rigid_count(b); i++)
        if (!array_push(b->context, &joints->group_of, -1)) return false;
    for (size_t g = 0; g < joints->groups.count; g++) {
        JointGroup *group = &joints->groups.data[g];
        group->first_body = joints->members.count;
        for (size_t k = 0; k < group->joint_count; k++) {
            const RigidJoint *joint =
                &joints->joints.data[joints->list.data[group->first_joint + k]];
            for (int side = 0; side < 2; side++) {
                int32_t *of = &joints->group_of.data[joint->body[side] + 1];
                if (!rigid_is_dynamic(b, (size_t)joint->body[side])) {
                    *of = JOINT_GROUP_PARTNER;
                } else if (*of < 0) {
                    *of = (int32_t)g;
                    if (!array_push(b->context, &joints->members, joint->body[side])) return false;
                }
            }
        }
        group->body_count = joints->members.count - group->first_body;
    }
    return true;
}

/* ---- blocks of D M^-1 D^T ---- */

typedef struct Attached {
    int32_t body, local, side; /* a joint of the group, and its side */
} Attached;

static int compare_attached(const void *x, const void *y) {
    const Attached *a = x, *b = y;
    if (a->body != b->body) return a->body < b->body ? -1 : 1;
    if (a->local != b->local) return a->local < b->local ? -1 : 1;
    return (a->side > b->side) - (a->side < b->side);
}

static int compare_edges(const void *x, const void *y) {
    const int32_t *a = x, *b = y;
    if (a[0] != b[0]) return a[0] < b[0] ? -1 : 1;
    return (a[1] > b[1]) - (a[1] < b[1]);
}

typedef struct GroupLayout {
    ARRAY(Attached) attached;
    ARRAY(int32_t) edges, sizes; /* edges: two a pair */
} GroupLayout;

static bool list_attached(RigidBodies *b, const JointGroup *group, GroupLayout *layout) {
    RigidJoints *joints = &b->joints;
    layout->attached.count = layout->edges.count = layout->sizes.count = 0;
    for (size_t k = 0; k < group->joint_count; k++) {
        size_t j = (size_t)joints->list.data[group->first_joint + k];
        const RigidJoint *joint = &joints->joints.data[j];
        if (!array_push(b->context, &layout->sizes, (int32_t)joints->row_count.data[j]))
            return false;
        for (int side = 0; side < 2; side++) {
            Attached attached = {joint->body[side], (int32_t)k, side};
            if (rigid_is_dynamic(b, (size_t)joint->body[side]) &&
                !array_push(b->context, &layout->attached, attached))
                return false;
        }
    }
    if (layout->attached.count > 1)
        qsort(layout->attached.data, layout->attached.count, sizeof(Attached), compare_attached);
    return true;
}

/* All pairs of joints at each body, a joint with itself first. */
static bool list_couplings(RigidBodies *b, JointGroup *group, GroupLayout *layout) {
    const Attached *list = layout->attached.data;
    for (size_t begin = 0, end; begin < layout->attached.count; begin = end) {
        for (end = begin; end < layout->attached.count && list[end].body == list[begin].body;)
            end++;
        for (size_t i = begin; i < end; i++)
            for (size_t k = begin; k <= i; k++) {
                JointCoupling coupling = {.joint = {list[i].local, list[k].local},
                                          .side = {list[i].side, list[k].side},
                                          .body = list[i].body};
                if (!array_push(b->context, &group->couplings, coupling)) return false;
                if (i == k) continue;
                if (!array_push(b->context, &layout->edges, list[k].local) ||
                    !array_push(b->context, &layout->edges, list[i].local))
                    return false;
            }
    }
    return true;
}

static size_t drop_doubles(GroupLayout *layout) {
    size_t count = layout->edges.count / 2, kept = 0;
    int32_t *edges = layout->edges.data;
    if (count > 1) qsort(edges, count, 2 * sizeof *edges, compare_edges);
    for (size_t e = 0; e < count; e++) {
        if (kept > 0 && edges[2 * kept - 2] == edges[2 * e] &&
            edges[2 * kept - 1] == edges[2 * e + 1])
            continue;
        edges[2 * kept] = edges[2 * e];
        edges[2 * kept + 1] = edges[2 * e + 1];
        kept++;
    }
    return kept;
}

static PlimStatus lay_out_group(RigidBodies *b, JointGroup *group, GroupLayout *layout) {
    RigidJoints *joints = &b->joints;
    if (!list_attached(b, group, layout) || !list_couplings(b, group, layout))
        return PLIM_OUT_OF_MEMORY;
    size_t edges = drop_doubles(layout);
    TRY(block_ldl_lay_out(b->context, &group->factor, layout->sizes.data, group->joint_count,
                          (const int32_t(*)[2])layout->edges.data, edges));
    for (size_t c = 0; c < group->couplings.count; c++) {
        JointCoupling *coupling = &group->couplings.data[c];
        coupling->place =
            block_ldl_find(&group->factor, (size_t)coupling->joint[0], (size_t)coupling->joint[1]);
    }
    group->first_row = joints->vector.count;
    if (!array_reserve(b->context, &joints->vector, group->factor.row_count + 1))
        return PLIM_OUT_OF_MEMORY;
    joints->vector.count += group->factor.row_count;
    return PLIM_OK;
}

static PlimStatus lay_out_groups(RigidBodies *b) {
    RigidJoints *joints = &b->joints;
    PlimStatus status = PLIM_OK;
    GroupLayout layout = {0};
    for (size_t g = 0; status == PLIM_OK && g < joints->groups.count; g++)
        status = lay_out_group(b, &joints->groups.data[g], &layout);
    array_free(b->context, &layout.attached);
    array_free(b->context, &layout.edges);
    array_free(b->context, &layout.sizes);
    return status;
}

/* ---- all ---- */

static int compare_pairs(const void *x, const void *y) {
    const JoinedPair *a = x, *b = y;
    if (a->a != b->a) return a->a < b->a ? -1 : 1;
    if (a->b != b->b) return a->b < b->b ? -1 : 1;
    return (a->joint > b->joint) - (a->joint < b->joint);
}

static void forget(RigidBodies *b) {
    RigidJoints *joints = &b->joints;
    for (size_t g = 0; g < joints->groups.count; g++) {
        block_ldl_free(&joints->groups.data[g].factor);
        array_free(b->context, &joints->groups.data[g].couplings);
    }
    joints->groups.count = joints->list.count = joints->members.count = 0;
    joints->group_of.count = joints->vector.count = 0;
}

PlimStatus joints_lay_out(RigidBodies *b) {
    RigidJoints *joints = &b->joints;
    if (joints->is_laid_out) return PLIM_OK;
    forget(b);
    joints->bodies.count = 0;
    if (!array_reserve(b->context, &joints->bodies, rigid_count(b) + 1)) return PLIM_OUT_OF_MEMORY;
    joints->bodies.count = rigid_count(b) + 1;
    joints->kept.count = 0;
    if (!array_reserve(b->context, &joints->kept, rigid_count(b) + 1)) return PLIM_OUT_OF_MEMORY;
    joints->kept.count = rigid_count(b) + 1;
    joints->actions.count = 0;
    if (!array_reserve(b->context, &joints->actions, joint_count(joints) + 1))
        return PLIM_OUT_OF_MEMORY;
    joints->actions.count = joint_count(joints);
    for (size_t j = 0; j < joint_count(joints); j++)
        joints->actions.data[j] = (JointAction){.is_clamped = true};
    int32_t *parent = context_allocate(b->context, rigid_count(b) + 1, sizeof *parent);
    if (!parent) return PLIM_OUT_OF_MEMORY;
    find_roots(b, parent);
    bool good = list_joints(b, parent) && list_members(b);
    context_free(b->context, parent, rigid_count(b) + 1, sizeof *parent);
    if (!good) return PLIM_OUT_OF_MEMORY;
    TRY(lay_out_groups(b));
    if (joints->joined.count > 1)
        qsort(joints->joined.data, joints->joined.count, sizeof(JoinedPair), compare_pairs);
    joints->is_laid_out = true;
    return PLIM_OK;
}

bool joints_part(const RigidBodies *b, size_t i, size_t j) {
    const RigidJoints *joints = &b->joints;
    int32_t a = (int32_t)(i < j ? i : j), c = (int32_t)(i < j ? j : i);
    size_t low = 0, high = joints->joined.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const JoinedPair *pair = &joints->joined.data[middle];
        if (pair->a < a || (pair->a == a && pair->b < c))
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < joints->joined.count; low++) {
        const JoinedPair *pair = &joints->joined.data[low];
        if (pair->a != a || pair->b != c) return false;
        if (!b->joint_broken[pair->joint]) return true;
    }
    return false;
}
