/* Surfaces of deformable solids for frame files, with stretch and von Mises stress at vertices, and
 * nodes of what has no surface. */
#include "deform/internal.h"
#include "deform/membrane.h"
#include "math/decompose.h"

double deform_element_stretch(const Deform *d, size_t e) {
    Mat3 f = element_gradient(d, e, d->position), u, v;
    Vec3 stretch;
    if (d->corner_count[e] == 2) return vec3_length(mat3_column(f, 0));
    if (d->options.dim == 2) f.r[2] = vec3(0, 0, 0);
    svd_rotations(f, &u, &stretch, &v);
    return fabs(stretch.x);
}

/* sqrt(3/2) of the deviator's norm, of the Cauchy stress P F^T / J. In the plane and of sheets the
 * part across is left out: plane stress. That of a sheet is N/m. */
double deform_von_mises(const Deform *d, size_t e) {
    Mat3 f = element_gradient(d, e, d->position);
    Mat3 stress = mat3_scale(1.0 / d->volume[e], mat3_load(d->stress + 9 * e));
    if (d->options.dim == 2) f.r[2] = vec3(0, 0, 1);
    bool is_sheet = d->corner_count[e] == d->options.dim;
    double jacobian = is_sheet ? membrane_area_ratio(f) : mat3_determinant(f), norm = 0;
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
    int32_t *number; /* of a node among the vertices; -1: it is inside, or under a skin */
    size_t vertices, triangles;
    float *at, *velocity, *stretch, *stress, *colors, *checks;
    int32_t *corners, *objects;
    char *names;
    float *node_stretch, *node_stress;
    float *node_weight; /* m^3 of the elements around; below 0: values are not asked for */
} SurfaceView;

/* In the plane all elements are seen, in space the faces. */
static int seen_group(const Deform *d) {
    return d->options.dim == 2 ? DEFORM_ELEMENTS : DEFORM_FACES;
}

/* Chains, lattices and particles are seen as balls at their nodes. */
static bool is_balls(const Deform *d, const DeformBody *body) {
    return body->count[DEFORM_ELEMENTS] == 0 || (body->is_sheet && d->options.dim == 2);
}

static size_t seen_count(const Deform *d, const DeformBody *body) {
    return is_balls(d, body) ? 0 : body->count[seen_group(d)];
}

static const int32_t *corners_of(const Deform *d, size_t triangle) {
    return d->options.dim == 2 ? d->corners + 4 * triangle : d->face_corners + 3 * triangle;
}

static void count_triangles(const Deform *d, SurfaceView *view) {
    for (size_t b = 0; b < d->bodies.count; b++) {
        const DeformSkin *skin = deform_skin_of(d, b);
        view->triangles += skin ? skin->triangle_count : seen_count(d, &d->bodies.data[b]);
    }
}

/* Vertices: nodes in their order, then those of the skins. */
static void number_vertices(const Deform *d, SurfaceView *view) {
    int group = seen_group(d);
    size_t nodes = deform_count(d, DEFORM_NODES), skin_vertices = 0;
    for (size_t i = 0; i < nodes; i++) {
        view->number[i] = -1;
        view->node_weight[i] = -1;
    }
    for (size_t b = 0; b < d->bodies.count; b++) {
        const DeformBody *body = &d->bodies.data[b];
        const DeformSkin *skin = deform_skin_of(d, b);
        for (size_t t = 0; !skin && t < seen_count(d, body); t++)
            for (int c = 0; c < 3; c++) view->number[corners_of(d, body->first[group] + t)[c]] = 0;
        for (size_t v = 0; skin && v < skin->vertex_count; v++)
            for (size_t c = 0; c < 4; c++)
                view->node_weight[d->corners[4 * (size_t)skin->elements[v] + c]] = 0;
        skin_vertices += skin ? skin->vertex_count : 0;
    }
    for (size_t i = 0; i < nodes; i++) {
        if (view->number[i] < 0) continue;
        view->number[i] = (int32_t)view->vertices++;
        view->node_weight[i] = 0;
    }
    view->vertices += skin_vertices;
}

