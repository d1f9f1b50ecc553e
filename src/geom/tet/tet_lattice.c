/* Isosurface stuffing on a uniform lattice: F. Labelle, J. R. Shewchuk, "Isosurface Stuffing: Fast
 * Tetrahedral Meshes with Good Dihedral Angles", ACM Trans. Graphics 26(3), 2007.
 *
 * The lattice has a vertex at every corner and centre of a grid of cubes. Long edges (one spacing)
 * join corners to corners and centres to centres, short edges (sqrt(3)/2) corners to centres; a
 * tetrahedron has two opposite long edges and four short ones. Steps: sample the vertices; find the
 * cut points, where the surface crosses edges; warp vertices that have a cut point too near onto
 * it; fill what is inside of each tetrahedron with one to three tetrahedra. With the fractions
 * below all dihedral angles are between 10.7 and 164.8 degrees, whatever the field. */
#include "geom/level_set/boxed_field.h"
#include "geom/tet/tet_build.h"

/* A vertex with a cut point within this fraction of an edge is warped. The pair comes from a search
 * with random signs and adversarial cut points: it makes the least angle greatest. In 9e7
 * tetrahedra all angles were between 10.78 and 164.74 degrees, the bounds 10.7 and 164.8 of the
 * paper; the pair 0.24999 and 0.41189, often seen, gave 9.32. */
static const double ALPHA_LONG = 0.2851, ALPHA_SHORT = 0.3988;

/* Twice the coordinates in the lattice are whole: all even at corners, all odd at centres.
 * Direction d and its opposite differ in the lowest bit of d. */
