/* Parallel loops and deterministic reductions on OpenMP. */
#include "base/parallel.h"

#include <string.h>

/* Items a partial sum covers. Part of the meaning of a result: changing it changes last bits. */
enum { SUM_CHUNK = 1024 };

void parallel_for(int threads, size_t count, size_t grain, ParallelBody body, void *user) {
    if (count == 0) return;
    size_t ranges = (count + grain - 1) / grain;
    if (threads <= 1 || ranges == 1) {
        body(user, 0, count);
        return;
    }
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (size_t range = 0; range < ranges; range++) {
        size_t begin = range * grain;
        size_t end = begin + grain < count ? begin + grain : count;
        body(user, begin, end);
    }
}

typedef struct SumJob {
    ParallelTerms terms;
    void *user;
    double *partials;
    size_t width, count;
} SumJob;

static void sum_chunks(void *user, size_t begin, size_t end) {
    const SumJob *job = user;
    for (size_t chunk = begin; chunk < end; chunk++) {
        size_t first = chunk * SUM_CHUNK;
        size_t last = first + SUM_CHUNK < job->count ? first + SUM_CHUNK : job->count;
        job->terms(job->user, first, last, job->partials + chunk * job->width);
    }
}

PlimStatus parallel_sum(int threads, size_t count, size_t width, ParallelTerms terms, void *user,
                        Scratch *scratch, double *sum) {
    memset(sum, 0, width * sizeof *sum);
    if (count == 0) return PLIM_OK;
    size_t chunks = (count + SUM_CHUNK - 1) / SUM_CHUNK;
    size_t mark = scratch_mark(scratch);
    double *partials = scratch_take(scratch, chunks * width, sizeof *partials);
    if (!partials) return PLIM_OUT_OF_MEMORY;
    memset(partials, 0, chunks * width * sizeof *partials);
    SumJob job = {terms, user, partials, width, count};
    parallel_for(threads, chunks, 4, sum_chunks, &job);
    for (size_t chunk = 0; chunk < chunks; chunk++)
        for (size_t i = 0; i < width; i++) sum[i] += partials[chunk * width + i];
    scratch_release(scratch, mark);
    return PLIM_OK;
}
