/* Volume fractions after a step, predicted from fluxes through faces. */
#include "grid/liquid_fraction.h"
#include "grid/particles/particle_parts.h"
#include "grid/smooth_cells.h"
#include "grid/volume_restore.h"

#include <math.h>
#include <string.h>

/* Points of the swept volume along an edge of the face, and most along the sweep. */
enum { ACROSS = 2, MOST_ALONG = 16 };

typedef struct FluxJob {
    const VolumeFlow *flow;
    const GridField *phi;
    ParticlePlan plan;
    const double *parts; /* now */
    const double *near;  /* of cells: 0 or 1 when the surface is far away */
    int axis;
    double *flux[3]; /* of faces: what passes in dt, over the volume of a cell */
    double *predicted;
} FluxJob;

static bool is_near(const FluxJob *job, size_t cell) {
    return job->near[cell] > 0 && job->near[cell] < 1;
}

/* Far from the surface, and without liquid: so is the cell beside it, whatever the level set says
 * in walls, where it goes on from liquid that splashed over their rim. What a cell gained from such
 * a one would come from nowhere. What a solid covers that moves may not be dry when it has moved.
 */
static bool is_dry(const FluxJob *job, size_t cell) {
    return !job->flow->obstacles && !is_near(job, cell) && !(job->parts[cell] > 0);
}

/* Linear interpolation finds a phi that bends too great, on average by h^2 / 12 of its Laplacian; a
 * ball of radius 4 cells would lag by a fortieth of its way. Kinks bend more than this and count
 * for nothing. */
static double excess_of_bends(const ParticlePlan *plan, Vec3 middle) {
    const double kink = 0.7; /* cells */
    double position[9], at[3][TRACE_BLOCK], phi[3], sum = 0, h = plan->spacing;
    for (int axis = 0; axis < plan->dim; axis++) {
        for (int i = 0; i < 3; i++)
            vec3_store(position + 3 * i, vec3_add_scaled(middle, (i - 1) * h, vec3_axis(axis)));
        double x = (position[3 + axis] - plan->origin[axis]) / h;
        bool wraps = plan->sides[axis][0] == SIDE_PERIODIC;
        if (!wraps && !(x > 1 && x < plan->cells[axis] - 1)) continue;
        particle_places(plan, position, 3, at);
        particle_sample(&plan->phi, plan->dim, at, 3, phi);
        double bend = phi[0] - 2 * phi[1] + phi[2];
        if (fabs(bend) > kink * h) return 0;
        sum += bend;
    }
    return sum / 12;
}

/* The part of what sweeps through a face with velocity v that is liquid: the volume swept is cut
 * into equal pieces, in each of which the surface is a plane. */
static double liquid_of_sweep(const FluxJob *job, Vec3 middle, Vec3 v) {
    const ParticlePlan *plan = &job->plan;
    double h = plan->spacing, dt = job->flow->dt, reach = vec3_length(v) * dt / h;
    int along = (int)fmin(fmax(ceil(ACROSS * reach), 1), MOST_ALONG), count = 0;
    double position[3 * TRACE_BLOCK], at[3][TRACE_BLOCK], phi[TRACE_BLOCK];
    int b = (job->axis + 1) % plan->dim, c = (job->axis + 2) % 3;
    int number_c = plan->dim == 3 ? ACROSS : 1;
    for (int s = 0; s < along; s++)
        for (int j = 0; j < ACROSS; j++)
            for (int k = 0; k < number_c; k++) {
                Vec3 x = vec3_add_scaled(middle, -dt * (s + 0.5) / along, v);
                x = vec3_add_scaled(x, h * ((j + 0.5) / ACROSS - 0.5), vec3_axis(b));
                if (number_c > 1)
                    x = vec3_add_scaled(x, h * ((k + 0.5) / ACROSS - 0.5), vec3_axis(c));
                vec3_store(position + 3 * count++, x);
            }
    particle_places(plan, position, count, at);
    particle_sample(&plan->phi, plan->dim, at, count, phi);
    Vec3 normal;
    Vec3 center = vec3_add_scaled(middle, -0.5 * dt, v);
    particle_sample_one(plan, &plan->phi, center, &normal);
    double excess = excess_of_bends(plan, center);
    double width = fabs(vec3_dot(normal, v)) * dt / along;
    width += fabs(vec3_component(normal, b)) * h / ACROSS;
    if (number_c > 1) width += fabs(vec3_component(normal, c)) * h / ACROSS;
    width = fmax(width, 0.01 * h);
    double sum = 0;
    for (int i = 0; i < count; i++) sum += fmin(fmax(0.5 - (phi[i] - excess) / width, 0), 1);
    return sum / count;
}

