/* The viscosity solve's data, shared by its files.
 *
 * Storage. Everything lies on one lattice: cell (i, j, k), the three faces on its low sides and the
 * three edges through its low corner have the same index, with i from -1 to n + 1 along each axis
 * (only 0 along z in two dimensions). Vectors are three such lattices, component after component,
 * zero where there is no unknown; across periodic sides those that the operator reads hold copies.
 *
 * Links. A link joins two neighbouring velocities of one component, a, along one axis, b: within
 * a cell when a == b, across an edge otherwise. With D the differences over the links and g the
 * scale mu V / h^2, the force from low to high end of a link is
 *     g link[a][b] D_b u_a + g cross D_a u_b,
 * the second for edges only. */
#ifndef SOLVE_VISCOSITY_INTERNAL_H
#define SOLVE_VISCOSITY_INTERNAL_H

#include "base/parallel.h"
#include "solve/viscosity/viscosity.h"
#include "solve/viscosity/viscosity_multigrid.h"

#include <stdint.h>

/* Of a face on the lattice. */
typedef enum FaceState {
    FACE_NONE, /* beyond a side */
    FACE_GIVEN,
    FACE_AIR, /* no stress reaches it */
    FACE_FREE,
    FACE_HALF, /* free, on an open side: it owns half a cell */
    FACE_COPY  /* of a free face, across a periodic side */
} FaceState;

/* Bits of a lattice point: a link of this edge (named by its direction) or cell ends at a wall. */
enum { WALL_AT_EDGE = 1, WALL_IN_CELL = 8 };

struct Viscosity {
    PlimContext *context;
    Grid grid;
    int threads;
    int size[3];      /* of the lattice */
    size_t stride[3]; /* of its axes */
    size_t origin;    /* index of (0, 0, 0) */
    size_t count;     /* lattice points */
    size_t row_count; /* rows of points from 0 to n */

    /* Set-up. Coefficients are in units of `mu`. link[a][a] at a cell joins its low face to its
     * high one; link[a][b] at an edge joins the velocity below the edge to that above. */
    double mu;      /* Pa s; when it is 0 the coefficients mean nothing */
    bool mu_varies; /* from cell to cell */
    float *link[3][3];
    float *cross[3];  /* by direction of the edge */
    uint8_t *face[3]; /* FaceState */
    float *part[3];   /* of a cell that an unknown owns: 1 or 1/2; 0 where there is no unknown */
    uint8_t *walls;

    /* Of the last solve or map. */
    double mass;      /* kg, density V */
    double stiffness; /* kg, dt mu V / h^2 */
    double *x, *b;
    /* Of the preconditioner. */
    float *inverse; /* `mass` over the bound on the row; 0 where there is no unknown */
    double *z, *d;
    double lowest;                 /* lower end of the range that the polynomial is made for */
    int degree;                    /* applications of the diagonal in it */
    ViscosityMultigrid *multigrid; /* NULL before the first stiff step */
    Scratch scratch;
};

static inline size_t lattice_index(const Viscosity *v, int i, int j, int k) {
    return (size_t)((ptrdiff_t)v->origin + i + j * (ptrdiff_t)v->stride[1] +
                    k * (ptrdiff_t)v->stride[2]);
}

static inline bool face_is_unknown(unsigned state) {
    return state == FACE_FREE || state == FACE_HALF;
}

static inline bool face_is_free(unsigned state) {
    return state >= FACE_FREE;
}

/* Rows run along x, from 0 to n on the other axes. */
static inline void row_place(const Viscosity *v, size_t row, int *j, int *k) {
    size_t rows = (size_t)v->grid.n[1] + 1;
    *j = (int)(row % rows);
    *k = (int)(row / rows);
}

/* Rows of the whole lattice, halo included. */
static inline void lattice_row_place(const Viscosity *v, size_t row, int *j, int *k) {
    *j = (int)(row % (size_t)v->size[1]) - 1;
    *k = v->grid.dim == 2 ? 0 : (int)(row / (size_t)v->size[1]) - 1;
}

static inline size_t row_grain(const Viscosity *v) {
    return 1 + 8192 / (size_t)v->size[0];
}

/* The place among 0 to n - 1 that is the same across periodic sides. */
static inline void wrap_place(const Grid *grid, const int at[3], int wrapped[3]) {
    for (int a = 0; a < 3; a++) {
        bool periodic = a < grid->dim && grid->sides[a][0] == SIDE_PERIODIC;
        wrapped[a] = periodic ? (at[a] + grid->n[a]) % grid->n[a] : at[a];
    }
}

/* Index in the compact face arrays, wrapped across periodic sides. */
static inline size_t face_wrapped(const Grid *grid, int axis, const int at[3]) {
    int w[3];
    wrap_place(grid, at, w);
    return grid_face_index(grid, axis, w[0], w[1], w[2]);
}

typedef void (*LatticeVisit)(void *user, const int at[3]);

/* Every point from 0 to n, x running fastest; the last layer of a periodic axis is the first again.
 */
