/* Half-spaces in pictures. One that faces up becomes the ground, which has no end. Of others a
 * plate is drawn, with squares as the ground has them, and only from the front: from behind it
 * would hide everything. */
#include "render/ground.h"

#include "math/quat.h"

#include <math.h>

static void note_plane(const FrameMesh *mesh, size_t object, Vec3 eye, bool has_ground,
                       Ground *ground) {
    const double *pose = mesh->poses + 7 * object;
    Vec3 place = vec3_load(pose), up = quat_rotate(quat_load(pose + 3), vec3(0, 1, 0));
    ground->hidden[object] = 1;
    if (has_ground && up.y > 1.0 - 1e-9) {
        if (ground->is_level && ground->height >= place.y) return;
        ground->is_level = true;
        ground->height = place.y;
        ground->color = mesh->colors + 3 * object;
    } else if (vec3_dot(vec3_sub(eye, place), up) > 0) {
        ground->no_plate[object] = 0;
        ground->plates++;
    }
}

static void draw_squares(const FrameMesh *mesh, double square, Ground *ground) {
    for (size_t i = 0; i < 2 * ground->vertices; i++) ground->checks[i] = NAN;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        size_t object = (size_t)mesh->objects[t];
        if (ground->no_plate[object]) continue;
        const double *pose = mesh->poses + 7 * object;
        for (size_t c = 0; c < 3; c++) {
            size_t corner = (size_t)mesh->triangles[3 * t + c];
            const float *v = mesh->vertices + 3 * corner;
            Vec3 off = vec3_sub(vec3((double)v[0], (double)v[1], (double)v[2]), vec3_load(pose));
            Vec3 at = quat_rotate_inverse(quat_load(pose + 3), off);
            ground->checks[2 * corner] = (float)(at.x / square);
            ground->checks[2 * corner + 1] = (float)(at.z / square);
        }
    }
}

PlimStatus ground_create(PlimContext *context, const FrameMesh *mesh, Vec3 eye,
                         const RenderOptions *options, Ground *out) {
    size_t count = 0;
    *out = (Ground){.objects = mesh->object_count, .vertices = mesh->vertex_count};
    for (size_t i = 0; mesh->poses && i < mesh->object_count; i++)
        count += frame_mesh_kind(mesh, (int32_t)i) == FRAME_UNBOUNDED;
    if (count == 0) return PLIM_OK;
    out->hidden = context_allocate(context, out->objects, 1);
    out->no_plate = context_allocate(context, out->objects, 1);
    out->checks = context_allocate(context, 2 * out->vertices, sizeof *out->checks);
    if (!out->hidden || !out->no_plate || !out->checks) {
        ground_free(context, out);
        return PLIM_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < out->objects; i++) out->no_plate[i] = 1;
    for (size_t i = 0; i < out->objects; i++)
        if (frame_mesh_kind(mesh, (int32_t)i) == FRAME_UNBOUNDED)
            note_plane(mesh, i, eye, options->ground, out);
    draw_squares(mesh, options->checker, out);
    return PLIM_OK;
}

void ground_free(PlimContext *context, Ground *ground) {
    context_free(context, ground->hidden, ground->objects, 1);
    context_free(context, ground->no_plate, ground->objects, 1);
    context_free(context, ground->checks, 2 * ground->vertices, sizeof *ground->checks);
    *ground = (Ground){0};
}
