/* What the files of couple/ share. */
#ifndef COUPLE_INTERNAL_H
#define COUPLE_INTERNAL_H

#include "couple/couple.h"
#include "solve/coupled/coupled.h"
#include "system/mesh_surface.h"

/* A system with velocities, and its offer. */
typedef struct GatheredSystem {
    const SystemInstance *instance;
    SystemDofs dofs;
    size_t first, first_block; /* among all */
} GatheredSystem;

/* A mass block of any system. */
typedef struct GatheredBlock {
    size_t system, own; /* which, and the number of the block in it */
    size_t first;       /* velocity, among all */
    size_t root;        /* of the blocks that rows and dampers join, the first of them */
    bool is_joined;     /* by a row or damper that has other blocks in it, or any damper */
    bool is_rowed;      /* some row or damper has it */
    bool is_wet;        /* solved with a fluid at this `when` */
} GatheredBlock;

/* All that systems offer at one moment, numbered through. */
typedef struct Gathered {
    PlimContext *context;
    ARRAY(GatheredSystem) systems; /* kept for their memory: only `system_count` are in use */
    size_t system_count;
    ARRAY(DofPartner) partners;
    ARRAY(GatheredBlock) blocks;
    ARRAY(size_t) block_of; /* velocity */
    DofRows joins;          /* columns through all */
    ARRAY(double) velocity; /* v*, and then v */
    ARRAY(bool) is_solved;  /* one a block */
} Gathered;

/* One row of the offers, by numbers through all; `value` borrows. */
typedef struct GatheredRow {
    size_t count, offset; /* add to columns */
    const int32_t *column;
    const double *value;
    double target;
} GatheredRow;

typedef enum RowSet { ROWS_HELD, ROWS_DAMPED } RowSet;

/* Asks the systems for their offers. */
PlimStatus gather_offers(Gathered *gathered, const CoupledSystems *systems, const StepInfo *step,
                         SolveWhen when);
/* Hands back what blocks in `is_solved` found, `by_flow`: in a solve with a fluid. */
void gather_hand_back(Gathered *gathered, const StepInfo *step, SolveWhen when, bool by_flow);
/* The same, of blocks that a liquid pushed by so much momentum, by numbers through all. */
void gather_hand_back_pushed(Gathered *gathered, const StepInfo *step, SolveWhen when,
                             const double *pushed);
void gathered_free(Gathered *gathered, PlimContext *context);
/* Calls `visit` for every row of a set: those of the systems, then those between them. */
typedef void (*RowVisit)(void *user, const GatheredRow *row);
void gathered_rows(const Gathered *gathered, RowSet set, RowVisit visit, void *user);
/* The block of the surface's velocities. */
size_t gathered_block_of_surface(const Gathered *gathered, const SurfaceRef *ref);

static inline const MassBlock *gathered_mass(const Gathered *gathered, size_t block) {
    const GatheredBlock *b = &gathered->blocks.data[block];
    return &gathered->systems.data[b->system].dofs.blocks.data[b->own];
}

static inline const double *gathered_before(const Gathered *gathered, size_t block) {
    const GatheredBlock *b = &gathered->blocks.data[block];
    const GatheredSystem *system = &gathered->systems.data[b->system];
    return system->dofs.velocity.data + (b->first - system->first);
}

static inline const double *gathered_fall(const Gathered *gathered, size_t block) {
    const GatheredBlock *b = &gathered->blocks.data[block];
    const GatheredSystem *system = &gathered->systems.data[b->system];
    return system->dofs.fall.data + (b->first - system->first);
}

static inline const double *gathered_impulse(const Gathered *gathered, size_t block) {
    const GatheredBlock *b = &gathered->blocks.data[block];
    const GatheredSystem *system = &gathered->systems.data[b->system];
    return system->dofs.impulse.data + (b->first - system->first);
}

#define NO_BLOCK SIZE_MAX

/* The structure in one fluid's solve: the surfaces in their order, a block each, then all blocks
 * that are joined with them. */
typedef struct FlowAssembly {
    PlimContext *context;
    const Gathered *gathered;
    FlowOffer *offer;
    ARRAY(MassBlock) blocks;
    ARRAY(size_t) source;   /* of each block: that of the gathered ones; NO_BLOCK: given */
    ARRAY(size_t) block_of; /* of each velocity here: its block */
    ARRAY(int32_t) local;   /* of each gathered block: its block here; -1: none */
    ARRAY(bool) is_reached; /* of each gathered root: what it joins has a surface here */
    ARRAY(double) momentum, velocity, impulse, through, target;
    ARRAY(FlowFlux) fluxes;
    CsrBuilder flux_rows, rows, dampers;
    FlowStructure structure;
    bool has_contact; /* rows of contact are among those that hold */
    Csr flux_csr, row_csr, damper_csr;
    bool failed;
} FlowAssembly;