static double mean_at_face(const GridField *u, int axis, int other, const int at[3]) {
    double sum = 0;
    for (int corner = 0; corner < 4; corner++) {
        int to[3] = {at[0], at[1], at[2]};
        to[axis] -= corner & 1;
        to[other] += corner >> 1;
        sum += u->data[field_index(u, to[0], to[1], to[2])];
    }
    return 0.25 * sum;
}

/* Liquid that falls away from an open side does not draw liquid after it. */
static double part_coming_in(const VolumeFlow *flow, int axis, int end, const int cell[3]) {
    return flow->liquid_beyond ? flow->liquid_beyond(flow->user, axis, end, cell) : 0;
}

static double flux_of_face(const FluxJob *job, const int at[3]) {
    const Grid *grid = &job->phi->grid;
    int axis = job->axis, low[3] = {at[0], at[1], at[2]}, high[3] = {at[0], at[1], at[2]};
    const GridField *u = job->flow->velocity[axis];
    double v[3] = {0, 0, 0}, speed = u->data[field_index(u, at[0], at[1], at[2])];
    const double *open = job->flow->open ? job->flow->open[axis] : NULL;
    if (open) speed *= open[grid_face_index(grid, axis, at[0], at[1], at[2])];
    if (speed == 0) return 0;
    int n = grid->n[axis];
    int end = at[axis] > 0;
    bool wraps = grid_is_periodic(grid, axis), on_side = !wraps && at[axis] % n == 0;
    double amount = speed * job->flow->dt / grid->spacing;
    if (on_side && grid->sides[axis][end] == SIDE_WALL) return 0;
    low[axis]--;
    if (low[axis] < 0) low[axis] = wraps ? n - 1 : 0;
    if (high[axis] >= n) high[axis] = wraps ? 0 : n - 1;
    if (on_side && grid->sides[axis][end] == SIDE_OPEN && (end ? speed < 0 : speed > 0))
        return amount * part_coming_in(job->flow, axis, end, end ? low : high);
    size_t below = grid_cell_index(grid, low[0], low[1], low[2]);
    size_t above = grid_cell_index(grid, high[0], high[1], high[2]);
    if (!is_near(job, below) && !is_near(job, above))
        return amount * job->parts[speed > 0 ? below : above];
    if (is_dry(job, below) || is_dry(job, above)) return 0;
    for (int other = 0; other < grid->dim; other++)
        v[other] = other == axis ? u->data[field_index(u, at[0], at[1], at[2])]
                                 : mean_at_face(job->flow->velocity[other], axis, other, at);
    double x[3];
    vec3_store(x, grid->origin);
    for (int other = 0; other < grid->dim; other++)
        x[other] += (at[other] + (other == axis ? 0.0 : 0.5)) * grid->spacing;
    return amount * liquid_of_sweep(job, vec3_load(x), vec3_load(v));
}

static void flux_row(void *user, int j, int k) {
    const FluxJob *job = user;
    const Grid *grid = &job->phi->grid;
    int n = grid_place_size(grid, grid_place_faces(job->axis), 0);
    for (int i = 0; i < n; i++)
        job->flux[job->axis][grid_face_index(grid, job->axis, i, j, k)] =
            flux_of_face(job, (int[3]){i, j, k});
}

/* What flows out of a cell in dt altogether, over its volume: where there are sources, what they
 * make. */
static double outflow(const FluxJob *job, const int at[3]) {
    const Grid *grid = &job->phi->grid;
    double sum = 0;
    for (int axis = 0; axis < grid->dim; axis++)
        for (int end = 0; end < 2; end++) {
            int face[3] = {at[0], at[1], at[2]};
            face[axis] += end;
            const GridField *u = job->flow->velocity[axis];
            const double *open = job->flow->open ? job->flow->open[axis] : NULL;
            double speed = u->data[field_index(u, face[0], face[1], face[2])];
            if (open) speed *= open[grid_face_index(grid, axis, face[0], face[1], face[2])];
            sum += end ? speed : -speed;
        }
    return sum * job->flow->dt / grid->spacing;
}

static void predict_row(void *user, int j, int k) {
    const FluxJob *job = user;
    const Grid *grid = &job->phi->grid;
    for (int at[3] = {0, j, k}; at[0] < grid->n[0]; at[0]++) {
        size_t cell = grid_cell_index(grid, at[0], at[1], at[2]);
        double part = job->parts[cell];
        if (is_near(job, cell)) {
            for (int axis = 0; axis < grid->dim; axis++) {
                int next[3] = {at[0], at[1], at[2]};
                next[axis]++;
                part += job->flux[axis][grid_face_index(grid, axis, at[0], at[1], at[2])] -
                        job->flux[axis][grid_face_index(grid, axis, next[0], next[1], next[2])];
            }
            bool makes = job->flow->has_sources && (!job->flow->made || job->flow->made[cell] != 0);
            if (makes && job->parts[cell] > 0.5) part += job->parts[cell] * outflow(job, at);
        }
        job->predicted[cell] = part;
    }
}

