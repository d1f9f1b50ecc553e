/* Deformable solids from inside: arrays, parts, and the functions of the files of this folder. */
#ifndef DEFORM_INTERNAL_H
#define DEFORM_INTERNAL_H

#include "base/array.h"
#include "base/parallel.h"
#include "deform/bending.h"
#include "deform/deform.h"
#include "deform/pushed.h"
#include "deform/spring.h"
#include "solve/block/aggregation.h"
#include "solve/block/block_csr.h"
#include "solve/krylov/krylov.h"
#include "system/mesh_surface.h"
#include "system/probe_objects.h"

enum {
    DEFORM_NODES,
    DEFORM_ELEMENTS,
    DEFORM_SPRINGS,
    DEFORM_FACES,
    DEFORM_BODIES,
    DEFORM_PLASTIC, /* elements of bodies that yield */
    DEFORM_PUSHED,  /* free rigid bodies in the way */
    DEFORM_WHOLE,
    DEFORM_GROUPS
};

/* Vectors of a solve. */
enum {
    DEFORM_TRIAL,    /* m, x + h v */
    DEFORM_FORCE,    /* N */
    DEFORM_RESIDUAL, /* N s */
    DEFORM_CHANGE,   /* m/s, packed: dim a node */
    DEFORM_RIGHT,    /* N s, packed */
    DEFORM_SLIDE,    /* N s, of friction */
    DEFORM_NEXT,     /* m/s, v that is tried */
    DEFORM_KEPT,     /* m or N s, of the stages */
    DEFORM_WORK_COUNT
};

/* Springs by what they are between. */
enum { SPRING_EDGE, SPRING_ALTITUDE };

typedef struct DeformBody {
    char *name;
    size_t first[DEFORM_GROUPS], count[DEFORM_GROUPS]; /* of its nodes, elements, springs, faces */
    bool has_law, shortest;
    bool is_sheet; /* elements are triangles in space, segments in the plane; faces are the same */
    ElementLaw law;
    double yield_stretch; /* 0: it does not yield */
    double alpha, beta;   /* Pa s */
    DampingForm damping_form;
    BendingDesc bending;
    size_t first_patch, patch_count; /* of bending */
    double strain_limit;             /* of a sheet's edges; 0: none */
    DeformWind wind;
    double friction, kinetic_friction;
    double radius, size;         /* m; the size is that of its box at rest */
    bool collides, meets_itself; /* in collisions of meshes */
    double thickness, edge;      /* m, that its surface keeps; its mean edge */
    double contact_stiffness;    /* N/m, of pairs (pairs.c) */
    float color[3];
} DeformBody;

typedef struct DeformPin {
    char *name;
    size_t first, count; /* in pin_nodes */
    bool axes[3];
    DeformPathFn path;
    void *path_user;
    SurfaceRef with;
    Collider with_start; /* where it was when the pin was made */
    double from, until;  /* s; until HUGE_VAL: to the end */
} DeformPin;

typedef struct DeformLoad {
    char *name;
    size_t first, count;           /* in load_nodes */
    size_t first_face, face_count; /* in load_faces */
    bool presses;
    DeformForce force;
    DeformForceFn at;
    void *at_user;
} DeformLoad;

typedef struct DeformCollider {
    SurfaceRef ref;
    Collider now, next; /* at t^n, and where its velocity takes it by t^{n+1} */
    Vec3 belt;          /* m/s, own axes */
    Box3 reach;         /* at t^{n+1}, in the world */
    double thick;       /* m, its least extent */
    int32_t pushed;     /* its number among free bodies that are pushed; -1: it is none of them */
    double friction, kinetic_friction;
} DeformCollider;

