/* Volume fractions of obstacles on the grid, blurred as the liquid is (001 section 3.3): evenly
 * spaced samples of what is solid are spread with the kernel of particles. With m samples along an
 * edge, the shares of a sample along an axis are multiples of 1 / 2m, so counts are whole numbers:
 * what a body adds when it comes and takes when it goes is the same to the bit. */
#include "splash/obstacle.h"

#include <string.h>

/* Layers are along the last axis in use. A cell is spread to its own layer and the two beside it,
 * so every third layer can be done at the same time. */
enum { LAYER_COLORS = 3 };

/* ---- shares of samples ---- */

/* Along an axis with m samples in a cell, sample q lies (2q + 1) / 2m from its lower end. In parts
 * of 1 / 2m, the centre of the cell below takes max(0, m - (2q + 1)), that of the cell above
 * max(0, (2q + 1) - m), its own centre the rest of 2m; the face below takes 2m - (2q + 1), the
 * face above 2q + 1. All are sums of the first two and 1. */
static void share_basis(int samples, int q, int32_t basis[3]) {
    int off = 2 * q + 1 - samples;
    basis[0] = 1;
    basis[1] = off < 0 ? -off : 0;
    basis[2] = off > 0 ? off : 0;
}

/* Sums of the products of the three bases over samples: those in `now` count 1, those in `before`
 * -1. */
static void sum_samples(const SplashPlaces *places, const uint64_t *now, const uint64_t *before,
                        int32_t sums[27]) {
    const int *m = places->samples;
    size_t bit = 0;
    memset(sums, 0, 27 * sizeof *sums);
    for (int z = 0; z < m[2]; z++) {
        int32_t plane[9] = {0}, along[3];
        for (int y = 0; y < m[1]; y++) {
            int32_t row[3] = {0, 0, 0};
            for (int x = 0; x < m[0]; x++, bit++) {
                int32_t sign = (int32_t)(now[bit / 64] >> bit % 64 & 1) -
                               (int32_t)(before[bit / 64] >> bit % 64 & 1);
                if (sign == 0) continue;
                share_basis(m[0], x, along);
                for (int a = 0; a < 3; a++) row[a] += sign * along[a];
            }
            share_basis(m[1], y, along);
            for (int b = 0; b < 3; b++)
                for (int a = 0; a < 3; a++) plane[3 * b + a] += along[b] * row[a];
        }
        share_basis(m[2], z, along);
        for (int c = 0; c < 3; c++)
            for (int ab = 0; ab < 9; ab++) sums[9 * c + ab] += along[c] * plane[ab];
    }
}

/* From sums of the bases to shares along one axis: of cells (below, own, above) or of faces (below,
 * above). An axis that is not in use has one sample, all of it the cell's own. */
static void bases_to_shares(const SplashPlaces *places, int axis, bool faces, const int32_t in[27],
                            int32_t out[27]) {
    static const int strides[3] = {1, 3, 9};
    int s = strides[axis], m = places->samples[axis];
    int32_t unit = axis < places->sampled.dim ? 2 * m : 1;
    for (int i = 0; i < 27; i++) {
        if (i / s % 3 != 0) continue;
        int32_t one = in[i], below = in[i + s], above = in[i + 2 * s];
        out[i] = faces ? m * one + below - above : below;
        out[i + s] = faces ? m * one - below + above : unit * one - below - above;
        out[i + 2 * s] = faces ? 0 : above;
    }
}

void obstacle_find_shares(const SplashPlaces *places, const uint64_t *now, const uint64_t *before,
                          ObstacleShares *shares) {
    int32_t sums[27], x[27], y[27], xy[27], other[27];
    sum_samples(places, now, before, sums);
    bases_to_shares(places, 0, false, sums, x);
    bases_to_shares(places, 1, false, sums, y);
    bases_to_shares(places, 1, false, x, xy);
    bases_to_shares(places, 2, false, xy, shares->cells);
    bases_to_shares(places, 2, false, y, other);
    bases_to_shares(places, 0, true, other, shares->faces[0]);
    bases_to_shares(places, 2, false, x, other);
    bases_to_shares(places, 1, true, other, shares->faces[1]);
    if (places->sampled.dim == 3) bases_to_shares(places, 2, true, xy, shares->faces[2]);
}

