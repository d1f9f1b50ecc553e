/* A ball falls for one second: the smallest program that uses the library. */
#include <plimsoll/plimsoll.h>

#include <math.h>
#include <stdio.h>

static PlimStatus fall(PlimContext *context, PlimWorld **world, double *height) {
    PlimWorldDesc world_desc = plim_world_desc_default();
    PlimStatus status = plim_world_create(context, &world_desc, world);
    if (status != PLIM_OK) return status;

    PlimRigidDesc ball = plim_rigid_desc_default();
    ball.name = "ball";
    ball.shape.kind = PLIM_SHAPE_BALL;
    ball.pose.position[1] = 10.0; /* m */
    size_t id;
    status = plim_rigid_add(*world, &ball, &id);
    for (int i = 0; i < 240 && status == PLIM_OK; i++)
        status = plim_world_step(*world, 1.0 / 240.0);
    if (status != PLIM_OK) return status;

    PlimPose pose;
    status = plim_rigid_pose(*world, id, &pose);
    if (status == PLIM_OK) *height = pose.position[1];
    return status;
}

int main(void) {
    PlimContextDesc desc = plim_context_desc_default();
    PlimContext *context = NULL;
    if (plim_context_create(&desc, &context) != PLIM_OK) return 1;
    PlimWorld *world = NULL;
    double height = 0.0;
    PlimStatus status = fall(context, &world, &height);
    if (status == PLIM_OK)
        printf("fell %.6f m in one second\n", 10.0 - height);
    else
        fprintf(stderr, "%s: %s\n", plim_status_name(status), plim_message(context));
    plim_world_destroy(world);
    plim_context_destroy(context);
    return status == PLIM_OK && fabs(10.0 - height - 4.905) < 1e-9 ? 0 : 1;
}
