/* Pins: nodes that are held, or led along paths or by rigid bodies, as given velocities of the
 * solves (002 section 4.7.3: projections). */
#include "deform/internal.h"

PlimStatus deform_add_pin(Deform *d, const DeformPinDesc *desc) {
    const DeformBody *body = &d->bodies.data[desc->body];
    DeformPin pin = {.first = d->pin_nodes.count,
                     .count = desc->node_count,
                     .axes = {desc->axes[0], desc->axes[1], desc->axes[2]},
                     .path = desc->path,
                     .path_user = desc->path_user,
                     .with = desc->with,
                     .from = desc->from,
                     .until = desc->until > 0 ? desc->until : HUGE_VAL};
    d->has_timed_pins = d->has_timed_pins || pin.from > 0 || isfinite(pin.until);
    if (pin.with.class) surface_read(&pin.with, &pin.with_start);
    for (size_t k = 0; k < desc->node_count; k++) {
        int32_t node = desc->nodes[k] + (int32_t)body->first[DEFORM_NODES];
        if (!array_push(d->context, &d->pin_nodes, node)) return PLIM_OUT_OF_MEMORY;
    }
    pin.name = context_copy_text(d->context, desc->name);
    if (!pin.name || !array_push(d->context, &d->pins, pin)) {
        context_free_text(d->context, pin.name);
        return PLIM_OUT_OF_MEMORY;
    }
    ProbeObject object = {.kind = DEFORM_OBJECT_PIN, .item = d->pins.count - 1};
    return probe_objects_add(d->context, &d->objects, desc->name, object);
}

/* Whether it holds in a step, which may begin or end within rounding of its times. */
static bool holds(const DeformPin *pin, double t0, double t1) {
    double fine = 1e-9 * fmin(t1 - t0, 1.0);
    return pin->from <= fmax(t0, 0.0) + fine && pin->until >= t1 - fine;
}

void deform_mark_pins(Deform *d, double t0, double t1) {
    for (size_t i = 0; i < deform_count(d, DEFORM_NODES); i++) d->is_pinned[i] = d->has_pin[i] = 0;
    for (size_t p = 0; p < d->pins.count; p++) {
        const DeformPin *pin = &d->pins.data[p];
        bool all = pin->axes[0] && pin->axes[1] && (pin->axes[2] || d->options.dim == 2);
        if (!holds(pin, t0, t1)) continue;
        for (size_t k = 0; k < pin->count; k++) {
            int32_t node = d->pin_nodes.data[pin->first + k];
            d->has_pin[node] = 1;
            d->is_pinned[node] |= all;
        }
    }
}

void deform_follow_loose(Deform *d, double t) {
    for (size_t p = 0; p < d->pins.count; p++) {
        const DeformPin *pin = &d->pins.data[p];
        if (!(pin->from >= t - 1e-9)) continue;
        for (size_t k = 0; k < pin->count; k++) {
            size_t i = (size_t)d->pin_nodes.data[pin->first + k];
            vec3_store(d->anchor + 3 * i, vec3_load(d->position + 3 * i));
        }
    }
}

/* Where its body is: at t^n carried on to t^{n+1}, or after the bodies have moved. */
static DeformPath path_with(const DeformPin *pin, double ahead) {
    Collider now = {0};
    surface_read(&pin->with, &now);
    Quat carried = quat_exp(vec3_scale(ahead, now.angular_velocity));
    Quat orientation = quat_multiply(carried, now.orientation);
    Vec3 position = vec3_add_scaled(now.position, ahead, now.velocity);
    return (DeformPath){.turn =
                            quat_multiply(orientation, quat_conjugate(pin->with_start.orientation)),
                        .about = pin->with_start.position,
                        .move = vec3_sub(position, pin->with_start.position),
                        .spin = now.angular_velocity,
                        .rate = now.velocity};
}

