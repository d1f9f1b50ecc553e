/* The header of a PLY file: which elements follow, how many, and what each consists of. */
#ifndef GEOM_MESH_PLY_H
#define GEOM_MESH_PLY_H

#include "base/array.h"
#include "geom/mesh/mesh_scan.h"

typedef enum PlyFormat { PLY_NO_FORMAT, PLY_ASCII, PLY_LITTLE_ENDIAN, PLY_BIG_ENDIAN } PlyFormat;

typedef enum PlyType {
    PLY_INT8,
    PLY_UINT8,
    PLY_INT16,
    PLY_UINT16,
    PLY_INT32,
    PLY_UINT32,
    PLY_FLOAT32,
    PLY_FLOAT64,
    PLY_NO_TYPE
} PlyType;

static inline size_t ply_type_size(PlyType type) {
    static const unsigned char sizes[] = {1, 1, 2, 2, 4, 4, 4, 8, 0};
    return sizes[type];
}

/* What a property is to us. The first three are indices of coordinates. */
typedef enum PlyRole { PLY_X, PLY_Y, PLY_Z, PLY_INDICES, PLY_OTHER } PlyRole;

typedef struct PlyProperty {
    PlyType type;
    PlyType count_type; /* of a list */
    bool is_list;
    PlyRole role;
} PlyProperty;

typedef enum PlyKind { PLY_VERTEX, PLY_FACE, PLY_UNKNOWN } PlyKind;

typedef struct PlyElement {
    ScanWord name;
    PlyKind kind;
    uint64_t count; /* as announced: not yet held against the bytes that follow */
    size_t first_property, property_count;
} PlyElement;

typedef struct PlyHeader {
    PlyFormat format;
    ARRAY(PlyElement) elements;
    ARRAY(PlyProperty) properties;
} PlyHeader;

/* From the start of the file to the first byte after the header. There is one vertex element with
 * x, y and z, and one face element with a list of vertex indices, or the file is refused. */
PlimStatus ply_read_header(MeshScan *scan, PlyHeader *header);
void ply_header_free(PlimContext *context, PlyHeader *header);

#endif
