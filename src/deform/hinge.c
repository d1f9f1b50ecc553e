/* Dihedral angles and joints of chains: angle, gradient, second derivatives (000 section 3.2.2). */
#include "deform/hinge.h"

static const double pi = 3.14159265358979323846;

double hinge_change(double a, double b) {
    double change = b - a;
    return change > pi ? change - 2 * pi : change < -pi ? change + 2 * pi : change;
}

/* One of the two triangles as seen from the edge. The gradient of the angle is c_i m/h, i over its
 * corners, summed over both triangles: raising the corner across by its height's part turns the
 * triangle, and the foot of the height has the weights -c_0 and -c_1 of the edge's ends. */
typedef struct Wing {
    double c[3];   /* of x0, x1 and the corner across */
    double height; /* m */
    Vec3 up;       /* m: unit normal */
    Vec3 out;      /* unit, in the triangle, from the edge to the corner */
} Wing;

static Wing wing_of(const Hinge *hinge, Vec3 edge, double square, Vec3 arm, double side) {
    double foot = vec3_dot(arm, edge) / square, length = sqrt(square);
    Vec3 normal = vec3_scale(side, vec3_cross(edge, arm));
    double height = vec3_length(normal) / length;
    Wing wing = {.c = {foot - 1, -foot, 1}, .height = fmax(height, hinge->least_height)};
    wing.up = vec3_normalize(normal);
    wing.out = vec3_scale(side / length, vec3_cross(wing.up, edge));
    return wing;
}

typedef struct Fold {
    Vec3 edge;
    double square; /* m^2, of the edge */
    Wing wing[2];
} Fold;

static Fold fold_of(const Hinge *hinge, const Vec3 *x) {
    Fold fold = {.edge = vec3_sub(x[1], x[0])};
    fold.square = fmax(vec3_dot(fold.edge, fold.edge), hinge->least_edge * hinge->least_edge);
    for (int w = 0; w < 2; w++)
        fold.wing[w] =
            wing_of(hinge, fold.edge, fold.square, vec3_sub(x[2 + w], x[0]), w == 0 ? 1.0 : -1.0);
    return fold;
}

static double fold_angle(const Hinge *hinge, const Vec3 *x, Vec3 *gradient) {
    Fold fold = fold_of(hinge, x);
    const Wing *a = &fold.wing[0], *b = &fold.wing[1];
    double sine = vec3_dot(fold.edge, vec3_cross(b->up, a->up)) / sqrt(fold.square);
    if (gradient) {
        Vec3 left = vec3_scale(1 / a->height, a->up), right = vec3_scale(1 / b->height, b->up);
        for (int i = 0; i < 2; i++)
            gradient[i] = vec3_add_scaled(vec3_scale(a->c[i], left), b->c[i], right);
        gradient[2] = left;
        gradient[3] = right;
    }
    return atan2(sine, vec3_dot(a->up, b->up));
}

/* In the plane: a quarter turn to the left, over the square of the length. */
static Vec3 turned(const Hinge *hinge, Vec3 a) {
    double square = fmax(vec3_dot(a, a), hinge->least_edge * hinge->least_edge);
    return vec3(-a.y / square, a.x / square, 0);
}

static double joint_angle(const Hinge *hinge, const Vec3 *x, Vec3 *gradient) {
    Vec3 a = vec3_sub(x[0], x[1]), b = vec3_sub(x[2], x[0]);
    if (gradient) {
        gradient[1] = turned(hinge, a);
        gradient[2] = turned(hinge, b);
        gradient[0] = vec3_scale(-1, vec3_add(gradient[1], gradient[2]));
    }
    return atan2(a.x * b.y - a.y * b.x, a.x * b.x + a.y * b.y);
}

double hinge_angle(const Hinge *hinge, const Vec3 *x, Vec3 *gradient) {
    return hinge->count == 3 ? joint_angle(hinge, x, gradient) : fold_angle(hinge, x, gradient);
}

static Mat3 both_ways(Vec3 a, Vec3 b) {
    return mat3_add(mat3_outer(a, b), mat3_outer(b, a));
}

/* Of c_i m/h to corner j, with s = (-1, 1, 0): the normal turns by -sum b_j (m . dx_j), the height
 * grows by d . sum c_j dx_j, the foot slides. The antisymmetric part of s_i s_j m d^T is the same
 * in both triangles but for its sign, and is left out. */
static void add_wing(const Fold *fold, int w, Mat3 *h) {
    static const double s[3] = {-1, 1, 0};
    const int corner[3] = {0, 1, 2 + w};
    const Wing *wing = &fold->wing[w];
    double skew = 1 / (wing->height * fold->square), high = 1 / (wing->height * wing->height);
    Mat3 across = both_ways(wing->up, wing->out);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double fixed = s[i] * s[j] * 0.5 / fold->square + wing->c[i] * wing->c[j] * high;
            Mat3 sum = mat3_scale(-fixed, across);
            sum = mat3_add(sum,
                           mat3_scale(-skew * s[i] * wing->c[j], mat3_outer(wing->up, fold->edge)));
            sum = mat3_add(sum,
                           mat3_scale(-skew * wing->c[i] * s[j], mat3_outer(fold->edge, wing->up)));
            Mat3 *to = &h[4 * corner[i] + corner[j]];
            *to = mat3_add(*to, sum);
        }
}

void hinge_second(const Hinge *hinge, const Vec3 *x, Mat3 *h) {
    for (int k = 0; k < hinge->count * hinge->count; k++) h[k] = mat3_diagonal(0, 0, 0);
    if (hinge->count == 4) {
        Fold fold = fold_of(hinge, x);
        for (int w = 0; w < 2; w++) add_wing(&fold, w, h);
        return;
    }
    Vec3 a = vec3_sub(x[0], x[1]), b = vec3_sub(x[2], x[0]);
    Vec3 ta = turned(hinge, a), tb = turned(hinge, b);
    double la = fmax(vec3_dot(a, a), hinge->least_edge * hinge->least_edge);
    double lb = fmax(vec3_dot(b, b), hinge->least_edge * hinge->least_edge);
    /* Of the direction of b, and minus that of a. */
    Mat3 of_b = mat3_scale(-1 / lb, both_ways(tb, b)), of_a = mat3_scale(1 / la, both_ways(ta, a));
    h[4] = of_a;
    h[8] = of_b;
    h[0] = mat3_add(of_a, of_b);
    h[1] = h[3] = mat3_scale(-1, of_a);
    h[2] = h[6] = mat3_scale(-1, of_b);
}
