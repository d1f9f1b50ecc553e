/* Arrays of a frame by name: the tables. */
#include "io/frame_arrays.h"

#include <stdio.h>
#include <string.h>

#define VALUES(type, member) .values = offsetof(type, member)
#define ROWS(type, member)   .rows = offsetof(type, member)

const FrameArray frame_mesh_arrays[MESH_ARRAYS] = {
    [MESH_VERTICES] = {"vertices", "m", H5_F32, 3, VALUES(FrameMesh, vertices),
                       ROWS(FrameMesh, vertex_count), .counts = true},
    [MESH_VELOCITIES] = {"velocities", "m/s", H5_F32, 3, VALUES(FrameMesh, velocities),
                         ROWS(FrameMesh, vertex_count)},
    [MESH_STRETCH] = {"stretch", NULL, H5_F32, 1, VALUES(FrameMesh, stretch),
                      ROWS(FrameMesh, vertex_count), .optional = true},
    [MESH_STRESS] = {"stress", "Pa", H5_F32, 1, VALUES(FrameMesh, stress),
                     ROWS(FrameMesh, vertex_count), .optional = true},
    [MESH_POSES] = {"poses", NULL, H5_F64, 7, VALUES(FrameMesh, poses),
                    ROWS(FrameMesh, object_count), .counts = true, .optional = true},
    [MESH_MOTIONS] = {"motions", NULL, H5_F64, 6, VALUES(FrameMesh, motions),
                      ROWS(FrameMesh, object_count), .counts = true, .optional = true},
    [MESH_CONTACT_POINTS] = {"contact_points", "m", H5_F64, 3, VALUES(FrameMesh, contact_points),
                             ROWS(FrameMesh, contact_count), .counts = true, .optional = true},
    [MESH_CONTACT_NORMALS] = {"contact_normals", NULL, H5_F64, 3,
                              VALUES(FrameMesh, contact_normals), ROWS(FrameMesh, contact_count),
                              .optional = true},
    [MESH_CONTACT_FORCES] = {"contact_forces", "N", H5_F64, 3, VALUES(FrameMesh, contact_forces),
                             ROWS(FrameMesh, contact_count), .optional = true},
    [MESH_CONTACT_OBJECTS] = {"contact_objects", NULL, H5_I32, 2,
                              VALUES(FrameMesh, contact_objects), ROWS(FrameMesh, contact_count),
                              .optional = true},
    [MESH_TRIANGLES] = {"triangles", NULL, H5_I32, 3, VALUES(FrameMesh, triangles),
                        ROWS(FrameMesh, triangle_count), .counts = true, .is_shape = true},
    [MESH_OBJECTS] = {"objects", NULL, H5_I32, 1, VALUES(FrameMesh, objects),
                      ROWS(FrameMesh, triangle_count), .is_shape = true},
    [MESH_COLORS] = {"colors", NULL, H5_F32, 3, VALUES(FrameMesh, colors),
                     ROWS(FrameMesh, object_count), .counts = true, .is_shape = true},
    [MESH_CHECKS] = {"checks", NULL, H5_F32, 2, VALUES(FrameMesh, checks),
                     ROWS(FrameMesh, vertex_count), .optional = true, .is_shape = true},
    [MESH_NAMES] = {"names", NULL, H5_U8, FRAME_NAME_CAPACITY, VALUES(FrameMesh, names),
                    ROWS(FrameMesh, object_count), .optional = true, .is_shape = true},
    [MESH_KINDS] = {"kinds", NULL, H5_I32, 1, VALUES(FrameMesh, kinds),
                    ROWS(FrameMesh, object_count), .optional = true, .is_shape = true},
    [MESH_MASSES] = {"masses", "kg", H5_F64, 1, VALUES(FrameMesh, masses),
                     ROWS(FrameMesh, object_count), .optional = true, .is_shape = true},
    [MESH_GLASS] = {"glass", NULL, H5_F32, 4, VALUES(FrameMesh, glass),
                    ROWS(FrameMesh, object_count), .optional = true, .is_shape = true},
};

const FrameArray frame_points_arrays[POINTS_ARRAYS] = {
    [POINTS_POSITIONS] = {"positions", "m", H5_F32, 3, VALUES(FramePoints, positions),
                          ROWS(FramePoints, count), .counts = true},
    [POINTS_VELOCITIES] = {"velocities", "m/s", H5_F32, 3, VALUES(FramePoints, velocities),
                           ROWS(FramePoints, count)},
    [POINTS_RADII] = {"radii", "m", H5_F32, 1, VALUES(FramePoints, radii),
                      ROWS(FramePoints, count)},
};

