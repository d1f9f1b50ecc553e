/* Multigrid coarsening: conductances of the next coarser level. A coarse face collects the fine
 * faces that make it up. Each is put in series with the half cells between it and the coarse
 * centres, which is the discretisation on the coarse grid where coefficients are equal and the
 * right flux across jumps of density. Half cells behind a wall or outside the fluid are left out:
 * there the fine cell's own centre stands for the coarse one. Conductances to fixed values are kept
 * apart as a part of the diagonal. */
#include "solve/multigrid/multigrid.h"

#include "base/parallel.h"

#include <math.h>
#include <string.h>

/* Of a child's value at most this comes from one neighbour, so that the parent's share is not
 * negative. */
static const float MOST_WEIGHT = 1.0f / 3.0f;

/* A child that other links hold takes little over a weak face: the share of a face shrinks once it
 * has less than 1/HELD of the child's diagonal (a sixth where all faces are alike). Without that, a
 * cell of light fluid, or one that a strong link fixes, follows the heavy fluid next to it, and
 * small bubbles of density 1:1000 take 34 iterations in place of 20. */
static const float HELD = 12.0f;

static inline bool is_finest(const MgLevel *level) {
    return !level->ties;
}

typedef struct CoarsenJob {
    MgLevel *fine;
    MgLevel *coarse;
} CoarsenJob;

/* The resistance of the half cell between a fine face and the coarse centre. A piece that conducts
 * worse than the face is not in the way: there the coarse value is that of the better conductor. */
static inline float half_resistance(float inner, float g) {
    return 0.5f / (inner > g ? inner : g);
}

/* The conductance of cell c's inner face away from side s of axis a, if it leads to an active cell.
 */
static inline float behind(const MgLevel *fine, size_t c, int a, int s) {
    size_t stride = fine->stride[a];
    size_t other = s == 0 ? c + stride : c - stride;
    return fine->inverse[other] > 0.0f ? fine->g[a][s == 0 ? other : c] : 0.0f;
}

typedef struct Gathered {
    float fixed;                        /* conductance to fixed values */
    float coupled_weight, fixed_weight; /* part of the way to it that the children lie at, summed */
    float strength;                     /* of the children: their diagonals' sum */
} Gathered;

/* Sums the fine faces on side s of axis a of a coarse cell. */
static Gathered gather_side(const MgLevel *fine, const MgChildren *own, int a, int s, bool seam) {
    Gathered sum = {.strength = 0.0f};
    int b = (a + 1) % 3, d = (a + 2) % 3;
    ptrdiff_t across = (ptrdiff_t)fine->stride[a] * (s ? 1 : -1);
    if (seam) across *= 1 - fine->n[a];
    bool deep = fine->factor[a] == 2;
    size_t layer = own->corner + (s ? (size_t)(own->count[a] - 1) * fine->stride[a] : 0);
    for (int v = 0; v < own->count[d]; v++)
        for (int u = 0; u < own->count[b]; u++) {
            size_t c = layer + (size_t)u * fine->stride[b] + (size_t)v * fine->stride[d];
            size_t face = s ? c + fine->stride[a] : c;
            size_t other = (size_t)((ptrdiff_t)c + across);
            float g = fine->g[a][face];
            if (fine->inverse[c] == 0.0f || fine->aside[c] & MG_ASIDE) continue;
            float strength = 1.0f / fine->inverse[c];
            sum.strength += strength;
            if (!(g > 0.0f) || fine->aside[other] & MG_ASIDE) continue;
            float near =
                deep ? half_resistance(own->count[a] == 2 ? behind(fine, c, a, s) : 0.0f, g) : 0.0f;
            float share = fminf(strength, HELD * g);
            if (fine->inverse[other] > 0.0f) {
                float far = deep ? half_resistance(behind(fine, other, a, 1 - s), g) : 0.0f;
                float joined = 1.0f / (near + 1.0f / g + far);
                sum.coupled_weight += share * joined * near;
            } else {
                float joined = 1.0f / (near + 1.0f / g);
                sum.fixed += joined;
                sum.fixed_weight += share * joined * near;
            }
        }
    return sum;
}

