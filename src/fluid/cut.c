/* Cut cells: distances to colliders at nodes, apertures of faces, kinds of cells (002 section
 * 5.4.1). */
#include "base/assert.h"
#include "fluid/internal.h"
#include "grid/aperture.h"

#include <string.h>

/* A face open by less is closed, and one closed by less is open: slivers only spoil the matrix. */
static const double least_part = 1e-3;
/* A surface that runs along faces lies on the solid's side of them, in cells. */
static const double touch = 1e-7;

/* ---- distances at nodes ---- */

/* Nodes [low, high) within the band around a collider. */
static void node_range(const Fluid *fluid, const Collider *collider, int low[3], int high[3]) {
    const Grid *grid = &fluid->grid;
    Box3 box = solid_bounds(collider->solid);
    Vec3 size = vec3_sub(box.high, box.low);
    bool bounded = isfinite(size.x) && isfinite(size.y) && isfinite(size.z);
    Vec3 middle = vec3_scale(0.5, vec3_add(box.low, box.high));
    middle = vec3_add(collider->position, quat_rotate(collider->orientation, middle));
    double reach = 0.5 * vec3_length(size) + FLUID_BAND * grid->spacing;
    double center[3], origin[3];
    vec3_store(center, middle);
    vec3_store(origin, grid->origin);
    for (int axis = 0; axis < 3; axis++) {
        int nodes = axis < grid->dim ? grid->n[axis] + 1 : 1;
        low[axis] = 0;
        high[axis] = nodes;
        if (!bounded || axis >= grid->dim) continue;
        double first = (center[axis] - reach - origin[axis]) / grid->spacing;
        double last = (center[axis] + reach - origin[axis]) / grid->spacing;
        low[axis] = (int)fmin(fmax(floor(first), 0), nodes);
        high[axis] = (int)fmin(fmax(ceil(last) + 1, 0), nodes);
    }
}

static Vec3 node_position(const Grid *grid, int i, int j, int k) {
    double h = grid->spacing;
    return vec3(grid->origin.x + i * h, grid->origin.y + j * h,
                grid->dim == 3 ? grid->origin.z + k * h : 0.0);
}

typedef struct DistanceJob {
    const Fluid *fluid;
    const Collider *collider;
    double *distance;
    int low[3], high[3];
} DistanceJob;

static void lower_distances(void *user, size_t begin, size_t end) {
    const DistanceJob *job = user;
    const Grid *grid = &job->fluid->grid;
    size_t rows = (size_t)(job->high[1] - job->low[1]);
    size_t nx = (size_t)grid->n[0] + 1, ny = (size_t)grid->n[1] + 1;
    for (size_t row = begin; row < end; row++) {
        int j = job->low[1] + (int)(row % rows), k = job->low[2] + (int)(row / rows);
        double *distance = job->distance + ((size_t)k * ny + (size_t)j) * nx;
        for (int i = job->low[0]; i < job->high[0]; i++)
            distance[i] =
                fmin(distance[i], collider_distance(job->collider, node_position(grid, i, j, k)));
    }
}

static void lower_by_image(const Fluid *fluid, const Collider *collider, double *distance) {
    DistanceJob job = {.fluid = fluid, .collider = collider, .distance = distance};
    node_range(fluid, collider, job.low, job.high);
    for (int axis = 0; axis < 3; axis++)
        if (job.high[axis] <= job.low[axis]) return;
    size_t rows = (size_t)(job.high[1] - job.low[1]) * (size_t)(job.high[2] - job.low[2]);
    parallel_for(fluid->context->threads, rows, 4, lower_distances, &job);
}

static void lower_by(const Fluid *fluid, const ImmersedCollider *collider, double *distance) {
    int images = grid_image_count(&fluid->grid);
    for (int image = 0; image < images; image++) {
        Collider moved = collider->now;
        moved.position = vec3_add(moved.position, grid_image_offset(&fluid->grid, image));
        lower_by_image(fluid, &moved, distance);
    }
}

