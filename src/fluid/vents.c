/* Vents: liquid that touching bodies close in keeps the pressure of the liquid around.
 *
 * Under a slab on two bricks, between a plank and the wall it leans on, in the gaps of a pile the
 * liquid has no way out through the grid, and nothing in its equations tells its pressure but for a
 * constant: it would be near that of the air, and the liquid outside would press everything
 * together. But bodies that touch leave a film between them (shared_cells.c), and it leads out. So
 * each closed region gets a way along the shortest films to another one: faces open by a little,
 * through which nothing flows at rest. A region that films join with nothing stays as it is, and so
 * does one beside which there is air: what is dry inside is not flooded. */
#include "fluid/internal.h"
#include "grid/periodic.h"

#include <string.h>

/* Of a face: what is open of it. Less, and the liquid would have to be faster where bodies move. */
static const double VENT_PART = 0.125;

enum { LABEL_NONE, LABEL_OPEN, LABEL_FIRST_CLOSED };

typedef struct VentSearch {
    Fluid *fluid;
    int32_t *label;       /* of cells of liquid: their region */
    int32_t *region;      /* of films: whose way last came there */
    int32_t *from, *way;  /* of films: the film before, -1: the region itself; the face to it */
    int32_t *queue;       /* cells */
    unsigned char *knows; /* of solid cells: LOOKED_AT, FILM */
} VentSearch;

enum { LOOKED_AT = 1, FILM };

static bool cell_beyond(const Grid *grid, size_t cell, int axis, int end, size_t *out) {
    int at[3];
    grid_cell_place(grid, cell, at);
    return grid_cell_beyond(grid, at, axis, end, out);
}

static size_t face_of(const Grid *grid, size_t cell, int axis, int end) {
    int at[3];
    grid_cell_place(grid, cell, at);
    at[axis] += end;
    return grid_face_index(grid, axis, at[0], at[1], at[2]);
}

/* ---- regions ---- */

/* Whether a cell of liquid has air beside it, or a side that is no wall. */
static bool is_at_surface(const Fluid *fluid, size_t cell) {
    const Grid *grid = &fluid->grid;
    for (int axis = 0; axis < grid->dim; axis++)
        for (int end = 0; end < 2; end++) {
            size_t next;
            if (!(fluid->cut.open[axis][face_of(grid, cell, axis, end)] > 0)) continue;
            bool is_inside = cell_beyond(grid, cell, axis, end, &next);
            if (is_inside ? fluid->cut.kind[next] == CELL_AIR : grid->sides[axis][end] != SIDE_WALL)
                return true;
        }
    return false;
}

/* Labels all that is connected with what is in the queue. */
static void spread(VentSearch *search, size_t count, int32_t label) {
    const Fluid *fluid = search->fluid;
    for (size_t i = 0; i < count; i++)
        for (int axis = 0; axis < fluid->grid.dim; axis++)
            for (int end = 0; end < 2; end++) {
                size_t cell = (size_t)search->queue[i], next;
                if (!cell_beyond(&fluid->grid, cell, axis, end, &next)) continue;
                if (search->label[next] != LABEL_NONE || fluid->cut.kind[next] != CELL_FLUID ||
                    !(fluid->cut.open[axis][face_of(&fluid->grid, cell, axis, end)] > 0))
                    continue;
                search->label[next] = label;
                search->queue[count++] = (int32_t)next;
            }
}

/* Returns the label after the last one. */
static int32_t label_regions(VentSearch *search) {
    const Fluid *fluid = search->fluid;
    size_t cells = grid_cell_count(&fluid->grid), count = 0;
    int32_t next = LABEL_FIRST_CLOSED;
    memset(search->label, 0, cells * sizeof *search->label);
    for (size_t cell = 0; cell < cells; cell++) {
        if (fluid->cut.kind[cell] != CELL_FLUID || !is_at_surface(fluid, cell)) continue;
        search->label[cell] = LABEL_OPEN;
        search->queue[count++] = (int32_t)cell;
    }
    spread(search, count, LABEL_OPEN);
    for (size_t cell = 0; cell < cells; cell++) {
        if (fluid->cut.kind[cell] != CELL_FLUID || search->label[cell] != LABEL_NONE) continue;
        search->label[cell] = next;
        search->queue[0] = (int32_t)cell;
        spread(search, 1, next++);
    }
    return next;
}

/* ---- ways out ---- */

static bool is_film(VentSearch *search, size_t cell) {
    if (search->fluid->cut.kind[cell] != CELL_SOLID) return false;
    if (search->knows[cell] == 0)
        search->knows[cell] = fluid_lies_between(search->fluid, cell) ? FILM : LOOKED_AT;
    return search->knows[cell] == FILM;
}

/* `cell` is a film; or of the region, when just the face parts it from another one. */
static bool open_face(Fluid *fluid, size_t cell, int axis, int end) {
    size_t face = face_of(&fluid->grid, cell, axis, end);
    double *distance = fluid->cut.face_distance[axis];
    Vent vent = {.cell = cell, .axis = axis, .face = face, .open = fluid->cut.open[axis][face]};
    vent.is_film = fluid->cut.kind[cell] == CELL_SOLID;
    if (vent.open > 0) return true;
    if (distance) vent.distance = distance[face];
    if (!array_push(fluid->context, &fluid->cut.vents, vent)) return false;
    fluid->cut.open[axis][face] = VENT_PART;
    if (distance) distance[face] = 1e-9 * fluid->grid.spacing; /* viscosity does not hold it */
    return true;
}

