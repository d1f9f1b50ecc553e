/* Cut cells: distances to colliders at nodes, apertures of faces, kinds of cells, and the volume
 * that moving colliders push. */
#include "base/assert.h"
#include "fluid/internal.h"
#include "grid/aperture.h"

#include <string.h>

/* A face open by less is closed, and one closed by less is open: slivers only spoil the matrix. */
static const double least_part = 1e-3;
/* A surface that runs along faces lies on the solid's side of them, in cells. */
static const double touch = 1e-7;

/* ---- places of the bodies ---- */

/* The velocities that move a collider from where it was to where it is, in dt. Swept volume is then
 * exactly what its surface pushes, whatever its path. */
static void set_step_velocity(FluidCollider *collider, double dt) {
    Collider *now = &collider->now;
    Quat turn = quat_multiply(now->orientation, quat_conjugate(collider->before_orientation));
    now->velocity =
        vec3_scale(1 / dt, vec3_sub(collider->true_position, collider->before_position));
    now->angular_velocity = vec3_scale(1 / dt, quat_log(turn));
}

static bool same_place(const FluidCollider *a) {
    return memcmp(&a->true_position, &a->before_position, sizeof(Vec3)) == 0 &&
           memcmp(&a->now.orientation, &a->before_orientation, sizeof(Quat)) == 0;
}

/* By whole periods into the domain. */
static Vec3 wrapped(const Grid *grid, Vec3 x) {
    double at[3], origin[3];
    vec3_store(at, x);
    vec3_store(origin, grid->origin);
    for (int axis = 0; axis < grid->dim; axis++) {
        double period = grid->n[axis] * grid->spacing;
        if (grid_is_periodic(grid, axis))
            at[axis] -= period * floor((at[axis] - origin[axis]) / period);
    }
    return vec3_load(at);
}

/* Makes `colliders` those that reach into the room; whether they are others than before. */
static bool find_visitors(Fluid *fluid) {
    const SolidView *view = &fluid->desc.bodies_view;
    bool changed = false;
    for (size_t i = 0; i < fluid->colliders.count; i++)
        fluid->visitors.data[fluid->colliders.data[i].number].collider = fluid->colliders.data[i];
    fluid->colliders.count = 0; /* it has had room for all of them since it was made */
    for (size_t i = 0; i < fluid->visitors.count; i++) {
        FluidCollider *collider = &fluid->visitors.data[i].collider;
        bool is_here = collider->body == FLUID_OBSTACLES;
        if (!is_here) {
            view->read(view->system, collider->body, &collider->now);
            is_here = room_meets(&fluid->desc.room, collider_bounds(&collider->now));
        }
        changed = changed || is_here != fluid->visitors.data[i].is_here;
        fluid->visitors.data[i].is_here = is_here;
        if (is_here)
            fluid->colliders.data[fluid->colliders.count++] = *collider;
        else
            collider->force = collider->torque = collider->weight = vec3(0, 0, 0);
    }
    return changed;
}

const FluidCollider *fluid_collider(const Fluid *fluid, size_t number) {
    if (fluid->visitors.count == 0) return &fluid->colliders.data[number];
    for (size_t i = 0; i < fluid->colliders.count; i++)
        if (fluid->colliders.data[i].number == number) return &fluid->colliders.data[i];
    return &fluid->visitors.data[number].collider;
}

/* Returns whether any collider moved, came or left. */
static bool read_places(Fluid *fluid, double dt) {
    bool moved = fluid->visitors.count > 0 && find_visitors(fluid);
    for (size_t i = 0; i < fluid->colliders.count; i++) {
        FluidCollider *collider = &fluid->colliders.data[i];
        if (collider->body == FLUID_OBSTACLES) continue;
        const SolidView *view = &fluid->desc.bodies_view;
        view->read(view->system, collider->body, &collider->now);
        collider->true_position = collider->now.position;
        moved = moved || !same_place(collider);
        if (dt > 0) set_step_velocity(collider, dt);
        collider->is_elsewhere = !room_holds(&fluid->desc.room, collider->true_position);
        collider->now.position = wrapped(&fluid->grid, collider->true_position);
    }
    fluid_fill_bins(fluid);
    return moved;
}