static PlimStatus take_node_memory(const Deform *d, Scratch *scratch, SurfaceView *view) {
    size_t nodes = deform_count(d, DEFORM_NODES);
    view->number = scratch_take(scratch, nodes, sizeof *view->number);
    view->node_stretch = scratch_take(scratch, nodes, sizeof *view->node_stretch);
    view->node_stress = scratch_take(scratch, nodes, sizeof *view->node_stress);
    view->node_weight = scratch_take(scratch, nodes, sizeof *view->node_weight);
    return view->number && view->node_stretch && view->node_stress && view->node_weight
               ? PLIM_OK
               : PLIM_OUT_OF_MEMORY;
}

static PlimStatus take_memory(const Deform *d, Scratch *scratch, SurfaceView *view) {
    view->at = scratch_take(scratch, 3 * view->vertices, sizeof *view->at);
    view->velocity = scratch_take(scratch, 3 * view->vertices, sizeof *view->velocity);
    view->stretch = scratch_take(scratch, view->vertices, sizeof *view->stretch);
    view->stress = scratch_take(scratch, view->vertices, sizeof *view->stress);
    view->corners = scratch_take(scratch, 3 * view->triangles, sizeof *view->corners);
    view->objects = scratch_take(scratch, view->triangles, sizeof *view->objects);
    view->colors = scratch_take(scratch, 3 * d->bodies.count, sizeof *view->colors);
    view->names = scratch_take(scratch, d->bodies.count, FRAME_NAME_CAPACITY);
    if (d->has_checks) {
        view->checks = scratch_take(scratch, 2 * view->vertices, sizeof *view->checks);
        if (!view->checks) return PLIM_OUT_OF_MEMORY;
    }
    return view->at && view->velocity && view->stretch && view->stress && view->corners &&
                   view->objects && view->colors && view->names
               ? PLIM_OK
               : PLIM_OUT_OF_MEMORY;
}

static void store_float(float *to, const double *from) {
    for (int k = 0; k < 3; k++) to[k] = (float)from[k];
}

/* Of elements around a node: the greatest stretch, the mean stress by volume. */
static void find_node_values(const Deform *d, SurfaceView *view) {
    size_t nodes = deform_count(d, DEFORM_NODES);
    for (size_t i = 0; i < nodes; i++) view->node_stretch[i] = view->node_stress[i] = 0;
    for (size_t e = 0; e < deform_count(d, DEFORM_ELEMENTS); e++) {
        float stretch = -1, stress = 0, volume = (float)d->volume[e];
        for (int c = 0; c < d->corner_count[e]; c++) {
            int32_t i = d->corners[4 * e + (size_t)c];
            if (view->node_weight[i] < 0) continue;
            if (stretch < 0) {
                stretch = (float)deform_element_stretch(d, e);
                stress = (float)deform_von_mises(d, e);
            }
            view->node_stretch[i] =
                stretch > view->node_stretch[i] ? stretch : view->node_stretch[i];
            view->node_stress[i] += volume * stress;
            view->node_weight[i] += volume;
        }
    }
    for (size_t i = 0; i < nodes; i++)
        if (view->node_weight[i] > 0) view->node_stress[i] /= view->node_weight[i];
}

/* Its first vertex among all is `first`. */
static void fill_skin(const Deform *d, const DeformSkin *skin, size_t first, SurfaceView *view) {
    for (size_t k = 0; k < skin->vertex_count; k++) {
        size_t v = first + k;
        double at[3], velocity[3];
        vec3_store(at, deform_skin_at(d, skin, k, d->position));
        vec3_store(velocity, deform_skin_at(d, skin, k, d->velocity));
        store_float(view->at + 3 * v, at);
        store_float(view->velocity + 3 * v, velocity);
        if (view->checks) view->checks[2 * v] = view->checks[2 * v + 1] = NAN;
        view->stretch[v] = deform_skin_value(d, skin, k, view->node_stretch);
        view->stress[v] = deform_skin_value(d, skin, k, view->node_stress);
    }
}

