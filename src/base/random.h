/* Counter-based random numbers: a pure function of (seed, stream, index). No generator has state,
 * so the order in which numbers are asked for never matters. */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

/* Four independent 32-bit numbers (Philox 4x32, ten rounds; Salmon et al. 2011). */
void random_block(uint64_t seed, uint64_t stream, uint64_t index, uint32_t out[4]);

/* Uniform in [0, 1) with 53 random bits. */
double random_uniform(uint64_t seed, uint64_t stream, uint64_t index);

/* Standard normal (Box-Muller). */
double random_normal(uint64_t seed, uint64_t stream, uint64_t index);

#endif
