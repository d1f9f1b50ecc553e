/* Particle arrays: sorting by cell, those that go, and their velocities to look at. */
#include "splash/kernel.h"

#include <string.h>

enum { FIELD_COUNT = 10 };

/* An array of the particles and the one it is sorted into. */
typedef struct ParticleArray {
    void **data, **spare;
    size_t item; /* bytes */
} ParticleArray;

static int list_arrays(Splash *splash, ParticleArray out[FIELD_COUNT]) {
    double **wide[6] = {&splash->position_x, &splash->position_y, &splash->position_z,
                        &splash->velocity_x, &splash->velocity_y, &splash->velocity_z};
    float **narrow[3] = {&splash->gain_x, &splash->gain_y, &splash->gain_z};
    int count = 0;
    for (int i = 0; i < 6; i++)
        out[count++] =
            (ParticleArray){(void **)wide[i], (void **)&splash->spare[i], sizeof(double)};
    for (int i = 0; i < 3; i++)
        out[count++] =
            (ParticleArray){(void **)narrow[i], (void **)&splash->spare_gain[i], sizeof(float)};
    if (splash->desc.transfer == SPLASH_APIC)
        out[count++] = (ParticleArray){(void **)&splash->affine, (void **)&splash->spare_affine,
                                       9 * sizeof(double)};
    return count;
}

/* ---- sorting: counting by cells ---- */

typedef struct SortJob {
    Splash *splash;
    Kernel kernel;
    uint32_t *cell;  /* of each particle */
    uint32_t *place; /* of each chunk and cell: how many, then where the next one goes */
    size_t chunks, chunk_size, cells;
    ParticleArray arrays[FIELD_COUNT];
    int array_count;
} SortJob;

static void count_chunks(void *user, size_t begin, size_t end) {
    const SortJob *job = user;
    const Splash *splash = job->splash;
    size_t count = splash_count(splash);
    for (size_t chunk = begin; chunk < end; chunk++) {
        uint32_t *place = job->place + chunk * job->cells;
        memset(place, 0, job->cells * sizeof *place);
        size_t first = chunk * job->chunk_size, last = first + job->chunk_size;
        for (size_t p = first; p < (last < count ? last : count); p++) {
            job->cell[p] =
                (uint32_t)kernel_cell(&job->kernel, splash->padded.dim, splash->position_x[p],
                                      splash->position_y[p], splash->position_z[p]);
            place[job->cell[p]]++;
        }
    }
}

static void find_places(SortJob *job) {
    const Grid *grid = &job->splash->padded;
    size_t layer = grid->dim == 3 ? job->kernel.cells.layer : job->kernel.cells.row;
    uint64_t *start = job->splash->layer_start;
    uint32_t next = 0;
    for (size_t cell = 0; cell < job->cells; cell++) {
        if (cell % layer == 0) *start++ = next;
        for (size_t chunk = 0; chunk < job->chunks; chunk++) {
            uint32_t *place = &job->place[chunk * job->cells + cell];
            uint32_t count = *place;
            *place = next;
            next += count;
        }
    }
    *start = next;
}

static inline void move_items(const ParticleArray *array, const uint32_t *to, size_t first,
                              size_t last) {
    const char *from = *array->data;
    char *spare = *array->spare;
    for (size_t p = first; p < last; p++)
        memcpy(spare + to[p] * array->item, from + p * array->item, array->item);
}

static void move_chunks(void *user, size_t begin, size_t end) {
    SortJob *job = user;
    size_t count = splash_count(job->splash);
    for (size_t chunk = begin; chunk < end; chunk++) {
        uint32_t *place = job->place + chunk * job->cells;
        size_t first = chunk * job->chunk_size, last = first + job->chunk_size;
        if (last > count) last = count;
        for (size_t p = first; p < last; p++) job->cell[p] = place[job->cell[p]]++;
        for (int a = 0; a < job->array_count; a++) {
            ParticleArray array = job->arrays[a];
            /* The size as a constant: copies become loads and stores. */
            if (array.item == sizeof(double)) {
                array.item = sizeof(double);
                move_items(&array, job->cell, first, last);
            } else if (array.item == sizeof(float)) {
                array.item = sizeof(float);
                move_items(&array, job->cell, first, last);
            } else {
                move_items(&array, job->cell, first, last);
            }
        }
    }
}

PlimStatus splash_sort(Splash *splash, const StepInfo *step) {
    size_t count = splash_count(splash), mark = scratch_mark(step->scratch);
    SortJob job = {
        .splash = splash, .kernel = kernel_of(splash), .cells = grid_cell_count(&splash->padded)};
    /* The order does not depend on the chunks: equal cells keep their order. */
    job.chunks = (size_t)step->threads;
    job.chunk_size = count / job.chunks + 1;
    job.cell = scratch_take(step->scratch, count + 1, sizeof *job.cell);
    job.place = scratch_take(step->scratch, job.chunks * job.cells, sizeof *job.place);
    if (!job.cell || !job.place) return PLIM_OUT_OF_MEMORY;
    job.array_count = list_arrays(splash, job.arrays);
    parallel_for(step->threads, job.chunks, 1, count_chunks, &job);
    find_places(&job);
    parallel_for(step->threads, job.chunks, 1, move_chunks, &job);
    for (int a = 0; a < job.array_count; a++) {
        void *data = *job.arrays[a].data;
        *job.arrays[a].data = *job.arrays[a].spare;
        *job.arrays[a].spare = data;
    }
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}

/* ---- the greatest speed ---- */

