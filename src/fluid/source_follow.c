/* Sources that follow a body: where it is, its shape, functions of place and velocities are those
 * of the body's own axes. */
#include "fluid/internal.h"

#include <string.h>

static bool follows(const FluidSource *source) {
    return source->ref.class != NULL;
}

static bool find_body(const FluidDesc *desc, const char *name, SurfaceRef *ref) {
    for (size_t i = 0; i < desc->body_count; i++) {
        *ref = desc->bodies[i].ref;
        if (strcmp(surface_describe(ref).name, name) == 0) return true;
    }
    *ref = (SurfaceRef){0};
    return false;
}

PlimStatus fluid_bind_sources(Fluid *fluid, const FluidDesc *desc) {
    for (size_t s = 0; s < fluid->sources.list.count; s++) {
        FluidSource *source = &fluid->sources.list.data[s];
        if (source->body && !find_body(desc, source->body, &source->ref))
            return context_fail(fluid->context, PLIM_BAD_INPUT,
                                "the source '%s' follows a body '%s', and there is none; name one "
                                "of the scene's bodies, or leave 'body' out",
                                source->name, source->body);
    }
    fluid_place_sources(fluid);
    return PLIM_OK;
}

/* The origin of the shape's own axes moves with the body, which turns about its centre of mass. */
void fluid_place_sources(Fluid *fluid) {
    for (size_t s = 0; s < fluid->sources.list.count; s++) {
        FluidSource *source = &fluid->sources.list.data[s];
        Collider *place = &source->place;
        if (!follows(source)) continue;
        surface_read(&source->ref, place);
        Vec3 arm = quat_rotate(place->orientation, surface_describe(&source->ref).own_origin);
        place->velocity = vec3_add(place->velocity, vec3_cross(place->angular_velocity, arm));
        place->position = vec3_add(grid_wrap(&fluid->grid, place->position), arm);
        place->solid = &source->solid;
    }
}

static double distance_from(const FluidSource *source, Vec3 x) {
    return follows(source) ? collider_distance(&source->place, x)
                           : solid_distance(&source->solid, x);
}

double fluid_source_distance(const Fluid *fluid, const FluidSource *source, Vec3 x) {
    int images = grid_image_count(&fluid->grid);
    double distance = HUGE_VAL;
    for (int image = 0; image < images; image++)
        distance = fmin(distance,
                        distance_from(source, vec3_sub(x, grid_image_offset(&fluid->grid, image))));
    return distance;
}

Box3 fluid_source_bounds(const FluidSource *source) {
    return follows(source) ? collider_bounds(&source->place) : solid_bounds(&source->solid);
}

/* Moved by whole periods to where it is nearest to the source itself. */
static Vec3 beside_source(const Fluid *fluid, const FluidSource *source, Vec3 x) {
    int images = grid_image_count(&fluid->grid);
    double least = HUGE_VAL;
    Vec3 beside = x;
    for (int image = 0; image < images; image++) {
        Vec3 moved = vec3_sub(x, grid_image_offset(&fluid->grid, image));
        double distance = distance_from(source, moved);
        if (!(distance < least)) continue;
        least = distance;
        beside = moved;
    }
    return beside;
}

static Vec3 own_place(const FluidSource *source, Vec3 beside) {
    return quat_rotate_inverse(source->place.orientation, vec3_sub(beside, source->place.position));
}

double fluid_source_value(const Fluid *fluid, const FluidSource *source,
                          const FieldFunction *function, Vec3 x, double t) {
    if (!follows(source)) return field_function_at(function, x, t);
    return field_function_at(function, own_place(source, beside_source(fluid, source, x)), t);
}

double fluid_source_velocity(const Fluid *fluid, const FluidSource *source, int axis, Vec3 x,
                             double t) {
    if (!source->sets_velocity) return fluid_rate_velocity(fluid, source, axis, t);
    if (!follows(source)) return field_function_at(&source->velocity[axis], x, t);
    Vec3 beside = beside_source(fluid, source, x), own = own_place(source, beside);
    Vec3 relative = vec3(field_function_at(&source->velocity[0], own, t),
                         field_function_at(&source->velocity[1], own, t),
                         field_function_at(&source->velocity[2], own, t));
    Vec3 velocity = vec3_add(collider_velocity(&source->place, beside),
                             quat_rotate(source->place.orientation, relative));
    return vec3_component(velocity, axis);
}