/* From a film and the face that leads out of it back to the region. */
static bool open_way(VentSearch *search, size_t film, int axis, int end) {
    bool good = open_face(search->fluid, film, axis, end);
    for (int32_t at = (int32_t)film; good && at >= 0; at = search->from[at])
        good = open_face(search->fluid, (size_t)at, search->way[at] / 2, search->way[at] % 2);
    return good;
}

/* Adds the films beside a cell, of the region or a film, to the queue. */
static size_t reach_films(VentSearch *search, size_t cell, bool is_region, int32_t region,
                          size_t count) {
    const Grid *grid = &search->fluid->grid;
    for (int axis = 0; axis < grid->dim; axis++)
        for (int end = 0; end < 2; end++) {
            size_t next;
            if (!cell_beyond(grid, cell, axis, end, &next)) continue;
            if (search->region[next] == region || !is_film(search, next)) continue;
            search->region[next] = region;
            search->from[next] = is_region ? -1 : (int32_t)cell;
            search->way[next] = 2 * axis + !end;
            search->queue[count++] = (int32_t)next;
        }
    return count;
}

/* Whether a film is beside liquid of another region; opens ways to all of it. */
static bool leads_out(VentSearch *search, size_t film, int32_t region, bool *good) {
    const Fluid *fluid = search->fluid;
    bool found = false;
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        for (int end = 0; end < 2; end++) {
            size_t next;
            if (!cell_beyond(&fluid->grid, film, axis, end, &next)) continue;
            if (fluid->cut.kind[next] != CELL_FLUID || search->label[next] == region) continue;
            *good = *good && open_way(search, film, axis, end);
            found = true;
        }
    return found;
}

/* Where surfaces touch between two cells of liquid, only the face is closed. */
static bool opens_at_once(VentSearch *search, size_t cell, int32_t region, bool *good) {
    Fluid *fluid = search->fluid;
    bool found = false;
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        for (int end = 0; end < 2; end++) {
            size_t next;
            if (!cell_beyond(&fluid->grid, cell, axis, end, &next)) continue;
            if (fluid->cut.kind[next] != CELL_FLUID || search->label[next] == region) continue;
            if (!fluid_lies_between(fluid, cell) && !fluid_lies_between(fluid, next)) continue;
            *good = *good && open_face(fluid, cell, axis, end);
            found = true;
        }
    return found;
}

/* The films nearest to the region first; of those that lead out after as many steps all do. */
static bool vent_region(VentSearch *search, int32_t region, size_t cells) {
    size_t count = 0, begin = 0;
    bool found = false, good = true;
    for (size_t cell = 0; cell < cells; cell++) {
        if (search->label[cell] != region) continue;
        found |= opens_at_once(search, cell, region, &good);
        count = reach_films(search, cell, true, region, count);
    }
    while (!found && begin < count) {
        size_t end = count;
        for (size_t i = begin; i < end; i++)
            found |= leads_out(search, (size_t)search->queue[i], region, &good);
        for (size_t i = begin; i < end && !found; i++)
            count = reach_films(search, (size_t)search->queue[i], false, region, count);
        begin = end;
    }
    return good;
}

void fluid_close_vents(Fluid *fluid) {
    for (size_t i = fluid->cut.vents.count; i-- > 0;) {
        const Vent *vent = &fluid->cut.vents.data[i];
        fluid->cut.open[vent->axis][vent->face] = vent->open;
        if (fluid->cut.face_distance[vent->axis])
            fluid->cut.face_distance[vent->axis][vent->face] = vent->distance;
        if (vent->is_film) fluid->cut.kind[vent->cell] = CELL_SOLID;
    }
    fluid->cut.vents.count = 0;
}

PlimStatus fluid_open_vents(Fluid *fluid, const StepInfo *step) {
    size_t cells = grid_cell_count(&fluid->grid), mark = scratch_mark(step->scratch);
    if (!fluid_has_surface(fluid) || !fluid->coupled.solver || !fluid_solves_for_bodies(fluid))
        return PLIM_OK;
    VentSearch search = {.fluid = fluid};
    int32_t **arrays[] = {&search.label, &search.region, &search.from, &search.way, &search.queue};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = scratch_take(step->scratch, cells + 1, sizeof **arrays[i]);
        if (!*arrays[i]) return PLIM_OUT_OF_MEMORY;
    }
    search.knows = scratch_take(step->scratch, cells + 1, 1);
    if (!search.knows) return PLIM_OUT_OF_MEMORY;
    int32_t end = label_regions(&search);
    memset(search.region, 0, cells * sizeof *search.region);
    memset(search.knows, 0, cells);
    bool good = true;
    for (int32_t region = LABEL_FIRST_CLOSED; good && region < end; region++)
        good = vent_region(&search, region, cells);
    for (size_t i = 0; i < fluid->cut.vents.count; i++)
        fluid->cut.kind[fluid->cut.vents.data[i].cell] = CELL_FLUID;
    scratch_release(step->scratch, mark);
    return good ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}
