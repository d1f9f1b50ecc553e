/* Cells in which surfaces of several bodies meet, or a body and a wall, under a free surface: films
 * of liquid thinner than a cell, and whose weight is whose.
 *
 * Films. Between bodies that touch, and under what lies flat on a wall or the floor of a pool,
 * cells are closed and have no pressure. Without one the liquid outside presses what is on both
 * sides together, as if they were sealed. Real surfaces are rough, liquid comes between them, and
 * at rest it has the pressure of its depth. So a film has the pressure of the nearest cells that
 * have one, its rims, and what lies between in depth:
 *
 *     p_film = mean over rims of (p_rim + part density g.(x_film - x_rim)),
 *
 * `part` being how much of its weight the liquid rests on what is below with (hydrostatic.c). The
 * transpose of that is where what surfaces squeeze out of a film goes: into its rims, at once. So
 * momentum is kept, the system stays symmetric, and a film neither resists nor has inertia.
 *
 * Weights. The hydrostatic correction of a cell (hydrostatic.c) is parted among those that share it
 * by what each fills and which faces each closes; all together it is the same. */
#include "fluid/shared_cells.h"

#include "fluid/body_forces.h"
#include "fluid/body_push.h"
#include "fluid/internal.h"
#include "grid/periodic.h"

#include <stdlib.h>

bool fluid_is_shared(const Fluid *fluid, size_t cell) {
    size_t low = 0, high = fluid->coupled.shared.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (fluid->coupled.shared.data[middle].cell < cell)
            low = middle + 1;
        else
            high = middle;
    }
    return low < fluid->coupled.shared.count && fluid->coupled.shared.data[low].cell == cell;
}

/* ---- which cells ---- */

/* Liquid that bodies close in (enclosed_cells.c). */
static bool is_pocket(const Fluid *fluid, size_t cell) {
    bool is_separated = fluid->liquid.separated && fluid->liquid.separated[cell];
    return fluid->cut.kind[cell] == CELL_AIR && fluid->liquid.cell_level[cell] < 0 && !is_separated;
}

static bool is_on_wall(const Grid *grid, int axis, int at) {
    return (at == 0 || at == grid->n[axis]) && grid->sides[axis][at > 0] == SIDE_WALL;
}

static int32_t owner_of_face(const Fluid *fluid, int axis, const int at[3]) {
    Vec3 beside, x = grid_face_center(&fluid->grid, axis, at[0], at[1], at[2]);
    const ImmersedCollider *nearest = immersed_nearest(&fluid->colliders, x, &beside);
    size_t number = (size_t)(nearest - fluid->colliders.list.data);
    bool stays = is_on_wall(&fluid->grid, axis, at[axis]) && fluid_solves_for(fluid, number);
    return stays ? SHARED_WALL : (int32_t)number;
}

static SharedCell describe(const Fluid *fluid, const int cell[3]) {
    const Grid *grid = &fluid->grid;
    SharedCell shared = {.cell = grid_cell_index(grid, cell[0], cell[1], cell[2]),
                         .at = {cell[0], cell[1], cell[2]}};
    shared.is_film = fluid->cut.kind[shared.cell] != CELL_FLUID;
    for (int axis = 0; axis < 3; axis++)
        for (int end = 0; end < 2; end++) {
            int at[3] = {cell[0], cell[1], cell[2]};
            shared.owner[axis][end] = SHARED_OPEN;
            if (axis >= grid->dim) continue;
            at[axis] += end;
            size_t face = grid_face_index(grid, axis, at[0], at[1], at[2]);
            double closed = 1 - fluid->cut.open[axis][face];
            /* A body a hair off a wall leaves its face open, and nothing else of the cell. */
            if (shared.is_film && is_on_wall(grid, axis, at[axis]) && !(closed > 0))
                shared.owner[axis][end] = SHARED_WALL;
            if (!(closed > 0)) continue;
            shared.owner[axis][end] = owner_of_face(fluid, axis, at);
            shared.closed[axis][end] = closed;
        }
    return shared;
}

/* Whether what closes its faces is not all the same, and something of it is free to move. A pocket
 * counts with one body around it. */
