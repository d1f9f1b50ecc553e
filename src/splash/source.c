/* Sources and blasts: mouths that pour, pushes that stir. */
#include "splash/internal.h"

/* Two directions across a velocity; in two dimensions one, the other is z. */
static void directions_across(Vec3 along, int dim, Vec3 *first, Vec3 *second) {
    Vec3 any = dim == 2 || fabs(along.z) < 0.6 ? vec3(0, 0, 1) : vec3(1, 0, 0);
    *first = vec3_normalize(vec3_cross(any, along));
    *second = vec3_cross(along, *first);
}

/* Calls for each column of particles that the mouth lets through; the number of them. */
static size_t find_columns(const SplashDesc *desc, const SplashSource *source, PlimContext *context,
                           SplashMouth *mouth) {
    double spacing = desc->grid.spacing / desc->per_axis;
    double speed = vec3_length(source->velocity);
    if (!(speed > 0)) return 0;
    Vec3 first, second, along = vec3_scale(1 / speed, source->velocity);
    directions_across(along, desc->grid.dim, &first, &second);
    double reach = 0;
    for (int a = 0; a < desc->grid.dim; a++) reach += desc->grid.n[a];
    Box3 box = solid_bounds(source->solid);
    double size = vec3_length(vec3_sub(box.high, box.low));
    int most = (int)fmin(ceil(reach * desc->per_axis), ceil(fmin(size, 1e9) / spacing) + 1);
    int across = desc->grid.dim == 3 ? most : 0;
    size_t count = 0;
    for (int j = -across; j <= across; j++)
        for (int i = -most; i <= most; i++) {
            Vec3 x = vec3_add(source->center, vec3_scale((i + 0.5) * spacing, first));
            if (desc->grid.dim == 3) x = vec3_add(x, vec3_scale((j + 0.5) * spacing, second));
            if (solid_distance(source->solid, x) >= 0) continue;
            count++;
            if (mouth && !array_push(context, &mouth->columns, x)) return SIZE_MAX;
        }
    return count;
}

static double full_rate(const SplashDesc *desc, const SplashSource *source, size_t columns) {
    double spacing = desc->grid.spacing / desc->per_axis;
    return (double)columns * splash_particle_mass(desc) * vec3_length(source->velocity) / spacing;
}

double splash_mouth_rate(const SplashDesc *desc, const SplashSource *source) {
    return full_rate(desc, source, find_columns(desc, source, NULL, NULL));
}

PlimStatus splash_add_mouth(Splash *splash, const SplashDesc *desc, const SplashSource *source) {
    SplashMouth mouth = {.source = *source};
    size_t columns = find_columns(desc, source, splash->context, &mouth);
    if (columns == SIZE_MAX || !array_push(splash->context, &splash->mouths, mouth)) {
        array_free(splash->context, &mouth.columns);
        return PLIM_OUT_OF_MEMORY;
    }
    if (columns == 0)
        return context_fail(splash->context, PLIM_BAD_INPUT,
                            "source '%s' pours nothing: its velocity must not be zero, and its "
                            "shape wider than %g m, the spacing of particles, where it is cut "
                            "across the velocity",
                            source->name, desc->grid.spacing / desc->per_axis);
    SplashMouth *added = &splash->mouths.data[splash->mouths.count - 1];
    double full = full_rate(desc, source, columns);
    added->rate = source->rate > 0 ? source->rate : full;
    if (added->rate > full * (1 + 1e-9))
        return context_fail(splash->context, PLIM_BAD_INPUT,
                            "source '%s' pours %g kg/s, but its mouth lets only %g kg/s through at "
                            "this velocity; make it wider or faster, or the rate smaller",
                            source->name, added->rate, full);
    added->spacing =
        (double)columns * splash->particle_mass * vec3_length(source->velocity) / added->rate;
    return PLIM_OK;
}

/* ---- pouring ---- */

/* Columns start one after the other within a spacing, so that the jet grows particle by particle.
 * Particles of a column lie a spacing apart; how many of them a jet of some length has. */
static double column_count(const SplashMouth *mouth, size_t column, double length) {
    double phase = ((double)column + 0.5) / (double)mouth->columns.count;
    return floor(length / mouth->spacing + phase);
}

static size_t count_new(const SplashMouth *mouth, double before, double after) {
    double count = 0;
    for (size_t c = 0; c < mouth->columns.count; c++)
        count += column_count(mouth, c, after) - column_count(mouth, c, before);
    return (size_t)count;
}

