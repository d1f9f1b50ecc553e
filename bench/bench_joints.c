/* Steps of joined rigid bodies: a chain that bends, and figures of eleven bodies; how the step
 * grows with their number. No contact: what joints cost. */
#include "bench/bench.h"

#include "plimsoll/joints.h"

#include <math.h>
#include <stdio.h>

static PlimStatus make_world(PlimContext *context, PlimWorld **out) {
    PlimWorldDesc desc = plim_world_desc_default();
    desc.gravity[1] = 0;
    TRY(plim_world_create(context, &desc, out));
    PlimRigidOptions options = plim_rigid_options_default();
    options.contact = 0;
    return plim_rigid_configure(*out, &options);
}

static PlimStatus add_link(PlimWorld *world, size_t number, const double place[3],
                           const double velocity[3], double spin, size_t *id) {
    char name[32];
    snprintf(name, sizeof name, "body_%zu", number);
    PlimRigidDesc body = plim_rigid_desc_default();
    body.name = name;
    body.shape.kind = PLIM_SHAPE_BOX;
    body.shape.size[0] = 0.2;
    body.shape.size[1] = body.shape.size[2] = 0.05;
    body.mass = 1;
    for (int axis = 0; axis < 3; axis++) {
        body.pose.position[axis] = place[axis];
        body.pose.velocity[axis] = velocity[axis];
    }
    body.pose.angular_velocity[2] = spin;
    return plim_rigid_add(world, &body, id);
}

static PlimStatus join(PlimWorld *world, size_t number, PlimJointKind kind, size_t a, size_t b,
                       const double at[3]) {
    char name[32];
    snprintf(name, sizeof name, "joint_%zu", number);
    PlimJointDesc joint = plim_joint_desc_default();
    joint.name = name;
    joint.kind = kind;
    joint.a = a;
    joint.b = b;
    for (int axis = 0; axis < 3; axis++) joint.at[axis] = at[axis];
    size_t id;
    return plim_joint_add(world, &joint, &id);
}

/* Links in a row, each turning another way than the last. */
static PlimStatus make_chain(PlimContext *context, size_t links, PlimWorld **out) {
    TRY(make_world(context, out));
    double speed = 0;
    for (size_t i = 0; i < links; i++) {
        double spin = 2 * sin(0.7 * (double)i);
        double place[3] = {0.2 * (double)i, 0, 0}, velocity[3] = {0, speed + 0.1 * spin, 0};
        double at[3] = {place[0] - 0.1, 0, 0};
        size_t id;
        TRY(add_link(*out, i, place, velocity, spin, &id));
        if (i > 0) TRY(join(*out, i, PLIM_JOINT_POINT, id - 1, id, at));
        speed += 0.2 * spin;
    }
    return PLIM_OK;
}

/* Trees of eleven bodies: a trunk of three, four limbs of two. */
static PlimStatus make_figures(PlimContext *context, size_t figures, PlimWorld **out) {
    static const int parent[11] = {-1, 0, 1, 1, 3, 1, 5, 0, 7, 0, 9};
    static const double step[11][2] = {{0, 0},    {0.2, 0},      {0.2, 0}, {0.1, 0.15},
                                       {0.2, 0},  {0.1, -0.15},  {0.2, 0}, {-0.1, 0.15},
                                       {-0.2, 0}, {-0.1, -0.15}, {-0.2, 0}};
    TRY(make_world(context, out));
    for (size_t f = 0; f < figures; f++) {
        double place[11][3];
        for (size_t i = 0; i < 11; i++) {
            size_t from = parent[i] < 0 ? 0 : (size_t)parent[i], id;
            double at[3] = {0, 0, 0}, velocity[3];
            for (int axis = 0; axis < 3; axis++) {
                double gap = axis < 2 && parent[i] >= 0 ? step[i][axis] : 0;
                double start = axis == 2 ? (double)f : 0;
                place[i][axis] = parent[i] < 0 ? start : place[from][axis] + gap;
                at[axis] = place[i][axis] - 0.5 * gap;
            }
            velocity[0] = -3 * place[i][1];
            velocity[1] = 3 * place[i][0];
            velocity[2] = 0;
            TRY(add_link(*out, 11 * f + i, place[i], velocity, 3, &id));
            if (i > 0)
                TRY(join(*out, 11 * f + i, i % 2 ? PLIM_JOINT_POINT : PLIM_JOINT_HINGE,
                         11 * f + from, id, at));
        }
    }
    return PLIM_OK;
}

static PlimStatus take_step(void *world) {
    return plim_world_step(world, 1.0 / 240);
}

static PlimStatus measure(const BenchOptions *options, const char *name, size_t n, size_t links,
                          PlimStatus (*make)(PlimContext *, size_t, PlimWorld **),
                          BenchResult *first) {
    PlimWorld *world = NULL;
    PlimStatus status = make(options->context, n, &world);
    if (status == PLIM_OK) {
        double seconds = bench_time(options, take_step, world, &status);
        BenchResult result = {.name = name,
                              .variant = "turning",
                              .n = links,
                              .seconds = seconds,
                              .work = (double)links,
                              .unit = "link steps",
                              .bytes = (double)plim_context_bytes(options->context)};
        double growth = first->n == 0
                            ? 0
                            : log(seconds / first->seconds) / log((double)links / (double)first->n);
        BenchFigure figures[] = {{"microseconds.link", 1e6 * seconds / (double)links},
                                 {"growth", growth}};
        result.figures = figures;
        result.figure_count = 2;
        if (status == PLIM_OK) bench_print(options, &result);
        if (first->n == 0) *first = result;
    }
    plim_world_destroy(world);
    return status;
}

PlimStatus bench_chain(const BenchOptions *options) {
    static const size_t links[] = {10, 30, 100, 300, 1000, 3000};
    BenchResult first = {0};
    for (size_t i = 0; i < (options->quick ? 4 : 6); i++)
        TRY(measure(options, "chain", links[i], links[i], make_chain, &first));
    return PLIM_OK;
}

PlimStatus bench_figures(const BenchOptions *options) {
    static const size_t figures[] = {20, 50, 100, 200, 500};
    BenchResult first = {0};
    for (size_t i = 0; i < (options->quick ? 3 : 5); i++)
        TRY(measure(options, "figures", figures[i], 11 * figures[i], make_figures, &first));
    return PLIM_OK;
}
