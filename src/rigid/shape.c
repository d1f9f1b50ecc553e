/* Rigid shapes: tessellation, exact solids and mass properties, sharing of equal ones. */
#include "rigid/shape.h"

#include "base/assert.h"
#include "base/hash.h"
#include "geom/mesh/primitives.h"

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

/* Before anything of it is read. */
static PlimStatus check_mesh(PlimContext *context, const PlimMeshDesc *desc) {
    if (!desc || !desc->vertices || !desc->triangles)
        return context_fail(context, PLIM_BAD_INPUT, "the shape is a mesh without triangles");
    if (desc->vertex_count > INT32_MAX || desc->triangle_count > INT32_MAX)
        return context_fail(context, PLIM_BAD_INPUT,
                            "a mesh of %zu triangles and %zu vertices is too large: use at most %d",
                            desc->triangle_count, desc->vertex_count, INT32_MAX);
    for (size_t i = 0; i < 3 * desc->triangle_count; i++)
        if (desc->triangles[i] < 0 || (size_t)desc->triangles[i] >= desc->vertex_count)
            return context_fail(context, PLIM_BAD_INPUT,
                                "triangle %zu of the mesh names vertex %d of %zu", i / 3,
                                desc->triangles[i], desc->vertex_count);
    for (size_t i = 0; i < 3 * desc->vertex_count; i++)
        if (!isfinite(desc->vertices[i]))
            return context_fail(context, PLIM_BAD_INPUT, "vertex %zu of the mesh is not finite",
                                i / 3);
    return PLIM_OK;
}

static PlimStatus copy_mesh(PlimContext *context, const PlimMeshDesc *desc, TriangleMesh *mesh) {
    TRY(mesh_allocate(context, mesh, desc->vertex_count, desc->triangle_count));
    for (size_t i = 0; i < desc->vertex_count; i++)
        mesh->vertices[i] = vec3_load(desc->vertices + 3 * i);
    memcpy(mesh->triangles, desc->triangles, desc->triangle_count * sizeof *mesh->triangles);
    return PLIM_OK;
}

bool shape_solid(const PlimShapeDesc *desc, Vec3 center, Solid *solid) {
    static const SolidKind kinds[] = {[PLIM_SHAPE_BOX] = SOLID_BOX,
                                      [PLIM_SHAPE_BALL] = SOLID_BALL,
                                      [PLIM_SHAPE_CYLINDER] = SOLID_CYLINDER,
                                      [PLIM_SHAPE_CAPSULE] = SOLID_CAPSULE,
                                      [PLIM_SHAPE_TORUS] = SOLID_TORUS,
                                      [PLIM_SHAPE_CONE] = SOLID_CONE,
                                      [PLIM_SHAPE_HALF_SPACE] = SOLID_HALF_SPACE};
    size_t known = sizeof kinds / sizeof *kinds; /* others are refused elsewhere */
    if (desc->kind == PLIM_SHAPE_MESH || (size_t)desc->kind >= known) return false;
    *solid = solid_default(kinds[desc->kind]);
    memcpy(solid->size, desc->size, sizeof solid->size);
    solid->radius = desc->radius;
    solid->tube = desc->tube;
    solid->height = desc->height;
    solid->position = vec3_scale(-1.0, center);
    return true;
}

/* Around the triangles and the surface they stand for, which contact goes by. */
static Box3 find_box(const RigidShape *shape) {
    Box3 box = box3_empty();
    Solid solid;
    if (shape_solid(&shape->desc, shape->mesh_mass.center, &solid)) box = solid_bounds(&solid);
    if (shape->desc.kind == PLIM_SHAPE_HALF_SPACE) return box;
    for (size_t i = 0; i < shape->mesh.vertex_count; i++)
        box = box3_add_point(box, shape->mesh.vertices[i]);
    return box;
}