static void find_distances(Fluid *fluid, bool always) {
    size_t nodes = grid_place_count(&fluid->grid, PLACE_NODES);
    double far = FLUID_BAND * fluid->grid.spacing;
    if (always) {
        for (size_t i = 0; i < nodes; i++) fluid->cut.still_distance[i] = far;
        for (size_t i = 0; i < fluid->colliders.list.count; i++)
            if (immersed_is_obstacle(&fluid->colliders.list.data[i]))
                lower_by(fluid, &fluid->colliders.list.data[i], fluid->cut.still_distance);
    }
    memcpy(fluid->cut.distance, fluid->cut.still_distance, nodes * sizeof *fluid->cut.distance);
    for (size_t i = 0; i < fluid->colliders.list.count; i++)
        if (!immersed_is_obstacle(&fluid->colliders.list.data[i]))
            lower_by(fluid, &fluid->colliders.list.data[i], fluid->cut.distance);
}

/* ---- the cut grid ---- */

static double node_distance(const Fluid *fluid, int i, int j, int k) {
    size_t nx = (size_t)fluid->grid.n[0] + 1, ny = (size_t)fluid->grid.n[1] + 1;
    return fluid->cut.distance[((size_t)k * ny + (size_t)j) * nx + (size_t)i];
}

/* Corners of the face across `axis` at (i, j, k), in turn around it. Two in two dimensions. */
static int face_corners(const Fluid *fluid, int axis, int i, int j, int k, double d[4]) {
    int b = (axis + 1) % 3, c = (axis + 2) % 3;
    if (fluid->grid.dim == 2) {
        d[0] = node_distance(fluid, i, j, 0);
        d[1] = node_distance(fluid, i + (axis == 1), j + (axis == 0), 0);
        return 2;
    }
    for (int corner = 0; corner < 4; corner++) {
        int at[3] = {i, j, k};
        at[b] += corner == 1 || corner == 2;
        at[c] += corner >= 2;
        d[corner] = node_distance(fluid, at[0], at[1], at[2]);
    }
    return 4;
}

/* Of the middle of a cell, from the distances at its corners. */
static double center_distance(const Fluid *fluid, int i, int j, int k) {
    int corners = 1 << fluid->grid.dim;
    double sum = 0;
    for (int corner = 0; corner < corners; corner++)
        sum += node_distance(fluid, i + (corner & 1), j + (corner >> 1 & 1), k + (corner >> 2));
    return sum / corners;
}

/* Whether the middle of a cell is inside a collider; there is nothing beyond sides. */
static bool cell_is_inside(const Fluid *fluid, const int at[3]) {
    int w[3];
    for (int a = 0; a < 3; a++) {
        int n = fluid->grid.n[a];
        bool periodic = a < fluid->grid.dim && grid_is_periodic(&fluid->grid, a);
        w[a] = periodic ? (at[a] + n) % n : at[a];
        if (w[a] < 0 || w[a] >= n) return false;
    }
    return center_distance(fluid, w[0], w[1], w[2]) < 0;
}

/* Cells on either side of a face whose middle is in the fluid, 0 to 2. Where it is one, the line
 * between the middles of the two crosses the surface (002 section 5.4.1). */
static int cells_outside(const Fluid *fluid, int axis, const int at[3]) {
    int low[3] = {at[0], at[1], at[2]};
    low[axis]--;
    return !cell_is_inside(fluid, low) + !cell_is_inside(fluid, at);
}

double fluid_covered_fraction(const Fluid *fluid, int axis, int i, int j, int k) {
    if (fluid->desc.surface == FLUID_SURFACE_FACES)
        return 0.5 * cells_outside(fluid, axis, (int[3]){i, j, k});
    return fluid_face_aperture(fluid, axis, i, j, k);
}

double fluid_face_aperture(const Fluid *fluid, int axis, int i, int j, int k) {
    double d[4], shift = touch * fluid->grid.spacing;
    int corners = face_corners(fluid, axis, i, j, k, d);
    for (int corner = 0; corner < corners; corner++) d[corner] -= shift;
    double part =
        corners == 2 ? aperture_of_segment(d[0], d[1]) : aperture_of_square(d[0], d[1], d[2], d[3]);
    if (part < least_part) return 0;
    if (part > 1 - least_part) return 1;
    return (double)(float)part; /* the solver keeps coefficients in single precision */
}

/* Whole faces: open, or held by the collider. */
static void close_faces(void *user, int j, int k) {
    const FluidAxis *job = user;
    Fluid *fluid = job->fluid;
    int axis = job->axis, nx = fluid->grid.n[0] + (axis == 0);
    double h = fluid->grid.spacing;
    for (int i = 0; i < nx; i++) {
        size_t face = grid_face_index(&fluid->grid, axis, i, j, k);
        int at[3] = {i, j, k};
        double *held = fluid->cut.face_distance[axis];
        bool open = cells_outside(fluid, axis, at) == 2;
        fluid->cut.open[axis][face] = open;
        /* The surface is taken to be at the face. */
        if (held) held[face] = open ? h : -1e-9 * h;
    }
}

