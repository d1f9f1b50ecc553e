#include "mesh_info.h"

#include "geom/mesh/mass.h"
#include "math/decompose.h"

#include <stdio.h>

static void print_vec(const char *what, Vec3 a, const char *unit) {
    printf("%s: %.17g %.17g %.17g %s\n", what, a.x, a.y, a.z, unit);
}

/* `all`: also those that there are none of. */
static void print_defects(const MeshReport *report, bool all) {
    for (int kind = 0; kind < DEFECT_KIND_COUNT; kind++) {
        const MeshDefect *defect = &report->defects[kind];
        if (!all && defect->count == 0) continue;
        printf("%s: %zu", defect_name((DefectKind)kind), defect->count);
        for (size_t i = 0; i < defect->count && i < DEFECT_PLACES; i++)
            printf("%s(%.6g, %.6g, %.6g)", i ? ", " : ", at ", defect->places[i].x,
                   defect->places[i].y, defect->places[i].z);
        printf("\n");
    }
}

static void print_mass(const TriangleMesh *mesh) {
    MassProperties mass = mesh_mass_properties(mesh);
    Vec3 principal;
    Mat3 axes;
    symmetric_eigen(mass.inertia, &principal, &axes);
    print_vec("centre", mass.center, "m");
    for (int row = 0; row < 3; row++) print_vec("inertia row", mass.inertia.r[row], "m^5");
    print_vec("principal inertia", principal, "m^5");
    for (int axis = 0; axis < 3; axis++) print_vec("principal axis", mat3_column(axes, axis), "");
}

PlimStatus mesh_info_print(PlimContext *context, const TriangleMesh *mesh) {
    MeshReport report;
    TRY(mesh_report(context, mesh, &report));
    printf("vertices: %zu\ntriangles: %zu\ncomponents: %zu\n", report.vertices, report.triangles,
           report.components);
    print_vec("low", report.low, "m");
    print_vec("high", report.high, "m");
    printf("area: %.17g m^2\nvolume: %.17g m^3\n", report.area, report.volume);
    printf("closed: %s\n", report.closed ? "yes" : "no");
    if (report.inside_out) printf("inside out: yes; repair turns it\n");
    print_defects(&report, true);
    if (report.closed) print_mass(mesh);
    return PLIM_OK;
}

PlimStatus mesh_info_summary(PlimContext *context, const char *path, const TriangleMesh *mesh) {
    MeshReport report;
    TRY(mesh_report(context, mesh, &report));
    printf("mesh %s: %zu vertices, %zu triangles, %s\n", path, report.vertices, report.triangles,
           report.closed ? "closed" : "with gaps");
    print_defects(&report, false);
    return PLIM_OK;
}

PlimStatus mesh_info_repair(PlimContext *context, TriangleMesh *mesh) {
    MeshRepair done;
    TRY(mesh_repair(context, mesh, &done));
    printf(
        "repair: %zu vertices merged, %zu unused dropped, %zu triangles dropped, %zu turned, %zu "
        "edges flipped\n",
        done.merged_vertices, done.dropped_vertices, done.dropped_triangles, done.turned_triangles,
        done.flipped_edges);
    return PLIM_OK;
}
