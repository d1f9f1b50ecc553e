/* Narrow phase in two dimensions: where two bodies of a plane touch. Two convex polygons: along the
 * side that separates them best, at the ends of the part of the other's side that lies over it. All
 * else: corners, and the cores of round ones, in the distance to the other. */
#include "collide/plane_shape.h"

/* As for polyhedra: one's sides are preferred to the other's, by this part of the size and of the
 * depth, so that a pair does not change its mind from step to step. */
static const double PREFER = 1e-4;
static const double PREFER_DEPTH = 0.02;
static const double TIE = 1e-9;
/* Cosine above which a corner looks away from what is near it. */
static const double LOOKS_AWAY = 0.01;

/* ---- distance ---- */

static PlaneSide round_side(const PlaneShape *shape, Vec3 p) {
    Vec3 along = vec3_sub(shape->ends[1], shape->ends[0]), apart = vec3_sub(p, shape->ends[0]);
    double square = vec3_dot(along, along), part = 0.0;
    if (square > 0.0) part = fmin(fmax(vec3_dot(apart, along) / square, 0.0), 1.0);
    apart = vec3_add_scaled(apart, -part, along);
    double length = vec3_length(apart);
    Vec3 across = square > 0.0 ? vec3_normalize(vec3(-along.y, along.x, 0)) : vec3(0, 1, 0);
    return (PlaneSide){length - shape->radius,
                       length > 0.0 ? vec3_scale(1.0 / length, apart) : across};
}

/* At a corner both of its sides are as near. */
static PlaneSide corner_side(const PlaneShape *shape, const PlaneEdge *before,
                             const PlaneEdge *after, Vec3 p) {
    Vec3 apart = vec3_sub(p, after->from), between = vec3_add(before->normal, after->normal);
    double length = vec3_length(apart);
    if (!(length > 1e-12 * shape->reach)) return (PlaneSide){0.0, vec3_normalize(between)};
    double sign = vec3_dot(apart, between) > 0.0 ? 1.0 : -1.0;
    return (PlaneSide){sign * length, vec3_scale(sign / length, apart)};
}

static PlaneSide loops_side(const PlaneShape *shape, Vec3 p) {
    const PlaneEdge *nearest = shape->edges;
    double least = HUGE_VAL, place = 0.0;
    for (size_t i = 0; i < shape->count; i++) {
        const PlaneEdge *edge = &shape->edges[i];
        Vec3 along = vec3_sub(edge->to, edge->from), apart = vec3_sub(p, edge->from);
        double part = fmin(fmax(vec3_dot(apart, along) / vec3_dot(along, along), 0.0), 1.0);
        apart = vec3_add_scaled(apart, -part, along);
        double square = vec3_dot(apart, apart);
        if (!(square < least)) continue;
        least = square;
        nearest = edge;
        place = part;
    }
    if (place == 0.0) return corner_side(shape, &shape->edges[nearest->previous], nearest, p);
    if (place == 1.0) return corner_side(shape, nearest, &shape->edges[nearest->next], p);
    return (PlaneSide){vec3_dot(nearest->normal, vec3_sub(p, nearest->from)), nearest->normal};
}

PlaneSide plane_shape_side(const PlaneShape *shape, Vec3 p) {
    p.z = 0.0;
    switch (shape->kind) {
    case PLANE_ROUND:
        return round_side(shape, p);
    case PLANE_LOOPS:
        return loops_side(shape, p);
    case PLANE_HALF:
        return (PlaneSide){vec3_dot(shape->normal, p) - shape->offset, shape->normal};
    case PLANE_EMPTY:
        break;
    }
    return (PlaneSide){HUGE_VAL, vec3(0, 1, 0)};
}

/* ---- samples of one in the distance to the other ---- */

typedef struct PlanePair {
    const PlaneShape *a, *b; /* points of a, the outline of b */
    const Frame *at_b;
    Frame to_b; /* axes of a to those of b */
    double margin;
    bool flip; /* the pair is b, a */
    ContactPoints *points;
} PlanePair;

static Frame relative(const Frame *at_a, const Frame *at_b) {
    return (Frame){mat3_multiply(mat3_transpose(at_b->axes), at_a->axes),
                   frame_to_own(at_b, at_a->origin)};
}