/* A node that touches a surface, or would at the end of the step. */
typedef struct DeformContact {
    size_t node, collider;
    Vec3 normal;              /* unit, out of the collider */
    Vec3 base;                /* m/s, of the collider's material there */
    double target;            /* m/s along the normal */
    double pressed;           /* N s along the normal, of the last solve */
    double slow;              /* m/s: friction is rounded off below */
    double friction, kinetic; /* coefficients of the pair */
    bool presses, holds;      /* is held along the normal; along the surface, too */
    int changes;              /* between holding and sliding, in this step */
    /* Of bodies that are pushed, with turning in the units of DeformPushed. */
    Vec3 arm;          /* 1, from their centre */
    double follow[18]; /* what a unit of their velocities makes of the node's; 3 x 6 */
    double rub;   /* kg: friction a speed, across `along`; at the end, mass that slides along */
    double joins; /* kg: that joins the body along the normal at the end */
    Vec3 along;   /* unit, of sliding; 0: it has hardly begun */
} DeformContact;

/* Chunks of elements or springs in an order in which those of one range share no node: they may
 * write to their nodes at the same time (colouring). */
typedef struct DeformColors {
    ARRAY(int32_t) order;
    ARRAY(size_t) start; /* of each colour in the order, one more */
    size_t size, count;  /* elements of a chunk; all */
} DeformColors;

/* A surface that elements carry (skin.c). */
typedef struct DeformSkin {
    size_t body, vertex_count, triangle_count;
    int32_t *elements;    /* that carry the vertices */
    double (*weights)[4]; /* barycentric coordinates there, at rest; outside some are below 0 */
    int32_t (*triangles)[3];
} DeformSkin;

/* An edge of a sheet whose strain is limited (limit.c). */
typedef struct LimitEdge {
    int32_t nodes[2];
    double rest, limit; /* m, 1 */
    int64_t still;      /* the look at which it was found well */
} LimitEdge;

/* Nodes of surfaces that may come within their thickness in the step (pairs.c). */
typedef struct DeformPair {
    int32_t kind, nodes[4]; /* POINT_FACE, EDGE_EDGE */
    double weights[4];      /* of the nearest points at the start; add up to 0 */
    Vec3 normal;            /* unit, at the start */
    double wanted;          /* m, that they keep */
    double stiffness;       /* N/m */
    double friction, slow;  /* N, m/s: rounded off below */
} DeformPair;

typedef struct PairForce {
    double weights[4];       /* of the nearest points where it acts */
    Vec3 normal, slip, rub;  /* unit; m/s along the surface; N, of friction */
    double pressure, energy; /* N, J */
    double rubbed;           /* W, potential of friction */
} PairForce;

/* A part of the matrix: weights a times weights b times a block, between nodes a and b. */
typedef struct PairTerm {
    int32_t nodes[4];
    double weights[4];
    Mat3 block;
} PairTerm;

typedef struct DeformPairs {
    ARRAY(DeformPair) list;
    ARRAY(PairForce) forces; /* of the last evaluation */
    ARRAY(PairTerm) terms;   /* of the last matrix */
    ARRAY(Vec3) products;    /* of terms with a vector */
    ARRAY(size_t) use_start; /* who uses a node: 4 term + corner */
    ARRAY(int32_t) use;
    ARRAY(int32_t) group; /* of each body: the first of those that pairs join */
} DeformPairs;

typedef struct DeformFigures {
    double newton, iterations, residual; /* of the last step */
    double damped;                       /* steps of backward Euler in place of the midpoint's */
    double unconverged;                  /* solves that stopped early */
    double contacts, penetration;        /* 1, m */
    double yielding;                     /* elements that yielded */
    double contact_energy;               /* J, of pairs */
    double halved;                       /* the next step is shorter, for impact zones */
    double limit_sweeps, unlimited;      /* over edges of sheets; edges that are still off */
} DeformFigures;

struct Deform {
    PlimContext *context;
    DeformOptions options;
    StateSize sizes[DEFORM_GROUPS];

