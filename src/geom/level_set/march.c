/* Fast marching (000 section 2.3.1; Sethian 1996, second order: Sethian 1999): nodes are settled in
 * order of distance, each from its settled neighbours, by upwind differences of |grad phi| = 1.
 *
 * Distances are marched in a copy with a border of infinity two nodes wide, so that the stencil
 * needs no tests for the edge of the array. A heap with four children a node holds the front. */
#include "geom/level_set/march.h"

#include "geom/level_set/eikonal.h"

#include <math.h>
#include <string.h>

enum { BORDER = 2, HEAP_ARITY = 4 };

#define SLOT_NONE    UINT32_C(0)
#define SLOT_SETTLED UINT32_MAX

typedef struct FrontItem {
    double distance;
    uint32_t node; /* in the bordered array */
} FrontItem;

typedef struct Front {
    const MarchGrid *grid;
    int order;
    int axes; /* along which there is more than one node */
    size_t stride[3];
    int border[3]; /* 0 along an axis with one node */
    size_t size[3];
    size_t count;            /* nodes, border included */
    double *signed_distance; /* infinite, of the node's sign, until settled */
    uint32_t *slot;          /* place in the heap plus one */
    FrontItem *heap;
    size_t heap_count;
} Front;

static bool sooner(FrontItem a, FrontItem b) {
    return a.distance < b.distance || (a.distance == b.distance && a.node < b.node);
}

static void front_place(Front *front, size_t at, FrontItem item) {
    front->heap[at] = item;
    front->slot[item.node] = (uint32_t)at + 1;
}

static void front_rise(Front *front, size_t at, FrontItem item) {
    while (at > 0) {
        size_t parent = (at - 1) / HEAP_ARITY;
        if (!sooner(item, front->heap[parent])) break;
        front_place(front, at, front->heap[parent]);
        at = parent;
    }
    front_place(front, at, item);
}

static void front_sink(Front *front, size_t at, FrontItem item) {
    for (;;) {
        size_t child = HEAP_ARITY * at + 1, end = child + HEAP_ARITY;
        if (child >= front->heap_count) break;
        if (end > front->heap_count) end = front->heap_count;
        size_t first = child;
        for (size_t i = child + 1; i < end; i++)
            if (sooner(front->heap[i], front->heap[first])) first = i;
        if (!sooner(front->heap[first], item)) break;
        front_place(front, at, front->heap[first]);
        at = first;
    }
    front_place(front, at, item);
}

/* Puts a node on the front, or moves it to where its new distance belongs. */
static void front_put(Front *front, size_t node, double distance) {
    FrontItem item = {distance, (uint32_t)node};
    if (front->slot[node] == SLOT_NONE) {
        front_rise(front, front->heap_count++, item);
        return;
    }
    size_t at = front->slot[node] - 1;
    if (front->heap[at].distance == distance) return;
    if (sooner(item, front->heap[at]))
        front_rise(front, at, item);
    else
        front_sink(front, at, item);
}

static FrontItem front_take(Front *front) {
    FrontItem first = front->heap[0], last = front->heap[--front->heap_count];
    if (front->heap_count > 0) front_sink(front, 0, last);
    front->slot[first.node] = SLOT_SETTLED;
    return first;
}

/* The distance at a settled node, seen from a node `away` off on the given side. Across the surface
 * it counts as negative, so that differences see no kink there; it must then be less than the step
 * (where a surface has gaps the sign changes without one). */
static inline double seen_from(double value, bool inside, double away) {
    double distance = fabs(value);
    if ((value < 0.0) != inside && distance <= away) return -distance;
    return distance;
}

static bool upwind_along(const Front *front, size_t node, size_t stride, Upwind *out) {
    const double *at = front->signed_distance + node;
    double h = front->grid->spacing;
    bool inside = *at < 0.0;
    double low = seen_from(at[-(ptrdiff_t)stride], inside, h);
    double high = seen_from(at[stride], inside, h);
    bool below = low <= high;
    double first = below ? low : high;
    if (!(first < HUGE_VAL)) return false;
    *out = (Upwind){first, first, 1.0};
    if (front->order == 1) return true;
    double second = below ? at[-2 * (ptrdiff_t)stride] : at[2 * stride];
    second = seen_from(second, inside, first <= h ? 2.0 * h : 0.0);
    /* (3 phi - 4 first + second) / 2 = 3/2 (phi - base); only where it looks further upwind. */
    if (second <= first) *out = (Upwind){first, (4.0 * first - second) / 3.0, 2.25};
    return true;
}

/* The distance at a node from its settled neighbours: it is reached from one, so there is one. */
static double front_solve(const Front *front, size_t node) {
    Upwind up[3];
    int count = 0;
    for (int a = 0; a < front->axes; a++)
        if (upwind_along(front, node, front->stride[a], &up[count])) count++;
    return fmax(eikonal_solve(up, count, front->grid->spacing), 0.0);
}

