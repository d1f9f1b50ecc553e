/* Free surface of a liquid: what is liquid, air and solid, and how the level set and velocities go
 * on beyond the liquid (000 section 4.5).
 *
 * The level set is state as it was carried. What all else looks at is made of it anew whenever it
 * or the colliders have changed: inside colliders it goes on from outside, for cells that a
 * collider cuts may have their middle there. Velocities are kept on faces that liquid touches; in
 * the air they are 0, and what the surface is carried with is continued from the liquid at the
 * start of each step. */
#include "fluid/boundary.h"
#include "fluid/internal.h"
#include "fluid/leapfrog.h"
#include "grid/extend.h"
#include "grid/extend_divergence_free.h"
#include "grid/liquid_fraction.h"
#include "grid/redistance.h"

#include <string.h>

/* ---- the level set with halo ---- */

static const GridField *cell_phi(const Fluid *fluid) {
    return fluid->liquid.phi.place == PLACE_CELLS ? &fluid->liquid.phi
                                                  : &fluid->liquid.phi_of_cells;
}

typedef struct CenterJob {
    Fluid *fluid;
} CenterJob;

static void nodes_to_cells_row(void *user, int j, int k) {
    Fluid *fluid = ((const CenterJob *)user)->fluid;
    const GridField *nodes = &fluid->liquid.phi;
    int corners = 1 << fluid->grid.dim;
    for (int i = 0; i < fluid->grid.n[0]; i++) {
        double sum = 0;
        for (int c = 0; c < corners; c++)
            sum += nodes->data[field_index(nodes, i + (c & 1), j + (c >> 1 & 1), k + (c >> 2))];
        fluid->liquid.phi_of_cells.data[field_index(&fluid->liquid.phi_of_cells, i, j, k)] =
            sum / corners;
    }
}

PlimStatus fluid_load_phi(Fluid *fluid, const StepInfo *step) {
    field_load(&fluid->liquid.phi, step->threads, fluid->liquid.level);
    if (fluid->colliders.list.count > 0) TRY(fluid_continue_phi(fluid, step));
    fluid_fill_level(fluid, &fluid->liquid.phi, step->threads);
    if (fluid->liquid.phi.place == PLACE_CELLS) return PLIM_OK;
    CenterJob job = {fluid};
    grid_for_rows(&fluid->grid, PLACE_CELLS, step->threads, nodes_to_cells_row, &job);
    field_fill_halo(&fluid->liquid.phi_of_cells, step->threads);
    return PLIM_OK;
}

/* ---- what is liquid ---- */

static void mark_row(void *user, int j, int k) {
    Fluid *fluid = user;
    for (int i = 0; i < fluid->grid.n[0]; i++) {
        size_t cell = grid_cell_index(&fluid->grid, i, j, k);
        if (fluid->cut.kind[cell] == CELL_SOLID) continue;
        fluid->cut.kind[cell] = fluid->liquid.cell_level[cell] < 0 ? CELL_FLUID : CELL_AIR;
    }
}

double fluid_liquid_volume(const Fluid *fluid) {
    double sum = 0;
    size_t cells = grid_cell_count(&fluid->grid);
    for (size_t i = 0; i < cells; i++) sum += fluid->liquid.fraction[i];
    return sum * grid_cell_volume(&fluid->grid);
}

/* In the coupled solve cells that count as air though their middle is in the liquid, as enclosed
 * and separated ones do, hold nothing that friction would hang on bodies. */
static void dry_emptied_cells(Fluid *fluid) {
    size_t cells = grid_cell_count(&fluid->grid), corners = (size_t)1 << fluid->grid.dim;
    for (size_t i = 0; fluid->coupled.solver && i < cells; i++)
        if (fluid->cut.kind[i] == CELL_AIR && fluid->liquid.cell_level[i] < 0)
            memset(fluid->liquid.wet_corners + i * corners, 0,
                   corners * sizeof *fluid->liquid.wet_corners);
}

PlimStatus fluid_find_liquid(Fluid *fluid, const StepInfo *step) {
    fluid_forget_separated(fluid);
    TRY(fluid_load_phi(fluid, step));
    fluid_close_vents(fluid);
    field_store(cell_phi(fluid), step->threads, fluid->liquid.cell_level);
    grid_for_rows(&fluid->grid, PLACE_CELLS, step->threads, mark_row, fluid);
    fluid_empty_enclosed_cells(fluid);
    fluid_mark_separated(fluid);
    TRY(fluid_open_vents(fluid, step));
    liquid_fractions(&fluid->liquid.phi,
                     fluid->colliders.list.count > 0 ? fluid->cut.distance : NULL, step->threads,
                     fluid->liquid.fraction);
    if (fluid->liquid.wet_corners) {
        liquid_fractions_of_corners(&fluid->liquid.phi, step->threads, fluid->liquid.wet_corners);
        dry_emptied_cells(fluid);
    }
    size_t cells = grid_cell_count(&fluid->grid);
    fluid->cut.fluid_cells = 0;
    for (size_t i = 0; i < cells; i++) fluid->cut.fluid_cells += fluid->cut.kind[i] == CELL_FLUID;
    return fluid_set_up_viscosity(fluid, step);
}

PlimStatus fluid_settle_surface(Fluid *fluid, const StepInfo *step) {
    TRY(fluid_pour(fluid, step));
    TRY(fluid_find_liquid(fluid, step));
    fluid_balance_account(fluid, step);
    return PLIM_OK;
}