static size_t fill_nodes(const Deform *d, SurfaceView *view) {
    size_t count = 0;
    for (size_t i = 0; i < deform_count(d, DEFORM_NODES); i++) {
        if (view->number[i] < 0) continue;
        size_t v = count++;
        store_float(view->at + 3 * v, d->position + 3 * i);
        store_float(view->velocity + 3 * v, d->velocity + 3 * i);
        for (size_t k = 0; view->checks && k < 2; k++)
            view->checks[2 * v + k] = (float)d->checks[2 * i + k];
        view->stretch[v] = view->node_stretch[i];
        view->stress[v] = view->node_stress[i];
    }
    return count;
}

static void fill_surface(const Deform *d, SurfaceView *view) {
    int group = seen_group(d);
    size_t vertex = fill_nodes(d, view), triangle = 0;
    for (size_t b = 0; b < d->bodies.count; b++) {
        const DeformBody *body = &d->bodies.data[b];
        const DeformSkin *skin = deform_skin_of(d, b);
        size_t count = skin ? skin->triangle_count : seen_count(d, body);
        for (size_t t = 0; t < count; t++, triangle++) {
            const int32_t *corners =
                skin ? skin->triangles[t] : corners_of(d, body->first[group] + t);
            for (size_t c = 0; c < 3; c++)
                view->corners[3 * triangle + c] =
                    skin ? (int32_t)vertex + corners[c] : view->number[corners[c]];
            view->objects[triangle] = (int32_t)b;
        }
        for (size_t k = 0; k < 3; k++) view->colors[3 * b + k] = body->color[k];
        frame_name_store(view->names + FRAME_NAME_CAPACITY * b, body->name);
        if (!skin) continue;
        fill_skin(d, skin, vertex, view);
        vertex += skin->vertex_count;
    }
}

static PlimStatus view_surface(const Deform *d, const StepInfo *step, FrameView *out) {
    SurfaceView view = {0};
    count_triangles(d, &view);
    if (view.triangles == 0) return PLIM_OK;
    TRY(take_node_memory(d, step->scratch, &view));
    number_vertices(d, &view);
    TRY(take_memory(d, step->scratch, &view));
    find_node_values(d, &view);
    fill_surface(d, &view);
    FrameMesh mesh = {.name = "deformable",
                      .vertex_count = view.vertices,
                      .triangle_count = view.triangles,
                      .object_count = d->bodies.count,
                      .vertices = view.at,
                      .velocities = view.velocity,
                      .stretch = view.stretch,
                      .stress = view.stress,
                      .checks = view.checks,
                      .names = view.names,
                      .triangles = view.corners,
                      .objects = view.objects,
                      .colors = view.colors,
                      .smooth = d->options.dim == 3};
    return frame_view_add_mesh(step->context, out, &mesh);
}

/* Nodes of chains, lattices and particles, as balls. */
static PlimStatus view_points(const Deform *d, const StepInfo *step, FrameView *out) {
    size_t count = 0;
    for (size_t b = 0; b < d->bodies.count; b++)
        if (is_balls(d, &d->bodies.data[b])) count += d->bodies.data[b].count[DEFORM_NODES];
    if (count == 0) return PLIM_OK;
    float *at = scratch_take(step->scratch, 3 * count, sizeof *at);
    float *velocity = scratch_take(step->scratch, 3 * count, sizeof *velocity);
    float *radius = scratch_take(step->scratch, count, sizeof *radius);
    if (!at || !velocity || !radius) return PLIM_OUT_OF_MEMORY;
    size_t n = 0;
    for (size_t b = 0; b < d->bodies.count; b++) {
        const DeformBody *body = &d->bodies.data[b];
        for (size_t k = 0; is_balls(d, body) && k < body->count[DEFORM_NODES]; k++, n++) {
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
    TRY(view_points(system, step, view));
    return deform_view_elements(system, step, view);
}