/* A solid has an inside: a surface that encloses no volume cannot be a body. */
static PlimStatus check_solid(PlimContext *context, const RigidShape *shape) {
    if (!(shape->mesh_mass.volume > 0.0))
        return context_fail(context, PLIM_BAD_INPUT,
                            "the surface encloses a volume of %g m^3; turn or close it",
                            shape->mesh_mass.volume);
    if (shape->desc.kind == PLIM_SHAPE_MESH && !(shape->desc.shell > 0) &&
        !mesh_is_closed(context, &shape->mesh))
        context_log(context, PLIM_LOG_WARNING,
                    "a mesh of %zu triangles has gaps; its mass is only about right",
                    shape->mesh.triangle_count);
    return PLIM_OK;
}

PlimStatus shape_triangles(PlimContext *context, const PlimShapeDesc *desc, TriangleMesh *mesh) {
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
    case PLIM_SHAPE_HALF_SPACE:
        return primitive_sheet(context, desc->size[0], desc->size[2], 1, 1, mesh);
    }
    return context_fail(context, PLIM_BAD_INPUT, "shape kind %d does not exist", (int)desc->kind);
}

/* cbrt rounds otherwise on either side of 1; this is the same for a volume of any unit whose ratio
 * is a power of 8, to the bit, so that a scene at another scale takes the same decisions. */
static double cube_root(double volume) {
    int exponent;
    frexp(volume, &exponent);
    int third = (int)ceil(exponent / 3.0);
    return ldexp(cbrt(ldexp(volume, -3 * third)), third);
}

static ShapeKey key_of(const PlimShapeDesc *desc, const Solid *solid) {
    ShapeKey key = {{desc->size[0], desc->size[1], desc->size[2], desc->radius, desc->tube,
                     desc->height, desc->shell},
                    {desc->kind, desc->subdivisions, desc->segments, desc->sides, desc->cells},
                    0};
    const PlimMeshDesc *mesh = desc->kind == PLIM_SHAPE_MESH ? desc->mesh : NULL;
    if (!mesh) return key;
    key.content = hash_bytes(HASH_START, mesh->vertices, 3 * mesh->vertex_count * sizeof(double));
    key.content =
        hash_bytes(key.content, mesh->triangles, 3 * mesh->triangle_count * sizeof(int32_t));
    if (solid) key.content = solid_hash(key.content, solid);
    return key;
}

static size_t find_shape(const ShapeLibrary *library, const ShapeKey *key, uint64_t hash) {
    size_t cursor = 0, index;
    while ((index = index_table_next(&library->by_desc, hash, &cursor)) != INDEX_NONE) {
        if (memcmp(&library->shapes.data[index].key, key, sizeof *key) == 0) return index;
    }
    return INDEX_NONE;
}

static PlimStatus fill_shape(PlimContext *context, const PlimShapeDesc *desc, const Solid *solid,
                             RigidShape *shape) {
    Solid primitive;
    if (shape_solid(desc, vec3(0, 0, 0), &primitive)) solid = &primitive;
    shape->solid = solid ? solid_copy(context, solid) : NULL;
    if (solid && !shape->solid) return PLIM_OUT_OF_MEMORY;
    TRY(shape_triangles(context, desc, &shape->mesh));
    PLIM_ASSERT_VALID(mesh_problem(&shape->mesh));
    shape->desc.mesh = NULL; /* the caller's; the copy is in shape->mesh */
    shape->mesh_mass = shape_mesh_mass(desc, &shape->mesh);
    shape->mass = shape_mass(desc, &shape->mesh_mass);
    mesh_translate(&shape->mesh, vec3_scale(-1.0, shape->mesh_mass.center));
    shape->box = find_box(shape);
    shape->ball_radius = cube_root(0.75 / pi * shape->mass.volume);
    return check_solid(context, shape);
}

static void free_shape(PlimContext *context, RigidShape *shape) {
    collide_shape_free(context, &shape->collide);
    mesh_free(context, &shape->mesh);
    solid_destroy(context, shape->solid);
    for (size_t i = 0; i < shape->centered.count; i++)
        context_free(context, shape->centered.data[i], 1, sizeof(Solid));
    array_free(context, &shape->centered);
}

