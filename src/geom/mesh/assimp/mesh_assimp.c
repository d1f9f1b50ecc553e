/* Formats that we do not read ourselves, through assimp; compiled with -DPLIM_ASSIMP=ON only. */
#include "geom/mesh/mesh_file.h"

#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <string.h>

/* Only what is in the one file: nothing else is opened. */
static const struct aiScene *import(const char *label, const char *bytes, size_t size) {
    const char *dot = strrchr(label, '.');
    return aiImportFileFromMemory(bytes, (unsigned)size,
                                  aiProcess_Triangulate | aiProcess_JoinIdenticalVertices |
                                      aiProcess_PreTransformVertices,
                                  dot ? dot + 1 : "");
}

static void count_items(const struct aiScene *scene, size_t *vertices, size_t *triangles) {
    *vertices = *triangles = 0;
    for (unsigned i = 0; i < scene->mNumMeshes; i++) {
        const struct aiMesh *mesh = scene->mMeshes[i];
        *vertices += mesh->mNumVertices;
        for (unsigned f = 0; f < mesh->mNumFaces; f++)
            *triangles += mesh->mFaces[f].mNumIndices == 3; /* points and lines are left out */
    }
}

static void copy_items(const struct aiScene *scene, TriangleMesh *out) {
    size_t vertex = 0, triangle = 0;
    for (unsigned i = 0; i < scene->mNumMeshes; i++) {
        const struct aiMesh *mesh = scene->mMeshes[i];
        for (unsigned f = 0; f < mesh->mNumFaces; f++) {
            const struct aiFace *face = &mesh->mFaces[f];
            if (face->mNumIndices != 3) continue;
            for (int corner = 0; corner < 3; corner++)
                out->triangles[triangle][corner] = (int32_t)(vertex + face->mIndices[corner]);
            triangle++;
        }
        for (unsigned v = 0; v < mesh->mNumVertices; v++)
            out->vertices[vertex++] =
                vec3((double)mesh->mVertices[v].x, (double)mesh->mVertices[v].y,
                     (double)mesh->mVertices[v].z);
    }
}

PlimStatus mesh_parse_assimp(PlimContext *context, const char *label, const char *bytes,
                             size_t size, TriangleMesh *out) {
    *out = (TriangleMesh){0};
    const struct aiScene *scene = import(label, bytes, size);
    if (!scene) return context_fail(context, PLIM_BAD_INPUT, "%s: %s", label, aiGetErrorString());
    size_t vertices, triangles;
    count_items(scene, &vertices, &triangles);
    PlimStatus status = PLIM_OK;
    if (triangles == 0 || vertices > INT32_MAX)
        status =
            context_fail(context, PLIM_BAD_INPUT, "%s: %zu triangles and %zu vertices; not a mesh",
                         label, triangles, vertices);
    if (status == PLIM_OK) status = mesh_allocate(context, out, vertices, triangles);
    if (status == PLIM_OK) copy_items(scene, out);
    aiReleaseImport(scene);
    return status;
}