typedef struct SpeedJob {
    const Splash *splash;
    Kernel kernel;
    double *fastest; /* of each chunk: of the liquid, of spray */
} SpeedJob;

enum { SPEED_CHUNK = 65536 };

static void find_speeds(void *user, size_t begin, size_t end) {
    const SpeedJob *job = user;
    const Splash *splash = job->splash;
    size_t count = splash_count(splash);
    for (size_t chunk = begin; chunk < end; chunk++) {
        size_t first = chunk * SPEED_CHUNK, last = first + SPEED_CHUNK;
        double most[2] = {0, 0};
        for (size_t p = first; p < (last < count ? last : count); p++) {
            size_t cell = kernel_cell(&job->kernel, splash->padded.dim, splash->position_x[p],
                                      splash->position_y[p], splash->position_z[p]);
            bool spray = splash->density[cell] < SPLASH_SPRAY_DENSITY * splash->desc.density;
            double x = fabs(splash->velocity_x[p]), y = fabs(splash->velocity_y[p]),
                   z = fabs(splash->velocity_z[p]);
            x = x > y ? x : y;
            x = x > z ? x : z;
            most[spray] = most[spray] > x ? most[spray] : x;
        }
        job->fastest[2 * chunk] = most[0];
        job->fastest[2 * chunk + 1] = most[1];
    }
}

PlimStatus splash_find_fastest(Splash *splash, const StepInfo *step) {
    size_t chunks = splash_count(splash) / SPEED_CHUNK + 1, mark = scratch_mark(step->scratch);
    SpeedJob job = {splash, kernel_of(splash),
                    scratch_take(step->scratch, 2 * chunks, sizeof(double))};
    if (!job.fastest) return PLIM_OUT_OF_MEMORY;
    parallel_for(step->threads, chunks, 1, find_speeds, &job);
    splash->fastest = splash->fastest_spray = 0;
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        splash->fastest = fmax(splash->fastest, job.fastest[2 * chunk]);
        splash->fastest_spray = fmax(splash->fastest_spray, job.fastest[2 * chunk + 1]);
    }
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}

/* ---- those that go ---- */

static bool is_outside(const Grid *grid, Vec3 x) {
    for (int axis = 0; axis < grid->dim; axis++) {
        double cells =
            (vec3_component(x, axis) - vec3_component(grid->origin, axis)) / grid->spacing;
        if (cells < 0 || cells >= grid->n[axis]) return true;
    }
    return false;
}

typedef struct RemoveJob {
    Splash *splash;
    unsigned char *fate; /* 0: stays, 1: left, 2: drained */
} RemoveJob;

static void find_fates(void *user, size_t begin, size_t end) {
    const RemoveJob *job = user;
    const Splash *splash = job->splash;
    for (size_t p = begin; p < end; p++) {
        Vec3 x = vec3(splash->position_x[p], splash->position_y[p], splash->position_z[p]);
        job->fate[p] = is_outside(&splash->grid, x);
        for (size_t s = 0; s < splash->sinks.count && !job->fate[p]; s++)
            if (solid_distance(splash->sinks.data[s].solid, x) < 0) job->fate[p] = 2;
    }
}

static bool has_open_side(const Grid *grid) {
    for (int axis = 0; axis < grid->dim; axis++)
        if (grid->sides[axis][0] == SIDE_OPEN || grid->sides[axis][1] == SIDE_OPEN) return true;
    return false;
}

/* Closes the gaps that those who go leave. */
static size_t close_gaps(Splash *splash, const unsigned char *fate) {
    ParticleArray arrays[FIELD_COUNT];
    int array_count = list_arrays(splash, arrays);
    size_t kept = 0, count = splash_count(splash);
    for (size_t p = 0; p < count; p++) {
        if (fate[p]) continue;
        for (int a = 0; a < array_count && kept < p; a++) {
            char *data = *arrays[a].data;
            memcpy(data + kept * arrays[a].item, data + p * arrays[a].item, arrays[a].item);
        }
        kept++;
    }
    return kept;
}

PlimStatus splash_remove(Splash *splash, const StepInfo *step) {
    if (splash->sinks.count == 0 && !has_open_side(&splash->grid)) return PLIM_OK;
    size_t count = splash_count(splash), mark = scratch_mark(step->scratch);
    RemoveJob job = {splash, scratch_take(step->scratch, count + 1, 1)};
    if (!job.fate) return PLIM_OUT_OF_MEMORY;
    parallel_for(step->threads, count, 4096, find_fates, &job);
    for (size_t p = 0; p < count; p++) {
        splash->tally[SPLASH_TALLY_LEFT] += job.fate[p] == 1;
        splash->tally[SPLASH_TALLY_DRAINED] += job.fate[p] == 2;
    }
    size_t kept = close_gaps(splash, job.fate);
    scratch_release(step->scratch, mark);
    if (kept == count) return PLIM_OK;
    TRY(splash_resize(splash, SPLASH_GROUP_PARTICLES, kept));
    return splash_resize(splash, SPLASH_GROUP_AFFINE,
                         splash->desc.transfer == SPLASH_APIC ? kept : 0);
}

/* ---- velocities to look at ---- */

Vec3 splash_particle_velocity(const Splash *splash, size_t p) {
    double lead = *splash->lead;
    return vec3(splash->velocity_x[p] + lead * (double)splash->gain_x[p],
                splash->velocity_y[p] + lead * (double)splash->gain_y[p],
                splash->velocity_z[p] + lead * (double)splash->gain_z[p]);
}