/* flow_rows.c: sets structure, fluxes and surfaces of the problem. */
PlimStatus flow_assemble(FlowAssembly *assembly, const Gathered *gathered, FlowOffer *offer,
                         SolveWhen when);
void flow_assembly_free(FlowAssembly *assembly, PlimContext *context);

/* push_bodies.c: what a liquid with a bounded pressure does to bodies in a stage. */
PlimStatus couple_push_bodies(Coupling *coupling, const CoupledSystems *systems, Stage stage,
                              const StepInfo *step);

/* lubrication.c: dampers of films thinner than a cell. */
void couple_add_lubrication(FlowAssembly *assembly, SolveWhen when);

/* dry_solve.c: what no fluid touches. */
typedef struct DrySolve {
    Coupled *coupled;
    uint64_t pattern; /* of what it was made for */
    double speed;     /* m/s, the scale of its tolerances */
    ARRAY(size_t) blocks;
    ARRAY(double) mass, before, found, target;
    CsrBuilder rows, dampers;
    ARRAY(int32_t) local; /* of each velocity of all; -1: none */
    size_t velocity_count;
    int iterations;
} DrySolve;

PlimStatus dry_solve(DrySolve *dry, Gathered *gathered, const StepInfo *step);
void dry_solve_free(DrySolve *dry, PlimContext *context);

/* collide.c: surfaces of nodes and faces. */
typedef struct MeshPart {
    const MeshSurfaceClass *class;
    void *system;
    size_t first, node_count, first_face, face_count; /* among all */
    int32_t first_surface;
    bool solves_pairs;
} MeshPart;

typedef struct MeshCoupling {
    MeshCollision *collision; /* NULL: nobody has any */
    bool is_made, knows_crossings, has_warned;
    int dim;
    size_t node_count;
    ARRAY(MeshPart) parts;
    ARRAY(Vec3) x0, x1, wall, pushed_out;
    ARRAY(double) inverse_mass;
    ARRAY(int32_t) kind;
    ARRAY(CollisionPair) pairs; /* of one system, for its solve */
    bool solves_pairs;          /* some system does */
    CollisionFigures figures;
} MeshCoupling;

void mesh_coupling_free(MeshCoupling *meshes, PlimContext *context);
/* Hands pairs that may meet in the step to the systems whose solves keep them apart. */
PlimStatus couple_find_pairs(Coupling *coupling, const CoupledSystems *systems,
                             const StepInfo *step);
PlimStatus couple_collide(Coupling *coupling, const CoupledSystems *systems, const StepInfo *step);
PlimStatus couple_collide_velocities(Coupling *coupling, const CoupledSystems *systems,
                                     const StepInfo *step);
void couple_collide_diagnose(const Coupling *coupling, const CoupledSystems *systems,
                             Diagnostics *diagnostics);

struct Coupling {
    PlimContext *context;
    MeshCoupling meshes;
    Gathered gathered;
    FlowAssembly assembly;
    DrySolve dry;
    bool touches;                    /* contact has begun: its rows are among those of the solves */
    bool takes_turns;                /* which rows hold is decided in the solve */
    int round;                       /* of turns, from 0 */
    ARRAY(double) gain;              /* of each gathered velocity: what a fluid gave, N s */
    ARRAY(double) kept[3], found[3]; /* u*, and u of the last turn */
    CoupleWatch watch;
    void *watch_user;
};

/* contact.c: contact in solves with a fluid. */
PlimStatus couple_contact_begin(Coupling *coupling, const CoupledSystems *systems,
                                const StepInfo *step, SolveWhen when);
PlimStatus couple_contact_end(Coupling *coupling, const CoupledSystems *systems,
                              const StepInfo *step, SolveWhen when);
/* Whether solids that a fluid moves have just bounced. */
bool couple_bounced(const CoupledSystems *systems, const StepInfo *step);
/* Begins the turns of a solve with a fluid. */
PlimStatus couple_turns_begin(Coupling *coupling, const CoupledSystems *systems,
                              const FlowOffer *offer);
/* After a turn: contact and rows with what the fluid did in it. `speed`, m/s, is what the solve
 * left. True: that is what the solve had been told, or there is no further turn. */
PlimStatus couple_settle(Coupling *coupling, const StepInfo *step, SolveWhen when, double speed,
                         bool *agrees);
/* Whether the next turn is the last there may be. */
bool couple_turn_is_last(const Coupling *coupling);
/* Goes back to u* before the next turn; that begins from what this one found. */
void couple_restore_flow(Coupling *coupling, FlowOffer *offer);

#endif
