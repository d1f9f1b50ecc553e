/* The world: the clock, the systems in it, and what they share. */
#ifndef WORLD_WORLD_H
#define WORLD_WORLD_H

#include "base/array.h"
#include "couple/couple.h"
#include "plimsoll/world.h"
#include "rigid/bodies.h"
#include "system/system.h"

/* Who comes first in every stage: the lower. Equal ones in the order in which they were added. */
enum { ORDER_CLOCK = 0, ORDER_SOLIDS = 100, ORDER_FLUIDS = 200, ORDER_SPLASHES = 300 };

/* Time and step count, in a schema of their own so that they are saved like everything else. */
typedef struct WorldClock {
    StateSize sizes[1];
    double *time;   /* s */
    uint64_t *step; /* steps taken since t = 0 */
} WorldClock;

/* One column group of probes.csv. */
typedef struct WorldProbe {
    char *name;
    const void *system;
    const ProbeQuantity *quantity;
    size_t object;
} WorldProbe;

struct PlimWorld {
    PlimContext *context;
    PlimWorldDesc desc;
    Scratch scratch;
    WorldClock clock;
    ARRAY(SystemInstance) systems; /* in the order of the stages: the clock first */
    RigidBodies *rigid;
    Coupling *coupling;
    Diagnostics diagnostics;
    double stage_seconds[STAGE_COUNT]; /* wall time of the last step */
    ARRAY(WorldProbe) probes;
};

/* Puts a system into the world, which owns `object` from now on, also when this fails. `name` NULL:
 * alone of its kind, under the name of its class. PLIM_BAD_INPUT when the name is taken. */
PlimStatus world_add_system(PlimWorld *world, const char *name, const SystemClass *class,
                            void *object, int order);

/* The object of the first system of a class, or of the one that is called `name`; NULL: none. */
void *world_find_system(const PlimWorld *world, const SystemClass *class, const char *name);

/* Describes a step from the present time; dt 0 where no step is meant. */
StepInfo world_step_info(PlimWorld *world, double dt);

/* ---- ahead and back (000 section 6.6); system/save.h keeps what to come back to ---- */

/* The substep that leads from the present state, which is that of `time`, towards `until`: dt of
 * all limits and the end of the frame. `time` is the clock's, or later where systems were run
 * ahead. Takes no step. */
PlimStatus world_choose_step(PlimWorld *world, double time, double until, StepInfo *step);

/* Runs the stages of a step in some systems: those whose place in `takes_part`, one for each system
 * in their order, is true; NULL: all. The clock stands still and wall times stay those of the last
 * step taken: who runs systems ahead brings them back. */
PlimStatus world_run_systems(PlimWorld *world, const bool *takes_part, const StepInfo *step);

/* Recomputes what is derived from the state, in every system. */
PlimStatus world_refresh(PlimWorld *world);

/* Pairs of faces of sheets and soft bodies that cross or touch, exactly. */
PlimStatus world_count_crossings(PlimWorld *world, size_t *count);

/* What to look at now. The arrays live until scratch_release(&world->scratch, mark) with a mark
 * taken before the call. */
PlimStatus world_view_frame(PlimWorld *world, FrameView *view);

/* ---- probes ---- */

/* Adds the quantity of the object as probe `name`. `system` is the name of the one that has it;
 * NULL: whichever does. PLIM_BAD_INPUT, with the known names in the message, when the object or its
 * quantity does not exist, or several systems of a kind have it. */
PlimStatus world_add_probe(PlimWorld *world, const char *name, const char *system,
                           const char *object, const char *quantity);

/* Components of all probes together, and their values in the order of the columns. */
size_t world_probe_value_count(const PlimWorld *world);
void world_probe_values(const PlimWorld *world, double *values);

#endif
