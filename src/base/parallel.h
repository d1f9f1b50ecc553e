/* Parallel loops and deterministic reductions: the only place that knows about threads. Loops hand
 * out fixed ranges; reductions add fixed chunks in a fixed order, so every result is the same to
 * the bit for any thread count. */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include "base/scratch.h"

/* Works on items [begin, end). Ranges run at the same time: they must not write shared memory. */
typedef void (*ParallelBody)(void *user, size_t begin, size_t end);

/* `grain` is the number of items in a range: enough work to outweigh handing it out. */
void parallel_for(int threads, size_t count, size_t grain, ParallelBody body, void *user);

/* Adds the terms of items [begin, end) onto partial[0..width). */
typedef void (*ParallelTerms)(void *user, size_t begin, size_t end, double *partial);

/* sum[0..width) = sum over all items. Partial sums live in scratch memory for the call. */
PlimStatus parallel_sum(int threads, size_t count, size_t width, ParallelTerms terms, void *user,
                        Scratch *scratch, double *sum);

#endif
