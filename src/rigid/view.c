/* All bodies as one mesh in world space, for frame files. */
#include "base/parallel.h"
#include "rigid/bodies.h"

#include <math.h>
#include <string.h>

typedef struct ViewJob {
    const RigidBodies *bodies;
    const size_t *first_vertex, *first_triangle; /* of each body in the joint arrays */
    float *vertices, *velocities, *colors;
    int32_t *triangles, *objects, *kinds;
    double *poses, *motions, *masses;
    char *names;
} ViewJob;

static const TriangleMesh *mesh_of(const RigidBodies *bodies, size_t i) {
    return &bodies->shapes.shapes.data[bodies->shape[i]].mesh;
}

static void store_float(float *to, Vec3 a) {
    to[0] = (float)a.x;
    to[1] = (float)a.y;
    to[2] = (float)a.z;
}

static void place_vertices(const ViewJob *job, size_t i) {
    const RigidBodies *b = job->bodies;
    const TriangleMesh *mesh = mesh_of(b, i);
    Vec3 x = vec3_load(b->position + 3 * i), v = vec3_load(b->velocity + 3 * i);
    Vec3 omega = vec3_load(b->angular_velocity + 3 * i);
    Vec3 offset = b->extras.data[i].mesh_offset;
    Mat3 rotation = quat_to_mat3(quat_load(b->orientation + 4 * i));
    for (size_t k = 0; k < mesh->vertex_count; k++) {
        Vec3 arm = mat3_apply(rotation, vec3_add(mesh->vertices[k], offset));
        size_t at = 3 * (job->first_vertex[i] + k);
        store_float(job->vertices + at, vec3_add(x, arm));
        store_float(job->velocities + at, vec3_add(v, vec3_cross(omega, arm)));
    }
}

static void place_triangles(const ViewJob *job, size_t i) {
    const TriangleMesh *mesh = mesh_of(job->bodies, i);
    int32_t first = (int32_t)job->first_vertex[i];
    for (size_t k = 0; k < mesh->triangle_count; k++) {
        size_t at = job->first_triangle[i] + k;
        for (int corner = 0; corner < 3; corner++)
            job->triangles[3 * at + (size_t)corner] = first + mesh->triangles[k][corner];
        job->objects[at] = (int32_t)i;
    }
}

static FrameKind kind_of(const RigidBodies *bodies, size_t i) {
    if (bodies->shapes.shapes.data[bodies->shape[i]].desc.kind == PLIM_SHAPE_HALF_SPACE)
        return FRAME_UNBOUNDED;
    return bodies->motion[i] == PLIM_DYNAMIC  ? FRAME_FREE
           : bodies->motion[i] == PLIM_STATIC ? FRAME_STILL
                                              : FRAME_PRESCRIBED;
}

static void describe_body(const ViewJob *job, size_t i) {
    const RigidBodies *b = job->bodies;
    memcpy(job->poses + 7 * i, b->position + 3 * i, 3 * sizeof(double));
    memcpy(job->poses + 7 * i + 3, b->orientation + 4 * i, 4 * sizeof(double));
    memcpy(job->motions + 6 * i, b->velocity + 3 * i, 3 * sizeof(double));
    memcpy(job->motions + 6 * i + 3, b->angular_velocity + 3 * i, 3 * sizeof(double));
    frame_name_store(job->names + FRAME_NAME_CAPACITY * i, b->extras.data[i].name);
    job->kinds[i] = (int32_t)kind_of(b, i);
    job->masses[i] = b->motion[i] == PLIM_DYNAMIC ? b->mass[i] : INFINITY;
    memcpy(job->colors + 3 * i, b->extras.data[i].color, 3 * sizeof(float));
}

/* NULL where none is of glass. */
static PlimStatus view_glass(const RigidBodies *bodies, Scratch *scratch, FrameMesh *mesh) {
    bool any = false;
    for (size_t i = 0; i < rigid_count(bodies); i++)
        any = any || bodies->extras.data[i].glass[0] > 0;
    if (!any) return PLIM_OK;
    float *glass = scratch_take(scratch, 4 * rigid_count(bodies), sizeof *glass);
    if (!glass) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < rigid_count(bodies); i++)
        memcpy(glass + 4 * i, bodies->extras.data[i].glass, 4 * sizeof *glass);
    mesh->glass = glass;
    return PLIM_OK;
}

