/* Rooms of domains: boxes, endless along some axes, less others. */
#include "geom/query/room.h"

bool room_holds(const Room *room, Vec3 x) {
    if (!room->others) return true;
    if (!box3_contains(room->box, x)) return false;
    for (size_t i = 0; i < room->other_count; i++) {
        const Box3 *other = &room->others[i];
        if (box3_contains(*other, x) && x.x < other->high.x && x.y < other->high.y &&
            x.z < other->high.z)
            return false;
    }
    return true;
}

static bool is_empty(Box3 box) {
    return !(box.low.x < box.high.x && box.low.y < box.high.y && box.low.z < box.high.z);
}

/* The box less `other`, if that is a box again: where `other` covers it along the two other axes.
 */
static Box3 cut_off(Box3 box, const Box3 *other) {
    double low[3], high[3], from[3], to[3];
    vec3_store(low, box.low);
    vec3_store(high, box.high);
    vec3_store(from, other->low);
    vec3_store(to, other->high);
    for (int axis = 0; axis < 3; axis++) {
        int b = (axis + 1) % 3, c = (axis + 2) % 3;
        if (from[b] > low[b] || to[b] < high[b] || from[c] > low[c] || to[c] < high[c]) continue;
        if (from[axis] <= low[axis]) low[axis] = fmax(low[axis], to[axis]);
        if (to[axis] >= high[axis]) high[axis] = fmin(high[axis], from[axis]);
    }
    return (Box3){vec3_load(low), vec3_load(high)};
}

/* Whether nothing but rounding is left of a box. */
static bool is_sliver(Box3 left, Box3 box) {
    const double rounding = 1e-9;
    double size[3], of[3];
    vec3_store(size, vec3_sub(left.high, left.low));
    vec3_store(of, vec3_sub(box.high, box.low));
    for (int axis = 0; axis < 3; axis++)
        if (isfinite(of[axis]) && !(size[axis] > rounding * of[axis])) return true;
    return is_empty(left);
}

bool room_meets(const Room *room, Box3 box) {
    const Box3 whole = box;
    if (!room->others) return true;
    box = (Box3){vec3_max(box.low, room->box.low), vec3_min(box.high, room->box.high)};
    /* What one leaves may be covered by another that was looked at before. */
    for (size_t round = 0; round < room->other_count; round++)
        for (size_t i = 0; i < room->other_count && !is_empty(box); i++)
            box = cut_off(box, &room->others[i]);
    return !is_sliver(box, whole);
}