static void cut_faces(void *user, int j, int k) {
    const FluidAxis *job = user;
    Fluid *fluid = job->fluid;
    const Grid *grid = &fluid->grid;
    int axis = job->axis, nx = grid->n[0] + (axis == 0);
    for (int i = 0; i < nx; i++) {
        size_t face = grid_face_index(grid, axis, i, j, k);
        fluid->cut.open[axis][face] = fluid_face_aperture(fluid, axis, i, j, k);
        if (!fluid->cut.face_distance[axis]) continue;
        double d[4], sum = 0;
        int corners = face_corners(fluid, axis, i, j, k, d);
        for (int corner = 0; corner < corners; corner++) sum += d[corner];
        fluid->cut.face_distance[axis][face] = sum / corners;
        /* Viscosity holds a face whose middle is inside. Were it open to pressure, a cell that has
         * no other open faces would have a pressure that nothing determines. */
        if (sum < 0) fluid->cut.open[axis][face] = 0;
        /* And one that nothing passes through, for it lies in the surface, moves with it too. */
        if (fluid->cut.open[axis][face] == 0 && !(sum < 0))
            fluid->cut.face_distance[axis][face] = -1e-9 * grid->spacing;
    }
}

/* Whether anything can pass between the cell and others. Side faces with a given velocity do not
 * count: pressure cannot change it. */
static bool is_connected(const Fluid *fluid, int i, int j, int k) {
    const Grid *grid = &fluid->grid;
    for (int axis = 0; axis < grid->dim; axis++)
        for (int end = 0; end < 2; end++) {
            int at[3] = {i, j, k};
            at[axis] += end;
            SideKind side = grid->sides[axis][end];
            bool on_side = at[axis] == (end ? grid->n[axis] : 0);
            if (on_side && (side == SIDE_WALL || side == SIDE_INFLOW)) continue;
            if (fluid->cut.open[axis][grid_face_index(grid, axis, at[0], at[1], at[2])] > 0)
                return true;
        }
    return false;
}

static void cut_cells(void *user, int j, int k) {
    Fluid *fluid = user;
    const Grid *grid = &fluid->grid;
    for (int i = 0; i < grid->n[0]; i++) {
        size_t cell = grid_cell_index(grid, i, j, k);
        unsigned char kind = is_connected(fluid, i, j, k) ? CELL_FLUID : CELL_SOLID;
        fluid->cut.fresh[cell] = kind == CELL_FLUID && fluid->cut.kind[cell] == CELL_SOLID;
        fluid->cut.kind[cell] = kind; /* of a liquid: air is told from it later */
        fluid->cut.cell_distance.data[field_index(&fluid->cut.cell_distance, i, j, k)] =
            center_distance(fluid, i, j, k);
    }
}

/* The two layers of faces of a periodic axis are one: distances there are the same to rounding, and
 * here to the bit. */
static void join_periodic(Fluid *fluid, int axis) {
    const Grid *grid = &fluid->grid;
    if (!grid_is_periodic(grid, axis)) return;
    int n[3] = {grid->n[0], grid->n[1], grid->n[2]};
    n[axis] = 1;
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++) {
                size_t low = grid_face_index(grid, axis, i, j, k);
                int at[3] = {i, j, k};
                at[axis] = grid->n[axis];
                size_t high = grid_face_index(grid, axis, at[0], at[1], at[2]);
                fluid->cut.open[axis][high] = fluid->cut.open[axis][low];
                if (fluid->cut.face_distance[axis])
                    fluid->cut.face_distance[axis][high] = fluid->cut.face_distance[axis][low];
            }
}

static PlimStatus cut_grid(Fluid *fluid, const StepInfo *step) {
    const Grid *grid = &fluid->grid;
    int threads = fluid->context->threads;
    for (int axis = 0; axis < grid->dim; axis++) {
        FluidAxis job = {fluid, axis};
        bool whole = fluid->desc.surface == FLUID_SURFACE_FACES;
        grid_for_rows(grid, grid_place_faces(axis), threads, whole ? close_faces : cut_faces, &job);
        join_periodic(fluid, axis);
    }
    if (!fluid_has_surface(fluid)) TRY(fluid_close_thin_gaps(fluid, step));
    grid_for_rows(grid, PLACE_CELLS, threads, cut_cells, fluid);
    field_fill_halo_constant(&fluid->cut.cell_distance, threads);
    size_t cells = grid_cell_count(grid);
    fluid->cut.fluid_cells = 0;
    for (size_t cell = 0; cell < cells; cell++)
        fluid->cut.fluid_cells += fluid->cut.kind[cell] == CELL_FLUID;
    return PLIM_OK;
}

