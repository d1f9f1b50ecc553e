/* Formats by name. */
#include "io/export/formats.h"

#include <string.h>

const Exporter *exporter_find(const char *name) {
    static const Exporter *const all[] = {&export_gltf, &export_usd, &export_ply, &export_obj,
                                          &export_vtk};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i]->name, name) == 0) return all[i];
    return NULL;
}