void fluid_keep_places(Fluid *fluid) {
    read_places(fluid, 0);
    for (size_t i = 0; i < fluid->colliders.count; i++) {
        FluidCollider *collider = &fluid->colliders.data[i];
        collider->before_position = collider->true_position;
        collider->before_orientation = collider->now.orientation;
    }
    for (size_t i = 0; i < fluid->visitors.count; i++) {
        FluidCollider *collider = &fluid->visitors.data[i].collider;
        if (fluid->visitors.data[i].is_here) continue;
        collider->before_position = collider->now.position;
        collider->before_orientation = collider->now.orientation;
    }
}

/* ---- images across periodic sides ---- */

int fluid_image_count(const Grid *grid) {
    int count = 1;
    for (int axis = 0; axis < grid->dim; axis++)
        if (grid_is_periodic(grid, axis)) count *= 3;
    return count;
}

Vec3 fluid_image_offset(const Grid *grid, int image) {
    static const int periods[3] = {0, -1, 1};
    double offset[3] = {0, 0, 0};
    for (int axis = 0; axis < grid->dim; axis++) {
        if (!grid_is_periodic(grid, axis)) continue;
        offset[axis] = periods[image % 3] * grid->n[axis] * grid->spacing;
        image /= 3;
    }
    return vec3(offset[0], offset[1], offset[2]);
}

double fluid_reach(const Fluid *fluid, const Collider *body) {
    Box3 box = solid_bounds(body->solid);
    double reach = 0;
    for (int corner = 0; corner < 8; corner++) {
        Vec3 x = vec3(corner & 1 ? box.high.x : box.low.x, corner & 2 ? box.high.y : box.low.y,
                      corner & 4 ? box.high.z : box.low.z);
        x = fluid_in_plane(fluid, quat_rotate(body->orientation, x));
        reach = fmax(reach, vec3_length(x));
    }
    return reach;
}

double fluid_wall_speed(const Fluid *fluid, Vec3 x, int axis) {
    Vec3 beside;
    const FluidCollider *collider = fluid_nearest(fluid, x, &beside);
    double velocity[3];
    vec3_store(velocity,
               vec3_add(collider_velocity(&collider->now, beside), fluid_through(collider)));
    return velocity[axis];
}

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

static void lower_by(const Fluid *fluid, const FluidCollider *collider, double *distance) {
    int images = fluid_image_count(&fluid->grid);
    for (int image = 0; image < images; image++) {
        Collider moved = collider->now;
        moved.position = vec3_add(moved.position, fluid_image_offset(&fluid->grid, image));
        lower_by_image(fluid, &moved, distance);
    }
}

static void find_distances(Fluid *fluid, bool always) {
    size_t nodes = grid_place_count(&fluid->grid, PLACE_NODES);
    double far = FLUID_BAND * fluid->grid.spacing;
    if (always) {
        for (size_t i = 0; i < nodes; i++) fluid->still_distance[i] = far;
        for (size_t i = 0; i < fluid->colliders.count; i++)
            if (fluid->colliders.data[i].body == FLUID_OBSTACLES)
                lower_by(fluid, &fluid->colliders.data[i], fluid->still_distance);
    }
    memcpy(fluid->distance, fluid->still_distance, nodes * sizeof *fluid->distance);
    for (size_t i = 0; i < fluid->colliders.count; i++)
        if (fluid->colliders.data[i].body != FLUID_OBSTACLES)
            lower_by(fluid, &fluid->colliders.data[i], fluid->distance);
}

/* ---- the cut grid ---- */

static double node_distance(const Fluid *fluid, int i, int j, int k) {
    size_t nx = (size_t)fluid->grid.n[0] + 1, ny = (size_t)fluid->grid.n[1] + 1;
    return fluid->distance[((size_t)k * ny + (size_t)j) * nx + (size_t)i];
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
        double *held = fluid->face_distance[axis];
        bool open = cells_outside(fluid, axis, at) == 2;
        fluid->open[axis][face] = open;
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
        fluid->open[axis][face] = fluid_face_aperture(fluid, axis, i, j, k);
        if (!fluid->face_distance[axis]) continue;
        double d[4], sum = 0;
        int corners = face_corners(fluid, axis, i, j, k, d);
        for (int corner = 0; corner < corners; corner++) sum += d[corner];
        fluid->face_distance[axis][face] = sum / corners;
        /* Viscosity holds a face whose middle is inside. Were it open to pressure, a cell that has
         * no other open faces would have a pressure that nothing determines. */
        if (sum < 0) fluid->open[axis][face] = 0;
        /* And one that nothing passes through, for it lies in the surface, moves with it too. */
        if (fluid->open[axis][face] == 0 && !(sum < 0))
            fluid->face_distance[axis][face] = -1e-9 * grid->spacing;
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
            if (fluid->open[axis][grid_face_index(grid, axis, at[0], at[1], at[2])] > 0)
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
        fluid->fresh[cell] = kind == CELL_FLUID && fluid->kind[cell] == CELL_SOLID;
        fluid->kind[cell] = kind; /* of a liquid: air is told from it later */
        fluid->cell_distance.data[field_index(&fluid->cell_distance, i, j, k)] =
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
                fluid->open[axis][high] = fluid->open[axis][low];
                if (fluid->face_distance[axis])
                    fluid->face_distance[axis][high] = fluid->face_distance[axis][low];
            }
}

