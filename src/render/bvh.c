/* Embree scenes: geometry handed over, degenerate triangles left out. */
#include "render/bvh.h"

#include "geom/mesh/normals.h"

#include <stdio.h>
#include <string.h>

/* Embree loads 16 bytes at a time and so reads past the last vertex or index. */
enum { PADDING = 4 };

/* Coordinates beyond this have no usable squares in single precision. */
static const float coordinate_max = 1e15f;

/* A triangle is degenerate when twice its area is less than this share of its longest edge squared.
 */
static const double flatness_min = 1e-9;

static void store_linear(float *to, const float *srgb) {
    for (int c = 0; c < 3; c++) to[c] = (float)linear_from_srgb((double)srgb[c]);
}

bool render_is_usable(const float *values, int count) {
    for (int i = 0; i < count; i++)
        if (!(fabsf(values[i]) < coordinate_max)) return false;
    return true;
}

static bool has_area(const float *a, const float *b, const float *c) {
    Vec3 ab = vec3((double)b[0] - a[0], (double)b[1] - a[1], (double)b[2] - a[2]);
    Vec3 ac = vec3((double)c[0] - a[0], (double)c[1] - a[1], (double)c[2] - a[2]);
    Vec3 bc = vec3_sub(ac, ab);
    double longest = fmax(vec3_dot(ab, ab), fmax(vec3_dot(ac, ac), vec3_dot(bc, bc)));
    return vec3_length(vec3_cross(ab, ac)) > flatness_min * longest;
}

static bool is_drawable(const RenderMesh *mesh, const int32_t *triangle) {
    const float *corners[3];
    for (int c = 0; c < 3; c++) {
        corners[c] = mesh->vertices + 3 * (size_t)triangle[c];
        if (!render_is_usable(corners[c], 3)) return false;
    }
    return has_area(corners[0], corners[1], corners[2]);
}

static PlimStatus check_mesh(PlimContext *context, const RenderMesh *mesh, size_t number) {
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++)
        if (mesh->triangles[i] < 0 || (size_t)mesh->triangles[i] >= mesh->vertex_count)
            return context_fail(context, PLIM_BAD_INPUT,
                                "mesh %zu, triangle %zu: vertex %d of %zu does not exist", number,
                                i / 3, (int)mesh->triangles[i], mesh->vertex_count);
    return PLIM_OK;
}

/* Appends a mesh's drawable triangles, with vertices still counted from the mesh's first. */
static size_t append_triangles(TriangleStore *store, const RenderMesh *mesh) {
    size_t first = store->triangle_count;
    int32_t object = -1;
    float color[3] = {0};
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const int32_t *triangle = mesh->triangles + 3 * t;
        if (mesh->hidden && mesh->hidden[mesh->objects[t]]) continue;
        if (!is_drawable(mesh, triangle)) continue;
        if (!mesh->is_clear && mesh->objects[t] != object) {
            object = mesh->objects[t];
            store_linear(color, mesh->colors + 3 * (size_t)object);
        }
        size_t at = 3 * store->triangle_count++;
        for (size_t c = 0; c < 3; c++) store->triangles[at + c] = (uint32_t)triangle[c];
        memcpy(store->colors + at, color, sizeof color);
    }
    return store->triangle_count - first;
}

/* The mesh's vertices come next. */
static void append_shares(TriangleStore *store, const RenderMesh *mesh) {
    const RenderScale *scale = mesh->scale;
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        float share = NAN;
        if (mesh->values) {
            double t = ((double)mesh->values[i] - scale->low) / (scale->high - scale->low);
            /* A triangle between values within the range and beyond has both colours. */
            share = isnan(t) ? 0.0f : (float)fmin(fmax(t, -1e30), 1e30);
        }
        store->shares[store->vertex_count + i] = share;
    }
}

static void append_checks(TriangleStore *store, const RenderMesh *mesh) {
    for (size_t i = 0; i < 2 * mesh->vertex_count; i++)
        store->checks[2 * store->vertex_count + i] = mesh->checks ? mesh->checks[i] : NAN;
}