/* `place` and `normal` in the axes of b, out of b. */
static void add_point(const PlanePair *pair, Vec3 place, Vec3 normal, double gap, double radius) {
    Vec3 out = mat3_apply(pair->at_b->axes, normal);
    contact_points_add(pair->points,
                       (ContactPoint){.position = frame_to_world(pair->at_b, place),
                                      .normal = pair->flip ? vec3_scale(-1.0, out) : out,
                                      .gap = gap,
                                      .radius = radius > 0.0 ? radius : HUGE_VAL});
}

static void add_core(const PlanePair *pair, Vec3 own) {
    Vec3 p = frame_to_world(&pair->to_b, own);
    PlaneSide side = plane_shape_side(pair->b, p);
    double gap = side.distance - pair->a->radius;
    if (gap > pair->margin) return;
    Vec3 middle = vec3_add_scaled(p, -(pair->a->radius + 0.5 * gap), side.normal);
    add_point(pair, middle, side.normal, gap, pair->a->radius);
}

/* Left out is a corner into a, where others touch with their corners, and one outside b that looks
 * away from it: another part of a is nearer. */
static void add_corner(const PlanePair *pair, const PlaneEdge *before, const PlaneEdge *after) {
    if (vec3_cross(before->normal, after->normal).z < 0.0) return;
    Vec3 p = frame_to_world(&pair->to_b, after->from);
    PlaneSide side = plane_shape_side(pair->b, p);
    if (side.distance > pair->margin) return;
    Vec3 outward = vec3_normalize(vec3_add(before->normal, after->normal));
    outward = mat3_apply(pair->to_b.axes, outward);
    if (side.distance > -1e-6 * pair->a->size && vec3_dot(outward, side.normal) > LOOKS_AWAY)
        return;
    Vec3 middle = vec3_add_scaled(p, -0.5 * side.distance, side.normal);
    double radius = pair->b->kind == PLANE_ROUND ? pair->b->radius : 0.0;
    add_point(pair, middle, side.normal, side.distance, radius);
}

static void add_samples(const PlanePair *pair) {
    const PlaneShape *a = pair->a;
    if (a->kind == PLANE_ROUND) {
        add_core(pair, a->ends[0]);
        Vec3 along = vec3_sub(a->ends[1], a->ends[0]);
        if (vec3_dot(along, along) > 0.0) add_core(pair, a->ends[1]);
    }
    for (size_t i = 0; i < a->count; i++)
        add_corner(pair, &a->edges[a->edges[i].previous], &a->edges[i]);
}

/* ---- convex polygons ---- */

/* A side of one polygon, and how far before it the other one is. */
typedef struct SideAxis {
    double separation; /* m */
    size_t edge;
} SideAxis;

/* Of all sides of b the one that a is farthest before; stops at one beyond the margin. */
static SideAxis best_side(const PlanePair *pair) {
    SideAxis best = {-HUGE_VAL, 0};
    double tie = TIE * pair->b->size;
    for (size_t i = 0; i < pair->b->count && best.separation <= pair->margin; i++) {
        const PlaneEdge *edge = &pair->b->edges[i];
        Vec3 normal = mat3_apply_transpose(pair->to_b.axes, edge->normal);
        double least = HUGE_VAL;
        for (size_t k = 0; k < pair->a->count; k++)
            least = fmin(least, vec3_dot(normal, pair->a->edges[k].from));
        double to_side =
            vec3_dot(edge->normal, vec3_sub(edge->from, pair->to_b.origin)); /* in axes of b */
        if (least - to_side > best.separation + tie) best = (SideAxis){least - to_side, i};
    }
    return best;
}

/* The side of a that faces a side of b. */
static size_t facing_side(const PlanePair *pair, size_t edge) {
    Vec3 normal = mat3_apply_transpose(pair->to_b.axes, pair->b->edges[edge].normal);
    size_t facing = 0;
    for (size_t k = 1; k < pair->a->count; k++)
        if (vec3_dot(normal, pair->a->edges[k].normal) <
            vec3_dot(normal, pair->a->edges[facing].normal) - TIE)
            facing = k;
    return facing;
}