    /* Nodes; vectors have three components, z = 0 in two dimensions. */
    double *position, *velocity; /* m, m/s: the state */
    double *velocity_half;       /* m/s, v^{n+1/2} */
    double *position_before;     /* m, x^n, where meshes collide */
    double *collision_change;    /* m/s, what collisions of meshes did to v^{n+1/2} */
    double *rest, *start;        /* m: own axes; where they were at the start, in the world */
    double *anchor;              /* m: where a pin took hold of them */
    double *mass;                /* kg */
    double *elastic;             /* N, at `position` */
    double *half_impulse;        /* N s: what damping, pins and contact did in the first half */
    double *reaction;            /* N: of pins and contact over the last step */
    double *outside;             /* N: gravity, loads and wind */
    double *filter;              /* dim x dim a node: projector on what is free */
    int32_t *is_outer;           /* on the surface */
    int32_t *is_held;            /* filter is not the identity */
    int32_t *is_pinned;          /* along all axes */
    int32_t *has_pin;            /* along some */
    double *checks;              /* two a node, of a checkered look; no number: plain */

    /* Elements: rest matrix inverse (rows are gradients of the shape functions of corners 1..; of
     * what has yielded in its shape without stress), volume, and V P with the energy of the last
     * evaluation. Sheets: rows are in the plane of the triangle at rest, the volume is its area
     * (m^2), stresses are N/m. */
    int32_t *corners, *corner_count, *element_body;
    double *gradient, *volume, *stress, *element_energy;
    /* Springs of two, three, four nodes. */
    int32_t *spring_corners, *spring_count, *spring_kind, *spring_body, *spring_element;
    double *spring_rest, *spring_modulus, *spring_drag, *spring_energy;
    double *spring_force; /* N, three a corner, four corners */
    int32_t *face_corners, *face_body;
    double *gained;        /* J, of each body: what the midpoint rule made out of nothing */
    double *pushed_before; /* m/s, twelve a pushed body: what it should start the next step with;
                              what others did to it in the last one, as accelerations (push.c) */
    double *step_limit; /* s: the longest next step, 0 if any; the usual one; 1: something was near;
                           the longest step so far (self.c) */
    /* Elements that may yield (yield.c): F_p^-1, rest matrix inverse, and which they are. */
    double *plastic_inverse, *plastic_rest;
    int32_t *plastic_element;

    ARRAY(DeformBody) bodies;
    ARRAY(DeformPin) pins;
    ARRAY(DeformLoad) loads;
    ARRAY(DeformCollider) colliders;
    ARRAY(DeformPushed) pushed;
    ARRAY(PushedBody) pushed_bodies; /* the same, as src/couple sees them */
    bool pushes;                     /* one of them touches, and is part of the solve */
    ARRAY(int32_t) pin_nodes, load_nodes;
    ARRAY(double) load_weights; /* of each load node */
    ARRAY(size_t) load_faces;
    ARRAY(DeformContact) contacts;
    ARRAY(DeformSkin) skins;
    ARRAY(int32_t) self_nodes, self_faces; /* that take part in collisions of meshes, sorted */
    DeformPairs pairs;
    ProbeObjects objects;

