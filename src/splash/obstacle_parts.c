/* Nearest obstacle by a block grid. A city is a union of a hundred boxes, and a fifth of all
 * particles ask in every step: blocks of cells know the few parts that can be the nearest there. */
#include "splash/obstacle.h"

static bool is_in_place(const Solid *solid) {
    Quat q = solid->orientation;
    Vec3 p = solid->position;
    return q.x == 0 && q.y == 0 && q.z == 0 && p.x == 0 && p.y == 0 && p.z == 0 &&
           solid->scale == 1;
}

/* Unions in unions, too; one that is moved as a whole stays together. */
static PlimStatus take_apart(PlimContext *context, SplashPlaces *places, const Solid *solid) {
    if (solid->kind == SOLID_UNION && is_in_place(solid)) {
        for (size_t child = 0; child < solid->child_count; child++)
            TRY(take_apart(context, places, &solid->children[child]));
        return PLIM_OK;
    }
    ObstaclePart part = {solid, solid_bounds(solid)};
    return array_push(context, &places->parts, part) ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

/* m, from one axis of a box; comparisons become single instructions where fmax is a call. */
static inline double gap_along(double low, double high, double x) {
    double below = low - x, above = x - high, gap = below > above ? below : above;
    return gap > 0 ? gap : 0;
}

/* Whether all of it is at least so far away. */
static inline bool is_beyond(const ObstaclePart *part, Vec3 p, double distance) {
    const Box3 *box = &part->bounds;
    double x = gap_along(box->low.x, box->high.x, p.x), y = gap_along(box->low.y, box->high.y, p.y);
    double z = gap_along(box->low.z, box->high.z, p.z);
    return distance > 0 && x * x + y * y + z * z >= distance * distance;
}

/* ---- blocks ---- */

static size_t block_count(const SplashPlaces *places) {
    return (size_t)places->blocks[0] * (size_t)places->blocks[1] * (size_t)places->blocks[2];
}

typedef struct BlockJob {
    const SplashPlaces *places;
    size_t *start;
    uint32_t *parts; /* NULL: they are only counted, each in start of the next block */
} BlockJob;

static Vec3 block_middle(const SplashPlaces *places, size_t block) {
    const Grid *grid = &places->sampled;
    size_t nx = (size_t)places->blocks[0], ny = (size_t)places->blocks[1];
    double edge = OBSTACLE_BLOCK * grid->spacing;
    return vec3(grid->origin.x + ((double)(block % nx) + 0.5) * edge,
                grid->origin.y + ((double)(block / nx % ny) + 0.5) * edge,
                grid->dim == 3 ? grid->origin.z + ((double)(block / nx / ny) + 0.5) * edge : 0.0);
}

/* Puts a part into its place among those before it: nearest first, so that most others are passed
 * over by their bounds. */
static void insert_part(const SplashPlaces *places, Vec3 x, uint32_t *parts, size_t count,
                        size_t part) {
    double distance = solid_distance(places->parts.data[part].solid, x);
    size_t at = count;
    for (; at > 0; at--) {
        if (solid_distance(places->parts.data[parts[at - 1]].solid, x) <= distance) break;
        parts[at] = parts[at - 1];
    }
    parts[at] = (uint32_t)part;
}

/* Distances change by no more than the way to the middle: a part that is farther there by twice
 * that way than another is nowhere the nearest. */
static void list_parts(void *user, size_t begin, size_t end) {
    const BlockJob *job = user;
    const SplashPlaces *places = job->places;
    double way =
        OBSTACLE_SLACK * 0.5 * sqrt(places->sampled.dim) * OBSTACLE_BLOCK * places->sampled.spacing;
    for (size_t block = begin; block < end; block++) {
        Vec3 middle = block_middle(places, block);
        double least = HUGE_VAL;
        for (size_t part = 0; part < places->parts.count; part++)
            least = fmin(least, solid_distance(places->parts.data[part].solid, middle));
        size_t count = 0;
        for (size_t part = 0; part < places->parts.count; part++) {
            const ObstaclePart *other = &places->parts.data[part];
            if (is_beyond(other, middle, least + 2 * way)) continue;
            if (solid_distance(other->solid, middle) > least + 2 * way) continue;
            if (job->parts)
                insert_part(places, middle, job->parts + job->start[block], count, part);
            count++;
        }
        if (!job->parts) job->start[block + 1] = count;
    }
}

static PlimStatus make_blocks(Splash *splash, SplashPlaces *places) {
    enum { GRAIN = 64 };
    PlimContext *context = splash->context;
    for (int axis = 0; axis < 3; axis++)
        places->blocks[axis] = (places->sampled.n[axis] + OBSTACLE_BLOCK - 1) / OBSTACLE_BLOCK;
    size_t count = block_count(places);
    places->block_start = context_allocate(context, count + 1, sizeof *places->block_start);
    if (!places->block_start) return PLIM_OUT_OF_MEMORY;
    BlockJob job = {places, places->block_start, NULL};
    parallel_for(context->threads, count, GRAIN, list_parts, &job);
    for (size_t block = 0; block < count; block++) job.start[block + 1] += job.start[block];
    if (!array_reserve(context, &places->block_parts, job.start[count])) return PLIM_OUT_OF_MEMORY;
    places->block_parts.count = job.start[count];
    job.parts = places->block_parts.data;
    parallel_for(context->threads, count, GRAIN, list_parts, &job);
    return PLIM_OK;
}

PlimStatus obstacle_find_parts(Splash *splash, SplashPlaces *places) {
    for (size_t i = 0; i < splash->colliders.list.count; i++) {
        const ImmersedCollider *collider = &splash->colliders.list.data[i];
        if (immersed_is_obstacle(collider))
            TRY(take_apart(splash->context, places, collider->now.solid));
    }
    return places->parts.count > 0 ? make_blocks(splash, places) : PLIM_OK;
}

void obstacle_free_parts(Splash *splash, SplashPlaces *places) {
    context_free(splash->context, places->block_start, block_count(places) + 1,
                 sizeof *places->block_start);
    array_free(splash->context, &places->block_parts);
    array_free(splash->context, &places->parts);
}

/* ---- queries ---- */

const uint32_t *obstacle_parts_near(const SplashPlaces *places, Vec3 x, size_t *count) {
    const Grid *grid = &places->sampled;
    double inverse = 1 / (OBSTACLE_BLOCK * grid->spacing);
    const double at[3] = {(x.x - grid->origin.x) * inverse, (x.y - grid->origin.y) * inverse,
                          grid->dim == 3 ? (x.z - grid->origin.z) * inverse : 0.0};
    *count = places->parts.count;
    if (!places->block_start) return NULL;
    for (int axis = 0; axis < 3; axis++)
        if (!(at[axis] >= 0 && at[axis] < places->blocks[axis])) return NULL;
    size_t block =
        ((size_t)at[2] * (size_t)places->blocks[1] + (size_t)at[1]) * (size_t)places->blocks[0] +
        (size_t)at[0];
    size_t start = places->block_start[block];
    *count = places->block_start[block + 1] - start;
    return places->block_parts.data + start;
}

static ObstacleNearest nearest_of(const Splash *splash, Vec3 x, bool held_alone) {
    const SplashPlaces *places = splash->places;
    ObstacleNearest nearest = {.distance = HUGE_VAL};
    if (splash->grid.dim == 2) x.z = 0;
    size_t count;
    const uint32_t *numbers = obstacle_parts_near(places, x, &count);
    for (size_t i = 0; i < count; i++) {
        const ObstaclePart *part = &places->parts.data[numbers ? numbers[i] : i];
        if (is_beyond(part, x, nearest.distance)) continue;
        double distance = solid_distance(part->solid, x);
        if (distance < nearest.distance)
            nearest = (ObstacleNearest){.distance = distance, .part = part->solid};
    }
    for (size_t i = 0; i < places->bodies.count; i++) {
        const ObstacleBody *body = &places->bodies.data[i];
        if (held_alone && body->is_scattered) continue;
        if (vec3_length(vec3_sub(x, body->middle)) - body->radius >= nearest.distance) continue;
        const Collider *collider = &splash->colliders.list.data[body->collider].now;
        double distance = collider_distance(collider, x);
        if (distance < nearest.distance)
            nearest = (ObstacleNearest){.distance = distance, .collider = collider};
    }
    return nearest;
}

ObstacleNearest obstacle_nearest(const Splash *splash, Vec3 x) {
    return nearest_of(splash, x, false);
}

ObstacleNearest obstacle_nearest_held(const Splash *splash, Vec3 x) {
    return nearest_of(splash, x, true);
}

double splash_distance_to_obstacles(const Splash *splash, Vec3 x) {
    return obstacle_nearest(splash, x).distance;
}