static void cut_grid(Fluid *fluid) {
    const Grid *grid = &fluid->grid;
    int threads = fluid->context->threads;
    for (int axis = 0; axis < grid->dim; axis++) {
        FluidAxis job = {fluid, axis};
        bool whole = fluid->desc.surface == FLUID_SURFACE_FACES;
        fluid_for_rows(grid, grid_place_faces(axis), threads, whole ? close_faces : cut_faces,
                       &job);
        join_periodic(fluid, axis);
    }
    fluid_for_rows(grid, PLACE_CELLS, threads, cut_cells, fluid);
    field_fill_halo_constant(&fluid->cell_distance, threads);
    size_t cells = grid_cell_count(grid);
    fluid->fluid_cells = 0;
    for (size_t cell = 0; cell < cells; cell++)
        fluid->fluid_cells += fluid->kind[cell] == CELL_FLUID;
}

static const char *aperture_problem(const Fluid *fluid, int axis) {
    size_t faces = grid_face_count(&fluid->grid, axis);
    for (size_t face = 0; face < faces; face++)
        if (!(fluid->open[axis][face] >= 0 && fluid->open[axis][face] <= 1))
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
                unsigned char kind = fluid->kind[grid_cell_index(grid, i, j, k)];
                if (kind != CELL_FLUID && kind != CELL_SOLID)
                    return "a cell is neither fluid nor solid";
                if ((kind == CELL_FLUID) != is_connected(fluid, i, j, k))
                    return "a fluid cell has no open face, or a solid one has";
                fluid_cells += kind == CELL_FLUID;
            }
    return fluid_cells == fluid->fluid_cells ? NULL : "fluid cells are not counted right";
}

PlimStatus fluid_update_geometry(Fluid *fluid, const StepInfo *step, bool always) {
    bool moved = read_places(fluid, step->dt);
    if (!fluid->distance) return PLIM_OK; /* there is never a collider */
    if (!moved && !always) {
        memset(fluid->fresh, 0, grid_cell_count(&fluid->grid));
        return PLIM_OK;
    }
    find_distances(fluid, always);
    cut_grid(fluid);
    PLIM_ASSERT_VALID(fluid_cut_problem(fluid));
    if (fluid->fluid_cells == 0)
        return context_fail(fluid->context, always ? PLIM_BAD_INPUT : PLIM_FAILED,
                            "obstacles and bodies fill the whole domain of the fluid; make them "
                            "smaller or the domain larger");
    return fluid_has_surface(fluid) ? PLIM_OK : fluid_set_up_viscosity(fluid, step);
}

/* ---- volume ---- */

double fluid_source_distance(const Fluid *fluid, const FluidSource *source, Vec3 x) {
    int images = fluid_image_count(&fluid->grid);
    double distance = HUGE_VAL;
    for (int image = 0; image < images; image++)
        distance =
            fmin(distance, solid_distance(&source->solid,
                                          vec3_sub(x, fluid_image_offset(&fluid->grid, image))));
    return distance;
}