    /* Who touches a node: elements, then springs, then hinges, as 4 index + corner, which is not
     * negative for elements and -1 - that for others, hinges counted on from the springs. */
    ARRAY(size_t) touch_start;
    ARRAY(int32_t) touch;
    DeformColors element_colors, spring_colors, patch_colors;
    DeformBending bending;
    ARRAY(LimitEdge) limit_edges;
    ARRAY(double) limited;        /* m/s: what the limits changed of v^{n+1/2}, three a node */
    ARRAY(int64_t) limit_changed; /* the look at which limits changed a node's velocity */
    int64_t limit_look, limit_body_changed; /* at edges so far; that changed one of bodies */
    ARRAY(int32_t) element_entries, spring_entries; /* of the matrix, corners^2 each */
    BlockCsr matrix;
    ARRAY(double) unfiltered; /* its values before what is held was filtered out, for bodies */
    Aggregation *precondition;
    ARRAY(double) work[DEFORM_WORK_COUNT]; /* of the solves, three a node */
    ARRAY(double) corner_bounds; /* N/m, four an element, then a spring: newmark's, of its step */
    ARRAY(int32_t) outer_nodes;  /* of the surfaces, rising */
    ARRAY(double) outward;       /* m^2, three a node: normals of its faces at t^n; for contact */
    double sheet_offset;         /* m: how far sheets stay off rigid surfaces, at most */
    bool has_damping, has_checks, has_sheets;
    double energy_rounding;      /* J, of the sum of elastic energies */
    bool is_whole;               /* this step is one of backward Euler */
    double now;                  /* s, of the present state */
    double load_time;            /* s, that the loads of the present step are of */
    double step_start, step_end; /* s, of the present step */
    bool has_pressure;
    bool has_timed_pins; /* pins that come or go */

    DeformFigures figures;
};

extern const StateSchema deform_schema;

static inline size_t deform_count(const Deform *d, int group) {
    return d->sizes[group].count;
}

/* ---- sheet.c ---- */

/* PLIM_BAD_INPUT, naming triangles and the fix, where a sheet has doubled ones or an edge of three;
 * and where it should yield. */
PlimStatus sheet_check(const Deform *d, const DeformBodyDesc *desc);

/* ---- bending.c, bending_forces.c ---- */

/* Hinges and patches, once it is known which nodes are pinned. */
PlimStatus bending_make(Deform *d);
void bending_free(Deform *d);
typedef struct ForceParts ForceParts;
/* Angles, moments and forces of all hinges; energies of patches. */
void bending_evaluate(Deform *d, int threads, const ForceParts *parts);
double bending_energy(const Deform *d, const DeformBody *body);
/* Adds the stiffness and damping of a patch to the matrix; bending_evaluate was there before. */
typedef struct MatrixParts MatrixParts;
void bending_add_stiffness(const Deform *d, size_t patch, const MatrixParts *parts);
/* Adds what a patch may add to the diagonal, N/m, by Gershgorin's theorem. */
void bending_bound(const Deform *d, size_t patch, double *bound);

/* ---- limit.c ---- */

PlimStatus limit_make(Deform *d);
/* Of velocities v from places x0: how many edges are still off in the end; the sweeps it took. Free
 * rigid bodies give way to nodes that they touch if asked to. */
size_t limit_velocities(Deform *d, const double *x0, double dt, double *v, bool with_bodies,
                        double *sweeps);
/* Changes velocity_half, and leaves the change in `limited`. */
void limit_strain(Deform *d, const StepInfo *step);

/* ---- spring_list.c ---- */

PlimStatus deform_add_springs(Deform *d, const DeformBodyDesc *desc, int32_t body,
                              size_t first_node, size_t first_element);
void deform_set_spring_drag(Deform *d);
/* Of several altitudes the shortest alone may act. */
bool deform_spring_acts(const Deform *d, size_t spring, const double *x);
double deform_spring_length(const Deform *d, size_t spring, const double *x, Vec3 *gradient);
double deform_spring_force(const Deform *d, size_t spring, const double *x, Vec3 *force);
void deform_spring_stiffness(const Deform *d, size_t spring, const double *x, bool project,
                             double *k);

/* ---- elastic.c ---- */

/* Deformation gradient of an element at positions x, from its shape without stress: F F_p^-1. */
Mat3 element_gradient(const Deform *d, size_t element, const double *x);
/* Which forces, and where. Stresses and forces of springs stay in `stress` and `spring_force`. */
struct ForceParts {
    const double *x; /* m */
    const double *v; /* m/s: damping of these velocities at x; NULL: none */
    /* In place of v: damping of the way from here to x in `h` seconds, as the gradient of a
     * potential; see damping_of_change in elastic.c. */
    const double *x_before;
    double h; /* s: over which damping acts; h/2 v^T D v counts as energy */
    bool elastic;
};
/* Forces of all elements, springs and hinges on nodes, and *energy; NULL: not asked for. */
PlimStatus deform_forces(Deform *d, const StepInfo *step, const ForceParts *parts, double *force,
                         double *energy);
