/* Cubic interpolation of smoke between cells, limited. */
#include "render/smoke_refine.h"

#include "base/parallel.h"

typedef struct RefineJob {
    const Smoke *coarse, *fine;
    const float *from;
    float *to;
    float gain;
} RefineJob;

/* The four cells of the coarse grid around a fine one along an axis, padding counted, and their
 * weights: of the middle two the nearer one is a quarter of a cell away. */
typedef struct Taps {
    size_t at[4];
    float weight[4];
} Taps;

static Taps taps_of(int fine, int cells) {
    static const float near[4] = {-0.0703125f, 0.8671875f, 0.2265625f, -0.0234375f};
    bool after = fine & 1; /* behind the middle of its coarse cell */
    int first = fine / 2 + (after ? 0 : -1);
    Taps taps;
    for (int k = 0; k < 4; k++) {
        int at = first + k;
        taps.at[k] = (size_t)(at < 0 ? 0 : at > cells + 1 ? cells + 1 : at);
        taps.weight[k] = near[after ? k : 3 - k];
    }
    return taps;
}

static float value_between(const Smoke *coarse, const float *from, const Taps *x, const Taps *y,
                           const Taps *z) {
    float sum = 0.0f, least = INFINITY, most = 0.0f;
    for (int c = 0; c < 4; c++)
        for (int b = 0; b < 4; b++) {
            const float *row = from + z->at[c] * coarse->stride[2] + y->at[b] * coarse->stride[1];
            float along = 0.0f;
            for (int a = 0; a < 4; a++) along += x->weight[a] * row[x->at[a]];
            sum += z->weight[c] * y->weight[b] * along;
            if (b != 1 && b != 2) continue;
            if (c != 1 && c != 2) continue;
            least = fminf(least, fminf(row[x->at[1]], row[x->at[2]]));
            most = fmaxf(most, fmaxf(row[x->at[1]], row[x->at[2]]));
        }
    return fminf(fmaxf(sum, least), most);
}

static void refine_layers(void *user, size_t begin, size_t end) {
    const RefineJob *job = user;
    const Smoke *coarse = job->coarse, *fine = job->fine;
    for (size_t k = begin; k < end; k++) {
        Taps z = taps_of((int)k, coarse->n[2]);
        for (int j = 0; j < fine->n[1]; j++) {
            Taps y = taps_of(j, coarse->n[1]);
            float *row = job->to + (k + 1) * fine->stride[2] + (size_t)(j + 1) * fine->stride[1];
            for (int i = 0; i < fine->n[0]; i++) {
                Taps x = taps_of(i, coarse->n[0]);
                row[i + 1] = job->gain * value_between(coarse, job->from, &x, &y, &z);
            }
        }
    }
}

void smoke_refine(const Smoke *coarse, const float *from, double gain, const Smoke *fine, float *to,
                  int threads) {
    RefineJob job = {coarse, fine, from, to, (float)gain};
    parallel_for(threads, (size_t)fine->n[2], 1, refine_layers, &job);
}
