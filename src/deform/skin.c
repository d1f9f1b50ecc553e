/* Embedded display surfaces: a finer surface whose vertices keep their barycentric coordinates in
 * the tetrahedra around them. */
#include "deform/internal.h"
#include "geom/query/bvh.h"
#include "geom/query/closest.h"

#include <string.h>

/* Vertices of the skin farther out than this part of the body's size do not belong to it. */
static const double reach = 0.5;

/* ---- which element carries a vertex ---- */

/* All four faces of every element, so that the nearest one to a point belongs to the element that
 * holds it. */
typedef struct SkinSearch {
    const Deform *d;
    const DeformBody *body;
    TriangleMesh faces; /* four an element, in the order of the elements */
    Bvh *bvh;
    BvhList near;
    double farthest; /* m, of a vertex from the elements */
} SkinSearch;

static PlimStatus search_open(const Deform *d, const DeformBody *body, SkinSearch *search) {
    static const int corners_of[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    size_t first = body->first[DEFORM_NODES], nodes = body->count[DEFORM_NODES];
    *search = (SkinSearch){.d = d, .body = body};
    TRY(mesh_allocate(d->context, &search->faces, nodes, 4 * body->count[DEFORM_ELEMENTS]));
    for (size_t i = 0; i < nodes; i++)
        search->faces.vertices[i] = vec3_load(d->rest + 3 * (first + i));
    for (size_t f = 0; f < search->faces.triangle_count; f++) {
        const int32_t *corners = d->corners + 4 * (body->first[DEFORM_ELEMENTS] + f / 4);
        for (int c = 0; c < 3; c++)
            search->faces.triangles[f][c] = corners[corners_of[f % 4][c]] - (int32_t)first;
    }
    BvhInput input = bvh_input_triangles(&search->faces);
    return bvh_create(d->context, &input, &search->bvh);
}

static void search_close(SkinSearch *search) {
    PlimContext *context = search->d->context;
    bvh_destroy(search->bvh);
    array_free(context, &search->near.items);
    mesh_free(context, &search->faces);
}

/* Barycentric coordinates at rest; the least of them. */
static double weights_in(const Deform *d, size_t element, Vec3 p, double weights[4]) {
    Vec3 from = vec3_load(d->rest + 3 * (size_t)d->corners[4 * element]);
    Vec3 rest = mat3_apply(mat3_load(d->gradient + 9 * element), vec3_sub(p, from));
    vec3_store(weights + 1, rest);
    weights[0] = 1 - rest.x - rest.y - rest.z;
    return fmin(fmin(weights[0], weights[1]), fmin(weights[2], weights[3]));
}

static double face_distance(const SkinSearch *search, size_t face, Vec3 p) {
    const int32_t *corners = search->faces.triangles[face];
    const Vec3 *x = search->faces.vertices;
    double weights[3];
    return vec3_length(
        vec3_sub(p, closest_on_triangle(p, x[corners[0]], x[corners[1]], x[corners[2]], weights)));
}

/* Of the elements with a nearest face the one that holds the point, or that holds it best: outside
 * its map is extended. */
static PlimStatus find_carrier(SkinSearch *search, Vec3 p, int32_t *element, double weights[4]) {
    BvhClosest closest = bvh_closest(search->bvh, p, HUGE_VAL);
    search->near.items.count = 0;
    double margin = 1e-9 * search->body->size;
    TRY(bvh_overlap_ball(search->bvh, p, closest.distance + margin, &search->near));
    double best = -HUGE_VAL;
    for (size_t k = 0; k < search->near.items.count; k++) {
        size_t face = search->near.items.data[k];
        size_t at = search->body->first[DEFORM_ELEMENTS] + face / 4;
        double found[4], least = weights_in(search->d, at, p, found);
        if (!(least > best) || face_distance(search, face, p) > closest.distance + margin) continue;
        best = least;
        *element = (int32_t)at;
        memcpy(weights, found, sizeof found);
    }
    if (best < 0) search->farthest = fmax(search->farthest, closest.distance);
    return PLIM_OK;
}

static PlimStatus embed(const Deform *d, const TriangleMesh *mesh, DeformSkin *skin) {
    const DeformBody *body = &d->bodies.data[skin->body];
    SkinSearch search;
    PlimStatus status = search_open(d, body, &search);
    for (size_t v = 0; status == PLIM_OK && v < skin->vertex_count; v++)
        status = find_carrier(&search, mesh->vertices[v], &skin->elements[v], skin->weights[v]);
    double farthest = search.farthest;
    search_close(&search);
    TRY(status);
    if (farthest <= reach * body->size) return PLIM_OK;
    return context_fail(d->context, PLIM_BAD_INPUT,
                        "'%s': its skin reaches %.3g m out of its elements, which are %.3g m long "
                        "in all; check the skin's scale, and where its origin is",
                        body->name, farthest, body->size);
}

/* ---- adding ---- */

static PlimStatus check_skin(const Deform *d, size_t number, const TriangleMesh *mesh) {
    const DeformBody *body = &d->bodies.data[number];
    if (d->options.dim != 3 || body->count[DEFORM_ELEMENTS] == 0)
        return context_fail(d->context, PLIM_BAD_INPUT,
                            "'%s': only tetrahedra carry a skin; leave it out", body->name);
    if (deform_skin_of(d, number))
        return context_fail(d->context, PLIM_BAD_INPUT, "'%s' has a skin already", body->name);
    const char *problem = mesh->vertex_count > INT32_MAX / 8 ? "too large" : mesh_problem(mesh);
    if (problem)
        return context_fail(d->context, PLIM_BAD_INPUT, "'%s': its skin: %s", body->name, problem);
    return PLIM_OK;
}

static void skin_free(PlimContext *context, DeformSkin *skin) {
    context_free(context, skin->elements, skin->vertex_count, sizeof *skin->elements);
    context_free(context, skin->weights, skin->vertex_count, sizeof *skin->weights);
    context_free(context, skin->triangles, skin->triangle_count, sizeof *skin->triangles);
}

PlimStatus deform_add_skin(Deform *d, size_t body, const TriangleMesh *mesh) {
    PlimContext *context = d->context;
    TRY(check_skin(d, body, mesh));
    DeformSkin skin = {
        .body = body, .vertex_count = mesh->vertex_count, .triangle_count = mesh->triangle_count};
    skin.elements = context_allocate(context, skin.vertex_count, sizeof *skin.elements);
    skin.weights = context_allocate(context, skin.vertex_count, sizeof *skin.weights);
    skin.triangles = context_allocate(context, skin.triangle_count, sizeof *skin.triangles);
    bool got = skin.elements && skin.weights && skin.triangles;
    PlimStatus status = got ? embed(d, mesh, &skin) : PLIM_OUT_OF_MEMORY;
    if (status == PLIM_OK) {
        memcpy(skin.triangles, mesh->triangles, skin.triangle_count * sizeof *skin.triangles);
        if (!array_push(context, &d->skins, skin)) status = PLIM_OUT_OF_MEMORY;
    }
    if (status != PLIM_OK) skin_free(context, &skin);
    return status;
}

void deform_skins_free(Deform *d) {
    for (size_t i = 0; i < d->skins.count; i++) skin_free(d->context, &d->skins.data[i]);
    array_free(d->context, &d->skins);
}

const DeformSkin *deform_skin_of(const Deform *d, size_t body) {
    for (size_t i = 0; i < d->skins.count; i++)
        if (d->skins.data[i].body == body) return &d->skins.data[i];
    return NULL;
}

/* ---- where it is now ---- */

Vec3 deform_skin_at(const Deform *d, const DeformSkin *skin, size_t vertex, const double *values) {
    const int32_t *corners = d->corners + 4 * (size_t)skin->elements[vertex];
    Vec3 sum = vec3(0, 0, 0);
    for (int c = 0; c < 4; c++)
        sum = vec3_add_scaled(sum, skin->weights[vertex][c],
                              vec3_load(values + 3 * (size_t)corners[c]));
    return sum;
}

float deform_skin_value(const Deform *d, const DeformSkin *skin, size_t vertex,
                        const float *values) {
    const int32_t *corners = d->corners + 4 * (size_t)skin->elements[vertex];
    double sum = 0, weights = 0;
    for (int c = 0; c < 4; c++) {
        double weight = fmax(skin->weights[vertex][c], 0.0);
        sum += weight * (double)values[corners[c]];
        weights += weight;
    }
    return (float)(sum / weights);
}
