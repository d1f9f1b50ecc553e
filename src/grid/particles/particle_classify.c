/* Particle level set, classification: radii, escaped particles that become drops or bubbles, and
 * those that return (000 section 4.5.2). */
#include "base/parallel.h"
#include "grid/particles/particle_parts.h"

ParticleOptions particle_options_default(int dim) {
    return (ParticleOptions){.per_cell = dim == 3 ? 32 : 16,
                             .band = 3.0,
                             .least = 0.1,
                             .most = 0.5,
                             .escape = 0.5,
                             .keep_drops = true};
}

typedef struct SortJob {
    const ParticleLevelSet *set;
    ParticlePlan plan;
    LevelParticles *of;
    unsigned char *marks;
} SortJob;

/* ---- drops and bubbles that return ---- */

static void find_returning(void *user, size_t begin, size_t end) {
    const SortJob *job = user;
    const ParticleOptions *options = job->set->options;
    double at[3][TRACE_BLOCK], phi[TRACE_BLOCK], band = options->band * job->plan.spacing;
    for (size_t first = begin; first < end; first += TRACE_BLOCK) {
        int count = end - first < TRACE_BLOCK ? (int)(end - first) : TRACE_BLOCK;
        particle_places(&job->plan, job->of->position + 3 * first, count, at);
        particle_sample(&job->plan.phi, job->plan.dim, at, count, phi);
        for (int i = 0; i < count; i++) {
            size_t p = first + (size_t)i;
            double inside = job->of->sign[p] * phi[i];
            bool wanted = job->of->sign[p] < 0 ? options->keep_drops : options->keep_bubbles;
            bool carries = job->of->volume && job->of->volume[p] != 0;
            if (inside > (carries ? 0 : job->of->radius[p]))
                job->marks[p] = particle_goes(inside < band ? PARTICLE_RETURNED : PARTICLE_MERGED);
            else if (!wanted)
                job->marks[p] = particle_goes(PARTICLE_MERGED);
        }
    }
}

static PlimStatus take_back(ParticleLevelSet *set, SortJob *job) {
    size_t before = set->particles->count;
    job->of = set->drops;
    job->marks = particle_marks(set->scratch, job->of->count);
    if (!job->marks) return PLIM_OUT_OF_MEMORY;
    parallel_for(set->threads, job->of->count, PARTICLE_GRAIN, find_returning, job);
    TRY(particle_append_marked(set->particles, job->of, job->marks,
                               particle_goes(PARTICLE_RETURNED)));
    set->tally.particles[PARTICLE_RETURNED] += set->particles->count - before;
    particle_land(set, &job->plan, job->marks);
    return particle_take_away(job->of, job->marks, set->tally.drops);
}

/* ---- particles: radii, and those that leave ---- */

static void size_and_find_lost(void *user, size_t begin, size_t end) {
    const SortJob *job = user;
    const ParticleOptions *options = job->set->options;
    double at[3][TRACE_BLOCK], phi[TRACE_BLOCK], h = job->plan.spacing;
    for (size_t first = begin; first < end; first += TRACE_BLOCK) {
        int count = end - first < TRACE_BLOCK ? (int)(end - first) : TRACE_BLOCK;
        double *restrict radius = job->of->radius + first;
        const int32_t *restrict sign = job->of->sign + first;
        unsigned char *restrict marks = job->marks + first;
        particle_places(&job->plan, job->of->position + 3 * first, count, at);
        particle_sample(&job->plan.phi, job->plan.dim, at, count, phi);
        for (int i = 0; i < count; i++) {
            double inside = sign[i] * phi[i];
            bool lost = -inside > options->escape * h;
            marks[i] = lost ? particle_goes(PARTICLE_ESCAPED) : 0;
            radius[i] = lost ? radius[i] : particle_radius(options, h, inside);
        }
    }
}

/* Of those that leave, marks the ones that become no drop or bubble apart: only the others are
 * appended. */
static PlimStatus let_go(ParticleLevelSet *set, const SortJob *job) {
    const ParticleOptions *options = set->options;
    const unsigned char leaves = particle_goes(PARTICLE_ESCAPED), ends = leaves | 0x80;
    size_t count = job->of->count, before = set->drops ? set->drops->count : 0;
    for (size_t p = particle_next_marked(job->marks, 0, count); p < count;
         p = particle_next_marked(job->marks, p + 1, count))
        if (!set->drops || !(job->of->sign[p] < 0 ? options->keep_drops : options->keep_bubbles))
            job->marks[p] = ends;
    if (set->drops) {
        TRY(particle_append_marked(set->drops, job->of, job->marks, leaves));
        set->tally.drops[PARTICLE_ESCAPED] += set->drops->count - before;
    }
    for (size_t p = particle_next_marked(job->marks, 0, count); p < count;
         p = particle_next_marked(job->marks, p + 1, count))
        job->marks[p] = leaves;
    return particle_take_away(job->of, job->marks, set->tally.particles);
}

/* New drops and bubbles leave with the velocity that the liquid has there. */
static void start_drops(const ParticlePlan *plan, Vec3 drop_gain, LevelParticles *drops,
                        size_t first) {
    double at[3][TRACE_BLOCK], v[3][TRACE_BLOCK], gain[3];
    vec3_store(gain, drop_gain);
    for (; first < drops->count; first += TRACE_BLOCK) {
        size_t left = drops->count - first;
        int count = left < TRACE_BLOCK ? (int)left : TRACE_BLOCK;
        particle_places(plan, drops->position + 3 * first, count, at);
        trace_velocity(plan->velocity, plan->dim, at, count, v);
        for (int i = 0; i < count; i++)
            for (int axis = 0; axis < plan->dim; axis++)
                drops->velocity[3 * (first + (size_t)i) + (size_t)axis] =
                    v[axis][i] + (drops->sign[first + (size_t)i] < 0 ? gain[axis] : 0);
    }
}

static PlimStatus sort_out(ParticleLevelSet *set, SortJob *job) {
    if (set->drops) TRY(take_back(set, job));
    size_t drops = set->drops ? set->drops->count : 0;
    job->of = set->particles;
    job->marks = particle_marks(set->scratch, job->of->count);
    if (!job->marks) return PLIM_OUT_OF_MEMORY;
    parallel_for(set->threads, job->of->count, PARTICLE_GRAIN, size_and_find_lost, job);
    TRY(let_go(set, job));
    if (set->drops) start_drops(&job->plan, set->drop_gain, set->drops, drops);
    return PLIM_OK;
}

PlimStatus particles_classify(ParticleLevelSet *set, const GridField *const velocity[3]) {
    size_t scratch = scratch_mark(set->scratch);
    SortJob job = {.set = set, .plan = particle_plan(set, velocity)};
    PlimStatus status = sort_out(set, &job);
    scratch_release(set->scratch, scratch);
    return status;
}
