/* Springs of meshes: edges, altitudes of elements (002 section 5.11.5; 000 section 3.2.1), links of
 * lattices (004 section 2.2). */
#include "deform/internal.h"

#include <stdlib.h>
#include <string.h>

typedef struct SpringEdge {
    int32_t a, b;
} SpringEdge;

static int compare_edges(const void *left, const void *right) {
    const SpringEdge *l = left, *r = right;
    if (l->a != r->a) return l->a < r->a ? -1 : 1;
    return (l->b > r->b) - (l->b < r->b);
}

typedef struct NewSpring {
    int32_t corners[4], count, kind, body, element;
    double modulus, stiffness, drag; /* N, or N/m in place of it; N s/m, or minus a fraction */
    double seconds;                  /* above 0: drag is this times the stiffness */
} NewSpring;

static Spring spring_as(const Deform *d, size_t s) {
    return (Spring){.count = d->spring_count[s],
                    .dim = d->options.dim,
                    .rest = d->spring_rest[s],
                    .modulus = d->spring_modulus[s]};
}

static PlimStatus add_spring(Deform *d, const NewSpring *new) {
    size_t at = deform_count(d, DEFORM_SPRINGS);
    Vec3 x[4], gradient[4];
    TRY(state_resize(d->context, &deform_schema, d, DEFORM_SPRINGS, at + 1));
    memcpy(d->spring_corners + 4 * at, new->corners, sizeof new->corners);
    d->spring_count[at] = new->count;
    d->spring_kind[at] = new->kind;
    d->spring_body[at] = new->body;
    d->spring_element[at] = new->element;
    Spring spring = {.count = new->count, .dim = d->options.dim, .rest = 1.0}; /* not known yet */
    for (int c = 0; c < new->count; c++) x[c] = vec3_load(d->rest + 3 * new->corners[c]);
    d->spring_rest[at] = spring_length(&spring, x, gradient);
    d->spring_modulus[at] = new->modulus > 0 ? new->modulus : new->stiffness * d->spring_rest[at];
    d->spring_drag[at] = new->drag;
    if (new->seconds > 0)
        d->spring_drag[at] = new->seconds * d->spring_modulus[at] / d->spring_rest[at];
    if (!(d->spring_rest[at] > 0))
        return context_fail(d->context, PLIM_BAD_INPUT, "spring %zu has no length at rest", at);
    d->has_damping = d->has_damping || d->spring_drag[at] != 0;
    return PLIM_OK;
}

static PlimStatus add_edges(Deform *d, const DeformBodyDesc *desc, int32_t body, size_t first) {
    size_t capacity = desc->element_count * 6, count = 0;
    PlimStatus status = PLIM_OK;
    SpringEdge *edges = context_allocate(d->context, capacity + 1, sizeof *edges);
    if (!edges) return PLIM_OUT_OF_MEMORY;
    for (size_t e = 0; e < desc->element_count; e++)
        for (int a = 0; a < d->corner_count[first + e]; a++)
            for (int b = a + 1; b < d->corner_count[first + e]; b++) {
                int32_t one = d->corners[4 * (first + e) + (size_t)a];
                int32_t other = d->corners[4 * (first + e) + (size_t)b];
                edges[count++] = (SpringEdge){one < other ? one : other, one < other ? other : one};
            }
    qsort(edges, count, sizeof *edges, compare_edges);
    for (size_t i = 0; i < count && status == PLIM_OK; i++) {
        if (i > 0 && compare_edges(&edges[i - 1], &edges[i]) == 0) continue;
        NewSpring new = {.corners = {edges[i].a, edges[i].b},
                         .count = 2,
                         .kind = SPRING_EDGE,
                         .body = body,
                         .element = -1,
                         .modulus = desc->springs.edges,
                         .drag = -desc->springs.fraction,
                         .seconds = desc->springs.seconds};
        status = add_spring(d, &new);
    }
    context_free(d->context, edges, capacity + 1, sizeof *edges);
    return status;
}