bool fluid_in_source(const Fluid *fluid, const FluidSource *source, Vec3 x) {
    return fluid_source_distance(fluid, source, x) < 0;
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

static double velocity_along(const Collider *collider, Vec3 x, int axis) {
    double velocity[3];
    vec3_store(velocity, collider_velocity(collider, x));
    return velocity[axis];
}

/* What a collider pushes through the closed part of a face, m^3/s along the axis. Its velocity is
 * linear in place, so the integral over the closed part is exact from the part and its first
 * moment, which is that of the open part with the other sign: a turning disc pushes nothing. */
double fluid_pushed(const Fluid *fluid, int axis, int i, int j, int k) {
    double open = fluid->open[axis][grid_face_index(&fluid->grid, axis, i, j, k)];
    if (!(open < 1)) return 0;
    Vec3 x = grid_face_center(&fluid->grid, axis, i, j, k), beside;
    const FluidCollider *nearest = fluid_nearest(fluid, x, &beside);
    const Collider *collider = &nearest->now;
    double through[3], middle = velocity_along(collider, beside, axis);
    vec3_store(through, fluid_through(nearest));
    double flux = (1 - open) * (middle + through[axis]);
    if (open > 0 && !fluid_moves_as_one(fluid)) {
        Vec3 moved = vec3_add(beside, fluid_aperture_moment(fluid, axis, i, j, k));
        flux -= velocity_along(collider, moved, axis) - middle;
    }
    return flux * grid_face_area(&fluid->grid);
}

typedef struct SourceJob {
    Fluid *fluid;
    double t;
    bool with_colliders;
} SourceJob;

static void source_rows(void *user, int j, int k) {
    const SourceJob *job = user;
    Fluid *fluid = job->fluid;
    const Grid *grid = &fluid->grid;
    for (int i = 0; i < grid->n[0]; i++) {
        size_t cell = grid_cell_index(grid, i, j, k);
        double made = 0;
        fluid->source[cell] = 0;
        if (fluid->kind[cell] != CELL_FLUID) continue;
        for (int axis = 0; job->with_colliders && axis < grid->dim; axis++)
            made += fluid_pushed(fluid, axis, i, j, k) -
                    fluid_pushed(fluid, axis, i + (axis == 0), j + (axis == 1), k + (axis == 2));
        if (fluid->control_rate != 0)
            made += fluid->control_rate * fluid->liquid_fraction[cell] * grid_cell_volume(grid);
        Vec3 x = grid_cell_center(grid, i, j, k);
        for (size_t s = 0; s < fluid->sources.count; s++) {
            const FluidSource *source = &fluid->sources.data[s];
            if (field_function_is_set(&source->expansion) && fluid_in_source(fluid, source, x))
                made += field_function_at(&source->expansion, x, job->t) * grid_cell_volume(grid);
        }
        fluid->source[cell] = made;
    }
}

PlimStatus fluid_find_sources(Fluid *fluid, const StepInfo *step, bool with_colliders) {
    if (!fluid->source) return PLIM_OK;
    SourceJob job = {fluid, step->end_time, with_colliders && fluid->bodies_move};
    fluid_for_rows(&fluid->grid, PLACE_CELLS, step->threads, source_rows, &job);
    return PLIM_OK;
}

bool fluid_face_is_wet(const Fluid *fluid, int axis, const int at[3]) {
    const Grid *grid = &fluid->grid;
    for (int above = 0; above < 2; above++) {
        int cell[3] = {at[0], at[1], at[2]};
        cell[axis] += above - 1;
        if (grid_is_periodic(grid, axis)) cell[axis] = (cell[axis] + grid->n[axis]) % grid->n[axis];
        if (cell[axis] < 0 || cell[axis] >= grid->n[axis]) continue;
        size_t index = grid_cell_index(grid, cell[0], cell[1], cell[2]);
        if (fluid->kind[index] == CELL_FLUID || (fluid->separated && fluid->separated[index]))
            return true;
    }
    return false;
}

/* ---- places and rows ---- */

Vec3 fluid_position(const Grid *grid, GridPlace place, int i, int j, int k) {
    int at[3] = {i, j, k};
    double shift[3];
    for (int axis = 0; axis < 3; axis++) {
        bool ends = grid_place_on_ends(grid, place, axis);
        if (ends && grid_is_periodic(grid, axis)) at[axis] %= grid->n[axis];
        shift[axis] = ends ? -0.5 * grid->spacing : 0;
    }
    return vec3_add(grid_cell_center(grid, at[0], at[1], at[2]),
                    vec3(shift[0], shift[1], shift[2]));
}

typedef struct RowJob {
    FluidRow body;
    void *user;
    size_t ny;
} RowJob;

static void run_rows(void *user, size_t begin, size_t end) {
    const RowJob *job = user;
    for (size_t row = begin; row < end; row++)
        job->body(job->user, (int)(row % job->ny), (int)(row / job->ny));
}

void fluid_for_rows(const Grid *grid, GridPlace place, int threads, FluidRow body, void *user) {
    enum { GRAIN = 8 };
    size_t ny = (size_t)grid_place_size(grid, place, 1),
           nz = (size_t)grid_place_size(grid, place, 2);
    RowJob job = {body, user, ny};
    parallel_for(threads, ny * nz, GRAIN, run_rows, &job);
}
