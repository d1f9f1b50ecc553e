/* What acts on deformable solids from outside: gravity, loads, wind. */
#include "deform/internal.h"

#include <string.h>

/* ---- faces ---- */

Vec3 deform_face_normal(const Deform *d, size_t face, const double *x) {
    const int32_t *corner = d->face_corners + 3 * face;
    Vec3 x0 = vec3_load(x + 3 * corner[0]), e1 = vec3_sub(vec3_load(x + 3 * corner[1]), x0);
    if (d->options.dim == 2) return vec3(e1.y, -e1.x, 0);
    return vec3_scale(0.5, vec3_cross(e1, vec3_sub(vec3_load(x + 3 * corner[2]), x0)));
}

static void add_to_face(const Deform *d, size_t face, Vec3 force, double *to) {
    for (int c = 0; c < d->options.dim; c++) {
        double *at = to + 3 * d->face_corners[3 * face + (size_t)c];
        vec3_store(at, vec3_add_scaled(vec3_load(at), 1.0 / d->options.dim, force));
    }
}

/* ---- loads ---- */

/* Marks the load's nodes; faces all of whose corners are marked carry it. */
static PlimStatus find_faces(Deform *d, const DeformBody *body, DeformLoad *load, int32_t *marked) {
    memset(marked, 0, body->count[DEFORM_NODES] * sizeof *marked);
    for (size_t k = 0; k < load->count; k++)
        marked[(size_t)d->load_nodes.data[load->first + k] - body->first[DEFORM_NODES]] = 1;
    load->first_face = d->load_faces.count;
    for (size_t f = 0; f < body->count[DEFORM_FACES]; f++) {
        size_t face = body->first[DEFORM_FACES] + f;
        bool all = true;
        for (int c = 0; c < d->options.dim; c++)
            all = all &&
                  marked[(size_t)d->face_corners[3 * face + (size_t)c] - body->first[DEFORM_NODES]];
        if (all && !array_push(d->context, &d->load_faces, face)) return PLIM_OUT_OF_MEMORY;
    }
    load->face_count = d->load_faces.count - load->first_face;
    return PLIM_OK;
}

/* A node's part of the force: its share of the area at rest, or the same for all. */
static PlimStatus find_weights(Deform *d, const DeformLoad *load, double *area) {
    double sum = 0;
    for (size_t k = 0; k < load->count; k++) area[d->load_nodes.data[load->first + k]] = 0;
    for (size_t f = 0; f < load->face_count; f++) {
        size_t face = d->load_faces.data[load->first_face + f];
        double part = vec3_length(deform_face_normal(d, face, d->rest)) / d->options.dim;
        for (int c = 0; c < d->options.dim; c++)
            area[d->face_corners[3 * face + (size_t)c]] += part;
        sum += part * d->options.dim;
    }
    for (size_t k = 0; k < load->count; k++) {
        double weight =
            sum > 0 ? area[d->load_nodes.data[load->first + k]] / sum : 1.0 / (double)load->count;
        if (!array_push(d->context, &d->load_weights, weight)) return PLIM_OUT_OF_MEMORY;
    }
    return PLIM_OK;
}

PlimStatus deform_add_load(Deform *d, const DeformLoadDesc *desc) {
    const DeformBody *body = &d->bodies.data[desc->body];
    size_t nodes = deform_count(d, DEFORM_NODES);
    DeformLoad load = {.first = d->load_nodes.count,
                       .count = desc->node_count,
                       .presses = desc->needs_faces,
                       .force = desc->force,
                       .at = desc->at,
                       .at_user = desc->at_user};
    for (size_t k = 0; k < desc->node_count; k++) {
        int32_t node = desc->nodes[k] + (int32_t)body->first[DEFORM_NODES];
        if (!array_push(d->context, &d->load_nodes, node)) return PLIM_OUT_OF_MEMORY;
    }
    double *area = context_allocate(d->context, nodes, sizeof *area);
    int32_t *marked = context_allocate(d->context, nodes, sizeof *marked);
    PlimStatus status = area && marked ? find_faces(d, body, &load, marked) : PLIM_OUT_OF_MEMORY;
    if (status == PLIM_OK) status = find_weights(d, &load, area);
    if (area) context_free(d->context, area, nodes, sizeof *area);
    if (marked) context_free(d->context, marked, nodes, sizeof *marked);
    TRY(status);
    if (desc->needs_faces && load.face_count == 0)
        return context_fail(d->context, PLIM_BAD_INPUT,
                            "load '%s' presses on no part of the surface: its nodes span none",
                            desc->name);
    load.name = context_copy_text(d->context, desc->name);
    if (!load.name || !array_push(d->context, &d->loads, load)) {
        context_free_text(d->context, load.name);
        return PLIM_OUT_OF_MEMORY;
    }
    ProbeObject object = {.kind = DEFORM_OBJECT_LOAD, .item = d->loads.count - 1};
    return probe_objects_add(d->context, &d->objects, desc->name, object);
}

