/* Sampled surfaces against a distance field (000 section 2.4): a sample tree is walked. */
#include "collide/sample.h"

#include "collide/sample_curve.h"
#include "collide/sample_field.h"
#include "collide/sample_tree.h"

/* Steps along the part of an edge that is in the field's box. */
enum { EDGE_STEPS = 18 };

/* Cosine of the angle past which two surfaces look the same way and cannot press on each other. */
static const double same_way = 0.25;

/* Sine of the angle between a normal and an edge below which the normal is along the edge. */
static const double along_edge = 0.3;

/* A sample at a distance within the margin. */
typedef struct Sample {
    Vec3 p;       /* b's axes */
    Vec3 inward;  /* unit, to a's inside; of a sheet to its middle */
    Vec3 along;   /* unit, of an edge; zero for a vertex */
    double least; /* cosine to `inward` of what it can press along */
    double distance;
    bool sided; /* a has an inside */
} Sample;

/* How well a face of b with this normal would press on the sample: a's inside is beyond it, and an
 * edge touches with its length, not with its ends. */
static double face_suits(const Sample *sample, Vec3 normal) {
    return vec3_dot(normal, sample->inward) - fabs(vec3_dot(normal, sample->along));
}

/* Among faces equally near the one that suits best; if none does, a face a little farther that
 * does: the rim of a coin on an equal coin is as near to the mantle as to the cap. */
static FieldSide choose_side(const FieldView *view, const Sample *sample, FieldSide nearest) {
    FieldSide sides[FIELD_MOST_SIDES];
    int count = distance_sides(view->solid, sample->p, sides);
    double highest = -HUGE_VAL, best = -HUGE_VAL;
    for (int i = 0; i < count; i++) highest = fmax(highest, sides[i].distance);
    for (int i = 0; i < count; i++) {
        double suits = face_suits(sample, sides[i].normal);
        if (sides[i].distance < highest - view->near_face || suits <= best) continue;
        best = suits;
        nearest = sides[i];
    }
    if (count == 0 || best >= -same_way) return nearest;
    FieldSide chosen = nearest;
    highest -= view->next_face;
    for (int i = 0; i < count; i++) {
        if (sides[i].distance < highest || face_suits(sample, sides[i].normal) < same_way) continue;
        highest = sides[i].distance;
        chosen = sides[i];
    }
    return chosen;
}

/* The two surfaces press on each other at right angles to an edge of one. Where the edge crosses an
 * edge of b, the field says one face or the other and the way between them is out of both. False:
 * the normal is along the edge, its end is what touches. Deep inside the field's word is kept. */
static bool straighten(const FieldView *view, const Sample *sample, FieldSide *side) {
    double lean = vec3_dot(side->normal, sample->along);
    if (sample->distance < -view->next_face || lean == 0.0) return true;
    double part = sqrt(fmax(1.0 - lean * lean, 0.0));
    if (part < along_edge) return false;
    if (sample->distance >= 0.0) return true;
    side->normal = vec3_normalize(vec3_add_scaled(side->normal, -lean, sample->along));
    side->distance /= part;
    return true;
}

/* `along`, `p` and the distance of the sample are in the axes of b, `inward` in those of a. */
static void add_sample(const FieldView *view, Sample sample) {
    Vec3 p = sample.p;
    double distance = sample.distance;
    sample.inward = mat3_apply(view->own_to_b.axes, sample.inward);
    sample.sided = vec3_dot(sample.inward, sample.inward) > 0.0;
    if (!sample.sided) sample.inward = vec3_normalize(vec3_sub(view->own_to_b.origin, p));
    FieldSide side = {distance, field_view_normal(view, p)};
    if (distance <= view->near_face) side = choose_side(view, &sample, side);
    /* Outside b, with a's inside between: another part of a is nearer. A little inside, b's face is
     * one that the edge runs along, and what it belongs to touches elsewhere. */
    bool edge = vec3_dot(sample.along, sample.along) > 0.0;
    double facing = vec3_dot(side.normal, sample.inward);
    if (sample.sided && distance > -(edge ? view->next_face : view->near_face) &&
        facing < -same_way)
        return;
    /* Within a nearly flat part of a what comes along the surface does not run into it. */
    if (sample.sided && distance > -view->next_face && facing < sample.least) return;
    if (straighten(view, &sample, &side)) field_view_add(view, p, 0.0, side.distance, side.normal);
}

static void vertex_contact(const FieldView *view, const SampleVertex *vertex) {
    Vec3 p = frame_to_world(&view->own_to_b, vertex->place);
    if (view->bounded && !box3_contains(view->box, p)) return;
    double distance = solid_distance(view->solid, p);
    if (distance <= view->margin)
        add_sample(view, (Sample){.p = p,
                                  .inward = vertex->inward,
                                  .least = vertex->least,
                                  .distance = distance});
}

/* Between its ends, which are vertices. */
static void edge_contact(const FieldView *view, const SampleEdge *edge) {
    Vec3 from = frame_to_world(&view->own_to_b, edge->from);
    Vec3 to = frame_to_world(&view->own_to_b, edge->to), along = vec3_sub(to, from);
    double length = vec3_length(along), part[2];
    double ends = distance_bound(view->solid, from) + distance_bound(view->solid, to);
    if (ends - length > 2.0 * view->margin) return;
    along = vec3_scale(1.0 / length, along);
    if (!field_view_clip(view, from, along, length, part)) return;
    Curve curve = {.solid = view->solid,
                   .start = from,
                   .along = along,
                   .begin = part[0],
                   .end = part[1],
                   .margin = view->margin};
    CurveStops stops;
    curve_find_stops(&curve, EDGE_STEPS, &stops);
    for (int i = 0; i < stops.count; i++) {
        if (stops.at[i] < 1e-6 * length || stops.at[i] > (1.0 - 1e-6) * length) continue;
        Vec3 p = curve_point(&curve, stops.at[i]);
        add_sample(view, (Sample){.p = p,
                                  .inward = edge->inward,
                                  .along = along,
                                  .least = edge->least,
                                  .distance = stops.gap[i]});
    }
}

static bool node_is_far(const FieldView *view, const SampleNode *node) {
    Vec3 center = frame_to_world(&view->own_to_b, node->center);
    if (view->bounded && box3_distance_squared(view->box, center) > node->reach * node->reach)
        return true;
    return distance_bound(view->solid, center) > view->margin + node->reach;
}

void sample_contact(const SampleTree *a, const Frame *at_a, const DistanceField *b,
                    const Frame *at_b, double margin, bool flip, ContactPoints *points) {
    FieldView view = field_view(at_a, b, at_b, margin, 0.0, flip, points);
    for (size_t i = 0; i < a->vertex_node_count;) {
        const SampleNode *node = &a->vertex_nodes[i];
        bool far = node_is_far(&view, node);
        for (uint32_t s = 0; s < node->count && !far; s++)
            vertex_contact(&view, &a->vertices[node->first + s]);
        i = far ? node->skip : i + 1;
    }
    for (size_t i = 0; i < a->edge_node_count;) {
        const SampleNode *node = &a->edge_nodes[i];
        bool far = node_is_far(&view, node);
        for (uint32_t s = 0; s < node->count && !far; s++)
            edge_contact(&view, &a->edges[node->first + s]);
        i = far ? node->skip : i + 1;
    }
}
