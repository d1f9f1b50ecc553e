/* Particle seeding: liquid at the start as particles at the sites of one lattice over the domain,
 * so that liquids which overlap are there once. A lattice of whole parts of a cell has exactly the
 * liquid's density on the grid, wherever it lies. */
#include "splash/internal.h"

#include "base/random.h"
#include "grid/difference.h"

typedef struct SeedJob {
    Splash *splash;
    const SplashDesc *desc;
    double spacing;
    int sites[3];
    size_t *row_count; /* of each row along x: particles, then the first one's index */
    size_t *claims;    /* of each row: claims beyond the first */
} SeedJob;

static Vec3 site_place(const SeedJob *job, int i, int j, int k) {
    const Grid *grid = &job->splash->grid;
    double s = job->spacing;
    return vec3(grid->origin.x + (i + 0.5) * s, grid->origin.y + (j + 0.5) * s,
                grid->dim == 3 ? grid->origin.z + (k + 0.5) * s : 0);
}

/* Between -1/2 and 1/2, spread evenly over neighbours: multiples of the irrational parts of
 * sqrt(2), the golden ratio and sqrt(3), less their whole part. */
static double spread(int i, int j, int k) {
    double sum = i * 0.41421356237309515 + j * 0.61803398874989485 + k * 0.73205080756887729;
    return sum - floor(sum) - 0.5;
}

static double distance_to(const void *solid, Vec3 x) {
    return solid_distance(solid, x);
}

/* Whether the surface nearest to x stands upright along layers of sites. */
static bool is_upright(const SeedJob *job, const Solid *solid, Vec3 x) {
    const double along = 0.999; /* cosine */
    double h = 1e-3 * job->spacing;
    Vec3 d = central_differences(distance_to, solid, x, h, job->splash->grid.dim);
    Vec3 slope = vec3(d.x / (2 * h), d.y / (2 * h), d.z / (2 * h));
    double most = fmax(fmax(fabs(slope.x), fabs(slope.y)), fabs(slope.z));
    return most > along && fabs(vec3_dot(slope, job->desc->up)) < 1 - along;
}

/* Whether a liquid takes a site: one within it. Where an upright face runs between two layers of
 * sites, as many of the nearer layer are taken as make up its volume, for all or none would be
 * wrong by up to half a layer; a column of water would begin ahead of its place. Level faces keep
 * whole layers: liquid at rest is flat. */
static bool takes_site(const SeedJob *job, const Solid *solid, const int site[3]) {
    const double most = 0.98; /* a face in the middle between two layers takes all or none */
    Vec3 x = site_place(job, site[0], site[1], site[2]);
    double distance = solid_distance(solid, x);
    if (fabs(distance) > 0.5 * job->spacing || !is_upright(job, solid, x)) return distance < 0;
    return distance < most * spread(site[0], site[1], site[2]) * job->spacing;
}

/* The first liquid that takes the site, or NULL; *claims is how many do. */
static const SplashLiquid *liquid_at(const SeedJob *job, const int site[3], size_t *claims) {
    const SplashLiquid *found = NULL;
    *claims = 0;
    for (size_t i = 0; i < job->desc->liquid_count; i++) {
        const SplashLiquid *liquid = &job->desc->liquids[i];
        if (!takes_site(job, liquid->solid, site)) continue;
        ++*claims;
        if (!found) found = liquid;
    }
    Vec3 x = site_place(job, site[0], site[1], site[2]);
    if (found && splash_distance_to_obstacles(job->splash, x) <= 0) found = NULL;
    return found;
}

static Vec3 shake(const SeedJob *job, Vec3 x, uint64_t site) {
    enum { STREAM_JITTER = 0x5b1a };
    double amount = job->desc->jitter * job->spacing;
    double by[3] = {0};
    for (uint64_t a = 0; a < (uint64_t)job->splash->grid.dim; a++)
        by[a] = amount * (random_uniform(job->desc->seed, STREAM_JITTER, 3 * site + a) - 0.5);
    Vec3 to = vec3_add(x, vec3_load(by));
    SplashHit hit;
    splash_collide(job->splash, x, &to, &hit);
    return to;
}

