/* A multiplicative 64-bit hash of bytes. */
#include "base/hash.h"

#include <string.h>

uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    uint64_t h = hash ^ ((uint64_t)size * UINT64_C(0xD6E8FEB86659FD93));
    for (; size >= 8; size -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        h = (h ^ word) * UINT64_C(0xD6E8FEB86659FD93);
        h ^= h >> 32;
    }
    uint64_t tail = 0;
    if (size) memcpy(&tail, at, size);
    return hash_mix(h ^ tail);
}

uint64_t hash_text(uint64_t hash, const char *text) {
    return hash_bytes(hash, text, strlen(text));
}
