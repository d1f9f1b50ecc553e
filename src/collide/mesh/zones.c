/* Impact zones (000 section 3.2.2; 003 section 3.2): nodes whose moving contacts impulses did not
 * resolve move together from now on, as a rigid body or by an affine map, with the momenta they
 * had. x -> x + s (V + A (x - c)) keeps all distances above zero while det(I + s A) > 0 for s in
 * [0, 1]: for rigid velocities it is 1 + s^2 w^2. Zones that meet become one; what rounding still
 * finds in a zone stands still. They end with the step. */
#include "collide/mesh/mesh_collision_data.h"
#include "math/decompose.h"

/* Whether the nodes of a zone stand still: a decision, and then a fact that searches have seen. */
enum { MOVES, SHALL_STAND, STANDS };

/* ---- who is in a zone ---- */

static void join_node(MeshCollision *m, int32_t node) {
    if (m->zone[node] >= 0) return;
    m->zone[node] = node;
    m->next_in_zone[node] = node;
}

/* Two circles become one when two of their links are exchanged. Names of zones are their least
 * nodes, so that the order of hits does not matter. */
static void merge(MeshCollision *m, int32_t a, int32_t b) {
    int32_t root = m->zone[a] < m->zone[b] ? m->zone[a] : m->zone[b];
    if (m->zone[a] == m->zone[b]) return;
    uint8_t one = m->stands[a], other = m->stands[b];
    uint8_t stands = one == other ? one : SHALL_STAND;
    int32_t after = m->next_in_zone[a];
    m->next_in_zone[a] = m->next_in_zone[b];
    m->next_in_zone[b] = after;
    int32_t i = a;
    do {
        m->zone[i] = root;
        m->stands[i] = stands;
        i = m->next_in_zone[i];
    } while (i != a);
}

/* ---- how it moves ---- */

typedef struct ZoneMotion {
    Vec3 center, shift; /* m */
    Mat3 turn;          /* displacement is shift + turn (x0 - center) */
} ZoneMotion;

typedef struct ZoneSums {
    double mass;
    Vec3 place, shift;   /* times mass */
    Mat3 second, across; /* sums of m r r^T, m d r^T about the centre */
} ZoneSums;

/* Given nodes weigh so much that a zone follows them. */
static double weight_of(const CollisionStep *step, int32_t i, double heaviest) {
    const double heavy = 1e6;
    return step->inverse_mass[i] > 0 ? 1 / step->inverse_mass[i] : heavy * heaviest;
}

static double heaviest_of(const MeshCollision *m, const CollisionStep *step, int32_t root) {
    double heaviest = 0;
    int32_t i = root;
    do {
        if (step->inverse_mass[i] > 0) heaviest = fmax(heaviest, 1 / step->inverse_mass[i]);
        i = m->next_in_zone[i];
    } while (i != root);
    return heaviest > 0 ? heaviest : 1.0;
}

static ZoneSums sum_up(const MeshCollision *m, const CollisionStep *step, int32_t root) {
    ZoneSums sums = {0};
    double heaviest = heaviest_of(m, step, root);
    int32_t i = root;
    do {
        double mass = weight_of(step, i, heaviest);
        sums.mass += mass;
        sums.place = vec3_add_scaled(sums.place, mass, step->x0[i]);
        sums.shift = vec3_add_scaled(sums.shift, mass, vec3_sub(step->x1[i], step->x0[i]));
        i = m->next_in_zone[i];
    } while (i != root);
    Vec3 center = vec3_scale(1 / sums.mass, sums.place);
    Vec3 shift = vec3_scale(1 / sums.mass, sums.shift);
    do {
        double mass = weight_of(step, i, heaviest);
        Vec3 arm = vec3_sub(step->x0[i], center);
        Vec3 own = vec3_sub(vec3_sub(step->x1[i], step->x0[i]), shift);
        sums.second = mat3_add(sums.second, mat3_scale(mass, mat3_outer(arm, arm)));
        sums.across = mat3_add(sums.across, mat3_scale(mass, mat3_outer(own, arm)));
        i = m->next_in_zone[i];
    } while (i != root);
    sums.place = center;
    sums.shift = shift;
    return sums;
}

static Mat3 cross_matrix(Vec3 w) {
    return (Mat3){{{0, -w.z, w.y}, {w.z, 0, -w.x}, {-w.y, w.x, 0}}};
}

/* The spin of a rigid zone; about an axis without inertia it has none. */
static Mat3 rigid_turn(const ZoneSums *sums, int dim) {
    Mat3 inertia = mat3_scale(-1, sums->second), vectors;
    double trace = mat3_trace(sums->second);
    inertia = mat3_add(inertia, mat3_diagonal(trace, trace, trace));
    const Vec3 *a = sums->across.r;
    Vec3 angular = vec3(a[2].y - a[1].z, a[0].z - a[2].x, a[1].x - a[0].y), values;
    if (dim == 2) {
        double spin = trace > 0 ? angular.z / inertia.r[2].z : 0;
        return cross_matrix(vec3(0, 0, spin));
    }
    symmetric_eigen(inertia, &values, &vectors);
    Mat3 axes = mat3_transpose(vectors);
    Vec3 spin = vec3(0, 0, 0);
    for (int k = 0; k < 3; k++) {
        double value = vec3_component(values, k);
        if (value > 1e-9 * trace)
            spin = vec3_add_scaled(spin, vec3_dot(axes.r[k], angular) / value, axes.r[k]);
    }
    return cross_matrix(spin);
}

