/* Faces that each solid covers, blurred (001 section 3.3). The grid knows what all solids together
 * leave open; here the same samples are spread for one body at a time, so that what presses on a
 * face can be handed to those who cover it. */
#include "splash/obstacle.h"

#include <string.h>

/* Counts of one body on the faces around it. */
typedef struct FaceBox {
    int low[3], size[3]; /* of padded faces across the axis: the first, and how many */
    int32_t *count;
} FaceBox;

/* Of a cell at place p along an axis samples go to the padded cells p - 2 to p, and to the two
 * faces of the middle one. */
static PlimStatus take_boxes(const Splash *splash, const ObstacleRange *range, Scratch *scratch,
                             FaceBox boxes[3]) {
    for (int axis = 0; axis < splash->grid.dim; axis++) {
        FaceBox *box = &boxes[axis];
        size_t count = 1;
        for (int a = 0; a < 3; a++) {
            bool used = a < splash->grid.dim;
            box->low[a] = used ? range->low[a] - 2 : -1;
            box->size[a] = used ? range->high[a] - range->low[a] + 2 + (a == axis) : 3;
            count *= (size_t)box->size[a];
        }
        box->count = scratch_take(scratch, count, sizeof *box->count);
        if (!box->count) return PLIM_OUT_OF_MEMORY;
        memset(box->count, 0, count * sizeof *box->count);
    }
    return PLIM_OK;
}

/* Whether nothing but this body can have samples in a cell. */
static bool is_alone(const Splash *splash, const ObstacleBody *body, const int at[3]) {
    const SplashPlaces *places = splash->places;
    const Grid *grid = &places->sampled;
    if (places->parts.count > 0) return false;
    for (int a = 0; a < grid->dim; a++) /* beyond a wall there are images */
        if (at[a] < 2 || at[a] >= grid->n[a] - 2) return false;
    Vec3 middle = grid_cell_center(grid, at[0], at[1], at[2]);
    double reach = OBSTACLE_SLACK * 0.5 * sqrt(grid->dim) * grid->spacing;
    for (size_t i = 0; i < places->bodies.count; i++) {
        const ObstacleBody *other = &places->bodies.data[i];
        if (other == body) continue;
        if (vec3_length(vec3_sub(middle, other->middle)) <= other->radius + reach) return false;
    }
    return true;
}

/* The samples of the cell that are in the body: those that the grid knows, where there is nothing
 * else. */
static void find_mask(const Splash *splash, const ObstacleBody *body, const int at[3],
                      uint64_t mask[OBSTACLE_MOST_WORDS]) {
    const SplashPlaces *places = splash->places;
    size_t words = places->words;
    ObstacleNearest what = obstacle_body(splash, body);
    const uint64_t *all =
        places->mask + words * grid_cell_index(&places->sampled, at[0], at[1], at[2]);
    bool any = false;
    for (size_t w = 0; w < words; w++) any = any || all[w] != 0;
    if (!any) return;
    if (is_alone(splash, body, at))
        memcpy(mask, all, words * sizeof *mask);
    else
        obstacle_cover(splash, &what, at, mask);
}

static void spread_cell(const Splash *splash, const ObstacleBody *body, const int at[3],
                        const FaceBox boxes[3]) {
    const SplashPlaces *places = splash->places;
    static const uint64_t none[OBSTACLE_MOST_WORDS] = {0};
    uint64_t mask[OBSTACLE_MOST_WORDS] = {0};
    find_mask(splash, body, at, mask);
    size_t bytes = places->words * sizeof *mask;
    if (memcmp(mask, none, bytes) == 0) return;
    ObstacleShares shares = places->full;
    if (memcmp(mask, places->full_mask, bytes) != 0)
        obstacle_find_shares(places, mask, none, &shares);
    for (int axis = 0; axis < splash->grid.dim; axis++) {
        int first[3];
        for (int a = 0; a < 3; a++)
            first[a] = at[a] - (a < splash->grid.dim) - 1 + (a == axis) - boxes[axis].low[a];
        obstacle_add_shares(shares.faces[axis], first, boxes[axis].size, boxes[axis].count);
    }
}

/* A face in a wall is the wall's. */
static bool is_in_wall(const Splash *splash, int axis, int at) {
    return (at == 1 && splash->grid.sides[axis][0] == SIDE_WALL) ||
           (at == splash->padded.n[axis] - 1 && splash->grid.sides[axis][1] == SIDE_WALL);
}

static bool list_faces(const Splash *splash, const FaceBox *box, int axis, SplashSolid *solid) {
    const Grid *grid = &splash->padded;
    const int32_t *count = box->count;
    for (int k = 0; k < box->size[2]; k++)
        for (int j = 0; j < box->size[1]; j++)
            for (int i = 0; i < box->size[0]; i++, count++) {
                int at[3] = {i + box->low[0], j + box->low[1], k + box->low[2]};
                bool inner = *count != 0 && at[axis] > 0 && !is_in_wall(splash, axis, at[axis]);
                for (int a = 0; a < 3; a++) inner = inner && at[a] >= 0 && at[a] < grid->n[a];
                if (!inner) continue;
                SolidFace face = {.axis = axis,
                                  .face = grid_face_index(grid, axis, at[0], at[1], at[2]),
                                  .high = grid_cell_index(grid, at[0], at[1], at[2]),
                                  .x = grid_face_center(grid, axis, at[0], at[1], at[2]),
                                  .covered = (double)*count / splash->places->whole};
                at[axis]--;
                face.low = grid_cell_index(grid, at[0], at[1], at[2]);
                if (!array_push(splash->context, &solid->faces, face)) return false;
            }
    return true;
}

static PlimStatus find_faces(const Splash *splash, const StepInfo *step, const ObstacleBody *body,
                             SplashSolid *solid) {
    const ObstacleRange *range = &body->range;
    FaceBox boxes[3];
    solid->faces.count = 0;
    for (int a = 0; a < 3; a++)
        if (range->high[a] <= range->low[a]) return PLIM_OK;
    size_t mark = scratch_mark(step->scratch);
    TRY(take_boxes(splash, range, step->scratch, boxes));
    for (int k = range->low[2]; k < range->high[2]; k++)
        for (int j = range->low[1]; j < range->high[1]; j++)
            for (int i = range->low[0]; i < range->high[0]; i++)
                spread_cell(splash, body, (int[3]){i, j, k}, boxes);
    bool good = true;
    for (int axis = 0; axis < splash->grid.dim; axis++)
        good = good && list_faces(splash, &boxes[axis], axis, solid);
    scratch_release(step->scratch, mark);
    return good ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

PlimStatus splash_find_solid_faces(Splash *splash, const StepInfo *step, bool fresh) {
    const SplashPlaces *places = splash->places;
    if (splash->push.solids.count == 0) return PLIM_OK;
    for (size_t i = 0; i < places->bodies.count; i++) {
        const ObstacleBody *body = &places->bodies.data[i];
        if (!fresh && !body->has_moved) continue;
        TRY(find_faces(splash, step, body, &splash->push.solids.data[body->collider]));
    }
    return PLIM_OK;
}

/* Of the area: a face that solids cover by more is shut where it carries no liquid. */
static const double NEARLY_SHUT = 0.5;

double splash_solid_share(const Splash *splash, const SolidFace *face) {
    double all = 1 - splash->fraction[face->axis][face->face], share = fmin(face->covered, all);
    bool is_shut = splash->weight[face->axis][face->face] == 0 && all > NEARLY_SHUT;
    return is_shut ? share / all : share;
}
