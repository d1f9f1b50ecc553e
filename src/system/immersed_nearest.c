/* The collider nearest to a point, by uniform bins over the grid: near a surface, where it is asked
 * for, a bin holds a few of many bodies. The answer is that of looking at all of them, to the bit.
 */
#include "system/immersed.h"

/* Bins are worth it from here on; their edges and the distance that they are sure of, in cells. */
enum { LEAST_COLLIDERS = 8, BIN_CELLS = 4, MARGIN_CELLS = 3 };

/* Whether a solid's distance is at least that from the ball around it: true of exact distances and
 * their unions, not of what other combinations make. */
static bool has_true_distance(const Solid *solid) {
    switch (solid->kind) {
    case SOLID_BOX:
    case SOLID_BALL:
    case SOLID_CYLINDER:
    case SOLID_CAPSULE:
    case SOLID_TORUS:
    case SOLID_CONE:
        return true;
    case SOLID_UNION:
        for (size_t i = 0; i < solid->child_count; i++)
            if (!has_true_distance(&solid->children[i])) return false;
        return true;
    default:
        return false;
    }
}

/* Bins [low, high) that a ball and the margin around it touch; all of them if it has no end. */
static void bin_range(const Immersed *immersed, Vec3 center, double reach, int low[3],
                      int high[3]) {
    const Grid *grid = &immersed->grid;
    const ImmersedBins *bins = &immersed->bins;
    double at[3], origin[3], size = BIN_CELLS * grid->spacing;
    vec3_store(at, center);
    vec3_store(origin, grid->origin);
    reach += MARGIN_CELLS * grid->spacing;
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = 0;
        high[axis] = bins->n[axis];
        if (axis >= grid->dim || !isfinite(reach)) continue;
        double first = floor((at[axis] - reach - origin[axis]) / size);
        double last = floor((at[axis] + reach - origin[axis]) / size) + 1;
        low[axis] = (int)fmin(fmax(first, 0), bins->n[axis]);
        high[axis] = (int)fmin(fmax(last, 0), bins->n[axis]);
    }
}

/* Counts entries in the first pass and places them in the second. */
static void visit(Immersed *immersed, bool place) {
    ImmersedBins *bins = &immersed->bins;
    int images = grid_image_count(&immersed->grid), low[3], high[3];
    for (size_t i = 0; i < immersed->list.count; i++) {
        const Collider *now = &immersed->list.data[i].now;
        double reach =
            has_true_distance(now->solid) ? collider_reach(now, immersed->grid.dim) : HUGE_VAL;
        for (int image = 0; image < images; image++) {
            Vec3 center = vec3_add(now->position, grid_image_offset(&immersed->grid, image));
            bin_range(immersed, grid_in_plane(&immersed->grid, center), reach, low, high);
            for (int k = low[2]; k < high[2]; k++)
                for (int j = low[1]; j < high[1]; j++)
                    for (int b = low[0]; b < high[0]; b++) {
                        size_t bin =
                            ((size_t)k * (size_t)bins->n[1] + (size_t)j) * (size_t)bins->n[0] +
                            (size_t)b;
                        size_t *at = &bins->start.data[bin + (place ? 0 : 1)];
                        if (place) bins->entries.data[*at] = (ImmersedBinEntry){(int32_t)i, image};
                        ++*at;
                    }
        }
    }
}

void immersed_fill_bins(Immersed *immersed) {
    ImmersedBins *bins = &immersed->bins;
    bins->is_filled = false;
    if (immersed->list.count < LEAST_COLLIDERS) return;
    size_t count = 1;
    for (int axis = 0; axis < 3; axis++) {
        bins->n[axis] = (immersed->grid.n[axis] + BIN_CELLS - 1) / BIN_CELLS;
        count *= (size_t)bins->n[axis];
    }
    bins->start.count = bins->entries.count = 0;
    if (!array_reserve(immersed->context, &bins->start, count + 1)) return;
    for (size_t b = 0; b <= count; b++) bins->start.data[b] = 0;
    visit(immersed, false);
    for (size_t b = 0; b < count; b++) bins->start.data[b + 1] += bins->start.data[b];
    if (!array_reserve(immersed->context, &bins->entries, bins->start.data[count] + 1)) return;
    visit(immersed, true); /* each start is now where the next bin's was */
    for (size_t b = count; b > 0; b--) bins->start.data[b] = bins->start.data[b - 1];
    bins->start.data[0] = 0;
    bins->is_filled = true;
}

/* ---- queries ---- */

typedef struct Nearest {
    const Immersed *immersed;
    Vec3 x, beside;
    const ImmersedCollider *collider, *other; /* the nearest and the second */
    double least, second;
} Nearest;

static void look_at(Nearest *n, size_t i, int image) {
    const ImmersedCollider *collider = &n->immersed->list.data[i];
    Vec3 at = vec3_sub(n->x, grid_image_offset(&n->immersed->grid, image));
    double distance = collider_distance(&collider->now, grid_in_plane(&n->immersed->grid, at));
    if (!(distance < n->least)) {
        if (distance < n->second && collider != n->collider) {
            n->second = distance;
            n->other = collider;
        }
        return;
    }
    if (n->collider && n->collider != collider) {
        n->second = n->least;
        n->other = n->collider;
    }
    n->least = distance;
    n->collider = collider;
    n->beside = at;
}

/* True when no collider outside the bin can be nearer. */
static bool look_in_bin(Nearest *n) {
    const ImmersedBins *bins = &n->immersed->bins;
    const Grid *grid = &n->immersed->grid;
    double at[3], origin[3];
    size_t bin = 0;
    vec3_store(at, n->x);
    vec3_store(origin, grid->origin);
    for (int axis = 2; axis >= 0; axis--) {
        double place =
            axis < grid->dim ? floor((at[axis] - origin[axis]) / (BIN_CELLS * grid->spacing)) : 0;
        if (!(place >= 0 && place < bins->n[axis])) return false;
        bin = bin * (size_t)bins->n[axis] + (size_t)place;
    }
    for (size_t e = bins->start.data[bin]; e < bins->start.data[bin + 1]; e++)
        look_at(n, (size_t)bins->entries.data[e].collider, bins->entries.data[e].image);
    return n->least <= MARGIN_CELLS * grid->spacing;
}

static Nearest find_nearest(const Immersed *immersed, Vec3 x) {
    const Nearest none = {
        .immersed = immersed, .x = x, .beside = x, .least = HUGE_VAL, .second = HUGE_VAL};
    Nearest n = none;
    if (immersed->bins.is_filled && look_in_bin(&n)) return n;
    int images = grid_image_count(&immersed->grid);
    n = none;
    for (size_t i = 0; i < immersed->list.count; i++)
        for (int image = 0; image < images; image++) look_at(&n, i, image);
    return n;
}

const ImmersedCollider *immersed_nearest(const Immersed *immersed, Vec3 x, Vec3 *beside) {
    Nearest n = find_nearest(immersed, x);
    *beside = n.beside;
    return n.collider;
}

/* Within the margin of a bin it has all colliders that are near. */
ImmersedGap immersed_gap(const Immersed *immersed, Vec3 x) {
    Nearest n = find_nearest(immersed, x);
    bool first = n.collider && surface_is_free(&n.collider->ref);
    bool other = n.other && surface_is_free(&n.other->ref);
    return (ImmersedGap){n.least, n.second, first, first || other};
}
