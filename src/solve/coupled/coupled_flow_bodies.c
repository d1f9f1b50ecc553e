/* Bodies in the coupled solve: J (002 section 5.4.3), which takes a body's motion to velocities at
 * faces, and its transpose, which takes impulses back. */
#include "solve/coupled/coupled_flow_internal.h"

#include "math/cholesky.h"

#include <string.h>

PlimStatus flow_begin_bodies(CoupledFlow *flow) {
    const FlowProblem *problem = flow->problem;
    flow->parts.count = flow->friction.count = flow->fluxes.count = 0;
    flow->motion_count = 0;
    flow->short_of_memory = false;
    for (size_t b = 0; b < problem->body_count; b++) {
        FlowPart part = {.first = flow->motion_count};
        if (!array_push(flow->context, &flow->parts, part)) return PLIM_OUT_OF_MEMORY;
        if (problem->bodies[b].is_free)
            flow->motion_count += (size_t)problem->bodies[b].motion_count;
    }
    return PLIM_OK;
}

static void add_entry(CoupledFlow *flow, bool is_flux, size_t at, size_t body, const double row[6],
                      double factor) {
    FlowEntry entry = {.at = at, .body = body};
    const FlowBody *b = &flow->problem->bodies[body];
    for (int i = 0; i < 6; i++) entry.row[i] = factor * row[i];
    for (int m = 0; b->is_free && m < b->motion_count; m++)
        for (int i = 0; i < 6; i++) entry.reduced[m] += entry.row[i] * b->motion[m][i];
    bool pushed = is_flux ? array_push(flow->context, &flow->fluxes, entry)
                          : array_push(flow->context, &flow->friction, entry);
    if (!pushed) flow->short_of_memory = true;
}

/* ---- friction ---- */

/* How the obstacle's velocity enters a function of a wall term. */
static void wall_row(const CoupledFlow *flow, const WallFunction *f, Vec3 center, double row[6]) {
    memset(row, 0, 6 * sizeof *row);
    if (f->wall_sign != 0.0) {
        flow_velocity_row(f->component, vec3_sub(f->x, center), row);
        for (int i = 0; i < 6; i++) row[i] *= f->wall_sign;
    }
    if (f->wall_slope != 0.0) {
        /* (omega x h e_axis) along the component */
        Vec3 turn =
            vec3_cross(vec3_scale(flow->grid.spacing, vec3_axis(f->axis)), vec3_axis(f->component));
        double slope[3];
        vec3_store(slope, turn);
        for (int i = 0; i < 3; i++) row[3 + i] += f->wall_slope * slope[i];
    }
}

static void add_term(void *user, const WallTerm *term) {
    CoupledFlow *flow = user;
    const FlowProblem *problem = flow->problem;
    double scale = problem->viscosity->stiffness, rows[WALL_FUNCTIONS][6];
    Vec3 center;
    size_t body = (size_t)problem->body_at(problem->user, term->middle, &center);
    FlowPart *part = &flow->parts.data[body];
    for (int i = 0; i < term->count; i++) wall_row(flow, &term->f[i], center, rows[i]);
    for (int i = 0; i < term->count; i++) {
        double reaction[6] = {0}; /* of function i to the body's velocity */
        double given = 0.0;
        for (int j = 0; j < term->count; j++) {
            for (int k = 0; k < 6; k++) reaction[k] += term->coefficient[i][j] * rows[j][k];
            given += term->coefficient[i][j] * term->f[j].given;
        }
        for (int f = 0; f < term->f[i].face_count; f++)
            add_entry(flow, false, term->f[i].face[f], body, reaction, scale * term->f[i].sign[f]);
        for (int k = 0; k < 6; k++) {
            part->push[k] += scale * given * rows[i][k];
            for (int l = 0; l < 6; l++) part->drag[k][l] += scale * rows[i][k] * reaction[l];
        }
    }
}

PlimStatus flow_gather_friction(CoupledFlow *flow, double *velocity[3]) {
    const FlowProblem *problem = flow->problem;
    if (problem->body_count > 0)
        viscosity_wall_terms(problem->viscosity, problem->viscous, velocity, add_term, flow);
    return flow->short_of_memory ? PLIM_OUT_OF_MEMORY : PLIM_OK;
}

/* ---- fluxes ---- */

static void add_flux(CoupledFlow *flow, const FlowFlux *flux, const size_t stride[3],
                     size_t origin) {
    const Grid *grid = &flow->grid;
    bool periodic = grid->sides[flux->axis][0] == SIDE_PERIODIC;
    for (int above = 0; above < 2; above++) {
        int at[3] = {flux->at[0], flux->at[1], flux->at[2]}, a = flux->axis;
        at[a] += above - 1;
        if (periodic) at[a] = (at[a] + grid->n[a]) % grid->n[a];
        if (at[a] < 0 || at[a] >= grid->n[a]) continue;
        if (flow->problem->kind[grid_cell_index(grid, at[0], at[1], at[2])] != CELL_FLUID) continue;
        size_t to = origin;
        for (int b = 0; b < 3; b++) to += (size_t)at[b] * stride[b];
        add_entry(flow, true, to, (size_t)flux->body, flux->row, above ? -1.0 : 1.0);
    }
}