static bool is_shared(const Fluid *fluid, const SharedCell *cell, bool is_pocket) {
    bool is_free = false, differ = is_pocket;
    int32_t first = SHARED_OPEN;
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        for (int end = 0; end < 2; end++) {
            int32_t owner = cell->owner[axis][end];
            if (owner == SHARED_OPEN) continue;
            if (first == SHARED_OPEN) first = owner;
            differ = differ || owner != first;
            is_free = is_free || (owner >= 0 && fluid_solves_for(fluid, (size_t)owner));
        }
    return differ && is_free;
}

static bool is_shared_cell(const void *user, int i, int j, int k) {
    const Fluid *fluid = user;
    const Grid *grid = &fluid->grid;
    const int cell[3] = {i, j, k};
    size_t index = grid_cell_index(grid, i, j, k);
    bool pocket = is_pocket(fluid, index), is_beside_wall = false;
    if (fluid->cut.kind[index] == CELL_AIR && !pocket) return false;
    if (fabs(fluid_cell_distance(fluid, i, j, k)) > 1.5 * grid->spacing) return false;
    for (int axis = 0; axis < grid->dim; axis++)
        is_beside_wall = is_beside_wall || is_on_wall(grid, axis, cell[axis]) ||
                         is_on_wall(grid, axis, cell[axis] + 1);
    /* Who is nearest changes within half a cell of its middle only where both are about as near. */
    ImmersedGap gap = immersed_gap(&fluid->colliders, grid_cell_center(grid, i, j, k));
    bool of_two = gap.has_free && gap.second - gap.least < 1.01 * grid->spacing;
    if (!pocket && !of_two && !(is_beside_wall && gap.first_is_free)) return false;
    SharedCell found = describe(fluid, cell);
    return is_shared(fluid, &found, pocket);
}

bool fluid_lies_between(const Fluid *fluid, size_t cell) {
    const Grid *grid = &fluid->grid;
    int at[3];
    grid_cell_place(grid, cell, at);
    if (is_shared_cell(fluid, at[0], at[1], at[2])) return true;
    if (!immersed_gap(&fluid->colliders, grid_cell_center(grid, at[0], at[1], at[2])).first_is_free)
        return false;
    for (int axis = 0; axis < grid->dim; axis++)
        if (is_on_wall(grid, axis, at[axis]) || is_on_wall(grid, axis, at[axis] + 1)) return true;
    return false;
}

/* ---- rims of films ---- */

typedef struct RimSearch {
    const Fluid *fluid;
    SharedCell *cells;
    size_t count;
    int *pass; /* of each: in which its rims were found; 0: not yet */
} RimSearch;

static int compare_cell(const void *key, const void *shared) {
    size_t cell = *(const size_t *)key, other = ((const SharedCell *)shared)->cell;
    return (cell > other) - (cell < other);
}

static SharedCell *film_at(const RimSearch *search, size_t cell) {
    if (search->count == 0) return NULL;
    SharedCell *found =
        bsearch(&cell, search->cells, search->count, sizeof *search->cells, compare_cell);
    return found && found->is_film ? found : NULL;
}

/* From the middle of a cell to that of another, by the shortest way round. */
static Vec3 way_between(const Grid *grid, const int from[3], size_t to) {
    int at[3];
    double way[3];
    grid_cell_place(grid, to, at);
    for (int axis = 0; axis < 3; axis++) {
        int n = grid->n[axis], steps = at[axis] - from[axis];
        if (axis < grid->dim && grid_is_periodic(grid, axis)) {
            if (2 * steps > n) steps -= n;
            if (2 * steps < -n) steps += n;
        }
        way[axis] = steps * grid->spacing;
    }
    return vec3_load(way);
}

/* Keeps a rim if none is nearer. Distances are those of whole cells, so ties are exact. */
static void offer_rim(const Grid *grid, SharedCell *film, size_t rim) {
    double distance = vec3_length(way_between(grid, film->at, rim)), slack = 1e-6 * grid->spacing;
    if (film->rim_count > 0) {
        double best = vec3_length(way_between(grid, film->at, film->rim[0]));
        if (distance > best + slack) return;
        if (distance < best - slack) film->rim_count = 0;
    }
    for (int i = 0; i < film->rim_count; i++)
        if (film->rim[i] == rim) return;
    if (film->rim_count < SHARED_RIMS) film->rim[film->rim_count++] = rim;
}

/* A film leads on along the surfaces that it lies between, not through them: across an axis on both
 * sides of which there is the same. In corners it may lead anywhere. */
