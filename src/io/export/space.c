/* Scale and axes of a frame, changed in place. */
#include "io/export/space.h"

#include "io/frame_arrays.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

/* The arrays of a frame are its own; views of them are const. */
static void *own(const void *array) {
    return (void *)(uintptr_t)array;
}

static Vec3 turn(const ExportJob *job, Vec3 a) {
    return job->z_up ? vec3(a.x, -a.z, a.y) : a;
}

/* Places and velocities: 3 values each. */
static void change_vectors(const ExportJob *job, const float *values, size_t count) {
    float *to = own(values);
    for (size_t i = 0; i < count; i++, to += 3) {
        Vec3 a = vec3((double)to[0], (double)to[1], (double)to[2]);
        a = vec3_scale(job->scale, turn(job, a));
        to[0] = (float)a.x;
        to[1] = (float)a.y;
        to[2] = (float)a.z;
    }
}

static void change_lengths(const ExportJob *job, const float *values, size_t count) {
    float *to = own(values);
    for (size_t i = 0; i < count; i++) to[i] = (float)(job->scale * (double)to[i]);
}

static void change_vector(const ExportJob *job, double scale, double *at) {
    vec3_store(at, vec3_scale(scale, turn(job, vec3_load(at))));
}

static void change_mesh(const ExportJob *job, const FrameMesh *mesh) {
    const Quat upright = {sqrt(0.5), sqrt(0.5), 0, 0};
    change_vectors(job, mesh->vertices, mesh->vertex_count);
    change_vectors(job, mesh->velocities, mesh->vertex_count);
    for (size_t i = 0; mesh->poses && i < mesh->object_count; i++) {
        double *pose = (double *)own(mesh->poses) + 7 * i;
        change_vector(job, job->scale, pose);
        if (job->z_up) quat_store(pose + 3, quat_multiply(upright, quat_load(pose + 3)));
    }
    for (size_t i = 0; mesh->motions && i < mesh->object_count; i++) {
        double *motion = (double *)own(mesh->motions) + 6 * i;
        change_vector(job, job->scale, motion);
        change_vector(job, 1, motion + 3);
    }
    for (size_t i = 0; i < mesh->contact_count; i++) {
        change_vector(job, job->scale, (double *)own(mesh->contact_points) + 3 * i);
        change_vector(job, 1, (double *)own(mesh->contact_normals) + 3 * i);
        change_vector(job, 1, (double *)own(mesh->contact_forces) + 3 * i);
    }
}

/* Cell (i, j, k) becomes (i, n[2] - 1 - k, j). */
static PlimStatus reorder(PlimContext *context, const int n[3], size_t value_size, void *values) {
    size_t nx = (size_t)n[0], ny = (size_t)n[1], nz = (size_t)n[2], row = nx * value_size;
    char *copy = context_allocate(context, ny * nz, row), *to = values;
    if (!copy) return PLIM_OUT_OF_MEMORY;
    memcpy(copy, values, ny * nz * row);
    for (size_t k = 0; k < nz; k++)
        for (size_t j = 0; j < ny; j++)
            memcpy(to + row * (nz - 1 - k + nz * j), copy + row * (j + ny * k), row);
    context_free(context, copy, ny * nz, row);
    return PLIM_OK;
}

static PlimStatus change_volume(const ExportJob *job, FrameVolume *volume) {
    size_t cells = (size_t)volume->n[0] * (size_t)volume->n[1] * (size_t)volume->n[2];
    FrameGroup group = frame_volume_group(volume);
    change_vectors(job, volume->velocity, cells);
    if (volume->level) change_lengths(job, volume->level, cells);
    for (size_t i = 0; job->z_up && i < group.array_count; i++) {
        void *values = own(frame_array_values(&group, &group.arrays[i]));
        if (values) TRY(reorder(job->context, volume->n, 4 * group.arrays[i].columns, values));
    }
    if (job->z_up) {
        int ny = volume->n[1];
        volume->origin[2] += volume->spacing * volume->n[2]; /* the far side becomes the near one */
        volume->n[1] = volume->n[2];
        volume->n[2] = ny;
    }
    change_vector(job, job->scale, volume->origin);
    volume->spacing *= job->scale;
    return PLIM_OK;
}

PlimStatus export_space_apply(const ExportJob *job, FrameData *frame) {
    FrameView *view = &frame->view;
    if (job->scale == 1 && !job->z_up) return PLIM_OK;
    for (size_t i = 0; i < view->mesh_count; i++) change_mesh(job, &view->meshes[i]);
    for (size_t i = 0; i < view->points_count; i++) {
        const FramePoints *points = &view->points[i];
        change_vectors(job, points->positions, points->count);
        change_vectors(job, points->velocities, points->count);
        change_lengths(job, points->radii, points->count);
    }
    for (size_t i = 0; i < view->elements_count; i++) {
        change_vectors(job, view->elements[i].nodes, view->elements[i].node_count);
        change_vectors(job, view->elements[i].velocities, view->elements[i].node_count);
    }
    for (size_t i = 0; i < view->volume_count; i++) TRY(change_volume(job, &view->volumes[i]));
    return PLIM_OK;
}
