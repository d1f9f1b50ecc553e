/* The bodies of the scenes rings, boxes and bones. */
#include "bench/contact_bench.h"

#include "base/hash.h"
#include "base/random.h"
#include "geom/mesh/mass.h"
#include "geom/solid.h"

#include <math.h>
#include <stdio.h>

enum { SEED = 1 };
static const double pi = 3.14159265358979323846;

/* ---- copies that differ by chance, with the random numbers of scene files ---- */

typedef struct Copies {
    const char *name;
    PlimRigidDesc body; /* what they have in common */
    Vec3 center;        /* m, centre of mass in the axes of the shape */
    double jitter;      /* m, largest offset along each axis */
    double tilt;        /* rad, largest turn */
} Copies;

static double random_of(const Copies *copies, int what, size_t number) {
    return random_uniform(SEED, hash_text(HASH_START, copies->name) + (uint64_t)what, number);
}

static Quat tilt_of(const Copies *copies, size_t number) {
    double z = 2 * random_of(copies, 3, number) - 1;
    double around = 2 * pi * random_of(copies, 4, number);
    double angle = copies->tilt * random_of(copies, 5, number), r = sqrt(1 - z * z);
    return quat_exp(vec3(angle * r * cos(around), angle * r * sin(around), angle * z));
}

static PlimStatus add_turned(PlimWorld *world, const Copies *copies, size_t number, Vec3 place,
                             Quat turn) {
    char name[32];
    snprintf(name, sizeof name, "%s_%zu", copies->name, number);
    PlimRigidDesc body = copies->body;
    body.name = name;
    vec3_store(body.pose.position, vec3_add(place, quat_rotate(turn, copies->center)));
    quat_store(body.pose.orientation, turn);
    size_t id;
    return plim_rigid_add(world, &body, &id);
}

static PlimStatus add_copy(PlimWorld *world, const Copies *copies, size_t number, Vec3 place) {
    Vec3 offset = vec3(copies->jitter * (2 * random_of(copies, 0, number) - 1),
                       copies->jitter * (2 * random_of(copies, 1, number) - 1),
                       copies->jitter * (2 * random_of(copies, 2, number) - 1));
    return add_turned(world, copies, number, vec3_add(place, offset), tilt_of(copies, number));
}

static Copies copies_of(const char *name, PlimShapeKind kind, PlimMotion motion) {
    Copies copies = {.name = name, .body = plim_rigid_desc_default()};
    copies.body.shape.kind = kind;
    copies.body.motion = motion;
    return copies;
}

static PlimStatus add_floor(PlimWorld *world) {
    Copies floor = copies_of("floor", PLIM_SHAPE_HALF_SPACE, PLIM_STATIC);
    floor.body.shape.size[0] = floor.body.shape.size[2] = 60;
    return add_turned(world, &floor, 0, vec3(0, 0, 0), quat_identity());
}

/* ---- rings on poles ---- */

static PlimStatus add_poles(PlimWorld *world, double height) {
    Copies pole = copies_of("pole", PLIM_SHAPE_CYLINDER, PLIM_STATIC);
    pole.body.shape.radius = 0.12;
    pole.body.shape.height = height;
    pole.body.shape.segments = 220;
    for (size_t n = 0; n < 25; n++) {
        Vec3 place = vec3(2.2 * ((double)(n % 5) - 2), height / 2, 2.2 * ((double)(n / 5 % 5) - 2));
        TRY(add_turned(world, &pole, n, place, quat_identity()));
    }
    return PLIM_OK;
}