/* ---- spreading a cell ---- */

void obstacle_add_shares(const int32_t shares[27], const int first[3], const int size[3],
                         int32_t *count) {
    for (int c = 0; c < 3; c++) {
        int k = first[2] + c;
        if (k < 0 || k >= size[2]) continue;
        for (int b = 0; b < 3; b++) {
            int j = first[1] + b;
            if (j < 0 || j >= size[1]) continue;
            int32_t *row = count + ((size_t)k * (size_t)size[1] + (size_t)j) * (size_t)size[0];
            for (int a = 0; a < 3; a++) {
                int i = first[0] + a;
                if (i >= 0 && i < size[0]) row[i] += shares[9 * c + 3 * b + a];
            }
        }
    }
}

/* `at` is a sampled cell. */
static void spread(const Splash *splash, const ObstacleShares *shares, const int at[3]) {
    const SplashPlaces *places = splash->places;
    const Grid *padded = &splash->padded;
    int first[3];
    for (int axis = 0; axis < 3; axis++)
        first[axis] = at[axis] - (axis < padded->dim) - 1; /* the padded cell below */
    obstacle_add_shares(shares->cells, first, padded->n, places->cell_count);
    for (int axis = 0; axis < padded->dim; axis++) {
        int faces[3] = {first[0], first[1], first[2]};
        int size[3] = {padded->n[0], padded->n[1], padded->n[2]};
        faces[axis]++;
        size[axis]++;
        obstacle_add_shares(shares->faces[axis], faces, size, places->face_count[axis]);
    }
}

/* ---- samples of a cell ---- */

bool obstacle_beyond_wall(const Splash *splash, const int at[3]) {
    const Grid *grid = &splash->grid;
    for (int axis = 0; axis < grid->dim; axis++) {
        if (at[axis] < 0 && grid->sides[axis][0] == SIDE_WALL) return true;
        if (at[axis] >= grid->n[axis] && grid->sides[axis][1] == SIDE_WALL) return true;
    }
    return false;
}

/* A place beyond a wall stands for its image inside: particles there spread what would go beyond
 * the wall to the cells before it. */
static Vec3 image_inside(const Splash *splash, Vec3 x) {
    const Grid *grid = &splash->grid;
    double at[3];
    vec3_store(at, x);
    for (int axis = 0; axis < grid->dim; axis++) {
        double low = vec3_component(grid->origin, axis);
        double high = low + grid->n[axis] * grid->spacing;
        if (grid->sides[axis][0] == SIDE_WALL && at[axis] < low) at[axis] = 2 * low - at[axis];
        if (grid->sides[axis][1] == SIDE_WALL && at[axis] > high) at[axis] = 2 * high - at[axis];
    }
    return vec3_load(at);
}

double obstacle_cover(const Splash *splash, const ObstacleNearest *solid, const int at[3],
                      uint64_t *mask) {
    const SplashPlaces *places = splash->places;
    const Grid *grid = &places->sampled;
    const int *m = places->samples;
    double h = grid->spacing, reach = OBSTACLE_SLACK * 0.5 * sqrt(grid->dim) * h;
    Vec3 middle = image_inside(splash, grid_cell_center(grid, at[0], at[1], at[2]));
    double distance = obstacle_distance(solid, middle);
    if (distance < -reach) memcpy(mask, places->full_mask, places->words * sizeof *mask);
    if (fabs(distance) > reach) return distance;
    size_t bit = 0;
    for (int z = 0; z < m[2]; z++)
        for (int y = 0; y < m[1]; y++)
            for (int x = 0; x < m[0]; x++, bit++) {
                const double row[3] = {x + 0.5, y + 0.5, z + 0.5};
                const double *in = solid->is_scattered ? places->scattered[bit] : row;
                Vec3 p = vec3(grid->origin.x + (at[0] + in[0] / m[0]) * h,
                              grid->origin.y + (at[1] + in[1] / m[1]) * h,
                              grid->dim == 3 ? grid->origin.z + (at[2] + in[2] / m[2]) * h : 0);
                p = image_inside(splash, p);
                if (obstacle_distance(solid, p) < 0) mask[bit / 64] |= (uint64_t)1 << bit % 64;
            }
    return distance;
}