PlimStatus shape_library_get(PlimContext *context, ShapeLibrary *library, const PlimShapeDesc *desc,
                             const Solid *solid, size_t *index) {
    if (desc->kind == PLIM_SHAPE_MESH) {
        TRY(check_mesh(context, desc->mesh));
        if (!(desc->shell >= 0) || !isfinite(desc->shell) || desc->cells < 0)
            return context_fail(context, PLIM_BAD_INPUT,
                                "a mesh with a shell of %g m and %d cells: neither may be negative",
                                desc->shell, desc->cells);
    }
    ShapeKey key = key_of(desc, solid);
    uint64_t hash = hash_bytes(HASH_START, &key, sizeof key);
    *index = find_shape(library, &key, hash);
    if (*index != INDEX_NONE) return PLIM_OK;

    if (!array_reserve(context, &library->shapes, 1)) return PLIM_OUT_OF_MEMORY;
    RigidShape shape = {.desc = *desc, .key = key};
    PlimStatus status = fill_shape(context, desc, solid, &shape);
    if (status == PLIM_OK)
        status = index_table_insert(context, &library->by_desc, hash, library->shapes.count);
    if (status != PLIM_OK) {
        free_shape(context, &shape);
        return status;
    }
    *index = library->shapes.count;
    library->shapes.data[library->shapes.count++] = shape;
    return PLIM_OK;
}

PlimStatus shape_centered_solid(PlimContext *context, RigidShape *shape, Vec3 center,
                                const Solid **out) {
    *out = NULL;
    if (!shape->solid) return PLIM_OK;
    Vec3 position = vec3_scale(-1.0, center);
    size_t count = shape->centered.count;
    if (count > 0 &&
        memcmp(&shape->centered.data[count - 1]->position, &position, sizeof position) == 0) {
        *out = shape->centered.data[count - 1];
        return PLIM_OK;
    }
    if (!array_reserve(context, &shape->centered, 1)) return PLIM_OUT_OF_MEMORY;
    Solid *centered = context_allocate(context, 1, sizeof *centered);
    if (!centered) return PLIM_OUT_OF_MEMORY;
    *centered = solid_default(SOLID_UNION);
    centered->children = shape->solid;
    centered->child_count = 1;
    centered->position = position;
    *out = shape->centered.data[shape->centered.count++] = centered;
    return PLIM_OK;
}

/* ---- contact ---- */

static RoundCore round_core(const PlimShapeDesc *desc, Vec3 center) {
    Vec3 own = vec3_scale(-1.0, center);
    switch (desc->kind) {
    case PLIM_SHAPE_BALL:
        return (RoundCore){ROUND_BALL, desc->radius, 0.0, own};
    case PLIM_SHAPE_CAPSULE:
        return (RoundCore){ROUND_CAPSULE, desc->radius, desc->height, own};
    case PLIM_SHAPE_TORUS:
        return (RoundCore){ROUND_TORUS, desc->tube, desc->radius, own};
    case PLIM_SHAPE_CYLINDER:
        return (RoundCore){ROUND_CYLINDER, desc->radius, desc->height, own};
    case PLIM_SHAPE_CONE:
        return (RoundCore){ROUND_CONE, desc->radius, desc->height, own};
    default:
        return (RoundCore){.kind = ROUND_NONE};
    }
}

PlimStatus shape_prepare_contact(PlimContext *context, RigidShape *shape) {
    if (shape->can_collide) return PLIM_OK;
    Solid solid;
    bool primitive = shape_solid(&shape->desc, shape->mesh_mass.center, &solid);
    CollideShapeDesc desc = {.mesh = &shape->mesh,
                             .primitive = primitive ? &solid : NULL,
                             .core = round_core(&shape->desc, shape->mesh_mass.center),
                             .shell = shape->desc.shell,
                             .cells = shape->desc.cells};
    TRY(collide_shape_create(context, &desc, &shape->collide));
    if (shape->collide.has_field)
        shape->inner_radius = fmax(0.0, -solid_distance(&shape->collide.solid, vec3(0, 0, 0)));
    shape->can_collide = true;
    return PLIM_OK;
}

void shape_library_free(PlimContext *context, ShapeLibrary *library) {
    for (size_t i = 0; i < library->shapes.count; i++)
        free_shape(context, &library->shapes.data[i]);
    array_free(context, &library->shapes);
    index_table_free(context, &library->by_desc);
}
