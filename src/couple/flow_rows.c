/* The rows of a structure in a flow (002 sections 5.4 to 5.7): what surfaces add to the coupled
 * solve of a fluid.
 *
 * W, J. What a surface pushes through the part of a face that it closes is that area times its
 * velocity in the middle of it. A face whose middle is inside a surface, with viscosity, moves with
 * it: the fluid in what is open of it has its mass merged into the structure's (a tie, eliminated).
 * Others that it cuts are free and open in part. The document ties whole faces between cell centres
 * on either side of the surface; with parts of faces the same rows are second order where it is
 * first.
 *
 * Gravity. Along axes on which a pressure that is left out carries the fluid's weight, it carries
 * that of the fluid in a body's place too: exactly, so that a body of the fluid's density rests. It
 * is among the known forces of a surface. Elsewhere nothing carries it, and gravity accelerates
 * fluid and bodies alike. */
#include "couple/internal.h"

#include "base/assert.h"

#include <string.h>

/* A rigid body's velocity along `axis` at `arm` from its center, v_a + (omega x r)_a, as a row
 * (5.10). */
static void rigid_row(int axis, Vec3 arm, double row[6]) {
    vec3_store(row, vec3_axis(axis));
    vec3_store(row + 3, vec3_cross(arm, vec3_axis(axis)));
}

/* ---- blocks ---- */

static void add_block(FlowAssembly *a, const MassBlock *mass, size_t source, const double *velocity,
                      const double *through) {
    MassBlock block = *mass;
    block.first = a->velocity.count;
    bool good =
        array_push(a->context, &a->blocks, block) && array_push(a->context, &a->source, source);
    for (int i = 0; good && i < block.size; i++) {
        double momentum = block.is_free ? gathered_impulse(a->gathered, source)[i] : 0;
        for (int j = 0; block.is_free && j < block.size; j++)
            momentum += block.mass[i][j] * gathered_before(a->gathered, source)[j];
        good = array_push(a->context, &a->momentum, momentum) &&
               array_push(a->context, &a->block_of, a->blocks.count - 1) &&
               array_push(a->context, &a->velocity, velocity[i]) &&
               array_push(a->context, &a->through, through ? through[i] : 0.0) &&
               array_push(a->context, &a->impulse, 0.0);
    }
    if (good && source != NO_BLOCK) a->local.data[source] = (int32_t)a->blocks.count - 1;
    a->failed = a->failed || !good;
}

/* The velocities of a surface: those of its system, or given. */
static void add_surface(FlowAssembly *a, FlowSurface *surface, double dt) {
    double velocity[6], through[6] = {0};
    vec3_store(velocity, surface->now.velocity);
    vec3_store(velocity + 3, surface->now.angular_velocity);
    vec3_store(through, surface->through);
    MassBlock given = {.size = 6};
    size_t block = NO_BLOCK;
    if (surface->is_solved_for) block = gathered_block_of_surface(a->gathered, &surface->ref);
    surface->is_solved_for = block != NO_BLOCK; /* its system may be left out of the step */
    add_block(a, block == NO_BLOCK ? &given : gathered_mass(a->gathered, block), block, velocity,
              through);
    if (block == NO_BLOCK || a->failed) return;
    double *momentum = a->momentum.data + a->momentum.count - 6;
    for (int i = 0; i < 3; i++) {
        momentum[i] += dt * vec3_component(surface->force, i);
        momentum[3 + i] += dt * vec3_component(surface->torque, i);
    }
}

static void include(FlowAssembly *a, size_t block) {
    if (a->local.data[block] >= 0 || a->failed) return;
    add_block(a, gathered_mass(a->gathered, block), block, gathered_before(a->gathered, block),
              NULL);
}

/* All blocks of a row that has one in the structure, those of infinite mass too. */
static void include_row(void *user, const GatheredRow *row) {
    FlowAssembly *a = user;
    bool is_here = false;
    for (size_t e = 0; e < row->count; e++) {
        size_t block = a->gathered->block_of.data[row->offset + (size_t)row->column[e]];
        is_here =
            is_here || (a->local.data[block] >= 0 && gathered_mass(a->gathered, block)->is_free);
    }
    for (size_t e = 0; is_here && e < row->count; e++)
        include(a, a->gathered->block_of.data[row->offset + (size_t)row->column[e]]);
}

static PlimStatus add_blocks(FlowAssembly *a) {
    const Gathered *gathered = a->gathered;
    const FlowOffer *offer = a->offer;
    a->local.count = 0;
    a->is_reached.count = 0;
    if (!array_reserve(a->context, &a->local, gathered->blocks.count + 1) ||
        !array_reserve(a->context, &a->is_reached, gathered->blocks.count + 1))
        return PLIM_OUT_OF_MEMORY;
    for (size_t b = 0; b < gathered->blocks.count; b++) {
        a->local.data[b] = -1;
        a->is_reached.data[b] = false;
    }
    for (size_t i = 0; i < offer->surface_count; i++)
        add_surface(a, &offer->surfaces[i], offer->step.dt);
    for (size_t i = 0; i < offer->surface_count && !a->failed; i++) {
        size_t source = a->source.data[i];
        if (source != NO_BLOCK && gathered->blocks.data[source].is_rowed)
            a->is_reached.data[gathered->blocks.data[source].root] = true;
    }
    for (size_t b = 0; b < gathered->blocks.count; b++)
        if (a->is_reached.data[gathered->blocks.data[b].root]) include(a, b);
    gathered_rows(gathered, ROWS_HELD, include_row, a);
    gathered_rows(gathered, ROWS_DAMPED, include_row, a);
    return a->failed ? PLIM_OUT_OF_MEMORY : PLIM_OK;
}

