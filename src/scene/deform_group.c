/* Nodes of a deformable body by the name of a group in its OBJ file: those of a solid's surface
 * that are nearer to the group's triangles than to all others of the file, and of a sheet, whose
 * nodes are the file's, those of the group's triangles. */
#include "geom/mesh/mesh_file.h"
#include "geom/query/bvh.h"
#include "scene/deform.h"

#include <string.h>

/* A group's triangles in the axes of the nodes at rest, and trees to find the nearest. */
typedef struct GroupSearch {
    MeshGroup group;
    Bvh *of_all, *of_group;
} GroupSearch;

static PlimStatus open_search(PlimScene *scene, const SoftFile *file, Scratch *memory,
                              GroupSearch *search) {
    PlimContext *context = scene->context;
    const TriangleMesh *all = &search->group.mesh;
    size_t count = search->group.triangles.count;
    for (size_t i = 0; i < all->vertex_count; i++) {
        Vec3 x = vec3_scale(file->scale, all->vertices[i]);
        all->vertices[i] = file->map ? soft_map_point(scene, file->map, x) : x;
    }
    int32_t(*own)[3] = scratch_take(memory, count, sizeof *own);
    if (!own) return PLIM_OUT_OF_MEMORY;
    for (size_t t = 0; t < count; t++)
        memcpy(own[t], all->triangles[search->group.triangles.data[t]], sizeof own[t]);
    BvhInput input = bvh_input_triangles(all);
    TRY(bvh_create(context, &input, &search->of_all));
    input.indices = &own[0][0];
    input.count = count;
    return bvh_create(context, &input, &search->of_group);
}

static void close_search(PlimContext *context, GroupSearch *search) {
    bvh_destroy(search->of_all);
    bvh_destroy(search->of_group);
    mesh_group_free(context, &search->group);
}

/* Mean edge of the surface, m; marks its nodes. A body without faces has no inside: all count. */
static double mark_surface(const SoftMesh *mesh, int dim, bool *is_outer) {
    double sum = 0;
    for (size_t i = 0; i < mesh->node_count; i++) is_outer[i] = mesh->face_count == 0;
    for (size_t f = 0; f < mesh->face_count; f++) {
        const int32_t *corners = mesh->faces[f];
        for (int c = 0; c < dim; c++) is_outer[corners[c]] = true;
        sum += vec3_length(vec3_sub(mesh->rest[corners[1]], mesh->rest[corners[0]]));
    }
    return mesh->face_count > 0 ? sum / (double)mesh->face_count : HUGE_VAL;
}

static size_t choose(const GroupSearch *search, const SoftMesh *mesh, const bool *is_outer,
                     double limit, int32_t *chosen) {
    size_t count = 0;
    Box3 box = bvh_bounds(search->of_all);
    /* What lies on an edge between groups is in both, to rounding. */
    double margin = 1e-9 * vec3_length(vec3_sub(box.high, box.low));
    for (size_t i = 0; i < mesh->node_count; i++) {
        if (!is_outer[i]) continue;
        double nearest = bvh_closest(search->of_all, mesh->rest[i], HUGE_VAL).distance;
        BvhClosest own = bvh_closest(search->of_group, mesh->rest[i], nearest + margin);
        if (own.primitive != BVH_NONE && own.distance <= limit) chosen[count++] = (int32_t)i;
    }
    return count;
}

/* In the order of the file, which is that of the nodes. */
static PlimStatus choose_corners(const MeshGroup *group, Scratch *memory, int32_t *chosen,
                                 size_t *count) {
    bool *is_corner = scratch_take(memory, group->mesh.vertex_count, sizeof *is_corner);
    if (!is_corner) return PLIM_OUT_OF_MEMORY;
    memset(is_corner, 0, group->mesh.vertex_count * sizeof *is_corner);
    for (size_t t = 0; t < group->triangles.count; t++)
        for (int c = 0; c < 3; c++)
            is_corner[group->mesh.triangles[group->triangles.data[t]][c]] = true;
    *count = 0;
    for (size_t i = 0; i < group->mesh.vertex_count; i++)
        if (is_corner[i]) chosen[(*count)++] = (int32_t)i;
    return PLIM_OK;
}

static PlimStatus choose_nearest(PlimScene *scene, const SoftMesh *mesh, GroupSearch *search,
                                 Scratch *memory, int32_t *chosen, size_t *count) {
    bool *is_outer = scratch_take(memory, mesh->node_count, sizeof *is_outer);
    if (!is_outer) return PLIM_OUT_OF_MEMORY;
    double edge = mark_surface(mesh, (int)scene->document.dim, is_outer);
    TRY(open_search(scene, &mesh->file, memory, search));
    *count = choose(search, mesh, is_outer, edge, chosen);
    return PLIM_OK;
}

PlimStatus soft_choose_group(PlimScene *scene, const char *group, const char *name,
                             const SoftMesh *mesh, Scratch *memory, int32_t *chosen,
                             size_t *count) {
    PlimContext *context = scene->context;
    GroupSearch search = {0};
    if (!mesh->file.path)
        return context_fail(context, PLIM_BAD_INPUT,
                            "'%s': there is no group '%.60s': neither the shape nor the skin of "
                            "its body is a file, nor is it a sheet from one; use 'in' or 'near'",
                            name, group);
    TRY(mesh_read_group(context, mesh->file.path, group, &search.group));
    PlimStatus status = mesh->is_sheet
                            ? choose_corners(&search.group, memory, chosen, count)
                            : choose_nearest(scene, mesh, &search, memory, chosen, count);
    close_search(context, &search);
    TRY(status);
    if (*count > 0) return PLIM_OK;
    return context_fail(context, PLIM_BAD_INPUT,
                        "'%s' has no nodes: none of the body's surface lies on group '%.60s' of "
                        "%.200s; take a smaller 'spacing'",
                        name, group, mesh->file.path);
}