static bool leads_along(const Fluid *fluid, const SharedCell *film, int axis) {
    bool some_equal = false;
    for (int a = 0; a < fluid->grid.dim; a++)
        some_equal = some_equal || film->owner[a][0] == film->owner[a][1];
    return !some_equal || film->owner[axis][0] == film->owner[axis][1];
}

static void look_at_rim(const RimSearch *search, SharedCell *film, size_t cell) {
    if (search->fluid->cut.kind[cell] != CELL_SOLID && !film_at(search, cell))
        offer_rim(&search->fluid->grid, film, cell);
}

static void look_beside(const RimSearch *search, SharedCell *film) {
    const Fluid *fluid = search->fluid;
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        for (int end = 0; end < 2; end++) {
            size_t next;
            if (leads_along(fluid, film, axis) &&
                grid_cell_beyond(&fluid->grid, film->at, axis, end, &next))
                look_at_rim(search, film, next);
        }
}

/* Whatever shares a face, an edge or a corner. */
static void look_around(const RimSearch *search, SharedCell *film) {
    const Grid *grid = &search->fluid->grid;
    int beside = 1, flat = grid->dim == 3;
    for (int c = -flat; c <= flat; c++)
        for (int b = -beside; b <= beside; b++)
            for (int a = -beside; a <= beside; a++) {
                int at[3] = {film->at[0], film->at[1], film->at[2]}, way[3] = {a, b, c};
                bool is_there = true;
                for (int axis = 0; axis < 3 && is_there; axis++) {
                    size_t next;
                    if (way[axis] == 0) continue;
                    is_there = grid_cell_beyond(grid, at, axis, way[axis] > 0, &next);
                    if (is_there) grid_cell_place(grid, next, at);
                }
                if (is_there) look_at_rim(search, film, grid_cell_index(grid, at[0], at[1], at[2]));
            }
}

/* From films beside it that had their rims before this pass. */
static void take_over(const RimSearch *search, SharedCell *film, int pass) {
    const Grid *grid = &search->fluid->grid;
    for (int axis = 0; axis < grid->dim; axis++)
        for (int end = 0; end < 2; end++) {
            size_t next;
            if (!grid_cell_beyond(grid, film->at, axis, end, &next)) continue;
            const SharedCell *other = film_at(search, next);
            if (!other) continue;
            int found = search->pass[other - search->cells];
            for (int i = 0; found > 0 && found < pass && i < other->rim_count; i++)
                offer_rim(grid, film, other->rim[i]);
        }
}

/* From beside them, then on from film to film. Returns whether some have none. */
static bool spread_rims(RimSearch *search, void (*look)(const RimSearch *, SharedCell *)) {
    int pass = 1;
    size_t found = 1, without = 0;
    for (size_t i = 0; i < search->count; i++) {
        SharedCell *cell = &search->cells[i];
        if (search->pass[i] > 0 || !cell->is_film) continue;
        look(search, cell);
    }
    for (size_t i = 0; i < search->count; i++)
        search->pass[i] = search->cells[i].is_film && search->cells[i].rim_count > 0;
    while (found > 0) {
        found = without = 0;
        pass++;
        for (size_t i = 0; i < search->count; i++) {
            SharedCell *cell = &search->cells[i];
            if (search->pass[i] > 0 || !cell->is_film) continue;
            take_over(search, cell, pass);
            if (cell->rim_count > 0) search->pass[i] = pass;
            found += cell->rim_count > 0;
            without += cell->rim_count == 0;
        }
    }
    return without > 0;
}

/* Where surfaces meet exactly between two layers of cells the film may count to those inside a body
 * that is wider than the other: it is reached from beside the other then. */
static void find_rims(RimSearch *search) {
    for (size_t i = 0; i < search->count; i++) search->pass[i] = 0;
    if (spread_rims(search, look_beside)) spread_rims(search, look_around);
}

static double part_at_rest(const Fluid *fluid, const StepInfo *step, const SharedCell *cell) {
    double sum = 0;
    if (!cell->is_film) return fluid_part_at_rest(fluid, step, cell->at);
    for (int i = 0; i < cell->rim_count; i++) {
        int at[3];
        if (fluid->cut.kind[cell->rim[i]] != CELL_FLUID) continue;
        grid_cell_place(&fluid->grid, cell->rim[i], at);
        sum += fluid_part_at_rest(fluid, step, at);
    }
    return cell->rim_count > 0 ? sum / cell->rim_count : 0;
}