/* What is kept in `fixed`, and on the finest level faces to fixed values inside the coarse cell. */
static float gather_inside(const MgLevel *fine, const MgChildren *own) {
    float sum = 0.0f;
    for (int w = 0; w < own->count[2]; w++)
        for (int v = 0; v < own->count[1]; v++)
            for (int u = 0; u < own->count[0]; u++) {
                size_t c = mg_child(fine, own, u, v, w);
                if (fine->inverse[c] == 0.0f || fine->aside[c] & MG_ASIDE) continue;
                if (fine->fixed && fine->fixed[c] > 0.0f) sum += fine->fixed[c];
                if (!is_finest(fine)) continue;
                for (int a = 0; a < 3; a++) {
                    int at = a == 0 ? u : a == 1 ? v : w;
                    if (own->count[a] < 2) continue;
                    size_t other = at ? c - fine->stride[a] : c + fine->stride[a];
                    if (fine->inverse[other] == 0.0f) sum += fine->g[a][at ? c : other];
                }
            }
    return sum;
}

/* Whether a child is an unknown. */
static inline bool any_active(const MgLevel *fine, const MgChildren *own) {
    bool active = fine->inverse[own->corner] > 0.0f;
    for (int w = 0; w < own->count[2] && !active; w++)
        for (int v = 0; v < own->count[1]; v++)
            for (int u = 0; u < own->count[0]; u++)
                if (fine->inverse[mg_child(fine, own, u, v, w)] > 0.0f) active = true;
    return active;
}

/* All children in uniform runs: they share faces, so all their conductances are the same. */
static inline bool all_uniform(const MgLevel *fine, const MgChildren *own) {
    if (own->count[0] * own->count[1] * own->count[2] != 8) return false;
    const unsigned char *m = fine->aside + own->corner;
    size_t sx = fine->stride[1], sxy = fine->stride[2];
    return m[0] & m[1] & m[sx] & m[sx + 1] & m[sxy] & m[sxy + 1] & m[sxy + sx] & m[sxy + sx + 1] &
           MG_UNIFORM;
}

/* Whether the shift is so large that HELD makes weights smaller. */
static inline bool weighs_less(const MgLevel *fine, size_t c) {
    return fine->shifted && 1.0f / fine->inverse[c] > HELD * fine->g[0][c];
}

/* Interpolation weights, and what leads to fixed values. */
static void weigh_cell(const MgLevel *fine, MgLevel *coarse, int i, int j, int k) {
    int at[3] = {i, j, k};
    size_t c = mg_index(coarse, i, j, k);
    MgChildren own = mg_children(fine, at);
    if (all_uniform(fine, &own) && !weighs_less(fine, own.corner)) {
        coarse->fixed[c] = fine->shifted ? gather_inside(fine, &own) : 0.0f;
        memset(&coarse->ties[c], 64, sizeof coarse->ties[c]);
        return;
    }
    MgTies ties = {{0}, {0}};
    bool active = any_active(fine, &own);
    float fixed = active ? gather_inside(fine, &own) : 0.0f;
    for (int a = 0; a < 3 && active; a++)
        for (int s = 0; s < 2; s++) {
            bool seam = fine->periodic[a] && at[a] == (s ? coarse->n[a] - 1 : 0);
            Gathered sum = gather_side(fine, &own, a, s, seam);
            fixed += sum.fixed;
            /* Round the seam of an odd axis a single child has neighbours on both sides. */
            if (seam && (fine->n[a] % 2 != 0 || coarse->n[a] == 1)) sum.coupled_weight = 0.0f;
            if (fine->factor[a] != 2 || !(sum.strength > 0.0f)) continue;
            float neighbour = fminf(sum.coupled_weight / sum.strength, MOST_WEIGHT);
            float loss = fminf(neighbour + sum.fixed_weight / sum.strength, MOST_WEIGHT);
            ties.neighbour[2 * a + s] = (uint8_t)(256.0f * neighbour + 0.5f);
            ties.loss[2 * a + s] = (uint8_t)(256.0f * loss + 0.5f);
        }
    coarse->fixed[c] = fixed;
    coarse->ties[c] = ties;
}

/* Conductance between coarse cell c and its lower neighbour d across axis a: the energy that a
 * difference of one between them has on the fine level, where it is spread over the face and, by
 * the weights, the inner faces on both sides of it; those also carry the other side's share of a
 * uniform slope, hence the twos. */
