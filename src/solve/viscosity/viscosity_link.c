/* Viscosity at walls, the links: how far away the wall is, what it does, and the force along a
 * link. */
#include "solve/viscosity/viscosity_internal.h"

#include <math.h>

/* ---- geometry ---- */

/* The side whose plane the face lies in, when that fixes its velocity; -1: none. */
static int side_of_face(const Grid *grid, int axis, const int at[3]) {
    int end = at[axis] == 0 ? 0 : at[axis] == grid->n[axis] ? 1 : -1;
    if (end < 0) return -1;
    SideKind kind = grid->sides[axis][end];
    return kind == SIDE_WALL || kind == SIDE_INFLOW ? 2 * axis + end : -1;
}

static FaceState state_at(const Viscosity *v, int component, const int at[3]) {
    return (FaceState)v->face[component][lattice_index(v, at[0], at[1], at[2])];
}

/* A link that leads across a side, where there is no face. */
static Link link_to_side(const Viscosity *v, const ViscosityProblem *problem, Link link, int end,
                         bool inside_free) {
    int axis = link.axis;
    link.wall = 2 * axis + end;
    link.kind = LINK_GIVEN;
    if (v->grid.sides[axis][end] == SIDE_OPEN) link.kind = LINK_NONE;
    if (link.kind == LINK_NONE || !inside_free) return link;
    link.kind = end == 0 ? LINK_LOW : LINK_HIGH;
    link.theta = 0.5;
    link.reach = 0.5 + problem->side_slip[axis][end] / v->grid.spacing;
    return link;
}

Link viscosity_link(const Viscosity *v, const ViscosityProblem *problem, int component, int axis,
                    const int low[3]) {
    const Grid *grid = &v->grid;
    Link link = {LINK_FREE, component, axis, {low[0], low[1], low[2]}, 1.0, 1.0, 0};
    int high[3] = {low[0] + (axis == 0), low[1] + (axis == 1), low[2] + (axis == 2)};
    FaceState states[2] = {state_at(v, component, low), state_at(v, component, high)};
    bool low_free = face_is_free(states[0]), high_free = face_is_free(states[1]);
    if (low_free && high_free) return link;
    if (states[0] == FACE_NONE) return link_to_side(v, problem, link, 0, high_free);
    if (states[1] == FACE_NONE) return link_to_side(v, problem, link, 1, low_free);
    int side = side_of_face(grid, component, low_free ? high : low);
    link.kind = high_free ? LINK_LOW : low_free ? LINK_HIGH : LINK_GIVEN;
    link.wall = side >= 0 ? side : VISCOSITY_OBSTACLE;
    if (link.kind == LINK_GIVEN || !problem->distance[component]) return link;
    double d_low = problem->distance[component][face_wrapped(grid, component, low)];
    double d_high = problem->distance[component][face_wrapped(grid, component, high)];
    double d_free = low_free ? d_low : d_high, d_given = low_free ? d_high : d_low;
    if (!(d_given < 0.0)) return link; /* the given face lies in a side */
    link.wall = VISCOSITY_OBSTACLE;
    link.theta = fmax(VISCOSITY_THETA_FLOOR, d_free / (d_free - d_given));
    link.reach = link.theta;
    /* Slip is along the wall: what goes straight at it is held fast. */
    if (axis != component) link.reach += problem->slip / grid->spacing;
    return link;
}

static Vec3 shifted(Vec3 x, int axis, double by) {
    if (axis == 0) x.x += by;
    if (axis == 1) x.y += by;
    if (axis == 2) x.z += by;
    return x;
}

Vec3 viscosity_link_crossing(const Grid *grid, const Link *link) {
    Vec3 low = grid_face_center(grid, link->component, link->low[0], link->low[1], link->low[2]);
    double part = link->kind == LINK_LOW ? 1.0 - link->theta : link->theta;
    return shifted(low, link->axis, part * grid->spacing);
}

void viscosity_edge_links(const Viscosity *v, const ViscosityProblem *problem, int a, int b,
                          const int at[3], Link links[2]) {
    int below[3] = {at[0] - (b == 0), at[1] - (b == 1), at[2] - (b == 2)};
    int beside[3] = {at[0] - (a == 0), at[1] - (a == 1), at[2] - (a == 2)};
    links[0] = viscosity_link(v, problem, a, b, below);
    links[1] = viscosity_link(v, problem, b, a, beside);
}

/* ---- forces ---- */

static double wall_velocity(const ViscosityProblem *problem, int wall, int component, Vec3 x) {
    return problem->wall_velocity ? problem->wall_velocity(problem->user, wall, component, x) : 0.0;
}

static double value_at(const Grid *grid, double *const velocity[3], int component,
                       const int at[3]) {
    return velocity[component][face_wrapped(grid, component, at)];
}