static PlimStatus append_mesh(PlimContext *context, TriangleStore *store, const RenderMesh *mesh) {
    float *vertices = store->vertices + 3 * store->vertex_count;
    if (mesh->vertex_count)
        memcpy(vertices, mesh->vertices, 3 * mesh->vertex_count * sizeof *vertices);
    uint32_t *triangles = store->triangles + 3 * store->triangle_count;
    float *normals = store->normals + 9 * store->triangle_count;
    size_t count = append_triangles(store, mesh);
    if (mesh->smooth)
        TRY(normals_smooth(context, vertices, mesh->vertex_count, triangles, count, normals));
    else
        normals_flat(vertices, triangles, count, normals);
    for (size_t i = 0; i < 3 * count; i++) triangles[i] += (uint32_t)store->vertex_count;
    if (store->shares) append_shares(store, mesh);
    if (store->checks) append_checks(store, mesh);
    store->vertex_count += mesh->vertex_count;
    return PLIM_OK;
}

static void append_spheres(RenderScene *scene, const RenderSpheres *set) {
    for (size_t i = 0; i < set->count; i++) {
        const float *center = set->centers + 3 * i;
        if (!render_is_usable(center, 3) || !render_is_usable(&set->radii[i], 1) ||
            !(set->radii[i] > 0.0f))
            continue;
        float *sphere = scene->spheres + 4 * scene->sphere_count;
        memcpy(sphere, center, 3 * sizeof *sphere);
        sphere[3] = set->radii[i];
        store_linear(scene->sphere_colors + 3 * scene->sphere_count, set->colors + 3 * i);
        scene->sphere_count++;
    }
}

