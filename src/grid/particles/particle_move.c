/* Particle level set, advection of particles (000 section 4.5.2, equation 4.7). */
#include "base/parallel.h"
#include "grid/particles/particle_parts.h"

#include <string.h>

typedef struct MoveJob {
    const ParticleLevelSet *set;
    ParticlePlan plan;
    double dt;
    unsigned char *marks;
} MoveJob;

/* 000 section 4.5.2, equation 4.7: sets v to the mean of the velocities at both ends of a straight
 * step. */
static void mean_velocity(const ParticlePlan *plan, double dt, const double *position, int count,
                          double (*v)[TRACE_BLOCK]) {
    double at[3][TRACE_BLOCK], end[3][TRACE_BLOCK];
    double cells = dt / plan->spacing;
    particle_places(plan, position, count, at);
    trace_velocity(plan->velocity, plan->dim, at, count, v);
    for (int axis = 0; axis < plan->dim; axis++)
        for (int i = 0; i < count; i++) at[axis][i] += cells * v[axis][i];
    particle_confine(plan, count, at);
    trace_velocity(plan->velocity, plan->dim, at, count, end);
    for (int axis = 0; axis < plan->dim; axis++)
        for (int i = 0; i < count; i++) v[axis][i] = 0.5 * (v[axis][i] + end[axis][i]);
}

/* Adds dt v, and brings back inside what a wall holds or a periodic side passes on. */
static void move_block(const MoveJob *job, double *position, unsigned char *marks, int count,
                       double (*const v)[TRACE_BLOCK]) {
    const ParticlePlan *plan = &job->plan;
    bool outside[TRACE_BLOCK] = {0};
    for (int axis = 0; axis < plan->dim; axis++) {
        double low = plan->origin[axis], high = low + plan->size[axis];
        for (int i = 0; i < count; i++) {
            double x = position[3 * i + axis] + job->dt * v[axis][i];
            position[3 * i + axis] = x;
            outside[i] |= !(x >= low) | !(x <= high);
        }
    }
    for (int i = 0; i < count; i++) {
        if (!outside[i]) continue;
        unsigned held;
        Vec3 point = vec3_load(position + 3 * i);
        if (!particle_stay_inside(plan, &point, &held)) marks[i] = particle_goes(PARTICLE_OUTSIDE);
        vec3_store(position + 3 * i, point);
    }
}

/* Whether something that is so far from solids now may have been on the other side of one. */
static bool may_have_passed(const MoveJob *job, double away, Vec3 way) {
    const double smoothed = 0.5; /* cells, by which distances at cells are less than at nodes */
    if (!job->set->walls) return false;
    return away < vec3_length(way) + smoothed * job->plan.spacing;
}

/* Liquid keeps its own radius away from solids. A push out of a solid at rest is then no longer
 * than the radius, which is no more than the distance from the surface or the least: it makes no
 * particle escape. Air that is in a solid, or would pass through one, goes (000 sections 6.4.2
 * and 7.4). `before`: where they were. */
static void leave_solids(const MoveJob *job, const double *before, size_t first, int count) {
    const LevelParticles *particles = job->set->particles;
    double at[3][TRACE_BLOCK], away[TRACE_BLOCK];
    particle_places(&job->plan, particles->position + 3 * first, count, at);
    particle_sample(&job->plan.solid, job->plan.dim, at, count, away);
    for (int i = 0; i < count; i++) {
        size_t p = first + (size_t)i;
        double distance = particles->sign[p] < 0 ? particles->radius[p] : 0.0;
        if (job->marks[p]) continue;
        Vec3 point = vec3_load(particles->position + 3 * p), from = vec3_load(before + 3 * i);
        Vec3 normal = vec3(0, 0, 0);
        bool passed = may_have_passed(job, away[i], vec3_sub(point, from)) &&
                      particle_is_parted(job->set, &job->plan, from, point);
        if (away[i] >= distance && !passed) continue;
        if (particles->sign[p] > 0 ||
            !particle_keep_side(job->set, &job->plan, from, distance, &point, &normal))
            job->marks[p] = particle_goes(PARTICLE_BURIED);
        else
            vec3_store(particles->position + 3 * p, point);
    }
}

static void move_range(void *user, size_t begin, size_t end) {
    const MoveJob *job = user;
    double *position = job->set->particles->position, v[3][TRACE_BLOCK], before[3 * TRACE_BLOCK];
    for (size_t first = begin; first < end; first += TRACE_BLOCK) {
        int count = end - first < TRACE_BLOCK ? (int)(end - first) : TRACE_BLOCK;
        mean_velocity(&job->plan, job->dt, position + 3 * first, count, v);
        memcpy(before, position + 3 * first, 3 * (size_t)count * sizeof *before);
        move_block(job, position + 3 * first, job->marks + first, count, v);
        if (job->plan.solid.first) leave_solids(job, before, first, count);
    }
}

PlimStatus particles_move(ParticleLevelSet *set, const GridField *const velocity[3], double dt) {
    size_t count = set->particles->count, scratch = scratch_mark(set->scratch);
    if (dt == 0 || count == 0) return PLIM_OK;
    MoveJob job = {set, particle_plan(set, velocity), dt, particle_marks(set->scratch, count)};
    if (!job.marks) return PLIM_OUT_OF_MEMORY;
    parallel_for(set->threads, count, PARTICLE_GRAIN, move_range, &job);
    PlimStatus status = particle_take_away(set->particles, job.marks, set->tally.particles);
    scratch_release(set->scratch, scratch);
    return status;
}
