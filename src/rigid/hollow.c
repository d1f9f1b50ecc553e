/* Mass properties of hollow bodies: the shape less its cavity, by the parallel axis theorem. */
#include "rigid/hollow.h"

/* The inside of a cone keeps its slant: its apex is lower by the wall over the sine of half the
 * opening angle. */
static void shrink_cone(PlimShapeDesc *cone, double wall, Vec3 *offset) {
    double r = cone->radius, h = cone->height, lower = wall * sqrt(r * r + h * h) / r;
    cone->height = h - wall - lower;
    cone->radius = r * cone->height / h;
    offset->y = 0.5 * (wall - lower);
}

bool hollow_cavity(const PlimShapeDesc *shape, double wall, HollowCavity *out) {
    PlimShapeDesc *inner = &out->shape;
    *out = (HollowCavity){.shape = *shape};
    switch (shape->kind) {
    case PLIM_SHAPE_BOX:
        for (int axis = 0; axis < 3; axis++) inner->size[axis] -= 2 * wall;
        return inner->size[0] > 0 && inner->size[1] > 0 && inner->size[2] > 0;
    case PLIM_SHAPE_CYLINDER:
        inner->height -= 2 * wall;
        inner->radius -= wall;
        break;
    case PLIM_SHAPE_BALL:
    case PLIM_SHAPE_CAPSULE:
        inner->radius -= wall;
        break;
    case PLIM_SHAPE_TORUS:
        inner->tube -= wall;
        return inner->tube > 0;
    case PLIM_SHAPE_CONE:
        shrink_cone(inner, wall, &out->offset);
        break;
    case PLIM_SHAPE_MESH:
    case PLIM_SHAPE_HALF_SPACE:
        return false;
    }
    return inner->radius > 0 && (inner->height > 0 || shape->kind == PLIM_SHAPE_BALL);
}

static MassProperties box_mass(const double size[3]) {
    double x = size[0] * size[0], y = size[1] * size[1], z = size[2] * size[2];
    double v = size[0] * size[1] * size[2];
    return (MassProperties){v, {0, 0, 0}, mat3_scale(v / 12, mat3_diagonal(y + z, x + z, x + y))};
}

static MassProperties cavity_mass(const HollowCavity *cavity) {
    const MassProperties none = {0};
    MassProperties mass = cavity->shape.kind == PLIM_SHAPE_BOX ? box_mass(cavity->shape.size)
                                                               : shape_mass(&cavity->shape, &none);
    mass.center = vec3_add(mass.center, cavity->offset);
    return mass;
}

/* About a point at `arm` from its centre: I + V (r^2 1 - r r^T). */
static Mat3 inertia_about(const MassProperties *mass, Vec3 arm) {
    double square = vec3_dot(arm, arm);
    Mat3 moved =
        mat3_add(mat3_diagonal(square, square, square), mat3_scale(-1.0, mat3_outer(arm, arm)));
    return mat3_add(mass->inertia, mat3_scale(mass->volume, moved));
}

MassProperties hollow_mass(const MassProperties *whole, const HollowCavity *cavity) {
    MassProperties hole = cavity_mass(cavity), wall = {.volume = whole->volume - hole.volume};
    Vec3 moment =
        vec3_sub(vec3_scale(whole->volume, whole->center), vec3_scale(hole.volume, hole.center));
    wall.center = vec3_scale(1 / wall.volume, moment);
    wall.inertia =
        mat3_add(inertia_about(whole, vec3_sub(whole->center, wall.center)),
                 mat3_scale(-1.0, inertia_about(&hole, vec3_sub(hole.center, wall.center))));
    return wall;
}

Vec3 hollow_center(const PlimShapeDesc *shape, double wall, Vec3 center) {
    HollowCavity cavity;
    if (shape->kind != PLIM_SHAPE_CONE || !hollow_cavity(shape, wall, &cavity)) return center;
    const MassProperties none = {0};
    MassProperties whole = shape_mass(shape, &none);
    return hollow_mass(&whole, &cavity).center;
}