static inline void visit_lattice(const Grid *grid, LatticeVisit visit, void *user) {
    int last[3];
    for (int a = 0; a < 3; a++)
        last[a] = a >= grid->dim ? 0 : grid->n[a] - (grid->sides[a][0] == SIDE_PERIODIC);
    for (int k = 0; k <= last[2]; k++)
        for (int j = 0; j <= last[1]; j++)
            for (int i = 0; i <= last[0]; i++) visit(user, (int[3]){i, j, k});
}

/* ---- links and walls: viscosity_link.c ---- */

typedef enum LinkKind {
    LINK_NONE, /* leads across an open side */
    LINK_FREE, /* between two free velocities */
    LINK_LOW,  /* a wall in place of the low end */
    LINK_HIGH,
    LINK_GIVEN /* along or inside a wall */
} LinkKind;

typedef struct Link {
    LinkKind kind;
    int component, axis;
    int low[3];   /* face at the low end */
    double theta; /* part of the spacing between free velocity and wall */
    double reach; /* the same with the slip length added */
    int wall;
} Link;

Link viscosity_link(const Viscosity *v, const ViscosityProblem *problem, int component, int axis,
                    const int low[3]);

static inline bool link_carries(const Link *link) {
    return link->kind == LINK_FREE || link->kind == LINK_LOW || link->kind == LINK_HIGH;
}

static inline bool link_at_wall(const Link *link) {
    return link->kind == LINK_LOW || link->kind == LINK_HIGH;
}

/* Where the link meets the wall. */
Vec3 viscosity_link_crossing(const Grid *grid, const Link *link);

/* The links of component a along axis b (the first) and of b along a through the edge at `at`. */
void viscosity_edge_links(const Viscosity *v, const ViscosityProblem *problem, int a, int b,
                          const int at[3], Link links[2]);

/* The force of a link from its low to its high end over the scale g, walls included; of the edge or
 * cell (a == b) at `at`. With `walls_only` the free velocities count as zero. */
double viscosity_link_force(const Viscosity *v, const ViscosityProblem *problem, int a, int b,
                            const int at[3], double *const velocity[3], bool walls_only);

/* What the walls alone do to the difference over a link. */
double viscosity_wall_part(const Viscosity *v, const ViscosityProblem *problem, const Link *link,
                           double *const velocity[3]);

/* ---- what obstacles that move have to do with the dissipation: viscosity_wall.c ---- */

/* A linear function of velocities: free faces, given ones, and of an obstacle's velocity. */
typedef struct WallFunction {
    int face_count;
    size_t face[2]; /* in a lattice vector of all components */
    double sign[2];
    double given;      /* m/s */
    double wall_sign;  /* of the obstacle's velocity along `component` at `x`; 0: none */
    double wall_slope; /* of the difference of that over one spacing along `axis` */
    int component, axis;
    Vec3 x;
} WallFunction;

enum { WALL_FUNCTIONS = 4 };

/* The dissipation of a cell or an edge near an obstacle: dt mu V / h^2 times the sum over i and j
 * of coefficient[i][j] f_i f_j / 2. */
typedef struct WallTerm {
    int count;
    WallFunction f[WALL_FUNCTIONS];
    double coefficient[WALL_FUNCTIONS][WALL_FUNCTIONS];
    Vec3 middle; /* of the cell or edge */
} WallTerm;

typedef void (*WallVisit)(void *user, const WallTerm *term);
/* All terms in which an obstacle's velocity enters, in a fixed order, on one thread. */
void viscosity_wall_terms(const Viscosity *v, const ViscosityProblem *problem,
                          double *const velocity[3], WallVisit visit, void *user);

/* ---- a step in parts: viscosity_solve.c ---- */

/* After viscosity_set_step: x = the velocities with copies, b = mass u plus what walls do. */
void viscosity_load(Viscosity *v, const ViscosityProblem *problem, double *velocity[3]);
/* The free velocities from x, copies current. */
void viscosity_store(Viscosity *v, double *velocity[3]);

/* Force times difference, over the scale g, of the edge or cell (a == b) at `at`. */
double viscosity_link_power(const Viscosity *v, const ViscosityProblem *problem, int a, int b,
                            const int at[3], double *const velocity[3]);

/* ---- the operator: viscosity_apply.c ---- */

/* y = (density V + dt K) x on lattice vectors; the copies in x must be current, those in y are
 * zero. */
void viscosity_apply(const void *viscosity, const double *x, double *y);
/* The same, with `after` called for each row of y, halo included, as soon as it is there: `count`
 * values from index `start` of the vectors on. */
typedef void (*RowFn)(void *user, size_t start, size_t count);
void viscosity_apply_then(const Viscosity *v, const double *x, double *y, RowFn after, void *user);
/* Renews the copies across periodic sides; of one lattice, and of all components. */
void viscosity_fill_lattice(const Viscosity *v, double *x);
void viscosity_fill_copies(const Viscosity *v, double *x);
/* mass and stiffness. */
void viscosity_set_step(Viscosity *v, double density, double dt);

/* ---- viscosity_precondition.c ---- */

/* After viscosity_set_step; good until the next set-up or step. */
PlimStatus viscosity_preconditioner(Viscosity *v, Preconditioner *out);

#endif
