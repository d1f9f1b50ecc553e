/* Contact of two thin shells by distances of points from triangles and of edges from edges (000
 * sections 2.14, 3.2.2). */
#include "collide/shell.h"

#include "collide/sample_tree.h"
#include "geom/query/closest.h"

/* Patches of contact, of the width of the smaller shell: about eight fit around a rim. */
static const double patch_size = 0.3;

PlimStatus shell_create(PlimContext *context, const TriangleMesh *mesh, double thickness,
                        Shell **out) {
    *out = NULL;
    Shell *shell = context_allocate(context, 1, sizeof *shell);
    if (!shell) return PLIM_OUT_OF_MEMORY;
    shell->thickness = thickness;
    BvhInput input = bvh_input_triangles(mesh);
    PlimStatus status = bvh_create(context, &input, &shell->triangles);
    if (status == PLIM_OK) status = sample_tree_create_fine(context, mesh, &shell->samples);
    if (status == PLIM_OK)
        *out = shell;
    else
        shell_destroy(context, shell);
    return status;
}

void shell_destroy(PlimContext *context, Shell *shell) {
    if (!shell) return;
    bvh_destroy(shell->triangles);
    sample_tree_destroy(context, shell->samples);
    context_free(context, shell, 1, sizeof *shell);
}

/* The pair as it is looked at, in the axes of `other`. */
typedef struct ShellView {
    const Shell *own, *other;
    Frame to_other;
    const Frame *at_other;
    Box3 box;         /* around the other, grown by `reach` */
    double reach;     /* m, between the middles of the walls */
    double thickness; /* m, of which that much is wall */
    double sign;      /* of normals from the other to the own: -1 when the own is b */
    double patch;     /* m: of points as near as this to each other the deepest one counts */
    ContactPoints *points;
} ShellView;

/* Two walls that lie in each other touch nearly everywhere: of each patch of them the deepest point
 * is kept. Points that are spread but shallow would leave it out, and what is pushed out on one
 * side would sink in on another. */
static void keep_deepest(ContactPoints *points, double patch, ContactPoint point) {
    size_t at = 0;
    double nearest = HUGE_VAL;
    for (size_t k = 0; k < points->count; k++) {
        double apart = vec3_length(vec3_sub(points->at[k].position, point.position));
        double turned = 1.0 - vec3_dot(points->at[k].normal, point.normal);
        if (!(apart + patch * turned < nearest)) continue;
        nearest = apart + patch * turned;
        at = k;
    }
    if (nearest > patch && points->count < CONTACT_MOST_POINTS) {
        points->at[points->count++] = point;
        return;
    }
    for (size_t k = 0; k < points->count && nearest > patch; k++)
        if (points->at[k].gap > points->at[at].gap) at = k;
    if (point.gap < points->at[at].gap) points->at[at] = point;
}

/* p is on the own surface, q on the other. Where they meet there is no direction. */
static void add_point(const ShellView *view, Vec3 p, Vec3 q) {
    Vec3 apart = vec3_sub(p, q);
    double distance = vec3_length(apart);
    if (!(distance > 0.0) || distance > view->reach) return;
    Vec3 normal = mat3_apply(view->at_other->axes, vec3_scale(view->sign / distance, apart));
    Vec3 middle = vec3_scale(0.5, vec3_add(p, q));
    keep_deepest(view->points, view->patch,
                 (ContactPoint){.position = frame_to_world(view->at_other, middle),
                                .normal = normal,
                                .gap = distance - view->thickness,
                                .radius = HUGE_VAL});
}

/* Whether a ball of this radius, in the axes of the other, is out of its reach. */
static bool is_beyond(const ShellView *view, Vec3 center, double radius) {
    return bvh_closest(view->other->triangles, center, radius + view->reach).primitive == BVH_NONE;
}

static bool is_far(const ShellView *view, const SampleNode *node) {
    Vec3 center = frame_to_world(&view->to_other, node->center);
    if (box3_distance_squared(view->box, center) > node->reach * node->reach) return true;
    return is_beyond(view, center, node->reach);
}