static PlimStatus path_at(const Deform *d, const DeformPin *pin, double t, double ahead,
                          DeformPath *out) {
    *out = (DeformPath){.turn = quat_identity()};
    if (pin->with.class) *out = path_with(pin, ahead);
    if (!pin->path) return PLIM_OK;
    PlimStatus status = pin->path(pin->path_user, d->context, t, out);
    return status == PLIM_OK ? status : deform_name_failure(d, status, "pin", pin->name, t);
}

static Vec3 move_point(const DeformPath *motion, Vec3 start) {
    Vec3 arm = quat_rotate(motion->turn, vec3_sub(start, motion->about));
    return vec3_add(vec3_add(motion->about, arm), motion->move);
}

/* ---- what pins give their nodes ---- */

/* A vector of a pinned node that was taken hold of at `anchor`, from the motion of its pin. */
typedef Vec3 (*PinValue)(const Deform *d, const StepInfo *step, const DeformPath *motion,
                         size_t node);

static Vec3 place_of(const Deform *d, const StepInfo *step, const DeformPath *motion, size_t node) {
    (void)step;
    return move_point(motion, vec3_load(d->anchor + 3 * node));
}

/* That leads to the place at t^{n+1} in one step. */
static Vec3 way_of(const Deform *d, const StepInfo *step, const DeformPath *motion, size_t node) {
    Vec3 way = vec3_sub(place_of(d, step, motion, node), vec3_load(d->position + 3 * node));
    return vec3(way.x / step->dt, way.y / step->dt, way.z / step->dt);
}

static Vec3 velocity_of(const Deform *d, const StepInfo *step, const DeformPath *motion,
                        size_t node) {
    (void)step;
    Vec3 arm = vec3_sub(vec3_load(d->anchor + 3 * node), motion->about);
    return vec3_add(motion->rate, vec3_cross(motion->spin, quat_rotate(motion->turn, arm)));
}

/* Into values of nodes, along held axes. `ahead`: how far, in s, rigid bodies have yet to go. */
static PlimStatus give(Deform *d, const StepInfo *step, double ahead, PinValue value, double *to) {
    for (size_t p = 0; p < d->pins.count; p++) {
        const DeformPin *pin = &d->pins.data[p];
        DeformPath motion;
        if (!holds(pin, step->time, step->end_time)) continue;
        TRY(path_at(d, pin, step->end_time, ahead, &motion));
        for (size_t k = 0; k < pin->count; k++) {
            size_t i = (size_t)d->pin_nodes.data[pin->first + k];
            Vec3 given = value(d, step, &motion, i);
            for (int axis = 0; axis < d->options.dim; axis++)
                if (pin->axes[axis]) to[3 * i + (size_t)axis] = vec3_component(given, axis);
        }
    }
    return PLIM_OK;
}

PlimStatus deform_pin_targets(Deform *d, const StepInfo *step, double *velocity) {
    return give(d, step, step->dt, way_of, velocity);
}

/* Exactly onto their paths, once rigid bodies are where they are at t^{n+1}. */
PlimStatus deform_snap_pins(Deform *d, const StepInfo *step) {
    return give(d, step, 0.0, place_of, d->position);
}

PlimStatus deform_pin_velocities(Deform *d, const StepInfo *step) {
    return give(d, step, 0.0, velocity_of, d->velocity);
}

void deform_filter_pins(Deform *d) {
    size_t nodes = deform_count(d, DEFORM_NODES), dim = (size_t)d->options.dim;
    for (size_t i = 0; i < nodes; i++) {
        d->is_held[i] = 0;
        for (size_t k = 0; k < dim * dim; k++)
            d->filter[dim * dim * i + k] = k % (dim + 1) == 0 ? 1.0 : 0.0;
    }
    for (size_t p = 0; p < d->pins.count; p++) {
        const DeformPin *pin = &d->pins.data[p];
        if (!holds(pin, d->step_start, d->step_end)) continue;
        for (size_t k = 0; k < pin->count; k++) {
            size_t i = (size_t)d->pin_nodes.data[pin->first + k];
            d->is_held[i] = 1;
            for (size_t axis = 0; axis < dim; axis++)
                if (pin->axes[axis]) d->filter[dim * dim * i + (dim + 1) * axis] = 0.0;
        }
    }
}