static PlimStatus allocate_store(PlimContext *context, TriangleStore *store, size_t vertices,
                                 size_t triangles) {
    if (vertices > INT32_MAX / 3 || triangles > INT32_MAX / 3)
        return context_fail(context, PLIM_BAD_INPUT,
                            "%zu vertices and %zu triangles are too many to draw", vertices,
                            triangles);
    store->vertex_capacity = vertices;
    store->triangle_capacity = triangles;
    store->vertices = context_allocate(context, 3 * vertices + PADDING, sizeof(float));
    store->triangles = context_allocate(context, 3 * triangles + PADDING, sizeof(uint32_t));
    store->normals = context_allocate(context, 9 * triangles, sizeof(float));
    store->colors = context_allocate(context, 3 * triangles, sizeof(float));
    bool complete = store->vertices && store->triangles && store->normals && store->colors;
    return complete ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

static void free_store(PlimContext *context, TriangleStore *store) {
    context_free(context, store->vertices, 3 * store->vertex_capacity + PADDING, sizeof(float));
    context_free(context, store->triangles, 3 * store->triangle_capacity + PADDING,
                 sizeof(uint32_t));
    context_free(context, store->normals, 9 * store->triangle_capacity, sizeof(float));
    context_free(context, store->colors, 3 * store->triangle_capacity, sizeof(float));
    context_free(context, store->shares, store->vertex_capacity, sizeof(float));
    context_free(context, store->checks, 2 * store->vertex_capacity, sizeof(float));
}

/* Keeps the scale and makes room for places along it, if any mesh has values. */
static PlimStatus prepare_values(RenderScene *scene, const RenderMesh *meshes, size_t mesh_count) {
    size_t first = 0;
    while (first < mesh_count && (meshes[first].is_clear || !meshes[first].values)) first++;
    if (first == mesh_count) return PLIM_OK;
    for (int i = 0; i < COLOR_STEPS; i++) {
        Vec3 color = meshes[first].scale->table.colors[i];
        scene->scale.colors[i] =
            vec3(linear_from_srgb(color.x), linear_from_srgb(color.y), linear_from_srgb(color.z));
    }
    TriangleStore *store = &scene->bodies;
    store->shares = context_allocate(scene->context, store->vertex_capacity, sizeof(float));
    return store->shares ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

static PlimStatus prepare_checks(RenderScene *scene, const RenderMesh *meshes, size_t mesh_count) {
    TriangleStore *store = &scene->bodies;
    bool any = false;
    for (size_t i = 0; i < mesh_count; i++) any = any || (!meshes[i].is_clear && meshes[i].checks);
    if (!any) return PLIM_OK;
    store->checks = context_allocate(scene->context, 2 * store->vertex_capacity, sizeof(float));
    return store->checks ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

static PlimStatus copy_bodies(RenderScene *scene, const RenderMesh *meshes, size_t mesh_count) {
    size_t vertices = 0, triangles = 0;
    for (size_t i = 0; i < mesh_count; i++) {
        if (meshes[i].is_clear) continue;
        vertices += meshes[i].vertex_count;
        triangles += meshes[i].triangle_count;
    }
    TRY(allocate_store(scene->context, &scene->bodies, vertices, triangles));
    TRY(prepare_values(scene, meshes, mesh_count));
    TRY(prepare_checks(scene, meshes, mesh_count));
    for (size_t i = 0; i < mesh_count; i++)
        if (!meshes[i].is_clear) TRY(append_mesh(scene->context, &scene->bodies, &meshes[i]));
    return PLIM_OK;
}

/* Half the mean edge: triangles are about as large as the cells that the surface was found in, and
 * where it ends at a wall it is true to a part of a cell. Of few large triangles that is too much.
 */
static double wet_distance(const TriangleStore *store) {
    const double largest = 0.01; /* of the whole */
    Vec3 low = vec3(HUGE_VAL, HUGE_VAL, HUGE_VAL), high = vec3_scale(-1.0, low);
    double sum = 0.0;
    for (size_t t = 0; t < store->triangle_count; t++) {
        Vec3 corners[2];
        for (size_t c = 0; c < 2; c++) {
            const float *v = store->vertices + 3 * (size_t)store->triangles[3 * t + c];
            corners[c] = vec3((double)v[0], (double)v[1], (double)v[2]);
            low = vec3_min(low, corners[c]);
            high = vec3_max(high, corners[c]);
        }
        sum += vec3_length(vec3_sub(corners[1], corners[0]));
    }
    if (store->triangle_count == 0) return 0.0;
    return fmin(0.5 * sum / (double)store->triangle_count,
                largest * vec3_length(vec3_sub(high, low)));
}

static const double water_index = 1.333;

static PlimStatus copy_clear(RenderScene *scene, const RenderMesh *meshes, size_t mesh_count) {
    size_t count = 0;
    for (size_t i = 0; i < mesh_count; i++)
        if (meshes[i].is_clear && meshes[i].triangle_count > 0) count++;
    if (count == 0) return PLIM_OK;
    scene->clear = context_allocate(scene->context, count, sizeof *scene->clear);
    if (!scene->clear) return PLIM_OUT_OF_MEMORY;
    scene->clear_count = count;
    ClearMesh *clear = scene->clear;
    double widest = 0.0;
    bool any_glass = false;
    for (size_t i = 0; i < mesh_count; i++) {
        const RenderMesh *mesh = &meshes[i];
        if (!mesh->is_clear || mesh->triangle_count == 0) continue;
        TRY(allocate_store(scene->context, &clear->store, mesh->vertex_count,
                           mesh->triangle_count));
        TRY(append_mesh(scene->context, &clear->store, mesh));
        const float *a = mesh->absorption;
        clear->absorption = vec3_max(vec3((double)a[0], (double)a[1], (double)a[2]), vec3(0, 0, 0));
        clear->is_glass = mesh->glass > 0;
        clear->index = clear->is_glass ? mesh->glass : water_index;
        clear->wet = clear->is_glass ? 0 : wet_distance(&clear->store);
        if (clear->is_glass)
            any_glass = true;
        else
            widest = fmax(widest, clear->wet);
        clear++;
    }
    /* A cell: water ends at cut cells of what it meets, glass where it is. */
    scene->film = any_glass ? 2.0 * widest : 0.0;
    return PLIM_OK;
}

static PlimStatus copy_spheres(RenderScene *scene, const RenderSpheres *spheres,
                               size_t sphere_count) {
    size_t count = 0;
    for (size_t i = 0; i < sphere_count; i++) count += spheres[i].count;
    if (count > INT32_MAX)
        return context_fail(scene->context, PLIM_BAD_INPUT, "%zu spheres are too many to draw",
                            count);
    scene->sphere_capacity = count;
    scene->spheres = context_allocate(scene->context, 4 * count, sizeof(float));
    scene->sphere_colors = context_allocate(scene->context, 3 * count, sizeof(float));
    if (!scene->spheres || !scene->sphere_colors) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < sphere_count; i++) append_spheres(scene, &spheres[i]);
    return PLIM_OK;
}

static PlimStatus copy_input(RenderScene *scene, const RenderMesh *meshes, size_t mesh_count,
                             const RenderSpheres *spheres, size_t sphere_count) {
    for (size_t i = 0; i < mesh_count; i++) TRY(check_mesh(scene->context, &meshes[i], i));
    TRY(copy_bodies(scene, meshes, mesh_count));
    TRY(copy_clear(scene, meshes, mesh_count));
    return copy_spheres(scene, spheres, sphere_count);
}

PlimStatus render_check_embree(const RenderScene *scene) {
    enum RTCError error = rtcGetDeviceError(scene->device);
    if (error == RTC_ERROR_NONE) return PLIM_OK;
    static const char *const reasons[] = {"no error",         "unknown error",
                                          "invalid argument", "invalid operation",
                                          "out of memory",    "this processor is not supported",
                                          "cancelled"};
    const char *reason = (size_t)error < sizeof reasons / sizeof *reasons ? reasons[error] : "?";
    return context_fail(scene->context, PLIM_FAILED, "the ray tracer (Embree) failed: %s", reason);
}

static PlimStatus open_device(RenderScene *scene) {
    char settings[64];
    snprintf(settings, sizeof settings, "threads=%d", scene->context->threads);
    scene->device = rtcNewDevice(settings);
    TRY(render_check_embree(scene));
    scene->scene = rtcNewScene(scene->device);
    return render_check_embree(scene);
}

void render_attach(RTCScene scene, RTCGeometry geometry, unsigned number) {
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(scene, geometry, number);
    rtcReleaseGeometry(geometry); /* the scene holds it now */
}

static PlimStatus attach_triangles(RenderScene *scene, RTCScene to, const TriangleStore *store,
                                   unsigned number) {
    if (store->triangle_count == 0) return PLIM_OK;
    RTCGeometry mesh = rtcNewGeometry(scene->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    TRY(render_check_embree(scene));
    rtcSetSharedGeometryBuffer(mesh, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, store->vertices,
                               0, 3 * sizeof(float), store->vertex_count);
    rtcSetSharedGeometryBuffer(mesh, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, store->triangles,
                               0, 3 * sizeof(uint32_t), store->triangle_count);
    render_attach(to, mesh, number);
    return PLIM_OK;
}

static PlimStatus build_opaque(RenderScene *scene) {
    TRY(attach_triangles(scene, scene->scene, &scene->bodies, GEOMETRY_TRIANGLES));
    if (scene->sphere_count) {
        RTCGeometry spheres = rtcNewGeometry(scene->device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
        TRY(render_check_embree(scene));
        rtcSetSharedGeometryBuffer(spheres, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4,
                                   scene->spheres, 0, 4 * sizeof(float), scene->sphere_count);
        render_attach(scene->scene, spheres, GEOMETRY_SPHERES);
    }
    rtcCommitScene(scene->scene);
    return render_check_embree(scene);
}

/* Robust, so that no ray slips into the water between two triangles without a hit. */
static PlimStatus build_water(RenderScene *scene) {
    if (scene->clear_count == 0) return PLIM_OK;
    scene->water = rtcNewScene(scene->device);
    TRY(render_check_embree(scene));
    rtcSetSceneFlags(scene->water, RTC_SCENE_FLAG_ROBUST);
    for (size_t i = 0; i < scene->clear_count; i++)
        TRY(attach_triangles(scene, scene->water, &scene->clear[i].store, (unsigned)i));
    rtcCommitScene(scene->water);
    return render_check_embree(scene);
}

PlimStatus render_scene_create(PlimContext *context, const RenderMesh *meshes, size_t mesh_count,
                               const RenderSpheres *spheres, size_t sphere_count,
                               RenderScene **out) {
    *out = NULL;
    RenderScene *scene = context_allocate(context, 1, sizeof *scene);
    if (!scene) return PLIM_OUT_OF_MEMORY;
    scene->context = context;
    PlimStatus status = copy_input(scene, meshes, mesh_count, spheres, sphere_count);
    if (status == PLIM_OK) status = open_device(scene);
    if (status == PLIM_OK) status = build_opaque(scene);
    if (status == PLIM_OK) status = build_water(scene);
    if (status == PLIM_OK)
        *out = scene;
    else
        render_scene_destroy(scene);
    return status;
}

void render_scene_destroy(RenderScene *scene) {
    if (!scene) return;
    PlimContext *context = scene->context;
    if (scene->scene) rtcReleaseScene(scene->scene);
    if (scene->water) rtcReleaseScene(scene->water);
    if (scene->device) rtcReleaseDevice(scene->device);
    free_store(context, &scene->bodies);
    for (size_t i = 0; i < scene->clear_count; i++) free_store(context, &scene->clear[i].store);
    context_free(context, scene->clear, scene->clear_count, sizeof *scene->clear);
    context_free(context, scene->spheres, 4 * scene->sphere_capacity, sizeof(float));
    context_free(context, scene->sphere_colors, 3 * scene->sphere_capacity, sizeof(float));
    context_free(context, scene->drops, scene->drop_capacity, sizeof *scene->drops);
    context_free(context, scene, 1, sizeof *scene);
}
