/* Particle level set, reseeding (000 section 4.5.2). */
#include "base/parallel.h"
#include "base/random.h"
#include "grid/particles/particle_parts.h"

#include <math.h>
#include <string.h>

enum { CELL_GRAIN = 4096 };

typedef struct ReseedJob {
    const ParticleLevelSet *set;
    const Grid *grid;
    ParticlePlan plan;
    uint64_t draw;
    size_t cells;
    /* Of each particle: its cell, how far its sphere is from the surface (m, negative when it
     * sticks out), and what becomes of it. */
    uint32_t *cell;
    double *depth;
    unsigned char *marks;
    uint32_t *start, *order; /* particles by cell, in their order: order[start[c] .. start[c+1]) */
    size_t *first;           /* of each cell and one more: its first particle in the end */
    LevelParticles sorted;   /* what there is in the end, in scratch memory */
} ReseedJob;

/* ---- where particles are ---- */

static uint32_t find_cell(const ReseedJob *job, double (*const at)[TRACE_BLOCK], int i) {
    int c[3] = {0, 0, 0};
    for (int axis = 0; axis < job->plan.dim; axis++) {
        int below = (int)at[axis][i], last = job->grid->n[axis] - 1;
        c[axis] = below < last ? below : last; /* on the far side */
    }
    return (uint32_t)grid_cell_index(job->grid, c[0], c[1], c[2]);
}

static void find_places(void *user, size_t begin, size_t end) {
    const ReseedJob *job = user;
    const LevelParticles *particles = job->set->particles;
    double at[3][TRACE_BLOCK], phi[TRACE_BLOCK];
    double far = (job->set->options->band + 1.0) * job->plan.spacing;
    for (size_t first = begin; first < end; first += TRACE_BLOCK) {
        int count = end - first < TRACE_BLOCK ? (int)(end - first) : TRACE_BLOCK;
        particle_places(&job->plan, particles->position + 3 * first, count, at);
        particle_sample(&job->plan.phi, job->plan.dim, at, count, phi);
        for (int i = 0; i < count; i++) {
            size_t p = first + (size_t)i;
            job->cell[p] = find_cell(job, at, i);
            job->depth[p] = particles->sign[p] * phi[i] - particles->radius[p];
            if (!(fabs(phi[i]) <= far)) job->marks[p] = particle_goes(PARTICLE_FAR);
        }
    }
}

/* Stable counting sort of those that stay. */
static void order_by_cell(ReseedJob *job) {
    size_t count = job->set->particles->count;
    memset(job->start, 0, (job->cells + 2) * sizeof *job->start);
    uint32_t *next = job->start + 1; /* becomes the starts once all are placed */
    for (size_t p = 0; p < count; p++)
        if (!job->marks[p]) next[job->cell[p] + 1]++;
    for (size_t c = 0; c < job->cells; c++) next[c + 1] += next[c];
    for (size_t p = 0; p < count; p++)
        if (!job->marks[p]) job->order[next[job->cell[p]]++] = (uint32_t)p;
}

/* ---- too many ---- */

/* Of a cell with more than `most` takes away those whose spheres are farthest from the surface. */
static void thin_out(const ReseedJob *job, size_t cell, uint32_t most) {
    uint32_t begin = job->start[cell], end = job->start[cell + 1];
    for (uint32_t surplus = end - begin > most ? end - begin - most : 0; surplus > 0; surplus--) {
        uint32_t farthest = UINT32_MAX;
        double depth = -HUGE_VAL;
        for (uint32_t i = begin; i < end; i++) {
            uint32_t p = job->order[i];
            if (job->marks[p] || !(job->depth[p] > depth)) continue;
            farthest = p;
            depth = job->depth[p];
        }
        if (farthest == UINT32_MAX) return;
        job->marks[farthest] = particle_goes(PARTICLE_SURPLUS);
    }
}

/* ---- too few ---- */

/* Evenly spread places from a random start: steps by powers of the root of x^{dim+1} = x + 1
 * (Roberts 2018), which fill a cell better than independent ones. */
static Vec3 place_in_cell(const ReseedJob *job, size_t cell, int number) {
    static const double step[2][3] = {{0.7548776662466927, 0.5698402909980532, 0.0},
                                      {0.8191725133961645, 0.6710436067037893, 0.5497004779019703}};
    const Grid *grid = job->grid;
    uint32_t bits[4];
    random_block(job->set->options->seed, job->draw, cell, bits);
    size_t nx = (size_t)grid->n[0], ny = (size_t)grid->n[1];
    size_t corner[3] = {cell % nx, cell / nx % ny, cell / nx / ny};
    double x[3] = {0, 0, 0};
    for (int axis = 0; axis < grid->dim; axis++) {
        double way = bits[axis] * 0x1p-32 + number * step[grid->dim - 2][axis];
        x[axis] = job->plan.origin[axis] + (corner[axis] + (way - floor(way))) * job->plan.spacing;
    }
    return vec3_load(x);
}

/* Fills a cell of the band in which `held` stay. Returns how many are made; they are written to
 * `sorted` from `at` on, unless that has no arrays yet. None is made in a solid. */
static size_t fill_cell(const ReseedJob *job, size_t cell, uint32_t held, size_t at) {
    const ParticleOptions *options = job->set->options;
    size_t made = 0;
    for (int number = (int)held; number < options->per_cell; number++) {
        Vec3 point = place_in_cell(job, cell, number);
        if (job->plan.solid.first &&
            !(particle_sample_one(&job->plan, &job->plan.solid, point, NULL) > 0))
            continue;
        if (job->sorted.position) {
            double phi = particle_sample_one(&job->plan, &job->plan.phi, point, NULL);
            vec3_store(job->sorted.position + 3 * (at + made), point);
            job->sorted.sign[at + made] = phi < 0 ? -1 : 1;
            job->sorted.radius[at + made] = particle_radius(options, job->plan.spacing, fabs(phi));
        }
        made++;
    }
    return made;
}

