/* Mass properties of a closed mesh by integrals over tetrahedra (divergence theorem). */
#include "geom/mesh/mass.h"

#include "base/assert.h"

typedef struct Moments {
    double volume;  /* integral of 1 */
    Vec3 first;     /* integral of x */
    Mat3 second;    /* integral of x x^T */
    double surface; /* sum of |a| |n|: what the volume would be if nothing cancelled, times 6 */
} Moments;

/* Adds the tetrahedron (0, a, b, c), its volume counted negative when seen from inside.
 *
 * With barycentric coordinates L_i, x = sum L_i p_i, and over a tetrahedron of volume V
 *     integral L_i = V / 4,    integral L_i L_j = V / 20 (1 + [i = j])
 * (from integral L_i^m L_j^n = 6 V m! n! / (m + n + 3)!). With one corner at zero and
 * s = a + b + c this gives
 *     integral x     = V / 4 s
 *     integral x x^T = V / 20 (s s^T + a a^T + b b^T + c c^T). */
static void add_tetrahedron(Moments *sum, Vec3 a, Vec3 b, Vec3 c) {
    /* From the edges instead of a . (b x c): small triangles keep their digits. */
    Vec3 normal = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
    double volume = vec3_dot(a, normal) / 6.0;
    Vec3 s = vec3_add(vec3_add(a, b), c);
    Mat3 products = mat3_add(mat3_add(mat3_outer(s, s), mat3_outer(a, a)),
                             mat3_add(mat3_outer(b, b), mat3_outer(c, c)));
    sum->volume += volume;
    sum->first = vec3_add_scaled(sum->first, volume / 4.0, s);
    sum->second = mat3_add(sum->second, mat3_scale(volume / 20.0, products));
    sum->surface += vec3_length(a) * vec3_length(normal);
}

MassProperties mesh_mass_properties(const TriangleMesh *mesh) {
    MassProperties properties = {0};
    PLIM_ASSERT_VALID(mesh_problem(mesh));
    if (mesh->triangle_count == 0) return properties;
    Vec3 low, high;
    mesh_bounds(mesh, &low, &high);
    Vec3 middle = vec3_scale(0.5, vec3_add(low, high));
    Moments sum = {0};
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        const int32_t *corner = mesh->triangles[i];
        add_tetrahedron(&sum, vec3_sub(mesh->vertices[corner[0]], middle),
                        vec3_sub(mesh->vertices[corner[1]], middle),
                        vec3_sub(mesh->vertices[corner[2]], middle));
    }
    /* A flat mesh has a volume of rounding errors; dividing by it would give a centre anywhere. */
    if (fabs(sum.volume) <= 1e-15 * sum.surface) return properties;
    Vec3 offset = vec3_scale(1.0 / sum.volume, sum.first);
    Mat3 second = mat3_add(sum.second, mat3_scale(-sum.volume, mat3_outer(offset, offset)));
    double trace = mat3_trace(second);
    properties.volume = sum.volume;
    properties.center = vec3_add(middle, offset);
    properties.inertia = mat3_add(mat3_diagonal(trace, trace, trace), mat3_scale(-1.0, second));
    return properties;
}