/* All that is at rest. Distances are of the middle. */
static double cover_by_still(const Splash *splash, const int at[3], uint64_t *mask) {
    const SplashPlaces *places = splash->places;
    double least = HUGE_VAL;
    size_t count;
    Vec3 middle = image_inside(splash, grid_cell_center(&places->sampled, at[0], at[1], at[2]));
    const uint32_t *numbers = obstacle_parts_near(places, middle, &count);
    for (size_t i = 0; i < count; i++) {
        ObstacleNearest solid = {.part = places->parts.data[numbers ? numbers[i] : i].solid};
        least = fmin(least, obstacle_cover(splash, &solid, at, mask));
    }
    return least;
}

static double cover_by_bodies(const Splash *splash, const int at[3], double reach, uint64_t *mask) {
    const SplashPlaces *places = splash->places;
    Vec3 middle = image_inside(splash, grid_cell_center(&places->sampled, at[0], at[1], at[2]));
    double least = HUGE_VAL;
    for (size_t i = 0; i < places->bodies.count; i++) {
        const ObstacleBody *body = &places->bodies.data[i];
        if (vec3_length(vec3_sub(middle, body->middle)) > body->radius + reach) continue;
        ObstacleNearest solid = obstacle_body(splash, body);
        least = fmin(least, obstacle_cover(splash, &solid, at, mask));
    }
    return least;
}

/* ---- cells of a range ---- */

typedef struct PlaceJob {
    Splash *splash;
    ObstacleRange range; /* of sampled cells */
    bool still;          /* what is at rest; else bodies are added to it */
    int first;           /* layer of the color */
    double reach;        /* m, from the middle of a cell to what a particle in it may touch */
} PlaceJob;

/* m, from the middle of a cell: half its diagonal, what a particle moves in a step, and a cell
 * more. */
static double near_reach(const Splash *splash) {
    return (0.5 * sqrt(splash->grid.dim) + splash->desc.cfl + 1) * splash->grid.spacing;
}

/* Of a padded cell. */
static bool is_near_wall(const Splash *splash, const int cell[3]) {
    const Grid *grid = &splash->grid;
    double cells = splash->desc.cfl + 1;
    for (int axis = 0; axis < grid->dim; axis++) {
        int at = cell[axis] - 1;
        if (grid->sides[axis][0] == SIDE_WALL && at <= cells) return true;
        if (grid->sides[axis][1] == SIDE_WALL && grid->n[axis] - 1 - at <= cells) return true;
    }
    return false;
}

static void mark_near(const PlaceJob *job, const int at[3], double distance) {
    Splash *splash = job->splash;
    const Grid *padded = &splash->padded;
    int cell[3];
    for (int axis = 0; axis < 3; axis++) {
        cell[axis] = at[axis] - (axis < padded->dim);
        if (cell[axis] < 0 || cell[axis] >= padded->n[axis]) return;
    }
    size_t index = grid_cell_index(padded, cell[0], cell[1], cell[2]);
    bool is_near = distance < job->reach;
    if (job->still)
        is_near = is_near || is_near_wall(splash, cell);
    else
        is_near = is_near || splash->places->still_near[index];
    splash->near[index] = is_near;
}

