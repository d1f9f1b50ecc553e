#include "render/bvh.h"

#include "render/normals.h"

#include <stdio.h>
#include <string.h>

/* Embree loads 16 bytes at a time and so reads past the last vertex or index. */
enum { PADDING = 4 };

/* Coordinates beyond this have no usable squares in single precision. */
static const float coordinate_max = 1e15f;

/* A triangle is degenerate when twice its area is less than this share of its longest edge squared.
 */
static const double flatness_min = 1e-9;

double linear_from_srgb(double value) {
    if (!(value > 0.0)) return 0.0;
    if (value > 1.0) return 1.0;
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static void store_linear(float *to, const float *srgb) {
    for (int c = 0; c < 3; c++) to[c] = (float)linear_from_srgb((double)srgb[c]);
}

static bool is_usable(const float *values, int count) {
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
        if (!is_usable(corners[c], 3)) return false;
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
static size_t append_triangles(RenderScene *scene, const RenderMesh *mesh) {
    size_t first = scene->triangle_count;
    int32_t object = -1;
    float color[3] = {0};
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const int32_t *triangle = mesh->triangles + 3 * t;
        if (!is_drawable(mesh, triangle)) continue;
        if (mesh->objects[t] != object) {
            object = mesh->objects[t];
            store_linear(color, mesh->colors + 3 * (size_t)object);
        }
        size_t at = 3 * scene->triangle_count++;
        for (size_t c = 0; c < 3; c++) scene->triangles[at + c] = (uint32_t)triangle[c];
        memcpy(scene->colors + at, color, sizeof color);
    }
    return scene->triangle_count - first;
}

static PlimStatus append_mesh(RenderScene *scene, const RenderMesh *mesh) {
    float *vertices = scene->vertices + 3 * scene->vertex_count;
    if (mesh->vertex_count)
        memcpy(vertices, mesh->vertices, 3 * mesh->vertex_count * sizeof *vertices);
    uint32_t *triangles = scene->triangles + 3 * scene->triangle_count;
    float *normals = scene->normals + 9 * scene->triangle_count;
    size_t count = append_triangles(scene, mesh);
    if (mesh->smooth)
        TRY(normals_smooth(scene->context, vertices, mesh->vertex_count, triangles, count,
                           normals));
    else
        normals_flat(vertices, triangles, count, normals);
    for (size_t i = 0; i < 3 * count; i++) triangles[i] += (uint32_t)scene->vertex_count;
    scene->vertex_count += mesh->vertex_count;
    return PLIM_OK;
}

static void append_spheres(RenderScene *scene, const RenderSpheres *set) {
    for (size_t i = 0; i < set->count; i++) {
        const float *center = set->centers + 3 * i;
        if (!is_usable(center, 3) || !is_usable(&set->radii[i], 1) || !(set->radii[i] > 0.0f))
            continue;
        float *sphere = scene->spheres + 4 * scene->sphere_count;
        memcpy(sphere, center, 3 * sizeof *sphere);
        sphere[3] = set->radii[i];
        store_linear(scene->sphere_colors + 3 * scene->sphere_count, set->colors + 3 * i);
        scene->sphere_count++;
    }
}

static PlimStatus allocate(RenderScene *scene, size_t vertices, size_t triangles, size_t spheres) {
    PlimContext *context = scene->context;
    if (vertices > INT32_MAX / 3 || triangles > INT32_MAX / 3 || spheres > INT32_MAX)
        return context_fail(context, PLIM_BAD_INPUT,
                            "%zu vertices, %zu triangles and %zu spheres are too many to draw",
                            vertices, triangles, spheres);
    scene->vertex_count = vertices; /* so that a failure frees the right size */
    scene->triangle_capacity = triangles;
    scene->sphere_capacity = spheres;
    scene->vertices = context_allocate(context, 3 * vertices + PADDING, sizeof(float));
    scene->triangles = context_allocate(context, 3 * triangles + PADDING, sizeof(uint32_t));
    scene->normals = context_allocate(context, 9 * triangles, sizeof(float));
    scene->colors = context_allocate(context, 3 * triangles, sizeof(float));
    scene->spheres = context_allocate(context, 4 * spheres, sizeof(float));
    scene->sphere_colors = context_allocate(context, 3 * spheres, sizeof(float));
    bool complete = scene->vertices && scene->triangles && scene->normals && scene->colors &&
                    scene->spheres && scene->sphere_colors;
    return complete ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

static PlimStatus copy_input(RenderScene *scene, const RenderMesh *meshes, size_t mesh_count,
                             const RenderSpheres *spheres, size_t sphere_count) {
    size_t vertices = 0, triangles = 0, balls = 0;
    for (size_t i = 0; i < mesh_count; i++) {
        TRY(check_mesh(scene->context, &meshes[i], i));
        vertices += meshes[i].vertex_count;
        triangles += meshes[i].triangle_count;
    }
    for (size_t i = 0; i < sphere_count; i++) balls += spheres[i].count;
    TRY(allocate(scene, vertices, triangles, balls));
    scene->vertex_count = 0;
    PlimStatus status = PLIM_OK;
    for (size_t i = 0; i < mesh_count && status == PLIM_OK; i++)
        status = append_mesh(scene, &meshes[i]);
    scene->vertex_count = vertices;
    for (size_t i = 0; i < sphere_count; i++) append_spheres(scene, &spheres[i]);
    return status;
}

static PlimStatus check_embree(const RenderScene *scene) {
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
    TRY(check_embree(scene));
    scene->scene = rtcNewScene(scene->device);
    return check_embree(scene);
}

static void attach(RenderScene *scene, RTCGeometry geometry, unsigned number) {
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(scene->scene, geometry, number);
    rtcReleaseGeometry(geometry); /* the scene holds it now */
}

static PlimStatus build(RenderScene *scene) {
    if (scene->triangle_count) {
        RTCGeometry mesh = rtcNewGeometry(scene->device, RTC_GEOMETRY_TYPE_TRIANGLE);
        TRY(check_embree(scene));
        rtcSetSharedGeometryBuffer(mesh, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                   scene->vertices, 0, 3 * sizeof(float), scene->vertex_count);
        rtcSetSharedGeometryBuffer(mesh, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                   scene->triangles, 0, 3 * sizeof(uint32_t),
                                   scene->triangle_count);
        attach(scene, mesh, GEOMETRY_TRIANGLES);
    }
    if (scene->sphere_count) {
        RTCGeometry spheres = rtcNewGeometry(scene->device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
        TRY(check_embree(scene));
        rtcSetSharedGeometryBuffer(spheres, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4,
                                   scene->spheres, 0, 4 * sizeof(float), scene->sphere_count);
        attach(scene, spheres, GEOMETRY_SPHERES);
    }
    rtcCommitScene(scene->scene);
    return check_embree(scene);
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
    if (status == PLIM_OK) status = build(scene);
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
    if (scene->device) rtcReleaseDevice(scene->device);
    context_free(context, scene->vertices, 3 * scene->vertex_count + PADDING, sizeof(float));
    context_free(context, scene->triangles, 3 * scene->triangle_capacity + PADDING,
                 sizeof(uint32_t));
    context_free(context, scene->normals, 9 * scene->triangle_capacity, sizeof(float));
    context_free(context, scene->colors, 3 * scene->triangle_capacity, sizeof(float));
    context_free(context, scene->spheres, 4 * scene->sphere_capacity, sizeof(float));
    context_free(context, scene->sphere_colors, 3 * scene->sphere_capacity, sizeof(float));
    context_free(context, scene, 1, sizeof *scene);
}