/* det(I + s A) = 1 + s tr A + s^2 c + s^3 det A: well above zero on [0, 1]? Its least value there
 * is at an end or where its derivative vanishes. */
static bool stays_open(Mat3 a) {
    const double least = 0.1;
    double t = mat3_trace(a), det = mat3_determinant(a);
    double c = 0.5 * (t * t - mat3_trace(mat3_multiply(a, a)));
    double at[3] = {1, 0, 0}, root = sqrt(fmax(0.0, c * c - 3 * t * det));
    if (det != 0) {
        at[1] = (-c + root) / (3 * det);
        at[2] = (-c - root) / (3 * det);
    } else if (c != 0) {
        at[1] = -t / (2 * c);
    }
    for (int k = 0; k < 3; k++) {
        double s = fmin(fmax(at[k], 0.0), 1.0);
        if (!(1 + s * (t + s * (c + s * det)) > least)) return false;
    }
    return true;
}

/* 003's affine zone: the best affine velocities, which keep angular momentum, too. */
static bool affine_turn(const ZoneSums *sums, Mat3 *turn) {
    Vec3 values = symmetric_eigenvalues(sums->second);
    double least = fmin(values.x, fmin(values.y, values.z));
    if (!(least > 1e-4 * mat3_trace(sums->second))) return false;
    *turn = mat3_multiply(sums->across, mat3_inverse(sums->second));
    return stays_open(*turn);
}

/* ---- moving ---- */

static void move_zone(MeshCollision *m, const CollisionStep *step, int32_t root) {
    ZoneSums sums = sum_up(m, step, root);
    Mat3 turn;
    if (!m->affine_zones || m->dim == 2 || !affine_turn(&sums, &turn))
        turn = rigid_turn(&sums, m->dim);
    int32_t i = root;
    do {
        Vec3 arm = vec3_sub(step->x0[i], sums.place);
        Vec3 shift = vec3_add(sums.shift, mat3_apply(turn, arm));
        if (m->stands[i] != MOVES) {
            shift = vec3(0, 0, 0);
            m->stands[i] = STANDS;
        }
        if (m->dim == 2) shift.z = 0;
        if (step->kind[i] != COLLISION_RIGID) step->x1[i] = vec3_add(step->x0[i], shift);
        m->changed[i] = m->search;
        i = m->next_in_zone[i];
    } while (i != root);
}

static void stand(MeshCollision *m, int32_t root) {
    int32_t i = root;
    do {
        m->stands[i] = SHALL_STAND;
        i = m->next_in_zone[i];
    } while (i != root);
}

static bool is_inside(const MeshCollision *m, const CollisionPair *hit) {
    int32_t zone = m->zone[hit->nodes[0]];
    for (int k = 1; k < 4; k++)
        if (m->zone[hit->nodes[k]] != zone) return false;
    return zone >= 0;
}

/* A contact inside a zone is one of rounding, or with something that goes its own way: then the
 * zone stands still. If it does already, nothing can be done: surfaces yield to what is rigid. */
static PlimStatus judge_inside(MeshCollision *m, const CollisionPair *hit, bool *let_go) {
    uint8_t stands = m->stands[hit->nodes[0]];
    if (stands == MOVES) stand(m, m->zone[hit->nodes[0]]);
    if (stands != STANDS) return PLIM_OK;
    *let_go = true;
    return collision_let_go(m, hit);
}

static void take_in(MeshCollision *m, const CollisionPair *hit) {
    for (int k = 0; k < 4; k++) join_node(m, hit->nodes[k]);
    for (int k = 1; k < 4; k++) merge(m, hit->nodes[0], hit->nodes[k]);
}

/* Hits of this search, inside zones as they were then, then those that make them grow; zones that
 * did move again. */
static PlimStatus grow(MeshCollision *m, const CollisionStep *step) {
    bool let_go = false;
    for (size_t i = 0; i < m->hits.count; i++)
        if (is_inside(m, &m->hits.data[i])) TRY(judge_inside(m, &m->hits.data[i], &let_go));
    for (size_t i = 0; i < m->hits.count; i++) take_in(m, &m->hits.data[i]);
    if (let_go) collision_filter_candidates(m, step);
    for (size_t i = 0; i < m->hits.count; i++) {
        int32_t root = m->zone[m->hits.data[i].nodes[0]];
        if (m->changed[root] != m->search) move_zone(m, step, root);
    }
    return PLIM_OK;
}

static void count_up(const MeshCollision *m, const CollisionStep *step, CollisionFigures *figures) {
    for (size_t i = 0; i < m->node_count; i++) {
        if (m->zone[i] < 0) continue;
        figures->zones += m->zone[i] == (int32_t)i;
        figures->zone_nodes++;
        bool still = m->stands[i] == STANDS;
        figures->still += still;
        figures->yielded += still && step->kind[i] == COLLISION_GIVEN;
    }
}

PlimStatus collision_zones(MeshCollision *m, const CollisionStep *step, CollisionFigures *figures) {
    for (size_t i = 0; i < m->node_count; i++) {
        m->zone[i] = -1;
        m->stands[i] = MOVES;
    }
    while (m->hits.count > 0) {
        TRY(grow(m, step));
        TRY(collision_find_hits(m, step));
    }
    count_up(m, step, figures);
    return PLIM_OK;
}
