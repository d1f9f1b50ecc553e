/* Cut cells: how colliders lie in the grid (002 section 5.4.1). */
#ifndef FLUID_CUT_H
#define FLUID_CUT_H

#include "fluid/fluid.h"

enum { FLUID_BAND = 4 }; /* cells: distances are exact up to here */

/* A face that is opened a little to let liquid out of a closed region (vents.c). */
typedef struct Vent {
    size_t cell;
    bool is_film; /* the cell was solid */
    int axis;
    size_t face;
    double open, distance; /* as they were */
} Vent;

typedef struct FluidCut {
    unsigned char *kind, *fresh; /* of cells: CellKind; 1: was solid in the last step */
    double *distance;            /* of nodes from the nearest collider, to FLUID_BAND cells */
    double *still_distance;      /* the same from obstacles alone, which never changes */
    GridField cell_distance;
    double *face_distance[3]; /* only with viscosity */
    double *open[3];          /* part of each face outside colliders */
    double *part;             /* of each cell outside colliders, where known; only of liquids */
    unsigned char *stale;     /* marks of parts (cut_volumes.c) */
    size_t fluid_cells;
    ARRAY(Vent) vents;
} FluidCut;

/* Reads the bodies' places (fluid_read_places), then cuts the grid anew if anything moved or
 * `always`. */
PlimStatus fluid_update_geometry(Fluid *fluid, const StepInfo *step, bool always);
/* In thin_gaps.c: closes cells between a free body and something less than a cell away. */
PlimStatus fluid_close_thin_gaps(Fluid *fluid, const StepInfo *step);
/* In enclosed_cells.c: small pockets between bodies hold no pressure. */
void fluid_empty_enclosed_cells(Fluid *fluid);
/* In vents.c: takes ways through films out of closed regions back, and finds them. */
void fluid_close_vents(Fluid *fluid);
PlimStatus fluid_open_vents(Fluid *fluid, const StepInfo *step);
/* In cut_volumes.c: the part of a cell outside colliders, found when it is first asked for. Cells
 * may be asked for in parallel, each by one thread. */
double fluid_cell_part(const Fluid *fluid, const int at[3]);
/* The part of a cell that one collider fills, of this number in the list, whatever others do. */
double fluid_part_of_collider(const Fluid *fluid, const int at[3], size_t collider);
/* Has parts found anew, `always` all of them, else where a collider moved. */
void fluid_forget_parts(Fluid *fluid, bool always);
/* In thin_walls.c: tells of what is too thin for the grid to hold a liquid. */
void fluid_name_thin_walls(const Fluid *fluid);
/* The first thing wrong with the grid as it was just cut, as text, or NULL: apertures outside 0 to
 * 1, cells whose kind does not go with their faces. */
const char *fluid_cut_problem(const Fluid *fluid);
/* The part of a face that moves with a collider in which there is fluid. */
double fluid_covered_fraction(const Fluid *fluid, int axis, int i, int j, int k);
/* The part of a face outside colliders, by the distances at its corners alone. */
double fluid_face_aperture(const Fluid *fluid, int axis, int i, int j, int k);
/* Whether a cell on either side of a face has fluid in it. */
bool fluid_face_is_wet(const Fluid *fluid, int axis, const int at[3]);
/* First moment of the open part of a cut face about its middle, over its area, m. */
Vec3 fluid_aperture_moment(const Fluid *fluid, int axis, int i, int j, int k);

#endif