/* Of an element whose deformation gradient changes from `before` to f in h seconds: the potential
 * of damping a volume, and S, its gradient being F S. */
double deform_damping_of_change(const DeformBody *body, Mat3 f, Mat3 before, double h, Mat3 *s);
/* An upper bound on the square of the highest frequency, 1/s^2. Uses work[DEFORM_RIGHT]. */
double deform_highest_square(Deform *d, int threads);

/* ---- pattern.c, assemble.c ---- */

PlimStatus deform_make_patterns(Deform *d);
/* matrix = mass + elastic K(x) + damping D(x), filtered; `project`: K's semidefinite part. */
struct MatrixParts {
    const double *x;
    const double *x_before;        /* m, and `h`: as in ForceParts; NULL: damping is that at x */
    double h;                      /* s */
    const double *v;               /* for friction of what slides */
    double mass, elastic, damping; /* factors */
    bool project;
};
PlimStatus deform_assemble(Deform *d, const StepInfo *step, const MatrixParts *parts);

/* Says which pin or load it was that failed, and when. */
PlimStatus deform_name_failure(const Deform *d, PlimStatus status, const char *what,
                               const char *name, double t);

/* ---- outside.c: gravity, loads, wind ---- */

/* Area and outward normal, scaled by it, at places of nodes; in the plane an edge is 1 m deep. */
Vec3 deform_face_normal(const Deform *d, size_t face, const double *x);

/* Into `outside`, at time t and the present positions and velocities. */
PlimStatus deform_outside_forces(Deform *d, const StepInfo *step, double t);
/* Adds forces of pressure at places x to others, and its potential. */
PlimStatus deform_pressure(const Deform *d, double t, const double *x, double *force,
                           double *energy);
/* Adds `factor` times the second derivatives of that potential to the matrix. */
PlimStatus deform_pressure_stiffness(const Deform *d, double t, const double *x, double factor);
/* What a load does to its body at time t: force, torque about the origin. */
PlimStatus deform_load_now(const Deform *d, size_t load, double t, Vec3 *force, Vec3 *torque);

/* ---- pins.c ---- */

/* Which nodes are pinned from t0 to t1; -HUGE_VAL and HUGE_VAL: all the time. */
void deform_mark_pins(Deform *d, double t0, double t1);
/* Nodes that no pin holds up to t: where it will take hold of them is where they are. */
void deform_follow_loose(Deform *d, double t);
/* Sets velocities of pinned nodes along held axes, so that they arrive where they should. */
PlimStatus deform_pin_targets(Deform *d, const StepInfo *step, double *velocity);
/* Their places, and their velocities, at the end of the step. */
PlimStatus deform_snap_pins(Deform *d, const StepInfo *step);
PlimStatus deform_pin_velocities(Deform *d, const StepInfo *step);
/* filter and is_held: everything is free but what pins hold. */
void deform_filter_pins(Deform *d);

/* ---- contact.c ---- */