static void view_bodies(void *user, size_t begin, size_t end) {
    const ViewJob *job = user;
    for (size_t i = begin; i < end; i++) {
        place_vertices(job, i);
        place_triangles(job, i);
        describe_body(job, i);
    }
}

static int32_t object_of(const RigidBodies *bodies, int32_t partner) {
    return rigid_is_still_surface(bodies, (size_t)partner) ? -1 : partner;
}

static PlimStatus view_contacts(const RigidBodies *bodies, Scratch *scratch, FrameMesh *mesh) {
    size_t count = bodies->contacts.shown.count;
    double *points = scratch_take(scratch, 3 * count + 1, sizeof *points);
    double *normals = scratch_take(scratch, 3 * count + 1, sizeof *normals);
    double *forces = scratch_take(scratch, 3 * count + 1, sizeof *forces);
    int32_t *objects = scratch_take(scratch, 2 * count + 1, sizeof *objects);
    if (!points || !normals || !forces || !objects) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const ShownContact *shown = &bodies->contacts.shown.data[i];
        vec3_store(points + 3 * i, shown->point);
        vec3_store(normals + 3 * i, shown->normal);
        vec3_store(forces + 3 * i, shown->force);
        objects[2 * i] = object_of(bodies, shown->a);
        objects[2 * i + 1] = object_of(bodies, shown->b);
    }
    mesh->contact_count = count;
    mesh->contact_points = points;
    mesh->contact_normals = normals;
    mesh->contact_forces = forces;
    mesh->contact_objects = objects;
    return PLIM_OK;
}

PlimStatus rigid_view_frame(const void *system, const StepInfo *step, FrameView *view) {
    const RigidBodies *bodies = system;
    size_t count = rigid_count(bodies);
    if (count == 0) return PLIM_OK;
    Scratch *scratch = step->scratch;
    size_t *first_vertex = scratch_take(scratch, count, sizeof *first_vertex);
    size_t *first_triangle = scratch_take(scratch, count, sizeof *first_triangle);
    if (!first_vertex || !first_triangle) return PLIM_OUT_OF_MEMORY;
    size_t vertices = 0, triangles = 0;
    for (size_t i = 0; i < count; i++) {
        first_vertex[i] = vertices;
        first_triangle[i] = triangles;
        vertices += mesh_of(bodies, i)->vertex_count;
        triangles += mesh_of(bodies, i)->triangle_count;
    }
    if (vertices > INT32_MAX)
        return context_fail(step->context, PLIM_FAILED,
                            "the rigid bodies have %zu vertices; a frame holds at most %d",
                            vertices, INT32_MAX);
    ViewJob job = {.bodies = bodies,
                   .first_vertex = first_vertex,
                   .first_triangle = first_triangle,
                   .vertices = scratch_take(scratch, 3 * vertices, sizeof(float)),
                   .velocities = scratch_take(scratch, 3 * vertices, sizeof(float)),
                   .colors = scratch_take(scratch, 3 * count, sizeof(float)),
                   .triangles = scratch_take(scratch, 3 * triangles, sizeof(int32_t)),
                   .objects = scratch_take(scratch, triangles, sizeof(int32_t)),
                   .kinds = scratch_take(scratch, count, sizeof(int32_t)),
                   .poses = scratch_take(scratch, 7 * count, sizeof(double)),
                   .motions = scratch_take(scratch, 6 * count, sizeof(double)),
                   .masses = scratch_take(scratch, count, sizeof(double)),
                   .names = scratch_take(scratch, count, FRAME_NAME_CAPACITY)};
    if (!job.vertices || !job.velocities || !job.colors || !job.triangles || !job.objects ||
        !job.kinds || !job.poses || !job.motions || !job.masses || !job.names)
        return PLIM_OUT_OF_MEMORY;
    parallel_for(step->threads, count, 16, view_bodies, &job);
    FrameMesh mesh = {.name = "rigid",
                      .vertex_count = vertices,
                      .triangle_count = triangles,
                      .object_count = count,
                      .vertices = job.vertices,
                      .velocities = job.velocities,
                      .poses = job.poses,
                      .motions = job.motions,
                      .names = job.names,
                      .kinds = job.kinds,
                      .masses = job.masses,
                      .triangles = job.triangles,
                      .objects = job.objects,
                      .colors = job.colors,
                      .smooth = true};
    TRY(view_glass(bodies, scratch, &mesh));
    if (bodies->options.frame_contacts) TRY(view_contacts(bodies, scratch, &mesh));
    return frame_view_add_mesh(step->context, view, &mesh);
}
