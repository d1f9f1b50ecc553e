/* Stages of the step and their names. */
#include "system/system.h"

const char *stage_name(Stage stage) {
    static const char *const names[STAGE_COUNT] = {
        [STAGE_PREDICT] = "predict",
        [STAGE_SOLVE_POSITIONS] = "solve_positions",
        [STAGE_COLLIDE] = "collide",
        [STAGE_CONTACT] = "contact",
        [STAGE_MOVE] = "move",
        [STAGE_ADVECT] = "advect",
        [STAGE_SOLVE_VELOCITIES] = "solve_velocities",
        [STAGE_FINISH] = "finish",
    };
    return names[stage];
}