static void put_particle(const SeedJob *job, const SplashLiquid *liquid, Vec3 x, uint64_t site,
                         size_t p) {
    Splash *splash = job->splash;
    double v[3];
    for (int a = 0; a < 3; a++) v[a] = field_function_at(&liquid->velocity[a], x, 0);
    if (job->desc->jitter > 0) x = shake(job, x, site);
    splash->position_x[p] = x.x;
    splash->position_y[p] = x.y;
    splash->position_z[p] = x.z;
    splash->velocity_x[p] = v[0];
    splash->velocity_y[p] = v[1];
    splash->velocity_z[p] = splash->grid.dim == 3 ? v[2] : 0;
}

static void count_rows(void *user, size_t begin, size_t end) {
    const SeedJob *job = user;
    for (size_t row = begin; row < end; row++) {
        int j = (int)(row % (size_t)job->sites[1]), k = (int)(row / (size_t)job->sites[1]);
        job->row_count[row] = job->claims[row] = 0;
        for (int i = 0; i < job->sites[0]; i++) {
            size_t claims;
            if (!liquid_at(job, (int[3]){i, j, k}, &claims)) continue;
            job->row_count[row]++;
            job->claims[row] += claims - 1;
        }
    }
}

static void fill_rows(void *user, size_t begin, size_t end) {
    const SeedJob *job = user;
    for (size_t row = begin; row < end; row++) {
        int j = (int)(row % (size_t)job->sites[1]), k = (int)(row / (size_t)job->sites[1]);
        size_t p = job->row_count[row];
        for (int i = 0; i < job->sites[0]; i++) {
            size_t claims;
            const SplashLiquid *liquid = liquid_at(job, (int[3]){i, j, k}, &claims);
            if (!liquid) continue;
            put_particle(job, liquid, site_place(job, i, j, k),
                         row * (uint64_t)job->sites[0] + (uint64_t)i, p++);
        }
    }
}

static PlimStatus seed_rows(SeedJob *job, size_t rows) {
    Splash *splash = job->splash;
    int threads = splash->context->threads;
    parallel_for(threads, rows, 64, count_rows, job);
    size_t count = 0, twice = 0;
    for (size_t row = 0; row < rows; row++) {
        size_t here = job->row_count[row];
        job->row_count[row] = count;
        count += here;
        twice += job->claims[row];
    }
    splash->overlap = (double)twice * splash->particle_mass;
    if (count > UINT32_MAX)
        return context_fail(splash->context, PLIM_BAD_INPUT,
                            "%zu particles of liquid are more than %u; use fewer cells", count,
                            UINT32_MAX);
    TRY(splash_resize(splash, SPLASH_GROUP_PARTICLES, count));
    TRY(splash_resize(splash, SPLASH_GROUP_AFFINE,
                      splash->desc.transfer == SPLASH_APIC ? count : 0));
    parallel_for(threads, rows, 64, fill_rows, job);
    return PLIM_OK;
}

PlimStatus splash_seed(Splash *splash, const SplashDesc *desc) {
    const Grid *grid = &splash->grid;
    SeedJob job = {.splash = splash, .desc = desc, .spacing = grid->spacing / desc->per_axis};
    for (int a = 0; a < 3; a++) job.sites[a] = a < grid->dim ? grid->n[a] * desc->per_axis : 1;
    size_t rows = (size_t)job.sites[1] * (size_t)job.sites[2];
    job.row_count = context_allocate(splash->context, 2 * rows, sizeof(size_t));
    if (!job.row_count) return PLIM_OUT_OF_MEMORY;
    job.claims = job.row_count + rows;
    PlimStatus status = seed_rows(&job, rows);
    context_free(splash->context, job.row_count, 2 * rows, sizeof(size_t));
    return status;
}

double splash_overlap(const Splash *splash) {
    return splash->overlap;
}