/* Each corner over the side opposite, the corner first. */
static PlimStatus add_altitudes(Deform *d, const DeformBodyDesc *desc, int32_t body, size_t first) {
    for (size_t e = 0; e < desc->element_count; e++)
        for (int c = 0, corners = d->corner_count[first + e]; c < corners; c++) {
            const int32_t *of = d->corners + 4 * (first + e);
            NewSpring new = {.count = corners,
                             .kind = SPRING_ALTITUDE,
                             .body = body,
                             .element = (int32_t)(first + e),
                             .modulus = desc->springs.altitudes,
                             .drag = -desc->springs.fraction,
                             .seconds = desc->springs.seconds};
            /* Even permutations keep the element's orientation, which signs the altitude. */
            static const int tet[4][4] = {{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}};
            for (int k = 0; k < corners; k++)
                new.corners[k] = of[corners == 4 ? tet[c][k] : (c + k) % 3];
            TRY(add_spring(d, &new));
        }
    return PLIM_OK;
}

PlimStatus deform_add_springs(Deform *d, const DeformBodyDesc *desc, int32_t body,
                              size_t first_node, size_t first_element) {
    if (desc->springs.edges > 0) TRY(add_edges(d, desc, body, first_element));
    if (desc->springs.altitudes > 0) TRY(add_altitudes(d, desc, body, first_element));
    for (size_t i = 0; i < desc->link_count; i++) {
        NewSpring new = {.corners = {desc->links[i][0] + (int32_t)first_node,
                                     desc->links[i][1] + (int32_t)first_node},
                         .count = 2,
                         .kind = SPRING_EDGE,
                         .body = body,
                         .element = -1,
                         .stiffness = desc->link_stiffness,
                         .drag = desc->link_damping};
        TRY(add_spring(d, &new));
    }
    return PLIM_OK;
}

/* Fractions become coefficients when pins, which have infinite mass, are known. */
void deform_set_spring_drag(Deform *d) {
    for (size_t s = 0; s < deform_count(d, DEFORM_SPRINGS); s++) {
        if (!(d->spring_drag[s] < 0)) continue;
        Spring spring = spring_as(d, s);
        Vec3 x[4];
        double inverse[4];
        for (int c = 0; c < spring.count; c++) {
            int32_t node = d->spring_corners[4 * s + (size_t)c];
            x[c] = vec3_load(d->rest + 3 * node);
            inverse[c] = d->is_pinned[node] ? 0.0 : 1.0 / d->mass[node];
        }
        d->spring_drag[s] = spring_damping(&spring, x, -d->spring_drag[s], inverse);
    }
}

bool deform_spring_acts(const Deform *d, size_t s, const double *x) {
    if (d->spring_kind[s] != SPRING_ALTITUDE || !d->bodies.data[d->spring_body[s]].shortest)
        return true;
    /* The altitudes of an element follow one another. */
    size_t first = s, corners = (size_t)d->spring_count[s], least = 0;
    while (first > 0 && d->spring_kind[first - 1] == SPRING_ALTITUDE &&
           d->spring_element[first - 1] == d->spring_element[s])
        first--;
    double shortest = HUGE_VAL;
    for (size_t k = 0; k < corners; k++) {
        Vec3 gradient[4];
        double length = fabs(deform_spring_length(d, first + k, x, gradient));
        if (!(length < shortest)) continue;
        shortest = length;
        least = first + k;
    }
    return least == s;
}

double deform_spring_length(const Deform *d, size_t s, const double *x, Vec3 *gradient) {
    Spring spring = spring_as(d, s);
    Vec3 corner[4];
    for (int c = 0; c < spring.count; c++)
        corner[c] = vec3_load(x + 3 * d->spring_corners[4 * s + (size_t)c]);
    return spring_length(&spring, corner, gradient);
}

double deform_spring_force(const Deform *d, size_t s, const double *x, Vec3 *force) {
    Spring spring = spring_as(d, s);
    Vec3 corner[4];
    for (int c = 0; c < spring.count; c++)
        corner[c] = vec3_load(x + 3 * d->spring_corners[4 * s + (size_t)c]);
    return spring_force(&spring, corner, force);
}

void deform_spring_stiffness(const Deform *d, size_t s, const double *x, bool project, double *k) {
    Spring spring = spring_as(d, s);
    Vec3 corner[4];
    for (int c = 0; c < spring.count; c++)
        corner[c] = vec3_load(x + 3 * d->spring_corners[4 * s + (size_t)c]);
    spring_stiffness(&spring, corner, project, k);
}
