/* Grid to particles (FLIP) and particle advection (001 sections 3.2.3, 3.2.4). The shares are those
 * in which they were spread, so what the grid does to momentum they do. */
#include "splash/kernel.h"
#include "splash/viscous.h"

typedef struct MoveJob {
    Splash *splash;
    Kernel kernel;
    double dt, longest; /* m, of a path along an axis */
    double flip;        /* part of FLIP in velocities */
    SplashHits hits;
} MoveJob;

/* Velocity of the grid at a place, and its change in this step. */
static inline void gather(const MoveJob *job, int dim, const KernelPlace *place, double u[3],
                          double change[3]) {
    const Splash *splash = job->splash;
    double share[8];
    for (int axis = 0; axis < dim; axis++) {
        const KernelLattice *lattice = &job->kernel.faces[axis];
        size_t at = kernel_face_shares(&job->kernel, dim, place, axis, share);
        u[axis] = kernel_gather(lattice, dim, splash->velocity[axis] + at, share);
        if (change) change[axis] = kernel_gather(lattice, dim, splash->change[axis] + at, share);
    }
}

/* The gradient of the grid's velocity as a particle's stencil has it (Jiang et al. 2015). */
static void gather_affine(const MoveJob *job, int dim, const KernelPlace *place, double *gradient) {
    const Splash *splash = job->splash;
    double h = splash->padded.spacing, share[8];
    for (int i = 0; i < 9; i++) gradient[i] = 0;
    double most =
        1 / job->dt; /* steeper ones, from faces of little mass, would turn liquid inside out */
    for (int axis = 0; axis < dim; axis++) {
        size_t at = kernel_face_shares(&job->kernel, dim, place, axis, share);
        double part[3] = {place->cell_part[0], place->cell_part[1], place->cell_part[2]};
        part[axis] = place->face_part[axis];
        for (int c = 0; c < (1 << dim); c++) {
            double u = splash->velocity[axis][at + kernel_corner(&job->kernel.faces[axis], c)];
            for (int a = 0; a < dim; a++) {
                double slope = c >> a & 1 ? 1 / h : -1 / h;
                /* The derivative of the share along a: the other axes' parts with a sign. */
                double others = 1;
                for (int b = 0; b < dim; b++)
                    if (b != a) others *= c >> b & 1 ? part[b] : 1 - part[b];
                gradient[3 * axis + a] += slope * others * u;
            }
        }
    }
    for (int i = 0; i < 9; i++) gradient[i] = kernel_clamp(gradient[i], -most, most);
}

/* One step along the way, or the mean of the velocities at its ends. */
static inline Vec3 find_way(const MoveJob *job, int dim, Vec3 from, const double u[3]) {
    double way[3] = {0};
    for (int a = 0; a < dim; a++) way[a] = job->dt * u[a];
    if (job->splash->desc.path == SPLASH_EULER) return vec3_load(way);
    Vec3 end = vec3_add(from, vec3_load(way));
    SplashHit hit;
    splash_collide(job->splash, from, &end, &hit);
    double next[3] = {0};
    const Grid *grid = &job->splash->grid;
    for (int a = 0; a < dim; a++) { /* beyond open sides there is no grid */
        double low = vec3_component(grid->origin, a);
        double at = vec3_component(end, a);
        if (!(at >= low && at <= low + grid->n[a] * grid->spacing)) return vec3_load(way);
    }
    KernelPlace place = kernel_place(&job->kernel, dim, end.x, end.y, end.z);
    gather(job, dim, &place, next, NULL);
    for (int a = 0; a < dim; a++) way[a] = 0.5 * job->dt * (u[a] + next[a]);
    return vec3_load(way);
}

static void store_velocity(Splash *splash, size_t p, const double v[3], const double change[3]) {
    splash->velocity_x[p] = v[0];
    splash->velocity_y[p] = v[1];
    splash->velocity_z[p] = v[2];
    splash->gain_x[p] = (float)change[0];
    splash->gain_y[p] = (float)change[1];
    splash->gain_z[p] = (float)change[2];
}

/* What hits something keeps no velocity into it. */
static void stop_at_wall(double v[3], double change[3], Vec3 normal, Vec3 wall) {
    double into = vec3_dot(vec3_sub(vec3_load(v), wall), normal);
    if (into >= 0) return;
    vec3_store(v, vec3_sub(vec3_load(v), vec3_scale(into, normal)));
    double gain = vec3_dot(vec3_load(change), normal);
    vec3_store(change, vec3_sub(vec3_load(change), vec3_scale(gain, normal)));
}

