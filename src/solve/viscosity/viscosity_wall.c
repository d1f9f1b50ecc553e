/* Wall friction of moving obstacles: the dissipation near obstacles as a function of the velocities
 * of free faces and of the obstacle: what a solve needs in which the obstacle's motion is unknown.
 * With d_i the differences over an edge's two links, theta_i the parts of the links in the fluid,
 * reach_i = theta_i + slip / h, and s_i the difference of the obstacle's own velocity over the
 * whole of link i, the energy of the edge is half of
 *
 *     l_0 d_0^2 + l_1 d_1^2 + 2 c d_0 d_1
 *     + l_0 part_0 (2 d_0 s_1 + reach_0 s_1^2) + l_1 part_1 (2 d_1 s_0 + reach_1 s_0^2),
 *
 * which for walls that hold fast is the sum of min(theta) (d_0/theta_0 + d_1/theta_1)^2 and, for
 * the rest of the longer link, of (theta_0 - theta_1) (d_0/theta_0 + s_1)^2: never negative, and
 * zero when fluid and obstacle move as one rigid body. Its derivative along the free faces is
 * viscosity_link_force. */
#include "solve/viscosity/viscosity_internal.h"

#include <math.h>

typedef struct VisitJob {
    const Viscosity *v;
    const ViscosityProblem *problem;
    double *const *velocity;
    WallVisit visit;
    void *user;
} VisitJob;

static bool meets_obstacle(const Link *link) {
    return (link_at_wall(link) || link->kind == LINK_GIVEN) && link->wall == VISCOSITY_OBSTACLE;
}

static void add_face(const Viscosity *v, WallFunction *f, int component, const int at[3],
                     double sign) {
    int w[3];
    wrap_place(&v->grid, at, w);
    f->face[f->face_count] = (size_t)component * v->count + lattice_index(v, w[0], w[1], w[2]);
    f->sign[f->face_count++] = sign;
}

/* The difference over a link, high end less low end. */
static WallFunction difference(const VisitJob *job, const Link *link) {
    const Viscosity *v = job->v;
    WallFunction f = {.component = link->component, .axis = link->axis};
    if (!link_carries(link)) return f;
    int high[3] = {link->low[0], link->low[1], link->low[2]};
    high[link->axis]++;
    if (link->kind != LINK_LOW) add_face(v, &f, link->component, link->low, -1.0);
    if (link->kind != LINK_HIGH) add_face(v, &f, link->component, high, 1.0);
    if (!link_at_wall(link)) return f;
    if (link->wall == VISCOSITY_OBSTACLE) {
        f.wall_sign = link->kind == LINK_HIGH ? 1.0 : -1.0;
        f.x = viscosity_link_crossing(&v->grid, link);
    } else {
        f.given = viscosity_wall_part(v, job->problem, link, job->velocity);
    }
    return f;
}

/* The difference of the obstacle's velocity over the whole of a link. */
static WallFunction slope(const Link *link) {
    return (WallFunction){.component = link->component,
                          .axis = link->axis,
                          .wall_slope = meets_obstacle(link) ? 1.0 : 0.0};
}

static void visit_cell(const VisitJob *job, int a, const int at[3], size_t c) {
    Link link = viscosity_link(job->v, job->problem, a, a, at);
    if (!link_at_wall(&link) || !meets_obstacle(&link)) return;
    WallTerm term = {.count = 1, .middle = grid_cell_center(&job->v->grid, at[0], at[1], at[2])};
    term.f[0] = difference(job, &link);
    term.coefficient[0][0] = (double)job->v->link[a][a][c];
    job->visit(job->user, &term);
}

/* The part of link i that the other does not reach (viscosity_link_force). */
static double lone_part(const Link *own, const Link *other, double cross) {
    double part = own->theta;
    if (cross != 0.0) part -= fmin(own->theta, other->theta) * other->theta / other->reach;
    return part > 0.0 ? part : 0.0;
}

static void visit_edge(const VisitJob *job, int a, int b, const int at[3], size_t c) {
    enum { FIRST, SECOND, SLOPE_OF_FIRST, SLOPE_OF_SECOND };
    const Viscosity *v = job->v;
    Link links[2];
    viscosity_edge_links(v, job->problem, a, b, at, links);
    if (!meets_obstacle(&links[0]) && !meets_obstacle(&links[1])) return;
    double l[2] = {(double)v->link[a][b][c], (double)v->link[b][a][c]};
    double cross = (double)v->cross[3 - a - b][c];
    WallTerm term = {.count = WALL_FUNCTIONS};
    for (int i = 0; i < 2; i++) {
        term.f[i] = difference(job, &links[i]);
        term.f[SLOPE_OF_FIRST + i] = slope(&links[i]);
        term.coefficient[i][i] = l[i];
    }
    term.coefficient[FIRST][SECOND] = term.coefficient[SECOND][FIRST] = cross;
    for (int i = 0; i < 2; i++) {
        int s = i == 0 ? SLOPE_OF_SECOND : SLOPE_OF_FIRST;
        if (l[i] == 0.0 || term.f[s].wall_slope == 0.0) continue;
        double lone = l[i] * lone_part(&links[i], &links[1 - i], cross);
        term.coefficient[i][s] = term.coefficient[s][i] = lone;
        term.coefficient[s][s] = lone * links[i].reach;
    }
    double h = v->grid.spacing;
    term.middle = vec3_add(v->grid.origin, vec3(at[0] * h, at[1] * h, at[2] * h));
    int along = 3 - a - b;
    if (along == 2 && v->grid.dim == 3) term.middle.z += 0.5 * h;
    if (along == 1) term.middle.y += 0.5 * h;
    if (along == 0) term.middle.x += 0.5 * h;
    job->visit(job->user, &term);
}

static void visit_point(void *user, const int at[3]) {
    const VisitJob *job = user;
    const Viscosity *v = job->v;
    size_t c = lattice_index(v, at[0], at[1], at[2]);
    unsigned walls = v->walls[c];
    for (int a = 0; walls && a < v->grid.dim; a++) {
        if (walls & (unsigned)(WALL_IN_CELL << a)) visit_cell(job, a, at, c);
        for (int b = a + 1; b < v->grid.dim; b++)
            if (walls & (unsigned)(WALL_AT_EDGE << (3 - a - b))) visit_edge(job, a, b, at, c);
    }
}

void viscosity_wall_terms(const Viscosity *v, const ViscosityProblem *problem,
                          double *const velocity[3], WallVisit visit, void *user) {
    VisitJob job = {v, problem, velocity, visit, user};
    visit_lattice(&v->grid, visit_point, &job);
}