PlimStatus fluid_find_shared_cells(Fluid *fluid, const StepInfo *step) {
    fluid->coupled.shared.count = 0;
    if (!fluid_has_surface(fluid) || !fluid_solves_for_bodies(fluid)) return PLIM_OK;
    GridList list;
    size_t mark = scratch_mark(step->scratch);
    TRY(grid_gather(&fluid->grid, PLACE_CELLS, step->threads, is_shared_cell, fluid, step->scratch,
                    &list));
    int *pass = scratch_take(step->scratch, list.count + 1, sizeof *pass);
    if (!pass || !array_reserve(fluid->context, &fluid->coupled.shared, list.count + 1))
        return PLIM_OUT_OF_MEMORY;
    RimSearch search = {fluid, fluid->coupled.shared.data, list.count, pass};
    for (size_t i = 0; i < list.count; i++) {
        int at[3];
        grid_cell_place(&fluid->grid, list.items[i], at);
        search.cells[i] = describe(fluid, at);
    }
    fluid->coupled.shared.count = list.count;
    find_rims(&search);
    for (size_t i = 0; i < list.count; i++)
        search.cells[i].part_at_rest = part_at_rest(fluid, step, &search.cells[i]);
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}

/* ---- what films push ---- */

/* What passes from a film to one with the same rims stays there. */
static bool stays_inside(const RimSearch *search, const SharedCell *film, int axis, int end) {
    size_t next;
    if (!grid_cell_beyond(&search->fluid->grid, film->at, axis, end, &next)) return false;
    const SharedCell *other = film_at(search, next);
    if (!other || other->rim_count != film->rim_count) return false;
    for (int i = 0; i < film->rim_count; i++)
        if (other->rim[i] != film->rim[i]) return false;
    return true;
}

/* Where the collider that closes a face is, near which image of it the face lies. */
static FlowAnchor anchor_of(const Fluid *fluid, int32_t owner, Vec3 x) {
    Vec3 beside;
    immersed_nearest(&fluid->colliders, x, &beside);
    Vec3 position = fluid->colliders.list.data[owner].now.position;
    return (FlowAnchor){(size_t)owner, vec3_add(position, vec3_sub(x, beside))};
}

/* Outflow of a film through a face goes to its rims in equal parts; air takes what it gets. */
static bool add_face(Fluid *fluid, const SharedCell *film, int axis, int end) {
    const Grid *grid = &fluid->grid;
    int at[3] = {film->at[0], film->at[1], film->at[2]};
    at[axis] += end;
    Vec3 x = grid_face_center(grid, axis, at[0], at[1], at[2]);
    double area = film->closed[axis][end] * grid_face_area(grid) / film->rim_count;
    FlowFace face = {.axis = axis,
                     .is_film = true,
                     .anchor = anchor_of(fluid, film->owner[axis][end], x),
                     .x = x,
                     .middle = x,
                     .closed = end ? area : -area};
    for (int i = 0; i < film->rim_count; i++) {
        if (fluid->cut.kind[film->rim[i]] != CELL_FLUID) continue;
        grid_cell_place(grid, film->rim[i], face.at);
        if (!array_push(fluid->context, &fluid->coupled.faces, face)) return false;
    }
    return true;
}

PlimStatus fluid_add_film_faces(Fluid *fluid) {
    const RimSearch search = {
        .fluid = fluid, .cells = fluid->coupled.shared.data, .count = fluid->coupled.shared.count};
    for (size_t i = 0; i < search.count; i++) {
        const SharedCell *film = &search.cells[i];
        if (!film->is_film) continue;
        for (int axis = 0; axis < fluid->grid.dim; axis++)
            for (int end = 0; end < 2; end++) {
                if (film->owner[axis][end] < 0 || stays_inside(&search, film, axis, end)) continue;
                if (!add_face(fluid, film, axis, end)) return PLIM_OUT_OF_MEMORY;
            }
    }
    return PLIM_OK;
}

/* ---- whose weight is whose ---- */

static void push(Fluid *fluid, int32_t owner, Vec3 x, Vec3 force) {
    const ImmersedCollider *collider = &fluid->colliders.list.data[owner];
    FluidLoad *load = fluid_load(fluid, collider);
    Vec3 arm = vec3_sub(x, anchor_of(fluid, owner, x).center);
    load->hydrostatic = vec3_add(load->hydrostatic, force);
    load->hydrostatic_torque = vec3_add(load->hydrostatic_torque, vec3_cross(arm, force));
}