static PlimStatus front_create(Front *front, Scratch *scratch, const MarchGrid *grid, int order) {
    *front = (Front){.grid = grid, .order = order, .count = 1};
    for (int a = 0; a < 3; a++) {
        front->border[a] = grid->n[a] > 1 ? BORDER : 0;
        front->size[a] = (size_t)grid->n[a] + 2 * (size_t)front->border[a];
        if (front->border[a]) front->stride[front->axes++] = front->count;
        if (front->size[a] > (size_t)(UINT32_MAX - 1) / front->count)
            return context_fail(scratch->context, PLIM_BAD_INPUT,
                                "a grid of %d x %d x %d nodes is too large to march on", grid->n[0],
                                grid->n[1], grid->n[2]);
        front->count *= front->size[a];
    }
    front->signed_distance = scratch_take(scratch, front->count, sizeof *front->signed_distance);
    front->slot = scratch_take(scratch, front->count, sizeof *front->slot);
    if (!front->signed_distance || !front->slot) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < front->count; i++) front->signed_distance[i] = HUGE_VAL;
    memset(front->slot, 0xFF, front->count * sizeof *front->slot); /* SLOT_SETTLED: the border */
    return PLIM_OK;
}

/* Index in the bordered array of the first node of a row. */
static size_t front_row(const Front *front, int j, int k) {
    size_t row = (size_t)(k + front->border[2]) * front->size[1] + (size_t)(j + front->border[1]);
    return row * front->size[0] + (size_t)front->border[0];
}

/* Copies the known values in; returns how many are not known. */
static size_t front_load(Front *front, const unsigned char *known, const double *phi) {
    const int *n = front->grid->n;
    size_t from = 0, unknown = 0;
    for (int k = 0; k < n[2]; k++) {
        for (int j = 0; j < n[1]; j++) {
            size_t row = front_row(front, j, k);
            for (size_t i = 0; i < (size_t)n[0]; i++, from++) {
                if (known[from]) {
                    front->signed_distance[row + i] = phi[from];
                } else {
                    front->signed_distance[row + i] = phi[from] < 0.0 ? -HUGE_VAL : HUGE_VAL;
                    front->slot[row + i] = SLOT_NONE;
                    unknown++;
                }
            }
        }
    }
    return unknown;
}

/* Nodes beside known ones make the first front. */
static void front_start(Front *front, double limit) {
    const int *n = front->grid->n;
    for (int k = 0; k < n[2]; k++) {
        for (int j = 0; j < n[1]; j++) {
            size_t row = front_row(front, j, k);
            for (size_t node = row; node < row + (size_t)n[0]; node++) {
                if (front->slot[node] != SLOT_NONE) continue;
                double nearest = HUGE_VAL;
                for (int a = 0; a < front->axes; a++) {
                    const double *at = front->signed_distance + node;
                    size_t s = front->stride[a];
                    nearest = fmin(nearest, fmin(fabs(at[-(ptrdiff_t)s]), fabs(at[s])));
                }
                if (nearest <= limit && nearest < HUGE_VAL)
                    front_put(front, node, front_solve(front, node));
            }
        }
    }
}

/* The front's next nodes lie all over memory; asking for a neighbourhood one node ahead hides most
 * of the wait (a quarter of the time at 128^3). */
static void front_prefetch(const Front *front) {
#if defined(__GNUC__)
    if (front->heap_count == 0) return;
    size_t node = front->heap[0].node;
    for (int a = 0; a < front->axes; a++) {
        size_t s = front->stride[a];
        __builtin_prefetch(front->slot + node - s);
        __builtin_prefetch(front->slot + node + s);
        for (size_t t = s; t <= 2 * s; t += s) {
            __builtin_prefetch(front->signed_distance + node - t);
            __builtin_prefetch(front->signed_distance + node + t);
        }
    }
#else
    (void)front;
#endif
}

static void front_march(Front *front, double limit) {
    while (front->heap_count > 0 && front->heap[0].distance <= limit) {
        FrontItem next = front_take(front);
        double *settled = &front->signed_distance[next.node];
        *settled = *settled < 0.0 ? -next.distance : next.distance;
        front_prefetch(front);
        for (int a = 0; a < front->axes; a++) {
            size_t below = next.node - front->stride[a], above = next.node + front->stride[a];
            if (front->slot[below] != SLOT_SETTLED)
                front_put(front, below, front_solve(front, below));
            if (front->slot[above] != SLOT_SETTLED)
                front_put(front, above, front_solve(front, above));
        }
    }
}

static void front_store(const Front *front, const unsigned char *known, double limit, double *phi) {
    const int *n = front->grid->n;
    size_t to = 0;
    for (int k = 0; k < n[2]; k++) {
        for (int j = 0; j < n[1]; j++) {
            const double *row = front->signed_distance + front_row(front, j, k);
            for (size_t i = 0; i < (size_t)n[0]; i++, to++) {
                if (known[to]) continue;
                double distance = fmin(fabs(row[i]), limit);
                phi[to] = phi[to] < 0.0 ? -distance : distance;
            }
        }
    }
}

PlimStatus march_distance(Scratch *scratch, const MarchGrid *grid, const unsigned char *known,
                          int order, double limit, double *phi) {
    size_t mark = scratch_mark(scratch);
    Front front;
    PlimStatus status = front_create(&front, scratch, grid, order);
    if (status == PLIM_OK) {
        size_t unknown = front_load(&front, known, phi);
        front.heap = scratch_take(scratch, unknown, sizeof *front.heap);
        if (!front.heap) status = PLIM_OUT_OF_MEMORY;
    }
    if (status == PLIM_OK) {
        front_start(&front, limit);
        front_march(&front, limit);
        front_store(&front, known, limit, phi);
    }
    scratch_release(scratch, mark);
    return status;
}
