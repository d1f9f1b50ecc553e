/* Viscosity, split from the pressure (002 section 5.7). */
#ifndef FLUID_VISCOUS_H
#define FLUID_VISCOUS_H

#include "fluid/fluid.h"

typedef struct FluidViscous {
    Viscosity *solver;    /* NULL: the fluid has no viscosity */
    double *of_cell;      /* Pa s; NULL: the same everywhere */
    double *gain[3];      /* m/s, the explicit part of viscosity in this step */
    double implicit_part; /* of viscosity in this step, 1/2 to 1 */
    SolveResult result;   /* the last solve */
} FluidViscous;

/* Before velocities are carried: the explicit part of viscosity. */
PlimStatus fluid_begin_diffusion(Fluid *fluid, const StepInfo *step);
PlimStatus fluid_diffuse(Fluid *fluid, const StepInfo *step);
/* After the projection that follows. */
void fluid_end_diffusion(Fluid *fluid, const StepInfo *step);

/* Around the coupled solve of a liquid: what the pressure there is, that of the last step, does to
 * what the solve's own does not reach; and that of dragged faces alone, `sign` times: taken out
 * again, and that of the pressure found put in. */
void fluid_push_by_last_pressure(Fluid *fluid, const StepInfo *step);
void fluid_drag_by_pressure(Fluid *fluid, const StepInfo *step, double sign);

/* Faces that no cell of liquid is beside, but that have liquid in the box around them, next to one
 * that is wet: pressure does not know them, viscosity moves them. */
bool fluid_face_is_dragged(const Fluid *fluid, int axis, const int at[3]);
/* Wet or dragged: what has a velocity of its own. */
bool fluid_face_is_moved(const Fluid *fluid, int axis, const int at[3]);
/* The mean velocity of the face's neighbours that liquid touches; 0: none. */
double fluid_velocity_beside(const Fluid *fluid, int axis, const int at[3]);
ViscosityProblem fluid_viscosity_problem(const Fluid *fluid);
PlimStatus fluid_set_up_viscosity(Fluid *fluid, const StepInfo *step);

#endif