/* Pressure that a film has beyond that of its rims, by its depth, Pa. */
static double pressure_by_depth(const Fluid *fluid, const StepInfo *step, const SharedCell *film) {
    double sum = 0;
    for (int i = 0; i < film->rim_count; i++) {
        int at[3];
        if (fluid->cut.kind[film->rim[i]] != CELL_FLUID) continue;
        grid_cell_place(&fluid->grid, film->rim[i], at);
        double part = fluid_part_at_rest(fluid, step, at);
        Vec3 way = way_between(&fluid->grid, film->at, film->rim[i]);
        sum -= part * fluid->desc.density * vec3_dot(step->gravity, way);
    }
    return film->rim_count > 0 ? sum / film->rim_count : 0;
}

static void push_by_depth(Fluid *fluid, const SharedCell *film, double pressure) {
    for (int axis = 0; axis < fluid->grid.dim; axis++)
        for (int end = 0; end < 2; end++) {
            if (film->owner[axis][end] < 0) continue;
            int at[3] = {film->at[0], film->at[1], film->at[2]};
            at[axis] += end;
            double force = film->closed[axis][end] * grid_face_area(&fluid->grid) * pressure;
            push(fluid, film->owner[axis][end],
                 grid_face_center(&fluid->grid, axis, at[0], at[1], at[2]),
                 vec3_scale(end ? force : -force, vec3_axis(axis)));
        }
}

/* The integral of hydrostatic.c over the surface of one owner: by what it fills of the cell, its
 * faces, and their moments across; fluid that moves with it as its own mass is none of it. */
static Vec3 weight_on(const Fluid *fluid, Vec3 gravity, const SharedCell *cell, int32_t owner) {
    const Grid *grid = &fluid->grid;
    double filled = fluid_part_of_collider(fluid, cell->at, (size_t)owner), sum[3] = {0, 0, 0};
    for (int axis = 0; axis < grid->dim; axis++) {
        double g = vec3_component(gravity, axis), faces = 0;
        for (int end = 0; end < 2; end++) {
            if (cell->owner[axis][end] != owner) continue;
            int at[3] = {cell->at[0], cell->at[1], cell->at[2]};
            at[axis] += end;
            double closed = cell->closed[axis][end] - fluid_tied_part(fluid, axis, at);
            faces += 0.5 * fmax(closed, 0);
            if (cell->is_film || !(closed < 1)) continue;
            Vec3 moment = fluid_aperture_moment(fluid, axis, at[0], at[1], at[2]);
            double along = vec3_dot(gravity, moment) - g * vec3_component(moment, axis);
            sum[axis] += (end ? along : -along) * grid_face_area(grid);
        }
        sum[axis] += g * grid_cell_volume(grid) * (filled - faces);
    }
    return vec3_scale(fluid->desc.density, vec3_load(sum));
}

static bool is_first_face_of(const SharedCell *cell, int dim, int axis, int end) {
    for (int a = 0; a < dim; a++)
        for (int e = 0; e < 2; e++) {
            if (a == axis && e == end) return true;
            if (cell->owner[a][e] == cell->owner[axis][end]) return false;
        }
    return true;
}

void fluid_add_shared_weights(Fluid *fluid, const StepInfo *step) {
    const Grid *grid = &fluid->grid;
    for (size_t i = 0; i < fluid->coupled.shared.count; i++) {
        const SharedCell *cell = &fluid->coupled.shared.data[i];
        if (!(cell->part_at_rest > 0)) continue;
        if (cell->is_film) push_by_depth(fluid, cell, pressure_by_depth(fluid, step, cell));
        Vec3 middle = grid_cell_center(grid, cell->at[0], cell->at[1], cell->at[2]);
        for (int axis = 0; axis < grid->dim; axis++)
            for (int end = 0; end < 2; end++) {
                int32_t owner = cell->owner[axis][end];
                if (owner < 0 || !is_first_face_of(cell, grid->dim, axis, end)) continue;
                Vec3 weight = weight_on(fluid, step->gravity, cell, owner);
                push(fluid, owner, middle, vec3_scale(-cell->part_at_rest, weight));
            }
    }
}