/* ---- J: what the structure's velocities are at a surface ---- */

static size_t local_column(const FlowAssembly *a, size_t column) {
    size_t block = a->gathered->block_of.data[column];
    return a->blocks.data[a->local.data[block]].first + column -
           a->gathered->blocks.data[block].first;
}

static size_t first_of_system(const Gathered *gathered, const void *system) {
    for (size_t i = 0; i < gathered->system_count; i++)
        if (gathered->systems.data[i].instance->object == system)
            return gathered->systems.data[i].first;
    return 0;
}

static void surface_row(const void *user, const FlowAnchor *anchor, Vec3 x, int axis,
                        SparseRow *row) {
    const FlowAssembly *a = user;
    const FlowSurface *surface = &a->offer->surfaces[anchor->surface];
    Vec3 arm = vec3_sub(x, anchor->center);
    int before = row->count;
    if (a->source.data[anchor->surface] == NO_BLOCK) {
        double values[6];
        rigid_row(axis, arm, values);
        for (int i = 0; i < 6; i++)
            sparse_row_add(row, (int32_t)a->blocks.data[anchor->surface].first + i, values[i]);
        return;
    }
    surface->ref.class->row(surface->ref.system, surface->ref.surface,
                            vec3_add(surface->position, arm), axis, row);
    size_t first = first_of_system(a->gathered, surface->ref.system);
    for (int i = before; i < row->count; i++)
        row->column[i] = (int32_t)local_column(a, first + (size_t)row->column[i]);
}

static FlowAnchor surface_at(const void *user, Vec3 x) {
    const FlowAssembly *a = user;
    return a->offer->nearest(a->offer->system, x);
}

/* ---- W: what surfaces push, and what moves with them ---- */

static void add_flux(FlowAssembly *a, const FlowFace *face) {
    SparseRow row = {.count = 0};
    FlowFlux flux = {face->is_film ? FLUX_OF_CELL : face->axis,
                     {face->at[0], face->at[1], face->at[2]},
                     fabs(face->closed)};
    surface_row(a, &face->anchor, face->middle, face->axis, &row);
    bool good = array_push(a->context, &a->fluxes, flux);
    for (int i = 0; good && i < row.count; i++)
        good = csr_builder_add(a->context, &a->flux_rows, (size_t)row.column[i],
                               face->closed * row.value[i]);
    a->failed = a->failed || !good || !csr_builder_end_row(a->context, &a->flux_rows);
}

/* The fluid in the open part of a face that moves with the surface: T^T B w*. It has moved with it
 * before, but at the start, and feels gravity where no pressure carries its weight. */
static void merge_mass(FlowAssembly *a, const FlowFace *face, SolveWhen when) {
    size_t source = a->source.data[face->anchor.surface];
    MassBlock *block = &a->blocks.data[face->anchor.surface];
    const FlowOffer *offer = a->offer;
    double u = 0, values[6] = {0};
    SparseRow row = {.count = 0};
    if (source == NO_BLOCK) return;
    surface_row(a, &face->anchor, face->x, face->axis, &row);
    for (int i = 0; i < row.count; i++) {
        size_t at = (size_t)row.column[i] - block->first;
        PLIM_ASSERT(at < 6); /* a rigid surface */
        values[at] = row.value[i];
    }
    const double *before = gathered_before(a->gathered, source);
    const double *fall = gathered_fall(a->gathered, source);
    for (int i = 0; i < 6; i++) u += values[i] * (before[i] - fall[i]);
    if (!offer->carries_weight[face->axis])
        u += vec3_component(offer->step.gravity, face->axis) * offer->step.dt;
    if (solve_is_impulse(when) || offer->keeps_momentum) u = face->velocity;
    for (int i = 0; i < 6; i++) {
        a->momentum.data[block->first + (size_t)i] += face->mass * u * values[i];
        for (int j = 0; j < 6; j++) block->mass[i][j] += face->mass * values[i] * values[j];
    }
}

/* ---- R, C: rows and dampers among the structure's velocities ---- */

/* A row of velocities that are all in the structure, one of them free. */
static bool add_row(FlowAssembly *a, CsrBuilder *to, const GatheredRow *row) {
    bool is_free = false, good = true;
    for (size_t e = 0; e < row->count; e++) {
        size_t block = a->gathered->block_of.data[row->offset + (size_t)row->column[e]];
        if (a->local.data[block] < 0) return false;
        is_free = is_free || gathered_mass(a->gathered, block)->is_free;
    }
    if (!is_free) return false;
    for (size_t e = 0; good && e < row->count; e++)
        good = csr_builder_add(
            a->context, to, local_column(a, row->offset + (size_t)row->column[e]), row->value[e]);
    if (good) csr_builder_sort_row(to);
    if (!good || !csr_builder_end_row(a->context, to)) a->failed = true;
    return true;
}