static void place_cell(const PlaceJob *job, const int at[3]) {
    Splash *splash = job->splash;
    SplashPlaces *places = splash->places;
    static const uint64_t none[OBSTACLE_MOST_WORDS] = {0};
    uint64_t now[OBSTACLE_MOST_WORDS] = {0};
    size_t words = places->words, bytes = words * sizeof *now;
    size_t index = words * grid_cell_index(&places->sampled, at[0], at[1], at[2]);
    uint64_t *mask = places->mask + index;
    if (!job->still) memcpy(now, places->still_mask + index, bytes);
    double distance =
        job->still ? cover_by_still(splash, at, now) : cover_by_bodies(splash, at, job->reach, now);
    mark_near(job, at, distance);
    if (memcmp(now, mask, bytes) == 0) return;
    ObstacleShares shares;
    bool whole = memcmp(now, places->full_mask, bytes) == 0 && memcmp(mask, none, bytes) == 0;
    if (!whole) obstacle_find_shares(places, now, mask, &shares);
    spread(splash, whole ? &places->full : &shares, at);
    memcpy(mask, now, bytes);
}

static void place_layers(void *user, size_t begin, size_t end) {
    const PlaceJob *job = user;
    int axis = job->splash->grid.dim - 1;
    for (size_t number = begin; number < end; number++) {
        ObstacleRange layer = job->range;
        layer.low[axis] = job->first + LAYER_COLORS * (int)number;
        layer.high[axis] = layer.low[axis] + 1;
        for (int k = layer.low[2]; k < layer.high[2]; k++)
            for (int j = layer.low[1]; j < layer.high[1]; j++)
                for (int i = layer.low[0]; i < layer.high[0]; i++)
                    place_cell(job, (int[3]){i, j, k});
    }
}

/* ---- from counts to densities and fractions ---- */

typedef struct CountJob {
    const int32_t *count;
    double *value;
    double unit;
    int32_t whole;
    int size[3];
    ObstacleRange range;
} CountJob;

static void count_rows(void *user, size_t begin, size_t end) {
    const CountJob *job = user;
    size_t rows = (size_t)(job->range.high[1] - job->range.low[1]);
    for (size_t number = begin; number < end; number++) {
        size_t j = (size_t)job->range.low[1] + number % rows;
        size_t k = (size_t)job->range.low[2] + number / rows;
        size_t row = (k * (size_t)job->size[1] + j) * (size_t)job->size[0];
        for (int i = job->range.low[0]; i < job->range.high[0]; i++)
            job->value[row + (size_t)i] =
                job->unit * (double)(job->whole - job->count[row + (size_t)i]) / (double)job->whole;
    }
}

/* Of a lattice whose values stand one past those of cells along `axis`; -1: of cells. */
static void count_lattice(const Splash *splash, int threads, const ObstacleRange *range, int axis,
                          double unit, double *value) {
    enum { GRAIN = 32 };
    const SplashPlaces *places = splash->places;
    CountJob job = {.count = axis < 0 ? places->cell_count : places->face_count[axis],
                    .value = value,
                    .unit = unit,
                    .whole = places->whole,
                    .range = *range};
    for (int a = 0; a < 3; a++) job.size[a] = splash->padded.n[a] + (a == axis);
    if (axis >= 0) job.range.high[axis]++;
    size_t rows = (size_t)(job.range.high[1] - job.range.low[1]) *
                  (size_t)(job.range.high[2] - job.range.low[2]);
    parallel_for(threads, rows, GRAIN, count_rows, &job);
}

/* ---- placing ---- */

/* Padded cells that sampled cells of a range are spread to. */
static ObstacleRange spread_range(const Splash *splash, const ObstacleRange *range) {
    ObstacleRange padded = {.high = {1, 1, 1}};
    for (int axis = 0; axis < splash->grid.dim; axis++) {
        int low = range->low[axis] - 2, high = range->high[axis];
        padded.low[axis] = low > 0 ? low : 0;
        padded.high[axis] = high < splash->padded.n[axis] ? high : splash->padded.n[axis];
    }
    return padded;
}

