/* A fast 64-bit checksum for state hashes and file manifests. Not for use against an adversary. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START UINT64_C(0x9E3779B97F4A7C15)

/* Continues `hash` with `size` bytes; the result depends on their order and number. */
uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size);
uint64_t hash_text(uint64_t hash, const char *text);

/* Scrambles 64 bits so that each input bit moves about half of the output bits. */
static inline uint64_t hash_mix(uint64_t x) {
    x ^= x >> 30;
    x *= UINT64_C(0xBF58476D1CE4E5B9);
    x ^= x >> 27;
    x *= UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

#endif
