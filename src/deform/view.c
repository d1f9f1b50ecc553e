/* Surfaces of deformable solids for frame files, with stretch and von Mises stress at vertices, and
 * nodes of what has no surface. */
#include "deform/internal.h"
#include "math/decompose.h"

double deform_element_stretch(const Deform *d, size_t e) {
    Mat3 f = element_gradient(d, e, d->position), u, v;
    Vec3 stretch;
    if (d->options.dim == 2) f.r[2] = vec3(0, 0, 0);
    svd_rotations(f, &u, &stretch, &v);
    return fabs(stretch.x);
}

/* sqrt(3/2) of the deviator's norm, of the Cauchy stress P F^T / J. In the plane the part across is
 * left out: plane stress. */
static double von_mises(const Deform *d, size_t e) {
    Mat3 f = element_gradient(d, e, d->position);
    Mat3 stress = mat3_scale(1.0 / d->volume[e], mat3_load(d->stress + 9 * e));
    if (d->options.dim == 2) f.r[2] = vec3(0, 0, 1);
    double jacobian = mat3_determinant(f), norm = 0;
    if (!(fabs(jacobian) > 1e-12)) return 0;
    Mat3 cauchy = mat3_scale(1.0 / jacobian, mat3_multiply(stress, mat3_transpose(f)));
    double mean = mat3_trace(cauchy) / 3;
    for (int i = 0; i < 3; i++) {
        Vec3 row = vec3_add_scaled(cauchy.r[i], -mean, vec3_axis(i));
        norm += vec3_dot(row, row);
    }
    return sqrt(1.5 * norm);
}

typedef struct SurfaceView {
    int32_t *number; /* of a node among the vertices; -1: it is inside */
    size_t vertices, triangles;
    float *at, *velocity, *stretch, *stress, *colors, *weight;
    int32_t *corners, *objects;
} SurfaceView;

/* In the plane all elements are seen, in space the faces. */
static size_t triangle_count(const Deform *d) {
    return deform_count(d, d->options.dim == 2 ? DEFORM_ELEMENTS : DEFORM_FACES);
}

static const int32_t *triangle_at(const Deform *d, size_t t, int32_t *body) {
    bool flat = d->options.dim == 2;
    *body = flat ? d->element_body[t] : d->face_body[t];
    return flat ? d->corners + 4 * t : d->face_corners + 3 * t;
}

static void number_vertices(const Deform *d, SurfaceView *view) {
    for (size_t i = 0; i < deform_count(d, DEFORM_NODES); i++) view->number[i] = -1;
    for (size_t t = 0; t < view->triangles; t++) {
        int32_t body;
        const int32_t *corners = triangle_at(d, t, &body);
        for (int c = 0; c < 3; c++) view->number[corners[c]] = 0;
    }
    for (size_t i = 0; i < deform_count(d, DEFORM_NODES); i++)
        if (view->number[i] == 0) view->number[i] = (int32_t)view->vertices++;
}

static PlimStatus take_memory(const Deform *d, Scratch *scratch, SurfaceView *view) {
    view->at = scratch_take(scratch, 3 * view->vertices, sizeof *view->at);
    view->velocity = scratch_take(scratch, 3 * view->vertices, sizeof *view->velocity);
    view->stretch = scratch_take(scratch, view->vertices, sizeof *view->stretch);
    view->stress = scratch_take(scratch, view->vertices, sizeof *view->stress);
    view->weight = scratch_take(scratch, view->vertices, sizeof *view->weight);
    view->corners = scratch_take(scratch, 3 * view->triangles, sizeof *view->corners);
    view->objects = scratch_take(scratch, view->triangles, sizeof *view->objects);
    view->colors = scratch_take(scratch, 3 * d->bodies.count, sizeof *view->colors);
    return view->at && view->velocity && view->stretch && view->stress && view->weight &&
                   view->corners && view->objects && view->colors
               ? PLIM_OK
               : PLIM_OUT_OF_MEMORY;
}

static void store_float(float *to, const double *from) {
    for (int k = 0; k < 3; k++) to[k] = (float)from[k];
}

