/* Extrapolation along normals in order of distance (000 section 4; Adalsteinsson and Sethian 1999).
 */
#include "geom/level_set/march.h"

#include <math.h>
#include <string.h>

typedef struct Visit {
    uint64_t key; /* |phi|: the bits of a double that is not negative grow with it */
    size_t node;
} Visit;

typedef struct Carry {
    int n[3];
    size_t stride[3];
    const double *phi;
    double *values;
    size_t width;
    unsigned char *set; /* has its value */
} Carry;

/* Sorts by key, equal keys staying in order of index; `spare` is as long as `visits`. Eight bits a
 * pass; passes in which all keys agree are left out. Returns the one that holds the result. */
static Visit *sort_visits(Visit *visits, Visit *spare, size_t count) {
    for (int shift = 0; shift < 64; shift += 8) {
        size_t start[257] = {0};
        for (size_t i = 0; i < count; i++) start[(visits[i].key >> shift & 255) + 1]++;
        bool same = false;
        for (int b = 1; b <= 256; b++) {
            same = same || start[b] == count;
            start[b] += start[b - 1];
        }
        if (same) continue;
        for (size_t i = 0; i < count; i++) spare[start[visits[i].key >> shift & 255]++] = visits[i];
        Visit *kept = visits;
        visits = spare;
        spare = kept;
    }
    return visits;
}

static size_t list_visits(const Carry *carry, size_t count, double limit, Visit *visits) {
    size_t listed = 0;
    for (size_t node = 0; node < count; node++) {
        double distance = fabs(carry->phi[node]);
        if (carry->set[node] || !(distance <= limit)) continue;
        if (visits) {
            visits[listed].node = node;
            memcpy(&visits[listed].key, &distance, sizeof distance);
        }
        listed++;
    }
    return listed;
}

static void add_value(const Carry *carry, size_t node, size_t from, double weight) {
    for (size_t c = 0; c < carry->width; c++)
        carry->values[node * carry->width + c] += weight * carry->values[from * carry->width + c];
}

/* The neighbours of a node that have values, each with how far phi rises from it to the node, seen
 * from the node's side of the surface: a neighbour across the surface counts as nearer. */
static int set_neighbours(const Carry *carry, size_t node, size_t from[3], double rise[3]) {
    size_t rest = node;
    double side = carry->phi[node] < 0.0 ? -1.0 : 1.0;
    int count = 0;
    for (int a = 0; a < 3; a++) {
        size_t at = rest % (size_t)carry->n[a], s = carry->stride[a];
        rest /= (size_t)carry->n[a];
        bool low = at > 0 && carry->set[node - s];
        bool high = at + 1 < (size_t)carry->n[a] && carry->set[node + s];
        if (low && high) { /* of two along one axis only the nearer is upwind */
            high = side * carry->phi[node + s] < side * carry->phi[node - s];
            low = !high;
        }
        if (low) from[count++] = node - s;
        if (high) from[count++] = node + s;
    }
    for (int i = 0; i < count; i++) rise[i] = side * (carry->phi[node] - carry->phi[from[i]]);
    return count;
}

/* Upwind differences of grad v . grad phi = 0 make the value a mean of those upwind, weighted by
 * their rise. `any`: where none is upwind the plain mean of what there is. */
static bool carry_to(const Carry *carry, size_t node, bool any) {
    size_t from[3];
    double rise[3], total = 0.0;
    int count = set_neighbours(carry, node, from, rise);
    if (count == 0) return false;
    for (int i = 0; i < count; i++) total += rise[i] > 0.0 ? rise[i] : 0.0;
    bool upwind = total > 0.0;
    if (!upwind && !any) return false;
    double *value = carry->values + node * carry->width;
    memset(value, 0, carry->width * sizeof *value);
    for (int i = 0; i < count; i++) {
        if (!upwind) add_value(carry, node, from[i], 1.0 / count);
        if (upwind && rise[i] > 0.0) add_value(carry, node, from[i], rise[i] / total);
    }
    carry->set[node] = 1;
    return true;
}

/* In order of distance; then, as long as it helps, those that had nothing upwind of them. */
static void carry_all(const Carry *carry, Visit *visits, size_t count) {
    bool moved = true;
    for (bool any = false; moved && count > 0; any = true) {
        size_t left = 0;
        for (size_t i = 0; i < count; i++)
            if (!carry_to(carry, visits[i].node, any)) visits[left++] = visits[i];
        moved = !any || left < count;
        count = left;
    }
}

PlimStatus march_extrapolate(Scratch *scratch, const MarchGrid *grid, const unsigned char *known,
                             const double *phi, double limit, int width, double *values) {
    Carry carry = {.n = {grid->n[0], grid->n[1], grid->n[2]},
                   .phi = phi,
                   .values = values,
                   .width = (size_t)width};
    size_t count = 1;
    for (int a = 0; a < 3; a++) {
        carry.stride[a] = count;
        count *= (size_t)grid->n[a];
    }
    size_t mark = scratch_mark(scratch);
    carry.set = scratch_take(scratch, count, 1);
    if (!carry.set) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) carry.set[i] = known[i] != 0;
    size_t listed = list_visits(&carry, count, limit, NULL);
    Visit *visits = scratch_take(scratch, listed, sizeof *visits);
    Visit *spare = scratch_take(scratch, listed, sizeof *spare);
    if (visits && spare) {
        list_visits(&carry, count, limit, visits);
        carry_all(&carry, sort_visits(visits, spare, listed), listed);
    }
    scratch_release(scratch, mark);
    return visits && spare ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}