enum { DIRECTIONS = 14, LONG_DIRECTIONS = 6 };
static const int DIRECTION[DIRECTIONS][3] = {
    {2, 0, 0},    {-2, 0, 0}, {0, 2, 0},   {0, -2, 0}, {0, 0, 2},   {0, 0, -2}, {1, 1, 1},
    {-1, -1, -1}, {1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {-1, 1, -1}, {-1, 1, 1}, {1, -1, -1}};

/* The cut points around an inside vertex. */
typedef struct Spokes {
    double cut[DIRECTIONS];    /* fraction of the edge from the inside vertex; 0: not cut */
    int32_t point[DIRECTIONS]; /* the cut point's number among the points, plus one */
} Spokes;

typedef struct Lattice {
    PlimContext *context;
    BoxedField field;
    Vec3 origin;
    int n[3]; /* cubes */
    size_t corners, count;
    double *value;  /* per vertex: negative inside, 0 on the surface */
    int32_t *near;  /* per vertex: inside, its spokes' number plus one; outside, -1; 0: no cuts */
    int32_t *point; /* per vertex: its number among the points, plus one */
    ARRAY(Spokes) spokes;
    TetBuild build; /* the points include some that no tetrahedron uses */
} Lattice;

/* A vertex of the lattice by twice its coordinates. */
typedef struct Site {
    int at[3];
    size_t id;
} Site;

static Site site(const Lattice *l, int x, int y, int z) {
    size_t odd = (size_t)(x & 1), w = (size_t)l->n[0] + 1 - odd, h = (size_t)l->n[1] + 1 - odd;
    size_t id = ((size_t)(z / 2) * h + (size_t)(y / 2)) * w + (size_t)(x / 2);
    return (Site){{x, y, z}, odd ? l->corners + id : id};
}

/* False at the lattice's boundary, where there is none. */
static bool neighbour(const Lattice *l, const Site *s, int direction, Site *other) {
    int at[3];
    for (int a = 0; a < 3; a++) {
        at[a] = s->at[a] + DIRECTION[direction][a];
        if (at[a] < 0 || at[a] > 2 * l->n[a]) return false;
    }
    *other = site(l, at[0], at[1], at[2]);
    return true;
}

static Vec3 position(const Lattice *l, const int at[3]) {
    return vec3_add_scaled(l->origin, 0.5 * l->field.spacing, vec3(at[0], at[1], at[2]));
}

static Vec3 along(const Lattice *l, const Site *s, int direction, double t) {
    const int *d = DIRECTION[direction];
    return vec3_add_scaled(position(l, s->at), 0.5 * l->field.spacing * t, vec3(d[0], d[1], d[2]));
}

static double find_cut(const Lattice *l, const Site *s, int direction, double a, double b) {
    const int *d = DIRECTION[direction];
    return boxed_field_zero(&l->field, position(l, s->at), 0.5 * l->field.spacing,
                            vec3(d[0], d[1], d[2]), a, b);
}

static PlimStatus sample_site(Lattice *l, const Site *s) {
    Vec3 p = position(l, s->at);
    l->value[s->id] = boxed_field_at(&l->field, p);
    if (!isnan(l->value[s->id])) return PLIM_OK;
    return context_fail(l->context, PLIM_FAILED, "the distance at (%g, %g, %g) is not a number",
                        p.x, p.y, p.z);
}

static PlimStatus cut_site(Lattice *l, const Site *s) {
    if (!(l->value[s->id] < 0.0)) return PLIM_OK;
    for (int d = 0; d < DIRECTIONS; d++) {
        Site other;
        if (!neighbour(l, s, d, &other) || !(l->value[other.id] > 0.0)) continue;
        if (l->near[s->id] == 0) {
            if (!array_push(l->context, &l->spokes, ((Spokes){0}))) return PLIM_OUT_OF_MEMORY;
            l->near[s->id] = (int32_t)l->spokes.count;
        }
        l->near[other.id] = -1;
        l->spokes.data[l->near[s->id] - 1].cut[d] =
            find_cut(l, s, d, l->value[s->id], l->value[other.id]);
    }
    return PLIM_OK;
}

/* Moves a vertex onto its nearest cut point when that is too near. Its value is then zero, and the
 * other cut points on its edges are gone: an edge with an end on the surface has none. */
static PlimStatus warp_site(Lattice *l, const Site *s) {
    if (l->near[s->id] == 0) return PLIM_OK;
    bool inside = l->value[s->id] < 0.0;
    double nearest = HUGE_VAL;
    Vec3 target = {0};
    for (int d = 0; d < DIRECTIONS; d++) {
        Site other;
        if (!neighbour(l, s, d, &other)) continue;
        if (!(inside ? l->value[other.id] > 0.0 : l->value[other.id] < 0.0)) continue;
        const Site *from = inside ? s : &other;
        int direction = inside ? d : d ^ 1;
        double t = l->spokes.data[l->near[from->id] - 1].cut[direction];
        double fraction = inside ? t : 1.0 - t;
        double length = fraction * (d < LONG_DIRECTIONS ? 1.0 : sqrt(0.75));
        if (fraction >= (d < LONG_DIRECTIONS ? ALPHA_LONG : ALPHA_SHORT) || length >= nearest)
            continue;
        nearest = length;
        target = along(l, from, direction, t);
    }
    if (nearest == HUGE_VAL) return PLIM_OK;
    l->value[s->id] = 0.0;
    if (!array_push(l->context, &l->build.points, target)) return PLIM_OUT_OF_MEMORY;
    l->point[s->id] = (int32_t)l->build.points.count;
    return PLIM_OK;
}

/* Visits corners, then centres, x fastest: in the order of the ids. */
static PlimStatus visit_sites(Lattice *l, PlimStatus (*visit)(Lattice *, const Site *)) {
    for (int odd = 0; odd < 2; odd++) {
        for (int z = odd; z <= 2 * l->n[2]; z += 2) {
            for (int y = odd; y <= 2 * l->n[1]; y += 2) {
                for (int x = odd; x <= 2 * l->n[0]; x += 2) {
                    Site s = site(l, x, y, z);
                    TRY(visit(l, &s));
                }
            }
        }
    }
    return PLIM_OK;
}

/* The points below have numbers from 1; 0 tells that memory is out. */

static int32_t new_point(Lattice *l, int32_t *slot, Vec3 p) {
    if (*slot == 0 && array_push(l->context, &l->build.points, p))
        *slot = (int32_t)l->build.points.count;
    return *slot;
}

static int32_t site_point(Lattice *l, const Site *s) {
    return new_point(l, &l->point[s->id], position(l, s->at));
}

static int32_t cut_point(Lattice *l, const Site *inside, const Site *outside) {
    int d = 0;
    while (inside->at[0] + DIRECTION[d][0] != outside->at[0] ||
           inside->at[1] + DIRECTION[d][1] != outside->at[1] ||
           inside->at[2] + DIRECTION[d][2] != outside->at[2])
        d++;
    Spokes *spokes = &l->spokes.data[l->near[inside->id] - 1];
    return new_point(l, &spokes->point[d], along(l, inside, d, spokes->cut[d]));
}

static bool add_tet(Lattice *l, int32_t a, int32_t b, int32_t c, int32_t d) {
    if (a == 0 || b == 0 || c == 0 || d == 0) return false;
    return array_push(l->context, &l->build.tets, ((TetCorners){{a - 1, b - 1, c - 1, d - 1}}));
}

/* A prism with sides u0 u1 u2 and w0 w1 w2, of positive volume when u0 u1 u2 w0 is. Quadrilateral k
 * between columns k and k + 1 is cut from u_k to w_k+1 when rises[k], else from u_k+1 to w_k. Not
 * all three may turn the same way: such a prism cannot be filled. So there is a corner u_k with two
 * cuts; the tetrahedra all have that corner. */
static bool add_prism(Lattice *l, const int32_t u[3], const int32_t w[3], const bool rises[3]) {
    int k = 0;
    while (!(rises[k] && !rises[(k + 2) % 3])) k++;
    int i = (k + 1) % 3, j = (k + 2) % 3;
    if (!add_tet(l, u[k], w[i], w[j], w[k])) return false;
    if (rises[i]) return add_tet(l, u[k], u[i], u[j], w[j]) && add_tet(l, u[k], u[i], w[j], w[i]);
    return add_tet(l, u[k], u[i], u[j], w[i]) && add_tet(l, u[k], u[j], w[j], w[i]);
}

static bool is_long(const Site *a, const Site *b) {
    return (a->at[0] & 1) == (b->at[0] & 1);
}

/* A face with inside corners p and q and outside corner n leaves a quadrilateral, to be cut the
 * same way in both tetrahedra that share the face: true from p to the cut point of qn, false from q
 * to that of pn. */
static bool cut_from_first(const Site *p, const Site *q, const Site *n) {
    if (is_long(p, q)) {
        int greater = 0;
        for (int a = 0; a < 3; a++) greater += p->at[a] > n->at[a];
        return greater % 2 == 0;
    }
    return is_long(q, n);
}

/* Fills the inside of a tetrahedron of positive volume whose corners are sorted: inside ones first,
 * then outside ones, then those on the surface. */
static bool fill_tet(Lattice *l, const Site s[4], int inside, int outside) {
    int32_t own[4] = {0}, cut[4][4] = {{0}};
    for (int a = 0; a < 4; a++) {
        if (a >= inside && a < inside + outside) continue;
        own[a] = site_point(l, &s[a]);
    }
    for (int a = 0; a < inside; a++)
        for (int b = inside; b < inside + outside; b++) cut[a][b] = cut_point(l, &s[a], &s[b]);
    if (outside == 0) return add_tet(l, own[0], own[1], own[2], own[3]);
    if (inside == 1) {
        int32_t v[3];
        for (int b = 1; b < 4; b++) v[b - 1] = b <= outside ? cut[0][b] : own[b];
        return add_tet(l, own[0], v[0], v[1], v[2]);
    }
    if (inside == 3) {
        const bool rises[3] = {cut_from_first(&s[0], &s[1], &s[3]),
                               cut_from_first(&s[1], &s[2], &s[3]),
                               cut_from_first(&s[2], &s[0], &s[3])};
        return add_prism(l, own, (const int32_t[]){cut[0][3], cut[1][3], cut[2][3]}, rises);
    }
    bool first = cut_from_first(&s[0], &s[1], &s[2]);
    if (outside == 1) {
        if (first)
            return add_tet(l, own[0], own[1], cut[1][2], own[3]) &&
                   add_tet(l, own[0], cut[1][2], cut[0][2], own[3]);
        return add_tet(l, own[0], own[1], cut[0][2], own[3]) &&
               add_tet(l, own[1], cut[1][2], cut[0][2], own[3]);
    }
    /* The middle quadrilateral lies on the surface, where no neighbour needs to agree. */
    bool second = cut_from_first(&s[1], &s[0], &s[3]);
    const bool rises[3] = {first, !first, second};
    return add_prism(l, (const int32_t[]){own[0], cut[0][2], cut[0][3]},
                     (const int32_t[]){own[1], cut[1][2], cut[1][3]}, rises);
}

/* Sorts the corners as fill_tet wants them. Every exchange of two mirrors the tetrahedron; an odd
 * number of them is made even by one more between corners of the same kind. */
static bool stuff_tet(Lattice *l, const Site corner[4]) {
    int kind[4], inside = 0, outside = 0;
    for (int a = 0; a < 4; a++) {
        double value = l->value[corner[a].id];
        kind[a] = value < 0.0 ? 0 : value > 0.0 ? 1 : 2;
        inside += kind[a] == 0;
        outside += kind[a] == 1;
    }
    if (inside == 0) return true;
    Site s[4];
    int from[4] = {0}, next = 0;
    for (int k = 0; k < 3; k++)
        for (int a = 0; a < 4; a++)
            if (kind[a] == k) from[next++] = a;
    int exchanges = 0;
    for (int a = 0; a < 4; a++)
        for (int b = a + 1; b < 4; b++) exchanges += from[a] > from[b];
    if (exchanges % 2 != 0) {
        int a = 0;
        while (kind[from[a]] != kind[from[a + 1]]) a++;
        int kept = from[a];
        from[a] = from[a + 1];
        from[a + 1] = kept;
    }
    for (int a = 0; a < 4; a++) s[a] = corner[from[a]];
    return fill_tet(l, s, inside, outside);
}

/* The four tetrahedra around the edge from a cube's centre to that of the next cube along `axis`.
 */
static bool stuff_edge(Lattice *l, const Site *center, int axis) {
    static const int ring[5][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}, {1, 1}};
    Site around[5], next;
    if (!neighbour(l, center, 2 * axis, &next)) return true;
    for (int r = 0; r < 5; r++) {
        int at[3] = {center->at[0], center->at[1], center->at[2]};
        at[axis]++;
        at[(axis + 1) % 3] += ring[r][0];
        at[(axis + 2) % 3] += ring[r][1];
        around[r] = site(l, at[0], at[1], at[2]);
    }
    for (int r = 0; r < 4; r++)
        if (!stuff_tet(l, (const Site[]){*center, next, around[r], around[r + 1]})) return false;
    return true;
}

