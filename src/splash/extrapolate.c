/* Velocity extrapolation by sweeps (001 section 3.2.2): a face without a velocity takes the mean of
 * neighbours that have one. Every sweep goes one face further; all faces of a sweep look at what
 * was there before it. */
#include "splash/faces.h"

enum { NEW = 2 }; /* in `known`: since this sweep */

typedef struct SpreadJob {
    Splash *splash;
    int axis, n[3];
} SpreadJob;

static void spread_layers(void *user, size_t begin, size_t end) {
    const SpreadJob *job = user;
    unsigned char *known = job->splash->known[job->axis];
    double *velocity = job->splash->velocity[job->axis];
    const size_t stride[3] = {1, (size_t)job->n[0], (size_t)job->n[0] * (size_t)job->n[1]};
    int dim = job->splash->padded.dim;
    size_t rows = dim == 3 ? (size_t)job->n[1] : 1;
    for (size_t row = begin * rows; row < end * rows; row++)
        for (int i = 0; i < job->n[0]; i++) {
            size_t f = row * (size_t)job->n[0] + (size_t)i;
            if (known[f]) continue;
            const int at[3] = {i, (int)(row % (size_t)job->n[1]), (int)(row / (size_t)job->n[1])};
            double sum = 0, count = 0;
            for (int a = 0; a < dim; a++) {
                if (at[a] > 0 && known[f - stride[a]] == 1) {
                    sum += velocity[f - stride[a]];
                    count++;
                }
                if (at[a] + 1 < job->n[a] && known[f + stride[a]] == 1) {
                    sum += velocity[f + stride[a]];
                    count++;
                }
            }
            if (count == 0) continue;
            velocity[f] = sum / count;
            known[f] = NEW;
        }
}

static void accept_range(void *user, size_t begin, size_t end) {
    const SpreadJob *job = user;
    unsigned char *known = job->splash->known[job->axis];
    for (size_t f = begin; f < end; f++)
        if (known[f] == NEW) known[f] = 1;
}

PlimStatus splash_extrapolate(Splash *splash, const StepInfo *step) {
    const Grid *grid = &splash->padded;
    for (int axis = 0; axis < grid->dim; axis++) {
        SpreadJob job = {splash, axis, {grid->n[0], grid->n[1], grid->n[2]}};
        job.n[axis]++;
        for (int sweep = 0; sweep < splash->desc.extrapolation; sweep++) {
            parallel_for(step->threads, (size_t)job.n[grid->dim - 1], 1, spread_layers, &job);
            parallel_for(step->threads, grid_face_count(grid, axis), FACE_GRAIN, accept_range,
                         &job);
        }
    }
    return PLIM_OK;
}
