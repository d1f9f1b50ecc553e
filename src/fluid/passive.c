/* Passive advection of bodies, one-way coupling: each moves with the mean of the fluid's velocity
 * over its own volume, and turns with its mean rotation about the centre. */
#include "fluid/coupled.h"
#include "fluid/internal.h"

typedef struct CarriedMotion {
    double volume;
    Vec3 velocity, turning; /* sums of u and of r x u */
    Mat3 spread;            /* sum of r . r I - r r^T */
} CarriedMotion;

static void add_sample(const Fluid *fluid, const Collider *body, Vec3 x, CarriedMotion *sum) {
    Vec3 u = fluid_velocity_at(fluid, x), r = vec3_sub(x, body->position);
    double square = vec3_dot(r, r), spread[9], arm[3];
    mat3_store(spread, sum->spread);
    vec3_store(arm, r);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) spread[3 * i + j] += (i == j ? square : 0) - arm[i] * arm[j];
    sum->spread = mat3_load(spread);
    sum->volume += 1;
    sum->velocity = vec3_add(sum->velocity, u);
    sum->turning = vec3_add(sum->turning, vec3_cross(r, u));
}

/* Samples the body's box, at least a few points across a cell. */
static CarriedMotion measure(const Fluid *fluid, const Collider *body) {
    enum { SAMPLES = 16 };
    CarriedMotion sum = {.volume = 0};
    Box3 box = solid_bounds(body->solid);
    Vec3 size = vec3_sub(box.high, box.low);
    double reach = 0.5 * vec3_length(size), step = 2 * reach / SAMPLES;
    int depth = fluid->grid.dim == 3 ? SAMPLES : 1;
    for (int k = 0; k < depth; k++)
        for (int j = 0; j < SAMPLES; j++)
            for (int i = 0; i < SAMPLES; i++) {
                Vec3 d = vec3((i + 0.5) * step - reach, (j + 0.5) * step - reach,
                              depth > 1 ? (k + 0.5) * step - reach : 0);
                Vec3 x = vec3_add(body->position, d);
                if (collider_distance(body, x) < 0) add_sample(fluid, body, x, &sum);
            }
    if (sum.volume == 0) add_sample(fluid, body, body->position, &sum);
    return sum;
}

bool fluid_carry(const void *system, size_t number, FlowCarried *out) {
    const Fluid *fluid = system;
    if (number >= fluid->passive.count) return false;
    const ImmersedSurface *carried = &fluid->passive.data[number];
    Collider body = {.solid = surface_describe(&carried->ref).solid};
    surface_read(&carried->ref, &body);
    *out =
        (FlowCarried){.ref = carried->ref, .is_here = room_holds(&fluid->desc.room, body.position)};
    if (!out->is_here) return true;
    CarriedMotion sum = measure(fluid, &body);
    double spread[9];
    mat3_store(spread, sum.spread);
    if (fluid->grid.dim == 2 && spread[8] > 0)
        out->angular_velocity = vec3(0, 0, sum.turning.z / spread[8]);
    else if (fluid->grid.dim == 3 && sum.volume > 4)
        out->angular_velocity = mat3_apply(mat3_inverse(sum.spread), sum.turning);
    out->velocity = vec3_scale(1 / sum.volume, sum.velocity);
    return true;
}