static float couple(const MgLevel *fine, const MgLevel *coarse, const MgChildren *own, size_t c,
                    size_t d, int a, bool seam) {
    int b = (a + 1) % 3, e = (a + 2) % 3;
    float near = (float)coarse->ties[c].neighbour[2 * a] / 256.0f;
    float far = (float)coarse->ties[d].neighbour[2 * a + 1] / 256.0f, rest = 1.0f - near - far;
    size_t stride = fine->stride[a];
    float sum = 0.0f;
    for (int v = 0; v < own->count[e]; v++)
        for (int u = 0; u < own->count[b]; u++) {
            size_t f = own->corner + (size_t)u * fine->stride[b] + (size_t)v * fine->stride[e];
            size_t other = seam ? f + (size_t)(fine->n[a] - 1) * stride : f - stride;
            float g = fine->g[a][f];
            if (!(g > 0.0f) || fine->inverse[f] == 0.0f || fine->inverse[other] == 0.0f) continue;
            if ((fine->aside[f] | fine->aside[other]) & MG_ASIDE) continue;
            sum += g * rest * rest;
            if (near > 0.0f && own->count[a] == 2)
                sum += 2.0f * near * near * behind(fine, f, a, 0);
            if (far > 0.0f) sum += 2.0f * far * far * behind(fine, other, a, 1);
        }
    return sum;
}

static void couple_cell(const MgLevel *fine, MgLevel *coarse, int i, int j, int k) {
    int at[3] = {i, j, k};
    size_t c = mg_index(coarse, i, j, k);
    MgChildren own = mg_children(fine, at);
    bool active = any_active(fine, &own);
    for (int a = 0; a < 3; a++) {
        size_t stride = coarse->stride[a], wrap = (size_t)(coarse->n[a] - 1) * stride;
        bool seam = fine->periodic[a] && at[a] == 0;
        float g = 0.0f;
        if (active && (seam ? coarse->n[a] > 1 : at[a] > 0))
            g = couple(fine, coarse, &own, c, seam ? c + wrap : c - stride, a, seam);
        coarse->g[a][c] = g;
        if (at[a] == 0) coarse->g[a][c + wrap + stride] = seam ? g : 0.0f;
    }
}

static void couple_rows(void *user, size_t begin, size_t end) {
    CoarsenJob *job = user;
    for (size_t row = begin; row < end; row++) {
        int j = (int)(row % (size_t)job->coarse->n[1]), k = (int)(row / (size_t)job->coarse->n[1]);
        for (int i = 0; i < job->coarse->n[0]; i++) couple_cell(job->fine, job->coarse, i, j, k);
    }
}

static void weigh_rows(void *user, size_t begin, size_t end) {
    CoarsenJob *job = user;
    for (size_t row = begin; row < end; row++) {
        int j = (int)(row % (size_t)job->coarse->n[1]), k = (int)(row / (size_t)job->coarse->n[1]);
        for (int i = 0; i < job->coarse->n[0]; i++) weigh_cell(job->fine, job->coarse, i, j, k);
    }
}

/* Clears what an earlier problem left aside, and flags coarse cells that fall into parts. */
static void flag_rows(void *user, size_t begin, size_t end) {
    CoarsenJob *job = user;
    const MgLevel *fine = job->fine;
    MgLevel *coarse = job->coarse;
    for (size_t row = begin; row < end; row++) {
        int j = (int)(row % (size_t)coarse->n[1]), k = (int)(row / (size_t)coarse->n[1]);
        for (int i = 0; i < coarse->n[0]; i++) {
            int at[3] = {i, j, k};
            MgChildren own = mg_children(fine, at);
            bool whole = !any_active(fine, &own) || all_uniform(fine, &own);
            coarse->aside[mg_index(coarse, i, j, k)] = whole                   ? 0
                                                       : mg_is_split(fine, at) ? MG_PARTS
                                                                               : 0;
        }
    }
}

PlimStatus mg_coarsen(Scratch *scratch, MgLevel *fine, MgLevel *coarse, int threads) {
    CoarsenJob job = {fine, coarse};
    size_t rows = (size_t)coarse->n[1] * (size_t)coarse->n[2];
    parallel_for(threads, rows, 16, flag_rows, &job);
    TRY(mg_split(scratch, fine, coarse));
    parallel_for(threads, rows, 16, weigh_rows, &job);
    parallel_for(threads, rows, 16, couple_rows, &job);
    return mg_link(scratch, fine, coarse);
}
