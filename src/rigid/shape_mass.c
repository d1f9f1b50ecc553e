/* Mass properties of shapes: closed forms of solids of revolution, integrals over triangles. */
#include "rigid/shape.h"

static const double pi = 3.14159265358979323846;

/* A solid of revolution about y: inertia about y, and about the axes across it. */
static MassProperties round_mass(double volume, double about, double across) {
    return (MassProperties){volume, {0, 0, 0}, mat3_diagonal(across, about, across)};
}

static MassProperties capsule_mass(double r, double h) {
    double straight = pi * r * r * h, ends = 4.0 / 3.0 * pi * r * r * r;
    double about = straight * r * r / 2 + ends * 2 * r * r / 5;
    /* Each half ball has its centre 3/8 r outside the end of the straight part. */
    double across =
        straight * (3 * r * r + h * h) / 12 + ends * (2 * r * r / 5 + h * h / 4 + 3 * h * r / 8);
    return round_mass(straight + ends, about, across);
}

static MassProperties cone_mass(double r, double h) {
    double v = pi * r * r * h / 3;
    MassProperties mass = round_mass(v, 3 * v * r * r / 10, v * (3 * r * r / 20 + 3 * h * h / 80));
    mass.center.y = -h / 4; /* from the middle of the axis */
    return mass;
}

MassProperties shape_mass(const PlimShapeDesc *desc, const MassProperties *mesh_mass) {
    double r = desc->radius, h = desc->height, a = desc->tube, v;
    MassProperties mass = *mesh_mass;
    switch (desc->kind) {
    case PLIM_SHAPE_BALL:
        v = 4.0 / 3.0 * pi * r * r * r;
        return round_mass(v, 2 * v * r * r / 5, 2 * v * r * r / 5);
    case PLIM_SHAPE_CYLINDER:
        v = pi * r * r * h;
        return round_mass(v, v * r * r / 2, v * (3 * r * r + h * h) / 12);
    case PLIM_SHAPE_CAPSULE:
        return capsule_mass(r, h);
    case PLIM_SHAPE_TORUS:
        v = 2 * pi * pi * r * a * a;
        return round_mass(v, v * (r * r + 3 * a * a / 4), v * (r * r / 2 + 5 * a * a / 8));
    case PLIM_SHAPE_CONE:
        return cone_mass(r, h);
    case PLIM_SHAPE_BOX: /* its triangles are exact, their centre but for rounding */
        mass.center = vec3(0, 0, 0);
        return mass;
    case PLIM_SHAPE_MESH:
    case PLIM_SHAPE_HALF_SPACE:
        break;
    }
    return mass;
}

/* Of an open surface of the given thickness: each triangle by the middles of its edges, which is
 * exact for squares of coordinates. */
typedef struct TriangleMiddles {
    Vec3 at[3];
    double part; /* m^3, of each */
} TriangleMiddles;

static TriangleMiddles triangle_middles(const TriangleMesh *mesh, size_t t, double thickness) {
    Vec3 p[3];
    for (int c = 0; c < 3; c++) p[c] = mesh->vertices[mesh->triangles[t][c]];
    Vec3 cross = vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0]));
    TriangleMiddles middles = {.part = thickness * vec3_length(cross) / 6.0};
    for (int c = 0; c < 3; c++) middles.at[c] = vec3_scale(0.5, vec3_add(p[c], p[(c + 1) % 3]));
    return middles;
}

static MassProperties shell_mass(const TriangleMesh *mesh, double thickness) {
    MassProperties mass = {0};
    Vec3 moment = vec3(0, 0, 0);
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        TriangleMiddles middles = triangle_middles(mesh, t, thickness);
        for (int c = 0; c < 3; c++) moment = vec3_add_scaled(moment, middles.part, middles.at[c]);
        mass.volume += 3 * middles.part;
    }
    if (!(mass.volume > 0)) return mass;
    mass.center = vec3_scale(1.0 / mass.volume, moment);
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        TriangleMiddles middles = triangle_middles(mesh, t, thickness);
        for (int c = 0; c < 3; c++) {
            Vec3 r = vec3_sub(middles.at[c], mass.center);
            double square = vec3_dot(r, r);
            Mat3 about =
                mat3_add(mat3_diagonal(square, square, square), mat3_scale(-1.0, mat3_outer(r, r)));
            mass.inertia = mat3_add(mass.inertia, mat3_scale(middles.part, about));
        }
    }
    return mass;
}

/* A half space has no mass that means anything; bodies that forces move do not have this shape. */
MassProperties shape_mesh_mass(const PlimShapeDesc *desc, const TriangleMesh *mesh) {
    if (desc->kind == PLIM_SHAPE_HALF_SPACE)
        return (MassProperties){.volume = 1, .inertia = mat3_identity()};
    if (desc->kind == PLIM_SHAPE_MESH && desc->shell > 0) return shell_mass(mesh, desc->shell);
    return mesh_mass_properties(mesh);
}