static const char *aperture_problem(const Fluid *fluid, int axis) {
    size_t faces = grid_face_count(&fluid->grid, axis);
    for (size_t face = 0; face < faces; face++)
        if (!(fluid->cut.open[axis][face] >= 0 && fluid->cut.open[axis][face] <= 1))
            return "the aperture of a face is not between 0 and 1";
    return NULL;
}

const char *fluid_cut_problem(const Fluid *fluid) {
    const Grid *grid = &fluid->grid;
    for (int axis = 0; axis < grid->dim; axis++) {
        const char *problem = aperture_problem(fluid, axis);
        if (problem) return problem;
    }
    size_t fluid_cells = 0;
    for (int k = 0; k < grid->n[2]; k++)
        for (int j = 0; j < grid->n[1]; j++)
            for (int i = 0; i < grid->n[0]; i++) {
                unsigned char kind = fluid->cut.kind[grid_cell_index(grid, i, j, k)];
                if (kind != CELL_FLUID && kind != CELL_SOLID)
                    return "a cell is neither fluid nor solid";
                if ((kind == CELL_FLUID) != is_connected(fluid, i, j, k))
                    return "a fluid cell has no open face, or a solid one has";
                fluid_cells += kind == CELL_FLUID;
            }
    return fluid_cells == fluid->cut.fluid_cells ? NULL : "fluid cells are not counted right";
}

PlimStatus fluid_update_geometry(Fluid *fluid, const StepInfo *step, bool always) {
    bool moved = fluid_read_places(fluid, step->dt);
    if (!fluid->cut.distance) return PLIM_OK; /* there is never a collider */
    if (!moved && !always) {
        memset(fluid->cut.fresh, 0, grid_cell_count(&fluid->grid));
        return PLIM_OK;
    }
    fluid->cut.vents.count = 0; /* all is cut anew */
    find_distances(fluid, always);
    TRY(cut_grid(fluid, step));
    fluid_forget_parts(fluid, always);
    PLIM_ASSERT_VALID(fluid_cut_problem(fluid));
    if (fluid->cut.fluid_cells == 0)
        return context_fail(fluid->context, always ? PLIM_BAD_INPUT : PLIM_FAILED,
                            "obstacles and bodies fill the whole domain of the fluid; make them "
                            "smaller or the domain larger");
    if (fluid_has_surface(fluid)) return fluid_find_visibility(fluid, step); /* air comes later */
    fluid_empty_enclosed_cells(fluid);
    return fluid_set_up_viscosity(fluid, step);
}

Vec3 fluid_aperture_moment(const Fluid *fluid, int axis, int i, int j, int k) {
    double d[4], h = fluid->grid.spacing, moment[3] = {0, 0, 0};
    if (face_corners(fluid, axis, i, j, k, d) == 2) {
        moment[1 - axis] = h * aperture_moment_of_segment(d[0], d[1]);
    } else {
        double in_plane[2];
        aperture_moment_of_square(d, in_plane);
        moment[(axis + 1) % 3] = h * in_plane[0];
        moment[(axis + 2) % 3] = h * in_plane[1];
    }
    return vec3(moment[0], moment[1], moment[2]);
}

bool fluid_face_is_wet(const Fluid *fluid, int axis, const int at[3]) {
    const Grid *grid = &fluid->grid;
    for (int above = 0; above < 2; above++) {
        int cell[3] = {at[0], at[1], at[2]};
        cell[axis] += above - 1;
        if (grid_is_periodic(grid, axis)) cell[axis] = (cell[axis] + grid->n[axis]) % grid->n[axis];
        if (cell[axis] < 0 || cell[axis] >= grid->n[axis]) continue;
        size_t index = grid_cell_index(grid, cell[0], cell[1], cell[2]);
        if (fluid->cut.kind[index] == CELL_FLUID ||
            (fluid->liquid.separated && fluid->liquid.separated[index]))
            return true;
    }
    return false;
}
