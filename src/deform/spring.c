/* Edge and altitude springs of triangles and tetrahedra (000 section 3.2.1). */
#include "deform/spring.h"

#include "base/assert.h"

/* A side smaller than this part of the distance to its corner, or of `rest`, has no direction. */
static const double least_side = 1e-12;

/* The stiffness across a spring is tension/length: shorter ones than this part of rest count as
 * that long, so that it stays finite. */
static const double least_length = 1e-9;

/* The length as a function of the nodes. With c = (1, -w_1, -w_2, ...): length = n . sum c_i x_i,
 * and as the foot is the nearest point of the side, d length = n . sum c_i dx_i. */
typedef struct Altitude {
    double length; /* m */
    Vec3 n;        /* unit, from the foot to the corner; zero where it is lost */
    double c[4];
    Vec3 b[4]; /* 1/m: gradient of weight j along the side; zero for the corner */
    Mat3 free; /* projection on the directions normal to both n and the side */
} Altitude;

static Mat3 remove_direction(Mat3 projection, Vec3 unit) {
    return mat3_add(projection, mat3_scale(-1.0, mat3_outer(unit, unit)));
}

/* From a corner to the mean of the other nodes: an edge, or a side that has collapsed. */
static void altitude_to_point(const Spring *spring, const Vec3 *x, Altitude *at) {
    int base = spring->count - 1;
    Vec3 mean = vec3(0, 0, 0);
    for (int i = 1; i <= base; i++) {
        mean = vec3_add_scaled(mean, 1.0 / base, x[i]);
        at->c[i] = -1.0 / base;
    }
    Vec3 d = vec3_sub(x[0], mean);
    if (base == 1) d = vec3_sub(x[0], x[1]);
    /* The scale keeps squares of very small and very large distances in range. */
    double scale = fmax(fabs(d.x), fmax(fabs(d.y), fabs(d.z)));
    if (scale > 0.0) {
        Vec3 scaled = vec3(d.x / scale, d.y / scale, d.z / scale);
        at->length = scale * vec3_length(scaled);
        at->n = vec3_normalize(scaled);
    }
    at->free = remove_direction(at->free, at->n);
}

/* From a corner to the line through an edge. */
static void altitude_to_line(const Spring *spring, const Vec3 *x, Altitude *at) {
    Vec3 e = vec3_sub(x[2], x[1]), r = vec3_sub(x[0], x[1]);
    double square = vec3_dot(e, e);
    double size = fmax(vec3_dot(r, r), spring->rest * spring->rest);
    if (!(square > least_side * least_side * size)) {
        altitude_to_point(spring, x, at);
        return;
    }
    Vec3 unit = vec3_scale(1.0 / sqrt(square), e);
    double weight = vec3_dot(r, e) / square;
    at->c[1] = weight - 1.0;
    at->c[2] = -weight;
    at->b[2] = vec3_scale(1.0 / square, e);
    at->b[1] = vec3_scale(-1.0, at->b[2]);
    if (spring->dim == 2) {
        at->n = vec3(-unit.y, unit.x, 0.0);
        at->length = vec3_dot(at->n, r);
    } else {
        Vec3 d = vec3_add_scaled(r, -vec3_dot(r, unit), unit);
        d = vec3_add_scaled(d, -vec3_dot(d, unit), unit); /* again: flat triangles cancel */
        at->n = vec3_normalize(d);
        at->length = vec3_length(d);
    }
    at->free = remove_direction(remove_direction(at->free, unit), at->n);
}

/* From a corner to the plane through a face. */
static void altitude_to_plane(const Spring *spring, const Vec3 *x, Altitude *at) {
    Vec3 p = vec3_sub(x[2], x[1]), q = vec3_sub(x[3], x[1]), r = vec3_sub(x[0], x[1]);
    Vec3 normal = vec3_cross(p, q);
    double square = vec3_dot(normal, normal);
    double size = fmax(vec3_dot(r, r), fmax(vec3_dot(p, p), vec3_dot(q, q)));
    size = fmax(size, spring->rest * spring->rest);
    if (!(square > least_side * least_side * size * size)) {
        altitude_to_point(spring, x, at);
        return;
    }
    at->b[2] = vec3_scale(1.0 / square, vec3_cross(q, normal)); /* b_2 . p = 1, b_2 . q = 0 */
    at->b[3] = vec3_scale(1.0 / square, vec3_cross(normal, p));
    at->b[1] = vec3_scale(-1.0, vec3_add(at->b[2], at->b[3]));
    at->c[2] = -vec3_dot(at->b[2], r);
    at->c[3] = -vec3_dot(at->b[3], r);
    at->c[1] = -1.0 - at->c[2] - at->c[3];
    at->n = vec3_scale(-1.0 / sqrt(square), normal);
    at->length = vec3_dot(at->n, r);
    at->free = mat3_diagonal(0, 0, 0);
}

