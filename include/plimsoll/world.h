/* A world holds systems and steps them together. You own the loop:
 *
 *     PlimWorldDesc desc = plim_world_desc_default();
 *     plim_world_create(context, &desc, &world);
 *     plim_rigid_add(world, &body, &id);
 *     while (plim_world_time(world) < 1.0) plim_world_step(world, 1.0 / 240.0);
 */
#ifndef PLIMSOLL_WORLD_H
#define PLIMSOLL_WORLD_H

#include "plimsoll/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PlimWorld PlimWorld;
typedef struct PlimSnapshot PlimSnapshot;

typedef struct PlimWorldDesc {
    double gravity[3]; /* m/s^2, default (0, -9.81, 0) */
    double max_dt;     /* s, longest substep plim_world_advance takes; 0 (default): no limit */
} PlimWorldDesc;

PLIM_API PlimWorldDesc plim_world_desc_default(void);
PLIM_API PlimStatus plim_world_create(PlimContext *context, const PlimWorldDesc *desc,
                                      PlimWorld **out);
PLIM_API void plim_world_destroy(PlimWorld *world);

/* One step of exactly `dt` > 0 seconds. PLIM_FAILED, with step, system and array in the message,
 * when a value is no longer finite; the world then keeps the broken state for inspection. */
PLIM_API PlimStatus plim_world_step(PlimWorld *world, double dt);

/* Equal substeps, none longer than max_dt, that end exactly at time `until`. */
PLIM_API PlimStatus plim_world_advance(PlimWorld *world, double until);
/* The next one of those substeps alone: call it until plim_world_time() == until. */
PLIM_API PlimStatus plim_world_substep(PlimWorld *world, double until);

PLIM_API double plim_world_time(const PlimWorld *world);    /* s */
PLIM_API uint64_t plim_world_steps(const PlimWorld *world); /* taken since t = 0 */

/* A number that is equal for two worlds exactly when all their state is, to the bit (up to the odds
 * of 1 in 2^64). */
PLIM_API uint64_t plim_world_hash(const PlimWorld *world);

/* All state in memory. Restoring needs a world with the same bodies. */
PLIM_API PlimStatus plim_snapshot_create(PlimWorld *world, PlimSnapshot **out);
PLIM_API PlimStatus plim_snapshot_restore(PlimWorld *world, const PlimSnapshot *snapshot);
PLIM_API void plim_snapshot_destroy(PlimSnapshot *snapshot);

/* Overwrites every cache and derived value and computes it again. Changes no result. */
PLIM_API PlimStatus plim_world_drop_caches(PlimWorld *world);

/* The figures of the last step, as in stats.csv: "energy.kinetic", "momentum.x", ... An index
 * beyond them has the name NULL and the value NaN. */
PLIM_API size_t plim_world_figure_count(const PlimWorld *world);
PLIM_API const char *plim_world_figure_name(const PlimWorld *world, size_t index);
PLIM_API double plim_world_figure(const PlimWorld *world, size_t index);
/* Computes them for the present state. */
PLIM_API PlimStatus plim_world_measure(PlimWorld *world);

#ifdef __cplusplus
}
#endif
#endif
