/* What a system shows of itself in a frame: meshes of many objects, in single precision. */
#ifndef SYSTEM_FRAME_VIEW_H
#define SYSTEM_FRAME_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One mesh that holds all surfaces of a system, each triangle marked with its object. */
typedef struct FrameMesh {
    const char *name; /* group in the frame file */
    size_t vertex_count, triangle_count, object_count;
    const float *vertices;   /* m, 3 a vertex */
    const float *velocities; /* m/s, 3 a vertex */
    /* The arrays below are the same in every frame of a run and are stored once. */
    const int32_t *triangles; /* 3 vertices a triangle */
    const int32_t *objects;   /* the object of each triangle */
    const float *colors;      /* sRGB 0..1, 3 an object */
    bool smooth;              /* shade with interpolated normals */
} FrameMesh;

enum { FRAME_VIEW_CAPACITY = 16 };

typedef struct FrameView {
    FrameMesh meshes[FRAME_VIEW_CAPACITY];
    size_t mesh_count;
} FrameView;

#endif