static void altitude_of(const Spring *spring, const Vec3 *x, Altitude *at) {
    PLIM_ASSERT(spring->count >= 2 && spring->count <= 4 && spring->rest > 0.0);
    *at = (Altitude){.c = {1.0}};
    at->free = mat3_diagonal(1, 1, spring->dim == 2 ? 0 : 1);
    if (spring->count == 2)
        altitude_to_point(spring, x, at);
    else if (spring->count == 3)
        altitude_to_line(spring, x, at);
    else
        altitude_to_plane(spring, x, at);
}

double spring_length(const Spring *spring, const Vec3 *x, Vec3 *gradient) {
    Altitude at;
    altitude_of(spring, x, &at);
    for (int i = 0; i < spring->count; i++) gradient[i] = vec3_scale(at.c[i], at.n);
    return at.length;
}

static double energy_of_length(const Spring *spring, double length) {
    double strain = length / spring->rest - 1.0;
    return 0.5 * spring->modulus * spring->rest * strain * strain;
}

double spring_energy(const Spring *spring, const Vec3 *x) {
    Altitude at;
    altitude_of(spring, x, &at);
    return energy_of_length(spring, at.length);
}

double spring_force(const Spring *spring, const Vec3 *x, Vec3 *force) {
    double length = spring_length(spring, x, force);
    double tension = spring->modulus * (length / spring->rest - 1.0);
    for (int i = 0; i < spring->count; i++) force[i] = vec3_scale(-tension, force[i]);
    return energy_of_length(spring, length);
}

/* Second derivatives of the length to nodes i and j, without the part that is tension/length times
 * c_i c_j `free`. The side turns: dn = -sum b_j (n . dx_j). The foot slides: from
 * sum w_j x_j = x_0 - length n follows dw_i = b_i . sum c_j dx_j + length sum (b_i . b_j)(n .
 * dx_j). Both in d(c_i n) = n dc_i + c_i dn. */
static Mat3 side_turns(const Altitude *at, int i, int j) {
    Mat3 sum = mat3_scale(-at->c[j], mat3_outer(at->n, at->b[i]));
    sum = mat3_add(sum, mat3_scale(-at->c[i], mat3_outer(at->b[j], at->n)));
    double slide = -at->length * vec3_dot(at->b[i], at->b[j]);
    return mat3_add(sum, mat3_scale(slide, mat3_outer(at->n, at->n)));
}

void spring_stiffness(const Spring *spring, const Vec3 *x, bool project, double *k) {
    Altitude at;
    altitude_of(spring, x, &at);
    double tension = spring->modulus * (at.length / spring->rest - 1.0);
    double across = tension / fmax(fabs(at.length), least_length * spring->rest);
    if (project) across = fmax(across, 0.0);
    Mat3 along = mat3_scale(spring->modulus / spring->rest, mat3_outer(at.n, at.n));
    Mat3 both = mat3_add(along, mat3_scale(across, at.free));
    int n = 3 * spring->count;
    for (int i = 0; i < spring->count; i++) {
        for (int j = i; j < spring->count; j++) {
            Mat3 block = mat3_scale(at.c[i] * at.c[j], both);
            if (!project) block = mat3_add(block, mat3_scale(tension, side_turns(&at, i, j)));
            for (int r = 0; r < 3; r++) {
                for (int s = 0; s < 3; s++) {
                    double value = vec3_component(block.r[r], s);
                    if (i == j && s < r) continue; /* symmetric to the bit */
                    k[n * (3 * i + r) + 3 * j + s] = k[n * (3 * j + s) + 3 * i + r] = value;
                }
            }
        }
    }
}

double spring_damping(const Spring *spring, const Vec3 *x, double fraction,
                      const double *inverse_mass) {
    Altitude at;
    altitude_of(spring, x, &at);
    double inverse = 0.0;
    for (int i = 0; i < spring->count; i++) inverse += at.c[i] * at.c[i] * inverse_mass[i];
    if (!(inverse > 0.0)) return 0.0;
    return 2.0 * fraction * sqrt(spring->modulus / spring->rest / inverse);
}