static PlimStatus add_rings(PlimWorld *world, size_t count) {
    enum { SIDE = 10 };
    const double height = 4;
    TRY(add_poles(world, height));
    Copies ring = copies_of("ring", PLIM_SHAPE_TORUS, PLIM_DYNAMIC);
    ring.jitter = 0.04;
    ring.tilt = 20 * pi / 180;
    ring.body.shape.radius = 0.4;
    ring.body.shape.tube = 0.1;
    ring.body.shape.segments = 16;
    ring.body.shape.sides = 10;
    ring.body.mass = 1;
    size_t layer = (size_t)SIDE * SIDE, layers = (count + layer - 1) / layer;
    size_t top = 0, places_on_top = count - (layers - 1) * layer;
    double middle = height + 0.6 + 0.35 * (double)(layers - 1);
    for (size_t n = 0; n < layers * layer; n++) {
        size_t i = n % SIDE, j = n / SIDE % layers, k = n / SIDE / layers;
        if (j == layers - 1 && top++ >= places_on_top) continue;
        Vec3 place =
            vec3(1.1 * ((double)i - 4.5), middle + 0.7 * ((double)j - 0.5 * (double)(layers - 1)),
                 1.1 * ((double)k - 4.5));
        TRY(add_copy(world, &ring, n, place));
    }
    return PLIM_OK;
}

/* ---- boxes in a pit ---- */

static PlimStatus add_walls(PlimWorld *world) {
    const double half = 5, height = 2, thickness = 0.4; /* m */
    Copies wall = copies_of("wall", PLIM_SHAPE_BOX, PLIM_STATIC);
    wall.body.shape.size[0] = 2 * half + thickness;
    wall.body.shape.size[1] = height;
    wall.body.shape.size[2] = thickness;
    for (size_t n = 0; n < 4; n++) {
        double angle = pi / 2 * (double)n, distance = half + thickness / 2;
        Vec3 place = vec3(distance * sin(angle), height / 2, distance * cos(angle));
        TRY(add_turned(world, &wall, n, place, quat_exp(vec3(0, angle, 0))));
    }
    return PLIM_OK;
}

static PlimStatus add_boxes(PlimWorld *world, size_t count) {
    const double pitch = 0.9;
    TRY(add_walls(world));
    Copies box = copies_of("box", PLIM_SHAPE_BOX, PLIM_DYNAMIC);
    box.jitter = 0.015;
    box.tilt = pi;
    for (int axis = 0; axis < 3; axis++) box.body.shape.size[axis] = 0.5;
    for (size_t n = 0; n < count; n++) {
        double layer = (double)(n / 100);
        Vec3 place = vec3(pitch * ((double)(n % 10) - 4.5), 1 + pitch * layer,
                          pitch * ((double)(n / 10 % 10) - 4.5));
        TRY(add_copy(world, &box, n, place));
    }
    return PLIM_OK;
}

/* ---- bones in a funnel ---- */

typedef struct Funnel {
    double rim, throat, height, wall; /* m: radii, of the throat above the floor, thickness */
    double steep;                     /* rad, from the vertical */
    double slope;                     /* m, down a plate */
    size_t plates;
} Funnel;

static PlimStatus add_funnel(PlimWorld *world, const Funnel *funnel) {
    static const int32_t triangles[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7},
                                             {0, 1, 5}, {0, 5, 4}, {1, 2, 6}, {1, 6, 5},
                                             {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};
    double gore = tan(pi / (double)funnel->plates), z = funnel->wall / 2;
    double low = funnel->throat * gore, high = funnel->rim * gore, top = funnel->slope;
    const Vec3 vertices[8] = {vec3(-low, 0, -z),    vec3(low, 0, -z),   vec3(high, top, -z),
                              vec3(-high, top, -z), vec3(-low, 0, z),   vec3(low, 0, z),
                              vec3(high, top, z),   vec3(-high, top, z)};
    PlimMeshDesc mesh = {&vertices[0].x, 8, &triangles[0][0], 12};
    Copies plate = copies_of("funnel", PLIM_SHAPE_MESH, PLIM_STATIC);
    plate.body.shape.mesh = &mesh;
    plate.body.friction = 0.2;
    /* On the plate's axis of symmetry, as far up as for any trapezium. */
    plate.center = vec3(0, top / 3 * (low + 2 * high) / (low + high), 0);
    double out = funnel->throat + z * cos(funnel->steep);
    Quat lean = quat_exp(vec3(funnel->steep, 0, 0));
    for (size_t n = 0; n < funnel->plates; n++) {
        double angle = 2 * pi * (double)n / (double)funnel->plates;
        Vec3 place =
            vec3(out * sin(angle), funnel->height - z * sin(funnel->steep), out * cos(angle));
        Quat turn = quat_multiply(quat_exp(vec3(0, angle, 0)), lean);
        TRY(add_turned(world, &plate, n, place, turn));
    }
    return PLIM_OK;
}