static void place_range(Splash *splash, int threads, const ObstacleRange *range, bool still) {
    int axis = splash->grid.dim - 1;
    for (int a = 0; a < 3; a++)
        if (range->high[a] <= range->low[a]) return;
    for (int color = 0; color < LAYER_COLORS; color++) {
        PlaceJob job = {splash, *range, still, range->low[axis] + color, near_reach(splash)};
        int layers = (range->high[axis] - job.first + LAYER_COLORS - 1) / LAYER_COLORS;
        if (layers > 0) parallel_for(threads, (size_t)layers, 1, place_layers, &job);
    }
    ObstacleRange padded = spread_range(splash, range);
    count_lattice(splash, threads, &padded, -1, splash->desc.density, splash->most);
    for (int a = 0; a < splash->grid.dim; a++)
        count_lattice(splash, threads, &padded, a, 1, splash->fraction[a]);
    if (splash->desc.incompressibility == SPLASH_BILATERAL) obstacle_open(splash, threads, &padded);
}

/* Sampled cells that a body can touch or be near to. */
static ObstacleRange body_range(const Splash *splash, const ImmersedCollider *collider) {
    const Grid *grid = &splash->places->sampled;
    Box3 own = collider->bounds, box = box3_empty();
    Vec3 size = vec3_sub(own.high, own.low);
    bool bounded = isfinite(size.x + size.y + size.z);
    for (int corner = 0; corner < 8 && bounded; corner++) {
        Vec3 p = vec3(corner & 1 ? own.high.x : own.low.x, corner & 2 ? own.high.y : own.low.y,
                      corner & 4 ? own.high.z : own.low.z);
        p = quat_rotate(collider->now.orientation, p);
        box = box3_add_point(box, vec3_add(collider->now.position, p));
    }
    box = box3_grow(box, near_reach(splash));
    ObstacleRange range = {.high = {grid->n[0], grid->n[1], grid->n[2]}};
    for (int axis = 0; axis < grid->dim && bounded; axis++) {
        double origin = vec3_component(grid->origin, axis), n = grid->n[axis];
        double low = floor((vec3_component(box.low, axis) - origin) / grid->spacing);
        double high = ceil((vec3_component(box.high, axis) - origin) / grid->spacing);
        range.low[axis] = (int)fmin(fmax(low, 0), n);
        range.high[axis] = (int)fmin(fmax(high, 0), n);
    }
    return range;
}

static ObstacleRange range_union(const ObstacleRange *a, const ObstacleRange *b) {
    ObstacleRange range = *a;
    for (int axis = 0; axis < 3; axis++) {
        if (b->low[axis] < range.low[axis]) range.low[axis] = b->low[axis];
        if (b->high[axis] > range.high[axis]) range.high[axis] = b->high[axis];
    }
    return range;
}

/* A ball around a body where it is now. */
static void find_ball(const ImmersedCollider *collider, ObstacleBody *body) {
    const Collider *now = &collider->now;
    Vec3 size = vec3_sub(collider->bounds.high, collider->bounds.low);
    body->radius = 0.5 * vec3_length(size);
    if (!isfinite(body->radius)) {
        body->radius = HUGE_VAL;
        body->middle = vec3(0, 0, 0);
    } else {
        Vec3 middle = quat_rotate(now->orientation, box3_center(collider->bounds));
        body->middle = vec3_add(now->position, middle);
    }
}

static void place_bodies(Splash *splash, int threads, bool fresh) {
    SplashPlaces *places = splash->places;
    /* All are read before any is placed: where two touch, cells see both. */
    immersed_read(&splash->colliders, 0);
    for (size_t i = 0; i < places->bodies.count; i++) {
        ObstacleBody *body = &places->bodies.data[i];
        find_ball(&splash->colliders.list.data[body->collider], body);
    }
    for (size_t i = 0; i < places->bodies.count; i++) {
        ObstacleBody *body = &places->bodies.data[i];
        const ImmersedCollider *collider = &splash->colliders.list.data[body->collider];
        body->has_moved = fresh || immersed_has_moved(collider);
        if (!body->has_moved) continue;
        ObstacleRange now = body_range(splash, collider);
        ObstacleRange both = fresh ? now : range_union(&now, &body->range);
        place_range(splash, threads, &both, false);
        body->range = now;
    }
    immersed_keep(&splash->colliders);
}

