#include "rigid/shape.h"

#include "base/hash.h"
#include "geom/primitives.h"

#include <string.h>

PlimShapeDesc shape_desc_default(PlimShapeKind kind) {
    return (PlimShapeDesc){.kind = kind,
                           .size = {1, 1, 1},
                           .radius = 0.5,
                           .tube = 0.2,
                           .height = 1,
                           .subdivisions = 3,
                           .segments = 32,
                           .sides = 12};
}

static PlimStatus make_mesh(PlimContext *context, const PlimShapeDesc *desc, TriangleMesh *mesh) {
    switch (desc->kind) {
    case PLIM_SHAPE_BOX:
        return primitive_box(context, vec3_load(desc->size), mesh);
    case PLIM_SHAPE_BALL:
        return primitive_ball(context, desc->radius, desc->subdivisions, mesh);
    case PLIM_SHAPE_CYLINDER:
        return primitive_cylinder(context, desc->radius, desc->height, desc->segments, mesh);
    case PLIM_SHAPE_CAPSULE:
        return primitive_capsule(context, desc->radius, desc->height, desc->segments, desc->sides,
                                 mesh);
    case PLIM_SHAPE_TORUS:
        return primitive_torus(context, desc->radius, desc->tube, desc->segments, desc->sides,
                               mesh);
    }
    return context_fail(context, PLIM_BAD_INPUT, "shape kind %d does not exist", (int)desc->kind);
}

/* Every field that could differ, in a form without padding. */
typedef struct ShapeKey {
    double numbers[6];
    int64_t counts[4];
} ShapeKey;

static ShapeKey key_of(const PlimShapeDesc *desc) {
    return (ShapeKey){
        {desc->size[0], desc->size[1], desc->size[2], desc->radius, desc->tube, desc->height},
        {desc->kind, desc->subdivisions, desc->segments, desc->sides}};
}

static size_t find_shape(const ShapeLibrary *library, const ShapeKey *key, uint64_t hash) {
    size_t cursor = 0, index;
    while ((index = index_table_next(&library->by_desc, hash, &cursor)) != INDEX_NONE) {
        ShapeKey other = key_of(&library->shapes.data[index].desc);
        if (memcmp(&other, key, sizeof other) == 0) return index;
    }
    return INDEX_NONE;
}

PlimStatus shape_library_get(PlimContext *context, ShapeLibrary *library,
                             const PlimShapeDesc *desc, size_t *index) {
    ShapeKey key = key_of(desc);
    uint64_t hash = hash_bytes(HASH_START, &key, sizeof key);
    *index = find_shape(library, &key, hash);
    if (*index != INDEX_NONE) return PLIM_OK;

    if (!array_reserve(context, &library->shapes, 1)) return PLIM_OUT_OF_MEMORY;
    RigidShape shape = {.desc = *desc};
    TRY(make_mesh(context, desc, &shape.mesh));
    shape.mass = mesh_mass_properties(&shape.mesh);
    mesh_translate(&shape.mesh, vec3_scale(-1.0, shape.mass.center));
    PlimStatus status =
        index_table_insert(context, &library->by_desc, hash, library->shapes.count);
    if (status != PLIM_OK) {
        mesh_free(context, &shape.mesh);
        return status;
    }
    *index = library->shapes.count;
    library->shapes.data[library->shapes.count++] = shape;
    return PLIM_OK;
}

void shape_library_free(PlimContext *context, ShapeLibrary *library) {
    for (size_t i = 0; i < library->shapes.count; i++)
        mesh_free(context, &library->shapes.data[i].mesh);
    array_free(context, &library->shapes);
    index_table_free(context, &library->by_desc);
}
