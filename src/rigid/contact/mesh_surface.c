/* Rigid bodies in the collisions of meshes (000 section 3.2.3): the triangles of those that are
 * asked to be exact. Their nodes go on straight lines from where they are at t^n to where they are
 * at t^{n+1}, whatever comes: sheets and soft bodies yield. */
#include "system/mesh_surface.h"
#include "rigid/bodies.h"

static int get_dim(const void *system) {
    (void)system;
    return 3;
}

static void count(const void *system, size_t *nodes, size_t *faces) {
    const RigidBodies *b = system;
    *nodes = *faces = 0;
    for (size_t i = 0; i < rigid_count(b); i++) {
        if (!b->extras.data[i].exact) continue;
        *nodes += rigid_shape(b, i)->mesh.vertex_count;
        *faces += rigid_shape(b, i)->mesh.triangle_count;
    }
}

/* Sheets keep half of their own thickness from a solid; a shell adds half of its. */
static void describe(const void *system, MeshSurfaces *out) {
    const RigidBodies *b = system;
    size_t node = 0, face = 0;
    for (size_t i = 0; i < rigid_count(b); i++) {
        const TriangleMesh *mesh = &rigid_shape(b, i)->mesh;
        if (!b->extras.data[i].exact) continue;
        for (size_t t = 0; t < mesh->triangle_count; t++, face++)
            for (int c = 0; c < 3; c++) out->faces[face][c] = (int32_t)node + mesh->triangles[t][c];
        for (size_t k = 0; k < mesh->vertex_count; k++, node++) {
            out->rest[node] = mesh->vertices[k];
            out->surface[node] = (int32_t)i;
            out->thickness[node] = rigid_shape(b, i)->desc.shell;
            out->friction[node] = b->kinetic_friction[i];
        }
    }
}

static const char *get_name(const void *system, int32_t surface) {
    return ((const RigidBodies *)system)->extras.data[surface].name;
}

static void read_motion(const void *system, const StepInfo *step, MeshMotion *out) {
    (void)step;
    const RigidBodies *b = system;
    size_t node = 0;
    for (size_t i = 0; i < rigid_count(b); i++) {
        const TriangleMesh *mesh = &rigid_shape(b, i)->mesh;
        if (!b->extras.data[i].exact) continue;
        Frame before = rigid_frame_before(b, i), after = rigid_frame(b, i);
        for (size_t k = 0; k < mesh->vertex_count; k++, node++) {
            out->x0[node] = frame_to_world(&before, mesh->vertices[k]);
            out->x1[node] = frame_to_world(&after, mesh->vertices[k]);
            out->inverse_mass[node] = 0.0;
            out->kind[node] = COLLISION_RIGID;
            out->wall[node] = vec3(0, 0, 0);
        }
    }
}

static void accept(void *system, const StepInfo *step, const MeshAnswer *answer) {
    (void)system;
    (void)step;
    (void)answer;
}

static void read_velocity(const void *system, Vec3 *v) {
    const RigidBodies *b = system;
    size_t node = 0;
    for (size_t i = 0; i < rigid_count(b); i++) {
        const TriangleMesh *mesh = &rigid_shape(b, i)->mesh;
        if (!b->extras.data[i].exact) continue;
        Frame frame = rigid_frame(b, i);
        Vec3 center = vec3_load(b->position + 3 * i), spin = vec3_load(b->angular_velocity + 3 * i);
        for (size_t k = 0; k < mesh->vertex_count; k++, node++) {
            Vec3 arm = vec3_sub(frame_to_world(&frame, mesh->vertices[k]), center);
            v[node] = vec3_add(vec3_load(b->velocity + 3 * i), vec3_cross(spin, arm));
        }
    }
}

static void accept_velocity(void *system, const Vec3 *v) {
    (void)system;
    (void)v;
}

const MeshSurfaceClass rigid_meshes = {
    .dim = get_dim,
    .count = count,
    .describe = describe,
    .name = get_name,
    .read_motion = read_motion,
    .accept = accept,
    .read_velocity = read_velocity,
    .accept_velocity = accept_velocity,
};
