/* Tunnelling, passes that contact did not see or could not hold: a body fast enough to be before
 * another at one end of the step and behind it at the other (000 section 2.4), or pressed through
 * it by a load. They are counted, not undone. */
#include "rigid/contact/contact_stages.h"
#include "rigid/plane.h"

/* Where the centre of `i` is in the axes of the triangles, or of the cut, of `j`, a part of the
 * step on its way. */
static Vec3 seen_from(const RigidBodies *b, size_t i, size_t j, double part) {
    const BodyBefore *before_i = &b->contacts.before.data[i],
                     *before_j = &b->contacts.before.data[j];
    Vec3 now_i = vec3_load(b->position + 3 * i), now_j = vec3_load(b->position + 3 * j);
    Vec3 at_i = vec3_add_scaled(before_i->position, part, vec3_sub(now_i, before_i->position));
    Vec3 at_j = vec3_add_scaled(before_j->position, part, vec3_sub(now_j, before_j->position));
    Quat turn = part < 0.5 ? before_j->orientation : quat_load(b->orientation + 4 * j);
    if (b->options.plane) {
        Frame frame = plane_frame(b, j, at_j, turn);
        return frame_to_own(&frame, at_i);
    }
    return vec3_sub(quat_rotate_inverse(turn, vec3_sub(at_i, at_j)), b->extras.data[j].mesh_offset);
}

static bool has_inside(const RigidBodies *b, size_t j) {
    if (b->options.plane) return b->cuts.data[j].shape.kind != PLANE_EMPTY;
    return rigid_shape(b, j)->collide.has_field;
}

static double distance_to(const RigidBodies *b, size_t j, Vec3 p) {
    if (b->options.plane) return plane_shape_side(&b->cuts.data[j].shape, p).distance;
    return solid_distance(&rigid_shape(b, j)->collide.solid, p);
}

/* Outside at both ends, inside on the way, which is walked in steps of the distance that is left.
 */
static bool passed_through(const RigidBodies *b, size_t i, size_t j, double length) {
    if (!isfinite(rigid_size(b, i))) return false; /* a half space has no centre */
    if (!has_inside(b, j) || distance_to(b, j, seen_from(b, i, j, 1.0)) < 0.0) return false;
    double least = 0.05 * rigid_ball_radius(b, j) / length;
    for (double part = 0.0; part < 1.0;) {
        double distance = distance_to(b, j, seen_from(b, i, j, part));
        if (distance < 0.0) return part > 0.0;
        part += fmax(distance / length, least);
    }
    return false;
}

void contacts_count_tunnelled(RigidBodies *bodies) {
    RigidContacts *contacts = &bodies->contacts;
    for (size_t p = 0; p < contacts->near.items.count; p++) {
        size_t a = (size_t)contacts->near.items.data[p].a,
               b = (size_t)contacts->near.items.data[p].b;
        /* Who is outside a half space at both ends was so on the way. */
        if (rigid_is_still_surface(bodies, b)) continue;
        Vec3 moved = vec3_sub(seen_from(bodies, a, b, 1.0), seen_from(bodies, a, b, 0.0));
        double size = fmin(rigid_size(bodies, a), rigid_size(bodies, b));
        double length = vec3_length(moved);
        bool dynamic = bodies->motion[a] == PLIM_DYNAMIC || bodies->motion[b] == PLIM_DYNAMIC;
        if (!dynamic || !(length > 0.5 * size) || !isfinite(length)) continue;
        contacts->figures.missed +=
            passed_through(bodies, a, b, length) || passed_through(bodies, b, a, length);
    }
}

/* What a load presses into another by more than half of the thinner one comes out on the far side.
 */
void contacts_count_pressed_through(RigidBodies *bodies) {
    RigidContacts *contacts = &bodies->contacts;
    for (size_t p = 0; p < contacts->pairs.count; p++) {
        const ContactPair *pair = &contacts->pairs.data[p];
        double gap = 0.0, half = -0.5 * pair->size;
        for (int32_t k = 0; k < pair->rows; k++)
            gap = fmin(gap, contacts->rows.data[pair->first + k].gap);
        contacts->figures.missed += gap < half && pair->gap_before >= half;
    }
}
