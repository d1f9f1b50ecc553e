#include "rigid/shape.h"

#include "base/hash.h"
#include "geom/primitives.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

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

/* A solid of revolution about y: inertia about y, and about the axes across it. */
static MassProperties round_mass(double volume, double about, double across) {
    return (MassProperties){volume, {0, 0, 0}, mat3_diagonal(across, about, across)};
}

static MassProperties capsule_mass(double r, double h) {
    double straight = pi * r * r * h, ends = 4.0 / 3.0 * pi * r * r * r;
    double about = straight * r * r / 2 + ends * 2 * r * r / 5;
    /* Each half ball has its centre 3/8 r outside the end of the straight part. */
    double across =
        straight * (3 * r * r + h * h) / 12 + ends * (2 * r * r / 5 + h * h / 4 + 3 * h * r / 8);
    return round_mass(straight + ends, about, across);
}

void shape_exact_mass(const PlimShapeDesc *desc, MassProperties *mass) {
    double r = desc->radius, h = desc->height, a = desc->tube, v;
    switch (desc->kind) {
    case PLIM_SHAPE_BALL:
        v = 4.0 / 3.0 * pi * r * r * r;
        *mass = round_mass(v, 2 * v * r * r / 5, 2 * v * r * r / 5);
        break;
    case PLIM_SHAPE_CYLINDER:
        v = pi * r * r * h;
        *mass = round_mass(v, v * r * r / 2, v * (3 * r * r + h * h) / 12);
        break;
    case PLIM_SHAPE_CAPSULE:
        *mass = capsule_mass(r, h);
        break;
    case PLIM_SHAPE_TORUS:
        v = 2 * pi * pi * r * a * a;
        *mass = round_mass(v, v * (r * r + 3 * a * a / 4), v * (r * r / 2 + 5 * a * a / 8));
        break;
    case PLIM_SHAPE_CONE:
        v = pi * r * r * h / 3;
        *mass = round_mass(v, 3 * v * r * r / 10, v * (3 * r * r / 20 + 3 * h * h / 80));
        mass->center.y = -h / 4;
        break;
    case PLIM_SHAPE_BOX:
    case PLIM_SHAPE_MESH:
        break;
    }
}

static PlimStatus copy_mesh(PlimContext *context, const PlimMeshDesc *desc, TriangleMesh *mesh) {
    *mesh = (TriangleMesh){0};
    if (!desc || !desc->vertices || !desc->triangles)
        return context_fail(context, PLIM_BAD_INPUT, "the shape is a mesh without triangles");
    for (size_t i = 0; i < 3 * desc->triangle_count; i++)
        if (desc->triangles[i] < 0 || (size_t)desc->triangles[i] >= desc->vertex_count)
            return context_fail(context, PLIM_BAD_INPUT,
                                "triangle %zu of the mesh names vertex %d of %zu", i / 3,
                                desc->triangles[i], desc->vertex_count);
    for (size_t i = 0; i < 3 * desc->vertex_count; i++)
        if (!isfinite(desc->vertices[i]))
            return context_fail(context, PLIM_BAD_INPUT, "vertex %zu of the mesh is not finite",
                                i / 3);
    TRY(mesh_allocate(context, mesh, desc->vertex_count, desc->triangle_count));
    for (size_t i = 0; i < desc->vertex_count; i++)
        mesh->vertices[i] = vec3_load(desc->vertices + 3 * i);
    memcpy(mesh->triangles, desc->triangles, desc->triangle_count * sizeof *mesh->triangles);
    return PLIM_OK;
}

/* A solid has an inside: a surface that encloses no volume cannot be a body. */
static PlimStatus check_solid(PlimContext *context, const RigidShape *shape) {
    if (!(shape->mass.volume > 0.0))
        return context_fail(context, PLIM_BAD_INPUT,
                            "the surface encloses a volume of %g m^3; turn or close it",
                            shape->mass.volume);
    if (shape->desc.kind == PLIM_SHAPE_MESH && !mesh_is_closed(context, &shape->mesh))
        context_log(context, PLIM_LOG_WARNING,
                    "a mesh of %zu triangles has gaps; its mass is only about right",
                    shape->mesh.triangle_count);
    return PLIM_OK;
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
    case PLIM_SHAPE_CONE:
        return primitive_cone(context, desc->radius, desc->height, desc->segments, mesh);
    case PLIM_SHAPE_MESH:
        return copy_mesh(context, desc->mesh, mesh);
    }
    return context_fail(context, PLIM_BAD_INPUT, "shape kind %d does not exist", (int)desc->kind);
}

static ShapeKey key_of(const PlimShapeDesc *desc) {
    ShapeKey key = {
        {desc->size[0], desc->size[1], desc->size[2], desc->radius, desc->tube, desc->height},
        {desc->kind, desc->subdivisions, desc->segments, desc->sides},
        0};
    const PlimMeshDesc *mesh = desc->kind == PLIM_SHAPE_MESH ? desc->mesh : NULL;
    if (!mesh) return key;
    key.content = hash_bytes(HASH_START, mesh->vertices, 3 * mesh->vertex_count * sizeof(double));
    key.content =
        hash_bytes(key.content, mesh->triangles, 3 * mesh->triangle_count * sizeof(int32_t));
    return key;
}

static size_t find_shape(const ShapeLibrary *library, const ShapeKey *key, uint64_t hash) {
    size_t cursor = 0, index;
    while ((index = index_table_next(&library->by_desc, hash, &cursor)) != INDEX_NONE) {
        if (memcmp(&library->shapes.data[index].key, key, sizeof *key) == 0) return index;
    }
    return INDEX_NONE;
}

PlimStatus shape_library_get(PlimContext *context, ShapeLibrary *library, const PlimShapeDesc *desc,
                             size_t *index) {
    ShapeKey key = key_of(desc);
    uint64_t hash = hash_bytes(HASH_START, &key, sizeof key);
    *index = find_shape(library, &key, hash);
    if (*index != INDEX_NONE) return PLIM_OK;

    if (!array_reserve(context, &library->shapes, 1)) return PLIM_OUT_OF_MEMORY;
    RigidShape shape = {.desc = *desc, .key = key};
    TRY(make_mesh(context, desc, &shape.mesh));
    shape.desc.mesh = NULL; /* the caller's; the copy is in shape.mesh */
    shape.mass = mesh_mass_properties(&shape.mesh);
    mesh_translate(&shape.mesh, vec3_scale(-1.0, shape.mass.center));
    PlimStatus status = check_solid(context, &shape);
    if (status == PLIM_OK)
        status = index_table_insert(context, &library->by_desc, hash, library->shapes.count);
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