static void look_at_vertices(const ShellView *view) {
    const SampleTree *tree = view->own->samples;
    for (size_t i = 0; i < tree->vertex_node_count;) {
        const SampleNode *node = &tree->vertex_nodes[i];
        bool far = is_far(view, node);
        for (uint32_t s = 0; s < node->count && !far; s++) {
            Vec3 p = frame_to_world(&view->to_other, tree->vertices[node->first + s].place);
            if (!box3_contains(view->box, p)) continue;
            BvhClosest nearest = bvh_closest(view->other->triangles, p, view->reach);
            if (nearest.primitive != BVH_NONE) add_point(view, p, nearest.point);
        }
        i = far ? node->skip : i + 1;
    }
}

/* Ends of edges are vertices, which have looked for themselves. */
static void meet_edge(const ShellView *view, Vec3 from, Vec3 to, const SampleEdge *edge) {
    const double end = 1e-6;
    double along, across;
    Vec3 q, p = closest_between_segments(from, to, edge->from, edge->to, &along, &across, &q);
    if (along < end || along > 1 - end || across < end || across > 1 - end) return;
    add_point(view, p, q);
}

static void look_for_edges(const ShellView *view, Vec3 from, Vec3 to) {
    const SampleTree *tree = view->other->samples;
    Vec3 middle = vec3_scale(0.5, vec3_add(from, to));
    if (is_beyond(view, middle, vec3_length(vec3_sub(to, middle)))) return;
    for (size_t i = 0; i < tree->edge_node_count;) {
        const SampleNode *node = &tree->edge_nodes[i];
        double along;
        Vec3 nearest = closest_on_segment(node->center, from, to, &along);
        bool far = vec3_length(vec3_sub(nearest, node->center)) > node->reach + view->reach;
        for (uint32_t s = 0; s < node->count && !far; s++)
            meet_edge(view, from, to, &tree->edges[node->first + s]);
        i = far ? node->skip : i + 1;
    }
}

static void look_at_edges(const ShellView *view) {
    const SampleTree *tree = view->own->samples;
    for (size_t i = 0; i < tree->edge_node_count;) {
        const SampleNode *node = &tree->edge_nodes[i];
        bool far = is_far(view, node);
        for (uint32_t s = 0; s < node->count && !far; s++) {
            const SampleEdge *edge = &tree->edges[node->first + s];
            look_for_edges(view, frame_to_world(&view->to_other, edge->from),
                           frame_to_world(&view->to_other, edge->to));
        }
        i = far ? node->skip : i + 1;
    }
}

static double width_of(const Shell *shell) {
    Box3 box = bvh_bounds(shell->triangles);
    Vec3 size = vec3_sub(box.high, box.low);
    return fmax(size.x, fmax(size.y, size.z));
}

static ShellView view_of(const Shell *own, const Frame *at_own, const Shell *other,
                         const Frame *at_other, double margin, ContactPoints *points) {
    double thickness = 0.5 * (own->thickness + other->thickness);
    ShellView view = {.own = own,
                      .other = other,
                      .at_other = at_other,
                      .reach = margin + thickness,
                      .thickness = thickness,
                      .sign = 1.0,
                      .points = points};
    view.to_other.axes = mat3_multiply(mat3_transpose(at_other->axes), at_own->axes);
    view.to_other.origin = frame_to_own(at_other, at_own->origin);
    view.box = box3_grow(bvh_bounds(other->triangles), view.reach);
    view.patch = patch_size * fmin(width_of(own), width_of(other));
    return view;
}

void shell_contact(const Shell *a, const Frame *at_a, const Shell *b, const Frame *at_b,
                   double margin, ContactPoints *points) {
    ShellView of_a = view_of(a, at_a, b, at_b, margin, points);
    ShellView of_b = view_of(b, at_b, a, at_a, margin, points);
    of_b.sign = -1.0;
    look_at_vertices(&of_a);
    look_at_vertices(&of_b);
    look_at_edges(&of_a);
}
