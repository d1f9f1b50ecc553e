/* Obstacles of a splashing liquid: their parts, quick to find, and the samples of them in every
 * cell. */
#ifndef SPLASH_OBSTACLE_H
#define SPLASH_OBSTACLE_H

#include "splash/internal.h"

enum {
    OBSTACLE_MOST_SAMPLES = 8, /* along an edge of a cell */
    OBSTACLE_MOST_WORDS = 8,   /* of bits, one for each sample of a cell */
    OBSTACLE_BLOCK = 4         /* cells along an edge of a block */
};

/* A level set's value may change a little faster than the way that is gone. */
#define OBSTACLE_SLACK 1.1

/* What a covered cell adds to the cells around it and to the faces among them, in counts that
 * splash->places->whole makes one; x runs fastest. Of faces across an axis, there are two along
 * it: below and above. */
typedef struct ObstacleShares {
    int32_t cells[27], faces[3][27];
} ObstacleShares;

/* Cells [low, high). */
typedef struct ObstacleRange {
    int low[3], high[3];
} ObstacleRange;

/* A body among the colliders, as the grid last saw it. */
typedef struct ObstacleBody {
    size_t collider;
    ObstacleRange range; /* of cells that it can touch or be near to */
    Vec3 middle;         /* m, of a ball around it, now */
    double radius;       /* HUGE_VAL: it has no end */
    bool has_moved;      /* when bodies were last placed */
    bool is_scattered;   /* as of ObstacleNearest: the liquid pushes it */
} ObstacleBody;

/* Of the obstacles at rest, in the world: unions are taken apart. */
typedef struct ObstaclePart {
    const Solid *solid;
    Box3 bounds;
} ObstaclePart;

typedef struct SplashPlaces {
    ARRAY(ObstaclePart) parts;
    /* Of each block of cells: the parts that can be the nearest to a point of it, nearest first. */
    int blocks[3];
    size_t *block_start; /* one more than blocks: the end */
    ARRAY(uint32_t) block_parts;
    ARRAY(ObstacleBody) bodies;

    Grid sampled;   /* the padded grid and one cell more: what is spread to the outermost faces */
    int samples[3]; /* in a cell, along each axis */
    size_t words;   /* of bits in a cell */
    uint64_t *mask; /* of sampled cells: the samples that are in something solid */
    uint64_t *still_mask;      /* without bodies; NULL when there are none */
    unsigned char *still_near; /* the same, of padded cells */
    uint64_t full_mask[OBSTACLE_MOST_WORDS];
    int32_t whole;       /* counts of a cell that is all solid */
    int32_t *cell_count; /* of padded cells: blurred solid in them */
    int32_t *face_count[3];
    ObstacleShares full; /* of a cell that is all solid */
    /* Of each sample: where in its cell it is looked at when scattered, in samples. */
    double scattered[OBSTACLE_MOST_SAMPLES * OBSTACLE_MOST_SAMPLES * OBSTACLE_MOST_SAMPLES][3];
} SplashPlaces;

/* The thing nearest to a point. */
typedef struct ObstacleNearest {
    double distance;          /* m, HUGE_VAL: there is nothing */
    const Solid *part;        /* at rest; or: */
    const Collider *collider; /* a body; NULL: none */
    bool is_scattered;        /* its samples are not in rows: see obstacle_cover */
} ObstacleNearest;

/* ---- obstacle_parts.c ---- */

PlimStatus obstacle_find_parts(Splash *splash, SplashPlaces *places);
void obstacle_free_parts(Splash *splash, SplashPlaces *places);
/* The parts at rest that can be the nearest to x: `count` numbers of them, or all when NULL. */
const uint32_t *obstacle_parts_near(const SplashPlaces *places, Vec3 x, size_t *count);
ObstacleNearest obstacle_nearest(const Splash *splash, Vec3 x);
/* The same of obstacles and bodies that the liquid does not move. */
ObstacleNearest obstacle_nearest_held(const Splash *splash, Vec3 x);

static inline double obstacle_distance(const ObstacleNearest *nearest, Vec3 x) {
    return nearest->collider ? collider_distance(nearest->collider, x)
                             : solid_distance(nearest->part, x);
}

/* Its number among the colliders. */
static inline size_t obstacle_collider(const Splash *splash, const Collider *collider) {
    const char *first = (const char *)&splash->colliders.list.data[0].now;
    return (size_t)((const char *)collider - first) / sizeof splash->colliders.list.data[0];
}

/* ---- obstacle_open.c ---- */

/* Open parts of the faces and closed cells, of padded cells in a range. */
void obstacle_open(Splash *splash, int threads, const ObstacleRange *range);

/* ---- obstacle.c ---- */

/* Whether cell `at` of the domain, which it may lie outside of, is beyond one of its walls. */
bool obstacle_beyond_wall(const Splash *splash, const int at[3]);
/* Adds the samples of a sampled cell that are in something solid; returns its distance from the
 * middle. Scattered samples are not looked at in rows along the axes, but each a part of their
 * spacing off: a flat side that moves along an axis passes them one by one, not a whole row at
 * once. A body afloat would bounce on rows. They are still spread as if they were in rows. */
double obstacle_cover(const Splash *splash, const ObstacleNearest *solid, const int at[3],
                      uint64_t *mask);
/* What a body among the colliders is to that function. */
static inline ObstacleNearest obstacle_body(const Splash *splash, const ObstacleBody *body) {
    return (ObstacleNearest){.collider = &splash->colliders.list.data[body->collider].now,
                             .is_scattered = body->is_scattered};
}

/* What the samples in `now` spread, less what those in `before` did. */
void obstacle_find_shares(const SplashPlaces *places, const uint64_t *now, const uint64_t *before,
                          ObstacleShares *shares);
/* Adds a cube of shares whose first is for value `first` of a lattice. */
void obstacle_add_shares(const int32_t shares[27], const int first[3], const int size[3],
                         int32_t *count);

#endif
