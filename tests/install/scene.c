/* A ball falls for one second, from a scene: the smallest program that reads one. */
#include <plimsoll/plimsoll.h>

#include <math.h>
#include <stdio.h>

static const char text[] =
    "plimsoll: 1\n"
    "name: fall\n"
    "duration: 1\n"
    "rigid:\n"
    "  bodies:\n"
    "    - {name: ball, shape: {ball: {radius: 0.5}}, position: [0, 10, 0]}\n";

static PlimStatus fall(PlimContext *context, PlimScene **scene, PlimWorld **world, double *height) {
    PlimStatus status = plim_scene_parse(context, "fall", text, sizeof text - 1, NULL, 0, scene);
    if (status == PLIM_OK) status = plim_scene_create_world(*scene, world);
    if (status == PLIM_OK) status = plim_world_advance(*world, plim_scene_duration(*scene));
    if (status != PLIM_OK) return status;
    PlimPose pose;
    plim_rigid_pose(*world, (size_t)plim_rigid_find(*world, "ball"), &pose);
    *height = pose.position[1];
    return PLIM_OK;
}

int main(void) {
    PlimContextDesc desc = plim_context_desc_default();
    PlimContext *context = NULL;
    if (plim_context_create(&desc, &context) != PLIM_OK) return 1;
    PlimScene *scene = NULL;
    PlimWorld *world = NULL;
    double height = 0.0;
    PlimStatus status = fall(context, &scene, &world, &height);
    if (status == PLIM_OK)
        printf("fell %.6f m in one second of a scene\n", 10.0 - height);
    else
        fprintf(stderr, "%s: %s\n", plim_status_name(status), plim_message(context));
    plim_world_destroy(world);
    plim_scene_destroy(scene);
    plim_context_destroy(context);
    return status == PLIM_OK && fabs(10.0 - height - 4.905) < 1e-9 ? 0 : 1;
}
