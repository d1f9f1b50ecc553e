/* Particle level set, correction of phi by escaped particles (000 section 4.5.2). */
#include "base/parallel.h"
#include "grid/particles/particle_parts.h"
#include "grid/rows.h"
#include "grid/visibility.h"

#include <math.h>

/* ---- which have escaped ---- */

typedef struct FindJob {
    const ParticleLevelSet *set;
    ParticlePlan plan;
    unsigned char *marks;
} FindJob;

static void find_escaped(void *user, size_t begin, size_t end) {
    const FindJob *job = user;
    const LevelParticles *particles = job->set->particles;
    double at[3][TRACE_BLOCK], phi[TRACE_BLOCK];
    for (size_t first = begin; first < end; first += TRACE_BLOCK) {
        int count = end - first < TRACE_BLOCK ? (int)(end - first) : TRACE_BLOCK;
        const double *restrict radius = particles->radius + first;
        const int32_t *restrict sign = particles->sign + first;
        unsigned char *restrict marks = job->marks + first;
        particle_places(&job->plan, particles->position + 3 * first, count, at);
        particle_sample(&job->plan.phi, job->plan.dim, at, count, phi);
        for (int i = 0; i < count; i++) marks[i] = -sign[i] * phi[i] > radius[i];
    }
}

/* ---- what they claim ---- */

/* A value of phi (index in its data) as the sphere of a particle has it. */
typedef struct Claim {
    size_t at;
    double value;
    double before; /* phi without any claim */
    double liquid; /* phi with the claims of liquid alone */
} Claim;

typedef struct Claims {
    Claim *items;
    size_t count;
} Claims;

/* The value's number along one axis; false beyond a side. */
static bool find_corner(const GridField *phi, int axis, int i, int *at) {
    int n = phi->grid.n[axis];
    if (grid_is_periodic(&phi->grid, axis))
        i = i < 0 ? i + n : i >= n ? i - n : i; /* never the double last layer */
    else if (i < 0 || i >= phi->n[axis])
        return false;
    *at = i;
    return true;
}

/* Whether a wall is between a particle and where the value lies, or ends that lies in a solid. */
static bool is_behind_wall(const ParticleLevelSet *set, const ParticlePlan *plan, Vec3 particle,
                           const int at[3]) {
    const GridField *phi = set->phi;
    const Grid *grid = &phi->grid;
    if (!set->parted || !set->walls) return false;
    size_t value = grid_row_start(grid, phi->place, at[1], at[2]) + (size_t)at[0];
    if (!(set->parted[value] & VISIBILITY_NEAR_WALL)) return false;
    Vec3 x = grid_position(grid, phi->place, at[0], at[1], at[2]);
    double distance = visibility_distance(grid, set->walls, x);
    if (distance < 0) x = vec3_add_scaled(x, -distance, visibility_way_out(grid, set->walls, x));
    return particle_is_parted(set, plan, particle, x);
}

/* Claims of one particle on the corners around it that differ from phi its way. */
static void add_claims(const ParticleLevelSet *set, const ParticlePlan *plan, size_t p,
                       Claims *claims) {
    const GridField *phi = set->phi;
    const LevelParticles *particles = set->particles;
    double at[3][TRACE_BLOCK], sign = particles->sign[p], fraction[3] = {0, 0, 0};
    int base[3] = {0, 0, 0};
    particle_places(plan, particles->position + 3 * p, 1, at);
    for (int axis = 0; axis < plan->dim; axis++) {
        double s = at[axis][0] + plan->phi.shift[axis];
        base[axis] = (int)floor(s);
        fraction[axis] = s - base[axis];
    }
    for (int corner = 0; corner < 1 << plan->dim; corner++) {
        double square = 0;
        int value_at[3] = {0, 0, 0};
        bool inside = true;
        for (int axis = 0; axis < plan->dim; axis++) {
            int up = corner >> axis & 1;
            double way = up - fraction[axis];
            square += way * way;
            inside &= find_corner(phi, axis, base[axis] + up, &value_at[axis]);
        }
        if (!inside) continue;
        size_t index = field_index(phi, value_at[0], value_at[1], value_at[2]);
        double value = sign * (particles->radius[p] - sqrt(square) * plan->spacing);
        Vec3 center = vec3_load(particles->position + 3 * p);
        if (sign * value > sign * phi->data[index] && !is_behind_wall(set, plan, center, value_at))
            claims->items[claims->count++] = (Claim){index, value, phi->data[index], 0.0};
    }
}

static void claim_side(const ParticleLevelSet *set, const ParticlePlan *plan,
                       const unsigned char *marks, int sign, Claims *claims) {
    size_t count = set->particles->count;
    for (size_t p = particle_next_marked(marks, 0, count); p < count;
         p = particle_next_marked(marks, p + 1, count))
        if (set->particles->sign[p] == sign) add_claims(set, plan, p, claims);
}

/* The union of each side's spheres, then the value of smaller size of the two. The last loop may
 * meet a value several times: it then chooses as before. */
static void settle(const Claims *liquid, const Claims *air, double *phi) {
    for (size_t i = 0; i < liquid->count; i++) {
        const Claim *claim = &liquid->items[i];
        if (claim->value < phi[claim->at]) phi[claim->at] = claim->value;
    }
    for (size_t i = 0; i < air->count; i++) air->items[i].liquid = phi[air->items[i].at];
    for (size_t i = 0; i < air->count; i++) phi[air->items[i].at] = air->items[i].before;
    for (size_t i = 0; i < air->count; i++) {
        const Claim *claim = &air->items[i];
        if (claim->value > phi[claim->at]) phi[claim->at] = claim->value;
    }
    for (size_t i = 0; i < air->count; i++) {
        const Claim *claim = &air->items[i];
        bool contested = claim->liquid < claim->before;
        if (contested && fabs(claim->liquid) < fabs(phi[claim->at])) phi[claim->at] = claim->liquid;
    }
}

static PlimStatus correct(ParticleLevelSet *set, FindJob *job) {
    size_t count = set->particles->count, escaped = 0;
    job->marks = particle_marks(set->scratch, count);
    if (!job->marks) return PLIM_OUT_OF_MEMORY;
    parallel_for(set->threads, count, PARTICLE_GRAIN, find_escaped, job);
    for (size_t p = particle_next_marked(job->marks, 0, count); p < count;
         p = particle_next_marked(job->marks, p + 1, count))
        escaped++;
    Claims liquid = {scratch_take(set->scratch, escaped << job->plan.dim, sizeof(Claim)), 0};
    if (!liquid.items) return PLIM_OUT_OF_MEMORY;
    claim_side(set, &job->plan, job->marks, -1, &liquid);
    Claims air = {liquid.items + liquid.count, 0};
    claim_side(set, &job->plan, job->marks, 1, &air);
    settle(&liquid, &air, set->phi->data);
    return PLIM_OK;
}

PlimStatus particles_correct(ParticleLevelSet *set) {
    size_t scratch = scratch_mark(set->scratch);
    FindJob job = {set, particle_plan(set, NULL), NULL};
    PlimStatus status = correct(set, &job);
    field_fill_halo(set->phi, set->threads);
    scratch_release(set->scratch, scratch);
    return status;
}
