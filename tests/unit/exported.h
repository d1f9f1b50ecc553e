/* A small mesh that is exported, and what is found in files of other programs. */
#ifndef TESTS_EXPORTED_H
#define TESTS_EXPORTED_H

#include "check.h"

#include "system/frame_view.h"

#include <string.h>

static const float corners[12] = {0, 0, 0, 1.5f, 0, 0, 0, 2, 0, 0, 0, -3.25f};
static const float speeds[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 8, 9};
static const int32_t faces[6] = {0, 2, 1, 0, 1, 3};
static const int32_t owners[2] = {0, 1};
static const float paint[6] = {1, 0.5f, 0, NAN, 2, -1};
static const FrameMesh example_mesh = {.name = "rigid",
                                       .vertex_count = 4,
                                       .triangle_count = 2,
                                       .object_count = 2,
                                       .vertices = corners,
                                       .velocities = speeds,
                                       .triangles = faces,
                                       .objects = owners,
                                       .colors = paint};

/* What follows `text`; fails when it is not there. */
static inline const char *behind(const char *bytes, size_t size, const char *text) {
    size_t length = strlen(text);
    for (size_t i = 0; i + length <= size; i++)
        if (memcmp(bytes + i, text, length) == 0) return bytes + i + length;
    fail_msg("'%s' is not in the file", text);
    return NULL;
}

static inline float big_endian(const char *bytes) {
    const unsigned char *b = (const unsigned char *)bytes;
    uint32_t bits = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
