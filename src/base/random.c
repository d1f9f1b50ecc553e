/* Counter-based random numbers: Philox 4x32-10 (Salmon et al. 2011); normals by Box and Muller. */
#include "base/random.h"

#include "base/hash.h"

#include <math.h>

static const double two_pi = 6.283185307179586476925;

void random_block(uint64_t seed, uint64_t stream, uint64_t index, uint32_t out[4]) {
    uint64_t key = hash_mix(seed + UINT64_C(0x9E3779B97F4A7C15));
    uint32_t key0 = (uint32_t)key, key1 = (uint32_t)(key >> 32);
    uint32_t c0 = (uint32_t)index, c1 = (uint32_t)(index >> 32);
    uint32_t c2 = (uint32_t)stream, c3 = (uint32_t)(stream >> 32);
    for (int round = 0; round < 10; round++) {
        uint64_t product0 = UINT64_C(0xD2511F53) * c0;
        uint64_t product1 = UINT64_C(0xCD9E8D57) * c2;
        c0 = (uint32_t)(product1 >> 32) ^ c1 ^ key0;
        c1 = (uint32_t)product1;
        c2 = (uint32_t)(product0 >> 32) ^ c3 ^ key1;
        c3 = (uint32_t)product0;
        key0 += UINT32_C(0x9E3779B9);
        key1 += UINT32_C(0xBB67AE85);
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

static double uniform_from(uint32_t high, uint32_t low) {
    uint64_t bits = ((uint64_t)high << 32 | low) >> 11;
    return (double)bits * 0x1p-53;
}

double random_uniform(uint64_t seed, uint64_t stream, uint64_t index) {
    uint32_t block[4];
    random_block(seed, stream, index, block);
    return uniform_from(block[0], block[1]);
}

double random_normal(uint64_t seed, uint64_t stream, uint64_t index) {
    uint32_t block[4];
    random_block(seed, stream, index, block);
    double radius = 1.0 - uniform_from(block[0], block[1]); /* in (0, 1]: the log is finite */
    double angle = two_pi * uniform_from(block[2], block[3]);
    return sqrt(-2.0 * log(radius)) * cos(angle);
}