static PlimStatus load_at(const Deform *d, const DeformLoad *load, double t, DeformForce *out) {
    *out = load->force;
    if (!load->at) return PLIM_OK;
    PlimStatus status = load->at(load->at_user, d->context, t, out);
    return status == PLIM_OK ? status : deform_name_failure(d, status, "load", load->name, t);
}

/* Adds the load's force at time t to forces on all nodes. */
static PlimStatus add_load(const Deform *d, const DeformLoad *load, double t, double *to) {
    DeformForce force;
    TRY(load_at(d, load, t, &force));
    for (size_t k = 0; k < load->count; k++) {
        double *at = to + 3 * d->load_nodes.data[load->first + k];
        double weight = d->load_weights.data[load->first + k];
        vec3_store(at, vec3_add_scaled(vec3_load(at), weight, force.force));
    }
    return PLIM_OK;
}

/* Volume between a face and a point, m^3. */
static double face_volume(const Deform *d, size_t face, const double *x, Vec3 origin) {
    Vec3 corner = vec3_load(x + 3 * d->face_corners[3 * face]);
    return vec3_dot(vec3_sub(corner, origin), deform_face_normal(d, face, x)) / d->options.dim;
}

/* Pressure follows the faces. It has the potential p V where they close a volume; elsewhere one
 * that is right but for the rim, by the volume between them and a point of the body. */
PlimStatus deform_pressure(const Deform *d, double t, const double *x, double *force,
                           double *energy) {
    for (size_t k = 0; k < d->loads.count; k++) {
        const DeformLoad *load = &d->loads.data[k];
        DeformForce now;
        TRY(load_at(d, load, t, &now));
        if (now.pressure == 0) continue;
        Vec3 origin = vec3_load(d->start + 3 * d->load_nodes.data[load->first]);
        for (size_t f = 0; f < load->face_count; f++) {
            size_t face = d->load_faces.data[load->first_face + f];
            add_to_face(d, face, vec3_scale(-now.pressure, deform_face_normal(d, face, x)), force);
            *energy += now.pressure * face_volume(d, face, x, origin);
        }
    }
    return PLIM_OK;
}

/* Adds a block of corner a's row and its mirror image in b's. */
static void add_pair(const Deform *d, int32_t a, int32_t b, Mat3 block) {
    size_t dim = (size_t)d->options.dim;
    double value[9];
    mat3_store(value, block);
    double *to = d->matrix.value + dim * dim * block_csr_find(&d->matrix, (size_t)a, (size_t)b);
    double *back = d->matrix.value + dim * dim * block_csr_find(&d->matrix, (size_t)b, (size_t)a);
    for (size_t i = 0; i < dim; i++)
        for (size_t j = 0; j < dim; j++) {
            to[dim * i + j] += value[3 * i + j];
            back[dim * j + i] += value[3 * i + j];
        }
}

/* -[x]: the matrix of u -> u cross x. */
static Mat3 cross_by(Vec3 x) {
    return (Mat3){{{0, x.z, -x.y}, {-x.z, 0, x.x}, {x.y, -x.x, 0}}};
}

/* Second derivatives of p V, V = x0 . (x1 cross x2) / 6 of a face or (x0 cross x1) / 2 of an edge.
 */
static void add_face_stiffness(const Deform *d, size_t face, double factor, const double *x,
                               Vec3 origin) {
    const int32_t *corner = d->face_corners + 3 * face;
    if (d->options.dim == 2) {
        add_pair(d, corner[0], corner[1],
                 mat3_scale(0.5 * factor, (Mat3){{{0, 1, 0}, {-1, 0, 0}, {0, 0, 0}}}));
        return;
    }
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        Vec3 third = vec3_sub(vec3_load(x + 3 * corner[c]), origin);
        add_pair(d, corner[a], corner[b], mat3_scale(factor / 6, cross_by(third)));
    }
}