static void add_held(void *user, const GatheredRow *row) {
    FlowAssembly *a = user;
    if (add_row(a, &a->rows, row) && !array_push(a->context, &a->target, row->target))
        a->failed = true;
}

static void add_damped(void *user, const GatheredRow *row) {
    FlowAssembly *a = user;
    add_row(a, &a->dampers, row);
}

static void hold(FlowAssembly *a, size_t block, const double row[6]) {
    bool good = array_push(a->context, &a->target, 0.0);
    for (int i = 0; good && i < 6; i++)
        good =
            csr_builder_add(a->context, &a->rows, a->blocks.data[block].first + (size_t)i, row[i]);
    a->failed = a->failed || !good || !csr_builder_end_row(a->context, &a->rows);
}

/* Bodies stay in the plane of a flow in two dimensions. */
static void hold_in_plane(FlowAssembly *a, size_t surface) {
    static const double plane[3][6] = {{0, 0, 1}, {0, 0, 0, 1}, {0, 0, 0, 0, 1}};
    if (a->source.data[surface] == NO_BLOCK || a->offer->problem.grid->dim == 3) return;
    for (int i = 0; i < 3; i++) hold(a, surface, plane[i]);
}

/* ---- all of it ---- */

static void clear(FlowAssembly *a) {
    a->failed = false;
    a->blocks.count = a->source.count = a->momentum.count = a->velocity.count = 0;
    a->block_of.count = a->impulse.count = a->through.count = a->target.count = a->fluxes.count = 0;
    csr_builder_clear(&a->flux_rows);
    csr_builder_clear(&a->rows);
    csr_builder_clear(&a->dampers);
}

static bool view_rows(FlowAssembly *a) {
    size_t count = a->velocity.count;
    return csr_builder_view(a->context, &a->flux_rows, count, &a->flux_csr) &&
           csr_builder_view(a->context, &a->rows, count, &a->row_csr) &&
           csr_builder_view(a->context, &a->dampers, count, &a->damper_csr);
}

static void set_problem(FlowAssembly *a) {
    FlowProblem *problem = &a->offer->problem;
    a->structure = (FlowStructure){.count = a->velocity.count,
                                   .blocks = a->blocks.data,
                                   .block_count = a->blocks.count,
                                   .momentum = a->momentum.data,
                                   .velocity = a->velocity.data,
                                   .impulse = a->impulse.data,
                                   .through = a->through.data,
                                   .dampers = a->damper_csr.rows > 0 ? &a->damper_csr : NULL,
                                   .constraints = &a->row_csr,
                                   .target = a->target.data,
                                   .least_new = a->has_contact ? 0.05 : 0};
    problem->structure = a->blocks.count > 0 ? &a->structure : NULL;
    problem->fluxes = a->fluxes.data;
    problem->flux_rows = &a->flux_csr;
    problem->surface_at = surface_at;
    problem->surface_row = surface_row;
    problem->user = a;
}

PlimStatus flow_assemble(FlowAssembly *a, const Gathered *gathered, FlowOffer *offer,
                         SolveWhen when) {
    a->context = offer->step.context;
    a->gathered = gathered;
    a->offer = offer;
    clear(a);
    TRY(add_blocks(a));
    gathered_rows(gathered, ROWS_HELD, add_held, a);
    gathered_rows(gathered, ROWS_DAMPED, add_damped, a);
    couple_add_lubrication(a, when);
    for (size_t i = 0; i < offer->surface_count && !a->failed; i++) {
        size_t source = a->source.data[i];
        offer->surfaces[i].is_held = source != NO_BLOCK && gathered->blocks.data[source].is_rowed;
        hold_in_plane(a, i);
    }
    for (size_t f = 0; f < offer->face_count && !a->failed; f++) {
        if (offer->faces[f].closed != 0) add_flux(a, &offer->faces[f]);
        if (offer->faces[f].mass > 0) merge_mass(a, &offer->faces[f], when);
    }
    if (a->failed || !view_rows(a)) return PLIM_OUT_OF_MEMORY;
    set_problem(a);
    return PLIM_OK;
}

void flow_assembly_free(FlowAssembly *a, PlimContext *context) {
    array_free(context, &a->blocks);
    array_free(context, &a->source);
    array_free(context, &a->block_of);
    array_free(context, &a->local);
    array_free(context, &a->is_reached);
    array_free(context, &a->momentum);
    array_free(context, &a->velocity);
    array_free(context, &a->impulse);
    array_free(context, &a->through);
    array_free(context, &a->target);
    array_free(context, &a->fluxes);
    csr_builder_free(context, &a->flux_rows);
    csr_builder_free(context, &a->rows);
    csr_builder_free(context, &a->dampers);
}
