/* What the fuzz targets of the tetrahedral mesh readers share: any bytes are refused with a reason,
 * or give a mesh that holds together. */
#ifndef FUZZ_TET_TARGET_H
#define FUZZ_TET_TARGET_H

#include "geom/tet/tet_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition) {
    if (!condition) abort();
}

/* A block of exactly the size: reading past the end is seen. */
static char *copy_bytes(const uint8_t *data, size_t size) {
    char *bytes = malloc(size ? size : 1);
    require(bytes);
    if (size) memcpy(bytes, data, size);
    return bytes;
}

static PlimContext *open_context(void) {
    PlimContextDesc desc = plim_context_desc_default();
    desc.threads = 1;
    PlimContext *context;
    require(plim_context_create(&desc, &context) == PLIM_OK);
    return context;
}

static void check_tets(const TetMesh *mesh) {
    require(mesh->tet_count > 0 && mesh->vertex_count >= 4);
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        Vec3 p = mesh->vertices[i];
        require(isfinite(p.x) && isfinite(p.y) && isfinite(p.z));
    }
    for (size_t i = 0; i < mesh->tet_count; i++)
        for (int k = 0; k < 4; k++)
            require(mesh->tets[i][k] >= 0 && (size_t)mesh->tets[i][k] < mesh->vertex_count);
}

/* What is written reads back the same, and the surface can be taken. */
static void use_tets(PlimContext *context, const TetMesh *mesh) {
    TriangleMesh surface;
    require(tet_mesh_surface(context, mesh, &surface) == PLIM_OK);
    require(surface.triangle_count <= 4 * mesh->tet_count);
    mesh_free(context, &surface);
    Text text;
    TetMesh again;
    text_init(&text, context);
    tet_mesh_write_gmsh(mesh, &text);
    require(!text.failed);
    require(tet_mesh_parse_gmsh(context, text_string(&text), text.bytes.count, &again) == PLIM_OK);
    require(again.vertex_count == mesh->vertex_count && again.tet_count == mesh->tet_count);
    require(memcmp(again.vertices, mesh->vertices, mesh->vertex_count * sizeof(Vec3)) == 0);
    require(memcmp(again.tets, mesh->tets, mesh->tet_count * sizeof *mesh->tets) == 0);
    tet_mesh_free(context, &again);
    text_free(&text);
}

/* After the reading of `size` bytes; closes the context. */
static void check_outcome(PlimContext *context, PlimStatus status, TetMesh *mesh, size_t size) {
    require(plim_context_peak_bytes(context) <= 4096 + 64 * size);
    if (status == PLIM_OK) {
        check_tets(mesh);
        tet_mesh_quality(mesh);
        use_tets(context, mesh);
    } else {
        require(status == PLIM_BAD_INPUT && !mesh->vertices && !mesh->tets);
        require(strstr(plim_message(context), " file line "));
    }
    tet_mesh_free(context, mesh);
    require(plim_context_bytes(context) == 0);
    plim_context_destroy(context);
}

#endif