PlimStatus deform_pressure_stiffness(const Deform *d, double t, const double *x, double factor) {
    for (size_t k = 0; k < d->loads.count; k++) {
        const DeformLoad *load = &d->loads.data[k];
        DeformForce now;
        TRY(load_at(d, load, t, &now));
        Vec3 origin = vec3_load(d->start + 3 * d->load_nodes.data[load->first]);
        for (size_t f = 0; now.pressure != 0 && f < load->face_count; f++)
            add_face_stiffness(d, d->load_faces.data[load->first_face + f], factor * now.pressure,
                               x, origin);
    }
    return PLIM_OK;
}

PlimStatus deform_load_now(const Deform *d, size_t number, double t, Vec3 *force, Vec3 *torque) {
    const DeformLoad *load = &d->loads.data[number];
    DeformForce now;
    *force = *torque = vec3(0, 0, 0);
    TRY(load_at(d, load, t, &now));
    for (size_t k = 0; k < load->count; k++) {
        Vec3 x = vec3_load(d->position + 3 * d->load_nodes.data[load->first + k]);
        Vec3 part = vec3_scale(d->load_weights.data[load->first + k], now.force);
        *force = vec3_add(*force, part);
        *torque = vec3_add(*torque, vec3_cross(x, part));
    }
    for (size_t f = 0; now.pressure != 0 && f < load->face_count; f++) {
        size_t face = d->load_faces.data[load->first_face + f];
        Vec3 part =
            vec3_scale(-now.pressure / d->options.dim, deform_face_normal(d, face, d->position));
        for (int c = 0; c < d->options.dim; c++) {
            Vec3 x = vec3_load(d->position + 3 * d->face_corners[3 * face + (size_t)c]);
            *force = vec3_add(*force, part);
            *torque = vec3_add(*torque, vec3_cross(x, part));
        }
    }
    return PLIM_OK;
}

/* ---- wind ---- */

/* The normal part of the wind as seen from the face presses on it, from either side. */
static void add_wind(const Deform *d, const DeformBody *body, double t, double *to) {
    const DeformWind *wind = &body->wind;
    for (size_t f = 0; f < body->count[DEFORM_FACES]; f++) {
        size_t face = body->first[DEFORM_FACES] + f;
        Vec3 x = vec3(0, 0, 0), v = vec3(0, 0, 0),
             normal = deform_face_normal(d, face, d->position);
        double area = vec3_length(normal), blow[3];
        for (int c = 0; c < d->options.dim; c++) {
            int32_t node = d->face_corners[3 * face + (size_t)c];
            x = vec3_add_scaled(x, 1.0 / d->options.dim, vec3_load(d->position + 3 * node));
            v = vec3_add_scaled(v, 1.0 / d->options.dim, vec3_load(d->velocity + 3 * node));
        }
        if (!(area > 0)) continue;
        for (int k = 0; k < 3; k++) blow[k] = field_function_at(&wind->velocity[k], x, t);
        double along = vec3_dot(vec3_sub(vec3_load(blow), v), normal) / area;
        double pressure = 0.5 * wind->density * wind->drag * fabs(along) * along;
        add_to_face(d, face, vec3_scale(pressure, normal), to);
    }
}

PlimStatus deform_outside_forces(Deform *d, const StepInfo *step, double t) {
    d->load_time = t;
    for (size_t i = 0; i < deform_count(d, DEFORM_NODES); i++) {
        Vec3 weight = vec3_scale(d->mass[i], step->gravity);
        if (d->options.dim == 2) weight.z = 0;
        vec3_store(d->outside + 3 * i, weight);
    }
    for (size_t k = 0; k < d->loads.count; k++) TRY(add_load(d, &d->loads.data[k], t, d->outside));
    /* Implicit steps take pressure where it is at their end. */
    double unused = 0;
    if (d->options.integrator == DEFORM_NEWMARK)
        TRY(deform_pressure(d, t, d->position, d->outside, &unused));
    for (size_t b = 0; b < d->bodies.count; b++)
        if (d->bodies.data[b].wind.blows) add_wind(d, &d->bodies.data[b], t, d->outside);
    return PLIM_OK;
}