/* The ends of what lies over side `edge` of b of the side of a that faces it. */
static size_t add_side(const PlanePair *pair, size_t edge) {
    const PlaneEdge *side = &pair->b->edges[edge];
    const PlaneEdge *facing = &pair->a->edges[facing_side(pair, edge)];
    Vec3 p = frame_to_world(&pair->to_b, facing->from);
    Vec3 q = frame_to_world(&pair->to_b, facing->to);
    Vec3 along = vec3_normalize(vec3_sub(side->to, side->from));
    double length = vec3_length(vec3_sub(side->to, side->from));
    double at_p = vec3_dot(along, vec3_sub(p, side->from));
    double at_q = vec3_dot(along, vec3_sub(q, side->from));
    double over = at_q - at_p, part[2] = {0.0, 1.0}, inside = TIE * pair->b->size;
    if (fmax(at_p, at_q) < -inside || fmin(at_p, at_q) > length + inside) return 0;
    if (fabs(over) > inside) { /* else it stands upright on the side */
        double low = -at_p / over, high = (length - at_p) / over;
        part[0] = fmin(fmax(fmin(low, high), 0.0), 1.0);
        part[1] = fmin(fmax(fmax(low, high), 0.0), 1.0);
    }
    size_t added = 0;
    for (int end = 0; end < 2; end++) {
        Vec3 place = vec3_add_scaled(p, part[end], vec3_sub(q, p));
        double gap = vec3_dot(side->normal, vec3_sub(place, side->from));
        if (gap > pair->margin || (end == 1 && part[1] - part[0] < TIE)) continue;
        add_point(pair, vec3_add_scaled(place, -0.5 * gap, side->normal), side->normal, gap, 0.0);
        added++;
    }
    return added;
}

/* The deepest corner of a alone, whether or not it lies over the side. */
static void add_deepest_corner(const PlanePair *pair, const SideAxis *axis) {
    const PlaneEdge *side = &pair->b->edges[axis->edge];
    Vec3 deepest = frame_to_world(&pair->to_b, pair->a->edges[0].from);
    for (size_t k = 1; k < pair->a->count; k++) {
        Vec3 p = frame_to_world(&pair->to_b, pair->a->edges[k].from);
        if (vec3_dot(side->normal, vec3_sub(p, deepest)) < 0.0) deepest = p;
    }
    add_point(pair, vec3_add_scaled(deepest, -0.5 * axis->separation, side->normal), side->normal,
              axis->separation, 0.0);
}

/* `pair` has the outline of b, `other` that of a. */
static void convex_contact(const PlanePair *pair, const PlanePair *other) {
    SideAxis of_b = best_side(pair), of_a = best_side(other);
    if (of_b.separation > pair->margin || of_a.separation > pair->margin) return;
    double size = fmin(pair->a->size, pair->b->size);
    double prefer = PREFER * size + PREFER_DEPTH * fabs(of_a.separation);
    bool take_b = of_b.separation > of_a.separation + prefer;
    const PlanePair *chosen = take_b ? pair : other;
    const SideAxis *axis = take_b ? &of_b : &of_a;
    if (add_side(chosen, axis->edge) > 0 || axis->separation > 0.0) return;
    add_deepest_corner(chosen, axis);
}

/* ---- pairs ---- */

static bool is_disc(const PlaneShape *shape) {
    Vec3 along = vec3_sub(shape->ends[1], shape->ends[0]);
    return shape->kind == PLANE_ROUND && vec3_dot(along, along) == 0.0;
}

static bool circles_apart(const PlaneShape *a, const Frame *at_a, const PlaneShape *b,
                          const Frame *at_b, double margin) {
    double reach = a->reach + b->reach + margin;
    Vec3 apart = vec3_sub(frame_to_world(at_a, a->center), frame_to_world(at_b, b->center));
    return vec3_dot(apart, apart) > reach * reach;
}

void plane_contact(const PlaneShape *a, const Frame *at_a, const PlaneShape *b, const Frame *at_b,
                   double margin, ContactPoints *points) {
    points->count = 0;
    if (a->kind == PLANE_EMPTY || b->kind == PLANE_EMPTY) return;
    if (circles_apart(a, at_a, b, at_b, margin)) return;
    PlanePair of_b = {a, b, at_b, relative(at_a, at_b), margin, false, points};
    PlanePair of_a = {b, a, at_a, relative(at_b, at_a), margin, true, points};
    if (a->kind == PLANE_LOOPS && b->kind == PLANE_LOOPS && a->convex && b->convex) {
        convex_contact(&of_b, &of_a);
        return;
    }
    /* The middle of a disc says all. */
    if (is_disc(a) || (!is_disc(b) && a->kind != PLANE_HALF)) add_samples(&of_b);
    if (!is_disc(a) && b->kind != PLANE_HALF) add_samples(&of_a);
}
