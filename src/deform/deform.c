/* Deformable solids: arrays, bodies, pins, loads (000 section 3; 002 sections 4, 5.3). */
#include "deform/internal.h"

#include <string.h>

#define NODE(member, unit, type, role, components)                                                 \
    { #member, unit, type, role, components, DEFORM_NODES, offsetof(Deform, member) }
#define ELEMENT(member, unit, type, role, components)                                              \
    { #member, unit, type, role, components, DEFORM_ELEMENTS, offsetof(Deform, member) }
#define SPRING(member, unit, type, role, components)                                               \
    { #member, unit, type, role, components, DEFORM_SPRINGS, offsetof(Deform, member) }
#define FACE(member, unit, type, role, components)                                                 \
    { #member, unit, type, role, components, DEFORM_FACES, offsetof(Deform, member) }

static const StateField fields[] = {
    NODE(position, "m", FIELD_F64, FIELD_STATE, 3),
    NODE(velocity, "m/s", FIELD_F64, FIELD_STATE, 3),
    NODE(reaction, "N", FIELD_F64, FIELD_STATE, 3),
    NODE(velocity_half, "m/s", FIELD_F64, FIELD_WORK, 3),
    NODE(position_before, "m", FIELD_F64, FIELD_WORK, 3),
    NODE(collision_change, "m/s", FIELD_F64, FIELD_WORK, 3),
    NODE(half_impulse, "N s", FIELD_F64, FIELD_WORK, 3),
    NODE(outside, "N", FIELD_F64, FIELD_WORK, 3),
    NODE(filter, "1", FIELD_F64, FIELD_WORK, 9),
    NODE(is_held, "1", FIELD_I32, FIELD_WORK, 1),
    NODE(elastic, "N", FIELD_F64, FIELD_DERIVED, 3),
    NODE(rest, "m", FIELD_F64, FIELD_CONSTANT, 3),
    NODE(start, "m", FIELD_F64, FIELD_CONSTANT, 3),
    NODE(mass, "kg", FIELD_F64, FIELD_CONSTANT, 1),
    NODE(anchor, "m", FIELD_F64, FIELD_STATE, 3),
    NODE(has_pin, "1", FIELD_I32, FIELD_DERIVED, 1),
    NODE(is_pinned, "1", FIELD_I32, FIELD_DERIVED, 1),
    NODE(is_outer, "1", FIELD_I32, FIELD_CONSTANT, 1),
    NODE(checks, "1", FIELD_F64, FIELD_CONSTANT, 2),
    ELEMENT(stress, "J", FIELD_F64, FIELD_DERIVED, 9),
    ELEMENT(element_energy, "J", FIELD_F64, FIELD_DERIVED, 1),
    ELEMENT(corners, "1", FIELD_I32, FIELD_CONSTANT, 4),
    ELEMENT(corner_count, "1", FIELD_I32, FIELD_CONSTANT, 1),
    ELEMENT(element_body, "1", FIELD_I32, FIELD_CONSTANT, 1),
    ELEMENT(gradient, "1/m", FIELD_F64, FIELD_CONSTANT, 9),
    ELEMENT(volume, "m^3", FIELD_F64, FIELD_CONSTANT, 1),
    SPRING(spring_force, "N", FIELD_F64, FIELD_DERIVED, 12),
    SPRING(spring_energy, "J", FIELD_F64, FIELD_DERIVED, 1),
    SPRING(spring_corners, "1", FIELD_I32, FIELD_CONSTANT, 4),
    SPRING(spring_count, "1", FIELD_I32, FIELD_CONSTANT, 1),
    SPRING(spring_kind, "1", FIELD_I32, FIELD_CONSTANT, 1),
    SPRING(spring_body, "1", FIELD_I32, FIELD_CONSTANT, 1),
    SPRING(spring_element, "1", FIELD_I32, FIELD_CONSTANT, 1),
    SPRING(spring_rest, "m", FIELD_F64, FIELD_CONSTANT, 1),
    SPRING(spring_modulus, "N", FIELD_F64, FIELD_CONSTANT, 1),
    SPRING(spring_drag, "N s/m", FIELD_F64, FIELD_CONSTANT, 1),
    {"step_limit", "s", FIELD_F64, FIELD_STATE, 4, DEFORM_WHOLE, offsetof(Deform, step_limit)},
    {"pushed_before", "m/s", FIELD_F64, FIELD_STATE, 12, DEFORM_PUSHED,
     offsetof(Deform, pushed_before)},
    {"gained", "J", FIELD_F64, FIELD_STATE, 1, DEFORM_BODIES, offsetof(Deform, gained)},
    {"plastic_inverse", "1", FIELD_F64, FIELD_STATE, 9, DEFORM_PLASTIC,
     offsetof(Deform, plastic_inverse)},
    {"plastic_rest", "1/m", FIELD_F64, FIELD_CONSTANT, 9, DEFORM_PLASTIC,
     offsetof(Deform, plastic_rest)},
    {"plastic_element", "1", FIELD_I32, FIELD_CONSTANT, 1, DEFORM_PLASTIC,
     offsetof(Deform, plastic_element)},
    /* Never changes, but a state must tell which surface its nodes make: who looks for crossings in
     * it has nothing else that is exact. */
    FACE(face_corners, "1", FIELD_I32, FIELD_STATE, 3),
    FACE(face_body, "1", FIELD_I32, FIELD_CONSTANT, 1),
};

static const char *const groups[] = {"nodes",  "elements", "springs", "faces",
                                     "bodies", "plastic",  "pushed",  "whole"};

const StateSchema deform_schema = {.fields = fields,
                                   .field_count = sizeof fields / sizeof *fields,
                                   .groups = groups,
                                   .group_count = DEFORM_GROUPS,
                                   .sizes_offset = offsetof(Deform, sizes)};

size_t deform_bytes(size_t nodes, size_t elements) {
    /* Blocks of about 15 neighbours a node, and as much again for the levels of multigrid. */
    enum { NODE_MATRIX = 2 * 15 * 9 * sizeof(double) };
    return nodes * (state_bytes_per_item(&deform_schema, DEFORM_NODES) + NODE_MATRIX) +
           elements * (state_bytes_per_item(&deform_schema, DEFORM_ELEMENTS) + 24 * 4);
}

size_t deform_bending_bytes(size_t nodes) {
    /* 35 neighbours a node in place of 15; three hinges, one ring and two triangles. */
    enum { NODE_MATRIX = 2 * 20 * 9 * sizeof(double), NODE_BLOCKS = 260 * sizeof(int32_t) };
    size_t hinges = 3 * (sizeof(BendHinge) + 8 * sizeof(Vec3)), entries = 19 * sizeof(BendEntry);
    return nodes * (NODE_MATRIX + NODE_BLOCKS + hinges + entries + 3 * sizeof(BendPatch));
}

DeformOptions deform_options_default(int dim) {
    return (DeformOptions){.dim = dim,
                           .integrator = DEFORM_MIDPOINT,
                           .step_fraction = 0.7,
                           .tolerance = 1e-6,
                           .iterations = 100,
                           .contact = true,
                           .frame_elements = true,
                           .collisions = true};
}

PlimStatus deform_create(PlimContext *context, const DeformOptions *options, Deform **out) {
    *out = context_allocate(context, 1, sizeof **out);
    if (!*out) return PLIM_OUT_OF_MEMORY;
    (*out)->context = context;
    (*out)->options = *options;
    (*out)->objects.owner = "deformable solids";
    return PLIM_OK;
}

static void deform_destroy(void *system) {
    Deform *d = system;
    PlimContext *context = d->context;
    for (size_t i = 0; i < d->bodies.count; i++) context_free_text(context, d->bodies.data[i].name);
    for (size_t i = 0; i < d->pins.count; i++) context_free_text(context, d->pins.data[i].name);
    for (size_t i = 0; i < d->loads.count; i++) context_free_text(context, d->loads.data[i].name);
    array_free(context, &d->bodies);
    array_free(context, &d->pins);
    array_free(context, &d->loads);
    array_free(context, &d->colliders);
    array_free(context, &d->pin_nodes);
    array_free(context, &d->load_nodes);
    array_free(context, &d->load_weights);
    array_free(context, &d->load_faces);
    array_free(context, &d->contacts);
    pushed_free(d);
    array_free(context, &d->corner_bounds);
    array_free(context, &d->outer_nodes);
    array_free(context, &d->outward);
    array_free(context, &d->self_nodes);
    array_free(context, &d->self_faces);
    deform_skins_free(d);
    pairs_free(d);
    bending_free(d);
    array_free(context, &d->limit_edges);
    array_free(context, &d->limited);
    array_free(context, &d->limit_changed);
    array_free(context, &d->touch_start);
    array_free(context, &d->touch);
    array_free(context, &d->element_colors.order);
    array_free(context, &d->element_colors.start);
    array_free(context, &d->spring_colors.order);
    array_free(context, &d->spring_colors.start);
    array_free(context, &d->patch_colors.order);
    array_free(context, &d->patch_colors.start);
    array_free(context, &d->element_entries);
    array_free(context, &d->spring_entries);
    for (int k = 0; k < DEFORM_WORK_COUNT; k++) array_free(context, &d->work[k]);
    aggregation_destroy(d->precondition);
    block_csr_free(&d->matrix);
    probe_objects_free(context, &d->objects);
    state_free(context, &deform_schema, d);
    context_free(context, d, 1, sizeof *d);
}

/* ---- a body ---- */

static PlimStatus check_nodes(const Deform *d, const DeformBodyDesc *desc) {
    if (desc->node_count == 0)
        return context_fail(d->context, PLIM_BAD_INPUT, "'%s' has no nodes", desc->name);
    for (size_t i = 0; i < desc->node_count; i++) {
        Vec3 sum = vec3_add(vec3_add(desc->rest[i], desc->position[i]), desc->velocity[i]);
        if (!isfinite(sum.x + sum.y + sum.z))
            return context_fail(d->context, PLIM_BAD_INPUT,
                                "'%s': node %zu has a place or velocity that is not a number",
                                desc->name, i);
    }
    size_t all = deform_count(d, DEFORM_NODES) + desc->node_count;
    if (all > INT32_MAX / 8)
        return context_fail(d->context, PLIM_BAD_INPUT, "'%s': %zu nodes are too many", desc->name,
                            all);
    return PLIM_OK;
}

static bool index_fits(const int32_t *corners, int count, size_t nodes) {
    for (int c = 0; c < count; c++)
        if (corners[c] < 0 || (size_t)corners[c] >= nodes) return false;
    return true;
}

/* Of a sheet one less than of a solid. */
static int corners_of(const Deform *d, const DeformBodyDesc *desc) {
    return d->options.dim + (desc->is_sheet ? 0 : 1);
}

/* Gradients of the shape functions of corners 1 and 2 of a triangle in space, in the plane that it
 * has at rest with its first edge along x. Returns its area. */
static double sheet_gradient(const DeformBodyDesc *desc, const int32_t *corners, Mat3 *gradient,
                             double *edge) {
    Vec3 e1 = vec3_sub(desc->rest[corners[1]], desc->rest[corners[0]]);
    Vec3 e2 = vec3_sub(desc->rest[corners[2]], desc->rest[corners[0]]);
    double length = vec3_length(e1), along = vec3_dot(e2, e1) / length;
    double area = 0.5 * vec3_length(vec3_cross(e1, e2)), height = 2 * area / length;
    *edge = fmax(length, vec3_length(e2));
    *gradient =
        (Mat3){{{1 / length, -along / (length * height), 0}, {0, 1 / height, 0}, {0, 0, 0}}};
    return area;
}

/* Gradients of the shape functions of an element and its volume; in the plane 1 m deep, z left
 * alone. False: it is flat or inverted. */
static bool rest_gradient(const Deform *d, const DeformBodyDesc *desc, const int32_t *corners,
                          Mat3 *gradient, double *volume) {
    if (desc->is_sheet && d->options.dim == 2) {
        *volume = vec3_length(vec3_sub(desc->rest[corners[1]], desc->rest[corners[0]]));
        *gradient = mat3_diagonal(1 / *volume, 0, 0);
        return *volume > 0;
    }
    if (desc->is_sheet) {
        double edge;
        *volume = sheet_gradient(desc, corners, gradient, &edge);
        return *volume > 1e-6 * edge * edge;
    }
    Vec3 x0 = desc->rest[corners[0]], e1 = vec3_sub(desc->rest[corners[1]], x0);
    Vec3 e2 = vec3_sub(desc->rest[corners[2]], x0), e3 = vec3(0, 0, 1);
    if (d->options.dim == 3) e3 = vec3_sub(desc->rest[corners[3]], x0);
    Mat3 rest = mat3_from_columns(e1, e2, e3);
    double edge = sqrt(vec3_dot(rest.r[0], rest.r[0]) + vec3_dot(rest.r[1], rest.r[1]) +
                       (d->options.dim == 3 ? vec3_dot(rest.r[2], rest.r[2]) : 0.0));
    *volume = mat3_determinant(rest) / (d->options.dim == 3 ? 6.0 : 2.0);
    *gradient = mat3_inverse(rest);
    return *volume > 1e-9 * pow(edge, d->options.dim);
}

static PlimStatus add_elements(Deform *d, const DeformBodyDesc *desc, int32_t body) {
    size_t first = deform_count(d, DEFORM_ELEMENTS), node = deform_count(d, DEFORM_NODES);
    int corner_count = corners_of(d, desc);
    TRY(state_resize(d->context, &deform_schema, d, DEFORM_ELEMENTS, first + desc->element_count));
    for (size_t e = 0; e < desc->element_count; e++) {
        const int32_t *corners = desc->elements[e];
        Mat3 gradient;
        double volume;
        if (!index_fits(corners, corner_count, desc->node_count))
            return context_fail(d->context, PLIM_BAD_INPUT,
                                "'%s': element %zu has a corner that is no node", desc->name, e);
        if (!rest_gradient(d, desc, corners, &gradient, &volume))
            return context_fail(d->context, PLIM_BAD_INPUT,
                                "'%s': %s %zu, near (%g, %g, %g), is flat%s at rest; mend the mesh",
                                desc->name, desc->is_sheet ? "triangle" : "element", e,
                                desc->rest[corners[0]].x, desc->rest[corners[0]].y,
                                desc->rest[corners[0]].z,
                                desc->is_sheet ? "" : " or turned inside out");
        size_t at = first + e;
        for (int c = 0; c < corner_count; c++)
            d->corners[4 * at + (size_t)c] = corners[c] + (int32_t)node;
        d->corner_count[at] = corner_count;
        d->element_body[at] = body;
        d->volume[at] = volume;
        mat3_store(d->gradient + 9 * at, gradient);
    }
    return PLIM_OK;
}

static PlimStatus add_faces(Deform *d, const DeformBodyDesc *desc, int32_t body) {
    size_t first = deform_count(d, DEFORM_FACES), node = deform_count(d, DEFORM_NODES);
    TRY(state_resize(d->context, &deform_schema, d, DEFORM_FACES, first + desc->face_count));
    for (size_t f = 0; f < desc->face_count; f++) {
        if (!index_fits(desc->faces[f], d->options.dim, desc->node_count))
            return context_fail(d->context, PLIM_BAD_INPUT,
                                "'%s': face %zu has a corner that is no node", desc->name, f);
        for (int c = 0; c < 3; c++) /* in the plane there is no third one: -1 */
            d->face_corners[3 * (first + f) + (size_t)c] =
                c < d->options.dim ? desc->faces[f][c] + (int32_t)node : -1;
        d->face_body[first + f] = body;
    }
    return PLIM_OK;
}

/* Masses are lumped: an element gives each corner its share (000 section 3.2.1). Nodes that no
 * element uses share what is given as mass evenly. */
static PlimStatus add_masses(Deform *d, const DeformBodyDesc *desc, size_t first_node,
                             size_t first_element) {
    int corner_count = corners_of(d, desc);
    double sum = 0;
    for (size_t e = 0; e < desc->element_count; e++) {
        double share = desc->density * d->volume[first_element + e] / corner_count;
        for (int c = 0; c < corner_count; c++)
            d->mass[d->corners[4 * (first_element + e) + (size_t)c]] += share;
        sum += share * corner_count;
    }
    for (size_t i = 0; i < desc->node_count; i++) {
        double *mass = &d->mass[first_node + i];
        if (desc->element_count == 0)
            *mass = desc->mass / (double)desc->node_count;
        else if (desc->mass > 0)
            *mass *= desc->mass / sum;
        if (!(*mass > 0) || !isfinite(*mass))
            return context_fail(d->context, PLIM_BAD_INPUT,
                                "'%s': node %zu, at (%g, %g, %g), has no mass; give 'mass', and "
                                "leave no node without an element",
                                desc->name, i, desc->rest[i].x, desc->rest[i].y, desc->rest[i].z);
    }
    return PLIM_OK;
}

static void add_nodes(Deform *d, const DeformBodyDesc *desc, size_t first) {
    for (size_t i = 0; i < desc->node_count; i++) {
        size_t at = 3 * (first + i);
        vec3_store(d->rest + at, desc->rest[i]);
        vec3_store(d->start + at, desc->position[i]);
        vec3_store(d->anchor + at, desc->position[i]);
        vec3_store(d->position + at, desc->position[i]);
        vec3_store(d->velocity + at, desc->velocity[i]);
        d->is_outer[first + i] = desc->face_count == 0;
        for (size_t k = 0; k < 2; k++)
            d->checks[2 * (first + i) + k] = desc->checks ? desc->checks[i][k] : NAN;
    }
    for (size_t f = 0; f < desc->face_count; f++)
        for (int c = 0; c < d->options.dim; c++) d->is_outer[first + (size_t)desc->faces[f][c]] = 1;
}

static double size_at_rest(const DeformBodyDesc *desc) {
    Box3 box = box3_empty();
    for (size_t i = 0; i < desc->node_count; i++) box = box3_add_point(box, desc->rest[i]);
    Vec3 size = vec3_sub(box.high, box.low);
    return fmax(size.x, fmax(size.y, size.z));
}

PlimStatus deform_add_body(Deform *d, const DeformBodyDesc *desc, size_t *out) {
    size_t first[DEFORM_GROUPS];
    int32_t number = (int32_t)d->bodies.count;
    TRY(check_nodes(d, desc));
    for (int g = 0; g < DEFORM_GROUPS; g++) first[g] = deform_count(d, g);
    TRY(state_resize(d->context, &deform_schema, d, DEFORM_BODIES, (size_t)number + 1));
    TRY(add_elements(d, desc, number));
    if (desc->is_sheet) TRY(sheet_check(d, desc));
    TRY(add_faces(d, desc, number));
    size_t nodes = first[DEFORM_NODES] + desc->node_count;
    TRY(state_resize(d->context, &deform_schema, d, DEFORM_NODES, nodes));
    add_nodes(d, desc, first[DEFORM_NODES]);
    TRY(add_masses(d, desc, first[DEFORM_NODES], first[DEFORM_ELEMENTS]));
    TRY(deform_add_springs(d, desc, number, first[DEFORM_NODES], first[DEFORM_ELEMENTS]));
    bool yields = desc->has_law && desc->yield_stretch > 0;
    if (yields) TRY(deform_add_plastic(d, first[DEFORM_ELEMENTS]));
    DeformBody body = {.has_law = desc->has_law,
                       .is_sheet = desc->is_sheet,
                       .shortest = desc->springs.shortest,
                       .law = desc->law,
                       .yield_stretch = yields ? desc->yield_stretch : 0.0,
                       .alpha = desc->has_law ? desc->damping * desc->law.lambda : 0.0,
                       .beta = desc->has_law ? desc->damping * desc->law.mu : 0.0,
                       .damping_form = desc->damping_form,
                       .bending = desc->bending,
                       .strain_limit = desc->is_sheet ? desc->strain_limit : 0.0,
                       .wind = desc->wind,
                       .friction = desc->friction,
                       .kinetic_friction = desc->kinetic_friction,
                       .collides = desc->collides,
                       .meets_itself = desc->meets_itself,
                       .radius = desc->radius,
                       .size = fmax(size_at_rest(desc), 2 * desc->radius)};
    TRY(deform_find_thickness(d, desc, &body.thickness, &body.edge));
    memcpy(body.color, desc->color, sizeof body.color);
    memcpy(body.first, first, sizeof first);
    for (int g = 0; g < DEFORM_GROUPS; g++) body.count[g] = deform_count(d, g) - first[g];
    d->has_checks = d->has_checks || desc->checks;
    d->has_sheets = d->has_sheets || desc->is_sheet;
    d->has_damping = d->has_damping || body.alpha > 0 || body.beta > 0;
    body.name = context_copy_text(d->context, desc->name);
    if (!body.name || !array_push(d->context, &d->bodies, body)) {
        context_free_text(d->context, body.name);
        return PLIM_OUT_OF_MEMORY;
    }
    *out = d->bodies.count - 1;
    ProbeObject object = {.kind = DEFORM_OBJECT_BODY, .item = *out};
    return probe_objects_add(d->context, &d->objects, desc->name, object);
}

/* ---- points, colliders ---- */

PlimStatus deform_add_point(Deform *d, const char *name, size_t body, int32_t node) {
    size_t at = d->bodies.data[body].first[DEFORM_NODES] + (size_t)node;
    ProbeObject object = {.kind = DEFORM_OBJECT_POINT, .item = at};
    return probe_objects_add(d->context, &d->objects, name, object);
}

PlimStatus deform_add_collider(Deform *d, const SurfaceRef *ref, double friction,
                               double kinetic_friction) {
    DeformCollider collider = {
        .ref = *ref, .friction = friction, .kinetic_friction = kinetic_friction, .pushed = -1};
    return array_push(d->context, &d->colliders, collider) ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

/* ---- the whole ---- */

PlimStatus deform_name_failure(const Deform *d, PlimStatus status, const char *what,
                               const char *name, double t) {
    char message[MESSAGE_CAPACITY];
    memcpy(message, d->context->message, sizeof message);
    return context_fail(d->context, status, "%s '%s' at t = %g s: %s", what, name, t, message);
}

PlimStatus deform_finish(Deform *d) {
    deform_mark_pins(d, -HUGE_VAL, HUGE_VAL);
    deform_set_spring_drag(d);
    TRY(bending_make(d));
    TRY(limit_make(d));
    for (size_t k = 0; k < d->loads.count; k++)
        d->has_pressure = d->has_pressure || d->loads.data[k].presses;
    for (size_t e = 0; e < deform_count(d, DEFORM_ELEMENTS); e++) {
        const DeformBody *body = &d->bodies.data[d->element_body[e]];
        if (body->has_law)
            d->energy_rounding += 1e-16 * d->volume[e] * (body->law.mu + body->law.lambda);
    }
    deform_yield_at_start(d);
    TRY(deform_make_patterns(d));
    TRY(deform_list_self(d));
    TRY(pairs_reserve(d));
    for (size_t b = 0; b < d->bodies.count; b++)
        d->bodies.data[b].contact_stiffness = pairs_stiffness_of(d, &d->bodies.data[b]);
    for (size_t b = 0; b < d->bodies.count; b++)
        if (d->bodies.data[b].is_sheet)
            d->sheet_offset = fmax(d->sheet_offset, 0.5 * d->bodies.data[b].thickness);
    TRY(pushed_make(d));
    size_t values = 3 * deform_count(d, DEFORM_NODES) + 6 * d->pushed.count;
    for (int k = 0; k < DEFORM_WORK_COUNT; k++)
        if (!array_reserve(d->context, &d->work[k], values)) return PLIM_OUT_OF_MEMORY;
    size_t parts = deform_count(d, DEFORM_ELEMENTS) + deform_count(d, DEFORM_SPRINGS);
    if (d->options.integrator == DEFORM_NEWMARK &&
        !array_reserve(d->context, &d->corner_bounds, 4 * parts + 1))
        return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < deform_count(d, DEFORM_NODES); i++)
        if (d->is_outer[i] && !array_push(d->context, &d->outer_nodes, (int32_t)i))
            return PLIM_OUT_OF_MEMORY;
    /* As many as can come: nothing is allocated in a step. */
    size_t most = 2 * d->outer_nodes.count;
    if (d->colliders.count > 0 && (!array_reserve(d->context, &d->contacts, most) ||
                                   !array_reserve(d->context, &d->outward, values)))
        return PLIM_OUT_OF_MEMORY;
    return PLIM_OK;
}

static size_t object_count(const void *system) {
    return ((const Deform *)system)->objects.list.count;
}

static const char *object_name(const void *system, size_t i) {
    return ((const Deform *)system)->objects.list.data[i].name;
}

static size_t find_object(const void *system, const char *name) {
    return probe_objects_find(&((const Deform *)system)->objects, name);
}

static const SystemFigures figures[] = {SYSTEM_FIGURES(Deform, figures)};

const SystemClass deform_class = {
    .name = "deform",
    .schema = &deform_schema,
    .figures = figures,
    .figure_count = 1,
    .max_dt = deform_max_dt,
    .stage = {[STAGE_PREDICT] = deform_predict,
              [STAGE_SOLVE_POSITIONS] = deform_solve_positions,
              [STAGE_MOVE] = deform_move,
              [STAGE_ADVECT] = deform_accelerate,
              [STAGE_SOLVE_VELOCITIES] = deform_solve_velocities},
    .destroy = deform_destroy,
    .refresh = deform_refresh,
    .diagnose = deform_diagnose,
    .view_frame = deform_view_frame,
    .push = &deform_push,
    .meshes = &deform_meshes,
    .quantities = deform_quantities,
    .quantity_count = DEFORM_QUANTITY_COUNT,
    .object_count = object_count,
    .object_name = object_name,
    .find_object = find_object,
};