/* True when the link's wall is the side that the given faces of the component lie in: their
 * velocities are then the wall's. */
static bool wall_has_faces(const Link *link) {
    return link->wall >= 0 && link->wall / 2 == link->component;
}

static double link_difference(const Viscosity *v, const ViscosityProblem *problem, const Link *link,
                              double *const velocity[3], bool walls_only) {
    const Grid *grid = &v->grid;
    int a = link->component;
    int high[3] = {link->low[0], link->low[1], link->low[2]};
    high[link->axis]++;
    if (!link_carries(link)) return 0.0;
    double ends[2] = {0.0, 0.0};
    if (!walls_only && link->kind != LINK_LOW) ends[0] = value_at(grid, velocity, a, link->low);
    if (!walls_only && link->kind != LINK_HIGH) ends[1] = value_at(grid, velocity, a, high);
    if (link_at_wall(link)) {
        bool at_high = link->kind == LINK_HIGH;
        ends[at_high] =
            wall_has_faces(link)
                ? value_at(grid, velocity, a, at_high ? high : link->low)
                : wall_velocity(problem, link->wall, a, viscosity_link_crossing(grid, link));
    }
    return ends[1] - ends[0];
}

double viscosity_wall_part(const Viscosity *v, const ViscosityProblem *problem, const Link *link,
                           double *const velocity[3]) {
    return link_difference(v, problem, link, velocity, true);
}

/* The difference of the wall's own velocity over the link. */
static double wall_difference(const Viscosity *v, const ViscosityProblem *problem, const Link *link,
                              double *const velocity[3]) {
    const Grid *grid = &v->grid;
    int a = link->component, *high = (int[3]){link->low[0], link->low[1], link->low[2]};
    high[link->axis]++;
    if (!link_at_wall(link) && link->kind != LINK_GIVEN) return 0.0;
    if (wall_has_faces(link))
        return value_at(grid, velocity, a, high) - value_at(grid, velocity, a, link->low);
    Vec3 x = grid_face_center(grid, a, link->low[0], link->low[1], link->low[2]);
    return wall_velocity(problem, link->wall, a, shifted(x, link->axis, grid->spacing)) -
           wall_velocity(problem, link->wall, a, x);
}

/* Of an edge's two derivatives the longer has a part that the shorter does not reach. Beside that
 * part lies the wall, so the wall's derivative takes the place of the missing one: then fluid that
 * turns with a turning wall feels no force. The part is theta less what the cross coefficient
 * already gives a fluid that moves with the wall; it does not enter the matrix. */
double viscosity_link_force(const Viscosity *v, const ViscosityProblem *problem, int a, int b,
                            const int place[3], double *const velocity[3], bool walls_only) {
    int at[3]; /* both ends must see the wall at the same x, also across periodic sides */
    wrap_place(&v->grid, place, at);
    size_t c = lattice_index(v, at[0], at[1], at[2]);
    double coefficient = v->link[a][b][c];
    if (a == b) {
        Link link = viscosity_link(v, problem, a, a, at);
        return coefficient * link_difference(v, problem, &link, velocity, walls_only);
    }
    Link links[2];
    viscosity_edge_links(v, problem, a, b, at, links);
    double cross = v->cross[3 - a - b][c];
    double force = coefficient * link_difference(v, problem, &links[0], velocity, walls_only);
    if (cross != 0.0) force += cross * link_difference(v, problem, &links[1], velocity, walls_only);
    if (coefficient == 0.0) return force;
    double part = links[0].theta;
    if (cross != 0.0)
        part -= fmin(links[0].theta, links[1].theta) * links[1].theta / links[1].reach;
    if (part > 0.0) force += coefficient * part * wall_difference(v, problem, &links[1], velocity);
    return force;
}

double viscosity_link_power(const Viscosity *v, const ViscosityProblem *problem, int a, int b,
                            const int at[3], double *const velocity[3]) {
    int low[3] = {at[0], at[1], at[2]};
    if (a != b) low[b]--;
    Link link = viscosity_link(v, problem, a, b, low);
    double difference = link_difference(v, problem, &link, velocity, false);
    double power = difference * viscosity_link_force(v, problem, a, b, at, velocity, false);
    if (a == b) return power;
    /* The wall's share in the part of this link that the edge's other does not reach
     * (viscosity_wall.c). */
    Link links[2];
    viscosity_edge_links(v, problem, a, b, at, links);
    size_t c = lattice_index(v, at[0], at[1], at[2]);
    double slope = wall_difference(v, problem, &links[1], velocity), part = links[0].theta;
    if (v->cross[3 - a - b][c] != 0.0f)
        part -= fmin(links[0].theta, links[1].theta) * links[1].theta / links[1].reach;
    if (part > 0.0 && slope != 0.0)
        power += (double)v->link[a][b][c] * part * slope * (difference + links[0].reach * slope);
    return power;
}