/* Of the collider's material at a contact, m/s, with bodies as fast as is tried. */
Vec3 contact_base(const Deform *d, const DeformContact *contact);
/* Where pushed bodies will be with the velocities they have now. */
void contact_aim_bodies(Deform *d, double dt);
/* Reads where colliders are and will be; forgets contacts. */
void contact_begin(Deform *d, const StepInfo *step);
/* What a solve found, for contact to judge. */
typedef struct ContactView {
    const double *v;        /* m/s */
    const double *residual; /* N s: what holds held nodes; NULL: there was no solve yet */
    double h;               /* s: over which it acts */
    bool finds;             /* looks for nodes that x + dt v takes into colliders */
} ContactView;
/* True when contacts came, went or changed: solve again. */
bool contact_update(Deform *d, const StepInfo *step, const ContactView *view);
/* Puts contacts into filter and velocities. */
void contact_apply(Deform *d, double *v);
/* Friction of what slides, N s, at velocities v; returns its potential. */
double contact_friction(Deform *d, const double *v, double *slide);
/* Adds its second derivative to the matrix. */
void contact_add_stiffness(Deform *d, const double *v);
/* Takes friction off velocities of nodes that nothing else joins. */
void contact_slow_down(const Deform *d, double *v, double *slide);
/* Velocities at the end: no approach, no sliding of what is held. */
void contact_final_velocities(Deform *d, double dt);
/* The longest step that takes no node through a collider, s, if one of `wanted` is asked for. */
double contact_longest_step(const Deform *d, double wanted);
/* The same contacts at x^{n+1}: they hold velocities from now on, not places. */
void contact_at_end(Deform *d);
/* Out of the colliders, where they are now. */
void contact_push_out(Deform *d);

/* ---- yield.c ---- */

/* Elements from the first on, of one body, may yield; they have not yet. */
PlimStatus deform_add_plastic(Deform *d, size_t first_element);
/* Takes elastic stretches beyond the yield stretch back to it: at the end of a step, and of bodies
 * that start deformed. */
PlimStatus deform_yield(Deform *d, const StepInfo *step);
void deform_yield_at_start(Deform *d);
/* Sets `gradient` of elements that may yield, by F_p. */
void deform_set_shapes(Deform *d, int threads);

/* ---- solve.c ---- */

/* Finds v with R(v) = mass m v - p - h (f(x + h v) + damping) = 0 along what is free (002 equation
 * 5.5 and its kin); see solve.c. */
typedef struct DeformProblem {
    const double *x;       /* m: the positions it starts from */
    const double *impulse; /* N s: p */
    double *v;             /* m/s: first guess, with those of pins; then the answer */
    double h;              /* s */
    double mass;           /* factor of masses: 0 for statics */
    bool has_elastic;
    bool finds_contact; /* targets keep x + dt v out of colliders; else velocities of the moment */
} DeformProblem;
/* Leaves what holds pins and contacts, N s, in work[DEFORM_RESIDUAL]. */
PlimStatus deform_solve(Deform *d, const StepInfo *step, const DeformProblem *problem);

/* ---- pairs.c ---- */

/* Where nodes are: x, or x + dt v at the end of the step, over `h` seconds of which pairs act. */
typedef struct PairMotion {
    const double *x, *v; /* m; m/s or NULL */
    double h, dt;        /* s */
} PairMotion;
double pairs_stiffness_of(const Deform *d, const DeformBody *body);
PlimStatus pairs_reserve(Deform *d);
void pairs_free(Deform *d);
void pairs_clear(Deform *d);
PlimStatus pairs_take(void *system, const StepInfo *step, const CollisionPair *pairs, size_t count);
/* Signed distance of a pair with corners at x, weights of its nearest points, and the normal. */
double pairs_distance(const DeformPair *pair, int dim, const Vec3 x[4], double weights[4],
                      Vec3 *normal);
/* Adds forces, N, unless NULL; returns what they add to the potential of a solve, J. */
double pairs_add_forces(Deform *d, int threads, const PairMotion *motion, double *force);
/* What pairs add to the matrix of a solve; then the matrix with it, as a map. */
void pairs_make_terms(Deform *d, int threads, const PairMotion *motion);
LinearMap pairs_map(const Deform *d);
/* Adds what pairs alone make of x to y, packed, held or not. */
void pairs_add_products(const Deform *d, const double *x, double *y);

/* ---- skin.c ---- */

