/* Conductances of the next coarser level. A coarse face collects the fine faces that make it up. Each is
 * put in series with the half cells between it and the coarse centres, which is the discretisation on
 * the coarse grid where coefficients are equal and the right flux across jumps of density. Half cells
 * behind a wall or outside the fluid are left out: there the fine cell's own centre stands for the
 * coarse one. Conductances to fixed values are kept apart as a part of the diagonal. */
#include "solve/multigrid.h"

#include "base/parallel.h"

typedef struct CoarsenJob {
    const MgLevel *fine;
    MgLevel *coarse;
} CoarsenJob;

#include <stdlib.h>
static int flag(const char*n,int d){const char*e=getenv(n);return e?atoi(e):d;}
/* The resistance of the half cell between a fine face and the coarse centre. A piece that conducts
 * worse than the face is not in the way: there the coarse value is that of the better conductor. */
static inline float half_resistance(float inner, float g) {
    static int hm=-1; if(hm<0)hm=flag("HM",0);
    if(hm==1&&!(inner>0.0f)) return 0.0f;
    if(hm==2) return inner>0.0f?0.5f/inner:0.0f;
    return 0.5f / (inner > g ? inner : g);
}

/* The conductance of cell c's inner face away from side s of axis a, if it leads to an active cell. */
static inline float behind(const MgLevel *fine, size_t c, int a, int s) {
    size_t stride = fine->stride[a];
    size_t other = s == 0 ? c + stride : c - stride;
    return fine->inverse[other] > 0.0f ? fine->g[a][s == 0 ? other : c] : 0.0f;
}

typedef struct Gathered {
    float coupled, fixed;              /* conductance to the neighbour, to fixed values */
    float coupled_weight, fixed_weight; /* part of the way to it that the children lie at, summed */
    float strength; /* of the children: their diagonals' sum */
} Gathered;

/* Sums the fine faces on side s of axis a of the coarse cell whose first child is `corner`. */
static Gathered gather_side(const MgLevel *fine, size_t corner, const int children[3], int a, int s,
                            bool seam) {
    Gathered sum = {.strength = 0.0f};
    int b = (a + 1) % 3, d = (a + 2) % 3;
    ptrdiff_t across = (ptrdiff_t)fine->stride[a] * (s ? 1 : -1);
    if (seam) across *= 1 - fine->n[a];
    bool deep = fine->factor[a] == 2;
    size_t layer = corner + (s ? (size_t)(children[a] - 1) * fine->stride[a] : 0);
    for (int v = 0; v < children[d]; v++)
        for (int u = 0; u < children[b]; u++) {
            size_t c = layer + (size_t)u * fine->stride[b] + (size_t)v * fine->stride[d];
            size_t face = s ? c + fine->stride[a] : c;
            size_t other = (size_t)((ptrdiff_t)c + across);
            float g = fine->g[a][face];
            if (fine->inverse[c] == 0.0f) continue;
            static int sw=-1; if(sw<0)sw=flag("SW",1);
            float strength = sw?1.0f / fine->inverse[c]:1.0f;
            sum.strength += strength;
            if (!(g > 0.0f)) continue;
            float near = deep ? half_resistance(children[a] == 2 ? behind(fine, c, a, s) : 0.0f, g) : 0.0f;
            if (fine->inverse[other] > 0.0f) {
                float far = deep ? half_resistance(behind(fine, other, a, 1 - s), g) : 0.0f;
                float joined = 1.0f / (near + 1.0f / g + far);
                sum.coupled += joined;
                sum.coupled_weight += strength * joined * near;
            } else {
                float joined = 1.0f / (near + 1.0f / g);
                sum.fixed += joined;
                sum.fixed_weight += strength * joined * near;
            }
        }
    return sum;
}

