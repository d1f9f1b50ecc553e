/* Steps of many free rigid bodies: how the step grows with their number, and with the threads. */
#include "bench/bench.h"

#include "base/random.h"
#include "plimsoll/rigid.h"

#include <stdio.h>

static PlimStatus make_world(PlimContext *context, size_t bodies, int correct, PlimWorld **out) {
    PlimWorldDesc desc = plim_world_desc_default();
    TRY(plim_world_create(context, &desc, out));
    PlimRigidOptions options = {.orientation_order = 2, .energy_correction = correct};
    TRY(plim_rigid_configure(*out, &options));
    for (size_t i = 0; i < bodies; i++) {
        char name[32];
        snprintf(name, sizeof name, "body_%zu", i);
        PlimRigidDesc body = plim_rigid_desc_default();
        body.name = name;
        body.shape.kind = PLIM_SHAPE_BOX;
        body.shape.size[1] = 0.5;
        body.shape.size[2] = 0.2;
        for (int axis = 0; axis < 3; axis++) {
            body.pose.position[axis] = 100 * random_uniform(1, (uint64_t)axis, i);
            body.pose.angular_velocity[axis] = 10 * random_normal(2, (uint64_t)axis, i);
        }
        size_t id;
        TRY(plim_rigid_add(*out, &body, &id));
    }
    return PLIM_OK;
}

static PlimStatus step(void *world) {
    return plim_world_step(world, 1e-3);
}

static PlimStatus measure(const BenchOptions *options, const char *variant, size_t bodies,
                          int correct) {
    PlimWorld *world = NULL;
    PlimStatus status = make_world(options->context, bodies, correct, &world);
    if (status == PLIM_OK) {
        double seconds = bench_time(options, step, world, &status);
        BenchResult result = {.name = "rigid",
                              .variant = variant,
                              .n = bodies,
                              .seconds = seconds,
                              .work = (double)bodies,
                              .unit = "body steps",
                              .bytes = (double)plim_context_bytes(options->context)};
        if (status == PLIM_OK) bench_print(options, &result);
    }
    plim_world_destroy(world);
    return status;
}

PlimStatus bench_rigid(const BenchOptions *options) {
    size_t largest = options->quick ? 10000 : 1000000;
    for (size_t bodies = 1000; bodies <= largest; bodies *= 10) {
        TRY(measure(options, "corrected", bodies, 1));
        TRY(measure(options, "plain", bodies, 0));
    }
    return PLIM_OK;
}