static void fill_surface(const Deform *d, SurfaceView *view) {
    for (size_t i = 0; i < deform_count(d, DEFORM_NODES); i++) {
        if (view->number[i] < 0) continue;
        store_float(view->at + 3 * view->number[i], d->position + 3 * i);
        store_float(view->velocity + 3 * view->number[i], d->velocity + 3 * i);
    }
    for (size_t t = 0; t < view->triangles; t++) {
        const int32_t *corners = triangle_at(d, t, &view->objects[t]);
        for (size_t c = 0; c < 3; c++) view->corners[3 * t + c] = view->number[corners[c]];
    }
    for (size_t b = 0; b < d->bodies.count; b++)
        for (size_t k = 0; k < 3; k++) view->colors[3 * b + k] = d->bodies.data[b].color[k];
}

/* Of elements around a vertex: the greatest stretch, the mean stress by volume. */
static void fill_values(const Deform *d, SurfaceView *view) {
    for (size_t v = 0; v < view->vertices; v++)
        view->stretch[v] = view->stress[v] = view->weight[v] = 0;
    for (size_t e = 0; e < deform_count(d, DEFORM_ELEMENTS); e++) {
        float stretch = -1, stress = 0, volume = (float)d->volume[e];
        for (int c = 0; c <= d->options.dim; c++) {
            int32_t v = view->number[d->corners[4 * e + (size_t)c]];
            if (v < 0) continue;
            if (stretch < 0) {
                stretch = (float)deform_element_stretch(d, e);
                stress = (float)von_mises(d, e);
            }
            view->stretch[v] = stretch > view->stretch[v] ? stretch : view->stretch[v];
            view->stress[v] += volume * stress;
            view->weight[v] += volume;
        }
    }
    for (size_t v = 0; v < view->vertices; v++)
        if (view->weight[v] > 0) view->stress[v] /= view->weight[v];
}

static PlimStatus view_surface(const Deform *d, const StepInfo *step, FrameView *out) {
    SurfaceView view = {.triangles = triangle_count(d)};
    if (view.triangles == 0) return PLIM_OK;
    view.number = scratch_take(step->scratch, deform_count(d, DEFORM_NODES), sizeof *view.number);
    if (!view.number) return PLIM_OUT_OF_MEMORY;
    number_vertices(d, &view);
    TRY(take_memory(d, step->scratch, &view));
    fill_surface(d, &view);
    fill_values(d, &view);
    FrameMesh mesh = {.name = "deformable",
                      .vertex_count = view.vertices,
                      .triangle_count = view.triangles,
                      .object_count = d->bodies.count,
                      .vertices = view.at,
                      .velocities = view.velocity,
                      .stretch = view.stretch,
                      .stress = view.stress,
                      .triangles = view.corners,
                      .objects = view.objects,
                      .colors = view.colors,
                      .smooth = d->options.dim == 3};
    return frame_view_add_mesh(step->context, out, &mesh);
}

/* Nodes of lattices and particles, as balls. */
static PlimStatus view_points(const Deform *d, const StepInfo *step, FrameView *out) {
    size_t count = 0;
    for (size_t b = 0; b < d->bodies.count; b++)
        if (d->bodies.data[b].count[DEFORM_ELEMENTS] == 0)
            count += d->bodies.data[b].count[DEFORM_NODES];
    if (count == 0) return PLIM_OK;
    float *at = scratch_take(step->scratch, 3 * count, sizeof *at);
    float *velocity = scratch_take(step->scratch, 3 * count, sizeof *velocity);
    float *radius = scratch_take(step->scratch, count, sizeof *radius);
    if (!at || !velocity || !radius) return PLIM_OUT_OF_MEMORY;
    size_t n = 0;
    for (size_t b = 0; b < d->bodies.count; b++) {
        const DeformBody *body = &d->bodies.data[b];
        for (size_t k = 0; body->count[DEFORM_ELEMENTS] == 0 && k < body->count[DEFORM_NODES];
             k++, n++) {
            store_float(at + 3 * n, d->position + 3 * (body->first[DEFORM_NODES] + k));
            store_float(velocity + 3 * n, d->velocity + 3 * (body->first[DEFORM_NODES] + k));
            radius[n] = (float)body->radius;
        }
    }
    FramePoints points = {.name = "deformable_nodes",
                          .count = count,
                          .positions = at,
                          .velocities = velocity,
                          .radii = radius};
    return frame_view_add_points(step->context, out, &points);
}

PlimStatus deform_view_frame(const void *system, const StepInfo *step, FrameView *view) {
    TRY(view_surface(system, step, view));
    return view_points(system, step, view);
}