/* A rod with two knobs at each end. */
static PlimStatus make_bone(PlimContext *context, int cells, TriangleMesh *out) {
    Solid parts[5] = {solid_default(SOLID_CAPSULE)};
    parts[0].radius = 0.065;
    parts[0].height = 0.5;
    for (int i = 0; i < 4; i++) {
        parts[i + 1] = solid_default(SOLID_BALL);
        parts[i + 1].radius = 0.1;
        parts[i + 1].position = vec3(i % 2 ? -0.07 : 0.07, i < 2 ? 0.28 : -0.28, 0);
    }
    Solid bone = solid_default(SOLID_UNION);
    bone.children = parts;
    bone.child_count = 5;
    return solid_to_mesh(context, &bone, cells, out);
}

static PlimStatus add_bones_of(PlimWorld *world, const TriangleMesh *mesh, int cells, size_t count,
                               double lowest) {
    const double pitch = 0.85;
    PlimMeshDesc desc = {&mesh->vertices[0].x, mesh->vertex_count, &mesh->triangles[0][0],
                         mesh->triangle_count};
    Copies bone = copies_of("bone", PLIM_SHAPE_MESH, PLIM_DYNAMIC);
    bone.center = mesh_mass_properties(mesh).center;
    bone.jitter = 0.03;
    bone.tilt = pi;
    bone.body.shape.mesh = &desc;
    bone.body.shape.cells = cells;
    bone.body.density = 1800;
    bone.body.friction = 0.3;
    for (size_t n = 0; n < count; n++) {
        double layer = (double)(n / 36);
        Vec3 place = vec3(pitch * ((double)(n % 6) - 2.5), lowest + pitch * layer,
                          pitch * ((double)(n / 6 % 6) - 2.5));
        TRY(add_copy(world, &bone, n, place));
    }
    return PLIM_OK;
}

static PlimStatus add_bones(PlimContext *context, PlimWorld *world, size_t count) {
    enum { CELLS = 26 };
    Funnel funnel = {
        .rim = 4, .throat = 1, .height = 3, .wall = 0.2, .steep = pi / 4, .plates = 24};
    funnel.slope = (funnel.rim - funnel.throat) / sin(funnel.steep);
    TRY(add_funnel(world, &funnel));
    double lowest = funnel.height + funnel.slope * cos(funnel.steep) + 0.6;
    TriangleMesh mesh;
    TRY(make_bone(context, CELLS, &mesh));
    PlimStatus status = add_bones_of(world, &mesh, CELLS, count, lowest);
    mesh_free(context, &mesh);
    return status;
}

PlimStatus contact_pile_create(PlimContext *context, ContactPile pile, size_t count,
                               PlimWorld **out) {
    PlimWorldDesc desc = plim_world_desc_default();
    desc.max_dt = pile == PILE_BOXES ? 1.0 / 96 : 1.0 / 120;
    TRY(plim_world_create(context, &desc, out));
    PlimRigidOptions options = plim_rigid_options_default();
    options.seed = SEED;
    PlimStatus status = plim_rigid_configure(*out, &options);
    if (status == PLIM_OK) status = add_floor(*out);
    if (status == PLIM_OK && pile == PILE_RINGS) status = add_rings(*out, count);
    if (status == PLIM_OK && pile == PILE_BOXES) status = add_boxes(*out, count);
    if (status == PLIM_OK && pile == PILE_BONES) status = add_bones(context, *out, count);
    if (status == PLIM_OK) return PLIM_OK;
    plim_world_destroy(*out);
    *out = NULL;
    return status;
}