static double fastest(const VolumeFlow *flow, int dim) {
    double most = 0;
    for (int axis = 0; axis < dim; axis++) {
        const GridField *u = flow->velocity[axis];
        for (int k = 0; k < u->n[2]; k++)
            for (int j = 0; j < u->n[1]; j++)
                for (int i = 0; i < u->n[0]; i++)
                    if (fabs(u->data[field_index(u, i, j, k)]) > most)
                        most = fabs(u->data[field_index(u, i, j, k)]);
    }
    return most;
}

/* Calls `visit` for every face on an open side and the cell inside it. */
static void for_open_faces(const FluxJob *job, void *user,
                           void (*visit)(const FluxJob *job, void *user, int axis, int end,
                                         const int face[3], const int cell[3])) {
    const Grid *grid = &job->phi->grid;
    for (int axis = 0; axis < grid->dim; axis++)
        for (int end = 0; end < 2; end++) {
            if (grid->sides[axis][end] != SIDE_OPEN) continue;
            int b = (axis + 1) % 3, c = (axis + 2) % 3, face[3], cell[3];
            face[axis] = end ? grid->n[axis] : 0;
            cell[axis] = end ? grid->n[axis] - 1 : 0;
            for (face[c] = 0; face[c] < grid->n[c]; face[c]++)
                for (face[b] = 0; face[b] < grid->n[b]; face[b]++) {
                    cell[b] = face[b];
                    cell[c] = face[c];
                    visit(job, user, axis, end, face, cell);
                }
        }
}

/* Where air comes in beside liquid, or liquid beside air, there is a surface. */
static void mark_if_surface(const FluxJob *job, void *user, int axis, int end, const int face[3],
                            const int cell[3]) {
    double *near = user;
    const GridField *u = job->flow->velocity[axis];
    double speed = u->data[field_index(u, face[0], face[1], face[2])];
    size_t inside = grid_cell_index(&job->phi->grid, cell[0], cell[1], cell[2]);
    if ((end ? speed < 0 : speed > 0) &&
        part_coming_in(job->flow, axis, end, cell) != job->parts[inside])
        near[inside] = 0.5;
}

static void add_flux(const FluxJob *job, void *user, int axis, int end, const int face[3],
                     const int cell[3]) {
    (void)cell;
    double *sum = user;
    size_t at = grid_face_index(&job->phi->grid, axis, face[0], face[1], face[2]);
    *sum += (end ? 1 : -1) * job->flux[axis][at];
}

static PlimStatus predict(FluxJob *job, double *now, double *near) {
    const VolumeFlow *flow = job->flow;
    const Grid *grid = &job->phi->grid;
    size_t cells = grid_cell_count(grid);
    double *work = scratch_take(flow->scratch, cells, sizeof *work);
    if (!now || !near || !work) return PLIM_OUT_OF_MEMORY;
    for (int axis = 0; axis < grid->dim; axis++) {
        job->flux[axis] = scratch_take(flow->scratch, grid_face_count(grid, axis), sizeof(double));
        if (!job->flux[axis]) return PLIM_OUT_OF_MEMORY;
    }
    liquid_fractions(job->phi, flow->solid, flow->threads, now);
    int reach = 1 + (int)ceil(fastest(flow, grid->dim) * flow->dt / grid->spacing);
    memcpy(near, now, cells * sizeof *near);
    for (size_t i = 0; flow->separated && i < cells; i++)
        if (flow->separated[i]) near[i] = 0.5;
    job->parts = now;
    job->near = near;
    for_open_faces(job, near, mark_if_surface);
    cells_smooth(grid, NULL, SMOOTH_FORTH, reach, flow->threads, near, work);
    for (job->axis = 0; job->axis < grid->dim; job->axis++)
        grid_for_rows(grid, grid_place_faces(job->axis), flow->threads, flux_row, job);
    grid_for_rows(grid, PLACE_CELLS, flow->threads, predict_row, job);
    return PLIM_OK;
}

PlimStatus volume_predict(const VolumeFlow *flow, const GridField *phi, double *parts,
                          double *left) {
    size_t cells = grid_cell_count(&phi->grid), mark = scratch_mark(flow->scratch);
    GridField surface = *phi;
    ParticleLevelSet set = {.phi = &surface};
    FluxJob job = {.flow = flow, .phi = phi, .plan = particle_plan(&set, NULL), .predicted = parts};
    double *now = scratch_take(flow->scratch, cells, sizeof *now);
    double *near = scratch_take(flow->scratch, cells, sizeof *near);
    PlimStatus status = predict(&job, now, near);
    *left = 0;
    if (status == PLIM_OK) for_open_faces(&job, left, add_flux);
    *left *= grid_cell_volume(&phi->grid);
    scratch_release(flow->scratch, mark);
    return status;
}
