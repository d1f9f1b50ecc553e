/* Polygon triangulation by ear clipping; convex polygons as fans. */
#include "geom/mesh/mesh_polygon.h"

#include <stdbool.h>

/* Keeps a polygon of a million corners from taking hours. */
enum { STEPS_PER_CORNER = 1024 };

/* Twice the area vector; zero for a polygon that has no side to look at. */
static Vec3 polygon_normal(const Vec3 *vertices, const int32_t *corners, size_t count) {
    Vec3 sum = {0}, origin = vertices[corners[0]];
    for (size_t i = 1; i + 1 < count; i++)
        sum = vec3_add(sum, vec3_cross(vec3_sub(vertices[corners[i]], origin),
                                       vec3_sub(vertices[corners[i + 1]], origin)));
    return sum;
}

/* Positive when a, b, c turn to the left seen against the normal. */
static double turn(Vec3 a, Vec3 b, Vec3 c, Vec3 normal) {
    return vec3_dot(normal, vec3_cross(vec3_sub(b, a), vec3_sub(c, a)));
}

static void cut_fan(const int32_t *corners, size_t count, int32_t (*out)[3]) {
    for (size_t i = 1; i + 1 < count; i++, out++) {
        (*out)[0] = corners[0];
        (*out)[1] = corners[i];
        (*out)[2] = corners[i + 1];
    }
}

static bool fan_is_right(const Vec3 *vertices, const int32_t *corners, size_t count, Vec3 normal) {
    for (size_t i = 1; i + 1 < count; i++)
        if (!(turn(vertices[corners[0]], vertices[corners[i]], vertices[corners[i + 1]], normal) >
              0.0))
            return false;
    return true;
}

/* The ring of corners that are left. */
typedef struct Ring {
    const Vec3 *vertices;
    const int32_t *corners;
    int32_t *previous, *next;
    Vec3 normal;
    size_t steps; /* that may still be taken */
} Ring;

static Vec3 ring_point(const Ring *ring, int32_t i) {
    return ring->vertices[ring->corners[i]];
}

static double ring_turn(const Ring *ring, int32_t i) {
    return turn(ring_point(ring, ring->previous[i]), ring_point(ring, i),
                ring_point(ring, ring->next[i]), ring->normal);
}

static bool same_place(Vec3 a, Vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* A left turn whose triangle holds none of the corners that turn right. */
static bool is_ear(Ring *ring, int32_t i) {
    int32_t before = ring->previous[i], after = ring->next[i];
    if (!(ring_turn(ring, i) > 0.0)) return false;
    Vec3 a = ring_point(ring, before), b = ring_point(ring, i), c = ring_point(ring, after);
    for (int32_t j = ring->next[after]; j != before; j = ring->next[j]) {
        if (ring->steps == 0) return false;
        ring->steps--;
        Vec3 p = ring_point(ring, j);
        /* One at the place of a or c does not block: the bridge to a hole is run twice. */
        if (turn(a, b, p, ring->normal) >= 0.0 && turn(b, c, p, ring->normal) >= 0.0 &&
            turn(c, a, p, ring->normal) >= 0.0 && !same_place(p, a) && !same_place(p, c) &&
            ring_turn(ring, j) <= 0.0)
            return false;
    }
    return true;
}

static void cut_ears(Ring *ring, size_t count, int32_t (*out)[3]) {
    int32_t at = 0;
    size_t left = count;
    for (size_t tried = 0; left > 3 && tried < left && ring->steps > 0;) {
        int32_t before = ring->previous[at], after = ring->next[at];
        if (!is_ear(ring, at)) {
            tried++;
            at = after;
            continue;
        }
        (*out)[0] = ring->corners[before];
        (*out)[1] = ring->corners[at];
        (*out)[2] = ring->corners[after];
        out++;
        ring->next[before] = after;
        ring->previous[after] = before;
        left--;
        tried = 0;
        at = ring->next[after]; /* not the next one: spreads the ears, and fewer needles come out */
    }
    for (int32_t b = ring->next[at]; left > 2; left--, b = ring->next[b], out++) {
        (*out)[0] = ring->corners[at];
        (*out)[1] = ring->corners[b];
        (*out)[2] = ring->corners[ring->next[b]];
    }
}

void polygon_cut(const Vec3 *vertices, const int32_t *corners, size_t count, int32_t *links,
                 int32_t (*out)[3]) {
    Vec3 normal = vec3_normalize(polygon_normal(vertices, corners, count));
    if (fan_is_right(vertices, corners, count, normal) || !(vec3_length(normal) > 0.0)) {
        cut_fan(corners, count, out);
        return;
    }
    Ring ring = {vertices, corners, links, links + count, normal, 0};
    ring.steps = count * (count < STEPS_PER_CORNER ? count : STEPS_PER_CORNER);
    for (size_t i = 0; i < count; i++) {
        ring.previous[i] = (int32_t)(i > 0 ? i - 1 : count - 1);
        ring.next[i] = (int32_t)(i + 1 < count ? i + 1 : 0);
    }
    cut_ears(&ring, count, out);
}
