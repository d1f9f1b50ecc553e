/* Rigid body dynamics, the system: flight under gravity, free or held, prescribed motion, and
 * contact. / */
#ifndef RIGID_BODIES_H
#define RIGID_BODIES_H

#include "collide/plane_shape.h"
#include "geom/mesh/section.h"
#include "plimsoll/rigid.h"
#include "rigid/contact/contacts.h"
#include "rigid/contact/shells.h"
#include "rigid/force_list.h"
#include "rigid/joints/joint.h"
#include "rigid/orientation.h"
#include "rigid/pin.h"
#include "rigid/shape.h"
#include "system/dofs.h"
#include "system/still_surface.h"
#include "system/surface.h"
#include "system/system.h"

enum {
    RIGID_GROUP_BODIES,
    RIGID_GROUP_WARM_STARTS,
    RIGID_GROUP_SLEEPING_LOADS,
    RIGID_GROUP_JOINTS,
    RIGID_GROUP_COUNT
};

/* What the plane z = 0 cuts out of a body, about its centre. */
typedef struct RigidCut {
    PlaneShape shape;
    Quat turn;           /* the orientation in which it was cut */
    double ball_radius;  /* m, of a disc of equal area */
    double inner_radius; /* m, of a disc about the centre that is inside; 0: none */
} RigidCut;

/* The last cut that was measured for its mass: copies of a body mostly have the same. */
typedef struct CutMemo {
    size_t shape;
    double key[5];   /* how it is turned, how far it is from the plane */
    Section section; /* without area: none yet */
} CutMemo;

/* Arrays are listed, with units, in the schema of bodies.c. */
struct RigidBodies {
    PlimContext *context;
    PlimRigidOptions options;
    StateSize sizes[RIGID_GROUP_COUNT];

    double *position, *orientation, *velocity, *angular_momentum;

    double *angular_velocity;

    double *velocity_half, *angular_momentum_half;
    double *position_before, *orientation_before;

    double *still_position, *still_orientation, *still_since;

    double *mass, *volume, *inertia, *inverse_inertia, *least_axis, *greatest_axis;
    double *pin, *pin_arm;
    double *friction, *kinetic_friction, *restitution, *rolling_friction, *spinning_friction;
    double *surface_velocity, *linear_damping, *angular_damping;
    int32_t *motion, *shape, *material, *held, *asleep, *driven, *wet;

    double *load_half, *load_rest; /* of forces.h */
    double *contact_force, *contact_torque;
    int32_t *contact_points;

    /* Points that carried a load in the last step: the guess of the next. */
    double *touch_arm, *touch_force, *touch_couple, *touch_turn;
    int32_t *touch_pair;
    /* What sleepers load on bodies that forces do not move. */
    double *sleeping_load;
    int32_t *sleeping_pair, *sleeping_points;

    /* What joints carried in the last step, how far they turned. */ double *joint_force,
        *joint_torque, *joint_turned, *joint_pull, *joint_drive;
    int32_t *joint_broken, *joint_limited, *joint_yields;

    ShapeLibrary shapes;
    /* What a body has beside numbers; same index as the arrays. */
    ARRAY(struct RigidExtra {
        char *name;
        PlimMotionFn path;
        void *path_user;
        float color[3];
        float glass[4];     /* of PlimRigidDesc */
        const Solid *solid; /* exact, about the centre of mass, the shape's; NULL: none */
        Vec3 center;        /* m, of mass, in the shape's own axes */
        Vec3 mesh_offset;   /* m, from the centre of mass to that of the triangles, body axes */
        size_t first_force; /* of RigidBodies.forces */
        size_t force_count;
        uint64_t groups; /* bits; who collides with whom */
        uint64_t collides_with;
        bool exact;     /* its triangles take part in collisions of meshes */
        Vec3 displaced; /* m, from there to the centre of the volume it displaces, body axes */
    })
    extras;
    IndexTable by_name;
    ARRAY(RigidCut) cuts; /* one a body with options.plane, else none */
    CutMemo cut_memo;
    ARRAY(RigidForce) forces; /* by body */
    ARRAY(PlimMaterialPair) material_pairs;
    ARRAY(StillSurface) still_surfaces; /* contact numbers them after the bodies */
    RigidContacts contacts;
    RigidJoints joints;
    RigidShells shells;
};