static PlimStatus no_liquid(const Fluid *fluid) {
    return context_fail(fluid->context, PLIM_BAD_INPUT,
                        "there is no liquid in the %s's domain at t = 0, and no source or side "
                        "that brings any; move its shapes into the domain, or give them a cell or "
                        "more of thickness (%g m)",
                        fluid->desc.name, fluid->grid.spacing);
}

/* The first time: distances from what the scene gave, and particles. */
static PlimStatus begin_surface(Fluid *fluid, const StepInfo *step) {
    TRY(fluid_load_phi(fluid, step));
    TRY(field_redistance(&fluid->liquid.phi, fluid->liquid.phi_band, fluid->liquid.parted,
                         step->threads, step->scratch));
    field_store(&fluid->liquid.phi, step->threads, fluid->liquid.level);
    TRY(fluid_check_pouring(fluid));
    TRY(fluid_seed_particles(fluid, step));
    TRY(fluid_find_liquid(fluid, step));
    if (fluid->cut.fluid_cells == 0 && !fluid_is_fed(fluid)) return no_liquid(fluid);
    fluid->liquid.account[FLUID_ACCOUNT_WANTED] = fluid_liquid_volume(fluid);
    return PLIM_OK;
}

PlimStatus fluid_refresh_surface(Fluid *fluid, const StepInfo *step) {
    if (fluid->liquid.tally[FLUID_TALLY_DRAWS] == 0) TRY(begin_surface(fluid, step));
    return fluid_find_liquid(fluid, step);
}

/* ---- velocities beyond the liquid ---- */

bool fluid_is_on_given_side(const Grid *grid, int axis, int at) {
    if (at != 0 && at != grid->n[axis]) return false;
    SideKind kind = grid->sides[axis][at > 0];
    return kind == SIDE_WALL || kind == SIDE_INFLOW;
}

typedef struct KnownJob {
    const Fluid *fluid;
    int axis;
    unsigned char *known;
} KnownJob;

static void known_row(void *user, int j, int k) {
    const KnownJob *job = user;
    const Fluid *fluid = job->fluid;
    int axis = job->axis, nx = grid_place_size(&fluid->grid, grid_place_faces(axis), 0);
    const double *open = fluid->cut.open[axis];
    for (int i = 0; i < nx; i++) {
        int at[3] = {i, j, k};
        size_t face = grid_face_index(&fluid->grid, axis, i, j, k);
        bool passes = !open || open[face] > FLUID_CARRIES;
        job->known[face] = fluid_is_on_given_side(&fluid->grid, axis, at[axis]) ||
                           (passes && fluid_face_is_wet(fluid, axis, at));
    }
}

/* Constant along the normal, then without divergence nearest to the liquid. */
PlimStatus fluid_extend_faces(Fluid *fluid, const StepInfo *step) {
    const double balanced = 2; /* cells */
    const Grid *grid = &fluid->grid;
    size_t mark = scratch_mark(step->scratch);
    unsigned char *known[3] = {NULL, NULL, NULL};
    GridField *faces[3] = {&fluid->advect.faces[0], &fluid->advect.faces[1],
                           &fluid->advect.faces[2]};
    double band = fluid->desc.liquid.extension * grid->spacing;
    for (int axis = 0; axis < grid->dim; axis++) {
        known[axis] = scratch_take(step->scratch, grid_face_count(grid, axis), 1);
        if (!known[axis]) return PLIM_OUT_OF_MEMORY;
        KnownJob job = {fluid, axis, known[axis]};
        grid_for_rows(grid, grid_place_faces(axis), step->threads, known_row, &job);
        TRY(field_extend(faces[axis], known[axis], cell_phi(fluid),
                         fluid->liquid.parted_faces[axis], band, 0, step->threads, step->scratch));
    }
    PlimStatus status = fields_extend_divergence_free(
        faces, cell_phi(fluid), known, fluid->cut.open, balanced * grid->spacing, step->scratch);
    fluid_let_air_in(fluid);
    scratch_release(step->scratch, mark);
    return status;
}

static void still_row(void *user, int j, int k) {
    const FluidAxis *job = user;
    Fluid *fluid = job->fluid;
    int axis = job->axis, nx = grid_place_size(&fluid->grid, grid_place_faces(axis), 0);
    double *u = fluid_velocity(fluid, axis) + grid_face_index(&fluid->grid, axis, 0, j, k);
    for (int i = 0; i < nx; i++) {
        int at[3] = {i, j, k};
        if (!fluid_face_is_moved(fluid, axis, at) &&
            !fluid_is_on_given_side(&fluid->grid, axis, at[axis]))
            u[i] = 0;
    }
}

static void still_air(Fluid *fluid, const StepInfo *step) {
    for (int axis = 0; axis < fluid->grid.dim; axis++) {
        FluidAxis job = {fluid, axis};
        grid_for_rows(&fluid->grid, grid_place_faces(axis), step->threads, still_row, &job);
    }
}

PlimStatus fluid_settle_velocity(Fluid *fluid, const StepInfo *step) {
    if (!fluid_has_surface(fluid)) return PLIM_OK;
    TRY(fluid_separate_walls(fluid, step));
    still_air(fluid, step);
    fluid_keep_change(fluid, step);
    return PLIM_OK;
}