const FrameArray frame_elements_arrays[ELEMENTS_ARRAYS] = {
    [ELEMENTS_NODES] = {"nodes", "m", H5_F32, 3, VALUES(FrameElements, nodes),
                        ROWS(FrameElements, node_count), .counts = true},
    [ELEMENTS_VELOCITIES] = {"velocities", "m/s", H5_F32, 3, VALUES(FrameElements, velocities),
                             ROWS(FrameElements, node_count)},
    [ELEMENTS_STRETCH] = {"stretch", NULL, H5_F32, 1, VALUES(FrameElements, stretch),
                          ROWS(FrameElements, element_count), .counts = true},
    [ELEMENTS_STRESS] = {"stress", "Pa", H5_F32, 1, VALUES(FrameElements, stress),
                         ROWS(FrameElements, element_count)},
    [ELEMENTS_TETRAHEDRA] = {"tetrahedra", NULL, H5_I32, 4, VALUES(FrameElements, tetrahedra),
                             ROWS(FrameElements, element_count), .optional = true,
                             .is_shape = true},
    [ELEMENTS_TRIANGLES] = {"triangles", NULL, H5_I32, 3, VALUES(FrameElements, triangles),
                            ROWS(FrameElements, element_count), .optional = true, .is_shape = true},
    [ELEMENTS_OBJECTS] = {"objects", NULL, H5_I32, 1, VALUES(FrameElements, objects),
                          ROWS(FrameElements, element_count), .is_shape = true},
};

const FrameArray frame_volume_arrays[VOLUME_ARRAYS] = {
    [VOLUME_VELOCITY] = {"velocity", "m/s", H5_F32, 3, VALUES(FrameVolume, velocity)},
    [VOLUME_PRESSURE] = {"pressure", "Pa", H5_F32, 1, VALUES(FrameVolume, pressure)},
    [VOLUME_SMOKE] = {"smoke", NULL, H5_F32, 1, VALUES(FrameVolume, smoke), .optional = true},
    [VOLUME_TEMPERATURE] = {"temperature", NULL, H5_F32, 1, VALUES(FrameVolume, temperature),
                            .optional = true},
    [VOLUME_LEVEL] = {"level", "m", H5_F32, 1, VALUES(FrameVolume, level), .optional = true},
    [VOLUME_SOLID] = {"solid", NULL, H5_I32, 1, VALUES(FrameVolume, solid), .is_shape = true},
};

FrameGroup frame_mesh_group(const FrameMesh *mesh) {
    FrameFixed fixed = mesh->changes ? FRAME_FIXED_NOTHING
                       : mesh->still ? FRAME_FIXED_ALL
                                     : FRAME_FIXED_SHAPE;
    return (FrameGroup){mesh->name, mesh, frame_mesh_arrays, MESH_ARRAYS, NULL, fixed};
}

FrameGroup frame_points_group(const FramePoints *points) {
    return (FrameGroup){points->name,  points, frame_points_arrays,
                        POINTS_ARRAYS, NULL,   FRAME_FIXED_NOTHING};
}

FrameGroup frame_elements_group(const FrameElements *elements) {
    return (FrameGroup){elements->name,  elements, frame_elements_arrays,
                        ELEMENTS_ARRAYS, NULL,     FRAME_FIXED_SHAPE};
}

FrameGroup frame_volume_group(const FrameVolume *volume) {
    FrameFixed fixed = volume->solid_moves ? FRAME_FIXED_NOTHING : FRAME_FIXED_SHAPE;
    return (FrameGroup){volume->name, volume, frame_volume_arrays, VOLUME_ARRAYS, volume->n, fixed};
}

size_t frame_array_rows(const FrameGroup *group, const FrameArray *array) {
    const int *n = group->cells;
    if (n) return (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
    size_t rows;
    memcpy(&rows, (const char *)group->object + array->rows, sizeof rows);
    return rows;
}

bool frame_array_is_fixed(const FrameGroup *group, const FrameArray *array) {
    return group->fixed == FRAME_FIXED_ALL ||
           (group->fixed == FRAME_FIXED_SHAPE && array->is_shape);
}

const void *frame_array_values(const FrameGroup *group, const FrameArray *array) {
    const void *values;
    memcpy(&values, (const char *)group->object + array->values, sizeof values);
    return values;
}

void frame_array_path(const char *group, const FrameArray *array, char path[FRAME_PATH_CAPACITY]) {
    snprintf(path, FRAME_PATH_CAPACITY, "/%s/%s", group, array->name);
}