/* NULL: it has none. */
const DeformSkin *deform_skin_of(const Deform *d, size_t body);
void deform_skins_free(Deform *d);
/* At a vertex of the skin: of three values a node, extended outside the elements; of one a node,
 * between theirs. */
Vec3 deform_skin_at(const Deform *d, const DeformSkin *skin, size_t vertex, const double *values);
float deform_skin_value(const Deform *d, const DeformSkin *skin, size_t vertex,
                        const float *values);

/* ---- guard.c ---- */

/* Elastic energy of the last evaluation of forces, J; of all bodies, into an array. */
double deform_body_energy(const Deform *d, const DeformBody *body);
void deform_body_energies(const Deform *d, double *energy);
/* Whether the midpoint rule, about to end at x + dt v^{n+1/2}, has made too much energy out of
 * nothing; `before` are elastic energies at x. */
PlimStatus deform_guard_energy(Deform *d, const StepInfo *step, const double *before, bool *is_bad);
/* Takes out of v the rigid motions of free bodies that left-over impulses at places x stand for: so
 * momenta are kept better than the tolerance of a solve. */
void deform_balance(const Deform *d, const double *x, const double *residual, double *v);
/* The same of bodies that only free rigid bodies touch; and what is left over is no contact's. With
 * `whole` what the rigid bodies' own rows left goes to the nodes, too. */
void deform_balance_pushed(Deform *d, const double *x, double *residual, double *v, bool whole);
/* At the end of a step of backward Euler: gives free bodies their angular momentum back, in v. */
void deform_restore_spin(const Deform *d, double dt, double *v);
/* The rigid motions of all bodies in v, with what is held left alone. */
void deform_rigid_guess(const Deform *d, const double *v, double *out);

/* ---- self.c ---- */

/* What a body's surface keeps from others, m: as given, or a part of its edges; their mean. */
PlimStatus deform_find_thickness(const Deform *d, const DeformBodyDesc *desc, double *out,
                                 double *edge);
/* The longest step for what may meet, s. */
double deform_collision_step(const Deform *d);
/* Which nodes and faces take part in collisions of meshes. */
PlimStatus deform_list_self(Deform *d);
extern const MeshSurfaceClass deform_meshes;

/* ---- stages.c, measure.c, view.c ---- */

PlimStatus deform_predict(void *system, const StepInfo *step);
/* The solves; where bodies are pushed src/couple calls them (push.c), not the stages. */
PlimStatus deform_find_positions(Deform *d, const StepInfo *step);
PlimStatus deform_find_velocities(Deform *d, const StepInfo *step);
PlimStatus deform_solve_positions(void *system, const StepInfo *step);
PlimStatus deform_move(void *system, const StepInfo *step);
PlimStatus deform_accelerate(void *system, const StepInfo *step);
PlimStatus deform_solve_velocities(void *system, const StepInfo *step);
double deform_max_dt(const void *system, const StepInfo *step);
PlimStatus deform_refresh(void *system, const StepInfo *step);
PlimStatus deform_diagnose(const void *system, const StepInfo *step, Diagnostics *diagnostics);
PlimStatus deform_view_frame(const void *system, const StepInfo *step, FrameView *view);
enum { DEFORM_OBJECT_BODY, DEFORM_OBJECT_POINT, DEFORM_OBJECT_PIN, DEFORM_OBJECT_LOAD };
/* The greatest stretch of an element; its von Mises stress, Pa. */
double deform_element_stretch(const Deform *d, size_t element);
double deform_von_mises(const Deform *d, size_t element);
/* view_elements.c: all elements, where `frame_elements` asks for them. */
PlimStatus deform_view_elements(const Deform *d, const StepInfo *step, FrameView *view);
enum { DEFORM_QUANTITY_COUNT = 11 };
extern const ProbeQuantity deform_quantities[DEFORM_QUANTITY_COUNT];

#endif
