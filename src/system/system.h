/* What a system is: arrays in a schema and functions for the stages of the step it takes part in.
 * Systems are siblings: they meet only through what is declared in this folder. */
#ifndef SYSTEM_SYSTEM_H
#define SYSTEM_SYSTEM_H

#include "base/scratch.h"
#include "base/state.h"
#include "math/vec.h"
#include "system/diagnostics.h"
#include "system/frame_view.h"

/* The stages in order; world/step.c tells what holds after each. */
typedef enum Stage {
    STAGE_PREDICT,
    STAGE_SOLVE_POSITIONS,
    STAGE_COLLIDE,
    STAGE_CONTACT,
    STAGE_MOVE,
    STAGE_ADVECT,
    STAGE_SOLVE_VELOCITIES,
    STAGE_FINISH,
    STAGE_COUNT
} Stage;

const char *stage_name(Stage stage);

/* What the stages of one step share. */
typedef struct StepInfo {
    PlimContext *context;
    Scratch *scratch;
    int threads;
    double time;     /* s, at the start of the step: t^n */
    double end_time; /* s, t^{n+1}; not always time + dt to the last bit: frames end exactly */
    double dt;       /* s */
    Vec3 gravity;
} StepInfo;

/* Something that can be measured on an object of a system. */
typedef struct ProbeQuantity {
    const char *name;       /* "angular_velocity" */
    const char *components; /* one letter each, "xyz", "wxyz"; "" for a scalar */
    const char *unit;
    void (*read)(const void *system, size_t object, double *values);
    bool (*applies)(const void *system, size_t object); /* NULL: to every object */
} ProbeQuantity;

/* Plain memory of a system's object, no pointers, in which the last step left figures for
 * stats.csv: counts, iterations, residuals. No later bit depends on them, so they are no state. */
typedef struct SystemFigures {
    size_t offset, size; /* bytes */
} SystemFigures;

#define SYSTEM_FIGURES(Type, member)                                                               \
    { offsetof(Type, member), sizeof((Type){0}.member) }

/* What a system is to others, each in its header: surfaces (surface.h), velocities that are solved
 * for with those of others (dofs.h), a fluid that is solved with solids (flow.h), a liquid that
 * pushes bodies by its own solve (push.h), surfaces of nodes and faces (mesh_surface.h). */
typedef struct SurfaceClass SurfaceClass;
typedef struct DofClass DofClass;
typedef struct FlowClass FlowClass;
typedef struct ContactClass ContactClass;
typedef struct PushClass PushClass;
typedef struct MeshSurfaceClass MeshSurfaceClass;

/* The method table of a system. Any function may be absent. */
typedef struct SystemClass {
    const char *name; /* group in state files, subject of messages */
    const StateSchema *schema;
    const SystemFigures *figures; /* saved with the state: a step thrown away leaves none */
    size_t figure_count;
    /* The longest step it can take from here, s; HUGE_VAL: any. step->dt is the one that is wanted.
     */
    double (*max_dt)(const void *system, const StepInfo *step);
    PlimStatus (*stage[STAGE_COUNT])(void *system, const StepInfo *step);
    void (*destroy)(void *system);
    /* Recomputes everything derived from the state: after creation, restore, or dropped caches. */
    PlimStatus (*refresh)(void *system, const StepInfo *step);
    PlimStatus (*diagnose)(const void *system, const StepInfo *step, Diagnostics *diagnostics);
    /* What to look at; arrays stay valid until the scratch memory is released. */
    PlimStatus (*view_frame)(const void *system, const StepInfo *step, FrameView *view);
    const SurfaceClass *surfaces;
    const DofClass *dofs;
    const FlowClass *flow;
    const ContactClass *contact;
    const PushClass *push;
    const MeshSurfaceClass *meshes;
    const ProbeQuantity *quantities;
    size_t quantity_count;
    size_t (*object_count)(const void *system);
    const char *(*object_name)(const void *system, size_t object);
    size_t (*find_object)(const void *system, const char *name); /* SIZE_MAX: none */
} SystemClass;

/* A system of a world. */
typedef struct SystemInstance {
    char *name;    /* of the instance, no other's in the world; group in state files */
    bool is_named; /* else it has the name of its class, and the plain names of figures */
    const SystemClass *class;
    void *object;
    int order;
} SystemInstance;

#endif
