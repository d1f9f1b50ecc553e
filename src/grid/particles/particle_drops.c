/* Particle level set, removed particles: drops and bubbles in ballistic flight. */
#include "base/parallel.h"
#include "grid/particles/particle_parts.h"

typedef struct FlyJob {
    const ParticleLevelSet *set;
    ParticlePlan plan;
    Vec3 gravity, rise; /* m/s^2; m/s, of bubbles */
    double dt;
    unsigned char *marks;
} FlyJob;

static Vec3 velocity_at(const ParticlePlan *plan, Vec3 point) {
    double v[3] = {0, 0, 0};
    for (int axis = 0; axis < plan->dim; axis++)
        v[axis] = particle_sample_one(plan, &plan->velocity[axis], point, NULL);
    return vec3_load(v);
}

/* Velocity over the step, and at its end. */
typedef struct Flight {
    Vec3 mean, end;
} Flight;

static Flight fly(const FlyJob *job, int sign, Vec3 point, Vec3 velocity) {
    if (sign < 0) /* x += dt v + dt^2 / 2 g, v += dt g */
        return (Flight){vec3_add_scaled(velocity, 0.5 * job->dt, job->gravity),
                        vec3_add_scaled(velocity, job->dt, job->gravity)};
    Vec3 start = vec3_add(velocity_at(&job->plan, point), job->rise);
    Vec3 later = vec3_add_scaled(point, job->dt, start); /* equation 4.7 */
    Vec3 end = vec3_add(velocity_at(&job->plan, later), job->rise);
    Vec3 mean = vec3_scale(0.5, vec3_add(start, end));
    return (Flight){mean, mean};
}

/* What moves into a wall loses that part of its velocity. */
static Vec3 stop_at_walls(unsigned held, Vec3 velocity) {
    for (int axis = 0; axis < 3; axis++)
        if (held >> axis & 1)
            velocity = vec3_add_scaled(velocity, -vec3_component(velocity, axis), vec3_axis(axis));
    return velocity;
}

static void fly_range(void *user, size_t begin, size_t end) {
    const FlyJob *job = user;
    const ParticlePlan *plan = &job->plan;
    LevelParticles *drops = job->set->drops;
    for (size_t p = begin; p < end; p++) {
        Vec3 from = vec3_load(drops->position + 3 * p), point, normal = vec3(0, 0, 0);
        Vec3 velocity = vec3_load(drops->velocity + 3 * p);
        Flight flight = fly(job, drops->sign[p], from, velocity);
        point = vec3_add_scaled(from, job->dt, flight.mean);
        velocity = flight.end;
        unsigned held;
        if (!particle_stay_inside(plan, &point, &held))
            job->marks[p] = particle_goes(PARTICLE_OUTSIDE);
        else if (plan->solid.first &&
                 !particle_keep_side(job->set, plan, from, drops->radius[p], &point, &normal))
            job->marks[p] = particle_goes(PARTICLE_BURIED);
        velocity = stop_at_walls(held, velocity);
        double toward = vec3_dot(velocity, normal);
        if (toward < 0) velocity = vec3_add_scaled(velocity, -toward, normal);
        vec3_store(drops->position + 3 * p, point);
        vec3_store(drops->velocity + 3 * p, velocity);
    }
}

PlimStatus drops_move(ParticleLevelSet *set, const GridField *const velocity[3], Vec3 gravity,
                      double rise, double dt) {
    if (!set->drops || set->drops->count == 0 || dt == 0) return PLIM_OK;
    size_t count = set->drops->count, scratch = scratch_mark(set->scratch);
    if (set->phi->grid.dim == 2) gravity.z = 0;
    FlyJob job = {set,     particle_plan(set, velocity),
                  gravity, vec3_scale(-rise, vec3_normalize(gravity)),
                  dt,      particle_marks(set->scratch, count)};
    if (!job.marks) return PLIM_OUT_OF_MEMORY;
    parallel_for(set->threads, count, PARTICLE_GRAIN, fly_range, &job);
    particle_land(set, &job.plan, job.marks);
    PlimStatus status = particle_take_away(set->drops, job.marks, set->tally.drops);
    scratch_release(set->scratch, scratch);
    return status;
}