/* Where particles of the jet's last piece are by now: as far from the mouth as they are old. */
static void put_new(Splash *splash, const SplashMouth *mouth, double before, double after,
                    size_t p) {
    Vec3 v = mouth->source.velocity, along = vec3_normalize(v);
    for (size_t c = 0; c < mouth->columns.count; c++) {
        double phase = ((double)c + 0.5) / (double)mouth->columns.count;
        double last = column_count(mouth, c, after);
        for (double n = column_count(mouth, c, before) + 1; n <= last; n++, p++) {
            double way = after - (n - phase) * mouth->spacing;
            Vec3 from = mouth->columns.data[c];
            SplashHit hit;
            Vec3 to = vec3_add(from, vec3_scale(fmax(way, 0), along));
            splash_collide(splash, from, &to, &hit);
            splash->position_x[p] = to.x;
            splash->position_y[p] = to.y;
            splash->position_z[p] = splash->grid.dim == 3 ? to.z : 0;
            splash->velocity_x[p] = v.x;
            splash->velocity_y[p] = v.y;
            splash->velocity_z[p] = splash->grid.dim == 3 ? v.z : 0;
        }
    }
}

PlimStatus splash_pour(Splash *splash, const StepInfo *step) {
    for (size_t i = 0; i < splash->mouths.count; i++) {
        const SplashMouth *mouth = &splash->mouths.data[i];
        Vec3 center = mouth->source.center;
        if (!(field_function_at(&mouth->source.runs, center, step->time + 0.5 * step->dt) > 0))
            continue;
        double before = splash->jet[i];
        double after = before + vec3_length(mouth->source.velocity) * step->dt;
        size_t old = splash_count(splash), more = count_new(mouth, before, after);
        if (old + more > UINT32_MAX)
            return context_fail(splash->context, PLIM_FAILED,
                                "t = %g s: source '%s' makes more than %u particles", step->time,
                                mouth->source.name, UINT32_MAX);
        TRY(splash_resize(splash, SPLASH_GROUP_PARTICLES, old + more));
        TRY(splash_resize(splash, SPLASH_GROUP_AFFINE,
                          splash->desc.transfer == SPLASH_APIC ? old + more : 0));
        put_new(splash, mouth, before, after, old);
        splash->jet[i] = after;
        splash->tally[SPLASH_TALLY_POURED] += more;
    }
    return PLIM_OK;
}

/* ---- blasts ---- */

typedef struct BlastJob {
    Splash *splash;
    const SplashBlast *blast;
} BlastJob;

static void blast_range(void *user, size_t begin, size_t end) {
    const BlastJob *job = user;
    Splash *splash = job->splash;
    for (size_t p = begin; p < end; p++) {
        Vec3 x = vec3(splash->position_x[p], splash->position_y[p], splash->position_z[p]);
        Vec3 away = vec3_sub(x, job->blast->center);
        double distance = vec3_length(away);
        if (!(distance < job->blast->radius) || distance == 0) continue;
        Vec3 v = vec3_scale(job->blast->speed / distance, away);
        splash->velocity_x[p] = v.x;
        splash->velocity_y[p] = v.y;
        splash->velocity_z[p] = v.z;
    }
}

static bool is_due(const SplashBlast *blast, double time) {
    return blast->time <= time;
}

/* Blasts are in the order of their times. */
void splash_blast(Splash *splash, const StepInfo *step) {
    uint64_t *done = &splash->tally[SPLASH_TALLY_BLASTS];
    for (; *done < splash->blasts.count; ++*done) {
        const SplashBlast *blast = &splash->blasts.data[*done];
        if (!is_due(blast, step->time)) break;
        BlastJob job = {splash, blast};
        parallel_for(step->threads, splash_count(splash), 16384, blast_range, &job);
    }
}

double splash_source_speed(const Splash *splash, double time) {
    double speed = 0;
    for (size_t i = 0; i < splash->mouths.count; i++)
        speed = fmax(speed, vec3_length(splash->mouths.data[i].source.velocity));
    for (size_t i = (size_t)splash->tally[SPLASH_TALLY_BLASTS]; i < splash->blasts.count; i++)
        if (is_due(&splash->blasts.data[i], time))
            speed = fmax(speed, splash->blasts.data[i].speed);
    return speed;
}
