/* A stack of ten boxes stands (000 chapter 2): the core with 32-bit sizes and without threads. They
 * fall onto one another from a little above, and must have come to rest after five seconds. */
#include <plimsoll/plimsoll.h>

#include <math.h>
#include <stdio.h>

enum { BOXES = 10, FRAMES = 5 * 60, SUBSTEPS = 4 };
static const double edge = 0.5; /* m */
static const double gap = 2e-3; /* m, below each box at the start: the last one falls by ten */
/* m, 1% of an edge: a box stops within the way of one step above what it falls on. */
static const double most_off = 5e-3;

static PlimStatus build(PlimWorld *world, size_t boxes[BOXES]) {
    PlimRigidDesc floor = plim_rigid_desc_default();
    floor.name = "floor";
    floor.motion = PLIM_STATIC;
    floor.shape.kind = PLIM_SHAPE_HALF_SPACE;
    size_t id;
    PlimStatus status = plim_rigid_add(world, &floor, &id);
    for (int i = 0; i < BOXES && status == PLIM_OK; i++) {
        char name[16];
        snprintf(name, sizeof name, "box %d", i);
        PlimRigidDesc box = plim_rigid_desc_default();
        box.name = name;
        box.shape.kind = PLIM_SHAPE_BOX;
        for (int axis = 0; axis < 3; axis++) box.shape.size[axis] = edge;
        box.pose.position[1] = (i + 0.5) * edge + (i + 1) * gap;
        status = plim_rigid_add(world, &box, &boxes[i]);
    }
    return status;
}

static PlimStatus stand(PlimContext *context, PlimWorld **world, double *off) {
    PlimWorldDesc desc = plim_world_desc_default();
    PlimStatus status = plim_world_create(context, &desc, world);
    size_t boxes[BOXES];
    if (status == PLIM_OK) status = build(*world, boxes);
    for (int i = 0; i < FRAMES * SUBSTEPS && status == PLIM_OK; i++)
        status = plim_world_step(*world, 1.0 / (60.0 * SUBSTEPS));
    if (status != PLIM_OK) return status;

    *off = 0.0;
    for (int i = 0; i < BOXES; i++) {
        PlimPose pose;
        plim_rigid_pose(*world, boxes[i], &pose);
        double x = pose.position[0], y = pose.position[1] - (i + 0.5) * edge, z = pose.position[2];
        *off = fmax(*off, sqrt(x * x + y * y + z * z));
    }
    return PLIM_OK;
}

int main(void) {
    PlimContextDesc desc = plim_context_desc_default();
    PlimContext *context = NULL;
    if (plim_context_create(&desc, &context) != PLIM_OK) return 1;
    PlimWorld *world = NULL;
    double off = INFINITY;
    PlimStatus status = stand(context, &world, &off);
    if (status == PLIM_OK)
        printf("ten boxes of %g m after %g s: at most %.2e m from their place (limit %g)\n", edge,
               plim_world_time(world), off, most_off);
    else
        fprintf(stderr, "%s: %s\n", plim_status_name(status), plim_message(context));
    plim_world_destroy(world);
    plim_context_destroy(context);
    return off <= most_off ? 0 : 1;
}