PlimStatus flow_gather_fluxes(CoupledFlow *flow, const size_t stride[3], size_t origin) {
    const FlowProblem *problem = flow->problem;
    for (size_t i = 0; i < problem->flux_count; i++)
        add_flux(flow, &problem->fluxes[i], stride, origin);
    return flow->short_of_memory ? PLIM_OUT_OF_MEMORY : PLIM_OK;
}

/* ---- motions ---- */

void flow_motion_masses(const CoupledFlow *flow, bool drag, double *out) {
    size_t n = flow->motion_count;
    memset(out, 0, n * n * sizeof *out);
    for (size_t b = 0; b < flow->problem->body_count; b++) {
        const FlowBody *body = &flow->problem->bodies[b];
        const FlowPart *part = &flow->parts.data[b];
        for (int i = 0; body->is_free && i < body->motion_count; i++)
            for (int j = 0; j < body->motion_count; j++) {
                double sum = 0.0;
                for (int k = 0; k < 6; k++)
                    for (int l = 0; l < 6; l++)
                        sum += body->motion[i][k] * body->motion[j][l] *
                               (body->mass[k][l] + (drag ? part->drag[k][l] : 0.0));
                out[(part->first + (size_t)i) * n + part->first + (size_t)j] = sum;
            }
    }
}

void flow_motion_momenta(const CoupledFlow *flow, double *out) {
    for (size_t b = 0; b < flow->problem->body_count; b++) {
        const FlowBody *body = &flow->problem->bodies[b];
        const FlowPart *part = &flow->parts.data[b];
        for (int m = 0; body->is_free && m < body->motion_count; m++) {
            double sum = 0.0;
            for (int i = 0; i < 6; i++) {
                double momentum = body->momentum[i] - part->push[i];
                for (int j = 0; j < 6; j++) momentum -= part->drag[i][j] * body->through[j];
                sum += body->motion[m][i] * momentum;
            }
            out[part->first + (size_t)m] = sum;
        }
    }
}

void flow_from_motions(const CoupledFlow *flow, const FlowEntry *entries, size_t count,
                       const double *motions, double *y) {
    for (size_t e = 0; e < count; e++) {
        const FlowEntry *entry = &entries[e];
        const FlowBody *body = &flow->problem->bodies[entry->body];
        const double *own = motions + flow->parts.data[entry->body].first;
        double sum = 0.0;
        for (int m = 0; body->is_free && m < body->motion_count; m++)
            sum += entry->reduced[m] * own[m];
        y[entry->at] += sum;
    }
}

void flow_to_motions(const CoupledFlow *flow, const FlowEntry *entries, size_t count,
                     const double *x, double *motions) {
    for (size_t e = 0; e < count; e++) {
        const FlowEntry *entry = &entries[e];
        const FlowBody *body = &flow->problem->bodies[entry->body];
        double *own = motions + flow->parts.data[entry->body].first;
        for (int m = 0; body->is_free && m < body->motion_count; m++)
            own[m] += entry->reduced[m] * x[entry->at];
    }
}

void flow_from_known(const CoupledFlow *flow, const FlowEntry *entries, size_t count, double factor,
                     double *y) {
    for (size_t e = 0; e < count; e++) {
        const FlowEntry *entry = &entries[e];
        const FlowBody *body = &flow->problem->bodies[entry->body];
        double sum = 0.0;
        for (int i = 0; i < 6; i++)
            sum += entry->row[i] * (body->through[i] + (body->is_free ? 0.0 : body->velocity[i]));
        y[entry->at] += factor * sum;
    }
}

/* ---- results ---- */

void flow_set_velocities(const CoupledFlow *flow, const double *motions) {
    for (size_t b = 0; b < flow->problem->body_count; b++) {
        FlowBody *body = &flow->problem->bodies[b];
        const double *own = motions + flow->parts.data[b].first;
        memset(body->impulse, 0, sizeof body->impulse);
        if (!body->is_free) continue;
        memset(body->velocity, 0, sizeof body->velocity);
        for (int m = 0; m < body->motion_count; m++)
            for (int i = 0; i < 6; i++) body->velocity[i] += own[m] * body->motion[m][i];
    }
}

void flow_add_impulses(const CoupledFlow *flow, const FlowEntry *entries, size_t count,
                       double factor, const double *x) {
    for (size_t e = 0; e < count; e++) {
        FlowBody *body = &flow->problem->bodies[entries[e].body];
        for (int i = 0; i < 6; i++)
            body->impulse[i] += factor * entries[e].row[i] * x[entries[e].at];
    }
}

void flow_add_own_friction(const CoupledFlow *flow) {
    for (size_t b = 0; b < flow->problem->body_count; b++) {
        FlowBody *body = &flow->problem->bodies[b];
        const FlowPart *part = &flow->parts.data[b];
        for (int i = 0; i < 6; i++) {
            body->impulse[i] -= part->push[i];
            for (int j = 0; j < 6; j++)
                body->impulse[i] -= part->drag[i][j] * (body->velocity[j] + body->through[j]);
        }
    }
}

double flow_body_energy(const FlowBody *body, bool before) {
    double sum = 0.0, v[6], factor[36];
    if (!body->is_free) return 0.0;
    memcpy(v, before ? body->momentum : body->velocity, sizeof v);
    memcpy(factor, body->mass, sizeof factor);
    if (before && cholesky_factor(factor, 6)) cholesky_solve(factor, 6, v);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) sum += 0.5 * v[i] * body->mass[i][j] * v[j];
    return sum;
}
