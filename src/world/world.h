/* The world: the clock, the systems in it, and what they share. */
#ifndef WORLD_WORLD_H
#define WORLD_WORLD_H

#include "base/array.h"
#include "fluid/fluid.h"
#include "plimsoll/world.h"
#include "rigid/bodies.h"
#include "splash/splash.h"
#include "system/system.h"

typedef struct WorldSystem {
    const SystemClass *class;
    void *object;
} WorldSystem;

enum { WORLD_SYSTEM_CAPACITY = 8 };

/* Time and step count, in a schema of their own so that they are saved like everything else. */
typedef struct WorldClock {
    StateSize sizes[1];
    double *time;   /* s */
    uint64_t *step; /* steps taken since t = 0 */
} WorldClock;

/* One column group of probes.csv. */
typedef struct WorldProbe {
    char *name;
    const WorldSystem *system;
    const ProbeQuantity *quantity;
    size_t object;
} WorldProbe;

struct PlimWorld {
    PlimContext *context;
    PlimWorldDesc desc;
    Scratch scratch;
    WorldClock clock;
    WorldSystem
        systems[WORLD_SYSTEM_CAPACITY]; /* the clock first, then in the order of the stages */
    size_t system_count;
    RigidBodies *rigid;
    Fluid *fluid;   /* NULL: none */
    Splash *splash; /* NULL: none */
    Diagnostics diagnostics;
    double stage_seconds[STAGE_COUNT]; /* wall time of the last step */
    ARRAY(WorldProbe) probes;
};

/* Puts a fluid into a world that has none. */
PlimStatus world_add_fluid(PlimWorld *world, const FluidDesc *desc);

/* Puts a splashing liquid into a world that has none. */
PlimStatus world_add_splash(PlimWorld *world, const SplashDesc *desc);

/* Describes a step from the present time; dt 0 where no step is meant. */
StepInfo world_step_info(PlimWorld *world, double dt);

/* Recomputes what is derived from the state, in every system. */
PlimStatus world_refresh(PlimWorld *world);

/* What to look at now. The arrays live until scratch_release(&world->scratch, mark) with a mark
 * taken before the call. */
PlimStatus world_view_frame(PlimWorld *world, FrameView *view);

/* ---- probes ---- */

/* Adds the quantity of the object as probe `name`. PLIM_BAD_INPUT, with the known names in the
 * message, when the object or its quantity does not exist. */
PlimStatus world_add_probe(PlimWorld *world, const char *name, const char *object,
                           const char *quantity);

/* Components of all probes together, and their values in the order of the columns. */
size_t world_probe_value_count(const PlimWorld *world);
void world_probe_values(const PlimWorld *world, double *values);

#endif