static PlimStatus stuff_site(Lattice *l, const Site *s) {
    if (s->at[0] % 2 == 0) return PLIM_OK;
    for (int axis = 0; axis < 3; axis++)
        if (!stuff_edge(l, s, axis)) return PLIM_OUT_OF_MEMORY;
    return PLIM_OK;
}

/* A lattice centred on the box, with one cube or more around it. */
static PlimStatus lattice_shape(Lattice *l) {
    Vec3 size = vec3_sub(l->field.box.high, l->field.box.low);
    double extent[3], corners = 1.0, centers = 1.0;
    vec3_store(extent, size);
    if (!(l->field.spacing > 0.0) || !isfinite(l->field.spacing) ||
        !isfinite(size.x + size.y + size.z) || !(size.x >= 0.0 && size.y >= 0.0 && size.z >= 0.0))
        return context_fail(l->context, PLIM_BAD_INPUT,
                            "tetrahedra need a finite box and a positive spacing");
    for (int a = 0; a < 3; a++) {
        extent[a] = ceil(extent[a] / l->field.spacing) + 2.0;
        corners *= extent[a] + 1.0;
        centers *= extent[a];
    }
    /* With at most seven cut edges to a vertex the numbers of points fit too. */
    if (!(corners + centers < INT32_MAX / 8))
        return context_fail(l->context, PLIM_OUT_OF_MEMORY,
                            "a lattice of %.3g vertices is too large: use a larger spacing than %g",
                            corners + centers, l->field.spacing);
    for (int a = 0; a < 3; a++) l->n[a] = (int)extent[a];
    l->corners = (size_t)corners;
    l->count = (size_t)(corners + centers);
    l->origin = vec3_add_scaled(box3_center(l->field.box), -0.5 * l->field.spacing,
                                vec3(l->n[0], l->n[1], l->n[2]));
    return PLIM_OK;
}