extern const SystemClass rigid_class;

PlimStatus rigid_bodies_create(PlimContext *context, RigidBodies **out);
PlimStatus rigid_bodies_configure(RigidBodies *bodies, const PlimRigidOptions *options);
PlimStatus rigid_bodies_add(RigidBodies *bodies, const PlimRigidDesc *desc, size_t *id);
/* The same of a mesh that stands for a solid, in the shape's own axes: fluids flow around that, and
 * in two dimensions it is cut in place of the triangles. It is copied, but for its level sets,
 * which must outlive the bodies. NULL: the description is all there is. */
PlimStatus rigid_bodies_add_solid(RigidBodies *bodies, const PlimRigidDesc *desc,
                                  const Solid *solid, size_t *id);
/* What the room borrows must outlive the bodies. */
PlimStatus rigid_bodies_add_still_surface(RigidBodies *bodies, const StillSurface *surface);
/* The body's index or INDEX_NONE. */
size_t rigid_bodies_find(const RigidBodies *bodies, const char *name);
PlimStatus rigid_bodies_set_pose(RigidBodies *bodies, size_t id, const PlimPose *pose);
void rigid_bodies_get_pose(const RigidBodies *bodies, size_t id, PlimPose *pose);

/* Puts a body into a pose that was checked, its momentum with it. A held body keeps its pin and
 * moves as far as it may. */
void rigid_place(RigidBodies *bodies, size_t i, const PlimPose *pose);

/* Where a kinematic body is at time t, checked, with the body named in the message of a failure. */
PlimStatus rigid_path_pose(PlimContext *context, const char *name, PlimMotionFn path, void *user,
                           double t, PlimPose *pose);

/* Memory that one more body of a known shape takes. */
size_t rigid_bytes_per_body(void);

static inline size_t rigid_count(const RigidBodies *bodies) {
    return bodies->sizes[RIGID_GROUP_BODIES].count;
}

/* ---- partners in contact: bodies, then still surfaces; a pair has its surface last ---- */

static inline size_t rigid_partner_count(const RigidBodies *bodies) {
    return rigid_count(bodies) + bodies->still_surfaces.count;
}

static inline bool rigid_is_still_surface(const RigidBodies *bodies, size_t partner) {
    return partner >= rigid_count(bodies);
}

static inline const StillSurface *rigid_still_surface(const RigidBodies *bodies, size_t partner) {
    return &bodies->still_surfaces.data[partner - rigid_count(bodies)];
}

/* Whether forces move it. */
static inline bool rigid_is_dynamic(const RigidBodies *bodies, size_t partner) {
    return partner < rigid_count(bodies) && bodies->motion[partner] == PLIM_DYNAMIC;
}

/* ---- bodies ---- */

static inline BodyInertia rigid_inertia(const RigidBodies *bodies, size_t i) {
    return (BodyInertia){mat3_load(bodies->inverse_inertia + 9 * i),
                         vec3_load(bodies->least_axis + 3 * i),
                         vec3_load(bodies->greatest_axis + 3 * i)};
}

/* Where the triangles of a body are. */
static inline Frame rigid_frame(const RigidBodies *bodies, size_t i) {
    Mat3 axes = quat_to_mat3(quat_load(bodies->orientation + 4 * i));
    Vec3 offset = bodies->extras.data[i].mesh_offset;
    return (Frame){axes, vec3_add(vec3_load(bodies->position + 3 * i), mat3_apply(axes, offset))};
}

/* Where they were at the start of the step. */
static inline Frame rigid_frame_before(const RigidBodies *bodies, size_t i) {
    Mat3 axes = quat_to_mat3(quat_load(bodies->orientation_before + 4 * i));
    Vec3 offset = bodies->extras.data[i].mesh_offset;
    return (Frame){axes,
                   vec3_add(vec3_load(bodies->position_before + 3 * i), mat3_apply(axes, offset))};
}