static bool in_band(const ReseedJob *job, size_t cell) {
    const Grid *grid = job->grid;
    int at[3];
    grid_cell_place(grid, cell, at);
    Vec3 center = grid_cell_center(grid, at[0], at[1], at[2]);
    double phi = particle_sample_one(&job->plan, &job->plan.phi, center, NULL);
    return fabs(phi) < job->set->options->band * grid->spacing;
}

static uint32_t count_kept(const ReseedJob *job, size_t cell) {
    uint32_t kept = 0;
    for (uint32_t i = job->start[cell]; i < job->start[cell + 1]; i++)
        kept += job->marks[job->order[i]] == 0;
    return kept;
}

static void count_cells(void *user, size_t begin, size_t end) {
    const ReseedJob *job = user;
    for (size_t cell = begin; cell < end; cell++) {
        thin_out(job, cell, 2u * (uint32_t)job->set->options->per_cell);
        uint32_t kept = count_kept(job, cell);
        job->first[cell] = kept + (in_band(job, cell) ? fill_cell(job, cell, kept, 0) : 0);
    }
}

/* From numbers to where each cell begins; returns the sum. */
static size_t add_up(size_t *first, size_t cells) {
    size_t sum = 0;
    for (size_t cell = 0; cell < cells; cell++) {
        size_t number = first[cell];
        first[cell] = sum;
        sum += number;
    }
    first[cells] = sum;
    return sum;
}

static void write_cells(void *user, size_t begin, size_t end) {
    const ReseedJob *job = user;
    const LevelParticles *from = job->set->particles, *to = &job->sorted;
    for (size_t cell = begin; cell < end; cell++) {
        size_t at = job->first[cell];
        uint32_t kept = 0;
        for (uint32_t i = job->start[cell]; i < job->start[cell + 1]; i++) {
            size_t p = job->order[i];
            if (job->marks[p]) continue;
            vec3_store(to->position + 3 * at, vec3_load(from->position + 3 * p));
            to->radius[at] = from->radius[p];
            to->sign[at] = from->sign[p];
            at++, kept++;
        }
        if (at < job->first[cell + 1]) fill_cell(job, cell, kept, at);
    }
}

/* ---- all of it ---- */

static PlimStatus take_lists(ReseedJob *job, Scratch *scratch) {
    size_t count = job->set->particles->count;
    if (count >= UINT32_MAX || job->cells >= UINT32_MAX)
        return context_fail(scratch->context, PLIM_BAD_INPUT, "too many particles or cells");
    job->cell = scratch_take(scratch, count, sizeof *job->cell);
    job->depth = scratch_take(scratch, count, sizeof *job->depth);
    job->marks = particle_marks(scratch, count);
    job->order = scratch_take(scratch, count, sizeof *job->order);
    job->start = scratch_take(scratch, job->cells + 2, sizeof *job->start);
    job->first = scratch_take(scratch, job->cells + 1, sizeof *job->first);
    bool all = job->cell && job->depth && job->marks && job->order && job->start && job->first;
    return all ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

static PlimStatus take_sorted(LevelParticles *sorted, size_t count, Scratch *scratch) {
    sorted->count = count;
    sorted->position = scratch_take(scratch, 3 * count, sizeof *sorted->position);
    sorted->radius = scratch_take(scratch, count, sizeof *sorted->radius);
    sorted->sign = scratch_take(scratch, count, sizeof *sorted->sign);
    return sorted->position && sorted->radius && sorted->sign ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

static void count_changes(const ReseedJob *job, size_t before, uint64_t *tally) {
    size_t gone = 0;
    for (size_t p = particle_next_marked(job->marks, 0, before); p < before;
         p = particle_next_marked(job->marks, p + 1, before)) {
        tally[job->marks[p] - 1]++;
        gone++;
    }
    tally[PARTICLE_SEEDED] += job->sorted.count - (before - gone);
}

static PlimStatus reseed(ParticleLevelSet *set, ReseedJob *job) {
    LevelParticles *particles = set->particles;
    size_t before = particles->count;
    TRY(take_lists(job, set->scratch));
    parallel_for(set->threads, before, PARTICLE_GRAIN, find_places, job);
    order_by_cell(job);
    parallel_for(set->threads, job->cells, CELL_GRAIN, count_cells, job);
    TRY(take_sorted(&job->sorted, add_up(job->first, job->cells), set->scratch));
    parallel_for(set->threads, job->cells, CELL_GRAIN, write_cells, job);
    TRY(particles->resize(particles->user, particles, job->sorted.count));
    count_changes(job, before, set->tally.particles);
    if (job->sorted.count == 0) return PLIM_OK;
    memcpy(particles->position, job->sorted.position, job->sorted.count * 3 * sizeof(double));
    memcpy(particles->radius, job->sorted.radius, job->sorted.count * sizeof(double));
    memcpy(particles->sign, job->sorted.sign, job->sorted.count * sizeof(int32_t));
    return PLIM_OK;
}

PlimStatus particles_reseed(ParticleLevelSet *set, uint64_t draw) {
    size_t scratch = scratch_mark(set->scratch);
    ReseedJob job = {.set = set,
                     .grid = &set->phi->grid,
                     .plan = particle_plan(set, NULL),
                     .draw = draw,
                     .cells = grid_cell_count(&set->phi->grid)};
    PlimStatus status = reseed(set, &job);
    scratch_release(set->scratch, scratch);
    return status;
}