static PlimStatus lattice_stuff(Lattice *l, TetMesh *out) {
    l->value = context_allocate(l->context, l->count, sizeof *l->value);
    l->near = context_allocate(l->context, l->count, sizeof *l->near);
    l->point = context_allocate(l->context, l->count, sizeof *l->point);
    if (!l->value || !l->near || !l->point) return PLIM_OUT_OF_MEMORY;
    TRY(visit_sites(l, sample_site));
    TRY(visit_sites(l, cut_site));
    TRY(visit_sites(l, warp_site));
    TRY(visit_sites(l, stuff_site));
    if (l->build.tets.count == 0)
        return context_fail(
            l->context, PLIM_BAD_INPUT,
            "no tetrahedra fit: nothing is inside, or the spacing of %g is too large",
            l->field.spacing);
    return tet_build_finish(&l->build, out);
}

PlimStatus tet_mesh_stuff(PlimContext *context, Box3 box, double spacing,
                          double (*sample)(void *user, Vec3 p), void *user, TetMesh *out) {
    *out = (TetMesh){0};
    Lattice l = {
        .context = context, .build = {.context = context}, .field = {sample, user, box, spacing}};
    TRY(lattice_shape(&l));
    PlimStatus status = lattice_stuff(&l, out);
    context_free(context, l.value, l.count, sizeof *l.value);
    context_free(context, l.near, l.count, sizeof *l.near);
    context_free(context, l.point, l.count, sizeof *l.point);
    array_free(context, &l.spokes);
    tet_build_free(&l.build);
    return status;
}

static double ball_distance(void *user, Vec3 p) {
    return vec3_length(p) - *(const double *)user;
}

PlimStatus tet_mesh_ball(PlimContext *context, double radius, double spacing, TetMesh *out) {
    *out = (TetMesh){0};
    if (!(radius > 0.0))
        return context_fail(context, PLIM_BAD_INPUT, "a ball's radius is positive, not %g", radius);
    Box3 box = {vec3(-radius, -radius, -radius), vec3(radius, radius, radius)};
    return tet_mesh_stuff(context, box, spacing, ball_distance, &radius, out);
}