static inline const RigidShape *rigid_shape(const RigidBodies *bodies, size_t i) {
    return &bodies->shapes.shapes.data[bodies->shape[i]];
}

/* The thickness of a thin shell, m; 0: it is none. */
static inline double rigid_wall(const RigidBodies *bodies, size_t i) {
    return rigid_is_still_surface(bodies, i) ? 0.0 : rigid_shape(bodies, i)->desc.shell;
}

/* The shortest side of the box around a partner, m; HUGE_VAL for a half space. */
static inline double rigid_size(const RigidBodies *bodies, size_t i) {
    if (rigid_is_still_surface(bodies, i)) return HUGE_VAL;
    if (bodies->options.plane) return bodies->cuts.data[i].shape.size;
    Box3 box = rigid_shape(bodies, i)->box;
    Vec3 size = vec3_sub(box.high, box.low);
    return fmin(size.x, fmin(size.y, size.z));
}

/* Of a ball, or in a plane of a disc, that is as large as a body, m. */
static inline double rigid_ball_radius(const RigidBodies *bodies, size_t i) {
    if (bodies->options.plane) return bodies->cuts.data[i].ball_radius;
    return rigid_shape(bodies, i)->ball_radius;
}

/* Of one inside a body, about the origin of its triangles or cut, m; 0: none is known. */
static inline double rigid_inner_radius(const RigidBodies *bodies, size_t i) {
    if (bodies->options.plane) return bodies->cuts.data[i].inner_radius;
    return rigid_shape(bodies, i)->inner_radius;
}

/* rad/s, of an angular momentum in world axes. */
static inline Vec3 rigid_spin(const RigidBodies *bodies, size_t i, Vec3 momentum) {
    BodyInertia inertia = rigid_inertia(bodies, i);
    return orientation_angular_velocity(&inertia, quat_load(bodies->orientation + 4 * i), momentum);
}

/* About the centre of mass, in world axes: R I0 R^T. */
static inline Mat3 rigid_world_inertia(const RigidBodies *bodies, size_t i) {
    Mat3 rotation = quat_to_mat3(quat_load(bodies->orientation + 4 * i));
    return mat3_multiply(mat3_multiply(rotation, mat3_load(bodies->inertia + 9 * i)),
                         mat3_transpose(rotation));
}

/* What a body has to keep to turn like this, about its centre: I omega. */
static inline Vec3 rigid_momentum(const RigidBodies *bodies, size_t i, Vec3 spin) {
    Vec3 momentum = mat3_apply(rigid_world_inertia(bodies, i), spin);
    return bodies->options.plane ? vec3(0, 0, momentum.z) : momentum;
}

static inline PinnedBody rigid_pinned_body(const RigidBodies *bodies, size_t i) {
    Quat turn = quat_load(bodies->orientation + 4 * i);
    return (PinnedBody){.held = bodies->held[i],
                        .mass = bodies->mass[i],
                        .inertia = rigid_world_inertia(bodies, i),
                        .arm = quat_rotate(turn, vec3_load(bodies->pin_arm + 3 * i))};
}

/* Kinetic energy of translation and rotation, J; 0 for bodies that forces do not move. */
double rigid_kinetic_energy(const RigidBodies *bodies, size_t i);

/* The orientation of a body that turns freely with this angular momentum, after dt. */
Quat rigid_turned(const RigidBodies *bodies, size_t i, Quat before, Vec3 momentum, double dt);

/* v*^{n+1/2} = v^n + dt/2 g, of one body. */
void rigid_predict_half(RigidBodies *bodies, size_t i, const StepInfo *step);

/* In view.c, measure.c, surfaces.c and mesh_surface.c. */
PlimStatus rigid_view_frame(const void *system, const StepInfo *step, FrameView *view);
PlimStatus rigid_diagnose(const void *system, const StepInfo *step, Diagnostics *diagnostics);
/* The bodies as others see them, and move them. */
extern const SurfaceClass rigid_surfaces;
extern const DofClass rigid_dofs;
extern const MeshSurfaceClass rigid_meshes;
enum { RIGID_QUANTITY_COUNT = 18 };
extern const ProbeQuantity rigid_quantities[RIGID_QUANTITY_COUNT];

#endif
