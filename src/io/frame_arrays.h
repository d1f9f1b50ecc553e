/* Arrays of a frame by name: one table for each kind of group, from which frame files are written,
 * read and freed, and which the index and exported grids name their arrays by. */
#ifndef IO_FRAME_ARRAYS_H
#define IO_FRAME_ARRAYS_H

#include "io/h5.h"
#include "system/frame_view.h"

enum { FRAME_PATH_CAPACITY = SYSTEM_NAME_CAPACITY + 32 };

typedef struct FrameArray {
    const char *name; /* of the data set in its group */
    const char *unit; /* NULL: none */
    H5Type type;      /* of a value */
    size_t columns;   /* values a row */
    size_t values;    /* where its pointer is in FrameMesh, FramePoints and their kin */
    size_t rows;      /* where its number of rows is there; of a volume that of its cells */
    bool counts;      /* its size in a file tells that number */
    bool optional;    /* NULL, and not in the file, where there is none */
    bool is_shape; /* the same in every frame, and in shapes.h5, unless the group says otherwise */
} FrameArray;

enum {
    MESH_VERTICES,
    MESH_VELOCITIES,
    MESH_STRETCH,
    MESH_STRESS,
    MESH_POSES,
    MESH_MOTIONS,
    MESH_CONTACT_POINTS,
    MESH_CONTACT_NORMALS,
    MESH_CONTACT_FORCES,
    MESH_CONTACT_OBJECTS,
    MESH_TRIANGLES,
    MESH_OBJECTS,
    MESH_COLORS,
    MESH_CHECKS,
    MESH_NAMES,
    MESH_KINDS,
    MESH_MASSES,
    MESH_GLASS,
    MESH_ARRAYS
};
enum { POINTS_POSITIONS, POINTS_VELOCITIES, POINTS_RADII, POINTS_ARRAYS };
enum {
    ELEMENTS_NODES,
    ELEMENTS_VELOCITIES,
    ELEMENTS_STRETCH,
    ELEMENTS_STRESS,
    ELEMENTS_TETRAHEDRA,
    ELEMENTS_TRIANGLES,
    ELEMENTS_OBJECTS,
    ELEMENTS_ARRAYS
};
enum {
    VOLUME_VELOCITY,
    VOLUME_PRESSURE,
    VOLUME_SMOKE,
    VOLUME_TEMPERATURE,
    VOLUME_LEVEL,
    VOLUME_SOLID,
    VOLUME_ARRAYS
};

/* In the order in which they are stored: shapes last. */
extern const FrameArray frame_mesh_arrays[MESH_ARRAYS];
extern const FrameArray frame_points_arrays[POINTS_ARRAYS];
extern const FrameArray frame_elements_arrays[ELEMENTS_ARRAYS];
extern const FrameArray frame_volume_arrays[VOLUME_ARRAYS];

/* What of a group is the same in every frame of a run, and in shapes.h5 alone. */
typedef enum FrameFixed { FRAME_FIXED_NOTHING, FRAME_FIXED_SHAPE, FRAME_FIXED_ALL } FrameFixed;

/* A mesh, points, elements or a volume with its table. */
typedef struct FrameGroup {
    const char *name;
    const void *object;
    const FrameArray *arrays;
    size_t array_count;
    const int *cells; /* n[3] of a volume, else NULL */
    FrameFixed fixed;
} FrameGroup;

FrameGroup frame_mesh_group(const FrameMesh *mesh);
FrameGroup frame_points_group(const FramePoints *points);
FrameGroup frame_elements_group(const FrameElements *elements);
FrameGroup frame_volume_group(const FrameVolume *volume);

size_t frame_array_rows(const FrameGroup *group, const FrameArray *array);
bool frame_array_is_fixed(const FrameGroup *group, const FrameArray *array);
/* NULL where an optional array is not there. */
const void *frame_array_values(const FrameGroup *group, const FrameArray *array);

/* Where the array of a group of that name is in a frame file. */
void frame_array_path(const char *group, const FrameArray *array, char path[FRAME_PATH_CAPACITY]);

#endif