/* J/kg: what motion and height of a particle gain. */
static double energy_gain(const Splash *splash, const double before[3], const double after[3],
                          Vec3 way) {
    Vec3 v = vec3_load(after), old = vec3_load(before);
    return 0.5 * (vec3_dot(v, v) - vec3_dot(old, old)) - vec3_dot(splash->gravity, way);
}

/* Sums of a move: particles that hit something, that were held back, whose numbers broke; energy
 * gained; velocity that walls took, at both ends of each axis. */
enum { SUM_HITS, SUM_CLAMPED, SUM_BROKEN, SUM_GAINED, SUM_WALLS, SUM_COUNT = SUM_WALLS + 6 };

/* What a particle lost goes to the account of what it hit. */
static void account(const MoveJob *job, size_t p, int32_t target, Vec3 lost, double *partial) {
    if (target >= 0) {
        job->hits.target[p] = target;
        vec3_store(job->hits.lost + 3 * p, lost);
        return;
    }
    for (int axis = 0; axis < job->splash->grid.dim; axis++) {
        double along = vec3_component(lost, axis);
        partial[SUM_WALLS + 2 * axis + (along > 0)] += along;
    }
}

static inline void move_particle(const MoveJob *job, int dim, size_t p, double *partial) {
    Splash *splash = job->splash;
    double flip = job->flip;
    Vec3 from = vec3(splash->position_x[p], splash->position_y[p], splash->position_z[p]);
    double v[3] = {splash->velocity_x[p], splash->velocity_y[p], splash->velocity_z[p]};
    const double before[3] = {v[0], v[1], v[2]};
    double u[3] = {0}, change[3] = {0};
    KernelPlace place = kernel_place(&job->kernel, dim, from.x, from.y, from.z);
    gather(job, dim, &place, u, change);
    for (int a = 0; a < dim; a++) v[a] = flip * (v[a] + change[a]) + (1 - flip) * u[a];
    if (splash->affine) gather_affine(job, dim, &place, splash->affine + 9 * p);
    Vec3 way = find_way(job, dim, from, u);
    double longest = fmax(fabs(way.x), fmax(fabs(way.y), fabs(way.z)));
    if (!(longest <= job->longest)) {
        if (!isfinite(longest)) {
            partial[SUM_BROKEN]++;
            return;
        }
        way = vec3_scale(job->longest / longest, way);
        partial[SUM_CLAMPED]++;
    }
    Vec3 to = vec3_add(from, way);
    SplashHit hit;
    if (splash_collide(splash, from, &to, &hit)) {
        Vec3 came = vec3_load(v);
        partial[SUM_HITS]++;
        stop_at_wall(v, change, hit.normal, hit.velocity);
        account(job, p, hit.target, vec3_sub(came, vec3_load(v)), partial);
    }
    partial[SUM_GAINED] += energy_gain(splash, before, v, vec3_sub(to, from));
    store_velocity(splash, p, v, change);
    splash->position_x[p] = to.x;
    splash->position_y[p] = to.y;
    splash->position_z[p] = to.z;
}

static void move_range(void *user, size_t begin, size_t end, double *partial) {
    const MoveJob *job = user;
    if (job->splash->padded.dim == 3)
        for (size_t p = begin; p < end; p++) move_particle(job, 3, p, partial);
    else
        for (size_t p = begin; p < end; p++) move_particle(job, 2, p, partial);
}

PlimStatus splash_move(Splash *splash, const StepInfo *step) {
    MoveJob job = {.splash = splash, .kernel = kernel_of(splash), .dt = step->dt};
    job.longest = splash_longest_way(splash) * splash->padded.spacing;
    job.flip = splash->desc.transfer == SPLASH_APIC ? 0 : splash_flip_part(splash, step->dt);
    double sums[SUM_COUNT];
    size_t mark = scratch_mark(step->scratch);
    TRY(splash_take_hits(splash, step, &job.hits));
    TRY(parallel_sum(step->threads, splash_count(splash), SUM_COUNT, move_range, &job,
                     step->scratch, sums));
    splash->collided = (size_t)sums[SUM_HITS];
    splash->clamped = (size_t)sums[SUM_CLAMPED];
    splash->gained = sums[SUM_GAINED];
    for (int side = 0; side < 6; side++)
        splash->push.hit[side / 2][side % 2] = splash->particle_mass * sums[SUM_WALLS + side];
    TRY(splash_finish_hits(splash, step, &job.hits));
    scratch_release(step->scratch, mark);
    if (sums[SUM_BROKEN] == 0) return PLIM_OK;
    return context_fail(splash->context, PLIM_FAILED,
                        "t = %g s: the velocity of %.0f particles of liquid is not finite; try a "
                        "smaller time step",
                        step->time, sums[SUM_BROKEN]);
}