static void place_still(Splash *splash, int threads) {
    SplashPlaces *places = splash->places;
    const Grid *padded = &splash->padded;
    size_t words = places->words * grid_cell_count(&places->sampled);
    size_t cells = grid_cell_count(padded);
    memset(places->mask, 0, words * sizeof *places->mask);
    memset(places->cell_count, 0, cells * sizeof *places->cell_count);
    for (int axis = 0; axis < padded->dim; axis++)
        memset(places->face_count[axis], 0,
               grid_face_count(padded, axis) * sizeof *places->face_count[axis]);
    const int *n = places->sampled.n;
    ObstacleRange all = {.high = {n[0], n[1], n[2]}};
    place_range(splash, threads, &all, true);
    if (!places->still_mask) return;
    memcpy(places->still_mask, places->mask, words * sizeof *places->mask);
    memcpy(places->still_near, splash->near, cells);
}

/* ---- life ---- */

static Grid grid_around(const Grid *grid) {
    Grid wider = *grid;
    double origin[3];
    vec3_store(origin, grid->origin);
    for (int axis = 0; axis < grid->dim; axis++) {
        wider.n[axis] += 2;
        origin[axis] -= grid->spacing;
    }
    wider.origin = vec3_load(origin);
    return wider;
}

static PlimStatus allocate_counts(Splash *splash, SplashPlaces *places) {
    PlimContext *context = splash->context;
    size_t words = places->words * grid_cell_count(&places->sampled);
    size_t cells = grid_cell_count(&splash->padded);
    places->mask = context_allocate(context, words, sizeof *places->mask);
    places->cell_count = context_allocate(context, cells, sizeof *places->cell_count);
    if (!places->mask || !places->cell_count) return PLIM_OUT_OF_MEMORY;
    for (int axis = 0; axis < splash->grid.dim; axis++) {
        size_t faces = grid_face_count(&splash->padded, axis);
        places->face_count[axis] = context_allocate(context, faces, sizeof(int32_t));
        if (!places->face_count[axis]) return PLIM_OUT_OF_MEMORY;
    }
    if (places->bodies.count == 0) return PLIM_OK;
    places->still_mask = context_allocate(context, words, sizeof *places->still_mask);
    places->still_near = context_allocate(context, cells, sizeof *places->still_near);
    return places->still_mask && places->still_near ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

/* In parts of the samples' spacing, -1/2 to 1/2: how far off along an axis a scattered sample is;
 * another part for each of the samples that are in one row with it across the axis. */
static double scatter(const SplashPlaces *places, int axis, const int sample[3]) {
    const int *m = places->samples;
    int first = (axis + 1) % 3, second = (axis + 2) % 3, row = sample[first] * m[second];
    int count = m[first] * m[second], number = row + (m[second] - 1 - sample[second]);
    /* Neighbours far apart: steps of nearly the golden section, without a common divisor. */
    int stride = count % 5 == 0 ? 3 : 5;
    return (number * stride % count + 0.5) / count - 0.5;
}

static void scatter_samples(SplashPlaces *places) {
    const int *m = places->samples;
    size_t bit = 0;
    for (int z = 0; z < m[2]; z++)
        for (int y = 0; y < m[1]; y++)
            for (int x = 0; x < m[0]; x++, bit++)
                for (int a = 0; a < 3; a++) {
                    int sample[3] = {x, y, z};
                    places->scattered[bit][a] = sample[a] + 0.5 + scatter(places, a, sample);
                }
}

static PlimStatus set_samples(Splash *splash, SplashPlaces *places) {
    int samples = splash->desc.samples;
    if (samples < 1 || samples > OBSTACLE_MOST_SAMPLES)
        return context_fail(splash->context, PLIM_BAD_INPUT,
                            "obstacles have %d samples along an edge of a cell; give 1 to %d",
                            samples, OBSTACLE_MOST_SAMPLES);
    size_t bits = 1;
    places->whole = 1;
    for (int axis = 0; axis < 3; axis++) {
        bool used = axis < splash->grid.dim;
        places->samples[axis] = used ? samples : 1;
        places->whole *= used ? 2 * samples * samples : 1;
        bits *= (size_t)places->samples[axis];
    }
    places->words = (bits + 63) / 64;
    for (size_t bit = 0; bit < bits; bit++) places->full_mask[bit / 64] |= (uint64_t)1 << bit % 64;
    static const uint64_t none[OBSTACLE_MOST_WORDS] = {0};
    obstacle_find_shares(places, places->full_mask, none, &places->full);
    scatter_samples(places);
    return PLIM_OK;
}

static PlimStatus make_places(Splash *splash) {
    PlimContext *context = splash->context;
    SplashPlaces *places = context_allocate(context, 1, sizeof *places);
    if (!places) return PLIM_OUT_OF_MEMORY;
    splash->places = places;
    places->sampled = grid_around(&splash->padded);
    for (size_t i = 0; i < splash->colliders.list.count; i++) {
        ObstacleBody body = {.collider = i};
        body.is_scattered =
            i < splash->push.solids.count && splash->push.solids.data[i].pushed != SIZE_MAX;
        if (immersed_is_obstacle(&splash->colliders.list.data[i])) continue;
        if (!array_push(context, &places->bodies, body)) return PLIM_OUT_OF_MEMORY;
    }
    TRY(set_samples(splash, places));
    TRY(allocate_counts(splash, places));
    return obstacle_find_parts(splash, places);
}

void splash_free_obstacles(Splash *splash) {
    PlimContext *context = splash->context;
    SplashPlaces *places = splash->places;
    if (!places) return;
    size_t words = places->words * grid_cell_count(&places->sampled);
    size_t cells = grid_cell_count(&splash->padded);
    context_free(context, places->mask, words, sizeof *places->mask);
    context_free(context, places->still_mask, words, sizeof *places->still_mask);
    context_free(context, places->still_near, cells, sizeof *places->still_near);
    context_free(context, places->cell_count, cells, sizeof *places->cell_count);
    for (int axis = 0; axis < splash->grid.dim; axis++)
        context_free(context, places->face_count[axis], grid_face_count(&splash->padded, axis),
                     sizeof(int32_t));
    obstacle_free_parts(splash, places);
    array_free(context, &places->bodies);
    context_free(context, places, 1, sizeof *places);
    splash->places = NULL;
}

/* Nothing passes through the walls of the domain. */
static void close_walls(Splash *splash) {
    const Grid *padded = &splash->padded;
    for (int axis = 0; axis < padded->dim; axis++) {
        int size[3] = {padded->n[0], padded->n[1], padded->n[2]};
        size[axis] = 2;
        for (int k = 0; k < size[2]; k++)
            for (int j = 0; j < size[1]; j++)
                for (int i = 0; i < size[0]; i++) {
                    int at[3] = {i, j, k}, end = at[axis];
                    if (splash->grid.sides[axis][end] != SIDE_WALL) continue;
                    at[axis] = end == 0 ? 1 : padded->n[axis] - 1;
                    splash->fraction[axis][grid_face_index(padded, axis, at[0], at[1], at[2])] = 0;
                }
    }
}

PlimStatus splash_place_obstacles(Splash *splash, const StepInfo *step, bool fresh) {
    bool first = !splash->places;
    if (first) {
        PlimStatus status = make_places(splash);
        if (status != PLIM_OK) {
            splash_free_obstacles(splash);
            return status;
        }
    }
    if (fresh || first) place_still(splash, step->threads);
    place_bodies(splash, step->threads, fresh || first);
    close_walls(splash);
    return PLIM_OK;
}