/* Faces to fixed values inside the coarse cell, on the finest level; below it, those kept in `fixed`. */
static float gather_inside(const MgLevel *fine, size_t corner, const int children[3]) {
    float sum = 0.0f;
    for (int w = 0; w < children[2]; w++)
        for (int v = 0; v < children[1]; v++)
            for (int u = 0; u < children[0]; u++) {
                size_t c = corner + (size_t)u + (size_t)v * fine->stride[1] + (size_t)w * fine->stride[2];
                if (fine->inverse[c] == 0.0f) continue;
                if (fine->fixed) {
                    if (fine->fixed[c] > 0.0f) sum += fine->fixed[c];
                    continue;
                }
                for (int a = 0; a < 3; a++) {
                    int at = a == 0 ? u : a == 1 ? v : w;
                    if (children[a] < 2) continue;
                    size_t other = at ? c - fine->stride[a] : c + fine->stride[a];
                    if (fine->inverse[other] == 0.0f) sum += fine->g[a][at ? c : other];
                }
            }
    return sum;
}

static void coarsen_cell(const MgLevel *fine, MgLevel *coarse, int i, int j, int k) {
    int at[3] = {i, j, k}, children[3];
    size_t corner = mg_index(fine, 0, 0, 0), c = mg_index(coarse, i, j, k);
    bool active = false;
    for (int a = 0; a < 3; a++) {
        corner += (size_t)(at[a] * fine->factor[a]) * fine->stride[a];
        bool last = at[a] * fine->factor[a] + 2 > fine->n[a];
        children[a] = fine->factor[a] == 2 && !last ? 2 : 1;
    }
    for (int w = 0; w < children[2] && !active; w++)
        for (int v = 0; v < children[1]; v++)
            for (int u = 0; u < children[0]; u++)
                if (fine->inverse[corner + (size_t)u + (size_t)v * fine->stride[1] +
                                  (size_t)w * fine->stride[2]] > 0.0f)
                    active = true;
    MgTies ties = {{0}, {0}};
    float fixed = active ? gather_inside(fine, corner, children) : 0.0f;
    for (int a = 0; a < 3; a++)
        for (int s = 0; s < 2; s++) {
            Gathered sum = {.strength = 0.0f};
            bool seam = fine->periodic[a] && at[a] == (s ? coarse->n[a] - 1 : 0);
            if (active) sum = gather_side(fine, corner, children, a, s, seam);
            if (seam && coarse->n[a] == 1) sum.coupled = 0.0f; /* a cell beside itself */
            if (s == 0 || at[a] == coarse->n[a] - 1)
                coarse->g[a][s ? c + coarse->stride[a] : c] = sum.coupled;
            fixed += sum.fixed;
            bool uneven = seam && fine->n[a] % 2 != 0; /* a single child, with neighbours on both sides */
            if (fine->factor[a] != 2 || !(sum.strength > 0.0f)) continue;
            if (uneven) sum.coupled_weight = 0.0f;
            static int fw=-1; if(fw<0)fw=flag("FW",1); if(!fw)sum.fixed_weight=0;
            static int wc=-1; if(wc<0)wc=flag("WC",85);
            float w=256.0f/sum.strength*sum.coupled_weight, v=256.0f/sum.strength*sum.fixed_weight;
            w=w>wc?wc:w; v=w+v>wc?wc-w:v;
            ties.neighbour[2 * a + s] = (uint8_t)(w + 0.5f);
            ties.loss[2 * a + s] = (uint8_t)((w + v) + 0.5f);
        }
    coarse->fixed[c] = fixed;
    coarse->ties[c] = ties;
}

static void coarsen_rows(void *user, size_t begin, size_t end) {
    CoarsenJob *job = user;
    for (size_t row = begin; row < end; row++) {
        int j = (int)(row % (size_t)job->coarse->n[1]), k = (int)(row / (size_t)job->coarse->n[1]);
        for (int i = 0; i < job->coarse->n[0]; i++) coarsen_cell(job->fine, job->coarse, i, j, k);
    }
}

void mg_coarsen(const MgLevel *fine, MgLevel *coarse, int threads) {
    CoarsenJob job = {fine, coarse};
    parallel_for(threads, (size_t)coarse->n[1] * (size_t)coarse->n[2], 16, coarsen_rows, &job);
}
