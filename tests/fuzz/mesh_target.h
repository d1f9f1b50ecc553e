/* What the fuzz targets of the mesh readers share: any bytes are refused with a reason, or give a
 * mesh that can be reported on and repaired. */
#ifndef FUZZ_MESH_TARGET_H
#define FUZZ_MESH_TARGET_H

#include "geom/mesh/mesh_file.h"
#include "geom/mesh/mesh_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef PlimStatus (*MeshParser)(PlimContext *, const char *, const char *, size_t, TriangleMesh *);

static void require(bool condition) {
    if (!condition) abort();
}

static void check_mesh(const TriangleMesh *mesh) {
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        Vec3 p = mesh->vertices[i];
        require(isfinite(p.x) && isfinite(p.y) && isfinite(p.z));
    }
    for (size_t i = 0; i < mesh->triangle_count; i++)
        for (int k = 0; k < 3; k++)
            require(mesh->triangles[i][k] >= 0 &&
                    (size_t)mesh->triangles[i][k] < mesh->vertex_count);
}

/* What is written reads back the same. */
static void check_written(PlimContext *context, const TriangleMesh *mesh, bool obj) {
    Text text;
    TriangleMesh again;
    text_init(&text, context);
    obj ? mesh_write_obj(mesh, &text) : mesh_write_ply(mesh, &text);
    require(!text.failed);
    MeshParser parse = obj ? mesh_parse_obj : mesh_parse_ply;
    require(parse(context, "again", text_string(&text), text.bytes.count, &again) == PLIM_OK);
    require(again.vertex_count == mesh->vertex_count);
    require(again.triangle_count == mesh->triangle_count);
    require(memcmp(again.vertices, mesh->vertices, mesh->vertex_count * sizeof(Vec3)) == 0);
    require(memcmp(again.triangles, mesh->triangles,
                   mesh->triangle_count * sizeof *mesh->triangles) == 0);
    mesh_free(context, &again);
    text_free(&text);
}

static void check_repair(PlimContext *context, TriangleMesh *mesh) {
    MeshReport report;
    MeshRepair repair, again, nothing = {0};
    require(mesh_report(context, mesh, &report) == PLIM_OK);
    require(report.closed == mesh_is_closed(context, mesh));
    require(mesh_repair(context, mesh, &repair) == PLIM_OK);
    check_mesh(mesh);
    require(mesh->vertex_count + repair.merged_vertices + repair.dropped_vertices ==
            report.vertices);
    require(mesh->triangle_count + repair.dropped_triangles == report.triangles);
    require(mesh_report(context, mesh, &report) == PLIM_OK);
    require(report.defects[DEFECT_DUPLICATE_VERTEX].count == 0);
    require(report.defects[DEFECT_DUPLICATE_TRIANGLE].count == 0);
    require(report.defects[DEFECT_DEGENERATE_TRIANGLE].count == 0);
    require(report.defects[DEFECT_UNUSED_VERTEX].count == 0);
    require(mesh_repair(context, mesh, &again) == PLIM_OK);
    require(memcmp(&again, &nothing, sizeof again) == 0);
}

static int fuzz_mesh(MeshParser parse, const uint8_t *data, size_t size) {
    enum { SMALL = 300 }; /* triangles: the report tries all pairs that may cross */
    char *bytes = malloc(size ? size : 1); /* its own block: reading past the end is seen */
    if (!bytes) return 0;
    if (size) memcpy(bytes, data, size);
    PlimContextDesc desc = plim_context_desc_default();
    desc.threads = 1;
    PlimContext *context;
    require(plim_context_create(&desc, &context) == PLIM_OK);
    TriangleMesh mesh;
    PlimStatus status = parse(context, "fuzz", bytes, size, &mesh);
    require(plim_context_peak_bytes(context) <= 4096 + 128 * size);
    if (status == PLIM_OK) {
        require(mesh.triangle_count > 0);
        check_mesh(&mesh);
        check_written(context, &mesh, true);
        check_written(context, &mesh, false);
        if (mesh.triangle_count <= SMALL) check_repair(context, &mesh);
    } else {
        require(status == PLIM_BAD_INPUT && !mesh.vertices && !mesh.triangles);
        require(strncmp(plim_message(context), "fuzz", 4) == 0);
    }
    mesh_free(context, &mesh);
    require(plim_context_bytes(context) == 0);
    plim_context_destroy(context);
    free(bytes);
    return 0;
}

#endif
